#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool bytes_of(size_t count, size_t size, size_t* bytes) {
    return !__builtin_mul_overflow(count, size, bytes);
}

void* hf_alloc(size_t count, size_t size) { return calloc(count ? count : 1, size ? size : 1); }

static bool aligned_bytes(size_t count, size_t size, size_t* bytes) {
    if (!bytes_of(count, size, bytes) || *bytes > SIZE_MAX - 64) return false;
    *bytes = (*bytes + 63) / 64 * 64;
    return true;
}

void* hf_alloc_scratch(size_t size) {
    size_t bytes;
    return aligned_bytes(size, 1, &bytes) ? aligned_alloc(64, bytes ? bytes : 64) : NULL;
}

void* hf_alloc_aligned(size_t count, size_t size) {
    size_t bytes;
    void* p = aligned_bytes(count, size, &bytes) ? hf_alloc_scratch(bytes) : NULL;
    if (p) memset(p, 0, bytes);
    return p;
}

void* hf_resize(void* pointer, size_t count, size_t size) {
    size_t bytes;
    if (!bytes_of(count, size, &bytes)) return NULL;
    return realloc(pointer, bytes ? bytes : 1);
}

void hf_free(void* pointer) { free(pointer); }

char* hf_copy_text(const char* text) {
    size_t n = strlen(text) + 1;
    char* copy = hf_alloc(n, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

bool hf_grow(void** items, int* capacity, int count, size_t size) {
    if (count < *capacity) return true;
    int wanted = *capacity < 16 ? 16 : *capacity + *capacity / 2;
    if (wanted <= *capacity) return false;
    void* p = hf_resize(*items, (size_t)wanted, size);
    if (!p) return false;
    *items = p;
    *capacity = wanted;
    return true;
}

struct hf_arena_chunk {
    struct hf_arena_chunk* next;
    _Alignas(16) unsigned char bytes[];
};

void* hf_arena_alloc(hf_arena* arena, size_t count, size_t size) {
    size_t bytes;
    if (!bytes_of(count, size, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + 15) / 16 * 16;
    if (!arena->chunks || arena->size - arena->used < bytes) {
        size_t room = bytes > 65536 ? bytes : 65536;
        struct hf_arena_chunk* chunk = hf_alloc(1, sizeof *chunk + room);
        if (!chunk) return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->used = 0;
        arena->size = room;
    }
    void* p = arena->chunks->bytes + arena->used;
    arena->used += bytes;
    return p;
}

void* hf_arena_copy(hf_arena* arena, const void* items, size_t count, size_t size) {
    void* p = hf_arena_alloc(arena, count, size);
    if (p && count > 0 && size > 0) memcpy(p, items, count * size);
    return p;
}

char* hf_arena_text(hf_arena* arena, const char* text) {
    return hf_arena_copy(arena, text, strlen(text) + 1, 1);
}

void hf_arena_free(hf_arena* arena) {
    while (arena->chunks) {
        struct hf_arena_chunk* next = arena->chunks->next;
        hf_free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = arena->size = 0;
}
