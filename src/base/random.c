#include "base/random.h"

#include <Random123/philox.h>

hf_random4 hf_random_words(uint64_t seed, uint32_t stream, uint64_t index, uint32_t block) {
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, block}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(counter, key);
    return (hf_random4){{r.v[0], r.v[1], r.v[2], r.v[3]}};
}

hf_random hf_random_start(uint64_t seed, uint32_t stream, uint64_t index) {
    return (hf_random){.seed = seed, .index = index, .stream = stream};
}

uint32_t hf_random_bits(hf_random* random) {
    if (random->left == 0) {
        random->words = hf_random_words(random->seed, random->stream, random->index, random->block++);
        random->left = 4;
    }
    return random->words.v[4 - random->left--];
}

double hf_random_unit(hf_random* random) {
    uint64_t high = hf_random_bits(random) >> 5, low = hf_random_bits(random) >> 6;
    return (double)((high << 26) | low) * 0x1p-53;
}

double hf_random_between(hf_random* random, double low, double high) {
    return low + (high - low) * hf_random_unit(random);
}

hf_vec3 hf_random_in_box(hf_random* random, hf_vec3 low, hf_vec3 high) {
    double x = hf_random_between(random, low.x, high.x), y = hf_random_between(random, low.y, high.y);
    return hf_v3(x, y, hf_random_between(random, low.z, high.z));
}
