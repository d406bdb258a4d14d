/* BVH clips: odd files that exist, broken files, units, and the round trip. */
#include "odd_creature.h"
#include "test_file.h"
#include "io/euler.h"

#include <locale.h>
#include <stdlib.h>

static hf_clip* load_text(const char* text, double unit_m) {
    hf_clip* clip = NULL;
    hf_error error = {0};
    hf_status status = hf_clip_load(write_file("clip.bvh", text), unit_m, &clip, &error);
    if (status != HF_OK) fail_msg("%s (line %d)", error.message, error.line);
    return clip;
}

static const char odd_file[] =
    "HIERARCHY\r\n"
    "ROOT mixamorig:Left Hip\r\n"
    "{\r\n"
    "\tOFFSET\t0 0 0\r\n"
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\r\n"
    "\tJOINT  knee {\r\n"
    "\t\tOFFSET 0 -0.8 0\r\n"
    "\t\tCHANNELS 6 Yrotation Zposition Xrotation Xposition Zrotation Yposition\r\n"
    "\t\tEnd site\r\n"
    "\t\t{ OFFSET 0 -.9 1e-1 }\r\n"
    "\t}\r\n"
    "}\r\n"
    "MOTION\r\n"
    "Frames:\t3\r\n"
    "Frame Time:\t.0083333\r\n"
    "1 2-3-4.5 5 6 90 0.25-0.125-.5 7 8e-1\r\n"
    "0 1 0 0 0 0 0 0 0 0 0 -0.8";

/* Every oddity at once: CRLF, tabs, names with spaces and colons, a brace on the name's line, mixed
   channel order, fused numbers, a frame count one too high, no final newline. */
static void test_odd_file(void** state) {
    (void)state;
    hf_clip* clip = load_text(odd_file, 1);
    assert_int_equal(clip->joint_count, 3);
    assert_int_equal(clip->end_site_count, 1);
    assert_int_equal(clip->channel_count, 12);
    assert_int_equal(clip->frame_count, 2);
    assert_string_equal(clip->joints[0].name, "mixamorig:Left Hip");
    assert_string_equal(clip->joints[1].name, "knee");
    assert_int_equal(clip->joints[1].parent, 0);
    assert_int_equal(clip->joints[2].parent, 1);
    assert_true(clip->joints[2].end_site);
    assert_near(clip->joints[2].offset.z, 0.1, 0);
    const double expected[12] = {1, 2, -3, -4.5, 5, 6, 90, 0.25, -0.125, -.5, 7, .8};
    for (int i = 0; i < 12; i++) assert_near(clip->values[i], expected[i], 0);
    assert_near(clip->frame_time_s, 0.0083333, 0);
    assert_int_equal(clip->warning_count, 1);
    assert_non_null(strstr(clip->warnings[0], "3 frames are declared, 2 are there"));
    hf_clip_free(clip);
}

/* Forward kinematics against matrices written out by hand: R = Ry Rx Rz in channel order. */
static void test_forward(void** state) {
    (void)state;
    hf_clip* clip = load_text("HIERARCHY ROOT a { OFFSET 9 9 9 CHANNELS 6 Xposition Yposition Zposition "
                              "Yrotation Xrotation Zrotation\nJOINT b\n{ OFFSET 1 2 3 CHANNELS 3 Zrotation "
                              "Yrotation Xrotation End Site { OFFSET 0 1 0 } } }\nMOTION\nFrames: 1\n"
                              "Frame Time: 0.1\n10 20 30 90 0 90 0 0 90\n",
                              0.5);
    hf_transform joints[3];
    hf_clip_forward(clip, 0, joints);
    /* Position channels replace the offset; (x, y, z) of the file is (x, -z, y) of the world. */
    assert_near(joints[0].position.x, 5, 1e-12);
    assert_near(joints[0].position.y, -15, 1e-12);
    assert_near(joints[0].position.z, 10, 1e-12);
    /* Rz(90) takes (1,2,3) to (-2,1,3), Ry(90) takes that to (3,1,2). */
    assert_near(joints[1].position.x, 0.5 * (10 + 3), 1e-12);
    assert_near(joints[1].position.y, -0.5 * (30 + 2), 1e-12);
    assert_near(joints[1].position.z, 0.5 * (20 + 1), 1e-12);
    /* Rx(90) takes (0,1,0) to (0,0,1), Rz keeps it, Ry(90) takes it to (1,0,0). */
    assert_near(joints[2].position.x - joints[1].position.x, 0.5, 1e-12);
    assert_near(joints[2].position.y - joints[1].position.y, 0, 1e-12);
    /* Without rotations every joint stands at the sum of the offsets. */
    hf_clip_forward(clip, -1, joints);
    assert_near(joints[1].position.x, 5, 1e-12);
    assert_near(joints[1].position.z, 5.5, 1e-12);
    hf_clip_free(clip);
}

