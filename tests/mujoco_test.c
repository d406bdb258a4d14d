/* MuJoCo as an oracle: link poses, centre of mass and inverse dynamics of real creatures at random poses. */
#include "check/check.h"
#include "creature_fixture.h"
#include "mujoco_urdf.h"

#include <dirent.h>

enum { POSES = 25 };

/* The independent check's torques, from three frames of the same motion. */
static void compare_check(const hf_creature* creature, const hf_pose* pose, const double* v, const double* a,
                          const double* expected, double largest) {
    const hf_creature_view* c = hf_creature_get(creature);
    hf_motion_frame frames[3];
    for (int k = 0; k < 3; k++) frame_at(creature, pose, v, a, (k - 1) * 1e-3, &frames[k]);
    hf_motion motion = {.frames = frames, .frame_count = 3};
    check_job job = {.c = c, .motion = &motion};
    check_frame* links = calloc((size_t)c->link_count, sizeof *links);
    check_motion* motions = calloc((size_t)c->link_count, sizeof *motions);
    double(*wrenches)[6] = calloc((size_t)c->link_count, sizeof *wrenches);
    double *torques = calloc((size_t)c->joint_count + 1, sizeof *torques), com[3] = {0}, force[3], moment[3];
    check_forward(c, pose->root, pose->q, links);
    check_momentum_rate(c, &frames[1], links, com, motions, force, moment);
    check_link_wrenches(&job, 1, links, motions, wrenches);
    check_joint_torques(c, links, wrenches, torques);
    for (int j = 0; j < c->joint_count; j++)
        if (c->joints[j].q_count == 1 && c->joints[j].mimic < 0)
            assert_near(torques[j], expected[c->joints[j].v_index], 1e-6 * largest);
    for (int k = 0; k < 3; k++) free(frames[k].q);
    free(links), free(motions), free(wrenches), free(torques);
}

static void compare_pose(const hf_creature* creature, const mjModel* m, mjData* d, hf_workspace* workspace,
                         uint64_t seed) {
    const hf_creature_view* view = hf_creature_get(creature);
    hf_random r = hf_random_start(31, 0, seed);
    hf_pose pose = random_pose(creature, &r);
    double *v = random_speeds(creature, &r), *a = random_speeds(creature, &r);
    double *force = random_speeds(creature, &r), *expected = random_speeds(creature, &r);
    double* theirs = calloc((size_t)m->nv, sizeof *theirs);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);

    mujoco_set(creature, m, d, &pose, v, a);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, theirs);
    mujoco_forces(creature, m, &pose, theirs, expected);

    hf_forward(creature, &pose, links);
    for (int l = 0; l < view->link_count; l++) {
        int body = mj_name2id(m, mjOBJ_BODY, view->links[l].name);
        assert_true(body >= 0);
        const double *p = &d->xpos[3 * body], *q = &d->xquat[4 * body];
        assert_near(hf_distance(links[l].position, hf_v3(p[0], p[1], p[2])), 0, 1e-9);
        assert_near(hf_quat_angle(links[l].rotation, (hf_quat){q[0], q[1], q[2], q[3]}), 0, 1e-9);
    }
    hf_vec3 com = hf_com(creature, links);
    for (int i = 0; i < 3; i++) assert_near((&com.x)[i], d->subtree_com[i], 1e-9);
    const double* g = m->opt.gravity;
    assert_int_equal(hf_inverse_dynamics(creature, &pose, v, a, hf_v3(g[0], g[1], g[2]), workspace, force),
                     HF_OK);
    double largest = 0;
    for (int i = 0; i < view->v_count; i++) largest = fmax(largest, fabs(expected[i]));
    assert_true(largest > 1);
    /* Relative to the value itself; forces that nearly cancel, to what cancels there. */
    for (int i = 0; i < view->v_count; i++)
        assert_near(force[i], expected[i], 1e-6 * fabs(expected[i]) + 1e-11 * largest);
    compare_check(creature, &pose, v, a, expected, largest);
    free(pose.q), free(v), free(a), free(force), free(expected), free(theirs), free(links);
}

