/* Triangles of an object in blocks of neighbours, each with its box: what looks for triangles near a place
   passes over whole blocks. One list of blocks and no tree, so that a mistake has little room. */
#include "check/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 }; /* triangles at most: boxes of a block and triangles in it cost about the same to pass */

/* A triangle with its middle's coordinate along the axis that is split. */
typedef struct entry {
    double at;
    int order; /* in the mesh, so that equal ones keep theirs */
    double corners[9];
} entry;

static int by_coordinate(const void* a, const void* b) {
    const entry *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->order - y->order;
}

static double middle(const entry* e, int axis) {
    return e->corners[axis] + e->corners[3 + axis] + e->corners[6 + axis];
}

static int longest_axis(const entry* entries, int count) {
    double width[3];
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int t = 0; t < count; t++) {
            double m = middle(&entries[t], i);
            low = m < low ? m : low, high = m > high ? m : high;
        }
        width[i] = high - low;
    }
    int axis = width[1] > width[0];
    return width[2] > width[axis] ? 2 : axis;
}

/* Orders the triangles so that those of a block are neighbours: in halves along the longest side, each half a
   whole number of blocks. */
static void arrange(entry* entries, int count) {
    if (count <= BLOCK) return;
    int axis = longest_axis(entries, count);
    for (int t = 0; t < count; t++) entries[t].at = middle(&entries[t], axis);
    qsort(entries, (size_t)count, sizeof *entries, by_coordinate);
    int half = (count / 2 + BLOCK - 1) / BLOCK * BLOCK;
    arrange(entries, half);
    arrange(entries + half, count - half);
}

static void measure(check_block* block, const double* triangles) {
    for (int i = 0; i < 3; i++) block->low[i] = INFINITY, block->high[i] = -INFINITY;
    for (int k = 0; k < 9 * block->count; k++) {
        double x = triangles[9 * block->first + k];
        block->low[k % 3] = x < block->low[k % 3] ? x : block->low[k % 3];
        block->high[k % 3] = x > block->high[k % 3] ? x : block->high[k % 3];
    }
}

static void divide(check_object* o, check_piece* piece, entry* entries) {
    double* triangles = o->triangles + 9 * (size_t)piece->first;
    for (int t = 0; t < piece->count; t++) {
        entries[t].order = t;
        memcpy(entries[t].corners, triangles + 9 * t, sizeof entries[t].corners);
    }
    arrange(entries, piece->count);
    for (int t = 0; t < piece->count; t++)
        memcpy(triangles + 9 * t, entries[t].corners, sizeof entries[t].corners);
    piece->first_block = o->block_count;
    for (int t = 0; t < piece->count; t += BLOCK) {
        check_block* b = &o->blocks[o->block_count++];
        *b = (check_block){.first = piece->first + t,
                           .count = piece->count - t < BLOCK ? piece->count - t : BLOCK};
        measure(b, o->triangles);
    }
    piece->block_count = o->block_count - piece->first_block;
}

bool check_blocks_build(check_object* o) {
    entry* entries = hf_alloc((size_t)o->triangle_count + 1, sizeof *entries);
    o->blocks = hf_alloc((size_t)(o->triangle_count / BLOCK + o->piece_count) + 1, sizeof *o->blocks);
    bool good = entries && o->blocks;
    for (int p = 0; good && p < o->piece_count; p++) divide(o, &o->pieces[p], entries);
    hf_free(entries);
    return good;
}

/* ---- walks ---- */

check_walk check_walk_start(const check_object* o, const check_piece* piece, const double low[3],
                            const double high[3]) {
    check_walk w = {.object = o, .block = 0, .end = o->block_count};
    if (piece) w.block = piece->first_block, w.end = piece->first_block + piece->block_count;
    memcpy(w.low, low, sizeof w.low);
    memcpy(w.high, high, sizeof w.high);
    return w;
}

static bool block_meets(const check_walk* w, const check_block* b) {
    for (int i = 0; i < 3; i++)
        if (w->low[i] > b->high[i] || w->high[i] < b->low[i]) return false;
    return true;
}

static bool triangle_meets(const check_walk* w, const double tri[9]) {
    for (int i = 0; i < 3; i++) {
        if (tri[i] < w->low[i] && tri[3 + i] < w->low[i] && tri[6 + i] < w->low[i]) return false;
        if (tri[i] > w->high[i] && tri[3 + i] > w->high[i] && tri[6 + i] > w->high[i]) return false;
    }
    return true;
}

const double* check_walk_next(check_walk* w) {
    for (; w->block < w->end; w->block++, w->next = 0) {
        const check_block* b = &w->object->blocks[w->block];
        if (w->next == 0 && !block_meets(w, b)) continue;
        while (w->next < b->count) {
            const double* tri = w->object->triangles + 9 * (size_t)(b->first + w->next++);
            if (triangle_meets(w, tri)) return tri;
        }
    }
    return NULL;
}

/* ---- the nearest triangle ---- */

static double box_distance(const check_block* b, const double p[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double off = p[i] < b->low[i] ? b->low[i] - p[i] : p[i] > b->high[i] ? p[i] - b->high[i] : 0;
        sum += off * off;
    }
    return sqrt(sum);
}

double check_object_distance(const check_object* o, const double p[3]) {
    double best = INFINITY, nearest[3];
    for (int k = 0; k < o->block_count; k++) {
        const check_block* b = &o->blocks[k];
        if (box_distance(b, p) > best) continue;
        for (int t = 0; t < b->count; t++)
            best = fmin(best, check_point_triangle(p, o->triangles + 9 * (size_t)(b->first + t), nearest));
    }
    return best;
}