/* Height 2 x leg and extent decide; every unit that files use is told apart. */
static void test_units(void** state) {
    (void)state;
    const struct {
        double file_height, unit;
    } cases[] = {{1.75, 1}, {168, 0.01}, {1820, 0.001}, {66, 0.0254}, {30, 0.0254 / 0.45}};
    for (int i = 0; i < 5; i++) {
        char text[600];
        double h = cases[i].file_height;
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT leg\n{\n"
            "OFFSET 0 %g 0\nCHANNELS 1 Xrotation\n}\nJOINT head\n{\nOFFSET 0 %g 0\nCHANNELS 1 Xrotation\n}\n"
            "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0\n",
            -0.5 * h, 0.5 * h);
        hf_clip* clip = load_text(text, 0);
        assert_true(clip->unit_guessed);
        assert_near(clip->unit_m, cases[i].unit, 1e-12);
        assert_near(clip->height_m, h * cases[i].unit, 1e-9);
        assert_int_equal(clip->warning_count, 1);
        assert_non_null(strstr(clip->warnings[0], "unit guessed"));
        hf_clip_free(clip);
        clip = load_text(text, 2);
        assert_false(clip->unit_guessed);
        assert_near(clip->height_m, 2 * h, 1e-9);
        // a unit that is more than five times the likely one is taken, and doubted
        assert_int_equal(clip->warning_count, cases[i].unit * 5 < 2);
        if (clip->warning_count) assert_non_null(strstr(clip->warnings[0], "makes the skeleton"));
        hf_clip_free(clip);
    }
}

/* Blender writes Z up where it is told to: such a skeleton stands along Z. */
static void test_z_up(void** state) {
    (void)state;
    hf_clip* clip =
        load_text("HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation "
                  "Yrotation Zrotation\nJOINT leg\n{\nOFFSET 0.1 0 -0.9\nCHANNELS 1 Xrotation\n}\nJOINT "
                  "head\n{\nOFFSET 0 0.1 0.8\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 1\nFrame Time: "
                  "0.1\n1 2 0.9 0 0 0 0 0\n",
                  0);
    assert_true(clip->z_up);
    assert_near(clip->unit_m, 1, 0);
    assert_near(clip->height_m, 1.8, 1e-12);
    hf_transform joints[3];
    hf_clip_forward(clip, 0, joints);
    assert_near(joints[2].position.y, 2.1, 1e-12);
    assert_near(joints[2].position.z, 1.7, 1e-12);
    hf_clip_free(clip);
}

