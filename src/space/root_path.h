/* From the corners of a root path to the poses of an answer: straight ways, or a spline. */
#ifndef HF_SPACE_ROOT_PATH_H
#define HF_SPACE_ROOT_PATH_H

#include "space/root_space.h"

/* Corners joined by straight ways that hold. */
typedef struct hf_root_path {
    const hf_transform* corners;
    int count;
} hf_root_path;

/* Adds the poses of a straight path to the answer, neighbours within the step. Start and end are `add`ed as
   they are; every pose was tested when the way between its corners was; a pose equal to the last is not added
   twice. */
hf_status hf_root_path_emit(const hf_root_space* space, const hf_root_path* path, hf_guide_path* out);
/* The same along a spline with shortcuts; *held false (and nothing added) when no spline holds. */
hf_status hf_root_path_spline(hf_root_space* space, const hf_root_path* path, const hf_guide_options* options,
                              hf_workspace* workspace, hf_guide_path* out, bool* held);
hf_status hf_guide_path_add(hf_guide_path* path, const hf_transform* root);

#endif