/* Our poses, masses and forces against the model's. */
static void compare_model(const hf_creature* creature, mjModel* m) {
    mjData* d = mj_makeData(m);
    assert_non_null(d);
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    double mass = 0;
    for (int i = 0; i < m->nbody; i++) mass += m->body_mass[i];
    assert_near(hf_creature_get(creature)->mass, mass, 1e-9 * mass);
    for (int i = 0; i < POSES; i++) compare_pose(creature, m, d, workspace, (uint64_t)i);
    hf_workspace_free(workspace);
    mj_deleteData(d);
}

/* What we write as MJCF is the creature: joints, motors with effort limits, spheres of contact frames. */
static void compare_mjcf(const hf_creature* creature) {
    const hf_creature_view* c = hf_creature_get(creature);
    char path[1200], message[2000];
    hf_error error = {0};
    snprintf(path, sizeof path, "%s/mujoco.xml", test_folder());
    assert_int_equal(hf_creature_write_mjcf(creature, path, &error), HF_OK);
    mjModel* m = mj_loadXML(path, NULL, message, sizeof message);
    if (!m) fail_msg("%s: %s", c->path, message);
    m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE;
    compare_model(creature, m);
    int spheres = 0, expected = 0;
    for (int g = 0; g < m->ngeom; g++) spheres += m->geom_group[g] == 3;
    for (int l = 0; l < c->limb_count; l++)
        for (int k = 0; k < c->limbs[l].contact_count; k++) {
            const hf_contact_frame* f = &c->limbs[l].contacts[k];
            expected += f->ball > 0 || !(f->patch[0] > 0 || f->patch[1] > 0) ? 1 : 4;
        }
    assert_int_equal(spheres, expected);
    assert_int_equal(m->ngeom - spheres, c->body_count);
    for (int j = 0; j < c->joint_count; j++) {
        const hf_joint* joint = &c->joints[j];
        if (joint->q_count != 1 || joint->mimic >= 0) continue;
        int motor = mj_name2id(m, mjOBJ_ACTUATOR, joint->name), id = mj_name2id(m, mjOBJ_JOINT, joint->name);
        assert_true(motor >= 0 && m->actuator_trnid[2 * motor] == id);
        if (isfinite(joint->max_effort))
            assert_near(m->actuator_ctrlrange[2 * motor + 1], joint->max_effort, 0);
        if (isfinite(joint->lower)) assert_near(m->jnt_range[2 * id], joint->lower, 0);
    }
    mj_deleteModel(m);
}

static void compare_creature(const char* path, bool mjcf) {
    hf_creature* creature;
    hf_error error = {0};
    char message[2000];
    if (hf_creature_load(path, NULL, &creature, &error) != HF_OK)
        fail_msg("%s", hf_error_text(&error, message, sizeof message));
    char temporary[1200];
    snprintf(temporary, sizeof temporary, "%s/mujoco.urdf", test_folder());
    mjModel* m = mujoco_load(creature, temporary, message, sizeof message);
    if (!m) fail_msg("%s: %s", path, message);
    compare_model(creature, m);
    if (mjcf) compare_mjcf(creature);
    mj_deleteModel(m);
    hf_creature_free(creature);
}

/* Every shipped creature: all URDF files of the folder. */
static void test_shipped(void** unused) {
    (void)unused;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", data_path("data/creatures"));
    DIR* dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(dir));) {
        const char* ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".urdf") != 0) continue;
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        print_message("%s\n", entry->d_name);
        compare_creature(path, true);
        count++;
    }
    closedir(dir);
    assert_true(count >= 1);
}

