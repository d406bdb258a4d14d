/* Postures and ways that a caller asks for where a creature stands: what a game looks ahead with, and what
   other planners are compared by. */
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "reach/transfer.h"
#include "space/roadmap_file.h"

#include <math.h>
#include <string.h>

/* hf_reach_schedule is NULL while there is work, and there are no nodes before the roadmap is made. */
static hf_status is_ready(const hf_reacher* r) {
    return hf_reach_schedule(r) && hf_space_graph_count(&r->roadmap->graph) ? HF_OK : HF_ERROR_ARGUMENT;
}

void hf_reach_path_free(hf_reach_path* path) {
    if (!path) return;
    hf_free(path->controls);
    *path = (hf_reach_path){0};
}

hf_status hf_reach_test(hf_reacher* reacher, const double controls[HF_CONTROL_COUNT], bool* valid) {
    HF_REQUIRE(NULL, reacher && controls && valid);
    hf_status status = is_ready(reacher);
    *valid = status == HF_OK && hf_reach_valid(reacher->stage.worker, controls);
    return status;
}

hf_status hf_reach_move(hf_reacher* r, int object, hf_transform pose, hf_error* error) {
    HF_REQUIRE(error, r);
    const char* path = r->scenario->path;
    if (object < 0 || object >= hf_scene_object_count(r->scenario->scene))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "object", "%d is not in the scene", object);
    if (!hf_pose_is_placed(&pose))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "pose", "has no finite place and unit quaternion");
    // the thread of the work changes what hands carry
    if (is_ready(r) != HF_OK)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "move", "the work before is not done");
    if (hf_reach_load_of(r, object) || hf_reach_rides(&r->world, object) ||
        hf_scene_object(r->scenario->scene, object).key_count)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, "object", "is moved by a hand or by its keys");
    hf_placement_move(r->world.placement, object, pose);
    r->world.changed = true;
    // the roadmap is made for the stand on the feet alone: the next action lets it learn
    return r->lean.on ? HF_OK : hf_fail_status(error, hf_reach_follow_scene(r), path);
}

/* Full states of two postures. */
static hf_status fill(hf_reacher* r, const double* from, const double* to, double* a, double* b) {
    hf_status status = is_ready(r);
    if (status != HF_OK) return status;
    hf_reach_state(r->stage.worker, from, a);
    hf_reach_state(r->stage.worker, to, b);
    return HF_OK;
}

hf_status hf_reach_test_move(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                             const double to[HF_CONTROL_COUNT], bool* valid) {
    HF_REQUIRE(NULL, reacher && from && to && valid);
    double a[HF_REACH_WIDTH], b[HF_REACH_WIDTH];
    hf_status status = fill(reacher, from, to, a, b);
    hf_space space = hf_reach_space(reacher->stage.worker);
    *valid = false;
    if (status != HF_OK) return status;
    reacher->stage.worker->unswept = true;
    status = space.passes(space.user, a, b, valid);
    reacher->stage.worker->unswept = false;
    return status;
}

hf_status hf_reach_distance(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                            const double to[HF_CONTROL_COUNT], double* distance_m) {
    HF_REQUIRE(NULL, reacher && from && to && distance_m);
    double a[HF_REACH_WIDTH], b[HF_REACH_WIDTH];
    hf_status status = fill(reacher, from, to, a, b);
    hf_space space = hf_reach_space(reacher->stage.worker);
    *distance_m = status == HF_OK ? space.distance(space.user, a, b, INFINITY) : 0;
    return status;
}

hf_status hf_reach_sample(hf_reacher* reacher, int64_t number, double controls[HF_CONTROL_COUNT],
                          bool* drawn) {
    HF_REQUIRE(NULL, reacher && controls && drawn);
    double state[HF_REACH_WIDTH] = {0};
    hf_status status = is_ready(reacher);
    *drawn = false;
    if (status == HF_OK) status = hf_reach_draw(reacher->stage.worker, number, state, drawn);
    memcpy(controls, state, sizeof(double) * HF_CONTROL_COUNT);
    return status;
}

