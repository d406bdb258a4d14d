/* Limbs that hold are put exactly onto their holds once their frames stand: the solver of a frame leaves each
   within what a check allows, at another place in the next frame, and viewers see that as sliding. */
#include "adapt/clear.h"
#include "adapt/retarget.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "schedule/frames.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

/* Limbs this near to where they are held stay, m and rad: at 120 frames a second two frames that differ by
   twice as much slide at half of the 1 cm/s that others measure. */
static const double EXACT_M = 2e-5, EXACT_RAD = 5e-4;
/* A limb that cannot be that near at the begin or the end of a hold, and is this fast there, m/s, holds later
   or lets go earlier, by so many seconds at most. */
static const double SLIDES_M_S = 0.008, LATE_S = 0.05;
/* The same for a patch that turns, rad/s: 0.1 m beside its middle it is as fast. */
static const double TURNS_RAD_S = 0.08;

/* ---- one limb in one frame ---- */

static hf_hold hold_of(const hf_held_phase* h) {
    return (hf_hold){.limb = h->phase->limb,
                     .frame = h->phase->frame,
                     .object = h->phase->object,
                     .point = h->phase->point,
                     .normal = h->phase->normal};
}

/* The fastest move of a pose from the frame before and to the next one, as a share of the limits. */
static double speed_at(const hf_retarget_work* w, int frame, const hf_pose* pose) {
    const hf_schedule* s = w->schedule;
    double most = 0;
    for (int side = -1; side <= 1; side += 2) {
        if (frame + side < 0 || frame + side >= s->knot_count) continue;
        const hf_knot* k = &s->knots[frame + side];
        hf_pose beside = {k->root, k->q};
        most = fmax(most, hf_frames_speed(w->creature.creature, s->rate, side < 0 ? &beside : pose,
                                          side < 0 ? pose : &beside));
    }
    return most;
}

/* *moved: the limb was off its hold, and is nearer now. */
static hf_status settle_frame(hf_retarget_work* w, const hf_held_phase* h, int frame, bool* moved) {
    const hf_creature* c = w->creature.creature;
    hf_follower* t = &w->follower;
    hf_knot* knot = &w->schedule->knots[frame];
    hf_hold hold = hold_of(h);
    hf_pose pose = {knot->root, t->next.q};
    size_t bytes = sizeof(double) * (size_t)c->view.q_count;
    double was_m, was_rad, off_m, off_rad;
    bool kept;
    hf_vec3 miss;
    memcpy(t->next.q, knot->q, bytes);
    hf_forward(c, &pose, t->links);
    hf_anchor_error(c, &hold, &h->anchor, t->links, &was_m, &was_rad);
    if (was_m <= EXACT_M && was_rad <= EXACT_RAD) return HF_OK;
    hf_status status =
        hf_hold_keep(c, &hold, &h->anchor, HF_KEEP_EXACT, w->workspace, t->links, pose.q, &kept, &miss);
    hf_forward(c, &pose, t->links);
    hf_anchor_error(c, &hold, &h->anchor, t->links, &off_m, &off_rad);
    bool better = (off_m < was_m && off_rad <= fmax(was_rad, EXACT_RAD)) ||
                  (off_rad < was_rad && off_m <= fmax(was_m, EXACT_M));
    if (status != HF_OK || !better) return status;
    hf_pose given = {knot->root, knot->q};
    double speed = speed_at(w, frame, &pose);
    if (speed > HF_FRAME_SPEED && speed > speed_at(w, frame, &given)) return HF_OK;
    memcpy(knot->q, pose.q, bytes);
    *moved = true;
    return HF_OK;
}

/* The last frame of a phase that the motion has. */
static int last_frame(const hf_retarget_work* w, const hf_held_phase* h) {
    return h->phase->last < w->schedule->knot_count ? h->phase->last : w->schedule->knot_count - 1;
}

static bool is_kept(const hf_held_phase* h, int frame) {
    return frame >= h->phase->first && frame <= h->phase->last && h->kept[frame - h->phase->first];
}

