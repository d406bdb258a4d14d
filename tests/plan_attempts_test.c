/* Attempts at plans of shipped scenarios: the same whoever makes them, ended as soon as somebody says so, and
   what comes back of one that did not arrive holds as well. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

typedef struct task {
    hf_scenario* scenario;
    hf_plan_model* model;
    hf_plan_options options;
} task;

static task open_task(const char* path, uint64_t seed) {
    task k = {.options = hf_plan_options_default()};
    hf_error error = {0};
    if (hf_scenario_load(data_path(path), NULL, &k.scenario, &error) != HF_OK) fail_msg("%s", error.message);
    k.options.seed = seed;
    assert_int_equal(hf_plan_model_create(k.scenario->creature, &k.options, &k.model, &error), HF_OK);
    return k;
}

static void close_task(task* k) {
    hf_plan_model_free(k->model);
    hf_scenario_free(k->scenario);
}

static hf_plan_result plan(const task* k, hf_progress_fn progress, void* user) {
    hf_plan_query q = {.start = &k->scenario->start, .goal = &k->scenario->goal};
    hf_plan_result r;
    hf_error error = {0};
    assert_int_equal(hf_plan_find(k->model, k->scenario->scene, &q, &k->options, progress, user, &r, &error),
                     HF_OK);
    return r;
}

static bool holds(const task* k, const hf_plan_result* r) {
    hf_check_report report;
    assert_int_equal(
        hf_check_motion(r->motion, k->scenario->creature, k->scenario->scene, 1, NULL, NULL, &report, NULL),
        HF_OK);
    bool valid = report.valid;
    for (int i = 0; i < report.problem_count; i++)
        print_message("frame %d: %s\n", report.problems[i].frame, report.problems[i].what);
    hf_check_report_free(&report);
    return valid;
}

static bool same_motion(const hf_motion* a, const hf_motion* b) {
    if (a->frame_count != b->frame_count) return false;
    for (int f = 0; f < a->frame_count; f++)
        if (memcmp(a->frames[f].q, b->frames[f].q, sizeof(double) * (size_t)a->q_count)) return false;
    return true;
}

/* Where the first guide leads nowhere, because its attempt has little patience, a later one, whose attempt
   has more, is found by one thread as by two. */
static void later_guides_do_not_depend_on_threads(void** state) {
    (void)state;
    const char* paths[] = {"data/scenarios/crawl-under.scenario.json",
                           "data/scenarios/truck-crawl.scenario.json", "data/scenarios/climb.scenario.json"};
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++) {
        task k = open_task(paths[i], 4);
        k.options.threads = 1;
        k.options.guides = 1;
        k.options.patience = i < 2 ? 1 : 8;
        hf_plan_result first = plan(&k, NULL, NULL);
        assert_int_not_equal(first.outcome, HF_FOUND);
        k.options.guides = 12;
        hf_plan_result one = plan(&k, NULL, NULL);
        k.options.threads = 2;
        hf_plan_result two = plan(&k, NULL, NULL);
        assert_int_equal(one.outcome, HF_FOUND);
        assert_int_equal(one.outcome, two.outcome);
        assert_int_equal(one.why, two.why);
        assert_int_equal(one.work, two.work);
        assert_int_equal(one.stances, two.stances);
        assert_true(same_motion(one.motion, two.motion));
        assert_true(one.work > first.work);
        hf_plan_result_free(&first), hf_plan_result_free(&one), hf_plan_result_free(&two);
        close_task(&k);
    }
}

static bool count_down(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return --*(int*)user > 0;
}

