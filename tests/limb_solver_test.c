/* The limb solver against the analytic two-bone case, brute force, finite differences and its own promises.
 */
#include "allocation_count.h"
#include "chain_creature.h"
#include "test_file.h"
#include "base/workspace.h"
#include "solve/limb_chain.h"
#include <holdfast/rom.h>

#include <stdlib.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

/* ---- chains ---- */

/* Two bones in the XY plane, lengths a and b. */
static void open_two_bones(chain_creature* c, double a, double b, double elbow_low, double elbow_high) {
    chain_joint joints[2] = {
        {.type = "revolute", .axis = {0, 0, 1}, .lower = -PI, .upper = PI},
        {.type = "revolute", .xyz = {a, 0, 0}, .axis = {0, 0, 1}, .lower = elbow_low, .upper = elbow_high},
    };
    chain_open(c, joints, 2, hf_v3(b, 0, 0), hf_v3(1, 0, 0));
}

static hf_vec3 random_direction(hf_random* r) {
    for (;;) {
        hf_vec3 v = {hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1)};
        double l = hf_length(v);
        if (l > 0.1 && l < 1) return hf_scale(v, 1 / l);
    }
}

/* Joints with any axis and a human's limits. */
static void open_random(chain_creature* c, hf_random* r, int count) {
    chain_joint joints[CHAIN_MAX];
    for (int i = 0; i < count; i++) {
        double middle = hf_random_between(r, -0.5, 0.5), half = hf_random_between(r, 0.6, 1.6);
        joints[i] = (chain_joint){.type = "revolute",
                                  .xyz = hf_scale(random_direction(r), 0.25),
                                  .rpy = hf_scale(random_direction(r), 1.5),
                                  .axis = random_direction(r),
                                  .lower = middle - half,
                                  .upper = middle + half};
        if (count > 4 && i % 3 == 1) joints[i].xyz = hf_v3(0, 0, 0);
    }
    chain_open(c, joints, count, hf_v3(0.1, 0.02, -0.05), hf_v3(0, 0, 1));
}

static hf_solve_result solve(chain_creature* c, const hf_target* t, const hf_solve_options* o, double* q) {
    hf_transform base = hf_transform_identity();
    hf_solve_result result;
    assert_int_equal(hf_limb_solve(c->creature, &base, t, o, c->workspace, q, &result), HF_OK);
    return result;
}

/* ---- two bones ---- */

static void elbow_follows_the_law_of_cosines(void** state) {
    (void)state;
    chain_creature c;
    double a = 0.31, b = 0.27;
    open_two_bones(&c, a, b, 0, PI);
    hf_solve_options o = hf_solve_options_default();
    o.tolerance_m = 1e-8;
    hf_random r = hf_random_start(3, 0, 0);
    for (int i = 0; i < 500; i++) {
        double d = hf_random_between(&r, a - b + 0.01, a + b - 0.01),
               angle = hf_random_between(&r, -2.4, 2.4);
        double q[2] = {hf_random_between(&r, -1, 1), hf_random_between(&r, 0.1, 2)};
        hf_target t = {.kind = HF_TARGET_POSITION, .point = {d * cos(angle), d * sin(angle), 0}};
        hf_solve_result result = solve(&c, &t, &o, q);
        double elbow = acos((d * d - a * a - b * b) / (2 * a * b));
        double shoulder = angle - atan2(b * sin(elbow), a + b * cos(elbow));
        if (shoulder < -PI || shoulder > PI) continue; /* beyond the shoulder's limits */
        assert_int_equal(result.stop, HF_STOP_REACHED);
        assert_int_equal(result.outcome, HF_FOUND);
        assert_near(q[1], elbow, 1e-5);
        assert_near(q[0], shoulder, 1e-5);
    }
    chain_close(&c);
}

/* Nearly straight, where steps vanish and the elbow is on its limit. */
static void straight_limbs_are_no_trap(void** state) {
    (void)state;
    chain_creature c;
    double a = 0.31, b = 0.27;
    open_two_bones(&c, a, b, 0, PI);
    hf_solve_options o = hf_solve_options_default();
    o.tolerance_m = 1e-5;
    hf_random r = hf_random_start(19, 0, 0);
    for (int i = 0; i < 300; i++) {
        double d = a + b - pow(10, hf_random_between(&r, -4.5, -2)), angle = hf_random_between(&r, -2.4, 2.4);
        double q[2] = {hf_random_between(&r, -1, 1), i % 2 ? 0 : hf_random_between(&r, 0, 2)};
        hf_target t = {.kind = HF_TARGET_POSITION, .point = {d * cos(angle), d * sin(angle), 0}};
        assert_int_equal(solve(&c, &t, &o, q).stop, HF_STOP_REACHED);
        assert_within_limits(c.view, q);
    }
    chain_close(&c);
}

static void beyond_reach_gives_the_closest_point(void** state) {
    (void)state;
    chain_creature c;
    double a = 0.31, b = 0.27;
    open_two_bones(&c, a, b, -2.5, 2.5);
    hf_solve_options o = hf_solve_options_default();
    hf_random r = hf_random_start(4, 0, 0);
    for (int i = 0; i < 200; i++) {
        double d = a + b + hf_random_between(&r, 0.001, 1), angle = hf_random_between(&r, -3, 3);
        double q[2] = {hf_random_between(&r, -1, 1), hf_random_between(&r, -2, 2)};
        hf_target t = {.kind = HF_TARGET_POSITION, .point = {d * cos(angle), d * sin(angle), 0}};
        hf_solve_result result = solve(&c, &t, &o, q);
        assert_int_equal(result.stop, HF_STOP_OUT_OF_REACH);
        assert_int_equal(result.outcome, HF_INFEASIBLE);
        assert_near(result.position_error_m, d - a - b, 1e-5);
        double metres, radians;
        chain_errors(&c, q, &t, &metres, &radians);
        assert_near(metres, result.position_error_m, 1e-12);
    }
    chain_close(&c);
}

/* An elbow that neither stretches nor folds, a shoulder that turns little: compare with a fine grid. */
static void limits_keep_the_closest_point(void** state) {
    (void)state;
    chain_creature c;
    double a = 0.31, b = 0.27;
    chain_joint joints[2] = {
        {.type = "revolute", .axis = {0, 0, 1}, .lower = -0.6, .upper = 1.1},
        {.type = "revolute", .xyz = {a, 0, 0}, .axis = {0, 0, 1}, .lower = 0.5, .upper = 2.0},
    };
    chain_open(&c, joints, 2, hf_v3(b, 0, 0), hf_v3(1, 0, 0));
    hf_solve_options o = hf_solve_options_default();
    hf_random r = hf_random_start(5, 0, 0);
    int stalled = 0;
    for (int i = 0; i < 200; i++) {
        hf_target t = {.kind = HF_TARGET_POSITION,
                       .point = {hf_random_between(&r, -0.5, 0.5), hf_random_between(&r, -0.5, 0.5), 0}};
        double q[2] = {0.2, 1}, best = 10;
        for (int u = 0; u <= 300; u++)
            for (int v = 0; v <= 300; v++) {
                double s = -0.6 + 1.7 * u / 300, e = s + 0.5 + 1.5 * v / 300;
                double x = a * cos(s) + b * cos(e) - t.point.x, y = a * sin(s) + b * sin(e) - t.point.y;
                best = fmin(best, x * x + y * y);
            }
        hf_solve_result result = solve(&c, &t, &o, q);
        assert_within_limits(c.view, q);
        assert_true(result.position_error_m <= sqrt(best) + 1e-6);
        if (sqrt(best) > 0.005) {
            assert_true(result.stop == HF_STOP_STALLED || result.stop == HF_STOP_OUT_OF_REACH);
            assert_true(result.outcome != HF_FOUND);
            bool far = hypot(t.point.x, t.point.y) > a + b + o.tolerance_m;
            assert_int_equal(result.stop == HF_STOP_OUT_OF_REACH, far);
            stalled += !far;
        }
    }
    assert_true(stalled > 20);
    chain_close(&c);
}

/* ---- many joints ---- */

static void reachable_targets_are_reached(void** state) {
    (void)state;
    hf_solve_options o = hf_solve_options_default();
    for (int count = 3; count <= 9; count++)
        for (int kind = HF_TARGET_POSITION; kind <= HF_TARGET_POSE; kind++) {
            int reached = 0, total = 0;
            for (int creature = 0; creature < 4; creature++) {
                hf_random r = hf_random_start(6, (uint32_t)count, (uint64_t)(creature * 10 + kind));
                chain_creature c;
                open_random(&c, &r, count);
                for (int i = 0; i < 100; i++, total++) {
                    double q[CHAIN_MAX], metres, radians;
                    chain_draw(&c, &r, q);
                    hf_target t = chain_target(&c, q, (hf_target_kind)kind);
                    memcpy(q, c.view->rest, sizeof(double) * (size_t)count);
                    hf_solve_result result = solve(&c, &t, &o, q);
                    chain_errors(&c, q, &t, &metres, &radians);
                    assert_within_limits(c.view, q);
                    assert_near(metres, result.position_error_m, 1e-9);
                    assert_near(radians, result.angle_error_rad, 1e-7);
                    assert_int_equal(result.stop == HF_STOP_REACHED,
                                     metres <= o.tolerance_m && radians <= o.tolerance_rad);
                    reached += result.stop == HF_STOP_REACHED;
                }
                chain_close(&c);
            }
            if (reached < total * 0.99) fail_msg("%d joints, kind %d: %d of %d", count, kind, reached, total);
        }
}

