/* Recursive Newton-Euler inverse dynamics (Luh, Walker, Paul 1980; Featherstone, Rigid Body Dynamics
   Algorithms, ch. 5) over segments, each in its own frame, with a free root. Classical accelerations of
   the frame origins; gravity enters as an upward acceleration of the root. */
#include <holdfast/kinematics.h>
#include "base/error.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "model/kinematic_tree.h"

/* A segment while it is being computed, all in its own axes but for what is said. */
typedef struct state {
    hf_mat3 rotation; /* to the parent's axes */
    hf_vec3 position; /* of its origin, in the parent's frame and axes */
    hf_vec3 turn, turn_rate, acceleration;
    hf_vec3 force, torque; /* that move it and all beyond, about its origin */
} state;

static inline hf_vec3 unturn(const hf_mat3* r, hf_vec3 v) {
    return hf_v3(r->m[0] * v.x + r->m[3] * v.y + r->m[6] * v.z, r->m[1] * v.x + r->m[4] * v.y + r->m[7] * v.z,
                 r->m[2] * v.x + r->m[5] * v.y + r->m[8] * v.z);
}

static inline hf_vec3 symmetric_mul(const double i[6], hf_vec3 v) {
    return hf_v3(i[0] * v.x + i[3] * v.y + i[4] * v.z, i[3] * v.x + i[1] * v.y + i[5] * v.z,
                 i[4] * v.x + i[5] * v.y + i[2] * v.z);
}

/* Written out: compilers leave the loops as they are. */
static inline hf_mat3 mat3_product(const hf_mat3* x, const hf_mat3* y) {
    const double *a = x->m, *b = y->m;
    hf_mat3 c = {{a[0] * b[0] + a[1] * b[3] + a[2] * b[6], a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
                  a[0] * b[2] + a[1] * b[5] + a[2] * b[8], a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
                  a[3] * b[1] + a[4] * b[4] + a[5] * b[7], a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
                  a[6] * b[0] + a[7] * b[3] + a[8] * b[6], a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
                  a[6] * b[2] + a[7] * b[5] + a[8] * b[8]}};
    return c;
}

/* Columns i and j of base turned into each other: base times a turn about the third axis. */
static inline void turn_columns(const hf_mat3* base, int i, int j, double s, double c, hf_mat3* out) {
    for (int row = 0; row < 9; row += 3) {
        double a = base->m[row + i], b = base->m[row + j];
        out->m[row + 3 - i - j] = base->m[row + 3 - i - j];
        out->m[row + i] = c * a + s * b;
        out->m[row + j] = c * b - s * a;
    }
}

/* The segment's joint frame turned about its axis. */
static inline void turn_about(const hf_segment* segment, double angle, hf_mat3* out) {
    const hf_mat3* base = &segment->rotation;
    hf_vec3 a = segment->axis;
    hf_sine_cosine turn = hf_sincos(angle);
    double s = turn.sine, c = turn.cosine;
    switch (segment->main_axis) {
    case 0:
        turn_columns(base, 1, 2, a.x * s, c, out);
        return;
    case 1:
        turn_columns(base, 2, 0, a.y * s, c, out);
        return;
    case 2:
        turn_columns(base, 0, 1, a.z * s, c, out);
        return;
    default:
        break;
    }
    double k = 1 - c, xy = k * a.x * a.y, xz = k * a.x * a.z, yz = k * a.y * a.z;
    hf_mat3 r = {{c + k * a.x * a.x, xy - s * a.z, xz + s * a.y, xy + s * a.z, c + k * a.y * a.y,
                  yz - s * a.x, xz - s * a.y, yz + s * a.x, c + k * a.z * a.z}};
    *out = mat3_product(base, &r);
}

static hf_vec3 load3(const double* v) { return v ? hf_v3(v[0], v[1], v[2]) : hf_v3(0, 0, 0); }
static void store3(double* v, hf_vec3 a) { v[0] = a.x, v[1] = a.y, v[2] = a.z; }

