/* Reach scenarios for tests: loaded, stood at their start with few samples, and run with few postures. */
#ifndef HF_TESTS_REACH_FIXTURE_H
#define HF_TESTS_REACH_FIXTURE_H

#include "test.h"

/* Finds the posture at the start of the scenario; 100 samples of each limb are enough for that. */
static inline void reach_stand(hf_scenario* s) {
    hf_error error = {0};
    hf_plan_options o = hf_plan_options_default();
    hf_plan_model* model = NULL;
    o.samples = 100;
    assert_int_equal(hf_plan_model_create(s->creature, &o, &model, &error), HF_OK);
    assert_int_equal(hf_scenario_stand(s, model, &o, &error), HF_OK);
    hf_plan_model_free(model);
}

static inline hf_scenario* reach_load(const char* path) {
    hf_error error = {0};
    hf_scenario* s = NULL;
    if (hf_scenario_load(path, NULL, &s, &error) != HF_OK) fail_msg("%s: %s", error.field, error.message);
    reach_stand(s);
    return s;
}

/* A scenario of data/scenarios by its name. */
static inline hf_scenario* reach_shipped(const char* name) {
    char path[400];
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    return reach_load(data_path(path));
}

static inline hf_reach_options reach_nodes(int nodes) {
    hf_reach_options o = hf_reach_options_default();
    o.nodes = nodes;
    return o;
}

static inline hf_reach_result reach_run(hf_scenario* s, const hf_reach_options* o) {
    hf_reach_result r = {0};
    hf_error error = {0};
    if (hf_reach_run(s, o, NULL, NULL, &r, &error) != HF_OK) fail_msg("%s", error.message);
    return r;
}

/* Runs the scenario with 200 postures; the test fails where an action is not done. */
static inline hf_reach_result reach_found(hf_scenario* s) {
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    return r;
}

#endif
