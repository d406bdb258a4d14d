/* Tests of bent frames by the one realiser. */
#include "adapt/trial.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/body_bounds.h"
#include "model/creature.h"
#include "model/hold.h"
#include "model/scene.h"
#include "model/tolerance.h"
#include "schedule/held.h"
#include "schedule/realise_near.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

/* Frames beside those that differ, which the differences of their neighbours concern. */
enum { BESIDE = 2 };
/* Ranges nearer to each other are tested as one. */
enum { JOINED = 8 };
/* Frames that a worker tests at a time, at most: few enough for all workers to end together. */
enum { PIECE = 48 };

/* ---- schedules ---- */

static hf_status add_holds(const hf_bend* b, int first, int last, hf_schedule* out) {
    const hf_source* s = b->source;
    double rate = s->schedule->rate;
    for (int i = 0; i < s->phase_count; i++) {
        const hf_phase_plan* p = &b->phases[i];
        int from = p->first > first ? p->first : first, to = p->last < last ? p->last : last;
        if (p->mode == HF_PHASE_RELEASED || from > to) continue;
        if (!HF_GROW(out->holds, out->hold_capacity, out->hold_count)) return HF_ERROR_MEMORY;
        hf_schedule_hold* h = &out->holds[out->hold_count++];
        *h = (hf_schedule_hold){p->hold, (from - first) / rate, (to - first) / rate};
        // whole phases of the whole motion keep their times to the last bit
        const hf_schedule_hold* was = &s->schedule->holds[s->phases[i].opened];
        int opened_first, opened_last;
        hf_source_opened(s, i, &opened_first, &opened_last);
        if (first == 0 && from == opened_first) h->from_s = was->from_s;
        if (first == 0 && to == opened_last) h->to_s = was->to_s;
    }
    return HF_OK;
}

hf_status hf_bend_schedule(const hf_bend* b, int first, int last, unsigned claims, hf_schedule** schedule) {
    const hf_source* s = b->source;
    hf_status status = hf_schedule_create(s->creature, s->schedule->rate, schedule);
    if (status != HF_OK) return status;
    (*schedule)->claims = claims;
    for (int f = first; f <= last && status == HF_OK; f++) {
        const hf_knot* k = &s->schedule->knots[f];
        hf_pose pose = {k->root, k->q};
        if (b->touched[f]) pose = (hf_pose){b->roots[f], b->q + (size_t)f * (size_t)s->q_count};
        double time_s = first == 0 ? k->time_s : (f - first) / s->schedule->rate;
        status = hf_schedule_add(*schedule, NULL, time_s, &pose, NULL, 0, k->stance);
    }
    if (status == HF_OK) status = add_holds(b, first, last, *schedule);
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*schedule);
    *schedule = NULL;
    return status;
}

/* ---- which frames ---- */

/* The box about an object that an edit changed or added, in the object's own frame. */
static bool box_of(const hf_bend* b, int object, hf_vec3* low, hf_vec3* high) {
    bool opened = object < hf_scene_object_count(b->source->scene);
    return !(opened && !b->moved->changed[object]) && hf_object_box(b->scene, object, low, high);
}

/* Does a ball meet a box? */
static bool meets(hf_vec3 low, hf_vec3 high, hf_vec3 middle, double radius) {
    hf_vec3 d = {fmax(0, fmax(low.x - middle.x, middle.x - high.x)),
                 fmax(0, fmax(low.y - middle.y, middle.y - high.y)),
                 fmax(0, fmax(low.z - middle.z, middle.z - high.z))};
    return hf_dot(d, d) <= radius * radius;
}

/* Does a body of the opened motion come near the box on its way to the next frame? The ball about the body
   goes as far as its middle does; twice that far covers ways that are not straight. */
static bool comes_near(const hf_source* s, int frame, hf_transform pose, hf_vec3 low, hf_vec3 high) {
    int n = s->creature->view.body_count, next = frame + 1 < s->frame_count ? frame + 1 : frame;
    for (int i = 0; i < n; i++) {
        hf_vec3 from = s->balls[(size_t)frame * (size_t)n + (size_t)i],
                to = s->balls[(size_t)next * (size_t)n + (size_t)i];
        double radius = s->creature->bounds[i].radius + 2 * hf_distance(from, to);
        if (meets(low, high, hf_unapply(pose, from), radius)) return true;
    }
    return false;
}

