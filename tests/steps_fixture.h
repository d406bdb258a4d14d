/* The first steps of the shipped recording of a plan up stairs, ready to be refined. */
#ifndef HF_TESTS_STEPS_FIXTURE_H
#define HF_TESTS_STEPS_FIXTURE_H

#include "stairs_fixture.h"

#include "refine/attempt.h"

enum { PHASES = 6 }; /* of the whole schedule that the first steps take */

typedef struct steps {
    stairs at;
    hf_stretch stretch;
    hf_refine_options options;
    hf_refine_result result;
    hf_refining refining;
} steps;

static inline void steps_load(steps* s) {
    memset(s, 0, sizeof *s);
    stairs_load(&s->at);
    s->options = hf_refine_options_default();
    s->refining = (hf_refining){s->at.scenario->creature,
                                s->at.scenario->scene,
                                s->at.placement,
                                &s->options,
                                s->at.workspace,
                                s->options.rate,
                                1,
                                &s->result};
}

/* Cuts the first steps out of the schedule. */
static inline void steps_cut(steps* s) {
    stairs* at = &s->at;
    stairs_measure(at);
    assert_true(at->phases.count > PHASES);
    assert_int_equal(hf_stretch_make(at->scenario->creature, at->schedule, &at->phases, &at->list, 0, PHASES,
                                     at->workspace, &s->stretch),
                     HF_OK);
}

static inline void steps_free(steps* s) {
    hf_stretch_free(&s->stretch);
    hf_refine_result_free(&s->result);
    stairs_free(&s->at);
}

static inline double end_of(const hf_schedule* s) { return s->knots[s->knot_count - 1].time_s; }

#endif
