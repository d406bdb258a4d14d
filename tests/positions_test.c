/* Clips of joint positions: a skeleton whose truth is known, and files that are wrong. */
#include "odd_creature.h"

#include <stdlib.h>

enum { JOINTS = 8, FRAMES = 60 };
static const char* const names[JOINTS] = {"Hips",  "LeftUpLeg",  "LeftLeg",  "LeftFoot",
                                          "Spine", "RightUpLeg", "RightLeg", "RightFoot"};
static const int parents[JOINTS] = {-1, 0, 1, 2, 0, 0, 5, 6};
static const double lengths[JOINTS] = {0, 0.12, 0.42, 0.4, 0.5, 0.12, 0.42, 0.4};

/* A body that turns and bends: positions from rotations about changing axes, lengths constant. */
static void pose_body(int frame, hf_vec3* at) {
    static const double rest[JOINTS][3] = {{0, 0, 0}, {1, 0, 0},  {0, 0, -1}, {0, 0, -1},
                                           {0, 0, 1}, {-1, 0, 0}, {0, 0, -1}, {0, 0, -1}};
    hf_quat turn[JOINTS];
    double t = frame / 20.0;
    for (int i = 0; i < JOINTS; i++) {
        int p = parents[i];
        hf_quat own =
            hf_quat_axis_angle(hf_normalize(hf_v3(1, 0.3 * i, 0.2)), (0.2 + 0.1 * i) * hf_sin(t + i));
        turn[i] = p < 0 ? own : hf_quat_mul(turn[p], own);
        hf_vec3 way = hf_scale(hf_v3(rest[i][0], rest[i][1], rest[i][2]), lengths[i]);
        at[i] = p < 0 ? hf_v3(0.1 * t, 0, 0.9) : hf_add(at[p], hf_rotate(turn[p], way));
    }
}

static char* file_path(const char* name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    return path;
}

static void write_names(const char* name, int count) {
    FILE* f = fopen(file_path(name), "wb");
    assert_non_null(f);
    for (int i = 0; i < count; i++) fprintf(f, "%s\r\n", names[i]);
    fclose(f);
}

/* A NumPy file of version 1 with this header and these doubles, as floats where single. */
static const char* write_npy(const char* name, const char* header, const double* values, int count,
                             bool single) {
    FILE* f = fopen(file_path(name), "wb");
    assert_non_null(f);
    char text[128];
    memset(text, ' ', sizeof text);
    memcpy(text, header, strlen(header));
    text[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fwrite(text, 1, 118, f);
    for (int i = 0; i < count; i++) {
        float x = (float)values[i];
        fwrite(single ? (const void*)&x : (const void*)&values[i], single ? 4 : 8, 1, f);
    }
    fclose(f);
    return file_path(name);
}

static double* make_values(void) {
    double* v = malloc(sizeof *v * FRAMES * JOINTS * 3);
    assert_non_null(v);
    for (int f = 0; f < FRAMES; f++) {
        hf_vec3 at[JOINTS];
        pose_body(f, at);
        for (int i = 0; i < JOINTS; i++) {
            double* p = v + 3 * (f * JOINTS + i);
            p[0] = at[i].x, p[1] = at[i].y, p[2] = at[i].z;
        }
    }
    return v;
}

static int find(const hf_clip* clip, const char* name) {
    for (int i = 0; i < clip->joint_count; i++)
        if (strcmp(clip->joints[i].name, name) == 0) return i;
    fail_msg("no joint %s", name);
    return -1;
}

/* The tree and the lengths are those that made the positions, and so is every position. */
static void check_clip(const hf_clip* clip, double tolerance) {
    assert_int_equal(clip->joint_count, JOINTS);
    assert_int_equal(clip->frame_count, FRAMES);
    assert_true(clip->fit_m < tolerance);
    hf_transform now[JOINTS];
    for (int i = 1; i < JOINTS; i++) {
        int joint = find(clip, names[i]), parent = find(clip, names[parents[i]]);
        assert_int_equal(clip->joints[joint].parent, parent);
        assert_near(hf_length(clip->joints[joint].offset), lengths[i], tolerance);
    }
    for (int f = 0; f < FRAMES; f += 7) {
        hf_vec3 at[JOINTS];
        pose_body(f, at);
        hf_clip_forward(clip, f, now);
        for (int i = 0; i < JOINTS; i++)
            assert_true(hf_distance(now[find(clip, names[i])].position, at[i]) < 10 * tolerance);
    }
}

static void skeleton_is_found_again(void** state) {
    (void)state;
    double* values = make_values();
    write_names("joints.txt", JOINTS);
    for (int single = 0; single < 2; single++) {
        char header[100];
        snprintf(header, sizeof header, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%d, %d, 3), }",
                 single ? 4 : 8, FRAMES, JOINTS);
        const char* path = write_npy("clip.npy", header, values, FRAMES * JOINTS * 3, single);
        hf_clip_options o = hf_clip_options_default();
        o.rate = 60, o.unit_m = 1;
        hf_clip* clip = NULL;
        hf_error error = {0};
        if (hf_clip_open(path, &o, &clip, &error) != HF_OK) fail_msg("%s", error.message);
        assert_near(clip->frame_time_s, 1.0 / 60, 1e-12);
        assert_true(clip->z_up);
        check_clip(clip, single ? 1e-6 : 1e-9);
        hf_clip_free(clip);
    }
    free(values);
}

