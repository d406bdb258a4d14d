/* Walks: along a stretch of the guide on which the limbs that walk find ground, the body goes on without a
   rest, balanced in motion and at no moment at rest. One curve of the centre of mass spans all steps; every
   knot's full wrench is tested against the contacts it has. The idea is that of CROC (Fernbach, Tonneau and
   others, 2018), with the pendulum's pressure point in place of its convex program and the whole body in
   place of a point. */
#include "plan/walk.h"

#include "plan/segment.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "schedule/frames.h"

#include <holdfast/rom.h>

#include <limits.h>
#include <math.h>
#include <string.h>

/* How far outside of where it is aimed at (options.walk_aim_m: at a corner of a foot friction holds no
   turning) the pressure of a curve may be that is tried with the whole body, m. */
static const double OUTSIDE_M = 0.008;

/* How far the whole body may press from where the pendulum does, m. */
static const double MOST_LEARNT_M = 0.3;
/* Rounds in which limbs learn to swing against the body's turning; rounds in a row in which no more knots
   hold than before, after which further ones are in vain; paces at which limbs collide, after which no other
   is tried; how often at one pace a step that meets the scene is made higher, by a swing's usual height each
   time: six times that are 0.3 of the leg, more than footholds in turn differ. */
enum { COUNTER_ROUNDS = 3, PATIENCE = 2, MOST_FAILED = 3, MOST_RAISED = 6, MOST_SOONER = 6 };
/* One of so many knots that is not held once limbs have learnt to swing: such a walk is far from one that
   holds, and all its steps become slower at once by this factor. */
enum { FAR_OFF = 4 };
/* One of so many at most: such a walk is near to one that holds, and may use up seven eighths of the work
   that is left for walks instead of half of it. */
enum { NEARLY = 50 };
static const double MUCH_SLOWER = 1.25;
/* Footholds that are tried with one longest stride, each without a step of those before it that failed. */
enum { MOST_BARRED = 6 };
/* Attempts with the same footholds. After each, steps with a knot that does not hold take longer by a factor,
   or all of them where none is to blame; after the first ones also the steps beside them. */
enum { MOST_ATTEMPTS = 14, ALONE = 2 };
static const double SLOWER = 1.12;
/* How much longer a step takes by nature by which a foot goes down by the length of its limb, of a swing: a
   seventh for two stairs in a person's stride. The leg behind has to fold meanwhile. */
static const double SLOWER_DOWN = 0.37;
/* Where limbs swing together, those that hold the body could do so at rest: how much more it counts that the
   body is over the middle of its feet, and how much slower than on two feet such a walk may be, as joints of
   small crawlers are slower than their pendulum. */
static const double WISH_TOGETHER = 100, SLOWEST_TOGETHER = 3;
/* Times of steps, by nature 1, with which legs begin that cannot sway: the body goes aside by less in a
   shorter swing, nearly with the square of its time. */
static const double STIFF_PACE = 0.85;
/* What is tried, in this order: strides, of the longest one; for each of them feet as near to each other as
   is good and, where legs meet, farther apart; the body as high as its legs let it and crouching; for each of
   these ever slower steps. Fewer steps before slower ones. The values were found with a human, a G1, an
   ANYmal and a quadruped on 5 m of level ground. */
static const double STRIDES[] = {1, 0.9, 0.8, 0.72, 0.65, 0.5};
enum { STRIDE_TRIES = sizeof STRIDES / sizeof *STRIDES, CROUCH_TRIES = 2 };

typedef enum verdict { HOLDS, TOO_FAST, PRESSES_ELSEWHERE, COLLIDES, UNREACHED, FAILS } verdict;

/* ---- the curve ---- */

static hf_pressure_region* region_of(const hf_walk* w, int phase, int inward) {
    return &w->free[phase * HF_WALK_INWARD + inward];
}

/* Leaves of a region where the joints of toes bear the body, where that is anything. False: a tool failed. */
static bool spare_toes(const hf_walk* w, const hf_plan_hold* holds, int count, hf_pressure_region* region) {
    const hf_stance* stance = hf_stance_borrow(w->planner, holds, count, -1);
    if (stance) hf_pressure_region_within(stance, region);
    hf_stance_return(w->planner, stance);
    return stance != NULL;
}

static bool find_regions(hf_walk* w) {
    hf_plan_hold holds[HF_MAX_HOLDS];
    for (int i = 0; i < w->phase_count; i++) {
        int count = hf_walk_holds(w, i, holds);
        const hf_stance* stance = hf_stance_borrow_whole(w->planner, holds, count);
        bool good = stance && hf_pressure_region_find(stance, w->planner->world.options->walk_aim_m,
                                                      region_of(w, i, 0));
        hf_stance_return(w->planner, stance);
        if (!good) return false;
        if (w->spares && !spare_toes(w, holds, count, region_of(w, i, 0))) return false;
        for (int n = 1; n < HF_WALK_INWARD; n++)
            hf_pressure_region_inward(region_of(w, i, 0), (double)n / HF_WALK_INWARD, region_of(w, i, n));
        double sum = 0;
        for (int h = 0; h < count; h++) sum += holds[h].at.point.z / count;
        for (int k = w->phases[i]; k <= w->last; k++) w->ground[k] = sum;
    }
    return true;
}

