/* The validity report's balance in motion: its inverse dynamics against the library's, what is missing
   against a linear program and against coordinate descent, and bodies whose wrench is known: one that falls,
   and a flywheel on a foot. */
#include "creature_fixture.h"
#include "check/check.h"

static const double G = 9.81;

/* ---- inverse dynamics ---- */

/* Torques of joints of one value against the library's. */
static void compare_torques(const hf_creature_view* c, hf_motion_frame* frames, const check_frame* links,
                            const check_motion* motions, const double* theirs, double size) {
    double(*wrenches)[6] = calloc((size_t)c->link_count, sizeof *wrenches);
    double* torques = calloc((size_t)c->joint_count, sizeof *torques);
    hf_motion motion = {.frames = frames, .frame_count = 3};
    check_job job = {.c = c, .motion = &motion};
    check_link_wrenches(&job, 1, links, motions, wrenches);
    check_joint_torques(c, links, wrenches, torques);
    for (int j = 0; j < c->joint_count; j++)
        if (c->joints[j].q_count == 1 && c->joints[j].mimic < 0)
            assert_near(torques[j], theirs[c->joints[j].v_index], 1e-6 * size);
    free(wrenches), free(torques);
}

static void compare_rates(const hf_creature* creature, int rounds) {
    const hf_creature_view* c = hf_creature_get(creature);
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    check_frame* links = calloc((size_t)c->link_count, sizeof *links);
    check_motion* motions = calloc((size_t)c->link_count, sizeof *motions);
    double* theirs = calloc((size_t)c->v_count, sizeof *theirs);
    for (int round = 0; round < rounds; round++) {
        hf_random r = hf_random_start(51, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r);
        double *v = random_speeds(creature, &r), *a = random_speeds(creature, &r);
        hf_motion_frame frames[3];
        frame_at(creature, &pose, v, a, -1e-3, &frames[0]);
        frame_at(creature, &pose, v, a, 0, &frames[1]);
        frame_at(creature, &pose, v, a, 2e-3, &frames[2]); /* steps need not be equal */
        check_forward(c, frames[1].root, frames[1].q, links);
        double com[3] = {0.3, -0.2, 0.5}, force[3], moment[3];
        check_momentum_rate(c, &frames[1], links, com, motions, force, moment);
        /* Central differences of unequal steps are exact for the acceleration, and give the speed in their
           middle: half a millisecond late. */
        double *w = calloc((size_t)c->v_count, sizeof *w), size = 0;
        for (int i = 0; i < c->v_count; i++) w[i] = v[i] + 0.5e-3 * a[i];
        assert_int_equal(hf_inverse_dynamics(creature, &pose, w, a, hf_v3(0, 0, 0), workspace, theirs),
                         HF_OK);
        double arm[3] = {pose.root.position.x - com[0], pose.root.position.y - com[1],
                         pose.root.position.z - com[2]};
        for (int i = 0; i < 6; i++) size = fmax(size, fabs(theirs[i]));
        for (int i = 0; i < 3; i++) {
            double levered = arm[(i + 1) % 3] * theirs[(i + 2) % 3] - arm[(i + 2) % 3] * theirs[(i + 1) % 3];
            assert_near(force[i], theirs[i], 1e-6 * size);
            assert_near(moment[i], theirs[3 + i] + levered, 1e-6 * size);
        }
        assert_int_equal(hf_inverse_dynamics(creature, &pose, w, a, hf_v3(0, 0, -G), workspace, theirs),
                         HF_OK);
        compare_torques(c, frames, links, motions, theirs, size);
        for (int k = 0; k < 3; k++) free(frames[k].q);
        free(pose.q), free(v), free(a), free(w);
    }
    free(links), free(motions), free(theirs);
    hf_workspace_free(workspace);
}

static void momentum_rates_agree_with_the_library(void** state) {
    (void)state;
    hf_creature* creature = load_text("check_dynamic_joints.urdf", FIXTURE_ALL_JOINTS);
    compare_rates(creature, 60);
    hf_creature_free(creature);
    hf_error e;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &e),
                     HF_OK);
    compare_rates(creature, 60);
    hf_creature_free(creature);
}

/* ---- what is missing ---- */

static double* cell(const check_program* p, int row, int column) {
    return &p->table[row * (p->columns + 1) + column];
}

/* Some cones of eight edges at points around the centre of mass, some of them with a limit on their sum, and
   a wrench near what they can give. */
