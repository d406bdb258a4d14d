/* Repairs of bent frames: smooth shifts of the root and of swinging limbs, until balance is back and bodies
   are free. */
#ifndef HF_ADAPT_REPAIR_H
#define HF_ADAPT_REPAIR_H

#include "adapt/bend.h"

/* Moves the root where limbs do not get to their targets, and where frames lost the balance that the opened
   motion has there. */
hf_status hf_repair_root(hf_bend* bend, int rounds);
/* Adds frames in which a limb changes and those that stay do not hold the body, where the opened motion
   claims that one limb changes at a time: the realiser does not look for them. */
hf_status hf_repair_judge(hf_bend* bend, hf_realise_result* faults);
/* Pushes what collides in these faults out along the surfaces; *pushed is false when nothing can be done. */
hf_status hf_repair_collisions(hf_bend* bend, const hf_realise_result* faults, int round, bool* pushed);

#endif
