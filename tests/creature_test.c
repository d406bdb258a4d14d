/* Creatures as a whole: limbs that a person would name, creature files, SRDF, pairs, round trips. */
#include "creature_files.h"
#include "base/random.h"

#include <dirent.h>
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

/* A link with a capsule along its own x, y or z. */
static void add_link(char** s, const char* name, const char* parent, const char* xyz, const char* axis,
                     const char* shape) {
    *s += sprintf(*s, "<link name=\"%s\"><inertial><mass value=\"1\"/></inertial>%s</link>\n", name, shape);
    if (parent)
        *s += sprintf(
            *s,
            "<joint name=\"%s_j\" type=\"%s\"><parent link=\"%s\"/><child link=\"%s\"/><origin xyz=\"%s\"/>"
            "<axis xyz=\"%s\"/><limit lower=\"-1\" upper=\"1\"/></joint>\n",
            name, *axis ? "revolute" : "fixed", parent, name, xyz, *axis ? axis : "0 1 0");
}

#define BALL "<collision><geometry><sphere radius=\"0.03\"/></geometry></collision>"
#define SHIN                                                                                                 \
    "<collision><origin xyz=\"0 0 -0.2\"/><geometry><capsule radius=\"0.03\" "                               \
    "length=\"0.4\"/></geometry></collision>"
#define FOOT                                                                                                 \
    "<collision><origin xyz=\"0.05 0 -0.04\"/><geometry><box size=\"0.2 0.08 "                               \
    "0.04\"/></geometry></collision>"

/* A person with a head that nods, toes, two-fingered hands and a camera on an arm; names without sides. */
static const char* made_person(void) {
    static char text[20000];
    char* s = text;
    s += sprintf(s, "<robot name=\"person\">\n");
    add_link(&s, "hips", NULL, "", "", BALL);
    add_link(&s, "spine", "hips", "0 0 0.2", "0 1 0", BALL);
    add_link(&s, "ribs", "spine", "0 0 0.3", "0 0 1", BALL);
    add_link(&s, "skull_base", "ribs", "0 0 0.1", "0 1 0", BALL);
    add_link(&s, "head", "skull_base", "0 0 0.1", "0 0 1", BALL);
    for (int side = 0; side < 2; side++) {
        const char *y = side ? "-" : "", *l = side ? "b" : "a";
        char names[8][32], at[4][64];
        for (int i = 0; i < 8; i++) snprintf(names[i], sizeof names[i], "p%d%s", i, l);
        snprintf(at[0], sizeof at[0], "0 %s0.2 0.1", y);
        snprintf(at[1], sizeof at[1], "0 %s0.1 -0.05", y);
        add_link(&s, names[0], "ribs", at[0], "1 0 0", SHIN);
        add_link(&s, names[1], names[0], "0 0 -0.3", "0 1 0", SHIN);
        add_link(&s, names[2], names[1], "0 0 -0.3", "0 1 0", BALL);
        char finger[2][40];
        snprintf(finger[0], 40, "f0%s", l);
        snprintf(finger[1], 40, "f1%s", l);
        add_link(&s, finger[0], names[2], "0.02 0 -0.06", "1 0 0", BALL);
        add_link(&s, finger[1], names[2], "-0.02 0 -0.06", "1 0 0", BALL);
        if (!side) add_link(&s, "lens", names[1], "0.03 0 0", "0 0 1", "");
        add_link(&s, names[4], "hips", at[1], "0 1 0", SHIN);
        add_link(&s, names[5], names[4], "0 0 -0.4", "0 1 0", SHIN);
        add_link(&s, names[6], names[5], "0 0 -0.4", "0 1 0", FOOT);
        char toe[40];
        snprintf(toe, sizeof toe, "toe_%s", l);
        add_link(&s, toe, names[6], "0.15 0 -0.03", "0 1 0", BALL);
    }
    sprintf(s, "</robot>\n");
    return text;
}

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

/* ---------------------------------------------------------------------------------------- SRDF */

