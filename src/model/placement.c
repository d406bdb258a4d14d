/* Where the objects are, and the upper tree over them. */
#include "model/scene.h"
#include "base/error.h"

#include "base/assert.h"
#include "base/memory.h"

#include <math.h>

/* The upper tree is refitted at each move, and built again after this many moves for each object. */
enum { MOVES_PER_OBJECT = 4 };

static float round_down(double x) { return nextafterf((float)x, -INFINITY); }
static float round_up(double x) { return nextafterf((float)x, INFINITY); }

/* World box of an object: its own box turned. */
static hf_box world_box(const hf_placement* p, int object) {
    const hf_placed* o = &p->objects[object];
    const hf_tree* t = p->scene->objects[object].tree;
    if (!o->enabled || !t->triangle_count) return hf_box_empty();
    double center[3], half[3];
    for (int k = 0; k < 3; k++) {
        center[k] = 0.5 * ((double)t->low[k] + (double)t->high[k]);
        half[k] = 0.5 * ((double)t->high[k] - (double)t->low[k]);
    }
    hf_vec3 world = hf_out_of(o, hf_v3(center[0], center[1], center[2]));
    const double c[3] = {world.x, world.y, world.z};
    hf_box box;
    for (int k = 0; k < 3; k++) {
        const double* row = o->rotation.m + 3 * k;
        double reach = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        reach += 1e-12 * (reach + fabs(c[k])); // rounding of the turn
        box.low[k] = round_down(c[k] - reach);
        box.high[k] = round_up(c[k] + reach);
    }
    return box;
}

/* Builds the upper tree anew in its own memory. */
static void build_upper(hf_placement* p) {
    p->node_count = hf_box_tree_build(p->boxes, p->scene->count, p->order, p->nodes);
    p->parent[0] = HF_TREE_NONE;
    for (int i = 0; i < p->node_count; i++)
        for (int s = 0; s < 8; s++) {
            uint32_t child = p->nodes[i].child[s];
            if (child == HF_TREE_NONE) continue;
            if (child & HF_TREE_LEAF) {
                hf_placed* o = &p->objects[child & ~HF_TREE_LEAF];
                o->node = (uint32_t)i, o->slot = s;
            } else
                p->parent[child] = (uint32_t)i, p->parent_slot[child] = s;
        }
    p->moves = 0;
}

static hf_box node_box(const hf_tree_node* n) {
    hf_box box = hf_box_empty();
    for (int s = 0; s < 8; s++) {
        if (!(n->half[0][s] >= 0)) continue;
        hf_box slot;
        for (int k = 0; k < 3; k++) {
            slot.low[k] = n->center[k][s] - n->half[k][s];
            slot.high[k] = n->center[k][s] + n->half[k][s];
        }
        hf_box_join(&box, &slot);
    }
    return box;
}

/* Puts an object's new box into its slot and all that hold it. */
static void update_upper(hf_placement* p, int object) {
    p->boxes[object] = world_box(p, object);
    if (++p->moves > MOVES_PER_OBJECT * p->scene->count) {
        build_upper(p);
        return;
    }
    uint32_t node = p->objects[object].node;
    hf_tree_slot_set(&p->nodes[node], p->objects[object].slot, &p->boxes[object]);
    for (; p->parent[node] != HF_TREE_NONE; node = p->parent[node]) {
        hf_box box = node_box(&p->nodes[node]);
        hf_tree_slot_set(&p->nodes[p->parent[node]], p->parent_slot[node], &box);
    }
}

static void put(hf_placement* p, int object, hf_transform pose) {
    pose.rotation = hf_quat_normalize(pose.rotation);
    p->objects[object].pose = pose;
    p->objects[object].rotation = hf_quat_matrix(pose.rotation);
}

