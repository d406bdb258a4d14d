/* holdfast adapt: a recorded motion onto a creature, in the scene it was recorded in or an edited one. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a scenario from files ---- */

/* A flat floor under and about the clip, as a mesh file: 20 m each way, a metre thick. */
static bool write_floor(const char* path) {
    static const double FAR_M = 20;
    FILE* f = fopen(path, "w");
    if (!f) {
        complain("%s: cannot be written", path);
        return false;
    }
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %g %g %d\n", i & 1 ? FAR_M : -FAR_M, i & 2 ? FAR_M : -FAR_M, i & 4 ? 0 : -1);
    fprintf(f, "f 5 6 8 7\nf 1 3 4 2\nf 1 2 6 5\nf 4 3 7 8\nf 2 4 8 6\nf 3 1 5 7\n");
    return fclose(f) == 0;
}

/* The clip's part of a scenario, from the command line. */
static json_t* clip_json(const options* o, const char* path) {
    json_t* clip = json_pack("{s:o}", "file", json_text(path));
    if (o->unit_m > 0) json_object_set_new(clip, "unit", json_real(o->unit_m));
    if (o->rate > 0) json_object_set_new(clip, "rate", json_real(o->rate));
    if (o->up) json_object_set_new(clip, "up", json_text(o->up));
    if (o->clip) json_object_set_new(clip, "name", json_text(o->clip));
    return clip;
}

/* Files of a run that were not there before. */
typedef struct made_files {
    int count;
    char** paths;
} made_files;

typedef struct maker {
    const options* o;
    made_files* made;
    const char* folder;
    char* name; /* of the scenario */
    json_t *root, *scene;
    hf_joint_link* mapping; /* its texts are those of root */
    int mapping_count;
    double scale;
} maker;

/* Call this before a file is written: of a run that fails nothing stays that was not there before it. False
   when there is no memory. */
static bool note_file(made_files* made, const char* path) {
    if (access(path, F_OK) == 0) return true;
    char** more = realloc(made->paths, sizeof *more * (size_t)(made->count + 1));
    if (!more) return false;
    made->paths = more;
    more[made->count] = make_text("%s", path);
    return more[made->count] && ++made->count;
}

static void end_files(made_files* made, bool remove_them) {
    for (int i = 0; i < made->count; i++) {
        if (remove_them) remove(made->paths[i]);
        free(made->paths[i]);
    }
    free(made->paths);
    *made = (made_files){0};
}

static bool add_object(maker* m, const char* name, const char* mesh, double scale, double z) {
    json_t* object = json_pack("{s:o,s:o}", "name", json_text(name), "mesh", json_text(mesh));
    if (scale != 1) json_object_set_new(object, "scale", json_real(scale));
    if (z != 0) json_object_set_new(object, "position", json_pack("[f,f,f]", 0.0, 0.0, z));
    return json_array_append_new(m->scene, object) == 0;
}

/* A box of a fitted scene as a mesh file. */
static bool write_box(const char* path, const hf_fitted_box* b) {
    FILE* f = fopen(path, "w");
    if (!f) {
        complain("%s: cannot be written", path);
        return false;
    }
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), b->heading);
    for (int i = 0; i < 8; i++) {
        hf_vec3 v =
            hf_v3(i & 1 ? b->high.x : b->low.x, i & 2 ? b->high.y : b->low.y, i & 4 ? b->high.z : b->low.z);
        v = hf_rotate(turn, v);
        fprintf(f, "v %.6f %.6f %.6f\n", v.x, v.y, v.z);
    }
    fprintf(f, "f 5 6 8 7\nf 1 3 4 2\nf 1 2 6 5\nf 4 3 7 8\nf 2 4 8 6\nf 3 1 5 7\n");
    return fclose(f) == 0;
}

