/* A plain two-phase simplex method over a dense table: A x = b, x >= 0; is there such an x, and how large can
   one of its numbers be? */
#include "check/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-9; /* of numbers near 1: nothing */
enum { MAX_STEPS = 5000, PATIENCE = 100 };

/* Each row of the table is a basic variable's equation, its value last. Columns from `columns` on stand for
   the helpers of the first phase, which are not kept in the table: they never come back. */
hf_status check_program_make(check_program* p, int rows, int columns) {
    memset(p, 0, sizeof *p);
    p->rows = rows, p->columns = columns;
    p->table = hf_alloc((size_t)rows * (size_t)(columns + 1), sizeof(double));
    p->gain = hf_alloc((size_t)columns + 1, sizeof(double));
    p->basis = hf_alloc((size_t)rows, sizeof(int));
    p->barred = hf_alloc((size_t)columns, sizeof(bool));
    return p->table && p->gain && p->basis && p->barred ? HF_OK : HF_ERROR_MEMORY;
}

void check_program_free(check_program* p) {
    hf_free(p->table);
    hf_free(p->gain);
    hf_free(p->basis);
    hf_free(p->barred);
    memset(p, 0, sizeof *p);
}

void check_program_copy(const check_program* from, check_program* to) {
    memcpy(to->table, from->table, sizeof(double) * (size_t)from->rows * (size_t)(from->columns + 1));
    memcpy(to->basis, from->basis, sizeof(int) * (size_t)from->rows);
    memcpy(to->barred, from->barred, sizeof(bool) * (size_t)from->columns);
}

static double* row_of(const check_program* p, int row) {
    return p->table + (size_t)row * (size_t)(p->columns + 1);
}

/* Makes the column the row's basic variable. */
static void exchange(check_program* p, int row, int column) {
    double *r = row_of(p, row), per = 1 / r[column];
    for (int j = 0; j <= p->columns; j++) r[j] *= per;
    for (int i = 0; i < p->rows; i++) {
        double *other = row_of(p, i), f = other[column];
        if (i == row || f == 0) continue;
        for (int j = 0; j <= p->columns; j++) other[j] -= f * r[j];
        other[column] = 0;
    }
    double f = p->gain[column];
    for (int j = 0; j <= p->columns; j++) p->gain[j] -= f * r[j];
    p->gain[column] = 0;
    p->basis[row] = column;
}

/* The column that gains most; after long idling the first that gains at all, which ends every circle. */
static int choose_column(const check_program* p, bool first) {
    int best = -1;
    double most = SMALL;
    for (int j = 0; j < p->columns; j++)
        if (p->gain[j] > most && !p->barred[j]) {
            best = j, most = p->gain[j];
            if (first) break;
        }
    return best;
}

/* The row that stops the column first. Helpers that are left at 0 go at any occasion. */
static int choose_row(const check_program* p, int column, bool first) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < p->rows; i++) {
        const double* r = row_of(p, i);
        bool spent = p->basis[i] >= p->columns && p->second_phase;
        double a = spent ? fabs(r[column]) : r[column];
        if (a <= SMALL) continue;
        double t = spent ? 0 : fmax(0, r[p->columns]) / a;
        bool tie = best >= 0 && fabs(t - least) <= 1e-12;
        double rival = best >= 0 ? fabs(row_of(p, best)[column]) : 0;
        bool better = tie ? (first ? p->basis[i] < p->basis[best] : a > rival) : t < least;
        if (better) best = i, least = t;
    }
    return best;
}

/* Exchanges until nothing gains; false when it goes on without end, or no end was found. */
static bool climb(check_program* p, bool* endless) {
    double before = p->gain[p->columns];
    *endless = false;
    for (int step = 0, idle = 0; step < MAX_STEPS; step++) {
        int column = choose_column(p, idle > PATIENCE);
        if (column < 0) return true;
        int row = choose_row(p, column, idle > PATIENCE);
        if (row < 0) {
            *endless = true;
            return false;
        }
        exchange(p, row, column);
        idle = p->gain[p->columns] < before - 1e-13 ? 0 : idle + 1;
        before = p->gain[p->columns];
    }
    return false;
}

bool check_program_start(check_program* p) {
    /* Helpers take up b; what each column takes from their sum is its gain. */
    p->second_phase = false;
    memset(p->gain, 0, sizeof(double) * (size_t)(p->columns + 1));
    for (int i = 0; i < p->rows; i++) {
        double* r = row_of(p, i);
        double sign = r[p->columns] < 0 ? -1 : 1;
        for (int j = 0; j <= p->columns; j++) {
            r[j] *= sign;
            p->gain[j] += r[j];
        }
        p->basis[i] = p->columns + i;
    }
    bool endless;
    if (!climb(p, &endless)) return false;
    double left = 0;
    for (int i = 0; i < p->rows; i++)
        if (p->basis[i] >= p->columns) left += fabs(row_of(p, i)[p->columns]);
    return left <= 1e-8;
}

double check_program_largest(check_program* p, int column) {
    p->second_phase = true;
    memset(p->gain, 0, sizeof(double) * (size_t)(p->columns + 1));
    p->gain[column] = 1;
    p->barred[column] = false;
    bool endless;
    climb(p, &endless);
    p->barred[column] = true;
    return endless ? INFINITY : -p->gain[p->columns];
}
