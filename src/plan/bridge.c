/* Bridges: from standing to all fours one limb after the other comes down while the walking limbs carry the
   body, and goes up again there. The library of postures has a pose for that; here it is put over the holds
   that there are. */
#include "plan/bridge.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { BRIDGE_STREAM = 0x6272 };

static const hf_hold* hold_of(const hf_posture* p, int limb) {
    for (int i = 0; i < p->hold_count; i++)
        if (p->holds[i].limb == limb) return &p->holds[i];
    return NULL;
}

/* The change in which the limb and all that hold touch. */
static const hf_posture* find_change(const hf_plan_world* w, const hf_plan_hold* holds, int count, int limb) {
    const hf_postures* all = w->model->postures;
    for (int c = 0; c < all->change_count; c++) {
        const hf_posture* at = &all->changes[c].at;
        bool all_touch = at->family == HF_POSTURE_CRAWL && hold_of(at, limb);
        for (int i = 0; i < count && all_touch; i++) all_touch = hold_of(at, holds[i].at.limb);
        if (all_touch) return at;
    }
    return NULL;
}

static double tilt_of(hf_transform root) {
    hf_vec3 up = hf_unrotate(root.rotation, hf_v3(0, 0, 1));
    return hf_atan2(-up.x, up.z);
}

/* The posture on all limbs that a change leads to; NULL: none. */
static const hf_posture* find_crawl(const hf_plan_world* w) {
    const hf_postures* all = w->model->postures;
    for (int c = 0; c < all->change_count; c++)
        if (all->changes[c].at.family == HF_POSTURE_CRAWL) return &all->items[all->changes[c].to];
    return NULL;
}

bool hf_root_is_bent(const hf_plan_world* w, hf_transform root) {
    const hf_posture* crawl = find_crawl(w);
    return crawl && tilt_of(root) > (w->view->guide.tilt + crawl->tilt_rad) / 2;
}

bool hf_guide_bends(const hf_plan_world* w, int index) {
    if (!find_crawl(w)) return false;
    int ahead = hf_guide_ahead(w, index, 2 * w->options->horizon);
    for (int i = index; i <= ahead; i++)
        if (hf_root_is_bent(w, w->guide[i])) return true;
    return false;
}

/* The posture over the walking limbs that hold: turned as the root looks, its contacts where theirs are on
   average. */
static hf_transform put_over(const hf_plan_world* w, const hf_posture* at, const hf_plan_hold* holds,
                             int count, hf_transform root) {
    hf_quat turn = hf_root_upright(root).rotation;
    hf_vec3 off = {0, 0, 0};
    int walking = 0;
    for (int i = 0; i < count; i++) {
        if (!w->model->limbs[holds[i].at.limb].walks) continue;
        off = hf_add(off, hf_sub(holds[i].at.point, hf_rotate(turn, hold_of(at, holds[i].at.limb)->point)));
        walking++;
    }
    return (hf_transform){hf_scale(off, 1.0 / (walking > 0 ? walking : 1)), turn};
}

/* Is the body there already, but for what a limb that came down before has moved it? */
static bool is_there(const hf_plan_world* w, hf_transform now, hf_transform wanted) {
    return hf_distance(now.position, wanted.position) < HF_LARGE_SHIFT * w->view->height &&
           hf_quat_angle(now.rotation, wanted.rotation) < 3 * HF_SMALL_TURN;
}

bool hf_bridge_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int limb,
                    hf_pose* pose, hf_pose* touching, hf_vec3* near) {
    const hf_posture* at = find_change(&p->world, holds, count, limb);
    if (!at || count == 0) return false;
    hf_transform over = put_over(&p->world, at, holds, count, pose->root);
    hf_transform wanted = hf_compose(over, at->pose.root);
    *near = hf_apply(over, hold_of(at, limb)->point);
    bool good = is_there(&p->world, pose->root, wanted) &&
                hf_stance_margin(stance, hf_com_at(p, pose)) >= hf_pose_margin(p);
    hf_random random = hf_body_draws(p, BRIDGE_STREAM);
    for (int i = 0; i < p->world.options->tries && !good && hf_plan_ok(p); i++) {
        double size = 2 * HF_SMALL_SHIFT * i / p->world.options->tries;
        hf_pose_copy(&p->world, &(hf_pose){wanted, at->pose.q}, pose);
        if (i > 0) pose->root = hf_compose(wanted, hf_body_shift(&p->world, &random, size));
        good = hf_stance_pose_from(p, holds, count, stance, hf_pose_margin(p), NULL, pose);
    }
    if (!good) return false;
    hf_pose_copy(&p->world, pose, touching);
    hf_limb_copy(&p->world, limb, at->pose.q, touching->q);
    return true;
}

int hf_bridge_index(const hf_plan_world* w, int index) {
    int ahead = hf_guide_ahead(w, index, 2 * w->options->horizon);
    double most = 0;
    for (int i = index; i <= ahead; i++) most = fmax(most, tilt_of(w->guide[i]));
    while (index < ahead && tilt_of(w->guide[index]) < most - HF_SMALL_TURN) index++;
    return index;
}

const double* hf_bent_posture(const hf_plan_world* w, hf_transform root, int number) {
    const hf_postures* all = w->model->postures;
    double tilt = tilt_of(root);
    if (!hf_root_is_bent(w, root)) return NULL;
    const hf_posture *change = &all->changes[0].at, *crawl = &all->items[all->changes[0].to];
    bool nearer = fabs(tilt - change->tilt_rad) < fabs(tilt - crawl->tilt_rad);
    return nearer == (number == 0) ? change->pose.q : crawl->pose.q;
}
