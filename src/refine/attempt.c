/* Attempts to refine a stretch: poses with body and limbs in motion at once, the fastest times for them, and
   the realiser's test of every frame. What is quicker and without fault is kept. */
#include "refine/refinement.h"

#include "balance/stance.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/direct.h"
#include "refine/given_poses.h"
#include "refine/ends.h"
#include "refine/overlap.h"
#include "refine/retime.h"
#include "refine/strain.h"
#include "refine/work.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static hf_refine_why why_of(hf_scaling_block block) {
    static const hf_refine_why whys[] = {HF_REFINE_DONE, HF_REFINE_UNBORNE, HF_REFINE_LIMITED,
                                         HF_REFINE_UNTIMED};
    return whys[block];
}

/* Are all faults about forces and speeds, so that calmer times can help? What takes too much effort does so
   in any times, nearly. */
static bool only_borne(const hf_realise_result* faults) {
    for (int i = 0; i < faults->fault_count; i++)
        if ((faults->faults[i].kind != HF_FAULT_DYNAMIC && faults->faults[i].kind != HF_FAULT_SPEED) ||
            faults->faults[i].limb == HF_STRAINED)
            return false;
    return true;
}

/* A motion without fault that is quicker than the best so far becomes the best. */
static bool is_better(const hf_refinement* r, const hf_schedule* made) {
    return r->valid && !hf_workspace_stopped(r->workspace) &&
           (!r->stretch->best || made->knots[made->knot_count - 1].time_s < r->stretch->best_s);
}

static void take_best(const hf_refinement* r, hf_schedule* made, hf_motion* motion) {
    hf_stretch* s = r->stretch;
    hf_schedule_free(s->best);
    hf_motion_free(s->motion);
    s->best = made, s->motion = motion;
    s->best_s = made->knots[made->knot_count - 1].time_s;
    s->static_count = r->info.static_count, s->effort_count = r->info.effort_count;
}

void hf_note_faults(hf_refine_result* out, const hf_realise_result* faults, double given_s, double rate) {
    out->fault_count = faults->fault_count;
    out->fault = faults->faults[0];
    if (out->fault.limb == HF_STRAINED) out->fault.limb = -1;
    out->fault.frame = (int)round(given_s * rate);
}

static void note_reason(hf_stretch* s, hf_refine_why why, double at_s) { s->why = why, s->at_s = at_s; }

/* Adds a fault for each frame that takes more of the joints' effort than the given motion. */
static hf_status add_strained(const hf_refinement* r, const hf_schedule* made, const hf_motion* motion,
                              hf_realise_result* faults) {
    hf_strain s = {r->of->creature, motion, made, r->stretch->list.held, r->workspace};
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    bool* strained = hf_workspace_take(r->workspace, (size_t)motion->frame_count, sizeof *strained);
    int count = 0;
    hf_status status = strained ? hf_strain_list(&s, r->of->strain, strained, &count) : HF_ERROR_MEMORY;
    for (int i = 0; i < motion->frame_count && count && status == HF_OK; i++) {
        if (!strained[i]) continue;
        if (!HF_GROW(faults->faults, faults->fault_capacity, faults->fault_count)) {
            status = HF_ERROR_MEMORY;
            break;
        }
        faults->faults[faults->fault_count++] =
            (hf_frame_fault){.kind = HF_FAULT_DYNAMIC, .frame = i, .limb = HF_STRAINED};
        faults->outcome = HF_PARTIAL;
    }
    hf_workspace_end(r->workspace, mark);
    return status;
}

