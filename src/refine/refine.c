/* Refinement of a schedule: all of it as one, from rest to rest; where that does not hold each stretch from
   landing to landing by itself, and two neighbours become one, without the rest between them, wherever that
   holds and is quicker. */
#include "balance/stance.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/hold.h"
#include "model/scene.h"
#include "refine/attempt.h"
#include "refine/edit.h"
#include "refine/ends.h"
#include "refine/strain.h"
#include "refine/work.h"

#include <holdfast/refine.h>

#include <limits.h>
#include <math.h>
#include <string.h>

static const double STEPS = 1e6; /* of work that one of the option's is */

void hf_refine_result_free(hf_refine_result* r) {
    if (!r) return;
    hf_schedule_free(r->schedule);
    hf_motion_free(r->motion);
    memset(r, 0, sizeof *r);
}

typedef struct hf_whole {
    hf_refining refining;
    const hf_schedule* schedule;
    const hf_schedule* last; /* the refined schedule that the given one is an edit of; NULL: none */
    hf_stance_list list;
    hf_parts phases;
    bool unheld; /* a stretch walks, or one that sways is not sooner by itself on the shortest ways */
    int count;   /* of stretches */
    hf_stretch* stretches;
} hf_whole;

/* ---- what cannot be refined ---- */

static bool carries(const hf_whole* r) {
    const hf_schedule_hold* all = r->schedule->holds;
    for (int i = 0; i < r->schedule->hold_count; i++)
        for (int k = 0; k < r->schedule->hold_count; k++) {
            bool together = all[i].from_s <= all[k].to_s && all[k].from_s <= all[i].to_s;
            if ((i == k || together) && hf_hold_takes_along(r->refining.scene, &all[i].hold, &all[k].hold))
                return true;
        }
    return false;
}

static hf_refine_why refusal(const hf_whole* r) {
    if (r->schedule->knot_count < 2) return HF_REFINE_ONE_FRAME;
    if (r->schedule->hold_count == 0) return HF_REFINE_NO_CONTACTS;
    if (!(r->refining.creature->view.mass > 0)) return HF_REFINE_NO_MASS;
    if (carries(r)) return HF_REFINE_CARRIES;
    return hf_scene_moves(r->refining.scene) ? HF_REFINE_MOVING_OBJECTS : HF_REFINE_DONE;
}

/* ---- stretches ---- */

/* A swing's landing, after which the body stands on more than before. */
static bool is_landing(const hf_parts* p, int i) {
    return i + 1 < p->count && p->items[i].swings && !p->items[i + 1].swings;
}

/* Is the body at rest at the end of a phase, or do the limbs that hold in it bear the body at rest there? At
   rest the body goes no farther within a frame to either side than from rest with its largest acceleration:
   what a walk goes is many times as much. */
static bool rests_after(const hf_whole* w, hf_pose_spline* spline, int phase, hf_pose* pose,
                        hf_transform* links) {
    const hf_creature* c = w->refining.creature;
    double time_s = w->phases.items[phase].to_s, frame_s = 1 / w->schedule->rate;
    double way_m = c->view.limits.root_acceleration * frame_s * frame_s;
    double turn = way_m * c->view.limits.root_turn / c->view.limits.root_speed;
    hf_pose_spline_at(spline, time_s - frame_s, pose);
    hf_transform before = pose->root;
    hf_pose_spline_at(spline, time_s + frame_s, pose);
    if (hf_distance(before.position, pose->root.position) <= way_m &&
        hf_quat_angle(before.rotation, pose->root.rotation) <= turn)
        return true;
    hf_pose_spline_at(spline, time_s, pose);
    hf_forward(c, pose, links);
    return hf_stance_margin(w->list.stances[phase], hf_com(c, links)) >= 0;
}

static bool goes_on(const hf_whole* w) { return hf_workspace_goes_on(w->refining.workspace); }

/* A stretch ends with a landing after which the body is at rest; one in which the body goes on behind a
   landing walks. */
