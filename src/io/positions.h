/* World positions of joints in time, as motion capture and learning data have them. */
#ifndef HF_IO_POSITIONS_H
#define HF_IO_POSITIONS_H

#include "base/text.h"
#include <holdfast/clip.h>

typedef struct hf_positions {
    int frame_count, joint_count;
    double frame_time_s; /* 0: the file does not say */
    char** names;        /* joint_count */
    double* values;      /* frame by frame, joint by joint, x y z: file units and axes */
} hf_positions;

void hf_positions_free(hf_positions* positions);
/* .npy: frames x joints x 3, little-endian float32 or float64, C order. Names come from a text file, one a
   line. .csv: a header with three columns a joint (Hips.x, Hips_y, "Hips z"), a column "time" (s) or "frame"
   may lead; without a header the names come from a text file. Every number must be finite. */
hf_status hf_positions_read(const char* path, const hf_clip_options* options, hf_positions* positions,
                            hf_error* error);
/* Smooths positions that are noisy, and says so in the warnings. size: of the body, file units. */
hf_status hf_positions_smooth(const char* path, hf_positions* positions, double size, hf_lines* warnings,
                              hf_error* error);
/* A clip whose skeleton has constant bone lengths, fitted to the positions: which joints are joined, how long
   the bones are, and how each joint turns. The positions are smoothed where they are noisy, and get a pelvis
   where they have hips alone. */
hf_status hf_positions_fit(const char* path, hf_positions* positions, const hf_clip_options* options,
                           hf_clip** clip, hf_lines* warnings, hf_error* error);

#endif
