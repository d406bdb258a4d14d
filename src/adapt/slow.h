/* Time for what became longer: parts of a schedule passed more slowly where joints or the root are too fast.
 */
#ifndef HF_ADAPT_RETIME_H
#define HF_ADAPT_RETIME_H

#include <holdfast/schedule.h>

/* A schedule with a knot at every frame, made anew with whole frames added between two changes of holds where
   a step is faster than the creature can; knots outside these parts stay as they are, later ones come later.
   `old` (free it with hf_free) gets the old frame of each new one, rounded down. *added is how many frames
   more there are; 0: nothing is made. `exempt` marks frames that were too fast already. */
hf_status hf_adapt_slow(const hf_creature* creature, const hf_schedule* schedule, const bool* exempt,
                        hf_schedule** slower, int** old, int* added);

#endif
