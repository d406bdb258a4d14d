/* The validity report: motions with one known fault each, beside the same motion without it. */
#include "base/random.h"
#include "check/check.h"
#include "test.h"
#define CRANE_FILE "fault-crane"
#include "crane_fixture.h"

#include <stdlib.h>

static const double DOWN = 1.5707963267948966;

static void contact(fixture* x, hf_motion_frame* f, hf_vec3 point, hf_vec3 normal, bool grip) {
    hf_hold c = {.object = 0, .point = point, .normal = normal, .grip = grip};
    assert_int_equal(hf_motion_add_contact(x->motion, f, &c), HF_OK);
}

/* Numbers that compare false with everything, and what would be read out of bounds. */
static void what_cannot_be_judged_is_refused(void** state) {
    (void)state;
    for (int fault = 0; fault < 8; fault++) {
        fixture x = {0};
        set_up(&x);
        hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
        hold(&x, frame(&x, 1, 0.95, DOWN, 0), 0.25);
        judge(&x);
        assert_true(x.report.valid);
        hf_motion_frame* f = &x.motion->frames[1];
        double time_s = f->time_s;
        if (fault == 0) f->q[1] = NAN;
        if (fault == 1) f->root.position.y = NAN;
        if (fault == 2) f->contacts[0].point.x = NAN;
        if (fault == 3) f->time_s = 0;
        if (fault == 4) f->contacts[0].object = 1;
        if (fault == 5) f->contacts[0].normal = hf_v3(0, 0, 2);
        if (fault == 6) f->root.rotation = (hf_quat){0, 0, 0, 0};
        if (fault == 7) x.motion->frame_count = 0;
        hf_check_report r;
        hf_error e;
        assert_int_equal(hf_check_motion(x.motion, x.creature, x.scene, 1, NULL, NULL, &r, &e),
                         HF_ERROR_FORMAT);
        assert_string_equal(e.field, "frames");
        assert_null(r.problems);
        f->time_s = time_s;
        x.motion->frame_count = 2;
        tear_down(&x);
    }
}

static void a_contact_needs_an_object_that_allows_it(void** state) {
    (void)state;
    fixture x = {0};
    hf_object_def floor = hf_object_def_default();
    floor.contact = false;
    set_up_with(&x, CRANE_TIP, false, floor);
    hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
    judge(&x);
    assert_int_equal(x.report.contact_violations, 1);
    assert_int_equal(x.report.broken, HF_CLAIM_CONTACTS);
    /* Where the object is not named there is nothing to touch: said in words, not by an infinite error. */
    x.motion->frames[0].contacts[0].object = -1;
    judge(&x);
    assert_false(x.report.valid);
    assert_true(isfinite(x.report.contact_error_max_m));
    tear_down(&x);
}

