/* Motions that once passed the check and are not valid, each beside one that is. */
#include "check/tolerance.h"
#include "test.h"
#define CRANE_FILE "trust-crane"
#include "crane_fixture.h"

#include <stdlib.h>

static const double DOWN = 1.5707963267948966, TURN = 6.283185307179586;

static bool says(const fixture* x, const char* text) {
    for (int i = 0; i < x->report.problem_count; i++)
        if (strstr(x->report.problems[i].what, text)) return true;
    return false;
}

/* A scene of one object; the fixture's own is dropped. */
static void set_scene(fixture* x, hf_object_def object, const char* name, hf_mesh mesh) {
    object.name = name;
    object.mesh = mesh;
    hf_scene_free(x->scene);
    assert_int_equal(hf_scene_build(&object, 1, &x->scene, NULL), HF_OK);
}

/* ---- 1: nothing to judge by ---- */

static void a_claim_without_a_scene_is_not_valid(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    hf_motion_frame* f = frame(&x, 0, -5, DOWN, 0); /* five metres under the floor */
    hold(&x, f, 0.25);
    hf_scene* floor = x.scene;
    x.scene = NULL;
    judge(&x);
    assert_false(x.report.valid);
    assert_int_equal(x.report.unjudged, HF_CLAIM_COLLISION | HF_CLAIM_CONTACTS | HF_CLAIM_BALANCE |
                                            HF_CLAIM_ONE_LIMB | HF_CLAIM_DYNAMIC);
    assert_true(says(&x, "cannot be judged: collision, contacts, one-limb (there is no scene)"));
    /* One claim that cannot be judged is enough; those of the creature alone can be. */
    x.motion->claims = HF_CLAIM_LIMITS | HF_CLAIM_COLLISION;
    judge(&x);
    assert_false(x.report.valid);
    x.motion->claims = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_SPEED;
    judge(&x);
    assert_true(x.report.valid);
    /* Without contacts there is nothing about them that a scene could say. */
    f = &x.motion->frames[0];
    f->contact_count = 0;
    x.motion->claims |= HF_CLAIM_CONTACTS | HF_CLAIM_ONE_LIMB;
    judge(&x);
    assert_true(x.report.valid);
    f->contact_count = 1;
    x.scene = floor;
    judge(&x);
    assert_false(x.report.valid);
    assert_int_equal(x.report.unjudged, 0);
    tear_down(&x);
}

