/* Poses for a stance: the whole-body solver keeps the holds and brings the centre of mass over what carries
   it, near a wish for the root. The trunk stays at rest unless it must bend (a seat that is held fixes the
   root). Where that collides, limbs without contact get out of the way, then bodies are drawn about the wish,
   farther and farther from it. */
#include "plan/family.h"

#include "base/workspace.h"
#include "space/root_space.h"

#include <math.h>
#include <string.h>

enum { STRIDES = 4, DRAW_STREAM = 0x7370 }; /* steps towards a wish */
static const double SHAKE = 0.4;            /* rad: other starts of limbs that hold */

/* Balance that is aimed at, in those that are asked for: with m metres a body of height h bears accelerations
   of m / h g, and limbs whose swings it hardly bears are slow or cannot be swung. */
static const double AIMED = 4;
static double aimed_margin(const hf_planner* p, double margin) {
    return AIMED * fmax(margin, hf_pose_margin(p));
}

/* The whole-body solver from the pose; `stiff` leaves the trunk and limbs without contact as they are. */
static bool settle_from(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                        double margin, hf_transform wish, bool stiff, hf_pose* pose) {
    hf_target targets[HF_MAX_HOLDS];
    for (int i = 0; i < count; i++) targets[i] = hf_hold_target(&holds[i]);
    hf_body_solve_options o = hf_body_solve_options_default();
    hf_stance_wish balance = {stance, aimed_margin(p, margin)};
    o.guide = &wish;
    o.balance = hf_stance_balance;
    o.balance_user = &balance;
    o.move_trunk = !stiff;
    o.move_free = false;
    o.solve.max_starts = 1;
    o.solve.max_iterations = 40;
    double reached = -INFINITY, before;
    do { // the wish is weighed against balance: where it wins, it is given up for where it led
        hf_solve_result r;
        hf_vec3 pull;
        hf_status status =
            hf_body_solve(p->world.creature, targets, count, &o, p->tools.workspace, pose, NULL, &r);
        if (!hf_plan_note(p, status) || r.outcome != HF_FOUND || !hf_holds_keep(p, holds, count, pose, &pull))
            return false;
        before = reached, reached = hf_stance_margin(stance, hf_com_at(p, pose));
        wish = pose->root;
    } while (reached < margin && reached > before + margin / 4);
    return reached >= margin;
}

/* The root over what carries it, limbs a little bent. */
static void stand_over(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                       double margin, hf_pose* pose) {
    hf_stance_wish over = {stance, aimed_margin(p, margin)};
    hf_vec3 shift;
    hf_stance_balance(&over, hf_com_at(p, pose), &shift);
    pose->root.position =
        hf_add(pose->root.position, hf_v3(shift.x, shift.y, -HF_SMALL_SHIFT * p->world.model->size));
    for (int i = 0; i < count; i++) hf_limb_loosen(p->world.creature, holds[i].at.limb, pose->q);
}

bool hf_stance_pose_exists(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                           double margin, bool over, hf_pose* pose, double* found) {
    hf_transform wish = pose->root;
    if (over) stand_over(p, holds, count, stance, margin, pose);
    bool good = settle_from(p, holds, count, stance, margin, wish, true, pose);
    *found = hf_stance_margin(stance, hf_com_at(p, pose));
    return good;
}

/* The trunk and limbs without a contact go back to rest. */
static void relax(const hf_plan_world* w, const hf_plan_hold* holds, int count, hf_pose* pose) {
    for (int l = 0; l < w->view->limb_count; l++)
        if (hf_limb_idle(w, holds, count, l)) hf_limb_copy(w, l, w->home, pose->q);
    for (int j = 0; j < w->view->joint_count; j++) {
        const hf_joint* joint = &w->view->joints[j];
        if (!w->model->loose_joint[j]) continue;
        memcpy(pose->q + joint->q_index, w->home + joint->q_index, sizeof(double) * (size_t)joint->q_count);
    }
    hf_pose_follow(w->creature, pose->q);
}