/* The boxes that fit the clip, written beside the scenario. */
static bool add_fitted(maker* m, const hf_clip* clip, const hf_creature* creature) {
    hf_fitted_scene fitted = {0};
    hf_retarget_options wishes = hf_retarget_options_default();
    hf_error error = {0};
    char* folder = nameable(m->folder);
    bool good = folder &&
                hf_scene_fit(clip, creature, m->mapping, m->mapping_count, &wishes, &fitted, &error) == HF_OK;
    if (folder && !good) fail_with(&error);
    for (int i = 0; i < fitted.count && good; i++) {
        char* path = make_text("%s/%s-%s.obj", folder, m->name, fitted.boxes[i].name);
        good = path && note_file(m->made, path) && write_box(path, &fitted.boxes[i]) &&
               add_object(m, fitted.boxes[i].name, path, m->scale, 0);
        free(path);
    }
    hf_fitted_scene_free(&fitted);
    free(folder);
    return good;
}

static char* stem_of(const char* path) {
    const char* slash = strrchr(path, '/');
    char* name = make_text("%s", slash ? slash + 1 : path);
    char* dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name) *dot = 0;
    return name;
}

/* Clips of positions are named like each other: their folder tells them apart. */
static char* clip_name(const char* path) {
    char* name = stem_of(path);
    const char* slash = strrchr(path, '/');
    if (!name || strcmp(name, "joint_positions") != 0 || !slash) return name;
    const char* from = slash;
    while (from > path && from[-1] != '/') from--;
    free(name);
    return make_text("%.*s", (int)(slash - from), from);
}

static bool add_scene(maker* m) {
    const options* o = m->o;
    bool good = true;
    if (o->scene) {
        char *mesh = nameable(o->scene), *name = mesh ? stem_of(mesh) : NULL;
        good = name && add_object(m, name, mesh, m->scale, 0);
        free(mesh);
        free(name);
    }
    if (!good || !o->ground) return good;
    char* end;
    double z = strtod(o->ground, &end);
    if (*end || end == o->ground) {
        complain("--ground is \"%s\", a height in metres is expected", o->ground);
        return false;
    }
    char *folder = nameable(m->folder), *path = folder ? make_text("%s/floor.obj", folder) : NULL;
    good = path && note_file(m->made, path) && write_floor(path) &&
           add_object(m, "floor", path, 1, z * m->scale);
    free(folder);
    free(path);
    return good;
}

static bool add_mapping(maker* m) {
    if (!m->o->mapping) return true;
    json_error_t error;
    json_t* mapping = json_load_file(m->o->mapping, 0, &error);
    if (!json_is_object(mapping)) {
        complain("%s:%d: %s", m->o->mapping, mapping ? 1 : error.line,
                 mapping ? "a JSON object { \"JOINT\": \"LINK\" } is expected" : error.text);
        json_decref(mapping);
        return false;
    }
    json_object_set_new(m->root, "mapping", mapping);
    m->mapping = calloc(json_object_size(mapping) + 1, sizeof *m->mapping);
    const char* joint;
    json_t* link;
    json_object_foreach(mapping, joint, link) {
        const char* name = json_is_string(link) ? json_string_value(link) : "";
        if (m->mapping) m->mapping[m->mapping_count++] = (hf_joint_link){(char*)joint, (char*)name};
    }
    return m->mapping != NULL;
}

static bool add_creature(maker* m) {
    if (!m->o->creature) return true;
    char* found = find_kind(m->o->creature, FILE_CREATURE);
    char* path = found ? nameable(found) : NULL;
    if (path) json_object_set_new(m->root, "creature", json_text(path));
    free(found);
    bool good = path != NULL;
    free(path);
    return good;
}

/* How much larger the creature is than the clip, 1 unless the scene shall be scaled; and the fitted scene. */
static bool measure_clip(maker* m, const char* clip_path) {
    m->scale = 1;
    bool scales = m->o->scale_scene && m->o->creature;
    if (!scales && !m->o->fit_scene) return true;
    hf_clip_options how;
    hf_load_options l = load_options(m->o);
    hf_clip* clip = NULL;
    hf_creature* creature = NULL;
    hf_error error = {0};
    if (!clip_options(m->o, &how)) return false;
    const char* path = json_string_value(json_object_get(m->root, "creature"));
    hf_status status = hf_clip_open(clip_path, &how, &clip, &error);
    if (status == HF_OK)
        status =
            path ? hf_creature_load(path, &l, &creature, &error) : hf_clip_creature(clip, &creature, &error);
    if (status == HF_OK && scales)
        status = hf_retarget_scale(clip, creature, m->mapping, m->mapping_count, &m->scale, &error);
    if (status != HF_OK) fail_with(&error);
    bool good = status == HF_OK && (!m->o->fit_scene || add_fitted(m, clip, creature));
    hf_clip_free(clip);
    hf_creature_free(creature);
    return good;
}

