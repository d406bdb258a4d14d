/* The revised simplex method with bounded variables and an explicit inverse (Dantzig; Chvatal, Linear
   Programming, chapters 7 and 8). Six rows, as stances have, make a pivot cost little more than one look
   at all columns. The largest reduced cost enters; after a while without progress the first one does, which
   cannot cycle (Bland 1977). */
#include "balance/force_program.h"
#include "base/linear.h"

#include <math.h>
#include <string.h>

static const double COST_TOLERANCE = 1e-10;  /* reduced costs under it do not count */
static const double PIVOT_TOLERANCE = 1e-10; /* smaller elements are rounding */
static const double TIE = 1e-11;             /* steps this near to each other are one */
static const double SLACK = 1e-10;           /* how far a value may be out of its bounds for a better pivot */
enum {
    MAX_PIVOTS = 600,   /* of one call; hundreds of times what is usual */
    IDLE_PIVOTS = 30,   /* steps of no length before the careful rule takes over */
    REFRESH_PIVOTS = 24 /* the inverse is made anew */
};

#define INLINE static inline __attribute__((always_inline))

static double upper_of(const hf_force_program* p, int column, double helper_upper) {
    return column < p->columns ? p->upper[column] : helper_upper;
}

static void column_of(const hf_force_program* p, int column, double* out) {
    for (int r = 0; r < p->rows; r++)
        out[r] = column < p->columns ? p->a[r][column] : r == column - p->columns ? p->helper_sign[r] : 0;
}

/* Values of the basis from b and the columns at their upper bounds. */
static void find_values(hf_force_program* p) {
    double left[HF_FORCE_MOST_ROWS];
    memcpy(left, p->b, sizeof *left * (size_t)p->rows);
    for (int j = 0; j < p->columns; j++)
        if (p->side[j] < 0)
            for (int r = 0; r < p->rows; r++) left[r] -= p->a[r][j] * p->upper[j];
    for (int i = 0; i < p->rows; i++) {
        p->x[i] = 0;
        for (int r = 0; r < p->rows; r++) p->x[i] += p->inverse[i][r] * left[r];
    }
}

/* The inverse of the basis anew, by Gauss and Jordan with row pivoting. */
static bool refresh(hf_force_program* p) {
    int n = p->rows;
    double m[HF_FORCE_MOST_ROWS][2 * HF_FORCE_MOST_ROWS], column[HF_FORCE_MOST_ROWS];
    for (int r = 0; r < n; r++) memset(m[r], 0, sizeof **m * 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        column_of(p, p->basis[i], column);
        for (int r = 0; r < n; r++) m[r][i] = column[r];
        m[i][n + i] = 1;
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++)
            if (fabs(m[r][k]) > fabs(m[best][k])) best = r;
        if (!(fabs(m[best][k]) > 1e-14)) return false;
        for (int c = 0; c < 2 * n; c++) {
            double t = m[k][c];
            m[k][c] = m[best][c], m[best][c] = t;
        }
        double inverse = 1 / m[k][k];
        for (int c = 0; c < 2 * n; c++) m[k][c] *= inverse;
        for (int r = 0; r < n; r++) {
            double f = m[r][k];
            if (r == k || f == 0) continue;
            for (int c = 0; c < 2 * n; c++) m[r][c] -= f * m[k][c];
        }
    }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < n; r++) p->inverse[i][r] = m[i][n + r];
    find_values(p);
    return true;
}

typedef double pair __attribute__((vector_size(16)));

/* Reduced costs of all columns, signed so that above 0 it pays to move; the column with the largest, or the
   first that pays at all. -1: none. */
INLINE int price(const hf_force_program* p, const double* y, int rows, bool first) {
    int chosen = -1;
    double best = COST_TOLERANCE;
    for (int j = 0; j < p->columns; j += HF_FORCE_LANES) {
        union {
            pair pairs[HF_FORCE_LANES / 2];
            double all[HF_FORCE_LANES];
        } score;
        HF_UNROLL
        for (int k = 0; k < HF_FORCE_LANES / 2; k++) {
            pair d = *(const pair*)(p->cost + j + 2 * k);
            HF_UNROLL
            for (int r = 0; r < rows; r++) d -= y[r] * *(const pair*)(p->a[r] + j + 2 * k);
            score.pairs[k] = d * *(const pair*)(p->side + j + 2 * k);
        }
        HF_UNROLL
        for (int k = 0; k < HF_FORCE_LANES; k++) {
            if (!(score.all[k] > best)) continue;
            chosen = j + k, best = score.all[k];
            if (first) return chosen;
        }
    }
    return chosen;
}

/* Prices of the rows under the basis. */
INLINE void find_prices(const hf_force_program* p, double helper_cost, int rows, double* y) {
    for (int r = 0; r < rows; r++) y[r] = 0;
    HF_UNROLL
    for (int i = 0; i < rows; i++) {
        double cost = p->basis[i] < p->columns ? p->cost[p->basis[i]] : helper_cost;
        HF_UNROLL
        for (int r = 0; r < rows; r++) y[r] += cost * p->inverse[i][r];
    }
}

/* How far a basic value can go, and a little beyond; `rate` is its change for each unit of the step. */
INLINE double room(double value, double upper, double rate, double beyond) {
    if (rate < -PIVOT_TOLERANCE) return (fmax(value, 0) + beyond) / -rate;
    if (rate > PIVOT_TOLERANCE && upper < INFINITY) return (fmax(upper - value, 0) + beyond) / rate;
    return INFINITY;
}

