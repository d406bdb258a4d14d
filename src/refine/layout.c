/* Swings one after the other, each as long as its joints need from rest to rest. Between a landing and the
   next release all limbs hold: such a gap lasts as long as the body needs beyond what it may go during the
   swings beside it, and less than no time where the later limb lets go before the earlier one has landed. */
#include "refine/layout.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Of the least time from rest to rest: what is smooth takes longer, and the time scaling finds the times
   anew, so that the reserve only has to keep the phases' proportions. */
static const double RESERVE = 1.1;
/* With a body that is borne in motion: limbs that swing as fast as their joints can turn the body. */
static const double MOVING_RESERVE = 1.25;
static const double LEAST_S = 0.04; /* between two changes of holds: some frames */
/* That a limb stays on a hold at least, and that a motion lasts after the last landing: six poses, in which a
   limb goes back most of the way to its given posture. */
static const double DWELL_S = 0.1;
/* Of the time that the body needs from rest to rest, what it needs in a gap without a rest at either end. */
static const double MOVING = 0.5;
static const double REST_S = 0.06; /* at either end of a phase that is as given: some samples */

typedef struct planner {
    const hf_ways* ways;
    hf_layout* out;
    double *took_s, *carry; /* of each phase */
    bool* swings;
} planner;

double hf_layout_given_time(const hf_part* a, double took_s, double share) {
    double inside = (share * took_s - REST_S) / (took_s - 2 * REST_S);
    return a->from_s + fmin(1, fmax(0, inside)) * (a->to_s - a->from_s);
}

/* The limb whose hold ends, or begins, at a given time; -1. */
static int changing_limb(const hf_ways* w, double time_s, bool ends) {
    int hold = hf_ways_hold(w, -1, time_s, ends);
    return hold < 0 ? -1 : w->given->holds[hold].hold.limb;
}

bool hf_layout_is_gap(const hf_ways* w, int p) {
    if (p == 0 || p + 1 >= w->phases->count) return false;
    const hf_part* a = &w->phases->items[p];
    int lands = changing_limb(w, a->from_s, false), leaves = changing_limb(w, a->to_s, true);
    return lands >= 0 && leaves >= 0 && lands != leaves && changing_limb(w, a->from_s, true) < 0 &&
           changing_limb(w, a->to_s, false) < 0;
}

/* Swings share their time evenly among their phases, gaps left out. */
static double swing_need(const hf_ways* w, int p) {
    double need = 0;
    for (int i = 0; i < w->swing_count; i++) {
        const hf_swing_way* s = &w->swings[i];
        int phases = 0;
        if (p < s->first || p >= s->last) continue;
        for (int k = s->first; k < s->last; k++) phases += !hf_layout_is_gap(w, k);
        need = fmax(need, s->forms[s->form].least_s / (phases > 0 ? phases : 1));
    }
    return (w->moving ? MOVING_RESERVE * fmax(1, w->slower) : RESERVE) * need;
}

static void time_swings(planner* l) {
    const hf_ways* w = l->ways;
    for (int p = 0; p < w->phases->count; p++) {
        const hf_part* a = &w->phases->items[p];
        double body_s = RESERVE * w->least_body_s[p], need = hf_layout_is_gap(w, p) ? 0 : swing_need(w, p);
        l->swings[p] = need > 0;
        l->took_s[p] = fmax(LEAST_S, fmax(need, l->swings[p] ? body_s : 0)) + a->extra_s;
        if (a->as_given) l->took_s[p] = a->to_s - a->from_s + 2 * REST_S;
        l->carry[p] = l->swings[p] && !a->as_given ? fmin(a->carry, 1 - body_s / l->took_s[p]) : 0;
    }
}

/* What is left for a phase in which no limb is on its way, less than no time where swings may overlap. */
static void time_gaps(planner* l) {
    const hf_ways* w = l->ways;
    for (int p = 0; p < w->phases->count; p++) {
        const hf_part* a = &w->phases->items[p];
        if (l->swings[p] || a->as_given) continue;
        bool before = p > 0, after = p + 1 < w->phases->count;
        double beside = (before ? l->carry[p - 1] * l->took_s[p - 1] : 0) +
                        (after ? l->carry[p + 1] * l->took_s[p + 1] : 0);
        double left = w->moving ? MOVING * fmax(1, w->slower) * w->least_body_s[p]
                                : RESERVE * w->least_body_s[p] - beside / 2;
        double least = LEAST_S;
        if (hf_layout_is_gap(w, p) && !a[-1].as_given && !a[1].as_given)
            least = -a->overlap * fmin(l->took_s[p - 1], l->took_s[p + 1]);
        l->took_s[p] = fmax(left, least) + a->extra_s;
    }
}

