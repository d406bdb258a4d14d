/* What every C test needs: cmocka, where the data is, a folder to write to. */
#ifndef HF_TESTS_TEST_H
#define HF_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include <holdfast/holdfast.h>

/* Under a sanitizer everything takes many times longer: long loops go fewer rounds there, the same ones. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

/* A path inside the project, for instance data_path("data/creatures/human.creature.json"). Four may be
   in use at a time. */
static inline const char* data_path(const char* path) {
    static char texts[4][2048];
    static int next;
    char* text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%s/%s", HF_SOURCE_DIR, path);
    return text;
}

/* Third-party data beside the project, or NULL where it is absent (the test then calls skip()). */
static inline const char* third_party(const char* path) {
    const char* text = data_path("../shared/data/third-party");
    struct stat info;
    if (stat(text, &info) != 0) {
        print_message("third-party data is absent: skipped\n");
        return NULL;
    }
    char inner[1024];
    snprintf(inner, sizeof inner, "../shared/data/third-party/%s", path);
    return data_path(inner);
}

/* A creature of data/creatures by its name. */
static inline hf_creature* shipped_creature(const char* name) {
    char path[200];
    hf_creature* creature = NULL;
    hf_error error = {0};
    snprintf(path, sizeof path, "data/creatures/%s.creature.json", name);
    if (hf_creature_load(data_path(path), NULL, &creature, &error) != HF_OK) fail_msg("%s", error.message);
    return creature;
}

/* A folder of the build for files that tests write. */
static inline const char* test_folder(void) {
    static const char* folder = HF_BUILD_DIR "/test-files";
    mkdir(folder, 0777);
    return folder;
}

#define assert_near(a, b, tolerance)                                                                         \
    do {                                                                                                     \
        double left_ = (a), right_ = (b);                                                                    \
        if (!(fabs(left_ - right_) <= (tolerance)))                                                          \
            fail_msg("%s is %.12g, %s is %.12g", #a, left_, #b, right_);                                     \
    } while (0)

#endif
