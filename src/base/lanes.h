/* As many floats as the instruction set takes at once, for kernels whose lanes are independent samples. */
#ifndef HF_BASE_LANES_H
#define HF_BASE_LANES_H

#include <stdint.h>

#if defined(__AVX512F__)
enum { WIDTH = 16 };
#elif defined(__AVX2__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
typedef float vec __attribute__((vector_size(WIDTH * 4)));
typedef int32_t bits __attribute__((vector_size(WIDTH * 4)));

/* Defines name(x, &sine, &cosine) for a vector type of floats and the type of its bits.
   r = x - k pi in [-pi/2, pi/2], pi in two parts of which the first has 18 bits: k times it is exact up to
   |x| of 200. Minimax polynomials on that range, errors 5e-9 and 3e-10; an odd k turns both signs. Adding and
   taking off 1.5 * 2^23 rounds to a whole number and leaves its parity in the last bit. */
#define HF_LANES_SINE_COSINE(name, vec, bits)                                                                \
    static inline __attribute__((always_inline)) void name(vec x, vec* sine, vec* cosine) {                  \
        const float round = 12582912.0f, pi_high = 3.1415863037109375f, pi_low = 6.34987886e-06f;            \
        vec shifted = x * 0.318309886f + round;                                                              \
        vec k = shifted - round;                                                                             \
        bits flip = (bits)shifted << 31;                                                                     \
        vec r = (x - k * pi_high) - k * pi_low;                                                              \
        vec r2 = r * r;                                                                                      \
        vec s = ((2.59966892e-06f * r2 - 1.98064417e-04f) * r2 + 8.33301490e-03f) * r2 - 1.66666570e-01f;    \
        vec c =                                                                                              \
            (((-2.60734320e-07f * r2 + 2.47616873e-05f) * r2 - 1.38883998e-03f) * r2 + 4.16666405e-02f) *    \
                r2 -                                                                                         \
            4.99999995e-01f;                                                                                 \
        s = r + (r * r2) * s;                                                                                \
        c = 1.0f + r2 * c;                                                                                   \
        *sine = (vec)((bits)s ^ flip);                                                                       \
        *cosine = (vec)((bits)c ^ flip);                                                                     \
    }

#endif
