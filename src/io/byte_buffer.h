/* Bytes that a writer gathers before a file is made of them in one go. Memory failures stick, so that
   a writer checks `failed` (or the status of hf_bytes_save) once at its end. */
#ifndef HF_IO_BYTE_BUFFER_H
#define HF_IO_BYTE_BUFFER_H

#include <holdfast/base.h>
#include <holdfast/math.h>

typedef struct hf_bytes {
    char* data;
    size_t size, capacity;
    bool failed;
    bool unreadable; /* a path stands in it that JSON cannot hold */
} hf_bytes;

void hf_bytes_free(hf_bytes* bytes);
void hf_bytes_add(hf_bytes* bytes, const void* data, size_t size);
void hf_bytes_text(hf_bytes* bytes, const char* text);
__attribute__((format(printf, 2, 3))) void hf_bytes_format(hf_bytes* bytes, const char* format, ...);
/* The shortest decimal text that reads back to the same double, whatever the locale. */
void hf_bytes_number(hf_bytes* bytes, double value);
/* Numbers with a separator between them. */
void hf_bytes_numbers(hf_bytes* bytes, const double* values, int count, const char* separator);
/* A JSON string with its quotes; bytes that are no UTF-8 become "?". */
void hf_bytes_quoted(hf_bytes* bytes, const char* text);
/* The same of a path that shall be read again: saving fails where it is no UTF-8. */
void hf_bytes_path(hf_bytes* bytes, const char* path);
/* Little-endian pieces of binary files. */
void hf_bytes_u32(hf_bytes* bytes, uint32_t value);
void hf_bytes_f32(hf_bytes* bytes, float value);
/* Fills with `fill` up to a multiple of four. */
void hf_bytes_align(hf_bytes* bytes, char fill);
/* Writes everything to a file, through a temporary one that is renamed. */
hf_status hf_bytes_save(const hf_bytes* bytes, const char* path, hf_error* error);

/* Bytes of the UTF-8 character that text begins with, 0 when it is none. */
int hf_utf8_length(const char* text);
bool hf_is_utf8(const char* text);

#endif
