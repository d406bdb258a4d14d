#include "io/mesh_draft.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Point tests that concave polygons of one file may cost: some ten seconds. */
static const int64_t max_polygon_work = 4000000000;

static hf_status push_vertex(hf_mesh_draft* draft, const float at[3]) {
    if (draft->vertex_count >= HF_MESH_MAX_VERTICES)
        return hf_fail(draft->error, HF_ERROR_LIMIT, draft->path, 0, NULL, "has more than %d vertices",
                       HF_MESH_MAX_VERTICES);
    if (!HF_GROW(draft->vertices, draft->vertex_capacity, draft->vertex_count))
        return hf_fail_memory(draft->error, draft->path);
    memcpy(draft->vertices[draft->vertex_count++].at, at, sizeof draft->vertices->at);
    return HF_OK;
}

hf_status hf_mesh_draft_add_vertex(hf_mesh_draft* draft, int line, const char* field, const double xyz[3]) {
    float at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = (float)xyz[i];
        if (!isfinite(at[i]))
            return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, line, field,
                           isfinite(xyz[i]) ? "coordinate %g is too large" : "coordinate is %g", xyz[i]);
    }
    return push_vertex(draft, at);
}

static size_t weld_slot(const hf_mesh_draft* draft, const float at[3]) {
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint64_t h = bits[0] * 0x9e3779b97f4a7c15ull;
    h = (h ^ (h >> 29) ^ bits[1]) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 31) ^ bits[2]) * 0x94d049bb133111ebull;
    size_t mask = draft->weld_size - 1, slot = (size_t)(h ^ (h >> 32)) & mask;
    while (draft->weld[slot] && memcmp(draft->vertices[draft->weld[slot] - 1].at, at, 3 * sizeof(float)) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

/* Keeps the table at most half full. */
static bool weld_room(hf_mesh_draft* draft) {
    if ((size_t)draft->vertex_count * 2 < draft->weld_size) return true;
    size_t size = draft->weld_size ? draft->weld_size * 2 : 1024;
    uint32_t* table = hf_alloc(size, sizeof *table);
    if (!table) return false;
    hf_free(draft->weld);
    draft->weld = table;
    draft->weld_size = size;
    for (int i = 0; i < draft->vertex_count; i++)
        table[weld_slot(draft, draft->vertices[i].at)] = (uint32_t)i + 1;
    return true;
}

hf_status hf_mesh_draft_weld_vertex(hf_mesh_draft* draft, const char* field, const float xyz[3],
                                    uint32_t* vertex) {
    float at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = xyz[i] + 0.0f; /* -0 and 0 are one place */
        if (!isfinite(at[i]))
            return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, field, "coordinate is %g", at[i]);
    }
    if (!weld_room(draft)) return hf_fail_memory(draft->error, draft->path);
    size_t slot = weld_slot(draft, at);
    if (!draft->weld[slot]) {
        hf_status status = push_vertex(draft, at);
        if (status != HF_OK) return status;
        draft->weld[slot] = (uint32_t)draft->vertex_count;
    }
    *vertex = draft->weld[slot] - 1;
    return HF_OK;
}

hf_status hf_mesh_draft_add_triangle(hf_mesh_draft* draft, uint32_t a, uint32_t b, uint32_t c) {
    if (draft->triangle_count >= HF_MESH_MAX_TRIANGLES)
        return hf_fail(draft->error, HF_ERROR_LIMIT, draft->path, 0, NULL, "has more than %d triangles",
                       HF_MESH_MAX_TRIANGLES);
    if (!HF_GROW(draft->triangles, draft->triangle_capacity, draft->triangle_count))
        return hf_fail_memory(draft->error, draft->path);
    draft->triangles[draft->triangle_count++] = (hf_mesh_draft_triangle){{a, b, c}};
    return HF_OK;
}

hf_status hf_mesh_draft_add_corner(hf_mesh_draft* draft, uint32_t vertex) {
    if (!HF_GROW(draft->corners, draft->corner_capacity, draft->corner_count))
        return hf_fail_memory(draft->error, draft->path);
    draft->corners[draft->corner_count++] = vertex;
    return HF_OK;
}

