/* Seats: a body that sits on the edge of a bench closed below stands up from it and sits down on it, its feet
   going first to where they carry it; a seat that touches nothing holds nothing. */
#include "plan_task.h"

static const double BENCH_M = 0.6;

/* The human on the edge at x = 0, its feet ahead of it, as the whole-body solver has it. */
static void sit(plan_task* k, hf_scenario_state* state, hf_hold* holds) {
    const hf_creature_view* v = hf_creature_get(k->creature);
    static const char* const NAMES[] = {"seat", "left_leg", "right_leg"};
    const hf_vec3 at[] = {{-0.001, 0, BENCH_M}, {0.38, 0.12, 0}, {0.38, -0.12, 0}};
    hf_target targets[3];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < v->limb_count; l++)
            if (strcmp(v->limbs[l].name, NAMES[i]) == 0) {
                targets[i] =
                    (hf_target){.kind = HF_TARGET_NORMAL, .limb = l, .point = at[i], .normal = {0, 0, 1}};
                holds[i] = (hf_hold){.limb = l, .object = -1};
            }
    state->pose.root.position = hf_v3(0, 0, BENCH_M + 0.08);
    hf_workspace* w = NULL;
    hf_solve_result r;
    hf_body_solve_options o = hf_body_solve_options_default();
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    assert_int_equal(hf_body_solve(k->creature, targets, 3, &o, w, &state->pose, NULL, &r), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_workspace_free(w);
    state->whole = true, state->contacts = holds, state->contact_count = 3;
}

static void set_bench(plan_task* k) {
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{-1.6, -0.8, 0}, {0, 0.8, BENCH_M}}};
    set_scene(k, scene_of_boxes(boxes, 2));
}

/* With the feet where they are the body cannot leave the seat: its centre of mass is behind them. */
static void a_body_gets_up_from_an_edge(void** state) {
    (void)state;
    plan_task k = make_task(HUMAN, hf_v3(0, 0, HUMAN_M), hf_v3(0.8, 0, HUMAN_M));
    hf_hold holds[3];
    sit(&k, &k.start, holds);
    set_bench(&k);
    find(&k);
    assert_int_equal(k.result.outcome, HF_FOUND);
    assert_valid(&k);
    free_task(&k);
}

static void a_body_sits_down_on_an_edge(void** state) {
    (void)state;
    plan_task k = make_task(HUMAN, hf_v3(0.5, 0, HUMAN_M), hf_v3(0, 0, HUMAN_M));
    hf_hold holds[3];
    sit(&k, &k.goal, holds);
    set_bench(&k);
    k.start.whole = true;
    find(&k);
    assert_int_equal(k.result.outcome, HF_FOUND);
    assert_valid(&k);
    assert_true(fabs(last_frame(&k)->root.position.z - k.goal.pose.root.position.z) < 0.005);
    free_task(&k);
}

/* Nothing moves a limb without joints onto a surface 10 mm beside it. */
static void a_seat_beside_the_edge_holds_nothing(void** state) {
    (void)state;
    plan_task k = make_task(HUMAN, hf_v3(0, 0, HUMAN_M), hf_v3(0.8, 0, HUMAN_M));
    hf_hold holds[3];
    sit(&k, &k.start, holds);
    k.start.pose.root.position.x += 0.011;
    set_bench(&k);
    find(&k);
    assert_int_equal(k.result.outcome, HF_NONE);
    assert_non_null(strstr(k.result.where, "seat is on no surface"));
    free_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_gets_up_from_an_edge),
        cmocka_unit_test(a_body_sits_down_on_an_edge),
        cmocka_unit_test(a_seat_beside_the_edge_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
