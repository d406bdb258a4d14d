/* Level 2: phases that are to blame for faults go elsewhere, are dropped, or fail (contact-repositioning-2016
   sections 5.2 and 5.3). */
#include "adapt/editor.h"

#include "adapt/refit.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Time that a limb has to go from the place of one part of a split phase to that of the other, and that each
   part lasts at least, s. */
static const double SWING_S = 0.6, PART_S = 0.4;
/* Places that are nearer to each other are one place, m. */
static const double SAME_M = 0.01;

static bool goes_on(hf_adapt_editor* e) {
    return e->passes < e->options.passes && hf_workspace_goes_on(e->bend.workspace);
}

static int blamed(const hf_adapt_editor* e, const hf_realise_result* faults, int phase) {
    int n = 0;
    for (int i = 0; i < faults->fault_count; i++) n += hf_places_blames(&e->bend, &faults->faults[i], phase);
    return n;
}

static void say_gone(hf_phase_plan* p) {
    snprintf(p->why, sizeof p->why, "its object has no surface any more");
}

/* The first reason for a phase to end, in words. */
static void say_why(hf_adapt_editor* e, const hf_realise_result* faults, int phase) {
    hf_phase_plan* p = &e->bend.phases[phase];
    if (p->why[0]) return;
    if (p->gone) {
        say_gone(p);
        return;
    }
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        if (!hf_places_blames(&e->bend, f, phase)) continue;
        snprintf(p->why, sizeof p->why, "where it was, frame %d %s", f->frame,
                 f->kind == HF_FAULT_SLIPS ? "is out of reach" : hf_frame_fault_text(f->kind));
        return;
    }
}

static void renew(hf_bend* b, int phase) {
    hf_bend_renew(b, b->source->phases[phase].first - 1, b->source->phases[phase].last + 1);
}

/* Do other limbs begin or end holds with a frame? */
static bool others_change(const hf_bend* b, int frame, int limb) {
    for (int i = 0; i < b->source->limb_count; i++)
        if (i != limb && hf_bend_holds(b, frame, i) != hf_bend_holds(b, frame - 1, i)) return true;
    return false;
}

/* Where one limb at a time changes, an end of a hold that is not the opened one's goes inwards to a frame in
   which no other limb changes. */
static void stagger(hf_bend* b, int phase) {
    hf_phase_plan* p = &b->phases[phase];
    int first, last, limb = b->source->phases[phase].hold.limb;
    if (!(b->source->schedule->claims & HF_CLAIM_ONE_LIMB)) return;
    hf_source_opened(b->source, phase, &first, &last);
    while (p->first > first && p->first < p->last && others_change(b, p->first, limb)) p->first++;
    while (p->last < last && p->first < p->last && others_change(b, p->last + 1, limb)) p->last--;
}

static void release(hf_bend* b, int phase) {
    b->phases[phase].mode = HF_PHASE_RELEASED;
    renew(b, phase);
}

static void settle(hf_bend* b, int phase, const hf_place* place) {
    hf_phase_plan* p = &b->phases[phase];
    p->mode = HF_PHASE_ELSEWHERE;
    p->hold = place->hold, p->local = place->local;
    p->first = place->first, p->last = place->last;
    p->h1 = place->h1, p->h2 = place->h2;
    stagger(b, phase);
    renew(b, phase);
}

/* Frames about the middle in which the limb gets there. */
static bool shrink(hf_bend* b, int phase) {
    hf_phase_plan* p = &b->phases[phase];
    int limb = b->source->phases[phase].hold.limb,
        middle = (b->source->phases[phase].first + b->source->phases[phase].last) / 2;
    int first = middle, last = middle;
    if (limb >= 32 || b->missed[middle] >> limb & 1) return false;
    while (first > p->first && !(b->missed[first - 1] >> limb & 1)) first--;
    while (last < p->last && !(b->missed[last + 1] >> limb & 1)) last++;
    bool shorter = first != p->first || last != p->last;
    p->first = first, p->last = last;
    stagger(b, phase);
    renew(b, phase);
    return shorter;
}

