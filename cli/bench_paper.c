/* holdfast bench paper: the tables of efort-2014-journal section 5.4 (thesis-2015 section 8.1) taken again on
   the shipped contact scenarios: time of a query, candidates within epsilon, generation and memory of sample
   sets. Times are processor time of one core. What the papers measured stands in data/papers. */
#include "bench.h"
#include "bench_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 4, ROUNDS = 20 };
static const int sizes[SIZES] = {1000, 10000, 100000, 1000000};
/* Candidates are those within the default epsilon, as a share of the limb's length. */
static const double EPSILON_SHARE = 0.03;

/* Sums over the queries of one scenario and one size. */
typedef struct figures {
    int found, empty;
    double found_ms, worst_ms, empty_ms; /* sum, largest, sum */
    double candidates;                   /* sum over all */
} figures;

/* Sums over all sample sets of one size. */
typedef struct set_figures {
    int count;
    double build_ms, bytes, worst_bytes_each;
} set_figures;

typedef struct bench {
    bench_stage stage;
    figures* of;       /* of the scenario, by size */
    set_figures* sets; /* by size */
} bench;

/* Processor time, which other programs on the machine hardly change. */
static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one scenario ---- */

/* What the papers count: samples within epsilon of a surface, whatever the task. With one test the search is
   not widened; where it was, nothing near could be tested. A query for several contacts counts all. */
static hf_status count_candidates(bench* b, const hf_samples* const* sets, hf_contact_query query,
                                  double* candidates) {
    query.epsilon_m = EPSILON_SHARE * hf_creature_get(b->stage.scenario->creature)->limbs[query.limb].length;
    query.max_tests = 1;
    query.count = 2;
    memset(query.weights, 0, sizeof query.weights);
    query.weights[HF_TERM_DISTANCE] = 1;
    hf_status status = hf_contact_find(b->stage.scenario->creature, sets, b->stage.placement, &query,
                                       b->stage.workspace, b->stage.answer);
    *candidates = b->stage.answer->epsilon_m > 1.001 * query.epsilon_m ? 0 : b->stage.answer->candidates;
    return status;
}

/* One limb of one task from all roots; each query is asked twice and the second time counts. */
static hf_status measure_limb(bench* b, const hf_samples* const* sets, const hf_task_limb* limb, figures* f) {
    const hf_scenario* s = b->stage.scenario;
    hf_contact_query q = hf_contact_query_default();
    q.pose = s->start.pose;
    q.limb = limb->limb;
    q.role = limb->role;
    q.direction = limb->direction;
    hf_status status = HF_OK;
    for (int i = 0; i < ROUNDS && status == HF_OK; i++) {
        q.pose.root = bench_stage_root(&b->stage, i);
        double ms = 0, candidates = 0;
        for (int k = 0; k < 2 && status == HF_OK; k++) {
            double start = processor_s();
            status = hf_contact_find(s->creature, sets, b->stage.placement, &q, b->stage.workspace,
                                     b->stage.answer);
            ms = 1e3 * (processor_s() - start);
        }
        bool found = b->stage.answer->contact_count > 0;
        if (status == HF_OK) status = count_candidates(b, sets, q, &candidates);
        if (status != HF_OK) break;
        f->candidates += candidates;
        *(found ? &f->found_ms : &f->empty_ms) += ms;
        *(found ? &f->found : &f->empty) += 1;
        if (found) f->worst_ms = fmax(f->worst_ms, ms);
    }
    return status;
}

static hf_status build_sets(bench* b, int limb, int size, hf_samples** sets, hf_error* error) {
    const hf_limb* l = &hf_creature_get(b->stage.scenario->creature)->limbs[limb];
    hf_sample_options so = hf_sample_options_default();
    so.count = sizes[size];
    so.threads = 1;
    hf_status status = HF_OK;
    for (int i = 0; i < l->contact_count && status == HF_OK; i++) {
        so.contact = i;
        double start = processor_s();
        status = hf_samples_build(b->stage.scenario->creature, limb, &so, &sets[i], error);
        if (status != HF_OK) break;
        hf_samples_view v = hf_samples_get(sets[i]);
        set_figures* f = &b->sets[size];
        f->count++;
        f->build_ms += 1e3 * (processor_s() - start);
        f->bytes += (double)v.byte_count;
        f->worst_bytes_each = fmax(f->worst_bytes_each, (double)v.byte_count / v.count);
    }
    return status;
}

