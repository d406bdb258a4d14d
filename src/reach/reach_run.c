/* A scenario of kind reach: the roadmap where the creature stands, then one action after the other, each
   added to one schedule; in the end the motion of it. */
#include "reach/reach_run.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"
#include "reach/free_arm.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static double work_s(void) { return hf_clock_s(CLOCK_PROCESS_CPUTIME_ID); }

hf_status hf_reach_say(hf_reach_runner* r, hf_outcome outcome, const char* format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(r->now->why, sizeof r->now->why, format, list);
    va_end(list);
    r->now->outcome = outcome;
    return HF_OK;
}

/* Where the budget of the caller is used up, a thread waits here until the caller gives more. */
static void wait_for_budget(hf_reach_runner* r) {
    while (!r->stopped && isfinite(r->deadline_s) && hf_now_s() >= r->deadline_s) {
        r->waiting++;
        pthread_cond_signal(&r->rested);
        pthread_cond_wait(&r->budget, &r->mutex);
        r->waiting--;
    }
}

bool hf_reach_ask(void* runner, double share, const char* what) {
    hf_reach_runner* r = runner;
    pthread_mutex_lock(&r->mutex);
    if (!r->stopped && r->progress) r->stopped = !r->progress(r->user, share, what);
    wait_for_budget(r);
    bool goes_on = !r->stopped;
    pthread_mutex_unlock(&r->mutex);
    return goes_on;
}

void hf_reach_result_free(hf_reach_result* result) {
    if (!result) return;
    hf_free(result->actions);
    hf_schedule_free(result->schedule);
    hf_motion_free(result->motion);
    memset(result, 0, sizeof *result);
}

/* ---- where the creature stands ---- */

static hf_status find_feet(hf_reach_runner* r, const hf_transform* links, hf_error* error) {
    hf_reach_world* w = &r->world;
    for (int side = 0; side < 2; side++) {
        int leg = w->layer->legs[side];
        if (!hf_hold_find(w->creature, w->placement, links, leg, HF_NAMED_TOUCH_M, &w->stand.feet[side]))
            return hf_fail(error, HF_ERROR_FORMAT, r->scenario->path, 0, "start",
                           "\"%.60s\" does not stand on anything", w->creature->view.limbs[leg].name);
    }
    return HF_OK;
}

static hf_status build_stance(hf_reach_runner* r, const hf_transform* links) {
    hf_reach_world* w = &r->world;
    double mass = w->creature->view.mass;
    w->support_count = 0;
    for (int side = 0; side < 2; side++) {
        const hf_hold* h = &w->stand.feet[side];
        const hf_limb* leg = &w->creature->view.limbs[h->limb];
        int link = h->frame >= 0 ? leg->contacts[h->frame].link : leg->effector_link;
        hf_support_plan(w->creature, w->placement, h, links[link], &w->supports[w->support_count++]);
    }
    return hf_stance_build(w->stance, w->supports, w->support_count, mass, NULL, r->workspace);
}

/* Elbow values with which arms reach as far as they can. */
static void find_straight(hf_reach_runner* r) {
    enum { STEPS = 40 };
    hf_reach_worker* w = r->crew.workers[0];
    for (int side = 0; side < 2; side++) {
        double controls[HF_CONTROL_COUNT], state[HF_REACH_WIDTH], far = -1;
        int k = hf_control_first((hf_side)side) + HF_ARM_ELBOW;
        memcpy(controls, r->world.rest, sizeof controls);
        for (int i = 0; i <= STEPS; i++) {
            hf_control c = r->layer->controls[k];
            controls[k] = c.low + (c.high - c.low) * i / STEPS;
            hf_reach_state(w, controls, state);
            const hf_vec3* p = hf_reach_arm_points(state, (hf_side)side);
            double d = hf_distance(p[HF_SHOULDER_POINT], p[HF_WRIST_POINT]);
            if (d > far) far = d, r->world.straight[side] = controls[k];
        }
    }
}

