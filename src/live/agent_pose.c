/* The pose of a frame: held limbs stay on their contacts, swings go on, the root goes as far towards its aim
   as limits of reach, speed and collision allow. What cannot be done whole is tried in part, and the last
   pose stays when nothing else holds. */
#include "live/agent.h"
#include "model/tolerance.h"
#include "solve/keep.h"

#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

static const double DRIFT = 0.3; /* share of a joint's speed for going towards its relaxed value */
static const double PART = 0.3;  /* of the way to an aim, where the whole way is not free */
enum { ATTEMPTS = 32, ITERATIONS = 15, STUCK_FRAMES = 2, BETWEEN = 6 };

static double joint_step(const hf_joint* j, double dt) { return HF_LIVE_SPEED_SHARE * j->max_speed * dt; }

/* How far a joint goes between two values, for its limit. */
static double joint_way(const hf_joint* j, const double* a, const double* b) {
    a += j->q_index, b += j->q_index;
    switch (j->type) {
    case HF_JOINT_PLANAR:
        return fmax(hf_hypot(b[0] - a[0], b[1] - a[1]), fabs(b[2] - a[2]));
    case HF_JOINT_FLOATING:
        return fmax(hf_distance(hf_v3(a[0], a[1], a[2]), hf_v3(b[0], b[1], b[2])),
                    hf_quat_angle((hf_quat){a[3], a[4], a[5], a[6]}, (hf_quat){b[3], b[4], b[5], b[6]}));
    default:
        return j->q_count ? fabs(b[0] - a[0]) : 0;
    }
}

/* The share of a limb's step that its joints can make in the time. */
static double possible_share(const hf_agent* a, int limb, const double* to, double dt) {
    const hf_creature_view* v = a->view;
    double share = 1;
    for (int i = 0; i < v->joint_count; i++) {
        const hf_joint* j = &v->joints[i];
        if (j->q_count == 0 || a->owner[j->child_link] != limb) continue;
        double way = joint_way(j, a->pose.q, to), most = joint_step(j, dt);
        if (way > most) share = fmin(share, most / way);
    }
    return share;
}

/* Joint values of the limb a share of the way from the last pose to q. */
static void shorten(const hf_agent* a, int limb, double share, double* q) {
    const hf_limb* l = &a->view->limbs[limb];
    for (int i = 0; i < l->joint_count; i++) {
        const hf_joint* j = &a->view->joints[l->joints[i]];
        for (int k = j->q_index; k < j->q_index + j->q_count; k++)
            q[k] = a->pose.q[k] + share * (q[k] - a->pose.q[k]);
    }
    hf_pose_follow(a->creature, q);
}

/* The posture towards which the solver pulls the limb: as near to `to` as the joints get in a share of the
   frame. */
static void lean_posture(hf_agent* a, int limb, const double* to, double dt, double share) {
    const hf_limb* l = &a->view->limbs[limb];
    for (int i = 0; i < l->joint_count; i++) {
        const hf_joint* j = &a->view->joints[l->joints[i]];
        double most = share * joint_step(j, dt);
        for (int k = j->q_index; k < j->q_index + j->q_count; k++) {
            double d = to[k] - a->pose.q[k];
            a->posture[k] = a->pose.q[k] + fmax(-most, fmin(most, d));
        }
    }
}

static hf_status solve(hf_agent* a, const hf_target* target, hf_solve_result* r) {
    hf_solve_options o = hf_solve_options_default();
    o.max_iterations = ITERATIONS;
    o.max_starts = 1;
    o.posture = a->posture;
    const hf_transform* base = &a->links[a->view->limbs[target->limb].base_link];
    return hf_limb_solve(a->creature, base, target, &o, a->workspace, a->next.q, r);
}

/* Do the limb's joints keep their regions? A posture between two that do may leave them. */
static bool keeps_rom(const hf_agent* a, int limb, const double* q) {
    for (int r = 0; r < a->view->rom_count; r++) {
        const hf_rom* rom = &a->view->roms[r];
        int link = a->view->joints[rom->joints[0]].child_link;
        if (a->owner[link] == limb && !hf_rom_contains(a->creature, r, q, HF_ROM_RAD)) return false;
    }
    return true;
}

/* ---- limbs of the pose being built ---- */

static hf_status hold(hf_agent* a, const hf_placement* placement, int limb, double dt, bool* held) {
    const agent_place* at = &a->limbs[limb].at;
    hf_anchor anchor = hf_anchor_in(hf_placement_pose(placement, at->hold.object), at->anchor);
    hf_target target = hf_anchor_target(&at->hold, &anchor);
    lean_posture(a, limb, a->relaxed, dt, DRIFT);
    hf_solve_result r;
    hf_status status = solve(a, &target, &r);
    *held = status == HF_OK && r.position_error_m <= HF_LIVE_HELD_M &&
            (!at->anchor.flat || r.angle_error_rad <= HF_LIVE_HELD_RAD) &&
            possible_share(a, limb, a->next.q, dt) >= 1 && keeps_rom(a, limb, a->next.q);
    return status;
}

