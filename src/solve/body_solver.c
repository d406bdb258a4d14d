/* Inverse kinematics of the whole body: root, trunk and limbs together, under strict priorities: held
   targets, other targets, balance, guide, posture. Steps are those of body_step.c with a damping that follows
   the error; where they stall, each limb is solved for itself from this root or one beside it, and the body
   starts again. */
#include "base/random.h"
#include "base/rounding.h"
#include "base/error.h"
#include "base/workspace.h"
#include "solve/body_problem.h"
#include "solve/descent.h"
#include "solve/solve_range.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

enum {
    STALLS = 3,       /* slow steps in a row that end a descent */
    QUICK_STARTS = 3, /* starts that give up early, as most poses lead somewhere */
    SAME_LIMIT = 5,   /* starts that end no better before the solver believes it */
    LIMB_STARTS = 4   /* of each limb's own solution within a start */
};
/* Least damping and merit of a level. Held rows are constraints to the targets, those to the rest. */
static const double LEAST[HF_BODY_LEVELS] = {1e-10, 1e-7, 1e-4, 1e-4};
static const double WEIGHT[HF_BODY_LEVELS] = {100, 1, 1e-2, 1e-3};
static const double IGNORED = 1e9;       /* damping of a level that a descent leaves out */
static const double LOWER = 0.4;         /* of the damping after a good step */
static const double LEAST_FACTOR = 1e-4; /* of the damping: below it good steps gain nothing */
/* Damping of the guide's rows times its weight, of the creature's size squared: the guide is only wished. */
static const double GUIDE_DAMPING = 1e-3;
/* Squared share of the tolerance that is left of a wish when it counts as met. */
static const double FINE_SHARE = 1e-4;
/* How much wider each further start is drawn, up to a whole: the first starts stay near the given pose. */
static const double WIDER = 0.25;
static const double START_TURN_RAD = 0.8; /* of the root in a start drawn as wide as can be */
static const double CLEARLY = 0.99;       /* an excess below this share of the one before is clearly less */
/* Share of the merit that a slow step leaves: in a search, where wishes count, where the last digits do. */
static const double SLOW = 0.9, SLOW_FINE = 0.995, SLOW_POLISH = 0.9999;
static const double ROOT_SCALE = 0.3, TRUNK_SCALE = 0.5; /* how willingly they move beside a limb's joints */

typedef struct search {
    hf_body_problem problem;
    const hf_target* targets;
    hf_body_trial now, next, best, first;
    hf_body_scratch scratch;
    hf_workspace* workspace;
    hf_solve_result* result;
    bool budget_ended, cancelled;
} search;

static void swap_trials(hf_body_trial* a, hf_body_trial* b) {
    hf_body_trial t = *a;
    *a = *b, *b = t;
}

/* ---- how good a pose is ---- */

static bool goal_reached(const search* s, const hf_body_trial* t, int g) {
    const hf_solve_options* o = &s->problem.options->solve;
    return t->goal_errors[2 * g] <= o->tolerance_m && t->goal_errors[2 * g + 1] <= o->tolerance_rad;
}

/* Are the goals of all levels above `levels` reached? */
static bool reached(const search* s, const hf_body_trial* t, int levels) {
    for (int g = 0; g < s->problem.goal_count; g++)
        if ((int)s->problem.levels[g] < levels && !goal_reached(s, t, g)) return false;
    return true;
}

/* Metres beyond the tolerances, summed over the goals of a level. */
static double excess(const search* s, const hf_body_trial* t, hf_body_level level) {
    const hf_solve_options* o = &s->problem.options->solve;
    double sum = 0;
    for (int g = 0; g < s->problem.goal_count; g++)
        if (s->problem.levels[g] == level)
            sum += fmax(0, t->goal_errors[2 * g] - o->tolerance_m) +
                   s->problem.turn_scale * fmax(0, t->goal_errors[2 * g + 1] - o->tolerance_rad);
    return sum;
}

static bool better(const search* s, const hf_body_trial* a, const hf_body_trial* b) {
    double slack = s->problem.options->solve.tolerance_m;
    for (int level = HF_BODY_HELD; level <= HF_BODY_TARGET; level++) {
        double ea = excess(s, a, (hf_body_level)level), eb = excess(s, b, (hf_body_level)level);
        if (fabs(ea - eb) > slack || (ea == 0) != (eb == 0)) return ea < eb;
    }
    return WEIGHT[HF_BODY_BALANCE] * a->cost[HF_BODY_BALANCE] +
               WEIGHT[HF_BODY_GUIDE] * a->cost[HF_BODY_GUIDE] <
           WEIGHT[HF_BODY_BALANCE] * b->cost[HF_BODY_BALANCE] +
               WEIGHT[HF_BODY_GUIDE] * b->cost[HF_BODY_GUIDE];
}

