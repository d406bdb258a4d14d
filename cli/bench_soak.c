/* holdfast bench soak: every plan scenario from many seeds, one run at a time and nothing kept between runs;
   each motion that comes back as found is judged by the check module and must be valid. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SEEDS = 100 };
static const double DEFAULT_LIMIT_S = 10, LEAST_FOUND = 0.95;

/* One plan. */
typedef struct trial {
    uint64_t seed;
    hf_outcome outcome;
    hf_plan_why why;
    bool valid; /* by the check; of found ones alone */
    bool late;  /* ended by the time limit */
    int stances, frames;
    double model_s, online_s, contact_s, motion_s, reached;
    char where[600]; /* of a failure, or what the check says against the motion */
} trial;

typedef struct soak {
    const options* o;
    hf_scenario* scenario;
    int count;
    trial* trials;
} soak;

/* ---- one run ---- */

static hf_status judge(const soak* k, const hf_plan_result* r, trial* t, hf_error* error) {
    hf_check_report report;
    const hf_scenario* s = k->scenario;
    hf_status status =
        hf_check_scenario(r->motion, s->creature, s, k->o->threads, NULL, NULL, &report, error);
    if (status != HF_OK) return status;
    // a plan that walks claims balance in motion alone
    unsigned claims = r->motion->claims | HF_CLAIM_BALANCE;
    t->valid = report.valid && claims == (HF_CLAIM_ALL | HF_CLAIM_DYNAMIC);
    if (!t->valid && report.problem_count)
        snprintf(t->where, sizeof t->where, "frame %d: %.170s", report.problems[0].frame,
                 report.problems[0].what);
    hf_check_report_free(&report);
    return HF_OK;
}

/* With --output every motion is kept for a closer look. */
static hf_status keep(const soak* k, const hf_plan_result* r, const trial* t, hf_error* error) {
    const hf_scenario* s = k->scenario;
    char* path = make_text("%s/%s-%llu.motion.json", k->o->output, s->name, (unsigned long long)t->seed);
    loaded_motion m = {.motion = r->motion, .creature = s->creature, .scene = s->scene};
    free(r->motion->scenario);
    r->motion->scenario = make_text("%s", s->path);
    *error = (hf_error){0};
    hf_status status = path && r->motion->scenario ? save_motion(&m, path, k->o, error) : HF_ERROR_MEMORY;
    free(path);
    return keep_kind(error, status);
}

/* Sample sets, guide and contacts, all made anew, under one time limit. */
static hf_status run_once(const soak* k, trial* t, progress* p, hf_error* error) {
    const hf_scenario* s = k->scenario;
    hf_plan_options wishes;
    options plain = *k->o;
    plain.count = 0; // of seeds, here
    *error = (hf_error){0};
    if (!plan_wishes(&plain, s, &wishes)) return already_told(error, HF_ERROR_ARGUMENT);
    wishes.seed = t->seed;
    hf_plan_model* model = NULL;
    hf_plan_result r = {0};
    hf_plan_query query = {.start = &s->start, .goal = &s->goal};
    double begin = now_s();
    hf_status status = hf_plan_model_create(s->creature, &wishes, &model, error);
    t->model_s = now_s() - begin;
    if (status == HF_OK)
        status = hf_plan_find(model, s->scene, &query, &wishes, progress_report, p, &r, error);
    if (status == HF_OK) {
        t->outcome = r.outcome, t->why = r.why, t->stances = r.stances, t->reached = r.reached;
        t->online_s = r.guide_s + r.contact_s, t->contact_s = r.contact_s;
        t->frames = r.motion ? r.motion->frame_count : 0;
        t->motion_s = t->frames ? r.motion->frames[t->frames - 1].time_s : 0;
        snprintf(t->where, sizeof t->where, "%s", r.where);
        t->late = t->outcome != HF_FOUND && p->timed_out;
        if (t->outcome == HF_FOUND) status = judge(k, &r, t, error);
        if (status == HF_OK && k->o->output && r.motion) status = keep(k, &r, t, error);
    }
    hf_plan_result_free(&r);
    hf_plan_model_free(model);
    return status;
}

/* ---- figures ---- */

typedef struct quartiles {
    double low, middle, high;
} quartiles;

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static quartiles quartiles_of(double* values, int count) {
    if (!count) return (quartiles){NAN, NAN, NAN};
    qsort(values, (size_t)count, sizeof *values, ascending);
    return (quartiles){values[count / 4], values[count / 2], values[count * 3 / 4]};
}

