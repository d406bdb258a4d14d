/* Update of a roadmap after objects moved (reaching-2003 section 7): edges whose swept boxes the objects
   touch, and the nodes at their ends, are tested again, what does not hold goes, parts that came off are
   joined again or dropped, and the tree grows where it became thin. */
#include "reach/reach_roadmap.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { MOST_LINKS = 5 }; /* nodes of the largest part that each node of another one is tried with */
typedef struct updating {
    hf_reach_roadmap* roadmap;
    hf_reach_crew* crew;
    const hf_placement* moved;
    bool* edge_near; /* what moved may touch the body on this edge */
    bool *node_good, *edge_good;
} updating;

static void look_at_edge(void* context, int index, int worker) {
    updating* u = context;
    const hf_reach_roadmap* r = u->roadmap;
    const hf_body_sweep* sweep = &u->crew->workers[worker]->world->sweep;
    u->edge_near[index] =
        hf_body_sweep_meets(sweep, r->boxes + (size_t)index * (size_t)r->box_count, u->moved);
}

/* All edges of a node have its own posture in their boxes: one that is not near says that the node is free.
 */
static bool is_near(const updating* u, int node) {
    const hf_space_graph* g = &u->roadmap->graph;
    for (int h = g->first[node]; h >= 0; h = g->next[h])
        if (!u->edge_near[h / 2]) return false;
    return true;
}

static void test_node(void* context, int index, int worker) {
    updating* u = context;
    const double* state = hf_space_graph_node(&u->roadmap->graph, index);
    u->node_good[index] = !is_near(u, index) || hf_reach_valid(u->crew->workers[worker], state);
}

static void test_edge(void* context, int index, int worker) {
    updating* u = context;
    const hf_space_edge* e = &u->roadmap->graph.edges[index];
    u->edge_good[index] = u->node_good[e->a] && u->node_good[e->b];
    if (!u->edge_good[index] || !u->edge_near[index]) return;
    const double *a = hf_space_graph_node(&u->roadmap->graph, e->a),
                 *b = hf_space_graph_node(&u->roadmap->graph, e->b);
    hf_space space = hf_reach_space(u->crew->workers[worker]);
    bool good = false;
    u->edge_good[index] = space.passes(space.user, a, b, &good) == HF_OK && good;
}

/* The part of the graph with the most nodes; of equal ones the first. */
static int largest_part(const hf_space_graph* g, int* sizes) {
    int n = hf_space_graph_count(g), best = -1;
    for (int i = 0; i < n; i++) sizes[i] = 0;
    for (int i = 0; i < n; i++) sizes[hf_space_graph_component(g, i)]++;
    for (int i = 0; i < n; i++)
        if (sizes[i] > 0 && (best < 0 || sizes[i] > sizes[best])) best = i;
    return best;
}

typedef struct in_part {
    const hf_space_graph* graph;
    int part;
} in_part;

static bool is_in_part(const void* user, int node) {
    const in_part* p = user;
    return hf_space_graph_component(p->graph, node) == p->part;
}

/* Joins the other parts to the largest one where a straight way is free. */
static hf_status join_parts(hf_reach_roadmap* r, hf_reach_worker* w, int* sizes) {
    hf_space_graph* g = &r->graph;
    hf_space space = hf_reach_space(w);
    hf_status status = HF_OK;
    int anchor = largest_part(g, sizes);
    for (int i = 0; i < hf_space_graph_count(g) && status == HF_OK; i++) {
        in_part p = {g, hf_space_graph_component(g, anchor)};
        int near[MOST_LINKS];
        if (hf_space_graph_component(g, i) == p.part) continue;
        int n =
            hf_space_nearest(&g->nodes, &space, hf_space_graph_node(g, i), is_in_part, &p, MOST_LINKS, near);
        for (int k = 0; k < n && status == HF_OK; k++) {
            bool good = false;
            status =
                space.passes(space.user, hf_space_graph_node(g, i), hf_space_graph_node(g, near[k]), &good);
            if (status != HF_OK || !good) continue;
            status =
                hf_reach_roadmap_join(r, i < near[k] ? i : near[k], i < near[k] ? near[k] : i, 1, w->swept);
            break;
        }
    }
    return status;
}