/* The swinging limb at a phase, by the solver from where the limb is. */
static hf_status solve_swing(hf_agent* a, const hf_placement* placement, int limb, double phase,
                             hf_solve_result* r) {
    const agent_limb* l = &a->limbs[limb];
    hf_target target = {.kind = l->at.anchor.flat ? HF_TARGET_POSE : HF_TARGET_POSITION,
                        .limb = limb,
                        .contact = l->at.hold.frame};
    hf_agent_swing_at(a, limb, placement, phase, &target.point, &target.rotation);
    hf_pose_take_limb(a->creature, limb, a->pose.q, a->next.q);
    return solve(a, &target, r);
}

static hf_status swing(hf_agent* a, const hf_placement* placement, int limb, double dt) {
    agent_limb* l = &a->limbs[limb];
    double phase = l->frozen ? l->swing.phase : fmin(1, l->swing.phase + dt / l->swing_s);
    lean_posture(a, limb, a->goals + (size_t)limb * (size_t)a->view->q_count, dt, 1);
    hf_solve_result r;
    hf_status status = solve_swing(a, placement, limb, phase, &r);
    if (status != HF_OK) return status;
    double share = possible_share(a, limb, a->next.q, dt);
    if (share < 1) shorten(a, limb, share, a->next.q);
    if (!keeps_rom(a, limb, a->next.q)) {
        // the step would leave a region of the range of motion: the limb waits
        hf_pose_take_limb(a->creature, limb, a->pose.q, a->next.q);
        l->swing.advance = 0;
        l->frozen = 2;
        return HF_OK;
    }
    l->swing.advance = share * (phase - l->swing.phase);
    l->swing.landed = !l->frozen && phase >= 1 && share >= 1 && r.position_error_m <= HF_LIVE_HELD_M &&
                      (!l->at.anchor.flat || r.angle_error_rad <= HF_LIVE_HELD_RAD);
    return HF_OK;
}

/* A limb without contact goes to its relaxed posture. */
static void relax(hf_agent* a, int limb, double dt) {
    lean_posture(a, limb, a->relaxed, dt, DRIFT);
    hf_pose_take_limb(a->creature, limb, a->posture, a->next.q);
    if (!keeps_rom(a, limb, a->next.q)) hf_pose_take_limb(a->creature, limb, a->pose.q, a->next.q);
}

/* ---- the pose ---- */

/* What is tried for the root, one after the other: which aim, and how much of the way to it. */
typedef struct stage {
    int aim;
    double share;
} stage;
static const stage stages[] = {{AIM_WHOLE, 1},    {AIM_SLIDE, 1}, {AIM_WHOLE, PART}, {AIM_GO, 1},
                               {AIM_STRAIGHT, 1}, {AIM_FIT, 1},   {AIM_WHOLE, 0}};
enum { STAGES = sizeof stages / sizeof *stages, LAST_STAGE = STAGES - 1 };

static hf_transform root_at(const hf_agent* a, stage s) {
    const hf_transform* aim = &a->root.aims[s.aim];
    return (hf_transform){hf_lerp(a->root.carried.position, aim->position, s.share),
                          hf_quat_normalize(hf_quat_slerp(a->root.carried.rotation, aim->rotation, s.share))};
}

static hf_status build(hf_agent* a, const hf_placement* placement, stage at, double dt, int* fails) {
    *fails = -1;
    a->next.root = root_at(a, at);
    memcpy(a->next.q, a->pose.q, sizeof(double) * (size_t)a->view->q_count);
    memcpy(a->posture, a->pose.q, sizeof(double) * (size_t)a->view->q_count);
    hf_forward(a->creature, &a->next, a->links);
    hf_status status = HF_OK;
    for (int i = 0; i < a->view->limb_count && status == HF_OK && *fails < 0; i++) {
        agent_limb* l = &a->limbs[i];
        bool held = true;
        l->swing.landed = false;
        l->swing.advance = 0;
        if (l->mode == AGENT_HELD)
            status = hold(a, placement, i, dt, &held);
        else if (l->frozen > 1 || (l->frozen && l->mode != AGENT_SWING))
            continue;
        else if (l->mode == AGENT_SWING)
            status = swing(a, placement, i, dt);
        else if (l->mode == AGENT_FREE || l->relaxes)
            relax(a, i, dt);
        if (!held) *fails = i;
    }
    if (status == HF_OK && *fails < 0) hf_forward(a->creature, &a->next, a->links);
    return status;
}

