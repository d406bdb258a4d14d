/* Path optimisation: poses at equal steps of time between fixed holds, changed so that a sum of costs becomes
   less (thesis section 7.3; method section 8). Each cost is half a sum of squares, its gradient is analytic,
   and a Gauss-Newton step solves one banded system for all poses. */
#ifndef HF_REFINE_POSE_PATH_H
#define HF_REFINE_POSE_PATH_H

#include <holdfast/balance.h>
#include <holdfast/kinematics.h>
#include <holdfast/refine.h>
#include "schedule/held.h"

/* A point of a link that a sample's pose should bring somewhere. */
typedef struct hf_pose_path_target {
    int sample, link;
    hf_vec3 in_link; /* the point, in the link's frame */
    hf_vec3 point;   /* where it should be, in the world */
    hf_quat rotation;
    bool turns; /* the link's rotation counts, too */
    bool holds; /* a contact that holds; else a limb on its way, which may be a little beside it */
    int hold;   /* of a contact that holds */
} hf_pose_path_target;

typedef struct hf_pose_path {
    const hf_creature* creature;
    int count;
    double step_s;
    hf_transform* roots; /* of each sample; the optimiser moves them */
    double* q;           /* count rows of q_count */
    const hf_transform* wished_roots;
    const double* wished_q;
    const hf_stance* const* stances;    /* of each sample; without halfspaces nothing is asked */
    const double* margin_m;             /* of each sample */
    const double* freedom;              /* of each sample: deviations from the wishes count by 1 / freedom */
    const hf_pose_path_target* targets; /* in the order of their samples */
    int target_count;
    const double* weights; /* of the terms, hf_refine_options' */
    /* For clearance and effort; NULL: neither is asked for. */
    const hf_placement* placement;
    const int* holds; /* of each sample a row with each limb's hold, -1: none */
    const hf_held* held;
    /* Contact variables (Mordatch, Todorov and Popovic 2012; thesis-2015 section 7.3.1), one for each hold: 1
       where it counts in full, 0 where it does not matter. The optimiser changes them; NULL: all are 1. */
    double* contact;
    int contact_count;
    const bool* moves; /* v_count flags: the optimiser changes this speed's numbers; NULL: all of them */
} hf_pose_path;

/* The cost of one term; gradient (may be NULL): of each sample one number for
   each speed that moves, to which the term's gradient is added.
   The samples at the ends count like all others. */
hf_status hf_pose_path_cost(const hf_pose_path* t, hf_cost_kind term, hf_workspace* workspace, double* cost,
                            double* gradient);
/* Moves the poses, all but the three first and the three last, in at most this many Gauss-Newton steps with
   Levenberg's damping; the cost never rises. costs (may be NULL): before and after. */
hf_status hf_pose_path_improve(hf_pose_path* t, int steps, hf_workspace* workspace, double costs[2]);

#endif
