/* What a motion's faults teach the phases of a stretch before the next round: calmer times, less overlap,
   other forms of swings, a body nearer to its given way, and at last the given way itself. */
#include "refine/refinement.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

int hf_phase_of_frame(const hf_refinement* r, const hf_schedule* made, int frame, double* share) {
    double end_s = made->knots[made->knot_count - 1].time_s, t = frame / made->rate, began = 0, sum = 0;
    int count = r->ways ? r->own.count : r->phases->count;
    for (int i = 0; i < count; i++) sum += r->timed[i].took_s;
    t *= sum / end_s;
    for (int i = 0; i < count; i++) {
        *share = r->timed[i].took_s > 0 ? (t - began) / r->timed[i].took_s : 0;
        began += r->timed[i].took_s;
        if (t < began) return i;
    }
    *share = 1;
    return count - 1;
}

/* Of the haste of a phase whose frames are not borne or too fast; of the rounding of a swing that collides,
   and how much farther away it goes, m. */
static const double CALMER = 0.5, KEEP_MORE = 0.25, SHARPER = 0.7, CLEARER_M = 0.015;
/* Of the freedom of a phase that collides or whose limbs do not reach; and how little is left at last: then
   the body follows what takes longer than a tenth of the calm time. */
static const double NEARER = 0.6, LEAST_FREEDOM = 0.1;

void hf_go_slower(hf_part* a) { a->haste *= CALMER, a->kept = fmin(1, a->kept + KEEP_MORE); }

double hf_less_freedom(double freedom) { return fmax(LEAST_FREEDOM, NEARER * freedom); }

/* By which the margin of a phase that is not borne grows, and how calm such a phase gets at most, 1/s2. */
static const double MORE_MARGIN = 1.5, LEAST_HASTE = 0.5;
/* Of the share of two swings that overlap where the contacts do not bear the body; below the least share
   there is none. */
static const double LESS_OVERLAP = 0.5, LEAST_OVERLAP = 0.15;

/* Swings beside a phase overlap less. False: they did not overlap. */
static bool part_swings(hf_parts* phases, int p, double share) {
    bool any = false;
    for (int k = p - 1; k <= p + 1; k++) {
        if (k < 0 || k >= phases->count || !(phases->items[k].overlap > 0)) continue;
        hf_part* gap = &phases->items[k];
        gap->overlap *= share;
        if (gap->overlap < LEAST_OVERLAP) gap->overlap = 0;
        any = true;
    }
    return any;
}

/* A phase in which the body is not borne or limbs do not reach: calmer, and the body nearer to its given way
   and less on its way while limbs swing. */
static void go_calmly(hf_part* a, bool unborne) {
    if (unborne) a->haste = fmax(LEAST_HASTE, a->haste * CALMER), a->kept = fmin(1, a->kept + KEEP_MORE);
    if (unborne) a->margin_m *= MORE_MARGIN;
    a->follow = 1;
    a->carry = fmax(0, a->carry - HF_LESS_CARRY);
    a->freedom = hf_less_freedom(a->freedom);
}

/* As given: with the times and margins of the beginning, as the given poses are borne. */
static void take_given_way(hf_part* a) {
    if (a->as_given) return;
    hf_part fresh = *a;
    hf_part_begin(&fresh);
    fresh.as_given = fresh.faulty = true;
    fresh.unborne = a->unborne;
    fresh.kept = 1;
    *a = fresh;
}

/* By which a phase that is not borne in motion becomes longer, s, and of what it is longer already: a swing
   by little, as a body on one limb falls for as long; the time on both limbs beside it by more. */
static const double MORE_SWING = 1.2, MORE_GAP = 0.5;
/* A change of angular momentum, as a moment arm of the weight, that is of a limb's swing, m: half of a foot's
   width. */
static const double SWING_MOMENT_M = 0.05;
/* Times that a phase becomes longer before it is hopeless: what helps, helps sooner. */
enum { MOVING_STRIKES = 6 };

