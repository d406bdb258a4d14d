/* Queries in steady state: no heap, and answers that do not depend on what a workspace was used for before.
   The shipped scenarios give creatures, scenes and targets, with targets out of reach among them. */
#include "allocation_count.h"
#include "base/random.h"
#include "base/workspace.h"
#include "test.h"

static const char* const scenarios[] = {"demo",           "pose-insect", "pose-kneel",
                                        "pose-quadruped", "pose-spider", "pose-sit"};
enum { SCENARIOS = 6, ROUNDS = 3 };

typedef struct bench {
    hf_scenario* scenario;
    const hf_creature* creature;
    const hf_creature_view* view;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_pose pose, other;
    hf_transform* links;
    double *speeds, *rates, *force, *errors;
    hf_hold* touches;
} bench;

static void open_bench(bench* b, const char* name) {
    char path[200];
    hf_error e;
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    if (hf_scenario_load(data_path(path), NULL, &b->scenario, &e) != HF_OK) fail_msg("%s", e.message);
    b->creature = b->scenario->creature;
    b->view = hf_creature_get(b->creature);
    size_t n = (size_t)b->view->q_count, v = (size_t)b->view->v_count;
    assert_int_equal(hf_placement_create(b->scenario->scene, &b->placement), HF_OK);
    assert_int_equal(hf_workspace_create(&b->workspace), HF_OK);
    b->pose.q = calloc(n, sizeof(double)), b->other.q = calloc(n, sizeof(double));
    b->links = calloc((size_t)b->view->link_count, sizeof *b->links);
    b->speeds = calloc(v, sizeof(double)), b->rates = calloc(v, sizeof(double));
    b->force = calloc(v, sizeof(double));
    b->errors = calloc((size_t)b->scenario->target_count * 2, sizeof(double));
    b->touches = calloc((size_t)b->scenario->target_count, sizeof *b->touches);
}

static void close_bench(bench* b) {
    hf_placement_free(b->placement);
    hf_workspace_free(b->workspace);
    hf_scenario_free(b->scenario);
    free(b->pose.q), free(b->other.q), free(b->links), free(b->speeds), free(b->rates), free(b->force);
    free(b->errors), free(b->touches);
}

/* Everything a workspace holds becomes NaN: what is read before it is written shows. */
static void poison(hf_workspace* w) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    unsigned char* bytes = hf_workspace_take(w, 1 << 22, 1);
    assert_non_null(bytes);
    memset(bytes, 0xff, 1 << 22);
    hf_workspace_end(w, mark);
    mark = hf_workspace_begin(w); /* what blocks became one */
    bytes = hf_workspace_take(w, 1 << 22, 1);
    memset(bytes, 0xff, 1 << 22);
    hf_workspace_end(w, mark);
}

static void start_pose(bench* b, hf_pose* pose) {
    pose->root = b->scenario->start.pose.root;
    memcpy(pose->q, b->scenario->start.pose.q, sizeof(double) * (size_t)b->view->q_count);
}

/* FNV over the answers. */
static uint64_t mix(uint64_t h, const void* data, size_t bytes) {
    const unsigned char* c = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ c[i]) * 0x100000001b3u;
    return h;
}
static uint64_t mix_numbers(uint64_t h, const double* x, int count) {
    return mix(h, x, sizeof(double) * (size_t)count);
}

/* Every query once; `far` moves a target out of reach. */
static uint64_t run(bench* b, bool far) {
    uint64_t h = 0xcbf29ce484222325u;
    hf_target* targets = b->scenario->targets;
    int count = b->scenario->target_count, q = b->view->q_count, v = b->view->v_count;
    hf_vec3 kept = targets[0].point;
    if (far) targets[0].point.z += 5;
    hf_solve_result result;
    start_pose(b, &b->pose);
    hf_forward(b->creature, &b->pose, b->links);
    hf_solve_options limb = hf_solve_options_default();
    for (int i = 0; i < count; i++) {
        hf_transform base = b->links[b->view->limbs[targets[i].limb].base_link];
        assert_int_equal(
            hf_limb_solve(b->creature, &base, &targets[i], &limb, b->workspace, b->pose.q, &result), HF_OK);
        h = mix_numbers(mix_numbers(h, b->pose.q, q), &result.position_error_m, 2);
    }
    start_pose(b, &b->pose);
    hf_body_solve_options body = hf_body_solve_options_default();
    body.guide = &b->scenario->start.pose.root;
    assert_int_equal(
        hf_body_solve(b->creature, targets, count, &body, b->workspace, &b->pose, b->errors, &result), HF_OK);
    h = mix_numbers(mix_numbers(h, b->pose.q, q), b->errors, 2 * count);
    targets[0].point = kept;

    hf_collision_query query = hf_collision_query_default();
    for (int i = 0; i < count; i++)
        b->touches[i] = (hf_hold){.limb = targets[i].limb, .object = 0, .grip = false};
    query.touches = b->touches, query.touch_count = count;
    hf_forward(b->creature, &b->pose, b->links);
    hf_collision hit;
    bool collides = hf_collides(b->creature, b->placement, b->links, &query, &hit);
    h = mix(h, &collides, sizeof collides);
    start_pose(b, &b->other);
    b->other.root.position.x += 0.3;
    assert_int_equal(hf_move_collides(b->creature, b->placement, &b->pose, &b->other, &query, b->workspace,
                                      &collides, &hit),
                     HF_OK);
    h = mix(h, &collides, sizeof collides);
    query.scene = false, query.self = false; /* nothing to hit: every piece of the move is tested */
    assert_int_equal(hf_move_collides(b->creature, b->placement, &b->pose, &b->other, &query, b->workspace,
                                      &collides, &hit),
                     HF_OK);
    assert_false(collides);

    hf_random r = hf_random_start(7, 0, 0);
    for (int i = 0; i < v; i++)
        b->speeds[i] = hf_random_between(&r, -1, 1), b->rates[i] = hf_random_between(&r, -1, 1);
    assert_int_equal(hf_inverse_dynamics(b->creature, &b->pose, b->speeds, b->rates, hf_v3(0, 0, -9.81),
                                         b->workspace, b->force),
                     HF_OK);
    return mix_numbers(h, b->force, v);
}

static void queries_use_no_heap_once_warm(void** state) {
    (void)state;
    if (!COUNTS_MEMORY) skip();
    for (int s = 0; s < SCENARIOS; s++) {
        bench b = {0};
        open_bench(&b, scenarios[s]);
        assert_true(allocations > 0); /* they are counted */
        for (int i = 0; i < ROUNDS; i++) {
            int before = allocations;
            run(&b, i % 2);
            if (i > 1) assert_int_equal(allocations, before);
        }
        int before = allocations;
        run(&b, true);
        assert_int_equal(allocations, before);
        close_bench(&b);
    }
}

static void answers_do_not_depend_on_the_workspace(void** state) {
    (void)state;
    for (int s = 0; s < SCENARIOS; s++) {
        bench b = {0};
        open_bench(&b, scenarios[s]);
        for (int far = 0; far < 2; far++) {
            uint64_t fresh = run(&b, far);
            poison(b.workspace);
            assert_true(run(&b, far) == fresh);
        }
        close_bench(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_use_no_heap_once_warm),
        cmocka_unit_test(answers_do_not_depend_on_the_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