/* Whenever it is cancelled, it says so, unless it had arrived. */
static void cancelled_plans_say_so(void** state) {
    (void)state;
    task k = open_task("data/scenarios/crawl-under.scenario.json", 1);
    for (int calls = 1; calls < 100; calls = 2 * calls + 1)
        for (int threads = 1; threads <= 2; threads++) {
            int left = calls;
            k.options.threads = threads;
            hf_plan_result r = plan(&k, count_down, &left);
            if (left > 0)
                assert_int_equal(r.outcome, HF_FOUND);
            else
                assert_true(r.outcome == HF_CANCELLED || r.outcome == HF_FOUND);
            if (r.motion) assert_true(holds(&k, &r));
            hf_plan_result_free(&r);
        }
    close_task(&k);
}

/* However little work is allowed, what comes back is a motion that holds. */
static void unfinished_motions_hold(void** state) {
    (void)state;
    const char* paths[] = {"data/scenarios/crawl-under.scenario.json",
                           "data/scenarios/truck-crawl.scenario.json"};
    for (int i = 0; i < (SANITIZED ? 1 : 2); i++) {
        task k = open_task(paths[i], 4);
        k.options.guides = 1;
        for (int work = 60; work <= 160; work += 50) {
            k.options.max_work = work;
            hf_plan_result r = plan(&k, NULL, NULL);
            assert_non_null(r.motion);
            assert_true(holds(&k, &r));
            hf_plan_result_free(&r);
        }
        close_task(&k);
    }
}

/* Is the pose the state's, as exactly as contacts are held? */
static void assert_pose(const task* k, const hf_motion_frame* frame, const hf_scenario_state* state) {
    const hf_creature_view* v = hf_creature_get(k->scenario->creature);
    assert_true(hf_distance(frame->root.position, state->pose.root.position) < 2e-3);
    assert_true(hf_quat_angle(frame->root.rotation, state->pose.root.rotation) < 0.02);
    for (int j = 0; j < v->joint_count; j++) {
        int i = v->joints[j].q_index;
        if (v->joints[j].q_count == 1 && fabs(frame->q[i] - state->pose.q[i]) >= 0.02)
            fail_msg("joint %s is off by %g rad", v->joints[j].name, frame->q[i] - state->pose.q[i]);
    }
}

static int limb_named(const task* k, const char* name) {
    const hf_creature_view* v = hf_creature_get(k->scenario->creature);
    for (int l = 0; l < v->limb_count; l++)
        if (strcmp(v->limbs[l].name, name) == 0) return l;
    fail_msg("no limb %s", name);
    return -1;
}

/* A body that stands beside the chair of `stand-up` and shall sit on it is planned from the seat: the motion
   is played from the start all the same, begins and ends as it shall, and holds by the check, which knows
   nothing of this. */
static void plans_from_the_goal_begin_at_the_start(void** state) {
    (void)state;
    if (SANITIZED) skip();
    task k = open_task("data/scenarios/stand-up.scenario.json", 3);
    hf_hold feet[2] = {{.limb = limb_named(&k, "left_leg"), .object = -1},
                       {.limb = limb_named(&k, "right_leg"), .object = -1}};
    hf_scenario_state stands = k.scenario->goal, sits = k.scenario->start;
    stands.whole = true, stands.contacts = feet, stands.contact_count = 2;
    k.scenario->start = stands, k.scenario->goal = sits;
    hf_plan_result r = plan(&k, NULL, NULL);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_pose(&k, &r.motion->frames[0], &stands);
    assert_pose(&k, &r.motion->frames[r.motion->frame_count - 1], &sits);
    assert_true(holds(&k, &r));
    hf_plan_result_free(&r);
    // where the work ends before the start is reached there is nothing to play
    k.options.max_work = 1;
    r = plan(&k, NULL, NULL);
    assert_int_equal(r.outcome, HF_BUDGET);
    assert_true(r.reached < 1);
    hf_plan_result_free(&r);
    stands.contacts = NULL, stands.contact_count = 0;
    k.scenario->start = sits, k.scenario->goal = stands;
    close_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_from_the_goal_begin_at_the_start),
        cmocka_unit_test(later_guides_do_not_depend_on_threads),
        cmocka_unit_test(cancelled_plans_say_so),
        cmocka_unit_test(unfinished_motions_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
