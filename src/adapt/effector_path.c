/* Paths of effectors: where the clip has them, led to where they are held. Over the time of a reach before
   and after a hold, the difference between the clip and the hold fades. */
#include "adapt/retarget.h"
#include "base/ease.h"
#include "model/tolerance.h"

#include <math.h>
#include <stdio.h>

/* Weights, per metre or radian, against 1 for a metre of a bone's end. Free feet matter more than free hands,
   which only have to arrive. */
static const double FREE_FOOT = 0.5, FREE_FOOT_TURN = 0.15, ARRIVING_TURN = 3;

static hf_effector_wish* wish_of(hf_retarget_work* w, int frame, int role) {
    return &w->wishes[(size_t)frame * HF_MAX_MARKED + (size_t)role];
}

const hf_contact_frame* hf_held_contact(const hf_retarget_work* w, const hf_phase* p) {
    return &hf_creature_get(w->creature.creature)->limbs[p->limb].contacts[p->frame];
}

bool hf_retarget_touches(const hf_retarget_work* w, hf_vec3 point, int object) {
    hf_surface near[16];
    int count = hf_placement_within(w->finder.placement, point, HF_CONTACT_M, near, 16);
    for (int i = 0; i < count && i < 16; i++)
        if (near[i].object == object) return true;
    return false;
}

double hf_lead_share(const hf_retarget_work* w, const hf_held_phase* h, int frame) {
    int length = (int)(HF_LEAD_S / w->clip.clip->frame_time_s);
    int away = frame < h->first ? h->first - frame : frame > h->last ? frame - h->last : 0;
    return 1 - hf_ease_cubic((double)away / (length + 1));
}

/* What the clip does, at the place of the creature's own contact. */
static void follow_clip(hf_retarget_work* w, int frame) {
    const hf_creature_view* v = hf_creature_get(w->creature.creature);
    hf_clip_body_set(&w->clip, frame);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        if (!w->clip.limbs[role].there) continue;
        bool leg = hf_role_is_leg(role);
        const hf_contact_frame* c = &v->limbs[w->creature.limbs[role].limb].contacts[0];
        *wish_of(w, frame, role) =
            (hf_effector_wish){hf_clip_contact_point(&w->finder, role, 0, w->depths[role]),
                               hf_clip_link_turn(&w->finder, w->clip.limbs[role].lower, c->link),
                               leg ? (float)FREE_FOOT : 0, leg ? (float)FREE_FOOT_TURN : 0};
    }
}

/* The link of a contact frame, turned by the least until the frame lies against the surface. */
static hf_quat lay_flat(hf_quat turn, hf_vec3 own, hf_vec3 normal) {
    hf_vec3 now = hf_rotate(turn, own);
    return hf_quat_normalize(hf_quat_mul(hf_quat_between(now, hf_neg(normal)), turn));
}

bool hf_held_beside(const hf_held_phase* a, const hf_held_phase* b) {
    return a->phase->limb == b->phase->limb &&
           (a->phase->last + 1 == b->phase->first || b->phase->last + 1 == a->phase->first);
}

/* The phase of the same foot with its sole down that ends where this one begins, or the other way round. */
static const hf_held_phase* sole_beside(const hf_retarget_work* w, const hf_held_phase* h) {
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* o = &w->held[i];
        if (o != h && o->phase->frame == 0 && !o->dropped && hf_held_beside(o, h)) return o;
    }
    return NULL;
}

/* The toes of the foot that stands there are beyond the edge: its sole holds on. */
static void stay_on_sole(hf_held_phase* h, const hf_held_phase* sole) {
    h->phase->frame = sole->phase->frame;
    h->phase->point = sole->phase->point;
    h->anchor = sole->anchor;
    h->flat = sole->flat;
    h->for_toes = true;
    snprintf(h->phase->why, sizeof h->phase->why,
             "the toes of the foot that stands there are beyond the edge: its sole holds");
}

