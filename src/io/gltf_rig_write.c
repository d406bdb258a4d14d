/* A motion of a creature that the skin of a glTF file made, as one more animation of that file. Nodes,
   meshes, skins, textures, the other animations and what other programs keep in the file stay as they are. */
#include "base/error.h"
#include "base/memory.h"
#include "io/glb_file.h"
#include "io/gltf_rig.h"
#include "io/rig_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126 };
/* Translations that stay within this part of the skeleton's size are those of the file. */
static const double STILL = 1e-6;

typedef struct writer {
    const hf_creature* creature;
    const hf_track* track;
    const char* path; /* that is written */
    hf_gltf_rig file;
    json_t* document; /* whose whole numbers are still whole, unlike those of file.json */
    double size;      /* of the skeleton, file units */
    int* links;       /* of each rig joint, -1 for a root that the file does not have */
    int* rig_of;      /* rig joint of each node, -1 for none */
    hf_affine* now;   /* global pose of each node in the frame at hand */
    float* turns;     /* 4 floats for each rig joint and frame, frames of one joint together */
    float* places;    /* 3 */
    bool* shifted;    /* does a rig joint leave its place in the file? */
    hf_bytes bin;     /* of the new file */
    hf_bytes chunks;  /* that follow the buffer in a GLB */
    int buffer_views, accessors;
    bool memory_out;
} writer;

/* ---- poses of nodes ---- */

static bool invert(const hf_affine* a, hf_affine* inverse) {
    const double* m = a->m;
    double c[9] = {m[5] * m[10] - m[6] * m[9], m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5],
                   m[6] * m[8] - m[4] * m[10], m[0] * m[10] - m[2] * m[8], m[2] * m[4] - m[0] * m[6],
                   m[4] * m[9] - m[5] * m[8],  m[1] * m[8] - m[0] * m[9],  m[0] * m[5] - m[1] * m[4]};
    double determinant = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    if (!(fabs(determinant) > 0)) return false;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) inverse->m[4 * i + k] = c[3 * i + k] / determinant;
        inverse->m[4 * i + 3] = 0;
        for (int k = 0; k < 3; k++) inverse->m[4 * i + 3] -= inverse->m[4 * i + k] * m[4 * k + 3];
    }
    return true;
}

/* The global pose of a node of the rig: as far turned from its pose at rest as its link is. */
static hf_affine posed(const writer* w, const hf_gltf_node* node, hf_transform link) {
    const double h = 0.70710678118654752440;
    const hf_quat world = {h, -h, 0, 0}; /* Z up to Y up */
    hf_mat3 turn = hf_quat_matrix(hf_quat_mul(hf_quat_mul(world, link.rotation), w->file.rig.to_link));
    hf_vec3 place = hf_scale(hf_rotate(world, link.position), 1 / w->file.rig.unit_m);
    hf_affine pose;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) sum += turn.m[3 * i + j] * node->global.m[4 * j + k];
            pose.m[4 * i + k] = sum;
        }
    pose.m[3] = place.x, pose.m[7] = place.y, pose.m[11] = place.z;
    return pose;
}

static hf_status fail_node(const writer* w, int node, const char* why, hf_error* error) {
    char where[40];
    snprintf(where, sizeof where, "nodes[%d]", node);
    return hf_fail(error, HF_ERROR_FORMAT, w->file.path, 0, where, "%s", why);
}

/* Keeps the pose of a node of the rig in its parent. */
static hf_status keep(writer* w, int node, int frame, hf_error* error) {
    const hf_gltf_node* n = &w->file.nodes[node];
    hf_affine up, local = w->now[node];
    double scale[3];
    hf_quat turn;
    bool good = n->parent < 0 || invert(&w->now[n->parent], &up);
    if (good && n->parent >= 0) local = hf_affine_multiply(&up, &w->now[node]);
    if (!good || !hf_affine_take_apart(&local, scale, &turn))
        return fail_node(w, node, "its parents are scaled unevenly or to nothing: no turn moves it alone",
                         error);
    int joint = w->rig_of[node];
    size_t row = (size_t)joint * (size_t)w->track->count + (size_t)frame;
    float *t = w->turns + 4 * row, *p = w->places + 3 * row;
    t[0] = (float)turn.x, t[1] = (float)turn.y, t[2] = (float)turn.z, t[3] = (float)turn.w;
    double side = 0, off = 0;
    for (int k = 0; k < 4 && frame > 0; k++) side += (double)t[k] * (double)t[k - 4];
    for (int k = 0; k < 4 && side < 0; k++) t[k] = -t[k];
    for (int k = 0; k < 3; k++) {
        p[k] = (float)local.m[4 * k + 3];
        off = fmax(off, fabs(local.m[4 * k + 3] - n->local.m[4 * k + 3]));
    }
    w->shifted[joint] = w->shifted[joint] || off > STILL * w->size;
    return HF_OK;
}

