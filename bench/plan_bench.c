/* Contact plans: online time of shipped scenarios, time per stance, the same plan for any number of threads,
   and how the time grows with triangles and with the way. A run that finds nothing counts as the time limit,
   so that it misses every goal instead of leaving the table. script/soak asks many more seeds. */
#include "bench.h"

#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, GROWTH_SEEDS = 5, MAX_FAILURES = 2, THREADS = 2, NAME = 96 };
static const double LIMIT_S = 10;

static void stop(const char* why) {
    fprintf(stderr, "bench plan: %s\n", why);
    exit(3);
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* ---- one run ---- */

typedef struct outcome {
    bool found, valid;
    double online_s, stance_s; /* the limit when nothing was found */
    uint64_t hash;
} outcome;

static bool in_time(void* end, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return bench_now() < *(const double*)end;
}

/* Of all frames: root, joints and who touches. */
static uint64_t hash_of(const hf_motion* m) {
    uint64_t h = 1469598103934665603ull;
    for (int f = 0; f < m->frame_count; f++) {
        const hf_motion_frame* frame = &m->frames[f];
        for (int i = 0; i < m->q_count + 7 + frame->contact_count; i++) {
            uint64_t bits = 0;
            if (i < m->q_count)
                memcpy(&bits, &frame->q[i], sizeof bits);
            else if (i < m->q_count + 7)
                memcpy(&bits, (const double*)&frame->root + (i - m->q_count), sizeof bits);
            else
                bits = (uint64_t)frame->contacts[i - m->q_count - 7].limb;
            h = (h ^ bits) * 1099511628211ull;
        }
    }
    return h;
}

/* Sample sets and volumes are made anew for each seed; their time is not online. The check is slow in scenes
   of many triangles: it goes through all of them. */
static outcome run(const hf_creature* creature, const hf_scene* scene, const hf_plan_query* query,
                   uint64_t seed, int threads, bool judge) {
    hf_plan_options o = hf_plan_options_default();
    o.seed = seed, o.threads = threads;
    hf_plan_model* model;
    hf_plan_result r;
    hf_check_report report;
    double end = bench_now() + LIMIT_S;
    if (hf_plan_model_create(creature, &o, &model, NULL) != HF_OK ||
        hf_plan_find(model, scene, query, &o, in_time, &end, &r, NULL) != HF_OK)
        stop("a plan could not be tried");
    outcome out = {.found = r.outcome == HF_FOUND, .online_s = LIMIT_S, .stance_s = LIMIT_S};
    if (out.found) {
        out.online_s = r.guide_s + r.contact_s;
        out.stance_s = r.contact_s / (r.stances > 0 ? r.stances : 1);
        out.hash = hash_of(r.motion);
        if (judge && hf_check_motion(r.motion, creature, scene, threads, NULL, NULL, &report, NULL) != HF_OK)
            stop("a motion could not be judged");
        out.valid = judge && report.valid;
        if (judge) hf_check_report_free(&report);
    }
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
    return out;
}

/* ---- shipped scenarios ---- */

typedef struct counts {
    int found, valid, hashed, same;
} counts;

/* Stops where the median is failure already: the rest counts as failed. */
static void measure(const char* name, double online_goal_s, counts* all) {
    char path[256], text[NAME];
    hf_scenario* s;
    hf_error error;
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    if (hf_scenario_load(bench_path(path), NULL, &s, &error) != HF_OK) stop(error.message);
    hf_plan_query query = {.start = &s->start, .goal = &s->goal};
    double online[SEEDS], stance[SEEDS];
    int found = 0, failed = 0;
    for (int i = 0; i < SEEDS; i++) {
        outcome o = {.online_s = LIMIT_S, .stance_s = LIMIT_S};
        if (failed < MAX_FAILURES) o = run(s->creature, s->scene, &query, (uint64_t)i + 1, THREADS, true);
        // the same with other numbers of threads
        for (int threads = 1; o.found && found == 0 && threads <= 4; threads += 3) {
            all->hashed++;
            all->same += run(s->creature, s->scene, &query, (uint64_t)i + 1, threads, false).hash == o.hash;
        }
        online[i] = o.online_s, stance[i] = o.stance_s;
        found += o.found, failed += !o.found;
        all->found += o.found, all->valid += o.valid;
    }
    hf_scenario_free(s);
    snprintf(text, sizeof text, "plan %s: online, median of %d seeds (%d found)", name, SEEDS, found);
    bench_row(text, median(online, SEEDS), "s", "limit", online_goal_s > 0 ? online_goal_s : LIMIT_S,
              online_goal_s > 0 ? 1 : 0);
    snprintf(text, sizeof text, "plan %s: contact time per stance (%d found)", name, found);
    bench_row(text, median(stance, SEEDS) * 1e3, "ms", "limit", 15, 1);
}

/* ---- how time grows ---- */

enum { MAX_BOXES = 40 };
typedef struct course {
    int count;
    hf_vec3 low[MAX_BOXES], high[MAX_BOXES];
    bool grip[MAX_BOXES];
} course;

static void add_box(course* c, hf_vec3 low, hf_vec3 high, bool grip) {
    if (c->count == MAX_BOXES) stop("too many boxes");
    c->low[c->count] = low, c->high[c->count] = high, c->grip[c->count++] = grip;
}

/* A wall with ledges all along it, 10 cm deep, as high as hands reach after so many metres. */
static course climbing_wall(double metres) {
    course c = {0};
    add_box(&c, hf_v3(-1.5, -1, -0.1), hf_v3(0.58, 1, 0), false);
    add_box(&c, hf_v3(0.58, -1, 0), hf_v3(0.68, 1, metres + 3), false);
    for (double z = 0.3; z <= metres + 1.95; z += 0.32)
        add_box(&c, hf_v3(0.48, -1, z - 0.05), hf_v3(0.58, 1, z), true);
    return c;
}

/* A box whose sides are grids of n by n squares, two triangles each; corners of sides are shared. */
static void fill_box(const course* c, int index, int n, float* v, uint32_t* t, int* vertex_count) {
    int side = (n + 1) * (n + 1), triangles = 0;
    *vertex_count = 6 * side;
    for (int f = 0; f < 6; f++) {
        int axis = f / 2, far = f % 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double *low = &c->low[index].x, *high = &c->high[index].x;
        for (int i = 0; i <= n; i++)
            for (int j = 0; j <= n; j++) {
                float* p = v + 3 * (f * side + i * (n + 1) + j);
                p[axis] = (float)(far ? high[axis] : low[axis]);
                p[a] = (float)(low[a] + (high[a] - low[a]) * i / n);
                p[b] = (float)(low[b] + (high[b] - low[b]) * j / n);
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                uint32_t p = (uint32_t)(f * side + i * (n + 1) + j), q = p + (uint32_t)n + 1;
                uint32_t two[2][3] = {{p, q, q + 1}, {p, q + 1, p + 1}};
                for (int k = 0; k < 2; k++, triangles++)
                    for (int e = 0; e < 3; e++) t[3 * triangles + e] = two[k][far ? e : 2 - e];
            }
    }
}

static hf_scene* scene_of(const course* c, int n, int* triangles) {
    float* v[MAX_BOXES];
    uint32_t* t[MAX_BOXES];
    char names[MAX_BOXES][16];
    hf_object_def defs[MAX_BOXES];
    for (int i = 0; i < c->count; i++) {
        int vertices;
        v[i] = malloc(sizeof(float) * 18 * (size_t)(n + 1) * (size_t)(n + 1));
        t[i] = malloc(sizeof(uint32_t) * 36 * (size_t)n * (size_t)n);
        if (!v[i] || !t[i]) stop("out of memory");
        fill_box(c, i, n, v[i], t[i], &vertices);
        snprintf(names[i], sizeof names[i], "box %d", i);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i], defs[i].grip = c->grip[i];
        defs[i].mesh = (hf_mesh){
            .vertices = v[i], .vertex_count = vertices, .indices = t[i], .triangle_count = 12 * n * n};
    }
    hf_scene* scene;
    if (hf_scene_build(defs, c->count, &scene, NULL) != HF_OK) stop("no scene");
    if (hf_scene_object(scene, 0).solidity[0] != 1) stop("boxes are not closed");
    *triangles = 12 * n * n * c->count;
    for (int i = 0; i < c->count; i++) free(v[i]), free(t[i]);
    return scene;
}

