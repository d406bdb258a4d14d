/* Root ways by the common trees: states are root poses, drawn near the opened motion; C_free and C_rep are
   the reachability condition of guides, C_keep asks the reach volumes of the limbs that hold through the
   window. */
#include "adapt/way.h"

#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "space/root_search.h"
#include "space/space_shortcut.h"

#include <math.h>
#include <string.h>

/* How long before and after frames with faults a window may begin and end, s. */
static const double EASE_S = 1, MOST_EASE_S = 4;
/* Draws are at most this share of the trunk's radius from the opened motion, at first and in the end. */
static const double NEAR = 0.2, FAR = 2;
enum { MAX_DRAWS = 400, SHORTCUTS = 40, STREAM = 71 };

typedef struct way_search {
    hf_bend* bend;
    hf_root_space space;
    int first, last; /* frames of the window */
    uint64_t seed;
} way_search;

static double distance(const void* user, const double* a, const double* b, double enough) {
    (void)enough;
    return hf_root_distance(&((const way_search*)user)->space, hf_root_of(a), hf_root_of(b));
}

static void between(const void* user, const double* a, const double* b, double t, double* state) {
    (void)user;
    *(hf_transform*)(void*)state = hf_root_between(hf_root_of(a), hf_root_of(b), t);
}

static bool valid(void* user, const double* state) {
    return hf_root_holds(&((way_search*)user)->space, hf_root_of(state));
}

static hf_status passes(void* user, const double* a, const double* b, bool* good) {
    *good = hf_root_straight(&((way_search*)user)->space, hf_root_of(a), hf_root_of(b));
    return HF_OK;
}

/* Near a root of the opened motion's window, farther the longer the search takes. */
static hf_status draw(void* user, int64_t index, double* state, bool* drawn) {
    way_search* s = user;
    hf_random random = hf_random_start(s->seed, STREAM, (uint64_t)index);
    int frame = s->first + (int)(hf_random_unit(&random) * (s->last - s->first + 1));
    double share = NEAR + (FAR - NEAR) * (double)index / MAX_DRAWS;
    *drawn = hf_root_sample_near(&s->space, &random, &s->bend->roots[frame], share * s->space.model->radius,
                                 (hf_transform*)(void*)state);
    return HF_OK;
}

static hf_status extend(void* user, const double* from, const double* to, int round, double* state,
                        hf_space_step* step) {
    (void)round;
    bool moved, there = hf_root_extend(&((way_search*)user)->space, hf_root_of(from), hf_root_of(to),
                                       (hf_transform*)(void*)state, &moved);
    *step = there ? HF_SPACE_REACHED : moved ? HF_SPACE_ADVANCED : HF_SPACE_TRAPPED;
    return HF_OK;
}

static bool goes_on(void* user, int64_t draws) {
    return draws < MAX_DRAWS && hf_workspace_goes_on(((way_search*)user)->bend->workspace);
}

/* The window of the first group of faults from a frame on: as far out as the condition must hold at its ends.
 */
static bool find_window(way_search* s, const hf_realise_result* faults, int from) {
    const hf_source* source = s->bend->source;
    int ease = (int)(EASE_S * source->schedule->rate), most = (int)(MOST_EASE_S * source->schedule->rate);
    int first = source->frame_count, last = -1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < faults->fault_count; i++) {
            int f = faults->faults[i].frame;
            if (f < from || faults->faults[i].kind == HF_FAULT_SPEED) continue;
            if (last < 0 || (f >= first - 2 * ease && f <= last + 2 * ease && (f < first || f > last))) {
                if (f < first) first = f, more = true;
                if (f > last) last = f, more = true;
            }
        }
    }
    if (last < 0) return false;
    int a = first - ease > 0 ? first - ease : 0,
        b = last + ease < source->frame_count ? last + ease : source->frame_count - 1;
    while (a > 0 && a > first - most && !hf_root_holds(&s->space, &s->bend->roots[a])) a--;
    while (b + 1 < source->frame_count && b < last + most && !hf_root_holds(&s->space, &s->bend->roots[b]))
        b++;
    s->first = a, s->last = b;
    return true;
}

