/* A creature while it is being read: what files say, before gaps are filled and the tree is ordered.
   Readers (src/io) fill it; hf_creature_build (src/model/creature.c) turns it into a creature. */
#ifndef HF_MODEL_CREATURE_DRAFT_H
#define HF_MODEL_CREATURE_DRAFT_H

#include "base/memory.h"
#include "base/text.h"
#include <holdfast/creature.h>

#include <string.h>

/* Files beyond these are refused with HF_ERROR_LIMIT. */
enum {
    HF_MAX_LINKS = 4096,
    HF_MAX_SHAPES = 8192,
    HF_MAX_LIMBS = 256,
    HF_MAX_GROUPS = 4096, /* also members, tips and states of an SRDF, each */
    HF_MAX_PAIRS = 1 << 20,
    HF_MAX_ROM_JOINTS = 6,
    HF_MAX_MESH_VERTICES = 1 << 24 /* of all meshes of one creature */
};

/* Lengths, masses, multipliers and joint values beyond this are refused or cut: sums and products of such
   numbers would not stay finite. */
#define HF_MAX_NUMBER 1e6

/* All texts and arrays inside a draft live in its arena. */
typedef struct hf_draft_link {
    char* name;
    int line;
    double mass;
    hf_vec3 com;
    double inertia[6]; /* about com, in link axes */
} hf_draft_link;

typedef struct hf_draft_joint {
    char* name;
    int line;
    hf_joint_type type;
    char *parent, *child;
    hf_transform origin;
    hf_vec3 axis;
    bool has_bounds; /* lower and upper were given */
    double lower, upper;
    double velocity, effort; /* 0 when absent */
    char* mimic;             /* NULL for none */
    double multiplier, offset;
} hf_draft_joint;

/* A collision or visual geometry. Meshes arrive loaded and scaled; `is_cylinder` has radius and
   half_length and becomes a hull. A mesh that could not be loaded has no vertices: a gap. */
typedef struct hf_draft_shape {
    int link;
    int line;
    char* source;   /* the mesh as the file names it, NULL for none */
    hf_vec3 scale;  /* already applied once the mesh is loaded */
    char* material; /* a name that is looked up when the whole file is read, NULL for none */
    bool visual;
    bool is_cylinder, is_mesh;
    hf_transform in_link;
    hf_shape shape;
    hf_mesh mesh; /* owned by the draft, heap */
    float colour[4];
} hf_draft_shape;

typedef struct hf_draft_contact {
    char *name, *link; /* link NULL: the effector */
    hf_vec3 offset, normal;
    double patch[2], ball;
} hf_draft_contact;

typedef struct hf_draft_limb {
    char *name, *root, *effector; /* root NULL: found by walking up to the trunk; effector NULL: as found */
    hf_draft_contact* contacts;
    int contact_count;
    bool has_use, use, has_grip, grip;
    double max_force; /* 0: default 600 N */
    char* mirror_of;
    char** excludes;
    int exclude_count;
} hf_draft_limb;

/* A part of an SRDF group: a joint, a link, a chain from a to b, or another group. */
typedef struct hf_draft_member {
    int group;
    enum { HF_MEMBER_JOINT, HF_MEMBER_LINK, HF_MEMBER_CHAIN, HF_MEMBER_GROUP } kind;
    char *a, *b;
} hf_draft_member;

/* An SRDF end effector or gripper: `link` is where it is mounted. */
typedef struct hf_draft_tip {
    char *name, *link, *group;
} hf_draft_tip;

typedef struct hf_draft_pair {
    char *a, *b; /* links */
} hf_draft_pair;

typedef struct hf_draft_value {
    char* joint;
    int count;
    double values[7];
} hf_draft_value;

typedef struct hf_draft_state {
    char *name, *group;
    hf_draft_value* values;
    int value_count;
} hf_draft_state;

typedef struct hf_draft_rom {
    char* file; /* that holds it */
    char** joints;
    int joint_count;
    hf_rom_piece* pieces; /* planes not yet normalised */
    int piece_count;
    hf_vec3* corners;
    int corner_count;
    double twist[2];
} hf_draft_rom;

#define HF_DRAFT_LIST(type, name)                                                                            \
    type* name;                                                                                              \
    int name##_count, name##_capacity

typedef struct hf_creature_draft {
    hf_arena arena;
    char *name, *path, *urdf_path, *control_path;
    HF_DRAFT_LIST(hf_draft_link, links);
    HF_DRAFT_LIST(hf_draft_joint, joints);
    HF_DRAFT_LIST(hf_draft_shape, shapes);
    HF_DRAFT_LIST(hf_draft_limb, limbs);
    bool limbs_given; /* by a creature file: no others are looked for */
    char* srdf_path;  /* NULL for none */
    HF_DRAFT_LIST(char*, groups);
    HF_DRAFT_LIST(hf_draft_member, members);
    HF_DRAFT_LIST(hf_draft_tip, tips);
    HF_DRAFT_LIST(hf_draft_pair, disabled);
    HF_DRAFT_LIST(hf_draft_state, states);
    HF_DRAFT_LIST(hf_draft_value, rest);
    HF_DRAFT_LIST(hf_draft_rom, roms);
    HF_DRAFT_LIST(char*, trunk);
    char*** gait; /* gait_count groups, each gait_sizes[i] limb names */
    int* gait_sizes;
    int gait_count;
    hf_body_limits limits; /* 0 where not given */
    char **guide_upright, **guide_bent;
    int guide_upright_count, guide_bent_count;
    bool has_guide;
    double guide_tilt, guide_tilt_max, guide_tilt_side, guide_trunk_scale; /* 0 where not given */
    char* guide_bent_state; /* name of a group state, NULL for none */
    double guide_bent_tilt;
    int guide_any;
    hf_lines warnings;
    hf_lines package_path; /* folders in which package:// names were found */
} hf_creature_draft;

/* Adds an empty item to one of a draft's lists; false when memory is out. */
#define HF_DRAFT_ADD(draft, list)                                                                            \
    (HF_GROW((draft)->list, (draft)->list##_capacity, (draft)->list##_count)                                 \
         ? (memset(&(draft)->list[(draft)->list##_count++], 0, sizeof *(draft)->list), true)                 \
         : false)

void hf_creature_draft_free(hf_creature_draft* draft);
/* Orders the tree, absorbs a massless root, fills gaps, finds limbs, makes hulls, switches off pairs
   that touch at rest. The draft stays the caller's. Errors name the draft's urdf_path or path. */
hf_status hf_creature_build(const hf_creature_draft* draft, hf_creature** creature, hf_error* error);

#endif
