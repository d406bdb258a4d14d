/* The region of accelerations and speeds that contacts bear at a pose, against GLPK's linear programs. */
#include "test.h"
#include "stance_fixture.h"

#include "balance/stance.h"
#include "model/creature.h"
#include "refine/time_scaling.h"

#include <glpk.h>

/* Shares of the box. At its corners forces are thousands of body weights, which a program meets to a few
   digits less than it is asked for. */
static const double SAME = 1e-5;

enum { ROUNDS = SANITIZED ? 6 : 60 };

/* The farthest point of the program "contact forces give what the pose at rest, u and x ask for" along a
   direction of the plane of (u, x); NaN when there is none. */
static double oracle_farthest(const stance_columns* c, double weight, double most_u, double most_x,
                              const double w[3][6], double nu, double nx) {
    glp_prob* p = glp_create_prob();
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.tol_bnd = how.tol_dj = 1e-9;
    glp_add_rows(p, 6);
    glp_add_cols(p, c->count + 2);
    int index[7] = {0, 1, 2, 3, 4, 5, 6};
    double value[7];
    for (int j = 0; j < c->count; j++) {
        for (int r = 0; r < 6; r++) value[r + 1] = c->w[j][r];
        glp_set_mat_col(p, j + 1, 6, index, value);
        double limit = c->limit[j] / weight;
        glp_set_col_bnds(p, j + 1, c->limit[j] > 0 ? GLP_DB : GLP_LO, c->limit[j] > 0 ? -limit : 0, limit);
    }
    for (int k = 0; k < 2; k++) {
        for (int r = 0; r < 6; r++) value[r + 1] = -w[k + 1][r] * (k ? most_x : most_u);
        glp_set_mat_col(p, c->count + 1 + k, 6, index, value);
    }
    glp_set_col_bnds(p, c->count + 1, GLP_DB, -1, 1);
    glp_set_col_bnds(p, c->count + 2, GLP_DB, 0, 1);
    for (int r = 0; r < 6; r++) glp_set_row_bnds(p, r + 1, GLP_FX, w[0][r], w[0][r]);
    glp_set_obj_dir(p, GLP_MAX);
    glp_set_obj_coef(p, c->count + 1, nu * most_u);
    glp_set_obj_coef(p, c->count + 2, nx * most_x);
    double best = glp_simplex(p, &how) == 0 && glp_get_status(p) == GLP_OPT ? glp_get_obj_val(p) : NAN;
    glp_delete_prob(p);
    return best;
}

