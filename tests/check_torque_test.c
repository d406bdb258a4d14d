/* holdfast check --dynamic against what can be computed by hand: a pendulum, a bench on two legs whose forces
   can be shared in many ways, a load in a hand; and motions that cannot be judged. */
#include "creature_fixture.h"

static const double G = 9.81;
enum { FRAMES = 12 };
static const double STEP_S = 1.0 / 100;

#define INERTIAL(xyz, kg, i)                                                                                 \
    "<inertial><origin xyz='" xyz "'/><mass value='" kg "'/><inertia ixx='" i "' iyy='" i "' izz='" i        \
    "' ixy='0' ixz='0' iyz='0'/></inertial>"
#define HINGE(name, parent, child, xyz, effort)                                                              \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child                  \
    "'/><origin xyz='" xyz "'/><axis xyz='0 1 0'/><limit lower='-3' upper='3' velocity='90' effort='" effort \
    "'/></joint>"
#define WELD(name, parent, child, xyz)                                                                       \
    "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child                     \
    "'/><origin xyz='" xyz "'/></joint>"

typedef struct world {
    hf_creature* creature;
    hf_scene* scene;
    hf_motion* motion;
    hf_dynamic_report report;
} world;

static void box_mesh(double size, float corners[24], uint32_t faces[36]) {
    static const uint32_t sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; i++)
        for (int x = 0; x < 3; x++) corners[3 * i + x] = (float)((i >> x & 1 ? 0.5 : -0.5) * size);
    memcpy(faces, sides, sizeof sides);
}

/* A floor of some friction and, where it weighs something, a box of 20 cm that can be carried. */
static void make_scene(world* w, double friction, double load_kg) {
    float corners[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0}, box[24];
    uint32_t halves[6] = {0, 1, 2, 0, 2, 3}, sides[36];
    hf_object_def objects[2] = {hf_object_def_default(), hf_object_def_default()};
    box_mesh(0.2, box, sides);
    objects[0].name = "floor";
    objects[0].friction = friction;
    objects[0].mesh = (hf_mesh){4, 2, corners, halves};
    objects[1].name = "box";
    objects[1].mesh = (hf_mesh){8, 12, box, sides};
    objects[1].movable = true;
    objects[1].mass_kg = load_kg;
    assert_int_equal(hf_scene_build(objects, load_kg > 0 ? 2 : 1, &w->scene, NULL), HF_OK);
}

static world make_world(const char* name, const char* urdf, const char* limbs, double friction,
                        double load_kg) {
    world w = {0};
    char file[100], json[1200];
    snprintf(file, sizeof file, "%s.urdf", name);
    hf_creature_free(load_text(file, urdf));
    snprintf(json, sizeof json,
             "{ \"format\": \"holdfast-creature\", \"version\": 1, \"name\": \"%s\", \"urdf\": \"%s\", "
             "\"limbs\": [ %s ] }",
             name, file, limbs);
    snprintf(file, sizeof file, "%s.creature.json", name);
    w.creature = load_text(file, json);
    make_scene(&w, friction, load_kg);
    assert_int_equal(hf_motion_create(w.creature, w.scene, &w.motion), HF_OK);
    return w;
}

static hf_motion_frame* add(world* w, int i, hf_vec3 root, double* q) {
    hf_pose pose = {{root, {1, 0, 0, 0}}, q};
    hf_motion_frame* f = hf_motion_add(w->motion, i * STEP_S, &pose);
    assert_non_null(f);
    return f;
}

static void touch(world* w, hf_motion_frame* f, const char* limb, hf_vec3 point, bool grip) {
    hf_hold h = {.limb = hf_creature_find_limb(w->creature, limb),
                 .object = grip ? 1 : 0,
                 .point = point,
                 .normal = grip ? hf_v3(1, 0, 0) : hf_v3(0, 0, 1),
                 .grip = grip};
    assert_int_equal(hf_motion_add_contact(w->motion, f, &h), HF_OK);
}

static void judge(world* w) {
    hf_error e = {0};
    hf_dynamic_report_free(&w->report);
    if (hf_check_dynamic(w->motion, w->creature, w->scene, 1, NULL, NULL, &w->report, &e) != HF_OK)
        fail_msg("%s: %s", e.field, e.message);
    assert_int_equal(w->report.outcome, HF_FOUND);
    assert_int_equal(w->report.judged, w->motion->frame_count - 4);
}

static void free_world(world* w) {
    hf_dynamic_report_free(&w->report);
    hf_motion_free(w->motion);
    hf_scene_free(w->scene);
    hf_creature_free(w->creature);
}

#define FOOT(link, name, offset, patch)                                                                      \
    "{ \"name\": \"" name "\", \"root\": \"" link "\", \"effector\": \"" link                                \
    "\", \"contact\": { \"name\": \"sole\", \"offset\": [" offset "], \"normal\": [0, 0, -1]" patch " } }"

