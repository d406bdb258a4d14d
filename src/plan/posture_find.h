/* One posture of a family: what is asked, and where the answer is looked for. */
#ifndef HF_PLAN_POSTURE_FIND_H
#define HF_PLAN_POSTURE_FIND_H

#include <holdfast/balance.h>
#include <holdfast/posture.h>

enum { HF_POSTURE_ROOMS = 3 };

/* A stance on level ground whose places are not known yet. */
typedef struct hf_posture_ask {
    hf_posture_family family;
    int count;
    int limbs[HF_POSTURE_HOLDS];
    bool bears[HF_POSTURE_HOLDS]; /* keeps the body in balance; the others only touch */
    double tilt[2];               /* rad forwards: least, most */
    double height[2];             /* of the root, standing heights: least, most */
    double seat[2];               /* of limbs without joints over the ground, standing heights */
    /* Creature heights: the cheapest posture is kept that needs no more room above the ground, for each. */
    /* Limbs that do not bear shall touch about where this posture has them, seen from those that bear; NULL:
       anywhere. */
    const hf_posture* toward;
    int room_count;
    double rooms[HF_POSTURE_ROOMS];
} hf_posture_ask;

/* What all questions of a creature share, and the ground. */
typedef struct hf_posture_ground {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_posture_options* options;
    const hf_placement* placement; /* one object: the ground */
    const double* standing;        /* joint values */
    double rest_height;            /* of the root when it stands, m */
} hf_posture_ground;

/* The cheapest of options->draws tries for each room, where one is balanced, free and within its limits:
   fills found[room] and to[room], whose pose.q has memory. Depends on seed and stream alone. */
hf_status hf_posture_find(const hf_posture_ground* ground, const hf_posture_ask* ask, uint32_t stream,
                          hf_workspace* workspace, hf_posture* to, bool* found);
/* The same for a body that lies on its front or its back. */
hf_status hf_posture_lie(const hf_posture_ground* ground, hf_posture_family family, uint32_t stream,
                         hf_workspace* workspace, hf_posture* to, bool* found);
/* Fills box and cost of a posture whose links stand there. */
void hf_posture_measure(const hf_posture_ground* ground, const hf_transform* links, hf_posture* posture);

/* A square of ground, larger than any stance of a creature so high. */
hf_status hf_posture_ground_make(double height, hf_scene** scene, hf_error* error);

#endif
