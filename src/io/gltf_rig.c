/* The skin of a glTF file as a rig: only the nodes' transforms count, so buffers stay unread. Angles are
   zero in the pose the nodes give, and turn about the creature's own axes: y, x, z. */
#include "io/gltf_rig.h"
#include "base/error.h"
#include "base/file.h"
#include "io/glb_file.h"

#include <stdio.h>
#include <string.h>

enum { MAX_JSON = 1 << 25, MAX_NODES = 65536, MAX_BYTES = 1 << 29 };
static const double PI = 3.14159265358979323846;
/* Cosine between two axes of a node above which the node counts as sheared. */
static const double SHEAR = 1e-3;

hf_affine hf_affine_multiply(const hf_affine* a, const hf_affine* b) {
    hf_affine c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = j == 3 ? a->m[4 * i + 3] : 0;
            for (int k = 0; k < 3; k++) sum += a->m[4 * i + k] * b->m[4 * k + j];
            c.m[4 * i + j] = sum;
        }
    return c;
}

hf_affine hf_affine_compose(const double place[3], hf_quat turn, const double scale[3]) {
    hf_mat3 m = hf_quat_matrix(hf_quat_normalize(turn));
    hf_affine a;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) a.m[4 * i + k] = m.m[3 * i + k] * scale[k];
        a.m[4 * i + 3] = place[i];
    }
    return a;
}

/* From a matrix without scale; the largest of the four numbers is found first, so that none is lost. */
static hf_quat turn_of(const double m[9]) {
    double squares[4] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                         1 - m[0] - m[4] + m[8]};
    int most = 0;
    for (int k = 1; k < 4; k++) most = squares[k] > squares[most] ? k : most;
    double xy = m[3] + m[1], yz = m[7] + m[5], zx = m[2] + m[6];
    double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1], d = squares[most];
    const hf_quat rows[4] = {{d, wx, wy, wz}, {wx, d, xy, zx}, {wy, xy, d, yz}, {wz, zx, yz, d}};
    return hf_quat_normalize(rows[most]);
}

bool hf_affine_take_apart(const hf_affine* a, double scale[3], hf_quat* turn) {
    hf_vec3 axes[3];
    for (int k = 0; k < 3; k++) {
        axes[k] = hf_v3(a->m[k], a->m[4 + k], a->m[8 + k]);
        scale[k] = hf_length(axes[k]);
        if (!(scale[k] > 0)) return false;
    }
    if (hf_dot(hf_cross(axes[0], axes[1]), axes[2]) < 0) scale[0] = -scale[0];
    for (int k = 0; k < 3; k++) axes[k] = hf_scale(axes[k], 1 / scale[k]);
    for (int k = 0; k < 3; k++)
        if (fabs(hf_dot(axes[k], axes[(k + 1) % 3])) > SHEAR) return false;
    const double m[9] = {axes[0].x, axes[1].x, axes[2].x, axes[0].y, axes[1].y,
                         axes[2].y, axes[0].z, axes[1].z, axes[2].z};
    *turn = turn_of(m);
    return true;
}

/* ---- the JSON of a .gltf or the first chunk of a .glb ---- */

static hf_status find_json(const char* path, const char* bytes, size_t size, const char** text,
                           size_t* length, hf_error* error) {
    *text = bytes;
    *length = size;
    if (size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        if (size < 20) return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL, "the GLB header is cut short");
        if (hf_glb_u32(bytes + 4) != 2)
            return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL, "GLB version %u, 2 is read",
                           hf_glb_u32(bytes + 4));
        if (hf_glb_u32(bytes + 8) > size)
            return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL,
                           "the GLB is cut short: %u bytes are declared", hf_glb_u32(bytes + 8));
        if (hf_glb_u32(bytes + 16) != HF_GLB_JSON || hf_glb_u32(bytes + 12) > size - 20)
            return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL,
                           "the GLB's first chunk is no JSON inside the file");
        *text = bytes + 20;
        *length = hf_glb_u32(bytes + 12);
    }
    if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) *text += 3, *length -= 3;
    if (*length > MAX_JSON)
        return hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "its JSON is larger than 32 MiB");
    return HF_OK;
}

static hf_status load_json(hf_gltf_rig* r, hf_error* error) {
    hf_status status = hf_file_read(r->path, &r->bytes, &r->size, error);
    if (status != HF_OK) return status;
    r->json = (hf_json){.file = r->path, .error = error};
    if (r->size > MAX_BYTES)
        return hf_fail(error, HF_ERROR_LIMIT, r->path, 0, NULL, "is larger than 512 MiB");
    status = find_json(r->path, r->bytes, r->size, &r->text, &r->length, error);
    return status == HF_OK ? hf_json_parse(&r->json, r->text, r->length) : status;
}

