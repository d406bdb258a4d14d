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
    int pieces;
    const double* end; /* controls that the body is drawn to on the way; NULL: none */
} swinging;

static hf_hand_task swung(const void* user, double share) {
    const swinging* s = user;
    double value = s->from + (s->to - s->from) * share;
    hf_hand_task task = hf_reach_carry_task(s->runner, s->load, place_at(s->runner, s->load->object, value));
    task.toward = s->end;
    // an even share of what is left at each state
    task.drawn = 1 / (1 + (1 - share) * s->pieces);
    return task;
}

/* The states while the hand takes the object from one value of its joint to another; false where it cannot.
   end: the posture that the body goes to meanwhile, NULL: it goes along with the hand. */
static bool follow_joint(hf_reach_runner* r, const hf_reach_load* load, double to, const double* state,
                         const double* end, hf_space_rows* rows, hf_status* status) {
    double from = r->joint_at[load->object];
    bool slides = r->scenario->reach_objects[load->object].joint == HF_OBJECT_SLIDE;
    int n = (int)ceil(fabs(to - from) / (slides ? STEP_M : STEP_RAD));
    swinging s = {r, load, from, to, n, end};
    rows->count = 0;
    return hf_reach_guide(r->stage.worker, swung, &s, n, state, rows, status) == 1 && *status == HF_OK;
}

/* The value of its joint that an object at a place is nearest to. */
static double value_at(const hf_reach_runner* r, int object, hf_transform at) {
    const hf_reach_object* o = &r->scenario->reach_objects[object];
    hf_transform by = hf_compose(hf_inverse(hf_scene_object(r->scenario->scene, object).start), at);
    if (o->joint == HF_OBJECT_SLIDE) return hf_dot(o->axis, by.position);
    double along = hf_dot(o->axis, hf_v3(by.rotation.x, by.rotation.y, by.rotation.z));
    double angle = 2 * hf_atan2(along, by.rotation.w), turn = 6.283185307179586;
    return angle > turn / 2 ? angle - turn : angle < -turn / 2 ? angle + turn : angle;
}

typedef struct fitting {
    const hf_reach_runner* runner;
    const hf_reach_load* load;
} fitting;

/* Puts the hand of a frame so that what it moves is on its joint: by the arm alone where that can be. */
static bool fit_joint(const void* user, hf_reach_worker* w, double* controls) {
    const fitting* f = user;
    double state[HF_REACH_WIDTH];
    hf_reach_state(w, controls, state);
    double value = value_at(f->runner, f->load->object, hf_reach_load_pose(w, f->load));
    hf_hand_task task = hf_reach_carry_task(f->runner, f->load, place_at(f->runner, f->load->object, value));
    task.exact = true;
    task.toward = NULL;
    bool there = false;
    for (task.stay = 2; task.stay >= 0 && !there; task.stay--)
        there = hf_hand_follow(w, &task, controls, state);
    if (there) memcpy(controls, state, sizeof(double) * HF_CONTROL_COUNT);
    return there;
}

static hf_status play_swing(hf_reach_runner* r, int object, const hf_space_rows* rows, bool* good) {
    fitting f = {r, hf_reach_load_of(r, object)};
    hf_reach_fit fit = {fit_joint, &f};
    r->stage.fit = &fit;
    hf_status status = hf_reach_play(&r->stage, rows, NULL, good);
    r->stage.fit = NULL;
    return status;
}

/* Plays the opening from a state that holds the handle, or tests it: with the body drawn to the posture of
   the end (NULL: none is known), or else going along with the hand. rows: the states of the one that holds.
 */
static hf_status swing_along(hf_reach_runner* r, const hf_reach_load* load, double to, const double* state,
                             const double* end, hf_space_rows* rows, bool* good) {
    hf_status status = HF_OK;
    for (int way = end ? 0 : 1; way < 2 && status == HF_OK && !*good; way++) {
        *good = follow_joint(r, load, to, state, way ? NULL : end, rows, &status);
        if (*good) status = play_swing(r, load->object, rows, good);
    }
    return status;
}

/* The states of the opening with this grasp, from the posture that holds the handle. end: controls of a
   posture that holds it where the object shall be; NULL: none is known. */
static hf_status try_opening(hf_reach_runner* r, const hf_hand_grasp* g, double to, const double* state,
                             const double* end, hf_space_rows* rows, bool* good) {
    double kept[HF_REACH_WIDTH];
    hf_error error;
    int object = g->hold.object;
    memcpy(kept, r->stage.state, sizeof kept);
    memcpy(r->stage.state, state, sizeof kept);
    hf_status status = hf_reach_attach(r, object, g, NULL, &error);
    if (status == HF_OK) {
        hf_reach_load* load = hf_reach_load_of(r, object);
        r->stage.only_tests = true;
        status = swing_along(r, load, to, state, end, rows, good);
        r->stage.only_tests = false;
        hf_reach_detach(r, load);
        hf_placement_move(r->world.placement, object, place_at(r, object, r->joint_at[object]));
    }
    memcpy(r->stage.state, kept, sizeof kept);
    return status;
}

