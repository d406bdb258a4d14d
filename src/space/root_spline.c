/* From corners to a smooth curve (thesis-2015 section 6.3.2.2, after Pan, Zhang and Manocha 2012): a uniform
   cubic B-spline over knots along the path, with more knots where it does not hold, then shortcuts that move
   only a few of its control poses. Orientations are blended as quaternions of one hemisphere. */
#include "space/root_path.h"
#include "base/rounding.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    MAX_CONTROLS = 512,
    MAX_ROUNDS = 24, /* of adding knots */
    MAX_SPAN_POSES = 4096,
    STREAM = 0x5b1e, /* of the random numbers of shortcuts */
};
static const double LEAST_STEP = 1e-3; /* a shorter span gets no knot, in steps */
static const double SPACING = 0.5;     /* of the first knots, as a share of the trunk's radius */

typedef struct spline {
    hf_root_space* space;
    int count;
    hf_transform control[MAX_CONTROLS];
    double at[MAX_CONTROLS]; /* length along the path */
} spline;

/* ---- evaluation ---- */

/* End poses count three times, so that the curve starts and ends at them. */
static const hf_transform* control_of(const spline* s, int i) {
    return &s->control[i < 0 ? 0 : i >= s->count ? s->count - 1 : i];
}

/* Span k in [0, count] is shaped by controls k - 2 to k + 1. */
static hf_transform spline_at(const spline* s, int span, double t) {
    double u = 1 - t, t2 = t * t, t3 = t2 * t;
    const double weight[4] = {u * u * u / 6, (3 * t3 - 6 * t2 + 4) / 6, (-3 * t3 + 3 * t2 + 3 * t + 1) / 6,
                              t3 / 6};
    hf_vec3 x = hf_v3(0, 0, 0);
    hf_quat q = {0, 0, 0, 0}, first = control_of(s, span - 1)->rotation;
    for (int i = 0; i < 4; i++) {
        const hf_transform* c = control_of(s, span - 2 + i);
        x = hf_add(x, hf_scale(c->position, weight[i]));
        hf_quat r = c->rotation;
        double sign = r.w * first.w + r.x * first.x + r.y * first.y + r.z * first.z < 0 ? -1 : 1;
        double w = sign * weight[i];
        q.w += w * r.w, q.x += w * r.x, q.y += w * r.y, q.z += w * r.z;
    }
    return (hf_transform){x, hf_quat_normalize(q)};
}

/* As many poses as keep neighbours of a span within the step; 0 when that takes too many. */
static int span_poses(const spline* s, int span) {
    for (int n = 1; n <= MAX_SPAN_POSES; n *= 2) {
        bool near = true;
        hf_transform last = spline_at(s, span, 0);
        for (int i = 1; i <= n && near; i++) {
            hf_transform here = spline_at(s, span, (double)i / n);
            near = hf_root_sweep(s->space, &last, &here) <= s->space->step_m;
            last = here;
        }
        if (near) return n;
    }
    return 0;
}

/* Does the condition hold along spans [from, to]? */
static bool spans_hold(const spline* s, int from, int to, int* failed) {
    for (int span = from < 0 ? 0 : from; span <= to && span <= s->count; span++) {
        int n = span_poses(s, span);
        *failed = span;
        if (n == 0) return false;
        for (int i = 0; i < n; i++) {
            hf_transform here = spline_at(s, span, (double)i / n);
            if (!hf_root_holds(s->space, &here)) return false;
        }
    }
    return true;
}

static double controls_length(const spline* s, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += hf_root_distance(s->space, &s->control[i], &s->control[i + 1]);
    return sum;
}

/* ---- knots along the path ---- */

static hf_transform path_at(const hf_root_space* space, const hf_root_path* path, double length) {
    for (int i = 1; i < path->count; i++) {
        double piece = hf_root_sweep(space, &path->corners[i - 1], &path->corners[i]);
        if (length <= piece && piece > 0)
            return hf_root_between(&path->corners[i - 1], &path->corners[i], length / piece);
        length -= piece;
    }
    return path->corners[path->count - 1];
}

