/* Small dense symmetric systems: Cholesky factors of row-major lower triangles. */
#ifndef HF_BASE_LINEAR_H
#define HF_BASE_LINEAR_H

#include <math.h>
#include <stdbool.h>

/* Before a loop over the rows of a small system whose size is a constant where it is inlined. Clang unrolls
   such loops by itself as far as it sees fit; told to, it spends minutes on the sanitizers' checks. */
#if defined(__clang__)
#define HF_UNROLL
#else
#define HF_UNROLL _Pragma("GCC unroll 8")
#endif

/* Factors the lower triangle of a (n rows, `stride` numbers apart) in place as L L^T and keeps the
   reciprocals of the diagonal in `inverse`. False when the matrix is not positive definite. Inline,
   so that a constant n unrolls. */
static inline __attribute__((always_inline)) bool hf_cholesky(double* a, int n, int stride, double* inverse) {
    HF_UNROLL
    for (int j = 0; j < n; j++) {
        double d = a[j * stride + j];
        HF_UNROLL
        for (int k = 0; k < j; k++) d -= a[j * stride + k] * a[j * stride + k];
        if (!(d > 0)) return false;
        d = sqrt(d);
        a[j * stride + j] = d;
        inverse[j] = 1 / d;
        HF_UNROLL
        for (int i = j + 1; i < n; i++) {
            double s = a[i * stride + j];
            HF_UNROLL
            for (int k = 0; k < j; k++) s -= a[i * stride + k] * a[j * stride + k];
            a[i * stride + j] = s * inverse[j];
        }
    }
    return true;
}

/* Solves L L^T x = b in place. */
static inline __attribute__((always_inline)) void hf_cholesky_solve(const double* l, int n, int stride,
                                                                    const double* inverse, double* b) {
    HF_UNROLL
    for (int i = 0; i < n; i++) {
        double s = b[i];
        HF_UNROLL
        for (int k = 0; k < i; k++) s -= l[i * stride + k] * b[k];
        b[i] = s * inverse[i];
    }
    HF_UNROLL
    for (int i = n - 1; i >= 0; i--) {
        double s = b[i];
        HF_UNROLL
        for (int k = i + 1; k < n; k++) s -= l[k * stride + i] * b[k];
        b[i] = s * inverse[i];
    }
}

#endif
