/* Which limbs an agent renews, and where they go. Groups of the gait take turns (thesis-2015 section 8.1, the
   ad-hoc controller of many legs); within a group, limbs that stand far from their place under the body. A
   goal is looked for from where the body will be in the middle of the limb's stance. */
#include "contact/agent.h"

#include <math.h>
#include <string.h>

static const double MOVING_M_S = 0.01;
static const double MOVING_RAD_S = 0.03;
static const double BEHIND_SHARE = 0.3; /* of a half stride behind its place: a limb is renewed when moving */
static const double ASTRAY_SHARE = 0.6; /* and this far from it when standing */
static const double STRETCHED = 0.94;   /* share of its reach beyond which a limb is renewed in any case */
static const double REST_S = 0.1;       /* after a query without a contact */
static const double FLAT_RAD = 0.03;    /* patches must lie on their surface, to hold it */
enum { LOOK_BACKS = 4 };                /* places before the body that are tried, nearer each time */

static bool moving(const hf_agent* a) {
    return hf_length(a->velocity) > MOVING_M_S || fabs(a->turn) > MOVING_RAD_S;
}

/* How far a held limb is from where it should be, in half strides. */
static double need_of(const hf_agent* a, const hf_placement* placement, int limb) {
    const agent_limb* l = &a->limbs[limb];
    hf_vec3 up = hf_agent_up(a), home = hf_apply(a->pose.root, l->home);
    hf_transform object = hf_placement_pose(placement, l->at.object);
    hf_vec3 d = hf_sub(home, hf_apply(object, l->at.point));
    d = hf_sub(d, hf_scale(up, hf_dot(d, up)));
    double off = hf_length(d) / l->half_stride, need = off > ASTRAY_SHARE ? off - ASTRAY_SHARE : 0;
    if (moving(a)) {
        hf_vec3 arm = hf_sub(home, a->pose.root.position);
        hf_vec3 way = hf_normalize(hf_add(a->velocity, hf_scale(hf_cross(up, arm), a->turn)));
        double behind = hf_dot(d, way) / l->half_stride;
        need = behind > BEHIND_SHARE ? behind : 0;
        // across the way, too
        double aside = hf_length(hf_sub(d, hf_scale(way, hf_dot(d, way)))) / l->half_stride;
        if (aside > 1) need = fmax(need, aside);
    }
    hf_vec3 hip = hf_limb_base(a->creature, limb, a->links).position;
    double stretch = hf_distance(hip, hf_apply(object, l->at.centre)) / l->reach;
    // a stretched limb helps nobody unless a step makes it better
    if (stretch > STRETCHED && off > 0.2) need = fmax(need, 1 + 10 * (stretch - STRETCHED));
    if (l->blocks_s > 0 && off > 0.2) need = fmax(need, 1.5);
    return need;
}

/* ---- turns ---- */

/* Some limb of the group is in the air or about to be; one that finds no way does not keep the others
 * waiting. */
static bool busy(const hf_agent* a) {
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if ((l->mode == AGENT_SWING && l->restarts == 0 && l->waited == 0) ||
            (l->mode == AGENT_HELD && l->wanted))
            return true;
    }
    return false;
}

/* Enough limbs hold for one more to be lifted. */
static bool may_lift(const hf_agent* a) {
    int held = 0;
    for (int i = 0; i < a->view->limb_count; i++) held += a->limbs[i].mode == AGENT_HELD;
    return held > a->least_held;
}

/* When nothing swings, the group in greatest need is lifted; equal needs go in turn. */
static void take_turns(hf_agent* a, const hf_placement* placement) {
    if (busy(a) || !may_lift(a)) return;
    int best = -1;
    double most = 0;
    for (int k = 1; k <= a->group_count; k++) {
        int group = (a->last_group + k) % a->group_count;
        double need = 0;
        for (int i = 0; i < a->view->limb_count; i++)
            if (a->limbs[i].mode == AGENT_HELD && a->limbs[i].group == group && !(a->limbs[i].rest_s > 0))
                need = fmax(need, need_of(a, placement, i));
        if (need > most + 1e-9) best = group, most = need;
    }
    if (best < 0) return;
    a->last_group = best;
    for (int i = 0; i < a->view->limb_count; i++) {
        agent_limb* l = &a->limbs[i];
        if (l->mode != AGENT_HELD || l->group != best || l->rest_s > 0) continue;
        l->wanted = need_of(a, placement, i) > 0.5 * most || need_of(a, placement, i) > 0.5;
    }
}

