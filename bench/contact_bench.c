/* Whole contact queries on the shipped contact scenarios: candidates, scores, exact finish, collision. The
   root is shifted by up to 5 cm in each query, so that no two are the same; queries that find nothing are
   reported apart. Processor time of the one thread, so that other work on the machine counts little. */
#include "bench.h"
#include "base/memory.h"
#include "base/random.h"

#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FRAMES = 8, ROUNDS = 40, MAX_TIMES = 20000 };

static void stop(const char* why) {
    fprintf(stderr, "bench contact: %s\n", why);
    exit(3);
}

static double thread_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct times {
    int count;
    double us[MAX_TIMES];
} times;

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double mean(const times* t) {
    double sum = 0;
    for (int i = 0; i < t->count; i++) sum += t->us[i];
    return t->count ? sum / t->count : 0;
}

static double percentile(times* t, double share) {
    qsort(t->us, (size_t)t->count, sizeof *t->us, ascending);
    return t->count ? t->us[(int)(share * (t->count - 1))] : 0;
}

typedef struct stage {
    hf_scenario* s;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_contact_answer* answer;
} stage;

/* One limb of one task from shifted roots; each query is asked twice and the second time counts. */
static void measure(stage* g, const hf_samples* const* sets, const hf_task_limb* limb, uint64_t stream,
                    times* found, times* empty) {
    hf_contact_query q = hf_contact_query_default();
    q.pose = g->s->start.pose;
    q.limb = limb->limb;
    q.role = limb->role;
    q.direction = limb->direction;
    for (int i = 0; i < ROUNDS; i++) {
        hf_random r = hf_random_start(61, (uint32_t)stream, (uint64_t)i);
        hf_vec3* p = &q.pose.root.position;
        *p = g->s->start.pose.root.position;
        p->x += hf_random_between(&r, -0.05, 0.05);
        p->y += hf_random_between(&r, -0.05, 0.05);
        p->z += hf_random_between(&r, 0, 0.05);
        double us = 0;
        for (int k = 0; k < 2; k++) {
            double start = thread_now();
            if (hf_contact_find(g->s->creature, sets, g->placement, &q, g->workspace, g->answer) != HF_OK)
                stop("query");
            us = 1e6 * (thread_now() - start);
        }
        times* to = g->answer->contact_count ? found : empty;
        if (to->count < MAX_TIMES) to->us[to->count++] = us;
    }
}

static void measure_scenario(const char* name, int count, times* found, times* empty) {
    char path[200];
    hf_error error;
    stage g = {0};
    snprintf(path, sizeof path, "data/scenarios/%s.scenario.json", name);
    if (hf_scenario_load(bench_path(path), NULL, &g.s, &error) != HF_OK ||
        hf_placement_create(g.s->scene, &g.placement) != HF_OK ||
        hf_workspace_create(&g.workspace) != HF_OK ||
        hf_contact_answer_create(g.s->creature, 1, &g.answer) != HF_OK)
        stop(name);
    const hf_creature_view* c = hf_creature_get(g.s->creature);
    for (int l = 0; l < c->limb_count; l++) {
        hf_samples* sets[MAX_FRAMES] = {0};
        for (int t = 0; t < g.s->task_count; t++)
            for (int i = 0; i < g.s->tasks[t].limb_count; i++) {
                if (g.s->tasks[t].limbs[i].limb != l) continue;
                hf_sample_options o = hf_sample_options_default();
                o.count = count;
                for (int k = 0; k < c->limbs[l].contact_count && !sets[k]; k++) {
                    o.contact = k;
                    if (k == MAX_FRAMES || hf_samples_build(g.s->creature, l, &o, &sets[k], &error) != HF_OK)
                        stop("samples");
                }
                measure(&g, (const hf_samples* const*)sets, &g.s->tasks[t].limbs[i], (uint64_t)(16 * l + t),
                        found, empty);
            }
        for (int k = 0; k < MAX_FRAMES; k++) hf_samples_free(sets[k]);
    }
    hf_contact_answer_free(g.answer);
    hf_workspace_free(g.workspace);
    hf_placement_free(g.placement);
    hf_scenario_free(g.s);
}

void bench_contact(void) {
    static const char* const scenarios[] = {"sofa",      "chair-table",     "push",     "push-back", "pull",
                                            "pull-wall", "climb-four-ways", "bookshelf"};
    enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };
    static const struct {
        int count;
        const char* text;
        double limit_us;
    } sizes[] = {{10000, "10,000", 100}, {100000, "100,000", 500}};
    times *found = hf_alloc(1, sizeof *found), *empty = hf_alloc(1, sizeof *empty);
    if (!found || !empty) stop("out of memory");
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < SCENARIOS; n++) {
            char name[100];
            found->count = empty->count = 0;
            measure_scenario(scenarios[n], sizes[i].count, found, empty);
            snprintf(name, sizeof name, "contact query %s, N = %s: mean", scenarios[n], sizes[i].text);
            bench_row(name, mean(found), "us", "limit", sizes[i].limit_us, 1);
            snprintf(name, sizeof name, "contact query %s, N = %s: median", scenarios[n], sizes[i].text);
            bench_row(name, percentile(found, 0.5), "us", "limit", sizes[i].limit_us, 0);
            snprintf(name, sizeof name, "contact query %s, N = %s: 99.9th percentile", scenarios[n],
                     sizes[i].text);
            bench_row(name, percentile(found, 0.999), "us", "20 x mean", 20 * mean(found), 1);
            if (!empty->count) continue;
            snprintf(name, sizeof name, "contact query %s, N = %s: %d of %d empty, mean", scenarios[n],
                     sizes[i].text, empty->count, found->count + empty->count);
            bench_row(name, mean(empty), "us", "none", 0, 0);
        }
    hf_free(found);
    hf_free(empty);
}
