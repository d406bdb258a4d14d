/* A motion as binary glTF 2.0: the creature as one skinned mesh whose joints are its links (Blender then
   makes an armature of them), scene objects as meshes, everything that moves on LINEAR samplers at a
   fixed rate. The world turns from Z up to glTF's Y up at the root link and at each object. */
#include "base/error.h"
#include "base/memory.h"
#include "io/glb_file.h"
#include "io/glb_mesh.h"
#include "io/motion_track.h"

#include <stdio.h>
#include <string.h>

enum { BODY_SEGMENTS = 16, ARRAY_BUFFER = 34962, ELEMENT_BUFFER = 34963 };
enum { GL_U8 = 5121, GL_U16 = 5123, GL_U32 = 5125, GL_F32 = 5126 };

static const float body_colour[4] = {0.80f, 0.62f, 0.45f, 1};
static const float object_colour[4] = {0.62f, 0.65f, 0.68f, 1};

/* The lists of a glTF document while they grow. */
typedef struct writer {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_track* track;
    hf_bytes bin, views, accessors, materials, meshes, nodes, roots, samplers, channels;
    int view_count, accessor_count, material_count, mesh_count, node_count, root_count, sampler_count;
    int times[2];         /* accessors of the samplers' input: one key, all keys; -1 before the first use */
    int skin_mesh;        /* -1 when nothing of the creature can be seen */
    hf_transform* rest;   /* of each link, world axes, root at the origin */
    hf_transform* locals; /* of each link in its parent: track->count rows of link_count */
    bool failed;
} writer;

static hf_quat world_turn(void) {
    const double h = 0.70710678118654752440;
    return (hf_quat){h, -h, 0, 0};
}

static hf_transform to_file(hf_transform world) {
    hf_transform turn = {{0, 0, 0}, world_turn()};
    return hf_compose(turn, world);
}

static void comma(hf_bytes* list, int count) { hf_bytes_text(list, count ? ",\n" : "\n"); }

/* Floats as JSON keep their value. */
static void put_floats(hf_bytes* out, const float* values, int count) {
    hf_bytes_text(out, "[");
    for (int i = 0; i < count; i++) {
        if (i) hf_bytes_text(out, ",");
        hf_bytes_number(out, (double)values[i]);
    }
    hf_bytes_text(out, "]");
}

/* ---- accessors ---- */

/* Appends bytes as a buffer view of their own; target 0 for none. */
static int add_view(writer* w, const hf_bytes* data, int target) {
    hf_bytes_align(&w->bin, 0);
    comma(&w->views, w->view_count);
    hf_bytes_format(&w->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", w->bin.size,
                    data->size);
    if (target) hf_bytes_format(&w->views, ",\"target\":%d", target);
    hf_bytes_text(&w->views, "}");
    hf_bytes_add(&w->bin, data->data, data->size);
    w->failed |= data->failed;
    return w->view_count++;
}

typedef struct accessor {
    int component, target;
    bool normalized;
    const char* type;
    size_t count;
    const float *low, *high; /* NULL for none */
    int width;               /* of low and high */
} accessor;

static int add_accessor(writer* w, const hf_bytes* data, const accessor* a) {
    int view = add_view(w, data, a->target);
    comma(&w->accessors, w->accessor_count);
    hf_bytes_format(&w->accessors, "{\"bufferView\":%d,\"componentType\":%d,%s\"count\":%zu,\"type\":\"%s\"",
                    view, a->component, a->normalized ? "\"normalized\":true," : "", a->count, a->type);
    if (a->low) {
        hf_bytes_text(&w->accessors, ",\"min\":");
        put_floats(&w->accessors, a->low, a->width);
        hf_bytes_text(&w->accessors, ",\"max\":");
        put_floats(&w->accessors, a->high, a->width);
    }
    hf_bytes_text(&w->accessors, "}");
    return w->accessor_count++;
}

/* ---- meshes ---- */

