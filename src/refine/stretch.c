/* Stretches of a schedule. */
#include "refine/stretch.h"

#include "base/ease.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

static hf_status add_hold(hf_schedule* s, const hf_hold* hold, double from_s, double to_s) {
    if (!HF_GROW(s->holds, s->hold_capacity, s->hold_count)) return HF_ERROR_MEMORY;
    s->holds[s->hold_count++] = (hf_schedule_hold){*hold, from_s, to_s};
    return HF_OK;
}

/* The knots of the stretch: holds change at knots, so that its ends are among them. */
static hf_status cut_knots(const hf_schedule* whole, double from_s, double to_s, hf_schedule* out) {
    hf_status status = HF_OK;
    for (int i = 0; i < whole->knot_count && status == HF_OK; i++) {
        const hf_knot* k = &whole->knots[i];
        if (k->time_s < from_s - HF_SAME_S || k->time_s > to_s + HF_SAME_S) continue;
        double t = fmin(to_s - from_s, fmax(0, k->time_s - from_s));
        status = hf_schedule_add(out, NULL, t, &(hf_pose){k->root, k->q}, NULL, 0, k->stance);
    }
    return status;
}

/* The holds that last somewhere in the stretch, with where each of them is anchored. */
static hf_status cut_holds(const hf_schedule* whole, const hf_stance_list* list, double from_s, double to_s,
                           hf_stretch* s) {
    hf_status status = HF_OK;
    for (int i = 0; i < whole->hold_count && status == HF_OK; i++) {
        const hf_schedule_hold* h = &whole->holds[i];
        if (h->to_s < from_s - HF_SAME_S || h->from_s > to_s + HF_SAME_S) continue;
        int n = s->given->hold_count;
        s->hold_of[n] = i;
        s->list.held[n] = list->held[i];
        double end_s = to_s - from_s;
        status = add_hold(s->given, &h->hold, fmin(end_s, fmax(0, h->from_s - from_s)),
                          fmin(end_s, fmax(0, h->to_s - from_s)));
    }
    s->list.hold_count = s->given->hold_count;
    return status;
}

/* The phases with times that begin at 0, and with all that was learned of them before. */
static hf_status cut_phases(const hf_parts* all, int first, int count, hf_workspace* w, hf_parts* out) {
    *out = (hf_parts){.count = count, .items = hf_workspace_take(w, (size_t)count, sizeof *out->items)};
    if (!out->items) return HF_ERROR_MEMORY;
    memcpy(out->items, all->items + first, sizeof *out->items * (size_t)count);
    for (int i = count - 1; i >= 0; i--)
        out->items[i].from_s -= out->items[0].from_s, out->items[i].to_s -= all->items[first].from_s;
    for (int i = 0; i < count; i++) out->items[i].settled = out->items[i].faulty = false;
    hf_parts_add_up(out);
    return HF_OK;
}

hf_status hf_stretch_make(const hf_creature* creature, const hf_schedule* whole, const hf_parts* phases,
                          const hf_stance_list* list, int first, int count, hf_workspace* w, hf_stretch* s) {
    double from_s = phases->items[first].from_s, to_s = phases->items[first + count - 1].to_s;
    *s = (hf_stretch){.first = first, .count = count, .from_s = from_s, .best_s = to_s - from_s};
    s->ends = (first == 0 ? HF_END_FIRST : 0) | (first + count == phases->count ? HF_END_LAST : 0);
    s->list = *list;
    s->list.count = count;
    s->list.stances += first, s->list.bearing += first;
    s->list.limbs += (size_t)first * (size_t)list->limb_count;
    s->list.held = hf_workspace_take(w, (size_t)whole->hold_count + 1, sizeof *s->list.held);
    s->hold_of = hf_workspace_take(w, (size_t)whole->hold_count + 1, sizeof *s->hold_of);
    if (!s->list.held || !s->hold_of) return HF_ERROR_MEMORY;
    hf_status status = cut_phases(phases, first, count, w, &s->phases);
    if (status == HF_OK) status = hf_schedule_create(creature, whole->rate, &s->given);
    if (status == HF_OK) status = cut_knots(whole, from_s, to_s, s->given);
    if (status == HF_OK) status = cut_holds(whole, list, from_s, to_s, s);
    if (status == HF_OK) s->given->claims = whole->claims;
    return status;
}

void hf_stretch_free(hf_stretch* s) {
    hf_schedule_free(s->given);
    hf_schedule_free(s->best);
    hf_motion_free(s->motion);
    s->given = s->best = NULL;
    s->motion = NULL;
}