hf_transform hf_keys_pose(const hf_key* keys, int count, double time_s) {
    if (!(time_s > keys[0].time_s)) return keys[0].pose;
    if (time_s >= keys[count - 1].time_s) return keys[count - 1].pose;
    int low = 0, high = count - 1; // keys[low] <= time < keys[high]
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (keys[mid].time_s <= time_s)
            low = mid;
        else
            high = mid;
    }
    const hf_key *a = &keys[low], *b = &keys[high];
    double t = (time_s - a->time_s) / (b->time_s - a->time_s);
    return (hf_transform){hf_lerp(a->pose.position, b->pose.position, t),
                          hf_quat_slerp(a->pose.rotation, b->pose.rotation, t)};
}

hf_status hf_placement_create(const hf_scene* scene, hf_placement** placement) {
    HF_REQUIRE(NULL, scene && placement);
    *placement = NULL;
    hf_placement* p = hf_alloc(1, sizeof *p);
    if (!p) return HF_ERROR_MEMORY;
    size_t n = (size_t)(scene->count ? scene->count : 1);
    p->scene = scene;
    p->kernel = hf_tree_kernel_for(hf_cpu_best());
    p->objects = hf_alloc(n, sizeof *p->objects);
    p->nodes = hf_alloc_aligned(n, sizeof *p->nodes);
    p->parent = hf_alloc(n, sizeof *p->parent);
    p->parent_slot = hf_alloc(n, sizeof *p->parent_slot);
    p->boxes = hf_alloc(n, sizeof *p->boxes);
    p->order = hf_alloc(n, sizeof *p->order);
    if (!p->objects || !p->nodes || !p->parent || !p->parent_slot || !p->boxes || !p->order) {
        hf_placement_free(p);
        return HF_ERROR_MEMORY;
    }
    for (int i = 0; i < scene->count; i++) {
        const hf_object* o = &scene->objects[i];
        put(p, i, o->key_count ? hf_keys_pose(o->keys, o->key_count, 0) : o->start);
        p->objects[i].enabled = true;
        p->boxes[i] = world_box(p, i);
    }
    build_upper(p);
    *placement = p;
    return HF_OK;
}

void hf_placement_free(hf_placement* p) {
    if (!p) return;
    hf_free(p->objects);
    hf_free(p->nodes);
    hf_free(p->parent);
    hf_free(p->parent_slot);
    hf_free(p->boxes);
    hf_free(p->order);
    hf_free(p);
}

bool hf_placement_use(hf_placement* placement, hf_cpu cpu) {
    const hf_tree_kernel* kernel = hf_tree_kernel_for(cpu);
    if (kernel) placement->kernel = kernel;
    return kernel != NULL;
}

const hf_scene* hf_placement_scene(const hf_placement* placement) { return placement->scene; }

void hf_placement_move(hf_placement* placement, int object, hf_transform pose) {
    HF_ASSERT(object >= 0 && object < placement->scene->count);
    put(placement, object, pose);
    update_upper(placement, object);
}

hf_transform hf_placement_pose(const hf_placement* placement, int object) {
    HF_ASSERT(object >= 0 && object < placement->scene->count);
    return placement->objects[object].pose;
}

void hf_placement_enable(hf_placement* placement, int object, bool enabled) {
    HF_ASSERT(object >= 0 && object < placement->scene->count);
    if (placement->objects[object].enabled == enabled) return;
    placement->objects[object].enabled = enabled;
    update_upper(placement, object);
}

void hf_placement_set_time(hf_placement* placement, double time_s) {
    for (int i = 0; i < placement->scene->count; i++) {
        const hf_object* o = &placement->scene->objects[i];
        if (o->key_count) hf_placement_move(placement, i, hf_keys_pose(o->keys, o->key_count, time_s));
    }
}

void hf_surface_fill(const hf_placement* placement, int object, int triangle, hf_vec3 local, double distance,
                     hf_surface* out) {
    const hf_placed* o = &placement->objects[object];
    hf_triangle t = hf_triangle_of(&placement->scene->objects[object].mesh, triangle);
    // counter-clockwise is out of an outward piece and into an inward one by what those words mean
    *out = (hf_surface){object, triangle, hf_out_of(o, local),
                        hf_mat3_mul(&o->rotation, (hf_triangle_normal(&t))), distance};
}

