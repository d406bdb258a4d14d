/* The depth of a convex body in a piece of an object is the length of the least translation after which they
   no longer meet. For a convex piece that is the exact penetration depth; for one that is not convex, and for
   an open surface, it is the way to the free space nearest by.

   A body that meets a surface is tried at the end of a translation as long as allowed, along the normals of
   the triangles it meets and of its own faces. Where a trial does not free the body, the body goes further
   along it until it is free, and the direction of the nearest triangle from there is the next one: over a
   convex piece that turn never makes the way out longer (the descent of geom/convex.c). In an inner corner
   the body must leave several faces at once: the least translation in front of all the planes that it meets
   is tried first (Hildreth 1957). */
#include "model/placement_depth.h"

#include "geom/convex.h"

#include <math.h>

/* Directions to start from; further ones that the triangles have are left out. */
enum { MAX_STARTS = 24 };
/* Turns of a descent from one start. */
enum { MAX_TURNS = 8 };
/* Two directions are the same when the cosine of their angle is larger; a way out grows by less than 1 % by
   it. */
static const double SAME = 0.99;
/* A descent is at rest when it turns less than this cosine says. */
static const double REST = 0.99999;
/* How far a descent goes to find the body free, in allowed depths: nearest first. */
static const double BEYOND[] = {1.2, 2, 4};
enum { BEYONDS = 3 };

/* Planes of an inner corner, rounds over them (they are mostly at right angles), and how much farther than to
   a plane the body goes, m: triangles are floats. */
enum { CORNER_PLANES = 4, CORNER_ROUNDS = 30 };
static const double PAST_M = 1e-6;

typedef struct starts {
    int count;
    hf_vec3 d[MAX_STARTS];
    double offset[MAX_STARTS]; /* of the foremost plane with this normal: d . x */
} starts;

/* A body moved by `shift`, against one piece. */
typedef struct trial {
    const hf_placement* placement;
    const hf_object* object;
    const hf_sunk_body* body;
    int piece;
    hf_vec3 shift;
    bool met;
    int next;       /* the lowest piece above `piece` that is met; INT32_MAX for none */
    starts* starts; /* of the triangles met, NULL: the first that is met ends the walk */
    double nearest;
    hf_vec3 way; /* from the nearest triangle to the body */
} trial;

static void add_start(starts* s, hf_vec3 d, double offset) {
    if (!(hf_dot(d, d) > 0)) return;
    for (int i = 0; i < s->count; i++)
        if (hf_dot(s->d[i], d) > SAME) {
            s->offset[i] = fmax(s->offset[i], offset);
            return;
        }
    if (s->count < MAX_STARTS) s->d[s->count] = d, s->offset[s->count++] = offset;
}

static bool meets(const trial* t, const hf_triangle* triangle) {
    const hf_sunk_body* b = t->body;
    hf_triangle local;
    hf_vec3 point;
    for (int k = 0; k < 3; k++)
        local.v[k] = hf_add(hf_mat3_mul(&b->into, hf_sub(triangle->v[k], t->shift)), b->origin);
    return hf_triangle_meets_planes(&local, b->planes, &point);
}

/* The side of a triangle to which the body may go: its front, or of an open surface where the body's middle
   is. */
static hf_vec3 free_side(const trial* t, const hf_triangle* triangle) {
    hf_vec3 n = hf_triangle_normal(triangle);
    if (t->object->pieces.solidity[t->piece] != 0) return n;
    return hf_dot(n, hf_sub(t->body->middle, triangle->v[0])) < 0 ? hf_neg(n) : n;
}

static bool visit_meets(void* user, const hf_triangle* triangle, uint32_t id, double* bound) {
    (void)bound;
    trial* t = user;
    if (t->object->pieces.of[id] != t->piece || !meets(t, triangle)) return true;
    t->met = true;
    if (!t->starts) return false;
    hf_vec3 side = free_side(t, triangle);
    add_start(t->starts, side, hf_dot(side, triangle->v[0]));
    return true;
}

static bool visit_pieces(void* user, const hf_triangle* triangle, uint32_t id, double* bound) {
    (void)bound;
    trial* t = user;
    int piece = t->object->pieces.of[id];
    if (piece > t->piece && piece < t->next && meets(t, triangle)) t->next = piece;
    return true;
}

static bool visit_way(void* user, const hf_triangle* triangle, uint32_t id, double* bound) {
    trial* t = user;
    if (t->object->pieces.of[id] != t->piece) return true;
    float corners[9]; // they were floats before
    hf_shape flat = hf_triangle_shape(triangle, corners);
    hf_transform pose = t->body->pose;
    pose.position = hf_add(pose.position, t->shift);
    hf_vec3 way;
    double d = hf_convex_way(t->body->shape, pose, &flat, hf_transform_identity(), *bound, &way);
    if (d < t->nearest) t->nearest = d, t->way = way, *bound = d;
    return true;
}

static void walk(trial* t, double bound, hf_tree_visit visit) {
    hf_tree_body box = t->body->box;
    box.center = hf_add(box.center, t->shift);
    t->placement->kernel->body(t->object->tree, &box, bound, visit, t);
}

/* Is the body free once it has moved so? */
static bool frees(trial* t, hf_vec3 shift) {
    t->shift = shift, t->met = false, t->starts = NULL;
    walk(t, 0, visit_meets);
    if (t->met) return false;
    hf_vec3 middle = hf_add(t->body->middle, shift);
    return !hf_solids_hold(t->object, t->placement->kernel, middle, middle, middle);
}

