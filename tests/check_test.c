/* The validity report: its own geometry against sampling, and motions with one known fault each. */
#include "test.h"
#include "base/random.h"
#include "check/check.h"
#define CRANE_FILE "crane"
#include "crane_fixture.h"

#include <stdlib.h>

static void random_point(hf_random* r, double size, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = hf_random_between(r, -size, size);
}

static double gap(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* The distance must not exceed that of any pair of points tried, and its nearest point must give it. */
static void segment_triangle_is_the_least_distance(void** state) {
    (void)state;
    for (int round = 0; round < 300; round++) {
        hf_random r = hf_random_start(1, 0, (uint64_t)round);
        double a[3], b[3], tri[9], near[3], least = INFINITY;
        random_point(&r, 1, a);
        random_point(&r, 1, b);
        for (int k = 0; k < 3; k++) random_point(&r, 1, tri + 3 * k);
        if (round % 5 == 0) memcpy(tri + 6, tri + 3, 3 * sizeof(double)); /* a degenerate triangle */
        if (round % 7 == 0) memcpy(b, a, sizeof a);
        double d = check_segment_triangle(a, b, tri, near);
        for (int i = 0; i <= 60; i++)
            for (int j = 0; j <= 60; j++)
                for (int k = 0; k <= 60 - j; k++) {
                    double p[3], q[3];
                    for (int x = 0; x < 3; x++) {
                        p[x] = a[x] + (b[x] - a[x]) * i / 60;
                        q[x] = tri[x] + (tri[3 + x] - tri[x]) * j / 60 + (tri[6 + x] - tri[x]) * k / 60;
                    }
                    least = fmin(least, gap(p, q));
                }
        assert_true(d <= least + 1e-9);
        assert_true(least - d < 0.06); /* the grid is that coarse */
        double best = INFINITY;
        for (int i = 0; i <= 4000; i++) {
            double p[3];
            for (int x = 0; x < 3; x++) p[x] = a[x] + (b[x] - a[x]) * i / 4000;
            best = fmin(best, gap(p, near));
        }
        assert_near(best, d, 2e-3);
    }
}

/* A box as a hull must behave as the box, and both as the analytic distance of a point to a box says. */
static void box_and_sphere_meet_where_they_should(void** state) {
    (void)state;
    float vertices[24];
    uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const double half[3] = {0.3, 0.2, 0.1};
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++) vertices[3 * k + i] = (float)((k >> i & 1) ? half[i] : -half[i]);
    hf_body box = {.in_link = hf_transform_identity(),
                   .shape = {.kind = HF_SHAPE_BOX, .half_size = {0.3, 0.2, 0.1}}};
    hf_body hull = {.in_link = hf_transform_identity(),
                    .shape = {.kind = HF_SHAPE_HULL,
                              .vertex_count = 8,
                              .face_count = 12,
                              .vertices = vertices,
                              .faces = faces}};
    hf_body ball = {.in_link = hf_transform_identity(), .shape = {.kind = HF_SHAPE_SPHERE, .radius = 0.15}};
    check_body b, h, s;
    assert_int_equal(check_body_build(&box, 0.001, &b), HF_OK);
    assert_int_equal(check_body_build(&hull, 0.001, &h), HF_OK);
    assert_int_equal(check_body_build(&ball, 0.001, &s), HF_OK);
    assert_int_equal(h.core.corner_count, 8);
    check_frame origin = check_frame_of(hf_transform_identity());
    int met = 0;
    for (int round = 0; round < 3000; round++) {
        hf_random r = hf_random_start(2, 0, (uint64_t)round);
        double p[3], d = 0;
        random_point(&r, 0.6, p);
        /* Outside of the box the distance to it counts, inside the way to its nearest face. */
        double within = -INFINITY;
        for (int i = 0; i < 3; i++) {
            double out = fabs(p[i]) - half[i];
            within = fmax(within, out);
            if (out > 0) d += out * out;
        }
        double depth = 0.15 - (within < 0 ? within : sqrt(d)), margin = 0.001 - depth;
        if (fabs(margin) < 1e-6) continue;
        check_frame at = check_frame_of((hf_transform){{p[0], p[1], p[2]}, {1, 0, 0, 0}});
        assert_int_equal(check_bodies_depth(&b, &origin, &s, &at, 0.001) > 0, margin < 0);
        assert_int_equal(check_bodies_depth(&s, &at, &h, &origin, 0.001) > 0, margin < 0);
        met += margin < 0;
    }
    assert_in_range(met, 100, 2900);
    check_body_free(&b);
    check_body_free(&h);
    check_body_free(&s);
}

