/* holdfast refine: a quicker and smoother motion with the same holds. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What binds each part of the refined motion, and for how many of its seconds. */
static hf_status list_bounds(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                             json_t* out) {
    int capacity = schedule ? 2 * schedule->hold_count + 2 : 0, count = 0;
    hf_refine_bound* bounds = calloc((size_t)capacity + 1, sizeof *bounds);
    hf_workspace* workspace = NULL;
    hf_status status = bounds ? hf_workspace_create(&workspace) : HF_ERROR_MEMORY;
    if (status == HF_OK && schedule)
        status = hf_refine_bounds(creature, scene, schedule, workspace, capacity, bounds, &count);
    for (int i = 0; i < count && status == HF_OK; i++) {
        const hf_refine_bound* b = &bounds[i];
        json_t* by = json_object();
        for (int k = 0; k < HF_REFINE_LIMITS; k++)
            if (b->bound_s[k] > 0) json_object_set_new(by, hf_refine_limit_text(k), json_real(b->bound_s[k]));
        json_array_append_new(
            out, json_pack("{s:f,s:f,s:o}", "from_s", b->from_s, "to_s", b->to_s, "bound_s", by));
    }
    hf_workspace_free(workspace);
    free(bounds);
    return status;
}

static hf_status say_result(const char* name, const hf_refine_result* r, const hf_creature* creature,
                            const hf_scene* scene, const options* o) {
    if (o->json) {
        json_t* bounds = json_array();
        hf_status status = list_bounds(creature, scene, r->schedule, bounds);
        if (status != HF_OK) {
            json_decref(bounds);
            return status;
        }
        print_json(json_pack("{s:s,s:s,s:f,s:f,s:i,s:i,s:i,s:i,s:f,s:f,s:o}", "outcome",
                             hf_outcome_text(r->outcome), "why", hf_refine_why_text(r->why), "before_s",
                             r->before_s, "after_s", r->motion ? r->after_s : r->before_s, "rounds",
                             r->rounds, "stretches", r->stretches, "unstatic_samples", r->static_count,
                             "heavy_samples", r->effort_count, "scaling_s", r->scaling_s, "work", r->work,
                             "bounds", bounds));
    } else if (r->motion) {
        printf("%s: %.2f s instead of %.2f s (%.0f %%)\n", name, r->after_s, r->before_s,
               100 * r->after_s / r->before_s);
    } else {
        char at[40] = "", fault[100] = "";
        if (r->at_s >= 0) snprintf(at, sizeof at, ", at %.2f s", r->at_s);
        if (r->why == HF_REFINE_FAULTY)
            snprintf(fault, sizeof fault, ": frame %d %s", r->fault.frame,
                     hf_frame_fault_text(r->fault.kind));
        printf("%s: not refined: %s%s%s\n", name, hf_refine_why_text(r->why), at, fault);
    }
    return HF_OK;
}

hf_status refine_schedule(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                          const options* o, progress* p, hf_refine_result* result, hf_error* error) {
    hf_refine_options wishes = hf_refine_options_default();
    hf_workspace* workspace = NULL;
    if (!apply_settings(o, NULL, "refine", &wishes)) return already_told(error, HF_ERROR_ARGUMENT);
    hf_status status = hf_workspace_create(&workspace);
    if (status != HF_OK) return set_error(error, status);
    if (o->fps > 0) wishes.rate = o->fps;
    hf_workspace_watch(workspace, progress_report, p);
    hf_schedule* last = NULL;
    if (o->warm) status = hf_schedule_load(o->warm, creature, scene, &last, error);
    if (status == HF_OK)
        status = last ? hf_refine_again(creature, scene, schedule, last, &wishes, workspace, result, error)
                      : hf_refine(creature, scene, schedule, &wishes, workspace, result, error);
    hf_schedule_free(last);
    hf_workspace_free(workspace);
    return status;
}

/* What the optimiser makes of the plan, and of straight lines between its key poses. */
static hf_status compare_starts(const hf_creature* creature, const hf_scene* scene,
                                const hf_schedule* schedule, const char* name, const options* o,
                                hf_error* error) {
    hf_refine_options wishes = hf_refine_options_default();
    hf_refine_comparison found[HF_REFINE_STARTS];
    hf_workspace* workspace = NULL;
    if (!apply_settings(o, NULL, "refine", &wishes)) return already_told(error, HF_ERROR_ARGUMENT);
    hf_status status = set_error(error, hf_workspace_create(&workspace));
    progress p = progress_start(o);
    if (status == HF_OK) hf_workspace_watch(workspace, progress_report, &p);
    if (status == HF_OK)
        status = hf_refine_compare(creature, scene, schedule, &wishes, workspace, found, error);
    hf_workspace_free(workspace);
    progress_end(&p);
    json_t* rows = json_array();
    for (int i = 0; i < HF_REFINE_STARTS && status == HF_OK; i++) {
        const hf_refine_comparison* c = &found[i];
        if (o->json)
            json_array_append_new(rows,
                                  json_pack("{s:s,s:[f,f],s:i,s:[i,i],s:f}", "start", hf_refine_start_text(i),
                                            "cost", c->cost[0], c->cost[1], "frames", c->frames, "valid",
                                            c->valid[0], c->valid[1], "work", c->work));
        else
            printf("%s from %s: cost %.4g to %.4g, valid frames %d to %d of %d\n", name,
                   hf_refine_start_text(i), c->cost[0], c->cost[1], c->valid[0], c->valid[1], c->frames);
    }
    if (o->json && status == HF_OK) print_json(json_pack("{s:O}", "starts", rows));
    json_decref(rows);
    return status;
}

