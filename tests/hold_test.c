/* Holds: what a posture touches, and the way into an object's frame and back. */
#include "test.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdlib.h>

enum { CELLS = 60 };
static const double CELL_M = 0.02;

/* A level floor of many small triangles about the origin. */
static hf_scene* fine_floor(double height) {
    int side = CELLS + 1;
    float* v = calloc((size_t)(side * side) * 3, sizeof *v);
    uint32_t* t = calloc((size_t)(CELLS * CELLS) * 6, sizeof *t);
    assert_true(v && t);
    for (int i = 0; i < side * side; i++) {
        v[3 * i] = (float)((i % side - CELLS / 2) * CELL_M);
        v[3 * i + 1] = (float)((i / side - CELLS / 2) * CELL_M);
        v[3 * i + 2] = (float)height;
    }
    for (int i = 0; i < CELLS * CELLS; i++) {
        uint32_t a = (uint32_t)(i / CELLS * side + i % CELLS), b = a + 1, c = a + (uint32_t)side, d = c + 1;
        uint32_t two[6] = {a, b, d, a, d, c};
        for (int k = 0; k < 6; k++) t[6 * i + k] = two[k];
    }
    hf_object_def def = hf_object_def_default();
    def.name = "floor";
    def.mesh = (hf_mesh){
        .vertices = v, .vertex_count = side * side, .indices = t, .triangle_count = 2 * CELLS * CELLS};
    hf_scene* scene = NULL;
    hf_error error;
    assert_int_equal(hf_scene_build(&def, 1, &scene, &error), HF_OK);
    free(v);
    free(t);
    return scene;
}

/* The nearest surface is found among any number of triangles, straight under the foot. */
static void fine_meshes_are_touched(void** state) {
    (void)state;
    hf_creature* creature = NULL;
    hf_error error;
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/quadruped.creature.json"), NULL, &creature, &error),
        HF_OK);
    const hf_creature_view* c = hf_creature_get(creature);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    double* q = calloc((size_t)c->q_count, sizeof *q);
    for (int i = 0; i < c->q_count; i++) q[i] = c->rest[i];
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(creature, &pose, links);
    int touched = 0;
    for (int limb = 0; limb < c->limb_count; limb++) {
        if (c->limbs[limb].contact_count == 0 || !(c->limbs[limb].contacts[0].ball > 0)) continue;
        const hf_contact_frame* f = &c->limbs[limb].contacts[0];
        hf_vec3 at = hf_apply(links[f->link], f->offset);
        // 5 mm under the ball, and moved so that the foot is over the middle of the floor
        hf_scene* scene = fine_floor(at.z - f->ball - 0.005);
        hf_placement* placement = NULL;
        assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
        hf_placement_move(placement, 0, (hf_transform){{at.x, at.y, 0}, hf_quat_identity()});
        hf_hold hold;
        assert_false(hf_hold_find(creature, placement, links, limb, HF_TOUCH_M, &hold));
        assert_true(hf_hold_find(creature, placement, links, limb, HF_NAMED_TOUCH_M, &hold));
        assert_int_equal(hold.object, 0);
        assert_near(hf_distance(hold.point, hf_v3(at.x, at.y, at.z - f->ball - 0.005)), 0, 1e-6);
        assert_near(hold.normal.z, 1, 1e-6);
        // into the object's frame and back
        hf_transform object = hf_placement_pose(placement, 0);
        hf_hold again = hf_hold_in_world(hf_hold_in_object(hold, object), object);
        assert_near(hf_distance(again.point, hold.point), 0, 1e-12);
        touched++;
        hf_placement_free(placement);
        hf_scene_free(scene);
    }
    assert_int_equal(touched, 4);
    free(links);
    free(q);
    hf_creature_free(creature);
}

/* A ball that is half a millimetre deep touches the surface under its centre, although the edge of the
   triangle beside is exactly as far from its centre as the ball is large. */
static void deep_balls_touch_what_is_nearest(void** state) {
    (void)state;
    const double deep = 5e-4;
    hf_creature* creature = NULL;
    hf_error error;
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/quadruped.creature.json"), NULL, &creature, &error),
        HF_OK);
    const hf_creature_view* c = hf_creature_get(creature);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    double* q = calloc((size_t)c->q_count, sizeof *q);
    for (int i = 0; i < c->q_count; i++) q[i] = c->rest[i];
    hf_pose pose = {hf_transform_identity(), q};
    hf_forward(creature, &pose, links);
    int limb = 0;
    while (!(c->limbs[limb].contacts[0].ball > 0)) limb++;
    const hf_contact_frame* f = &c->limbs[limb].contacts[0];
    hf_vec3 at = hf_apply(links[f->link], f->offset);
    double aside = sqrt(2 * f->ball * deep - deep * deep);
    assert_true(aside < CELL_M / 2);
    hf_scene* scene = fine_floor(at.z - f->ball + deep);
    hf_placement* placement = NULL;
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_placement_move(placement, 0,
                      (hf_transform){{at.x - aside, at.y - (aside + CELL_M) / 2, 0}, hf_quat_identity()});
    hf_hold hold;
    assert_true(hf_hold_find(creature, placement, links, limb, HF_TOUCH_M, &hold));
    assert_near(hold.normal.z, 1, 1e-6);
    assert_near(hf_distance(hold.point, hf_v3(at.x, at.y, at.z - f->ball + deep)), 0, 1e-6);
    hf_placement_free(placement);
    hf_scene_free(scene);
    free(links);
    free(q);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fine_meshes_are_touched),
                                       cmocka_unit_test(deep_balls_touch_what_is_nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
