/* What keeps each part of a motion from being quicker: the share of every kind of limit that its frames use.
 */
#include "base/error.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "refine/stance_list.h"
#include "refine/time_scaling.h"

#include <holdfast/refine.h>

#include <math.h>
#include <string.h>

const char* hf_refine_limit_text(hf_refine_limit limit) {
    static const char* const texts[] = {
        "joint speed", "joint acceleration", "root speed", "root acceleration", "effort", "contact wrench"};
    return (size_t)limit < sizeof texts / sizeof *texts ? texts[limit] : "unknown";
}

/* Adds a frame that lasts `step_s` to what binds its part. */
static void add_frame(const double used[HF_REFINE_LIMITS], double step_s, hf_refine_bound* bound) {
    int most = 0;
    for (int i = 0; i < HF_REFINE_LIMITS; i++) {
        bound->most[i] = fmax(bound->most[i], used[i]);
        if (used[i] > used[most]) most = i;
    }
    if (used[most] > HF_REFINE_BINDS) bound->bound_s[most] += step_s;
}

/* The frames of a schedule as a path in time, with the stances of its parts. */
static hf_status lay_path(const hf_creature* creature, const hf_schedule* s, const hf_stance_list* list,
                          const hf_parts* parts, hf_workspace* w, hf_scaling_path* path) {
    size_t n = (size_t)s->knot_count, q = (size_t)s->q_count, limbs = (size_t)list->limb_count;
    hf_transform* roots = hf_workspace_take(w, n, sizeof *roots);
    double* values = hf_workspace_take(w, n * q + 1, sizeof *values);
    const hf_stance** stances = hf_workspace_take(w, n, sizeof *stances);
    uint8_t* held = hf_workspace_take(w, n * limbs + 1, 1);
    if (!roots || !values || !stances || !held) return HF_ERROR_MEMORY;
    *path = (hf_scaling_path){.creature = creature,
                              .count = s->knot_count,
                              .step = s->knots[s->knot_count - 1].time_s / (s->knot_count - 1),
                              .roots = roots,
                              .q = values,
                              .stances = stances,
                              .held = held};
    for (size_t i = 0; i < n; i++) {
        int p = hf_stance_list_at(list, parts, s->knots[i].time_s, 0);
        roots[i] = s->knots[i].root;
        memcpy(values + i * q, s->knots[i].q, sizeof(double) * q);
        stances[i] = list->stances[p];
        memcpy(held + i * limbs, list->limbs + (size_t)p * limbs, limbs);
    }
    return HF_OK;
}

static hf_status measure(const hf_scaling_path* path, const hf_parts* parts, int capacity, hf_workspace* w,
                         hf_refine_bound* bounds) {
    hf_status status = HF_OK;
    for (int i = 0; i < parts->count && i < capacity; i++)
        bounds[i] = (hf_refine_bound){.from_s = parts->items[i].from_s, .to_s = parts->items[i].to_s};
    for (int k = 0; k < path->count && status == HF_OK; k++) {
        double used[HF_REFINE_LIMITS];
        int p = hf_parts_at(parts, k * path->step);
        status = hf_scaling_bounds(path, k, w, used);
        if (status == HF_OK && p < capacity) add_frame(used, path->step, &bounds[p]);
    }
    return status;
}

hf_status hf_refine_bounds(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                           hf_workspace* workspace, int capacity, hf_refine_bound* bounds, int* count) {
    HF_REQUIRE(NULL, creature && schedule && workspace && count && (bounds || capacity == 0));
    *count = 0;
    hf_status status = hf_schedule_validate(schedule, creature, scene, NULL);
    if (status != HF_OK || schedule->knot_count < 2) return status;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_placement* placement = NULL;
    hf_pose_spline spline;
    hf_parts parts;
    hf_stance_list list = {0};
    hf_scaling_path path;
    status = hf_placement_create(scene, &placement);
    if (status == HF_OK) status = hf_pose_spline_of(creature, schedule, workspace, &spline);
    if (status == HF_OK) status = hf_parts_make(schedule, workspace, &parts);
    if (status == HF_OK)
        status = hf_stance_list_make(creature, placement, schedule, &spline, &parts, workspace, &list);
    if (status == HF_OK) status = lay_path(creature, schedule, &list, &parts, workspace, &path);
    if (status == HF_OK) status = measure(&path, &parts, capacity, workspace, bounds);
    if (status == HF_OK) *count = parts.count;
    if (list.store) hf_stance_list_free(&list);
    hf_placement_free(placement);
    hf_workspace_end(workspace, mark);
    return status;
}
