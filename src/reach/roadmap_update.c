/* Update of a roadmap after objects moved (reaching-2003 section 7): what the objects' boxes can touch is
   tested again, what does not hold goes, parts that came off are joined again or dropped, and the tree grows
   where it became thin. */
#include "reach/reach_roadmap.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { MOST_LINKS = 5 }; /* nodes of the largest part that each node of another one is tried with */
/* How far bodies reach from the lines between the points of the distance, m: trunk with head and legs, arms,
   hands with fingers. More than any creature of these proportions needs. */
static const double TRUNK_M = 0.25, LEGS_M = 0.4, ARM_M = 0.16, HAND_M = 0.2;
static const double HEAD_M = 0.6; /* from the spine's upper end to the top of a head */

typedef struct updating {
    hf_reach_roadmap* roadmap;
    hf_reach_crew* crew;
    const hf_reach_box* boxes;
    int box_count;
    bool *node_good, *edge_good;
} updating;

static double outside(double x, double low, double high) { return fmax(0, fmax(low - x, x - high)); }

static double box_distance(const hf_reach_box* b, hf_vec3 p) {
    double x = outside(p.x, b->low.x, b->high.x), y = outside(p.y, b->low.y, b->high.y);
    return sqrt(x * x + y * y + outside(p.z, b->low.z, b->high.z) * outside(p.z, b->low.z, b->high.z));
}

/* May a body about the line between two points, which move to two others, touch a box? Looked at in five
   places. */
static bool line_near(const hf_reach_box* box, const hf_vec3 a[2], const hf_vec3 b[2], double radius) {
    double slack = radius + hf_distance(a[0], a[1]) / 8;
    for (int i = 0; i <= 4; i++) {
        hf_vec3 p = hf_lerp(a[0], a[1], i / 4.0), q = hf_lerp(b[0], b[1], i / 4.0);
        if (box_distance(box, p) <= slack + hf_distance(p, q)) return true;
    }
    return false;
}

static hf_vec3 head_of(const hf_vec3* p) {
    return hf_add(p[1], hf_scale(hf_normalize(hf_sub(p[1], p[0])), HEAD_M));
}

/* May a body of the creature, in a posture between these two, touch one of the boxes? */
static bool may_touch(const updating* u, const double* a, const double* b) {
    static const struct {
        int from, to;
    } lines[] = {{0, 1}, {2, 3}, {3, 4}, {4, 5}, {4, 6}, {7, 8}, {8, 9}, {9, 10}, {9, 11}};
    const double radii[] = {TRUNK_M, ARM_M, ARM_M, HAND_M, HAND_M, ARM_M, ARM_M, HAND_M, HAND_M};
    const hf_vec3 *p = (const hf_vec3*)(const void*)(a + HF_CONTROL_COUNT),
                  *q = (const hf_vec3*)(const void*)(b + HF_CONTROL_COUNT);
    double floor = u->crew->workers[0]->world->stand.foot[0].position.z;
    for (int i = 0; i < u->box_count; i++) {
        hf_vec3 legs_a[2] = {p[0], {p[0].x, p[0].y, floor}}, legs_b[2] = {q[0], {q[0].x, q[0].y, floor}};
        if (line_near(&u->boxes[i], legs_a, legs_b, LEGS_M)) return true;
        hf_vec3 head_a[2] = {p[1], head_of(p)}, head_b[2] = {q[1], head_of(q)};
        if (line_near(&u->boxes[i], head_a, head_b, TRUNK_M)) return true;
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            hf_vec3 x[2] = {p[lines[k].from], p[lines[k].to]}, y[2] = {q[lines[k].from], q[lines[k].to]};
            if (line_near(&u->boxes[i], x, y, radii[k])) return true;
        }
    }
    return false;
}

static void test_node(void* context, int index, int worker) {
    updating* u = context;
    const double* state = hf_space_graph_node(&u->roadmap->graph, index);
    u->node_good[index] = !may_touch(u, state, state) || hf_reach_valid(u->crew->workers[worker], state);
}

