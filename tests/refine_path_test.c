/* The path optimiser: gradients against finite differences, the banded solver against its own product, and
   that costs fall while contacts are kept. */
#include "test.h"
#include "guide_scenes.h"

#include "balance/stance.h"
#include "base/band.h"
#include "refine/calm_curve.h"
#include "refine/pose_path.h"
#include "refine/stretch.h"

#include <holdfast/holdfast.h>

#include <stdlib.h>

/* ---- banded systems ---- */

static void a_banded_system_is_solved(void** state) {
    (void)state;
    enum { SIZE = 40, WIDTH = 7 };
    double values[SIZE * (WIDTH + 1)] = {0}, full[SIZE][SIZE] = {{0}}, x[SIZE], b[SIZE];
    hf_band a = {SIZE, WIDTH, values};
    for (int i = 0; i < SIZE; i++) {
        x[i] = sin(1.7 * i);
        for (int j = i - WIDTH < 0 ? 0 : i - WIDTH; j <= i; j++) {
            // diagonally dominant, so positive definite
            double entry = i == j ? 2 * WIDTH + 1 : cos(3.1 * i + 0.7 * j);
            *hf_band_at(&a, i, j) = full[i][j] = full[j][i] = entry;
        }
    }
    for (int i = 0; i < SIZE; i++) {
        b[i] = 0;
        for (int j = 0; j < SIZE; j++) b[i] += full[i][j] * x[j];
    }
    assert_true(hf_band_factor(&a));
    hf_band_solve(&a, b, 1);
    for (int i = 0; i < SIZE; i++) assert_true(fabs(b[i] - x[i]) < 1e-12);
    *hf_band_at(&a, 3, 3) = -1;
    assert_false(hf_band_factor(&a));
}

/* A line from rest to rest is least in jerk as the polynomial 10 u^3 - 15 u^4 + 6 u^5, when nothing is
 * wished. */
static void a_calm_curve_without_wishes_has_the_least_jerk(void** state) {
    (void)state;
    enum { COUNT = 201 };
    hf_workspace* w;
    double in[COUNT] = {0}, out[COUNT], weights[COUNT];
    bool pinned[COUNT] = {false};
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    for (int i = 0; i < COUNT; i++) weights[i] = 1e-9;
    in[COUNT - 1] = 1;
    hf_calm_curve c = {COUNT, 1, 0.01, weights, pinned};
    assert_int_equal(hf_calm_curve_find(&c, in, w, out), HF_OK);
    for (int i = 0; i < COUNT; i++) {
        double u = fmin(1, fmax(0, (i - 1.0) / (COUNT - 3))), wanted = u * u * u * (10 + u * (6 * u - 15));
        assert_true(fabs(out[i] - wanted) < 2e-3); // the ends rest for three samples: a step of difference
    }
    // pinned samples are met
    pinned[100] = true, in[100] = 0.8;
    assert_int_equal(hf_calm_curve_find(&c, in, w, out), HF_OK);
    assert_true(fabs(out[100] - 0.8) < 1e-12);
    hf_workspace_free(w);
}

/* ---- times ---- */

/* A stretch from 10 s to 14 s of its schedule, in which a limb swings from 1 s to 2 s, made so that it takes
   2 s and the limb swings from 0.5 s to 0.9 s: times between changes of holds are shares of given ones. */
static void times_of_a_stretch_are_told_as_given(void** state) {
    (void)state;
    hf_knot given_knots[2] = {{.time_s = 0}, {.time_s = 4}}, made_knots[2] = {{.time_s = 0}, {.time_s = 2}};
    hf_schedule_hold given_holds[2] = {{.from_s = 0, .to_s = 1}, {.from_s = 2, .to_s = 4}};
    hf_schedule_hold made_holds[2] = {{.from_s = 0, .to_s = 0.5}, {.from_s = 0.9, .to_s = 2}};
    hf_schedule given = {.knot_count = 2, .knots = given_knots, .hold_count = 2, .holds = given_holds};
    hf_schedule made = {.knot_count = 2, .knots = made_knots, .hold_count = 2, .holds = made_holds};
    hf_stretch s = {.from_s = 10, .given = &given};
    const double times[7][2] = {{0, 10},    {0.25, 10.5}, {0.5, 11}, {0.7, 11.5},
                                {1.45, 13}, {2, 14},      {2.1, 14}};
    for (int i = 0; i < 7; i++)
        assert_true(fabs(hf_stretch_given_time(&s, &made, times[i][0]) - times[i][1]) < 1e-12);
}

