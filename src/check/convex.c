/* Convex bodies against triangles (clipping) and against each other: Gilbert's algorithm over their corners,
   with the simplex solved by trying every subset, and where those meet, the polytopes' depth. */
#include "check/check.h"
#include "base/memory.h"
#include "check/tolerance.h"

#include <string.h>

static const double SLIVER_M = 1e-6; /* a hull's triangle lower than this has no normal worth the name */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The centre of a hull's volume, which is never near a face as the mean of its vertices may be: a quarter of
   the hull's height over it at least. */
static void hull_centre(const hf_shape* s, double centre[3]) {
    double p[3][3], moment[3] = {0, 0, 0}, volume = 0, mean[3] = {0, 0, 0};
    for (int k = 0; k < s->vertex_count; k++)
        for (int i = 0; i < 3; i++) mean[i] += (double)s->vertices[3 * k + i] / s->vertex_count;
    for (int f = 0; f < s->face_count; f++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                p[k][i] = (double)s->vertices[3 * s->faces[3 * f + k] + (uint32_t)i] - mean[i];
        double six = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                     p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        volume += six;
        for (int i = 0; i < 3; i++) moment[i] += six * (p[0][i] + p[1][i] + p[2][i]) / 4;
    }
    for (int i = 0; i < 3; i++) centre[i] = mean[i] + (volume > 0 ? moment[i] / volume : 0);
}

/* Planes of a hull. Coplanar triangles give the same plane more than once, which is harmless. */
static bool hull_planes(const hf_shape* s, check_body* out) {
    out->planes = hf_alloc((size_t)s->face_count, 4 * sizeof(double));
    if (!out->planes) return false;
    for (int f = 0; f < s->face_count; f++) {
        double p[3][3], u[3], v[3], n[3];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) p[k][i] = (double)s->vertices[3 * s->faces[3 * f + k] + (uint32_t)i];
        for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
        n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2], n[2] = u[0] * v[1] - u[1] * v[0];
        double l = sqrt(dot(n, n));
        if (!(l > 0)) continue;
        double* plane = out->planes + 4 * out->plane_count++;
        for (int i = 0; i < 3; i++) plane[i] = n[i] / l;
        /* A float hull is only nearly flat: the plane holds all of its vertices. */
        plane[3] = -INFINITY;
        for (int k = 0; k < s->vertex_count; k++) {
            double c[3] = {(double)s->vertices[3 * k], (double)s->vertices[3 * k + 1],
                           (double)s->vertices[3 * k + 2]};
            if (dot(plane, c) > plane[3]) plane[3] = dot(plane, c);
        }
    }
    return true;
}

static bool box_planes(hf_vec3 half, check_body* out) {
    const double h[3] = {half.x, half.y, half.z};
    out->planes = hf_alloc(6, 4 * sizeof(double));
    if (!out->planes) return false;
    for (int i = 0; i < 6; i++) {
        out->planes[4 * i + i / 2] = i % 2 ? -1 : 1;
        out->planes[4 * i + 3] = h[i / 2];
    }
    out->plane_count = 6;
    return true;
}

/* Of the largest ball about the centre in the body. */
static double inner_radius(const check_body* body) {
    double r = body->round ? body->radius : INFINITY;
    for (int i = 0; i < body->plane_count; i++)
        r = fmin(r, body->planes[4 * i + 3] - dot(body->planes + 4 * i, body->centre));
    return r;
}

static bool core_of_box(hf_vec3 half, check_polytope* core) {
    const double high[3] = {half.x, half.y, half.z}, low[3] = {-half.x, -half.y, -half.z};
    return check_polytope_box(core, low, high) && check_polytope_close(core);
}

static bool core_of_round(const check_body* body, check_polytope* core) {
    for (int k = 0; k < body->point_count; k++)
        if (!check_polytope_corner(core, body->points + 3 * k)) return false;
    if (body->point_count == 2 && !check_polytope_edge(core, body->points, body->points + 3, -1, -1))
        return false;
    check_polytope_finish(core);
    return true;
}

static void hull_corner(const hf_shape* s, uint32_t vertex, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = (double)s->vertices[3 * vertex + (uint32_t)i];
}

/* The plane of a hull's triangle, that all of its vertices are under; -1 for a sliver, whose normal says
   nothing, or the number of the new face. */