/* All tasks of one limb; the sample sets live only as long. */
static hf_status measure_sets(bench* b, int limb, int size, hf_error* error) {
    const hf_scenario* s = b->stage.scenario;
    hf_task_limb asked;
    hf_samples** sets = NULL;
    hf_status status = HF_OK;
    int contacts = hf_creature_get(s->creature)->limbs[limb].contact_count;
    for (int t = 0; t < s->task_count && status == HF_OK; t++) {
        if (!bench_stage_asks(&b->stage, &s->tasks[t], limb, &asked)) continue;
        *error = (hf_error){0};
        if (!sets) {
            sets = calloc((size_t)contacts + 1, sizeof *sets);
            status = sets ? build_sets(b, limb, size, sets, error) : HF_ERROR_MEMORY;
        }
        if (status == HF_OK) status = measure_limb(b, (const hf_samples* const*)sets, &asked, &b->of[size]);
    }
    for (int i = 0; sets && i < contacts; i++) hf_samples_free(sets[i]);
    free(sets);
    return keep_kind(error, status);
}

static hf_status measure_scenario(bench* b, progress* p, hf_error* error) {
    const hf_scenario* s = b->stage.scenario;
    hf_status status = HF_OK;
    for (int size = 0; size < SIZES && status == HF_OK; size++)
        for (int limb = 0; limb < hf_creature_get(s->creature)->limb_count && status == HF_OK; limb++) {
            status = measure_sets(b, limb, size, error);
            if (!progress_report(p, (double)size / SIZES, s->name) && status == HF_OK) {
                *error = (hf_error){.status = HF_ERROR_LIMIT, .message = "stopped before the end"};
                status = HF_ERROR_LIMIT;
            }
        }
    return status;
}

/* ---- what is said ---- */

static double mean(double sum, int count) { return count ? sum / count : 0; }

/* The papers' row that stands for a scenario, or NULL. */
static json_t* paper_row(json_t* papers, const char* scenario) {
    size_t i, k;
    json_t *row, *name;
    json_array_foreach(json_object_get(papers, "rows"), i, row) json_array_foreach(
        json_object_get(row, "scenarios"), k,
        name) if (json_is_string(name) && strcmp(json_string_value(name), scenario) == 0) return row;
    return NULL;
}

/* One line of a table: a name and a text for each size. */
typedef struct line {
    char cell[SIZES][32];
} line;

static void say_line(const char* name, const line* l) {
    printf("%-22s", name);
    for (int i = 0; i < SIZES; i++) printf(" %20s", l->cell[i]);
    printf("\n");
}

static void say_title(const char* title) {
    line l;
    for (int i = 0; i < SIZES; i++) snprintf(l.cell[i], sizeof l.cell[i], "N = %d", sizes[i]);
    printf("\n");
    say_line(title, &l);
}

/* What the papers have, with a second figure in brackets; nothing where they have none. */
static void say_papers(json_t* row, const char* key, const char* brackets) {
    line l = {0};
    for (int i = 0; i < SIZES; i++) {
        json_t *one = json_array_get(json_object_get(row, key), (size_t)i),
               *two = brackets ? json_array_get(json_object_get(row, brackets), (size_t)i) : NULL;
        if (json_is_number(one) && json_is_number(two))
            snprintf(l.cell[i], sizeof l.cell[i], "%g (%g)", json_number_value(one), json_number_value(two));
        else if (json_is_number(one))
            snprintf(l.cell[i], sizeof l.cell[i], "%g", json_number_value(one));
    }
    if (row) say_line("  papers", &l);
}

static void say_times(const char* name, const figures* f, json_t* papers) {
    line l, empty;
    int none = 0;
    for (int i = 0; i < SIZES; i++) {
        snprintf(l.cell[i], sizeof l.cell[i], "%.3f (%.2f)", mean(f[i].found_ms, f[i].found), f[i].worst_ms);
        snprintf(empty.cell[i], sizeof empty.cell[i], "%d of %d, %.2f", f[i].empty, f[i].found + f[i].empty,
                 mean(f[i].empty_ms, f[i].empty));
        none += f[i].empty;
    }
    say_line(name, &l);
    if (none) say_line("  empty, mean", &empty);
    say_papers(paper_row(papers, name), "mean_ms", "worst_ms");
}

static void say_candidates(const char* name, const figures* f, json_t* papers) {
    line l;
    for (int i = 0; i < SIZES; i++)
        snprintf(l.cell[i], sizeof l.cell[i], "%.0f", mean(f[i].candidates, f[i].found + f[i].empty));
    say_line(name, &l);
    say_papers(paper_row(papers, name), "candidates", NULL);
}

static void say_sets(const set_figures* f, json_t* papers) {
    line ms, mb;
    for (int i = 0; i < SIZES; i++) {
        snprintf(ms.cell[i], sizeof ms.cell[i], "%.2f", mean(f[i].build_ms, f[i].count));
        snprintf(mb.cell[i], sizeof mb.cell[i], "%.2f", mean(f[i].bytes, f[i].count) / 1e6);
    }
    say_title("sample set of a limb");
    say_line("generation, ms", &ms);
    say_papers(papers, "generation_ms", NULL);
    say_line("memory, MB", &mb);
    say_papers(papers, "memory_mb", NULL);
}

