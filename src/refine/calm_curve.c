/* Curves with little jerk: a banded system of the third differences, factored once for all numbers. */
#include "refine/calm_curve.h"

#include "base/workspace.h"
#include "base/band.h"

#include <string.h>

enum { ENDS = 3, BAND = 3 }; /* samples at rest at either end; a third difference spans four samples */

static bool is_pinned(const hf_calm_curve* c, int k) {
    return k < ENDS || k >= c->count - ENDS || (c->pinned && c->pinned[k]);
}

/* The sample that a pinned one takes its numbers from: at the ends the last one. */
static int source_of(const hf_calm_curve* c, int k) {
    return k < ENDS ? 0 : k >= c->count - ENDS ? c->count - 1 : k;
}

static void add_jerk(const hf_calm_curve* c, hf_band* a) {
    static const double third[4] = {-1, 3, -3, 1};
    double cube = 1 / (c->step_s * c->step_s * c->step_s), scale = cube * cube;
    for (int k = 0; k + BAND < c->count; k++)
        for (int i = 0; i <= BAND; i++)
            for (int j = 0; j <= i; j++) *hf_band_at(a, k + i, k + j) += scale * third[i] * third[j];
}

/* Moves the pinned numbers to the right hand side. */
static void pin(const hf_calm_curve* c, hf_band* a, const double* in, double* out) {
    for (int k = 0; k < c->count; k++) {
        if (!is_pinned(c, k)) continue;
        const double* known = in + (size_t)source_of(c, k) * (size_t)c->width;
        for (int j = k - BAND < 0 ? 0 : k - BAND; j <= k + BAND && j < c->count; j++) {
            double* entry = hf_band_at(a, j > k ? j : k, j > k ? k : j);
            for (int x = 0; x < c->width && j != k && !is_pinned(c, j); x++)
                out[(size_t)j * (size_t)c->width + (size_t)x] -= *entry * known[x];
            *entry = j == k;
        }
        memcpy(out + (size_t)k * (size_t)c->width, known, sizeof(double) * (size_t)c->width);
    }
}

hf_status hf_calm_curve_find(const hf_calm_curve* c, const double* in, hf_workspace* w, double* out) {
    size_t n = (size_t)c->count, all = n * (size_t)c->width;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_band a = {c->count, BAND, hf_workspace_take(w, n * (BAND + 1), sizeof(double))};
    if (!a.values) return HF_ERROR_MEMORY;
    memset(a.values, 0, sizeof(double) * n * (BAND + 1));
    for (size_t i = 0; i < all; i++) out[i] = c->weights[i / (size_t)c->width] * in[i];
    for (int k = 0; k < c->count; k++) *hf_band_at(&a, k, k) = c->weights[k];
    add_jerk(c, &a);
    pin(c, &a, in, out);
    bool solved = hf_band_factor(&a);
    for (int x = 0; solved && x < c->width; x++) hf_band_solve(&a, out + x, c->width);
    hf_workspace_end(w, mark);
    return solved ? HF_OK : HF_ERROR_ARGUMENT;
}
