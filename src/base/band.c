/* Cholesky factors of banded systems. */
#include "base/band.h"

#include <math.h>
#include <stddef.h>

double* hf_band_at(const hf_band* b, int row, int column) {
    return b->values + (size_t)row * (size_t)(b->width + 1) + (size_t)(column - row + b->width);
}

/* Inner product of the parts of two rows of L that lie left of a column. */
static double row_product(const hf_band* b, int row, int other, int column) {
    int from = row - b->width > 0 ? row - b->width : 0;
    if (from >= column) return 0;
    const double *x = hf_band_at(b, row, from), *y = hf_band_at(b, other, from);
    double sum[4] = {0, 0, 0, 0};
    int n = column - from, k = 0;
    for (; k + 4 <= n; k += 4)
        for (int l = 0; l < 4; l++) sum[l] += x[k + l] * y[k + l];
    for (; k < n; k++) sum[0] += x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool hf_band_factor(hf_band* b) {
    for (int i = 0; i < b->size; i++) {
        int from = i - b->width > 0 ? i - b->width : 0;
        for (int j = from; j < i; j++) {
            double* a = hf_band_at(b, i, j);
            *a = (*a - row_product(b, i, j, j)) / *hf_band_at(b, j, j);
        }
        double* d = hf_band_at(b, i, i);
        double left = *d - row_product(b, i, i, i);
        if (!(left > 0)) return false;
        *d = sqrt(left);
    }
    return true;
}

void hf_band_solve(const hf_band* b, double* x, int stride) {
    for (int i = 0; i < b->size; i++) {
        double sum = x[(size_t)i * (size_t)stride];
        for (int j = i - b->width > 0 ? i - b->width : 0; j < i; j++)
            sum -= *hf_band_at(b, i, j) * x[(size_t)j * (size_t)stride];
        x[(size_t)i * (size_t)stride] = sum / *hf_band_at(b, i, i);
    }
    for (int i = b->size - 1; i >= 0; i--) {
        double value = x[(size_t)i * (size_t)stride] /= *hf_band_at(b, i, i);
        for (int j = i - b->width > 0 ? i - b->width : 0; j < i; j++)
            x[(size_t)j * (size_t)stride] -= *hf_band_at(b, i, j) * value;
    }
}
