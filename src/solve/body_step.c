/* One step of the whole-body solver: the row-damped least squares of limb_step.c over root, trunk and limbs.

   Levels differ by their damping: as that of the held targets vanishes beside the others', their rows are
   constraints to the others, and so on down (Baerlocher and Boulic 2004 with the projections folded into one
   factorisation). Joints at their limits are taken out and the rest solves again. */
#include "base/linear.h"
#include "base/workspace.h"
#include "solve/body_problem.h"
#include "solve/descent.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

static const double JOINT_STEP = 0.8; /* rad: longest step of one column, in its own scale */

hf_status hf_body_trial_make(const hf_body_problem* p, hf_workspace* workspace, hf_body_trial* t) {
    const hf_creature_view* v = &p->creature->view;
    memset(t, 0, sizeof *t);
    t->pose.q = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof(double));
    t->links = hf_workspace_take(workspace, (size_t)v->link_count, sizeof *t->links);
    t->error = hf_workspace_take(workspace, (size_t)p->rows + 1, sizeof(double));
    t->tangent = hf_workspace_take(workspace, (size_t)p->goal_count * 2 + 1, sizeof *t->tangent);
    t->goal_errors = hf_workspace_take(workspace, (size_t)p->goal_count * 2 + 1, sizeof(double));
    return t->pose.q && t->links && t->error && t->tangent && t->goal_errors ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_body_scratch_make(const hf_body_problem* p, hf_workspace* workspace, hf_body_scratch* s) {
    size_t rows = (size_t)p->rows + 1, columns = (size_t)p->column_count + 1;
    size_t speeds = (size_t)p->creature->view.v_count;
    s->workspace = workspace;
    s->jacobian = hf_workspace_take(workspace, rows * columns, sizeof(double));
    s->dense = hf_workspace_take(workspace, 6 * speeds, sizeof(double));
    s->gram = hf_workspace_take(workspace, rows * rows, sizeof(double));
    s->factor = hf_workspace_take(workspace, rows * rows, sizeof(double));
    s->inverse = hf_workspace_take(workspace, rows * 4, sizeof(double));
    s->step = hf_workspace_take(workspace, columns * 2, sizeof(double));
    s->speeds = hf_workspace_take(workspace, speeds, sizeof(double));
    s->free_columns = hf_workspace_take(workspace, columns, sizeof(int));
    if (!s->jacobian || !s->dense || !s->gram || !s->factor || !s->inverse || !s->step || !s->speeds ||
        !s->free_columns)
        return HF_ERROR_MEMORY;
    s->left = s->inverse + rows, s->y = s->left + rows, s->shift = s->y + rows;
    s->pull = s->step + columns;
    return HF_OK;
}

void hf_body_trial_copy(const hf_body_problem* p, const hf_body_trial* from, hf_body_trial* to) {
    const hf_creature_view* v = &p->creature->view;
    hf_body_trial memory = *to;
    memcpy(memory.pose.q, from->pose.q, sizeof(double) * (size_t)v->q_count);
    memcpy(memory.links, from->links, sizeof *memory.links * (size_t)v->link_count);
    memcpy(memory.error, from->error, sizeof(double) * (size_t)p->rows);
    memcpy(memory.tangent, from->tangent, sizeof *memory.tangent * 2 * (size_t)p->goal_count);
    memcpy(memory.goal_errors, from->goal_errors, sizeof(double) * 2 * (size_t)p->goal_count);
    *to = *from;
    to->pose.q = memory.pose.q, to->links = memory.links, to->error = memory.error;
    to->tangent = memory.tangent, to->goal_errors = memory.goal_errors;
}

/* ---- errors ---- */

static void put3(double* out, hf_vec3 v, double scale) {
    out[0] = scale * v.x, out[1] = scale * v.y, out[2] = scale * v.z;
}

static void measure_goal(const hf_body_problem* p, hf_body_trial* t, int g) {
    const hf_goal* goal = &p->goals[g];
    hf_transform link = t->links[goal->link];
    double* e = t->error + p->first_row[g];
    hf_vec3 d = hf_sub(goal->point, hf_apply(link, goal->offset)), turn = {0, 0, 0};
    put3(e, d, 1);
    if (goal->rows == 5) {
        hf_vec3 n = hf_rotate(link.rotation, goal->own_normal), *tangent = &t->tangent[2 * g];
        hf_tangents(n, tangent);
        turn = hf_normal_error(n, goal->normal, tangent[0]);
        e[3] = p->turn_scale * hf_dot(turn, tangent[0]);
        e[4] = p->turn_scale * hf_dot(turn, tangent[1]);
    } else if (goal->rows == 6) {
        hf_mat3 from = hf_quat_matrix(link.rotation), to = hf_quat_matrix(goal->rotation);
        turn = hf_turn_error(from.m, to.m);
        put3(e + 3, turn, p->turn_scale);
    }
    t->goal_errors[2 * g] = hf_length(d);
    t->goal_errors[2 * g + 1] = hf_length(turn);
    t->cost[p->levels[g]] += hf_dot(d, d) + p->turn_scale * p->turn_scale * hf_dot(turn, turn);
}

