/* The shortest ways between key poses: quicker and valid by the check, the given poses where that is asked
   for, and what cannot be had. */
#include "steps_fixture.h"

#include "refine/ends.h"
#include "refine/strain.h"

/* The first steps, and the curve through the knots of their own schedule. */
static void steps_given(steps* s) {
    steps_cut(s);
    assert_int_equal(
        hf_pose_spline_of(s->at.scenario->creature, s->stretch.given, s->at.workspace, &s->at.spline), HF_OK);
}

static hf_schedule* make(steps* s, hf_layout* layout, hf_part_load loads[PHASES]) {
    hf_schedule* made;
    const hf_creature* c = s->at.scenario->creature;
    hf_stretch* of = &s->stretch;
    hf_ways ways;
    assert_int_equal(
        hf_ways_make(c, of->given, &s->at.spline, &of->phases, &of->list, s->at.workspace, &ways), HF_OK);
    assert_int_equal(hf_layout_make(&ways, s->at.workspace, layout), HF_OK);
    assert_int_equal(hf_direct_make(&ways, layout, 60, s->at.workspace, &made, loads), HF_OK);
    return made;
}

/* The phase that begins at a given time; behind the last one, their number. */
static int phase_at(const steps* s, double given_s) {
    int p = 0;
    while (p < PHASES && s->stretch.phases.items[p].from_s < given_s - 1e-6) p++;
    return p;
}

