/* Forward kinematics with matrices, joint by joint, for every joint type. */
#include "check/check.h"

check_frame check_frame_of(hf_transform t) {
    hf_quat q = t.rotation;
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    double w = q.w / n, x = q.x / n, y = q.y / n, z = q.z / n;
    return (check_frame){{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
                          2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                          2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z},
                         {t.position.x, t.position.y, t.position.z}};
}

void check_frame_turn(const check_frame* f, const double in[3], double out[3]) {
    double v[3] = {in[0], in[1], in[2]};
    for (int i = 0; i < 3; i++) out[i] = f->r[3 * i] * v[0] + f->r[3 * i + 1] * v[1] + f->r[3 * i + 2] * v[2];
}

void check_frame_point(const check_frame* f, const double in[3], double out[3]) {
    check_frame_turn(f, in, out);
    for (int i = 0; i < 3; i++) out[i] += f->p[i];
}

void check_frame_unpoint(const check_frame* f, const double in[3], double out[3]) {
    double v[3] = {in[0] - f->p[0], in[1] - f->p[1], in[2] - f->p[2]};
    for (int i = 0; i < 3; i++) out[i] = f->r[i] * v[0] + f->r[3 + i] * v[1] + f->r[6 + i] * v[2];
}

check_frame check_frame_seen_from(const check_frame* from, const check_frame* f) {
    check_frame seen;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            seen.r[3 * i + j] =
                from->r[i] * f->r[j] + from->r[3 + i] * f->r[3 + j] + from->r[6 + i] * f->r[6 + j];
    check_frame_unpoint(from, f->p, seen.p);
    return seen;
}

check_frame check_frame_mul(const check_frame* a, const check_frame* b) {
    check_frame c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.r[3 * i + j] =
                a->r[3 * i] * b->r[j] + a->r[3 * i + 1] * b->r[3 + j] + a->r[3 * i + 2] * b->r[6 + j];
    check_frame_point(a, b->p, c.p);
    return c;
}

double check_frame_angle(const check_frame* a, const check_frame* b) {
    /* |A - B| (Frobenius) = 2 sqrt 2 sin(angle / 2): accurate for small angles. */
    double s = 0;
    for (int i = 0; i < 9; i++) s += (a->r[i] - b->r[i]) * (a->r[i] - b->r[i]);
    double half = sqrt(s / 8);
    return 2 * hf_asin(half > 1 ? 1 : half);
}

double check_joint_value(const hf_creature_view* c, int joint, const double* q) {
    const hf_joint* j = &c->joints[joint];
    if (j->mimic < 0) return q[j->q_index];
    return j->multiplier * check_joint_value(c, j->mimic, q) + j->offset;
}

/* Rodrigues: R = I + sin K + (1 - cos) K^2. */
static check_frame turn_about(hf_vec3 axis, double angle) {
    double x = axis.x, y = axis.y, z = axis.z, s = hf_sin(angle), k = 1 - hf_cos(angle);
    return (check_frame){{1 - k * (y * y + z * z), k * x * y - s * z, k * x * z + s * y, k * x * y + s * z,
                          1 - k * (x * x + z * z), k * y * z - s * x, k * x * z - s * y, k * y * z + s * x,
                          1 - k * (x * x + y * y)},
                         {0, 0, 0}};
}

/* The plane of a planar joint is spanned by two axes; which two is settled by hf_pose's documentation:
   the shortest turn that takes Z to the joint's axis carries X and Y to them. */
check_frame check_planar(hf_vec3 axis, const double* q) {
    check_frame turn = check_frame_of((hf_transform){{0, 0, 0}, hf_quat_between(hf_v3(0, 0, 1), axis)});
    check_frame spin = turn_about(axis, q[2]);
    double shift[3] = {q[0], q[1], 0};
    check_frame_turn(&turn, shift, spin.p);
    return spin;
}

static check_frame joint_motion(const hf_creature_view* c, int joint, const double* q) {
    const hf_joint* j = &c->joints[joint];
    const double* v = q + j->q_index;
    check_frame f = check_frame_of(hf_transform_identity());
    switch (j->type) {
    case HF_JOINT_FIXED:
        break;
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        f = turn_about(j->axis, check_joint_value(c, joint, q));
        break;
    case HF_JOINT_PRISMATIC: {
        double s = check_joint_value(c, joint, q);
        f.p[0] = j->axis.x * s, f.p[1] = j->axis.y * s, f.p[2] = j->axis.z * s;
        break;
    }
    case HF_JOINT_FLOATING:
        f = check_frame_of((hf_transform){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}});
        break;
    case HF_JOINT_PLANAR:
        f = check_planar(j->axis, v);
        break;
    }
    return f;
}

void check_forward(const hf_creature_view* c, hf_transform root, const double* q, check_frame* links) {
    links[0] = check_frame_of(root);
    for (int i = 1; i < c->link_count; i++) {
        const hf_joint* j = &c->joints[c->links[i].joint];
        check_frame origin = check_frame_of(j->origin), motion = joint_motion(c, c->links[i].joint, q);
        check_frame at = check_frame_mul(&links[c->links[i].parent_link], &origin);
        links[i] = check_frame_mul(&at, &motion);
    }
}
