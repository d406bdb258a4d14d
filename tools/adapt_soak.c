/* Random edits of a clip, one after the other in one editor: how many motions are valid, what updates cost,
   and whether every answer is honest: a motion said to be found has no fault, and the check agrees; any other
   one names the frames that are not valid. The first edits are made once more at the end: then the editor has
   all that it keeps (sample sets, ways of the root), and memory in use must not grow.
   adapt_soak SCENARIO SCHEDULE [EDITS [SEED [LARGEST_M [tell]]]] */
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

/* Edits made again at the end, and by how much memory in use may have grown then, bytes: arrays of an answer
   may still get longer. */
enum { AGAIN = 5, SLACK = 4096 };
/* Faults of an edit that are told. */
enum { TOLD = 40 };

typedef struct soak {
    hf_scenario* s;
    hf_schedule* schedule;
    hf_workspace* w;
    hf_adapt_editor* editor;
    hf_adapt_result r;
    double largest_m;
    bool tells; /* of each edit */
    int found, partial, wrong, levels[4];
    double time_s, worst_s;
} soak;

static size_t memory(void) {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static hf_scene_edit draw(const soak* k) {
    hf_object_view o = hf_scene_object(k->s->scene, (int)(unit() * hf_scene_object_count(k->s->scene)));
    hf_scene_edit e = hf_scene_edit_of(o.name);
    double kind = unit();
    if (kind < 0.1)
        e.remove = true;
    else if (kind < 0.2)
        e.scale = 0.8 + 0.4 * unit();
    else {
        double size = k->largest_m * unit(), x = 2 * unit() - 1, y = 2 * unit() - 1, z = 2 * unit() - 1;
        e.has_position = true;
        e.position = hf_add(o.start.position, hf_scale(hf_normalize(hf_v3(x, y, z)), size));
    }
    return e;
}

/* The whole motion, realised and judged. */
static bool judge(soak* k, const hf_schedule* schedule, int edit) {
    hf_motion* motion = NULL;
    hf_realise_result whole = {0};
    hf_realise_options o = hf_realise_options_default();
    hf_check_report report = {0};
    const hf_scene* scene = hf_adapt_editor_scene(k->editor);
    o.test = false;
    bool fine = hf_realise(k->s->creature, scene, schedule, &o, k->w, &motion, &whole) == HF_OK &&
                hf_check_motion(motion, k->s->creature, scene, 1, NULL, NULL, &report, NULL) == HF_OK;
    if (fine && !report.valid) {
        k->wrong++;
        printf("edit %d said to be found, and the check says no: %s\n", edit,
               report.problem_count ? report.problems[0].what : "");
    }
    hf_check_report_free(&report);
    hf_realise_result_free(&whole);
    hf_motion_free(motion);
    return fine;
}

/* One line about an edit, and one for each of its first faults. */
static void tell(const soak* k, int edit, const hf_scene_edit* e, double took_s) {
    printf("%d %s%s", edit, e->object, e->remove ? " removed" : "");
    if (e->has_position) printf(" to %.3f %.3f %.3f", e->position.x, e->position.y, e->position.z);
    if (e->scale != 1) printf(" scaled by %.3f", e->scale);
    printf(": %s, level %d, %.0f ms\n", hf_outcome_text(k->r.outcome), k->r.level, 1e3 * took_s);
    for (int i = 0; i < k->r.realised.fault_count && i < TOLD; i++) {
        const hf_frame_fault* f = &k->r.realised.faults[i];
        printf("    frame %d %s: limb %d, bodies %d and %d\n", f->frame, hf_frame_fault_text(f->kind),
               f->limb, f->kind == HF_FAULT_COLLIDES ? f->collision.body : -1,
               f->kind == HF_FAULT_COLLIDES ? f->collision.other_body : -1);
    }
    fflush(stdout);
}

/* One edit, updated, judged where it is said to be found, and taken back. */
static bool try_edit(soak* k, int edit, bool count) {
    hf_error error = {0};
    hf_schedule* schedule = NULL;
    hf_scene_edit e = draw(k);
    bool undone, fine = hf_adapt_editor_edit(k->editor, &e, 1, &error) == HF_OK;
    double begin = now_s();
    fine = fine && hf_adapt_editor_update(k->editor, k->w, &schedule, &k->r) == HF_OK;
    double took = now_s() - begin;
    if (fine && k->r.outcome == HF_FOUND) fine = judge(k, schedule, edit);
    if (fine && k->r.outcome != HF_FOUND && k->r.realised.fault_count == 0) {
        k->wrong++;
        printf("edit %d is not found, and no frame is named\n", edit);
    }
    if (fine && k->tells) tell(k, edit, &e, took);
    if (count) {
        k->time_s += took;
        if (took > k->worst_s) k->worst_s = took;
        k->levels[k->r.level]++;
        k->found += k->r.outcome == HF_FOUND;
        k->partial += k->r.outcome != HF_FOUND;
    }
    hf_schedule_free(schedule);
    hf_adapt_editor_undo(k->editor, &undone);
    return fine;
}

int main(int argc, char** argv) {
    hf_error error = {0};
    char text[1200];
    soak k = {.largest_m = argc > 5 ? atof(argv[5]) : 0.3, .tells = argc > 6 && strcmp(argv[6], "tell") == 0};
    int n = argc > 3 ? atoi(argv[3]) : 100;
    uint64_t seed = argc > 4 ? (uint64_t)atoll(argv[4]) : 1;
    if (argc < 3 || n < 1 || hf_scenario_load(argv[1], NULL, &k.s, &error) != HF_OK ||
        hf_schedule_load(argv[2], k.s->creature, k.s->scene, &k.schedule, &error) != HF_OK ||
        hf_workspace_create(&k.w) != HF_OK ||
        hf_adapt_editor_create(k.s->creature, k.s->scene, k.schedule, NULL, k.w, &k.editor, &error) !=
            HF_OK) {
        fprintf(stderr, "%s\n",
                argc < 3 || n < 1 ? "usage: adapt_soak SCENARIO SCHEDULE [EDITS [SEED [LARGEST_M [tell]]]]"
                                  : hf_error_text(&error, text, sizeof text));
        return 2;
    }
    state = seed;
    for (int i = 0; i < n; i++)
        if (!try_edit(&k, i, true)) return 1;
    size_t before = memory();
    state = seed;
    for (int i = 0; i < n && i < AGAIN; i++)
        if (!try_edit(&k, i, false)) return 1;
    double grown = (double)memory() - (double)before;
    printf("memory %.1f MB in use, %.0f bytes more after the first edits were made again\n",
           1e-6 * (double)before, grown);
    printf(
        "%4d edits: %4d valid, %4d with faults that are named, %d wrong; levels %d %d %d %d; %.0f ms mean, "
        "%.0f ms most\n",
        n, k.found, k.partial, k.wrong, k.levels[0], k.levels[1], k.levels[2], k.levels[3],
        1e3 * k.time_s / n, 1e3 * k.worst_s);
    hf_adapt_result_free(&k.r);
    hf_adapt_editor_free(k.editor);
    hf_workspace_free(k.w);
    hf_schedule_free(k.schedule);
    hf_scenario_free(k.s);
    return k.wrong > 0 || grown > SLACK;
}
