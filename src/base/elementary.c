/* The elementary functions that decide motions: sine, cosine, arc sine, arc cosine, arc tangent, hypotenuse.

   They use + - * / and sqrt of IEEE doubles alone, in one order and without fused operations. IEEE 754 fixes
   the result of each of these to the last bit, so every compiler, C library and processor gives the same
   motion. All errors are under one unit in the last place (tests/elementary_test.c measures them). The method
   is the usual one: take the argument to a short interval as the sum of two doubles, evaluate a minimax
   polynomial there, add its small part last (Muller, Elementary Functions, chapters 3, 4 and 11). */
#include "base/exact.h"

#include <float.h>
#include <holdfast/math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");

/* Multiples of a quarter of pi. */
static const hf_pair EIGHTHS[5] = {{0, 0},
                                   {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
                                   {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                                   {0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
                                   {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}};

/* ---- sine and cosine ---- */

/* r + l, sizes up to pi / 4 and half a unit in the last place of r. Relative error of the polynomial 2^-52.
 */
static inline double short_sine(hf_pair r) {
    double z = r.high * r.high, z2 = z * z;
    double p = (-0.16666666666666666 + z * 0.008333333333331286) +
               z2 * ((-0.00019841269837047202 + z * 2.7557316203830495e-06) +
                     z2 * (-2.5051147450965216e-08 + z * 1.5919005756742894e-10));
    return r.high + (r.high * z * p + r.low * (1 - 0.5 * z));
}

static inline double short_cosine(hf_pair r) {
    double z = r.high * r.high, z2 = z * z, half = 0.5 * z, most = 1 - half;
    double p = (0.041666666666666664 + z * -0.0013888888888887053) +
               z2 * ((2.4801587298445894e-05 + z * -2.755731715086186e-07) +
                     z2 * (2.0876126318833433e-09 + z * -1.1381436670473692e-11));
    return most + (((1 - most) - half) + (z2 * p - r.high * r.low));
}

/* Bits of 2 / pi after the point, behind two words of zeros. */
static const uint32_t TWO_OVER_PI[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

enum { WORDS = 7 }; /* of 2 / pi that reach below the point: the error is under 2^-138 of a quarter turn */

/* The last WORDS words of mantissa * window, most significant first, times 2^shift. */
static void multiply_window(uint64_t mantissa, const uint32_t* window, int shift, uint32_t out[WORDS]) {
    uint64_t low = mantissa & 0xffffffff, high = mantissa >> 32, carry = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        uint64_t a = low * window[i], b = i + 1 < WORDS ? high * window[i + 1] : 0;
        uint64_t sum = (a & 0xffffffff) + (b & 0xffffffff) + (carry & 0xffffffff);
        out[i] = (uint32_t)sum;
        carry = (carry >> 32) + (a >> 32) + (b >> 32) + (sum >> 32);
    }
    for (int i = 0; i < WORDS && shift > 0; i++) {
        uint64_t next = i + 1 < WORDS ? out[i + 1] : 0;
        out[i] = (uint32_t)((((uint64_t)out[i] << 32 | next) << shift) >> 32);
    }
}

/* Quarter turns in an angle of any size, and the rest (Payne and Hanek): the words of 2 / pi whose product
   with the angle is a multiple of four are left out, the others are multiplied as whole numbers. */
static int reduce_huge(double angle, hf_pair* rest) {
    uint64_t representation;
    memcpy(&representation, &angle, sizeof representation);
    uint64_t mantissa = (representation & 0xfffffffffffff) | 1ull << 52;
    int exponent = (int)(representation >> 52 & 2047) - 1075, first = (exponent - 2 + 64) / 32;
    uint32_t words[WORDS];
    int shift = exponent - 2 + 64 - 32 * first; // 0..31: the first two bits are then the quarters
    multiply_window(mantissa, TWO_OVER_PI + first, shift, words);
    int quarters = (int)(words[0] >> 30), top = (int)(words[0] & 0x3fffffff);
    if (top >= 1 << 29) quarters++, top -= 1 << 30;
    hf_pair a = hf_pair_add(top * 0x1p-30, words[1] * 0x1p-62), b = hf_pair_add(a.low, words[2] * 0x1p-94);
    hf_pair part = hf_pair_add(a.high, b.high);
    part = hf_pair_add(part.high, part.low + (b.low + (words[3] * 0x1p-126 + words[4] * 0x1p-158)));
    hf_pair turned = hf_pair_multiply(part.high, EIGHTHS[2].high);
    *rest = hf_pair_add_smaller(turned.high,
                                turned.low + (part.high * EIGHTHS[2].low + part.low * EIGHTHS[2].high));
    if (angle < 0) rest->high = -rest->high, rest->low = -rest->low, quarters = -quarters;
    return quarters;
}

/* Up to this size (rad) the quarter turns have 20 bits, and their products with the first three parts of pi /
   2, of 33 bits each, are exact. */
static const double LARGE_RAD = 1e6;

/* Quarter turns in the angle, and the rest within pi / 4. */
static inline int reduce(double angle, hf_pair* rest) {
    if (fabs(angle) <= 0x1.921fb54442d18p-1) return *rest = (hf_pair){angle, 0}, 0;
    if (!(fabs(angle) <= LARGE_RAD)) return reduce_huge(angle, rest);
    const double round = 0x1.8p52; // adding and taking it off rounds to a whole number
    double k = (angle * 0x1.45f306dc9c883p-1 + round) - round;
    hf_pair part = hf_pair_add(angle - k * 0x1.921fb544p+0, k * -0x1.0b4611a6p-34);
    *rest = hf_pair_add(part.high, part.low - k * 0x1.3198a2ep-69);
    rest->low -= k * 0x1.b839a252049c1p-104;
    return (int)k;
}

/* a where `first` is not zero, else b; with the other sign where `minus` is 2 instead of 0. Without a jump
   that the processor could predict wrongly. */
static inline double either(int first, double a, double b, int minus) {
    uint64_t m = (uint64_t) - (int64_t)first, x, y;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    x = ((x & m) | (y & ~m)) ^ (uint64_t)minus << 62;
    memcpy(&a, &x, sizeof a);
    return a;
}

hf_sine_cosine hf_sincos(double angle) {
    hf_pair r;
    if (!(fabs(angle) < INFINITY)) return (hf_sine_cosine){angle - angle, angle - angle};
    if (fabs(angle) < 0x1p-27) return (hf_sine_cosine){angle, 1};
    int quarters = reduce(angle, &r);
    double sine = short_sine(r), cosine = short_cosine(r);
    return (hf_sine_cosine){either(quarters & 1, cosine, sine, quarters & 2),
                            either(quarters & 1, sine, cosine, (quarters + 1) & 2)};
}

double hf_sin(double angle) { return hf_sincos(angle).sine; }
double hf_cos(double angle) { return hf_sincos(angle).cosine; }

/* ---- arc sine and arc cosine ---- */

/* What asin(x) is more than x, over x; z = x^2 up to 1/4. Relative error 2^-53. */
static inline double arc_excess(double z) {
    double z2 = z * z, z4 = z2 * z2;
    double a = (0.16666666666666669 + z * 0.07499999999998082) +
               z2 * (0.04464285714685709 + z * 0.030381944106381384);
    double b = (0.022372174069959706 + z * 0.017352368660149088) +
               z2 * (0.013971544247760715 + z * 0.011476140458760779);
    double c = (0.010341531198839462 + z * 0.0053808981471192415) +
               z2 * (0.017600526878652666 + z * -0.01515168178430762);
    return z * (a + z4 * (b + z4 * (c + z4 * 0.028955265993029916)));
}

/* asin(sqrt(z)) for z up to 1/4, in two parts of which the first is the root. */
static inline hf_pair arc_of_root(double z) {
    double root = sqrt(z);
    hf_pair square = hf_pair_multiply(root, root);
    double rest = root > 0 ? ((z - square.high) - square.low) / (2 * root) : 0;
    return (hf_pair){root, rest + root * arc_excess(z)};
}

/* base + a, whose high part is not larger than the base. */
static inline double add_to(hf_pair base, hf_pair a) {
    hf_pair sum = hf_pair_add_smaller(base.high, a.high);
    return sum.high + (sum.low + (base.low + a.low));
}

double hf_asin(double x) {
    double size = fabs(x);
    if (!(size > 0.5)) return x + x * arc_excess(x * x);
    hf_pair half = arc_of_root((1 - size) / 2);
    return copysign(add_to(EIGHTHS[2], (hf_pair){-2 * half.high, -2 * half.low}), x);
}

double hf_acos(double x) {
    if (!(fabs(x) > 0.5)) return add_to(EIGHTHS[2], (hf_pair){-x, -x * arc_excess(x * x)});
    hf_pair half = arc_of_root((1 - fabs(x)) / 2);
    if (x > 0) return 2 * (half.high + half.low);
    return add_to(EIGHTHS[4], (hf_pair){-2 * half.high, -2 * half.low});
}

/* ---- arc tangent ---- */

/* The arc tangent of the quotient of two pairs, up to tan(pi / 8), in two parts. */
static inline hf_pair short_arctangent(hf_pair over, hf_pair under) {
    double u = over.high / under.high;
    hf_pair product = hf_pair_multiply(u, under.high);
    double rest = (((over.high - product.high) - product.low) + over.low - u * under.low) / under.high;
    double z = u * u, z2 = z * z, z4 = z2 * z2;
    double a = (-0.3333333333333333 + z * 0.19999999999996113) +
               z2 * (-0.1428571428474309 + z * 0.11111111019739917);
    double b = (-0.09090904721178666 + z * 0.07692185915566579) +
               z2 * (-0.06664543795813475 + z * 0.058583902964272655);
    double c = -0.05086549726833444 + z * 0.03925961562747880 + z2 * -0.019207244474939114;
    return (hf_pair){u, rest * (1 - z) + u * z * (a + z4 * (b + z4 * c))};
}

/* The angle of a point with coordinates `most` >= `least` >= 0 above its nearer axis, less `*eighths` eighths
   of a turn. */
static inline hf_pair angle_in_eighth(double least, double most, int* eighths) {
    *eighths = 0;
    if (least < 0x1p-60 * most) return (hf_pair){least / most, 0};
    if (most > 0x1p500) most *= 0x1p-520, least *= 0x1p-520;
    if (most < 0x1p-400) most *= 0x1p520, least *= 0x1p520;
    if (least <= 0.4142135623730951 * most) return short_arctangent((hf_pair){least, 0}, (hf_pair){most, 0});
    *eighths = 1;
    hf_pair over = hf_pair_add_smaller(-most, least), under = hf_pair_add_smaller(most, least);
    return short_arctangent(over, under);
}

double hf_atan2(double y, double x) {
    double across = fabs(x), up = fabs(y);
    if (!(across <= INFINITY && up <= INFINITY)) return x + y;
    bool steep = up > across;
    double least = steep ? across : up, most = steep ? up : across;
    if (most == INFINITY) least = least == INFINITY, most = 1;
    if (most == 0) most = 1;
    int eighths;
    hf_pair angle = angle_in_eighth(least, most, &eighths);
    if (steep) eighths = 2 - eighths;
    if (signbit(x)) eighths = 4 - eighths;
    if (steep != (signbit(x) != 0)) angle = (hf_pair){-angle.high, -angle.low};
    return copysign(add_to(EIGHTHS[eighths], angle), y);
}

/* Each square must be a normal number: sizes between 1e-150 and 1e150. */
double hf_hypot(double x, double y) { return sqrt(x * x + y * y); }