static int add_material(writer* w, const float colour[4], bool two_sided) {
    comma(&w->materials, w->material_count);
    float safe[4];
    for (int i = 0; i < 4; i++) safe[i] = colour[i] >= 0 && colour[i] <= 1 ? colour[i] : 1;
    hf_bytes_text(&w->materials, "{\"pbrMetallicRoughness\":{\"baseColorFactor\":");
    put_floats(&w->materials, safe, 4);
    hf_bytes_text(&w->materials, ",\"metallicFactor\":0,\"roughnessFactor\":0.85}");
    if (safe[3] < 1) hf_bytes_text(&w->materials, ",\"alphaMode\":\"BLEND\"");
    if (two_sided) hf_bytes_text(&w->materials, ",\"doubleSided\":true");
    hf_bytes_text(&w->materials, "}");
    return w->material_count++;
}

static void add_primitive(writer* w, hf_bytes* list, const hf_glb_mesh* mesh, int material, bool skinned) {
    size_t n = mesh->vertex_count;
    int position = add_accessor(
        w, &mesh->positions, &(accessor){GL_F32, ARRAY_BUFFER, false, "VEC3", n, mesh->low, mesh->high, 3});
    int normal =
        add_accessor(w, &mesh->normals,
                     &(accessor){.component = GL_F32, .target = ARRAY_BUFFER, .type = "VEC3", .count = n});
    int indices = add_accessor(
        w, &mesh->indices,
        &(accessor){
            .component = GL_U32, .target = ELEMENT_BUFFER, .type = "SCALAR", .count = mesh->index_count});
    hf_bytes_format(list, "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", position, normal);
    if (skinned) {
        /* Every vertex follows one link alone. */
        hf_bytes weights = {0};
        for (size_t i = 0; i < n; i++) hf_bytes_u32(&weights, 255);
        int joints = add_accessor(
            w, &mesh->joints,
            &(accessor){.component = GL_U16, .target = ARRAY_BUFFER, .type = "VEC4", .count = n});
        int weight = add_accessor(
            w, &weights,
            &(accessor){
                .component = GL_U8, .target = ARRAY_BUFFER, .normalized = true, .type = "VEC4", .count = n});
        hf_bytes_free(&weights);
        hf_bytes_format(list, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, weight);
    }
    hf_bytes_format(list, "},\"indices\":%d,\"material\":%d}", indices, material);
}

static int add_mesh(writer* w, const char* name, const hf_bytes* primitives) {
    comma(&w->meshes, w->mesh_count);
    hf_bytes_text(&w->meshes, "{\"name\":");
    hf_bytes_quoted(&w->meshes, name);
    hf_bytes_text(&w->meshes, ",\"primitives\":[");
    hf_bytes_add(&w->meshes, primitives->data, primitives->size);
    hf_bytes_text(&w->meshes, "]}");
    w->failed |= primitives->failed;
    return w->mesh_count++;
}

/* What of a link is drawn: its visuals, else its bodies. */
static int part_count(const hf_link* link) {
    return link->visual_count ? link->visual_count : link->body_count;
}
static const float* part_colour(const hf_creature_view* v, const hf_link* link, int part) {
    return link->visual_count ? v->visuals[link->first_visual + part].colour : body_colour;
}

static bool add_part(const writer* w, int index, int part, hf_glb_mesh* out) {
    const hf_link* link = &w->view->links[index];
    hf_transform place = to_file(w->rest[index]);
    if (link->visual_count) {
        const hf_visual* visual = &w->view->visuals[link->first_visual + part];
        return hf_glb_mesh_add(out, &visual->mesh, hf_compose(place, visual->in_link), index);
    }
    const hf_body* body = &w->view->bodies[link->first_body + part];
    hf_mesh mesh;
    if (hf_shape_mesh(&body->shape, BODY_SEGMENTS, &mesh) != HF_OK) return false;
    bool good = hf_glb_mesh_add(out, &mesh, hf_compose(place, body->in_link), index);
    hf_mesh_free(&mesh);
    return good;
}