void hf_upper_meet_start(hf_upper_meet* walk, const hf_placement* placement, hf_vec3 center, hf_vec3 half) {
    const double c[3] = {center.x, center.y, center.z}, h[3] = {half.x, half.y, half.z};
    walk->placement = placement;
    for (int k = 0; k < 3; k++) {
        walk->center[k] = (float)c[k];
        walk->half[k] = (float)((h[k] + fabs(c[k] - (double)walk->center[k])) * (1 + 1e-6));
    }
    walk->node = placement->nodes;
    walk->bits = placement->kernel->meet(walk->node, walk->center, walk->half);
    walk->top = 0;
}

int hf_upper_meet_next(hf_upper_meet* walk) {
    for (;;) {
        while (walk->bits) {
            uint32_t child = walk->node->child[__builtin_ctz(walk->bits)];
            walk->bits &= walk->bits - 1;
            if (!(child & HF_TREE_LEAF))
                walk->stack[walk->top++] = child;
            else if (child != HF_TREE_NONE)
                return (int)(child & ~HF_TREE_LEAF);
        }
        if (!walk->top) return -1;
        walk->node = &walk->placement->nodes[walk->stack[--walk->top]];
        walk->bits = walk->placement->kernel->meet(walk->node, walk->center, walk->half);
    }
}

void hf_upper_box(hf_upper_walk* walk, const hf_placement* placement, hf_vec3 low, hf_vec3 high) {
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    walk->placement = placement, walk->ray = false;
    for (int k = 0; k < 3; k++) {
        walk->center[k] = (float)(0.5 * (l[k] + h[k]));
        double c = (double)walk->center[k];
        walk->half[k] = (float)(fmax(h[k] - c, c - l[k]) * (1 + 1e-6));
    }
    walk->top = 1;
    walk->stack[0].least = 0, walk->stack[0].child = 0;
}

void hf_upper_ray(hf_upper_walk* walk, const hf_placement* placement, hf_vec3 origin, hf_vec3 direction) {
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    walk->placement = placement, walk->ray = true;
    for (int k = 0; k < 3; k++) {
        walk->origin[k] = (float)o[k];
        walk->half[k] = fabsf(walk->origin[k]) * 1e-6f;
        walk->per[k] = (float)(1 / (fabs(d[k]) > 1e-20 ? d[k] : d[k] < 0 ? -1e-20 : 1e-20));
    }
    walk->top = 1;
    walk->stack[0].least = 0, walk->stack[0].child = 0;
    // a single object's own tree has the box
    if (placement->scene->count == 1 && placement->objects[0].enabled) walk->stack[0].child = HF_TREE_LEAF;
}

int hf_upper_next(hf_upper_walk* w, double bound) {
    float most = (float)bound * (1 + 8e-6f);
    while (w->top) {
        w->top--;
        uint32_t child = w->stack[w->top].child;
        if (!(w->stack[w->top].least <= most)) continue;
        if (child & HF_TREE_LEAF) return (int)(child & ~HF_TREE_LEAF);
        const hf_tree_node* n = &w->placement->nodes[child];
        float least[8];
        if (w->ray)
            w->placement->kernel->ray_slots(n, w->origin, w->per, w->half, least);
        else
            w->placement->kernel->box_slots(n, w->center, w->half, least);
        int bottom = w->top;
        for (int s = 0; s < 8; s++) {
            if (n->child[s] == HF_TREE_NONE || !(least[s] <= most) || !(n->half[0][s] >= 0)) continue;
            int i = w->top++;
            for (; i > bottom && w->stack[i - 1].least < least[s]; i--) w->stack[i] = w->stack[i - 1];
            w->stack[i].least = least[s], w->stack[i].child = n->child[s];
        }
    }
    return -1;
}
