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
            double end = s->slopes ? s->slopes[(i > 0 ? w : 0) + k] : 0;
            double rise = (i + 1 < n ? (x[w] - x[0]) / after : end) - (i > 0 ? (x[0] - x[-w]) / before : end);
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

/* The slope, at the first of up to four moments, of the polynomial through the values there. */
static double slope_at(const double* t, const double* x, int step, int stride, int count) {
    double slope = 0;
    for (int i = 1; i < count; i++) {
        double weight = 1 / (t[i * step] - t[0]);
        for (int j = 1; j < count; j++)
            if (j != i) weight *= (t[0] - t[j * step]) / (t[i * step] - t[j * step]);
        slope += weight * (x[i * step * stride] - x[0]);
    }
    return slope;
}

hf_status hf_pose_spline_through(const hf_creature* creature, const double* times, const hf_pose* poses,
                                 int count, hf_workspace* workspace, hf_pose_spline* s) {
    hf_status status = take(creature, count, workspace, s);
    if (status != HF_OK) return status;
    s->slopes = hf_workspace_take(workspace, 5 * (size_t)s->width, sizeof(double));
    if (!s->slopes) return HF_ERROR_MEMORY;
    for (int i = 0; i < count; i++) add(s, i, times[i], &poses[i]);
    int near = count < 4 ? count : 4, w = s->width, last = count - 1;
    for (int k = 0; k < w; k++) {
        s->slopes[k] = slope_at(s->times, s->values + k, 1, w, near);
        s->slopes[w + k] = slope_at(s->times + last, s->values + (size_t)last * (size_t)w + k, -1, w, near);
    }
    if (count > 1) find_bends(s, s->times + count);
    return HF_OK;
}

static hf_status take_knots(const hf_creature* creature, const hf_schedule* schedule, hf_workspace* w,
                            hf_pose_spline* s) {
    hf_status status = take(creature, schedule->knot_count, w, s);
    for (int i = 0; status == HF_OK && i < s->count; i++) {
        const hf_knot* k = &schedule->knots[i];
        add(s, i, k->time_s, &(hf_pose){k->root, k->q});
    }
    return status;
}

hf_status hf_pose_spline_of(const hf_creature* creature, const hf_schedule* schedule, hf_workspace* workspace,
                            hf_pose_spline* s) {
    hf_status status = take_knots(creature, schedule, workspace, s);
    if (status == HF_OK && s->count > 1) find_bends(s, s->times + s->count);
    return status;
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
    hf_status status = take_knots(creature, schedule, workspace, s);
    if (status == HF_OK) find_controlled(s);
    return status;
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

void hf_pose_keep_limits(const hf_creature* c, double* q) {
    for (int j = 0; j < c->view.joint_count; j++) {
        const hf_joint* joint = &c->view.joints[j];
        if (joint->q_count == 1)
            q[joint->q_index] = fmin(joint->upper, fmax(joint->lower, q[joint->q_index]));
    }
    hf_pose_follow(c, q);
}

/* The turn of a quaternion that need not be unit: w = 2 (p' p*) / |p|^2 in the fixed axes, and its rate. */
static void turn_rates(const double* p, const double* d, const double* dd, double* speed, double* rate) {
    double n = 0, dn = 0;
    for (int i = 0; i < 4; i++) n += p[i] * p[i], dn += 2 * p[i] * d[i];
    for (int i = 0; i < 3; i++) {
        int a = 1 + (i + 1) % 3, b = 1 + (i + 2) % 3;
        double turned = 2 * (p[0] * d[1 + i] - d[0] * p[1 + i] - (d[a] * p[b] - d[b] * p[a]));
        double again = 2 * (p[0] * dd[1 + i] - dd[0] * p[1 + i] - (dd[a] * p[b] - dd[b] * p[a]));
        speed[i] = turned / n;
        rate[i] = again / n - turned * dn / (n * n);
    }
}

/* Numbers of the pose with their first and second derivatives. */
static void derivatives(const hf_pose_spline* s, int i, double time_s, double* x, double* d, double* dd) {
    int w = s->width;
    const double *a = s->values + (size_t)i * (size_t)w, *ma = s->bends + (size_t)i * (size_t)w;
    double h = s->times[i + 1] - s->times[i], u = (time_s - s->times[i]) / h, v = 1 - u;
    for (int k = 0; k < w; k++) {
        x[k] = v * a[k] + u * a[w + k] + ((v * v * v - v) * ma[k] + (u * u * u - u) * ma[w + k]) * h * h / 6;
        d[k] = (a[w + k] - a[k]) / h + ((1 - 3 * v * v) * ma[k] + (3 * u * u - 1) * ma[w + k]) * h / 6;
        dd[k] = v * ma[k] + u * ma[w + k];
    }
}

void hf_pose_spline_rates(hf_pose_spline* s, double time_s, hf_pose* pose, double* speed, double* rate) {
    const hf_creature_view* c = &s->creature->view;
    double *x = s->slopes + 2 * s->width, *d = x + s->width, *dd = d + s->width;
    memset(speed, 0, sizeof(double) * (size_t)c->v_count);
    memset(rate, 0, sizeof(double) * (size_t)c->v_count);
    hf_pose_spline_at(s, time_s, pose);
    if (s->count < 2) return;
    double t = time_s < s->times[0] ? s->times[0] : time_s;
    if (t > s->times[s->count - 1]) t = s->times[s->count - 1];
    derivatives(s, stretch_of(s, t), t, x, d, dd);
    memcpy(speed, d, 3 * sizeof(double)), memcpy(rate, dd, 3 * sizeof(double));
    turn_rates(x + 3, d + 3, dd + 3, speed + 3, rate + 3);
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        int at = ROOT + joint->q_index, to = joint->v_index;
        if (joint->v_count == 0) continue;
        int plain = joint->type == HF_JOINT_FLOATING ? 3 : joint->v_count;
        memcpy(speed + to, d + at, sizeof(double) * (size_t)plain);
        memcpy(rate + to, dd + at, sizeof(double) * (size_t)plain);
        if (joint->type == HF_JOINT_FLOATING)
            turn_rates(x + at + 3, d + at + 3, dd + at + 3, speed + to + 3, rate + to + 3);
    }
}
