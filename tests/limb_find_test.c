/* Limbs that a person would name, found in robots and rigs that say nothing of limbs. */
#include "creature_files.h"
#include "made_person.h"
#include "base/random.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------- third-party robots */

typedef struct expected_limb {
    const char *name, *root, *effector;
    int joints;
} expected_limb;

static void check_limbs(const char* robot, int joints, int moving, const expected_limb* limbs, int count,
                        const char* trunk) {
    const char* path = third_party(robot);
    if (!path) skip();
    hf_creature* c = must_load(path);
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->joint_count, joints);
    assert_int_equal(v->q_count, moving);
    assert_int_equal(v->limb_count, count);
    for (int i = 0; i < count; i++) {
        const hf_limb* l = limb_of(c, limbs[i].name);
        assert_string_equal(v->links[l->root_link].name, limbs[i].root);
        assert_string_equal(v->links[l->effector_link].name, limbs[i].effector);
        assert_int_equal(l->joint_count, limbs[i].joints);
        assert_true(l->use);
        assert_true(l->contact_count > 0 && l->length > 0.2);
        assert_int_equal(l->base_link, v->joints[l->joints[0]].parent_link);
    }
    bool found = false;
    for (int i = 0; i < v->trunk_count; i++) found |= strcmp(v->links[v->trunk[i]].name, trunk) == 0;
    assert_true(found);
    assert_true(v->mass > 1);
    hf_creature_free(c);
}

static void humanoids(void** state) {
    (void)state;
    static const expected_limb plain[] = {{"left_arm", "LARM_LINK1", "l_wrist", 7},
                                          {"right_arm", "RARM_LINK1", "r_wrist", 7},
                                          {"left_leg", "LLEG_LINK1", "l_ankle", 6},
                                          {"right_leg", "RLEG_LINK1", "r_ankle", 6}};
    check_limbs("robots/simple_humanoid_description/urdf/simple_humanoid.urdf", 29, 29, plain, 4, "torso");
    check_limbs("robots/simple_humanoid_description/urdf/simple_humanoid_classical.urdf", 29, 29, plain, 4,
                "torso");
}

static void quadrupeds(void** state) {
    (void)state;
    static const expected_limb small[] = {{"front_left_leg", "FL_upperleg", "FL_contact", 2},
                                          {"front_right_leg", "FR_upperleg", "FR_contact", 2},
                                          {"hind_left_leg", "BL_upperleg", "BL_contact", 2},
                                          {"hind_right_leg", "BR_upperleg", "BR_contact", 2}};
    check_limbs("robots/quadruped_description/urdf/quadruped.urdf", 12, 8, small, 4, "base_link");
    static const expected_limb large[] = {{"lf_leg", "LF_HIP", "LF_FOOT", 3},
                                          {"rf_leg", "RF_HIP", "RF_FOOT", 3},
                                          {"lh_leg", "LH_HIP", "LH_FOOT", 3},
                                          {"rh_leg", "RH_HIP", "RH_FOOT", 3}};
    check_limbs("robots/anymal_b_simple_description/robots/anymal.urdf", 22, 12, large, 4, "base");
    /* Their feet are balls. */
    hf_creature* c = must_load(third_party("robots/anymal_b_simple_description/robots/anymal.urdf"));
    assert_near(limb_of(c, "lf_leg")->contacts[0].ball, 0.031, 1e-12);
    assert_true(hf_creature_get(c)->state_count > 0);
    hf_creature_free(c);
}

