/* Sums and products of two doubles without rounding, each as a sum of two doubles. */
#ifndef HF_BASE_EXACT_H
#define HF_BASE_EXACT_H

/* A number as the sum of two doubles; `low` is at most half a unit in the last place of `high`. */
typedef struct hf_pair {
    double high, low;
} hf_pair;

/* a + b exactly (Knuth). */
static inline hf_pair hf_pair_add(double a, double b) {
    double sum = a + b, of_b = sum - a;
    return (hf_pair){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* a + b exactly, where a is 0 or at least as large as b (Dekker). */
static inline hf_pair hf_pair_add_smaller(double a, double b) {
    double sum = a + b;
    return (hf_pair){sum, b - (sum - a)};
}

/* The upper 26 bits (Veltkamp). */
static inline double hf_upper_bits(double a) {
    double c = a * 134217729.0; // 2^27 + 1
    return c - (c - a);
}

/* a * b exactly (Dekker), for sizes between 1e-140 and 1e140. */
static inline hf_pair hf_pair_multiply(double a, double b) {
    double product = a * b, ah = hf_upper_bits(a), bh = hf_upper_bits(b), al = a - ah, bl = b - bh;
    return (hf_pair){product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

#endif
