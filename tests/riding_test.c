/* What lies on an object, or in a drawer, goes along when that is moved. */
#include "reach_fixture.h"

#include "model/object_shape.h"

#include <stdlib.h>

#define DATA HF_SOURCE_DIR "/data/"
#define URDF_PATH HF_BUILD_DIR "/riding.urdf"
#define SCENARIO_PATH HF_BUILD_DIR "/riding.scenario.json"

/* ---- what rests on what ---- */

enum { TABLE, TRAY, BOOK, CUP, LAMP, PLANK, BLOCK, HUNG, COUNT };

typedef struct thing {
    const char* name;
    bool movable;
    hf_vec3 size, middle;
} thing;

/* A tray on a table with a book and a cup on that; a plank that lies on the tray and on a block of the same
   height; a lamp beside the tray, and something that hangs 5 mm over it. */
static const thing things[COUNT] = {{"table", false, {2, 2, 0.1}, {0, 0, -0.05}},
                                    {"tray", true, {0.5, 0.4, 0.02}, {0, 0, 0.01}},
                                    {"book", true, {0.2, 0.2, 0.04}, {0.1, 0, 0.04}},
                                    {"cup", true, {0.08, 0.08, 0.1}, {0.1, 0, 0.11}},
                                    {"lamp", true, {0.1, 0.1, 0.4}, {0.3, 0, 0.2}},
                                    {"plank", true, {0.3, 0.1, 0.01}, {-0.3, 0.1, 0.025}},
                                    {"block", false, {0.1, 0.1, 0.02}, {-0.4, 0.1, 0.01}},
                                    {"hung", true, {0.1, 0.1, 0.1}, {-0.1, -0.1, 0.075}}};

static hf_scene* build_things(void) {
    hf_object_def defs[COUNT];
    hf_scene* scene = NULL;
    for (int i = 0; i < COUNT; i++) {
        hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = hf_scale(things[i].size, 0.5)};
        defs[i] = hf_object_def_default();
        defs[i].name = things[i].name;
        defs[i].movable = things[i].movable;
        defs[i].start.position = things[i].middle;
        assert_int_equal(hf_shape_mesh(&box, 8, &defs[i].mesh), HF_OK);
    }
    assert_int_equal(hf_scene_build(defs, COUNT, &scene, NULL), HF_OK);
    for (int i = 0; i < COUNT; i++) hf_mesh_free(&defs[i].mesh);
    return scene;
}

static void test_rests(void** state) {
    (void)state;
    hf_scene* scene = build_things();
    hf_placement* p = NULL;
    assert_int_equal(hf_placement_create(scene, &p), HF_OK);
    hf_object_shape shapes[COUNT] = {0};
    bool rides[COUNT], held[COUNT] = {0};
    assert_int_equal(hf_object_riders(p, TRAY, held, shapes, rides, NULL), HF_OK);
    for (int i = 0; i < COUNT; i++) assert_int_equal(rides[i], i == BOOK || i == CUP);
    // a hand holds the cup: it stays in the hand
    held[CUP] = true;
    assert_int_equal(hf_object_riders(p, TRAY, held, shapes, rides, NULL), HF_OK);
    for (int i = 0; i < COUNT; i++) assert_int_equal(rides[i], i == BOOK);
    // nothing lies on the lamp, and the placement has all its objects still
    assert_int_equal(hf_object_riders(p, LAMP, NULL, shapes, rides, NULL), HF_OK);
    for (int i = 0; i < COUNT; i++) {
        hf_surface hit;
        assert_false(rides[i]);
        assert_true(hf_placement_closest(p, things[i].middle, 1, &hit));
        hf_vec3 inside = hf_add(things[i].middle, hf_scale(things[i].size, 0.45));
        int object = -1;
        assert_true(hf_placement_inside(p, inside, &object));
        assert_int_equal(object, i);
    }
    for (int i = 0; i < COUNT; i++) hf_object_shape_free(&shapes[i]);
    hf_placement_free(p);
    hf_scene_free(scene);
}

/* ---- a drawer ---- */

#define BOX(size, xyz)                                                                                       \
    "<collision><origin xyz=\"" xyz "\"/><geometry><box size=\"" size "\"/></geometry></collision>"

/* A drawer with a low front between two boards. */
static const char cabinet[] = "<robot name=\"cabinet\"><link name=\"body\">" BOX("0.36 0.5 0.02",
                                                                                 "0.22 0 0.26")
    BOX("0.36 0.5 0.02", "0.22 0 -0.03") "</link><link name=\"drawer\">" BOX(
        "0.36 0.44 0.015", "0.18 0 0.0075") BOX("0.015 0.44 0.04", "0.0075 0 0.02")
        BOX("0.015 0.44 0.04", "0.3525 0 0.02") "</link><link name=\"handle\">" BOX(
            "0.016 0.16 0.016",
            "0 0 0") "</link>"
                     "<joint name=\"rail\" type=\"prismatic\"><parent link=\"body\"/><child link=\"drawer\"/>"
                     "<axis xyz=\"-1 0 0\"/><limit lower=\"0\" upper=\"0.3\" effort=\"1\" "
                     "velocity=\"1\"/></joint>"
                     "<joint name=\"screws\" type=\"fixed\"><parent link=\"drawer\"/><child link=\"handle\"/>"
                     "<origin xyz=\"-0.06 0 0.02\"/></joint></robot>";

