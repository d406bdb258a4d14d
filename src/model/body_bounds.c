/* Balls around collision bodies, and how thick bodies are. */
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/tolerance.h"

static hf_vec3 vertex_of(const hf_shape* s, int i) { return hf_vertex(s->vertices, (size_t)i); }

/* Around the middle of the hull's bounds. */
static void bound_hull(const hf_shape* s, hf_vec3* centre, double* radius) {
    hf_vec3 low = hf_v3(INFINITY, INFINITY, INFINITY), high = hf_neg(low);
    for (int i = 0; i < s->vertex_count; i++) {
        hf_vec3 p = vertex_of(s, i);
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    if (s->vertex_count == 0) return;
    *centre = hf_lerp(low, high, 0.5);
    for (int i = 0; i < s->vertex_count; i++) *radius = fmax(*radius, hf_distance(*centre, vertex_of(s, i)));
}

/* A hull is as thick as the shift is long that parts it from itself. */
static double hull_thickness(const hf_shape* s) {
    hf_transform here = hf_transform_identity();
    double low = 0, high = HF_THICK_M;
    if (s->vertex_count == 0 || hf_shape_overlap(s, here, s, here, high)) return high;
    while (high - low > HF_THICK_M / 1000) {
        double middle = (low + high) / 2;
        *(hf_shape_overlap(s, here, s, here, middle) ? &low : &high) = middle;
    }
    return low;
}

static double thickness_of(const hf_shape* s) {
    if (s->kind == HF_SHAPE_HULL) return hull_thickness(s);
    if (s->kind == HF_SHAPE_BOX) return 2 * fmin(s->half_size.x, fmin(s->half_size.y, s->half_size.z));
    return 2 * s->radius;
}

static hf_body_bound bound_of(const hf_body* body) {
    const hf_shape* s = &body->shape;
    hf_vec3 centre = hf_v3(0, 0, 0);
    double radius = 0;
    switch (s->kind) {
    case HF_SHAPE_SPHERE:
        radius = s->radius;
        break;
    case HF_SHAPE_CAPSULE:
        radius = s->radius + s->half_length;
        break;
    case HF_SHAPE_BOX:
        radius = hf_length(s->half_size);
        break;
    case HF_SHAPE_HULL:
        bound_hull(s, &centre, &radius);
        break;
    }
    centre = hf_apply(body->in_link, centre);
    hf_body_bound b = {centre, radius, hf_length(centre) + radius, fmin(HF_THICK_M, thickness_of(s))};
    return b;
}

hf_status hf_body_bounds_build(hf_creature* creature) {
    int count = creature->view.body_count;
    hf_body_bound* bounds = hf_arena_alloc(&creature->arena, (size_t)count, sizeof *bounds);
    if (!bounds) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) bounds[i] = bound_of(&creature->view.bodies[i]);
    creature->bounds = bounds;
    return HF_OK;
}
