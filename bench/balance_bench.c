/* Balance of stances with four patch contacts: tests for moving bodies against GLPK's simplex method, which
   may start from its last basis, and halfspaces against cddlib's double description. Both sides get the same
   stances, on level ground, on steps and on slopes, and must agree. */
#include "bench.h"
#include "../tests/stance_fixture.h"

#include <glpk.h>
#include <cddlib/setoper.h>
#include <cddlib/cdd.h>
#include <stdio.h>
#include <stdlib.h>

enum { STANCES = 60, QUESTIONS = 400, REPEATS = 5 };

typedef struct question {
    hf_vec3 com, acceleration, rate;
    bool answer;
} question;

typedef struct figures {
    double margin_us, halfspaces_us, program_us, glpk_us; /* of one question */
    double region_us, build_us, cdd_us;                   /* of one stance */
    int asked, held, differ, apart;
} figures;

static random_stance four_patches(int index) {
    static const stance_kind kinds[3] = {STANCE_FLOOR, STANCE_LEVELS, STANCE_SLOPES};
    for (uint64_t i = 0;; i++) {
        hf_random r = hf_random_start(77, (uint32_t)index, i);
        random_stance s = random_stance_of(kinds[index % 3], &r);
        if (s.count == 4) return s;
    }
}

/* Around the middle of the contacts, so that about half of them hold. */
static void draw_questions(const random_stance* s, int index, question* q) {
    hf_vec3 middle = {0, 0, 0};
    for (int i = 0; i < s->count; i++) middle = hf_add(middle, hf_scale(s->supports[i].corners[0], 0.25));
    for (int i = 0; i < QUESTIONS; i++) {
        hf_random r = hf_random_start(78, (uint32_t)index, (uint64_t)i);
        hf_vec3 off = hf_scale(random_unit(&r), 0.15);
        q[i].com = hf_v3(middle.x + off.x, middle.y + off.y, 1 + off.z);
        q[i].acceleration = hf_scale(random_unit(&r), hf_random_between(&r, 0, 1.5));
        q[i].rate = random_unit(&r);
    }
}

static glp_prob* glpk_program(const stance_columns* c) {
    glp_prob* p = glp_create_prob();
    glp_add_rows(p, 6);
    glp_add_cols(p, c->count);
    for (int j = 0; j < c->count; j++) {
        const int index[7] = {0, 1, 2, 3, 4, 5, 6};
        double value[7] = {0};
        memcpy(value + 1, c->w[j], sizeof c->w[j]);
        glp_set_mat_col(p, j + 1, 6, index, value);
        glp_set_col_bnds(p, j + 1, GLP_LO, 0, 0);
    }
    return p;
}

