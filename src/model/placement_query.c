/* Points and rays against a placement. */
#include "model/scene.h"

#include "base/assert.h"

#include <math.h>

/* The nearest of what was visited; ties go to the lowest triangle. */
typedef struct nearest_visit {
    hf_vec3 p;
    double distance;
    int triangle; /* -1: none yet */
    hf_vec3 point;
} nearest_visit;

static bool visit_nearest(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    nearest_visit* v = user;
    hf_vec3 point;
    double d = sqrt(hf_triangle_point(t, v->p, &point));
    if (d > *bound || (v->triangle >= 0 && d == v->distance && (int)id > v->triangle)) return true;
    v->distance = d, v->triangle = (int)id, v->point = point;
    *bound = d;
    return true;
}

bool hf_placement_closest(const hf_placement* placement, hf_vec3 point, double max_distance,
                          hf_surface* out) {
    hf_upper_walk walk;
    hf_upper_box(&walk, placement, point, point);
    nearest_visit best = {.triangle = -1, .distance = max_distance};
    int where = -1;
    for (int i; (i = hf_upper_next(&walk, best.distance)) >= 0;) {
        nearest_visit v = {.p = hf_into(&placement->objects[i], point), .triangle = -1};
        placement->kernel->near(placement->scene->objects[i].tree, v.p, v.p, best.distance, visit_nearest,
                                &v);
        if (v.triangle < 0 || (where >= 0 && v.distance == best.distance && i > where)) continue;
        best = v, where = i;
    }
    if (where >= 0 && out) hf_surface_fill(placement, where, best.triangle, best.point, best.distance, out);
    return where >= 0;
}

/* The lowest `capacity` surfaces by (object, triangle), as a heap with the highest on top. */
typedef struct within_visit {
    const hf_placement* placement;
    int object;
    hf_vec3 p;
    hf_surface* out;
    int count, capacity;
} within_visit;

static bool comes_before(const hf_surface* a, const hf_surface* b) {
    return a->object != b->object ? a->object < b->object : a->triangle < b->triangle;
}

static void sink(hf_surface* heap, int count, int i) {
    hf_surface item = heap[i];
    for (int child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && comes_before(&heap[child], &heap[child + 1])) child++;
        if (!comes_before(&item, &heap[child])) break;
        heap[i] = heap[child];
    }
    heap[i] = item;
}

static void rise(hf_surface* heap, int i) {
    hf_surface item = heap[i];
    for (; i > 0 && comes_before(&heap[(i - 1) / 2], &item); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = item;
}

static bool visit_within(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    within_visit* v = user;
    hf_vec3 point;
    double d = sqrt(hf_triangle_point(t, v->p, &point));
    if (d > *bound) return true;
    int held = v->count++;
    if (v->capacity <= 0) return true;
    hf_surface s = {.object = v->object, .triangle = (int)id};
    if (held >= v->capacity && !comes_before(&s, &v->out[0])) return true;
    hf_surface_fill(v->placement, v->object, (int)id, point, d, &s);
    if (held < v->capacity) {
        v->out[held] = s;
        rise(v->out, held);
    } else {
        v->out[0] = s;
        sink(v->out, v->capacity, 0);
    }
    return true;
}

int hf_placement_within(const hf_placement* placement, hf_vec3 point, double distance, hf_surface* out,
                        int capacity) {
    HF_ASSERT(out || capacity <= 0);
    within_visit v = {.placement = placement, .out = out, .capacity = capacity};
    hf_upper_walk walk;
    hf_upper_box(&walk, placement, point, point);
    while ((v.object = hf_upper_next(&walk, distance)) >= 0) {
        v.p = hf_into(&placement->objects[v.object], point);
        placement->kernel->near(placement->scene->objects[v.object].tree, v.p, v.p, distance, visit_within,
                                &v);
    }
    // the heap becomes an ascending list
    for (int n = (v.count < capacity ? v.count : capacity) - 1; n > 0; n--) {
        hf_surface last = out[n];
        out[n] = out[0], out[0] = last;
        sink(out, n, 0);
    }
    return v.count;
}

typedef struct ray_visit {
    hf_vec3 origin, direction;
    double distance;
    int triangle;
    bool any; /* the first found will do */
} ray_visit;

static bool visit_ray(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    ray_visit* v = user;
    double d;
    if (!hf_triangle_ray(t, v->origin, v->direction, *bound, &d)) return true;
    if (v->triangle >= 0 && d == v->distance && (int)id > v->triangle) return true;
    v->distance = d, v->triangle = (int)id;
    *bound = d;
    return !v->any;
}

/* First hit of a ray, or any; the object it is on, or -1. */
static int cast(const hf_placement* placement, hf_vec3 origin, hf_vec3 direction, double max_distance,
                bool any, ray_visit* best) {
    hf_upper_walk walk;
    hf_upper_ray(&walk, placement, origin, direction);
    *best = (ray_visit){.distance = max_distance, .triangle = -1};
    int where = -1;
    for (int i; (i = hf_upper_next(&walk, best->distance)) >= 0;) {
        const hf_placed* o = &placement->objects[i];
        ray_visit v = {.origin = hf_into(o, origin), .direction = hf_turn_into(o, direction), .triangle = -1};
        v.any = any;
        placement->kernel->ray(placement->scene->objects[i].tree, v.origin, v.direction, best->distance,
                               visit_ray, &v);
        if (v.triangle < 0 || (where >= 0 && v.distance == best->distance && i > where)) continue;
        *best = v, where = i;
        if (any) break;
    }
    return where;
}

bool hf_placement_ray(const hf_placement* placement, hf_vec3 origin, hf_vec3 direction, double max_distance,
                      hf_surface* out) {
    ray_visit hit;
    int where = cast(placement, origin, direction, max_distance, false, &hit);
    if (where < 0) return false;
    if (out)
        hf_surface_fill(placement, where, hit.triangle,
                        hf_add(hit.origin, hf_scale(hit.direction, hit.distance)), hit.distance, out);
    return true;
}

bool hf_placement_occluded(const hf_placement* placement, hf_vec3 origin, hf_vec3 direction,
                           double max_distance) {
    ray_visit hit;
    return cast(placement, origin, direction, max_distance, true, &hit) >= 0;
}

/* One ray against eight boxes fills the vector already: a packet gains nothing over eight rays. */
void hf_placement_ray8(const hf_placement* placement, const hf_vec3 origin[8], const hf_vec3 direction[8],
                       const double max_distance[8], bool hit[8], hf_surface out[8]) {
    for (int i = 0; i < 8; i++)
        hit[i] = hf_placement_ray(placement, origin[i], direction[i], max_distance[i], &out[i]);
}

bool hf_placement_inside(const hf_placement* placement, hf_vec3 point, int* object) {
    hf_upper_meet walk;
    hf_upper_meet_start(&walk, placement, point, hf_v3(0, 0, 0));
    int found = -1;
    for (int i; (i = hf_upper_meet_next(&walk)) >= 0;) {
        if (found >= 0 && i > found) continue; // the lowest of several
        hf_vec3 p = hf_into(&placement->objects[i], point);
        if (hf_solids_hold(&placement->scene->objects[i], placement->kernel, p, p, p)) found = i;
    }
    if (found >= 0 && object) *object = found;
    return found >= 0;
}