/* The pendulum's height at each knot. */
static void find_tall(hf_walk* w) {
    double rate = w->planner->world.options->rate, above = w->begin.z - w->from.root.position.z;
    for (int k = 0; k <= w->last; k++) {
        int before = k > 0 ? k - 1 : 0, after = k < w->last ? k + 1 : k;
        double z = w->wished[k].position.z;
        double bend = (w->wished[after].position.z - 2 * z + w->wished[before].position.z) * rate * rate;
        w->tall[k] = (z + above - w->ground[k]) / (1 + bend / HF_GRAVITY_M_S2);
    }
}

/* At the knots at which a limb leaves and lands, the others hold alone. */
static bool find_curve(hf_walk* w) {
    hf_walk_roots(w);
    find_tall(w);
    for (int k = 0; k <= w->last; k++) w->region[k] = region_of(w, hf_walk_phase(w, k), w->inward[k]);
    for (int i = 0; i < w->step_count; i++) {
        const hf_footstep* s = &w->steps[i];
        w->region[s->lift] = region_of(w, hf_walk_phase(w, s->lift + 1), w->inward[s->lift]);
        w->region[s->land] = region_of(w, hf_walk_phase(w, s->land - 1), w->inward[s->land]);
    }
    if (w->planes && !hf_walk_lines(w)) return false;
    hf_com_curve c = {.steps = w->last,
                      .step_s = 1 / w->planner->world.options->rate,
                      .height_m = w->tall,
                      .from = w->begin,
                      .to = w->end,
                      .region = w->region,
                      .wish = (const double(*)[2])w->wish,
                      .wish_weight = w->together ? WISH_TOGETHER : 1,
                      .offset = (const double(*)[2])w->learnt};
    double outside;
    return hf_plan_note(w->planner, hf_com_curve_find(&c, w->planner->tools.workspace, w->place, &outside)) &&
           outside < OUTSIDE_M;
}

/* The curve that presses where the joints of toes bear the body, or, where there is none, anywhere on its
   feet. */
static bool find_sparing_curve(hf_walk* w) {
    if (find_curve(w)) return true;
    if (!w->spares || !hf_plan_ok(w->planner)) return false;
    w->spares = false;
    return find_regions(w) && find_curve(w);
}

/* ---- judging ---- */

/* Learns how far the whole body presses from where the pendulum does. */
static void learn(hf_walk* w, int k, const hf_frame_wrench* f) {
    double rate = w->planner->world.options->rate, m = w->planner->world.view->mass;
    double fz = m * (f->acceleration.z + HF_GRAVITY_M_S2);
    double turn[2] = {f->momentum_rate.y, -f->momentum_rate.x};
    double com[2] = {f->com.x, f->com.y}, a[2] = {f->acceleration.x, f->acceleration.y};
    for (int x = 0; x < 2; x++) {
        int before = k > 0 ? k - 1 : 0, after = k < w->last ? k + 1 : k;
        double bend = (w->place[after][x] - 2 * w->place[k][x] + w->place[before][x]) * rate * rate;
        double pressed = com[x] - ((f->com.z - w->ground[k]) * m * a[x] + turn[x]) / fz;
        double off = pressed - (w->place[k][x] - w->tall[k] / HF_GRAVITY_M_S2 * bend);
        w->learnt[k][x] = fmin(fmax(off, -MOST_LEARNT_M), MOST_LEARNT_M);
    }
}

/* The step that a knot belongs to: the one on its way, or the next one. */
static hf_footstep* step_at(const hf_walk* w, int knot) {
    int i = 0;
    while (i + 1 < w->step_count && w->steps[i].land < knot) i++;
    return &w->steps[i];
}

/* Aims the pressure of a knot that is not held nearer to the middle of its contacts, where friction holds
   more turning; its step is to blame. */
static void blame(hf_walk* w, int k) {
    if (w->inward[k] + 1 < HF_WALK_INWARD) w->inward[k]++;
    step_at(w, k)->blamed = true;
}

/* The moment about Z that contacts must hold by friction, about the point where the body presses: a pendulum
   accelerates away from that point and needs none; a body whose limbs turn it presses elsewhere. */
static double turning_of(const hf_frame_wrench* f) {
    hf_vec3 a = f->acceleration, l = f->momentum_rate;
    return l.z + (l.x * a.x + l.y * a.y) / (a.z + HF_GRAVITY_M_S2);
}