/* All parts of the creature with one colour as one primitive; parts done are marked. */
static bool add_colour(writer* w, const float colour[4], bool* done, hf_bytes* primitives) {
    hf_glb_mesh mesh = {0};
    bool good = true;
    for (int i = 0, k = 0; i < w->view->link_count; i++)
        for (int p = 0; p < part_count(&w->view->links[i]); p++, k++) {
            if (done[k] ||
                memcmp(part_colour(w->view, &w->view->links[i], p), colour, 4 * sizeof(float)) != 0)
                continue;
            good = good && add_part(w, i, p, &mesh);
            done[k] = true;
        }
    if (good && mesh.index_count > 0) {
        if (primitives->size) hf_bytes_text(primitives, ",");
        add_primitive(w, primitives, &mesh, add_material(w, colour, false), true);
    }
    hf_glb_mesh_free(&mesh);
    return good;
}

static bool add_creature_mesh(writer* w) {
    int total = 0;
    for (int i = 0; i < w->view->link_count; i++) total += part_count(&w->view->links[i]);
    bool* done = hf_alloc((size_t)total, sizeof *done);
    hf_bytes primitives = {0};
    bool good = done != NULL;
    for (int i = 0, k = 0; i < w->view->link_count && good; i++)
        for (int p = 0; p < part_count(&w->view->links[i]) && good; p++, k++)
            if (!done[k])
                good = add_colour(w, part_colour(w->view, &w->view->links[i], p), done, &primitives);
    w->failed |= primitives.failed;
    w->skin_mesh = primitives.size ? add_mesh(w, w->view->name, &primitives) : -1;
    hf_bytes_free(&primitives);
    hf_free(done);
    return good;
}

/* ---- nodes ---- */

static void put_pose(hf_bytes* out, hf_transform t) {
    const float p[3] = {(float)t.position.x, (float)t.position.y, (float)t.position.z};
    const float r[4] = {(float)t.rotation.x, (float)t.rotation.y, (float)t.rotation.z, (float)t.rotation.w};
    hf_bytes_text(out, ",\"translation\":");
    put_floats(out, p, 3);
    hf_bytes_text(out, ",\"rotation\":");
    put_floats(out, r, 4);
}

static void open_node(writer* w, const char* name) {
    comma(&w->nodes, w->node_count++);
    hf_bytes_text(&w->nodes, "{\"name\":");
    hf_bytes_quoted(&w->nodes, name);
}

static void add_root(writer* w, int node) {
    hf_bytes_format(&w->roots, "%s%d", w->root_count++ ? "," : "", node);
}

static bool add_link_nodes(writer* w) {
    int n = w->view->link_count;
    int *first = hf_alloc((size_t)n, sizeof *first), *next = hf_alloc((size_t)n, sizeof *next);
    bool good = first && next;
    for (int i = 0; i < n && good; i++) first[i] = next[i] = -1;
    for (int i = n - 1; i > 0 && good; i--) {
        next[i] = first[w->view->links[i].parent_link];
        first[w->view->links[i].parent_link] = i;
    }
    /* Nodes have the numbers of their links. */
    for (int i = 0; i < n && good; i++) {
        open_node(w, w->view->links[i].name);
        put_pose(&w->nodes, w->locals[i]);
        for (int c = first[i]; c >= 0; c = next[c])
            hf_bytes_format(&w->nodes, "%s%d", c == first[i] ? ",\"children\":[" : ",", c);
        hf_bytes_text(&w->nodes, first[i] >= 0 ? "]}" : "}");
    }
    hf_free(first);
    hf_free(next);
    add_root(w, 0);
    return good;
}

