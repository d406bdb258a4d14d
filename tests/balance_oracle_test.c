/* Balance against GLPK's linear programs and cddlib's double description, on random stances of every kind. */
#include "test.h"
#include "stance_fixture.h"

#include <glpk.h>

enum { ROUNDS = 170 }; /* of each kind */
static const double BAND_M = 1e-6;

/* The program of the model: columns of forces, then two for the centre of mass (x, y) and one for a distance
   along a direction. Rows in body weights. */
typedef struct oracle {
    glp_prob* p;
    glp_smcp how;
} oracle;

static oracle oracle_make(const stance_columns* c, double mass) {
    oracle o = {.p = glp_create_prob()};
    double weight = mass * HF_GRAVITY_M_S2;
    glp_add_rows(o.p, 6);
    if (c->count) glp_add_cols(o.p, c->count);
    for (int j = 0; j < c->count; j++) {
        int index[7];
        double value[7];
        for (int r = 0; r < 6; r++) index[r + 1] = r + 1, value[r + 1] = c->w[j][r];
        glp_set_mat_col(o.p, j + 1, 6, index, value);
        double limit = c->limit[j] / weight;
        if (c->limit[j] > 0)
            glp_set_col_bnds(o.p, j + 1, GLP_DB, -limit, limit);
        else
            glp_set_col_bnds(o.p, j + 1, GLP_LO, 0, 0);
    }
    glp_init_smcp(&o.how);
    o.how.msg_lev = GLP_MSG_OFF;
    o.how.tol_bnd = o.how.tol_dj = 1e-9;
    return o;
}

/* The largest t >= 0 with w + t v among the wrenches; -1 when not even w is, infinite when without end. */
static double farthest(oracle* o, const double* w, const double* v) {
    int column = glp_add_cols(o->p, 1), index[7];
    double value[7];
    for (int r = 0; r < 6; r++) {
        glp_set_row_bnds(o->p, r + 1, GLP_FX, w[r], w[r]);
        index[r + 1] = r + 1, value[r + 1] = -v[r];
    }
    glp_set_mat_col(o->p, column, 6, index, value);
    glp_set_col_bnds(o->p, column, GLP_LO, 0, 0);
    glp_set_obj_dir(o->p, GLP_MAX);
    glp_set_obj_coef(o->p, column, 1);
    glp_std_basis(o->p);
    int failed = glp_simplex(o->p, &o->how);
    int status = glp_get_status(o->p);
    double t = status == GLP_OPT ? glp_get_col_prim(o->p, column) : status == GLP_UNBND ? INFINITY : -1;
    if (failed) t = NAN;
    const int gone[2] = {0, column};
    glp_del_cols(o->p, 1, gone);
    return t;
}

static void static_wrench(hf_vec3 com, double w[6]) {
    const double v[6] = {0, 0, 1, com.y, -com.x, 0};
    memcpy(w, v, sizeof v);
}

/* Margin of the definition: eight programs. Negative when com itself is not held. */
static double oracle_margin(oracle* o, hf_vec3 com) {
    double w[6], least = INFINITY;
    static_wrench(com, w);
    for (int k = 0; k < 8; k++) {
        double dx = cos(k * M_PI / 4), dy = sin(k * M_PI / 4);
        const double v[6] = {0, 0, 0, dy, -dx, 0};
        double t = farthest(o, w, v);
        if (t < 0 || isnan(t)) return t;
        least = fmin(least, t);
    }
    return least;
}

typedef struct tally {
    int in, out, band, unsolved;
} tally;

static void compare_margin(const hf_stance* stance, oracle* o, hf_vec3 com, tally* t, int kind, int round) {
    double ours = hf_stance_margin(stance, com), theirs = oracle_margin(o, com);
    if (isnan(theirs)) {
        t->unsolved++;
        return;
    }
    if (theirs < 0 ? ours > -BAND_M && ours <= BAND_M : fabs(ours) < BAND_M && theirs < BAND_M) {
        t->band++;
        return;
    }
    if (theirs < 0 ? ours >= 0 : fabs(ours - fmin(theirs, HF_STANCE_MARGIN_M)) > BAND_M)
        fail_msg("kind %d round %d: margin %.9g, GLPK %.9g", kind, round, ours, theirs);
    theirs < 0 ? t->out++ : t->in++;
}

static void margins_agree_with_glpk(void** state) {
    (void)state;
    glp_term_out(GLP_OFF);
    hf_stance* stance;
    hf_workspace* workspace;
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    for (int kind = 0; kind < STANCE_KINDS; kind++) {
        tally t = {0};
        for (int round = 0; round < ROUNDS; round++) {
            hf_random r = hf_random_start(11, (uint32_t)kind, (uint64_t)round);
            random_stance s = random_stance_of((stance_kind)kind, &r);
            hf_stance_options options = hf_stance_options_default();
            options.cone_edges = round % 2 ? 4 : 8;
            assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &options, workspace),
                             HF_OK);
            stance_columns c = stance_columns_of(&s, options.cone_edges);
            oracle o = oracle_make(&c, s.mass);
            /* Around the middle of the region and of the contacts. */
            double corners[512], x = 0, y = 0;
            int count = hf_stance_region(stance, corners, 256);
            for (int i = 0; i < count; i++) {
                x += fmax(-2, fmin(2, corners[2 * i])) / count;
                y += fmax(-2, fmin(2, corners[2 * i + 1])) / count;
            }
            for (int k = 0; k < 3; k++) {
                double wide = k == 0 ? 0.1 : k == 1 ? 1 : 0;
                hf_vec3 com = {x + hf_random_between(&r, -wide, wide), y + hf_random_between(&r, -wide, wide),
                               hf_random_between(&r, 0, 1.5)};
                compare_margin(stance, &o, com, &t, kind, round);
            }
            glp_delete_prob(o.p);
        }
        print_message("kind %2d: %4d in, %4d out, %3d in the band, %d unsolved\n", kind, t.in, t.out, t.band,
                      t.unsolved);
        assert_true(t.in + t.out > 0 || kind == STANCE_ONE_POINT || kind == STANCE_LINE);
        assert_true(t.unsolved == 0);
    }
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_agree_with_glpk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
