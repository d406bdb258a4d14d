/* Loaders take paths: the input becomes a file in memory, or in the temporary folder. */
#ifndef HF_FUZZ_PATH_FUZZ_H
#define HF_FUZZ_PATH_FUZZ_H

#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the input to a file that ends with `ending`; the same file every time. */
static inline const char* fuzz_file(const uint8_t* data, size_t size, const char* ending) {
    static char path[256];
    const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/holdfast-fuzz-%ld%s", folder, (long)getpid(), ending);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size) abort();
    fclose(file);
    return path;
}

/* A failure has a status, says why, and leaves nothing behind. */
static inline void fuzz_check_failure(hf_status status, const hf_error* error, const void* made) {
    if (status == HF_OK ? !made : (made || error->status != status || !error->message[0])) abort();
}

#endif
