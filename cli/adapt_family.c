/* holdfast adapt --vary: one motion in the scenes of all values of some properties, one file each, a table.
 */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 200 };

typedef struct family {
    const hf_scenario* s;
    const options* o;
    int vary_count;
    char names[HF_MAX_VARIES][MAX_NAME];
    hf_vary varies[HF_MAX_VARIES];
    bool held; /* the clip's contacts, before any edit */
    hf_variant* variants;
    int count;
    hf_workspace* workspace;
    json_t* rows; /* of the report */
    FILE* table;
    int found;
} family;

/* "boxes.height" of "boxes.height=0.8:1.2:5". */
static int name_length(const char* vary) { return (int)strcspn(vary, "="); }

/* ---- scenarios of variants ---- */

/* Texts of a file that are paths beside it become whole paths, so that another folder may hold the copy. */
static void make_whole(json_t* object, const char* key, const char* beside) {
    const char* text = json_string_value(json_object_get(object, key));
    if (!text || text[0] == '/') return;
    const char* slash = strrchr(beside, '/');
    char* joined = make_text("%.*s%s%s", slash ? (int)(slash - beside) : 0, beside, slash ? "/" : "", text);
    char* whole = joined ? realpath(joined, NULL) : NULL;
    if (whole) json_object_set_new(object, key, json_text(whole));
    free(joined);
    free(whole);
}

static void make_all_whole(json_t* root, const char* path) {
    json_t* clip = json_object_get(root, "clip");
    size_t i;
    json_t* item;
    make_whole(root, "creature", path);
    make_whole(clip, "file", path);
    make_whole(clip, "joints", path);
    json_array_foreach(json_object_get(root, "scene"), i, item) make_whole(item, "mesh", path);
    json_array_foreach(json_object_get(root, "edits"), i, item) make_whole(item, "mesh", path);
}

static json_t* vertices_json(const hf_mesh* mesh) {
    json_t* list = json_array();
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float* v = mesh->vertices + 3 * (size_t)i;
        json_array_append_new(list, json_pack("[f,f,f]", (double)v[0], (double)v[1], (double)v[2]));
    }
    return list;
}

/* What the varies made of an object: its place and its shape, as an edit of a scenario. */
static json_t* edit_json(const family* f, const hf_variant* v, int vary) {
    const hf_vary* how = &f->varies[vary];
    hf_object_view o = hf_scene_object(v->scene, hf_scene_find(v->scene, how->object));
    json_t* edit = json_pack("{s:o}", "object", json_text(how->object));
    if (how->kind == HF_VARY_HEIGHT || how->kind == HF_VARY_SCALE)
        json_object_set_new(edit, "vertices", vertices_json(&o.mesh));
    else {
        hf_quat q = o.start.rotation;
        json_object_set_new(edit, "position", json_vec3(o.start.position));
        json_object_set_new(edit, "rotation", json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z));
    }
    return edit;
}

static hf_status write_scenario(const family* f, const hf_variant* v, const char* path, hf_error* error) {
    json_error_t why;
    json_t* root = json_load_file(f->s->path, 0, &why);
    if (!root) return fail_while(error, HF_ERROR_FILE, f->s->path, "reading it again");
    make_all_whole(root, f->s->path);
    json_t* edits = json_object_get(root, "edits");
    if (!edits) json_object_set_new(root, "edits", edits = json_array());
    for (int i = 0; i < f->vary_count; i++) json_array_append_new(edits, edit_json(f, v, i));
    bool written = json_dump_file(root, path, JSON_INDENT(1)) == 0;
    json_decref(root);
    return written ? HF_OK : fail_while(error, HF_ERROR_FILE, path, "writing it");
}

/* ---- one variant ---- */

