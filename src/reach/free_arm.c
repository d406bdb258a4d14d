/* Free arms hang: the three joints of a shoulder are turned by damped Newton steps until the upper arm is as
   near to its direction in the rest posture as its limits allow, however the trunk leans below it. */
#include "reach/free_arm.h"

#include "base/linear.h"
#include "model/creature.h"
#include "reach/hand_solve.h"

#include <math.h>
#include <string.h>

enum { SHOULDER = HF_ARM_SHOULDER, JOINTS = HF_ARM_SHOULDER_JOINTS, ITERATIONS = 8 };
static const double NEAR_RAD = 0.01; /* an upper arm that is off by less hangs */
static const double DAMPING = 0.01;  /* of a step: shoulders whose axes meet do not turn wildly */

/* The link that the last joint of the shoulder turns, and the one that carries the arm. */
static int upper_link(const hf_reach_world* w, hf_side side) {
    const hf_control_layer* l = w->layer;
    int first = hf_control_first(side), link = w->creature->view.limbs[l->arms[side]].root_link;
    for (int k = SHOULDER; k < SHOULDER + JOINTS; k++)
        if (l->controls[first + k].part_count)
            link = w->creature->view.joints[l->parts[first + k][0].joint].child_link;
    return link;
}

static int carrying_link(const hf_reach_world* w, hf_side side) {
    return w->creature->view.limbs[w->layer->arms[side]].base_link;
}

void hf_free_arms_learn(const hf_reach_worker* w, hf_reach_hanging_arm arms[2]) {
    for (int side = 0; side < 2; side++) {
        arms[side].trunk = w->links[carrying_link(w->world, (hf_side)side)].rotation;
        arms[side].upper = w->links[upper_link(w->world, (hf_side)side)].rotation;
    }
}

/* How the upper arm shall be turned, for the trunk in the worker. */
static hf_quat wanted(const hf_reach_worker* w, hf_side side, double share) {
    const hf_reach_hanging_arm* rest = &w->world->hanging[side];
    hf_quat turn = hf_quat_mul(w->links[carrying_link(w->world, side)].rotation, hf_quat_conj(rest->trunk));
    double size = sqrt(turn.w * turn.w + turn.z * turn.z);
    hf_quat yaw = size > 0 ? (hf_quat){turn.w / size, 0, 0, turn.z / size} : hf_quat_identity();
    return hf_quat_slerp(hf_quat_mul(turn, rest->upper), hf_quat_mul(yaw, rest->upper), share);
}

/* One damped step of the joints of the shoulder against what the upper arm lacks: J^T (J J^T + damping)^-1 e.
 */
static bool turn_shoulder(const hf_reach_worker* w, int first, hf_vec3 lack, double* controls) {
    const hf_control_layer* l = w->world->layer;
    hf_vec3 axes[JOINTS];
    double a[9], inverse[3], y[3] = {lack.x, lack.y, lack.z};
    for (int k = 0; k < JOINTS; k++) {
        axes[k] = hf_v3(0, 0, 0);
        if (!l->controls[first + SHOULDER + k].part_count) continue;
        const hf_joint* j = &w->world->creature->view.joints[l->parts[first + SHOULDER + k][0].joint];
        if (j->type != HF_JOINT_PRISMATIC) axes[k] = hf_rotate(w->links[j->child_link].rotation, j->axis);
    }
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            a[3 * r + s] = r == s ? DAMPING : 0;
            for (int k = 0; k < JOINTS; k++) {
                double x[3] = {axes[k].x, axes[k].y, axes[k].z};
                a[3 * r + s] += x[r] * x[s];
            }
        }
    if (!hf_cholesky(a, 3, 3, inverse)) return false;
    hf_cholesky_solve(a, 3, 3, inverse, y);
    for (int k = 0; k < JOINTS; k++)
        controls[first + SHOULDER + k] += hf_dot(axes[k], hf_v3(y[0], y[1], y[2]));
    return true;
}

/* The links of the arm of the controls, in the worker: its pose is no posture of the controls any more. */
static void pose_arm(hf_reach_worker* w, hf_side side, const double* controls) {
    const hf_control_layer* l = w->world->layer;
    const hf_creature_view* v = &w->world->creature->view;
    int first = hf_control_first(side);
    w->posed = 0;
    for (int k = first; k < first + HF_CONTROL_ARM; k++)
        if (l->controls[k].part_count) w->pose.q[v->joints[l->parts[k][0].joint].q_index] = controls[k];
    hf_forward_limb(w->world->creature, l->arms[side], w->pose.q, w->links);
}

void hf_free_arm_hang(hf_reach_worker* w, hf_side side, double share, double* controls) {
    int first = hf_control_first(side), upper = upper_link(w->world, side);
    double state[HF_REACH_WIDTH], best[HF_CONTROL_ARM], least = INFINITY;
    memcpy(controls + first, w->world->rest + first, sizeof best);
    if (!(share > 0)) return;
    hf_reach_state(w, controls, state);
    hf_quat want = wanted(w, side, share);
    for (int i = 0; i < ITERATIONS; i++) {
        pose_arm(w, side, controls);
        hf_vec3 lack = hf_quat_log(hf_quat_mul(want, hf_quat_conj(w->links[upper].rotation)));
        if (hf_length(lack) >= least) break;
        least = hf_length(lack);
        memcpy(best, controls + first, sizeof best);
        if (least < NEAR_RAD || !turn_shoulder(w, first, lack, controls)) break;
        hf_hand_keep_range(w, controls);
    }
    memcpy(controls + first, best, sizeof best);
}

bool hf_free_arm_has(const hf_reach_world* w, hf_side side, int body) {
    const hf_creature_view* v = &w->creature->view;
    if (body < 0) return false;
    int link = v->bodies[body].link, root = v->limbs[w->layer->arms[side]].root_link;
    while (link > 0 && link != root) link = v->links[link].parent_link;
    return link == root;
}
