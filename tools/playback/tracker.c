/* The tracking controller. Unknowns x are the torques of the motors and the forces at the points that touch:
   eight edges of a friction cone each, at least 0, or the three parts of a grip's force. Accelerations follow
   from them by M a = B x - h. Minimised are, in units of a mass times an acceleration squared:
   - what accelerations differ from those of the target with its feedback, weighed with the masses that they
     move (Gauss's principle of least constraint),
   - what points that touch would accelerate by, which should rest,
   - what the forces lack of the wrench that the whole body needs about its centre of mass,
   - the forces themselves, a little. */
#include "tracker.h"

#include "box_program.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Feedback: an error of root and joints is down to a tenth within 0.4 s, a short swing, and does not
   overshoot (damping of twice the square root). Slower for the whole body, which contacts can push less than
   motors can move limbs: 0.6 s. Faster for points on their surface, which have a few millimetres to go: 0.13
   s. */
static const double STIFFNESS = 100, DAMPING = 20;           /* 1/s2, 1/s: of root and joints */
static const double COM_STIFFNESS = 40, COM_DAMPING = 12;    /* of the centre of mass */
static const double TURN_STIFFNESS = 40, TURN_DAMPING = 12;  /* of the root's turn and the angular momentum */
static const double REST_STIFFNESS = 900, REST_DAMPING = 60; /* of the gap and speed of points that bear */
/* Weights, each beside accelerations of the whole body, whose weight is 1. Balance comes before postures, and
   points that bear before both, as what slips is lost; one to two powers of ten part them. Turning is the
   least: arms that swing as the target has them hold most of it. */
static const double COM_WEIGHT = 30;   /* times the whole mass */
static const double TURN_WEIGHT = 0.1; /* times the inertia about the root */
static const double REST_WEIGHT = 100; /* times the mass that a force at the point feels */
/* So little that nothing is tracked worse by it: only for forces and torques that nothing else decides. */
static const double FORCE_WEIGHT = 1e-3;  /* over the whole mass */
static const double TORQUE_WEIGHT = 1e-9; /* of a torque's own part of the program */
/* A cone of eight edges inside a round one reaches cos(pi / 8) = 0.92 of the friction between two edges, and
   MuJoCo's contacts creep at the edge of their own: this keeps off it. */
static const double FRICTION_SHARE = 0.97;
static const double BEARS_M = 0.001;  /* what a check calls touching: a point this near can bear */
static const double BEARS_M_S = 0.02; /* and does while the target moves it no faster: 2 mm in a tenth of a
                                         second, the time around a hold in which limbs can touch */
enum { EDGES = 8 };

struct tracker {
    const stage* world;
    mjModel* model;
    mjData* data;
    int n, motors, capacity;       /* independent dofs; unknowns at most */
    int *own, *dof_of, *motor_dof; /* of a dof: the independent one that it follows, times its scale */
    double* scale;
    double weight_kg, turn_kgm2;
    double *mass, *factor, *full;           /* n x n, n x n, nv x nv */
    double *bias, *wanted, *least, *scaled; /* n: h, M a*, L^-1 (h + M a*), L^-1 h */
    double* point_rate;                     /* 6 for each body: its acceleration where joints have none */
    double *corners, *rows;   /* L^-1 of each point's three directions, and of each unknown; n wide */
    double *jacobian, *error; /* 3 x nv, nv */
    double *along, *row,
        *last; /* n; one number for each unknown; for each motor and edge of a slot the last answer */
    hf_vec3 *directions, *arms; /* of each unknown force */
    box_program program;
};

static double* numbers(size_t count) {
    double* out = calloc(count + 1, sizeof *out);
    if (!out) stop("out of memory");
    return out;
}

