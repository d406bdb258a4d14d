/* The orientation of four points with an exact sign (Shewchuk, Adaptive precision floating-point arithmetic
   and fast robust geometric predicates, 1997): a determinant of doubles where its error bound allows, else
   the sum of 24 products of three floats, each exact as two doubles, kept as an expansion. */
#include "geom/orientation.h"
#include "base/exact.h"

#include <math.h>

/* Error of the rounded determinant as a share of its permanent: (7 + 56 u) u with u = 2^-53. */
static const double DOUBT = 7.8e-16;

/* A sum of doubles that do not overlap, the largest last. */
typedef struct expansion {
    int count;
    double part[48];
} expansion;

static void grow(expansion* e, double value) {
    int n = 0;
    for (int i = 0; i < e->count; i++) {
        hf_pair sum = hf_pair_add(value, e->part[i]);
        value = sum.high;
        if (sum.low != 0) e->part[n++] = sum.low;
    }
    if (value != 0) e->part[n++] = value;
    e->count = n;
}

/* Adds sign * a_x b_y c_z; the product of two floats is a double. */
static void add_product(expansion* e, double sign, double x, double y, double z) {
    hf_pair product = hf_pair_multiply(sign * x * y, z);
    grow(e, product.low);
    grow(e, product.high);
}

/* Adds sign * a . (b x c). */
static void add_determinant(expansion* e, double sign, const double* a, const double* b, const double* c) {
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        add_product(e, sign, a[k], b[l], c[m]);
        add_product(e, -sign, a[k], b[m], c[l]);
    }
}

static double exact_orientation(const double* a, const double* b, const double* c, const double* p) {
    expansion e = {0};
    add_determinant(&e, 1, b, c, p);
    add_determinant(&e, -1, a, c, p);
    add_determinant(&e, 1, a, b, p);
    add_determinant(&e, -1, a, b, c);
    return e.count ? e.part[e.count - 1] : 0;
}

double hf_orientation(const double* a, const double* b, const double* c, const double* p) {
    double u[3], v[3], w[3], sum = 0, size = 0;
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = p[k] - a[k];
    for (int k = 0; k < 3; k++) {
        double one = v[(k + 1) % 3] * w[(k + 2) % 3], other = v[(k + 2) % 3] * w[(k + 1) % 3];
        sum += u[k] * (one - other);
        size += fabs(u[k]) * (fabs(one) + fabs(other));
    }
    return fabs(sum) > DOUBT * size ? sum : exact_orientation(a, b, c, p);
}
