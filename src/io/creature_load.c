/* A creature from any file that can hold one, told apart by the name's ending. */
#include "base/error.h"
#include "io/creature_reader.h"
#include "io/skeleton.h"

#include <sys/stat.h>

hf_load_options hf_load_options_default(void) {
    hf_load_options options = {0};
    return options;
}

hf_status hf_creature_read_body(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                                hf_error* error) {
    if (hf_text_ends(path, ".urdf") || hf_text_ends(path, ".xacro"))
        return hf_urdf_read(path, options, draft, error);
    if (hf_text_ends(path, ".bvh")) return hf_bvh_read_creature(path, options, draft, error);
    if (hf_text_ends(path, ".glb") || hf_text_ends(path, ".gltf"))
        return hf_gltf_read_creature(path, options, draft, error);
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL,
                       "is a folder, a file .creature.json, .urdf, .bvh, .glb or .gltf is expected");
    return hf_fail(error, HF_ERROR_FORMAT, path, 0, NULL,
                   "is not a creature by its name: .creature.json, .urdf, .bvh, .glb or .gltf is expected");
}

static hf_status read_draft(const char* path, const hf_load_options* options, hf_creature_draft* draft,
                            hf_error* error) {
    draft->path = hf_arena_text(&draft->arena, path);
    if (!draft->path) return hf_fail_memory(error, path);
    if (hf_text_ends(path, ".json")) return hf_creature_file_read(path, options, draft, error);
    hf_status status = hf_creature_read_body(path, options, draft, error);
    if (status == HF_OK && draft->urdf_path) status = hf_srdf_read_beside(path, draft, error);
    return status;
}

hf_status hf_creature_load(const char* path, const hf_load_options* options, hf_creature** creature,
                           hf_error* error) {
    HF_REQUIRE(error, path && creature);
    hf_load_options defaults = hf_load_options_default();
    hf_creature_draft draft = {0};
    *creature = NULL;
    hf_status status = read_draft(path, options ? options : &defaults, &draft, error);
    if (status == HF_OK) status = hf_creature_build(&draft, creature, error);
    hf_creature_draft_free(&draft);
    return status;
}
