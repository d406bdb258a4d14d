/* Balls around collision bodies, made once per creature. */
#ifndef HF_MODEL_BODY_BOUNDS_H
#define HF_MODEL_BODY_BOUNDS_H

#include "model/tolerance.h"
#include <holdfast/creature.h>

#include <math.h>

typedef struct hf_body_bound {
    hf_vec3 centre; /* in the link's frame */
    double radius;
    double reach;     /* of the body's farthest point from the link's origin */
    double thickness; /* of the body where it is least, no more than HF_THICK_M */
} hf_body_bound;

/* Fills creature->bounds from the view's bodies; to be called once they stand. */
hf_status hf_body_bounds_build(hf_creature* creature);

/* What is left of a depth for a body that is thinner than the depth is meant for. */
static inline double hf_depth_for(double depth, double thickness, double meant) {
    return depth > 0 && thickness < meant ? depth * thickness / meant : depth;
}

/* A body of no thickness at all can jump a surface at any step, m; then it is tested as often as this. */
#define HF_LEAST_STEP_M 2e-4

/* How far a body may go from one test to the next, at most `step`: a thin one not so far that it jumps a
   surface, as in a check. */
static inline double hf_body_step(const hf_body_bound* bound, double step, double depth) {
    double room = bound->thickness / 2 - hf_depth_for(depth, bound->thickness, HF_THIN_M);
    return room < HF_STEP_M && room < step ? fmin(step, fmax(room, HF_LEAST_STEP_M)) : step;
}

#endif
