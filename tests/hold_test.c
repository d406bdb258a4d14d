/* Holds: what a posture touches, and the way into an object's frame and back. */
#include "grid_mesh.h"

enum { CELLS = 60 };
static const double CELL_M = 0.02;

/* A level floor of many small triangles about the origin. */
static hf_scene* fine_floor(double height) {
    double half = CELLS * CELL_M / 2;
    return grid_scene(CELLS, 2 * half, hf_v3(-half, -half, height));
}

/* The quadruped at rest, its root at the origin. */
typedef struct resting {
    hf_creature* creature;
    const hf_creature_view* view;
    hf_transform* links;
} resting;

static resting make_resting(void) {
    resting r = {0};
    hf_error error;
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/quadruped.creature.json"), NULL, &r.creature, &error),
        HF_OK);
    r.view = hf_creature_get(r.creature);
    r.links = calloc((size_t)r.view->link_count, sizeof *r.links);
    double* q = calloc((size_t)r.view->q_count, sizeof *q);
    assert_true(r.links && q);
    hf_pose pose = {.q = q};
    hf_pose_rest(r.creature, &pose);
    pose.root = hf_transform_identity();
    hf_forward(r.creature, &pose, r.links);
    free(q);
    return r;
}

static void free_resting(resting* r) {
    free(r->links);
    hf_creature_free(r->creature);
}

/* The floor, moved there. */
static hf_placement* place_floor(const hf_scene* scene, double x, double y) {
    hf_placement* placement = NULL;
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_placement_move(placement, 0, (hf_transform){{x, y, 0}, hf_quat_identity()});
    return placement;
}

/* The nearest surface is found among any number of triangles, straight under the foot. */
static void fine_meshes_are_touched(void** state) {
    (void)state;
    resting r = make_resting();
    const hf_creature_view* c = r.view;
    int touched = 0;
    for (int limb = 0; limb < c->limb_count; limb++) {
        if (c->limbs[limb].contact_count == 0 || !(c->limbs[limb].contacts[0].ball > 0)) continue;
        const hf_contact_frame* f = &c->limbs[limb].contacts[0];
        hf_vec3 at = hf_apply(r.links[f->link], f->offset);
        // 5 mm under the ball, and moved so that the foot is over the middle of the floor
        hf_scene* scene = fine_floor(at.z - f->ball - 0.005);
        hf_placement* placement = place_floor(scene, at.x, at.y);
        hf_hold hold;
        assert_false(hf_hold_find(r.creature, placement, r.links, limb, HF_TOUCH_M, &hold));
        assert_true(hf_hold_find(r.creature, placement, r.links, limb, HF_NAMED_TOUCH_M, &hold));
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
    free_resting(&r);
}

/* A ball that is half a millimetre deep touches the surface under its centre, although the edge of the
   triangle beside is exactly as far from its centre as the ball is large. */
static void deep_balls_touch_what_is_nearest(void** state) {
    (void)state;
    const double deep = 5e-4;
    resting r = make_resting();
    const hf_creature_view* c = r.view;
    int limb = 0;
    while (!(c->limbs[limb].contacts[0].ball > 0)) limb++;
    const hf_contact_frame* f = &c->limbs[limb].contacts[0];
    hf_vec3 at = hf_apply(r.links[f->link], f->offset);
    double aside = sqrt(2 * f->ball * deep - deep * deep);
    assert_true(aside < CELL_M / 2);
    hf_scene* scene = fine_floor(at.z - f->ball + deep);
    hf_placement* placement = place_floor(scene, at.x - aside, at.y - (aside + CELL_M) / 2);
    hf_hold hold;
    assert_true(hf_hold_find(r.creature, placement, r.links, limb, HF_TOUCH_M, &hold));
    assert_near(hold.normal.z, 1, 1e-6);
    assert_near(hf_distance(hold.point, hf_v3(at.x, at.y, at.z - f->ball + deep)), 0, 1e-6);
    hf_placement_free(placement);
    hf_scene_free(scene);
    free_resting(&r);
}

/* A triangle without area above the floor is passed over: nothing could bear on it. */
static void slivers_are_not_touched(void** state) {
    (void)state;
    resting r = make_resting();
    const hf_contact_frame* f = &r.view->limbs[0].contacts[0];
    assert_true(f->ball > 0);
    hf_vec3 at = hf_apply(r.links[f->link], f->offset);
    float low = (float)(at.z - f->ball - 0.005), high = (float)(at.z - f->ball - 0.001);
    float floor[] = {-1, -1, low, 1, -1, low, 1, 1, low, -1, 1, low};
    float sliver[] = {-1, 0, high, 0, 0, high, 1, 0, high};
    for (int i = 0; i < 7; i++) {
        float* v = i < 4 ? &floor[3 * i] : &sliver[3 * (i - 4)];
        v[0] += (float)at.x, v[1] += (float)at.y;
    }
    uint32_t two[] = {0, 1, 2, 0, 2, 3}, one[] = {0, 1, 2};
    hf_object_def objects[2] = {hf_object_def_default(), hf_object_def_default()};
    objects[0].name = "floor", objects[0].mesh = (hf_mesh){4, 2, floor, two};
    objects[1].name = "sliver", objects[1].mesh = (hf_mesh){3, 1, sliver, one};
    hf_scene* scene;
    hf_error error;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(objects, 2, &scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_hold hold;
    assert_true(hf_hold_find(r.creature, placement, r.links, 0, HF_NAMED_TOUCH_M, &hold));
    assert_int_equal(hold.object, 0);
    assert_near(hold.normal.z, 1, 1e-6);
    hf_placement_free(placement);
    hf_scene_free(scene);
    free_resting(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fine_meshes_are_touched),
                                       cmocka_unit_test(deep_balls_touch_what_is_nearest),
                                       cmocka_unit_test(slivers_are_not_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
