/* Slowing down (method section 9: approach and departure of a contact that went elsewhere are re-timed). */
#include "adapt/slow.h"

#include "base/memory.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

/* Neighbours of a step that is too fast are passed more slowly, too, so many on either side. */
enum { BESIDE = 4 };
/* Steps are made slower than the limit by this share: frames between knots are rounded. */
static const double SPARE = 0.02;

typedef struct retimer {
    const hf_creature* creature;
    const hf_schedule* from;
    hf_schedule* to;
    double* steps; /* how long the step from each knot to the next one takes, frames */
    double* wide;
    bool* change; /* holds change at this knot */
    int* new_of;  /* new frame of each old one */
    int *old, count, capacity;
    double* q;
} retimer;

static hf_pose pose_of(const hf_schedule* s, int i) { return (hf_pose){s->knots[i].root, s->knots[i].q}; }

static void mark_changes(retimer* r) {
    for (int i = 0; i < r->from->hold_count; i++) {
        const hf_schedule_hold* h = &r->from->holds[i];
        int first = (int)ceil(h->from_s * r->from->rate - 1e-6),
            last = (int)floor(h->to_s * r->from->rate + 1e-6);
        if (first >= 0 && first < r->from->knot_count) r->change[first] = true;
        if (last >= 0 && last < r->from->knot_count) r->change[last] = true;
    }
    r->change[0] = r->change[r->from->knot_count - 1] = true;
}

/* Durations of the steps, smooth, and whole frames in all between two changes; true when any is longer
 * than 1. */
static bool find_steps(retimer* r, const bool* exempt) {
    int n = r->from->knot_count - 1;
    bool any = false;
    for (int i = 0; i < n; i++) {
        hf_pose a = pose_of(r->from, i), b = pose_of(r->from, i + 1);
        double share = exempt[i] ? 0 : hf_frames_speed(r->creature, r->from->rate, &a, &b);
        r->wide[i] = share > HF_FRAME_SPEED ? share * (1 + SPARE) : 1;
        any |= share > HF_FRAME_SPEED;
    }
    for (int i = 0; i < n && any; i++) {
        double most = 1;
        for (int k = i - BESIDE; k <= i + BESIDE; k++)
            if (k >= 0 && k < n) {
                double t = (double)(k - i) / (BESIDE + 1);
                most = fmax(most, 1 + (r->wide[k] - 1) * (1 - t * t));
            }
        r->steps[i] = fmax(r->wide[i], most);
    }
    for (int a = 0; a < n && any;) {
        int b = a + 1;
        double sum = r->steps[a], rest = r->steps[a] - 1;
        for (; !r->change[b]; b++) sum += r->steps[b], rest += r->steps[b] - 1;
        double whole = ceil(sum - 1e-9);
        for (int i = a; i < b; i++)
            r->steps[i] = rest > 0 ? 1 + (r->steps[i] - 1) * (whole - (b - a)) / rest : 1;
        a = b;
    }
    return any;
}

static hf_status add(retimer* r, const hf_pose* pose, int old, double time_s, bool stance) {
    if (!HF_GROW(r->old, r->capacity, r->count)) return HF_ERROR_MEMORY;
    r->old[r->count++] = old;
    return hf_schedule_add(r->to, NULL, time_s, pose, NULL, 0, stance);
}

/* The knots of one part between two changes: as they are, or along the same way in more frames. */
static hf_status add_part(retimer* r, int a, int b) {
    const hf_schedule* s = r->from;
    double sum = 0, at = 0;
    for (int i = a; i < b; i++) sum += r->steps[i];
    int frames = (int)floor(sum + 0.5), i = a;
    hf_status status = HF_OK;
    for (int k = 0; k < frames && status == HF_OK; k++) {
        while (i + 1 < b && at + r->steps[i] <= k + 1e-9) at += r->steps[i++];
        double t = fmin(1, (k - at) / r->steps[i]);
        hf_pose from = pose_of(s, i), to = pose_of(s, i + 1), pose = {.q = r->q};
        if (k == 0 || frames == b - a) {
            pose = pose_of(s, a + k);
            i = a + k;
        } else
            hf_pose_between(r->creature, &from, &to, t, &pose);
        double time_s = r->count == i && k == i - a ? s->knots[i].time_s : r->count / s->rate;
        status = add(r, &pose, i, time_s, s->knots[i].stance && (k == 0 || frames == b - a));
    }
    return status;
}

static hf_status add_holds(retimer* r) {
    const hf_schedule* s = r->from;
    int last = s->knot_count - 1;
    for (int i = 0; i < s->hold_count; i++) {
        if (!HF_GROW(r->to->holds, r->to->hold_capacity, r->to->hold_count)) return HF_ERROR_MEMORY;
        hf_schedule_hold h = s->holds[i];
        int from = (int)ceil(h.from_s * s->rate - 1e-6), to = (int)floor(h.to_s * s->rate + 1e-6);
        if (to > last) to = last;
        if (from > to) continue; // it lies between two frames
        if (r->new_of[from] != from) h.from_s = r->new_of[from] / s->rate;
        if (r->new_of[to] != to) h.to_s = r->new_of[to] / s->rate;
        r->to->holds[r->to->hold_count++] = h;
    }
    return HF_OK;
}

static hf_status make(retimer* r) {
    const hf_schedule* s = r->from;
    hf_status status = hf_schedule_create(r->creature, s->rate, &r->to);
    if (status != HF_OK) return status;
    r->to->claims = s->claims;
    for (int a = 0; a + 1 < s->knot_count && status == HF_OK;) {
        int b = a + 1;
        while (!r->change[b]) b++;
        r->new_of[a] = r->count;
        status = add_part(r, a, b);
        a = b;
    }
    int last = s->knot_count - 1;
    r->new_of[last] = r->count;
    hf_pose end = pose_of(s, last);
    if (status == HF_OK) status = add(r, &end, last, r->count / s->rate, s->knots[last].stance);
    return status == HF_OK ? add_holds(r) : status;
}

hf_status hf_adapt_slow(const hf_creature* creature, const hf_schedule* schedule, const bool* exempt,
                        hf_schedule** slower, int** old, int* added) {
    size_t n = (size_t)schedule->knot_count;
    *slower = NULL, *old = NULL, *added = 0;
    retimer r = {.creature = creature, .from = schedule};
    r.steps = hf_alloc(n, sizeof *r.steps);
    r.wide = hf_alloc(n, sizeof *r.wide);
    r.change = hf_alloc(n, sizeof *r.change);
    r.new_of = hf_alloc(n, sizeof *r.new_of);
    r.q = hf_alloc((size_t)schedule->q_count + 1, sizeof *r.q);
    hf_status status = r.steps && r.wide && r.change && r.new_of && r.q ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK && n > 1) {
        mark_changes(&r);
        if (find_steps(&r, exempt)) status = make(&r);
    }
    hf_free(r.steps);
    hf_free(r.wide);
    hf_free(r.change);
    hf_free(r.new_of);
    hf_free(r.q);
    if (status == HF_OK && r.to) {
        *slower = r.to, *old = r.old;
        *added = r.count - schedule->knot_count;
    } else {
        hf_schedule_free(r.to);
        hf_free(r.old);
    }
    return status;
}
