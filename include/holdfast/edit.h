/* Edits of a scene, as a scenario of kind adapt lists them. */
#ifndef HOLDFAST_EDIT_H
#define HOLDFAST_EDIT_H

#include <holdfast/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One change of one object. What is not given stays as it is. Position and rotation are the object's new
   world pose; scale multiplies its mesh about the object's own origin. A mesh replaces the object's, or makes
   a new object where the scene has none of that name. */
typedef struct hf_scene_edit {
    char* object;
    double at_s; /* motion time from which the edit holds; 0: from the beginning */
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

#ifdef __cplusplus
}
#endif
#endif