/* Where objects are depends on the time and on what was done before: some follow keys, some are carried. */
bool hf_trial_has_history(const hf_bend* b) {
    const hf_source* s = b->source;
    if (b->moved->key_count > 1 || b->relation->key_count > 1) return true;
    for (int o = 0; o < hf_scene_object_count(b->scene); o++)
        if (hf_scene_object(b->scene, o).key_count > 1) return true;
    for (int i = 0; i < s->phase_count; i++)
        for (int k = 0; k < s->phase_count; k++) {
            bool together =
                b->phases[i].first <= b->phases[k].last && b->phases[k].first <= b->phases[i].last;
            if ((i == k || together) && hf_hold_takes_along(b->scene, &b->phases[i].hold, &b->phases[k].hold))
                return true;
        }
    return false;
}

static void mark_near(const hf_bend* b, bool* look) {
    const hf_source* s = b->source;
    bool moves = hf_trial_has_history(b);
    for (int o = 0; o < hf_scene_object_count(b->scene); o++) {
        hf_vec3 l, h;
        if (!box_of(b, o, &l, &h)) continue;
        // an object that moves may come near it where no body does
        if (moves) memset(look, 1, (size_t)s->frame_count * sizeof *look);
        hf_transform pose = hf_placement_pose(b->placement, o);
        for (int f = 0; f < s->frame_count; f++) {
            if (!comes_near(s, f, pose, l, h)) continue;
            look[f] = true;
            if (f + 1 < s->frame_count) look[f + 1] = true;
        }
    }
}

/* Does a limb hold something else than in the opened motion, or something that changed? */
static bool lost_hold(const hf_bend* b, int f) {
    for (int limb = 0; limb < b->source->limb_count; limb++) {
        int p = b->source->phase_at[f * b->source->limb_count + limb];
        if (p != hf_bend_holds(b, f, limb)) return true;
        int object = p >= 0 ? b->source->phases[p].hold.object : -1;
        if (object >= 0 && b->moved->changed[object]) return true;
    }
    return false;
}

static void mark(const hf_bend* b, bool* look) {
    const hf_source* s = b->source;
    bool keyed = b->moved->key_count > 1 || b->relation->key_count > 1;
    memset(look, 0, (size_t)s->frame_count * sizeof *look);
    for (int f = 0; f < s->frame_count; f++) {
        look[f] |= keyed;
        if (!b->touched[f] && !lost_hold(b, f)) continue;
        for (int k = f - BESIDE; k <= f + BESIDE; k++)
            if (k >= 0 && k < s->frame_count) look[k] = true;
    }
    mark_near(b, look);
}

/* ---- faults ---- */

static hf_status keep_fault(const hf_bend* b, hf_frame_fault fault, bool* dynamic, hf_realise_result* out) {
    if (b->source->faults[fault.frame] & (1u << fault.kind)) return HF_OK;
    // the differences of a piece's first and last frames are not those of the whole motion
    if (fault.kind == HF_FAULT_DYNAMIC) {
        *dynamic = false;
        return HF_OK;
    }
    if (!HF_GROW(out->faults, out->fault_capacity, out->fault_count)) return HF_ERROR_MEMORY;
    out->faults[out->fault_count++] = fault;
    return HF_OK;
}

/* ---- pieces ---- */

/* Frames that one worker tests, and what it finds. */
typedef struct piece {
    int first, last; /* frames whose faults count */
    int begin, end;  /* frames that are realised */
    hf_realise_result found;
    hf_status status;
} piece;

typedef struct pieces {
    hf_bend* bend;
    unsigned claims;
    int count;
    piece* items;
} pieces;

static void test_piece(void* context, int index, int worker) {
    pieces* p = context;
    piece* one = &p->items[index];
    const hf_bend* b = p->bend;
    hf_schedule* schedule = NULL;
    hf_motion* motion = NULL;
    hf_realise_options options = hf_realise_options_default();
    one->status = hf_bend_schedule(b, one->begin, one->end, p->claims, &schedule);
    if (one->status == HF_OK)
        one->status = hf_realise_near(b->source->creature, b->scene, schedule, b->rooms->poses + one->begin,
                                      &options, hf_crew_workspace(b->crew, worker), &motion, &one->found);
    hf_schedule_free(schedule);
    hf_motion_free(motion);
}

