/* Smoothing of ways (reaching-2003 section 6): stretches are replaced by straight ones, of all controls or,
   where that does not pass, of one group alone; then the corner that deviates most is made straight, again
   and again. */
#include "reach/reach_roadmap.h"

#include "base/random.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    STREAM = 0x5300,
    GROUPS = 5,
    RIGHT_ARM = 1, /* its group; the left arm's is the next one */
    ENOUGH = 30,   /* rounds in vain end the smoothing */
    RENEW = 30     /* rounds after which rows are merged and inserted anew */
};
/* States that are farther apart get one between them, m of mean distance. Closer ones would make each cut of
   a corner smaller, and more of them needed. */
static const double FAR_M = 0.1;
/* A corner that deviates less is straight, m. */
static const double STRAIGHT_M = 0.002;
/* A control that deviates less is straight, rad or m: a tenth of a millimetre at a hand. */
static const double SAME_RAD = 1e-4;

/* First and one past the last control of a group: all, right arm, left arm, spine, legs. */
static const int group_of[GROUPS][2] = {{0, HF_CONTROL_COUNT},
                                        {0, 9},
                                        {9, 18},
                                        {HF_CONTROL_SPINE, HF_CONTROL_LEGS},
                                        {HF_CONTROL_LEGS, HF_CONTROL_COUNT}};

typedef struct smoothing {
    hf_reach_worker* worker;
    hf_space space;
    hf_space_rows* path;
    hf_space_rows straight; /* scratch: the stretch that is tried */
} smoothing;

static double apart(const smoothing* s, const double* a, const double* b) {
    return s->space.distance(s->space.user, a, b, INFINITY);
}

/* Rows i..j with a group of controls going straight from i to j, at the shares of the way that they have. */
static hf_status make_straight(smoothing* s, int i, int j, int group) {
    const int* g = group_of[group];
    double whole = 0, done = 0;
    for (int k = i; k < j; k++) whole += apart(s, hf_space_row(s->path, k), hf_space_row(s->path, k + 1));
    s->straight.count = 0;
    hf_status status = HF_OK;
    for (int k = i; k <= j && status == HF_OK; k++) {
        double row[HF_REACH_WIDTH], t = whole > 0 ? done / whole : 0;
        memcpy(row, hf_space_row(s->path, k), sizeof row);
        const double *a = hf_space_row(s->path, i), *b = hf_space_row(s->path, j);
        for (int c = g[0]; c < g[1] && k > i && k < j; c++) row[c] = a[c] + t * (b[c] - a[c]);
        if (k > i && k < j) hf_reach_state(s->worker, row, row);
        if (k < j) done += apart(s, hf_space_row(s->path, k), hf_space_row(s->path, k + 1));
        status = hf_space_rows_add(&s->straight, row);
    }
    return status;
}

static double length_of(const smoothing* s, const hf_space_rows* rows, int i, int j) {
    double length = 0;
    for (int k = i; k < j; k++) length += apart(s, hf_space_row(rows, k), hf_space_row(rows, k + 1));
    return length;
}

/* Do the controls of a group lie on the straight way between two others? */
static bool is_between(const double* a, const double* x, const double* b, int group) {
    const int* g = group_of[group];
    double along = 0, square = 0;
    for (int c = g[0]; c < g[1]; c++)
        along += (x[c] - a[c]) * (b[c] - a[c]), square += (b[c] - a[c]) * (b[c] - a[c]);
    double t = square > 0 ? fmin(1, fmax(0, along / square)) : 0;
    for (int c = g[0]; c < g[1]; c++)
        if (fabs(x[c] - a[c] - t * (b[c] - a[c])) > SAME_RAD) return false;
    return true;
}

static bool is_straight(const smoothing* s, int i, int j, int group) {
    for (int k = i + 1; k < j; k++)
        if (!is_between(hf_space_row(s->path, i), hf_space_row(s->path, k), hf_space_row(s->path, j), group))
            return false;
    return true;
}

/* Do the inner rows of the stretch that is tried hold? Those in its middle, which are changed most, first. */
static bool rows_hold(smoothing* s) {
    int n = s->straight.count - 1, stride = 1;
    while (2 * stride < n) stride *= 2;
    for (; stride > 0; stride /= 2)
        for (int k = stride; k < n; k += 2 * stride)
            if (!hf_reach_valid(s->worker, hf_space_row(&s->straight, k))) return false;
    return true;
}

/* Does the stretch that is tried hold, and is it shorter than rows i..j? */
static hf_status is_better(smoothing* s, int i, int j, bool* better) {
    hf_space_rows* t = &s->straight;
    hf_status status = HF_OK;
    *better = length_of(s, t, 0, t->count - 1) < length_of(s, s->path, i, j) - 1e-6;
    if (*better) *better = rows_hold(s);
    for (int k = 0; k + 1 < t->count && *better && status == HF_OK; k++)
        status = s->space.passes(s->space.user, hf_space_row(t, k), hf_space_row(t, k + 1), better);
    return status;
}

/* Makes rows i..j straight in all controls or else in each of some groups that can be. */
static hf_status straighten(smoothing* s, int i, int j, int first, int groups, bool* done) {
    *done = false;
    hf_status status = HF_OK;
    for (int g = first; g < groups && status == HF_OK; g++) {
        bool better = false;
        if (is_straight(s, i, j, g)) {
            if (g == 0) break;
            continue;
        }
        status = make_straight(s, i, j, g);
        if (status == HF_OK) status = is_better(s, i, j, &better);
        if (status != HF_OK || !better) continue;
        memcpy(hf_space_row(s->path, i), s->straight.values,
               sizeof(double) * HF_REACH_WIDTH * (size_t)(j - i + 1));
        *done = true;
        if (g == 0) break;
    }
    return status;
}