/* Planes in front of which the body must come, and how far along each. */
typedef struct corner {
    int count;
    hf_vec3 d[CORNER_PLANES];
    double need[CORNER_PLANES];
} corner;

/* The least translation that brings the body in front of all planes. */
static hf_vec3 before_all(const corner* c) {
    double share[CORNER_PLANES] = {0};
    hf_vec3 t = hf_v3(0, 0, 0);
    for (int k = 0; k < CORNER_ROUNDS; k++)
        for (int i = 0; i < c->count; i++) {
            double more = fmax(-share[i], c->need[i] - hf_dot(c->d[i], t));
            share[i] += more;
            t = hf_add(t, hf_scale(c->d[i], more));
        }
    return t;
}

/* From where the body is free along d: the direction to it from what is nearest, and how far the body must go
   along that to be in front. False when there is none, or it is d. */
static bool turn(trial* t, double depth, hf_vec3* d, double* need) {
    int i = 0;
    while (i < BEYONDS && !frees(t, hf_scale(*d, BEYOND[i] * depth))) i++;
    if (i == BEYONDS) return false;
    t->nearest = INFINITY;
    walk(t, 2 * BEYOND[i] * depth, visit_way);
    if (!(t->nearest < INFINITY) || !(t->nearest > 0)) return false;
    hf_vec3 turned = hf_normalize(t->way);
    bool rests = hf_dot(turned, *d) > REST;
    *d = turned, *need = hf_dot(turned, t->shift) - t->nearest + PAST_M;
    return !rests;
}

/* What a turn turns to may be one of two faces of an inner corner: both together are tried as well. */
static bool escapes_along(trial* t, double depth, hf_vec3 d) {
    corner c = {.count = 2};
    for (int i = 0; i < MAX_TURNS; i++) {
        if (frees(t, hf_scale(d, depth))) return true;
        if (!turn(t, depth, &d, &c.need[i % 2])) return false;
        c.d[i % 2] = d;
        hf_vec3 out = before_all(&c);
        if (i > 0 && hf_length(out) <= depth && frees(t, out)) return true;
    }
    return false;
}

/* Normals of the body's faces, inwards. */
static void add_faces(starts* s, const hf_sunk_body* b) {
    int count = b->planes->count < HF_PLANE_BUFFER ? b->planes->count : HF_PLANE_BUFFER;
    for (int i = 0; i < count; i++)
        add_start(s, hf_neg(hf_rotate(b->pose.rotation, hf_plane_of(b->planes, i).normal)), 0);
}

/* The least d . x of the body. */
static double rearmost(const hf_sunk_body* b, hf_vec3 d) {
    const hf_shape* s = b->shape;
    hf_vec3 l = hf_mat3_mul(&b->into, d), h = s->half_size;
    double least = s->kind == HF_SHAPE_BOX ? -fabs(l.x) * h.x - fabs(l.y) * h.y - fabs(l.z) * h.z : INFINITY;
    for (int i = 0; i < s->vertex_count && s->kind == HF_SHAPE_HULL; i++) {
        const float* v = s->vertices + 3 * (size_t)i;
        least = fmin(least, l.x * (double)v[0] + l.y * (double)v[1] + l.z * (double)v[2]);
    }
    return least + hf_dot(d, b->pose.position);
}

/* Of the planes that the body meets after `shift`, adds the one that it is soonest in front of. */
static bool add_soonest(trial* t, hf_vec3 shift, corner* c) {
    starts s = {.count = 0};
    t->starts = &s, t->shift = shift;
    walk(t, 0, visit_meets);
    double least = INFINITY;
    for (int i = 0; i < s.count; i++) {
        double need = s.offset[i] - rearmost(t->body, s.d[i]) + PAST_M;
        if (need < least) least = need, c->d[c->count] = s.d[i], c->need[c->count] = need;
    }
    c->count += s.count > 0;
    return s.count > 0;
}

static bool escapes_corner(trial* t, double depth) {
    corner c = {.count = 0};
    hf_vec3 out = hf_v3(0, 0, 0);
    while (c.count < CORNER_PLANES && add_soonest(t, out, &c)) {
        out = before_all(&c);
        if (hf_length(out) > depth) return false;
        if (frees(t, out)) return true;
    }
    return false;
}

static bool escapes_piece(trial* t, double depth) {
    if (escapes_corner(t, depth)) return true;
    starts s = {.count = 0};
    t->starts = &s, t->shift = hf_v3(0, 0, 0);
    walk(t, 0, visit_meets);
    add_faces(&s, t->body);
    for (int i = 0; i < s.count; i++)
        if (escapes_along(t, depth, s.d[i])) return true;
    return false;
}

/* The next piece that the body meets; false after the last. */
static bool next_piece(trial* t) {
    t->next = INT32_MAX, t->shift = hf_v3(0, 0, 0);
    walk(t, 0, visit_pieces);
    t->piece = t->next;
    return t->piece < INT32_MAX;
}

bool hf_sunk_body_escapes(const hf_placement* placement, int object, const hf_sunk_body* body, double depth) {
    trial t = {.placement = placement, .object = &placement->scene->objects[object], .body = body};
    t.piece = -1;
    while (next_piece(&t))
        if (!escapes_piece(&t, depth)) return false;
    return true;
}