/* The basis row that stops the step: of all that stop it before some value is a little out of its bounds the
   one with the largest rate, so that no pivot is small without need (Harris 1973); when careful, of all that
   stop it first the one with the lowest column. -1: none, the step is as long as the entering column allows.
 */
INLINE int leaving(const hf_force_program* p, const double* rate, double helper_upper, bool careful, int rows,
                   double* step) {
    int row = -1;
    double limit = *step, beyond = careful ? 0 : SLACK;
    HF_UNROLL
    for (int i = 0; i < rows; i++)
        limit = fmin(limit, room(p->x[i], upper_of(p, p->basis[i], helper_upper), rate[i], beyond));
    HF_UNROLL
    for (int i = 0; i < rows; i++) {
        double t = room(p->x[i], upper_of(p, p->basis[i], helper_upper), rate[i], 0);
        if (t > limit + (careful ? TIE : 0) || t == INFINITY) continue;
        if (row >= 0 && (careful ? p->basis[i] > p->basis[row] : fabs(rate[i]) <= fabs(rate[row]))) continue;
        row = i;
        *step = t;
    }
    return row;
}

/* Exchanges the basis row for the column; alpha is the column seen from the basis. */
INLINE void pivot(hf_force_program* p, int row, int column, const double* alpha, int rows) {
    double per = 1 / alpha[row];
    for (int r = 0; r < rows; r++) p->inverse[row][r] *= per;
    for (int i = 0; i < rows; i++) {
        if (i == row) continue;
        HF_UNROLL
        for (int r = 0; r < rows; r++) p->inverse[i][r] -= alpha[i] * p->inverse[row][r];
    }
    p->basis[row] = column;
    p->side[column] = 0;
}

/* Pivots until nothing pays. Helpers cost helper_cost each and may be at most helper_upper. */
INLINE hf_force_end optimise_rows(hf_force_program* p, double helper_cost, double helper_upper, int rows) {
    int idle = 0;
    for (int n = 0; n < MAX_PIVOTS; n++) {
        bool careful = idle > IDLE_PIVOTS;
        double y[HF_FORCE_MOST_ROWS], alpha[HF_FORCE_MOST_ROWS], rate[HF_FORCE_MOST_ROWS];
        find_prices(p, helper_cost, rows, y);
        int column = price(p, y, rows, careful);
        if (column < 0) return HF_FORCE_BEST;
        double sign = p->side[column], step = p->upper[column];
        HF_UNROLL
        for (int i = 0; i < rows; i++) {
            alpha[i] = 0;
            HF_UNROLL
            for (int r = 0; r < rows; r++) alpha[i] += p->inverse[i][r] * p->a[r][column];
            rate[i] = -sign * alpha[i];
        }
        int row = leaving(p, rate, helper_upper, careful, rows, &step);
        if (step == INFINITY) return HF_FORCE_UNBOUNDED;
        idle = step > TIE ? 0 : idle + 1;
        double value = sign > 0 ? step : p->upper[column] - step;
        for (int i = 0; i < rows; i++) p->x[i] += step * rate[i];
        if (row < 0) { /* from one of its bounds to the other */
            p->side[column] = -sign;
            continue;
        }
        int left = p->basis[row];
        if (left < p->columns) p->side[left] = rate[row] > 0 ? -1 : 1;
        pivot(p, row, column, alpha, rows);
        p->x[row] = value;
        if (++p->pivots % REFRESH_PIVOTS == 0 && !refresh(p)) return HF_FORCE_STUCK;
    }
    return HF_FORCE_STUCK;
}

/* Four and six rows are what stances need. */
static hf_force_end optimise(hf_force_program* p, double helper_cost, double helper_upper) {
    if (p->rows == 4) return optimise_rows(p, helper_cost, helper_upper, 4);
    if (p->rows == 6) return optimise_rows(p, helper_cost, helper_upper, 6);
    return optimise_rows(p, helper_cost, helper_upper, p->rows);
}

hf_force_end hf_force_start(hf_force_program* p, double tolerance) {
    memset(p->cost, 0, sizeof(double) * (size_t)p->columns);
    for (int r = 0; r < p->rows; r++) memset(p->inverse[r], 0, sizeof **p->inverse * (size_t)p->rows);
    for (int j = 0; j < p->columns; j++) p->side[j] = 1;
    for (int r = 0; r < p->rows; r++) {
        p->basis[r] = p->columns + r;
        p->helper_sign[r] = p->b[r] < 0 ? -1 : 1;
        p->inverse[r][r] = p->helper_sign[r];
        p->x[r] = fabs(p->b[r]);
    }
    p->pivots = 0;
    hf_force_end end = optimise(p, -1, INFINITY);
    if (end != HF_FORCE_BEST) return HF_FORCE_STUCK;
    if (!refresh(p)) return HF_FORCE_STUCK;
    double off = 0;
    for (int i = 0; i < p->rows; i++)
        if (p->basis[i] >= p->columns) off += fabs(p->x[i]);
    return off <= tolerance ? HF_FORCE_BEST : HF_FORCE_INFEASIBLE;
}

hf_force_end hf_force_maximise(hf_force_program* p) { return optimise(p, 0, 0); }

double hf_force_value(const hf_force_program* p, int column) {
    for (int i = 0; i < p->rows; i++)
        if (p->basis[i] == column) return p->x[i];
    return p->side[column] < 0 ? p->upper[column] : 0;
}
