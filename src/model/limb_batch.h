/* The limb as a list of steps for the batch kernel. All frames are parallel to the limb's root frame when
   every angle is zero (product of exponentials), so that no fixed rotation stands between two joints. */
#ifndef HF_MODEL_LIMB_BATCH_H
#define HF_MODEL_LIMB_BATCH_H

#include "base/cpu.h"
#include <holdfast/kinematics.h>

enum { HF_BATCH_MAX_STEPS = 256, HF_BATCH_MAX_CARRIES = 8, HF_BATCH_LANES = 16 };

typedef enum hf_batch_motion {
    HF_BATCH_TURN_X,
    HF_BATCH_TURN_Y,
    HF_BATCH_TURN_Z,
    HF_BATCH_TURN_ANY,
    HF_BATCH_SLIDE
} hf_batch_motion;

/* One joint: value = scale * theta[row] + offset. */
typedef struct hf_batch_step {
    hf_batch_motion motion;
    int row;
    int carry;   /* the column it adds to, of those that several joints share; -1: a column of its own */
    bool plain;  /* scale 1, offset 0 */
    bool shifts; /* shift is not zero */
    float scale, offset;
    float axis[3];  /* unit; of an aligned turn the positive axis */
    float shift[3]; /* from the joint before (towards the trunk) to this one */
} hf_batch_step;

typedef struct hf_batch_program {
    int step_count, carry_count;
    float point[3], normal[3];               /* in the last joint's frame */
    hf_batch_step steps[HF_BATCH_MAX_STEPS]; /* from effector to trunk */
} hf_batch_program;

/* The limb's program; HF_ERROR_ARGUMENT or HF_ERROR_LIMIT as hf_limb_batch says. */
hf_status hf_batch_compile(const hf_creature* creature, int limb, int contact, hf_batch_program* program);
/* Runs on a chosen build of the kernel, which the machine must be able to run. */
void hf_batch_run(hf_cpu cpu, const hf_batch_program* program, const hf_batch* batch);

void hf_limb_batch_run_baseline(const hf_batch_program* program, const hf_batch* batch);
void hf_limb_batch_run_avx2(const hf_batch_program* program, const hf_batch* batch);
void hf_limb_batch_run_avx512(const hf_batch_program* program, const hf_batch* batch);

#endif
