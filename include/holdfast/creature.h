/* Creatures: a tree of links and joints with a free root, its limbs, contact frames and limits.
   Immutable after loading and shared by any number of threads. */
#ifndef HOLDFAST_CREATURE_H
#define HOLDFAST_CREATURE_H

#include <holdfast/base.h>
#include <holdfast/math.h>
#include <holdfast/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_creature hf_creature;

typedef struct hf_load_options {
    hf_strings package_path;  /* folders searched first for package:// names */
    hf_strings creature_path; /* folders of creature files that a scenario can name without folder or ending:
                                 "human" is human.creature.json in one of them */
    double unit_m;            /* metres per unit of a BVH or glTF skeleton; 0 guesses and warns */
} hf_load_options;
HF_API hf_load_options hf_load_options_default(void);

/* Loads a creature file, a URDF (with an SRDF of the file's or the robot's name beside it or in ../srdf), a
   BVH or a glTF skin. options may be NULL. */
HF_API hf_status hf_creature_load(const char* path, const hf_load_options* options, hf_creature** creature,
                                  hf_error* error);
HF_API void hf_creature_free(hf_creature* creature);

/* Writes links, joints, inertials and collision bodies as a URDF that loads to the same creature; of a
   skeleton also STEM.srdf beside it, with its postures and the pairs of bodies that are not tested. */
HF_API hf_status hf_creature_write_urdf(const hf_creature* creature, const char* path, hf_error* error);

/* Writes bodies, joints, inertials, collision bodies and motors as MJCF, which MuJoCo loads; spheres at the
   corners of contact frames (class "contact") are there and touch nothing. HF_ERROR_LIMIT for a creature with
   planar or floating joints. */
HF_API hf_status hf_creature_write_mjcf(const hf_creature* creature, const char* path, hf_error* error);

typedef enum hf_joint_type {
    HF_JOINT_FIXED,
    HF_JOINT_REVOLUTE,
    HF_JOINT_CONTINUOUS,
    HF_JOINT_PRISMATIC,
    HF_JOINT_FLOATING, /* seven values: x y z, w x y z */
    /* Three values: two shifts in the plane normal to axis, then one turn about it. The shifts run along X
       and Y of the joint frame turned the shortest way that takes Z to axis. */
    HF_JOINT_PLANAR
} hf_joint_type;

/* Joints are in file order, and so are the values of a pose: joint j owns q[q_index .. + q_count).
   Speeds have their own layout: six for the root (linear and angular, both in world axes), then
   v[v_index .. + v_count) with v_index >= 6; floating joints have six (as the root, in the joint's
   frame), mimic joints none. */
typedef struct hf_joint {
    const char* name;
    hf_joint_type type;
    int parent_link, child_link;
    hf_transform origin;     /* in the parent link */
    hf_vec3 axis;            /* unit, in the joint frame */
    double lower, upper;     /* rad or m; infinite for continuous, floating, planar */
    double max_speed;        /* rad/s or m/s; never 0 */
    double max_acceleration; /* rad/s2 or m/s2 */
    double max_effort;       /* N m or N; infinite when not given */
    int mimic;               /* joint this one follows, -1 for none: q = multiplier q[mimic] + offset */
    double multiplier, offset;
    int q_index, q_count;
    int v_index, v_count;
} hf_joint;

/* Links are in an order where parents come first; link 0 is the root. */
typedef struct hf_link {
    const char* name;
    int parent_link; /* -1 for the root */
    int joint;       /* the joint that moves it, -1 for the root */
    double mass;
    hf_vec3 com;       /* in link axes */
    double inertia[6]; /* about com, in link axes: xx yy zz xy xz yz */
    int first_body, body_count;
    int first_visual, visual_count;
} hf_link;

/* A convex collision body, fixed in its link. */
typedef struct hf_body {
    int link;
    hf_transform in_link;
    hf_shape shape;
} hf_body;

/* What a link looks like, where the file says so; else draw its bodies. */
typedef struct hf_visual {
    int link;
    hf_transform in_link;
    hf_mesh mesh; /* scaled to metres */
    float colour[4];
} hf_visual;

/* Where a limb touches: a point on the effector's surface (or a ball's centre) with the normal that
   points out of the creature. patch is 0 0 for a point, ball is 0 for a point or patch. Patch sizes
   run along the link's two other axes in x, y, z order (the axis nearest to the normal left out). */
typedef struct hf_contact_frame {
    const char* name;
    int link;
    hf_vec3 offset, normal;
    double patch[2];
    double ball;
} hf_contact_frame;

