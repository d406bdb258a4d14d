/* Distance and overlap of two convex shapes. Spheres and capsules among themselves in closed form; the rest
   by GJK (Gilbert, Johnson and Keerthi 1988) between the shapes' cores: a sphere is a point and a capsule a
   segment with a margin.

   Shrinking by e is erosion by a ball of radius e: boxes lose e from each half size, round shapes from
   their radius, hulls have every face plane moved inwards. The corners of an eroded hull are not known;
   its support in a direction is a linear program over its planes (Seidel 1991), and GJK asks for nothing
   else. That happens only for hulls that meet unshrunk and do not meet when scaled down instead. */
#include "base/assert.h"
#include "geom/convex.h"

#include <float.h>
#include <holdfast/scene.h>

/* The squared distance is settled when it cannot fall by more than this share. */
static const double GAP = 1e-13;
/* Cores nearer than this share of their coordinates meet: the rounding of one support. */
static const double TOUCH = 4e-15;
/* Supports come from finite sets, so that GJK ends by itself; this ends it whatever the rounding does. */
enum { MAX_ITERATIONS = 200 };

typedef enum core_mode { CORE_FULL, CORE_SCALED, CORE_ERODED } core_mode;

/* What GJK sees of a shape. */
typedef struct core {
    const hf_shape* shape;
    core_mode mode;     /* of a hull */
    double half_length; /* of a capsule */
    hf_vec3 half_size;  /* of a box, already eroded */
    hf_vec3 centre;     /* a hull's inner point */
    double scale;       /* CORE_SCALED: about the centre */
    double erosion;     /* CORE_ERODED, m */
    hf_vec3 low, high;  /* CORE_ERODED: bounds of the hull */
    hf_mat3 rotation;   /* own frame to the common one */
    hf_vec3 position;
} core;

/* ---- linear program over a hull's planes ---- */

typedef struct plane {
    hf_vec3 normal; /* unit, outwards */
    double offset;  /* inside: normal . x <= offset */
} plane;

static hf_vec3 hull_vertex(const hf_shape* s, uint32_t i) {
    const float* v = s->vertices + 3 * (size_t)i;
    return hf_v3(v[0], v[1], v[2]);
}

/* A degenerate face has no plane: the zero normal with offset 0 holds everywhere. */
static plane face_plane(const hf_shape* s, int face) {
    const uint32_t* f = s->faces + 3 * (size_t)face;
    hf_vec3 a = hull_vertex(s, f[0]);
    hf_vec3 n = hf_normalize(hf_cross(hf_sub(hull_vertex(s, f[1]), a), hf_sub(hull_vertex(s, f[2]), a)));
    plane p = {n, hf_dot(n, a)};
    return p;
}

/* Constraint i of an eroded hull: first its six bounds, then its faces in a scattered order, which gives
   Seidel's expected linear time whatever the order of the faces. */
static plane constraint(const core* c, int i) {
    static const uint64_t STRIDE = 1000003; /* a prime beyond any face count that shares it as a factor */
    if (i < 6) {
        double sign = i & 1 ? 1 : -1;
        hf_vec3 bound = i & 1 ? c->high : c->low;
        hf_vec3 n = i / 2 == 0 ? hf_v3(sign, 0, 0) : i / 2 == 1 ? hf_v3(0, sign, 0) : hf_v3(0, 0, sign);
        plane p = {n, hf_dot(n, bound) - c->erosion};
        return p;
    }
    uint64_t count = (uint64_t)c->shape->face_count, k = (uint64_t)(i - 6);
    plane p = face_plane(c->shape, (int)(count % STRIDE ? k * STRIDE % count : k));
    if (p.normal.x != 0 || p.normal.y != 0 || p.normal.z != 0) p.offset -= c->erosion;
    return p;
}

typedef struct program {
    const core* c;
    double tolerance, reach; /* m */
    hf_vec3 origin, e1, e2;  /* the plane that is tight now */
    hf_vec3 normal;
} program;

/* The best point on the line where constraints `first` and `second` are both tight, within those before
   `second`. goal . direction decides which end. */
