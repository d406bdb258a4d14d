/* The curve of a swing: a quintic Bezier (efort-2014-journal section 3.3 says Bezier curves and no more).
   Its second control point stands above the start along the old normal, the fifth above the goal along the
   new one, so that it leaves and arrives along them; the two in the middle may be shifted without changing
   that. */
#include <holdfast/swing.h>

/* Of the limb's length, and of the way. */
static const double LIFT_OF_LIMB = 0.06, LIFT_OF_WAY = 0.12;

double hf_swing_lift(double limb_length_m, double way_m) {
    return LIFT_OF_LIMB * limb_length_m + LIFT_OF_WAY * fmin(way_m, limb_length_m);
}

static bool is_zero(hf_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

hf_swing_curve hf_swing_curve_make(hf_vec3 start, hf_vec3 start_normal, hf_vec3 goal, hf_vec3 goal_normal,
                                   hf_swing_shape shape) {
    hf_swing_curve c;
    hf_vec3 leave = is_zero(start_normal) ? hf_scale(hf_sub(goal, start), 0.2)
                                          : hf_scale(hf_normalize(start_normal), shape.leave_m),
            arrive = is_zero(goal_normal) ? hf_scale(hf_sub(start, goal), 0.2)
                                          : hf_scale(hf_normalize(goal_normal), shape.arrive_m);
    c.control[0] = start;
    c.control[1] = hf_add(start, leave);
    c.control[4] = hf_add(goal, arrive);
    c.control[5] = goal;
    c.control[2] = hf_add(hf_lerp(c.control[1], c.control[4], 1.0 / 3), shape.bend);
    c.control[3] = hf_add(hf_lerp(c.control[1], c.control[4], 2.0 / 3), shape.bend);
    return c;
}

hf_vec3 hf_swing_curve_point(const hf_swing_curve* curve, double s) {
    static const double binomial[HF_SWING_CONTROLS] = {1, 5, 10, 10, 5, 1};
    double r = 1 - s, up[HF_SWING_CONTROLS], down[HF_SWING_CONTROLS];
    up[0] = down[0] = 1;
    for (int i = 1; i < HF_SWING_CONTROLS; i++) up[i] = up[i - 1] * s, down[i] = down[i - 1] * r;
    hf_vec3 p = {0, 0, 0};
    for (int i = 0; i < HF_SWING_CONTROLS; i++)
        p = hf_add(p, hf_scale(curve->control[i], binomial[i] * up[i] * down[HF_SWING_CONTROLS - 1 - i]));
    return p;
}

hf_vec3 hf_swing_curve_velocity(const hf_swing_curve* curve, double s) {
    static const double binomial[HF_SWING_CONTROLS - 1] = {1, 4, 6, 4, 1};
    double r = 1 - s, up[HF_SWING_CONTROLS], down[HF_SWING_CONTROLS];
    up[0] = down[0] = 1;
    for (int i = 1; i < HF_SWING_CONTROLS; i++) up[i] = up[i - 1] * s, down[i] = down[i - 1] * r;
    hf_vec3 v = {0, 0, 0};
    for (int i = 0; i + 1 < HF_SWING_CONTROLS; i++)
        v = hf_add(v, hf_scale(hf_sub(curve->control[i + 1], curve->control[i]),
                               5 * binomial[i] * up[i] * down[HF_SWING_CONTROLS - 2 - i]));
    return v;
}
