/* Clips: a motion with its own skeleton, read from a BVH file, from an animation of a glTF file (.glb, .gltf)
   or from world positions of joints (.npy, .csv). */
#ifndef HOLDFAST_CLIP_H
#define HOLDFAST_CLIP_H

#include <holdfast/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_clip_joint {
    char* name;
    int parent;        /* -1 for the root */
    hf_vec3 offset;    /* file units and axes */
    int channel_count; /* 0 for an end site */
    int channels[6];   /* 0..2 x y z position, 3..5 x y z rotation, in file order */
    int first_channel;
    bool end_site;
} hf_clip_joint;

/* Values as in the file: file units, degrees. A position channel replaces that part of the offset.
   Joints come parents first, in file order; end sites are listed among them. */
typedef struct hf_clip {
    char* path;
    char* name;     /* of the animation of a glTF file, else NULL */
    int clip_count; /* animations of the file */
    int joint_count, channel_count, frame_count;
    int end_site_count; /* of the joints */
    double frame_time_s;
    double unit_m; /* metres per file unit, given or guessed */
    bool unit_guessed;
    bool z_up;       /* guessed; BVH files are Y up unless the skeleton plainly stands along Z */
    double height_m; /* standing height of the skeleton: its extent along the up axis, or twice the root's
                        height over the lowest end where that is more (heads and necks are often cut short) */
    double fit_m; /* positions: how far the skeleton of constant bone lengths is from them, root mean square
                     over joints and frames; 0 for files with angles */
    hf_clip_joint* joints;
    double* values; /* frame_count x channel_count */
    int warning_count;
    char** warnings;
} hf_clip;

/* How to read a clip. */
typedef struct hf_clip_options {
    double unit_m;      /* metres per file unit; 0 guesses from the skeleton's height, and says so in the
                           warnings */
    char up;            /* 'y' or 'z': the file's axis that points up; 0, the default, guesses */
    double rate;        /* frames a second; 0, the default: the file's own, which positions do not have */
    const char* joints; /* file of joint names, one a line, for positions; NULL: joints.txt beside the clip,
                           or the header of a .csv */
    const char* clip;   /* name, or number from 0 on, of the animation of a glTF file; NULL: the first */
    int number;         /* of the animation, from 0 on, whatever its name: counts instead of `clip`; -1, the
                           default: not given */
    int from, to;       /* first and last frame that are kept; to -1, the default: the last of the file */
} hf_clip_options;
HF_API hf_clip_options hf_clip_options_default(void);
HF_API hf_status hf_clip_open(const char* path, const hf_clip_options* options, hf_clip** clip,
                              hf_error* error);
/* How many animations a glTF file has; 1 for a file of another kind, which is not opened. */
HF_API hf_status hf_clip_count(const char* path, int* count, hf_error* error);
/* The same as hf_clip_open with this unit and the defaults for the rest. */
HF_API hf_status hf_clip_load(const char* path, double unit_m, hf_clip** clip, hf_error* error);
/* The creature that a clip's own skeleton makes. */
HF_API hf_status hf_clip_creature(const hf_clip* clip, hf_creature** creature, hf_error* error);
HF_API void hf_clip_free(hf_clip* clip);
HF_API hf_status hf_clip_save(const hf_clip* clip, const char* path, hf_error* error);
/* Pose of every joint (joint_count of them) in a frame, -1 for the pose without rotations: metres, Z up,
   x kept, as `"up": "y"` turns a scene object. A joint's axes are the file's, turned with it. */
HF_API void hf_clip_forward(const hf_clip* clip, int frame, hf_transform* joints);
/* The clip as a motion of the creature that hf_creature_load makes from the same file. The motion's
   `creature` is the path that the creature was loaded from. */
HF_API hf_status hf_clip_motion(const hf_clip* clip, const hf_creature* creature, hf_motion** motion,
                                hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
