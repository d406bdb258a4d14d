/* Every shipped scenario of kind plan but those listed as not found must be found with the seed of its file,
   and the motion must hold by the independent check. In release that takes about two seconds for each
   scenario. The sanitizers make it about twenty times slower, so their builds plan two scenarios, of two
   creatures. */
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { SHIPPED_PLANS = 16, UNFOUND_WORK = 400 };

static const char* const sanitized_plans[] = {"stand-up-front", "quadruped-steps"};

/* Promises that the planner does not keep yet: these stay as they are and are planned until they are found.
 */
static const char* const not_found_yet[] = {"truck-egress"};

/* Plans that must walk: they are balanced in motion and not at rest. */
static const char* const walked[] = {"stairs", "stairs-rail", "insect-truck"};
/* Plans that climb, crawl or get up have nothing to walk and must be balanced at rest; the others may walk a
   part of their way. */
static const char* const at_rest[] = {"climb",        "crawl-under", "truck-crawl",
                                      "spider-shaft", "stand-up",    "stand-up-front"};

static bool is_listed(const hf_scenario* s, const char* const* names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(s->name, names[i]) == 0) return true;
    return false;
}

static bool is_chosen(const hf_scenario* s) {
    if (!SANITIZED) return true;
    return is_listed(s, sanitized_plans, sizeof sanitized_plans / sizeof *sanitized_plans);
}

/* Not found yet, with the work that is spent on such a scenario bounded. */
static bool is_not_found_yet(const hf_scenario* s) {
    return is_listed(s, not_found_yet, sizeof not_found_yet / sizeof *not_found_yet);
}

static hf_scenario* open_scenario(const char* name) {
    char path[300], text[1024];
    hf_scenario* s = NULL;
    hf_error error = {0};
    snprintf(path, sizeof path, "data/scenarios/%s", name);
    if (hf_scenario_load(data_path(path), NULL, &s, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    return s;
}

/* The motion claims everything, one that walks all but balance at rest, and the check finds nothing against
 * it. */
static void assert_valid(const hf_scenario* s, const hf_plan_result* r) {
    hf_check_report report;
    assert_int_equal(hf_check_scenario(r->motion, s->creature, s, 0, NULL, NULL, &report, NULL), HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        print_message("%s: frame %d: %s\n", s->name, report.problems[i].frame, report.problems[i].what);
    assert_true(report.valid);
    bool walks = is_listed(s, walked, sizeof walked / sizeof *walked);
    assert_int_equal(r->motion->claims | HF_CLAIM_BALANCE, HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
    if (walks) assert_false(r->motion->claims & HF_CLAIM_BALANCE);
    if (is_listed(s, at_rest, sizeof at_rest / sizeof *at_rest))
        assert_true(r->motion->claims & HF_CLAIM_BALANCE);
    hf_check_report_free(&report);
}

static void plan(const hf_scenario* s) {
    hf_plan_options options = hf_plan_options_default();
    options.seed = s->seed;
    options.samples = s->samples;
    for (int i = 0; i < s->weight_count; i++)
        assert_int_equal(
            hf_options_set(hf_plan_option_table(), &options, s->weights[i].term, s->weights[i].weight, NULL),
            HF_OK);
    if (is_not_found_yet(s)) options.max_work = UNFOUND_WORK, options.guides = 1;
    hf_plan_model* model = NULL;
    hf_plan_result r = {0};
    hf_plan_query query = {.start = &s->start, .goal = &s->goal};
    assert_int_equal(hf_plan_model_create(s->creature, &options, &model, NULL), HF_OK);
    assert_int_equal(hf_plan_find(model, s->scene, &query, &options, NULL, NULL, &r, NULL), HF_OK);
    if (is_not_found_yet(s)) {
        if (r.outcome == HF_FOUND)
            fail_msg("%s is found: take it off the list of those not found yet", s->name);
        assert_true(r.outcome == HF_PARTIAL || r.outcome == HF_BUDGET || r.outcome == HF_NONE);
        assert_true(r.where[0]);
    } else if (r.outcome != HF_FOUND)
        fail_msg("%s: %s, %s: %s", s->name, hf_outcome_text(r.outcome), hf_plan_why_text(r.why), r.where);
    assert_valid(s, &r);
    print_message("%s: %d stances, %d frames\n", s->name, r.stances, r.motion->frame_count);
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
}

static void test_all_are_found(void** state) {
    (void)state;
    DIR* folder = opendir(data_path("data/scenarios"));
    int count = 0;
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".scenario.json")) continue;
        hf_scenario* s = open_scenario(entry->d_name);
        if (s->kind == HF_SCENARIO_PLAN) {
            count++;
            if (is_chosen(s)) plan(s);
        }
        hf_scenario_free(s);
    }
    closedir(folder);
    assert_int_equal(count, SHIPPED_PLANS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
