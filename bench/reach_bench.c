/* Ways between postures on a built roadmap against OMPL's RRTConnect and PRM from scratch: the same 22
   controls, metric, draws and tests of postures and moves, all through the public functions of the library.
 */
#include "bench.h"
#include "peer_reach.h"

#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 50 };
static const double PEER_LIMIT_S = 60;
static const int64_t PAIR_DRAWS = (int64_t)1 << 41, PEER_DRAWS = (int64_t)1 << 42; /* none of the roadmap's */

_Static_assert((int)PEER_REACH_CONTROLS == (int)HF_CONTROL_COUNT, "the same controls");
_Static_assert((int)PEER_REACH_POINTS == (int)HF_CONTROL_POINTS, "the same points");

/* Where the creature of a scenario stands, for both sides. */
typedef struct stage {
    hf_scenario* scenario;
    hf_reacher* reacher;
    hf_control_layer* layer;
    hf_control_stand stand;
    hf_pose pose;
    hf_transform* links;
    int64_t next; /* draw of the peer */
    double low[HF_CONTROL_COUNT], high[HF_CONTROL_COUNT];
} stage;

typedef struct sheet {
    int count;
    double values[PAIRS];
} sheet;

static void need(hf_status status, const hf_error* error) {
    if (status == HF_OK) return;
    fprintf(stderr, "bench reach: %s\n",
            error && error->message[0] ? error->message : hf_status_text(status));
    exit(3);
}

static double work_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(sheet* s) {
    qsort(s->values, (size_t)s->count, sizeof *s->values, ascending);
    return s->count ? s->values[s->count / 2] : NAN;
}

static void add(sheet* s, double value) { s->values[s->count++] = value; }

/* ---- what both sides use ---- */

static int is_valid(void* user, const double* controls) {
    bool valid = false;
    need(hf_reach_test(((stage*)user)->reacher, controls, &valid), NULL);
    return valid;
}

static int passes(void* user, const double* from, const double* to) {
    bool valid = false;
    need(hf_reach_test_move(((stage*)user)->reacher, from, to, &valid), NULL);
    return valid;
}

static void points(void* user, const double* controls, double* to) {
    stage* s = user;
    hf_control_pose(s->layer, &s->stand, controls, &s->pose, s->links);
    hf_control_points(s->layer, s->links, (hf_vec3*)(void*)to);
}

static void draw(void* user, double* controls) {
    stage* s = user;
    bool drawn = false;
    while (!drawn) need(hf_reach_sample(s->reacher, PEER_DRAWS + s->next++, controls, &drawn), NULL);
}

static stage start(const char* name) {
    stage s = {0};
    char path[200];
    hf_error error = {0};
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    need(hf_scenario_load(bench_path(path), NULL, &s.scenario, &error), &error);
    hf_plan_options p = hf_plan_options_default();
    hf_plan_model* model = NULL;
    need(hf_plan_model_create(s.scenario->creature, &p, &model, &error), &error);
    need(hf_scenario_stand(s.scenario, model, &p, &error), &error);
    hf_plan_model_free(model);
    hf_reach_options o = hf_reach_options_default();
    bool done;
    need(hf_reach_begin(s.scenario, &o, &s.reacher, &error), &error);
    need(hf_reach_continue(s.reacher, INFINITY, &done, &error), &error);
    const hf_creature_view* v = hf_creature_get(s.scenario->creature);
    need(hf_control_layer_create(s.scenario->creature, NULL, &s.layer, &error), &error);
    s.links = calloc((size_t)v->link_count, sizeof *s.links);
    s.pose.q = calloc((size_t)v->q_count + 1, sizeof(double));
    if (!s.links || !s.pose.q) need(HF_ERROR_MEMORY, NULL);
    hf_control_stand_set(s.layer, &s.scenario->start.pose, s.links, &s.stand);
    hf_control_stand_learn(s.layer, &s.pose, s.links, &s.stand);
    for (int k = 0; k < HF_CONTROL_COUNT; k++)
        s.low[k] = hf_control_get(s.layer, k).low, s.high[k] = hf_control_get(s.layer, k).high;
    return s;
}

static void finish(stage* s) {
    hf_reach_end(s->reacher, NULL, NULL);
    hf_control_layer_free(s->layer);
    free(s->links);
    free(s->pose.q);
    hf_scenario_free(s->scenario);
}

/* ---- the comparison ---- */

static void draw_valid(stage* s, int64_t* number, double* controls) {
    bool drawn = false, valid = false;
    while (!valid) {
        need(hf_reach_sample(s->reacher, PAIR_DRAWS + (*number)++, controls, &drawn), NULL);
        valid = drawn && is_valid(s, controls);
    }
}

/* Both sides measure the same distance. */
static void test_metric(stage* s, const double* a, const double* b) {
    double p[3 * HF_CONTROL_POINTS], q[3 * HF_CONTROL_POINTS], sum = 0, ours;
    points(s, a, p);
    points(s, b, q);
    for (int i = 0; i < 3 * HF_CONTROL_POINTS; i += 3)
        sum +=
            hf_distance(hf_v3(p[i], p[i + 1], p[i + 2]), hf_v3(q[i], q[i + 1], q[i + 2])) / HF_CONTROL_POINTS;
    need(hf_reach_distance(s->reacher, a, b, &ours), NULL);
    if (fabs(ours - sum) > 1e-9) {
        fprintf(stderr, "bench reach: the metrics differ: %g m and %g m\n", ours, sum);
        exit(3);
    }
}

