/* Corners of a root path: pruning (thesis-2015 Algorithm 6) and the dense poses of an answer. */
#include "plan/root_path.h"

#include "base/memory.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

bool hf_root_path_add(hf_root_path* path, const hf_transform* corner, hf_workspace* workspace) {
    if (path->count == path->capacity) {
        int more = path->capacity ? 2 * path->capacity : 64;
        hf_transform* corners = hf_workspace_take(workspace, (size_t)more, sizeof *corners);
        if (!corners) return false;
        if (path->count) memcpy(corners, path->corners, sizeof *corners * (size_t)path->count);
        path->corners = corners, path->capacity = more;
    }
    path->corners[path->count++] = *corner;
    return true;
}

void hf_root_path_prune(hf_root_space* space, hf_root_path* path, int64_t max_tests) {
    hf_transform* c = path->corners;
    for (int i = 0; i + 2 < path->count; i++)
        for (int j = path->count - 1; j >= i + 2 && space->tests < max_tests; j--) {
            if (!hf_root_straight(space, &c[i], &c[j])) continue;
            memmove(&c[i + 1], &c[j], sizeof *c * (size_t)(path->count - j));
            path->count -= j - i - 1;
            break;
        }
}

static bool same_pose(const hf_transform* a, const hf_transform* b) {
    return hf_distance(a->position, b->position) < 1e-9 && hf_quat_angle(a->rotation, b->rotation) < 1e-9;
}

hf_status hf_guide_path_add(hf_guide_path* path, const hf_transform* root) {
    if (path->pose_count && same_pose(&path->poses[path->pose_count - 1].root, root)) return HF_OK;
    if (!HF_GROW(path->poses, path->pose_capacity, path->pose_count)) return HF_ERROR_MEMORY;
    path->poses[path->pose_count++] = (hf_guide_pose){0, *root};
    return HF_OK;
}

hf_status hf_root_path_emit(const hf_root_space* space, const hf_root_path* path, hf_guide_path* out) {
    hf_status status = path->count ? hf_guide_path_add(out, &path->corners[0]) : HF_OK;
    for (int i = 1; i < path->count && status == HF_OK; i++) {
        const hf_transform *a = &path->corners[i - 1], *b = &path->corners[i];
        // at least one pose between, so that there is time to speed up and slow down
        int steps = (int)fmax(2, ceil(hf_root_sweep(space, a, b) / space->step_m));
        for (int k = 1; k <= steps && status == HF_OK; k++) {
            hf_transform at = k == steps ? *b : hf_root_between(a, b, (double)k / steps);
            status = hf_guide_path_add(out, &at);
        }
    }
    return status;
}
