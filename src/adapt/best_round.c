/* The round of a retargeting with the fewest faults so far. */
#include "adapt/retarget.h"
#include "model/creature.h"

#include <string.h>

void hf_best_keep(hf_retarget_work* w, hf_phases* phases, int faults) {
    hf_best_round* b = &w->best;
    size_t q = (size_t)w->creature.creature->view.q_count;
    b->faults = faults;
    for (int f = 0; f < w->frames; f++) {
        b->roots[f] = w->schedule->knots[f].root;
        memcpy(b->q + (size_t)f * q, w->schedule->knots[f].q, sizeof(double) * q);
    }
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        h->best_dropped = h->dropped, h->best_anchor = h->anchor;
        memcpy(h->best_kept, h->kept, (size_t)(h->phase->last - h->phase->first + 1));
    }
    if (phases->count) memcpy(b->phases, phases->items, sizeof *b->phases * (size_t)phases->count);
}

void hf_best_take(hf_retarget_work* w, hf_phases* phases) {
    const hf_best_round* b = &w->best;
    size_t q = (size_t)w->creature.creature->view.q_count;
    for (int f = 0; f < w->frames; f++) {
        w->schedule->knots[f].root = b->roots[f];
        memcpy(w->schedule->knots[f].q, b->q + (size_t)f * q, sizeof(double) * q);
    }
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        h->dropped = h->best_dropped, h->anchor = h->best_anchor;
        memcpy(h->kept, h->best_kept, (size_t)(h->phase->last - h->phase->first + 1));
    }
    if (phases->count) memcpy(phases->items, b->phases, sizeof *b->phases * (size_t)phases->count);
}
