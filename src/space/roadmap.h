/* The inside of a roadmap. */
#ifndef HF_SPACE_ROADMAP_H
#define HF_SPACE_ROADMAP_H

#include "space/roadmap_file.h"
#include "space/root_graph.h"

struct hf_roadmap {
    hf_roadmap_block* block;
};

/* What a roadmap of these options is made from. */
hf_roadmap_key hf_roadmap_key_make(const hf_guide_model* model, const hf_placement* placement,
                                   const hf_roadmap_options* options);
/* Where the objects of a placement stand, and whether they count. */
uint64_t hf_roadmap_placement_hash(const hf_placement* placement);

/* Joins start and goal to the roadmap, growing it around them, and takes the shortest way; *found false when
   there is none. */
hf_status hf_roadmap_search(const hf_roadmap* roadmap, hf_root_space* space, const hf_transform* start,
                            const hf_transform* goal, const hf_guide_options* options,
                            hf_workspace* workspace, hf_root_path* corners, hf_guide_path* out, bool* found);

#endif
