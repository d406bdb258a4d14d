/* Convex bodies against a placement: overlap beyond an allowance, and distance. */
#include "model/scene.h"

#include "base/assert.h"
#include "geom/convex.h"
#include "model/placement_depth.h"

#include <math.h>

/* A body in the world. */
typedef struct body {
    const hf_shape* shape;
    hf_transform pose;
    hf_mat3 rotation;
    hf_vec3 end;                /* half of a capsule's segment, in the world */
    hf_vec3 local;              /* centre of the shape's box, in its frame */
    hf_vec3 center;             /* the same in the world */
    double half[3];             /* of the shape's box, along its axes */
    hf_vec3 reach;              /* of the world box */
    const hf_ready_body* ready; /* what is known beforehand, NULL for nothing */
} body;

static bool is_round(const hf_shape* s) { return s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE; }

static double larger(double a, double b) { return a > b ? a : b; }

/* A sphere or capsule needs little; this is the way of most queries. */
static void round_body(body* b, const hf_shape* s, hf_transform pose) {
    double l = s->kind == HF_SHAPE_CAPSULE ? s->half_length : 0;
    hf_quat q = pose.rotation;
    b->end = hf_v3(2 * l * (q.x * q.z + q.w * q.y), 2 * l * (q.y * q.z - q.w * q.x),
                   l - 2 * l * (q.x * q.x + q.y * q.y));
    b->center = pose.position;
    b->reach = hf_v3(fabs(b->end.x) + s->radius, fabs(b->end.y) + s->radius, fabs(b->end.z) + s->radius);
}

/* Box of a box or hull, in its own frame. */
static void measure_shape(const hf_shape* s, body* b) {
    hf_vec3 low = hf_neg(s->half_size), high = s->half_size;
    if (s->kind == HF_SHAPE_HULL && s->form)
        low = s->form->low, high = s->form->high;
    else if (s->kind == HF_SHAPE_HULL)
        hf_hull_box(s, &low, &high);
    b->local = hf_scale(hf_add(low, high), 0.5);
    b->half[0] = 0.5 * (high.x - low.x), b->half[1] = 0.5 * (high.y - low.y);
    b->half[2] = 0.5 * (high.z - low.z);
}

/* From the shape's frame to the world. */
static void place_shape(body* b, hf_transform pose) {
    b->pose = pose;
    b->rotation = hf_quat_matrix(pose.rotation);
    b->center = hf_add(pose.position, hf_mat3_mul(&b->rotation, b->local));
    const double *m = b->rotation.m, *h = b->half;
    b->reach = hf_v3(fabs(m[0]) * h[0] + fabs(m[1]) * h[1] + fabs(m[2]) * h[2],
                     fabs(m[3]) * h[0] + fabs(m[4]) * h[1] + fabs(m[5]) * h[2],
                     fabs(m[6]) * h[0] + fabs(m[7]) * h[1] + fabs(m[8]) * h[2]);
}

static void body_fill(body* b, const hf_shape* s, hf_transform pose) {
    b->shape = s, b->pose = pose, b->ready = NULL;
    if (is_round(s)) {
        round_body(b, s, pose);
        return;
    }
    measure_shape(s, b);
    place_shape(b, pose);
}

static void body_fill_ready(body* b, const hf_ready_body* ready, hf_transform pose) {
    b->shape = &ready->shape, b->ready = ready, b->local = ready->local;
    for (int k = 0; k < 3; k++) b->half[k] = ready->half[k];
    place_shape(b, pose);
}

/* The body's oriented box in an object's frame, its half sizes less `depth`. */
static hf_tree_body box_in(const body* b, const hf_placed* o, double depth) {
    hf_tree_body t = {.center = hf_into(o, b->center)};
    const double* m = b->rotation.m;
    for (int k = 0; k < 3; k++) {
        t.axis[k] = hf_turn_into(o, hf_v3(m[k], m[3 + k], m[6 + k]));
        t.half[k] = larger(0, b->half[k] - depth);
    }
    return t;
}