static void list_touches(hf_agent* a) {
    a->touch_count = a->both_count = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (l->mode == AGENT_HELD || (l->mode == AGENT_SWING && l->swing.landed))
            a->touches[a->touch_count++] = l->at.hold;
    }
    for (int i = 0; i < a->touch_count; i++) a->both[a->both_count++] = a->touches[i];
    for (int i = 0; i < a->contact_count; i++) a->both[a->both_count++] = a->contacts[i];
}

/* The pose, and the way to it where nothing else moved. */
static hf_status collides(hf_agent* a, const hf_placement* placement, bool* hits, hf_collision* hit) {
    list_touches(a);
    hf_collision_query query = hf_collision_query_default();
    query.touches = a->touches;
    query.touch_count = a->touch_count;
    *hits = hf_collides(a->creature, placement, a->links, &query, hit);
    if (*hits || a->moved) return HF_OK;
    query.touches = a->both;
    query.touch_count = a->both_count;
    // places on the way are tested however short it is: points of turning limbs leave the straight line
    hf_pose between = {a->pose.root, a->query_q};
    for (int i = 1; i < BETWEEN; i++) {
        hf_pose_between(a->creature, &a->pose, &a->next, (double)i / BETWEEN, &between);
        hf_forward(a->creature, &between, a->links);
        *hits = hf_collides(a->creature, placement, a->links, &query, hit);
        if (*hits) return HF_OK;
    }
    return hf_move_collides(a->creature, placement, &a->pose, &a->next, &query, a->workspace, hits, hit);
}

/* A limb of a collision that can stay where it is for a frame. */
static int moving_limb(const hf_agent* a, const hf_collision* hit) {
    int bodies[2] = {hit->body, hit->other_body};
    for (int i = 0; i < 2; i++) {
        if (bodies[i] < 0) continue;
        int limb = a->owner[a->view->bodies[bodies[i]].link];
        if (limb < 0) continue;
        const agent_limb* l = &a->limbs[limb];
        if (l->mode != AGENT_HELD && l->frozen < 2) return limb;
    }
    return -1;
}

/* A limb that cannot leave its contact keeps it. */
static void put_back(agent_limb* l) {
    l->mode = AGENT_HELD;
    l->at = l->swing.left;
    l->swing.lifting = false;
    l->rest_s = HF_AGENT_REST_S;
}

/* The limb waits for a frame, and remembers on which side it was hit. */
static void stop_limb(hf_agent* a, int limb, const hf_collision* hit) {
    agent_limb* l = &a->limbs[limb];
    const hf_body* body = &a->view->bodies[hit->body];
    hf_vec3 middle = hf_compose(a->links[body->link], body->in_link).position, away;
    if (hit->other_body < 0) {
        away = hit->surface.normal;
        if (hf_dot(away, hf_sub(middle, hit->surface.point)) < 0) away = hf_neg(away);
    } else {
        const hf_body* other = &a->view->bodies[hit->other_body];
        away = hf_normalize(hf_sub(middle, hf_compose(a->links[other->link], other->in_link).position));
        if (a->owner[body->link] != limb) away = hf_neg(away);
    }
    l->swing.away = away;
    l->frozen++;
}

static void break_contact(hf_agent* a, int limb) {
    hf_agent_note(a, HF_AGENT_BROKEN, limb, a->limbs[limb].at.hold.object);
    a->limbs[limb].mode = AGENT_FREE;
    a->limbs[limb].wanted = false;
    a->limbs[limb].tries = 0;
}

/* Held limbs that collide ask for another contact. */
static void mark_blocked(hf_agent* a, const hf_collision* hit) {
    int bodies[2] = {hit->body, hit->other_body};
    for (int i = 0; i < 2; i++) {
        int limb = bodies[i] >= 0 ? a->owner[a->view->bodies[bodies[i]].link] : -1;
        if (limb >= 0 && a->limbs[limb].mode == AGENT_HELD) a->limbs[limb].blocks_s = HF_AGENT_REST_S;
    }
}

/* Something of the scene that the body can slide along. */
static bool run_into(hf_agent* a, const hf_collision* hit, double dt) {
    if (hit->other_body >= 0) return false;
    hf_vec3 normal = hit->surface.normal;
    if (hf_dot(normal, hf_sub(a->pose.root.position, hit->surface.point)) < 0) normal = hf_neg(normal);
    hf_agent_slide_root(a, normal, dt);
    return true;
}

