/* Calm paths: limbs stay on their holds, poses become smoother, and what binds a motion is told. */
#include "stairs_fixture.h"

#include "refine/settle.h"
#include "schedule/frames.h"

#include <stdlib.h>

/* Where each hold of a schedule keeps its limb. */
static hf_held* begin_holds(const stairs* s, hf_transform* links) {
    hf_held* held = calloc((size_t)s->schedule->hold_count, sizeof *held);
    for (int i = 0; i < s->schedule->hold_count; i++) {
        int k = 0;
        while (s->schedule->knots[k].time_s < s->schedule->holds[i].from_s - 1e-9) k++;
        hf_forward(s->scenario->creature, &(hf_pose){s->schedule->knots[k].root, s->schedule->knots[k].q},
                   links);
        hf_held_begin(s->scenario->creature, s->placement, &s->schedule->holds[i].hold, links, &held[i]);
    }
    return held;
}

/* The largest distance of a limb from its hold in the frames between the first and the last. */
static double largest_miss(const stairs* s, const hf_held* held, hf_transform* links) {
    double most = 0;
    for (int k = 1; k + 1 < s->schedule->knot_count; k++) {
        const hf_knot* knot = &s->schedule->knots[k];
        hf_forward(s->scenario->creature, &(hf_pose){knot->root, knot->q}, links);
        for (int i = 0; i < s->schedule->hold_count; i++) {
            const hf_schedule_hold* h = &s->schedule->holds[i];
            double off_m, off_rad;
            if (h->from_s > knot->time_s + 1e-9 || h->to_s < knot->time_s - 1e-9) continue;
            hf_anchor_error(s->scenario->creature, &held[i].world, &held[i].anchor, links, &off_m, &off_rad);
            most = fmax(most, off_m);
        }
    }
    return most;
}

/* Frames whose bodies sway by a millimetre: legs are brought back onto their holds, without a jump where a
   hold begins. The sway is smooth, so that no value may change its speed by more than with sway and given
   motion together. */
static void held_limbs_are_put_back_without_jumps(void** state) {
    (void)state;
    stairs s;
    stairs_load(&s);
    hf_transform* links = calloc((size_t)hf_creature_get(s.scenario->creature)->link_count, sizeof *links);
    hf_held* held = begin_holds(&s, links);
    int count = s.schedule->knot_count, n = s.schedule->q_count;
    double* given = malloc(sizeof *given * (size_t)count * (size_t)n);
    for (int k = 0; k < count; k++) {
        memcpy(given + k * n, s.schedule->knots[k].q, sizeof *given * (size_t)n);
        s.schedule->knots[k].root.position.y += 0.0015 * sin(M_PI * k / (count - 1));
    }
    assert_true(largest_miss(&s, held, links) > 1e-3);
    assert_int_equal(hf_settle_holds(s.scenario->creature, held, s.workspace, s.schedule), HF_OK);
    assert_true(largest_miss(&s, held, links) < HF_SLIP_M);
    for (int k = 1; k + 1 < count; k++)
        for (int i = 0; i < n; i++) {
            const hf_knot* a = &s.schedule->knots[k - 1];
            const double* g = given + (k - 1) * n + i;
            double bend = a[0].q[i] - 2 * a[1].q[i] + a[2].q[i], was = g[0] - 2 * g[n] + g[2 * n];
            assert_true(fabs(bend - was) < 0.01);
        }
    free(given);
    free(held);
    free(links);
    stairs_free(&s);
}

/* A joint value at a share of a motion's time, straight between frames. */
static double value_at(const hf_schedule* s, int i, double share) {
    double at = share * (s->knot_count - 1);
    int k = (int)fmin(s->knot_count - 2, floor(at));
    return s->knots[k].q[i] + (at - k) * (s->knots[k + 1].q[i] - s->knots[k].q[i]);
}

/* Sum of squared third differences of joint values at even shares of a motion's time: motions of different
   lengths compare as if both lasted as long. */
static double jerk(const hf_schedule* s, int samples) {
    double sum = 0;
    for (int k = 3; k < samples; k++)
        for (int i = 0; i < s->q_count; i++) {
            double x = 0;
            static const double third[4] = {1, -3, 3, -1};
            for (int d = 0; d < 4; d++) x += third[d] * value_at(s, i, (k - d) / (samples - 1.0));
            sum += x * x;
        }
    return sum;
}

/* The refined clip goes through all its changes of holds as one motion, in less than three quarters of the
   time and with less than half of the jerk; what binds it is told for each part of it. */
static void a_calm_motion_is_smooth_and_its_bounds_are_told(void** state) {
    (void)state;
    stairs s;
    hf_error error;
    stairs_load(&s);
    hf_refine_result r = {0};
    hf_refine_options o = hf_refine_options_default();
    o.rounds = 2;
    assert_int_equal(
        hf_refine(s.scenario->creature, s.scenario->scene, s.schedule, &o, s.workspace, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_int_equal(r.stretches, 1);
    assert_true(r.after_s < 0.75 * r.before_s);
    assert_true(jerk(r.schedule, 600) < 0.5 * jerk(s.schedule, 600));

    int capacity = 2 * r.schedule->hold_count + 2, count = 0;
    hf_refine_bound* bounds = calloc((size_t)capacity, sizeof *bounds);
    assert_int_equal(hf_refine_bounds(s.scenario->creature, s.scenario->scene, r.schedule, s.workspace,
                                      capacity, bounds, &count),
                     HF_OK);
    assert_true(count > 1 && count <= capacity);
    double fastest = 0, told = 0, step_s = 1 / r.schedule->rate;
    for (int i = 0; i < count; i++) {
        double sum = 0;
        assert_true(i == 0 || bounds[i].from_s == bounds[i - 1].to_s);
        for (int k = 0; k < HF_REFINE_LIMITS; k++) sum += bounds[i].bound_s[k];
        assert_true(sum <= bounds[i].to_s - bounds[i].from_s + step_s + 1e-9);
        told = fmax(told, bounds[i].most[HF_REFINE_JOINT_SPEED]);
    }
    // by finite differences: central ones, as the limits are asked for
    const hf_creature_view* v = hf_creature_get(s.scenario->creature);
    for (int k = 1; k + 1 < r.schedule->knot_count; k++)
        for (int j = 0; j < v->joint_count; j++) {
            const hf_joint* joint = &v->joints[j];
            if (joint->q_count != 1) continue;
            const hf_knot* b = &r.schedule->knots[k];
            double speed = (b[1].q[joint->q_index] - b[-1].q[joint->q_index]) / (2 * step_s);
            fastest = fmax(fastest, fabs(speed) / joint->max_speed);
        }
    assert_true(fabs(told - fastest) < 0.02);
    free(bounds);
    hf_refine_result_free(&r);
    stairs_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_limbs_are_put_back_without_jumps),
        cmocka_unit_test(a_calm_motion_is_smooth_and_its_bounds_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
