/* One segment of a plan while it is being made: waypoints under one set of holds, which become knots at the
   rate of the schedule. */
#ifndef HF_PLAN_SEGMENT_H
#define HF_PLAN_SEGMENT_H

#include "plan/planner.h"

typedef struct hf_segment {
    hf_planner* planner;
    const hf_plan_hold* holds;
    int hold_count;
    int limb; /* that swings, -1 for a move */
    const hf_stance* stance;
    int node;
    const hf_pose* from; /* where it begins, exactly: the last knot before it */
    int way_count;       /* waypoints: their roots, joint values and centres of mass */
    hf_transform* roots;
    double* q;
    hf_vec3* coms;
    double* bounds;        /* of the acceleration of the centre of mass at the waypoints */
    double *ease, *borne;  /* shares of accelerations on the ways between them: used, and borne by the last */
    hf_pose pose, scratch; /* the one that is being made, and another */
    double speed;          /* of the last frames, in speed limits; at least 1 */
    double gain;           /* how far the root goes for a metre of the centre of mass, as learnt last */
    bool seated;           /* a limb without joints holds: the root cannot shift */
} hf_segment;

/* Memory for so many waypoints from the planner's workspace; false when there is none. */
bool hf_segment_room(hf_segment* segment, int waypoints);
/* The joint values of a waypoint. */
double* hf_segment_q(const hf_segment* segment, int waypoint);
/* Puts the centre of mass on a straight way between the first and the last waypoint (`eased`: slowly at both
   ends), finds times and appends knots that hold; false, with nothing appended, where there are none. */
bool hf_segment_finish(hf_segment* segment, bool eased);
/* Is every hold kept half way between two frames? */
bool hf_segment_holds_between(const hf_segment* segment, const hf_pose* a, const hf_pose* b);
/* Is the body free from one frame to the next? `begun` when the first is known to be. */
bool hf_segment_free_between(const hf_segment* segment, const hf_pose* a, const hf_pose* b, bool begun);

#endif
