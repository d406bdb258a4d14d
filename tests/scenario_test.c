/* Scenario files: every kind, every key, and what is wrong with the others. */
#include "test.h"

#include <stdlib.h>

/* ---- A small creature and two meshes, written once ---- */

static void write_text(const char* name, const char* text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/scenario/%s", test_folder(), name);
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static const char* const urdf =
    "<robot name='small'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' "
    "iyz='0'/></inertial><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
#define LINK(name, z)                                                                                        \
    "<link name='" name                                                                                      \
    "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"                \
    "</inertial><collision><origin xyz='0 0 " z                                                              \
    "'/><geometry><sphere radius='0.03'/></geometry></collision></link>"
#define JOINT(name, type, parent, child, xyz, rest)                                                          \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child                  \
    "'/><origin xyz='" xyz "'/><axis xyz='0 1 0'/>" rest "</joint>"
#define LIMIT "<limit lower='-1' upper='2' effort='10' velocity='3'/>"
    LINK("l_upper", "-0.1") LINK("l_lower", "-0.2") LINK("r_upper", "-0.1") LINK("r_lower", "-0.2")
        LINK("tip", "0") LINK("free", "0") LINK("flat", "0") LINK("bolt", "0")
            JOINT("l_hip", "revolute", "base", "l_upper", "0 0.2 0", LIMIT)
                JOINT("l_knee", "revolute", "l_upper", "l_lower", "0 0 -0.3", LIMIT)
                    JOINT("r_hip", "revolute", "base", "r_upper", "0 -0.2 0", LIMIT)
                        JOINT("r_knee", "revolute", "r_upper", "r_lower", "0 0 -0.3", LIMIT)
                            JOINT("follower", "revolute", "r_lower", "tip", "0 0 -0.3",
                                  LIMIT "<mimic joint='r_knee' multiplier='0.5' offset='0.1'/>")
                                JOINT("loose", "floating", "base", "free", "0 0 1", "")
                                    JOINT("sliding", "planar", "base", "flat", "0 0 2", "")
                                        JOINT("screwed", "fixed", "base", "bolt", "0 0 -1", "") "</robot>";

static const char* const creature =
    "{\"format\":\"holdfast-creature\",\"version\":1,\"urdf\":\"small.urdf\",\"trunk\":[\"base\"],\"limbs\":["
    "{\"name\":\"left_leg\",\"root\":\"l_upper\",\"effector\":\"l_lower\",\"contact\":["
    "{\"name\":\"sole\",\"offset\":[0,0,-0.23],\"normal\":[0,0,-1]},{\"name\":\"toe\",\"offset\":[0.03,0,-0."
    "2],"
    "\"normal\":[1,0,0]}]},"
    "{\"name\":\"right_leg\",\"root\":\"r_upper\",\"effector\":\"r_lower\",\"excludes\":[\"right_knee\"],"
    "\"contact\":"
    "{\"name\":\"sole\",\"offset\":[0,0,-0.23],\"normal\":[0,0,-1]}},"
    "{\"name\":\"right_knee\",\"root\":\"r_upper\",\"effector\":\"r_upper\",\"contact\":"
    "{\"name\":\"pad\",\"offset\":[0,0,-0.13],\"normal\":[0,0,-1]}}]}";

/* A tetrahedron whose corners tell the axes apart; one file has a line in it, which is warned about. */
static const char* const mesh = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char* const odd_mesh = "v 0 0 0\nv 1 0 0\nv 0 2 0\nl 1 2\nf 1 2 3\n";

static int write_fixtures(void** state) {
    (void)state;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/scenario", test_folder());
    mkdir(folder, 0777);
    write_text("small.urdf", urdf);
    write_text("small.creature.json", creature);
    write_text("m.obj", mesh);
    write_text("odd.obj", odd_mesh);
    write_text("bad.obj", "v 0 0 x\n");
    write_text("huge.obj", "v 0 0 0\nv 1e38 0 0\nv 0 1e38 0\nf 1 2 3\n");
    return 0;
}

static hf_status load(const char* text, hf_scenario** scenario, hf_error* error) {
    write_text("t.scenario.json", text);
    char path[1024];
    snprintf(path, sizeof path, "%s/scenario/t.scenario.json", test_folder());
    return hf_scenario_load(path, NULL, scenario, error);
}

static hf_scenario* must_load(const char* text) {
    hf_scenario* s;
    hf_error e = {0};
    char shown[1300];
    if (load(text, &s, &e) != HF_OK) fail_msg("%s", hf_error_text(&e, shown, sizeof shown));
    return s;
}

#define HEAD(kind)                                                                                           \
    "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"" kind                                       \
    "\",\"creature\":\"small.creature.json\""

static void assert_vec3(hf_vec3 v, double x, double y, double z) {
    assert_near(v.x, x, 1e-9);
    assert_near(v.y, y, 1e-9);
    assert_near(v.z, z, 1e-9);
}

/* ---- Good files ---- */

static void least_file_gets_defaults(void** state) {
    (void)state;
    for (hf_scenario_kind kind = HF_SCENARIO_ADAPT; kind <= HF_SCENARIO_REACH; kind++) {
        hf_scenario* s = must_load(kind == HF_SCENARIO_ADAPT ? HEAD("adapt") "}" : HEAD("reach") "}");
        assert_int_equal(s->kind, kind);
        assert_string_equal(s->name, "t");
        assert_non_null(strstr(s->path, "scenario/t.scenario.json"));
        assert_non_null(strstr(s->creature_path, "scenario/small.creature.json"));
        assert_int_equal(s->seed, 1);
        assert_int_equal(s->samples, 10000);
        assert_true(s->epsilon_m == 0);
        assert_int_equal(hf_scene_object_count(s->scene), 0);
        assert_false(s->start.whole);
        assert_null(s->goal.pose.q);
        assert_int_equal(s->weight_count + s->task_count + s->target_count + s->path_count, 0);
        const hf_creature_view* c = hf_creature_get(s->creature);
        for (int i = 0; i < c->q_count; i++) assert_true(s->start.pose.q[i] == c->rest[i]);
        hf_scenario_free(s);
    }
    hf_scenario_free(NULL);
}

static void objects_are_turned_scaled_and_placed(void** state) {
    (void)state;
    hf_scenario* s = must_load(
        HEAD("reach") ",\"scene\":[{\"name\":\"plain\",\"mesh\":\"m.obj\"},"
                      "{\"name\":\"turned\",\"mesh\":\"m.obj\",\"up\":\"y\",\"scale\":2,\"position\":[1,2,3],"
                      "\"rotation\":[0.70710678,0,0,0.70710678],\"friction\":0.25,\"contact\":false,"
                      "\"movable\":true,"
                      "\"grip\":true},"
                      "{\"name\":\"keyed\",\"mesh\":\"odd.obj\",\"up\":\"z\",\"position\":[9,9,9],"
                      "\"keys\":[[-1,[0,0,0,1,0,0,0]],[3,[4,0,0,0,0,0,1]]]}]}");
    assert_int_equal(hf_scene_object_count(s->scene), 3);
    hf_object_view plain = hf_scene_object(s->scene, 0), turned = hf_scene_object(s->scene, 1),
                   keyed = hf_scene_object(s->scene, 2);
    assert_int_equal(plain.mesh.triangle_count, 4);
    assert_true(plain.contact && !plain.movable && !plain.grip && plain.friction == 0.5);
    assert_true(!turned.contact && turned.movable && turned.grip && turned.friction == 0.25);
    assert_vec3(turned.start.position, 1, 2, 3);
    assert_near(turned.start.rotation.z, sqrt(0.5), 1e-6);
    /* Up along y: x stays, y becomes z, z becomes -y; twice as large; still closed and outward. */
    for (int i = 0; i < 4; i++) {
        const float *a = plain.mesh.vertices + 3 * i, *b = turned.mesh.vertices + 3 * i;
        assert_true(b[0] == 2 * a[0] && b[2] == 2 * a[1] && b[1] == -2 * a[2]);
    }
    assert_int_equal(plain.solidity[0], 1);
    assert_int_equal(turned.solidity[0], 1);
    /* Keys: at time 0 a quarter of the way, half of half a turn. */
    assert_int_equal(keyed.key_count, 2);
    assert_vec3(keyed.start.position, 1, 0, 0);
    assert_near(hf_quat_angle(keyed.start.rotation, hf_quat_identity()), 3.14159265358979 / 4, 1e-9);
    assert_true(keyed.keys[1].time_s == 3);
    /* The odd mesh's warning came along. */
    assert_int_equal(s->warning_count, 1);
    assert_non_null(strstr(s->warnings[0], "odd.obj: 1 line elements"));
    hf_scenario_free(s);
}

static void start_sets_root_joints_and_contacts(void** state) {
    (void)state;
    hf_scenario* s = must_load(HEAD(
        "plan") ",\"scene\":[{\"name\":\"floor\",\"mesh\":\"m.obj\"}],"
                "\"start\":{\"root\":[1,2,3,0.5,0.5,0.5,0.5],\"joints\":{\"r_knee\":0.8,\"l_hip\":2.0000001,"
                "\"loose\":[4,5,6,0,0,1.004,0],\"sliding\":[7,8,9]},"
                "\"contacts\":[\"left_leg\",{\"limb\":\"right_leg\",\"point\":[1,1,1],\"normal\":[0,0,5],"
                "\"object\":\"floor\"}]},"
                "\"goal\":{\"root\":[0,0,9,1,0,0,0],\"joints\":{},\"contacts\":[]}}");
    const hf_creature* c = s->creature;
    const hf_creature_view* view = hf_creature_get(c);
    const double* q = s->start.pose.q;
#define Q(name) q[view->joints[hf_creature_find_joint(c, name)].q_index]
    assert_vec3(s->start.pose.root.position, 1, 2, 3);
    assert_near(s->start.pose.root.rotation.y, 0.5, 1e-12);
    assert_true(s->start.whole);
    assert_near(Q("r_knee"), 0.8, 0);
    assert_near(Q("follower"), 0.8 * 0.5 + 0.1, 1e-12);
    assert_true(Q("l_hip") == 2);
    const double *loose = &Q("loose"), *sliding = &Q("sliding");
    const double want[7] = {4, 5, 6, 0, 0, 1, 0};
    for (int i = 0; i < 7; i++) assert_near(loose[i], want[i], 1e-12);
    for (int i = 0; i < 3; i++) assert_near(sliding[i], 7 + i, 0);
    assert_int_equal(s->start.contact_count, 2);
    assert_int_equal(s->start.contacts[0].limb, hf_creature_find_limb(c, "left_leg"));
    assert_true(hf_length(s->start.contacts[0].normal) == 0);
    assert_int_equal(s->start.contacts[0].object, -1);
    assert_true(hf_length(s->start.contacts[1].normal) > 0);
    assert_int_equal(s->start.contacts[1].object, 0);
    assert_vec3(s->start.contacts[1].normal, 0, 0, 1);
    /* A goal with empty lists is about the root alone. */
    assert_non_null(s->goal.pose.q);
    assert_false(s->goal.whole);
    assert_vec3(s->goal.pose.root.position, 0, 0, 9);
    hf_scenario_free(s);
}

static void targets_choose_their_kind(void** state) {
    (void)state;
    hf_scenario* s = must_load(
        HEAD("pose") ",\"targets\":[{\"limb\":\"left_leg\",\"point\":[1,2,3]},"
                     "{\"limb\":\"left_leg\",\"contact\":\"toe\",\"point\":[1,2,3],\"normal\":[3,0,4]},"
                     "{\"limb\":\"right_leg\",\"point\":[1,2,3],\"rotation\":[0,1,0,0]}],"
                     "\"seed\":9007199254740992,\"options\":{\"samples\":500,\"epsilon\":0.02,"
                     "\"score\":{\"comfort\":0.5,\"effort\":2}}}");
    assert_int_equal(s->target_count, 3);
    assert_int_equal(s->targets[0].kind, HF_TARGET_POSITION);
    assert_int_equal(s->targets[0].contact, 0);
    assert_vec3(s->targets[0].point, 1, 2, 3);
    assert_int_equal(s->targets[1].kind, HF_TARGET_NORMAL);
    assert_int_equal(s->targets[1].contact, 1);
    assert_vec3(s->targets[1].normal, 0.6, 0, 0.8);
    assert_int_equal(s->targets[2].kind, HF_TARGET_POSE);
    assert_true(s->targets[2].rotation.x == 1);
    assert_true(s->seed == 9007199254740992ull);
    assert_int_equal(s->samples, 500);
    assert_true(s->epsilon_m == 0.02);
    assert_int_equal(s->weight_count, 2);
    for (int i = 0; i < 2; i++)
        assert_true(s->weights[i].weight == (strcmp(s->weights[i].term, "effort") == 0 ? 2 : 0.5));
    hf_scenario_free(s);
}

/* Numbers of tables are kept, and checked by the table that they are put into. */
static void tables_take_their_options(void** state) {
    (void)state;
    hf_scenario* s = must_load(HEAD("contact") ",\"task\":{\"direction\":[0,0,1]},\"options\":{\"swing\":{"
                                               "\"lift_share\":2,\"knot_m\":0.05},"
                                               "\"contact\":{\"max_tests\":7},\"course\":{\"max_round\":3},"
                                               "\"sequence\":{\"stride\":-1}}}");
    hf_error error = {0};
    hf_swing_options swing = hf_swing_options_default();
    hf_contact_query query = hf_contact_query_default();
    hf_course_options course = hf_course_options_default();
    hf_sequence_options sequence = hf_sequence_options_default();
    assert_int_equal(s->option_count, 5);
    assert_int_equal(hf_scenario_set(s, "swing", hf_swing_option_table(), &swing, &error), HF_OK);
    assert_true(swing.lift_share == 2 && swing.knot_m == 0.05 && swing.max_tries == 24);
    assert_int_equal(hf_scenario_set(s, "contact", hf_contact_option_table(), &query, &error), HF_OK);
    assert_int_equal(query.max_tests, 7);
    assert_int_equal(hf_scenario_set(s, "course", hf_course_option_table(), &course, &error),
                     HF_ERROR_ARGUMENT);
    assert_string_equal(error.field, "options.course.max_round");
    assert_non_null(strstr(error.message, "did you mean \"max_rounds\"?"));
    assert_int_equal(hf_scenario_set(s, "sequence", hf_sequence_option_table(), &sequence, &error),
                     HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "-1 is outside 0.01 to 2"));
    /* Options of another table are left alone. */
    hf_plan_options plan = hf_plan_options_default();
    assert_int_equal(hf_scenario_set(s, "plan", hf_plan_option_table(), &plan, &error), HF_OK);
    assert_int_equal(plan.horizon, hf_plan_options_default().horizon);
    hf_scenario_free(s);
}