/* ---- nodes ---- */

/* A whole number below `limit` from an array, -1 after a failure. */
static int index_at(hf_gltf_rig* r, const char* where, const json_t* array, size_t i, int limit) {
    const json_t* value = json_array_get(array, i);
    double number = json_is_number(value) ? json_number_value(value) : -1;
    if (number >= 0 && number < limit && number == floor(number)) return (int)number;
    hf_json_fail(&r->json, where, "the index of a node is expected, below %d", limit);
    return -1;
}

static void numbers(hf_gltf_rig* r, const char* where, const json_t* object, const char* key, int count,
                    double* v) {
    json_t* array = NULL;
    if (hf_json_array(&r->json, where, object, key, false, &array))
        hf_json_numbers(&r->json, where, array, count, v);
}

static void read_transform(hf_gltf_rig* r, const char* where, const json_t* object, hf_gltf_node* n) {
    double q[4] = {0, 0, 0, 1}, m[16];
    n->turn = hf_quat_identity();
    for (int i = 0; i < 3; i++) n->place[i] = 0, n->stretch[i] = 1;
    if (json_object_get(object, "matrix")) {
        /* glTF keeps columns one after the other. */
        numbers(r, where, object, "matrix", 16, m);
        for (int i = 0; i < 12 && r->json.status == HF_OK; i++) n->local.m[i] = m[i % 4 * 4 + i / 4];
        for (int i = 0; i < 3; i++) n->place[i] = n->local.m[4 * i + 3];
        n->sheared = !hf_affine_take_apart(&n->local, n->stretch, &n->turn);
        return;
    }
    numbers(r, where, object, "translation", 3, n->place);
    numbers(r, where, object, "rotation", 4, q);
    numbers(r, where, object, "scale", 3, n->stretch);
    n->turn = (hf_quat){q[3], q[0], q[1], q[2]};
    n->local = hf_affine_compose(n->place, n->turn, n->stretch);
}

static void read_node(hf_gltf_rig* r, int index, const json_t* object) {
    char where[40];
    snprintf(where, sizeof where, "nodes[%d]", index);
    hf_gltf_node* n = &r->nodes[index];
    if (!json_is_object(object)) {
        hf_json_fail(&r->json, where, "an object is expected");
        return;
    }
    hf_json_string(&r->json, where, object, "name", false, &n->name);
    read_transform(r, where, object, n);
    json_t* children = NULL;
    if (!hf_json_array(&r->json, where, object, "children", false, &children)) return;
    for (size_t i = json_array_size(children); i-- > 0 && r->json.status == HF_OK;) {
        int child = index_at(r, where, children, i, r->count);
        if (child < 0) return;
        if (r->nodes[child].parent >= 0 || child == index) {
            hf_json_fail(&r->json, where, "node %d is a child twice", child);
            return;
        }
        r->nodes[child].parent = index;
        r->nodes[child].next_sibling = n->first_child;
        n->first_child = child;
    }
}

/* Parents before children; a node that no root leads to is on a cycle. */
static void order_nodes(hf_gltf_rig* r) {
    int done = 0;
    for (int root = 0; root < r->count; root++) {
        if (r->nodes[root].parent >= 0) continue;
        for (int i = root; i >= 0;) {
            hf_gltf_node* n = &r->nodes[i];
            r->order[done++] = i;
            n->global =
                n->parent >= 0 ? hf_affine_multiply(&r->nodes[n->parent].global, &n->local) : n->local;
            int next = n->first_child;
            for (int up = i; next < 0 && up != root; up = r->nodes[up].parent)
                next = r->nodes[up].next_sibling;
            i = next;
        }
    }
    if (done < r->count) hf_json_fail(&r->json, "nodes", "the nodes form a cycle");
    for (int i = 0; i < done; i++) {
        const double* m = r->nodes[r->order[i]].global.m;
        for (int k = 0; k < 12; k++)
            if (!(fabs(m[k]) < 1e9)) hf_json_fail(&r->json, "nodes", "node %d is not finite", r->order[i]);
    }
}

