/* Reaching in narrow places and to what is far: shelves, a door's edge, a table some steps away. */
#include "reach_fixture.h"

#include "model/scene.h"

#include <stdlib.h>

/* Found, and valid by the check. */
static void assert_found(const hf_scenario* s, const hf_reach_result* r) {
    hf_error error = {0};
    hf_check_report report = {0};
    if (r->outcome != HF_FOUND) fail_msg("%s", r->actions[r->action_count - 1].why);
    assert_int_equal(hf_check_scenario(r->motion, s->creature, s, 1, NULL, NULL, &report, &error), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
}

static void found_from(const char* name, uint64_t seed) {
    hf_scenario* s = reach_load(data_path(name));
    hf_reach_options o = hf_reach_options_default();
    o.seed = seed;
    hf_reach_result r = reach_run(s, &o);
    assert_found(s, &r);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* The arm goes round the wall of a shelf that has moved: trees that move all controls at once do not find it.
 */
static void test_wall(void** state) {
    (void)state;
    found_from("data/scenarios/moving-shelf.scenario.json", 20);
}

/* The second reach ends while the shelf is still on its way: the third one waits until it stands. */
static void test_moving(void** state) {
    (void)state;
    if (SANITIZED) skip(); // for time: test_wall takes most of the same code
    found_from("data/scenarios/moving-shelf.scenario.json", 6);
}

/* A finger that passes the shelf's edge between two frames is no deeper in it than the check allows. */
static void test_edge(void** state) {
    (void)state;
    if (SANITIZED) skip(); // for time: test_wall takes most of the same code
    found_from("data/scenarios/moving-shelf.scenario.json", 2);
}

/* One hand holds a can while the other one closes the drawer beside it. */
static void test_drawer_beside_can(void** state) {
    (void)state;
    found_from("data/scenarios/drawer-take.scenario.json", 30);
}

/* The hand that took the can holds it across the body, where the other arm closes the drawer: it takes the
   can aside first. */
static void test_arm_aside(void** state) {
    (void)state;
    if (SANITIZED) skip(); // for time
    found_from("data/scenarios/drawer-take.scenario.json", 33);
}

/* The fingers that close about a handle shift the body by a little, and the states that were tested before
   would draw the handle off its rail: they are found anew. */
static void test_closed_fingers(void** state) {
    (void)state;
    if (SANITIZED) skip(); // for time
    found_from("data/scenarios/drawer-take.scenario.json", 52);
}

static void write_box(FILE* stream, int* first, hf_vec3 low, hf_vec3 high) {
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                    {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    for (int i = 0; i < 8; i++)
        fprintf(stream, "v %.6f %.6f %.6f\n", i & 4 ? high.x : low.x, i & 2 ? high.y : low.y,
                i & 1 ? high.z : low.z);
    for (int f = 0; f < 6; f++)
        fprintf(stream, "f %d %d %d %d\n", *first + faces[f][0], *first + faces[f][1], *first + faces[f][2],
                *first + faces[f][3]);
    *first += 8;
}

static FILE* open_mesh(const char* name) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s.obj", test_folder(), name);
    FILE* stream = fopen(path, "w");
    assert_non_null(stream);
    return stream;
}

/* Four boards, two sides and a back, 0.33 m in front of the feet, and a box on the lowest board. */
static void write_shelf(void) {
    static const double boards[] = {0.401245, 0.704299, 1.007352, 1.310406};
    FILE* stream = open_mesh("narrow-shelf");
    int first = 1;
    for (int i = 0; i < 4; i++)
        write_box(stream, &first, hf_v3(-0.15, -0.45, boards[i]), hf_v3(0.15, 0.45, boards[i] + 0.02));
    write_box(stream, &first, hf_v3(-0.15, -0.47, 0), hf_v3(0.15, -0.45, 1.330406));
    write_box(stream, &first, hf_v3(-0.15, 0.45, 0), hf_v3(0.15, 0.47, 1.330406));
    write_box(stream, &first, hf_v3(0.15, -0.47, 0), hf_v3(0.17, 0.47, 1.330406));
    fclose(stream);
    stream = open_mesh("narrow-thing");
    first = 1;
    hf_vec3 half = {0.029266, 0.050396, 0.056758};
    write_box(stream, &first, hf_neg(half), half);
    fclose(stream);
}

/* To the most comfortable posture with the box on the next board there is no way; to another one there is. */
static void test_next_board(void** state) {
    (void)state;
    char path[400];
    write_shelf();
    snprintf(path, sizeof path, "%s/narrow.scenario.json", test_folder());
    FILE* stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(
        stream,
        "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"creature\":\"%s\",\"scene\":["
        "{\"name\":\"ground\",\"mesh\":\"%s\"},"
        "{\"name\":\"shelf\",\"mesh\":\"narrow-shelf.obj\",\"position\":[0.488419507124661,0,0]},"
        "{\"name\":\"thing\",\"mesh\":\"narrow-thing.obj\",\"position\":[0.514,-0.0479,0.4785],"
        "\"movable\":true,\"mass_kg\":0.78,\"rotation\":[0.26750379229679566,0,0,0.9635568074103533]}],"
        "\"start\":{\"at\":[0,0]},\"actions\":[{\"do\":\"grasp\",\"object\":\"thing\"},"
        "{\"do\":\"place\",\"object\":\"thing\",\"position\":[0.43841950712466093,0.2703594947260088,0."
        "7820570043803255]},"
        "{\"do\":\"release\",\"object\":\"thing\"}]}",
        HF_SOURCE_DIR "/data/creatures/human.creature.json", HF_SOURCE_DIR "/data/scenes/ground.obj");
    fclose(stream);
    hf_scenario* s = reach_load(path);
    hf_reach_options o = hf_reach_options_default();
    hf_reach_result r = reach_run(s, &o);
    assert_found(s, &r);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* A can that is out of reach is walked to where that is asked for, and only then. */
static void test_walk(void** state) {
    (void)state;
    hf_scenario* s = reach_load(data_path("data/scenarios/steps.scenario.json"));
    assert_int_equal(s->actions[0].kind, HF_ACTION_STEP);
    for (int i = 1; i < s->action_count; i++) s->actions[i - 1] = s->actions[i];
    s->action_count = 1;
    hf_reach_options o = hf_reach_options_default();
    o.nodes = 200, o.tries = 5;
    hf_reach_result here = reach_run(s, &o);
    assert_int_equal(here.outcome, HF_PARTIAL);
    hf_reach_result_free(&here);
    o.walks = 2;
    hf_reach_result r = reach_run(s, &o);
    assert_found(s, &r);
    hf_vec3 from = r.motion->frames[0].root.position,
            to = r.motion->frames[r.motion->frame_count - 1].root.position;
    assert_true(hf_distance(from, to) > 0.5);
    hf_reach_result_free(&r);
    s->actions[0].point.z = 5; // a target that no step brings nearer is refused where the creature stands
    s->actions[0].kind = HF_ACTION_REACH, s->actions[0].object = -1;
    r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_PARTIAL);
    assert_non_null(strstr(r.actions[0].why, "cannot reach"));
    assert_true(hf_distance(r.motion->frames[r.motion->frame_count - 1].root.position, from) < 0.2);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall),       cmocka_unit_test(test_edge),
        cmocka_unit_test(test_moving),     cmocka_unit_test(test_drawer_beside_can),
        cmocka_unit_test(test_arm_aside),  cmocka_unit_test(test_closed_fingers),
        cmocka_unit_test(test_next_board), cmocka_unit_test(test_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
