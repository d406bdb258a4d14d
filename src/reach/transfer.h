/* Taking hold of objects, moving them and letting them go. */
#ifndef HF_REACH_TRANSFER_H
#define HF_REACH_TRANSFER_H

#include "reach/hand_grasp.h"
#include "reach/reach_run.h"

/* The load of an object, NULL when nobody carries it; of an arm, what it carries. */
hf_reach_load* hf_reach_load_of(hf_reach_runner* runner, int object);
hf_reach_load* hf_reach_load_by(hf_reach_runner* runner, int limb);

/* The states while the hands of a task go straight by `shift`, from a state where they are at the targets:
   added behind it, as far as they hold. Returns the share of the way. */
double hf_reach_straight(hf_reach_worker* worker, const hf_hand_task* task, const double* from, hf_vec3 shift,
                         hf_space_rows* rows, hf_status* status);

hf_status hf_reach_grasp(hf_reach_runner* runner, const hf_action* action, int index);
hf_status hf_reach_grasp_both(hf_reach_runner* runner, const hf_action* action, int index);
/* Brings a carried object to a place; lowers it onto what is there when `lower`. */
hf_status hf_reach_transfer(hf_reach_runner* runner, const hf_action* action, int index, bool lower);
hf_status hf_reach_release(hf_reach_runner* runner, const hf_action* action);

/* Attaches an object to the hand (and a second one, or NULL) as they are in the stage's state. */
hf_status hf_reach_attach(hf_reach_runner* runner, int object, const hf_hand_grasp* grasp,
                          const hf_hand_grasp* second, hf_error* error);
void hf_reach_detach(hf_reach_runner* runner, hf_reach_load* load);

#endif
