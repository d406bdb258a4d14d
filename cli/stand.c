/* holdfast stand: a balanced standing pose of a creature on the ground at a place, as a start for scenarios.
 */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_SAMPLES = 100 }; /* feet go to the ground under them, sample sets are hardly used */

hf_status stand_scenario(const options* o, hf_scenario* s, hf_error* error) {
    if (!s->start.stands && !s->goal.stands) return HF_OK;
    hf_plan_options wishes = hf_plan_options_default();
    if (s->kind == HF_SCENARIO_PLAN && !apply_settings(o, s, "plan", &wishes)) {
        *error = (hf_error){.status = HF_ERROR_FORMAT, .message = "has options that do not fit"};
        snprintf(error->file, sizeof error->file, "%s", s->path);
        return HF_ERROR_FORMAT;
    }
    wishes.samples = FEW_SAMPLES;
    wishes.threads = o->threads;
    hf_plan_model* model = NULL;
    hf_status status = hf_stand_model_create(s->creature, &wishes, &model, error);
    if (status == HF_OK) status = hf_scenario_stand(s, model, &wishes, error);
    hf_plan_model_free(model);
    return status;
}

/* Farther out, m, floats cannot tell the corners of the floor from its middle. */
static const double FARTHEST = 1e6;

/* "X,Y" or "X,Y,YAW". */
static bool read_place(const char* text, double at[3]) {
    int end = 0;
    at[0] = at[1] = 0, at[2] = NAN; // no heading
    if (!text) return true;
    bool read = sscanf(text, "%lf,%lf%n", &at[0], &at[1], &end) == 2;
    if (read && text[end]) {
        const char* yaw = text + end;
        read = sscanf(yaw, ",%lf%n", &at[2], &end) == 1 && !yaw[end] && fabs(at[2]) <= FARTHEST;
    }
    if (read && fabs(at[0]) <= FARTHEST && fabs(at[1]) <= FARTHEST) return true;
    complain("--at %s: two or three numbers up to %g are expected: X,Y or X,Y,YAW", text, FARTHEST);
    return false;
}

/* A floor of 20 m by 20 m about the place, half a metre thick. */
static hf_status make_floor(const double at[3], hf_mesh* mesh) {
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {10, 10, 0.25}};
    hf_status status = hf_shape_mesh(&box, 8, mesh);
    for (int i = 0; i < mesh->vertex_count && status == HF_OK; i++) {
        mesh->vertices[3 * i] += (float)at[0];
        mesh->vertices[3 * i + 1] += (float)at[1];
        mesh->vertices[3 * i + 2] -= 0.25f;
    }
    return status;
}

static hf_status write_obj(const hf_mesh* mesh, const char* path, hf_error* error) {
    char* text = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&text, &size);
    for (int i = 0; memory && i < mesh->vertex_count; i++)
        fprintf(memory, "v %.9g %.9g %.9g\n", (double)mesh->vertices[3 * i],
                (double)mesh->vertices[3 * i + 1], (double)mesh->vertices[3 * i + 2]);
    for (int i = 0; memory && i < mesh->triangle_count; i++)
        fprintf(memory, "f %u %u %u\n", mesh->indices[3 * i] + 1, mesh->indices[3 * i + 1] + 1,
                mesh->indices[3 * i + 2] + 1);
    bool whole = memory && fclose(memory) == 0 && text;
    hf_status status = whole ? hf_file_save(path, text, size, error) : keep_kind(error, HF_ERROR_MEMORY);
    free(text);
    return status;
}

/* What the command works on. */
typedef struct standing {
    const options* o;
    char* creature_path;
    hf_creature* creature;
    hf_mesh mesh; /* the floor or the given scene */
    hf_scene* scene;
    hf_stand_result result;
} standing;

