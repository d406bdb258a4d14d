/* Refinement of a schedule: attempts, the first of them new times alone, each made into a motion and tested;
   the quickest that holds is kept. */
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "refine/overlap.h"
#include "refine/retime.h"

#include <holdfast/refine.h>

#include <math.h>
#include <string.h>
#include <time.h>

#define FIELD(name) offsetof(hf_refine_options, name)
static const hf_option items[] = {
    {"rate", HF_OPTION_REAL, FIELD(rate), 10, 1000, 120, "1/s", "frames a second of the result"},
    {"speed_share", HF_OPTION_REAL, FIELD(speed_share), 0.05, 1, 0.98, "",
     "of the speed limits of joints and root"},
    {"acceleration_share", HF_OPTION_REAL, FIELD(acceleration_share), 0.05, 1, 0.95, "",
     "of the acceleration limits of joints and root"},
    {"effort_share", HF_OPTION_REAL, FIELD(effort_share), 0.05, 1, 0.9, "", "of the effort limits of joints"},
    {"rounds", HF_OPTION_COUNT, FIELD(rounds), 0, 40, 12, "",
     "in which body and limbs are brought to move together"},
};

hf_option_table hf_refine_option_table(void) { return HF_OPTION_TABLE(items); }

hf_refine_options hf_refine_options_default(void) {
    hf_refine_options options;
    memset(&options, 0, sizeof options);
    hf_options_default(hf_refine_option_table(), &options);
    return options;
}