static hf_status stand(hf_reach_runner* r, hf_error* error) {
    hf_reach_world* w = &r->world;
    const hf_creature_view* v = &w->creature->view;
    const hf_scenario_state* start = &r->scenario->start;
    w->stand_q = hf_alloc((size_t)v->q_count + 1, sizeof(double));
    hf_transform* links = hf_workspace_take(r->workspace, (size_t)v->link_count, sizeof *links);
    r->open_q = hf_alloc((size_t)v->q_count + 1, sizeof(double));
    for (int i = 0; i < 2; i++) r->shaped_q[i] = hf_alloc((size_t)v->q_count + 1, sizeof(double));
    r->shapes = hf_alloc((size_t)hf_scene_object_count(r->scenario->scene) + 1, sizeof *r->shapes);
    r->joint_at = hf_alloc((size_t)hf_scene_object_count(r->scenario->scene) + 1, sizeof *r->joint_at);
    w->riders = hf_alloc((size_t)hf_scene_object_count(r->scenario->scene) + 1, sizeof *w->riders);
    r->known = hf_alloc((size_t)hf_scene_object_count(r->scenario->scene) + 1, sizeof *r->known);
    if (!w->stand_q || !links || !r->open_q || !r->shaped_q[0] || !r->shaped_q[1] || !r->shapes ||
        !r->joint_at || !w->riders || !r->known)
        return hf_fail_memory(error, NULL);
    memcpy(r->open_q, start->pose.q, sizeof(double) * (size_t)v->q_count);
    memcpy(w->stand_q, start->pose.q, sizeof(double) * (size_t)v->q_count);
    hf_control_stand_set(w->layer, &(hf_pose){start->pose.root, w->stand_q}, links, &w->stand);
    hf_status status = find_feet(r, links, error);
    if (status == HF_OK) status = hf_fail_status(error, build_stance(r, links), r->scenario->path);
    return status;
}

hf_status hf_reach_runner_create(hf_reach_runner* r, hf_error* error) {
    const hf_scenario* s = r->scenario;
    hf_reach_world* w = &r->world;
    w->creature = s->creature;
    w->options = r->options;
    r->deadline_s = INFINITY;
    hf_status status = hf_control_layer_create(s->creature, r->options->control, &r->layer, error);
    if (status != HF_OK) return status;
    w->layer = r->layer;
    r->legs_m = r->layer->controls[HF_CONTROL_LEGS].high;
    status = hf_body_sweep_create(r->layer, &w->sweep);
    if (status == HF_OK) status = hf_placement_create(s->scene, &w->placement);
    if (status == HF_OK) status = hf_workspace_create(&r->workspace);
    if (status == HF_OK) status = hf_stance_create(&w->stance);
    if (status != HF_OK) return hf_fail_status(error, status, s->path);
    status = stand(r, error);
    if (status != HF_OK) return status;
    status = hf_reach_crew_create(w, r->options->threads, &r->crew);
    if (status == HF_OK) status = hf_reach_roadmap_create(&r->world.sweep, &r->roadmap);
    if (status == HF_OK) status = hf_schedule_create(s->creature, r->options->rate, &r->result->schedule);
    for (int i = 0; i < r->crew.count && status == HF_OK; i++)
        hf_workspace_watch(r->crew.workspaces[i], hf_reach_ask, r);
    if (status == HF_OK) hf_workspace_watch(r->workspace, hf_reach_ask, r);
    return hf_fail_status(error, status, s->path);
}

void hf_reach_runner_destroy(hf_reach_runner* r) {
    hf_reach_roadmap_free(r->roadmap);
    hf_reach_crew_free(&r->crew);
    hf_stance_free(r->world.stance);
    hf_placement_free(r->world.placement);
    hf_body_sweep_free(&r->world.sweep);
    hf_free(r->world.stand_q);
    hf_free(r->open_q);
    for (int i = 0; i < 2; i++) hf_free(r->shaped_q[i]);
    hf_free(r->joint_at);
    hf_free(r->world.riders);
    hf_free(r->known);
    hf_free(r->lean.frames);
    int objects = r->shapes ? hf_scene_object_count(r->scenario->scene) : 0;
    for (int i = 0; i < objects; i++) hf_object_shape_free(&r->shapes[i]);
    hf_free(r->shapes);
    hf_workspace_free(r->workspace);
    hf_control_layer_free(r->layer);
}

