/* The human, boxes to stand on, and motions written and read again as BVH clips, for tests of retargeting. */
#ifndef HF_TESTS_CLIP_FIXTURE_H
#define HF_TESTS_CLIP_FIXTURE_H

#include "test.h"

/* A box about a point; its corners are kept in v, which has room for 24 numbers. */
static inline hf_object_def make_box(const char* name, float* v, hf_vec3 middle, hf_vec3 half) {
    static uint32_t t[] = {4, 5, 7, 4, 7, 6, 0, 2, 3, 0, 3, 1, 0, 1, 5, 0, 5, 4,
                           3, 2, 6, 3, 6, 7, 1, 3, 7, 1, 7, 5, 2, 0, 4, 2, 4, 6};
    for (int i = 0; i < 8; i++) {
        v[3 * i] = (float)(middle.x + (i & 1 ? half.x : -half.x));
        v[3 * i + 1] = (float)(middle.y + (i & 2 ? half.y : -half.y));
        v[3 * i + 2] = (float)(middle.z + (i & 4 ? half.z : -half.z));
    }
    hf_object_def def = hf_object_def_default();
    def.name = name;
    def.mesh = (hf_mesh){8, 12, v, t};
    return def;
}

/* A slab of 10 m by 10 m whose upper side is at z = 0. */
static inline hf_object_def floor_box(float* v) {
    return make_box("floor", v, hf_v3(0, 0, -0.5), hf_v3(5, 5, 0.5));
}

static inline hf_scene* make_floor(void) {
    static float v[24];
    hf_object_def def = floor_box(v);
    hf_scene* scene = NULL;
    assert_int_equal(hf_scene_build(&def, 1, &scene, NULL), HF_OK);
    return scene;
}

static inline void turn_joint(const hf_creature* c, double* q, const char* name, double by) {
    int j = hf_creature_find_joint(c, name);
    assert_true(j >= 0);
    q[hf_creature_get(c)->joints[j].q_index] += by;
}

/* The motion, which is freed, as a clip that went through a BVH file of that name. */
static inline hf_clip* clip_of(hf_motion* motion, const hf_creature* human, double rate, const char* name) {
    char path[1024];
    hf_export_options o = hf_export_options_default();
    hf_error error = {0};
    hf_clip* clip = NULL;
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    o.fps = rate;
    if (hf_motion_export(motion, human, &o, path, &error) != HF_OK) fail_msg("%s", error.message);
    if (hf_clip_load(path, 0, &clip, &error) != HF_OK) fail_msg("%s", error.message);
    hf_motion_free(motion);
    return clip;
}

#endif