typedef struct climber {
    hf_creature* creature;
    double* q;
} climber;

/* Up the wall from where the climber stands; median over seeds. */
static double grow(const climber* w, const course* c, int n, double metres, int* found, int* triangles) {
    static const hf_vec3 standing = {0, 0, 0.9424186};
    hf_scene* scene = scene_of(c, n, triangles);
    hf_scenario_state start = {.pose.q = w->q}, goal;
    hf_pose_rest(w->creature, &start.pose);
    start.pose.root.position = standing;
    goal = start;
    goal.pose.root.position.z += metres;
    hf_plan_query query = {.start = &start, .goal = &goal};
    double times[GROWTH_SEEDS];
    *found = 0;
    for (int i = 0; i < GROWTH_SEEDS; i++) {
        outcome o = run(w->creature, scene, &query, (uint64_t)i + 1, THREADS, false);
        *found += o.found, times[i] = o.online_s;
    }
    hf_scene_free(scene);
    return median(times, GROWTH_SEEDS);
}

static void growth(void) {
    climber w;
    if (hf_creature_load(bench_path("data/creatures/climber.creature.json"), NULL, &w.creature, NULL) !=
        HF_OK)
        stop("no climber");
    w.q = malloc(sizeof(double) * (size_t)(hf_creature_get(w.creature)->q_count + 1));
    if (!w.q) stop("out of memory");
    int found, triangles, all_found = 1;
    char text[NAME];
    double first = LIMIT_S, last = LIMIT_S;
    course wall = climbing_wall(1);
    static const int grids[] = {1, 3, 9, 28};
    for (int i = 0; i < 4; i++) {
        last = grow(&w, &wall, grids[i], 1, &found, &triangles);
        if (i == 0) first = last;
        all_found = all_found && found == GROWTH_SEEDS;
        snprintf(text, sizeof text, "plan climb of 1 m, %d triangles (%d of %d found)", triangles, found,
                 GROWTH_SEEDS);
        bench_row(text, last * 1e3, "ms", "first", first * 1e3, 0);
    }
    snprintf(text, sizeof text, "plan climb: most triangles beside fewest%s",
             all_found ? "" : " (not all found)");
    bench_row(text, last / first, "x", "limit", 4, 1);
    for (int metres = 1; metres <= 4; metres *= 2) {
        wall = climbing_wall(metres);
        double time = grow(&w, &wall, 1, metres, &found, &triangles);
        if (metres == 1) first = time;
        snprintf(text, sizeof text, "plan climb of %d m (%d of %d found)", metres, found, GROWTH_SEEDS);
        bench_row(text, time * 1e3, "ms", "1 m", first * 1e3, 0);
    }
    free(w.q);
    hf_creature_free(w.creature);
}

void bench_plan(void) {
    static const struct {
        const char* name;
        double online_goal_s;
    } scenarios[] = {{"truck-egress", 3}, {"truck-crawl", 1},   {"climb", 0.3},      {"crouch", 1},
                     {"crawl-under", 1},  {"race", 0},          {"stairs", 0},       {"stairs-rail", 0},
                     {"rubble", 0},       {"insect-truck", 0},  {"spider-shaft", 0}, {"quadruped-steps", 0},
                     {"stand-up", 0},     {"stand-up-front", 0}};
    counts all = {0};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        measure(scenarios[i].name, scenarios[i].online_goal_s, &all);
    bench_row_higher("plans found above that are valid by the check", all.valid, "", "limit", all.found, 1);
    bench_row_higher("same plan hash for 1 and 4 threads as for 2", all.same, "", "limit", all.hashed, 1);
    growth();
}