/* A cone whose base has most of the vertices: their mean is nearer to the base than bodies are shrunk. */
static void dense_hulls_meet_too(void** state) {
    (void)state;
    enum { N = 300 };
    static float vertices[3 * (N + 1)];
    static uint32_t faces[3 * (2 * N - 2)];
    int count = 0;
    for (int i = 0; i < N; i++) {
        vertices[3 * i] = (float)(0.1 * cos(6.283185307179586 * i / N));
        vertices[3 * i + 1] = (float)(0.1 * sin(6.283185307179586 * i / N));
        memcpy(&faces[3 * count++], (uint32_t[3]){(uint32_t)i, (uint32_t)(i + 1) % N, N}, 12);
        if (i > 1) memcpy(&faces[3 * count++], (uint32_t[3]){0, (uint32_t)i, (uint32_t)i - 1}, 12);
    }
    vertices[3 * N + 2] = 0.05f;
    hf_body cone = {.in_link = hf_transform_identity(),
                    .shape = {.kind = HF_SHAPE_HULL,
                              .vertex_count = N + 1,
                              .face_count = count,
                              .vertices = vertices,
                              .faces = faces}};
    hf_body ball = {.in_link = hf_transform_identity(), .shape = {.kind = HF_SHAPE_SPHERE, .radius = 0.01}};
    check_body c, b;
    assert_int_equal(check_body_build(&cone, 0.001, &c), HF_OK);
    assert_int_equal(check_body_build(&ball, 0.001, &b), HF_OK);
    check_frame origin = check_frame_of(hf_transform_identity());
    /* Under the base the ball's depth is known. */
    for (int i = 0; i < 2; i++) {
        check_frame at =
            check_frame_of((hf_transform){{0.02, 0, -0.01 + (i ? 0.0011 : 0.0009)}, {1, 0, 0, 0}});
        assert_int_equal(check_bodies_depth(&c, &origin, &b, &at, 0.001) > 0, i);
    }
    check_body_free(&c);
    check_body_free(&b);
}

/* Two turned boxes: the separating axis theorem is the oracle. */
static void turned_boxes_meet_as_separating_axes_say(void** state) {
    (void)state;
    int met = 0;
    for (int round = 0; round < 3000; round++) {
        hf_random r = hf_random_start(3, 0, (uint64_t)round);
        hf_body body[2];
        check_body b[2];
        check_frame at[2];
        for (int k = 0; k < 2; k++) {
            body[k] = (hf_body){.in_link = hf_transform_identity(), .shape = {.kind = HF_SHAPE_BOX}};
            body[k].shape.half_size = hf_v3(hf_random_between(&r, 0.1, 0.4), hf_random_between(&r, 0.1, 0.4),
                                            hf_random_between(&r, 0.1, 0.4));
            hf_quat q =
                hf_quat_normalize((hf_quat){hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1),
                                            hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1)});
            double p[3];
            random_point(&r, 0.4, p);
            at[k] = check_frame_of((hf_transform){{p[0], p[1], p[2]}, q});
            assert_int_equal(check_body_build(&body[k], 0.001, &b[k]), HF_OK);
        }
        double axes[15][3], widest = -INFINITY;
        int count = 0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++, count++)
                for (int x = 0; x < 3; x++) axes[count][x] = at[k].r[3 * x + i];
        for (int i = 0; i < 3; i++)
            for (int j = 3; j < 6; j++, count++)
                for (int x = 0; x < 3; x++)
                    axes[count][x] = axes[i][(x + 1) % 3] * axes[j][(x + 2) % 3] -
                                     axes[i][(x + 2) % 3] * axes[j][(x + 1) % 3];
        for (int a = 0; a < count; a++) {
            double l = gap(axes[a], (double[3]){0, 0, 0}), span = 0, apart = 0;
            if (l < 1e-6) continue;
            for (int k = 0; k < 2; k++) {
                const double h[3] = {body[k].shape.half_size.x, body[k].shape.half_size.y,
                                     body[k].shape.half_size.z};
                for (int i = 0; i < 3; i++) {
                    double c = 0;
                    for (int x = 0; x < 3; x++) c += at[k].r[3 * x + i] * axes[a][x] / l;
                    span += h[i] * fabs(c);
                }
            }
            for (int x = 0; x < 3; x++) apart += (at[0].p[x] - at[1].p[x]) * axes[a][x] / l;
            widest = fmax(widest, fabs(apart) - span);
        }
        double depth = check_bodies_depth(&b[0], &at[0], &b[1], &at[1], 0.001);
        if (fabs(widest + 0.001) > 1e-6) assert_near(depth, widest < -0.001 ? -widest : 0, 1e-9);
        met += depth > 0;
        check_body_free(&b[0]);
        check_body_free(&b[1]);
    }
    assert_in_range(met, 300, 2700);
}

