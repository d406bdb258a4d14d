/* Motions that are balanced in motion alone, and edits of refined schedules: what did not change keeps its
   poses and times. */
#include "steps_fixture.h"

#include <stdlib.h>

enum { PAUSE = 60 }; /* frames of a pause */

static void steps_make(steps* s) {
    steps_load(s);
    steps_cut(s);
}

static int undynamic_frames(const steps* s, const hf_motion* m) {
    hf_check_report report;
    assert_int_equal(
        hf_check_motion(m, s->at.scenario->creature, s->at.scenario->scene, 0, NULL, NULL, &report, NULL),
        HF_OK);
    assert_true(report.valid);
    int count = report.undynamic;
    hf_check_report_free(&report);
    return count;
}

/* Steps that are balanced in motion alone: valid by the check with forces for every frame, quicker than on
   the shortest ways, which hold the body at rest, and not balanced at rest somewhere. */
static void steps_are_balanced_in_motion(void** state) {
    (void)state;
    steps still, moving;
    steps_make(&still);
    steps_make(&moving);
    assert_int_equal(hf_attempt_direct(&still.refining, false, still.options.rounds, &still.stretch), HF_OK);
    assert_int_equal(hf_attempt_direct(&moving.refining, true, moving.options.rounds, &moving.stretch),
                     HF_OK);
    assert_non_null(moving.stretch.best);
    assert_int_equal(undynamic_frames(&moving, moving.stretch.motion), 0);
    assert_true(moving.stretch.motion->claims & HF_CLAIM_DYNAMIC);
    assert_false(moving.stretch.motion->claims & HF_CLAIM_BALANCE);
    assert_true(!still.stretch.best || moving.stretch.best_s < still.stretch.best_s);
    bool unbalanced = false;
    for (int i = 0; i < moving.stretch.motion->frame_count; i++)
        unbalanced |= moving.stretch.motion->frames[i].balance < 0;
    assert_true(unbalanced);
    steps_free(&still);
    steps_free(&moving);
}

/* The schedule with a pause of so many frames behind its first knot. */
static hf_schedule* with_pause_of(const steps* s, const hf_schedule* last, int pause) {
    hf_schedule* out;
    double pause_s = pause / last->rate;
    assert_int_equal(hf_schedule_create(s->at.scenario->creature, last->rate, &out), HF_OK);
    out->claims = last->claims;
    for (int i = 0; i < last->knot_count + pause; i++) {
        const hf_knot* k = &last->knots[i < pause ? 0 : i - pause];
        hf_pose pose = {k->root, k->q};
        assert_int_equal(hf_schedule_add(out, NULL, i / last->rate, &pose, NULL, 0, i == 0), HF_OK);
    }
    out->holds = calloc((size_t)last->hold_count, sizeof *out->holds);
    for (int i = 0; i < last->hold_count; i++) {
        hf_schedule_hold h = last->holds[i];
        h.from_s += h.from_s > 0 ? pause_s : 0;
        h.to_s += pause_s;
        out->holds[out->hold_count++] = h;
    }
    out->hold_capacity = out->hold_count;
    return out;
}

static hf_schedule* with_pause(const steps* s, const hf_schedule* last) {
    return with_pause_of(s, last, PAUSE);
}

/* Refining again keeps a pause that was put in, and behind the pause every pose. */
static void a_pause_stays(void** state) {
    (void)state;
    steps s;
    hf_refine_result again = {0};
    steps_make(&s);
    const hf_creature* c = s.at.scenario->creature;
    const hf_scene* scene = s.at.scenario->scene;
    assert_int_equal(hf_refine(c, scene, s.stretch.given, &s.options, s.at.workspace, &s.result, NULL),
                     HF_OK);
    assert_int_equal(s.result.outcome, HF_FOUND);
    const hf_schedule* last = s.result.schedule;
    hf_schedule* edited = with_pause(&s, last);
    assert_int_equal(hf_refine_again(c, scene, edited, last, &s.options, s.at.workspace, &again, NULL),
                     HF_OK);
    assert_int_equal(again.outcome, HF_FOUND);
    assert_true(fabs(end_of(again.schedule) - end_of(last) - PAUSE / last->rate) < 1e-9);
    for (int i = 0; i < last->knot_count; i++) {
        const hf_knot *a = &last->knots[i], *b = &again.schedule->knots[i + PAUSE];
        assert_true(hf_distance(a->root.position, b->root.position) < 1e-6);
        for (int q = 0; q < last->q_count; q++) assert_true(fabs(a->q[q] - b->q[q]) < 1e-6);
    }
    assert_int_equal(undynamic_frames(&s, again.motion), 0);
    hf_schedule_free(edited);
    hf_refine_result_free(&again);
    steps_free(&s);
}