static bool solve_line(const program* lp, int second, plane tight, hf_vec3 goal, hf_vec3* x) {
    hf_vec3 direction = hf_normalize(hf_cross(lp->normal, tight.normal));
    hf_vec3 across = hf_cross(direction, lp->normal);
    double slope = hf_dot(tight.normal, across);
    hf_vec3 start =
        hf_add(lp->origin, hf_scale(across, (tight.offset - hf_dot(tight.normal, lp->origin)) / slope));
    double low = -lp->reach, high = lp->reach;
    for (int i = 0; i < second; i++) {
        plane p = constraint(lp->c, i);
        double rate = hf_dot(p.normal, direction), room = p.offset - hf_dot(p.normal, start);
        if (fabs(rate) < 1e-10) {
            if (room < -1e3 * lp->tolerance) return false;
        } else if (rate > 0) {
            high = fmin(high, room / rate);
        } else {
            low = fmax(low, room / rate);
        }
    }
    if (low > high + 1e3 * lp->tolerance) return false;
    double t = low > high ? (low + high) / 2 : hf_dot(goal, direction) > 0 ? high : low;
    *x = hf_add(start, hf_scale(direction, t));
    return true;
}

/* The best point on constraint `first`'s plane within those before it. */
static bool solve_plane(program* lp, int first, hf_vec3 goal, hf_vec3* x) {
    plane tight = constraint(lp->c, first);
    hf_vec3 n = tight.normal;
    hf_vec3 side = fabs(n.x) < 0.6 ? hf_v3(1, 0, 0) : fabs(n.y) < 0.6 ? hf_v3(0, 1, 0) : hf_v3(0, 0, 1);
    lp->normal = n;
    lp->e1 = hf_normalize(hf_cross(n, side));
    lp->e2 = hf_cross(n, lp->e1);
    lp->origin = hf_add(lp->c->centre, hf_scale(n, tight.offset - hf_dot(n, lp->c->centre)));
    *x = hf_add(lp->origin, hf_add(hf_scale(lp->e1, hf_dot(goal, lp->e1) > 0 ? lp->reach : -lp->reach),
                                   hf_scale(lp->e2, hf_dot(goal, lp->e2) > 0 ? lp->reach : -lp->reach)));
    for (int i = 0; i < first; i++) {
        plane p = constraint(lp->c, i);
        if (hf_dot(p.normal, *x) <= p.offset + lp->tolerance) continue;
        if (hf_length(hf_cross(p.normal, n)) < 1e-9) {
            if (hf_dot(p.normal, lp->origin) > p.offset + 1e3 * lp->tolerance) return false;
            continue;
        }
        if (!solve_line(lp, i, p, goal, x)) return false;
    }
    return true;
}

/* The farthest point of an eroded hull along goal; false when nothing of the hull is left. */
static bool eroded_support(const core* c, hf_vec3 goal, hf_vec3* x) {
    double size = hf_distance(c->low, c->high);
    program lp = {.c = c, .reach = 2 * size, .tolerance = 1e-13 * (size + hf_length(c->centre))};
    /* Start in the best corner of the eroded bounds. */
    hf_vec3 e = hf_v3(c->erosion, c->erosion, c->erosion), low = hf_add(c->low, e), high = hf_sub(c->high, e);
    if (low.x > high.x || low.y > high.y || low.z > high.z) return false;
    *x = hf_v3(goal.x > 0 ? high.x : low.x, goal.y > 0 ? high.y : low.y, goal.z > 0 ? high.z : low.z);
    for (int i = 6; i < c->shape->face_count + 6; i++) {
        plane p = constraint(c, i);
        if (hf_dot(p.normal, *x) > p.offset + lp.tolerance && !solve_plane(&lp, i, goal, x)) return false;
    }
    return true;
}

/* ---- supports ---- */

static hf_vec3 hull_support(const hf_shape* s, hf_vec3 d) {
    double best = -DBL_MAX;
    int at = 0;
    for (int i = 0; i < s->vertex_count; i++) {
        const float* v = s->vertices + 3 * (size_t)i;
        double along = d.x * (double)v[0] + d.y * (double)v[1] + d.z * (double)v[2];
        if (along > best) best = along, at = i;
    }
    return hull_vertex(s, (uint32_t)at);
}

