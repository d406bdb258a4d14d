/* Poses for a stance: the whole-body solver keeps the holds and brings the centre of mass over what carries
   it, near a wish for the root. The trunk stays at rest unless it must bend (a seat that is held fixes the
   root). */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

/* Ways the wish is varied when a pose collides or cannot be had: shifts in creature heights along the root's
   own axes, then pitch. */
static const double VARIANTS[][4] = {
    {0, 0, 0, 0},    {0, 0, -0.03, 0}, {0, 0, -0.07, 0}, {0, 0, 0.03, 0},     {-0.03, 0, 0, 0},
    {0.03, 0, 0, 0}, {0, 0.03, 0, 0},  {0, -0.03, 0, 0}, {0, 0, -0.12, 0},    {0, 0, 0, 0.2},
    {0, 0, 0, -0.2}, {-0.06, 0, 0, 0}, {0.06, 0, 0, 0},  {0, 0, -0.05, 0.35}, {0, 0, 0.06, 0},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

/* Balance that is aimed at, creature heights. */
static const double GOOD_MARGIN = 0.012;
static const double LOOSE = 0.03; /* creature heights: lower with bent limbs */

static hf_transform varied(const hf_planner* p, hf_transform wish, int variant) {
    const double* v = VARIANTS[variant];
    double h = p->view->height;
    hf_transform by = {hf_v3(v[0] * h, v[1] * h, v[2] * h), hf_quat_axis_angle(hf_v3(0, 1, 0), v[3])};
    return hf_compose(wish, by);
}

static hf_vec3 com_of(hf_planner* p, const hf_pose* pose) {
    hf_forward(p->creature, pose, p->links);
    return hf_com(p->creature, p->links);
}

/* The whole-body solver from the pose; `stiff` leaves the trunk and limbs without contact as they are. */
static bool settle_from(hf_planner* p, const hf_hold* holds, int count, const hf_stance* stance,
                        double margin, hf_transform wish, bool stiff, hf_pose* pose) {
    hf_target targets[HF_MAX_HOLDS];
    for (int i = 0; i < count; i++) targets[i] = hf_hold_target(p, &holds[i]);
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

/* From the pose, then from one whose root stands over what carries it, limbs a little bent. */
static bool settle(hf_planner* p, const hf_hold* holds, int count, const hf_stance* stance, double margin,
                   hf_transform wish, bool stiff, hf_pose* pose) {
    size_t bytes = sizeof(double) * (size_t)p->view->q_count;
    hf_pose from = {pose->root, p->q_g};
    memcpy(from.q, pose->q, bytes);
    if (settle_from(p, holds, count, stance, margin, wish, stiff, pose)) return true;
    hf_stance_wish over = {stance, fmax(2 * margin, GOOD_MARGIN * p->view->height)};
    hf_vec3 shift;
    hf_stance_balance(&over, com_of(p, &from), &shift);
    if (p->out_of_memory) return false;
    pose->root = from.root;
    memcpy(pose->q, from.q, bytes);
    pose->root.position = hf_add(pose->root.position, hf_v3(shift.x, shift.y, -LOOSE * p->view->height));
    for (int i = 0; i < count; i++) hf_limb_loosen(p, holds[i].limb, pose->q);
    return settle_from(p, holds, count, stance, margin, wish, stiff, pose);
}

bool hf_stance_pose_exists(hf_planner* p, const hf_hold* holds, int count, const hf_stance* stance,
                           double margin, hf_pose* pose) {
    return settle(p, holds, count, stance, margin, pose->root, true, pose);
}

/* The trunk and limbs without a contact go back to rest. */
static void relax(hf_planner* p, const hf_hold* holds, int count, hf_pose* pose) {
    for (int l = 0; l < p->view->limb_count; l++) {
        const hf_limb* limb = &p->view->limbs[l];
        bool held = hf_holds_find(holds, count, l) >= 0;
        for (int i = 0; i < limb->exclude_count && !held; i++)
            held = hf_holds_find(holds, count, limb->excludes[i]) >= 0;
        if (held) continue;
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
static void turn_back(hf_planner* p, const hf_hold* grip, hf_pose* pose) {
    hf_target t = hf_hold_target(p, grip);
    t.kind = HF_TARGET_POSE;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    hf_solve_result r;
    memcpy(p->q_g, pose->q, sizeof(double) * (size_t)p->view->q_count);
    hf_forward(p->creature, pose, p->links);
    if (hf_limb_solve(p->creature, &p->links[p->view->limbs[grip->limb].base_link], &t, &o, p->workspace,
                      p->q_g, &r) != HF_OK)
        p->out_of_memory = true;
    else if (r.outcome == HF_FOUND)
        memcpy(pose->q, p->q_g, sizeof(double) * (size_t)p->view->q_count);
}

bool hf_stance_pose(hf_planner* p, const hf_hold* holds, int count, const hf_stance* stance, double margin,
                    hf_transform wish, const hf_hold* leaving, hf_pose* pose) {
    size_t bytes = sizeof(double) * (size_t)p->view->q_count;
    memcpy(p->q_e, pose->q, bytes);
    hf_transform was = pose->root;
    for (int variant = 0; variant < 2 * VARIANT_COUNT && !p->out_of_memory; variant++) {
        memcpy(pose->q, p->q_e, bytes);
        bool stiff = variant < VARIANT_COUNT;
        hf_transform near = varied(p, wish, variant % VARIANT_COUNT);
        pose->root = was;
        if (stiff && variant % 2 == 0) relax(p, holds, count, pose);
        hf_collision hit;
        bool good = settle(p, holds, count, stance, margin, near, stiff, pose);
        for (int i = 0; i < count && good; i++)
            if (holds[i].grip) turn_back(p, &holds[i], pose);
        if (good && (!leaving || hf_segment_lifts(p, leaving, pose)) &&
            !hf_holds_collide(p, holds, count, leaving ? leaving->limb : -1, pose, &hit))
            return true;
        // the limbs that hold cannot, and no small change of the wish will do
        if (!good && variant % VARIANT_COUNT == 1) variant = stiff ? VARIANT_COUNT - 1 : 2 * VARIANT_COUNT;
    }
    return false;
}
