/* Balance against GLPK's linear programs and cddlib's double description, on random stances of every kind. */
#include "test.h"
#include "stance_fixture.h"

#include "balance/stance.h"

#include <glpk.h>
#include <cddlib/setoper.h>
#include <cddlib/cdd.h>

enum { ROUNDS = SANITIZED ? 12 : 150 }; /* of each kind */
static const double BAND_M = 1e-6;

/* The program of the model: columns of forces, then two for the centre of mass (x, y) and one for a distance
   along a direction. Rows in body weights. */
typedef struct oracle {
    glp_prob* p;
    glp_smcp how;
    bool exact; /* in rational arithmetic: slow, and asked only where the two differ */
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
    int failed = o->exact ? glp_exact(o->p, &o->how) : glp_simplex(o->p, &o->how);
    int status = glp_get_status(o->p);
    double t = status == GLP_OPT     ? fmax(0, glp_get_col_prim(o->p, column))
               : status == GLP_UNBND ? INFINITY
                                     : -1;
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
    int in, out, band, unsolved, arbitrated;
} tally;

static bool margins_differ(double ours, double theirs) {
    if (theirs < 0) return ours > BAND_M;
    return fabs(ours - fmin(theirs, HF_STANCE_MARGIN_M)) > BAND_M &&
           !(theirs < BAND_M && fabs(ours) < BAND_M);
}

static void compare_margin(const hf_stance* stance, oracle* o, hf_vec3 com, tally* t, int kind, int round) {
    double ours = hf_stance_margin(stance, com), theirs = oracle_margin(o, com);
    if (margins_differ(ours, theirs)) {
        o->exact = true;
        theirs = oracle_margin(o, com);
        o->exact = false;
        t->arbitrated++;
    }
    if (isnan(theirs)) {
        t->unsolved++;
        return;
    }
    if (margins_differ(ours, theirs))
        fail_msg("kind %d round %d: margin %.9g, GLPK %.9g", kind, round, ours, theirs);
    if (fabs(ours) < BAND_M)
        t->band++;
    else
        theirs < 0 ? t->out++ : t->in++;
}

/* About the middle of the region, not far from the contacts. */
static hf_vec3 middle_of(const hf_stance* stance) {
    double corners[512], x = 0, y = 0;
    int count = hf_stance_region(stance, corners, 256);
    for (int i = 0; i < count; i++) {
        x += fmax(-2, fmin(2, corners[2 * i])) / count;
        y += fmax(-2, fmin(2, corners[2 * i + 1])) / count;
    }
    return hf_v3(x, y, 0);
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
            hf_vec3 middle = middle_of(stance);
            for (int k = 0; k < 3; k++) {
                double wide = k == 0 ? 0.1 : k == 1 ? 1 : 0;
                hf_vec3 com = {middle.x + hf_random_between(&r, -wide, wide),
                               middle.y + hf_random_between(&r, -wide, wide), hf_random_between(&r, 0, 1.5)};
                compare_margin(stance, &o, com, &t, kind, round);
            }
            glp_delete_prob(o.p);
        }
        print_message("kind %2d: %4d in, %4d out, %3d in the band, %d unsolved, %d arbitrated\n", kind, t.in,
                      t.out, t.band, t.unsolved, t.arbitrated);
        assert_true(t.in + t.out > 0 || kind == STANCE_ONE_POINT || kind == STANCE_LINE);
        assert_true(t.unsolved == 0);
    }
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}

