/* A query on a roadmap: start and goal become nodes of a copy, joined to what they see; where that is not
   enough the copy grows around them (method, section 6), then A* takes the shortest way. */
#include "space/roadmap.h"

#include <math.h>

enum {
    MAX_JOINS = 5,  /* ways from an end into the roadmap */
    MAX_LOOKS = 24, /* nodes tried for them, nearest first */
    GROW_LOOKS = 4, /* nodes of either side tried from a grown pose */
    STREAM = 0x960b,
    PROGRESS_EVERY = 64,
};
static const double GROW_FAR = 3; /* how far from an end growth gets, in radii of the trunk */

typedef struct query {
    hf_root_search* search;
    hf_space space;
    hf_space_graph graph;
    int ends[2]; /* nodes of start and goal */
} query;

static hf_status copy_roadmap(query* q, const hf_roadmap_block* b) {
    const hf_transform* nodes = hf_roadmap_nodes(b);
    const hf_roadmap_edge* edges = hf_roadmap_edges(b);
    hf_status status = HF_OK;
    for (int i = 0; i < b->node_count && status == HF_OK; i++)
        status = hf_space_graph_add(&q->graph, &q->space, hf_root_row(&nodes[i]));
    for (int i = 0; i < b->edge_count && status == HF_OK; i++)
        status = hf_space_graph_join(&q->graph, edges[i].a, edges[i].b, edges[i].turn);
    return status;
}

static bool joined(const query* q) {
    return hf_space_graph_component(&q->graph, q->ends[0]) == hf_space_graph_component(&q->graph, q->ends[1]);
}

/* Can an edge join a pose to a node? */
static bool sees(query* q, const double* pose, int node, hf_random* random, double* turn) {
    return q->space.join(q->space.user, pose, hf_space_graph_node(&q->graph, node), hf_random_unit(random),
                         turn);
}

static bool is_other(const void* user, int node) { return node != *(const int*)user; }

/* Joins a node to the nearest that it sees. */
static hf_status join_near(query* q, int node, hf_random random) {
    int near[MAX_LOOKS], joins = 0;
    const double* pose = hf_space_graph_node(&q->graph, node);
    int count = hf_space_nearest(&q->graph.nodes, &q->space, pose, is_other, &node, MAX_LOOKS, near);
    hf_status status = HF_OK;
    for (int i = 0; i < count && joins < MAX_JOINS && status == HF_OK; i++) {
        double turn;
        if (!sees(q, pose, near[i], &random, &turn)) continue;
        status = hf_space_graph_join(&q->graph, node, near[i], turn);
        joins++;
    }
    return status;
}

/* Nodes of one component. */
typedef struct chosen {
    const query* q;
    int component;
    bool same;
} chosen;

static bool is_chosen(const void* user, int node) {
    const chosen* c = user;
    return (hf_space_graph_component(&c->q->graph, node) == c->component) == c->same;
}

/* Looks from a pose for nodes of one component, or of all others. Returns the first it sees, or -1. */
static int look(query* q, const double* pose, int component, bool same, hf_random* random, double* turn) {
    chosen c = {q, component, same};
    int near[GROW_LOOKS];
    int count = hf_space_nearest(&q->graph.nodes, &q->space, pose, is_chosen, &c, GROW_LOOKS, near);
    for (int i = 0; i < count; i++)
        if (sees(q, pose, near[i], random, turn)) return near[i];
    return -1;
}

