/* Contact plans: what comes back holds by the independent check; what cannot be done says why. */
#include "guide_scenes.h"
#include "test.h"

#include <stdlib.h>

typedef struct task {
    hf_creature* creature;
    hf_plan_model* model;
    hf_plan_options options;
    double* q[2];
    hf_scenario_state start, goal;
} task;

/* From one root to another, upright along X. */
static task make_task(const char* creature, double height, double way, double rise) {
    task k = {.options = hf_plan_options_default()};
    hf_error error = {0};
    assert_int_equal(hf_creature_load(data_path(creature), NULL, &k.creature, &error), HF_OK);
    k.options.samples = 10000;
    assert_int_equal(hf_plan_model_create(k.creature, &k.options, &k.model, &error), HF_OK);
    hf_scenario_state* states[] = {&k.start, &k.goal};
    for (int i = 0; i < 2; i++) {
        k.q[i] = calloc((size_t)hf_creature_get(k.creature)->q_count + 1, sizeof(double));
        assert_non_null(k.q[i]);
        states[i]->pose.q = k.q[i];
        hf_pose_rest(k.creature, &states[i]->pose);
        states[i]->pose.root.position = hf_v3(i * way, 0, height + i * rise);
    }
    return k;
}

static void free_task(task* k) {
    free(k->q[0]);
    free(k->q[1]);
    hf_plan_model_free(k->model);
    hf_creature_free(k->creature);
}

static void find(const task* k, const hf_scene* scene, hf_plan_result* r) {
    hf_plan_query q = {.start = &k->start, .goal = &k->goal};
    hf_error error = {0};
    assert_int_equal(hf_plan_find(k->model, scene, &q, &k->options, NULL, NULL, r, &error), HF_OK);
    if (r->outcome != HF_FOUND) print_message("%s: %s\n", hf_plan_why_text(r->why), r->where);
}

/* Claims everything, and the check finds nothing against it. */
static void assert_holds(const task* k, const hf_scene* scene, const hf_plan_result* r) {
    hf_check_report report;
    assert_int_equal(r->motion->claims, HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
    assert_int_equal(hf_check_motion(r->motion, k->creature, scene, 1, NULL, NULL, &report, NULL), HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        print_message("frame %d: %s\n", report.problems[i].frame, report.problems[i].what);
    assert_true(report.valid);
    assert_int_equal(report.unbalanced, 0);
    assert_int_equal(report.stances, r->stances);
    hf_check_report_free(&report);
}

static uint64_t hash_of(const hf_motion* m) {
    uint64_t h = 1469598103934665603ull;
    for (int f = 0; f < m->frame_count; f++)
        for (int i = 0; i < m->q_count; i++) {
            uint64_t bits;
            memcpy(&bits, &m->frames[f].q[i], sizeof bits);
            h = (h ^ bits) * 1099511628211ull;
        }
    return h;
}

static const hf_vec3 floor_box[1][2] = {{{-3, -3, -0.2}, {6, 3, 0}}};

static void walks(const char* creature, double height, double way) {
    task k = make_task(creature, height, way, 0);
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    hf_plan_result r;
    find(&k, scene, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_holds(&k, scene, &r);
    const hf_motion_frame* last = &r.motion->frames[r.motion->frame_count - 1];
    assert_true(hf_distance(last->root.position, k.goal.pose.root.position) <= k.options.goal_tolerance_m);
    // a step is no slow-motion picture
    print_message("%s: %.2f s a stance\n", creature, last->time_s / r.stances);
    assert_true(last->time_s < 3 * r.stances);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    free_task(&k);
}

static void test_human_walks(void** state) {
    (void)state;
    walks("data/creatures/human.creature.json", 0.9424186, 1);
}
static void test_quadruped_walks(void** state) {
    (void)state;
    walks("data/creatures/quadruped.creature.json", 0.53, 0.4);
}
static void test_insect_walks(void** state) {
    (void)state;
    walks("data/creatures/insect.creature.json", 0.1186, 0.12);
}

static void test_step_up(void** state) {
    (void)state;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {6, 3, 0}}, {{0.4, -1, 0}, {2, 1, 0.12}}};
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 1, 0.12);
    hf_scene* scene = scene_of_boxes(boxes, 2);
    hf_plan_result r;
    find(&k, scene, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_holds(&k, scene, &r);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    free_task(&k);
}

/* A goal that is whole: feet side by side where it says, and its posture. */
static void test_whole_goal(void** state) {
    (void)state;
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 0.6, 0);
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    hf_hold feet[2] = {{.limb = hf_creature_find_limb(k.creature, "left_leg"), .object = -1},
                       {.limb = hf_creature_find_limb(k.creature, "right_leg"), .object = -1}};
    k.goal.whole = true;
    k.goal.contacts = feet;
    k.goal.contact_count = 2;
    const hf_creature_view* view = hf_creature_get(k.creature);
    int elbow = view->joints[hf_creature_find_joint(k.creature, "l_elbow")].q_index;
    k.goal.pose.q[elbow] = 1.2;
    hf_plan_result r;
    find(&k, scene, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_holds(&k, scene, &r);
    const hf_motion_frame* last = &r.motion->frames[r.motion->frame_count - 1];
    assert_true(hf_distance(last->root.position, k.goal.pose.root.position) < 1e-6);
    assert_true(fabs(last->q[elbow] - 1.2) < 1e-6);
    assert_int_equal(last->contact_count, 2);
    // the feet stand under the hips, as at rest
    for (int i = 0; i < 2; i++) assert_true(fabs(last->contacts[i].point.x - 0.6) < 0.06);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    free_task(&k);
}

/* Turned on the spot: a plan has arrived when the body looks where the goal does, not before. */
static void test_turned_goal(void** state) {
    (void)state;
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 0, 0);
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    k.goal.pose.root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), 1);
    hf_plan_result r;
    find(&k, scene, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_holds(&k, scene, &r);
    const hf_motion_frame* last = &r.motion->frames[r.motion->frame_count - 1];
    assert_true(hf_quat_angle(last->root.rotation, k.goal.pose.root.rotation) <=
                k.options.goal_tolerance_rad + 1e-9);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    free_task(&k);
}