/* A range of frames is cut into pieces of PIECE frames, each with the frames beside it that its differences
   and the way to the next frame need. */
static void cut_range(pieces* p, int first, int last) {
    int count = (last - first) / PIECE + 1, length = last - first + 1;
    for (int i = 0; i < count; i++) {
        piece* one = &p->items[p->count++];
        *one = (piece){.first = first + i * length / count, .last = first + (i + 1) * length / count - 1};
        one->begin = one->first - BESIDE > first ? one->first - BESIDE : first;
        one->end = one->last + BESIDE < last ? one->last + BESIDE : last;
    }
}

/* Ranges of the frames to look at, in pieces. A scene with a history is one piece. */
static void list_pieces(pieces* p, const bool* look, bool whole) {
    int frames = p->bend->source->frame_count;
    for (int f = 0; f < frames; f++) {
        if (!look[f]) continue;
        int last = f, gap = 0;
        for (int k = f; k < frames && gap <= JOINED; k++) {
            gap = look[k] ? 0 : gap + 1;
            if (look[k]) last = k;
        }
        if (whole)
            p->items[p->count++] = (piece){.first = f, .last = last, .begin = f, .end = last};
        else
            cut_range(p, f, last);
        f = last;
    }
}

/* Faults of all pieces in their order. */
static hf_status merge_pieces(pieces* p, bool* dynamic, hf_realise_result* out) {
    hf_status status = HF_OK;
    for (int i = 0; i < p->count; i++) {
        piece* one = &p->items[i];
        if (status == HF_OK) status = one->status;
        // what is tested after the work was cancelled has no meaning
        int count = hf_workspace_cancelled(p->bend->workspace) ? 0 : one->found.fault_count;
        for (int k = 0; k < count && status == HF_OK; k++) {
            hf_frame_fault fault = one->found.faults[k];
            fault.frame += one->begin;
            if (fault.frame >= one->first && fault.frame <= one->last)
                status = keep_fault(p->bend, fault, dynamic, out);
        }
        hf_realise_result_free(&one->found);
    }
    return status;
}

/* ---- drift ---- */

static bool is_known(const hf_realise_result* r, int frame, int limb) {
    for (int i = 0; i < r->fault_count; i++)
        if (r->faults[i].kind == HF_FAULT_SLIPS && r->faults[i].frame == frame && r->faults[i].limb == limb)
            return true;
    return false;
}

static bool is_any(const bool* some, int first, int last) {
    for (int f = first; f <= last; f++)
        if (some[f]) return true;
    return false;
}

/* Can the realiser have the limb of a frame on its anchor? It puts limbs back that are farther off than
   HF_SLIP_M. `q` is scratch. */
static hf_status stays(hf_bend* b, int frame, const hf_hold* hold, const hf_anchor* anchor, double* q,
                       bool* good) {
    const hf_source* s = b->source;
    double off_m, off_rad;
    hf_vec3 miss;
    memcpy(q, b->q + (size_t)frame * (size_t)s->q_count, sizeof *q * (size_t)s->q_count);
    hf_pose pose = {b->roots[frame], q};
    hf_forward(s->creature, &pose, b->links);
    hf_anchor_error(s->creature, hold, anchor, b->links, &off_m, &off_rad);
    *good = off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD;
    if (*good) return HF_OK;
    hf_status status =
        hf_hold_keep(s->creature, hold, anchor, HF_KEEP_EXACT, b->workspace, b->links, q, good, &miss);
    hf_forward(s->creature, &pose, b->links);
    hf_anchor_error(s->creature, hold, anchor, b->links, &off_m, &off_rad);
    *good = off_m <= HF_SLIP_M && off_rad <= HF_SLIP_RAD;
    return status;
}

/* A piece knows where a limb is in its own first frame. Over all pieces a limb stays where it was in the
   first frame of its phase. */
