/* Keeping bodies out of the scene and out of each other while a creature follows its targets. Bodies are
   balls here, which fill them roughly; the exact tests come later, and ask for more room where they find a
   fault. */
#ifndef HF_ADAPT_PUSH_H
#define HF_ADAPT_PUSH_H

#include "adapt/follower.h"

typedef struct hf_push_ball {
    hf_vec3 center; /* in the link */
    double radius;
} hf_push_ball;

typedef struct hf_push {
    const hf_creature* creature;
    int ball_count;
    hf_vec3* placed; /* where the balls are now */
    hf_push_ball* balls;
    int* first;        /* ball of each body, and one beyond the last */
    hf_push_ball* all; /* a ball about each body, in its link */
    int pair_count;
    int* pairs;    /* two bodies each */
    double* slack; /* by which the balls of a pair overlap at rest, m */
} hf_push;

hf_status hf_push_make(const hf_creature_body* body, hf_push* push);
void hf_push_free(hf_push* push);

/* What a limb touches in this frame. */
typedef struct hf_push_touch {
    int limb, object;
    bool flat; /* the effector lies on it now: room beyond what a touch allows would lift it off */
} hf_push_touch;

/* Adds the pushes of all bodies that are nearer than clearance_m, more[body] m more; returns how many there
   are. */
int hf_push_add(const hf_push* push, hf_follower* follower, const hf_placement* placement,
                const hf_push_touch* touches, int touch_count, double clearance_m, const float* more,
                double weight);

#endif