void hf_body_measure(const hf_body_problem* p, hf_body_trial* t) {
    const hf_body_solve_options* o = p->options;
    hf_forward(p->creature, &t->pose, t->links);
    memset(t->cost, 0, sizeof t->cost);
    for (int g = 0; g < p->goal_count; g++) measure_goal(p, t, g);
    if (p->com_row >= 0) {
        hf_vec3 shift = {0, 0, 0};
        t->margin = o->balance(o->balance_user, hf_com(p->creature, t->links), &shift);
        if (!hf_finite3(shift)) shift = hf_v3(0, 0, 0);
        put3(t->error + p->com_row, shift, 1);
        t->cost[HF_BODY_BALANCE] = hf_dot(shift, shift);
    }
    if (p->guide_row >= 0) {
        hf_vec3 d = hf_sub(o->guide->position, t->pose.root.position);
        hf_mat3 from = hf_quat_matrix(t->pose.root.rotation);
        hf_mat3 to = hf_quat_matrix(hf_quat_normalize(o->guide->rotation));
        hf_vec3 turn = hf_turn_error(from.m, to.m);
        put3(t->error + p->guide_row, d, 1);
        put3(t->error + p->guide_row + 3, turn, p->turn_scale);
        t->cost[HF_BODY_GUIDE] = hf_dot(d, d) + p->turn_scale * p->turn_scale * hf_dot(turn, turn);
    }
}

/* ---- the linear system ---- */

/* Rows of one goal from the dense Jacobian of its link. */
static void goal_rows(const hf_body_problem* p, const hf_body_trial* t, int g, hf_body_scratch* s) {
    const hf_goal* goal = &p->goals[g];
    int n = p->creature->view.v_count, row = p->first_row[g];
    hf_vec3 point = hf_apply(t->links[goal->link], goal->offset);
    hf_point_jacobian(p->creature, t->links, goal->link, point, goal->rows > 3 ? 6 : 3, s->dense);
    const hf_vec3* tangent = &t->tangent[2 * g];
    for (int c = 0; c < p->column_count; c++) {
        const hf_body_column* column = &p->columns[c];
        if (row < column->first || row >= column->last) continue;
        double* j = s->jacobian + (size_t)c * (size_t)p->rows + row;
        const double* d = s->dense + column->speed;
        for (int r = 0; r < 3; r++) j[r] = column->scale * d[r * n];
        if (goal->rows == 3) continue;
        hf_vec3 w = hf_scale(hf_v3(d[3 * n], d[4 * n], d[5 * n]), column->scale * p->turn_scale);
        if (goal->rows == 5)
            j[3] = hf_dot(w, tangent[0]), j[4] = hf_dot(w, tangent[1]);
        else
            put3(j + 3, w, 1);
    }
}

/* The posture's pull in the columns' own scale, short enough not to spoil the targets. */
static void find_pull(const hf_body_problem* p, const hf_body_trial* t, double* pull) {
    double length2 = 0, error2 = 0;
    for (int c = 0; c < p->column_count; c++) {
        int value = p->columns[c].value;
        double away = value >= 0 ? p->posture[value] - t->pose.q[value] : 0;
        pull[c] = p->options->solve.posture_weight * away / p->columns[c].scale;
        length2 += pull[c] * pull[c];
    }
    for (int level = 0; level < HF_BODY_LEVELS; level++) error2 += t->cost[level];
    double allowed2 = HF_PULL_SHARE * sqrt(error2) / p->turn_scale;
    double shorter = length2 > allowed2 ? sqrt(allowed2 / length2) : 1;
    for (int c = 0; c < p->column_count; c++) pull[c] *= shorter;
}

void hf_body_linearise(const hf_body_problem* p, const hf_body_trial* t, hf_body_scratch* s) {
    memset(s->jacobian, 0, sizeof(double) * (size_t)p->rows * (size_t)p->column_count);
    for (int g = 0; g < p->goal_count; g++) goal_rows(p, t, g, s);
    int n = p->creature->view.v_count;
    if (p->com_row >= 0) hf_com_jacobian(p->creature, t->links, s->dense);
    for (int c = 0; c < p->column_count; c++) {
        const hf_body_column* column = &p->columns[c];
        double* j = s->jacobian + (size_t)c * (size_t)p->rows;
        for (int r = 0; r < 3 && p->com_row >= 0; r++)
            j[p->com_row + r] = column->scale * s->dense[r * n + column->speed];
        if (p->guide_row >= 0 && column->speed < 6)
            j[p->guide_row + column->speed] = column->scale * (column->speed < 3 ? 1 : p->turn_scale);
    }
    memset(s->shift, 0, sizeof(double) * (size_t)p->rows);
    find_pull(p, t, s->pull);
}

