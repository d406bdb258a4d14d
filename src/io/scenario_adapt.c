/* Scenarios of kind adapt: the clip, the mapping of its joints to the creature's links, the edits. */
#include "base/memory.h"
#include "io/scenario_reader.h"

#include <stdio.h>
#include <string.h>

/* ---- the clip ---- */

static void read_frame(hf_scenario_reader* r, const json_t* object, const char* key, int* frame) {
    double value;
    if (!hf_json_number(&r->json, "clip", object, key, false, &value)) return;
    if (value >= 0 && value <= 1e9 && value == (int)value)
        *frame = (int)value;
    else
        hf_json_fail(&r->json, "clip", "\"%s\" is %g, the number of a frame is expected", key, value);
}

static void read_up(hf_scenario_reader* r, const json_t* object, char* up) {
    const char* text;
    if (!hf_json_string(&r->json, "clip", object, "up", false, &text)) return;
    if (strcmp(text, "y") == 0 || strcmp(text, "z") == 0)
        *up = text[0];
    else
        hf_json_fail(&r->json, "clip", "\"up\" is \"%.20s\", \"y\" or \"z\" is expected", text);
}

static void read_positive(hf_scenario_reader* r, const json_t* object, const char* key, double* value) {
    if (hf_json_number(&r->json, "clip", object, key, false, value) && !(*value > 0))
        hf_json_fail(&r->json, "clip", "\"%s\" is %g, it must be above 0", key, *value);
}

static char* path_of(hf_scenario_reader* r, const json_t* object, const char* key, bool required) {
    const char* text;
    if (!hf_json_string(&r->json, "clip", object, key, required, &text)) return NULL;
    char* path = hf_path_beside(r->path, text);
    if (!path) hf_scenario_out_of_memory(r);
    return path;
}

void hf_scenario_read_clip(hf_scenario_reader* r) {
    static const char* const keys[] = {"file", "unit", "up", "rate", "joints", "from", "to", "name"};
    json_t* object = NULL;
    bool needed = json_object_get(r->json.root, "mapping") || json_object_get(r->json.root, "edits");
    if (!hf_json_object(&r->json, "", r->json.root, "clip", needed, &object) ||
        !hf_json_keys(&r->json, "clip", object, keys, 8))
        return;
    hf_adapt_task* task = r->scenario->adapt = hf_scenario_list(r, "clip", 1, sizeof *task);
    if (!task) return;
    hf_clip_options o = hf_clip_options_default();
    task->clip_path = path_of(r, object, "file", true);
    char* joints = path_of(r, object, "joints", false);
    o.joints = joints;
    read_positive(r, object, "unit", &o.unit_m);
    read_positive(r, object, "rate", &o.rate);
    read_up(r, object, &o.up);
    hf_json_string(&r->json, "clip", object, "name", false, &o.clip);
    read_frame(r, object, "from", &o.from);
    read_frame(r, object, "to", &o.to);
    if (r->json.status == HF_OK && !hf_text_ends(task->clip_path, ".schedule.json"))
        r->json.status = hf_clip_open(task->clip_path, &o, &task->clip, r->json.error);
    hf_free(joints);
}

void hf_scenario_own_creature(hf_scenario_reader* r) {
    hf_scenario* s = r->scenario;
    if (r->json.status != HF_OK) return;
    if (!s->adapt->clip) {
        hf_json_fail(&r->json, "", "\"creature\" is missing: the clip is a schedule, which has no skeleton");
        return;
    }
    s->creature_path = hf_copy_text(s->adapt->clip_path);
    if (!s->creature_path)
        hf_scenario_out_of_memory(r);
    else
        r->json.status = hf_clip_creature(s->adapt->clip, &s->creature, r->json.error);
}

/* ---- the mapping ---- */