static json_t* scenario_json(const char* name, const figures* f, json_t* papers) {
    static const char* const keys[] = {"queries",  "empty",         "mean_ms",
                                       "worst_ms", "empty_mean_ms", "candidates"};
    json_t *object = json_pack("{s:o}", "name", json_text(name)), *row = paper_row(papers, name);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        json_t* list = json_array();
        for (int i = 0; i < SIZES; i++) {
            double values[] = {
                f[i].found + f[i].empty,         f[i].empty,
                mean(f[i].found_ms, f[i].found), f[i].worst_ms,
                mean(f[i].empty_ms, f[i].empty), mean(f[i].candidates, f[i].found + f[i].empty)};
            json_array_append_new(list, k < 2 ? json_integer((json_int_t)values[k]) : json_real(values[k]));
        }
        json_object_set_new(object, keys[k], list);
    }
    json_object_set(object, "papers", row ? row : json_null());
    return object;
}

static json_t* sets_json(const set_figures* f, json_t* papers) {
    json_t *ms = json_array(), *mb = json_array(), *each = json_array();
    for (int i = 0; i < SIZES; i++) {
        json_array_append_new(ms, json_real(mean(f[i].build_ms, f[i].count)));
        json_array_append_new(mb, json_real(mean(f[i].bytes, f[i].count) / 1e6));
        json_array_append_new(each, json_real(f[i].worst_bytes_each));
    }
    return json_pack("{s:o,s:o,s:o,s:{s:O,s:O}}", "generation_ms", ms, "memory_mb", mb, "most_bytes_a_sample",
                     each, "papers", "generation_ms", json_object_get(papers, "generation_ms"), "memory_mb",
                     json_object_get(papers, "memory_mb"));
}

/* ---- the command ---- */

/* Everything that was measured, by scenario. */
typedef struct table {
    int count;
    char** names;
    figures (*figures)[SIZES];
    set_figures sets[SIZES];
} table;

static void say_text(const table* t, json_t* papers) {
    printf("processor time of one core; %d roots for each limb of each task", ROUNDS);
    say_title("query, ms: mean (worst)");
    for (int i = 0; i < t->count; i++)
        if (t->names[i]) say_times(t->names[i], t->figures[i], papers);
    say_title("candidates");
    for (int i = 0; i < t->count; i++)
        if (t->names[i]) say_candidates(t->names[i], t->figures[i], papers);
    say_sets(t->sets, papers);
}

static void say_json(const table* t, json_t* papers) {
    json_t *list = json_array(), *samples = json_array();
    for (int i = 0; i < SIZES; i++) json_array_append_new(samples, json_integer(sizes[i]));
    for (int i = 0; i < t->count; i++)
        if (t->names[i]) json_array_append_new(list, scenario_json(t->names[i], t->figures[i], papers));
    print_json(json_pack("{s:o,s:o,s:o,s:O}", "samples", samples, "scenarios", list, "sets",
                         sets_json(t->sets, papers), "source", json_object_get(papers, "source")));
}

/* Measures one shipped scenario; those of another kind are left out of the table. */
static hf_status measure_shipped(table* t, int index, const options* o, progress* p, hf_error* error) {
    bench b = {.of = t->figures[index], .sets = t->sets};
    hf_status status = bench_stage_open(o, t->names[index], &b.stage, error);
    if (status == HF_OK && b.stage.scenario) {
        status = measure_scenario(&b, p, error);
    } else {
        free(t->names[index]);
        t->names[index] = NULL;
    }
    bench_stage_close(&b.stage);
    return status;
}

int bench_paper(const options* o) {
    table t = {0};
    hf_error error = {.status = HF_ERROR_MEMORY, .message = "out of memory"};
    char* path = data_path("papers/efort-2014-journal.json");
    json_t* papers = path ? json_load_file(path, 0, NULL) : NULL;
    if (!papers) {
        complain("%s: is not there or no JSON", path ? path : "data/papers/efort-2014-journal.json");
        free(path);
        return EXIT_BAD_INPUT;
    }
    t.names = list_shipped("scenarios", ".scenario.json", &t.count);
    t.figures = calloc((size_t)t.count + 1, sizeof *t.figures);
    hf_status status = t.figures ? HF_OK : HF_ERROR_MEMORY;
    progress p = progress_start(o);
    for (int i = 0; i < t.count && status == HF_OK; i++) status = measure_shipped(&t, i, o, &p, &error);
    progress_end(&p);
    int code = status == HF_OK ? EXIT_DONE : fail_with(&error);
    if (p.interrupted || p.timed_out) {
        complain("stopped: %s", progress_stop_text(&p));
        code = EXIT_NO_SOLUTION;
    }
    if (status == HF_OK && o->json)
        say_json(&t, papers);
    else if (status == HF_OK)
        say_text(&t, papers);
    free_names(t.names, t.count);
    free(t.figures);
    json_decref(papers);
    free(path);
    return code;
}
