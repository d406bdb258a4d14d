/* One step of the limb solver: damped least squares with joint limits.

   The step minimises |dq - pull|^2 + sum over rows r of (J dq - e)_r^2 / damp_r. As the position's damping
   vanishes its rows become constraints, so that angles and posture move only where the position is kept:
   strict priorities by one small factorisation. Joints that would leave their limits are put on them, taken
   out, and the rest solves again (Baerlocher and Boulic 2004, section 5). */
#include "base/linear.h"
#include "base/workspace.h"
#include "solve/descent.h"
#include "solve/limb_problem.h"

#include <math.h>
#include <string.h>

enum { ROWS = HF_LIMB_ROWS, STRIDE = HF_CHAIN_STRIDE };

hf_status hf_limb_trial_make(const hf_limb_problem* problem, hf_workspace* workspace, hf_limb_trial* trial) {
    memset(trial, 0, sizeof *trial);
    return hf_chain_state_make(problem->chain, workspace, &trial->at);
}

hf_status hf_limb_scratch_make(const hf_limb_problem* problem, hf_workspace* workspace,
                               hf_limb_scratch* scratch) {
    size_t n = (size_t)problem->chain->column_count + 1;
    scratch->jacobian = hf_workspace_take(workspace, n, (STRIDE + 2) * sizeof(double));
    scratch->free_columns = hf_workspace_take(workspace, n, sizeof(int));
    if (!scratch->jacobian || !scratch->free_columns) return HF_ERROR_MEMORY;
    scratch->step = scratch->jacobian + n * STRIDE;
    scratch->pull = scratch->step + n;
    return HF_OK;
}

void hf_limb_trial_copy(const hf_limb_problem* problem, const hf_limb_trial* from, hf_limb_trial* to) {
    hf_chain_state at = to->at;
    memcpy(at.x, from->at.x, sizeof(double) * (size_t)problem->chain->value_count);
    memcpy(at.frames, from->at.frames, sizeof *at.frames * (size_t)problem->chain->step_count);
    *to = *from;
    to->at.x = at.x, to->at.frames = at.frames;
}