/* Rigs of animators: joints are three angles each, limbs have the names of the bones. */
static void rigs(void** state) {
    (void)state;
    static const struct {
        const char* file;
        int limbs;
    } cases[] = {{"motions/02_01.bvh", 5},
                 {"motions/pirouette.bvh", 5},
                 {"gltf/RiggedFigure.glb", 5},
                 {"gltf/Fox.glb", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char* path = third_party(cases[i].file);
        if (!path) skip();
        hf_creature* c = must_load(path);
        assert_int_equal(hf_creature_get(c)->limb_count, cases[i].limbs);
        static const char* const people[] = {"left_arm", "right_arm", "left_leg", "right_leg"};
        static const char* const fox[] = {"front_left_leg", "front_right_leg", "hind_left_leg",
                                          "hind_right_leg"};
        const char* const* names = i == 3 ? fox : people;
        for (int k = 0; k < 4; k++)
            assert_true(limb_of(c, names[k])->use && limb_of(c, names[k])->joint_count >= 6);
        /* Legs walk, arms do not. */
        assert_int_equal(hf_creature_get(c)->gait_count, i == 3 ? 4 : 2);
        for (int k = 0; k < hf_creature_get(c)->limb_count; k++) {
            const hf_limb* l = &hf_creature_get(c)->limbs[k];
            assert_int_equal(l->use, strstr(l->name, "arm") || strstr(l->name, "leg"));
        }
        hf_creature_free(c);
    }
}

static void arms(void** state) {
    (void)state;
    static const expected_limb bare[] = {{"arm", "shoulder_link", "ee_link", 6}};
    static const expected_limb gripper[] = {{"arm", "shoulder_link", "tool0", 6}};
    check_limbs("robots/ur_description/urdf/ur5_robot.urdf", 9, 6, bare, 1, "base_link");
    check_limbs("robots/ur_description/urdf/ur5_joint_limited_robot.urdf", 9, 6, bare, 1, "base_link");
    check_limbs("robots/ur_description/urdf/ur5_gripper.urdf", 9, 6, gripper, 1, "base_link");
    hf_creature* c = must_load(third_party("robots/ur_description/urdf/ur5_gripper.urdf"));
    const hf_creature_view* v = hf_creature_get(c);
    assert_true(limb_of(c, "arm")->grip);
    /* The collision meshes were found by walking up, and are hulls. */
    assert_int_equal(v->bodies[link_of(c, "forearm_link")->first_body].shape.kind, HF_SHAPE_HULL);
    assert_int_equal(warnings_with(c, "collision mesh"), 0);
    hf_creature_free(c);
}

/* ---------------------------------------------------------------------------------- found limbs */

/* A biped whose feet are made of `shapes`, and the contact frame of its left foot. */
static hf_contact_frame foot_of(const char* shapes, hf_creature** c) {
    static char text[8000];
    char* s = text;
    s += sprintf(s, "<robot name=\"biped\">\n");
    add_link(&s, "hips", NULL, "", "", BALL);
    for (int side = 0; side < 2; side++) {
        char thigh[32], shin[32], foot[32];
        snprintf(thigh, sizeof thigh, "%s_thigh", side ? "right" : "left");
        snprintf(shin, sizeof shin, "%s_shin", side ? "right" : "left");
        snprintf(foot, sizeof foot, "%s_foot", side ? "right" : "left");
        add_link(&s, thigh, "hips", side ? "0 -0.1 0" : "0 0.1 0", "0 1 0", SHIN);
        add_link(&s, shin, thigh, "0 0 -0.4", "0 1 0", SHIN);
        add_link(&s, foot, shin, "0 0 -0.4", "0 1 0", shapes);
    }
    sprintf(s, "</robot>\n");
    *c = load_text("biped.urdf", text);
    const hf_limb* leg = limb_of(*c, "left_leg");
    assert_string_equal(hf_creature_get(*c)->links[leg->effector_link].name, "left_foot");
    assert_int_equal(leg->contact_count, 1);
    return leg->contacts[0];
}

#define SHAPE(at, turn, shape)                                                                               \
    "<collision><origin xyz=\"" at "\" rpy=\"" turn "\"/><geometry>" shape "</geometry></collision>"

/* Soles and balls of feet as robots have them, with what geometry says of each. */
static void feet_fit_their_bodies(void** state) {
    (void)state;
    hf_creature* c;
    /* Four small balls under the corners of a foot carry the rectangle between them. */
    hf_contact_frame f =
        foot_of(SHAPE("-0.05 0.025 -0.03", "0 0 0", "<sphere radius=\"0.005\"/>")
                    SHAPE("-0.05 -0.025 -0.03", "0 0 0", "<sphere radius=\"0.005\"/>")
                        SHAPE("0.12 0.025 -0.03", "0 0 0", "<sphere radius=\"0.005\"/>")
                            SHAPE("0.12 -0.025 -0.03", "0 0 0", "<sphere radius=\"0.005\"/>"),
                &c);
    assert_string_equal(f.name, "sole");
    assert_near(hf_distance(f.offset, hf_v3(0.035, 0, -0.035)), 0, 1e-6);
    assert_near(f.normal.z, -1, 1e-6);
    assert_true(f.patch[0] >= 0.169 && f.patch[0] <= 0.18);
    assert_true(f.patch[1] >= 0.049 && f.patch[1] <= 0.06);
    hf_creature_free(c);
    /* Two cylinders that lie side by side: the strip between their lowest lines, and what is
       less than half a millimetre higher. */
    f = foot_of(SHAPE("0.05 0.02 -0.02", "0 1.5707963 0", "<cylinder length=\"0.15\" radius=\"0.02\"/>")
                    SHAPE("0.05 -0.02 -0.02", "0 1.5707963 0", "<cylinder length=\"0.15\" radius=\"0.02\"/>"),
                &c);
    assert_string_equal(f.name, "sole");
    assert_near(f.offset.z, -0.04, 1e-4);
    assert_near(f.patch[0], 0.15, 1e-4);
    assert_true(f.patch[1] >= 0.04 - 1e-4 && f.patch[1] <= 0.05);
    hf_creature_free(c);
    /* A box that is mounted at an angle of 0.2 rad stands on its lower face all the same. */
    f = foot_of(SHAPE("0 0 -0.05", "0 0.2 0", "<box size=\"0.2 0.1 0.02\"/>"), &c);
    assert_string_equal(f.name, "sole");
    assert_near(hf_dot(f.normal, hf_v3(-sin(0.2), 0, -cos(0.2))), 1, 1e-9);
    assert_near(f.patch[0], 0.2, 1e-6);
    assert_near(f.patch[1], 0.1, 1e-6);
    assert_near(hf_distance(f.offset, hf_v3(-0.01 * sin(0.2), 0, -0.05 - 0.01 * cos(0.2))), 0, 1e-6);
    hf_creature_free(c);
    /* A ball inside a slightly larger rounded shell: the contact ball encloses both. */
    f = foot_of(SHAPE("0 0 -0.02", "0 0 0", "<sphere radius=\"0.022\"/>")
                    SHAPE("0.001 0 -0.02", "0 0 0", "<sphere radius=\"0.0235\"/>"),
                &c);
    assert_string_equal(f.name, "foot");
    assert_true(f.ball >= 0.0233 && f.ball <= 0.0245);
    assert_near(hf_distance(f.offset, hf_v3(0.001, 0, -0.02)), 0, 1e-3);
    hf_creature_free(c);
    /* A shin that ends in a ball stands on that ball, however small it is and however its link is turned: the
       ball that is fitted to a net of points depends on both. */
    f = foot_of(SHAPE("0 0 -0.1", "0.3 -0.4 0.7", "<box size=\"0.02 0.02 0.14\"/>")
                    SHAPE("0.05 0.04 -0.2", "0 0 0", "<sphere radius=\"0.004\"/>"),
                &c);
    assert_string_equal(f.name, "foot");
    assert_near(f.ball, 0.004, 1e-12);
    assert_near(hf_distance(f.offset, hf_v3(0.05, 0.04, -0.2)), 0, 1e-12);
    hf_creature_free(c);
    /* A leg that ends without a body touches with the end of its last link. */
    f = foot_of("<inertial><mass value=\"1\"/></inertial>", &c);
    assert_near(hf_length(f.offset) + f.ball + f.patch[0], 0, 0);
    hf_creature_free(c);
}

/* A biped whose legs end in links that no name tells apart; returns the link that its left leg touches with.
 */
static const char* end_of_leg(const char* before, const char* last, const char* at) {
    static char text[8000], name[80];
    char* s = text;
    s += sprintf(s, "<robot name=\"biped\">\n");
    add_link(&s, "hips", NULL, "", "", BALL);
    for (int side = 0; side < 2; side++) {
        char names[4][32];
        for (int i = 0; i < 4; i++)
            snprintf(names[i], sizeof names[i], "%s_leg_%d", side ? "right" : "left", i);
        add_link(&s, names[0], "hips", side ? "0 -0.1 0" : "0 0.1 0", "0 1 0", SHIN);
        add_link(&s, names[1], names[0], "0 0 -0.4", "0 1 0", SHIN);
        add_link(&s, names[2], names[1], "0 0 -0.43", "0 1 0", before);
        add_link(&s, names[3], names[2], at, "0 1 0", last);
    }
    sprintf(s, "</robot>\n");
    hf_creature* c = load_text("ends.urdf", text);
    snprintf(name, sizeof name, "%s", hf_creature_get(c)->links[limb_of(c, "left_leg")->effector_link].name);
    hf_creature_free(c);
    return name;
}

/* Toes without a name are beyond the foot; a foot that an ankle of two joints carries is no toe, and neither
   is a foot as long as the link before it. */
static void toes_without_a_name(void** state) {
    (void)state;
    static const char toe[] = SHAPE("0.03 0 -0.02", "0 0 0", "<box size=\"0.06 0.08 0.04\"/>");
    assert_string_equal(end_of_leg(FOOT, toe, "0.15 0 -0.02"), "left_leg_2");
    assert_string_equal(end_of_leg(SHAPE("0 0 0", "0 0 0", "<sphere radius=\"0.02\"/>"), FOOT, "0 0 0"),
                        "left_leg_3");
    assert_string_equal(end_of_leg(FOOT, FOOT, "0 0 0"), "left_leg_3");
}

#define STATE(name, values) "<group_state name=\"" name "\" group=\"g\">" values "</group_state>"
#define VALUE(joint, value) "<joint name=\"" joint "\" value=\"" value "\"/>"

/* The standing state of an SRDF is the rest posture: the one that names most joints, cut at the limits. */
static void srdf_states_are_rest_postures(void** state) {
    (void)state;
    hf_creature* c;
    foot_of(FOOT, &c);
    hf_creature_free(c);
    const hf_joint* thigh;
    write_file("biped.srdf", "<robot name=\"biped\">" STATE("standing", VALUE("right_foot_j", "0.1"))
                                 STATE("home", VALUE("left_thigh_j", "-0.4") VALUE("left_shin_j", "1.8")
                                                   VALUE("nobody", "3")) "</robot>");
    c = must_load(test_path("biped.urdf"));
    thigh = joint_of(c, "left_thigh_j");
    assert_near(hf_creature_get(c)->rest[thigh->q_index], fmax(-0.4, thigh->lower), 0);
    assert_near(hf_creature_get(c)->rest[joint_of(c, "right_foot_j")->q_index], 0, 0);
    assert_near(hf_creature_get(c)->rest[joint_of(c, "left_shin_j")->q_index], 1, 0);
    assert_int_equal(warnings_with(c, "posture \"home\" leaves the limits of 1 joint"), 1);
    hf_creature_free(c);
    remove(test_path("biped.srdf"));
}

static void limbs_by_shape_alone(void** state) {
    (void)state;
    hf_creature* c = load_text("person.urdf", made_person());
    const hf_creature_view* v = hf_creature_get(c);
    assert_int_equal(v->limb_count, 5);
    static const expected_limb limbs[] = {{"left_arm", "p0a", "p2a", 3},
                                          {"right_arm", "p0b", "p2b", 3},
                                          {"left_leg", "p4a", "p6a", 3},
                                          {"right_leg", "p4b", "p6b", 3},
                                          {"head", "skull_base", "head", 2}};
    for (int i = 0; i < 5; i++) {
        const hf_limb* l = limb_of(c, limbs[i].name);
        assert_string_equal(v->links[l->root_link].name, limbs[i].root);
        assert_string_equal(v->links[l->effector_link].name, limbs[i].effector);
        assert_int_equal(l->joint_count, limbs[i].joints);
        assert_int_equal(l->use, i < 4);
        assert_int_equal(l->grip, i < 2);
    }
    assert_int_equal(v->trunk_count, 3);
    /* The sole is the lower face of the box, patch sizes along x and y; corners are in single precision. */
    const hf_contact_frame* sole = &limb_of(c, "left_leg")->contacts[0];
    assert_string_equal(sole->name, "sole");
    assert_near(sole->offset.x, 0.05, 2e-8);
    assert_near(sole->offset.z, -0.06, 2e-8);
    assert_near(sole->normal.z, -1, 2e-8);
    assert_near(sole->patch[0], 0.2, 2e-8);
    assert_near(sole->patch[1], 0.08, 2e-8);
    /* Straightened: 0.4 + 0.4 to the ankle, then to the sole. */
    assert_near(limb_of(c, "left_leg")->length, 0.8 + hypot(0.05, 0.06), 2e-8);
    hf_creature_free(c);
}

/* No reach is longer than the straightened limb, whatever the posture. */
static void lengths_bound_reach(void** state) {
    (void)state;
    hf_creature* c = load_text("person.urdf", made_person());
    const hf_creature_view* v = hf_creature_get(c);
    double* q = calloc((size_t)v->q_count, sizeof *q);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    for (int trial = 0; trial < 2000; trial++) {
        hf_random r = hf_random_start(3, 1, (uint64_t)trial);
        for (int i = 0; i < v->q_count; i++) q[i] = hf_random_between(&r, -1, 1);
        hf_pose pose = {hf_transform_identity(), q};
        hf_forward(c, &pose, links);
        for (int l = 0; l < v->limb_count; l++) {
            const hf_limb* limb = &v->limbs[l];
            hf_vec3 start = hf_apply(links[limb->base_link], limb->base.position);
            hf_vec3 end = hf_apply(links[limb->effector_link], limb->contacts[0].offset);
            assert_true(hf_distance(start, end) <= limb->length + 1e-9);
        }
    }
    free(q);
    free(links);
    hf_creature_free(c);
}

/* Every link with spheres; six or eight legs around a body, with and without words in their names. */
static void many_legs_are_told_apart(void** state) {
    (void)state;
    static char text[20000];
    char* s = text;
    s += sprintf(s, "<robot name=\"bug\">\n");
    add_link(&s, "thorax", NULL, "", "", BALL);
    add_link(&s, "bulb", "thorax", "-0.2 0 0.05", "0 1 0", BALL);
    for (int i = 0; i < 6; i++) {
        char hip[32], end[32], at[64], out[64];
        snprintf(hip, sizeof hip, "u%d", i);
        snprintf(end, sizeof end, "w%d", i);
        snprintf(at, sizeof at, "%g %g 0", 0.2 - 0.2 * (i / 2), i % 2 ? -0.1 : 0.1);
        snprintf(out, sizeof out, "0 %g -0.1", i % 2 ? -0.2 : 0.2);
        add_link(&s, hip, "thorax", at, "0 0 1", BALL);
        add_link(&s, end, hip, out, "1 0 0",
                 "<collision><origin xyz=\"0 0 -0.15\"/><geometry><capsule radius=\"0.01\" "
                 "length=\"0.3\"/></geometry></collision>");
    }
    sprintf(s, "</robot>\n");
    hf_creature* c = load_text("bug.urdf", text);
    const hf_creature_view* v = hf_creature_get(c);
    static const char* const names[] = {"front_left_leg",   "front_right_leg", "middle_left_leg",
                                        "middle_right_leg", "hind_left_leg",   "hind_right_leg"};
    for (int i = 0; i < 6; i++) {
        char effector[32];
        snprintf(effector, sizeof effector, "w%d", i);
        const hf_limb* l = limb_of(c, names[i]);
        assert_string_equal(v->links[l->effector_link].name, effector);
        /* A leg that ends in a capsule stands on a ball at its end. */
        assert_near(l->contacts[0].ball, 0.01, 1e-12);
        assert_near(l->contacts[0].offset.z, -0.3, 1e-9);
    }
    assert_int_equal(v->limb_count, 7);
    int unused = 0;
    for (int i = 0; i < v->limb_count; i++) unused += !v->limbs[i].use;
    assert_int_equal(unused, 1);
    hf_creature_free(c);
}

/* Trees as well-known robots have them: name, parent, origin, axis ("" for fixed). */
typedef struct tree_link {
    const char *name, *parent, *xyz, *axis;
} tree_link;

static hf_creature* load_tree(const tree_link* links, int count) {
    static char text[20000];
    char* s = text;
    s += sprintf(s, "<robot name=\"t\">\n");
    for (int i = 0; i < count; i++)
        add_link(&s, links[i].name, links[i].parent, links[i].xyz, links[i].axis, BALL);
    sprintf(s, "</robot>\n");
    return load_text("tree.urdf", text);
}

static void check_tree(const tree_link* links, int count, const expected_limb* limbs, int limb_count) {
    hf_creature* c = load_tree(links, count);
    const hf_creature_view* v = hf_creature_get(c);
    int used = 0;
    for (int i = 0; i < v->limb_count; i++) used += v->limbs[i].use;
    assert_int_equal(used, limb_count);
    for (int i = 0; i < limb_count; i++) {
        const hf_limb* l = limb_of(c, limbs[i].name);
        assert_string_equal(v->links[l->root_link].name, limbs[i].root);
        assert_string_equal(v->links[l->effector_link].name, limbs[i].effector);
        assert_int_equal(l->joint_count, limbs[i].joints);
    }
    hf_creature_free(c);
}

static void limbs_of_well_known_trees(void** state) {
    (void)state;
    /* An arm with a parallel gripper on a fixed flange. */
    static const tree_link panda[] = {{"panda_link0", NULL, "", ""},
                                      {"panda_link1", "panda_link0", "0 0 0.33", "0 0 1"},
                                      {"panda_link2", "panda_link1", "0 0 0.3", "0 1 0"},
                                      {"panda_link3", "panda_link2", "0 0 0.38", "0 1 0"},
                                      {"panda_link8", "panda_link3", "0 0 0.1", ""},
                                      {"panda_hand", "panda_link8", "0 0 0.05", ""},
                                      {"panda_leftfinger", "panda_hand", "0 0.03 0.06", "0 1 0"},
                                      {"panda_rightfinger", "panda_hand", "0 -0.03 0.06", "0 1 0"}};
    static const expected_limb panda_limbs[] = {{"arm", "panda_link1", "panda_hand", 3}};
    check_tree(panda, 8, panda_limbs, 1);
    /* A biped whose feet are called toes. */
    static const tree_link cassie[] = {{"pelvis", NULL, "", ""},
                                       {"left-hip", "pelvis", "0 0.1 0", "1 0 0"},
                                       {"left-tarsus", "left-hip", "0 0 -0.5", "0 1 0"},
                                       {"left-toe", "left-tarsus", "0 0 -0.4", "0 1 0"},
                                       {"right-hip", "pelvis", "0 -0.1 0", "1 0 0"},
                                       {"right-tarsus", "right-hip", "0 0 -0.5", "0 1 0"},
                                       {"right-toe", "right-tarsus", "0 0 -0.4", "0 1 0"}};
    static const expected_limb cassie_limbs[] = {{"left_leg", "left-hip", "left-toe", 3},
                                                 {"right_leg", "right-hip", "right-toe", 3}};
    check_tree(cassie, 7, cassie_limbs, 2);
    /* A dog with an arm and a camera on its back; RL and RR are the rear. */
    static const tree_link dog[] = {{"trunk", NULL, "", ""},
                                    {"FL_hip", "trunk", "0.2 0.1 0", "1 0 0"},
                                    {"FL_calf", "FL_hip", "0 0 -0.3", "0 1 0"},
                                    {"FL_foot", "FL_calf", "0 0 -0.3", ""},
                                    {"FR_hip", "trunk", "0.2 -0.1 0", "1 0 0"},
                                    {"FR_calf", "FR_hip", "0 0 -0.3", "0 1 0"},
                                    {"FR_foot", "FR_calf", "0 0 -0.3", ""},
                                    {"RL_hip", "trunk", "-0.2 0.1 0", "1 0 0"},
                                    {"RL_calf", "RL_hip", "0 0 -0.3", "0 1 0"},
                                    {"RL_foot", "RL_calf", "0 0 -0.3", ""},
                                    {"RR_hip", "trunk", "-0.2 -0.1 0", "1 0 0"},
                                    {"RR_calf", "RR_hip", "0 0 -0.3", "0 1 0"},
                                    {"RR_foot", "RR_calf", "0 0 -0.3", ""},
                                    {"arm_1", "trunk", "0 0 0.1", "0 0 1"},
                                    {"arm_2", "arm_1", "0 0 0.4", "0 1 0"},
                                    {"camera_pan", "trunk", "0.3 0 0.1", "0 0 1"},
                                    {"camera", "camera_pan", "0 0 0.05", "0 1 0"}};
    static const expected_limb dog_limbs[] = {{"front_left_leg", "FL_hip", "FL_foot", 2},
                                              {"front_right_leg", "FR_hip", "FR_foot", 2},
                                              {"hind_left_leg", "RL_hip", "RL_foot", 2},
                                              {"hind_right_leg", "RR_hip", "RR_foot", 2},
                                              {"arm", "arm_1", "arm_2", 2}};
    check_tree(dog, 17, dog_limbs, 5);
    /* Legs that are only numbered keep their numbers. */
    static const tree_link crab[] = {{"shell", NULL, "", ""},
                                     {"leg_1_coxa", "shell", "0.1 0.1 0", "0 0 1"},
                                     {"leg_1_tibia", "leg_1_coxa", "0 0.1 -0.2", "1 0 0"},
                                     {"leg_2_coxa", "shell", "0 0.1 0", "0 0 1"},
                                     {"leg_2_tibia", "leg_2_coxa", "0 0.1 -0.2", "1 0 0"},
                                     {"leg_3_coxa", "shell", "-0.1 0.1 0", "0 0 1"},
                                     {"leg_3_tibia", "leg_3_coxa", "0 0.1 -0.2", "1 0 0"}};
    static const expected_limb crab_limbs[] = {{"leg_1", "leg_1_coxa", "leg_1_tibia", 2},
                                               {"leg_2", "leg_2_coxa", "leg_2_tibia", 2},
                                               {"leg_3", "leg_3_coxa", "leg_3_tibia", 2}};
    check_tree(crab, 7, crab_limbs, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(humanoids),
        cmocka_unit_test(quadrupeds),
        cmocka_unit_test(arms),
        cmocka_unit_test(rigs),
        cmocka_unit_test(limbs_by_shape_alone),
        cmocka_unit_test(feet_fit_their_bodies),
        cmocka_unit_test(toes_without_a_name),
        cmocka_unit_test(srdf_states_are_rest_postures),
        cmocka_unit_test(lengths_bound_reach),
        cmocka_unit_test(many_legs_are_told_apart),
        cmocka_unit_test(limbs_of_well_known_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
