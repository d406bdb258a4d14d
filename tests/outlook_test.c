/* What is known of the time after a contact: against a solid made of the reach volume, and cases on paper. */
#include "test.h"
#include "base/random.h"
#include "contact/score_terms.h"

#include <stdlib.h>

/* Root poses on a walk of 1 m with a turn; whether the limb reaches is asked of a watertight solid of the
   reach volume, moved to each of them. */
static void duration_counts_poses_that_reach(void** state) {
    (void)state;
    enum { POSES = 8 };
    hf_creature* c;
    hf_error e;
    hf_mesh hull;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &c, &e), HF_OK);
    const hf_creature_view* v = hf_creature_get(c);
    int limb = hf_creature_find_limb(c, "left_arm");
    assert_int_equal(hf_reach_volume(c, limb, 0, &hull, &e), HF_OK);
    hf_object_def solid = hf_object_def_default();
    solid.name = "reach", solid.mesh = hull;
    hf_scene* scene;
    hf_placement* placement;
    assert_int_equal(hf_scene_build(&solid, 1, &scene, &e), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {.q = calloc((size_t)v->q_count, sizeof(double))};
    hf_pose_rest(c, &pose);
    pose.root = (hf_transform){{0.3, -0.2, 0.9}, hf_quat_axis_angle(hf_v3(0, 0, 1), 0.4)};
    hf_forward(c, &pose, links);
    hf_transform shoulder = hf_limb_base(c, limb, links), roots[POSES];
    for (int i = 0; i < POSES; i++)
        roots[i] = (hf_transform){hf_add(pose.root.position, hf_v3(0.12 * i, 0.03 * i, 0)),
                                  hf_quat_axis_angle(hf_v3(0, 0, 1), 0.4 + 0.1 * i)};
    const hf_mesh* reach[1] = {&hull};
    hf_outlook outlook = {.roots = roots, .root_count = POSES, .reach = reach};
    hf_reach volume = {.hull = &hull};
    hf_plane* faces = calloc((size_t)hull.triangle_count, sizeof *faces);
    hf_reach_fill(&volume, faces);
    assert_true(volume.free_m > 0.05);
    int seen[POSES + 1] = {0}, kinds = 0;
    for (int k = 0; k < 500; k++) {
        hf_random r = hf_random_start(4, 0, (uint64_t)k);
        hf_vec3 p = hf_add(shoulder.position,
                           hf_v3(hf_random_between(&r, -0.8, 1.4), hf_random_between(&r, -0.8, 0.8),
                                 hf_random_between(&r, -0.8, 0.8)));
        int expected = 0;
        for (bool reaches = true; reaches && expected < POSES; expected += reaches) {
            /* The shoulder goes with the root. */
            hf_transform move = hf_compose(roots[expected], hf_inverse(pose.root));
            hf_placement_move(placement, 0, hf_compose(move, shoulder));
            reaches = hf_placement_inside(placement, p, NULL);
        }
        double share = hf_reach_lasts(&volume, &outlook, pose.root, shoulder, p);
        assert_near(share, expected / (double)POSES, 1e-12);
        kinds += seen[expected]++ == 0;
    }
    assert_true(kinds > 4 && seen[0] > 20 && seen[POSES] > 20);
    free(faces);
    free(pose.q);
    free(links);
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_mesh_free(&hull);
    hf_creature_free(c);
}

/* A foot beside the other widens the stance of 10 cm to 30 cm: the margin grows to 5 cm and counts as 1. */
static void balance_is_the_margin_with_the_contact(void** state) {
    (void)state;
    hf_stance* stance;
    hf_workspace* workspace;
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_support feet[2];
    for (int i = 0; i < 2; i++) {
        double y = i ? -0.1 : 0.1;
        feet[i] = (hf_support){
            .corner_count = 4,
            .corners = {{-0.2, y - 0.05, 0}, {0.2, y - 0.05, 0}, {0.2, y + 0.05, 0}, {-0.2, y + 0.05, 0}},
            .normal = {0, 0, 1},
            .friction = 0.5};
    }
    hf_outlook outlook = {.com = {0, 0.12, 1}};
    double balance = 2;
    assert_int_equal(hf_outlook_balance(&outlook, &feet[1], workspace, &balance), HF_OK);
    assert_true(balance == 0);
    assert_int_equal(hf_stance_build(stance, feet, 1, 60, NULL, workspace), HF_OK);
    outlook.stance = stance;
    const struct {
        double y, expected;
    } cases[] = {{0.12, 0.6}, {0.0, 1}, {-0.149, 0.02}, {-0.16, -0.2}, {-0.5, -1}};
    for (int i = 0; i < 5; i++) {
        outlook.com.y = cases[i].y;
        assert_int_equal(hf_outlook_balance(&outlook, &feet[1], workspace, &balance), HF_OK);
        assert_near(balance, cases[i].expected, 1e-5);
    }
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}

/* A human on its left sole over a wide floor asks where the right one should go. Scored by balance and
   duration alone, no contact of a query by effort is better, and the terms are those that anyone can reckon.
 */