static double dot(int n, const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static hf_vec3 three(const double* v) { return hf_v3(v[0], v[1], v[2]); }

/* ---- dofs: followers are none of their own ---- */

static void find_dofs(tracker* t) {
    const hf_creature_view* c = t->world->c;
    mjModel* m = t->model;
    for (int d = 0; d < m->nv; d++) t->own[d] = -1, t->scale[d] = 1;
    for (int d = 0; d < 6; d++) t->own[d] = d, t->dof_of[t->n++] = d;
    for (int j = 0; j < c->joint_count; j++) {
        if (c->joints[j].q_count != 1 || c->joints[j].mimic >= 0) continue;
        int dof = m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, c->joints[j].name)];
        t->own[dof] = t->n, t->dof_of[t->n++] = dof;
    }
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* master = &c->joints[j];
        if (master->q_count != 1 || master->mimic < 0) continue;
        int dof = m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, master->name)];
        for (; master->mimic >= 0; master = &c->joints[master->mimic]) t->scale[dof] *= master->multiplier;
        t->own[dof] = t->own[m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, master->name)]];
    }
    for (int i = 0; i < m->nu; i++) t->motor_dof[i] = m->jnt_dofadr[m->actuator_trnid[2 * i]];
}

tracker* tracker_make(const stage* world) {
    tracker* t = calloc(1, sizeof *t);
    if (!t) stop("out of memory");
    *t = (tracker){.world = world, .model = world->model, .data = world->data};
    size_t nv = (size_t)t->model->nv, nu = (size_t)t->model->nu;
    t->own = calloc(nv + 1, sizeof(int)), t->dof_of = calloc(nv + 1, sizeof(int));
    t->motor_dof = calloc(nu + 1, sizeof(int));
    if (!t->own || !t->dof_of || !t->motor_dof) stop("out of memory");
    t->scale = numbers(nv);
    find_dofs(t);
    t->motors = t->model->nu;
    t->capacity = t->motors + EDGES * STAGE_TOUCHES;
    t->weight_kg = t->model->body_subtreemass[1];
    size_t n = (size_t)t->n, most = (size_t)t->capacity;
    t->mass = numbers(n * n), t->factor = numbers(n * n), t->full = numbers(nv * nv);
    t->bias = numbers(n), t->wanted = numbers(n), t->least = numbers(n), t->scaled = numbers(n);
    t->point_rate = numbers(6 * (size_t)t->model->nbody);
    t->corners = numbers(3 * STAGE_TOUCHES * n), t->rows = numbers(most * n);
    t->jacobian = numbers(3 * nv), t->error = numbers(nv);
    t->along = numbers(n), t->row = numbers(most);
    t->directions = calloc(most, sizeof(hf_vec3)), t->arms = calloc(most, sizeof(hf_vec3));
    if (!t->directions || !t->arms) stop("out of memory");
    box_program_make(&t->program, t->capacity);
    t->last = numbers((size_t)t->motors + EDGES * (size_t)world->slot_count);
    return t;
}

void tracker_free(tracker* t) {
    double* all[] = {t->scale, t->mass,   t->factor,     t->full,    t->bias, t->wanted,
                     t->least, t->scaled, t->point_rate, t->corners, t->rows, t->jacobian,
                     t->error, t->along,  t->row,        t->last};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    box_program_free(&t->program);
    free(t->own), free(t->dof_of), free(t->motor_dof), free(t->directions), free(t->arms), free(t);
}

/* ---- dynamics: mass matrix with its factor, bias, accelerations of points ---- */

static void factorise(int n, const double* a, double* l) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double rest = a[i * n + k] - dot(k, l + i * n, l + k * n);
            l[i * n + k] = k < i ? rest / l[k * n + k] : sqrt(rest);
        }
}

/* L^-1 of a vector, in place. */
static void forward(int n, const double* l, double* v) {
    for (int i = 0; i < n; i++) v[i] = (v[i] - dot(i, l + i * n, v)) / l[i * n + i];
}

static void gather(const tracker* t, const double* of_dofs, double* out) {
    memset(out, 0, (size_t)t->n * sizeof *out);
    for (int d = 0; d < t->model->nv; d++) out[t->own[d]] += t->scale[d] * of_dofs[d];
}

static void find_dynamics(tracker* t) {
    int nv = t->model->nv, n = t->n;
    mj_fullM(t->model, t->full, t->data->qM);
    memset(t->mass, 0, (size_t)n * (size_t)n * sizeof *t->mass);
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            t->mass[t->own[a] * n + t->own[b]] += t->scale[a] * t->scale[b] * t->full[a * nv + b];
    t->turn_kgm2 = (t->mass[3 * n + 3] + t->mass[4 * n + 4] + t->mass[5 * n + 5]) / 3;
    gather(t, t->data->qfrc_bias, t->bias);
    factorise(n, t->mass, t->factor);
}

