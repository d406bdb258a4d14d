/* The inside of scenes and placements. */
#ifndef HF_MODEL_SCENE_H
#define HF_MODEL_SCENE_H

#include <holdfast/scene.h>

#include "geom/tree.h"

#include <stdatomic.h>

/* Largest coordinate of a mesh, m: squares of squares of it still fit a float. */
#define HF_SCENE_MAX_COORDINATE 1e8f
#define HF_SCENE_MAX_TRIANGLES (1 << 27)
#define HF_SCENE_MAX_OBJECTS (1 << 20)

/* Connected pieces of a mesh by welded vertices, with solidity, box and signed volume of each. */
typedef struct hf_pieces {
    int count;
    int* of; /* piece of each triangle */
    int8_t* solidity;
    hf_box* box;
    double* volume;
} hf_pieces;
hf_status hf_pieces_find(const hf_mesh* mesh, hf_pieces* pieces);
void hf_pieces_free(hf_pieces* pieces);

/* The watertight outward pieces of an object and their cavities: inward pieces inside them. */
typedef struct hf_solids {
    int count;
    int* piece;
    hf_tree_node* nodes; /* box tree over them */
    float most[3];       /* largest size of any along each axis: nothing larger fits inside */
    int* cavity_end;     /* cavities of solid i stand from cavity_end[i - 1] (or 0) to cavity_end[i] */
    int* cavity;         /* piece */
} hf_solids;

typedef struct hf_object {
    char* name;
    hf_mesh mesh;
    hf_transform start;
    double friction;
    bool contact, movable, grip;
    double mass_kg;
    int key_count;
    hf_key* keys;
    hf_pieces pieces;
    hf_solids solids;
    hf_tree* tree;
    atomic_int* owners; /* scenes that share mesh, pieces, solids and tree; the last one frees them */
} hf_object;

struct hf_scene {
    int count;
    hf_object* objects;
    /* What a later module has made for it (distance grids of src/contact), freed with it. */
    void* attached;
    void (*attached_free)(void* attached);
};

/* The parts of building and freeing a scene that edits use, too. */
hf_status hf_object_check(const hf_object_def* def, int index, hf_error* error);
hf_status hf_object_build(const hf_object_def* def, hf_object* object);
/* A copy that shares the geometry. */
hf_status hf_object_share(const hf_object* from, hf_object* object);
void hf_object_free(hf_object* object);
/* Where keys have an object at this time: straight and slerp between them, held outside. */
hf_transform hf_keys_pose(const hf_key* keys, int count, double time_s);

hf_status hf_solids_find(hf_object* object, const hf_tree_kernel* kernel);
void hf_solids_free(hf_solids* solids);
/* Is the point, with the box of the body it belongs to (low, high about it), inside solid matter? */
bool hf_solids_hold(const hf_object* object, const hf_tree_kernel* kernel, hf_vec3 point, hf_vec3 low,
                    hf_vec3 high);

/* An object where it is now. */
typedef struct hf_placed {
    hf_transform pose;
    hf_mat3 rotation;
    bool enabled;
    uint32_t node; /* its slot in the upper tree */
    int slot;
} hf_placed;

struct hf_placement {
    const hf_scene* scene;
    const hf_tree_kernel* kernel;
    hf_placed* objects;
    /* the upper tree over world boxes, with scratch to build it again */
    hf_tree_node* nodes;
    int node_count;
    uint32_t* parent; /* of each node */
    int* parent_slot;
    hf_box* boxes; /* world box of each object, empty when disabled */
    uint32_t* order;
    int moves; /* since it was built */
};

/* Uses the kernels of this instruction set; false where the machine lacks it. For tests. */
bool hf_placement_use(hf_placement* placement, hf_cpu cpu);