static void forget_blame(hf_walk* w) {
    for (int i = 0; i < w->step_count; i++) w->steps[i].blamed = false, w->steps[i].too_fast = 0;
}

/* HOLDS when the contacts hold every knot with its wrench. */
static verdict judge_wrenches(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    verdict v = HOLDS;
    const hf_stance* stance = NULL;
    w->unheld = 0;
    forget_blame(w);
    for (int k = 0, phase = -1; k <= w->last && v != FAILS; k++) {
        hf_pose here = hf_walk_pose(w, k), before = hf_walk_pose(w, k > 0 ? k - 1 : k),
                after = hf_walk_pose(w, k < w->last ? k + 1 : k);
        if (hf_walk_phase(w, k) != phase) {
            phase = hf_walk_phase(w, k);
            hf_stance_return(p, stance);
            stance = hf_stance_borrow_whole(p, holds, hf_walk_holds(w, phase, holds));
        }
        hf_frame_wrench f;
        if (!stance || !hf_plan_note(p, hf_frames_wrench(p->world.creature, p->world.options->rate, &before,
                                                         &here, &after, p->tools.workspace, &f)))
            v = FAILS;
        else if (!hf_stance_holds(stance, f.com, f.acceleration, f.momentum_rate))
            v = PRESSES_ELSEWHERE, w->unheld++, blame(w, k);
        if (v != FAILS) learn(w, k, &f);
        w->turning[k] = v != FAILS ? turning_of(&f) : 0;
    }
    hf_stance_return(p, stance);
    return v;
}

/* The way to a knot: the holds that last on it, what holds at both ends, and a limb that swings on it. */
static hf_segment way_to(const hf_walk* w, int k, hf_plan_hold* holds) {
    int limb = hf_walk_swings(w, k);
    hf_segment part = {.planner = w->planner, .holds = holds, .scratch = w->scratch};
    part.hold_count = hf_walk_holds(w, hf_walk_phase(w, k), holds);
    for (int from = 0, lands; (lands = hf_walk_swings_from(w, k - 1, &from)) >= 0; from++) {
        int at = hf_holds_find(holds, part.hold_count, lands);
        if (at >= 0) holds[at] = holds[--part.hold_count];
        if (limb < 0) limb = lands;
    }
    part.limb = limb;
    return part;
}

/* Is the way to a knot free? Every limb that swings on it is looked at closely. */
static bool is_free_to(const hf_walk* w, hf_segment* part, int k, const hf_pose* a, const hf_pose* b) {
    bool free = hf_segment_free_between(part, a, b, k > 1);
    for (int end = k - 1; end <= k && free && w->together; end++)
        for (int from = 0, limb; free && (limb = hf_walk_swings_from(w, end, &from)) >= 0; from++) {
            hf_segment other = *part;
            other.limb = limb;
            if (limb != part->limb) free = hf_segment_free_between(&other, a, b, true);
        }
    return free;
}

/* TOO_FAST where joints, root or holds between two knots go too far; steps are to blame for that. */
static verdict judge_speeds(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    verdict v = HOLDS;
    for (int k = 1; k <= w->last; k++) {
        hf_pose a = hf_walk_pose(w, k - 1), b = hf_walk_pose(w, k);
        hf_segment part = way_to(w, k, holds);
        double speed = hf_frames_speed(p->world.creature, p->world.options->rate, &a, &b) / HF_FRAME_SPEED;
        if (speed <= 1 && hf_segment_holds_between(&part, &a, &b)) continue;
        v = TOO_FAST;
        hf_footstep* s = step_at(w, k);
        s->blamed = true, s->too_fast = fmax(s->too_fast, speed);
    }
    return v;
}

/* Are joints so fast that no round at this pace helps? */
static bool is_much_too_fast(hf_walk* w) {
    double most = 0;
    forget_blame(w);
    judge_speeds(w);
    for (int i = 0; i < w->step_count; i++) most = fmax(most, w->steps[i].too_fast);
    return most > SLOWER;
}

/* Is what met the scene a limb that holds, which is free at both knots? Then its joints are so fast that the
   straight way between the knots leaves the hold. */
static bool sinks_between(const hf_walk* w, const hf_segment* part, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = w->planner;
    hf_collision hit = p->tools.hit;
    bool holds = false;
    for (int h = 0; h < part->hold_count && hit.other_body < 0; h++)
        holds |=
            hf_effector_has(p->world.creature, part->holds[h].at.limb, p->world.view->bodies[hit.body].link);
    bool sinks =
        holds && hf_segment_free_between(part, a, a, false) && hf_segment_free_between(part, b, b, false);
    p->tools.hit = hit;
    return sinks;
}

