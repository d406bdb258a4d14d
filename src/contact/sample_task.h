/* Task-oriented sampling (efort-2014-journal section 6.2): more postures around those that are good for a
 * task. */
#ifndef HF_CONTACT_SAMPLE_TASK_H
#define HF_CONTACT_SAMPLE_TASK_H

#include "contact/sample_draw.h"

/* What the new postures are drawn around: joint values of posture i at theta + parents[i] * record. */
typedef struct hf_task_parents {
    const float* theta;
    int record;
    uint32_t* parents;
    int count;
} hf_task_parents;

/* Chooses the postures that exert most force along `direction` (unit, limb's root frame) for where they
   reach: the best twentieth in each of 4 x 4 x 4 parts of the space. `measures` holds for each posture its
   point, then J J^T as xx yy zz xy xz yz, `record` numbers apart; the number at `mark` is NaN for one that is
   not to be used. HF_ERROR_MEMORY or HF_OK; free parents->parents with hf_free. */
hf_status hf_task_choose(const float* measures, int record, int mark, int count, const double direction[3],
                         hf_task_parents* parents);
/* Draws postures with these indices near chosen ones; as hf_draw. */
void hf_task_draw(const hf_draw_plan* plan, const hf_draw_kernel* kernel, const hf_task_parents* parents,
                  const uint32_t* index, int count, hf_draw_scratch* scratch, float* theta);

#endif
