/* The body of poses follows the way of the centre of mass that com_course.c finds. Height and angular
   momentum are those of the poses, so that the caller repeats it: shift, limbs back onto their holds, shift.
 */
#include "refine/borne_body.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "refine/calm_curve.h"
#include "refine/com_course.h"
#include "refine/work.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

/* (m/s3)^2 for a metre from the wish, the sixth power of 4.5 rad/s: what is slower than 1.4 s follows the
   wish, a step's sway does not. */
static const double WISH_WEIGHT = 8300;
/* Of a sample that is where it must be, or whose limbs do not reach as they are: a millimetre is as bad as
   the jerk of a quick step. */
static const double FIXED_WEIGHT = 1e14, LOST_WEIGHT = 1e8;

bool hf_borne_body_take(hf_borne_body* b, hf_workspace* w) {
    size_t n = (size_t)b->count;
    b->stances = hf_workspace_take(w, n, sizeof *b->stances);
    b->margin_m = hf_workspace_take(w, 8 * n, sizeof *b->margin_m);
    b->wish = hf_workspace_take(w, 4 * n, sizeof *b->wish);
    b->links = hf_workspace_take(w, (size_t)b->creature->view.link_count, sizeof *b->links);
    if (!b->stances || !b->margin_m || !b->wish || !b->links) return false;
    b->outside = b->margin_m + n, b->weights = b->outside + n, b->freedom = b->weights + n;
    b->moment_m = b->freedom + n, b->sunk_m = b->moment_m + n;
    b->place = b->wish + n, b->com = b->place + n, b->momentum_rate = b->com + n;
    return true;
}

enum { ENDS = 3 }; /* samples at either end that are at rest, as those of calm_curve.c */

static bool stays(const hf_borne_body* b, int k) { return b->fixed[k] || k < ENDS || k >= b->count - ENDS; }

static hf_pose pose_of(const hf_borne_body* b, int k) {
    k = k < 0 ? 0 : k >= b->count ? b->count - 1 : k;
    return (hf_pose){b->roots[k], (double*)(uintptr_t)b->q + (size_t)k * (size_t)b->q_count};
}

/* Of the change of momentum, as a moment arm of the weight, m: more is not of a body that moves but of a limb
   that jumps because it does not reach. */
static const double MOST_MOMENT_M = 0.12;

static hf_status measure(hf_borne_body* b, hf_workspace* w) {
    double weight = b->creature->view.mass * HF_GRAVITY_M_S2;
    hf_status status = HF_OK;
    for (int k = 0; k < b->count && status == HF_OK; k++) {
        hf_pose before = pose_of(b, k - 1), here = pose_of(b, k), after = pose_of(b, k + 1);
        hf_frame_wrench wrench;
        status = hf_frames_wrench(b->creature, 1 / b->step_s, &before, &here, &after, w, &wrench);
        b->com[k] = wrench.com;
        b->moment_m[k] = hf_length(wrench.momentum_rate) / weight;
        b->momentum_rate[k] =
            hf_scale(wrench.momentum_rate, fmin(1, MOST_MOMENT_M / fmax(1e-9, b->moment_m[k])));
    }
    return status;
}

/* Where limbs do not reach, the way goes where they do. */
static void set_wish(hf_borne_body* b, bool first) {
    for (int k = 0; k < b->count; k++) {
        double cube = 1 / (b->freedom[k] * b->freedom[k] * b->freedom[k]);
        if (first)
            b->wish[k] = b->com[k], b->weights[k] = stays(b, k) ? FIXED_WEIGHT : WISH_WEIGHT * cube * cube;
        if (hf_length(b->lost[k]) > 0 && !stays(b, k)) {
            b->wish[k] = hf_add(b->com[k], b->lost[k]);
            b->weights[k] = fmax(b->weights[k], LOST_WEIGHT);
        }
        b->wish[k].z = b->com[k].z;
    }
}

/* Over which the body sinks and rises again where a limb does not reach, s, and how smoothly. */
static const double SINK_S = 0.3, SMOOTH_S = 0.08;
/* The body sinks, or rises, where limbs do not reach, and gradually before and behind that. */
static hf_status sink(hf_borne_body* b, hf_workspace* w) {
    int reach = (int)(SINK_S / b->step_s);
    double *in = b->sunk_m + b->count, *out = in + b->count, cube = 1 / (SMOOTH_S * SMOOTH_S * SMOOTH_S);
    bool any = false;
    for (int k = 0; k < b->count; k++) in[k] = 0, any |= hf_length(b->lost[k]) > 0;
    if (!any) return HF_OK;
    for (int k = 0; k < b->count; k++) {
        double need = -b->lost[k].z;
        for (int i = -reach; i <= reach && need != 0; i++) {
            if (k + i < 0 || k + i >= b->count) continue;
            double u = (double)i / (reach + 1), part = need * (1 - u * u) * (1 - u * u);
            if (fabs(part) > fabs(in[k + i])) in[k + i] = part;
        }
    }
    for (int k = 0; k < b->count; k++) b->outside[k] = cube * cube, in[k] = stays(b, k) ? 0 : in[k];
    in[0] = in[b->count - 1] = 0;
    hf_calm_curve c = {b->count, 1, b->step_s, b->outside, b->fixed};
    hf_status status = hf_calm_curve_find(&c, in, w, out);
    for (int k = 0; k < b->count && status == HF_OK; k++) {
        b->sunk_m[k] += out[k];
        b->roots[k].position.z -= out[k];
    }
    return status;
}

hf_status hf_borne_body_shift(hf_borne_body* b, bool first, hf_workspace* w, double* shift_m) {
    hf_spend(w, b->creature, HF_WORK_COURSE, b->count);
    if (first) memset(b->sunk_m, 0, sizeof *b->sunk_m * (size_t)b->count);
    hf_status status = sink(b, w);
    if (status == HF_OK) status = measure(b, w);
    *shift_m = 0;
    if (status != HF_OK) return status;
    set_wish(b, first);
    hf_com_course course = {.count = b->count,
                            .step_s = b->step_s,
                            .stances = b->stances,
                            .wish = b->wish,
                            .momentum_rate = b->momentum_rate,
                            .margin_m = b->margin_m,
                            .start = first ? NULL : b->place,
                            .weights = b->weights};
    status = hf_com_course_find(&course, w, b->place, b->outside);
    for (int k = 0; k < b->count; k++) b->outside[k] = fmax(b->outside[k], b->moment_m[k] - MOST_MOMENT_M);
    for (int k = 0; k < b->count && status == HF_OK; k++) {
        if (stays(b, k)) continue;
        hf_vec3 shift = hf_sub(b->place[k], b->com[k]);
        shift.z = 0;
        b->roots[k].position = hf_add(b->roots[k].position, shift);
        *shift_m = fmax(*shift_m, hf_length(shift));
    }
    return status;
}
