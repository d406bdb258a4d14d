/* holdfast render: a picture of anything. Everything but a bare scene and the timeline of a schedule is drawn
   as a motion. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hf_status scenario_still(const char* path, const options* o, loaded_motion* m, hf_vec3* task,
                                hf_error* error) {
    hf_load_options l = load_options(o);
    hf_status status = hf_scenario_load(path, &l, &m->scenario, error);
    if (status != HF_OK) return status;
    hf_scenario* s = m->scenario;
    warn_scenario(o, s);
    status = stand_scenario(o, s, error);
    if (status != HF_OK) return status;
    m->scene = s->scene;
    m->creature = s->creature;
    s->creature = NULL; /* owned by m from here on */
    if (s->task_count && !o->task) *task = s->tasks[0].direction;
    return make_still(m, &s->start.pose, error);
}

static hf_status draw_scene(const char* path, const options* o, progress* p, hf_error* error) {
    hf_picture_options wishes;
    picture_options(o, &wishes);
    hf_scene* scene = NULL;
    hf_placement* placement = NULL;
    hf_picture picture = {0};
    hf_status status = hf_scene_load_mesh(path, &scene, NULL, error);
    if (status == HF_OK && (status = hf_placement_create(scene, &placement)) != HF_OK)
        set_error(error, status);
    hf_picture_moment moment = {.placement = placement};
    if (status == HF_OK) status = hf_render(&moment, 1, &wishes, progress_report, p, &picture, error);
    if (status == HF_OK) status = hf_picture_save(&picture, o->output, error);
    hf_picture_free(&picture);
    hf_placement_free(placement);
    hf_scene_free(scene);
    return status;
}

static hf_status draw_timeline(const char* path, const options* o, hf_error* error) {
    hf_picture_options wishes;
    picture_options(o, &wishes);
    if (!o->size) wishes.height = 0;
    loaded_schedule s;
    hf_picture picture = {0};
    hf_status status = load_schedule(path, o, &s, error);
    if (status == HF_OK)
        status = hf_render_timeline(s.schedule, s.creature, s.scene, &wishes, &picture, error);
    if (status == HF_OK) status = hf_picture_save(&picture, o->output, error);
    hf_picture_free(&picture);
    free_schedule(&s);
    return status;
}

/* The name of a motion file without folder and ending. */
static void plot_label(const char* path, char* out, size_t size) {
    const char* slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char* ending = strstr(out, ".motion.json");
    if (ending) *ending = 0;
}

/* One motion of a plot, loaded and judged; a motion that cannot be judged is plotted without forces. */
typedef struct plotted {
    loaded_motion m;
    hf_dynamic_report dynamic;
    char label[200];
} plotted;

static hf_status load_plotted(const char* path, const options* o, progress* p, plotted* out,
                              hf_plot_motion* to, hf_error* error) {
    hf_status status = load_motion(path, o, &out->m, error);
    if (status == HF_OK) status = fits(&out->m, path, error);
    if (status == HF_OK) {
        plot_label(path, out->label, sizeof out->label);
        status = hf_check_dynamic(out->m.motion, out->m.creature, out->m.scene, o->threads, progress_report,
                                  p, &out->dynamic, error);
    }
    if (status != HF_OK && !error->file[0]) snprintf(error->file, sizeof error->file, "%s", path);
    bool judged = status == HF_OK && out->dynamic.outcome == HF_FOUND;
    if (status == HF_OK && !judged) note(o, "stopped before forces were judged: they are not plotted");
    *to = (hf_plot_motion){out->m.motion, out->m.creature, judged ? &out->dynamic : NULL, out->label};
    return status;
}

/* Plots over time of a motion and, with --with, of a second one. */
static hf_status draw_plot(const char* path, const options* o, progress* p, hf_error* error) {
    hf_picture_options wishes;
    picture_options(o, &wishes);
    if (!o->size) wishes.height = 0;
    plotted loaded[2] = {0};
    hf_plot_motion motions[2];
    hf_picture picture = {0};
    char* second = o->with ? find_file(o->with) : NULL;
    if (o->with && !second) return already_told(error, HF_ERROR_FILE);
    hf_status status = load_plotted(path, o, p, &loaded[0], &motions[0], error);
    if (status == HF_OK && second) status = load_plotted(second, o, p, &loaded[1], &motions[1], error);
    if (status == HF_OK) status = hf_render_plot(motions, second ? 2 : 1, &wishes, &picture, error);
    if (status == HF_OK) status = hf_picture_save(&picture, o->output, error);
    hf_picture_free(&picture);
    for (int i = 0; i < 2; i++) {
        hf_dynamic_report_free(&loaded[i].dynamic);
        free_motion(&loaded[i].m);
    }
    free(second);
    return status;
}