/* A base of 50 kg on one foot with an arm that swings about Y: 2 kg, 0.7 m from the hinge, 20 Nm. */
static world make_pendulum(void) {
    return make_world("pendulum",
                      "<robot name='pendulum'><link name='base'>" INERTIAL("0 0 0", "50", "1") //
                      "</link><link name='arm'>" INERTIAL("0.7 0 0", "2", "0.03") "</link>"    //
                      HINGE("swing", "base", "arm", "0 0 1", "20") "</robot>",
                      FOOT("base", "leg", "0, 0, 0", ", \"patch\": [2, 2]"), 0.9, 0);
}

/* A mass of 2 kg with an inertia of 0.03 kg m2, 0.7 m from a hinge, that speeds up from level: its torque is
   (0.03 + 2 * 0.7^2) rate - 2 g 0.7 cos(angle), a positive turn about Y going down from X. */
static void a_pendulum_has_its_torque(void** state) {
    (void)state;
    world w = make_pendulum();
    const double rate = 5, begin = 0.3, speed = 0.4;
    for (int i = 0; i < FRAMES; i++) {
        double t = i * STEP_S, q[1] = {begin + speed * t + 0.5 * rate * t * t};
        touch(&w, add(&w, i, hf_v3(0, 0, 0), q), "leg", hf_v3(0, 0, 0), false);
    }
    judge(&w);
    double most = 0;
    for (int i = 2; i < FRAMES - 2; i++) {
        double angle = w.motion->frames[i].q[0];
        double torque = (0.03 + 2 * 0.7 * 0.7) * rate - 2 * G * 0.7 * cos(angle);
        assert_near(w.report.frames[i].torque_share, fabs(torque) / 20, 1e-6);
        assert_int_equal(w.report.frames[i].torque_joint, 0);
        most = fmax(most, fabs(torque) / 20);
    }
    assert_near(w.report.torque_share_max, most, 1e-6);
    assert_int_equal(w.report.feasible, FRAMES - 4);
    assert_near(w.report.jerk, 0, 1e-3); /* the third difference of a parabola, but for rounding / step^3 */
    free_world(&w);
}

/* Half a sine has a jerk of known mean square. */
static void jerk_is_that_of_the_curve(void** state) {
    (void)state;
    world w = make_pendulum();
    const double turn = 2 * 3.14159265358979; /* rad/s: one second is a whole period */
    for (int i = 0; i <= 100; i++) {
        double q[1] = {0.5 * sin(turn * i * STEP_S)};
        touch(&w, add(&w, i, hf_v3(0, 0, 0), q), "leg", hf_v3(0, 0, 0), false);
    }
    judge(&w);
    double jerk = 0.5 * turn * turn * turn;
    assert_near(w.report.jerk / (jerk * jerk / 2), 1, 0.03);
    assert_near(w.report.duration_s, 1, 1e-12);
    free_world(&w);
}

/* A bench of 40 kg whose legs of 0.5 m splay outwards by 0.2 m. Each foot bears 20 g. With friction f the
   floor can push the feet inwards with f 20 g, which takes f 0.5 of the 0.2 m off the arm of each hip: the
   least torque is 20 g (0.2 - 0.5 f), or none from f = 0.4 on. */
static void forces_are_shared_as_the_joints_like(void** state) {
    (void)state;
    const double frictions[4] = {0.001, 0.1, 0.3, 0.5};
    for (int k = 0; k < 4; k++) {
        world w = make_world(
            "bench",
            "<robot name='bench'><link name='seat'>" INERTIAL("0 0 0", "40", "1")                      //
            "</link><link name='l'>" INERTIAL("0 0 0", "1e-7", "1e-9")                                 //
            "</link><link name='r'>" INERTIAL("0 0 0", "1e-7", "1e-9") "</link>"                       //
            HINGE("hip_l", "seat", "l", "0.5 0 0", "80") HINGE("hip_r", "seat", "r", "-0.5 0 0", "80") //
            "</robot>",
            FOOT("l", "left", "0.2, 0, -0.5", "") ", " FOOT("r", "right", "-0.2, 0, -0.5", ""), frictions[k],
            0);
        for (int i = 0; i < FRAMES; i++) {
            double q[2] = {0, 0};
            hf_motion_frame* f = add(&w, i, hf_v3(0, 0, 0.5), q);
            touch(&w, f, "left", hf_v3(0.7, 0, 0), false);
            touch(&w, f, "right", hf_v3(-0.7, 0, 0), false);
        }
        judge(&w);
        double torque = 20 * G * fmax(0, 0.2 - 0.5 * frictions[k]);
        assert_near(w.report.torque_share_max, torque / 80, 1e-5);
        assert_int_equal(w.report.borne, FRAMES - 4);
        free_world(&w);
    }
    /* What a joint cannot hold is not feasible, though contacts bear it. */
    world w = make_world("bench2",
                         "<robot name='bench2'><link name='seat'>" INERTIAL("0 0 0", "40", "1") //
                         "</link><link name='arm'>" INERTIAL("1 0 0", "3", "0.01") "</link>"    //
                         HINGE("shoulder", "seat", "arm", "0 0 0", "29") "</robot>",
                         FOOT("seat", "leg", "0, 0, 0", ", \"patch\": [2, 2]"), 0.5, 0);
    for (int i = 0; i < FRAMES; i++) {
        double q[1] = {0};
        touch(&w, add(&w, i, hf_v3(0, 0, 0), q), "leg", hf_v3(0, 0, 0), false);
    }
    judge(&w);
    assert_near(w.report.torque_share_max, 3 * G / 29, 1e-6);
    assert_int_equal(w.report.borne, FRAMES - 4);
    assert_int_equal(w.report.strong, 0);
    assert_int_equal(w.report.feasible, 0);
    free_world(&w);
}