/* Who only wants all of a target gets the posture that others get, with less work; what they find on the way
   to something near is seldom all. */
static void whole_targets_are_found_alike(void** state) {
    (void)state;
    hf_solve_options o = hf_solve_options_default(), whole = o;
    whole.whole = true;
    int found = 0, missed = 0;
    for (int creature = 0; creature < 8; creature++) {
        hf_random r = hf_random_start(31, 0, (uint64_t)creature);
        chain_creature c;
        int count = 3 + creature % 5;
        open_random(&c, &r, count);
        for (int i = 0; i < 1000; i++) {
            double q[CHAIN_MAX], again[CHAIN_MAX];
            chain_draw(&c, &r, q);
            hf_target t = chain_target(&c, q, (hf_target_kind)(i % 3));
            // some beside what the limb can reach
            if (i % 2) t.point = hf_add(t.point, hf_scale(random_direction(&r), 0.2));
            memcpy(q, c.view->rest, sizeof(double) * (size_t)count);
            memcpy(again, q, sizeof(double) * (size_t)count);
            o.near_start = whole.near_start = i % 4 == 3;
            hf_solve_result a = solve(&c, &t, &o, q), b = solve(&c, &t, &whole, again);
            assert_true(b.iterations <= a.iterations);
            if (b.outcome != HF_FOUND) {
                missed += a.outcome == HF_FOUND;
                continue;
            }
            found++;
            assert_int_equal(a.outcome, HF_FOUND);
            assert_memory_equal(q, again, sizeof(double) * (size_t)count);
        }
        chain_close(&c);
    }
    assert_true(found > 4000);
    if (missed > 0.002 * found) fail_msg("%d found, %d missed", found, missed);
}

/* The base may stand anywhere in the world. */
static void base_pose_counts(void** state) {
    (void)state;
    hf_random r = hf_random_start(8, 0, 0);
    hf_solve_options o = hf_solve_options_default();
    chain_creature c;
    open_random(&c, &r, 7);
    for (int i = 0; i < 100; i++) {
        double q[CHAIN_MAX];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, (hf_target_kind)(i % 3));
        hf_transform base = {hf_scale(random_direction(&r), 3), hf_quat_axis_angle(random_direction(&r), 2)};
        t.point = hf_apply(base, t.point);
        t.normal = hf_rotate(base.rotation, t.normal);
        t.rotation = hf_quat_mul(base.rotation, t.rotation);
        memcpy(q, c.view->rest, sizeof(double) * 7);
        hf_solve_result result;
        assert_int_equal(hf_limb_solve(c.creature, &base, &t, &o, c.workspace, q, &result), HF_OK);
        assert_int_equal(result.stop, HF_STOP_REACHED);
        hf_transform at = hf_compose(base, chain_effector(&c, q));
        assert_near(hf_distance(hf_apply(at, c.contact.offset), t.point), 0, 1e-4);
    }
    chain_close(&c);
}

/* ---- priorities ---- */

/* Three bones in a plane with limits; for each shoulder angle the other two follow from the position, so the
   best angle that the position leaves is known by brute force. */
static double best_angle(const double* lengths, const double* low, const double* high, hf_vec3 point,
                         double wanted) {
    double best = 10;
    for (int u = 0; u <= 4000; u++) {
        double s = low[0] + (high[0] - low[0]) * u / 4000;
        double x = point.x - lengths[0] * cos(s), y = point.y - lengths[0] * sin(s), d = hypot(x, y);
        double cosine =
            (d * d - lengths[1] * lengths[1] - lengths[2] * lengths[2]) / (2 * lengths[1] * lengths[2]);
        if (fabs(cosine) > 1) continue;
        for (int side = -1; side <= 1; side += 2) {
            double third = side * acos(cosine);
            double second =
                atan2(y, x) - atan2(lengths[2] * sin(third), lengths[1] + lengths[2] * cos(third)) - s;
            second -= 2 * PI * round(second / (2 * PI));
            if (second < low[1] || second > high[1] || third < low[2] || third > high[2]) continue;
            double off = s + second + third - wanted;
            best = fmin(best, fabs(off - 2 * PI * round(off / (2 * PI))));
        }
    }
    return best;
}

