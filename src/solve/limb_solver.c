/* Inverse kinematics of one limb: damped steps (limb_step.c) with a damping that follows the error
   (Sugihara 2011), from several starts; where the whole target cannot be had, the position first and the
   angle as far as the limb allows. */
#include "base/random.h"
#include "base/rounding.h"
#include "base/error.h"
#include "base/workspace.h"
#include "solve/descent.h"
#include "solve/limb_problem.h"
#include "solve/solve_range.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

enum {
    DRAWS = 10,       /* random postures of which a start takes the nearest */
    STALLS = 2,       /* slow steps in a row that end a descent */
    SAME_LIMIT = 16,  /* starts that end in the best error again before the solver believes it */
    QUICK_STARTS = 4, /* starts that give up early */
    SAME_FAR = 3,     /* the same where no start can reach */
    STRICT_STARTS = 3 /* of the search that puts the position first */
};
static const double LEAST_DAMPING = 1e-6;   /* times turn_scale^2 */
static const double STRICT_DAMPING = 1e-9;  /* of the position where it is a constraint, times turn_scale^2 */
static const double LOWER = 0.5;            /* of the damping after a good step */
static const double LEAST_FACTOR = 1e-6;    /* of the damping: below it good steps gain nothing */
static const double SAME_COST = 0.01;       /* share by which the costs of two starts in one place differ */
static const double SLOW = 0.85;            /* a step that leaves more of the squared error is slow */
static const double SLOW_THOROUGH = 0.98;   /* the same once it is likely that some error stays */
static const double SLOW_POLISH = 1 - 1e-9; /* the same where the last digits count */
static const double STRICT_WEIGHT = 100;    /* of squared position against squared angle in strict descents */
static const double NEARLY = 50;            /* tolerances from the target worth a long descent */
static const double NUDGE = 0.05;           /* rad or m: off a limit */

/* QUICK gives up early, as most postures lead somewhere; HESITANT is QUICK and mostly ends at its first slow
   step; THOROUGH where some error may have to stay; NEAR puts the position first and gives up early. */
typedef enum descent { QUICK, HESITANT, THOROUGH, POSITION_FIRST, NEAR, POLISH } descent;

static bool strict(descent how) { return how == POSITION_FIRST || how == NEAR; }

typedef hf_limb_solver search;

static void swap_trials(hf_limb_trial* a, hf_limb_trial* b) {
    hf_limb_trial t = *a;
    *a = *b, *b = t;
}

/* What a descent lowers. */
static double merit(const search* s, const hf_limb_trial* t, descent how) {
    if (!strict(how)) return t->cost;
    double near2 = s->problem.tolerance_m * s->problem.tolerance_m;
    double excess = t->position2 > near2 ? t->position2 - near2 : 0;
    return STRICT_WEIGHT * excess + s->problem.turn_scale * s->problem.turn_scale * t->angle2;
}

/* s->next.at.x from s->now.at.x by one damped step, along the regions' boundaries where it meets them. */
static bool take_step(search* s, double damp_position, double damp_angle) {
    const hf_limb_problem* p = &s->problem;
    for (int slide = 0; slide <= HF_SLIDES; slide++) {
        if (!hf_limb_step(p, &s->now, damp_position, damp_angle, &s->scratch)) return false;
        hf_chain_move(p->chain, s->now.at.x, s->scratch.step, s->next.at.x);
        if (p->rom_count == 0 || !hf_limb_rom_slide(p, s->now.at.x, s->next.at.x, &s->scratch)) break;
    }
    return true;
}

/* Tries dampings from small to large until one step lowers the merit. */
static bool improve(search* s, descent how, double* factor, int* used, int limit) {
    const hf_limb_problem* p = &s->problem;
    double scale2 = p->turn_scale * p->turn_scale, here = merit(s, &s->now, how);
    hf_limb_linearise(p, &s->now, how <= THOROUGH, &s->scratch);
    for (int attempt = 0; attempt < HF_DAMPINGS && *used < limit; attempt++) {
        double damp = *factor * (HF_DAMPING * s->now.cost + LEAST_DAMPING * scale2);
        double damp_position =
            strict(how) ? *factor * (HF_DAMPING * s->now.position2 + STRICT_DAMPING * scale2) : damp;
        ++*used;
        if (!take_step(s, damp_position, damp)) return false;
        hf_limb_measure(p, &s->next);
        bool good = merit(s, &s->next, how) < here;
        *factor = fmax(*factor * (good ? LOWER : HF_RAISE_DAMPING), LEAST_FACTOR);
        if (good) return true;
    }
    return false;
}

