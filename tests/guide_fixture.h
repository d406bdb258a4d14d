/* What tests of guide paths share: worlds of boxes, a plain box to move, the shipped human. */
#ifndef HF_TESTS_GUIDE_FIXTURE_H
#define HF_TESTS_GUIDE_FIXTURE_H

#include "test.h"
#include "guide_scenes.h"

typedef struct guide_world {
    hf_scene* scene;
    hf_placement* placement;
    hf_workspace* workspace;
} guide_world;

static inline guide_world world_of(box_scene s) {
    guide_world w = {.scene = scene_of(&s)};
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    return w;
}

static inline void world_free(guide_world* w) {
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
    hf_workspace_free(w->workspace);
}

static inline hf_guide_model* plain(void) {
    hf_shape box = trunk_box();
    hf_guide_model* m;
    assert_int_equal(hf_guide_model_create_plain(&box, hf_transform_identity(), &m, NULL), HF_OK);
    return m;
}

/* It takes a moment to make: once for each program, which frees it at its end. */
static inline hf_guide_model* human(void) {
    static hf_guide_model* m;
    if (m) return m;
    hf_creature* c;
    hf_error e;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &c, &e), HF_OK);
    hf_guide_model_options o = hf_guide_model_options_default();
    assert_int_equal(hf_guide_model_create(c, &o, &m, &e), HF_OK);
    hf_creature_free(c); // the model does not need it any more
    return m;
}

static inline hf_transform at(double x, double y, double z) {
    return (hf_transform){hf_v3(x, y, z), hf_quat_identity()};
}

#endif