static void position_comes_before_angle(void** state) {
    (void)state;
    chain_creature c;
    double lengths[3] = {0.3, 0.25, 0.2}, low[3] = {-1.2, -1.5, -1.3}, high[3] = {1.2, 1.5, 1.3};
    chain_joint joints[3];
    for (int i = 0; i < 3; i++)
        joints[i] = (chain_joint){.type = "revolute",
                                  .xyz = {i ? lengths[i - 1] : 0, 0, 0},
                                  .axis = {0, 0, 1},
                                  .lower = low[i],
                                  .upper = high[i]};
    chain_open(&c, joints, 3, hf_v3(lengths[2], 0, 0), hf_v3(1, 0, 0));
    hf_solve_options o = hf_solve_options_default();
    o.tolerance_m = 1e-6;
    hf_random r = hf_random_start(9, 0, 0);
    int partial = 0, near_best = 0;
    for (int i = 0; i < 200; i++) {
        double q[3];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, i % 2 ? HF_TARGET_POSE : HF_TARGET_NORMAL);
        double wanted = q[0] + q[1] + q[2] + hf_random_between(&r, -2, 2);
        t.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), wanted);
        t.normal = hf_v3(-cos(wanted), -sin(wanted), 0);
        memset(q, 0, sizeof q);
        hf_solve_result result = solve(&c, &t, &o, q);
        assert_within_limits(c.view, q);
        assert_true(result.position_error_m <= o.tolerance_m);
        if (result.stop == HF_STOP_REACHED) continue;
        assert_int_equal(result.outcome, HF_PARTIAL);
        double best = best_angle(lengths, low, high, t.point, wanted);
        partial++;
        near_best += result.angle_error_rad < best + 0.02;
    }
    assert_true(partial > 50);
    if (near_best < partial * 0.95) fail_msg("%d of %d near the best angle", near_best, partial);
    chain_close(&c);
}

static void posture_pulls_in_the_null_space(void** state) {
    (void)state;
    hf_random r = hf_random_start(10, 0, 0);
    chain_creature c;
    open_random(&c, &r, 8);
    double with = 0, without = 0;
    for (int i = 0; i < 100; i++) {
        double wish[CHAIN_MAX], q[CHAIN_MAX];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, HF_TARGET_POSITION);
        chain_draw(&c, &r, wish);
        for (int pulled = 0; pulled < 2; pulled++) {
            hf_solve_options o = hf_solve_options_default();
            o.posture = wish;
            o.posture_weight = pulled ? 0.3 : 0;
            memcpy(q, c.view->rest, sizeof(double) * 8);
            hf_solve_result result = solve(&c, &t, &o, q);
            assert_int_equal(result.stop, HF_STOP_REACHED);
            double away = 0;
            for (int k = 0; k < 8; k++) away += (q[k] - wish[k]) * (q[k] - wish[k]);
            *(pulled ? &with : &without) += sqrt(away);
        }
    }
    assert_true(with < 0.8 * without);
    chain_close(&c);
}

/* ---- the chain ---- */

/* Every kind of joint, mimic joints among them. */
static void open_every_kind(chain_creature* c) {
    chain_joint joints[] = {
        {.type = "revolute",
         .xyz = {0.1, 0, 0.2},
         .rpy = {0.3, 0, 1},
         .axis = {0.6, 0, 0.8},
         .lower = -1,
         .upper = 1.2},
        {.type = "prismatic",
         .xyz = {0.1, 0.1, 0},
         .rpy = {0, 0.7, 0},
         .axis = {0, -1, 0},
         .lower = -0.1,
         .upper = 0.3},
        {.type = "fixed", .xyz = {0, 0.1, 0}, .rpy = {1, 0.2, 0.1}},
        {.type = "revolute",
         .xyz = {0.2, 0, 0},
         .axis = {0, 0, -1},
         .lower = -0.4,
         .upper = 0.5,
         .mimic = 1,
         .multiplier = -0.5,
         .offset = 0.05},
        {.type = "planar", .xyz = {0, 0, 0.1}, .rpy = {0.2, 0.3, 0}, .axis = {0, 0.6, -0.8}},
        {.type = "continuous", .xyz = {0.05, 0, 0.1}, .axis = {1, 0, 0}},
        {.type = "prismatic",
         .xyz = {0.1, 0, 0},
         .axis = {0, 0, 1},
         .lower = -1,
         .upper = 1,
         .mimic = 2,
         .multiplier = 2,
         .offset = 0.01},
        {.type = "floating", .xyz = {0.05, 0.1, 0}, .rpy = {0, 0.4, 0.2}},
        {.type = "revolute", .xyz = {0, 0.1, 0}, .axis = {0, 1, 0}, .lower = -1, .upper = 1},
    };
    chain_open(c, joints, sizeof joints / sizeof *joints, hf_v3(0.1, 0.05, -0.1), hf_v3(0, 1, 0));
}

