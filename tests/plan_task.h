/* A plan from one pose to another in a scene, for tests of plans. */
#ifndef HF_TESTS_PLAN_TASK_H
#define HF_TESTS_PLAN_TASK_H

#include "guide_scenes.h"
#include "test.h"

static const char HUMAN[] = "data/creatures/human.creature.json";
static const double HUMAN_M = 0.9424186; /* the human's root over the ground where it stands */

typedef struct plan_task {
    hf_creature* creature;
    hf_plan_model* model;
    hf_plan_options options;
    double* q[2];
    hf_scenario_state start, goal;
    hf_scene* scene;
    hf_plan_result result; /* of the last plan */
} plan_task;

/* At rest, upright along X, from one root to another. */
static inline plan_task make_task(const char* creature, hf_vec3 from, hf_vec3 to) {
    plan_task k = {.options = hf_plan_options_default()};
    hf_error error = {0};
    assert_int_equal(hf_creature_load(data_path(creature), NULL, &k.creature, &error), HF_OK);
    assert_int_equal(hf_plan_model_create(k.creature, &k.options, &k.model, &error), HF_OK);
    hf_scenario_state* states[] = {&k.start, &k.goal};
    for (int i = 0; i < 2; i++) {
        k.q[i] = calloc((size_t)hf_creature_get(k.creature)->q_count + 1, sizeof(double));
        assert_non_null(k.q[i]);
        states[i]->pose.q = k.q[i];
        hf_pose_rest(k.creature, &states[i]->pose);
        states[i]->pose.root.position = i ? to : from;
    }
    return k;
}

/* The task takes the scene, in place of the one it has. */
static inline void set_scene(plan_task* k, hf_scene* scene) {
    hf_scene_free(k->scene);
    k->scene = scene;
}

static inline void find(plan_task* k) {
    hf_plan_query q = {.start = &k->start, .goal = &k->goal};
    hf_error error = {0};
    hf_plan_result_free(&k->result);
    assert_int_equal(hf_plan_find(k->model, k->scene, &q, &k->options, NULL, NULL, &k->result, &error),
                     HF_OK);
    if (k->result.outcome != HF_FOUND)
        print_message("%s: %s\n", hf_plan_why_text(k->result.why), k->result.where);
}

/* By the independent check. */
static inline void assert_valid(const plan_task* k) {
    hf_check_report report;
    assert_int_equal(hf_check_motion(k->result.motion, k->creature, k->scene, 1, NULL, NULL, &report, NULL),
                     HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        print_message("frame %d: %s\n", report.problems[i].frame, report.problems[i].what);
    assert_true(report.valid);
    // one that walks is balanced in motion, not at rest
    if (k->result.motion->claims & HF_CLAIM_BALANCE) assert_int_equal(report.unbalanced, 0);
    assert_int_equal(report.stances, k->result.stances);
    hf_check_report_free(&report);
}

static inline const hf_motion_frame* last_frame(const plan_task* k) {
    return &k->result.motion->frames[k->result.motion->frame_count - 1];
}

static inline void free_task(plan_task* k) {
    hf_plan_result_free(&k->result);
    hf_scene_free(k->scene);
    free(k->q[0]);
    free(k->q[1]);
    hf_plan_model_free(k->model);
    hf_creature_free(k->creature);
}

#endif