static double merit(const hf_body_trial* t, int levels) {
    double sum = 0;
    for (int level = 0; level < levels; level++) sum += WEIGHT[level] * t->cost[level];
    return sum;
}

/* The farthest a goal's point can be from the root link's origin. */
static double reach_of(const hf_creature_view* v, const hf_goal* goal) {
    double reach = hf_length(goal->offset);
    for (int l = goal->link; v->links[l].joint >= 0; l = v->links[l].parent_link) {
        const hf_joint* j = &v->joints[v->links[l].joint];
        reach += hf_length(j->origin.position);
        if (j->type == HF_JOINT_PRISMATIC) reach += fmax(fabs(j->lower), fabs(j->upper));
        if (j->type == HF_JOINT_PLANAR || j->type == HF_JOINT_FLOATING) reach = INFINITY;
    }
    return reach;
}

/* Too far from a root that stands still, or two goals too far from each other. */
static bool out_of_reach(const search* s) {
    const hf_body_problem* p = &s->problem;
    const hf_creature_view* v = &p->creature->view;
    double slack = p->options->solve.tolerance_m;
    for (int g = 0; g < p->goal_count; g++) {
        double reach = reach_of(v, &p->goals[g]);
        if (!p->options->move_root &&
            hf_distance(p->goals[g].point, s->first.pose.root.position) > reach + slack)
            return true;
        for (int h = 0; h < g; h++)
            if (hf_distance(p->goals[g].point, p->goals[h].point) >
                reach + reach_of(v, &p->goals[h]) + 2 * slack)
                return true;
    }
    return false;
}

/* ---- one descent ---- */

static void find_damping(const search* s, double factor, int levels, double* damping) {
    for (int level = 0; level < HF_BODY_LEVELS; level++) {
        double size2 = s->problem.size * s->problem.size;
        damping[level] = factor * HF_DAMPING * s->now.cost[level] + LEAST[level] * size2;
        if (level == HF_BODY_GUIDE)
            damping[level] =
                factor * GUIDE_DAMPING * size2 / (s->problem.options->guide_weight + HF_ROUNDING);
        if (level >= levels) damping[level] = IGNORED;
    }
}

/* Tries dampings from small to large until one step lowers the merit of these levels. */
static bool improve(search* s, int levels, double* factor, int* used, int limit) {
    const hf_body_problem* p = &s->problem;
    double here = merit(&s->now, levels), damping[HF_BODY_LEVELS];
    hf_body_linearise(p, &s->now, &s->scratch);
    if (levels < HF_BODY_LEVELS) memset(s->scratch.pull, 0, sizeof(double) * (size_t)p->column_count);
    for (int attempt = 0; attempt < HF_DAMPINGS && *used < limit; attempt++) {
        find_damping(s, *factor, levels, damping);
        ++*used;
        bool met = true;
        for (int slide = 0; slide <= HF_SLIDES && met; slide++) {
            if (!hf_body_step(p, &s->now, damping, &s->scratch)) return false;
            met = hf_body_move(p, &s->now, &s->scratch, &s->next);
        }
        hf_body_measure(p, &s->next);
        bool good = merit(&s->next, levels) < here;
        // a damping that had to be raised is likely to be right for the next step
        *factor = fmax(*factor * (good ? attempt ? 1 : LOWER : HF_RAISE_DAMPING), LEAST_FACTOR);
        if (good) return true;
    }
    return false;
}

/* Descends over the first `levels` levels until they are reached or stall; true when it still made good
   progress as the iterations ran out. Balance and guide go on until they stall. */
static bool descend(search* s, int levels, double slow) {
    const hf_body_problem* p = &s->problem;
    bool wishes = levels > HF_BODY_BALANCE && (p->com_row >= 0 || p->guide_row >= 0);
    double factor = 1, left = 0,
           fine = FINE_SHARE * p->options->solve.tolerance_m * p->options->solve.tolerance_m;
    int used = 0, stalls = 0, limit = p->options->solve.max_iterations;
    while (used < limit && stalls < STALLS) {
        bool there = reached(s, &s->now, levels);
        if (there && (!wishes || merit(&s->now, levels) < fine)) break;
        s->cancelled = s->cancelled || !hf_workspace_goes_on(s->workspace);
        if (s->cancelled || !improve(s, levels, &factor, &used, limit)) break;
        left = merit(&s->next, levels) / merit(&s->now, levels);
        stalls = left > slow ? stalls + 1 : 0;
        swap_trials(&s->now, &s->next);
    }
    s->result->iterations += used;
    return used >= limit && left < SLOW && !reached(s, &s->now, levels);
}