/* Writes FOLDER/NAME.scenario.json for a clip and what the command line says; NULL after a complaint. */
static char* make_scenario(const options* o, const char* clip, const char* folder, made_files* made) {
    maker m = {.o = o, .made = made, .folder = folder, .name = clip_name(clip), .scene = json_array()};
    char *full = nameable(clip), *joints = o->joints ? nameable(o->joints) : NULL, *path = NULL;
    m.root = json_pack("{s:s,s:i,s:s}", "format", "holdfast-scenario", "version", 1, "kind", "adapt");
    bool good = full && m.name && (!o->joints || joints) && add_creature(&m) && add_mapping(&m) &&
                measure_clip(&m, full);
    if (good) {
        json_t* part = clip_json(o, full);
        if (joints) json_object_set_new(part, "joints", json_text(joints));
        json_object_set_new(m.root, "clip", part);
        if (m.scale != 1)
            json_object_set_new(m.root, "options", json_pack("{s:{s:b}}", "retarget", "scale_scene", true));
    }
    good = good && add_scene(&m);
    if (good) json_object_set(m.root, "scene", m.scene);
    if (good) path = make_text("%s/%s.scenario.json", folder, m.name);
    if (path && (!note_file(made, path) || json_dump_file(m.root, path, JSON_INDENT(2)) != 0)) {
        complain("%s: cannot be written", path);
        free(path);
        path = NULL;
    }
    json_decref(m.root);
    json_decref(m.scene);
    free(m.mapping);
    free(m.name);
    free(full);
    free(joints);
    return path;
}

/* ---- the report ---- */

/* What is made of a scenario. */
typedef struct work {
    hf_schedule* schedule;
    hf_motion* motion;
    hf_retarget_result retargeted;
    hf_adapt_result edited;
    hf_realise_result judged;
} work;

static json_t* phase_json(const hf_scenario* s, const hf_phase* p) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    return json_pack(
        "{s:o,s:o,s:o,s:f,s:f,s:s,s:f,s:f,s:o,s:o,s:o}", "limb", json_text(v->limbs[p->limb].name), "frame",
        json_text(v->limbs[p->limb].contacts[p->frame].name), "object",
        json_text(hf_scene_object(s->scene, p->object).name), "from", p->from_s, "to", p->to_s, "fate",
        hf_retarget_fate_text(p->fate), "moved_m", p->moved_m, "held_share", p->held_share, "point",
        json_vec3(p->point), "normal", json_vec3(p->normal), "why", json_text(p->why));
}

/* Share of the time in contact that the creature holds, too. */
static double preserved(const hf_phases* phases) {
    double held = 0, all = 0;
    for (int i = 0; i < phases->count; i++) {
        const hf_phase* p = &phases->items[i];
        int frames = p->last - p->first + 1;
        all += frames, held += p->held_share * frames;
    }
    return all > 0 ? held / all : 1;
}

/* How many faults of each kind there are, and where the first one is. */
static void say_faults(const hf_scenario* s, const hf_realise_result* judged) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    for (int kind = HF_FAULT_COLLIDES; kind <= HF_FAULT_PRESSED; kind++) {
        int count = 0;
        const hf_frame_fault* first = NULL;
        for (int i = 0; i < judged->fault_count; i++)
            if ((int)judged->faults[i].kind == kind && count++ == 0) first = &judged->faults[i];
        if (!count) continue;
        const char* subject = first->limb >= 0 ? v->limbs[first->limb].name
                              : kind == HF_FAULT_COLLIDES
                                  ? v->links[v->bodies[first->collision.body].link].name
                                  : "the body";
        printf("  %d frame%s: first in frame %d, %s %s\n", count, count == 1 ? "" : "s", first->frame,
               subject, hf_frame_fault_text(first->kind));
    }
}

