/* What a plan knows about a creature before it sees a scene: sample sets, reach volumes and rest places of
   all limbs. Made once, shared by threads. */
#ifndef HF_PLAN_PLAN_MODEL_H
#define HF_PLAN_PLAN_MODEL_H

#include <holdfast/guide.h>
#include <holdfast/plan.h>
#include <holdfast/posture.h>

enum { HF_MAX_FRAMES_OF_LIMB = 8, HF_MAX_SPARES = 24 };

/* Planes n . x <= d of a convex volume. */
typedef struct hf_volume {
    int plane_count;
    double* planes; /* nx ny nz d */
} hf_volume;

/* Which directions a contact frame can face where, in the limb's root frame. */
typedef struct hf_reach_map {
    hf_vec3 low;
    double cell;
    int side[3];
    uint32_t* bits; /* of each cell; NULL: nowhere */
} hf_reach_map;

/* Places and orientations are in the root's frame with the trunk at rest. */
typedef struct hf_plan_limb {
    bool used;
    bool walks; /* in a gait group */
    int set_count;
    hf_samples* sets[HF_MAX_FRAMES_OF_LIMB]; /* one for each contact frame */
    hf_reach_map maps[HF_MAX_FRAMES_OF_LIMB];
    hf_transform limb_in_root; /* the limb's root frame (hf_limb_base) */
    hf_volume volume;          /* the limb's reach */
    hf_vec3 anchor_in_root;    /* the limb's first joint */
    hf_vec3 rest_in_root;      /* the point of the limb's first contact frame at rest */
    hf_quat rest_turn;         /* the orientation of that frame's link at rest */
    hf_vec3 bent_in_root;      /* the point of the lowest contact frame at rest on all limbs, if known */
    int spare_count;           /* postures for a limb without contact, nearest to rest first */
    int spares[HF_MAX_SPARES]; /* samples of the limb's first set */
} hf_plan_limb;

struct hf_plan_model {
    const hf_creature* creature;
    hf_guide_model* guide;
    int limb_count;
    hf_plan_limb* limbs;
    bool* loose_joint; /* of each joint: belongs to no limb */
    /* Of each joint: its axis at rest in the root's frame where it bends the trunk or the head, zero
     * elsewhere. */
    hf_vec3* bend_axis;
    hf_vec3 load_in_root; /* centre of mass at rest of what the walking limbs carry */
    /* How high the root is over what the walking limbs stand on at rest, and at rest on all limbs; the same
       where that is not known. */
    double rest_height, bent_height;
    /* The height at rest of the root or of the highest first joint of a walking limb, whichever is more, m:
       by shares of that bodies are lowered. A root may be on the ground, between the feet. */
    double tall;
    /* By shares of that a plan measures how far bodies and contacts are apart, m: the height; on round feet
       the height of a person whose legs let the body go as far as this creature's do. */
    double size;
    hf_postures* postures;      /* standing, on all limbs, and the change between them */
    struct hf_descent* descent; /* from standing to all limbs; NULL: none */
    const double* bent_q; /* joint values on all limbs: the creature file's, else the library's; NULL: none */
    double bent_tilt;     /* of the root then, rad forwards */
    double* standing;     /* joint values of the standing posture, which the rest places above are of */
};

/* Fills which limbs can touch and which of them walk: those of the gait, or all. */
void hf_plan_limbs_find(const hf_creature* creature, hf_plan_limb* limbs);
/* Joint values of the posture in which the creature stands; `rest` holds its links in the rest posture. False
   when memory is out. */
bool hf_standing_find(const hf_creature* creature, const hf_plan_limb* limbs, const hf_transform* rest,
                      double* q);
/* Lets raised limbs that do not walk hang beside the body in these joint values; false when memory is out. */
bool hf_arms_hang(const hf_creature* creature, const hf_plan_limb* limbs, hf_workspace* workspace, double* q);
/* Chooses the spare postures of a limb from its first sample set; false when memory is out. */
bool hf_spares_choose(hf_plan_model* model, int limb);
/* How far the body can go from where it stands while all limbs that walk keep their contacts, on average of
   all level directions, by their reach volumes, m; 0 where that is not known. */
double hf_limbs_play(const hf_plan_model* model);
/* The map of one contact frame from its samples; false when memory is out. */
bool hf_reach_map_build(const hf_creature* creature, const hf_samples* samples, hf_reach_map* map);
/* facing: into the surface, in the limb's root frame; NULL: any way. */
bool hf_reach_map_has(const hf_reach_map* map, hf_vec3 point, const hf_vec3* facing);

#endif