/* The file's name without folder and ending. */
static char* stem_of(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    static const char* const endings[] = {".schedule.json", ".motion.json", ".json"};
    size_t cut = 0;
    for (int i = 0; i < 3 && !cut; i++)
        if (ends_with(name, endings[i])) cut = strlen(endings[i]);
    return make_text("%.*s", (int)(strlen(name) - cut), name);
}

static hf_status write_refined(const char* name, loaded_motion* m, const options* o, hf_error* error) {
    int frames[STRIP], count = strip_frames(m->motion, frames);
    char* stem = make_text("%s/%s", o->output, name);
    progress p = progress_start(o);
    hf_status status = stem ? write_motion(m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error)
                            : set_error(error, HF_ERROR_MEMORY);
    progress_end(&p);
    free(stem);
    return status;
}

static int refine_loaded(const char* path, const hf_schedule* schedule, hf_creature* creature,
                         hf_scenario* scenario, const hf_scene* scene, const options* o) {
    hf_refine_result result = {0};
    hf_error error = {0};
    char* name = stem_of(path);
    if (o->compare) {
        hf_status compared = compare_starts(creature, scene, schedule, name ? name : path, o, &error);
        free(name);
        if (compared != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", path);
        return compared == HF_OK ? EXIT_DONE : fail_with(&error);
    }
    limit_hand_over(o);
    progress p = progress_start(o);
    hf_status status = refine_schedule(creature, scene, schedule, o, &p, &result, &error);
    progress_end(&p);
    limit_end();
    if (status != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", path);
    if (status == HF_OK && name) status = set_error(&error, say_result(name, &result, creature, scene, o));
    if (status == HF_OK && o->output && result.motion) {
        loaded_motion m = {.motion = result.motion,
                           .schedule = result.schedule,
                           .creature = creature,
                           .scenario = scenario,
                           .scene = scene};
        status = write_refined(name, &m, o, &error);
    }
    bool found = result.outcome == HF_FOUND;
    hf_refine_result_free(&result);
    free(name);
    return status != HF_OK ? fail_with(&error) : found ? EXIT_DONE : EXIT_NO_SOLUTION;
}

static int refine_motion(const char* path, const options* o) {
    loaded_motion m;
    hf_error error = {0};
    hf_schedule* schedule = NULL;
    hf_status status = load_motion(path, o, &m, &error);
    if (status != HF_OK) return fail_with(&error);
    status = hf_schedule_of_motion(m.motion, m.creature, m.scene, &schedule, &error);
    if (status != HF_OK && !error.file[0]) snprintf(error.file, sizeof error.file, "%s", path);
    if (status == HF_OK && m.motion->scenario) schedule->scenario = make_text("%s", m.motion->scenario);
    int code = status == HF_OK ? refine_loaded(path, schedule, m.creature, m.scenario, m.scene, o)
                               : fail_with(&error);
    hf_schedule_free(schedule);
    free_motion(&m);
    return code;
}

static int refine_file(const char* path, const options* o) {
    if (kind_of(path) == FILE_MOTION) return refine_motion(path, o);
    loaded_schedule s;
    hf_error error = {0};
    if (!is_kind(path, FILE_SCHEDULE, "refine")) return EXIT_BAD_INPUT;
    if (load_schedule(path, o, &s, &error) != HF_OK) return fail_with(&error);
    int code = refine_loaded(path, s.schedule, s.creature, s.scenario, s.scene, o);
    free_schedule(&s);
    return code;
}

int run_refine(const options* o) {
    if (o->compare && (o->output || o->warm || o->fps > 0)) {
        complain("--compare writes no motion: it takes no --output, --warm or --fps");
        return EXIT_USAGE;
    }
    if (o->output && !picture_fits(o, STRIP)) return EXIT_USAGE;
    char* path = find_kind(o->file, FILE_SCHEDULE);
    int code = path && (!o->output || make_output(o)) ? refine_file(path, o) : EXIT_BAD_INPUT;
    free(path);
    return code;
}
