/* Costs of a pose path and Gauss-Newton steps over their banded normal equations. */
#include "refine/pose_cost.h"

#include "base/workspace.h"
#include "model/creature.h"
#include "refine/work.h"

#include <math.h>
#include <string.h>

enum { ENDS = 3 }; /* samples at either end that stay */

/* One row for each term. Its weight is an option; what counts as one in its residuals stands with the term.
 */
static hf_status (*const terms[HF_COST_COUNT])(const hf_costing* c, hf_cost_sink* s) = {
    [HF_COST_JERK] = hf_cost_jerk,        [HF_COST_CONTACT] = hf_cost_contacts,
    [HF_COST_LIMITS] = hf_cost_limits,    [HF_COST_WRENCH] = hf_cost_wrenches,
    [HF_COST_MOMENTUM] = hf_cost_momenta, [HF_COST_POSTURE] = hf_cost_posture,
    [HF_COST_COMFORT] = hf_cost_comfort,  [HF_COST_CLEARANCE] = hf_cost_clearance,
    [HF_COST_EFFORT] = hf_cost_effort,
};

static bool stays(const hf_pose_path* t, int k) {
    return k < ENDS || k >= t->count - ENDS || !(t->freedom[k] > 0);
}

/* ---- the whole ---- */

static hf_status add_term(const hf_costing* c, hf_cost_kind term, hf_cost_sink* s) {
    double weight = c->t->weights[term];
    if (!(weight > 0)) return HF_OK;
    s->size = sqrt(weight);
    return terms[term](c, s);
}

static hf_status begin(const hf_pose_path* t, hf_workspace* w, hf_costing* c, hf_cost_sink* s) {
    size_t n = (size_t)t->creature->view.v_count;
    *c = (hf_costing){.t = t, .workspace = w, .n = (int)n};
    c->links = hf_workspace_take(w, (size_t)t->creature->view.link_count, sizeof *c->links);
    c->jacobian = hf_workspace_take(w, 6 * n, sizeof(double));
    c->row = hf_workspace_take(w, HF_COST_SPAN * n, sizeof(double));
    c->speeds = hf_workspace_take(w, (size_t)t->count * n, sizeof(double));
    *s = (hf_cost_sink){.columns = hf_workspace_take(w, HF_COST_SPAN * n, sizeof(int)),
                        .values = hf_workspace_take(w, HF_COST_SPAN * n, sizeof(double))};
    c->place = hf_workspace_take(w, n, sizeof(int));
    if (!c->links || !c->jacobian || !c->row || !c->speeds || !s->columns || !s->values || !c->place)
        return HF_ERROR_MEMORY;
    for (int i = 0; i < c->n; i++) c->place[i] = !t->moves || t->moves[i] ? c->moving++ : -1;
    return HF_OK;
}

static void find_speeds(hf_costing* c) {
    for (int k = 0; k + 1 < c->t->count; k++) {
        hf_pose a = hf_cost_pose(c->t, k), b = hf_cost_pose(c->t, k + 1);
        double* v = c->speeds + (size_t)k * (size_t)c->n;
        hf_pose_difference(c->t->creature, &a, &b, v);
        for (int i = 0; i < c->n; i++) v[i] /= c->t->step_s;
    }
}

hf_status hf_pose_path_cost(const hf_pose_path* t, hf_cost_kind term, hf_workspace* w, double* cost,
                            double* gradient) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_costing c;
    hf_cost_sink s;
    hf_status status = begin(t, w, &c, &s);
    s.gradient = gradient;
    if (status == HF_OK) find_speeds(&c);
    if (status == HF_OK) status = add_term(&c, term, &s);
    *cost = s.cost;
    hf_workspace_end(w, mark);
    return status;
}

static hf_status add_all(hf_costing* c, hf_cost_sink* s) {
    hf_status status = HF_OK;
    find_speeds(c);
    s->cost = 0;
    for (int i = 0; i < HF_COST_COUNT && status == HF_OK; i++) status = add_term(c, i, s);
    return status;
}

/* The normal equations and their right hand side. */
typedef struct equations {
    hf_band normal, damped;
    double *gradient, *step;
    size_t values, numbers;
} equations;

static hf_status take_equations(const hf_costing* c, equations* e) {
    hf_workspace* w = c->workspace;
    int width = HF_COST_SPAN * c->moving - 1;
    e->numbers = (size_t)c->t->count * (size_t)c->moving;
    e->values = e->numbers * (size_t)(width + 1);
    e->normal = (hf_band){(int)e->numbers, width, hf_workspace_take(w, e->values, sizeof(double))};
    e->damped = (hf_band){(int)e->numbers, width, hf_workspace_take(w, e->values, sizeof(double))};
    e->gradient = hf_workspace_take(w, e->numbers, sizeof(double));
    e->step = hf_workspace_take(w, e->numbers, sizeof(double));
    return e->normal.values && e->damped.values && e->gradient && e->step ? HF_OK : HF_ERROR_MEMORY;
}

