/* Holds that are partly missed: a limb came late, let go early, or left its hold for some frames because it
   was too fast or a few millimetres short there. Once the motion stands, all frames around such a gap move
   together (clear.h) until the limb holds on through the gap, too. A gap that cannot be closed at all is
   closed as far as it can be; otherwise the motion stays as it was. */
#include "adapt/clear.h"
#include "adapt/retarget.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

/* Longer gaps are closed in part, s: the frames around a longer one would have to become another motion. */
static const double LONGEST_S = 0.5;
/* Times that a gap is tried, each time half as long. */
enum { TRIES = 3 };

typedef struct regainer {
    hf_retarget_work* work;
    const hf_scene* scene;
    hf_transform* roots; /* the frames as they were */
    double* q;
    hf_frame_fault* faults; /* of each frame of a gap */
} regainer;

static int frame_of(const hf_schedule* s, double time_s) { return (int)floor(time_s * s->rate + 0.5); }

static void copy_frames(const regainer* r, bool back) {
    const hf_schedule* s = r->work->schedule;
    size_t n = (size_t)r->work->creature.creature->view.q_count;
    for (int f = 0; f < s->knot_count; f++) {
        hf_knot* k = &s->knots[f];
        double* q = r->q + (size_t)f * n;
        memcpy(back ? k->q : q, back ? q : k->q, sizeof *q * n);
        if (back)
            k->root = r->roots[f];
        else
            r->roots[f] = k->root;
    }
}

/* ---- one gap ---- */

/* Puts the limb onto its hold in each frame of the gap, as near as it comes with the body where it is. */
static hf_status draw_near(const regainer* r, const hf_held_phase* h, int first, int last) {
    hf_retarget_work* w = r->work;
    hf_follower* t = &w->follower;
    hf_hold hold = {.limb = h->phase->limb, .frame = h->phase->frame, .object = h->phase->object};
    hf_status status = HF_OK;
    hold.point = h->phase->point, hold.normal = h->phase->normal;
    for (int f = first; f <= last && status == HF_OK; f++) {
        hf_pose pose = {w->schedule->knots[f].root, w->schedule->knots[f].q};
        bool kept;
        hf_vec3 miss;
        hf_forward(w->creature.creature, &pose, t->links);
        status = hf_hold_keep(w->creature.creature, &hold, &h->anchor, HF_KEEP_EXACT, w->workspace, t->links,
                              pose.q, &kept, &miss);
    }
    return status;
}

/* The hold of the schedule that lasts through the gap; -1: none, it is too short. */
static int hold_through(const regainer* r, const hf_held_phase* h, int first, int last) {
    const hf_schedule* s = r->work->schedule;
    for (int i = 0; i < s->hold_count; i++) {
        const hf_hold* hold = &s->holds[i].hold;
        bool same = hold->limb == h->phase->limb && hold->frame == h->phase->frame;
        // a hold that another one follows ends a frame early
        if (same && frame_of(s, s->holds[i].from_s) <= first && frame_of(s, s->holds[i].to_s) >= last - 1)
            return i;
    }
    return -1;
}

/* Tries to hold on from one frame to another; otherwise all is as it was. */
static hf_status close_gap(const regainer* r, hf_held_phase* h, int first, int last, bool* closed) {
    hf_retarget_work* w = r->work;
    hf_realise_result gap = {.fault_count = last - first + 1, .faults = r->faults};
    uint8_t* kept = h->kept + (first - h->phase->first);
    int left = 1;
    for (int f = first; f <= last; f++) r->faults[f - first] = (hf_frame_fault){.frame = f};
    memset(kept, true, (size_t)(last - first + 1));
    hf_status status = draw_near(r, h, first, last);
    if (status == HF_OK) status = hf_retarget_holds(w);
    int hold = status == HF_OK ? hold_through(r, h, first, last) : -1;
    hf_clear_job job = {.creature = w->creature.creature,
                        .scene = r->scene,
                        .placement = w->finder.placement,
                        .schedule = w->schedule,
                        .workspace = w->workspace,
                        .anchors = w->anchors,
                        .turns = true,
                        .turned = hold};
    if (hold >= 0) status = hf_clear_faults(&job, &gap, &left);
    *closed = status == HF_OK && left == 0;
    if (*closed) {
        copy_frames(r, false);
        return HF_OK;
    }
    copy_frames(r, true);
    memset(kept, false, (size_t)(last - first + 1));
    hf_status restored = hf_retarget_holds(w);
    return status == HF_OK ? restored : status;
}

/* The gap, or the part of it that is next to frames in which the limb holds. */
static hf_status close_some(const regainer* r, hf_held_phase* h, int first, int last) {
    int longest = (int)(LONGEST_S * r->work->schedule->rate), count = last - first + 1;
    bool before = first > h->phase->first, after = last < h->phase->last, closed = false;
    hf_status status = HF_OK;
    if (!before && !after) return HF_OK;
    if (count > longest) count = longest;
    for (int i = 0; i < TRIES && count > 0 && !closed && status == HF_OK; i++, count /= 2)
        for (int side = 0; side < 2 && !closed && status == HF_OK; side++) {
            if (side ? !before : !after) continue;
            int from = side ? first : last - count + 1;
            if (hf_workspace_goes_on(r->work->workspace))
                status = close_gap(r, h, from, from + count - 1, &closed);
            if (count == last - first + 1) break; // both sides are the same gap
        }
    return status;
}

static hf_status regain_phase(const regainer* r, hf_held_phase* h) {
    hf_status status = HF_OK;
    int end =
        h->phase->last < r->work->schedule->knot_count ? h->phase->last : r->work->schedule->knot_count - 1;
    for (int f = h->phase->first; f <= end && status == HF_OK; f++) {
        int last = f;
        if (h->kept[f - h->phase->first]) continue;
        while (last < end && !h->kept[last + 1 - h->phase->first]) last++;
        status = close_some(r, h, f, last);
        f = last;
    }
    return status;
}

/* ---- all gaps ---- */

static hf_status regain(const regainer* r) {
    hf_status status = HF_OK;
    for (int i = 0; i < r->work->held_count && status == HF_OK; i++) {
        hf_held_phase* h = &r->work->held[i];
        if (!h->dropped && h->anchored && h->frozen && h->held > 0) status = regain_phase(r, h);
    }
    return status == HF_OK ? hf_retarget_holds(r->work) : status;
}

hf_status hf_retarget_regain(hf_retarget_work* w, const hf_scene* scene) {
    regainer r = {.work = w, .scene = scene};
    if (hf_scene_moves(scene)) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(w->workspace);
    size_t frames = (size_t)w->schedule->knot_count, q = (size_t)w->creature.creature->view.q_count;
    r.roots = hf_workspace_take(w->workspace, frames, sizeof *r.roots);
    r.q = hf_workspace_take(w->workspace, frames * q + 1, sizeof *r.q);
    r.faults = hf_workspace_take(w->workspace, frames, sizeof *r.faults);
    hf_status status = r.roots && r.q && r.faults ? hf_retarget_holds(w) : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        copy_frames(&r, false);
        status = regain(&r);
    }
    hf_workspace_end(w->workspace, mark);
    return status;
}