static hf_status judge(hf_refinement* r, hf_schedule* made) {
    hf_refine_result* out = r->of->result;
    hf_realise_options o = hf_realise_options_default();
    hf_realise_result faults = {0};
    hf_motion* motion = NULL;
    hf_status status = hf_realise(r->of->creature, r->of->scene, made, &o, r->workspace, &motion, &faults);
    if (status == HF_OK)
        status =
            hf_ends_judge(r->of->creature, r->stretch->given, made, r->stretch->ends, r->workspace, &faults);
    hf_spend(r->workspace, r->of->creature, HF_WORK_FRAME, made->knot_count);
    if (status == HF_OK && faults.outcome == HF_FOUND && !r->keeps)
        status = add_strained(r, made, motion, &faults);
    if (status == HF_OK && r->ways) status = hf_learn_direct(r, made, &faults);
    if (status == HF_OK && r->calm) hf_learn_calm(r, made, &faults);
    if (status == HF_OK && !r->ways && !r->keeps && !r->calm) hf_learn(r, made, &faults);
    r->valid = status == HF_OK && faults.outcome == HF_FOUND;
    r->hopeful = status == HF_OK && faults.fault_count > 0 && only_borne(&faults);
    if (status == HF_OK && faults.fault_count) {
        double at_s = hf_stretch_given_time(r->stretch, made, faults.faults[0].frame / made->rate);
        hf_note_faults(out, &faults, at_s, r->stretch->given->rate);
        note_reason(r->stretch, HF_REFINE_FAULTY, at_s);
        r->stretch->fault_count = out->fault_count, r->stretch->fault = out->fault;
    }
    if (is_better(r, made)) {
        take_best(r, made, motion);
    } else {
        hf_schedule_free(made);
        hf_motion_free(motion);
    }
    hf_realise_result_free(&faults);
    return status;
}

unsigned hf_refined_claims(const hf_schedule* s) {
    return (s->claims | HF_CLAIM_DYNAMIC) & ~(unsigned)HF_CLAIM_BALANCE;
}

static hf_scaling_shares shares_of(const hf_refine_options* o) {
    return (hf_scaling_shares){o->speed_share, o->acceleration_share, o->effort_share};
}

