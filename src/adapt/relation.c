/* Relationship descriptors of a motion: sampling and weights (contact-repositioning-2016 section 4.1,
   appendix A1). Negative weights of equation 23 become 0: a point does not see a body behind its surface. */
#include "adapt/relation.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "geom/triangle.h"
#include "model/creature.h"
#include "model/scene.h"

#include <math.h>
#include <string.h>

/* Points are looked for in so many frames a second. */
static const double KEYS_PER_S = 4;
/* Far from the body points are this share of their distance apart. */
static const double FAR_SHARE = 0.3;
/* Bodies reach this share of their height beyond the nearest point (r2 of equation 25). */
static const double REACH_SHARE = 0.25;
enum { MAX_SURFACES = 96 };

/* ---- points ---- */

/* Is there already a point of this object as near as that? */
static bool taken(const hf_relation* r, int object, hf_vec3 local, double apart) {
    for (int i = 0; i < r->count; i++)
        if (r->descriptors[i].object == object && hf_distance(r->descriptors[i].local, local) < apart)
            return true;
    return false;
}

static hf_status add_near(hf_relation* r, const hf_placement* placement, hf_vec3 point, double spacing_m) {
    hf_surface near[MAX_SURFACES];
    double reach = REACH_SHARE * r->source->creature->view.height;
    if (!hf_placement_closest(placement, point, 10, near)) return HF_OK;
    int n = hf_placement_within(placement, point, near[0].distance + reach, near, MAX_SURFACES);
    for (int i = 0; i < n && i < MAX_SURFACES; i++) {
        hf_transform pose = hf_placement_pose(placement, near[i].object);
        hf_vec3 local = hf_unapply(pose, near[i].point);
        if (taken(r, near[i].object, local, fmax(spacing_m, FAR_SHARE * near[i].distance))) continue;
        if (!HF_GROW(r->descriptors, r->capacity, r->count)) return HF_ERROR_MEMORY;
        r->descriptors[r->count++] = (hf_descriptor){near[i].object, near[i].triangle, local,
                                                     hf_unrotate(pose.rotation, near[i].normal)};
    }
    return HF_OK;
}

static hf_status sample(hf_relation* r, hf_placement* placement, double spacing_m, hf_workspace* workspace) {
    const hf_source* s = r->source;
    hf_status status = HF_OK;
    int step = (int)fmax(1, s->schedule->rate / KEYS_PER_S);
    for (int f = 0; f < s->frame_count && status == HF_OK && hf_workspace_goes_on(workspace); f += step) {
        hf_placement_set_time(placement, f / s->schedule->rate);
        for (int p = 0; p < s->particle_count && status == HF_OK; p++)
            status = add_near(r, placement, s->points[f * s->particle_count + p], spacing_m);
    }
    return status;
}

/* ---- weights ---- */

typedef struct world_point {
    hf_vec3 at, normal;
} world_point;

static hf_status weigh(hf_relation* r, int frame, int particle, const world_point* points) {
    hf_vec3 p = r->source->points[frame * r->source->particle_count + particle];
    double r1 = INFINITY, sum = 0;
    for (int i = 0; i < r->count; i++) r1 = fmin(r1, hf_distance(p, points[i].at));
    double reach = REACH_SHARE * r->source->creature->view.height;
    int first = r->weight_count;
    for (int i = 0; i < r->count; i++) {
        hf_vec3 v = hf_sub(p, points[i].at);
        double d = hf_length(v);
        if (d >= r1 + reach) continue;
        double facing = d > 0 ? hf_dot(points[i].normal, v) / d : 1; // equation 23
        double w = facing * (d <= r1 ? 1 : 1 - (d - r1) / reach);    // equations 24 and 25
        if (!(w > 0)) continue;
        if (!HF_GROW(r->weights, r->weight_capacity, r->weight_count)) return HF_ERROR_MEMORY;
        r->weights[r->weight_count++] = (hf_relation_weight){i, (float)w};
        sum += w;
    }
    for (int i = first; i < r->weight_count; i++)
        r->weights[i].weight = (float)((double)r->weights[i].weight / sum);
    r->affinity[frame * r->source->particle_count + particle] = (float)sum;
    r->near_m[frame * r->source->particle_count + particle] = (float)r1;
    return HF_OK;
}

