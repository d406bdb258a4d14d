/* Graphs of states, with A* (thesis-2015 Algorithm 5; its lines 17 and 18 belong inside the loop over
   neighbours). The distance is a metric, so that the estimate never exceeds what is left. */
#include "space/space_graph.h"

#include "base/workspace.h"

#include <math.h>

enum { FIRST_EDGES = 256 };

hf_space_graph hf_space_graph_start(int width, hf_workspace* workspace) {
    return (hf_space_graph){.nodes = hf_space_states_start(width, workspace)};
}

hf_status hf_space_graph_add(hf_space_graph* g, const hf_space* space, const double* state) {
    hf_status status = hf_space_states_add(&g->nodes, space, state);
    if (status != HF_OK) return status;
    int node = hf_space_graph_count(g) - 1, more = g->nodes.rows.capacity;
    if (node >= g->node_capacity) {
        hf_workspace* w = g->nodes.rows.workspace;
        if (!hf_space_enlarge(w, (void**)&g->above, node, more, sizeof *g->above) ||
            !hf_space_enlarge(w, (void**)&g->first, node, more, sizeof *g->first))
            return HF_ERROR_MEMORY;
        g->node_capacity = more;
    }
    g->above[node] = node, g->first[node] = -1;
    return HF_OK;
}

int hf_space_graph_component(const hf_space_graph* g, int node) {
    while (g->above[node] != node) node = g->above[node];
    return node;
}

int hf_space_graph_components(const hf_space_graph* g) {
    int count = 0;
    for (int i = 0; i < hf_space_graph_count(g); i++) count += g->above[i] == i;
    return count;
}

hf_status hf_space_graph_join(hf_space_graph* g, int a, int b, double mark) {
    if (g->edge_count == g->edge_capacity) {
        hf_workspace* w = g->nodes.rows.workspace;
        int n = g->edge_count, more = n ? 2 * n : FIRST_EDGES;
        if (!hf_space_enlarge(w, (void**)&g->edges, n, more, sizeof *g->edges) ||
            !hf_space_enlarge(w, (void**)&g->next, 2 * n, 2 * more, sizeof *g->next))
            return HF_ERROR_MEMORY;
        g->edge_capacity = more;
    }
    int e = g->edge_count++;
    g->edges[e] = (hf_space_edge){a, b, mark};
    g->next[2 * e] = g->first[a], g->first[a] = 2 * e;
    g->next[2 * e + 1] = g->first[b], g->first[b] = 2 * e + 1;
    // the lower number leads, so that components do not depend on the order of edges
    int top_a = hf_space_graph_component(g, a), top_b = hf_space_graph_component(g, b);
    if (top_a < top_b)
        g->above[top_b] = top_a;
    else
        g->above[top_a] = top_b;
    return HF_OK;
}

/* ---- A* ---- */

typedef struct heap_item {
    double estimate;
    int node;
} heap_item;

typedef struct heap {
    heap_item* items;
    int count;
} heap;

/* Ties go to the lower node, so that the way does not depend on the heap. */
static bool before(heap_item a, heap_item b) {
    return a.estimate < b.estimate || (a.estimate == b.estimate && a.node < b.node);
}

static void heap_push(heap* h, heap_item item) {
    int i = h->count++;
    for (; i > 0 && before(item, h->items[(i - 1) / 2]); i = (i - 1) / 2) h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = item;
}

static heap_item heap_pop(heap* h) {
    heap_item top = h->items[0], last = h->items[--h->count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && before(h->items[child + 1], h->items[child])) child++;
        if (!before(h->items[child], last)) break;
        h->items[i] = h->items[child];
    }
    h->items[i] = last;
    return top;
}

typedef struct astar {
    const hf_space_graph* graph;
    const hf_space* space;
    double* length; /* from the start; infinite where not reached */
    int* came;      /* half-edge it was reached by */
    bool* closed;
    heap open;
} astar;

static double apart(const astar* s, int a, int b) {
    return s->space->distance(s->space->user, hf_space_graph_node(s->graph, a),
                              hf_space_graph_node(s->graph, b), INFINITY);
}

static void walk(astar* s, int from, int to, double enough) {
    const hf_space_graph* g = s->graph;
    for (int i = 0; i < hf_space_graph_count(g); i++)
        s->length[i] = INFINITY, s->came[i] = -1, s->closed[i] = false;
    s->length[from] = 0;
    heap_push(&s->open, (heap_item){apart(s, from, to), from});
    while (s->open.count) {
        int node = heap_pop(&s->open).node;
        if (s->closed[node]) continue; // an older, longer way
        s->closed[node] = true;
        if (node == to) return;
        for (int h = g->first[node]; h >= 0; h = g->next[h]) {
            int other = hf_space_half_end(g, h);
            if (s->closed[other] || (g->shut && g->shut[h / 2])) continue;
            double length = s->length[node] + apart(s, node, other);
            double estimate = length + apart(s, other, to);
            if (length >= s->length[other] || estimate >= enough) continue;
            s->length[other] = length, s->came[other] = h;
            heap_push(&s->open, (heap_item){estimate, other});
        }
    }
}

hf_status hf_space_graph_search(const hf_space_graph* g, const hf_space* space, int from, int to,
                                double enough, hf_space_route* route) {
    size_t n = (size_t)hf_space_graph_count(g);
    hf_workspace* w = g->nodes.rows.workspace;
    *route = (hf_space_route){.halves = hf_workspace_take(w, n, sizeof *route->halves)};
    astar s = {.graph = g,
               .space = space,
               .length = hf_workspace_take(w, n, sizeof *s.length),
               .came = hf_workspace_take(w, n, sizeof *s.came),
               .closed = hf_workspace_take(w, n, sizeof *s.closed)};
    // a node is pushed at most once for each way into it
    s.open.items = hf_workspace_take(w, 2 * (size_t)g->edge_count + 1, sizeof *s.open.items);
    if (!route->halves || !s.length || !s.came || !s.closed || !s.open.items) return HF_ERROR_MEMORY;
    walk(&s, from, to, enough);
    route->length = s.length[to];
    route->found = isfinite(route->length);
    for (int node = to; route->found && s.came[node] >= 0; node = hf_space_half_start(g, s.came[node]))
        route->halves[route->count++] = s.came[node];
    return HF_OK;
}
