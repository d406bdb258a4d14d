/* Cubic splines through poses: each number of the pose is a clamped cubic spline of its own; quaternions are
   made unit again afterwards, which keeps them smooth as neighbours differ little. */
#include "refine/pose_spline.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <string.h>

enum { ROOT = 7 };

static void load(const hf_pose_spline* s, const hf_pose* pose, double* out) {
    const hf_transform* r = &pose->root;
    const double root[ROOT] = {r->position.x, r->position.y, r->position.z, r->rotation.w,
                               r->rotation.x, r->rotation.y, r->rotation.z};
    memcpy(out, root, sizeof root);
    memcpy(out + ROOT, pose->q, sizeof(double) * (size_t)(s->width - ROOT));
}

/* The quaternion whose sign is that of the one before. */
static void align(double* q, const double* before) {
    double dot = 0;
    for (int i = 0; i < 4; i++) dot += q[i] * before[i];
    for (int i = 0; i < 4 && dot < 0; i++) q[i] = -q[i];
}

static void unit(double* q) {
    hf_quat r = hf_quat_normalize((hf_quat){q[0], q[1], q[2], q[3]});
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
}

static void align_all(const hf_pose_spline* s, double* row, const double* before) {
    const hf_creature_view* v = &s->creature->view;
    align(row + 3, before + 3);
    for (int j = 0; j < v->joint_count; j++) {
        int at = ROOT + v->joints[j].q_index + 3;
        if (v->joints[j].type == HF_JOINT_FLOATING) align(row + at, before + at);
    }
}

/* Second derivatives of clamped splines, all numbers at once: a tridiagonal system by elimination. */
static void find_bends(hf_pose_spline* s, double* diagonal) {
    int n = s->count, w = s->width;
    double *v = s->values, *m = s->bends;
    const double* t = s->times;
    for (int i = 0; i < n; i++) {
        double before = i > 0 ? t[i] - t[i - 1] : 0, after = i + 1 < n ? t[i + 1] - t[i] : 0;
        double lower = i > 0 ? before / diagonal[i - 1] : 0;
        diagonal[i] = 2 * (before + after) - lower * before;
        for (int k = 0; k < w; k++) {
            const double* x = v + (size_t)i * (size_t)w + k;
            double rise = (i + 1 < n ? (x[w] - x[0]) / after : 0) - (i > 0 ? (x[0] - x[-w]) / before : 0);
            m[(size_t)i * (size_t)w + k] =
                6 * rise - (i > 0 ? lower * m[(size_t)(i - 1) * (size_t)w + k] : 0);
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int k = 0; k < w; k++) {
            double* x = m + (size_t)i * (size_t)w + k;
            *x = (*x - (i + 1 < n ? (t[i + 1] - t[i]) * x[w] : 0)) / diagonal[i];
        }
}

static hf_status take(const hf_creature* creature, int count, hf_workspace* w, hf_pose_spline* s) {
    *s = (hf_pose_spline){.creature = creature, .count = count, .width = ROOT + creature->view.q_count};
    size_t all = (size_t)count * (size_t)s->width;
    s->times = hf_workspace_take(w, 2 * (size_t)count, sizeof(double));
    s->values = hf_workspace_take(w, all, sizeof(double));
    s->bends = hf_workspace_take(w, all, sizeof(double));
    return s->times && s->values && s->bends ? HF_OK : HF_ERROR_MEMORY;
}

static void add(hf_pose_spline* s, int i, double time_s, const hf_pose* pose) {
    double* row = s->values + (size_t)i * (size_t)s->width;
    s->times[i] = time_s;
    load(s, pose, row);
    if (i > 0) align_all(s, row, row - s->width);
}

hf_status hf_pose_spline_make(const hf_creature* creature, const double* times, const hf_pose* poses,
                              int count, hf_workspace* workspace, hf_pose_spline* s) {
    hf_status status = take(creature, count, workspace, s);
    if (status != HF_OK) return status;
    for (int i = 0; i < count; i++) add(s, i, times[i], &poses[i]);
    if (count > 1) find_bends(s, s->times + count);
    return HF_OK;
}

hf_status hf_pose_spline_of(const hf_creature* creature, const hf_schedule* schedule, hf_workspace* workspace,
                            hf_pose_spline* s) {
    hf_status status = take(creature, schedule->knot_count, workspace, s);
    if (status != HF_OK) return status;
    for (int i = 0; i < s->count; i++) {
        const hf_knot* k = &schedule->knots[i];
        add(s, i, k->time_s, &(hf_pose){k->root, k->q});
    }
    if (s->count > 1) find_bends(s, s->times + s->count);
    return HF_OK;
}

/* The poses become the control points of a uniform cubic B-spline: its second derivatives are their second
   differences, so that accelerations between two poses lie between those at the poses. */
static void find_controlled(hf_pose_spline* s) {
    int n = s->count, w = s->width;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < w; k++) {
            const double* x = s->values + (size_t)i * (size_t)w + k;
            double h = i > 0 ? s->times[i] - s->times[i - 1] : 1;
            s->bends[(size_t)i * (size_t)w + (size_t)k] =
                i > 0 && i + 1 < n ? (x[w] - 2 * x[0] + x[-w]) / (h * h) : 0;
        }
    for (int i = 1; i + 1 < n; i++)
        for (int k = 0; k < w; k++) {
            double h = s->times[i] - s->times[i - 1];
            s->values[(size_t)i * (size_t)w + (size_t)k] +=
                h * h / 6 * s->bends[(size_t)i * (size_t)w + (size_t)k];
        }
}

