/* Changing the family of postures, from standing to all limbs and back. */
#ifndef HF_PLAN_FAMILY_H
#define HF_PLAN_FAMILY_H

#include "plan/planner.h"

/* From the last stance, which stands on the walking limbs, to all limbs as guides have the body there.
   Appends stances; false where one of the changes does not work out, and the stances before it stay. */
bool hf_family_down(hf_planner* p);

#endif