/* A wrench about the world's origin that a pose with accelerations asks for, in body weights. */
static void moving_wrench(hf_vec3 com, hf_vec3 a, hf_vec3 rate, double mass, double w[6]) {
    hf_vec3 f = hf_scale(hf_add(a, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 m = hf_add(hf_cross(com, f), hf_scale(rate, 1 / (mass * HF_GRAVITY_M_S2)));
    const double v[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
    memcpy(w, v, sizeof v);
}

/* Just inside and just outside of where GLPK puts the boundary, for any wrench: as a change of momentum. */
static void compare_boundary(const hf_stance* stance, oracle* o, double mass, const double* inner,
                             const double* way, double t, tally* count, int kind, int round) {
    for (int out = 0; out < 2; out++) {
        double w[6];
        for (int i = 0; i < 6; i++) w[i] = inner[i] + way[i] * t * (out ? 1 + 1e-4 : 1 - 1e-4);
        hf_vec3 a = {w[0] * HF_GRAVITY_M_S2, w[1] * HF_GRAVITY_M_S2, (w[2] - 1) * HF_GRAVITY_M_S2};
        hf_vec3 rate = hf_scale(hf_v3(w[3], w[4], w[5]), mass * HF_GRAVITY_M_S2), origin = {0, 0, 0};
        bool by_program = hf_stance_forces(stance, origin, a, rate, NULL);
        bool ours = hf_stance_holds(stance, origin, a, rate);
        if (by_program != out && ours != out) continue;
        if (kind == STANCE_NEARLY &&
            by_program == ours) { /* GLPK is wrong now and then, and exact takes minutes */
            count->band++;
            continue;
        }
        o->exact = true;
        bool held = farthest(o, w, way) >= 0;
        o->exact = false;
        count->arbitrated++;
        if (by_program != held || ours != held)
            fail_msg("kind %d round %d %s: program %d, polytope %d", kind, round, out ? "outside" : "inside",
                     by_program, ours);
    }
}

/* Polytope, linear program and GLPK say the same for any acceleration. Between a wrench that holds and the
   one in question, GLPK says how far the way is inside: 1 is the boundary. */
static void accelerations_agree_with_glpk(void** state) {
    (void)state;
    const double band = 1e-6;
    glp_term_out(GLP_OFF);
    hf_stance* stance;
    hf_workspace* workspace;
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    for (int kind = 0; kind < STANCE_KINDS; kind++) {
        tally t = {0};
        int polytopes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            hf_random r = hf_random_start(12, (uint32_t)kind, (uint64_t)round);
            random_stance s = random_stance_of((stance_kind)kind, &r);
            hf_stance_options options = hf_stance_options_default();
            options.polytope = true;
            assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &options, workspace),
                             HF_OK);
            polytopes += stance->polytope.known && stance->polytope.certain;
            stance_columns c = stance_columns_of(&s, options.cone_edges);
            oracle o = oracle_make(&c, s.mass);
            double inner[6] = {0}, corner[2];
            if (hf_stance_region(stance, corner, 1) > 0) static_wrench(hf_v3(corner[0], corner[1], 0), inner);
            for (int k = 0; k < 6; k++) {
                hf_vec3 com = {hf_random_between(&r, -0.6, 0.6), hf_random_between(&r, -0.6, 0.6), 1};
                hf_vec3 a = hf_scale(random_unit(&r), hf_random_between(&r, 0, 4)), rate = random_unit(&r);
                double w[6], way[6];
                moving_wrench(com, a, rate, s.mass, w);
                for (int i = 0; i < 6; i++) way[i] = w[i] - inner[i];
                double theirs = farthest(&o, inner, way);
                bool by_program = hf_stance_forces(stance, com, a, rate, NULL);
                bool ours = hf_stance_holds(stance, com, a, rate);
                if (isnan(theirs) || theirs < 0)
                    t.unsolved++;
                else if (fabs(theirs - 1) < band)
                    t.band++;
                else {
                    if (by_program != (theirs > 1) || ours != (theirs > 1))
                        fail_msg("kind %d round %d: program %d, polytope %d, GLPK %.9g", kind, round,
                                 by_program, ours, theirs);
                    ours ? t.in++ : t.out++;
                    /* Nearer to the start 1e-4 of it is lost in the band. */
                    if (theirs > 0.05 && theirs < 20)
                        compare_boundary(stance, &o, s.mass, inner, way, theirs, &t, kind, round);
                }
            }
            glp_delete_prob(o.p);
        }
        print_message(
            "kind %2d: %4d in, %4d out, %3d in the band, %d unsolved, %d arbitrated, %d certain polytopes\n",
            kind, t.in, t.out, t.band, t.unsolved, t.arbitrated, polytopes);
        assert_true(t.in + t.out > 0);
        assert_true(t.unsolved * 50 <= 6 * ROUNDS + 50);
    }
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}

/* ---- cddlib ---- */

