/* A hand about one object: fingers close until they touch, friction where they touch bears the object's
   weight or does not, and other objects leave room for the hand or do not. */
#include "reach/hand_closing.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

enum { BISECTIONS = 7 };
static const double CLOSE_STEP = 0.06; /* rad between two looks while a finger closes: 4 mm at its tip */

/* ---- fingers ---- */

bool hf_hand_is_finger(const hf_hand_closing* g, int joint) {
    const hf_joint* j = &g->v->joints[joint];
    return j->q_count == 1 && j->mimic < 0 && j->child_link != g->v->limbs[g->limb].effector_link &&
           hf_effector_has(g->world->creature, g->limb, j->child_link) &&
           hf_effector_has(g->world->creature, g->limb, j->parent_link);
}

void hf_hand_pose_fingers(hf_hand_closing* g, hf_transform hand) {
    int effector = g->v->limbs[g->limb].effector_link;
    g->links[effector] = hand;
    hf_pose_follow(g->world->creature, g->q);
    for (int l = 0; l < g->v->link_count; l++)
        if (g->v->links[l].parent_link == effector) hf_forward_from(g->world->creature, l, g->q, g->links);
}

static bool is_beyond(const hf_hand_closing* g, int link, int from) {
    for (; link >= 0; link = g->v->links[link].parent_link)
        if (link == from) return true;
    return false;
}

/* Which way a finger joint closes: the one that brings what it moves to the palm's side. */
double hf_hand_closing_sign(hf_hand_closing* g, int joint, hf_transform hand) {
    const hf_contact_frame* palm = &g->v->limbs[g->limb].contacts[0];
    const hf_joint* j = &g->v->joints[joint];
    double before = 0, after = 0, kept = g->q[j->q_index];
    for (int pass = 0; pass < 2; pass++) {
        g->q[j->q_index] = kept + (pass ? 0.2 : 0);
        hf_hand_pose_fingers(g, hand);
        double sum = 0;
        for (int b = 0; b < g->hand_count; b++) {
            const hf_body* body = &g->v->bodies[g->hand[b]];
            if (!is_beyond(g, body->link, j->child_link)) continue;
            hf_vec3 p = hf_apply(g->links[body->link], body->in_link.position);
            sum += hf_dot(hf_rotate(hand.rotation, palm->normal), p);
        }
        *(pass ? &after : &before) = sum;
    }
    g->q[j->q_index] = kept;
    return after >= before ? 1 : -1;
}

static bool overlaps(const hf_hand_closing* g, int from) {
    hf_allowance none = {.depth = 0, .touched_object = -1};
    for (int b = 0; b < g->hand_count; b++) {
        const hf_body* body = &g->v->bodies[g->hand[b]];
        if (!is_beyond(g, body->link, from)) continue;
        hf_transform pose = hf_compose(g->links[body->link], body->in_link);
        if (hf_placement_overlap(g->alone, &body->shape, pose, &none, NULL)) return true;
    }
    return false;
}

/* Closes one finger until it touches. */
static void close_finger(hf_hand_closing* g, int joint, hf_transform hand, double idle_share) {
    const hf_joint* j = &g->v->joints[joint];
    double sign = hf_hand_closing_sign(g, joint, hand), open = g->q[j->q_index];
    double end = sign > 0 ? j->upper : j->lower, free = open, met = open;
    bool touches = false;
    for (double x = open; !touches && (end - x) * sign > 0; x += sign * CLOSE_STEP) {
        g->q[j->q_index] = met = x;
        hf_hand_pose_fingers(g, hand);
        touches = overlaps(g, j->child_link);
        if (!touches) free = x;
    }
    if (!touches) {
        g->q[j->q_index] = open + idle_share * (end - open);
        hf_hand_pose_fingers(g, hand);
        return;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        g->q[j->q_index] = (free + met) / 2;
        hf_hand_pose_fingers(g, hand);
        *(overlaps(g, j->child_link) ? &met : &free) = g->q[j->q_index];
    }
    g->q[j->q_index] = free;
    hf_hand_pose_fingers(g, hand);
}

/* ---- what bears ---- */

