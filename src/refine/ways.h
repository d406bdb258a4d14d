/* The ways that a schedule gives: its key poses, the swings of its limbs with their detours from the shortest
   way, and how long joints and root need for each. */
#ifndef HF_REFINE_WAYS_H
#define HF_REFINE_WAYS_H

#include "refine/parts.h"
#include "refine/stance_list.h"

enum {
    HF_WAY = 48,  /* even parts of a way, by length */
    HF_WAVES = 14 /* half waves that a detour consists of at most */
};

enum { HF_FORMS = 20 }; /* ways that a swing may take */

/* One of the ways of a swing. */
typedef struct hf_swing_form {
    double *leave, *arrive; /* q_count each: from the old hold, and from the new one, to above it */
    int waves;              /* half waves of the given detour that are added */
    bool over;              /* it rises as high as the higher hold */
    bool traced;            /* the limb's effector goes its given way in the world, in its given time */
    bool unreached;         /* the limb cannot be brought there */
    bool met;               /* the way collided in a whole motion */
    bool banned;            /* one of these, or the way collided when it was looked at */
    double least_s;         /* from rest to rest */
} hf_swing_form;

/* A limb that is free: from where its old hold keeps it to where its new one keeps it. */
typedef struct hf_swing_way {
    int limb, from_hold, to_hold; /* holds of the schedule; -1: it was free from the beginning, or stays so */
    int first, last;              /* it is free in phases first .. last - 1 */
    double* waves;                /* HF_WAVES rows of q_count: the given detour of the limb's joint values */
    hf_swing_form forms[HF_FORMS]; /* in the order of their times */
    int form;                      /* that the swing takes */
    bool looked;                   /* and which was found to be free */
} hf_swing_way;

typedef struct hf_ways {
    const hf_creature* creature;
    const hf_schedule* given;
    hf_pose_spline* spline; /* of the given schedule */
    const hf_stance_list* list;
    const hf_parts* phases;
    hf_workspace* workspace;
    const int* hold_of; /* the whole schedule's hold of each of the given; NULL: the same */
    bool moving;        /* the body goes where contacts bear it in motion, else from key pose to key pose */
    double slower; /* by which all least times count longer, as only shares of limits are used; 0: as 1 */
    int q_count, swing_count;
    bool* of_limb;           /* q_count flags: the value belongs to a limb that holds at some time */
    hf_transform* key_roots; /* poses at which phases begin, and the last one: phase count + 1 */
    double* keys;
    hf_vec3* key_coms;    /* the centres of mass of these poses */
    double* body_s;       /* HF_WAY + 1 given times at even lengths of the body's way, for each phase */
    double* least_body_s; /* from rest to rest, of each phase */
    hf_swing_way* swings; /* limb by limb, those of a limb in the order of their landings */
    hf_transform* links;  /* scratch, as the next */
    double* scratch[2];   /* q_count each */
} hf_ways;

/* Finds all of it; the memory is the workspace's. */
hf_status hf_ways_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                       const hf_parts* phases, const hf_stance_list* list, hf_workspace* workspace,
                       hf_ways* ways);
/* The hold of a limb (-1: of any) that ends, or begins, at a given time; -1: none. */
int hf_ways_hold(const hf_ways* ways, int limb, double time_s, bool ends);
hf_pose hf_ways_key(const hf_ways* ways, int key);
/* At a share of a swing's time: how far the limb is from where its old hold keeps it to where its new one
   does, and what a value of the limb adds to that. */
double hf_swing_gone(const hf_swing_way* swing, double share);
double hf_swing_detour(const hf_ways* ways, const hf_swing_way* swing, int value, double share);
/* The body on its given way at a share of a phase's length. */
void hf_ways_body(const hf_ways* ways, int phase, double share, hf_pose* pose);
/* The swing takes the quickest form that is not banned. False: there is none. */
bool hf_swing_choose(hf_swing_way* swing);
/* Does the value belong to the limb? */
bool hf_limb_owns(const hf_creature* creature, int limb, int value);
/* Does one of the swing's phases have to be as it was given? */
bool hf_swing_is_given(const hf_ways* ways, const hf_swing_way* swing);
/* Do contacts not bear the body, or limbs not reach their holds, about the swing? */
bool hf_swing_is_strained(const hf_ways* ways, const hf_swing_way* swing, const hf_part_load* loads);

#endif