static hf_status find_poses(writer* w, hf_error* error) {
    const hf_gltf_rig* file = &w->file;
    hf_transform* links = hf_alloc((size_t)hf_creature_get(w->creature)->link_count, sizeof *links);
    hf_status status = links ? HF_OK : hf_fail_memory(error, w->path);
    for (int f = 0; f < w->track->count && status == HF_OK; f++) {
        hf_pose pose = {w->track->roots[f], w->track->q + (size_t)f * (size_t)w->track->q_count};
        hf_forward(w->creature, &pose, links);
        for (int k = 0; k < file->count && status == HF_OK; k++) {
            int i = file->order[k], parent = file->nodes[i].parent, joint = w->rig_of[i];
            if (joint >= 0) {
                w->now[i] = posed(w, &file->nodes[i], links[w->links[joint]]);
                status = keep(w, i, f, error);
            } else {
                w->now[i] = parent < 0 ? file->nodes[i].local
                                       : hf_affine_multiply(&w->now[parent], &file->nodes[i].local);
            }
        }
    }
    hf_free(links);
    return status;
}

/* ---- the document ---- */

/* A list of the document, made when the document has none. */
static json_t* list_of(writer* w, json_t* object, const char* key) {
    json_t* list = json_object_get(object, key);
    if (json_is_array(list)) return list;
    if (json_object_set_new(object, key, json_array()) != 0) w->memory_out = true;
    return json_object_get(object, key);
}

static void append(writer* w, json_t* list, json_t* item) {
    if (!item || json_array_append_new(list, item) != 0) w->memory_out = true;
}

/* Floats as a new accessor over new bytes of the buffer. */
static int add_accessor(writer* w, const float* values, int width, int count) {
    static const char* const types[] = {"SCALAR", "", "VEC3", "VEC4"};
    json_t* root = w->document;
    hf_bytes_align(&w->bin, 0);
    size_t offset = w->bin.size;
    for (int i = 0; i < width * count; i++) hf_bytes_f32(&w->bin, values[i]);
    append(w, list_of(w, root, "bufferViews"),
           json_pack("{s:i,s:I,s:I}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength",
                     (json_int_t)(w->bin.size - offset)));
    json_t* accessor = json_pack("{s:i,s:i,s:i,s:s}", "bufferView", w->buffer_views++, "componentType", FLOAT,
                                 "count", count, "type", types[width - 1]);
    /* Times carry their range, as the format asks of a sampler's input. */
    if (accessor && width == 1 &&
        (json_object_set_new(accessor, "min", json_pack("[f]", (double)values[0])) != 0 ||
         json_object_set_new(accessor, "max", json_pack("[f]", (double)values[count - 1])) != 0))
        w->memory_out = true;
    append(w, list_of(w, root, "accessors"), accessor);
    return w->accessors++;
}

static bool varies(const float* values, int width, int count) {
    for (int i = width; i < width * count; i++)
        if (fabsf(values[i] - values[i % width]) > 1e-7f) return true;
    return false;
}

/* A node whose place is a matrix cannot be animated: it gets the same place in parts. */
static hf_status split_matrix(writer* w, int node, hf_error* error) {
    json_t* object = json_array_get(json_object_get(w->document, "nodes"), (size_t)node);
    if (!json_object_get(object, "matrix")) return HF_OK;
    const hf_affine* local = &w->file.nodes[node].local;
    double s[3];
    hf_quat q;
    if (!hf_affine_take_apart(local, s, &q))
        return fail_node(w, node, "its matrix is sheared: no turn moves it", error);
    bool good = json_object_del(object, "matrix") == 0;
    good = good && json_object_set_new(object, "translation",
                                       json_pack("[f,f,f]", local->m[3], local->m[7], local->m[11])) == 0;
    good = good && json_object_set_new(object, "rotation", json_pack("[f,f,f,f]", q.x, q.y, q.z, q.w)) == 0;
    good = good && json_object_set_new(object, "scale", json_pack("[f,f,f]", s[0], s[1], s[2])) == 0;
    w->memory_out |= !good;
    return HF_OK;
}

