/* What tests of contact queries share: a scenario with sample sets of all limbs, and the check of an answer.
 */
#ifndef HF_TESTS_CONTACT_FIXTURE_H
#define HF_TESTS_CONTACT_FIXTURE_H

#include "test.h"
#include "base/random.h"

enum { MAX_FRAMES = 4, MAX_LIMBS = 16, Q_MAX = 128, LINK_MAX = 128 };

typedef struct fixture {
    hf_scenario* s;
    const hf_creature_view* c;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_contact_answer* answer;
    hf_samples* samples[MAX_LIMBS][MAX_FRAMES];
} fixture;

static inline void set_up(fixture* f, const char* scenario, int count) {
    char path[200], text[1400];
    hf_error error;
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", scenario);
    memset(f, 0, sizeof *f);
    if (hf_scenario_load(data_path(path), NULL, &f->s, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    f->c = hf_creature_get(f->s->creature);
    assert_in_range(f->c->limb_count, 1, MAX_LIMBS);
    assert_int_equal(hf_placement_create(f->s->scene, &f->placement), HF_OK);
    assert_int_equal(hf_workspace_create(&f->workspace), HF_OK);
    assert_int_equal(hf_contact_answer_create(f->s->creature, 10, &f->answer), HF_OK);
    for (int l = 0; l < f->c->limb_count; l++)
        for (int k = 0; k < f->c->limbs[l].contact_count && f->c->limbs[l].joint_count; k++) {
            hf_sample_options o = hf_sample_options_default();
            o.count = count;
            o.contact = k;
            assert_int_equal(hf_samples_build(f->s->creature, l, &o, &f->samples[l][k], &error), HF_OK);
        }
}

static inline void tear_down(fixture* f) {
    for (int l = 0; l < MAX_LIMBS; l++)
        for (int k = 0; k < MAX_FRAMES; k++) hf_samples_free(f->samples[l][k]);
    hf_contact_answer_free(f->answer);
    hf_workspace_free(f->workspace);
    hf_placement_free(f->placement);
    hf_scenario_free(f->s);
}

static inline const hf_samples* const* sets(const fixture* f, int limb) {
    return (const hf_samples* const*)f->samples[limb];
}

static inline hf_contact_query query_of(const fixture* f, int limb) {
    hf_contact_query q = hf_contact_query_default();
    q.pose = f->s->start.pose;
    q.limb = limb;
    return q;
}

static inline hf_contact_query limb_query(const fixture* f, const char* limb) {
    int index = hf_creature_find_limb(f->s->creature, limb);
    assert_true(index >= 0);
    return query_of(f, index);
}

static inline void find(const fixture* f, const hf_contact_query* q) {
    assert_int_equal(
        hf_contact_find(f->s->creature, sets(f, q->limb), f->placement, q, f->workspace, f->answer), HF_OK);
}

/* Drawn one after the other, which the arguments of a call are not. */
static inline hf_vec3 draw(hf_random* r, hf_vec3 low, hf_vec3 high) {
    hf_vec3 v;
    v.x = hf_random_between(r, low.x, high.x);
    v.y = hf_random_between(r, low.y, high.y);
    v.z = hf_random_between(r, low.z, high.z);
    return v;
}

/* One frame with the contact, judged by the check module. */
static inline void judge_in(const fixture* f, const hf_scene* scene, const hf_contact_query* q,
                            const hf_contact* k, unsigned claims) {
    hf_motion* motion;
    hf_error error;
    assert_int_equal(hf_motion_create(f->s->creature, scene, &motion), HF_OK);
    double values[Q_MAX];
    memcpy(values, k->q, sizeof(double) * (size_t)f->c->q_count);
    hf_pose pose = {q->pose.root, values};
    hf_motion_frame* frame = hf_motion_add(motion, 0, &pose);
    hf_hold contact = {k->hold.limb, k->hold.frame, k->hold.object,
                       k->hold.grip, k->hold.point, k->hold.normal};
    assert_int_equal(hf_motion_add_contact(motion, frame, &contact), HF_OK);
    motion->claims = claims;
    hf_check_report report;
    assert_int_equal(hf_check_motion(motion, f->s->creature, scene, 1, NULL, NULL, &report, &error), HF_OK);
    if (!report.valid) fail_msg("%s: %s", f->c->limbs[q->limb].name, report.problems[0].what);
    assert_true(report.contact_error_max_m <= 1.5e-4);
    hf_check_report_free(&report);
    hf_motion_free(motion);
}

static inline void judge(const fixture* f, const hf_contact_query* q, const hf_contact* k, unsigned claims) {
    judge_in(f, f->s->scene, q, k, claims);
}

#endif