/* One place of a phase in the whole motion. */
static hf_status try_place(hf_adapt_editor* e, int phase, const hf_place* place, hf_realise_result* faults) {
    settle(&e->bend, phase, place);
    hf_status status = hf_adapt_pass(e, faults);
    bool shorter = status == HF_OK && blamed(e, faults, phase) && shrink(&e->bend, phase);
    return shorter ? hf_adapt_pass(e, faults) : status;
}

/* The motion without the phase; its frames are what places are looked for in. */
static hf_status without(hf_adapt_editor* e, int phase) {
    hf_bend* b = &e->bend;
    size_t f = (size_t)e->source.frame_count;
    release(b, phase);
    memset(b->root_push, 0, f * sizeof *b->root_push);
    memset(b->tip_push, 0, f * (size_t)e->source.limb_count * sizeof *b->tip_push);
    hf_status status = hf_bend_deltas(b);
    return status == HF_OK ? hf_bend_solve(b) : status;
}

/* What was tried for a phase. */
typedef struct search {
    int least; /* faults that blame the phase with the best plan */
    int all;   /* faults with it */
    hf_phase_plan best;
    int places;         /* that were found */
    hf_contact_why why; /* there are no more */
} search;

/* Does a limb without joints hold during the phase, whose object changed or that sits elsewhere? */
static bool is_seated(const hf_adapt_editor* e, int phase) {
    const hf_source_phase *all = e->source.phases, *p = &all[phase];
    for (int i = 0; i < e->source.phase_count; i++) {
        int object = all[i].hold.object;
        bool differs = e->bend.phases[i].mode != HF_PHASE_HELD || (object >= 0 && e->moved.changed[object]);
        bool seat = e->source.creature->view.limbs[all[i].hold.limb].joint_count == 0;
        if (seat && differs && all[i].first <= p->last && all[i].last >= p->first) return true;
    }
    return false;
}

/* The best plan is the one with the fewest faults that blame the phase. All faults count where somebody sits
   elsewhere, and so comes and goes another way, and where the phase is no longer held: then it is blamed for
   little. */
static void keep_best(hf_adapt_editor* e, int phase, const hf_realise_result* faults, search* x) {
    bool released = e->bend.phases[phase].mode == HF_PHASE_RELEASED, seated = is_seated(e, phase);
    bool fewer = faults->fault_count < x->all;
    int left = blamed(e, faults, phase);
    if (seated ? !fewer : left >= x->least || (released && !fewer)) return;
    x->least = left, x->all = faults->fault_count;
    x->best = e->bend.phases[phase];
}

/* Is a phase already held at a place? */
static bool is_there(const hf_phase_plan* p, const hf_hold* place) {
    return p->mode == HF_PHASE_ELSEWHERE && p->hold.object == place->object &&
           p->hold.frame == place->frame && p->hold.grip == place->grip &&
           hf_distance(p->hold.point, place->point) < SAME_M;
}

/* Looks for places of a phase and tries the best of them in the whole motion until no fault blames it. */
static hf_status try_places(hf_adapt_editor* e, int phase, hf_realise_result* faults, search* x) {
    hf_status status = without(e, phase);
    if (status == HF_OK) status = hf_places_find(&e->places, &e->bend, &e->options, phase, &x->why);
    x->places = e->places.count < e->options.tries ? e->places.count : e->options.tries;
    for (int i = 0; i < x->places && x->least > 0 && status == HF_OK; i++) {
        hf_place place = e->places.items[i];
        if (is_there(&x->best, &place.hold)) continue;
        status = try_place(e, phase, &place, faults);
        keep_best(e, phase, faults, x);
        if (!goes_on(e)) break;
    }
    return status;
}

