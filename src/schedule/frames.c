/* What every frame must keep: speeds, holds between two frames, and the inertial wrench of its motion. */
#include "schedule/frames.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <holdfast/balance.h>
#include <holdfast/rom.h>

#include <math.h>

double hf_frames_speed(const hf_creature* creature, double rate, const hf_pose* a, const hf_pose* b) {
    const hf_creature_view* v = &creature->view;
    double most = fmax(hf_distance(a->root.position, b->root.position) / v->limits.root_speed,
                       hf_quat_angle(a->root.rotation, b->root.rotation) / v->limits.root_turn);
    for (int j = 0; j < v->joint_count; j++)
        for (int i = v->joints[j].q_index; i < v->joints[j].q_index + v->joints[j].q_count; i++)
            most = fmax(most, fabs(a->q[i] - b->q[i]) / v->joints[j].max_speed);
    return most * rate;
}

void hf_frames_keep_range(const hf_creature* creature, double* q) {
    for (int r = 0; r < creature->view.rom_count; r++)
        if (!hf_rom_contains(creature, r, q, HF_ROM_RAD)) hf_rom_project(creature, r, q);
}

bool hf_frames_keep(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                    const hf_transform* links) {
    double off_m, off_rad;
    hf_anchor_error(creature, hold, anchor, links, &off_m, &off_rad);
    return off_m <= HF_SLIP_BETWEEN_M && off_rad <= HF_SLIP_BETWEEN_RAD;
}

hf_status hf_frames_wrench(const hf_creature* creature, double rate, const hf_pose* before,
                           const hf_pose* here, const hf_pose* after, hf_workspace* workspace,
                           hf_frame_wrench* wrench) {
    const hf_creature_view* v = &creature->view;
    size_t n = (size_t)v->v_count;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double* in = hf_workspace_take(workspace, 3 * n, sizeof *in);
    hf_transform* links = hf_workspace_take(workspace, (size_t)v->link_count, sizeof *links);
    hf_status status = in && links ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        double *out = in + n, *force = out + n;
        hf_pose_difference(creature, before, here, in);
        hf_pose_difference(creature, here, after, out);
        for (size_t i = 0; i < n; i++) {
            double acceleration = (out[i] - in[i]) * rate * rate;
            in[i] = (out[i] + in[i]) * rate / 2;
            out[i] = acceleration;
        }
        hf_vec3 gravity = hf_v3(0, 0, -HF_GRAVITY_M_S2);
        status = hf_inverse_dynamics(creature, here, in, out, gravity, workspace, force);
        hf_forward(creature, here, links);
        wrench->com = hf_com(creature, links);
        hf_vec3 f = hf_v3(force[0], force[1], force[2]), t = hf_v3(force[3], force[4], force[5]);
        wrench->acceleration = hf_add(hf_scale(f, 1 / v->mass), gravity);
        wrench->momentum_rate = hf_add(t, hf_cross(hf_sub(here->root.position, wrench->com), f));
    }
    hf_workspace_end(workspace, mark);
    return status;
}