static void srdf_names_limbs_and_disables_pairs(void** state) {
    (void)state;
    write_file("srdf_person.urdf", made_person());
    write_file(
        "srdf_person.srdf",
        "<robot name=\"person\">"
        "<group name=\"right_wing\"><chain base_link=\"ribs\" tip_link=\"p2b\"/></group>"
        "<group name=\"stander\"><joint name=\"p4a_j\"/><joint name=\"p5a_j\"/><link name=\"p6a\"/></group>"
        "<group name=\"both\"><group name=\"stander\"/><group name=\"right_wing\"/></group>"
        "<group name=\"odd\"><chain base_link=\"ribs\" tip_link=\"nothing\"/></group>"
        "<disable_collisions link1=\"head\" link2=\"p6a\" reason=\"Never\"/>"
        "<group_state name=\"sit\" group=\"both\"><joint name=\"p5a_j\" value=\"0.7\"/><joint name=\"ghost\" "
        "value=\"1\"/>"
        "</group_state></robot>");
    hf_creature* c = must_load(test_path("srdf_person.urdf"));
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->links[limb_of(c, "right_wing")->effector_link].name, "p2b");
    assert_string_equal(v->links[limb_of(c, "stander")->effector_link].name, "p6a");
    /* The others are still found. */
    limb_of(c, "left_arm");
    limb_of(c, "right_leg");
    assert_int_equal(v->limb_count, 5);
    assert_int_equal(warnings_with(c, "group \"odd\": there is no link \"nothing\""), 1);
    int head = link_of(c, "head")->first_body, foot = link_of(c, "p6a")->first_body;
    assert_false(hf_creature_pair_enabled(c, head, foot));
    assert_false(hf_creature_pair_enabled(c, foot, head));
    assert_true(hf_creature_pair_enabled(c, head, link_of(c, "p6b")->first_body));
    assert_int_equal(v->state_count, 1);
    assert_near(v->states[0].q[joint_of(c, "p5a_j")->q_index], 0.7, 0);
    assert_near(v->rest[joint_of(c, "p5a_j")->q_index], 0, 0);
    hf_creature_free(c);
}

static void bad_srdf_is_refused(void** state) {
    (void)state;
    static const struct {
        const char *text, *fragment;
    } cases[] = {{"<robot", "not valid XML"},
                 {"<html/>", "<robot> is expected"},
                 {"<robot><group/></robot>", "<group> has no \"name\""},
                 {"<robot><disable_collisions link1=\"a\"/></robot>", "has no \"link2\""},
                 {"<robot><group_state name=\"s\"><joint name=\"j\" value=\"x\"/></group_state></robot>",
                  "numbers are expected"},
                 {"<robot><group_state name=\"s\"><joint name=\"j\" value=\"inf\"/></group_state></robot>",
                  "numbers are expected"}};
    write_file("bad_srdf.urdf", made_person());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c;
        hf_error e;
        write_file("bad_srdf.srdf", cases[i].text);
        assert_int_equal(hf_creature_load(test_path("bad_srdf.urdf"), NULL, &c, &e), HF_ERROR_FORMAT);
        if (!strstr(e.message, cases[i].fragment) || !strstr(e.file, "bad_srdf.srdf") || e.line != 1)
            fail_msg("case %zu: %s:%d: %s", i, e.file, e.line, e.message);
    }
}

/* -------------------------------------------------------------------------------- creature files */

#define HEAD "{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"person.urdf\""