/* One question, with what is known of its answer. */
typedef struct search {
    hf_planner* planner;
    const hf_plan_hold* holds;
    int count;
    const hf_stance* stance;
    double margin;
    hf_transform wish;
    const hf_plan_hold* leaving;
    hf_pose from, relaxed; /* the pose to start from, and the same with trunk and free limbs at rest */
    hf_pose scratch;
    hf_transform middle; /* of draws: where the solver settled, or the wish */
    bool settled;
    hf_vec3 away; /* from what was hit last, unit or zero */
} search;

/* A grip turns while it is held; the hand turns back to how it came, where it was free, as far as it can. */
static void turn_back(search* s, const hf_plan_hold* grip, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_target t = hf_hold_target(grip);
    t.kind = HF_TARGET_POSE;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    hf_solve_result r;
    hf_pose_copy(&p->world, pose, &s->scratch);
    hf_forward(p->world.creature, pose, p->tools.links);
    int base = p->world.view->limbs[grip->at.limb].base_link;
    hf_status status =
        hf_limb_solve(p->world.creature, &p->tools.links[base], &t, &o, p->tools.workspace, s->scratch.q, &r);
    if (hf_plan_note(p, status) && r.outcome == HF_FOUND) hf_pose_copy(&p->world, &s->scratch, pose);
}

/* A balanced pose that keeps its holds: is it free, and can the limb leave? */
static bool accept(search* s, hf_pose* pose) {
    hf_planner* p = s->planner;
    for (int i = 0; i < s->count; i++)
        if (s->holds[i].at.grip) turn_back(s, &s->holds[i], pose);
    hf_collision hit;
    if (!hf_spares_clear(p, s->holds, s->count, s->leaving ? s->leaving->at.limb : -1, s->from.q, pose,
                         &hit)) {
        hf_plan_hit(p, &hit);
        s->away = hit.other_body < 0 ? hit.surface.normal : hf_v3(0, 0, 0);
        return false;
    }
    return hf_stance_margin(s->stance, hf_com_at(p, pose)) >= s->margin &&
           (!s->leaving || hf_segment_lifts(p, s->leaving, pose));
}

static void loosen(const search* s, hf_pose* pose) {
    for (int i = 0; i < s->count; i++)
        hf_limb_loosen(s->planner->world.creature, s->holds[i].at.limb, pose->q);
}

static bool is_elsewhere(const search* s) {
    return hf_distance(s->from.root.position, s->wish.position) >=
               HF_SMALL_SHIFT * s->planner->world.model->size ||
           hf_quat_angle(s->from.root.rotation, s->wish.rotation) >= HF_SMALL_TURN;
}

/* Towards the wish in strides, limbs bent: on its way there the solver may have straightened a limb, which
   then does not bend again. The pose stays where that leads no nearer. */
static void settle_nearer(search* s, const hf_pose* from, hf_transform wish, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_pose* near = &s->scratch;
    hf_vec3 pull;
    hf_pose_copy(&p->world, from, near);
    loosen(s, near);
    for (int i = 1; i <= STRIDES; i++) {
        near->root = hf_root_between(&s->from.root, &wish, (double)i / STRIDES);
        hf_holds_near(p, s->holds, s->count, near, &pull);
    }
    double aim = aimed_margin(p, s->margin);
    if (hf_body_settle(p, s->holds, s->count, s->stance, s->margin, aim, near) &&
        hf_distance(near->root.position, wish.position) <= hf_distance(pose->root.position, wish.position))
        hf_pose_copy(&p->world, near, pose);
}

/* Limbs alone with the root at the wish, the root giving way; where that does not settle the solver near the
   wish, from the pose, then from one that stands over what carries it. */
