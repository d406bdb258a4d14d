/* Sequences along root paths: the insect crosses the bookshelf and a turn, judged by the check module; what
   is in contact while a group swings; paths that cannot be gone; bad input. */
#include "test.h"

#include <stdlib.h>

enum { MAX_LIMBS = 16, MAX_PATH = 64 };

typedef struct fixture {
    hf_scenario* s;
    const hf_creature_view* c;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_course* course;
    hf_motion* motion;
    hf_samples* sets[MAX_LIMBS];
    const hf_samples* const* by_limb[MAX_LIMBS];
    int contact_count;
    hf_hold contacts[MAX_LIMBS];
    hf_sequence_query query;
    hf_sequence_result result;
} fixture;

/* The feet of the start that stand on something, by the nearest surface. */
static void hold_start(fixture* f) {
    hf_transform* links = calloc((size_t)f->c->link_count, sizeof *links);
    hf_forward(f->s->creature, &f->s->start.pose, links);
    for (int i = 0; i < f->s->start.contact_count; i++) {
        int limb = f->s->start.contacts[i].limb;
        const hf_contact_frame* frame = &f->c->limbs[limb].contacts[0];
        hf_vec3 p = hf_apply(links[frame->link], frame->offset);
        hf_surface s;
        assert_true(hf_placement_closest(f->placement, p, frame->ball + 1e-3, &s));
        hf_vec3 n = hf_normalize(hf_sub(p, s.point));
        f->contacts[f->contact_count++] =
            (hf_hold){limb, 0, s.object, false, hf_sub(p, hf_scale(n, frame->ball)), n};
    }
    free(links);
}

static void set_up(fixture* f, int samples) {
    hf_error error;
    memset(f, 0, sizeof *f);
    assert_int_equal(
        hf_scenario_load(data_path("data/scenarios/bookshelf.scenario.json"), NULL, &f->s, &error), HF_OK);
    f->c = hf_creature_get(f->s->creature);
    assert_in_range(f->c->limb_count, 1, MAX_LIMBS);
    assert_int_equal(hf_placement_create(f->s->scene, &f->placement), HF_OK);
    assert_int_equal(hf_workspace_create(&f->workspace), HF_OK);
    assert_int_equal(hf_course_create(f->s->creature, &f->course), HF_OK);
    assert_int_equal(hf_motion_create(f->s->creature, f->s->scene, &f->motion), HF_OK);
    hf_sample_options o = hf_sample_options_default();
    o.count = samples;
    for (int l = 0; l < f->c->limb_count; l++) {
        if (!f->c->limbs[l].use || f->c->limbs[l].contact_count != 1) continue;
        assert_int_equal(hf_samples_build(f->s->creature, l, &o, &f->sets[l], &error), HF_OK);
        f->by_limb[l] = (const hf_samples* const*)&f->sets[l];
    }
    hold_start(f);
    f->query = hf_sequence_query_default();
    f->query.start = f->s->start.pose;
    f->query.contacts = f->contacts;
    f->query.contact_count = f->contact_count;
    f->query.path = f->s->root_path;
    f->query.path_count = f->s->path_count;
    f->query.samples = f->by_limb;
}

static void tear_down(fixture* f) {
    for (int l = 0; l < MAX_LIMBS; l++) hf_samples_free(f->sets[l]);
    hf_motion_free(f->motion);
    hf_course_free(f->course);
    hf_workspace_free(f->workspace);
    hf_placement_free(f->placement);
    hf_scenario_free(f->s);
}

static void find(fixture* f) {
    assert_int_equal(hf_sequence_find(f->s->creature, f->placement, &f->query, f->workspace, NULL, NULL,
                                      f->course, &f->result),
                     HF_OK);
}

static void expect_valid(fixture* f) {
    hf_course_options o = hf_course_options_default();
    hf_realise_result result = {0};
    hf_schedule* schedule;
    hf_check_report report;
    hf_error error;
    hf_motion_free(f->motion);
    assert_int_equal(
        hf_course_realise(f->course, f->s->scene, &o, f->workspace, &schedule, &f->motion, &result), HF_OK);
    assert_int_equal(result.outcome, HF_FOUND);
    hf_schedule_free(schedule);
    hf_realise_result_free(&result);
    assert_int_equal(hf_check_motion(f->motion, f->s->creature, f->s->scene, 2, NULL, NULL, &report, &error),
                     HF_OK);
    if (!report.valid) fail_msg("frame %d: %s", report.problems[0].frame, report.problems[0].what);
    hf_check_report_free(&report);
}

static void expect_arrived(const fixture* f) {
    if (f->result.outcome != HF_FOUND)
        fail_msg("%.0f %%: %s (limb %d)", 100 * f->result.reached, hf_sequence_why_text(f->result.why),
                 f->result.limb);
    assert_near(f->result.reached, 1, 0);
    hf_transform goal = f->query.path[f->query.path_count - 1];
    const hf_motion_frame* last = &f->motion->frames[f->motion->frame_count - 1];
    assert_near(hf_distance(last->root.position, goal.position), 0, 1e-9);
    assert_near(hf_quat_angle(last->root.rotation, goal.rotation), 0, 1e-6);
    assert_int_equal(last->contact_count, f->contact_count);
}