/* What the clip's retargeting adds to the report. */
static void add_retarget(const hf_clip* clip, const hf_retarget_result* r, json_t* report) {
    json_t* mapping = json_object();
    for (int i = 0; i < r->mapping.count; i++)
        json_object_set_new(mapping, r->mapping.items[i].joint, json_text(r->mapping.items[i].link));
    json_object_set_new(report, "fit_m", json_real(clip->fit_m));
    json_object_set_new(report, "scale", json_real(r->scale));
    json_object_set_new(report, "contacts_preserved", json_real(preserved(&r->phases)));
    json_object_set_new(report, "mapping", mapping);
}

/* Are edits left after a clip was put onto the creature? */
static bool needs_editor(const hf_scenario* s, const work* w) {
    return s->adapt->edit_count > 0 && !w->retargeted.edited;
}

/* Phases are those of the editor where there are edits for it, else those of the clip on the creature. */
static json_t* phases_json(const hf_scenario* s, const work* w) {
    if (needs_editor(s, w)) return edited_phases(s, &w->edited);
    json_t* phases = json_array();
    for (int i = 0; i < w->retargeted.phases.count; i++)
        json_array_append_new(phases, phase_json(s, &w->retargeted.phases.items[i]));
    return phases;
}

static void say_retarget(const hf_scenario* s, const hf_retarget_result* r) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    const hf_clip* clip = s->adapt->clip;
    if (r->phases.count)
        printf("  %d phases of the clip, %.0f %% of their time held\n", r->phases.count,
               100 * preserved(&r->phases));
    else
        printf("  no contacts are kept: %s\n",
               hf_scene_object_count(s->scene)
                   ? "the clip touches nothing of the scene"
                   : "there is no scene; --fit-scene, --ground Z or --scene MESH gives one");
    if (clip->fit_m > 0) printf("  bones fit the positions within %.1f mm\n", 1e3 * clip->fit_m);
    printf("  mapping (the creature's legs are %.2f of the clip's):\n", r->scale);
    for (int i = 0; i < r->mapping.count; i++)
        printf("    %-20s %s\n", r->mapping.items[i].joint, r->mapping.items[i].link);
    for (int i = 0; i < r->phases.count; i++) {
        const hf_phase* p = &r->phases.items[i];
        printf("  %6.2f to %6.2f s  %-10s %-8s on %-10s %s%s%s\n", p->from_s, p->to_s, v->limbs[p->limb].name,
               v->limbs[p->limb].contacts[p->frame].name, hf_scene_object(s->scene, p->object).name,
               hf_retarget_fate_text(p->fate), p->why[0] ? ": " : "", p->why);
    }
}

static void say(const hf_scenario* s, const work* w, double time_s, const options* o) {
    const hf_motion* motion = w->motion;
    int faults = w->judged.fault_count;
    if (o->json) {
        json_t* report = json_pack("{s:s,s:f,s:o,s:i,s:f,s:i,s:i}", "outcome", motion->outcome, "fit_m", 0.0,
                                   "phases", phases_json(s, w), "level", w->edited.level, "time_s", time_s,
                                   "frames", motion->frame_count, "faults", faults);
        if (s->adapt->clip) add_retarget(s->adapt->clip, &w->retargeted, report);
        print_json(report);
        return;
    }
    double length_s = motion->frames[motion->frame_count - 1].time_s;
    printf("%s: %s: %d frames, %.1f s, made in %.2f s, %d fault%s\n", s->name, motion->outcome,
           motion->frame_count, length_s, time_s, faults, faults == 1 ? "" : "s");
    say_faults(s, &w->judged);
    if (s->adapt->clip) say_retarget(s, &w->retargeted);
    if (needs_editor(s, w)) say_edits(s, &w->edited);
}

/* ---- the work ---- */

/* The scene as the clip saw it. */
static const hf_scene* seen_scene(const hf_scenario* s) {
    return s->adapt->scene ? s->adapt->scene : s->scene;
}

