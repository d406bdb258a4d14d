#include "geom/triangle.h"

#include <float.h>
#include <string.h>

static double squared(hf_vec3 a) { return hf_dot(a, a); }
static double clamp01(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

hf_triangle hf_triangle_of(const hf_mesh* mesh, int index) {
    hf_triangle t;
    for (int k = 0; k < 3; k++) {
        t.v[k] = hf_vertex(mesh->vertices, (size_t)mesh->indices[3 * (size_t)index + (size_t)k]);
    }
    return t;
}

hf_vec3 hf_triangle_normal(const hf_triangle* t) {
    hf_vec3 e0 = hf_sub(t->v[1], t->v[0]), e1 = hf_sub(t->v[2], t->v[1]), e2 = hf_sub(t->v[0], t->v[2]);
    hf_vec3 n = hf_cross(e0, e1);
    double l = hf_length(n);
    if (l > 0) return hf_scale(n, 1 / l);
    // degenerate: across the longest edge, away from the axis it is most along
    hf_vec3 e = squared(e0) > squared(e1) ? e0 : e1;
    if (squared(e2) > squared(e)) e = e2;
    hf_vec3 axis = fabs(e.z) <= fabs(e.x) || fabs(e.z) <= fabs(e.y) ? hf_v3(0, 0, 1) : hf_v3(1, 0, 0);
    double along = squared(e) > 0 ? hf_dot(axis, e) / squared(e) : 0;
    n = hf_normalize(hf_sub(axis, hf_scale(e, along)));
    return squared(n) > 0.5 ? n : hf_v3(0, 0, 1);
}

double hf_triangle_height(const hf_triangle* t) {
    hf_vec3 e0 = hf_sub(t->v[1], t->v[0]), e1 = hf_sub(t->v[2], t->v[1]), e2 = hf_sub(t->v[0], t->v[2]);
    double longest = sqrt(fmax(squared(e0), fmax(squared(e1), squared(e2))));
    return longest > 0 ? hf_length(hf_cross(e0, e1)) / longest : 0;
}

hf_shape hf_triangle_shape(const hf_triangle* t, float corners[9]) {
    static const uint32_t sides[6] = {0, 1, 2, 0, 2, 1};
    for (int k = 0; k < 3; k++) {
        corners[3 * k] = (float)t->v[k].x;
        corners[3 * k + 1] = (float)t->v[k].y;
        corners[3 * k + 2] = (float)t->v[k].z;
    }
    return (hf_shape){
        .kind = HF_SHAPE_HULL, .vertex_count = 3, .face_count = 2, .faces = sides, .vertices = corners};
}

/* A nearest pair as it improves: every candidate is a pair of real points, so that the result is never too
   small, and never larger than the best candidate. */
typedef struct nearest {
    double squared;
    hf_vec3 a, b;
} nearest;

static void offer(nearest* best, hf_vec3 a, hf_vec3 b) {
    double d = squared(hf_sub(a, b));
    if (d < best->squared) *best = (nearest){d, a, b};
}

static hf_vec3 on_segment_nearest(hf_vec3 a, hf_vec3 b, hf_vec3 p) {
    hf_vec3 d = hf_sub(b, a);
    double l = squared(d);
    return l > 0 ? hf_add(a, hf_scale(d, clamp01(hf_dot(hf_sub(p, a), d) / l))) : a;
}

/* Foot of p in the triangle's inside, when it is there: barycentric coordinates about the corner. */
static bool foot_inside(const hf_triangle* t, hf_vec3 p, hf_vec3* foot) {
    hf_vec3 e0 = hf_sub(t->v[1], t->v[0]), e1 = hf_sub(t->v[2], t->v[0]), q = hf_sub(p, t->v[0]);
    hf_vec3 n = hf_cross(e0, e1);
    double nn = squared(n);
    if (!(nn > 0)) return false;
    double u = hf_dot(hf_cross(q, e1), n) / nn, v = hf_dot(hf_cross(e0, q), n) / nn;
    if (!(u >= 0 && v >= 0 && u + v <= 1)) return false;
    *foot = hf_add(t->v[0], hf_add(hf_scale(e0, u), hf_scale(e1, v)));
    return true;
}

static void offer_point(nearest* best, const hf_triangle* t, hf_vec3 p) {
    hf_vec3 foot;
    if (foot_inside(t, p, &foot)) offer(best, foot, p);
    for (int k = 0; k < 3; k++) offer(best, on_segment_nearest(t->v[k], t->v[(k + 1) % 3], p), p);
}

/* Inner minimum of two segments; their ends are offered elsewhere. */
static void offer_segments(nearest* best, hf_vec3 a0, hf_vec3 a1, hf_vec3 b0, hf_vec3 b1) {
    hf_vec3 d = hf_sub(a1, a0), e = hf_sub(b1, b0), r = hf_sub(a0, b0);
    double dd = squared(d), ee = squared(e), de = hf_dot(d, e), dr = hf_dot(d, r), er = hf_dot(e, r);
    double denominator = dd * ee - de * de;
    if (!(denominator > 0)) return;
    double s = clamp01((de * er - dr * ee) / denominator);
    double t = clamp01((de * s + er) / ee);
    s = clamp01((de * t - dr) / dd);
    offer(best, hf_add(a0, hf_scale(d, s)), hf_add(b0, hf_scale(e, t)));
}

/* Where the segment goes through the triangle's plane. */
static void offer_crossing(nearest* best, const hf_triangle* t, hf_vec3 p, hf_vec3 q) {
    hf_vec3 n = hf_cross(hf_sub(t->v[1], t->v[0]), hf_sub(t->v[2], t->v[0]));
    double dp = hf_dot(n, hf_sub(p, t->v[0])), dq = hf_dot(n, hf_sub(q, t->v[0]));
    if (!((dp < 0 && dq > 0) || (dp > 0 && dq < 0))) return;
    hf_vec3 x = hf_lerp(p, q, dp / (dp - dq)), foot;
    if (foot_inside(t, x, &foot)) offer(best, foot, x);
}

static void offer_segment(nearest* best, const hf_triangle* t, hf_vec3 p, hf_vec3 q) {
    offer_crossing(best, t, p, q);
    offer_point(best, t, p);
    offer_point(best, t, q);
    for (int k = 0; k < 3; k++) {
        offer(best, t->v[k], on_segment_nearest(p, q, t->v[k]));
        offer_segments(best, t->v[k], t->v[(k + 1) % 3], p, q);
    }
}

double hf_triangle_point(const hf_triangle* t, hf_vec3 p, hf_vec3* point) {
    nearest best = {.squared = INFINITY};
    offer_point(&best, t, p);
    if (point) *point = best.a;
    return best.squared;
}

double hf_triangle_segment(const hf_triangle* t, hf_vec3 p, hf_vec3 q, hf_vec3* on_triangle,
                           hf_vec3* on_segment) {
    nearest best = {.squared = INFINITY};
    offer_segment(&best, t, p, q);
    if (on_triangle) *on_triangle = best.a;
    if (on_segment) *on_segment = best.b;
    return best.squared;
}

double hf_triangle_triangle(const hf_triangle* a, const hf_triangle* b, hf_vec3* on_a, hf_vec3* on_b) {
    nearest best = {.squared = INFINITY}, other = {.squared = INFINITY};
    for (int k = 0; k < 3; k++) {
        offer_segment(&best, a, b->v[k], b->v[(k + 1) % 3]);
        offer_segment(&other, b, a->v[k], a->v[(k + 1) % 3]);
    }
    if (other.squared < best.squared) best = (nearest){other.squared, other.b, other.a};
    if (on_a) *on_a = best.a;
    if (on_b) *on_b = best.b;
    return best.squared;
}

/* Edge functions of the ray (scalar triple products): for an edge walked the other way by the neighbour the
   value is the exact opposite, so that no ray slips between two triangles. */
static void edge_functions(const hf_triangle* t, hf_vec3 origin, hf_vec3 direction, hf_vec3 r[3],
                           double weight[3]) {
    for (int k = 0; k < 3; k++) r[k] = hf_sub(t->v[k], origin);
    for (int k = 0; k < 3; k++) weight[k] = hf_dot(direction, hf_cross(r[(k + 1) % 3], r[(k + 2) % 3]));
}

bool hf_triangle_ray(const hf_triangle* t, hf_vec3 origin, hf_vec3 direction, double max_distance,
                     double* distance) {
    hf_vec3 r[3];
    double w[3];
    edge_functions(t, origin, direction, r, w);
    if ((w[0] < 0 || w[1] < 0 || w[2] < 0) && (w[0] > 0 || w[1] > 0 || w[2] > 0)) return false;
    double sum = w[0] + w[1] + w[2];
    if (sum == 0) return false; // edge-on or degenerate
    double d =
        (w[0] * hf_dot(r[0], direction) + w[1] * hf_dot(r[1], direction) + w[2] * hf_dot(r[2], direction)) /
        (sum * squared(direction));
    if (!(d >= 0 && d <= max_distance)) return false;
    *distance = d;
    return true;
}

int hf_triangle_crossing(const hf_triangle* t, hf_vec3 origin, hf_vec3 direction) {
    hf_vec3 r[3];
    double w[3];
    edge_functions(t, origin, direction, r, w);
    // rounding of a triple product is far under this share of its factors' lengths
    const double share = 32 * DBL_EPSILON;
    double l[3] = {hf_length(r[0]), hf_length(r[1]), hf_length(r[2])};
    double reach = hf_length(direction);
    int positive = 0, negative = 0;
    for (int k = 0; k < 3; k++) {
        double doubt = share * reach * l[(k + 1) % 3] * l[(k + 2) % 3];
        positive += w[k] > doubt;
        negative += w[k] < -doubt;
    }
    if (positive && negative) return 0;
    // behind the origin, whatever the edges say
    double ahead = fmax(hf_dot(r[0], direction), fmax(hf_dot(r[1], direction), hf_dot(r[2], direction)));
    double longest = fmax(l[0], fmax(l[1], l[2]));
    if (ahead < -share * reach * longest) return 0;
    if (positive != 3 && negative != 3) return HF_CROSSING_UNSURE;
    // the side of the plane the origin is on: six times the volume of the corner
    double volume = hf_dot(r[0], hf_cross(r[1], r[2]));
    if (fabs(volume) <= share * l[0] * l[1] * l[2]) return HF_CROSSING_UNSURE;
    if ((volume > 0) != (positive == 3)) return 0;
    return positive == 3 ? 1 : -1;
}

double hf_triangle_solid_angle(const hf_triangle* t, hf_vec3 p) {
    hf_vec3 a = hf_sub(t->v[0], p), b = hf_sub(t->v[1], p), c = hf_sub(t->v[2], p);
    double la = hf_length(a), lb = hf_length(b), lc = hf_length(c);
    double volume = hf_dot(a, hf_cross(b, c));
    double below = la * lb * lc + hf_dot(a, b) * lc + hf_dot(b, c) * la + hf_dot(c, a) * lb;
    return volume == 0 ? 0 : 2 * hf_atan2(volume, below);
}

void hf_plane_set_fill(hf_plane_set* set, const hf_shape* shape, double depth) {
    set->shape = shape, set->depth = depth, set->form = shape->kind == HF_SHAPE_HULL ? shape->form : NULL;
    if (shape->kind == HF_SHAPE_BOX) {
        const double h[3] = {shape->half_size.x, shape->half_size.y, shape->half_size.z};
        set->count = 6;
        for (int i = 0; i < 6; i++) {
            double sign = i % 2 ? -1 : 1;
            set->buffer[i].normal =
                hf_v3(i / 2 == 0 ? sign : 0, i / 2 == 1 ? sign : 0, i / 2 == 2 ? sign : 0);
            set->buffer[i].offset = h[i / 2] - depth;
        }
        set->size = fmax(h[0], fmax(h[1], h[2]));
        return;
    }
    hf_vec3 low, high;
    set->count = set->form ? set->form->plane_count : shape->face_count;
    for (int i = 0; i < set->count && i < HF_PLANE_BUFFER && !set->form; i++) {
        set->buffer[i] = hf_hull_plane(shape, i);
        set->buffer[i].offset -= depth;
    }
    if (set->form)
        low = set->form->low, high = set->form->high;
    else
        hf_hull_box(shape, &low, &high);
    set->size = fmax(fmax(fmax(high.x, high.y), high.z), -fmin(fmin(low.x, low.y), low.z));
}

/* A half-plane a u + b v <= c in the triangle's own coordinates v0 + u e1 + v e2. */
typedef struct half_plane {
    double a, b, c;
} half_plane;

/* The triangle's own three sides, then the first planes of the set; others are worked out when needed. */
typedef struct triangle_chart {
    hf_vec3 origin, e1, e2;
    const hf_plane_set* set;
    half_plane known[3 + HF_PLANE_BUFFER];
} triangle_chart;

static half_plane make_half_plane(const triangle_chart* chart, int i) {
    hf_plane p = hf_plane_of(chart->set, i - 3);
    return (half_plane){hf_dot(p.normal, chart->e1), hf_dot(p.normal, chart->e2),
                        p.offset - hf_dot(p.normal, chart->origin)};
}

static half_plane chart_plane(const triangle_chart* chart, int i) {
    return i < 3 + HF_PLANE_BUFFER ? chart->known[i] : make_half_plane(chart, i);
}

/* The part of line h's boundary inside the first `count` half-planes; its middle becomes (u, v). */
static bool line_feasible(const triangle_chart* chart, int count, half_plane h, double tolerance, double* u,
                          double* v) {
    double g = h.a * h.a + h.b * h.b;
    if (!(g > 0)) return false;
    double l = sqrt(g), u0 = h.a * h.c / g, v0 = h.b * h.c / g, du = -h.b / l, dv = h.a / l;
    double low = -INFINITY, high = INFINITY;
    for (int j = 0; j < count; j++) {
        half_plane k = chart_plane(chart, j);
        double slope = k.a * du + k.b * dv, room = k.c - k.a * u0 - k.b * v0;
        if (fabs(slope) <= 1e-14 * (fabs(k.a) + fabs(k.b))) {
            if (room < -(j < 3 ? 1e-12 : tolerance)) return false;
        } else if (slope > 0) {
            double most = room / slope;
            high = most < high ? most : high;
        } else {
            double least = room / slope;
            low = least > low ? least : low;
        }
    }
    if (low > high && (low - high) * l > tolerance) return false;
    double s = 0.5 * (low + high);
    *u = u0 + s * du, *v = v0 + s * dv;
    return true;
}

/* Where the search starts: at the triangle's point nearest to the middle of a hull that is prepared, which
   most triangles that meet it have in common with it; else at the triangle's own middle. */
static void first_guess(const hf_triangle* t, const triangle_chart* chart, double* u, double* v) {
    double aa = hf_dot(chart->e1, chart->e1), ab = hf_dot(chart->e1, chart->e2),
           bb = hf_dot(chart->e2, chart->e2), det = aa * bb - ab * ab;
    *u = *v = 1.0 / 3;
    if (!chart->set->form || !(det > 0)) return;
    hf_vec3 near;
    hf_triangle_point(t, chart->set->form->middle, &near);
    hf_vec3 d = hf_sub(near, chart->origin);
    double x = hf_dot(d, chart->e1), y = hf_dot(d, chart->e2);
    *u = clamp01((x * bb - y * ab) / det);
    *v = fmin(clamp01((y * aa - x * ab) / det), 1 - *u);
}

/* Incremental linear programming in the plane (Seidel 1991, without an objective): while the point found so
   far satisfies the next half-plane nothing is to do; else a feasible point, if any, lies on its border. */
bool hf_triangle_meets_planes(const hf_triangle* t, const hf_plane_set* set, hf_vec3* point) {
    triangle_chart chart;
    chart.origin = t->v[0], chart.e1 = hf_sub(t->v[1], t->v[0]), chart.e2 = hf_sub(t->v[2], t->v[0]);
    chart.set = set;
    double extent = fabs(t->v[0].x) + fabs(t->v[0].y) + fabs(t->v[0].z) + hf_length(chart.e1) +
                    hf_length(chart.e2) + set->size;
    double tolerance = 1e-14 + 1e-14 * extent; // rounding of one plane distance
    static const half_plane sides[3] = {{-1, 0, 0}, {0, -1, 0}, {1, 1, 1}};
    memcpy(chart.known, sides, sizeof sides);
    // most triangles that miss lie wholly outside one plane
    for (int i = 3; i < 3 + set->count; i++) {
        half_plane h = make_half_plane(&chart, i);
        double least = h.a < h.b ? h.a : h.b;
        if ((least < 0 ? least : 0) > h.c + tolerance) return false;
        if (i < 3 + HF_PLANE_BUFFER) chart.known[i] = h;
    }
    double u, v;
    first_guess(t, &chart, &u, &v);
    for (int i = 3; i < 3 + set->count; i++) {
        half_plane h = chart_plane(&chart, i);
        if (h.a * u + h.b * v <= h.c + tolerance) continue;
        if (!line_feasible(&chart, i, h, tolerance, &u, &v)) return false;
    }
    u = clamp01(u), v = clamp01(v);
    *point = hf_add(chart.origin, hf_add(hf_scale(chart.e1, u), hf_scale(chart.e2, v)));
    return true;
}
