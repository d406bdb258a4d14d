#include "model/object_shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "geom/hull.h"

#include <string.h>

/* The corners of one piece. */
static int collect(const hf_object_view* o, int piece, float* points) {
    int n = 0;
    for (int t = 0; t < o->mesh.triangle_count; t++)
        for (int k = 0; k < 3 && o->piece_of[t] == piece; k++, n++)
            memcpy(points + 3 * n, o->mesh.vertices + 3 * o->mesh.indices[3 * t + k], 3 * sizeof *points);
    return n;
}

hf_status hf_object_shape_make(const hf_scene* scene, int object, hf_object_shape* out, hf_error* error) {
    hf_object_view o = hf_scene_object(scene, object);
    size_t pieces = (size_t)o.piece_count + 1;
    out->made = true;
    out->shapes = hf_alloc(pieces, sizeof *out->shapes);
    out->hulls = hf_alloc(pieces, sizeof *out->hulls);
    float* points = hf_alloc((size_t)o.mesh.triangle_count * 9 + 1, sizeof *points);
    hf_status status = out->shapes && out->hulls && points ? HF_OK : hf_fail_memory(error, NULL);
    for (int p = 0; p < o.piece_count && status == HF_OK; p++) {
        hf_mesh* hull = &out->hulls[out->count];
        status = hf_hull_build(points, collect(&o, p, points), hull, error);
        if (status != HF_OK) break;
        out->shapes[out->count++] = (hf_shape){.kind = HF_SHAPE_HULL,
                                               .vertex_count = hull->vertex_count,
                                               .face_count = hull->triangle_count,
                                               .vertices = hull->vertices,
                                               .faces = hull->indices};
    }
    hf_free(points);
    return status;
}

void hf_object_shape_free(hf_object_shape* s) {
    for (int i = 0; i < s->count; i++) hf_mesh_free(&s->hulls[i]);
    hf_free(s->shapes);
    hf_free(s->hulls);
    memset(s, 0, sizeof *s);
}
