/* A creature against itself and against a scene, at a pose. Balls around bodies keep most pairs from the
   exact test. */
#include "base/assert.h"
#include "model/body_bounds.h"
#include "model/clearance.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/collision.h>

/* Bodies whose balls are at hand at once: memory of two tiles lies on the stack, whatever the creature. */
enum { TILE = 64 };

typedef struct tile {
    int first, count;
    double x[TILE], y[TILE], z[TILE], r[TILE];
    bool wanted[TILE]; /* belongs to the query's limb */
} tile;

hf_collision_query hf_collision_query_default(void) {
    return (hf_collision_query){.limb = -1,
                                .self = true,
                                .scene = true,
                                .step_m = 0.01,
                                .fine_limb = -1,
                                .depth_m = HF_DEPTH_M,
                                .touched_depth_m = HF_TOUCH_DEPTH_M};
}

static bool link_beyond(const hf_creature* c, int link, int from) {
    const hf_kinematic_tree* t = c->tree;
    int steps = t->place[link] - t->place[from];
    return steps >= 0 && steps < t->link_total[from];
}

bool hf_link_in_limb(const hf_creature* c, int link, int limb) {
    if (limb < 0) return true;
    const hf_limb* l = &c->view.limbs[limb];
    return l->joint_count > 0 ? link_beyond(c, link, l->root_link) : link == l->effector_link;
}

int hf_link_limb(const hf_creature* c, int link) {
    const hf_creature_view* v = &c->view;
    for (; link > 0; link = v->links[link].parent_link)
        for (int i = 0; i < v->limb_count; i++)
            for (int k = 0; k < v->limbs[i].joint_count; k++)
                if (v->limbs[i].joints[k] == v->links[link].joint) return i;
    return -1;
}

/* ---- against itself ---- */

/* Balls in world axes about the root, so that numbers stay small. */
static void fill_tile(const hf_creature* c, const hf_transform* links, int limb, int first, tile* t) {
    int left = c->view.body_count - first;
    t->first = first;
    t->count = left < TILE ? left : TILE;
    for (int i = 0; i < t->count; i++) {
        const hf_body_bound* bound = &c->bounds[first + i];
        int link = c->view.bodies[first + i].link;
        hf_vec3 p = hf_sub(hf_apply(links[link], bound->centre), links[0].position);
        t->x[i] = p.x, t->y[i] = p.y, t->z[i] = p.z, t->r[i] = bound->radius;
        t->wanted[i] = hf_link_in_limb(c, link, limb);
    }
}

static bool bodies_overlap(const hf_creature* c, const hf_transform* links, double depth, int a, int b) {
    const hf_body *x = &c->view.bodies[a], *y = &c->view.bodies[b];
    return hf_shape_overlap(&x->shape, hf_compose(links[x->link], x->in_link), &y->shape,
                            hf_compose(links[y->link], y->in_link), depth);
}

bool hf_bodies_collide(const hf_creature* c, const hf_transform* links, double depth, int a, int b,
                       hf_collision* hit) {
    depth = hf_depth_for(depth, fmin(c->bounds[a].thickness, c->bounds[b].thickness), HF_THIN_M);
    if (!bodies_overlap(c, links, depth, a, b)) return false;
    if (hit) *hit = (hf_collision){.body = a, .other_body = b, .surface = {.object = -1, .triangle = -1}};
    return true;
}