/* How far two poses are from each other, m or rad. */
static double apart(const hf_knot* a, const hf_knot* b, int q_count) {
    double most = fmax(hf_distance(a->root.position, b->root.position),
                       hf_quat_angle(a->root.rotation, b->root.rotation));
    for (int i = 0; i < q_count; i++) most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* The way takes less time than given, holds last through the same phases, and limbs are on them. */
static void ways_are_shorter_and_keep_their_holds(void** state) {
    (void)state;
    steps s;
    hf_layout layout;
    hf_part_load loads[PHASES];
    steps_load(&s);
    steps_given(&s);
    // feet one after the other: two in the air would leave nothing that bears the body
    for (int p = 0; p < PHASES; p++) s.stretch.phases.items[p].overlap = 0;
    hf_schedule* made = make(&s, &layout, loads);
    const hf_schedule* given = s.stretch.given;
    assert_true(end_of(made) < 0.7 * end_of(given));
    assert_true(fabs(end_of(made) - layout.end_s) < 1e-9);
    assert_int_equal(made->hold_count, given->hold_count);
    for (int p = 0; p < PHASES; p++) assert_true(layout.begin_s[p + 1] > layout.begin_s[p]);
    for (int i = 0; i < made->hold_count; i++) {
        assert_true(fabs(made->holds[i].from_s - layout.begin_s[phase_at(&s, given->holds[i].from_s)]) <
                    1e-9);
        assert_true(fabs(made->holds[i].to_s - layout.begin_s[phase_at(&s, given->holds[i].to_s)]) < 1e-9);
    }
    for (int p = 0; p < PHASES; p++) assert_true(loads[p].lost_m < 1e-3);
    // it begins and ends in the given poses, but for limbs that were given a little beside their holds
    assert_true(apart(&given->knots[0], &made->knots[0], given->q_count) < 5e-3);
    assert_true(apart(&given->knots[given->knot_count - 1], &made->knots[made->knot_count - 1],
                      given->q_count) < 5e-3);
    hf_schedule_free(made);
    steps_free(&s);
}

/* Phases that are to be as given pass the given poses in their given times, with a rest at either end. */
static void phases_as_given_have_the_given_poses(void** state) {
    (void)state;
    steps s;
    hf_part_load loads[PHASES];
    double q[256], worst_m = 0, worst = 0;
    hf_layout layout;
    hf_pose pose = {.q = q};
    steps_load(&s);
    steps_given(&s);
    for (int p = 0; p < PHASES; p++) s.stretch.phases.items[p].as_given = true;
    hf_schedule* made = make(&s, &layout, loads);
    const hf_part* a = &s.stretch.phases.items[0];
    assert_true(end_of(made) > end_of(s.stretch.given));
    double took_s = layout.begin_s[1], rest_s = (took_s - (a->to_s - a->from_s)) / 2;
    assert_true(rest_s > 0);
    for (int k = 0; k < made->knot_count && made->knots[k].time_s < took_s - rest_s; k++) {
        hf_pose_spline_at(&s.at.spline, fmax(0, made->knots[k].time_s - rest_s), &pose);
        worst_m = fmax(worst_m, hf_distance(pose.root.position, made->knots[k].root.position));
        for (int i = 0; i < made->q_count; i++) worst = fmax(worst, fabs(q[i] - made->knots[k].q[i]));
    }
    // holds are put right by what a recording of files leaves them beside
    assert_true(worst_m < 1e-6 && worst < 5e-3);
    hf_schedule_free(made);
    steps_free(&s);
}

/* The last limb whose hold ends behind the first phase is free from the beginning instead, and drifts a
   little before it swings. */
static int free_one_limb(steps* s, double drift) {
    hf_schedule* all = s->at.schedule;
    int freed = -1;
    for (int i = 0; i < all->hold_count; i++)
        if (all->holds[i].from_s <= 0 && all->holds[i].to_s < end_of(all) &&
            (freed < 0 || all->holds[i].to_s > all->holds[freed].to_s))
            freed = i;
    assert_true(freed >= 0);
    int limb = all->holds[freed].hold.limb;
    double until_s = all->holds[freed].to_s;
    for (int k = 0; k < all->knot_count && all->knots[k].time_s < until_s; k++)
        for (int i = 0; i < all->q_count; i++)
            if (hf_limb_owns(s->at.scenario->creature, limb, i))
                all->knots[k].q[i] += drift * (1 - all->knots[k].time_s / until_s);
    for (int i = freed; i + 1 < all->hold_count; i++) all->holds[i] = all->holds[i + 1];
    all->hold_count--;
    return limb;
}

/* A limb that is free at first begins where it was given, however little it moves before its swing. */
static void limbs_that_are_free_begin_where_they_were_given(void** state) {
    (void)state;
    steps s;
    hf_layout layout;
    hf_part_load loads[PHASES];
    steps_load(&s);
    int limb = free_one_limb(&s, 0.02);
    steps_given(&s);
    hf_schedule* made = make(&s, &layout, loads);
    int owned = 0;
    for (int i = 0; i < made->q_count; i++) {
        if (!hf_limb_owns(s.at.scenario->creature, limb, i)) continue;
        owned++;
        assert_true(fabs(made->knots[0].q[i] - s.stretch.given->knots[0].q[i]) < 1e-5);
    }
    assert_true(owned > 0);
    hf_schedule_free(made);
    steps_free(&s);
}

/* The attempt's motion is quicker than given, within the joints' strength, and valid by the check. */
static void the_check_agrees_with_what_is_taken(void** state) {
    (void)state;
    steps s;
    hf_check_report report;
    hf_dynamic_report forces;
    hf_error error = {0};
    steps_load(&s);
    steps_given(&s);
    assert_int_equal(hf_attempt_direct(&s.refining, false, s.options.rounds, &s.stretch), HF_OK);
    assert_non_null(s.stretch.best);
    assert_true(s.stretch.best_s < end_of(s.stretch.given));
    const hf_motion* m = s.stretch.motion;
    assert_true(m->claims & HF_CLAIM_DYNAMIC);
    assert_int_equal(
        hf_check_motion(m, s.at.scenario->creature, s.at.scenario->scene, 0, NULL, NULL, &report, &error),
        HF_OK);
    assert_true(report.valid);
    assert_int_equal(report.undynamic, 0);
    assert_int_equal(
        hf_check_dynamic(m, s.at.scenario->creature, s.at.scenario->scene, 0, NULL, NULL, &forces, &error),
        HF_OK);
    assert_true(forces.torque_share_max <= 1);
    hf_dynamic_report_free(&forces);
    hf_check_report_free(&report);
    steps_free(&s);
}

/* A frame is borne with the share that the check finds for the whole motion, not with a twentieth less, and
   that is the peak. */
static void strain_is_what_the_check_finds(void** state) {
    (void)state;
    steps s;
    hf_dynamic_report forces;
    hf_realise_result judged = {0};
    hf_realise_options o = hf_realise_options_default();
    hf_motion* motion;
    hf_error error = {0};
    steps_load(&s);
    steps_given(&s);
    const hf_creature* c = s.at.scenario->creature;
    assert_int_equal(
        hf_realise(c, s.at.scenario->scene, s.stretch.given, &o, s.at.workspace, &motion, &judged), HF_OK);
    assert_int_equal(hf_check_dynamic(motion, c, s.at.scenario->scene, 0, NULL, NULL, &forces, &error),
                     HF_OK);
    hf_strain strain = {c, motion, s.stretch.given, s.stretch.list.held, s.at.workspace};
    bool bears;
    double peak;
    // friction cones of other edges differ by some percent
    int at = forces.torque_frame;
    assert_int_equal(hf_strain_bears(&strain, at, 1.05 * forces.torque_share_max, &bears), HF_OK);
    assert_true(bears);
    assert_int_equal(hf_strain_bears(&strain, at, 0.95 * forces.torque_share_max, &bears), HF_OK);
    assert_false(bears);
    assert_int_equal(hf_strain_peak(&strain, &peak), HF_OK);
    assert_true(peak <= forces.torque_share_max && peak > 0.95 * forces.torque_share_max);
    hf_dynamic_report_free(&forces);
    hf_realise_result_free(&judged);
    hf_motion_free(motion);
    steps_free(&s);
}

/* With a twentieth of all limits nothing is quicker: no result, and the schedule is as it was. */
static void what_cannot_gain_is_left_alone(void** state) {
    (void)state;
    steps s;
    steps_load(&s);
    steps_given(&s);
    s.options.speed_share = s.options.acceleration_share = 0.05;
    s.options.rounds = 1;
    hf_schedule* in = s.stretch.given;
    int knots = in->knot_count, holds = in->hold_count;
    double end_s = end_of(in), q = in->knots[knots / 2].q[0];
    assert_int_equal(hf_refine(s.at.scenario->creature, s.at.scenario->scene, in, &s.options, s.at.workspace,
                               &s.result, NULL),
                     HF_OK);
    assert_int_equal(s.result.outcome, HF_NONE);
    assert_null(s.result.motion);
    assert_true(s.result.why != HF_REFINE_DONE);
    assert_true(in->knot_count == knots && in->hold_count == holds);
    assert_true(end_of(in) == end_s && in->knots[knots / 2].q[0] == q);
    steps_free(&s);
}

/* A body that rises out of the reach of its feet: the ways tell how far holds are missed, and nothing is
   taken. */
static void holds_out_of_reach_are_told(void** state) {
    (void)state;
    steps s;
    hf_part_load loads[PHASES];
    double most = 0;
    hf_layout layout;
    steps_load(&s);
    for (int i = 1; i < s.at.schedule->knot_count; i++) s.at.schedule->knots[i].root.position.z += 0.6;
    steps_given(&s);
    hf_schedule* made = make(&s, &layout, loads);
    for (int p = 0; p < PHASES; p++) most = fmax(most, loads[p].lost_m);
    assert_true(most > 0.1);
    hf_schedule_free(made);
    assert_int_equal(hf_attempt_direct(&s.refining, false, 2, &s.stretch), HF_OK);
    assert_null(s.stretch.best);
    assert_true(s.stretch.why != HF_REFINE_DONE);
    steps_free(&s);
}

/* A pose at either end that is not the given one is a fault of that frame; a pose between them is none. */
static void ends_that_are_off_are_faults(void** state) {
    (void)state;
    steps s;
    hf_realise_result faults = {0};
    steps_load(&s);
    steps_given(&s);
    const hf_creature* c = s.at.scenario->creature;
    hf_schedule *given = s.stretch.given, *whole = s.at.schedule;
    hf_stretch again;
    assert_int_equal(hf_stretch_make(c, whole, &s.at.phases, &s.at.list, 0, PHASES, s.at.workspace, &again),
                     HF_OK);
    hf_knot *first = &again.given->knots[0], *last = &again.given->knots[again.given->knot_count - 1];
    again.given->knots[again.given->knot_count / 2].q[0] += 1;
    assert_int_equal(
        hf_ends_judge(c, given, again.given, HF_END_FIRST | HF_END_LAST, s.at.workspace, &faults), HF_OK);
    assert_int_equal(faults.fault_count, 0);
    last->q[hf_creature_get(c)->q_count - 1] += 0.02;
    assert_int_equal(
        hf_ends_judge(c, given, again.given, HF_END_FIRST | HF_END_LAST, s.at.workspace, &faults), HF_OK);
    assert_int_equal(faults.fault_count, 1);
    assert_int_equal(faults.outcome, HF_PARTIAL);
    assert_int_equal(faults.faults[0].frame, (int)round(end_of(given) * given->rate));
    first->root.position.z += 0.02;
    assert_int_equal(
        hf_ends_judge(c, given, again.given, HF_END_FIRST | HF_END_LAST, s.at.workspace, &faults), HF_OK);
    assert_int_equal(faults.fault_count, 3);
    assert_int_equal(faults.faults[1].frame, 0);
    // the ends of a stretch within a schedule are nobody's promise
    assert_int_equal(s.stretch.ends, HF_END_FIRST);
    assert_int_equal(hf_ends_judge(c, given, again.given, s.stretch.ends, s.at.workspace, &faults), HF_OK);
    assert_int_equal(faults.fault_count, 4);
    hf_realise_result_free(&faults);
    hf_stretch_free(&again);
    steps_free(&s);
}

/* A whole shipped plan whose last limb, which has a joint more than its hold needs, lands just before the
   end: quicker, valid by the check against its scenario, and in the given poses at both ends. */
static void a_shipped_plan_still_reaches_its_goal(void** state) {
    (void)state;
    if (SANITIZED) skip(); // planning alone takes a minute there
    hf_scenario* s = NULL;
    hf_error error = {0};
    assert_int_equal(
        hf_scenario_load(data_path("data/scenarios/crawl-under.scenario.json"), NULL, &s, &error), HF_OK);
    hf_plan_options options = hf_plan_options_default();
    options.seed = 2;
    hf_plan_model* model = NULL;
    hf_plan_result plan = {0};
    hf_plan_query query = {.start = &s->start, .goal = &s->goal};
    assert_int_equal(hf_plan_model_create(s->creature, &options, &model, &error), HF_OK);
    assert_int_equal(hf_plan_find(model, s->scene, &query, &options, NULL, NULL, &plan, &error), HF_OK);
    assert_int_equal(plan.outcome, HF_FOUND);
    hf_refine_options o = hf_refine_options_default();
    hf_refine_result r = {0};
    hf_workspace* w;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    assert_int_equal(hf_refine(s->creature, s->scene, plan.schedule, &o, w, &r, &error), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_true(r.after_s < r.before_s);
    const hf_schedule *a = plan.schedule, *b = r.schedule;
    assert_true(apart(&a->knots[0], &b->knots[0], a->q_count) < 1e-3);
    assert_true(apart(&a->knots[a->knot_count - 1], &b->knots[b->knot_count - 1], a->q_count) < 1e-3);
    hf_check_report report;
    assert_string_equal(r.motion->outcome, hf_outcome_text(HF_FOUND));
    assert_int_equal(hf_check_scenario(r.motion, s->creature, s, 0, NULL, NULL, &report, &error), HF_OK);
    assert_int_equal(report.goal_violations, 0);
    assert_true(report.valid);
    hf_check_report_free(&report);
    hf_refine_result_free(&r);
    hf_workspace_free(w);
    hf_plan_result_free(&plan);
    hf_plan_model_free(model);
    hf_scenario_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_shorter_and_keep_their_holds),
        cmocka_unit_test(phases_as_given_have_the_given_poses),
        cmocka_unit_test(limbs_that_are_free_begin_where_they_were_given),
        cmocka_unit_test(the_check_agrees_with_what_is_taken),
        cmocka_unit_test(strain_is_what_the_check_finds),
        cmocka_unit_test(what_cannot_gain_is_left_alone),
        cmocka_unit_test(holds_out_of_reach_are_told),
        cmocka_unit_test(ends_that_are_off_are_faults),
        cmocka_unit_test(a_shipped_plan_still_reaches_its_goal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
