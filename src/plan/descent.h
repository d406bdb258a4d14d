/* How a creature comes down from standing to all limbs on level ground: found once, put into scenes where it
   is free, and played forwards or backwards. */
#ifndef HF_PLAN_DESCENT_H
#define HF_PLAN_DESCENT_H

#include "plan/planner.h"

/* Stances and their knots: the first one stands over the origin of the ground z = 0 and looks along +X, the
   last one is on all limbs. */
typedef struct hf_descent {
    int count;
    hf_plan_node* nodes;
    double* q;             /* joint values of their poses */
    hf_knot_store knots;   /* their nodes count from 0 */
    double rate, margin_m; /* frames a second, and the least margin of each at rest */
} hf_descent;

/* The descent of the model's creature at the options' rate and margin; *descent is NULL where there is none,
   or where progress (may be NULL) was asked and said that the work shall end. */
hf_status hf_descent_find(const hf_plan_model* model, const hf_plan_options* options, hf_progress_fn progress,
                          void* user, hf_descent** descent, hf_error* error);
void hf_descent_free(hf_descent* descent);
/* A copy at a place that turns about Z alone. False where it is not free or a limb has not the same ground
   there; *placed is then to be freed all the same. */
bool hf_descent_place(hf_planner* p, const hf_descent* descent, hf_transform place, hf_descent** placed);
/* Goes on from the last stance, which is the first of the descent (the last one: `back`), by all others, as
   stances at the guide pose. What every frame keeps does not depend on the direction of time: holds,
   clearance, speeds, balance at rest and in motion. */
bool hf_descent_play(hf_planner* p, const hf_descent* descent, bool back, int guide_index);

#endif