/* A copy of a graph with the nodes and edges that are kept (NULL: those of one part). */
static hf_status copy_kept(const hf_reach_roadmap* r, hf_reach_worker* w, const bool* nodes,
                           const bool* edges, int* number, hf_reach_roadmap* to) {
    const hf_space_graph* from = &r->graph;
    hf_space space = hf_reach_space(w);
    hf_status status = HF_OK;
    int kept = 0;
    for (int i = 0; i < hf_space_graph_count(from) && status == HF_OK; i++) {
        number[i] = nodes[i] ? kept++ : -1;
        if (nodes[i]) status = hf_space_graph_add(&to->graph, &space, hf_space_graph_node(from, i));
    }
    for (int e = 0; e < from->edge_count && status == HF_OK; e++) {
        int a = number[from->edges[e].a], b = number[from->edges[e].b];
        if (a >= 0 && b >= 0 && (!edges || edges[e]))
            status = hf_reach_roadmap_join(to, a, b, from->edges[e].mark,
                                           r->boxes + (size_t)e * (size_t)r->box_count);
    }
    return status;
}

/* Moves the roadmap into a new workspace with what is kept. */
static hf_status keep(hf_reach_roadmap* r, hf_reach_worker* w, const bool* nodes, const bool* edges,
                      int* number) {
    hf_reach_roadmap* fresh;
    hf_status status = hf_reach_roadmap_create(&w->world->sweep, &fresh);
    if (status == HF_OK) status = copy_kept(r, w, nodes, edges, number, fresh);
    if (status == HF_OK) {
        hf_reach_roadmap old = *r;
        fresh->draws = old.draws, fresh->shortcuts = old.shortcuts;
        *r = *fresh;
        *fresh = old;
    }
    hf_reach_roadmap_free(fresh);
    return status;
}

/* Only what moved is tested: all else held before. */
static void test_all(updating* u, hf_reach_world* world, hf_placement* moved, int threads) {
    hf_placement* all = world->placement;
    hf_parallel(threads, u->roadmap->graph.edge_count, look_at_edge, u);
    hf_reach_crew_forget(u->crew);
    world->placement = moved;
    world->scene_only = true;
    hf_parallel(threads, hf_space_graph_count(&u->roadmap->graph), test_node, u);
    hf_parallel(threads, u->roadmap->graph.edge_count, test_edge, u);
    world->placement = all;
    world->scene_only = false;
    hf_reach_crew_forget(u->crew);
}

hf_status hf_reach_roadmap_update(hf_reach_roadmap* r, hf_reach_crew* crew, hf_reach_world* world,
                                  hf_placement* moved, hf_progress_fn progress, void* user) {
    int n = hf_space_graph_count(&r->graph), m = r->graph.edge_count;
    hf_reach_worker* w = crew->workers[0];
    int threads = w->world->options->threads;
    updating u = {.roadmap = r, .crew = crew, .moved = moved};
    u.node_good = hf_alloc((size_t)n + 1, sizeof(bool));
    u.edge_good = hf_alloc((size_t)m + 1, sizeof(bool));
    u.edge_near = hf_alloc((size_t)m + 1, sizeof(bool));
    int* number = hf_alloc((size_t)n + 1, sizeof(int));
    hf_status status = u.node_good && u.edge_good && u.edge_near && number ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        test_all(&u, world, moved, threads);
        status = keep(r, w, u.node_good, u.edge_good, number);
    }
    if (status == HF_OK) status = join_parts(r, w, number);
    if (status == HF_OK) {
        int part = largest_part(&r->graph, number);
        for (int i = 0; i < hf_space_graph_count(&r->graph); i++)
            u.node_good[i] = hf_space_graph_component(&r->graph, i) == part;
        status = keep(r, w, u.node_good, NULL, number);
    }
    hf_free(u.node_good);
    hf_free(u.edge_good);
    hf_free(u.edge_near);
    hf_free(number);
    if (status == HF_OK && hf_space_graph_count(&r->graph) < n)
        status = hf_reach_roadmap_grow(r, crew, n, progress, user);
    return status;
}
