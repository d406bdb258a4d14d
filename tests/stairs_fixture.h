/* The shipped recording of a plan up stairs, as the tests of refinement take it apart. */
#ifndef HF_TESTS_STAIRS_FIXTURE_H
#define HF_TESTS_STAIRS_FIXTURE_H

#include "test.h"

#include "base/workspace.h"
#include "refine/direct.h"

typedef struct stairs {
    hf_scenario* scenario;
    hf_schedule* schedule;
    hf_motion* motion; /* NULL: not realised */
    hf_placement* placement;
    hf_workspace* workspace;
    hf_workspace_mark mark;
    hf_pose_spline spline;
    hf_parts phases;
    hf_stance_list list;
} stairs;

static inline void stairs_load(stairs* s) {
    hf_error error = {0};
    memset(s, 0, sizeof *s);
    assert_int_equal(
        hf_scenario_load(data_path("data/clips/stairs.scenario.json"), NULL, &s->scenario, &error), HF_OK);
    assert_int_equal(hf_schedule_load(data_path("data/clips/stairs.schedule.json"), s->scenario->creature,
                                      s->scenario->scene, &s->schedule, &error),
                     HF_OK);
    assert_int_equal(hf_workspace_create(&s->workspace), HF_OK);
    assert_int_equal(hf_placement_create(s->scenario->scene, &s->placement), HF_OK);
    s->mark = hf_workspace_begin(s->workspace);
}

/* The frames of the schedule, which are valid. */
static inline void stairs_realise(stairs* s) {
    const hf_scenario* c = s->scenario;
    hf_realise_result judged = {0};
    hf_realise_options test = hf_realise_options_default();
    assert_int_equal(hf_realise(c->creature, c->scene, s->schedule, &test, s->workspace, &s->motion, &judged),
                     HF_OK);
    assert_int_equal(judged.outcome, HF_FOUND);
    hf_realise_result_free(&judged);
}

/* The curve through the knots, the phases and the stances of the schedule. */
static inline void stairs_measure(stairs* s) {
    const hf_creature* c = s->scenario->creature;
    assert_int_equal(hf_pose_spline_of(c, s->schedule, s->workspace, &s->spline), HF_OK);
    assert_int_equal(hf_parts_make(s->schedule, s->workspace, &s->phases), HF_OK);
    assert_int_equal(
        hf_stance_list_make(c, s->placement, s->schedule, &s->spline, &s->phases, s->workspace, &s->list),
        HF_OK);
}

static inline void stairs_free(stairs* s) {
    hf_stance_list_free(&s->list);
    hf_motion_free(s->motion);
    hf_schedule_free(s->schedule);
    hf_placement_free(s->placement);
    hf_scenario_free(s->scenario);
    hf_workspace_end(s->workspace, s->mark);
    hf_workspace_free(s->workspace);
}

#endif
