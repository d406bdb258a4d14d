/* FNV-1a in 64 bits: small, portable, good enough to tell two creatures or two plans apart. */
#ifndef HF_BASE_HASH_H
#define HF_BASE_HASH_H

#include <holdfast/math.h>
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
static inline uint64_t hf_hash_transform(uint64_t hash, const hf_transform* t) {
    const double numbers[7] = {t->position.x, t->position.y, t->position.z, t->rotation.w,
                               t->rotation.x, t->rotation.y, t->rotation.z};
    for (int i = 0; i < 7; i++) hash = hf_hash_double(hash, numbers[i]);
    return hash;
}

#endif
