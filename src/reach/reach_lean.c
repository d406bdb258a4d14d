/* Leaning on a hand: where no posture over the feet alone brings a hand to its target, the other hand goes
   onto something level within reach, bears a share of the weight, and lets the centre of mass go as far over
   the edge of the feet as the three supports allow. While the body leans, that hand stays where it is; the
   next action begins by going back the same way. */
#include "reach/hand_grasp.h"
#include "reach/transfer.h"

#include "base/ease.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

enum {
    AHEAD = 5,  /* places for the hand in the target's direction */
    ASIDE = 3,  /* and to the side of the leaning hand */
    SHIFTS = 3, /* of the centre of mass that are tried, the shortest first */
    TRIES = 20, /* random starts of the posture with the hand on its place */
    ROUNDS = 6  /* of lengthening until speeds are within their limits */
};
static const double NEAREST_M = 0.3, AHEAD_M = 0.1, ASIDE_M = 0.15; /* where places are looked for */
static const double SHIFT_M = 0.1; /* between two shifts of the centre of mass */
static const double LEVEL = 0.9;   /* cosine of the steepest place that a hand is put on */
static const double LOWEST_M =
    0.5; /* place over the feet: a hand that leans lower would bend the body to it */
static const double SPEED_M_S = 0.25; /* of a hand while the body leans */
static const double ABOVE_M = 0.6;    /* over the target's height, from where places are looked for */

/* What is tried: one hand at a place, the other at its target. */
typedef struct leaning {
    hf_reach_runner* runner;
    int arm, reach;     /* limbs */
    hf_hold hold;       /* of the arm, in the world */
    hf_quat turn;       /* of its link */
    hf_target from, to; /* of the other hand */
    hf_vec3 com_from, com_to;
} leaning;

/* ---- places ---- */

/* A level place for the hand: `ahead` and `aside` in steps. */
static bool find_place(const leaning* l, int ahead, int aside, hf_hold* hold) {
    const hf_reach_world* w = &l->runner->world;
    hf_vec3 feet = hf_lerp(w->stand.foot[0].position, w->stand.foot[1].position, 0.5);
    hf_vec3 way = hf_sub(l->to.point, feet);
    way.z = 0;
    way = hf_normalize(way);
    double side = l->arm == w->layer->arms[HF_LEFT] ? 1 : -1;
    hf_vec3 across = hf_v3(-way.y * side, way.x * side, 0);
    hf_vec3 from = hf_add(
        feet, hf_add(hf_scale(way, NEAREST_M + ahead * AHEAD_M), hf_scale(across, ASIDE_M * (1 + aside))));
    from.z = l->to.point.z + ABOVE_M;
    hf_surface s;
    if (!hf_placement_ray(w->placement, from, hf_v3(0, 0, -1), from.z - feet.z, &s)) return false;
    hf_object_view o = hf_scene_object(hf_placement_scene(w->placement), s.object);
    if (o.movable || s.normal.z < LEVEL || s.point.z - feet.z < LOWEST_M) return false;
    *hold = (hf_hold){.limb = l->arm, .frame = 0, .object = s.object, .point = s.point, .normal = s.normal};
    return true;
}

/* ---- supports ---- */

static hf_transform link_of(const hf_reach_runner* r, int limb) {
    const hf_limb* arm = &r->world.creature->view.limbs[limb];
    return r->stage.worker->links[arm->contact_count ? arm->contacts[0].link : arm->effector_link];
}

/* Feet alone, or the hand in the worker's posture too. */
static hf_status set_supports(hf_reach_runner* r, const hf_hold* hand) {
    hf_reach_world* w = &r->world;
    w->support_count = 2;
    if (hand)
        hf_support_plan(w->creature, w->placement, hand, link_of(r, hand->limb),
                        &w->supports[w->support_count++]);
    return hf_stance_build(w->stance, w->supports, w->support_count, w->creature->view.mass, NULL,
                           r->workspace);
}

static void set_com(hf_reach_runner* r, hf_vec3 com) {
    r->world.stand.com = com;
    r->world.version++;
}

/* ---- the way while it leans ---- */

/* Where the middle of the hand's contact is while the hand leans: a ball's is above the surface. */
static hf_vec3 middle_of(const hf_reach_runner* r, const hf_hold* hold) {
    return hf_hand_middle(&r->world.creature->view.limbs[hold->limb].contacts[0], hold);
}

static hf_hand_task task_at(const leaning* l, double share) {
    hf_hand_task t = {.count = 2, .targets = {l->from}};
    t.targets[0].kind = l->to.kind;
    t.targets[0].point = hf_lerp(l->from.point, l->to.point, share);
    if (l->to.kind == HF_TARGET_POSE)
        t.targets[0].rotation = hf_quat_slerp(l->from.rotation, l->to.rotation, share);
    t.targets[1] = (hf_target){.kind = HF_TARGET_POSE,
                               .limb = l->arm,
                               .contact = 0,
                               .point = middle_of(l->runner, &l->hold),
                               .rotation = l->turn};
    return t;
}

