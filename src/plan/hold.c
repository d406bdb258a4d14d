/* Contacts that are held while the body moves: each limb is solved for itself, given root and trunk. */
#include "plan/planner.h"

#include "base/workspace.h"
#include "solve/limb_problem.h"
#include "solve/target.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* How near a hold is kept. A check asks for 1 mm and 1 degree, but what is left over differs from frame to
   frame and must not look like an acceleration of the body. */
static const double KEEP_M = 1e-6, KEEP_RAD = 1e-5;
/* Near enough where the solver gets no nearer. */
static const double NEAR_M = 2e-4, NEAR_RAD = 3e-3;
/* A descent that ends farther from a hold is not brought onto it by another. */
static const double HOPE_M = 0.03, HOPE_RAD = 0.2;

int hf_holds_find(const hf_hold* holds, int count, int limb) {
    for (int i = 0; i < count; i++)
        if (holds[i].limb == limb) return i;
    return -1;
}

bool hf_limb_idle(const hf_planner* p, const hf_hold* holds, int count, int limb) {
    const hf_limb* l = &p->view->limbs[limb];
    bool held = hf_holds_find(holds, count, limb) >= 0;
    for (int i = 0; i < l->exclude_count && !held; i++)
        held = hf_holds_find(holds, count, l->excludes[i]) >= 0;
    return !held;
}

int hf_holds_touches(const hf_hold* holds, int count, int skip, hf_touch* touches) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (holds[i].limb != skip && holds[i].overlaps)
            touches[n++] = (hf_touch){holds[i].limb, holds[i].object, holds[i].grip};
    return n;
}

hf_target hf_hold_target(const hf_planner* p, const hf_hold* h) {
    (void)p;
    return (hf_target){.kind = h->flat ? HF_TARGET_POSE : HF_TARGET_POSITION,
                       .limb = h->limb,
                       .contact = h->frame,
                       .point = h->held,
                       .normal = h->normal,
                       .rotation = h->rotation,
                       .held = true};
}

bool hf_hold_is_loose(const hf_planner* p, const hf_hold* h) {
    const hf_limb* limb = &p->view->limbs[h->limb];
    int count = limb->joint_count;
    for (int l = limb->contacts[h->frame].link; l != limb->effector_link; l = p->view->links[l].parent_link)
        count += p->view->joints[p->view->links[l].joint].v_count;
    return count > (h->flat ? 6 : 3);
}

/* A limb without joints holds by the root alone: is it where it should be? */
static bool is_kept(const hf_planner* p, const hf_hold* h, const hf_transform* links, hf_vec3* miss) {
    const hf_contact_frame* f = &p->view->limbs[h->limb].contacts[h->frame];
    hf_vec3 at = hf_apply(links[f->link], f->offset);
    *miss = hf_sub(h->held, at);
    return hf_length(*miss) <= NEAR_M &&
           (!h->flat || hf_quat_angle(links[f->link].rotation, h->rotation) <= NEAR_RAD);
}

/* One descent says soon that a limb cannot; `soon` leaves it at that, and comes near where it can. */
static hf_status solve_limb(hf_planner* p, const hf_target* target, const hf_transform* base, bool soon,
                            hf_solve_options o, hf_pose* pose, hf_solve_result* r) {
    hf_goal goal;
    hf_limb_solver solver;
    o.near_start = true;
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    hf_status status = hf_goal_make(p->view, target, &goal);
    if (status == HF_OK)
        status = hf_limb_solver_make(p->creature, target->limb, target->contact, true, pose->q, o.use_rom,
                                     p->workspace, &solver);
    if (status == HF_OK) status = hf_limb_solver_run(&solver, base, &goal, &o, pose->q, r);
    bool settles = status == HF_OK && !soon && r->stop != HF_STOP_REACHED && r->position_error_m < HOPE_M &&
                   r->angle_error_rad < HOPE_RAD;
    if (settles) hf_limb_solver_settle(&solver, pose->q);
    hf_workspace_end(p->workspace, mark);
    return status;
}

static bool keep_one(hf_planner* p, const hf_hold* h, bool soon, hf_pose* pose, const hf_transform* links,
                     hf_vec3* miss) {
    const hf_limb* limb = &p->view->limbs[h->limb];
    if (limb->joint_count == 0) return is_kept(p, h, links, miss);
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.max_iterations = 30;
    o.tolerance_m = KEEP_M;
    o.tolerance_rad = KEEP_RAD;
    o.posture = pose->q;
    hf_target target = hf_hold_target(p, h);
    // a grip keeps its orientation as far as the limb can
    if (h->grip) target.kind = HF_TARGET_POSE;
    hf_solve_result r;
    hf_status status = h->grip && !soon ? hf_limb_solve(p->creature, &links[limb->base_link], &target, &o,
                                                        p->workspace, pose->q, &r)
                                        : solve_limb(p, &target, &links[limb->base_link], soon, o, pose, &r);
    if (status != HF_OK) {
        p->out_of_memory = true;
        return false;
    }
    if (r.position_error_m <= NEAR_M && (h->grip || r.angle_error_rad <= NEAR_RAD)) return true;
    hf_forward_limb(p->creature, h->limb, pose->q, p->links);
    const hf_contact_frame* f = &limb->contacts[h->frame];
    *miss = hf_sub(h->held, hf_apply(p->links[f->link], f->offset));
    // turned about its contact into the right orientation, the limb as it is has its root elsewhere
    if (h->flat) {
        hf_vec3 turn = hf_quat_log(hf_quat_mul(h->rotation, hf_quat_conj(p->links[f->link].rotation)));
        hf_vec3 base = hf_apply(links[limb->base_link], limb->base.position);
        *miss = hf_add(*miss, hf_cross(turn, hf_sub(base, h->held)));
    }
    return false;
}

