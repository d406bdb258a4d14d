/* Walks balanced in motion: a person's stride on flat ground, by the independent check; static plans where
   they are asked for or where nobody knows how strong the legs are. */
#include "guide_scenes.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hf_vec3 floor_box[1][2] = {{{-3, -3, -0.2}, {9, 3, 0}}};

typedef struct walker {
    hf_creature* creature;
    hf_plan_model* model;
    hf_scene* scene;
    hf_plan_options options;
    hf_stand_result start, goal;
    hf_plan_result result;
} walker;

static walker make_walker(const char* path) {
    walker w = {.options = hf_plan_options_default(), .scene = scene_of_boxes(floor_box, 1)};
    hf_error error = {0};
    assert_int_equal(hf_creature_load(data_path(path), NULL, &w.creature, &error), HF_OK);
    w.options.threads = 1;
    assert_int_equal(hf_plan_model_create(w.creature, &w.options, &w.model, &error), HF_OK);
    return w;
}

/* Plans from standing at the origin, looking along X, to standing at a place with a heading. */
static void walk_to(walker* w, double x, double y, double heading) {
    hf_error error = {0};
    hf_plan_result_free(&w->result);
    hf_stand_result_free(&w->start);
    hf_stand_result_free(&w->goal);
    assert_int_equal(hf_stand(w->model, w->scene, 0, 0, 0, &w->options, &w->start, &error), HF_OK);
    assert_int_equal(hf_stand(w->model, w->scene, x, y, heading, &w->options, &w->goal, &error), HF_OK);
    hf_scenario_state goal = {.pose = w->goal.state.pose};
    hf_plan_query q = {.start = &w->start.state, .goal = &goal};
    assert_int_equal(hf_plan_find(w->model, w->scene, &q, &w->options, NULL, NULL, &w->result, &error),
                     HF_OK);
    assert_int_equal(w->result.outcome, HF_FOUND);
    hf_check_report report;
    assert_int_equal(hf_check_motion(w->result.motion, w->creature, w->scene, 1, NULL, NULL, &report, NULL),
                     HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        print_message("frame %d: %s\n", report.problems[i].frame, report.problems[i].what);
    assert_true(report.valid);
    hf_check_report_free(&report);
}

/* To standing ahead along X. */
static void walk(walker* w, double way) { walk_to(w, way, 0, 0); }

static void free_walker(walker* w) {
    hf_plan_result_free(&w->result);
    hf_stand_result_free(&w->start);
    hf_stand_result_free(&w->goal);
    hf_plan_model_free(w->model);
    hf_scene_free(w->scene);
    hf_creature_free(w->creature);
}

static bool holds(const hf_motion_frame* f, int limb) {
    for (int i = 0; i < f->contact_count; i++)
        if (f->contacts[i].limb == limb) return true;
    return false;
}

/* Landings: a limb holds that did not in the frame before. */
static int count_steps(const hf_motion* m) {
    int steps = 0;
    for (int f = 1; f < m->frame_count; f++)
        for (int l = 0; l < m->limb_count; l++)
            steps += holds(&m->frames[f], l) && !holds(&m->frames[f - 1], l);
    return steps;
}

/* At most 1.8 steps a metre over 5 m at 0.8 m/s or more, a pelvis that stays within 6 cm, and a body that
   goes on: a person sways by less than 5 cm to either side and does not go back. */
static void a_person_strides(void** state) {
    (void)state;
    walker w = make_walker("data/creatures/human.creature.json");
    walk(&w, 5);
    const hf_motion* m = w.result.motion;
    assert_int_equal(m->claims, (HF_CLAIM_ALL | HF_CLAIM_DYNAMIC) & ~HF_CLAIM_BALANCE);
    assert_true(count_steps(m) <= 9);
    assert_true(m->frames[m->frame_count - 1].time_s <= 5 / 0.8);
    double low = INFINITY, high = -INFINITY, side = 0, back = 0;
    for (int f = 0; f < m->frame_count; f++) {
        hf_vec3 at = m->frames[f].root.position;
        low = fmin(low, at.z), high = fmax(high, at.z), side = fmax(side, fabs(at.y));
        if (f > 0) back += fmax(0, m->frames[f - 1].root.position.x - at.x);
    }
    assert_true(high - low <= 0.06);
    assert_true(side < 0.05);
    assert_true(back < 0.05);
    free_walker(&w);
}

/* Ways that are not straight ahead: a quarter turn on 2.8 m, a side step of 0.6 m, and half a turn on the
   spot. Steps at rest take 1.5 s and more each; a person's walk about half a second. */
static void ways_turn_and_go_sideways(void** state) {
    (void)state;
    static const double goals[][3] = {{2, 2, 1.57}, {0, 0.6, 0}, {0.2, 0, 3}};
    walker w = make_walker("data/creatures/human.creature.json");
    for (size_t i = 0; i < (SANITIZED ? 1 : sizeof goals / sizeof *goals); i++) {
        walk_to(&w, goals[i][0], goals[i][1], goals[i][2]);
        const hf_motion* m = w.result.motion;
        assert_int_equal(m->claims & HF_CLAIM_BALANCE, 0);
        assert_true(m->frames[m->frame_count - 1].time_s < 1.2 * count_steps(m));
        assert_true(hf_quat_angle(m->frames[m->frame_count - 1].root.rotation,
                                  w.goal.state.pose.root.rotation) <= w.options.goal_tolerance_rad);
    }
    free_walker(&w);
}

/* Through a door of 0.7 m, narrower than the human whose arms hang and swing: the arms are drawn in, and the
   body goes on without a rest, at more than half a metre a second. */
static void doors_are_walked_through(void** state) {
    (void)state;
    static const hf_vec3 boxes[3][2] = {
        {{-3, -3, -0.2}, {9, 3, 0}}, {{1.4, -3, 0}, {1.6, -0.35, 2.2}}, {{1.4, 0.35, 0}, {1.6, 3, 2.2}}};
    walker w = make_walker("data/creatures/human.creature.json");
    hf_scene_free(w.scene);
    w.scene = scene_of_boxes(boxes, 3);
    walk(&w, 3);
    const hf_motion* m = w.result.motion;
    assert_int_equal(m->claims & HF_CLAIM_BALANCE, 0);
    assert_true(m->frames[m->frame_count - 1].time_s < 6);
    free_walker(&w);
}

/* A ramp that rises along X by this from x = 1 to x = 4, with level ground before and behind: an open
   mesh. */
static hf_scene* ramp_scene(double rise) {
    const double x[4] = {-3, 1, 4, 9}, z[4] = {0, 0, rise, rise};
    float vertices[24];
    uint32_t indices[18];
    for (int i = 0; i < 8; i++) {
        vertices[3 * i] = (float)x[i / 2], vertices[3 * i + 1] = i % 2 ? 2 : -2;
        vertices[3 * i + 2] = (float)z[i / 2];
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t two[6] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 1};
        memcpy(indices + 6 * i, two, sizeof two);
    }
    hf_object_def def = hf_object_def_default();
    def.name = "ramp";
    def.mesh = (hf_mesh){8, 6, vertices, indices};
    hf_scene* scene = NULL;
    hf_error error;
    assert_int_equal(hf_scene_build(&def, 1, &scene, &error), HF_OK);
    return scene;
}

