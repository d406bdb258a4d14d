/* Looking at a point: the joints between the trunk and the head, which no limb moves. */
#ifndef HF_SOLVE_GAZE_H
#define HF_SOLVE_GAZE_H

#include <holdfast/kinematics.h>

enum { HF_GAZE_JOINTS = 8 };

typedef struct hf_gaze {
    int head;       /* link; -1: the creature has no head that turns */
    int first_link; /* that the first of the joints moves */
    int joint_count;
    int joints[HF_GAZE_JOINTS]; /* from the trunk to the head */
    hf_vec3 axis;               /* unit, where the head looks, in its frame */
} hf_gaze;

/* The head of a creature that stands with these links and looks along `forward` (world) then: the highest
   link that carries no limb and is no part of one. */
hf_gaze hf_gaze_find(const hf_creature* creature, const hf_transform* links, hf_vec3 forward);
/* Turns the head's joints in q, within their limits, until it looks at the point but for `eyes_rad`, which
   the eyes turn. links: of the whole pose; those of the head change. */
void hf_gaze_turn(const hf_creature* creature, const hf_gaze* gaze, hf_vec3 point, double eyes_rad, double* q,
                  hf_transform* links);

#endif