static bool keep_all(hf_planner* p, const hf_hold* holds, int count, int skip, bool soon, hf_pose* pose,
                     hf_vec3* pull) {
    hf_forward(p->creature, pose, p->links);
    bool all = true;
    int missed = 0;
    *pull = hf_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        hf_vec3 miss;
        if (holds[i].limb == skip || keep_one(p, &holds[i], soon, pose, p->links, &miss)) continue;
        all = false;
        *pull = hf_add(*pull, miss);
        missed++;
    }
    if (missed) *pull = hf_scale(*pull, 1.0 / missed);
    return all;
}

bool hf_holds_keep(hf_planner* p, const hf_hold* holds, int count, int skip, hf_pose* pose, hf_vec3* pull) {
    return keep_all(p, holds, count, skip, false, pose, pull);
}

bool hf_hold_solve(hf_planner* p, const hf_hold* hold, hf_pose* pose) {
    hf_vec3 miss;
    return keep_one(p, hold, true, pose, p->links, &miss) && keep_one(p, hold, false, pose, p->links, &miss);
}

bool hf_holds_near(hf_planner* p, const hf_hold* holds, int count, hf_pose* pose, hf_vec3* pull) {
    return keep_all(p, holds, count, -1, true, pose, pull);
}

bool hf_holds_collide(hf_planner* p, const hf_hold* holds, int count, int skip, const hf_pose* pose,
                      hf_collision* hit) {
    hf_touch touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(holds, count, skip, touches);
    q.depth_m = HF_PLAN_DEPTH_M;
    hf_forward(p->creature, pose, p->links);
    return hf_collides(p->creature, p->placement, p->links, &q, hit);
}

void hf_limb_loosen(const hf_planner* p, int limb, double* q) {
    const hf_limb* l = &p->view->limbs[limb];
    const double step = 0.1;
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &p->view->joints[l->joints[k]];
        if (j->q_count != 1 || !(j->upper - j->lower > 4 * step)) continue;
        q[j->q_index] = fmin(j->upper - step, fmax(j->lower + step, q[j->q_index]));
    }
    hf_pose_follow(p->creature, q);
}

/* ---- how long a contact lasts ---- */

/* The body may leave the guide by this much of its height to let a limb reach, and lower itself by so much
   more: guides rise straight where feet have stairs. */
static const double LEEWAY = 0.03, LOWERING = 0.12;
static const double ROUNDING = 1e-9;

/* How far a point is inside the volume, m: less than nothing outside, where it need not be all of it. */
static double depth_in(const hf_volume* v, hf_vec3 x, hf_vec3 up, double height) {
    double depth = v->plane_count > 0 ? INFINITY : -1;
    for (int i = 0; i < v->plane_count && depth >= 0; i++) {
        const double* n = v->planes + 4 * i;
        double down = -(n[0] * up.x + n[1] * up.y + n[2] * up.z);
        double leeway = height * (LEEWAY + (down > 0 ? LOWERING * down : 0));
        double left = n[3] + leeway - (n[0] * x.x + n[1] * x.y + n[2] * x.z);
        depth = left < depth ? left : depth;
    }
    return depth;
}

/* A contact as the body sees it along the guide. Normals of a volume have length 1: what is known to be deep
   inside stays inside while it and the direction upwards change less than that. */
typedef struct sight {
    hf_vec3 x, up;
    double depth;
} sight;

static bool reaches(const hf_planner* p, const hf_hold* h, int i, sight* last) {
    sight now = {hf_unapply(p->guide[i], h->held), hf_unrotate(p->guide[i].rotation, hf_v3(0, 0, 1)), 0};
    double height = p->view->height;
    double change =
        hf_distance(now.x, last->x) + LOWERING * height * hf_distance(now.up, last->up) + ROUNDING;
    if (change <= last->depth) return true;
    now.depth = depth_in(&p->model->limbs[h->limb].volume, now.x, now.up, height);
    *last = now;
    return now.depth >= 0;
}

