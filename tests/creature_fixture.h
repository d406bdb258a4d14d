/* Creatures for tests: one with every joint type, loading from text, random poses and speeds. */
#ifndef HF_TESTS_CREATURE_FIXTURE_H
#define HF_TESTS_CREATURE_FIXTURE_H

#include "test.h"
#include "base/random.h"
#include "model/creature.h"

#include <stdlib.h>

#define FIXTURE_LINK(name, mass)                                                                             \
    "<link name='" name "'><inertial><origin xyz='0.02 -0.03 0.05' rpy='0.3 -0.2 0.5'/><mass value='" mass   \
    "'/><inertia ixx='0.02' iyy='0.03' izz='0.025' ixy='0.002' ixz='-0.003' iyz='0.001'/></inertial>"        \
    "<collision><geometry><sphere radius='0.03'/></geometry></collision></link>"
#define FIXTURE_JOINT(name, type, parent, child, origin, rest)                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child                  \
    "'/><origin " origin "/>" rest "</joint>"
#define FIXTURE_LIMIT "<limit lower='-2' upper='2' velocity='3' effort='10'/>"

/* Every joint type, oblique axes and origins, followers before and after their master and in another
   branch, a fixed link with mass between moving ones, one under a floating joint. */
static const char* const FIXTURE_ALL_JOINTS =
    "<?xml version='1.0'?><robot name='all'>" FIXTURE_LINK("base", "3.0") FIXTURE_LINK("a", "1.0")
        FIXTURE_LINK("b", "0.8") FIXTURE_LINK("c", "0.6") FIXTURE_LINK("d", "0.5") FIXTURE_LINK("e", "0.7")
            FIXTURE_LINK("f", "0.4") FIXTURE_LINK("g", "1.5") FIXTURE_LINK("h", "1.1")
                FIXTURE_LINK("i", "0.9") FIXTURE_LINK("k", "0.3")
    /* A branch of single values. */
    FIXTURE_JOINT(
        "follow_near", "revolute", "base", "a", "xyz='0.1 0.2 0.3' rpy='0.4 0.1 -0.7'",
        "<axis xyz='0.2 -1 0.4'/><mimic joint='turn' multiplier='-0.7' offset='0.15'/>" FIXTURE_LIMIT)
        FIXTURE_JOINT("turn", "revolute", "a", "b", "xyz='0 0.1 0.25' rpy='0 0 0'",
                      "<axis xyz='0 1 0'/>" FIXTURE_LIMIT)
            FIXTURE_JOINT("stiff", "fixed", "b", "c", "xyz='0.05 0 0.2' rpy='-0.6 0.3 0.2'",
                          "") FIXTURE_JOINT("slide", "prismatic", "c", "d", "xyz='0 0 0.3' rpy='0.1 0 0'",
                                            "<axis xyz='0.6 0 0.8'/>" FIXTURE_LIMIT)
                FIXTURE_JOINT("spin", "continuous", "d", "e", "xyz='0.2 0 0.1' rpy='0 1.57079632679 0'",
                              "<axis xyz='-1 0 0'/>")
                    FIXTURE_JOINT("follow_far", "prismatic", "e", "f", "xyz='0 -0.1 0.1' rpy='0 0 0.3'",
                                  "<axis xyz='0 0 1'/><mimic joint='turn' multiplier='0.4'/>" FIXTURE_LIMIT)
    /* A branch of several values, and a follower of the other branch. */
    FIXTURE_JOINT("plane", "planar", "base", "g", "xyz='-0.3 0.1 0' rpy='0.2 0.5 0.1'",
                  "<axis xyz='0.3 0.5 -0.4'/>")
        FIXTURE_JOINT("float", "floating", "g", "h", "xyz='0.1 -0.2 0.1' rpy='-0.3 0 0.9'", "") FIXTURE_JOINT(
            "last", "revolute", "h", "i", "xyz='0.3 0 0' rpy='0 0 0.4'", "<axis xyz='0 0 1'/>" FIXTURE_LIMIT)
            FIXTURE_JOINT(
                "follow_slide", "revolute", "i", "k", "xyz='0 0.2 0' rpy='0 0 0'",
                "<axis xyz='1 1 0'/><mimic joint='slide' multiplier='2'/>" FIXTURE_LIMIT) "</robot>";

/* Loads a creature whose URDF (or creature file, by the name's ending) is this text. */
static inline hf_creature* load_text(const char* name, const char* text) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    hf_creature* creature = NULL;
    hf_error error = {0};
    char message[1400];
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, message, sizeof message));
    return creature;
}

