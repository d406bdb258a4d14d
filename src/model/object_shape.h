/* Objects as convex shapes, for when they are carried. */
#ifndef HF_MODEL_OBJECT_SHAPE_H
#define HF_MODEL_OBJECT_SHAPE_H

#include <holdfast/scene.h>

/* The hulls of an object's pieces, in the object's frame; flat pieces have none. */
typedef struct hf_object_shape {
    bool made;
    int count;
    hf_shape* shapes;
    hf_mesh* hulls;
    bool* convex; /* of each hull: the piece is watertight and fills it */
    int corner_count;
    hf_vec3* corners; /* of the pieces that are not convex, drawn towards the middle of the piece's box by
                         twice what a frame allows */
} hf_object_shape;
hf_status hf_object_shape_make(const hf_scene* scene, int object, hf_object_shape* out, hf_error* error);
void hf_object_shape_free(hf_object_shape* shape);

#endif