static void check_chain(chain_creature* c, hf_random* r) {
    double q[64], jacobian[32 * HF_CHAIN_STRIDE], theirs[6 * 32], step[32], moved[64];
    hf_transform links[64];
    chain_draw(c, r, q);
    hf_limb_chain chain;
    hf_chain_state at, beside;
    hf_workspace_mark mark = hf_workspace_begin(c->workspace);
    assert_int_equal(hf_limb_chain_build(c->creature, 0, 0, true, q, c->workspace, &chain), HF_OK);
    assert_int_equal(hf_chain_state_make(&chain, c->workspace, &at), HF_OK);
    assert_int_equal(hf_chain_state_make(&chain, c->workspace, &beside), HF_OK);
    for (int i = 0; i < chain.value_count; i++) at.x[i] = q[chain.q_index[i]];
    hf_chain_clamp(&chain, at.x); /* mimic joints narrow their masters */
    for (int i = 0; i < chain.value_count; i++) q[chain.q_index[i]] = at.x[i];
    hf_pose_follow(c->creature, q);
    hf_chain_forward(&chain, &at);
    hf_chain_jacobian(&chain, &at, jacobian);

    /* Against the library's kinematics. */
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(c->creature, &pose, links);
    hf_transform effector = links[c->limb.effector_link];
    hf_vec3 tip = hf_apply(effector, c->contact.offset);
    assert_near(hf_distance(tip, at.tip), 0, 1e-12);
    hf_mat3 m = hf_quat_matrix(effector.rotation);
    for (int k = 0; k < 9; k++) assert_near(m.m[k], at.rotation[k], 1e-12);
    assert_true(hf_distance(tip, chain.anchor) <= chain.reach + 1e-12);
    hf_limb_jacobian(c->creature, 0, links, tip, 6, theirs);
    for (int col = 0; col < chain.column_count; col++)
        for (int row = 0; row < 6; row++)
            assert_near(jacobian[col * HF_CHAIN_STRIDE + row], theirs[row * chain.column_count + col], 1e-11);

    /* Against finite differences of its own movement. */
    for (int col = 0; col < chain.column_count; col++) {
        double h = 1e-6;
        memset(step, 0, sizeof step);
        step[col] = h;
        hf_chain_move(&chain, at.x, step, beside.x);
        memcpy(moved, beside.x, sizeof(double) * (size_t)chain.value_count);
        hf_chain_forward(&chain, &beside);
        hf_vec3 d = hf_scale(hf_sub(beside.tip, at.tip), 1 / h);
        const double* j = jacobian + col * HF_CHAIN_STRIDE;
        bool stopped =
            chain.column_value[col] >= 0 && moved[chain.column_value[col]] == at.x[chain.column_value[col]];
        if (!stopped) assert_near(hf_distance(d, hf_v3(j[0], j[1], j[2])), 0, 1e-5);
    }
    hf_workspace_end(c->workspace, mark);
}

static void chain_agrees_with_kinematics(void** state) {
    (void)state;
    hf_random r = hf_random_start(11, 0, 0);
    chain_creature c;
    open_every_kind(&c);
    for (int i = 0; i < 50; i++) check_chain(&c, &r);
    chain_close(&c);
    for (int count = 1; count <= 9; count++) {
        open_random(&c, &r, count);
        for (int i = 0; i < 20; i++) check_chain(&c, &r);
        chain_close(&c);
    }
}

static void every_kind_of_joint_solves(void** state) {
    (void)state;
    hf_random r = hf_random_start(12, 0, 0);
    chain_creature c;
    open_every_kind(&c);
    hf_solve_options o = hf_solve_options_default();
    for (int i = 0; i < 60; i++) {
        double q[64], metres, radians;
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, (hf_target_kind)(i % 3));
        memcpy(q, c.view->rest, sizeof(double) * (size_t)c.view->q_count);
        hf_solve_result result = solve(&c, &t, &o, q);
        chain_errors(&c, q, &t, &metres, &radians);
        assert_int_equal(result.stop, HF_STOP_REACHED);
        assert_true(metres <= o.tolerance_m + 1e-9 && radians <= o.tolerance_rad + 1e-9);
        assert_within_limits(c.view, q);
        /* Mimic joints hold what they must. */
        for (int j = 0; j < c.view->joint_count; j++) {
            const hf_joint* joint = &c.view->joints[j];
            if (joint->mimic < 0) continue;
            double master = q[c.view->joints[joint->mimic].q_index];
            assert_near(q[joint->q_index], joint->multiplier * master + joint->offset, 1e-12);
        }
    }
    chain_close(&c);
}

