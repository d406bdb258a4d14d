/* Edited scenes: objects moved, scaled, deformed, replaced, added or removed, all other geometry shared. */
#include "base/error.h"
#include "base/memory.h"
#include "model/scene.h"

#include <holdfast/edit.h>

#include <math.h>

hf_scene_edit hf_scene_edit_of(const char* object) {
    return (hf_scene_edit){
        .object = (char*)object, .rotation = hf_quat_identity(), .scale = 1, .friction = 0.5};
}

static hf_object_def def_of(const hf_object* o) {
    return (hf_object_def){.name = o->name,
                           .mesh = o->mesh,
                           .start = o->start,
                           .friction = o->friction,
                           .contact = o->contact,
                           .movable = o->movable,
                           .grip = o->grip,
                           .key_count = o->key_count,
                           .keys = o->keys,
                           .mass_kg = o->mass_kg};
}

static hf_status refuse(const hf_scene_edit* e, const char* why, hf_error* error) {
    return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "edits", "object \"%.100s\": %s", e->object, why);
}

/* Builds the object anew with another mesh. */
static hf_status remake(hf_object* o, const hf_mesh* mesh, hf_error* error) {
    hf_object_def def = def_of(o);
    def.mesh = *mesh;
    hf_object made = {0};
    hf_status status = hf_object_check(&def, 0, error);
    if (status != HF_OK) return status;
    status = hf_object_build(&def, &made);
    if (status != HF_OK) {
        hf_object_free(&made);
        return hf_fail_status(error, status, NULL);
    }
    hf_object_free(o);
    *o = made;
    return HF_OK;
}

/* The mesh with vertices moved to where the edit has them, times its scale. */
static hf_status reshape(hf_object* o, const hf_scene_edit* e, hf_error* error) {
    hf_mesh mesh = e->mesh.vertices ? e->mesh : o->mesh;
    if (e->vertices && e->vertex_count != mesh.vertex_count)
        return refuse(e, "a deformation has a place for each vertex of the mesh", error);
    const float* from = e->vertices ? e->vertices : mesh.vertices;
    size_t n = 3 * (size_t)mesh.vertex_count;
    mesh.vertices = hf_alloc(n, sizeof *mesh.vertices);
    if (!mesh.vertices) return hf_fail_memory(error, NULL);
    for (size_t i = 0; i < n; i++) mesh.vertices[i] = (float)((double)from[i] * e->scale);
    hf_status status = remake(o, &mesh, error);
    hf_free(mesh.vertices);
    return status;
}

/* Where the object is at this time of the motion, by its keys where it has some. */
static hf_transform pose_at(const hf_object* o, double time_s) {
    return o->key_count ? hf_keys_pose(o->keys, o->key_count, time_s) : o->start;
}

/* Adds a key at the edit's time, after one at time 0 where there is none; later keys go. */
static hf_status key(hf_object* o, double at_s, hf_transform pose, hf_error* error) {
    hf_key* keys = hf_alloc((size_t)o->key_count + 2, sizeof *keys);
    if (!keys) return hf_fail_memory(error, NULL);
    int n = 0;
    for (int i = 0; i < o->key_count && o->keys[i].time_s < at_s; i++) keys[n++] = o->keys[i];
    if (n == 0) keys[n++] = (hf_key){0, pose_at(o, 0)};
    keys[n++] = (hf_key){at_s, pose};
    hf_free(o->keys);
    o->keys = keys;
    o->key_count = n;
    return HF_OK;
}

static hf_status place(hf_object* o, const hf_scene_edit* e, hf_error* error) {
    // the half of the pose that the edit does not give is that of the moment from which the edit holds
    hf_transform pose = pose_at(o, e->at_s);
    if (e->has_position) pose.position = e->position;
    if (e->has_rotation) pose.rotation = hf_quat_normalize(e->rotation);
    if (e->at_s > 0) return key(o, e->at_s, pose, error);
    o->start = pose;
    hf_free(o->keys);
    o->keys = hf_alloc(0, sizeof *o->keys);
    o->key_count = 0;
    return o->keys ? HF_OK : hf_fail_memory(error, NULL);
}

static hf_status check_edit(const hf_scene_edit* e, hf_error* error) {
    if (!e->object || !e->object[0])
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "edits", "an edit names no object");
    hf_quat q = e->rotation;
    double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(e->scale > 0) || !isfinite(e->scale)) return refuse(e, "the scale is not above 0", error);
    if (e->has_position && !isfinite(hf_length(e->position)))
        return refuse(e, "the position is not finite", error);
    if (e->has_rotation && !(isfinite(length) && length > 1e-12))
        return refuse(e, "the rotation has no length or is not finite", error);
    if (!(e->at_s >= 0) || e->at_s > HF_MAX_KEY_TIME_S)
        return refuse(e, "the time is negative, not finite or too large", error);
    if (e->at_s > 0 && (e->remove || e->scale != 1 || e->vertices || e->mesh.vertices))
        return refuse(e, "only a position and a rotation may have a time", error);
    return HF_OK;
}

static hf_status add(hf_scene* s, const hf_scene_edit* e, hf_error* error) {
    if (!e->mesh.vertices) {
        const char* names[64];
        int n = s->count < 64 ? s->count : 64;
        for (int i = 0; i < n; i++) names[i] = s->objects[i].name;
        const char* near = hf_nearest_word(e->object, names, n);
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "edits",
                       "the scene has no object \"%.100s\"%s%.100s%s", e->object,
                       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    hf_object_def def = hf_object_def_default();
    def.name = e->object;
    def.friction = e->friction;
    def.mesh = (hf_mesh){0};
    hf_status status = hf_object_check(&def, s->count, error);
    if (status != HF_OK) return status;
    status = hf_object_build(&def, &s->objects[s->count]);
    s->count++;
    return hf_fail_status(error, status, NULL);
}

static hf_status apply(hf_scene* s, const hf_scene_edit* e, hf_error* error) {
    hf_status status = check_edit(e, error);
    if (status != HF_OK) return status;
    int i = hf_scene_find(s, e->object);
    if (i < 0) {
        status = add(s, e, error);
        i = s->count - 1;
    }
    if (status != HF_OK) return status;
    hf_object* o = &s->objects[i];
    if (e->remove) {
        hf_mesh none = {0};
        o->contact = false;
        return remake(o, &none, error);
    }
    if (e->mesh.vertices || e->vertices || e->scale != 1) status = reshape(o, e, error);
    if (status == HF_OK && (e->has_position || e->has_rotation)) status = place(o, e, error);
    return status;
}

hf_status hf_scene_change(const hf_scene* scene, const hf_scene_edit* edits, int count, hf_scene** changed,
                          hf_error* error) {
    HF_REQUIRE(error, scene && changed && (edits || count <= 0));
    *changed = NULL;
    hf_scene* s = hf_alloc(1, sizeof *s);
    if (s) s->objects = hf_alloc((size_t)(scene->count + (count > 0 ? count : 0)), sizeof *s->objects);
    hf_status status = s && s->objects ? HF_OK : hf_fail_memory(error, NULL);
    for (int i = 0; i < scene->count && status == HF_OK; i++) {
        s->count++;
        status = hf_fail_status(error, hf_object_share(&scene->objects[i], &s->objects[i]), NULL);
    }
    for (int i = 0; i < count && status == HF_OK; i++) status = apply(s, &edits[i], error);
    if (status == HF_OK)
        *changed = s;
    else
        hf_scene_free(s);
    return status;
}