/* Pose of an object as seen from the shape: triangles go through it into the shape's frame. */
static hf_triangle into_shape(const hf_triangle* t, const hf_mat3* rotation, hf_vec3 position) {
    hf_triangle r;
    for (int k = 0; k < 3; k++) r.v[k] = hf_add(hf_mat3_mul(rotation, t->v[k]), position);
    return r;
}

typedef struct body_visit {
    const body* b;
    hf_transform object_pose;
    hf_mat3 rotation; /* object's frame to the shape's */
    hf_vec3 position;
    hf_plane_set planes;
    bool filled;
    int triangle;  /* -1: none yet */
    int parting;   /* plane of a ready body that parted it from the last triangle */
    hf_vec3 point; /* in the shape's frame */
    double distance;
    hf_triangle nearest; /* in the object's frame */
} body_visit;

static void visit_start(body_visit* v, const body* b, const hf_placed* o) {
    v->parting = 0;
    v->b = b, v->filled = false, v->triangle = -1, v->object_pose = o->pose;
    hf_transform t = hf_compose(hf_inverse(b->pose), o->pose);
    v->rotation = hf_quat_matrix(t.rotation);
    v->position = t.position;
}

/* The planes decide; what comes as near as the inner ball meets them in any case. */
static bool meets_planes(const hf_triangle* local, const hf_ready_body* ready, const hf_plane_set* planes,
                         hf_vec3* point) {
    if (!ready) return hf_triangle_meets_planes(local, planes, point);
    if (hf_triangle_point(local, ready->middle, point) < ready->ball * ready->ball) return true;
    return hf_triangle_meets_planes(local, &ready->planes, point);
}

/* Surely more than what rounding adds to the distance from a plane, m. */
static const double BEYOND_M = 1e-9;

/* Does a plane of a ready body part the body from the triangle? A set without planes parts nothing. */
static bool is_parted(const hf_ready_body* ready, int plane, const hf_triangle* t) {
    if (plane >= ready->planes.count) return false;
    hf_plane p = hf_plane_of(&ready->planes, plane);
    for (int k = 0; k < 3; k++)
        if (hf_dot(p.normal, t->v[k]) <= p.offset + BEYOND_M) return false;
    return true;
}

/* The plane of a ready body that parts it from a triangle; the first where there is none. */
static int parting_plane(const hf_ready_body* ready, const hf_triangle* t) {
    for (int i = 0; i < ready->planes.count; i++)
        if (is_parted(ready, i, t)) return i;
    return 0;
}

/* Ends at the first triangle that meets the shrunk shape. What parts a body from one triangle of a surface
   parts it from most of the others. */
static bool visit_overlap(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)bound;
    body_visit* v = user;
    const hf_ready_body* ready = v->b->ready;
    if (!ready && !v->filled) hf_plane_set_fill(&v->planes, v->b->shape, v->distance), v->filled = true;
    hf_triangle local = into_shape(t, &v->rotation, v->position);
    if (ready && is_parted(ready, v->parting, &local)) return true;
    if (!meets_planes(&local, ready, &v->planes, &v->point)) {
        if (ready) v->parting = parting_plane(ready, &local);
        return true;
    }
    v->triangle = (int)id;
    return false;
}

/* Does the body meet a surface of this object deeper than allowed? */
static int surface_overlap(const hf_placement* p, int object, const body* b, double depth, hf_vec3* point) {
    const hf_placed* o = &p->objects[object];
    const hf_object* scene = &p->scene->objects[object];
    if (is_round(b->shape)) {
        hf_vec3 c = hf_into(o, b->center), e = hf_turn_into(o, b->end), on_segment;
        hf_vec3 from = hf_sub(c, e), to = hf_add(c, e);
        uint32_t id = p->kernel->capsule(scene->tree, from, to, b->shape->radius - depth);
        if (id == HF_TREE_NONE) return -1;
        if (point) {
            hf_triangle t = hf_triangle_of(&scene->mesh, (int)id);
            hf_triangle_segment(&t, from, to, point, &on_segment);
        }
        return (int)id;
    }
    for (int k = 0; k < 3; k++)
        if (b->half[k] - depth < 0) return -1; // nothing of the body is left
    body_visit v;
    visit_start(&v, b, o);
    v.distance = depth;
    hf_tree_body box = box_in(b, o, depth);
    p->kernel->body(scene->tree, &box, 0, visit_overlap, &v);
    if (v.triangle >= 0 && point) *point = hf_into(o, hf_apply(b->pose, v.point));
    return v.triangle;
}