static hf_status cut(hf_whole* w, hf_pose_spline* spline) {
    hf_status status = HF_OK;
    size_t n = (size_t)w->schedule->q_count + 1;
    hf_pose pose = {.q = hf_workspace_take(w->refining.workspace, n, sizeof(double))};
    hf_transform* links = hf_workspace_take(w->refining.workspace,
                                            (size_t)w->refining.creature->view.link_count, sizeof *links);
    w->stretches = hf_alloc((size_t)w->phases.count, sizeof *w->stretches);
    if (!w->stretches || !pose.q || !links) return HF_ERROR_MEMORY;
    bool walks = false;
    for (int i = 0, first = 0; i < w->phases.count && status == HF_OK; i++) {
        bool last = i + 1 == w->phases.count, lands = is_landing(&w->phases, i);
        bool rests = lands && rests_after(w, spline, i, &pose, links);
        walks |= lands && !rests;
        if (!last && !rests) continue;
        hf_stretch* s = &w->stretches[w->count++];
        status = hf_stretch_make(w->refining.creature, w->schedule, &w->phases, &w->list, first,
                                 i + 1 - first, w->refining.workspace, s);
        s->walks = walks && !w->last; // what was refined before goes on behind landings, too
        s->kept = w->last && status == HF_OK &&
                  hf_edit_keeps(w->schedule, w->last, s->from_s, s->from_s + s->best_s);
        first = i + 1, walks = false;
    }
    return status;
}

/* Puts what a stretch has learned back to the phases of the whole. */
static void remember(hf_whole* w, const hf_stretch* s) {
    for (int i = 0; i < s->count; i++) {
        hf_part *to = &w->phases.items[s->first + i], was = *to;
        *to = s->phases.items[i];
        to->from_s = was.from_s, to->to_s = was.to_s;
    }
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

static hf_status join(const hf_whole* w, hf_schedule** made) {
    hf_status status =
        hf_stretches_join(w->refining.creature, w->schedule, w->stretches, w->count, w->refining.rate, made);
    if (status == HF_OK && !name_as(*made, w->schedule)) status = HF_ERROR_MEMORY;
    if (status == HF_OK) (*made)->claims = hf_refined_claims(w->schedule);
    return status;
}

/* The given schedule's time that a time of the joined one stands for. */
static double given_time(const hf_whole* w, double time_s) {
    double began_s = 0;
    for (int i = 0;; i++) {
        const hf_stretch* s = &w->stretches[i];
        double end_s = hf_stretch_end(s, began_s, w->refining.rate);
        if (time_s < end_s || i + 1 == w->count) return hf_stretch_given_time(s, s->best, time_s - began_s);
        began_s = end_s;
    }
}

static void take_counts(const hf_whole* w, hf_refine_result* out) {
    out->stretches = w->count;
    out->static_count = out->effort_count = 0;
    for (int i = 0; i < w->count; i++) {
        out->static_count += w->stretches[i].static_count;
        out->effort_count += w->stretches[i].effort_count;
    }
}

/* The joined motion becomes the result where it has no fault and is quicker than what there was. */
static void take_result(hf_whole* w, hf_schedule* made, hf_motion* motion, const hf_realise_result* faults) {
    hf_refine_result* out = w->refining.result;
    double took_s = made->knots[made->knot_count - 1].time_s;
    bool better = faults->outcome == HF_FOUND && !hf_workspace_cancelled(w->refining.workspace) &&
                  (took_s < (out->motion ? out->after_s : out->before_s) || (w->last && !out->motion));
    if (faults->fault_count) {
        double at_s = given_time(w, faults->faults[0].frame / made->rate);
        hf_note_faults(out, faults, at_s, w->schedule->rate);
        if (!out->motion) out->why = HF_REFINE_FAULTY, out->at_s = at_s;
    }
    hf_schedule_free(better ? out->schedule : made);
    hf_motion_free(better ? out->motion : motion);
    if (better) out->schedule = made, out->motion = motion, out->after_s = took_s, take_counts(w, out);
}

/* The best of all stretches in one, tested as a whole. */
static hf_status finish_all(hf_whole* w) {
    hf_schedule* made = NULL;
    hf_motion* motion = NULL;
    hf_realise_result faults = {0};
    hf_realise_options o = hf_realise_options_default();
    for (int i = 0; i < w->count; i++)
        if (!w->stretches[i].best) return HF_OK;
    hf_status status = join(w, &made);
    if (status == HF_OK)
        status = hf_realise(w->refining.creature, w->refining.scene, made, &o, w->refining.workspace, &motion,
                            &faults);
    if (status == HF_OK)
        hf_spend(w->refining.workspace, w->refining.creature, HF_WORK_FRAME, made->knot_count);
    if (status == HF_OK)
        status = hf_ends_judge(w->refining.creature, w->schedule, made, HF_END_FIRST | HF_END_LAST,
                               w->refining.workspace, &faults);
    if (status == HF_OK)
        take_result(w, made, motion, &faults);
    else
        hf_schedule_free(made), hf_motion_free(motion);
    hf_realise_result_free(&faults);
    return status;
}

/* That is done whatever work is left. */
static hf_status finish(hf_whole* w) {
    double allowed = hf_workspace_allow(w->refining.workspace, INFINITY);
    hf_status status = finish_all(w);
    hf_workspace_allow(w->refining.workspace, allowed);
    return status;
}

/* Of an attempt that failed: where its faults were, and how the phases avoid them. Times begin anew. */
static void remember_faults(hf_whole* w, const hf_stretch* s) {
    for (int i = 0; i < s->count; i++) {
        hf_part *to = &w->phases.items[s->first + i], from = s->phases.items[i];
        to->faulty = from.faulty, to->freedom = from.freedom;
        to->round_share = from.round_share, to->clear_m = from.clear_m;
    }
}

static void forget_all(hf_whole* w) {
    for (int i = 0; i < w->count; i++) {
        hf_stretch* s = &w->stretches[i];
        hf_schedule_free(s->best);
        hf_motion_free(s->motion);
        s->best = NULL, s->motion = NULL;
        s->best_s = s->given->knots[s->given->knot_count - 1].time_s;
        for (int k = 0; k < s->count; k++) hf_part_begin(&s->phases.items[k]);
    }
}

static double given_s(const hf_whole* w, int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++)
        sum += w->stretches[i].best ? w->stretches[i].best_s : INFINITY;
    return sum;
}

