/* Ways between two postures: straight, by the roadmap (reaching-2003 section 6), or by two trees of their own
   where the roadmap has not grown. */
#include "reach/reach_roadmap.h"

#include "base/workspace.h"
#include "space/space_shortcut.h"
#include "space/space_tree.h"

#include <math.h>

/* The nearest node that a straight free way leads to, -1 for none. */
static hf_status connect(hf_reach_roadmap* r, hf_reach_worker* w, const double* state, bool from_node,
                         int* node) {
    hf_space space = hf_reach_space(w);
    int near[HF_SPACE_MAX_NEAREST], most = w->world->options->connections;
    if (most > HF_SPACE_MAX_NEAREST) most = HF_SPACE_MAX_NEAREST;
    int n = hf_space_nearest(&r->graph.nodes, &space, state, NULL, NULL, most, near);
    hf_status status = HF_OK;
    *node = -1;
    for (int i = 0; i < n && *node < 0 && status == HF_OK; i++) {
        bool good = false;
        const double* other = hf_space_graph_node(&r->graph, near[i]);
        // nodes may have become invalid since they were made: a load is carried, or an object moved
        if ((w->world->load_count || w->world->changed) && !hf_reach_valid(w, other)) continue;
        status = space.passes(space.user, from_node ? other : state, from_node ? state : other, &good);
        if (good) *node = near[i];
    }
    return status;
}

/* The nodes of the shortest way; edges are tested again where something is carried. */
static hf_status follow(hf_reach_roadmap* r, hf_reach_worker* w, int from, int to, hf_space_rows* path,
                        bool* found) {
    hf_space space = hf_reach_cost_space(w);
    hf_space_route route;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_status status = hf_space_graph_search(&r->graph, &space, from, to, INFINITY, &route);
    *found = status == HF_OK && route.found;
    if (*found) status = hf_space_rows_add(path, hf_space_graph_node(&r->graph, from));
    for (int i = route.count - 1; i >= 0 && *found && status == HF_OK; i--)
        status = hf_space_rows_add(
            path, hf_space_graph_node(&r->graph, hf_space_half_end(&r->graph, route.halves[i])));
    hf_workspace_end(r->workspace, mark);
    return status;
}

static hf_status by_roadmap(hf_reach_roadmap* r, hf_reach_worker* w, const double* start, const double* goal,
                            hf_space_rows* path, bool* found) {
    int from = -1, to = -1;
    *found = false;
    hf_status status = connect(r, w, start, false, &from);
    if (status == HF_OK && from >= 0) status = connect(r, w, goal, true, &to);
    if (status != HF_OK || from < 0 || to < 0) return status;
    status = hf_space_rows_add(path, start);
    if (status == HF_OK) status = follow(r, w, from, to, path, found);
    if (status == HF_OK) status = hf_space_rows_add(path, goal);
    return status;
}

static bool goes_on(void* user, int64_t draws) {
    (void)draws;
    return hf_workspace_goes_on(((hf_reach_worker*)user)->workspace);
}

/* Two trees that grow towards each other. */
static hf_status by_trees(hf_reach_worker* w, const double* start, const double* goal, hf_space_rows* path,
                          bool* found) {
    hf_space space = hf_reach_space(w);
    hf_space_tree tree;
    hf_space_tree_options o = {.direct = true,
                               .longest_try = 6,
                               .max_extensions = w->world->options->extensions,
                               .goes_on = goes_on};
    hf_status status = hf_space_tree_search(&tree, &space, &o, start, goal, path->workspace);
    *found = status == HF_OK && tree.met;
    path->count = 0;
    return *found ? hf_space_tree_way(&tree, path) : status;
}

/* Is every piece of the way free? Asked where something is carried that the roadmap does not know of. */
static hf_status still_passes(hf_reach_worker* w, const hf_space_rows* path, bool* good) {
    hf_space space = hf_reach_space(w);
    hf_status status = HF_OK;
    for (int i = 0; i + 1 < path->count && *good && status == HF_OK; i++) {
        *good = hf_reach_valid(w, hf_space_row(path, i));
        if (*good) status = space.passes(space.user, hf_space_row(path, i), hf_space_row(path, i + 1), good);
    }
    return status;
}

hf_status hf_reach_find_way(hf_reach_roadmap* r, hf_reach_worker* w, int without, const double* start,
                            const double* goal, hf_space_rows* path, bool* found) {
    hf_space space = hf_reach_space(w);
    path->count = 0;
    w->without = without;
    hf_status status = space.passes(space.user, start, goal, found);
    if (status == HF_OK && *found) {
        status = hf_space_rows_add(path, start);
        return status == HF_OK ? hf_space_rows_add(path, goal) : status;
    }
    if (status == HF_OK) status = by_roadmap(r, w, start, goal, path, found);
    if (status == HF_OK && *found && (w->world->load_count || w->world->changed))
        status = still_passes(w, path, found);
    if (status == HF_OK && !*found) status = by_trees(w, start, goal, path, found);
    return status;
}