/* No other legs than those of one gait group are off the ground together. */
static void expect_groups(const fixture* f) {
    for (int i = 0; i < f->motion->frame_count; i++) {
        int first = 0, busy = 0;
        for (int g = 0; g < f->c->gait_count; first += f->c->gait_sizes[g++]) {
            int off = 0;
            for (int k = first; k < first + f->c->gait_sizes[g]; k++) {
                bool on = false;
                for (int c = 0; c < f->motion->frames[i].contact_count; c++)
                    on |= f->motion->frames[i].contacts[c].limb == f->c->gait_limbs[k];
                off += !on;
            }
            busy += off > 0;
        }
        if (busy > 1) fail_msg("legs of two groups are off the ground in frame %d", i);
    }
}

static void the_insect_crosses_the_bookshelf(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, 10000);
    assert_int_equal(f.contact_count, 6);
    find(&f);
    expect_valid(&f);
    expect_arrived(&f);
    expect_groups(&f);
    // it used the books, too: contacts on more than one object
    bool used[16] = {false};
    for (int i = 0; i < f.motion->frame_count; i++)
        for (int c = 0; c < f.motion->frames[i].contact_count; c++)
            used[f.motion->frames[i].contacts[c].object] = true;
    assert_true(used[0] && used[1]);
    assert_true(f.result.swings >= 30);
    tear_down(&f);
}

static void the_same_query_gives_the_same_course(void** state) {
    (void)state;
    static fixture f, g;
    set_up(&f, 1000);
    set_up(&g, 1000);
    f.query.path_count = g.query.path_count = 6;
    find(&f);
    find(&g);
    expect_valid(&f);
    expect_arrived(&f);
    expect_valid(&g);
    assert_int_equal(f.motion->frame_count, g.motion->frame_count);
    for (int i = 0; i < f.motion->frame_count; i++)
        assert_memory_equal(f.motion->frames[i].q, g.motion->frames[i].q,
                            sizeof(double) * (size_t)f.c->q_count);
    tear_down(&f);
    tear_down(&g);
}

static void turns_and_ways_back_are_gone(void** state) {
    (void)state;
    static fixture f;
    hf_transform path[MAX_PATH];
    set_up(&f, 3000);
    hf_vec3 at = f.s->start.pose.root.position;
    // a quarter turn on the spot, then backwards
    for (int i = 0; i < 8; i++) path[i] = (hf_transform){at, hf_quat_rpy(0, 0, 0.2 * (i + 1))};
    for (int i = 8; i < 12; i++)
        path[i] = (hf_transform){hf_add(at, hf_rotate(path[7].rotation, hf_v3(-0.02 * (i - 7), 0, 0))),
                                 path[7].rotation};
    f.query.path = path;
    f.query.path_count = 12;
    find(&f);
    expect_valid(&f);
    expect_arrived(&f);
    tear_down(&f);
}

static void what_cannot_be_gone_is_said(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, 1000);
    // up into the air, where nothing is to stand on
    hf_transform path[2] = {f.s->start.pose.root, f.s->start.pose.root};
    path[0].position.z += 0.05;
    path[1].position.z += 1;
    f.query.path = path;
    f.query.path_count = 2;
    find(&f);
    assert_int_equal(f.result.outcome, HF_PARTIAL);
    assert_true(f.result.reached < 0.5);
    assert_int_not_equal(f.result.why, HF_SEQUENCE_ARRIVED);
    expect_valid(&f); // as far as it goes
    // a start inside a book
    hf_course_free(f.course);
    assert_int_equal(hf_course_create(f.s->creature, &f.course), HF_OK);
    f.query.start.root.position = hf_v3(-0.35, 0, 0.05);
    find(&f);
    assert_int_equal(f.result.outcome, HF_NONE);
    assert_int_equal(f.result.why, HF_SEQUENCE_START_COLLIDES);
    assert_int_equal(hf_course_count(f.course), 0);
    tear_down(&f);
}

static void bad_input_is_refused(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, 500);
    hf_transform path[1] = {f.s->start.pose.root};
    int limbs[1] = {99};
    const hf_sequence_query good = f.query;
    for (int i = 0; i < 5; i++) {
        f.query = good;
        if (i == 0) f.query.path_count = 0;
        if (i == 1) path[0].position.x = NAN, f.query.path = path, f.query.path_count = 1;
        if (i == 2) f.query.limbs = limbs, f.query.limb_count = 1;
        if (i == 3) f.query.options.stride = 0;
        if (i == 4) f.query.swing.max_tries = -1;
        assert_int_equal(hf_sequence_find(f.s->creature, f.placement, &f.query, f.workspace, NULL, NULL,
                                          f.course, &f.result),
                         HF_ERROR_ARGUMENT);
    }
    tear_down(&f);
}

static bool stop_at_once(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return --*(int*)user > 0;
}

static void it_can_be_cancelled(void** state) {
    (void)state;
    static fixture f;
    set_up(&f, 500);
    int left = 3;
    assert_int_equal(hf_sequence_find(f.s->creature, f.placement, &f.query, f.workspace, stop_at_once, &left,
                                      f.course, &f.result),
                     HF_OK);
    assert_int_equal(f.result.outcome, HF_CANCELLED);
    f.query.options.max_phases = 2;
    hf_course_free(f.course);
    assert_int_equal(hf_course_create(f.s->creature, &f.course), HF_OK);
    find(&f);
    assert_int_equal(f.result.outcome, HF_BUDGET);
    assert_in_range(f.result.phases, 2, 4);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_insect_crosses_the_bookshelf),
        cmocka_unit_test(the_same_query_gives_the_same_course),
        cmocka_unit_test(turns_and_ways_back_are_gone),
        cmocka_unit_test(what_cannot_be_gone_is_said),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