static bool solve(search* s, bool stiff, const hf_pose* from, double lower, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_transform down = {hf_v3(0, 0, -lower * p->world.model->size), hf_quat_identity()};
    hf_transform wish = hf_compose(s->wish, down);
    double aim = aimed_margin(p, s->margin);
    hf_pose_copy(&p->world, from, pose);
    pose->root = wish;
    bool settled = stiff && hf_body_settle(p, s->holds, s->count, s->stance, s->margin, aim, pose);
    for (int i = 0; i < 2 && !settled && hf_plan_ok(p); i++) {
        hf_pose_copy(&p->world, from, pose);
        if (i) stand_over(p, s->holds, s->count, s->stance, s->margin, pose);
        settled = settle_from(p, s->holds, s->count, s->stance, s->margin, wish, stiff, pose);
    }
    if (!settled) return false;
    if (pose->root.position.z - wish.position.z > HF_SMALL_SHIFT * p->world.model->size)
        settle_nearer(s, from, wish, pose);
    if (!s->settled) s->middle = pose->root;
    s->settled = true;
    return accept(s, pose);
}

/* Other starts of the limbs that hold: elbows may turn out. */
static void shake(const search* s, hf_random* random, double* q) {
    const hf_plan_world* w = &s->planner->world;
    for (int i = 0; i < s->count; i++) {
        const hf_limb* limb = &w->view->limbs[s->holds[i].at.limb];
        // a limb of few joints would come out in a posture to which no way leads
        for (int k = 0; k < limb->joint_count && hf_hold_is_loose(w, &s->holds[i]); k++) {
            const hf_joint* j = &w->view->joints[limb->joints[k]];
            if (j->q_count != 1) continue;
            double moved = q[j->q_index] + hf_random_between(random, -SHAKE, SHAKE);
            q[j->q_index] = fmin(j->upper, fmax(j->lower, moved));
        }
    }
    hf_pose_follow(w->creature, q);
}

/* Creature heights, from half a small shift to two large ones; near the wish first. */
static double drawn_size(double part) {
    return HF_SMALL_SHIFT / 2 + part * part * (2 * HF_LARGE_SHIFT - HF_SMALL_SHIFT / 2);
}

/* The solver with a drawn wish: slower, but it finds what is far from the wish. */
static bool draw_solved(search* s, hf_random* random, int number, double part, hf_pose* pose) {
    hf_planner* p = s->planner;
    bool stiff = number % 8 < 4;
    hf_pose_copy(&p->world, stiff ? &s->relaxed : &s->from, pose);
    hf_transform wish = hf_compose(s->wish, hf_body_shift(&p->world, random, drawn_size(part)));
    loosen(s, pose);
    return settle_from(p, s->holds, s->count, s->stance, s->margin, wish, stiff, pose);
}

/* A body about the wish; `part` of the way from the smallest to the largest draws. */
static bool draw(search* s, hf_random* random, int number, double part, hf_pose* pose) {
    hf_planner* p = s->planner;
    if (number % 4 == 3) return draw_solved(s, random, number, part, pose);
    double size = drawn_size(part);
    hf_pose_copy(&p->world, number % 2 ? &s->from : &s->relaxed, pose);
    pose->root = s->middle;
    if (!s->settled) {
        // the start keeps its holds: between there and the wish
        double t = hf_random_unit(random);
        pose->root = hf_root_between(&s->from.root, &s->wish, t);
    }
    pose->root = hf_compose(pose->root, hf_body_shift(&p->world, random, size));
    double push = hf_random_unit(random) * size * p->world.model->size;
    pose->root.position = hf_add(pose->root.position, hf_scale(s->away, push));
    if (number % 3) hf_body_bend(&p->world, random, part, pose->q);
    if (number % 4 == 2) shake(s, random, pose->q);
    if (number % 4) loosen(s, pose);
    hf_stance_wish over = {s->stance, aimed_margin(p, s->margin)};
    hf_vec3 shift;
    hf_stance_balance(&over, hf_com_at(p, pose), &shift);
    pose->root.position = hf_add(pose->root.position, shift);
    return hf_body_settle(p, s->holds, s->count, s->stance, s->margin, over.margin_m, pose);
}