static hf_status settle_all(hf_retarget_work* w, bool* moved) {
    hf_status status = HF_OK;
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* h = &w->held[i];
        for (int f = h->phase->first; f <= last_frame(w, h) && !h->dropped && h->frozen && status == HF_OK;
             f++)
            if (is_kept(h, f)) status = settle_frame(w, h, f, moved);
    }
    return status;
}

hf_status hf_retarget_settle(hf_retarget_work* w) {
    bool moved = false;
    return settle_all(w, &moved);
}

/* ---- ends of holds ---- */

static hf_transform contact_at(hf_retarget_work* w, const hf_held_phase* h, int frame) {
    const hf_contact_frame* c = hf_held_contact(w, h->phase);
    hf_pose pose = {w->schedule->knots[frame].root, w->schedule->knots[frame].q};
    hf_forward(w->creature.creature, &pose, w->follower.links);
    hf_transform link = w->follower.links[c->link];
    return (hf_transform){hf_apply(link, c->offset), link.rotation};
}

/* Does the contact move, or its patch turn, between two frames? */
static bool slides(const hf_retarget_work* w, const hf_held_phase* h, hf_transform from, hf_transform to) {
    double rate = w->schedule->rate;
    return hf_distance(from.position, to.position) * rate > SLIDES_M_S ||
           (h->anchor.flat && hf_quat_angle(from.rotation, to.rotation) * rate > TURNS_RAD_S);
}

/* Frames that are no longer held. */
typedef struct trims {
    int count, capacity;
    struct {
        hf_held_phase* held;
        int frame;
    } * items;
} trims;

static void hold_trims(const trims* t, bool held) {
    for (int i = 0; i < t->count; i++)
        t->items[i].held->kept[t->items[i].frame - t->items[i].held->phase->first] = held;
}

/* From an end of a run of kept frames inwards (`way` 1 or -1): frames up to the last move that slides. */
static hf_status trim_end(hf_retarget_work* w, hf_held_phase* h, int end, int way, trims* t) {
    int most = (int)(LATE_S * w->schedule->rate) + 1, count = 0;
    hf_transform at = contact_at(w, h, end);
    for (int k = 1; k <= most && is_kept(h, end + k * way); k++) {
        hf_transform next = contact_at(w, h, end + k * way);
        if (slides(w, h, at, next)) count = k;
        at = next;
    }
    for (int k = 0; k < count; k++) {
        if (!HF_GROW(t->items, t->capacity, t->count)) return HF_ERROR_MEMORY;
        t->items[t->count].held = h, t->items[t->count++].frame = end + k * way;
    }
    return HF_OK;
}

static hf_status trim_phase(hf_retarget_work* w, hf_held_phase* h, trims* t) {
    int last = last_frame(w, h);
    hf_status status = HF_OK;
    for (int f = h->phase->first; f <= last && status == HF_OK; f++) {
        if (!is_kept(h, f) || (f > h->phase->first && is_kept(h, f - 1))) continue;
        int end = f;
        while (end < last && is_kept(h, end + 1)) end++;
        status = trim_end(w, h, f, 1, t);
        if (status == HF_OK) status = trim_end(w, h, end, -1, t);
        f = end;
    }
    return status;
}

/* ---- the motion as it is in the end ---- */

static hf_status count_faults(hf_retarget_work* w, const hf_scene* scene, int* faults) {
    hf_realise_result judged = {0};
    hf_status status = hf_retarget_judge(w, scene, &judged);
    *faults = judged.fault_count;
    hf_realise_result_free(&judged);
    return status;
}

static void copy_joints(const hf_retarget_work* w, double* q, bool back) {
    size_t n = (size_t)w->creature.creature->view.q_count;
    for (int f = 0; f < w->schedule->knot_count; f++) {
        double *row = q + (size_t)f * n, *knot = w->schedule->knots[f].q;
        memcpy(back ? knot : row, back ? row : knot, sizeof *q * n);
    }
}