static bool position_reached(const hf_limb_problem* p, const hf_limb_trial* t) {
    return t->position2 <= p->tolerance_m * p->tolerance_m;
}

/* Slow steps in a row that end a descent. Where more of the error is in the position than in the angle, a
   limb that hesitates mostly cannot have both. */
static int patience(const hf_limb_trial* t, descent how) {
    return how == HESITANT && t->position2 > t->cost / 2 ? 1 : STALLS;
}

/* Descends from s->now until reached, stalled, or out of iterations; true when it still made good progress
   as the iterations ran out. */
static bool descend(search* s, descent how, int limit) {
    double factor = 1, left = 0;
    double slow = how == QUICK || how == HESITANT || how == NEAR ? SLOW
                  : how == THOROUGH                              ? SLOW_THOROUGH
                                                                 : SLOW_POLISH;
    int used = 0, stalls = 0;
    while (used < limit && stalls < patience(&s->now, how) && !hf_limb_reached(&s->problem, &s->now)) {
        if (!improve(s, how, &factor, &used, limit)) break;
        // where the position is wanted first, it is what must come nearer until it is there
        left = how == NEAR && !position_reached(&s->problem, &s->now)
                   ? s->next.position2 / s->now.position2
                   : merit(s, &s->next, how) / merit(s, &s->now, how);
        stalls = left > slow ? stalls + 1 : 0;
        swap_trials(&s->now, &s->next);
    }
    s->result->iterations += used;
    return used >= limit && left < SLOW && !hf_limb_reached(&s->problem, &s->now);
}

/* ---- starts ---- */

static const double TURN = 2 * M_PI; /* rad */

/* Uniform between the limits; joints that turn right round do so once about where they are, others without
   limits stay where they are. */
static void draw(const search* s, uint64_t index, double* x) {
    const hf_limb_chain* chain = s->problem.chain;
    hf_random r = hf_random_start(s->options->seed, (uint32_t)s->limb, index);
    memcpy(x, s->first.at.x, sizeof(double) * (size_t)chain->value_count);
    for (int c = 0; c < chain->column_count; c++) {
        double u = hf_random_bits(&r) * 0x1p-32, low = chain->lower[c], high = chain->upper[c];
        if (chain->column_value[c] < 0) continue;
        double* at = &x[chain->column_value[c]];
        if (chain->wraps[c])
            *at = fmax(low, fmin(*at - TURN / 2, high - TURN)) + TURN * u;
        else if (isfinite(low) && isfinite(high))
            *at = low + (high - low) * u;
    }
}

/* Start 0 is the given posture; the others are the nearest of a few random ones and, once, the rest. */
static void begin(search* s, int start) {
    const hf_limb_problem* p = &s->problem;
    if (start == 0) {
        hf_limb_trial_copy(p, &s->first, &s->now);
        return;
    }
    for (int i = 0; i < DRAWS; i++) {
        draw(s, (uint64_t)start * DRAWS + (uint64_t)i, s->next.at.x);
        if (start == 1 && i == 0) {
            memcpy(s->next.at.x, p->posture, sizeof(double) * (size_t)p->chain->value_count);
            hf_chain_clamp(p->chain, s->next.at.x);
        }
        hf_limb_measure(p, &s->next);
        if (i == 0 || s->next.cost < s->now.cost) swap_trials(&s->now, &s->next);
    }
    if (p->rom_count > 0 && hf_limb_rom_keep(p, s->now.at.x)) hf_limb_measure(p, &s->now);
}

