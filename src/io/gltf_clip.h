/* Animations of glTF files as clips. */
#ifndef HF_IO_GLTF_CLIP_H
#define HF_IO_GLTF_CLIP_H

#include "io/gltf_rig.h"

/* The animation that the options name, with its unit. The clip is the caller's to free after a failure, too.
 */
hf_status hf_gltf_clip_read(const char* path, const hf_clip_options* options, hf_clip** clip,
                            hf_lines* warnings, hf_error* error);

hf_status hf_gltf_clip_count(const char* path, int* count, hf_error* error);

/* Angles (radians) of a joint's turns in a frame, near `angles` of the frame before (in and out). */
void hf_gltf_angles(const hf_clip* clip, const hf_rig* rig, int joint, int frame, double angles[3]);
/* The rig of a file, its limits widened to what the animations of the file do. */
hf_status hf_gltf_rig_widened(const char* path, double unit_m, hf_gltf_rig* rig, hf_error* error);
/* The rig of the file that a clip was read from; its joints are those of the clip. */
hf_status hf_gltf_clip_rig(const hf_clip* clip, hf_rig* rig, hf_error* error);

#endif