/* A file is refused with the line of what is wrong. */
static void test_broken(void** state) {
    (void)state;
#define HEAD "HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    const struct {
        const char* text;
        int line;
        const char* says;
    } cases[] = {
        {"", 1, "HIERARCHY"},
        {"\x01\x02\x03", 1, "HIERARCHY"},
        {"HIERARCHY\nJOINT a\n{", 2, "outside"},
        {"HIERARCHY\nROOT \n{", 2, "no name"},
        {HEAD "}\nROOT b\n{", 7, "second ROOT"},
        {HEAD, 6, "ends inside joint \"a\""},
        {HEAD "JOINT b\n{\nCHANNELS 0\n}\n", 9, "no OFFSET"},
        {HEAD "CHANNELS 1 Xrotation", 6, "twice"},
        {HEAD "OFFSET 1 2 3", 6, "twice"},
        {HEAD "JOINT b\n{\nOFFSET 1 x 3", 8, "not \"x\""},
        {HEAD "JOINT b\n{\nOFFSET 1 nan 3", 8, "not \"nan\""},
        {HEAD "JOINT b\n{\nOFFSET 1 1e999 3", 8, "1e999"},
        {HEAD "JOINT b\n{\nOFFSET 1 2 3 CHANNELS 1 Xrotatoin", 8, "did you mean \"Xrotation\""},
        {HEAD "JOINT b\n{\nOFFSET 1 2 3 CHANNELS 7 Xrotation", 8, "up to 6"},
        {HEAD "JOINT b\n{\nOFFSET 1 2 3 CHANNELS 2 Xrotation Xrotation", 8, "twice"},
        {HEAD "}\n", 7, "MOTION"},
        {HEAD "}\nMOTION\nFrames 2\n", 8, "colon"},
        {HEAD "}\nMOTION\nFrames: 1\nFrame Time: 0\n1 2 3", 9, "frame time"},
        {HEAD "}\nMOTION\nFrames: 1\nFrame Time: -1\n1 2 3", 9, "frame time"},
        {HEAD "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3\n4 5\n", 11, "not whole"},
        {HEAD "}\nMOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3\n4 5\n6 7 8\n", 11, "not whole"},
        {HEAD "}\nMOTION\nFrames: 9\nFrame Time: 0.1\n1 2 3\n4 5 6\n", 12, "9 frames are declared, 2"},
        {HEAD "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n", 10, "1 frames are declared, 0"},
        {HEAD "}\nMOTION\nFrames: 1e99\nFrame Time: 0.1\n1 2 3", 8, "whole number"},
        {HEAD "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3\n4 inf 6\n", 11, "not \"inf\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hf_clip* clip = (hf_clip*)1;
        hf_error error = {0};
        hf_status status = hf_clip_load(write_file("broken.bvh", cases[i].text), 1, &clip, &error);
        assert_int_equal(status, HF_ERROR_FORMAT);
        assert_null(clip);
        if (!strstr(error.message, cases[i].says) || error.line != cases[i].line)
            fail_msg("case %zu: line %d, \"%s\"", i, error.line, error.message);
    }
    hf_clip* clip;
    hf_error error;
    assert_int_equal(hf_clip_load(test_folder(), 1, &clip, &error), HF_ERROR_FILE);
    assert_int_equal(hf_clip_load("no/such.bvh", 1, &clip, &error), HF_ERROR_FILE);
    assert_int_equal(hf_clip_load(write_file("unit.bvh", odd_file), NAN, &clip, &error), HF_ERROR_ARGUMENT);
}

/* Every way to cut the file short is refused, but for the end of the last line, where only the number
   of frames (off by one) or the last digit can change. */
static void test_truncated(void** state) {
    (void)state;
    const char* last_frame = strstr(odd_file, "\r\n0 1 0");
    for (size_t n = 0; n < (size_t)(last_frame - odd_file); n++) {
        char text[sizeof odd_file];
        memcpy(text, odd_file, n);
        text[n] = 0;
        hf_clip* clip;
        hf_error error;
        if (hf_clip_load(write_file("cut.bvh", text), 1, &clip, &error) == HF_OK)
            fail_msg("accepted after %zu bytes", n);
        assert_null(clip);
    }
}

static void assert_same_clip(const hf_clip* a, const hf_clip* b, double tolerance) {
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->channel_count, b->channel_count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_near(a->frame_time_s, b->frame_time_s, tolerance);
    for (int i = 0; i < a->joint_count; i++) {
        assert_string_equal(a->joints[i].name, b->joints[i].name);
        assert_int_equal(a->joints[i].parent, b->joints[i].parent);
        assert_int_equal(a->joints[i].end_site, b->joints[i].end_site);
        assert_int_equal(a->joints[i].channel_count, b->joints[i].channel_count);
        for (int k = 0; k < a->joints[i].channel_count; k++)
            assert_int_equal(a->joints[i].channels[k], b->joints[i].channels[k]);
        assert_near(hf_distance(a->joints[i].offset, b->joints[i].offset), 0, tolerance);
    }
    for (long i = 0; i < (long)a->frame_count * a->channel_count; i++)
        assert_near(a->values[i], b->values[i], tolerance);
}

static void round_trip(const hf_clip* clip) {
    char path[1024];
    snprintf(path, sizeof path, "%s/round.bvh", test_folder());
    hf_error error = {0};
    assert_int_equal(hf_clip_save(clip, path, &error), HF_OK);
    hf_clip* back;
    assert_int_equal(hf_clip_load(path, clip->unit_m, &back, &error), HF_OK);
    /* The writer keeps every bit. */
    assert_same_clip(clip, back, 0);
    hf_clip_free(back);
}

