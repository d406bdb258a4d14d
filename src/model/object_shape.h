/* Objects as convex shapes, for when they are carried, and what bears them. */
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

/* Does something of the placement bear the shape where it is? It goes down a little and must meet what is
   below; what it slides along on its way down is no deeper in it than it was. */
bool hf_object_borne(const hf_placement* placement, const hf_shape* shapes, int count, hf_transform at);
/* Which objects go along when `on` moves: movable ones without keys that rest on it, or on another one that
   goes along, and on nothing that stays. Objects with held[i] (may be NULL) and those that are not enabled do
   not. rides and shapes have an entry for each object of the scene; shapes are made where they are needed.
   The placement is as before in the end. */
hf_status hf_object_riders(hf_placement* placement, int on, const bool* held, hf_object_shape* shapes,
                           bool* rides, hf_error* error);

#endif