hf_status hf_pose_spline_near(const hf_creature* creature, const hf_schedule* schedule,
                              hf_workspace* workspace, hf_pose_spline* s) {
    hf_status status = take(creature, schedule->knot_count, workspace, s);
    if (status != HF_OK) return status;
    for (int i = 0; i < s->count; i++) {
        const hf_knot* k = &schedule->knots[i];
        add(s, i, k->time_s, &(hf_pose){k->root, k->q});
    }
    find_controlled(s);
    return HF_OK;
}

/* The stretch between two poses that a time is in; the one that was asked for last and the next are looked at
   first. */
static int stretch_of(hf_pose_spline* s, double time_s) {
    if (s->last + 2 < s->count && s->times[s->last + 1] <= time_s) s->last++;
    bool inside = s->times[s->last] <= time_s && (s->last + 2 >= s->count || time_s < s->times[s->last + 1]);
    if (inside) return s->last;
    int low = 0, high = s->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(s->times[middle] <= time_s ? &low : &high) = middle;
    }
    return s->last = low;
}

void hf_pose_spline_at(hf_pose_spline* s, double time_s, hf_pose* pose) {
    int i = stretch_of(s, time_s), w = s->width;
    const double *a = s->values + (size_t)i * (size_t)w, *ma = s->bends + (size_t)i * (size_t)w;
    double h = s->count > 1 ? s->times[i + 1] - s->times[i] : 1;
    double u = s->count > 1 ? (time_s - s->times[i]) / h : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    double v = 1 - u, bend_a = (v * v * v - v) * h * h / 6, bend_b = (u * u * u - u) * h * h / 6;
    int b = s->count > 1 ? w : 0;
    double root[ROOT];
    for (int k = 0; k < w; k++)
        *(k < ROOT ? &root[k] : &pose->q[k - ROOT]) =
            v * a[k] + u * a[b + k] + (b ? bend_a * ma[k] + bend_b * ma[b + k] : 0);
    unit(root + 3);
    pose->root = (hf_transform){{root[0], root[1], root[2]}, {root[3], root[4], root[5], root[6]}};
    for (int j = 0; j < s->creature->view.joint_count; j++)
        if (s->creature->view.joints[j].type == HF_JOINT_FLOATING)
            unit(&pose->q[s->creature->view.joints[j].q_index + 3]);
    hf_pose_follow(s->creature, pose->q);
}