static void read_nodes(hf_gltf_rig* r) {
    json_t* list = NULL;
    if (!hf_json_array(&r->json, "", r->json.root, "nodes", true, &list)) return;
    size_t count = json_array_size(list);
    if (count > MAX_NODES) {
        r->json.status =
            hf_fail(r->json.error, HF_ERROR_LIMIT, r->path, 0, "nodes", "more than %d nodes", MAX_NODES);
        return;
    }
    r->count = (int)count;
    r->nodes = hf_alloc(count, sizeof *r->nodes);
    r->order = hf_alloc(count, sizeof *r->order);
    if (!r->nodes || !r->order) {
        r->json.status = hf_fail_memory(r->json.error, r->path);
        return;
    }
    for (int i = 0; i < r->count; i++) {
        hf_gltf_node* n = &r->nodes[i];
        n->parent = n->first_child = n->next_sibling = n->rig = -1;
    }
    for (int i = 0; i < r->count && r->json.status == HF_OK; i++)
        read_node(r, i, json_array_get(list, (size_t)i));
    if (r->json.status == HF_OK) order_nodes(r);
}

/* ---- the skeleton ---- */

/* Joints of the largest skin, and those of other skins below them. */
static void read_skins(hf_gltf_rig* r) {
    json_t *skins = NULL, *joints = NULL, *largest = NULL;
    hf_json_array(&r->json, "", r->json.root, "skins", false, &skins);
    if (r->json.status == HF_OK && json_array_size(skins) == 0)
        hf_json_fail(&r->json, "", "has no skin: a creature is made from the joints of one");
    for (size_t i = 0; i < json_array_size(skins) && r->json.status == HF_OK; i++) {
        char where[40];
        snprintf(where, sizeof where, "skins[%zu]", i);
        const json_t* skin = json_array_get(skins, i);
        if (!json_is_object(skin)) hf_json_fail(&r->json, where, "an object is expected");
        hf_json_array(&r->json, where, skin, "joints", true, &joints);
        for (size_t k = 0; k < json_array_size(joints) && r->json.status == HF_OK; k++) {
            int index = index_at(r, where, joints, k, r->count);
            if (index >= 0) r->nodes[index].any_joint = true;
        }
        if (json_array_size(joints) > json_array_size(largest)) largest = joints;
    }
    if (r->json.status == HF_OK && !largest) hf_json_fail(&r->json, "skins", "no skin has joints");
    for (size_t k = 0; k < json_array_size(largest) && r->json.status == HF_OK; k++)
        r->nodes[index_at(r, "skins", largest, k, r->count)].joint = true;
}

static hf_vec3 place_of(const hf_gltf_node* n) {
    return hf_v3(n->global.m[3], n->global.m[7], n->global.m[11]);
}

static bool add_rig_joint(hf_gltf_rig* r, int index, int parent) {
    hf_gltf_node* n = &r->nodes[index];
    char name[40];
    snprintf(name, sizeof name, "node_%d", index);
    hf_rig_joint* joint = hf_rig_add(&r->rig, n->name && n->name[0] ? n->name : name, parent, index);
    if (!joint) return false;
    joint->position = place_of(n);
    n->rig = r->rig.joint_count - 1;
    return true;
}

/* Nearest joint above a node that has joined the rig already, -1 for none. `above` remembers it. */
static bool add_joints(hf_gltf_rig* r, int* above) {
    int tops = 0, ignored = 0;
    hf_vec3 middle = {0};
    for (int k = 0; k < r->count; k++) {
        const hf_gltf_node* n = &r->nodes[r->order[k]];
        above[r->order[k]] = n->parent < 0 ? -1 : r->nodes[n->parent].joint ? n->parent : above[n->parent];
        if (n->any_joint && !n->joint) {
            r->nodes[r->order[k]].joint = above[r->order[k]] >= 0;
            ignored += above[r->order[k]] < 0;
        }
        if (n->joint && above[r->order[k]] < 0) {
            middle = hf_add(middle, place_of(n));
            tops++;
        }
    }
    if (tops > 1) {
        /* Several tops hang on a root made for them. */
        hf_rig_joint* root = hf_rig_add(&r->rig, "root", -1, -1);
        if (!root) return false;
        root->position = hf_scale(middle, 1.0 / tops);
    }
    for (int k = 0; k < r->count; k++) {
        int i = r->order[k];
        if (!r->nodes[i].joint) continue;
        int parent = above[i] >= 0 ? r->nodes[above[i]].rig : tops > 1 ? 0 : -1;
        if (!add_rig_joint(r, i, parent)) return false;
    }
    return ignored == 0 || hf_lines_add(&r->warnings, "%d joints of other skins are left out", ignored);
}