typedef struct figures {
    int found, peer_found, prm_found;
    sheet find_s, both_s, length_m, rrt_s, rrt_both_s, rrt_length_m, prm_s, ratio, plain_s;
} figures;

/* plain: the peer with its own test of moves, which asks about states alone. */
static void compare_pair(stage* s, peer_reach* peer, peer_reach* plain, const double* a, const double* b,
                         figures* f) {
    hf_reach_path way = {0};
    bool found = false;
    hf_reach_options o = hf_reach_options_default();
    double began = work_s();
    need(hf_reach_path_find(s->reacher, a, b, &way, &found), NULL);
    add(&f->find_s, 1e3 * (work_s() - began));
    if (found) need(hf_reach_path_smooth(s->reacher, &way, o.smoothing), NULL);
    add(&f->both_s, 1e3 * (work_s() - began));
    f->found += found;
    double length = found ? peer_reach_length(peer, way.controls, way.count) : NAN;
    hf_reach_path_free(&way);
    peer_reach_answer rrt = peer_reach_solve(peer, a, b, 0, PEER_LIMIT_S),
                      prm = peer_reach_solve(peer, a, b, 1, PEER_LIMIT_S);
    add(&f->rrt_s, 1e3 * rrt.plan_s);
    add(&f->rrt_both_s, 1e3 * (rrt.plan_s + rrt.simplify_s));
    add(&f->prm_s, 1e3 * prm.plan_s);
    add(&f->plain_s, 1e3 * peer_reach_solve(plain, a, b, 0, PEER_LIMIT_S).plan_s);
    f->peer_found += rrt.found;
    f->prm_found += prm.found;
    if (!found || !rrt.found) return;
    add(&f->length_m, length);
    add(&f->rrt_length_m, rrt.length_m);
    add(&f->ratio, length / rrt.length_m);
}

/* The next pair of valid postures; hard: one that no straight move joins. */
static void draw_pair(stage* s, bool hard, int64_t* number, double* a, double* b) {
    do {
        draw_valid(s, number, a);
        draw_valid(s, number, b);
    } while (hard && passes(s, a, b));
    test_metric(s, a, b);
}

static void say(const char* name, bool hard, figures* f) {
    char text[96];
    double find = median(&f->find_s);
    // the goal is one of pairs as they are drawn, of which a straight move joins many
    snprintf(text, sizeof text, "reach way, %s: median of 50%s", name, hard ? ", no goal claimed" : "");
    bench_row(text, find, "ms", "RRTConnect", median(&f->rrt_s), hard ? 0 : 10);
    snprintf(text, sizeof text, "reach way, %s: beside its own test of moves", name);
    bench_row(text, find, "ms", "RRTConnect", median(&f->plain_s), 0);
    snprintf(text, sizeof text, "reach way, %s: beside PRM", name);
    bench_row(text, find, "ms", "PRM", median(&f->prm_s), 0);
    snprintf(text, sizeof text, "reach way, %s: smoothed length", name);
    bench_row(text, median(&f->length_m), "m", "simplified", median(&f->rrt_length_m), 1);
    snprintf(text, sizeof text, "reach way, %s: share of peer's length", name);
    bench_row(text, median(&f->ratio), "", "limit", 1, 0);
    snprintf(text, sizeof text, "reach way, %s: with smoothing", name);
    bench_row(text, median(&f->both_s), "ms", "simplified", median(&f->rrt_both_s), 0);
    snprintf(text, sizeof text, "reach way, %s: found of 50", name);
    bench_row_higher(text, f->found, "", "RRTConnect", f->peer_found, 1);
    snprintf(text, sizeof text, "reach way, %s: found, beside PRM", name);
    bench_row_higher(text, f->found, "", "PRM", f->prm_found, 0);
}

static void compare(const char* name) {
    stage s = start(name);
    static figures f;
    peer_reach_space space = {&s, s.low, s.high, is_valid, passes, points, draw};
    peer_reach* peer = peer_reach_build(&space);
    peer_reach_space states = space;
    states.passes = NULL;
    peer_reach* plain = peer_reach_build(&states);
    int64_t number = 0;
    for (int hard = 0; hard < 2; hard++) {
        char text[48];
        memset(&f, 0, sizeof f);
        for (int i = 0; i < PAIRS; i++) {
            double a[HF_CONTROL_COUNT], b[HF_CONTROL_COUNT];
            draw_pair(&s, hard, &number, a, b);
            compare_pair(&s, peer, plain, a, b, &f);
        }
        snprintf(text, sizeof text, "%s%s", name, hard ? ", no straight move" : "");
        say(text, hard, &f);
    }
    peer_reach_free(peer);
    peer_reach_free(plain);
    finish(&s);
}

void bench_reach(void) {
    compare("cubes");
    compare("kitchen");
}
