/* Times along a root path under the limits of root speed, turn and acceleration: the fastest speed at each
   pose by what bends there, then never faster than speeding up and slowing down allow. */
#include "space/root_path.h"

#include "base/workspace.h"

#include <math.h>

/* Speeding up along the path and bending each get this share of the limit, so that both together keep it. */
static const double SHARE = 0.5;

/* Way of one piece in units of time at full speed. */
static double full_speed_time(const hf_guide_pose* a, const hf_guide_pose* b, const hf_body_limits* l) {
    return fmax(hf_distance(a->root.position, b->root.position) / l->root_speed,
                hf_quat_angle(a->root.rotation, b->root.rotation) / l->root_turn);
}

/* Largest share of full speed at pose i by how far the velocity changes there. */
static double corner_speed(const hf_guide_path* p, int i, const double* way, const hf_body_limits* l) {
    const hf_transform *a = &p->poses[i - 1].root, *b = &p->poses[i].root, *c = &p->poses[i + 1].root;
    hf_vec3 before = hf_scale(hf_sub(b->position, a->position), 1 / way[i - 1]);
    hf_vec3 after = hf_scale(hf_sub(c->position, b->position), 1 / way[i]);
    double change = hf_distance(before, after);
    hf_quat r = b->rotation;
    hf_vec3 turn_before = hf_scale(hf_quat_log(hf_quat_mul(r, hf_quat_conj(a->rotation))), 1 / way[i - 1]);
    hf_vec3 turn_after = hf_scale(hf_quat_log(hf_quat_mul(c->rotation, hf_quat_conj(r))), 1 / way[i]);
    // turns speed up as fast as the root: full turn when it has full speed
    double turn_change = hf_distance(turn_before, turn_after) * l->root_speed / l->root_turn;
    double bend = fmax(change, turn_change);
    if (!(bend > 1e-12)) return 1;
    return fmin(1, sqrt(SHARE * l->root_acceleration * 0.5 * (way[i - 1] + way[i]) / bend));
}

hf_status hf_guide_path_time(hf_guide_path* path, const hf_guide_model* model, hf_workspace* workspace) {
    int n = path->pose_count;
    path->length_m = 0;
    if (n == 0) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double* way = hf_workspace_take(workspace, (size_t)n, sizeof *way);
    double* speed = hf_workspace_take(workspace, (size_t)n, sizeof *speed); /* share of full speed */
    if (!way || !speed) {
        hf_workspace_end(workspace, mark);
        return HF_ERROR_MEMORY;
    }
    const hf_body_limits* l = &model->limits;
    double gain = SHARE * l->root_acceleration / l->root_speed;
    for (int i = 0; i + 1 < n; i++) {
        way[i] = fmax(1e-12, full_speed_time(&path->poses[i], &path->poses[i + 1], l));
        path->length_m += hf_distance(path->poses[i].root.position, path->poses[i + 1].root.position);
    }
    speed[0] = speed[n - 1] = 0;
    for (int i = 1; i + 1 < n; i++) speed[i] = corner_speed(path, i, way, l);
    for (int i = 1; i < n; i++)
        speed[i] = fmin(speed[i], sqrt(speed[i - 1] * speed[i - 1] + 2 * gain * way[i - 1]));
    for (int i = n - 2; i >= 0; i--)
        speed[i] = fmin(speed[i], sqrt(speed[i + 1] * speed[i + 1] + 2 * gain * way[i]));
    path->poses[0].time_s = 0;
    for (int i = 1; i < n; i++) {
        double both = speed[i - 1] + speed[i];
        // from rest to rest within one piece: up to the middle and down again
        double dt = both > 1e-12 ? 2 * way[i - 1] / both : 2 * sqrt(way[i - 1] / gain);
        path->poses[i].time_s = path->poses[i - 1].time_s + dt;
    }
    hf_workspace_end(workspace, mark);
    return HF_OK;
}
