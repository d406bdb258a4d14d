/* An animator's rig on its way to a creature: joints with a place at rest, each turning by up to three
   angles. BVH and glTF readers fill it; hf_rig_draft gives it links, capsules and masses. */
#ifndef HF_IO_RIG_H
#define HF_IO_RIG_H

#include "io/bvh.h"
#include "model/creature_draft.h"

typedef struct hf_rig_joint {
    const char* name; /* unique, and so are the names made from it */
    int parent;       /* -1 for the root; parents come first */
    hf_vec3 position; /* at rest: metres, creature axes (X ahead, Z up), root at the origin */
    bool tip;         /* an end site: gives its parent length and becomes no link */
    int turn_count;
    hf_vec3 turns[3]; /* axes of the angles, first applied outermost; along the link's axes, signed */
    double lower[3], upper[3];
    bool slides; /* three shifts along the link's axes, before the turns */
    double slide_lower[3], slide_upper[3];
    int source; /* joint of the clip, node of the glTF */
    /* In the posture in which the skeleton stands: where the joint is, how it is turned, and its values. */
    hf_transform standing;
    double turned[3], slid[3];
} hf_rig_joint;

typedef struct hf_rig {
    hf_arena arena;
    const char* path;
    int joint_count, capacity;
    hf_rig_joint* joints;
    hf_quat to_link; /* turns file axes to the creature's */
    double unit_m;
    bool poses; /* the skeleton stands in another posture than that of its file, which has all values at 0 */
} hf_rig;

void hf_rig_free(hf_rig* rig);
/* Adds a joint; NULL when memory is out. The name is made unique later. */
hf_rig_joint* hf_rig_add(hf_rig* rig, const char* name, int parent, int source);
/* Names become valid UTF-8 and unique, their angles' names included. */
hf_status hf_rig_name(hf_rig* rig, hf_error* error);
/* Name of the joint for turn k, for instance "Knee_y", and for slide k, "Knee_slide_y". */
void hf_rig_turn_name(const hf_rig_joint* joint, int k, char name[200]);
void hf_rig_slide_name(const hf_rig_joint* joint, int k, char name[200]);
/* Default limits of a joint's turns. */
void hf_rig_default_limits(hf_rig_joint* joint);
/* Quarter turns about Z that make left-named joints lie at +Y: the creature then looks along +X. */
int hf_rig_facing(const hf_rig* rig);
/* Leading joints that only hold the skeleton in its world ("root", "Armature") are no part of a body:
   the first joint that is. children: number of each joint's children. */
bool hf_rig_is_handle(const char* name);
/* The posture of the file is the one in which the skeleton stands. */
void hf_rig_stand_as_is(hf_rig* rig);
hf_status hf_rig_draft(const hf_rig* rig, hf_creature_draft* draft, hf_error* error);

/* Indices into a creature's q of the angles and shifts of a rig joint. */
typedef struct hf_rig_map {
    int turns[3], slides[3];
} hf_rig_map;
/* Fills an entry for each joint but the root and the tips; HF_ERROR_ARGUMENT where the creature was not made
   from this rig. */
hf_status hf_rig_map_joints(const hf_rig* rig, const hf_creature* creature, hf_rig_map* map, hf_error* error);

/* The rig of a clip; limits widened to what the clip does. */
hf_status hf_bvh_rig(const hf_clip* clip, hf_rig* rig, hf_error* error);
/* Angles (radians) of a joint's turns in a frame, near `angles` of the frame before (in and out). */
void hf_bvh_angles(const hf_clip* clip, int joint, int frame, double angles[3]);

#endif
