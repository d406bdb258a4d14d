/* Body and limbs on the shortest ways between the key poses of a schedule, in motion at once. */
#ifndef HF_REFINE_DIRECT_H
#define HF_REFINE_DIRECT_H

#include "refine/layout.h"

/* Poses at equal steps of time, `rate` a second, as a schedule in the times of the layout that has the given
   one's holds. lost_m: of each given phase, how far a hold is from where it should be at most. */
hf_status hf_direct_make(const hf_ways* ways, const hf_layout* layout, double rate, hf_workspace* workspace,
                         hf_schedule** out, double* lost_m);
/* Bans the forms of swings with which limbs would collide on these ways, and chooses the quickest that are
   left. lost_m as above. */
hf_status hf_direct_choose(hf_ways* ways, const hf_layout* layout, double rate, const hf_placement* placement,
                           hf_workspace* workspace, double* lost_m);

#endif