static void test_round_trip(void** state) {
    (void)state;
    hf_clip* clip = load_text(odd_file, 1);
    round_trip(clip);
    /* A locale with a decimal comma changes nothing, where the machine has one. */
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) round_trip(clip);
    setlocale(LC_ALL, "C");
    /* Joints that are no tree branch by branch cannot be written. */
    hf_error error = {0};
    clip->joints[2].parent = -1;
    assert_int_equal(hf_clip_save(clip, "unwritten.bvh", &error), HF_ERROR_ARGUMENT);
    hf_clip_free(clip);
}

/* The library's clips: frames, unit, height; frame 0 is an upright T-pose. */
static void test_third_party(void** state) {
    (void)state;
    const struct {
        const char* name;
        int joints, frames;
        double unit;
    } clips[] = {{"02_01", 31, 344, 0.05644},
                 {"143_17", 31, 633, 0.05644},
                 {"143_18", 31, 753, 0.05644},
                 {"pirouette", 43, 592, 0.01}};
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "motions/%s.bvh", clips[i].name);
        const char* path = third_party(name);
        if (!path) skip();
        hf_clip* clip;
        hf_error error = {0};
        assert_int_equal(hf_clip_load(path, 0, &clip, &error), HF_OK);
        assert_int_equal(clip->frame_count, clips[i].frames);
        assert_near(clip->unit_m, clips[i].unit, 1e-5);
        assert_true(clip->height_m > 1.6 && clip->height_m < 2.0);
        assert_false(clip->z_up);
        if (clips[i].joints) assert_int_equal(clip->joint_count - clip->end_site_count, clips[i].joints);
        round_trip(clip);
        hf_clip_free(clip);
    }
}

