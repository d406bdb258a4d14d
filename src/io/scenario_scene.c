/* The "scene" of a scenario: mesh files, turned and scaled, as named objects. */
#include "base/error.h"
#include "base/memory.h"
#include "io/object_urdf.h"
#include "io/scenario_reader.h"

#include <stdio.h>
#include <string.h>

/* A mesh file, loaded once however many objects use it. */
typedef struct mesh_file {
    char* path;
    hf_mesh mesh;
} mesh_file;

typedef struct scene_reader {
    hf_scenario_reader* r;
    mesh_file* files;
    hf_object_def* objects;
    bool* owned;  /* the object's mesh is no file's alone: a changed copy, or made from links */
    char** names; /* of objects that are links of a URDF */
    int file_count, object_count;
    int64_t triangles;
} scene_reader;

/* One line for each warning of a mesh file. */
static void take_warnings(scene_reader* s, const char* path, char* warnings) {
    char* state = NULL;
    for (char* line = warnings ? strtok_r(warnings, "\n", &state) : NULL; line;
         line = strtok_r(NULL, "\n", &state))
        if (!hf_lines_add(&s->r->warnings, "%s: %s", path, line)) hf_scenario_out_of_memory(s->r);
    hf_text_free(warnings);
}

/* How far the floats of a mesh, scaled to metres, may be from the numbers of the file, m. */
static double rounding_of(const hf_mesh* mesh, double scale, double* most_m) {
    float most = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) most = fmaxf(most, fabsf(mesh->vertices[i]));
    *most_m = scale * (double)most;
    return scale * 0.5 * (double)(nextafterf(most, INFINITY) - most);
}

/* A mesh far from the origin has lost what its numbers had: contacts are made to a tenth of a millimetre, and
   surfaces must be there as exactly. */
static bool warn_of_rounding(hf_lines* warnings, const char* path, const hf_mesh* mesh, double scale) {
    static const double EXACT_M = 1e-4;
    double most_m, rounding_m = rounding_of(mesh, scale, &most_m);
    return rounding_m <= EXACT_M ||
           hf_lines_add(warnings,
                        "%s%scoordinates reach %.7g m from the origin, where they are rounded to %.2g m; "
                        "subtract most of that in the file and give it as the object's position",
                        path, path[0] ? ": " : "", most_m, rounding_m);
}

/* The warnings of a mesh file, one a line, with that of its rounding. */
static bool add_rounding(const hf_mesh* mesh, char** warnings) {
    hf_lines lines = {0};
    bool fine = warn_of_rounding(&lines, "", mesh, 1);
    if (fine && lines.count > 0) {
        char *old = *warnings, *text = NULL;
        fine = asprintf(&text, "%s%s%s", old ? old : "", old ? "\n" : "", lines.items[0]) >= 0;
        *warnings = fine ? text : old;
        if (fine) hf_text_free(old);
    }
    hf_lines_free(&lines);
    return fine;
}

static const hf_mesh* load_mesh(scene_reader* s, const char* where, const char* text) {
    hf_json* json = &s->r->json;
    char* path = hf_path_beside(s->r->path, text);
    if (!path) hf_scenario_out_of_memory(s->r);
    for (int i = 0; path && i < s->file_count; i++) {
        if (strcmp(s->files[i].path, path) != 0) continue;
        hf_free(path);
        return &s->files[i].mesh;
    }
    if (!path) return NULL;
    mesh_file* file = &s->files[s->file_count];
    char* warnings = NULL;
    json->status = hf_mesh_load(path, &file->mesh, &warnings, json->error);
    if (json->status != HF_OK) {
        /* The message names the mesh; say who asked for it. */
        hf_error* e = json->error;
        if (e && !e->field[0])
            snprintf(e->field, sizeof e->field, "%.60s of %.90s", where, hf_path_name(s->r->path));
        hf_free(path);
        return NULL;
    }
    file->path = path;
    s->file_count++;
    take_warnings(s, path, warnings);
    return json->status == HF_OK ? &file->mesh : NULL;
}

