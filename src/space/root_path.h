/* A root path in the making: corners joined by straight ways that hold, then a spline, then poses in time. */
#ifndef HF_SPACE_ROOT_PATH_H
#define HF_SPACE_ROOT_PATH_H

#include "space/root_space.h"

typedef struct hf_root_path {
    hf_transform* corners; /* workspace memory */
    int count, capacity;
} hf_root_path;

/* Room grows in the workspace; false when memory is out. */
bool hf_root_path_add(hf_root_path* path, const hf_transform* corner, hf_workspace* workspace);
/* Algorithm 6: takes out corners that a straight way can skip. */
void hf_root_path_prune(hf_root_space* space, hf_root_path* path, int64_t max_tests);
/* Straight ways between any two places of the path, drawn `tries` times. */
bool hf_root_path_shorten(hf_root_space* space, hf_root_path* path, uint64_t seed, int tries,
                          int64_t max_tests, hf_workspace* workspace);

/* Adds the poses of a straight path to the answer, neighbours within the step. Start and end are `add`ed as
   they are; a pose equal to the last one is not added twice. */
hf_status hf_root_path_emit(const hf_root_space* space, const hf_root_path* path, hf_guide_path* out);
/* The same along a spline with shortcuts; *held false (and nothing added) when no spline holds. */
hf_status hf_root_path_spline(hf_root_space* space, const hf_root_path* path, const hf_guide_options* options,
                              hf_workspace* workspace, hf_guide_path* out, bool* held);
hf_status hf_guide_path_add(hf_guide_path* path, const hf_transform* root);
/* Fills times and length under the root's limits. */
hf_status hf_guide_path_time(hf_guide_path* path, const hf_guide_model* model, hf_workspace* workspace);

#endif
