/* Reach volumes: nothing reachable lies outside, and no corner is left out. */
#include "test.h"
#include "base/memory.h"
#include "base/random.h"
#include "plan/planner.h"

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

/* Fresh random postures inside limits and regions stay inside the hull but for its facets' flatness. */
static void holds_every_posture(void** state) {
    (void)state;
    static const char* const names[] = {"human", "insect", "spider", "quadruped"};
    for (int n = 0; n < 4; n++) {
        hf_creature* c = shipped_creature(names[n]);
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

/* The shell of a knee, which only turns about the hip, holds where fresh postures have the contact but for
   its border, and neither the hip nor what is beyond the thigh. */
static void shell_is_hollow(void** state) {
    (void)state;
    hf_creature* c = shipped_creature("human");
    const hf_creature_view* v = hf_creature_get(c);
    hf_reach_shell* shell = NULL;
    hf_error e;
    int knee = -1, held = 0, all = 0;
    for (int l = 0; l < v->limb_count; l++)
        if (strcmp(v->limbs[l].name, "left_knee") == 0) knee = l;
    assert_int_equal(hf_reach_shell_create(NULL, 0, 0, &shell, &e), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_reach_shell_create(c, knee, 99, &shell, &e), HF_ERROR_ARGUMENT);
    assert_null(shell);
    assert_int_equal(hf_reach_shell_create(c, knee, 0, &shell, &e), HF_OK);
    hf_pose pose = {hf_transform_identity(), calloc((size_t)v->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    const hf_limb* limb = &v->limbs[knee];
    for (int i = 0; i < 500; i++) {
        hf_pose_rest(c, &pose);
        hf_random r = hf_random_start(78, 0, (uint64_t)i);
        for (int j = 0; j < limb->joint_count; j++) {
            const hf_joint* joint = &v->joints[limb->joints[j]];
            pose.q[joint->q_index] = hf_random_between(&r, joint->lower, joint->upper);
        }
        hf_pose_follow(c, pose.q);
        if (!hf_pose_within_rom(c, pose.q, 0)) continue;
        hf_forward(c, &pose, links);
        const hf_contact_frame* f = &limb->contacts[0];
        hf_vec3 p = hf_unapply(hf_limb_base(c, knee, links), hf_apply(links[f->link], f->offset));
        all++, held += hf_reach_shell_holds(shell, p);
        assert_false(hf_reach_shell_holds(shell, hf_scale(p, 0.5)));
        assert_false(hf_reach_shell_holds(shell, hf_scale(p, 1.2)));
    }
    assert_false(hf_reach_shell_holds(shell, hf_v3(0, 0, 0)));
    assert_true(all > 100 && held >= 0.98 * all);
    free(pose.q);
    free(links);
    hf_reach_shell_free(shell);
    hf_reach_shell_free(NULL);
    hf_creature_free(c);
}

/* A leg with a long toe of two parts, which bends far beyond where it is at rest. */
static hf_creature* long_toed(void) {
    char path[1100];
    snprintf(path, sizeof path, "%s/toe.urdf", test_folder());
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs("<robot name='t'><link name='body'/><link name='leg'/><link name='foot'/><link name='toe'/>"
          "<link name='tip'/>"
          "<joint name='hip' type='revolute'><parent link='body'/><child link='leg'/><axis xyz='0 1 0'/>"
          "<limit lower='-0.5' upper='0.5' velocity='1' effort='1'/></joint>"
          "<joint name='ankle' type='revolute'><parent link='leg'/><child link='foot'/><axis xyz='1 0 0'/>"
          "<origin xyz='0 0 -0.3'/><limit lower='-0.3' upper='0.3' velocity='1' effort='1'/></joint>"
          "<joint name='first' type='revolute'><parent link='foot'/><child link='toe'/><axis xyz='0 1 0'/>"
          "<origin xyz='0.1 0 0'/><limit lower='-1' upper='0.5' velocity='1' effort='1'/></joint>"
          "<joint name='second' type='revolute'><parent link='toe'/><child link='tip'/><axis xyz='0 1 0'/>"
          "<origin xyz='0.1 0 0'/><limit lower='-0.3' upper='0.3' velocity='1' effort='1'/></joint></robot>",
          f);
    assert_int_equal(fclose(f), 0);
    snprintf(path, sizeof path, "%s/toe.creature.json", test_folder());
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"toe.urdf\", \"trunk\": [\"body\"],"
          " \"limbs\": [{\"name\": \"leg\", \"root\": \"leg\", \"effector\": \"foot\", \"contact\": ["
          "{\"name\": \"sole\", \"offset\": [0,0,-0.02], \"normal\": [0,0,-1]},"
          "{\"name\": \"tip\", \"link\": \"tip\", \"offset\": [0.1,0,0], \"normal\": [0,0,-1]}]}]}",
          f);
    assert_int_equal(fclose(f), 0);
    hf_creature* c;
    hf_error e;
    if (hf_creature_load(path, NULL, &c, &e) != HF_OK) fail_msg("%s %s", e.field, e.message);
    return c;
}

enum { BENT_SAMPLES = 500 };

/* Samples of a frame beyond the effector, toes bent in any way, are in its map; how many not as they face. */
static int count_lost(const hf_creature* c, int l, int k) {
    const hf_creature_view* v = hf_creature_get(c);
    const hf_limb* limb = &v->limbs[l];
    const hf_contact_frame* f = &limb->contacts[k];
    hf_pose pose = {hf_transform_identity(), calloc((size_t)v->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_sample_options o = hf_sample_options_default();
    o.count = BENT_SAMPLES, o.contact = k;
    hf_samples* samples;
    hf_error e;
    hf_reach_map map = {0};
    assert_int_equal(hf_samples_build(c, l, &o, &samples, &e), HF_OK);
    assert_true(hf_reach_map_build(c, samples, &map));
    hf_random r = hf_random_start(78, (uint32_t)l, (uint64_t)k);
    int lost = 0;
    for (int i = 0; i < BENT_SAMPLES; i++) {
        hf_pose_rest(c, &pose);
        hf_samples_pose(c, samples, i, pose.q);
        double share = hf_random_between(&r, 0, 1);
        for (int at = f->link; at != limb->effector_link; at = v->links[at].parent_link) {
            const hf_joint* j = &v->joints[v->links[at].joint];
            if (j->q_count == 1) pose.q[j->q_index] = j->lower + share * (j->upper - j->lower);
        }
        hf_forward(c, &pose, links);
        hf_transform base = hf_limb_base(c, l, links);
        hf_vec3 x = hf_unapply(base, hf_apply(links[f->link], f->offset));
        hf_vec3 n = hf_unrotate(base.rotation, hf_rotate(links[f->link].rotation, f->normal));
        assert_true(hf_reach_map_has(&map, x, NULL));
        lost += !hf_reach_map_has(&map, x, &n);
    }
    hf_free(map.bits);
    hf_samples_free(samples);
    free(pose.q);
    free(links);
    return lost;
}

/* With its toes bent a frame on them is in its map, facing as it does; between two of the bends that count a
   direction may be rounded to another one. */
static void maps_know_bent_toes(void** state) {
    (void)state;
    hf_creature* creatures[] = {shipped_creature("human"), long_toed()};
    for (int i = 0; i < 2; i++) {
        const hf_creature_view* v = hf_creature_get(creatures[i]);
        int asked = 0;
        for (int l = 0; l < v->limb_count; l++)
            for (int k = 0; k < v->limbs[l].contact_count; k++)
                if (v->limbs[l].contacts[k].link != v->limbs[l].effector_link) {
                    int lost = count_lost(creatures[i], l, k);
                    if (lost > BENT_SAMPLES / 100) fail_msg("%s: %d lost", v->limbs[l].name, lost);
                    asked++;
                }
        assert_true(asked > 0);
        hf_creature_free(creatures[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_every_posture),
        cmocka_unit_test(shell_is_hollow),
        cmocka_unit_test(a_free_arm_reaches_a_ball),
        cmocka_unit_test(maps_know_bent_toes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