/* A point that pushes into the object. */
static hf_support push_at(const hf_hand_closing* g, hf_vec3 point, hf_vec3 normal) {
    hf_support s = {.corner_count = 1, .normal = hf_neg(normal)};
    s.corners[0] = point;
    s.friction = hf_scene_object(g->scene, g->object).friction;
    return s;
}

bool hf_hand_bears_at(const hf_hand_closing* g, const hf_support* supports, int count, hf_vec3 com) {
    double mass = fmax(hf_scene_object(g->scene, g->object).mass_kg, 0.01);
    if (hf_stance_build(g->stance, supports, count, mass, NULL, g->workspace) != HF_OK) return false;
    hf_vec3 none = {0, 0, 0};
    return hf_stance_holds(g->stance, com, none, none);
}

/* Does the closed hand bear the object? Of more contacts than a stance takes, evenly spaced ones do, so that
   no finger is left out: what some of the contacts bear, all of them bear. */
bool hf_hand_bears(const hf_hand_closing* g, int count) {
    hf_support some[HF_STANCE_SUPPORTS];
    int used = count < HF_STANCE_SUPPORTS ? count : HF_STANCE_SUPPORTS;
    for (int i = 0; i < used; i++) some[i] = g->supports[i * count / used];
    return hf_hand_bears_at(g, some, used, hf_apply(g->at, hf_object_middle(g->scene, g->object)));
}

/* How a palm pushes, in the world. */
hf_support hf_hand_palm_support(const hf_hand_closing* g, hf_transform hand, const hf_surface* s) {
    hf_hold hold = {.limb = g->limb, .object = g->object, .point = s->point, .normal = s->normal};
    hf_support out;
    hf_support_press(g->world->creature, g->alone, &hold, hand, &out);
    return out;
}

void hf_hand_close_fingers(hf_hand_closing* g, hf_transform hand, double idle_share) {
    for (int i = 0; i < g->v->joint_count; i++)
        if (hf_hand_is_finger(g, g->v->joint_order[i]))
            close_finger(g, g->v->joint_order[i], hand, idle_share);
}

int hf_hand_finger_supports(hf_hand_closing* g, int count) {
    for (int b = 0; b < g->hand_count; b++) {
        const hf_body* body = &g->v->bodies[g->hand[b]];
        hf_surface s;
        if (body->link == g->v->limbs[g->limb].effector_link) continue;
        if (hf_placement_distance(g->alone, &body->shape, hf_compose(g->links[body->link], body->in_link),
                                  HF_TOUCH_M, &s))
            g->supports[count++] = push_at(g, s.point, s.normal);
    }
    return count;
}

void hf_hand_open(hf_hand_closing* g) { memcpy(g->q, g->open, sizeof(double) * (size_t)g->v->q_count); }

/* The first body of the hand, with the fingers as they are in g->q, that is deeper in the object; or -1. */
int hf_hand_body_inside(hf_hand_closing* g, hf_transform hand, double depth_m) {
    hf_allowance some = {.depth = depth_m, .touched_object = -1};
    hf_hand_pose_fingers(g, hand);
    for (int b = 0; b < g->hand_count; b++) {
        const hf_body* body = &g->v->bodies[g->hand[b]];
        if (hf_placement_overlap(g->alone, &body->shape, hf_compose(g->links[body->link], body->in_link),
                                 &some, NULL))
            return g->hand[b];
    }
    return -1;
}

/* The body of the open hand that is in the object, but for what touches; or -1. */
int hf_hand_open_inside(hf_hand_closing* g, hf_transform hand) {
    hf_hand_open(g);
    return hf_hand_body_inside(g, hand, HF_DEPTH_M);
}

/* Is the hand, with the fingers as they are in g->q, free of all other objects? No posture of the arm helps
   where it is not. */
static bool free_of_others(hf_hand_closing* g, hf_transform hand) {
    hf_object_depth own = {g->object, INFINITY};
    hf_hand_pose_fingers(g, hand);
    for (int b = 0; b < g->hand_count; b++) {
        const hf_body* body = &g->v->bodies[g->hand[b]];
        if (hf_placement_overlap_by(g->world->placement, &body->shape,
                                    hf_compose(g->links[body->link], body->in_link), 0, &own, 1, NULL))
            return false;
    }
    return true;
}

