/* Triangles on their way into a glTF primitive: float positions, normals by crease angle, one joint a
   vertex. */
#ifndef HF_IO_GLB_MESH_H
#define HF_IO_GLB_MESH_H

#include "io/byte_buffer.h"
#include <holdfast/mesh.h>

typedef struct hf_glb_mesh {
    hf_bytes positions, normals, joints, indices;
    uint32_t vertex_count, index_count;
    float low[3], high[3];
} hf_glb_mesh;

/* Adds a mesh placed by a transform; triangles without area are left out. joint is kept for each vertex
   (four 16-bit numbers, the first is used). False when memory is out. */
bool hf_glb_mesh_add(hf_glb_mesh* out, const hf_mesh* mesh, hf_transform place, int joint);
void hf_glb_mesh_free(hf_glb_mesh* mesh);

#endif
