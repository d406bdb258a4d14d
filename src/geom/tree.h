/* An 8-wide bounding volume tree over the triangles of one object: one relocatable block. Boxes are tested
   eight at a time in float with margins for rounding; what they and the float triangle tests cannot decide
   is decided in double (geom/triangle.h), so that answers do not depend on float rounding. */
#ifndef HF_GEOM_TREE_H
#define HF_GEOM_TREE_H

#include "base/cpu.h"
#include "geom/triangle.h"

#define HF_TREE_NONE 0xffffffffu /* an empty slot */
#define HF_TREE_LEAF 0x80000000u /* set in a child that is a leaf (or an item) */
#define HF_TREE_DEPTH 40         /* of inner nodes; the builder keeps under it */
#define HF_TREE_STACK (7 * HF_TREE_DEPTH + 8)

/* Eight boxes as centre and half size (rounded up); [axis][slot]. */
typedef struct hf_tree_node {
    float center[3][8];
    float half[3][8];
    uint32_t child[8];
} __attribute__((aligned(32))) hf_tree_node;

/* Eight triangles, [corner][axis][lane]; an unused lane repeats a triangle and has id HF_TREE_NONE. */
typedef struct hf_tree_leaf {
    float v[3][3][8];
    uint32_t id[8];
} __attribute__((aligned(32))) hf_tree_leaf;

/* Header of the block; nodes and leaves follow at their offsets from it. Children stand behind parents. */
typedef struct hf_tree {
    uint64_t byte_count;
    uint32_t node_count, leaf_count, triangle_count, depth;
    uint64_t node_offset, leaf_offset;
    float low[3], high[3];
} hf_tree;

static inline const hf_tree_node* hf_tree_nodes(const hf_tree* tree) {
    return (const hf_tree_node*)(const void*)((const char*)tree + tree->node_offset);
}
static inline const hf_tree_leaf* hf_tree_leaves(const hf_tree* tree) {
    return (const hf_tree_leaf*)(const void*)((const char*)tree + tree->leaf_offset);
}

/* Builds the tree of a mesh whose coordinates are finite and indices in range. Free with hf_free. */
hf_status hf_tree_build(const hf_mesh* mesh, hf_tree** tree);

/* A tree over boxes (objects, pieces): slots hold HF_TREE_LEAF | item. Nothing is allocated. */
typedef struct hf_box {
    float low[3], high[3];
} hf_box;
/* nodes: room for max(1, count); order and boxes: count, order is scratch. Returns the number of nodes. */
int hf_box_tree_build(const hf_box* boxes, int count, uint32_t* order, hf_tree_node* nodes);
/* Sets one slot to hold the box, rounded outwards. An empty box (low > high) holds nothing. */
void hf_tree_slot_set(hf_tree_node* node, int slot, const hf_box* box);
hf_box hf_box_empty(void);
void hf_box_join(hf_box* box, const hf_box* other);

/* Called for each triangle that may be nearer than *bound; may lower it. False ends the query. */
typedef bool (*hf_tree_visit)(void* user, const hf_triangle* triangle, uint32_t id, double* bound);

/* An oriented box around a convex body, in the tree's frame. */
typedef struct hf_tree_body {
    hf_vec3 center;
    hf_vec3 axis[3]; /* unit */
    double half[3];  /* along the axes */
} hf_tree_body;

/* The queries, once for each instruction set. */
typedef struct hf_tree_kernel {
    /* Slots (one bit each) whose box meets the box about `center`; may say yes to a few too many. */
    unsigned (*meet)(const hf_tree_node* node, const float center[3], const float half[3]);
    /* Slots whose box holds all of that box; may say yes to a few too many. */
    unsigned (*hold)(const hf_tree_node* node, const float center[3], const float half[3]);
    /* Least distance of each slot's box from the box about `center`. */
    void (*box_slots)(const hf_tree_node* node, const float center[3], const float half[3], float least[8]);
    /* Where the ray enters each slot's box, infinite where it does not; `per` is 1 / direction, and boxes are
       grown by `doubt`. */
    void (*ray_slots)(const hf_tree_node* node, const float origin[3], const float per[3],
                      const float doubt[3], float least[8]);
    /* A triangle nearer than `radius` to the segment p q, or HF_TREE_NONE. */
    uint32_t (*capsule)(const hf_tree* tree, hf_vec3 p, hf_vec3 q, double radius);
    /* Visits triangles by their distance from the segment p q, nearest boxes first. */
    bool (*near)(const hf_tree* tree, hf_vec3 p, hf_vec3 q, double bound, hf_tree_visit visit, void* user);
    /* Visits triangles that the ray may hit at a distance up to the bound; direction is unit. */
    bool (*ray)(const hf_tree* tree, hf_vec3 origin, hf_vec3 direction, double bound, hf_tree_visit visit,
                void* user);
    /* Visits triangles that may be within the bound of the body. */
    bool (*body)(const hf_tree* tree, const hf_tree_body* body, double bound, hf_tree_visit visit,
                 void* user);
} hf_tree_kernel;

/* NULL where this machine cannot run it. */
const hf_tree_kernel* hf_tree_kernel_for(hf_cpu cpu);

#endif
