/* The base: errors, text, random numbers, memory, workspaces, parallel work. */
#include "test.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "base/workspace.h"

#include <stdlib.h>

static void error_text_names_file_line_field(void** state) {
    (void)state;
    hf_error e;
    char text[256];
    assert_int_equal(
        hf_fail(&e, HF_ERROR_FORMAT, "a.urdf", 41, "joint \"knee\"", "lower %g is above upper %g", 0.8, 0.2),
        HF_ERROR_FORMAT);
    assert_string_equal(hf_error_text(&e, text, sizeof text),
                        "a.urdf:41: joint \"knee\": lower 0.8 is above upper 0.2");
    // a status of another function keeps its kind
    for (int s = HF_ERROR_MEMORY; s <= HF_ERROR_INTERNAL; s++) {
        assert_int_equal(hf_fail_status(&e, (hf_status)s, "c"), s);
        assert_int_equal(e.status, s);
        assert_string_equal(e.message, hf_status_text((hf_status)s));
    }
    memset(&e, 0, sizeof e);
    assert_int_equal(hf_fail_status(&e, HF_OK, "c"), HF_OK);
    assert_string_equal(e.file, "");
    hf_fail(&e, HF_ERROR_FILE, "b", 0, NULL, "gone");
    assert_string_equal(hf_error_text(&e, text, sizeof text), "b: gone");
}

static void numbers_parse_like_strtod(void** state) {
    (void)state;
    hf_random r = hf_random_start(7, 0, 0);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        double magnitude = pow(10, hf_random_between(&r, -40, 40));
        int digits = 1 + (int)(hf_random_bits(&r) % 17);
        snprintf(text, sizeof text, "%.*g", digits, hf_random_between(&r, -1, 1) * magnitude);
        const char* end;
        double v;
        assert_true(hf_parse_double(text, text + strlen(text), &end, &v));
        assert_ptr_equal(end, text + strlen(text));
        assert_true(v == strtod(text, NULL));
    }
    const char* bad[] = {"", "-", ".", "nan", "inf", "e5", "1e999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char* end;
        double v;
        assert_false(hf_parse_double(bad[i], bad[i] + strlen(bad[i]), &end, &v));
    }
}

static void nearest_word_suggests(void** state) {
    (void)state;
    const char* words[] = {"friction", "position", "rotation"};
    assert_string_equal(hf_nearest_word("fricton", words, 3), "friction");
    assert_string_equal(hf_nearest_word("rotatoin", words, 3), "rotation");
    assert_null(hf_nearest_word("zebra", words, 3));
    const char* const unlike[] = {"crouch"};
    assert_null(hf_nearest_word("nosuch", unlike, 1)); // half of the letters differ
    assert_null(hf_nearest_word("", words, 3));
    /* The beginning of one word is that word, however many letters are missing; of two, none of them. */
    const char* options[] = {"--count", "--output", "--options"};
    assert_string_equal(hf_nearest_word("--out", options, 3), "--output");
    assert_string_equal(hf_nearest_word("--c", options, 3), "--count");
    assert_null(hf_nearest_word("--", options, 3));
}

static void paths_join_and_relate(void** state) {
    (void)state;
    char* p = hf_path_beside("a/b/c.json", "../d.urdf");
    assert_string_equal(p, "a/b/../d.urdf");
    free(p);
    p = hf_path_relative("out/demo.motion.json", "data/creatures/human.creature.json");
    assert_string_equal(p, "../data/creatures/human.creature.json");
    free(p);
    p = hf_path_relative("/x/y/m.json", "/x/c.json");
    assert_string_equal(p, "../c.json");
    free(p);
}

static void random_numbers_depend_on_the_key_alone(void** state) {
    (void)state;
    hf_random a = hf_random_start(1, 2, 3), b = hf_random_start(1, 2, 3), c = hf_random_start(1, 2, 4);
    double mean = 0;
    bool differs = false;
    for (int i = 0; i < 10000; i++) {
        double u = hf_random_unit(&a);
        assert_true(u >= 0 && u < 1);
        assert_true(u == hf_random_unit(&b));
        differs |= u != hf_random_unit(&c);
        mean += u / 10000;
    }
    assert_true(differs);
    assert_true(fabs(mean - 0.5) < 0.02);
    /* The first known answer of Random123's own kat_vectors for philox4x32-10: all zero. */
    hf_random4 w = hf_random_words(0, 0, 0, 0);
    assert_int_equal(w.v[0], 0x6627e8d5);
    assert_int_equal(w.v[1], 0xe169c58d);
}

