/* Inside of a retargeting: the paths that effectors shall follow, frame by frame. */
#ifndef HF_ADAPT_RETARGET_H
#define HF_ADAPT_RETARGET_H

#include "adapt/phases.h"
#include "adapt/push.h"

/* A phase while it is worked on. */
typedef struct hf_held_phase {
    hf_phase* phase;
    int role;              /* of the limb; -1: the seat */
    bool foot;             /* its orientation is known from the clip */
    bool dropped;          /* no longer held */
    int first, last;       /* frames that are held: the phase's, or fewer */
    bool flat, frozen;     /* the orientation counts; it is decided */
    int joint;             /* of the clip, that touches */
    hf_vec3 ahead, behind; /* from that joint to the anchor in the first and the last frame */
    hf_anchor anchor;      /* where the link of the contact frame is */
    hf_vec3 reached;       /* sum of where the contact came in frames in which it was not held */
    int held, missed;      /* frames */
    uint8_t* kept;         /* of each frame of the phase: is it held? */
    double off_m;          /* sum of the errors of missed frames */
} hf_held_phase;

/* What one effector shall do in a frame. */
typedef struct hf_effector_wish {
    hf_vec3 point; /* of its first contact frame */
    hf_quat turn;  /* of that frame's link */
    float point_weight, turn_weight;
} hf_effector_wish;

typedef struct hf_retarget_work {
    const hf_retarget_options* options;
    hf_phase_finder finder;
    hf_clip_body clip;
    hf_creature_body creature;
    hf_follower follower;
    hf_push push;
    hf_workspace* workspace;
    int frames, body_count;
    double depths[HF_MAX_MARKED];
    hf_effector_wish* wishes; /* frames x HF_MAX_MARKED */
    int held_count;
    hf_held_phase* held;
    float* more; /* frames x bodies: room that tests asked for, m */
    hf_schedule* schedule;
    bool cancelled;
} hf_retarget_work;

/* How much a hold counts in a frame before or after it: 1 beside it, 0 from HF_LEAD_S on. */
double hf_lead_share(const hf_retarget_work* work, const hf_held_phase* held, int frame);
/* Weight of a wish that leads to a hold, per metre, beside it. */
#define HF_ARRIVING 30.0
/* Anchors of all phases, and the wishes between them. */
void hf_retarget_paths(hf_retarget_work* work);

#endif
