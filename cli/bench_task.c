/* holdfast bench task: what task-oriented sampling gains (efort-2014-journal section 6.2). The contacts of
   the shipped contact scenarios' tasks, found with sample sets of which half is drawn for the task, beside
   those found with even sets of the same size and of twice the size. */
#include "bench.h"
#include "bench_stage.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 2, KINDS = 3, ROUNDS = 100 };
static const int sizes[SIZES] = {1000, 10000};
/* How a set is drawn: evenly, half for the task, evenly with twice as many. */
static const struct {
    const char* name;
    int times;
    double share;
} kinds[KINDS] = {{"even", 1, 0}, {"half for the task", 1, 0.5}, {"even, twice as many", 2, 0}};

/* Of the roots from which every kind finds a contact. */
typedef struct gains {
    int count;
    double effort[KINDS]; /* sums */
    int found[KINDS];     /* from any root */
} gains;

static hf_status build_sets(const bench_stage* g, const hf_task_limb* limb, int size, int kind,
                            hf_samples** sets, hf_error* error) {
    const hf_scenario* s = g->scenario;
    const hf_creature_view* c = hf_creature_get(s->creature);
    hf_transform* links = calloc((size_t)c->link_count, sizeof *links);
    if (!links) return HF_ERROR_MEMORY;
    hf_forward(s->creature, &s->start.pose, links);
    hf_sample_options o = hf_sample_options_default();
    o.count = sizes[size] * kinds[kind].times;
    o.threads = 1;
    o.task_share = kinds[kind].share;
    o.task = hf_unrotate(hf_limb_base(s->creature, limb->limb, links).rotation, limb->direction);
    free(links);
    hf_status status = HF_OK;
    for (int i = 0; i < c->limbs[limb->limb].contact_count && status == HF_OK; i++) {
        o.contact = i;
        status = hf_samples_build(s->creature, limb->limb, &o, &sets[i], error);
    }
    return status;
}

/* Effort of the contact from each root; -1 where there is none. */
static hf_status measure_kind(bench_stage* g, const hf_task_limb* limb, const hf_samples* const* sets,
                              double* effort) {
    hf_contact_query q = hf_contact_query_default();
    q.pose = g->scenario->start.pose;
    q.limb = limb->limb;
    q.role = limb->role;
    q.direction = limb->direction;
    hf_status status = HF_OK;
    for (int i = 0; i < ROUNDS && status == HF_OK; i++) {
        q.pose.root = bench_stage_root(g, i);
        status = hf_contact_find(g->scenario->creature, sets, g->placement, &q, g->workspace, g->answer);
        effort[i] = g->answer->contact_count ? g->answer->contacts[0].terms[HF_TERM_EFFORT] : -1;
    }
    return status;
}

static hf_status measure_limb(bench_stage* g, const hf_task_limb* limb, int size, gains* to,
                              hf_error* error) {
    double effort[KINDS][ROUNDS];
    int frames = hf_creature_get(g->scenario->creature)->limbs[limb->limb].contact_count;
    hf_samples** sets = calloc((size_t)frames + 1, sizeof *sets);
    hf_status status = sets ? HF_OK : HF_ERROR_MEMORY;
    *error = (hf_error){0};
    for (int k = 0; k < KINDS && status == HF_OK; k++) {
        status = build_sets(g, limb, size, k, sets, error);
        if (status == HF_OK) status = measure_kind(g, limb, (const hf_samples* const*)sets, effort[k]);
        for (int i = 0; i < frames; i++) {
            hf_samples_free(sets[i]);
            sets[i] = NULL;
        }
    }
    free(sets);
    for (int i = 0; i < ROUNDS && status == HF_OK; i++) {
        bool all = true;
        for (int k = 0; k < KINDS; k++) {
            to->found[k] += effort[k][i] >= 0;
            all &= effort[k][i] >= 0;
        }
        to->count += all;
        for (int k = 0; k < KINDS && all; k++) to->effort[k] += effort[k][i];
    }
    return keep_kind(error, status);
}