/* Accelerations of bodies that speeds alone give, as MuJoCo's own, about the centre of mass of the creature.
 */
static void find_rates(tracker* t) {
    const mjModel* m = t->model;
    for (int b = 1; b < m->nbody; b++) {
        double* to = t->point_rate + 6 * b;
        memcpy(to, t->point_rate + 6 * m->body_parentid[b], 6 * sizeof *to);
        for (int d = m->body_dofadr[b]; d < m->body_dofadr[b] + m->body_dofnum[b]; d++)
            mju_addToScl(to, t->data->cdof_dot + 6 * d, t->data->qvel[d], 6);
    }
}

/* Speed of a body's point, and its acceleration where joints have none. */
static hf_vec3 point_speed(const tracker* t, const touch* at, hf_vec3* rate) {
    const double *speed = t->data->cvel + 6 * at->body, *bias = t->point_rate + 6 * at->body;
    hf_vec3 arm = hf_sub(three(at->point), three(t->data->subtree_com + 3 * t->model->body_rootid[at->body]));
    hf_vec3 turn = three(speed), v = hf_add(three(speed + 3), hf_cross(turn, arm));
    *rate = hf_add(hf_add(three(bias + 3), hf_cross(three(bias), arm)), hf_cross(turn, v));
    return v;
}

/* Accelerations of the target with feedback. */
static void find_wanted(tracker* t, const target* to) {
    const mjData* d = t->data;
    double back[4], turn[3], turn_rate[3];
    mju_negQuat(back, d->qpos + 3);
    mju_rotVecQuat(turn, to->qvel + 3, back);
    mju_rotVecQuat(turn_rate, to->qacc + 3, back);
    mj_differentiatePos(t->model, t->error, 1, d->qpos, to->qpos);
    for (int i = 0; i < t->n; i++) {
        int k = t->dof_of[i];
        bool turns = k >= 3 && k < 6;
        double speed = turns ? turn[k - 3] : to->qvel[k], rate = turns ? turn_rate[k - 3] : to->qacc[k];
        t->wanted[i] = rate + STIFFNESS * t->error[k] + DAMPING * (speed - d->qvel[k]);
    }
}

/* ---- the program ---- */

/* Adds weight / 2 (row x - is)^2. */
static void add_term(tracker* t, double is, double weight) {
    const double* row = t->row;
    int count = t->program.n;
    for (int i = 0; i < count; i++) {
        if (row[i] == 0) continue;
        double w = weight * row[i];
        for (int k = 0; k <= i; k++) t->program.h[(size_t)i * count + k] += w * row[k];
        t->program.g[i] -= w * is;
    }
}

/* The directions of the unknown forces at a point: along the edges of its friction cone, or the axes. */
static int force_directions(const touch* at, hf_vec3 directions[EDGES]) {
    hf_vec3 n = three(at->normal), side, other;
    if (at->grip) {
        for (int k = 0; k < 3; k++) directions[k] = hf_v3(k == 0, k == 1, k == 2);
        return 3;
    }
    side = fabs(n.x) < 0.7 ? hf_v3(1, 0, 0) : hf_v3(0, 1, 0);
    side = hf_normalize(hf_sub(side, hf_scale(n, hf_dot(side, n))));
    other = hf_cross(n, side);
    for (int k = 0; k < EDGES; k++) {
        double turn = 2 * mjPI * k / EDGES, reach = FRICTION_SHARE * at->friction;
        hf_vec3 along = hf_add(hf_scale(side, cos(turn)), hf_scale(other, sin(turn)));
        directions[k] = hf_add(n, hf_scale(along, reach));
    }
    return EDGES;
}

/* L^-1 of the three directions of a point's force. */
static void add_corner(tracker* t, const touch* at, double* corner) {
    mj_jac(t->model, t->data, t->jacobian, NULL, at->point, at->body);
    for (int k = 0; k < 3; k++) {
        gather(t, t->jacobian + k * t->model->nv, corner + k * t->n);
        forward(t->n, t->factor, corner + k * t->n);
    }
}

