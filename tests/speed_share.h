/* How fast a creature moves, for tests and benchmark. */
#ifndef HF_TESTS_SPEED_SHARE_H
#define HF_TESTS_SPEED_SHARE_H

#include <holdfast/holdfast.h>

#include <math.h>

/* The largest share of a speed limit that is used between two poses. */
static inline double speed_share(const hf_creature_view* c, const hf_pose* a, const hf_pose* b, double dt) {
    double most = hf_distance(a->root.position, b->root.position) / (dt * c->limits.root_speed);
    most = fmax(most, hf_quat_angle(a->root.rotation, b->root.rotation) / (dt * c->limits.root_turn));
    for (int i = 0; i < c->joint_count; i++) {
        const hf_joint* j = &c->joints[i];
        if (j->q_count == 1)
            most = fmax(most, fabs(b->q[j->q_index] - a->q[j->q_index]) / (dt * j->max_speed));
    }
    return most;
}

#endif