typedef struct animation {
    json_t *samplers, *channels;
    int times[2]; /* accessors: one key, all keys */
} animation;

static void add_channel(writer* w, animation* a, int node, const char* path, const float* values, int width) {
    bool moves = varies(values, width, w->track->count);
    int output = add_accessor(w, values, width, moves ? w->track->count : 1);
    append(w, a->channels,
           json_pack("{s:i,s:{s:i,s:s}}", "sampler", (int)json_array_size(a->samplers), "target", "node",
                     node, "path", path));
    append(w, a->samplers,
           json_pack("{s:i,s:i,s:s}", "input", a->times[moves], "output", output, "interpolation", "LINEAR"));
}

/* A name that no animation of the file has. */
static void name_animation(const json_t* animations, char name[40]) {
    snprintf(name, 40, "motion");
    for (int number = 2;; number++) {
        bool taken = false;
        for (size_t i = 0; i < json_array_size(animations); i++) {
            const char* other = json_string_value(json_object_get(json_array_get(animations, i), "name"));
            taken = taken || (other && strcmp(other, name) == 0);
        }
        if (!taken) return;
        snprintf(name, 40, "motion %d", number);
    }
}

static hf_status add_animation(writer* w, hf_error* error) {
    json_t* animations = list_of(w, w->document, "animations");
    animation a = {json_array(), json_array(), {0, 0}};
    float* times = hf_alloc((size_t)w->track->count, sizeof *times);
    hf_status status = a.samplers && a.channels && times ? HF_OK : hf_fail_memory(error, w->path);
    if (status == HF_OK) {
        for (int i = 0; i < w->track->count; i++) times[i] = (float)(i / w->track->fps);
        a.times[0] = add_accessor(w, times, 1, 1);
        a.times[1] = w->track->count > 1 ? add_accessor(w, times, 1, w->track->count) : a.times[0];
    }
    for (int i = 0; i < w->file.rig.joint_count && status == HF_OK; i++) {
        int node = w->file.rig.joints[i].source;
        if (node < 0) continue;
        size_t row = (size_t)i * (size_t)w->track->count;
        status = split_matrix(w, node, error);
        if (w->shifted[i]) add_channel(w, &a, node, "translation", w->places + 3 * row, 3);
        add_channel(w, &a, node, "rotation", w->turns + 4 * row, 4);
    }
    char name[40];
    name_animation(animations, name);
    append(w, animations,
           json_pack("{s:s,s:o,s:o}", "name", name, "samplers", a.samplers, "channels", a.channels));
    hf_free(times);
    return status;
}

/* ---- buffers ---- */

/* The chunks behind the JSON of a GLB: the buffer, and others that are kept. */
static void read_chunks(writer* w) {
    const hf_gltf_rig* file = &w->file;
    if (file->size < 20 || memcmp(file->bytes, "glTF", 4) != 0) return;
    for (size_t at = 20 + hf_glb_u32(file->bytes + 12); at + 8 <= file->size;) {
        size_t length = hf_glb_u32(file->bytes + at);
        if (length > file->size - at - 8) return;
        bool buffer = hf_glb_u32(file->bytes + at + 4) == HF_GLB_BIN && w->bin.size == 0;
        if (buffer)
            hf_bytes_add(&w->bin, file->bytes + at + 8, length);
        else
            hf_bytes_add(&w->chunks, file->bytes + at, 8 + length);
        at += 8 + length;
    }
}

/* The buffer of the GLB is the first one of the document; other buffers move up by one where there is none.
 */
static void open_buffer(writer* w) {
    json_t *root = w->document, *buffers = list_of(w, root, "buffers");
    json_t* first = json_array_get(buffers, 0);
    if (first && !json_object_get(first, "uri")) return;
    if (json_array_insert_new(buffers, 0, json_pack("{s:i}", "byteLength", 0)) != 0) w->memory_out = true;
    json_t* views = json_object_get(root, "bufferViews");
    for (size_t i = 0; i < json_array_size(views); i++) {
        json_t* view = json_array_get(views, i);
        json_int_t index = json_integer_value(json_object_get(view, "buffer"));
        if (json_object_set_new(view, "buffer", json_integer(index + 1)) != 0) w->memory_out = true;
    }
}

