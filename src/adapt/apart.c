/* Feet side by side: people stand with their feet closer together than robots can, and joints of captures lie
   nearer to each other than the people's did. Feet that stand at the same time and would be in each other
   move apart, each by half of the overlap, along the direction in which the overlap is least. */
#include "adapt/retarget.h"

#include <math.h>

/* Feet on surfaces whose heights differ by more do not meet, m. */
static const double LEVEL_M = 0.05;
/* Between two feet, m: bodies are a little larger than their contacts. */
static const double ROOM_M = 0.012;
/* Feet that stand within this time of each other meet, too, s: one leaves while the other comes. */
static const double TIME_S = 0.1;
/* Feet that overlap by less stay, m: a shift has its frames solved again. */
static const double LEAST_M = 1e-4;
/* Times that all pairs are looked at: a foot that gives way to one can come into another. */
enum { SWEEPS = 4 };

/* A foot on the ground: a rectangle. */
typedef struct foot {
    hf_vec3 middle, ahead, aside;
    double half_length, half_width;
} foot;

static foot foot_of(const hf_retarget_work* w, const hf_held_phase* h) {
    const hf_contact_frame* sole = hf_held_contact(w, h->phase);
    const hf_transform* rest = w->creature.rest;
    hf_vec3 from = hf_apply(rest[sole->link], sole->offset), n = h->phase->normal;
    hf_foot_span span = hf_creature_foot(&w->creature, h->phase->limb, from);
    foot f = {.half_width = span.half_width};
    hf_quat turn = hf_quat_mul(h->anchor.rotation, hf_quat_conj(rest[sole->link].rotation));
    hf_vec3 ahead = hf_rotate(turn, hf_v3(1, 0, 0));
    f.ahead = hf_normalize(hf_sub(ahead, hf_scale(n, hf_dot(ahead, n))));
    f.aside = hf_cross(n, f.ahead);
    f.half_length = 0.5 * (span.high - span.low);
    f.middle = hf_add(h->phase->point, hf_scale(f.ahead, 0.5 * (span.high + span.low)));
    return f;
}

static double half_span(const foot* f, hf_vec3 way) {
    return fabs(hf_dot(f->ahead, way)) * f->half_length + fabs(hf_dot(f->aside, way)) * f->half_width;
}

/* How the second foot has to move to be out of the first one; zero where it is. */
static hf_vec3 way_out(const foot* a, const foot* b) {
    const hf_vec3 axes[4] = {a->aside, a->ahead, b->aside, b->ahead};
    hf_vec3 d = hf_sub(b->middle, a->middle), best = {0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        double along = hf_dot(d, axes[i]);
        double overlap = half_span(a, axes[i]) + half_span(b, axes[i]) + ROOM_M - fabs(along);
        if (overlap <= LEAST_M) return hf_v3(0, 0, 0);
        if (overlap < least) least = overlap, best = hf_scale(axes[i], along < 0 ? -overlap : overlap);
    }
    return best;
}

static bool meet(const hf_retarget_work* w, const hf_held_phase* a, const hf_held_phase* b) {
    int near = (int)(TIME_S / w->clip.clip->frame_time_s);
    double above = hf_dot(hf_sub(b->phase->point, a->phase->point), a->phase->normal);
    return a->role != b->role && a->first <= b->last + near && b->first <= a->last + near &&
           fabs(above) < LEVEL_M;
}

static void shift_hold(hf_retarget_work* w, hf_held_phase* h, hf_vec3 by) {
    h->phase->point = hf_add(h->phase->point, by);
    h->anchor.point = hf_add(h->anchor.point, by);
    h->phase->moved_m += hf_length(by);
    hf_retarget_again(w, h->phase->first, h->phase->last, HF_LEAD_S);
}

/* Moves a hold along its surface; false where there is none. Toes of the foot find their place anew, and a
   sole that holds on in their place moves along. */
static bool shift(hf_retarget_work* w, hf_held_phase* h, hf_vec3 by) {
    hf_vec3 n = h->phase->normal;
    by = hf_sub(by, hf_scale(n, hf_dot(by, n)));
    if (!hf_retarget_touches(w, hf_add(h->phase->point, by), h->phase->object)) return false;
    shift_hold(w, h, by);
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* o = &w->held[i];
        if (o == h || o->dropped || !hf_held_beside(o, h)) continue;
        if (o->for_toes) {
            shift_hold(w, o, by);
        } else if (o->phase->frame > 0) {
            o->anchored = false;
            hf_retarget_again(w, o->phase->first, o->phase->last, HF_LEAD_S);
        }
    }
    return true;
}

/* Does the hold have a flat sole that can be moved by itself? */
static bool is_sole(const hf_held_phase* h) {
    return h->foot && h->flat && !h->phase->frame && !h->dropped && !h->for_toes;
}

static void part(hf_retarget_work* w, hf_held_phase* a, hf_held_phase* b) {
    foot first = foot_of(w, a), second = foot_of(w, b);
    hf_vec3 out = way_out(&first, &second), half = hf_scale(out, 0.5);
    if (!(hf_length(out) > 0)) return;
    if (!shift(w, a, hf_neg(half)))
        shift(w, b, out);
    else if (!shift(w, b, half))
        shift(w, a, hf_neg(half));
}

void hf_retarget_apart(hf_retarget_work* w) {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < w->held_count; i++)
            for (int j = 0; j < i; j++) {
                hf_held_phase *a = &w->held[j], *b = &w->held[i];
                if (is_sole(a) && is_sole(b) && meet(w, a, b)) part(w, a, b);
            }
}
