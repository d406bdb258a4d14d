/* Counter-based random numbers (Random123, Philox 4x32-10): the value depends on (seed, stream,
   index) alone, so that any thread may draw any number. */
#ifndef HF_BASE_RANDOM_H
#define HF_BASE_RANDOM_H

#include <holdfast/math.h>
#include <stdint.h>

typedef struct hf_random4 {
    uint32_t v[4];
} hf_random4;
/* Four words for (seed, stream, index, block). */
hf_random4 hf_random_words(uint64_t seed, uint32_t stream, uint64_t index, uint32_t block);

/* A sequence of numbers for one index. */
typedef struct hf_random {
    uint64_t seed, index;
    uint32_t stream, block;
    int left;
    hf_random4 words;
} hf_random;
hf_random hf_random_start(uint64_t seed, uint32_t stream, uint64_t index);
uint32_t hf_random_bits(hf_random* random);
/* Uniform in [0, 1) with 53 bits. */
double hf_random_unit(hf_random* random);
double hf_random_between(hf_random* random, double low, double high);
/* A point of a box, x drawn first. C leaves open which argument of a call is computed first, so numbers that
   are arguments of one call must not be drawn there. */
hf_vec3 hf_random_in_box(hf_random* random, hf_vec3 low, hf_vec3 high);

#endif