/* ---- costs ---- */

enum { SAMPLES = 12 };

typedef struct walker {
    hf_creature* creature;
    hf_workspace* workspace;
    hf_stance* stance;
    int n, q_count;
    hf_transform roots[SAMPLES], wished[SAMPLES];
    double *q, *wished_q, margins[SAMPLES], freedom[SAMPLES];
    const hf_stance* stances[SAMPLES];
    hf_pose_path_target targets[2 * SAMPLES];
    hf_refine_options options;
    hf_scene* scene;
    hf_placement* placement;
    int* holds;
    hf_held held[2];
    double contact[2];
    hf_pose_path t;
} walker;

static hf_pose pose_at(walker* w, int k) { return (hf_pose){w->roots[k], w->q + k * w->q_count}; }

/* A human that moves all joints and the body by the amplitude (rad, m) about a posture that is so far from
   rest at most, over two feet that are put where the middle pose has them. */
static void walker_make(walker* w, double from_rest, double amplitude) {
    char path[1200];
    hf_error error = {0};
    memset(w, 0, sizeof *w);
    snprintf(path, sizeof path, "%s/data/creatures/human.creature.json", HF_SOURCE_DIR);
    assert_int_equal(hf_creature_load(path, NULL, &w->creature, &error), HF_OK);
    assert_int_equal(hf_workspace_create(&w->workspace), HF_OK);
    const hf_creature_view* v = hf_creature_get(w->creature);
    w->n = v->v_count, w->q_count = v->q_count;
    w->q = calloc((size_t)(SAMPLES * w->q_count), sizeof(double));
    w->wished_q = calloc((size_t)(SAMPLES * w->q_count), sizeof(double));
    double* speed = calloc((size_t)w->n, sizeof(double));
    for (int k = 0; k < SAMPLES; k++) {
        hf_pose pose = {.q = w->q + k * w->q_count}, wish = {.q = w->wished_q + k * w->q_count};
        hf_pose_rest(w->creature, &pose);
        hf_pose_rest(w->creature, &wish);
        for (int i = 0; i < w->n; i++) speed[i] = from_rest * sin(0.9 * i + 0.4);
        hf_pose_integrate(w->creature, &wish, speed, 1, &wish);
        hf_pose_follow(w->creature, wish.q);
        for (int i = 0; i < w->n; i++) speed[i] = amplitude * sin(0.5 * k + 1.3 * i);
        hf_pose_integrate(w->creature, &wish, speed, 1, &pose);
        hf_pose_follow(w->creature, pose.q);
        w->roots[k] = pose.root, w->wished[k] = wish.root;
        // the body is wished to go up and forwards, which is what limbs make an effort for
        w->wished[k].position = hf_add(wish.root.position, hf_v3(1e-3 * k, 0, 2e-3 * k));
        w->margins[k] = 0.01, w->freedom[k] = 0.5;
    }
    free(speed);
    hf_support feet[2];
    for (int f = 0; f < 2; f++) {
        feet[f] = (hf_support){.corner_count = 4, .normal = {0, 0, 1}, .friction = 0.5};
        for (int c = 0; c < 4; c++)
            feet[f].corners[c] = hf_v3(c & 1 ? 0.1 : -0.1, (f ? 0.1 : -0.1) + (c & 2 ? 0.04 : -0.04), -0.9);
    }
    hf_stance_options o = hf_stance_options_default();
    o.polytope = true;
    assert_int_equal(hf_stance_create(&w->stance), HF_OK);
    assert_int_equal(hf_stance_build(w->stance, feet, 2, v->mass, &o, w->workspace), HF_OK);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose middle = pose_at(w, SAMPLES / 2);
    hf_forward(w->creature, &middle, links);
    int count = 0;
    for (int k = 0; k < SAMPLES; k++) {
        w->stances[k] = w->stance;
        for (int l = 0; l < 2; l++) {
            int link = v->limbs[l].effector_link;
            w->targets[count++] =
                (hf_pose_path_target){.sample = k,
                                      .link = link,
                                      .in_link = {0.02, 0.01, -0.03},
                                      .point = hf_apply(links[link], hf_v3(0.02, 0.01, -0.03)),
                                      .rotation = links[link].rotation,
                                      .turns = true,
                                      .holds = l == 0,
                                      .hold = l};
        }
    }
    // each foot holds by turns; a box is beside a hand, another one in the chest
    w->holds = malloc(sizeof(int) * (size_t)(SAMPLES * v->limb_count));
    for (int i = 0; i < SAMPLES * v->limb_count; i++) {
        int limb = i % v->limb_count;
        w->holds[i] = limb < 2 && (i / v->limb_count / 3) % 2 == limb ? limb : -1;
    }
    for (int l = 0; l < 2; l++)
        w->held[l] = (hf_held){.world = {.limb = l}, .support = {.normal = {0.2, 0.1, 0.97}}};
    hf_vec3 hand = links[v->limbs[2].effector_link].position;
    const hf_vec3 boxes[2][2] = {
        {{hand.x - 0.02, hand.y - 0.3, hand.z - 0.3}, {hand.x + 0.3, hand.y + 0.3, hand.z + 0.3}},
        {{0.05, -0.1, 0.1}, {0.6, 0.1, 0.4}}};
    w->scene = scene_of_boxes(boxes, 2);
    assert_int_equal(hf_placement_create(w->scene, &w->placement), HF_OK);
    w->options = hf_refine_options_default();
    w->contact[0] = 0.7, w->contact[1] = 0.4;
    free(links);
    w->t = (hf_pose_path){.creature = w->creature,
                          .count = SAMPLES,
                          .step_s = 1.0 / 30,
                          .roots = w->roots,
                          .q = w->q,
                          .wished_roots = w->wished,
                          .wished_q = w->wished_q,
                          .stances = w->stances,
                          .margin_m = w->margins,
                          .freedom = w->freedom,
                          .targets = w->targets,
                          .target_count = count,
                          .weights = w->options.weights,
                          .placement = w->placement,
                          .holds = w->holds,
                          .held = w->held,
                          .contact = w->contact,
                          .contact_count = 2};
}

