/* Task-oriented sampling: efort-2014-journal section 6.2 asks for "more samples around configurations known
   to be good for a task". Good is a large force transmission ratio along the task, so a small v^T J J^T v.
   The best of the whole set would all reach to the same few places; the best of each part of the space serve
   wherever the surface is. */
#include "contact/sample_task.h"

#include "contact/sample_index.h"

#include <math.h>
#include <string.h>

/* Share of each part's postures that others are drawn around. */
static const double BEST = 0.05;
/* Half width of the change of a joint value, as a share of its range; halved after each failure. */
static const float SPREAD = 0.15f;
/* First block of random words, far from those of hf_draw. */
static const uint32_t FIRST_BLOCK = 0x40000000u;
enum { TRIES = 6, CODE_BITS = 30, PART_BITS = 2, SCORE_BITS = 32 - 3 * PART_BITS };

/* Part of space in the high bits, v^T G v in the low ones: its float's bits keep the order. */
static uint32_t code_of(const float* r, const double v[3], const float low[3], const float per[3]) {
    uint32_t part = hf_morton_code(r, low, per) >> (CODE_BITS - 3 * PART_BITS);
    const float* g = r + 3;
    double x = v[0], y = v[1], z = v[2];
    float square = (float)(x * x * (double)g[0] + y * y * (double)g[1] + z * z * (double)g[2] +
                           2 * (x * y * (double)g[3] + x * z * (double)g[4] + y * z * (double)g[5]));
    uint32_t bits;
    square = square > 0 ? square : 0;
    memcpy(&bits, &square, sizeof bits);
    return part << SCORE_BITS | bits >> (32 - SCORE_BITS);
}

hf_status hf_task_choose(const float* measures, int record, int mark, int count, const double direction[3],
                         hf_task_parents* parents) {
    hf_morton* items = hf_alloc(2 * (size_t)count, sizeof *items);
    parents->parents = hf_alloc((size_t)count, sizeof *parents->parents);
    parents->count = 0;
    if (!items || !parents->parents) {
        hf_free(items);
        return HF_ERROR_MEMORY;
    }
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, per[3];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const float* r = measures + (size_t)i * (size_t)record;
        if (isnan(r[mark])) continue;
        for (int k = 0; k < 3; k++) low[k] = fminf(low[k], r[k]), high[k] = fmaxf(high[k], r[k]);
        items[used++].index = (uint32_t)i;
    }
    hf_morton_scale(low, high, per);
    for (size_t i = 0; i < used; i++)
        items[i].code = code_of(measures + (size_t)items[i].index * (size_t)record, direction, low, per);
    hf_morton_sort(items, items + count, used);
    // the first of each part, at least one
    for (size_t i = 0, end; i < used; i = end) {
        for (end = i + 1; end < used && items[end].code >> SCORE_BITS == items[i].code >> SCORE_BITS;) end++;
        size_t take = (size_t)ceil(BEST * (double)(end - i));
        for (size_t k = 0; k < take; k++) parents->parents[parents->count++] = items[i + k].index;
    }
    hf_free(items);
    return HF_OK;
}

void hf_task_draw(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const hf_task_parents* parents,
                  const uint32_t* index, int count, hf_draw_scratch* s, float* theta) {
    int open = count, at[HF_DRAW_CHUNK];
    const float* from[HF_DRAW_CHUNK];
    uint32_t own[HF_DRAW_CHUNK] __attribute__((aligned(64))) = {0};
    uint8_t inside[HF_DRAW_CHUNK];
    memcpy(own, index, (size_t)count * sizeof *index);
    int filled = (count + HF_DRAW_LANES - 1) / HF_DRAW_LANES * HF_DRAW_LANES;
    // its parent is the posture itself until a change of it is found to be inside
    kernel->words(plan->seed, plan->stream, own, FIRST_BLOCK, filled, s->words[0]);
    for (int k = 0; k < count; k++) {
        uint64_t pick = (uint64_t)s->words[0][k] * (uint64_t)parents->count >> 32;
        from[k] = parents->theta + (size_t)parents->parents[pick] * (size_t)parents->record;
        at[k] = k;
    }
    float spread = SPREAD;
    for (uint32_t attempt = 0; attempt < TRIES && open > 0; attempt++, spread *= 0.5f) {
        uint32_t block = FIRST_BLOCK + 1 + attempt * HF_DRAW_BLOCKS;
        for (int i = 0; i < plan->joint_count; i++) {
            if (i % 4 == 0) kernel->words(plan->seed, plan->stream, own, block++, filled, s->words[0]);
            float range = (plan->upper[i] - plan->lower[i]) * spread;
            for (int o = 0; o < open; o++) {
                // the sum of two even numbers: small changes are the likelier ones
                int k = at[o];
                uint32_t w = s->words[i % 4][k];
                float change = ((float)(w & 0xffff) + (float)(w >> 16)) * 0x1p-16f - 1;
                float x = from[k][i] + change * range;
                theta[i * HF_DRAW_CHUNK + k] = fminf(fmaxf(x, plan->lower[i]), plan->upper[i]);
            }
        }
        hf_draw_test(plan, kernel, theta, count, s, inside);
        int left = 0;
        for (int o = 0; o < open; o++)
            if (!inside[at[o]]) at[left++] = at[o];
        open = left;
    }
    for (int o = 0; o < open; o++)
        for (int i = 0; i < plan->joint_count; i++) theta[i * HF_DRAW_CHUNK + at[o]] = from[at[o]][i];
}