/* Tries until a pose holds; stage tells how the root went, negative when none does. */
static hf_status find_pose(hf_agent* a, const hf_placement* placement, double dt, int* reached) {
    int at = 0;
    bool slides = false; /* there is a surface to slide along */
    for (int i = 0; i < a->view->limb_count; i++) a->limbs[i].frozen = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int fails;
        hf_collision hit;
        bool hits = false;
        hf_status status = build(a, placement, stages[at], dt, &fails);
        if (status == HF_OK && fails < 0) status = collides(a, placement, &hits, &hit);
        if (status != HF_OK) return status;
        if (fails < 0 && !hits) {
            *reached = at;
            return HF_OK;
        }
        if (fails >= 0)
            a->limbs[fails].blocks_s = HF_AGENT_REST_S;
        else
            mark_blocked(a, &hit);
        int limb = fails < 0 ? moving_limb(a, &hit) : -1;
        // a limb that is nearly straight can leave its contact only while the root waits
        if (limb >= 0 && a->limbs[limb].swing.lifting && at < LAST_STAGE) {
            at = LAST_STAGE;
        } else if (limb >= 0 && a->limbs[limb].swing.lifting) {
            put_back(&a->limbs[limb]);
            at = 0;
        } else if (limb >= 0) {
            stop_limb(a, limb, &hit);
        } else if (at < LAST_STAGE) {
            // the root goes another way, so that limbs may move again
            for (int i = 0; i < a->view->limb_count; i++) a->limbs[i].frozen = 0;
            slides |= hits && run_into(a, &hit, dt);
            do at++;
            while (stages[at].aim == AIM_SLIDE && !slides);
        } else if (fails >= 0) {
            break_contact(a, fails);
        } else {
            break;
        }
    }
    *reached = -1;
    return HF_OK;
}

/* ---- after the pose is found ---- */

static void finish_limbs(hf_agent* a, const hf_placement* placement, double dt) {
    for (int i = 0; i < a->view->limb_count; i++) {
        agent_limb* l = &a->limbs[i];
        if (l->mode != AGENT_SWING) continue;
        if (l->swing.lifting) {
            hf_agent_note(a, HF_AGENT_LIFTED, i, l->swing.left.hold.object);
            l->swing.lifting = false;
        }
        if (l->swing.landed) {
            l->mode = AGENT_HELD;
            l->swing.phase = 1;
            l->rest_s = 0;
            hf_agent_note(a, HF_AGENT_MADE, i, l->at.hold.object);
            continue;
        }
        l->swing.stuck = l->frozen ? l->swing.stuck + 1 : 0;
        l->swing.phase = fmin(1, l->swing.phase + (l->frozen ? 0 : l->swing.advance));
        if (l->swing.phase >= 1) l->swing.waited += dt;
        if (l->swing.stuck >= STUCK_FRAMES) hf_agent_swing_again(a, i, placement);
    }
}

/* The last pose stays; contacts whose objects went on are lost. */
static void stay(hf_agent* a, const hf_placement* placement) {
    hf_forward(a->creature, &a->pose, a->links);
    for (int i = 0; i < a->view->limb_count; i++) {
        agent_limb* l = &a->limbs[i];
        l->frozen = 2;
        l->swing.landed = false;
        if (l->mode == AGENT_SWING && l->swing.lifting) put_back(l);
        if (l->mode != AGENT_HELD) continue;
        hf_vec3 at = hf_apply(hf_placement_pose(placement, l->at.hold.object), l->at.anchor.point);
        if (hf_distance(at, hf_hold_anchor(a->creature, &l->at.hold, a->links).point) > 2 * HF_LIVE_HELD_M)
            break_contact(a, i);
    }
    bool hits = false;
    if (a->moved || a->hit) {
        list_touches(a);
        hf_collision_query query = hf_collision_query_default();
        query.touches = a->touches;
        query.touch_count = a->touch_count;
        hf_collision hit = {0};
        hits = hf_collides(a->creature, placement, a->links, &query, &hit);
        if (hits && !a->hit) {
            int limb = a->owner[a->view->bodies[hit.body].link];
            hf_agent_note(a, HF_AGENT_HIT, limb, hit.surface.object);
        }
    }
    a->hit = hits;
}

/* Speeds are what the root really does over what carries it. */
static void settle_speed(hf_agent* a, int reached) {
    if (reached == 0) return;
    double kept = reached > 0 && stages[reached].aim != AIM_FIT ? stages[reached].share : 0;
    a->root.velocity = hf_scale(a->root.velocity, (1 + kept) / 2);
    a->root.turn *= (1 + kept) / 2;
}

hf_status hf_agent_move(hf_agent* a, const hf_placement* placement, double dt) {
    int reached = -1;
    hf_status status = find_pose(a, placement, dt, &reached);
    if (status != HF_OK) return status;
    if (reached < 0) {
        stay(a, placement);
    } else {
        a->pose.root = a->next.root;
        memcpy(a->pose.q, a->next.q, sizeof(double) * (size_t)a->view->q_count);
        a->hit = false;
    }
    finish_limbs(a, placement, dt);
    settle_speed(a, reached);
    bool lagging = reached != 0;
    if (lagging && !a->root.lagging) hf_agent_note(a, HF_AGENT_HELD_BACK, -1, -1);
    a->root.lagging = lagging;
    return HF_OK;
}