/* On which ways a stretch goes: the shortest ones from key pose to key pose; ways along which the centre of
   mass is borne, shaped by the path optimiser; the shortest ones, but with the body where contacts bear it in
   motion; a calm path near the given poses. */
typedef enum unite_way { DIRECT, SHAPED, MOVING, CALM } unite_way;

/* Stretches first .. first + count - 1 as one, if that is quicker than each by itself. Where it is, they are
   replaced by it. */
static hf_status unite(hf_whole* w, int first, int count, int most_rounds, unite_way way, bool* united) {
    hf_stretch *a = &w->stretches[first], one;
    bool shaped = way == SHAPED;
    int phases = 0;
    for (int i = 0; i < count; i++) remember(w, a + i), phases += a[i].count;
    // what was learned on the shortest ways says nothing of the others
    for (int i = 0; i < count; i++)
        for (int k = a[i].first; shaped && !a[i].shaped && k < a[i].first + a[i].count; k++)
            hf_part_begin(&w->phases.items[k]);
    // where two become one without a rest between them, the body needs no time to begin to move
    for (int i = 1; i < count && way == MOVING; i++) w->phases.items[a[i].first].extra_s = 0;
    hf_status status = hf_stretch_make(w->refining.creature, w->schedule, &w->phases, &w->list, a->first,
                                       phases, w->refining.workspace, &one);
    int rounds = most_rounds < w->refining.options->rounds ? most_rounds : w->refining.options->rounds;
    if (status == HF_OK)
        status = way == CALM ? hf_attempt_calm(&w->refining, rounds, &one)
                 : shaped    ? hf_attempt(&w->refining, false, rounds, &one)
                             : hf_attempt_direct(&w->refining, way == MOVING, rounds, &one);
    double before_s = given_s(w, first, count);
    if (way == CALM && !w->last)
        before_s = fmin(before_s, one.given->knots[one.given->knot_count - 1].time_s);
    *united = status == HF_OK && one.best && one.best_s < before_s;
    if (!*united) {
        if (status == HF_OK && shaped) remember_faults(w, &one);
        for (int i = 0; i < one.count && way == MOVING; i++)
            w->phases.items[one.first + i].hopeless = one.phases.items[i].hopeless;
        for (int i = 0; i < a->count && !shaped && status == HF_OK; i++)
            a->phases.items[i].unborne |= one.phases.items[i].unborne;
        hf_stretch_free(&one);
        return status;
    }
    one.apart = a[count - 1].apart;
    one.shaped = shaped, one.moving = way == MOVING, one.calm = way == CALM;
    for (int i = 0; i < count; i++) hf_stretch_free(a + i);
    *a = one;
    w->count -= count - 1;
    memmove(a + 1, a + count, sizeof *a * (size_t)(w->count - first - 1));
    return status;
}

enum { SWAYING = 2 }; /* limbs that a swaying body stands on */

/* Does the body stand on two limbs at most, so that it sways from one to the other? On more, the shortest
   ways are borne nearly as well as shaped ones, which take several times as long to find. */
static bool sways(const hf_whole* w, const hf_stretch* s) {
    for (int i = 0; i < s->count; i++)
        if (w->list.bearing[s->first + i] > SWAYING) return false;
    return true;
}

/* Of a stretch by itself on the shortest ways: mostly two do, and what takes more comes out longer than it
   was given. */
