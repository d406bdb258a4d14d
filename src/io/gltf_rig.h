/* The skin of a glTF file as a rig. The document stays in memory with its nodes, so that a motion can be
   written back into it. */
#ifndef HF_IO_GLTF_RIG_H
#define HF_IO_GLTF_RIG_H

#include "base/text.h"
#include "io/json.h"
#include "io/rig.h"

/* Row-major 3 x 4. */
typedef struct hf_affine {
    double m[12];
} hf_affine;

typedef struct hf_gltf_node {
    int parent, first_child, next_sibling;
    hf_affine local, global;
    double place[3], stretch[3]; /* translation and scale that `local` is made of */
    hf_quat turn;
    bool sheared;     /* the file gives a matrix that is not made of such three */
    const char* name; /* borrowed from the JSON, may be NULL */
    bool joint;       /* of the chosen skeleton */
    bool any_joint;   /* of any skin */
    int rig;          /* its joint in the rig as it was added, -1 for none */
} hf_gltf_node;

typedef struct hf_gltf_rig {
    hf_json json;
    const char* path;
    char* bytes; /* of the file */
    size_t size;
    const char* text; /* the JSON among them */
    size_t length;
    hf_gltf_node* nodes;
    int* order; /* preorder */
    int count;
    hf_rig rig; /* joint.source: node */
    hf_lines warnings;
} hf_gltf_rig;

/* unit_m 0 guesses. On failure there is nothing to free. */
hf_status hf_gltf_rig_load(const char* path, double unit_m, hf_gltf_rig* rig, hf_error* error);
void hf_gltf_rig_free(hf_gltf_rig* rig);
/* The pose of a node from its translation, rotation and scale. */
hf_affine hf_affine_compose(const double place[3], hf_quat turn, const double scale[3]);
/* The global pose of a node whose parent's global pose is given. */
hf_affine hf_affine_multiply(const hf_affine* a, const hf_affine* b);
/* Scale and turn of a pose; false where it is sheared or flat. A mirrored pose has a negative first scale. */
bool hf_affine_take_apart(const hf_affine* a, double scale[3], hf_quat* turn);

#endif
