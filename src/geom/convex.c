/* Distance and overlap of two convex shapes. Spheres and capsules among themselves in closed form; the rest
   by GJK (Gilbert, Johnson and Keerthi 1988) between the shapes' cores: a sphere is a point and a capsule a
   segment with a margin.

   The depth of two shapes is the length of the least translation that parts them. Along a unit direction d
   the first must move g(d) = max of d over the second - min of d over the first; the depth is the least g. A
   descent over GJK finds it: moved a little further than g(d), the shapes are apart, and the direction
   between their nearest points is the normal of the face of their Minkowski difference under the way d, whose
   g is no larger (Cameron 1997 has the idea). It ends in a local minimum; starts are the faces of both. */
#include "base/assert.h"
#include "geom/convex.h"

#include <float.h>

/* The squared distance is settled when it cannot fall by more than this share. */
static const double GAP = 1e-13;
/* Cores nearer than this share of their coordinates meet: the rounding of one support. */
static const double TOUCH = 4e-15;
/* Supports come from finite sets, so that GJK ends by itself; this ends it whatever the rounding does. */
enum { MAX_ITERATIONS = 200 };
/* A descent comes to rest in a few turns; directions that are kept to start from. */
enum { MAX_TURNS = 16, MAX_STARTS = 4 };
/* How much further than needed a descent moves a shape, as a share: the nearest face is then the one below.
 */
static const double BEYOND = 0.1;
/* A turn that gains a smaller share of the depth is the last. */
static const double GAIN = 1e-4;

/* What GJK sees of a shape. */
typedef struct core {
    const hf_shape* shape;
    double half_length; /* of a capsule */
    hf_vec3 half_size;  /* of a box */
    hf_vec3 centre;     /* a hull's inner point, known when it is scaled */
    double scale;       /* about the centre */
    hf_mat3 rotation;   /* own frame to the common one */
    hf_vec3 position;
} core;

/* ---- faces ---- */

typedef struct plane {
    hf_vec3 normal; /* unit, outwards */
    double offset;  /* inside: normal . x <= offset */
} plane;

static hf_vec3 hull_vertex(const hf_shape* s, uint32_t i) { return hf_vertex(s->vertices, (size_t)i); }

/* A degenerate face has no plane: the zero normal with offset 0 holds everywhere. */
static plane face_plane(const hf_shape* s, int face) {
    const uint32_t* f = s->faces + 3 * (size_t)face;
    hf_vec3 a = hull_vertex(s, f[0]);
    hf_vec3 n = hf_normalize(hf_cross(hf_sub(hull_vertex(s, f[1]), a), hf_sub(hull_vertex(s, f[2]), a)));
    plane p = {n, hf_dot(n, a)};
    return p;
}

static int face_count(const hf_shape* s) {
    return s->kind == HF_SHAPE_BOX ? 6 : s->kind == HF_SHAPE_HULL ? s->face_count : 0;
}

