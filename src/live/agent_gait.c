/* Which limbs an agent renews, and where they go. Groups of the gait take turns (thesis-2015 section 8.1, the
   ad-hoc controller of many legs); within a group, limbs that stand far from their place under the body. A
   goal is looked for from where the body will be in the middle of the limb's stance. */
#include "live/agent.h"
#include "base/rounding.h"

#include <math.h>

static const double MOVING_RAD_S = 0.03; /* a root that turns faster moves */
static const double BEHIND_SHARE = 0.3; /* of a half stride behind its place: a limb is renewed when moving */
static const double ASTRAY_SHARE = 0.6; /* and this far from it when standing */
static const double STRETCHED = 0.94;   /* share of its reach beyond which a limb is renewed in any case */
static const double BENDS_SHARE = 0.15; /* of a half stride off its place: a step bends a straight limb */
static const double STRETCH_NEED =
    10;                              /* half strides of need for each reach that a limb is stretched beyond */
static const double BLOCKS_NEED = 3; /* added to the need of a limb that holds the root back, half strides */
static const double QUERIES_A_SECOND = 60; /* one in a frame of most games: queries cost most of its time */
/* A swing that is stopped again after two new starts, each higher, is given up: the limb looks for another
   place. More starts lose time in front of steps, fewer give up places that can be reached. */
enum { MAX_RESTARTS = 2 };

static bool moving(const hf_agent* a) {
    return hf_length(a->root.velocity) > HF_AGENT_MOVING_M_S || fabs(a->root.turn) > MOVING_RAD_S;
}

/* How far a held limb is from where it should be, in half strides. */
static double need_of(const hf_agent* a, const hf_placement* placement, int limb) {
    const agent_limb* l = &a->limbs[limb];
    hf_vec3 up = hf_agent_up(a), home = hf_apply(a->pose.root, l->home.position);
    hf_transform object = hf_placement_pose(placement, l->at.hold.object);
    hf_vec3 d = hf_sub(home, hf_apply(object, l->at.hold.point));
    d = hf_sub(d, hf_scale(up, hf_dot(d, up)));
    double off = hf_length(d) / l->half_stride, need = off > ASTRAY_SHARE ? off - ASTRAY_SHARE : 0;
    if (moving(a)) {
        hf_vec3 arm = hf_sub(home, a->pose.root.position);
        hf_vec3 way = hf_normalize(hf_add(a->root.velocity, hf_scale(hf_cross(up, arm), a->root.turn)));
        double behind = hf_dot(d, way) / l->half_stride;
        need = behind > BEHIND_SHARE ? behind : 0;
    }
    hf_vec3 hip = hf_limb_base(a->creature, limb, a->links).position;
    double stretch = hf_distance(hip, hf_apply(object, l->at.anchor.point)) / l->reach;
    // the limb is nearly straight (by more than half of what its rest posture leaves), and a step bends it
    double most = fmax(STRETCHED, (1 + l->home_stretch) / 2);
    if (stretch > most && off > BENDS_SHARE) need = fmax(need, 1 + STRETCH_NEED * (stretch - most));
    // the body has turned, and the patch with its contact has not
    if (l->at.anchor.flat) {
        hf_quat now = hf_quat_mul(object.rotation, l->at.anchor.rotation);
        double turned = hf_quat_angle(now, hf_quat_mul(a->pose.root.rotation, l->home.rotation));
        if (turned > HF_AGENT_TURNED_RAD) need = fmax(need, turned / HF_AGENT_TURNED_RAD);
    }
    // a limb that holds the root back is renewed before all others
    if (l->blocks_s > 0) need += BLOCKS_NEED;
    return need;
}

/* ---- turns ---- */

/* Is a limb in the air, or chosen to be lifted? The others do not wait for a limb that found no way. */
static bool busy(const hf_agent* a) {
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if ((l->mode == AGENT_SWING && l->swing.restarts == 0 && l->swing.waited == 0) ||
            (l->mode == AGENT_HELD && l->wanted))
            return true;
    }
    return false;
}

/* Enough limbs hold for one more to be lifted. */
static bool may_lift(const hf_agent* a) {
    int held = 0;
    for (int i = 0; i < a->view->limb_count; i++) held += a->limbs[i].mode == AGENT_HELD;
    return held > a->gait.least_held;
}

