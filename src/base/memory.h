/* Heap with overflow-checked sizes. Every allocation of the library goes through here or an arena. */
#ifndef HF_BASE_MEMORY_H
#define HF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed; NULL when memory is out or count * size overflows. A count of 0 gives a valid pointer. */
void* hf_alloc(size_t count, size_t size);
/* 64-byte aligned and zeroed; release with hf_free. */
void* hf_alloc_aligned(size_t count, size_t size);
/* 64-byte aligned and not zeroed: no page of it is touched before it is used. */
void* hf_alloc_scratch(size_t bytes);
void* hf_resize(void* pointer, size_t count, size_t size);
void hf_free(void* pointer);
char* hf_copy_text(const char* text);

/* Makes room for one more item in a growable array; false when memory is out, the array untouched. */
bool hf_grow(void** items, int* capacity, int count, size_t size);
#define HF_GROW(items, capacity, count) hf_grow((void**)&(items), &(capacity), (count), sizeof *(items))

/* A chunked arena: many small things that live and die together. */
typedef struct hf_arena {
    struct hf_arena_chunk* chunks;
    size_t used, size;
} hf_arena;
/* Zeroed, 16-byte aligned; NULL when memory is out. */
void* hf_arena_alloc(hf_arena* arena, size_t count, size_t size);
char* hf_arena_text(hf_arena* arena, const char* text);
void* hf_arena_copy(hf_arena* arena, const void* items, size_t count, size_t size);
void hf_arena_free(hf_arena* arena);

#endif