static void continuous_joints_stay_near(void** state) {
    (void)state;
    chain_creature c;
    chain_joint joints[2] = {{.type = "continuous", .axis = {0, 0, 1}},
                             {.type = "continuous", .xyz = {0.3, 0, 0}, .axis = {0, 0, 1}}};
    chain_open(&c, joints, 2, hf_v3(0.2, 0, 0), hf_v3(1, 0, 0));
    hf_solve_options o = hf_solve_options_default();
    hf_random r = hf_random_start(13, 0, 0);
    for (int i = 0; i < 200; i++) {
        double from[2] = {hf_random_between(&r, -20, 20), hf_random_between(&r, -20, 20)},
               q[2] = {from[0], from[1]};
        double d = hf_random_between(&r, 0.11, 0.49), angle = hf_random_between(&r, -PI, PI);
        hf_target t = {.kind = HF_TARGET_POSITION, .point = {d * cos(angle), d * sin(angle), 0}};
        assert_int_equal(solve(&c, &t, &o, q).stop, HF_STOP_REACHED);
        for (int k = 0; k < 2; k++) assert_true(fabs(q[k] - from[k]) <= PI + 1e-9);
    }
    chain_close(&c);
}

/* ---- range of motion ---- */

/* The shipped human's arms and legs: targets from postures inside their regions. */
static void regions_are_kept(void** state) {
    (void)state;
    hf_error error;
    hf_creature* human;
    hf_workspace* workspace;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &human, &error),
                     HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    const hf_creature_view* view = hf_creature_get(human);
    assert_true(view->rom_count > 0);
    double* q = calloc((size_t)view->q_count, sizeof *q);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    hf_pose pose = {hf_transform_identity(), q};
    int reached = 0, total = 0, left = 0;
    for (int i = 0; i < 600; i++, total++) {
        hf_random r = hf_random_start(17, 0, (uint64_t)i);
        int limb = hf_creature_find_limb(human, i % 2 ? "right_arm" : "left_leg");
        assert_true(limb >= 0);
        const hf_limb* l = &view->limbs[limb];
        hf_pose_rest(human, &pose);
        for (int k = 0; k < l->joint_count; k++) {
            const hf_joint* joint = &view->joints[l->joints[k]];
            q[joint->q_index] = hf_random_between(&r, joint->lower, joint->upper);
        }
        for (int k = 0; k < view->rom_count; k++) hf_rom_project(human, k, q);
        hf_forward(human, &pose, links);
        hf_transform at = links[l->effector_link], base = links[l->base_link];
        hf_target t = {.kind = HF_TARGET_POSE,
                       .limb = limb,
                       .contact = -1,
                       .point = at.position,
                       .rotation = at.rotation};
        for (int rom = 0; rom < 2; rom++) {
            hf_solve_options o = hf_solve_options_default();
            o.use_rom = rom;
            hf_solve_result result;
            hf_pose_rest(human, &pose);
            assert_int_equal(hf_limb_solve(human, &base, &t, &o, workspace, q, &result), HF_OK);
            assert_within_limits(view, q);
            if (rom) assert_true(hf_pose_within_rom(human, q, 1e-6));
            if (rom) reached += result.stop == HF_STOP_REACHED;
            if (!rom) left += !hf_pose_within_rom(human, q, 1e-6);
        }
    }
    if (reached < total * 0.99) fail_msg("%d of %d reached", reached, total);
    assert_true(left > total / 20); /* the regions do shut something out */
    free(q), free(links);
    hf_workspace_free(workspace);
    hf_creature_free(human);
}

/* ---- promises ---- */

static void equal_seeds_give_equal_answers(void** state) {
    (void)state;
    hf_random r = hf_random_start(14, 0, 0);
    chain_creature c;
    open_random(&c, &r, 6);
    int differ = 0;
    for (int i = 0; i < 100; i++) {
        double q[3][CHAIN_MAX];
        chain_draw(&c, &r, q[0]);
        hf_target t = chain_target(&c, q[0], HF_TARGET_POSE);
        if (i % 2) t.rotation = hf_quat_mul(t.rotation, hf_quat_rpy(1, 0.5, -1)); /* mostly out of range */
        for (int k = 0; k < 3; k++) {
            hf_solve_options o = hf_solve_options_default();
            o.seed = k == 2 ? 99 : 5;
            memcpy(q[k], c.view->rest, sizeof q[k][0] * 6);
            solve(&c, &t, &o, q[k]);
        }
        assert_memory_equal(q[0], q[1], sizeof(double) * 6);
        differ += memcmp(q[0], q[2], sizeof(double) * 6) != 0;
    }
    assert_true(differ > 0); /* the seed is used */
    chain_close(&c);
}

