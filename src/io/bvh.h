/* The inside of BVH clips. */
#ifndef HF_IO_BVH_H
#define HF_IO_BVH_H

#include "base/text.h"
#include <holdfast/clip.h>

/* Reads a file without looking for its unit. The clip is the caller's to free after a failure, too. */
hf_status hf_bvh_read(const char* path, hf_clip** clip, hf_lines* warnings, hf_error* error);

bool hf_clip_is_gltf(const char* path);
/* Turns file axes (Y up, or Z up) to the world's: the shortest way, so that x stays. */
hf_quat hf_clip_world_turn(const hf_clip* clip);
/* Pose of one joint in its parent, in file units and axes; frame -1 is the pose without rotations. */
hf_transform hf_clip_joint_pose(const hf_clip* clip, int joint, int frame);
/* Rotation of a joint from its channels alone. */
hf_quat hf_clip_joint_turn(const hf_clip* clip, int joint, int frame);

#endif
