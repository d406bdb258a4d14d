/* Level 1: the motion bent along with its surroundings. Limbs go by deltas from the opened motion: exact
   while they hold, by the descriptors between, blended; the root by the skeleton's fit; joints by the limb
   solver. */
#ifndef HF_ADAPT_BEND_H
#define HF_ADAPT_BEND_H

#include "adapt/crew.h"
#include "adapt/fit.h"
#include "adapt/rooms.h"

#include <holdfast/task.h>

typedef enum hf_phase_mode {
    HF_PHASE_HELD,     /* where it was, or where its object went */
    HF_PHASE_RELEASED, /* not held */
    HF_PHASE_ELSEWHERE /* at another place */
} hf_phase_mode;

/* What is to become of a phase. */
typedef struct hf_phase_plan {
    hf_phase_mode mode;
    int first, last;    /* frames during which it is held, in the phase or all of it */
    hf_hold hold;       /* of the edited scene, in the object's frame */
    hf_transform local; /* of the contact frame's link in the object's frame, where it is elsewhere */
    hf_quat turn;       /* of the surface under a hold that is where it was */
    bool gone;          /* its object has no surface any more */
    double h1, h2;
    int tried;  /* new places that were tried */
    bool final; /* no other place is looked for */
    char why[160];
} hf_phase_plan;

typedef struct hf_bend {
    const hf_source* source;
    const hf_relation* relation;
    const hf_moved_relation* moved;
    const hf_scene* scene;
    hf_placement* placement; /* of the edited scene */
    hf_workspace* workspace;
    hf_crew* crew;
    hf_rooms* rooms; /* of the opened motion */
    hf_phase_plan* phases;
    /* of each frame */
    hf_delta* root;      /* of the descriptors and the skeleton's fit */
    hf_delta* way;       /* of another way of the root, above that */
    hf_delta* root_push; /* of repairs, above that */
    hf_delta* tips;      /* [frame * limb_count + limb] */
    hf_vec3* tip_push;   /* the same */
    double* rides;       /* the same: 1 where a limb goes with the trunk as it did, 0 where it has a target */
    bool* touched;       /* differs from the opened motion */
    unsigned* missed;    /* limbs that did not get to their targets, one bit each */
    double* loose;  /* how free the root is: 0 while a limb without joints holds, 1 well before and after */
    hf_delta* seat; /* of the root while it is not free */
    hf_transform* roots; /* the frames that come out */
    double* q;
    /* of each frame: what it was solved for, [1 + limb_count] deltas and as many pushes, and whether it was
       solved anew since it was last tested */
    hf_delta* solved;
    bool* stale;
    /* scratch */
    hf_transform* links;
    double* smooth;
} hf_bend;

hf_status hf_bend_make(const hf_source* source, const hf_relation* relation, hf_workspace* workspace,
                       hf_bend* bend);
void hf_bend_free(hf_bend* bend);
/* Begins anew in an edited scene, with all phases where they were. */
hf_status hf_bend_start(hf_bend* bend, const hf_moved_relation* moved, const hf_scene* scene);
/* Plans a phase where it was, or where its object went. */
void hf_bend_plan(hf_bend* bend, int phase);
/* Deltas of all limbs and of the root, from the phases' plans. */
hf_status hf_bend_deltas(hf_bend* bend);
/* Solves the frames that the deltas touch. */
hf_status hf_bend_solve(hf_bend* bend);
/* The holds of these frames change: they are tested anew. */
void hf_bend_renew(hf_bend* bend, int first, int last);
/* The frame's pose is no longer what its deltas say: the next hf_bend_solve solves it anew. */
void hf_bend_forget(hf_bend* bend, int frame);
/* Where a phase keeps the link of its contact frame in a frame. */
hf_transform hf_bend_link(const hf_bend* bend, int phase, int frame);
/* Where a limb should be in a frame. */
hf_target hf_bend_target(const hf_bend* bend, int frame, int limb);
/* The phase that a limb holds by its plan in a frame, -1 for none. */
int hf_bend_holds(const hf_bend* bend, int frame, int limb);
/* Smooths the shifts or the turns of a track of deltas over time; zeros stay zero further away than three
 * widths. */
void hf_bend_smooth(hf_bend* bend, hf_vec3* track, double width_frames);

#endif