/* scale times the mesh, Y turned to Z where asked. */
static bool change_mesh(scene_reader* s, const char* where, const hf_mesh* from, bool y_up, double scale,
                        hf_mesh* to) {
    size_t vertices = (size_t)from->vertex_count * 3, indices = (size_t)from->triangle_count * 3;
    *to = (hf_mesh){from->vertex_count, from->triangle_count, hf_alloc(vertices, sizeof *to->vertices),
                    hf_alloc(indices, sizeof *to->indices)};
    if (!to->vertices || !to->indices) {
        hf_scenario_out_of_memory(s->r);
        hf_mesh_free(to);
        return false;
    }
    memcpy(to->indices, from->indices, indices * sizeof *to->indices);
    for (size_t i = 0; i < vertices; i += 3) {
        const float* v = from->vertices + i;
        double x = scale * v[0], y = scale * (y_up ? -v[2] : v[1]), z = scale * (y_up ? v[1] : v[2]);
        to->vertices[i] = (float)x;
        to->vertices[i + 1] = (float)y;
        to->vertices[i + 2] = (float)z;
        if (isfinite(to->vertices[i]) && isfinite(to->vertices[i + 1]) && isfinite(to->vertices[i + 2]))
            continue;
        hf_json_fail(&s->r->json, where, "\"scale\" %g makes the mesh too large", scale);
        hf_mesh_free(to);
        return false;
    }
    return true;
}

static void look_at_size(scene_reader* s, const char* where) {
    hf_json* json = &s->r->json;
    if (json->status == HF_OK && s->triangles > HF_SCENARIO_MAX_TRIANGLES)
        json->status = hf_fail(json->error, HF_ERROR_LIMIT, s->r->path, 0, where,
                               "the scene has more than %d triangles", HF_SCENARIO_MAX_TRIANGLES);
}

static void read_mesh(scene_reader* s, const char* where, const json_t* object, hf_object_def* def) {
    hf_json* json = &s->r->json;
    const char *text = NULL, *up = "z";
    double scale = 1;
    hf_json_string(json, where, object, "up", false, &up);
    hf_json_number(json, where, object, "scale", false, &scale);
    hf_json_string(json, where, object, "mesh", true, &text);
    if (json->status == HF_OK && strcmp(up, "y") != 0 && strcmp(up, "z") != 0)
        hf_json_fail(json, where, "\"up\" is \"%.20s\", \"y\" or \"z\" is expected", up);
    if (json->status == HF_OK && !(scale > 0))
        hf_json_fail(json, where, "\"scale\" is %g, it must be above 0", scale);
    const hf_mesh* mesh = json->status == HF_OK ? load_mesh(s, where, text) : NULL;
    if (!mesh) return;
    s->triangles += mesh->triangle_count;
    look_at_size(s, where);
    if (json->status != HF_OK) return;
    def->mesh = *mesh;
    if (!warn_of_rounding(&s->r->warnings, text, mesh, scale)) hf_scenario_out_of_memory(s->r);
    if (up[0] == 'y' || scale != 1)
        s->owned[s->object_count] = change_mesh(s, where, mesh, up[0] == 'y', scale, &def->mesh);
}

/* Where keys put an object at a time: straight and slerp between them, held outside. */
static hf_transform pose_at(const hf_key* keys, int count, double time_s) {
    int next = 0;
    while (next < count && keys[next].time_s <= time_s) next++;
    if (next == 0) return keys[0].pose;
    if (next == count) return keys[count - 1].pose;
    const hf_key *a = &keys[next - 1], *b = &keys[next];
    double t = (time_s - a->time_s) / (b->time_s - a->time_s);
    return (hf_transform){hf_lerp(a->pose.position, b->pose.position, t),
                          hf_quat_slerp(a->pose.rotation, b->pose.rotation, t)};
}

static void read_key(hf_scenario_reader* r, const char* where, const json_t* pair, hf_key* key) {
    json_t *time = json_array_get(pair, 0), *pose = json_array_get(pair, 1);
    if (!json_is_array(pair) || json_array_size(pair) != 2 || !json_is_number(time)) {
        hf_json_fail(&r->json, where, "[time, pose] is expected");
        return;
    }
    key->time_s = json_number_value(time);
    if (!(fabs(key->time_s) <= HF_MAX_KEY_TIME_S))
        hf_json_fail(&r->json, where, "time %g s is outside -%g to %g s", key->time_s, HF_MAX_KEY_TIME_S,
                     HF_MAX_KEY_TIME_S);
    hf_scenario_pose7(r, where, pose, &key->pose);
}

