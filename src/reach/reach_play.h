/* From a way to frames: times with a bell-shaped speed, and knots of a schedule. */
#ifndef HF_REACH_REACH_PLAY_H
#define HF_REACH_REACH_PLAY_H

#include "reach/reach_roadmap.h"

/* Moves the controls of a frame by little so that a hand is where it must be, as on the joint of a door:
   frames lie between the states of a way. False where that cannot be. */
typedef struct hf_reach_fit {
    bool (*fit)(const void* user, hf_reach_worker* worker, double* controls);
    const void* user;
} hf_reach_fit;

typedef enum hf_reach_looking { HF_LOOK_STAYS, HF_LOOK_AHEAD, HF_LOOK_AT_FOCUS } hf_reach_looking;

/* Where a performance is: what has been scheduled up to now. */
typedef struct hf_reach_stage {
    hf_reach_world* world;
    hf_reach_worker* worker;
    hf_schedule* schedule;
    int frames;                        /* knots so far, one a frame */
    double state[HF_REACH_WIDTH];      /* at the last one */
    hf_hold holds[HF_STANCE_SUPPORTS]; /* besides the feet, in the world: hands that lean, grips */
    int hold_count;
    bool only_tests;         /* ways are tested as if they were played, and nothing is added */
    const hf_reach_fit* fit; /* of every frame that is played; NULL: none */
    hf_reach_looking look;   /* where the head turns while ways are played */
    hf_vec3 focus;           /* in the world */
} hf_reach_stage;

/* Adds the first knot, or the same pose again. */
hf_status hf_reach_stay(hf_reach_stage* stage, int frames, bool stance);
/* Follows a way that begins where the stage is. fingers (may be NULL): joint values at the end of the way,
   which the stand's values become on the way. *good false, and nothing added: a frame does not hold. */
hf_status hf_reach_play(hf_reach_stage* stage, const hf_space_rows* way, const double* fingers, bool* good);
/* Only the stand's joint values (fingers, head) change. */
hf_status hf_reach_turn(hf_reach_stage* stage, const double* q, bool* good);

#endif