/* Ranges and room from knot to knot; what was free before a mend and is not part of it is free still. */
static verdict judge_knots(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    for (int k = 1; k <= w->last; k++) {
        if (w->mended && k < w->free_to && !hf_walk_is_mended(w, k) && !hf_walk_is_mended(w, k - 1)) continue;
        hf_pose a = hf_walk_pose(w, k - 1), b = hf_walk_pose(w, k);
        hf_segment part = way_to(w, k, holds);
        w->stop = k;
        if (!hf_pose_within_rom(p->world.creature, b.q, HF_ROM_RAD)) return UNREACHED;
        if (is_free_to(w, &part, k, &a, &b)) continue;
        step_at(w, k)->blamed = true;
        step_at(w, k - 1)->blamed = true;
        return sinks_between(w, &part, &a, &b) ? TOO_FAST : COLLIDES;
    }
    return HOLDS;
}

/* Does the body belong to a limb that walks? */
static bool is_of_leg(const hf_plan_world* w, int body) {
    for (int l = 0; l < w->view->limb_count; l++)
        if (w->model->limbs[l].walks && w->view->limbs[l].joint_count > 0 &&
            hf_link_in_limb(w->creature, w->view->bodies[body].link, l))
            return true;
    return false;
}

/* Did a limb that walks meet the creature's own body? It does so at any pace. */
static bool leg_meets_body(const hf_walk* w, verdict v) {
    const hf_collision* hit = &w->planner->tools.hit;
    return v == COLLIDES && hit->other_body >= 0 &&
           (is_of_leg(&w->planner->world, hit->body) || is_of_leg(&w->planner->world, hit->other_body));
}

/* Did two of the limbs that walk meet? */
static bool legs_meet(const hf_walk* w, verdict v) {
    const hf_collision* hit = &w->planner->tools.hit;
    return v == COLLIDES && hit->other_body >= 0 && is_of_leg(&w->planner->world, hit->body) &&
           is_of_leg(&w->planner->world, hit->other_body);
}

/* ---- the whole ---- */

static bool take_memory(hf_walk* w) {
    hf_planner* p = w->planner;
    size_t rows = HF_WALK_KNOTS + 1, width = (size_t)p->world.view->q_count;
    w->steps = hf_workspace_take(p->tools.workspace, HF_WALK_STEPS, sizeof *w->steps);
    w->stood = hf_workspace_take(p->tools.workspace, HF_MAX_HOLDS, sizeof *w->stood);
    size_t places = (size_t)w->node->hold_count * (HF_WALK_PARTS + 1);
    w->places = hf_workspace_take(p->tools.workspace, places, sizeof *w->places);
    w->phases = hf_workspace_take(p->tools.workspace, HF_WALK_PHASES, sizeof *w->phases);
    size_t regions = (size_t)HF_WALK_PHASES * HF_WALK_INWARD;
    w->free = hf_workspace_take(p->tools.workspace, regions, sizeof *w->free);
    w->inward = hf_workspace_take(p->tools.workspace, rows, sizeof *w->inward);
    w->counter = hf_workspace_take(p->tools.workspace, width, sizeof *w->counter);
    w->counters = hf_workspace_take(p->tools.workspace, rows, sizeof *w->counters);
    w->turning = hf_workspace_take(p->tools.workspace, rows, sizeof *w->turning);
    w->beside = hf_workspace_take(p->tools.workspace, rows, sizeof *w->beside);
    w->wish = hf_workspace_take(p->tools.workspace, rows, sizeof *w->wish);
    w->region = hf_workspace_take(p->tools.workspace, rows, sizeof *w->region);
    w->lines = hf_workspace_take(p->tools.workspace, rows, sizeof *w->lines);
    w->place = hf_workspace_take(p->tools.workspace, rows, sizeof *w->place);
    w->learnt = hf_workspace_take(p->tools.workspace, rows, sizeof *w->learnt);
    w->wished = hf_workspace_take(p->tools.workspace, rows, sizeof *w->wished);
    w->roots = hf_workspace_take(p->tools.workspace, rows, sizeof *w->roots);
    size_t poses = (size_t)(p->world.guide_count - w->node->guide_index);
    w->way = hf_workspace_take(p->tools.workspace, poses, sizeof *w->way);
    w->height_wish = hf_workspace_take(p->tools.workspace, 6 * rows, sizeof *w->height_wish);
    if (w->height_wish) {
        w->ceiling = w->height_wish + rows, w->ground = w->ceiling + rows;
        w->tall = w->ground + rows, w->floor = w->tall + rows, w->along = w->floor + rows;
    }
    w->q = hf_workspace_take(p->tools.workspace, rows * width, sizeof *w->q);
    size_t limbs = (size_t)p->world.view->limb_count;
    w->tucks = hf_workspace_take(p->tools.workspace, limbs, sizeof *w->tucks);
    w->tucked = hf_workspace_take(p->tools.workspace, limbs * width, sizeof *w->tucked);
    w->from = hf_take_pose(p), w->to = hf_take_pose(p), w->scratch = hf_take_pose(p);
    if (!w->steps || !w->stood || !w->places || !w->phases || !w->free || !w->inward || !w->wish ||
        !w->beside || !w->counter || !w->counters || !w->turning || !w->region || !w->place || !w->learnt ||
        !w->wished || !w->roots || !w->q || !w->height_wish || !w->way || !w->tucks || !w->tucked ||
        !w->lines)
        hf_plan_note(p, HF_ERROR_MEMORY);
    return hf_plan_ok(p);
}