static check_program random_forces(hf_random* r, int limited) {
    int cones = 2 + (int)(5 * hf_random_unit(r));
    check_program p;
    assert_int_equal(check_program_make(&p, 6 + limited, 8 * cones + limited), HF_OK);
    for (int c = 0; c < cones; c++) {
        hf_vec3 at = random_point(r, 0.5), n = hf_normalize(hf_add(random_point(r, 1), hf_v3(0, 0, 0.8)));
        hf_vec3 u = hf_normalize(hf_cross(n, hf_v3(0.3, 0.9, 0.1))), v = hf_cross(n, u);
        for (int e = 0; e < 8; e++) {
            hf_vec3 f = hf_add(
                n, hf_scale(hf_add(hf_scale(u, cos(e * 0.785398)), hf_scale(v, sin(e * 0.785398))), 0.6));
            hf_vec3 m = hf_cross(at, f);
            double column[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
            for (int i = 0; i < 6; i++) *cell(&p, i, 8 * c + e) = column[i];
            if (c < limited) *cell(&p, 6 + c, 8 * c + e) = 1;
        }
        if (c < limited) *cell(&p, 6 + c, 8 * cones + c) = 1, *cell(&p, 6 + c, p.columns) = 0.3;
    }
    for (int i = 0; i < 6; i++) *cell(&p, i, p.columns) = (i == 2) + hf_random_between(r, -0.15, 0.15);
    return p;
}

/* Nothing is missing exactly when the linear program has an answer. */
static void nothing_is_missing_where_a_program_says_so(void** state) {
    (void)state;
    int found = 0, none = 0;
    for (int round = 0; round < 3000; round++) {
        hf_random r = hf_random_start(52, 0, (uint64_t)round);
        check_program p = random_forces(&r, round % 3);
        double force, moment;
        assert_int_equal(check_program_missing(&p, 0.01, &force, &moment), HF_OK);
        bool holds = check_program_start(&p);
        if (holds)
            assert_true(fmax(force, moment) < 2e-6);
        else
            assert_true(fmax(force, moment) > 1e-9);
        holds ? found++ : none++;
        check_program_free(&p);
    }
    print_message("%d of 3000 hold\n", found);
    assert_true(found > 300 && none > 300);
}

/* The least sum of squares, one number after the other. */
static double descend(const check_program* p) {
    double x[64] = {0}, left[6];
    for (int i = 0; i < 6; i++) left[i] = *cell(p, i, p->columns);
    for (int sweep = 0; sweep < 40000; sweep++)
        for (int j = 0; j < p->columns; j++) {
            double along = 0, size = 0;
            for (int i = 0; i < 6; i++)
                along += *cell(p, i, j) * left[i], size += *cell(p, i, j) * *cell(p, i, j);
            double more = fmax(-x[j], along / size);
            x[j] += more;
            for (int i = 0; i < 6; i++) left[i] -= more * *cell(p, i, j);
        }
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += left[i] * left[i];
    return sum;
}

static void the_least_is_missing(void** state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        hf_random r = hf_random_start(53, 0, (uint64_t)round);
        check_program p = random_forces(&r, 0);
        double force, moment;
        assert_int_equal(check_program_missing(&p, 10, &force, &moment), HF_OK);
        double sum = descend(&p);
        /* Coordinate descent comes from above, and slowly where the least is nearly nothing. */
        assert_near(sqrt(force * force + moment * moment), sqrt(sum), 1e-3);
        assert_true(force * force + moment * moment <= sum + 1e-9);
        check_program_free(&p);
    }
}

/* ---- known bodies ---- */

#define INERTIAL(kg, i)                                                                                      \
    "<inertial><mass value='" kg "'/><inertia ixx='" i "' iyy='" i "' izz='" i                               \
    "' ixy='0' ixz='0' iyz='0'/></inertial>"
static const char flywheel_urdf[] =
    "<robot name='flywheel'><link name='post'>" INERTIAL("2", "0.1") "</link><link name='wheel'>" INERTIAL(
        "8",
        "0.5") "</link><joint name='spin' type='continuous'><parent link='post'/><child link='wheel'/>"
               "<axis xyz='1 0 0'/></joint><link name='foot'>" INERTIAL(
                   "0.0001",
                   "0.0001") "<collision><geometry><sphere radius='0.01'/></geometry></collision></link>"
                             "<joint name='ankle' type='revolute'><parent link='post'/><child "
                             "link='foot'/><origin "
                             "xyz='0 0 -0.5'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' velocity='9' "
                             "effort='9'/></joint></robot>";

typedef struct wheel {
    hf_creature* creature;
    hf_scene* scene; /* a floor: without one the claim could not be judged */
    hf_motion* motion;
    hf_check_report report;
} wheel;

