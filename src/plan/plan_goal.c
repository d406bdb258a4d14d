/* The end of a plan: the body to the goal's root; for a goal that is given whole also its contacts, one limb
   after the other, and its posture. */
#include "plan/planner.h"

#include <string.h>

static const double SAME_M = 5e-4; /* a hold that is this near to the goal's is the goal's */

static void copy_q(const hf_planner* p, double* to, const double* from) {
    memcpy(to, from, sizeof(double) * (size_t)p->view->q_count);
}

/* The body moved from frame `first` on, nothing else changed: a stance of its own in the tree. */
static bool stay(hf_planner* p, int first) {
    if (p->node_count == HF_MAX_STANCES) return false;
    const hf_plan_node* n = &p->nodes[p->node_index];
    hf_plan_node* child = &p->nodes[p->node_count];
    hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
    child->guide_index = n->guide_index;
    child->hold_count = n->hold_count;
    memcpy(child->holds, n->holds, sizeof n->holds);
    child->pose.root = last.root;
    copy_q(p, child->pose.q, last.q);
    child->first_frame = first;
    child->last_limb = -1;
    hf_plan_adopt(p);
    return true;
}

/* The root to the goal's with the contacts there are. */
static bool reach_root(hf_planner* p, const hf_plan_node* n, const hf_scenario_state* goal) {
    hf_pose pose = {n->pose.root, p->q_a};
    if (!hf_holds_stance(p, n->holds, n->hold_count, -1, p->stance_a)) return false;
    copy_q(p, pose.q, n->pose.q);
    if (!hf_stance_pose(p, n->holds, n->hold_count, p->stance_a, p->options->margin_m * 1.02, goal->pose.root,
                        NULL, &pose))
        return false;
    if (hf_distance(pose.root.position, goal->pose.root.position) > p->options->goal_tolerance_m)
        return false;
    return hf_segment_move(p, n->holds, n->hold_count, p->stance_a, p->node_index, &n->pose, &pose);
}

static bool is_held(const hf_plan_node* n, const hf_plan_hold* h) {
    int own = hf_holds_find(n->holds, n->hold_count, h->at.limb);
    return own >= 0 && n->holds[own].at.frame == h->at.frame &&
           hf_distance(n->holds[own].anchor.point, h->anchor.point) <= SAME_M;
}

/* The next change towards the goal's contacts; false when it does not work out. *done when there is none
 * left. */
static bool change_one(hf_planner* p, const hf_plan_hold* goal, int count, bool* done) {
    hf_plan_node *n = &p->nodes[p->node_index], *child = &p->nodes[p->node_count];
    *done = false;
    if (p->node_count == HF_MAX_STANCES) return false;
    bool found = false;
    int change = -1;
    for (int i = 0; i < n->hold_count && change < 0; i++)
        if (hf_holds_find(goal, count, n->holds[i].at.limb) < 0) change = n->holds[i].at.limb;
    if (change >= 0)
        found = hf_step_release(p, n, change, child);
    else
        for (int i = 0; i < count && change < 0; i++) {
            if (is_held(n, &goal[i])) continue;
            change = goal[i].at.limb;
            found = hf_step_limb(p, n, change, &goal[i], false, child);
        }
    *done = change < 0;
    if (!found) return *done;
    hf_plan_adopt(p);
    return true;
}

/* Trunk and limbs without contact as the goal has them, the root exactly there. */
static bool take_posture(hf_planner* p, const hf_scenario_state* goal) {
    const hf_plan_node* n = &p->nodes[p->node_index];
    hf_pose pose = {goal->pose.root, p->q_a};
    copy_q(p, pose.q, goal->pose.q);
    hf_vec3 pull;
    hf_collision hit;
    if (!hf_holds_keep(p, n->holds, n->hold_count, -1, &pose, &pull) ||
        hf_holds_collide(p, n->holds, n->hold_count, -1, &pose, &hit))
        return false;
    int first = p->frames.count;
    return hf_holds_stance(p, n->holds, n->hold_count, -1, p->stance_a) &&
           hf_segment_move(p, n->holds, n->hold_count, p->stance_a, p->node_index, &n->pose, &pose) &&
           stay(p, first);
}

static bool take_whole(hf_planner* p, const hf_scenario_state* goal) {
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_pose pose = {goal->pose.root, p->q_b};
    copy_q(p, pose.q, goal->pose.q);
    int count = hf_plan_contacts(p, goal, &pose, holds);
    if (count < 1) return false;
    for (int i = 0; i < count; i++) holds[i].since = holds[i].until = p->guide_count - 1;
    bool done = false;
    while (!done && !p->out_of_memory)
        if (!change_one(p, holds, count, &done)) return false;
    return take_posture(p, goal);
}

bool hf_plan_arrive(hf_planner* p, const hf_scenario_state* goal) {
    int node = p->node_index, count = p->node_count, frames = p->frames.count, farthest = p->farthest;
    if (reach_root(p, &p->nodes[node], goal) && stay(p, frames) && (!goal->whole || take_whole(p, goal)))
        return true;
    p->node_index = node;
    p->node_count = count;
    p->frames.count = frames;
    p->farthest = farthest;
    return false;
}