static void normals_must_be_the_surfaces(void** state) {
    (void)state;
    const double s = 0.7071067811865476;
    const struct {
        double x; /* of the contact: 5 is the slab's edge */
        hf_vec3 normal;
        bool good;
    } cases[] = {{0.25, {0, 0, 1}, true}, {0.25, {0, 0, -1}, false}, {0.25, {s, 0, s}, false},
                 {5, {s, 0, s}, true},    {5, {0, 0, 1}, true},      {5, {0, 0, -1}, false},
                 {5, {-s, 0, s}, false},  {5, {0, s, s}, false},     {0.25, {0.0436, 0, 0.99905}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        set_up(&x);
        hf_motion_frame* f = frame(&x, 0, 0.95, DOWN, 0);
        f->root.position.x = cases[i].x - 0.25;
        contact(&x, f, hf_v3(cases[i].x, 0, 0), cases[i].normal, false);
        judge(&x);
        assert_int_equal(x.report.valid, cases[i].good);
        assert_int_equal(x.report.broken, cases[i].good ? 0 : HF_CLAIM_CONTACTS);
        tear_down(&x);
    }
}

static void the_back_does_not_touch(void** state) {
    (void)state;
    fixture x = {0};
    set_up_with(&x, "\"offset\": [0.45, 0, 0], \"normal\": [-1, 0, 0]", false, hf_object_def_default());
    hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
    judge(&x);
    assert_int_equal(x.report.contact_violations, 1);
    assert_non_null(strstr(x.report.problems[0].what, "back"));
    tear_down(&x);
}

/* A grip frees a hand from collision: only one that can grip, and only with what can be gripped. */
static void grips_need_a_hand_and_a_hold(void** state) {
    (void)state;
    for (int able = 0; able < 2; able++)
        for (int has_hold = 0; has_hold < 2; has_hold++) {
            fixture x = {0};
            hf_object_def floor = hf_object_def_default();
            floor.grip = has_hold;
            set_up_with(&x, CRANE_TIP, able, floor);
            contact(&x, frame(&x, 0, 0.95, DOWN, 0), hf_v3(0.25, 0, 0), hf_v3(0, 0, 1), true);
            judge(&x);
            assert_int_equal(x.report.valid, able && has_hold);
            assert_int_equal(x.report.collisions, 0);
            /* 20 mm deep: no touch. */
            x.motion->frames[0].root.position.z = 0.93;
            judge(&x);
            assert_int_equal(x.report.collisions, able && has_hold ? 0 : 1);
            tear_down(&x);
        }
}

/* Opening and closing the hand is no new place. */
static void a_grip_that_comes_and_goes_still_slips(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        hf_object_def floor = hf_object_def_default();
        floor.grip = true;
        set_up_with(&x, CRANE_TIP, true, floor);
        for (int i = 0; i < 6; i++) {
            hf_motion_frame* f = frame(&x, i * 0.1, 0.95, DOWN, 0);
            double slid = fault * 0.002 * i;
            f->root.position.x = slid;
            contact(&x, f, hf_v3(0.25 + slid, 0, 0), hf_v3(0, 0, 1), i % 2);
        }
        judge(&x);
        assert_int_equal(x.report.valid, !fault);
        assert_near(x.report.slip_max_m, fault * 0.01, 1e-9);
        tear_down(&x);
    }
}

/* The tip frame stays in place while the crane turns about the vertical through it. */
static void patches_hold_their_orientation_while_flat(void** state) {
    (void)state;
    const struct {
        const char* tip;
        bool good;
    } cases[] = {
        {CRANE_TIP, true},
        {CRANE_TIP ", \"patch\": [0.02, 0.02]", false},
        /* 5 degrees off the surface: an edge, which may turn */
        {"\"offset\": [0.45, 0, 0], \"normal\": [0.996194698, 0.087155743, 0], \"patch\": [0.02, 0.02]",
         true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        set_up_with(&x, cases[i].tip, false, hf_object_def_default());
        hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
        hf_motion_frame* f = frame(&x, 1, 0.95, DOWN, 0);
        hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), 0.05);
        f->root.rotation = turn;
        f->root.position = hf_sub(hf_v3(0.25, 0, 0.95), hf_rotate(turn, hf_v3(0.25, 0, 0)));
        hold(&x, f, 0.25);
        judge(&x);
        assert_near(x.report.slip_max_m, 0, 1e-9);
        assert_int_equal(x.report.valid, cases[i].good);
        tear_down(&x);
    }
}

#define BALL_TIP "\"offset\": [0.40, 0, 0], \"normal\": [1, 0, 0], \"ball\": 0.05"

/* The contact point is centre - r n, and the centre is what is held while the ball rolls. */
static void balls_hold_their_centre(void** state) {
    (void)state;
    for (int fault = 0; fault < 3; fault++) {
        fixture x = {0};
        set_up_with(&x, BALL_TIP, false, hf_object_def_default());
        for (int i = 0; i < 4; i++) {
            /* Leaning over a centre that stays at (0.25, 0, 0.05). */
            double lean = DOWN + 0.05 * i, slid = fault == 1 ? 0.001 * i : 0;
            hf_motion_frame* f = frame(&x, i * 0.2, 0.05 + 0.9 * sin(lean), lean, 0);
            f->root.position.x = -0.9 * cos(lean) + slid;
            contact(&x, f, hf_v3(0.25 + slid, 0, fault == 2 ? 0.05 : 0), hf_v3(0, 0, 1), false);
        }
        judge(&x);
        assert_int_equal(x.report.valid, fault == 0);
        assert_near(x.report.slip_max_m, fault == 1 ? 0.003 : 0, 1e-9);
        assert_near(x.report.contact_error_max_m, fault == 2 ? 0.05 : 0, 1e-9);
        tear_down(&x);
    }
}