static void keep(search* s, bool first, bool ended) {
    if (!first && !hf_limb_better(&s->problem, &s->now, &s->best)) return;
    hf_limb_trial_copy(&s->problem, &s->now, &s->best);
    s->budget_ended = ended;
}

/* Near a stretched limb or a limit steps are slow or vanish, but the solution is there. */
static bool nearly_reached(const search* s) {
    const hf_limb_problem* p = &s->problem;
    return !hf_limb_reached(p, &s->now) &&
           s->now.position2 < NEARLY * NEARLY * p->tolerance_m * p->tolerance_m &&
           s->now.angle2 < NEARLY * NEARLY * p->tolerance_rad * p->tolerance_rad;
}

/* A joint on its limit may hide the way (an elbow that is straight): all such joints step back a little. */
static void nudge(search* s) {
    const hf_limb_chain* chain = s->problem.chain;
    for (int c = 0; c < chain->column_count; c++) {
        int value = chain->column_value[c];
        double low = chain->lower[c], high = chain->upper[c];
        if (value < 0) continue;
        double* x = &s->now.at.x[value];
        if (*x < low + NUDGE / 2)
            *x = fmin(low + NUDGE, (low + high) / 2);
        else if (*x > high - NUDGE / 2)
            *x = fmax(high - NUDGE, (low + high) / 2);
    }
    if (s->problem.rom_count > 0) hf_limb_rom_keep(&s->problem, s->now.at.x);
    hf_limb_measure(&s->problem, &s->now);
}

/* Position and angle together, until one start reaches both or many end in the same place. */
static void search_together(search* s, int starts, bool far) {
    double least = INFINITY;
    int same = 0, same_limit = far ? SAME_FAR : SAME_LIMIT;
    for (int start = 0; start < starts && same < same_limit; start++) {
        begin(s, start);
        bool ended = descend(s, far || start >= QUICK_STARTS ? THOROUGH : QUICK, s->options->max_iterations);
        s->result->starts++;
        keep(s, start == 0, ended);
        if (nearly_reached(s)) {
            nudge(s);
            ended = descend(s, POLISH, s->options->max_iterations);
            keep(s, false, ended);
        }
        if (hf_limb_reached(&s->problem, &s->best)) return;
        /* Costs within a hundredth are one place; a clearly smaller one starts the count again. */
        if (s->now.cost < (1 - SAME_COST) * least)
            same = 0;
        else if (s->now.cost < (1 + SAME_COST) * least)
            same++;
        least = fmin(least, s->now.cost);
    }
}

/* The position alone, to its last digits, so that what remains is the closest point. */
static bool settle_position(search* s) {
    int rows = s->problem.rows;
    s->problem.rows = 3;
    hf_limb_measure(&s->problem, &s->now);
    bool ended = descend(s, POLISH, s->options->max_iterations);
    s->problem.rows = rows;
    hf_limb_measure(&s->problem, &s->now);
    return ended;
}

/* Not all can be had: the position first, then the angle as far as the limb allows. */
static void search_position_first(search* s, int starts) {
    int strict_starts = s->problem.rows > 3 ? STRICT_STARTS : 1;
    for (int start = 0; start < strict_starts && start <= starts; start++) {
        if (start == 0)
            hf_limb_trial_copy(&s->problem, &s->best, &s->now);
        else
            begin(s, start - 1);
        bool ended = settle_position(s);
        if (s->problem.rows > 3) {
            keep(s, false, ended);
            ended = descend(s, POSITION_FIRST, s->options->max_iterations);
            if (!position_reached(&s->problem, &s->now)) ended = settle_position(s);
        }
        keep(s, false, ended);
        s->result->starts += start > 0;
        if (hf_limb_reached(&s->problem, &s->best)) break;
    }
}

/* ---- the call ---- */