/* A hold that begins on the way, moved by 15 mm along its step: the limb goes there, in the same time, and
   the other limbs and the root are as they were. */
static void a_moved_hold_is_reached(void** state) {
    (void)state;
    steps s;
    hf_refine_result again = {0};
    steps_make(&s);
    const hf_creature* c = s.at.scenario->creature;
    const hf_scene* scene = s.at.scenario->scene;
    assert_int_equal(hf_refine(c, scene, s.stretch.given, &s.options, s.at.workspace, &s.result, NULL),
                     HF_OK);
    assert_int_equal(s.result.outcome, HF_FOUND);
    const hf_schedule* last = s.result.schedule;
    hf_schedule* edited = with_pause_of(&s, last, 0);
    int moved = 0;
    while (!(edited->holds[moved].from_s > 0)) moved++;
    edited->holds[moved].hold.point.y += 0.015;
    assert_int_equal(hf_refine_again(c, scene, edited, last, &s.options, s.at.workspace, &again, NULL),
                     HF_OK);
    assert_int_equal(again.outcome, HF_FOUND);
    assert_true(again.work < 0.5);
    assert_int_equal(undynamic_frames(&s, again.motion), 0);
    assert_true(fabs(end_of(again.schedule) - end_of(last)) < 1e-9);
    // the limb is 15 mm beside where it was
    int frame = (int)round(edited->holds[moved].from_s * last->rate) + 1;
    const hf_limb* limb = &hf_creature_get(c)->limbs[edited->holds[moved].hold.limb];
    hf_transform* links = calloc((size_t)hf_creature_get(c)->link_count, 2 * sizeof *links);
    hf_transform* before = links + hf_creature_get(c)->link_count;
    hf_forward(c, &(hf_pose){again.schedule->knots[frame].root, again.schedule->knots[frame].q}, links);
    hf_forward(c, &(hf_pose){last->knots[frame].root, last->knots[frame].q}, before);
    hf_vec3 way = hf_sub(links[limb->effector_link].position, before[limb->effector_link].position);
    assert_true(hf_distance(way, hf_v3(0, 0.015, 0)) < 1e-3);
    // the root and the joints of all other limbs have not moved, in any frame
    for (int k = 0; k < last->knot_count; k++) {
        const hf_knot *a = &last->knots[k], *b = &again.schedule->knots[k];
        assert_true(hf_distance(a->root.position, b->root.position) < 1e-6);
        for (int q = 0; q < last->q_count; q++) {
            bool own = false;
            for (int j = 0; j < limb->joint_count; j++)
                own = own || hf_creature_get(c)->joints[limb->joints[j]].q_index == q;
            assert_true(own || fabs(a->q[q] - b->q[q]) < 1e-6);
        }
    }
    free(links);
    hf_schedule_free(edited);
    hf_refine_result_free(&again);
    steps_free(&s);
}

/* A schedule with other holds is no edit of the last one. */
static void other_holds_are_refused(void** state) {
    (void)state;
    steps s;
    hf_error error = {0};
    steps_make(&s);
    hf_schedule* other = with_pause(&s, s.stretch.given);
    other->hold_count--;
    assert_int_equal(hf_refine_again(s.at.scenario->creature, s.at.scenario->scene, other, s.stretch.given,
                                     &s.options, s.at.workspace, &s.result, &error),
                     HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "no edit"));
    assert_null(s.result.motion);
    hf_schedule_free(other);
    steps_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_balanced_in_motion),
        cmocka_unit_test(a_pause_stays),
        cmocka_unit_test(a_moved_hold_is_reached),
        cmocka_unit_test(other_holds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
