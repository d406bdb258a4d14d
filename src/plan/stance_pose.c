/* Poses for a stance: the whole-body solver keeps the holds and brings the centre of mass over what carries
   it, near a wish for the root. The trunk stays at rest unless it must bend (a seat that is held fixes the
   root). Where that collides, limbs without contact get out of the way, then bodies are drawn about the wish,
   farther and farther from it. */
#include "plan/planner.h"

#include "base/workspace.h"
#include "space/root_space.h"

#include <math.h>
#include <string.h>

enum { STRIDES = 4, DRAWS = 32, NEAR_DRAWS = 12, VAIN_DRAWS = 8, DRAW_STREAM = 0x7370 };
/* Sizes of draws, creature heights; bends of the trunk begin after a part of them. */
static const double LEAST_DRAW = 0.015, MOST_DRAW = 0.24, BEND_AFTER = 0.3;
static const double HERE = 0.03, HERE_RAD = 0.1; /* creature heights: the wish is where the body is */
static const double SHAKE = 0.4;                 /* rad: other starts of limbs that hold */

/* Balance that is aimed at, creature heights. */
static const double GOOD_MARGIN = 0.012;
static const double ASTRAY = 0.03; /* creature heights: higher than wished because limbs are straight */
static const double LOOSE = 0.03;  /* creature heights: lower with bent limbs */

static hf_vec3 com_of(hf_planner* p, const hf_pose* pose) {
    hf_forward(p->creature, pose, p->links);
    return hf_com(p->creature, p->links);
}

/* The whole-body solver from the pose; `stiff` leaves the trunk and limbs without contact as they are. */
static bool settle_from(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                        double margin, hf_transform wish, bool stiff, hf_pose* pose) {
    hf_target targets[HF_MAX_HOLDS];
    for (int i = 0; i < count; i++) targets[i] = hf_hold_target(&holds[i]);
    hf_body_solve_options o = hf_body_solve_options_default();
    hf_stance_wish balance = {stance, fmax(2 * margin, GOOD_MARGIN * p->view->height)};
    o.guide = &wish;
    o.balance = hf_stance_balance;
    o.balance_user = &balance;
    o.move_trunk = !stiff;
    o.move_free = false;
    o.solve.max_starts = 1;
    o.solve.max_iterations = 40;
    hf_solve_result r;
    if (hf_body_solve(p->creature, targets, count, &o, p->workspace, pose, NULL, &r) != HF_OK) {
        p->out_of_memory = true;
        return false;
    }
    hf_vec3 pull;
    return r.outcome == HF_FOUND && hf_holds_keep(p, holds, count, -1, pose, &pull) &&
           hf_stance_margin(stance, com_of(p, pose)) >= margin;
}

/* The root over what carries it, limbs a little bent. */
static void stand_over(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                       double margin, hf_pose* pose) {
    hf_stance_wish over = {stance, fmax(2 * margin, GOOD_MARGIN * p->view->height)};
    hf_vec3 shift;
    hf_stance_balance(&over, com_of(p, pose), &shift);
    pose->root.position = hf_add(pose->root.position, hf_v3(shift.x, shift.y, -LOOSE * p->view->height));
    for (int i = 0; i < count; i++) hf_limb_loosen(p->creature, holds[i].at.limb, pose->q);
}

/* From the pose, then from one that stands over what carries it. */
static bool settle(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                   double margin, hf_transform wish, bool stiff, hf_pose* pose) {
    size_t bytes = sizeof(double) * (size_t)p->view->q_count;
    hf_pose from = {pose->root, p->q_g};
    memcpy(from.q, pose->q, bytes);
    if (settle_from(p, holds, count, stance, margin, wish, stiff, pose)) return true;
    if (p->out_of_memory) return false;
    pose->root = from.root;
    memcpy(pose->q, from.q, bytes);
    stand_over(p, holds, count, stance, margin, pose);
    return settle_from(p, holds, count, stance, margin, wish, stiff, pose);
}

bool hf_stance_pose_exists(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                           double margin, bool over, hf_pose* pose, double* found) {
    hf_transform wish = pose->root;
    if (over) stand_over(p, holds, count, stance, margin, pose);
    bool good = settle_from(p, holds, count, stance, margin, wish, true, pose);
    *found = hf_stance_margin(stance, com_of(p, pose));
    return good;
}

/* The trunk and limbs without a contact go back to rest. */
static void relax(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose) {
    for (int l = 0; l < p->view->limb_count; l++) {
        const hf_limb* limb = &p->view->limbs[l];
        if (!hf_limb_idle(p, holds, count, l)) continue;
        for (int i = 0; i < limb->joint_count; i++) {
            const hf_joint* j = &p->view->joints[limb->joints[i]];
            memcpy(pose->q + j->q_index, p->home + j->q_index, sizeof(double) * (size_t)j->q_count);
        }
    }
    for (int j = 0; j < p->view->joint_count; j++) {
        const hf_joint* joint = &p->view->joints[j];
        if (!p->model->loose_joint[j]) continue;
        memcpy(pose->q + joint->q_index, p->home + joint->q_index, sizeof(double) * (size_t)joint->q_count);
    }
    hf_pose_follow(p->creature, pose->q);
}