/* The crane leans from one side over the tip to the other: with frames on the way the tip stays; from the
   first to the last alone it is thrust down by 0.9 (1 - cos 0.2). */
static void contacts_hold_between_frames(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        set_up_with(&x, BALL_TIP, false, hf_object_def_default());
        int steps = fault ? 1 : 10;
        for (int i = 0; i <= steps; i++) {
            double lean = DOWN - 0.2 + 0.4 * i / steps;
            hf_motion_frame* f = frame(&x, (double)i / steps, 0.05 + 0.9 * sin(lean), lean, 0);
            f->root.position.x = -0.9 * cos(lean);
            contact(&x, f, hf_v3(0.25, 0, 0), hf_v3(0, 0, 1), false);
        }
        judge(&x);
        assert_int_equal(x.report.valid, !fault);
        assert_near(x.report.slip_max_m, 0, 1e-9); /* of frames alone */
        assert_int_equal(x.report.contact_violations, fault ? 3 : 0);
        if (fault) assert_non_null(strstr(x.report.problems[1].what, "slips by 17.9 mm, 0.0 degrees before"));
        tear_down(&x);
    }
}

/* The floor is carried along X by its keys; what touches it must go with it. */
static void slip_is_measured_on_the_moving_object(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        hf_object_def floor = hf_object_def_default();
        const hf_key keys[2] = {{0, hf_transform_identity()}, {1, {{0.5, 0, 0}, {1, 0, 0, 0}}}};
        floor.key_count = 2, floor.keys = keys;
        set_up_with(&x, CRANE_TIP, false, floor);
        for (int i = 0; i < 3; i++) {
            hf_motion_frame* f = frame(&x, i * 0.5, 0.95, DOWN, 0);
            f->root.position.x = fault ? 0 : 0.25 * i;
            hold(&x, f, 0.25 + f->root.position.x);
        }
        judge(&x);
        assert_int_equal(x.report.valid, !fault);
        assert_near(x.report.slip_max_m, fault ? 0.5 : 0, 1e-9);
        tear_down(&x);
    }
}

/* Keys that carry the slab through the crane and back between two frames. */
static void keys_between_frames_are_followed(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        hf_object_def floor = hf_object_def_default();
        hf_key keys[3] = {{0, hf_transform_identity()},
                          {0.5, {{0, 0, fault ? 1.6 : 0.2}, {1, 0, 0, 0}}},
                          {1, hf_transform_identity()}};
        floor.key_count = 3, floor.keys = keys;
        set_up_with(&x, CRANE_TIP, false, floor);
        frame(&x, 0, 1.5, 0, 0);
        frame(&x, 1, 1.5, 0, 0);
        judge(&x);
        assert_int_equal(x.report.collisions, fault);
        tear_down(&x);
    }
}

static void only_movable_objects_move(void** state) {
    (void)state;
    for (int movable = 0; movable < 2; movable++) {
        fixture x = {0};
        hf_object_def floor = hf_object_def_default();
        floor.movable = movable;
        set_up_with(&x, CRANE_TIP, false, floor);
        frame(&x, 0, 1.5, 0, 0);
        hf_motion_frame* f = frame(&x, 1, 1.5, 0, 0);
        assert_int_equal(hf_motion_add_object(x.motion, f, 0, (hf_transform){{0, 0, -1}, {1, 0, 0, 0}}),
                         HF_OK);
        judge(&x);
        assert_int_equal(x.report.valid, movable);
        /* It is where it was named: the second frame would be in it, at its start it would not. */
        f->objects[0].pose.position.z = 1.6;
        judge(&x);
        assert_true(x.report.collisions > 0);
        tear_down(&x);
    }
}

