/* A refined motion begins and ends in the given poses; limbs that are on their holds as given stay so. */
#ifndef HF_REFINE_ENDS_H
#define HF_REFINE_ENDS_H

#include "schedule/held.h"
#include "solve/keep.h"
#include <holdfast/schedule.h>

typedef enum hf_end { HF_END_FIRST = 1, HF_END_LAST = 2 } hf_end;

/* Adds a fault, a slip of no limb, for the first frame and for the last one (those of the hf_end flags) where
   root or joints are not in the pose that the given schedule begins or ends in. */
hf_status hf_ends_judge(const hf_creature* creature, const hf_schedule* given, const hf_schedule* made,
                        unsigned ends, hf_workspace* workspace, hf_realise_result* faults);
/* hf_hold_keep for a limb that is not on its hold yet: the solver would bend one that is straight. */
hf_status hf_held_keep(const hf_creature* creature, const hf_held* held, hf_keep_care care,
                       hf_workspace* workspace, hf_transform* links, double* q, bool* kept, hf_vec3* miss);

#endif