/* On a point, or on a foot 10 cm wide. */
static wheel make_wheel(const char* foot) {
    char json[900];
    wheel w = {0};
    hf_creature_free(load_text("check_flywheel.urdf", flywheel_urdf));
    snprintf(
        json, sizeof json,
        "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"flywheel\", \"urdf\": "
        "\"check_flywheel.urdf\", \"limbs\": [ { \"name\": \"leg\", \"root\": \"foot\", \"effector\": "
        "\"foot\", \"contact\": { \"name\": \"sole\", \"offset\": [0, 0, 0], \"normal\": [0, 0, -1]%s } } "
        "] }",
        foot);
    w.creature = load_text("check_flywheel.creature.json", json);
    float corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    hf_object_def floor = hf_object_def_default();
    floor.name = "floor";
    floor.mesh = (hf_mesh){4, 2, corners, halves};
    assert_int_equal(hf_scene_build(&floor, 1, &w.scene, NULL), HF_OK);
    assert_int_equal(hf_motion_create(w.creature, w.scene, &w.motion), HF_OK);
    w.motion->claims = HF_CLAIM_DYNAMIC;
    return w;
}

enum { FRAMES = 12 };
static const double STEP_S = 1.0 / 120;

/* The root at a height, the wheel turned. */
static void add_frame(wheel* w, int i, double height, double turn, bool stands) {
    double q[2] = {turn, 0};
    hf_pose pose = {{{0, 0, height}, {1, 0, 0, 0}}, q};
    hf_motion_frame* f = hf_motion_add(w->motion, i * STEP_S, &pose);
    assert_non_null(f);
    hf_hold c = {.limb = 0, .object = -1, .point = {0, 0, height - 0.5}, .normal = {0, 0, 1}};
    if (stands) assert_int_equal(hf_motion_add_contact(w->motion, f, &c), HF_OK);
}

static void judge_wheel(wheel* w) {
    hf_error e;
    hf_check_report_free(&w->report);
    if (hf_check_motion(w->motion, w->creature, w->scene, 1, NULL, NULL, &w->report, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
}

static void free_wheel(wheel* w) {
    hf_check_report_free(&w->report);
    hf_motion_free(w->motion);
    hf_scene_free(w->scene);
    hf_creature_free(w->creature);
}

/* What falls freely needs nothing, though it spins; what hangs in the air lacks its weight, and what rises
   with half of g lacks one and a half. */
static void falling_needs_no_contact(void** state) {
    (void)state;
    const double rates[3] = {-G, 0, G / 2}, missing[3] = {0, 1, 1.5};
    for (int k = 0; k < 3; k++) {
        wheel w = make_wheel("");
        for (int i = 0; i < FRAMES; i++) {
            double t = i * STEP_S;
            add_frame(&w, i, 5 + 0.5 * rates[k] * t * t + 2 * t, 3 * t, false);
        }
        judge_wheel(&w);
        assert_int_equal(w.report.undynamic, k ? FRAMES - 4 : 0); /* two at either end are not judged */
        assert_int_equal(w.report.valid, k == 0);
        assert_near(w.report.missing_force_max, missing[k], 1e-6);
        assert_near(w.report.missing_moment_max_m, 0, 1e-6);
        assert_true(w.report.unbalanced == FRAMES); /* at rest none of this would stand; nobody claims it */
        free_wheel(&w);
    }
}

/* A wheel that speeds up needs a moment M (here in metres of the weight) about its axis, X. A foot at a point
   0.5 m below can only push with f along Y, which gives 0.5 f of it and is itself not wanted: the least
   squares leave f = 0.5 M / 1.25 and M / 1.25; the larger of f and M - 0.5 f is least, M / 1.5, where they
   are equal. */
static void a_point_gives_no_moment(void** state) {
    (void)state;
    const double inertia = 0.5, weight = 10.0001 * G;
    const double moments[4] = {0.0149, 0.0151, 0.04, 0.0149};
    for (int k = 0; k < 4; k++) {
        wheel w = make_wheel("");
        double rate = moments[k] * weight / inertia;
        for (int i = 0; i < FRAMES; i++) {
            double t = i * STEP_S;
            add_frame(&w, i, 0.5, 0.5 * rate * t * t - t, true);
        }
        if (k == 3) w.motion->claims |= HF_CLAIM_BALANCE; /* a point does not keep 5 mm at rest */
        judge_wheel(&w);
        bool too_much = k == 1 || k == 2;
        assert_int_equal(w.report.undynamic, too_much ? FRAMES - 4 : 0);
        assert_int_equal(w.report.valid, k == 0);
        assert_int_equal(w.report.unbalanced, FRAMES);
        if (k == 2) {
            assert_near(w.report.missing_force_max, 0.5 * 0.04 / 1.25, 1e-4);
            assert_near(w.report.missing_moment_max_m, 0.04 / 1.25, 1e-4);
            /* The post stands in the floor, which nobody denies here. */
            const hf_check_problem* p = w.report.problems;
            while (p->claim == HF_CLAIM_COLLISION) p++;
            assert_non_null(strstr(p->what, "1.6 % of the weight and 3.2 cm"));
            assert_int_equal(p->claim, HF_CLAIM_DYNAMIC);
            assert_int_equal(p->frame, 2);
        }
        free_wheel(&w);
    }
}

/* A foot of 10 cm gives up to 5 cm of moment arm. */
static void a_wide_foot_gives_moment(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        wheel w = make_wheel(", \"patch\": [0.1, 0.1]");
        double rate = (fault ? 0.068 : 0.049) * 10.0001 * G / 0.5;
        for (int i = 0; i < FRAMES; i++) {
            double t = i * STEP_S;
            add_frame(&w, i, 0.5, 0.5 * rate * t * t, true);
        }
        judge_wheel(&w);
        assert_int_equal(w.report.undynamic, fault ? FRAMES - 4 : 0);
        if (!fault) assert_near(w.report.missing_force_max + w.report.missing_moment_max_m, 0, 1e-6);
        free_wheel(&w);
    }
}

/* A spinning wheel that the body turns with needs the moment of a gyroscope: omega x I omega_wheel. */
static void gyroscopes_count(void** state) {
    (void)state;
    wheel w = make_wheel("");
    const double spin = 4, turn = 0.5;
    for (int i = 0; i < FRAMES; i++) {
        double t = i * STEP_S;
        add_frame(&w, i, 0.5, spin * t, true);
        w.motion->frames[i].root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), turn * t);
    }
    judge_wheel(&w);
    /* The wheel's angular momentum I (spin along the post's X) turns with the post. */
    double m = 0.5 * spin * turn / (10.0001 * G);
    assert_near(hypot(w.report.missing_force_max, w.report.missing_moment_max_m), m / sqrt(1.25), 2e-5);
    free_wheel(&w);
}