static void a_warm_workspace_takes_no_heap(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    hf_random r = hf_random_start(15, 0, 0);
    chain_creature c;
    open_random(&c, &r, 9);
    hf_solve_options o = hf_solve_options_default();
    for (int i = 0; i < 50; i++) {
        double q[CHAIN_MAX];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, (hf_target_kind)(i % 3));
        if (i % 5 == 0) t.point.x += 1;
        memcpy(q, c.view->rest, sizeof(double) * 9);
        int before = allocations;
        solve(&c, &t, &o, q);
        if (i > 0) assert_int_equal(allocations, before);
    }
    chain_close(&c);
}

static void limbs_without_joints_only_measure(void** state) {
    (void)state;
    chain_creature c;
    open_two_bones(&c, 0.3, 0.2, 0, 2);
    c.limb.joint_count = 0;
    c.limb.root_link = c.limb.base_link = c.limb.effector_link;
    hf_solve_options o = hf_solve_options_default();
    double q[2] = {0.1, 0.2};
    hf_target t = {.kind = HF_TARGET_POSITION, .point = {0.2, 0, 0}};
    hf_solve_result result = solve(&c, &t, &o, q);
    assert_int_equal(result.stop, HF_STOP_REACHED);
    t.point.x = 0.5;
    result = solve(&c, &t, &o, q);
    assert_int_equal(result.stop, HF_STOP_OUT_OF_REACH);
    assert_near(result.position_error_m, 0.3, 1e-12);
    assert_true(q[0] == 0.1 && q[1] == 0.2);
    chain_close(&c);
}

/* A wrist: three axes through one point reach an orientation and no other place. */
static void limbs_without_length_only_turn(void** state) {
    (void)state;
    chain_creature c;
    chain_joint joints[3] = {{.type = "revolute", .axis = {1, 0, 0}, .lower = -2, .upper = 2},
                             {.type = "revolute", .axis = {0, 1, 0}, .lower = -1.4, .upper = 1.4},
                             {.type = "revolute", .axis = {0, 0, 1}, .lower = -2, .upper = 2}};
    chain_open(&c, joints, 3, hf_v3(0, 0, 0), hf_v3(0, 0, 1));
    hf_solve_options o = hf_solve_options_default();
    hf_random r = hf_random_start(18, 0, 0);
    for (int i = 0; i < 50; i++) {
        double q[3];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, HF_TARGET_POSE);
        memset(q, 0, sizeof q);
        assert_int_equal(solve(&c, &t, &o, q).stop, HF_STOP_REACHED);
        t.point.x += 0.1;
        memset(q, 0, sizeof q);
        hf_solve_result result = solve(&c, &t, &o, q);
        assert_int_equal(result.stop, HF_STOP_OUT_OF_REACH);
        assert_near(result.position_error_m, 0.1, 1e-12);
        assert_true(result.angle_error_rad <= 2e-3); /* the angle is still had */
    }
    chain_close(&c);
}

static void a_ball_stands_on_the_surface(void** state) {
    (void)state;
    chain_creature c;
    hf_random r = hf_random_start(16, 0, 0);
    open_random(&c, &r, 6);
    c.contact.ball = 0.04;
    hf_solve_options o = hf_solve_options_default();
    for (int i = 0; i < 50; i++) {
        double q[CHAIN_MAX];
        chain_draw(&c, &r, q);
        hf_target t = chain_target(&c, q, HF_TARGET_NORMAL);
        t.normal = random_direction(&r);
        t.point = hf_sub(t.point, hf_scale(t.normal, 0.04));
        memcpy(q, c.view->rest, sizeof(double) * 6);
        hf_solve_result result = solve(&c, &t, &o, q);
        assert_int_equal(result.stop, HF_STOP_REACHED);
        hf_vec3 centre = hf_apply(chain_effector(&c, q), c.contact.offset);
        assert_near(hf_dot(hf_sub(centre, t.point), t.normal), 0.04, 1.1e-4);
    }
    chain_close(&c);
}