static bool core_face(const hf_shape* s, int f, check_polytope* core, int* number) {
    double p[3][3], u[3], v[3], n[3], longest = 0, offset = -INFINITY, c[3];
    for (int k = 0; k < 3; k++) hull_corner(s, s->faces[3 * f + k], p[k]);
    for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
    for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) u[i] = p[(k + 1) % 3][i] - p[k][i];
        longest = fmax(longest, sqrt(dot(u, u)));
    }
    double l = sqrt(dot(n, n));
    *number = -1;
    if (!(l > SLIVER_M * longest)) return true;
    for (int i = 0; i < 3; i++) n[i] /= l;
    for (int k = 0; k < s->vertex_count; k++) {
        hull_corner(s, (uint32_t)k, c);
        offset = fmax(offset, dot(n, c));
    }
    *number = core->face_count;
    return check_polytope_face(core, n, offset);
}

/* Each edge once, with the faces on its two sides; one beside a sliver has no sides that could be told. */
static bool core_edges(const hf_shape* s, const int* numbers, check_polytope* core) {
    for (int f = 0; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = s->faces[3 * f + k], b = s->faces[3 * f + (k + 1) % 3];
            int other = -1;
            for (int g = 0; g < s->face_count && other < 0; g++)
                for (int j = 0; j < 3; j++)
                    if (s->faces[3 * g + j] == b && s->faces[3 * g + (j + 1) % 3] == a) other = g;
            if (other >= 0 && other < f) continue;
            double p[3], q[3];
            hull_corner(s, a, p);
            hull_corner(s, b, q);
            int left = numbers[f], right = other >= 0 ? numbers[other] : -1;
            if (left < 0 || right < 0) left = right = -1;
            if (!check_polytope_edge(core, p, q, left, right)) return false;
        }
    return true;
}

static bool core_of_hull(const hf_shape* s, check_polytope* core) {
    int* numbers = hf_alloc((size_t)s->face_count + 1, sizeof *numbers);
    bool good = numbers;
    for (int k = 0; good && k < s->vertex_count; k++) {
        double c[3];
        hull_corner(s, (uint32_t)k, c);
        good = check_polytope_corner(core, c);
    }
    for (int f = 0; good && f < s->face_count; f++) good = core_face(s, f, core, &numbers[f]);
    good = good && core_edges(s, numbers, core);
    if (good) check_polytope_finish(core);
    hf_free(numbers);
    return good;
}

/* The polytope and its box. */
static bool build_core(const hf_shape* s, check_body* out) {
    bool good = out->round                ? core_of_round(out, &out->core)
                : s->kind == HF_SHAPE_BOX ? core_of_box(s->half_size, &out->core)
                                          : core_of_hull(s, &out->core);
    for (int i = 0; i < 3; i++) {
        out->low[i] = INFINITY, out->high[i] = -INFINITY;
        for (int k = 0; good && k < out->core.corner_count; k++) {
            out->low[i] = fmin(out->low[i], out->core.corners[k][i] - out->radius);
            out->high[i] = fmax(out->high[i], out->core.corners[k][i] + out->radius);
        }
    }
    return good;
}

hf_status check_body_build(const hf_body* body, double allowed, check_body* out) {
    memset(out, 0, sizeof *out);
    out->link = body->link;
    out->in_link = check_frame_of(body->in_link);
    const hf_shape* s = &body->shape;
    hf_status status = HF_OK;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
    case HF_SHAPE_CAPSULE:
        out->round = true;
        out->radius = s->radius;
        out->point_count = s->kind == HF_SHAPE_SPHERE ? 1 : 2;
        out->points = hf_alloc(2, 3 * sizeof(double));
        if (!out->points) return HF_ERROR_MEMORY;
        if (s->kind == HF_SHAPE_CAPSULE) out->points[2] = -s->half_length, out->points[5] = s->half_length;
        out->reach = s->radius + (s->kind == HF_SHAPE_CAPSULE ? s->half_length : 0);
        break;
    case HF_SHAPE_BOX:
        if (!box_planes(s->half_size, out)) status = HF_ERROR_MEMORY;
        out->reach = hf_length(s->half_size);
        break;
    case HF_SHAPE_HULL: {
        hull_centre(s, out->centre);
        for (int k = 0; k < s->vertex_count; k++) {
            double d[3];
            for (int i = 0; i < 3; i++) d[i] = (double)s->vertices[3 * k + i] - out->centre[i];
            if (sqrt(dot(d, d)) > out->reach) out->reach = sqrt(dot(d, d));
        }
        if (!hull_planes(s, out)) status = HF_ERROR_MEMORY;
        break;
    }
    }
    if (status == HF_OK && !build_core(s, out)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) {
        /* What parts a body from itself is as long as the body is thick. */
        out->thickness = 2 * out->radius + (out->round ? 0 : check_polytope_depth(&out->core, &out->core, 0));
        out->thin = 2 * (inner_radius(out) - check_body_allowed(out, allowed));
    }
    if (status != HF_OK) check_body_free(out);
    return status;
}

