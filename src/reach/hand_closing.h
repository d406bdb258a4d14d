/* A hand about one object: fingers that close until they touch, what then bears the object's weight, and the
   room that other objects leave. */
#ifndef HF_REACH_HAND_CLOSING_H
#define HF_REACH_HAND_CLOSING_H

#include "reach/hand_grasp.h"

enum { HF_GRASP_CONTACTS = 3 }; /* places that touch, at least */

typedef struct hf_hand_closing {
    const hf_reach_world* world;
    const hf_creature_view* v;
    const hf_scene* scene;
    int object, limb;
    hf_placement* alone; /* the object where it is now, all others taken out */
    hf_transform at;
    hf_transform* links;
    double *q, *closed; /* joint values of the hand's fingers; scratch */
    const double* open; /* the same of the hand that comes */
    hf_stance* stance;
    hf_workspace* workspace;
    hf_hand_grasps* out;
    int hand_count;
    int* hand;             /* bodies of the effector link and of all beyond it */
    hf_support* supports;  /* of the closed hand: room for the palm and each body */
    const hf_vec3* handle; /* where it is held, in the object's frame; NULL: anywhere */
    bool grip;
    int round; /* 0: the first look at the object; 1: other places and turns */
} hf_hand_closing;

/* Memory of the workspace, and a placement with the object alone. */
hf_status hf_hand_closing_start(hf_hand_closing* g);
void hf_hand_closing_end(hf_hand_closing* g);

/* Does the joint move a part of a finger by itself? */
bool hf_hand_is_finger(const hf_hand_closing* g, int joint);
/* Which way a finger joint closes, 1 or -1: the one that brings what it moves to the palm's side. */
double hf_hand_closing_sign(hf_hand_closing* g, int joint, hf_transform hand);
/* The links of the hand, with the fingers as they are in g->q. */
void hf_hand_pose_fingers(hf_hand_closing* g, hf_transform hand);
/* The fingers are as in the hand that comes. */
void hf_hand_open(hf_hand_closing* g);
/* Closes all fingers until they touch; one that meets nothing closes by a share of its range. */
void hf_hand_close_fingers(hf_hand_closing* g, hf_transform hand, double idle_share);
/* Adds the places where bodies of the fingers touch the object to g->supports; returns how many are there. */
int hf_hand_finger_supports(hf_hand_closing* g, int count);
/* How a palm pushes, in the world. */
hf_support hf_hand_palm_support(const hf_hand_closing* g, hf_transform hand, const hf_surface* s);
/* Do these supports bear the object's weight? com: its middle, or where it hangs. */
bool hf_hand_bears_at(const hf_hand_closing* g, const hf_support* supports, int count, hf_vec3 com);
/* Do the first of g->supports? */
bool hf_hand_bears(const hf_hand_closing* g, int count);

/* The first body of the hand, with the fingers as they are in g->q, that is deeper in the object; or -1. */
int hf_hand_body_inside(hf_hand_closing* g, hf_transform hand, double depth_m);
/* The body of the open hand that is in the object, but for what touches; or -1. */
int hf_hand_open_inside(hf_hand_closing* g, hf_transform hand);
/* Can the open hand be where it holds and, on one of the ways on which it comes, a little before? */
bool hf_hand_open_comes(hf_hand_closing* g, hf_transform hand, hf_vec3 normal);
/* Are the fingers free of all other objects while they close to what they are in g->q? */
bool hf_hand_closing_is_free(hf_hand_closing* g, hf_transform hand);
/* Adds the hand shape to g->out; s: where its contact frame touches. */
hf_status hf_hand_keep_grasp(hf_hand_closing* g, hf_transform hand, const hf_surface* s, int contacts);

/* pinch_grasp.c: adds hand shapes that hold by the tips of the fingers alone. */
hf_status hf_pinch_grasps_find(hf_hand_closing* g);

#endif
