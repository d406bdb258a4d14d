/* A box as an object of a scene, for tests. */
#ifndef HF_TESTS_BOX_OBJECT_H
#define HF_TESTS_BOX_OBJECT_H

#include "test.h"

/* From low to high. The caller frees the mesh once the scene is built. */
static inline hf_object_def box_object(const char* name, hf_vec3 low, hf_vec3 high, hf_mesh* mesh) {
    hf_shape shape = {.kind = HF_SHAPE_BOX, .half_size = hf_scale(hf_sub(high, low), 0.5)};
    assert_int_equal(hf_shape_mesh(&shape, 8, mesh), HF_OK);
    hf_object_def def = hf_object_def_default();
    def.name = name;
    def.mesh = *mesh;
    def.start.position = hf_scale(hf_add(low, high), 0.5);
    return def;
}

#endif