static void check_joint(hf_scenario_reader* r, const char* name) {
    const hf_clip* clip = r->scenario->adapt->clip;
    if (!clip) {
        hf_json_fail(&r->json, "mapping", "the clip is a schedule of the creature, which needs no mapping");
        return;
    }
    for (int i = 0; i < clip->joint_count; i++)
        if (!clip->joints[i].end_site && strcmp(clip->joints[i].name, name) == 0) return;
    const char** names = hf_alloc((size_t)clip->joint_count, sizeof *names);
    int count = 0;
    for (int i = 0; names && i < clip->joint_count; i++)
        if (!clip->joints[i].end_site) names[count++] = clip->joints[i].name;
    if (names)
        hf_scenario_unknown(r, "mapping", "joint of the clip", name, names, count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
}

static void check_link(hf_scenario_reader* r, const char* name) {
    if (!name[0] || hf_creature_find_link(r->scenario->creature, name) >= 0) return;
    const hf_creature_view* view = hf_creature_get(r->scenario->creature);
    const char** names = hf_alloc((size_t)view->link_count, sizeof *names);
    for (int i = 0; names && i < view->link_count; i++) names[i] = view->links[i].name;
    if (names)
        hf_scenario_unknown(r, "mapping", "link of the creature", name, names, view->link_count);
    else
        hf_scenario_out_of_memory(r);
    hf_free(names);
}

void hf_scenario_read_mapping(hf_scenario_reader* r) {
    json_t *object = NULL, *value;
    const char* key;
    if (!hf_json_object(&r->json, "", r->json.root, "mapping", false, &object)) return;
    hf_adapt_task* task = r->scenario->adapt;
    task->mapping = hf_scenario_list(r, "mapping", json_object_size(object), sizeof *task->mapping);
    json_object_foreach(object, key, value) {
        if (r->json.status != HF_OK) return;
        if (!json_is_string(value) && !json_is_null(value)) {
            hf_json_fail(&r->json, "mapping", "\"%.60s\" is neither the name of a link nor null", key);
            return;
        }
        const char* link = json_is_string(value) ? json_string_value(value) : "";
        check_joint(r, key);
        if (r->json.status == HF_OK) check_link(r, link);
        hf_joint_link* to = &task->mapping[task->mapping_count++];
        *to = (hf_joint_link){hf_copy_text(key), hf_copy_text(link)};
        if (!to->joint || !to->link) hf_scenario_out_of_memory(r);
    }
}

/* ---- the edits ---- */

static void read_mesh(hf_scenario_reader* r, const char* where, const json_t* object, hf_scene_edit* edit) {
    const char *text = NULL, *up = "z";
    hf_json_string(&r->json, where, object, "up", false, &up);
    if (r->json.status == HF_OK && strcmp(up, "y") != 0 && strcmp(up, "z") != 0)
        hf_json_fail(&r->json, where, "\"up\" is \"%.20s\", \"y\" or \"z\" is expected", up);
    if (!hf_json_string(&r->json, where, object, "mesh", false, &text) || r->json.status != HF_OK) return;
    char *path = hf_path_beside(r->path, text), *warnings = NULL;
    if (!path) {
        hf_scenario_out_of_memory(r);
        return;
    }
    r->json.status = hf_mesh_load(path, &edit->mesh, &warnings, r->json.error);
    if (r->json.status == HF_OK && warnings && !hf_lines_add(&r->warnings, "%s: %s", path, warnings))
        hf_scenario_out_of_memory(r);
    hf_text_free(warnings);
    hf_free(path);
    for (int i = 0; r->json.status == HF_OK && up[0] == 'y' && i < edit->mesh.vertex_count; i++) {
        float* v = edit->mesh.vertices + 3 * (size_t)i;
        float y = v[1];
        v[1] = -v[2], v[2] = y;
    }
}

static void read_vertices(hf_scenario_reader* r, const char* where, const json_t* object,
                          hf_scene_edit* edit) {
    json_t* list = NULL;
    if (!hf_json_array(&r->json, where, object, "vertices", false, &list)) return;
    int known = hf_scene_find(r->scenario->scene, edit->object);
    size_t count = json_array_size(list);
    int expected = known >= 0 ? hf_scene_object(r->scenario->scene, known).mesh.vertex_count : 0;
    // the last mesh that this edit or one before it gives the object counts
    for (const hf_scene_edit* e = r->scenario->adapt->edits; e <= edit; e++)
        if (e->mesh.vertex_count && strcmp(e->object, edit->object) == 0) expected = e->mesh.vertex_count;
    if (count != (size_t)expected) {
        hf_json_fail(&r->json, where, "\"vertices\" has %zu points, the mesh has %d", count, expected);
        return;
    }
    edit->vertices = hf_alloc(3 * count, sizeof *edit->vertices);
    if (!edit->vertices) hf_scenario_out_of_memory(r);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        double v[3];
        if (!hf_json_numbers(&r->json, where, json_array_get(list, i), 3, v)) return;
        for (int k = 0; k < 3; k++) edit->vertices[3 * i + (size_t)k] = (float)v[k];
    }
    edit->vertex_count = (int)count;
}