static hf_vec3 middle_of(const body* b);

/* What the walk of a box or hull through the triangles finds. */
typedef struct depth_visit {
    body_visit full;
    hf_plane_set shrunk;
    bool hollow;     /* nothing is left of the body less the depth */
    bool shrunk_set; /* the planes are filled */
} depth_visit;

/* A triangle that meets the body less the depth is deep enough whatever the others are: the body holds a ball
   of that radius about the point. Ends there; else it keeps the first that meets the body at all. */
static bool visit_depth(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)bound;
    depth_visit* d = user;
    body_visit* v = &d->full;
    if (!v->filled) hf_plane_set_fill(&v->planes, v->b->shape, 0), v->filled = true;
    hf_triangle local = into_shape(t, &v->rotation, v->position);
    hf_vec3 point;
    if (!hf_triangle_meets_planes(&local, &v->planes, &point)) return true;
    if (v->triangle < 0) v->triangle = (int)id, v->point = point;
    if (d->hollow) return true;
    if (!d->shrunk_set) hf_plane_set_fill(&d->shrunk, v->b->shape, v->distance), d->shrunk_set = true;
    if (!hf_triangle_meets_planes(&local, &d->shrunk, &point)) return true;
    v->triangle = (int)id, v->point = point;
    return false;
}

/* Is a box or hull deeper in the surfaces of this object than allowed? */
static int depth_overlap(const hf_placement* p, int object, const body* b, double depth, hf_vec3* point) {
    const hf_placed* o = &p->objects[object];
    depth_visit d;
    body_visit* v = &d.full;
    visit_start(v, b, o);
    v->distance = depth, d.hollow = d.shrunk_set = false;
    for (int k = 0; k < 3; k++) d.hollow |= b->half[k] < depth;
    hf_tree_body box = box_in(b, o, 0);
    bool deep = !p->kernel->body(p->scene->objects[object].tree, &box, 0, visit_depth, &d);
    if (v->triangle < 0) return -1;
    if (!deep) {
        hf_sunk_body sunk = {.shape = b->shape, .box = box, .planes = &v->planes, .into = v->rotation};
        sunk.pose = hf_compose(hf_inverse(o->pose), b->pose);
        sunk.origin = v->position, sunk.middle = hf_into(o, middle_of(b));
        if (hf_sunk_body_escapes(p, object, &sunk, depth)) return -1;
    }
    if (point) *point = hf_into(o, hf_apply(b->pose, v->point));
    return v->triangle;
}

/* A face of a box or hull as triangle; a box has twelve. */
static hf_triangle shape_face(const hf_shape* s, int face) {
    hf_triangle t;
    for (int c = 0; c < 3; c++) {
        if (s->kind == HF_SHAPE_HULL) {
            const float* v = s->vertices + 3 * (size_t)s->faces[3 * face + c];
            t.v[c] = hf_v3((double)v[0], (double)v[1], (double)v[2]);
            continue;
        }
        // a side, and one of its two halves
        static const signed char corner[2][3][2] = {{{-1, -1}, {1, -1}, {1, 1}}, {{-1, -1}, {1, 1}, {-1, 1}}};
        int axis = face / 4, sign = face % 4 / 2 ? -1 : 1;
        double h[3] = {s->half_size.x, s->half_size.y, s->half_size.z}, x[3];
        x[axis] = sign * h[axis];
        x[(axis + 1) % 3] = corner[face % 2][c][0] * h[(axis + 1) % 3];
        x[(axis + 2) % 3] = corner[face % 2][c][1] * h[(axis + 2) % 3];
        t.v[c] = hf_v3(x[0], x[1], x[2]);
    }
    return t;
}