/* When nothing swings, the group in greatest need is lifted; equal needs go in turn. */
static void take_turns(hf_agent* a, const hf_placement* placement) {
    if (busy(a) || !may_lift(a)) return;
    int best = -1;
    double most = 0;
    for (int k = 1; k <= a->gait.group_count; k++) {
        int group = (a->gait.last_group + k) % a->gait.group_count;
        double need = 0;
        for (int i = 0; i < a->view->limb_count; i++)
            if (a->limbs[i].mode == AGENT_HELD && a->limbs[i].group == group && !(a->limbs[i].rest_s > 0))
                need = fmax(need, need_of(a, placement, i));
        if (need > most + HF_ROUNDING) best = group, most = need;
    }
    if (best < 0) return;
    a->gait.last_group = best;
    for (int i = 0; i < a->view->limb_count; i++) {
        agent_limb* l = &a->limbs[i];
        if (l->mode != AGENT_HELD || l->group != best || l->rest_s > 0) continue;
        l->wanted = need_of(a, placement, i) > fmin(most, 1) / 2;
    }
}

/* ---- goals ---- */

static hf_status look_for(hf_agent* a, const hf_placement* placement, const hf_agent_input* in, int limb) {
    agent_limb* l = &a->limbs[limb];
    agent_place place;
    bool found;
    hf_status status = hf_agent_find_place(a, placement, in, limb, &place, &found);
    if (status != HF_OK) return status;
    if (found) {
        hf_agent_swing_begin(a, limb, &place, placement);
        l->tries = 0;
        l->wanted = false;
        return HF_OK;
    }
    l->tries++;
    if (l->tries % HF_AGENT_LOOKS) return HF_OK;
    // no place was found at any distance ahead: the limb asks again after a rest
    l->rest_s = HF_AGENT_REST_S;
    l->wanted = false;
    if (!found && l->tries == HF_AGENT_LOOKS && l->mode != AGENT_HELD)
        hf_agent_note(a, HF_AGENT_NOTHING, limb, -1);
    return HF_OK;
}

/* Gives up a swing that is at its end for half its time without touching, or was stopped too often. */
static void give_up(hf_agent* a, int limb) {
    agent_limb* l = &a->limbs[limb];
    if (l->mode != AGENT_SWING) return;
    bool late = l->swing.waited > l->swing_s / 2, blocked = l->swing.restarts > MAX_RESTARTS;
    if (!late && !blocked) return;
    hf_agent_note(a, HF_AGENT_ABANDONED, limb, l->at.hold.object);
    l->mode = AGENT_FREE;
    l->tries = late ? 2 : 1;
    // during the rest the limb moves towards its relaxed posture
    l->rest_s = HF_AGENT_REST_S;
}

hf_status hf_agent_choose(hf_agent* a, const hf_placement* placement, const hf_agent_input* in) {
    int count = a->view->limb_count, last = a->gait.next_query - 1;
    for (int i = 0; i < count; i++) {
        a->limbs[i].rest_s = fmax(0, a->limbs[i].rest_s - in->dt_s);
        a->limbs[i].blocks_s = fmax(0, a->limbs[i].blocks_s - in->dt_s);
        give_up(a, i);
    }
    take_turns(a, placement);
    // limbs without contact ask first; the number of queries in a frame is limited, so limbs take turns
    hf_status status = HF_OK;
    int queries = (int)ceil(in->dt_s * QUERIES_A_SECOND - HF_ROUNDING);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < count && status == HF_OK && queries > 0 && a->tests_left > 0; k++) {
            int i = (a->gait.next_query + k) % count;
            agent_limb* l = &a->limbs[i];
            bool asks = round == 0 ? l->mode == AGENT_FREE : l->mode == AGENT_HELD && l->wanted;
            if (!asks || l->rest_s > 0) continue;
            if (round == 1 && !may_lift(a)) {
                l->wanted = false;
                continue;
            }
            status = look_for(a, placement, in, i);
            queries--;
            last = i;
        }
    a->gait.next_query = (last + 1) % count;
    return status;
}