static void conclude(search* s, bool out_of_reach) {
    hf_solve_result* r = s->result;
    bool near = position_reached(&s->problem, &s->best);
    r->position_error_m = sqrt(s->best.position2);
    r->angle_error_rad = hf_error_angle(s->best.angle2);
    r->stop = hf_limb_reached(&s->problem, &s->best) ? HF_STOP_REACHED
              : out_of_reach                         ? HF_STOP_OUT_OF_REACH
              : s->budget_ended                      ? HF_STOP_ITERATIONS
                                                     : HF_STOP_STALLED;
    r->outcome = r->stop == HF_STOP_REACHED      ? HF_FOUND
                 : near                          ? HF_PARTIAL
                 : out_of_reach                  ? HF_INFEASIBLE
                 : r->stop == HF_STOP_ITERATIONS ? HF_BUDGET
                                                 : HF_NONE;
}

static bool in_regions(const search* s, const double* x) {
    const hf_limb_problem* p = &s->problem;
    if (p->rom_count == 0) return true;
    memcpy(p->kept, x, sizeof(double) * (size_t)p->chain->value_count);
    return !hf_limb_rom_keep(p, p->kept);
}

/* Whole turns of a joint that turns right round are chosen nearest to where it was, unless that leaves its
   region or its limits. */
static void write_back(const search* s, double* q) {
    const hf_limb_chain* chain = s->problem.chain;
    for (int c = 0; c < chain->column_count; c++) {
        if (!chain->wraps[c]) continue;
        double *x = &s->best.at.x[chain->column_value[c]], was = q[chain->q_index[chain->column_value[c]]];
        double found = *x, turns = round((was - found) / TURN);
        if (turns == 0) continue;
        *x += TURN * turns;
        if (*x < chain->lower[c] || *x > chain->upper[c] || !in_regions(s, s->best.at.x)) *x = found;
    }
    for (int i = 0; i < chain->value_count; i++) q[chain->q_index[i]] = s->best.at.x[i];
    hf_pose_follow(s->problem.creature, q);
}

static void set_up(search* s, const hf_transform* base, const hf_goal* goal) {
    hf_limb_problem* p = &s->problem;
    hf_transform frame = {base->position, hf_quat_normalize(base->rotation)};
    p->rows = goal->rows;
    p->point = hf_unapply(frame, goal->point);
    p->normal = hf_unrotate(frame.rotation, goal->normal);
    p->own_normal = goal->own_normal;
    hf_mat3 wanted = hf_quat_matrix(hf_quat_mul(hf_quat_conj(frame.rotation), goal->rotation));
    memcpy(p->rotation, wanted.m, sizeof p->rotation);
    p->tolerance_m = s->options->tolerance_m;
    p->tolerance_rad = s->options->tolerance_rad;
    p->posture_weight = s->options->posture_weight;
}

/* First posture and wished posture from whole-pose values; false when a number is not finite. */
static bool read_postures(search* s, const double* q, const double* posture) {
    const hf_limb_chain* chain = s->problem.chain;
    bool finite = true;
    for (int i = 0; i < chain->value_count; i++) {
        s->first.at.x[i] = q[chain->q_index[i]];
        s->wanted[i] = posture[chain->q_index[i]];
        finite &= isfinite(s->first.at.x[i]) && isfinite(s->wanted[i]);
    }
    s->problem.posture = s->wanted;
    hf_chain_clamp(chain, s->first.at.x);
    return finite;
}

/* From a start that is near: one descent for all. */
static void search_near(search* s) {
    hf_limb_trial_copy(&s->problem, &s->first, &s->now);
    bool ended = descend(s, s->hesitant ? HESITANT : QUICK, s->options->max_iterations);
    s->result->starts++;
    keep(s, true, ended);
}

static bool is_far(const hf_limb_problem* p) {
    return hf_distance(p->point, p->chain->anchor) > p->chain->reach + p->tolerance_m;
}

static void solve(search* s) {
    const hf_limb_problem* p = &s->problem;
    if (p->rom_count > 0) hf_limb_rom_keep(p, s->first.at.x);
    hf_limb_measure(p, &s->first);
    bool far = is_far(p);
    bool fixed = p->chain->column_count == 0;
    int starts = fixed ? 1 : s->options->max_starts;
    if (s->options->near_start) {
        search_near(s);
    } else {
        search_together(s, starts, far);
        if (!hf_limb_reached(p, &s->best) && !fixed && !s->options->whole) search_position_first(s, starts);
    }
}