/* A grip turns while it is held; the hand turns back to how it came, where it was free, as far as it can. */
static void turn_back(hf_planner* p, const hf_plan_hold* grip, hf_pose* pose) {
    hf_target t = hf_hold_target(grip);
    t.kind = HF_TARGET_POSE;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    hf_solve_result r;
    memcpy(p->q_g, pose->q, sizeof(double) * (size_t)p->view->q_count);
    hf_forward(p->creature, pose, p->links);
    if (hf_limb_solve(p->creature, &p->links[p->view->limbs[grip->at.limb].base_link], &t, &o, p->workspace,
                      p->q_g, &r) != HF_OK)
        p->out_of_memory = true;
    else if (r.outcome == HF_FOUND)
        memcpy(pose->q, p->q_g, sizeof(double) * (size_t)p->view->q_count);
}

/* One question. */
typedef struct search {
    hf_planner* planner;
    const hf_plan_hold* holds;
    int count;
    const hf_stance* stance;
    double margin;
    hf_transform wish;
    const hf_plan_hold* leaving;
    hf_transform root; /* of the pose to start from */
    double *from, *relaxed;
    hf_transform middle; /* of draws: where the solver settled, or the wish */
    bool settled;
    hf_vec3 away; /* from what was hit last, unit or zero */
} search;

/* A balanced pose that keeps its holds: is it free, and can the limb leave? */
static bool accept(search* s, hf_pose* pose) {
    hf_planner* p = s->planner;
    for (int i = 0; i < s->count; i++)
        if (s->holds[i].at.grip) turn_back(p, &s->holds[i], pose);
    hf_collision hit;
    if (!hf_spares_clear(p, s->holds, s->count, s->leaving ? s->leaving->at.limb : -1, s->from, pose, &hit)) {
        s->away = hit.other_body < 0 ? hit.surface.normal : hf_v3(0, 0, 0);
        return false;
    }
    return hf_stance_margin(s->stance, com_of(p, pose)) >= s->margin &&
           (!s->leaving || hf_segment_lifts(p, s->leaving, pose));
}

static void start_from(const search* s, const double* q, hf_pose* pose) {
    pose->root = s->root;
    memcpy(pose->q, q, sizeof(double) * (size_t)s->planner->view->q_count);
}

static bool is_elsewhere(const search* s) {
    return hf_distance(s->root.position, s->wish.position) >= HERE * s->planner->view->height ||
           hf_quat_angle(s->root.rotation, s->wish.rotation) >= HERE_RAD;
}

/* Towards the wish in strides, limbs bent: on its way there the solver may have straightened a limb, which
   then does not bend again. The pose stays where that leads no nearer. */
static void settle_nearer(const search* s, const double* q, hf_transform wish, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_pose near = {wish, p->q_g};
    hf_vec3 pull;
    memcpy(near.q, q, sizeof(double) * (size_t)p->view->q_count);
    for (int i = 0; i < s->count; i++) hf_limb_loosen(p->creature, s->holds[i].at.limb, near.q);
    for (int i = 1; i <= STRIDES; i++) {
        near.root = hf_root_between(&s->root, &wish, (double)i / STRIDES);
        hf_holds_near(p, s->holds, s->count, &near, &pull);
    }
    double aim = fmax(2 * s->margin, GOOD_MARGIN * p->view->height);
    if (!hf_body_settle(p, s->holds, s->count, s->stance, s->margin, aim, &near) ||
        hf_distance(near.root.position, wish.position) > hf_distance(pose->root.position, wish.position))
        return;
    pose->root = near.root;
    memcpy(pose->q, near.q, sizeof(double) * (size_t)p->view->q_count);
}

/* The solver near the wish. */
static bool solve(search* s, bool stiff, const double* from, double lower, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_transform down = {hf_v3(0, 0, -lower * p->view->height), hf_quat_identity()};
    hf_transform wish = hf_compose(s->wish, down);
    start_from(s, from, pose);
    if (!settle(p, s->holds, s->count, s->stance, s->margin, wish, stiff, pose)) return false;
    if (pose->root.position.z - wish.position.z > ASTRAY * p->view->height)
        settle_nearer(s, from, wish, pose);
    if (!s->settled) s->middle = pose->root;
    s->settled = true;
    return accept(s, pose);
}

/* Other starts of the limbs that hold: elbows may turn out. */
static void shake(const search* s, hf_random* random, double* q) {
    const hf_planner* p = s->planner;
    for (int i = 0; i < s->count; i++) {
        const hf_limb* limb = &p->view->limbs[s->holds[i].at.limb];
        // a limb of few joints would come out in a posture to which no way leads
        for (int k = 0; k < limb->joint_count && hf_hold_is_loose(p, &s->holds[i]); k++) {
            const hf_joint* j = &p->view->joints[limb->joints[k]];
            if (j->q_count != 1) continue;
            double moved = q[j->q_index] + hf_random_between(random, -SHAKE, SHAKE);
            q[j->q_index] = fmin(j->upper, fmax(j->lower, moved));
        }
    }
    hf_pose_follow(p->creature, q);
}