/* Halfspaces b + a . w >= 0 of a cone, by cddlib. */
static dd_MatrixPtr cdd_halfspaces(const stance_columns* c, hf_vec3 reference) {
    dd_MatrixPtr m = dd_CreateMatrix(c->count + 1, 7);
    m->representation = dd_Generator;
    m->numbtype = dd_Real;
    dd_set_d(m->matrix[0][0], 1);
    for (int r = 0; r < 6; r++) dd_set_d(m->matrix[0][r + 1], 0);
    for (int j = 0; j < c->count; j++) {
        hf_vec3 f = {c->w[j][0], c->w[j][1], c->w[j][2]}, moment = {c->w[j][3], c->w[j][4], c->w[j][5]};
        moment = hf_sub(moment, hf_cross(reference, f));
        const double w[7] = {0, f.x, f.y, f.z, moment.x, moment.y, moment.z};
        for (int r = 0; r < 7; r++) dd_set_d(m->matrix[j + 1][r], w[r]);
    }
    dd_ErrorType error;
    dd_PolyhedraPtr poly = dd_DDMatrix2Poly(m, &error);
    dd_MatrixPtr h = error == dd_NoError ? dd_CopyInequalities(poly) : NULL;
    dd_FreePolyhedra(poly);
    dd_FreeMatrix(m);
    return h;
}

/* An inequality of cddlib as our outward unit normal, without what lies across a flat set. */
static bool outward_normal(dd_MatrixPtr h, long row, const hf_wrench_polytope* p, double a[6]) {
    double l = 0;
    for (int r = 0; r < 6; r++) a[r] = -dd_get_d(h->matrix[row][r + 1]);
    for (int e = 0; e < p->equation_count; e++) {
        double part = 0;
        for (int r = 0; r < 6; r++) part += a[r] * p->facets[r * p->capacity + 2 * e];
        for (int r = 0; r < 6; r++) a[r] -= part * p->facets[r * p->capacity + 2 * e];
    }
    for (int r = 0; r < 6; r++) l += a[r] * a[r];
    for (int r = 0; r < 6; r++) a[r] /= sqrt(l);
    return l > 1e-16;
}

static double nearest_facet(const hf_wrench_polytope* p, const double a[6]) {
    double best = INFINITY;
    for (int i = 2 * p->equation_count; i < p->facet_count; i++) {
        double d = 0;
        for (int r = 0; r < 6; r++) d += pow(p->facets[r * p->capacity + i] - a[r], 2);
        best = fmin(best, sqrt(d));
    }
    return best;
}

/* Every halfspace that cddlib finds is one of ours, and ours are as many and hold for every generator. */
static void halfspaces_agree_with_cddlib(void** state) {
    (void)state;
    dd_set_global_constants();
    hf_stance* stance;
    hf_workspace* workspace;
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    assert_int_equal(hf_workspace_create(&workspace), HF_OK);
    for (int kind = 0; kind < STANCE_KINDS; kind++) {
        if (kind == STANCE_GRIPS || kind == STANCE_CLIMB) continue; /* no cones */
        if (kind == STANCE_NEARLY) continue;                        /* cddlib gives up */
        int compared = 0, failed = 0, halfspaces = 0, missing = 0, different = 0;
        for (int round = 0; round < ROUNDS / 4; round++) {
            hf_random r = hf_random_start(13, (uint32_t)kind, (uint64_t)round);
            random_stance s = random_stance_of((stance_kind)kind, &r);
            hf_stance_options options = hf_stance_options_default();
            options.polytope = true;
            assert_int_equal(hf_stance_build(stance, s.supports, s.count, s.mass, &options, workspace),
                             HF_OK);
            const hf_wrench_polytope* p = &stance->polytope;
            assert_true(p->known);
            /* No generator is outside. */
            for (int i = 0; i < p->facet_count; i++)
                for (int j = 0; j < stance->used; j++) {
                    double out = 0;
                    for (int k = 0; k < 6; k++) out += p->facets[k * p->capacity + i] * stance->rows[k][j];
                    assert_true(out < 1e-7);
                }
            if (s.count == 0) continue;
            stance_columns c = stance_columns_of(&s, options.cone_edges);
            dd_MatrixPtr h = cdd_halfspaces(&c, stance->reference);
            if (!h) {
                failed++;
                continue;
            }
            int theirs = 0;
            for (long i = 0; i < h->rowsize; i++) {
                double a[6];
                if (set_member(i + 1, h->linset) || !outward_normal(h, i, p, a)) continue;
                theirs++;
                missing += nearest_facet(p, a) > 1e-5;
            }
            different += theirs != p->facet_count - 2 * p->equation_count;
            halfspaces += theirs;
            compared++;
            dd_FreeMatrix(h);
        }
        print_message(
            "kind %2d: %d stances, %d halfspaces, %d missing, %d counts differ, %d cddlib gave up\n", kind,
            compared, halfspaces, missing, different, failed);
    }
    dd_free_global_constants();
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_agree_with_glpk),
        cmocka_unit_test(accelerations_agree_with_glpk),
        cmocka_unit_test(halfspaces_agree_with_cddlib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
