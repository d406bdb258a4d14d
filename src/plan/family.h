/* Changing the family of postures, from standing to all limbs and back. */
#ifndef HF_PLAN_FAMILY_H
#define HF_PLAN_FAMILY_H

#include "plan/planner.h"

/* From the last stance, which stands on the walking limbs, to all limbs as guides have the body there.
   Appends stances; false where one of the changes does not work out, and the stances before it stay. */
bool hf_family_down(hf_planner* p);
/* Where the limbs of the change touch the scene in the pose, which is brought exactly there: those that walk,
   the others, or both. Negative where one does not. */
int hf_family_touch(hf_planner* p, bool walking, bool others, hf_pose* pose, hf_plan_hold* holds);
/* Has the library a change from standing to all limbs, as guides have it? */
bool hf_family_is_known(const hf_plan_model* model);

/* Is the root nearer to being on all limbs than to the farthest it leans when it stands? */
bool hf_root_is_bent(const hf_plan_world* world, hf_transform root);
/* Joint values of the library's nearest posture (number 0), or of the one after (1), to a root that is bent
   so far; NULL: none, or the root is not bent. */
const double* hf_bent_posture(const hf_plan_world* world, hf_transform root, int number);

/* ---- legs.c ---- */
/* From the start's stance through all stretches of the guide on all limbs, so that the rest of it stands.
   False, and the result says why, where one of them does not work out. */
bool hf_plan_legs(hf_planner* p, const hf_plan_query* query, hf_plan_result* result, int patience);

#endif