/* A body of 20 kg, centre of mass 0.5 m high, that carries 5 kg at (0.4, 0, 1) and speeds up along X: the
   weight and the inertia meet the floor at x = (5 * 0.4 - rate / g (20 * 0.5 + 5 * 1)) / 25, and a sole of
   0.6 m is left 0.3 m minus that. The shoulder bears 5 (g 0.4 - rate (1 - 0.8)). */
static void what_is_carried_weighs(void** state) {
    (void)state;
    const double rates[3] = {0, 1.5, -1};
    for (int k = 0; k < 3; k++) {
        world w = make_world(
            "porter",
            "<robot name='porter'><link name='body'>" INERTIAL("0 0 0.5", "20", "1")                    //
            "</link><link name='arm'>" INERTIAL("0 0 0", "1e-7", "1e-9")                                //
            "</link><link name='hand'>" INERTIAL("0 0 0", "1e-7", "1e-9") "</link>"                     //
            HINGE("shoulder", "body", "arm", "0 0 0.8", "50") WELD("wrist", "arm", "hand", "0.3 0 0.2") //
            "</robot>",
            FOOT("body", "leg", "0, 0, 0",
                 ", \"patch\": [0.6, 2]") ", "
                                          "{ \"name\": \"grip\", \"root\": \"arm\", \"effector\": \"hand\", "
                                          "\"grip\": true, \"contact\": { "
                                          "\"name\": \"palm\", \"offset\": [0, 0, 0], \"normal\": [1, 0, 0] "
                                          "} }",
            0.9, 5);
        for (int i = 0; i < FRAMES; i++) {
            double t = i * STEP_S, x = 0.5 * rates[k] * t * t, q[1] = {0};
            hf_motion_frame* f = add(&w, i, hf_v3(x, 0, 0), q);
            touch(&w, f, "leg", hf_v3(0, 0, 0), false);
            touch(&w, f, "grip", hf_v3(x + 0.3, 0, 1), true);
            hf_transform at = {{x + 0.4, 0, 1}, {1, 0, 0, 0}};
            assert_int_equal(hf_motion_add_object(w.motion, f, 1, at), HF_OK);
        }
        judge(&w);
        for (int i = 2; i < FRAMES - 2; i++) {
            const hf_dynamic_frame* f = &w.report.frames[i];
            double x = 0.5 * rates[k] * i * i * STEP_S * STEP_S;
            double meets = x + (5 * 0.4 - rates[k] / G * (20 * 0.5 + 5 * 1)) / 25;
            assert_near(f->margin_m, 0.3 - fabs(meets), 1e-5);
            assert_near(f->torque_share, 5 * fabs(G * 0.4 - rates[k] * 0.2) / 50, 1e-6);
        }
        assert_int_equal(w.report.feasible, FRAMES - 4);
        free_world(&w);
    }
}

/* Two palms that grip nothing press a box of 5 kg: what that takes of their slides is not judged, and counts
   neither as strong nor as feasible; the weight is borne all the same. */