/* The pose at the end, and where the centre of mass begins, ends and is on average. */
static bool find_ends(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    int count = w->node->hold_count;
    for (int i = 0; i < count; i++) holds[i] = hf_walk_stood(w, w->node->holds[i].at.limb, INT_MAX)->hold;
    const hf_stance* stance = hf_stance_borrow(p, holds, count, -1);
    hf_transform wish = p->world.guide[w->guide_index];
    hf_pose_copy(&p->world, &w->node->pose, &w->from);
    hf_pose_copy(&p->world, &(hf_pose){wish, p->world.model->standing}, &w->to);
    bool good = stance && hf_stance_pose_easy(p, holds, count, stance, hf_pose_margin(p), wish, NULL, &w->to);
    hf_stance_return(p, stance);
    w->begin = hf_com_at(p, &w->from), w->end = hf_com_at(p, &w->to);
    w->height = (w->begin.z + w->end.z) / 2;
    for (int i = 0; i < count; i++)
        w->height -= (holds[i].at.point.z + w->node->holds[i].at.point.z) / (2 * count);
    return good && w->height > 0;
}

/* What an attempt has from the one before it at the same steps: nothing; what knots learnt; all but the poses
   of a few knots at which a limb moves another way. */
typedef enum beginning { ANEW, LEARNT, MENDED } beginning;

/* What rounds learn begins anew, unless it goes on from an attempt at the same steps. */
static void begin_rounds(hf_walk* w, double crouch, beginning from) {
    size_t rows = (size_t)(w->last + 1);
    w->unheld = 0;
    if (from == MENDED) return;
    w->posed = 0, w->crouch = crouch * w->height;
    for (int k = 0; k <= w->last; k++) w->ceiling[k] = w->height_wish[k] - w->crouch, w->floor[k] = -INFINITY;
    if (from != ANEW) return;
    w->learns = COUNTER_ROUNDS;
    memset(w->learnt, 0, sizeof *w->learnt * rows);
    memset(w->counters, 0, sizeof *w->counters * rows);
    memset(w->inward, 0, sizeof *w->inward * rows);
}

/* Knots outside of what was mended stay as they are in the first round. */
static verdict attempt(hf_walk* w, double crouch, beginning from) {
    w->spares = w->planner->world.spares != HF_SPARE_NONE;
    if (!hf_footsteps_time(w) || !find_regions(w)) return FAILS;
    hf_walk_tuck_time(w);
    hf_walk_wish(w);
    hf_walk_arcs(w);
    begin_rounds(w, crouch, from);
    int fewest = INT_MAX, since = 0;
    bool tucked = false;
    verdict v = PRESSES_ELSEWHERE;
    w->held = false;
    for (int round = 0; since < PATIENCE && v == PRESSES_ELSEWHERE; round++) {
        w->mended = from == MENDED && round == 0;
        if (!w->mended && !find_sparing_curve(w)) return hf_plan_ok(w->planner) ? PRESSES_ELSEWHERE : FAILS;
        if (!hf_walk_poses(w)) return hf_plan_ok(w->planner) ? UNREACHED : FAILS;
        if (round == 0 && !w->mended && leg_meets_body(w, judge_knots(w))) return COLLIDES;
        tucked = round == 0 && !w->mended && hf_walk_tuck_all(w);
        if (round == 0 && is_much_too_fast(w)) return TOO_FAST;
        v = judge_wrenches(w);
        if (v == PRESSES_ELSEWHERE && w->learns > 0) {
            hf_walk_counter_learn(w);
            w->learns--;
            continue;
        }
        if (FAR_OFF * w->unheld > w->last) break;
        since = w->unheld < fewest ? 0 : since + 1;
        fewest = w->unheld < fewest ? w->unheld : fewest;
    }
    if (v == PRESSES_ELSEWHERE) judge_speeds(w);
    if (v == HOLDS) v = judge_speeds(w);
    w->held = v == HOLDS && !tucked;
    return v == HOLDS ? judge_knots(w) : v;
}

/* Where limbs hold at a knot, or a single one will when its swing ends. */
static int holds_of_stance(const hf_walk* w, int knot, hf_plan_hold* holds) {
    int count = hf_walk_holds(w, hf_walk_phase(w, knot), holds), limb = hf_walk_swings(w, knot);
    if (limb >= 0 && !w->together) holds[count++] = w->steps[hf_walk_step(w, limb, knot)].hold;
    return count;
}