static hf_vec3 turned(const double* m, hf_vec3 v) {
    return hf_v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                 m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

void hf_limb_measure(const hf_limb_problem* p, hf_limb_trial* t) {
    hf_chain_forward(p->chain, &t->at);
    hf_vec3 d = hf_sub(p->point, t->at.tip), e = {0, 0, 0};
    t->error[0] = d.x, t->error[1] = d.y, t->error[2] = d.z;
    double s = p->turn_scale;
    if (p->rows == 5) {
        hf_vec3 n = turned(t->at.rotation, p->own_normal);
        hf_tangents(n, t->tangent);
        e = hf_normal_error(n, p->normal, t->tangent[0]);
        t->error[3] = s * hf_dot(e, t->tangent[0]), t->error[4] = s * hf_dot(e, t->tangent[1]);
    } else if (p->rows == 6) {
        e = hf_turn_error(t->at.rotation, p->rotation);
        t->error[3] = s * e.x, t->error[4] = s * e.y, t->error[5] = s * e.z;
    }
    t->position2 = hf_dot(d, d);
    t->angle2 = hf_dot(e, e);
    t->cost = t->position2 + s * s * t->angle2;
}

bool hf_limb_reached(const hf_limb_problem* p, const hf_limb_trial* t) {
    return t->position2 <= p->tolerance_m * p->tolerance_m &&
           t->angle2 <= p->tolerance_rad * p->tolerance_rad;
}

bool hf_limb_better(const hf_limb_problem* p, const hf_limb_trial* a, const hf_limb_trial* b) {
    double pa = fmax(sqrt(a->position2), p->tolerance_m), pb = fmax(sqrt(b->position2), p->tolerance_m);
    if (p->rows == 3) return pa < pb || (pa == pb && a->position2 < b->position2);
    bool near_a = pa <= p->tolerance_m, near_b = pb <= p->tolerance_m;
    if (near_a != near_b) return near_a;
    if (fabs(pa - pb) > p->tolerance_m) return pa < pb;
    return a->angle2 < b->angle2;
}

/* The posture's pull, so short that what it spoils to second order stays below the present error. */
static void find_pull(const hf_limb_problem* p, const hf_limb_trial* t, double* pull) {
    int n = p->chain->column_count;
    double length2 = 0;
    for (int c = 0; c < n; c++) {
        int value = p->chain->column_value[c];
        pull[c] = p->posture && value >= 0 ? p->posture_weight * (p->posture[value] - t->at.x[value]) : 0;
        length2 += pull[c] * pull[c];
    }
    double allowed2 = HF_PULL_SHARE * sqrt(t->cost) / p->turn_scale;
    if (length2 <= allowed2) return;
    double s = sqrt(allowed2 / length2);
    for (int c = 0; c < n; c++) pull[c] *= s;
}

void hf_limb_linearise(const hf_limb_problem* p, const hf_limb_trial* t, bool pulled, hf_limb_scratch* s) {
    hf_chain_jacobian(p->chain, &t->at, s->jacobian);
    for (int c = 0; c < p->chain->column_count && p->rows > 3; c++) {
        double* j = s->jacobian + c * STRIDE;
        hf_vec3 w = {j[3] * p->turn_scale, j[4] * p->turn_scale, j[5] * p->turn_scale};
        if (p->rows == 5)
            j[3] = hf_dot(w, t->tangent[0]), j[4] = hf_dot(w, t->tangent[1]);
        else
            j[3] = w.x, j[4] = w.y, j[5] = w.z;
    }
    memset(s->shift, 0, sizeof s->shift);
    if (pulled)
        find_pull(p, t, s->pull);
    else
        memset(s->pull, 0, sizeof(double) * (size_t)p->chain->column_count);
}

static inline __attribute__((always_inline)) void add_outer(double (*a)[STRIDE], const double* j, int rows,
                                                            double sign) {
    HF_UNROLL
    for (int r = 0; r < rows; r++) {
        double weight = sign * j[r];
        HF_UNROLL
        for (int k = 0; k <= r; k++) a[r][k] += weight * j[k];
    }
}

/* `rows` is a constant where this is used, so that the small loops unroll. */
static inline __attribute__((always_inline)) bool solve_rows(const hf_limb_problem* p, const hf_limb_trial* t,
                                                             double damp_position, double damp_angle,
                                                             hf_limb_scratch* s, int rows) {
    const hf_limb_chain* chain = p->chain;
    double gram[ROWS][STRIDE] = {{0}}, factor[ROWS][STRIDE], inverse[ROWS], left[ROWS], y[ROWS];
    int count = chain->column_count;
    for (int r = 0; r < rows; r++) {
        gram[r][r] = r < 3 ? damp_position : damp_angle;
        left[r] = t->error[r] - s->shift[r];
    }
    for (int c = 0; c < count; c++) {
        const double* j = s->jacobian + c * STRIDE;
        add_outer(gram, j, rows, 1);
        HF_UNROLL
        for (int r = 0; r < rows; r++) left[r] -= j[r] * s->pull[c];
        s->free_columns[c] = c;
    }
    while (count > 0) {
        memcpy(factor, gram, sizeof factor);
        memcpy(y, left, sizeof y);
        if (!hf_cholesky(factor[0], rows, STRIDE, inverse)) return false;
        hf_cholesky_solve(factor[0], rows, STRIDE, inverse, y);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int c = s->free_columns[i], value = chain->column_value[c];
            const double* j = s->jacobian + c * STRIDE;
            double d = s->pull[c];
            HF_UNROLL
            for (int r = 0; r < rows; r++) d += j[r] * y[r];
            s->step[c] = d;
            double from = value >= 0 ? t->at.x[value] : 0, to = from + d;
            if (to <= chain->upper[c] && to >= chain->lower[c]) {
                s->free_columns[kept++] = c;
                continue;
            }
            /* Saturated: what it still does is fixed, the others make up for the rest. */
            s->step[c] = (to > chain->upper[c] ? chain->upper[c] : chain->lower[c]) - from;
            add_outer(gram, j, rows, -1);
            HF_UNROLL
            for (int r = 0; r < rows; r++) left[r] += j[r] * (s->pull[c] - s->step[c]);
        }
        if (kept == count) return true;
        count = kept;
    }
    return true;
}

bool hf_limb_step(const hf_limb_problem* p, const hf_limb_trial* t, double damp_position, double damp_angle,
                  hf_limb_scratch* s) {
    switch (p->rows) {
    case 3:
        return solve_rows(p, t, damp_position, damp_angle, s, 3);
    case 5:
        return solve_rows(p, t, damp_position, damp_angle, s, 5);
    default:
        return solve_rows(p, t, damp_position, damp_angle, s, 6);
    }
}
