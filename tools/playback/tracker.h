/* Torques that make a creature in MuJoCo follow a target: at each step one bounded quadratic program over
   torques and contact forces, with the whole dynamics of the body. */
#ifndef HF_PLAYBACK_TRACKER_H
#define HF_PLAYBACK_TRACKER_H

#include "stage.h"
#include "target.h"

typedef struct tracker tracker;

/* What limited the tracker in the last step. */
typedef struct tracker_limits {
    int torques, torques_cut; /* joints, and those whose torque is at its limit */
    int worst_joint;          /* the one that is nearest to its limit or at it, -1 */
    double worst_share;
    bool solved; /* the program came to its end */
} tracker_limits;

tracker* tracker_make(const stage* world);
void tracker_free(tracker* t);
/* Fills data->ctrl for the state of data, after mj_step1. */
tracker_limits tracker_step(tracker* t, const target* wanted, const touch* touches, int count);

#endif