/* One more pose around an end, kept when it joins the end's component to something, or spreads it. */
static hf_status grow_one(query* q, int number) {
    hf_root_space* space = q->search->space;
    hf_random random = hf_random_start(q->search->seed, STREAM, (uint64_t)number);
    int end = q->ends[number % 2], component = hf_space_graph_component(&q->graph, end);
    double share = (number + 1.0) / q->search->options->grow;
    hf_transform pose;
    double far = GROW_FAR * space->model->radius * fmin(1, 0.2 + 2 * share), mine_turn, other_turn;
    const hf_transform* about = hf_root_of(hf_space_graph_node(&q->graph, end));
    if (!hf_root_sample_near(space, &random, about, far, &pose)) return HF_OK;
    int mine = look(q, hf_root_row(&pose), component, true, &random, &mine_turn);
    if (mine < 0) return HF_OK;
    int other = look(q, hf_root_row(&pose), component, false, &random, &other_turn);
    hf_status status = hf_space_graph_add(&q->graph, &q->space, hf_root_row(&pose));
    int node = hf_space_graph_count(&q->graph) - 1;
    if (status == HF_OK) status = hf_space_graph_join(&q->graph, node, mine, mine_turn);
    if (status == HF_OK && other >= 0) status = hf_space_graph_join(&q->graph, node, other, other_turn);
    return status;
}

/* Adds the two ends to the graph, and poses around them until they are joined. */
static hf_status join_ends(query* q, const hf_transform* const poses[2], hf_guide_path* out) {
    const hf_guide_options* o = q->search->options;
    hf_status status = HF_OK;
    for (int e = 0; e < 2 && status == HF_OK; e++) {
        status = hf_space_graph_add(&q->graph, &q->space, hf_root_row(poses[e]));
        q->ends[e] = hf_space_graph_count(&q->graph) - 1;
        hf_random random = hf_random_start(q->search->seed, STREAM + 1, (uint64_t)e);
        if (status == HF_OK) status = join_near(q, q->ends[e], random);
    }
    for (int i = 0; i < o->grow && status == HF_OK && !joined(q); i++) {
        if (q->search->space->tests >= q->search->max_tests) break;
        if (o->progress && i % PROGRESS_EVERY == 0 && !o->progress(o->user, (double)i / o->grow, "guide")) {
            out->stop = HF_GUIDE_STOPPED;
            break;
        }
        out->samples++;
        status = grow_one(q, i);
    }
    return status;
}

/* Corners of a route: nodes, and the place of the turn where an edge makes it at one place. */
static hf_status write_corners(const query* q, const hf_space_route* route, hf_space_rows* corners) {
    const hf_space_graph* g = &q->graph;
    hf_status status = hf_space_rows_add(corners, hf_space_graph_node(g, q->ends[0]));
    for (int i = route->count - 1; i >= 0 && status == HF_OK; i--) {
        const hf_space_edge* e = &g->edges[route->halves[i] / 2];
        int from = hf_space_half_start(g, route->halves[i]), to = hf_space_half_end(g, route->halves[i]);
        const hf_transform *a = hf_root_of(hf_space_graph_node(g, e->a)),
                           *b = hf_root_of(hf_space_graph_node(g, e->b));
        hf_transform turned[2] = {{hf_lerp(a->position, b->position, e->mark), {1, 0, 0, 0}}};
        turned[1] = turned[0];
        turned[0].rotation = hf_root_of(hf_space_graph_node(g, from))->rotation;
        turned[1].rotation = hf_root_of(hf_space_graph_node(g, to))->rotation;
        for (int k = 0; k < 2 && e->mark >= 0 && status == HF_OK; k++)
            status = hf_space_rows_add(corners, hf_root_row(&turned[k]));
        if (status == HF_OK) status = hf_space_rows_add(corners, hf_space_graph_node(g, to));
    }
    return status;
}

/* ---- the guide that is kept ---- */

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
    if (b->guide_count < 2) return HF_OK;
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
    hf_status status = copy_roadmap(&q, roadmap->block);
    if (status == HF_OK) status = join_ends(&q, (const hf_transform* [2]){start, goal}, out);
    if (status != HF_OK || out->stop == HF_GUIDE_STOPPED) return status;
    status = hf_space_graph_search(&q.graph, &q.space, q.ends[0], q.ends[1], &route);
    if (status != HF_OK || !route.found) return status;
    *found = true;
    out->nodes = hf_space_graph_count(&q.graph);
    out->by_roadmap = true, out->stop = HF_GUIDE_REACHED, out->gap = 0;
    return write_corners(&q, &route, corners);
}
