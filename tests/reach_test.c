/* Reach volumes: nothing reachable lies outside, and no corner is left out. */
#include "test.h"
#include "base/random.h"

#include <stdlib.h>

/* How far outside the hull's faces a point lies; negative inside. */
static double outside(const hf_mesh* hull, hf_vec3 p) {
    double worst = -INFINITY;
    for (int f = 0; f < hull->triangle_count; f++) {
        hf_vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const float* v = hull->vertices + 3 * hull->indices[3 * f + k];
            c[k] = hf_v3((double)v[0], (double)v[1], (double)v[2]);
        }
        hf_vec3 n = hf_normalize(hf_cross(hf_sub(c[1], c[0]), hf_sub(c[2], c[0])));
        worst = fmax(worst, hf_dot(n, hf_sub(p, c[0])));
    }
    return worst;
}

static hf_creature* shipped(const char* name) {
    char path[128];
    snprintf(path, sizeof path, "data/creatures/%s.creature.json", name);
    hf_creature* c;
    hf_error e;
    assert_int_equal(hf_creature_load(data_path(path), NULL, &c, &e), HF_OK);
    return c;
}

/* Fresh random postures inside limits and regions stay inside the hull but for its facets' flatness. */
static void holds_every_posture(void** state) {
    (void)state;
    static const char* const names[] = {"human", "insect", "spider", "quadruped"};
    for (int n = 0; n < 4; n++) {
        hf_creature* c = shipped(names[n]);
        const hf_creature_view* v = hf_creature_get(c);
        hf_pose pose = {hf_transform_identity(), calloc((size_t)v->q_count, sizeof(double))};
        hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
        for (int l = 0; l < v->limb_count && l < 4; l++) {
            const hf_limb* limb = &v->limbs[l];
            hf_mesh hull;
            hf_error e;
            assert_int_equal(hf_reach_volume(c, l, 0, &hull, &e), HF_OK);
            for (int i = 0; i < 2000; i++) {
                hf_pose_rest(c, &pose);
                hf_random r = hf_random_start(77, (uint32_t)l, (uint64_t)i);
                for (int j = 0; j < limb->joint_count && i; j++) {
                    const hf_joint* joint = &v->joints[limb->joints[j]];
                    pose.q[joint->q_index] = hf_random_between(&r, joint->lower, joint->upper);
                }
                hf_pose_follow(c, pose.q);
                if (!hf_pose_within_rom(c, pose.q, 0)) continue;
                hf_forward(c, &pose, links);
                hf_transform base = hf_compose(links[limb->base_link], limb->base);
                hf_vec3 p = hf_unapply(base, hf_apply(links[limb->effector_link], limb->contacts[0].offset));
                if (outside(&hull, p) > 0.01 * limb->length)
                    fail_msg("%s %s: posture %d is %.4f m outside", names[n], limb->name, i,
                             outside(&hull, p));
            }
            hf_mesh_free(&hull);
        }
        free(pose.q);
        free(links);
        hf_creature_free(c);
    }
}

/* A free ball joint with an arm of 0.7 m reaches a sphere: every hull vertex lies on it, and the hull's faces
   come as near to it as the directions allow. */
static void a_free_arm_reaches_a_ball(void** state) {
    (void)state;
    char path[1100];
    snprintf(path, sizeof path, "%s/reach_ball.urdf", test_folder());
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs("<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
          "ixy='0' ixz='0' "
          "iyz='0'/></inertial></link><link name='b'/><link name='c'/><link name='d'/><link name='e'/>"
          "<joint name='x' type='continuous'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/></joint>"
          "<joint name='y' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/></joint>"
          "<joint name='z' type='revolute'><parent link='c'/><child link='d'/><axis xyz='0 1 0'/><origin "
          "xyz='0.4 0 0'/>"
          "<limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
          "<joint name='t' type='fixed'><parent link='d'/><child link='e'/><origin xyz='0.3 0 "
          "0'/></joint></robot>",
          f);
    assert_int_equal(fclose(f), 0);
    hf_creature* c;
    hf_error e;
    assert_int_equal(hf_creature_load(path, NULL, &c, &e), HF_OK);
    hf_mesh hull;
    int limb = -1;
    for (int l = 0; l < hf_creature_get(c)->limb_count; l++)
        if (hf_creature_get(c)->limbs[l].joint_count == 3) limb = l;
    assert_true(limb >= 0);
    const hf_limb* arm = &hf_creature_get(c)->limbs[limb];
    /* The contact lies on link e or beyond: its distance when straight is the ball's radius. */
    assert_int_equal(hf_reach_volume(c, limb, -1, &hull, &e), HF_OK);
    double radius = strcmp(hf_creature_get(c)->links[arm->effector_link].name, "e") == 0 ? 0.7 : 0.4;
    for (int i = 0; i < hull.vertex_count; i++) {
        const float* v = hull.vertices + 3 * i;
        assert_near(sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), radius, 0.002);
    }
    assert_true(outside(&hull, hf_v3(0, 0, 0)) < -0.97 * radius);
    hf_mesh_free(&hull);
    assert_int_equal(hf_reach_volume(c, limb, 99, &hull, &e), HF_ERROR_ARGUMENT);
    assert_null(hull.vertices);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_every_posture),
        cmocka_unit_test(a_free_arm_reaches_a_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
