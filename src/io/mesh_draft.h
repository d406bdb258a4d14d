/* A mesh while it is being read, and the readers that fill it from the bytes of a file. */
#ifndef HF_IO_MESH_DRAFT_H
#define HF_IO_MESH_DRAFT_H

#include "base/text.h"
#include "geom/polygon.h"
#include <holdfast/mesh.h>

/* Larger meshes are refused with HF_ERROR_LIMIT. */
enum { HF_MESH_MAX_TRIANGLES = 20000000, HF_MESH_MAX_VERTICES = 60000000 };

typedef struct hf_mesh_draft_vertex {
    float at[3];
} hf_mesh_draft_vertex;
typedef struct hf_mesh_draft_triangle {
    uint32_t corner[3];
} hf_mesh_draft_triangle;

/* Zero it, name the source, read, then hf_mesh_draft_finish or _free. */
typedef struct hf_mesh_draft {
    /* the source: bytes[size] is 0 */
    const char* path;
    const char* bytes;
    size_t size;
    hf_error* error;
    /* what was read */
    hf_mesh_draft_vertex* vertices;
    int vertex_count, vertex_capacity;
    hf_mesh_draft_triangle* triangles;
    int triangle_count, triangle_capacity;
    hf_lines warnings;
    /* work memory */
    hf_polygon polygon;
    uint32_t* corners; /* of the polygon being read */
    int corner_count, corner_capacity;
    uint32_t* weld; /* hash table: vertex number + 1, 0 for empty */
    size_t weld_size;
    int crossing_count, crossing_line; /* outlines that cross themselves */
} hf_mesh_draft;

/* A vertex; refused when it does not fit a float. line may be 0, field (may be NULL) says where then. */
hf_status hf_mesh_draft_add_vertex(hf_mesh_draft* draft, int line, const char* field, const double xyz[3]);
/* A vertex, or the one already there at exactly this place. */
hf_status hf_mesh_draft_weld_vertex(hf_mesh_draft* draft, const char* field, const float xyz[3],
                                    uint32_t* vertex);
hf_status hf_mesh_draft_add_triangle(hf_mesh_draft* draft, uint32_t a, uint32_t b, uint32_t c);
/* Corners of the next polygon, then the polygon itself. The vertices are those of the draft. */
hf_status hf_mesh_draft_add_corner(hf_mesh_draft* draft, uint32_t vertex);
hf_status hf_mesh_draft_add_polygon(hf_mesh_draft* draft, int line, const char* field);

/* Drops vertices that no triangle uses, refuses a mesh without triangles, moves the arrays into mesh. */
hf_status hf_mesh_draft_finish(hf_mesh_draft* draft, hf_mesh* mesh);
void hf_mesh_draft_free(hf_mesh_draft* draft);

hf_status hf_obj_read(hf_mesh_draft* draft);
hf_status hf_stl_read(hf_mesh_draft* draft);
hf_status hf_ply_read(hf_mesh_draft* draft);
/* Opens draft->path itself, in a child process. */
hf_status hf_assimp_read(hf_mesh_draft* draft);

#endif