static void creature_files_refine(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("hip.rom.json", "{\"joints\": [\"x\", \"y\"], \"pieces\": [{\"A\": "
                               "[[2,0],[-1,0],[0,1],[0,-1]], \"b\": [1,1,0.5,0.5]}]}");
    hf_creature* c =
        load_text("person.creature.json", HEAD
                  ", \"name\": \"anna\", \"trunk\": [\"hips\", \"spine\", \"ribs\"],"
                  "\"limbs\": [{\"name\": \"left\", \"root\": \"p0a\", \"effector\": \"p2a\", \"grip\": "
                  "true, \"max_force\": 50,"
                  "\"contact\": [{\"name\": \"palm\", \"offset\": [0.01,-0.03,0], \"normal\": [0,-2,0], "
                  "\"patch\": [0.04,0.02]},"
                  "{\"offset\": [0,0,-0.03], \"normal\": [0,0,-1], \"ball\": 0.01}]},"
                  "{\"name\": \"right\", \"root\": \"p0b\", \"effector\": \"p2b\", \"mirror_of\": \"left\"},"
                  "{\"name\": \"elbow\", \"root\": \"p0a\", \"effector\": \"p0a\", \"excludes\": [\"seat\"]},"
                  "{\"name\": \"upper\", \"root\": \"p0a\", \"effector\": \"p1a\"},"
                  "{\"name\": \"left_leg\"},"
                  "{\"name\": \"loose\", \"effector\": \"p5b\"},"
                  "{\"name\": \"seat\", \"root\": \"hips\", \"effector\": \"hips\"}],"
                  "\"rest\": {\"p5a_j\": 0.5}, \"rom\": [{\"joints\": [\"p4a_j\", \"p5a_j\"], \"region\": "
                  "\"hip.rom.json\"}],"
                  "\"limits\": {\"root_speed\": 0.5, \"joint_speed\": 4, \"joint_acceleration\": 9},"
                  "\"gait\": [[\"left_leg\"], [\"loose\", \"right\"]],"
                  "\"guide\": {\"upright\": [\"left_leg\"], \"bent\": [\"left\", \"right\"], \"tilt\": 0.3, "
                  "\"any\": 2}}");
    const hf_creature_view* v = hf_creature_get(c);
    assert_string_equal(v->name, "anna");
    assert_int_equal(v->limb_count, 7);
    const hf_limb* left = limb_of(c, "left");
    assert_int_equal(left->contact_count, 2);
    assert_near(left->contacts[0].normal.y, -1, 1e-15);
    assert_near(left->contacts[1].ball, 0.01, 0);
    assert_near(left->max_force, 50, 0);
    assert_true(left->grip);
    /* The mirrored limb takes the other's contacts, mirrored. */
    const hf_limb* right = limb_of(c, "right");
    assert_int_equal(right->mirror_of, 0);
    assert_int_equal(right->contact_count, 2);
    assert_near(right->contacts[0].offset.x, 0.01, 1e-12);
    assert_near(right->contacts[0].offset.y, 0.03, 1e-12);
    assert_near(right->contacts[0].normal.y, 1, 1e-12);
    assert_near(right->contacts[0].patch[0], 0.04, 0);
    /* root equal to effector has no joints; otherwise they start with the one that moves root. */
    const hf_limb* elbow = limb_of(c, "elbow");
    assert_int_equal(elbow->joint_count, 0);
    assert_int_equal(limb_of(c, "upper")->joint_count, 2);
    assert_int_equal(limb_of(c, "left_leg")->joint_count, 3);
    /* Without a root: up to the trunk. */
    assert_string_equal(v->links[limb_of(c, "loose")->root_link].name, "p4b");
    assert_int_equal(limb_of(c, "seat")->joint_count, 0);
    /* Excludes are mutual, and limbs that share joints exclude each other. */
    assert_int_equal(left->exclude_count, 1);
    assert_string_equal(v->limbs[left->excludes[0]].name, "upper");
    assert_int_equal(limb_of(c, "seat")->exclude_count, 1);
    assert_string_equal(v->limbs[limb_of(c, "seat")->excludes[0]].name, "elbow");
    assert_near(v->rest[joint_of(c, "p5a_j")->q_index], 0.5, 0);
    assert_near(v->limits.root_speed, 0.5, 0);
    assert_near(v->limits.root_turn, 2, 0);
    assert_near(joint_of(c, "p4a_j")->max_speed, 4, 0);
    assert_near(joint_of(c, "p4a_j")->max_acceleration, 9, 0);
    assert_int_equal(v->gait_count, 2);
    assert_int_equal(v->gait_sizes[1], 2);
    assert_string_equal(v->limbs[v->gait_limbs[2]].name, "right");
    assert_int_equal(v->guide.bent_count, 2);
    assert_int_equal(v->guide.any, 2);
    assert_near(v->guide.tilt, 0.3, 0);
    /* The region's planes belong to the creature file's joints and have unit normals. */
    assert_int_equal(v->rom_count, 1);
    assert_int_equal(v->roms[0].joints[1], hf_creature_find_joint(c, "p5a_j"));
    assert_near(v->roms[0].pieces[0].planes[0], 1, 1e-15);
    assert_near(v->roms[0].pieces[0].planes[2], 0.5, 1e-15);
    assert_int_equal(v->trunk_count, 3);
    hf_creature_free(c);
}

