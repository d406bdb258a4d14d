/* Poses: rest, mimic joints, between, integrate, difference. */
#include <holdfast/kinematics.h>

#include "model/creature.h"
#include "model/kinematic_tree.h"

#include <string.h>

/* Rotation by a rotation vector. */
static hf_quat turn_by(hf_vec3 rotation) {
    return hf_quat_axis_angle(hf_normalize(rotation), hf_length(rotation));
}

/* Rotation vector, in the axes both rotations are given in, that turns a to b. */
static hf_vec3 turn_between(hf_quat a, hf_quat b) { return hf_quat_log(hf_quat_mul(b, hf_quat_conj(a))); }

static hf_transform load_pose7(const double* q) {
    hf_transform t = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    t.rotation = hf_quat_normalize(t.rotation);
    return t;
}

static void store_pose7(double* q, hf_transform t) {
    q[0] = t.position.x, q[1] = t.position.y, q[2] = t.position.z;
    q[3] = t.rotation.w, q[4] = t.rotation.x, q[5] = t.rotation.y, q[6] = t.rotation.z;
}

static hf_transform transform_between(hf_transform a, hf_transform b, double t) {
    hf_transform out = {hf_lerp(a.position, b.position, t), hf_quat_slerp(a.rotation, b.rotation, t)};
    out.rotation = hf_quat_normalize(out.rotation);
    return out;
}

static hf_transform transform_integrate(hf_transform a, const double* v, double dt) {
    hf_vec3 turn = hf_scale(hf_v3(v[3], v[4], v[5]), dt);
    a.position = hf_add(a.position, hf_scale(hf_v3(v[0], v[1], v[2]), dt));
    a.rotation = hf_quat_normalize(hf_quat_mul(turn_by(turn), a.rotation));
    return a;
}

static void transform_difference(hf_transform a, hf_transform b, double* v) {
    hf_vec3 shift = hf_sub(b.position, a.position), turn = turn_between(a.rotation, b.rotation);
    v[0] = shift.x, v[1] = shift.y, v[2] = shift.z;
    v[3] = turn.x, v[4] = turn.y, v[5] = turn.z;
}

void hf_pose_rest(const hf_creature* creature, hf_pose* pose) {
    pose->root = hf_transform_identity();
    if (creature->view.q_count > 0)
        memcpy(pose->q, creature->view.rest, (size_t)creature->view.q_count * sizeof *pose->q);
    hf_pose_follow(creature, pose->q);
}

void hf_pose_follow(const hf_creature* creature, double* q) {
    const hf_kinematic_tree* tree = creature->tree;
    for (int i = 0; i < tree->follower_count; i++) {
        const hf_follower* f = &tree->followers[i];
        q[f->q] = f->multiplier * q[f->source] + f->offset;
    }
}

void hf_pose_between(const hf_creature* creature, const hf_pose* a, const hf_pose* b, double t,
                     hf_pose* out) {
    const hf_creature_view* view = &creature->view;
    out->root = transform_between(a->root, b->root, t);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        int q = joint->q_index;
        if (joint->type == HF_JOINT_FLOATING)
            store_pose7(&out->q[q], transform_between(load_pose7(&a->q[q]), load_pose7(&b->q[q]), t));
        else
            for (int i = 0; i < joint->q_count; i++)
                out->q[q + i] = a->q[q + i] + t * (b->q[q + i] - a->q[q + i]);
    }
    hf_pose_follow(creature, out->q);
}

void hf_pose_integrate(const hf_creature* creature, const hf_pose* pose, const double* v, double dt,
                       hf_pose* out) {
    const hf_creature_view* view = &creature->view;
    out->root = transform_integrate(pose->root, v, dt);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        int q = joint->q_index;
        if (joint->type == HF_JOINT_FLOATING)
            store_pose7(&out->q[q], transform_integrate(load_pose7(&pose->q[q]), &v[joint->v_index], dt));
        else
            for (int i = 0; i < joint->q_count; i++)
                out->q[q + i] = pose->q[q + i] + (i < joint->v_count ? v[joint->v_index + i] * dt : 0);
    }
    hf_pose_follow(creature, out->q);
}

void hf_pose_difference(const hf_creature* creature, const hf_pose* a, const hf_pose* b, double* v) {
    const hf_creature_view* view = &creature->view;
    transform_difference(a->root, b->root, v);
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        int q = joint->q_index;
        if (joint->type == HF_JOINT_FLOATING)
            transform_difference(load_pose7(&a->q[q]), load_pose7(&b->q[q]), &v[joint->v_index]);
        else
            for (int i = 0; i < joint->v_count; i++) v[joint->v_index + i] = b->q[q + i] - a->q[q + i];
    }
}

void hf_pose_take_limb(const hf_creature* creature, int limb, const double* from, double* to) {
    const hf_limb* l = &creature->view.limbs[limb];
    for (int i = 0; i < l->joint_count; i++) {
        const hf_joint* j = &creature->view.joints[l->joints[i]];
        memcpy(to + j->q_index, from + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
    hf_pose_follow(creature, to);
}

bool hf_pose_within_limits(const hf_creature* creature, const double* q, double tolerance) {
    for (int i = 0; i < creature->view.joint_count; i++) {
        const hf_joint* j = &creature->view.joints[i];
        if (j->q_count != 1) continue;
        if (q[j->q_index] < j->lower - tolerance || q[j->q_index] > j->upper + tolerance) return false;
    }
    return true;
}

int hf_joint_master(const hf_creature_view* v, int joint, double* multiplier, double* offset) {
    *multiplier = 1, *offset = 0;
    for (int guard = 0; v->joints[joint].mimic >= 0 && guard < v->joint_count; guard++) {
        *offset += *multiplier * v->joints[joint].offset;
        *multiplier *= v->joints[joint].multiplier;
        joint = v->joints[joint].mimic;
    }
    return joint;
}

bool hf_mimic_range(const hf_creature_view* v, int joint, int* master, double* low, double* high) {
    double multiplier, offset;
    *master = hf_joint_master(v, joint, &multiplier, &offset);
    if (*master == joint || multiplier == 0 || v->joints[*master].v_count != 1) return false;
    double a = (v->joints[joint].lower - offset) / multiplier;
    double b = (v->joints[joint].upper - offset) / multiplier;
    *low = fmin(a, b), *high = fmax(a, b);
    return true;
}