/* Opens values of these joints (all without `left_out`, -1: all) as a clip of 60 frames a second. */
static hf_clip* open_values(const double* values, int left_out) {
    double* some = malloc(sizeof *some * FRAMES * JOINTS * 3);
    assert_non_null(some);
    int count = 0, joints = JOINTS - (left_out >= 0);
    for (int i = 0; i < FRAMES * JOINTS * 3; i++)
        if (i / 3 % JOINTS != left_out) some[count++] = values[i];
    FILE* f = fopen(file_path("some.txt"), "wb");
    assert_non_null(f);
    for (int i = 0; i < JOINTS; i++)
        if (i != left_out) fprintf(f, "%s\n", names[i]);
    fclose(f);
    char header[100], list[1024];
    snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, 3), }",
             FRAMES, joints);
    snprintf(list, sizeof list, "%s", file_path("some.txt"));
    const char* path = write_npy("some.npy", header, some, count, false);
    hf_clip_options o = hf_clip_options_default();
    o.rate = 60, o.unit_m = 1, o.joints = list;
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_open(path, &o, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    free(some);
    return clip;
}

static bool warns(const hf_clip* clip, const char* part) {
    for (int i = 0; i < clip->warning_count; i++)
        if (strstr(clip->warnings[i], part)) return true;
    return false;
}

/* Positions with a noise of 5 mm: the clip says so, and its joints are nearer to the truth than the file's.
 */
static void noise_is_smoothed(void** state) {
    (void)state;
    double *values = make_values(), noisy = 0, smooth = 0;
    hf_clip* quiet = open_values(values, -1);
    assert_false(warns(quiet, "noise"));
    hf_clip_free(quiet);
    hf_random random = hf_random_start(7, 0, 0);
    for (int i = 0; i < FRAMES * JOINTS * 3; i++) { /* even over 5 mm times the root of 12 */
        double off = 0.0173 * (hf_random_unit(&random) - 0.5);
        values[i] += off, noisy += off * off;
    }
    hf_clip* clip = open_values(values, -1);
    assert_true(warns(clip, "noise of 0.00"));
    for (int f = 0; f < FRAMES; f++) {
        hf_vec3 at[JOINTS];
        hf_transform now[JOINTS];
        pose_body(f, at);
        hf_clip_forward(clip, f, now);
        for (int i = 0; i < JOINTS; i++) {
            hf_vec3 off = hf_sub(now[find(clip, names[i])].position, at[i]);
            smooth += hf_dot(off, off);
        }
    }
    assert_true(smooth < 0.7 * noisy);
    hf_clip_free(clip);
    free(values);
}

/* Joints without a pelvis get one between the hips, which is where the body's own was. */
static void hips_get_a_pelvis(void** state) {
    (void)state;
    double* values = make_values();
    hf_clip* clip = open_values(values, 0);
    assert_int_equal(clip->joint_count, JOINTS);
    int root = find(clip, "hips");
    assert_int_equal(clip->joints[root].parent, -1);
    assert_int_equal(clip->joints[find(clip, "LeftUpLeg")].parent, root);
    assert_int_equal(clip->joints[find(clip, "RightUpLeg")].parent, root);
    for (int f = 0; f < FRAMES; f += 7) {
        hf_vec3 at[JOINTS];
        hf_transform now[JOINTS];
        pose_body(f, at);
        hf_clip_forward(clip, f, now);
        assert_true(hf_distance(now[root].position, at[0]) < 1e-9);
    }
    hf_clip_free(clip);
    free(values);
}

