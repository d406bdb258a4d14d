/* One segment of a plan while it is being made: knots under one set of holds, which become frames. */
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
    const hf_pose* from; /* where it begins, exactly: the last frame before it */
    int knot_count;
    hf_transform* roots;
    double* q;
    hf_vec3* coms;
    double* bounds; /* of the acceleration of the centre of mass */
    double gain;    /* how far the root goes for a metre of the centre of mass, as learnt last */
    bool seated;    /* a limb without joints holds: the root cannot shift */
} hf_segment;

/* Memory for so many knots from the planner's workspace; false when there is none. */
bool hf_segment_room(hf_segment* segment, int knots);
/* The joint values of a knot. */
double* hf_segment_q(const hf_segment* segment, int knot);
/* Puts the centre of mass on a straight way between the first and the last knot (`eased`: slowly at both
   ends), finds times and appends frames that hold; false, with nothing appended, where there are none. */
bool hf_segment_finish(hf_segment* segment, bool eased);
/* The centre of mass of a pose; the planner's links are then those of the pose. */
hf_vec3 hf_segment_com(hf_planner* planner, const hf_pose* pose);

#endif