static bool glpk_holds(glp_prob* p, const glp_smcp* how, const question* q, double mass) {
    hf_vec3 f = hf_scale(hf_add(q->acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 m = hf_add(hf_cross(q->com, f), hf_scale(q->rate, 1 / (mass * HF_GRAVITY_M_S2)));
    const double w[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
    for (int r = 0; r < 6; r++) glp_set_row_bnds(p, r + 1, GLP_FX, w[r], w[r]);
    if (glp_simplex(p, how) != 0) { /* its last basis can be of no use */
        glp_std_basis(p);
        glp_simplex(p, how);
    }
    return glp_get_prim_stat(p) == GLP_FEAS;
}

static void ask(const hf_stance* stance, const random_stance* s, question* q, figures* f) {
    stance_columns c = stance_columns_of(s, 4);
    glp_prob* p = glpk_program(&c);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    glp_simplex(p, &how);
    static bool program[QUESTIONS], glpk[QUESTIONS];
    double sum = 0, times[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int round = 0; round < REPEATS; round++) {
        double t[5];
        t[0] = bench_now();
        for (int i = 0; i < QUESTIONS; i++)
            q[i].answer = hf_stance_holds(stance, q[i].com, q[i].acceleration, q[i].rate);
        t[1] = bench_now();
        for (int i = 0; i < QUESTIONS; i++)
            program[i] = hf_stance_forces(stance, q[i].com, q[i].acceleration, q[i].rate, NULL);
        t[2] = bench_now();
        for (int i = 0; i < QUESTIONS; i++) sum += hf_stance_margin(stance, q[i].com);
        t[3] = bench_now();
        for (int i = 0; i < QUESTIONS; i++) glpk[i] = glpk_holds(p, &how, &q[i], s->mass);
        t[4] = bench_now();
        for (int k = 0; k < 4; k++) times[k] = fmin(times[k], t[k + 1] - t[k]);
    }
    f->halfspaces_us += times[0] * 1e6, f->program_us += times[1] * 1e6;
    f->margin_us += times[2] * 1e6, f->glpk_us += times[3] * 1e6;
    for (int i = 0; i < QUESTIONS; i++) {
        f->held += glpk[i];
        f->differ += glpk[i] != q[i].answer || glpk[i] != program[i];
    }
    f->asked += QUESTIONS;
    if (sum == 12345) fprintf(stderr, " ");
    glp_delete_prob(p);
}

static double build_us(hf_stance* stance, const random_stance* s, bool polytope, hf_workspace* workspace) {
    hf_stance_options o = hf_stance_options_default();
    o.polytope = polytope;
    double best = INFINITY;
    for (int round = 0; round < REPEATS; round++) {
        double start = bench_now();
        if (hf_stance_build(stance, s->supports, s->count, s->mass, &o, workspace) != HF_OK) exit(3);
        best = fmin(best, bench_now() - start);
    }
    return best * 1e6;
}

/* cddlib's time for the same halfspaces, and whether it judges the questions' wrenches as we do. */
static void describe(const random_stance* s, const question* q, figures* f) {
    stance_columns c = stance_columns_of(s, 4);
    dd_MatrixPtr h = NULL;
    double best = INFINITY;
    for (int round = 0; round < REPEATS; round++) {
        dd_MatrixPtr m = dd_CreateMatrix(c.count + 1, 7);
        m->representation = dd_Generator;
        m->numbtype = dd_Real;
        dd_set_d(m->matrix[0][0], 1);
        for (int j = 0; j < c.count; j++)
            for (int r = 0; r < 6; r++) dd_set_d(m->matrix[j + 1][r + 1], c.w[j][r]);
        dd_ErrorType error;
        double start = bench_now();
        dd_PolyhedraPtr poly = dd_DDMatrix2Poly(m, &error);
        dd_MatrixPtr found = dd_CopyInequalities(poly);
        best = fmin(best, bench_now() - start);
        if (h) dd_FreeMatrix(h);
        h = found;
        dd_FreePolyhedra(poly);
        dd_FreeMatrix(m);
    }
    f->cdd_us += best * 1e6;
    for (int i = 0; i < QUESTIONS; i++) {
        hf_vec3 force = hf_add(q[i].acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2));
        hf_vec3 m = hf_add(hf_cross(q[i].com, force), hf_scale(q[i].rate, 1 / s->mass));
        const double w[6] = {force.x, force.y, force.z, m.x, m.y, m.z};
        bool holds = true;
        for (long row = 0; row < h->rowsize; row++) {
            double sum = dd_get_d(h->matrix[row][0]);
            for (int r = 0; r < 6; r++) sum += dd_get_d(h->matrix[row][r + 1]) * w[r];
            holds = holds && sum >= -1e-7;
        }
        f->apart += holds != q[i].answer;
    }
    dd_FreeMatrix(h);
}

void bench_balance(void) {
    static question q[QUESTIONS];
    hf_stance* stance;
    hf_workspace* workspace;
    if (hf_stance_create(&stance) != HF_OK || hf_workspace_create(&workspace) != HF_OK) exit(3);
    glp_term_out(GLP_OFF);
    dd_set_global_constants();
    figures f = {0};
    for (int i = 0; i < STANCES; i++) {
        random_stance s = four_patches(i);
        draw_questions(&s, i, q);
        f.region_us += build_us(stance, &s, false, workspace);
        f.build_us += build_us(stance, &s, true, workspace);
        ask(stance, &s, q, &f);
        describe(&s, q, &f);
    }
    fprintf(stderr, "balance: %d of %d questions hold; %d differ from GLPK, %d from cddlib\n", f.held,
            f.asked, f.differ, f.apart);
    double per = 1.0 / f.asked, each = 1.0 / STANCES;
    bench_row("balance test, four patches, moving", f.halfspaces_us * per, "us", "limit", 5, 1);
    bench_row("balance test, four patches, moving (GLPK)", f.halfspaces_us * per, "us", "GLPK",
              f.glpk_us * per, 8);
    bench_row("balance test by linear program, moving", f.program_us * per, "us", "GLPK", f.glpk_us * per, 0);
    bench_row("balance margin, four patches, at rest", f.margin_us * per, "us", "limit", 5, 1);
    bench_row_higher("balance: answers as GLPK's", 100.0 * (f.asked - f.differ) * per, "%", "limit", 100,
                     0.9999);
    bench_row_higher("balance: answers as cddlib's", 100.0 * (f.asked - f.apart) * per, "%", "limit", 100,
                     0.9999);
    bench_row("stance with its region, four patches", f.region_us * each, "us", "cddlib", f.cdd_us * each, 0);
    bench_row("stance with its halfspaces, four patches", f.build_us * each, "us", "cddlib", f.cdd_us * each,
              7);
    dd_free_global_constants();
    hf_workspace_free(workspace);
    hf_stance_free(stance);
}
