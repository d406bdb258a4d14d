/* Planes that part bodies which are in each other or in the scene: the exact tests say which bodies overlap,
   and a plane says how to get them apart. */
#ifndef HF_ADAPT_CUTS_H
#define HF_ADAPT_CUTS_H

#include <holdfast/collision.h>

enum { HF_CUT_COM = -1 };

/* In one frame the point of a link is at least so far in front of the other point. */
typedef struct hf_cut {
    int frame;
    int link, against; /* against -1: the scene; link HF_CUT_COM: the centre of mass, in the world */
    hf_vec3 at, other; /* the points, each in the frame of its link (of the scene: in the world) */
    hf_vec3 normal;    /* in the world, unit */
    double least;      /* of normal . (point - other point), m */
    bool active;       /* the solver's: the plane bears */
} hf_cut;

typedef struct hf_cuts {
    int count, capacity;
    hf_cut* items;
} hf_cuts;

/* Where a pose collides, each pair of bodies and each body in the scene gets one cut in each of the frames
   `first` to `last`. links: of the pose; they are moved about, and put back. touches: as in
   hf_collision_query. margin_m: by which bodies shall be apart beyond what the query allows. */
hf_status hf_cuts_find(const hf_creature* creature, const hf_placement* placement, hf_transform* links,
                       const hf_collision_query* query, double margin_m, int first, int last, hf_cuts* cuts);
/* Where the centre of mass is out of balance in a frame, it goes by `shift`. */
hf_status hf_cuts_balance(hf_vec3 com, hf_vec3 shift, int frame, hf_cuts* cuts);

#endif