static void a_motion_without_a_creature_is_not_valid(void** state) {
    (void)state;
    fixture x = {0};
    set_up(&x);
    frame(&x, 0, 1.5, 0, 0);
    for (int claims = 0; claims < 2; claims++) {
        hf_check_report r;
        hf_error e;
        x.motion->claims = claims ? HF_CLAIM_LIMITS : 0;
        assert_int_equal(hf_check_motion(x.motion, NULL, x.scene, 1, NULL, NULL, &r, &e), HF_OK);
        assert_int_equal(r.valid, !claims); /* who claims nothing says nothing untrue */
        assert_int_equal(r.unjudged, HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
        hf_check_report_free(&r);
    }
    tear_down(&x);
}

/* ---- 2: contacts that go over ---- */

/* A crane with two contact frames at its tip, 1 cm beside each other. */
static void set_up_two(fixture* x, const char* patch) {
    char tip[300];
    snprintf(tip, sizeof tip,
             CRANE_TIP "%s }, { \"name\": \"toe\", \"offset\": [0.45, 0.01, 0], \"normal\": [1, 0, 0]%s",
             patch, patch);
    static char json[1200];
    snprintf(json, sizeof json, creature_json, tip, "false");
    /* The list of two needs its brackets. */
    char *open = strstr(json, "\"contact\": {"), *shut = strstr(json, "}, \"grip\"");
    assert_true(open && shut);
    char text[1300];
    snprintf(text, sizeof text, "%.*s\"contact\": [{%.*s}]%s", (int)(open - json), json,
             (int)(shut - open - 12), open + 12, shut + 1);
    set_up(x);
    const char* path = write_file(CRANE_FILE ".creature.json", text);
    hf_creature_free(x->creature);
    hf_motion_free(x->motion);
    hf_error e;
    if (hf_creature_load(path, NULL, &x->creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    assert_int_equal(hf_motion_create(x->creature, x->scene, &x->motion), HF_OK);
    x->motion->claims = HF_CLAIM_ALL & ~(unsigned)HF_CLAIM_BALANCE;
}

typedef enum going_over { BY_NAME, BY_FRAME, BY_BOTH } going_over;

/* The tip on the floor in every frame, `way` further along X in each. */
static void slide(fixture* x, going_over how, int frames, double way) {
    for (int i = 0; i < frames; i++) {
        hf_motion_frame* f = frame(x, i * 0.1, 0.95, DOWN, 0);
        f->root.position.x = way * i;
        bool odd = i % 2;
        hf_hold c = {.frame = how != BY_NAME && odd,
                     .object = how != BY_FRAME && odd ? -1 : 0,
                     .point = {0.25 + way * i, how != BY_NAME && odd ? 0.01 : 0, 0},
                     .normal = {0, 0, 1}};
        assert_int_equal(hf_motion_add_contact(x->motion, f, &c), HF_OK);
    }
}

/* 20 cm in a hundred frames, and so little in each that no two of them differ by over the tolerance. */
static void a_foot_that_goes_over_does_not_slide(void** state) {
    (void)state;
    const double ways[] = {0, 0.002, 0.9 * CHECK_HOLD_M, 0.009 * CHECK_HOLD_M};
    for (int how = BY_NAME; how <= BY_BOTH; how++)
        for (int w = 0; w < 4; w++) {
            fixture x = {0};
            set_up_two(&x, "");
            slide(&x, (going_over)how, 100, ways[w]);
            judge(&x);
            bool slides = 99 * ways[w] > CHECK_HOLD_M;
            assert_int_equal(x.report.valid, !slides);
            assert_int_equal(x.report.broken, slides ? HF_CLAIM_CONTACTS : 0);
            assert_near(x.report.slip_max_m, 99 * ways[w], 1e-9);
            tear_down(&x);
        }
}

/* Patches keep their orientation, too, though they go over: the crane turns about the tip, and the toe with
 * it. */
static void a_patch_that_goes_over_does_not_turn(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        set_up_two(&x, ", \"patch\": [0.02, 0.02]");
        /* 0.9 degrees each way stay within 1 degree of where they began, 0.9 degrees more each time do not.
           The toe is 1 cm from the axis: it moves by 0.16 mm. */
        for (int i = 0; i < 4; i++) {
            double angle = fault ? 0.0157 * i : 0.0157 * (i % 2);
            hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), angle);
            hf_motion_frame* f = frame(&x, i, 0.95, DOWN, 0);
            f->root.rotation = turn;
            f->root.position = hf_sub(hf_v3(0.25, 0, 0.95), hf_rotate(turn, hf_v3(0.25, 0, 0)));
            hf_hold c = {.frame = i % 2, .object = 0, .point = {0.25, 0, 0}, .normal = {0, 0, 1}};
            if (i % 2) c.point = hf_add(c.point, hf_rotate(turn, hf_v3(0, 0.01, 0)));
            assert_int_equal(hf_motion_add_contact(x.motion, f, &c), HF_OK);
        }
        judge(&x);
        assert_true(x.report.slip_max_m < CHECK_HOLD_M);
        assert_int_equal(x.report.valid, !fault);
        tear_down(&x);
    }
}

/* Who goes over to an object that moves may come to it on the one that stands, and must go with it from then
 * on. */
