/* Feeds bytes to one mesh reader and holds it to its promises. */
#ifndef HF_FUZZ_MESH_FUZZ_H
#define HF_FUZZ_MESH_FUZZ_H

#include "base/memory.h"
#include "io/mesh_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void fuzz_mesh(hf_status (*read)(hf_mesh_draft*), const uint8_t* data, size_t size) {
    /* An exact copy, so that one byte too far is seen; readers are promised a 0 behind. */
    char* bytes = hf_alloc(size + 1, 1);
    if (!bytes) return;
    if (size) memcpy(bytes, data, size);
    hf_error error = {0};
    hf_mesh mesh = {0};
    hf_mesh_draft draft = {.path = "fuzz", .bytes = bytes, .size = size, .error = &error};
    hf_status status = read(&draft);
    if (status == HF_OK) status = hf_mesh_draft_finish(&draft, &mesh);
    hf_mesh_draft_free(&draft);
    hf_free(bytes);
    if (status != HF_OK) {
        if (error.status != status || !error.message[0] || mesh.vertices) abort();
        return;
    }
    if (mesh.triangle_count < 1 || mesh.vertex_count < 1) abort();
    for (int i = 0; i < 3 * mesh.triangle_count; i++)
        if (mesh.indices[i] >= (uint32_t)mesh.vertex_count) abort();
    for (int i = 0; i < 3 * mesh.vertex_count; i++)
        if (!isfinite(mesh.vertices[i])) abort();
    hf_mesh_free(&mesh);
}

#endif