/* New times for the poses of a schedule; keep: the poses' own times. */
static hf_status time_again(hf_refinement* r, const hf_schedule* poses, const hf_parts* phases, bool keep) {
    hf_refine_result* out = r->of->result;
    hf_scaling_shares shares = shares_of(r->of->options);
    hf_schedule* made = NULL;
    double began = hf_now_s();
    const hf_stance_list* list = r->ways ? &r->own_list : &r->stretch->list;
    hf_status status = hf_retime(r->of->creature, poses, phases, list, keep ? NULL : &shares, r->calm,
                                 r->of->rate, r->workspace, r->timed, &made, &r->info);
    out->scaling_s += hf_now_s() - began;
    if (status != HF_OK) return status;
    if (!made) {
        r->blocked = hf_parts_at(phases, r->info.block_s);
        if (!r->ways) r->phases->items[r->blocked].faulty = true;
        note_reason(r->stretch, why_of(r->info.block),
                    hf_stretch_given_time(r->stretch, poses, r->info.block_s));
        return HF_OK;
    }
    made->claims = hf_refined_claims(r->stretch->given);
    return judge(r, made);
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

/* That wrenches keep where a stretch begins or ends at rest, body weights times metres. */
static const double END_MARGIN_M = 0.016;

/* Poses a second: what lies between is a smooth curve. */
static const double POSE_RATE = 30, DIRECT_RATE = 60;
/* Over which the body's given motion is calmed: as long as a quick step. */
static const double SMOOTH_S = 0.3;
/* A round that leaves more than this share of the time is the last one. */
static const double WORTH_A_ROUND = 0.98;
enum { HOPELESS = 3 }; /* rounds without fewer faulty phases, one after the other, that end an attempt */
enum { CALMER_TRIES = 4, GIVEN_TRIES = 10 }; /* of the same poses, each with calmer times */
/* Of the times of phases that ask for too much, at least and at most, and of those in which all limbs hold:
   they go on getting shorter. */
static const double LONGER = 1.1, MOST_LONGER = 1.4, SHORTER = 0.98;
static const double SLOWEST = 1.3; /* of a phase's given time that a refined one takes at most */

static bool is_strained(const hf_refinement* r, const hf_part_load* loads, int p) {
    for (int i = p - 1; i <= p + 1; i++)
        if (i >= 0 && i < r->phases->count &&
            (loads[i].outside > 0 || loads[i].lost_m > 0 || i == r->blocked))
            return true;
    return false;
}

/* After a motion that holds: the times that the time scaling found, shorter where all limbs hold. */
static void go_on(hf_refinement* r) {
    for (int i = 0; i < r->phases->count; i++) {
        hf_part* a = &r->phases->items[i];
        r->good[i] = *a;
        if (a->settled) continue;
        a->took_s = r->timed[i].took_s * (a->swings ? 1 : SHORTER);
        memcpy(a->pace, r->timed[i].pace, sizeof a->pace);
    }
    r->has_good = true;
}

/* After a fault behind a motion that held: the faulty phases and those beside them become again what they
   were in that motion, and stay so. */
static void settle(hf_refinement* r) {
    int n = r->phases->count;
    r->stuck = true;
    hf_part* items = r->phases->items;
    for (int i = 0; i < n; i++) {
        bool faulty = items[i].faulty || (i > 0 && items[i - 1].faulty) || (i + 1 < n && items[i + 1].faulty);
        if (!faulty || items[i].settled) continue;
        bool own = items[i].faulty;
        items[i] = r->good[i];
        items[i].faulty = own, items[i].settled = true;
        r->stuck = false;
    }
}

/* After one that does not hold: longer where the poses could not be borne or timed. Faults of frames have
   changed the phases already. */
static void go_back(hf_refinement* r, const hf_part_load* loads) {
    if (r->has_good) {
        settle(r);
        return;
    }
    for (int i = 0; i < r->phases->count; i++) {
        hf_part* a = &r->phases->items[i];
        double by = is_strained(r, loads, i) ? LONGER : 1;
        // where nothing could be timed, limits are met by the poses themselves
        if (r->blocked >= 0) by = fmax(by, fmax(loads[i].speed, sqrt(loads[i].acceleration)));
        a->took_s = fmin(a->took_s * fmin(MOST_LONGER, by), SLOWEST * (a->to_s - a->from_s));
        if (loads[i].lost_m > 0) a->freedom = hf_less_freedom(a->freedom);
    }
}

/* Times for the poses of a round, calmer and calmer while that can help. */
hf_status hf_calm_down(hf_refinement* r, const hf_schedule* poses, hf_parts* own, int tries) {
    hf_status status = HF_OK;
    r->blocked = -1;
    r->hopeful = true;
    r->valid = false;
    for (int i = 0; i < tries && r->hopeful && status == HF_OK && hf_workspace_goes_on(r->workspace); i++) {
        r->hopeful = false;
        for (int k = 0; k < own->count; k++) {
            r->phases->items[k].faulty = false;
            own->items[k].kept = r->phases->items[k].kept;
            own->items[k].haste = r->phases->items[k].haste;
        }
        status = time_again(r, poses, own, false);
    }
    return status;
}

/* One round: poses, times, tests, and what the next round shall do otherwise. */
static hf_status make_round(hf_refinement* r, hf_pose_spline* spline, hf_part_load* loads) {
    hf_workspace* w = r->workspace;
    hf_parts* phases = r->phases;
    const hf_schedule* given = r->stretch->given;
    hf_overlap_wishes wishes = {.rate = POSE_RATE,
                                .smooth_s = SMOOTH_S,
                                .weights = r->of->options->weights,
                                .placement = r->of->placement};
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_schedule* poses = NULL;
    hf_parts own;
    hf_status status =
        hf_overlap_make(r->of->creature, given, spline, phases, &r->stretch->list, &wishes, w, &poses, loads);
    if (status == HF_OK) status = own_phases(phases, w, &own);
    for (int i = 0; i < phases->count; i++) phases->items[i].faulty = false, r->timed[i] = phases->items[i];
    if (status == HF_OK && hf_workspace_goes_on(w)) status = hf_calm_down(r, poses, &own, CALMER_TRIES);
    if (r->valid)
        go_on(r);
    else
        go_back(r, loads);
    hf_parts_add_up(phases);
    hf_schedule_free(poses);
    hf_workspace_end(w, mark);
    return status;
}

/* The given poses, this many a second, in new times. */
static hf_status retime_at(hf_refinement* r, hf_pose_spline* spline, double rate) {
    hf_schedule* poses = NULL;
    hf_parts own, *learned = r->phases;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_status status = own_phases(learned, r->workspace, &own);
    for (int i = 0; i < own.count && status == HF_OK; i++) own.items[i] = learned->items[i];
    if (status == HF_OK)
        status = hf_given_sample(r->of->creature, r->stretch, spline, rate, r->workspace, &own, &poses);
    if (status == HF_OK) status = hf_calm_down(r, poses, &own, GIVEN_TRIES);
    hf_schedule_free(poses);
    hf_workspace_end(r->workspace, mark);
    return status;
}

/* The given poses in new times: what is there when nothing else holds. The curve near few poses cuts their
   corners: where it collides, more poses follow, up to as many as the result has frames. */
static hf_status retime_given(hf_refinement* r, hf_pose_spline* spline) {
    hf_status status = HF_OK;
    double rate = r->stretch->given->rate, most = fmax(rate, r->of->rate);
    for (; rate <= most && !r->valid && status == HF_OK && hf_workspace_goes_on(r->workspace); rate *= 2)
        status = retime_at(r, spline, rate);
    return status;
}

/* Each try of the given poses lasts about so much longer than the one before: the last three times as long.
 */
static const double SLOWER = 1.2;
enum { SLOWER_TRIES = 7 };
/* Frames of a given pose that differ by less are the same. */
static const double SAME_FRAME = 1e-6;

hf_status hf_attempt_given(const hf_refining* of, hf_stretch* stretch) {
    hf_workspace* w = of->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_refinement r = {
        .of = of, .workspace = w, .stretch = stretch, .phases = &stretch->phases, .keeps = true};
    hf_pose_spline spline;
    hf_status status = hf_pose_spline_of(of->creature, stretch->given, w, &spline);
    int tries = stretch->walks ? 1 : SLOWER_TRIES;
    double per_pose = of->rate / stretch->given->rate, longer = 1;
    for (int i = 0, frames = 0; i < tries && !stretch->best && status == HF_OK && hf_workspace_goes_on(w);
         i++) {
        hf_schedule* made = NULL;
        status = hf_given_again(of->creature, stretch, &spline, longer, of->rate, w, &made);
        if (made) made->claims = hf_refined_claims(stretch->given);
        if (status == HF_OK)
            status = judge(&r, made);
        else
            hf_schedule_free(made);
        // whole frames for each given pose, so that a limb still holds in the frame in which another lands
        int next = (int)ceil(SLOWER * longer * per_pose - SAME_FRAME);
        frames = next > frames ? next : frames + 1;
        longer = frames / per_pose;
    }
    hf_workspace_end(w, mark);
    return status;
}

static int faulty_count(const hf_parts* p) {
    int count = 0;
    for (int i = 0; i < p->count; i++) count += p->items[i].faulty;
    return count;
}

/* ---- the shortest ways ---- */

/* The least static margin with which two limbs may be in the air at once, m: what a plan keeps. */
static const double OVERLAP_MARGIN_M = 0.006;

/* The static margin in a key pose on the holds that last through a gap, but for those that begin with the gap
   or end with it. */
static hf_status margin_without(const hf_refinement* r, int gap, int key, hf_transform* links,
                                double* margin) {
    const hf_schedule* s = r->stretch->given;
    const hf_part* a = &r->phases->items[gap];
    int holds[HF_STANCE_SUPPORTS], count = 0;
    for (int i = 0; i < s->hold_count && count < HF_STANCE_SUPPORTS; i++)
        if (s->holds[i].from_s < a->from_s - HF_SAME_S && s->holds[i].to_s > a->to_s + HF_SAME_S)
            holds[count++] = i;
    hf_stance* stance;
    *margin = -INFINITY;
    if (count == 0) return HF_OK;
    hf_status status = hf_stance_list_find(r->of->creature, &r->stretch->list, r->stretch->hold_of, holds,
                                           count, r->workspace, &stance);
    if (status != HF_OK) return status;
    hf_pose pose = hf_ways_key(r->ways, key);
    hf_forward(r->of->creature, &pose, links);
    *margin = hf_stance_margin(stance, hf_com(r->of->creature, links));
    return HF_OK;
}

/* Swings overlap where the limbs that stay hold the body without both. */
static hf_status allow_overlaps(hf_refinement* r) {
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_transform* links =
        hf_workspace_take(r->workspace, (size_t)r->of->creature->view.link_count, sizeof *links);
    hf_status status = links ? HF_OK : HF_ERROR_MEMORY;
    for (int p = 0; p < r->phases->count && status == HF_OK; p++) {
        hf_part* a = &r->phases->items[p];
        if (!hf_layout_is_gap(r->ways, p)) a->overlap = 0;
        for (int key = p; key <= p + 1 && a->overlap > 0 && status == HF_OK; key++) {
            double margin;
            status = margin_without(r, p, key, links, &margin);
            if (margin < OVERLAP_MARGIN_M) a->overlap = 0;
        }
    }
    hf_workspace_end(r->workspace, mark);
    return status;
}

/* The static margin in a swing's phase when the body is a share of the way from its key pose to another. */
static double margin_on_the_way(const hf_refinement* r, int phase, const hf_vec3* coms, int key, int other,
                                double share) {
    const hf_stance* stance = r->stretch->list.stances[phase];
    return hf_stance_margin(stance, hf_lerp(coms[key], coms[other], share));
}

/* The body is on its way during a swing as far as the limbs that stay would hold it at rest there. */
static void allow_carries(hf_refinement* r) {
    int count = r->phases->count;
    const hf_vec3* coms = r->ways->key_coms;
    for (int p = 0; p < count; p++) {
        hf_part* a = &r->phases->items[p];
        // with the whole share the body is half way to the next key pose as a swing begins or ends
        for (double share = a->carry / 2; a->carry > 0; share = a->carry / 2) {
            double before = p > 0 ? margin_on_the_way(r, p, coms, p, p - 1, share) : INFINITY;
            double after = p + 2 <= count ? margin_on_the_way(r, p, coms, p + 1, p + 2, share) : INFINITY;
            if (fmin(before, after) >= OVERLAP_MARGIN_M) break;
            a->carry = fmax(0, a->carry - HF_LESS_CARRY);
        }
    }
}

/* Phases and stances of poses in which swings overlap, with what the given phases have learned. */
static hf_status find_own(hf_refinement* r, const hf_schedule* poses) {
    hf_status status = hf_parts_make(poses, r->workspace, &r->own);
    for (int i = 0; i < r->own.count && status == HF_OK; i++) {
        hf_part* a = &r->own.items[i];
        double middle_s = (a->from_s + a->to_s) / 2;
        for (int p = 0; p < r->phases->count; p++) {
            const hf_part* b = &r->phases->items[p];
            if (r->layout.begin_s[p] > middle_s || r->layout.begin_s[p + 1] < middle_s) continue;
            a->haste = fmin(a->haste, b->haste);
            a->kept = fmax(a->kept, b->kept), a->margin_m = fmax(a->margin_m, b->margin_m);
        }
        r->timed[i] = *a;
    }
    if (status != HF_OK) return status;
    return hf_stance_list_again(r->of->creature, &r->stretch->list, r->stretch->hold_of, poses, &r->own,
                                r->workspace, &r->own_list);
}

/* After poses that could not be timed: the phases there and beside there nearer to how they were given. */
static void learn_block(hf_refinement* r) {
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    uint8_t* flags = hf_workspace_take(r->workspace, (size_t)r->phases->count, 1);
    r->stuck = true;
    if (flags) {
        memset(flags, 0, (size_t)r->phases->count);
        hf_frame_fault_kind kind =
            r->ways->moving && r->info.block != HF_SCALING_LIMITS ? HF_FAULT_DYNAMIC : HF_FAULT_SLIPS;
        r->stuck = !hf_learn_at(r, r->blocked, kind, flags);
        hf_spread_given(r);
    }
    hf_workspace_end(r->workspace, mark);
}

/* A hold that is farther from its limb than this is not reached from where the body is, m. */
static const double LOST_M = 1e-3;
enum { CARRY_TRIES = 4 }; /* of swings that the body waits for more and more */

/* Where limbs do not reach their holds the body is on its way less while they swing. False: all reach. */
static bool wait_for_limbs(hf_refinement* r, const hf_part_load* loads) {
    bool any = false;
    for (int p = 0; p < r->phases->count; p++)
        for (int k = p - 1; k <= p + 1 && loads[p].lost_m > LOST_M; k++) {
            if (k < 0 || k >= r->phases->count || !(r->phases->items[k].carry > 0)) continue;
            r->phases->items[k].carry = fmax(0, r->phases->items[k].carry - HF_LESS_CARRY);
            any = true;
        }
    for (int i = 0; i < r->ways->swing_count && any; i++) {
        hf_swing_way* s = &r->ways->swings[i];
        for (int p = s->first > 0 ? s->first - 1 : 0; p <= s->last && p < r->phases->count; p++)
            s->looked &= loads[p].lost_m <= LOST_M;
        for (int f = 0; f < HF_FORMS && !s->looked; f++) s->forms[f].banned = s->forms[f].unreached;
    }
    return any;
}

static bool has_unlooked(const hf_refinement* r) {
    for (int i = 0; i < r->ways->swing_count; i++)
        if (!r->ways->swings[i].looked && !hf_swing_is_given(r->ways, &r->ways->swings[i])) return true;
    return false;
}

/* Swings that would collide take other forms, those without any their given way. */
static hf_status choose_forms(hf_refinement* r, hf_part_load* loads) {
    hf_workspace* w = r->workspace;
    hf_status status = HF_OK;
    bool waits = true;
    for (int i = 0; i < CARRY_TRIES && waits && status == HF_OK; i++) {
        hf_workspace_mark mark = hf_workspace_begin(w);
        status = hf_layout_make(r->ways, w, &r->layout);
        if (status == HF_OK)
            status = hf_direct_choose(r->ways, &r->layout, DIRECT_RATE, r->of->placement, w, loads, NULL);
        hf_workspace_end(w, mark);
        waits = status == HF_OK && !r->ways->moving && i + 1 < CARRY_TRIES && wait_for_limbs(r, loads);
    }
    for (int i = 0; i < r->ways->swing_count && status == HF_OK; i++) {
        hf_swing_way* s = &r->ways->swings[i];
        if (!hf_swing_choose(s)) hf_give_up(r, s);
    }
    hf_spread_given(r);
    return status;
}

/* Where a wrench of the poses is beyond what contacts bear by more than this, body weights times metres,
   the phases there need more time. */
static const double OUTSIDE = 0;

/* A change of angular momentum, as a moment arm of the weight, m, that is not of a swing but of a limb that
   jumps: a leg at its largest acceleration has half of it. */
static const double JUMP_M = 0.3;

/* A limb that jumps in a phase because it cannot trace its given way takes another form. */
static bool ban_traces(hf_refinement* r, int phase) {
    bool any = false;
    for (int i = 0; i < r->ways->swing_count; i++) {
        hf_swing_way* s = &r->ways->swings[i];
        if (phase < s->first || phase >= s->last || !s->forms[s->form].traced || s->forms[s->form].met)
            continue;
        s->forms[s->form].met = s->forms[s->form].banned = true;
        hf_look_again(r, s);
        if (!hf_swing_choose(s)) hf_give_up(r, s);
        any = true;
    }
    return any;
}

/* Phases that are not borne in motion become longer. False: all are borne. */
static bool wait_for_balance(hf_refinement* r, const hf_part_load* loads) {
    bool any = false;
    for (int p = 0; p < r->phases->count; p++) {
        if (!(loads[p].outside > OUTSIDE) && !(loads[p].lost_m > LOST_M)) continue;
        bool lost = loads[p].lost_m > LOST_M;
        hf_part* a = &r->phases->items[p];
        if (loads[p].moment_m > JUMP_M && ban_traces(r, p))
            ;
        else if (lost && !(a->follow > 0))
            a->follow = 1;
        else
            hf_take_time(r->phases, p, r->layout.begin_s[p + 1] - r->layout.begin_s[p], loads[p].moment_m);
        if (lost) a->freedom = hf_less_freedom(a->freedom);
        any = true;
    }
    return any;
}

static bool is_hopeless(const hf_parts* phases) {
    for (int p = 0; p < phases->count; p++)
        if (phases->items[p].hopeless) return true;
    return false;
}

/* Swings that found no free form: the body gets more time, so that it is nearer to how it was given when they
   are looked at again. */
static void wait_for_forms(hf_refinement* r) {
    for (int i = 0; i < r->ways->swing_count; i++) {
        hf_swing_way* s = &r->ways->swings[i];
        if (hf_swing_is_given(r->ways, s) || hf_swing_choose(s)) continue;
        hf_look_again(r, s);
        bool any = hf_swing_choose(s);
        for (int p = s->first; p < s->last; p++) {
            hf_part* a = &r->phases->items[p];
            a->freedom = hf_less_freedom(a->freedom), a->follow = 1;
            a->hopeless |= !any || ++a->strikes > HF_STRIKES;
        }
        if (s->first > 0) r->phases->items[s->first - 1].extra_s += HF_MORE_GAP_S;
        if (s->last < r->phases->count) r->phases->items[s->last].extra_s += HF_MORE_GAP_S;
    }
}

/* Of a body that is borne in motion: times for which it is borne, then forms with which limbs are free.
 *ready: both were there already. */
static hf_status prepare_moving(hf_refinement* r, hf_part_load* loads, hf_schedule** poses, bool* ready) {
    hf_workspace* w = r->workspace;
    hf_status status = hf_layout_make(r->ways, w, &r->layout);
    bool unlooked = has_unlooked(r);
    if (status == HF_OK)
        status = hf_direct_choose(r->ways, &r->layout, DIRECT_RATE, r->of->placement, w, loads, poses);
    *ready = status == HF_OK && !wait_for_balance(r, loads) && !unlooked;
    if (status == HF_OK && unlooked) wait_for_forms(r);
    return status;
}

/* Poses on the shortest ways, times, tests, and what the next round shall do otherwise. */
static hf_status make_direct(hf_refinement* r, hf_part_load* loads) {
    hf_workspace* w = r->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_schedule* poses = NULL;
    bool ready = true;
    r->blocked = -1;
    r->valid = false;
    hf_status status = r->ways->moving ? prepare_moving(r, loads, &poses, &ready) : choose_forms(r, loads);
    r->waits = !ready;
    if (status == HF_OK && !r->ways->moving) status = hf_layout_make(r->ways, w, &r->layout);
    if (status == HF_OK && !r->ways->moving)
        status = hf_direct_make(r->ways, &r->layout, DIRECT_RATE, w, &poses, loads);
    if (status == HF_OK && ready) status = find_own(r, poses);
    for (int i = 0; i < r->phases->count; i++) r->phases->items[i].faulty = false;
    if (status == HF_OK && ready && hf_workspace_goes_on(w))
        status = time_again(r, poses, &r->own, r->ways->moving);
    if (status == HF_OK && r->valid && r->ways->moving) status = time_again(r, poses, &r->own, false);
    if (status == HF_OK && r->blocked >= 0) learn_block(r);
    hf_schedule_free(poses);
    hf_workspace_end(w, mark);
    return status;
}

/* A body that rests at its key poses is as given where no low form is free: that takes less work to find. */
static void ban_moving_forms(hf_ways* ways) {
    for (int i = 0; i < ways->swing_count; i++) {
        hf_swing_way* s = &ways->swings[i];
        for (int f = 0; f < HF_FORMS; f++)
            if (s->forms[f].over || s->forms[f].traced) s->forms[f].banned = s->forms[f].unreached = true;
        hf_swing_choose(s);
    }
}

hf_status hf_attempt_direct(const hf_refining* of, bool moving, int rounds, hf_stretch* stretch) {
    hf_workspace* w = of->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)stretch->count, most = 2 * (size_t)stretch->given->hold_count + 2;
    hf_pose_spline spline;
    hf_ways ways;
    hf_refinement r = {
        .of = of, .workspace = w, .stretch = stretch, .phases = &stretch->phases, .ways = &ways};
    r.timed = hf_workspace_take(w, most, sizeof *r.timed);
    hf_part_load* loads = hf_workspace_take(w, n, sizeof *loads);
    hf_status status = r.timed && loads ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) status = hf_pose_spline_of(of->creature, stretch->given, w, &spline);
    if (status == HF_OK)
        status = hf_ways_make(of->creature, stretch->given, &spline, r.phases, &stretch->list, w, &ways);
    ways.hold_of = stretch->hold_of, ways.moving = moving;
    ways.slower = fmax(1 / of->options->speed_share, sqrt(1 / of->options->acceleration_share));
    if (status == HF_OK && !moving) ban_moving_forms(&ways);
    if (status == HF_OK) status = allow_overlaps(&r);
    if (status == HF_OK && !moving) allow_carries(&r);
    for (int i = 0; i < r.phases->count && moving; i++) r.phases->items[i].carry = 0;
    for (int i = 0; i < r.phases->count && moving; i++)
        r.phases->items[i].strikes = r.phases->items[i].unborne_strikes = 0,
        r.phases->items[i].hopeless = false;
    for (int i = 0; i < r.phases->count && moving; i += r.phases->count > 1 ? r.phases->count - 1 : 1)
        r.phases->items[i].margin_m = fmax(r.phases->items[i].margin_m, END_MARGIN_M);
    // rounds that end before their times are found do not count: each brings a phase nearer to how it was
    // given, by less overlap (twice), by a strike, and as given by less overlap again (twice): then it is
    // stuck
    for (int i = 0; i < rounds && status == HF_OK && !r.valid && !r.stuck && hf_workspace_goes_on(w);) {
        status = make_direct(&r, loads);
        r.stuck |= moving && is_hopeless(r.phases);
        i += r.blocked < 0 && !r.waits;
        of->result->rounds += r.blocked < 0 && !r.waits;
    }
    hf_workspace_end(w, mark);
    return status;
}

