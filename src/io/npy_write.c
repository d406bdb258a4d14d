/* The .npy format, version 1.0: magic bytes, a header that is a Python dictionary, the numbers. */
#include "io/npy_write.h"

#include "io/byte_buffer.h"

#include <stdio.h>
#include <string.h>

/* The numbers begin at a multiple of this many bytes. */
enum { ALIGNMENT = 64 };

/* The dictionary, blanks up to the alignment, and a line end. */
static void add_header(hf_bytes* out, int rows, int cols) {
    char text[128];
    int length = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                          rows, cols);
    size_t before = 10, whole = (before + (size_t)length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t header = whole - before;
    const char magic[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(header & 255), (char)(header >> 8)};
    hf_bytes_add(out, magic, sizeof magic);
    hf_bytes_add(out, text, (size_t)length);
    while (out->size < whole - 1 && !out->failed) hf_bytes_add(out, " ", 1);
    hf_bytes_add(out, "\n", 1);
}

static void add_double(hf_bytes* out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hf_bytes_u32(out, (uint32_t)bits);
    hf_bytes_u32(out, (uint32_t)(bits >> 32));
}

hf_status hf_npy_write(const char* path, int rows, int cols, const double* data, hf_error* error) {
    hf_bytes out = {0};
    add_header(&out, rows, cols);
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++) add_double(&out, data[i]);
    hf_status status = hf_bytes_save(&out, path, error);
    hf_bytes_free(&out);
    return status;
}