/* gram += sign * j j^T over the rows the column can change. */
static void add_outer(const hf_body_problem* p, int c, const double* j, double sign, double* gram) {
    for (int r = p->columns[c].first; r < p->columns[c].last; r++) {
        double weight = sign * j[r], *row = gram + (size_t)r * (size_t)p->rows;
        if (weight == 0) continue;
        for (int k = p->columns[c].first; k <= r; k++) row[k] += weight * j[k];
    }
}

static void damp_rows(const hf_body_problem* p, const double* damping, double* gram) {
    size_t next = (size_t)p->rows + 1;
    for (int g = 0; g < p->goal_count; g++)
        for (int r = 0; r < p->goals[g].rows; r++)
            gram[(size_t)(p->first_row[g] + r) * next] += damping[p->levels[g]];
    for (int r = 0; r < 3 && p->com_row >= 0; r++)
        gram[(size_t)(p->com_row + r) * next] += damping[HF_BODY_BALANCE];
    for (int r = 0; r < 6 && p->guide_row >= 0; r++)
        gram[(size_t)(p->guide_row + r) * next] += damping[HF_BODY_GUIDE];
}

/* Fixes columns that would leave their limits; returns how many stay free. */
static int fix_saturated(const hf_body_problem* p, const hf_body_trial* t, int count, hf_body_scratch* s) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int c = s->free_columns[i];
        const hf_body_column* column = &p->columns[c];
        const double* j = s->jacobian + (size_t)c * (size_t)p->rows;
        double d = s->pull[c];
        for (int r = column->first; r < column->last; r++) d += j[r] * s->y[r];
        s->step[c] = d;
        double from = column->value >= 0 ? t->pose.q[column->value] : 0, to = from + column->scale * d;
        if (to >= column->lower && to <= column->upper) {
            s->free_columns[kept++] = c;
            continue;
        }
        s->step[c] = ((to > column->upper ? column->upper : column->lower) - from) / column->scale;
        add_outer(p, c, j, -1, s->gram);
        for (int r = column->first; r < column->last; r++) s->left[r] += j[r] * (s->pull[c] - s->step[c]);
    }
    return kept;
}

bool hf_body_step(const hf_body_problem* p, const hf_body_trial* t, const double* damping,
                  hf_body_scratch* s) {
    size_t rows = (size_t)p->rows;
    int count = p->column_count;
    memset(s->gram, 0, rows * rows * sizeof(double));
    for (size_t r = 0; r < rows; r++) s->left[r] = t->error[r] - s->shift[r];
    damp_rows(p, damping, s->gram);
    for (int c = 0; c < count; c++) {
        const double* j = s->jacobian + (size_t)c * rows;
        add_outer(p, c, j, 1, s->gram);
        for (int r = p->columns[c].first; r < p->columns[c].last; r++) s->left[r] -= j[r] * s->pull[c];
        s->free_columns[c] = c;
    }
    while (count > 0) {
        if (!hf_workspace_goes_on(s->workspace)) return false;
        memcpy(s->factor, s->gram, rows * rows * sizeof(double));
        memcpy(s->y, s->left, rows * sizeof(double));
        if (!hf_cholesky(s->factor, p->rows, p->rows, s->inverse)) return false;
        hf_cholesky_solve(s->factor, p->rows, p->rows, s->inverse, s->y);
        int kept = fix_saturated(p, t, count, s);
        if (kept == count) break;
        count = kept;
    }
    /* No column steps too far for the linear picture. */
    double longest = 0;
    for (int c = 0; c < p->column_count; c++) longest = fmax(longest, fabs(s->step[c]));
    if (longest > JOINT_STEP)
        for (int c = 0; c < p->column_count; c++) s->step[c] *= JOINT_STEP / longest;
    return true;
}

static void clamp_values(const hf_body_problem* p, double* q) {
    for (int c = 0; c < p->column_count; c++) {
        const hf_body_column* column = &p->columns[c];
        if (column->value >= 0) q[column->value] = fmin(fmax(q[column->value], column->lower), column->upper);
    }
}

void hf_body_keep_limits(const hf_body_problem* p, double* q) {
    clamp_values(p, q);
    hf_body_rom_keep(p, q);
    hf_pose_follow(p->creature, q);
}

bool hf_body_move(const hf_body_problem* p, const hf_body_trial* now, hf_body_scratch* s,
                  hf_body_trial* next) {
    memset(s->speeds, 0, sizeof(double) * (size_t)p->creature->view.v_count);
    for (int c = 0; c < p->column_count; c++)
        s->speeds[p->columns[c].speed] = s->step[c] * p->columns[c].scale;
    hf_pose_integrate(p->creature, &now->pose, s->speeds, 1, &next->pose);
    clamp_values(p, next->pose.q);
    bool met = hf_body_rom_slide(p, now->pose.q, next->pose.q, s);
    hf_pose_follow(p->creature, next->pose.q);
    return met;
}
