/* Graphs of root poses, with A* (thesis-2015 Algorithm 5; its lines 17 and 18 belong inside the loop over
   neighbours). The distance is a metric, so that the estimate never exceeds what is left. */
#include "space/root_graph.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { MAX_NEAREST = 64 };

/* A larger copy in the workspace. */
static bool enlarge(hf_workspace* workspace, void** items, int count, int capacity, size_t size) {
    void* more = hf_workspace_take(workspace, (size_t)capacity, size);
    if (!more) return false;
    if (count) memcpy(more, *items, (size_t)count * size);
    *items = more;
    return true;
}

int hf_root_graph_add(hf_root_graph* g, const hf_transform* pose) {
    if (g->node_count == g->node_capacity) {
        int n = g->node_count, more = n ? 2 * n : 256;
        if (!enlarge(g->workspace, (void**)&g->pose, n, more, sizeof *g->pose) ||
            !enlarge(g->workspace, (void**)&g->above, n, more, sizeof *g->above) ||
            !enlarge(g->workspace, (void**)&g->first, n, more, sizeof *g->first))
            return -1;
        g->node_capacity = more;
    }
    int node = g->node_count++;
    g->pose[node] = *pose, g->above[node] = node, g->first[node] = -1;
    return node;
}

int hf_root_graph_component(const hf_root_graph* g, int node) {
    while (g->above[node] != node) node = g->above[node];
    return node;
}

int hf_root_graph_components(const hf_root_graph* g) {
    int count = 0;
    for (int i = 0; i < g->node_count; i++) count += g->above[i] == i;
    return count;
}

bool hf_root_graph_join(hf_root_graph* g, int a, int b, double turn) {
    if (g->edge_count == g->edge_capacity) {
        int n = g->edge_count, more = n ? 2 * n : 256;
        if (!enlarge(g->workspace, (void**)&g->edge, n, more, sizeof *g->edge) ||
            !enlarge(g->workspace, (void**)&g->next, 2 * n, 2 * more, sizeof *g->next))
            return false;
        g->edge_capacity = more;
    }
    if (a > b) {
        int swap = a;
        a = b, b = swap;
        if (turn >= 0) turn = 1 - turn;
    }
    int e = g->edge_count++;
    g->edge[e] = (hf_roadmap_edge){a, b, turn};
    g->next[2 * e] = g->first[a], g->first[a] = 2 * e;
    g->next[2 * e + 1] = g->first[b], g->first[b] = 2 * e + 1;
    // the lower number leads, so that components do not depend on the order of edges
    int top_a = hf_root_graph_component(g, a), top_b = hf_root_graph_component(g, b);
    if (top_a < top_b)
        g->above[top_b] = top_a;
    else
        g->above[top_a] = top_b;
    return true;
}

/* ---- nearest ---- */

int hf_root_graph_nearest(const hf_root_graph* g, const hf_root_space* space, const hf_transform* pose,
                          bool (*accept)(const void* user, int node), const void* user, int most,
                          int* nodes) {
    double distance[MAX_NEAREST];
    int count = 0;
    if (most > MAX_NEAREST) most = MAX_NEAREST;
    for (int i = 0; i < g->node_count; i++) {
        if (accept && !accept(user, i)) continue;
        // the shift alone is often too far
        if (count == most &&
            space->metric * hf_distance(g->pose[i].position, pose->position) >= distance[count - 1])
            continue;
        double d = hf_root_distance(space, &g->pose[i], pose);
        if (count == most && d >= distance[count - 1]) continue;
        int k = count < most ? count++ : count - 1;
        for (; k > 0 && distance[k - 1] > d; k--) distance[k] = distance[k - 1], nodes[k] = nodes[k - 1];
        distance[k] = d, nodes[k] = i;
    }
    return count;
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
    double* length; /* from the start; infinite where not reached */
    int* came;      /* half-edge it was reached by */
    bool* closed;
    heap open;
} astar;

static void walk(const hf_root_graph* g, const hf_root_space* space, int from, int to, astar* s) {
    for (int i = 0; i < g->node_count; i++) s->length[i] = INFINITY, s->came[i] = -1, s->closed[i] = false;
    s->length[from] = 0;
    heap_push(&s->open, (heap_item){hf_root_distance(space, &g->pose[from], &g->pose[to]), from});
    while (s->open.count) {
        int node = heap_pop(&s->open).node;
        if (s->closed[node]) continue; // an older, longer way
        s->closed[node] = true;
        if (node == to) return;
        for (int h = g->first[node]; h >= 0; h = g->next[h]) {
            int other = h % 2 ? g->edge[h / 2].a : g->edge[h / 2].b;
            if (s->closed[other]) continue;
            double length = s->length[node] + hf_root_distance(space, &g->pose[node], &g->pose[other]);
            if (length >= s->length[other]) continue;
            s->length[other] = length, s->came[other] = h;
            double left = hf_root_distance(space, &g->pose[other], &g->pose[to]);
            heap_push(&s->open, (heap_item){length + left, other});
        }
    }
}

/* From the end back to the start, then turned round. */
static bool write_corners(const hf_root_graph* g, const int* came, int to, hf_root_path* corners) {
    int start = corners->count;
    bool room = hf_root_path_add(corners, &g->pose[to], g->workspace);
    for (int node = to; came[node] >= 0 && room;) {
        const hf_roadmap_edge* e = &g->edge[came[node] / 2];
        int last = came[node] % 2 ? e->b : e->a;
        if (e->turn >= 0) {
            hf_vec3 x = hf_lerp(g->pose[e->a].position, g->pose[e->b].position, e->turn);
            hf_transform after = {x, g->pose[node].rotation}, earlier = {x, g->pose[last].rotation};
            room = hf_root_path_add(corners, &after, g->workspace) &&
                   hf_root_path_add(corners, &earlier, g->workspace);
        }
        node = last;
        room = room && hf_root_path_add(corners, &g->pose[node], g->workspace);
    }
    for (int a = start, b = corners->count - 1; a < b; a++, b--) {
        hf_transform swap = corners->corners[a];
        corners->corners[a] = corners->corners[b], corners->corners[b] = swap;
    }
    return room;
}

hf_status hf_root_graph_search(const hf_root_graph* g, const hf_root_space* space, int from, int to,
                               hf_root_path* corners, double* length, bool* found) {
    size_t n = (size_t)g->node_count;
    astar s = {.length = hf_workspace_take(g->workspace, n, sizeof *s.length),
               .came = hf_workspace_take(g->workspace, n, sizeof *s.came),
               .closed = hf_workspace_take(g->workspace, n, sizeof *s.closed)};
    // a node is pushed at most once for each way into it
    s.open.items = hf_workspace_take(g->workspace, 2 * (size_t)g->edge_count + 1, sizeof *s.open.items);
    if (!s.length || !s.came || !s.closed || !s.open.items) return HF_ERROR_MEMORY;
    walk(g, space, from, to, &s);
    *length = s.length[to];
    *found = isfinite(*length);
    return !*found || write_corners(g, s.came, to, corners) ? HF_OK : HF_ERROR_MEMORY;
}
