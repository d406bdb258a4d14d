/* The given poses of a stretch as a schedule of other knots. */
#ifndef HF_REFINE_GIVEN_POSES_H
#define HF_REFINE_GIVEN_POSES_H

#include "refine/pose_spline.h"
#include "refine/stretch.h"

/* The given poses, this many a second, at rest at both ends; the phases get the times of these. */
hf_status hf_given_sample(const hf_creature* creature, const hf_stretch* stretch, hf_pose_spline* spline,
                          double rate, hf_workspace* workspace, hf_parts* own, hf_schedule** out);
/* The given poses at another rate, through the spline, in times that are so much longer; holds begin and end
   on frames. */
hf_status hf_given_again(const hf_creature* creature, const hf_stretch* stretch, hf_pose_spline* spline,
                         double longer, double rate, hf_workspace* workspace, hf_schedule** out);

#endif