static void tasks_have_roles_and_directions(void** state) {
    (void)state;
    hf_scenario* s = must_load(HEAD("contact") ",\"task\":{\"direction\":[0,0,2]}}");
    assert_int_equal(s->task_count, 1);
    assert_string_equal(s->tasks[0].name, "");
    assert_vec3(s->tasks[0].direction, 0, 0, 1);
    assert_int_equal(s->tasks[0].limb_count, 0);
    hf_scenario_free(s);
    s = must_load(HEAD(
        "contact") ",\"tasks\":[{\"name\":\"up\",\"direction\":[0,0,1],\"limbs\":[{\"limb\":\"left_leg\"},"
                   "{\"limb\":\"right_leg\",\"role\":\"act\",\"direction\":[1e-200,0,0]}]},"
                   "{\"name\":\"on\",\"direction\":[0,-1e200,0],\"limbs\":[{\"limb\":\"left_leg\","
                   "\"role\":\"grip\"}]}],\"path\":[[0,0,0,1,0,0,0],[1,0,0,0,0,0,1]]}");
    assert_int_equal(s->task_count, 2);
    assert_string_equal(s->tasks[0].name, "up");
    assert_int_equal(s->tasks[0].limb_count, 2);
    assert_int_equal(s->tasks[0].limbs[0].role, HF_ROLE_SUPPORT);
    assert_vec3(s->tasks[0].limbs[0].direction, 0, 0, 1);
    assert_int_equal(s->tasks[0].limbs[1].role, HF_ROLE_ACT);
    assert_vec3(s->tasks[0].limbs[1].direction, 1, 0, 0);
    assert_vec3(s->tasks[1].direction, 0, -1, 0);
    assert_int_equal(s->tasks[1].limbs[0].role, HF_ROLE_GRIP);
    assert_int_equal(s->path_count, 2);
    assert_true(s->root_path[1].rotation.z == 1);
    hf_scenario_free(s);
}