static void bad_creature_files_say_why(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("three.rom.json",
               "{\"joints\": [\"a\",\"b\",\"c\"], \"pieces\": [{\"A\": [[1,0,0]], \"b\": [1]}]}");
    write_file("odd.rom.json", "{\"joints\": [\"p4a_j\"], \"pieces\": [{\"A\": [[0]], \"b\": [1]}]}");
    write_file("pair.urdf",
               "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='first' "
               "type='continuous'><parent link='a'/><child link='b'/></joint><joint name='second' "
               "type='continuous'><parent link='b'/><child link='c'/><mimic joint='first'/></joint></robot>");
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"{", "not valid JSON"},
        {"[]", "a JSON object is expected"},
        {"{\"format\": \"holdfast-motion\", \"version\": 1}", "\"holdfast-creature\" is expected"},
        {"{\"format\": \"holdfast-creature\", \"version\": 2}", "is 2, this program reads 1"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1}", "\"urdf\" is missing"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"gone.urdf\"}", "No such file"},
        {HEAD ", \"limb\": []}", "unknown key \"limb\"; did you mean \"limbs\"?"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"efector\": \"p2a\"}]}", "did you mean \"effector\"?"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p9a\"}]}", "there is no link \"p9a\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\"}]}", "has no \"effector\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"root\": \"p2a\", \"effector\": \"p0a\"}]}",
         "not beyond its root"},
        {HEAD
         ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p0a\"}, {\"name\": \"a\", \"effector\": \"p0b\"}]}",
         "is used twice"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"offset\": [0,0,0], "
              "\"normal\": [0,0,0]}}]}",
         "\"normal\" has no length"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"offset\": [0,0], "
              "\"normal\": [0,0,1]}}]}",
         "3 numbers"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"link\": \"p9a\", "
              "\"offset\": [0,0,0], \"normal\": [0,0,1]}}]}",
         "there is no link \"p9a\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"contact\": {\"link\": \"p1a\", "
              "\"offset\": [0,0,0], \"normal\": [0,0,1]}}]}",
         "link \"p1a\" of a contact frame is no part of its effector"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"max_force\": -1}]}", "above 0"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"p2a\", \"excludes\": [\"b\"]}]}",
         "there is no limb \"b\""},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"root\": \"p0a\", \"effector\": \"p2a\"}, {\"name\": \"b\", "
              "\"root\": \"p4b\", "
              "\"effector\": \"p6b\", \"mirror_of\": \"a\"}]}",
         "does not move as the mirror image of \"a\""},
        {HEAD
         ", \"limbs\": [{\"name\": \"a\", \"root\": \"p0a\", \"effector\": \"p2a\", \"mirror_of\": \"a\"}]}",
         "mirror image"},
        {HEAD ", \"trunk\": [\"hip\"]}", "there is no link \"hip\""},
        {HEAD ", \"rest\": {\"p5a_j\": 3}}", "outside the joint's limits"},
        {HEAD ", \"rest\": {\"p5\": 3}}", "there is no joint of this name"},
        {HEAD ", \"rest\": {\"p5a_jj\": 0}}", "did you mean \"p5a_j\"?"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"pair.urdf\", \"rest\": "
         "{\"second\": 0.1}}",
         "rest.second: this joint follows \"first\""},
        {HEAD ", \"rest\": {\"p5a_j\": [1,2,3]}}", "3 values are given"},
        {HEAD ", \"rest\": {\"p5a_j\": \"x\"}}", "a number is expected"},
        {HEAD ", \"rom\": [{\"joints\": [\"p4a_j\", \"p5a_j\"], \"region\": \"three.rom.json\"}]}",
         "3 joints, the creature file gives it 2"},
        {HEAD ", \"rom\": [{\"region\": \"three.rom.json\"}]}", "there is no joint \"a\""},
        {HEAD ", \"rom\": [{\"region\": \"odd.rom.json\"}]}", "a row of usable size"},
        {HEAD ", \"rom\": [{\"region\": \"none.rom.json\"}]}", "No such file"},
        {HEAD ", \"limits\": {\"root_speed\": 0}}", "above 0"},
        {HEAD ", \"limits\": {\"speed\": 1}}", "unknown key"},
        {HEAD ", \"gait\": [[\"left_lag\"]]}", "did you mean \"left_leg\"?"},
        {HEAD ", \"guide\": {\"upright\": [\"x\"]}}", "there is no limb \"x\""},
        {HEAD ", \"guide\": {\"any\": 1.5}}", "a number of limbs is expected"},
        {HEAD ", \"guide\": {\"any\": 1e300}}", "a number of limbs is expected"},
        {"{\"format\": \"holdfast-creature\", \"version\": 1, \"urdf\": \"\"}", "\"urdf\" is empty"},
        {HEAD ", \"limbs\": [{\"name\": \"a\", \"effector\": \"b\", \"contact\": {\"offset\": [0, 0, 0], "
              "\"normal\": [1e300, 1e300, 0]}}]}",
         "\"normal\" has no usable length"},
        {HEAD ", \"srdf\": \"none.srdf\"}", "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hf_creature* c = (hf_creature*)1;
        hf_error e = {0};
        char text[1400];
        hf_status status = hf_creature_load(write_file("bad.creature.json", cases[i].text), NULL, &c, &e);
        hf_error_text(&e, text, sizeof text);
        if (status == HF_OK || !strstr(text, cases[i].fragment))
            fail_msg("case %zu: status %d: %s", i, status, text);
        assert_null(c);
        assert_true(e.file[0]);
    }
}

