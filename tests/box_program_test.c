/* Quadratic programs with bounds, of tools/playback, against every choice of what is free, low and high. */
#include "../tools/playback/box_program.c"

#include "base/random.h"
#include "test.h"

enum { MOST = 6, PROGRAMS = 400 };

void stop(const char* format, ...) {
    fail_msg("%s", format);
    abort();
}

static double value_of(const box_program* p, const double* x) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) sum += x[i] * (dot(p->n, p->h + i * p->n, x) / 2 + p->g[i]);
    return sum;
}

/* The least value with the free variables where their slopes are zero; by elimination with pivots. */
static void solve_free(const box_program* p, const int* side, double* x) {
    double a[MOST][MOST + 1];
    int at[MOST], count = 0;
    for (int i = 0; i < p->n; i++) {
        if (side[i]) x[i] = side[i] < 0 ? p->low[i] : p->high[i];
        if (!side[i]) at[count++] = i;
    }
    for (int r = 0; r < count; r++) {
        a[r][count] = -p->g[at[r]];
        for (int i = 0; i < p->n; i++)
            if (side[i]) a[r][count] -= p->h[at[r] * p->n + i] * x[i];
        for (int c = 0; c < count; c++) a[r][c] = p->h[at[r] * p->n + at[c]];
    }
    for (int c = 0; c < count; c++)
        for (int r = 0; r < count; r++) {
            double by = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k <= count && r != c; k++) a[r][k] -= by * a[c][k];
        }
    for (int c = 0; c < count; c++) x[at[c]] = a[c][count] / a[c][c];
}

static double least_by_force(const box_program* p) {
    int choices = 1;
    double best = INFINITY;
    for (int i = 0; i < p->n; i++) choices *= 3;
    for (int choice = 0; choice < choices; choice++) {
        int side[MOST];
        double x[MOST];
        bool inside = true;
        for (int i = 0, left = choice; i < p->n; i++, left /= 3) {
            side[i] = left % 3 - 1;
            inside = inside && (!side[i] || isfinite(side[i] < 0 ? p->low[i] : p->high[i]));
        }
        if (!inside) continue;
        solve_free(p, side, x);
        for (int i = 0; i < p->n; i++)
            inside = inside && x[i] >= p->low[i] - 1e-9 && x[i] <= p->high[i] + 1e-9;
        if (inside) best = fmin(best, value_of(p, x));
    }
    return best;
}

/* A positive definite H, some of its directions nearly flat; bounds of both kinds, some infinite, some alike.
 */
static void draw(box_program* p, hf_random* random) {
    double rows[MOST][MOST];
    p->n = 1 + (int)(hf_random_unit(random) * MOST);
    double flat = hf_random_unit(random) < 0.3 ? 1e-3 : 1;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->n; k++) rows[i][k] = hf_random_between(random, -1, 1) * (i == 0 ? flat : 1);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->n; k++) {
            p->h[i * p->n + k] = i == k ? 1e-3 : 0;
            for (int r = 0; r < p->n; r++) p->h[i * p->n + k] += rows[r][i] * rows[r][k];
        }
    for (int i = 0; i < p->n; i++) {
        double kind = hf_random_unit(random);
        p->g[i] = hf_random_between(random, -2, 2);
        p->low[i] = kind < 0.2 ? -INFINITY : hf_random_between(random, -1, 0);
        p->high[i] = kind > 0.7               ? INFINITY
                     : p->low[i] == -INFINITY ? 0.3
                                              : p->low[i] + (kind > 0.65 ? 0 : kind);
        p->x[i] = hf_random_between(random, -3, 3);
    }
}

static void finds_what_all_choices_find(void** state) {
    (void)state;
    box_program p;
    box_program_make(&p, MOST);
    int solved = 0, bound = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        hf_random random = hf_random_start(7, 1, (uint64_t)i);
        draw(&p, &random);
        if (!box_program_solve(&p)) continue;
        solved++;
        double found = value_of(&p, p.x), least = least_by_force(&p);
        assert_near(found, least, 1e-7 * (1 + fabs(least)));
        for (int k = 0; k < p.n; k++) {
            assert_true(p.x[k] >= p.low[k] && p.x[k] <= p.high[k]);
            bound += p.x[k] == p.low[k] || p.x[k] == p.high[k];
        }
    }
    box_program_free(&p);
    assert_int_equal(solved, PROGRAMS);
    assert_true(bound > PROGRAMS); // bounds decide more than one variable of a program
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_all_choices_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
