/* The inside of a roadmap. */
#ifndef HF_SPACE_ROADMAP_H
#define HF_SPACE_ROADMAP_H

#include "space/roadmap_file.h"
#include "space/root_search.h"

struct hf_roadmap {
    hf_roadmap_block* block;
};

/* What a roadmap is made from. */
hf_roadmap_key hf_roadmap_key_make(const hf_guide_model* model, const hf_placement* placement);

/* Corners along the guide that the roadmap keeps, from start to goal: where both see it, and are nearer to it
   than the part of it between them is long. *found false else. */
hf_status hf_roadmap_ride(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                          const hf_transform* goal, hf_space_rows* corners, bool* found);
/* Joins start and goal to the roadmap and takes the shortest way; *found false when there is none. */
hf_status hf_roadmap_search(const hf_roadmap* roadmap, hf_root_search* search, const hf_transform* start,
                            const hf_transform* goal, hf_space_rows* corners, hf_guide_path* out,
                            bool* found);

#endif