/* Outward normal of a face in the shape's frame; zero where a hull's face is degenerate. */
static hf_vec3 face_normal(const hf_shape* s, int face) {
    if (s->kind == HF_SHAPE_HULL) return face_plane(s, face).normal;
    double sign = face % 2 ? -1 : 1;
    return hf_v3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
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
        p = hull_support(c->shape, d);
        return c->scale < 1 ? hf_lerp(c->centre, p, c->scale) : p;
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
   to be further apart than that. `way` (may be NULL) gets the way from the second to the first. */
static double core_distance(const core* a, const core* b, double enough, hf_vec3* way) {
    hf_vec3 v = hf_sub(a->position, b->position);
    if (hf_dot(v, v) == 0) v = hf_v3(1, 0, 0);
    simplex s = {.count = 0};
    nearest best;
    double known = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        hf_vec3 pa = core_support(a, hf_neg(v)), pb = core_support(b, v), w = hf_sub(pa, pb);
        double along = hf_dot(v, w), length = hf_length(v);
        /* The plane through w normal to v separates the cores by at least this. */
        if (way) *way = v;
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
    if (way) *way = v;
    return sqrt(known);
}

/* ---- closed forms ---- */

/* Not fmin and fmax, which are calls. */
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* Squared distance of p from the segment at a along d, whose squared length is `length`. */
static inline double point_way_square(hf_vec3 p, hf_vec3 a, hf_vec3 d, double length) {
    double t = length > 0 ? hf_dot(hf_sub(p, a), d) / length : 0;
    t = smaller(t, 1);
    hf_vec3 r = hf_sub(p, hf_add(a, hf_scale(d, t > 0 ? t : 0)));
    return hf_dot(r, r);
}

static double point_segment_square(hf_vec3 p, hf_vec3 a, hf_vec3 b) {
    hf_vec3 d = hf_sub(b, a);
    return point_way_square(p, a, d, hf_dot(d, d));
}

/* An end against the other segment, or both insides: the least of all is right however parallel they are. */
static double segment_distance(hf_vec3 a, hf_vec3 b, hf_vec3 c, hf_vec3 d) {
    hf_vec3 u = hf_sub(b, a), v = hf_sub(d, c), r = hf_sub(c, a), n = hf_cross(u, v);
    double uu = hf_dot(u, u), vv = hf_dot(v, v), square = hf_dot(n, n);
    double best = smaller(smaller(point_way_square(a, c, v, vv), point_way_square(b, c, v, vv)),
                          smaller(point_way_square(c, a, u, uu), point_way_square(d, a, u, uu)));
    if (square > 1e-20 * uu * vv) {
        double s = triple(r, v, n) / square, t = triple(r, u, n) / square;
        if (s > 0 && s < 1 && t > 0 && t < 1) {
            double height = hf_dot(r, n);
            best = smaller(best, height * height / square);
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
    core c = {.shape = s, .half_length = s->half_length, .half_size = s->half_size, .scale = 1};
    c.rotation = hf_quat_matrix(pose.rotation);
    c.position = hf_sub(pose.position, origin);
    return c;
}

static double distance_between(const core* a, const core* b, double enough) {
    double margins = margin_of(a->shape) + margin_of(b->shape);
    return core_distance(a, b, enough + margins, NULL) - margins;
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

double hf_convex_way(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                     double enough, hf_vec3* way) {
    double margins = margin_of(a) + margin_of(b);
    core ca = core_of(a, pose_a, pose_a.position), cb = core_of(b, pose_b, pose_a.position);
    return fmax(0, core_distance(&ca, &cb, enough + margins, way) - margins);
}

/* ---- depth ---- */

/* How far the first core must move along d (unit) until a plane normal to d parts them. */
static double way_out(const core* a, const core* b, hf_vec3 d) {
    return hf_dot(d, hf_sub(core_support(b, d), core_support(a, hf_neg(d))));
}

/* Moves every face of a box or hull inwards by `depth` or more, by scaling it about an inner point; false
   when nothing would be left. Cores that lie no deeper in each other than `depth` are then apart. */
static bool scale_down(core* c, double depth) {
    const hf_shape* s = c->shape;
    double inside = fmin(s->half_size.x, fmin(s->half_size.y, s->half_size.z));
    if (is_round(s)) return false;
    if (s->kind == HF_SHAPE_HULL) {
        hf_vec3 sum = hf_v3(0, 0, 0);
        for (int i = 0; i < s->vertex_count; i++) sum = hf_add(sum, hull_vertex(s, (uint32_t)i));
        c->centre = hf_scale(sum, 1.0 / s->vertex_count);
        inside = INFINITY;
        for (int i = 0; i < s->face_count; i++) {
            plane p = face_plane(s, i);
            if (hf_dot(p.normal, p.normal) > 0) inside = fmin(inside, p.offset - hf_dot(p.normal, c->centre));
        }
    }
    c->scale = 1 - depth / inside;
    c->half_size = hf_scale(c->half_size, c->scale);
    return inside > depth;
}

/* The directions with the shortest ways out, shortest first. */
typedef struct starts {
    int count;
    hf_vec3 d[MAX_STARTS];
    double way[MAX_STARTS];
} starts;

static void offer_start(starts* s, const core* a, const core* b, hf_vec3 d) {
    double length = hf_length(d);
    if (!(length > 0)) return;
    d = hf_scale(d, 1 / length);
    double way = way_out(a, b, d);
    if (s->count == MAX_STARTS && way >= s->way[MAX_STARTS - 1]) return;
    int i = s->count < MAX_STARTS ? s->count++ : MAX_STARTS - 1;
    for (; i > 0 && s->way[i - 1] > way; i--) s->d[i] = s->d[i - 1], s->way[i] = s->way[i - 1];
    s->d[i] = d, s->way[i] = way;
}

static void offer_faces(starts* s, const core* a, const core* b) {
    for (int i = 0; i < face_count(a->shape); i++)
        offer_start(s, a, b, hf_neg(hf_mat3_mul(&a->rotation, face_normal(a->shape, i))));
    for (int i = 0; i < face_count(b->shape); i++)
        offer_start(s, a, b, hf_mat3_mul(&b->rotation, face_normal(b->shape, i)));
}

/* Does the descent from d find a way out that is no longer than `depth`? */
static bool descends(const core* a, const core* b, hf_vec3 d, double way, double depth) {
    for (int i = 0; i < MAX_TURNS && way > depth; i++) {
        core moved = *a;
        moved.position = hf_add(a->position, hf_scale(d, way * (1 + BEYOND)));
        hf_vec3 v;
        if (!(core_distance(&moved, b, INFINITY, &v) > 0)) return false;
        hf_vec3 turned = hf_normalize(v);
        double shorter = way_out(a, b, turned);
        if (!(shorter < way * (1 - GAIN))) return false;
        d = turned, way = shorter;
    }
    return way <= depth;
}

/* Of cores that meet: does no translation as short as `depth` part them? */
static bool cores_deeper(const core* a, const core* b, double depth) {
    starts s = {.count = 0};
    hf_vec3 v = hf_sub(a->position, b->position);
    core small_a = *a, small_b = *b;
    if (scale_down(&small_a, depth)) {
        if (core_distance(&small_a, b, 0, &v) == 0) return true;
    } else if (scale_down(&small_b, depth)) {
        if (core_distance(a, &small_b, 0, &v) == 0) return true;
    }
    offer_start(&s, a, b, v);
    if (s.count && descends(a, b, s.d[0], s.way[0], depth)) return false;
    offer_faces(&s, a, b);
    for (int i = 0; i < s.count; i++)
        if (descends(a, b, s.d[i], s.way[i], depth)) return false;
    return true;
}

bool hf_shape_overlap(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                      double depth) {
    HF_ASSERT(!isnan(depth));
    /* A negative depth grows the shapes: they meet when they are that near. */
    if (depth < 0) return hf_shape_distance(a, pose_a, b, pose_b) <= -depth;
    if ((a->kind == HF_SHAPE_HULL && a->vertex_count == 0) ||
        (b->kind == HF_SHAPE_HULL && b->vertex_count == 0))
        return false;
    double margins = margin_of(a) + margin_of(b);
    if (is_round(a) && is_round(b)) return round_distance(a, pose_a, b, pose_b) <= margins - depth;
    core ca = core_of(a, pose_a, pose_a.position), cb = core_of(b, pose_b, pose_a.position);
    double apart = core_distance(&ca, &cb, margins, NULL);
    /* While the cores are apart their margins alone overlap. */
    if (apart > 0 || depth <= margins) return apart <= margins - depth;
    return cores_deeper(&ca, &cb, depth - margins);
}
