/* A query on a roadmap: along the guide that it keeps, or start and goal become nodes of a copy, joined to
   what they see, and A* takes the shortest way. */
#include "space/roadmap.h"

#include <math.h>

enum {
    MAX_JOINS = 5,  /* ways from an end into the roadmap */
    MAX_LOOKS = 24, /* nodes tried for them, nearest first */
    STREAM = 0x960b,
};

typedef struct query {
    hf_root_search* search;
    hf_space space;
    hf_space_graph graph;
    int ends[2]; /* nodes of start and goal */
} query;

static bool is_other(const void* user, int node) { return node != *(const int*)user; }

/* Joins a node to the nearest that it sees. */
static hf_status join_near(query* q, int node, hf_random random) {
    int near[MAX_LOOKS], joins = 0;
    const double* pose = hf_space_graph_node(&q->graph, node);
    int count = hf_space_nearest(&q->graph.nodes, &q->space, pose, is_other, &node, MAX_LOOKS, near);
    hf_status status = HF_OK;
    for (int i = 0; i < count && joins < MAX_JOINS && status == HF_OK; i++) {
        double turn, chance = hf_random_unit(&random);
        const double* other = hf_space_graph_node(&q->graph, near[i]);
        if (!q->space.join(q->space.user, pose, other, chance, &turn)) continue;
        status = hf_space_graph_join(&q->graph, node, near[i], turn);
        joins++;
    }
    return status;
}

/* Adds the two ends to the graph and joins them to what they see. */
static hf_status join_ends(query* q, const hf_transform* const poses[2]) {
    hf_status status = HF_OK;
    for (int e = 0; e < 2 && status == HF_OK; e++) {
        status = hf_space_graph_add(&q->graph, &q->space, hf_root_row(poses[e]));
        q->ends[e] = hf_space_graph_count(&q->graph) - 1;
        hf_random random = hf_random_start(q->search->seed, STREAM, (uint64_t)e);
        if (status == HF_OK) status = join_near(q, q->ends[e], random);
    }
    return status;
}

static const hf_transform* pose_of(const query* q, int node) {
    return hf_root_of(hf_space_graph_node(&q->graph, node));
}

/* The place where an edge makes all of its turn: before the turn, and after it. */
static hf_status add_turn(const query* q, int half, hf_space_rows* corners) {
    const hf_space_edge* e = &q->graph.edges[half / 2];
    hf_vec3 place = hf_lerp(pose_of(q, e->a)->position, pose_of(q, e->b)->position, e->mark);
    hf_transform before = {place, pose_of(q, hf_space_half_start(&q->graph, half))->rotation};
    hf_transform after = {place, pose_of(q, hf_space_half_end(&q->graph, half))->rotation};
    hf_status status = hf_space_rows_add(corners, hf_root_row(&before));
    return status == HF_OK ? hf_space_rows_add(corners, hf_root_row(&after)) : status;
}

static hf_status write_corners(const query* q, const hf_space_route* route, hf_space_rows* corners) {
    const hf_space_graph* g = &q->graph;
    hf_status status = hf_space_rows_add(corners, hf_space_graph_node(g, q->ends[0]));
    for (int i = route->count - 1; i >= 0 && status == HF_OK; i--) {
        int half = route->halves[i];
        if (g->edges[half / 2].mark >= 0) status = add_turn(q, half, corners);
        if (status == HF_OK)
            status = hf_space_rows_add(corners, hf_space_graph_node(g, hf_space_half_end(g, half)));
    }
    return status;
}

/* ---- the guide that is kept ---- */

/* Neighbours of a guide are a step apart, or two by rounding: a file may claim anything. */
static bool is_whole(const hf_roadmap_block* b, const hf_root_space* space) {
    const hf_transform* guide = hf_roadmap_guide(b);
    for (int i = 1; i < b->guide_count; i++)
        if (hf_root_steps(space, &guide[i - 1], &guide[i]) > 2) return false;
    return b->guide_count > 1;
}

/* The pose of the guide that is nearest to another one. */
static int nearest_on_guide(const hf_roadmap_block* b, const hf_root_space* space, const hf_transform* pose,
                            double* distance) {
    int best = 0;
    *distance = INFINITY;
    for (int i = 0; i < b->guide_count; i++) {
        double d = hf_root_distance(space, &hf_roadmap_guide(b)[i], pose);
        if (d < *distance) *distance = d, best = i;
    }
    return best;
}

hf_status hf_roadmap_ride(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                          const hf_transform* goal, hf_space_rows* corners, bool* found) {
    const hf_roadmap_block* b = roadmap->block;
    const hf_transform* guide = hf_roadmap_guide(b);
    *found = false;
    if (!is_whole(b, search->space)) return HF_OK;
    double before, after;
    int from = nearest_on_guide(b, search->space, start, &before);
    int to = nearest_on_guide(b, search->space, goal, &after);
    if (before + after > hf_root_distance(search->space, &guide[from], &guide[to])) return HF_OK;
    if (!hf_root_straight(search->space, start, &guide[from]) ||
        !hf_root_straight(search->space, &guide[to], goal))
        return HF_OK;
    *found = true;
    hf_status status = hf_space_rows_add(corners, hf_root_row(start));
    for (int i = from, step = from < to ? 1 : -1; status == HF_OK; i += step) {
        status = hf_space_rows_add(corners, hf_root_row(&guide[i]));
        if (i == to) break;
    }
    return status == HF_OK ? hf_space_rows_add(corners, hf_root_row(goal)) : status;
}

hf_status hf_roadmap_search(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                            const hf_transform* goal, hf_space_rows* corners, hf_guide_path* out,
                            bool* found) {
    *found = false;
    query q = {.search = search,
               .space = hf_root_search_space(search),
               .graph = hf_space_graph_start(HF_ROOT_WIDTH, corners->workspace)};
    hf_space_route route;
    hf_status status = hf_roadmap_graph(roadmap->block, &q.space, &q.graph);
    if (status == HF_OK) status = join_ends(&q, (const hf_transform* [2]){start, goal});
    if (status == HF_OK)
        status = hf_space_graph_search(&q.graph, &q.space, q.ends[0], q.ends[1], INFINITY, &route);
    if (status != HF_OK || !route.found) return status;
    *found = true;
    out->nodes = hf_space_graph_count(&q.graph);
    out->by_roadmap = true, out->stop = HF_GUIDE_REACHED, out->gap = 0;
    return write_corners(&q, &route, corners);
}