/* A joint so slow that its move has more knots than a timing takes: the plan fails with the timing's own kind
   of error. */
static void test_errors_keep_their_kind(void** state) {
    (void)state;
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 0, 0);
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    hf_hold feet[2] = {{.limb = hf_creature_find_limb(k.creature, "left_leg"), .object = -1},
                       {.limb = hf_creature_find_limb(k.creature, "right_leg"), .object = -1}};
    k.goal.whole = true;
    k.goal.contacts = feet;
    k.goal.contact_count = 2;
    hf_joint* elbow =
        (hf_joint*)&hf_creature_get(k.creature)->joints[hf_creature_find_joint(k.creature, "l_elbow")];
    k.goal.pose.q[elbow->q_index] = 1.2;
    elbow->max_speed = 1e-6;
    hf_plan_query q = {.start = &k.start, .goal = &k.goal};
    hf_plan_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_find(k.model, scene, &q, &k.options, NULL, NULL, &r, &error), HF_ERROR_LIMIT);
    assert_non_null(strstr(error.message, hf_status_text(HF_ERROR_LIMIT)));
    assert_null(r.motion);
    hf_scene_free(scene);
    free_task(&k);
}

static void test_start_is_goal(void** state) {
    (void)state;
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 0, 0);
    hf_scene* scene = scene_of_boxes(floor_box, 1);
    hf_plan_result r;
    find(&k, scene, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_int_equal(r.stances, 1);
    assert_holds(&k, scene, &r);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    free_task(&k);
}

static void test_same_for_any_threads(void** state) {
    (void)state;
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        task k = make_task("data/creatures/quadruped.creature.json", 0.53, 0.3, 0);
        hf_plan_model_free(k.model);
        k.options.threads = 1 << i;
        assert_int_equal(hf_plan_model_create(k.creature, &k.options, &k.model, NULL), HF_OK);
        hf_scene* scene = scene_of_boxes(floor_box, 1);
        hf_plan_result r;
        find(&k, scene, &r);
        assert_int_equal(r.outcome, HF_FOUND);
        hashes[i] = hash_of(r.motion);
        hf_plan_result_free(&r);
        hf_scene_free(scene);
        free_task(&k);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

/* Inside a wall, out of any reach, nothing to stand on. */
static void test_says_why_not(void** state) {
    (void)state;
    hf_plan_result r;
    task k = make_task("data/creatures/human.creature.json", 0.9424186, 1, 0);
    k.options.max_work = 50;
    k.options.guides = 1;
    const hf_vec3 walled[2][2] = {{{-3, -3, -0.2}, {6, 3, 0}}, {{-0.5, -0.5, 0.5}, {0.5, 0.5, 1.5}}};
    hf_scene* scene = scene_of_boxes(walled, 2);
    find(&k, scene, &r);
    assert_int_not_equal(r.outcome, HF_FOUND);
    assert_true(r.why == HF_PLAN_START_COLLIDES || r.why == HF_PLAN_NO_GUIDE);
    assert_true(strlen(r.where) > 0);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    scene = scene_of_boxes(floor_box, 1);
    k.goal.pose.root.position.z = 30;
    find(&k, scene, &r);
    assert_int_not_equal(r.outcome, HF_FOUND);
    assert_int_equal(r.why, HF_PLAN_NO_GUIDE);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    // a floor far below
    const hf_vec3 deep[1][2] = {{{-3, -3, -9}, {6, 3, -8}}};
    scene = scene_of_boxes(deep, 1);
    k.goal.pose.root.position.z = 0.9424186;
    find(&k, scene, &r);
    assert_int_not_equal(r.outcome, HF_FOUND);
    hf_plan_result_free(&r);
    hf_scene_free(scene);
    k.options.rate = NAN;
    hf_plan_query q = {.start = &k.start, .goal = &k.goal};
    scene = scene_of_boxes(floor_box, 1);
    assert_int_equal(hf_plan_find(k.model, scene, &q, &k.options, NULL, NULL, &r, NULL), HF_ERROR_ARGUMENT);
    assert_null(r.motion);
    hf_scene_free(scene);
    free_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_human_walks),          cmocka_unit_test(test_quadruped_walks),
        cmocka_unit_test(test_insect_walks),         cmocka_unit_test(test_step_up),
        cmocka_unit_test(test_whole_goal),           cmocka_unit_test(test_start_is_goal),
        cmocka_unit_test(test_turned_goal),          cmocka_unit_test(test_errors_keep_their_kind),
        cmocka_unit_test(test_same_for_any_threads), cmocka_unit_test(test_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
