/* Counts every allocation of the test program, so that a test can say there was none. */
#ifndef HF_TESTS_ALLOCATION_COUNT_H
#define HF_TESTS_ALLOCATION_COUNT_H

#include "test.h"

#include <stdlib.h>

#define COUNTS_MEMORY !SANITIZED /* sanitizers bring their own malloc */

static int allocations;
#if COUNTS_MEMORY
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) { return allocations++, __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return allocations++, __libc_calloc(count, size); }
void* realloc(void* pointer, size_t size) { return allocations++, __libc_realloc(pointer, size); }
void* aligned_alloc(size_t alignment, size_t size) { return allocations++, __libc_memalign(alignment, size); }
#endif

#endif