/* Followers, fixed links, slides and oblique axes, which the shipped creatures may not have. */
static void test_followers(void** unused) {
    (void)unused;
    static const char* const text = "<robot name='all'>" FIXTURE_LINK("base", "3.0") FIXTURE_LINK(
        "a", "1.0") FIXTURE_LINK("b", "0.8") FIXTURE_LINK("c", "0.6") FIXTURE_LINK("d", "0.5")
        FIXTURE_LINK("e", "0.7") FIXTURE_JOINT(
            "near", "revolute", "base", "a", "xyz='0.1 0.2 0.3' rpy='0.4 0.1 -0.7'",
            "<axis xyz='0.2 -1 0.4'/><mimic joint='turn' multiplier='-0.7' offset='0.15'/>")
            FIXTURE_JOINT("turn", "continuous", "a", "b", "xyz='0 0.1 0.25'", "<axis xyz='0 1 0'/>")
                FIXTURE_JOINT("stiff", "fixed", "b", "c", "xyz='0.05 0 0.2' rpy='-0.6 0.3 0.2'",
                              "") FIXTURE_JOINT("slide", "prismatic", "c", "d", "xyz='0 0 0.3' rpy='0.1 0 0'",
                                                "<axis xyz='0.6 0 0.8'/>" FIXTURE_LIMIT)
                    FIXTURE_JOINT(
                        "far", "prismatic", "d", "e", "xyz='0 -0.1 0.1' rpy='0 0 0.3'",
                        "<axis xyz='0 0 1'/><mimic joint='turn' multiplier='0.4'/>" FIXTURE_LIMIT) "</robot>";
    hf_creature* creature = load_text("followers.urdf", text);
    hf_creature_free(creature);
    char path[1200];
    snprintf(path, sizeof path, "%s/followers.urdf", test_folder());
    compare_creature(path, true);
}

static void test_third_party(void** unused) {
    (void)unused;
    /* Not anymal: MuJoCo refuses its inertia. */
    static const char* const robots[] = {
        "robots/simple_humanoid_description/urdf/simple_humanoid.urdf",
        "robots/simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
        "robots/quadruped_description/urdf/quadruped.urdf", "robots/ur_description/urdf/ur5_gripper.urdf",
        "robots/ur_description/urdf/ur5_robot.urdf"};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        const char* path = third_party(robots[i]);
        if (!path) skip();
        print_message("%s\n", robots[i]);
        compare_creature(path, false);
    }
}

/* A base as ANYmal's, whose products of inertia are as large as its moments: MuJoCo takes the file. */
static void flat_inertias_are_written(void** unused) {
    (void)unused;
    static const char* const text =
        "<robot name='flat'><link name='base'><inertial><mass value='1e-6'/><inertia ixx='1e-6' iyy='1e-6' "
        "izz='1e-6' ixy='1e-6' ixz='1e-6' iyz='1e-6'/></inertial></link>" FIXTURE_LINK("a", "1.0")
            FIXTURE_JOINT("turn", "continuous", "base", "a", "xyz='0 0.1 0.25'",
                          "<axis xyz='0 1 0'/>") "</robot>";
    hf_creature* creature = load_text("flat.urdf", text);
    char path[1200], message[2000] = "";
    hf_error error = {0};
    snprintf(path, sizeof path, "%s/flat.xml", test_folder());
    assert_int_equal(hf_creature_write_mjcf(creature, path, &error), HF_OK);
    mjModel* m = mj_loadXML(path, NULL, message, sizeof message);
    if (!m) fail_msg("%s", message);
    mj_deleteModel(m);
    hf_creature_free(creature);
}

static void several_values_are_not_written(void** unused) {
    (void)unused;
    hf_creature* creature = load_text("several.urdf", FIXTURE_ALL_JOINTS);
    hf_error error = {0};
    assert_int_equal(hf_creature_write_mjcf(creature, "several.xml", &error), HF_ERROR_LIMIT);
    assert_string_equal(error.field, "plane");
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_values_are_not_written),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_third_party),
        cmocka_unit_test(flat_inertias_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
