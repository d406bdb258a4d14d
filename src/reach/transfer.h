/* Taking hold of objects, moving them and letting them go. */
#ifndef HF_REACH_TRANSFER_H
#define HF_REACH_TRANSFER_H

#include "reach/hand_grasp.h"
#include "reach/reach_run.h"

/* The load of an object, NULL when nobody carries it; of an arm, what it carries. */
hf_reach_load* hf_reach_load_of(hf_reach_runner* runner, int object);
hf_reach_load* hf_reach_load_by(hf_reach_runner* runner, int limb);

/* The states while the hands follow tasks, task_at(user, share of the way) with shares from 1/pieces to 1,
   from a state: added behind it, as far as they hold. Returns the share of the way that holds; the worker
   knows why it ends. */
double hf_reach_guide(hf_reach_worker* worker, hf_hand_task (*task_at)(const void* user, double share),
                      const void* user, int pieces, const double* from, hf_space_rows* rows,
                      hf_status* status);
/* The states while the hands of a task go straight by `shift`, from a state where they are at the targets:
   added behind it, as far as they hold. Returns the share of the way. */
double hf_reach_straight(hf_reach_worker* worker, const hf_hand_task* task, const double* from, hf_vec3 shift,
                         hf_space_rows* rows, hf_status* status);

hf_status hf_reach_grasp(hf_reach_runner* runner, const hf_action* action, int index);
hf_status hf_reach_grasp_both(hf_reach_runner* runner, const hf_action* action, int index);
/* Brings a carried object to a place; lowers it onto what is there when `lower`. */
hf_status hf_reach_transfer(hf_reach_runner* runner, const hf_action* action, int index, bool lower);
hf_status hf_reach_release(hf_reach_runner* runner, const hf_action* action);

/* Opens or closes a door, a drawer or a lid by its handle. */
hf_status hf_reach_swing(hf_reach_runner* runner, const hf_action* action, int index);

/* Attaches an object to the hand (and a second one, or NULL) as they are in the stage's state. */
hf_status hf_reach_attach(hf_reach_runner* runner, int object, const hf_hand_grasp* grasp,
                          const hf_hand_grasp* second, hf_error* error);
void hf_reach_detach(hf_reach_runner* runner, hf_reach_load* load);

/* ---- parts of grasping, for what is opened by its handle ---- */

hf_target hf_reach_hand_target(const hf_reach_runner* runner, const hf_hand_grasp* grasp);
/* The hand may touch the object that it is about to hold, or no object any more. */
void hf_reach_allow_touch(hf_reach_runner* runner, const hf_hold* hold);
void hf_reach_forbid_touches(hf_reach_runner* runner);
/* Grasps that ask for a hand as postures nearby have it come first. */
void hf_reach_sort_grasps(hf_reach_runner* runner, int object, int limb, hf_hand_grasps* grasps);
/* A posture that holds, and the straight way to it. */
hf_status hf_reach_prepare(hf_reach_runner* runner, const hf_hand_task* task, hf_vec3 back, int index,
                           hf_hand_answer* answer, hf_space_rows* line);
/* Goes to where the straight way begins and along it. */
hf_status hf_reach_come(hf_reach_runner* runner, const hf_space_rows* line, int without);
hf_status hf_reach_close_fingers(hf_reach_runner* runner, const double* q);
/* The hands of a load with the object at a place. */
hf_hand_task hf_reach_carry_task(const hf_reach_runner* runner, const hf_reach_load* load,
                                 hf_transform object);
/* Does something bear the object where the hand has it? */
bool hf_reach_is_borne(hf_reach_runner* runner, const hf_reach_load* load);
/* Opens the fingers, lets the object be where it is and takes the hand away. */
hf_status hf_reach_let_go(hf_reach_runner* runner, hf_reach_load* load);

#endif