/* The earliest time from t on at which no other hold changes nearby; before phase `count`. */
static double keep_apart(const planner* l, int count, double t) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int k = 0; k <= count; k++)
            if (fabs(l->out->begin_s[k] - t) < LEAST_S - HF_SAME_S && k > 0)
                t = l->out->begin_s[k] + LEAST_S, moved = true;
    }
    return t;
}

/* When the limb that lets go at the end of a phase landed last; -1 where it held from the beginning. */
static double landed_s(const planner* l, int phase) {
    const hf_ways* w = l->ways;
    int limb = changing_limb(w, w->phases->items[phase].to_s, true);
    double last = -1;
    for (int k = 1; k <= phase; k++)
        if (limb >= 0 && changing_limb(w, w->phases->items[k].from_s, false) == limb)
            last = l->out->begin_s[k];
    return last;
}

static void set_begins(planner* l) {
    const hf_parts* phases = l->ways->phases;
    double* begin = l->out->begin_s;
    begin[0] = 0;
    for (int p = 0; p < phases->count; p++) {
        double t = begin[p] + l->took_s[p], landed = landed_s(l, p);
        if (landed >= 0) t = fmax(t, landed + DWELL_S);
        begin[p + 1] = keep_apart(l, p, t);
    }
    // a motion ends when its last hold has begun and the limb has had time to come to its given posture
    for (int p = 0; p < phases->count; p++) {
        bool lands = p > 0 && changing_limb(l->ways, phases->items[p].from_s, false) >= 0;
        begin[phases->count] = fmax(begin[phases->count], begin[p] + (lands ? DWELL_S : LEAST_S));
    }
    l->out->end_s = begin[phases->count];
}

/* ---- the body ---- */

static void add_knot(planner* l, double time_s, int key) {
    l->out->knots[l->out->knot_count++] = (hf_body_knot){time_s, key};
}

static const double KNOT_S = 1e-3; /* between two knots at least */

/* Knots that overlapping swings have brought out of order meet in the middle. */
static void order_knots(planner* l) {
    hf_body_knot* k = l->out->knots;
    int n = l->out->knot_count;
    for (int pass = 0; pass < n; pass++)
        for (int i = 0; i + 1 < n; i++)
            if (k[i + 1].time_s < k[i].time_s) {
                double middle = (k[i].time_s + k[i + 1].time_s) / 2;
                k[i].time_s = k[i + 1].time_s = middle;
            }
    for (int i = 1; i < n; i++) k[i].time_s = fmax(k[i].time_s, k[i - 1].time_s + KNOT_S);
    l->out->end_s = l->out->begin_s[l->ways->phases->count] = fmax(l->out->end_s, k[n - 1].time_s);
    k[n - 1].time_s = l->out->end_s;
}

/* During a swing the body is at its key poses; before and behind that it is on its way. */
static void set_knots(planner* l) {
    int count = l->ways->phases->count;
    const double* begin = l->out->begin_s;
    add_knot(l, 0, 0);
    for (int p = 0; p < count; p++) {
        double took = begin[p + 1] - begin[p], off = l->carry[p] * took / 2;
        bool given = l->ways->phases->items[p].as_given;
        if (l->swings[p] || given) {
            add_knot(l, begin[p] + (given ? 0 : off), p);
            add_knot(l, begin[p + 1] - (given ? 0 : off), p + 1);
        } else if (p > 0 && !l->swings[p - 1]) {
            add_knot(l, begin[p], p);
        }
    }
    add_knot(l, l->out->end_s, count);
    order_knots(l);
}

hf_status hf_layout_make(const hf_ways* ways, hf_workspace* w, hf_layout* out) {
    size_t n = (size_t)ways->phases->count;
    *out = (hf_layout){.begin_s = hf_workspace_take(w, n + 1, sizeof(double)),
                       .knots = hf_workspace_take(w, 2 * n + 2, sizeof *out->knots)};
    planner l = {.ways = ways,
                 .out = out,
                 .took_s = hf_workspace_take(w, 2 * n, sizeof(double)),
                 .swings = hf_workspace_take(w, n, sizeof *l.swings)};
    if (!out->begin_s || !out->knots || !l.took_s || !l.swings) return HF_ERROR_MEMORY;
    l.carry = l.took_s + n;
    time_swings(&l);
    time_gaps(&l);
    set_begins(&l);
    set_knots(&l);
    return HF_OK;
}

double hf_layout_time(const hf_layout* layout, const hf_parts* phases, double given_s) {
    for (int p = 0; p < phases->count; p++)
        if (fabs(phases->items[p].from_s - given_s) < HF_SAME_S) return layout->begin_s[p];
    return layout->end_s;
}