static void expect_failure(const char* path, double rate, const char* part) {
    hf_clip_options o = hf_clip_options_default();
    o.rate = rate;
    hf_clip* clip = NULL;
    hf_error error = {0};
    assert_int_equal(hf_clip_open(path, &o, &clip, &error), HF_ERROR_FORMAT);
    assert_null(clip);
    if (!strstr(error.message, part)) fail_msg("\"%s\" does not hold \"%s\"", error.message, part);
}

/* A file with a frame every 1 / rate seconds, written to so many decimal places; one frame comes late. */
static const char* write_csv(const double* values, double rate, int places, int late) {
    FILE* f = fopen(file_path("clip.csv"), "wb");
    fprintf(f, "time");
    for (int i = 0; i < JOINTS; i++) fprintf(f, ",%s.x,%s.y,%s.z", names[i], names[i], names[i]);
    for (int k = 0; k < FRAMES; k++) {
        fprintf(f, "\n%.*f", places, (k + (k == late ? 0.2 : 0)) / rate);
        for (int i = 0; i < 3 * JOINTS; i++) fprintf(f, ",%.12g", values[k * 3 * JOINTS + i]);
    }
    fclose(f);
    return file_path("clip.csv");
}

static void csv_says_names_and_rate(void** state) {
    (void)state;
    double* values = make_values();
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(write_csv(values, 50, 9, -1), 1, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    assert_near(clip->frame_time_s, 0.02, 1e-9);
    check_clip(clip, 1e-8);
    hf_clip_free(clip);
    free(values);
}

/* Times rounded to milliseconds are even, a frame that is late by a fifth of a step is not. */
static void csv_times_are_even(void** state) {
    (void)state;
    double* values = make_values();
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(write_csv(values, 120, 3, -1), 1, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    assert_near(clip->frame_time_s, 1 / 120.0, 1e-3 / (FRAMES - 1));
    hf_clip_free(clip);
    expect_failure(write_csv(values, 50, 9, 30), 0, "is not even");
    hf_clip_options o = hf_clip_options_default();
    o.rate = 50;
    assert_int_equal(hf_clip_open(file_path("clip.csv"), &o, &clip, &error), HF_OK);
    assert_near(clip->frame_time_s, 0.02, 1e-12);
    hf_clip_free(clip);
    free(values);
}

/* Between frames of a slow camera the motion itself has third differences as large as noise: positions stay
   as they are, also in the first and the last frame. */
static void slow_rates_are_not_smoothed(void** state) {
    (void)state;
    static const double rates[] = {15, 10}; /* the second one with noise */
    double* values = make_values();
    hf_random random = hf_random_start(7, 0, 0);
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < FRAMES * JOINTS * 3 && r; i++)
            values[i] += 0.0173 * (hf_random_unit(&random) - 0.5);
        hf_clip* clip = NULL;
        hf_error error = {0};
        if (hf_clip_load(write_csv(values, rates[r], 9, -1), 1, &clip, &error) != HF_OK)
            fail_msg("%s", error.message);
        assert_false(warns(clip, "noise"));
        int root = find(clip, names[0]);
        for (int f = 0; f < FRAMES; f++) {
            hf_transform now[JOINTS];
            const double* at = values + (size_t)f * JOINTS * 3;
            hf_clip_forward(clip, f, now);
            for (int i = 0; i < JOINTS; i++) assert_true(isfinite(hf_length(now[i].position)));
            assert_true(hf_distance(now[root].position, hf_v3(at[0], at[1], at[2])) < 1e-8);
        }
        hf_clip_free(clip);
    }
    free(values);
}

/* Joints of two shanks and none in the middle of the body: each shank is one bone, and one more bone joins
   the two into one tree. */
