/* Small creatures for solver tests: a URDF written from a list of joints, with one limb along it. */
#ifndef HF_TESTS_CHAIN_CREATURE_H
#define HF_TESTS_CHAIN_CREATURE_H

#include "test.h"
#include "base/random.h"
#include "model/creature.h"
#include <holdfast/solve.h>

#include <unistd.h>

enum { CHAIN_MAX = 16 };

typedef struct chain_joint {
    const char* type;
    hf_vec3 xyz, rpy, axis;
    double lower, upper;
    int mimic; /* 1 + index of the joint it follows; 0 for none */
    double multiplier, offset;
} chain_joint;

/* A creature whose only limb runs from link 0 to the last, with a contact frame at `offset`. */
typedef struct chain_creature {
    hf_creature* creature;
    const hf_creature_view* view;
    hf_workspace* workspace;
    hf_limb limb;
    hf_contact_frame contact;
    int joints[CHAIN_MAX];
} chain_creature;

static inline void chain_write(const char* path, const chain_joint* joints, int count) {
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "<robot name=\"chain\"><link name=\"l0\"/>\n");
    for (int i = 0; i < count; i++) {
        const chain_joint* j = &joints[i];
        fprintf(
            f,
            "<link name=\"l%d\"/><joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/>",
            i + 1, i, j->type, i, i + 1);
        fprintf(
            f,
            "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/><axis xyz=\"%.17g %.17g %.17g\"/>",
            j->xyz.x, j->xyz.y, j->xyz.z, j->rpy.x, j->rpy.y, j->rpy.z, j->axis.x, j->axis.y, j->axis.z);
        if (strcmp(j->type, "revolute") == 0 || strcmp(j->type, "prismatic") == 0)
            fprintf(f, "<limit lower=\"%.17g\" upper=\"%.17g\" velocity=\"5\" effort=\"10\"/>", j->lower,
                    j->upper);
        if (j->mimic > 0)
            fprintf(f, "<mimic joint=\"j%d\" multiplier=\"%.17g\" offset=\"%.17g\"/>", j->mimic - 1,
                    j->multiplier, j->offset);
        fprintf(f, "</joint>\n");
    }
    fprintf(f, "</robot>\n");
    assert_int_equal(fclose(f), 0);
}

static inline void chain_open(chain_creature* c, const chain_joint* joints, int count, hf_vec3 offset,
                              hf_vec3 normal) {
    char path[1024], text[1200];
    hf_error error;
    memset(c, 0, sizeof *c);
    snprintf(path, sizeof path, "%s/chain-%ld.urdf", test_folder(), (long)getpid());
    chain_write(path, joints, count);
    if (hf_creature_load(path, NULL, &c->creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, text, sizeof text));
    remove(path);
    c->view = hf_creature_get(c->creature);
    int end = hf_creature_find_link(c->creature, (snprintf(path, sizeof path, "l%d", count), path));
    c->contact = (hf_contact_frame){.name = "tip", .link = end, .offset = offset, .normal = normal};
    c->limb = (hf_limb){.name = "limb",
                        .root_link = 1,
                        .effector_link = end,
                        .contact_count = 1,
                        .contacts = &c->contact,
                        .mirror_of = -1,
                        .joints = c->joints};
    for (int i = 0; i < count; i++)
        if (joints[i].mimic == 0 && strcmp(joints[i].type, "fixed") != 0)
            c->joints[c->limb.joint_count++] = i;
    c->creature->view.limbs = &c->limb;
    c->creature->view.limb_count = 1;
    assert_int_equal(hf_workspace_create(&c->workspace), HF_OK);
}

static inline void chain_close(chain_creature* c) {
    hf_workspace_free(c->workspace);
    hf_creature_free(c->creature);
}

/* Uniform between the limits; free joints within half a turn or metre. */
static inline void chain_draw(const chain_creature* c, hf_random* r, double* q) {
    for (int j = 0; j < c->view->joint_count; j++) {
        const hf_joint* joint = &c->view->joints[j];
        double* x = q + joint->q_index;
        for (int k = 0; k < joint->q_count; k++) x[k] = hf_random_between(r, -0.5, 0.5);
        if (joint->type == HF_JOINT_CONTINUOUS) x[0] = hf_random_between(r, -3.1, 3.1);
        if (joint->q_count == 1 && isfinite(joint->lower))
            x[0] = hf_random_between(r, joint->lower, joint->upper);
        if (joint->type == HF_JOINT_FLOATING) {
            hf_quat turn = hf_quat_normalize((hf_quat){x[3], x[4], x[5], x[6]});
            x[3] = turn.w, x[4] = turn.x, x[5] = turn.y, x[6] = turn.z;
        }
    }
    hf_pose_follow(c->creature, q);
}

/* World pose of the effector by the library's own kinematics. */
static inline hf_transform chain_effector(const chain_creature* c, double* q) {
    hf_transform links[64];
    hf_pose pose = {hf_transform_identity(), q};
    assert_true(c->view->link_count <= 64);
    hf_forward(c->creature, &pose, links);
    return links[c->limb.effector_link];
}

/* The target that the posture q meets exactly. */
static inline hf_target chain_target(const chain_creature* c, double* q, hf_target_kind kind) {
    hf_transform at = chain_effector(c, q);
    return (hf_target){.kind = kind,
                       .point = hf_apply(at, c->contact.offset),
                       .normal = hf_neg(hf_rotate(at.rotation, c->contact.normal)),
                       .rotation = at.rotation};
}

static inline void assert_within_limits(const hf_creature_view* view, const double* q) {
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        if (joint->q_count != 1) continue;
        double x = q[joint->q_index], slack = joint->mimic >= 0 ? 1e-12 : 0;
        if (!(x >= joint->lower - slack && x <= joint->upper + slack))
            fail_msg("%s is %.17g, outside %.17g to %.17g", joint->name, x, joint->lower, joint->upper);
    }
}

/* Errors of q against a target, measured apart from the solver. */
static inline void chain_errors(const chain_creature* c, double* q, const hf_target* t, double* metres,
                                double* radians) {
    hf_transform at = chain_effector(c, q);
    *metres = hf_distance(hf_apply(at, c->contact.offset), t->point);
    *radians = 0;
    if (t->kind == HF_TARGET_POSE) *radians = hf_quat_angle(at.rotation, t->rotation);
    if (t->kind == HF_TARGET_NORMAL) {
        hf_vec3 n = hf_rotate(at.rotation, c->contact.normal), w = hf_neg(t->normal);
        *radians = atan2(hf_length(hf_cross(n, w)), hf_dot(n, w));
    }
}

#endif