/* Farthest point along d, both in the core's own frame. */
static hf_vec3 local_support(const core* c, hf_vec3 d) {
    hf_vec3 h = c->half_size, p;
    switch (c->shape->kind) {
    case HF_SHAPE_CAPSULE:
        return hf_v3(0, 0, d.z >= 0 ? c->half_length : -c->half_length);
    case HF_SHAPE_BOX:
        return hf_v3(d.x >= 0 ? h.x : -h.x, d.y >= 0 ? h.y : -h.y, d.z >= 0 ? h.z : -h.z);
    case HF_SHAPE_HULL:
        if (c->mode == CORE_ERODED && eroded_support(c, d, &p)) return p;
        p = hull_support(c->shape, d);
        return c->mode == CORE_SCALED ? hf_lerp(c->centre, p, c->scale) : p;
    default:
        return hf_v3(0, 0, 0);
    }
}

static hf_vec3 transposed_mul(const hf_mat3* r, hf_vec3 v) {
    const double* m = r->m;
    return hf_v3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                 m[2] * v.x + m[5] * v.y + m[8] * v.z);
}

static hf_vec3 core_support(const core* c, hf_vec3 d) {
    hf_vec3 p = local_support(c, transposed_mul(&c->rotation, d));
    return hf_add(hf_mat3_mul(&c->rotation, p), c->position);
}

/* ---- GJK ---- */

typedef struct simplex {
    hf_vec3 p[4];
    int count;
} simplex;

/* The nearest point to the origin found so far, and the corners that span it. */
typedef struct nearest {
    double square;
    hf_vec3 point;
    int corners[3], count;
} nearest;

static void offer(nearest* best, hf_vec3 point, int count, int a, int b, int c) {
    double square = hf_dot(point, point);
    if (square < best->square) *best = (nearest){square, point, {a, b, c}, count};
}

static void offer_edge(const simplex* s, int a, int b, nearest* best) {
    hf_vec3 d = hf_sub(s->p[b], s->p[a]);
    double length = hf_dot(d, d), t = -hf_dot(s->p[a], d);
    if (t > 0 && t < length) offer(best, hf_add(s->p[a], hf_scale(d, t / length)), 2, a, b, 0);
}

static void offer_face(const simplex* s, int ia, int ib, int ic, nearest* best) {
    hf_vec3 a = s->p[ia], b = s->p[ib], c = s->p[ic], ab = hf_sub(b, a), ac = hf_sub(c, a);
    hf_vec3 n = hf_cross(ab, ac);
    double square = hf_dot(n, n);
    if (square <= 1e-28 * hf_dot(ab, ab) * hf_dot(ac, ac)) return;
    /* The origin's foot is inside when its three partial areas have the face's sense. */
    if (hf_dot(hf_cross(b, c), n) >= 0 && hf_dot(hf_cross(c, a), n) >= 0 && hf_dot(hf_cross(a, b), n) >= 0)
        offer(best, hf_scale(n, hf_dot(a, n) / square), 3, ia, ib, ic);
}

static double triple(hf_vec3 a, hf_vec3 b, hf_vec3 c) { return hf_dot(a, hf_cross(b, c)); }

static bool encloses_origin(const simplex* s) {
    hf_vec3 a = s->p[0], b = s->p[1], c = s->p[2], d = s->p[3];
    hf_vec3 ab = hf_sub(b, a), ac = hf_sub(c, a), ad = hf_sub(d, a);
    double volume = triple(ab, ac, ad), sign = volume < 0 ? -1 : 1;
    if (fabs(volume) <= 1e-14 * hf_length(ab) * hf_length(ac) * hf_length(ad)) return false;
    return sign * triple(b, d, c) <= 0 && sign * triple(a, c, d) <= 0 && sign * triple(a, d, b) <= 0 &&
           sign * triple(a, b, c) <= 0;
}

/* Nearest point of the simplex among the features that have its newest corner (the others cannot be nearer
   than what was known before it came). False when none is nearer than `known`. */
static bool reduce(simplex* s, double known, nearest* best) {
    int last = s->count - 1;
    *best = (nearest){.square = known};
    offer(best, s->p[last], 1, last, 0, 0);
    for (int i = 0; i < last; i++) {
        offer_edge(s, i, last, best);
        for (int k = i + 1; k < last; k++) offer_face(s, i, k, last, best);
    }
    if (best->count == 0) return false;
    simplex kept = {.count = best->count};
    for (int i = 0; i < best->count; i++) kept.p[i] = s->p[best->corners[i]];
    *s = kept;
    return true;
}

/* Distance of two cores, 0 when they meet. Ends early, with some number above `enough`, once they are known
   to be further apart than that. */
