/* The thesis's comparison: the path optimiser from a plan, and from straight lines between its key poses. */
#include "stairs_fixture.h"

static void compare(const stairs* s, hf_refine_comparison* out) {
    hf_refine_options o = hf_refine_options_default();
    hf_error error = {0};
    o.work = 0.3; // million steps for each start
    assert_int_equal(hf_refine_compare(s->scenario->creature, s->scenario->scene, s->schedule, &o,
                                       s->workspace, out, &error),
                     HF_OK);
}

/* Costs never rise, and a valid plan is a better start than lines through it. */
static void a_plan_is_a_better_start_than_lines(void** state) {
    (void)state;
    stairs s;
    hf_refine_comparison first[HF_REFINE_STARTS];
    stairs_load(&s);
    compare(&s, first);
    for (int i = 0; i < HF_REFINE_STARTS; i++) {
        assert_true(first[i].cost[1] <= first[i].cost[0]);
        assert_true(first[i].frames > 0 && first[i].valid[1] <= first[i].frames);
    }
    const hf_refine_comparison *plan = &first[HF_REFINE_FROM_PLAN], *lines = &first[HF_REFINE_FROM_LINES];
    assert_true(plan->cost[0] < lines->cost[0] && plan->cost[1] < lines->cost[1]);
    assert_true(plan->valid[0] > lines->valid[0] && plan->valid[1] > lines->valid[1]);
    // contact variables give up what lines miss, which costs less than to miss it
    assert_true(first[HF_REFINE_FROM_LINES_FREE].cost[0] < lines->cost[0]);
    stairs_free(&s);
}

static void a_motion_without_holds_is_refused(void** state) {
    (void)state;
    stairs s;
    hf_refine_comparison out[HF_REFINE_STARTS];
    hf_refine_options o = hf_refine_options_default();
    hf_error error = {0};
    stairs_load(&s);
    int holds = s.schedule->hold_count;
    s.schedule->hold_count = 0;
    assert_int_equal(
        hf_refine_compare(s.scenario->creature, s.scenario->scene, s.schedule, &o, s.workspace, out, &error),
        HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "holds something"));
    s.schedule->hold_count = holds;
    stairs_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_a_better_start_than_lines),
        cmocka_unit_test(a_motion_without_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
