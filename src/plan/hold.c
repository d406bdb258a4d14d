/* Contacts that are held while the body moves: each limb is solved for itself, given root and trunk. */
#include "plan/planner.h"

#include "model/creature.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

int hf_holds_find(const hf_plan_hold* holds, int count, int limb) {
    for (int i = 0; i < count; i++)
        if (holds[i].at.limb == limb) return i;
    return -1;
}

bool hf_limb_idle(const hf_planner* p, const hf_plan_hold* holds, int count, int limb) {
    const hf_limb* l = &p->view->limbs[limb];
    bool held = hf_holds_find(holds, count, limb) >= 0;
    for (int i = 0; i < l->exclude_count && !held; i++)
        held = hf_holds_find(holds, count, l->excludes[i]) >= 0;
    return !held;
}

int hf_holds_touches(const hf_plan_hold* holds, int count, int skip, hf_hold* touches) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (holds[i].at.limb != skip && holds[i].overlaps) touches[n++] = holds[i].at;
    return n;
}

hf_target hf_hold_target(const hf_plan_hold* h) { return hf_anchor_target(&h->at, &h->anchor); }

bool hf_hold_is_loose(const hf_planner* p, const hf_plan_hold* h) {
    const hf_limb* limb = &p->view->limbs[h->at.limb];
    int count = limb->joint_count;
    for (int l = limb->contacts[h->at.frame].link; l != limb->effector_link;
         l = p->view->links[l].parent_link)
        count += p->view->joints[p->view->links[l].joint].v_count;
    return count > (h->anchor.flat ? 6 : 3);
}

/* One hold, given p->links of the rest of the body. */
static bool keep_one(hf_planner* p, const hf_plan_hold* h, hf_keep_care care, hf_pose* pose, hf_vec3* miss) {
    bool kept = false;
    *miss = hf_v3(0, 0, 0);
    if (hf_hold_keep(p->creature, &h->at, &h->anchor, care, p->workspace, p->links, pose->q, &kept, miss) !=
        HF_OK)
        p->out_of_memory = true;
    return kept && !p->out_of_memory;
}

static bool keep_all(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_keep_care care,
                     hf_pose* pose, hf_vec3* pull) {
    hf_forward(p->creature, pose, p->links);
    bool all = true;
    int missed = 0;
    *pull = hf_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        hf_vec3 miss;
        if (holds[i].at.limb == skip || keep_one(p, &holds[i], care, pose, &miss)) continue;
        all = false;
        *pull = hf_add(*pull, miss);
        missed++;
    }
    if (missed) *pull = hf_scale(*pull, 1.0 / missed);
    return all;
}

bool hf_holds_keep(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_pose* pose,
                   hf_vec3* pull) {
    return keep_all(p, holds, count, skip, HF_KEEP_EXACT, pose, pull);
}

bool hf_hold_solve(hf_planner* p, const hf_plan_hold* hold, hf_pose* pose) {
    hf_vec3 miss;
    return keep_one(p, hold, HF_KEEP_SOON, pose, &miss) && keep_one(p, hold, HF_KEEP_EXACT, pose, &miss);
}

bool hf_holds_near(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull) {
    return keep_all(p, holds, count, -1, HF_KEEP_SOON, pose, pull);
}

bool hf_holds_collide(hf_planner* p, const hf_plan_hold* holds, int count, int skip, const hf_pose* pose,
                      hf_collision* hit) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(holds, count, skip, touches);
    hf_forward(p->creature, pose, p->links);
    return hf_collides(p->creature, p->placement, p->links, &q, hit);
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

static bool reaches(const hf_planner* p, const hf_plan_hold* h, int i, sight* last) {
    sight now = {hf_unapply(p->guide[i], h->anchor.point), hf_unrotate(p->guide[i].rotation, hf_v3(0, 0, 1)),
                 0};
    double height = p->view->height;
    double change =
        hf_distance(now.x, last->x) + LOWERING * height * hf_distance(now.up, last->up) + ROUNDING;
    if (change <= last->depth) return true;
    now.depth = depth_in(&p->model->limbs[h->at.limb].volume, now.x, now.up, height);
    *last = now;
    return now.depth >= 0;
}

static int last_reached(const hf_planner* p, int from, const hf_plan_hold* h) {
    int end = from + 2 * p->options->horizon, last = p->guide_count - 1;
    sight seen = {.depth = -1};
    if (end > last) end = last;
    // a body that has lowered itself to a contact is behind the guide at first
    int next = from, behind = from + p->options->horizon / 2;
    while (next < end && next < behind && !reaches(p, h, next, &seen)) next++;
    for (; next <= end && reaches(p, h, next, &seen); next++) from = next;
    return from;
}

void hf_hold_span(hf_planner* p, int from, hf_plan_hold* h) {
    h->since = from;
    h->until = last_reached(p, from, h);
    h->seen = from + 2 * p->options->horizon;
    int first = from - 2 * p->options->horizon;
    sight seen = {.depth = -1};
    while (h->since > 0 && h->since > first && reaches(p, h, h->since - 1, &seen)) h->since--;
}

/* With the root there, can the limb hold the contact free of collision? q goes on to how it does. */
static bool holds_at(hf_planner* p, const hf_plan_hold* h, hf_transform root, double* q) {
    hf_pose pose = {root, q};
    hf_vec3 miss;
    hf_forward(p->creature, &pose, p->links);
    if (!keep_one(p, h, HF_KEEP_EXACT, &pose, &miss)) return false;
    hf_forward(p->creature, &pose, p->links);
    hf_hold touch = h->at;
    hf_collision_query c = hf_collision_query_default();
    c.touches = &touch;
    c.touch_count = h->overlaps;
    c.limb = h->at.limb;
    return !hf_collides(p->creature, p->placement, p->links, &c, NULL);
}

void hf_hold_tighten(hf_planner* p, int from, const hf_pose* pose, hf_plan_hold* h) {
    if (p->view->limbs[h->at.limb].joint_count == 0) return;
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
        hf_plan_hold* h = &n->holds[i];
        if (h->until < h->seen || h->until == p->guide_count - 1) continue;
        if (h->seen > n->guide_index + p->options->horizon) continue;
        int since = h->since;
        hf_hold_span(p, n->guide_index, h);
        h->since = since;
        hf_hold_tighten(p, n->guide_index, &n->pose, h);
    }
}

/* ---- what they carry ---- */

void hf_hold_make(hf_planner* p, const hf_hold* c, const hf_pose* pose, hf_plan_hold* h) {
    hf_forward(p->creature, pose, p->links);
    hf_transform link = p->links[p->view->limbs[c->limb].contacts[c->frame].link];
    *h = (hf_plan_hold){.at = *c, .anchor = hf_hold_anchor(p->creature, c, p->links)};
    hf_support_plan(p->creature, p->placement, c, link, &h->support);
}

bool hf_holds_stance(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_stance* stance) {
    hf_support supports[HF_MAX_HOLDS];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (holds[i].at.limb != skip) supports[n++] = holds[i].support;
    hf_status status = hf_stance_build(stance, supports, n, p->view->mass, NULL, p->workspace);
    if (status != HF_OK) p->out_of_memory = true;
    return status == HF_OK;
}
