/* Contacts that are held while the body moves: each limb is solved for itself, given root and trunk. */
#include "plan/planner.h"

#include "base/workspace.h"
#include "solve/keep.h"

int hf_holds_find(const hf_plan_hold* holds, int count, int limb) {
    for (int i = 0; i < count; i++)
        if (holds[i].at.limb == limb) return i;
    return -1;
}

bool hf_limb_idle(const hf_plan_world* w, const hf_plan_hold* holds, int count, int limb) {
    const hf_limb* l = &w->view->limbs[limb];
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

bool hf_hold_is_loose(const hf_plan_world* w, const hf_plan_hold* h) {
    const hf_limb* limb = &w->view->limbs[h->at.limb];
    int count = limb->joint_count;
    for (int l = limb->contacts[h->at.frame].link; l != limb->effector_link;
         l = w->view->links[l].parent_link)
        count += w->view->joints[w->view->links[l].joint].v_count;
    return count > (h->anchor.flat ? 6 : 3);
}

/* One hold, given p->tools.links of the rest of the body. */
static bool keep_one(hf_planner* p, const hf_plan_hold* h, hf_keep_care care, hf_pose* pose, hf_vec3* miss) {
    bool kept = false;
    *miss = hf_v3(0, 0, 0);
    hf_plan_note(p, hf_hold_keep(p->world.creature, &h->at, &h->anchor, care, p->tools.workspace,
                                 p->tools.links, pose->q, &kept, miss));
    return kept && hf_plan_ok(p);
}

static bool keep_all(hf_planner* p, const hf_plan_hold* holds, int count, hf_keep_care care, hf_pose* pose,
                     hf_vec3* pull) {
    hf_forward(p->world.creature, pose, p->tools.links);
    bool all = true;
    int missed = 0;
    *pull = hf_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        hf_vec3 miss;
        if (keep_one(p, &holds[i], care, pose, &miss)) continue;
        all = false;
        *pull = hf_add(*pull, miss);
        missed++;
    }
    if (missed) *pull = hf_scale(*pull, 1 / (double)missed);
    return all;
}

bool hf_holds_keep(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull) {
    return keep_all(p, holds, count, HF_KEEP_EXACT, pose, pull);
}

bool hf_hold_solve(hf_planner* p, const hf_plan_hold* hold, hf_pose* pose) {
    hf_vec3 miss;
    return keep_one(p, hold, HF_KEEP_SOON, pose, &miss) && keep_one(p, hold, HF_KEEP_EXACT, pose, &miss);
}

bool hf_holds_near(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull) {
    return keep_all(p, holds, count, HF_KEEP_SOON, pose, pull);
}

bool hf_plan_collides(hf_planner* p, const hf_collision_query* query, hf_collision* hit) {
    if (hf_workspace_goes_on_often(p->tools.workspace))
        return hf_collides(p->world.creature, p->world.placement, p->tools.links, query, hit);
    if (hit) *hit = (hf_collision){0};
    return true;
}

bool hf_holds_collide(hf_planner* p, const hf_plan_hold* holds, int count, const hf_pose* pose,
                      hf_collision* hit) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(holds, count, -1, touches);
    hf_forward(p->world.creature, pose, p->tools.links);
    return hf_plan_collides(p, &q, hit);
}

void hf_hold_make(hf_planner* p, const hf_hold* c, const hf_pose* pose, hf_plan_hold* h) {
    hf_forward(p->world.creature, pose, p->tools.links);
    hf_transform link = p->tools.links[p->world.view->limbs[c->limb].contacts[c->frame].link];
    *h = (hf_plan_hold){.at = *c, .anchor = hf_hold_anchor(p->world.creature, c, p->tools.links)};
    hf_support_plan(p->world.creature, p->world.placement, c, link, &h->support);
}

hf_vec3 hf_com_at(hf_planner* p, const hf_pose* pose) {
    hf_forward(p->world.creature, pose, p->tools.links);
    return hf_com(p->world.creature, p->tools.links);
}