static void workspace_stops_growing(void** state) {
    (void)state;
    hf_workspace* w;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    void* last = NULL;
    for (int round = 0; round < 3; round++) {
        hf_workspace_mark mark = hf_workspace_begin(w);
        void* p = NULL;
        for (int i = 0; i < 100; i++) {
            hf_workspace_mark inner = hf_workspace_begin(w);
            p = hf_workspace_take(w, 1000, 8);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            memset(p, 1, 8000);
            if (i % 2)
                hf_workspace_end(w, inner);
            else
                hf_workspace_take(w, 10, 8), hf_workspace_end(w, inner);
        }
        hf_workspace_end(w, mark);
        if (round == 2) assert_ptr_equal(p, last);
        last = p;
    }
    hf_workspace_free(w);
}

static void mark_index(void* context, int index, int worker) {
    (void)worker;
    ((int*)context)[index]++;
}

static void parallel_visits_each_index_once(void** state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        int marks[1000] = {0};
        hf_parallel(threads, 1000, mark_index, marks);
        for (int i = 0; i < 1000; i++) assert_int_equal(marks[i], 1);
    }
}

static void files_say_what_is_wrong(void** state) {
    (void)state;
    char* bytes;
    size_t size;
    hf_error e;
    assert_int_equal(hf_file_read("/nonexistent/x", &bytes, &size, &e), HF_ERROR_FILE);
    assert_null(bytes);
    assert_non_null(strstr(e.message, "No such file"));
    assert_int_equal(hf_file_read("/tmp", &bytes, &size, &e), HF_ERROR_FILE);
    assert_non_null(strstr(e.message, "folder"));
    hf_output out;
    assert_int_equal(hf_output_open("/nonexistent/x", &out, &e), HF_ERROR_FILE);
    char path[256];
    snprintf(path, sizeof path, "%s/base_test.txt", test_folder());
    remove(path); /* of an earlier run */
    assert_int_equal(hf_output_open(path, &out, &e), HF_OK);
    fputs("hello", out.stream);
    assert_false(hf_path_exists(path));
    assert_int_equal(hf_output_close(&out, true, &e), HF_OK);
    assert_int_equal(hf_file_read(path, &bytes, &size, &e), HF_OK);
    assert_int_equal(size, 5);
    assert_string_equal(bytes, "hello");
    hf_free(bytes);
}

static void names_tell_sides(void** state) {
    (void)state;
    static const char* const left[] = {"LeftUpLeg",
                                       "mixamorig:LeftArm",
                                       "l_hand",
                                       "Hand.L",
                                       "LThumb",
                                       "lCollar",
                                       "UpperLeg_L",
                                       "HIP_LEFT",
                                       "LKnee",
                                       "lknee",
                                       "LANK",
                                       "LElbow",
                                       "upleg_l",
                                       "L_Hip",
                                       "CC_Base_L_Thigh",
                                       "LUPPERARM",
                                       "LHUMERUS",
                                       "RightActor:LeftArm",
                                       "R:LRADIUS"};
    static const char* const neither[] = {
        "Hips", "Spine1",   "Head",       "pelvis", "lower_back",      "root", "LowerBack", "Neck",
        "",     "clavicle", "SPINE_BASE", "L:Hips", "RightActor:Spine"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (hf_name_side(left[i]) != 1) fail_msg("%s", left[i]);
    }
    static const char* const right[] = {"RightFoot",          "r_shank",  "Foot.R", "RHip", "rlegx", "RTOE",
                                        "LeftActor:RightArm", "RLOWERARM"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (hf_name_side(right[i]) != -1) fail_msg("%s", right[i]);
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        assert_int_equal(hf_name_side(neither[i]), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_text_names_file_line_field),
        cmocka_unit_test(numbers_parse_like_strtod),
        cmocka_unit_test(nearest_word_suggests),
        cmocka_unit_test(paths_join_and_relate),
        cmocka_unit_test(random_numbers_depend_on_the_key_alone),
        cmocka_unit_test(names_tell_sides),
        cmocka_unit_test(workspace_stops_growing),
        cmocka_unit_test(parallel_visits_each_index_once),
        cmocka_unit_test(files_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