static hf_status add_large_polygon(hf_mesh_draft* draft, int line, const char* field) {
    int count = draft->corner_count;
    hf_polygon* polygon = &draft->polygon;
    if (count > HF_POLYGON_MAX_CORNERS)
        return hf_fail(draft->error, HF_ERROR_LIMIT, draft->path, line, field,
                       "a face has %d corners, at most %d are read", count, HF_POLYGON_MAX_CORNERS);
    if (polygon->work > max_polygon_work)
        return hf_fail(draft->error, HF_ERROR_LIMIT, draft->path, line, field,
                       "there are too many large concave faces");
    if (!hf_polygon_reserve(polygon, count)) return hf_fail_memory(draft->error, draft->path);
    const uint32_t* corners = draft->corners;
    for (int i = 0; i < count; i++) {
        const float* at = draft->vertices[corners[i]].at;
        polygon->points[i] = hf_v3(at[0], at[1], at[2]);
    }
    if (!hf_polygon_cut(polygon, count) && draft->crossing_count++ == 0) draft->crossing_line = line;
    hf_status status = HF_OK;
    for (int i = 0; i + 2 < count && status == HF_OK; i++) {
        const int* t = polygon->triangles + 3 * i;
        status = hf_mesh_draft_add_triangle(draft, corners[t[0]], corners[t[1]], corners[t[2]]);
    }
    return status;
}

hf_status hf_mesh_draft_add_polygon(hf_mesh_draft* draft, int line, const char* field) {
    const uint32_t* c = draft->corners;
    int count = draft->corner_count;
    hf_status status;
    if (count < 3)
        status = hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, line, field,
                         "a face has %d corner%s, at least 3 are needed", count, count == 1 ? "" : "s");
    else if (count == 3)
        status = hf_mesh_draft_add_triangle(draft, c[0], c[1], c[2]);
    else
        status = add_large_polygon(draft, line, field);
    draft->corner_count = 0;
    return status;
}

/* Hulls and bounds are taken over all vertices, so those of no triangle must go. Order is kept. */
static hf_status drop_unused(hf_mesh_draft* draft) {
    uint32_t* number = hf_alloc((size_t)draft->vertex_count, sizeof *number);
    if (!number) return hf_fail_memory(draft->error, draft->path);
    for (int i = 0; i < draft->triangle_count; i++)
        for (int k = 0; k < 3; k++) number[draft->triangles[i].corner[k]] = 1;
    int kept = 0;
    for (int i = 0; i < draft->vertex_count; i++) {
        if (!number[i]) continue;
        draft->vertices[kept] = draft->vertices[i];
        number[i] = (uint32_t)kept++;
    }
    if (kept < draft->vertex_count)
        for (int i = 0; i < draft->triangle_count; i++)
            for (int k = 0; k < 3; k++) draft->triangles[i].corner[k] = number[draft->triangles[i].corner[k]];
    draft->vertex_count = kept;
    hf_free(number);
    return HF_OK;
}

static bool add_crossing_warning(hf_mesh_draft* draft) {
    if (draft->crossing_count == 0) return true;
    if (draft->crossing_line > 0)
        return hf_lines_add(&draft->warnings, "%d faces cross themselves (the first in line %d)",
                            draft->crossing_count, draft->crossing_line);
    return hf_lines_add(&draft->warnings, "%d faces cross themselves", draft->crossing_count);
}

hf_status hf_mesh_draft_finish(hf_mesh_draft* draft, hf_mesh* mesh) {
    *mesh = (hf_mesh){0};
    if (draft->triangle_count == 0)
        return hf_fail(draft->error, HF_ERROR_FORMAT, draft->path, 0, NULL, "has no triangles");
    hf_status status = drop_unused(draft);
    if (status == HF_OK && !add_crossing_warning(draft)) status = hf_fail_memory(draft->error, draft->path);
    if (status != HF_OK) return status;
    /* Give back what growing reserved too much; shrinking in place may be refused, which does no harm. */
    void* v = hf_resize(draft->vertices, (size_t)draft->vertex_count, sizeof *draft->vertices);
    if (v) draft->vertices = v;
    void* t = hf_resize(draft->triangles, (size_t)draft->triangle_count, sizeof *draft->triangles);
    if (t) draft->triangles = t;
    *mesh = (hf_mesh){draft->vertex_count, draft->triangle_count, (float*)draft->vertices,
                      (uint32_t*)draft->triangles};
    draft->vertices = NULL;
    draft->triangles = NULL;
    return HF_OK;
}

void hf_mesh_draft_free(hf_mesh_draft* draft) {
    hf_free(draft->vertices);
    hf_free(draft->triangles);
    hf_free(draft->corners);
    hf_free(draft->weld);
    hf_polygon_free(&draft->polygon);
    hf_lines_free(&draft->warnings);
    *draft = (hf_mesh_draft){0};
}
