/* What a round of a retargeting did not bring about: holds that are out of reach move, end earlier or are
   given up, bodies that collide get more room. */
#include "adapt/retarget.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <math.h>
#include <stdio.h>

/* Room that a fault adds for its body, m, over this time before and after, s. */
static const double MORE_M = 0.006, MORE_S = 0.1;
/* The most room that a body gets, m: more would take limbs off their holds. */
static const double MOST_M = 3 * MORE_M;
/* A hold that its limb misses by more on average is given up: it would only pull the body about, m. */
static const double FAR_M = 0.01;
/* Part of the limb's length by which a hold may be moved to where the limb comes. */
static const double MOVE_SHARE = 0.3;

/* ---- holds ---- */

/* The surface of the phase's object next to where the limb came, facing as before; false when there is none
   near. */
static bool move_hold(hf_retarget_work* w, hf_held_phase* h) {
    const hf_limb* limb = &w->creature.creature->view.limbs[h->phase->limb];
    hf_vec3 reached = hf_scale(h->reached, 1.0 / h->measured);
    hf_surface near[64];
    double reach = MOVE_SHARE * limb->length, best = reach;
    int count = hf_placement_within(w->finder.placement, reached, reach, near, 64);
    hf_phase* p = h->phase;
    hf_vec3 point = p->point;
    for (int i = 0; i < count && i < 64; i++)
        if (near[i].object == p->object && hf_dot(near[i].normal, p->normal) > 0.95 &&
            near[i].distance < best)
            best = near[i].distance, point = near[i].point;
    double moved = hf_distance(point, p->point);
    if (moved < HF_TOUCH_M || p->moved_m + moved > reach) return false;
    p->point = point;
    p->moved_m += moved;
    snprintf(p->why, sizeof p->why, "the limb does not reach the place that the clip touches");
    return true;
}

/* Rounds in which only the farthest one of the holds that are missed at the same time is given up. */
enum { PATIENT_ROUNDS = 2 };

/* How far a limb stays from a hold that it mostly misses, on average in this round; 0 for others. */
static double misses_by(const hf_held_phase* h) {
    return h->missed <= h->held || h->measured == 0 ? 0 : h->off_m / h->measured;
}

/* Is no hold that lasts at the same time missed by more? One that is far out of reach draws the body away
   from the others, which may be reached without it. */
static bool is_farthest(const hf_retarget_work* w, const hf_held_phase* h) {
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* o = &w->held[i];
        bool meet = o != h && o->first <= h->last && h->first <= o->last;
        if (meet && (misses_by(o) > misses_by(h) || (misses_by(o) == misses_by(h) && o < h))) return false;
    }
    return true;
}

bool hf_mend_holds(hf_retarget_work* w, int round) {
    bool changed = false, last = round >= PATIENT_ROUNDS || round + 1 >= w->options->rounds;
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        if (h->dropped || !(misses_by(h) > 0)) continue;
        bool moved = round == 0 && move_hold(w, h);
        h->dropped = !moved && misses_by(h) > FAR_M && (last || is_farthest(w, h));
        if (h->dropped)
            snprintf(h->phase->why, sizeof h->phase->why, "the limb stays %.0f mm away",
                     1e3 * h->off_m / h->measured);
        if (!moved && !h->dropped) continue;
        changed = true;
        hf_retarget_again(w, h->phase->first, h->phase->last, HF_LEAD_S);
    }
    return changed;
}

/* ---- collisions ---- */

static void add_room(hf_retarget_work* w, int frame, int body) {
    int around = (int)(MORE_S / w->clip.clip->frame_time_s) + 1;
    for (int f = frame - around; f <= frame + around; f++)
        if (f >= 0 && f < w->frames) {
            float* more = &w->more[(size_t)f * (size_t)w->body_count + (size_t)body];
            double wanted = (double)*more + MORE_M * (1 - fabs((double)(f - frame)) / (around + 1));
            *more = (float)fmin(wanted, MOST_M);
        }
    hf_retarget_again(w, frame, frame, MORE_S);
}

bool hf_mend_collisions(hf_retarget_work* w, const hf_realise_result* r) {
    bool changed = false;
    int around = (int)(MORE_S / w->clip.clip->frame_time_s) + 1;
    for (int i = 0, last = -w->frames, body = -1; i < r->fault_count; i++) {
        const hf_frame_fault* f = &r->faults[i];
        if (f->kind != HF_FAULT_COLLIDES || f->frame >= w->frames) continue;
        changed = true;
        if (f->collision.body == body && f->frame - last < around / 2) continue;
        last = f->frame, body = f->collision.body;
        add_room(w, f->frame, body);
        if (f->collision.other_body >= 0) add_room(w, f->frame, f->collision.other_body);
    }
    return changed;
}

/* ---- letting go ---- */

/* The limb that holds with this body holds later or lets go earlier, where the frame is near that end of the
   hold. */
static bool let_go(hf_retarget_work* w, int frame, int body) {
    bool changed = false;
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        int link = w->creature.creature->view.bodies[body].link;
        if (!hf_held_lasts(h, frame) || !hf_link_in_limb(w->creature.creature, link, h->phase->limb))
            continue;
        bool early = frame - h->first < h->last - frame;
        int gone = early ? frame - h->first : h->last - frame;
        if (gone * w->clip.clip->frame_time_s > HF_LEAD_S) continue;
        int first = early ? frame + 1 : h->first, last = early ? h->last : frame - 1;
        h->dropped = first > last;
        if (!h->dropped) h->first = first, h->last = last;
        for (int f = h->phase->first; f <= h->phase->last; f++)
            if (!hf_held_lasts(h, f)) h->kept[f - h->phase->first] = false;
        snprintf(h->phase->why, sizeof h->phase->why, "%s is in the way while the limb holds",
                 w->creature.creature->view.links[link].name);
        changed = true;
    }
    return changed;
}

bool hf_mend_let_go(hf_retarget_work* w, const hf_realise_result* r) {
    bool changed = false;
    for (int i = 0; i < r->fault_count; i++) {
        const hf_frame_fault* f = &r->faults[i];
        if (f->kind != HF_FAULT_COLLIDES || f->frame >= w->frames) continue;
        changed |= let_go(w, f->frame, f->collision.body);
        if (f->collision.other_body >= 0) changed |= let_go(w, f->frame, f->collision.other_body);
    }
    return changed;
}
