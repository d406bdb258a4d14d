/* Bounded quadratic programs by active sets (Stark & Parker 1995, bounded-variable least squares): Newton
   steps of the free variables end at the first bound they meet, which then holds; at the least of the free
   ones the held variable that gains most is let go. Values fall with every step, so that no set comes twice.
 */
#include "box_program.h"

#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GAINS =
    1e-8;                /* of the largest part of a variable's gradient: a smaller one counts as 0 */
enum { STEPS_EACH = 6 }; /* steps at most, for each variable */

static double dot(int n, const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void box_program_make(box_program* p, int capacity) {
    size_t n = (size_t)capacity;
    *p = (box_program){.capacity = capacity};
    double** parts[] = {&p->g, &p->low, &p->high, &p->x};
    for (int i = 0; i < 4; i++) *parts[i] = calloc(n, sizeof(double));
    p->h = calloc(n * n, sizeof(double)), p->room = calloc(n * (n + 1), sizeof(double));
    p->free = calloc(n, sizeof(int));
    if (!p->h || !p->g || !p->low || !p->high || !p->x || !p->room || !p->free) stop("out of memory");
}

void box_program_free(box_program* p) {
    free(p->h), free(p->g), free(p->low), free(p->high), free(p->x), free(p->free), free(p->room);
    *p = (box_program){0};
}

static double gradient(const box_program* p, int i) {
    return dot(p->n, p->h + (size_t)i * p->n, p->x) + p->g[i];
}

/* The Newton step of the free variables, into `step`. False where H is not positive definite in numbers. */
static bool newton(const box_program* p, int count, double* factor, double* step) {
    for (int i = 0; i < count; i++) {
        double* row = factor + (size_t)i * count;
        for (int k = 0; k <= i; k++) {
            const double* other = factor + (size_t)k * count;
            double rest = p->h[(size_t)p->free[i] * p->n + p->free[k]] - dot(k, row, other);
            if (k == i && rest <= 0) return false;
            row[k] = k < i ? rest / other[k] : sqrt(rest);
        }
        step[i] = (-gradient(p, p->free[i]) - dot(i, row, step)) / row[i];
    }
    for (int i = count - 1; i >= 0; i--) {
        const double* row = factor + (size_t)i * count;
        step[i] /= row[i];
        for (int k = 0; k < i; k++) step[k] -= row[k] * step[i];
    }
    return true;
}

/* Goes along the step up to the first bound; where there is one, its variable is free no more. */
static bool meets_bound(box_program* p, int* count, const double* step) {
    double most = 1;
    int first = -1;
    for (int i = 0; i < *count; i++) {
        int v = p->free[i];
        double bound = step[i] < 0 ? p->low[v] : p->high[v], reach = (bound - p->x[v]) / step[i];
        if (step[i] != 0 && reach < most) most = reach, first = i;
    }
    for (int i = 0; i < *count; i++) p->x[p->free[i]] += most * step[i];
    if (first < 0) return false;
    int v = p->free[first];
    p->x[v] = step[first] < 0 ? p->low[v] : p->high[v];
    memmove(p->free + first, p->free + first + 1, (size_t)(*count - first - 1) * sizeof(int));
    *count -= 1;
    return true;
}

/* The held variable that gains most when it leaves its bound, in units of its own curvature; -1 for none. */
static int worth_freeing(const box_program* p) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < p->n; i++) {
        bool low = p->x[i] <= p->low[i], high = p->x[i] >= p->high[i];
        if ((!low && !high) || p->low[i] == p->high[i]) continue;
        double slope = gradient(p, i), size = fabs(p->g[i]);
        for (int k = 0; k < p->n; k++) size = fmax(size, fabs(p->h[(size_t)i * p->n + k] * p->x[k]));
        double gain = (low ? -slope : slope) / sqrt(p->h[(size_t)i * p->n + i]);
        if (gain > most && fabs(slope) > GAINS * size) most = gain, best = i;
    }
    return best;
}

bool box_program_solve(box_program* p) {
    double *step = p->room, *factor = step + p->n;
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        p->x[i] = fmin(p->high[i], fmax(p->low[i], p->x[i]));
        if (p->x[i] > p->low[i] && p->x[i] < p->high[i]) p->free[count++] = i;
    }
    for (int round = 0; round < STEPS_EACH * p->n; round++) {
        if (!newton(p, count, factor, step)) return false;
        if (meets_bound(p, &count, step)) continue;
        int next = worth_freeing(p);
        if (next < 0) return true;
        p->free[count++] = next;
    }
    return false;
}
