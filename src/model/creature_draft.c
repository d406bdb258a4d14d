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
    hf_free(draft->disabled);
    hf_free(draft->states);
    hf_free(draft->rest);
    hf_free(draft->roms);
    hf_free(draft->trunk);
    hf_arena_free(&draft->arena);
    hf_lines_free(&draft->warnings);
    memset(draft, 0, sizeof *draft);
}

int hf_draft_find_link(const hf_creature_draft* draft, const char* name) {
    for (int i = 0; i < draft->links_count; i++)
        if (strcmp(draft->links[i].name, name) == 0) return i;
    return -1;
}

int hf_draft_find_joint(const hf_creature_draft* draft, const char* name) {
    for (int i = 0; i < draft->joints_count; i++)
        if (strcmp(draft->joints[i].name, name) == 0) return i;
    return -1;
}