enum { EACH_ROUNDS = 4 };

/* A stretch by itself: on the shortest ways, but for a walk; where these do not hold, the given poses in new
   times. */
static hf_status refine_one(hf_whole* w, int i) {
    bool better = false;
    if (w->stretches[i].best || w->stretches[i].kept) return HF_OK;
    bool shapes = w->refining.options->rounds > 0 && !w->stretches[i].walks;
    hf_status status = shapes ? unite(w, i, 1, EACH_ROUNDS, DIRECT, &better) : HF_OK;
    hf_stretch* s = &w->stretches[i];
    bool quicker = s->best && s->best_s < s->given->knots[s->given->knot_count - 1].time_s;
    w->unheld |= s->walks || (!quicker && sways(w, s));
    if (status == HF_OK && !quicker) status = hf_attempt(&w->refining, true, 0, s);
    return status;
}

/* Of an even share of the work that is left, what a stretch may take: most need less. */
static const double FAIR_SHARE = 2;

/* The first stretch of a range with a phase that is hopeless in motion; -1. */
static int find_hopeless(const hf_whole* w, int first, int count) {
    for (int i = first; i < first + count; i++)
        for (int p = w->stretches[i].first; p < w->stretches[i].first + w->stretches[i].count; p++)
            if (w->phases.items[p].hopeless) return i;
    return -1;
}

/* A range as one, balanced in motion alone; where a stretch of it is hopeless, what is before and what is
   behind that. *last: the stretch behind the range. */
static hf_status move_range(hf_whole* w, int first, int count, int* last) {
    bool united = false;
    *last = first + count;
    if (count < 1 || !goes_on(w)) return HF_OK;
    hf_status status = unite(w, first, count, INT_MAX, MOVING, &united);
    if (united) *last = first + 1;
    int bad = united || status != HF_OK ? -1 : find_hopeless(w, first, count);
    if (bad < 0 || count == 1) return status;
    int before = bad - first, behind = count - before - 1;
    status = move_range(w, first, before, last);
    return status == HF_OK ? move_range(w, *last + 1, behind, last) : status;
}

/* Of the work that is left, what motions that are balanced in motion alone may take on two limbs, where
   little else gains anything; on more, what the shortest ways may take before. */
static const double SWAYING_SHARE = 0.6, STILL_SHARE = 0.6;

static bool sways_mostly(const hf_whole* w) {
    int count = 0;
    for (int i = 0; i < w->count; i++) count += sways(w, &w->stretches[i]);
    return 2 * count > w->count;
}

/* Stretches that are tried as one to begin with, balanced in motion alone: more have a fault somewhere. */
enum { MOVING_GROUP = 3 };

static bool can_move(const hf_stretch* s) { return !s->walks && !s->kept; }

/* Neighbours that do not walk, balanced in motion alone, some at a time. */
static hf_status refine_moving(hf_whole* w) {
    hf_status status = HF_OK;
    hf_workspace* s = w->refining.workspace;
    double spent = hf_workspace_spent(s), allowed = hf_workspace_allow(s, INFINITY);
    double share = sways_mostly(w) ? SWAYING_SHARE : 1;
    hf_workspace_allow(s, spent + share * (allowed - spent));
    for (int i = 0; i < w->count && status == HF_OK && goes_on(w);) {
        int count = 0;
        while (count < MOVING_GROUP && i + count < w->count && can_move(&w->stretches[i + count])) count++;
        if (count)
            status = move_range(w, i, count, &i);
        else
            i++;
    }
    hf_workspace_allow(s, allowed);
    return status;
}

/* Two neighbours that are balanced in motion as one, with what each has learned, until none gains by it. */
static hf_status join_moving(hf_whole* w) {
    hf_status status = HF_OK;
    for (bool any = true; any && status == HF_OK && goes_on(w);) {
        any = false;
        for (int i = 0; i + 1 < w->count && status == HF_OK && goes_on(w); i++) {
            bool merged = false;
            if (w->stretches[i].tried || !w->stretches[i].moving || !w->stretches[i + 1].moving) continue;
            status = unite(w, i, 2, INT_MAX, MOVING, &merged);
            w->stretches[i].tried = !merged;
            any |= merged;
        }
        if (any && status == HF_OK) status = finish(w);
    }
    return status;
}

/* A range as one calm path; where that does not hold, both halves. *last: the stretch behind the range. */
static hf_status calm_range(hf_whole* w, int first, int count, int* last) {
    bool united = false;
    *last = first + count;
    if (count < 1 || !goes_on(w)) return HF_OK;
    hf_status status = unite(w, first, count, INT_MAX, CALM, &united);
    if (united) *last = first + 1;
    if (united || status != HF_OK || count == 1) return status;
    int half = count / 2;
    status = calm_range(w, first, half, last);
    return status == HF_OK ? calm_range(w, *last, count - half, last) : status;
}

