/* Where a plan starts: the contacts of a whole pose, or a stance found at a root. */
#include "plan/step.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

/* The limb exactly on the contact. */
static bool draw_to(hf_planner* p, hf_hold* c, hf_pose* pose) {
    const hf_limb* l = &p->world.view->limbs[c->limb];
    hf_forward(p->world.creature, pose, p->tools.links);
    if (l->joint_count == 0) { // no joint brings it there
        const hf_contact_frame* f = &l->contacts[c->frame];
        hf_vec3 on_ball = hf_sub(hf_apply(p->tools.links[f->link], f->offset), hf_scale(c->normal, f->ball));
        return hf_distance(on_ball, c->point) <= HF_SLIP_M;
    }
    hf_target t = {.kind = c->grip ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                   .limb = c->limb,
                   .contact = c->frame,
                   .point = c->point,
                   .normal = c->normal};
    hf_solve_options o = hf_solve_options_default();
    o.posture = pose->q;
    hf_solve_result r;
    hf_status status = hf_limb_solve(p->world.creature, &p->tools.links[l->base_link], &t, &o,
                                     p->tools.workspace, pose->q, &r);
    hf_plan_note(p, status);
    return status == HF_OK && (r.outcome == HF_FOUND || r.outcome == HF_PARTIAL) &&
           r.position_error_m < HF_HELD_M;
}

static bool add_contact(hf_planner* p, hf_hold* c, hf_pose* pose, hf_plan_hold* holds, int* count) {
    if (*count == HF_MAX_HOLDS || !draw_to(p, c, pose)) return false;
    hf_hold_make(p, c, pose, &holds[*count]);
    holds[*count].overlaps = true;
    hf_hold_span(&p->world, 0, &holds[*count]);
    hf_hold_tighten(p, 0, pose, &holds[(*count)++]);
    return true;
}

int hf_plan_contacts(hf_planner* p, const hf_scenario_state* state, hf_pose* pose, hf_plan_hold* holds) {
    int count = 0;
    for (int i = 0; i < state->contact_count; i++) {
        const hf_hold* k = &state->contacts[i];
        hf_forward(p->world.creature, pose, p->tools.links);
        hf_hold c = {.limb = k->limb};
        bool found = hf_hold_find(p->world.creature, p->world.placement, p->tools.links, k->limb,
                                  HF_NAMED_TOUCH_M, &c);
        if (hf_length(k->normal) > 0) {
            c.point = k->point, c.normal = k->normal;
            if (k->object >= 0) c.object = k->object;
            found = found || k->object >= 0;
            c.grip = p->world.view->limbs[k->limb].grip && hf_scene_object(p->world.scene, c.object).grip;
        }
        if (!found || !add_contact(p, &c, pose, holds, &count)) return -1 - k->limb;
    }
    for (int l = 0; l < p->world.view->limb_count && state->contact_count == 0; l++) {
        hf_hold c;
        if (!p->world.model->limbs[l].used) continue;
        hf_forward(p->world.creature, pose, p->tools.links);
        if (hf_hold_find(p->world.creature, p->world.placement, p->tools.links, l, HF_TOUCH_M, &c))
            add_contact(p, &c, pose, holds, &count);
    }
    return count;
}

/* Attempts in turn keep to where the joints of toes and wrists bear the body, if the start does so; count
   also an edge of patches that only steady it; count whole patches, as with weak joints there may be no other
   plan. Five, as each second and each third attempt differs from the others in other ways. */
static const hf_sparing sparings[] = {HF_SPARE_ALL, HF_SPARE_ALL, HF_SPARE_EDGES, HF_SPARE_NONE,
                                      HF_SPARE_NONE};
enum { SPARINGS = sizeof sparings / sizeof *sparings };

/* The margin of the stance in its pose, m; -INFINITY where a tool failed. */
static double margin_of(hf_planner* p, const hf_plan_node* n) {
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    double margin = stance ? hf_stance_margin(stance, hf_com_at(p, &n->pose)) : -INFINITY;
    hf_stance_return(p, stance);
    return margin;
}

