/* Motions: poses in time with contacts, as read from and written to files. */
#ifndef HOLDFAST_MOTION_H
#define HOLDFAST_MOTION_H

#include <holdfast/hold.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HF_CLAIM_LIMITS = 1,
    HF_CLAIM_ROM = 2,
    HF_CLAIM_COLLISION = 4,
    HF_CLAIM_CONTACTS = 8,
    HF_CLAIM_SPEED = 16,
    HF_CLAIM_BALANCE = 32,
    HF_CLAIM_ONE_LIMB = 64,
    HF_CLAIM_ALL = 127,     /* what a motion promises that does not say otherwise */
    HF_CLAIM_DYNAMIC = 128, /* contact forces for the full inertial wrench; only where it is said */
    HF_CLAIM_COUNT = 8
};
/* The name that files have for claim 1 << index; NULL from HF_CLAIM_COUNT on. */
HF_API const char* hf_claim_text(int index);

typedef struct hf_motion_object {
    int object;
    hf_transform pose;
} hf_motion_object;

typedef struct hf_motion_frame {
    double time_s;
    hf_transform root;
    double* q; /* q_count */
    int contact_count;
    hf_hold* contacts; /* in the world; limb, frame and object are indices into the motion's own names (-1:
                          the object is not named), so that the motion stands alone */
    int object_count;
    hf_motion_object* objects; /* those named in this frame */
    double balance;            /* m; NaN where not computed */
    bool stance;
} hf_motion_frame;

typedef struct hf_motion_contact_frame {
    char* name;
    char* link;
    hf_vec3 offset, normal;
    double patch[2];
    double ball;
} hf_motion_contact_frame;

typedef struct hf_motion_limb {
    char* name;
    int frame_count;
    hf_motion_contact_frame* frames;
} hf_motion_limb;

typedef struct hf_motion_stat {
    char* name;
    double value;
} hf_motion_stat;

/* A plain struct that owns its memory; start from hf_motion_create. Paths are relative to the folder
   the program runs in; hf_motion_save and _load turn them from and to paths relative to the file. */
typedef struct hf_motion {
    char* creature;
    char* scenario;     /* NULL when there is none */
    char* package_path; /* folders to find the creature's package:// names in, one a line; NULL for none */
    char* outcome;      /* hf_outcome_text */
    unsigned claims;
    int joint_count, q_count, limb_count, object_count, frame_count, frame_capacity, stat_count;
    char** joints;
    hf_motion_limb* limbs;
    char** objects;
    hf_motion_frame* frames;
    hf_motion_stat* stats;
} hf_motion;

/* An empty motion with the names of a creature and (may be NULL) a scene. Claims HF_CLAIM_ALL, outcome
   "found". */
HF_API hf_status hf_motion_create(const hf_creature* creature, const hf_scene* scene, hf_motion** motion);
HF_API void hf_motion_free(hf_motion* motion);
/* Appends a copy of the pose, without contacts; returns the frame or NULL when memory is out. Earlier
   frames may move in memory. Times must ascend. */
HF_API hf_motion_frame* hf_motion_add(hf_motion* motion, double time_s, const hf_pose* pose);
/* Adds a contact to a frame of this motion; a limb has at most one in a frame. */
HF_API hf_status hf_motion_add_contact(hf_motion* motion, hf_motion_frame* frame, const hf_hold* contact);
/* Names where an object (into motion.objects) stands from this frame on. */
HF_API hf_status hf_motion_add_object(hf_motion* motion, hf_motion_frame* frame, int object,
                                      hf_transform pose);
/* Index into motion.objects, added when it is new; -1 when memory is out. */
HF_API int hf_motion_object_index(hf_motion* motion, const char* name);
HF_API hf_status hf_motion_set_stat(hf_motion* motion, const char* name, double value);

/* Does the motion fit this creature and (may be NULL) scene: joints, limbs, contact frames, objects?
   Names what does not. */
HF_API hf_status hf_motion_validate(const hf_motion* motion, const hf_creature* creature,
                                    const hf_scene* scene, hf_error* error);
/* Pose at a time, between frames as hf_pose_between, held outside. pose.q holds q_count values. */
HF_API void hf_motion_pose(const hf_motion* motion, const hf_creature* creature, double time_s,
                           hf_pose* pose);
/* Where the objects of a scene are in a frame: as last named, else by keys, else at their start. An object
   with keys that is not movable is always where they put it. */
HF_API void hf_motion_place(const hf_motion* motion, int frame, hf_placement* placement);
/* The same at any time: straight and slerp towards a frame that names the object next. */
HF_API void hf_motion_place_at(const hf_motion* motion, double time_s, hf_placement* placement);

HF_API hf_status hf_motion_load(const char* path, hf_motion** motion, hf_error* error);
HF_API hf_status hf_motion_save(const hf_motion* motion, const char* path, hf_error* error);
/* Three NumPy arrays of little-endian 64-bit floats, one row a frame. STEM.root.npy: time in s, x, y, z, and
   the rotation w, x, y, z. STEM.joints.npy: the values of q. STEM.contacts.npy: for each limb of the motion
   nine columns: 0 (holds nothing), 1 (holds) or 2 (grips), the contact frame, the object (indices into the
   motion's own names, -1 for none), point x, y, z and normal x, y, z in the world. */
HF_API hf_status hf_motion_save_arrays(const hf_motion* motion, const char* stem, hf_error* error);

/* What to write beside the poses. */
typedef struct hf_export_options {
    const hf_scene* scene; /* objects to include; NULL for none */
    double fps;            /* 0 (default): the motion's own; frames are resampled when they differ */
    /* The BVH or glTF file that the creature was made from, NULL (default) for none. A .bvh or .glb is then
       that file with this motion: the same bones, names, unit and axes; in a glTF file meshes, skins,
       textures and other animations stay, and the motion is one animation more. Objects of the scene are left
       out. */
    const char* rig;
    double rig_unit_m; /* metres per unit of that file as the creature was made with; 0 guesses */
} hf_export_options;
HF_API hf_export_options hf_export_options_default(void);
/* By the ending of path: .glb or .bvh; tables (.csv) are hf_trajectory_save's. */
HF_API hf_status hf_motion_export(const hf_motion* motion, const hf_creature* creature,
                                  const hf_export_options* options, const char* path, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