/* A stance of the walk, from one knot to another; the knots of the start's stance come before the first. */
static bool adopt(const hf_walk* w, int first, int last, int guide_index) {
    hf_planner* p = w->planner;
    hf_plan_node* child = &p->tree.nodes[p->tree.node_count];
    child->first_knot = p->tree.knots.count;
    for (int k = first > w->phases[1] ? first : 0; k <= last; k++) {
        hf_pose pose = hf_walk_pose(w, k);
        int node = k < first ? p->tree.node_index : p->tree.node_count;
        int swing = w->together ? -1 : hf_walk_swings(w, k);
        if (!hf_plan_note(p, hf_knots_add(&p->tree.knots, &pose, node, swing))) return false;
    }
    child->hold_count = holds_of_stance(w, last, child->holds);
    child->last_limb = -1;
    child->guide_index = guide_index;
    for (int h = 0; h < child->hold_count; h++) {
        child->holds[h].maker = p->tree.node_count;
        hf_hold_span(&p->world, guide_index, &child->holds[h]);
    }
    hf_pose pose = hf_walk_pose(w, last);
    hf_pose_copy(&p->world, &pose, &child->pose);
    hf_plan_adopt(p, last < w->last ? HF_PLAN_WALKING : HF_PLAN_WALKED);
    return true;
}

/* All stances: one begins where a limb leaves, or rolls onto its toes; of limbs that swing together also
   where one lands. */
static bool adopt_all(const hf_walk* w) {
    int guide_index = w->node->guide_index, first = 1;
    for (int i = 1; i <= w->phase_count; i++) {
        int knot = i < w->phase_count ? w->phases[i] : w->last + 1;
        bool lands = false;
        for (int s = 0; s < w->step_count; s++) {
            lands |= w->steps[s].land == knot && !w->together;
            if (w->steps[s].land < knot) guide_index = w->steps[s].guide_index;
        }
        if (lands) continue;
        if (i > 1 &&
            !adopt(w, w->phases[first], knot - 1, i == w->phase_count ? w->guide_index : guide_index))
            return false;
        first = i;
    }
    return true;
}

/* Lets the limb that meets the scene at the knot w->stop, or on its way there, go higher. False where another
   body meets the scene. */
static bool raise_step(hf_walk* w) {
    const hf_plan_world* world = &w->planner->world;
    const hf_collision* hit = &w->planner->tools.hit;
    if (hit->other_body >= 0) return false;
    for (int knot = w->stop; knot >= w->stop - 1; knot--)
        for (int i = 0; hf_walk_swings_from(w, knot, &i) >= 0; i++) {
            int link = world->view->bodies[hit->body].link;
            if (w->together ? !hf_link_in_limb(world->creature, link, w->steps[i].limb)
                            : !is_of_leg(world, hit->body))
                continue;
            hf_footstep* s = &w->steps[i];
            s->raised++;
            w->mend_first = s->roll >= 0 ? s->roll : s->lift, w->mend_last = s->land, w->free_to = w->stop;
            return true;
        }
    return false;
}

/* Where limbs do not reach at the knot, lets the foot that leaves next and stands flat there, or has just
   begun to roll, roll over its toes sooner: its ankle does not let the body go lower or farther ahead. False
   where it cannot. */
static bool roll_sooner(hf_walk* w, int knot) {
    if (w->together || hf_walk_is_level(w)) return false;
    int i = 0;
    while (i < w->step_count && w->steps[i].lift < knot) i++;
    if (i == w->step_count) return false;
    hf_footstep* s = &w->steps[i];
    const hf_footstep* old = hf_walk_stood(w, s->limb, s->lift);
    if (old->toes.at.limb < 0 || old->land > knot || s->sooner == MOST_SOONER) return false;
    s->sooner++;
    return true;
}

/* Steps to blame for knots that are not held, or too fast, while a limb that stands wants the body higher, so
   that it goes down in haste afterwards: the limb rolls sooner. */
static bool roll_hasty_sooner(hf_walk* w) {
    bool sooner = false;
    for (int i = 0; i < w->step_count; i++) {
        int k = w->steps[i].lift, land = w->steps[i].land;
        while (k <= land && w->floor[k] == -INFINITY) k++;
        if (w->steps[i].blamed && k <= land && roll_sooner(w, k)) sooner = true;
    }
    return sooner;
}

/* Changes one thing that may mend the walk: a step that meets the scene goes higher, which leaves all else as
   it was where that was held; a limb that does not walk and meets something is drawn in, a foot that keeps
   the body from where it should be rolls sooner. False where nothing is left to change. */
static bool mend(hf_walk* w, verdict v, int* raised, beginning* from) {
    *from = LEARNT;
    if (v == COLLIDES && ++*raised > MOST_RAISED) return false;
    if (v == COLLIDES && raise_step(w)) {
        *from = w->held ? MENDED : LEARNT;
        return true;
    }
    if (v == COLLIDES) return hf_walk_tuck_in(w);
    if (v == PRESSES_ELSEWHERE || v == TOO_FAST) return roll_hasty_sooner(w);
    return v == UNREACHED && roll_sooner(w, w->stop);
}

