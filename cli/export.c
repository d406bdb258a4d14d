/* holdfast export: motions, clips and creatures to files that other programs open. */
#include "command.h"

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

int run_export(const options* o) {
    static const char* const endings[] = {".glb", ".bvh", ".csv", ".motion.json"};
    bool known = false;
    for (int i = 0; i < 4 && o->output; i++) known = known || ends_with(o->output, endings[i]);
    if (!known) {
        complain("export needs -o FILE that ends in .glb, .bvh, .csv or .motion.json");
        return EXIT_USAGE;
    }
    char* path = can_write(o->output) ? find_file(o->file) : NULL;
    if (!path) return EXIT_BAD_INPUT;
    if (!overrides_fit(o, path)) {
        free(path);
        return EXIT_USAGE;
    }
    loaded_motion m = {0};
    hf_error error = {0};
    hf_status status = load_any(path, o, &m, &error);
    if (status == HF_OK) {
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
    if (o->json) print_json(json_pack("{s:o,s:i}", "output", json_text(o->output), "frames", frames));
    return EXIT_DONE;
}
