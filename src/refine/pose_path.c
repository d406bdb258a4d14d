/* Costs of a pose path and Gauss-Newton steps over their banded normal equations. */
#include "refine/pose_path.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "base/band.h"
#include "refine/work.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

/* What counts as one in a residual: the size of a deviation that matters as much as the others' sizes. */
static const double JERK = 60;                         /* rad/s3 or m/s3 */
static const double HOLD_M = 2e-4, HOLD_RAD = 2e-3;    /* a contact that holds */
static const double SWING_M = 0.002, SWING_RAD = 0.02; /* a limb on its way */
static const double LIMIT_RAD = 2e-3;                  /* beyond a joint's limit */
static const double WRENCH = 2e-3;                     /* beyond a halfspace, body weights (times metres) */
static const double MOMENTUM_S = 0.3; /* angular momentum over weight, m s: a body's weight at arm's length */
static const double POSTURE_RAD = 0.7, BODY_M = 0.2, BODY_RAD = 0.4; /* from the wishes */

enum { ENDS = 3, SPAN = 4 }; /* samples that stay; samples that one residual knows of at most */

/* Where residuals go: the cost, the gradient, and the normal matrix where it is asked for. */
typedef struct sink {
    double cost;
    double* gradient; /* NULL: none */
    hf_band* normal;  /* NULL: none */
    int* columns;     /* scratch: where a row is not zero, and what it is there */
    double* values;
} sink;

typedef struct costing {
    const hf_pose_path* t;
    hf_workspace* workspace;
    int n;      /* v_count */
    int moving; /* speeds that the optimiser changes, and the place of each of them; -1: it stays */
    int* place;
    hf_transform* links;
    double* jacobian; /* 6 rows */
    double* row;      /* SPAN blocks of v_count */
    double* speeds;   /* count - 1 rows: differences of neighbours over the step */
} costing;

static hf_pose pose_of(const hf_pose_path* t, int k) {
    return (hf_pose){t->roots[k], t->q + (size_t)k * (size_t)t->creature->view.q_count};
}

static bool stays(const hf_pose_path* t, int k) { return k < ENDS || k >= t->count - ENDS; }

/* Adds residual r whose derivatives are the row, which begins with the block of sample `first`. */
static void add_row(const costing* c, sink* s, double r, int first, const double* row, int blocks) {
    s->cost += r * r / 2;
    if (!s->gradient) return;
    int count = 0;
    for (int k = 0; k < blocks; k++)
        for (int i = 0; i < c->n; i++) {
            double value = row[k * c->n + i];
            if (value == 0 || c->place[i] < 0) continue;
            s->values[count] = value;
            s->columns[count++] = (first + k) * c->moving + c->place[i];
        }
    for (int a = 0; a < count; a++) {
        int i = s->columns[a];
        s->gradient[i] += r * s->values[a];
        for (int b = 0; s->normal && b <= a; b++)
            *hf_band_at(s->normal, i, s->columns[b]) += s->values[a] * s->values[b];
    }
}

/* ---- terms ---- */

/* A block is one number of one sample: written directly, as the rows have four entries each. */
static void add_jerk(const costing* c, sink* s) {
    static const double third[SPAN] = {-1, 3, -3, 1};
    const hf_pose_path* t = c->t;
    double scale = 1 / (t->step_s * t->step_s * JERK);
    for (int k = 0; k + ENDS < t->count; k++)
        for (int i = 0; i < c->n; i++) {
            const double* v = c->speeds + (size_t)k * (size_t)c->n + i;
            double r = scale * (v[0] - 2 * v[c->n] + v[2 * c->n]);
            s->cost += r * r / 2;
            for (int a = 0; s->gradient && c->place[i] >= 0 && a < SPAN; a++) {
                int at = (k + a) * c->moving + c->place[i];
                double by = third[a] * scale / t->step_s;
                s->gradient[at] += r * by;
                for (int b = 0; s->normal && b <= a; b++)
                    *hf_band_at(s->normal, at, (k + b) * c->moving + c->place[i]) +=
                        by * third[b] * scale / t->step_s;
            }
        }
}

