/* Sample sets kept in files: mapped when they are the right ones, else built and written anew. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "contact/sample_set.h"
#include "model/creature.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hf_status hf_samples_save(const hf_samples* samples, const char* path, hf_error* error) {
    HF_REQUIRE(error, samples && path);
    return hf_sample_file_write(samples->block, path, error);
}

hf_status hf_samples_load(const hf_creature* creature, int limb, const hf_sample_options* options,
                          const char* path, hf_samples** samples, hf_error* error) {
    HF_REQUIRE(error, creature && options && path && samples);
    *samples = NULL;
    hf_sample_key key;
    hf_status status = hf_sample_key_make(creature, limb, options, &key, error);
    if (status != HF_OK) return status;
    void* bytes;
    size_t size;
    status = hf_sample_file_map(path, &bytes, &size, error);
    if (status != HF_OK) return status;
    uint32_t joints = (uint32_t)creature->view.limbs[limb].joint_count;
    status = hf_sample_block_check(bytes, size, &key, joints, path, error);
    if (status == HF_OK && !(*samples = hf_alloc(1, sizeof **samples))) status = hf_fail_memory(error, path);
    if (status == HF_OK)
        **samples = (hf_samples){.block = bytes, .mapped = true, .kept = true};
    else
        hf_sample_file_unmap(bytes, size);
    return status;
}

enum { LONGEST_NAME = 200 }; /* of a file: file systems take 255 bytes, a temporary name is longer */

/* FOLDER/CREATURE-LIMB-CONTACT-COUNT-SEED.hfs, a hash of the task before the dot if there is one, and
   nothing in it that a file name could not hold. */
static hf_status file_name(const hf_creature* creature, const hf_sample_key* key, const char* folder,
                           char* path, size_t size, hf_error* error) {
    const hf_creature_view* v = &creature->view;
    char task[32] = "";
    if (key->task_count)
        snprintf(task, sizeof task, "-%016llx",
                 (unsigned long long)hf_hash_bytes(HF_HASH_START, &key->task_count,
                                                   sizeof *key - offsetof(hf_sample_key, task_count)));
    int n = snprintf(path, size, "%s/", folder), start = n;
    if (n > 0 && (size_t)n < size)
        n += snprintf(path + n, size - (size_t)n, "%s-%s-%d-%d-%llu%s.hfs", v->name, v->limbs[key->limb].name,
                      key->contact, key->count, (unsigned long long)key->seed, task);
    if (n < 0 || (size_t)n >= size || n - start > LONGEST_NAME)
        return hf_fail(error, HF_ERROR_FILE, folder, 0, NULL, "the name of the sample file is too long");
    for (char* c = path + start; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", *c)) *c = '_';
    return HF_OK;
}

hf_status hf_samples_open(const hf_creature* creature, int limb, const hf_sample_options* options,
                          const char* folder, hf_samples** samples, hf_error* notice, hf_error* error) {
    HF_REQUIRE(error, creature && options && folder && samples);
    *samples = NULL;
    hf_error unseen;
    if (!notice) notice = &unseen;
    memset(notice, 0, sizeof *notice);
    hf_sample_key key;
    hf_status status = hf_sample_key_make(creature, limb, options, &key, error);
    if (status != HF_OK) return status;
    char path[4096];
    bool named = file_name(creature, &key, folder, path, sizeof path, notice) == HF_OK;
    bool there = named && access(path, F_OK) == 0;
    if (there) {
        if (hf_samples_load(creature, limb, options, path, samples, notice) == HF_OK) {
            memset(notice, 0, sizeof *notice);
            return HF_OK;
        }
        // say what happens with it
        size_t length = strlen(notice->message);
        snprintf(notice->message + length, sizeof notice->message - length, "; built anew");
    }
    status = hf_samples_build(creature, limb, options, samples, error);
    if (status != HF_OK || !named) return status;
    hf_error failed;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        hf_fail(notice, HF_ERROR_FILE, folder, 0, NULL, "cannot be made: %s", strerror(errno));
    else if (hf_samples_save(*samples, path, &failed) != HF_OK)
        *notice = failed;
    else
        (*samples)->kept = true;
    return HF_OK;
}
