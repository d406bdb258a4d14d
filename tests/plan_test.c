/* Contact plans: what comes back holds by the independent check; what cannot be done says why. */
#include "plan_task.h"

/* From one root to another, upright along X. */
static plan_task make_way(const char* creature, double height, double way, double rise) {
    return make_task(creature, hf_v3(0, 0, height), hf_v3(way, 0, height + rise));
}

/* The plan arrives, claims everything, where it may walk all but balance at rest, and the check finds nothing
   against it. */
static void find_whole(plan_task* k) {
    find(k);
    assert_int_equal(k->result.outcome, HF_FOUND);
    unsigned claims = k->result.motion->claims | (k->options.still ? 0 : HF_CLAIM_BALANCE);
    assert_int_equal(claims, HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
    assert_valid(k);
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

static plan_task make_floor_way(const char* creature, double height, double way) {
    plan_task k = make_way(creature, height, way, 0);
    set_scene(&k, scene_of_boxes(floor_box, 1));
    return k;
}

/* The goal's feet stand on the ground, and its left elbow is bent; where that elbow's value is. */
static int set_whole_goal(plan_task* k, hf_hold feet[2]) {
    feet[0] = (hf_hold){.limb = hf_creature_find_limb(k->creature, "left_leg"), .object = -1};
    feet[1] = (hf_hold){.limb = hf_creature_find_limb(k->creature, "right_leg"), .object = -1};
    k->goal.whole = true;
    k->goal.contacts = feet;
    k->goal.contact_count = 2;
    int elbow = hf_creature_get(k->creature)->joints[hf_creature_find_joint(k->creature, "l_elbow")].q_index;
    k->goal.pose.q[elbow] = 1.2;
    return elbow;
}

/* In stances at rest: tests/walk_test.c has walks balanced in motion. */
static void walks(const char* creature, double height, double way) {
    plan_task k = make_floor_way(creature, height, way);
    k.options.still = true;
    find_whole(&k);
    const hf_motion_frame* last = last_frame(&k);
    assert_true(hf_distance(last->root.position, k.goal.pose.root.position) <= k.options.goal_tolerance_m);
    // a step is no slow-motion picture
    print_message("%s: %.2f s a stance\n", creature, last->time_s / k.result.stances);
    assert_true(last->time_s < 3 * k.result.stances);
    free_task(&k);
}

static void test_human_walks(void** state) {
    (void)state;
    walks(HUMAN, HUMAN_M, 1);
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
    plan_task k = make_way(HUMAN, HUMAN_M, 1, 0.12);
    set_scene(&k, scene_of_boxes(boxes, 2));
    find_whole(&k);
    free_task(&k);
}

/* A goal that is whole: feet side by side where it says, and its posture. */
static void test_whole_goal(void** state) {
    (void)state;
    plan_task k = make_floor_way(HUMAN, HUMAN_M, 0.6);
    hf_hold feet[2];
    int elbow = set_whole_goal(&k, feet);
    find_whole(&k);
    const hf_motion_frame* last = last_frame(&k);
    assert_true(hf_distance(last->root.position, k.goal.pose.root.position) < 1e-6);
    assert_true(fabs(last->q[elbow] - 1.2) < 1e-6);
    assert_int_equal(last->contact_count, 2);
    // the feet stand under the hips, as at rest
    for (int i = 0; i < 2; i++) assert_true(fabs(last->contacts[i].point.x - 0.6) < 0.06);
    free_task(&k);
}

/* Turned on the spot: a plan has arrived when the body looks where the goal does, not before. */
static void test_turned_goal(void** state) {
    (void)state;
    plan_task k = make_floor_way(HUMAN, HUMAN_M, 0);
    k.goal.pose.root.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), 1);
    find_whole(&k);
    const hf_motion_frame* last = last_frame(&k);
    assert_true(hf_quat_angle(last->root.rotation, k.goal.pose.root.rotation) <=
                k.options.goal_tolerance_rad + 1e-9);
    free_task(&k);
}

/* A joint so slow that its move has more knots than a timing takes: the plan fails with the timing's own kind
   of error. */
static void test_errors_keep_their_kind(void** state) {
    (void)state;
    plan_task k = make_floor_way(HUMAN, HUMAN_M, 0);
    hf_hold feet[2];
    set_whole_goal(&k, feet);
    hf_joint* elbow =
        (hf_joint*)&hf_creature_get(k.creature)->joints[hf_creature_find_joint(k.creature, "l_elbow")];
    elbow->max_speed = 1e-6;
    hf_plan_query q = {.start = &k.start, .goal = &k.goal};
    hf_plan_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_find(k.model, k.scene, &q, &k.options, NULL, NULL, &r, &error), HF_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "start and goal are too far apart"));
    assert_null(r.motion);
    free_task(&k);
}

static void test_start_is_goal(void** state) {
    (void)state;
    plan_task k = make_floor_way(HUMAN, HUMAN_M, 0);
    find_whole(&k);
    assert_int_equal(k.result.stances, 1);
    free_task(&k);
}

