/* Random bodies for a stance: shifts and turns of the root, bends of the trunk, and what brings such a body
   back to where it keeps its holds and its balance. */
#include "plan/planner.h"

#include <math.h>

enum { SETTLE_ROUNDS = 6 };
static const double PITCH = 3; /* a body leans farther forwards and back than it rolls and turns */

hf_random hf_body_draws(const hf_planner* p, uint32_t stream) {
    return hf_random_start(p->world.options->seed, stream,
                           (uint64_t)p->progress.work + ((uint64_t)p->world.attempt << 32));
}

static hf_quat turned(hf_vec3 by) {
    double angle = hf_length(by);
    return angle > 0 ? hf_quat_axis_angle(hf_scale(by, 1 / angle), angle) : hf_quat_identity();
}

hf_transform hf_body_shift(const hf_plan_world* w, hf_random* random, double size) {
    double h = size * w->model->size, v[6];
    for (int i = 0; i < 6; i++) v[i] = hf_random_between(random, -1, 1);
    hf_vec3 turn = hf_scale(hf_v3(v[3], PITCH * v[4], v[5]), size);
    return (hf_transform){hf_scale(hf_v3(v[0], v[1], v[2] > 0 ? v[2] / 2 : v[2]), h), turned(turn)};
}

void hf_body_bend_by(const hf_plan_world* w, hf_vec3 bend, double* q) {
    for (int j = 0; j < w->view->joint_count; j++) {
        const hf_joint* joint = &w->view->joints[j];
        double part = hf_dot(bend, w->model->bend_axis[j]);
        if (part == 0) continue;
        double* at = &q[joint->q_index];
        double rest = w->home[joint->q_index];
        *at = rest + fabs(part) * ((part > 0 ? joint->upper : joint->lower) - rest);
    }
    hf_pose_follow(w->creature, q);
}

void hf_body_bend(const hf_plan_world* w, hf_random* random, double most, double* q) {
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = hf_random_between(random, -most, most);
    hf_body_bend_by(w, hf_v3(v[0] / 2, v[1], v[2] / 2), q);
}

bool hf_body_settle(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, double aim, hf_pose* pose) {
    hf_stance_wish over = {stance, aim};
    hf_vec3 pull, shift;
    double missed = INFINITY;
    for (int round = 0; round < SETTLE_ROUNDS && hf_plan_ok(p); round++) {
        if (!hf_holds_near(p, holds, count, pose, &pull)) {
            // where the pull does not shrink the limbs cannot hold
            double miss = hf_length(pull);
            if (miss >= missed) return false;
            missed = miss;
            hf_pose_give_way(pose, pull);
            continue;
        }
        if (hf_stance_balance(&over, hf_com_at(p, pose), &shift) >= margin)
            return hf_holds_keep(p, holds, count, pose, &pull);
        missed = INFINITY;
        pose->root.position = hf_add(pose->root.position, shift);
    }
    return false;
}