static bool set_text(char** to, const char* text) {
    free(*to);
    *to = make_text("%s", text);
    return *to != NULL;
}

static bool all_held(const hf_phases* phases) {
    for (int i = 0; i < phases->count; i++)
        if (phases->items[i].fate == HF_RETARGET_FAILED) return false;
    return true;
}

/* The clip on the creature, in this scene; where that is not the one that the clip saw and the library leaves
   the edits to the editor, in the one that the clip saw. */
static hf_status make_schedule(hf_scenario* s, const hf_scene* scene, const hf_retarget_options* wishes,
                               hf_workspace* workspace, work* w, hf_error* error) {
    hf_adapt_task* task = s->adapt;
    if (task->clip)
        return hf_retarget_edited(task->clip, s->creature, seen_scene(s), scene, task->mapping,
                                  task->mapping_count, wishes, workspace, &w->schedule, &w->retargeted,
                                  error);
    w->schedule = task->schedule;
    task->schedule = NULL;
    return HF_OK;
}

static hf_outcome outcome_of(const hf_scenario* s, const work* w) {
    if (w->retargeted.cancelled) return HF_CANCELLED;
    if (needs_editor(s, w) && w->edited.outcome == HF_CANCELLED) return HF_CANCELLED;
    bool kept = !needs_editor(s, w) || w->edited.outcome == HF_FOUND;
    return w->judged.outcome == HF_FOUND && kept && all_held(&w->retargeted.phases) ? HF_FOUND : HF_PARTIAL;
}

static hf_status make_motion(hf_scenario* s, const options* o, const hf_retarget_options* wishes, work* w,
                             hf_error* error) {
    hf_workspace* workspace = NULL;
    hf_realise_options test = hf_realise_options_default();
    hf_status status = set_error(error, hf_workspace_create(&workspace));
    progress p = progress_start(o);
    if (status == HF_OK) hf_workspace_watch(workspace, progress_report, &p);
    if (status == HF_OK) status = make_schedule(s, s->scene, wishes, workspace, w, error);
    if (status == HF_OK && needs_editor(s, w))
        status = adapt_to_edits(s, o, workspace, &w->schedule, &w->edited, error);
    progress_end(&p);
    if (status == HF_OK) hf_workspace_watch(workspace, NULL, NULL);
    if (status == HF_OK && !set_text(&w->schedule->scenario, s->path))
        status = set_error(error, HF_ERROR_MEMORY);
    if (status == HF_OK)
        status = fail_while(
            error, hf_realise(s->creature, s->scene, w->schedule, &test, workspace, &w->motion, &w->judged),
            s->path, "making the motion");
    hf_workspace_free(workspace);
    if (status != HF_OK) return status;
    const char* outcome = hf_outcome_text(outcome_of(s, w));
    bool named = set_text(&w->motion->outcome, outcome) && set_text(&w->schedule->outcome, outcome);
    return named ? HF_OK : set_error(error, HF_ERROR_MEMORY);
}

static hf_status write_files(hf_scenario* s, hf_schedule* schedule, hf_motion* motion, const options* o,
                             hf_error* error) {
    loaded_motion m = {
        .motion = motion, .schedule = schedule, .creature = s->creature, .scenario = s, .scene = s->scene};
    int frames[STRIP], count = strip_frames(motion, frames);
    char* stem = make_text("%s/%s", o->output, s->name);
    if (!stem) return set_error(error, HF_ERROR_MEMORY);
    progress p = progress_start(o);
    hf_status status = write_motion(&m, stem, frames, count, hf_v3(0, 0, 0), o, &p, error);
    if (status == HF_OK) status = hf_motion_save_arrays(motion, stem, error);
    progress_end(&p);
    free(stem);
    return status;
}