/* A phase in which the body is not borne in motion, and those beside it, become longer. */
void hf_take_time(hf_parts* phases, int p, double took_s, double moment_m) {
    hf_part* a = &phases->items[p];
    a->hopeless |= ++a->unborne_strikes > MOVING_STRIKES;
    bool any = false;
    for (int k = p - 1; k <= p + 1 && !(a->swings && moment_m > SWING_MOMENT_M); k++) {
        if (k < 0 || k >= phases->count || phases->items[k].swings) continue;
        phases->items[k].extra_s += fmax(HF_MORE_GAP_S, MORE_GAP * phases->items[k].extra_s);
        any = true;
    }
    if (!any) a->extra_s += (MORE_SWING - 1) * took_s;
}

/* A phase on the shortest ways that had a fault: nearer to how it was given. False: it cannot be nearer. */
static bool go_nearer(hf_parts* phases, int p, hf_frame_fault_kind kind, bool moving) {
    hf_part* a = &phases->items[p];
    bool collides = kind == HF_FAULT_COLLIDES;
    if (moving && !collides) {
        a->faulty = true;
        a->haste = fmax(LEAST_HASTE, a->haste * CALMER), a->kept = fmin(1, a->kept + KEEP_MORE);
        a->margin_m *= MORE_MARGIN;
        if (a->unborne_strikes++ % 2 == 1) hf_take_time(phases, p, a->to_s - a->from_s, 0);
        return true;
    }
    a->faulty = true;
    a->unborne |= kind == HF_FAULT_DYNAMIC || kind == HF_FAULT_SPEED;
    if (!collides && part_swings(phases, p, LESS_OVERLAP)) return true;
    ++*(collides ? &a->strikes : &a->unborne_strikes);
    if (moving) {
        a->hopeless |= a->strikes > HF_STRIKES;
        a->follow = 1, a->freedom = hf_less_freedom(a->freedom);
        return true;
    }
    if (!collides) go_calmly(a, a->unborne);
    if (a->as_given) return false;
    if (a->strikes > HF_STRIKES || a->unborne_strikes > HF_STRIKES) take_given_way(a);
    if (collides && a->strikes > 1) a->follow = 1, a->freedom = hf_less_freedom(a->freedom);
    return true;
}

/* The given phases that are under way in a phase of the motion. Each learns once from each kind of fault. */
bool hf_learn_at(hf_refinement* r, int own, hf_frame_fault_kind kind, uint8_t* learned) {
    const hf_part* at = &r->own.items[own];
    hf_parts* phases = r->phases;
    double middle_s = (at->from_s + at->to_s) / 2;
    uint8_t flag = kind == HF_FAULT_COLLIDES ? 1 : 2;
    bool any = false;
    for (int p = 0; p < phases->count; p++) {
        if (r->layout.begin_s[p] > middle_s || r->layout.begin_s[p + 1] < middle_s) continue;
        bool nearer = true;
        if (!(learned[p] & flag)) nearer = go_nearer(phases, p, kind, r->ways->moving);
        learned[p] |= flag;
        any |= nearer;
        // what happens as a limb has just landed or is about to leave is of its swing, too
        for (int k = p - 1; k <= p + 1; k += 2) {
            if (k < 0 || k >= phases->count || phases->items[k].as_given || learned[k] & flag) continue;
            if (nearer && phases->items[p].swings) continue;
            any |= go_nearer(phases, k, kind, r->ways->moving);
            learned[k] |= flag;
        }
    }
    return any;
}

/* A swing is as given in all of its phases or in none. */
void hf_spread_given(hf_refinement* r) {
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < r->ways->swing_count; i++) {
            const hf_swing_way* s = &r->ways->swings[i];
            if (!hf_swing_is_given(r->ways, s)) continue;
            for (int p = s->first; p < s->last; p++) {
                if (r->phases->items[p].as_given) continue;
                take_given_way(&r->phases->items[p]);
                more = true;
            }
        }
    }
}

