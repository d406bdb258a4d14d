/* The library's elementary functions against the C library's in long double, over millions of points: random
   ones in several ranges and the neighbours of every place where a function changes its formula. */
#include "test.h"

#include <float.h>
#include <stdlib.h>

enum { POINTS = SANITIZED ? 100000 : 1000000 };
static const double WORST_ULP = 1; /* as the header promises */

_Static_assert(LDBL_MANT_DIG >= 64, "the oracle needs eleven bits more than a double");

static uint64_t state = 88172645463325252u;
static double unit(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}
static double spread(double most) { return (2 * unit() - 1) * most; }
/* All sizes between two powers of two alike, both signs. */
static double scaled(int low, int high) { return ldexp(spread(1), low + (int)(unit() * (high - low))); }

/* How far a result is from the true value, in units of the last place there. */
static double error_ulp(double got, long double want) {
    int exponent;
    frexpl(want, &exponent);
    if (exponent < -1021) exponent = -1021;
    return (double)fabsl(ldexpl((long double)got - want, 53 - exponent));
}

#define CHECK(got, want, x, y)                                                                               \
    do {                                                                                                     \
        double got_ = (got), error_ = error_ulp(got_, (want));                                               \
        if (!(error_ < WORST_ULP)) fail_msg("%s is off by %g ulp at %a, %a", #got, error_, (x), (y));        \
    } while (0)

static void check_angle(double x) {
    hf_sine_cosine both = hf_sincos(x), mirrored = hf_sincos(-x);
    CHECK(both.sine, sinl(x), x, 0.0);
    CHECK(both.cosine, cosl(x), x, 0.0);
    assert_true(mirrored.sine == -both.sine && mirrored.cosine == both.cosine);
    assert_true(hf_sin(x) == both.sine && hf_cos(x) == both.cosine);
}

static void check_arc(double x) {
    if (fabs(x) > 1) return;
    CHECK(hf_asin(x), asinl(x), x, 0.0);
    CHECK(hf_acos(x), acosl(x), x, 0.0);
    assert_true(hf_asin(-x) == -hf_asin(x));
}

static void check_direction(double y, double x) {
    double angle = hf_atan2(y, x);
    CHECK(angle, atan2l(y, x), y, x);
    assert_true(hf_atan2(-y, x) == -angle);
}

/* The double at `x` and three on each side. */
static void around(double x, void (*check)(double)) {
    double low = x, high = x;
    check(x);
    for (int i = 0; i < 3; i++) {
        low = nextafter(low, -INFINITY), high = nextafter(high, INFINITY);
        check(low), check(high);
    }
}

static void test_sine_cosine(void** unused) {
    (void)unused;
    for (int i = 0; i < POINTS; i++) {
        check_angle(spread(1)), check_angle(spread(10)), check_angle(spread(1.1e6)),
            check_angle(scaled(-1000, 1024));
    }
}

/* Beside multiples of pi / 4 the reduced angle is next to nothing, or the quarter changes. */
static void test_beside_quarters(void** unused) {
    (void)unused;
    for (int k = 0; k < POINTS / 10; k++) around(k * (M_PI / 4), check_angle);
    for (int k = 0; k < POINTS / 10; k++) around(floor(unit() * 1.3e6) * (M_PI / 4), check_angle);
    around(1e6, check_angle), around(0x1p-27, check_angle);
    for (int e = -1074; e < 1024; e++) around(ldexp(1, e), check_angle);
    // Of all doubles this one is nearest to a multiple of pi / 2 (Muller, Elementary Functions, table 11.1).
    around(6381956970095103.0 * 0x1p797, check_angle);
    assert_true(fabs(hf_cos(6381956970095103.0 * 0x1p797)) < 5e-19);
}

static void test_arc_sine_cosine(void** unused) {
    (void)unused;
    for (int i = 0; i < POINTS; i++) {
        check_arc(spread(1)), check_arc(scaled(-1000, 1)), check_arc(1 - fabs(scaled(-53, 0)));
        check_arc(fabs(scaled(-53, 0)) - 1);
    }
    static const double places[] = {0, 0.5, -0.5, 1, -1, 0x1p-27, 0x1p-1022};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) around(places[i], check_arc);
}

static void test_arc_tangent(void** unused) {
    (void)unused;
    for (int i = 0; i < POINTS; i++) {
        check_direction(spread(1), spread(1));
        check_direction(scaled(-70, 70), scaled(-70, 70));
        check_direction(scaled(-1070, 1024), scaled(-1070, 1024));
        double x = spread(1), slope = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.4142135623730951 : 0x1p-60;
        double y = slope * x * (1 + (floor(unit() * 9) - 4) * 0x1p-52);
        check_direction(y, x), check_direction(x, y), check_direction(y, -x);
        check_direction(ldexp(y, -1000), ldexp(x, -1000)), check_direction(ldexp(y, 1000), ldexp(x, 1000));
    }
}

/* Naive: three half units, that of the sum halved by the root. */
static void test_hypotenuse(void** unused) {
    (void)unused;
    for (int i = 0; i < POINTS; i++) {
        double x = scaled(-30, 30), y = scaled(-30, 30);
        assert_true(error_ulp(hf_hypot(x, y), hypotl(x, y)) < 1.5);
    }
    assert_true(hf_hypot(3, -4) == 5 && hf_hypot(0, -2) == 2);
}

#define SAME(a, b) assert_true((a) == (b) && signbit(a) == signbit(b))

static void test_special_values(void** unused) {
    (void)unused;
    SAME(hf_sin(0.0), 0.0), SAME(hf_sin(-0.0), -0.0), SAME(hf_cos(-0.0), 1.0);
    SAME(hf_asin(0.0), 0.0), SAME(hf_asin(-0.0), -0.0), SAME(hf_acos(1), 0.0);
    SAME(hf_sin(0x1p-1074), 0x1p-1074), SAME(hf_asin(-0x1p-1074), -0x1p-1074);
    SAME(hf_asin(1), M_PI / 2), SAME(hf_asin(-1), -M_PI / 2), SAME(hf_acos(-1), M_PI),
        SAME(hf_acos(0), M_PI / 2);
    static const double undefined[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(hf_sin(undefined[i])) && isnan(hf_cos(undefined[i])));
        assert_true(isnan(hf_sincos(undefined[i]).sine) && isnan(hf_sincos(undefined[i]).cosine));
        assert_true(isnan(hf_asin(undefined[i])) && isnan(hf_acos(undefined[i])));
    }
    assert_true(isnan(hf_asin(nextafter(1, 2))) && isnan(hf_acos(nextafter(-1, -2))));
    assert_true(isnan(hf_atan2(NAN, 1)) && isnan(hf_atan2(1, NAN)) && isnan(hf_atan2(NAN, INFINITY)));
}

/* Every pair of these, as the C standard's annex F says. */
static void test_special_directions(void** unused) {
    (void)unused;
    static const double v[] = {0.0,       -0.0,      1,          -1,      INFINITY,
                               -INFINITY, 0x1p-1074, -0x1p-1074, DBL_MAX, -DBL_MAX};
    enum { N = sizeof v / sizeof *v };
    for (int i = 0; i < N * N; i++) SAME(hf_atan2(v[i / N], v[i % N]), atan2(v[i / N], v[i % N]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_cosine),       cmocka_unit_test(test_beside_quarters),
        cmocka_unit_test(test_arc_sine_cosine),   cmocka_unit_test(test_arc_tangent),
        cmocka_unit_test(test_hypotenuse),        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_special_directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