/* ---- Bad files: text, field (NULL: not looked at), a part of the reason ---- */

typedef struct bad_case {
    const char* text;
    const char* field;
    const char* reason;
} bad_case;

#define POSE(rest) HEAD("pose") ",\"targets\":[{\"limb\":\"left_leg\",\"point\":[0,0,0]}]" rest "}"
#define SCENE(inside) POSE(",\"scene\":[{\"name\":\"a\",\"mesh\":\"m.obj\"" inside "}]")
#define START(inside) POSE(",\"start\":{" inside "}")
#define TARGET(inside) HEAD("pose") ",\"targets\":[{" inside "}]}"
#define CONTACT(inside) HEAD("contact") "," inside "}"

static const bad_case bad_cases[] = {
    {"", NULL, "not valid JSON"},
    {"[]", NULL, "a JSON object is expected"},
    {"{\"format\":\"holdfast-scenario\",\"version\":1,", NULL, "not valid JSON"},
    {"{\"format\":\"holdfast-motion\",\"version\":1}", "format", "\"holdfast-scenario\" is expected"},
    {"{\"format\":\"holdfast-scenario\",\"version\":2}", "version", "is 2, this program reads 1"},
    {"{\"format\":\"holdfast-scenario\",\"version\":1}", "", "\"kind\" is missing"},
    {HEAD("plann") "}", "", "unknown kind \"plann\"; did you mean \"plan\"?"},
    {"{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\"}", "", "\"creature\" is missing"},
    {"{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"creature\":\"none.urdf\"}", NULL,
     "cannot be opened"},
    {POSE(",\"sene\":[]"), "", "unknown key \"sene\"; did you mean \"scene\"?"},
    {POSE(",\"goal\":{}"), "", "key \"goal\" belongs to kind \"plan\", this is kind \"pose\""},
    {POSE(",\"tasks\":[]"), "", "belongs to kind \"contact\""},
    {HEAD("reach") ",\"targets\":[]}", "",
     "key \"targets\" belongs to kind \"pose\", this is kind \"reach\""},
    {POSE(",\"seed\":-1"), "", "\"seed\" is -1, a whole number from 0"},
    {POSE(",\"seed\":1.5"), "", "whole number"},
    {POSE(",\"seed\":\"1\""), "", "\"seed\": a number is expected"},
    {POSE(",\"options\":{\"sample\":1}"), "options", "did you mean \"samples\"?"},
    {POSE(",\"options\":{\"samples\":0}"), "options", "whole number from 1"},
    {POSE(",\"options\":{\"epsilon\":0}"), "options", "must be above 0"},
    {POSE(",\"options\":{\"epsilon\":5000}"), "options", "at most 1000"},
    {POSE(",\"options\":{\"score\":{\"effort\":-1}}"), "options.score", "\"effort\" is -1, a weight from 0"},
    {POSE(",\"options\":{\"score\":{\"effort\":1e9}}"), "options.score", "a weight from 0"},
    {POSE(",\"options\":{\"guide\":{}}"), "options", "key \"guide\" belongs to kind \"plan\""},
    {POSE(",\"seed\":1,"), "", "not valid JSON: a comma has nothing behind it"},
    {"<robot/>", "", "not valid JSON: the file is XML"},
    {" \n", "", "not valid JSON: the file is empty"},
    {POSE(",\"options\":{\"score\":{\"efort\":1}}"), "options.score", "did you mean \"effort\"?"},
    {POSE(",\"options\":{\"score\":{\"effort\":\"1\"}}"), "options.score", "a number is expected"},
    {POSE(",\"options\":{\"plan\":{}}"), "options", "belongs to kind \"plan\""},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"options\":{\"plan\":{\"horizon\":3}}"), "options",
     "belongs to kind \"plan\""},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"options\":{\"swng\":{}}"), "options",
     "did you mean \"swing\"?"},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"options\":{\"swing\":1}"), "options",
     "an object is expected"},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"options\":{\"swing\":{\"knot_m\":\"1\"}}"), "options.swing",
     "neither a number"},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"options\":{\"contact\":{\"epsilon_m\":1}}"),
     "options.contact", "\"epsilon\" of the options sets it"},
    {SCENE(",\"colour\":1"), "scene[0]", "unknown key \"colour\""},
    {SCENE(",\"fricton\":1"), "scene[0]", "did you mean \"friction\"?"},
    {SCENE(",\"friction\":-0.1"), "scene[0]", "cannot be negative"},
    {SCENE(",\"up\":\"x\""), "scene[0]", "\"y\" or \"z\" is expected"},
    {SCENE(",\"scale\":0"), "scene[0]", "must be above 0"},
    {SCENE(",\"scale\":[1,1,1]"), "scene[0]", "a number is expected"},
    {SCENE(",\"scale\":1e39"), "scene[0]", "makes the mesh too large"},
    {SCENE(",\"position\":[1,2]"), "scene[0].position", "array of 3 numbers"},
    {SCENE(",\"position\":[1,2,1e8]"), "scene[0]", "farther away than"},
    {SCENE(",\"rotation\":[1,1,0,0]"), "scene[0]", "unit quaternion"},
    {SCENE(",\"movable\":1"), "scene[0]", "true or false"},
    {SCENE(",\"keys\":[[0]]"), "scene[0].keys[0]", "[time, pose] is expected"},
    {SCENE(",\"keys\":[[0,[0,0,0,1,0,0]]]"), "scene[0].keys[0]", "array of 7 numbers"},
    {SCENE(",\"keys\":[[0,[0,0,0,1,0,0,0]],[0,[0,0,0,1,0,0,0]]]"), "scene[0].keys[1]",
     "does not come after 0"},
    {SCENE("},{\"name\":\"a\",\"mesh\":\"m.obj\""), "scene[1]", "\"a\" is there twice"},
    {SCENE("},{\"name\":\"\",\"mesh\":\"m.obj\""), "scene[1]", "1 to 200 bytes"},
    {SCENE("},{\"name\":\"b\""), "scene[1]", "\"mesh\" is missing"},
    {SCENE("},{\"mesh\":\"m.obj\""), "scene[1]", "\"name\" is missing"},
    {SCENE("},{\"name\":\"b\",\"mesh\":\"none.obj\""), "scene[1] of t.scenario.json", "cannot be opened"},
    {SCENE("},{\"name\":\"b\",\"mesh\":\"bad.obj\""), "scene[1] of t.scenario.json", "\"x\" is not a finite"},
    {SCENE("},{\"name\":\"b\",\"mesh\":\"huge.obj\""), NULL, "m away"},
    {SCENE("},{\"name\":\"b\",\"mesh\":\".\""), "scene[1] of t.scenario.json", "folder"},
    {SCENE("},7,{"), "scene[1]", "an object is expected"},
    {START("\"rot\":[]"), "start", "did you mean \"root\"?"},
    {START("\"root\":[0,0,0]"), "start.root", "array of 7 numbers"},
    {START("\"root\":[0,0,0,2,0,0,0]"), "start.root", "unit quaternion"},
    {START("\"root\":[0,0,1e9,1,0,0,0]"), "start.root", "farther away"},
    {START("\"joints\":{\"r_kne\":0}"), "start.joints", "unknown joint \"r_kne\"; did you mean \"r_knee\"?"},
    {START("\"joints\":{\"r_knee\":3}"), "start.joints", "joint \"r_knee\": 3 is outside its limits -1 to 2"},
    {START("\"joints\":{\"r_knee\":\"1\"}"), "start.joints", "a number is expected"},
    {START("\"joints\":{\"screwed\":0}"), "start.joints", "\"screwed\" is fixed"},
    {START("\"joints\":{\"follower\":0}"), "start.joints", "follows \"r_knee\""},
    {START("\"joints\":{\"loose\":0}"), "start.joints.loose", "array of 7 numbers"},
    {START("\"joints\":{\"loose\":[0,0,0,1,1,0,0]}"), "start.joints.loose", "unit quaternion"},
    {START("\"joints\":{\"sliding\":[0,0]}"), "start.joints.sliding", "array of 3 numbers"},
    {START("\"contacts\":[\"left_lag\"]"), "start.contacts[0]", "did you mean \"left_leg\"?"},
    {START("\"contacts\":[\"left_leg\",\"left_leg\"]"), "start.contacts[1]", "is there twice"},
    {START("\"contacts\":[\"right_leg\",\"right_knee\"]"), "start.contacts[1]", "exclude each other"},
    {START("\"contacts\":[\"right_knee\",\"right_leg\"]"), "start.contacts[1]", "exclude each other"},
    {START("\"contacts\":[7]"), "start.contacts[0]", "a limb's name or an object"},
    {START("\"contacts\":[{\"limb\":\"left_leg\",\"point\":[0,0,0]}]"), "start.contacts[0]",
     "belong together"},
    {START("\"contacts\":[{\"limb\":\"left_leg\",\"point\":[0,0,0],\"normal\":[0,0,0]}]"),
     "start.contacts[0]", "\"normal\" is zero"},
    {START("\"contacts\":[{\"limb\":\"left_leg\",\"object\":\"floor\"}]"), "start.contacts[0]",
     "unknown object \"floor\""},
    {START("\"contacts\":[\"left_leg\",\"right_leg\",\"right_knee\",\"left_leg\"]"), "start",
     "more contacts"},
    {HEAD("pose") "}", "", "\"targets\" is missing"},
    {HEAD("pose") ",\"targets\":[]}", "targets", "is empty"},
    {TARGET("\"point\":[0,0,0]"), "targets[0]", "\"limb\" is missing"},
    {TARGET("\"limb\":\"tail\",\"point\":[0,0,0]"), "targets[0]", "unknown limb \"tail\""},
    {TARGET("\"limb\":\"left_leg\""), "targets[0]", "\"point\" is missing"},
    {TARGET("\"limb\":\"left_leg\",\"point\":[0,0,0],\"contact\":\"tow\""), "targets[0]",
     "unknown contact of \"left_leg\" \"tow\"; did you mean \"toe\"?"},
    {TARGET("\"limb\":\"left_leg\",\"point\":[0,0,0],\"normal\":[0,0,1],\"rotation\":[1,0,0,0]"),
     "targets[0]", "both \"normal\" and \"rotation\""},
    {TARGET("\"limb\":\"left_leg\",\"point\":[0,0,0],\"normal\":[0,0,0]"), "targets[0]",
     "\"normal\" is zero"},
    {CONTACT("\"seed\":1"), "", "\"task\", \"tasks\" or \"path\" is missing"},
    {CONTACT("\"task\":{\"direction\":[0,0,1]},\"tasks\":[]"), "", "has both"},
    {CONTACT("\"task\":{}"), "task", "\"direction\" is missing"},
    {CONTACT("\"task\":{\"direction\":[0,0,0]}"), "task", "\"direction\" is zero"},
    {CONTACT("\"task\":{\"direction\":[0,0,1],\"name\":\"up\"}"), "task", "unknown key \"name\""},
    {CONTACT("\"task\":{\"direction\":[0,0,1],\"limbs\":[{\"limb\":\"left_leg\",\"role\":\"suport\"}]}"),
     "task.limbs[0]", "did you mean \"support\"?"},
    {CONTACT("\"task\":{\"direction\":[0,0,1],\"limbs\":[{\"limb\":\"left_leg\"},{\"limb\":\"left_leg\"}]}"),
     "task.limbs[1]", "is there twice"},
    {CONTACT("\"tasks\":[]"), "tasks", "is empty"},
    {CONTACT("\"tasks\":[{\"direction\":[0,0,1]}]"), "tasks[0]", "\"name\" is missing"},
    {CONTACT("\"tasks\":[{\"name\":\"../x\",\"direction\":[0,0,1]}]"), "tasks[0]", "name of a file"},
    {CONTACT("\"tasks\":[{\"name\":\"a\",\"direction\":[0,0,1]},{\"name\":\"a\",\"direction\":[0,0,1]}]"),
     "tasks[1]", "task \"a\" is there twice"},
    {CONTACT("\"tasks\":[1]"), "tasks[0]", "an object is expected"},
    {CONTACT("\"path\":[[0,0,0,1,0,0,0]]"), "path", "two poses"},
    {CONTACT("\"path\":[[0,0,0,1,0,0,0],[0,0,0,1,0,0]]"), "path[1]", "array of 7 numbers"},
    {HEAD("plan") "}", "", "\"goal\" is missing"},
    {HEAD("plan") ",\"goal\":{}}", "goal", "\"root\" is missing"},
    {HEAD("plan") ",\"goal\":{\"root\":[0,0,0,1,0,0,0],\"contacts\":[\"tail\"]}}", "goal.contacts[0]",
     "unknown limb"},
};

