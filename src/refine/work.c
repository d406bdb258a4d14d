/* The cost of work, measured with the human (51 links) on climb and race. */
#include "refine/work.h"

#include "base/workspace.h"
#include "model/creature.h"

void hf_spend(hf_workspace* workspace, const hf_creature* creature, hf_work work, double count) {
    /* microseconds for each link */
    static const double cost[] = {[HF_WORK_FRAME] = 0.45, [HF_WORK_SAMPLE] = 0.35, [HF_WORK_STRAIN] = 0.5,
                                  [HF_WORK_POSE] = 0.3,   [HF_WORK_COURSE] = 0.9,  [HF_WORK_STEP] = 0.5};
    hf_workspace_spend(workspace, count * cost[work] * creature->view.link_count);
}