static void add_vector(const costing* c, sink* s, int k, hf_vec3 r, const double* rows, double scale) {
    const double value[3] = {r.x, r.y, r.z};
    for (int x = 0; x < 3; x++) {
        for (int i = 0; i < c->n; i++) c->row[i] = scale * rows[x * c->n + i];
        add_row(c, s, scale * value[x], k, c->row, 1);
    }
}

static void add_contacts(const costing* c, sink* s) {
    const hf_pose_path* t = c->t;
    int at = -1;
    for (int i = 0; i < t->target_count; i++) {
        const hf_pose_path_target* g = &t->targets[i];
        hf_pose pose = pose_of(t, g->sample);
        if (g->sample != at) hf_forward(t->creature, &pose, c->links);
        at = g->sample;
        hf_transform link = c->links[g->link];
        hf_vec3 now = hf_apply(link, g->in_link);
        hf_point_jacobian(t->creature, c->links, g->link, now, 6, c->jacobian);
        add_vector(c, s, at, hf_sub(now, g->point), c->jacobian, 1 / (g->holds ? HOLD_M : SWING_M));
        if (!g->turns) continue;
        hf_vec3 turn = hf_quat_log(hf_quat_mul(link.rotation, hf_quat_conj(g->rotation)));
        add_vector(c, s, at, turn, c->jacobian + 3 * c->n, 1 / (g->holds ? HOLD_RAD : SWING_RAD));
    }
}

static void add_limits(const costing* c, sink* s) {
    const hf_pose_path* t = c->t;
    const hf_creature_view* v = &t->creature->view;
    memset(c->row, 0, sizeof(double) * (size_t)c->n);
    for (int k = 0; k < t->count; k++)
        for (int j = 0; j < v->joint_count; j++) {
            const hf_joint* joint = &v->joints[j];
            if (joint->q_count != 1 || joint->mimic >= 0) continue;
            double q = pose_of(t, k).q[joint->q_index];
            double over = fmax(q - joint->upper, 0) + fmin(q - joint->lower, 0);
            if (over == 0) continue;
            c->row[joint->v_index] = 1 / LIMIT_RAD;
            add_row(c, s, over / LIMIT_RAD, k, c->row, 1);
            c->row[joint->v_index] = 0;
        }
}

/* Rows of the mass matrix that belong to the root: 6 x v_count; by symmetry the forces that accelerations of
   the root ask for. */