/* Of all work, what calm paths may take: the rest is for what they do not hold for. */
static const double CALM_SHARE = 0.75;

static hf_status refine_calm(hf_whole* w) {
    hf_status status = HF_OK;
    hf_workspace* s = w->refining.workspace;
    double spent = hf_workspace_spent(s), allowed = hf_workspace_allow(s, INFINITY);
    hf_workspace_allow(s, spent + CALM_SHARE * (allowed - spent));
    for (int i = 0; i < w->count && status == HF_OK && goes_on(w);) {
        int count = 0;
        while (i + count < w->count && can_move(&w->stretches[i + count])) count++;
        if (count)
            status = calm_range(w, i, count, &i);
        else
            i++;
    }
    hf_workspace_allow(s, allowed);
    return status;
}

static bool any_moves(const hf_whole* w) {
    for (int i = 0; i < w->count; i++)
        if (w->stretches[i].moving) return true;
    return false;
}

/* Each stretch by itself. What has no answer by then stays as it was given, whatever work is left. */
static hf_status refine_each(hf_whole* w) {
    hf_status status = HF_OK;
    hf_workspace* s = w->refining.workspace;
    if (sways_mostly(w)) status = refine_moving(w);
    double allowed = hf_workspace_allow(s, INFINITY);
    for (int i = 0; i < w->count && status == HF_OK && hf_workspace_spent(s) < allowed; i++) {
        double spent = hf_workspace_spent(s), left = w->count - i;
        hf_workspace_allow(s, spent + (allowed - spent) * fmin(1, FAIR_SHARE / left));
        if (!goes_on(w)) break;
        status = refine_one(w, i);
    }
    hf_workspace_allow(s, INFINITY);
    for (int i = 0; i < w->count && status == HF_OK && goes_on(w); i++)
        status = hf_attempt_given(&w->refining, &w->stretches[i]);
    hf_workspace_allow(s, allowed);
    return status;
}

/* A walk holds for sure at the rate at which it was made: where it does not at another one, the result has
   that rate. */
static hf_status try_walks(hf_whole* w) {
    hf_status status = HF_OK;
    bool walked = true;
    double allowed = hf_workspace_allow(w->refining.workspace, INFINITY);
    for (int i = 0; i < w->count && status == HF_OK && walked; i++) {
        if (!w->stretches[i].walks) continue;
        status = hf_attempt_given(&w->refining, &w->stretches[i]);
        walked = w->stretches[i].best;
    }
    hf_workspace_allow(w->refining.workspace, allowed);
    if (status == HF_OK && !walked && w->refining.rate != w->schedule->rate) {
        w->refining.rate = w->schedule->rate;
        forget_all(w);
    }
    return status;
}

/* How many stretches are on calm paths; -1 where one that can be is not. */
static int count_calm(const hf_whole* w) {
    int count = 0;
    for (int i = 0; i < w->count; i++) {
        if (!can_move(&w->stretches[i])) continue;
        if (!w->stretches[i].calm) return -1;
        count++;
    }
    return count;
}

static bool is_faulty(const hf_whole* w, int stretch) {
    const hf_stretch* s = &w->stretches[stretch];
    for (int i = s->first; i < s->first + s->count; i++)
        if (w->phases.items[i].faulty) return true;
    return false;
}

/* All of a range as one; where that does not hold, the stretches that had faults by themselves, and what lies
   between them as one each; where all had faults, both halves. *last: the stretch behind the range. */
static hf_status refine_range(hf_whole* w, int first, int count, int* last) {
    bool united = false;
    *last = first + count;
    if (!goes_on(w)) return HF_OK;
    hf_status status = unite(w, first, count, INT_MAX, SHAPED, &united);
    if (united) *last = first + 1;
    if (united || count == 1 || status != HF_OK) return status;
    bool* faulty = hf_workspace_take(w->refining.workspace, (size_t)count, sizeof *faulty);
    if (!faulty) return HF_ERROR_MEMORY;
    int bad = 0;
    for (int i = 0; i < count; i++) bad += faulty[i] = is_faulty(w, first + i);
    for (int i = 0; i < count && (bad == 0 || bad == count); i++) faulty[i] = i >= count / 2;
    int at = first;
    for (int i = 0, n; i < count && status == HF_OK; i += n) {
        for (n = 1; i + n < count && faulty[i + n] == faulty[i] && n < count - 1;) n++;
        status = refine_range(w, at, n, &at);
    }
    *last = at;
    return status;
}

