/* The knots of all stances that the search has found. */
#include "plan/plan_tree.h"

#include "base/memory.h"

#include <string.h>

void hf_knots_free(hf_knot_store* k) {
    hf_free(k->items);
    hf_free(k->q);
    memset(k, 0, sizeof *k);
}

static bool make_room(hf_knot_store* k) {
    if (!HF_GROW(k->items, k->capacity, k->count)) return false;
    if (k->q_capacity >= k->capacity) return true;
    double* q = hf_resize(k->q, (size_t)k->capacity * (size_t)k->q_count + 1, sizeof *q);
    if (!q) return false;
    k->q = q;
    k->q_capacity = k->capacity;
    return true;
}

hf_status hf_knots_add(hf_knot_store* k, const hf_pose* pose, int node, int swing) {
    if (!make_room(k)) return HF_ERROR_MEMORY;
    k->items[k->count] = (hf_plan_knot){pose->root, node, swing};
    memcpy(k->q + (size_t)k->count * (size_t)k->q_count, pose->q, sizeof(double) * (size_t)k->q_count);
    k->count++;
    return HF_OK;
}

hf_pose hf_knots_pose(const hf_knot_store* k, int knot) {
    return (hf_pose){k->items[knot].root, k->q + (size_t)knot * (size_t)k->q_count};
}