/* Files beside the rig's file are named as seen from the new file. */
static void move_uris(writer* w, const char* key) {
    json_t* list = json_object_get(w->document, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t* item = json_array_get(list, i);
        const char* uri = json_string_value(json_object_get(item, "uri"));
        if (!uri || strncmp(uri, "data:", 5) == 0 || strstr(uri, "://") || uri[0] == '/') continue;
        char* target = hf_path_beside(w->file.path, uri);
        char* relative = target ? hf_path_relative(w->path, target) : NULL;
        if (!relative || json_object_set_new(item, "uri", json_string(relative)) != 0) w->memory_out = true;
        hf_free(target);
        hf_free(relative);
    }
}

static hf_status save(writer* w, hf_error* error) {
    json_t* root = w->document;
    json_t* buffer = json_array_get(json_object_get(root, "buffers"), 0);
    hf_bytes_align(&w->bin, 0);
    if (json_object_set_new(buffer, "byteLength", json_integer((json_int_t)w->bin.size)) != 0)
        w->memory_out = true;
    char* text = w->memory_out ? NULL : json_dumps(root, JSON_COMPACT);
    if (!text) return hf_fail_memory(error, w->path);
    hf_bytes json = {0};
    hf_bytes_text(&json, text);
    free(text);
    hf_status status = hf_glb_save(&json, &w->bin, &w->chunks, w->path, error);
    hf_bytes_free(&json);
    return status;
}

/* ---- the file ---- */

static hf_status find_links(writer* w, hf_error* error) {
    const hf_rig* rig = &w->file.rig;
    for (int i = 0; i < w->file.count; i++) w->rig_of[i] = -1;
    for (int i = 0; i < rig->joint_count; i++) {
        w->links[i] = hf_creature_find_link(w->creature, rig->joints[i].name);
        if (w->links[i] < 0)
            return hf_fail(error, HF_ERROR_ARGUMENT, w->file.path, 0, NULL,
                           "the creature was not made from this file: it has no link \"%s\"",
                           rig->joints[i].name);
        if (rig->joints[i].source >= 0) w->rig_of[rig->joints[i].source] = i;
        w->size = fmax(w->size, hf_length(rig->joints[i].position) / rig->unit_m);
    }
    return HF_OK;
}

static hf_status write_file(writer* w, hf_error* error) {
    size_t joints = (size_t)w->file.rig.joint_count, frames = (size_t)w->track->count;
    size_t nodes = (size_t)w->file.count;
    w->links = hf_alloc(joints, sizeof *w->links);
    w->rig_of = hf_alloc(nodes, sizeof *w->rig_of);
    w->now = hf_alloc(nodes, sizeof *w->now);
    w->turns = hf_alloc(4 * joints * frames, sizeof *w->turns);
    w->places = hf_alloc(3 * joints * frames, sizeof *w->places);
    w->shifted = hf_alloc(joints, sizeof *w->shifted);
    if (!w->links || !w->rig_of || !w->now || !w->turns || !w->places || !w->shifted)
        return hf_fail_memory(error, w->path);
    hf_status status = find_links(w, error);
    if (status == HF_OK) status = find_poses(w, error);
    if (status != HF_OK) return status;
    w->document = json_loadb(w->file.text, w->file.length, 0, NULL);
    json_t* root = w->document;
    if (!root) return hf_fail_memory(error, w->path);
    read_chunks(w);
    open_buffer(w);
    w->buffer_views = (int)json_array_size(list_of(w, root, "bufferViews"));
    w->accessors = (int)json_array_size(list_of(w, root, "accessors"));
    move_uris(w, "buffers");
    move_uris(w, "images");
    status = add_animation(w, error);
    return status == HF_OK ? save(w, error) : status;
}

hf_status hf_gltf_rig_write(const hf_creature* creature, const hf_track* track, const hf_rig_source* rig,
                            const char* path, hf_error* error) {
    writer w = {.creature = creature, .track = track, .path = path};
    hf_status status = hf_gltf_rig_load(rig->path, rig->unit_m, &w.file, error);
    if (status != HF_OK) return status;
    status = write_file(&w, error);
    void* blocks[] = {w.links, w.rig_of, w.now, w.turns, w.places, w.shifted};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) hf_free(blocks[i]);
    json_decref(w.document);
    hf_bytes_free(&w.bin);
    hf_bytes_free(&w.chunks);
    hf_gltf_rig_free(&w.file);
    return status;
}
