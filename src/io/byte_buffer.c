#include "io/byte_buffer.h"
#include "base/error.h"
#include "base/output.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hf_bytes_free(hf_bytes* bytes) {
    hf_free(bytes->data);
    *bytes = (hf_bytes){0};
}

/* Room for `size` more bytes; grows by half, so that big files copy little. */
static bool reserve(hf_bytes* bytes, size_t size) {
    if (bytes->failed) return false;
    if (size <= bytes->capacity - bytes->size) return true;
    size_t wanted = bytes->size + size;
    size_t capacity = bytes->capacity + bytes->capacity / 2 + 256;
    if (wanted < size) wanted = SIZE_MAX;
    if (capacity < wanted) capacity = wanted;
    char* data = hf_resize(bytes->data, capacity, 1);
    if (!data) {
        bytes->failed = true;
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void hf_bytes_add(hf_bytes* bytes, const void* data, size_t size) {
    if (size == 0 || !reserve(bytes, size)) return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void hf_bytes_text(hf_bytes* bytes, const char* text) { hf_bytes_add(bytes, text, strlen(text)); }

void hf_bytes_format(hf_bytes* bytes, const char* format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && reserve(bytes, (size_t)length + 1)) {
        vsnprintf(bytes->data + bytes->size, (size_t)length + 1, format, again);
        bytes->size += (size_t)length;
    }
    va_end(again);
}

/* Writes the shortest text of a finite double into text; returns its length. */
static int number_text(double value, char text[32]) {
    /* The first of 15, 16, 17 digits that reads back exactly; both calls use the same locale. */
    int length = 0;
    if (value == 0) value = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    /* A locale's decimal mark, of one or more bytes, becomes a point. */
    int out = 0;
    bool in_mark = false;
    for (int i = 0; i < length; i++) {
        char c = text[i];
        bool plain = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
        if (plain)
            text[out++] = c;
        else if (!in_mark)
            text[out++] = '.';
        in_mark = !plain;
    }
    text[out] = 0;
    return out;
}

void hf_bytes_number(hf_bytes* bytes, double value) {
    char text[32];
    int length = number_text(value, text);
    hf_bytes_add(bytes, text, (size_t)length);
}

void hf_bytes_numbers(hf_bytes* bytes, const double* values, int count, const char* separator) {
    for (int i = 0; i < count; i++) {
        if (i) hf_bytes_text(bytes, separator);
        hf_bytes_number(bytes, values[i]);
    }
}

int hf_utf8_length(const char* text) {
    const unsigned char* s = (const unsigned char*)text;
    int count = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < count; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    /* Overlong forms, surrogates, and what lies beyond the last code point. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return count;
}

bool hf_is_utf8(const char* text) {
    for (int n; *text; text += n)
        if ((n = hf_utf8_length(text)) == 0) return false;
    return true;
}

void hf_bytes_path(hf_bytes* bytes, const char* path) {
    bytes->unreadable = bytes->unreadable || !hf_is_utf8(path);
    hf_bytes_quoted(bytes, path);
}

void hf_bytes_quoted(hf_bytes* bytes, const char* text) {
    hf_bytes_text(bytes, "\"");
    for (const char* s = text; *s;) {
        unsigned char c = (unsigned char)*s;
        int length = hf_utf8_length(s);
        if (length == 0)
            hf_bytes_text(bytes, "?");
        else if (c == '"' || c == '\\')
            hf_bytes_format(bytes, "\\%c", c);
        else if (c < 0x20)
            hf_bytes_format(bytes, "\\u%04x", c);
        else
            hf_bytes_add(bytes, s, (size_t)length);
        s += length ? length : 1;
    }
    hf_bytes_text(bytes, "\"");
}

void hf_bytes_u32(hf_bytes* bytes, uint32_t value) {
    unsigned char b[4] = {value & 255, value >> 8 & 255, value >> 16 & 255, value >> 24 & 255};
    hf_bytes_add(bytes, b, 4);
}

void hf_bytes_f32(hf_bytes* bytes, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    hf_bytes_u32(bytes, bits);
}

void hf_bytes_align(hf_bytes* bytes, char fill) {
    while (bytes->size % 4 && !bytes->failed) hf_bytes_add(bytes, &fill, 1);
}

hf_status hf_bytes_save(const hf_bytes* bytes, const char* path, hf_error* error) {
    if (bytes->failed) return hf_fail_memory(error, path);
    if (bytes->unreadable)
        return hf_fail(error, HF_ERROR_ARGUMENT, path, 0, NULL,
                       "a file or folder it names is not UTF-8 text, which is all that JSON holds");
    hf_output output;
    hf_status status = hf_output_open(path, &output, error);
    if (status != HF_OK) return status;
    if (bytes->size) fwrite(bytes->data, 1, bytes->size, output.stream);
    return hf_output_close(&output, true, error);
}
