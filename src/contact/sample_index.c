/* The index of a sample set: points in Morton order, eight to a leaf, eight children to a node, with the
   tight box of each. The order alone says where children stand (a linear octree, after Gargantini 1982):
   there are no pointers, and a leaf is three vectors of eight coordinates. */
#include "contact/sample_index.h"

#include <math.h>
#include <string.h>

enum { RADIX = 11, BUCKETS = 1 << RADIX };

/* Ten bits, two zeros between each. */
static uint32_t spread(uint32_t x) {
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

/* A code has ten bits for each axis. */
static const float PARTS = 1024, NO_EXTENT_M = 1e-30f;

void hf_morton_scale(const float low[3], const float high[3], float per[3]) {
    for (int k = 0; k < 3; k++) per[k] = high[k] - low[k] > NO_EXTENT_M ? PARTS / (high[k] - low[k]) : 0;
}

uint32_t hf_morton_code(const float point[3], const float low[3], const float per[3]) {
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) {
        float x = (point[k] - low[k]) * per[k];
        x = x < PARTS - 1 ? x : PARTS - 1;
        code |= spread((uint32_t)(x > 0 ? x : 0)) << k;
    }
    return code;
}

void hf_morton_sort(hf_morton* items, hf_morton* scratch, size_t count) {
    uint32_t starts[3][BUCKETS];
    memset(starts, 0, sizeof starts);
    for (size_t i = 0; i < count; i++)
        for (int pass = 0; pass < 3; pass++) starts[pass][items[i].code >> (pass * RADIX) & (BUCKETS - 1)]++;
    hf_morton *from = items, *to = scratch;
    for (int pass = 0; pass < 3; pass++) {
        uint32_t next = 0;
        for (int b = 0; b < BUCKETS; b++) {
            uint32_t here = starts[pass][b];
            starts[pass][b] = next;
            next += here;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[pass][from[i].code >> (pass * RADIX) & (BUCKETS - 1)]++] = from[i];
        hf_morton* other = from;
        from = to, to = other;
    }
    memcpy(items, from, count * sizeof *items);
}

/* ---- boxes ---- */

typedef struct box {
    float low[3], high[3];
} box;

/* A slot that holds the box whatever its rounding. */
static void set_slot(hf_sample_node* node, int slot, const box* b) {
    for (int k = 0; k < 3; k++) {
        float center = 0.5f * b->low[k] + 0.5f * b->high[k];
        float half = fmaxf(b->high[k] - center, center - b->low[k]);
        node->center[k][slot] = center;
        node->half[k][slot] = nextafterf(half, INFINITY);
    }
}

static void clear_slot(hf_sample_node* node, int slot) {
    for (int k = 0; k < 3; k++) node->center[k][slot] = 0, node->half[k][slot] = HF_SAMPLE_EMPTY;
}

static box box_of_points(const float* points) {
    box b;
    for (int k = 0; k < 3; k++) {
        b.low[k] = b.high[k] = points[k * 8];
        for (int i = 1; i < 8; i++) {
            float x = points[k * 8 + i];
            b.low[k] = x < b.low[k] ? x : b.low[k];
            b.high[k] = x > b.high[k] ? x : b.high[k];
        }
    }
    return b;
}

/* Around the slots that are in use; they are the first ones. */
static box box_of_node(const hf_sample_node* node) {
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int s = 0; s < 8 && node->half[0][s] >= 0; s++)
        for (int k = 0; k < 3; k++) {
            b.low[k] = fminf(b.low[k], nextafterf(node->center[k][s] - node->half[k][s], -INFINITY));
            b.high[k] = fmaxf(b.high[k], nextafterf(node->center[k][s] + node->half[k][s], INFINITY));
        }
    return b;
}

void hf_sample_index_fill(hf_sample_block* block) {
    hf_sample_node* nodes = (hf_sample_node*)hf_sample_nodes(block);
    const float* points = hf_sample_points(block);
    for (uint32_t level = 0; level < block->level_count; level++) {
        hf_sample_node* out = nodes + block->level_first[level];
        uint32_t count = block->level_first[level + 1] - block->level_first[level];
        const hf_sample_node* below = level ? nodes + block->level_first[level - 1] : NULL;
        uint32_t items =
            level ? block->level_first[level] - block->level_first[level - 1] : block->block_count;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t s = 0; s < 8; s++) {
                uint32_t item = i * 8 + s;
                if (item >= items) {
                    clear_slot(&out[i], (int)s);
                    continue;
                }
                box b = level ? box_of_node(&below[item]) : box_of_points(points + (size_t)item * 24);
                set_slot(&out[i], (int)s, &b);
            }
    }
}
