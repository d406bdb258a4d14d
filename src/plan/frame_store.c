/* The frames of all stances that the search has found. */
#include "plan/planner.h"

#include "base/memory.h"

#include <string.h>

void hf_frames_free(hf_frame_store* f) {
    hf_free(f->frames);
    hf_free(f->q);
    memset(f, 0, sizeof *f);
}

static bool make_room(hf_frame_store* f) {
    if (!HF_GROW(f->frames, f->capacity, f->count)) return false;
    if (f->q_capacity >= f->capacity) return true;
    double* q = hf_resize(f->q, (size_t)f->capacity * (size_t)f->q_count + 1, sizeof *q);
    if (!q) return false;
    f->q = q;
    f->q_capacity = f->capacity;
    return true;
}

bool hf_frames_add(hf_frame_store* f, const hf_pose* pose, int node, int swing) {
    if (!make_room(f)) return false;
    f->frames[f->count] = (hf_plan_frame){pose->root, node, swing};
    memcpy(f->q + (size_t)f->count * (size_t)f->q_count, pose->q, sizeof(double) * (size_t)f->q_count);
    f->count++;
    return true;
}

hf_pose hf_frames_pose(const hf_frame_store* f, int frame) {
    return (hf_pose){f->frames[frame].root, f->q + (size_t)frame * (size_t)f->q_count};
}
