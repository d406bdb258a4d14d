/* A level square of many triangles, for tests of what fine meshes do. */
#ifndef HF_TESTS_GRID_MESH_H
#define HF_TESTS_GRID_MESH_H

#include "test.h"

#include <stdlib.h>

/* `side` x `side` cells of two triangles each, `width_m` wide, from this corner along X and Y. The caller
   frees both arrays. */
static inline hf_mesh grid_mesh(int side, double width_m, hf_vec3 corner) {
    int n = side + 1;
    hf_mesh m = {n * n, 2 * side * side, malloc(sizeof(float) * 3 * (size_t)(n * n)),
                 malloc(sizeof(uint32_t) * 6 * (size_t)(side * side))};
    assert_true(m.vertices && m.indices);
    for (int i = 0; i < n * n; i++) {
        m.vertices[3 * i] = (float)(corner.x + width_m * (i % n) / side);
        m.vertices[3 * i + 1] = (float)(corner.y + width_m * (i / n) / side);
        m.vertices[3 * i + 2] = (float)corner.z;
    }
    for (int i = 0; i < side * side; i++) {
        uint32_t a = (uint32_t)(i / side * n + i % side), b = a + 1, c = a + (uint32_t)n, d = c + 1;
        const uint32_t two[6] = {a, b, d, a, d, c};
        memcpy(m.indices + 6 * i, two, sizeof two);
    }
    return m;
}

/* The same as a scene of one object. */
static inline hf_scene* grid_scene(int side, double width_m, hf_vec3 corner) {
    hf_object_def def = hf_object_def_default();
    def.name = "floor";
    def.mesh = grid_mesh(side, width_m, corner);
    hf_scene* scene = NULL;
    hf_error error;
    assert_int_equal(hf_scene_build(&def, 1, &scene, &error), HF_OK);
    free(def.mesh.vertices);
    free(def.mesh.indices);
    return scene;
}

#endif