/* Samples that stay get a step of zero: their rows and columns become those of the unit matrix. */
static void fix_ends(const hf_costing* c, equations* e) {
    for (size_t row = 0; row < e->numbers; row++) {
        bool fixed = stays(c->t, (int)row / c->moving);
        int from = (int)row - e->damped.width > 0 ? (int)row - e->damped.width : 0;
        for (int column = from; column <= (int)row; column++)
            if (fixed || stays(c->t, column / c->moving))
                *hf_band_at(&e->damped, (int)row, column) = column == (int)row;
        if (fixed) e->step[row] = 0;
    }
}

static bool solve(const hf_costing* c, equations* e, double damping) {
    memcpy(e->damped.values, e->normal.values, sizeof(double) * e->values);
    for (size_t i = 0; i < e->numbers; i++) {
        e->step[i] = -e->gradient[i];
        double* d = hf_band_at(&e->damped, (int)i, (int)i);
        *d += damping * (1 + *d);
    }
    fix_ends(c, e);
    if (!hf_band_factor(&e->damped)) return false;
    hf_band_solve(&e->damped, e->step, 1);
    return true;
}

/* The poses moved by the step into other memory. */
static void move(const hf_costing* c, const double* step, hf_transform* roots, double* q) {
    for (int k = 0; k < c->t->count; k++) {
        hf_pose from = hf_cost_pose(c->t, k),
                to = {.q = q + (size_t)k * (size_t)c->t->creature->view.q_count};
        for (int i = 0; i < c->n; i++)
            c->row[i] = c->place[i] < 0 ? 0 : step[(size_t)k * (size_t)c->moving + (size_t)c->place[i]];
        hf_pose_integrate(c->t->creature, &from, c->row, 1, &to);
        hf_pose_follow(c->t->creature, to.q);
        roots[k] = to.root;
    }
}

/* Levenberg's damping, as a share of the diagonal: where to begin, and how it changes. */
static const double DAMPING = 1e-4, LESS = 0.2, MORE = 8, MOST = 1e6;
/* Of one product of the banded factor, microseconds. */
static const double SOLVE_WORK = 1e-4;
/* A step that leaves more than this share of the cost is the last one. */
static const double WORTH_A_STEP = 0.97;

/* One step that lowers the cost; false: there is none. */
static hf_status descend(hf_costing* c, hf_cost_sink* s, equations* e, hf_pose_path* other, double* damping,
                         bool* done) {
    hf_pose_path* t = (hf_pose_path*)(uintptr_t)c->t;
    double before = s->cost;
    *done = false;
    for (; *damping < MOST; *damping *= MORE) {
        hf_spend(c->workspace, t->creature, HF_WORK_STEP, t->count);
        hf_workspace_spend(c->workspace, SOLVE_WORK * (double)e->values * (e->normal.width + 1));
        if (!solve(c, e, *damping)) continue;
        move(c, e->step, other->roots, other->q);
        hf_costing there = *c;
        hf_cost_sink only = {.columns = s->columns, .values = s->values};
        there.t = other;
        hf_status status = add_all(&there, &only);
        if (status != HF_OK) return status;
        if (!(only.cost < before)) continue;
        hf_transform* roots = t->roots;
        double* q = t->q;
        t->roots = other->roots, t->q = other->q, other->roots = roots, other->q = q;
        s->cost = only.cost;
        *damping *= LESS;
        *done = true;
        return HF_OK;
    }
    return HF_OK;
}

static hf_status improve(hf_costing* c, hf_cost_sink* s, hf_pose_path* other, int steps, double costs[2]) {
    equations e;
    double damping = DAMPING;
    hf_status status = take_equations(c, &e);
    for (int i = 0; i < steps && status == HF_OK && hf_workspace_goes_on(c->workspace); i++) {
        if (c->t->contact) hf_cost_settle_contacts(c);
        memset(e.normal.values, 0, sizeof(double) * e.values);
        memset(e.gradient, 0, sizeof(double) * e.numbers);
        s->gradient = e.gradient, s->normal = &e.normal;
        status = add_all(c, s);
        double before = s->cost;
        bool done = false;
        if (i == 0) costs[0] = before;
        costs[1] = before;
        if (status == HF_OK) status = descend(c, s, &e, other, &damping, &done);
        if (done) costs[1] = s->cost;
        if (!done || s->cost > WORTH_A_STEP * before) break;
    }
    return status;
}

hf_status hf_pose_path_improve(hf_pose_path* t, int steps, hf_workspace* w, double costs[2]) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)t->count, q = n * (size_t)t->creature->view.q_count;
    hf_transform* roots = t->roots;
    double *values = t->q, none[2];
    hf_pose_path other = *t;
    hf_costing c;
    hf_cost_sink s;
    hf_status status = begin(t, w, &c, &s);
    other.roots = hf_workspace_take(w, n, sizeof *other.roots);
    other.q = hf_workspace_take(w, q + 1, sizeof(double));
    if (status == HF_OK && (!other.roots || !other.q)) status = HF_ERROR_MEMORY;
    if (status == HF_OK && t->count > 2 * ENDS) status = improve(&c, &s, &other, steps, costs ? costs : none);
    // the poses stay where the caller has them
    if (t->roots != roots && status == HF_OK) {
        memcpy(roots, t->roots, sizeof *roots * n);
        memcpy(values, t->q, sizeof *values * q);
    }
    t->roots = roots, t->q = values;
    hf_workspace_end(w, mark);
    return status;
}
