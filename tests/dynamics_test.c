/* Inverse dynamics against d'Alembert's principle with finite differences, the centre of mass Jacobian,
   and the symmetry and energy of the mass matrix. */
#include "creature_fixture.h"

static const hf_vec3 GRAVITY = {0.3, -0.4, -9.7};

static hf_creature* all_joints(void) { return load_text("all_joints_dynamics.urdf", FIXTURE_ALL_JOINTS); }

/* Inertia of a link about its centre of mass in world axes, times w. */
static hf_vec3 world_inertia(const hf_link* link, hf_quat rotation, hf_vec3 w) {
    const double* i = link->inertia;
    hf_vec3 u = hf_unrotate(rotation, w);
    hf_vec3 l = {i[0] * u.x + i[3] * u.y + i[4] * u.z, i[3] * u.x + i[1] * u.y + i[5] * u.z,
                 i[4] * u.x + i[5] * u.y + i[2] * u.z};
    return hf_rotate(rotation, l);
}

/* Linear and angular momentum (about its own centre of mass) of every link when the pose has moved with
   velocity + acceleration * t for a time t; jacobians (6 x v_count for each link) may be NULL. */
static void momenta(const hf_creature* creature, const hf_pose* pose, const double* v, const double* a,
                    double t, hf_vec3* linear, hf_vec3* angular, double* jacobians) {
    const hf_creature_view* view = hf_creature_get(creature);
    size_t columns = (size_t)view->v_count;
    double *mean = calloc(columns, sizeof *mean), *jacobian = calloc(6 * columns, sizeof *jacobian);
    hf_pose moved = {.q = calloc((size_t)view->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    for (size_t i = 0; i < columns; i++) mean[i] = v[i] + 0.5 * a[i] * t;
    hf_pose_integrate(creature, pose, mean, t, &moved);
    hf_forward(creature, &moved, links);
    for (int l = 0; l < view->link_count; l++) {
        hf_vec3 com = hf_apply(links[l], view->links[l].com);
        hf_point_jacobian(creature, links, l, com, 6, jacobian);
        double speed[6] = {0};
        for (size_t row = 0; row < 6; row++)
            for (size_t i = 0; i < columns; i++)
                speed[row] += jacobian[row * columns + i] * (v[i] + a[i] * t);
        linear[l] = hf_scale(hf_v3(speed[0], speed[1], speed[2]), view->links[l].mass);
        angular[l] = world_inertia(&view->links[l], links[l].rotation, hf_v3(speed[3], speed[4], speed[5]));
        if (jacobians) memcpy(&jacobians[6 * columns * (size_t)l], jacobian, 6 * columns * sizeof *jacobian);
    }
    free(mean), free(jacobian), free(moved.q), free(links);
}

/* d'Alembert: the forces do the work of every link's change of momentum less its weight. */
static void test_principle(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t n = (size_t)view->link_count, columns = (size_t)view->v_count;
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_vec3* p[6];
    for (int i = 0; i < 6; i++) p[i] = calloc(n, sizeof **p);
    double *jacobians = calloc(6 * columns * n, sizeof *jacobians), *force = calloc(columns, sizeof *force);
    const double step = 1e-5;
    for (int round = 0; round < 10; round++) {
        hf_random r = hf_random_start(11, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r);
        double *v = random_speeds(creature, &r), *a = random_speeds(creature, &r);
        momenta(creature, &pose, v, a, 0, p[0], p[1], jacobians);
        momenta(creature, &pose, v, a, step, p[2], p[3], NULL);
        momenta(creature, &pose, v, a, -step, p[4], p[5], NULL);
        assert_int_equal(hf_inverse_dynamics(creature, &pose, v, a, GRAVITY, workspace, force), HF_OK);
        double largest = 0;
        for (size_t i = 0; i < columns; i++) largest = fmax(largest, fabs(force[i]));
        for (size_t i = 0; i < columns; i++) {
            double expected = 0;
            for (size_t l = 0; l < n; l++) {
                hf_vec3 f = hf_scale(hf_sub(p[2][l], p[4][l]), 0.5 / step);
                hf_vec3 t = hf_scale(hf_sub(p[3][l], p[5][l]), 0.5 / step);
                f = hf_sub(f, hf_scale(GRAVITY, view->links[l].mass));
                const double* j = &jacobians[6 * columns * l + i];
                expected += j[0] * f.x + j[columns] * f.y + j[2 * columns] * f.z;
                expected += j[3 * columns] * t.x + j[4 * columns] * t.y + j[5 * columns] * t.z;
            }
            assert_near(force[i], expected, 1e-8 * largest);
        }
        free(pose.q), free(v), free(a);
    }
    for (int i = 0; i < 6; i++) free(p[i]);
    free(jacobians), free(force);
    hf_workspace_free(workspace);
    hf_creature_free(creature);
}

/* At rest the forces carry the weight: minus the gradient of its work, by the centre of mass Jacobian. */
static void test_weight(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t columns = (size_t)view->v_count;
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    double *jacobian = calloc(3 * columns, sizeof *jacobian), *force = calloc(columns, sizeof *force);
    double *zero = calloc(columns, sizeof *zero), *same = calloc(columns, sizeof *same);
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    for (int round = 0; round < 10; round++) {
        hf_random r = hf_random_start(12, 0, (uint64_t)round);
        hf_pose pose = random_pose(creature, &r);
        hf_forward(creature, &pose, links);
        hf_com_jacobian(creature, links, jacobian);
        assert_int_equal(hf_inverse_dynamics(creature, &pose, NULL, NULL, GRAVITY, workspace, force), HF_OK);
        for (size_t i = 0; i < columns; i++) {
            hf_vec3 slope = {jacobian[i], jacobian[columns + i], jacobian[2 * columns + i]};
            assert_near(force[i], -view->mass * hf_dot(slope, GRAVITY), 1e-11 * view->mass * 10);
        }
        assert_int_equal(hf_inverse_dynamics(creature, &pose, zero, zero, GRAVITY, workspace, same), HF_OK);
        assert_memory_equal(force, same, columns * sizeof *force);
        free(pose.q);
    }
    free(jacobian), free(force), free(zero), free(same), free(links);
    hf_workspace_free(workspace);
    hf_creature_free(creature);
}

/* The mass matrix, a column per unit acceleration, is symmetric and gives the kinetic energy. */
static void test_mass_matrix(void** unused) {
    (void)unused;
    hf_creature* creature = all_joints();
    const hf_creature_view* view = hf_creature_get(creature);
    size_t n = (size_t)view->link_count, columns = (size_t)view->v_count;
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    double *matrix = calloc(columns * columns, sizeof *matrix), *unit = calloc(columns, sizeof *unit);
    double* jacobian = calloc(6 * columns, sizeof *jacobian);
    hf_transform* links = calloc(n, sizeof *links);
    hf_random r = hf_random_start(13, 0, 0);
    hf_pose pose = random_pose(creature, &r);
    double* v = random_speeds(creature, &r);
    for (size_t i = 0; i < columns; i++) {
        memset(unit, 0, columns * sizeof *unit);
        unit[i] = 1;
        hf_vec3 none = {0, 0, 0};
        assert_int_equal(
            hf_inverse_dynamics(creature, &pose, NULL, unit, none, workspace, &matrix[i * columns]), HF_OK);
    }
    double energy = 0, expected = 0;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            assert_near(matrix[i * columns + j], matrix[j * columns + i], 1e-12);
            energy += 0.5 * v[i] * matrix[i * columns + j] * v[j];
        }
    hf_forward(creature, &pose, links);
    for (size_t l = 0; l < n; l++) {
        const hf_link* link = &view->links[l];
        double speed[6] = {0};
        hf_point_jacobian(creature, links, (int)l, hf_apply(links[l], link->com), 6, jacobian);
        for (size_t row = 0; row < 6; row++)
            for (size_t i = 0; i < columns; i++) speed[row] += jacobian[row * columns + i] * v[i];
        hf_vec3 move = {speed[0], speed[1], speed[2]}, turn = {speed[3], speed[4], speed[5]};
        expected += 0.5 * link->mass * hf_dot(move, move);
        expected += 0.5 * hf_dot(turn, world_inertia(link, links[l].rotation, turn));
    }
    assert_near(energy, expected, 1e-12 * expected);
    free(matrix), free(unit), free(jacobian), free(links), free(v), free(pose.q);
    hf_workspace_free(workspace);
    hf_creature_free(creature);
}

/* A single link: Newton and Euler for one body about its origin. */
static void test_single_body(void** unused) {
    (void)unused;
    hf_creature* creature =
        load_text("stone.urdf", "<robot name='stone'>" FIXTURE_LINK("stone", "2.5") "</robot>");
    const hf_link* link = hf_creature_get(creature)->links;
    assert_int_equal(hf_creature_get(creature)->v_count, 6);
    hf_workspace* workspace;
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    hf_random r = hf_random_start(14, 0, 0);
    hf_pose pose = random_pose(creature, &r);
    double *v = random_speeds(creature, &r), *a = random_speeds(creature, &r), force[6];
    assert_int_equal(hf_inverse_dynamics(creature, &pose, v, a, GRAVITY, workspace, force), HF_OK);
    hf_vec3 w = {v[3], v[4], v[5]}, rate = {a[3], a[4], a[5]}, arm = hf_rotate(pose.root.rotation, link->com);
    hf_vec3 com = hf_add(hf_v3(a[0], a[1], a[2]), hf_add(hf_cross(rate, arm), hf_cross(w, hf_cross(w, arm))));
    hf_vec3 f = hf_scale(hf_sub(com, GRAVITY), link->mass);
    hf_vec3 spin = world_inertia(link, pose.root.rotation, w);
    hf_vec3 t = hf_add(world_inertia(link, pose.root.rotation, rate), hf_cross(w, spin));
    t = hf_add(t, hf_cross(arm, f));
    const double expected[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    for (int i = 0; i < 6; i++) assert_near(force[i], expected[i], 1e-12);
    free(pose.q), free(v), free(a);
    hf_workspace_free(workspace);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_principle),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_mass_matrix),
        cmocka_unit_test(test_single_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