static int last_reached(const hf_planner* p, int from, const hf_hold* h) {
    int end = from + 2 * p->options->horizon, last = p->guide_count - 1;
    sight seen = {.depth = -1};
    if (end > last) end = last;
    // a body that has lowered itself to a contact is behind the guide at first
    int next = from, behind = from + p->options->horizon / 2;
    while (next < end && next < behind && !reaches(p, h, next, &seen)) next++;
    for (; next <= end && reaches(p, h, next, &seen); next++) from = next;
    return from;
}

void hf_hold_span(hf_planner* p, int from, hf_hold* h) {
    h->since = from;
    h->until = last_reached(p, from, h);
    h->seen = from + 2 * p->options->horizon;
    int first = from - 2 * p->options->horizon;
    sight seen = {.depth = -1};
    while (h->since > 0 && h->since > first && reaches(p, h, h->since - 1, &seen)) h->since--;
}

/* With the root there, can the limb hold the contact free of collision? q goes on to how it does. */
static bool holds_at(hf_planner* p, const hf_hold* h, hf_transform root, double* q) {
    hf_pose pose = {root, q};
    hf_vec3 miss;
    hf_forward(p->creature, &pose, p->links);
    if (!keep_one(p, h, false, &pose, p->links, &miss)) return false;
    hf_forward(p->creature, &pose, p->links);
    hf_touch touch = {h->limb, h->object, h->grip};
    hf_collision_query c = hf_collision_query_default();
    c.touches = &touch;
    c.touch_count = h->overlaps;
    c.limb = h->limb;
    c.depth_m = HF_PLAN_DEPTH_M;
    return !hf_collides(p->creature, p->placement, p->links, &c, NULL);
}

void hf_hold_tighten(hf_planner* p, int from, const hf_pose* pose, hf_hold* h) {
    if (p->view->limbs[h->limb].joint_count == 0) return;
    size_t bytes = sizeof(double) * (size_t)p->view->q_count;
    int step = p->options->horizon / 8 + 1, last = from;
    hf_transform off = hf_compose(hf_inverse(p->guide[from]), pose->root);
    memcpy(p->q_h, pose->q, bytes);
    memcpy(p->q_j, pose->q, bytes);
    for (int i = from; i < h->until;) {
        i = i + step < h->until ? i + step : h->until;
        // on the guide; before its end also as the body is beside it now, or lower
        hf_transform roots[3] = {p->guide[i], hf_compose(p->guide[i], off), p->guide[i]};
        roots[2].position.z -= LOWERING * p->view->height / 2;
        bool good = false;
        for (int k = 0; k < (i == p->guide_count - 1 ? 1 : 3) && !good && !p->out_of_memory; k++) {
            memcpy(p->q_j, p->q_h, bytes);
            good = holds_at(p, h, roots[k], p->q_j);
        }
        if (!good && last == from && i < from + p->options->horizon / 2) continue;
        if (!good) break;
        memcpy(p->q_h, p->q_j, bytes);
        last = i;
    }
    h->until = last < h->until ? last : h->until;
}

void hf_holds_refresh(hf_planner* p, hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++) {
        hf_hold* h = &n->holds[i];
        if (h->until < h->seen || h->until == p->guide_count - 1) continue;
        if (h->seen > n->guide_index + p->options->horizon) continue;
        int since = h->since;
        hf_hold_span(p, n->guide_index, h);
        h->since = since;
        hf_hold_tighten(p, n->guide_index, &n->pose, h);
    }
}

/* ---- what they carry ---- */

/* The check's cones have eight edges that need not be ours: a cone this much narrower is inside them. */
static const double FRICTION_SHARE = 0.92;

void hf_hold_make(hf_planner* p, const hf_contact* c, const hf_pose* pose, hf_hold* h) {
    const hf_contact_frame* f = &p->view->limbs[c->limb].contacts[c->frame];
    hf_forward(p->creature, pose, p->links);
    hf_transform link = p->links[f->link];
    *h = (hf_hold){.limb = c->limb,
                   .frame = c->frame,
                   .object = c->object,
                   .grip = c->grip,
                   .point = c->point,
                   .normal = c->normal,
                   .held = hf_apply(link, f->offset),
                   .rotation = link.rotation,
                   .flat = !c->grip && (f->patch[0] > 0 || f->patch[1] > 0)};
    hf_support_find(p->creature, p->placement, c, link, &h->support);
    h->support.friction *= FRICTION_SHARE;
    // a grip may turn while it is held: what its middle bears it bears in every orientation
    if (h->grip && h->support.corner_count > 0) h->support.corner_count = 1, h->support.corners[0] = c->point;
}

bool hf_holds_stance(hf_planner* p, const hf_hold* holds, int count, int skip, hf_stance* stance) {
    hf_support supports[HF_MAX_HOLDS];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (holds[i].limb != skip) supports[n++] = holds[i].support;
    hf_status status = hf_stance_build(stance, supports, n, p->view->mass, NULL, p->workspace);
    if (status != HF_OK) p->out_of_memory = true;
    return status == HF_OK;
}