/* The motion of a variant; its outcome is that of the whole, by the realiser's tests. */
static hf_status realise(family* f, hf_variant* v, const char* scenario, hf_motion** motion,
                         hf_error* error) {
    hf_realise_options test = hf_realise_options_default();
    hf_realise_result judged = {0};
    free(v->schedule->scenario);
    v->schedule->scenario = scenario ? make_text("%s", scenario) : NULL;
    hf_status status = fail_while(
        error, hf_realise(f->s->creature, v->scene, v->schedule, &test, f->workspace, motion, &judged),
        f->s->path, "making the motion of a variant");
    bool found = judged.outcome == HF_FOUND && v->result.outcome == HF_FOUND && f->held;
    if (v->result.outcome != HF_CANCELLED) v->result.outcome = found ? HF_FOUND : HF_PARTIAL;
    hf_realise_result_free(&judged);
    if (status != HF_OK) return status;
    free((*motion)->outcome);
    free(v->schedule->outcome);
    (*motion)->outcome = make_text("%s", hf_outcome_text(v->result.outcome));
    v->schedule->outcome = make_text("%s", hf_outcome_text(v->result.outcome));
    return (*motion)->outcome && v->schedule->outcome ? HF_OK : set_error(error, HF_ERROR_MEMORY);
}

static hf_status write_variant(family* f, hf_variant* v, const char* stem, const char* scenario,
                               hf_error* error) {
    hf_motion* motion = NULL;
    char* path = make_text("%s.motion.json", stem);
    char* schedule = make_text("%s.schedule.json", stem);
    hf_status status = path && schedule ? HF_OK : set_error(error, HF_ERROR_MEMORY);
    if (status == HF_OK && scenario) status = write_scenario(f, v, scenario, error);
    if (status == HF_OK) status = realise(f, v, scenario, &motion, error);
    loaded_motion m = {
        .motion = motion, .schedule = v->schedule, .creature = f->s->creature, .scene = v->scene};
    if (status == HF_OK && f->o->output) {
        status = save_motion(&m, path, f->o, error);
        if (status == HF_OK) status = save_schedule(&m, schedule, error);
        if (status == HF_OK) status = hf_motion_save_arrays(motion, stem, error);
    }
    hf_motion_free(motion);
    free(path);
    free(schedule);
    return status;
}

/* ---- the table ---- */

static void add_row(family* f, int index, const char* name) {
    const hf_variant* v = &f->variants[index];
    const hf_adapt_result* r = &v->result;
    char* fates = fates_text(r);
    json_t* values = json_object();
    for (int i = 0; i < f->vary_count; i++) {
        char* key = make_text("%.*s", name_length(f->o->varies[i]), f->o->varies[i]);
        if (key) json_object_set_new(values, key, json_real(v->values[i]));
        free(key);
        if (!f->o->json) printf("%s%10.4g", i ? "  " : "  ", v->values[i]);
        if (f->table) fprintf(f->table, "%s%.17g", i ? "," : "", v->values[i]);
    }
    const char* outcome = hf_outcome_text(r->outcome);
    int faults = r->realised.fault_count;
    if (!f->o->json)
        printf("  %-9s  level %d  %4d faults  %s\n", outcome, r->level, faults, fates ? fates : "");
    if (f->table) fprintf(f->table, ",%s,%s,%d,%d,%d\n", name, outcome, r->level, faults, r->touched);
    json_t* row = json_pack("{s:o,s:o,s:s,s:i,s:i,s:i}", "name", json_text(name), "values", values, "outcome",
                            outcome, "level", r->level, "faults", faults, "touched", r->touched);
    hf_scenario as = *f->s;
    as.scene = v->scene;
    json_object_set_new(row, "phases", v->scene ? edited_phases(&as, r) : json_array());
    json_array_append_new(f->rows, row);
    f->found += r->outcome == HF_FOUND;
    free(fates);
}