static void walker_free(walker* w) {
    free(w->holds);
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
    hf_stance_free(w->stance);
    hf_creature_free(w->creature);
    hf_workspace_free(w->workspace);
    free(w->q);
    free(w->wished_q);
}

/* The change of a term's cost when one number of one pose changes, by central differences. */
static double slope(walker* w, hf_cost_kind term, int k, int i) {
    const double h = 1e-6;
    double cost[2], *speed = calloc((size_t)w->n, sizeof(double)),
                    *kept = malloc(sizeof(double) * (size_t)w->q_count);
    hf_pose pose = pose_at(w, k);
    hf_transform root = pose.root;
    memcpy(kept, pose.q, sizeof(double) * (size_t)w->q_count);
    for (int side = 0; side < 2; side++) {
        speed[i] = side ? h : -h;
        hf_pose from = {root, kept}, to = {.q = pose.q};
        hf_pose_integrate(w->creature, &from, speed, 1, &to);
        hf_pose_follow(w->creature, to.q);
        w->roots[k] = to.root;
        assert_int_equal(hf_pose_path_cost(&w->t, term, w->workspace, &cost[side], NULL), HF_OK);
    }
    memcpy(pose.q, kept, sizeof(double) * (size_t)w->q_count);
    w->roots[k] = root;
    free(kept);
    free(speed);
    return (cost[1] - cost[0]) / (2 * h);
}