/* Stretches that are tried as one to begin with: more have a fault somewhere nearly always. */
enum { GROUP = 4 };

/* Of its given time: a stretch that takes more has gained little. */
static const double LITTLE_GAIN = 0.8;

/* Does a stretch take about as long as given? */
static bool gained_little(const hf_whole* w, const hf_stretch* s) {
    const hf_part *first = &w->phases.items[s->first], *last = &w->phases.items[s->first + s->count - 1];
    return s->best_s >= LITTLE_GAIN * (last->to_s - first->from_s);
}

static bool is_unborne(const hf_stretch* s) {
    for (int i = 0; i < s->count; i++)
        if (s->phases.items[i].unborne) return true;
    return false;
}

/* Neighbours that gained little on the shortest ways, some at a time: those that sway and were not borne, or
   all. */
static hf_status refine_slow(hf_whole* w, bool all) {
    hf_status status = HF_OK;
    for (int at = 0; at < w->count && status == HF_OK && goes_on(w);) {
        int count = 0;
        for (; count < GROUP && at + count < w->count; count++) {
            const hf_stretch* s = &w->stretches[at + count];
            if (s->walks || !gained_little(w, s) || (!all && !(is_unborne(s) && sways(w, s)))) break;
        }
        if (count)
            status = refine_range(w, at, count, &at);
        else
            at++;
    }
    return status == HF_OK ? finish(w) : status;
}

/* Neighbours together, those that are one by now among them, until none gains by it. */
static hf_status refine_together(hf_whole* w) {
    hf_status status = HF_OK;
    for (bool any = true; any && status == HF_OK && goes_on(w);) {
        any = false;
        for (int i = 0; i + 1 < w->count && status == HF_OK && goes_on(w); i++) {
            bool merged = false;
            bool shaped = w->stretches[i].shaped || w->stretches[i + 1].shaped;
            shaped |= w->stretches[i].moving || w->stretches[i + 1].moving;
            w->stretches[i].apart |= w->stretches[i].walks || w->stretches[i + 1].walks;
            if (!w->stretches[i].apart) status = unite(w, i, 2, INT_MAX, shaped ? SHAPED : DIRECT, &merged);
            w->stretches[i].apart |= !merged;
            any |= merged;
        }
        if (any && status == HF_OK) status = finish(w);
    }
    return status;
}

/* Of the work that is left, what all as one may take: where that fails, neighbours become one. */
static const double ONE_SHARE = 0.35;

/* All stretches as one, in which nothing rests between them. What each of them has learned by itself would
   make it slower than it need be. */
static hf_status refine_as_one(hf_whole* w) {
    hf_whole all = *w;
    hf_stretch one;
    all.stretches = &one, all.count = 1;
    for (int i = 0; i < w->phases.count; i++) hf_part_begin(&w->phases.items[i]);
    hf_status status = hf_stretch_make(w->refining.creature, w->schedule, &w->phases, &w->list, 0,
                                       w->phases.count, w->refining.workspace, &one);
    double spent = hf_workspace_spent(w->refining.workspace);
    double allowed = hf_workspace_allow(w->refining.workspace, INFINITY);
    hf_workspace_allow(w->refining.workspace, spent + ONE_SHARE * (allowed - spent));
    if (status == HF_OK) status = hf_attempt_direct(&w->refining, false, w->refining.options->rounds, &one);
    hf_workspace_allow(w->refining.workspace, allowed);
    if (status == HF_OK && one.best) status = finish(&all);
    hf_stretch_free(&one);
    return status;
}

/* All as one; where that gains little, neighbours together. */
static hf_status refine_joined(hf_whole* w) {
    const hf_refine_result* out = w->refining.result;
    double apart_s = out->motion ? out->after_s : out->before_s;
    hf_status status = !w->unheld && (!any_moves(w) || !out->motion) && w->count > 1 && goes_on(w)
                           ? refine_as_one(w)
                           : HF_OK;
    if (status != HF_OK || (out->motion && out->after_s < LITTLE_GAIN * apart_s)) return status;
    status = refine_slow(w, false);
    if (status == HF_OK) status = join_moving(w);
    if (status == HF_OK) status = refine_together(w);
    return status == HF_OK && !out->motion ? refine_slow(w, true) : status;
}

/* Why there is no result: the first stretch that nothing holds for; else the faults of all stretches as one,
   if they have any. */