static void add_motors(tracker* t) {
    const mjModel* m = t->model;
    box_program* p = &t->program;
    for (int i = 0; i < t->motors; i++) {
        double* row = t->rows + (size_t)i * t->n;
        memset(row, 0, (size_t)t->n * sizeof *row);
        row[t->own[t->motor_dof[i]]] = 1;
        forward(t->n, t->factor, row);
        bool bounded = m->actuator_ctrllimited[i];
        p->low[i] = bounded ? m->actuator_ctrlrange[2 * i] : -INFINITY;
        p->high[i] = bounded ? m->actuator_ctrlrange[2 * i + 1] : INFINITY;
        p->x[i] = t->last[i];
    }
    p->n = t->motors;
}

/* Is it on its surface, or so near that it can bear at once? */
static bool takes_force(const touch* at) {
    return at->grip || (at->role != TOUCH_LANDS && at->gap < BEARS_M);
}

static void add_forces(tracker* t, const touch* at, double* corner) {
    box_program* p = &t->program;
    hf_vec3* directions = t->directions + p->n;
    add_corner(t, at, corner);
    int count = takes_force(at) ? force_directions(at, directions) : 0;
    for (int k = 0; k < count; k++, p->n++) {
        double* row = t->rows + (size_t)p->n * t->n;
        const double* along = &directions[k].x;
        for (int i = 0; i < t->n; i++)
            row[i] = along[0] * corner[i] + along[1] * corner[t->n + i] + along[2] * corner[2 * t->n + i];
        p->low[p->n] = at->grip ? -at->most : 0;
        p->high[p->n] = at->grip ? at->most : INFINITY;
        p->x[p->n] = t->last[t->motors + EDGES * at->slot + k];
        t->arms[p->n] = hf_sub(three(at->point), three(t->data->subtree_com + 3));
    }
}

/* Accelerations as wanted, weighed with the masses that they move. */
static void add_tracking(tracker* t) {
    int count = t->program.n;
    memcpy(t->scaled, t->bias, (size_t)t->n * sizeof(double));
    for (int i = 0; i < t->n; i++) t->least[i] = t->bias[i] + dot(t->n, t->mass + i * t->n, t->wanted);
    forward(t->n, t->factor, t->scaled);
    forward(t->n, t->factor, t->least);
    for (int i = 0; i < count; i++) {
        const double* row = t->rows + (size_t)i * t->n;
        for (int k = 0; k <= i; k++)
            t->program.h[(size_t)i * count + k] = dot(t->n, row, t->rows + (size_t)k * t->n);
        t->program.g[i] = -dot(t->n, row, t->least);
    }
}

/* A point that bears stays where it is; one that should and is off the surface goes to it. */
static void add_rest(tracker* t, const touch* at, const double* corner) {
    hf_vec3 rate, speed = point_speed(t, at, &rate), normal = three(at->normal);
    hf_vec3 wanted = hf_scale(speed, -REST_DAMPING);
    if (!at->grip && at->gap > 0) wanted = hf_sub(wanted, hf_scale(normal, REST_STIFFNESS * at->gap));
    hf_vec3 need = hf_sub(wanted, rate);
    for (int k = 0; k < (takes_force(at) ? 3 : 1); k++) {
        hf_vec3 axis = takes_force(at) ? hf_v3(k == 0, k == 1, k == 2) : normal;
        for (int i = 0; i < t->n; i++)
            t->along[i] = axis.x * corner[i] + axis.y * corner[t->n + i] + axis.z * corner[2 * t->n + i];
        for (int i = 0; i < t->program.n; i++) t->row[i] = dot(t->n, t->along, t->rows + (size_t)i * t->n);
        double felt_kg = 1 / dot(t->n, t->along, t->along);
        add_term(t, hf_dot(need, axis) + dot(t->n, t->along, t->scaled), REST_WEIGHT * felt_kg);
    }
}

