/* How hands hold objects: shapes from the scenario, or found by themselves. */
#ifndef HF_REACH_HAND_GRASP_H
#define HF_REACH_HAND_GRASP_H

#include "reach/reach_world.h"

#include <holdfast/scenario.h>

enum { HF_MAX_GRASPS = 96 };

typedef struct hf_hand_grasp {
    hf_transform hand; /* the effector link, in the object's frame */
    hf_vec3 way;       /* unit, the way the hand comes, in the object's frame */
    hf_hold hold;      /* in the object's frame */
    double* q;         /* whole posture whose fingers are closed; workspace memory */
    int contacts;      /* places where hand and object touch */
    hf_support press;  /* of one of two palms, in the object's frame */
} hf_hand_grasp;

typedef struct hf_hand_grasps {
    int count;
    hf_hand_grasp items[HF_MAX_GRASPS];
    int tried;
    const char* why; /* what the last hand shape failed at */
    char text[160];  /* of why, where it names something */
} hf_hand_grasps;

/* The grasps of an object by one arm, best first. given: what the scenario says of the object. Those found by
   themselves touch in three places at least, and friction there bears the object's weight. */
hf_status hf_hand_grasps_find(const hf_reach_world* world, const hf_scene* scene, int object,
                              const hf_reach_object* given, int limb, hf_workspace* workspace,
                              hf_hand_grasps* out);
/* Two palms that press an object from opposite sides: items 0 and 1 belong together, and so on; the right arm
   comes first. They grip where both arms are limbs that grip; else friction between the palms holds it. */
hf_status hf_hand_grasps_both(const hf_reach_world* world, const hf_scene* scene, int object,
                              hf_workspace* workspace, hf_hand_grasps* out);

/* Does a hand touch by a ball or a point, so that it may be turned as it likes? */
static inline bool hf_hand_turns_freely(const hf_contact_frame* palm) {
    return palm->ball > 0 || palm->patch[0] <= 0 || palm->patch[1] <= 0;
}
/* Where the middle of the contact is while it touches a surface. */
static inline hf_vec3 hf_hand_middle(const hf_contact_frame* palm, const hf_hold* hold) {
    return hf_add(hold->point, hf_scale(hold->normal, palm->ball));
}

#endif
