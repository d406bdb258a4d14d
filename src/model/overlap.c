/* How badly a pose collides, for messages: the deepest pair, how deep it is, and how far up or down the
   creature would be free. Every answer comes from hf_collides with other numbers, so that it agrees with what
   refused the pose. */
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/collision.h>

#include <math.h>
#include <stdio.h>

enum { HALVINGS = 12 };
static const double HEIGHT_STEP_M = 0.01; /* between two heights that are looked at */
static const double LEAST_M = 1e-4;       /* depth from which is looked where none is allowed */
static const double DEEPEST_M = 1;        /* pairs that are deeper are not told apart */
static const double FARTHEST_M =
    3; /* up and down, or twice the creature's height: free ones are looked for */

typedef struct search {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_pose* pose;
    const hf_collision_query* query;
    hf_transform* links;
} search;

/* Does anything overlap by more than `depth`? */
static bool deeper(const search* s, double depth, hf_collision* hit) {
    hf_collision_query q = *s->query;
    q.depth_m = depth;
    q.touched_depth_m = fmax(q.touched_depth_m, depth);
    return hf_collides(s->creature, s->placement, s->links, &q, hit);
}

/* The depth of the pair that is deepest; hit becomes that pair. */
static double deepest(const search* s, hf_collision* hit) {
    double low = s->query->depth_m, high = fmax(2 * low, LEAST_M);
    while (high < DEEPEST_M && deeper(s, high, hit)) low = high, high *= 2;
    if (high >= DEEPEST_M) return INFINITY;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (deeper(s, middle, hit))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* hf_collides asks thin bodies about a smaller depth than the query's: the share that it takes. */
static double share_of_depth(const search* s, const hf_collision* hit) {
    double thickness = s->creature->bounds[hit->body].thickness, meant = HF_THIN_M;
    int link = s->creature->view.bodies[hit->body].link;
    if (hit->other_body >= 0) thickness = fmin(thickness, s->creature->bounds[hit->other_body].thickness);
    for (int i = 0; i < s->query->touch_count && hit->other_body < 0; i++) {
        const hf_hold* touch = &s->query->touches[i];
        if (touch->object == hit->surface.object && hf_effector_has(s->creature, touch->limb, link))
            meant = HF_THICK_M;
    }
    return hf_depth_for(1, thickness, meant);
}

/* How far the body would have to be moved along the surface's normal, which ends where no way out is found.
 */
static double way_out(const search* s, const hf_collision* hit) {
    const hf_body* body = &s->creature->view.bodies[hit->body];
    hf_transform at = hf_compose(s->links[body->link], body->in_link);
    hf_allowance allowance = hf_allowance_default();
    double low = 0, high = DEEPEST_M;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        hf_transform moved = {hf_add(at.position, hf_scale(hit->surface.normal, middle)), at.rotation};
        if (hf_placement_overlap(s->placement, &body->shape, moved, &allowance, NULL))
            low = middle;
        else
            high = middle;
    }
    return high < DEEPEST_M ? high : INFINITY;
}

/* Below an open floor nothing collides either: a height counts where there is something under the root. */
static bool free_at(const search* s, double shift) {
    hf_pose moved = *s->pose;
    hf_surface under;
    moved.root.position.z += shift;
    hf_forward(s->creature, &moved, s->links);
    return !hf_collides(s->creature, s->placement, s->links, s->query, NULL) &&
           hf_placement_ray(s->placement, moved.root.position, hf_v3(0, 0, -1), INFINITY, &under);
}

/* The shift along Z that is nearest to `shift` on the way from `from`, which collides. */
static double nearest_free(const search* s, double from, double shift) {
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (from + shift) / 2;
        if (free_at(s, middle))
            shift = middle;
        else
            from = middle;
    }
    return shift;
}

static bool find_free_height(const search* s, double* shift) {
    int steps = (int)ceil(fmax(FARTHEST_M, 2 * s->creature->view.height) / HEIGHT_STEP_M);
    for (int i = 1; i <= steps; i++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            if (!free_at(s, sign * i * HEIGHT_STEP_M)) continue;
            *shift = nearest_free(s, sign * (i - 1) * HEIGHT_STEP_M, sign * i * HEIGHT_STEP_M);
            return true;
        }
    return false;
}

bool hf_overlap_find(const hf_creature* creature, const hf_placement* placement, const hf_pose* pose,
                     const hf_collision_query* query, hf_transform* links, hf_overlap* overlap) {
    hf_collision_query plain = *query;
    plain.clearance = NULL;
    search s = {creature, placement, pose, &plain, links};
    *overlap = (hf_overlap){0};
    hf_forward(creature, pose, links);
    if (!hf_collides(creature, placement, links, &plain, &overlap->pair)) return false;
    overlap->depth_m = deepest(&s, &overlap->pair) * share_of_depth(&s, &overlap->pair);
    if (overlap->pair.other_body >= 0) return true;
    if (isinf(overlap->depth_m)) overlap->depth_m = way_out(&s, &overlap->pair);
    overlap->has_free_height = find_free_height(&s, &overlap->free_shift_m);
    overlap->free_height_m = pose->root.position.z + overlap->free_shift_m;
    return true;
}

const char* hf_overlap_text(const hf_creature* creature, const hf_scene* scene, const hf_overlap* o,
                            char* text, size_t size) {
    const hf_creature_view* v = &creature->view;
    const char* other = o->pair.other_body >= 0 ? v->links[v->bodies[o->pair.other_body].link].name
                                                : hf_scene_object(scene, o->pair.surface.object).name;
    char height[120] = "";
    if (o->has_free_height)
        snprintf(height, sizeof height, "; with the root at z = %.4f, %.1f mm %s, nothing collides",
                 o->free_height_m, fabs(o->free_shift_m) * 1000, o->free_shift_m > 0 ? "higher" : "lower");
    else if (o->pair.other_body < 0)
        snprintf(height, sizeof height, "; no height near is free");
    if (isinf(o->depth_m))
        snprintf(text, size, "link \"%.80s\" is far inside \"%.80s\"%s",
                 v->links[v->bodies[o->pair.body].link].name, other, height);
    else
        snprintf(text, size, "link \"%.80s\" is %.1f mm deep in \"%.80s\"%s",
                 v->links[v->bodies[o->pair.body].link].name, o->depth_m * 1000, other, height);
    return text;
}
