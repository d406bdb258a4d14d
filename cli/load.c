/* Motions, schedules and clips with everything they name. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A replacement as the user wrote it, a path or a shipped name; else what the file names. */
static hf_status named(const char* replacement, const char* in_file, file_kind kind, char** out,
                       hf_error* error) {
    *out = replacement ? find_kind(replacement, kind) : in_file ? strdup(in_file) : NULL;
    if (*out || (!replacement && !in_file)) return HF_OK;
    return replacement ? already_told(error, HF_ERROR_FILE) : set_error(error, HF_ERROR_MEMORY);
}

enum { MAX_FILE_FOLDERS = 64 }; /* as many as a file may name */

/* The command line's folders for package:// names, then those of a file, one a line, which are ended in
   place. */
static hf_strings join_folders(const options* o, char* lines, const char** folders) {
    int count = 0;
    char* state = NULL;
    for (; count < o->package_path_count; count++) folders[count] = o->package_path[count];
    for (char* line = lines ? strtok_r(lines, "\n", &state) : NULL;
         line && count < MAX_PATHS + MAX_FILE_FOLDERS; line = strtok_r(NULL, "\n", &state))
        folders[count++] = line;
    return (hf_strings){count, folders};
}

bool overrides_fit(const options* o, const char* path) {
    file_kind kind = kind_of(path);
    const char* option = o->creature ? "--creature" : o->scenario ? "--scenario" : NULL;
    if (!option || kind == FILE_MOTION || kind == FILE_SCHEDULE || kind == FILE_UNKNOWN) return true;
    complain("%s goes with a motion or schedule, and %s is %s", option, path, kind_text(kind));
    return false;
}

/* What a motion or schedule names. */
typedef struct named_files {
    char *creature, *scenario, *package_path;
} named_files;

/* Loads what a file names, or what replaces it; folders of the command line are searched before those of the
   file. Without a creature of its own it is the scenario's. */
static hf_status load_named(const char* path, const named_files* in, const options* o, hf_creature** creature,
                            hf_scenario** scenario, hf_error* error) {
    hf_load_options l = load_options(o);
    const char* folders[MAX_PATHS + MAX_FILE_FOLDERS];
    char* lines = in->package_path ? strdup(in->package_path) : NULL;
    l.package_path = join_folders(o, lines, folders);
    char *creature_path = NULL, *scenario_path = NULL;
    hf_status status = named(o->creature, in->creature, FILE_CREATURE, &creature_path, error);
    if (status == HF_OK) status = named(o->scenario, in->scenario, FILE_SCENARIO, &scenario_path, error);
    if (status == HF_OK && creature_path) {
        status = hf_creature_load(creature_path, &l, creature, error);
        if (status == HF_ERROR_FILE && !o->creature)
            add_to_error(error, "%s names this creature; --creature FILE says where it is", path);
    }
    if (status == HF_OK && scenario_path) {
        status = hf_scenario_load(scenario_path, &l, scenario, error);
        if (status == HF_ERROR_FILE && !o->scenario)
            add_to_error(error, "%s names this scenario; --scenario FILE says where it is", path);
    }
    free(creature_path);
    free(scenario_path);
    free(lines);
    if (status == HF_OK && !*creature && *scenario) {
        *creature = (*scenario)->creature;
        (*scenario)->creature = NULL;
    }
    if (status == HF_OK && *creature) warn_all(o, hf_creature_get(*creature)->warnings);
    if (status == HF_OK && *scenario)
        warn_all(o, (hf_strings){(*scenario)->warning_count, (const char* const*)(*scenario)->warnings});
    return status;
}

hf_status load_motion(const char* path, const options* o, loaded_motion* out, hf_error* error) {
    memset(out, 0, sizeof *out);
    hf_status status = hf_motion_load(path, &out->motion, error);
    if (status == HF_OK)
        status = load_named(
            path, &(named_files){out->motion->creature, out->motion->scenario, out->motion->package_path}, o,
            &out->creature, &out->scenario, error);
    if (status != HF_OK)
        free_motion(out);
    else if (out->scenario)
        out->scene = out->scenario->scene;
    return status;
}

