#include "base/file.h"
#include "base/output.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hf_status fail(hf_error* error, const char* path, const char* doing) {
    if (errno == ENOMEM) return hf_fail_memory(error, path);
    return hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "cannot be %s: %s", doing, strerror(errno));
}

hf_status hf_file_read(const char* path, char** bytes, size_t* size, hf_error* error) {
    *bytes = NULL;
    *size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return fail(error, path, "opened");
    struct stat info;
    hf_status status = HF_OK;
    if (fstat(file, &info) != 0) {
        status = fail(error, path, "read");
    } else if (S_ISDIR(info.st_mode)) {
        status = hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "is a folder, a file is expected");
    } else if (!S_ISREG(info.st_mode)) {
        status = hf_fail(error, HF_ERROR_FILE, path, 0, NULL, "is not a regular file");
    } else if (info.st_size > HF_FILE_MAX_BYTES) {
        status = hf_fail(error, HF_ERROR_LIMIT, path, 0, NULL, "is larger than 1 GiB");
    }
    size_t length = status == HF_OK ? (size_t)info.st_size : 0, done = 0;
    char* buffer = status == HF_OK ? hf_alloc(length + 1, 1) : NULL;
    if (status == HF_OK && !buffer) status = hf_fail_memory(error, path);
    while (status == HF_OK && done < length) {
        ssize_t n = read(file, buffer + done, length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) status = fail(error, path, "read");
        if (n <= 0) break;
        done += (size_t)n;
    }
    close(file);
    if (status != HF_OK) {
        hf_free(buffer);
        return status;
    }
    *bytes = buffer;
    *size = done;
    return HF_OK;
}

hf_status hf_block_check(const void* block, size_t byte_count, const hf_block_head* wanted, const char* what,
                         const char* path, hf_error* error) {
    const hf_status bad = HF_ERROR_FORMAT;
    hf_block_head head = {0};
    if (byte_count >= wanted->header_bytes) memcpy(&head, block, sizeof head);
    if (head.magic != wanted->magic) return hf_fail(error, bad, path, 0, NULL, "is not a %s", what);
    if (head.version != wanted->version || head.header_bytes != wanted->header_bytes)
        return hf_fail(error, bad, path, 0, NULL, "is of version %u, not %u", head.version, wanted->version);
    if (head.byte_count != byte_count)
        return hf_fail(error, bad, path, 0, NULL, "has %zu bytes, not %llu", byte_count,
                       (unsigned long long)head.byte_count);
    return HF_OK;
}

hf_status hf_block_write(const void* block, size_t byte_count, const void* header, size_t header_bytes,
                         const char* path, hf_error* error) {
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    size_t rest = byte_count - header_bytes;
    fwrite(header, header_bytes, 1, output.stream);
    fwrite((const char*)block + header_bytes, 1, rest, output.stream);
    return hf_output_close(&output, true, error);
}