static hf_status make_variant(family* f, int index, hf_error* error) {
    hf_variant* v = &f->variants[index];
    char* name = make_text("%s-%d", f->s->name, index + 1);
    char* stem = make_text("%s/%s", f->o->output ? f->o->output : ".", name);
    char* scenario = f->o->output ? make_text("%s.scenario.json", stem) : NULL;
    hf_status status =
        name && stem && (scenario || !f->o->output) ? HF_OK : set_error(error, HF_ERROR_MEMORY);
    if (status == HF_OK && v->schedule) status = write_variant(f, v, stem, scenario, error);
    if (status == HF_OK) add_row(f, index, name);
    free(name);
    free(stem);
    free(scenario);
    return status;
}

static void head(family* f) {
    if (!f->o->json) printf("%s: %d variants\n", f->s->name, f->count);
    for (int i = 0; i < f->vary_count; i++) {
        const char* text = f->o->varies[i];
        int length = name_length(text);
        if (!f->o->json) printf("  %10.*s", length, text);
        if (f->table) fprintf(f->table, "%.*s,", length, text);
    }
    if (!f->o->json) printf("\n");
    if (f->table) fprintf(f->table, "name,outcome,level,faults,touched_frames\n");
}

/* ---- the family ---- */

static bool parse(family* f, hf_error* error) {
    f->vary_count = f->o->vary_count;
    for (int i = 0; i < f->vary_count; i++)
        if (hf_vary_parse(f->o->varies[i], f->names[i], MAX_NAME, &f->varies[i], error) != HF_OK)
            return false;
    return true;
}

static hf_status make_all(family* f, const hf_schedule* schedule, hf_error* error) {
    hf_adapt_options wishes = hf_adapt_options_default();
    if (!apply_settings(f->o, f->s, "adapt", &wishes)) return already_told(error, HF_ERROR_ARGUMENT);
    const hf_adapt_task* task = f->s->adapt;
    progress p = progress_start(f->o);
    hf_status status = hf_adapt_family(f->s->creature, task->scene ? task->scene : f->s->scene, schedule,
                                       &wishes, task->edits, task->edit_count, f->varies, f->vary_count,
                                       f->o->threads, progress_report, &p, &f->variants, &f->count, error);
    progress_end(&p);
    return status;
}

static hf_status write_all(family* f, double begin, hf_error* error) {
    char* path = f->o->output ? make_text("%s/%s.variants.csv", f->o->output, f->s->name) : NULL;
    hf_status status = HF_OK;
    if (path && !(f->table = fopen(path, "w"))) status = fail_while(error, HF_ERROR_FILE, path, "writing it");
    if (status == HF_OK) head(f);
    for (int i = 0; i < f->count && status == HF_OK; i++) status = make_variant(f, i, error);
    if (f->table && fclose(f->table) != 0 && status == HF_OK)
        status = fail_while(error, HF_ERROR_FILE, path, "writing it");
    if (status == HF_OK && f->o->json)
        print_json(json_pack("{s:s,s:i,s:O,s:f}", "outcome",
                             hf_outcome_text(f->found == f->count ? HF_FOUND : HF_PARTIAL), "found", f->found,
                             "variants", f->rows, "time_s", now_s() - begin));
    if (status == HF_OK && path) note(f->o, "wrote %s and the motions that it lists", path);
    free(path);
    return status;
}

hf_status adapt_variants(const hf_scenario* s, const options* o, const hf_schedule* schedule, bool held,
                         bool* all_found, hf_error* error) {
    family f = {.s = s, .o = o, .held = held, .rows = json_array()};
    double begin = now_s();
    hf_status status = parse(&f, error) ? HF_OK : HF_ERROR_ARGUMENT;
    if (status == HF_OK) status = set_error(error, hf_workspace_create(&f.workspace));
    if (status == HF_OK) status = make_all(&f, schedule, error);
    if (status == HF_OK) status = write_all(&f, begin, error);
    *all_found = status == HF_OK && f.found == f.count;
    hf_variants_free(f.variants, f.count);
    hf_workspace_free(f.workspace);
    json_decref(f.rows);
    return status;
}