static void bad_files_are_refused_with_their_place(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case* c = &bad_cases[i];
        hf_scenario* s = (hf_scenario*)1;
        hf_error e = {0};
        hf_status status = load(c->text, &s, &e);
        if (status == HF_OK || s || !strstr(e.message, c->reason) ||
            (c->field && strcmp(e.field, c->field) != 0) || !e.file[0])
            fail_msg("case %zu: status %d, %s: \"%s\": %s; but \"%s\": %s is expected for\n%s", i,
                     (int)status, e.file, e.field, e.message, c->field ? c->field : "any", c->reason,
                     c->text);
    }
}

/* Cut anywhere, a file is refused. */
static void cut_files_are_refused(void** state) {
    (void)state;
    const char* text = START("\"joints\":{\"r_knee\":0.5},\"contacts\":[\"left_leg\"]");
    hf_scenario* s = must_load(text);
    hf_scenario_free(s);
    for (size_t n = 0; n < strlen(text); n++) {
        char cut[1024];
        snprintf(cut, sizeof cut, "%.*s", (int)n, text);
        hf_error e = {0};
        assert_int_equal(load(cut, &s, &e), HF_ERROR_FORMAT);
        assert_null(s);
        assert_true(e.message[0]);
    }
}

static void missing_scenarios_are_refused(void** state) {
    (void)state;
    hf_scenario* s;
    hf_error e;
    assert_int_equal(hf_scenario_load("no/such.scenario.json", NULL, &s, &e), HF_ERROR_FILE);
    assert_string_equal(e.file, "no/such.scenario.json");
    assert_int_equal(hf_scenario_load(test_folder(), NULL, &s, NULL), HF_ERROR_FILE);
    assert_null(s);
}

