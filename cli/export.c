/* holdfast export: motions, clips and creatures to files that other programs open. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hf_status save_motion(const loaded_motion* m, const char* path, const options* o, hf_error* error) {
    const hf_creature_view* c = hf_creature_get(m->creature);
    if (!c->urdf_path) {
        const char *slash = strrchr(path, '/'), *name = strrchr(c->path, '/');
        name = name ? name + 1 : c->path;
        const char* dot = strrchr(name, '.');
        char* urdf = make_text("%.*s%.*s.urdf", slash ? (int)(slash - path + 1) : 0, path,
                               dot ? (int)(dot - name) : (int)strlen(name), name);
        hf_status status = urdf ? hf_creature_write_urdf(m->creature, urdf, error) : HF_ERROR_MEMORY;
        if (!urdf) set_error(error, status);
        if (status != HF_OK) {
            free(urdf);
            return status;
        }
        free(m->motion->creature);
        m->motion->creature = urdf;
        note(o, "wrote %s", urdf);
    }
    return hf_motion_save(m->motion, path, error);
}

static hf_status load_any(const char* path, const options* o, loaded_motion* m, hf_error* error) {
    switch (o->clip ? FILE_CLIP : kind_of(path)) {
    case FILE_MOTION: {
        hf_status status = load_motion(path, o, m, error);
        return status == HF_OK ? fits(m, path, error) : status;
    }
    case FILE_CLIP:
        return load_clip(path, o, m, error);
    case FILE_CREATURE:
        return load_rest(path, o, m, error);
    case FILE_SCENARIO:
        *error = (hf_error){.status = HF_ERROR_FORMAT,
                            .message =
                                "is a scenario, there is nothing to export before holdfast pose, contact or "
                                "plan -o DIR solved it"};
        snprintf(error->file, sizeof error->file, "%s", path);
        return HF_ERROR_FORMAT;
    case FILE_SCHEDULE:
        *error = (hf_error){.status = HF_ERROR_FORMAT,
                            .message = "is a schedule, holdfast realise makes the motion to export"};
        snprintf(error->file, sizeof error->file, "%s", path);
        return HF_ERROR_FORMAT;
    case FILE_UNKNOWN:
        unknown_kind(path);
        return already_told(error, HF_ERROR_FORMAT);
    default:
        *error = (hf_error){.status = HF_ERROR_FORMAT};
        snprintf(error->file, sizeof error->file, "%s", path);
        snprintf(error->message, sizeof error->message, "is %s, export needs a motion, clip or creature",
                 kind_text(kind_of(path)));
        return HF_ERROR_FORMAT;
    }
}

/* A rig that is exported as its own kind of file keeps its bones: the file that --rig names, else the one
   that the creature was made from. */
static void choose_rig(const options* o, const hf_creature* creature, hf_export_options* e) {
    const hf_creature_view* c = hf_creature_get(creature);
    bool bvh = ends_with(o->output, ".bvh") && ends_with(c->path, ".bvh");
    bool glb = ends_with(o->output, ".glb") && (ends_with(c->path, ".glb") || ends_with(c->path, ".gltf"));
    e->rig = o->rig ? o->rig : !c->urdf_path && (bvh || glb) ? c->path : NULL;
    e->rig_unit_m = o->unit_m;
}

/* Tables for controllers. */
static bool is_table(const char* path) {
    return ends_with(path, ".csv") || ends_with(path, ".npy") ||
           (ends_with(path, ".json") && !ends_with(path, ".motion.json"));
}

static void note_table(const options* o, const hf_motion* motion, const hf_trajectory* t) {
    bool touches = false;
    for (int f = 0; f < motion->frame_count; f++) touches = touches || motion->frames[f].contact_count > 0;
    if (motion->frame_count == 1) note(o, "the motion has one frame: speeds and accelerations are 0");
    if (!touches) note(o, "the motion has no contacts: nothing bears it, all forces are missing");
    if (isnan(t->missing_force_max))
        note(o, "the motion names no scenario: there are no forces; --scenario FILE says on what it stands");
    note(o, "%d rows of %d columns at %g a second; between frames contacts are off by %.3f mm at most",
         t->row_count, t->column_count, t->rate, t->hold_error_max_m * 1000);
    if (touches && !isnan(t->missing_force_max))
        note(o, "contacts lack %.2f %% of the weight and %.2f cm of moment arm at most",
             t->missing_force_max * 100, t->missing_moment_max_m * 100);
}