/* One part of a phase: where its object went, at another place, or released. */
static hf_status place_part(hf_adapt_editor* e, int part, hf_realise_result* faults) {
    hf_bend* b = &e->bend;
    hf_phase_plan* p = &b->phases[part];
    search x = {.least = INT_MAX, .all = INT_MAX};
    hf_status status = HF_OK;
    hf_bend_plan(b, part);
    stagger(b, part);
    renew(b, part);
    if (!p->gone) {
        status = hf_adapt_pass(e, faults);
        keep_best(e, part, faults, &x);
    }
    if (x.least > 0 && status == HF_OK) status = try_places(e, part, faults, &x);
    if (x.least == 0)
        *p = x.best;
    else
        release(b, part);
    p->final = true;
    snprintf(p->why, sizeof p->why, "no single place lasts for the whole phase: split in two");
    renew(b, part);
    return status;
}

/* A phase that would be dropped is split in two, each part with a place of its own. The parts stay where one
   of them at least is held and no more faults are left than without the phase. */
static hf_status try_split(hf_adapt_editor* e, int phase, hf_realise_result* faults) {
    hf_bend* b = &e->bend;
    double rate = e->source.schedule->rate;
    int before = e->source.phase_count, least = faults->fault_count;
    hf_phase_plan dropped = b->phases[phase];
    int part = hf_source_split(&e->source, phase, (int)ceil(SWING_S * rate), (int)ceil(PART_S * rate));
    if (part < 0) return HF_OK;
    hf_bend_plan(b, part);
    release(b, part);
    hf_status status = place_part(e, phase, faults);
    if (status == HF_OK) status = place_part(e, part, faults);
    if (status == HF_OK) status = hf_adapt_pass(e, faults);
    bool held = b->phases[phase].mode != HF_PHASE_RELEASED || b->phases[part].mode != HF_PHASE_RELEASED;
    if (status != HF_OK || (held && faults->fault_count <= least)) return status;
    hf_source_join(&e->source, before);
    b->phases[phase] = dropped;
    renew(b, phase);
    return hf_adapt_pass(e, faults);
}

/* Phases that would be dropped, as long as passes are left for both parts of one. */
static hf_status split_dropped(hf_adapt_editor* e, hf_realise_result* faults) {
    hf_status status = HF_OK;
    for (int i = 0; i < e->source.schedule->hold_count && status == HF_OK; i++)
        if (e->bend.phases[i].mode == HF_PHASE_RELEASED && !hf_source_between(&e->source.phases[i]) &&
            goes_on(e))
            status = try_split(e, i, faults);
    return status;
}

static bool is_nowhere(const hf_phase_plan* p) { return p->gone && p->mode == HF_PHASE_HELD; }

/* Phases whose objects have no surface any more all go to their best places, or are released where there is
   none, before the motion is tested: as long as one of them is held nowhere, faults blame all others. Those
   that wait for a place keep their limbs where they were, and so the body. */
static hf_status place_gone(hf_adapt_editor* e, bool* moved) {
    hf_bend* b = &e->bend;
    hf_status status = HF_OK;
    for (int i = 0; i < e->source.phase_count && status == HF_OK; i++) {
        hf_contact_why why;
        if (!is_nowhere(&b->phases[i]) || !hf_workspace_goes_on(b->workspace)) continue;
        status = without(e, i);
        if (status == HF_OK) status = hf_places_find(&e->places, b, &e->options, i, &why);
        if (status == HF_OK && e->places.count) settle(b, i, &e->places.items[0]), *moved = true;
        say_gone(&b->phases[i]);
    }
    return status;
}

hf_status hf_adapt_begin(hf_adapt_editor* e, hf_realise_result* faults) {
    bool moved = false;
    double error_m;
    hf_status status = e->options.level > 1 ? place_gone(e, &moved) : HF_OK;
    if (status == HF_OK && moved) status = hf_relation_refit(&e->bend, &e->moved, &error_m);
    if (status == HF_OK) status = hf_adapt_pass(e, faults);
    // other places may have to be found: with descriptors of the surfaces alone
    if (status != HF_OK || !moved || !faults->fault_count || !goes_on(e)) return status;
    hf_moved_relation_reset(&e->relation, &e->moved);
    return hf_adapt_pass(e, faults);
}