/* Over a kerb of 0.1 m, up three stairs of 0.15 m, up and down a ramp of 8 degrees: walked without a rest, at
   half a metre a second and more. Steps at rest, by which these ways were gone before, take five times as
   long. */
static void uneven_ground_is_walked(void** state) {
    (void)state;
    static const hf_vec3 kerb[2][2] = {{{-3, -3, -0.2}, {1.2, 3, 0}}, {{1.2, -3, -0.2}, {9, 3, 0.1}}};
    static const hf_vec3 stairs[4][2] = {{{-3, -3, -0.2}, {9, 3, 0}},
                                         {{1, -3, 0}, {9, 3, 0.15}},
                                         {{1.3, -3, 0.15}, {9, 3, 0.3}},
                                         {{1.6, -3, 0.3}, {9, 3, 0.45}}};
    hf_scene* scenes[4] = {scene_of_boxes(kerb, 2), scene_of_boxes(stairs, 4), ramp_scene(0.42),
                           ramp_scene(-0.42)};
    const double goals[4] = {2.6, 2.8, 5, 5};
    walker w = make_walker("data/creatures/human.creature.json");
    hf_scene* level = w.scene;
    for (int i = 0; i < (SANITIZED ? 1 : 4); i++) {
        w.scene = scenes[i];
        walk(&w, goals[i]);
        const hf_motion* m = w.result.motion;
        assert_int_equal(m->claims & HF_CLAIM_BALANCE, 0);
        assert_true(m->frames[m->frame_count - 1].time_s < 2 * goals[i] + 1);
    }
    for (int i = 0; i < 4; i++) hf_scene_free(scenes[i]);
    w.scene = level;
    free_walker(&w);
}

