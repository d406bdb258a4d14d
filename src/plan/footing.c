/* Footing: where a limb's contact frame at rest meets what lies under the body, pose by pose along the guide.
   Contact queries draw from samples and seldom hit the few centimetres that a tread leaves a foot; these
   places are exact, turned as the body is, and few. */
#include "plan/step.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { MOST = HF_STEP_CANDIDATES / 2 };

/* The surface under the limb's rest contact with the root there. */
static bool find_under(const hf_plan_world* w, const hf_plan_limb* l, hf_transform root, hf_surface* hit,
                       hf_vec3* normal) {
    hf_vec3 foot = hf_apply(root, l->rest_in_root), base = hf_apply(root, l->anchor_in_root);
    hf_vec3 way = hf_rotate(root.rotation, hf_v3(0, 0, -1));
    double length = hf_dot(hf_sub(foot, base), way);
    if (length < HF_UNDER_NEAREST * hf_distance(foot, base)) return false;
    hf_vec3 from = hf_sub(foot, hf_scale(way, length));
    if (!hf_placement_ray(w->placement, from, way, HF_UNDER_FARTHEST * length, hit)) return false;
    *normal = hf_dot(hit->normal, way) > 0 ? hf_neg(hit->normal) : hit->normal;
    return hf_distance(from, hit->point) > HF_UNDER_NEAREST * length &&
           hf_dot(*normal, way) < -HF_LEAST_FACING && hf_scene_object(w->scene, hit->object).contact;
}

/* The limb on the place, its effector turned as at rest with the root there; from the pose. */
static bool set_foot(hf_planner* p, const hf_pose* pose, hf_transform root, const hf_hold* c, double* q) {
    const hf_limb* limb = &p->world.view->limbs[c->limb];
    const hf_contact_frame* f = &limb->contacts[c->frame];
    hf_quat wanted = hf_quat_mul(root.rotation, p->world.model->limbs[c->limb].rest_turn);
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
    hf_forward(p->world.creature, pose, p->tools.links);
    hf_transform base = p->tools.links[limb->base_link];
    for (int try = 0; try < 2; try++) {
        memcpy(q, pose->q, sizeof(double) * (size_t)p->world.view->q_count);
        if (try) hf_limb_loosen(p->world.creature, c->limb, q);
        hf_solve_result r;
        if (!hf_plan_note(p, hf_limb_solve(p->world.creature, &base, &t, &o, p->tools.workspace, q, &r)))
            return false;
        if (r.outcome == HF_FOUND) return true;
    }
    return false;
}

bool hf_footing_set(hf_planner* p, int limb, hf_pose* pose, hf_hold* hold) {
    const hf_plan_limb* l = &p->world.model->limbs[limb];
    hf_hold c = {.limb = limb};
    hf_surface hit;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose set = hf_take_pose(p);
    bool good = set.q && find_under(&p->world, l, pose->root, &hit, &c.normal);
    if (good) {
        c.object = hit.object, c.point = hit.point;
        set.root = pose->root;
        good = set_foot(p, pose, pose->root, &c, set.q);
    }
    if (good) hf_pose_copy(&p->world, &set, pose);
    if (good && hold) *hold = c;
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}

bool hf_footing_drop(hf_planner* p, int limb, int frame, hf_vec3 over, hf_pose* pose, hf_hold* hold) {
    hf_hold c = {.limb = limb, .frame = frame};
    hf_surface hit;
    hf_vec3 down = {0, 0, -1};
    double length = HF_UNDER_FARTHEST * p->world.view->limbs[limb].length;
    if (!hf_placement_ray(p->world.placement, over, down, length, &hit)) return false;
    c.normal = hit.normal.z < 0 ? hf_neg(hit.normal) : hit.normal;
    c.object = hit.object, c.point = hit.point;
    if (c.normal.z < HF_LEAST_FACING || !hf_scene_object(p->world.scene, hit.object).contact) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose set = hf_take_pose(p);
    set.root = pose->root;
    bool good = set.q && set_foot(p, pose, hf_root_upright(pose->root), &c, set.q);
    if (good) hf_pose_copy(&p->world, &set, pose), *hold = c;
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}

/* The limb on the place from one of the poses, free of collision. */
static bool reach(hf_planner* p, const hf_step_query* g, const hf_pose* pose, hf_transform root,
                  const hf_hold* c, hf_step_candidate* to) {
    if (!set_foot(p, pose, root, c, to->q)) return false;
    hf_pose at = {pose->root, to->q};
    hf_hold_make(p, c, &at, &to->hold);
    if (to->hold.support.corner_count == 0) return false;
    hf_plan_hold all[HF_MAX_HOLDS];
    memcpy(all, g->rest, sizeof *g->rest * (size_t)g->rest_count);
    all[g->rest_count] = to->hold;
    hf_collision hit;
    to->root = pose->root;
    return !hf_holds_collide(p, all, g->rest_count + 1, &at, &hit);
}

/* One place as a candidate, when it is one. */
static void try_place(hf_planner* p, const hf_step_query* g, hf_transform root, hf_step_list* list) {
    const hf_plan_world* w = &p->world;
    hf_hold c = {.limb = g->limb};
    hf_surface hit;
    if (list->count == MOST || !find_under(w, &w->model->limbs[g->limb], root, &hit, &c.normal)) return;
    c.object = hit.object, c.point = hit.point;
    for (int i = 0; i < list->count; i++)
        if (hf_distance(list->items[i].hold.at.point, c.point) < HF_SMALL_SHIFT * w->model->size) return;
    hf_step_candidate* to = &list->items[list->count];
    bool reached = false;
    for (int i = 0; i < g->pose_count && !reached; i++) reached = reach(p, g, &g->poses[i], root, &c, to);
    if (!reached) return;
    hf_hold_span(w, g->index, &to->hold);
    list->count++;
}

/* How far the limb's rest contact is from a point with the body upright at a guide pose. */
static double from_rest(const hf_plan_world* w, int limb, int pose, hf_vec3 point) {
    return hf_distance(hf_apply(hf_root_upright(w->guide[pose]), w->model->limbs[limb].rest_in_root), point);
}

void hf_footing_list(hf_planner* p, const hf_step_query* q, hf_step_list* list) {
    const hf_plan_world* w = &p->world;
    if (!w->model->limbs[q->limb].walks) return;
    // from where the old contact is under the body
    int first = q->old ? 0 : q->index;
    double nearest = INFINITY;
    for (int i = 0; q->old && i < w->guide_count; i++) {
        double d = from_rest(w, q->limb, i, q->old->at.point);
        if (d < nearest && i >= q->old->since && i <= q->old->until) nearest = d, first = i;
    }
    // to where the limb could hardly step to at once, far ones first
    int last = first;
    hf_vec3 rest_place = w->model->limbs[q->limb].rest_in_root;
    hf_vec3 from = q->old ? q->old->at.point : hf_apply(hf_root_upright(w->guide[first]), rest_place);
    double longest = w->view->limbs[q->limb].length;
    while (last + 1 < w->guide_count && from_rest(w, q->limb, last, from) < longest) last++;
    for (int i = last; i >= first && hf_plan_ok(p) && hf_workspace_goes_on(p->tools.workspace); i--) {
        hf_transform level = hf_root_upright(w->guide[i]);
        try_place(p, q, level, list);
        if (hf_quat_angle(level.rotation, w->guide[i].rotation) > HF_SMALL_TURN)
            try_place(p, q, w->guide[i], list);
    }
}
