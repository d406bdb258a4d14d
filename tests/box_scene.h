/* Scenes of closed boxes. */
#ifndef HF_TESTS_BOX_SCENE_H
#define HF_TESTS_BOX_SCENE_H

#include "test.h"

static inline void box(float* v, uint32_t* t, hf_vec3 low, hf_vec3 high) {
    static const uint32_t sides[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 8; i++) {
        v[3 * i] = (float)(i & 1 ? high.x : low.x);
        v[3 * i + 1] = (float)(i & 2 ? high.y : low.y);
        v[3 * i + 2] = (float)(i & 4 ? high.z : low.z);
    }
    memcpy(t, sides, sizeof sides);
}

/* At most 8, named "a" to "h". */
static inline hf_scene* scene_of_boxes(const hf_vec3 (*boxes)[2], int count) {
    float v[8][24];
    uint32_t t[8][36];
    hf_object_def defs[8];
    static const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (int i = 0; i < count; i++) {
        box(v[i], t[i], boxes[i][0], boxes[i][1]);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        defs[i].mesh = (hf_mesh){.vertices = v[i], .vertex_count = 8, .indices = t[i], .triangle_count = 12};
    }
    hf_scene* scene;
    assert_int_equal(hf_scene_build(defs, count, &scene, NULL), HF_OK);
    return scene;
}

#endif
