/* Times of swings that overlap: what changes when, and what must not change. */
#include "stairs_fixture.h"

typedef struct climb {
    stairs at;
    hf_ways ways;
} climb;

static void climb_make(climb* s) {
    stairs* at = &s->at;
    stairs_load(at);
    stairs_measure(at);
    assert_int_equal(hf_ways_make(at->scenario->creature, at->schedule, &at->spline, &at->phases, &at->list,
                                  at->workspace, &s->ways),
                     HF_OK);
}

static void climb_free(climb* s) { stairs_free(&s->at); }

static hf_schedule* make(climb* s, double overlap, hf_layout* layout) {
    hf_schedule* made;
    hf_part_load* loads = hf_workspace_take(s->at.workspace, (size_t)s->at.phases.count, sizeof *loads);
    for (int p = 0; p < s->at.phases.count; p++) s->at.phases.items[p].overlap = overlap;
    // where the body needs no time of its own, nothing but the swings decides
    for (int p = 0; p < s->at.phases.count; p++) s->ways.least_body_s[p] = 0;
    assert_int_equal(hf_layout_make(&s->ways, s->at.workspace, layout), HF_OK);
    assert_int_equal(hf_direct_make(&s->ways, layout, 60, s->at.workspace, &made, loads), HF_OK);
    return made;
}

/* Holds begin in the order in which they began, and end in the order in which they ended; a limb stays on its
   hold; two limbs never change at once. */
static void overlapping_swings_keep_the_order_of_holds(void** state) {
    (void)state;
    climb s;
    hf_layout layout;
    climb_make(&s);
    hf_schedule* made = make(&s, 0.45, &layout);
    const hf_schedule* given = s.at.schedule;
    double end_s = made->knots[made->knot_count - 1].time_s;
    int early = 0;
    for (int i = 0; i < made->hold_count; i++) {
        const hf_schedule_hold *a = &made->holds[i], *was = &given->holds[i];
        if (a->from_s > 0 && a->to_s < end_s) assert_true(a->to_s - a->from_s > 0.099);
        for (int k = 0; k < made->hold_count; k++) {
            const hf_schedule_hold *b = &made->holds[k], *then = &given->holds[k];
            if (was->from_s < then->from_s - 1e-6) assert_true(a->from_s < b->from_s);
            if (was->to_s < then->to_s - 1e-6) assert_true(a->to_s < b->to_s);
            if (a->hold.limb == b->hold.limb) continue;
            // the later limb has let go before the earlier one lands, as it did not in the schedule
            bool apart = b->to_s < end_s && a->from_s > 0;
            early += apart && b->to_s < a->from_s && then->to_s > was->from_s;
            if (apart && was->from_s != then->to_s) assert_true(fabs(b->to_s - a->from_s) > 0.039);
        }
    }
    assert_true(early > 0);
    hf_schedule_free(made);
    climb_free(&s);
}

/* Without overlap the same swings take longer, and no limb lets go before another one has landed. */
static void swings_that_do_not_overlap_take_longer(void** state) {
    (void)state;
    climb s;
    hf_layout apart, together;
    climb_make(&s);
    hf_schedule *a = make(&s, 0, &apart), *b = make(&s, 0.45, &together);
    assert_true(together.end_s < apart.end_s);
    for (int p = 0; p < s.at.phases.count; p++) assert_true(apart.begin_s[p + 1] > apart.begin_s[p]);
    hf_schedule_free(a);
    hf_schedule_free(b);
    climb_free(&s);
}

/* Of the forms of a swing the quickest is taken; banned ones are passed over; none is left at last. */
static void forms_are_taken_in_the_order_of_their_times(void** state) {
    (void)state;
    climb s;
    climb_make(&s);
    assert_true(s.ways.swing_count > 0);
    for (int i = 0; i < s.ways.swing_count; i++) {
        hf_swing_way* w = &s.ways.swings[i];
        double last_s = 0;
        int taken = 0;
        for (; hf_swing_choose(w); taken++) {
            assert_true(w->forms[w->form].least_s >= last_s);
            last_s = w->forms[w->form].least_s;
            w->forms[w->form].banned = true;
        }
        assert_true(taken > 0 && taken <= HF_FORMS);
    }
    climb_free(&s);
}

/* A swing begins and ends without a detour, whatever its form, and its way is gone from 0 to 1. */
static void swings_begin_and_end_on_their_holds(void** state) {
    (void)state;
    climb s;
    climb_make(&s);
    for (int i = 0; i < s.ways.swing_count; i++)
        for (int f = 0; f < HF_FORMS; f++) {
            hf_swing_way* w = &s.ways.swings[i];
            w->form = f;
            assert_true(fabs(hf_swing_gone(w, 0)) < 1e-12 && fabs(hf_swing_gone(w, 1) - 1) < 1e-12);
            for (int v = 0; v < s.ways.q_count; v++)
                for (int end = 0; end < 2; end++)
                    assert_true(fabs(hf_swing_detour(&s.ways, w, v, end)) < 1e-9);
        }
    climb_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_swings_keep_the_order_of_holds),
        cmocka_unit_test(swings_that_do_not_overlap_take_longer),
        cmocka_unit_test(forms_are_taken_in_the_order_of_their_times),
        cmocka_unit_test(swings_begin_and_end_on_their_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