/* ---- goals ---- */

/* Direction along which a support is scored: method section 4. */
static hf_vec3 support_direction(const hf_agent* a, hf_vec3 task) {
    hf_vec3 z = hf_normalize(task);
    double speed = hf_length(a->velocity);
    if (speed < MOVING_M_S) return z;
    hf_vec3 u = hf_add(z, hf_scale(hf_normalize(a->velocity),
                                   a->options.motion_share * fmin(1, speed / a->view->limits.root_speed)));
    return hf_length(u) > 1e-3 ? hf_normalize(u) : z;
}

static void hold_touches(hf_agent* a) {
    a->touch_count = 0;
    for (int i = 0; i < a->view->limb_count; i++)
        if (a->limbs[i].mode == AGENT_HELD)
            a->touches[a->touch_count++] = (hf_touch){i, a->limbs[i].at.object, false};
}

/* Middle of the next stance, less far ahead after each query that found nothing. */
static double look_ahead(const hf_agent* a, const agent_limb* l) {
    int others = a->group_count > 1 ? a->group_count - 1 : 1;
    double whole = l->swing_s * (1 + 0.5 * others), speed = hf_length(a->velocity);
    double least = speed > MOVING_M_S ? 0.5 * l->half_stride / speed : 0;
    whole = fmin(fmax(whole, least), speed > MOVING_M_S ? 2 * l->half_stride / speed : whole);
    return whole * (1 - (double)(l->tries % LOOK_BACKS) / (LOOK_BACKS - 1));
}

static void read_answer(hf_agent* a, const hf_placement* placement, const hf_transform* root,
                        agent_place* place) {
    const hf_contact* k = &a->answer->contacts[0];
    const hf_contact_frame* f = &a->view->limbs[k->limb].contacts[k->frame];
    size_t q_count = (size_t)a->view->q_count;
    memcpy(a->query_q, k->q, sizeof(double) * q_count);
    memcpy(a->goals + (size_t)k->limb * q_count, k->q, sizeof(double) * q_count);
    hf_pose pose = {*root, a->query_q};
    hf_transform object = hf_placement_pose(placement, k->object);
    hf_forward(a->creature, &pose, a->links);
    *place = (agent_place){.object = k->object,
                           .frame = k->frame,
                           .point = hf_unapply(object, k->point),
                           .normal = hf_unrotate(object.rotation, k->normal),
                           .centre = hf_unapply(object, hf_add(k->point, hf_scale(k->normal, f->ball))),
                           .rotation = hf_quat_mul(hf_quat_conj(object.rotation), a->links[f->link].rotation),
                           .flat = (f->patch[0] > 0 || f->patch[1] > 0) && k->angle_error_rad <= FLAT_RAD};
    hf_forward(a->creature, &a->pose, a->links);
}