static void sides_without_a_middle_are_joined(void** state) {
    (void)state;
    static const char* const shanks[] = {"LKnee", "RKnee", "LAnkle", "RAnkle"};
    static const int from[] = {2, 6, 3, 7};
    double* values = make_values();
    FILE* f = fopen(file_path("shanks.csv"), "wb");
    assert_non_null(f);
    fprintf(f, "time");
    for (int i = 0; i < 4; i++) fprintf(f, ",%s.x,%s.y,%s.z", shanks[i], shanks[i], shanks[i]);
    for (int k = 0; k < FRAMES; k++) {
        fprintf(f, "\n%.6f", k / 50.0);
        for (int i = 0; i < 12; i++) fprintf(f, ",%.12g", values[3 * (k * JOINTS + from[i / 3]) + i % 3]);
    }
    fclose(f);
    hf_clip* clip = NULL;
    hf_error error = {0};
    if (hf_clip_load(file_path("shanks.csv"), 1, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(clip->joint_count, 4);
    int crossing = 0;
    for (int i = 0; i < 4; i++) {
        int parent = clip->joints[i].parent;
        assert_true(i == 0 ? parent == -1 : parent >= 0 && parent < i);
        crossing += parent >= 0 && clip->joints[i].name[0] != clip->joints[parent].name[0];
    }
    assert_int_equal(crossing, 1);
    hf_clip_free(clip);
    free(values);
}

static void cut_keeps_the_frames_asked_for(void** state) {
    (void)state;
    double* values = make_values();
    write_names("joints.txt", JOINTS);
    const char* path =
        write_npy("clip.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 8, 3), }", values,
                  FRAMES * JOINTS * 3, false);
    hf_clip_options o = hf_clip_options_default();
    o.rate = 60, o.unit_m = 1, o.from = 10, o.to = 19;
    hf_clip* clip = NULL;
    assert_int_equal(hf_clip_open(path, &o, &clip, NULL), HF_OK);
    assert_int_equal(clip->frame_count, 10);
    hf_transform now[JOINTS];
    hf_vec3 at[JOINTS];
    pose_body(15, at);
    hf_clip_forward(clip, 5, now);
    assert_true(hf_distance(now[find(clip, "RightFoot")].position, at[7]) < 1e-8);
    hf_clip_free(clip);
    free(values);
}

static void wrong_files_are_told(void** state) {
    (void)state;
    double* values = make_values();
    int all = FRAMES * JOINTS * 3;
    const char* whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 8, 3), }";
    write_names("joints.txt", JOINTS);
    expect_failure(write_npy("a.npy", whole, values, all, false), 0, "rate");
    expect_failure(write_npy("a.npy", whole, values, all - 1, false), 60, "bytes follow");
    expect_failure(write_npy("a.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (60, 8, 3), }",
                             values, all, false),
                   60, "Fortran");
    expect_failure(
        write_npy("a.npy", "{'descr':'<f8','fortran_order':True,'shape':(60,8,3)}", values, all, false), 60,
        "Fortran");
    expect_failure(write_npy("a.npy", "{'descr': '>f8', 'fortran_order': False, 'shape': (60, 8, 3), }",
                             values, all, false),
                   60, "little-endian");
    expect_failure(write_npy("a.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 24), }", values,
                             all, false),
                   60, "shape");
    expect_failure(write_npy("a.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 8, 3), }",
                             values, 0, false),
                   60, "no frames");
    expect_failure(write_npy("a.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 8, 3), }",
                             values, 24, false),
                   60, "one frame");
    values[100] = NAN;
    expect_failure(write_npy("a.npy", whole, values, all, false), 60, "finite");
    values[100] = 0;
    write_names("joints.txt", JOINTS - 1);
    expect_failure(write_npy("a.npy", whole, values, all, false), 60, "7 names");
    remove(file_path("joints.txt"));
    expect_failure(file_path("a.npy"), 60, "names of the joints are missing");
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skeleton_is_found_again),     cmocka_unit_test(csv_says_names_and_rate),
        cmocka_unit_test(csv_times_are_even),          cmocka_unit_test(cut_keeps_the_frames_asked_for),
        cmocka_unit_test(wrong_files_are_told),        cmocka_unit_test(noise_is_smoothed),
        cmocka_unit_test(hips_get_a_pelvis),           cmocka_unit_test(sides_without_a_middle_are_joined),
        cmocka_unit_test(slow_rates_are_not_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
