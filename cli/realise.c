/* holdfast realise: the motion of a schedule, and what it does not keep. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 20 }; /* faults printed as text; --json has all */

/* What does it: the limb of a slip, the link of a collision, else NULL. */
static const char* fault_subject(const loaded_schedule* s, const hf_frame_fault* f) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    if (f->limb >= 0) return v->limbs[f->limb].name;
    return f->kind == HF_FAULT_COLLIDES ? v->links[v->bodies[f->collision.body].link].name : NULL;
}

/* The object or link that is collided with, else NULL. */
static const char* fault_other(const loaded_schedule* s, const hf_frame_fault* f) {
    if (f->kind != HF_FAULT_COLLIDES) return NULL;
    if (f->collision.other_body < 0) return hf_scene_object(s->scene, f->collision.surface.object).name;
    const hf_creature_view* v = hf_creature_get(s->creature);
    return v->links[v->bodies[f->collision.other_body].link].name;
}

static json_t* fault_json(const loaded_schedule* s, const hf_frame_fault* f) {
    const char *subject = fault_subject(s, f), *other = fault_other(s, f);
    char what[600];
    if (other)
        snprintf(what, sizeof what, "%.200s %s with %.200s", subject, hf_frame_fault_text(f->kind), other);
    else
        snprintf(what, sizeof what, "%s", hf_frame_fault_text(f->kind));
    return json_pack("{s:i,s:o,s:o?}", "frame", f->frame, "what", json_text(what), "limb",
                     f->limb >= 0 ? json_text(subject) : NULL);
}

static void print_fault(const loaded_schedule* s, const hf_frame_fault* f) {
    const char *subject = fault_subject(s, f), *other = fault_other(s, f);
    printf("  frame %d: %s %s%s%s\n", f->frame, subject ? subject : "the body", hf_frame_fault_text(f->kind),
           other ? " with " : "", other ? other : "");
}

static void say(const char* name, const loaded_schedule* s, const hf_motion* m, const hf_realise_result* r,
                const options* o) {
    double duration_s = m->frames[m->frame_count - 1].time_s;
    if (o->json) {
        json_t* faults = json_array();
        for (int i = 0; i < r->fault_count; i++) json_array_append_new(faults, fault_json(s, &r->faults[i]));
        print_json(json_pack("{s:s,s:i,s:f,s:o}", "outcome", m->outcome, "frames", m->frame_count,
                             "duration_s", duration_s, "faults", faults));
        return;
    }
    printf("%s: %s: %d frame%s, %.1f s, %d fault%s\n", name, m->outcome, m->frame_count,
           m->frame_count == 1 ? "" : "s", duration_s, r->fault_count, r->fault_count == 1 ? "" : "s");
    for (int i = 0; i < r->fault_count && i < LINES; i++) print_fault(s, &r->faults[i]);
    if (r->fault_count > LINES) printf("  and %d more\n", r->fault_count - LINES);
}

/* The schedule's file name without folder and ending. */
static char* name_of(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* ending = ends_with(name, ".schedule.json") ? ".schedule.json" : ".json";
    return make_text("%.*s", (int)(strlen(name) - (ends_with(name, ending) ? strlen(ending) : 0)), name);
}

static hf_status write_result(const char* name, const loaded_schedule* s, hf_motion* motion, const options* o,
                              hf_error* error) {
    loaded_motion m = {.motion = motion, .creature = s->creature, .scenario = s->scenario, .scene = s->scene};
    if (ends_with(o->output, ".motion.json")) {
        hf_status status = save_motion(&m, o->output, o, error);
        if (status == HF_OK) note(o, "wrote %s", o->output);
        return status;
    }
    int frames[STRIP], count = strip_frames(motion, frames);
    char* stem = make_text("%s/%s", o->output, name);
    hf_status status = stem ? HF_OK : HF_ERROR_MEMORY;
    if (!stem) *error = (hf_error){.status = status, .message = "out of memory"};
    progress p = progress_start(o);
    if (status == HF_OK) status = write_motion(&m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error);
    progress_end(&p);
    free(stem);
    return status;
}

/* A schedule that was found whole may still not be kept: then the motion is partial. */
static hf_status make_motion(const loaded_schedule* s, hf_motion** motion, hf_realise_result* result) {
    hf_realise_options wishes = hf_realise_options_default();
    hf_workspace* workspace = NULL;
    hf_status status = hf_workspace_create(&workspace);
    if (status == HF_OK)
        status = hf_realise(s->creature, s->scene, s->schedule, &wishes, workspace, motion, result);
    hf_workspace_free(workspace);
    if (status != HF_OK || result->outcome == HF_FOUND) return status;
    free((*motion)->outcome);
    (*motion)->outcome = make_text("%s", hf_outcome_text(HF_PARTIAL));
    return (*motion)->outcome ? HF_OK : HF_ERROR_MEMORY;
}

static int realise(const char* path, const loaded_schedule* s, const options* o) {
    hf_motion* motion = NULL;
    hf_realise_result result = {0};
    hf_error error = {0};
    char* name = name_of(path);
    hf_status status = name ? make_motion(s, &motion, &result) : HF_ERROR_MEMORY;
    if (status != HF_OK) fail_while(&error, status, path, "making the motion");
    limit_end();
    if (status == HF_OK) say(name, s, motion, &result, o);
    if (status == HF_OK && o->output) status = write_result(name, s, motion, o, &error);
    bool whole = status == HF_OK && strcmp(motion->outcome, hf_outcome_text(HF_FOUND)) == 0;
    free(name);
    hf_motion_free(motion);
    hf_realise_result_free(&result);
    return status != HF_OK ? fail_with(&error) : whole ? EXIT_DONE : EXIT_NO_SOLUTION;
}

int run_realise(const options* o) {
    bool folder = o->output && !ends_with(o->output, ".motion.json");
    if (folder && !picture_fits(o, STRIP)) return EXIT_USAGE;
    if (o->output && !folder && !can_write(o->output)) return EXIT_BAD_INPUT;
    char* path = find_kind(o->file, FILE_SCHEDULE);
    int code = EXIT_BAD_INPUT;
    loaded_schedule s;
    hf_error error = {0};
    if (path && is_kind(path, FILE_SCHEDULE, "realise") && (!folder || make_output(o))) {
        if (load_schedule(path, o, &s, &error) == HF_OK) {
            code = realise(path, &s, o);
            free_schedule(&s);
        } else {
            code = fail_with(&error);
        }
    }
    free(path);
    return code;
}
