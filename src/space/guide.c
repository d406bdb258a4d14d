/* The public way to a guide path: check, leave bad ends, search, smooth. */
#include "base/error.h"
#include "base/rounding.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "space/roadmap.h"
#include "space/root_path.h"
#include "space/root_search.h"
#include "space/space_shortcut.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    LEAVE_TRIES = 400,
    LEAVE_RING = 40, /* tries at the same distance: the nearest of a ring is taken, and rings grow */
    LEAVE_STREAM = 0x1eaf,
};
/* Poses that the trees may test before a roadmap is asked: as many as joining two ends to it tests. */
enum { EASY_TESTS = 300 };
static const double LEAVE_FAR = 1.5; /* how far from a bad end, in radii of the trunk */

#define FIELD(name) offsetof(hf_guide_options, name)
static const hf_option guide_items[] = {
    HF_ROOT_SPACE_OPTIONS(FIELD),
    {"max_samples", HF_OPTION_COUNT, FIELD(max_samples), 1, 1e8, 20000, "", "poses drawn before giving up"},
    {"max_tests", HF_OPTION_COUNT, FIELD(max_tests), 1, 2e9, 2e6, "", "poses tested before giving up"},
    {"smooth", HF_OPTION_FLAG, FIELD(smooth), 0, 1, 1, "", "prune, spline and shortcuts"},
    {"shortcuts", HF_OPTION_COUNT, FIELD(shortcuts), 0, 1e5, 60, "",
     "tries to shorten the path, and again its spline"},
    {"seed", HF_OPTION_SEED, FIELD(seed), 0, 9007199254740992.0, 1, "", "of what is drawn"},
};

HF_OPTIONS(hf_guide, guide_items)

/* ---- words ---- */

const char* hf_guide_fault_text(hf_guide_fault fault) {
    static const char* const texts[] = {"fine",
                                        "outside the bounds of the search",
                                        "tilted too far",
                                        "the trunk is not free",
                                        "too few limbs reach a surface",
                                        "barred"};
    return (size_t)fault < sizeof texts / sizeof *texts ? texts[fault] : "unknown";
}

const char* hf_guide_stop_text(hf_guide_stop stop) {
    static const char* const texts[] = {"reached",       "the start is not free", "the goal is not free",
                                        "no path found", "tests spent",           "stopped"};
    return (size_t)stop < sizeof texts / sizeof *texts ? texts[stop] : "unknown";
}

/* ---- paths ---- */

void hf_guide_path_free(hf_guide_path* path) {
    if (!path) return;
    hf_free(path->poses);
    memset(path, 0, sizeof *path);
}