static bool insert_knot(spline* s, const hf_root_path* path, double at) {
    if (s->count == MAX_CONTROLS) return false;
    int i = s->count++;
    for (; i > 0 && s->at[i - 1] > at; i--) s->at[i] = s->at[i - 1], s->control[i] = s->control[i - 1];
    s->at[i] = at;
    s->control[i] = path_at(s->space, path, at);
    return true;
}

/* Knots at corners, and evenly between them. */
static bool first_knots(spline* s, const hf_root_path* path) {
    double length = 0;
    bool room = insert_knot(s, path, 0);
    for (int i = 1; i < path->count && room; i++) {
        double piece = hf_root_sweep(s->space, &path->corners[i - 1], &path->corners[i]);
        int n = (int)fmax(1, ceil(piece / (SPACING * s->space->model->radius)));
        for (int k = 1; k <= n && room; k++) room = insert_knot(s, path, length + piece * k / n);
        length += piece;
    }
    // the ends are start and goal to the last digit
    if (room) s->control[s->count - 1] = path->corners[path->count - 1];
    return room;
}

/* More knots about a span that does not hold: the spline comes nearer to the path. */
static bool refine(spline* s, const hf_root_path* path, int span) {
    double middles[3];
    int count = 0;
    for (int i = span - 2; i < span + 1; i++) {
        if (i < 0 || i + 1 >= s->count) continue;
        if (s->at[i + 1] - s->at[i] > LEAST_STEP * s->space->step_m)
            middles[count++] = 0.5 * (s->at[i] + s->at[i + 1]);
    }
    bool room = count > 0;
    for (int i = 0; i < count && room; i++) room = insert_knot(s, path, middles[i]);
    return room;
}

static bool fit(spline* s, const hf_root_path* path) {
    if (!first_knots(s, path)) return false;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int failed;
        if (spans_hold(s, 0, s->count, &failed)) return true;
        if (!refine(s, path, failed)) return false;
    }
    return false;
}

/* ---- shortcuts ---- */

/* Draws two controls and puts those between them on the straight way, if the spline then holds. */
static void shortcut(spline* s, uint64_t seed, int index, hf_transform* kept) {
    hf_random random = hf_random_start(seed, STREAM, (uint64_t)index);
    int a = (int)(hf_random_unit(&random) * s->count), b = (int)(hf_random_unit(&random) * s->count);
    if (a > b) {
        int swap = a;
        a = b, b = swap;
    }
    if (b - a < 2) return;
    double before = controls_length(s, a, b);
    if (hf_root_distance(s->space, &s->control[a], &s->control[b]) > before - HF_NEGLIGIBLE) return;
    memcpy(kept, s->control, sizeof *kept * (size_t)s->count);
    for (int i = a + 1; i < b; i++)
        s->control[i] = hf_root_between(&kept[a], &kept[b], (double)(i - a) / (b - a));
    int failed;
    if (!spans_hold(s, a, b + 1, &failed)) memcpy(s->control, kept, sizeof *kept * (size_t)s->count);
}

static hf_status emit(const spline* s, const hf_root_path* path, hf_guide_path* out) {
    hf_status status = hf_guide_path_add(out, &path->corners[0]);
    for (int span = 0; span <= s->count && status == HF_OK; span++) {
        int n = span_poses(s, span);
        for (int i = 1; i <= n && status == HF_OK; i++) {
            bool end = span == s->count && i == n;
            hf_transform here = end ? path->corners[path->count - 1] : spline_at(s, span, (double)i / n);
            status = hf_guide_path_add(out, &here);
        }
    }
    return status;
}

hf_status hf_root_path_spline(hf_root_space* space, const hf_root_path* path, const hf_guide_options* options,
                              hf_workspace* workspace, hf_guide_path* out, bool* held) {
    *held = false;
    if (path->count < 2) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    spline* s = hf_workspace_take(workspace, 1, sizeof *s);
    hf_transform* kept = hf_workspace_take(workspace, MAX_CONTROLS, sizeof *kept);
    hf_status status = s && kept ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        s->space = space, s->count = 0;
        *held = fit(s, path);
    }
    if (*held) {
        for (int i = 0; i < options->shortcuts && space->tests < options->max_tests; i++)
            shortcut(s, options->seed, i, kept);
        status = emit(s, path, out);
    }
    hf_workspace_end(workspace, mark);
    return status;
}
