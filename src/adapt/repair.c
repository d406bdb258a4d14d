/* Balance and collisions of bent frames. */
#include "adapt/repair.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/balance.h>
#include <holdfast/solve.h>

#include <math.h>
#include <string.h>

/* A shift is spread over so long before and after the frames that ask for it, s. */
static const double SPREAD_S = 0.35;
/* Shifts are smoothed over so long, s. */
static const double SMOOTH_S = 0.07;
/* The first push of a body out of another one, m; each round pushes that much further. */
static const double PUSH_M = 0.012;

/* ---- balance ---- */

static bool same_holds(const hf_bend* b, int f, int g) {
    if (b->moved->key_count > 1) return false;
    for (int limb = 0; limb < b->source->limb_count; limb++)
        if (hf_bend_holds(b, f, limb) != hf_bend_holds(b, g, limb)) return false;
    return true;
}

static hf_status build_stance(hf_bend* b, int f, hf_support* supports, hf_stance* stance) {
    const hf_source* s = b->source;
    int n = 0;
    hf_placement_set_time(b->placement, f / s->schedule->rate);
    for (int limb = 0; limb < s->limb_count && n < HF_STANCE_SUPPORTS; limb++) {
        int p = hf_bend_holds(b, f, limb);
        if (p < 0) continue;
        hf_hold world =
            hf_hold_in_world(b->phases[p].hold, hf_object_pose(b->placement, b->phases[p].hold.object));
        hf_support_plan(s->creature, b->placement, &world, hf_bend_link(b, p, f), &supports[n++]);
    }
    return hf_stance_build(stance, supports, n, s->creature->view.mass, NULL, b->workspace);
}

static int list_targets(const hf_bend* b, int f, hf_target* targets) {
    const hf_source* s = b->source;
    int n = 0;
    for (int limb = 0; limb < s->limb_count && n < HF_MAX_TARGETS; limb++) {
        int p = hf_bend_holds(b, f, limb);
        if (p < 0) continue;
        hf_transform link = hf_bend_link(b, p, f);
        const hf_contact_frame* c = &s->creature->view.limbs[limb].contacts[b->phases[p].hold.frame];
        bool patch = !(c->ball > 0) && (c->patch[0] > 0 || c->patch[1] > 0);
        targets[n++] = (hf_target){.kind = patch ? HF_TARGET_POSE : HF_TARGET_POSITION,
                                   .limb = limb,
                                   .contact = b->phases[p].hold.frame,
                                   .point = hf_apply(link, c->offset),
                                   .normal = hf_v3(0, 0, 1),
                                   .rotation = link.rotation,
                                   .held = true};
    }
    return n;
}

/* Where the whole-body solver would have the root of a frame, for all holds and the balance. */
static hf_status ask(hf_bend* b, int f, const hf_stance* stance, double* q, hf_delta* wish) {
    const hf_source* s = b->source;
    hf_target targets[HF_STANCE_SUPPORTS];
    int n = list_targets(b, f, targets);
    hf_body_solve_options o = hf_body_solve_options_default();
    hf_stance_wish balance = {stance, 2 * HF_MARGIN_M};
    hf_transform root = b->roots[f];
    o.move_trunk = false, o.move_free = false;
    o.guide = &root;
    o.solve.max_starts = 1;
    o.solve.posture = s->q + (size_t)f * (size_t)s->q_count;
    o.balance = s->faults[f] & (1u << HF_FAULT_BALANCE) ? NULL : hf_stance_balance;
    o.balance_user = &balance;
    memcpy(q, b->q + (size_t)f * (size_t)s->q_count, sizeof *q * (size_t)s->q_count);
    hf_pose pose = {root, q};
    hf_solve_result r;
    hf_status status = hf_body_solve(s->creature, targets, n, &o, b->workspace, &pose, NULL, &r);
    wish->shift = hf_sub(pose.root.position, root.position);
    wish->turn = hf_quat_log(hf_quat_mul(pose.root.rotation, hf_quat_conj(root.rotation)));
    return status;
}

static bool misses_hold(const hf_bend* b, int f) {
    for (int limb = 0; limb < b->source->limb_count && limb < 32; limb++)
        if (b->missed[f] >> limb & 1 && hf_bend_holds(b, f, limb) >= 0) return true;
    return false;
}

/* How the root should move in frames that miss a hold, or were balanced and are not. */
static hf_status wishes(hf_bend* b, hf_stance* stance, double* q, hf_delta* wish, bool* any) {
    const hf_source* s = b->source;
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_status status = HF_OK;
    int built = -1;
    *any = false;
    for (int f = 0; f < s->frame_count && status == HF_OK; f++) {
        wish[f] = (hf_delta){0};
        bool weighs = !(s->faults[f] & (1u << HF_FAULT_BALANCE)), misses = misses_hold(b, f);
        if (!b->touched[f] || !(weighs || misses)) continue;
        if (built < 0 || !same_holds(b, built, f)) status = build_stance(b, f, supports, stance);
        built = f;
        if (status != HF_OK) break;
        if (!misses) {
            hf_pose pose = {b->roots[f], b->q + (size_t)f * (size_t)s->q_count};
            hf_forward(s->creature, &pose, b->links);
            if (hf_stance_margin(stance, hf_com(s->creature, b->links)) >= HF_MARGIN_M) continue;
        }
        status = ask(b, f, stance, q, &wish[f]);
        *any = true;
    }
    return status;
}

static double size_of(const hf_delta* d) { return hf_length(d->shift) + hf_length(d->turn); }

