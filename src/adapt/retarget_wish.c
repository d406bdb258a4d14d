/* What a frame of a clip asks of the creature: directions of bones, turns of trunk and hands, paths of feet
   and hands, holds, and room from the scene. */
#include "adapt/retarget.h"
#include "model/creature.h"

#include <math.h>

/* Weights of wishes, per metre or radian. A bone's end 1 m off counts 1. Turns of pelvis and chest: a radian
   is as bad as a bone 0.3 m off. Holds stand far above, pushes out of obstacles almost as far. */
static const double BONE = 1, TRUNK_TURN = 0.3, HAND_TURN = 0.1, HIPS[3] = {0.3, 0.3, 0.2};
static const double HOLD = 30, HOLD_TURN = 10, PUSH = 15;
/* Time around a hold in which its limb may be near its surface, s. */
static const double NEAR_S = 0.15;
enum { MAX_TOUCHES = 32 };

static hf_vec3 clip_way(const hf_clip_body* c, int from, int to) {
    return hf_normalize(hf_sub(c->now[to].position, c->now[from].position));
}

static double rest_length(const hf_creature_body* b, hf_mark from, hf_mark to) {
    return hf_distance(hf_apply(b->rest[from.link], from.offset), hf_apply(b->rest[to.link], to.offset));
}

static void wish_bones(hf_retarget_work* w, int role) {
    const hf_clip_limb* c = &w->clip.limbs[role];
    const hf_creature_limb* l = &w->creature.limbs[role];
    hf_vec3 upper = clip_way(&w->clip, c->upper, c->middle), lower = clip_way(&w->clip, c->middle, c->lower);
    hf_follow_way(&w->follower, l->upper, l->middle,
                  hf_scale(upper, rest_length(&w->creature, l->upper, l->middle)), BONE);
    hf_follow_way(&w->follower, l->middle, l->lower,
                  hf_scale(lower, rest_length(&w->creature, l->middle, l->lower)), BONE);
}

/* The hand points as the clip's, and its palm faces as the clip's where the knuckles tell. */
static void wish_hand(hf_retarget_work* w, int role) {
    const hf_clip_limb* c = &w->clip.limbs[role];
    const hf_creature_limb* l = &w->creature.limbs[role];
    const hf_contact_frame* f = &hf_creature_get(w->creature.creature)->limbs[l->limb].contacts[0];
    hf_vec3 own =
        hf_sub(f->offset, hf_unapply(w->creature.rest[f->link], w->creature.rest[l->lower.link].position));
    if (f->ball == 0) own = hf_sub(own, hf_scale(f->normal, hf_dot(own, f->normal)));
    if (c->tip < 0 || hf_length(own) < 1e-3) return;
    hf_vec3 ahead = clip_way(&w->clip, c->lower, c->tip);
    hf_follow_direction(&w->follower, f->link, hf_normalize(own), ahead, HAND_TURN);
    if (c->thumb_side < 0 || c->far_side < 0 || f->ball > 0) return;
    /* Left hand, fingers ahead, thumb to the right: ahead x (to the thumb) points out of the back of the
     * hand. */
    hf_vec3 back = hf_cross(ahead, clip_way(&w->clip, c->far_side, c->thumb_side));
    if (role == HF_RIGHT_ARM) back = hf_neg(back);
    hf_follow_direction(&w->follower, f->link, f->normal, hf_neg(hf_normalize(back)), HAND_TURN);
}

/* Pelvis and chest turn as the clip's; the hips are over the clip's, as high over the lower foot as the legs
   are long. */
static void wish_trunk(hf_retarget_work* w) {
    hf_follow_turn(&w->follower, 0, hf_clip_link_turn(&w->finder, w->clip.root, 0), TRUNK_TURN);
    if (w->creature.chest > 0)
        hf_follow_turn(&w->follower, w->creature.chest,
                       hf_clip_link_turn(&w->finder, w->clip.chest, w->creature.chest), TRUNK_TURN);
    const hf_clip_limb *l = &w->clip.limbs[HF_LEFT_LEG], *r = &w->clip.limbs[HF_RIGHT_LEG];
    if (!l->there || !r->there) {
        hf_follow_point(&w->follower, 0, hf_v3(0, 0, 0), w->clip.now[w->clip.root].position, HIPS[0]);
        return;
    }
    hf_vec3 hips = hf_lerp(w->clip.now[l->upper].position, w->clip.now[r->upper].position, 0.5);
    double foot = fmin(w->clip.now[l->lower].position.z, w->clip.now[r->lower].position.z);
    hips.z -= (1 - w->finder.scale) * fmax(0, hips.z - foot);
    hf_follow_middle(&w->follower, w->creature.limbs[HF_LEFT_LEG].upper,
                     w->creature.limbs[HF_RIGHT_LEG].upper, hips, HIPS);
}