static double online_of(const trial* t) { return t->online_s; }
static double offline_of(const trial* t) { return t->model_s; }
static double stance_time_of(const trial* t) { return t->contact_s / (t->stances > 0 ? t->stances : 1); }
static double stances_of(const trial* t) { return t->stances; }
static double motion_of(const trial* t) { return t->motion_s; }

typedef struct summary {
    int count, found, valid;
    quartiles online_s, offline_s, stance_s, stances, motion_s; /* of what was found; offline: of all */
} summary;

static quartiles over(const soak* k, bool found_only, double* values, double (*of)(const trial*)) {
    int n = 0;
    for (int i = 0; i < k->count; i++)
        if (!found_only || k->trials[i].outcome == HF_FOUND) values[n++] = of(&k->trials[i]);
    return quartiles_of(values, n);
}

static bool sum_up(const soak* k, summary* s) {
    double* values = calloc((size_t)k->count + 1, sizeof *values);
    if (!values) return false;
    *s = (summary){.count = k->count};
    for (int i = 0; i < k->count; i++) {
        s->found += k->trials[i].outcome == HF_FOUND;
        s->valid += k->trials[i].valid;
    }
    s->online_s = over(k, true, values, online_of);
    s->offline_s = over(k, false, values, offline_of);
    s->stance_s = over(k, true, values, stance_time_of);
    s->stances = over(k, true, values, stances_of);
    s->motion_s = over(k, true, values, motion_of);
    free(values);
    return true;
}

static bool good(const summary* s) { return s->valid == s->found && s->found >= LEAST_FOUND * s->count; }

/* ---- what is said ---- */

static void say_head(void) {
    printf("%-18s %6s %8s %8s  %-22s %-22s %-14s %s\n", "scenario", "seeds", "found", "valid",
           "online ms (quartiles)", "per stance ms", "stances", "offline ms");
}

static void say_row(const char* name, const summary* s) {
    printf("%-18s %6d %6.1f %%", name, s->count, 100.0 * s->found / s->count);
    if (!s->found) {
        printf(" %8s  %s\n", "-", "none found");
        return;
    }
    char online[64], stance[64], stances[64];
    snprintf(online, sizeof online, "%.0f (%.0f-%.0f)", s->online_s.middle * 1e3, s->online_s.low * 1e3,
             s->online_s.high * 1e3);
    snprintf(stance, sizeof stance, "%.1f (%.1f-%.1f)", s->stance_s.middle * 1e3, s->stance_s.low * 1e3,
             s->stance_s.high * 1e3);
    snprintf(stances, sizeof stances, "%.0f (%.0f-%.0f)", s->stances.middle, s->stances.low, s->stances.high);
    printf(" %6.1f %%  %-22s %-22s %-14s %.0f\n", 100.0 * s->valid / s->found, online, stance, stances,
           s->offline_s.middle * 1e3);
}

static const char* why_text(const trial* t) {
    return t->late ? "the time limit was reached" : hf_plan_why_text(t->why);
}

/* Every run that did not end well. */
static void say_failures(const soak* k) {
    for (int i = 0; i < k->count; i++) {
        const trial* t = &k->trials[i];
        if (t->valid) continue;
        printf("  seed %llu: %s: %s%s%s\n", (unsigned long long)t->seed,
               t->outcome == HF_FOUND ? "NOT VALID" : hf_outcome_text(t->outcome),
               t->outcome == HF_FOUND ? "" : why_text(t), t->where[0] && t->outcome != HF_FOUND ? "; " : "",
               t->where);
    }
}

static json_t* quartiles_json(quartiles q, double unit) {
    return isnan(q.middle) ? json_null() : json_pack("[f,f,f]", q.low * unit, q.middle * unit, q.high * unit);
}

static json_t* soak_json(const soak* k, const summary* s) {
    json_t* failures = json_array();
    for (int i = 0; i < k->count; i++) {
        const trial* t = &k->trials[i];
        if (t->valid) continue;
        json_array_append_new(
            failures, json_pack("{s:I,s:s,s:s,s:o,s:f}", "seed", (json_int_t)t->seed, "outcome",
                                t->outcome == HF_FOUND ? "invalid" : hf_outcome_text(t->outcome), "why",
                                why_text(t), "where", json_text(t->where), "reached", t->reached));
    }
    return json_pack("{s:o,s:i,s:i,s:i,s:b,s:o,s:o,s:o,s:o,s:o,s:o}", "name", json_text(k->scenario->name),
                     "seeds", s->count, "found", s->found, "valid", s->valid, "good", good(s), "online_ms",
                     quartiles_json(s->online_s, 1e3), "per_stance_ms", quartiles_json(s->stance_s, 1e3),
                     "stances", quartiles_json(s->stances, 1), "motion_s", quartiles_json(s->motion_s, 1),
                     "offline_ms", quartiles_json(s->offline_s, 1e3), "failures", failures);
}