/* The inverse of each link's rest pose, as columns. */
static int add_inverse_binds(writer* w) {
    hf_bytes data = {0};
    for (int i = 0; i < w->view->link_count; i++) {
        hf_transform inverse = hf_inverse(to_file(w->rest[i]));
        hf_mat3 r = hf_quat_matrix(inverse.rotation);
        const double columns[16] = {r.m[0],
                                    r.m[3],
                                    r.m[6],
                                    0,
                                    r.m[1],
                                    r.m[4],
                                    r.m[7],
                                    0,
                                    r.m[2],
                                    r.m[5],
                                    r.m[8],
                                    0,
                                    inverse.position.x,
                                    inverse.position.y,
                                    inverse.position.z,
                                    1};
        for (int k = 0; k < 16; k++) hf_bytes_f32(&data, (float)columns[k]);
    }
    int index = add_accessor(
        w, &data, &(accessor){.component = GL_F32, .type = "MAT4", .count = (size_t)w->view->link_count});
    hf_bytes_free(&data);
    return index;
}

static void add_skin_node(writer* w) {
    if (w->skin_mesh < 0) return;
    /* The mesh is named after the creature, and no link may have that name. */
    char name[256];
    snprintf(name, sizeof name, "%.200s", w->view->name);
    if (hf_creature_find_link(w->creature, name) >= 0)
        snprintf(name, sizeof name, "%.200s_body", w->view->name);
    add_root(w, w->node_count);
    open_node(w, name);
    hf_bytes_format(&w->nodes, ",\"mesh\":%d,\"skin\":0}", w->skin_mesh);
}

/* ---- animation ---- */

static int input_times(writer* w, int keys) {
    int* times = &w->times[keys > 1];
    if (*times >= 0) return *times;
    hf_bytes data = {0};
    float last = 0, zero = 0;
    for (int i = 0; i < keys; i++) hf_bytes_f32(&data, last = (float)(i / w->track->fps));
    *times = add_accessor(w, &data, &(accessor){GL_F32, 0, false, "SCALAR", (size_t)keys, &zero, &last, 1});
    hf_bytes_free(&data);
    return *times;
}