static hf_scenario* load_cabinet(void) {
    FILE* f = fopen(URDF_PATH, "w");
    assert_non_null(f);
    fputs(cabinet, f);
    fclose(f);
    f = fopen(SCENARIO_PATH, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"start\":{\"at\":[0,0]},"
            "\"creature\":\"%screatures/human.creature.json\",\"scene\":["
            "{\"name\":\"ground\",\"mesh\":\"%sscenes/ground.obj\"},"
            "{\"name\":\"cabinet\",\"urdf\":\"riding.urdf\",\"position\":[0.67,0,0.9]},",
            DATA, DATA);
    fprintf(
        f,
        "{\"name\":\"can\",\"mesh\":\"%sscenes/can.obj\",\"position\":[0.77,-0.05,0.973],"
        "\"movable\":true,\"mass_kg\":0.35}],\"actions\":["
        "{\"do\":\"open\",\"object\":\"cabinet.drawer\",\"by\":0.25},{\"do\":\"grasp\",\"object\":\"can\"},"
        "{\"do\":\"carry\",\"object\":\"can\",\"position\":[0.4,-0.25,1.2]},"
        "{\"do\":\"place\",\"object\":\"can\",\"position\":[0.52,-0.1,0.973]},"
        "{\"do\":\"release\"},{\"do\":\"close\",\"object\":\"cabinet.drawer\"}]}",
        DATA);
    fclose(f);
    hf_scenario* s = NULL;
    hf_error error = {0};
    hf_status status = hf_scenario_load(SCENARIO_PATH, NULL, &s, &error);
    if (status != HF_OK) fail_msg("%s: %s", error.field, error.message);
    remove(URDF_PATH);
    remove(SCENARIO_PATH);
    return s;
}

static bool is_valid(const hf_scenario* s, const hf_reach_result* r, int* collisions) {
    hf_check_report report = {0};
    assert_int_equal(hf_check_motion(r->motion, s->creature, s->scene, 0, NULL, NULL, &report, NULL), HF_OK);
    bool valid = report.valid;
    *collisions = report.collisions;
    hf_check_report_free(&report);
    return valid;
}

/* Where a frame names an object, NULL where it does not. */
static hf_transform* named(const hf_motion* m, int frame, const char* name) {
    for (int i = 0; i < m->frames[frame].object_count; i++)
        if (strcmp(m->objects[m->frames[frame].objects[i].object], name) == 0)
            return &m->frames[frame].objects[i].pose;
    return NULL;
}

/* In all frames in which the drawer moves the can is named and keeps its place in it. Returns the last frame
   from `from` on in which they go together. */
static int follow(const hf_motion* m, int from) {
    int f = from;
    while (f < m->frame_count && !named(m, f, "cabinet.drawer")) f++;
    assert_true(f < m->frame_count);
    hf_vec3 before = hf_unapply(*named(m, f, "cabinet.drawer"), named(m, f, "can")->position);
    for (; f < m->frame_count && named(m, f, "cabinet.drawer"); f++) {
        assert_non_null(named(m, f, "can"));
        hf_vec3 now = hf_unapply(*named(m, f, "cabinet.drawer"), named(m, f, "can")->position);
        if (hf_distance(now, before) > 1e-9) fail_msg("frame %d: off by %g m", f, hf_distance(now, before));
    }
    return f - 1;
}

/* The can comes out with the drawer, is taken out, put in elsewhere, and goes in with the drawer. */
static void test_drawer(void** state) {
    (void)state;
    hf_scenario* s = load_cabinet();
    reach_stand(s);
    hf_reach_result r = reach_found(s);
    int collisions;
    assert_true(is_valid(s, &r, &collisions));
    int opened = follow(r.motion, 0);
    assert_true(hf_distance(named(r.motion, opened, "can")->position, hf_v3(0.77 - 0.25, -0.05, 0.973)) <
                2e-3);
    int closed = follow(r.motion, opened + 1);
    assert_true(hf_distance(named(r.motion, closed, "can")->position, hf_v3(0.52 + 0.25, -0.1, 0.973)) <
                2e-3);
    // it was out of the drawer meanwhile
    bool out = false;
    for (int f = opened; f < closed; f++)
        out |= named(r.motion, f, "can") && named(r.motion, f, "can")->position.z > 1.15;
    assert_true(out);
    // the check sees what lies in the drawer: 5 mm lower it is in its bottom
    for (int f = 0; f <= opened; f++)
        if (named(r.motion, f, "can")) named(r.motion, f, "can")->position.z -= 0.005;
    assert_false(is_valid(s, &r, &collisions));
    assert_true(collisions > 0);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_drawer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
