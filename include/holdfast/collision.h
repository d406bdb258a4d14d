/* Creature against itself and against a scene, at a pose and along a move. */
#ifndef HOLDFAST_COLLISION_H
#define HOLDFAST_COLLISION_H

#include <holdfast/hold.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_collision {
    int body;           /* of the creature */
    int other_body;     /* -1 when against the scene */
    hf_surface surface; /* when against the scene */
    double fraction;    /* along a move, in [0, 1] */
} hf_collision;

/* What is known of how far bodies are from each other and from the scene, so that tests of many poses near
   each other need not find it anew: answers are the same, sooner; of a move that grazes something, between
   the places that are looked at, they may differ. For one creature and one placement that
   does not move meanwhile, and one thread. */
typedef struct hf_clearance hf_clearance;
HF_API hf_status hf_clearance_create(const hf_creature* creature, hf_clearance** clearance);
HF_API void hf_clearance_free(hf_clearance* clearance);
/* As it was made. */
HF_API void hf_clearance_forget(hf_clearance* clearance);

/* What to test. The limb of each touch may overlap its object by touched_depth_m, or as it likes where it
   grips: its effector with the fingers and toes beyond, but no link that another limb moves or the trunk
   holds. Limb, object and grip of the touches count. */
typedef struct hf_collision_query {
    const hf_hold* touches;
    int touch_count;
    int limb;      /* only pairs with a body of this limb, -1 for the whole creature (default) */
    bool self;     /* default true */
    bool scene;    /* default true */
    bool begun;    /* of a move: its first pose is known to be free and not tested; default false */
    double step_m; /* of a move: no point of a body moves further untested; default 0.01 */
    int fine_limb; /* of a move: bodies of this limb move no further than fine_m untested; default -1 */
    double fine_m;
    /* How deep bodies may be in each other, and in the scene where no touch allows more; and how deep a touch
       allows. Defaults 0.0008 and 0.0024: four fifths of what a check allows (holdfast/check.h), which looks
       at other moments of a move. */
    double depth_m, touched_depth_m;
    hf_clearance* clearance; /* may be NULL */
} hf_collision_query;
HF_API hf_collision_query hf_collision_query_default(void);

/* True when anything overlaps by more than allowed. links: hf_forward's. hit may be NULL. */
HF_API bool hf_collides(const hf_creature* creature, const hf_placement* placement, const hf_transform* links,
                        const hf_collision_query* query, hf_collision* hit);
/* The same along the straight move between two poses (hf_pose_between): no point of a body moves
   over step_m untested; failures are looked for in bisection order. A move that is cancelled by who watches
   the workspace counts as colliding. */
HF_API hf_status hf_move_collides(const hf_creature* creature, const hf_placement* placement,
                                  const hf_pose* from, const hf_pose* to, const hf_collision_query* query,
                                  hf_workspace* workspace, bool* collides, hf_collision* hit);

/* How badly a pose collides, for messages. */
typedef struct hf_overlap {
    hf_collision pair;    /* the deepest one */
    double depth_m;       /* of that pair; infinite for bodies of the creature over 1 m in each other */
    bool has_free_height; /* against the scene: is the pose free, over something, with its root up to 3 m
                             or two creature heights higher or lower? */
    double free_shift_m, free_height_m; /* the nearest such shift, and the root's z then */
} hf_overlap;
/* False, with nothing told, where the pose does not collide. links is scratch of link_count entries. */
HF_API bool hf_overlap_find(const hf_creature* creature, const hf_placement* placement, const hf_pose* pose,
                            const hf_collision_query* query, hf_transform* links, hf_overlap* overlap);
/* In words: both bodies, the depth and the free height; returns text. */
HF_API const char* hf_overlap_text(const hf_creature* creature, const hf_scene* scene,
                                   const hf_overlap* overlap, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
