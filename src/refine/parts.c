/* Phases between changes of holds. */
#include "refine/parts.h"

#include "base/ease.h"
#include "base/workspace.h"

#include <stdlib.h>

/* Of a swing, over which corners are rounded to begin with. */
static const double ROUND_SHARE = 0.1;

/* That wrenches keep to begin with: two centimetres of moment arm, twice what a check counts as nothing: a
   tracking controller falls with less. */
static const double MARGIN_M = 0.02, KEPT = 0.5;

/* The pace along a path doubles in a twentieth of a second at most, to begin with, 1/s2. */
static const double HASTE = 20;

/* Share of a swing during which the body is on its way, to begin with, and of the shorter one of two swings
   during which both limbs are: at a half, the first of three would land as the third lets go. */
static const double CARRY = 0.8, OVERLAP = 0.45;

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Is a limb on its way in the middle of a phase: free, with a hold before and a hold after it? */
static bool swings(const hf_schedule* s, double middle_s) {
    for (int i = 0; i < s->hold_count; i++) {
        if (s->holds[i].to_s >= middle_s) continue;
        bool held = false, lands = false;
        for (int k = 0; k < s->hold_count; k++) {
            if (s->holds[k].hold.limb != s->holds[i].hold.limb) continue;
            held |= s->holds[k].from_s <= middle_s && s->holds[k].to_s >= middle_s;
            lands |= s->holds[k].from_s > middle_s;
        }
        if (lands && !held) return true;
    }
    return false;
}

void hf_part_begin(hf_part* a) {
    *a = (hf_part){.from_s = a->from_s,
                   .to_s = a->to_s,
                   .took_s = a->to_s - a->from_s,
                   .swings = a->swings,
                   .margin_m = MARGIN_M,
                   .kept = KEPT,
                   .haste = HASTE,
                   .freedom = 1,
                   .round_share = ROUND_SHARE,
                   .carry = CARRY,
                   .overlap = OVERLAP};
    for (int k = 0; k <= HF_PACE; k++) a->pace[k] = hf_ease((double)k / HF_PACE);
}

hf_status hf_parts_make(const hf_schedule* s, hf_workspace* w, hf_parts* phases) {
    size_t most = 2 * (size_t)s->hold_count + 2;
    double end_s = s->knots[s->knot_count - 1].time_s;
    *phases = (hf_parts){.items = hf_workspace_take(w, most, sizeof *phases->items)};
    hf_workspace_mark mark = hf_workspace_begin(w);
    double* times = hf_workspace_take(w, most, sizeof *times);
    if (!phases->items || !times) return HF_ERROR_MEMORY;
    int count = 0;
    times[count++] = 0, times[count++] = end_s;
    for (int i = 0; i < s->hold_count; i++) {
        if (s->holds[i].from_s < end_s) times[count++] = s->holds[i].from_s;
        if (s->holds[i].to_s < end_s) times[count++] = s->holds[i].to_s;
    }
    qsort(times, (size_t)count, sizeof *times, by_value);
    for (int i = 1; i < count; i++) {
        if (times[i] - times[i - 1] < HF_SAME_S) continue;
        hf_part* a = &phases->items[phases->count++];
        *a = (hf_part){
            .from_s = times[i - 1], .to_s = times[i], .swings = swings(s, (times[i - 1] + times[i]) / 2)};
        hf_part_begin(a);
    }
    hf_workspace_end(w, mark);
    hf_parts_add_up(phases);
    return HF_OK;
}

void hf_parts_add_up(hf_parts* p) {
    p->duration_s = 0;
    for (int i = 0; i < p->count; i++) p->duration_s += p->items[i].took_s;
}

double hf_part_progress(const hf_part* p, double share) {
    double at = (share < 0 ? 0 : share > 1 ? 1 : share) * HF_PACE;
    int i = at < HF_PACE ? (int)at : HF_PACE - 1;
    double u = at - i, v = 1 - u;
    // a cubic B-spline: continuous up to the acceleration, and it never goes back; reflected at the ends
    double before = i > 0 ? p->pace[i - 1] : -p->pace[1];
    double after = i + 2 <= HF_PACE ? p->pace[i + 2] : 2 * p->pace[HF_PACE] - p->pace[HF_PACE - 1];
    return (v * v * v * before + (3 * u * u * u - 6 * u * u + 4) * p->pace[i] +
            (3 * v * v * v - 6 * v * v + 4) * p->pace[i + 1] + u * u * u * after) /
           6;
}

int hf_parts_at(const hf_parts* p, double refined_s) {
    int i = 0;
    for (double end = p->items[0].took_s; i + 1 < p->count && refined_s >= end; end += p->items[i].took_s)
        i++;
    return i;
}

double hf_parts_given(const hf_parts* p, double refined_s) {
    double began = 0;
    for (int i = 0; i < p->count; i++) {
        const hf_part* a = &p->items[i];
        if (refined_s < began + a->took_s)
            return a->from_s +
                   (refined_s > began ? (refined_s - began) / a->took_s * (a->to_s - a->from_s) : 0);
        began += a->took_s;
    }
    return p->items[p->count - 1].to_s;
}

double hf_parts_refined(const hf_parts* p, double given_s) {
    double began = 0;
    for (int i = 0; i < p->count; i++) {
        const hf_part* a = &p->items[i];
        if (given_s < a->to_s)
            return began +
                   (given_s > a->from_s ? (given_s - a->from_s) / (a->to_s - a->from_s) * a->took_s : 0);
        began += a->took_s;
    }
    return began;
}