static void going_over_to_a_moving_object(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        set_up(&x);
        hf_object_def both[2] = {hf_object_def_default(), hf_object_def_default()};
        const hf_key keys[2] = {{0, hf_transform_identity()}, {1, {{0.5, 0, 0}, {1, 0, 0, 0}}}};
        float v[24];
        uint32_t t[36];
        slab(5, 5, 0, -0.5f, v, t);
        both[0].name = "floor", both[1].name = "belt";
        both[0].mesh = both[1].mesh = (hf_mesh){8, 12, v, t};
        both[1].key_count = 2, both[1].keys = keys;
        hf_scene_free(x.scene);
        assert_int_equal(hf_scene_build(both, 2, &x.scene, NULL), HF_OK);
        assert_int_equal(hf_motion_object_index(x.motion, "belt"), 1);
        /* On the floor until 0.4 s; the belt, level with it, carries the tip from then on. */
        for (int i = 0; i < 10; i++) {
            double along = i < 5 || fault ? 0 : 0.05 * (i - 4);
            hf_motion_frame* f = frame(&x, i * 0.1, 0.95, DOWN, 0);
            f->root.position.x = along;
            hf_hold c = {.object = i >= 4, .point = {0.25 + along, 0, 0}, .normal = {0, 0, 1}};
            assert_int_equal(hf_motion_add_contact(x.motion, f, &c), HF_OK);
        }
        judge(&x);
        assert_int_equal(x.report.valid, !fault);
        assert_near(x.report.slip_max_m, fault ? 0.25 : 0, 1e-9);
        tear_down(&x);
    }
}

/* Beside a crease of five degrees a contact may state the normal of either side and all between them, and
   nothing else. */
static void a_normal_beside_a_crease(void** state) {
    (void)state;
    const double slope = 0.0873, beyond = 0.0262; /* 5 and 1.5 degrees */
    float rise = (float)(2 * tan(slope));
    float v[18] = {-2, -2, 0, -2, 2, 0, 0.25f, -2, 0, 0.25f, 2, 0, 2.25f, -2, rise, 2.25f, 2, rise};
    uint32_t t[12] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5};
    const double wrong = HF_CLAIM_CONTACTS;
    const struct {
        double along, aside, broken;
    } cases[] = {{0, 0, 0},
                 {slope, 0, 0},
                 {slope / 2, 0, 0},
                 {-beyond, 0, wrong},
                 {slope + beyond, 0, wrong},
                 {slope / 2, beyond, wrong}};
    for (int i = 0; i < 6; i++) {
        fixture x = {0};
        set_up(&x);
        set_scene(&x, hf_object_def_default(), "floor", (hf_mesh){6, 4, v, t});
        hf_motion_frame* f = frame(&x, 0, 0.95, DOWN, 0);
        f->root.position.x = 0.0003;
        hf_hold c = {.point = {0.2503, 0, 0.0003 * tan(slope)},
                     .normal = {-sin(cases[i].along) * cos(cases[i].aside), sin(cases[i].aside),
                                cos(cases[i].along) * cos(cases[i].aside)}};
        assert_int_equal(hf_motion_add_contact(x.motion, f, &c), HF_OK);
        judge(&x);
        assert_int_equal(x.report.broken, (int)cases[i].broken);
        tear_down(&x);
    }
}

/* The rim of a plate of 1 mm, turned any way: normals of both faces and of the rim are there, and all of them
   lie in one plane. What points along the rim is none of their sums. */