/* Where the hold keeps the limb's link. */
static void decide_anchor(hf_retarget_work* w, hf_held_phase* h) {
    hf_phase* p = h->phase;
    const hf_contact_frame* c = hf_held_contact(w, p);
    hf_clip_body_set(&w->clip, (p->first + p->last) / 2);
    h->anchored = true;
    h->flat = c->ball == 0 && (c->patch[0] > 0 || c->patch[1] > 0);
    h->frozen = !h->flat;
    h->anchor.flat = h->flat;
    h->anchor.point = hf_add(p->point, hf_scale(p->normal, c->ball));
    if (!h->foot && h->role >= 0) return;
    /* The clip says how soles and seats lie in the middle of their phases. Creatures that arrive late would
       keep a turn of their way there for the whole phase. */
    int joint = h->foot ? w->clip.limbs[h->role].lower : w->clip.root;
    h->anchor.rotation = lay_flat(hf_clip_link_turn(&w->finder, joint, c->link), c->normal, p->normal);
    if (p->frame == 0) h->frozen = true;
    const hf_held_phase* sole = p->frame ? sole_beside(w, h) : NULL;
    if (!sole) return;
    /* The toes stay where the flat foot has them. */
    const hf_contact_frame* flat = hf_held_contact(w, sole->phase);
    hf_transform foot = {.rotation = sole->anchor.rotation};
    foot.position = hf_sub(sole->anchor.point, hf_rotate(foot.rotation, flat->offset));
    hf_transform toe =
        hf_compose(foot, hf_compose(hf_inverse(w->creature.rest[flat->link]), w->creature.rest[c->link]));
    h->anchor.rotation = lay_flat(toe.rotation, c->normal, sole->phase->normal);
    hf_vec3 at = hf_apply(toe, c->offset);
    double above = hf_dot(hf_sub(at, sole->phase->point), sole->phase->normal);
    p->normal = sole->phase->normal;
    p->object = sole->phase->object;
    p->point = hf_sub(at, hf_scale(p->normal, above));
    h->anchor.point = p->point;
    if (!h->dropped && !hf_retarget_touches(w, p->point, p->object)) stay_on_sole(h, sole);
}

static void lead_anchor(hf_retarget_work* w, hf_held_phase* h) {
    hf_clip_body_set(&w->clip, h->first);
    h->ahead = hf_sub(h->anchor.point, w->clip.now[h->joint].position);
    hf_clip_body_set(&w->clip, h->last);
    h->behind = hf_sub(h->anchor.point, w->clip.now[h->joint].position);
}

/* Leads the effector's path to one end of a hold: from `edge`, going away by `way` (1 or -1) frames. */
static void lead(hf_retarget_work* w, const hf_held_phase* h, int edge, int way, int lasts) {
    int length = (int)(HF_LEAD_S / w->clip.clip->frame_time_s);
    if (lasts < length) length = lasts;
    if (edge < 0 || edge >= w->frames || length < 1) return;
    const hf_effector_wish* at = wish_of(w, edge, h->role);
    hf_vec3 off = hf_sub(h->anchor.point, at->point);
    hf_quat turn = hf_quat_mul(h->anchor.rotation, hf_quat_conj(at->turn));
    bool leg = hf_role_is_leg(h->role);
    for (int k = 1; k <= length; k++) {
        int frame = edge + way * k;
        if (frame < 0 || frame >= w->frames) break;
        hf_effector_wish* to = wish_of(w, frame, h->role);
        double share = 1 - hf_ease_cubic((double)k / (length + 1));
        to->point = hf_add(to->point, hf_scale(off, share));
        to->point_weight = fmaxf(to->point_weight, (float)(HF_ARRIVING * share * share));
        if (!leg || !h->foot) continue;
        to->turn = hf_quat_mul(hf_quat_slerp(hf_quat_identity(), turn, share), to->turn);
        to->turn_weight = fmaxf(to->turn_weight, (float)(ARRIVING_TURN * share * share));
    }
}

/* Frames from a hold's end until another hold of the limb begins, or the clip ends. A foot that stands on its
   toes goes on to where its sole comes down. */
static int free_frames(const hf_retarget_work* w, const hf_held_phase* h, int edge, int way) {
    int least = w->frames;
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* o = &w->held[i];
        if (o == h || o->dropped || o->role != h->role) continue;
        if (way < 0 && o->phase->frame > 0 && o->phase->limb == h->phase->limb) continue;
        int gap = way > 0 ? o->first - edge - 1 : edge - o->last - 1;
        if (gap >= 0 && gap < least) least = gap;
    }
    return least;
}

void hf_retarget_paths(hf_retarget_work* w) {
    for (int f = 0; f < w->frames; f++) follow_clip(w, f);
    for (int pass = 0; pass < 2; pass++) { /* soles first: toes follow them */
        for (int i = 0; i < w->held_count; i++)
            if ((w->held[i].phase->frame > 0) == pass && !w->held[i].anchored) decide_anchor(w, &w->held[i]);
        if (pass == 0) hf_retarget_apart(w);
    }
    for (int i = 0; i < w->held_count; i++) lead_anchor(w, &w->held[i]);
    for (int i = 0; i < w->held_count; i++) {
        hf_held_phase* h = &w->held[i];
        if (h->dropped || h->role < 0 || h->phase->frame != 0 ||
            h->phase->limb != w->creature.limbs[h->role].limb)
            continue;
        lead(w, h, h->first, -1, free_frames(w, h, h->first, -1));
        lead(w, h, h->last, 1, free_frames(w, h, h->last, 1));
    }
}
