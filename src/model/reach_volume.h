/* Reach volumes with a choice of directions. */
#ifndef HF_MODEL_REACH_VOLUME_H
#define HF_MODEL_REACH_VOLUME_H

#include <holdfast/reach.h>

/* One of `count` directions that are evenly spread over the sphere: a Fibonacci spiral. */
hf_vec3 hf_even_way(int index, int count);
/* As hf_reach_volume, but exact in these unit directions of the limb's root frame only. Where the contact
   moves in a plane or on a line, the volume is what lies within thick_m of where it gets; 0: HF_ERROR_FORMAT.
 */
hf_status hf_reach_volume_along(const hf_creature* creature, int limb, int contact, const hf_vec3* ways,
                                int way_count, double thick_m, hf_mesh* hull, hf_error* error);
/* Where `count` drawn postures have the contact frame, three numbers each, in the limb's root frame. */
hf_status hf_reach_draw_points(const hf_creature* creature, int limb, int contact, int count, float* points,
                               hf_error* error);

#endif