/* Can the open hand be where it holds and, on one of the ways on which it comes, a little before? */
bool hf_hand_open_comes(hf_hand_closing* g, hf_transform hand, hf_vec3 normal) {
    hf_vec3 ways[HF_HAND_WAYS];
    bool comes = false;
    hf_hand_open(g);
    if (!free_of_others(g, hand)) return false;
    hf_hand_ways(&g->v->limbs[g->limb].contacts[0], hand.rotation, normal, ways);
    for (int i = 0; i < HF_HAND_WAYS && !comes; i++) {
        hf_transform before = hand;
        double back = HF_HAND_LEAST_LINE * g->world->options->approach_m;
        before.position = hf_add(hand.position, hf_scale(ways[i], back));
        comes = free_of_others(g, before);
    }
    return comes;
}

/* Are the fingers free of all other objects while they close to what they are in g->q? */
bool hf_hand_closing_is_free(hf_hand_closing* g, hf_transform hand) {
    enum { LOOKS = 4 };
    const double* open = g->open;
    bool free = true;
    memcpy(g->closed, g->q, sizeof(double) * (size_t)g->v->q_count);
    for (int i = 1; i <= LOOKS && free; i++) {
        for (int k = 0; k < g->v->q_count; k++) g->q[k] = open[k] + (g->closed[k] - open[k]) * i / LOOKS;
        free = free_of_others(g, hand);
    }
    memcpy(g->q, g->closed, sizeof(double) * (size_t)g->v->q_count);
    return free;
}

hf_status hf_hand_keep_grasp(hf_hand_closing* g, hf_transform hand, const hf_surface* s, int contacts) {
    hf_hand_grasp* to = &g->out->items[g->out->count++];
    hf_transform into = hf_inverse(g->at);
    size_t n = (size_t)g->v->q_count + 1;
    *to = (hf_hand_grasp){.hand = hf_compose(into, hand),
                          .way = hf_neg(hf_rotate(into.rotation, s->normal)),
                          .contacts = contacts,
                          .q = hf_workspace_take(g->workspace, n, sizeof(double))};
    to->hold = hf_hold_in_object(
        (hf_hold){.limb = g->limb, .frame = 0, .object = g->object, .grip = g->grip, s->point, s->normal},
        g->at);
    if (!to->q) return HF_ERROR_MEMORY;
    memcpy(to->q, g->q, sizeof(double) * (n - 1));
    return HF_OK;
}

/* ---- the whole ---- */

static void list_hand(hf_hand_closing* g) {
    g->hand_count = 0;
    for (int b = 0; b < g->v->body_count; b++)
        if (is_beyond(g, g->v->bodies[b].link, g->v->limbs[g->limb].effector_link))
            g->hand[g->hand_count++] = b;
}

hf_status hf_hand_closing_start(hf_hand_closing* g) {
    g->links = hf_workspace_take(g->workspace, (size_t)g->v->link_count, sizeof *g->links);
    g->q = hf_workspace_take(g->workspace, (size_t)g->v->q_count + 1, sizeof *g->q);
    g->closed = hf_workspace_take(g->workspace, (size_t)g->v->q_count + 1, sizeof *g->closed);
    g->hand = hf_workspace_take(g->workspace, (size_t)g->v->body_count + 1, sizeof *g->hand);
    g->supports = hf_workspace_take(g->workspace, (size_t)g->v->body_count + 1, sizeof *g->supports);
    if (!g->links || !g->q || !g->closed || !g->hand || !g->supports) return HF_ERROR_MEMORY;
    list_hand(g);
    g->open = g->world->stand.q;
    hf_status status = hf_placement_create(g->scene, &g->alone);
    if (status == HF_OK) status = hf_stance_create(&g->stance);
    if (status != HF_OK) return status;
    for (int i = 0; i < hf_scene_object_count(g->scene); i++)
        if (i != g->object) hf_placement_enable(g->alone, i, false);
    g->at = hf_placement_pose(g->world->placement, g->object);
    hf_placement_move(g->alone, g->object, g->at);
    return HF_OK;
}

void hf_hand_closing_end(hf_hand_closing* g) {
    hf_placement_free(g->alone);
    hf_stance_free(g->stance);
}