/* All levels, then the upper ones alone to their tolerances. */
static bool descend_levels(search* s, double slow) {
    bool ended = descend(s, HF_BODY_LEVELS, slow);
    if (!reached(s, &s->now, HF_BODY_BALANCE)) ended |= descend(s, HF_BODY_BALANCE, slow);
    if (!reached(s, &s->now, HF_BODY_TARGET)) descend(s, HF_BODY_TARGET, SLOW_FINE);
    return ended;
}

/* ---- starts ---- */

/* A root beside the wished or given one, and a trunk bent at random. */
static void jitter(search* s, int start, hf_pose* pose) {
    const hf_body_problem* p = &s->problem;
    hf_random r = hf_random_start(p->options->solve.seed, 0x626f6479u, (uint64_t)start);
    double wide = fmin(1, WIDER * start);
    if (p->options->move_root) {
        if (p->options->guide && start % 2) pose->root = *p->options->guide;
        pose->root.rotation = hf_quat_normalize(pose->root.rotation);
        hf_vec3 low = hf_v3(-1, -1, -1), high = hf_v3(1, 1, 1);
        hf_vec3 shift = hf_random_in_box(&r, low, high), turn = hf_random_in_box(&r, low, high);
        pose->root.position = hf_add(pose->root.position, hf_scale(shift, 0.5 * wide * p->size));
        hf_quat q = hf_quat_axis_angle(hf_normalize(turn), START_TURN_RAD * wide * hf_length(turn));
        pose->root.rotation = hf_quat_normalize(hf_quat_mul(q, pose->root.rotation));
    }
    for (int c = 0; c < p->column_count; c++) {
        const hf_body_column* column = &p->columns[c];
        double u = hf_random_unit(&r);
        if (column->value < 0 || column->scale == 1 || !isfinite(column->lower) || !isfinite(column->upper))
            continue;
        double* x = &pose->q[column->value];
        *x += 0.5 * wide * (column->lower + u * (column->upper - column->lower) - *x);
    }
}

/* Each limb solved for itself where the root of s->now stands. */
static hf_status solve_limbs(search* s, int start) {
    const hf_body_problem* p = &s->problem;
    hf_body_keep_limits(p, s->now.pose.q);
    hf_forward(p->creature, &s->now.pose, s->now.links);
    hf_solve_options o = p->options->solve;
    o.max_starts = o.max_starts < LIMB_STARTS ? o.max_starts : LIMB_STARTS;
    o.seed += (uint64_t)start;
    for (int g = 0; g < p->goal_count; g++) {
        const hf_limb* limb = &p->creature->view.limbs[s->targets[g].limb];
        hf_transform base = s->now.links[limb->base_link];
        hf_solve_result result;
        hf_status status =
            hf_limb_solve(p->creature, &base, &s->targets[g], &o, s->workspace, s->now.pose.q, &result);
        if (status != HF_OK) return status;
    }
    hf_body_keep_limits(p, s->now.pose.q);
    hf_body_measure(p, &s->now);
    return HF_OK;
}

/* Start 0 is the given pose; start 1 solves each limb for itself from there, others from a root beside. */
static hf_status begin(search* s, int start) {
    hf_body_trial_copy(&s->problem, &s->first, &s->now);
    if (start == 0) return HF_OK;
    if (start > 1) jitter(s, start - 1, &s->now.pose);
    return solve_limbs(s, start);
}

static double all_excess(const search* s, const hf_body_trial* t) {
    return excess(s, t, HF_BODY_HELD) + excess(s, t, HF_BODY_TARGET);
}

/* Keeps s->now when it is the best so far; true when its targets are clearly nearer. */
static bool keep(search* s, bool first, bool ended) {
    if (!first && !better(s, &s->now, &s->best)) return false;
    double before = first ? INFINITY : all_excess(s, &s->best);
    hf_body_trial_copy(&s->problem, &s->now, &s->best);
    s->budget_ended = ended;
    return all_excess(s, &s->now) < CLEARLY * before;
}