/* Down a kerb of 0.2 m, six stairs of 0.15 m, and a ramp of 11 degrees: a person goes down without a rest, at
   half a metre a second and more, and rolls over the toes of the foot that stands behind. In steps at rest
   these ways take 30 to 77 s. */
static void ways_down_are_walked(void** state) {
    (void)state;
    static const hf_vec3 kerb[2][2] = {{{-3, -3, -0.5}, {1.4, 3, 0}}, {{1.4, -3, -0.5}, {9, 3, -0.2}}};
    hf_vec3 stairs[7][2];
    for (int i = 0; i < 7; i++) {
        stairs[i][0] = hf_v3(i > 0 ? 0.5 + 0.3 * i : -3, -3, -2);
        stairs[i][1] = hf_v3(i < 6 ? 0.8 + 0.3 * i : 9, 3, -0.15 * i);
    }
    hf_scene* scenes[3] = {scene_of_boxes(kerb, 2), scene_of_boxes(stairs, 7), ramp_scene(-0.58)};
    const double goals[3] = {2.6, 3.4, 5.2};
    walker w = make_walker("data/creatures/human.creature.json");
    hf_scene* level = w.scene;
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++) {
        w.scene = scenes[i];
        walk(&w, goals[i]);
        const hf_motion* m = w.result.motion;
        assert_int_equal(m->claims & HF_CLAIM_BALANCE, 0);
        assert_true(m->frames[m->frame_count - 1].time_s < 2 * goals[i] + 2);
    }
    for (int i = 0; i < 3; i++) hf_scene_free(scenes[i]);
    w.scene = level;
    free_walker(&w);
}

/* A quadruped's legs of 0.5 m make strides of 0.75 m: 2 m are 4 x 2 / 0.75 = 10.7 steps, and 1.5 as many
   would be 16; paws that meet make its strides shorter. One limb steps at a time. */
static void a_quadruped_goes_on(void** state) {
    (void)state;
    walker w = make_walker("data/creatures/quadruped.creature.json");
    walk(&w, 2);
    const hf_motion* m = w.result.motion;
    assert_int_equal(m->claims & HF_CLAIM_BALANCE, 0);
    for (int f = 0; f < m->frame_count; f++) {
        int down = 0;
        for (int l = 0; l < m->limb_count; l++) down += holds(&m->frames[f], l);
        assert_true(down >= 3);
    }
    free_walker(&w);
}

/* Static plans claim balance, and have it in every frame. */
static void static_plans_stay(void** state) {
    (void)state;
    walker w = make_walker("data/creatures/human.creature.json");
    w.options.still = true;
    walk(&w, 2);
    assert_int_equal(w.result.motion->claims, HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
    free_walker(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_strides),         cmocka_unit_test(ways_turn_and_go_sideways),
        cmocka_unit_test(doors_are_walked_through), cmocka_unit_test(uneven_ground_is_walked),
        cmocka_unit_test(ways_down_are_walked),     cmocka_unit_test(a_quadruped_goes_on),
        cmocka_unit_test(static_plans_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
