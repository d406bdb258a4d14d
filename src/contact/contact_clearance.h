/* Is a sample worth finishing? The limb as it was sampled against scene and own body, its effector where the
   contact would put it. */
#ifndef HF_CONTACT_CONTACT_CLEARANCE_H
#define HF_CONTACT_CONTACT_CLEARANCE_H

#include "model/scene.h"
#include <holdfast/contact.h>

/* A body that hangs on the limb, and where: `link` is one of the chain's, or the effector. */
typedef struct hf_clearance_body {
    int body, link;
    hf_transform in_link;
    hf_vec3 centre; /* of its ball, in the link */
    /* A box holds a capsule along its longest side, which tells most overlaps sooner; radius 0: none. */
    hf_shape core;
    hf_transform core_in_link;
} hf_clearance_body;

/* Share of a length that sums of link lengths may be wrong by. */
#define HF_REACH_ROUNDING 1e-6

/* What of a limb is in the way. */
typedef enum hf_clearance_part {
    HF_PART_EFFECTOR, /* in the scene, set on the surface */
    HF_PART_UPPER,    /* the rest of the limb, in the scene */
    HF_PART_BODY,     /* the limb, in the body */
    HF_PART_NONE
} hf_clearance_part;

/* What blocked a round body of the limb, or the capsule in a box. */
typedef struct hf_clearance_hit {
    int body;   /* of the creature; -1: nothing, or a body without a capsule */
    hf_met met; /* a triangle of the scene, or object -1: */
    int rest;   /* which of the bodies that stay */
} hf_clearance_hit;

/* The capsule of a round body that stays, in the world: tighter than its ball. */
typedef struct hf_rest_core {
    hf_vec3 from, way;
    double per_square; /* 1 / |way|^2, 0 for a ball */
    double radius;     /* INFINITY: the body is not round */
} hf_rest_core;

/* Of one limb at one pose of the rest of the body. */
typedef struct hf_contact_clearance {
    const hf_creature* creature;
    const hf_placement* placement;
    int limb;
    bool grip;           /* what is touched is gripped: the effector may be in it */
    bool aligns;         /* the limb has the joints to turn its effector against a surface */
    hf_transform* links; /* of the pose; those of the limb change with each test */
    double* q;           /* of the pose; the same */
    int upper_count, effector_count;
    hf_clearance_body *upper, *effector;
    hf_transform* frames; /* of each contact frame: its link in the effector's */
    /* The last joint's origin: fixed in the effector, and never farther from the first joint's than this. */
    hf_vec3 wrist_in_effector, anchor;
    double wrist_reach_m;                  /* INFINITY for limbs with joints that slide */
    hf_clearance_part order[HF_PART_NONE]; /* of the tests: what failed last comes first */
    /* bodies of the rest, in the world */
    int rest_count;
    int* rest;
    hf_transform* rest_poses;
    double *rest_x, *rest_y, *rest_z, *rest_radius;
    hf_rest_core* rest_cores;
    hf_clearance_hit hit; /* of the last hf_contact_blocked */
} hf_contact_clearance;

/* The capsule or ball of a round shape, and the one along the longest side of a box; radius 0 for others. *in
   is where it lies in the shape. */
hf_shape hf_shape_core(const hf_shape* shape, hf_transform* in);

/* `links` and `q` are those of the pose, and are written to. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_contact_clearance_make(const hf_creature* creature, const hf_placement* placement,
                                    const hf_contact_query* query, hf_transform* links, double* q,
                                    hf_workspace* workspace, hf_contact_clearance* clearance);

/* Free by more than -`slack` metres: the effector, set on the surface by the contact frame (-1: its origin)
   with the least turn from how the sample holds it, of the scene; the rest of the limb as sampled, of the
   surfaces of the scene and of the body. Bodies that hit are moved to the front, which changes nothing but
   the time. */
bool hf_contact_clear(hf_contact_clearance* clearance, const hf_samples* samples, int sample, int frame,
                      const hf_surface* surface, double slack);
/* The same of these joint values; the effector is turned onto the surface, or moved there as it is held:
   then it may not be deeper in the surface it touches than a contact may. */
hf_clearance_part hf_contact_blocked(hf_contact_clearance* clearance, const double* q, int frame,
                                     const hf_surface* surface, bool turned, double slack);
/* The same of the effector alone, as it is held. */
bool hf_contact_effector_clear(hf_contact_clearance* clearance, const double* q, int frame,
                               const hf_surface* surface, double slack);
/* Is what was in the way last, of the limb but its effector, in the way again, as clearance->links have it,
   by more than a posture may? What this says is true of hf_collides; what it does not say may be. */
bool hf_contact_blocked_again(hf_contact_clearance* clearance, double depth);

#endif
