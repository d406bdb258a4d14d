/* A query on a roadmap: start and goal become nodes of a copy, joined to what they see; where that is not
   enough the copy grows around them (method, section 6), then A* takes the shortest way. */
#include "space/roadmap.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    MAX_JOINS = 5,  /* ways from an end into the roadmap */
    MAX_LOOKS = 24, /* nodes tried for them, nearest first */
    GROW_LOOKS = 4, /* nodes of either side tried from a grown pose */
    STREAM = 0x960b,
    PROGRESS_EVERY = 64,
};
static const double GROW_FAR = 3; /* how far from an end growth gets, in radii of the trunk */

typedef struct query {
    hf_root_space* space;
    const hf_guide_options* options;
    hf_root_graph graph;
    int ends[2]; /* nodes of start and goal */
} query;

static bool copy_roadmap(query* q, const hf_roadmap_block* b) {
    const hf_transform* nodes = hf_roadmap_nodes(b);
    const hf_roadmap_edge* edges = hf_roadmap_edges(b);
    for (int i = 0; i < b->node_count; i++)
        if (hf_root_graph_add(&q->graph, &nodes[i]) < 0) return false;
    for (int i = 0; i < b->edge_count; i++)
        if (!hf_root_graph_join(&q->graph, edges[i].a, edges[i].b, edges[i].turn)) return false;
    return true;
}

static bool joined(const query* q) {
    return hf_root_graph_component(&q->graph, q->ends[0]) == hf_root_graph_component(&q->graph, q->ends[1]);
}

static bool is_other(const void* user, int node) { return node != *(const int*)user; }

/* Joins a node to the nearest that it sees. */
static bool join_near(query* q, int node, hf_random* random) {
    int near[MAX_LOOKS], joins = 0;
    int count =
        hf_root_graph_nearest(&q->graph, q->space, &q->graph.pose[node], is_other, &node, MAX_LOOKS, near);
    for (int i = 0; i < count && joins < MAX_JOINS; i++) {
        double turn, s = hf_random_unit(random);
        if (!hf_root_local(q->space, &q->graph.pose[node], &q->graph.pose[near[i]], s, &turn)) continue;
        if (!hf_root_graph_join(&q->graph, node, near[i], turn)) return false;
        joins++;
    }
    return true;
}

/* Nodes of one component. */
typedef struct chosen {
    const query* q;
    int component;
    bool same;
} chosen;

static bool is_chosen(const void* user, int node) {
    const chosen* c = user;
    return (hf_root_graph_component(&c->q->graph, node) == c->component) == c->same;
}

/* Looks from a pose for nodes of one component, or of all others. Returns the first it sees, or -1. */
static int look(query* q, const hf_transform* pose, int component, bool same, hf_random* random,
                double* turn) {
    chosen c = {q, component, same};
    int near[GROW_LOOKS];
    int count = hf_root_graph_nearest(&q->graph, q->space, pose, is_chosen, &c, GROW_LOOKS, near);
    for (int i = 0; i < count; i++)
        if (hf_root_local(q->space, pose, &q->graph.pose[near[i]], hf_random_unit(random), turn))
            return near[i];
    return -1;
}

/* One more pose around an end, kept when it joins the end's component to something, or spreads it. */
static bool grow_one(query* q, int number) {
    hf_random random = hf_random_start(q->options->seed, STREAM, (uint64_t)number);
    int end = q->ends[number % 2], component = hf_root_graph_component(&q->graph, end);
    double share = (number + 1.0) / q->options->grow;
    hf_transform pose;
    double far = GROW_FAR * q->space->model->radius * fmin(1, 0.2 + 2 * share), mine_turn, other_turn;
    if (!hf_root_sample_near(q->space, &random, &q->graph.pose[end], far, &pose)) return true;
    int mine = look(q, &pose, component, true, &random, &mine_turn);
    if (mine < 0) return true;
    int other = look(q, &pose, component, false, &random, &other_turn);
    int node = hf_root_graph_add(&q->graph, &pose);
    if (node < 0 || !hf_root_graph_join(&q->graph, node, mine, mine_turn)) return false;
    return other < 0 || hf_root_graph_join(&q->graph, node, other, other_turn);
}

hf_status hf_roadmap_search(const hf_roadmap* roadmap, hf_root_space* space, const hf_transform* start,
                            const hf_transform* goal, const hf_guide_options* options,
                            hf_workspace* workspace, hf_root_path* corners, hf_guide_path* out, bool* found) {
    *found = false;
    query q = {.space = space, .options = options, .graph = {.workspace = workspace}};
    if (!copy_roadmap(&q, roadmap->block)) return HF_ERROR_MEMORY;
    const hf_transform* poses[2] = {start, goal};
    for (int e = 0; e < 2; e++) {
        q.ends[e] = hf_root_graph_add(&q.graph, poses[e]);
        hf_random random = hf_random_start(options->seed, STREAM + 1, (uint64_t)e);
        if (q.ends[e] < 0 || !join_near(&q, q.ends[e], &random)) return HF_ERROR_MEMORY;
    }
    for (int i = 0; i < options->grow && !joined(&q) && space->tests < options->max_tests; i++) {
        if (options->progress && i % PROGRESS_EVERY == 0 &&
            !options->progress(options->user, (double)i / options->grow, "guide")) {
            out->stop = HF_GUIDE_STOPPED;
            return HF_OK;
        }
        out->samples++;
        if (!grow_one(&q, i)) return HF_ERROR_MEMORY;
    }
    double length;
    hf_status status = hf_root_graph_search(&q.graph, space, q.ends[0], q.ends[1], corners, &length, found);
    if (status == HF_OK && *found) {
        out->nodes = q.graph.node_count;
        out->by_roadmap = true, out->stop = HF_GUIDE_REACHED, out->gap = 0;
    }
    return status;
}