#define BENT HEAD ", \"srdf\": \"bent.srdf\", \"guide\": {\"tilt\": 0.6, \"tilt_max\": 1.6"

/* Resting on all limbs: the state is one of the SRDF, and limbs go over to it while the trunk tilts. */
static void bent_states_are_checked(void** state) {
    (void)state;
    write_file("person.urdf", made_person());
    write_file("bent.srdf",
               "<robot name=\"person\"><group name=\"leg\"><joint name=\"p5a_j\"/></group>"
               "<group_state name=\"sit\" group=\"leg\"><joint name=\"p5a_j\" value=\"0.7\"/></group_state>"
               "<group_state name=\"lie\" group=\"leg\"><joint name=\"p5a_j\" value=\"0.2\"/></group_state>"
               "</robot>");
    static const struct {
        const char *text, *field;
    } bad[] = {
        {BENT ", \"bent_state\": \"fly\"}}", "guide.bent_state"},
        {BENT ", \"bent_state\": \"fly\", \"bent_tilt\": 0.3}}", "guide.bent_state"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 0.3}}", "guide.bent_tilt"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 0.6}}", "guide.bent_tilt"},
        {BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 1.7}}", "guide.bent_tilt"},
        {BENT ", \"bent_tilt\": 1.5}}", "guide.bent_tilt"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hf_creature* c = NULL;
        hf_error e = {0};
        hf_status status = hf_creature_load(write_file("bent.creature.json", bad[i].text), NULL, &c, &e);
        assert_int_equal(status, HF_ERROR_FORMAT);
        assert_string_equal(e.field, bad[i].field);
        assert_null(c);
    }
    hf_creature* none = load_text("bent.creature.json", BENT "}}");
    hf_creature* sit = load_text("bent.creature.json", BENT ", \"bent_state\": \"sit\"}}");
    hf_creature* lie = load_text("bent.creature.json", BENT ", \"bent_state\": \"lie\"}}");
    hf_creature* less =
        load_text("bent.creature.json", BENT ", \"bent_state\": \"sit\", \"bent_tilt\": 1.2}}");
    assert_null(hf_creature_get(none)->guide.bent_q);
    assert_near(hf_creature_get(sit)->guide.bent_tilt, 1.6, 0);
    assert_near(hf_creature_get(less)->guide.bent_tilt, 1.2, 0);
    assert_near(hf_creature_get(sit)->guide.bent_q[joint_of(sit, "p5a_j")->q_index], 0.7, 0);
    assert_near(hf_creature_get(lie)->guide.bent_q[joint_of(lie, "p5a_j")->q_index], 0.2, 0);
    hf_creature* all[] = {none, sit, lie, less};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) assert_true(hf_creature_hash(all[i]) != hf_creature_hash(all[k]));
    for (int i = 0; i < 4; i++) hf_creature_free(all[i]);
}

