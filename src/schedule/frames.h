/* What every frame of a motion must keep, and the way from one frame to the next. */
#ifndef HF_SCHEDULE_FRAMES_H
#define HF_SCHEDULE_FRAMES_H

#include "model/tolerance.h"
#include <holdfast/hold.h>

/* The largest share of its speed limit that the root or a joint takes on the way from a to b. */
double hf_frames_speed(const hf_creature* creature, double rate, const hf_pose* a, const hf_pose* b);
/* A share up to this is within the limits. */
#define HF_FRAME_SPEED (1 + HF_SPEED_SHARE)
/* Straight between two postures a limb may leave its range of motion by a little: brings every joint group
   back into it. */
void hf_frames_keep_range(const hf_creature* creature, double* q);
/* Is a hold kept half way between two frames, where a straight move leaves it most? links: of that pose. */
bool hf_frames_keep(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                    const hf_transform* links);

/* The wrench that a frame's motion asks of the contacts: accelerations by differences over one frame on
   either side. */
typedef struct hf_frame_wrench {
    hf_vec3 com, acceleration; /* of the centre of mass */
    hf_vec3 momentum_rate;     /* change of the angular momentum about the centre of mass, N m */
} hf_frame_wrench;
hf_status hf_frames_wrench(const hf_creature* creature, double rate, const hf_pose* before,
                           const hf_pose* here, const hf_pose* after, hf_workspace* workspace,
                           hf_frame_wrench* wrench);

#endif