/* Keys replace position and rotation, so the object starts where they put it at time 0. */
static void read_keys(hf_scenario_reader* r, const char* where, const json_t* object, hf_object_def* def) {
    json_t* list = NULL;
    if (!hf_json_array(&r->json, where, object, "keys", false, &list)) return;
    size_t count = json_array_size(list);
    if (count == 0) return;
    hf_key* keys = hf_scenario_list(r, where, count, sizeof *keys);
    def->keys = keys;
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char inner[80];
        snprintf(inner, sizeof inner, "%.40s.keys[%zu]", where, i);
        read_key(r, inner, json_array_get(list, i), &keys[i]);
        if (r->json.status == HF_OK && i > 0 && !(keys[i].time_s > keys[i - 1].time_s))
            hf_json_fail(&r->json, inner, "time %g does not come after %g", keys[i].time_s,
                         keys[i - 1].time_s);
        def->key_count++;
    }
    if (r->json.status == HF_OK) def->start = pose_at(keys, def->key_count, 0);
}

static void look_at_name(scene_reader* s, const char* where, const char* name) {
    hf_json* json = &s->r->json;
    if (json->status == HF_OK && (!name[0] || strlen(name) > 200))
        hf_json_fail(json, where, "\"name\" must have 1 to 200 bytes");
    for (int i = 0; json->status == HF_OK && i < s->object_count; i++)
        if (strcmp(s->objects[i].name, name) == 0)
            hf_json_fail(json, where, "object \"%.60s\" is there twice", name);
}

/* The file says what these keys would. */
static void refuse_beside_urdf(hf_json* json, const char* where, const json_t* object) {
    static const char* const keys[] = {"mesh", "up", "scale", "movable", "mass_kg", "keys", "joint"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && json->status == HF_OK; i++)
        if (json_object_get(object, keys[i]))
            hf_json_fail(json, where, "\"%s\" is not for an object with \"urdf\"", keys[i]);
}

/* The two sides of the joint as two objects: `still` is the last of the list, the moving one comes after. */
static void add_sides(scene_reader* s, const char* where, hf_object_urdf* urdf) {
    hf_object_def *still = &s->objects[s->object_count], *moving = still + 1;
    char* name = NULL;
    if (asprintf(&name, "%s.%s", still->name, urdf->moving_name) < 0) {
        hf_scenario_out_of_memory(s->r);
        return;
    }
    still->mesh = urdf->still, urdf->still = (hf_mesh){0};
    s->owned[s->object_count++] = true;
    *moving = *still;
    moving->mesh = (hf_mesh){0};
    moving->movable = true;
    moving->start = hf_compose(still->start, urdf->moving_at);
    moving->name = s->names[s->object_count] = name;
    look_at_name(s, where, name);
    moving->mesh = urdf->moving, urdf->moving = (hf_mesh){0};
    s->owned[s->object_count] = true;
    s->r->scenario->reach_objects[s->object_count] = urdf->joint;
    s->triangles += (int64_t)still->mesh.triangle_count + moving->mesh.triangle_count;
    look_at_size(s, where);
}

static void read_urdf(scene_reader* s, const char* where, const json_t* object) {
    hf_json* json = &s->r->json;
    const char* text = NULL;
    hf_object_urdf urdf = {0};
    refuse_beside_urdf(json, where, object);
    if (json->status != HF_OK || !hf_json_string(json, where, object, "urdf", true, &text)) return;
    char* path = hf_path_beside(s->r->path, text);
    if (path)
        json->status = hf_object_urdf_read(path, s->r->options, &urdf, &s->r->warnings, json->error);
    else
        hf_scenario_out_of_memory(s->r);
    if (json->status == HF_OK) add_sides(s, where, &urdf);
    hf_object_urdf_free(&urdf);
    hf_free(path);
}

