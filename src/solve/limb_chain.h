/* One limb as a compact chain from its base link to the touching point, for solvers that evaluate it
   thousands of times: fixed and constant joints folded away, each axis turned onto z. */
#ifndef HF_SOLVE_LIMB_CHAIN_H
#define HF_SOLVE_LIMB_CHAIN_H

#include <holdfast/creature.h>

typedef enum hf_chain_kind {
    HF_CHAIN_TURN,
    HF_CHAIN_SLIDE,
    HF_CHAIN_PLANAR,
    HF_CHAIN_FLOATING
} hf_chain_kind;

/* From the frame behind the previous joint to the frame in front of this one, then the joint. */
typedef struct hf_chain_step {
    double rotation[9], position[3];
    hf_chain_kind kind;
    int value;                 /* index of its (first) value */
    int column;                /* of its (first) speed */
    double multiplier, offset; /* of a mimic joint; 1 and 0 for others */
} hf_chain_step;

typedef struct hf_limb_chain {
    int step_count;
    int value_count;  /* q values of the limb's joints, and of those beyond that move what touches */
    int column_count; /* their speeds: columns of the Jacobian */
    bool plain;       /* every joint has one value: value i is column i */
    bool shared;      /* a mimic joint adds to its master's column */
    hf_chain_step* steps;
    double tip_rotation[9]; /* the touching link in the frame behind the last joint */
    double tip_position[3]; /* the touching point there */
    int* q_index;           /* of each value */
    int* column_value;      /* the value a column changes; -1 for the turns of a floating joint */
    bool* wraps; /* of each column: a joint that turns right round and that no mimic joint follows */
    double *lower, *upper; /* of each column; mimic joints' limits count for their master */
    hf_vec3 anchor;        /* origin of the first joint, in the base link */
    double reach; /* the touching point never gets farther from the anchor; infinite when unbounded */
} hf_limb_chain;

/* The frame in front of a joint, its axes as columns, in the base link's frame. */
typedef struct hf_chain_frame {
    hf_vec3 x, y, z, p;
} hf_chain_frame;

/* Where a posture puts the chain. */
typedef struct hf_chain_state {
    double* x;              /* value_count values */
    hf_chain_frame* frames; /* step_count */
    hf_vec3 tip;            /* the touching point */
    double rotation[9];     /* of the touching link */
} hf_chain_state;

/* Builds the chain in the workspace; contact -1 is the effector's origin. `bends`: the joints of a toe or
   finger that touches move with the limb's. Constant joints take their values from q. HF_ERROR_MEMORY or
   HF_OK. */
hf_status hf_limb_chain_build(const hf_creature* creature, int limb, int contact, bool bends, const double* q,
                              hf_workspace* workspace, hf_limb_chain* chain);
hf_status hf_chain_state_make(const hf_limb_chain* chain, hf_workspace* workspace, hf_chain_state* state);

void hf_chain_forward(const hf_limb_chain* chain, hf_chain_state* state);
enum { HF_CHAIN_STRIDE = 8 };
/* Column c at jacobian + c * HF_CHAIN_STRIDE: three linear rows of the touching point, three angular. */
void hf_chain_jacobian(const hf_limb_chain* chain, const hf_chain_state* state, double* jacobian);
/* out = x moved by one step per column, kept inside the limits. out may be x. */
void hf_chain_move(const hf_limb_chain* chain, const double* x, const double* step, double* out);
void hf_chain_clamp(const hf_limb_chain* chain, double* x);

#endif