static void a_good_motion_is_valid(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    for (int i = 0; i < 10; i++) frame(&x, i * 0.1, 1.5, 0.02 * i, 0.03 * i);
    judge(&x);
    assert_true(x.report.valid);
    assert_int_equal(x.report.problem_count, 0);
    assert_int_equal(x.report.frames, 10);
    tear_down(&x);
}

static void limits_and_speed_are_judged(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    frame(&x, 0, 1.5, 0, 0);
    frame(&x, 0.1, 1.5, 0.19, 0); /* 1.9 rad/s of 2 */
    frame(&x, 0.2, 1.5, 0.40, 0); /* 2.1 rad/s */
    frame(&x, 1.2, 1.5, 0.40, 0);
    frame(&x, 1.3, 1.61, 0.40, 0); /* 1.1 m/s of 1 */
    frame(&x, 9.3, 1.61, 2.6, 0);  /* shoulder beyond 2.5, slowly */
    judge(&x);
    assert_false(x.report.valid);
    assert_int_equal(x.report.speed_violations, 2);
    assert_int_equal(x.report.limit_violations, 1);
    assert_int_equal(x.report.broken, HF_CLAIM_SPEED | HF_CLAIM_LIMITS);
    /* A motion that does not promise them is valid all the same. */
    x.motion->claims = HF_CLAIM_COLLISION;
    judge(&x);
    assert_true(x.report.valid);
    tear_down(&x);
}

static void depth_in_the_floor_is_measured(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    frame(&x, 0, 0.1 - 0.0009, 0, 0); /* the trunk's underside 0.9 mm deep: allowed; the arm is higher */
    judge(&x);
    assert_int_equal(x.report.collisions, 0);
    frame(&x, 1, 0.1 - 0.0042, 0, 0);
    judge(&x);
    assert_int_equal(x.report.collisions, 2); /* the way there from the first frame is too deep, too */
    assert_near(x.report.worst_depth_m, 0.0042, 2e-6);
    assert_false(x.report.valid);
    tear_down(&x);
}