/* At one pace, with what mends the walk, as long as that lets it come farther or mends it in a few attempts.
 */
static verdict try_pace(hf_walk* w, double crouch, beginning from) {
    verdict v = attempt(w, crouch, from);
    for (int raised = 0, farthest = -1, in_vain = 0;
         v != HOLDS && in_vain < PATIENCE && mend(w, v, &raised, &from);) {
        bool farther = v == UNREACHED && w->stop > farthest;
        farthest = farther ? w->stop : farthest;
        in_vain += !farther && v != COLLIDES;
        v = attempt(w, crouch, from);
    }
    return v;
}

/* The knots at which the first limbs that swing together leave and land, and the walk's ends. */
static int list_times(const hf_walk* w, int* times) {
    int count = 0;
    times[count++] = 0;
    for (int i = 0; i < w->step_count; i++)
        if (w->steps[i].with == i || w->steps[i].with < 0)
            times[count++] = w->steps[i].lift, times[count++] = w->steps[i].land;
    times[count++] = w->last;
    return count;
}

/* When steps have become slower: gives them their times, and what knots have learnt to those at the same
   share of a step. */
static bool stretch(hf_walk* w) {
    int old[2 * HF_WALK_STEPS + 2], now[2 * HF_WALK_STEPS + 2];
    list_times(w, old);
    if (!hf_footsteps_time(w)) return false;
    int i = list_times(w, now) - 2;
    memset(w->inward, 0, sizeof *w->inward * (size_t)(w->last + 1));
    w->learns = 1;
    // no knot comes sooner than before, so that the last ones go first
    for (int k = w->last; k >= 0; k--) {
        while (i > 0 && now[i] > k) i--;
        double at = old[i] + (double)(k - now[i]) / (now[i + 1] - now[i]) * (old[i + 1] - old[i]);
        int a = (int)at, b = at > a ? a + 1 : a;
        w->counters[k] = w->counters[a] + (at - a) * (w->counters[b] - w->counters[a]);
        for (int x = 0; x < 2; x++)
            w->learnt[k][x] = w->learnt[a][x] + (at - a) * (w->learnt[b][x] - w->learnt[a][x]);
    }
    return true;
}

/* Steps that are to blame become slower, or all where none is or too much is wrong; those whose joints are
   too fast by as much as these are, those that swing together by the same. Over uneven ground the steps
   beside those to blame also do after a few paces, as each of them passes its trouble on to the next. False
   where one would be slower than a walk may be. */
static bool slow_down(hf_walk* w, verdict v, int pace) {
    bool far_off = FAR_OFF * w->unheld > w->last, good = true;
    bool all = v == PRESSES_ELSEWHERE && (w->unheld == 0 || far_off);
    bool spreads =
        pace >= ALONE && v == PRESSES_ELSEWHERE && w->to.root.position.z < w->from.root.position.z - HF_SKIN;
    double slowest = w->planner->world.options->walk_slowest * (w->together ? SLOWEST_TOGETHER : 1);
    for (int i = 0; i < w->step_count; i++) {
        hf_footstep* s = &w->steps[i];
        bool beside = spreads && ((i > 0 && s[-1].blamed) || (i + 1 < w->step_count && s[1].blamed));
        if (all || s->blamed || beside) s->slower *= far_off && all ? MUCH_SLOWER : fmax(SLOWER, s->too_fast);
        good = good && s->slower <= slowest;
    }
    return good;
}

/* The walk with one stride, each step at the first pace at which all hold. */
static verdict try_paces(hf_walk* w, double crouch) {
    hf_planner* p = w->planner;
    verdict v = FAILS;
    for (int i = 0; i < w->step_count; i++) {
        hf_footstep* s = &w->steps[i];
        double rise = s->hold.at.point.z - hf_walk_stood(w, s->limb, s->lift - 1)->hold.at.point.z;
        s->slower =
            (w->stiff ? STIFF_PACE : 1) + SLOWER_DOWN * fmax(0, -rise) / p->world.view->limbs[s->limb].length;
    }
    memset(w->tucks, 0, sizeof *w->tucks * (size_t)p->world.view->limb_count);
    for (int i = 0, failed = 0; i < MOST_ATTEMPTS && failed < MOST_FAILED && hf_plan_ok(p); i++) {
        bool near = i > 0 && v == PRESSES_ELSEWHERE && NEARLY * w->unheld <= w->last;
        if (!hf_workspace_goes_on(p->tools.workspace) || p->tree.walk_knots <= w->reserve / (near ? 4 : 1))
            return FAILS;
        v = try_pace(w, crouch, i == 0 ? ANEW : LEARNT);
        // limbs that do not reach at this pace do not at slower ones, at which the body sways farther, and
        // legs that meet the body do so at any pace
        if (v == UNREACHED && i > 0) return FAILS; // no step is too long
        if (v == HOLDS || v == UNREACHED || v == FAILS || leg_meets_body(w, v) || !slow_down(w, v, i))
            return v;
        if (!stretch(w)) return FAILS;
        failed += v == COLLIDES;
    }
    return v;
}

