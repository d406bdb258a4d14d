/* How reaching looks: free arms that hang while the trunk leans, drawers that stay on their rails. */
#include "reach_fixture.h"

#include "model/scene.h"

#include <stdlib.h>

/* In every frame the drawer is where its rail lets it be: no farther than 0.1 mm off the axis, and not
 * turned.
 */
static void test_drawer_on_rail(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("drawer");
    hf_reach_result r = reach_found(s);
    int drawer = hf_scene_find(s->scene, "drawer");
    hf_transform start = hf_scene_object(s->scene, drawer).start;
    hf_vec3 axis = s->reach_objects[drawer].axis;
    hf_placement* p;
    double most = 0;
    assert_int_equal(hf_placement_create(s->scene, &p), HF_OK);
    for (int i = 0; i < r.motion->frame_count; i++) {
        hf_motion_place(r.motion, i, p);
        hf_transform by = hf_compose(hf_inverse(start), hf_placement_pose(p, drawer));
        double along = hf_dot(by.position, axis);
        assert_true(hf_distance(by.position, hf_scale(axis, along)) < 1e-4);
        assert_true(hf_quat_angle(by.rotation, hf_quat_identity()) < 1e-4);
        most = fmax(most, along);
    }
    assert_true(fabs(most - 0.18) < 1e-3); // as the action says
    hf_placement_free(p);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

static hf_vec3 joint_at(const hf_scenario* s, const hf_transform* links, const char* name) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    for (int j = 0; j < v->joint_count; j++)
        if (strcmp(v->joints[j].name, name) == 0) return links[v->joints[j].child_link].position;
    fail_msg("no joint %s", name);
    return (hf_vec3){0, 0, 0};
}

/* Unit vectors in a frame: from the pelvis to the neck, and along the right upper arm. */
static void measure(const hf_scenario* s, const hf_motion* m, int frame, hf_vec3* trunk, hf_vec3* upper) {
    hf_transform* links = calloc((size_t)hf_creature_get(s->creature)->link_count, sizeof *links);
    hf_pose pose = {m->frames[frame].root, m->frames[frame].q};
    hf_forward(s->creature, &pose, links);
    *trunk = hf_normalize(hf_sub(joint_at(s, links, "neck_y"), links[0].position));
    *upper = hf_normalize(hf_sub(joint_at(s, links, "r_elbow"), joint_at(s, links, "r_shoulder_y")));
    free(links);
}

/* The left hand takes a glass, for which the trunk leans: the right arm hangs as before, where an arm that
   went along with the trunk would stick out by as much as the trunk leans. */
static void test_free_arm_hangs(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("glass");
    s->action_count = 1;
    hf_reach_result r = reach_found(s);
    hf_vec3 trunk[2], upper[2];
    measure(s, r.motion, 0, &trunk[0], &upper[0]);
    measure(s, r.motion, r.motion->frame_count - 1, &trunk[1], &upper[1]);
    assert_true(hf_dot(trunk[0], trunk[1]) < cos(0.35));
    assert_true(hf_dot(upper[0], upper[1]) > cos(0.2));
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawer_on_rail),
        cmocka_unit_test(test_free_arm_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