/* --------------------------------------------------------------------------------------- pairs */

/* Every pair by the rule, one by one. */
static void check_pairs(const char* path, const char* without_srdf) {
    hf_creature* c = must_load(path);
    const hf_creature_view* v = hf_creature_get(c);
    double* q = calloc((size_t)v->q_count + 1, sizeof *q);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {hf_transform_identity(), q};
    hf_pose_rest(c, &pose);
    pose.root = hf_transform_identity();
    hf_forward(c, &pose, links);
    int enabled = 0, touching = 0;
    for (int a = 0; a < v->body_count; a++)
        for (int b = 0; b < v->body_count; b++) {
            const hf_body *x = &v->bodies[a], *y = &v->bodies[b];
            bool apart = x->link != y->link && v->links[x->link].parent_link != y->link &&
                         v->links[y->link].parent_link != x->link;
            double distance = hf_shape_distance(&x->shape, hf_compose(links[x->link], x->in_link), &y->shape,
                                                hf_compose(links[y->link], y->in_link));
            bool on = hf_creature_pair_enabled(c, a, b);
            if (without_srdf)
                assert_int_equal(on, apart && distance > 0);
            else if (on)
                assert_true(apart && distance > 0);
            enabled += on;
            touching += apart && distance <= 0;
        }
    assert_true(enabled > 0);
    (void)touching;
    free(q);
    free(links);
    hf_creature_free(c);
}

static void touching_pairs_are_off(void** state) {
    (void)state;
    write_file("pairs.urdf", made_person());
    check_pairs(test_path("pairs.urdf"), "");
    const char* path = third_party("robots/anymal_b_simple_description/robots/anymal.urdf");
    if (path) check_pairs(path, NULL);
    check_pairs(data_path("data/creatures/human.creature.json"), NULL);
}

/* --------------------------------------------------------------------------------- round trips */

static bool same_vertices(const hf_shape* a, const hf_shape* b) {
    if (a->vertex_count != b->vertex_count) return false;
    for (int i = 0; i < a->vertex_count; i++) {
        bool found = false;
        for (int k = 0; k < b->vertex_count && !found; k++)
            found = memcmp(a->vertices + 3 * i, b->vertices + 3 * k, 3 * sizeof(float)) == 0;
        if (!found) return false;
    }
    return true;
}

static void same_bodies(const hf_creature_view* a, const hf_creature_view* b) {
    assert_int_equal(a->body_count, b->body_count);
    for (int i = 0; i < a->body_count; i++) {
        const hf_body *x = &a->bodies[i], *y = &b->bodies[i];
        assert_int_equal(x->link, y->link);
        assert_int_equal(x->shape.kind, y->shape.kind);
        assert_near(x->shape.radius, y->shape.radius, 0);
        assert_near(x->shape.half_length, y->shape.half_length, 0);
        assert_near(hf_distance(x->shape.half_size, y->shape.half_size), 0, 0);
        assert_near(hf_distance(x->in_link.position, y->in_link.position), 0, 1e-12);
        assert_near(hf_quat_angle(x->in_link.rotation, y->in_link.rotation), 0, 1e-7);
        if (x->shape.kind == HF_SHAPE_HULL) assert_true(same_vertices(&x->shape, &y->shape));
    }
}

