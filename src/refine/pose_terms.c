/* Terms of a pose path: smoothness, contacts, limits, forces, momentum and posture. */
#include "refine/pose_cost.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

/* What counts as one in a residual: the size of a deviation that matters as much as the others' sizes. */
static const double JERK = 60;                         /* rad/s3 or m/s3 */
static const double HOLD_M = 2e-4, HOLD_RAD = 2e-3;    /* a contact that holds */
static const double SWING_M = 0.002, SWING_RAD = 0.02; /* a limb on its way */
/* What it costs to give up a contact for a sample (its variable 0): as much as to be 20 mm off. Physics,
   which wants contacts, stands for it in Mordatch's method, where forces cost more the smaller the variables
   are. */
static const double GIVEN_UP = 0.5 * (0.02 / 2e-4) * (0.02 / 2e-4);
static const double LIMIT_RAD = 2e-3; /* beyond a joint's limit */
static const double WRENCH = 2e-3;    /* beyond a halfspace, body weights (times metres) */
static const double MOMENTUM_S = 0.3; /* angular momentum over weight, m s: a body's weight at arm's length */
static const double POSTURE_RAD = 0.7, BODY_M = 0.2, BODY_RAD = 0.4; /* from the wishes */
static const double COMFORT_RAD = 1;                                 /* from the rest posture */

hf_pose hf_cost_pose(const hf_pose_path* t, int k) {
    return (hf_pose){t->roots[k], t->q + (size_t)k * (size_t)t->creature->view.q_count};
}

void hf_cost_add(const hf_costing* c, hf_cost_sink* s, double r, int first, const double* row, int blocks) {
    r *= s->size;
    s->cost += r * r / 2;
    if (!s->gradient) return;
    int count = 0;
    for (int k = 0; k < blocks; k++)
        for (int i = 0; i < c->n; i++) {
            double value = row[k * c->n + i];
            if (value == 0 || c->place[i] < 0) continue;
            s->values[count] = s->size * value;
            s->columns[count++] = (first + k) * c->moving + c->place[i];
        }
    for (int a = 0; a < count; a++) {
        int i = s->columns[a];
        s->gradient[i] += r * s->values[a];
        for (int b = 0; s->normal && b <= a; b++)
            *hf_band_at(s->normal, i, s->columns[b]) += s->values[a] * s->values[b];
    }
}

/* A block is one number of one sample: written directly, as the rows have four entries each. */
hf_status hf_cost_jerk(const hf_costing* c, hf_cost_sink* s) {
    static const double third[HF_COST_SPAN] = {-1, 3, -3, 1};
    const hf_pose_path* t = c->t;
    double scale = s->size / (t->step_s * t->step_s * JERK);
    for (int k = 0; k + HF_COST_SPAN <= t->count; k++)
        for (int i = 0; i < c->n; i++) {
            const double* v = c->speeds + (size_t)k * (size_t)c->n + i;
            double r = scale * (v[0] - 2 * v[c->n] + v[2 * c->n]);
            s->cost += r * r / 2;
            for (int a = 0; s->gradient && c->place[i] >= 0 && a < HF_COST_SPAN; a++) {
                int at = (k + a) * c->moving + c->place[i];
                double by = third[a] * scale / t->step_s;
                s->gradient[at] += r * by;
                for (int b = 0; s->normal && b <= a; b++)
                    *hf_band_at(s->normal, at, (k + b) * c->moving + c->place[i]) +=
                        by * third[b] * scale / t->step_s;
            }
        }
    return HF_OK;
}

int hf_cost_hold(const hf_pose_path* t, int k, int limb) {
    return t->holds ? t->holds[(size_t)k * (size_t)t->creature->view.limb_count + (size_t)limb] : -1;
}

/* Three residuals; the rows, times the scale, are how they change. */
static void add_vector(const hf_costing* c, hf_cost_sink* s, int k, hf_vec3 r, const double* rows,
                       double scale) {
    const double value[3] = {r.x, r.y, r.z};
    for (int x = 0; x < 3; x++) {
        for (int i = 0; i < c->n; i++) c->row[i] = scale * rows[x * c->n + i];
        hf_cost_add(c, s, value[x], k, c->row, 1);
    }
}

double hf_cost_contact_size(const hf_pose_path* t, int hold) {
    return t->contact && hold >= 0 ? sqrt(t->contact[hold]) : 1;
}

