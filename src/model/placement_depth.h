/* Is a box or hull deeper in an object than allowed? */
#ifndef HF_MODEL_PLACEMENT_DEPTH_H
#define HF_MODEL_PLACEMENT_DEPTH_H

#include "model/scene.h"

/* A box or hull that meets a surface of an object; all in the object's frame. */
typedef struct hf_sunk_body {
    const hf_shape* shape;
    hf_transform pose;
    hf_tree_body box; /* around it */
    hf_vec3 middle;   /* of its matter */
    const hf_plane_set* planes;
    hf_mat3 into; /* from the object's frame to the shape's: rotation, and where the object's origin is */
    hf_vec3 origin;
} hf_sunk_body;

/* For every piece of the object: is there a translation no longer than `depth` (m) after which the body meets
   none of the piece's triangles, nor lies inside the object's matter? */
bool hf_sunk_body_escapes(const hf_placement* placement, int object, const hf_sunk_body* body, double depth);

#endif
