/* Curves with little jerk near given samples. */
#ifndef HF_REFINE_CALM_CURVE_H
#define HF_REFINE_CALM_CURVE_H

#include <holdfast/base.h>

/* Numbers at equal steps of time, `width` of them in each of `count` samples. The curve is the least sum of
   jerk^2 and weight x (curve - sample)^2; what is slower than the sixth root of the weight, rad/s, follows
   the samples. At pinned samples the curve is the sample. The curve begins and ends at rest: the three first
   and the three last samples of `out` are the first and the last one of `in`. */
typedef struct hf_calm_curve {
    int count, width;
    double step_s;
    const double* weights; /* of each sample */
    const bool* pinned;    /* NULL: none */
} hf_calm_curve;

hf_status hf_calm_curve_find(const hf_calm_curve* curve, const double* in, hf_workspace* workspace,
                             double* out);

#endif