/* A contact frame that the motion brings itself must be on the effector. */
static void contact_frames_are_on_their_effector(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    hold(&x, frame(&x, 0, 1.95, DOWN, 0), 0.25);
    hf_motion_contact_frame* tip = &x.motion->limbs[0].frames[0];
    strcpy(tip->name, "own");
    tip->offset.x = 1.45; /* a metre under the arm */
    judge(&x);
    assert_near(x.report.contact_error_max_m, 0, 1e-9);
    assert_int_equal(x.report.contact_violations, 1);
    tip->offset.x = 0.45;
    x.motion->frames[0].root.position.z = 0.95;
    judge(&x);
    assert_true(x.report.valid);
    strcpy(tip->name, "tip"); /* and one of the creature's names is the creature's */
    tip->offset.x = 0.4;
    judge(&x);
    assert_false(x.report.valid);
    tear_down(&x);
}

/* Frames of the motion's own: what they touch with must be the effector's skin, the tip of a capsule of 5 cm.
   The crane hovers as high as the frame reaches beyond it. */
static void own_contact_frames_do_not_reach_beyond_the_skin(void** state) {
    (void)state;
    const struct {
        double offset, patch, ball, high;
        bool good;
    } cases[] = {{0.45, 0.02, 0, 0, true},
                 {0.40, 0, 0.05, 0, true},
                 {0.47, 0, 0, 0.02, false},
                 {0.40, 0, 0.07, 0.02, false},
                 {0.45, 2, 0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        set_up(&x);
        hold(&x, frame(&x, 0, 0.95 + cases[i].high, DOWN, 0), 0.25);
        hf_motion_contact_frame* tip = &x.motion->limbs[0].frames[0];
        strcpy(tip->name, "own");
        tip->offset.x = cases[i].offset;
        tip->patch[0] = tip->patch[1] = cases[i].patch;
        tip->ball = cases[i].ball;
        judge(&x);
        assert_near(x.report.contact_error_max_m, 0, 1e-9);
        assert_int_equal(x.report.valid, cases[i].good);
        assert_int_equal(x.report.broken, cases[i].good ? 0 : HF_CLAIM_CONTACTS);
        tear_down(&x);
    }
}

/* A ball of 3 mm that jumps the skin of a slab in one step, and out again before the next frame. */
static void small_bodies_do_not_jump_into_solids(void** state) {
    (void)state;
    const char* path = write_file(
        "pebble.urdf",
        "<robot name='pebble'><link name='pebble'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.003'/>"
        "</geometry></collision></link></robot>");
    fixture x = {0};
    hf_error e;
    assert_int_equal(hf_creature_load(path, NULL, &x.creature, &e), HF_OK);
    float v[24];
    uint32_t f[36];
    slab(1, 1, 0, -0.0196f, v, f);
    hf_object_def plate = hf_object_def_default();
    plate.name = "plate";
    plate.mesh = (hf_mesh){8, 12, v, f};
    assert_int_equal(hf_scene_build(&plate, 1, &x.scene, &e), HF_OK);
    assert_int_equal(hf_motion_create(x.creature, x.scene, &x.motion), HF_OK);
    for (int i = 0; i < 2; i++) {
        hf_pose pose = {{{0, 0, 0.0049 - 0.0392 * i}, {1, 0, 0, 0}}, NULL};
        assert_non_null(hf_motion_add(x.motion, i, &pose));
    }
    judge(&x);
    assert_int_equal(x.report.collisions, 1);
    tear_down(&x);
}

/* Joints of several values have speeds too: 2 m/s and 2 rad/s here. */
static void floating_and_planar_joints_have_speeds(void** state) {
    (void)state;
#define MASS                                                                                                 \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"       \
    "<collision><geometry><sphere radius='0.05'/></geometry></collision>"
    const char* path = write_file(
        "drift.urdf",
        "<robot name='drift'><link name='base'>" MASS "</link><link name='sled'>" MASS
        "</link><link name='kite'>" MASS "</link>"
        "<joint name='plane' type='planar'><parent link='base'/><child link='sled'/><origin xyz='1 0 0'/>"
        "<axis xyz='0 0 1'/><limit velocity='2' effort='1'/></joint>"
        "<joint name='air' type='floating'><parent link='sled'/><child link='kite'/><origin xyz='0 0 1'/>"
        "<limit velocity='2' effort='1'/></joint></robot>");
    /* Each row is the change in a second: planar x y turn, floating x y z and turn about Z. */
    const struct {
        double change[7];
        int violations;
    } cases[] = {{{1.4, 1.4, 1.9, 1, 1, 1, 1.9}, 0},
                 {{1.5, 1.5, 0, 0, 0, 0, 0}, 1},
                 {{0, 0, 2.1, 0, 0, 0, 0}, 1},
                 {{0, 0, 0, 1.3, 1.3, 1.3, 0}, 1},
                 {{0, 0, 0, 0, 0, 0, 2.1}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        hf_error e;
        if (hf_creature_load(path, NULL, &x.creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
        assert_int_equal(hf_creature_get(x.creature)->q_count, 10);
        assert_int_equal(hf_motion_create(x.creature, NULL, &x.motion), HF_OK);
        for (int k = 0; k < 2; k++) {
            const double* c = cases[i].change;
            double q[10] = {k * c[0], k * c[1],          k * c[2], k * c[3], k * c[4],
                            k * c[5], cos(k * c[6] / 2), 0,        0,        sin(k * c[6] / 2)};
            hf_pose pose = {hf_transform_identity(), q};
            assert_non_null(hf_motion_add(x.motion, k, &pose));
        }
        judge(&x);
        assert_int_equal(x.report.speed_violations, cases[i].violations);
        tear_down(&x);
    }
}

static void touch(fixture* x, hf_motion_frame* f, const char* limb) {
    hf_hold c = {.limb = hf_creature_find_limb(x->creature, limb), .object = -1, .normal = {0, 0, 1}};
    assert_true(c.limb >= 0);
    assert_int_equal(hf_motion_add_contact(x->motion, f, &c), HF_OK);
}

/* The shipped human: stances change one limb at a time, and a leg excludes its knee. */
static void stances_change_one_limb_at_a_time(void** state) {
    (void)state;
    fixture x = {0};
    hf_error e;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &x.creature, &e),
                     HF_OK);
    assert_int_equal(hf_motion_create(x.creature, NULL, &x.motion), HF_OK);
    const hf_creature_view* c = hf_creature_get(x.creature);
    hf_pose rest = {{{0, 0, 1}, {1, 0, 0, 0}}, calloc((size_t)c->q_count, sizeof(double))};
    memcpy(rest.q, c->rest, sizeof(double) * (size_t)c->q_count);
    x.motion->claims &= ~(unsigned)HF_CLAIM_BALANCE; /* what the limbs that stay hold is judged elsewhere */
    const char* const stances[][3] = {{"left_leg"},
                                      {"left_leg", "right_leg"},  /* one made */
                                      {"left_arm"},               /* two released, one made */
                                      {"left_arm", "right_leg"},  /* one made */
                                      {"right_arm", "right_leg"}, /* one for another: two change */
                                      {"right_arm", "right_leg", "right_knee"}}; /* a leg with its knee */
    for (int i = 0; i < 6; i++) {
        hf_motion_frame* f = hf_motion_add(x.motion, i, &rest);
        f->stance = i % 2;
        for (int k = 0; k < 3 && stances[i][k]; k++) touch(&x, f, stances[i][k]);
    }
    judge(&x);
    assert_int_equal(x.report.stances, 3);
    int at[6] = {0}, found = 0;
    for (int i = 0; i < x.report.problem_count; i++)
        if (x.report.problems[i].claim == HF_CLAIM_ONE_LIMB) at[x.report.problems[i].frame]++, found++;
    assert_int_equal(found, 3);
    assert_int_equal(x.report.stance_violations, 3);
    assert_true(at[2] == 1 && at[4] == 1 && at[5] == 1);
    free(rest.q);
    tear_down(&x);
}

/* The report's own reading of regions against the library's, and a mimic joint that does not follow. */
static void regions_agree_with_the_library(void** state) {
    (void)state;
    hf_creature* creature;
    hf_error e;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &creature, &e),
                     HF_OK);
    const hf_creature_view* c = hf_creature_get(creature);
    double* q = calloc((size_t)c->q_count, sizeof *q);
    int inside = 0, outside = 0;
    for (int i = 0; i < 3000; i++) {
        hf_random r = hf_random_start(4, 0, (uint64_t)i);
        for (int j = 0; j < c->joint_count; j++)
            if (c->joints[j].q_count == 1)
                q[c->joints[j].q_index] = hf_random_between(&r, c->joints[j].lower, c->joints[j].upper);
        for (int k = 0; k < c->rom_count; k++) {
            double residual = hf_rom_residual(creature, k, q);
            if (fabs(residual) < 2e-4) continue;
            assert_int_equal(check_rom_holds(c, &c->roms[k], q, 1e-4), residual > 0);
            residual > 0 ? inside++ : outside++;
        }
    }
    assert_true(c->rom_count > 0 && inside > 300 && outside > 300);
    free(q);
    hf_creature_free(creature);
}

