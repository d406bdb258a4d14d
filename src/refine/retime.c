/* From a schedule to the same schedule in other times. */
#include "refine/retime.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/pose_spline.h"
#include "refine/settle.h"
#include "refine/stance_list.h"
#include "model/tolerance.h"
#include "solve/keep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_FRAME = 1e-6; /* frames: a time this near to a frame is on it */

/* Over which the acceleration along the path is spread to either side, s, and samples of that. */
static const double SPREAD_S = 0.05;
enum { SPREAD = 8 };

typedef struct retiming {
    const hf_creature* creature;
    const hf_schedule* schedule;
    const hf_stance_list* list;
    hf_pose_spline spline;
    hf_scaling_path path;
    hf_scaling scaling;
    bool settles;         /* limbs are put onto their holds in all frames, not only where holds begin */
    double rate, stretch; /* stretch: of all times, so that the last one is a frame */
    int frames;           /* behind the first */
    double* places;       /* on the path, of each frame */
} retiming;

/* Samples at twice the schedule's rate: the smooth curve bends more at its knots than the knots tell. */
static hf_status sample(retiming* r, hf_workspace* w) {
    const hf_schedule* s = r->schedule;
    double end_s = s->knots[s->knot_count - 1].time_s;
    int count = (int)ceil(2 * end_s * s->rate - SAME_FRAME) + 1;
    size_t n = (size_t)s->q_count, rows = (size_t)count;
    hf_transform* roots = hf_workspace_take(w, rows, sizeof *roots);
    double* q = hf_workspace_take(w, rows * n + 1, sizeof *q);
    r->scaling.time_s = hf_workspace_take(w, rows, sizeof(double));
    r->scaling.speed = hf_workspace_take(w, rows, sizeof(double));
    if (!roots || !q || !r->scaling.time_s || !r->scaling.speed) return HF_ERROR_MEMORY;
    r->path = (hf_scaling_path){.creature = r->creature,
                                .count = count,
                                .step = end_s / (count - 1),
                                .rests = true,
                                .roots = roots,
                                .q = q};
    for (int i = 0; i < count; i++) {
        hf_pose pose = {.q = q + (size_t)i * n};
        hf_pose_spline_at(&r->spline, i * r->path.step, &pose);
        roots[i] = pose.root;
    }
    return HF_OK;
}

/* The place on the path at a time of the new schedule. The acceleration is constant in each step. */
static double place_at(const retiming* r, double time_s, int* at) {
    const hf_scaling* s = &r->scaling;
    double t = time_s / r->stretch;
    if (s->time_s[*at] > t) *at = 0;
    while (*at + 2 < r->path.count && s->time_s[*at + 1] <= t) ++*at;
    double from = s->time_s[*at], took = s->time_s[*at + 1] - from, u = fmin(1, fmax(0, (t - from) / took));
    double a = s->speed[*at], b = s->speed[*at + 1];
    return r->path.step * (*at + u * (2 * a + (b - a) * u) / (a + b));
}

/* The places of all frames: each the mean of the places within SPREAD_S, so that accelerations along the path
   change gradually. What contacts and limits bear at neighbouring times they bear in the mean, nearly. */
static hf_status spread_places(retiming* r, hf_workspace* w) {
    r->places = hf_workspace_take(w, (size_t)r->frames + 1, sizeof *r->places);
    if (!r->places) return HF_ERROR_MEMORY;
    for (int i = 0; i <= r->frames; i++) {
        double sum = 0, weights = 0;
        int at = 0;
        for (int k = -SPREAD; k <= SPREAD; k++) {
            double u = k / (SPREAD + 1.0), v = 1 - u * u, t = i / r->rate - SPREAD_S + u * SPREAD_S;
            sum += v * v * place_at(r, fmax(0, t), &at);
            weights += v * v;
        }
        r->places[i] = sum / weights;
    }
    r->places[0] = 0;
    return HF_OK;
}

/* When a place of the path is passed, in frames of the new schedule. */
static double frame_of(const retiming* r, double place_s) {
    int i = 0;
    while (i < r->frames && r->places[i + 1] < place_s) i++;
    if (i == r->frames) return r->frames;
    double step = r->places[i + 1] - r->places[i];
    return i + (step > 0 ? fmax(0, fmin(1, (place_s - r->places[i]) / step)) : 0);
}

static hf_status add_knots(retiming* r, hf_workspace* w, hf_schedule* out) {
    hf_pose pose = {.q = hf_workspace_take(w, (size_t)r->schedule->q_count + 1, sizeof(double))};
    if (!pose.q) return HF_ERROR_MEMORY;
    hf_status status = HF_OK;
    r->spline.last = 0;
    for (int i = 0; i <= r->frames && status == HF_OK; i++) {
        hf_pose_spline_at(&r->spline, r->places[i], &pose);
        hf_pose_keep_limits(r->creature, pose.q);
        status = hf_schedule_add(out, NULL, i / r->rate, &pose, NULL, 0, i == 0);
    }
    return status;
}

