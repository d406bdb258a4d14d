/* Taking hold of objects, moving them and letting them go. */
#ifndef HF_REACH_TRANSFER_H
#define HF_REACH_TRANSFER_H

#include "reach/hand_grasp.h"
#include "reach/reach_run.h"

/* The load of an object, NULL when nobody carries it; of an arm, what it carries. */
hf_reach_load* hf_reach_load_of(hf_reach_runner* runner, int object);
hf_reach_load* hf_reach_load_by(hf_reach_runner* runner, int limb);

static inline const char* hf_reach_name_of(const hf_reach_runner* runner, int object) {
    return hf_scene_object(runner->scenario->scene, object).name;
}

/* Between two states of a straight way, m. */
static const double HF_REACH_LINE_M = 0.01;
/* Of what is left of the way to another posture, rest or how an object was grasped, so much is gone in one
   state while a hand is guided (a centimetre of its way). The eight states of a hand that leaves by 8 cm make
   more than half of it (1 - 0.9^8), and each starts so near the one before that the arm does not turn over.
 */
static const double HF_REACH_DRAWN = 0.1;
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

/* The arms that may take an object, best first, with their grasps. */
typedef struct hf_reach_takers {
    int count;
    int arms[2];
    hf_hand_grasps* grasps[2];
} hf_reach_takers;

/* What is known of a grasp before it is taken. */
typedef struct hf_reach_offer {
    const hf_hand_grasp* grasp;
    double price; /* of the postures that were found */
    bool ends;    /* a posture was found where the object goes, too, or nothing says where that is */
    double end[HF_CONTROL_COUNT]; /* of that posture, where the object's joint takes it */
} hf_reach_offer;

/* A few offers, the best first: those with which the object gets to where it goes, of these the most
   comfortable ones. What does not fit in falls off at the end. */
enum { HF_REACH_OFFERS = 6 };
typedef struct hf_reach_offers {
    int count;
    hf_reach_offer items[HF_REACH_OFFERS];
} hf_reach_offers;
void hf_reach_offer_add(hf_reach_offers* offers, const hf_reach_offer* offer);

/* One way of taking hold: look tells whether a posture holds the grasp of an offer, and fills in the offer;
   take comes to it, and says in *done when the object is held. */
typedef struct hf_reach_taking hf_reach_taking;
struct hf_reach_taking {
    hf_reach_runner* runner;
    const hf_action* action;
    int index;    /* of the action */
    double value; /* of the object's joint in the end, where it has one */
    int* left;    /* how many grasps may still be taken up; NULL: any number */
    hf_status (*look)(const hf_reach_taking* with, hf_reach_offer* offer, int tries, hf_hand_answer* answer);
    hf_status (*take)(const hf_reach_taking* with, const hf_reach_offer* offer, int tries,
                      hf_hand_answer* answer, bool* done);
};
/* All grasps of all arms, a few at a time, the best one first; quick: without random starts. */
hf_status hf_reach_try(const hf_reach_taking* with, const hf_reach_takers* takers, bool quick,
                       hf_hand_answer* answer, bool* done);
/* A posture that holds a grasp, and its price. */
hf_status hf_reach_look(hf_reach_runner* runner, const hf_hand_grasp* grasp, int tries, int index,
                        hf_hand_answer* answer);

/* The same by a quick look with the object elsewhere. */
hf_status hf_reach_look_there(hf_reach_runner* runner, const hf_hand_grasp* grasp, hf_transform there,
                              int index, hf_hand_answer* answer);

/* ---- parts of grasping, for what is opened by its handle ---- */

hf_target hf_reach_hand_target(const hf_reach_runner* runner, const hf_hand_grasp* grasp);
/* The hand may touch the object that it is about to hold, or no object any more. */
void hf_reach_allow_touch(hf_reach_runner* runner, const hf_hold* hold);
void hf_reach_forbid_touches(hf_reach_runner* runner);
/* Grasps that ask for a hand as postures nearby have it come first. */
void hf_reach_sort_grasps(hf_reach_runner* runner, int object, int limb, hf_hand_grasps* grasps);
/* The fingers of a limb are as in these joint values from now on, in tests alone; NULL: they stay. */
void hf_reach_shape_hand(hf_reach_runner* runner, int limb, const double* q);
/* The fingers of the limbs of some holds go to these joint values while the body stays; `what` says what
   failed where they cannot. */
hf_status hf_reach_turn_fingers(hf_reach_runner* runner, const hf_hold* holds, int count, const double* q,
                                const char* what);
/* A posture that holds, and the straight way to it. */
hf_status hf_reach_prepare(hf_reach_runner* runner, const hf_hand_task* task, hf_vec3 back, int index,
                           hf_hand_answer* answer, hf_space_rows* line);
hf_status hf_reach_close_fingers(hf_reach_runner* runner, const double* q);
/* The hands of a load with the object at a place. */
hf_hand_task hf_reach_carry_task(const hf_reach_runner* runner, const hf_reach_load* load,
                                 hf_transform object);
/* Does something bear the object where the hand has it? */
bool hf_reach_is_borne(hf_reach_runner* runner, const hf_reach_load* load);
/* Opens the fingers, lets the object be where it is and takes the hand away. */
hf_status hf_reach_let_go(hf_reach_runner* runner, hf_reach_load* load);

#endif
