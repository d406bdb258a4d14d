/* A robot that others made carries a crate across a table with both hands, beside a post. */
#include "reach_fixture.h"

static const char* ROBOT = "robots/g1_description/g1_custom_collision_29dof.urdf";

static FILE* open_file(const char* name, char path[400]) {
    snprintf(path, 400, "%s/%s", test_folder(), name);
    FILE* stream = fopen(path, "w");
    assert_non_null(stream);
    return stream;
}

static void write_box(const char* name, double x, double y, double z) {
    static const char* faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n";
    char path[400];
    FILE* stream = open_file(name, path);
    for (int i = 0; i < 8; i++)
        fprintf(stream, "v %g %g %g\n", i & 4 ? x / 2 : -x / 2, i & 2 ? y / 2 : -y / 2,
                i & 1 ? z / 2 : -z / 2);
    fputs(faces, stream);
    fclose(stream);
}

/* The robot with hands that grip, a table before it, and on it a crate and a post. */
static hf_scenario* crate_on_table(const char* urdf) {
    char path[400];
    FILE* stream = open_file("crate-hands.srdf", path);
    fprintf(stream, "<robot name=\"hands\">");
    for (int side = 0; side < 2; side++) {
        const char* link = side ? "left_wrist_yaw_link" : "right_wrist_yaw_link";
        fprintf(stream, "<end_effector name=\"%s\" parent_link=\"%s\" group=\"%s\"/>", link, link, link);
    }
    fprintf(stream, "</robot>");
    fclose(stream);
    stream = open_file("crate.creature.json", path);
    fprintf(stream,
            "{\"format\":\"holdfast-creature\",\"version\":1,\"name\":\"hands\",\"urdf\":\"%s\","
            "\"srdf\":\"crate-hands.srdf\"}",
            urdf);
    fclose(stream);
    write_box("crate-top.obj", 0.4, 1, 0.04);
    write_box("crate-crate.obj", 0.2, 0.24, 0.16);
    write_box("crate-post.obj", 0.06, 0.06, 0.1);
    stream = open_file("crate.scenario.json", path);
    fprintf(stream,
            "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\","
            "\"creature\":\"crate.creature.json\",\"scene\":[{\"name\":\"ground\",\"mesh\":\"%s\"},"
            "{\"name\":\"table\",\"mesh\":\"crate-top.obj\",\"position\":[0.45,0,0.58]},"
            "{\"name\":\"post\",\"mesh\":\"crate-post.obj\",\"position\":[0.55,0,0.65]},"
            "{\"name\":\"crate\",\"mesh\":\"crate-crate.obj\",\"position\":[0.37,0,0.68],"
            "\"movable\":true,\"mass_kg\":1}],\"start\":{\"at\":[0,0]},\"actions\":["
            "{\"do\":\"grasp\",\"object\":\"crate\",\"hand\":\"both\"},"
            "{\"do\":\"place\",\"object\":\"crate\",\"position\":[0.37,0.1,0.68]},"
            "{\"do\":\"release\",\"object\":\"crate\"}]}",
            HF_SOURCE_DIR "/data/scenes/ground.obj");
    fclose(stream);
    return reach_load(path);
}

static void relocate_from(uint64_t seed) {
    const char* urdf = third_party(ROBOT);
    if (!urdf || SANITIZED) skip(); // for time
    hf_scenario* s = crate_on_table(urdf);
    hf_reach_options o = hf_reach_options_default();
    hf_error error = {0};
    hf_check_report report = {0};
    o.seed = seed;
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    assert_int_equal(hf_check_scenario(r.motion, s->creature, s, 1, NULL, NULL, &report, &error), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* While the hands hold the crate an elbow comes no deeper into it than it may be once they let go. */
static void test_lets_go(void** state) {
    (void)state;
    relocate_from(1);
}

/* With the hands that are most comfortable at the crate, an elbow meets it on the way. */
static void test_hands_that_carry(void** state) {
    (void)state;
    relocate_from(9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lets_go),
        cmocka_unit_test(test_hands_that_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
