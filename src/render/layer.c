/* Coloured meshes with smooth normals. A corner's normal is the mean of the faces around it that are within
   the crease angle of its own face: capsules look round and boxes keep their edges. */
#include "render/layer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const double CREASE_COSINE = 0.64; /* 50 degrees */
/* More faces than this at one point are not a surface: they stay flat. */
enum { MAX_FAN = 256, MAX_COUNT = 1 << 27 };

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

static hf_vec3 vertex_of(const hf_mesh* m, uint32_t i) { return hf_vertex(m->vertices, (size_t)i); }

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

/* Corner normals of the triangles from `first` on: parts are smooth for themselves. */
static hf_status smooth(hf_layer* layer, int first) {
    const hf_mesh* m = &layer->mesh;
    size_t start = (size_t)first * 3, n = (size_t)m->triangle_count * 3 - start;
    mesh_corner* corners = hf_alloc(n, sizeof *corners);
    if (!corners) return HF_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        memcpy(corners[i].p, m->vertices + 3 * (size_t)m->indices[start + i], sizeof corners[i].p);
        corners[i].index = (int)(start + i);
    }
    qsort(corners, n, sizeof *corners, compare_corners);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && memcmp(corners[i].p, corners[end].p, sizeof corners[i].p) == 0;) end++;
        for (size_t k = i; k < end; k++)
            smooth_corner(m, corners + i, (int)(end - i), corners[k].index,
                          layer->normals + 3 * (size_t)corners[k].index);
    }
    hf_free(corners);
    return HF_OK;
}

static bool resize(void** items, size_t count, size_t size) {
    void* p = hf_resize(*items, count, size);
    if (p) *items = p;
    return p != NULL;
}

static hf_status reserve(hf_layer* layer, int vertices, int triangles) {
    hf_mesh* m = &layer->mesh;
    if (vertices > MAX_COUNT - m->vertex_count || triangles > MAX_COUNT - m->triangle_count)
        return HF_ERROR_LIMIT;
    size_t v = (size_t)(m->vertex_count + vertices), t = (size_t)(m->triangle_count + triangles);
    if ((int)v > layer->vertex_capacity) {
        v = v * 3 / 2;
        if (!resize((void**)&m->vertices, v * 3, sizeof *m->vertices)) return HF_ERROR_MEMORY;
        layer->vertex_capacity = (int)v;
    }
    if ((int)t > layer->triangle_capacity) {
        t = t * 3 / 2;
        if (!resize((void**)&m->indices, t * 3, sizeof *m->indices) ||
            !resize((void**)&layer->normals, t * 9, sizeof *layer->normals) ||
            !resize((void**)&layer->part_of, t, sizeof *layer->part_of))
            return HF_ERROR_MEMORY;
        layer->triangle_capacity = (int)t;
    }
    return HF_GROW(layer->colours, layer->capacity, layer->count) ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_layer_add(hf_layer* layer, const hf_mesh* mesh, hf_transform pose, hf_colour colour) {
    if (mesh->triangle_count == 0) return HF_OK;
    hf_status status = reserve(layer, mesh->vertex_count, mesh->triangle_count);
    if (status != HF_OK) return status;
    hf_mesh* m = &layer->mesh;
    int first_vertex = m->vertex_count, first_triangle = m->triangle_count;
    for (int i = 0; i < mesh->vertex_count; i++) {
        hf_vec3 p = hf_sub(hf_apply(pose, vertex_of(mesh, (uint32_t)i)), layer->origin);
        float* v = m->vertices + 3 * (size_t)(first_vertex + i);
        v[0] = (float)p.x, v[1] = (float)p.y, v[2] = (float)p.z;
    }
    for (size_t i = 0; i < (size_t)mesh->triangle_count * 3; i++)
        m->indices[(size_t)first_triangle * 3 + i] = mesh->indices[i] + (uint32_t)first_vertex;
    for (int t = 0; t < mesh->triangle_count; t++) layer->part_of[first_triangle + t] = layer->count;
    m->vertex_count += mesh->vertex_count;
    m->triangle_count += mesh->triangle_count;
    layer->colours[layer->count++] = colour;
    return smooth(layer, first_triangle);
}

void hf_layer_measure(hf_layer* layer) {
    if (layer->count == 0) return;
    hf_vec3 low = hf_v3(INFINITY, INFINITY, INFINITY), high = hf_neg(low);
    for (int i = 0; i < layer->mesh.vertex_count; i++) {
        hf_vec3 p = hf_layer_vertex(layer, i);
        low = hf_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = hf_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    layer->low = low, layer->high = high;
    layer->centre = hf_lerp(low, high, 0.5);
    for (int i = 0; i < layer->mesh.vertex_count; i++)
        layer->radius = fmax(layer->radius, hf_distance(layer->centre, hf_layer_vertex(layer, i)));
    layer->radius *= 1.0001; /* rays of the tree are floats */
}

hf_status hf_layer_build(hf_layer* layer) {
    if (layer->count == 0) return HF_OK;
    hf_object_def def = hf_object_def_default();
    def.name = "layer";
    def.start.position = layer->origin;
    def.mesh = layer->mesh;
    hf_status status = hf_scene_build(&def, 1, &layer->scene, NULL);
    return status == HF_OK ? hf_placement_create(layer->scene, &layer->placement) : status;
}

void hf_layer_free(hf_layer* layer) {
    hf_placement_free(layer->placement);
    hf_scene_free(layer->scene);
    hf_free(layer->mesh.vertices);
    hf_free(layer->mesh.indices);
    hf_free(layer->normals);
    hf_free(layer->part_of);
    hf_free(layer->colours);
    *layer = (hf_layer){0};
}

hf_vec3 hf_layer_normal(const hf_layer* layer, const hf_surface* at) {
    const hf_mesh* m = &layer->mesh;
    const uint32_t* f = m->indices + 3 * (size_t)at->triangle;
    hf_vec3 a = vertex_of(m, f[0]), b = vertex_of(m, f[1]), c = vertex_of(m, f[2]);
    hf_vec3 p = hf_sub(at->point, layer->origin);
    hf_vec3 n = hf_cross(hf_sub(b, a), hf_sub(c, a));
    double u = hf_dot(hf_cross(hf_sub(b, p), hf_sub(c, p)), n),
           v = hf_dot(hf_cross(hf_sub(c, p), hf_sub(a, p)), n);
    double w = hf_dot(n, n) - u - v;
    const float* k = layer->normals + 9 * (size_t)at->triangle;
    hf_vec3 sum =
        hf_v3(u * k[0] + v * k[3] + w * k[6], u * k[1] + v * k[4] + w * k[7], u * k[2] + v * k[5] + w * k[8]);
    return hf_dot(sum, sum) > 0 ? hf_normalize(sum) : at->normal;
}