/* What a target's effector is off, in residuals; the Jacobian is left in c->jacobian. */
static void measure_target(const hf_costing* c, const hf_pose_path_target* g, hf_vec3* off, hf_vec3* turn) {
    hf_transform link = c->links[g->link];
    hf_vec3 now = hf_apply(link, g->in_link);
    double size = g->holds ? hf_cost_contact_size(c->t, g->hold) : 1;
    *off = hf_scale(hf_sub(now, g->point), size / (g->holds ? HOLD_M : SWING_M));
    *turn = hf_quat_log(hf_quat_mul(link.rotation, hf_quat_conj(g->rotation)));
    *turn = hf_scale(*turn, g->turns ? size / (g->holds ? HOLD_RAD : SWING_RAD) : 0);
    hf_point_jacobian(c->t->creature, c->links, g->link, now, 6, c->jacobian);
}

hf_status hf_cost_contacts(const hf_costing* c, hf_cost_sink* s) {
    const hf_pose_path* t = c->t;
    int at = -1;
    for (int i = 0; i < t->target_count; i++) {
        const hf_pose_path_target* g = &t->targets[i];
        hf_pose pose = hf_cost_pose(t, g->sample);
        if (g->sample != at) hf_forward(t->creature, &pose, c->links);
        at = g->sample;
        hf_vec3 off, turn;
        measure_target(c, g, &off, &turn);
        double size = g->holds ? hf_cost_contact_size(t, g->hold) : 1, lost = 1 - size;
        add_vector(c, s, at, off, c->jacobian, size / (g->holds ? HOLD_M : SWING_M));
        if (g->turns)
            add_vector(c, s, at, turn, c->jacobian + 3 * c->n, size / (g->holds ? HOLD_RAD : SWING_RAD));
        s->cost += s->size * s->size * GIVEN_UP * lost * lost;
    }
    return HF_OK;
}

/* c E + n GIVEN_UP (1 - sqrt c)^2 is least at sqrt c = n GIVEN_UP / (E + n GIVEN_UP), E the cost of the
   hold's n samples with c = 1. */
void hf_cost_settle_contacts(const hf_costing* c) {
    const hf_pose_path* t = c->t;
    for (int h = 0; h < t->contact_count; h++) {
        double all = 0, given_up = 0;
        t->contact[h] = 1;
        for (int i = 0; i < t->target_count; i++) {
            const hf_pose_path_target* g = &t->targets[i];
            if (!g->holds || g->hold != h) continue;
            hf_pose pose = hf_cost_pose(t, g->sample);
            hf_forward(t->creature, &pose, c->links);
            hf_vec3 off, turn;
            measure_target(c, g, &off, &turn);
            all += (hf_dot(off, off) + hf_dot(turn, turn)) / 2, given_up += GIVEN_UP;
        }
        double root = given_up > 0 ? given_up / (all + given_up) : 1;
        t->contact[h] = root * root;
    }
}

/* By how much a joint's value is off; false where it counts for nothing. */
typedef bool (*joint_off)(const hf_creature_view* view, const hf_joint* joint, double q, double* off);

/* Every joint with one value of its own, at every sample. */
static void add_joints(const hf_costing* c, hf_cost_sink* s, joint_off is_off, double unit_rad) {
    const hf_creature_view* v = &c->t->creature->view;
    memset(c->row, 0, sizeof(double) * (size_t)c->n);
    for (int k = 0; k < c->t->count; k++)
        for (int j = 0; j < v->joint_count; j++) {
            const hf_joint* joint = &v->joints[j];
            double off;
            if (joint->q_count != 1 || joint->mimic >= 0) continue;
            if (!is_off(v, joint, hf_cost_pose(c->t, k).q[joint->q_index], &off)) continue;
            c->row[joint->v_index] = 1 / unit_rad;
            hf_cost_add(c, s, off / unit_rad, k, c->row, 1);
            c->row[joint->v_index] = 0;
        }
}

static bool beyond_limit(const hf_creature_view* v, const hf_joint* joint, double q, double* off) {
    (void)v;
    *off = fmax(q - joint->upper, 0) + fmin(q - joint->lower, 0);
    return *off != 0;
}

static bool from_rest(const hf_creature_view* v, const hf_joint* joint, double q, double* off) {
    *off = q - v->rest[joint->q_index];
    return true;
}

hf_status hf_cost_limits(const hf_costing* c, hf_cost_sink* s) {
    add_joints(c, s, beyond_limit, LIMIT_RAD);
    return HF_OK;
}

hf_status hf_cost_comfort(const hf_costing* c, hf_cost_sink* s) {
    add_joints(c, s, from_rest, COMFORT_RAD);
    return HF_OK;
}

/* Rows of the mass matrix that belong to the root: 6 x v_count; by symmetry the forces that accelerations of
   the root ask for. */