/* The forces give the whole body what its momentum needs. */
static void add_momentum(tracker* t, const target* to) {
    const mjData* d = t->data;
    mj_subtreeVel(t->model, t->data);
    hf_vec3 off = hf_sub(to->com, three(d->subtree_com + 3));
    hf_vec3 late = hf_sub(to->com_speed, three(d->subtree_linvel + 3));
    hf_vec3 rate = hf_add(hf_scale(off, COM_STIFFNESS), hf_scale(late, COM_DAMPING));
    hf_vec3 force = hf_scale(hf_add(hf_add(to->com_rate, rate), hf_v3(0, 0, HF_GRAVITY_M_S2)), t->weight_kg);
    hf_vec3 turn = hf_sub(to->momentum_turn, three(d->subtree_angmom + 3));
    double tilt[3];
    mju_rotVecQuat(tilt, t->error + 3, d->qpos + 3);
    hf_vec3 back = hf_add(hf_scale(turn, TURN_DAMPING), hf_scale(three(tilt), TURN_STIFFNESS * t->turn_kgm2));
    hf_vec3 moment = hf_add(to->moment, back);
    for (int k = 0; k < 6; k++) {
        memset(t->row, 0, (size_t)t->program.n * sizeof *t->row);
        for (int i = t->motors; i < t->program.n; i++) {
            hf_vec3 about = hf_cross(t->arms[i], t->directions[i]);
            t->row[i] = k < 3 ? (&t->directions[i].x)[k] : (&about.x)[k - 3];
        }
        add_term(t, k < 3 ? (&force.x)[k] : (&moment.x)[k - 3],
                 k < 3 ? COM_WEIGHT / t->weight_kg : TURN_WEIGHT / t->turn_kgm2);
    }
}

static void add_effort(tracker* t) {
    int count = t->program.n;
    for (int i = 0; i < count; i++) {
        double* own = &t->program.h[(size_t)i * count + i];
        *own += i < t->motors ? TORQUE_WEIGHT * *own : FORCE_WEIGHT / t->weight_kg;
        for (int k = 0; k < i; k++) t->program.h[(size_t)k * count + i] = t->program.h[(size_t)i * count + k];
    }
}

/* Should a point come to rest on its surface? Not where the target lifts it or brings it down: a foot that
   rolls over its toes has its heel close to the ground for a while. */
static bool rests(const tracker* t, const target* to, const touch* at) {
    if (at->grip) return true;
    if (at->role == TOUCH_PASSES) return false;
    if (at->role == TOUCH_LANDS) return at->gap < BEARS_M;
    hf_vec3 speed = target_point_speed(to, at->body, t->data, at->middle);
    return fabs(hf_dot(speed, three(at->normal))) < BEARS_M_S;
}

static tracker_limits give_torques(tracker* t, bool solved) {
    tracker_limits out = {.torques = t->motors, .worst_joint = -1, .solved = solved};
    for (int i = 0; i < t->motors; i++) {
        double share = fabs(t->program.x[i]) / t->program.high[i];
        t->data->ctrl[i] = t->last[i] = t->program.x[i];
        out.torques_cut += share >= 1;
        if (share > out.worst_share) out.worst_share = share, out.worst_joint = i;
    }
    return out;
}

/* Keeps the forces to start from in the next step. */
static void keep_forces(tracker* t, const touch* bearing, int count) {
    int next = t->motors;
    memset(t->last + t->motors, 0, EDGES * (size_t)t->world->slot_count * sizeof(double));
    for (int i = 0; i < count; i++)
        for (int k = 0; takes_force(&bearing[i]) && k < (bearing[i].grip ? 3 : EDGES); k++)
            t->last[t->motors + EDGES * bearing[i].slot + k] = t->program.x[next++];
}

tracker_limits tracker_step(tracker* t, const target* to, const touch* near, int count) {
    touch bearing[STAGE_TOUCHES];
    int bearing_count = 0;
    for (int i = 0; i < count; i++)
        if (rests(t, to, &near[i])) bearing[bearing_count++] = near[i];
    find_dynamics(t);
    find_rates(t);
    find_wanted(t, to);
    add_motors(t);
    for (int i = 0; i < bearing_count; i++) add_forces(t, &bearing[i], t->corners + 3 * (size_t)i * t->n);
    add_tracking(t);
    for (int i = 0; i < bearing_count; i++) add_rest(t, &bearing[i], t->corners + 3 * (size_t)i * t->n);
    add_momentum(t, to);
    add_effort(t);
    bool solved = box_program_solve(&t->program);
    keep_forces(t, bearing, bearing_count);
    return give_torques(t, solved);
}
