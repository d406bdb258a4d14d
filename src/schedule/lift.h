/* Lifts: the first and the last stretch of a swing, straight off a surface with the body still. */
#ifndef HF_SCHEDULE_LIFT_H
#define HF_SCHEDULE_LIFT_H

#include <holdfast/hold.h>

enum { HF_LIFT_KNOTS = 4 };

typedef struct hf_lift {
    const hf_hold* hold; /* that is left or made; limb, frame, normal and grip count */
    const hf_pose* at;   /* the pose at the hold */
    hf_vec3 way;         /* from the hold to where the lift ends, m */
} hf_lift;

/* Joint values off the surface: HF_LIFT_KNOTS rows of `rows`, the first nearest to the contact. The effector
   keeps its orientation as far as the limb allows: an ankle at its limit lets the heel up first. *lifts false
   where the limb cannot; *scrapes when the effector would turn into the surface. links: scratch. */
hf_status hf_lift_find(const hf_creature* creature, const hf_lift* lift, hf_workspace* workspace,
                       hf_transform* links, double* rows, bool* lifts, bool* scrapes);

#endif
