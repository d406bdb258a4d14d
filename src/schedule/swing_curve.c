/* The curve of a swing: a quintic Bezier (efort-2014-journal section 3.3 says Bezier curves and no more).
   Its second control point stands above the start along the old normal, the fifth above the goal along the
   new one, so that it leaves and arrives along them; the two in the middle may be shifted without changing
   that. */
#include "base/ease.h"
#include <holdfast/swing.h>

/* Of the limb's length, and of the way. */
static const double LIFT_OF_LIMB = 0.06, LIFT_OF_WAY = 0.12;
/* Shares of the way at both ends on which the effector does not turn, so that it leaves and arrives flat. */
static const double STEADY = 0.15;

double hf_swing_lift(double limb_length_m, double way_m) {
    return LIFT_OF_LIMB * limb_length_m + LIFT_OF_WAY * fmin(way_m, limb_length_m);
}

static bool is_zero(hf_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

enum { DEGREE = HF_SWING_CONTROLS - 1 };

/* From an end along its normal, or without one as a straight curve would: control points are equally far
   apart on it. */
static hf_vec3 beside_end(hf_vec3 end, hf_vec3 normal, double lift_m, hf_vec3 other_end) {
    hf_vec3 way = is_zero(normal) ? hf_scale(hf_sub(other_end, end), 1 / (double)DEGREE)
                                  : hf_scale(hf_normalize(normal), lift_m);
    return hf_add(end, way);
}

hf_swing_curve hf_swing_curve_make(hf_vec3 start, hf_vec3 start_normal, hf_vec3 goal, hf_vec3 goal_normal,
                                   hf_swing_shape shape) {
    hf_swing_curve c;
    c.control[0] = start;
    c.control[1] = beside_end(start, start_normal, shape.leave_m, goal);
    c.control[4] = beside_end(goal, goal_normal, shape.arrive_m, start);
    c.control[5] = goal;
    for (int i = 1; i <= 2; i++)
        c.control[1 + i] = hf_add(hf_lerp(c.control[1], c.control[4], i / (double)3), shape.bend);
    return c;
}

/* Each control point counts as its Bernstein polynomial says. */
hf_vec3 hf_swing_curve_point(const hf_swing_curve* curve, double s) {
    double up[HF_SWING_CONTROLS] = {1}, down[HF_SWING_CONTROLS] = {1}, binomial = 1;
    hf_vec3 p = {0, 0, 0};
    for (int i = 1; i <= DEGREE; i++) up[i] = up[i - 1] * s, down[i] = down[i - 1] * (1 - s);
    for (int i = 0; i <= DEGREE; i++) {
        p = hf_add(p, hf_scale(curve->control[i], binomial * up[i] * down[DEGREE - i]));
        binomial = binomial * (DEGREE - i) / (i + 1);
    }
    return p;
}

double hf_swing_turned(double s) { return hf_ease((s - STEADY) / (1 - 2 * STEADY)); }
