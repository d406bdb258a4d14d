/* The fastest times along a fixed path of whole poses under contact wrenches: H. Pham, Q.-C. Pham: A new
   approach to time-optimal path parameterization based on reachability analysis, IEEE Transactions on
   Robotics 34, 2018; with the wrenches of contacts as S. Caron, Q.-C. Pham and Y. Nakamura have them (2015).
 */
#ifndef HF_REFINE_TIME_SCALING_H
#define HF_REFINE_TIME_SCALING_H

#include "refine/pace_region.h"
#include <holdfast/balance.h>
#include <holdfast/kinematics.h>
#include <holdfast/refine.h>

/* Poses at equal steps of the path's parameter s, dense enough that central differences are derivatives. */
typedef struct hf_scaling_path {
    const hf_creature* creature;
    int count;   /* 2 or more */
    double step; /* of s, from each pose to the next */
    bool rests;  /* the path has no speed of its own at its ends: any speed along it is rest there */
    const hf_transform* roots;
    const double* q; /* count rows of q_count values */
    const hf_stance* const*
        stances;            /* what bears each pose; NULL, or NULL for a pose: nothing is asked of it */
    const double* margin_m; /* that each pose's wrenches keep to what its stance bears, body weights times
                               metres, but no more than half of what there is at s' = 1; NULL: 0 */
    const double* most_u;   /* of each pose; NULL: no bound */
    const uint8_t* held;    /* limb_count flags for each pose: the limb's joints carry contact forces,
                               so that their torques are not known from the path; NULL for none */
} hf_scaling_path;

/* Shares of the creature's limits that are used, each in (0, 1]. */
typedef struct hf_scaling_shares {
    double speed, acceleration, effort;
} hf_scaling_shares;

/* Why a pose of the path cannot be passed at any speed. */
typedef enum hf_scaling_block {
    HF_SCALING_FREE,
    HF_SCALING_WRENCH,   /* the contacts have no forces for it, at rest or in motion */
    HF_SCALING_LIMITS,   /* limits of speed, acceleration and effort leave nothing */
    HF_SCALING_UNREACHED /* each pose by itself could be passed, but not one after the other */
} hf_scaling_block;

typedef struct hf_scaling {
    double duration_s;
    double* time_s;         /* at which each pose is passed */
    double* speed;          /* of s there, 1/s */
    hf_scaling_block block; /* HF_SCALING_FREE when there are times */
    int block_at;           /* the pose that stops it */
    int static_count;       /* poses that the contacts do not hold at rest */
    int effort_count; /* poses where standing still takes more than the share of a free joint's effort */
} hf_scaling;

/* The region of (u, x) that pose `at` allows by itself: limits of joints and root, efforts of free joints,
   wrenches of its stance. */
hf_status hf_scaling_region(const hf_scaling_path* path, const hf_scaling_shares* shares, int at,
                            hf_workspace* workspace, hf_pace_region* region, hf_scaling* info);
/* How much of each kind of limit pose `at` uses when the path's parameter is time. */
hf_status hf_scaling_bounds(const hf_scaling_path* path, int at, hf_workspace* workspace,
                            double used[HF_REFINE_LIMITS]);
/* Times from rest to rest. The arrays of `scaling` are the caller's, path->count long. A path that cannot be
   timed is an answer: block. */
hf_status hf_scaling_find(const hf_scaling_path* path, const hf_scaling_shares* shares,
                          hf_workspace* workspace, hf_scaling* scaling);

#endif