/* From both ends by halves, until stretches are straight in all controls or in those of a group. Groups come
   later: one that is made straight along a detour keeps the others from leaving it. */
static hf_status halve(smoothing* s, int group, int i, int j) {
    bool done;
    if (j - i < 2) return HF_OK;
    hf_status status = straighten(s, i, j, group, group + 1, &done);
    if (status != HF_OK || done) return status;
    int middle = (i + j) / 2;
    status = halve(s, group, i, middle);
    return status == HF_OK ? halve(s, group, middle, j) : status;
}

/* How far a row's points are from the straight lines between those of its neighbours: no pose is made for
   that. */
static double deviation(const smoothing* s, int i) {
    const double *a = hf_space_row(s->path, i - 1), *x = hf_space_row(s->path, i),
                 *b = hf_space_row(s->path, i + 1);
    double before = apart(s, a, x), after = apart(s, x, b), sum = 0;
    double t = before + after > 0 ? before / (before + after) : 0.5;
    for (int k = HF_CONTROL_COUNT; k < HF_REACH_WIDTH; k += 3) {
        hf_vec3 off = {x[k] - a[k] - t * (b[k] - a[k]), x[k + 1] - a[k + 1] - t * (b[k + 1] - a[k + 1]),
                       x[k + 2] - a[k + 2] - t * (b[k + 2] - a[k + 2])};
        sum += hf_length(off);
    }
    return sum / HF_CONTROL_POINTS;
}

/* The row that deviates most, of those that were not tried in vain; 0 for none. */
static int worst_corner(const smoothing* s, const bool* vain) {
    int worst = 0;
    double most = STRAIGHT_M;
    for (int i = 1; i + 1 < s->path->count; i++) {
        double d = vain[i] ? 0 : deviation(s, i);
        if (d > most) most = d, worst = i;
    }
    return worst;
}

/* ---- density ---- */

/* The row and, before it, some between the last one and it where they are too far apart. */
static hf_status add_evenly(smoothing* s, hf_space_rows* to, const double* row) {
    double before[HF_REACH_WIDTH], between[HF_REACH_WIDTH];
    hf_status status = HF_OK;
    if (to->count) {
        memcpy(before, hf_space_row(to, to->count - 1), sizeof before);
        int n = (int)ceil(apart(s, before, row) / FAR_M);
        for (int k = 1; k < n && status == HF_OK; k++) {
            s->space.between(s->space.user, before, row, (double)k / n, between);
            status = hf_space_rows_add(to, between);
        }
    }
    return status == HF_OK ? hf_space_rows_add(to, row) : status;
}

/* Merges rows on straight ways, and puts rows between those that are too far apart (reaching-2003: merging
   and insertion). */
static hf_status even_out(smoothing* s) {
    hf_space_rows *t = &s->straight, *path = s->path;
    hf_status status = HF_OK;
    int last = 0; // row that was kept last
    t->count = 0;
    for (int i = 0; i < path->count && status == HF_OK; i++) {
        bool inner = i > 0 && i + 1 < path->count;
        if (inner &&
            is_between(hf_space_row(path, last), hf_space_row(path, i), hf_space_row(path, i + 1), 0))
            continue;
        status = add_evenly(s, t, hf_space_row(path, i));
        last = i;
    }
    path->count = 0;
    for (int i = 0; i < t->count && status == HF_OK; i++)
        status = hf_space_rows_add(path, hf_space_row(t, i));
    return status;
}

/* One round: the worst corner, or a stretch that is drawn. *done: the way became shorter. */
static hf_status smooth_once(smoothing* s, bool* vain, int round, uint64_t seed, bool* done) {
    int count = s->path->count, corner = worst_corner(s, vain);
    hf_status status = HF_OK;
    *done = false;
    if (round % 4 == 3 || corner == 0) {
        hf_random r = hf_random_start(seed, STREAM, (uint64_t)round);
        int a = (int)(hf_random_unit(&r) * count), b = (int)(hf_random_unit(&r) * count);
        int i = a < b ? a : b, j = a < b ? b : a;
        if (j - i >= 2) status = straighten(s, i, j, 0, GROUPS, done);
        if (*done) memset(vain, 0, (size_t)count);
        return status;
    }
    status = straighten(s, corner - 1, corner + 1, 0, GROUPS, done);
    vain[corner] = !*done;
    if (*done) vain[corner - 1] = vain[corner + 1] = false;
    return status;
}

hf_status hf_reach_smooth(hf_reach_worker* w, hf_space_rows* path, int rounds, uint64_t seed) {
    if (path->count < 3) return HF_OK;
    smoothing s = {.worker = w,
                   .space = hf_reach_space(w),
                   .path = path,
                   .straight = hf_space_rows_start(HF_REACH_WIDTH, path->workspace)};
    hf_status status = halve(&s, 0, 0, path->count - 1);
    // the nodes of the roadmap have an arm that is not asked for anywhere
    if (status == HF_OK && w->without >= 0) status = halve(&s, RIGHT_ARM + w->without, 0, path->count - 1);
    bool* vain = NULL;
    int idle = 0; // rounds in vain, one after the other
    for (int n = 0; n < rounds && idle < ENOUGH && status == HF_OK && hf_workspace_goes_on(w->workspace);
         n++) {
        bool done;
        if (n % RENEW == 0) {
            status = even_out(&s);
            vain = hf_workspace_take(path->workspace, (size_t)path->count + 1, sizeof *vain);
            if (!vain) return HF_ERROR_MEMORY;
            memset(vain, 0, (size_t)path->count + 1);
            if (status != HF_OK || path->count < 3) break;
        }
        status = smooth_once(&s, vain, n, seed, &done);
        idle = done ? 0 : idle + 1;
    }
    return status;
}