/* An edit must change something, and something that is there unless it brings its own mesh. */
static void check_edit(hf_scenario_reader* r, const char* where, const hf_scene_edit* edit) {
    bool there = hf_scene_find(r->scenario->scene, edit->object) >= 0;
    for (const hf_scene_edit* e = r->scenario->adapt->edits; e < edit && !there; e++)
        there = strcmp(e->object, edit->object) == 0;
    bool mesh = edit->mesh.vertex_count > 0;
    if (!there && !mesh) {
        int count = hf_scene_object_count(r->scenario->scene);
        const char** names = hf_alloc((size_t)count, sizeof *names);
        for (int i = 0; names && i < count; i++) names[i] = hf_scene_object(r->scenario->scene, i).name;
        if (names)
            hf_scenario_unknown(r, where, "object", edit->object, names, count);
        else
            hf_scenario_out_of_memory(r);
        hf_free(names);
    }
    bool changes = mesh || edit->has_position || edit->has_rotation || edit->scale != 1 || edit->vertices;
    if (edit->remove == changes)
        hf_json_fail(&r->json, where,
                     edit->remove ? "removes the object and changes it, one is expected"
                                  : "changes nothing: remove, position, rotation, scale, mesh or vertices");
}

static void read_edit(hf_scenario_reader* r, const char* where, const json_t* object, hf_scene_edit* edit) {
    static const char* const keys[] = {"object", "remove", "position", "rotation", "scale",
                                       "mesh",   "up",     "vertices", "friction", "at"};
    const char* name = NULL;
    *edit = (hf_scene_edit){.rotation = hf_quat_identity(), .scale = 1, .friction = 0.5};
    if (!json_is_object(object)) hf_json_fail(&r->json, where, "an object is expected");
    if (r->json.status != HF_OK || !hf_json_keys(&r->json, where, object, keys, 10)) return;
    if (!hf_json_string(&r->json, where, object, "object", true, &name)) return;
    edit->object = hf_copy_text(name);
    if (!edit->object) hf_scenario_out_of_memory(r);
    hf_json_bool(&r->json, where, object, "remove", &edit->remove);
    edit->has_position = hf_scenario_point(r, where, object, "position", false, &edit->position);
    edit->has_rotation = hf_json_quat(&r->json, where, object, "rotation", &edit->rotation);
    if (hf_json_number(&r->json, where, object, "scale", false, &edit->scale) && !(edit->scale > 0))
        hf_json_fail(&r->json, where, "\"scale\" is %g, it must be above 0", edit->scale);
    if (hf_json_number(&r->json, where, object, "friction", false, &edit->friction) && edit->friction < 0)
        hf_json_fail(&r->json, where, "\"friction\" is %g, it cannot be negative", edit->friction);
    if (hf_json_number(&r->json, where, object, "at", false, &edit->at_s) && edit->at_s < 0)
        hf_json_fail(&r->json, where, "\"at\" is %g s, it cannot be before the motion", edit->at_s);
    read_mesh(r, where, object, edit);
    if (r->json.status == HF_OK) read_vertices(r, where, object, edit);
    if (r->json.status == HF_OK) check_edit(r, where, edit);
}

void hf_scenario_read_edits(hf_scenario_reader* r) {
    json_t* list = NULL;
    if (!hf_json_array(&r->json, "", r->json.root, "edits", false, &list)) return;
    hf_adapt_task* task = r->scenario->adapt;
    size_t count = json_array_size(list);
    task->edits = hf_scenario_list(r, "edits", count, sizeof *task->edits);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "edits[%zu]", i);
        task->edit_count++;
        read_edit(r, where, json_array_get(list, i), &task->edits[i]);
    }
    if (r->json.status != HF_OK || count == 0) return;
    task->scene = r->scenario->scene;
    r->scenario->scene = NULL;
    r->json.status =
        hf_scene_change(task->scene, task->edits, task->edit_count, &r->scenario->scene, r->json.error);
}

void hf_scenario_read_schedule(hf_scenario_reader* r) {
    hf_adapt_task* task = r->scenario->adapt;
    if (r->json.status != HF_OK || task->clip) return;
    r->json.status = hf_schedule_load(task->clip_path, r->scenario->creature, r->scenario->scene,
                                      &task->schedule, r->json.error);
}

void hf_scenario_free_adapt(hf_adapt_task* task) {
    if (!task) return;
    for (int i = 0; i < task->mapping_count; i++) {
        hf_free(task->mapping[i].joint);
        hf_free(task->mapping[i].link);
    }
    for (int i = 0; i < task->edit_count; i++) {
        hf_free(task->edits[i].object);
        hf_free(task->edits[i].vertices);
        hf_mesh_free(&task->edits[i].mesh);
    }
    hf_clip_free(task->clip);
    hf_schedule_free(task->schedule);
    hf_scene_free(task->scene);
    hf_free(task->clip_path);
    hf_free(task->mapping);
    hf_free(task->edits);
    hf_free(task);
}
