/* The inside of a roadmap. */
#ifndef HF_SPACE_ROADMAP_H
#define HF_SPACE_ROADMAP_H

#include "space/roadmap_file.h"
#include "space/root_search.h"

struct hf_roadmap {
    hf_roadmap_block* block;
};

/* What a roadmap is made from. */
hf_roadmap_key hf_roadmap_key_make(uint64_t model, const hf_placement* placement);
/* Was a roadmap of nodes of this width made from the same? The error says what differs. */
hf_status hf_roadmap_matches(const hf_roadmap* roadmap, const hf_roadmap_key* want, int width,
                             hf_error* error);
/* The roadmap of a graph. header: what the graph does not tell. guide: header.guide_count poses. edge_rows:
   header.edge_width floats for each edge. */
hf_status hf_roadmap_keep(hf_roadmap_block header, const hf_space_graph* graph, const hf_transform* guide,
                          const float* edge_rows, hf_roadmap** roadmap);

/* Corners along the guide that the roadmap keeps, from start to goal: where both see it, and are nearer to it
   than the part of it between them is long. *found false else. */
hf_status hf_roadmap_ride(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                          const hf_transform* goal, hf_space_rows* corners, bool* found);
/* Joins start and goal to the roadmap and takes the shortest way; *found false when there is none. */
hf_status hf_roadmap_search(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                            const hf_transform* goal, hf_space_rows* corners, hf_guide_path* out,
                            bool* found);

#endif