/* One more limb holds on at the best place for it, where it has one. */
static void add_limb(hf_planner* p, hf_plan_node* n, int limb) {
    hf_step_query q = {
        .poses = &n->pose, .pose_count = 1, .rest = n->holds, .rest_count = n->hold_count, .limb = limb};
    hf_step_list list;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    bool found = hf_spots_cover(p, n->guide_index) && hf_steps_take(p, &list) &&
                 hf_step_places(p, &q, &list) && list.count > 0;
    if (found) {
        hf_pose_copy(&p->world, &(hf_pose){list.items[0].root, list.items[0].q}, &n->pose);
        n->holds[n->hold_count++] = list.items[0].hold;
    }
    hf_workspace_end(p->tools.workspace, mark);
}

/* A stance at a root alone: walking limbs under the body, then others until the body is held. */
static void find_stance(hf_planner* p, hf_plan_node* n) {
    for (int turn = 0; turn < 2; turn++)
        for (int l = 0; l < p->world.view->limb_count && n->hold_count < HF_MAX_HOLDS; l++) {
            const hf_plan_limb* m = &p->world.model->limbs[l];
            if (turn == 1 && n->hold_count > 0 && margin_of(p, n) > 2 * p->world.options->margin_m) return;
            if (!m->used || m->walks != (turn == 0) || p->world.view->limbs[l].joint_count == 0 ||
                !hf_limb_idle(&p->world, n->holds, n->hold_count, l))
                continue;
            add_limb(p, n, l);
        }
}

/* Balanced and free as it stands. */
static bool stands(hf_planner* p, const hf_plan_node* n, hf_plan_why* why) {
    hf_collision hit;
    bool collides = hf_holds_collide(p, n->holds, n->hold_count, &n->pose, &hit);
    if (collides) hf_plan_hit(p, &hit);
    *why = collides ? HF_PLAN_START_COLLIDES : HF_PLAN_START_UNBALANCED;
    return !collides && n->hold_count > 0 && margin_of(p, n) >= p->world.options->margin_m;
}

void hf_plan_home(hf_planner* p, const double* q) {
    memcpy(p->world.home, p->world.model->standing, sizeof(double) * (size_t)p->world.view->q_count);
    for (int j = 0; j < p->world.view->joint_count; j++) {
        const hf_joint* joint = &p->world.view->joints[j];
        bool tip = false;
        for (int l = 0; l < p->world.view->limb_count && p->world.model->loose_joint[j] && !tip; l++)
            tip = p->world.view->limbs[l].joint_count > 0 && !p->world.view->limbs[l].grip &&
                  hf_effector_has(p->world.creature, l, joint->child_link);
        if (tip)
            memcpy(p->world.home + joint->q_index, q + joint->q_index,
                   sizeof(double) * (size_t)joint->q_count);
    }
}

/* A stance found at the start's root, in a pose that it holds. */
static bool find_start(hf_planner* p, const hf_scenario_state* start, hf_plan_node* n) {
    hf_pose_copy(&p->world, &start->pose, &n->pose);
    n->hold_count = 0;
    find_stance(p, n);
    if (n->hold_count == 0) return false;
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    bool good = stance && hf_stance_pose(p, n->holds, n->hold_count, stance, hf_pose_margin(p),
                                         start->pose.root, NULL, &n->pose);
    hf_stance_return(p, stance);
    return good;
}

bool hf_plan_begin(hf_planner* p, const hf_scenario_state* start, hf_plan_node* n, hf_plan_why* why) {
    hf_plan_home(p, start->pose.q);
    hf_pose_copy(&p->world, &start->pose, &n->pose);
    n->guide_index = n->first_knot = 0;
    n->parent = n->last_limb = -1;
    n->pace = HF_PLAN_AT_REST;
    // as it is given, or as the rest posture happens to touch
    p->world.spares = HF_SPARE_NONE;
    n->hold_count = hf_plan_contacts(p, start, &n->pose, n->holds);
    if (n->hold_count < 0) p->tree.block.limb = -1 - n->hold_count, n->hold_count = 0;
    if (!stands(p, n, why) && (start->whole || !find_start(p, start, n))) return false;
    hf_plan_note(p, hf_knots_add(&p->tree.knots, &n->pose, 0, -1));
    n->end_knot = p->tree.knots.count;
    p->world.spares = sparings[p->world.attempt % SPARINGS];
    if (margin_of(p, n) < p->world.options->margin_m) p->world.spares = HF_SPARE_NONE;
    return hf_plan_ok(p);
}
