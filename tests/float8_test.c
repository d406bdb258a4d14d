/* The operations of eight floats in their plain form, which processors other than x86 use, against what the
   header says of one lane. The forms with SSE and AVX are compared with scalar code where kernels use them
   (tree_test). */
#undef __SSE2__
#undef __AVX__
#include "geom/float8.h"
#include "test.h"

typedef union lanes {
    float8 all;
    mask8 mask;
    float lane[8];
    int32_t word[8];
} lanes;

static const lanes A = {.lane = {1, -2, 0, -0.0f, INFINITY, NAN, 3, 0x1p-140f}};
static const lanes B = {.lane = {2, -2, -0.0f, 0, -INFINITY, 1, NAN, 4}};

static void same_bits(float8 got, const float want[8]) {
    lanes g = {.all = got}, w;
    memcpy(w.lane, want, sizeof w.lane);
    for (int i = 0; i < 8; i++) assert_int_equal(g.word[i], w.word[i]);
}

/* minps and maxps give the second of two equal ones, and of two of which one is NaN. */
static void test_least_and_most(void** unused) {
    (void)unused;
    same_bits(f8_min(A.all, B.all), (float[]){1, -2, -0.0f, 0, -INFINITY, 1, NAN, 0x1p-140f});
    same_bits(f8_max(A.all, B.all), (float[]){2, -2, -0.0f, 0, INFINITY, 1, NAN, 4});
    same_bits(f8_clamp01(f8_all(-3)), (float[]){0, 0, 0, 0, 0, 0, 0, 0});
    same_bits(f8_abs(A.all), (float[]){1, 2, 0, 0, INFINITY, NAN, 3, 0x1p-140f});
}

static void test_comparisons(void** unused) {
    (void)unused;
    assert_int_equal(m8_bits(f8_less(A.all, B.all)), 0x81);
    assert_int_equal(m8_bits(f8_at_most(A.all, B.all)), 0x8f);
    same_bits(f8_select(f8_less(A.all, B.all), A.all, B.all),
              (float[]){1, -2, -0.0f, 0, -INFINITY, 1, NAN, 0x1p-140f});
}

/* The top bit alone counts: leaves of trees mark unused lanes by it, and other lanes hold any number. */
static void test_bits(void** unused) {
    (void)unused;
    mask8 m = {0, 1, -1, 0x7fffffff, INT32_MIN, 12345, -12345, 0};
    assert_int_equal(m8_bits(m), 0x54);
}

static void test_roots(void** unused) {
    (void)unused;
    lanes r = {.all = f8_sqrt((float8){4, 2, 9, 0.25f, 3, 5, 7, 0})};
    const float of[8] = {4, 2, 9, 0.25f, 3, 5, 7, 0};
    for (int i = 0; i < 8; i++) assert_true(r.lane[i] == (float)sqrt((double)of[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_and_most),
                                       cmocka_unit_test(test_comparisons), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