static void end_call(search* s, double* q) {
    conclude(s, is_far(&s->problem));
    write_back(s, q);
    if (s->use_rom) hf_solve_check_range(s->problem.creature, s->limb, q, s->result);
}

hf_status hf_limb_solver_make(const hf_creature* creature, int limb, int contact, bool bends, const double* q,
                              bool use_rom, hf_workspace* workspace, hf_limb_solver* solver) {
    memset(solver, 0, sizeof *solver);
    solver->problem = (hf_limb_problem){.creature = creature, .chain = &solver->chain};
    solver->limb = limb;
    solver->use_rom = use_rom;
    hf_status status = hf_limb_chain_build(creature, limb, contact, bends, q, workspace, &solver->chain);
    double reach = solver->chain.reach;
    solver->problem.turn_scale = HF_TURN_SHARE * (isfinite(reach) && reach > HF_NEGLIGIBLE ? reach : 1);
    if (status == HF_OK) status = hf_limb_scratch_make(&solver->problem, workspace, &solver->scratch);
    hf_limb_trial* trials[] = {&solver->now, &solver->next, &solver->best, &solver->first};
    for (int i = 0; i < 4 && status == HF_OK; i++)
        status = hf_limb_trial_make(&solver->problem, workspace, trials[i]);
    if (status != HF_OK) return status;
    solver->wanted = hf_workspace_take(workspace, (size_t)solver->chain.value_count + 1, sizeof(double));
    if (!solver->wanted) return HF_ERROR_MEMORY;
    return use_rom ? hf_limb_rom_choose(&solver->problem, q, workspace) : HF_OK;
}

hf_status hf_limb_solver_run(hf_limb_solver* s, const hf_transform* base, const hf_goal* goal,
                             const hf_solve_options* options, double* q, hf_solve_result* result) {
    memset(result, 0, sizeof *result);
    s->options = options;
    s->result = result;
    s->budget_ended = false;
    set_up(s, base, goal);
    if (!read_postures(s, q, options->posture ? options->posture : s->problem.creature->view.rest))
        return HF_ERROR_ARGUMENT;
    solve(s);
    end_call(s, q);
    return HF_OK;
}

bool hf_limb_solver_go_on(hf_limb_solver* s, double* q) {
    int left = s->options->max_iterations - s->result->iterations;
    if (left > 0) keep(s, true, descend(s, QUICK, left));
    end_call(s, q);
    return hf_limb_reached(&s->problem, &s->best);
}

bool hf_limb_solver_place(hf_limb_solver* s, double* q) {
    if (s->problem.chain->column_count == 0) return false;
    keep(s, false, settle_position(s));
    end_call(s, q);
    return position_reached(&s->problem, &s->now);
}

void hf_limb_solver_settle(hf_limb_solver* s, double* q) {
    if (s->problem.rows == 3) return;
    keep(s, false, descend(s, NEAR, s->options->max_iterations));
    end_call(s, q);
}

hf_status hf_limb_solve(const hf_creature* creature, const hf_transform* base, const hf_target* target,
                        const hf_solve_options* options, hf_workspace* workspace, double* q,
                        hf_solve_result* result) {
    HF_REQUIRE(NULL, creature && base && target && options && workspace && q && result);
    memset(result, 0, sizeof *result);
    hf_goal goal;
    hf_status status = hf_options_check(hf_solve_option_table(), options, NULL);
    if (status == HF_OK) status = hf_goal_make(&creature->view, target, &goal);
    if (status == HF_OK && !hf_finite_transform(*base)) status = HF_ERROR_ARGUMENT;
    if (status != HF_OK) return status;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_limb_solver s;
    status = hf_limb_solver_make(creature, target->limb, target->contact, true, q, options->use_rom,
                                 workspace, &s);
    if (status == HF_OK) status = hf_limb_solver_run(&s, base, &goal, options, q, result);
    if (status == HF_OK && options->near_start && !options->whole && result->stop != HF_STOP_REACHED &&
        hf_limb_solver_place(&s, q))
        hf_limb_solver_settle(&s, q);
    hf_workspace_end(workspace, mark);
    return status;
}