static void same_creature(const hf_creature* a, const hf_creature* b) {
    const hf_creature_view *x = hf_creature_get(a), *y = hf_creature_get(b);
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->link_count, y->link_count);
    assert_int_equal(x->joint_count, y->joint_count);
    assert_int_equal(x->q_count, y->q_count);
    for (int i = 0; i < x->link_count; i++) {
        assert_string_equal(x->links[i].name, y->links[i].name);
        assert_near(x->links[i].mass, y->links[i].mass, 0);
        assert_near(hf_distance(x->links[i].com, y->links[i].com), 0, 0);
        for (int k = 0; k < 6; k++) assert_near(x->links[i].inertia[k], y->links[i].inertia[k], 1e-15);
    }
    for (int i = 0; i < x->joint_count; i++) {
        const hf_joint *j = &x->joints[i], *k = &y->joints[i];
        assert_string_equal(j->name, k->name);
        assert_int_equal(j->type, k->type);
        assert_true(j->lower == k->lower && j->upper == k->upper);
        assert_true(j->max_speed == k->max_speed && j->max_effort == k->max_effort);
        assert_int_equal(j->mimic, k->mimic);
    }
    same_bodies(x, y);
    double* q = calloc((size_t)x->q_count + 1, sizeof *q);
    hf_transform* one = calloc((size_t)x->link_count, sizeof *one);
    hf_transform* two = calloc((size_t)x->link_count, sizeof *two);
    for (int trial = 0; trial < 20; trial++) {
        hf_random r = hf_random_start(5, 2, (uint64_t)trial);
        hf_pose pose = {hf_transform_identity(), q};
        for (int i = 0; i < x->q_count; i++) q[i] = hf_random_between(&r, -1, 1);
        hf_forward(a, &pose, one);
        hf_forward(b, &pose, two);
        for (int i = 0; i < x->link_count; i++)
            assert_near(hf_distance(one[i].position, two[i].position), 0, 1e-11);
    }
    free(q);
    free(one);
    free(two);
}