/* Acceleration, in the parent's axes, of the parent's point that coincides with the segment's origin. */
static inline hf_vec3 carried(const state* parent, hf_vec3 arm) {
    hf_vec3 turned = hf_cross(parent->turn, arm);
    return hf_add(parent->acceleration,
                  hf_add(hf_cross(parent->turn_rate, arm), hf_cross(parent->turn, turned)));
}

/* Motion of a segment under a joint of one value. */
static inline void move_single(const hf_segment* s, const state* parent, double value, double speed,
                               double rate, state* out) {
    if (s->motion == HF_MOVE_TURN) {
        turn_about(s, value, &out->rotation);
        out->position = s->position;
        hf_vec3 turn = unturn(&out->rotation, parent->turn), own = hf_scale(s->axis, speed);
        out->turn = hf_add(turn, own);
        out->turn_rate = hf_add(hf_add(unturn(&out->rotation, parent->turn_rate), hf_scale(s->axis, rate)),
                                hf_cross(turn, own));
        out->acceleration = unturn(&out->rotation, carried(parent, out->position));
    } else {
        out->rotation = s->rotation;
        out->position = hf_add(s->position, hf_mat3_mul(&s->rotation, hf_scale(s->axis, value)));
        out->turn = unturn(&out->rotation, parent->turn);
        out->turn_rate = unturn(&out->rotation, parent->turn_rate);
        hf_vec3 own = hf_add(hf_scale(s->axis, rate), hf_scale(hf_cross(out->turn, s->axis), 2 * speed));
        out->acceleration = hf_add(unturn(&out->rotation, carried(parent, out->position)), own);
    }
}

/* Shift and turn of a joint of several values, with speeds and rates, in the joint's axes. */
typedef struct several {
    hf_vec3 shift, shift_speed, shift_rate, turn_speed, turn_rate;
    hf_quat turn;
} several;

static several load_several(const hf_segment* s, const double* q, const double* v, const double* a) {
    if (s->motion == HF_MOVE_FLOAT)
        return (several){load3(q),
                         load3(v),
                         load3(a),
                         load3(v ? v + 3 : v),
                         load3(a ? a + 3 : a),
                         hf_quat_normalize((hf_quat){q[3], q[4], q[5], q[6]})};
    hf_vec3 x, y, speed = load3(v), rate = load3(a);
    hf_plane_directions(s->axis, &x, &y);
    return (several){hf_add(hf_scale(x, q[0]), hf_scale(y, q[1])),
                     hf_add(hf_scale(x, speed.x), hf_scale(y, speed.y)),
                     hf_add(hf_scale(x, rate.x), hf_scale(y, rate.y)),
                     hf_scale(s->axis, speed.z),
                     hf_scale(s->axis, rate.z),
                     hf_quat_axis_angle(s->axis, q[2])};
}

/* Motion of a segment under a floating or planar joint. */
static void move_several(const hf_segment* s, const state* parent, several j, state* out) {
    hf_mat3 turn = hf_quat_matrix(j.turn);
    out->rotation = mat3_product(&s->rotation, &turn);
    out->position = hf_add(s->position, hf_mat3_mul(&s->rotation, j.shift));
    hf_vec3 speed = hf_mat3_mul(&s->rotation, j.shift_speed);
    hf_vec3 spin = hf_mat3_mul(&s->rotation, j.turn_speed);
    out->turn = unturn(&out->rotation, hf_add(parent->turn, spin));
    hf_vec3 turn_rate = hf_add(hf_mat3_mul(&s->rotation, j.turn_rate), hf_cross(parent->turn, spin));
    out->turn_rate = unturn(&out->rotation, hf_add(parent->turn_rate, turn_rate));
    hf_vec3 own = hf_add(hf_mat3_mul(&s->rotation, j.shift_rate), hf_scale(hf_cross(parent->turn, speed), 2));
    out->acceleration = unturn(&out->rotation, hf_add(carried(parent, out->position), own));
}

/* Newton and Euler for one segment about its frame's origin. */
static inline void own_force(const hf_segment* s, state* x) {
    hf_vec3 turned = hf_cross(x->turn, s->moment);
    x->force = hf_add(hf_scale(x->acceleration, s->mass),
                      hf_add(hf_cross(x->turn_rate, s->moment), hf_cross(x->turn, turned)));
    hf_vec3 momentum = symmetric_mul(s->inertia, x->turn);
    x->torque = hf_add(hf_add(symmetric_mul(s->inertia, x->turn_rate), hf_cross(x->turn, momentum)),
                       hf_cross(s->moment, x->acceleration));
}

