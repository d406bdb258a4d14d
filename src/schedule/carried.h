/* What limbs carry: is it in another object, and do limbs that press it bear it? */
#ifndef HF_SCHEDULE_CARRIED_H
#define HF_SCHEDULE_CARRIED_H

#include "model/object_shape.h"

#include <holdfast/balance.h>

/* Is the object where the placement has it in another one? Its convex pieces are bodies, of the others the
   corners are asked, as in a check. */
bool hf_carried_collides(const hf_object_shape* shape, hf_placement* placement, int object);

/* Do the holds (in the world) that press the object bear its weight at rest, by friction and with no more
   than the limbs' max_force? True where none of them presses it. The stance is for the answer alone. Efforts
   of joints are not asked. */
hf_status hf_carried_borne(const hf_creature* creature, const hf_placement* placement,
                           const hf_transform* links, const hf_hold* holds, int count, int object,
                           hf_stance* stance, hf_workspace* workspace, bool* borne);

#endif