static double core_distance(const core* a, const core* b, double enough) {
    hf_vec3 v = hf_sub(a->position, b->position);
    if (hf_dot(v, v) == 0) v = hf_v3(1, 0, 0);
    simplex s = {.count = 0};
    nearest best;
    double known = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        hf_vec3 pa = core_support(a, hf_neg(v)), pb = core_support(b, v), w = hf_sub(pa, pb);
        double along = hf_dot(v, w), length = hf_length(v);
        /* The plane through w normal to v separates the cores by at least this. */
        if (along > enough * length) return along / length;
        if (known < INFINITY && known - along <= GAP * known) break;
        s.p[s.count++] = w;
        if (s.count == 4 && encloses_origin(&s)) return 0;
        if (!reduce(&s, known, &best)) break;
        known = best.square;
        v = best.point;
        double size = fmax(hf_length(pa), hf_length(pb));
        if (known <= TOUCH * TOUCH * size * size) return 0;
    }
    return sqrt(known);
}

/* ---- closed forms ---- */

static double point_segment_square(hf_vec3 p, hf_vec3 a, hf_vec3 b) {
    hf_vec3 d = hf_sub(b, a);
    double length = hf_dot(d, d), t = length > 0 ? hf_dot(hf_sub(p, a), d) / length : 0;
    hf_vec3 r = hf_sub(p, hf_add(a, hf_scale(d, fmax(0, fmin(1, t)))));
    return hf_dot(r, r);
}

/* An end against the other segment, or both insides: the least of all is right however parallel they are. */
static double segment_distance(hf_vec3 a, hf_vec3 b, hf_vec3 c, hf_vec3 d) {
    double best = fmin(fmin(point_segment_square(a, c, d), point_segment_square(b, c, d)),
                       fmin(point_segment_square(c, a, b), point_segment_square(d, a, b)));
    hf_vec3 u = hf_sub(b, a), v = hf_sub(d, c), r = hf_sub(c, a), n = hf_cross(u, v);
    double square = hf_dot(n, n);
    if (square > 1e-20 * hf_dot(u, u) * hf_dot(v, v)) {
        double s = triple(r, v, n) / square, t = triple(r, u, n) / square;
        if (s > 0 && s < 1 && t > 0 && t < 1) {
            double height = hf_dot(r, n);
            best = fmin(best, height * height / square);
        }
    }
    return sqrt(best);
}

static bool is_round(const hf_shape* s) { return s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE; }
static double margin_of(const hf_shape* s) { return is_round(s) ? s->radius : 0; }

static double round_distance(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b) {
    hf_vec3 ha = hf_rotate(pose_a.rotation, hf_v3(0, 0, a->kind == HF_SHAPE_CAPSULE ? a->half_length : 0));
    hf_vec3 hb = hf_rotate(pose_b.rotation, hf_v3(0, 0, b->kind == HF_SHAPE_CAPSULE ? b->half_length : 0));
    hf_vec3 pa = pose_a.position, pb = pose_b.position;
    if (a->kind == HF_SHAPE_SPHERE && b->kind == HF_SHAPE_SPHERE) return hf_distance(pa, pb);
    if (a->kind == HF_SHAPE_SPHERE) return sqrt(point_segment_square(pa, hf_sub(pb, hb), hf_add(pb, hb)));
    if (b->kind == HF_SHAPE_SPHERE) return sqrt(point_segment_square(pb, hf_sub(pa, ha), hf_add(pa, ha)));
    return segment_distance(hf_sub(pa, ha), hf_add(pa, ha), hf_sub(pb, hb), hf_add(pb, hb));
}

static double sphere_box_distance(hf_vec3 centre, hf_vec3 half, hf_transform pose) {
    hf_vec3 p = hf_unapply(pose, centre);
    return hf_length(
        hf_v3(fmax(0, fabs(p.x) - half.x), fmax(0, fabs(p.y) - half.y), fmax(0, fabs(p.z) - half.z)));
}

/* ---- the questions ---- */

static core core_of(const hf_shape* s, hf_transform pose, hf_vec3 origin) {
    core c = {.shape = s, .half_length = s->half_length, .half_size = s->half_size};
    c.rotation = hf_quat_matrix(pose.rotation);
    c.position = hf_sub(pose.position, origin);
    return c;
}