static void test_edge(void* context, int index, int worker) {
    updating* u = context;
    const hf_space_edge* e = &u->roadmap->graph.edges[index];
    const double *a = hf_space_graph_node(&u->roadmap->graph, e->a),
                 *b = hf_space_graph_node(&u->roadmap->graph, e->b);
    u->edge_good[index] = u->node_good[e->a] && u->node_good[e->b];
    if (!u->edge_good[index] || !may_touch(u, a, b)) return;
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
static hf_status join_parts(hf_space_graph* g, hf_reach_worker* w, int* sizes) {
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
            status = hf_space_graph_join(g, i < near[k] ? i : near[k], i < near[k] ? near[k] : i, 1);
            break;
        }
    }
    return status;
}

/* A copy of a graph with the nodes and edges that are kept (NULL: those of one part). */
static hf_status copy_kept(const hf_space_graph* from, hf_reach_worker* w, const bool* nodes,
                           const bool* edges, int* number, hf_space_graph* to) {
    hf_space space = hf_reach_space(w);
    hf_status status = HF_OK;
    int kept = 0;
    for (int i = 0; i < hf_space_graph_count(from) && status == HF_OK; i++) {
        number[i] = nodes[i] ? kept++ : -1;
        if (nodes[i]) status = hf_space_graph_add(to, &space, hf_space_graph_node(from, i));
    }
    for (int e = 0; e < from->edge_count && status == HF_OK; e++) {
        int a = number[from->edges[e].a], b = number[from->edges[e].b];
        if (a >= 0 && b >= 0 && (!edges || edges[e]))
            status = hf_space_graph_join(to, a, b, from->edges[e].mark);
    }
    return status;
}

/* Moves the graph into a new workspace with what is kept. */
static hf_status keep(hf_reach_roadmap* r, hf_reach_worker* w, const bool* nodes, const bool* edges,
                      int* number) {
    hf_workspace* fresh;
    hf_status status = hf_workspace_create(&fresh);
    if (status != HF_OK) return status;
    hf_workspace_begin(fresh);
    hf_space_graph graph = hf_space_graph_start(HF_REACH_WIDTH, fresh);
    status = copy_kept(&r->graph, w, nodes, edges, number, &graph);
    if (status != HF_OK) {
        hf_workspace_free(fresh);
        return status;
    }
    hf_workspace_free(r->workspace);
    r->workspace = fresh;
    r->graph = graph;
    return HF_OK;
}

/* Only what moved is tested: all else held before. */
static void test_all(updating* u, hf_reach_world* world, hf_placement* moved, int threads) {
    hf_placement* all = world->placement;
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
                                  hf_placement* moved, const hf_reach_box* boxes, int count,
                                  hf_progress_fn progress, void* user) {
    int n = hf_space_graph_count(&r->graph), m = r->graph.edge_count;
    hf_reach_worker* w = crew->workers[0];
    int threads = w->world->options->threads;
    updating u = {.roadmap = r, .crew = crew, .boxes = boxes, .box_count = count};
    u.node_good = hf_alloc((size_t)n + 1, sizeof(bool));
    u.edge_good = hf_alloc((size_t)m + 1, sizeof(bool));
    int* number = hf_alloc((size_t)n + 1, sizeof(int));
    hf_status status = u.node_good && u.edge_good && number ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        test_all(&u, world, moved, threads);
        status = keep(r, w, u.node_good, u.edge_good, number);
    }
    if (status == HF_OK) status = join_parts(&r->graph, w, number);
    if (status == HF_OK) {
        int part = largest_part(&r->graph, number);
        for (int i = 0; i < hf_space_graph_count(&r->graph); i++)
            u.node_good[i] = hf_space_graph_component(&r->graph, i) == part;
        status = keep(r, w, u.node_good, NULL, number);
    }
    hf_free(u.node_good);
    hf_free(u.edge_good);
    hf_free(number);
    if (status == HF_OK && hf_space_graph_count(&r->graph) < n)
        status = hf_reach_roadmap_grow(r, crew, n, progress, user);
    return status;
}