/* Where the body is wished elsewhere than it is, a contorted pose there is worth less than a good one on the
   way: then only the first third is drawn. Where a quarter of the draws kept no holds, none will. */
static bool draw_all(search* s, hf_pose* pose) {
    hf_planner* p = s->planner;
    int draws = p->world.options->draws, count = is_elsewhere(s) ? (draws + 2) / 3 : draws, settled = 0;
    hf_random random = hf_body_draws(p, DRAW_STREAM);
    for (int i = 0; i < count && hf_plan_ok(p); i++) {
        if (draw(s, &random, i, (double)i / draws, pose)) {
            settled++;
            if (accept(s, pose)) return true;
        }
        if (settled == 0 && 4 * (i + 1) >= draws) return false;
    }
    return false;
}

static bool root_is_fixed(const hf_plan_world* w, const hf_plan_hold* holds, int count) {
    for (int i = 0; i < count; i++)
        if (w->view->limbs[holds[i].at.limb].joint_count == 0) return true;
    return false;
}

/* Of a body that is bent: from how it is, trunk and all; then from the library's postures that are bent as
   far as the wish, put there. */
static bool solve_bent(search* s, hf_pose* pose) {
    hf_planner* p = s->planner;
    if (!hf_bent_posture(&p->world, s->wish, 0)) return false;
    if (solve(s, false, &s->from, 0, pose)) return true;
    for (int i = 0; i < 2 && hf_plan_ok(p); i++) {
        const double* q = hf_bent_posture(&p->world, s->wish, i);
        if (!q) return false;
        hf_pose_copy(&p->world, &(hf_pose){s->wish, (double*)q}, &s->relaxed);
        if (solve(s, false, &s->relaxed, 0, pose)) return true;
    }
    return false;
}

/* How long a pose is looked for: as it is given, by the solver near it, or by draws as well. */
typedef enum effort { AS_GIVEN, EASY, LONG } effort;

static bool find(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, double margin,
                 hf_transform wish, const hf_plan_hold* leaving, effort most, hf_pose* pose) {
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    search s = {.planner = p,
                .holds = holds,
                .count = count,
                .stance = stance,
                .margin = margin,
                .wish = wish,
                .leaving = leaving,
                .from = hf_take_pose(p),
                .relaxed = hf_take_pose(p),
                .scratch = hf_take_pose(p)};
    bool good = false;
    if (hf_plan_ok(p)) {
        hf_pose_copy(&p->world, pose, &s.from);
        hf_pose_copy(&p->world, pose, &s.relaxed);
        relax(&p->world, holds, count, &s.relaxed);
        good = most == AS_GIVEN ? solve(&s, false, &s.from, 0, pose)
                                : solve(&s, true, &s.relaxed, 0, pose) ||
                                      (!s.settled && solve(&s, true, &s.from, HF_SMALL_SHIFT, pose));
        if (!good && most != AS_GIVEN) good = solve_bent(&s, pose);
        // a body that the solver never settles is not there; one that collides may be free beside its pose
        if (!good && most == LONG)
            good = solve(&s, false, &s.from, 0, pose) ||
                   (s.settled && !root_is_fixed(&p->world, holds, count) && draw_all(&s, pose));
    }
    hf_workspace_end(p->tools.workspace, mark);
    return good && hf_plan_ok(p);
}

bool hf_stance_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose) {
    return find(p, holds, count, stance, margin, wish, leaving, LONG, pose);
}

bool hf_stance_pose_easy(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose) {
    return find(p, holds, count, stance, margin, wish, leaving, EASY, pose);
}

bool hf_stance_pose_from(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, const hf_plan_hold* leaving, hf_pose* pose) {
    return find(p, holds, count, stance, margin, pose->root, leaving, AS_GIVEN, pose);
}