static void test_same_for_any_threads(void** state) {
    (void)state;
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        plan_task k = make_floor_way("data/creatures/quadruped.creature.json", 0.53, 0.3);
        hf_plan_model_free(k.model);
        k.options.threads = 1 << i;
        assert_int_equal(hf_plan_model_create(k.creature, &k.options, &k.model, NULL), HF_OK);
        find(&k);
        assert_int_equal(k.result.outcome, HF_FOUND);
        hashes[i] = hash_of(k.result.motion);
        free_task(&k);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

/* Inside a wall, out of any reach, nothing to stand on. */
static void test_says_why_not(void** state) {
    (void)state;
    plan_task k = make_way(HUMAN, HUMAN_M, 1, 0);
    k.options.max_work = 50;
    k.options.guides = 1;
    const hf_vec3 walled[2][2] = {{{-3, -3, -0.2}, {6, 3, 0}}, {{-0.5, -0.5, 0.5}, {0.5, 0.5, 1.5}}};
    set_scene(&k, scene_of_boxes(walled, 2));
    find(&k);
    assert_int_not_equal(k.result.outcome, HF_FOUND);
    assert_true(k.result.why == HF_PLAN_START_COLLIDES || k.result.why == HF_PLAN_NO_GUIDE);
    assert_true(strlen(k.result.where) > 0);
    set_scene(&k, scene_of_boxes(floor_box, 1));
    k.goal.pose.root.position.z = 30;
    find(&k);
    assert_int_not_equal(k.result.outcome, HF_FOUND);
    assert_int_equal(k.result.why, HF_PLAN_NO_GUIDE);
    // a floor far below
    const hf_vec3 deep[1][2] = {{{-3, -3, -9}, {6, 3, -8}}};
    set_scene(&k, scene_of_boxes(deep, 1));
    k.goal.pose.root.position.z = HUMAN_M;
    find(&k);
    assert_int_not_equal(k.result.outcome, HF_FOUND);
    k.options.rate = NAN;
    hf_plan_query q = {.start = &k.start, .goal = &k.goal};
    hf_plan_result r;
    set_scene(&k, scene_of_boxes(floor_box, 1));
    assert_int_equal(hf_plan_find(k.model, k.scene, &q, &k.options, NULL, NULL, &r, NULL), HF_ERROR_ARGUMENT);
    assert_null(r.motion);
    free_task(&k);
}

/* Lower by 0.1 m the feet are in the floor: both bodies are named, and the height at which it stands free. */
static void test_start_that_collides(void** state) {
    (void)state;
    plan_task k = make_floor_way(HUMAN, HUMAN_M - 0.1, 1);
    k.start.whole = true;
    find(&k);
    const hf_plan_result* r = &k.result;
    assert_int_equal(r->why, HF_PLAN_START_COLLIDES);
    assert_true(r->block.collides);
    assert_int_equal(r->block.hit.other_body, -1);
    const hf_creature_view* v = hf_creature_get(k.creature);
    assert_non_null(strstr(r->where, v->links[v->bodies[r->block.hit.body].link].name));
    assert_non_null(strstr(r->where, hf_scene_object(k.scene, r->block.hit.surface.object).name));
    const char* height = strstr(r->where, "z = ");
    assert_non_null(height);
    // the soles touch at the height of the root that stands, and 0.8 mm of overlap are allowed
    assert_near(strtod(height + 4, NULL), HUMAN_M - 0.0008, 0.0005);
    free_task(&k);
}

/* Along a guide over a chasm: the limb that stops is named with a place on the floor before it. */
static void test_says_which_limb_is_blocked(void** state) {
    (void)state;
    plan_task k = make_way("data/creatures/quadruped.creature.json", 0.53, 6, 0);
    const hf_vec3 chasm[2][2] = {{{-2, -3, -0.2}, {0.8, 3, 0}}, {{5, -3, -0.2}, {9, 3, 0}}};
    set_scene(&k, scene_of_boxes(chasm, 2));
    hf_transform guide[61];
    for (int i = 0; i <= 60; i++) guide[i] = (hf_transform){{i * 0.1, 0, 0.53}, hf_quat_identity()};
    hf_plan_query q = {.start = &k.start, .goal = &k.goal, .guide = guide, .guide_count = 61};
    hf_error error = {0};
    k.options.max_work = 150;
    assert_int_equal(hf_plan_find(k.model, k.scene, &q, &k.options, NULL, NULL, &k.result, &error), HF_OK);
    const hf_plan_result* r = &k.result;
    assert_true(r->why == HF_PLAN_NO_CONTACT || r->why == HF_PLAN_WORK_ENDED);
    assert_int_not_equal(r->block.kind, HF_PLAN_NO_OBSTACLE);
    assert_true(r->block.limb >= 0 && r->block.has_place);
    assert_int_equal(r->block.object, 0);
    assert_near(r->block.point.z, 0, 1e-3);
    assert_true(r->block.point.x < 0.8 + 1e-3);
    assert_non_null(strstr(r->where, hf_creature_get(k.creature)->limbs[r->block.limb].name));
    assert_non_null(strstr(r->where, "% of the way"));
    free_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_human_walks),          cmocka_unit_test(test_quadruped_walks),
        cmocka_unit_test(test_insect_walks),         cmocka_unit_test(test_step_up),
        cmocka_unit_test(test_whole_goal),           cmocka_unit_test(test_start_is_goal),
        cmocka_unit_test(test_turned_goal),          cmocka_unit_test(test_errors_keep_their_kind),
        cmocka_unit_test(test_same_for_any_threads), cmocka_unit_test(test_says_why_not),
        cmocka_unit_test(test_start_that_collides),  cmocka_unit_test(test_says_which_limb_is_blocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
