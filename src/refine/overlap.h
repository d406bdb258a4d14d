/* Body and limbs move together: poses of a schedule's phases with the body on its way while limbs swing. */
#ifndef HF_REFINE_OVERLAP_H
#define HF_REFINE_OVERLAP_H

#include "refine/parts.h"
#include "refine/stance_list.h"

typedef struct hf_overlap_wishes {
    double rate;           /* poses a second */
    double smooth_s;       /* over which the body's given motion is calmed */
    const double* weights; /* of the path optimiser's terms */
    const hf_placement* placement;
} hf_overlap_wishes;

/* Poses at equal steps through the phases, as a schedule in refined times that has the given one's holds.
   loads: one for each phase. */
hf_status hf_overlap_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                          const hf_parts* phases, const hf_stance_list* list, const hf_overlap_wishes* wishes,
                          hf_workspace* workspace, hf_schedule** out, hf_part_load* loads);

#endif