/* A swing polygon over joints with a turned fixed joint between them, and a twist interval around pi. */
static void swings_agree_with_the_library(void** state) {
    (void)state;
#define JOINT(name, type, parent, child, rest)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" rest       \
    "<limit lower='-3' upper='3' velocity='2' effort='1'/></joint>"
    write_file("swing.urdf",
               "<robot name='swing'><link name='a'>" MASS "</link><link name='b'>" MASS
               "</link><link name='c'>" MASS "</link><link name='d'>" MASS "</link><link name='e'>" MASS
               "</link><link name='f'>" MASS "</link>" JOINT("x", "revolute", "a", "b", "<axis xyz='1 0 0'/>")
                   JOINT("bend", "fixed", "b", "c", "<origin xyz='0 0 0.1' rpy='0.3 0.9 -0.4'/>")
                       JOINT("y", "revolute", "c", "d", "<axis xyz='0 1 0'/>")
                           JOINT("z", "revolute", "d", "e", "<axis xyz='0 0 1'/>")
                               JOINT("end", "revolute", "e", "f",
                                     "<origin xyz='0 0 0.4'/><axis xyz='1 0 0'/>") "</robot>");
    write_file("swing.rom.json",
               "{ \"swing_polygon\": [[1,0,0.2],[0,1,0.2],[-1,0,0.2],[0,-1,0.2]], \"twist\": [2, 4] }");
    const char* path =
        write_file("swing.creature.json",
                   "{ \"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"swing.urdf\","
                   " \"rom\": [ { \"joints\": [\"x\", \"y\", \"z\"], \"region\": \"swing.rom.json\" } ] }");
    hf_creature* creature;
    hf_error e;
    if (hf_creature_load(path, NULL, &creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    const hf_creature_view* c = hf_creature_get(creature);
    int inside = 0, outside = 0;
    for (int i = 0; i < 4000; i++) {
        hf_random r = hf_random_start(5, 0, (uint64_t)i);
        double q[4];
        for (int k = 0; k < 4; k++) q[k] = hf_random_between(&r, -3, 3);
        double residual = hf_rom_residual(creature, 0, q);
        if (fabs(residual) < 2e-4) continue;
        assert_int_equal(check_rom_holds(c, &c->roms[0], q, 1e-4), residual > 0);
        residual > 0 ? inside++ : outside++;
    }
    assert_true(inside > 300 && outside > 300);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_judged_is_refused),
        cmocka_unit_test(a_contact_needs_an_object_that_allows_it),
        cmocka_unit_test(normals_must_be_the_surfaces),
        cmocka_unit_test(the_back_does_not_touch),
        cmocka_unit_test(grips_need_a_hand_and_a_hold),
        cmocka_unit_test(a_grip_that_comes_and_goes_still_slips),
        cmocka_unit_test(patches_hold_their_orientation_while_flat),
        cmocka_unit_test(balls_hold_their_centre),
        cmocka_unit_test(contacts_hold_between_frames),
        cmocka_unit_test(slip_is_measured_on_the_moving_object),
        cmocka_unit_test(keys_between_frames_are_followed),
        cmocka_unit_test(only_movable_objects_move),
        cmocka_unit_test(contact_frames_are_on_their_effector),
        cmocka_unit_test(own_contact_frames_do_not_reach_beyond_the_skin),
        cmocka_unit_test(small_bodies_do_not_jump_into_solids),
        cmocka_unit_test(floating_and_planar_joints_have_speeds),
        cmocka_unit_test(stances_change_one_limb_at_a_time),
        cmocka_unit_test(swings_agree_with_the_library),
        cmocka_unit_test(regions_agree_with_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