/* Straight legs hide from a step that the root could sink: start once more with the root where it is wished.
 */
static hf_status start_at_guide(search* s) {
    hf_body_trial_copy(&s->problem, &s->first, &s->now);
    s->now.pose.root.position = s->problem.options->guide->position;
    s->now.pose.root.rotation = hf_quat_normalize(s->problem.options->guide->rotation);
    hf_status status = solve_limbs(s, 0);
    if (status != HF_OK) return status;
    bool ended = descend_levels(s, SLOW_FINE);
    s->result->starts++;
    keep(s, false, ended);
    return HF_OK;
}

/* Was the first start that one already? */
static bool began_at_guide(const search* s) {
    double near2 = s->problem.options->solve.tolerance_m * s->problem.options->solve.tolerance_m;
    return s->first.cost[HF_BODY_GUIDE] <= near2 && reached(s, &s->first, HF_BODY_BALANCE);
}

static hf_status run_starts(search* s) {
    const hf_body_problem* p = &s->problem;
    int same = 0;
    bool thorough = p->com_row >= 0 || p->guide_row >= 0 || out_of_reach(s);
    int limit = p->options->solve.max_starts;
    for (int start = 0; start < limit && same < SAME_LIMIT && !s->cancelled; start++) {
        hf_status status = begin(s, start);
        if (status != HF_OK) return status;
        bool ended = descend_levels(s, thorough || start >= QUICK_STARTS ? SLOW_FINE : SLOW);
        s->result->starts++;
        same = keep(s, start == 0, ended) ? 0 : same + 1;
        double near2 = p->options->solve.tolerance_m * p->options->solve.tolerance_m;
        if (start == 0 && p->guide_row >= 0 && s->best.cost[HF_BODY_GUIDE] > near2 && !began_at_guide(s))
            status = start_at_guide(s);
        if (status != HF_OK) return status;
        if (reached(s, &s->best, HF_BODY_BALANCE)) return HF_OK;
    }
    /* What cannot be reached is approached to the last. */
    hf_body_trial_copy(p, &s->best, &s->now);
    bool ended = descend(s, HF_BODY_BALANCE, SLOW_POLISH);
    if (!reached(s, &s->now, HF_BODY_TARGET)) descend(s, HF_BODY_TARGET, SLOW_FINE);
    keep(s, false, ended);
    return HF_OK;
}

/* ---- setting up ---- */

/* Rows that a joint can change, over all goals beyond it; [0, 0) for none. */
typedef struct row_range {
    int first, last;
} row_range;

static void find_ranges(const hf_body_problem* p, row_range* ranges) {
    const hf_creature_view* v = &p->creature->view;
    for (int j = 0; j < v->joint_count; j++) ranges[j] = (row_range){p->rows, 0};
    for (int g = 0; g < p->goal_count; g++)
        for (int l = p->goals[g].link; v->links[l].joint >= 0; l = v->links[l].parent_link) {
            double multiplier, offset;
            row_range* range = &ranges[hf_joint_master(v, v->links[l].joint, &multiplier, &offset)];
            if (p->first_row[g] < range->first) range->first = p->first_row[g];
            if (p->first_row[g] + p->goals[g].rows > range->last)
                range->last = p->first_row[g] + p->goals[g].rows;
        }
    for (int j = 0; j < v->joint_count && p->com_row >= 0; j++) {
        if (!p->options->move_free && ranges[j].first >= ranges[j].last) continue;
        ranges[j].last = p->com_row + 3;
        if (ranges[j].first > p->com_row) ranges[j].first = p->com_row;
    }
}

/* Of a limb, or of a finger or toe beyond one? */
static bool in_a_limb(const hf_creature* creature, int joint) {
    const hf_creature_view* v = &creature->view;
    for (int l = 0; l < v->limb_count; l++) {
        for (int i = 0; i < v->limbs[l].joint_count; i++)
            if (v->limbs[l].joints[i] == joint) return true;
        if (v->limbs[l].joint_count > 0 && hf_effector_has(creature, l, v->joints[joint].child_link))
            return true;
    }
    return false;
}

