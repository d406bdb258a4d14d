/* Steps: the planner walks the creature to another standing place, and a roadmap of its own is made there. */
#include "reach/reach_run.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <holdfast/edit.h>
#include <holdfast/stand.h>

#include <math.h>
#include <string.h>

enum { SAMPLES = 2000 }; /* of each limb: feet go to the ground beside them */
/* Times that differ by less are the same, s. */
static const double SAME_S = 1e-9;

/* A hold of a plan in the world, with its object where it is now. */
static hf_hold hold_now(const hf_reach_runner* r, const hf_hold* hold) {
    hf_transform object =
        hold->object >= 0 ? hf_placement_pose(r->world.placement, hold->object) : hf_transform_identity();
    return hf_hold_in_world(*hold, object);
}

/* Appends a plan's knots, which begin where the stage is, with what is held at each. */
static hf_status append(hf_reach_runner* r, const hf_schedule* plan) {
    hf_reach_stage* s = &r->stage;
    double begin_s = (s->frames - 1) / r->options->rate;
    hf_status status = HF_OK;
    for (int k = 1; k < plan->knot_count && status == HF_OK; k++) {
        const hf_knot* knot = &plan->knots[k];
        hf_hold holds[HF_STANCE_SUPPORTS];
        int n = 0;
        for (int h = 0; h < plan->hold_count && n < HF_STANCE_SUPPORTS; h++) {
            const hf_schedule_hold* held = &plan->holds[h];
            if (held->from_s > knot->time_s + SAME_S || held->to_s < knot->time_s - SAME_S) continue;
            holds[n++] = hold_now(r, &held->hold);
        }
        status = hf_schedule_add(s->schedule, r->world.placement, begin_s + knot->time_s,
                                 &(hf_pose){knot->root, knot->q}, holds, n, knot->stance);
    }
    double last_s = begin_s + plan->knots[plan->knot_count - 1].time_s;
    s->frames = (int)lround(last_s * r->options->rate) + 1;
    return status;
}

/* The scene as it is now: objects that were moved, or that have keys, stand where they are. */
static hf_status scene_now(const hf_reach_runner* r, hf_scene** now, hf_error* error) {
    const hf_scene* scene = r->scenario->scene;
    int count = hf_scene_object_count(scene), n = 0;
    hf_scene_edit* edits = hf_workspace_take(r->workspace, (size_t)count + 1, sizeof *edits);
    if (!edits) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        hf_object_view o = hf_scene_object(scene, i);
        hf_transform at = hf_placement_pose(r->world.placement, i);
        if (memcmp(&at, &o.start, sizeof at) == 0 && o.key_count == 0) continue;
        edits[n] = hf_scene_edit_of(o.name);
        edits[n].has_position = edits[n].has_rotation = true;
        edits[n].position = at.position, edits[n].rotation = at.rotation;
        n++;
    }
    return hf_scene_change(scene, edits, n, now, error);
}

/* What the legs hold in the world where a plan ends; false where one of them holds nothing. */
static bool last_feet(const hf_reach_runner* r, const hf_schedule* plan, hf_hold feet[2]) {
    double end_s = plan->knots[plan->knot_count - 1].time_s;
    bool both[2] = {false, false};
    for (int h = 0; h < plan->hold_count; h++) {
        const hf_schedule_hold* held = &plan->holds[h];
        if (held->to_s < end_s - SAME_S) continue;
        for (int side = 0; side < 2; side++) {
            if (held->hold.limb != r->layer->legs[side]) continue;
            feet[side] = hold_now(r, &held->hold);
            both[side] = true;
        }
    }
    return both[0] && both[1];
}

static hf_status walk(hf_reach_runner* r, const hf_action* a, hf_pose* end, hf_hold feet_then[2],
                      bool* arrived) {
    hf_plan_options o = hf_plan_options_default();
    hf_plan_model* model = NULL;
    hf_stand_result goal = {0};
    hf_plan_result plan = {0};
    hf_error error = {0};
    o.samples = SAMPLES, o.seed = r->options->seed, o.threads = r->options->threads,
    o.rate = r->options->rate;
    o.still = true; // reach motions claim balance at rest
    hf_reach_worker* w = r->stage.worker;
    hf_reach_state(w, r->stage.state, r->stage.state);
    hf_hold feet[2] = {r->world.stand.feet[0], r->world.stand.feet[1]};
    hf_scenario_state start = {.pose = w->pose, .whole = true, .contact_count = 2, .contacts = feet};
    hf_scene* scene = NULL;
    hf_status status = scene_now(r, &scene, &error);
    if (status == HF_OK) status = hf_plan_model_create(r->world.creature, &o, &model, &error);
    if (status == HF_OK) status = hf_stand(model, scene, a->at[0], a->at[1], a->at[2], &o, &goal, &error);
    if (status == HF_OK && goal.outcome != HF_FOUND)
        hf_reach_say(r, HF_NONE, "there is no standing pose at %.2f %.2f: %s", a->at[0], a->at[1], goal.why);
    if (status == HF_OK && goal.outcome == HF_FOUND) {
        hf_plan_query q = {.start = &start, .goal = &goal.state, .forwards = true};
        status = hf_plan_find(model, scene, &q, &o, hf_reach_ask, r, &plan, &error);
        bool found = status == HF_OK && plan.outcome == HF_FOUND;
        *arrived = found && last_feet(r, plan.schedule, feet_then);
        if (found && !*arrived)
            hf_reach_say(r, HF_NONE, "the steps to %.2f %.2f do not end on both feet", a->at[0], a->at[1]);
        else if (status == HF_OK && !*arrived)
            hf_reach_say(r, HF_NONE, "there are no steps to %.2f %.2f: %s", a->at[0], a->at[1],
                         hf_plan_why_text(plan.why));
    }
    if (status == HF_OK && *arrived) {
        const hf_knot* last = &plan.schedule->knots[plan.schedule->knot_count - 1];
        status = append(r, plan.schedule);
        end->root = last->root;
        memcpy(end->q, last->q, sizeof(double) * (size_t)r->world.creature->view.q_count);
    }
    hf_plan_result_free(&plan);
    hf_stand_result_free(&goal);
    hf_plan_model_free(model);
    hf_scene_free(scene);
    return status;
}

hf_status hf_reach_step(hf_reach_runner* r, const hf_action* a) {
    if (r->world.load_count)
        return hf_reach_say(r, HF_INFEASIBLE,
                            "the planner of steps does not know what is carried: let go first");
    hf_status status = hf_reach_go(r, r->world.rest, -1);
    if (status != HF_OK || r->now->outcome != HF_FOUND) return status;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_pose end = {
        .q = hf_workspace_take(r->workspace, (size_t)r->world.creature->view.q_count + 1, sizeof(double))};
    bool arrived = false;
    hf_hold feet[2];
    status = end.q ? walk(r, a, &end, feet, &arrived) : HF_ERROR_MEMORY;
    if (status == HF_OK && arrived) status = hf_reach_settle(r, &end, feet);
    hf_workspace_end(r->workspace, mark);
    return status;
}
