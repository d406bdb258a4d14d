/* What the parts of a refinement cost, counted and not measured: the same on every machine. */
#ifndef HF_REFINE_WORK_H
#define HF_REFINE_WORK_H

#include <holdfast/creature.h>

typedef enum hf_work {
    HF_WORK_FRAME,  /* a frame made and tested by the realiser */
    HF_WORK_SAMPLE, /* a pose whose limits are found for the time scaling */
    HF_WORK_STRAIN, /* a frame whose joint torques are judged */
    HF_WORK_POSE,   /* a pose on the shortest ways, or a look at one */
    HF_WORK_COURSE, /* a pose on the way of the centre of mass */
    HF_WORK_STEP    /* a pose in a step of the path optimiser */
} hf_work;

/* Spends what `count` pieces of work cost with the creature. */
void hf_spend(hf_workspace* workspace, const hf_creature* creature, hf_work work, double count);

#endif
