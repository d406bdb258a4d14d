/* Loads a creature from bytes in a folder of its own and holds the loader to its promises. */
#ifndef HF_FUZZ_CREATURE_FUZZ_H
#define HF_FUZZ_CREATURE_FUZZ_H

#include <holdfast/holdfast.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline const char* fuzz_folder(void) {
    static char text[128];
    snprintf(text, sizeof text, "%s/holdfast-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (int)getpid());
    return text;
}

static inline void fuzz_clean(void) {
    DIR* folder = opendir(fuzz_folder());
    struct dirent* entry;
    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(fuzz_folder());
}

/* A path in this process's folder: in memory where the machine has such a place. */
static inline const char* fuzz_path(const char* name) {
    static char texts[4][256];
    static int next;
    char* text = texts[next++ % 4];
    if (mkdir(fuzz_folder(), 0700) == 0) atexit(fuzz_clean);
    snprintf(text, sizeof texts[0], "%s/%s", fuzz_folder(), name);
    return text;
}

static inline void fuzz_write(const char* name, const void* bytes, size_t size) {
    FILE* file = fopen(fuzz_path(name), "wb");
    if (!file) abort();
    if (size && fwrite(bytes, 1, size, file) != size) abort();
    fclose(file);
}

static inline void check(bool holds) {
    if (!holds) abort();
}

static inline void check_limbs(const hf_creature_view* v) {
    for (int i = 0; i < v->limb_count; i++) {
        const hf_limb* l = &v->limbs[i];
        check(l->root_link >= 0 && l->effector_link >= l->root_link && l->effector_link < v->link_count);
        check(l->contact_count > 0 && isfinite(l->length) && l->max_force > 0);
        for (int k = 0; k < l->joint_count; k++) check(v->joints[l->joints[k]].mimic < 0);
        for (int k = 0; k < l->contact_count; k++) {
            const hf_contact_frame* f = &l->contacts[k];
            check(fabs(hf_length(f->normal) - 1) < 1e-6 && isfinite(hf_length(f->offset)));
            check(f->patch[0] >= 0 && f->patch[1] >= 0 && f->ball >= 0);
        }
        for (int k = 0; k < i; k++) check(strcmp(v->limbs[k].name, l->name) != 0);
    }
}

static inline void fuzz_load(const char* name) {
    hf_creature* creature = (hf_creature*)1;
    hf_error error = {0};
    hf_status status = hf_creature_load(fuzz_path(name), NULL, &creature, &error);
    if (status != HF_OK) {
        check(!creature && error.status == status && error.message[0] && error.file[0]);
        return;
    }
    const hf_creature_view* v = hf_creature_get(creature);
    int q = 0, speeds = 6;
    for (int i = 0; i < v->joint_count; i++) {
        const hf_joint* j = &v->joints[i];
        check(j->q_index == q && j->v_index == speeds && j->lower <= j->upper && j->max_speed > 0);
        check(j->mimic < v->joint_count && (j->mimic < 0 || v->joints[j->mimic].mimic < 0));
        q += j->q_count, speeds += j->v_count;
    }
    check(q == v->q_count && speeds == v->v_count && v->mass >= 0);
    for (int i = 1; i < v->link_count; i++) check(v->links[i].parent_link < i && v->links[i].joint >= 0);
    check_limbs(v);
    hf_creature_free(creature);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif
