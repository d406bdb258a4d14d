/* Changing the family of postures: from standing to all fours, limb by limb. The library of postures has the
   ends and a pose between them in which the limbs of both touch. Each is put into the scene, limbs go one
   after the other to where it has them, and the body is somewhere between the posture before and this one
   meanwhile. */
#include "plan/family.h"

#include "plan/step.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3 };        /* of a step that is too long as it is */
enum { BODIES = 5 };       /* between two postures, that are tried for one change, */
enum { RAISES = 3 };       /* as they are and raised and ahead by half a large shift and by one */
enum { LIMB_CHANGES = 4 }; /* of each limb on the way from one posture to the next, at most */

/* ---- postures in the scene ---- */

/* The change from standing to all limbs; NULL: the library has none. */
static const hf_posture_change* find_change(const hf_plan_model* m) {
    const hf_postures* all = m->postures;
    for (int c = 0; c < all->change_count; c++)
        if (all->changes[c].at.family == HF_POSTURE_CRAWL) return &all->changes[c];
    return NULL;
}

static double tilt_of(hf_transform root) {
    hf_vec3 up = hf_unrotate(root.rotation, hf_v3(0, 0, 1));
    return hf_atan2(-up.x, up.z);
}

bool hf_root_is_bent(const hf_plan_world* w, hf_transform root) {
    const hf_posture_change* change = find_change(w->model);
    if (!change) return false;
    return tilt_of(root) > (w->view->guide.tilt + w->model->postures->items[change->to].tilt_rad) / 2;
}

const double* hf_bent_posture(const hf_plan_world* w, hf_transform root, int number) {
    if (!hf_root_is_bent(w, root)) return NULL;
    const hf_posture_change* change = find_change(w->model);
    const hf_posture *at = &change->at, *crawl = &w->model->postures->items[change->to];
    double tilt = tilt_of(root);
    bool nearer = fabs(tilt - at->tilt_rad) < fabs(tilt - crawl->tilt_rad);
    return nearer == (number == 0) ? at->pose.q : crawl->pose.q;
}

int hf_family_touch(hf_planner* p, bool walking, bool others, hf_pose* pose, hf_plan_hold* holds) {
    const hf_posture* x = &find_change(p->world.model)->at;
    hf_hold limbs[HF_POSTURE_HOLDS];
    hf_scenario_state state = {.pose = *pose, .whole = true, .contacts = limbs};
    for (int i = 0; i < x->hold_count; i++)
        if (p->world.model->limbs[x->holds[i].limb].walks ? walking : others)
            limbs[state.contact_count++] = (hf_hold){.limb = x->holds[i].limb, .object = -1};
    return hf_plan_contacts(p, &state, pose, holds);
}

/* The mean of where limbs hold that walk, or that do not. */
static hf_vec3 middle_of(const hf_plan_world* w, const hf_plan_hold* holds, int count, bool walking) {
    hf_vec3 sum = {0, 0, 0};
    int n = 0;
    for (int i = 0; i < count; i++)
        if (w->model->limbs[holds[i].at.limb].walks == walking) sum = hf_add(sum, holds[i].at.point), n++;
    return hf_scale(sum, 1.0 / (n > 0 ? n : 1));
}

/* ---- limb by limb ---- */

static bool is_held(const hf_plan_node* n, const hf_plan_hold* h) {
    int own = hf_holds_find(n->holds, n->hold_count, h->at.limb);
    return own >= 0 && n->holds[own].at.frame == h->at.frame &&
           hf_distance(n->holds[own].at.point, h->at.point) < HF_SKIN;
}

/* The hold moved back to a part of the way from where the limb holds now; false where the surface is not as
   there. */
static bool part_of_way(hf_planner* p, const hf_plan_node* n, const hf_plan_hold* to, double part,
                        hf_plan_hold* hold) {
    int own = hf_holds_find(n->holds, n->hold_count, to->at.limb);
    *hold = *to;
    if (part >= 1) return true;
    if (own < 0) return false;
    hf_vec3 off = hf_scale(hf_sub(n->holds[own].at.point, to->at.point), 1 - part);
    hold->at.point = hf_add(to->at.point, off), hold->anchor.point = hf_add(to->anchor.point, off);
    for (int i = 0; i < hold->support.corner_count; i++)
        hold->support.corners[i] = hf_add(to->support.corners[i], off);
    hf_surface hit;
    hf_vec3 above = hf_add(hold->at.point, hf_scale(to->at.normal, HF_SKIN));
    return hf_placement_ray(p->world.placement, above, hf_neg(to->at.normal), 2 * HF_SKIN, &hit) &&
           hit.object == to->at.object && hf_dot(hit.normal, to->at.normal) > 1 - HF_SKIN;
}

/* Any limb that does not hold as it shall goes there; false when none can. */
static bool change_any(hf_planner* p, const hf_plan_hold* holds, int count, const hf_pose* bodies,
                       int body_count) {
    for (int i = 0; i < count && hf_plan_ok(p); i++) {
        hf_plan_node *n = &p->tree.nodes[p->tree.node_index], *child = &p->tree.nodes[p->tree.node_count];
        bool blocked, found = false;
        if (p->tree.node_count == HF_MAX_STANCES || is_held(n, &holds[i])) continue;
        for (int k = 0; k < PARTS * body_count && !found; k++) {
            hf_plan_hold part;
            if (!part_of_way(p, n, &holds[i], 1 - (double)(k / body_count) / PARTS, &part)) continue;
            // a limb that moves has most room under a body that is raised
            bool moves = body_count > 1 && hf_holds_find(n->holds, n->hold_count, holds[i].at.limb) >= 0;
            int body = moves ? (k % body_count + 2 * BODIES) % body_count : k % body_count;
            hf_step_wish wish = {
                .hold = &part, .body = &bodies[body], .margin = (moves ? 2 : 1) * hf_pose_margin(p)};
            found = hf_step_limb(p, n, holds[i].at.limb, &wish, false, child, &blocked);
        }
        if (!found) continue;
        hf_plan_adopt(p, HF_PLAN_AT_REST);
        return true;
    }
    return false;
}

static bool all_held(const hf_planner* p, const hf_plan_hold* holds, int count) {
    for (int i = 0; i < count; i++)
        if (!is_held(&p->tree.nodes[p->tree.node_index], &holds[i])) return false;
    return true;
}

/* The body to the pose with the holds there are. */
static bool move_body(hf_planner* p, const hf_pose* to, hf_pose* pose) {
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    int first = p->tree.knots.count, node = p->tree.node_index;
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    hf_pose_copy(&p->world, to, pose);
    bool there = stance &&
                 hf_stance_pose_from(p, n->holds, n->hold_count, stance, hf_pose_margin(p), NULL, pose) &&
                 (hf_segment_move(p, n->holds, n->hold_count, stance, node, &n->pose, pose) ||
                  hf_body_way(p, n->holds, n->hold_count, stance, node, &n->pose, pose));
    hf_stance_return(p, stance);
    return there && hf_plan_stay(p, first);
}

/* The body from one posture between to the next, for where it finds no way to all of it at once. */
static bool approach(hf_planner* p, const hf_pose* bodies, hf_pose* pose) {
    bool moved = false;
    for (int i = BODIES - 2; i >= 0 && hf_plan_ok(p); i--) moved = move_body(p, &bodies[i], pose) || moved;
    return moved;
}

/* From how the body is at the last stance to the posture, whose holds these are. */
static bool take(hf_planner* p, const hf_pose* to, const hf_plan_hold* holds, int count) {
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose bodies[BODIES * RAISES], from = hf_take_pose(p);
    for (int i = 0; i < BODIES * RAISES; i++) bodies[i] = hf_take_pose(p);
    bool good = hf_plan_ok(p);
    if (good) hf_pose_copy(&p->world, &p->tree.nodes[p->tree.node_index].pose, &from);
    for (int i = 0; i < BODIES * RAISES && good; i++) {
        hf_pose_between(p->world.creature, to, &from, (double)(i % BODIES) / (BODIES - 1), &bodies[i]);
        double raised = (double)(i / BODIES) * HF_LARGE_SHIFT / 2 * p->world.model->size;
        hf_vec3 ahead = hf_rotate(hf_root_upright(bodies[i].root).rotation, hf_v3(raised, 0, raised));
        bodies[i].root.position = hf_add(bodies[i].root.position, ahead);
    }
    bool approached = false;
    for (int left = LIMB_CHANGES * count; good && !all_held(p, holds, count); left--) {
        if (left > 0 && change_any(p, holds, count, bodies, BODIES * RAISES)) continue;
        good = !approached && approach(p, bodies, &from);
        approached = true;
    }
    if (good) move_body(p, to, &from); // or as the last limb left it
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}