static void add_joint_columns(hf_body_problem* p, int joint, row_range range) {
    const hf_creature_view* v = &p->creature->view;
    const hf_joint* j = &v->joints[joint];
    double scale = in_a_limb(p->creature, joint) ? 1 : TRUNK_SCALE;
    for (int k = 0; k < j->v_count; k++) {
        bool shift =
            j->type == HF_JOINT_PRISMATIC || (j->v_count == 3 && k < 2) || (j->v_count == 6 && k < 3);
        p->columns[p->column_count++] =
            (hf_body_column){.speed = j->v_index + k,
                             .value = j->v_count == 6 && k >= 3 ? -1 : j->q_index + k,
                             .lower = j->v_count == 1 ? j->lower : -INFINITY,
                             .upper = j->v_count == 1 ? j->upper : INFINITY,
                             .scale = shift ? scale * p->size * ROOT_SCALE : scale,
                             .first = range.first,
                             .last = range.last};
    }
}

/* Mimic joints narrow what their masters may take. */
static void narrow_by_mimics(hf_body_problem* p) {
    const hf_creature_view* v = &p->creature->view;
    for (int j = 0; j < v->joint_count; j++) {
        int master;
        double low, high;
        if (!hf_mimic_range(v, j, &master, &low, &high)) continue;
        for (int c = 0; c < p->column_count; c++) {
            hf_body_column* column = &p->columns[c];
            if (column->speed != v->joints[master].v_index) continue;
            low = fmax(low, column->lower), high = fmin(high, column->upper);
            if (low <= high) column->lower = low, column->upper = high;
        }
    }
}

static hf_status make_columns(hf_body_problem* p, hf_workspace* workspace) {
    const hf_creature_view* v = &p->creature->view;
    row_range* ranges = hf_workspace_take(workspace, (size_t)v->joint_count + 1, sizeof *ranges);
    p->columns = hf_workspace_take(workspace, (size_t)v->v_count, sizeof *p->columns);
    if (!ranges || !p->columns) return HF_ERROR_MEMORY;
    for (int k = 0; k < 6 && p->options->move_root; k++)
        p->columns[p->column_count++] = (hf_body_column){.speed = k,
                                                         .value = -1,
                                                         .lower = -INFINITY,
                                                         .upper = INFINITY,
                                                         .scale = ROOT_SCALE * (k < 3 ? p->size : 1),
                                                         .last = p->rows};
    find_ranges(p, ranges);
    for (int j = 0; j < v->joint_count; j++)
        if (v->joints[j].v_count > 0 && ranges[j].first < ranges[j].last &&
            (p->options->move_trunk || in_a_limb(p->creature, j)))
            add_joint_columns(p, j, ranges[j]);
    narrow_by_mimics(p);
    return HF_OK;
}

static hf_status make_goals(search* s, int count) {
    hf_body_problem* p = &s->problem;
    const hf_creature_view* v = &p->creature->view;
    p->goal_count = count;
    p->goals = hf_workspace_take(s->workspace, (size_t)count + 1, sizeof *p->goals);
    p->levels = hf_workspace_take(s->workspace, (size_t)count + 1, sizeof *p->levels);
    p->first_row = hf_workspace_take(s->workspace, (size_t)count + 1, sizeof *p->first_row);
    if (!p->goals || !p->levels || !p->first_row) return HF_ERROR_MEMORY;
    for (int g = 0; g < count; g++) {
        hf_status status = hf_goal_make(v, &s->targets[g], &p->goals[g]);
        if (status != HF_OK) return status;
        p->levels[g] = s->targets[g].held ? HF_BODY_HELD : HF_BODY_TARGET;
        p->first_row[g] = p->rows;
        p->rows += p->goals[g].rows;
    }
    p->com_row = p->guide_row = -1;
    if (p->options->balance) p->com_row = p->rows, p->rows += 3;
    if (p->options->guide && p->options->move_root && p->options->guide_weight > 0)
        p->guide_row = p->rows, p->rows += 6;
    for (int l = 0; l < v->limb_count; l++) p->size = fmax(p->size, v->limbs[l].length);
    if (!(p->size > HF_NEGLIGIBLE)) p->size = v->height > HF_NEGLIGIBLE ? v->height : 1;
    p->turn_scale = HF_TURN_SHARE * p->size;
    p->posture = p->options->solve.posture ? p->options->solve.posture : v->rest;
    return HF_OK;
}

static hf_status check_arguments(const hf_creature_view* v, const hf_body_solve_options* o,
                                 const hf_pose* pose) {
    hf_status status = hf_options_check(hf_solve_option_table(), &o->solve, NULL);
    if (status == HF_OK) status = hf_options_check(hf_body_solve_option_table(), o, NULL);
    if (status != HF_OK) return status;
    bool finite = hf_finite_transform(pose->root) && (!o->guide || hf_finite_transform(*o->guide));
    for (int i = 0; i < v->q_count; i++)
        finite &= isfinite(pose->q[i]) && (!o->solve.posture || isfinite(o->solve.posture[i]));
    return finite ? HF_OK : HF_ERROR_ARGUMENT;
}