static void written_urdfs_load_to_the_same(void** state) {
    (void)state;
    write_file(
        "odd.urdf",
        "<robot name=\"a &amp; &quot;b&quot;\"><link name=\"base &lt;1&gt;\"><inertial><origin xyz=\"0.1 0.2 "
        "0.3\" "
        "rpy=\"0.1 0.2 0.3\"/><mass value=\"1.1\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2\" "
        "ixy=\"0.3\"/></inertial></link>"
        "<link name=\"a\"/><link name=\"b\"><collision><origin xyz=\"0 1 0\" rpy=\"1.5707963267948966 0.4 "
        "1\"/><geometry>"
        "<cylinder radius=\"0.1\" length=\"0.3\"/></geometry></collision></link><link name=\"c\"/><link "
        "name=\"d\"/>"
        "<joint name=\"p\" type=\"planar\"><parent link=\"base &lt;1&gt;\"/><child link=\"a\"/><axis xyz=\"1 "
        "1 0\"/></joint>"
        "<joint name=\"q\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0.1 0 0\" "
        "rpy=\"0.3 1.5707963267948966 0.2\"/><limit lower=\"-0.1\" upper=\"0.3\" effort=\"3\"/></joint>"
        "<joint name=\"r\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><limit lower=\"-1\" "
        "upper=\"1\"/>"
        "<mimic joint=\"q\" multiplier=\"0.33333333333333331\" offset=\"-0.1\"/></joint>"
        "<joint name=\"f\" type=\"floating\"><parent link=\"c\"/><child link=\"d\"/></joint></robot>");
    const char* paths[12] = {test_path("odd.urdf"), data_path("data/creatures/human.urdf")};
    char keep[10][1200];
    int count = 2;
    static const char* const robots[] = {"robots/simple_humanoid_description/urdf/simple_humanoid.urdf",
                                         "robots/quadruped_description/urdf/quadruped.urdf",
                                         "robots/anymal_b_simple_description/robots/anymal.urdf",
                                         "robots/ur_description/urdf/ur5_gripper.urdf",
                                         "motions/pirouette.bvh",
                                         "motions/02_01.bvh",
                                         "gltf/RiggedFigure.glb",
                                         "gltf/Fox.glb"};
    for (int i = 0; i < 8; i++) {
        const char* path = third_party(robots[i]);
        if (!path) break;
        snprintf(keep[i], sizeof keep[i], "%s", path);
        paths[count++] = keep[i];
    }
    for (int i = 0; i < count; i++) {
        hf_creature* a = must_load(paths[i]);
        const char* out = test_path("written.urdf");
        hf_error e;
        assert_int_equal(hf_creature_write_urdf(a, out, &e), HF_OK);
        hf_creature* b = must_load(out);
        same_creature(a, b);
        /* Limbs are found again at the same links. */
        const hf_creature_view *x = hf_creature_get(a), *y = hf_creature_get(b);
        assert_int_equal(x->limb_count, y->limb_count);
        for (int k = 0; k < x->limb_count; k++) {
            assert_int_equal(x->limbs[k].root_link, y->limbs[k].root_link);
            assert_int_equal(x->limbs[k].effector_link, y->limbs[k].effector_link);
            if (!x->urdf_path) assert_string_equal(x->limbs[k].name, y->limbs[k].name);
        }
        hf_creature_free(a);
        hf_creature_free(b);
    }
    hf_creature* a = must_load(paths[0]);
    hf_error e;
    assert_int_equal(hf_creature_write_urdf(a, "/nonexistent/x.urdf", &e), HF_ERROR_FILE);
    hf_creature_free(a);
}

static void shipped_creatures_load_without_a_word(void** state) {
    (void)state;
    DIR* folder = opendir(data_path("data/creatures"));
    assert_non_null(folder);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        char path[400];
        if (!strstr(entry->d_name, ".creature.json") && !strstr(entry->d_name, ".urdf")) continue;
        snprintf(path, sizeof path, "data/creatures/%s", entry->d_name);
        hf_creature* c = must_load(data_path(path));
        const hf_creature_view* v = hf_creature_get(c);
        if (v->warnings.count > 0) fail_msg("%s: %s", entry->d_name, v->warnings.items[0]);
        assert_true(v->limb_count >= 4);
        hf_creature_free(c);
        count++;
    }
    closedir(folder);
    assert_true(count >= 2);
}

static void hashes_tell_creatures_apart(void** state) {
    (void)state;
    hf_creature *a = load_text("hash.urdf", made_person()), *b = must_load(test_path("hash.urdf"));
    assert_true(hf_creature_hash(a) == hf_creature_hash(b));
    hf_creature_free(b);
    static char text[20000];
    snprintf(text, sizeof text, "%s", made_person());
    char* upper = strstr(text, "upper=\"1\"");
    upper[7] = '2';
    b = load_text("hash.urdf", text);
    assert_true(hf_creature_hash(a) != hf_creature_hash(b));
    hf_creature_free(a);
    hf_creature_free(b);
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
        cmocka_unit_test(srdf_names_limbs_and_disables_pairs),
        cmocka_unit_test(bad_srdf_is_refused),
        cmocka_unit_test(creature_files_refine),
        cmocka_unit_test(bad_creature_files_say_why),
        cmocka_unit_test(bent_states_are_checked),
        cmocka_unit_test(touching_pairs_are_off),
        cmocka_unit_test(written_urdfs_load_to_the_same),
        cmocka_unit_test(shipped_creatures_load_without_a_word),
        cmocka_unit_test(hashes_tell_creatures_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