/* Ends the walk before the step in which it collides, unless that is one of the first. */
static void end_before(hf_walk* w) {
    int landed = 0;
    while (landed < w->step_count && w->steps[landed].land <= w->stop) landed++;
    if (landed > w->node->hold_count) w->farthest = w->steps[landed - 1].guide_index;
}

/* The walk with the steps that were found. */
static verdict try_heights(hf_walk* w) {
    verdict v = PRESSES_ELSEWHERE;
    if (!find_ends(w) || !hf_walk_counter(w)) return FAILS;
    hf_walk_sway(w);
    hf_walk_line(w);
    for (int c = 0; c < CROUCH_TRIES && v != HOLDS && v != COLLIDES; c++) {
        if (v == UNREACHED && hf_walk_is_level(w)) break; // lower bodies were tried
        v = try_paces(w, c * w->planner->world.options->walk_crouch);
    }
    return v;
}

/* The step at fault for what stopped the walk: a limb that does not reach in the first half of its way is too
   far behind, since the limb before it stepped too far ahead. */
static int failed_step(const hf_walk* w, verdict v) {
    int i = (int)(step_at(w, w->stop) - w->steps);
    return v == UNREACHED && i > 0 && 2 * w->stop < w->steps[i].lift + w->steps[i].land ? i - 1 : i;
}

/* Steps of one longest stride: where legs meet, feet are put farther apart if that makes a difference; else a
   step that collides or that limbs do not reach is barred, and others are found in its place. Over uneven
   ground a step that limbs do not reach is barred only when `thorough`: shorter strides come first. `tried`
   says which steps the stride before had: their parts, their end and the barred steps then. */
static verdict try_stride(hf_walk* w, double stride, bool thorough, int tried[3]) {
    hf_planner* p = w->planner;
    verdict v = FAILS;
    w->apart = false;
    w->reserve = p->tree.walk_knots / 2;
    for (int i = 0; i < MOST_BARRED && hf_plan_ok(p) && p->tree.walk_knots > w->reserve; i++) {
        p->progress.work++;
        if (!hf_footsteps_find(w, stride)) return FAILS;
        int bars = p->tree.barred_count;
        if (i == 0 && w->parts == tried[0] && w->guide_index == tried[1] && bars == tried[2]) return FAILS;
        tried[0] = w->parts, tried[1] = w->guide_index, tried[2] = bars;
        v = try_heights(w);
        if (v != COLLIDES && v != UNREACHED) return v;
        if (legs_meet(w, v) && !w->apart)
            w->apart = true;
        else if (v == UNREACHED && !thorough && !hf_walk_is_level(w)) {
            w->skipped = true;
            return v;
        } else if (!hf_footsteps_bar(w, failed_step(w, v),
                                     (v == UNREACHED && hf_walk_is_level(w)) || leg_meets_body(w, v)))
            return v;
    }
    return v;
}

static bool find_with(hf_walk* w, double natural) {
    hf_planner* p = w->planner;
    w->skipped = true;
    for (int thorough = 0; thorough < 2 && w->skipped; thorough++) {
        w->skipped = false;
        int tried[3] = {-1, -1, -1};
        for (int i = 0; i < STRIDE_TRIES && hf_plan_ok(p) && p->tree.walk_knots > 0; i++) {
            verdict v = try_stride(w, STRIDES[i] * natural, thorough, tried);
            if (v == HOLDS) return true;
            if (v == COLLIDES && p->tools.hit.other_body < 0) end_before(w);
        }
    }
    return false;
}

/* Groups of the gait first, where the other limbs could hold the body, then one limb at a time. */
static bool find_walk(hf_walk* w) {
    double natural = hf_walk_natural_stride(&w->planner->world);
    double longer = hf_walk_longer_together(&w->planner->world);
    w->together = longer > 0;
    if (w->together && find_with(w, longer * natural)) return true;
    w->together = false, w->farthest = w->planner->world.guide_count - 1;
    return find_with(w, natural);
}

bool hf_walk_on(hf_planner* p) {
    if (p->tree.node_count + HF_WALK_PHASES > HF_MAX_STANCES || p->tree.walk_knots <= 0) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_walk w = {
        .planner = p, .node = &p->tree.nodes[p->tree.node_index], .farthest = p->world.guide_count - 1};
    int knots = p->tree.knots.count;
    bool found = take_memory(&w) && find_walk(&w) && adopt_all(&w);
    if (!found) p->tree.knots.count = knots;
    hf_workspace_end(p->tools.workspace, mark);
    return found;
}
