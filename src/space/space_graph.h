/* A graph of states in workspace memory: grows, knows its components, finds shortest ways. */
#ifndef HF_SPACE_SPACE_GRAPH_H
#define HF_SPACE_SPACE_GRAPH_H

#include "space/space_nearest.h"

typedef struct hf_space_edge {
    int a, b;    /* nodes */
    double mark; /* of the space's join, from a to b */
} hf_space_edge;

typedef struct hf_space_graph {
    hf_space_states nodes;
    int node_capacity, edge_count, edge_capacity;
    int* above; /* union-find: the node above, itself at the top */
    int* first; /* first half-edge of each node, -1 for none */
    hf_space_edge* edges;
    int* next;        /* of half-edge 2 e (from a) and 2 e + 1 (from b) */
    const bool* shut; /* by edge: those that ways do not take; NULL for none */
} hf_space_graph;

hf_space_graph hf_space_graph_start(int width, hf_workspace* workspace);
static inline int hf_space_graph_count(const hf_space_graph* graph) { return graph->nodes.rows.count; }
static inline const double* hf_space_graph_node(const hf_space_graph* graph, int node) {
    return hf_space_row(&graph->nodes.rows, node);
}
/* The new node is the last one. HF_OK or HF_ERROR_MEMORY. Calls distance. */
hf_status hf_space_graph_add(hf_space_graph* graph, const hf_space* space, const double* state);
hf_status hf_space_graph_join(hf_space_graph* graph, int a, int b, double mark);
/* The same number for all nodes of a component. */
int hf_space_graph_component(const hf_space_graph* graph, int node);
int hf_space_graph_components(const hf_space_graph* graph);

/* A way in a graph: half-edges from the last to the first. */
typedef struct hf_space_route {
    bool found;
    double length;
    int count;
    int* halves; /* workspace memory */
} hf_space_route;

/* The node that a half-edge leads to, seen from the route's start. */
static inline int hf_space_half_end(const hf_space_graph* graph, int half) {
    return half % 2 ? graph->edges[half / 2].a : graph->edges[half / 2].b;
}
static inline int hf_space_half_start(const hf_space_graph* graph, int half) {
    return half % 2 ? graph->edges[half / 2].b : graph->edges[half / 2].a;
}
/* The shortest way between two nodes, edges as long as the distance of their ends. Not found when there is
   none shorter than `enough`. Calls distance. */
hf_status hf_space_graph_search(const hf_space_graph* graph, const hf_space* space, int from, int to,
                                double enough, hf_space_route* route);

#endif