static double drawn_size(double part) { return LEAST_DRAW + part * part * (MOST_DRAW - LEAST_DRAW); }

/* The solver with a drawn wish: slower, but it finds what is far from the wish. */
static bool draw_solved(search* s, hf_random* random, int number, double part, hf_pose* pose) {
    hf_planner* p = s->planner;
    bool stiff = number % 8 < 4;
    start_from(s, stiff ? s->relaxed : s->from, pose);
    hf_transform wish = hf_compose(s->wish, hf_body_shift(p, random, drawn_size(part)));
    for (int i = 0; i < s->count; i++) hf_limb_loosen(p->creature, s->holds[i].at.limb, pose->q);
    return settle_from(p, s->holds, s->count, s->stance, s->margin, wish, stiff, pose);
}

/* A body about the wish; `part` of the way from the smallest to the largest draws. */
static bool draw(search* s, hf_random* random, int number, double part, hf_pose* pose) {
    hf_planner* p = s->planner;
    if (number % 4 == 3) return draw_solved(s, random, number, part, pose);
    double size = drawn_size(part);
    start_from(s, number % 2 ? s->from : s->relaxed, pose);
    pose->root = s->middle;
    if (!s->settled) {
        // the start keeps its holds: between there and the wish
        double t = hf_random_unit(random);
        pose->root = (hf_transform){hf_lerp(s->root.position, s->wish.position, t),
                                    hf_quat_slerp(s->root.rotation, s->wish.rotation, t)};
    }
    pose->root = hf_compose(pose->root, hf_body_shift(p, random, size));
    double push = hf_random_between(random, -0.5, 1) * size * p->view->height;
    if (push > 0) pose->root.position = hf_add(pose->root.position, hf_scale(s->away, push));
    if (part > BEND_AFTER && number % 3) hf_body_bend(p, random, part, pose->q);
    if (number % 4 == 2) shake(s, random, pose->q);
    if (number % 4)
        for (int i = 0; i < s->count; i++) hf_limb_loosen(p->creature, s->holds[i].at.limb, pose->q);
    hf_stance_wish over = {s->stance, fmax(2 * s->margin, GOOD_MARGIN * p->view->height)};
    hf_vec3 shift;
    hf_stance_balance(&over, com_of(p, pose), &shift);
    pose->root.position = hf_add(pose->root.position, shift);
    return hf_body_settle(p, s->holds, s->count, s->stance, s->margin, over.margin_m, pose);
}

/* Where the body is wished elsewhere than it is, a contorted pose there is worth less than a good one on the
   way: only what is near. */
static int draws_of(const search* s) { return is_elsewhere(s) ? NEAR_DRAWS : DRAWS; }

static bool draw_all(search* s, hf_pose* pose) {
    hf_planner* p = s->planner;
    int count = draws_of(s);
    hf_random random = hf_body_draws(p, DRAW_STREAM);
    int settled = 0;
    for (int i = 0; i < count && !p->out_of_memory; i++) {
        if (draw(s, &random, i, (double)i / (DRAWS - 1), pose)) {
            settled++;
            if (accept(s, pose)) return true;
        }
        // the limbs that hold cannot, and no small change of the wish will do
        if (i + 1 == VAIN_DRAWS && settled == 0) return false;
    }
    return false;
}

static bool root_is_fixed(const hf_planner* p, const hf_plan_hold* holds, int count) {
    for (int i = 0; i < count; i++)
        if (p->view->limbs[holds[i].at.limb].joint_count == 0) return true;
    return false;
}

static bool find(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, double margin,
                 hf_transform wish, const hf_plan_hold* leaving, bool easy, hf_pose* pose) {
    size_t n = (size_t)p->view->q_count;
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    search s = {.planner = p,
                .holds = holds,
                .count = count,
                .stance = stance,
                .margin = margin,
                .wish = wish,
                .leaving = leaving,
                .root = pose->root,
                .from = hf_workspace_take(p->workspace, n + 1, sizeof(double)),
                .relaxed = hf_workspace_take(p->workspace, n + 1, sizeof(double))};
    bool good = false;
    if (!s.from || !s.relaxed) {
        p->out_of_memory = true;
    } else {
        hf_pose relaxed = {pose->root, s.relaxed};
        memcpy(s.from, pose->q, sizeof(double) * n);
        memcpy(s.relaxed, pose->q, sizeof(double) * n);
        relax(p, holds, count, &relaxed);
        good = solve(&s, true, s.relaxed, 0, pose) || (!s.settled && solve(&s, true, s.from, LOOSE, pose));
        if (!good && !easy)
            good =
                (!root_is_fixed(p, holds, count) && draw_all(&s, pose)) || solve(&s, false, s.from, 0, pose);
    }
    hf_workspace_end(p->workspace, mark);
    return good && !p->out_of_memory;
}

bool hf_stance_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose) {
    return find(p, holds, count, stance, margin, wish, leaving, false, pose);
}

bool hf_stance_pose_easy(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose) {
    return find(p, holds, count, stance, margin, wish, leaving, true, pose);
}