/* The schedule names what replaces it: so does the motion that is made from it. */
static hf_status rename_scenario(const options* o, loaded_schedule* s, hf_error* error) {
    if (!o->scenario) return HF_OK;
    free(s->schedule->scenario);
    s->schedule->scenario = strdup(s->scenario->path);
    if (s->schedule->scenario) return HF_OK;
    *error = (hf_error){.status = HF_ERROR_MEMORY, .message = "out of memory"};
    return HF_ERROR_MEMORY;
}

hf_status load_schedule(const char* path, const options* o, loaded_schedule* out, hf_error* error) {
    memset(out, 0, sizeof *out);
    named_files in = {0};
    hf_status status = hf_schedule_peek(path, &in.creature, &in.scenario, &in.package_path, error);
    if (status == HF_OK) status = load_named(path, &in, o, &out->creature, &out->scenario, error);
    free(in.creature);
    free(in.scenario);
    free(in.package_path);
    if (status == HF_OK && !out->creature) {
        *error = (hf_error){.status = status = HF_ERROR_FORMAT,
                            .message = "names neither creature nor scenario; --creature FILE says which"};
        snprintf(error->file, sizeof error->file, "%s", path);
    }
    if (status == HF_OK && !out->scenario) status = hf_scene_build(NULL, 0, &out->empty, error);
    out->scene = out->scenario ? out->scenario->scene : out->empty;
    if (status == HF_OK) status = hf_schedule_load(path, out->creature, out->scene, &out->schedule, error);
    if (status == HF_OK) status = rename_scenario(o, out, error);
    if (status != HF_OK) free_schedule(out);
    return status;
}

void free_schedule(loaded_schedule* s) {
    hf_schedule_free(s->schedule);
    hf_creature_free(s->creature);
    hf_scenario_free(s->scenario);
    hf_scene_free(s->empty);
    memset(s, 0, sizeof *s);
}

hf_status fits(const loaded_motion* m, const char* path, hf_error* error) {
    hf_status status = hf_motion_validate(m->motion, m->creature, m->scene, error);
    if (status != HF_OK && !error->file[0]) snprintf(error->file, sizeof error->file, "%s", path);
    return status;
}

bool clip_options(const options* o, hf_clip_options* to) {
    *to = hf_clip_options_default();
    to->unit_m = o->unit_m;
    to->rate = o->rate;
    to->joints = o->joints;
    to->clip = o->clip;
    if (o->up && strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0) {
        complain("--up is \"%s\", y or z is expected", o->up);
        return false;
    }
    to->up = o->up ? o->up[0] : 0;
    return true;
}

hf_status load_clip(const char* path, const options* o, loaded_motion* out, hf_error* error) {
    memset(out, 0, sizeof *out);
    hf_clip* clip = NULL;
    hf_clip_options how;
    if (!clip_options(o, &how)) return already_told(error, HF_ERROR_ARGUMENT);
    hf_status status = hf_clip_open(path, &how, &clip, error);
    if (status == HF_OK) {
        warn_all(o, (hf_strings){clip->warning_count, (const char* const*)clip->warnings});
        status = hf_clip_creature(clip, &out->creature, error);
    }
    if (status == HF_OK) status = hf_clip_motion(clip, out->creature, &out->motion, error);
    hf_clip_free(clip);
    if (status != HF_OK) free_motion(out);
    return status;
}

hf_status make_still(loaded_motion* m, const hf_pose* pose, hf_error* error) {
    hf_status status = hf_motion_create(m->creature, m->scene, &m->motion);
    if (status == HF_OK && !hf_motion_add(m->motion, 0, pose)) status = HF_ERROR_MEMORY;
    if (status != HF_OK) set_error(error, status);
    return status;
}