static hf_status weigh_all(hf_relation* r, hf_workspace* workspace) {
    const hf_source* s = r->source;
    world_point* points = hf_alloc((size_t)r->count + 1, sizeof *points);
    hf_status status = points ? HF_OK : HF_ERROR_MEMORY;
    for (int f = 0; f < s->frame_count && status == HF_OK && hf_workspace_goes_on(workspace); f++) {
        for (int i = 0; i < r->count && (f == 0 || r->key_count > 1); i++) {
            hf_transform pose = hf_relation_pose(r, f, r->descriptors[i].object);
            points[i] = (world_point){hf_apply(pose, r->descriptors[i].local),
                                      hf_rotate(pose.rotation, r->descriptors[i].normal)};
        }
        for (int p = 0; p < s->particle_count && status == HF_OK; p++) {
            r->start[f * s->particle_count + p] = r->weight_count;
            status = weigh(r, f, p, points);
        }
    }
    if (status == HF_OK) r->start[s->frame_count * s->particle_count] = r->weight_count;
    hf_free(points);
    return status;
}

/* ---- poses of objects ---- */

static hf_status find_poses(const hf_scene* scene, int objects, const hf_source* s, int* key_count,
                            hf_transform** poses) {
    bool keyed = false;
    for (int i = 0; i < objects; i++) keyed |= hf_scene_object(scene, i).key_count > 1;
    *key_count = keyed ? s->frame_count : 1;
    *poses = hf_alloc((size_t)*key_count * (size_t)objects + 1, sizeof **poses);
    hf_placement* placement = NULL;
    hf_status status = *poses ? hf_placement_create(scene, &placement) : HF_ERROR_MEMORY;
    for (int f = 0; f < *key_count && status == HF_OK; f++) {
        hf_placement_set_time(placement, f / s->schedule->rate);
        for (int i = 0; i < objects; i++) (*poses)[f * objects + i] = hf_placement_pose(placement, i);
    }
    hf_placement_free(placement);
    return status;
}

hf_status hf_relation_make(const hf_source* s, double spacing_m, hf_workspace* workspace, hf_relation* r) {
    memset(r, 0, sizeof *r);
    r->source = s;
    size_t rows = (size_t)s->frame_count * (size_t)s->particle_count;
    r->start = hf_alloc(rows + 1, sizeof *r->start);
    r->affinity = hf_alloc(rows, sizeof *r->affinity);
    r->near_m = hf_alloc(rows, sizeof *r->near_m);
    hf_placement* placement = NULL;
    hf_status status =
        r->start && r->affinity && r->near_m ? hf_placement_create(s->scene, &placement) : HF_ERROR_MEMORY;
    if (status == HF_OK)
        status = find_poses(s->scene, hf_scene_object_count(s->scene), s, &r->key_count, &r->poses);
    if (status == HF_OK) status = sample(r, placement, spacing_m, workspace);
    if (status == HF_OK) status = weigh_all(r, workspace);
    hf_placement_free(placement);
    if (status != HF_OK) hf_relation_free(r);
    return status;
}

void hf_relation_free(hf_relation* r) {
    hf_free(r->descriptors);
    hf_free(r->start);
    hf_free(r->weights);
    hf_free(r->affinity);
    hf_free(r->near_m);
    hf_free(r->poses);
    memset(r, 0, sizeof *r);
}

/* ---- an edited scene ---- */

static bool same_triangles(const hf_object* a, const hf_object* b) {
    return a->mesh.triangle_count == b->mesh.triangle_count && a->mesh.vertex_count == b->mesh.vertex_count &&
           memcmp(a->mesh.indices, b->mesh.indices, 3 * (size_t)a->mesh.triangle_count * sizeof(uint32_t)) ==
               0;
}

/* Axes of a triangle: along its first side and its normal. */
static bool axes_of(hf_triangle t, hf_vec3 axes[3]) {
    axes[0] = hf_normalize(hf_sub(t.v[1], t.v[0]));
    axes[2] = hf_normalize(hf_cross(axes[0], hf_sub(t.v[2], t.v[0])));
    axes[1] = hf_cross(axes[2], axes[0]);
    return hf_length(axes[2]) > 0.5;
}

static hf_quat turn_between(hf_triangle a, hf_triangle b) {
    hf_vec3 x[3], y[3];
    if (!axes_of(a, x) || !axes_of(b, y)) return hf_quat_identity();
    hf_quat first = hf_quat_between(x[2], y[2]);
    hf_vec3 along = hf_rotate(first, x[0]);
    double angle = hf_atan2(hf_dot(hf_cross(along, y[0]), y[2]), hf_dot(along, y[0]));
    return hf_quat_mul(hf_quat_axis_angle(y[2], angle), first);
}

/* The point with the same shares of the three corners. */
static hf_vec3 same_shares(hf_triangle a, hf_triangle b, hf_vec3 p) {
    hf_vec3 u = hf_sub(a.v[1], a.v[0]), v = hf_sub(a.v[2], a.v[0]), w = hf_sub(p, a.v[0]);
    double uu = hf_dot(u, u), uv = hf_dot(u, v), vv = hf_dot(v, v), wu = hf_dot(w, u), wv = hf_dot(w, v);
    double d = uu * vv - uv * uv;
    double s = d > 0 ? (wu * vv - wv * uv) / d : 0, t = d > 0 ? (wv * uu - wu * uv) / d : 0;
    return hf_add(b.v[0], hf_add(hf_scale(hf_sub(b.v[1], b.v[0]), s), hf_scale(hf_sub(b.v[2], b.v[0]), t)));
}