static void a_body_inside_a_solid_collides(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    float v[24];
    uint32_t f[36];
    slab(20, 20, 0, -20, v, f);
    hf_object_def rock = hf_object_def_default();
    rock.name = "rock";
    rock.mesh = (hf_mesh){8, 12, v, f};
    hf_scene_free(x.scene);
    hf_error e;
    assert_int_equal(hf_scene_build(&rock, 1, &x.scene, &e), HF_OK);
    frame(&x, 0, -8, 0, 0); /* no triangle is within metres */
    judge(&x);
    assert_int_equal(x.report.collisions, 1);
    /* A cavity cut into the rock is free again. */
    float hollow[48];
    uint32_t both[72];
    memcpy(hollow, v, sizeof v);
    memcpy(both, f, sizeof f);
    slab(3, 3, -5, -11, hollow + 24, both + 36);
    for (int k = 36; k < 72; k += 3) {
        uint32_t swap = both[k] + 8;
        both[k] = both[k + 1] + 8;
        both[k + 1] = swap;
        both[k + 2] += 8;
    }
    rock.mesh = (hf_mesh){16, 24, hollow, both};
    hf_scene_free(x.scene);
    assert_int_equal(hf_scene_build(&rock, 1, &x.scene, &e), HF_OK);
    judge(&x);
    assert_int_equal(x.report.collisions, 0);
    rock.mesh = (hf_mesh){8, 12, v, f};
    /* The first shell turned inside out is a cave: free. */
    for (int t = 0; t < 12; t++) {
        uint32_t swap = f[3 * t];
        f[3 * t] = f[3 * t + 1];
        f[3 * t + 1] = swap;
    }
    hf_scene_free(x.scene);
    assert_int_equal(hf_scene_build(&rock, 1, &x.scene, &e), HF_OK);
    judge(&x);
    assert_int_equal(x.report.collisions, 0);
    tear_down(&x);
}

static void collisions_between_frames_are_found(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    /* Both frames are free; on the way the arm dips through the floor. */
    frame(&x, 0, 0.7, 0.3, 0);
    frame(&x, 10, 0.7, 2.45, 0);
    judge(&x);
    assert_int_equal(x.report.collisions, 1);
    assert_int_equal(x.report.problems[0].frame, 0);
    /* Straight down the tip reaches 0.95 m below a shoulder at 0.7 m. */
    assert_near(x.report.worst_depth_m, 0.25, 1e-4);
    tear_down(&x);
}

static void the_arm_meets_its_own_trunk(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    frame(&x, 0, 2, 0, 0);
    frame(&x, 10, 2, 0, 3.0); /* the forearm folded back onto the upper arm: that pair is adjacent */
    judge(&x);
    assert_int_equal(x.report.self_collisions, 0);
    frame(&x, 20, 2, -1.3, -2.9); /* the forearm ends 34 mm over the trunk, its radius is 50 mm */
    judge(&x);
    assert_true(x.report.self_collisions >= 1);
    assert_false(x.report.valid);
    tear_down(&x);
}

static void contacts_and_slip_are_measured(void** state) {
    (void)state;
    const double down = 1.5707963267948966;
    fixture x = {0};
    set_up(&x);
    hold(&x, frame(&x, 0, 0.95, down, 0), 0.25);
    judge(&x);
    assert_true(x.report.valid);
    assert_near(x.report.contact_error_max_m, 0, 1e-9);
    /* 2 mm above the floor, said to be on it. */
    hold(&x, frame(&x, 1, 0.952, down, 0), 0.25);
    judge(&x);
    assert_false(x.report.valid);
    assert_near(x.report.contact_error_max_m, 0.002, 1e-6);
    assert_near(x.report.slip_max_m, 0.002, 1e-6);
    tear_down(&x);
    /* The contact is true in both frames but 5 mm further: slip, not error. */
    fixture y = {0};
    set_up(&y);
    hold(&y, frame(&y, 0, 0.95, down, 0), 0.25);
    hf_motion_frame* f = frame(&y, 1, 0.95, down, 0);
    f->root.position.x += 0.005;
    hold(&y, f, 0.255);
    judge(&y);
    assert_near(y.report.contact_error_max_m, 0, 1e-9);
    assert_near(y.report.slip_max_m, 0.005, 1e-9);
    assert_false(y.report.valid);
    assert_int_equal(y.report.broken, HF_CLAIM_CONTACTS);
    tear_down(&y);
}

/* The report's kinematics and geometry against those of the rest of the library, on the shipped human over
   a bumpy floor: two programs that share nothing must agree wherever no depth is near a threshold. */
