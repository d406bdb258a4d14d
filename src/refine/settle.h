/* Puts the limbs of a schedule's frames onto their holds. */
#ifndef HF_REFINE_SETTLE_H
#define HF_REFINE_SETTLE_H

#include <holdfast/schedule.h>
#include "schedule/held.h"

/* A smooth curve near poses leaves held limbs a little beside their holds, and they would jump back as a hold
   begins. What each limb is off there is taken off its values, and fades over its ways between holds. The
   knots are the frames; held: as each hold begins. */
hf_status hf_settle_holds(const hf_creature* creature, const hf_held* held, hf_workspace* workspace,
                          hf_schedule* schedule);

#endif
