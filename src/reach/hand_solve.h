/* Postures that bring hands to targets: probabilistic inverse kinematics (reaching-2003 section 7). */
#ifndef HF_REACH_HAND_SOLVE_H
#define HF_REACH_HAND_SOLVE_H

#include "reach/reach_roadmap.h"

#include <holdfast/task.h>

/* What is asked of one or two hands. */
typedef struct hf_hand_task {
    int count;
    hf_target targets[2]; /* limbs are the layer's arms */
    int stay;             /* 0: spine and legs help; 1: legs stay; 2: arms alone */
    const double* toward; /* controls that hf_hand_follow draws the posture to; NULL: none */
    double drawn;         /* share of the way there in one call */
    bool exact;           /* hf_hand_follow ends a hundred times as near */
    int tries;            /* random starts; 0: a quick look from a few starts alone */
    int other; /* 1 and more: not the posture that is found first; starts are nodes of the roadmap, from 2 on
                  random */
    bool as_found; /* the posture is not drawn towards the rest posture in the end */
} hf_hand_task;

typedef struct hf_hand_answer {
    bool found;
    double state[HF_REACH_WIDTH];
    double off_m;    /* how near the best posture came, collisions left aside */
    const char* why; /* what the last posture at the target failed at; NULL: none came there */
    int tried;
    double price; /* of the posture: how far it is from rest and, a little, from here */
} hf_hand_answer;

/* A valid posture at the targets, the one of the first few found that is nearest to `from`. */
hf_status hf_hand_solve(hf_reach_roadmap* roadmap, hf_reach_worker* worker, const hf_hand_task* task,
                        const double* from, uint64_t seed, hf_hand_answer* answer);
/* One descent from a state, for a target near where its hands are. */
bool hf_hand_follow(hf_reach_worker* worker, const hf_hand_task* task, const double* from, double* state);

/* Controls into their limits, and arms into their ranges of motion. */
void hf_hand_keep_range(hf_reach_worker* worker, double* controls);

/* Orientations of a hand in the postures of the roadmap whose hand is nearest to a point; how many. */
int hf_hand_turns(hf_reach_roadmap* roadmap, hf_reach_worker* worker, int limb, hf_vec3 point, hf_quat* turns,
                  int most);

#endif
