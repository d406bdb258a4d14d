/* Random words, their spread over intervals, regions and manipulability, many postures at a time. Compiled
   once for each instruction set. Lanes are independent and nothing is fused: every width gives the same. */
#include "base/lanes.h"
#include "contact/sample_draw.h"

#include <math.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef uint64_t wide __attribute__((vector_size(WIDTH * 4)));
typedef uint32_t narrow __attribute__((vector_size(WIDTH * 2)));
#define INLINE static inline __attribute__((always_inline))

/* ---- Philox 4x32-10 (Salmon and others 2011) ---- */

/* Low halves of a times m, as 64 bits. */
INLINE wide multiply(wide a, uint32_t m) {
#if defined(__AVX512F__)
    return (wide)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(m));
#elif defined(__AVX2__)
    return (wide)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(m));
#elif defined(__SSE2__)
    return (wide)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(m));
#else
    return (a & 0xffffffffu) * m;
#endif
}

enum { ROUNDS = 10 }; /* of Philox 4x32, as its authors advise */
/* Counters in 64-bit lanes whose upper halves mean nothing. */
static void kernel_words(uint64_t seed, uint32_t stream, const uint32_t* index, uint32_t block, int count,
                         uint32_t* out) {
    for (int i = 0; i < count; i += WIDTH / 2) {
        wide c0 = __builtin_convertvector(*(const narrow*)&index[i], wide), c1 = {0};
        wide c2 = c1 + stream, c3 = c1 + block;
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < ROUNDS; round++) {
            wide p0 = multiply(c0, 0xD2511F53u), p1 = multiply(c2, 0xCD9E8D57u);
            c0 = (p1 >> 32) ^ c1 ^ k0, c2 = (p0 >> 32) ^ c3 ^ k1;
            c1 = p1, c3 = p0;
            k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
        }
        const wide c[4] = {c0, c1, c2, c3};
        for (int k = 0; k < 4; k++)
            *(narrow*)&out[k * HF_DRAW_CHUNK + i] = __builtin_convertvector(c[k], narrow);
    }
}

static void kernel_between(const uint32_t* words, int count, float lower, float upper, float* out) {
    float span = upper - lower;
    for (int i = 0; i < count; i++) {
        float x = lower + (float)(int32_t)(words[i] >> 8) * 0x1p-24f * span;
        x = x < upper ? x : upper;
        out[i] = x > lower ? x : lower;
    }
}

/* ---- regions ---- */

INLINE int any(bits m) {
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)m) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps((__m256)m);
#elif defined(__SSE2__)
    return _mm_movemask_ps((__m128)m);
#else
    int32_t all = 0;
    for (int i = 0; i < WIDTH; i++) all |= m[i];
    return all < 0;
#endif
}

/* Lanes in one of the pieces. A piece is left as soon as no lane is in it. */
INLINE bits in_pieces(const hf_draw_region* r, int d, const vec* x) {
    bits found = {0};
    const float* plane = r->planes;
    for (int piece = 0, k = 0; piece < r->piece_count; piece++) {
        bits in = ~found;
        for (int end = r->plane_end[piece]; k < end; k++, plane += d + 1) {
            vec height = plane[0] * x[0];
            for (int i = 1; i < d; i++) height += plane[i] * x[i];
            in &= height <= plane[d];
            if (!any(in)) break;
        }
        found |= in;
        if (!any(~found)) break;
        k = r->plane_end[piece];
        plane = r->planes + (size_t)k * (size_t)(d + 1);
    }
    return found;
}

static void kernel_inside(const hf_draw_region* region, const float* values, int count, uint8_t* inside) {
    int d = region->joint_count;
    for (int i = 0; i < count; i += WIDTH) {
        vec x[HF_MAX_ROM_JOINTS];
        for (int k = 0; k < d; k++) x[k] = *(const vec*)&values[k * HF_DRAW_CHUNK + i];
        bits in = d == 3 ? in_pieces(region, 3, x) : in_pieces(region, d, x);
        for (int lane = 0; lane < WIDTH; lane++) inside[i + lane] = in[lane] != 0;
    }
}

/* ---- manipulability ---- */

static void kernel_manipulability(const float* gram, int rank, int count, float* out) {
    const float *xx = gram, *yy = gram + HF_DRAW_CHUNK, *zz = gram + 2 * HF_DRAW_CHUNK;
    const float *xy = gram + 3 * HF_DRAW_CHUNK, *xz = gram + 4 * HF_DRAW_CHUNK,
                *yz = gram + 5 * HF_DRAW_CHUNK;
    for (int i = 0; i < count; i++) {
        // squares of singular values: their product, sum of products of two, or sum
        float a = yy[i] * zz[i] - yz[i] * yz[i], b = xx[i] * zz[i] - xz[i] * xz[i];
        float c = xx[i] * yy[i] - xy[i] * xy[i];
        float square = xx[i] + yy[i] + zz[i];
        if (rank == 2) square = a + b + c;
        if (rank == 3)
            square =
                xx[i] * a - xy[i] * (xy[i] * zz[i] - yz[i] * xz[i]) + xz[i] * (xy[i] * yz[i] - yy[i] * xz[i]);
        if (rank == 0) square = 1;
        out[i] = sqrtf(square > 0 ? square : 0);
    }
}

extern const hf_draw_kernel HF_KERNEL_NAME(hf_draw_kernel);
const hf_draw_kernel HF_KERNEL_NAME(hf_draw_kernel) = {kernel_words, kernel_between, kernel_inside,
                                                       kernel_manipulability};