/* A scenario whose creature is this text. */
static hf_status load_with(const char* name, const hf_load_options* options, hf_scenario** s,
                           hf_error* error) {
    char text[400], path[1024];
    snprintf(text, sizeof text,
             "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"adapt\",\"creature\":\"%s\"}", name);
    write_text("named.scenario.json", text);
    snprintf(path, sizeof path, "%s/scenario/named.scenario.json", test_folder());
    return hf_scenario_load(path, options, s, error);
}

/* A creature by name, as on the command line: a creature file in one of the folders that the caller gives. */
static void creatures_are_found_by_name(void** state) {
    (void)state;
    const char* folder = data_path("data/creatures");
    hf_load_options options = hf_load_options_default();
    hf_scenario* s;
    hf_error error = {0};
    assert_int_equal(load_with("human", &options, &s, &error), HF_ERROR_FORMAT);
    options.creature_path = (hf_strings){1, &folder};
    assert_int_equal(load_with("human", &options, &s, &error), HF_OK);
    assert_string_equal(hf_creature_get(s->creature)->name, "human");
    hf_scenario_free(s);
    assert_int_equal(load_with("small.creature.json", &options, &s, &error), HF_OK);
    hf_scenario_free(s);
    assert_int_equal(load_with("humn", &options, &s, &error), HF_ERROR_FORMAT);
    assert_string_equal(error.field, "creature");
    assert_non_null(strstr(error.message, "did you mean \"human\"?"));
    assert_int_equal(load_with("zeppelin", &options, &s, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "; there are "));
    assert_non_null(strstr(error.message, "spider"));
    assert_int_equal(load_with("gone.urdf", &options, &s, &error), HF_ERROR_FILE);
    assert_non_null(strstr(error.field, "the creature of "));
}