static void a_normal_along_a_rim(void** state) {
    (void)state;
    for (int i = 0; i < 40; i++) {
        fixture x = {0};
        set_up(&x);
        float v[24];
        uint32_t faces[36], t[36];
        slab(0.5f, 0.5f, 0.0005f, -0.0005f, v, faces);
        // the rim between the faces: rounding differs with the order
        memcpy(t, faces + 6, sizeof t - 6 * sizeof *t);
        memcpy(t + 30, faces, 6 * sizeof *t);
        hf_quat turn = hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), 0.37 * i),
                                   hf_quat_axis_angle(hf_v3(0, 1, 0), 0.11 * i));
        hf_object_def plate = hf_object_def_default();
        plate.start.rotation = turn;
        set_scene(&x, plate, "floor", (hf_mesh){8, 12, v, t});
        hf_motion_frame* f = frame(&x, 0, 0, 0, 0);
        hf_vec3 rim = hf_rotate(turn, hf_v3(0.5, 0, 0));
        for (int along = 0; along < 2; along++) {
            f->contact_count = 0;
            hf_hold c = {.point = rim, .normal = hf_rotate(turn, along ? hf_v3(0, 1, 0) : hf_v3(1, 0, 0))};
            assert_int_equal(hf_motion_add_contact(x.motion, f, &c), HF_OK);
            judge(&x);
            assert_int_equal(says(&x, "a normal that no surface has there"), along);
        }
        tear_down(&x);
    }
}

/* ---- 3: keyed objects ---- */

static void a_keyed_object_goes_by_its_keys(void** state) {
    (void)state;
    for (int movable = 0; movable < 2; movable++) {
        fixture x = {0};
        hf_object_def lift = hf_object_def_default();
        const hf_key keys[2] = {{0, hf_transform_identity()}, {10, {{0, 0, 3}, {1, 0, 0, 0}}}};
        lift.key_count = 2, lift.keys = keys, lift.movable = movable;
        set_up_with(&x, CRANE_TIP, false, lift);
        for (int i = 0; i <= 10; i++) frame(&x, i, 1.5, 0, 0);
        hf_transform start = hf_transform_identity();
        assert_int_equal(hf_motion_add_object(x.motion, &x.motion->frames[0], 0, start), HF_OK);
        judge(&x);
        /* A movable one stands where it was named; the other rises through the crane. */
        assert_int_equal(x.report.valid, movable);
        assert_int_equal(x.report.collisions > 0, !movable);
        assert_int_equal(x.report.broken, movable ? 0 : HF_CLAIM_COLLISION);
        tear_down(&x);
    }
}

/* Keys are what the object may be named by. */
static void a_keyed_object_is_named_where_it_is(void** state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        fixture x = {0};
        hf_object_def lift = hf_object_def_default();
        const hf_key keys[2] = {{0, hf_transform_identity()}, {10, {{0, 0, 1}, {1, 0, 0, 0}}}};
        lift.key_count = 2, lift.keys = keys;
        set_up_with(&x, CRANE_TIP, false, lift);
        for (int i = 0; i <= 10; i++) {
            hf_motion_frame* f = frame(&x, i, 1.5, 0, 0);
            hf_transform pose = {{0, 0, fault ? 0 : 0.1 * i}, {1, 0, 0, 0}};
            assert_int_equal(hf_motion_add_object(x.motion, f, 0, pose), HF_OK);
        }
        judge(&x);
        assert_int_equal(x.report.valid, !fault);
        assert_int_equal(x.report.collisions, 0);
        assert_int_equal(says(&x, "is moved but is not movable"), fault);
        tear_down(&x);
    }
}

/* ---- 4: thin bodies ---- */

/* A creature of one body. */
static void set_up_body(fixture* x, const char* geometry) {
    char text[900];
    snprintf(
        text, sizeof text,
        "<robot name='thin'><link name='thin'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
        "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>%s</geometry></collision></link></robot>",
        geometry);
    const char* path = write_file(CRANE_FILE "-thin.urdf", text);
    hf_error e;
    if (hf_creature_load(path, NULL, &x->creature, &e) != HF_OK) fail_msg("%s: %s", e.field, e.message);
    static float wall[12] = {0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1};
    static uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
    set_scene(x, hf_object_def_default(), "wall", (hf_mesh){4, 2, wall, halves});
    assert_int_equal(hf_motion_create(x->creature, x->scene, &x->motion), HF_OK);
    x->motion->claims = HF_CLAIM_COLLISION;
}

