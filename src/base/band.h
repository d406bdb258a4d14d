/* Symmetric positive definite systems whose entries lie near the diagonal: A. George, J. Liu: Computer
   Solution of Large Sparse Positive Definite Systems, 1981, chapter 4. */
#ifndef HF_BASE_BAND_H
#define HF_BASE_BAND_H

#include <stdbool.h>

/* The lower half by rows: entry (i, j), j <= i <= j + width, is at values[i * (width + 1) + j - i + width].
 */
typedef struct hf_band {
    int size, width;
    double* values;
} hf_band;

double* hf_band_at(const hf_band* band, int row, int column);
/* A = L L^T in place; false when A is not positive definite. */
bool hf_band_factor(hf_band* band);
/* Solves A x = b with the factor, b becomes x. b: `size` numbers that stand `stride` apart. */
void hf_band_solve(const hf_band* factor, double* b, int stride);

#endif
