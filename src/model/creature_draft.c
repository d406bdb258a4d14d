#include "model/creature_draft.h"

void hf_creature_draft_free(hf_creature_draft* draft) {
    for (int i = 0; i < draft->shapes_count; i++) {
        hf_free(draft->shapes[i].mesh.vertices);
        hf_free(draft->shapes[i].mesh.indices);
    }
    hf_free(draft->links);
    hf_free(draft->joints);
    hf_free(draft->shapes);
    hf_free(draft->limbs);
    hf_free(draft->groups);
    hf_free(draft->members);
    hf_free(draft->tips);
    hf_free(draft->disabled);
    hf_free(draft->states);
    hf_free(draft->rest);
    hf_free(draft->roms);
    hf_free(draft->trunk);
    hf_arena_free(&draft->arena);
    hf_lines_free(&draft->warnings);
    hf_lines_free(&draft->package_path);
    memset(draft, 0, sizeof *draft);
}