static void tell_reason(const hf_whole* w) {
    hf_refine_result* out = w->refining.result;
    if (out->motion) return;
    if (out->why == HF_REFINE_DONE) out->why = HF_REFINE_NOT_QUICKER;
    for (int i = 0; i < w->count; i++) {
        const hf_stretch* s = &w->stretches[i];
        if (s->best || s->why == HF_REFINE_DONE) continue;
        out->why = s->why, out->at_s = s->at_s;
        out->fault_count = s->fault_count, out->fault = s->fault;
        return;
    }
}

/* How much of their effort limits the joints take as given. */
static hf_status find_strain(hf_whole* w) {
    hf_refining* r = &w->refining;
    hf_motion* motion = NULL;
    hf_realise_result faults = {0};
    hf_realise_options o = hf_realise_options_default();
    hf_status status = hf_realise(r->creature, r->scene, w->schedule, &o, r->workspace, &motion, &faults);
    hf_strain s = {r->creature, motion, w->schedule, w->list.held, r->workspace};
    if (status == HF_OK) status = hf_strain_peak(&s, &r->strain);
    r->strain = fmax(r->strain, 1); // a plan that spares joints may become quicker up to their limits
    hf_motion_free(motion);
    hf_realise_result_free(&faults);
    return status;
}

/* Stretches that did not become calm: each by itself, then neighbours together. On two limbs steps that are
   balanced in motion alone come first, on more they have what the others leave. */
static hf_status refine_others(hf_whole* w) {
    hf_workspace* s = w->refining.workspace;
    bool first = sways_mostly(w);
    double spent = hf_workspace_spent(s), allowed = hf_workspace_allow(s, INFINITY);
    hf_workspace_allow(s, first ? allowed : spent + STILL_SHARE * (allowed - spent));
    hf_status status = refine_each(w);
    if (status == HF_OK) status = finish(w);
    bool more = w->refining.options->rounds > 0 && !w->last;
    if (status == HF_OK && more) status = refine_joined(w);
    hf_workspace_allow(s, allowed);
    if (first || !more || status != HF_OK) return status;
    status = refine_moving(w);
    if (status == HF_OK) status = join_moving(w);
    return status == HF_OK ? finish(w) : status;
}

/* Stretches of an edited schedule as they are now, with limbs on moved holds: mostly that holds as it is. One
   that holds only when it is slower, or not at all, is refined again, for which the strain of the whole is
   asked; the slower one stays as the best until then. */
static hf_status keep_edited(hf_whole* w) {
    hf_status status = HF_OK;
    bool all = true;
    for (int i = 0; i < w->count && status == HF_OK; i++) {
        status = hf_attempt_given(&w->refining, &w->stretches[i]);
        hf_stretch* s = &w->stretches[i];
        double own_s = s->given->knots[s->given->knot_count - 1].time_s;
        s->kept |= s->best && s->best_s <= own_s + 1 / w->refining.rate;
        all &= s->kept;
    }
    return status == HF_OK && !all ? find_strain(w) : status;
}

/* Calm paths for all that does not walk; where that fails, other ways. What has no answer stays as given. */
static hf_status refine_ways(hf_whole* w) {
    hf_status status = w->last ? keep_edited(w) : try_walks(w);
    if (status == HF_OK && w->refining.options->rounds > 0) status = refine_calm(w);
    int calm = count_calm(w);
    if (status == HF_OK && calm < 0) return refine_others(w);
    double allowed = hf_workspace_allow(w->refining.workspace, INFINITY);
    for (int i = 0; i < w->count && status == HF_OK && goes_on(w); i++)
        status = hf_attempt_given(&w->refining, &w->stretches[i]);
    hf_workspace_allow(w->refining.workspace, allowed);
    if (status == HF_OK) status = finish(w);
    // calm stretches that do not hold when they are joined
    return status == HF_OK && !w->refining.result->motion && calm > 0 ? refine_others(w) : status;
}

static hf_status attempt_all(hf_whole* w, const hf_placement* placement) {
    hf_workspace* s = w->refining.workspace;
    hf_workspace_mark mark = hf_workspace_begin(s);
    hf_pose_spline spline;
    hf_status status = hf_pose_spline_of(w->refining.creature, w->schedule, s, &spline);
    if (status == HF_OK) status = hf_parts_make(w->schedule, s, &w->phases);
    if (status == HF_OK)
        status = hf_stance_list_make(w->refining.creature, placement, w->schedule, &spline, &w->phases, s,
                                     &w->list);
    if (status == HF_OK && !w->last) status = find_strain(w);
    if (status == HF_OK) status = cut(w, &spline);
    if (status == HF_OK) status = refine_ways(w);
    if (status == HF_OK) tell_reason(w);
    for (int i = 0; i < w->count; i++) hf_stretch_free(&w->stretches[i]);
    hf_free(w->stretches);
    hf_stance_list_free(&w->list);
    hf_workspace_end(s, mark);
    return status;
}

