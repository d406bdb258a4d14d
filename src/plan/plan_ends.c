/* Where a plan starts: the contacts of a whole pose, or a stance found at a root. */
#include "plan/planner.h"

#include "model/creature.h"

#include <math.h>
#include <string.h>

/* The limb exactly on the contact. */
static bool draw_to(hf_planner* p, hf_hold* c, hf_pose* pose) {
    const hf_limb* l = &p->view->limbs[c->limb];
    hf_forward(p->creature, pose, p->links);
    if (l->joint_count == 0) return true;
    hf_target t = {.kind = c->grip ? HF_TARGET_POSITION : HF_TARGET_NORMAL,
                   .limb = c->limb,
                   .contact = c->frame,
                   .point = c->point,
                   .normal = c->normal};
    hf_solve_options o = hf_solve_options_default();
    o.posture = pose->q;
    hf_solve_result r;
    hf_status status = hf_limb_solve(p->creature, &p->links[l->base_link], &t, &o, p->workspace, pose->q, &r);
    if (status != HF_OK) p->out_of_memory = true;
    return status == HF_OK && (r.outcome == HF_FOUND || r.outcome == HF_PARTIAL) && r.position_error_m < 2e-4;
}

static bool add_contact(hf_planner* p, hf_hold* c, hf_pose* pose, hf_plan_hold* holds, int* count) {
    if (*count == HF_MAX_HOLDS || !draw_to(p, c, pose)) return false;
    hf_hold_make(p, c, pose, &holds[*count]);
    holds[*count].overlaps = true;
    hf_hold_span(p, 0, &holds[*count]);
    hf_hold_tighten(p, 0, pose, &holds[(*count)++]);
    return true;
}

int hf_plan_contacts(hf_planner* p, const hf_scenario_state* state, hf_pose* pose, hf_plan_hold* holds) {
    int count = 0;
    for (int i = 0; i < state->contact_count; i++) {
        const hf_hold* k = &state->contacts[i];
        hf_forward(p->creature, pose, p->links);
        hf_hold c = {.limb = k->limb};
        bool found = hf_hold_find(p->creature, p->placement, p->links, k->limb, HF_NAMED_TOUCH_M, &c);
        if (hf_length(k->normal) > 0) {
            c.point = k->point, c.normal = k->normal;
            if (k->object >= 0) c.object = k->object;
            found = found || k->object >= 0;
        }
        if (!found || !add_contact(p, &c, pose, holds, &count)) return -1 - k->limb;
    }
    for (int l = 0; l < p->view->limb_count && state->contact_count == 0; l++) {
        hf_hold c;
        if (!p->model->limbs[l].used) continue;
        hf_forward(p->creature, pose, p->links);
        if (hf_hold_find(p->creature, p->placement, p->links, l, HF_TOUCH_M, &c))
            add_contact(p, &c, pose, holds, &count);
    }
    return count;
}

/* A stance at a root alone: walking limbs under the body, then whoever helps. */
static void find_stance(hf_planner* p, hf_plan_node* n) {
    for (int turn = 0; turn < 2; turn++)
        for (int l = 0; l < p->view->limb_count && n->hold_count < HF_MAX_HOLDS; l++) {
            const hf_plan_limb* m = &p->model->limbs[l];
            if (!m->used || m->walks != (turn == 0) || p->view->limbs[l].joint_count == 0 ||
                !hf_limb_idle(p, n->holds, n->hold_count, l))
                continue;
            hf_vec3 wish = hf_apply(n->pose.root, p->model->limbs[l].rest_in_root);
            if (!hf_step_find(p, &n->pose, n->holds, n->hold_count, l, 0, &wish)) continue;
            const hf_step_candidate* c = &p->steps.items[0];
            memcpy(n->pose.q, c->q, sizeof(double) * (size_t)p->view->q_count);
            n->holds[n->hold_count++] = c->hold;
            // helpers only until the body is held
            if (turn == 1 && hf_holds_stance(p, n->holds, n->hold_count, -1, p->stance_a)) {
                hf_forward(p->creature, &n->pose, p->links);
                if (hf_stance_margin(p->stance_a, hf_com(p->creature, p->links)) > 2 * p->options->margin_m)
                    return;
            }
        }
}

/* Balanced and free as it stands. */
static bool stands(hf_planner* p, const hf_plan_node* n, hf_plan_why* why) {
    hf_collision hit;
    *why = HF_PLAN_START_UNBALANCED;
    if (n->hold_count == 0 || !hf_holds_stance(p, n->holds, n->hold_count, -1, p->stance_a)) return false;
    if (hf_holds_collide(p, n->holds, n->hold_count, -1, &n->pose, &hit)) {
        *why = HF_PLAN_START_COLLIDES;
        return false;
    }
    hf_forward(p->creature, &n->pose, p->links);
    return hf_stance_margin(p->stance_a, hf_com(p->creature, p->links)) >= p->options->margin_m;
}

/* A start pose may hold toes up for what comes: they stay so. A hand that grips opens on its way. */
static void find_home(hf_planner* p, const hf_scenario_state* start) {
    memcpy(p->home, p->view->rest, sizeof(double) * (size_t)p->view->q_count);
    for (int j = 0; j < p->view->joint_count; j++) {
        const hf_joint* joint = &p->view->joints[j];
        bool tip = false;
        for (int l = 0; l < p->view->limb_count && p->model->loose_joint[j] && !tip; l++)
            tip = p->view->limbs[l].joint_count > 0 && !p->view->limbs[l].grip &&
                  hf_effector_has(p->creature, l, joint->child_link);
        if (tip)
            memcpy(p->home + joint->q_index, start->pose.q + joint->q_index,
                   sizeof(double) * (size_t)joint->q_count);
    }
}

bool hf_plan_begin(hf_planner* p, const hf_scenario_state* start, hf_plan_node* n, hf_plan_why* why) {
    size_t bytes = sizeof(double) * (size_t)p->view->q_count;
    find_home(p, start);
    n->pose.root = start->pose.root;
    memcpy(n->pose.q, start->pose.q, bytes);
    n->guide_index = n->first_frame = 0;
    n->parent = n->last_limb = -1;
    // as it is given, or as the rest posture happens to touch
    n->hold_count = hf_plan_contacts(p, start, &n->pose, n->holds);
    if (n->hold_count < 0) n->hold_count = 0;
    bool good = stands(p, n, why);
    if (!good && start->whole) return false;
    if (!good) {
        n->pose.root = start->pose.root;
        memcpy(n->pose.q, start->pose.q, bytes);
        n->hold_count = 0;
        find_stance(p, n);
        good = n->hold_count > 0 && hf_holds_stance(p, n->holds, n->hold_count, -1, p->stance_a) &&
               hf_stance_pose(p, n->holds, n->hold_count, p->stance_a, p->options->margin_m * 1.02,
                              start->pose.root, NULL, &n->pose);
    }
    if (!good) return false;
    if (!hf_frames_add(&p->frames, &n->pose, 0, -1)) p->out_of_memory = true;
    n->end_frame = p->frames.count;
    return !p->out_of_memory;
}
