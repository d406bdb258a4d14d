/* The inside of a creature. */
#ifndef HF_MODEL_CREATURE_H
#define HF_MODEL_CREATURE_H

#include "base/memory.h"
#include "base/text.h"
#include <holdfast/creature.h>

struct hf_creature {
    hf_creature_view view;
    hf_arena arena; /* everything the view points to, hulls included */
    hf_lines warnings;
    uint32_t* pairs; /* bit a * body_count + b: the two bodies are tested */
    uint64_t hash;
    bool rest_given;       /* a file says how the creature is at rest, and so how it stands */
    const bool* gap_links; /* by link: its bodies are made up, no file gives them */
    /* Made by hf_kinematic_tree_build (kinematic_tree.h) once links and joints stand: kinematics need it. */
    const struct hf_kinematic_tree* tree;
    /* Made by hf_body_bounds_build (body_bounds.h) once bodies stand: collision tests need it. */
    const struct hf_body_bound* bounds;
    /* Made by hf_effectors_build once limbs and trunk stand: limb_count rows of link_count. */
    const bool* effectors;
};

/* Fills c->effectors (effector.c). */
hf_status hf_effectors_build(hf_creature* c);
/* Does the link touch when the limb touches? */
static inline bool hf_effector_has(const hf_creature* c, int limb, int link) {
    return c->effectors[(size_t)limb * (size_t)c->view.link_count + (size_t)link];
}

static inline bool hf_pair_bit(const hf_creature* c, int a, int b) {
    size_t bit = (size_t)a * (size_t)c->view.body_count + (size_t)b;
    return c->pairs[bit / 32] >> (bit % 32) & 1;
}

/* Do both links have bodies, of which no two are tested against each other? */
bool hf_links_apart(const hf_creature* creature, int a, int b);

/* The limb's joint values from one whole pose into another, whose mimic joints follow. */
void hf_pose_take_limb(const hf_creature* creature, int limb, const double* from, double* to);
/* Are all joints with one value within their limits by more than -`tolerance`? */
bool hf_pose_within_limits(const hf_creature* creature, const double* q, double tolerance);

/* Can the joint be in the same place after a whole turn? */
static inline bool hf_joint_turns_round(const hf_joint* joint) {
    return joint->type == HF_JOINT_CONTINUOUS ||
           (joint->type == HF_JOINT_REVOLUTE && joint->upper - joint->lower >= 6.28318530717958648);
}
/* The joint at the end of a chain of mimics, with the whole multiplier and offset. */
int hf_joint_master(const hf_creature_view* view, int joint, double* multiplier, double* offset);
/* What a mimic joint's limits leave to its master's value; false for a joint that narrows none. */
bool hf_mimic_range(const hf_creature_view* view, int joint, int* master, double* low, double* high);

/* A limb has what its joints move; without joints it has its one link. Limb -1 has all. */
bool hf_link_in_limb(const hf_creature* creature, int link, int limb);
/* The limb whose joints move a link; -1: it belongs to the trunk. */
int hf_link_limb(const hf_creature* creature, int link);
/* How far a body reaches along a unit direction of its link. */
double hf_body_support(const hf_body* body, hf_vec3 out);

#endif
