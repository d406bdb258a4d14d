/* The way of the centre of mass, seen from above, over contacts that change at known times. */
#ifndef HF_REFINE_COM_COURSE_H
#define HF_REFINE_COM_COURSE_H

#include <holdfast/balance.h>

/* Samples at equal steps of time. Height and momentum are given; the way across is found. */
typedef struct hf_com_course {
    int count;
    double step_s;
    const hf_stance* const* stances; /* of each sample, with halfspaces; without any, the sample is free */
    const hf_vec3* wish;             /* where the centre of mass should be about; its height is its height */
    const hf_vec3* momentum_rate;    /* N m */
    const double* margin_m; /* of each sample, that is kept to the halfspaces, body weights times metres */
    const double* weights;  /* of each sample's (m from the wish)^2 beside (m/s3)^2 of jerk */
    const hf_vec3* start;   /* a way that is near to the one looked for; NULL: the wish is */
} hf_com_course;

/* The smoothest way from rest at the first wish to rest at the last one whose wrenches the stances bear, near
   the wish. places: of each sample. outside (may be NULL): how far each sample's wrench is beyond the worst
   halfspace, in body weights; negative inside. */
hf_status hf_com_course_find(const hf_com_course* course, hf_workspace* workspace, hf_vec3* places,
                             double* outside);

#endif
