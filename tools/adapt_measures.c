/* What edits of a clip cost and keep: identity, style, and the time of small, moved and dragged edits:
   processor time with one thread, or the time that passes with several.
   adapt_measures SCENARIO SCHEDULE OBJECT [SECONDS [THREADS]]: the object is moved, removed, put aside and
   dragged in the first seconds of the schedule (10; 0: all of it), by so many threads (1; 0: all cores). */
#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sizes of the edits, m, and how many edits a drag has. */
static const double SMALL_M = 0.01, ASIDE_M = 0.3, DRAG_M = 0.06;
enum { DRAGS = 60, REPEATS = 5 };

typedef struct world {
    hf_scenario* s;
    hf_schedule* schedule;
    hf_workspace* w;
    hf_adapt_editor* editor;
    hf_schedule* out; /* of the last update */
    hf_adapt_result r;
    int object;
} world;

static clockid_t timer = CLOCK_THREAD_CPUTIME_ID;

static double now_s(void) {
    struct timespec t;
    clock_gettime(timer, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The time of one edit and its update, the least of some; the edit is taken back. */
static double time_edit(world* w, const hf_scene_edit* e, int repeats) {
    double least = INFINITY;
    for (int i = 0; i < repeats; i++) {
        hf_error error = {0};
        bool undone;
        hf_schedule_free(w->out);
        w->out = NULL;
        double begin = now_s();
        if ((e && hf_adapt_editor_edit(w->editor, e, 1, &error) != HF_OK) ||
            hf_adapt_editor_update(w->editor, w->w, &w->out, &w->r) != HF_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        least = fmin(least, now_s() - begin);
        if (e) hf_adapt_editor_undo(w->editor, &undone);
    }
    return least;
}

static hf_scene_edit moved(const world* w, hf_vec3 by) {
    hf_object_view o = hf_scene_object(w->s->scene, w->object);
    hf_scene_edit e = hf_scene_edit_of(o.name);
    e.has_position = true;
    e.position = hf_add(o.start.position, by);
    return e;
}

/* Largest difference of any number of the knots. */
static double difference(const hf_schedule* a, const hf_schedule* b) {
    double most = a->knot_count == b->knot_count ? 0 : INFINITY;
    for (int f = 0; f < a->knot_count && f < b->knot_count; f++) {
        most = fmax(most, hf_distance(a->knots[f].root.position, b->knots[f].root.position));
        most = fmax(most, hf_quat_angle(a->knots[f].root.rotation, b->knots[f].root.rotation));
        for (int i = 0; i < a->q_count; i++) most = fmax(most, fabs(a->knots[f].q[i] - b->knots[f].q[i]));
    }
    return most;
}

/* Is a limb in a phase of this frame that did not stay as it was? */
static bool changed_phase(const world* w, double time_s) {
    for (int i = 0; i < w->r.phase_count; i++) {
        const hf_phase_report* p = &w->r.phases[i];
        if (p->fate != HF_PHASE_KEPT && time_s >= p->from_s && time_s <= p->to_s) return true;
    }
    return false;
}

static double jerk(const hf_schedule* s) {
    double sum = 0;
    for (int f = 0; f + 3 < s->knot_count; f++)
        for (int i = 0; i < s->q_count; i++) {
            double third =
                s->knots[f + 3].q[i] - 3 * s->knots[f + 2].q[i] + 3 * s->knots[f + 1].q[i] - s->knots[f].q[i];
            sum += third * third;
        }
    return sqrt(sum);
}

/* Mean distance of joint values outside changed phases, over the joints of those frames, and the root mean
   square of the jerk over the opened motion's. Motions that took longer are not compared. */
static void tell_style(const world* w) {
    const hf_schedule *a = w->schedule, *b = w->out;
    if (a->knot_count != b->knot_count) {
        printf("  style: %d frames became %d, not compared\n", a->knot_count, b->knot_count);
        return;
    }
    double sum = 0, most = 0;
    int frames = 0;
    for (int f = 0; f < a->knot_count; f++) {
        if (changed_phase(w, a->knots[f].time_s)) continue;
        frames++;
        for (int i = 0; i < a->q_count; i++) {
            double d = fabs(a->knots[f].q[i] - b->knots[f].q[i]);
            sum += d / a->q_count, most = fmax(most, d);
        }
    }
    printf(
        "  style: %.3f degrees mean, %.1f most over %d frames outside changed phases (goal 3); jerk x %.2f "
        "(goal 1.5)\n",
        frames ? sum / frames * 180 / 3.14159265358979 : 0, most * 180 / 3.14159265358979, frames,
        jerk(b) / jerk(a));
}

static void tell(const world* w, const char* name, double took, double goal_s) {
    printf("%-28s %7.1f ms (goal %.0f)%s, level %d, %s, %d frames changed\n", name, 1e3 * took, 1e3 * goal_s,
           took <= goal_s ? "" : " MISSED", w->r.level, hf_outcome_text(w->r.outcome), w->r.touched);
}

/* Sixty edits one after the other, as a mouse gives them in a second. */
static void drag(world* w) {
    double sum = 0, worst = 0;
    int found = 0;
    for (int i = 1; i <= DRAGS; i++) {
        hf_scene_edit e = moved(w, hf_v3(0, 0, DRAG_M * i / DRAGS));
        double took = time_edit(w, &e, 1);
        sum += took, worst = fmax(worst, took), found += w->r.outcome == HF_FOUND;
    }
    printf("%-28s %7.1f ms mean, %.1f most (goal %.1f)%s, %d of %d found\n", "dragged, each edit",
           1e3 * sum / DRAGS, 1e3 * worst, 1e3 / DRAGS, sum / DRAGS <= 1.0 / DRAGS ? "" : " MISSED", found,
           DRAGS);
}

int main(int argc, char** argv) {
    hf_error error = {0};
    char text[1200];
    world w = {0};
    double seconds = argc > 4 ? atof(argv[4]) : 10;
    hf_adapt_options options = hf_adapt_options_default();
    options.threads = argc > 5 ? atoi(argv[5]) : 1;
    if (options.threads != 1) timer = CLOCK_MONOTONIC;
    if (argc < 4 || hf_scenario_load(argv[1], NULL, &w.s, &error) != HF_OK ||
        hf_schedule_load(argv[2], w.s->creature, w.s->scene, &w.schedule, &error) != HF_OK ||
        hf_workspace_create(&w.w) != HF_OK) {
        fprintf(stderr, "%s\n",
                argc < 4 ? "usage: adapt_measures SCENARIO SCHEDULE OBJECT [SECONDS [THREADS]]"
                         : hf_error_text(&error, text, sizeof text));
        return 2;
    }
    w.object = hf_scene_find(w.s->scene, argv[3]);
    int frames = (int)(seconds * w.schedule->rate);
    if (frames > 0 && frames < w.schedule->knot_count) hf_schedule_cut(w.schedule, frames);
    if (w.object < 0) {
        fprintf(stderr, "the scene has no object %s\n", argv[3]);
        return 2;
    }
    double begin = now_s();
    if (hf_adapt_editor_create(w.s->creature, w.s->scene, w.schedule, &options, w.w, &w.editor, &error) !=
        HF_OK) {
        fprintf(stderr, "%s\n", hf_error_text(&error, text, sizeof text));
        return 2;
    }
    printf("%s: %d frames, opened in %.0f ms\n", argv[2], w.schedule->knot_count, 1e3 * (now_s() - begin));
    time_edit(&w, NULL, 1);
    printf("no edit: differs by %.1e (goal 1e-6)\n", difference(w.schedule, w.out));
    hf_scene_edit small = moved(&w, hf_v3(0, 0, SMALL_M)), aside = moved(&w, hf_v3(0, ASIDE_M, 0)),
                  gone = hf_scene_edit_of(argv[3]);
    gone.remove = true;
    tell(&w, "object 1 cm up", time_edit(&w, &small, REPEATS), 0.016);
    tell_style(&w);
    tell(&w, "object 30 cm aside", time_edit(&w, &aside, REPEATS), 0.1);
    tell_style(&w);
    tell(&w, "object removed", time_edit(&w, &gone, 2), 0.1);
    tell_style(&w);
    drag(&w);
    hf_adapt_result_free(&w.r);
    hf_schedule_free(w.out);
    hf_adapt_editor_free(w.editor);
    hf_workspace_free(w.w);
    hf_schedule_free(w.schedule);
    hf_scenario_free(w.s);
    return 0;
}
