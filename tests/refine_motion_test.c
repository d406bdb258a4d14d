/* A recorded plan refined: quicker, and valid by the check, which shares nothing with what made it. */
#include "stairs_fixture.h"

static void refine(const stairs* s, hf_refine_result* r) {
    hf_error error = {0};
    hf_refine_options o = hf_refine_options_default();
    o.rounds = 3;
    o.work = 20; // more than these rounds take
    assert_int_equal(
        hf_refine(s->scenario->creature, s->scenario->scene, s->schedule, &o, s->workspace, r, &error),
        HF_OK);
}

static void stairs_are_climbed_sooner_and_the_check_agrees(void** state) {
    (void)state;
    stairs s;
    hf_refine_result r = {0};
    hf_check_report report;
    hf_error error;
    stairs_load(&s);
    double before_s = s.schedule->knots[s.schedule->knot_count - 1].time_s;
    refine(&s, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_true(fabs(r.before_s - before_s) < 1e-9);
    assert_true(r.after_s < 0.7 * before_s);
    assert_true(r.stretches >= 1 && r.rounds >= 1);
    assert_true(r.motion->claims & HF_CLAIM_DYNAMIC);
    assert_true(fabs(r.motion->frames[r.motion->frame_count - 1].time_s - r.after_s) < 1e-6);
    // as many holds as the plan has, in the same places, so that the goal is still reached
    assert_int_equal(r.schedule->hold_count, s.schedule->hold_count);
    for (int i = 0; i < r.schedule->hold_count; i++) {
        const hf_hold *a = &r.schedule->holds[i].hold, *b = &s.schedule->holds[i].hold;
        assert_true(a->limb == b->limb && a->object == b->object && hf_distance(a->point, b->point) < 1e-12);
    }
    assert_int_equal(
        hf_check_scenario(r.motion, s.scenario->creature, s.scenario, 0, NULL, NULL, &report, &error), HF_OK);
    assert_true(report.valid);
    assert_int_equal(report.undynamic, 0);
    assert_int_equal(report.goal_violations, 0);
    assert_true(report.contact_error_max_m < 1e-3);
    hf_check_report_free(&report);
    hf_refine_result_free(&r);
    stairs_free(&s);
}

/* With little work the answer is still a motion that holds and is no longer than the given one, or none; work
   is counted and not timed, so that the same work gives the same answer. */
static void bounded_work_gives_what_holds_by_then(void** state) {
    (void)state;
    stairs s;
    hf_error error;
    stairs_load(&s);
    const double works[3] = {2, 0.1, 0.1};
    double spent[3], after_s[3];
    for (int i = 0; i < 3; i++) {
        hf_refine_result r = {0};
        hf_refine_options o = hf_refine_options_default();
        o.work = works[i];
        assert_int_equal(
            hf_refine(s.scenario->creature, s.scenario->scene, s.schedule, &o, s.workspace, &r, &error),
            HF_OK);
        spent[i] = r.work, after_s[i] = r.motion ? r.after_s : r.before_s;
        if (i == 0) assert_non_null(r.motion);
        assert_true(r.work > 0 && r.work < works[i] + 1);
        if (r.motion) {
            hf_check_report report;
            assert_true(r.after_s < r.before_s);
            assert_int_equal(
                hf_check_scenario(r.motion, s.scenario->creature, s.scenario, 0, NULL, NULL, &report, &error),
                HF_OK);
            assert_true(report.valid);
            hf_check_report_free(&report);
        } else {
            assert_int_equal(r.outcome, HF_NONE);
            assert_true(r.why != HF_REFINE_DONE);
        }
        hf_refine_result_free(&r);
    }
    assert_true(spent[1] == spent[2] && after_s[1] == after_s[2] && spent[1] < spent[0]);
    stairs_free(&s);
}

/* Poses near the end that no foot holds with: the reason is told at the plan's own time. */
static void what_cannot_be_refined_is_told_in_the_plans_time(void** state) {
    (void)state;
    stairs s;
    hf_refine_result r = {0};
    stairs_load(&s);
    int count = s.schedule->knot_count;
    double end_s = s.schedule->knots[count - 1].time_s, from_s = end_s, to_s = 0;
    for (int i = 0; i + 1 < count; i++) {
        hf_knot* k = &s.schedule->knots[i];
        if (k->time_s < 0.87 * end_s || k->time_s > 0.88 * end_s) continue;
        k->root.position.z += 0.6;
        from_s = fmin(from_s, s.schedule->knots[i - 1].time_s);
        to_s = fmax(to_s, s.schedule->knots[i + 1].time_s);
    }
    assert_true(from_s < to_s);
    hf_refine_options o = hf_refine_options_default();
    o.rounds = 0;
    assert_int_equal(
        hf_refine(s.scenario->creature, s.scenario->scene, s.schedule, &o, s.workspace, &r, NULL), HF_OK);
    assert_int_equal(r.outcome, HF_NONE);
    // these poses are between two landings, from which to which the plan is refined by itself to begin with
    double landed_s = 0, lands_s = end_s;
    for (int i = 0; i < s.schedule->hold_count; i++) {
        double t = s.schedule->holds[i].from_s;
        if (t <= from_s) landed_s = fmax(landed_s, t);
        if (t >= to_s) lands_s = fmin(lands_s, t);
    }
    assert_true(landed_s > 0.5 * end_s && lands_s < end_s);
    assert_true(r.at_s >= landed_s && r.at_s <= lands_s);
    assert_int_equal(r.why, HF_REFINE_FAULTY);
    assert_true(r.fault_count > 0);
    assert_int_equal(r.fault.frame, (int)round(r.at_s * s.schedule->rate));
    hf_refine_result_free(&r);
    stairs_free(&s);
}

/* A motion's own frames make the schedule that it keeps. */
static void a_motion_gives_back_its_schedule(void** state) {
    (void)state;
    stairs s;
    hf_schedule* schedule;
    hf_error error;
    stairs_load(&s);
    stairs_realise(&s);
    assert_int_equal(
        hf_schedule_of_motion(s.motion, s.scenario->creature, s.scenario->scene, &schedule, &error), HF_OK);
    assert_int_equal(schedule->knot_count, s.schedule->knot_count);
    assert_int_equal(schedule->hold_count, s.schedule->hold_count);
    assert_true(fabs(schedule->rate - s.schedule->rate) < 1e-6);
    hf_schedule_free(schedule);
    // of another creature: refused as hf_motion_validate refuses it, with its reason
    hf_creature* other;
    assert_int_equal(hf_creature_load(data_path("data/creatures/insect.creature.json"), NULL, &other, &error),
                     HF_OK);
    hf_status refused = hf_motion_validate(s.motion, other, s.scenario->scene, NULL);
    assert_int_not_equal(refused, HF_OK);
    assert_int_equal(hf_schedule_of_motion(s.motion, other, s.scenario->scene, &schedule, &error), refused);
    assert_null(schedule);
    assert_true(strlen(error.message) > 5);
    hf_creature_free(other);
    stairs_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stairs_are_climbed_sooner_and_the_check_agrees),
        cmocka_unit_test(bounded_work_gives_what_holds_by_then),
        cmocka_unit_test(what_cannot_be_refined_is_told_in_the_plans_time),
        cmocka_unit_test(a_motion_gives_back_its_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