static hf_status load_all(standing* w, const double at[3], hf_error* error) {
    hf_load_options l = load_options(w->o);
    hf_status status = hf_creature_load(w->creature_path, &l, &w->creature, error);
    if (status == HF_OK) warn_all(w->o, hf_creature_get(w->creature)->warnings);
    if (status == HF_OK && w->o->scene) {
        char* warning = NULL;
        status = hf_mesh_load(w->o->scene, &w->mesh, &warning, error);
        if (warning) note(w->o, "%s", warning);
        free(warning);
    } else if (status == HF_OK) {
        status = keep_kind(error, make_floor(at, &w->mesh));
    }
    hf_object_def ground = hf_object_def_default();
    ground.name = "ground";
    ground.mesh = w->mesh;
    return status == HF_OK ? hf_scene_build(&ground, 1, &w->scene, error) : status;
}

static hf_status find(standing* w, const double at[3], hf_error* error) {
    hf_plan_options wishes = hf_plan_options_default();
    wishes.samples = FEW_SAMPLES;
    wishes.threads = w->o->threads;
    if (w->o->seed >= 0) wishes.seed = (uint64_t)w->o->seed;
    hf_plan_model* model = NULL;
    hf_status status = hf_stand_model_create(w->creature, &wishes, &model, error);
    if (status == HF_OK) status = hf_stand(model, w->scene, at[0], at[1], at[2], &wishes, &w->result, error);
    hf_plan_model_free(model);
    return status;
}

/* ---- what it says ---- */

static json_t* pose7(hf_transform t) {
    return json_pack("[fffffff]", t.position.x, t.position.y, t.position.z, t.rotation.w, t.rotation.x,
                     t.rotation.y, t.rotation.z);
}

static json_t* joint_values(const hf_creature_view* c, const double* q) {
    json_t* joints = json_object();
    for (int j = 0; j < c->joint_count; j++)
        if (c->joints[j].q_count == 1 && c->joints[j].mimic < 0)
            json_object_set_new(joints, c->joints[j].name, json_real(q[c->joints[j].q_index]));
    return joints;
}

/* The pose as the "start" of a scenario. */
static json_t* start_json(const standing* w) {
    const hf_creature_view* c = hf_creature_get(w->creature);
    const hf_scenario_state* s = &w->result.state;
    json_t* contacts = json_array();
    for (int i = 0; i < s->contact_count; i++) {
        const hf_hold* k = &s->contacts[i];
        json_array_append_new(contacts, json_pack("{s:s,s:[fff],s:[fff],s:s}", "limb", c->limbs[k->limb].name,
                                                  "point", k->point.x, k->point.y, k->point.z, "normal",
                                                  k->normal.x, k->normal.y, k->normal.z, "object", "ground"));
    }
    return json_pack("{s:o,s:o,s:o}", "root", pose7(s->pose.root), "joints", joint_values(c, s->pose.q),
                     "contacts", contacts);
}

static void say(const standing* w) {
    const hf_stand_result* r = &w->result;
    bool found = r->outcome == HF_FOUND;
    const char* name = hf_creature_get(w->creature)->name;
    if (w->o->json)
        print_json(json_pack("{s:s,s:s,s:f,s:f,s:o?}", "outcome", hf_outcome_text(r->outcome), "why", r->why,
                             "height_m", r->height_m, "margin_m", r->margin_m, "start",
                             found ? start_json(w) : NULL));
    else if (!found)
        printf("%s: none: %s\n", name, r->why);
    else
        printf("%s: stands on %d limb%s, the root at %.3f %.3f %.3f, %.3f m over the ground; balance margin "
               "%.0f "
               "mm\n",
               name, r->state.contact_count, r->state.contact_count == 1 ? "" : "s",
               r->state.pose.root.position.x, r->state.pose.root.position.y, r->state.pose.root.position.z,
               r->height_m, 1000 * r->margin_m);
}

/* ---- what it writes ---- */

/* A plan scenario that starts as the creature stands, and goes nowhere until another goal is written into it;
   the floor is written beside it. */