static void read_object(scene_reader* s, const char* where, const json_t* object) {
    static const char* const keys[] = {"name",     "mesh",    "up",      "scale", "position", "rotation",
                                       "friction", "contact", "movable", "grip",  "keys",     "mass_kg",
                                       "upright",  "grasps",  "joint",   "urdf"};
    enum { PLAIN = 12, ALL = 16 }; // the last ones belong to kind reach
    hf_scenario_reader* r = s->r;
    hf_json* json = &r->json;
    if (!json_is_object(object)) hf_json_fail(json, where, "an object is expected");
    if (json->status != HF_OK ||
        !hf_json_keys(json, where, object, keys, r->scenario->kind == HF_SCENARIO_REACH ? ALL : PLAIN))
        return;
    hf_object_def* def = &s->objects[s->object_count];
    *def = hf_object_def_default();
    hf_json_string(json, where, object, "name", true, &def->name);
    look_at_name(s, where, def->name);
    hf_scenario_point(r, where, object, "position", false, &def->start.position);
    hf_json_quat(json, where, object, "rotation", &def->start.rotation);
    if (hf_json_number(json, where, object, "friction", false, &def->friction) && def->friction < 0)
        hf_json_fail(json, where, "\"friction\" is %g, it cannot be negative", def->friction);
    hf_json_bool(json, where, object, "contact", &def->contact);
    hf_json_bool(json, where, object, "movable", &def->movable);
    hf_json_bool(json, where, object, "grip", &def->grip);
    if (hf_json_number(json, where, object, "mass_kg", false, &def->mass_kg) && def->mass_kg < 0)
        hf_json_fail(json, where, "\"mass_kg\" is %g, it cannot be negative", def->mass_kg);
    read_keys(r, where, object, def);
    if (json->status == HF_OK && json_object_get(object, "urdf"))
        read_urdf(s, where, object);
    else if (json->status == HF_OK)
        read_mesh(s, where, object, def);
    s->object_count++;
}

static void free_reader(scene_reader* s) {
    for (int i = 0; i < s->object_count; i++) {
        if (s->owned[i]) hf_mesh_free(&s->objects[i].mesh);
        hf_free((void*)s->objects[i].keys);
        hf_text_free(s->names[i]);
    }
    for (int i = 0; i < s->file_count; i++) {
        hf_free(s->files[i].path);
        hf_mesh_free(&s->files[i].mesh);
    }
    hf_free(s->files);
    hf_free(s->objects);
    hf_free(s->owned);
    hf_free(s->names);
}

/* Building knows objects but no files; add which file they came from. */
static hf_status build(const hf_object_def* objects, int count, const char* path, hf_scene** scene,
                       hf_error* error) {
    hf_status status = hf_scene_build(objects, count, scene, error);
    if (status != HF_OK && error && !error->file[0]) snprintf(error->file, sizeof error->file, "%s", path);
    return status;
}

void hf_scenario_read_scene(hf_scenario_reader* r) {
    scene_reader s = {.r = r};
    json_t* list = NULL;
    hf_json_array(&r->json, "", r->json.root, "scene", false, &list);
    size_t count = json_array_size(list);
    if (count > HF_SCENARIO_MAX_OBJECTS) {
        r->json.status = hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "scene",
                                 "has more than %d objects", HF_SCENARIO_MAX_OBJECTS);
        return;
    }
    // an object with a URDF becomes two
    s.files = hf_scenario_list(r, "scene", count, sizeof *s.files);
    s.objects = hf_scenario_list(r, "scene", 2 * count, sizeof *s.objects);
    s.owned = hf_scenario_list(r, "scene", 2 * count, sizeof *s.owned);
    s.names = hf_scenario_list(r, "scene", 2 * count, sizeof *s.names);
    if (r->scenario->kind == HF_SCENARIO_REACH)
        r->scenario->reach_objects =
            hf_scenario_list(r, "scene", 2 * count + 1, sizeof *r->scenario->reach_objects);
    for (size_t i = 0; i < count && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "scene[%zu]", i);
        read_object(&s, where, json_array_get(list, i));
    }
    if (r->json.status == HF_OK)
        r->json.status = build(s.objects, s.object_count, r->path, &r->scenario->scene, r->json.error);
    free_reader(&s);
}

hf_status hf_scene_load_mesh(const char* path, hf_scene** scene, char** warnings, hf_error* error) {
    HF_REQUIRE(error, path && scene);
    *scene = NULL;
    hf_object_def def = hf_object_def_default();
    hf_status status = hf_mesh_load(path, &def.mesh, warnings, error);
    if (status != HF_OK) return status;
    char* name = hf_copy_text(hf_path_name(path));
    char* dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name) *dot = 0;
    def.name = name;
    bool told = name && (!warnings || add_rounding(&def.mesh, warnings));
    status = told ? build(&def, 1, path, scene, error) : hf_fail_memory(error, path);
    hf_free(name);
    hf_mesh_free(&def.mesh);
    if (status != HF_OK && warnings) {
        hf_text_free(*warnings);
        *warnings = NULL;
    }
    return status;
}
