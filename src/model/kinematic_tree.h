/* What kinematics and dynamics precompute from a creature: one compact node per link, and links that
   are fixed to each other joined to segments. */
#ifndef HF_MODEL_KINEMATIC_TREE_H
#define HF_MODEL_KINEMATIC_TREE_H

#include <holdfast/creature.h>

/* How a joint moves its child. */
typedef enum hf_motion { HF_MOVE_FIXED, HF_MOVE_TURN, HF_MOVE_SLIDE, HF_MOVE_FLOAT, HF_MOVE_PLANE } hf_motion;

/* The joint above a link. Mimic joints read their master: value = multiplier * q[q] + offset, speed =
   multiplier * v[v]. v is -1 for a joint that no speed moves. */
typedef struct hf_node {
    hf_transform origin; /* joint frame in the parent link */
    hf_vec3 axis;        /* unit, in the joint frame */
    double multiplier, offset;
    hf_motion motion;
    bool turned; /* origin has a rotation */
    int parent;  /* link, -1 for the root */
    int q, v;
} hf_node;

/* Links that are fixed to each other; `link` is the one nearest to the root and gives the frame. */
typedef struct hf_segment {
    hf_mat3 rotation; /* joint frame in the parent segment's frame */
    hf_vec3 position;
    hf_vec3 axis;
    double multiplier, offset;
    hf_motion motion;
    int main_axis; /* 0 1 2 where axis is exactly +-X +-Y +-Z, else -1 */
    int parent;    /* segment, -1 for the root's */
    int q, v;
    int link;
    double mass;
    hf_vec3 moment;    /* mass times centre of mass */
    double inertia[6]; /* about the frame's origin: xx yy zz xy xz yz */
} hf_segment;

/* A mimic joint: q[q] = multiplier * q[source] + offset. */
typedef struct hf_follower {
    int q, source;
    double multiplier, offset;
} hf_follower;

typedef struct hf_kinematic_tree {
    int node_count, segment_count, follower_count;
    const hf_node* nodes;       /* by link */
    const hf_segment* segments; /* parents first */
    const hf_follower* followers;
    const int* order;      /* links depth first: those beyond order[i] follow it */
    const int* place;      /* of a link in order */
    const int* link_total; /* links beyond a link, itself included */
    double mass;
} hf_kinematic_tree;

/* Builds creature->tree from links, joints and their order; to be called as soon as the view has them,
   before any kinematics. */
hf_status hf_kinematic_tree_build(hf_creature* creature);

/* Two unit directions of the plane normal to axis: X and Y turned the shortest way that takes Z to axis. */
void hf_plane_directions(hf_vec3 axis, hf_vec3* first, hf_vec3* second);

#endif