/* The middle of a body's matter, in the world. */
static hf_vec3 middle_of(const body* b) {
    if (b->shape->kind != HF_SHAPE_HULL) return b->center;
    const struct hf_hull_form* form = b->shape->form;
    hf_vec3 middle = b->ready ? b->ready->middle : form ? form->middle : hf_hull_middle(b->shape, b->local);
    return hf_add(b->pose.position, hf_mat3_mul(&b->rotation, middle));
}

void hf_ready_body_fill(hf_ready_body* ready, const hf_shape* shape, double depth) {
    HF_ASSERT(!is_round(shape));
    body b;
    measure_shape(shape, &b);
    ready->shape = *shape, ready->depth = depth, ready->local = b.local;
    ready->middle = shape->kind == HF_SHAPE_HULL ? hf_hull_middle(shape, b.local) : b.local;
    for (int k = 0; k < 3; k++) ready->half[k] = b.half[k];
    hf_plane_set_fill(&ready->planes, &ready->shape, depth);
    // only the planes of the buffer are there to look at
    bool all = ready->planes.count <= HF_PLANE_BUFFER;
    ready->ball = all ? INFINITY : 0;
    for (int i = 0; i < ready->planes.count && all; i++) {
        hf_plane p = hf_plane_of(&ready->planes, i);
        ready->ball = fmin(ready->ball, p.offset - hf_dot(p.normal, ready->middle));
    }
    ready->ball = larger(0, ready->ball);
}

/* Half sizes of the shrunk body's box along the object's axes; none where nothing is left of the body, which
   then counts by its middle alone, as a hull always does. */
static hf_vec3 shrunk_half(const body* b, const hf_placed* o, double depth) {
    hf_vec3 r = hf_v3(0, 0, 0);
    if (is_round(b->shape)) {
        hf_vec3 e = hf_turn_into(o, b->end);
        double radius = b->shape->radius - depth;
        return radius < 0 ? r : hf_v3(fabs(e.x) + radius, fabs(e.y) + radius, fabs(e.z) + radius);
    }
    for (int k = 0; k < 3; k++)
        if (b->shape->kind != HF_SHAPE_BOX || b->half[k] < depth) return r;
    hf_tree_body t = box_in(b, o, depth);
    for (int k = 0; k < 3; k++)
        r = hf_add(r, hf_scale(hf_v3(fabs(t.axis[k].x), fabs(t.axis[k].y), fabs(t.axis[k].z)), t.half[k]));
    return r;
}

/* No surface meets the shrunk body: is it inside solid matter? */
static bool wholly_inside(const hf_placement* p, int object, const body* b, double depth) {
    const hf_placed* o = &p->objects[object];
    const hf_object* scene = &p->scene->objects[object];
    if (!scene->solids.count) return false;
    hf_vec3 c = hf_into(o, middle_of(b)), r = shrunk_half(b, o, depth);
    return hf_solids_hold(scene, p->kernel, c, hf_sub(c, r), hf_add(c, r));
}

/* The nearest to a segment of what was visited; ties go to the lowest triangle. */
typedef struct segment_visit {
    hf_vec3 from, to;
    int triangle;
    double distance;
    hf_vec3 point;
} segment_visit;

static bool visit_segment(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    segment_visit* v = user;
    hf_vec3 point;
    double d = sqrt(hf_triangle_segment(t, v->from, v->to, &point, NULL));
    if (d > *bound || (v->triangle >= 0 && d == v->distance && (int)id > v->triangle)) return true;
    v->distance = d, v->triangle = (int)id, v->point = point;
    *bound = d;
    return true;
}

/* The hit of a body inside solid matter is the surface nearest to its middle. */
static void fill_inside_hit(const hf_placement* p, int object, const body* b, hf_surface* hit) {
    hf_vec3 point = hf_into(&p->objects[object], middle_of(b));
    segment_visit v = {.from = point, .to = point, .triangle = -1};
    p->kernel->near(p->scene->objects[object].tree, point, point, INFINITY, visit_segment, &v);
    if (v.triangle >= 0) hf_surface_fill(p, object, v.triangle, v.point, 0, hit);
}

