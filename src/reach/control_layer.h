/* The inside of a control layer. */
#ifndef HF_REACH_CONTROL_LAYER_H
#define HF_REACH_CONTROL_LAYER_H

#include "io/control_file.h"

#include <holdfast/control.h>

enum { HF_CONTROL_MAX_PARTS = HF_CONTROL_FILE_JOINTS };
_Static_assert(HF_CONTROL_COUNT <= (int)HF_CONTROL_FILE_CONTROLS, "a file may name all controls");

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
    double pitch; /* how far the pelvis tilts forward as it is lowered, rad/m */
};

/* What a file changes, in this order; false when it is refused, with the reason in file->json. Limbs: before
   the layer is derived. Joints: before the ranges are. */
bool hf_control_override_limbs(hf_control_layer* layer, hf_control_file* file);
bool hf_control_override_joints(hf_control_layer* layer, hf_control_file* file);
bool hf_control_override_ranges(hf_control_layer* layer, hf_control_file* file);

/* First control of an arm. */
static inline int hf_control_first(hf_side side) { return side == HF_RIGHT ? 0 : HF_CONTROL_ARM; }
/* Controls of an arm, from its first one. The clavicle's come before the shoulder's, of which the first turns
   the arm forward and the next ones swing and twist it. */
enum { HF_ARM_SHOULDER = 2, HF_ARM_SHOULDER_JOINTS = 3, HF_ARM_ELBOW = 5 };

/* Points of the distance: those of the trunk, then those of the right arm and those of the left arm. */
enum { HF_TRUNK_POINTS = 2, HF_ARM_POINTS = 5 };
_Static_assert(HF_TRUNK_POINTS + 2 * HF_ARM_POINTS == (int)HF_CONTROL_POINTS, "trunk and two arms");
/* Points of an arm, from its first one. */
enum { HF_SHOULDER_POINT, HF_ELBOW_POINT, HF_WRIST_POINT, HF_HAND_POINTS /* two of them */ };
/* First point of an arm. */
static inline int hf_control_first_point(hf_side side) {
    return HF_TRUNK_POINTS + (side == HF_RIGHT ? 0 : HF_ARM_POINTS);
}

#endif