hf_status load_rest(const char* path, const options* o, loaded_motion* m, hf_error* error) {
    hf_load_options l = load_options(o);
    hf_status status = hf_creature_load(path, &l, &m->creature, error);
    if (status != HF_OK) return status;
    const hf_creature_view* c = hf_creature_get(m->creature);
    warn_all(o, c->warnings);
    hf_pose pose = {hf_transform_identity(), calloc((size_t)c->q_count + 1, sizeof(double))};
    if (pose.q)
        hf_pose_rest(m->creature, &pose);
    else
        *error = (hf_error){.status = status = HF_ERROR_MEMORY, .message = "out of memory"};
    if (status == HF_OK) status = make_still(m, &pose, error);
    if (status == HF_OK) m->motion->claims = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION;
    free(pose.q);
    return status;
}

void free_motion(loaded_motion* m) {
    hf_motion_free(m->motion);
    hf_schedule_free(m->schedule);
    hf_creature_free(m->creature);
    hf_scenario_free(m->scenario);
    memset(m, 0, sizeof *m);
}

bool named_limb(const hf_creature* creature, const char* name, int* limb) {
    const hf_creature_view* c = hf_creature_get(creature);
    *limb = hf_creature_find_limb(creature, name);
    if (*limb >= 0) return true;
    const char** names = calloc((size_t)c->limb_count + 1, sizeof *names);
    for (int i = 0; i < c->limb_count && names; i++) names[i] = c->limbs[i].name;
    const char* near = names ? hf_nearest_word(name, names, c->limb_count) : NULL;
    if (near)
        complain("--limb %s: %s has no limb \"%s\"; did you mean \"%s\"?", name, c->name, name, near);
    else
        complain("--limb %s: %s has no limb \"%s\"; holdfast info %s lists them", name, c->name, name,
                 c->path);
    free(names);
    return false;
}

/* `second` is another kind that is accepted, or the same. */
static bool is_of_kind(const hf_scenario* s, const char* name, hf_scenario_kind kind,
                       hf_scenario_kind second) {
    if (s->kind == kind || s->kind == second) return true;
    bool two = kind != second;
    const char* own = hf_scenario_kind_text(s->kind); // commands are named after the kinds they take
    complain("%s: is a %s scenario, %s needs one of kind \"%s\"%s%s%s; holdfast %s takes it", s->path, own,
             name, hf_scenario_kind_text(kind), two ? " or \"" : "", two ? hf_scenario_kind_text(second) : "",
             two ? "\"" : "", own);
    return false;
}

hf_scenario* open_scenario_of(const options* o, const char* name, hf_scenario_kind kind,
                              hf_scenario_kind second, int* code) {
    char* path = find_kind(o->file, FILE_SCENARIO);
    hf_scenario* s = NULL;
    hf_error error;
    hf_load_options l = load_options(o);
    *code = EXIT_BAD_INPUT;
    if (path && is_kind(path, FILE_SCENARIO, name) && hf_scenario_load(path, &l, &s, &error) != HF_OK)
        *code = fail_with(&error);
    free(path);
    if (!s) return NULL;
    warn_scenario(o, s);
    if (is_of_kind(s, name, kind, second) && scenario_settings_fit(s)) {
        if (stand_scenario(o, s, &error) == HF_OK) return s;
        *code = fail_with(&error);
    }
    hf_scenario_free(s);
    return NULL;
}

hf_scenario* open_scenario(const options* o, const char* name, hf_scenario_kind kind, int* code) {
    return open_scenario_of(o, name, kind, kind, code);
}

hf_status start_motion(loaded_motion* m, const hf_scenario* s, const char* outcome) {
    hf_status status = hf_motion_create(s->creature, s->scene, &m->motion);
    if (status != HF_OK) return status;
    char *scenario = strdup(s->path), *text = strdup(outcome);
    free(m->motion->scenario);
    free(m->motion->outcome);
    m->motion->scenario = scenario;
    m->motion->outcome = text;
    m->motion->claims = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_CONTACTS | HF_CLAIM_SPEED;
    return scenario && text ? HF_OK : HF_ERROR_MEMORY;
}

hf_motion_frame* begin_motion(loaded_motion* m, const hf_scenario* s, const hf_pose* pose,
                              const char* outcome) {
    hf_status status = start_motion(m, s, outcome);
    hf_motion_frame* frame = status == HF_OK ? hf_motion_add(m->motion, 0, pose) : NULL;
    if (frame) frame->stance = true;
    return frame;
}
