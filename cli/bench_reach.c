/* holdfast bench reach: times of the reaching roadmap, of hand targets, of ways and of their smoothing, where
   the creature of a reach scenario stands. All are processor times, which other work on the machine hardly
   changes. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DEFAULT_TARGETS = 1000,
    PAIRS = 50, /* of valid postures, for ways */
    MORE = 100  /* rounds of smoothing between two looks at the clock */
};
static const double LONG_S =
    1; /* of the smoothing that the usual one is compared with (reaching-2003 section 8) */
static const int64_t FIRST_DRAW = (int64_t)1 << 40; /* draws that no roadmap has seen */

typedef struct sheet {
    int count;
    double* values;
} sheet;

typedef struct figures {
    bool stopped; /* by the time limit or the user */
    int nodes, shortcuts, targets, reached, pairs, ways;
    double roadmap_s, shortcuts_s;
    double update_s; /* of the roadmap after one object moved; 0: the scenario moves none */
    sheet solve_s, way_s, smooth_s, excess;
} figures;

static double work_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* The value that this share of all is not above. */
static double at_share(sheet* s, double share) {
    if (!s->count) return NAN;
    qsort(s->values, (size_t)s->count, sizeof *s->values, ascending);
    int i = (int)(share * s->count);
    return s->values[i < s->count ? i : s->count - 1];
}

static void add(sheet* s, double value) { s->values[s->count++] = value; }

static bool make_sheets(figures* f, int targets) {
    sheet* sheets[] = {&f->solve_s, &f->way_s, &f->smooth_s, &f->excess};
    bool made = true;
    for (int i = 0; i < 4; i++) {
        sheets[i]->values = calloc((size_t)targets + PAIRS + 1, sizeof(double));
        made = made && sheets[i]->values;
    }
    return made;
}

static void free_sheets(figures* f) {
    free(f->solve_s.values);
    free(f->way_s.values);
    free(f->smooth_s.values);
    free(f->excess.values);
}

/* ---- what is measured ---- */

/* The next valid posture that is drawn. */
static hf_status draw_valid(hf_reacher* r, int64_t* number, double* controls) {
    bool valid = false;
    hf_status status = HF_OK;
    while (!valid && status == HF_OK) {
        bool drawn;
        status = hf_reach_sample(r, (*number)++, controls, &drawn);
        if (status == HF_OK && drawn) status = hf_reach_test(r, controls, &valid);
    }
    return status;
}

/* Targets where the hands of valid postures are: each can be reached. */
static hf_status measure_targets(hf_reacher* r, int count, progress* p, figures* f) {
    int64_t number = FIRST_DRAW;
    hf_status status = HF_OK;
    for (int i = 0; i < count && status == HF_OK && progress_report(p, (double)i / count, "targets"); i++) {
        double controls[HF_CONTROL_COUNT];
        hf_target target;
        bool found = false;
        status = draw_valid(r, &number, controls);
        if (status == HF_OK) status = hf_reach_hand(r, controls, i % 3 ? HF_RIGHT : HF_LEFT, &target);
        double began = work_s();
        if (status == HF_OK) status = hf_reach_solve(r, &target, (uint64_t)i, controls, &found);
        add(&f->solve_s, work_s() - began);
        f->targets++;
        f->reached += found;
    }
    return status;
}

static hf_status measure_way(hf_reacher* r, const double* from, const double* to, int rounds, figures* f) {
    hf_reach_path path;
    bool found = false;
    double began = work_s();
    hf_status status = hf_reach_path_find(r, from, to, &path, &found);
    add(&f->way_s, work_s() - began);
    f->pairs++;
    f->ways += found;
    if (status == HF_OK && found && path.count > 2) {
        began = work_s();
        status = hf_reach_path_smooth(r, &path, rounds);
        add(&f->smooth_s, work_s() - began);
        double length = path.length_m;
        while (status == HF_OK && work_s() - began < LONG_S) status = hf_reach_path_smooth(r, &path, MORE);
        if (status == HF_OK) add(&f->excess, length / path.length_m - 1);
    }
    hf_reach_path_free(&path);
    return status;
}

static hf_status measure_ways(hf_reacher* r, int rounds, progress* p, figures* f) {
    int64_t number = 2 * FIRST_DRAW;
    double a[HF_CONTROL_COUNT], b[HF_CONTROL_COUNT];
    hf_status status = HF_OK;
    for (int i = 0; i < PAIRS && status == HF_OK && progress_report(p, (double)i / PAIRS, "ways"); i++) {
        status = draw_valid(r, &number, a);
        if (status == HF_OK) status = draw_valid(r, &number, b);
        if (status == HF_OK) status = measure_way(r, a, b, rounds, f);
    }
    return status;
}

/* Somebody else puts an object where the scenario's first action of that kind would. */
static hf_status measure_update(hf_reacher* r, const hf_scenario* s, figures* f, hf_error* error) {
    const hf_action* a = s->actions;
    while (a < s->actions + s->action_count && a->kind != HF_ACTION_PLACE) a++;
    if (a == s->actions + s->action_count || !a->has_point) return HF_OK;
    double began = work_s();
    hf_status status = hf_reach_move(r, a->object, (hf_transform){a->point, {1, 0, 0, 0}}, error);
    f->update_s = work_s() - began;
    return status;
}

