/* Ways between two postures: straight, by the roadmap (reaching-2003 section 6), or by two trees of their own
   where the roadmap has not grown. */
#include "reach/reach_roadmap.h"

#include "base/random.h"
#include "base/workspace.h"
#include "space/space_shortcut.h"
#include "space/space_tree.h"

#include <math.h>
#include <string.h>

enum { STREAM = 0x7ee5 };
static const double GROUP_SHARE = 1.0 / 3; /* of the arm alone, both, the trunk and the legs alone */

/* Is the roadmap as it was made? Something that is carried, an object that was moved or a hand of another
   shape may be in the way of its nodes and edges. */
static bool is_known(const hf_reach_worker* w) { return !w->world->load_count && !w->world->changed; }

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
        if (!is_known(w) && !hf_reach_valid(w, other)) continue;
        status = space.passes(space.user, from_node ? other : state, from_node ? state : other, &good);
        if (good) *node = near[i];
    }
    return status;
}

/* The first edge of a route, from either end, that does not pass any more; -1 for none. What passes is noted.
 */
static hf_status find_shut(hf_reach_roadmap* r, hf_reach_worker* w, const hf_space_route* route, bool* passed,
                           int* shut) {
    hf_space space = hf_reach_space(w);
    hf_status status = HF_OK;
    *shut = -1;
    for (int i = 0; i < route->count && *shut < 0 && status == HF_OK; i++) {
        int half = route->halves[i % 2 ? i / 2 : route->count - 1 - i / 2];
        const double *a = hf_space_graph_node(&r->graph, hf_space_half_start(&r->graph, half)),
                     *b = hf_space_graph_node(&r->graph, hf_space_half_end(&r->graph, half));
        if (passed[half / 2]) continue;
        bool good = hf_reach_valid(w, a) && hf_reach_valid(w, b);
        if (good) status = space.passes(space.user, a, b, &good);
        passed[half / 2] = good;
        if (!good) *shut = half / 2;
    }
    return status;
}

/* The shortest way between two nodes. Where the roadmap is not as it was made, the edges of the way are
   tested; one that does not pass is left out, and the next shortest way is looked for. */
static hf_status search(hf_reach_roadmap* r, hf_reach_worker* w, int from, int to, hf_space_route* route) {
    hf_space space = hf_reach_cost_space(w);
    if (is_known(w)) return hf_space_graph_search(&r->graph, &space, from, to, INFINITY, route);
    size_t edges = (size_t)r->graph.edge_count;
    bool *shut = hf_workspace_take(r->workspace, edges + 1, sizeof *shut),
         *passed = hf_workspace_take(r->workspace, edges + 1, sizeof *passed);
    if (!shut || !passed) return HF_ERROR_MEMORY;
    r->graph.shut = shut;
    hf_status status = HF_OK;
    int edge = 0;
    route->found = true;
    for (int n = 0; n < w->world->options->detours && edge >= 0 && route->found && status == HF_OK; n++) {
        hf_workspace_mark mark = hf_workspace_begin(r->workspace);
        status = hf_space_graph_search(&r->graph, &space, from, to, INFINITY, route);
        if (status == HF_OK && route->found) status = find_shut(r, w, route, passed, &edge);
        if (edge >= 0) shut[edge] = true;
        if (edge >= 0 || !route->found || status != HF_OK) hf_workspace_end(r->workspace, mark);
        if (!hf_workspace_goes_on(w->workspace)) break;
    }
    r->graph.shut = NULL;
    route->found = route->found && edge < 0;
    return status;
}

/* The nodes of the shortest way that is free. */
static hf_status follow(hf_reach_roadmap* r, hf_reach_worker* w, int from, int to, hf_space_rows* path,
                        bool* found) {
    hf_space_route route = {0};
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_status status = search(r, w, from, to, &route);
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

/* What the trees are drawn to: every other state is drawn as for the roadmap; the others are the start or the
   goal with one group of controls moved, because out of a narrow place leads what one arm, or the trunk with
   the legs, does alone: a share of the group's range either way, small ones as likely as large ones. */
static hf_status draw_for_trees(void* user, int64_t index, double* state, bool* drawn) {
    hf_reach_worker* w = user;
    const hf_control_layer* layer = w->world->layer;
    if (index % 2) return hf_reach_draw(user, index / 2, state, drawn);
    hf_random r = hf_random_start(w->world->options->seed, STREAM, (uint64_t)index);
    double controls[HF_CONTROL_COUNT], share = hf_random_unit(&r);
    int first = hf_control_first(w->without == HF_RIGHT ? HF_LEFT : HF_RIGHT), count = HF_CONTROL_ARM;
    if (w->without < 0 && hf_random_unit(&r) < 0.5) first = hf_control_first(HF_LEFT);
    double group = hf_random_unit(&r);
    bool trunk = group > GROUP_SHARE, arm = group < 2 * GROUP_SHARE;
    memcpy(controls, w->ends[index / 2 % 2], sizeof controls);
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        double by = hf_random_between(&r, -share, share);
        bool moves = k < HF_CONTROL_SPINE ? arm && k >= first && k < first + count : trunk;
        hf_control c = layer->controls[k];
        if (moves) controls[k] = fmin(c.high, fmax(c.low, controls[k] + by * (c.high - c.low)));
    }
    *drawn = hf_reach_state(w, controls, state);
    return HF_OK;
}

/* Two trees that grow towards each other. */
static hf_status by_trees(hf_reach_worker* w, const double* start, const double* goal, hf_space_rows* path,
                          bool* found) {
    hf_space space = hf_reach_space(w);
    space.draw = draw_for_trees;
    w->ends[0] = start, w->ends[1] = goal;
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

static hf_status find(hf_reach_roadmap* r, hf_reach_worker* w, const double* start, const double* goal,
                      hf_space_rows* path, bool* found) {
    hf_space space = hf_reach_space(w);
    path->count = 0;
    hf_status status = space.passes(space.user, start, goal, found);
    if (status == HF_OK && *found) {
        status = hf_space_rows_add(path, start);
        return status == HF_OK ? hf_space_rows_add(path, goal) : status;
    }
    if (status == HF_OK) status = by_roadmap(r, w, start, goal, path, found);
    if (status == HF_OK && !*found) status = by_trees(w, start, goal, path, found);
    return status;
}

hf_status hf_reach_find_way(hf_reach_roadmap* r, hf_reach_worker* w, int without, const double* start,
                            const double* goal, hf_space_rows* path, bool* found) {
    w->without = without;
    w->unswept = true;
    hf_status status = find(r, w, start, goal, path, found);
    w->unswept = false;
    return status;
}