const char* hf_refine_why_text(hf_refine_why why) {
    static const char* const texts[] = {"refined",
                                        "nothing is held, so that nothing can bear the body",
                                        "there is no motion in it",
                                        "objects move by their own times",
                                        "the creature has no mass",
                                        "a hand carries an object, whose weight is not timed yet",
                                        "the contacts do not bear the body at any speed",
                                        "the limits of the joints leave no speed",
                                        "no speed leads on from here",
                                        "the motion would not keep what it must keep",
                                        "cancelled"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

void hf_refine_result_free(hf_refine_result* r) {
    if (!r) return;
    hf_schedule_free(r->schedule);
    hf_motion_free(r->motion);
    memset(r, 0, sizeof *r);
}

typedef struct refinement {
    const hf_creature* creature;
    const hf_scene* scene;
    const hf_schedule* schedule;
    const hf_refine_options* options;
    hf_workspace* workspace;
    hf_placement* placement;
    hf_refine_result* result;
    hf_stance_list list;
    hf_parts* phases;
    hf_part* timed; /* the phases as the last time scaling has them */
    double* good_s; /* durations with which a motion held */
    bool has_good, valid;
    bool hopeful; /* the last motion would do with calmer times */
    int blocked;  /* the phase that could not be timed, -1 */
} refinement;

/* ---- what cannot be refined ---- */

static bool carries(const refinement* r) {
    for (int i = 0; r->scene && i < r->schedule->hold_count; i++) {
        const hf_hold* hold = &r->schedule->holds[i].hold;
        if (hold->grip && hold->object >= 0 && hf_scene_object(r->scene, hold->object).movable) return true;
    }
    return false;
}

static hf_refine_why refusal(const refinement* r) {
    if (r->schedule->knot_count < 2) return HF_REFINE_ONE_FRAME;
    if (r->schedule->hold_count == 0) return HF_REFINE_NO_CONTACTS;
    if (!(r->creature->view.mass > 0)) return HF_REFINE_NO_MASS;
    if (carries(r)) return HF_REFINE_CARRIES;
    return hf_scene_moves(r->scene) ? HF_REFINE_MOVING_OBJECTS : HF_REFINE_DONE;
}

/* ---- attempts ---- */

/* The phase that a frame of a schedule made in this round is in, by the holds that last there. */
static int phase_of_frame(const refinement* r, const hf_schedule* made, int frame) {
    double end_s = made->knots[made->knot_count - 1].time_s, t = frame / made->rate, began = 0, sum = 0;
    for (int i = 0; i < r->phases->count; i++) sum += r->timed[i].took_s;
    t *= sum / end_s;
    for (int i = 0; i < r->phases->count; i++) {
        began += r->timed[i].took_s;
        if (t < began) return i;
    }
    return r->phases->count - 1;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hf_refine_why why_of(hf_scaling_block block) {
    static const hf_refine_why whys[] = {HF_REFINE_DONE, HF_REFINE_UNBORNE, HF_REFINE_LIMITED,
                                         HF_REFINE_UNTIMED};
    return whys[block];
}

/* Of the haste of a phase whose frames are not borne or too fast; of the rounding of a swing that collides,
   and how much farther away it goes, m. */
static const double CALMER = 0.5, KEEP_MORE = 0.25, SHARPER = 0.7, CLEARER_M = 0.015;

/* What faults say about the phases in which they are: each phase learns once from each kind. */
static void learn(refinement* r, const hf_schedule* made, const hf_realise_result* faults) {
    hf_parts* phases = r->phases;
    int last[2] = {-1, -1};
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        int p = phase_of_frame(r, made, f->frame), kind = f->kind == HF_FAULT_COLLIDES;
        hf_part* a = &phases->items[p];
        if (last[kind] == p) continue;
        last[kind] = p;
        if (f->kind != HF_FAULT_COLLIDES) a->haste *= CALMER, a->kept = fmin(1, a->kept + KEEP_MORE);
        // a collision as a limb has just landed or is about to leave is of its swing
        for (int k = p - 1; k <= p + 1 && f->kind == HF_FAULT_COLLIDES; k++) {
            if (k < 0 || k >= phases->count || (k != p && a->swings)) continue;
            phases->items[k].round_share *= SHARPER;
            phases->items[k].clear_m += CLEARER_M;
        }
    }
}

/* Are all faults about forces and speeds, so that calmer times can help? */
static bool only_borne(const hf_realise_result* faults) {
    for (int i = 0; i < faults->fault_count; i++)
        if (faults->faults[i].kind != HF_FAULT_DYNAMIC && faults->faults[i].kind != HF_FAULT_SPEED)
            return false;
    return true;
}

/* A motion without fault that is quicker than the best so far becomes the best. */
static hf_status judge(refinement* r, hf_schedule* made, int round) {
    hf_refine_result* out = r->result;
    hf_realise_options o = hf_realise_options_default();
    hf_realise_result faults = {0};
    hf_motion* motion = NULL;
    hf_status status = hf_realise(r->creature, r->scene, made, &o, r->workspace, &motion, &faults);
    if (status == HF_OK) learn(r, made, &faults);
    r->valid = status == HF_OK && faults.outcome == HF_FOUND;
    r->hopeful = status == HF_OK && faults.fault_count > 0 && only_borne(&faults);
    bool better = status == HF_OK && faults.outcome == HF_FOUND && !hf_workspace_cancelled(r->workspace) &&
                  made->knots[made->knot_count - 1].time_s < (out->motion ? out->after_s : out->before_s);
    if (status == HF_OK && faults.fault_count)
        out->fault_count = faults.fault_count, out->fault = faults.faults[0];
    if (better) {
        hf_schedule_free(out->schedule);
        hf_motion_free(out->motion);
        out->schedule = made, out->motion = motion;
        out->after_s = made->knots[made->knot_count - 1].time_s;
        out->rounds = round;
    } else {
        if (status == HF_OK && faults.fault_count && !out->motion) out->why = HF_REFINE_FAULTY;
        hf_schedule_free(made);
        hf_motion_free(motion);
    }
    hf_realise_result_free(&faults);
    return status;
}

static hf_scaling_shares shares_of(const hf_refine_options* o) {
    return (hf_scaling_shares){o->speed_share, o->acceleration_share, o->effort_share};
}

static bool copy_text(char** to, const char* from) {
    hf_free(*to);
    *to = from ? hf_copy_text(from) : NULL;
    return !from || *to;
}

static bool name_as(hf_schedule* s, const hf_schedule* given) {
    return copy_text(&s->creature, given->creature) && copy_text(&s->scenario, given->scenario) &&
           copy_text(&s->outcome, given->outcome);
}

/* New times for the poses of a schedule. */
static hf_status time_again(refinement* r, const hf_schedule* poses, const hf_parts* phases, unsigned claims,
                            int round) {
    hf_scaling_shares shares = shares_of(r->options);
    hf_retime_info info;
    hf_schedule* made = NULL;
    double began = now_s();
    hf_status status = hf_retime(r->creature, poses, phases, &r->list, &shares, r->options->rate,
                                 r->workspace, r->timed, &made, &info);
    r->result->scaling_s = now_s() - began;
    if (status != HF_OK) return status;
    r->result->static_count = info.static_count;
    r->result->effort_count = info.effort_count;
    if (!made) {
        r->blocked = hf_parts_at(phases, info.block_s);
        if (!r->result->motion) r->result->why = why_of(info.block), r->result->at_s = info.block_s;
        return HF_OK;
    }
    made->claims = claims;
    if (!name_as(made, r->schedule)) {
        hf_schedule_free(made);
        return HF_ERROR_MEMORY;
    }
    return judge(r, made, round);
}

/* The same phases with the refined times as given ones. */
static hf_status own_phases(const hf_parts* in, hf_workspace* w, hf_parts* out) {
    *out = *in;
    out->items = hf_workspace_take(w, (size_t)in->count, sizeof *out->items);
    if (!out->items) return HF_ERROR_MEMORY;
    double at = 0;
    for (int i = 0; i < in->count; i++) {
        out->items[i] = in->items[i];
        out->items[i].from_s = at;
        out->items[i].to_s = at += in->items[i].took_s;
    }
    return HF_OK;
}

/* Poses a second: what lies between is a smooth curve. */
static const double POSE_RATE = 30;
/* Over which the body's given motion is spread: as long as a quick step. */
static const double SMOOTH_S = 0.3;
enum { CALMER_TRIES = 6 }; /* of the same poses, each with calmer times */
/* Of the times of phases that ask for too much, at least and at most, and of those in which all limbs hold:
   they go on getting shorter. */
static const double LONGER = 1.1, MOST_LONGER = 1.4, SHORTER = 0.98;

static bool is_strained(const refinement* r, const hf_part_load* loads, int p) {
    for (int i = p - 1; i <= p + 1; i++)
        if (i >= 0 && i < r->phases->count &&
            (loads[i].outside > 0 || loads[i].lost_m > 0 || i == r->blocked))
            return true;
    return false;
}

/* After a motion that holds: the times that the time scaling found, shorter where all limbs hold. */
static void go_on(refinement* r) {
    for (int i = 0; i < r->phases->count; i++) {
        hf_part* a = &r->phases->items[i];
        r->good_s[i] = a->took_s;
        a->took_s = r->timed[i].took_s * (a->swings ? 1 : SHORTER);
        memcpy(a->pace, r->timed[i].pace, sizeof a->pace);
    }
    r->has_good = true;
}

/* After one that does not: longer where the poses could not be borne or timed, and half of the way back to
   the times that were good. Faults of frames have changed the phases already. */
static void go_back(refinement* r, const hf_part_load* loads) {
    for (int i = 0; i < r->phases->count; i++) {
        hf_part* a = &r->phases->items[i];
        double by = is_strained(r, loads, i) ? LONGER : 1;
        // where nothing could be timed, limits are met by the poses themselves
        if (r->blocked >= 0) by = fmax(by, fmax(loads[i].speed, sqrt(loads[i].acceleration)));
        a->took_s *= fmin(MOST_LONGER, by);
        if (r->has_good && r->blocked >= 0 && r->good_s[i] > a->took_s)
            a->took_s = (a->took_s + r->good_s[i]) / 2;
    }
}

/* Times for the poses of a round, calmer and calmer while that can help. */
static hf_status calm_down(refinement* r, const hf_schedule* poses, hf_parts* own, unsigned claims,
                           int round) {
    hf_status status = HF_OK;
    r->blocked = -1;
    r->hopeful = true;
    r->valid = false;
    for (int tries = 0;
         tries < CALMER_TRIES && r->hopeful && status == HF_OK && hf_workspace_goes_on(r->workspace);
         tries++) {
        r->hopeful = false;
        for (int i = 0; i < own->count; i++) {
            own->items[i].kept = r->phases->items[i].kept;
            own->items[i].haste = r->phases->items[i].haste;
        }
        status = time_again(r, poses, own, claims, round);
    }
    return status;
}

/* Rounds of poses, times and tests. */
static hf_status overlap_rounds(refinement* r, hf_pose_spline* spline, hf_parts* phases) {
    hf_workspace* w = r->workspace;
    hf_part_load* loads = hf_workspace_take(w, (size_t)phases->count, sizeof *loads);
    hf_status status = loads ? HF_OK : HF_ERROR_MEMORY;
    unsigned claims = (r->schedule->claims | HF_CLAIM_DYNAMIC) & ~(unsigned)HF_CLAIM_BALANCE;
    hf_overlap_wishes wishes = {.rate = POSE_RATE, .smooth_s = SMOOTH_S};
    for (int round = 1; round <= r->options->rounds && status == HF_OK; round++) {
        hf_workspace_mark mark = hf_workspace_begin(w);
        hf_schedule* poses = NULL;
        hf_parts own;
        status =
            hf_overlap_make(r->creature, r->schedule, spline, phases, &r->list, &wishes, w, &poses, loads);
        if (status == HF_OK) status = own_phases(phases, w, &own);
        for (int i = 0; i < phases->count; i++) r->timed[i] = phases->items[i];
        if (status == HF_OK && hf_workspace_goes_on(w)) status = calm_down(r, poses, &own, claims, round);
        if (r->valid)
            go_on(r);
        else
            go_back(r, loads);
        hf_parts_add_up(phases);
        hf_schedule_free(poses);
        hf_workspace_end(w, mark);
        if (!hf_workspace_goes_on(w)) break;
    }
    return status;
}

/* The phases of the schedule, in which everything is learned. */
static hf_status begin_phases(refinement* r, hf_parts* phases) {
    hf_workspace* w = r->workspace;
    hf_status status = hf_parts_make(r->schedule, w, phases);
    if (status != HF_OK) return status;
    r->phases = phases;
    r->timed = hf_workspace_take(w, (size_t)phases->count, sizeof *r->timed);
    r->good_s = hf_workspace_take(w, (size_t)phases->count, sizeof *r->good_s);
    if (!r->timed || !r->good_s) return HF_ERROR_MEMORY;
    memcpy(r->timed, phases->items, sizeof *r->timed * (size_t)phases->count);
    return HF_OK;
}

/* Where body and limbs could not be brought to move together, the given poses in new times. */
static hf_status retime_given(refinement* r, hf_parts* phases) {
    hf_status status = begin_phases(r, phases);
    hf_parts own;
    if (status == HF_OK) status = own_phases(phases, r->workspace, &own);
    return status == HF_OK ? calm_down(r, r->schedule, &own, r->schedule->claims | HF_CLAIM_DYNAMIC, 0)
                           : status;
}

static hf_status attempt(refinement* r) {
    hf_workspace* w = r->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_pose_spline spline;
    hf_parts phases;
    hf_status status = hf_pose_spline_of(r->creature, r->schedule, w, &spline);
    if (status == HF_OK) status = begin_phases(r, &phases);
    if (status == HF_OK)
        status = hf_stance_list_make(r->creature, r->placement, r->schedule, &spline, &phases, w, &r->list);
    if (status == HF_OK) status = overlap_rounds(r, &spline, &phases);
    if (status == HF_OK && !r->result->motion && hf_workspace_goes_on(w)) status = retime_given(r, &phases);
    hf_stance_list_free(&r->list);
    hf_workspace_end(w, mark);
    return status;
}

hf_status hf_refine(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                    const hf_refine_options* options, hf_workspace* workspace, hf_refine_result* result,
                    hf_error* error) {
    HF_REQUIRE(error, creature && schedule && options && workspace && result);
    hf_refine_result_free(result);
    result->outcome = HF_NONE;
    result->at_s = -1;
    hf_status status = hf_options_check(hf_refine_option_table(), options, error);
    if (status == HF_OK) status = hf_schedule_validate(schedule, creature, scene, error);
    if (status != HF_OK) return status;
    refinement r = {creature, scene, schedule, options, workspace, NULL,  result, {0},
                    NULL,     NULL,  NULL,     false,   false,     false, -1};
    result->before_s = schedule->knots[schedule->knot_count - 1].time_s;
    result->why = refusal(&r);
    if (result->why != HF_REFINE_DONE) return HF_OK;
    status = hf_placement_create(scene, &r.placement);
    if (status == HF_OK) status = attempt(&r);
    hf_placement_free(r.placement);
    if (status != HF_OK) {
        hf_refine_result_free(result);
        return hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
    }
    if (result->motion) result->outcome = HF_FOUND, result->why = HF_REFINE_DONE, result->at_s = -1;
    if (hf_workspace_cancelled(workspace)) result->outcome = HF_CANCELLED, result->why = HF_REFINE_CANCELLED;
    return HF_OK;
}