/* ---- ways ---- */

/* Between what is carried and all objects on its way, m: ways are tested every centimetre. */
static const double LOAD_ROOM_M = 0.003;

/* All rows behind others; the first one is there already. */
static hf_status append_rows(hf_space_rows* rows, const hf_space_rows* more) {
    hf_status status = HF_OK;
    for (int i = rows->count ? 1 : 0; i < more->count && status == HF_OK; i++)
        status = hf_space_rows_add(rows, hf_space_row(more, i));
    return status;
}

/* Smoothed, and where a frame of that does not hold, as it was found. Where a straight line follows, both are
   played without a stop between them, if that holds; *whole says so. What is carried may come nearer to
   things on that line than on its way. */
static hf_status play_way(hf_reach_runner* r, hf_space_rows* way, const hf_space_rows* line, bool* whole,
                          bool* good) {
    hf_space_rows raw = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_space_rows both = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    double room = r->world.load_room_m;
    hf_status status = append_rows(&raw, way);
    if (status == HF_OK)
        status = hf_reach_smooth(r->stage.worker, way, r->options->smoothing, r->options->seed);
    *whole = line != NULL;
    if (*whole && status == HF_OK) status = append_rows(&both, way);
    if (*whole && status == HF_OK) status = append_rows(&both, line);
    r->world.load_room_m = 0;
    if (*whole && status == HF_OK) status = hf_reach_play(&r->stage, &both, NULL, whole);
    r->world.load_room_m = room;
    if (status != HF_OK || *whole) return status;
    status = hf_reach_play(&r->stage, way, NULL, good);
    if (status == HF_OK && !*good) status = hf_reach_play(&r->stage, &raw, NULL, good);
    return status;
}

/* Goes to a posture, and along a line from there; NULL: no line. */
static hf_status go(hf_reach_runner* r, const double* goal, const hf_space_rows* line, int without,
                    bool* whole) {
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_space_rows way = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    bool found = false;
    // room about what is carried, where both ends have it
    r->world.load_room_m = r->world.load_count ? LOAD_ROOM_M : 0;
    if (!hf_reach_valid(r->stage.worker, r->stage.state) || !hf_reach_valid(r->stage.worker, goal))
        r->world.load_room_m = 0;
    hf_status status =
        hf_reach_find_way(r->roadmap, r->stage.worker, without, r->stage.state, goal, &way, &found);
    if (status == HF_OK && found) status = play_way(r, &way, line, whole, &found);
    r->world.load_room_m = 0;
    if (status == HF_OK && !found)
        hf_reach_say(r, HF_NONE, "there is no free way to the posture at the goal: %s",
                     r->stage.worker->why ? r->stage.worker->why : "the search ended");
    hf_workspace_end(r->workspace, mark);
    return status;
}

hf_status hf_reach_go(hf_reach_runner* r, const double* goal, int without) {
    bool whole;
    return go(r, goal, NULL, without, &whole);
}

hf_status hf_reach_come(hf_reach_runner* r, const hf_space_rows* line, int without) {
    bool good = true, whole = false;
    hf_status status = go(r, hf_space_row(line, 0), line, without, &whole);
    if (status != HF_OK || whole || r->now->outcome != HF_FOUND) return status;
    status = hf_reach_play(&r->stage, line, NULL, &good);
    if (status == HF_OK && !good)
        hf_reach_say(r, HF_NONE, "the hand cannot come to the object: %s", r->stage.worker->why);
    return status;
}

/* ---- a scene that changes ---- */

static bool differ(hf_transform a, hf_transform b) {
    return hf_distance(a.position, b.position) > 1e-6 || hf_quat_angle(a.rotation, b.rotation) > 1e-6;
}

static bool has_moved(const hf_reach_runner* r, int object) {
    return differ(r->known[object], hf_placement_pose(r->world.placement, object));
}