/* The first frame of each hold, and the last. A hold lasts one frame at least. */
static void hold_frames(const retiming* r, const hf_schedule_hold* h, int* first, int* last) {
    double end_s = r->schedule->knots[r->schedule->knot_count - 1].time_s;
    *first = (int)ceil(frame_of(r, h->from_s) - SAME_FRAME);
    *last = h->to_s >= end_s ? r->frames : (int)floor(frame_of(r, h->to_s) + SAME_FRAME);
    if (*last < *first) *last = *first;
}

/* A change of holds: the frame from which on a hold begins, or is no longer there. */
typedef struct change {
    double given_s;
    int hold;
    bool ends;
} change;

/* By time; of those at one time holds begin before others end. */
static int by_time(const void* a, const void* b) {
    const change *x = a, *y = b;
    if (x->given_s != y->given_s) return x->given_s > y->given_s ? 1 : -1;
    return x->ends != y->ends ? x->ends - y->ends : x->hold - y->hold;
}

/* The holds of two limbs never change on one frame: the later change waits for the next frame. */
static hf_status part_changes(const retiming* r, hf_workspace* w, int* first, int* last) {
    const hf_schedule* s = r->schedule;
    hf_workspace_mark mark = hf_workspace_begin(w);
    change* changes = hf_workspace_take(w, 2 * (size_t)s->hold_count + 1, sizeof *changes);
    if (!changes) return HF_ERROR_MEMORY;
    int count = 0, before = 0, limb = -1;
    for (int i = 0; i < s->hold_count; i++) {
        if (first[i] > 0) changes[count++] = (change){s->holds[i].from_s, i, false};
        if (last[i] < r->frames) changes[count++] = (change){s->holds[i].to_s, i, true};
    }
    qsort(changes, (size_t)count, sizeof *changes, by_time);
    for (int i = 0; i < count; i++) {
        const change* c = &changes[i];
        int own = s->holds[c->hold].hold.limb, frame = c->ends ? last[c->hold] + 1 : first[c->hold];
        if (own != limb && frame <= before) frame = before + 1;
        if (c->ends)
            last[c->hold] = frame - 1;
        else
            first[c->hold] = frame;
        if (last[c->hold] < first[c->hold]) last[c->hold] = first[c->hold];
        before = frame > before ? frame : before, limb = own;
    }
    hf_workspace_end(w, mark);
    return HF_OK;
}

/* A limb that goes from one hold to the next in less than a frame (a foot that rolls) keeps one hold in each
   frame. */
static void part_holds(const retiming* r, int* first, int* last) {
    const hf_schedule* s = r->schedule;
    for (int i = 0; i < s->hold_count; i++)
        for (int k = 0; k < s->hold_count; k++) {
            if (s->holds[i].hold.limb != s->holds[k].hold.limb || s->holds[k].from_s <= s->holds[i].from_s ||
                first[k] > last[i])
                continue;
            first[k] = last[i] + 1;
            if (last[k] < first[k]) last[k] = first[k];
        }
}

/* The pose in which a hold begins says where the hold keeps its limb: the limb is put there exactly, as the
   smooth curve between poses leaves it a little beside. */
static hf_status settle_beginning(const retiming* r, int hold, hf_workspace* w, hf_knot* knot) {
    const hf_held* h = &r->list->held[hold];
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_transform* links = hf_workspace_take(w, (size_t)r->creature->view.link_count, sizeof *links);
    hf_status status = links ? HF_OK : HF_ERROR_MEMORY;
    double off_m = 0, off_rad = 0;
    if (links) {
        hf_forward(r->creature, &(hf_pose){knot->root, knot->q}, links);
        hf_anchor_error(r->creature, &h->world, &h->anchor, links, &off_m, &off_rad);
    }
    bool kept;
    hf_vec3 miss;
    if (off_m > HF_HELD_M || off_rad > HF_HELD_RAD)
        status =
            hf_hold_keep(r->creature, &h->world, &h->anchor, HF_KEEP_EXACT, w, links, knot->q, &kept, &miss);
    hf_workspace_end(w, mark);
    return status;
}

static hf_status add_holds(const retiming* r, hf_workspace* w, hf_schedule* out) {
    const hf_schedule* s = r->schedule;
    size_t n = (size_t)s->hold_count + 1;
    int *first = hf_workspace_take(w, n, sizeof *first), *last = hf_workspace_take(w, n, sizeof *last);
    if (!first || !last) return HF_ERROR_MEMORY;
    for (int i = 0; i < s->hold_count; i++) hold_frames(r, &s->holds[i], &first[i], &last[i]);
    hf_status status = part_changes(r, w, first, last);
    if (status != HF_OK) return status;
    part_holds(r, first, last);
    for (int i = 0; i < s->hold_count; i++) {
        if (!HF_GROW(out->holds, out->hold_capacity, out->hold_count)) return HF_ERROR_MEMORY;
        out->holds[out->hold_count++] =
            (hf_schedule_hold){s->holds[i].hold, first[i] / r->rate, last[i] / r->rate};
        if (first[i] > r->frames) continue;
        out->knots[first[i]].stance = true;
        if (!r->settles) status = settle_beginning(r, i, w, &out->knots[first[i]]);
        if (status != HF_OK) return status;
    }
    return HF_OK;
}