/* The part of a segment's force and torque that its joint carries. */
static void project(const hf_segment* s, const state* x, const double* q, double* force) {
    if (s->v < 0) return;
    if (s->motion == HF_MOVE_TURN) {
        force[s->v] += s->multiplier * hf_dot(s->axis, x->torque);
    } else if (s->motion == HF_MOVE_SLIDE) {
        force[s->v] += s->multiplier * hf_dot(s->axis, x->force);
    } else {
        hf_quat turn = load_several(s, &q[s->q], NULL, NULL).turn;
        hf_vec3 f = hf_rotate(turn, x->force), t = hf_rotate(turn, x->torque);
        if (s->motion == HF_MOVE_FLOAT) {
            store3(&force[s->v], f);
            store3(&force[s->v + 3], t);
        } else {
            hf_vec3 first, second;
            hf_plane_directions(s->axis, &first, &second);
            store3(&force[s->v], hf_v3(hf_dot(first, f), hf_dot(second, f), hf_dot(s->axis, t)));
        }
    }
}

hf_status hf_inverse_dynamics(const hf_creature* creature, const hf_pose* pose, const double* velocity,
                              const double* acceleration, hf_vec3 gravity, hf_workspace* workspace,
                              double* force) {
    HF_REQUIRE(NULL, creature && pose && workspace && force && (pose->q || !creature->view.q_count));
    const hf_kinematic_tree* tree = creature->tree;
    const hf_segment* segments = tree->segments;
    for (int i = 0; i < creature->view.v_count; i++) force[i] = 0;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    state* x = hf_workspace_take(workspace, (size_t)tree->segment_count, sizeof *x);
    if (!x) {
        hf_workspace_end(workspace, mark);
        return HF_ERROR_MEMORY;
    }
    /* Outwards: motion, and the force that each segment takes by itself. */
    x[0].rotation = hf_quat_matrix(pose->root.rotation);
    x[0].turn = unturn(&x[0].rotation, load3(velocity ? velocity + 3 : NULL));
    x[0].turn_rate = unturn(&x[0].rotation, load3(acceleration ? acceleration + 3 : NULL));
    x[0].acceleration = unturn(&x[0].rotation, hf_sub(load3(acceleration), gravity));
    own_force(&segments[0], &x[0]);
    for (int i = 1; i < tree->segment_count; i++) {
        const hf_segment* s = &segments[i];
        const double* v = velocity && s->v >= 0 ? &velocity[s->v] : NULL;
        const double* a = acceleration && s->v >= 0 ? &acceleration[s->v] : NULL;
        if (s->motion == HF_MOVE_TURN || s->motion == HF_MOVE_SLIDE)
            move_single(s, &x[s->parent], s->multiplier * pose->q[s->q] + s->offset,
                        v ? s->multiplier * *v : 0, a ? s->multiplier * *a : 0, &x[i]);
        else
            move_several(s, &x[s->parent], load_several(s, &pose->q[s->q], v, a), &x[i]);
        own_force(s, &x[i]);
    }
    /* Inwards: each joint carries its share, the parent carries all. */
    for (int i = tree->segment_count - 1; i > 0; i--) {
        const hf_segment* s = &segments[i];
        project(s, &x[i], pose->q, force);
        state* parent = &x[s->parent];
        hf_vec3 f = hf_mat3_mul(&x[i].rotation, x[i].force);
        parent->force = hf_add(parent->force, f);
        parent->torque = hf_add(parent->torque,
                                hf_add(hf_mat3_mul(&x[i].rotation, x[i].torque), hf_cross(x[i].position, f)));
    }
    store3(&force[0], hf_mat3_mul(&x[0].rotation, x[0].force));
    store3(&force[3], hf_mat3_mul(&x[0].rotation, x[0].torque));
    hf_workspace_end(workspace, mark);
    return HF_OK;
}