/* Without mass every force is enough, so that an answer would say nothing. The ghost has no body either, from
   whose volume a mass could be taken. */
static void a_body_without_mass_is_refused(void** state) {
    (void)state;
    static const char ghost_urdf[] =
        "<robot name='ghost'><link name='post'/><link name='foot'/><joint name='ankle' "
        "type='revolute'><parent "
        "link='post'/><child link='foot'/><origin xyz='0 0 -0.5'/><axis xyz='1 0 0'/><limit lower='-1' "
        "upper='1' velocity='9' effort='9'/></joint></robot>";
    hf_creature_free(load_text("check_ghost.urdf", ghost_urdf));
    hf_creature* ghost =
        load_text("check_ghost.creature.json",
                  "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"ghost\", \"urdf\": "
                  "\"check_ghost.urdf\", \"limbs\": [ { \"name\": \"leg\", \"root\": \"foot\", "
                  "\"effector\": \"foot\", \"contact\": { \"name\": \"sole\", \"offset\": [0, 0, 0], "
                  "\"normal\": [0, 0, -1] } } ] }");
    hf_motion* motion;
    hf_dynamic_report report = {0};
    hf_error e = {0};
    assert_near(hf_creature_get(ghost)->mass, 0, 0);
    assert_int_equal(hf_motion_create(ghost, NULL, &motion), HF_OK);
    for (int i = 0; i < FRAMES; i++) {
        double q[1] = {0};
        hf_pose pose = {{{0, 0, 0.5}, {1, 0, 0, 0}}, q};
        hf_motion_frame* f = hf_motion_add(motion, i * STEP_S, &pose);
        hf_hold c = {.limb = 0, .object = -1, .normal = {0, 0, 1}};
        assert_int_equal(hf_motion_add_contact(motion, f, &c), HF_OK);
    }
    assert_int_equal(hf_check_dynamic(motion, ghost, NULL, 1, NULL, NULL, &report, &e), HF_ERROR_FORMAT);
    assert_string_equal(e.message, hf_refine_why_text(HF_REFINE_NO_MASS));
    hf_motion_free(motion);
    hf_creature_free(ghost);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_rates_agree_with_the_library),
        cmocka_unit_test(nothing_is_missing_where_a_program_says_so),
        cmocka_unit_test(the_least_is_missing),
        cmocka_unit_test(falling_needs_no_contact),
        cmocka_unit_test(a_point_gives_no_moment),
        cmocka_unit_test(a_wide_foot_gives_moment),
        cmocka_unit_test(gyroscopes_count),
        cmocka_unit_test(a_body_without_mass_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
