/* What a guide path moves: the trunk and the reach volumes, all in the root's frame. */
#ifndef HF_SPACE_GUIDE_MODEL_H
#define HF_SPACE_GUIDE_MODEL_H

#include "model/scene.h"
#include <holdfast/guide.h>

enum { HF_GUIDE_LIMBS = 64 }; /* as many as a mask has bits */

/* A convex body in the root's frame. Never moved in memory: the ready body points into itself. */
typedef struct hf_guide_piece {
    int limb; /* -1 for the trunk */
    hf_mesh mesh;
    hf_transform in_root; /* of the shape: identity for hulls */
    hf_ready_body ready;
} hf_guide_piece;

/* Bodies of the trunk as they are, for poses that touch something with it (a seat). */
typedef struct hf_guide_core {
    hf_shape shape; /* arrays borrowed from the mesh below, or none */
    hf_mesh mesh;
    hf_transform in_root;
} hf_guide_core;

struct hf_guide_model {
    int trunk_count, reach_count, core_count;
    hf_guide_piece* trunk;
    hf_guide_piece* reach;
    hf_guide_core* core;
    /* which limbs must reach something (hf_guide) */
    bool bounded; /* tilt and reach count */
    uint64_t upright, bent, limbs;
    uint64_t excludes[HF_GUIDE_LIMBS];
    double tilt_rad, tilt_max_rad, tilt_side_rad;
    int any;
    double radius;       /* farthest point of the trunk from the root */
    double reach_radius; /* farthest point of any piece */
    uint64_t hash;
};

#endif