/* Leading joints that only hold the skeleton in its world go. */
static void drop_handles(hf_rig* rig) {
    int first = 0;
    for (;;) {
        int children = 0, grandchildren = 0, child = first + 1;
        for (int i = child; i < rig->joint_count; i++) {
            children += rig->joints[i].parent == first;
            grandchildren += rig->joints[i].parent == child;
        }
        if (children != 1 || grandchildren == 0) break;
        bool together = hf_distance(rig->joints[first].position, rig->joints[child].position) < 1e-9;
        if (!together && !hf_rig_is_handle(rig->joints[first].name)) break;
        first = child;
    }
    rig->joint_count -= first;
    memmove(rig->joints, rig->joints + first, (size_t)rig->joint_count * sizeof *rig->joints);
    for (int i = 0; i < rig->joint_count; i++) rig->joints[i].parent -= first;
    rig->joints[0].parent = -1;
}

/* How many times larger the larger one is. */
static double ratio(double a, double b) { return fmax(a / b, b / a); }

/* glTF is in metres, but rigs are not always: a size no animal has is told apart. */
static bool find_unit(hf_gltf_rig* r, double given) {
    static const double units[] = {0.01, 0.001, 0.0254, 0.1, 100, 1000};
    hf_rig* rig = &r->rig;
    hf_vec3 low = rig->joints[0].position, high = low;
    for (int i = 1; i < rig->joint_count; i++) {
        hf_vec3 p = rig->joints[i].position;
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    hf_vec3 d = hf_sub(high, low);
    double size = fmax(d.x, fmax(d.y, d.z));
    rig->unit_m = given > 0 ? given : 1;
    if (given > 0 || !(size > 0) || (size >= 0.1 && size <= 6)) return true;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (ratio(size * units[i], 1.2) < ratio(size * rig->unit_m, 1.2)) rig->unit_m = units[i];
    return hf_lines_add(&r->warnings, "unit guessed: 1 file unit = %g m, skeleton %.2f m large", rig->unit_m,
                        size * rig->unit_m);
}

/* To the creature's axes and metres, looking along +X, root at the origin. */
static void settle(hf_rig* rig) {
    hf_vec3 origin = rig->joints[0].position;
    rig->to_link = (hf_quat){0.5, 0.5, 0.5, 0.5};
    for (int i = 0; i < rig->joint_count; i++) {
        hf_vec3 p = hf_scale(hf_sub(rig->joints[i].position, origin), rig->unit_m);
        rig->joints[i].position = hf_rotate(rig->to_link, p);
    }
    hf_rig_stand_as_is(rig);
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), hf_rig_facing(rig) * PI / 2);
    rig->to_link = hf_quat_mul(turn, rig->to_link);
    for (int i = 0; i < rig->joint_count; i++) {
        hf_rig_joint* joint = &rig->joints[i];
        joint->position = hf_rotate(turn, joint->position);
        if (i == 0) continue;
        joint->turn_count = 3;
        joint->turns[0] = hf_v3(0, 1, 0);
        joint->turns[1] = hf_v3(1, 0, 0);
        joint->turns[2] = hf_v3(0, 0, 1);
        hf_rig_default_limits(joint);
    }
    hf_rig_stand_as_is(rig);
}

static hf_status make_rig(hf_gltf_rig* r, double unit_m, hf_error* error) {
    int* above = hf_alloc((size_t)r->count, sizeof *above);
    bool memory = above && add_joints(r, above);
    hf_free(above);
    if (memory && r->rig.joint_count > HF_MAX_LINKS)
        return hf_fail(error, HF_ERROR_LIMIT, r->path, 0, "skins", "more than %d joints", HF_MAX_LINKS);
    if (memory) {
        drop_handles(&r->rig);
        memory = find_unit(r, unit_m);
    }
    if (!memory) return hf_fail_memory(error, r->path);
    settle(&r->rig);
    return hf_rig_name(&r->rig, error);
}

void hf_gltf_rig_free(hf_gltf_rig* rig) {
    hf_json_free(&rig->json);
    hf_free(rig->bytes);
    hf_free(rig->nodes);
    hf_free(rig->order);
    hf_rig_free(&rig->rig);
    hf_lines_free(&rig->warnings);
}

hf_status hf_gltf_rig_load(const char* path, double unit_m, hf_gltf_rig* rig, hf_error* error) {
    *rig = (hf_gltf_rig){.path = path, .rig = {.path = path}};
    if (!(unit_m >= 0 && unit_m <= 1e6))
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL, "a unit of %g m is no unit", unit_m);
    hf_status status = load_json(rig, error);
    if (status == HF_OK) read_nodes(rig);
    if (status == HF_OK && rig->json.status == HF_OK) read_skins(rig);
    if (status == HF_OK) status = rig->json.status;
    if (status == HF_OK) status = make_rig(rig, unit_m, error);
    if (status != HF_OK) hf_gltf_rig_free(rig);
    return status;
}