hf_status hf_reach_hand(hf_reacher* reacher, const double controls[HF_CONTROL_COUNT], hf_side side,
                        hf_target* target) {
    HF_REQUIRE(NULL, reacher && controls && target);
    double state[HF_REACH_WIDTH];
    hf_status status = is_ready(reacher);
    if (status != HF_OK) return status;
    hf_reach_state(reacher->stage.worker, controls, state);
    int arm = reacher->layer->arms[side];
    const hf_limb* limb = &reacher->world.creature->view.limbs[arm];
    const hf_contact_frame* f = limb->contact_count ? &limb->contacts[0] : NULL;
    hf_transform link = reacher->stage.worker->links[f ? f->link : limb->effector_link];
    *target = (hf_target){.kind = HF_TARGET_POSE,
                          .limb = arm,
                          .contact = f ? 0 : -1,
                          .point = f ? hf_apply(link, f->offset) : link.position,
                          .rotation = link.rotation};
    return HF_OK;
}

hf_status hf_reach_solve(hf_reacher* reacher, const hf_target* target, uint64_t seed,
                         double controls[HF_CONTROL_COUNT], bool* found) {
    HF_REQUIRE(NULL, reacher && target && controls && found);
    *found = false;
    if (target->limb != reacher->layer->arms[0] && target->limb != reacher->layer->arms[1])
        return HF_ERROR_ARGUMENT;
    hf_hand_task task = {.count = 1, .targets = {*target}, .tries = reacher->options->tries};
    hf_hand_answer answer = {0};
    hf_status status = is_ready(reacher);
    if (status == HF_OK)
        status = hf_hand_solve(reacher->roadmap, reacher->stage.worker, &task, reacher->stage.state, seed,
                               &answer);
    *found = status == HF_OK && answer.found;
    if (*found) memcpy(controls, answer.state, sizeof(double) * HF_CONTROL_COUNT);
    return status;
}

/* ---- ways ---- */

static hf_status give(hf_reach_worker* w, const hf_space_rows* way, hf_reach_path* path) {
    hf_space space = hf_reach_space(w);
    double* controls = hf_alloc((size_t)way->count + 1, sizeof(double) * HF_CONTROL_COUNT);
    if (!controls) return HF_ERROR_MEMORY;
    hf_reach_path_free(path);
    *path = (hf_reach_path){.count = way->count, .controls = controls};
    for (int i = 0; i < way->count; i++) {
        memcpy(controls + (size_t)i * HF_CONTROL_COUNT, hf_space_row(way, i),
               sizeof(double) * HF_CONTROL_COUNT);
        if (i > 0)
            path->length_m +=
                space.distance(space.user, hf_space_row(way, i - 1), hf_space_row(way, i), INFINITY);
    }
    return HF_OK;
}

hf_status hf_reach_path_find(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                             const double to[HF_CONTROL_COUNT], hf_reach_path* path, bool* found) {
    HF_REQUIRE(NULL, reacher && from && to && path && found);
    double a[HF_REACH_WIDTH], b[HF_REACH_WIDTH];
    *path = (hf_reach_path){0};
    *found = false;
    hf_status status = fill(reacher, from, to, a, b);
    if (status != HF_OK) return status;
    hf_workspace_mark mark = hf_workspace_begin(reacher->workspace);
    hf_space_rows way = hf_space_rows_start(HF_REACH_WIDTH, reacher->workspace);
    status = hf_reach_find_way(reacher->roadmap, reacher->stage.worker, -1, a, b, &way, found);
    if (status == HF_OK && *found) status = give(reacher->stage.worker, &way, path);
    hf_workspace_end(reacher->workspace, mark);
    return status;
}

hf_status hf_reach_path_smooth(hf_reacher* reacher, hf_reach_path* path, int rounds) {
    HF_REQUIRE(NULL, reacher && path && path->controls);
    hf_status status = rounds < 0 ? HF_ERROR_ARGUMENT : is_ready(reacher);
    if (status != HF_OK) return status;
    hf_workspace_mark mark = hf_workspace_begin(reacher->workspace);
    hf_space_rows way = hf_space_rows_start(HF_REACH_WIDTH, reacher->workspace);
    for (int i = 0; i < path->count && status == HF_OK; i++) {
        double state[HF_REACH_WIDTH];
        hf_reach_state(reacher->stage.worker, path->controls + (size_t)i * HF_CONTROL_COUNT, state);
        status = hf_space_rows_add(&way, state);
    }
    if (status == HF_OK)
        status = hf_reach_smooth(reacher->stage.worker, &way, rounds, reacher->options->seed);
    if (status == HF_OK) status = give(reacher->stage.worker, &way, path);
    hf_workspace_end(reacher->workspace, mark);
    return status;
}