bool hf_surface_follow(const hf_scene* from, const hf_scene* to, int object, int triangle, hf_vec3* local,
                       hf_quat* turn) {
    const hf_object *a = &from->objects[object], *b = &to->objects[object];
    if (turn) *turn = hf_quat_identity();
    if (a->owners == b->owners) return true;
    if (b->mesh.triangle_count == 0) return false;
    if (same_triangles(a, b) && triangle >= 0) {
        hf_triangle s = hf_triangle_of(&a->mesh, triangle), t = hf_triangle_of(&b->mesh, triangle);
        *local = same_shares(s, t, *local);
        if (turn) *turn = turn_between(s, t);
        return true;
    }
    // another mesh: its nearest point
    double least = INFINITY;
    hf_vec3 best = *local;
    for (int i = 0; i < b->mesh.triangle_count; i++) {
        hf_triangle t = hf_triangle_of(&b->mesh, i);
        hf_vec3 p;
        double d = hf_triangle_point(&t, *local, &p);
        if (d < least) least = d, best = p;
    }
    *local = best;
    return true;
}

static bool same_pose(hf_transform a, hf_transform b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool object_changed(const hf_relation* r, const hf_moved_relation* m, int object, int objects) {
    int keys = r->key_count > m->key_count ? r->key_count : m->key_count;
    if (r->source->scene->objects[object].owners != m->scene->objects[object].owners) return true;
    for (int k = 0; k < keys; k++)
        if (!same_pose(hf_relation_pose(r, k, object), hf_moved_pose(m, k, object, objects))) return true;
    return false;
}

hf_status hf_relation_move(const hf_relation* r, const hf_scene* scene, hf_moved_relation* m) {
    const hf_scene* from = r->source->scene;
    memset(m, 0, sizeof *m);
    m->scene = scene;
    m->changed = hf_alloc((size_t)from->count + 1, sizeof *m->changed);
    m->items = hf_alloc(2 * (size_t)r->count + 1, sizeof *m->items);
    hf_status status = m->changed && m->items ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) status = find_poses(scene, from->count, r->source, &m->key_count, &m->poses);
    if (status != HF_OK) {
        hf_moved_relation_free(m);
        return status;
    }
    m->surfaces = m->items + r->count;
    for (int i = 0; i < from->count; i++) m->changed[i] = object_changed(r, m, i, from->count);
    for (int i = 0; i < r->count; i++) {
        const hf_descriptor* d = &r->descriptors[i];
        hf_moved_descriptor* to = &m->surfaces[i];
        *to = (hf_moved_descriptor){m->changed[d->object], d->local, hf_quat_identity()};
        if (m->changed[d->object] &&
            !hf_surface_follow(from, scene, d->object, d->triangle, &to->local, &to->turn))
            to->moves = false; // the object is gone: its points stay
    }
    hf_moved_relation_reset(r, m);
    return HF_OK;
}

void hf_moved_relation_reset(const hf_relation* r, hf_moved_relation* m) {
    memcpy(m->items, m->surfaces, (size_t)r->count * sizeof *m->items);
}

void hf_moved_relation_free(hf_moved_relation* m) {
    hf_free(m->poses);
    hf_free(m->changed);
    hf_free(m->items);
    memset(m, 0, sizeof *m);
}

bool hf_relation_shift(const hf_relation* r, const hf_moved_relation* m, int frame, int particle,
                       hf_vec3* shift) {
    const hf_source* s = r->source;
    int row = frame * s->particle_count + particle, objects = s->scene->count;
    hf_vec3 p = s->points[row], sum = {0, 0, 0};
    bool any = false;
    for (int k = r->start[row]; k < r->start[row + 1]; k++) {
        const hf_descriptor* d = &r->descriptors[r->weights[k].descriptor];
        const hf_moved_descriptor* n = &m->items[r->weights[k].descriptor];
        if (!n->moves) continue;
        hf_transform a = hf_relation_pose(r, frame, d->object),
                     b = hf_moved_pose(m, frame, d->object, objects);
        // the relative vector rides on the surface
        hf_vec3 relative = hf_sub(hf_unapply(a, p), d->local);
        hf_vec3 to = hf_apply(b, hf_add(n->local, hf_rotate(n->turn, relative)));
        sum = hf_add(sum, hf_scale(hf_sub(to, p), (double)r->weights[k].weight));
        any = true;
    }
    *shift = sum;
    return any && (sum.x != 0 || sum.y != 0 || sum.z != 0);
}
