/* Footing: where a limb's contact frame at rest meets what lies under the body, pose by pose along the guide.
   Contact queries draw from samples and seldom hit the few centimetres that a tread leaves a foot; these
   places are exact, turned as the body is, and few. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

static const double NEAREST = 0.2, FARTHEST = 1.8; /* of the rest length: what counts as under the limb */
static const double LEAST_FACING = 0.8;            /* cosine between the surface's normal and the way out */
static const double LONGEST = 0.9;                 /* step, of the limb's length */
static const double APART = 0.035;                 /* creature heights between two places */
enum { FARTHEST_POSES = 200, MOST = HF_STEP_CANDIDATES / 2 };
static const double LEVEL_RAD = 0.2; /* tilts from which on a body's own down and the world's are two ways */

hf_transform hf_root_upright(hf_transform root) {
    hf_vec3 up = hf_rotate(root.rotation, hf_v3(0, 0, 1));
    root.rotation = hf_quat_mul(hf_quat_between(up, hf_v3(0, 0, 1)), root.rotation);
    return root;
}

/* The surface under the limb's rest contact with the root there. */
static bool find_under(const hf_planner* p, const hf_plan_limb* l, hf_transform root, hf_surface* hit,
                       hf_vec3* normal) {
    hf_vec3 foot = hf_apply(root, l->rest_in_root), base = hf_apply(root, l->anchor_in_root);
    hf_vec3 way = hf_rotate(root.rotation, hf_v3(0, 0, -1));
    double length = hf_dot(hf_sub(foot, base), way);
    if (length < 0.2 * hf_distance(foot, base)) return false;
    hf_vec3 from = hf_sub(foot, hf_scale(way, length));
    if (!hf_placement_ray(p->placement, from, way, FARTHEST * length, hit)) return false;
    *normal = hf_dot(hit->normal, way) > 0 ? hf_neg(hit->normal) : hit->normal;
    return hf_distance(from, hit->point) > NEAREST * length && hf_dot(*normal, way) < -LEAST_FACING &&
           hf_scene_object(p->scene, hit->object).contact;
}

/* The limb on the place, its effector turned as at rest with the root there; from the pose. */
static bool set_foot(hf_planner* p, const hf_pose* pose, hf_transform root, const hf_hold* c, double* q) {
    const hf_limb* limb = &p->view->limbs[c->limb];
    const hf_contact_frame* f = &limb->contacts[c->frame];
    hf_quat wanted = hf_quat_mul(root.rotation, p->model->limbs[c->limb].rest_turn);
    hf_vec3 own = hf_rotate(wanted, f->normal), into = hf_neg(c->normal);
    bool ball = f->ball > 0;
    hf_target t = {.kind = ball ? HF_TARGET_POSITION : HF_TARGET_POSE,
                   .limb = c->limb,
                   .contact = c->frame,
                   .point = ball ? hf_add(c->point, hf_scale(c->normal, f->ball)) : c->point,
                   .normal = c->normal,
                   .rotation = hf_quat_mul(hf_quat_between(own, into), wanted)};
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.whole = true;
    hf_forward(p->creature, pose, p->links);
    hf_transform base = p->links[limb->base_link];
    for (int try = 0; try < 2; try++) {
        memcpy(q, pose->q, sizeof(double) * (size_t)p->view->q_count);
        if (try) hf_limb_loosen(p->creature, c->limb, q);
        hf_solve_result r;
        if (hf_limb_solve(p->creature, &base, &t, &o, p->workspace, q, &r) != HF_OK) p->out_of_memory = true;
        if (p->out_of_memory) return false;
        if (r.outcome == HF_FOUND) return true;
    }
    return false;
}

typedef struct footing {
    hf_planner* planner;
    const hf_pose* poses;
    int pose_count;
    const hf_plan_hold* rest;
    int rest_count, limb, index;
} footing;

/* The limb on the place from one of the poses, free of collision. */
static bool reach(const footing* g, const hf_pose* pose, hf_transform root, const hf_hold* c,
                  hf_step_candidate* to) {
    hf_planner* p = g->planner;
    if (!set_foot(p, pose, root, c, to->q)) return false;
    hf_pose at = {pose->root, to->q};
    hf_hold_make(p, c, &at, &to->hold);
    if (to->hold.support.corner_count == 0) return false;
    hf_plan_hold all[HF_MAX_HOLDS];
    memcpy(all, g->rest, sizeof *g->rest * (size_t)g->rest_count);
    all[g->rest_count] = to->hold;
    hf_collision hit;
    to->root = pose->root;
    return !hf_holds_collide(p, all, g->rest_count + 1, -1, &at, &hit);
}

/* One place as a candidate, when it is one. */
static void try_place(const footing* g, hf_transform root, hf_step_list* list) {
    hf_planner* p = g->planner;
    hf_hold c = {.limb = g->limb};
    hf_surface hit;
    if (list->count == MOST) return;
    if (!find_under(p, &p->model->limbs[g->limb], root, &hit, &c.normal)) return;
    c.object = hit.object, c.point = hit.point;
    for (int i = 0; i < list->count; i++)
        if (hf_distance(list->items[i].hold.at.point, c.point) < APART * p->view->height) return;
    hf_step_candidate* to = &list->items[list->count];
    bool reached = false;
    for (int i = 0; i < g->pose_count && !reached; i++) reached = reach(g, &g->poses[i], root, &c, to);
    if (!reached) return;
    hf_hold_span(p, g->index, &to->hold);
    list->count++;
}

bool hf_footing_list(hf_planner* p, const hf_pose* poses, int pose_count, const hf_plan_hold* rest,
                     int rest_count, int limb, const hf_plan_hold* old, int index, hf_step_list* list) {
    footing g = {p, poses, pose_count, rest, rest_count, limb, index};
    if (!p->model->limbs[limb].walks) return true;
    // from where the old contact is under the body
    int first = 0;
    double nearest = INFINITY;
    for (int i = 0; old && i < p->guide_count; i++) {
        double d = hf_distance(hf_apply(hf_root_upright(p->guide[i]), p->model->limbs[limb].rest_in_root),
                               old->at.point);
        if (d < nearest && i >= old->since && i <= old->until) nearest = d, first = i;
    }
    if (!old) first = index;
    // to where the limb could hardly step to at once, far ones first
    int last = first;
    hf_vec3 rest_place = p->model->limbs[limb].rest_in_root;
    hf_vec3 from = old ? old->at.point : hf_apply(hf_root_upright(p->guide[first]), rest_place);
    double longest = LONGEST * p->view->limbs[limb].length;
    while (last + 1 < p->guide_count && last < index + FARTHEST_POSES &&
           hf_distance(hf_apply(hf_root_upright(p->guide[last]), rest_place), from) < longest)
        last++;
    for (int i = last; i >= first && !p->out_of_memory; i--) {
        hf_transform level = hf_root_upright(p->guide[i]);
        try_place(&g, level, list);
        if (hf_quat_angle(level.rotation, p->guide[i].rotation) > LEVEL_RAD) try_place(&g, p->guide[i], list);
    }
    return !p->out_of_memory;
}