/* |difference| of both gradients over |gradient|, over all numbers of four samples. */
static double gradient_error(walker* w, hf_cost_kind term) {
    double cost, off = 0, size = 0, *gradient = calloc((size_t)(SAMPLES * w->n), sizeof(double));
    assert_int_equal(hf_pose_path_cost(&w->t, term, w->workspace, &cost, gradient), HF_OK);
    if (!(cost > 0)) fail_msg("term %d costs %g", (int)term, cost);
    for (int k = 4; k < 8; k++)
        for (int i = 0; i < w->n; i++) {
            double by_difference = slope(w, term, k, i), analytic = gradient[k * w->n + i];
            off += (by_difference - analytic) * (by_difference - analytic);
            size += by_difference * by_difference;
        }
    free(gradient);
    assert_true(size > 0);
    return sqrt(off / size);
}

/* Gauss and Newton leave out how masses change with the pose and how turns differ from their logarithms:
   parts that are smaller by the way from sample to sample and from the targets. So they are as small as the
   motion is, and what is left must agree. */
static void gradients_agree_with_differences(void** state) {
    (void)state;
    const double amplitude = 1e-4, agrees = 1e-4;
    walker w;
    walker_make(&w, 0.3, amplitude);
    for (int k = 0; k < SAMPLES; k++)
        w.margins[k] = 0.1 + 0.2 * (k % 3); // halfspaces that are left, unevenly
    for (int term = 0; term < HF_COST_COUNT; term++) {
        if (term == HF_COST_LIMITS) continue; // no joint is beyond its limit
        double off = gradient_error(&w, term);
        if (!(off < agrees)) fail_msg("term %d: the gradient is off by %g of its size", term, off);
    }
    walker_free(&w);
}

static void gradient_of_limits_agrees_with_differences(void** state) {
    (void)state;
    walker w;
    walker_make(&w, 0, 0.1);
    // a joint beyond its limit, so that the term is not zero
    const hf_creature_view* v = hf_creature_get(w.creature);
    for (int j = 0; j < v->joint_count; j++)
        for (int k = 5; k < 7 && v->joints[j].q_count == 1; k++)
            if (v->joints[j].mimic < 0 && j % 3 == 0)
                w.q[k * w.q_count + v->joints[j].q_index] = v->joints[j].upper + 0.05;
    assert_true(gradient_error(&w, HF_COST_LIMITS) < 1e-6);
    walker_free(&w);
}

static void costs_fall_and_the_ends_stay(void** state) {
    (void)state;
    walker w;
    walker_make(&w, 0, 0.1);
    hf_transform first = w.roots[0], last = w.roots[SAMPLES - 1];
    double costs[2] = {0, 0}, sum = 0;
    assert_int_equal(hf_pose_path_improve(&w.t, 20, w.workspace, costs), HF_OK);
    assert_true(costs[0] > 0 && costs[1] < 0.5 * costs[0]);
    for (int i = 0; i < HF_COST_COUNT; i++) {
        double cost;
        assert_int_equal(hf_pose_path_cost(&w.t, i, w.workspace, &cost, NULL), HF_OK);
        sum += cost;
    }
    assert_true(fabs(sum - costs[1]) < 1e-6 * costs[1]);
    assert_true(hf_distance(first.position, w.roots[0].position) == 0 &&
                hf_distance(last.position, w.roots[SAMPLES - 1].position) == 0);
    walker_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_banded_system_is_solved),
        cmocka_unit_test(a_calm_curve_without_wishes_has_the_least_jerk),
        cmocka_unit_test(times_of_a_stretch_are_told_as_given),
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(gradient_of_limits_agrees_with_differences),
        cmocka_unit_test(costs_fall_and_the_ends_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
