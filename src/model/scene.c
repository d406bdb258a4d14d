#include "model/scene.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

hf_object_def hf_object_def_default(void) {
    return (hf_object_def){.start = hf_transform_identity(), .friction = 0.5, .contact = true};
}

hf_allowance hf_allowance_default(void) {
    return (hf_allowance){.depth = HF_DEPTH_M, .touched_object = -1, .touched_depth = HF_TOUCH_DEPTH_M};
}

static bool pose_finite(const hf_transform* t) {
    double sum = t->position.x + t->position.y + t->position.z + t->rotation.w + t->rotation.x +
                 t->rotation.y + t->rotation.z;
    return isfinite(sum);
}

static bool pose_turns(const hf_transform* t) {
    const hf_quat q = t->rotation;
    double l = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return isfinite(l) && l > 1e-12;
}

static hf_status check_pose(const hf_transform* pose, const char* field, hf_error* error) {
    if (!pose_finite(pose))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "the pose is not finite");
    if (!pose_turns(pose))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "the rotation quaternion has no length");
    return HF_OK;
}

static hf_status check_mesh(const hf_mesh* m, const char* field, hf_error* error) {
    if (m->vertex_count < 0 || m->triangle_count < 0 || (m->vertex_count && !m->vertices) ||
        (m->triangle_count && !m->indices))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "the mesh lacks its arrays");
    if (m->triangle_count > HF_SCENE_MAX_TRIANGLES)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, field, "%d triangles are over the limit of %d",
                       m->triangle_count, HF_SCENE_MAX_TRIANGLES);
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        if (!isfinite(m->vertices[i]))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "vertex %zu is not finite", i / 3);
        if (fabsf(m->vertices[i]) > HF_SCENE_MAX_COORDINATE)
            return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, field, "vertex %zu is over %g m away", i / 3,
                           (double)HF_SCENE_MAX_COORDINATE);
    }
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++)
        if (m->indices[i] >= (uint32_t)m->vertex_count)
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "triangle %zu uses vertex %u of %d",
                           i / 3, m->indices[i], m->vertex_count);
    return HF_OK;
}

static hf_status check_keys(const hf_object_def* d, const char* field, hf_error* error) {
    if (d->key_count < 0 || (d->key_count && !d->keys))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "the keys are missing");
    for (int i = 0; i < d->key_count; i++) {
        if (!isfinite(d->keys[i].time_s))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "the time of key %d is not finite", i);
        if (fabs(d->keys[i].time_s) > HF_MAX_KEY_TIME_S)
            return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, field,
                           "the time of key %d is %g s, -%g to %g s are accepted", i, d->keys[i].time_s,
                           HF_MAX_KEY_TIME_S, HF_MAX_KEY_TIME_S);
        if (i && !(d->keys[i].time_s > d->keys[i - 1].time_s))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field,
                           "key %d at %g s does not come after the one before", i, d->keys[i].time_s);
        hf_status status = check_pose(&d->keys[i].pose, field, error);
        if (status) return status;
    }
    return HF_OK;
}

hf_status hf_object_check(const hf_object_def* d, int index, hf_error* error) {
    char field[160];
    snprintf(field, sizeof field, "object %d", index);
    if (!d->name || !d->name[0]) return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "it has no name");
    snprintf(field, sizeof field, "object \"%.120s\"", d->name);
    if (!isfinite(d->friction) || d->friction < 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "friction %g is not 0 or more", d->friction);
    if (!isfinite(d->mass_kg) || d->mass_kg < 0)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, field, "a mass of %g kg is not 0 or more",
                       d->mass_kg);
    hf_status status = check_pose(&d->start, field, error);
    if (!status) status = check_keys(d, field, error);
    return status ? status : check_mesh(&d->mesh, field, error);
}

/* Names once each, by a table of open addresses. */
static hf_status check_names(const hf_object_def* objects, int count, hf_error* error) {
    size_t size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    int* table = hf_alloc(size, sizeof *table); // index + 1
    if (!table) return hf_fail_memory(error, NULL);
    hf_status status = HF_OK;
    for (int i = 0; i < count && !status; i++) {
        size_t at = hf_hash_text(HF_HASH_START, objects[i].name) & (size - 1);
        for (; table[at] && !status; at = (at + 1) & (size - 1))
            if (strcmp(objects[table[at] - 1].name, objects[i].name) == 0)
                status =
                    hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL,
                            "objects %d and %d are both named \"%.100s\"", table[at] - 1, i, objects[i].name);
        table[at] = i + 1;
    }
    hf_free(table);
    return status;
}

static hf_status copy_object(const hf_object_def* d, hf_object* o) {
    o->owners = hf_alloc(1, sizeof *o->owners);
    if (!o->owners) return HF_ERROR_MEMORY;
    atomic_init(o->owners, 1);
    o->start = d->start;
    o->start.rotation = hf_quat_normalize(d->start.rotation);
    o->friction = d->friction, o->contact = d->contact, o->movable = d->movable, o->grip = d->grip;
    o->mass_kg = d->mass_kg;
    o->name = hf_copy_text(d->name);
    o->keys = hf_alloc((size_t)d->key_count, sizeof *o->keys);
    o->mesh.vertices = hf_alloc(3 * (size_t)d->mesh.vertex_count, sizeof(float));
    o->mesh.indices = hf_alloc(3 * (size_t)d->mesh.triangle_count, sizeof(uint32_t));
    if (!o->name || !o->keys || !o->mesh.vertices || !o->mesh.indices) return HF_ERROR_MEMORY;
    o->key_count = d->key_count;
    for (int i = 0; i < d->key_count; i++) {
        o->keys[i] = d->keys[i];
        o->keys[i].pose.rotation = hf_quat_normalize(d->keys[i].pose.rotation);
    }
    o->mesh.vertex_count = d->mesh.vertex_count;
    o->mesh.triangle_count = d->mesh.triangle_count;
    // adding 0 turns -0 into 0: equal positions have equal bits
    for (size_t i = 0; i < 3 * (size_t)d->mesh.vertex_count; i++)
        o->mesh.vertices[i] = d->mesh.vertices[i] + 0.0f;
    if (d->mesh.triangle_count)
        memcpy(o->mesh.indices, d->mesh.indices, 3 * (size_t)d->mesh.triangle_count * sizeof(uint32_t));
    return HF_OK;
}