/* A body that is not the limb's is asked about the limb's alone, which mostly come one after the other. */
static bool tiles_collide(const hf_creature* c, const hf_transform* links, double depth, const tile* s,
                          const tile* t, hf_collision* hit) {
    int first = 0, end = t->count;
    while (first < end && !t->wanted[first]) first++;
    while (end > first && !t->wanted[end - 1]) end--;
    for (int i = 0; i < s->count; i++) {
        bool near[TILE];
        int from = s->wanted[i] ? 0 : first, to = s->wanted[i] ? t->count : end;
        if (s == t && from <= i) from = i + 1;
        for (int k = from; k < to; k++) {
            double x = s->x[i] - t->x[k], y = s->y[i] - t->y[k], z = s->z[i] - t->z[k], r = s->r[i] + t->r[k];
            near[k] = x * x + y * y + z * z <= r * r;
        }
        for (int k = from; k < to; k++) {
            int a = s->first + i, b = t->first + k;
            if (!near[k] || !(s->wanted[i] || t->wanted[k]) || !hf_pair_bit(c, a, b)) continue;
            if (hf_bodies_collide(c, links, depth, a, b, hit)) return true;
        }
    }
    return false;
}

static bool self_collides(const hf_creature* c, const hf_transform* links, const hf_collision_query* q,
                          hf_collision* hit) {
    tile s, t;
    for (int i = 0; i < c->view.body_count; i += TILE) {
        fill_tile(c, links, q->limb, i, &s);
        if (tiles_collide(c, links, q->depth_m, &s, &s, hit)) return true;
        for (int k = i + TILE; k < c->view.body_count; k += TILE) {
            fill_tile(c, links, q->limb, k, &t);
            if (tiles_collide(c, links, q->depth_m, &s, &t, hit)) return true;
        }
    }
    return false;
}

/* ---- against the scene ---- */

/* What the touches allow a body: the effector with its fingers and toes may be deeper in the object that is
   touched, and as deep as they like in one that is gripped. */
int hf_touched_depths(const hf_creature* c, const hf_collision_query* query, int body,
                      hf_object_depth depths[HF_MAX_TOUCHES]) {
    int count = 0, link = c->view.bodies[body].link;
    double touched = hf_depth_for(query->touched_depth_m, c->bounds[body].thickness, HF_THICK_M);
    for (int i = 0; i < query->touch_count; i++) {
        const hf_hold* touch = &query->touches[i];
        HF_ASSERT(touch->limb >= 0 && touch->limb < c->view.limb_count);
        if (!hf_effector_has(c, touch->limb, link)) continue;
        int k = 0;
        while (k < count && depths[k].object != touch->object) k++;
        if (k == HF_MAX_TOUCHES) break;
        if (k == count) depths[count++] = (hf_object_depth){touch->object, touched};
        if (touch->grip) depths[k].depth = INFINITY;
    }
    return count;
}

bool hf_scene_collides(const hf_creature* c, const hf_placement* placement, const hf_transform* links,
                       const hf_collision_query* query, int index, hf_collision* hit) {
    const hf_body* body = &c->view.bodies[index];
    hf_object_depth depths[HF_MAX_TOUCHES];
    int count = hf_touched_depths(c, query, index, depths);
    double depth = hf_depth_for(query->depth_m, c->bounds[index].thickness, HF_THIN_M);
    hf_surface surface;
    hf_transform pose = hf_compose(links[body->link], body->in_link);
    if (!hf_placement_overlap_by(placement, &body->shape, pose, depth, depths, count, hit ? &surface : NULL))
        return false;
    if (hit) *hit = (hf_collision){.body = index, .other_body = -1, .surface = surface};
    return true;
}

bool hf_collides(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                 const hf_collision_query* query, hf_collision* hit) {
    HF_ASSERT(creature->bounds && creature->tree);
    hf_collision_query all = hf_collision_query_default();
    if (!query) query = &all;
    HF_ASSERT(query->limb < creature->view.limb_count);
    if (query->clearance) return hf_clearance_collides(creature, placement, links, query, NULL, hit);
    if (query->self && self_collides(creature, links, query, hit)) return true;
    if (!query->scene || !placement) return false;
    for (int i = 0; i < creature->view.body_count; i++)
        if (hf_link_in_limb(creature, creature->view.bodies[i].link, query->limb) &&
            hf_scene_collides(creature, placement, links, query, i, hit))
            return true;
    return false;
}
