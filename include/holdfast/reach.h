/* Reach volumes: the convex hull of where a limb's contact frame can get. */
#ifndef HOLDFAST_REACH_H
#define HOLDFAST_REACH_H

#include <holdfast/rom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hull in the limb's root frame (hf_limb_base), over postures inside joint limits and range of motion;
   free it with hf_mesh_free. contact -1 is the effector link's origin. Found from inside: postures are drawn,
   and in some hundred directions the farthest one is improved until it gets no farther. A limb whose contact
   moves in a plane, on a line or not at all encloses nothing: HF_ERROR_FORMAT. The same on every machine. */
HF_API hf_status hf_reach_volume(const hf_creature* creature, int limb, int contact, hf_mesh* hull,
                                 hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