static double distance_between(const core* a, const core* b, double enough) {
    double margins = margin_of(a->shape) + margin_of(b->shape);
    return core_distance(a, b, enough + margins) - margins;
}

double hf_convex_distance(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                          double enough) {
    double margins = margin_of(a) + margin_of(b);
    if (is_round(a) && is_round(b)) return fmax(0, round_distance(a, pose_a, b, pose_b) - margins);
    if (a->kind == HF_SHAPE_SPHERE && b->kind == HF_SHAPE_BOX)
        return fmax(0, sphere_box_distance(pose_a.position, b->half_size, pose_b) - margins);
    if (b->kind == HF_SHAPE_SPHERE && a->kind == HF_SHAPE_BOX)
        return fmax(0, sphere_box_distance(pose_b.position, a->half_size, pose_a) - margins);
    core ca = core_of(a, pose_a, pose_a.position), cb = core_of(b, pose_b, pose_a.position);
    return fmax(0, distance_between(&ca, &cb, enough));
}

double hf_shape_distance(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b) {
    return hf_convex_distance(a, pose_a, b, pose_b, INFINITY);
}

/* Erodes what can be eroded at once (round shapes have it in their margin); false when nothing is left. */
static bool erode(core* c, double e) {
    if (is_round(c->shape)) return c->shape->radius >= e;
    if (c->shape->kind == HF_SHAPE_BOX) {
        c->half_size = hf_sub(c->half_size, hf_v3(e, e, e));
        return c->half_size.x >= 0 && c->half_size.y >= 0 && c->half_size.z >= 0;
    }
    c->erosion = e;
    return c->shape->vertex_count > 0;
}

/* A hull scaled about an inner point by 1 - e / r, r the distance from there to the nearest face, lies
   within the eroded hull. False when the inner point is too near to a face to say. */
static bool scale_down(core* c) {
    const hf_shape* s = c->shape;
    if (s->kind != HF_SHAPE_HULL) return true;
    hf_vec3 sum = hf_v3(0, 0, 0), low = hull_vertex(s, 0), high = low;
    for (int i = 0; i < s->vertex_count; i++) {
        hf_vec3 p = hull_vertex(s, (uint32_t)i);
        sum = hf_add(sum, p);
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    c->centre = hf_scale(sum, 1.0 / s->vertex_count);
    c->low = low, c->high = high;
    double inside = INFINITY;
    for (int i = 0; i < s->face_count; i++) {
        plane p = face_plane(s, i);
        if (hf_dot(p.normal, p.normal) > 0) inside = fmin(inside, p.offset - hf_dot(p.normal, c->centre));
    }
    c->mode = CORE_SCALED;
    c->scale = 1 - c->erosion / inside;
    return inside > c->erosion;
}

static bool exact_erosion(core* c) {
    hf_vec3 p;
    if (c->shape->kind != HF_SHAPE_HULL) return true;
    c->mode = CORE_ERODED;
    return eroded_support(c, hf_v3(1, 0, 0), &p);
}

bool hf_shape_overlap(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                      double depth) {
    HF_ASSERT(!isnan(depth));
    /* A negative depth grows the shapes: they meet when they are that near. */
    if (depth < 0) return hf_shape_distance(a, pose_a, b, pose_b) <= -depth;
    core ca = core_of(a, pose_a, pose_a.position), cb = core_of(b, pose_b, pose_a.position);
    if (!erode(&ca, depth / 2) || !erode(&cb, depth / 2)) return false;
    double allowed = -((is_round(a) ? depth / 2 : 0) + (is_round(b) ? depth / 2 : 0));
    if (is_round(a) && is_round(b))
        return round_distance(a, pose_a, b, pose_b) <= a->radius + b->radius + allowed;

    /* Apart while hulls still have their full size: no. Without hulls, or without erosion: exact. */
    if (distance_between(&ca, &cb, allowed) > allowed) return false;
    if ((a->kind != HF_SHAPE_HULL && b->kind != HF_SHAPE_HULL) || depth == 0) return true;
    /* Meeting while they are smaller than they should be: yes. */
    bool small_a = scale_down(&ca), small_b = scale_down(&cb);
    if (small_a && small_b && distance_between(&ca, &cb, allowed) <= allowed) return true;
    if (!exact_erosion(&ca) || !exact_erosion(&cb)) return false;
    return distance_between(&ca, &cb, allowed) <= allowed;
}
