/* How a hold of a schedule begins: where it keeps its limb, and how it bears. */
#ifndef HF_SCHEDULE_HELD_H
#define HF_SCHEDULE_HELD_H

#include <holdfast/balance.h>

typedef struct hf_held {
    hf_hold world;
    hf_anchor anchor;
    hf_support support;
} hf_held;

/* The hold (point and normal in its object's frame) as the limb stands with these links. Where the limb
   stands elsewhere than the hold says (an edited schedule), the hold is right: the contact frame's point goes
   there and its normal against the surface's. */
void hf_held_begin(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                   const hf_transform* links, hf_held* held);

#endif
