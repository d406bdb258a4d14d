/* How an arm that has nothing to do is held while the trunk leans and turns. */
#ifndef HF_REACH_FREE_ARM_H
#define HF_REACH_FREE_ARM_H

#include "reach/reach_world.h"

/* Remembers how trunk and upper arms are turned in the pose that the worker has, the rest posture. */
void hf_free_arms_learn(const hf_reach_worker* worker, hf_reach_hanging_arm arms[2]);

/* Gives an arm the controls of a free one, for the trunk and legs that the controls have: 1: the upper arm
   hangs as in the rest posture, turned about the vertical as far as the trunk is; 0: it goes along with the
   trunk; between: as far between. Clavicle, elbow and wrist are as in the rest posture. */
void hf_free_arm_hang(hf_reach_worker* worker, hf_side side, double share, double* controls);

/* Is a body part of an arm, its clavicle or its hand? */
bool hf_free_arm_has(const hf_reach_world* world, hf_side side, int body);

#endif
