/* Postures: families of whole-body postures that a creature can hold on level ground, found from its limbs,
   its whole-body solver and static balance, and poses in which it can change from one family to another. */
#ifndef HOLDFAST_POSTURE_H
#define HOLDFAST_POSTURE_H

#include <holdfast/hold.h>
#include <holdfast/kinematics.h>
#include <holdfast/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hf_posture_family {
    HF_POSTURE_STAND,  /* on the walking limbs, as the standing posture has them */
    HF_POSTURE_SQUAT,  /* on the walking limbs, as low as they fold */
    HF_POSTURE_CRAWL,  /* on walking limbs, or limbs that take their place (knees), and others (hands) */
    HF_POSTURE_PRONE,  /* lies on its front: no limb need bear */
    HF_POSTURE_SUPINE, /* lies on its back */
    HF_POSTURE_SIT,    /* on contacts without joints (a seat) and walking limbs below them */
    HF_POSTURE_HANG,   /* by limbs that grip something above the body */
    HF_POSTURE_FAMILIES
} hf_posture_family;
HF_API const char* hf_posture_family_text(hf_posture_family family);

enum { HF_POSTURE_HOLDS = 16 }; /* of a posture at most */

/* A posture on the ground z = 0 that looks along +X with the root over the origin. A seat is held at its own
   height, a grip above the body with no ground below. Joint values belong to the library. */
typedef struct hf_posture {
    hf_posture_family family;
    hf_pose pose;
    int hold_count; /* 0 where the body lies */
    hf_hold holds[HF_POSTURE_HOLDS];
    double tilt_rad; /* of the root, forwards */
    double margin_m; /* static balance (hf_stance_margin); of a body that lies: how far the centre of mass is
                        inside what it lies on */
    double cost;     /* 0..1: how far limb joints are from standing, mean share of their ranges */
    hf_vec3 low, high; /* the box that its bodies fill */
} hf_posture;

/* A pose in which the limbs of two postures touch together, and the limbs of `from` alone keep the body in
   balance: those of `to` can be taken and let go there, one after the other. */
typedef struct hf_posture_change {
    int from, to; /* postures of the library */
    hf_posture at;
} hf_posture_change;

typedef struct hf_postures {
    int count, change_count;
    hf_posture* items; /* in the order of the families; several of one family hold by other limbs */
    hf_posture_change* changes;
    char why[HF_POSTURE_FAMILIES][120]; /* why a family is empty, in words; "" where it is not */
} hf_postures;

typedef struct hf_posture_options {
    int families;    /* that are looked for: one bit each, 1..127; default 127: all */
    int draws;       /* stances tried for each posture, 1..100,000; default 96 */
    double margin_m; /* least static balance margin, 0..1; default 0.01 */
    uint64_t seed;   /* default 1 */
    int threads;     /* 0: all cores (default); the library does not depend on it */
} hf_posture_options;
HF_API hf_posture_options hf_posture_options_default(void);
HF_API hf_option_table hf_posture_option_table(void);

/* Finds the library of a creature: about a second of work. HF_OK with empty families, each with its reason,
   where a body allows none. options may be NULL. */
HF_API hf_status hf_creature_postures(const hf_creature* creature, const hf_posture_options* options,
                                      hf_postures** postures, hf_error* error);
HF_API void hf_postures_free(hf_postures* postures);

#ifdef __cplusplus
}
#endif
#endif