static hf_status write_scenario(const standing* w, const char* path, hf_error* error) {
    char* floor = make_text("%s/%s-stand-ground.obj", w->o->output, hf_creature_get(w->creature)->name);
    char* creature = nameable(w->creature_path);
    char* mesh = w->o->scene ? nameable(w->o->scene)
                             : make_text("%s-stand-ground.obj", hf_creature_get(w->creature)->name);
    hf_status status = HF_OK;
    if (!creature || (w->o->scene && !mesh))
        status = already_told(error, HF_ERROR_FILE); // by nameable
    else if (!floor || !mesh)
        status = set_error(error, HF_ERROR_MEMORY);
    if (status == HF_OK && !w->o->scene) status = write_obj(&w->mesh, floor, error);
    if (status == HF_OK) {
        json_t* root =
            json_pack("{s:s,s:i,s:s,s:s,s:[{s:s,s:s}],s:o,s:{s:o}}", "format", "holdfast-scenario", "version",
                      1, "kind", "plan", "creature", creature, "scene", "name", "ground", "mesh", mesh,
                      "start", start_json(w), "goal", "root", pose7(w->result.state.pose.root));
        char* text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
        status = text ? hf_file_save(path, text, strlen(text), error) : HF_ERROR_MEMORY;
        free(text);
        json_decref(root);
    }
    free(floor);
    free(creature);
    free(mesh);
    return keep_kind(error, status);
}

static hf_status add_contacts(const standing* w, hf_motion* motion, hf_motion_frame* frame) {
    hf_status status = HF_OK;
    for (int i = 0; i < w->result.state.contact_count && status == HF_OK; i++)
        status = hf_motion_add_contact(motion, frame, &w->result.state.contacts[i]);
    return status;
}

static hf_status write_all(standing* w, hf_error* error) {
    char* stem = make_text("%s/%s-stand", w->o->output, hf_creature_get(w->creature)->name);
    char* path = stem ? make_text("%s.scenario.json", stem) : NULL;
    hf_load_options l = load_options(w->o);
    hf_scenario* s = NULL;
    hf_status status = path ? write_scenario(w, path, error) : keep_kind(error, HF_ERROR_MEMORY);
    if (status == HF_OK) status = hf_scenario_load(path, &l, &s, error);
    if (status == HF_OK) {
        loaded_motion m = {.creature = s->creature, .scenario = s, .scene = s->scene};
        progress p = progress_start(w->o);
        hf_motion_frame* frame = begin_motion(&m, s, &w->result.state.pose, "found");
        status = keep_kind(error, frame ? add_contacts(w, m.motion, frame) : HF_ERROR_MEMORY);
        int first = 0;
        if (status == HF_OK) {
            m.motion->claims |= HF_CLAIM_COLLISION | HF_CLAIM_BALANCE;
            status = write_motion(&m, stem, &first, 1, hf_v3(0, 0, 0), w->o, &p, error);
        }
        progress_end(&p);
        hf_motion_free(m.motion);
    }
    if (status == HF_OK) note(w->o, "wrote %s, a plan that starts there", path);
    hf_scenario_free(s);
    free(stem);
    free(path);
    return status;
}

int run_stand(const options* o) {
    double at[3];
    hf_picture_options picture;
    if (!read_place(o->at, at) || !picture_options(o, &picture)) return EXIT_USAGE;
    standing w = {.o = o, .creature_path = find_file(o->file)};
    hf_error error = {0};
    int code = EXIT_BAD_INPUT;
    if (w.creature_path &&
        (kind_of(w.creature_path) == FILE_CLIP || is_kind(w.creature_path, FILE_CREATURE, "stand")) &&
        (!o->output || make_output(o))) {
        hf_status status = load_all(&w, at, &error);
        if (status == HF_OK) status = find(&w, at, &error);
        if (status == HF_OK) say(&w);
        bool found = w.result.outcome == HF_FOUND;
        if (status == HF_OK && found && o->output) status = write_all(&w, &error);
        code = status != HF_OK ? fail_with(&error) : found ? EXIT_DONE : EXIT_NO_SOLUTION;
    }
    hf_stand_result_free(&w.result);
    hf_scene_free(w.scene);
    hf_mesh_free(&w.mesh);
    hf_creature_free(w.creature);
    free(w.creature_path);
    return code;
}
