/* The realiser for motions near one that was measured: bodies that had more room there than they now come
   nearer to anything need no test. Faults are the same. */
#ifndef HF_SCHEDULE_REALISE_NEAR_H
#define HF_SCHEDULE_REALISE_NEAR_H

#include "model/clearance.h"

#include <holdfast/schedule.h>

/* poses: of each frame, in the scene that is given; NULL: none is known. */
hf_status hf_realise_near(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const hf_clear_pose* poses, const hf_realise_options* options,
                          hf_workspace* workspace, hf_motion** motion, hf_realise_result* result);

#endif