static hf_status replace_one(hf_adapt_editor* e, int phase, hf_realise_result* faults) {
    hf_phase_plan* p = &e->bend.phases[phase];
    hf_phase_plan was = *p;
    search x = {.least = blamed(e, faults, phase), .all = faults->fault_count, .best = was};
    if (is_nowhere(&was)) x.least = x.all = INT_MAX;
    hf_status status = try_places(e, phase, faults, &x);
    if (x.least > 0 && status == HF_OK) {
        release(&e->bend, phase);
        status = hf_adapt_pass(e, faults);
        keep_best(e, phase, faults, &x);
        if (x.places == 0 && x.best.mode != HF_PHASE_HELD)
            snprintf(x.best.why + strlen(x.best.why), sizeof x.best.why - strlen(x.best.why),
                     "; elsewhere: %s", hf_contact_why_text(x.why));
    }
    // the best of all again
    memcpy(x.best.why, x.best.mode == HF_PHASE_RELEASED ? x.best.why : was.why, sizeof was.why);
    bool again = memcmp(&x.best, p, sizeof x.best) != 0;
    *p = x.best;
    p->final = true;
    if (again) renew(&e->bend, phase);
    return again && status == HF_OK ? hf_adapt_pass(e, faults) : status;
}

/* The phase that most faults blame: of those whose object changed, else of all. */
static int find_worst(const hf_adapt_editor* e, const hf_realise_result* faults) {
    int worst = -1, most = 0;
    for (int any = 0; any < 2 && worst < 0; any++)
        for (int i = 0; i < e->source.phase_count; i++) {
            int object = e->source.phases[i].hold.object;
            if (e->bend.phases[i].final || (!any && !(object >= 0 && e->moved.changed[object]))) continue;
            int n = blamed(e, faults, i);
            if (n > most) most = n, worst = i;
        }
    return worst;
}

/* Descriptors that say what the re-positioned limbs do now bend the motion beside them, too. They are kept
   where that leaves no more faults. */
static hf_status refit(hf_adapt_editor* e, hf_realise_result* faults) {
    bool any = false;
    for (int i = 0; i < e->source.phase_count; i++) any |= e->bend.phases[i].mode == HF_PHASE_ELSEWHERE;
    if (!any) return HF_OK;
    int before = faults->fault_count;
    double error_m;
    size_t size = (size_t)e->relation.count * sizeof *e->moved.items;
    hf_workspace_mark at = hf_workspace_begin(e->bend.workspace);
    hf_moved_descriptor* items =
        hf_workspace_take(e->bend.workspace, (size_t)e->relation.count + 1, sizeof *items);
    if (!items) return HF_ERROR_MEMORY;
    memcpy(items, e->moved.items, size);
    hf_status status = hf_relation_refit(&e->bend, &e->moved, &error_m);
    if (status == HF_OK) status = hf_adapt_pass(e, faults);
    if (status == HF_OK && faults->fault_count > before) {
        memcpy(e->moved.items, items, size);
        status = hf_adapt_pass(e, faults);
    }
    hf_workspace_end(e->bend.workspace, at);
    return status;
}

hf_status hf_adapt_replace(hf_adapt_editor* e, hf_realise_result* faults) {
    hf_status status = HF_OK;
    for (int round = 0; round < e->source.phase_count && status == HF_OK; round++) {
        int worst = find_worst(e, faults);
        if (worst < 0 || !goes_on(e)) break;
        say_why(e, faults, worst);
        status = replace_one(e, worst, faults);
    }
    if (status == HF_OK) status = split_dropped(e, faults);
    return status == HF_OK ? refit(e, faults) : status;
}
