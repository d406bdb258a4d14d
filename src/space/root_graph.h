/* A graph of root poses in workspace memory: grows, knows its components, finds shortest ways. */
#ifndef HF_SPACE_ROOT_GRAPH_H
#define HF_SPACE_ROOT_GRAPH_H

#include "space/root_path.h"

typedef struct hf_root_graph {
    hf_workspace* workspace;
    int node_count, node_capacity, edge_count, edge_capacity;
    hf_transform* pose;
    int* above; /* union-find: the node above, itself at the top */
    int* first; /* first half-edge of each node, -1 for none */
    hf_roadmap_edge* edge;
    int* next; /* of half-edge 2 e (from a) and 2 e + 1 (from b) */
} hf_root_graph;

/* The new node, or -1 when memory is out. */
int hf_root_graph_add(hf_root_graph* graph, const hf_transform* pose);
/* Joins two nodes; `turn` is seen from a. False when memory is out. */
bool hf_root_graph_join(hf_root_graph* graph, int a, int b, double turn);
/* The same number for all nodes of a component. */
int hf_root_graph_component(const hf_root_graph* graph, int node);
int hf_root_graph_components(const hf_root_graph* graph);

/* A* (thesis-2015 Algorithm 5) with the metric as length and estimate. Fills corners from one node to the
   other; *found false when they are not joined. */
hf_status hf_root_graph_search(const hf_root_graph* graph, const hf_root_space* space, int from, int to,
                               hf_root_path* corners, double* length, bool* found);

/* The `most` nodes nearest to a pose for which accept says yes (NULL: all), nearest first, ties by number;
   returns how many. */
int hf_root_graph_nearest(const hf_root_graph* graph, const hf_root_space* space, const hf_transform* pose,
                          bool (*accept)(const void* user, int node), const void* user, int most, int* nodes);

#endif
