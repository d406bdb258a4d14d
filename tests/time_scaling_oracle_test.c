/* The region of accelerations and speeds that contacts bear at a pose, against GLPK's linear programs. */
#include "test.h"
#include "stance_fixture.h"
#include "chain_creature.h"

#include "balance/stance.h"
#include "refine/time_scaling.h"

#include <glpk.h>

enum { ROUNDS = SANITIZED ? 6 : 60 };

/* The farthest point of the program "contact forces give what the pose at rest, u and x ask for" along a
   direction of the plane of (u, x); NaN when there is none. */
static double oracle_farthest(const stance_columns* c, double weight, double most_u, double most_x,
                              const double w[3][6], double nu, double nx) {
    glp_prob* p = glp_create_prob();
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
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
        for (int r = 0; r < 6; r++) value[r + 1] = -w[k + 1][r];
        glp_set_mat_col(p, c->count + 1 + k, 6, index, value);
    }
    glp_set_col_bnds(p, c->count + 1, GLP_DB, -most_u, most_u);
    glp_set_col_bnds(p, c->count + 2, GLP_DB, 0, most_x);
    for (int r = 0; r < 6; r++) glp_set_row_bnds(p, r + 1, GLP_FX, w[0][r], w[0][r]);
    glp_set_obj_dir(p, GLP_MAX);
    glp_set_obj_coef(p, c->count + 1, nu);
    glp_set_obj_coef(p, c->count + 2, nx);
    double best = glp_simplex(p, &how) == 0 && glp_get_status(p) == GLP_OPT ? glp_get_obj_val(p) : NAN;
    glp_delete_prob(p);
    return best;
}