static void agrees_with_the_library_on_random_poses(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    hf_creature_free(x.creature);
    hf_motion_free(x.motion);
    hf_error e;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &x.creature, &e),
                     HF_OK);
    assert_int_equal(hf_motion_create(x.creature, x.scene, &x.motion), HF_OK);
    const hf_creature_view* c = hf_creature_get(x.creature);
    hf_placement* placement;
    assert_int_equal(hf_placement_create(x.scene, &placement), HF_OK);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    check_frame* own = calloc((size_t)c->link_count, sizeof *own);
    double* q = calloc((size_t)c->q_count, sizeof *q);
    bool expected_scene[120], expected_self[120];
    for (int i = 0; i < 120; i++) {
        hf_random r = hf_random_start(9, 0, (uint64_t)i);
        for (int j = 0; j < c->joint_count; j++)
            if (c->joints[j].q_count == 1)
                q[c->joints[j].q_index] = hf_random_between(&r, c->joints[j].lower, c->joints[j].upper) * 0.7;
        hf_pose_follow(x.creature, q);
        hf_quat turn = hf_quat_normalize((hf_quat){
            1, hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1)});
        hf_pose pose = {{{0, 0, hf_random_between(&r, 0.2, 1.4)}, turn}, q};
        assert_non_null(hf_motion_add(x.motion, i, &pose));
        hf_forward(x.creature, &pose, links);
        check_forward(c, pose.root, q, own);
        for (int l = 0; l < c->link_count; l++) {
            check_frame other = check_frame_of(links[l]);
            assert_near(gap(other.p, own[l].p), 0, 1e-9);
            assert_near(check_frame_angle(&other, &own[l]), 0, 1e-7);
        }
        hf_collision_query query = hf_collision_query_default();
        query.self = false;
        expected_scene[i] = hf_collides(x.creature, placement, links, &query, NULL);
        query.self = true, query.scene = false;
        expected_self[i] = hf_collides(x.creature, placement, links, &query, NULL);
    }
    /* One frame at a time: between frames these poses are not meant to be free. */
    int frames = x.motion->frame_count, scene_hits = 0, self_hits = 0;
    hf_motion_frame* all = x.motion->frames;
    for (int i = 0; i < frames; i++) {
        x.motion->frames = &all[i];
        x.motion->frame_count = 1;
        judge(&x);
        assert_int_equal(x.report.collisions, expected_scene[i]);
        assert_int_equal(x.report.self_collisions, expected_self[i]);
        scene_hits += expected_scene[i], self_hits += expected_self[i];
    }
    x.motion->frames = all;
    x.motion->frame_count = frames;
    assert_in_range(scene_hits, 10, 110);
    assert_in_range(self_hits, 10, 110);
    free(links);
    free(own);
    free(q);
    hf_placement_free(placement);
    tear_down(&x);
}

static void a_wrong_motion_is_refused(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    frame(&x, 0, 1.5, 0, 0);
    strcpy(x.motion->joints[1], "elb");
    hf_error e;
    hf_check_report r;
    assert_int_equal(hf_check_motion(x.motion, x.creature, x.scene, 1, NULL, NULL, &r, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "elbow"));
    tear_down(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_triangle_is_the_least_distance),
        cmocka_unit_test(box_and_sphere_meet_where_they_should),
        cmocka_unit_test(dense_hulls_meet_too),
        cmocka_unit_test(turned_boxes_meet_as_separating_axes_say),
        cmocka_unit_test(a_good_motion_is_valid),
        cmocka_unit_test(limits_and_speed_are_judged),
        cmocka_unit_test(depth_in_the_floor_is_measured),
        cmocka_unit_test(a_body_inside_a_solid_collides),
        cmocka_unit_test(collisions_between_frames_are_found),
        cmocka_unit_test(the_arm_meets_its_own_trunk),
        cmocka_unit_test(contacts_and_slip_are_measured),
        cmocka_unit_test(agrees_with_the_library_on_random_poses),
        cmocka_unit_test(a_wrong_motion_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
