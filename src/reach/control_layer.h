/* The inside of a control layer. */
#ifndef HF_REACH_CONTROL_LAYER_H
#define HF_REACH_CONTROL_LAYER_H

#include <holdfast/control.h>

enum { HF_CONTROL_MAX_PARTS = 12 };

/* How far the pelvis tilts forward as it is lowered, rad/m: as people squat. An upright one would need ankles
   that bend farther than people's. */
#define HF_CONTROL_PITCH 2.0

typedef struct hf_control_point {
    int link;
    hf_vec3 offset;
} hf_control_point;

struct hf_control_layer {
    const hf_creature* creature;
    int arms[2], legs[2]; /* limbs, right and left */
    hf_control controls[HF_CONTROL_COUNT];
    hf_control_part parts[HF_CONTROL_COUNT][HF_CONTROL_MAX_PARTS];
    hf_control_point points[HF_CONTROL_POINTS];
};

/* First control of an arm. */
static inline int hf_control_first(hf_side side) { return side == HF_RIGHT ? 0 : HF_CONTROL_ARM; }

#endif