/* Is the sole or hand held? A foot on its toes is still led to where its sole comes down. */
static bool limb_is_held(const hf_retarget_work* w, int role, int frame) {
    for (int i = 0; i < w->held_count; i++)
        if (w->held[i].role == role && hf_held_lasts(&w->held[i], frame) && w->held[i].phase->frame == 0 &&
            w->held[i].phase->limb == w->creature.limbs[role].limb)
            return true;
    return false;
}

static void wish_effectors(hf_retarget_work* w, int frame) {
    const hf_creature_view* v = &w->creature.creature->view;
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        if (!w->clip.limbs[role].there || limb_is_held(w, role, frame)) continue;
        const hf_effector_wish* e = &w->wishes[(size_t)frame * HF_MAX_MARKED + (size_t)role];
        const hf_contact_frame* c = &v->limbs[w->creature.limbs[role].limb].contacts[0];
        if (e->point_weight > 0)
            hf_follow_point(&w->follower, c->link, c->offset, e->point, (double)e->point_weight);
        if (e->turn_weight > 0) hf_follow_turn(&w->follower, c->link, e->turn, (double)e->turn_weight);
    }
}

/* Toes on a link of their own lie flat while the sole does: they hold next. */
static void wish_toes(hf_retarget_work* w, const hf_held_phase* h, double firm) {
    const hf_limb* limb = &w->creature.creature->view.limbs[h->phase->limb];
    for (int i = 1; i < limb->contact_count && h->foot && h->phase->frame == 0; i++) {
        const hf_contact_frame* c = &limb->contacts[i];
        if (c->link != limb->effector_link)
            hf_follow_direction(&w->follower, c->link, c->normal, hf_neg(h->phase->normal), firm * HOLD_TURN);
    }
}

static void wish_holds(hf_retarget_work* w, int frame, double firm) {
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* h = &w->held[i];
        if (!hf_held_lasts(h, frame)) continue;
        const hf_contact_frame* c = hf_held_contact(w, h->phase);
        wish_toes(w, h, firm);
        hf_follow_point(&w->follower, c->link, c->offset, h->anchor.point, firm * HOLD);
        if (h->flat && h->frozen)
            hf_follow_turn(&w->follower, c->link, h->anchor.rotation, firm * HOLD_TURN);
        else if (h->flat)
            hf_follow_direction(&w->follower, c->link, c->normal, hf_neg(h->phase->normal), firm * HOLD_TURN);
    }
}

/* Knees, elbows and the seat are led to their holds, and patches other than soles turned to their surfaces.
 */
static void wish_arrivals(hf_retarget_work* w, int frame) {
    for (int i = 0; i < w->held_count; i++) {
        const hf_held_phase* h = &w->held[i];
        double share = h->dropped || h->foot || hf_held_lasts(h, frame) ? 0 : hf_lead_share(w, h, frame);
        if (!(share > 0)) continue;
        const hf_contact_frame* c = hf_held_contact(w, h->phase);
        hf_vec3 off = frame < h->first ? h->ahead : h->behind;
        hf_vec3 point = hf_add(w->clip.now[h->joint].position, off);
        bool main_limb = h->role >= 0 && w->creature.limbs[h->role].limb == h->phase->limb;
        if (!main_limb) hf_follow_point(&w->follower, c->link, c->offset, point, HF_ARRIVING * share * share);
        if (h->flat)
            hf_follow_direction(&w->follower, c->link, c->normal, hf_neg(h->phase->normal),
                                HOLD_TURN * share * share);
    }
}

static int list_touches(const hf_retarget_work* w, int frame, hf_push_touch* touches) {
    int near = (int)(NEAR_S / w->clip.clip->frame_time_s), count = 0;
    for (int i = 0; i < w->held_count && count < MAX_TOUCHES; i++) {
        const hf_held_phase* h = &w->held[i];
        if (h->dropped || frame < h->first - near || frame > h->last + near) continue;
        touches[count++] =
            (hf_push_touch){h->phase->limb, h->phase->object, h->flat && hf_held_lasts(h, frame)};
    }
    return count;
}

void hf_retarget_wish(hf_retarget_work* w, int frame, double firm) {
    hf_push_touch touches[MAX_TOUCHES];
    hf_follow_clear(&w->follower);
    wish_trunk(w);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        if (!w->clip.limbs[role].there) continue;
        wish_bones(w, role);
        if (!hf_role_is_leg(role)) wish_hand(w, role);
    }
    wish_effectors(w, frame);
    wish_arrivals(w, frame);
    wish_holds(w, frame, firm);
    hf_push_add(&w->push, &w->follower, w->finder.placement, touches, list_touches(w, frame, touches),
                w->options->clearance_m, w->more + (size_t)frame * (size_t)w->body_count, PUSH);
}
