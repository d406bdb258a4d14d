/* How badly a pose collides, against what geometry says: a ball of known radius at known heights. */
#include "creature_files.h"
#include "guide_scenes.h"

static const double RADIUS = 0.1;

/* A ball, and a second one that a joint carries 0.3 m ahead of it. */
static hf_creature* load_balls(void) {
    return load_text("balls.urdf",
                     "<robot name=\"balls\"><link name=\"ball\"><collision><geometry><sphere radius=\"0.1\"/>"
                     "</geometry></collision></link><link name=\"arm\"><collision><origin xyz=\"0.3 0 0\"/>"
                     "<geometry><sphere radius=\"0.1\"/></geometry></collision></link>"
                     "<joint name=\"slide\" type=\"prismatic\"><parent link=\"ball\"/><child link=\"arm\"/>"
                     "<axis xyz=\"1 0 0\"/><limit lower=\"-0.3\" upper=\"0\" velocity=\"1\" effort=\"1\"/>"
                     "</joint></robot>");
}

static bool overlap_at(const hf_creature* c, const hf_scene* scene, double z, hf_overlap* o, char* text,
                       size_t size) {
    hf_placement* placement;
    hf_transform links[2];
    double q[1] = {0};
    hf_pose pose = {hf_transform_identity(), q};
    hf_collision_query query = hf_collision_query_default();
    pose.root.position.z = z;
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    bool collides = hf_overlap_find(c, placement, &pose, &query, links, o);
    if (collides) hf_overlap_text(c, scene, o, text, size);
    hf_placement_free(placement);
    return collides;
}

/* Over a slab whose top is z = 0: the depth is what the radius exceeds the height by, and the ball is free
   where no more than the allowed depth is left. */
static void ball_in_a_slab(void** state) {
    (void)state;
    hf_creature* c = load_balls();
    box_scene boxes = {0};
    scene_box(&boxes, -2, 2, -2, 2, -1, 0);
    hf_scene* scene = scene_of(&boxes);
    double allowed = hf_collision_query_default().depth_m;
    hf_overlap o;
    char text[400];
    const double heights[] = {0.095, 0.07, 0.02};
    for (int i = 0; i < 3; i++) {
        assert_true(overlap_at(c, scene, heights[i], &o, text, sizeof text));
        assert_near(o.depth_m, RADIUS - heights[i], 2e-4);
        assert_int_equal(o.pair.other_body, -1);
        assert_int_equal(o.pair.surface.object, 0);
        assert_true(o.has_free_height);
        assert_near(o.free_height_m, RADIUS - allowed, 1e-4);
        assert_near(o.free_shift_m, RADIUS - allowed - heights[i], 1e-4);
        assert_non_null(strstr(text, "\"box0\""));
        assert_non_null(strstr(text, "mm deep"));
        assert_non_null(strstr(text, "higher"));
    }
    assert_false(overlap_at(c, scene, 0.11, &o, text, sizeof text));
    hf_scene_free(scene);
    hf_creature_free(c);
}

/* Under a ceiling the free height is lower; between floor and ceiling that leave no room there is none. */
static void ceilings(void** state) {
    (void)state;
    hf_creature* c = load_balls();
    double allowed = hf_collision_query_default().depth_m;
    hf_overlap o;
    char text[400];
    box_scene boxes = {0};
    scene_box(&boxes, -2, 2, -2, 2, -1, 0);
    scene_box(&boxes, -2, 2, -2, 2, 1, 9);
    hf_scene* scene = scene_of(&boxes);
    assert_true(overlap_at(c, scene, 0.95, &o, text, sizeof text));
    assert_int_equal(o.pair.surface.object, 1);
    assert_near(o.depth_m, 0.05, 2e-4);
    assert_near(o.free_height_m, 1 - RADIUS + allowed, 1e-4);
    assert_non_null(strstr(text, "lower"));
    hf_scene_free(scene);
    boxes = (box_scene){0};
    scene_box(&boxes, -2, 2, -2, 2, -9, 0);
    scene_box(&boxes, -2, 2, -2, 2, 0.15, 9);
    scene = scene_of(&boxes);
    assert_true(overlap_at(c, scene, 0.07, &o, text, sizeof text));
    assert_false(o.has_free_height);
    assert_non_null(strstr(text, "no height near is free"));
    hf_scene_free(scene);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_in_a_slab),
        cmocka_unit_test(ceilings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
