/* A single query: one tree grows from the start, one from the goal, until they meet. */
#ifndef HF_SPACE_ROOT_TREE_H
#define HF_SPACE_ROOT_TREE_H

#include "space/root_path.h"

/* Fills corners from start to goal when found, else to the pose that came nearest to the goal, and the
   answer's counts and stop. Both poses hold. */
hf_status hf_root_tree_search(hf_root_space* space, const hf_transform* start, const hf_transform* goal,
                              const hf_guide_options* options, hf_workspace* workspace, hf_root_path* corners,
                              hf_guide_path* out);

#endif