static json_t* number_or_null(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t* table_json(const options* o, const hf_motion* motion, const hf_trajectory* t) {
    return json_pack("{s:o,s:i,s:i,s:i,s:f,s:f,s:o,s:o}", "output", json_text(o->output), "frames",
                     motion->frame_count, "rows", t->row_count, "columns", t->column_count, "rate", t->rate,
                     "hold_error_max_m", t->hold_error_max_m, "missing_force_max",
                     number_or_null(t->missing_force_max), "missing_moment_max_m",
                     number_or_null(t->missing_moment_max_m));
}

static hf_status export_table(const loaded_motion* m, const options* o, bool* cut, hf_error* error) {
    hf_trajectory_options wishes = hf_trajectory_options_default();
    wishes.rate = o->fps;
    wishes.quaternion =
        o->quaternion && strcmp(o->quaternion, "xyzw") == 0 ? HF_QUATERNION_XYZW : HF_QUATERNION_WXYZ;
    hf_workspace* workspace = NULL;
    hf_trajectory* t = NULL;
    progress p = progress_start(o);
    hf_status status = hf_workspace_create(&workspace);
    if (status != HF_OK) set_error(error, status);
    if (status == HF_OK) hf_workspace_watch(workspace, progress_report, &p);
    if (status == HF_OK)
        status = hf_trajectory_make(m->motion, m->creature, m->scene, &wishes, workspace, &t, error);
    progress_end(&p);
    if (status == HF_OK) status = hf_trajectory_save(t, o->output, error);
    if (status == HF_OK) {
        *cut = t->outcome == HF_CANCELLED;
        if (*cut) note(o, "stopped before the end: the table has %d rows", t->row_count);
        note_table(o, m->motion, t);
        if (o->json) print_json(table_json(o, m->motion, t));
    }
    hf_trajectory_free(t);
    hf_workspace_free(workspace);
    return status;
}

/* A creature alone as MJCF. */
static int export_mjcf(const char* path, const options* o) {
    hf_load_options l = load_options(o);
    hf_creature* creature = NULL;
    hf_error error = {0};
    if (!is_kind(path, FILE_CREATURE, "export -o FILE.xml")) return EXIT_BAD_INPUT;
    hf_status status = hf_creature_load(path, &l, &creature, &error);
    if (status == HF_OK) warn_all(o, hf_creature_get(creature)->warnings);
    if (status == HF_OK) status = hf_creature_write_mjcf(creature, o->output, &error);
    hf_creature_free(creature);
    if (status != HF_OK) return fail_with(&error);
    note(o, "wrote %s", o->output);
    if (o->json) print_json(json_pack("{s:o}", "output", json_text(o->output)));
    return EXIT_DONE;
}

/* Can what the command line wishes be written, whatever the file holds? */
static bool wishes_fit(const options* o) {
    static const char* const endings[] = {".glb", ".bvh", ".csv", ".npy", ".json", ".xml"};
    bool known = false;
    for (int i = 0; i < 6 && o->output; i++) known = known || ends_with(o->output, endings[i]);
    if (!known) {
        complain("export needs -o FILE that ends in .glb, .bvh, .csv, .npy, .json, .motion.json or .xml");
        return false;
    }
    if (o->quaternion && strcmp(o->quaternion, "wxyz") != 0 && strcmp(o->quaternion, "xyzw") != 0) {
        complain("--quaternion %s: wxyz or xyzw is expected", o->quaternion);
        return false;
    }
    if (o->quaternion && !is_table(o->output)) {
        complain("--quaternion goes with .csv, .npy and .json");
        return false;
    }
    return true;
}

int run_export(const options* o) {
    if (!wishes_fit(o)) return EXIT_USAGE;
    char* path = can_write(o->output) ? find_file(o->file) : NULL;
    if (!path) return EXIT_BAD_INPUT;
    if (!overrides_fit(o, path)) {
        free(path);
        return EXIT_USAGE;
    }
    if (ends_with(o->output, ".xml")) {
        int code = export_mjcf(path, o);
        free(path);
        return code;
    }
    loaded_motion m = {0};
    hf_error error = {0};
    hf_status status = load_any(path, o, &m, &error);
    bool table = is_table(o->output), cut = false;
    if (status == HF_OK && table) status = export_table(&m, o, &cut, &error);
    if (status == HF_OK && !table) {
        hf_export_options e = hf_export_options_default();
        e.scene = m.scene;
        if (o->fps > 0) e.fps = o->fps;
        choose_rig(o, m.creature, &e);
        status = ends_with(o->output, ".motion.json")
                     ? save_motion(&m, o->output, o, &error)
                     : hf_motion_export(m.motion, m.creature, &e, o->output, &error);
    }
    int frames = m.motion ? m.motion->frame_count : 0;
    free_motion(&m);
    free(path);
    if (status != HF_OK) return fail_with(&error);
    note(o, "wrote %s", o->output);
    if (o->json && !table)
        print_json(json_pack("{s:o,s:i}", "output", json_text(o->output), "frames", frames));
    return cut ? EXIT_NO_SOLUTION : EXIT_DONE;
}