static hf_status find_root_mass(const hf_costing* c, const hf_pose* pose, double* mass) {
    hf_status status = HF_OK;
    double* unit = c->row;
    for (int r = 0; r < 6 && status == HF_OK; r++) {
        memset(unit, 0, sizeof(double) * (size_t)c->n);
        unit[r] = 1;
        status = hf_inverse_dynamics(c->t->creature, pose, NULL, unit, hf_v3(0, 0, 0), c->workspace,
                                     mass + r * c->n);
    }
    return status;
}

static hf_vec3 column_of(const double* rows, int n, int i) {
    return hf_v3(rows[i], rows[n + i], rows[2 * n + i]);
}

/* How the wrench about the stance's reference changes with the acceleration of each speed (6 x v_count), and
   its moment with the pose (3 x v_count), in body weights. The pose's share in the accelerations' part is
   left out: it is smaller by the step. */
typedef struct wrench_change {
    double w[6];
    double *by_acceleration, *by_pose;
} wrench_change;

static hf_status find_wrench(const hf_costing* c, int k, const hf_stance* s, wrench_change* out) {
    const hf_pose_path* t = c->t;
    hf_pose a = hf_cost_pose(t, k - 1), b = hf_cost_pose(t, k), d = hf_cost_pose(t, k + 1);
    hf_frame_wrench w;
    hf_status status = hf_frames_wrench(t->creature, 1 / t->step_s, &a, &b, &d, c->workspace, &w);
    if (status != HF_OK) return status;
    hf_vec3 f = hf_scale(hf_add(w.acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 m = hf_add(hf_cross(hf_sub(w.com, s->reference), f), hf_scale(w.momentum_rate, 1 / s->weight));
    memcpy(out->w, (double[6]){f.x, f.y, f.z, m.x, m.y, m.z}, sizeof out->w);
    return HF_OK;
}

static hf_status find_change(const hf_costing* c, int k, const hf_stance* s, wrench_change* out) {
    hf_pose pose = hf_cost_pose(c->t, k);
    double* mass = c->jacobian;
    hf_status status = find_root_mass(c, &pose, mass);
    if (status != HF_OK) return status;
    hf_vec3 arm = hf_sub(pose.root.position, s->reference), f = hf_v3(out->w[0], out->w[1], out->w[2]);
    for (int i = 0; i < c->n; i++) {
        hf_vec3 force = hf_scale(column_of(mass, c->n, i), 1 / s->weight);
        hf_vec3 moment =
            hf_add(hf_scale(column_of(mass + 3 * c->n, c->n, i), 1 / s->weight), hf_cross(arm, force));
        const double both[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
        for (int r = 0; r < 6; r++) out->by_acceleration[r * c->n + i] = both[r];
    }
    hf_forward(c->t->creature, &pose, c->links);
    hf_com_jacobian(c->t->creature, c->links, c->jacobian);
    for (int i = 0; i < c->n; i++) {
        hf_vec3 moment = hf_cross(column_of(c->jacobian, c->n, i), f);
        out->by_pose[i] = moment.x, out->by_pose[c->n + i] = moment.y, out->by_pose[2 * c->n + i] = moment.z;
    }
    return HF_OK;
}

/* One halfspace that the wrench is beyond, or nearer to than the margin. */
static void add_facet(const hf_costing* c, hf_cost_sink* s, int k, const double a[6], double over,
                      const wrench_change* w) {
    double per_step = 1 / (c->t->step_s * c->t->step_s);
    for (int i = 0; i < c->n && s->gradient; i++) {
        double by = 0, still = 0;
        for (int r = 0; r < 6; r++) by += a[r] * w->by_acceleration[r * c->n + i];
        for (int r = 0; r < 3; r++) still += a[3 + r] * w->by_pose[r * c->n + i];
        c->row[i] = c->row[2 * c->n + i] = by * per_step / WRENCH;
        c->row[c->n + i] = (still - 2 * by * per_step) / WRENCH;
    }
    hf_cost_add(c, s, over / WRENCH, k - 1, c->row, 3);
}

static hf_status add_wrench(const hf_costing* c, hf_cost_sink* s, int k, wrench_change* w) {
    const hf_stance* stance = c->t->stances[k];
    const hf_wrench_polytope* p = stance ? &stance->polytope : NULL;
    if (!p || !p->known) return HF_OK;
    hf_status status = find_wrench(c, k, stance, w);
    bool changes = false; // how the wrench changes is known
    for (int i = 0; i < p->facet_count && status == HF_OK; i++) {
        double a[6], over = c->t->margin_m[k] - p->facets[6 * p->capacity + i];
        for (int r = 0; r < 6; r++) a[r] = p->facets[r * p->capacity + i], over += a[r] * w->w[r];
        if (!(over > 0)) continue;
        if (!changes && s->gradient) status = find_change(c, k, stance, w);
        changes = true;
        if (status == HF_OK) add_facet(c, s, k, a, over, w);
    }
    return status;
}

hf_status hf_cost_wrenches(const hf_costing* c, hf_cost_sink* s) {
    hf_workspace_mark mark = hf_workspace_begin(c->workspace);
    wrench_change w = {.by_acceleration = hf_workspace_take(c->workspace, 9 * (size_t)c->n, sizeof(double))};
    hf_status status = w.by_acceleration ? HF_OK : HF_ERROR_MEMORY;
    w.by_pose = w.by_acceleration + 6 * c->n;
    for (int k = 1; c->t->stances && k + 1 < c->t->count && status == HF_OK; k++)
        status = add_wrench(c, s, k, &w);
    hf_workspace_end(c->workspace, mark);
    return status;
}

/* The root's rows of the mass matrix become those of the angular momentum about the centre of mass, 3 rows.
 */
static void turn_to_momentum(const hf_costing* c, const hf_pose* pose, double* mass) {
    hf_forward(c->t->creature, pose, c->links);
    hf_vec3 arm = hf_sub(pose->root.position, hf_com(c->t->creature, c->links));
    for (int i = 0; i < c->n; i++) {
        hf_vec3 m = hf_add(column_of(mass + 3 * c->n, c->n, i), hf_cross(arm, column_of(mass, c->n, i)));
        mass[i] = m.x, mass[c->n + i] = m.y, mass[2 * c->n + i] = m.z;
    }
}

/* The angular momentum itself: the forces that would give the speeds as accelerations. */
static hf_status find_momentum(const hf_costing* c, int k, const hf_pose* pose, double out[3]) {
    const double* v = c->speeds + (size_t)k * (size_t)c->n;
    double* force = c->row;
    hf_status status =
        hf_inverse_dynamics(c->t->creature, pose, NULL, v, hf_v3(0, 0, 0), c->workspace, force);
    hf_forward(c->t->creature, pose, c->links);
    hf_vec3 arm = hf_sub(pose->root.position, hf_com(c->t->creature, c->links));
    hf_vec3 m =
        hf_add(hf_v3(force[3], force[4], force[5]), hf_cross(arm, hf_v3(force[0], force[1], force[2])));
    out[0] = m.x, out[1] = m.y, out[2] = m.z;
    return status;
}

/* The angular momentum about the centre of mass between two samples, with the masses of the first. */
hf_status hf_cost_momenta(const hf_costing* c, hf_cost_sink* s) {
    const hf_pose_path* t = c->t;
    hf_status status = HF_OK;
    double weight = t->creature->view.mass * HF_GRAVITY_M_S2, scale = 1 / (weight * MOMENTUM_S);
    for (int k = 0; k + 1 < t->count && status == HF_OK; k++) {
        hf_pose pose = hf_cost_pose(t, k);
        double *mass = c->jacobian, momentum[3];
        status = find_momentum(c, k, &pose, momentum);
        if (status == HF_OK && s->gradient) status = find_root_mass(c, &pose, mass);
        if (status == HF_OK && s->gradient) turn_to_momentum(c, &pose, mass);
        for (int x = 0; x < 3 && status == HF_OK; x++) {
            for (int i = 0; i < c->n && s->gradient; i++) {
                double by = scale * mass[x * c->n + i] / t->step_s;
                c->row[i] = -by, c->row[c->n + i] = by;
            }
            hf_cost_add(c, s, scale * momentum[x], k, c->row, 2);
        }
    }
    return status;
}

hf_status hf_cost_posture(const hf_costing* c, hf_cost_sink* s) {
    const hf_pose_path* t = c->t;
    double* off = c->jacobian;
    memset(c->row, 0, sizeof(double) * (size_t)c->n);
    for (int k = 0; k < t->count; k++) {
        if (!(t->freedom[k] > 0)) continue;
        hf_pose pose = hf_cost_pose(t, k),
                wish = {t->wished_roots[k],
                        (double*)(uintptr_t)(t->wished_q + (size_t)k * (size_t)t->creature->view.q_count)};
        hf_pose_difference(t->creature, &wish, &pose, off);
        for (int i = 0; i < c->n; i++) {
            c->row[i] = 1 / (t->freedom[k] * (i < 3 ? BODY_M : i < 6 ? BODY_RAD : POSTURE_RAD));
            hf_cost_add(c, s, off[i] * c->row[i], k, c->row, 1);
            c->row[i] = 0;
        }
    }
    return HF_OK;
}
