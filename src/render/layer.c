/* Coloured meshes with smooth normals. A corner's normal is the mean of the faces around it that are within
   the crease angle of its own face: capsules look round and boxes keep their edges. */
#include "render/layer.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CREASE_COSINE = 0.64; /* 50 degrees */
/* More faces than this at one point are not a surface: they stay flat. */
enum { MAX_FAN = 256 };

typedef struct mesh_corner {
    float p[3];
    int index; /* into mesh.indices */
} mesh_corner;

static int compare_corners(const void* a, const void* b) {
    const mesh_corner *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->p[k] != y->p[k]) return x->p[k] < y->p[k] ? -1 : 1;
    return x->index - y->index;
}

static hf_vec3 vertex_of(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3(v[0], v[1], v[2]);
}

/* Twice the area long. */
static hf_vec3 face_vector(const hf_mesh* m, int triangle) {
    const uint32_t* f = m->indices + 3 * (size_t)triangle;
    hf_vec3 a = vertex_of(m, f[0]);
    return hf_cross(hf_sub(vertex_of(m, f[1]), a), hf_sub(vertex_of(m, f[2]), a));
}

static void smooth_corner(const hf_mesh* m, const mesh_corner* fan, int count, int corner, float* out) {
    hf_vec3 own = hf_normalize(face_vector(m, corner / 3)), sum = hf_v3(0, 0, 0);
    for (int i = 0; i < count && count <= MAX_FAN; i++) {
        hf_vec3 other = face_vector(m, fan[i].index / 3);
        if (hf_dot(own, other) > CREASE_COSINE * hf_length(other)) sum = hf_add(sum, other);
    }
    sum = hf_dot(sum, sum) > 0 ? hf_normalize(sum) : own;
    out[0] = (float)sum.x, out[1] = (float)sum.y, out[2] = (float)sum.z;
}

static hf_status smooth(hf_part* part) {
    const hf_mesh* m = &part->def.mesh;
    size_t n = (size_t)m->triangle_count * 3;
    mesh_corner* corners = hf_alloc(n, sizeof *corners);
    part->normals = hf_alloc(n * 3, sizeof *part->normals);
    if (!corners || !part->normals) {
        hf_free(corners);
        return HF_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(corners[i].p, m->vertices + 3 * (size_t)m->indices[i], sizeof corners[i].p);
        corners[i].index = (int)i;
    }
    qsort(corners, n, sizeof *corners, compare_corners);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && memcmp(corners[i].p, corners[end].p, sizeof corners[i].p) == 0;) end++;
        for (size_t k = i; k < end; k++)
            smooth_corner(m, corners + i, (int)(end - i), corners[k].index,
                          part->normals + 3 * (size_t)corners[k].index);
    }
    hf_free(corners);
    return HF_OK;
}

static void free_part(hf_part* part) {
    hf_free(part->def.mesh.vertices);
    hf_free(part->def.mesh.indices);
    hf_free((char*)part->def.name);
    hf_free(part->normals);
}

static hf_status fill_part(hf_part* part, const hf_mesh* mesh, hf_transform pose, int number) {
    hf_mesh* m = &part->def.mesh;
    char name[32];
    snprintf(name, sizeof name, "part %d", number);
    part->def.name = hf_copy_text(name);
    m->vertices = hf_alloc((size_t)mesh->vertex_count * 3, sizeof *m->vertices);
    m->indices = hf_alloc((size_t)mesh->triangle_count * 3, sizeof *m->indices);
    if (!part->def.name || !m->vertices || !m->indices) return HF_ERROR_MEMORY;
    m->vertex_count = mesh->vertex_count;
    m->triangle_count = mesh->triangle_count;
    for (int i = 0; i < mesh->vertex_count; i++) {
        hf_vec3 p = hf_apply(pose, vertex_of(mesh, (uint32_t)i));
        float* v = m->vertices + 3 * (size_t)i;
        v[0] = (float)p.x, v[1] = (float)p.y, v[2] = (float)p.z;
    }
    memcpy(m->indices, mesh->indices, (size_t)mesh->triangle_count * 3 * sizeof *m->indices);
    return smooth(part);
}

hf_status hf_layer_add(hf_layer* layer, const hf_mesh* mesh, hf_transform pose, hf_colour colour) {
    if (mesh->triangle_count == 0) return HF_OK;
    if (!HF_GROW(layer->parts, layer->capacity, layer->count)) return HF_ERROR_MEMORY;
    hf_part part = {.def = hf_object_def_default(), .colour = colour};
    part.def.start = hf_transform_identity();
    hf_status status = fill_part(&part, mesh, pose, layer->count);
    if (status != HF_OK) {
        free_part(&part);
        return status;
    }
    layer->parts[layer->count++] = part;
    return HF_OK;
}

static void find_bounds(hf_layer* layer) {
    hf_vec3 low = hf_v3(INFINITY, INFINITY, INFINITY), high = hf_neg(low);
    for (int i = 0; i < layer->count; i++) {
        const hf_mesh* m = &layer->parts[i].def.mesh;
        for (int k = 0; k < m->vertex_count; k++) {
            hf_vec3 p = vertex_of(m, (uint32_t)k);
            low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    }
    layer->low = low, layer->high = high;
    layer->centre = hf_lerp(low, high, 0.5);
    for (int i = 0; i < layer->count; i++) {
        const hf_mesh* m = &layer->parts[i].def.mesh;
        for (int k = 0; k < m->vertex_count; k++)
            layer->radius = fmax(layer->radius, hf_distance(layer->centre, vertex_of(m, (uint32_t)k)));
    }
    layer->radius *= 1.0001; /* rays of the tree are floats */
}

hf_status hf_layer_finish(hf_layer* layer) {
    if (layer->count == 0) return HF_OK;
    find_bounds(layer);
    hf_object_def* defs = hf_alloc((size_t)layer->count, sizeof *defs);
    if (!defs) return HF_ERROR_MEMORY;
    for (int i = 0; i < layer->count; i++) defs[i] = layer->parts[i].def;
    hf_status status = hf_scene_build(defs, layer->count, &layer->scene, NULL);
    hf_free(defs);
    return status == HF_OK ? hf_placement_create(layer->scene, &layer->placement) : status;
}

void hf_layer_free(hf_layer* layer) {
    for (int i = 0; i < layer->count; i++) free_part(&layer->parts[i]);
    hf_free(layer->parts);
    hf_placement_free(layer->placement);
    hf_scene_free(layer->scene);
    *layer = (hf_layer){0};
}

hf_vec3 hf_layer_normal(const hf_layer* layer, const hf_surface* at) {
    const hf_part* part = &layer->parts[at->object];
    const hf_mesh* m = &part->def.mesh;
    const uint32_t* f = m->indices + 3 * (size_t)at->triangle;
    hf_vec3 a = vertex_of(m, f[0]), b = vertex_of(m, f[1]), c = vertex_of(m, f[2]), p = at->point;
    hf_vec3 n = hf_cross(hf_sub(b, a), hf_sub(c, a));
    double u = hf_dot(hf_cross(hf_sub(b, p), hf_sub(c, p)), n),
           v = hf_dot(hf_cross(hf_sub(c, p), hf_sub(a, p)), n);
    double w = hf_dot(n, n) - u - v;
    const float* k = part->normals + 9 * (size_t)at->triangle;
    hf_vec3 sum =
        hf_v3(u * k[0] + v * k[3] + w * k[6], u * k[1] + v * k[4] + w * k[7], u * k[2] + v * k[5] + w * k[8]);
    return hf_dot(sum, sum) > 0 ? hf_normalize(sum) : at->normal;
}