/* A channel with a value of `width` floats at each sample, or its first value alone where it stays. */
static void add_channel(writer* w, int node, const char* path, const char* type, const hf_bytes* data,
                        int width, bool moves) {
    int keys = moves ? w->track->count : 1, input = input_times(w, keys);
    hf_bytes used = *data;
    if (!data->failed) used.size = 4 * (size_t)width * (size_t)keys;
    int output =
        add_accessor(w, &used, &(accessor){.component = GL_F32, .type = type, .count = (size_t)keys});
    comma(&w->samplers, w->sampler_count);
    hf_bytes_format(&w->samplers, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", input, output);
    comma(&w->channels, w->sampler_count);
    hf_bytes_format(&w->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                    w->sampler_count, node, path);
    w->sampler_count++;
}

/* Moves a node along poses[0], poses[stride], ...; quaternions keep to one side, so that viewers which mix
   the numbers turn the short way. `shifts` and `turns` write a key even where the node stays. */
static void animate(writer* w, int node, const hf_transform* poses, int stride, bool shifts, bool turns) {
    hf_bytes places = {0}, rotations = {0};
    hf_quat before = poses[0].rotation;
    bool shifted = false, turned = false;
    for (int i = 0; i < w->track->count; i++) {
        hf_transform t = poses[(size_t)i * (size_t)stride];
        hf_quat q = hf_quat_normalize(t.rotation);
        double side = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
        if (side < 0) q = (hf_quat){-q.w, -q.x, -q.y, -q.z};
        before = q;
        shifted |= hf_distance(t.position, poses[0].position) > 1e-7;
        turned |= hf_quat_angle(t.rotation, poses[0].rotation) > 1e-7;
        const float v[7] = {(float)t.position.x, (float)t.position.y, (float)t.position.z, (float)q.x,
                            (float)q.y,          (float)q.z,          (float)q.w};
        for (int k = 0; k < 3; k++) hf_bytes_f32(&places, v[k]);
        for (int k = 3; k < 7; k++) hf_bytes_f32(&rotations, v[k]);
    }
    if (shifts || shifted) add_channel(w, node, "translation", "VEC3", &places, 3, shifted);
    if (turns || turned) add_channel(w, node, "rotation", "VEC4", &rotations, 4, turned);
    hf_bytes_free(&places);
    hf_bytes_free(&rotations);
}

static void animate_links(writer* w) {
    for (int i = 0; i < w->view->link_count; i++) {
        int joint = w->view->links[i].joint;
        hf_joint_type type = joint < 0 ? HF_JOINT_FLOATING : w->view->joints[joint].type;
        bool free_place = type == HF_JOINT_FLOATING || type == HF_JOINT_PLANAR;
        bool turns = free_place || type == HF_JOINT_REVOLUTE || type == HF_JOINT_CONTINUOUS;
        if (type != HF_JOINT_FIXED)
            animate(w, i, w->locals + i, w->view->link_count, free_place || type == HF_JOINT_PRISMATIC,
                    turns);
    }
}

/* Every link in its parent at every sample; the root in the file's axes. */
static bool find_locals(writer* w) {
    int n = w->view->link_count;
    w->rest = hf_alloc((size_t)n, sizeof *w->rest);
    w->locals = hf_alloc((size_t)n * (size_t)w->track->count, sizeof *w->locals);
    hf_transform* links = hf_alloc((size_t)n, sizeof *links);
    bool good = w->rest && w->locals && links;
    if (good) {
        hf_pose rest = {hf_transform_identity(), (double*)w->view->rest};
        hf_forward(w->creature, &rest, w->rest);
    }
    for (int f = 0; f < w->track->count && good; f++) {
        hf_pose pose = {w->track->roots[f], w->track->q + (size_t)f * (size_t)w->track->q_count};
        hf_forward(w->creature, &pose, links);
        for (int i = 0; i < n; i++) {
            int parent = w->view->links[i].parent_link;
            hf_transform local =
                parent < 0 ? to_file(links[i]) : hf_compose(hf_inverse(links[parent]), links[i]);
            local.rotation = hf_quat_normalize(local.rotation);
            w->locals[(size_t)f * (size_t)n + (size_t)i] = local;
        }
    }
    hf_free(links);
    return good;
}

/* ---- scene ---- */

/* Poses of all objects at all samples: track->count rows of object_count. */
static hf_status find_object_poses(const writer* w, const hf_motion* motion, const hf_scene* scene,
                                   hf_transform** poses) {
    int n = hf_scene_object_count(scene);
    hf_placement* placement = NULL;
    *poses = hf_alloc((size_t)n * (size_t)w->track->count, sizeof **poses);
    if (!*poses) return HF_ERROR_MEMORY;
    hf_status status = hf_placement_create(scene, &placement);
    for (int f = 0; f < w->track->count && status == HF_OK; f++) {
        hf_motion_place_at(motion, w->track->times[f], placement);
        for (int i = 0; i < n; i++)
            (*poses)[(size_t)f * (size_t)n + (size_t)i] = to_file(hf_placement_pose(placement, i));
    }
    hf_placement_free(placement);
    return status;
}

static bool add_object(writer* w, const hf_object_view* object, const hf_transform* poses, int stride) {
    hf_glb_mesh mesh = {0};
    bool good = hf_glb_mesh_add(&mesh, &object->mesh, hf_transform_identity(), 0);
    if (good && mesh.index_count > 0) {
        hf_bytes primitives = {0};
        add_primitive(w, &primitives, &mesh, add_material(w, object_colour, true), false);
        int index = add_mesh(w, object->name, &primitives);
        hf_bytes_free(&primitives);
        add_root(w, w->node_count);
        open_node(w, object->name);
        hf_bytes_format(&w->nodes, ",\"mesh\":%d", index);
        put_pose(&w->nodes, poses[0]);
        hf_bytes_text(&w->nodes, "}");
        if (w->track->count > 1) animate(w, w->node_count - 1, poses, stride, false, false);
    }
    hf_glb_mesh_free(&mesh);
    return good;
}

static bool add_scene(writer* w, const hf_motion* motion, const hf_scene* scene) {
    if (!scene) return true;
    hf_transform* poses = NULL;
    bool good = find_object_poses(w, motion, scene, &poses) == HF_OK;
    int n = hf_scene_object_count(scene);
    for (int i = 0; i < n && good; i++) {
        hf_object_view object = hf_scene_object(scene, i);
        good = add_object(w, &object, poses + i, n);
    }
    hf_free(poses);
    return good;
}

/* ---- the file ---- */

static void put_list(hf_bytes* json, const char* name, const hf_bytes* list) {
    json->failed |= list->failed;
    if (list->size == 0) return;
    hf_bytes_format(json, ",\n\"%s\":[", name);
    hf_bytes_add(json, list->data, list->size);
    hf_bytes_text(json, "]");
}

static void put_document(writer* w, hf_bytes* json) {
    hf_bytes_format(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Holdfast %s\"},\n\"scene\":0",
                    hf_version());
    hf_bytes_text(json, ",\n\"scenes\":[{\"nodes\":[");
    hf_bytes_add(json, w->roots.data, w->roots.size);
    hf_bytes_text(json, "]}]");
    put_list(json, "nodes", &w->nodes);
    put_list(json, "meshes", &w->meshes);
    put_list(json, "materials", &w->materials);
    if (w->skin_mesh >= 0) {
        hf_bytes_format(json, ",\n\"skins\":[{\"inverseBindMatrices\":%d,\"joints\":[", add_inverse_binds(w));
        for (int i = 0; i < w->view->link_count; i++) hf_bytes_format(json, i ? ",%d" : "%d", i);
        hf_bytes_text(json, "]}]");
    }
    if (w->sampler_count) {
        hf_bytes_text(json, ",\n\"animations\":[{\"name\":\"motion\",\"samplers\":[");
        hf_bytes_add(json, w->samplers.data, w->samplers.size);
        hf_bytes_text(json, "],\"channels\":[");
        hf_bytes_add(json, w->channels.data, w->channels.size);
        hf_bytes_text(json, "]}]");
    }
    put_list(json, "accessors", &w->accessors);
    put_list(json, "bufferViews", &w->views);
    if (w->bin.size) hf_bytes_format(json, ",\n\"buffers\":[{\"byteLength\":%zu}]", w->bin.size);
    hf_bytes_text(json, "}");
    json->failed |= w->failed || w->samplers.failed || w->channels.failed || w->roots.failed || w->bin.failed;
}

static hf_status save(writer* w, const char* path, hf_error* error) {
    hf_bytes json = {0};
    put_document(w, &json);
    hf_status status = hf_glb_save(&json, &w->bin, &(hf_bytes){0}, path, error);
    hf_bytes_free(&json);
    return status;
}

hf_status hf_glb_write(const hf_motion* motion, const hf_creature* creature, const hf_track* track,
                       const hf_scene* scene, const char* path, hf_error* error) {
    writer w = {.creature = creature, .view = hf_creature_get(creature), .track = track, .times = {-1, -1}};
    bool good = find_locals(&w) && add_link_nodes(&w) && add_creature_mesh(&w);
    if (good) {
        add_skin_node(&w);
        /* A single pose needs no animation: the nodes stand in it. */
        if (track->count > 1) animate_links(&w);
        good = add_scene(&w, motion, scene);
    }
    hf_status status = good ? save(&w, path, error) : hf_fail_memory(error, path);
    hf_bytes* lists[] = {&w.bin,   &w.views, &w.accessors, &w.materials, &w.meshes,
                         &w.nodes, &w.roots, &w.samplers,  &w.channels};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) hf_bytes_free(lists[i]);
    hf_free(w.rest);
    hf_free(w.locals);
    return status;
}
