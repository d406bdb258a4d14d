/* Objects of reach scenarios that are URDF files: what their links become, how they open, what is refused. */
#include "reach_fixture.h"

#include <stdlib.h>

#define DATA HF_SOURCE_DIR "/data/"
#define URDF_PATH HF_BUILD_DIR "/object.urdf"
#define SCENARIO_PATH HF_BUILD_DIR "/object.scenario.json"

static void write_text(const char* path, const char* text) {
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A scenario with the ground and one object, whose keys are given; the URDF is beside it. */
static hf_status load(const char* urdf, const char* object, const char* actions, hf_scenario** s,
                      hf_error* error) {
    FILE* f = fopen(SCENARIO_PATH, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"start\":{\"at\":[0,0]},"
            "\"creature\":\"%screatures/human.creature.json\",\"scene\":["
            "{\"name\":\"ground\",\"mesh\":\"%sscenes/ground.obj\"},{\"name\":\"it\",%s}],\"actions\":%s}",
            DATA, DATA, object, actions);
    fclose(f);
    write_text(URDF_PATH, urdf);
    hf_status status = hf_scenario_load(SCENARIO_PATH, NULL, s, error);
    remove(URDF_PATH);
    remove(SCENARIO_PATH);
    return status;
}

static void assert_valid(const hf_scenario* s, const hf_reach_result* r) {
    hf_check_report report = {0};
    assert_int_equal(hf_check_motion(r->motion, s->creature, s->scene, 0, NULL, NULL, &report, NULL), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
}

/* Where an object stands in the end: where it was named last. */
static hf_transform end_of(const hf_reach_result* r, const char* name) {
    for (int k = r->motion->frame_count - 1; k >= 0; k--) {
        const hf_motion_frame* f = &r->motion->frames[k];
        for (int i = 0; i < f->object_count; i++)
            if (strcmp(r->motion->objects[f->objects[i].object], name) == 0) return f->objects[i].pose;
    }
    fail_msg("%s was never named", name);
    return hf_transform_identity();
}

static void assert_point(hf_vec3 p, double x, double y, double z) {
    assert_float_equal(p.x, x, 1e-6);
    assert_float_equal(p.y, y, 1e-6);
    assert_float_equal(p.z, z, 1e-6);
}

/* ---- a door ---- */

#define LIMIT "<limit lower=\"0\" upper=\"1.2\" effort=\"1\" velocity=\"1\"/>"
#define BOX(size, xyz)                                                                                       \
    "<collision><origin xyz=\"" xyz "\"/><geometry><box size=\"" size "\"/></geometry></collision>"

/* A board with a door in front of it that is hung at its left edge, and a bar as handle on its right. The
   visual geometry of the board is larger, and nothing but a picture. */
static const char door[] = "<robot name=\"cupboard\"><link name=\"back\">" BOX(
    "0.02 0.6 0.6",
    "0.1 0 0") "<visual><geometry><box size=\"9 9 9\"/></geometry></visual></link>"
               "<link name=\"door\">" BOX(
                   "0.02 0.4 0.4",
                   "0 -0.2 0") "</link>"
                               "<link name=\"handle\">" BOX(
                                   "0.016 0.016 0.16",
                                   "0 0 0") "</link>"
                                            "<joint name=\"hinge\" type=\"revolute\"><parent "
                                            "link=\"back\"/><child link=\"door\"/>"
                                            "<origin xyz=\"0 0.2 0\"/><axis xyz=\"0 0 -2\"/>" LIMIT "</joint>"
                                            "<joint name=\"screws\" type=\"fixed\"><parent "
                                            "link=\"door\"/><child link=\"handle\"/>"
                                            "<origin xyz=\"-0.07 -0.35 0\"/></joint></robot>";

static void test_door(void** state) {
    (void)state;
    hf_scenario* s = NULL;
    hf_error error = {0};
    hf_status status = load(door, "\"urdf\":\"object.urdf\",\"position\":[0.5,-0.1,1.1],\"friction\":0.7",
                            "[{\"do\":\"open\",\"object\":\"it.door\",\"by\":0.5}]", &s, &error);
    if (status != HF_OK) fail_msg("%s: %s", error.field, error.message);
    assert_int_equal(hf_scene_object_count(s->scene), 3);
    hf_object_view still = hf_scene_object(s->scene, 1), moving = hf_scene_object(s->scene, 2);
    assert_string_equal(still.name, "it");
    assert_string_equal(moving.name, "it.door");
    assert_true(!still.movable && moving.movable);
    assert_float_equal(moving.friction, 0.7, 0);
    // one box of twelve triangles, and two
    assert_int_equal(still.mesh.triangle_count, 12);
    assert_int_equal(moving.mesh.triangle_count, 24);
    assert_point(still.start.position, 0.5, -0.1, 1.1);
    assert_point(moving.start.position, 0.5, 0.1, 1.1);
    const hf_reach_object* o = &s->reach_objects[2];
    assert_int_equal(s->reach_objects[1].joint, HF_OBJECT_FREE);
    assert_int_equal(o->joint, HF_OBJECT_HINGE);
    assert_point(o->axis, 0, 0, -1);
    assert_point(o->origin, 0, 0, 0);
    assert_true(o->range[0] == 0 && o->range[1] == 1.2);
    assert_true(o->has_handle);
    assert_point(o->handle, -0.07, -0.35, 0);
    reach_stand(s);
    hf_reach_result r = reach_found(s);
    assert_valid(s, &r);
    hf_transform end = end_of(&r, "it.door");
    // the hinge stays, and the door is turned half a radian about it
    assert_true(hf_distance(end.position, moving.start.position) < 2e-3);
    hf_quat turned = hf_quat_axis_angle(hf_v3(0, 0, -1), 0.5);
    assert_true(hf_quat_angle(end.rotation, turned) < 5e-3);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* ---- a drawer ---- */

/* The shipped drawer as a URDF of its two meshes is the same object, and opens as far. */
static void test_drawer(void** state) {
    (void)state;
    static const char drawer[] =
        "<robot name=\"dresser\"><link name=\"body\"><visual><geometry><mesh filename=\"" DATA
        "scenes/dresser.obj\"/></geometry></visual></link><link name=\"drawer\"><visual><geometry>"
        "<mesh filename=\"" DATA "scenes/drawer.obj\"/></geometry></visual></link><link name=\"handle\"/>"
        "<joint name=\"rail\" type=\"prismatic\"><parent link=\"body\"/><child link=\"drawer\"/>"
        "<origin xyz=\"-0.01 0 0.64\"/><axis xyz=\"-1 0 0\"/>"
        "<limit lower=\"0\" upper=\"0.25\" effort=\"1\" velocity=\"1\"/></joint>"
        "<joint name=\"glue\" type=\"fixed\"><parent link=\"drawer\"/><child link=\"handle\"/>"
        "<origin xyz=\"-0.06 0 0.09\"/></joint></robot>";
    hf_scenario *s = NULL, *shipped = NULL;
    hf_error error = {0};
    hf_status status = load(drawer, "\"urdf\":\"object.urdf\",\"position\":[0.68,0,0.15]",
                            "[{\"do\":\"open\",\"object\":\"it.drawer\",\"by\":0.18}]", &s, &error);
    if (status != HF_OK) fail_msg("%s: %s", error.field, error.message);
    assert_int_equal(hf_scenario_load(DATA "scenarios/drawer.scenario.json", NULL, &shipped, &error), HF_OK);
    hf_object_view a = hf_scene_object(s->scene, 2), b = hf_scene_object(shipped->scene, 2);
    assert_point(a.start.position, b.start.position.x, b.start.position.y, b.start.position.z);
    assert_int_equal(a.mesh.triangle_count, b.mesh.triangle_count);
    assert_int_equal(s->reach_objects[2].joint, shipped->reach_objects[2].joint);
    hf_vec3 handle = shipped->reach_objects[2].handle;
    assert_point(s->reach_objects[2].handle, handle.x, handle.y, handle.z);
    reach_stand(s);
    hf_reach_result r = reach_found(s);
    assert_valid(s, &r);
    hf_vec3 end = end_of(&r, "it.drawer").position;
    assert_true(hf_distance(end, hf_v3(0.67 - 0.18, 0, 0.79)) < 2e-3);
    hf_reach_result_free(&r);
    hf_scenario_free(shipped);
    hf_scenario_free(s);
}

/* ---- refusals ---- */

#define LINKS "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" BOX("1 1 1", "0 0 0") "</link>"
#define JOINT(name, type, rest)                                                                              \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"a\"/><child link=\"b\"/>" rest "</joint>"

static void refused(const char* urdf, const char* object, const char* field, const char* words) {
    hf_scenario* s = NULL;
    hf_error error = {0};
    hf_status status = load(urdf, object, "[{\"do\":\"wait\",\"seconds\":1}]", &s, &error);
    assert_true(status == HF_ERROR_FORMAT || status == HF_ERROR_FILE);
    assert_null(s);
    if (!strstr(error.message, words) || !strstr(error.field, field))
        fail_msg("%s: %s: %s", error.file, error.field, error.message);
}

static void test_refusals(void** state) {
    (void)state;
    const char* it = "\"urdf\":\"object.urdf\"";
    refused(LINKS JOINT("j", "fixed", "") "</robot>", it, "", "no joint moves");
    refused(LINKS JOINT("j", "revolute", LIMIT) JOINT("k", "prismatic", LIMIT) "</robot>", it, "joint \"k\"",
            "second joint that moves");
    refused(LINKS JOINT("j", "continuous", LIMIT) "</robot>", it, "joint \"j\"", "continuous");
    refused(LINKS JOINT("j", "floating", "") "</robot>", it, "joint \"j\"", "neither a hinge");
    refused(LINKS JOINT("j", "revolute", "") "</robot>", it, "joint \"j\"", "no limits");
    refused(LINKS JOINT("j", "revolute", "<limit lower=\"1\" upper=\"2\"/>") "</robot>", it, "joint \"j\"",
            "do not hold 0");
    refused(LINKS JOINT("j", "revolute", LIMIT) JOINT("k", "fixed", "") "</robot>", it, "joint \"k\"",
            "another joint already");
    refused(LINKS "<link name=\"c\"/>" JOINT("j", "revolute", LIMIT) "</robot>", it, "", "hang on no joint");
    refused("<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>" JOINT("j", "revolute", LIMIT) "</robot>",
            it, "joint \"j\"", "no geometry");
    refused("<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><collision><geometry><mesh "
            "filename=\"none.obj\"/></geometry></collision></link>" JOINT("j", "revolute", LIMIT) "</robot>",
            it, "", "\"none.obj\" is not found");
    refused(door, "\"urdf\":\"none.urdf\"", "", "");
    refused(door, "\"urdf\":\"object.urdf\",\"scale\":2", "scene[1]", "\"scale\" is not for an object");
    refused(door, "\"urdf\":\"object.urdf\",\"joint\":{}", "scene[1]", "\"joint\" is not for an object");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_door),
        cmocka_unit_test(test_drawer),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