/* A posture that holds the handle where the object is and one where it shall be: the price is of both. */
static hf_status look_at_both_ends(const hf_reach_taking* t, hf_reach_offer* offer, int tries,
                                   hf_hand_answer* answer) {
    hf_reach_runner* r = t->runner;
    const hf_hand_grasp* g = offer->grasp;
    hf_hand_answer end = {0};
    hf_status status = hf_reach_look(r, g, tries, t->index, answer);
    if (status != HF_OK || !answer->found) return status;
    status = hf_reach_look_there(r, g, place_at(r, g->hold.object, t->value), t->index, &end);
    offer->ends = end.found;
    offer->price = answer->price + (end.found ? end.price : 0);
    memcpy(offer->end, end.state, sizeof offer->end);
    return status;
}

static hf_status swing_by(const hf_reach_taking* t, const hf_reach_offer* offer, int tries,
                          hf_hand_answer* answer, bool* done) {
    hf_reach_runner* r = t->runner;
    const hf_hand_grasp* g = offer->grasp;
    double to = t->value;
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_space_rows rows = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    int object = g->hold.object;
    hf_transform at = hf_placement_pose(r->world.placement, object);
    hf_hand_task task = {.count = 1, .targets = {hf_reach_hand_target(r, g)}, .tries = tries};
    hf_vec3 back = hf_scale(hf_rotate(at.rotation, g->way), -r->options->approach_m);
    const double* end = offer->ends ? offer->end : NULL;
    bool good = false;
    hf_reach_allow_touch(r, &g->hold);
    hf_status status = hf_reach_prepare(r, &task, back, t->index, answer, &line);
    hf_reach_forbid_touches(r);
    if (status == HF_OK && answer->found) {
        status = try_opening(r, g, to, answer->state, end, &rows, &good);
        if (!good) answer->why = r->stage.worker->why;
    }
    if (status != HF_OK || !good) return status;
    r->now->outcome = HF_FOUND;
    hf_reach_allow_touch(r, &g->hold);
    status = hf_reach_come(r, &line, g->hold.limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT);
    hf_reach_forbid_touches(r);
    if (status == HF_OK && r->now->outcome != HF_FOUND) answer->why = r->stage.worker->why;
    if (status != HF_OK || r->now->outcome != HF_FOUND) return status;
    hf_error error;
    status = hf_reach_attach(r, object, g, NULL, &error);
    if (status == HF_OK) status = hf_reach_close_fingers(r, g->q);
    if (status == HF_OK) status = play_swing(r, object, &rows, &good);
    // closed fingers shift the centre of mass, and with it the body, by a little
    if (status == HF_OK && !good)
        status = swing_along(r, hf_reach_load_of(r, object), to, r->stage.state, end, &rows, &good);
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

/* The free arms that may move the object, with the grasps of its handle; *why where there are none. */
static hf_status list_takers(hf_reach_runner* r, const hf_action* a, int round, hf_reach_takers* t,
                             const char** why) {
    int arms[2];
    hf_reach_sort_arms(r, hf_placement_pose(r->world.placement, a->object).position, arms);
    hf_status status = HF_OK;
    for (int i = 0; i < (a->hand == HF_HAND_ONE ? 1 : 2) && status == HF_OK; i++) {
        int limb = a->hand == HF_HAND_ONE ? a->limb : arms[i];
        if (hf_reach_load_by(r, limb)) continue;
        hf_hand_grasps* g = hf_workspace_take(r->workspace, 1, sizeof *g);
        if (!g) return HF_ERROR_MEMORY;
        status = hf_hand_grasps_find(&r->world, r->scenario->scene, a->object,
                                     &r->scenario->reach_objects[a->object], limb, round, r->workspace, g);
        if (status == HF_OK && g->count == 0) *why = g->why ? g->why : "it has no handle";
        if (status != HF_OK || g->count == 0) continue;
        hf_reach_sort_grasps(r, a->object, limb, g);
        t->arms[t->count] = limb, t->grasps[t->count++] = g;
    }
    return status;
}

hf_status hf_reach_swing(hf_reach_runner* r, const hf_action* a, int index) {
    double to = 0;
    if (!choose_value(r, a, &to)) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_hand_answer answer = {0};
    static const int rounds[] = {0, HF_GRASP_PINCH + 1}; // of palms: finger tips hold no handle yet
    enum { ROUNDS = sizeof rounds / sizeof *rounds };
    hf_reach_takers t[ROUNDS] = {0};
    int left = r->options->openings;
    hf_reach_taking with = {r, a, index, to, &left, look_at_both_ends, swing_by};
    bool done = false;
    const char* why = "both hands are full";
    hf_status status = HF_OK;
    // all hand shapes by a quick look, then each with a search of its own
    for (int n = 0; n < 2 * ROUNDS && status == HF_OK && !done && left > 0; n++) {
        hf_reach_takers* takers = &t[n % ROUNDS];
        bool quick = n < ROUNDS;
        if (quick) status = list_takers(r, a, rounds[n], takers, &why);
        if (status == HF_OK && takers->count) status = hf_reach_try(&with, takers, quick, &answer, &done);
        if (takers->count) why = answer.why ? answer.why : "it is out of reach";
    }
    if (status == HF_OK && !done)
        hf_reach_say(r, HF_NONE, "no hand moves \"%.60s\": %s",
                     hf_scene_object(r->scenario->scene, a->object).name, why);
    if (done && r->now->outcome == HF_FOUND) r->now->why[0] = 0;
    hf_workspace_end(r->workspace, mark);
    return status;
}