hf_status hf_attempt(const hf_refining* of, bool from_given, int rounds, hf_stretch* stretch) {
    hf_workspace* w = of->workspace;
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)stretch->count;
    hf_refinement r = {.of = of, .workspace = w, .stretch = stretch, .phases = &stretch->phases};
    r.timed = hf_workspace_take(w, n, sizeof *r.timed);
    r.good = hf_workspace_take(w, n, sizeof *r.good);
    hf_part_load* loads = hf_workspace_take(w, n, sizeof *loads);
    hf_pose_spline spline;
    hf_status status = r.timed && r.good && loads ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) status = hf_pose_spline_of(of->creature, stretch->given, w, &spline);
    int failed = 0, least = INT_MAX; // rounds without progress; faulty phases of the best that did not hold
    if (status == HF_OK && from_given) status = retime_given(&r, &spline);
    for (int i = 0; i < rounds && status == HF_OK && hf_workspace_goes_on(w); i++) {
        double before_s = stretch->best ? stretch->best_s : INFINITY;
        status = make_round(&r, &spline, loads);
        of->result->rounds++;
        if (r.valid && stretch->best_s > WORTH_A_ROUND * before_s) break;
        int faulty = faulty_count(&stretch->phases);
        failed = r.valid || faulty < least ? 0 : failed + 1;
        least = r.valid ? INT_MAX : faulty < least ? faulty : least;
        if (failed == HOPELESS || (!r.valid && r.stuck)) break;
    }
    hf_workspace_end(w, mark);
    return status;
}
