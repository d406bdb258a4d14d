/* Files that tests write into the folder of the build. */
#ifndef HF_TESTS_TEST_FILE_H
#define HF_TESTS_TEST_FILE_H

#include "test.h"

/* Path of a test file; four may be in use at a time. */
static inline const char* test_path(const char* name) {
    static char texts[4][1024];
    static int next;
    char* text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%s/%s", test_folder(), name);
    return text;
}

static inline const char* write_file(const char* name, const char* text) {
    const char* path = test_path(name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
