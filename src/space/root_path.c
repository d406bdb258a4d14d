/* Corners of a root path: pruning (thesis-2015 Algorithm 6) and the dense poses of an answer. */
#include "space/root_path.h"

#include "base/memory.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { SHORTEN_STREAM = 0x540e7 };

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

/* The corner before a place `length` (by the metric) along the path, and the pose there. */
static int place_at(const hf_root_space* space, const hf_root_path* path, double length, hf_transform* pose) {
    for (int i = 0; i + 1 < path->count; i++) {
        double piece = hf_root_distance(space, &path->corners[i], &path->corners[i + 1]);
        if (length < piece) {
            *pose = hf_root_between(&path->corners[i], &path->corners[i + 1], length / piece);
            return i;
        }
        length -= piece;
    }
    *pose = path->corners[path->count - 1];
    return path->count - 2;
}

/* Puts the straight way from a (behind corner i) to b (behind corner j > i) into the path. */
static bool cut(hf_root_path* path, int i, const hf_transform* a, int j, const hf_transform* b,
                hf_workspace* workspace) {
    // two corners come, j - i go
    int grow = 2 - (j - i);
    for (int k = 0; k < grow; k++)
        if (!hf_root_path_add(path, b, workspace)) return false;
    if (grow > 0) path->count -= grow;
    hf_transform* c = path->corners;
    memmove(&c[i + 3], &c[j + 1], sizeof *c * (size_t)(path->count - j - 1));
    c[i + 1] = *a, c[i + 2] = *b;
    path->count += grow;
    return true;
}

bool hf_root_path_shorten(hf_root_space* space, hf_root_path* path, uint64_t seed, int tries,
                          int64_t max_tests, hf_workspace* workspace) {
    for (int n = 0; n < tries && path->count > 2 && space->tests < max_tests; n++) {
        hf_random random = hf_random_start(seed, SHORTEN_STREAM, (uint64_t)n);
        double length = 0;
        for (int i = 0; i + 1 < path->count; i++)
            length += hf_root_distance(space, &path->corners[i], &path->corners[i + 1]);
        double from = length * hf_random_unit(&random), to = length * hf_random_unit(&random);
        hf_transform a, b;
        int i = place_at(space, path, fmin(from, to), &a), j = place_at(space, path, fmax(from, to), &b);
        if (i >= j || hf_root_distance(space, &a, &b) > fabs(to - from) - 1e-6 * length) continue;
        // both lie on ways that hold, but between the poses that were tested
        if (!hf_root_holds(space, &a) || !hf_root_holds(space, &b)) continue;
        if (!hf_root_straight(space, &a, &b)) continue;
        if (!hf_root_straight(space, &path->corners[i], &a)) continue;
        if (!hf_root_straight(space, &b, &path->corners[j + 1])) continue;
        if (!cut(path, i, &a, j, &b, workspace)) return false;
    }
    return true;
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
        int steps = hf_root_steps(space, a, b);
        if (steps < 2) steps = 2;
        for (int k = 1; k <= steps && status == HF_OK; k++) {
            hf_transform at = k == steps ? *b : hf_root_between(a, b, (double)k / steps);
            status = hf_guide_path_add(out, &at);
        }
    }
    return status;
}