/* What a hand carries is not in the scene. */
hf_status hf_reach_follow_scene(hf_reach_runner* r) {
    int count = hf_scene_object_count(r->scenario->scene), moved = 0;
    hf_placement_set_time(r->world.placement, r->stage.frames / r->options->rate);
    hf_placement* only = NULL;
    hf_status status = hf_placement_create(r->scenario->scene, &only);
    if (status != HF_OK) return status;
    for (int i = 0; i < count; i++) {
        bool carried = hf_reach_rides(&r->world, i);
        for (int k = 0; k < r->world.load_count; k++) carried |= r->world.loads[k].object == i;
        hf_placement_enable(only, i, !carried && has_moved(r, i));
        if (carried || !has_moved(r, i)) continue;
        hf_placement_move(only, i, hf_placement_pose(r->world.placement, i));
        moved++;
        r->known[i] = hf_placement_pose(r->world.placement, i);
    }
    if (moved) {
        double began = hf_now_s(), worked = work_s();
        status = hf_reach_roadmap_update(r->roadmap, &r->crew, &r->world, only, hf_reach_ask, r);
        r->result->update_s += hf_now_s() - began;
        r->result->update_work_s += work_s() - worked;
        r->result->updates++;
        r->world.changed = false;
    }
    hf_placement_free(only);
    return status;
}

/* ---- the whole ---- */

static void remember_scene(hf_reach_runner* r) {
    for (int i = 0; i < hf_scene_object_count(r->scenario->scene); i++)
        r->known[i] = hf_placement_pose(r->world.placement, i);
}

/* A roadmap of the place where the creature stands now, from its rest posture there; or one that was kept. */
static hf_status grow_here(hf_reach_runner* r, const hf_roadmap* kept) {
    remember_scene(r);
    double began = hf_now_s(), worked = work_s();
    hf_status status = kept ? hf_reach_roadmap_take(r, kept)
                            : hf_reach_roadmap_grow(r->roadmap, &r->crew, r->options->nodes, hf_reach_ask, r);
    double grown = hf_now_s(), tree = work_s();
    if (status == HF_OK && !kept) status = hf_reach_roadmap_shorten(r->roadmap, &r->crew);
    r->result->roadmap_s += grown - began;
    r->result->shortcuts_s += hf_now_s() - grown;
    r->result->roadmap_work_s += tree - worked;
    r->result->shortcuts_work_s += work_s() - tree;
    r->result->nodes = hf_space_graph_count(&r->roadmap->graph);
    r->result->shortcuts = r->roadmap->shortcuts;
    return status;
}

/* The pelvis is as low as the legs were bent for when no higher than that, m: knees at their limits keep it
 * up. */
static const double LOWERED_M = 1e-3;

/* How far legs bend within the limits of their joints with the trunk bent forwards by a share of its range.
 */
static double legs_bend(hf_reach_runner* r, const double* rest, double share) {
    enum { HALVINGS = 8 };
    hf_reach_worker* w = r->crew.workers[0];
    double controls[HF_CONTROL_COUNT], state[HF_REACH_WIDTH], good = 0, bad = r->legs_m;
    memcpy(controls, rest, sizeof controls);
    controls[HF_CONTROL_SPINE] +=
        share * (r->layer->controls[HF_CONTROL_SPINE].high - controls[HF_CONTROL_SPINE]);
    for (int i = 0; i <= HALVINGS && good < bad; i++) {
        controls[HF_CONTROL_LEGS] = i == 0 ? bad : (good + bad) / 2;
        bool bends =
            hf_reach_state(w, controls, state) &&
            hf_pose_within_limits(w->world->creature, w->pose.q, HF_LIMIT) &&
            w->world->stand.root.position.z - w->pose.root.position.z > controls[HF_CONTROL_LEGS] - LOWERED_M;
        *(bends ? &good : &bad) = controls[HF_CONTROL_LEGS];
    }
    return good;
}

/* Of how far a creature of this size would bend its legs: less is hardly at all. */
static const double HARDLY = 0.1;

/* Some robots stand with an ankle at its limit: where legs hardly bend, with the trunk upright or bent, no
   posture is looked for that bends them further. */
