/* Edits of a scene, as a scenario of kind adapt lists them. */
#ifndef HOLDFAST_EDIT_H
#define HOLDFAST_EDIT_H

#include <holdfast/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One change of one object. What is not given stays as it is. Position and rotation are the object's new
   world pose; scale multiplies its mesh about the object's own origin. A mesh replaces the object's, or makes
   a new object where the scene has none of that name. */
typedef struct hf_scene_edit {
    char* object;
    double
        at_s; /* motion time from which the edit holds; 0: from the beginning. Before, the object goes there
                 straight from where the edit before (or the scene) has it; only poses may be so keyed */
    bool remove;
    bool has_position, has_rotation;
    hf_vec3 position;
    hf_quat rotation;
    double scale; /* 1: as it is */
    hf_mesh mesh; /* metres, Z up; no vertices: the object keeps its mesh */
    int vertex_count;
    float*
        vertices; /* deformation: a new place for each vertex of the object's mesh, in the object's frame */
    double friction; /* of a new object; default 0.5 */
} hf_scene_edit;
/* An edit of this object that changes nothing. */
HF_API hf_scene_edit hf_scene_edit_of(const char* object);

/* A new scene with the edits made in their order. Objects keep their indices: a removed one stays without
   triangles and allows no contact, a new one comes last. Geometry that no edit changes is shared with the old
   scene, which may be freed first. HF_ERROR_ARGUMENT names an object that does not exist, and what is not
   finite. */
HF_API hf_status hf_scene_change(const hf_scene* scene, const hf_scene_edit* edits, int count,
                                 hf_scene** changed, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