static void keep_pose(const hf_reach_worker* w, hf_pose* to) {
    to->root = w->pose.root;
    memcpy(to->q, w->pose.q, sizeof(double) * (size_t)w->world->creature->view.q_count);
}

/* Frames from one end to the other, into the runner's memory; false where one does not hold. *fast: the
   largest share of the speed that is allowed. */
static bool make_frames(const leaning* l, const double* start, int count, hf_pose* before, double* fast) {
    hf_reach_runner* r = l->runner;
    hf_reach_worker* w = r->stage.worker;
    double state[HF_REACH_WIDTH];
    bool good = true;
    memcpy(state, start, sizeof state);
    *fast = 0;
    hf_reach_gaze(&r->world, true);
    for (int i = 0; i <= count && good; i++) {
        double u = (double)i / count, share = hf_ease(u);
        hf_hand_task task = task_at(l, share);
        set_com(r, hf_lerp(l->com_from, l->com_to, share));
        good = hf_hand_follow(w, &task, state, state) && hf_reach_valid(w, state);
        if (good && i > 0) {
            *fast = fmax(*fast, hf_frames_speed(r->world.creature, r->options->rate, before, &w->pose));
            good = hf_reach_frames_pass(w, before);
        }
        hf_reach_state(w, state, state);
        keep_pose(w, before);
        r->lean.frames[i].com = r->world.stand.com;
        memcpy(r->lean.frames[i].controls, state, sizeof r->lean.frames[i].controls);
    }
    hf_reach_gaze(&r->world, false);
    r->lean.count = good ? count + 1 : 0;
    return good;
}

/* As many frames as speeds need. */
static hf_status find_frames(const leaning* l, const double* start, bool* found) {
    hf_reach_runner* r = l->runner;
    hf_pose before = {
        .q = hf_workspace_take(r->workspace, (size_t)r->world.creature->view.q_count + 1, sizeof(double))};
    if (!before.q) return HF_ERROR_MEMORY;
    double way = hf_distance(l->from.point, l->to.point) + hf_distance(l->com_from, l->com_to), fast = 2;
    int count = 10 + (int)(way / SPEED_M_S * r->options->rate);
    for (int i = 0; i < ROUNDS && fast > r->options->speed_share; i++) {
        if (i > 0) count = (int)ceil(count * 1.05 * fast / r->options->speed_share);
        hf_free(r->lean.frames);
        r->lean.frames = hf_alloc((size_t)count + 1, sizeof *r->lean.frames);
        if (!r->lean.frames) return HF_ERROR_MEMORY;
        *found = make_frames(l, start, count, &before, &fast);
        if (!*found) return HF_OK;
    }
    *found = fast <= r->options->speed_share;
    return HF_OK;
}

/* ---- one attempt ---- */

static hf_hand_task raised(const void* user, double share) {
    const leaning* l = user;
    hf_hand_task t = task_at(l, 0);
    t.targets[1].point =
        hf_add(t.targets[1].point, hf_scale(l->hold.normal, share * l->runner->options->approach_m));
    return t;
}

/* A posture over the feet with both hands, the way of the leaning hand off its place, and the frames that
   lean from there. */
static hf_status try_shift(leaning* l, double shift, hf_hand_answer* answer, hf_space_rows* line,
                           bool* found) {
    hf_reach_runner* r = l->runner;
    hf_reach_world* w = &r->world;
    hf_vec3 way = hf_sub(l->to.point, w->stand.com);
    way.z = 0;
    way = hf_scale(hf_normalize(way), shift);
    l->from = l->to;
    l->from.point = hf_sub(l->to.point, hf_scale(way, 1.2)); // a little short of where the arm ends
    l->com_from = w->stand.com, l->com_to = hf_add(w->stand.com, way);
    // a posture drawn towards the rest posture may leave the arms no way to go while the body leans
    hf_hand_task task = {.count = 2, .tries = TRIES, .as_found = true};
    task.targets[0] = l->from;
    task.targets[1] = (hf_target){.kind = HF_TARGET_NORMAL,
                                  .limb = l->arm,
                                  .contact = 0,
                                  .point = middle_of(r, &l->hold),
                                  .normal = l->hold.normal};
    hf_status status =
        hf_hand_solve(r->roadmap, r->stage.worker, &task, r->stage.state, r->options->seed, answer);
    if (status != HF_OK || !answer->found) return status;
    hf_reach_state(r->stage.worker, answer->state, answer->state);
    l->turn = link_of(r, l->arm).rotation;
    int pieces = (int)ceil(r->options->approach_m / 0.01);
    line->count = 0;
    if (hf_reach_guide(r->stage.worker, raised, l, pieces, answer->state, line, &status) < 1 ||
        status != HF_OK)
        return status;
    hf_reach_state(r->stage.worker, answer->state, answer->state);
    status = set_supports(r, &l->hold);
    if (status == HF_OK) status = find_frames(l, answer->state, found);
    set_com(r, l->com_from);
    hf_status back = set_supports(r, NULL);
    return status == HF_OK ? back : status;
}

