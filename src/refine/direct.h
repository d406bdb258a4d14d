/* Body and limbs on the shortest ways between the key poses of a schedule, in motion at once. */
#ifndef HF_REFINE_DIRECT_H
#define HF_REFINE_DIRECT_H

#include "refine/layout.h"

/* Poses at equal steps of time, `rate` a second, as a schedule in the times of the layout that has the given
   one's holds. loads: of each given phase how far a hold
   is from where it should be, and how far wrenches are beyond what contacts bear where the body is borne in
   motion; no more. */
hf_status hf_direct_make(const hf_ways* ways, const hf_layout* layout, double rate, hf_workspace* workspace,
                         hf_schedule** out, hf_part_load* loads);
/* Bans the forms of swings with which limbs would collide on these ways, and chooses the quickest that are
   left. out (may be NULL): the poses, which are those of hf_direct_make where all swings kept their forms.
   loads as above. */
hf_status hf_direct_choose(hf_ways* ways, const hf_layout* layout, double rate, const hf_placement* placement,
                           hf_workspace* workspace, hf_part_load* loads, hf_schedule** out);

#endif