double check_body_allowed(const check_body* body, double tolerance) {
    return fmin(tolerance, CHECK_DEPTH_SHARE * body->thickness);
}

double check_body_outside(const check_body* body, const double point[3]) {
    double most = -INFINITY;
    for (int i = 0; i < body->plane_count; i++)
        most = fmax(most, dot(body->planes + 4 * i, point) - body->planes[4 * i + 3]);
    if (!body->round) return body->plane_count ? most : INFINITY;
    const double *a = body->points, *b = a + 3 * (body->point_count - 1);
    double way[3], from[3], t = 0, off = 0;
    for (int x = 0; x < 3; x++) way[x] = b[x] - a[x], from[x] = point[x] - a[x];
    if (dot(way, way) > 0) t = fmax(0, fmin(1, dot(from, way) / dot(way, way)));
    for (int x = 0; x < 3; x++) off += (from[x] - t * way[x]) * (from[x] - t * way[x]);
    return sqrt(off) - body->radius;
}

void check_body_free(check_body* body) {
    hf_free(body->points);
    hf_free(body->planes);
    check_polytope_free(&body->core);
    memset(body, 0, sizeof *body);
}

/* The point of the hull of up to four points that is nearest to the origin: each subset's own nearest
   point counts when its weights are not negative. Keeps the subset that won. */
static double nearest_of_simplex(double w[4][3], int* count, double nearest[3]) {
    double best = INFINITY, best_point[3] = {0, 0, 0};
    int best_set = 1;
    for (int set = 1; set < 1 << *count; set++) {
        int index[4], n = 0;
        for (int i = 0; i < *count; i++)
            if (set >> i & 1) index[n++] = i;
        /* Minimise |w0 + sum t_k (w_k - w0)|: normal equations of at most three unknowns. */
        double e[3][3], m[3][4], t[3] = {0};
        for (int k = 1; k < n; k++)
            for (int i = 0; i < 3; i++) e[k - 1][i] = w[index[k]][i] - w[index[0]][i];
        for (int a = 0; a < n - 1; a++) {
            for (int b = 0; b < n - 1; b++) m[a][b] = dot(e[a], e[b]);
            m[a][n - 1] = -dot(e[a], w[index[0]]);
        }
        bool singular = false;
        for (int a = 0; a < n - 1 && !singular; a++) {
            int pivot = a;
            for (int b = a + 1; b < n - 1; b++)
                if (fabs(m[b][a]) > fabs(m[pivot][a])) pivot = b;
            if (fabs(m[pivot][a]) < 1e-18) singular = true;
            for (int k = 0; k < n && !singular; k++) {
                double x = m[a][k];
                m[a][k] = m[pivot][k], m[pivot][k] = x;
            }
            for (int b = a + 1; b < n - 1 && !singular; b++) {
                double f = m[b][a] / m[a][a];
                for (int k = a; k < n; k++) m[b][k] -= f * m[a][k];
            }
        }
        if (singular) continue;
        double sum = 0;
        bool inside = true;
        for (int a = n - 2; a >= 0; a--) {
            t[a] = m[a][n - 1];
            for (int b = a + 1; b < n - 1; b++) t[a] -= m[a][b] * t[b];
            t[a] /= m[a][a];
            sum += t[a];
            inside = inside && t[a] >= 0;
        }
        if (!inside || sum > 1) continue;
        double p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = w[index[0]][i];
            for (int k = 0; k < n - 1; k++) p[i] += t[k] * e[k][i];
        }
        double d = dot(p, p);
        if (d < best) best = d, best_set = set, memcpy(best_point, p, sizeof p);
    }
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (best_set >> i & 1) memmove(w[kept++], w[i], sizeof w[0]);
    *count = kept;
    memcpy(nearest, best_point, sizeof best_point);
    return sqrt(best);
}

