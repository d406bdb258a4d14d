/* Small creature files written by tests. */
#ifndef HF_TESTS_CREATURE_FILES_H
#define HF_TESTS_CREATURE_FILES_H

#include "test_file.h"

static inline hf_creature* must_load(const char* path) {
    hf_creature* creature;
    hf_error error = {0};
    char text[1200];
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    return creature;
}

static inline hf_creature* load_text(const char* name, const char* text) {
    return must_load(write_file(name, text));
}

static inline const hf_joint* joint_of(const hf_creature* creature, const char* name) {
    int index = hf_creature_find_joint(creature, name);
    if (index < 0) fail_msg("no joint %s", name);
    return &hf_creature_get(creature)->joints[index];
}

static inline const hf_link* link_of(const hf_creature* creature, const char* name) {
    int index = hf_creature_find_link(creature, name);
    if (index < 0) fail_msg("no link %s", name);
    return &hf_creature_get(creature)->links[index];
}

static inline const hf_limb* limb_of(const hf_creature* creature, const char* name) {
    int index = hf_creature_find_limb(creature, name);
    if (index < 0) fail_msg("no limb %s", name);
    return &hf_creature_get(creature)->limbs[index];
}

/* Warnings that hold a text. */
static inline int warnings_with(const hf_creature* creature, const char* text) {
    const hf_creature_view* view = hf_creature_get(creature);
    int count = 0;
    for (int i = 0; i < view->warnings.count; i++) count += strstr(view->warnings.items[i], text) != NULL;
    return count;
}

#endif
