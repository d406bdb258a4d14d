/* FNV-1a in 64 bits: small, portable, good enough to tell two creatures or two plans apart. */
#ifndef HF_BASE_HASH_H
#define HF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HF_HASH_START 1469598103934665603ull

static inline uint64_t hf_hash_bytes(uint64_t hash, const void* bytes, size_t count) {
    const unsigned char* b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * 1099511628211ull;
    return hash;
}
static inline uint64_t hf_hash_text(uint64_t hash, const char* text) {
    return hf_hash_bytes(hash, text, strlen(text) + 1);
}
static inline uint64_t hf_hash_double(uint64_t hash, double value) {
    if (value == 0) value = 0; /* -0 and 0 are the same */
    return hf_hash_bytes(hash, &value, sizeof value);
}
static inline uint64_t hf_hash_int(uint64_t hash, int64_t value) {
    return hf_hash_bytes(hash, &value, sizeof value);
}

#endif
