/* Whole files in. */
#ifndef HF_BASE_FILE_H
#define HF_BASE_FILE_H

#include <holdfast/base.h>

enum { HF_FILE_MAX_BYTES = 1 << 30 };

/* The bytes end with an extra 0. Refuses folders, missing files and files over 1 GiB. */
hf_status hf_file_read(const char* path, char** bytes, size_t* size, hf_error* error);

#endif