static void limit_legs(hf_reach_runner* r, const double* rest) {
    double most = 0;
    for (int i = 0; i <= 2; i++) most = fmax(most, legs_bend(r, rest, i / 2.0));
    if (most < HARDLY * r->legs_m) r->layer->controls[HF_CONTROL_LEGS].high = most;
}

/* The head of the creature as it stands, which looks ahead. */
static void find_head(hf_reach_runner* r) {
    hf_reach_world* w = &r->world;
    const hf_transform* links = r->crew.workers[0]->links;
    w->gaze = hf_gaze_find(w->creature, links, hf_rotate(w->stand.root.rotation, hf_v3(1, 0, 0)));
    for (int k = 0; k < w->gaze.joint_count; k++)
        w->head[k] = w->ahead[k] = r->open_q[w->creature->view.joints[w->gaze.joints[k]].q_index];
}

static void rest_here(hf_reach_runner* r) {
    double controls[HF_CONTROL_COUNT];
    hf_reach_worker* w = r->crew.workers[0];
    r->layer->controls[HF_CONTROL_LEGS].high = r->legs_m;
    hf_control_stand_learn(r->layer, &w->pose, w->links, &r->world.stand);
    r->world.version++;
    w->posed = 0;
    hf_control_rest(r->layer, &r->world.stand, controls);
    limit_legs(r, controls);
    hf_reach_state(r->crew.workers[0], controls, r->world.rest);
    hf_free_arms_learn(r->crew.workers[0], r->world.hanging);
    find_head(r);
    memcpy(r->stage.state, r->world.rest, sizeof r->stage.state);
}

hf_status hf_reach_settle(hf_reach_runner* r, const hf_pose* pose, const hf_hold feet[2]) {
    hf_reach_world* w = &r->world;
    hf_reach_worker* worker = r->stage.worker;
    memcpy(w->stand_q, pose->q, sizeof(double) * (size_t)w->creature->view.q_count);
    memcpy(r->open_q, pose->q, sizeof(double) * (size_t)w->creature->view.q_count);
    hf_control_stand_set(w->layer, &(hf_pose){pose->root, w->stand_q}, worker->links, &w->stand);
    // the holds of the steps go on: those found anew would differ by what a frame may be off, and both change
    memcpy(w->stand.feet, feet, sizeof w->stand.feet);
    hf_status status = build_stance(r, worker->links);
    if (status != HF_OK) return status;
    rest_here(r);
    hf_reach_crew_forget(&r->crew);
    if (!hf_reach_valid(worker, w->rest))
        return hf_reach_say(r, HF_NONE, "where the steps end the posture does not hold: %s", worker->why);
    hf_reach_roadmap_free(r->roadmap);
    r->roadmap = NULL;
    status = hf_reach_roadmap_create(&r->world.sweep, &r->roadmap);
    return status == HF_OK ? grow_here(r, NULL) : status;
}

hf_status hf_reach_runner_begin(hf_reach_runner* r, hf_error* error) {
    hf_reach_worker* w = r->crew.workers[0];
    r->stage = (hf_reach_stage){.world = &r->world, .worker = w, .schedule = r->result->schedule};
    rest_here(r);
    find_straight(r);
    if (!hf_reach_valid(w, r->world.rest))
        return hf_fail(error, HF_ERROR_FORMAT, r->scenario->path, 0, "start", "does not hold: %s", w->why);
    r->result->outcome = HF_FOUND;
    hf_status status = HF_OK;
    remember_scene(r);
    if (!r->leaves_start || r->options->roadmap) status = grow_here(r, r->options->roadmap);
    if (status == HF_ERROR_FORMAT && r->options->roadmap)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "roadmap", "has a posture that leaves the feet");
    if (status == HF_OK) status = hf_reach_stay(&r->stage, 1, true);
    return hf_fail_status(error, status, r->scenario->path);
}

/* Does an object with keys move from a frame to the next one? */
static bool moves_at(hf_reach_runner* r, int frame) {
    hf_placement* p = r->world.placement;
    bool moves = false;
    for (int i = 0; i < hf_scene_object_count(r->scenario->scene) && !moves; i++) {
        if (!hf_scene_object(r->scenario->scene, i).key_count) continue;
        hf_placement_set_time(p, frame / r->options->rate);
        hf_transform now = hf_placement_pose(p, i);
        hf_placement_set_time(p, (frame + 1) / r->options->rate);
        moves = differ(now, hf_placement_pose(p, i));
    }
    hf_placement_set_time(p, r->stage.frames / r->options->rate);
    return moves;
}

