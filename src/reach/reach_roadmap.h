/* The reaching roadmap: a tree of postures from the rest posture, with shortcuts between its leaves. */
#ifndef HF_REACH_REACH_ROADMAP_H
#define HF_REACH_REACH_ROADMAP_H

#include "reach/reach_world.h"
#include "space/space_graph.h"

typedef struct hf_reach_roadmap {
    hf_space_graph graph;
    hf_workspace* workspace; /* its memory */
    int64_t draws;
    int shortcuts;
    int box_count; /* for each edge: what the parts of the body pass through on it */
    int box_capacity;
    hf_box* boxes; /* of edge e from e * box_count on */
} hf_reach_roadmap;

/* The workers of a search, one for each thread. */
typedef struct hf_reach_crew {
    int count;
    hf_reach_worker** workers;
    hf_workspace** workspaces;
} hf_reach_crew;
hf_status hf_reach_crew_create(const hf_reach_world* world, int threads, hf_reach_crew* crew);
void hf_reach_crew_free(hf_reach_crew* crew);
void hf_reach_crew_forget(hf_reach_crew* crew);

hf_status hf_reach_roadmap_create(const hf_body_sweep* sweep, hf_reach_roadmap** roadmap);
/* Joins two nodes by a way that passes. boxes: hf_reach_worker's swept for it. */
hf_status hf_reach_roadmap_join(hf_reach_roadmap* roadmap, int a, int b, double mark, const hf_box* boxes);
void hf_reach_roadmap_free(hf_reach_roadmap* roadmap);
/* Grows the tree until it has so many nodes, or draws of ten times as many brought none. */
hf_status hf_reach_roadmap_grow(hf_reach_roadmap* roadmap, hf_reach_crew* crew, int nodes,
                                hf_progress_fn progress, void* user);
/* Joins leaves that are near each other and far along the tree. */
hf_status hf_reach_roadmap_shorten(hf_reach_roadmap* roadmap, hf_reach_crew* crew);

/* Objects have come to stand elsewhere (`moved` holds them alone): tests the nodes and edges whose boxes they
   touch again, keeps one connected roadmap and lets it grow again to as many nodes as it had. */
hf_status hf_reach_roadmap_update(hf_reach_roadmap* roadmap, hf_reach_crew* crew, hf_reach_world* world,
                                  hf_placement* moved, hf_progress_fn progress, void* user);

/* A way between two states, the ends included: straight, by the roadmap, or by trees of its own. *found false
   for none. side -1: both arms count. */
hf_status hf_reach_find_way(hf_reach_roadmap* roadmap, hf_reach_worker* worker, int without,
                            const double* start, const double* goal, hf_space_rows* path, bool* found);
/* Makes a way shorter and rounder in so many rounds, ends and validity kept. */
hf_status hf_reach_smooth(hf_reach_worker* worker, hf_space_rows* path, int rounds, uint64_t seed);

#endif