typedef struct hf_limb {
    const char* name;
    int root_link; /* the first moving link; equals effector_link for a limb without joints */
    int effector_link;
    int base_link;     /* the parent of the first joint: the limb's root frame is fixed in it */
    hf_transform base; /* root frame in base_link: the first joint's origin */
    int joint_count;
    const int* joints; /* movable, non-mimic joints from trunk to effector */
    int contact_count;
    const hf_contact_frame* contacts; /* contact_count, then tip_count more */
    int exclude_count;
    const int* excludes; /* limbs that cannot be in a stance together with this one */
    bool use;            /* false: found (head, tail) but not used for contact */
    bool grip;
    double max_force; /* N */
    int mirror_of;    /* limb index, -1 for none */
    double length;    /* m, from the first joint to the farthest contact frame, straightened */
    int tip_count;    /* of a limb that grips: balls at the ends of its fingers, which pinch */
} hf_limb;
/* Contact frames that a hold may name: those that queries look for places for, and finger tips. */
static inline int hf_limb_frame_count(const hf_limb* limb) { return limb->contact_count + limb->tip_count; }

/* A joint group with a region in angle space: a union of convex pieces A q <= b, or a spherical
   swing polygon with a twist interval. */
typedef struct hf_rom_piece {
    int plane_count;
    const double* planes; /* plane_count rows of joint_count + 1 numbers: unit normal, then b */
} hf_rom_piece;
typedef struct hf_rom {
    int joint_count;
    const int* joints;
    int piece_count; /* 0 for a swing polygon */
    const hf_rom_piece* pieces;
    int corner_count;
    const hf_vec3* corners; /* unit directions in the parent link's frame */
    hf_vec3 zero_swing;     /* the swing direction where all joints of the group are 0 */
    double twist[2];
    double max_residual;                    /* rad: the largest distance to an outer facet in the region */
    const struct hf_rom_boundary* boundary; /* outer facets and box, made when the creature is built */
} hf_rom;

/* A named posture of the SRDF. */
typedef struct hf_group_state {
    const char* name;
    const char* group;
    const double* q; /* whole pose; joints not named keep the rest posture */
} hf_group_state;

typedef struct hf_body_limits {
    double root_speed, root_turn, root_acceleration; /* m/s, rad/s, m/s2 */
    double joint_speed, joint_acceleration;          /* rad/s, rad/s2: where the URDF is silent */
} hf_body_limits;

/* Which limbs must reach a surface, by tilt of the trunk (guide paths). Lists hold limb indices. */
typedef struct hf_guide {
    int upright_count, bent_count;
    const int *upright, *bent;
    double tilt, tilt_max; /* rad */
    double tilt_side;      /* rad: most lean to the sides and backwards; default: tilt_max */
    const double* bent_q;  /* how it is at rest on all limbs, bent by bent_tilt (rad); NULL: not known */
    double bent_tilt;
    int any;
    double trunk_scale;
} hf_guide;

/* Everything of a creature as plain arrays; valid as long as the creature. */
typedef struct hf_creature_view {
    const char* name;
    const char* path;         /* the file it was loaded from, as given */
    const char* urdf_path;    /* NULL when made from BVH or glTF */
    const char* control_path; /* of the file that changes its control layer; NULL for none */
    const char* package_path; /* folders of hf_load_options and the environment in which package:// names were
                                 found, one a line; NULL for none */
    int link_count, joint_count, limb_count, body_count, visual_count, rom_count, state_count;
    int q_count, v_count; /* v_count includes the root's six */
    const hf_link* links;
    const hf_joint* joints;
    const int* joint_order; /* joints with parents first */
    const hf_limb* limbs;
    const hf_body* bodies;
    const hf_visual* visuals;
    const hf_rom* roms;
    const hf_group_state* states;
    const double* rest; /* q_count values */
    int trunk_count;
    const int* trunk; /* link indices */
    int gait_count;
    const int* gait_sizes; /* limbs in each group */
    const int* gait_limbs; /* the groups one after the other */
    hf_body_limits limits;
    hf_guide guide;
    double mass;   /* kg */
    double height; /* m, extent of the bodies along Z in the rest posture */
    double
        facing; /* rad about Z from the root's X axis to where it looks: 0, or as the names of its legs say */
    hf_strings warnings;
} hf_creature_view;

HF_API const hf_creature_view* hf_creature_get(const hf_creature* creature);

/* Index by name, or -1. */
HF_API int hf_creature_find_link(const hf_creature* creature, const char* name);
HF_API int hf_creature_find_joint(const hf_creature* creature, const char* name);
HF_API int hf_creature_find_limb(const hf_creature* creature, const char* name);

/* Are these two bodies tested against each other? False for bodies of one link or of a link and its parent,
   for pairs the SRDF disables, and for pairs that touch in the rest posture. */
HF_API bool hf_creature_pair_enabled(const hf_creature* creature, int body_a, int body_b);

/* 64-bit hash of everything that decides motion, the same for the same files on every machine. */
HF_API uint64_t hf_creature_hash(const hf_creature* creature);

#ifdef __cplusplus
}
#endif
#endif