static double depth_in(int object, double depth, const hf_object_depth* objects, int count) {
    for (int i = 0; i < count; i++)
        if (objects[i].object == object) return objects[i].depth;
    return depth;
}

static bool overlap(const hf_placement* placement, const hf_shape* shape, hf_transform pose, double depth,
                    const hf_object_depth* objects, int count, bool solids, hf_surface* hit, hf_met* met) {
    if (shape->kind == HF_SHAPE_HULL && shape->vertex_count == 0) return false;
    body b;
    body_fill(&b, shape, pose);
    hf_upper_meet walk;
    // a negative allowance asks for free space around the body
    double extra = larger(0, -depth);
    for (int i = 0; i < count; i++) extra = larger(extra, -objects[i].depth);
    hf_vec3 reach = hf_add(b.reach, hf_v3(extra, extra, extra));
    hf_upper_meet_start(&walk, placement, b.center, reach);
    for (int i; (i = hf_upper_meet_next(&walk)) >= 0;) {
        double allowed = depth_in(i, depth, objects, count);
        if (isinf(allowed)) continue;
        hf_vec3 point;
        bool by_way_out = solids && allowed > 0 && !is_round(shape);
        int triangle =
            (by_way_out ? depth_overlap : surface_overlap)(placement, i, &b, allowed, hit ? &point : NULL);
        if (triangle >= 0) {
            if (hit) hf_surface_fill(placement, i, triangle, point, 0, hit);
            if (met) *met = (hf_met){i, triangle};
            return true;
        }
        if (solids && wholly_inside(placement, i, &b, allowed)) {
            if (hit) fill_inside_hit(placement, i, &b, hit);
            return true;
        }
    }
    return false;
}

bool hf_placement_overlap_by(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                             double depth, const hf_object_depth* objects, int count, hf_surface* hit) {
    return overlap(placement, shape, pose, depth, objects, count, true, hit, NULL);
}

bool hf_placement_meets_by(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                           double depth, const hf_object_depth* objects, int count, hf_met* met) {
    return overlap(placement, shape, pose, depth, objects, count, false, NULL, met);
}

bool hf_placement_overlap(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                          const hf_allowance* allowance, hf_surface* hit) {
    HF_ASSERT(placement && shape && allowance);
    hf_object_depth touched = {allowance->touched_object, allowance->touched_depth};
    return hf_placement_overlap_by(placement, shape, pose, allowance->depth, &touched, 1, hit);
}

bool hf_placement_overlap_ready(const hf_placement* placement, const hf_ready_body* ready,
                                hf_transform pose) {
    body b;
    body_fill_ready(&b, ready, pose);
    hf_upper_meet walk;
    hf_upper_meet_start(&walk, placement, b.center, b.reach);
    for (int i; (i = hf_upper_meet_next(&walk)) >= 0;)
        if (surface_overlap(placement, i, &b, ready->depth, NULL) >= 0 ||
            wholly_inside(placement, i, &b, ready->depth))
            return true;
    return false;
}

/* Does this one triangle meet the body? */
static bool triangle_overlap(const hf_placement* p, const body* b, hf_met met) {
    hf_transform t = hf_compose(hf_inverse(b->pose), p->objects[met.object].pose);
    hf_mat3 rotation = hf_quat_matrix(t.rotation);
    hf_triangle triangle = hf_triangle_of(&p->scene->objects[met.object].mesh, met.triangle);
    hf_triangle local = into_shape(&triangle, &rotation, t.position);
    hf_vec3 point;
    return meets_planes(&local, b->ready, &b->ready->planes, &point);
}

bool hf_placement_reach_ready(const hf_placement* placement, const hf_ready_body* ready, hf_transform pose,
                              hf_met* met) {
    body b;
    body_fill_ready(&b, ready, pose);
    if (met->object >= 0 && triangle_overlap(placement, &b, *met)) return true;
    hf_upper_meet walk;
    hf_upper_meet_start(&walk, placement, b.center, b.reach);
    for (int i; (i = hf_upper_meet_next(&walk)) >= 0;) {
        const hf_object* object = &placement->scene->objects[i];
        if (!object->contact || object->movable) continue;
        int triangle = surface_overlap(placement, i, &b, ready->depth, NULL);
        if (triangle < 0) continue;
        *met = (hf_met){i, triangle};
        return true;
    }
    return false;
}