static hf_status measure_stage(bench_stage* g, gains* of, progress* p, hf_error* error) {
    const hf_scenario* s = g->scenario;
    hf_status status = HF_OK;
    hf_task_limb asked;
    for (int t = 0; t < s->task_count; t++)
        for (int l = 0; l < hf_creature_get(s->creature)->limb_count; l++)
            for (int size = 0; size < SIZES && status == HF_OK; size++) {
                if (!bench_stage_asks(g, &s->tasks[t], l, &asked)) continue;
                status = measure_limb(g, &asked, size, &of[size], error);
                if (status != HF_OK || progress_report(p, (double)t / s->task_count, s->name)) continue;
                *error = (hf_error){.status = HF_ERROR_LIMIT, .message = "stopped before the end"};
                status = HF_ERROR_LIMIT;
            }
    return status;
}

/* ---- what is said ---- */

static double mean(const gains* g, int kind) { return g->count ? g->effort[kind] / g->count : 0; }

static void say_text(const char* name, const gains* of) {
    for (int i = 0; i < SIZES; i++) {
        printf("%-18s %8d", i ? "" : name, sizes[i]);
        for (int k = 0; k < KINDS; k++) printf(" %20.3f", mean(&of[i], k));
        printf(" %8.3f\n", mean(&of[i], 0) > 0 ? mean(&of[i], 1) / mean(&of[i], 0) : 0);
    }
}

static json_t* stage_json(const char* name, const gains* of) {
    json_t* list = json_array();
    for (int i = 0; i < SIZES; i++)
        json_array_append_new(list, json_pack("{s:i,s:i,s:f,s:f,s:f,s:[i,i,i]}", "samples", sizes[i],
                                              "compared", of[i].count, "even", mean(&of[i], 0),
                                              "half_for_task", mean(&of[i], 1), "even_twice", mean(&of[i], 2),
                                              "found", of[i].found[0], of[i].found[1], of[i].found[2]));
    return json_pack("{s:o,s:o}", "name", json_text(name), "effort", list);
}

static void add(gains* to, const gains* from) {
    to->count += from->count;
    for (int k = 0; k < KINDS; k++) to->effort[k] += from->effort[k], to->found[k] += from->found[k];
}

int bench_task(const options* o) {
    hf_error error = {0};
    gains all[SIZES] = {0};
    json_t* list = json_array();
    int count;
    char** names = list_shipped("scenarios", ".scenario.json", &count);
    hf_status status = HF_OK;
    progress p = progress_start(o);
    if (!o->json) {
        printf("mean effort of the contacts found\n%-18s %8s", "scenario", "samples");
        for (int k = 0; k < KINDS; k++) printf(" %20s", kinds[k].name);
        printf(" %8s\n", "gain");
    }
    for (int i = 0; i < count && status == HF_OK; i++) {
        bench_stage stage;
        gains of[SIZES] = {0};
        status = bench_stage_open(o, names[i], &stage, &error);
        bool fits = status == HF_OK && stage.scenario;
        if (fits) status = measure_stage(&stage, of, &p, &error);
        bench_stage_close(&stage);
        if (!fits || status != HF_OK) continue;
        for (int k = 0; k < SIZES; k++) add(&all[k], &of[k]);
        if (o->json)
            json_array_append_new(list, stage_json(names[i], of));
        else
            say_text(names[i], of);
    }
    progress_end(&p);
    int code = status == HF_OK ? EXIT_DONE : fail_with(&error);
    if (p.interrupted || p.timed_out) {
        complain("stopped: %s", progress_stop_text(&p));
        code = EXIT_NO_SOLUTION;
    }
    if (status == HF_OK && !o->json) say_text("all", all);
    if (status == HF_OK && o->json)
        print_json(json_pack("{s:O,s:o}", "scenarios", list, "all", stage_json("all", all)));
    free_names(names, count);
    json_decref(list);
    return code;
}