/* ---- the answer ---- */

static void conclude(search* s, double* errors) {
    const hf_solve_options* o = &s->problem.options->solve;
    hf_solve_result* r = s->result;
    int good = 0;
    double worst = -1;
    for (int g = 0; g < s->problem.goal_count; g++) {
        double metres = s->best.goal_errors[2 * g], chord = s->best.goal_errors[2 * g + 1];
        double radians = hf_error_angle(chord * chord);
        double relative = fmax(metres / o->tolerance_m, radians / o->tolerance_rad);
        if (relative > worst) worst = relative, r->worst_target = g;
        r->position_error_m = fmax(r->position_error_m, metres);
        r->angle_error_rad = fmax(r->angle_error_rad, radians);
        good += goal_reached(s, &s->best, g);
        if (errors) errors[2 * g] = metres, errors[2 * g + 1] = radians;
    }
    bool all = good == s->problem.goal_count;
    r->stop = all               ? HF_STOP_REACHED
              : s->cancelled    ? HF_STOP_CANCELLED
              : s->budget_ended ? HF_STOP_ITERATIONS
                                : HF_STOP_STALLED;
    if (!all && !s->cancelled && out_of_reach(s)) r->stop = HF_STOP_OUT_OF_REACH;
    r->outcome = all                               ? HF_FOUND
                 : s->cancelled                    ? HF_CANCELLED
                 : good > 0                        ? HF_PARTIAL
                 : r->stop == HF_STOP_OUT_OF_REACH ? HF_INFEASIBLE
                 : r->stop == HF_STOP_ITERATIONS   ? HF_BUDGET
                                                   : HF_NONE;
}

static hf_status solve(search* s, int count, hf_pose* pose, double* errors) {
    hf_body_problem* p = &s->problem;
    hf_status status = make_goals(s, count);
    if (status == HF_OK) status = make_columns(p, s->workspace);
    if (status == HF_OK) status = hf_body_rom_choose(p, s->workspace);
    if (status == HF_OK) status = hf_body_scratch_make(p, s->workspace, &s->scratch);
    hf_body_trial* trials[] = {&s->now, &s->next, &s->best, &s->first};
    for (int i = 0; i < 4 && status == HF_OK; i++) status = hf_body_trial_make(p, s->workspace, trials[i]);
    if (status != HF_OK) return status;
    size_t bytes = sizeof(double) * (size_t)p->creature->view.q_count;
    s->first.pose.root = pose->root;
    s->first.pose.root.rotation = hf_quat_normalize(pose->root.rotation);
    if (bytes) memcpy(s->first.pose.q, pose->q, bytes);
    hf_body_keep_limits(p, s->first.pose.q);
    hf_body_measure(p, &s->first);
    status = run_starts(s);
    if (status != HF_OK) return status;
    conclude(s, errors);
    pose->root = s->best.pose.root;
    if (bytes) memcpy(pose->q, s->best.pose.q, bytes);
    if (p->options->solve.use_rom) hf_solve_check_range(p->creature, -1, pose->q, s->result);
    return HF_OK;
}

hf_status hf_body_solve(const hf_creature* creature, const hf_target* targets, int count,
                        const hf_body_solve_options* options, hf_workspace* workspace, hf_pose* pose,
                        double* errors, hf_solve_result* result) {
    HF_REQUIRE(NULL, creature && options && workspace && pose && result && (targets || count <= 0) &&
                         (pose->q || !creature->view.q_count));
    memset(result, 0, sizeof *result);
    if (count < 0) return HF_ERROR_ARGUMENT;
    if (count > HF_MAX_TARGETS) return HF_ERROR_LIMIT;
    if (errors) memset(errors, 0, sizeof(double) * 2 * (size_t)count);
    hf_status status = check_arguments(&creature->view, options, pose);
    if (status != HF_OK) return status;
    search s = {.targets = targets, .workspace = workspace, .result = result};
    s.problem = (hf_body_problem){.creature = creature, .options = options};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    status = solve(&s, count, pose, errors);
    hf_workspace_end(workspace, mark);
    if (status != HF_OK) memset(result, 0, sizeof *result);
    return status;
}