static void torques_of_what_presses_are_not_judged(void** state) {
    (void)state;
#define PALM(name, y)                                                                                        \
    "{ \"name\": \"" name "\", \"root\": \"" name "\", \"effector\": \"" name                                \
    "\", \"contact\": { \"name\": \"palm\", \"offset\": [0, 0, 0], \"normal\": [0, " y ", 0] } }"
#define SLIDE(name, xyz)                                                                                     \
    "<joint name='" name "-slide' type='prismatic'><parent link='body'/><child link='" name                  \
    "'/><origin xyz='" xyz "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='9' "                 \
    "effort='50'/></joint>"
    world w = make_world(
        "presser",
        "<robot name='presser'><link name='body'>" INERTIAL("0 0 0.5", "20", "1") //
        "</link><link name='left'>" INERTIAL("0 0 0", "1e-7", "1e-9")             //
        "</link><link name='right'>" INERTIAL("0 0 0", "1e-7", "1e-9") "</link>"  //
        SLIDE("left", "0.2 0.1 1") SLIDE("right", "0.2 -0.1 1") "</robot>",
        FOOT("body", "leg", "0, 0, 0", ", \"patch\": [2, 2]") ", " PALM("left", "-1") ", " PALM("right", "1"),
        0.9, 5);
    for (int i = 0; i < FRAMES; i++) {
        double q[2] = {0};
        hf_motion_frame* f = add(&w, i, hf_v3(0, 0, 0), q);
        touch(&w, f, "leg", hf_v3(0, 0, 0), false);
        for (int side = -1; side <= 1 && i != 5; side += 2) {
            hf_hold h = {.limb = hf_creature_find_limb(w.creature, side > 0 ? "left" : "right"),
                         .object = 1,
                         .point = {0.2, 0.1 * side, 1},
                         .normal = {0, side, 0}};
            assert_int_equal(hf_motion_add_contact(w.motion, f, &h), HF_OK);
        }
        hf_transform at = {{0.2, 0, 1}, {1, 0, 0, 0}};
        assert_int_equal(hf_motion_add_object(w.motion, f, 1, at), HF_OK);
    }
    judge(&w);
    for (int i = 2; i < FRAMES - 2; i++) {
        const hf_dynamic_frame* f = &w.report.frames[i];
        assert_int_equal(f->presses, i != 5);
        assert_int_equal(isnan(f->torque_share) != 0, i != 5);
        // the load shifts the whole by 5 * 0.2 / 25 towards the end of a sole of 2 m
        assert_near(f->margin_m, i != 5 ? 1 - 0.04 : 1, 1e-5);
    }
    assert_int_equal(w.report.presses, FRAMES - 5);
    assert_int_equal(w.report.borne, FRAMES - 4);
    assert_int_equal(w.report.strong, 1);
    assert_int_equal(w.report.feasible, 1);
    assert_int_equal(w.report.torque_frame, 5);
    free_world(&w);
}

static void expect_refusal(const world* w, const hf_creature* creature, hf_status status, const char* word) {
    hf_error e = {0};
    hf_dynamic_report report;
    assert_int_equal(hf_check_dynamic(w->motion, creature, w->scene, 1, NULL, NULL, &report, &e), status);
    if (!strstr(e.message, word)) fail_msg("\"%s\" is not in \"%s\"", word, e.message);
    assert_null(report.frames);
}

static void what_cannot_be_judged_is_refused(void** state) {
    (void)state;
    static const char urdf[] = "<robot name='block'><link name='base'>" INERTIAL("0 0 0", "5", "1") //
        "</link></robot>";
    world w = make_world("block", urdf, FOOT("base", "leg", "0, 0, 0", ", \"patch\": [1, 1]"), 0.5, 0);
    hf_creature* other = load_text("other.urdf", FIXTURE_ALL_JOINTS);
    double q[1] = {0};
    touch(&w, add(&w, 0, hf_v3(0, 0, 0), q), "leg", hf_v3(0, 0, 0), false);
    expect_refusal(&w, w.creature, HF_ERROR_FORMAT, "there is 1,");
    for (int i = 1; i < FRAMES; i++) add(&w, i, hf_v3(0, 0, 0), q);
    expect_refusal(&w, other, HF_ERROR_FORMAT, "is missing");
    expect_refusal(&w, NULL, HF_ERROR_ARGUMENT, "without a creature");
    w.motion->frames[0].contact_count = 0;
    expect_refusal(&w, w.creature, HF_ERROR_FORMAT, "no frame has a contact");
    w.motion->frames[0].contact_count = 1;
    judge(&w); /* stands in the air in all frames but the first, and no joint has a limit */
    assert_int_equal(w.report.borne, 0);
    assert_near(w.report.margin_min_m, -1, 1e-9);
    assert_int_equal(w.report.torque_frame, -1);
    hf_error e;
    assert_int_equal(hf_check_dynamic(NULL, w.creature, NULL, 1, NULL, NULL, &w.report, &e),
                     HF_ERROR_ARGUMENT);
    hf_creature_free(other);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_its_torque),
        cmocka_unit_test(jerk_is_that_of_the_curve),
        cmocka_unit_test(forces_are_shared_as_the_joints_like),
        cmocka_unit_test(what_is_carried_weighs),
        cmocka_unit_test(torques_of_what_presses_are_not_judged),
        cmocka_unit_test(what_cannot_be_judged_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
