/* How far from its own joints a contact may bear the whole body. */
#ifndef HF_BALANCE_BEARING_H
#define HF_BALANCE_BEARING_H

#include <holdfast/balance.h>

/* Draws in the corners of a flat patch on which the body's weight would take more effort than the effector's
   own joints have, so that a body balanced on its toes stands where the toes' joints bear it. Where
   they bear less than `least_share` of the weight on all of the patch, it bears nothing; of others an edge of
   2 mm is left at least. The hold is in the world and keeps its limb at the anchor. */
void hf_support_spare_joints(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                             double least_share, hf_support* support);

#endif
