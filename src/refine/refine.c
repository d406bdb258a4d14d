/* Refinement of a schedule: attempts, the first of them new times alone, each made into a motion and tested;
   the quickest that holds is kept. */
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/overlap.h"
#include "refine/retime.h"

#include <holdfast/refine.h>

#include <math.h>
#include <string.h>
#include <time.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELD(name) offsetof(hf_refine_options, name)
static const hf_option items[] = {
    {"rate", HF_OPTION_REAL, FIELD(rate), 10, 1000, 120, "1/s", "frames a second of the result"},
    {"speed_share", HF_OPTION_REAL, FIELD(speed_share), 0.05, 1, 0.98, "",
     "of the speed limits of joints and root"},
    {"acceleration_share", HF_OPTION_REAL, FIELD(acceleration_share), 0.05, 1, 0.95, "",
     "of the acceleration limits of joints and root"},
    {"effort_share", HF_OPTION_REAL, FIELD(effort_share), 0.05, 1, 0.9, "", "of the effort limits of joints"},
    {"wrench_share", HF_OPTION_REAL, FIELD(wrench_share), 0.05, 1, 0.9, "",
     "of the way from standing still to the most that contacts bear"},
    {"rounds", HF_OPTION_COUNT, FIELD(rounds), 0, 40, 12, "",
     "in which body and limbs are brought to move together"},
    {"test", HF_OPTION_FLAG, FIELD(test), 0, 1, 1, "", "test every frame of the result"},
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
    hf_phases* phases;
    double* took_s; /* of each phase, as the last time scaling has it */
} refinement;

/* ---- what cannot be refined ---- */

static bool objects_move(const hf_scene* scene) {
    for (int i = 0; scene && i < hf_scene_object_count(scene); i++)
        if (hf_scene_object(scene, i).key_count > 1) return true;
    return false;
}

static hf_refine_why refusal(const refinement* r) {
    if (r->schedule->knot_count < 2) return HF_REFINE_ONE_FRAME;
    if (r->schedule->hold_count == 0) return HF_REFINE_NO_CONTACTS;
    if (!(r->creature->view.mass > 0)) return HF_REFINE_NO_MASS;
    return objects_move(r->scene) ? HF_REFINE_MOVING_OBJECTS : HF_REFINE_DONE;
}

/* ---- attempts ---- */

