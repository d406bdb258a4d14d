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
   holds, and all its steps become slower at once. */
enum { FAR_OFF = 4 };
/* One of so many at most: such a walk is near to one that holds, and may use up seven eighths of the work
   that is left for walks instead of half of it. */
enum { NEARLY = 50 };
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
/* Strides of a way that is walked whole or not at all; and of one that is rather walked in parts than with
   much work: a longer one has more work in proportion. */
enum { SHORT = 2, LONG = 5 };
enum { STRIDE_TRIES = sizeof STRIDES / sizeof *STRIDES, CROUCH_TRIES = 2 };

typedef enum verdict { HOLDS, TOO_FAST, PRESSES_ELSEWHERE, COLLIDES, UNREACHED, FAILS } verdict;

/* ---- the curve ---- */

static hf_pressure_region* region_of(const hf_walk* w, int phase, int inward) {
    return &w->press.free[phase * HF_WALK_INWARD + inward];
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
    for (int i = 0; i < w->steps.phase_count; i++) {
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
        for (int k = w->steps.phases[i]; k <= w->last; k++) w->level.ground[k] = sum;
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
        w->level.tall[k] = (z + above - w->level.ground[k]) / (1 + bend / HF_GRAVITY_M_S2);
    }
}

/* At the knots at which a limb leaves and lands, the others hold alone. */
static bool find_curve(hf_walk* w) {
    hf_walk_roots(w);
    find_tall(w);
    for (int k = 0; k <= w->last; k++)
        w->press.region[k] = region_of(w, hf_walk_phase(w, k), w->press.inward[k]);
    for (int i = 0; i < w->steps.count; i++) {
        const hf_footstep* s = &w->steps.all[i];
        w->press.region[s->lift] = region_of(w, hf_walk_phase(w, s->lift + 1), w->press.inward[s->lift]);
        w->press.region[s->land] = region_of(w, hf_walk_phase(w, s->land - 1), w->press.inward[s->land]);
    }
    if (w->line.planar && !hf_walk_lines(w)) return false;
    hf_com_curve c = {.steps = w->last,
                      .step_s = 1 / w->planner->world.options->rate,
                      .height_m = w->level.tall,
                      .from = w->begin,
                      .to = w->end,
                      .region = w->press.region,
                      .wish = (const double(*)[2])w->press.wish,
                      .wish_weight = w->steps.together ? WISH_TOGETHER : 1,
                      .offset = (const double(*)[2])w->press.learnt};
    double outside;
    return hf_plan_note(w->planner,
                        hf_com_curve_find(&c, w->planner->tools.workspace, w->press.place, &outside)) &&
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
        double bend =
            (w->press.place[after][x] - 2 * w->press.place[k][x] + w->press.place[before][x]) * rate * rate;
        double pressed = com[x] - ((f->com.z - w->level.ground[k]) * m * a[x] + turn[x]) / fz;
        double off = pressed - (w->press.place[k][x] - w->level.tall[k] / HF_GRAVITY_M_S2 * bend);
        w->press.learnt[k][x] = fmin(fmax(off, -MOST_LEARNT_M), MOST_LEARNT_M);
    }
}

/* The step that a knot belongs to: the one on its way, or the next one. */
static hf_footstep* step_at(const hf_walk* w, int knot) {
    int i = 0;
    while (i + 1 < w->steps.count && w->steps.all[i].land < knot) i++;
    return &w->steps.all[i];
}

/* Aims the pressure of a knot that is not held nearer to the middle of its contacts, where friction holds
   more turning; its step is to blame. */
static void blame(hf_walk* w, int k) {
    if (w->press.inward[k] + 1 < HF_WALK_INWARD) w->press.inward[k]++;
    step_at(w, k)->blamed = true;
}

/* The moment about Z that contacts must hold by friction, about the point where the body presses: a pendulum
   accelerates away from that point and needs none; a body whose limbs turn it presses elsewhere. */
static double turning_of(const hf_frame_wrench* f) {
    hf_vec3 a = f->acceleration, l = f->momentum_rate;
    return l.z + (l.x * a.x + l.y * a.y) / (a.z + HF_GRAVITY_M_S2);
}

static void forget_blame(hf_walk* w) {
    for (int i = 0; i < w->steps.count; i++) w->steps.all[i].blamed = false, w->steps.all[i].too_fast = 0;
}

