/* Growing the reaching roadmap (reaching-2003 section 5). Postures are drawn, and the steps towards them
   tested, in batches by all threads; new nodes are added in the order of their numbers, so that the roadmap
   does not depend on how many threads there were. */
#include "reach/reach_roadmap.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    BATCH = 32,     /* postures, whatever the number of threads */
    MOST_DRAWS = 40 /* for each node wanted: a crowded scene refuses most steps */
};

/* ---- crew ---- */

hf_status hf_reach_crew_create(const hf_reach_world* world, int threads, hf_reach_crew* crew) {
    int n = hf_parallel_workers(threads);
    *crew = (hf_reach_crew){.workers = hf_alloc((size_t)n, sizeof *crew->workers),
                            .workspaces = hf_alloc((size_t)n, sizeof *crew->workspaces)};
    hf_status status = crew->workers && crew->workspaces ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < n && status == HF_OK; i++) {
        status = hf_workspace_create(&crew->workspaces[i]);
        if (status == HF_OK) status = hf_reach_worker_create(world, crew->workspaces[i], &crew->workers[i]);
        crew->count = i + 1;
    }
    return status;
}

void hf_reach_crew_free(hf_reach_crew* crew) {
    for (int i = 0; i < crew->count; i++) {
        hf_reach_worker_free(crew->workers[i]);
        hf_workspace_free(crew->workspaces[i]);
    }
    hf_free(crew->workers);
    hf_free(crew->workspaces);
    *crew = (hf_reach_crew){0};
}

void hf_reach_crew_forget(hf_reach_crew* crew) {
    for (int i = 0; i < crew->count; i++) hf_reach_worker_forget(crew->workers[i]);
}

/* ---- tree ---- */

typedef struct draw {
    hf_status status;
    bool grows;
    int from;
    double state[HF_REACH_WIDTH];
    hf_box* boxes; /* of the step */
} draw;

typedef struct growth {
    hf_reach_roadmap* roadmap;
    hf_reach_crew* crew;
    draw* batch;
} growth;

/* One posture of the batch, and the step towards it. Reads the graph only. */
static void draw_one(void* context, int index, int worker) {
    growth* g = context;
    hf_space space = hf_reach_space(g->crew->workers[worker]);
    draw* d = &g->batch[index];
    double target[HF_REACH_WIDTH];
    bool drawn = false;
    d->grows = false;
    d->status = space.draw(space.user, g->roadmap->draws + index, target, &drawn);
    if (d->status != HF_OK || !drawn) return;
    hf_space_step step;
    d->from = hf_space_nearest_one(&g->roadmap->graph.nodes, &space, target);
    d->status = space.extend(space.user, hf_space_graph_node(&g->roadmap->graph, d->from), target, 0,
                             d->state, &step);
    d->grows = d->status == HF_OK && step != HF_SPACE_TRAPPED;
    if (d->grows)
        memcpy(d->boxes, g->crew->workers[worker]->swept, sizeof *d->boxes * (size_t)g->roadmap->box_count);
}

static hf_status add(growth* g, const draw* d) {
    hf_space space = hf_reach_space(g->crew->workers[0]);
    hf_space_graph* graph = &g->roadmap->graph;
    hf_status status = hf_space_graph_add(graph, &space, d->state);
    if (status != HF_OK) return status;
    return hf_reach_roadmap_join(g->roadmap, d->from, hf_space_graph_count(graph) - 1, 0, d->boxes);
}

hf_status hf_reach_roadmap_join(hf_reach_roadmap* r, int a, int b, double mark, const hf_box* boxes) {
    int e = r->graph.edge_count, n = r->box_count;
    hf_status status = hf_space_graph_join(&r->graph, a, b, mark);
    if (status == HF_OK && r->box_capacity < r->graph.edge_capacity) {
        if (!hf_space_enlarge(r->workspace, (void**)&r->boxes, e * n, r->graph.edge_capacity * n,
                              sizeof *r->boxes))
            return HF_ERROR_MEMORY;
        r->box_capacity = r->graph.edge_capacity;
    }
    if (status == HF_OK) memcpy(r->boxes + (size_t)e * (size_t)n, boxes, sizeof *boxes * (size_t)n);
    return status;
}

hf_status hf_reach_roadmap_create(const hf_body_sweep* sweep, hf_reach_roadmap** roadmap) {
    hf_reach_roadmap* r = hf_alloc(1, sizeof *r);
    *roadmap = r;
    if (!r) return HF_ERROR_MEMORY;
    r->box_count = sweep->group_count;
    hf_status status = hf_workspace_create(&r->workspace);
    // never ended: what is taken stays until the workspace goes
    if (status == HF_OK) hf_workspace_begin(r->workspace);
    if (status == HF_OK) r->graph = hf_space_graph_start(HF_REACH_WIDTH, r->workspace);
    return status;
}

void hf_reach_roadmap_free(hf_reach_roadmap* r) {
    if (!r) return;
    hf_workspace_free(r->workspace);
    hf_free(r);
}

