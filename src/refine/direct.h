/* Body and limbs on the shortest ways between the key poses of a schedule, in motion at once. */
#ifndef HF_REFINE_DIRECT_H
#define HF_REFINE_DIRECT_H

#include "refine/parts.h"
#include "refine/stance_list.h"

/* How long each phase should take on these ways: what joints and root need from rest to rest, less where the
   body may move during the swings beside the phase. Sets took_s of all phases. */
hf_status hf_direct_times(const hf_creature* creature, hf_pose_spline* spline, const hf_stance_list* list,
                          hf_workspace* workspace, hf_parts* phases);
/* Poses at equal steps through the phases, `rate` a second, as a schedule in refined times that has the given
   one's holds. lost_m: of each phase, how far a hold is from where it should be at most. */
hf_status hf_direct_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                         const hf_parts* phases, const hf_stance_list* list, double rate,
                         hf_workspace* workspace, hf_schedule** out, double* lost_m);

#endif
