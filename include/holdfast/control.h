/* Control layers: a humanoid's whole posture over a pair of feet that stay, in 22 numbers (reaching-2003
   section 4). Nine for each arm, three for the spine, one for the legs. */
#ifndef HOLDFAST_CONTROL_H
#define HOLDFAST_CONTROL_H

#include <holdfast/hold.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HF_CONTROL_COUNT = 22,
    HF_CONTROL_ARM = 9,    /* controls of one arm: clavicle 2, shoulder 3, elbow flexion and twist, wrist 2 */
    HF_CONTROL_SPINE = 18, /* first control of the spine: flexion, roll, twist (rad, of all vertebrae) */
    HF_CONTROL_LEGS = 21,  /* how far the pelvis is lowered, m */
    HF_CONTROL_POINTS = 12, /* of the distance between two postures */
    HF_CONTROL_LEVELS = 9,  /* heights of the pelvis that a stand knows the legs of */
    HF_CONTROL_LEG_JOINTS = 16
};
typedef enum hf_side { HF_RIGHT, HF_LEFT } hf_side;

/* A joint that a control turns: its value is the standing pose's + share * (control - the standing pose's
   control). Controls of arms are the values of their joints, those of the spine are 0 in the standing pose.
 */
typedef struct hf_control_part {
    int joint;
    double share;
} hf_control_part;

/* One of the 22 numbers. A control without parts does not exist in this creature and is 0 (the leg control
   has none and exists: it moves the pelvis, and the legs follow). */
typedef struct hf_control {
    const char* name;
    int part_count;
    const hf_control_part* parts;
    double low, high; /* what the limits of its joints leave, from a spine that is straight */
} hf_control;

typedef struct hf_control_layer hf_control_layer;

/* The layer of a creature with two arms, two legs and a trunk between them, right and left of the X axis in
   its rest posture. Arms: the first seven joints from the hand's end are shoulder (3), elbow, forearm twist
   and wrist (2), what is left towards the trunk is the clavicle; shorter arms have no wrist. Spine: joints
   between root and arms, each counted by the axis of the root's frame that it is nearest to. `path`: a
   file *.control.json that changes what is derived (docs/formats.md); NULL: the one that the creature names,
   if any. HF_ERROR_FORMAT with the reason for a creature that has none of it, or a file that does not fit. */
HF_API hf_status hf_control_layer_create(const hf_creature* creature, const char* path,
                                         hf_control_layer** layer, hf_error* error);
HF_API void hf_control_layer_free(hf_control_layer* layer);
HF_API hf_control hf_control_get(const hf_control_layer* layer, int control);
/* The limb that is this arm or leg. */
HF_API int hf_control_arm(const hf_control_layer* layer, hf_side side);
HF_API int hf_control_leg(const hf_control_layer* layer, hf_side side);

/* Where the creature stands: a pose whose legs hold, from which all other joints keep their values. Right
   comes before left. */
typedef struct hf_control_stand {
    hf_transform root;
    const double* q;      /* q_count values, the caller's memory */
    hf_hold feet[2];      /* in the world */
    hf_transform foot[2]; /* where the legs' effector links are */
    hf_vec3 hip[2];       /* the legs' last joints before the knees, from the root's position in world axes */
    hf_vec3 ankle[2];     /* the legs' last joints */
    double short_m[2], leg_m[2]; /* from hip to ankle, at least and at most */
    hf_vec3 com;
    int level_count; /* 0: hf_control_stand_learn has not been called */
    double level_m;  /* between two levels */
    double legs[HF_CONTROL_LEVELS][2][HF_CONTROL_LEG_JOINTS]; /* joint values, the pelvis so much lower */
} hf_control_stand;
/* The stand of a pose; feet and the memory of q are the caller's affair. links is scratch. */
HF_API void hf_control_stand_set(const hf_control_layer* layer, const hf_pose* pose, hf_transform* links,
                                 hf_control_stand* stand);

/* Solves the legs at some heights of the pelvis, from which hf_control_pose starts from then on: it needs
   about half of the time. pose and links are scratch; pose->q has q_count values, other memory than the
   stand's. */
HF_API void hf_control_stand_learn(const hf_control_layer* layer, hf_pose* pose, hf_transform* links,
                                   hf_control_stand* stand);

/* The controls of the standing pose itself. */
HF_API void hf_control_rest(const hf_control_layer* layer, const hf_control_stand* stand,
                            double controls[HF_CONTROL_COUNT]);
/* The pose of controls: arms and spine as they say; the pelvis is lowered and tilted forward, moved so that
   the centre of mass stays over where it is in the standing pose, and as low as the legs can reach; the legs
   keep the feet. False where the legs cannot. links: link_count of them, of the pose; pose.q holds q_count
   values. */
HF_API bool hf_control_pose(const hf_control_layer* layer, const hf_control_stand* stand,
                            const double controls[HF_CONTROL_COUNT], hf_pose* pose, hf_transform* links);
/* The derivative of the pose by the controls, v_count rows (speeds of root and joints) of HF_CONTROL_COUNT
   columns. links and pose: of hf_control_pose. workspace gives scratch memory. */
HF_API hf_status hf_control_derivative(const hf_control_layer* layer, const hf_control_stand* stand,
                                       const double controls[HF_CONTROL_COUNT], hf_workspace* workspace,
                                       double* derivative);
/* The points whose mean distance is the distance between two postures: the lowest and the highest joint of
   the spine, of each arm shoulder, elbow, wrist and two points of the hand. */
HF_API void hf_control_points(const hf_control_layer* layer, const hf_transform* links,
                              hf_vec3 points[HF_CONTROL_POINTS]);

#ifdef __cplusplus
}
#endif
#endif
