/* Visibility roadmaps of any space: few states that see most of it, joined by ways that hold. */
#ifndef HF_SPACE_SPACE_ROADMAP_H
#define HF_SPACE_SPACE_ROADMAP_H

#include "space/space_graph.h"

typedef struct hf_space_roadmap_options {
    int tries; /* states in a row that add nothing end it */
    int max_samples, max_nodes;
    uint64_t seed; /* of the chances that join is given */
    int threads;   /* 0: all cores; the roadmap does not depend on it */
    hf_progress_fn progress;
    void* user;
} hf_space_roadmap_options;

typedef struct hf_space_roadmap {
    hf_space_graph graph;
    int64_t samples;
    hf_outcome outcome; /* found (tries in a row added nothing), budget, cancelled */
} hf_space_roadmap;

/* Grows a roadmap with one space for each worker (hf_parallel_workers of them). Calls distance, draw (valid
   states only) and join. */
hf_status hf_space_roadmap_grow(hf_space_roadmap* roadmap, const hf_space* spaces,
                                const hf_space_roadmap_options* options, hf_workspace* workspace);

#endif
