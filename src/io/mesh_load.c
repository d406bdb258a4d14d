/* Which reader a mesh file gets. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "io/mesh_draft.h"

#include <string.h>

typedef hf_status (*reader)(hf_mesh_draft* draft);

static reader own_reader(const char* path) {
    if (hf_text_ends(path, ".obj")) return hf_obj_read;
    if (hf_text_ends(path, ".stl")) return hf_stl_read;
    if (hf_text_ends(path, ".ply")) return hf_ply_read;
    return NULL;
}

/* The lines as one text, NULL when memory is out. */
static char* join_lines(const hf_lines* lines) {
    size_t size = 1;
    for (int i = 0; i < lines->count; i++) size += strlen(lines->items[i]) + 1;
    char* text = hf_alloc(size, 1);
    char* to = text;
    for (int i = 0; text && i < lines->count; i++) {
        if (i > 0) *to++ = '\n';
        to = stpcpy(to, lines->items[i]);
    }
    return text;
}

static hf_status read_file(hf_mesh_draft* draft) {
    reader read = own_reader(draft->path);
    if (!read) return hf_assimp_read(draft);
    char* bytes;
    hf_status status = hf_file_read(draft->path, &bytes, &draft->size, draft->error);
    if (status != HF_OK) return status;
    draft->bytes = bytes;
    status = read(draft);
    draft->bytes = NULL;
    hf_free(bytes);
    return status;
}

hf_status hf_mesh_load(const char* path, hf_mesh* mesh, char** warnings, hf_error* error) {
    HF_REQUIRE(error, path && mesh);
    *mesh = (hf_mesh){0};
    if (warnings) *warnings = NULL;
    hf_mesh_draft draft = {.path = path, .error = error};
    hf_status status = read_file(&draft);
    if (status == HF_OK) status = hf_mesh_draft_finish(&draft, mesh);
    if (status == HF_OK && warnings && draft.warnings.count > 0) {
        *warnings = join_lines(&draft.warnings);
        if (!*warnings) {
            hf_mesh_free(mesh);
            status = hf_fail_memory(error, path);
        }
    }
    hf_mesh_draft_free(&draft);
    return status;
}