/* A change of holds in a schedule made of the stretch, and the same one as given. */
typedef struct change {
    double made_s, given_s;
} change;

static void narrow(change c, double time_s, change* before, change* after) {
    if (c.made_s <= time_s && c.made_s > before->made_s) *before = c;
    if (c.made_s >= time_s && c.made_s < after->made_s) *after = c;
}

double hf_stretch_given_time(const hf_stretch* s, const hf_schedule* made, double time_s) {
    const hf_schedule* given = s->given;
    change before = {0, 0},
           after = {made->knots[made->knot_count - 1].time_s, given->knots[given->knot_count - 1].time_s};
    for (int i = 0; i < made->hold_count && i < given->hold_count; i++) {
        narrow((change){made->holds[i].from_s, given->holds[i].from_s}, time_s, &before, &after);
        narrow((change){made->holds[i].to_s, given->holds[i].to_s}, time_s, &before, &after);
    }
    double lasts_s = after.made_s - before.made_s;
    double share = lasts_s > 0 ? fmin(1, fmax(0, (time_s - before.made_s) / lasts_s)) : 0;
    return s->from_s + before.given_s + share * (after.given_s - before.given_s);
}

enum { BLENDED = 10 }; /* frames over which a stretch leaves the last pose of the stretch before */

/* Adds the best of a stretch at a time: its first pose is the last of the stretch before, nearly, as each
   puts its limbs onto their holds by itself. What they differ by fades over some frames: at once it would be
   an acceleration. */
static hf_status append_knots(const hf_creature* creature, const hf_stretch* s, double began_s,
                              hf_schedule* out) {
    hf_status status = HF_OK;
    size_t n = (size_t)creature->view.v_count, size = n + (size_t)creature->view.q_count;
    double* off = hf_alloc(size + 1, sizeof *off);
    hf_pose moved = {.q = off ? off + n : NULL};
    if (!off) return HF_ERROR_MEMORY;
    if (began_s > 0) {
        const hf_knot *last = &out->knots[out->knot_count - 1], *first = &s->best->knots[0];
        hf_pose_difference(creature, &(hf_pose){first->root, first->q}, &(hf_pose){last->root, last->q}, off);
    }
    for (int i = began_s > 0; i < s->best->knot_count && status == HF_OK; i++) {
        const hf_knot* k = &s->best->knots[i];
        hf_pose pose = {k->root, k->q};
        double share = 1 - hf_ease((double)i / BLENDED);
        bool blends = began_s > 0 && i < BLENDED;
        if (blends) hf_pose_integrate(creature, &pose, off, share, &moved);
        status = hf_schedule_add(out, NULL, began_s + k->time_s, blends ? &moved : &pose, NULL, 0, k->stance);
    }
    hf_free(off);
    return status;
}

static hf_status append(const hf_creature* creature, const hf_stretch* s, double began_s, double* from_s,
                        double* to_s, hf_schedule* out) {
    for (int i = 0; i < s->best->hold_count; i++) {
        int h = s->hold_of[i];
        from_s[h] = fmin(from_s[h], began_s + s->best->holds[i].from_s);
        to_s[h] = fmax(to_s[h], began_s + s->best->holds[i].to_s);
    }
    return append_knots(creature, s, began_s, out);
}

double hf_stretch_end(const hf_stretch* s, double began_s, double rate) {
    return round((began_s + s->best_s) * rate) / rate;
}

hf_status hf_stretches_join(const hf_creature* creature, const hf_schedule* whole,
                            const hf_stretch* stretches, int count, double rate, hf_schedule** out) {
    size_t n = (size_t)whole->hold_count;
    double *times = hf_alloc(2 * n + 1, sizeof *times), began_s = 0;
    hf_status status = times ? hf_schedule_create(creature, rate, out) : HF_ERROR_MEMORY;
    for (size_t i = 0; times && i < n; i++) times[i] = INFINITY, times[n + i] = -INFINITY;
    for (int i = 0; i < count && status == HF_OK; i++) {
        status = append(creature, &stretches[i], began_s, times, times + n, *out);
        began_s = hf_stretch_end(&stretches[i], began_s, rate);
    }
    for (size_t i = 0; i < n && status == HF_OK; i++)
        status = add_hold(*out, &whole->holds[i].hold, times[i], times[n + i]);
    hf_free(times);
    return status;
}