static hf_status write_out(retiming* r, hf_workspace* w, hf_schedule** out) {
    r->frames = (int)ceil((r->scaling.duration_s + 2 * SPREAD_S) * r->rate - SAME_FRAME);
    r->stretch = (r->frames / r->rate - 2 * SPREAD_S) / r->scaling.duration_s;
    hf_status status = spread_places(r, w);
    if (status == HF_OK) status = hf_schedule_create(r->creature, r->rate, out);
    if (status != HF_OK) return status;
    if (status == HF_OK) status = add_knots(r, w, *out);
    if (status == HF_OK) status = add_holds(r, w, *out);
    if (status == HF_OK && r->settles) status = hf_settle_holds(r->creature, r->list->held, w, *out);
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*out);
    *out = NULL;
    return status;
}

/* The stance and the limbs that hold of each sample. */
static hf_status find_stances(retiming* r, const hf_parts* phases, const hf_stance_list* list,
                              hf_workspace* w) {
    size_t n = (size_t)r->path.count, limbs = (size_t)list->limb_count;
    const hf_stance** stances = hf_workspace_take(w, n, sizeof *stances);
    uint8_t* held = hf_workspace_take(w, n * limbs + 1, 1);
    double* margin = hf_workspace_take(w, 2 * n, sizeof *margin);
    if (!stances || !held || !margin) return HF_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        int p = hf_stance_list_at(list, phases, (double)i * r->path.step, r->path.step);
        stances[i] = list->stances[p];
        const hf_part* a = &phases->items[hf_parts_at(phases, (double)i * r->path.step)];
        margin[i] = a->kept * a->margin_m;
        margin[n + i] = a->haste;
        memcpy(held + i * limbs, list->limbs + (size_t)p * limbs, limbs);
    }
    r->path.stances = stances;
    r->path.held = held;
    r->path.margin_m = margin;
    r->path.most_u = margin + n;
    return HF_OK;
}

/* The new duration of a phase and the progress of its swing. */
static void read_phase(const retiming* r, const hf_part* was, hf_part* now) {
    double first = frame_of(r, was->from_s), last = frame_of(r, was->to_s);
    now->took_s = (last - first) / r->rate;
    for (int k = 0; k <= HF_PACE; k++) {
        double frame = first + (last - first) * k / HF_PACE;
        int i = (int)fmin(r->frames - 1, floor(frame));
        double place = r->places[i] + (frame - i) * (r->places[i + 1] - r->places[i]);
        now->pace[k] = hf_part_progress(was, (place - was->from_s) / (was->to_s - was->from_s));
    }
}

static void keep_times(retiming* r) {
    for (int i = 0; i < r->path.count; i++) r->scaling.time_s[i] = i * r->path.step, r->scaling.speed[i] = 1;
    r->scaling.duration_s = (r->path.count - 1) * r->path.step;
    r->scaling.block = HF_SCALING_FREE;
}

hf_status hf_retime(const hf_creature* creature, const hf_schedule* schedule, const hf_parts* phases,
                    const hf_stance_list* list, const hf_scaling_shares* shares, bool settles, double rate,
                    hf_workspace* workspace, hf_part* timed, hf_schedule** out, hf_retime_info* info) {
    *out = NULL;
    *info = (hf_retime_info){0};
    retiming r = {.creature = creature, .schedule = schedule, .list = list, .settles = settles, .rate = rate};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_status status = hf_pose_spline_near(creature, schedule, workspace, &r.spline);
    if (status == HF_OK) status = sample(&r, workspace);
    if (status == HF_OK) status = find_stances(&r, phases, list, workspace);
    if (status == HF_OK && shares) status = hf_scaling_find(&r.path, shares, workspace, &r.scaling);
    if (status == HF_OK && !shares) keep_times(&r);
    if (status == HF_OK) {
        *info = (hf_retime_info){.block = r.scaling.block,
                                 .block_s = r.scaling.block_at * r.path.step,
                                 .duration_s = r.scaling.duration_s,
                                 .samples = r.path.count,
                                 .static_count = r.scaling.static_count,
                                 .effort_count = r.scaling.effort_count};
        if (r.scaling.block == HF_SCALING_FREE) status = write_out(&r, workspace, out);
        for (int i = 0; i < phases->count && *out && timed; i++) read_phase(&r, &phases->items[i], &timed[i]);
    }
    hf_workspace_end(workspace, mark);
    return status;
}
