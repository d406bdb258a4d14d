/* Vertex normals for export: round where faces meet at less than 40 degrees, sharp elsewhere. */
#include "io/glb_mesh.h"
#include "base/memory.h"

#include <string.h>

static const double CREASE_COSINE = 0.766; /* of 40 degrees */
enum { MAX_VALENCE = 64 };                 /* vertices with more faces than this stay flat */

typedef struct shader {
    const hf_mesh* mesh;
    hf_vec3* faces;  /* normal of each triangle, as long as twice its area; zero when it has none */
    int* starts;     /* triangles around vertex v: around[starts[v] .. starts[v + 1]) */
    int* around;     /* triangle of each entry */
    int* first_copy; /* written vertices of a mesh vertex, as a list */
    int* next_copy;
    hf_vec3* copy_normals;
    int copy_count;
    uint32_t base; /* index of the first vertex written for this mesh */
} shader;

static hf_vec3 vertex(const hf_mesh* mesh, uint32_t index) {
    return hf_vertex(mesh->vertices, (size_t)index);
}

static void find_faces(shader* s) {
    const hf_mesh* m = s->mesh;
    for (int t = 0; t < m->triangle_count; t++) {
        const uint32_t* i = m->indices + 3 * (size_t)t;
        hf_vec3 a = vertex(m, i[0]);
        hf_vec3 n = hf_cross(hf_sub(vertex(m, i[1]), a), hf_sub(vertex(m, i[2]), a));
        double length = hf_length(n);
        s->faces[t] = isfinite(length) && length > 1e-30 ? n : hf_v3(0, 0, 0);
        for (int k = 0; k < 3; k++) s->starts[i[k] + 1]++;
    }
    for (int v = 0; v < m->vertex_count; v++) s->starts[v + 1] += s->starts[v];
    for (int t = 0; t < m->triangle_count; t++)
        for (int k = 0; k < 3; k++) s->around[s->starts[m->indices[3 * (size_t)t + (size_t)k]]++] = t;
    /* Filling moved every start to the next one's place. */
    memmove(s->starts + 1, s->starts, (size_t)m->vertex_count * sizeof *s->starts);
    s->starts[0] = 0;
}

/* The faces around a corner that go smoothly over into its own. */
static hf_vec3 corner_normal(const shader* s, int triangle, uint32_t v) {
    hf_vec3 own = hf_normalize(s->faces[triangle]), sum = {0};
    int from = s->starts[v], to = s->starts[v + 1];
    if (to - from > MAX_VALENCE) return own;
    for (int i = from; i < to; i++) {
        hf_vec3 face = s->faces[s->around[i]];
        if (hf_dot(hf_normalize(face), own) > CREASE_COSINE) sum = hf_add(sum, face);
    }
    return hf_length(sum) > 0 ? hf_normalize(sum) : own;
}

static void put_vector(hf_bytes* out, hf_vec3 v) {
    hf_bytes_f32(out, (float)v.x);
    hf_bytes_f32(out, (float)v.y);
    hf_bytes_f32(out, (float)v.z);
}

static void put_vertex(hf_glb_mesh* out, hf_vec3 p, hf_vec3 n, int joint) {
    const float f[3] = {(float)p.x, (float)p.y, (float)p.z};
    for (int k = 0; k < 3; k++) {
        out->low[k] = out->vertex_count ? fminf(out->low[k], f[k]) : f[k];
        out->high[k] = out->vertex_count ? fmaxf(out->high[k], f[k]) : f[k];
        hf_bytes_f32(&out->positions, f[k]);
    }
    put_vector(&out->normals, n);
    hf_bytes_u32(&out->joints, (uint32_t)joint);
    hf_bytes_u32(&out->joints, 0);
    out->vertex_count++;
}

/* The written vertex for a corner: one with the same normal, or a new one. */
static uint32_t corner_vertex(shader* s, hf_glb_mesh* out, int triangle, uint32_t v, hf_transform place,
                              int joint) {
    hf_vec3 normal = corner_normal(s, triangle, v);
    for (int c = s->first_copy[v]; c >= 0; c = s->next_copy[c])
        if (hf_dot(s->copy_normals[c], normal) > 0.9999) return s->base + (uint32_t)c;
    int c = s->copy_count++;
    s->copy_normals[c] = normal;
    s->next_copy[c] = s->first_copy[v];
    s->first_copy[v] = c;
    put_vertex(out, hf_apply(place, vertex(s->mesh, v)), hf_rotate(place.rotation, normal), joint);
    return s->base + (uint32_t)c;
}

bool hf_glb_mesh_add(hf_glb_mesh* out, const hf_mesh* mesh, hf_transform place, int joint) {
    size_t vertices = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    shader s = {.mesh = mesh, .base = out->vertex_count};
    s.faces = hf_alloc((size_t)mesh->triangle_count, sizeof *s.faces);
    s.starts = hf_alloc(vertices + 2, sizeof *s.starts);
    s.around = hf_alloc(corners, sizeof *s.around);
    s.first_copy = hf_alloc(vertices, sizeof *s.first_copy);
    s.next_copy = hf_alloc(corners, sizeof *s.next_copy);
    s.copy_normals = hf_alloc(corners, sizeof *s.copy_normals);
    bool good = s.faces && s.starts && s.around && s.first_copy && s.next_copy && s.copy_normals;
    if (good) {
        find_faces(&s);
        for (size_t v = 0; v < vertices; v++) s.first_copy[v] = -1;
        for (int t = 0; t < mesh->triangle_count; t++) {
            if (hf_dot(s.faces[t], s.faces[t]) <= 0) continue;
            for (int k = 0; k < 3; k++)
                hf_bytes_u32(
                    &out->indices,
                    corner_vertex(&s, out, t, mesh->indices[3 * (size_t)t + (size_t)k], place, joint));
            out->index_count += 3;
        }
    }
    hf_free(s.faces);
    hf_free(s.starts);
    hf_free(s.around);
    hf_free(s.first_copy);
    hf_free(s.next_copy);
    hf_free(s.copy_normals);
    return good && !out->positions.failed && !out->normals.failed && !out->joints.failed &&
           !out->indices.failed;
}

void hf_glb_mesh_free(hf_glb_mesh* mesh) {
    hf_bytes_free(&mesh->positions);
    hf_bytes_free(&mesh->normals);
    hf_bytes_free(&mesh->joints);
    hf_bytes_free(&mesh->indices);
    *mesh = (hf_glb_mesh){0};
}
