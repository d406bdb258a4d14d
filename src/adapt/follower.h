/* One frame of a creature that follows soft targets: weighted least squares over root and joints
   (Gauss-Newton steps), inside joint limits, ranges of motion and the way that joints and root can go since
   the frame before. The whole-body solver reaches targets of limbs under priorities; here dozens of wishes
   about any link are balanced, most of which cannot be met exactly. */
#ifndef HF_ADAPT_FOLLOWER_H
#define HF_ADAPT_FOLLOWER_H

#include "adapt/landmarks.h"

typedef struct hf_follower {
    const hf_creature* creature;
    int v_count, column_count;
    int* columns; /* speeds that may change */
    double rate;  /* frames a second: how far a joint goes in one */
    hf_pose pose, before, next;
    bool has_before;
    bool unhurried; /* speeds have no limits: the motion shows how fast the creature would have to be */
    hf_transform* links;
    double *gram, *factor, *right, *inverse, *step; /* of the columns */
    double *jacobian, *other;                       /* 6 x v_count, of a point */
    double *lower, *upper;                          /* of each speed's step */
    bool* stuck;                                    /* columns at a bound */
    int8_t* at_bound;      /* those of the step before: -1 at the lower one, 1 at the upper one */
    double* drift;         /* speeds of the frame before, each column's step of one frame */
    double* gone;          /* since the frame before */
    const double* posture; /* q that joints drift to where nothing else asks */
} hf_follower;

hf_status hf_follow_make(const hf_creature_body* body, double rate, hf_follower* follower);
void hf_follow_free(hf_follower* follower);

/* Starts a frame: `pose` is where the one before ended (has_before), bounds follow from it. */
void hf_follow_begin(hf_follower* follower);
/* Starts a step: forgets the wishes and finds the links. */
void hf_follow_clear(hf_follower* follower);
/* Wishes: all in metres and radians, with a weight. */
void hf_follow_point(hf_follower* follower, int link, hf_vec3 offset, hf_vec3 target, double weight);
/* The way from one point to another. */
void hf_follow_way(hf_follower* follower, hf_mark from, hf_mark to, hf_vec3 way, double weight);
/* The middle between two points. */
void hf_follow_middle(hf_follower* follower, hf_mark a, hf_mark b, hf_vec3 target, const double weight[3]);
void hf_follow_turn(hf_follower* follower, int link, hf_quat target, double weight);
/* A direction of a link in the world. */
void hf_follow_direction(hf_follower* follower, int link, hf_vec3 own, hf_vec3 target, double weight);
/* A point of a link (world) shall go `by` along a unit direction; `against`: a link that goes the other way
   with the same point, -1 for none. */
void hf_follow_push(hf_follower* follower, int link, int against, hf_vec3 point, hf_vec3 direction, double by,
                    double weight);
/* Moves the pose by the best step; returns its largest part, rad or m. */
double hf_follow_step(hf_follower* follower);

#endif