/* The postures of a creature one after the other, then the poses in which it changes between them. */
static hf_status load_postures(const char* path, const options* o, loaded_motion* m, hf_error* error) {
    hf_load_options l = load_options(o);
    hf_postures* all = NULL;
    hf_posture_options wishes = hf_posture_options_default();
    wishes.threads = o->threads;
    hf_status status = hf_creature_load(path, &l, &m->creature, error);
    if (status == HF_OK) warn_all(o, hf_creature_get(m->creature)->warnings);
    if (status == HF_OK) status = hf_creature_postures(m->creature, &wishes, &all, error);
    if (status == HF_OK && (status = hf_motion_create(m->creature, NULL, &m->motion)) != HF_OK)
        set_error(error, status);
    int count = status == HF_OK ? all->count + all->change_count : 0;
    for (int i = 0; i < count && status == HF_OK; i++) {
        const hf_posture* p = i < all->count ? &all->items[i] : &all->changes[i - all->count].at;
        if (!hf_motion_add(m->motion, i, &p->pose)) set_error(error, status = HF_ERROR_MEMORY);
    }
    hf_postures_free(all);
    return status;
}

static hf_status draw(const char* path, const options* o, progress* p, hf_error* error) {
    loaded_motion m = {0};
    hf_vec3 task = {0, 0, 0};
    hf_status status = HF_OK;
    if (o->plot) return draw_plot(path, o, p, error);
    switch (o->clip ? FILE_CLIP : kind_of(path)) {
    case FILE_SCENE:
        return draw_scene(path, o, p, error);
    case FILE_SCHEDULE:
        return draw_timeline(path, o, error);
    case FILE_CREATURE:
        status = o->strip ? load_postures(path, o, &m, error) : load_rest(path, o, &m, error);
        break;
    case FILE_SCENARIO:
        status = scenario_still(path, o, &m, &task, error);
        break;
    case FILE_CLIP:
        status = load_clip(path, o, &m, error);
        break;
    case FILE_MOTION:
        status = load_motion(path, o, &m, error);
        if (status == HF_OK) status = fits(&m, path, error);
        break;
    case FILE_ROADMAP:
        *error = (hf_error){.status = HF_ERROR_FORMAT, .message = "is a roadmap, there is nothing to draw"};
        snprintf(error->file, sizeof error->file, "%s", path);
        return HF_ERROR_FORMAT;
    case FILE_UNKNOWN: /* was complained about */
        return already_told(error, HF_ERROR_FORMAT);
    }
    int last = m.motion ? m.motion->frame_count - 1 : 0, frames[64], count = o->strip ? o->strip : 1;
    if (status == HF_OK && (last < 0 || o->frame > last)) {
        *error = (hf_error){.status = HF_ERROR_ARGUMENT};
        snprintf(error->file, sizeof error->file, "%s", path);
        snprintf(error->message, sizeof error->message,
                 "has %d frame%s, frame %d was asked for; the first is 0", last + 1, last == 0 ? "" : "s",
                 o->frame < 0 ? 0 : o->frame);
        status = HF_ERROR_ARGUMENT;
    }
    int first = o->frame > 0 ? o->frame : 0;
    if (count > last - first + 1) count = last - first + 1;
    for (int i = 0; i < count; i++)
        frames[i] = first + (count > 1 ? (int)((double)i * (last - first) / (count - 1) + 0.5) : 0);
    if (status == HF_OK) status = draw_motion(&m, o, frames, count, task, o->output, p, error);
    free_motion(&m);
    return status;
}

/* Can what the command line wishes be drawn and written, whatever the file holds? */
static bool wishes_fit(const options* o) {
    if (!o->output) {
        complain("render needs -o FILE.png");
        return false;
    }
    if (!ends_with(o->output, ".png")) {
        complain("render needs -o FILE.png; \"%s\" does not end in .png", o->output);
        return false;
    }
    if (o->columns && !o->strip) {
        complain("--columns goes with --strip, the moments that are drawn");
        return false;
    }
    if (o->with && !o->plot) {
        complain("--with goes with --plot, which draws a second motion too");
        return false;
    }
    if (o->plot && o->strip) {
        complain("--plot and --strip are two pictures");
        return false;
    }
    return picture_fits(o, o->strip ? o->strip : 1);
}

static int render(const char* path, const options* o) {
    hf_error error = {0};
    progress p = progress_start(o);
    hf_status status = draw(path, o, &p, &error);
    progress_end(&p);
    if (status != HF_OK) return fail_with(&error);
    bool stopped = p.interrupted || p.timed_out;
    if (stopped) note(o, "%s: the picture is not finished", progress_stop_text(&p));
    note(o, "wrote %s", o->output);
    if (o->json) print_json(json_pack("{s:o,s:b}", "output", json_text(o->output), "finished", !stopped));
    return stopped ? EXIT_NO_SOLUTION : EXIT_DONE;
}

int run_render(const options* o) {
    if (!wishes_fit(o)) return EXIT_USAGE;
    char* path = can_write(o->output) ? find_file(o->file) : NULL;
    if (!path) return EXIT_BAD_INPUT;
    int code = EXIT_USAGE;
    if (kind_of(path) == FILE_UNKNOWN) {
        unknown_kind(path);
        code = EXIT_BAD_INPUT;
    } else if (o->plot && (!is_kind(path, FILE_MOTION, "render --plot") ||
                           (o->with && !is_kind(o->with, FILE_MOTION, "render --plot")))) {
        code = EXIT_BAD_INPUT;
    } else if (overrides_fit(o, path)) {
        code = render(path, o);
    }
    free(path);
    return code;
}