/* The wrench of a generalised force of the root about the world's origin, in body weights. */
static void world_wrench(hf_vec3 root, const double* force, double weight, double out[6]) {
    hf_vec3 f = hf_scale(hf_v3(force[0], force[1], force[2]), 1 / weight);
    hf_vec3 t = hf_add(hf_scale(hf_v3(force[3], force[4], force[5]), 1 / weight), hf_cross(root, f));
    const double w[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    memcpy(out, w, sizeof w);
}

/* What a pose of the path asks of its contacts at rest, for u = 1 and for x = 1: inverse dynamics of central
   differences, as the definition has it. */
static void demands(const hf_scaling_path* p, hf_workspace* work, double weight, double w[3][6]) {
    double first[16], second[16], force[16];
    int n = p->creature->view.q_count, v = p->creature->view.v_count;
    hf_pose a = {p->roots[0], (double*)p->q}, b = {p->roots[1], (double*)p->q + n},
            c = {p->roots[2], (double*)p->q + 2 * n};
    double in[16], out[16];
    hf_pose_difference(p->creature, &a, &b, in);
    hf_pose_difference(p->creature, &b, &c, out);
    for (int i = 0; i < v; i++) {
        first[i] = (in[i] + out[i]) / 2 / p->step;
        second[i] = (out[i] - in[i]) / p->step / p->step;
    }
    hf_vec3 down = {0, 0, -HF_GRAVITY_M_S2}, none = {0, 0, 0}, root = b.root.position;
    assert_int_equal(hf_inverse_dynamics(p->creature, &b, NULL, NULL, down, work, force), HF_OK);
    world_wrench(root, force, weight, w[0]);
    assert_int_equal(hf_inverse_dynamics(p->creature, &b, NULL, first, none, work, force), HF_OK);
    world_wrench(root, force, weight, w[1]);
    assert_int_equal(hf_inverse_dynamics(p->creature, &b, first, second, none, work, force), HF_OK);
    world_wrench(root, force, weight, w[2]);
}

static hf_creature* two_bodies(void) {
    char path[1200];
    const char* text = "<robot name='two'><link name='base'><inertial><origin xyz='0 0 0.1'/>"
                       "<mass value='20'/><inertia ixx='1' iyy='0.8' izz='0.5' ixy='0.1' "
                       "ixz='0' iyz='0'/></inertial></link><link name='arm'><inertial><origin "
                       "xyz='0.3 0 0'/><mass value='5'/><inertia ixx='0.1' iyy='0.2' "
                       "izz='0.2' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' "
                       "type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 "
                       "0'/><limit lower='-2' upper='2' velocity='5' effort='1e6'/></joint>"
                       "</robot>";
    hf_creature* creature = NULL;
    hf_error error;
    snprintf(path, sizeof path, "%s/two-bodies.urdf", test_folder());
    assert_int_equal(hf_file_save(path, text, strlen(text), &error), HF_OK);
    assert_int_equal(hf_creature_load(path, NULL, &creature, &error), HF_OK);
    return creature;
}

/* A path of three poses over a stance: shifts and turns of any kind. */
static void random_path(hf_random* r, hf_transform roots[3], double q[3]) {
    hf_vec3 at = {hf_random_between(r, -0.3, 0.3), hf_random_between(r, -0.3, 0.3),
                  hf_random_between(r, 0.5, 1)};
    for (int i = 0; i < 3; i++) {
        hf_vec3 axis = random_unit(r), shift = hf_scale(random_unit(r), 0.01);
        roots[i] =
            (hf_transform){hf_add(at, shift), hf_quat_axis_angle(axis, hf_random_between(r, -0.02, 0.02))};
        q[i] = 0.3 + hf_random_between(r, -0.03, 0.03);
    }
}

static void regions_are_those_of_the_linear_program(void** state) {
    (void)state;
    hf_random r = hf_random_start(77, 1, 0);
    hf_creature* creature = two_bodies();
    hf_workspace* work;
    hf_stance* stance;
    assert_int_equal(hf_workspace_create(&work), HF_OK);
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    const double mass = 25, weight = mass * HF_GRAVITY_M_S2;
    const stance_kind kinds[] = {STANCE_FLOOR, STANCE_LEVELS, STANCE_SLOPES, STANCE_POINTS, STANCE_CLIMB};
    int compared = 0, empty = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < 5; k++) {
            random_stance s = random_stance_of(kinds[k], &r);
            hf_stance_options o = hf_stance_options_default();
            o.polytope = true;
            assert_int_equal(hf_stance_build(stance, s.supports, s.count, mass, &o, work), HF_OK);
            hf_transform roots[3];
            double q[3], w[3][6];
            random_path(&r, roots, q);
            const hf_stance* at[3] = {stance, stance, stance};
            hf_scaling_path p = {
                .creature = creature, .count = 3, .step = 0.005, .roots = roots, .q = q, .stances = at};
            hf_scaling_shares shares = {1e6, 1e6, 1e6};
            hf_pace_region region;
            hf_scaling info = {0};
            assert_int_equal(hf_scaling_region(&p, &shares, 1, work, &region, &info), HF_OK);
            demands(&p, work, weight, w);
            stance_columns c = stance_columns_of(&s, 4);
            // the box of the region: a step of 0.005 in a thousandth of a second at least
            double most_x = 25, most_u = 5000;
            for (int d = 0; d < 8; d++) {
                double nu = cos(d * M_PI / 4) / most_u, nx = sin(d * M_PI / 4) / most_x, least, most;
                double wanted = oracle_farthest(&c, weight, most_u, most_x, w, nu, nx);
                hf_pace_region_span(&region, nu, nx, &least, &most);
                if (isnan(wanted) || !region.count) {
                    // nothing, or a region too thin to have corners
                    assert_true(isnan(wanted) || !stance->polytope.known || !stance->polytope.certain ||
                                stance->polytope.equation_count);
                    empty++;
                    continue;
                }
                assert_true(most <= wanted + SAME);
                if (stance->polytope.known && stance->polytope.certain) assert_true(most >= wanted - SAME);
                compared++;
            }
        }
    assert_true(compared > 20 * ROUNDS / 2);
    hf_stance_free(stance);
    hf_workspace_free(work);
    hf_creature_free(creature);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions_are_those_of_the_linear_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
