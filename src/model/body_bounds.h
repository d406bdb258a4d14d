/* Balls around collision bodies, made once per creature. */
#ifndef HF_MODEL_BODY_BOUNDS_H
#define HF_MODEL_BODY_BOUNDS_H

#include <holdfast/creature.h>

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

#endif
