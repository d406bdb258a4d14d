/* The end of a plan: the body to the goal's root; for a goal that is given whole also its contacts, one limb
   after the other, and its posture. */
#include "plan/step.h"

#include "base/workspace.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

bool hf_plan_stay(hf_planner* p, int first) {
    if (p->tree.node_count == HF_MAX_STANCES) return false;
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    hf_plan_node* child = &p->tree.nodes[p->tree.node_count];
    hf_pose last = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
    child->guide_index = n->guide_index;
    child->hold_count = n->hold_count;
    memcpy(child->holds, n->holds, sizeof n->holds);
    hf_pose_copy(&p->world, &last, &child->pose);
    child->first_knot = first;
    child->last_limb = -1;
    hf_plan_adopt(p, HF_PLAN_AT_REST);
    return true;
}

/* A goal that is a place counts by where it was asked for, since the pose that was found there may be off it
   by as much as the tolerance itself; its height is that of the pose. */
static bool is_near(const hf_plan_options* o, const hf_scenario_state* goal, hf_transform root) {
    hf_vec3 wanted = goal->pose.root.position;
    if (goal->placed) wanted.x = goal->place.position.x, wanted.y = goal->place.position.y;
    return hf_distance(root.position, wanted) <= o->goal_tolerance_m;
}

/* The angle about the vertical between where the creature looks and where the place asked for. */
static double off_heading(const hf_plan_world* w, const hf_scenario_state* goal, hf_transform root) {
    double facing = w->view->facing;
    hf_vec3 ahead = hf_rotate(root.rotation, hf_v3(hf_cos(facing), hf_sin(facing), 0)),
            wanted = hf_rotate(goal->place.rotation, hf_v3(1, 0, 0));
    return fabs(hf_atan2(ahead.x * wanted.y - ahead.y * wanted.x, ahead.x * wanted.x + ahead.y * wanted.y));
}

static bool is_turned(const hf_plan_world* w, const hf_scenario_state* goal, hf_transform root) {
    double most = w->options->goal_tolerance_rad;
    if (goal->placed && !goal->any_heading && off_heading(w, goal, root) > most) return false;
    return hf_quat_angle(root.rotation, goal->pose.root.rotation) <= most;
}

/* Is every joint of the pose where the goal has it? */
static bool has_posture(const hf_plan_world* w, const hf_scenario_state* goal, const double* q) {
    for (int j = 0; j < w->view->joint_count; j++) {
        int i = w->view->joints[j].q_index;
        if (w->view->joints[j].q_count == 1 && fabs(q[i] - goal->pose.q[i]) > w->options->goal_tolerance_rad)
            return false;
    }
    return true;
}

/* The root to the goal's with the contacts there are; a whole goal's contacts may be needed to turn it. */
static bool reach_root(hf_planner* p, const hf_scenario_state* goal, hf_pose* pose) {
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    const hf_plan_options* o = p->world.options;
    int first = p->tree.knots.count;
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    hf_pose_copy(&p->world, &n->pose, pose);
    bool there =
        stance &&
        hf_stance_pose(p, n->holds, n->hold_count, stance, hf_pose_margin(p), goal->pose.root, NULL, pose) &&
        is_near(o, goal, pose->root) && (goal->whole || is_turned(&p->world, goal, pose->root)) &&
        hf_segment_move(p, n->holds, n->hold_count, stance, p->tree.node_index, &n->pose, pose);
    hf_stance_return(p, stance);
    return there && hf_plan_stay(p, first);
}

static bool is_held(const hf_plan_node* n, const hf_plan_hold* h) {
    int own = hf_holds_find(n->holds, n->hold_count, h->at.limb);
    return own >= 0 && n->holds[own].at.frame == h->at.frame &&
           hf_distance(n->holds[own].anchor.point, h->anchor.point) <= HF_SLIP_M;
}

/* The next change towards the goal's contacts; false when it does not work out. *done when there is none
 * left. */
static bool change_one(hf_planner* p, const hf_plan_hold* goal, int count, bool* done) {
    hf_plan_node *n = &p->tree.nodes[p->tree.node_index], *child = &p->tree.nodes[p->tree.node_count];
    *done = false;
    if (p->tree.node_count == HF_MAX_STANCES) return false;
    bool found = false, blocked;
    int change = -1;
    for (int i = 0; i < n->hold_count && change < 0; i++)
        if (hf_holds_find(goal, count, n->holds[i].at.limb) < 0) change = n->holds[i].at.limb;
    if (change >= 0)
        found = hf_step_release(p, n, change, NULL, child);
    else
        for (int i = 0; i < count && change < 0; i++) {
            if (is_held(n, &goal[i])) continue;
            change = goal[i].at.limb;
            found = hf_step_limb(p, n, change, &(hf_step_wish){.hold = &goal[i]}, false, child, &blocked);
        }
    *done = change < 0;
    if (!found) return *done;
    hf_plan_adopt(p, HF_PLAN_AT_REST);
    return true;
}

/* Trunk and limbs without contact as the goal has them, the root exactly there. */
static bool take_posture(hf_planner* p, const hf_scenario_state* goal, hf_pose* pose) {
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    hf_vec3 pull;
    hf_collision hit;
    hf_pose_copy(&p->world, &goal->pose, pose);
    if (!hf_holds_keep(p, n->holds, n->hold_count, pose, &pull) ||
        hf_holds_collide(p, n->holds, n->hold_count, pose, &hit))
        return false;
    int first = p->tree.knots.count;
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    bool moved =
        stance && hf_segment_move(p, n->holds, n->hold_count, stance, p->tree.node_index, &n->pose, pose);
    hf_stance_return(p, stance);
    if (!moved || !hf_plan_stay(p, first)) return false;
    const hf_pose* end = &p->tree.nodes[p->tree.node_index].pose;
    return is_near(p->world.options, goal, end->root) && is_turned(&p->world, goal, end->root) &&
           has_posture(&p->world, goal, end->q);
}

static bool take_whole(hf_planner* p, const hf_scenario_state* goal, hf_pose* pose) {
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_pose_copy(&p->world, &goal->pose, pose);
    int count = hf_plan_contacts(p, goal, pose, holds);
    if (count < 1) return false;
    for (int i = 0; i < count; i++) holds[i].since = holds[i].until = p->world.guide_count - 1;
    bool done = false;
    while (!done && hf_plan_ok(p))
        if (!change_one(p, holds, count, &done)) return false;
    return take_posture(p, goal, pose);
}

void hf_plan_go_back(hf_planner* p, const hf_plan_tree* was) {
    p->tree.node_index = was->node_index, p->tree.node_count = was->node_count;
    p->tree.farthest = was->farthest, p->tree.knots.count = was->knots.count, p->tree.block = was->block;
}

/* A goal that is a place is reached as soon as the body stands there, whatever its feet stand on. */
static bool take_place(hf_planner* p, const hf_scenario_state* goal, hf_pose* pose) {
    hf_plan_tree was = p->tree;
    bool turned = is_turned(&p->world, goal, was.nodes[was.node_index].pose.root);
    if (take_whole(p, goal, pose)) return true;
    hf_plan_go_back(p, &was);
    return goal->placed && turned;
}

bool hf_plan_arrive(hf_planner* p, const hf_scenario_state* goal) {
    hf_plan_tree was = p->tree;
    p->tools.has_hit = false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    bool there = pose.q && reach_root(p, goal, &pose) && (!goal->whole || take_place(p, goal, &pose));
    hf_workspace_end(p->tools.workspace, mark);
    if (!there) hf_plan_go_back(p, &was);
    return there;
}
