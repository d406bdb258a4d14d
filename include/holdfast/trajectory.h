/* Motions for controllers: a table of rows at any rate, from a smooth curve through the motion's frames, with
   speeds, accelerations, momentum, contacts and the forces of contacts. */
#ifndef HOLDFAST_TRAJECTORY_H
#define HOLDFAST_TRAJECTORY_H

#include <holdfast/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hf_quaternion_order { HF_QUATERNION_WXYZ, HF_QUATERNION_XYZW } hf_quaternion_order;

typedef struct hf_trajectory_options {
    double rate;                    /* rows a second, 0.01 to 1000; 0 (default): the motion's own */
    hf_quaternion_order quaternion; /* default w x y z */
} hf_trajectory_options;
HF_API hf_trajectory_options hf_trajectory_options_default(void);

/* Owns its memory. docs/formats.md lists the columns. */
typedef struct hf_trajectory {
    hf_outcome outcome; /* HF_FOUND, or HF_CANCELLED with the rows that were made until then */
    int row_count, column_count;
    char** names;   /* of the columns */
    double* values; /* row by row */
    double rate;
    hf_quaternion_order quaternion;
    double hold_error_max_m;     /* the farthest that a contact's point is from its place, between frames */
    double missing_force_max;    /* what contacts cannot give, share of the weight; NaN without a scene */
    double missing_moment_max_m; /* moment divided by the weight */
} hf_trajectory;

/* The curve is a cubic spline, continuous up to accelerations, which passes through every frame. Forces are
   the smallest (least squares over the corners of contacts) that friction cones and grips allow; without a
   scene there are none. A motion of one frame is at rest. */
HF_API hf_status hf_trajectory_make(const hf_motion* motion, const hf_creature* creature,
                                    const hf_scene* scene, const hf_trajectory_options* options,
                                    hf_workspace* workspace, hf_trajectory** trajectory, hf_error* error);
HF_API void hf_trajectory_free(hf_trajectory* trajectory);
/* By the ending of path: .csv, .npy (little-endian float64, with the names one a line in PATH.columns.txt
   where PATH is without .npy) or .json. */
HF_API hf_status hf_trajectory_save(const hf_trajectory* trajectory, const char* path, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
