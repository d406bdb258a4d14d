/* What contact forces cannot give of a wrench: least squares over forces that only push (Lawson and Hanson,
   Solving Least Squares Problems, 1974, algorithm NNLS), with the weights of force and moment balanced until
   the larger of the two rests is as small as it can be. */
#include "check/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double HELD_WEIGHT = 1e3; /* of rows that must hold: they miss a millionth of what others do */
static const double SMALL = 1e-10;     /* a gain or a rest that is nothing, beside a weight of 1 */
static const double DEPENDENT = 1e-9;  /* share of a column that is new to the chosen ones */
enum { WRENCH_ROWS = 6, BALANCINGS = 40 };

/* Columns are weighed by rows and kept one after the other. */
typedef struct squares {
    int rows, columns, chosen_count;
    double *a, *b, *x, *rest;
    double *q, *r, *z; /* of the chosen columns: an orthonormal base, its triangle, their solution */
    int* chosen;
    bool *inside, *tried;
} squares;

static hf_status squares_make(squares* s, int rows, int columns) {
    size_t m = (size_t)rows, n = (size_t)columns;
    *s = (squares){.rows = rows, .columns = columns};
    s->a = hf_alloc(m * n + 1, sizeof(double)), s->b = hf_alloc(m, sizeof(double));
    s->x = hf_alloc(n + 1, sizeof(double)), s->rest = hf_alloc(m, sizeof(double));
    s->q = hf_alloc(m * m, sizeof(double)), s->r = hf_alloc(m * m, sizeof(double));
    s->z = hf_alloc(m, sizeof(double)), s->chosen = hf_alloc(m, sizeof(int));
    s->inside = hf_alloc(n + 1, sizeof(bool)), s->tried = hf_alloc(n + 1, sizeof(bool));
    bool good = s->a && s->b && s->x && s->rest && s->q && s->r && s->z && s->chosen && s->inside && s->tried;
    return good ? HF_OK : HF_ERROR_MEMORY;
}

static void squares_free(squares* s) {
    hf_free(s->a), hf_free(s->b), hf_free(s->x), hf_free(s->rest);
    hf_free(s->q), hf_free(s->r), hf_free(s->z), hf_free(s->chosen);
    hf_free(s->inside), hf_free(s->tried);
}