/* The clip on the creature, then in the scenes of all values of --vary. */
static int vary(hf_scenario* s, const options* o, const hf_retarget_options* wishes) {
    work w = {0};
    hf_error error = {0};
    hf_workspace* workspace = NULL;
    bool found = false;
    limit_hand_over(o);
    hf_status status = set_error(&error, hf_workspace_create(&workspace));
    progress p = progress_start(o);
    if (status == HF_OK) hf_workspace_watch(workspace, progress_report, &p);
    if (status == HF_OK) status = make_schedule(s, seen_scene(s), wishes, workspace, &w, &error);
    progress_end(&p);
    hf_workspace_free(workspace);
    if (status == HF_OK)
        status = adapt_variants(s, o, w.schedule, all_held(&w.retargeted.phases), &found, &error);
    limit_end();
    hf_schedule_free(w.schedule);
    hf_retarget_result_free(&w.retargeted);
    return status != HF_OK ? fail_with(&error) : found ? EXIT_DONE : EXIT_NO_SOLUTION;
}

static int adapt(hf_scenario* s, const options* o) {
    hf_retarget_options wishes = hf_retarget_options_default();
    if (!apply_settings(o, s, "retarget", &wishes)) return EXIT_BAD_INPUT;
    if (!s->adapt) {
        complain("%s: \"clip\" is missing", s->path);
        return EXIT_BAD_INPUT;
    }
    const hf_clip* clip = s->adapt->clip;
    if (clip) warn_all(o, (hf_strings){clip->warning_count, (const char* const*)clip->warnings});
    if (o->vary_count > 0) return vary(s, o, &wishes);
    work w = {0};
    hf_error error = {0};
    double begin = now_s();
    limit_hand_over(o);
    hf_status status = make_motion(s, o, &wishes, &w, &error);
    limit_end();
    if (status == HF_OK) say(s, &w, now_s() - begin, o);
    if (status == HF_OK && o->output) status = write_files(s, w.schedule, w.motion, o, &error);
    int code = status != HF_OK                                             ? fail_with(&error)
               : strcmp(w.motion->outcome, hf_outcome_text(HF_FOUND)) == 0 ? EXIT_DONE
                                                                           : EXIT_NO_SOLUTION;
    hf_schedule_free(w.schedule);
    hf_motion_free(w.motion);
    hf_retarget_result_free(&w.retargeted);
    hf_adapt_result_free(&w.edited);
    hf_realise_result_free(&w.judged);
    return code;
}

/* A clip is made into a scenario first: in the output folder, or in one that is removed again. Of a clip that
   cannot be used nothing stays. */
static int adapt_clip(const char* clip, const options* o) {
    char temporary[] = "/tmp/holdfast-XXXXXX";
    const char* folder = o->output ? o->output : mkdtemp(temporary);
    bool was = o->output && access(folder, F_OK) == 0;
    if (!folder || (o->output && !make_folder(folder))) return EXIT_BAD_INPUT;
    made_files made = {0};
    char* path = make_scenario(o, clip, folder, &made);
    int code = EXIT_BAD_INPUT;
    if (path) {
        options on = *o;
        on.file = path;
        hf_scenario* s = open_scenario(&on, "adapt", HF_SCENARIO_ADAPT, &code);
        if (s) code = adapt(s, &on);
        hf_scenario_free(s);
    }
    bool gone = !o->output || code == EXIT_BAD_INPUT;
    end_files(&made, gone);
    if (!was && gone) rmdir(folder);
    free(path);
    return code;
}

int run_adapt(const options* o) {
    if (o->output && !picture_fits(o, STRIP)) return EXIT_USAGE;
    char* path = find_file(o->file);
    if (!path) return EXIT_BAD_INPUT;
    file_kind kind = kind_of(path);
    int code;
    bool rig = ends_with(path, ".glb") || ends_with(path, ".gltf");
    if (kind == FILE_CLIP || rig) {
        code = adapt_clip(path, o);
    } else if (kind == FILE_CREATURE || kind == FILE_SCENE) {
        complain("%s: is %s, adapt needs a clip (.bvh, .glb, .npy) or a scenario of kind \"adapt\"", path,
                 kind_text(kind));
        code = EXIT_BAD_INPUT;
    } else {
        hf_scenario* s = open_scenario(o, "adapt", HF_SCENARIO_ADAPT, &code);
        if (s && (!o->output || make_output(o))) code = adapt(s, o);
        hf_scenario_free(s);
    }
    free(path);
    return code;
}
