/* Doors, drawers and lids: an object with a hinge or a slide, opened by its handle along its joint. */
#include "reach/transfer.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Steps of a joint between two states: a centimetre at a door's handle. */
static const double STEP_M = 0.01, STEP_RAD = 0.015;

/* Where the joint has the object, as seen from where it starts. */
static hf_transform moved_by(const hf_reach_object* o, double value) {
    if (o->joint == HF_OBJECT_SLIDE) return (hf_transform){hf_scale(o->axis, value), hf_quat_identity()};
    hf_quat turn = hf_quat_axis_angle(o->axis, value);
    return (hf_transform){hf_sub(o->origin, hf_rotate(turn, o->origin)), turn};
}

static hf_transform place_at(const hf_reach_runner* r, int object, double value) {
    hf_transform start = hf_scene_object(r->scenario->scene, object).start;
    return hf_compose(start, moved_by(&r->scenario->reach_objects[object], value));
}

typedef struct swinging {
    const hf_reach_runner* runner;
    const hf_reach_load* load;
    double from, to; /* of the joint */
} swinging;

static hf_hand_task swung(const void* user, double share) {
    const swinging* s = user;
    double value = s->from + (s->to - s->from) * share;
    return hf_reach_carry_task(s->runner, s->load, place_at(s->runner, s->load->object, value));
}

/* The states while the hand takes the object from one value of its joint to another; false where it cannot.
 */
static bool follow_joint(hf_reach_runner* r, const hf_reach_load* load, double from, double to,
                         const double* state, hf_space_rows* rows, hf_status* status) {
    swinging s = {r, load, from, to};
    bool slides = r->scenario->reach_objects[load->object].joint == HF_OBJECT_SLIDE;
    int n = (int)ceil(fabs(to - from) / (slides ? STEP_M : STEP_RAD));
    return hf_reach_guide(r->stage.worker, swung, &s, n, state, rows, status) == 1 && *status == HF_OK;
}

/* The states of the opening with this grasp, from the posture that holds the handle. */
static hf_status try_opening(hf_reach_runner* r, const hf_hand_grasp* g, double to, const double* state,
                             hf_space_rows* rows, bool* good) {
    double kept[HF_REACH_WIDTH];
    hf_error error;
    int object = g->hold.object;
    memcpy(kept, r->stage.state, sizeof kept);
    memcpy(r->stage.state, state, sizeof kept);
    hf_status status = hf_reach_attach(r, object, g, NULL, &error);
    rows->count = 0;
    if (status == HF_OK) {
        hf_reach_load* load = hf_reach_load_of(r, object);
        *good = follow_joint(r, load, r->joint_at[object], to, state, rows, &status);
        hf_reach_detach(r, load);
        hf_placement_move(r->world.placement, object, place_at(r, object, r->joint_at[object]));
    }
    memcpy(r->stage.state, kept, sizeof kept);
    return status;
}

static hf_status swing_by(hf_reach_runner* r, const hf_hand_grasp* g, double to, int index, int tries,
                          hf_hand_answer* answer, bool* done) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_space_rows rows = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    int object = g->hold.object;
    hf_transform at = hf_placement_pose(r->world.placement, object);
    hf_hand_task task = {.count = 1, .targets = {hf_reach_hand_target(r, g)}, .tries = tries};
    hf_vec3 back = hf_scale(hf_rotate(at.rotation, g->way), -r->options->approach_m);
    bool good = false;
    hf_reach_allow_touch(r, &g->hold);
    hf_status status = hf_reach_prepare(r, &task, back, index, answer, &line);
    hf_reach_forbid_touches(r);
    if (status == HF_OK && answer->found) {
        status = try_opening(r, g, to, answer->state, &rows, &good);
        if (!good) answer->why = r->stage.worker->why;
    }
    if (status != HF_OK || !good) return status;
    r->now->outcome = HF_FOUND;
    hf_reach_allow_touch(r, &g->hold);
    status = hf_reach_come(r, &line, g->hold.limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT);
    hf_reach_forbid_touches(r);
    if (status != HF_OK || r->now->outcome != HF_FOUND) return status;
    hf_error error;
    status = hf_reach_attach(r, object, g, NULL, &error);
    if (status == HF_OK) status = hf_reach_close_fingers(r, g->q);
    if (status == HF_OK) status = hf_reach_play(&r->stage, &rows, NULL, &good);
    if (status == HF_OK && !good)
        hf_reach_say(r, HF_NONE, "a frame of the opening does not hold: %s", r->stage.worker->why);
    *done = true;
    if (good) r->joint_at[object] = to;
    return status == HF_OK && r->now->outcome == HF_FOUND ? hf_reach_let_go(r, hf_reach_load_of(r, object))
                                                          : status;
}

/* How far the joint shall be open; false, and said, where it has none or it is not possible. */
static bool choose_value(hf_reach_runner* r, const hf_action* a, double* to) {
    const hf_reach_object* o = &r->scenario->reach_objects[a->object];
    hf_object_view v = hf_scene_object(r->scenario->scene, a->object);
    double at = r->joint_at[a->object], far = fabs(o->range[0]) > o->range[1] ? o->range[0] : o->range[1];
    if (o->joint == HF_OBJECT_FREE)
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" has no joint to open it by", v.name);
    else if (!v.movable)
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is not movable", v.name);
    if (a->kind == HF_ACTION_OPEN) *to = isnan(a->by) ? far : at + a->by;
    if (a->kind == HF_ACTION_CLOSE) *to = isnan(a->by) ? 0 : at - a->by;
    if (o->joint != HF_OBJECT_FREE && !(*to >= o->range[0] - 1e-9 && *to <= o->range[1] + 1e-9))
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" opens from %g to %g, not to %g", v.name, o->range[0],
                     o->range[1], *to);
    return r->now->outcome == HF_FOUND;
}

hf_status hf_reach_swing(hf_reach_runner* r, const hf_action* a, int index) {
    double to = 0;
    if (!choose_value(r, a, &to)) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_hand_answer answer = {0};
    bool done = false;
    hf_status status = HF_OK;
    const char* why = "both hands are full";
    for (int i = 0; i < 4 && status == HF_OK && !done; i++) {
        int limb = a->hand == HF_HAND_ONE ? a->limb : r->layer->arms[i % 2];
        if (hf_reach_load_by(r, limb)) continue;
        hf_hand_grasps* g = hf_workspace_take(r->workspace, 1, sizeof *g);
        if (!g) status = HF_ERROR_MEMORY;
        if (status == HF_OK)
            status = hf_hand_grasps_find(&r->world, r->scenario->scene, a->object,
                                         &r->scenario->reach_objects[a->object], limb, 0, r->workspace, g);
        if (status == HF_OK && g->count == 0) why = g->why ? g->why : "it has no handle";
        if (status == HF_OK) hf_reach_sort_grasps(r, a->object, limb, g);
        for (int k = 0; status == HF_OK && k < g->count && !done; k++)
            status = swing_by(r, &g->items[k], to, index, i < 2 ? 0 : 2, &answer, &done);
        if (answer.why) why = answer.why;
    }
    if (status == HF_OK && !done)
        hf_reach_say(r, HF_NONE, "no hand moves \"%.60s\": %s",
                     hf_scene_object(r->scenario->scene, a->object).name, why);
    hf_workspace_end(r->workspace, mark);
    return status;
}