static double dot(const double* a, const double* b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Force rows count with `share`, moment rows with the rest of 1. Barred columns are left empty. */
static void squares_fill(squares* s, const check_program* p, double share) {
    for (int i = 0; i < s->rows; i++) {
        const double* row = p->table + (size_t)i * (size_t)(p->columns + 1);
        double w = i < 3 ? sqrt(share) : i < WRENCH_ROWS ? sqrt(1 - share) : HELD_WEIGHT;
        for (int j = 0; j < s->columns; j++)
            s->a[(size_t)j * (size_t)s->rows + (size_t)i] = p->barred[j] ? 0 : w * row[j];
        s->b[i] = w * row[p->columns];
    }
}

static double* column_of(const squares* s, int j) { return s->a + (size_t)j * (size_t)s->rows; }

/* Adds the last chosen column to the base; false when the others make it up. */
static bool extend_base(squares* s, int k) {
    int m = s->rows;
    double *q = s->q + (size_t)k * (size_t)m, *r = s->r + (size_t)k * (size_t)m;
    memcpy(q, column_of(s, s->chosen[k]), sizeof(double) * (size_t)m);
    memset(r, 0, sizeof(double) * (size_t)m);
    double whole = sqrt(dot(q, q, m));
    for (int pass = 0; pass < 2; pass++) /* the second takes away what rounding left */
        for (int i = 0; i < k; i++) {
            const double* base = s->q + (size_t)i * (size_t)m;
            double part = dot(base, q, m);
            r[i] += part;
            for (int x = 0; x < m; x++) q[x] -= part * base[x];
        }
    r[k] = sqrt(dot(q, q, m));
    if (!(r[k] > DEPENDENT * whole)) return false;
    for (int x = 0; x < m; x++) q[x] /= r[k];
    return true;
}

/* The chosen columns' own least squares, of any sign. */
static bool solve_chosen(squares* s) {
    for (int k = 0; k < s->chosen_count; k++)
        if (!extend_base(s, k)) return false;
    for (int k = s->chosen_count - 1; k >= 0; k--) {
        s->z[k] = dot(s->q + (size_t)k * (size_t)s->rows, s->b, s->rows);
        for (int i = k + 1; i < s->chosen_count; i++)
            s->z[k] -= s->r[(size_t)i * (size_t)s->rows + (size_t)k] * s->z[i];
        s->z[k] /= s->r[(size_t)k * (size_t)s->rows + (size_t)k];
    }
    return true;
}

static void drop(squares* s, int k) {
    s->inside[s->chosen[k]] = false;
    s->x[s->chosen[k]] = 0;
    memmove(s->chosen + k, s->chosen + k + 1, sizeof(int) * (size_t)(--s->chosen_count - k));
}

static void update_rest(squares* s) {
    memcpy(s->rest, s->b, sizeof(double) * (size_t)s->rows);
    for (int k = 0; k < s->chosen_count; k++) {
        const double *a = column_of(s, s->chosen[k]), x = s->x[s->chosen[k]];
        for (int i = 0; i < s->rows; i++) s->rest[i] -= x * a[i];
    }
}

static int best_column(const squares* s) {
    int best = -1;
    double most = SMALL;
    for (int j = 0; j < s->columns && s->chosen_count < s->rows; j++) {
        if (s->inside[j] || s->tried[j]) continue;
        double gain = dot(column_of(s, j), s->rest, s->rows);
        if (gain > most) best = j, most = gain;
    }
    return best;
}

/* Goes from x towards the chosen columns' solution as far as nothing pulls, and drops what would. */
static void step_inside(squares* s) {
    double part = 1;
    for (int k = 0; k < s->chosen_count; k++) {
        double x = s->x[s->chosen[k]];
        if (s->z[k] <= 0 && x - s->z[k] > 0) part = fmin(part, x / (x - s->z[k]));
    }
    for (int k = s->chosen_count - 1; k >= 0; k--) {
        double* x = &s->x[s->chosen[k]];
        bool pulls = s->z[k] <= 0;
        *x += part * (s->z[k] - *x);
        if (pulls && *x <= SMALL) drop(s, k);
    }
}

/* Lets one column in; false when it gains nothing after all. */
static bool let_in(squares* s, int column) {
    s->chosen[s->chosen_count++] = column;
    s->inside[column] = true;
    bool first = true;
    for (int guard = 0; guard <= s->rows; guard++, first = false) {
        bool solved = solve_chosen(s), pushes = true;
        if (first && (!solved || s->z[s->chosen_count - 1] <= 0)) {
            drop(s, s->chosen_count - 1);
            return false;
        }
        for (int k = 0; solved && k < s->chosen_count; k++) pushes = pushes && s->z[k] > 0;
        if (!solved || pushes) break;
        step_inside(s);
    }
    for (int k = 0; k < s->chosen_count; k++) s->x[s->chosen[k]] = fmax(0, s->z[k]);
    return true;
}

/* Lawson and Hanson's loop. Leaves what is left of b in `rest`, weighed. */
static void solve(squares* s) {
    s->chosen_count = 0;
    memset(s->x, 0, sizeof(double) * (size_t)s->columns);
    memset(s->inside, 0, sizeof(bool) * (size_t)s->columns);
    memset(s->tried, 0, sizeof(bool) * (size_t)s->columns);
    update_rest(s);
    for (int round = 0; round < 3 * s->columns; round++) {
        int column = best_column(s);
        if (column < 0) return;
        if (let_in(s, column)) {
            memset(s->tried, 0, sizeof(bool) * (size_t)s->columns);
            update_rest(s);
            if (dot(s->rest, s->rest, s->rows) < SMALL * SMALL) return;
        } else {
            s->tried[column] = true;
        }
    }
}

/* The rests of force and moment with this share of the weight on the force. */
static void rests(squares* s, const check_program* p, double share, double* force, double* moment) {
    squares_fill(s, p, share);
    solve(s);
    *force = sqrt(dot(s->rest, s->rest, 3) / share);
    *moment = sqrt(dot(s->rest + 3, s->rest + 3, 3) / (1 - share));
}

hf_status check_program_nearest(const check_program* p, double enough, double* force, double* moment,
                                double* x) {
    squares s;
    hf_status status = squares_make(&s, p->rows, p->columns);
    if (status == HF_OK) {
        double low = 0, high = 1, share = 0.5, f, m;
        rests(&s, p, share, force, moment);
        f = *force, m = *moment;
        memcpy(x, s.x, sizeof(double) * (size_t)p->columns);
        /* The weighed mean of the squares is at its least: when that is too much, so is one of them. */
        for (int i = 0; i < BALANCINGS && fmax(f, m) > enough; i++) {
            if (share * f * f + (1 - share) * m * m > enough * enough) break;
            if (f > m)
                low = share;
            else
                high = share;
            share = (low + high) / 2;
            rests(&s, p, share, &f, &m);
            if (fmax(f, m) >= fmax(*force, *moment)) continue;
            *force = f, *moment = m;
            memcpy(x, s.x, sizeof(double) * (size_t)p->columns);
        }
    }
    squares_free(&s);
    return status;
}

hf_status check_program_missing(const check_program* p, double enough, double* force, double* moment) {
    double* x = hf_alloc((size_t)p->columns + 1, sizeof *x);
    hf_status status = x ? check_program_nearest(p, enough, force, moment, x) : HF_ERROR_MEMORY;
    hf_free(x);
    return status;
}
