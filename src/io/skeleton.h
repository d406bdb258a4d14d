/* Creatures from animators' rigs: the skeleton of a BVH file or of a glTF skin as a draft. Joints become
   three angles with default limits, lengths give capsules. */
#ifndef HF_IO_SKELETON_H
#define HF_IO_SKELETON_H

#include "model/creature_draft.h"

/* options is never NULL. On failure the draft is still the caller's to free. */
hf_status hf_bvh_read_creature(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                               hf_error* error);
hf_status hf_gltf_read_creature(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error);

#endif