static void support(const check_polytope* p, const check_frame* at, const double way[3], double out[3]) {
    double local[3], best = -INFINITY;
    int winner = 0;
    for (int i = 0; i < 3; i++) local[i] = at->r[i] * way[0] + at->r[3 + i] * way[1] + at->r[6 + i] * way[2];
    for (int k = 0; k < p->corner_count; k++) {
        double h = dot(p->corners[k], local);
        if (h > best) best = h, winner = k;
    }
    check_frame_point(at, p->corners[winner], out);
}

/* Distance of the bodies' cores, 0 when they meet; some number over `reach` when it is more than that. */
static double core_distance(const check_body* a, const check_frame* at_a, const check_body* b,
                            const check_frame* at_b, double reach) {
    double ca[3], cb[3], w[4][3], nearest[3], distance = INFINITY;
    check_frame_point(at_a, a->centre, ca);
    check_frame_point(at_b, b->centre, cb);
    for (int i = 0; i < 3; i++) nearest[i] = ca[i] - cb[i];
    int count = 0;
    for (int iteration = 0; iteration < 100; iteration++) {
        double way[3] = {-nearest[0], -nearest[1], -nearest[2]}, pa[3], pb[3];
        support(&a->core, at_a, way, pa);
        support(&b->core, at_b, nearest, pb);
        for (int i = 0; i < 3; i++) w[count][i] = pa[i] - pb[i];
        /* No point of the difference is nearer than this plane. */
        double length = sqrt(dot(nearest, nearest));
        if (count && length > 0 && dot(w[count], nearest) / length >= length - 1e-10) break;
        if (length > 0 && dot(w[count], nearest) / length > fmax(reach, 0)) return INFINITY;
        count++;
        distance = nearest_of_simplex(w, &count, nearest);
        if (distance < 1e-12 || count == 4) return 0;
    }
    return distance;
}

/* The depth of cores that meet: b's as seen from a. */
static double core_depth(const check_body* a, const check_frame* at_a, const check_body* b,
                         const check_frame* at_b, double enough) {
    check_polytope seen = {0};
    check_frame at;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            at.r[3 * i + j] =
                at_a->r[i] * at_b->r[j] + at_a->r[3 + i] * at_b->r[3 + j] + at_a->r[6 + i] * at_b->r[6 + j];
    check_frame_unpoint(at_a, at_b->p, at.p);
    double depth =
        check_polytope_moved(&b->core, &at, &seen) ? check_polytope_depth(&a->core, &seen, enough) : NAN;
    check_polytope_free(&seen);
    return depth;
}

double check_bodies_depth(const check_body* a, const check_frame* at_a, const check_body* b,
                          const check_frame* at_b, double enough) {
    double ca[3], cb[3], gap = 0, radius = a->radius + b->radius;
    check_frame_point(at_a, a->centre, ca);
    check_frame_point(at_b, b->centre, cb);
    for (int i = 0; i < 3; i++) gap += (ca[i] - cb[i]) * (ca[i] - cb[i]);
    if (sqrt(gap) > a->reach + b->reach) return 0;
    double apart = core_distance(a, at_a, b, at_b, radius - enough), depth = radius - apart;
    if (!(apart > 0)) depth = radius + core_depth(a, at_a, b, at_b, enough - radius);
    return depth <= enough ? 0 : depth;
}

double check_body_triangle(const check_body* body, const check_frame* at, const double tri[9], double depth) {
    double local[9];
    for (int k = 0; k < 3; k++) check_frame_unpoint(at, tri + 3 * k, local + 3 * k);
    if (body->round) {
        double nearest[3];
        const double *a = body->points, *b = body->point_count == 2 ? body->points + 3 : NULL;
        double d = b ? check_segment_triangle(a, b, local, nearest) : check_point_triangle(a, local, nearest);
        return body->radius - d > depth ? body->radius - d : 0;
    }
    if (!check_triangle_meets_planes(local, body->planes, body->plane_count, depth)) return 0;
    /* The depth itself, by halving. */
    double low = depth, high = body->reach;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        if (check_triangle_meets_planes(local, body->planes, body->plane_count, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}