/* A hold that lasts a single frame in the middle of the motion bears nothing: the limb only touched there. */
static bool is_touch(const hf_schedule* s, const hf_schedule_hold* h) {
    double end_s = s->knots[s->knot_count - 1].time_s;
    return h->to_s - h->from_s < HF_SAME_S && h->from_s > HF_SAME_S && h->to_s < end_s - HF_SAME_S;
}

/* The given schedule without touches; the knots stay the given one's, the holds are the caller's to free. */
static bool leave_out_touches(const hf_schedule* given, const hf_schedule* last, hf_schedule* bare) {
    *bare = *given;
    bare->hold_count = 0;
    bare->holds = hf_alloc((size_t)given->hold_count + 1, sizeof *bare->holds);
    for (int i = 0; i < given->hold_count && bare->holds; i++)
        if (last || !is_touch(given, &given->holds[i])) bare->holds[bare->hold_count++] = given->holds[i];
    return bare->holds;
}

/* last: NULL, or what the schedule is an edit of. */
static hf_status refine(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                        const hf_schedule* last, const hf_refine_options* options, hf_workspace* workspace,
                        hf_refine_result* result, hf_error* error) {
    hf_refine_result_free(result);
    result->outcome = HF_NONE;
    result->at_s = -1;
    hf_status status = hf_options_check(hf_refine_option_table(), options, error);
    if (status == HF_OK) status = hf_schedule_validate(schedule, creature, scene, error);
    if (status != HF_OK) return status;
    hf_schedule bare;
    if (!leave_out_touches(schedule, last, &bare))
        return hf_fail(error, HF_ERROR_MEMORY, NULL, 0, NULL, "%s", hf_status_text(HF_ERROR_MEMORY));
    hf_whole r = {.refining = {creature, scene, NULL, options, workspace,
                               last ? schedule->rate : options->rate, 1, result},
                  .schedule = &bare,
                  .last = last};
    hf_placement* placement = NULL;
    result->before_s = schedule->knots[schedule->knot_count - 1].time_s;
    result->why = refusal(&r);
    if (result->why != HF_REFINE_DONE) {
        hf_free(bare.holds);
        return HF_OK;
    }
    status = hf_placement_create(scene, &placement);
    r.refining.placement = placement;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    if (status == HF_OK && last)
        status = hf_edit_bend(creature, placement, &bare, last, workspace, &bare.knots);
    double before = hf_workspace_spent(workspace);
    hf_workspace_allow(workspace, before + options->work * STEPS);
    if (status == HF_OK) status = attempt_all(&r, placement);
    // whole steps: what rounding leaves depends on what the workspace spent before
    result->work = round(hf_workspace_spent(workspace) - before) / STEPS;
    hf_workspace_allow(workspace, INFINITY);
    hf_workspace_end(workspace, mark);
    hf_placement_free(placement);
    hf_free(bare.holds);
    if (status == HF_ERROR_LIMIT) {
        status = HF_OK; // what holds by then is the answer
        result->why = HF_REFINE_TOO_LARGE;
    }
    if (status != HF_OK) {
        hf_refine_result_free(result);
        return hf_fail(error, status, NULL, 0, NULL, "%s", hf_status_text(status));
    }
    if (result->motion) result->outcome = HF_FOUND, result->why = HF_REFINE_DONE, result->at_s = -1;
    if (hf_workspace_cancelled(workspace))
        result->outcome = HF_CANCELLED, result->why = HF_REFINE_CANCELLED, result->at_s = -1;
    return HF_OK;
}

hf_status hf_refine(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                    const hf_refine_options* options, hf_workspace* workspace, hf_refine_result* result,
                    hf_error* error) {
    HF_REQUIRE(error, creature && schedule && options && workspace && result);
    return refine(creature, scene, schedule, NULL, options, workspace, result, error);
}

hf_status hf_refine_again(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const hf_schedule* last, const hf_refine_options* options, hf_workspace* workspace,
                          hf_refine_result* result, hf_error* error) {
    HF_REQUIRE(error, creature && schedule && last && options && workspace && result);
    if (!hf_edit_fits(schedule, last))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "holds",
                       "the schedule is no edit of the last one: it has other holds");
    return refine(creature, scene, schedule, last, options, workspace, result, error);
}