/* ---- from standing to all limbs ---- */

/* The library's change over the walking limbs that hold. */
static void put_change(const hf_plan_world* w, const hf_posture* at, const hf_plan_hold* holds, int count,
                       hf_quat turn, hf_pose* pose) {
    hf_vec3 feet = {0, 0, 0};
    int walking = 0;
    for (int i = 0; i < at->hold_count; i++)
        if (w->model->limbs[at->holds[i].limb].walks) feet = hf_add(feet, at->holds[i].point), walking++;
    feet = hf_rotate(turn, hf_scale(feet, 1.0 / walking));
    hf_transform over = {hf_sub(middle_of(w, holds, count, true), feet), turn};
    hf_pose_copy(w, &at->pose, pose);
    pose->root = hf_compose(over, at->pose.root);
}

/* On all limbs as guides have it, with the limbs that do not walk about where they are. */
static void put_bent(const hf_plan_world* w, const hf_posture* at, const hf_plan_hold* holds, int count,
                     hf_quat turn, hf_pose* pose) {
    const hf_plan_model* m = w->model;
    hf_vec3 hands = middle_of(w, holds, count, false), there = {0, 0, 0};
    hf_quat lean = hf_quat_mul(turn, hf_quat_axis_angle(hf_v3(0, 1, 0), m->bent_tilt));
    int others = 0;
    for (int i = 0; i < at->hold_count; i++)
        if (!m->limbs[at->holds[i].limb].walks)
            there = hf_add(there, hf_rotate(lean, m->limbs[at->holds[i].limb].bent_in_root)), others++;
    pose->root = (hf_transform){hf_sub(hands, hf_scale(there, 1.0 / others)), lean};
    pose->root.position.z = hands.z + m->bent_height;
    memcpy(pose->q, m->bent_q, sizeof(double) * (size_t)w->view->q_count);
}

/* The other limbs come down in the change, once those that walk stand as it has them. */
static bool come_down(hf_planner* p, const hf_posture* at, hf_quat turn, hf_pose* pose) {
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    hf_plan_hold holds[HF_MAX_HOLDS];
    put_change(&p->world, at, n->holds, n->hold_count, turn, pose);
    int standing = hf_family_touch(p, true, false, pose, holds);
    if (standing <= 0) return false;
    while (!all_held(p, holds, standing))
        if (!change_any(p, holds, standing, &p->tree.nodes[p->tree.node_index].pose, 1)) return false;
    int count = hf_family_touch(p, false, true, pose, holds);
    return count > 0 && take(p, pose, holds, count);
}

/* Limbs that hold with the same frame within half a large shift of where the posture has them stay there. */
static void stay_near(const hf_planner* p, const hf_plan_node* n, hf_plan_hold* holds, int count) {
    double near = HF_LARGE_SHIFT / 2 * p->world.model->size;
    for (int i = 0; i < count; i++) {
        int own = hf_holds_find(n->holds, n->hold_count, holds[i].at.limb);
        if (own >= 0 && n->holds[own].at.frame == holds[i].at.frame &&
            hf_distance(n->holds[own].at.point, holds[i].at.point) < near)
            holds[i] = n->holds[own];
    }
}

static bool spread_out(hf_planner* p, const hf_posture* at, hf_quat turn, hf_pose* pose) {
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    hf_plan_hold holds[HF_MAX_HOLDS];
    put_bent(&p->world, at, n->holds, n->hold_count, turn, pose);
    int count = hf_family_touch(p, true, true, pose, holds);
    stay_near(p, n, holds, count);
    return count > 0 && take(p, pose, holds, count);
}

bool hf_family_is_known(const hf_plan_model* m) { return find_change(m) && m->bent_q; }

bool hf_family_down(hf_planner* p) {
    const hf_posture_change* change = find_change(p->world.model);
    if (!hf_family_is_known(p->world.model)) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    hf_quat turn = hf_root_upright(p->tree.nodes[p->tree.node_index].pose.root).rotation;
    bool good = pose.q && come_down(p, &change->at, turn, &pose) && spread_out(p, &change->at, turn, &pose);
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}