static void queries_choose_by_the_outlook(void** state) {
    (void)state;
    hf_creature* c;
    hf_error e;
    hf_scene* scene;
    hf_placement* placement;
    hf_stance* stance;
    hf_workspace* workspace;
    assert_int_equal(hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &c, &e), HF_OK);
    static float vertices[12] = {-5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5, 0};
    static uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    hf_object_def floor = hf_object_def_default();
    floor.name = "floor", floor.mesh = (hf_mesh){4, 2, vertices, indices};
    assert_int_equal(hf_scene_build(&floor, 1, &scene, &e), HF_OK);
    assert_int_equal(hf_placement_create(scene, &placement), HF_OK);
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    const hf_creature_view* v = hf_creature_get(c);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {.q = calloc((size_t)v->q_count, sizeof(double))};
    hf_pose_rest(c, &pose);
    hf_forward(c, &pose, links);
    int left = hf_creature_find_limb(c, "left_leg"), right = hf_creature_find_limb(c, "right_leg");
    const hf_contact_frame* sole = &v->limbs[left].contacts[0];
    pose.root.position.z = -hf_apply(links[sole->link], sole->offset).z;
    hf_forward(c, &pose, links);
    hf_hold foot = {.limb = left, .normal = {0, 0, 1}, .point = hf_apply(links[sole->link], sole->offset)};
    hf_support supports[2];
    hf_support_find(c, placement, &foot, links[sole->link], &supports[0]);
    assert_int_equal(hf_stance_build(stance, supports, 1, v->mass, NULL, workspace), HF_OK);
    /* One set, of the sole. */
    const hf_samples* sets[8] = {NULL};
    hf_sample_options options = hf_sample_options_default();
    options.count = 2000;
    hf_samples* set;
    assert_int_equal(hf_samples_build(c, right, &options, &set, &e), HF_OK);
    sets[0] = set;
    hf_mesh hull;
    assert_int_equal(hf_reach_volume(c, right, 0, &hull, &e), HF_OK);
    const hf_mesh* reach[8] = {&hull};
    hf_reach volume = {.hull = &hull};
    hf_plane* faces = calloc((size_t)hull.triangle_count, sizeof *faces);
    hf_reach_fill(&volume, faces);
    hf_transform roots[4];
    for (int i = 0; i < 4; i++) {
        roots[i] = pose.root;
        roots[i].position.x += 0.1 * (i + 1);
    }
    hf_outlook outlook = {
        .roots = roots, .root_count = 4, .reach = reach, .stance = stance, .com = hf_com(c, links)};
    outlook.com.x += 0.05;
    hf_contact_answer* answers[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hf_contact_answer_create(c, 1, &answers[k]), HF_OK);
        hf_contact_query q = hf_contact_query_default();
        q.pose = pose, q.limb = right, q.outlook = &outlook;
        if (k)
            q.weights[HF_TERM_EFFORT] = 0, q.weights[HF_TERM_DURATION] = 0.5, q.weights[HF_TERM_BALANCE] = 1;
        assert_int_equal(hf_contact_find(c, sets, placement, &q, workspace, answers[k]), HF_OK);
        assert_int_equal(answers[k]->outcome, HF_FOUND);
        const hf_contact* found = &answers[k]->contacts[0];
        hf_pose there = {pose.root, (double*)found->q};
        hf_forward(c, &there, links);
        hf_support_find(c, placement, &found->hold, links[v->limbs[right].contacts[found->hold.frame].link],
                        &supports[1]);
        hf_stance* both;
        assert_int_equal(hf_stance_create(&both), HF_OK);
        assert_int_equal(hf_stance_build(both, supports, 2, v->mass, NULL, workspace), HF_OK);
        double margin = hf_stance_margin(both, outlook.com) / 0.05;
        assert_near(found->terms[HF_TERM_BALANCE], fmax(-1, fmin(1, margin)), 1e-6);
        double share =
            hf_reach_lasts(&volume, &outlook, pose.root, hf_limb_base(c, right, links), found->hold.point);
        assert_near(found->terms[HF_TERM_DURATION], share, 1e-9);
        hf_stance_free(both);
    }
    const double *by_effort = answers[0]->contacts[0].terms, *by_outlook = answers[1]->contacts[0].terms;
    assert_true(by_outlook[HF_TERM_BALANCE] + 0.5 * by_outlook[HF_TERM_DURATION] >=
                by_effort[HF_TERM_BALANCE] + 0.5 * by_effort[HF_TERM_DURATION]);
    assert_true(by_outlook[HF_TERM_BALANCE] > 0);
    for (int k = 0; k < 2; k++) hf_contact_answer_free(answers[k]);
    hf_mesh_free(&hull);
    hf_samples_free(set);
    free(pose.q);
    free(faces);
    free(links);
    hf_workspace_free(workspace);
    hf_stance_free(stance);
    hf_placement_free(placement);
    hf_scene_free(scene);
    hf_creature_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration_counts_poses_that_reach),
        cmocka_unit_test(balance_is_the_margin_with_the_contact),
        cmocka_unit_test(queries_choose_by_the_outlook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