static void add_root(fixture* x, double t, hf_vec3 at) {
    hf_pose pose = {{at, {1, 0, 0, 0}}, NULL};
    assert_non_null(hf_motion_add(x->motion, t, &pose));
}

static const struct {
    const char* geometry;
    double thickness, half; /* along X */
} thin_bodies[] = {{"<sphere radius='0.0009'/>", 0.0018, 0.0009},
                   {"<sphere radius='0.00005'/>", 0.0001, 0.00005},
                   {"<box size='0.0015 0.2 0.2'/>", 0.0015, 0.00075},
                   {"<box size='0.2 0.2 0.0015'/>", 0.0015, 0.1},
                   {"<box size='0.0003 0.2 0.2'/>", 0.0003, 0.00015},
                   {"<capsule radius='0.0008' length='0.1'/>", 0.0016, 0.0008},
                   {"<sphere radius='0.05'/>", 0.1, 0.05}};
enum { THIN_BODIES = sizeof thin_bodies / sizeof *thin_bodies };

/* Through an open wall: in one step, and in many with a frame in each. */
static void thin_bodies_do_not_pass_walls(void** state) {
    (void)state;
    for (int b = 0; b < THIN_BODIES; b++)
        for (int frames = 2; frames < 60; frames += 19) {
            fixture x = {0};
            set_up_body(&x, thin_bodies[b].geometry);
            for (int i = 0; i < frames; i++)
                add_root(&x, i, hf_v3(-0.21 + 0.42 * i / (frames - 1), 0.013, 0.017));
            judge(&x);
            assert_false(x.report.valid);
            assert_int_equal(x.report.unjudged_ways, 0);
            assert_true(x.report.collisions > 0);
            tear_down(&x);
        }
}

/* The tolerance is 1 mm, or a tenth of the least thickness. */
static void the_tolerance_is_a_share_of_the_thickness(void** state) {
    (void)state;
    for (int b = 0; b < THIN_BODIES; b++)
        for (int deeper = 0; deeper < 2; deeper++) {
            fixture x = {0};
            set_up_body(&x, thin_bodies[b].geometry);
            double allowed = fmin(CHECK_DEPTH_M, thin_bodies[b].thickness / 10);
            double depth = allowed + (deeper ? 4e-6 : -4e-6); /* surfaces count with a micrometre */
            add_root(&x, 0, hf_v3(depth - thin_bodies[b].half, 0.013, 0.017));
            judge(&x);
            assert_int_equal(x.report.valid, !deeper);
            tear_down(&x);
        }
}

/* ---- 5: long ways ---- */

