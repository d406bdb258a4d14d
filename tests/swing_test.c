/* Swings: the curve against finite differences, ways against dense sampling, holds by forward kinematics,
   whole motions against the check module, what cannot be done, memory. */
#include "allocation_count.h"
#include "test.h"
#include "base/random.h"

enum { Q_MAX = 128, LINK_MAX = 128, MAX_BOXES = 4, MAX_LEGS = 8 };

/* A creature between boxes. */
typedef struct fixture {
    hf_creature* creature;
    const hf_creature_view* c;
    hf_scene* scene;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_swing* swing;
    double from[Q_MAX], to[Q_MAX];
    int leg_count;
    int legs[MAX_LEGS];
    hf_vec3 feet[MAX_LEGS]; /* on the ground */
} fixture;

static const uint32_t box_faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void build_boxes(fixture* f, const hf_vec3 boxes[][2], int count) {
    static const char* const names[MAX_BOXES] = {"ground", "one", "two", "three"};
    float vertices[MAX_BOXES][24];
    uint32_t faces[36];
    hf_object_def defs[MAX_BOXES];
    hf_error error;
    memcpy(faces, box_faces, sizeof faces);
    for (int b = 0; b < count; b++) {
        for (int i = 0; i < 8; i++) {
            vertices[b][3 * i] = (float)boxes[b][i & 1].x;
            vertices[b][3 * i + 1] = (float)boxes[b][i >> 1 & 1].y;
            vertices[b][3 * i + 2] = (float)boxes[b][i >> 2 & 1].z;
        }
        defs[b] = hf_object_def_default();
        defs[b].name = names[b];
        defs[b].mesh = (hf_mesh){8, 12, vertices[b], faces};
    }
    hf_placement_free(f->placement);
    hf_scene_free(f->scene);
    assert_int_equal(hf_scene_build(defs, count, &f->scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(f->scene, &f->placement), HF_OK);
}

static const hf_vec3 ground_only[][2] = {{{-5, -5, -1}, {5, 5, 0}}};

/* Every leg on the ground under where its foot rests, the root `low` metres under its rest height. */
static void set_up(fixture* f, const char* creature, const char* leg, double height) {
    memset(f, 0, sizeof *f);
    f->creature = shipped_creature(creature);
    f->c = hf_creature_get(f->creature);
    assert_in_range(f->c->q_count, 1, Q_MAX);
    assert_int_equal(hf_workspace_create(&f->workspace), HF_OK);
    assert_int_equal(hf_swing_create(f->creature, &f->swing), HF_OK);
    build_boxes(f, ground_only, 1);
    hf_transform links[LINK_MAX];
    hf_pose pose = {hf_transform_identity(), f->from};
    hf_pose_rest(f->creature, &pose);
    pose.root.position.z = height;
    hf_forward(f->creature, &pose, links);
    for (int l = 0; l < f->c->limb_count; l++) {
        if (!strstr(f->c->limbs[l].name, leg)) continue;
        const hf_contact_frame* frame = &f->c->limbs[l].contacts[0];
        hf_vec3 p = hf_apply(links[frame->link], frame->offset);
        f->feet[f->leg_count] = hf_v3(p.x, p.y, 0);
        f->legs[f->leg_count++] = l;
    }
}

static void tear_down(fixture* f) {
    hf_swing_free(f->swing);
    hf_workspace_free(f->workspace);
    hf_placement_free(f->placement);
    hf_scene_free(f->scene);
    hf_creature_free(f->creature);
}

/* A leg's first contact frame on a point of the ground. */
static void place_leg(fixture* f, hf_transform root, int leg, hf_vec3 point, double* q) {
    hf_transform links[LINK_MAX];
    hf_pose pose = {root, q};
    hf_forward(f->creature, &pose, links);
    hf_target t = {HF_TARGET_NORMAL, f->legs[leg], 0, point, {0, 0, 1}, hf_quat_identity(), false};
    hf_solve_options o = hf_solve_options_default();
    o.tolerance_m = 1e-5;
    hf_solve_result r;
    assert_int_equal(
        hf_limb_solve(f->creature, &links[f->c->limbs[f->legs[leg]].base_link], &t, &o, f->workspace, q, &r),
        HF_OK);
    assert_true(r.position_error_m < 1e-4 && r.angle_error_rad < 2e-3);
}

static hf_swing_limb swing_of(const fixture* f, int leg) {
    hf_hold on_ground = {.normal = {0, 0, 1}};
    return (hf_swing_limb){f->legs[leg], 0, on_ground, on_ground};
}

static void find(fixture* f, const hf_swing_query* q) {
    assert_int_equal(hf_swing_find(f->creature, f->placement, q, f->workspace, f->swing), HF_OK);
}

static hf_pose knot(const fixture* f, int k) {
    return (hf_pose){f->swing->roots[k], f->swing->q + k * f->swing->q_count};
}

/* The whole way is free by looking at it every few millimetres, and its ends are those asked for. */
static void expect_free(const fixture* f, const hf_swing_query* query, int limb) {
    double q[Q_MAX];
    hf_transform links[LINK_MAX];
    hf_hold touches[16];
    size_t bytes = sizeof(double) * (size_t)f->c->q_count;
    if (f->swing->outcome != HF_FOUND) {
        int link = f->c->bodies[f->swing->collision.body].link;
        fail_msg("%s after %d tries: %s", hf_swing_why_text(f->swing->why), f->swing->tries,
                 f->c->links[link].name);
    }
    assert_memory_equal(f->swing->q, query->from.q, bytes);
    assert_memory_equal(knot(f, f->swing->knot_count - 1).q, query->to.q, bytes);
    for (int k = 0; k + 1 < f->swing->knot_count; k++) {
        hf_collision_query c = hf_collision_query_default();
        c.limb = limb;
        c.touches = touches;
        for (int i = 0; i < query->hold_count; i++)
            touches[c.touch_count++] =
                (hf_hold){.limb = query->holds[i].limb, .object = query->holds[i].object, .grip = false};
        for (int i = 0; i < query->limb_count && (k == 0 || k + 2 == f->swing->knot_count); i++)
            touches[c.touch_count++] = (hf_hold){.limb = query->limbs[i].limb, .object = 0, .grip = false};
        for (int i = 0; i <= 20; i++) {
            hf_pose a = knot(f, k), b = knot(f, k + 1), at = {a.root, q};
            hf_pose_between(f->creature, &a, &b, i / 20.0, &at);
            hf_forward(f->creature, &at, links);
            assert_false(hf_collides(f->creature, f->placement, links, &c, NULL));
            assert_true(hf_pose_within_rom(f->creature, q, 1e-4));
        }
    }
}

static void the_curve_leaves_and_arrives_along_the_normals(void** state) {
    (void)state;
    hf_random r = hf_random_start(3, 0, 0);
    for (int i = 0; i < 200; i++) {
        hf_vec3 v[5];
        for (int k = 0; k < 5; k++) {
            v[k].x = hf_random_between(&r, -1, 1);
            v[k].y = hf_random_between(&r, -1, 1);
            v[k].z = hf_random_between(&r, -1, 1);
        }
        hf_vec3 n = hf_normalize(v[1]), m = hf_normalize(v[3]);
        hf_swing_shape shape = {0.1, 0.1, hf_scale(v[4], 0.2)};
        hf_swing_curve c = hf_swing_curve_make(v[0], n, v[2], m, shape);
        assert_near(hf_distance(hf_swing_curve_point(&c, 0), v[0]), 0, 0);
        assert_near(hf_distance(hf_swing_curve_point(&c, 1), v[2]), 0, 0);
        // a Bezier curve leaves towards its second control point and arrives from its last but one
        assert_near(hf_dot(hf_normalize(hf_sub(c.control[1], v[0])), n), 1, 1e-12);
        assert_near(hf_dot(hf_normalize(hf_sub(v[2], c.control[HF_SWING_CONTROLS - 2])), m), -1, 1e-12);
        // the first and last piece of the curve go along the normals, but for the curvature's share of them
        hf_vec3 leave = hf_sub(hf_swing_curve_point(&c, 1e-7), v[0]);
        hf_vec3 arrive = hf_sub(v[2], hf_swing_curve_point(&c, 1 - 1e-7));
        assert_near(hf_dot(hf_normalize(leave), n), 1, 1e-8);
        assert_near(hf_dot(hf_normalize(arrive), m), -1, 1e-8);
        // without normals and bend it is straight
        hf_swing_curve straight = hf_swing_curve_make(v[0], hf_v3(0, 0, 0), v[2], hf_v3(0, 0, 0),
                                                      (hf_swing_shape){0.1, 0.1, {0, 0, 0}});
        hf_vec3 middle = hf_swing_curve_point(&straight, 0.3), way = hf_sub(v[2], v[0]);
        assert_near(hf_length(hf_cross(hf_sub(middle, v[0]), hf_normalize(way))), 0, 1e-12);
    }
}

/* A step of the human's left leg with something in the way. */
typedef struct leg_step {
    hf_swing_limb limb;
    hf_swing_query query;
} leg_step;

static void make_step(fixture* f, leg_step* s, double back, double forward, bool hands_up) {
    hf_transform root = hf_transform_identity();
    root.position.z = 0.86;
    // hands out of the way of the thigh
    for (int j = 0; j < f->c->joint_count && hands_up; j++)
        if (strstr(f->c->joints[j].name, "_elbow") && f->c->joints[j].upper > 1.8)
            f->from[f->c->joints[j].q_index] = 1.8;
    for (int i = 0; i < f->leg_count; i++) place_leg(f, root, i, f->feet[i], f->from);
    place_leg(f, root, 0, hf_add(f->feet[0], hf_v3(back, 0, 0)), f->from);
    memcpy(f->to, f->from, sizeof f->to);
    place_leg(f, root, 0, hf_add(f->feet[0], hf_v3(forward, 0, 0)), f->to);
    s->limb = swing_of(f, 0);
    s->query = (hf_swing_query){.from = {root, f->from},
                                .to = {root, f->to},
                                .limb_count = 1,
                                .limbs = &s->limb,
                                .options = hf_swing_options_default()};
}

static void a_swing_goes_over_what_is_in_its_way(void** state) {
    (void)state;
    static fixture f;
    leg_step s;
    set_up(&f, "human", "leg", 0.86);
    make_step(&f, &s, -0.12, 0.3, true);
    find(&f, &s.query);
    expect_free(&f, &s.query, s.limb.limb);
    assert_int_equal(f.swing->tries, 1);
    // a beam across the floor, between where the foot leaves and where it lands
    double y = f.feet[0].y, heights[] = {0.06, 0.12, 0.2};
    for (int i = 0; i < 3; i++) {
        const hf_vec3 boxes[][2] = {{{-5, -5, -1}, {5, 5, 0}},
                                    {{0.08, y - 0.08, 0}, {0.1, y + 0.3, heights[i]}}};
        build_boxes(&f, boxes, 2);
        find(&f, &s.query);
        expect_free(&f, &s.query, s.limb.limb);
    }
    assert_true(f.swing->tries > 1);
    // the same again
    static double first[HF_SWING_KNOTS * Q_MAX];
    int knots = f.swing->knot_count;
    size_t bytes = sizeof(double) * (size_t)(knots * f.c->q_count);
    memcpy(first, f.swing->q, bytes);
    find(&f, &s.query);
    assert_int_equal(f.swing->knot_count, knots);
    assert_memory_equal(first, f.swing->q, bytes);
    int before = allocations;
    find(&f, &s.query);
    assert_int_equal(allocations, before);
    tear_down(&f);
}

/* Near its contacts an effector does not turn, and between them it turns one way, evenly about the middle. */
static void effectors_leave_and_arrive_without_turning(void** state) {
    (void)state;
    assert_true(hf_swing_turned(0) == 0 && hf_swing_turned(0.1) == 0);
    assert_true(hf_swing_turned(1) == 1 && hf_swing_turned(0.9) == 1);
    for (int i = 0; i < 100; i++) {
        double s = i / 100.0;
        assert_true(hf_swing_turned(s + 0.01) >= hf_swing_turned(s));
        assert_near(hf_swing_turned(s) + hf_swing_turned(1 - s), 1, 1e-12);
    }
}

/* How far the joints go on the way, rad. */
static double way_length(const fixture* f) {
    double length = 0;
    for (int k = 1; k < f->swing->knot_count; k++) {
        const double* q = f->swing->q + (size_t)k * (size_t)f->swing->q_count;
        double square = 0;
        for (int i = 0; i < f->swing->q_count; i++)
            square += (q[i] - q[i - f->swing->q_count]) * (q[i] - q[i - f->swing->q_count]);
        length += sqrt(square);
    }
    return length;
}

/* The hanging hand keeps the thigh from being raised along any of the curves. The tree's way over the beam
   has few detours: the joints go no more than 5 rad. */
static void trees_find_what_curves_do_not(void** state) {
    (void)state;
    static fixture f;
    leg_step s;
    set_up(&f, "human", "leg", 0.86);
    make_step(&f, &s, -0.12, 0.3, false);
    double y = f.feet[0].y;
    const hf_vec3 beam[][2] = {{{-5, -5, -1}, {5, 5, 0}}, {{0.08, y - 0.08, 0}, {0.1, y + 0.3, 0.2}}};
    build_boxes(&f, beam, 2);
    s.query.options.max_moves = 0;
    find(&f, &s.query);
    assert_int_equal(f.swing->outcome, HF_NONE);
    s.query.options.max_moves = 5000;
    find(&f, &s.query);
    expect_free(&f, &s.query, s.limb.limb);
    assert_true(way_length(&f) < 5);
    tear_down(&f);
}

static void what_cannot_be_done_is_said(void** state) {
    (void)state;
    static fixture f;
    leg_step s;
    set_up(&f, "human", "leg", 0.86);
    make_step(&f, &s, -0.12, 0.3, true);
    double y = f.feet[0].y;
    // a high beam and one try
    const hf_vec3 beam[][2] = {{{-5, -5, -1}, {5, 5, 0}}, {{0.08, y - 0.08, 0}, {0.1, y + 0.3, 0.2}}};
    build_boxes(&f, beam, 2);
    s.query.options.max_tries = 1;
    find(&f, &s.query);
    assert_int_equal(f.swing->outcome, HF_NONE);
    assert_int_equal(f.swing->why, HF_SWING_COLLIDES);
    assert_int_equal(f.swing->knot_count, 0);
    assert_int_equal(f.swing->tries, 1);
    assert_int_equal(f.swing->collision.surface.object, 1);
    const hf_vec3 at_start[][2] = {{{-5, -5, -1}, {5, 5, 0}}, {{-0.2, y - 0.04, 0.1}, {-0.1, 3, 0.3}}};
    build_boxes(&f, at_start, 2);
    find(&f, &s.query);
    assert_int_equal(f.swing->why, HF_SWING_START_COLLIDES);
    const hf_vec3 at_goal[][2] = {{{-5, -5, -1}, {5, 5, 0}}, {{0.2, y - 0.04, 0.02}, {0.5, 3, 0.3}}};
    build_boxes(&f, at_goal, 2);
    find(&f, &s.query);
    assert_int_equal(f.swing->why, HF_SWING_GOAL_COLLIDES);
    // wrong arguments
    s.limb.frame = 99;
    assert_int_equal(hf_swing_find(f.creature, f.placement, &s.query, f.workspace, f.swing),
                     HF_ERROR_ARGUMENT);
    s.limb.frame = 0;
    s.query.options.max_tries = 0;
    assert_int_equal(hf_swing_find(f.creature, f.placement, &s.query, f.workspace, f.swing),
                     HF_ERROR_ARGUMENT);
    s.query.options.max_tries = 1;
    f.to[0] = INFINITY;
    assert_int_equal(hf_swing_find(f.creature, f.placement, &s.query, f.workspace, f.swing),
                     HF_ERROR_ARGUMENT);
    tear_down(&f);
}

/* Three legs of the insect swing while the body moves over the other three; then the motion is judged. */
static void legs_swing_together_while_others_hold(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, "insect", "leg", 0.1186);
    assert_int_equal(f.leg_count, 6);
    hf_transform root = hf_transform_identity(), moved = root;
    root.position.z = moved.position.z = 0.1186;
    moved.position.x = 0.03;
    hf_swing_limb limbs[3];
    hf_hold holds[3];
    hf_hold before[6], during[3], after[6];
    for (int i = 0; i < 6; i++) place_leg(&f, root, i, f.feet[i], f.from);
    memcpy(f.to, f.from, sizeof f.to);
    for (int i = 0; i < 6; i++) {
        bool swings = i == 0 || i == 3 || i == 4; // left front, right middle, left hind
        hf_vec3 goal = hf_add(f.feet[i], hf_v3(swings ? 0.06 : 0, 0, 0));
        place_leg(&f, moved, i, goal, f.to);
        before[i] = (hf_hold){f.legs[i], 0, 0, false, f.feet[i], {0, 0, 1}};
        after[i] = before[i];
        after[i].point = goal;
    }
    int s = 0, h = 0;
    for (int i = 0; i < 6; i++) {
        if (i == 0 || i == 3 || i == 4)
            limbs[s++] = swing_of(&f, i);
        else
            during[h] = before[i], holds[h++] = (hf_hold){.limb = f.legs[i]};
    }
    hf_swing_query query = {.from = {root, f.from},
                            .to = {moved, f.to},
                            .limb_count = 3,
                            .limbs = limbs,
                            .hold_count = 3,
                            .holds = holds,
                            .options = hf_swing_options_default()};
    find(&f, &query);
    expect_free(&f, &query, -1);
    // the feet that hold stay, by forward kinematics
    hf_transform links[LINK_MAX];
    for (int k = 0; k < f.swing->knot_count; k++) {
        hf_pose pose = knot(&f, k);
        hf_forward(f.creature, &pose, links);
        for (int i = 0; i < 3; i++) {
            const hf_contact_frame* frame = &f.c->limbs[during[i].limb].contacts[0];
            hf_vec3 p = hf_apply(links[frame->link], frame->offset);
            assert_near(hf_distance(hf_sub(p, hf_v3(0, 0, frame->ball)), during[i].point), 0, 2e-4);
        }
    }
    // nor may a hold be elsewhere in the last pose than in the first
    hf_pose near = query.from;
    near.root.position.z += 0.005;
    hf_swing_query slides = query;
    slides.to = near;
    find(&f, &slides);
    assert_int_equal(f.swing->outcome, HF_NONE);
    assert_int_equal(f.swing->why, HF_SWING_HOLD_LOST);
    find(&f, &query);
    hf_course* course;
    hf_motion* motion;
    hf_realise_result result = {0};
    hf_schedule* schedule;
    hf_check_report report;
    hf_error error;
    hf_course_options o = hf_course_options_default();
    assert_int_equal(hf_course_create(f.creature, &course), HF_OK);
    hf_hold twice[2] = {before[0], before[0]};
    assert_int_equal(hf_course_add(course, &query.from, twice, 2, HF_MARK_STOP), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_course_add(course, &query.from, before, 6, HF_MARK_STOP), HF_OK);
    assert_int_equal(hf_course_add(course, &query.from, during, 3, HF_MARK_STOP), HF_OK);
    assert_int_equal(hf_course_add_swing(course, f.swing, during, 3), HF_OK);
    assert_int_equal(hf_course_add(course, &query.to, after, 6, HF_MARK_STOP), HF_OK);
    assert_int_equal(hf_course_realise(course, f.scene, &o, f.workspace, &schedule, &motion, &result), HF_OK);
    assert_int_equal(result.outcome, HF_FOUND);
    assert_int_equal(hf_check_motion(motion, f.creature, f.scene, 1, NULL, NULL, &report, &error), HF_OK);
    if (!report.valid) fail_msg("frame %d: %s", report.problems[0].frame, report.problems[0].what);
    assert_true(motion->frame_count > 5);
    assert_int_equal(motion->frames[0].contact_count, 6);
    assert_int_equal(motion->frames[1].contact_count, 3);
    assert_int_equal(motion->frames[motion->frame_count - 2].contact_count, 3);
    assert_int_equal(motion->frames[motion->frame_count - 1].contact_count, 6);
    hf_check_report_free(&report);
    hf_motion_free(motion);
    hf_schedule_free(schedule);
    hf_realise_result_free(&result);
    hf_course_free(course);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_leaves_and_arrives_along_the_normals),
        cmocka_unit_test(effectors_leave_and_arrive_without_turning),
        cmocka_unit_test(a_swing_goes_over_what_is_in_its_way),
        cmocka_unit_test(trees_find_what_curves_do_not),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(legs_swing_together_while_others_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