/* HOLDS when the contacts hold every knot with its wrench. */
static verdict judge_wrenches(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    verdict v = HOLDS;
    const hf_stance* stance = NULL;
    w->press.unheld = 0;
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
            v = PRESSES_ELSEWHERE, w->press.unheld++, blame(w, k);
        if (v != FAILS) learn(w, k, &f);
        w->counter.turning[k] = v != FAILS ? turning_of(&f) : 0;
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
    for (int end = k - 1; end <= k && free && w->steps.together; end++)
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
    for (int i = 0; i < w->steps.count; i++) most = fmax(most, w->steps.all[i].too_fast);
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

/* Ranges and room from knot to knot. */
static verdict judge_knots(hf_walk* w) {
    hf_planner* p = w->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    for (int k = 1; k <= w->last; k++) {
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

static bool take_steps(hf_walk_steps* s, const hf_walk* w, hf_workspace* space) {
    size_t places = (size_t)w->node->hold_count * (HF_WALK_PARTS + 1);
    size_t poses = (size_t)(w->planner->world.guide_count - w->node->guide_index);
    s->all = hf_workspace_take(space, HF_WALK_STEPS, sizeof *s->all);
    s->stood = hf_workspace_take(space, HF_MAX_HOLDS, sizeof *s->stood);
    s->places = hf_workspace_take(space, places, sizeof *s->places);
    s->phases = hf_workspace_take(space, HF_WALK_PHASES, sizeof *s->phases);
    s->way = hf_workspace_take(space, poses, sizeof *s->way);
    return s->all && s->stood && s->places && s->phases && s->way;
}

static bool take_level(hf_walk_level* l, size_t rows, hf_workspace* space) {
    l->wish = hf_workspace_take(space, 5 * rows, sizeof *l->wish);
    if (!l->wish) return false;
    l->ceiling = l->wish + rows, l->floor = l->ceiling + rows;
    l->ground = l->floor + rows, l->tall = l->ground + rows;
    return true;
}

static bool take_press(hf_walk_press* s, size_t rows, hf_workspace* space) {
    s->place = hf_workspace_take(space, 3 * rows, sizeof *s->place);
    s->free = hf_workspace_take(space, (size_t)HF_WALK_PHASES * HF_WALK_INWARD, sizeof *s->free);
    s->inward = hf_workspace_take(space, rows, sizeof *s->inward);
    s->region = hf_workspace_take(space, rows, sizeof *s->region);
    if (!s->place) return false;
    s->wish = s->place + rows, s->learnt = s->wish + rows;
    return s->free && s->inward && s->region;
}

/* What limbs do that do not walk, and the lines of legs in planes. */
static bool take_limbs(hf_walk* w, size_t rows, size_t width, hf_workspace* space) {
    size_t limbs = (size_t)w->planner->world.view->limb_count;
    w->counter.joints = hf_workspace_take(space, width, sizeof *w->counter.joints);
    w->counter.share = hf_workspace_take(space, 2 * rows, sizeof *w->counter.share);
    w->line.regions = hf_workspace_take(space, rows, sizeof *w->line.regions);
    w->tuck.limbs = hf_workspace_take(space, limbs, sizeof *w->tuck.limbs);
    w->tuck.q = hf_workspace_take(space, limbs * width, sizeof *w->tuck.q);
    if (!w->counter.share) return false;
    w->counter.turning = w->counter.share + rows;
    return w->counter.joints && w->line.regions && w->tuck.limbs && w->tuck.q;
}

static bool take_knots(hf_walk* w, size_t rows, size_t width, hf_workspace* space) {
    w->along = hf_workspace_take(space, rows, sizeof *w->along);
    w->wished = hf_workspace_take(space, 2 * rows, sizeof *w->wished);
    w->q = hf_workspace_take(space, rows * width, sizeof *w->q);
    w->beside = hf_workspace_take(space, rows, sizeof *w->beside);
    w->from = hf_take_pose(w->planner), w->to = hf_take_pose(w->planner);
    w->scratch = hf_take_pose(w->planner);
    if (!w->wished) return false;
    w->roots = w->wished + rows;
    return w->along && w->q && w->beside;
}

static bool take_memory(hf_walk* w) {
    size_t rows = HF_WALK_KNOTS + 1, width = (size_t)w->planner->world.view->q_count;
    hf_workspace* space = w->planner->tools.workspace;
    bool taken = take_steps(&w->steps, w, space) && take_level(&w->level, rows, space) &&
                 take_press(&w->press, rows, space) && take_limbs(w, rows, width, space) &&
                 take_knots(w, rows, width, space);
    return hf_plan_note(w->planner, taken ? HF_OK : HF_ERROR_MEMORY);
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

/* What an attempt has from the one before it at the same steps: nothing, or what knots learnt. */
typedef enum beginning { ANEW, LEARNT } beginning;

/* What rounds learn begins anew, unless it goes on from an attempt at the same steps. */
static void begin_rounds(hf_walk* w, double crouch, beginning from) {
    size_t rows = (size_t)(w->last + 1);
    w->press.unheld = 0;
    w->posed = 0, w->level.crouch = crouch * w->height;
    for (int k = 0; k <= w->last; k++)
        w->level.ceiling[k] = w->level.wish[k] - w->level.crouch, w->level.floor[k] = -INFINITY;
    if (from != ANEW) return;
    w->counter.rounds = COUNTER_ROUNDS;
    memset(w->press.learnt, 0, sizeof *w->press.learnt * rows);
    memset(w->counter.share, 0, sizeof *w->counter.share * rows);
    memset(w->press.inward, 0, sizeof *w->press.inward * rows);
}

static verdict attempt(hf_walk* w, double crouch, beginning from) {
    w->spares = !w->is_long && w->planner->world.spares != HF_SPARE_NONE;
    if (!hf_footsteps_time(w) || !find_regions(w)) return FAILS;
    hf_walk_tuck_time(w);
    hf_walk_wish(w);
    hf_walk_arcs(w);
    begin_rounds(w, crouch, from);
    int fewest = INT_MAX, since = 0;
    verdict v = PRESSES_ELSEWHERE;
    for (int round = 0; since < PATIENCE && v == PRESSES_ELSEWHERE; round++) {
        if (!find_sparing_curve(w)) return hf_plan_ok(w->planner) ? PRESSES_ELSEWHERE : FAILS;
        if (!hf_walk_poses(w)) return hf_plan_ok(w->planner) ? UNREACHED : FAILS;
        if (round == 0 && leg_meets_body(w, judge_knots(w))) return COLLIDES;
        if (round == 0) hf_walk_tuck_all(w);
        if (round == 0 && is_much_too_fast(w)) return TOO_FAST;
        v = judge_wrenches(w);
        if (v == PRESSES_ELSEWHERE && w->counter.rounds > 0) {
            hf_walk_counter_learn(w);
            w->counter.rounds--;
            continue;
        }
        if (FAR_OFF * w->press.unheld > w->last) break;
        since = w->press.unheld < fewest ? 0 : since + 1;
        fewest = w->press.unheld < fewest ? w->press.unheld : fewest;
    }
    if (v == PRESSES_ELSEWHERE) judge_speeds(w);
    if (v == HOLDS) v = judge_speeds(w);
    return v == HOLDS ? judge_knots(w) : v;
}

/* Where limbs hold at a knot, or a single one will when its swing ends. */
static int holds_of_stance(const hf_walk* w, int knot, hf_plan_hold* holds) {
    int count = hf_walk_holds(w, hf_walk_phase(w, knot), holds), limb = hf_walk_swings(w, knot);
    if (limb >= 0 && !w->steps.together) holds[count++] = w->steps.all[hf_walk_step(w, limb, knot)].hold;
    return count;
}

/* A stance of the walk, from one knot to another; the knots of the start's stance come before the first. */
static bool adopt(const hf_walk* w, int first, int last, int guide_index) {
    hf_planner* p = w->planner;
    hf_plan_node* child = &p->tree.nodes[p->tree.node_count];
    child->first_knot = p->tree.knots.count;
    for (int k = first > w->steps.phases[1] ? first : 0; k <= last; k++) {
        hf_pose pose = hf_walk_pose(w, k);
        int node = k < first ? p->tree.node_index : p->tree.node_count;
        int swing = w->steps.together ? -1 : hf_walk_swings(w, k);
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
    for (int i = 1; i <= w->steps.phase_count; i++) {
        int knot = i < w->steps.phase_count ? w->steps.phases[i] : w->last + 1;
        bool lands = false;
        for (int s = 0; s < w->steps.count; s++) {
            lands |= w->steps.all[s].land == knot && !w->steps.together;
            if (w->steps.all[s].land < knot) guide_index = w->steps.all[s].guide_index;
        }
        if (lands) continue;
        if (i > 1 && !adopt(w, w->steps.phases[first], knot - 1,
                            i == w->steps.phase_count ? w->guide_index : guide_index))
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
            if (w->steps.together ? !hf_link_in_limb(world->creature, link, w->steps.all[i].limb)
                                  : !is_of_leg(world, hit->body))
                continue;
            w->steps.all[i].raised++;
            return true;
        }
    return false;
}

/* Where limbs do not reach at the knot, lets the foot that leaves next and stands flat there, or has just
   begun to roll, roll over its toes sooner: its ankle does not let the body go lower or farther ahead. False
   where it cannot. */
static bool roll_sooner(hf_walk* w, int knot) {
    if (w->steps.together || hf_walk_is_level(w)) return false;
    int i = 0;
    while (i < w->steps.count && w->steps.all[i].lift < knot) i++;
    if (i == w->steps.count) return false;
    hf_footstep* s = &w->steps.all[i];
    const hf_footstep* old = hf_walk_stood(w, s->limb, s->lift);
    if (old->toes.at.limb < 0 || old->land > knot || s->sooner == MOST_SOONER) return false;
    s->sooner++;
    return true;
}

/* Steps to blame for knots that are not held, or too fast, while a limb that stands wants the body higher, so
   that it goes down in haste afterwards: the limb rolls sooner. */
static bool roll_hasty_sooner(hf_walk* w) {
    bool sooner = false;
    for (int i = 0; i < w->steps.count; i++) {
        int k = w->steps.all[i].lift, land = w->steps.all[i].land;
        while (k <= land && w->level.floor[k] == -INFINITY) k++;
        if (w->steps.all[i].blamed && k <= land && roll_sooner(w, k)) sooner = true;
    }
    return sooner;
}

/* Changes one thing that may mend the walk: a step that meets the scene goes higher, a limb that does not
   walk and meets something is drawn in, a foot that keeps the body from where it should be rolls sooner.
   False where nothing is left to change. */
static bool mend(hf_walk* w, verdict v, int* raised) {
    if (v == COLLIDES && ++*raised > MOST_RAISED) return false;
    if (v == COLLIDES) return raise_step(w) || hf_walk_tuck_in(w);
    if (v == PRESSES_ELSEWHERE || v == TOO_FAST) return roll_hasty_sooner(w);
    return v == UNREACHED && roll_sooner(w, w->stop);
}

/* At one pace, with what mends the walk, as long as that lets it come farther or mends it in a few attempts.
 */
static verdict try_pace(hf_walk* w, double crouch, beginning from) {
    verdict v = attempt(w, crouch, from);
    for (int raised = 0, farthest = -1, in_vain = 0;
         v != HOLDS && in_vain < PATIENCE && mend(w, v, &raised);) {
        bool farther = v == UNREACHED && w->stop > farthest;
        farthest = farther ? w->stop : farthest;
        in_vain += !farther && v != COLLIDES;
        v = attempt(w, crouch, LEARNT);
    }
    return v;
}

/* The knots at which the first limbs that swing together leave and land, and the walk's ends. */
static int list_times(const hf_walk* w, int* times) {
    int count = 0;
    times[count++] = 0;
    for (int i = 0; i < w->steps.count; i++)
        if (w->steps.all[i].with == i || w->steps.all[i].with < 0)
            times[count++] = w->steps.all[i].lift, times[count++] = w->steps.all[i].land;
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
    memset(w->press.inward, 0, sizeof *w->press.inward * (size_t)(w->last + 1));
    w->counter.rounds = 1;
    // no knot comes sooner than before, so that the last ones go first
    for (int k = w->last; k >= 0; k--) {
        while (i > 0 && now[i] > k) i--;
        double at = old[i] + (double)(k - now[i]) / (now[i + 1] - now[i]) * (old[i + 1] - old[i]);
        int a = (int)at, b = at > a ? a + 1 : a;
        w->counter.share[k] = w->counter.share[a] + (at - a) * (w->counter.share[b] - w->counter.share[a]);
        for (int x = 0; x < 2; x++)
            w->press.learnt[k][x] =
                w->press.learnt[a][x] + (at - a) * (w->press.learnt[b][x] - w->press.learnt[a][x]);
    }
    return true;
}

/* Steps that are to blame become slower, or all where none is or too much is wrong; those whose joints are
   too fast by as much as these are, those that swing together by the same. Over uneven ground the steps
   beside those to blame also do after a few paces, as each of them passes its trouble on to the next. False
   where one would be slower than a walk may be. */
static bool slow_down(hf_walk* w, verdict v, int pace) {
    bool far_off = FAR_OFF * w->press.unheld > w->last, good = true;
    bool all = v == PRESSES_ELSEWHERE && (w->press.unheld == 0 || far_off);
    bool spreads =
        pace >= ALONE && v == PRESSES_ELSEWHERE && w->to.root.position.z < w->from.root.position.z - HF_SKIN;
    double slowest = w->planner->world.options->walk_slowest * (w->steps.together ? SLOWEST_TOGETHER : 1);
    for (int i = 0; i < w->steps.count; i++) {
        hf_footstep* s = &w->steps.all[i];
        bool beside = spreads && ((i > 0 && s[-1].blamed) || (i + 1 < w->steps.count && s[1].blamed));
        if (all || s->blamed || beside) s->slower *= fmax(SLOWER, s->too_fast);
        good = good && s->slower <= slowest;
    }
    return good;
}

/* The walk with one stride, each step at the first pace at which all hold. */
static verdict try_paces(hf_walk* w, double crouch) {
    hf_planner* p = w->planner;
    verdict v = FAILS;
    for (int i = 0; i < w->steps.count; i++) {
        hf_footstep* s = &w->steps.all[i];
        double rise = s->hold.at.point.z - hf_walk_stood(w, s->limb, s->lift - 1)->hold.at.point.z;
        s->slower = (w->sway.stiff ? STIFF_PACE : 1) +
                    SLOWER_DOWN * fmax(0, -rise) / p->world.view->limbs[s->limb].length;
    }
    memset(w->tuck.limbs, 0, sizeof *w->tuck.limbs * (size_t)p->world.view->limb_count);
    for (int i = 0, failed = 0; i < MOST_ATTEMPTS && failed < MOST_FAILED && hf_plan_ok(p); i++) {
        bool near = i > 0 && v == PRESSES_ELSEWHERE && NEARLY * w->press.unheld <= w->last;
        if (!hf_workspace_goes_on(p->tools.workspace) ||
            p->tree.walk_knots <= w->floor + (w->reserve - w->floor) / (near ? 4 : 1))
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

/* The guide pose of the last step before the one in which the walk stopped; that of the node where this was
   one of the first. */
static int came_to(const hf_walk* w) {
    int landed = 0;
    while (landed < w->steps.count && w->steps.all[landed].land <= w->stop) landed++;
    return landed > w->node->hold_count ? w->steps.all[landed - 1].guide_index : w->node->guide_index;
}

/* Ends the walk before the step in which it collides, unless that is one of the first. */
static void end_before(hf_walk* w) {
    int came = came_to(w);
    if (came > w->node->guide_index) w->farthest = came;
}

/* The walk with the steps that were found. */
static verdict try_heights(hf_walk* w) {
    verdict v = PRESSES_ELSEWHERE;
    if (!find_ends(w) || !hf_walk_counter_find(w)) return FAILS;
    hf_walk_sway_find(w);
    hf_walk_line_find(w);
    for (int c = 0; c < CROUCH_TRIES && v != HOLDS && v != COLLIDES; c++) {
        if (v == UNREACHED && hf_walk_is_level(w)) break; // lower bodies were tried
        v = try_paces(w, c * w->planner->world.options->walk_crouch);
    }
    return v;
}

/* The step at fault for what stopped the walk: a limb that does not reach in the first half of its way is too
   far behind, since the limb before it stepped too far ahead. */
static int failed_step(const hf_walk* w, verdict v) {
    int i = (int)(step_at(w, w->stop) - w->steps.all);
    return v == UNREACHED && i > 0 && 2 * w->stop < w->steps.all[i].lift + w->steps.all[i].land ? i - 1 : i;
}

/* Steps of one longest stride: where legs meet, feet are put farther apart if that makes a difference; else a
   step that collides or that limbs do not reach is barred, and others are found in its place. Over uneven
   ground a step that limbs do not reach is barred only when `thorough`: shorter strides come first. `tried`
   says which steps the stride before had: their parts, their end and the barred steps then. */
static verdict try_stride(hf_walk* w, double stride, bool thorough, int tried[3]) {
    hf_planner* p = w->planner;
    verdict v = FAILS;
    w->steps.apart = false;
    w->reserve = w->floor + (p->tree.walk_knots - w->floor) / 2;
    for (int i = 0; i < MOST_BARRED && hf_plan_ok(p) && p->tree.walk_knots > w->reserve; i++) {
        p->progress.work++;
        if (!hf_footsteps_find(w, stride)) return FAILS;
        int bars = p->tree.barred_count;
        if (i == 0 && w->steps.parts == tried[0] && w->guide_index == tried[1] && bars == tried[2])
            return FAILS;
        tried[0] = w->steps.parts, tried[1] = w->guide_index, tried[2] = bars;
        v = try_heights(w);
        if (v != COLLIDES && v != UNREACHED) return v;
        int came = came_to(w);
        w->came = came > w->came ? came : w->came;
        if (legs_meet(w, v) && !w->steps.apart)
            w->steps.apart = true;
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
        for (int i = 0; i < STRIDE_TRIES && hf_plan_ok(p) && p->tree.walk_knots > w->floor; i++) {
            verdict v = try_stride(w, STRIDES[i] * natural, thorough, tried);
            if (v == HOLDS) return true;
            if (v == COLLIDES && p->tools.hit.other_body < 0) end_before(w);
        }
    }
    return false;
}

/* Groups of the gait first, where the other limbs could hold the body, then one limb at a time. */
static bool find_to(hf_walk* w, int farthest) {
    double natural = hf_walk_natural_stride(&w->planner->world);
    double longer = hf_walk_longer_together(&w->planner->world);
    w->farthest = farthest, w->came = w->node->guide_index;
    w->steps.together = longer > 0;
    if (w->steps.together && find_with(w, longer * natural)) return true;
    w->farthest = farthest;
    w->steps.together = false;
    return find_with(w, natural);
}

/* Guide poses of so many strides. */
static int poses_of(const hf_plan_world* w, int strides) {
    return (int)(strides * hf_walk_natural_stride(w) / (HF_GUIDE_STEP * w->model->size));
}

int hf_walk_budget(const hf_plan_world* w) {
    int times = 1 + w->guide_count / (1 + poses_of(w, LONG));
    int most = w->options->walk_knots / (1 + w->attempt);
    return most <= INT_MAX / times ? most * times : INT_MAX;
}

/* Where a step failed: the way to before it, but no more than three quarters of the way and no less than a
   quarter. */
static int shorter(const hf_walk* w, int way) {
    int came = w->came - w->node->guide_index, least = way / 4;
    return came > 3 * least ? 3 * least : came < least ? least : came;
}

/* The whole way; where one of its steps fails, the way to before that step. Of the work of one walk a long
   way may use up a quarter of what is left; a way that is not long all of it; and where that fails, too, the
   way to before its failed step has a quarter of a walk's work on top, which the next walk lacks. On a long
   way feet press where they can and spare no toes: each of its steps may fail. */
static bool find_walk(hf_walk* w) {
    hf_planner* p = w->planner;
    int from = w->node->guide_index, way = p->world.guide_count - 1 - from;
    int once = p->world.options->walk_knots / (1 + p->world.attempt);
    int lowest = p->tree.walk_knots > once ? p->tree.walk_knots - once : 0;
    w->is_long = way > poses_of(&p->world, LONG);
    for (; way > poses_of(&p->world, LONG); way = shorter(w, way)) {
        w->floor = lowest + (p->tree.walk_knots - lowest) / 4 * 3;
        if (find_to(w, from + way)) return true;
    }
    w->floor = lowest;
    if (find_to(w, from + way)) return true;
    w->floor = lowest - once / 4;
    return way > poses_of(&p->world, SHORT) && find_to(w, from + shorter(w, way));
}

bool hf_walk_on(hf_planner* p) {
    if (p->tree.node_count + HF_WALK_PHASES > HF_MAX_STANCES || p->tree.walk_knots <= 0) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_walk w = {.planner = p, .node = &p->tree.nodes[p->tree.node_index]};
    int knots = p->tree.knots.count;
    bool found = take_memory(&w) && find_walk(&w) && adopt_all(&w);
    if (!found) p->tree.knots.count = knots;
    hf_workspace_end(p->tools.workspace, mark);
    return found;
}