/* The root goes along the new way with the pace of the old one. */
static void follow(way_search* s, const hf_space_rows* path) {
    hf_bend* b = s->bend;
    double all = 0, length = 0, gone = 0, at = 0;
    for (int f = s->first; f < s->last; f++)
        all += hf_root_distance(&s->space, &b->roots[f], &b->roots[f + 1]);
    for (int i = 0; i + 1 < path->count; i++)
        length += distance(s, hf_space_row(path, i), hf_space_row(path, i + 1), INFINITY);
    int corner = 0;
    for (int f = s->first; f <= s->last; f++) {
        double share = all > 0 ? gone / all : (double)(f - s->first) / (s->last - s->first),
               want = share * length;
        double step = corner + 1 < path->count
                          ? distance(s, hf_space_row(path, corner), hf_space_row(path, corner + 1), INFINITY)
                          : 0;
        while (corner + 2 < path->count && at + step < want) {
            at += step;
            corner++;
            step = distance(s, hf_space_row(path, corner), hf_space_row(path, corner + 1), INFINITY);
        }
        hf_transform to = *hf_root_of(hf_space_row(path, path->count - 1));
        if (corner + 1 < path->count)
            to = hf_root_between(hf_root_of(hf_space_row(path, corner)),
                                 hf_root_of(hf_space_row(path, corner + 1)),
                                 step > 0 ? fmin(1, (want - at) / step) : 0);
        hf_transform bent = hf_delta_apply(&b->root[f], b->source->roots[f]);
        b->way[f] = (hf_delta){hf_sub(to.position, bent.position),
                               hf_quat_log(hf_quat_mul(to.rotation, hf_quat_conj(bent.rotation)))};
        if (f < s->last) gone += hf_root_distance(&s->space, &b->roots[f], &b->roots[f + 1]);
    }
    double width = 0.25 * EASE_S * b->source->schedule->rate;
    hf_bend_smooth(b, &b->way[0].shift, width);
    hf_bend_smooth(b, &b->way[0].turn, width);
}

static hf_status search_window(way_search* s, bool* found) {
    hf_workspace* w = s->bend->workspace;
    hf_space space = {.width = HF_ROOT_WIDTH,
                      .user = s,
                      .distance = distance,
                      .between = between,
                      .valid = valid,
                      .passes = passes,
                      .draw = draw,
                      .extend = extend};
    hf_space_tree_options o = {.direct = true, .goes_on = goes_on};
    hf_space_tree tree;
    hf_transform *start = &s->bend->roots[s->first], *goal = &s->bend->roots[s->last];
    if (!hf_root_holds(&s->space, start) || !hf_root_holds(&s->space, goal)) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_space_rows path = hf_space_rows_start(HF_ROOT_WIDTH, w);
    hf_status status = hf_space_tree_search(&tree, &space, &o, hf_root_row(start), hf_root_row(goal), w);
    if (status == HF_OK && tree.met) {
        status = hf_space_tree_way(&tree, &path);
        if (status == HF_OK) status = hf_space_path_prune(&space, &path, false);
        if (status == HF_OK) status = hf_space_path_shorten(&space, &path, s->seed, SHORTCUTS);
        if (status == HF_OK) {
            follow(s, &path);
            *found = true;
        }
    }
    hf_workspace_end(w, mark);
    return status;
}

hf_status hf_way_find(hf_bend* b, const hf_guide_model* model, const hf_realise_result* faults, uint64_t seed,
                      bool* found) {
    way_search s = {.bend = b, .seed = seed};
    hf_guide_options options = hf_guide_options_default();
    hf_guide_surfaces surfaces;
    *found = false;
    hf_workspace_mark mark = hf_workspace_begin(b->workspace);
    hf_status status = hf_guide_surfaces_fill(&surfaces, model, b->placement, b->workspace);
    if (status == HF_OK) {
        hf_root_space_start(&s.space, model, b->placement, &surfaces, &options);
        for (int from = 0; find_window(&s, faults, from) && status == HF_OK; from = s.last + 1)
            status = search_window(&s, found);
    }
    hf_workspace_end(b->workspace, mark);
    return status;
}
