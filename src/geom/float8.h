/* Eight floats at a time, the same for every instruction set: GNU vectors for arithmetic, intrinsics where
   the language has no word for it. No operation here rounds differently from its scalar form. */
#ifndef HF_GEOM_FLOAT8_H
#define HF_GEOM_FLOAT8_H

#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <math.h>
#endif

/* Farther than anything, and still a float. */
#define HF_FLOAT_FAR 3e38f

typedef float float8 __attribute__((vector_size(32)));
typedef int32_t mask8 __attribute__((vector_size(32)));
#define HF_INLINE8 static inline __attribute__((always_inline))

#if defined(__SSE2__) && !defined(__AVX__)
typedef float float4 __attribute__((vector_size(16)));
#define F8_LOW(a) ((__m128)__builtin_shufflevector((a), (a), 0, 1, 2, 3))
#define F8_HIGH(a) ((__m128)__builtin_shufflevector((a), (a), 4, 5, 6, 7))
#define F8_JOIN(a, b) __builtin_shufflevector((float4)(a), (float4)(b), 0, 1, 2, 3, 4, 5, 6, 7)
#endif

HF_INLINE8 float8 f8_load(const float* p) { return *(const float8*)p; }
HF_INLINE8 float8 f8_all(float x) { return (float8){x, x, x, x, x, x, x, x}; }

/* As minps: the second when either is NaN. */
HF_INLINE8 float8 f8_min(float8 a, float8 b) {
#if defined(__AVX__)
    return (float8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return F8_JOIN(_mm_min_ps(F8_LOW(a), F8_LOW(b)), _mm_min_ps(F8_HIGH(a), F8_HIGH(b)));
#else
    for (int i = 0; i < 8; i++) a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
#endif
}

HF_INLINE8 float8 f8_max(float8 a, float8 b) {
#if defined(__AVX__)
    return (float8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return F8_JOIN(_mm_max_ps(F8_LOW(a), F8_LOW(b)), _mm_max_ps(F8_HIGH(a), F8_HIGH(b)));
#else
    for (int i = 0; i < 8; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

HF_INLINE8 float8 f8_sqrt(float8 a) {
#if defined(__AVX__)
    return (float8)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return F8_JOIN(_mm_sqrt_ps(F8_LOW(a)), _mm_sqrt_ps(F8_HIGH(a)));
#else
    for (int i = 0; i < 8; i++) a[i] = sqrtf(a[i]);
    return a;
#endif
}

HF_INLINE8 float8 f8_abs(float8 a) { return (float8)((mask8)a & 0x7fffffff); }

/* Comparisons; false where either is NaN. */
HF_INLINE8 mask8 f8_less(float8 a, float8 b) {
#if defined(__SSE2__) && !defined(__AVX__)
    return (mask8)F8_JOIN(_mm_cmplt_ps(F8_LOW(a), F8_LOW(b)), _mm_cmplt_ps(F8_HIGH(a), F8_HIGH(b)));
#else
    return a < b;
#endif
}

HF_INLINE8 mask8 f8_at_most(float8 a, float8 b) {
#if defined(__SSE2__) && !defined(__AVX__)
    return (mask8)F8_JOIN(_mm_cmple_ps(F8_LOW(a), F8_LOW(b)), _mm_cmple_ps(F8_HIGH(a), F8_HIGH(b)));
#else
    return a <= b;
#endif
}

/* a where the mask is set, else b. */
HF_INLINE8 float8 f8_select(mask8 m, float8 a, float8 b) {
#if defined(__AVX__)
    return (float8)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
#else
    return (float8)(((mask8)a & m) | ((mask8)b & ~m));
#endif
}

/* The top bit of each lane: one bit for each whose mask is set. */
HF_INLINE8 int m8_bits(mask8 m) {
#if defined(__AVX__)
    return _mm256_movemask_ps((__m256)m);
#elif defined(__SSE2__)
    float8 f = (float8)m;
    return _mm_movemask_ps(F8_LOW(f)) | _mm_movemask_ps(F8_HIGH(f)) << 4;
#else
    int bits = 0;
    for (int i = 0; i < 8; i++) bits |= (m[i] < 0) << i;
    return bits;
#endif
}

HF_INLINE8 float8 f8_clamp01(float8 a) { return f8_min(f8_max(a, f8_all(0)), f8_all(1)); }

/* Eight vectors. */
typedef struct vec8 {
    float8 x, y, z;
} vec8;

HF_INLINE8 vec8 v8_sub(vec8 a, vec8 b) { return (vec8){a.x - b.x, a.y - b.y, a.z - b.z}; }
HF_INLINE8 vec8 v8_add_scaled(vec8 a, vec8 b, float8 s) {
    return (vec8){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
HF_INLINE8 float8 v8_dot(vec8 a, vec8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HF_INLINE8 vec8 v8_cross(vec8 a, vec8 b) {
    return (vec8){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HF_INLINE8 vec8 v8_select(mask8 m, vec8 a, vec8 b) {
    return (vec8){f8_select(m, a.x, b.x), f8_select(m, a.y, b.y), f8_select(m, a.z, b.z)};
}
HF_INLINE8 vec8 v8_all(float x, float y, float z) { return (vec8){f8_all(x), f8_all(y), f8_all(z)}; }

#endif