/* Spreads the wishes smoothly in time and adds them to the root's pushes. `wide` is scratch. */
static void spread(hf_bend* b, const hf_delta* wish, hf_delta* wide) {
    double rate = b->source->schedule->rate;
    int n = b->source->frame_count, reach = (int)ceil(SPREAD_S * rate);
    memset(wide, 0, (size_t)n * sizeof *wide);
    for (int f = 0; f < n; f++) {
        double size = size_of(&wish[f]);
        if (!(size > 0)) continue;
        for (int k = f - reach; k <= f + reach; k++) {
            if (k < 0 || k >= n) continue;
            double t = fabs((double)(k - f)) / (reach + 1), w = 1 - t * t * (3 - 2 * t);
            if (size * w > size_of(&wide[k]))
                wide[k] = (hf_delta){hf_scale(wish[f].shift, w), hf_scale(wish[f].turn, w)};
        }
    }
    hf_bend_smooth(b, &wide[0].shift, 2, SMOOTH_S * rate);
    hf_bend_smooth(b, &wide[0].turn, 2, SMOOTH_S * rate);
    for (int f = 0; f < n; f++) {
        b->root_push[f].shift = hf_add(b->root_push[f].shift, wide[f].shift);
        b->root_push[f].turn = hf_add(b->root_push[f].turn, wide[f].turn);
    }
}

hf_status hf_repair_balance(hf_bend* b, int rounds) {
    const hf_source* s = b->source;
    hf_stance* stance = NULL;
    if (!(s->creature->view.mass > 0)) return HF_OK;
    hf_workspace_mark at = hf_workspace_begin(b->workspace);
    hf_delta* wish = hf_workspace_take(b->workspace, 2 * (size_t)s->frame_count, sizeof *wish);
    double* q = hf_workspace_take(b->workspace, (size_t)s->q_count + 1, sizeof *q);
    hf_status status = wish && q ? hf_stance_create(&stance) : HF_ERROR_MEMORY;
    bool any = true;
    for (int i = 0; i < rounds && any && status == HF_OK; i++) {
        status = wishes(b, stance, q, wish, &any);
        if (status != HF_OK || !any) break;
        spread(b, wish, wish + s->frame_count);
        status = hf_bend_solve(b, 0, s->frame_count - 1);
    }
    hf_stance_free(stance);
    hf_workspace_end(b->workspace, at);
    return status;
}

/* ---- collisions ---- */

/* The limb whose joints move a link, -1 for the trunk. */
static int limb_of(const hf_creature* c, int link) {
    const hf_creature_view* v = &c->view;
    for (; link > 0; link = v->links[link].parent_link)
        for (int i = 0; i < v->limb_count; i++)
            for (int k = 0; k < v->limbs[i].joint_count; k++)
                if (v->limbs[i].joints[k] == v->links[link].joint) return i;
    return -1;
}

static void push_limb(hf_bend* b, int limb, int frame, hf_vec3 by) {
    const hf_source* s = b->source;
    int first = frame, last = frame, n = s->limb_count;
    while (first > 0 && hf_bend_holds(b, first - 1, limb) < 0) first--;
    while (last + 1 < s->frame_count && hf_bend_holds(b, last + 1, limb) < 0) last++;
    // a bump over the swing that is 0 with its speed at both ends
    int reach = (int)ceil(SPREAD_S * s->schedule->rate);
    for (int f = first; f <= last; f++) {
        double t = fabs((double)(f - frame)) / (reach + 1);
        if (t >= 1) continue;
        double in = first > 0 ? fmin(1, (f - first + 1) / 4.0) : 1,
               out = last + 1 < s->frame_count ? fmin(1, (last - f + 1) / 4.0) : 1;
        double w = (1 - t * t) * (1 - t * t) * in * out;
        hf_vec3 *push = &b->tip_push[f * n + limb], want = hf_scale(by, w);
        double has = hf_dot(*push, hf_normalize(by)), ask = hf_length(want);
        // pushes of neighbouring frames are one push, not their sum
        if (ask > has) *push = hf_add(*push, hf_scale(hf_normalize(by), ask - has));
    }
}

hf_status hf_repair_collisions(hf_bend* b, const hf_realise_result* faults, int round, bool* pushed) {
    const hf_source* s = b->source;
    hf_workspace_mark at = hf_workspace_begin(b->workspace);
    hf_delta* wish = hf_workspace_take(b->workspace, 2 * (size_t)s->frame_count, sizeof *wish);
    *pushed = false;
    if (!wish) return HF_ERROR_MEMORY;
    memset(wish, 0, (size_t)s->frame_count * sizeof *wish);
    bool root = false;
    for (int i = 0; i < faults->fault_count; i++) {
        const hf_frame_fault* f = &faults->faults[i];
        if (f->kind != HF_FAULT_COLLIDES || f->collision.other_body >= 0) continue;
        int limb = limb_of(s->creature, s->creature->view.bodies[f->collision.body].link);
        // a limb that is not where it should be collides for that reason
        if (limb >= 0 && limb < 32 && b->missed[f->frame] >> limb & 1) continue;
        hf_vec3 by = hf_scale(f->collision.surface.normal, PUSH_M * (round + 1));
        *pushed = true;
        if (limb >= 0 && s->acts[limb] && hf_bend_holds(b, f->frame, limb) < 0)
            push_limb(b, limb, f->frame, by);
        else
            wish[f->frame].shift = hf_scale(by, 0.5), root = true;
    }
    if (root) spread(b, wish, wish + s->frame_count);
    hf_workspace_end(b->workspace, at);
    return *pushed ? hf_bend_solve(b, 0, s->frame_count - 1) : HF_OK;
}
