/* Triangle meshes and convex shapes: the only geometry that goes in or comes out. */
#ifndef HOLDFAST_MESH_H
#define HOLDFAST_MESH_H

#include <holdfast/base.h>
#include <holdfast/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Three floats a vertex, three indices a triangle, counter-clockwise seen from outside. */
typedef struct hf_mesh {
    int vertex_count;
    int triangle_count;
    float* vertices;
    uint32_t* indices;
} hf_mesh;

/* Vertex `index` of an array of three floats a vertex. */
static inline hf_vec3 hf_vertex(const float* vertices, size_t index) {
    const float* v = vertices + 3 * index;
    return hf_v3((double)v[0], (double)v[1], (double)v[2]);
}

HF_API void hf_mesh_free(hf_mesh* mesh);

/* OBJ, STL and PLY by our own readers; DAE, glTF, FBX and others by assimp in a child process with
   time and memory limits. Faces of more than three corners are cut, concave ones too; degenerate
   triangles are kept; vertices of no triangle are dropped; equal vertices of an STL or an assimp mesh
   become one. A mesh without triangles is refused. Notes what was odd in *warnings (may be NULL; free
   with hf_text_free), one line each. The units of DAE and FBX and the up axis of DAE are
   honoured. */
HF_API hf_status hf_mesh_load(const char* path, hf_mesh* mesh, char** warnings, hf_error* error);

typedef enum hf_shape_kind {
    HF_SHAPE_SPHERE,  /* radius */
    HF_SHAPE_CAPSULE, /* radius, half_length of the segment along local z */
    HF_SHAPE_BOX,     /* half_size */
    HF_SHAPE_HULL     /* vertices, faces; cylinders and meshes become one */
} hf_shape_kind;

/* A convex body in its own frame. Hulls borrow their arrays: three floats a vertex, three indices a
   face, faces counter-clockwise seen from outside, every vertex on the hull. */
typedef struct hf_shape {
    hf_shape_kind kind;
    double radius;
    double half_length;
    hf_vec3 half_size;
    int vertex_count;
    int face_count;
    const float* vertices;
    const uint32_t* faces;
    const struct hf_hull_form* form; /* what tests of a creature's hull know beforehand; NULL elsewhere */
} hf_shape;

/* Triangles of a shape, for drawing and export; `segments` around a circle (8 to 64). */
HF_API hf_status hf_shape_mesh(const hf_shape* shape, int segments, hf_mesh* mesh);

/* Distance between two convex shapes, 0 when they meet. */
HF_API double hf_shape_distance(const hf_shape* a, hf_transform pose_a, const hf_shape* b,
                                hf_transform pose_b);
/* Do the shapes, each shrunk by depth / 2, meet? */
HF_API bool hf_shape_overlap(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                             double depth);

#ifdef __cplusplus
}
#endif
#endif
