/* How near the joints of a motion come to their effort limits, contact forces included. */
#ifndef HF_REFINE_STRAIN_H
#define HF_REFINE_STRAIN_H

#include "schedule/held.h"
#include <holdfast/schedule.h>

/* A motion, and the schedule that it was made of. */
typedef struct hf_strain {
    const hf_creature* creature;
    const hf_motion* motion;
    const hf_schedule* schedule;
    const hf_held* held; /* one for each hold of the schedule */
    hf_workspace* workspace;
} hf_strain;

/* Do the joints bear a frame with no more than this share of their effort limits, when contacts share the
   forces as well as they can? Frames that are nearest to the ends have no acceleration and pass, as do frames
   that more joints bear than a force program has rows. */
hf_status hf_strain_bears(const hf_strain* strain, int frame, double share, bool* bears);
/* The frame that is judged behind this one. */
int hf_strain_next(const hf_strain* strain, int frame);
/* The least share, within half a hundredth, with which all judged frames are borne. */
hf_status hf_strain_peak(const hf_strain* strain, double* share);

#endif