/* Puts limbs onto their holds where that adds no fault. */
static hf_status settle_again(hf_retarget_work* w, const hf_scene* scene) {
    bool moved = false;
    int before, after = 0;
    size_t size = (size_t)w->schedule->knot_count * (size_t)w->creature.creature->view.q_count + 1;
    hf_workspace_mark mark = hf_workspace_begin(w->workspace);
    double* q = hf_workspace_take(w->workspace, size, sizeof *q);
    if (q) copy_joints(w, q, false);
    hf_status status = q ? settle_all(w, &moved) : HF_ERROR_MEMORY;
    if (status == HF_OK && moved) status = count_faults(w, scene, &after);
    // what was judged after the work was cancelled has no meaning
    bool stays = status == HF_OK && !hf_workspace_cancelled(w->workspace);
    if (q && (!stays || after > 0)) copy_joints(w, q, true);
    if (stays && after > 0) {
        status = count_faults(w, scene, &before);
        stays = status == HF_OK && !hf_workspace_cancelled(w->workspace) && after <= before;
        if (stays) status = settle_all(w, &moved);
    }
    hf_workspace_end(w->workspace, mark);
    return status;
}

/* Holds begin later and end earlier where their contacts slide, if that adds no fault: a foot may be a little
   deeper in what it touches. */
static hf_status trim_ends(hf_retarget_work* w, const hf_scene* scene) {
    trims t = {0};
    int before, after = 0;
    hf_status status = HF_OK;
    for (int i = 0; i < w->held_count && status == HF_OK; i++) {
        hf_held_phase* h = &w->held[i];
        if (!h->dropped && h->anchored && h->frozen) status = trim_phase(w, h, &t);
    }
    hold_trims(&t, false);
    if (status == HF_OK && t.count) status = count_faults(w, scene, &after);
    bool stays = status == HF_OK && !hf_workspace_cancelled(w->workspace);
    if (!stays || after > 0) hold_trims(&t, true);
    if (stays && after > 0) {
        status = count_faults(w, scene, &before);
        if (status == HF_OK && !hf_workspace_cancelled(w->workspace) && after <= before)
            hold_trims(&t, false);
    }
    hf_free(t.items);
    return status == HF_OK ? hf_retarget_holds(w) : status;
}

/* Moves of kept contacts that slide, one fault for each frame from which one does. */
static hf_status list_slides(hf_retarget_work* w, hf_realise_result* slides) {
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* h = &w->held[i];
        if (h->dropped || !h->anchored || !h->frozen) continue;
        hf_vec3 before = {0, 0, 0};
        for (int f = h->phase->first; f <= last_frame(w, h); f++) {
            if (!is_kept(h, f)) continue;
            hf_vec3 at = contact_at(w, h, f).position;
            bool slid = is_kept(h, f - 1) && hf_distance(at, before) * w->schedule->rate > SLIDES_M_S;
            before = at;
            if (!slid) continue;
            if (!HF_GROW(slides->faults, slides->fault_capacity, slides->fault_count)) return HF_ERROR_MEMORY;
            slides->faults[slides->fault_count++] =
                (hf_frame_fault){.kind = HF_FAULT_SLIPS, .frame = f, .limb = h->phase->limb};
        }
    }
    return HF_OK;
}

/* Where a limb is at its limits the body goes along for it. */
static hf_status clear_slides(hf_retarget_work* w, const hf_scene* scene) {
    hf_realise_result slides = {0};
    hf_clear_job job = {.creature = w->creature.creature,
                        .scene = scene,
                        .placement = w->finder.placement,
                        .schedule = w->schedule,
                        .workspace = w->workspace,
                        .anchors = w->anchors,
                        .slide_m = SLIDES_M_S / w->schedule->rate};
    int left;
    hf_status status = hf_scene_moves(scene) ? HF_OK : list_slides(w, &slides);
    if (status == HF_OK && slides.fault_count) status = hf_clear_faults(&job, &slides, &left);
    hf_realise_result_free(&slides);
    return status;
}

hf_status hf_retarget_steady(hf_retarget_work* w, const hf_scene* scene) {
    bool goes = hf_workspace_goes_on(w->workspace);
    hf_status status = goes ? settle_again(w, scene) : HF_OK;
    if (status == HF_OK && goes) status = trim_ends(w, scene);
    if (status == HF_OK && goes) status = clear_slides(w, scene);
    w->cancelled |= hf_workspace_cancelled(w->workspace);
    return status;
}