uint64_t hf_guide_path_hash(const hf_guide_path* path) {
    uint64_t h = HF_HASH_START;
    const int64_t numbers[] = {path->outcome,    path->stop,        path->pose_count, path->smoothed,
                               path->by_roadmap, path->start_fault, path->goal_fault, path->start_poses,
                               path->goal_poses, path->samples,     path->tests,      path->nodes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = hf_hash_int(h, numbers[i]);
    h = hf_hash_transform(h, &path->start_side);
    h = hf_hash_transform(h, &path->goal_side);
    for (int i = 0; i < path->pose_count; i++) h = hf_hash_transform(h, &path->poses[i]);
    return hf_hash_double(h, path->gap);
}

/* ---- ends ---- */

/* Is the trunk as it is free on the straight way, but for overlaps that contacts may have? */
static bool core_straight(hf_root_space* space, const hf_transform* a, const hf_transform* b) {
    int steps = hf_root_steps(space, a, b);
    for (int i = 1; i < steps; i++) {
        hf_transform at = hf_root_between(a, b, (double)i / steps);
        if (!hf_root_core_free(space, &at)) return false;
    }
    return true;
}

/* Finds a pose near a bad end where the condition holds and to which the trunk as it is can go straight: at a
   seat there is no room for the enlarged trunk of the guide model. Of the poses found within one distance the
   nearest is taken. */
static bool leave(hf_root_space* space, const hf_transform* end, uint64_t seed, hf_transform* pose) {
    if (!hf_root_core_free(space, end)) return false;
    bool found = false;
    for (int i = 0; i < LEAVE_TRIES; i++) {
        hf_random random = hf_random_start(seed, LEAVE_STREAM, (uint64_t)i);
        double far = LEAVE_FAR * space->model->radius * (i / LEAVE_RING + 1) / (LEAVE_TRIES / LEAVE_RING);
        hf_transform here;
        if (hf_root_sample_near(space, &random, end, far, &here) && core_straight(space, end, &here) &&
            (!found || hf_root_distance(space, end, &here) < hf_root_distance(space, end, pose)))
            *pose = here, found = true;
        if (found && i % LEAVE_RING == LEAVE_RING - 1) break;
    }
    return found;
}

typedef struct query {
    hf_root_space space;
    hf_root_search search;
    hf_guide_surfaces surfaces;
    const hf_guide_options* options;
    hf_workspace* workspace;
    hf_transform start, goal;  /* as asked for */
    hf_transform inner[2];     /* where the condition holds */
    const hf_roadmap* roadmap; /* may be NULL */
    bool ridden;               /* along the guide that the roadmap keeps: it needs no smoothing */
    hf_guide_path* out;
} query;

static void stop_at(query* q, hf_outcome outcome, hf_guide_stop stop) {
    q->out->outcome = outcome, q->out->stop = stop;
}

/* Finds inner[] for both ends; false with the answer's stop set when one of them is hopeless. */
static bool prepare_ends(query* q) {
    hf_guide_path* out = q->out;
    out->start_fault = hf_root_test(&q->space, &q->start);
    out->goal_fault = hf_root_test(&q->space, &q->goal);
    q->inner[0] = q->start, q->inner[1] = q->goal;
    out->start_side = q->start, out->goal_side = q->goal;
    out->gap = hf_root_distance(&q->space, &q->start, &q->goal);
    if (out->start_fault != HF_GUIDE_FINE && !leave(&q->space, &q->start, q->options->seed, &q->inner[0])) {
        stop_at(q, HF_INFEASIBLE, HF_GUIDE_BAD_START);
        return false;
    }
    if (out->goal_fault != HF_GUIDE_FINE && !leave(&q->space, &q->goal, q->options->seed, &q->inner[1])) {
        stop_at(q, HF_INFEASIBLE, HF_GUIDE_BAD_GOAL);
        return false;
    }
    return true;
}

/* ---- the query ---- */

/* A straight way at an end, under the weaker condition. */
static hf_status emit_end(query* q, const hf_transform* from, const hf_transform* to, int* count) {
    hf_transform ends[2] = {*from, *to};
    hf_root_path way = {.corners = ends, .count = 2};
    int before = q->out->pose_count;
    hf_status status = hf_root_path_emit(&q->space, &way, q->out);
    *count = q->out->pose_count - before;
    return status;
}

/* Takes the detours that the trees or the roadmap left out of the corners. */
static hf_status shorten(query* q, hf_space_rows* corners) {
    hf_space space = hf_root_search_space(&q->search);
    hf_status status = hf_space_path_prune(&space, corners, false);
    if (status == HF_OK)
        status = hf_space_path_shorten(&space, corners, q->options->seed, q->options->shortcuts);
    return status == HF_OK ? hf_space_path_prune(&space, corners, false) : status;
}

static double length_of(const hf_guide_path* path) {
    double length = 0;
    for (int i = 1; i < path->pose_count; i++)
        length += hf_distance(path->poses[i - 1].position, path->poses[i].position);
    return length;
}

/* Corners become poses. */
static hf_status write_path(query* q, hf_space_rows* corners) {
    hf_guide_path* out = q->out;
    bool found = out->stop == HF_GUIDE_REACHED;
    hf_status status = HF_OK;
    out->pose_count = 0;
    if (out->start_fault != HF_GUIDE_FINE) {
        status = emit_end(q, &q->start, &q->inner[0], &out->start_poses);
        if (out->start_poses > 0) out->start_poses--; // the last one holds
    }
    bool smooth = found && q->options->smooth && !q->ridden;
    if (status == HF_OK && smooth) status = shorten(q, corners);
    hf_root_path path = {hf_root_of(corners->values), corners->count};
    if (status == HF_OK && smooth)
        status = hf_root_path_spline(&q->space, &path, q->options, q->workspace, out, &out->smoothed);
    if (status == HF_OK && !out->smoothed) status = hf_root_path_emit(&q->space, &path, out);
    if (status == HF_OK && found && out->goal_fault != HF_GUIDE_FINE)
        status = emit_end(q, &q->inner[1], &q->goal, &out->goal_poses);
    out->length_m = length_of(out);
    return status;
}

static hf_outcome outcome_of(hf_guide_stop stop) {
    static const hf_outcome outcomes[] = {
        [HF_GUIDE_REACHED] = HF_FOUND,       [HF_GUIDE_BAD_START] = HF_INFEASIBLE,
        [HF_GUIDE_BAD_GOAL] = HF_INFEASIBLE, [HF_GUIDE_NO_PATH] = HF_NONE,
        [HF_GUIDE_TESTS_SPENT] = HF_BUDGET,  [HF_GUIDE_STOPPED] = HF_CANCELLED};
    return outcomes[stop];
}

/* Searches with the trees until `max_tests` poses were tested in all. */
static hf_status search_trees(query* q, int64_t max_tests, hf_space_rows* corners) {
    q->search.max_tests = max_tests < q->options->max_tests ? max_tests : q->options->max_tests;
    corners->count = 0;
    hf_status status = hf_root_search_trees(&q->search, &q->inner[0], &q->inner[1], corners, q->out);
    q->search.max_tests = q->options->max_tests;
    return status;
}

/* Easy ways are found by the trees before start and goal could be joined to a roadmap; the roadmap, if there
   is one, leads where that takes longer, and the trees go on where the roadmap does not lead. */
static hf_status search(query* q, hf_space_rows* corners) {
    if (!q->roadmap) return search_trees(q, q->options->max_tests, corners);
    hf_status status =
        hf_roadmap_ride(q->roadmap, &q->search, &q->inner[0], &q->inner[1], corners, &q->ridden);
    if (status == HF_OK && q->ridden)
        q->out->by_roadmap = true, q->out->stop = HF_GUIDE_REACHED, q->out->gap = 0;
    if (status != HF_OK || q->ridden) return status;
    status = search_trees(q, q->space.tests + EASY_TESTS, corners);
    if (status != HF_OK || q->out->stop != HF_GUIDE_TESTS_SPENT) return status;
    bool found = false;
    corners->count = 0;
    status = hf_roadmap_search(q->roadmap, &q->search, &q->inner[0], &q->inner[1], corners, q->out, &found);
    return status != HF_OK || found ? status : search_trees(q, q->options->max_tests, corners);
}

static hf_status run(query* q) {
    hf_space_rows corners = hf_space_rows_start(HF_ROOT_WIDTH, q->workspace);
    if (prepare_ends(q)) {
        hf_status status = search(q, &corners);
        if (status == HF_OK) status = write_path(q, &corners);
        if (status != HF_OK) return status;
        q->out->outcome = outcome_of(q->out->stop);
    }
    if (hf_root_stopped(&q->space)) stop_at(q, HF_CANCELLED, HF_GUIDE_STOPPED);
    q->out->tests = q->space.tests;
    return HF_OK;
}

static bool is_pose(const hf_transform* t) {
    const double n[7] = {t->position.x, t->position.y, t->position.z, t->rotation.w,
                         t->rotation.x, t->rotation.y, t->rotation.z};
    double square = 0;
    for (int i = 0; i < 7; i++) {
        if (!isfinite(n[i]) || fabs(n[i]) > HF_FARTHEST_M) return false;
        if (i >= 3) square += n[i] * n[i];
    }
    return square > HF_NEGLIGIBLE_SQUARE;
}

static void reset(hf_guide_path* path) {
    hf_guide_path kept = {.poses = path->poses, .pose_capacity = path->pose_capacity};
    *path = kept;
}

static hf_status find(const hf_roadmap* roadmap, const hf_guide_model* model, const hf_placement* placement,
                      hf_transform start, hf_transform goal, const hf_guide_options* options,
                      hf_workspace* workspace, hf_guide_path* path) {
    reset(path);
    hf_status status = hf_options_check(hf_guide_option_table(), options, NULL);
    if (status == HF_OK && (!is_pose(&start) || !is_pose(&goal))) status = HF_ERROR_ARGUMENT;
    if (status != HF_OK) return status;
    start.rotation = hf_quat_normalize(start.rotation);
    goal.rotation = hf_quat_normalize(goal.rotation);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    query* q = hf_workspace_take(workspace, 1, sizeof *q);
    if (q) {
        memset(q, 0, sizeof *q);
        q->options = options, q->workspace = workspace, q->start = start, q->goal = goal, q->out = path;
        q->roadmap = roadmap;
        q->search = (hf_root_search){
            .space = &q->space, .seed = options->seed, .max_tests = options->max_tests, .options = options};
        status = hf_guide_surfaces_fill(&q->surfaces, model, placement, workspace);
    } else {
        status = HF_ERROR_MEMORY;
    }
    if (status == HF_OK) {
        hf_root_space_start(&q->space, model, placement, &q->surfaces, options);
        hf_root_space_bound(&q->space, (hf_transform[]){start, goal}, 2, options->margin_m);
        hf_root_space_head(&q->space, &start, &goal);
        if (roadmap)
            q->space.step_m = roadmap->block->step * model->radius, q->space.metric = roadmap->block->metric;
        bool far = hf_root_sweep(&q->space, &start, &goal) > HF_ROOT_MAX_STEPS * q->space.step_m;
        status = far ? HF_ERROR_LIMIT : run(q);
    }
    hf_workspace_end(workspace, mark);
    if (status != HF_OK) reset(path);
    return status;
}

hf_status hf_guide_find(const hf_guide_model* model, const hf_placement* placement, hf_transform start,
                        hf_transform goal, const hf_guide_options* options, hf_workspace* workspace,
                        hf_guide_path* path) {
    HF_REQUIRE(NULL, model && placement && options && workspace && path);
    return find(NULL, model, placement, start, goal, options, workspace, path);
}

hf_status hf_guide_find_on(const hf_roadmap* roadmap, const hf_guide_model* model,
                           const hf_placement* placement, hf_transform start, hf_transform goal,
                           const hf_guide_options* options, hf_workspace* workspace, hf_guide_path* path) {
    HF_REQUIRE(NULL, roadmap && model && placement && options && workspace && path);
    hf_status status = hf_roadmap_fits(roadmap, model, placement, NULL);
    if (status != HF_OK) {
        reset(path);
        return status;
    }
    return find(roadmap, model, placement, start, goal, options, workspace, path);
}