/* All places, the nearest shifts first. */
static hf_status search(leaning* l, hf_hand_answer* answer, hf_space_rows* line, bool* found) {
    hf_reach_runner* r = l->runner;
    hf_status status = HF_OK;
    for (int shift = 1; shift <= SHIFTS; shift++)
        for (int k = 0; k < AHEAD * ASIDE && status == HF_OK && !*found; k++) {
            if (!hf_workspace_goes_on(r->stage.worker->workspace)) return status;
            if (!find_place(l, k % AHEAD, k / AHEAD, &l->hold)) continue;
            hf_reach_allow_touch(r, &l->hold);
            status = try_shift(l, shift * SHIFT_M, answer, line, found);
            hf_reach_forbid_touches(r);
        }
    return status;
}

/* Plays the frames that lean, forwards or back. */
static hf_status play_frames(hf_reach_runner* r, bool back) {
    hf_status status = HF_OK;
    for (int i = 1; i < r->lean.count && status == HF_OK; i++) {
        const hf_reach_lean_frame* f = &r->lean.frames[back ? r->lean.count - 1 - i : i];
        set_com(r, f->com);
        hf_reach_state(r->stage.worker, f->controls, r->stage.state);
        status = hf_reach_stay(&r->stage, 1, i + 1 == r->lean.count);
    }
    return status;
}

/* Goes to the place, puts the hand down and leans. */
static hf_status perform(leaning* l, hf_space_rows* line) {
    hf_reach_runner* r = l->runner;
    hf_space_rows_reverse(line, 0);
    hf_reach_allow_touch(r, &l->hold);
    r->now->outcome = HF_FOUND;
    hf_status status = hf_reach_come(r, line, -1);
    if (status == HF_OK && r->now->outcome == HF_FOUND) {
        r->stage.holds[r->stage.hold_count++] = l->hold;
        status = hf_reach_stay(&r->stage, 1, true);
        if (status == HF_OK) status = set_supports(r, &l->hold);
        if (status == HF_OK) status = play_frames(r, false);
        r->lean.on = true, r->lean.hold = l->hold, r->lean.turn = l->turn;
        if (r->now->outcome == HF_FOUND) r->now->why[0] = 0;
    } else {
        hf_reach_forbid_touches(r);
    }
    return status;
}

hf_status hf_reach_lean(hf_reach_runner* r, const hf_target* target, bool* leans) {
    const hf_limb* limbs = r->world.creature->view.limbs;
    leaning l = {.runner = r, .reach = target->limb, .to = *target};
    l.arm = r->layer->arms[target->limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT];
    *leans = false;
    if (r->world.load_count || !limbs[l.arm].contact_count) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_hand_answer answer = {0};
    hf_status status = search(&l, &answer, &line, leans);
    if (status == HF_OK && *leans) status = perform(&l, &line);
    hf_workspace_end(r->workspace, mark);
    return status;
}

static hf_hand_task lifted(const void* user, double share) {
    const hf_reach_runner* r = user;
    hf_vec3 up = hf_scale(r->lean.hold.normal, share * r->options->approach_m);
    return (hf_hand_task){.count = 1,
                          .targets = {{.kind = HF_TARGET_POSE,
                                       .limb = r->lean.hold.limb,
                                       .contact = 0,
                                       .point = hf_add(middle_of(r, &r->lean.hold), up),
                                       .rotation = r->lean.turn}}};
}

hf_status hf_reach_stop_leaning(hf_reach_runner* r) {
    if (!r->lean.on) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    bool good = true;
    hf_status status = play_frames(r, true), guided = HF_OK;
    r->stage.hold_count = 0;
    if (status == HF_OK) status = set_supports(r, NULL);
    if (status == HF_OK) status = hf_reach_stay(&r->stage, 1, true);
    if (status == HF_OK)
        hf_reach_guide(r->stage.worker, lifted, r, (int)ceil(r->options->approach_m / 0.01), r->stage.state,
                       &line, &guided);
    if (status == HF_OK) status = guided;
    if (status == HF_OK && line.count > 1) status = hf_reach_play(&r->stage, &line, NULL, &good);
    if (status == HF_OK && (!good || line.count < 2))
        hf_reach_say(r, HF_NONE, "the hand cannot leave what it leaned on: %s",
                     r->stage.worker->why ? r->stage.worker->why : "");
    hf_reach_forbid_touches(r);
    r->lean.on = false;
    hf_workspace_end(r->workspace, mark);
    return status;
}