/* Distance by GJK, the triangle taken for a hull of three corners. */
static bool visit_distance(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    body_visit* v = user;
    float corners[9]; // they were floats before
    hf_shape flat = hf_triangle_shape(t, corners);
    double d = hf_convex_distance(v->b->shape, v->b->pose, &flat, v->object_pose, *bound);
    if (d > *bound || (v->triangle >= 0 && d == v->distance && (int)id > v->triangle)) return true;
    v->distance = d, v->triangle = (int)id, v->nearest = *t;
    *bound = d;
    return d > 0; // the first that meets the shape will do
}

/* The triangle's point nearest to the shape, in the shape's frame, where the distance is known: in the shape,
   or nearest to one of its faces. */
static hf_vec3 witness(body_visit* v) {
    const hf_shape* shape = v->b->shape;
    hf_triangle t = into_shape(&v->nearest, &v->rotation, v->position);
    hf_vec3 point = t.v[0], here;
    if (v->distance <= 0) {
        hf_plane_set_fill(&v->planes, shape, 0);
        if (hf_triangle_meets_planes(&t, &v->planes, &point)) return point;
    }
    int faces = shape->kind == HF_SHAPE_BOX ? 12 : shape->face_count;
    double best = INFINITY;
    for (int f = 0; f < faces; f++) {
        hf_triangle face = shape_face(shape, f);
        hf_vec3 middle = hf_scale(hf_add(face.v[0], hf_add(face.v[1], face.v[2])), 1.0 / 3);
        double size = 0;
        for (int k = 0; k < 3; k++) size = larger(size, hf_distance(middle, face.v[k]));
        // most faces are too far to be it
        if (sqrt(hf_triangle_point(&t, middle, NULL)) - size > sqrt(best)) continue;
        double square = hf_triangle_triangle(&t, &face, &here, NULL);
        if (square < best) best = square, point = here;
        if (sqrt(best) <= v->distance + 1e-12) break;
    }
    return point;
}

bool hf_placement_distance(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                           double max_distance, hf_surface* out) {
    HF_ASSERT(placement && shape);
    if (shape->kind == HF_SHAPE_HULL && shape->vertex_count == 0) return false;
    body b;
    body_fill(&b, shape, pose);
    double margin = is_round(shape) ? shape->radius : 0;
    hf_upper_walk walk;
    hf_upper_box(&walk, placement, hf_sub(b.center, b.reach), hf_add(b.center, b.reach));
    double best = max_distance;
    int where = -1, triangle = -1;
    hf_vec3 local = {0, 0, 0};
    for (int i; (i = hf_upper_next(&walk, best)) >= 0;) {
        const hf_placed* o = &placement->objects[i];
        const hf_tree* tree = placement->scene->objects[i].tree;
        if (is_round(shape)) {
            hf_vec3 c = hf_into(o, b.center), e = hf_turn_into(o, b.end);
            segment_visit v = {.from = hf_sub(c, e), .to = hf_add(c, e), .triangle = -1};
            placement->kernel->near(tree, v.from, v.to, best + margin, visit_segment, &v);
            if (v.triangle < 0) continue;
            best = fmax(0, v.distance - margin), where = i, triangle = v.triangle, local = v.point;
        } else {
            body_visit v;
            visit_start(&v, &b, o);
            hf_tree_body box = box_in(&b, o, 0);
            placement->kernel->body(tree, &box, best, visit_distance, &v);
            if (v.triangle < 0) continue;
            best = v.distance, where = i, triangle = v.triangle;
            if (out) local = hf_into(o, hf_apply(pose, witness(&v)));
        }
    }
    if (where >= 0 && out) hf_surface_fill(placement, where, triangle, local, best, out);
    return where >= 0;
}
