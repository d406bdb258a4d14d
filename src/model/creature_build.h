/* The steps of hf_creature_build and what they share. Each step fails cleanly: the creature under
   construction belongs to the build and is freed by it. */
#ifndef HF_MODEL_CREATURE_BUILD_H
#define HF_MODEL_CREATURE_BUILD_H

#include "model/creature.h"
#include "model/creature_draft.h"

typedef struct hf_build {
    const hf_creature_draft* draft;
    hf_creature* creature;
    hf_error* error;
    const char* file; /* that errors name */
    hf_arena scratch; /* freed when the build ends */

    int* link_of_draft;  /* -1 for an absorbed root */
    int* draft_of_link;  /* by final link */
    int* joint_of_draft; /* -1 for an absorbed joint */
    int* draft_of_joint;

    /* Names of the draft in alphabetical order, with their draft indices. */
    struct hf_name_entry *link_names, *joint_names;

    /* Children of link l: child_links[first_child[l] .. first_child[l + 1]). */
    int *first_child, *child_links;

    /* Being filled; they become the view's const arrays. */
    hf_link* links;
    hf_joint* joints;
    hf_body* bodies;
    hf_visual* visuals;
    double* rest;
    hf_transform* rest_links;    /* world poses of the links at rest, root at the origin */
    hf_transform* neutral_links; /* the same with all joints at 0, or as near as their limits allow */
    bool* gap_body;              /* by link: its bodies are made up */
} hf_build;

/* Memory that lives as long as the creature, and memory for the build alone; zeroed. */
void* hf_build_keep(hf_build* build, size_t count, size_t size);
void* hf_build_scratch(hf_build* build, size_t count, size_t size);
hf_status hf_build_fail_memory(hf_build* build);
/* Adds a warning; HF_ERROR_MEMORY when that fails. */
__attribute__((format(printf, 2, 3))) hf_status hf_build_warn(hf_build* build, const char* format, ...);

/* creature_tree.c: names, order, mimic, layout of q and v. */
hf_status hf_build_tree(hf_build* build);
/* gaps.c: limits, speeds, rest posture, where files are silent. */
hf_status hf_build_limits(hf_build* build);
hf_status hf_build_rest(hf_build* build);
/* bodies.c: collision bodies and visuals. */
hf_status hf_build_bodies(hf_build* build);
hf_status hf_build_visuals(hf_build* build);
/* How far the bodies of a link at a world pose reach along a unit direction of the world; minus infinite
   where there is none. */
double hf_link_support(const hf_build* build, int link, hf_transform at, hf_vec3 out);
/* masses.c: by volume where no link has a mass. */
hf_status hf_build_masses(hf_build* build);
/* limbs.c: trunk and limbs, found or given. */
hf_status hf_build_limbs(hf_build* build);
/* postures.c: named postures and regions of the range of motion. */
hf_status hf_build_states(hf_build* build);
hf_status hf_build_roms(hf_build* build);
/* body_pairs.c: which bodies are tested against each other. */
hf_status hf_build_pairs(hf_build* build);

/* The final index of a name, -1 when there is none. */
int hf_build_find_link(const hf_build* build, const char* name);
int hf_build_find_joint(const hf_build* build, const char* name);

/* Is `link` equal to `ancestor` or below it? */
bool hf_build_below(const hf_build* build, int link, int ancestor);
static inline bool hf_joint_moves(const hf_joint* joint) { return joint->type != HF_JOINT_FIXED; }
static inline bool hf_joint_free(const hf_joint* joint) { return hf_joint_moves(joint) && joint->mimic < 0; }

#endif