/* ---- the command ---- */

static void say(const char* name, figures* f, const options* o, json_t* list) {
    double solve = 1e3 * at_share(&f->solve_s, 0.5), solve95 = 1e3 * at_share(&f->solve_s, 0.95),
           way = 1e3 * at_share(&f->way_s, 0.5), smooth = 1e3 * at_share(&f->smooth_s, 0.5),
           excess = at_share(&f->excess, 0.5);
    if (o->json) {
        json_array_append_new(
            list, json_pack("{s:o,s:i,s:i,s:f,s:f,s:i,s:i,s:f,s:f,s:i,s:i,s:f,s:f,s:f,s:f}", "name",
                            json_text(name), "nodes", f->nodes, "shortcuts", f->shortcuts, "roadmap_s",
                            f->roadmap_s, "shortcuts_s", f->shortcuts_s, "targets", f->targets, "reached",
                            f->reached, "solve_ms", solve, "solve_95_ms", solve95, "pairs", f->pairs, "ways",
                            f->ways, "way_ms", way, "smooth_ms", isnan(smooth) ? 0 : smooth, "excess",
                            isnan(excess) ? 0 : excess, "update_s", f->update_s));
        return;
    }
    printf("%s: roadmap of %d postures %.2f s, %d shortcuts %.2f s\n", name, f->nodes, f->roadmap_s,
           f->shortcuts, f->shortcuts_s);
    printf("  hand targets: %d of %d reached, median %.1f ms, 95 %% within %.1f ms\n", f->reached, f->targets,
           solve, solve95);
    printf("  ways: %d of %d found, median %.1f ms; smoothing %.1f ms, %.1f %% longer than after %g s\n",
           f->ways, f->pairs, way, smooth, 100 * excess, LONG_S);
    if (f->update_s > 0)
        printf("  update after one object moved: %.0f ms, %.1f %% of the roadmap's\n", 1e3 * f->update_s,
               100 * f->update_s / (f->roadmap_s + f->shortcuts_s));
}

static hf_status measure(hf_scenario* s, const options* o, const hf_reach_options* wishes, figures* f,
                         hf_error* error) {
    hf_reacher* r;
    bool done;
    hf_reach_result result = {0};
    hf_status status = hf_reach_begin(s, wishes, &r, error);
    if (status != HF_OK) return status;
    progress p = progress_start(o);
    hf_reach_watch(r, progress_report, &p);
    status = hf_reach_continue(r, INFINITY, &done, error);
    if (status == HF_OK) status = measure_targets(r, o->count ? o->count : DEFAULT_TARGETS, &p, f);
    if (status == HF_OK) status = measure_ways(r, wishes->smoothing, &p, f);
    if (status == HF_OK) status = measure_update(r, s, f, error);
    progress_end(&p);
    f->stopped = p.interrupted || p.timed_out;
    hf_status ended = hf_reach_end(r, &result, error);
    f->nodes = result.nodes, f->shortcuts = result.shortcuts;
    f->roadmap_s = result.roadmap_work_s, f->shortcuts_s = result.shortcuts_work_s;
    hf_reach_result_free(&result);
    return status != HF_OK ? status : ended;
}

static int measure_one(const options* o, json_t* list) {
    int code;
    hf_scenario* s = open_scenario(o, "bench reach", HF_SCENARIO_REACH, &code);
    if (!s) return code;
    hf_reach_options wishes;
    figures f = {0};
    hf_error error = {.status = HF_ERROR_MEMORY, .message = "out of memory"};
    code = EXIT_BAD_INPUT;
    if (reach_wishes(o, s, &wishes)) {
        bool made = make_sheets(&f, o->count ? o->count : DEFAULT_TARGETS);
        code = made && measure(s, o, &wishes, &f, &error) == HF_OK ? EXIT_DONE : fail_with(&error);
        if (code == EXIT_DONE && f.stopped) {
            complain("%s: stopped after %d hand targets and %d ways", s->name, f.targets, f.pairs);
            code = EXIT_NO_SOLUTION;
        }
        if (code == EXIT_DONE) say(s->name, &f, o, list);
        free_sheets(&f);
    }
    hf_scenario_free(s);
    return code;
}

int bench_reach(const options* o) {
    options mine = *o;
    char* text = strdup(o->only ? o->only : "kitchen");
    json_t* list = json_array();
    int code = text ? EXIT_DONE : EXIT_INTERNAL;
    for (char *rest = text, *word; code == EXIT_DONE && rest && (word = strsep(&rest, ","));) {
        mine = *o;
        mine.file = word;
        if (word[0]) code = measure_one(&mine, list);
    }
    if (o->json && code == EXIT_DONE) print_json(json_pack("{s:O}", "scenarios", list));
    json_decref(list);
    free(text);
    return code;
}
