/* Whole files in. */
#ifndef HF_BASE_FILE_H
#define HF_BASE_FILE_H

#include <holdfast/base.h>

enum { HF_FILE_MAX_BYTES = 1 << 30 };

/* The bytes end with an extra 0. Refuses folders, missing files and files over 1 GiB. */
hf_status hf_file_read(const char* path, char** bytes, size_t* size, hf_error* error);

/* What every block that is kept in a file begins with: a header, then arrays at offsets that it names. */
typedef struct hf_block_head {
    uint64_t magic;
    uint32_t version, header_bytes;
    uint64_t byte_count;
} hf_block_head;
/* Are `byte_count` bytes a block that begins as `wanted` says? Its own byte_count does not count. `what`
   names such a block in the error. */
hf_status hf_block_check(const void* block, size_t byte_count, const hf_block_head* wanted, const char* what,
                         const char* path, hf_error* error);
/* Writes a block whose first `header_bytes` are replaced by the header. */
hf_status hf_block_write(const void* block, size_t byte_count, const void* header, size_t header_bytes,
                         const char* path, hf_error* error);

#endif