hf_status hf_reach_roadmap_grow(hf_reach_roadmap* r, hf_reach_crew* crew, int nodes, hf_progress_fn progress,
                                void* user) {
    const hf_reach_world* world = crew->workers[0]->world;
    hf_space space = hf_reach_space(crew->workers[0]);
    growth g = {.roadmap = r, .crew = crew, .batch = hf_alloc(BATCH, sizeof *g.batch)};
    hf_box* boxes = hf_alloc(BATCH * (size_t)r->box_count, sizeof *boxes);
    hf_status status = g.batch && boxes ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < BATCH && status == HF_OK; i++) g.batch[i].boxes = boxes + i * r->box_count;
    if (status == HF_OK && hf_space_graph_count(&r->graph) == 0)
        status = hf_space_graph_add(&r->graph, &space, world->rest);
    int64_t last = r->draws + (int64_t)MOST_DRAWS * nodes;
    while (status == HF_OK && hf_space_graph_count(&r->graph) < nodes && r->draws < last) {
        hf_parallel(world->options->threads, BATCH, draw_one, &g);
        r->draws += BATCH;
        for (int i = 0; i < BATCH && status == HF_OK; i++) {
            status = g.batch[i].status;
            if (status == HF_OK && g.batch[i].grows && hf_space_graph_count(&r->graph) < nodes)
                status = add(&g, &g.batch[i]);
        }
        if (progress && !progress(user, (double)hf_space_graph_count(&r->graph) / nodes, "roadmap")) break;
    }
    hf_free(g.batch);
    hf_free(boxes);
    return status;
}

/* ---- shortcuts ---- */

static bool is_leaf(const hf_space_graph* g, int node) {
    return node > 0 && g->first[node] >= 0 && g->next[g->first[node]] < 0;
}

static bool accept_leaf(const void* user, int node) {
    const bool* leaf = user;
    return leaf[node];
}

/* The leaves that one leaf could be joined with, and whether the way is free. */
typedef struct looks {
    int count;
    int others[3];
    bool free[3];
    hf_box* boxes; /* of each way */
} looks;
enum { MOST_LOOKS = 3 }; /* leaves that are nearest: more add ways that are hardly shorter */

typedef struct shortening {
    hf_reach_roadmap* roadmap;
    hf_reach_crew* crew;
    const bool* leaf;
    const int* leaves;
    looks* seen;
} shortening;

static void look_one(void* context, int index, int worker) {
    shortening* s = context;
    hf_space space = hf_reach_space(s->crew->workers[worker]);
    const hf_space_graph* g = &s->roadmap->graph;
    int leaf = s->leaves[index], near[MOST_LOOKS + 1];
    const double* state = hf_space_graph_node(g, leaf);
    looks* to = &s->seen[index];
    int n = hf_space_nearest(&g->nodes, &space, state, accept_leaf, s->leaf, MOST_LOOKS + 1, near);
    for (int i = 0; i < n && to->count < MOST_LOOKS; i++) {
        const double* other = hf_space_graph_node(g, near[i]);
        if (near[i] <= leaf) continue; // each pair once
        if (space.distance(space.user, state, other, INFINITY) >=
            s->crew->workers[0]->world->options->shortcut_m)
            break;
        bool free = false;
        space.passes(space.user, state, other, &free);
        memcpy(to->boxes + to->count * s->roadmap->box_count, s->crew->workers[worker]->swept,
               sizeof *to->boxes * (size_t)s->roadmap->box_count);
        to->others[to->count] = near[i], to->free[to->count++] = free;
    }
}

/* Is the straight way shorter than the one there is? */
static hf_status join_if_shorter(shortening* s, int a, int b, const hf_box* boxes) {
    hf_space space = hf_reach_space(s->crew->workers[0]);
    hf_space_graph* g = &s->roadmap->graph;
    hf_space_route route;
    // the graph's own workspace gives the search its memory
    hf_workspace_mark mark = hf_workspace_begin(s->roadmap->workspace);
    double straight =
        space.distance(space.user, hf_space_graph_node(g, a), hf_space_graph_node(g, b), INFINITY);
    hf_status status = hf_space_graph_search(g, &space, a, b, straight, &route);
    bool shorter = status == HF_OK && !route.found;
    hf_workspace_end(s->roadmap->workspace, mark);
    if (!shorter) return status;
    s->roadmap->shortcuts++;
    return hf_reach_roadmap_join(s->roadmap, a, b, 1, boxes);
}

hf_status hf_reach_roadmap_shorten(hf_reach_roadmap* r, hf_reach_crew* crew) {
    int n = hf_space_graph_count(&r->graph), count = 0;
    bool* leaf = hf_alloc((size_t)n + 1, sizeof *leaf);
    int* leaves = hf_alloc((size_t)n + 1, sizeof *leaves);
    looks* seen = hf_alloc((size_t)n + 1, sizeof *seen);
    hf_box* boxes = hf_alloc(((size_t)n + 1) * MOST_LOOKS * (size_t)r->box_count, sizeof *boxes);
    hf_status status = leaf && leaves && seen && boxes ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < n && status == HF_OK; i++) {
        seen[i].boxes = boxes + (size_t)i * MOST_LOOKS * (size_t)r->box_count;
        if ((leaf[i] = is_leaf(&r->graph, i))) leaves[count++] = i;
    }
    shortening s = {r, crew, leaf, leaves, seen};
    if (status == HF_OK) hf_parallel(crew->workers[0]->world->options->threads, count, look_one, &s);
    for (int i = 0; i < count && status == HF_OK; i++)
        for (int k = 0; k < seen[i].count && status == HF_OK; k++)
            if (seen[i].free[k])
                status = join_if_shorter(&s, leaves[i], seen[i].others[k], seen[i].boxes + k * r->box_count);
    hf_free(leaf);
    hf_free(leaves);
    hf_free(seen);
    hf_free(boxes);
    return status;
}
