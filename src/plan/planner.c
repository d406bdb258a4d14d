/* The memory of one attempt. */
#include "plan/descent.h"

#include "balance/bearing.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/workspace.h"

static bool take_memory(hf_planner* p) {
    size_t q = (size_t)p->world.view->q_count + 1;
    p->tools.links = hf_alloc((size_t)p->world.view->link_count, sizeof *p->tools.links);
    p->tools.jacobian = hf_alloc(3 * (size_t)p->world.view->v_count, sizeof *p->tools.jacobian);
    p->tree.nodes = hf_alloc(HF_MAX_STANCES, sizeof *p->tree.nodes);
    p->tree.nodes_q = hf_alloc(HF_MAX_STANCES * q, sizeof *p->tree.nodes_q);
    p->world.home = hf_alloc(q, sizeof *p->world.home);
    return p->tools.links && p->tools.jacobian && p->tree.nodes && p->tree.nodes_q && p->world.home;
}

hf_status hf_planner_begin(hf_planner* p) {
    hf_plan_tools* t = &p->tools;
    hf_status status = hf_knees_narrow(p->world.model, p->start_q, p->goal_q, &p->narrowed);
    if (status != HF_OK) return status;
    p->world.creature = p->narrowed;
    p->world.view = hf_creature_get(p->narrowed);
    size_t q = (size_t)p->world.view->q_count + 1;
    if (!take_memory(p)) return HF_ERROR_MEMORY;
    p->tree.knots.q_count = p->world.view->q_count;
    for (int i = 0; i < HF_MAX_STANCES; i++) p->tree.nodes[i].pose.q = p->tree.nodes_q + (size_t)i * q;
    hf_plan_note(p, hf_workspace_create(&t->workspace));
    hf_plan_note(p, hf_placement_create(p->world.scene, &p->world.placement));
    hf_plan_note(p, hf_swing_create(p->world.creature, &t->swing));
    hf_plan_note(p, hf_timing_create(&t->timing));
    hf_plan_note(p, hf_clearance_create(p->world.creature, &t->clearance));
    for (int i = 0; i < HF_STANCES; i++) hf_plan_note(p, hf_stance_create(&t->stances[i]));
    return t->status;
}

void hf_planner_end(hf_planner* p) {
    hf_plan_tools* t = &p->tools;
    for (int i = 0; i < HF_STANCES; i++) hf_stance_free(t->stances[i]);
    hf_clearance_free(t->clearance);
    hf_timing_free(t->timing);
    hf_swing_free(t->swing);
    hf_workspace_free(t->workspace);
    hf_free(t->jacobian);
    hf_free(t->links);
    hf_knots_free(&p->tree.knots);
    hf_free(p->tree.nodes);
    hf_free(p->tree.nodes_q);
    hf_placement_free(p->world.placement);
    hf_free(p->world.spots);
    hf_free(p->world.home);
    hf_descent_free(p->own_descent);
    hf_free(p->own_guide);
    hf_free(p->world.barred);
    hf_knees_free(p->narrowed);
}

hf_pose hf_take_pose(hf_planner* p) {
    hf_pose pose = {
        .q = hf_workspace_take(p->tools.workspace, (size_t)p->world.view->q_count + 1, sizeof(double))};
    if (!pose.q) hf_plan_note(p, HF_ERROR_MEMORY);
    return pose;
}

/* A patch on which the joints bear less than this share of the body's weight, wherever it presses, counts for
   nothing: fingers that lie flat on the ground steady a body, but do not carry it. */
static const double LEAST_SHARE = 0.5;

hf_support hf_hold_bears(const hf_planner* p, const hf_plan_hold* hold, hf_sparing spares) {
    hf_support s = hold->support;
    double least = spares == HF_SPARE_ALL ? LEAST_SHARE : 0;
    if (spares != HF_SPARE_NONE)
        hf_support_spare_joints(p->world.creature, &hold->at, &hold->anchor, least, &s);
    return s;
}

static hf_stance* borrow(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_sparing spares) {
    hf_support supports[HF_MAX_HOLDS];
    int n = 0;
    HF_ASSERT(p->tools.stances_borrowed < HF_STANCES);
    for (int i = 0; i < count; i++)
        if (holds[i].at.limb != skip) supports[n++] = hf_hold_bears(p, &holds[i], spares);
    hf_stance* stance = p->tools.stances[p->tools.stances_borrowed];
    hf_status status = hf_stance_build(stance, supports, n, p->world.view->mass, NULL, p->tools.workspace);
    if (!hf_plan_note(p, status)) return NULL;
    p->tools.stances_borrowed++;
    return stance;
}

hf_stance* hf_stance_borrow(hf_planner* p, const hf_plan_hold* holds, int count, int skip) {
    return borrow(p, holds, count, skip, p->world.spares);
}

hf_stance* hf_stance_borrow_whole(hf_planner* p, const hf_plan_hold* holds, int count) {
    return borrow(p, holds, count, -1, HF_SPARE_NONE);
}

void hf_stance_return(hf_planner* p, const hf_stance* stance) {
    if (stance) p->tools.stances_borrowed--;
}