/* One query for one limb; found: a place for it. */
static hf_status find_place(hf_agent* a, const hf_placement* placement, const hf_agent_input* in, int limb,
                            agent_place* place, bool* found) {
    const agent_limb* l = &a->limbs[limb];
    const hf_limb* from = &a->view->limbs[limb];
    *found = false;
    hf_transform root = hf_agent_predict(a, look_ahead(a, l));
    memcpy(a->query_q, a->pose.q, sizeof(double) * (size_t)a->view->q_count);
    for (int i = 0; i < from->joint_count; i++) {
        const hf_joint* j = &a->view->joints[from->joints[i]];
        memcpy(a->query_q + j->q_index, a->relaxed + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
    hf_pose_follow(a->creature, a->query_q);
    hold_touches(a);
    hf_contact_query query = hf_contact_query_default();
    query.pose = (hf_pose){root, a->query_q};
    query.limb = limb;
    query.direction = support_direction(a, in->task);
    memset(query.weights, 0, sizeof query.weights);
    query.weights[HF_TERM_EFFORT] = a->options.effort_weight;
    query.weights[HF_TERM_DISTANCE] = a->options.distance_weight;
    query.max_tests = a->tests_left;
    query.touches = a->touches;
    query.touch_count = a->touch_count;
    bool patch = false;
    for (int i = 0; i < from->contact_count; i++)
        patch |= a->by_limb[limb][i] && from->contacts[i].patch[0] > 0;
    if (patch) query.max_angle_rad = FLAT_RAD;
    hf_status status =
        hf_contact_find(a->creature, a->by_limb[limb], placement, &query, a->workspace, a->answer);
    if (status != HF_OK) return status;
    a->tests_left -= a->answer->tested < a->tests_left ? a->answer->tested : a->tests_left;
    if (!a->answer->contact_count || a->answer->contacts[0].frame < 0) return HF_OK;
    read_answer(a, placement, &root, place);
    *found = true;
    return HF_OK;
}

/* Is the new place worth a step? */
static bool worth(const hf_agent* a, const hf_placement* placement, int limb, const agent_place* place) {
    const agent_limb* l = &a->limbs[limb];
    if (l->mode != AGENT_HELD) return true;
    hf_vec3 now = hf_apply(hf_placement_pose(placement, l->at.object), l->at.point);
    hf_vec3 then = hf_apply(hf_placement_pose(placement, place->object), place->point);
    return hf_distance(now, then) > 0.15 * l->half_stride;
}

static hf_status look_for(hf_agent* a, const hf_placement* placement, const hf_agent_input* in, int limb) {
    agent_limb* l = &a->limbs[limb];
    agent_place place;
    bool found;
    hf_status status = find_place(a, placement, in, limb, &place, &found);
    if (status != HF_OK) return status;
    if (found && worth(a, placement, limb, &place)) {
        if (l->mode == AGENT_HELD) hf_agent_note(a, HF_AGENT_LIFTED, limb, l->at.object);
        hf_agent_swing_begin(a, limb, &place, placement);
        l->tries = 0;
        l->wanted = false;
        return HF_OK;
    }
    l->tries++;
    if (l->tries % LOOK_BACKS) return HF_OK;
    // looked everywhere: later again
    l->rest_s = REST_S;
    l->wanted = false;
    if (!found && l->tries == LOOK_BACKS && l->mode != AGENT_HELD)
        hf_agent_note(a, HF_AGENT_NOTHING, limb, -1);
    return HF_OK;
}

/* Limbs that swing too long towards what they cannot touch let go of that goal. */
static void give_up(hf_agent* a, int limb) {
    agent_limb* l = &a->limbs[limb];
    if (l->mode != AGENT_SWING) return;
    bool late = l->waited > 0.5 * l->swing_s, blocked = l->restarts > 3;
    if (!late && !blocked) return;
    hf_agent_note(a, HF_AGENT_ABANDONED, limb, l->at.object);
    l->mode = AGENT_FREE;
    l->tries = late ? 2 : 1;
}

hf_status hf_agent_choose(hf_agent* a, const hf_placement* placement, const hf_agent_input* in) {
    int count = a->view->limb_count;
    for (int i = 0; i < count; i++) {
        a->limbs[i].rest_s = fmax(0, a->limbs[i].rest_s - in->dt_s);
        a->limbs[i].blocks_s = fmax(0, a->limbs[i].blocks_s - in->dt_s);
        give_up(a, i);
    }
    take_turns(a, placement);
    // who has no contact goes first; one query after the other while the budget lasts, in turn
    hf_status status = HF_OK;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < count && status == HF_OK && a->tests_left > 0; k++) {
            int i = (a->next_query + k) % count;
            agent_limb* l = &a->limbs[i];
            bool asks = round == 0 ? l->mode == AGENT_FREE : l->mode == AGENT_HELD && l->wanted;
            if (!asks || l->rest_s > 0) continue;
            if (round == 1 && !may_lift(a)) {
                l->wanted = false;
                continue;
            }
            status = look_for(a, placement, in, i);
            a->next_query = (i + 1) % count;
            // a frame has one query, so that none takes long
            return status;
        }
    return status;
}