/* Searches know the scene as it is at one time: the body waits while objects move by their keys. */
static hf_status await_rest(hf_reach_runner* r) {
    enum { MOST_S = 60 }; /* something that never stops is not waited for longer */
    int frames = 0, most = (int)(MOST_S * r->options->rate);
    while (frames < most && moves_at(r, r->stage.frames - 1 + frames)) frames++;
    return frames ? hf_reach_stay(&r->stage, frames, false) : HF_OK;
}

hf_status hf_reach_runner_act(hf_reach_runner* r, const hf_action* action) {
    hf_reach_result* out = r->result;
    double began = hf_now_s(), worked = work_s();
    int index = out->action_count;
    if (!HF_GROW(out->actions, r->action_capacity, index)) return HF_ERROR_MEMORY;
    r->now = &out->actions[out->action_count++];
    *r->now = (hf_reach_action_result){.outcome = HF_FOUND};
    // the roadmap is made for the stand on the feet alone
    hf_status status = action->kind == HF_ACTION_WAIT ? HF_OK : hf_reach_stop_leaning(r);
    if (status == HF_OK && action->kind != HF_ACTION_WAIT) status = await_rest(r);
    if (status == HF_OK && !r->lean.on) status = hf_reach_follow_scene(r);
    if (status == HF_OK && r->now->outcome == HF_FOUND) status = hf_reach_do(r, action, index);
    r->now->time_s = hf_now_s() - began;
    r->now->work_s = work_s() - worked;
    if (r->stopped) hf_reach_say(r, HF_CANCELLED, "stopped");
    if (r->now->outcome != HF_FOUND)
        out->outcome = r->now->outcome == HF_CANCELLED ? HF_CANCELLED : HF_PARTIAL;
    return status;
}

/* What is wrong with a frame that was tested before: a defect of this room, told and not hidden. */
static void say_fault(hf_reach_runner* r, const hf_frame_fault* f) {
    const hf_creature_view* v = &r->world.creature->view;
    if (f->kind != HF_FAULT_COLLIDES) {
        hf_reach_say(r, HF_PARTIAL, "frame %d of the motion %s", f->frame, hf_frame_fault_text(f->kind));
        return;
    }
    const hf_collision* hit = &f->collision;
    hf_reach_say(r, HF_PARTIAL, "frame %d of the motion: \"%.60s\" meets \"%.60s\"", f->frame,
                 v->links[v->bodies[hit->body].link].name,
                 hit->other_body >= 0 ? v->links[v->bodies[hit->other_body].link].name
                                      : hf_scene_object(r->scenario->scene, hit->surface.object).name);
}

hf_status hf_reach_runner_realise(hf_reach_runner* r, hf_error* error) {
    hf_realise_options o = hf_realise_options_default();
    hf_realise_result faults = {0};
    hf_reach_result* out = r->result;
    hf_free(out->schedule->outcome);
    out->schedule->outcome = hf_copy_text(hf_outcome_text(out->outcome));
    hf_free(out->schedule->scenario);
    out->schedule->scenario = hf_copy_text(r->scenario->path);
    if (!out->schedule->outcome || !out->schedule->scenario) return hf_fail_memory(error, NULL);
    // actions that were done before the time ended are judged whole
    hf_workspace_watch(r->workspace, NULL, NULL);
    hf_status status = hf_realise(r->scenario->creature, r->scenario->scene, out->schedule, &o, r->workspace,
                                  &out->motion, &faults);
    if (status == HF_OK && faults.fault_count && out->outcome == HF_FOUND && out->action_count) {
        r->now = &out->actions[out->action_count - 1];
        out->outcome = HF_PARTIAL;
        say_fault(r, &faults.faults[0]);
    }
    hf_realise_result_free(&faults);
    return hf_fail_status(error, status, r->scenario->path);
}