/* Replaces the creature's limbs by one from `root` to `effector` with one contact frame on it. */
static inline void set_limb(hf_creature* creature, const char* root, const char* effector, hf_vec3 offset,
                            hf_vec3 normal) {
    hf_creature_view* view = &creature->view;
    hf_limb* limb = hf_arena_alloc(&creature->arena, 1, sizeof *limb);
    int* joints = hf_arena_alloc(&creature->arena, (size_t)view->joint_count, sizeof *joints);
    hf_contact_frame* contact = hf_arena_alloc(&creature->arena, 1, sizeof *contact);
    assert_true(limb && joints && contact);
    limb->root_link = hf_creature_find_link(creature, root);
    limb->effector_link = hf_creature_find_link(creature, effector);
    assert_true(limb->root_link > 0 && limb->effector_link > 0);
    limb->base_link = view->links[limb->root_link].parent_link;
    limb->base = view->joints[view->links[limb->root_link].joint].origin;
    /* Joints from the effector up, then turned round. */
    for (int l = limb->effector_link; l != limb->base_link; l = view->links[l].parent_link) {
        const hf_joint* joint = &view->joints[view->links[l].joint];
        if (joint->v_count > 0) joints[limb->joint_count++] = view->links[l].joint;
    }
    for (int i = 0; i < limb->joint_count / 2; i++) {
        int other = joints[i];
        joints[i] = joints[limb->joint_count - 1 - i];
        joints[limb->joint_count - 1 - i] = other;
    }
    *contact =
        (hf_contact_frame){.name = "tip", .link = limb->effector_link, .offset = offset, .normal = normal};
    limb->name = "limb", limb->joints = joints, limb->contacts = contact, limb->contact_count = 1;
    limb->mirror_of = -1, limb->use = true;
    view->limbs = limb, view->limb_count = 1;
}

static inline hf_quat random_rotation(hf_random* r) {
    hf_quat q;
    double length;
    do {
        q = (hf_quat){hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1),
                      hf_random_between(r, -1, 1)};
        length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    } while (length > 1 || length < 0.01);
    return hf_quat_normalize(q);
}

static inline hf_vec3 random_point(hf_random* r, double size) {
    return hf_v3(hf_random_between(r, -size, size), hf_random_between(r, -size, size),
                 hf_random_between(r, -size, size));
}

/* A pose with memory of its own (free q), anywhere within limits, mimic joints followed. */
static inline hf_pose random_pose(const hf_creature* creature, hf_random* r) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_pose pose = {{random_point(r, 1), random_rotation(r)},
                    calloc((size_t)view->q_count + 1, sizeof(double))};
    for (int j = 0; j < view->joint_count; j++) {
        const hf_joint* joint = &view->joints[j];
        double* q = &pose.q[joint->q_index];
        double low = fmax(joint->lower, -3), high = fmin(joint->upper, 3);
        for (int i = 0; i < joint->q_count; i++) q[i] = hf_random_between(r, low, high);
        if (joint->type == HF_JOINT_FLOATING) {
            hf_quat turn = random_rotation(r);
            q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
        }
    }
    hf_pose_follow(creature, pose.q);
    return pose;
}

/* v_count numbers of the caller to free. */
static inline double* random_speeds(const hf_creature* creature, hf_random* r) {
    int count = hf_creature_get(creature)->v_count;
    double* v = calloc((size_t)count, sizeof(double));
    for (int i = 0; i < count; i++) v[i] = hf_random_between(r, -1, 1);
    return v;
}

/* A frame at time t of a motion that is at this pose at 0, with these speeds and constant accelerations. */
static inline void frame_at(const hf_creature* creature, const hf_pose* pose, const double* v,
                            const double* a, double t, hf_motion_frame* out) {
    const hf_creature_view* c = hf_creature_get(creature);
    double* mean = calloc((size_t)c->v_count, sizeof *mean);
    for (int i = 0; i < c->v_count; i++) mean[i] = v[i] + 0.5 * a[i] * t;
    hf_pose moved = {.q = calloc((size_t)c->q_count + 1, sizeof(double))};
    hf_pose_integrate(creature, pose, mean, t, &moved);
    hf_pose_follow(creature, moved.q);
    *out = (hf_motion_frame){.time_s = t, .root = moved.root, .q = moved.q};
    free(mean);
}

#endif