static void wrong_arguments_are_refused(void** state) {
    (void)state;
    chain_creature c;
    open_two_bones(&c, 0.3, 0.2, 0, 2);
    hf_solve_options good = hf_solve_options_default(), o;
    hf_transform base = hf_transform_identity(), bad_base = {{NAN, 0, 0}, {1, 0, 0, 0}};
    hf_target fine = {.kind = HF_TARGET_POSITION, .point = {0.3, 0.1, 0}}, t;
    hf_solve_result result;
    double q[2] = {0.1, 0.2};
#define REFUSED(base, target, options)                                                                       \
    assert_int_equal(hf_limb_solve(c.creature, base, target, options, c.workspace, q, &result),              \
                     HF_ERROR_ARGUMENT)
    t = fine, t.point.y = NAN;
    REFUSED(&base, &t, &good);
    t = fine, t.point.x = INFINITY;
    REFUSED(&base, &t, &good);
    t = fine, t.kind = HF_TARGET_NORMAL;
    REFUSED(&base, &t, &good); /* a zero normal */
    t.normal.z = NAN;
    REFUSED(&base, &t, &good);
    t = fine, t.kind = HF_TARGET_POSE;
    REFUSED(&base, &t, &good); /* a zero quaternion */
    t = fine, t.limb = 1;
    REFUSED(&base, &t, &good);
    t = fine, t.contact = 1;
    REFUSED(&base, &t, &good);
    t = fine, t.kind = (hf_target_kind)7;
    REFUSED(&base, &t, &good);
    REFUSED(&bad_base, &fine, &good);
    o = good, o.max_iterations = 0;
    REFUSED(&base, &fine, &o);
    o = good, o.tolerance_m = NAN;
    REFUSED(&base, &fine, &o);
    o = good, o.posture_weight = 2;
    REFUSED(&base, &fine, &o);
    assert_true(q[0] == 0.1 && q[1] == 0.2);
    q[1] = NAN;
    REFUSED(&base, &fine, &good);
#undef REFUSED
    chain_close(&c);
}

/* ---- options ---- */

static void options_come_from_one_table(void** state) {
    (void)state;
    hf_solve_options o = hf_solve_options_default();
    hf_option_table table = hf_solve_option_table();
    hf_error error;
    assert_int_equal(hf_options_check(table, &o, &error), HF_OK);
    for (int i = 0; i < table.count; i++)
        assert_true(hf_options_get(&table.items[i], &o) == table.items[i].value);
    assert_int_equal(hf_options_set_text(table, &o, "max-starts", "7", &error), HF_OK);
    assert_int_equal(o.max_starts, 7);
    assert_int_equal(hf_options_set_text(table, &o, "use_rom", "no", &error), HF_OK);
    assert_false(o.use_rom);
    assert_int_equal(hf_options_set(table, &o, "seed", 12345678901.0, &error), HF_OK);
    assert_true(o.seed == 12345678901u);
    assert_int_equal(hf_options_set(table, &o, "max_start", 7, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "\"max_starts\""));
    assert_int_equal(hf_options_set(table, &o, "max_starts", 0, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_options_set(table, &o, "max_starts", 1.5, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_options_set_text(table, &o, "tolerance_m", "1e-3x", &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_options_set_text(table, &o, "tolerance_m", "nan", &error), HF_ERROR_ARGUMENT);
    assert_int_equal(o.max_starts, 7);
    hf_body_solve_options body = hf_body_solve_options_default();
    assert_int_equal(hf_options_check(hf_body_solve_option_table(), &body, &error), HF_OK);
    assert_true(body.move_root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elbow_follows_the_law_of_cosines),
        cmocka_unit_test(straight_limbs_are_no_trap),
        cmocka_unit_test(beyond_reach_gives_the_closest_point),
        cmocka_unit_test(limits_keep_the_closest_point),
        cmocka_unit_test(reachable_targets_are_reached),
        cmocka_unit_test(whole_targets_are_found_alike),
        cmocka_unit_test(base_pose_counts),
        cmocka_unit_test(position_comes_before_angle),
        cmocka_unit_test(posture_pulls_in_the_null_space),
        cmocka_unit_test(chain_agrees_with_kinematics),
        cmocka_unit_test(every_kind_of_joint_solves),
        cmocka_unit_test(continuous_joints_stay_near),
        cmocka_unit_test(regions_are_kept),
        cmocka_unit_test(equal_seeds_give_equal_answers),
        cmocka_unit_test(a_warm_workspace_takes_no_heap),
        cmocka_unit_test(limbs_without_joints_only_measure),
        cmocka_unit_test(limbs_without_length_only_turn),
        cmocka_unit_test(a_ball_stands_on_the_surface),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(options_come_from_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