/* ---- the command ---- */

/* All seeds of one scenario. False after a complaint, with the exit code. */
static bool run_scenario(soak* k, bool* stopped, int* code) {
    uint64_t first = k->o->seed >= 0 ? (uint64_t)k->o->seed : 1;
    k->trials = calloc((size_t)k->count, sizeof *k->trials);
    hf_error error = {.status = HF_ERROR_MEMORY, .message = "out of memory"};
    hf_status status = k->trials ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < k->count && status == HF_OK && !*stopped; i++) {
        progress p = progress_start(k->o);
        p.started = now_s(); // each plan has the whole limit
        k->trials[i].seed = first + (uint64_t)i;
        status = run_once(k, &k->trials[i], &p, &error);
        progress_end(&p);
        *stopped = p.interrupted;
        if (*stopped) k->count = i; // the interrupted one does not count
    }
    if (status != HF_OK) *code = fail_with(&error);
    return status == HF_OK;
}

/* A plan scenario by name or path. Among all that ship those of other kinds are passed over: NULL with
   EXIT_DONE. */
static hf_scenario* open_one(const options* o, const char* name, int* code) {
    options mine = *o;
    mine.file = name;
    if (o->only) return open_scenario(&mine, "bench soak", HF_SCENARIO_PLAN, code);
    hf_load_options load = load_options(o);
    hf_scenario* s = NULL;
    hf_error error;
    char* path = find_file(name);
    *code = EXIT_BAD_INPUT;
    if (path) {
        hf_status status = hf_scenario_load(path, &load, &s, &error);
        if (status == HF_OK) status = stand_scenario(o, s, &error);
        *code = status == HF_OK ? EXIT_DONE : fail_with(&error);
        if (status != HF_OK) hf_scenario_free(s), s = NULL;
    }
    free(path);
    if (!s || s->kind == HF_SCENARIO_PLAN) return s;
    hf_scenario_free(s);
    return NULL;
}

static bool soak_one(const options* o, const char* name, json_t* list, bool* all_good, bool* stopped,
                     int* code) {
    hf_scenario* s = open_one(o, name, code);
    if (!s) return *code == EXIT_DONE;
    soak k = {.o = o, .scenario = s, .count = o->count ? o->count : DEFAULT_SEEDS};
    summary sum;
    bool fine = run_scenario(&k, stopped, code);
    if (fine && k.count > 0) {
        fine = sum_up(&k, &sum);
        if (!fine) *code = EXIT_INTERNAL;
    }
    if (fine && k.count > 0) {
        *all_good = *all_good && good(&sum);
        if (o->json)
            json_array_append_new(list, soak_json(&k, &sum));
        else {
            say_row(s->name, &sum);
            say_failures(&k);
            fflush(stdout);
        }
    }
    free(k.trials);
    hf_scenario_free(s);
    return fine;
}

/* The names of --only, or all that ship. */
static char** names_of(const options* o, int* count) {
    if (!o->only) return list_shipped("scenarios", ".scenario.json", count);
    char** names = calloc(strlen(o->only) / 2 + 2, sizeof *names);
    char* text = strdup(o->only);
    *count = 0;
    for (char *rest = text, *word; names && rest && (word = strsep(&rest, ","));)
        if (word[0]) names[(*count)++] = strdup(word);
    free(text);
    return names;
}

int bench_soak(const options* o) {
    options mine = *o;
    limit_end(); // it is that of each plan
    if (!mine.threads) mine.threads = 2;
    if (mine.time_limit_s <= 0) mine.time_limit_s = DEFAULT_LIMIT_S;
    if (o->output && !make_folder(o->output)) return EXIT_BAD_INPUT;
    int count = 0, code = EXIT_DONE;
    bool all_good = true, stopped = false, fine = true;
    char** names = names_of(o, &count);
    json_t* list = json_array();
    if (!o->json) say_head();
    for (int i = 0; i < count && fine && !stopped; i++)
        fine = soak_one(&mine, names[i], list, &all_good, &stopped, &code);
    if (fine && o->json)
        print_json(json_pack("{s:i,s:f,s:O}", "threads", mine.threads, "time_limit_s", mine.time_limit_s,
                             "scenarios", list));
    json_decref(list);
    free_names(names, count);
    if (!fine) return code;
    if (stopped) complain("stopped before the end");
    return all_good && !stopped ? EXIT_DONE : EXIT_NO_SOLUTION;
}