static inline hf_vec3 hf_into(const hf_placed* placed, hf_vec3 world) {
    const double* m = placed->rotation.m;
    hf_vec3 d = hf_sub(world, placed->pose.position);
    return hf_v3(m[0] * d.x + m[3] * d.y + m[6] * d.z, m[1] * d.x + m[4] * d.y + m[7] * d.z,
                 m[2] * d.x + m[5] * d.y + m[8] * d.z);
}
static inline hf_vec3 hf_turn_into(const hf_placed* placed, hf_vec3 d) {
    const double* m = placed->rotation.m;
    return hf_v3(m[0] * d.x + m[3] * d.y + m[6] * d.z, m[1] * d.x + m[4] * d.y + m[7] * d.z,
                 m[2] * d.x + m[5] * d.y + m[8] * d.z);
}
static inline hf_vec3 hf_out_of(const hf_placed* placed, hf_vec3 local) {
    return hf_add(placed->pose.position, hf_mat3_mul(&placed->rotation, local));
}
/* Fills object, triangle, point and normal of a surface from a point in the object's frame. */
void hf_surface_fill(const hf_placement* placement, int object, int triangle, hf_vec3 local, double distance,
                     hf_surface* out);

/* Walks the upper tree: objects whose world box meets a box, in no order. */
typedef struct hf_upper_meet {
    const hf_placement* placement;
    float center[3], half[3];
    const hf_tree_node* node; /* with these slots still to go to */
    unsigned bits;
    int top;
    uint32_t stack[HF_TREE_STACK];
} hf_upper_meet;
void hf_upper_meet_start(hf_upper_meet* walk, const hf_placement* placement, hf_vec3 center, hf_vec3 half);
int hf_upper_meet_next(hf_upper_meet* walk);

/* Walks the upper tree, nearest first: objects whose world box may be within a bound of a box, or may be hit
   by a ray within it. */
typedef struct hf_upper_walk {
    const hf_placement* placement;
    bool ray;
    float center[3], half[3]; /* of the box */
    float origin[3], per[3];  /* of the ray: 1 / direction, kept finite */
    int top;
    struct {
        float least;
        uint32_t child;
    } stack[HF_TREE_STACK];
} hf_upper_walk;
void hf_upper_box(hf_upper_walk* walk, const hf_placement* placement, hf_vec3 low, hf_vec3 high);
void hf_upper_ray(hf_upper_walk* walk, const hf_placement* placement, hf_vec3 origin, hf_vec3 direction);
/* The next object within bound (m), or -1. */
int hf_upper_next(hf_upper_walk* walk, double bound);

/* Where an object is; the world's frame for none (-1). */
static inline hf_transform hf_object_pose(const hf_placement* placement, int object) {
    return object >= 0 ? hf_placement_pose(placement, object) : hf_transform_identity();
}

/* hf_placement_overlap with an own depth for each of several objects; infinite: not tested. */
typedef struct hf_object_depth {
    int object;
    double depth;
} hf_object_depth;
bool hf_placement_overlap_by(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                             double depth, const hf_object_depth* objects, int count, hf_surface* hit);
/* An object's triangle; object -1 for none. */
typedef struct hf_met {
    int object, triangle;
} hf_met;
/* The same of surfaces alone: a body wholly inside solid matter meets none. `met` (may be NULL) gets the
   triangle. */
bool hf_placement_meets_by(const hf_placement* placement, const hf_shape* shape, hf_transform pose,
                           double depth, const hf_object_depth* objects, int count, hf_met* met);

/* A box or hull made ready for many tests at one depth. */
typedef struct hf_ready_body {
    hf_shape shape; /* a hull's arrays are borrowed */
    double depth;
    hf_vec3 local;  /* centre of the shape's box, in its frame */
    hf_vec3 middle; /* of its volume */
    double half[3]; /* of the shape's box */
    double ball;    /* radius of a ball about the middle inside the shape less the depth */
    hf_plane_set planes;
} hf_ready_body;
void hf_ready_body_fill(hf_ready_body* ready, const hf_shape* shape, double depth);

/* Does the body overlap a surface, or lie wholly inside a solid? As hf_placement_overlap. */
bool hf_placement_overlap_ready(const hf_placement* placement, const hf_ready_body* ready, hf_transform pose);
/* Does the body overlap a surface that can hold a creature: of an object that allows contact and is not
   movable? `met` is looked at first and gets the triangle. */
bool hf_placement_reach_ready(const hf_placement* placement, const hf_ready_body* ready, hf_transform pose,
                              hf_met* met);

/* Do keys move an object? NULL is a scene without objects. */
bool hf_scene_moves(const hf_scene* scene);
/* The box about an object's vertices in the object's frame; false when it has none. */
bool hf_object_box(const hf_scene* scene, int object, hf_vec3* low, hf_vec3* high);

#endif
