/* Scenes of guide paths, shared by tests and benchmark: boxes put together. */
#ifndef HF_TESTS_GUIDE_SCENES_H
#define HF_TESTS_GUIDE_SCENES_H

#include <holdfast/scene.h>

#include <stdio.h>
#include <stdlib.h>

enum { SCENE_BOXES = 64 };

/* Axis-aligned boxes, each its own object. */
typedef struct box_scene {
    int count;
    hf_vec3 low[SCENE_BOXES], high[SCENE_BOXES];
} box_scene;

static inline void scene_box(box_scene* s, double x0, double x1, double y0, double y1, double z0, double z1) {
    if (s->count == SCENE_BOXES) abort();
    s->low[s->count] = hf_v3(x0, y0, z0);
    s->high[s->count++] = hf_v3(x1, y1, z1);
}

/* A floor of 3 by 3 m and a wall 2.5 m high across it with a square window of this size, its sill at 0.9 m.
 */
static inline box_scene window_scene(double size) {
    box_scene s = {0};
    double a = -0.05, b = 0.05, sill = 0.9;
    scene_box(&s, -1.5, 1.5, -1.5, 1.5, -0.1, 0);
    scene_box(&s, a, b, -1.5, -size / 2, 0, 2.5);
    scene_box(&s, a, b, size / 2, 1.5, 0, 2.5);
    scene_box(&s, a, b, -size / 2, size / 2, 0, sill);
    scene_box(&s, a, b, -size / 2, size / 2, sill + size, 2.5);
    return s;
}

/* The same floor and a bar 0.1 m thick across it that closes everything but a gap above the floor. */
static inline box_scene bar_scene(double gap) {
    box_scene s = {0};
    scene_box(&s, -1.5, 1.5, -1.5, 1.5, -0.1, 0);
    scene_box(&s, -0.05, 0.05, -1.5, 1.5, gap, 2.5);
    return s;
}

static inline hf_scene* scene_of(const box_scene* s) {
    static const uint32_t face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    static float vertices[SCENE_BOXES][24];
    static char names[SCENE_BOXES][16];
    hf_object_def defs[SCENE_BOXES];
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < 8; k++) {
            vertices[i][3 * k] = (float)(k & 1 ? s->high[i].x : s->low[i].x);
            vertices[i][3 * k + 1] = (float)(k & 2 ? s->high[i].y : s->low[i].y);
            vertices[i][3 * k + 2] = (float)(k & 4 ? s->high[i].z : s->low[i].z);
        }
        snprintf(names[i], sizeof names[i], "box%d", i);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        defs[i].mesh = (hf_mesh){8, 12, vertices[i], (uint32_t*)(uintptr_t)face};
    }
    hf_scene* scene = NULL;
    hf_error error;
    if (hf_scene_build(defs, s->count, &scene, &error) != HF_OK) abort();
    return scene;
}

/* The trunk of the comparison: a box of 0.4 x 0.3 x 0.9 m. */
static inline hf_shape trunk_box(void) {
    return (hf_shape){.kind = HF_SHAPE_BOX, .half_size = {0.2, 0.15, 0.45}};
}

/* From their corners. */
static inline hf_scene* scene_of_boxes(const hf_vec3 (*boxes)[2], int count) {
    box_scene s = {0};
    for (int i = 0; i < count; i++)
        scene_box(&s, boxes[i][0].x, boxes[i][1].x, boxes[i][0].y, boxes[i][1].y, boxes[i][0].z,
                  boxes[i][1].z);
    return scene_of(&s);
}

#endif