static hf_status find_root_mass(const costing* c, const hf_pose* pose, double* mass) {
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

static hf_status find_wrench(const costing* c, int k, const hf_stance* s, wrench_change* out) {
    const hf_pose_path* t = c->t;
    hf_pose a = pose_of(t, k - 1), b = pose_of(t, k), d = pose_of(t, k + 1);
    hf_frame_wrench w;
    hf_status status = hf_frames_wrench(t->creature, 1 / t->step_s, &a, &b, &d, c->workspace, &w);
    if (status != HF_OK) return status;
    hf_vec3 f = hf_scale(hf_add(w.acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 m = hf_add(hf_cross(hf_sub(w.com, s->reference), f), hf_scale(w.momentum_rate, 1 / s->weight));
    memcpy(out->w, (double[6]){f.x, f.y, f.z, m.x, m.y, m.z}, sizeof out->w);
    return HF_OK;
}

static hf_status find_change(const costing* c, int k, const hf_stance* s, wrench_change* out) {
    hf_pose pose = pose_of(c->t, k);
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
static void add_facet(const costing* c, sink* s, int k, const double a[6], double over,
                      const wrench_change* w) {
    double per_step = 1 / (c->t->step_s * c->t->step_s);
    for (int i = 0; i < c->n && s->gradient; i++) {
        double by = 0, still = 0;
        for (int r = 0; r < 6; r++) by += a[r] * w->by_acceleration[r * c->n + i];
        for (int r = 0; r < 3; r++) still += a[3 + r] * w->by_pose[r * c->n + i];
        c->row[i] = c->row[2 * c->n + i] = by * per_step / WRENCH;
        c->row[c->n + i] = (still - 2 * by * per_step) / WRENCH;
    }
    add_row(c, s, over / WRENCH, k - 1, c->row, 3);
}

static hf_status add_wrench(const costing* c, sink* s, int k, wrench_change* w) {
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

static hf_status add_wrenches(const costing* c, sink* s) {
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
static void turn_to_momentum(const costing* c, const hf_pose* pose, double* mass) {
    hf_forward(c->t->creature, pose, c->links);
    hf_vec3 arm = hf_sub(pose->root.position, hf_com(c->t->creature, c->links));
    for (int i = 0; i < c->n; i++) {
        hf_vec3 m = hf_add(column_of(mass + 3 * c->n, c->n, i), hf_cross(arm, column_of(mass, c->n, i)));
        mass[i] = m.x, mass[c->n + i] = m.y, mass[2 * c->n + i] = m.z;
    }
}

/* The angular momentum itself: the forces that would give the speeds as accelerations. */
static hf_status find_momentum(const costing* c, int k, const hf_pose* pose, double out[3]) {
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
static hf_status add_momenta(const costing* c, sink* s) {
    const hf_pose_path* t = c->t;
    hf_status status = HF_OK;
    double weight = t->creature->view.mass * HF_GRAVITY_M_S2, scale = 1 / (weight * MOMENTUM_S);
    for (int k = 0; k + 1 < t->count && status == HF_OK; k++) {
        hf_pose pose = pose_of(t, k);
        double *mass = c->jacobian, momentum[3];
        status = find_momentum(c, k, &pose, momentum);
        if (status == HF_OK && s->gradient) status = find_root_mass(c, &pose, mass);
        if (status == HF_OK && s->gradient) turn_to_momentum(c, &pose, mass);
        for (int x = 0; x < 3 && status == HF_OK; x++) {
            for (int i = 0; i < c->n && s->gradient; i++) {
                double by = scale * mass[x * c->n + i] / t->step_s;
                c->row[i] = -by, c->row[c->n + i] = by;
            }
            add_row(c, s, scale * momentum[x], k, c->row, 2);
        }
    }
    return status;
}

static void add_posture(const costing* c, sink* s) {
    const hf_pose_path* t = c->t;
    double* off = c->jacobian;
    memset(c->row, 0, sizeof(double) * (size_t)c->n);
    for (int k = 0; k < t->count; k++) {
        hf_pose pose = pose_of(t, k),
                wish = {t->wished_roots[k],
                        (double*)(uintptr_t)(t->wished_q + (size_t)k * (size_t)t->creature->view.q_count)};
        hf_pose_difference(t->creature, &wish, &pose, off);
        for (int i = 0; i < c->n; i++) {
            c->row[i] = 1 / (t->freedom[k] * (i < 3 ? BODY_M : i < 6 ? BODY_RAD : POSTURE_RAD));
            add_row(c, s, off[i] * c->row[i], k, c->row, 1);
            c->row[i] = 0;
        }
    }
}

static hf_status add_term(const costing* c, hf_pose_path_term term, sink* s) {
    switch (term) {
    case HF_COST_JERK:
        add_jerk(c, s);
        return HF_OK;
    case HF_COST_CONTACT:
        add_contacts(c, s);
        return HF_OK;
    case HF_COST_LIMITS:
        add_limits(c, s);
        return HF_OK;
    case HF_COST_WRENCH:
        return add_wrenches(c, s);
    case HF_COST_MOMENTUM:
        return add_momenta(c, s);
    default:
        add_posture(c, s);
        return HF_OK;
    }
}

/* ---- the whole ---- */

static hf_status begin(const hf_pose_path* t, hf_workspace* w, costing* c, sink* s) {
    size_t n = (size_t)t->creature->view.v_count;
    *c = (costing){.t = t, .workspace = w, .n = (int)n};
    c->links = hf_workspace_take(w, (size_t)t->creature->view.link_count, sizeof *c->links);
    c->jacobian = hf_workspace_take(w, 6 * n, sizeof(double));
    c->row = hf_workspace_take(w, SPAN * n, sizeof(double));
    c->speeds = hf_workspace_take(w, (size_t)t->count * n, sizeof(double));
    *s = (sink){.columns = hf_workspace_take(w, SPAN * n, sizeof(int)),
                .values = hf_workspace_take(w, SPAN * n, sizeof(double))};
    c->place = hf_workspace_take(w, n, sizeof(int));
    if (!c->links || !c->jacobian || !c->row || !c->speeds || !s->columns || !s->values || !c->place)
        return HF_ERROR_MEMORY;
    for (int i = 0; i < c->n; i++) c->place[i] = !t->moves || t->moves[i] ? c->moving++ : -1;
    return HF_OK;
}

static void find_speeds(costing* c) {
    for (int k = 0; k + 1 < c->t->count; k++) {
        hf_pose a = pose_of(c->t, k), b = pose_of(c->t, k + 1);
        double* v = c->speeds + (size_t)k * (size_t)c->n;
        hf_pose_difference(c->t->creature, &a, &b, v);
        for (int i = 0; i < c->n; i++) v[i] /= c->t->step_s;
    }
}

hf_status hf_pose_path_cost(const hf_pose_path* t, hf_pose_path_term term, hf_workspace* w, double* cost,
                            double* gradient) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    costing c;
    sink s;
    hf_status status = begin(t, w, &c, &s);
    s.gradient = gradient;
    if (status == HF_OK) find_speeds(&c);
    if (status == HF_OK) status = add_term(&c, term, &s);
    *cost = s.cost;
    hf_workspace_end(w, mark);
    return status;
}

static hf_status add_all(costing* c, sink* s) {
    hf_status status = HF_OK;
    find_speeds(c);
    s->cost = 0;
    for (int i = 0; i < HF_COST_COUNT && status == HF_OK; i++) status = add_term(c, i, s);
    return status;
}

/* The normal equations and their right hand side. */
typedef struct equations {
    hf_band normal, damped;
    double *gradient, *step;
    size_t values, numbers;
} equations;

static hf_status take_equations(const costing* c, equations* e) {
    hf_workspace* w = c->workspace;
    int width = SPAN * c->moving - 1;
    e->numbers = (size_t)c->t->count * (size_t)c->moving;
    e->values = e->numbers * (size_t)(width + 1);
    e->normal = (hf_band){(int)e->numbers, width, hf_workspace_take(w, e->values, sizeof(double))};
    e->damped = (hf_band){(int)e->numbers, width, hf_workspace_take(w, e->values, sizeof(double))};
    e->gradient = hf_workspace_take(w, e->numbers, sizeof(double));
    e->step = hf_workspace_take(w, e->numbers, sizeof(double));
    return e->normal.values && e->damped.values && e->gradient && e->step ? HF_OK : HF_ERROR_MEMORY;
}

/* Samples that stay get a step of zero: their rows and columns become those of the unit matrix. */
static void fix_ends(const costing* c, equations* e) {
    for (size_t row = 0; row < e->numbers; row++) {
        bool fixed = stays(c->t, (int)row / c->moving);
        int from = (int)row - e->damped.width > 0 ? (int)row - e->damped.width : 0;
        for (int column = from; column <= (int)row; column++)
            if (fixed || stays(c->t, column / c->moving))
                *hf_band_at(&e->damped, (int)row, column) = column == (int)row;
        if (fixed) e->step[row] = 0;
    }
}

static bool solve(const costing* c, equations* e, double damping) {
    memcpy(e->damped.values, e->normal.values, sizeof(double) * e->values);
    for (size_t i = 0; i < e->numbers; i++) {
        e->step[i] = -e->gradient[i];
        double* d = hf_band_at(&e->damped, (int)i, (int)i);
        *d += damping * (1 + *d);
    }
    fix_ends(c, e);
    if (!hf_band_factor(&e->damped)) return false;
    hf_band_solve(&e->damped, e->step, 1);
    return true;
}

/* The poses moved by the step into other memory. */
static void move(const costing* c, const double* step, hf_transform* roots, double* q) {
    for (int k = 0; k < c->t->count; k++) {
        hf_pose from = pose_of(c->t, k), to = {.q = q + (size_t)k * (size_t)c->t->creature->view.q_count};
        for (int i = 0; i < c->n; i++)
            c->row[i] = c->place[i] < 0 ? 0 : step[(size_t)k * (size_t)c->moving + (size_t)c->place[i]];
        hf_pose_integrate(c->t->creature, &from, c->row, 1, &to);
        hf_pose_follow(c->t->creature, to.q);
        roots[k] = to.root;
    }
}

/* Levenberg's damping, as a share of the diagonal: where to begin, and how it changes. */
static const double DAMPING = 1e-4, LESS = 0.2, MORE = 8, MOST = 1e6;
/* Of one product of the banded factor, microseconds. */
static const double SOLVE_WORK = 5e-4;
/* A step that leaves more than this share of the cost is the last one. */
static const double WORTH_A_STEP = 0.97;

/* One step that lowers the cost; false: there is none. */
static hf_status descend(costing* c, sink* s, equations* e, hf_pose_path* other, double* damping,
                         bool* done) {
    hf_pose_path* t = (hf_pose_path*)(uintptr_t)c->t;
    double before = s->cost;
    *done = false;
    for (; *damping < MOST; *damping *= MORE) {
        hf_spend(c->workspace, t->creature, HF_WORK_STEP, t->count);
        hf_workspace_spend(c->workspace, SOLVE_WORK * (double)e->values * (e->normal.width + 1));
        if (!solve(c, e, *damping)) continue;
        move(c, e->step, other->roots, other->q);
        costing there = *c;
        sink only = {.columns = s->columns, .values = s->values};
        there.t = other;
        hf_status status = add_all(&there, &only);
        if (status != HF_OK) return status;
        if (!(only.cost < before)) continue;
        hf_transform* roots = t->roots;
        double* q = t->q;
        t->roots = other->roots, t->q = other->q, other->roots = roots, other->q = q;
        s->cost = only.cost;
        *damping *= LESS;
        *done = true;
        return HF_OK;
    }
    return HF_OK;
}

static hf_status improve(costing* c, sink* s, hf_pose_path* other, int steps, double costs[2]) {
    equations e;
    double damping = DAMPING;
    hf_status status = take_equations(c, &e);
    for (int i = 0; i < steps && status == HF_OK && hf_workspace_goes_on(c->workspace); i++) {
        memset(e.normal.values, 0, sizeof(double) * e.values);
        memset(e.gradient, 0, sizeof(double) * e.numbers);
        s->gradient = e.gradient, s->normal = &e.normal;
        status = add_all(c, s);
        double before = s->cost;
        bool done = false;
        if (i == 0) costs[0] = before;
        costs[1] = before;
        if (status == HF_OK) status = descend(c, s, &e, other, &damping, &done);
        if (done) costs[1] = s->cost;
        if (!done || s->cost > WORTH_A_STEP * before) break;
    }
    return status;
}

hf_status hf_pose_path_improve(hf_pose_path* t, int steps, hf_workspace* w, double costs[2]) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)t->count, q = n * (size_t)t->creature->view.q_count;
    hf_transform* roots = t->roots;
    double *values = t->q, none[2];
    hf_pose_path other = *t;
    costing c;
    sink s;
    hf_status status = begin(t, w, &c, &s);
    other.roots = hf_workspace_take(w, n, sizeof *other.roots);
    other.q = hf_workspace_take(w, q + 1, sizeof(double));
    if (status == HF_OK && (!other.roots || !other.q)) status = HF_ERROR_MEMORY;
    if (status == HF_OK && t->count > 2 * ENDS) status = improve(&c, &s, &other, steps, costs ? costs : none);
    // the poses stay where the caller has them
    if (t->roots != roots && status == HF_OK) {
        memcpy(roots, t->roots, sizeof *roots * n);
        memcpy(values, t->q, sizeof *values * q);
    }
    t->roots = roots, t->q = values;
    hf_workspace_end(w, mark);
    return status;
}
