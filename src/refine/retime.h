/* A schedule with the fastest times that its poses allow. */
#ifndef HF_REFINE_RETIME_H
#define HF_REFINE_RETIME_H

#include "refine/stance_list.h"
#include "refine/time_scaling.h"
#include <holdfast/schedule.h>

/* What came of it. */
typedef struct hf_retime_info {
    hf_scaling_block block;
    double block_s; /* the time of the given schedule that cannot be passed */
    double duration_s;
    int samples, static_count, effort_count;
} hf_retime_info;

/* The poses of a schedule, as a smooth curve, passed as fast as the shares of all limits allow, from rest to
   rest, as a schedule of this rate. The phases are the schedule's own (given and refined times are the same),
   the list has their stances. Holds begin and end on frames: a hold that begins between two frames does so on
   the later, one that ends on the earlier. timed (may be NULL; one for each phase) gets the new durations and
   the progress of swings. *out is NULL where the poses cannot be timed (info->block). shares NULL: the
   poses keep their times, and nothing is asked of them. settles: limbs are put exactly onto their holds in
   all frames (settle.h), else only where a hold begins. */
hf_status hf_retime(const hf_creature* creature, const hf_schedule* schedule, const hf_parts* phases,
                    const hf_stance_list* list, const hf_scaling_shares* shares, bool settles, double rate,
                    hf_workspace* workspace, hf_part* timed, hf_schedule** out, hf_retime_info* info);

#endif
