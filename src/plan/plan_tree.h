/* The tree of stances that a search grows, the holds of its stances and the knots of the changes between
   them. */
#ifndef HF_PLAN_PLAN_TREE_H
#define HF_PLAN_PLAN_TREE_H

#include "solve/keep.h"
#include <holdfast/balance.h>
#include <holdfast/plan.h>

enum { HF_MAX_HOLDS = 16, HF_MAX_STANCES = 2048 };

/* A hold of the search: where it is in the world, how the limb's link is kept there, and what the search
   knows about it. */
typedef struct hf_plan_hold {
    hf_hold at;
    hf_anchor anchor;
    bool overlaps;      /* given with the start: its effector may be in what it touches */
    hf_support support; /* how it bears */
    int since, until;   /* first and last guide pose from which the point is within the limb's reach */
    int seen;           /* how far along the guide that was looked at */
    /* of a stance, as the search has found: */
    bool stuck;                /* there is no pose from which the limb can leave */
    bool has_speculative_step; /* the limb has a step that does not seem to lead on */
    int maker;                 /* stance of the tree that it was made for */
} hf_plan_hold;

/* A knot of the schedule: one every 1/rate seconds. Only src/schedule makes frames of them. */
typedef struct hf_plan_knot {
    hf_transform root;
    int node;  /* index into the tree */
    int swing; /* limb that is on its way into that stance, -1 */
} hf_plan_knot;

/* Knots of all stances: appended by segments, cut off when the search goes back. */
typedef struct hf_knot_store {
    int count, capacity, q_capacity, q_count;
    hf_plan_knot* items;
    double* q; /* rows of q_count */
} hf_knot_store;

void hf_knots_free(hf_knot_store* knots);
hf_status hf_knots_add(hf_knot_store* knots, const hf_pose* pose, int node, int swing);
hf_pose hf_knots_pose(const hf_knot_store* knots, int knot);

/* How the body comes into a stance and out of it. */
typedef enum hf_plan_pace {
    HF_PLAN_AT_REST, /* every moment on the way into it could be held */
    HF_PLAN_WALKED,  /* the body came in motion and rests at its end */
    HF_PLAN_WALKING  /* the body is in motion at its end, too: the search cannot go on from here */
} hf_plan_pace;

/* One stance. */
typedef struct hf_plan_node {
    int parent; /* -1: the start */
    int guide_index;
    int hold_count;
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_pose pose;             /* at its end; q belongs to the tree */
    int first_knot, end_knot; /* of the store: the change into this stance */
    int last_limb;            /* that changed, -1 */
    hf_plan_pace pace;
    int option;   /* what the search tries next from here */
    int found;    /* children that it brought */
    int blocked;  /* how often the limb that changed for it could not go on from there */
    bool shut;    /* the body found no way around what is in the way of a straight move from here */
    double worth; /* of going on from here; less after each failed attempt */
} hf_plan_node;

/* A step of a walk that failed: the limb's place in the frame of the limb that moved before it, by how much
   the body turns from one to the other, and where that other limb is, unless it fails anywhere. */
enum { HF_BARRED_STEPS = 64 };
typedef struct hf_barred_step {
    int limb;
    bool anywhere;
    hf_vec3 to, beside;
    double turn; /* rad */
} hf_barred_step;

typedef struct hf_plan_tree {
    hf_knot_store knots;
    hf_plan_node* nodes; /* HF_MAX_STANCES */
    double* nodes_q;     /* joint values of their poses */
    int node_count;
    int node_index;   /* the stance from which the search goes on */
    int farthest;     /* the stance that is farthest along the guide */
    int walk_from;    /* guide pose from which on a walk is tried again */
    int walk_knots;   /* poses that may still be solved for walks, legs and detours included */
    int barred_count; /* steps of walks that failed; the last HF_BARRED_STEPS of them are kept */
    hf_barred_step barred[HF_BARRED_STEPS];
    hf_plan_block block; /* the best change that failed there */
} hf_plan_tree;

/* The limb's hold among these; -1 when it has none. */
int hf_holds_find(const hf_plan_hold* holds, int count, int limb);

#endif
