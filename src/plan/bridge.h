/* Changing the family of postures: from standing to all fours and back (posture_library.c has the poses in
   which the limbs of both touch). */
#ifndef HF_PLAN_BRIDGE_H
#define HF_PLAN_BRIDGE_H

#include "plan/planner.h"

/* Is the root nearer to being on all limbs than to the farthest it leans when it stands? */
bool hf_root_is_bent(const hf_plan_world* world, hf_transform root);
/* Does the guide go on from pose `index` in another family than standing, before its contacts would end
   anyway? */
bool hf_guide_bends(const hf_plan_world* world, int index);
/* The pose in which the limb can touch the ground while the holds carry the body, as the library's change has
   it: kept, balanced on the stance and free. `touching` is the same with the limb down, about, and *near
   where it touches. False where there is none. In: `pose` looks where the body shall. */
bool hf_bridge_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int limb,
                    hf_pose* pose, hf_pose* touching, hf_vec3* near);
/* Joint values of the library's nearest posture (number 0), or of the one after (1), to a root that is bent
   so far; NULL: none, or the root is not bent. */
const double* hf_bent_posture(const hf_plan_world* world, hf_transform root, int number);
/* The first guide pose from `index` on that is bent as far as those to come. */
int hf_bridge_index(const hf_plan_world* world, int index);
#endif
