/* Motions written back into the file that a rig came from. */
#ifndef HF_IO_RIG_WRITE_H
#define HF_IO_RIG_WRITE_H

#include "io/motion_track.h"

/* The file, and metres per unit of its skeleton (0 guesses) as the creature was made with. */
typedef struct hf_rig_source {
    const char* path;
    double unit_m;
} hf_rig_source;

/* The BVH file `rig` with the frames of the track: the same hierarchy, names, channels, unit and axes. */
hf_status hf_bvh_rig_write(const hf_creature* creature, const hf_track* track, const hf_rig_source* rig,
                           const char* path, hf_error* error);
/* The glTF file `rig` as a GLB with the track as one more animation; all else stays. */
hf_status hf_gltf_rig_write(const hf_creature* creature, const hf_track* track, const hf_rig_source* rig,
                            const char* path, hf_error* error);

#endif