static bool is_of_limb(const hf_creature* c, const hf_collision* hit, int limb) {
    return hf_link_in_limb(c, c->view.bodies[hit->body].link, limb) ||
           (hit->other_body >= 0 && hf_link_in_limb(c, c->view.bodies[hit->other_body].link, limb));
}

/* A swing is looked at again. With a body that goes elsewhere than before, forms that collided may be free.
 */
void hf_look_again(const hf_refinement* r, hf_swing_way* s) {
    s->looked = false;
    for (int f = 0; f < HF_FORMS && r->ways->moving; f++)
        s->forms[f].banned = s->forms[f].unreached || s->forms[f].met;
}

/* A swing that no form is left for: as given, or hopeless with a body in motion. */
void hf_give_up(hf_refinement* r, const hf_swing_way* s) {
    for (int p = s->first; p < s->last; p++)
        if (r->ways->moving)
            r->phases->items[p].hopeless = true;
        else
            take_given_way(&r->phases->items[p]);
}

/* A limb that collides on its way takes another form, or its given way where there is none. False: no limb on
   its way is to blame. */
static bool ban_forms(hf_refinement* r, int own, const hf_collision* hit, uint8_t* banned) {
    const hf_part* at = &r->own.items[own];
    double middle_s = (at->from_s + at->to_s) / 2;
    bool any = false;
    for (int i = 0; i < r->ways->swing_count; i++) {
        hf_swing_way* s = &r->ways->swings[i];
        if (r->layout.begin_s[s->first] > middle_s || r->layout.begin_s[s->last] < middle_s ||
            hf_swing_is_given(r->ways, s) || !is_of_limb(r->of->creature, hit, s->limb))
            continue;
        any = true;
        if (banned[i]) continue;
        banned[i] = 1;
        s->forms[s->form].banned = s->forms[s->form].met = true;
        hf_look_again(r, s);
        if (!hf_swing_choose(s)) hf_give_up(r, s);
    }
    return any;
}

hf_status hf_learn_direct(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults) {
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    uint8_t* learned = hf_workspace_take(r->workspace, (size_t)r->phases->count, 1);
    uint8_t* banned = hf_workspace_take(r->workspace, (size_t)r->ways->swing_count + 1, 1);
    if (!learned || !banned) return HF_ERROR_MEMORY;
    memset(learned, 0, (size_t)r->phases->count);
    memset(banned, 0, (size_t)r->ways->swing_count);
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        double share;
        int own = hf_phase_of_frame(r, made, f->frame, &share);
        if (f->kind != HF_FAULT_COLLIDES || !ban_forms(r, own, &f->collision, banned))
            hf_learn_at(r, own, f->kind, learned);
    }
    hf_spread_given(r);
    hf_workspace_end(r->workspace, mark);
    return HF_OK;
}

/* What faults say about the phases in which they are: each phase learns once from each kind. */
void hf_learn(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults) {
    hf_parts* phases = r->phases;
    int last[2] = {-1, -1};
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        double share;
        int p = hf_phase_of_frame(r, made, f->frame, &share), kind = f->kind == HF_FAULT_COLLIDES;
        hf_part* a = &phases->items[p];
        a->faulty = true;
        if (last[kind] == p) continue;
        last[kind] = p;
        if (f->kind != HF_FAULT_COLLIDES) hf_go_slower(a);
        // a collision as a limb has just landed or is about to leave is of its swing
        for (int k = p - 1; k <= p + 1 && f->kind == HF_FAULT_COLLIDES; k++) {
            if (k < 0 || k >= phases->count || (k != p && a->swings)) continue;
            phases->items[k].freedom = hf_less_freedom(phases->items[k].freedom);
            phases->items[k].round_share *= SHARPER;
            phases->items[k].clear_m += CLEARER_M;
        }
    }
}
