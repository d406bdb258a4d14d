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
    double* open;      /* the same as the hand comes; NULL: open as at the start. It holds by finger tips */
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

/* Rounds of looking at an object: each has places and turns of the hand of its own, and one is of finger
 * tips. */
enum { HF_GRASP_ROUNDS = 5, HF_GRASP_PINCH = 1 };
/* The grasps of an object by one arm, best first. given: what the scenario says of the object, which counts
   in round 0. Those found by themselves touch in three places at least, friction there bears the object's
   weight, and no other object of the world is in the way of the open hand or of its closing fingers. */
hf_status hf_hand_grasps_find(const hf_reach_world* world, const hf_scene* scene, int object,
                              const hf_reach_object* given, int limb, int round, hf_workspace* workspace,
                              hf_hand_grasps* out);

/* The directions, unit and in the world, in which a hand that is turned so may leave a surface whose normal
   is `out`: straight off the palm, away from the fingers, between the two, or upwards. It comes on the way
   back.
 */
enum { HF_HAND_WAYS = 4 };
void hf_hand_ways(const hf_contact_frame* palm, hf_quat hand, hf_vec3 out, hf_vec3 ways[HF_HAND_WAYS]);
/* The share of a straight way that is enough to come or go. */
static const double HF_HAND_LEAST_LINE = 0.4;
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