static void what_turns_too_often_cannot_be_judged(void** state) {
    (void)state;
    const struct {
        double turns;
        bool collides, judged;
    } cases[] = {{0, false, true}, {1, true, true}, {4, true, true}, {10000, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        set_up(&x);
        /* The arm reaches 0.95 m down to the floor, from 0.7 m. */
        frame(&x, 0, 0.7, 0, 0);
        frame(&x, 1, 0.7, TURN * cases[i].turns, 0);
        x.motion->claims = HF_CLAIM_COLLISION;
        judge(&x);
        assert_int_equal(x.report.valid, !cases[i].collides);
        assert_int_equal(x.report.unjudged_ways, !cases[i].judged);
        assert_int_equal(says(&x, "cannot be judged between this frame and the next"), !cases[i].judged);
        if (cases[i].judged) assert_int_equal(x.report.collisions, cases[i].collides);
        tear_down(&x);
    }
}

/* The tip is where it was in both frames, and goes round in between: as often as it was looked at, and more.
 */
static void a_contact_does_not_go_round_between_frames(void** state) {
    (void)state;
    for (int turns = 0; turns <= 8000; turns = turns ? 10 * turns : 8) {
        fixture x = {0};
        set_up(&x);
        hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
        hold(&x, frame(&x, 1, 0.95, DOWN, TURN * turns), 0.25);
        x.motion->claims = HF_CLAIM_CONTACTS;
        judge(&x);
        assert_int_equal(x.report.valid, turns == 0);
        assert_int_equal(says(&x, "cannot be judged before the next frame"), turns > 15);
        tear_down(&x);
    }
}

static void a_way_of_500_km_cannot_be_judged(void** state) {
    (void)state;
    for (int far = 0; far < 3; far++) {
        const double way[3] = {0.2, 50, 250000};
        fixture x = {0};
        set_up_body(&x, "<sphere radius='0.05'/>");
        for (int i = 0; i < 2; i++) add_root(&x, i, hf_v3((far ? 0 : 1) + (i ? way[far] : -way[far]), 0, 0));
        judge(&x);
        assert_int_equal(x.report.valid, far == 0);
        assert_int_equal(x.report.collisions, far == 1);
        assert_int_equal(x.report.unjudged_ways, far == 2);
        tear_down(&x);
    }
}

/* ---- 6: triangles without area ---- */

static void what_has_no_area_carries_nothing(void** state) {
    (void)state;
    /* Lines across the place where the tip touches: of three points, and so thin that it makes no difference.
     */
    float lines[27] = {-1, 0,     0, 0, 0,  0, 1, 0, 0, 0.25f, -1, 0,     0.25f, 1,
                       0,  0.25f, 1, 0, -1, 0, 0, 1, 0, 0,     0,  2e-8f, 0};
    uint32_t three[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int carried = 0; carried < 2; carried++) {
        fixture x = {0};
        set_up(&x);
        if (!carried) set_scene(&x, hf_object_def_default(), "floor", (hf_mesh){9, 3, lines, three});
        hold(&x, frame(&x, 0, 0.95, DOWN, 0), 0.25);
        for (int named = 0; named < 2; named++) {
            x.motion->frames[0].contacts[0].object = named - 1;
            judge(&x);
            assert_int_equal(x.report.valid, carried);
            assert_int_equal(x.report.ignored_triangles, carried ? 0 : 3);
            if (!carried) assert_true(says(&x, "touches nothing"));
        }
        tear_down(&x);
    }
}

/* ---- 7: what the motion says of itself ---- */

static void judge_goal(fixture* x, hf_scenario* s) {
    hf_error e;
    hf_check_report_free(&x->report);
    s->scene = x->scene;
    s->creature = x->creature;
    assert_int_equal(hf_check_scenario(x->motion, x->creature, s, 1, NULL, NULL, &x->report, &e), HF_OK);
}

static void found_means_at_the_goal(void** state) {
    (void)state;
    double goal_q[2] = {0.2, 0.3};
    const struct {
        hf_vec3 at;
        double turn, shoulder;
        bool whole, touches;
        int missed;
        const char* what;
    } cases[] = {{{0, 0, 1.5}, 0, 0.2, true, true, 0, ""},
                 {{0.049, 0, 1.5}, 0.099, 0.299, true, true, 0, ""},
                 {{0.051, 0, 1.5}, 0, 0.2, false, true, 1, "its root ends 51.0 mm"},
                 {{0, 0, 1.5}, 0.101, 0.2, false, true, 1, "its root ends turned 0.101 rad"},
                 {{0, 0, 1.5}, 0, 0.302, false, false, 0, ""},
                 {{0, 0, 1.5}, 0, 0.302, true, true, 1, "its joint \"shoulder\" ends 0.102"},
                 {{0, 0, 1.5}, 0, 0.2, true, false, 1, "its limb \"arm\" ends without contact"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture x = {0};
        set_up(&x);
        hf_motion_frame* f = frame(&x, 0, 1.5, cases[i].shoulder, 0.3);
        f->root.position = cases[i].at;
        f->root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), cases[i].turn);
        if (cases[i].touches) hold(&x, f, 0.25);
        x.motion->claims = 0;
        hf_hold touch = {.frame = -1, .object = -1};
        hf_scenario s = {.goal = {.pose = {{{0, 0, 1.5}, {1, 0, 0, 0}}, goal_q},
                                  .whole = cases[i].whole,
                                  .contact_count = 1,
                                  .contacts = &touch}};
        judge_goal(&x, &s);
        assert_int_equal(x.report.goal_violations, cases[i].missed);
        assert_int_equal(x.report.valid, !cases[i].missed);
        assert_true(!cases[i].missed || says(&x, cases[i].what));
        /* A plan that says it is partial may end anywhere, and so may one of a scenario that allows it. */
        strcpy(x.motion->outcome, "none");
        judge_goal(&x, &s);
        assert_true(x.report.valid);
        strcpy(x.motion->outcome, "found");
        hf_scenario_option wide[2] = {{"plan", (char*)"goal_tolerance_m", 0.2},
                                      {"plan", (char*)"goal_tolerance_rad", 0.2}};
        s.option_count = 2, s.options = wide;
        judge_goal(&x, &s);
        assert_int_equal(x.report.valid, cases[i].touches || !cases[i].whole);
        tear_down(&x);
    }
}