hf_status hf_object_build(const hf_object_def* d, hf_object* o) {
    hf_status status = copy_object(d, o);
    if (!status) status = hf_tree_build(&o->mesh, &o->tree);
    if (!status) status = hf_pieces_find(&o->mesh, &o->pieces);
    return status ? status : hf_solids_find(o, hf_tree_kernel_for(hf_cpu_best()));
}

hf_status hf_scene_build(const hf_object_def* objects, int count, hf_scene** scene, hf_error* error) {
    HF_REQUIRE(error, scene && (objects || count <= 0));
    *scene = NULL;
    if (count < 0 || count > HF_SCENE_MAX_OBJECTS)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL, "%d objects: 0 to %d are accepted", count,
                       HF_SCENE_MAX_OBJECTS);
    hf_status status = HF_OK;
    for (int i = 0; i < count && !status; i++) status = hf_object_check(&objects[i], i, error);
    if (!status) status = check_names(objects, count, error);
    if (status) return status;

    hf_scene* s = hf_alloc(1, sizeof *s);
    if (!s) return hf_fail_memory(error, NULL);
    s->objects = hf_alloc((size_t)count, sizeof *s->objects);
    if (!s->objects) status = HF_ERROR_MEMORY;
    if (!status) s->count = count;
    for (int i = 0; i < count && !status; i++) status = hf_object_build(&objects[i], &s->objects[i]);
    if (status) {
        hf_scene_free(s);
        return hf_fail_memory(error, NULL);
    }
    *scene = s;
    return HF_OK;
}

hf_status hf_object_share(const hf_object* from, hf_object* o) {
    *o = *from;
    o->name = hf_copy_text(from->name);
    o->keys = hf_alloc((size_t)from->key_count, sizeof *o->keys);
    atomic_fetch_add(o->owners, 1);
    if (!o->name || !o->keys) return HF_ERROR_MEMORY;
    for (int i = 0; i < from->key_count; i++) o->keys[i] = from->keys[i];
    return HF_OK;
}

void hf_object_free(hf_object* o) {
    hf_free(o->name);
    hf_free(o->keys);
    if (!o->owners || atomic_fetch_sub(o->owners, 1) > 1) return;
    hf_free(o->owners);
    hf_free(o->mesh.vertices);
    hf_free(o->mesh.indices);
    hf_free(o->tree);
    hf_pieces_free(&o->pieces);
    hf_solids_free(&o->solids);
}

void hf_scene_free(hf_scene* scene) {
    if (!scene) return;
    for (int i = 0; i < scene->count; i++) hf_object_free(&scene->objects[i]);
    if (scene->attached_free) scene->attached_free(scene->attached);
    hf_free(scene->objects);
    hf_free(scene);
}

int hf_scene_object_count(const hf_scene* scene) { return scene->count; }

hf_object_view hf_scene_object(const hf_scene* scene, int object) {
    HF_ASSERT(object >= 0 && object < scene->count);
    const hf_object* o = &scene->objects[object];
    return (hf_object_view){.name = o->name,
                            .mesh = o->mesh,
                            .start = o->start,
                            .friction = o->friction,
                            .contact = o->contact,
                            .movable = o->movable,
                            .mass_kg = o->mass_kg,
                            .grip = o->grip,
                            .key_count = o->key_count,
                            .keys = o->keys,
                            .piece_count = o->pieces.count,
                            .piece_of = o->pieces.of,
                            .solidity = o->pieces.solidity};
}

int hf_scene_find(const hf_scene* scene, const char* name) {
    for (int i = 0; i < scene->count; i++)
        if (strcmp(scene->objects[i].name, name) == 0) return i;
    return -1;
}

bool hf_scene_moves(const hf_scene* scene) {
    for (int i = 0; scene && i < hf_scene_object_count(scene); i++)
        if (hf_scene_object(scene, i).key_count > 1) return true;
    return false;
}

bool hf_object_box(const hf_scene* scene, int object, hf_vec3* low, hf_vec3* high) {
    const hf_mesh* m = &scene->objects[object].mesh;
    *low = hf_v3(INFINITY, INFINITY, INFINITY), *high = hf_neg(*low);
    for (int i = 0; i < m->vertex_count; i++) {
        hf_vec3 p =
            hf_v3((double)m->vertices[3 * i], (double)m->vertices[3 * i + 1], (double)m->vertices[3 * i + 2]);
        *low = hf_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = hf_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
    return m->vertex_count > 0;
}

hf_vec3 hf_object_middle(const hf_scene* scene, int object) {
    hf_vec3 low, high;
    return hf_object_box(scene, object, &low, &high) ? hf_lerp(low, high, 0.5) : hf_v3(0, 0, 0);
}