static hf_status look_at_drift(hf_bend* b, const bool* look, double* q, hf_realise_result* out) {
    const hf_source* s = b->source;
    hf_status status = HF_OK;
    for (int i = 0; i < s->phase_count && status == HF_OK; i++) {
        const hf_phase_plan* p = &b->phases[i];
        int limb = p->hold.limb;
        if (p->mode == HF_PHASE_RELEASED || !is_any(look, p->first, p->last)) continue;
        hf_held held;
        hf_pose pose = {b->roots[p->first], b->q + (size_t)p->first * (size_t)s->q_count};
        hf_forward(s->creature, &pose, b->links);
        hf_held_begin(s->creature, b->placement, &p->hold, b->links, &held);
        for (int f = p->first + 1; f <= p->last && status == HF_OK; f++) {
            bool good = s->faults[f] >> HF_FAULT_SLIPS & 1 || is_known(out, f, limb);
            if (!good) status = stays(b, f, &held.world, &held.anchor, q, &good);
            if (good || status != HF_OK) continue;
            if (!HF_GROW(out->faults, out->fault_capacity, out->fault_count)) return HF_ERROR_MEMORY;
            out->faults[out->fault_count++] =
                (hf_frame_fault){.kind = HF_FAULT_SLIPS, .frame = f, .limb = limb};
        }
    }
    return status;
}

/* Frames that are as they were at the last test keep its faults; those of all others, and of misses, go. */
static void forget(const hf_bend* b, bool* look, hf_realise_result* result) {
    int n = b->source->frame_count, kept = 0;
    for (int f = 0; f < n; f++) {
        bool stale = false;
        for (int k = f - BESIDE; k <= f + BESIDE; k++) stale |= k >= 0 && k < n && b->stale[k];
        look[f] &= stale;
    }
    for (int i = 0; i < result->fault_count; i++) {
        const hf_frame_fault* f = &result->faults[i];
        bool stale = false;
        for (int k = f->frame - BESIDE; k <= f->frame + BESIDE; k++) stale |= k >= 0 && k < n && b->stale[k];
        if (!stale && !look[f->frame]) result->faults[kept++] = *f;
    }
    result->fault_count = kept;
}

/* A scene with a history is tested from its begin to its end, when any frame is. */
static void widen(int frames, bool* look, hf_realise_result* result) {
    bool any = false;
    for (int f = 0; f < frames; f++) any |= look[f];
    if (!any) return;
    memset(look, 1, (size_t)frames * sizeof *look);
    result->fault_count = 0;
}

hf_status hf_trial_run(hf_bend* b, hf_realise_result* result, bool* dynamic) {
    const hf_source* s = b->source;
    hf_workspace_mark at = hf_workspace_begin(b->workspace);
    bool* look = hf_workspace_take(b->workspace, (size_t)s->frame_count, sizeof *look);
    pieces p = {.bend = b, .claims = s->schedule->claims};
    p.items = hf_workspace_take(b->workspace, (size_t)s->frame_count, sizeof *p.items);
    double* q = hf_workspace_take(b->workspace, (size_t)s->q_count + 1, sizeof *q);
    if (s->creature->view.mass > 0) p.claims |= HF_CLAIM_BALANCE;
    if (!*dynamic) p.claims &= ~(unsigned)HF_CLAIM_DYNAMIC;
    hf_status status = look && p.items && q ? HF_OK : HF_ERROR_MEMORY;
    bool whole = hf_trial_has_history(b);
    if (status == HF_OK) {
        mark(b, look);
        forget(b, look, result);
        if (whole) widen(s->frame_count, look, result);
        list_pieces(&p, look, whole);
        hf_crew_work(b->crew, b->workspace, p.count, test_piece, &p);
        status = merge_pieces(&p, dynamic, result);
        if (status == HF_OK && !whole && !hf_workspace_cancelled(b->workspace))
            status = look_at_drift(b, look, q, result);
    }
    if (status == HF_OK) memset(b->stale, 0, (size_t)s->frame_count * sizeof *b->stale);
    result->outcome = result->fault_count ? HF_PARTIAL : HF_FOUND;
    hf_workspace_end(b->workspace, at);
    return status;
}