/* The phase that a frame of a schedule made in this round is in, by the holds that last there. */
static int phase_of_frame(const refinement* r, const hf_schedule* made, int frame) {
    double end_s = made->knots[made->knot_count - 1].time_s, t = frame / made->rate, began = 0, sum = 0;
    for (int i = 0; i < r->phases->count; i++) sum += r->took_s[i];
    t *= sum / end_s;
    for (int i = 0; i < r->phases->count; i++) {
        began += r->took_s[i];
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

/* Of the shares of a phase whose frames are too fast or not borne; of the rounding of a swing that collides,
   and how much farther away it goes, m. */
static const double EASE = 0.85, SHARPER = 0.7, CLEARER_M = 0.015;
static const double LEAST_EASE = 0.2;

/* What faults say about the phases in which they are: each phase learns once from each kind. */
static void learn(refinement* r, const hf_schedule* made, const hf_realise_result* faults) {
    hf_phases* phases = r->phases;
    int last[2] = {-1, -1};
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        int p = phase_of_frame(r, made, f->frame), kind = f->kind == HF_FAULT_COLLIDES;
        hf_phase* a = &phases->items[p];
        if (last[kind] == p) continue;
        last[kind] = p;
        if (f->kind != HF_FAULT_COLLIDES) a->ease = fmax(LEAST_EASE, a->ease * EASE);
        // a collision as a limb has just landed or is about to leave is of its swing
        for (int k = p - 1; k <= p + 1 && f->kind == HF_FAULT_COLLIDES; k++) {
            if (k < 0 || k >= phases->count || (k != p && a->swings)) continue;
            phases->items[k].round_share *= SHARPER;
            phases->items[k].clear_m += CLEARER_M;
        }
    }
}

/* A motion without fault that is quicker than the best so far becomes the best. */
static hf_status judge(refinement* r, hf_schedule* made, int round) {
    hf_refine_result* out = r->result;
    hf_realise_options o = hf_realise_options_default();
    hf_realise_result faults = {0};
    hf_motion* motion = NULL;
    o.test = r->options->test;
    hf_status status = hf_realise(r->creature, r->scene, made, &o, r->workspace, &motion, &faults);
    if (getenv("HF_DBG")) {
        int kinds[16] = {0};
        for (int i = 0; i < faults.fault_count; i++) kinds[faults.faults[i].kind]++;
        fprintf(stderr, "round %d: %.2f s, %d faults:", round, made->knots[made->knot_count - 1].time_s, faults.fault_count);
        for (int k = 0; k < 9; k++) if (kinds[k]) fprintf(stderr, " %s %d", hf_frame_fault_text(k), kinds[k]);
        fprintf(stderr, "; first:");
        for (int i = 0; i < faults.fault_count && i < 12; i++) fprintf(stderr, " %d/%d", faults.faults[i].frame, faults.faults[i].kind);
        for (int i = 0; i < faults.fault_count; i++) if (faults.faults[i].kind == 0) { const hf_collision* h = &faults.faults[i].collision; const hf_creature_view* v = &r->creature->view;
            fprintf(stderr, " [%d %s %s]", faults.faults[i].frame, v->links[v->bodies[h->body].link].name, h->other_body >= 0 ? v->links[v->bodies[h->other_body].link].name : hf_scene_object(r->scene, h->surface.object).name); i += 5; }
        fprintf(stderr, "\n");
    }
    if (status == HF_OK && round > 0) learn(r, made, &faults);
    bool better = status == HF_OK && faults.outcome == HF_FOUND && !hf_workspace_cancelled(r->workspace) &&
                  (!out->motion || made->knots[made->knot_count - 1].time_s < out->after_s);
    if (status == HF_OK && faults.fault_count) out->fault_count = faults.fault_count, out->fault = faults.faults[0];
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
    return (hf_scaling_shares){o->speed_share, o->acceleration_share, o->effort_share, o->wrench_share};
}

/* New times for the poses of a schedule. */
static hf_status time_again(refinement* r, const hf_schedule* poses, const hf_phases* phases,
                            unsigned claims, int round) {
    hf_scaling_shares shares = shares_of(r->options);
    hf_retime_info info;
    hf_schedule* made = NULL;
    double began = now_s();
    hf_status status = hf_retime(r->creature, poses, phases, &r->list, &shares, r->options->rate,
                                 r->workspace, r->took_s, &made, &info);
    r->result->scaling_s = now_s() - began;
    if (status != HF_OK) return status;
    r->result->static_count = info.static_count;
    r->result->effort_count = info.effort_count;
    if (!made) {
        if (getenv("HF_DBG")) fprintf(stderr, "block %d at %g\n", info.block, info.block_s);
        if (!r->result->motion) r->result->why = why_of(info.block), r->result->at_s = info.block_s;
        return HF_OK;
    }
    made->claims = claims;
    return judge(r, made, round);
}

/* The same phases with the refined times as given ones. */
static hf_status own_phases(const hf_phases* in, hf_workspace* w, hf_phases* out) {
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

/* Longest and shortest times to begin with, s. */
static void first_times(hf_phases* p) {
    for (int i = 0; i < p->count; i++) {
        hf_phase* a = &p->items[i];
        double k = getenv("K") ? atof(getenv("K")) : 1;
        a->took_s *= k;
    }
    hf_phases_add_up(p);
}

static void say_loads(const hf_phases* p, const hf_phase_load* loads) {
    if (!getenv("HF_DBG2")) return;
    for (int i = 0; i < p->count; i++)
        fprintf(stderr, "  %2d %s %.2f -> %.2f s  v %.2f a %.2f out %.3f lost %.4f\n", i,
                p->items[i].swings ? "swing" : "stand", p->items[i].to_s - p->items[i].from_s,
                p->items[i].took_s, loads[i].speed, loads[i].acceleration, loads[i].outside, loads[i].lost_m);
}

static hf_status overlap_rounds(refinement* r, hf_pose_spline* spline, hf_phases* phases) {
    hf_workspace* w = r->workspace;
    hf_phase_load* loads = hf_workspace_take(w, (size_t)phases->count, sizeof *loads);
    r->took_s = hf_workspace_take(w, (size_t)phases->count, sizeof *r->took_s);
    r->phases = phases;
    hf_status status = loads && r->took_s ? HF_OK : HF_ERROR_MEMORY;
    unsigned claims = (r->schedule->claims | HF_CLAIM_DYNAMIC) & ~(unsigned)HF_CLAIM_BALANCE;
    hf_overlap_wishes wishes = {.rate = 30, .smooth_s = getenv("W") ? atof(getenv("W")) : 0.2, .margin_m = 0.01};
    first_times(phases);
    for (int round = 1; round <= r->options->rounds && status == HF_OK; round++) {
        hf_workspace_mark mark = hf_workspace_begin(w);
        hf_schedule* poses = NULL;
        hf_phases own;
        status = hf_overlap_make(r->creature, r->schedule, spline, phases, &r->list, &wishes, w, &poses, loads);
        if (status == HF_OK) status = own_phases(phases, w, &own);
        if (getenv("HF_DBG")) fprintf(stderr, "round %d: path of %.2f s\n", round, phases->duration_s);
        if (status == HF_OK) say_loads(phases, loads);
        for (int i = 0; i < phases->count; i++) r->took_s[i] = phases->items[i].took_s;
        if (status == HF_OK) status = time_again(r, poses, &own, claims, round);
        for (int i = 0; i < phases->count; i++)
            phases->items[i].took_s = r->took_s[i] * (phases->items[i].swings ? 1 : 0.8);
        hf_phases_add_up(phases);
        hf_schedule_free(poses);
        hf_workspace_end(w, mark);
        if (!hf_workspace_goes_on(w)) break;
    }
    return status;
}

static hf_status attempt(refinement* r) {
    hf_workspace* w = r->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    unsigned claims = r->schedule->claims | HF_CLAIM_DYNAMIC;
    hf_pose_spline spline;
    hf_phases phases;
    hf_status status = hf_pose_spline_of(r->creature, r->schedule, w, &spline);
    if (status == HF_OK) status = hf_phases_make(r->schedule, w, &phases);
    if (status == HF_OK)
        status = hf_stance_list_make(r->creature, r->placement, r->schedule, &spline, &phases, w, &r->list);
    if (status == HF_OK) status = time_again(r, r->schedule, &phases, claims, 0);
    if (status == HF_OK) status = overlap_rounds(r, &spline, &phases);
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
    refinement r = {creature, scene, schedule, options, workspace, NULL, result, {0}, NULL, NULL};
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
