/* A motion resampled at a fixed rate, as every exporter wants it. */
#ifndef HF_IO_MOTION_TRACK_H
#define HF_IO_MOTION_TRACK_H

#include <holdfast/motion.h>

typedef struct hf_track {
    int count, q_count;
    double fps;
    double* times; /* of the motion, not from zero */
    hf_transform* roots;
    double* q; /* count x q_count */
} hf_track;

/* The writers behind hf_motion_export. */
hf_status hf_glb_write(const hf_motion* motion, const hf_creature* creature, const hf_track* track,
                       const hf_scene* scene, const char* path, hf_error* error);
hf_status hf_bvh_write(const hf_creature* creature, const hf_track* track, const char* path, hf_error* error);

#endif
