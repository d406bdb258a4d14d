/* A smooth curve (cubic spline, continuous up to accelerations) through whole poses in time, at rest at both
   ends. */
#ifndef HF_REFINE_POSE_SPLINE_H
#define HF_REFINE_POSE_SPLINE_H

#include <holdfast/schedule.h>

typedef struct hf_pose_spline {
    const hf_creature* creature;
    int count, width;       /* poses; numbers of a pose: root's place and quaternion, joint values */
    double* times;          /* ascending */
    double *values, *bends; /* count rows of width: the numbers and their second derivatives */
    double* slopes; /* first derivatives at the begin and the end, width each, then room for a pose and
                       its two derivatives; NULL: at rest */
    int last;       /* the stretch that was asked for last */
} hf_pose_spline;

/* Through the knots of a schedule. The memory is the workspace's. */
hf_status hf_pose_spline_of(const hf_creature* creature, const hf_schedule* schedule, hf_workspace* workspace,
                            hf_pose_spline* spline);
/* The same through poses at ascending times that need not be at rest at the ends: there the slopes are those
   of the cubic curve through the four poses next to the end. */
hf_status hf_pose_spline_through(const hf_creature* creature, const double* times, const hf_pose* poses,
                                 int count, hf_workspace* workspace, hf_pose_spline* spline);
/* Pose, speeds and accelerations (v_count each) at a time, of a spline made by hf_pose_spline_through. */
void hf_pose_spline_rates(hf_pose_spline* spline, double time_s, hf_pose* pose, double* speed, double* rate);
/* The smooth curve near the knots of a schedule, which stand at equal steps of time; it begins and ends in
   the first and the last. Its accelerations at the knots are the knots' second differences. */
hf_status hf_pose_spline_near(const hf_creature* creature, const hf_schedule* schedule,
                              hf_workspace* workspace, hf_pose_spline* spline);
/* The pose at a time, held outside; pose->q has room for q_count values. */
void hf_pose_spline_at(hf_pose_spline* spline, double time_s, hf_pose* pose);

/* A smooth curve between postures at a limit goes a little beyond it: puts the values of joints back. */
void hf_pose_keep_limits(const hf_creature* creature, double* q);

#endif
