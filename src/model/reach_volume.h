/* Reach volumes with a choice of directions. */
#ifndef HF_MODEL_REACH_VOLUME_H
#define HF_MODEL_REACH_VOLUME_H

#include <holdfast/reach.h>

/* One of `count` directions that are evenly spread over the sphere: a Fibonacci spiral. */
hf_vec3 hf_even_way(int index, int count);
/* As hf_reach_volume, but exact in these unit directions of the limb's root frame only. */
hf_status hf_reach_volume_along(const hf_creature* creature, int limb, int contact, const hf_vec3* ways,
                                int way_count, hf_mesh* hull, hf_error* error);

#endif
