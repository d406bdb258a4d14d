/* The dense poses of an answer along straight ways. */
#include "space/root_path.h"
#include "base/rounding.h"

#include "base/memory.h"

static bool same_pose(const hf_transform* a, const hf_transform* b) {
    return hf_distance(a->position, b->position) < HF_ROUNDING &&
           hf_quat_angle(a->rotation, b->rotation) < HF_ROUNDING;
}

hf_status hf_guide_path_add(hf_guide_path* path, const hf_transform* root) {
    if (path->pose_count && same_pose(&path->poses[path->pose_count - 1], root)) return HF_OK;
    if (!HF_GROW(path->poses, path->pose_capacity, path->pose_count)) return HF_ERROR_MEMORY;
    path->poses[path->pose_count++] = *root;
    return HF_OK;
}

hf_status hf_root_path_emit(const hf_root_space* space, const hf_root_path* path, hf_guide_path* out) {
    hf_status status = path->count ? hf_guide_path_add(out, &path->corners[0]) : HF_OK;
    for (int i = 1; i < path->count && status == HF_OK; i++) {
        const hf_transform *a = &path->corners[i - 1], *b = &path->corners[i];
        int steps = hf_root_steps(space, a, b);
        for (int k = 1; k <= steps && status == HF_OK; k++) {
            hf_transform at = k == steps ? *b : hf_root_between(a, b, (double)k / steps);
            status = hf_guide_path_add(out, &at);
        }
    }
    return status;
}