/* The crane stands on its tip, a point: it has no margin. */
static void a_stated_balance_is_there(void** state) {
    (void)state;
    const double stated[4] = {NAN, -0.2, 0.0009, 0.0011};
    for (int i = 0; i < 4; i++) {
        fixture x = {0};
        set_up(&x);
        hf_motion_frame* f = frame(&x, 0, 0.95, DOWN, 0);
        hold(&x, f, 0.25);
        f->balance = stated[i];
        judge(&x);
        assert_true(x.report.valid); /* nobody claims it */
        assert_int_equal(x.report.balance_violations, i == 3);
        assert_near(x.report.balance_error_max_m, fmax(0, isnan(stated[i]) ? 0 : stated[i]), 1e-9);
        tear_down(&x);
    }
}

/* Named a hair away from where it was in the frame before, a static object would creep off in time. */
static void static_objects_stay_where_they_begin(void** state) {
    (void)state;
    const double first[3] = {0, 2e-6, 0}, step[3] = {0, 0, 9e-7};
    for (int i = 0; i < 3; i++) {
        fixture x = {0};
        set_up(&x);
        for (int k = 0; k < 5; k++) {
            hf_motion_frame* f = frame(&x, k, 1.5, 0, 0);
            hf_transform pose = {{first[i] + step[i] * k, 0, 0}, {1, 0, 0, 0}};
            assert_int_equal(hf_motion_add_object(x.motion, f, 0, pose), HF_OK);
        }
        judge(&x);
        assert_int_equal(x.report.valid, i == 0);
        tear_down(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_without_a_scene_is_not_valid),
        cmocka_unit_test(a_motion_without_a_creature_is_not_valid),
        cmocka_unit_test(a_foot_that_goes_over_does_not_slide),
        cmocka_unit_test(a_patch_that_goes_over_does_not_turn),
        cmocka_unit_test(going_over_to_a_moving_object),
        cmocka_unit_test(a_normal_beside_a_crease),
        cmocka_unit_test(a_normal_along_a_rim),
        cmocka_unit_test(a_keyed_object_goes_by_its_keys),
        cmocka_unit_test(a_keyed_object_is_named_where_it_is),
        cmocka_unit_test(thin_bodies_do_not_pass_walls),
        cmocka_unit_test(the_tolerance_is_a_share_of_the_thickness),
        cmocka_unit_test(what_turns_too_often_cannot_be_judged),
        cmocka_unit_test(a_contact_does_not_go_round_between_frames),
        cmocka_unit_test(a_way_of_500_km_cannot_be_judged),
        cmocka_unit_test(what_has_no_area_carries_nothing),
        cmocka_unit_test(found_means_at_the_goal),
        cmocka_unit_test(a_stated_balance_is_there),
        cmocka_unit_test(static_objects_stay_where_they_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
