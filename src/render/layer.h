/* Things to draw that are not in the user's scene: coloured meshes in world coordinates with a tree over
   them. */
#ifndef HF_RENDER_LAYER_H
#define HF_RENDER_LAYER_H

#include "render/colour.h"

#include <holdfast/scene.h>

typedef struct hf_layer {
    hf_vec3 origin; /* set before anything is added: floats would not hold places far from the world's */
    hf_mesh mesh;   /* all parts together, world coordinates less the origin: one tree is faster than many */
    int vertex_capacity, triangle_capacity;
    float* normals; /* nine a triangle: of its corners, smooth across blunt edges */
    int* part_of;   /* part of each triangle */
    hf_colour* colours;
    int count, capacity; /* of parts */
    hf_scene* scene;     /* after hf_layer_build; NULL when there is nothing in it */
    hf_placement* placement;
    hf_vec3 low, high; /* bounds, after hf_layer_measure */
    hf_vec3 centre;    /* of a ball around everything */
    double radius;
} hf_layer;

/* Adds a mesh moved by `pose`. The mesh is copied. */
hf_status hf_layer_add(hf_layer* layer, const hf_mesh* mesh, hf_transform pose, hf_colour colour);
/* Finds the bounds. */
void hf_layer_measure(hf_layer* layer);
/* Builds the tree. */
hf_status hf_layer_build(hf_layer* layer);
void hf_layer_free(hf_layer* layer);

static inline hf_vec3 hf_layer_vertex(const hf_layer* layer, int i) {
    const float* v = layer->mesh.vertices + 3 * (size_t)i;
    return hf_add(layer->origin, hf_v3(v[0], v[1], v[2]));
}
/* Unit normal at a point of a triangle, by its corners' normals. */
hf_vec3 hf_layer_normal(const hf_layer* layer, const hf_surface* at);

#endif
