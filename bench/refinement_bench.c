/* Refinement: one time scaling of 20 s of recorded motions (poses given, fastest times under contact wrenches
   and all limits), beside the stances that it needs and a whole refinement. Processor time, so that other
   work on the machine does not count. */
#include "bench.h"

#include "base/workspace.h"
#include "refine/retime.h"
#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 9 };
static const double MOTION_S = 20;                /* the goal's motion */
static const double SCALING_MS = 20, WHOLE_S = 5; /* goals: of a time scaling, and of a refinement */
static const double SAMPLES = 2; /* of the path for each pose, as a refinement has (src/refine/retime.c) */

typedef struct recorded {
    hf_scenario* scenario;
    hf_schedule* schedule;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_workspace_mark mark; /* of the memory of what follows */
    hf_parts phases;
    hf_pose_spline spline;
    hf_stance_list list;
    hf_scaling_path path;
    hf_scaling scaling;
    double stances_s;
} recorded;

static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(hf_status status, const char* what) {
    if (status == HF_OK) return;
    fprintf(stderr, "bench refinement: %s: %s\n", what, hf_status_text(status));
    exit(3);
}

static void* room(size_t count, size_t size) {
    void* out = calloc(count, size);
    need(out ? HF_OK : HF_ERROR_MEMORY, "out of memory");
    return out;
}

static void load(recorded* m, const char* name) {
    char path[96];
    hf_load_options o = hf_load_options_default();
    snprintf(path, sizeof path, "data/clips/%s.scenario.json", name);
    need(hf_scenario_load(bench_path(path), &o, &m->scenario, NULL), "a scenario cannot be loaded");
    snprintf(path, sizeof path, "data/clips/%s.schedule.json", name);
    need(hf_schedule_load(bench_path(path), m->scenario->creature, m->scenario->scene, &m->schedule, NULL),
         "a schedule cannot be loaded");
    need(hf_placement_create(m->scenario->scene, &m->placement), "no placement");
    need(hf_workspace_create(&m->workspace), "no workspace");
    m->mark = hf_workspace_begin(m->workspace);
}

static void find_stances(recorded* m) {
    const hf_creature* c = m->scenario->creature;
    need(hf_pose_spline_of(c, m->schedule, m->workspace, &m->spline), "no curve");
    need(hf_parts_make(m->schedule, m->workspace, &m->phases), "no phases");
    double began = processor_s();
    need(hf_stance_list_make(c, m->placement, m->schedule, &m->spline, &m->phases, m->workspace, &m->list),
         "no stances");
    m->stances_s = processor_s() - began;
}

/* The poses of the first 20 s, as hf_retime takes them. */
static void sample(recorded* m) {
    const hf_schedule* s = m->schedule;
    size_t count = (size_t)(MOTION_S * s->rate * SAMPLES) + 1, n = (size_t)s->q_count;
    size_t limbs = (size_t)m->list.limb_count;
    hf_transform* roots = room(count, sizeof *roots);
    double* q = room(count * n, sizeof *q);
    const hf_stance** stances = room(count, sizeof *stances);
    uint8_t* held = room(count * limbs, 1);
    double step = MOTION_S / (double)(count - 1);
    for (size_t i = 0; i < count; i++) {
        hf_pose pose = {.q = q + i * n};
        hf_pose_spline_at(&m->spline, (double)i * step, &pose);
        roots[i] = pose.root;
        int p = hf_stance_list_at(&m->list, &m->phases, (double)i * step, step);
        stances[i] = m->list.stances[p];
        for (size_t l = 0; l < limbs; l++) held[i * limbs + l] = m->list.limbs[(size_t)p * limbs + l];
    }
    m->path = (hf_scaling_path){.creature = m->scenario->creature,
                                .count = (int)count,
                                .step = step,
                                .rests = true,
                                .roots = roots,
                                .q = q,
                                .stances = stances,
                                .held = held};
    m->scaling.time_s = room(count, sizeof(double));
    m->scaling.speed = room(count, sizeof(double));
}

static void release(recorded* m) {
    free(m->scaling.time_s);
    free(m->scaling.speed);
    free((void*)(uintptr_t)m->path.roots);
    free((void*)(uintptr_t)m->path.q);
    free((void*)(uintptr_t)m->path.stances);
    free((void*)(uintptr_t)m->path.held);
    hf_stance_list_free(&m->list);
    hf_workspace_end(m->workspace, m->mark);
    hf_workspace_free(m->workspace);
    hf_placement_free(m->placement);
    hf_schedule_free(m->schedule);
    hf_scenario_free(m->scenario);
}

static double scaling_ms(recorded* m) {
    const hf_scaling_shares shares = {0.98, 0.95, 0.9};
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double began = processor_s();
        need(hf_scaling_find(&m->path, &shares, m->workspace, &m->scaling), "a time scaling failed");
        best = fmin(best, 1e3 * (processor_s() - began));
    }
    if (m->scaling.block != HF_SCALING_FREE) need(HF_ERROR_ARGUMENT, "a recorded motion has no times");
    return best;
}

static double whole_s(const recorded* m) {
    hf_refine_options o = hf_refine_options_default();
    hf_refine_result r;
    double began = processor_s();
    need(hf_refine(m->scenario->creature, m->scenario->scene, m->schedule, &o, m->workspace, &r, NULL),
         "a refinement failed");
    hf_refine_result_free(&r);
    return processor_s() - began;
}

void bench_refinement(void) {
    static const char* const clips[] = {"stairs", "crawl", "step-stones"};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        recorded m = {0};
        char name[96];
        load(&m, clips[i]);
        find_stances(&m);
        sample(&m);
        snprintf(name, sizeof name, "time scaling of 20 s, %s", clips[i]);
        bench_row(name, scaling_ms(&m), "ms", "limit", SCALING_MS, 1);
        snprintf(name, sizeof name, "stances for it, %s", clips[i]);
        bench_row(name, 1e3 * m.stances_s, "ms", "", 0, 0);
        snprintf(name, sizeof name, "whole refinement of %s", clips[i]);
        bench_row(name, whole_s(&m), "s", "limit", WHOLE_S, 1);
        release(&m);
    }
}