/* A motion of every joint type goes out and comes back with all links where they were. */
static void test_export(void** state) {
    (void)state;
    hf_creature* creature = load_odd_creature();
    const hf_creature_view* view = hf_creature_get(creature);
    hf_motion* motion;
    hf_error error = {0};
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    double q[32];
    hf_pose pose = {.q = q};
    hf_random random = hf_random_start(11, 1, 0);
    for (int i = 0; i < 40; i++) {
        random_pose(creature, &random, &pose);
        assert_non_null(hf_motion_add(motion, i / 60.0, &pose));
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/exported.bvh", test_folder());
    hf_export_options options = hf_export_options_default();
    options.fps = 60;
    assert_int_equal(hf_motion_export(motion, creature, &options, path, &error), HF_OK);
    hf_clip* clip;
    assert_int_equal(hf_clip_load(path, 0.01, &clip, &error), HF_OK);
    assert_int_equal(clip->frame_count, 40);
    assert_near(clip->frame_time_s, 1 / 60.0, 1e-12);
    assert_int_equal(clip->joint_count - clip->end_site_count, view->link_count);
    int compared = 0;
    hf_transform links[16], joints[32];
    assert_true(view->link_count <= 16 && clip->joint_count <= 32);
    for (int f = -1; f < 40; f++) {
        /* Without rotations: the rest posture, ahead along the file's +Z, which is -Y here. */
        hf_pose_rest(creature, &pose);
        pose.root = (hf_transform){{0, 0, 0}, hf_quat_axis_angle(hf_v3(0, 0, 1), -1.5707963267948966)};
        if (f >= 0) {
            pose.root = motion->frames[f].root;
            memcpy(q, motion->frames[f].q, (size_t)view->q_count * sizeof *q);
        }
        hf_forward(creature, &pose, links);
        hf_clip_forward(clip, f, joints);
        for (int j = 0; j < clip->joint_count; j++) {
            if (clip->joints[j].end_site) continue;
            char name[64];
            snprintf(name, sizeof name, "%s", clip->joints[j].name);
            if (strcmp(name, "upper_arm") == 0) name[5] = ' ';
            int link = hf_creature_find_link(creature, name);
            assert_true(link >= 0);
            /* Links that slide have no offset in the file: only their frames tell where they are. */
            bool slides = false;
            for (int up = j; up > 0; up = clip->joints[up].parent)
                slides |= clip->joints[up].channel_count == 6;
            if (f < 0 && slides) continue;
            compared += f < 0;
            assert_near(hf_distance(links[link].position, joints[j].position), 0, 1e-9);
        }
    }
    assert_int_equal(compared, 5);
    hf_clip_free(clip);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

/* The clip as a motion of its own creature: every joint where the clip has it, inside the limits. */
static void follow_clip(const char* path, double unit_m, bool whole, int absorbed) {
    hf_clip* clip;
    hf_creature* creature;
    hf_motion* motion;
    hf_error error = {0};
    hf_load_options options = hf_load_options_default();
    options.unit_m = unit_m;
    assert_int_equal(hf_clip_load(path, unit_m, &clip, &error), HF_OK);
    if (hf_creature_load(path, &options, &creature, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_clip_motion(clip, creature, &motion, &error) != HF_OK) fail_msg("%s", error.message);
    const hf_creature_view* view = hf_creature_get(creature);
    assert_int_equal(motion->frame_count, clip->frame_count);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    hf_transform* joints = calloc((size_t)clip->joint_count, sizeof *joints);
    for (int f = 0; f < clip->frame_count; f += whole ? 1 : 7) {
        hf_pose pose = {motion->frames[f].root, motion->frames[f].q};
        hf_forward(creature, &pose, links);
        hf_clip_forward(clip, f, joints);
        int found = 0;
        for (int j = 0; j < clip->joint_count; j++) {
            int link = clip->joints[j].end_site ? -1 : hf_creature_find_link(creature, clip->joints[j].name);
            if (link < 0) continue;
            found++;
            assert_near(hf_distance(links[link].position, joints[j].position), 0, 1e-9);
        }
        assert_int_equal(found, clip->joint_count - clip->end_site_count - absorbed);
        for (int j = 0; j < view->joint_count; j++) {
            if (view->joints[j].q_count == 0) continue;
            double value = motion->frames[f].q[view->joints[j].q_index];
            assert_true(value >= view->joints[j].lower && value <= view->joints[j].upper);
            /* Angles do not jump by a turn from frame to frame. */
            if (f > 0) assert_true(fabs(value - motion->frames[f - 1].q[view->joints[j].q_index]) < 3.1416);
        }
    }
    /* Written as a URDF and loaded again the creature still takes the clip, pose by pose. */
    char urdf[1100];
    snprintf(urdf, sizeof urdf, "%s/rig.urdf", test_folder());
    hf_creature* again;
    hf_motion* same;
    assert_int_equal(hf_creature_write_urdf(creature, urdf, &error), HF_OK);
    if (hf_creature_load(urdf, NULL, &again, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_clip_motion(clip, again, &same, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(same->q_count, motion->q_count);
    for (int f = 0; f < motion->frame_count; f++)
        assert_memory_equal(same->frames[f].q, motion->frames[f].q, (size_t)motion->q_count * sizeof(double));
    /* People's rigs have the limbs that a person would name. */
    const char* limbs[] = {"left_arm", "right_arm", "left_leg", "right_leg"};
    for (int i = 0; i < 4 && !whole; i++) {
        int limb = hf_creature_find_limb(creature, limbs[i]);
        assert_true(limb >= 0 && view->limbs[limb].use);
        assert_true(view->limbs[limb].length > 0.5 && view->limbs[limb].length < 1.2);
    }
    hf_motion_free(same);
    hf_creature_free(again);
    free(links);
    free(joints);
    hf_motion_free(motion);
    hf_creature_free(creature);
    hf_clip_free(clip);
}

static void test_clip_motion(void** state) {
    (void)state;
    follow_clip(write_file("odd.bvh", odd_file), 1, true, 0);
    /* A handle above the body is absorbed with its own motion; joints of one name get others. */
    follow_clip(
        write_file("handle.bvh",
                   "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
                   "Zrotation Xrotation Yrotation\nJOINT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                   "Yposition Zposition Zrotation Yrotation Xrotation\nJOINT Leg\n{\nOFFSET 10 -80 0\n"
                   "CHANNELS 2 Xrotation Zrotation\n}\nJOINT Chest\n{\nOFFSET 0 50 1\nCHANNELS 0\n}\n}\n}\n"
                   "MOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3 10 20 30 0 90 5 40 50 60 70 80\n"
                   "2 2 3 10 20 30 0 91 5 140 95 260 470 -80\n2 2 3 10 20 30 0 92 5 170 99 270 -470 -80\n"),
        0, true, 1);
    const char* names[] = {"motions/02_01.bvh", "motions/143_17.bvh", "motions/143_18.bvh",
                           "motions/pirouette.bvh"};
    for (int i = 0; i < 4; i++) {
        const char* path = third_party(names[i]);
        if (!path) return;
        follow_clip(path, 0, false, 0);
    }
}

/* A rig's creature: three angles a joint, bodies along the bones, plausible weight, facing +X. */
static void test_creature(void** state) {
    (void)state;
    hf_creature* creature;
    hf_error error = {0};
    const char* text =
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\nJOINT LeftLeg\n{\nOFFSET %s10 -90 0\nCHANNELS 3 Zrotation Xrotation "
        "Yrotation\nEnd Site\n{\nOFFSET 0 0 20\n}\n}\nJOINT RightLeg\n{\nOFFSET %s10 -90 0\n"
        "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0 20\n}\n}\nJOINT "
        "Head\n{\nOFFSET 0 80 0\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 0\nFrame Time: 0.1\n";
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        char file[1200];
        snprintf(file, sizeof file, text, mirrored ? "-" : "", mirrored ? "" : "-");
        if (hf_creature_load(write_file("rig.bvh", file), NULL, &creature, &error) != HF_OK)
            fail_msg("%s", error.message);
        const hf_creature_view* view = hf_creature_get(creature);
        assert_int_equal(view->joint_count, 7);
        assert_int_equal(view->link_count, 8);
        assert_string_equal(view->links[0].name, "Hips");
        int left = hf_creature_find_link(creature, "LeftLeg");
        assert_true(left >= 0);
        assert_true(hf_creature_find_joint(creature, "LeftLeg_x") >= 0);
        double q[7] = {0};
        hf_pose pose = {hf_transform_identity(), q};
        hf_transform links[8];
        hf_forward(creature, &pose, links);
        /* 1.8 m tall by the guess; left is +Y, also where the file looks the other way. */
        assert_near(links[left].position.y, 0.1, 1e-9);
        assert_near(links[left].position.z, -0.9, 1e-9);
        /* As heavy as water in the shape of the bodies. */
        double litres = 0;
        for (int i = 0; i < view->body_count; i++) {
            const hf_shape* body = &view->bodies[i].shape;
            double r = body->radius, l = 2 * body->half_length;
            litres += body->kind == HF_SHAPE_BOX
                          ? 8000 * body->half_size.x * body->half_size.y * body->half_size.z
                          : 3141.592653589793 * r * r * (l + 4 * r / 3);
        }
        assert_near(view->mass, litres, 1e-6);
        assert_true(view->links[left].mass > 0);
        bool told = false;
        for (int i = 0; i < view->warnings.count; i++)
            told |= strstr(view->warnings.items[i], "unit guessed") != NULL;
        assert_true(told);
        hf_creature_free(creature);
    }
    hf_motion* motion;
    hf_clip* clip;
    hf_creature* other = load_odd_creature();
    assert_int_equal(hf_clip_load(write_file("odd.bvh", odd_file), 1, &clip, &error), HF_OK);
    assert_int_equal(hf_clip_motion(clip, other, &motion, &error), HF_ERROR_ARGUMENT);
    assert_null(motion);
    hf_clip_free(clip);
    hf_creature_free(other);
}

/* Turns of every order of three axes, the middle one straight up and down among them, come back. */
static void test_euler(void** state) {
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    hf_random random = hf_random_start(7, 7, 7);
    for (int i = 0; i < 6000; i++) {
        const int* axes = orders[i % 6];
        double middle = i % 5 == 0 ? (i % 2 ? 90 : -90) : hf_random_between(&random, -180, 180);
        double given[3] = {hf_random_between(&random, -180, 180), middle,
                           hf_random_between(&random, -180, 180)};
        hf_quat turn = hf_quat_identity(), back = turn;
        double found[3] = {given[0] + 3, given[1], given[2] - 3};
        for (int pass = 0; pass < 2; pass++) {
            hf_quat* made = pass ? &back : &turn;
            const double* degrees = pass ? found : given;
            for (int k = 0; k < 3; k++)
                *made = hf_quat_mul(*made, hf_quat_axis_angle(hf_v3(axes[k] == 0, axes[k] == 1, axes[k] == 2),
                                                              degrees[k] * 0.017453292519943295));
            if (pass == 0) hf_euler_degrees(turn, axes, found);
        }
        assert_near(hf_quat_angle(turn, back), 0, 1e-6);
        for (int k = 0; k < 3; k++) assert_true(fabs(found[k] - given[k]) <= 370);
    }
}

/* A handle above the root, a joint that slides, angles in several orders, one joint with a single angle. */
static const char* const rig_text =
    "HIERARCHY\nROOT reference\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT hips\n{\nOFFSET 1 2 3\nCHANNELS 3 Yrotation Zrotation Xrotation\n"
    "JOINT left_thigh\n{\nOFFSET 9 -5 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT left_shin\n{\n"
    "OFFSET 0 -40 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 -40 5\n}\n}\n}\n"
    "JOINT chest\n{\nOFFSET 0 40 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "End Site\n{\nOFFSET 0 30 0\n}\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0125\n"
    "4 90 6 10 20 30 5 6 7 1 2 3 4 0 40 0 7 8 9\n5 91 6 10 20 30 50 60 70 21 22 23 24 3 44 5 17 18 19\n";

static void test_rig_back(void** state) {
    (void)state;
    char path[1024], out[1024];
    snprintf(path, sizeof path, "%s/rig.bvh", test_folder());
    snprintf(out, sizeof out, "%s/rig-back.bvh", test_folder());
    FILE* file = fopen(path, "wb");
    fwrite(rig_text, 1, strlen(rig_text), file);
    fclose(file);
    hf_load_options load = hf_load_options_default();
    load.unit_m = 0.01;
    hf_error error = {0};
    hf_creature* creature;
    hf_motion* motion;
    hf_clip *clip, *back;
    if (hf_creature_load(path, &load, &creature, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(hf_clip_load(path, 0.01, &clip, &error), HF_OK);
    assert_int_equal(hf_motion_create(creature, NULL, &motion), HF_OK);
    const hf_creature_view* view = hf_creature_get(creature);
    double q[64];
    hf_pose pose = {.q = q};
    hf_random random = hf_random_start(12, 1, 0);
    assert_true(view->q_count <= 64 && view->link_count <= 64);
    for (int i = 0; i < 40; i++) {
        random_pose(creature, &random, &pose);
        assert_non_null(hf_motion_add(motion, i / 80.0, &pose));
    }
    hf_export_options options = hf_export_options_default();
    options.rig = path;
    options.rig_unit_m = 0.01;
    if (hf_motion_export(motion, creature, &options, out, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(hf_clip_load(out, 0.01, &back, &error), HF_OK);
    assert_int_equal(back->frame_count, 40);
    assert_near(back->frame_time_s, 0.0125, 1e-12);
    assert_int_equal(back->joint_count, clip->joint_count);
    for (int j = 0; j < clip->joint_count; j++) {
        assert_string_equal(back->joints[j].name, clip->joints[j].name);
        assert_near(hf_distance(back->joints[j].offset, clip->joints[j].offset), 0, 0);
        assert_int_equal(back->joints[j].channel_count, clip->joints[j].channel_count);
        assert_memory_equal(back->joints[j].channels, clip->joints[j].channels,
                            (size_t)clip->joints[j].channel_count * sizeof(int));
    }
    hf_transform links[64], joints[16];
    for (int f = 0; f < 40; f++) {
        pose = (hf_pose){motion->frames[f].root, motion->frames[f].q};
        hf_forward(creature, &pose, links);
        hf_clip_forward(back, f, joints);
        for (int j = 1; j < back->joint_count; j++) {
            if (back->joints[j].end_site) continue;
            int link = hf_creature_find_link(creature, back->joints[j].name);
            assert_true(link >= 0);
            assert_near(hf_distance(links[link].position, joints[j].position), 0, 1e-9);
        }
    }
    hf_clip_free(back);
    hf_clip_free(clip);
    hf_motion_free(motion);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_file),    cmocka_unit_test(test_forward),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_broken),
        cmocka_unit_test(test_truncated),   cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_third_party), cmocka_unit_test(test_export),
        cmocka_unit_test(test_clip_motion), cmocka_unit_test(test_creature),
        cmocka_unit_test(test_euler),       cmocka_unit_test(test_rig_back),
        cmocka_unit_test(test_z_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