static void scene_from_one_mesh(void** state) {
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s/scenario/m.obj", test_folder());
    hf_scene* scene;
    assert_int_equal(hf_scene_load_mesh(path, &scene, NULL, NULL), HF_OK);
    assert_int_equal(hf_scene_object_count(scene), 1);
    hf_object_view o = hf_scene_object(scene, 0);
    assert_string_equal(o.name, "m");
    assert_int_equal(o.mesh.triangle_count, 4);
    assert_true(o.contact && !o.movable && o.friction == 0.5);
    hf_scene_free(scene);
    hf_error e;
    snprintf(path, sizeof path, "%s/scenario/bad.obj", test_folder());
    assert_int_equal(hf_scene_load_mesh(path, &scene, NULL, &e), HF_ERROR_FORMAT);
    assert_null(scene);
    assert_int_equal(e.line, 1);
}

static void kinds_have_names(void** state) {
    (void)state;
    static const char* const names[] = {"pose", "contact", "plan", "adapt", "reach"};
    for (int i = 0; i < 5; i++) assert_string_equal(hf_scenario_kind_text((hf_scenario_kind)i), names[i]);
    assert_non_null(hf_scenario_kind_text((hf_scenario_kind)99));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_file_gets_defaults),
        cmocka_unit_test(objects_are_turned_scaled_and_placed),
        cmocka_unit_test(start_sets_root_joints_and_contacts),
        cmocka_unit_test(targets_choose_their_kind),
        cmocka_unit_test(tables_take_their_options),
        cmocka_unit_test(tasks_have_roles_and_directions),
        cmocka_unit_test(bad_files_are_refused_with_their_place),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(missing_scenarios_are_refused),
        cmocka_unit_test(scene_from_one_mesh),
        cmocka_unit_test(creatures_are_found_by_name),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, write_fixtures, NULL);
}
