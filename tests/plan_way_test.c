/* Ways of plans: round what nobody can stand beside at the height of its top, whoever plans; along floors of
   few and of many triangles in about the same time. */
#include "guide_scenes.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static const double STANDING_M = 0.9424186; /* the human's root over the ground */

typedef struct task {
    hf_creature* creature;
    hf_plan_model* model;
    hf_plan_options options;
    double* q[2];
    hf_scenario_state start, goal;
} task;

/* The human upright on the floor, along X. */
static task make_task(double from, double to) {
    task k = {.options = hf_plan_options_default()};
    hf_error error = {0};
    assert_int_equal(
        hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &k.creature, &error), HF_OK);
    assert_int_equal(hf_plan_model_create(k.creature, &k.options, &k.model, &error), HF_OK);
    hf_scenario_state* states[] = {&k.start, &k.goal};
    for (int i = 0; i < 2; i++) {
        k.q[i] = calloc((size_t)hf_creature_get(k.creature)->q_count + 1, sizeof(double));
        assert_non_null(k.q[i]);
        states[i]->pose.q = k.q[i];
        hf_pose_rest(k.creature, &states[i]->pose);
        states[i]->pose.root.position = hf_v3(i ? to : from, 0, STANDING_M);
    }
    return k;
}

static void free_task(task* k) {
    free(k->q[0]);
    free(k->q[1]);
    hf_plan_model_free(k->model);
    hf_creature_free(k->creature);
}

static hf_plan_result find(task* k, const hf_scene* scene, int threads) {
    hf_plan_query q = {.start = &k->start, .goal = &k->goal};
    hf_error error = {0};
    hf_plan_result r;
    k->options.threads = threads;
    assert_int_equal(hf_plan_find(k->model, scene, &q, &k->options, NULL, NULL, &r, &error), HF_OK);
    if (r.outcome != HF_FOUND) print_message("%s: %s\n", hf_plan_why_text(r.why), r.where);
    assert_int_equal(r.outcome, HF_FOUND);
    return r;
}

static void assert_same(const hf_motion* a, const hf_motion* b) {
    assert_int_equal(a->frame_count, b->frame_count);
    for (int f = 0; f < a->frame_count; f++)
        assert_memory_equal(a->frames[f].q, b->frames[f].q, sizeof(double) * (size_t)a->q_count);
}

/* The straight way leads over a kitchen island 0.9 m high; at either side there is room to go round. The root
   of a body that climbs it is at least a bent leg above its top, one that goes round stays where it stands.
 */
static void an_island_is_gone_round(void** state) {
    (void)state;
    const hf_vec3 boxes[2][2] = {{{-3, -3, -0.2}, {3, 3, 0}}, {{-0.4, -0.8, 0}, {0.4, 0.8, 0.9}}};
    hf_scene* scene = scene_of_boxes(boxes, 2);
    task k = make_task(-1.4, 1.4);
    hf_plan_result one = find(&k, scene, 1), two = find(&k, scene, 2);
    double highest = 0, aside = 0;
    for (int f = 0; f < one.motion->frame_count; f++) {
        hf_vec3 x = one.motion->frames[f].root.position;
        highest = fmax(highest, x.z), aside = fmax(aside, fabs(x.y));
    }
    assert_true(highest < STANDING_M + 0.1);
    assert_true(aside > 0.8);
    assert_same(one.motion, two.motion);
    hf_check_report report;
    assert_int_equal(hf_check_motion(one.motion, k.creature, scene, 1, NULL, NULL, &report, NULL), HF_OK);
    assert_true(report.valid);
    hf_check_report_free(&report);
    hf_plan_result_free(&one);
    hf_plan_result_free(&two);
    hf_scene_free(scene);
    free_task(&k);
}

/* A floor of 3 by 3 m as a grid of squares, 2 side^2 triangles. */
static hf_scene* grid_scene(int side) {
    int row = side + 1;
    float* v = malloc(sizeof *v * 3 * (size_t)(row * row));
    uint32_t* f = malloc(sizeof *f * 6 * (size_t)(side * side));
    assert_true(v && f);
    for (int i = 0; i < row * row; i++) {
        v[3 * i] = 3.0f * (float)(i % row) / (float)side - 1;
        v[3 * i + 1] = 3.0f * (float)(i / row) / (float)side - 1.5f;
        v[3 * i + 2] = 0;
    }
    for (int i = 0; i < side * side; i++) {
        uint32_t a = (uint32_t)(i / side * row + i % side), b = a + 1, c = a + (uint32_t)row, d = c + 1;
        const uint32_t two[6] = {a, b, d, a, d, c};
        memcpy(f + 6 * (size_t)i, two, sizeof two);
    }
    hf_object_def def = hf_object_def_default();
    def.name = "floor";
    def.mesh = (hf_mesh){row * row, 2 * side * side, v, f};
    hf_scene* scene = NULL;
    hf_error error = {0};
    assert_int_equal(hf_scene_build(&def, 1, &scene, &error), HF_OK);
    free(v);
    free(f);
    return scene;
}

static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A thousand times the triangles cost less than four times the time of one contact change that is tried; how
   many are tried is a matter of chance. */
static void triangles_cost_little(void** state) {
    (void)state;
    task k = make_task(0, 1.5);
    double per_change[2];
    for (int i = 0; i < 2; i++) {
        hf_scene* scene = grid_scene(i ? 224 : 7);
        double begin = processor_s();
        hf_plan_result r = find(&k, scene, 1);
        double seconds = processor_s() - begin;
        per_change[i] = seconds / r.work;
        hf_plan_result_free(&r);
        hf_scene_free(scene);
    }
    print_message("98 triangles: %.4f s a change, 100352: %.4f s\n", per_change[0], per_change[1]);
    assert_true(per_change[1] < 4 * per_change[0]);
    free_task(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_island_is_gone_round),
        cmocka_unit_test(triangles_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
