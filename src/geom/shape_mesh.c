/* Meshes: their memory, and the triangles of a convex shape. Round shapes get rings of vertices on their
   surface; every result is one closed outward surface with shared vertices. */
#include "base/memory.h"
#include "base/error.h"

#include <holdfast/mesh.h>
#include <string.h>

void hf_mesh_free(hf_mesh* mesh) {
    if (!mesh) return;
    hf_free(mesh->vertices);
    hf_free(mesh->indices);
    *mesh = (hf_mesh){0};
}

static const double PI = 3.14159265358979323846;

static hf_status allocate(hf_mesh* mesh, int vertices, int triangles) {
    mesh->vertices = hf_alloc((size_t)vertices * 3, sizeof *mesh->vertices);
    mesh->indices = hf_alloc((size_t)triangles * 3, sizeof *mesh->indices);
    if (!mesh->vertices || !mesh->indices) {
        hf_mesh_free(mesh);
        return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

static void add_vertex(hf_mesh* mesh, double x, double y, double z) {
    float* v = mesh->vertices + 3 * (size_t)mesh->vertex_count++;
    v[0] = (float)x, v[1] = (float)y, v[2] = (float)z;
}

static void add_triangle(hf_mesh* mesh, int a, int b, int c) {
    uint32_t* t = mesh->indices + 3 * (size_t)mesh->triangle_count++;
    t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

/* Two half spheres with `quarters` rings each; a sphere's share the ring at the equator. */
static hf_status round_mesh(double radius, double half_length, int segments, hf_mesh* mesh) {
    int quarters = (segments + 3) / 4;
    bool sphere = !(half_length > 0);
    int rings = sphere ? 2 * quarters - 1 : 2 * quarters;
    hf_status status = allocate(mesh, rings * segments + 2, 2 * rings * segments);
    if (status != HF_OK) return status;
    add_vertex(mesh, 0, 0, -half_length - radius);
    for (int r = 1; r <= rings; r++) {
        int step = r <= quarters || sphere ? r : r - 1;
        double latitude = (step - quarters) * PI / (2 * quarters);
        double z = (r <= quarters ? -half_length : half_length) + radius * hf_sin(latitude);
        for (int s = 0; s < segments; s++) {
            double angle = 2 * PI * s / segments;
            add_vertex(mesh, radius * hf_cos(latitude) * hf_cos(angle),
                       radius * hf_cos(latitude) * hf_sin(angle), z);
        }
    }
    add_vertex(mesh, 0, 0, half_length + radius);

    for (int s = 0; s < segments; s++) {
        int t = (s + 1) % segments, last = 1 + (rings - 1) * segments;
        add_triangle(mesh, 0, 1 + t, 1 + s);
        for (int r = 0; r + 1 < rings; r++) {
            int low = 1 + r * segments, high = low + segments;
            add_triangle(mesh, low + s, low + t, high + t);
            add_triangle(mesh, low + s, high + t, high + s);
        }
        add_triangle(mesh, last + s, last + t, rings * segments + 1);
    }
    return HF_OK;
}

static hf_status box_mesh(hf_vec3 half, hf_mesh* mesh) {
    /* Corner k has x, y, z signs by its bits 0, 1, 2. */
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    hf_status status = allocate(mesh, 8, 12);
    if (status != HF_OK) return status;
    for (int k = 0; k < 8; k++)
        add_vertex(mesh, k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    for (int f = 0; f < 12; f++) add_triangle(mesh, faces[f][0], faces[f][1], faces[f][2]);
    return HF_OK;
}

static hf_status hull_mesh(const hf_shape* shape, hf_mesh* mesh) {
    hf_status status = allocate(mesh, shape->vertex_count, shape->face_count);
    if (status != HF_OK) return status;
    memcpy(mesh->vertices, shape->vertices, (size_t)shape->vertex_count * 3 * sizeof(float));
    memcpy(mesh->indices, shape->faces, (size_t)shape->face_count * 3 * sizeof(uint32_t));
    mesh->vertex_count = shape->vertex_count;
    mesh->triangle_count = shape->face_count;
    return HF_OK;
}

hf_status hf_shape_mesh(const hf_shape* shape, int segments, hf_mesh* mesh) {
    HF_REQUIRE(NULL, shape && mesh);
    *mesh = (hf_mesh){0};
    if (segments < 8 || segments > 64) return HF_ERROR_ARGUMENT;
    switch (shape->kind) {
    case HF_SHAPE_SPHERE:
        return round_mesh(shape->radius, 0, segments, mesh);
    case HF_SHAPE_CAPSULE:
        return round_mesh(shape->radius, shape->half_length, segments, mesh);
    case HF_SHAPE_BOX:
        return box_mesh(shape->half_size, mesh);
    case HF_SHAPE_HULL:
        return hull_mesh(shape, mesh);
    }
    return HF_ERROR_ARGUMENT;
}
