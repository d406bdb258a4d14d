/* Ways of plans: round what nobody can stand beside at the height of its top, whoever plans; along floors of
   few and of many triangles in about the same time. */
#include "grid_mesh.h"
#include "plan_task.h"

#include <time.h>

/* The human upright on the floor, along X. */
static plan_task make_way(double from, double to) {
    return make_task(HUMAN, hf_v3(from, 0, HUMAN_M), hf_v3(to, 0, HUMAN_M));
}

static void find_with(plan_task* k, int threads) {
    k->options.threads = threads;
    find(k);
    assert_int_equal(k->result.outcome, HF_FOUND);
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
    plan_task k = make_way(-1.4, 1.4);
    set_scene(&k, scene_of_boxes(boxes, 2));
    find_with(&k, SANITIZED ? 2 : 1);
    assert_valid(&k);
    const hf_motion* motion = k.result.motion;
    double highest = 0, aside = 0;
    for (int f = 0; f < motion->frame_count; f++) {
        hf_vec3 x = motion->frames[f].root.position;
        highest = fmax(highest, x.z), aside = fmax(aside, fabs(x.y));
    }
    assert_true(highest < HUMAN_M + 0.1);
    assert_true(aside > 0.8);
    if (!SANITIZED) { /* one plan takes minutes there; plan_test compares shorter ones */
        hf_plan_result one = k.result;
        k.result = (hf_plan_result){0};
        find_with(&k, 2);
        assert_same(one.motion, k.result.motion);
        hf_plan_result_free(&one);
    }
    free_task(&k);
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
    plan_task k = make_way(0, 1.5);
    double per_change[2];
    for (int i = 0; i < 2; i++) {
        set_scene(&k, grid_scene(i ? 224 : 7, 3, hf_v3(-1, -1.5, 0)));
        double begin = processor_s();
        find_with(&k, 1);
        per_change[i] = (processor_s() - begin) / k.result.work;
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
