/* Random edits of a clip: how many motions are valid by level 1 alone and by all levels, what updates cost,
   and whether every answer is honest: a motion said to be found has no fault, and the check agrees; any other
   one names the frames that are not valid. Says how much memory is in use after half of the edits and after
   all.
   adapt_soak SCENARIO SCHEDULE [EDITS [SEED [LARGEST_M]]] */
#include <holdfast/holdfast.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t state;
static double unit(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

typedef struct tally {
    int found, partial, wrong, levels[4];
    double time_s, worst_s;
} tally;

static int update(hf_adapt_editor* e, const hf_creature* c, hf_workspace* w, hf_adapt_result* r, tally* t) {
    hf_schedule* schedule = NULL;
    double begin = now_s();
    if (hf_adapt_editor_update(e, w, &schedule, r) != HF_OK) return -1;
    double took = now_s() - begin;
    t->time_s += took;
    if (took > t->worst_s) t->worst_s = took;
    t->levels[r->level]++;
    t->found += r->outcome == HF_FOUND;
    t->partial += r->outcome != HF_FOUND;
    if (r->outcome != HF_FOUND && r->realised.fault_count == 0) {
        t->wrong++;
        printf("not found, and no frame is named\n");
    }
    hf_motion* motion = NULL;
    hf_realise_result whole = {0};
    hf_realise_options o = hf_realise_options_default();
    int fine = hf_realise(c, hf_adapt_editor_scene(e), schedule, &o, w, &motion, &whole) == HF_OK;
    hf_check_report report = {0};
    if (fine && r->outcome == HF_FOUND &&
        hf_check_motion(motion, c, hf_adapt_editor_scene(e), 1, NULL, NULL, &report, NULL) == HF_OK &&
        !report.valid) {
        t->wrong++;
        printf("said to be found, and the check says no: %s\n",
               report.problem_count ? report.problems[0].what : "");
    }
    hf_check_report_free(&report);
    hf_realise_result_free(&whole);
    hf_motion_free(motion);
    hf_schedule_free(schedule);
    return fine ? 0 : -1;
}

static void tell(const char* name, const tally* t, int n) {
    printf("%-10s %4d edits: %4d valid, %4d with faults that are named, %d wrong; levels %d %d %d %d; %.0f "
           "ms mean, %.0f ms most\n",
           name, n, t->found, t->partial, t->wrong, t->levels[0], t->levels[1], t->levels[2], t->levels[3],
           1e3 * t->time_s / n, 1e3 * t->worst_s);
}

int main(int argc, char** argv) {
    hf_error error = {0};
    char text[1200];
    hf_scenario* s = NULL;
    hf_schedule* schedule = NULL;
    hf_workspace* w = NULL;
    hf_adapt_editor* editors[2] = {0};
    int n = argc > 3 ? atoi(argv[3]) : 100;
    state = argc > 4 ? (uint64_t)atoll(argv[4]) : 1;
    double most = argc > 5 ? atof(argv[5]) : 0.3;
    if (argc < 3 || hf_scenario_load(argv[1], NULL, &s, &error) != HF_OK ||
        hf_schedule_load(argv[2], s->creature, s->scene, &schedule, &error) != HF_OK ||
        hf_workspace_create(&w) != HF_OK) {
        fprintf(stderr, "%s\n",
                argc < 3 ? "usage: adapt_soak SCENARIO SCHEDULE [EDITS [SEED [LARGEST_M]]]"
                         : hf_error_text(&error, text, sizeof text));
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        hf_adapt_options o = hf_adapt_options_default();
        o.level = i ? 3 : 1;
        if (hf_adapt_editor_create(s->creature, s->scene, schedule, &o, w, &editors[i], &error) != HF_OK)
            return 2;
    }
    hf_adapt_result r = {0};
    tally t[2] = {{0}};
    size_t half = 0;
    for (int k = 0; k < n; k++) {
        int object = (int)(unit() * hf_scene_object_count(s->scene));
        hf_object_view o = hf_scene_object(s->scene, object);
        hf_scene_edit e = hf_scene_edit_of(o.name);
        double kind = unit();
        if (kind < 0.1)
            e.remove = true;
        else if (kind < 0.2)
            e.scale = 0.8 + 0.4 * unit();
        else {
            double size = most * unit(), x = 2 * unit() - 1, y = 2 * unit() - 1, z = 2 * unit() - 1;
            e.has_position = true;
            e.position = hf_add(o.start.position, hf_scale(hf_normalize(hf_v3(x, y, z)), size));
        }
        for (int i = 0; i < 2; i++) {
            bool undone;
            if (hf_adapt_editor_edit(editors[i], &e, 1, &error) != HF_OK ||
                update(editors[i], s->creature, w, &r, &t[i]) != 0)
                return 1;
            hf_adapt_editor_undo(editors[i], &undone);
        }
        if (getenv("HF_SOAK_TELL"))
            printf("%d %s %s\n", k, o.name, hf_outcome_text(r.outcome)), fflush(stdout);
        if (k + 1 == (n + 1) / 2) half = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    printf("memory     %.1f MB in use after half of the edits, %.1f MB after all\n", 1e-6 * (double)half,
           1e-6 * (double)(mallinfo2().uordblks + mallinfo2().hblkhd));
    tell("level 1", &t[0], n);
    tell("all levels", &t[1], n);
    hf_adapt_result_free(&r);
    for (int i = 0; i < 2; i++) hf_adapt_editor_free(editors[i]);
    hf_workspace_free(w);
    hf_schedule_free(schedule);
    hf_scenario_free(s);
    return t[1].wrong > 0;
}
