/* Balance and collisions of bent frames. */
#include "adapt/repair.h"
#include "base/ease.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/scene.h"
#include "model/tolerance.h"

#include <holdfast/balance.h>
#include <holdfast/solve.h>

#include <limits.h>
#include <math.h>
#include <string.h>

/* A shift is spread over so long before and after the frames that ask for it, s. */
static const double SPREAD_S = 0.35;
/* Shifts are smoothed over so long, s. */
static const double SMOOTH_S = 0.07;
/* Limbs that hold stay behind when the root moves: the centre of mass moves by less. */
static const double MORE = 1.1;
/* A round that leaves more than this share of its frames made no progress. */
static const double PROGRESS = 0.9;
/* Of frames in a row that miss a target, some no farther apart than this, s, are given to the whole-body
   solver. */
static const double ASK_S = 0.1;
/* Rounds of smoothing and balancing a window, and passes of its smoothing in each. */
enum { RELAXATIONS = 30, SMOOTHINGS = 4 };
/* The first push of a body out of another one, m; each round pushes that much further. */
static const double PUSH_M = 0.012;

/* ---- balance ---- */

/* The phase by which a limb bears in a frame, -1 for none. Where one limb at a time changes, a limb does not
   count in the last frame of a hold and in the first one of the next: those that stay must hold the body. */
static int bears(const hf_bend* b, int f, int limb) {
    int p = hf_bend_holds(b, f, limb), n = b->source->frame_count;
    if (p < 0 || !(b->source->schedule->claims & HF_CLAIM_ONE_LIMB)) return p;
    bool ends = f + 1 < n && hf_bend_holds(b, f + 1, limb) != p,
         begins = f > 0 && hf_bend_holds(b, f - 1, limb) != p;
    return ends || begins ? -1 : p;
}

static bool same_holds(const hf_bend* b, int f, int g) {
    if (b->moved->key_count > 1) return false;
    for (int limb = 0; limb < b->source->limb_count; limb++)
        if (bears(b, f, limb) != bears(b, g, limb)) return false;
    return true;
}

static hf_status build_stance(hf_bend* b, int f, hf_support* supports, hf_stance* stance) {
    const hf_source* s = b->source;
    int n = 0;
    hf_placement_set_time(b->placement, f / s->schedule->rate);
    for (int limb = 0; limb < s->limb_count && n < HF_STANCE_SUPPORTS; limb++) {
        int p = bears(b, f, limb);
        if (p < 0) continue;
        hf_transform object = hf_object_pose(b->placement, b->phases[p].hold.object);
        hf_hold world = hf_hold_in_world(b->phases[p].hold, object);
        hf_support_plan(s->creature, b->placement, &world, hf_bend_link(b, p, f), &supports[n++]);
    }
    return hf_stance_build(stance, supports, n, s->creature->view.mass, NULL, b->workspace);
}

/* The limbs that hold, and those that swing and did not get to where they should be. */
static int list_targets(const hf_bend* b, int f, hf_target* targets) {
    const hf_source* s = b->source;
    int n = 0;
    for (int limb = 0; limb < s->limb_count && n < HF_STANCE_SUPPORTS; limb++) {
        bool holds = hf_bend_holds(b, f, limb) >= 0, misses = limb < 32 && b->missed[f] >> limb & 1;
        if (holds || misses) targets[n++] = hf_bend_target(b, f, limb);
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

/* How the root should move in a row of frames that miss a target: some of them are asked, those between two
   of these go between both wishes. */
static hf_status row_wishes(hf_bend* b, int first, int last, hf_stance* stance, double* q, hf_delta* wish) {
    int step = (int)ceil(ASK_S * b->source->schedule->rate), count = (last - first + step - 1) / step;
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_status status = HF_OK;
    for (int i = 0, before = first; i <= count && status == HF_OK; i++) {
        int f = count ? first + i * (last - first) / count : first;
        status = build_stance(b, f, supports, stance);
        if (status == HF_OK) status = ask(b, f, stance, q, &wish[f]);
        for (int k = before + 1; k < f; k++) {
            double t = (double)(k - before) / (f - before);
            wish[k] = hf_delta_plus(wish[before], hf_delta_less(wish[f], wish[before]), t);
        }
        before = f;
    }
    return status;
}

/* How the root should move in frames where a limb does not get to its target. */
static hf_status reach_wishes(hf_bend* b, hf_stance* stance, double* q, hf_delta* wish, int* bad) {
    int n = b->source->frame_count;
    hf_status status = HF_OK;
    *bad = 0;
    memset(wish, 0, (size_t)n * sizeof *wish);
    for (int f = 0; f < n && status == HF_OK; f++) {
        int first = f;
        while (f < n && b->missed[f]) f++;
        if (f > first) status = row_wishes(b, first, f - 1, stance, q, wish);
        *bad += f - first;
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
            double t = fabs((double)(k - f)) / (reach + 1), w = 1 - hf_ease_cubic(t);
            if (size * w > size_of(&wide[k]))
                wide[k] = (hf_delta){hf_scale(wish[f].shift, w), hf_scale(wish[f].turn, w)};
        }
    }
    hf_bend_smooth(b, &wide[0].shift, SMOOTH_S * rate);
    hf_bend_smooth(b, &wide[0].turn, SMOOTH_S * rate);
    for (int f = 0; f < n; f++) {
        b->root_push[f].shift = hf_add(b->root_push[f].shift, wide[f].shift);
        b->root_push[f].turn = hf_add(b->root_push[f].turn, wide[f].turn);
    }
}

/* ---- balance over time ---- */

/* Frames of a window and where their centres of mass are. */
typedef struct window {
    int first, count;
    hf_vec3* com;
    hf_vec3* shift; /* of the root, that is looked for */
    hf_vec3* next;
} window;

static bool weighs(const hf_bend* b, int f) { return !(b->source->faults[f] & (1u << HF_FAULT_BALANCE)); }

/* The next shift of a frame that is not balanced with the one it has; false when it is. */
static bool project(const hf_stance* stance, hf_vec3 com, double margin_m, hf_vec3* shift) {
    hf_vec3 at = hf_add(com, *shift), more;
    if (hf_stance_margin(stance, at) >= margin_m) return false;
    hf_stance_wish w = {stance, margin_m};
    hf_stance_balance(&w, at, &more);
    shift->x += more.x, shift->y += more.y;
    return true;
}

/* One sweep over the window's frames: each is brought into balance by its shift; returns how many were not.
 */
static hf_status sweep(hf_bend* b, window* w, double margin_m, hf_stance* stance, int* bad) {
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_status status = HF_OK;
    int built = -1;
    *bad = 0;
    for (int i = 0; i < w->count && status == HF_OK; i++) {
        int f = w->first + i;
        if (!weighs(b, f)) continue;
        if (built < 0 || !same_holds(b, built, f)) status = build_stance(b, f, supports, stance);
        built = f;
        if (status == HF_OK) *bad += project(stance, w->com[i], margin_m, &w->shift[i]);
    }
    return status;
}

/* Shifts that keep every frame balanced and change smoothly: smoothing and bringing into balance in turn. */
static hf_status relax(hf_bend* b, window* w, hf_stance* stance) {
    hf_status status = HF_OK;
    int bad = 1;
    for (int i = 0; i < RELAXATIONS && status == HF_OK && bad; i++) {
        status = sweep(b, w, 2 * HF_MARGIN_M, stance, &bad);
        for (int pass = 0; pass < SMOOTHINGS; pass++) {
            for (int k = 0; k < w->count; k++) {
                hf_vec3 zero = {0, 0, 0}, l = k > 0 ? w->shift[k - 1] : zero,
                        r = k + 1 < w->count ? w->shift[k + 1] : zero;
                // the opened motion's own first and last frames are free
                if (k == 0 && w->first == 0) l = w->shift[0];
                if (k + 1 == w->count && w->first + w->count == b->source->frame_count) r = w->shift[k];
                w->next[k] = hf_add(hf_scale(w->shift[k], 0.5), hf_scale(hf_add(l, r), 0.25));
            }
            hf_vec3* swap = w->shift;
            w->shift = w->next, w->next = swap;
        }
    }
    return status == HF_OK ? sweep(b, w, HF_MARGIN_M, stance, &bad) : status;
}

static hf_vec3 com_of(hf_bend* b, int f) {
    hf_pose pose = {b->roots[f], b->q + (size_t)f * (size_t)b->source->q_count};
    hf_forward(b->source->creature, &pose, b->links);
    return hf_com(b->source->creature, b->links);
}

/* Frames that differ from the opened motion and lost their balance; *first and *last of the first group. */
static hf_status find_lost(hf_bend* b, hf_stance* stance, int from, int* first, int* last) {
    const hf_source* s = b->source;
    hf_support supports[HF_STANCE_SUPPORTS];
    int built = -1, reach = (int)ceil(SPREAD_S * s->schedule->rate);
    hf_status status = HF_OK;
    *first = -1;
    for (int f = from; f < s->frame_count && status == HF_OK; f++) {
        if (*first >= 0 && f > *last + 2 * reach) break;
        bool differs = b->touched[f];
        for (int limb = 0; limb < s->limb_count && !differs; limb++)
            differs = s->phase_at[f * s->limb_count + limb] != hf_bend_holds(b, f, limb);
        if (!differs || !weighs(b, f)) continue;
        if (built < 0 || !same_holds(b, built, f)) status = build_stance(b, f, supports, stance);
        built = f;
        if (status != HF_OK || hf_stance_margin(stance, com_of(b, f)) >= HF_MARGIN_M) continue;
        if (*first < 0) *first = f;
        *last = f;
    }
    return status;
}

static hf_status balance_once(hf_bend* b, hf_stance* stance, int* lost) {
    const hf_source* s = b->source;
    hf_status status = HF_OK;
    int first, last, reach = (int)ceil(2 * SPREAD_S * s->schedule->rate);
    *lost = 0;
    for (int from = 0; status == HF_OK; from = last + 1) {
        status = find_lost(b, stance, from, &first, &last);
        if (status != HF_OK || first < 0) break;
        *lost += last - first + 1;
        hf_workspace_mark at = hf_workspace_begin(b->workspace);
        window w = {.first = first > reach ? first - reach : 0};
        int end = last + reach < s->frame_count ? last + reach : s->frame_count - 1;
        w.count = end - w.first + 1;
        w.com = hf_workspace_take(b->workspace, 3 * (size_t)w.count, sizeof *w.com);
        if (!w.com) return HF_ERROR_MEMORY;
        w.shift = w.com + w.count, w.next = w.shift + w.count;
        memset(w.shift, 0, (size_t)w.count * sizeof *w.shift);
        for (int i = 0; i < w.count; i++) w.com[i] = com_of(b, w.first + i);
        status = relax(b, &w, stance);
        for (int i = 0; i < w.count; i++)
            b->root_push[w.first + i].shift =
                hf_add(b->root_push[w.first + i].shift, hf_scale(w.shift[i], MORE));
        hf_workspace_end(b->workspace, at);
    }
    return status;
}

static hf_status reach_once(hf_bend* b, hf_stance* stance, int* missed) {
    const hf_source* s = b->source;
    hf_workspace_mark at = hf_workspace_begin(b->workspace);
    hf_delta* wish = hf_workspace_take(b->workspace, 2 * (size_t)s->frame_count, sizeof *wish);
    double* q = hf_workspace_take(b->workspace, (size_t)s->q_count + 1, sizeof *q);
    hf_status status = wish && q ? reach_wishes(b, stance, q, wish, missed) : HF_ERROR_MEMORY;
    if (status == HF_OK && *missed) spread(b, wish, wish + s->frame_count);
    hf_workspace_end(b->workspace, at);
    return status;
}

static bool changes(const hf_bend* b, int f) {
    for (int limb = 0; limb < b->source->limb_count; limb++)
        if (bears(b, f, limb) != hf_bend_holds(b, f, limb)) return true;
    return false;
}

hf_status hf_repair_judge(hf_bend* b, hf_realise_result* out) {
    const hf_source* s = b->source;
    if (!(s->creature->view.mass > 0) || !(s->schedule->claims & HF_CLAIM_ONE_LIMB)) return HF_OK;
    if (hf_workspace_cancelled(b->workspace)) return HF_OK; // frames are left as they were meanwhile
    hf_stance* stance = NULL;
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_status status = hf_stance_create(&stance);
    for (int f = 0; f < s->frame_count && status == HF_OK; f++) {
        if (!b->touched[f] || !weighs(b, f) || !changes(b, f)) continue;
        status = build_stance(b, f, supports, stance);
        if (status != HF_OK || hf_stance_margin(stance, com_of(b, f)) >= HF_FRAME_MARGIN_M) continue;
        bool known = false;
        for (int i = 0; i < out->fault_count && !known; i++)
            known = out->faults[i].frame == f && out->faults[i].kind == HF_FAULT_BALANCE;
        if (known) continue;
        if (!HF_GROW(out->faults, out->fault_capacity, out->fault_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK)
            out->faults[out->fault_count++] =
                (hf_frame_fault){.kind = HF_FAULT_BALANCE, .frame = f, .limb = -1};
    }
    if (out->fault_count) out->outcome = HF_PARTIAL;
    hf_stance_free(stance);
    return status;
}

hf_status hf_repair_root(hf_bend* b, int rounds) {
    const hf_source* s = b->source;
    hf_stance* stance = NULL;
    hf_status status = hf_stance_create(&stance);
    int least = INT_MAX, worse = 0;
    for (int i = 0; i < rounds && status == HF_OK; i++) {
        int missed = 0, lost = 0;
        status = reach_once(b, stance, &missed);
        if (status == HF_OK && missed) status = hf_bend_solve(b);
        if (status == HF_OK && s->creature->view.mass > 0) status = balance_once(b, stance, &lost);
        if (status == HF_OK && lost) status = hf_bend_solve(b);
        // two rounds that leave hardly less to do are the last
        worse = missed + lost < PROGRESS * least ? 0 : worse + 1;
        if (missed + lost < least) least = missed + lost;
        if (missed + lost == 0 || worse > 1 || !hf_workspace_goes_on(b->workspace)) break;
    }
    hf_stance_free(stance);
    return status;
}

/* ---- collisions ---- */

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

/* The swinging limb that a collision can be healed by, -1 for none. */
static int pushed_limb(const hf_bend* b, const hf_frame_fault* f) {
    const hf_source* s = b->source;
    const int bodies[2] = {f->collision.body, f->collision.other_body};
    for (int i = 0; i < 2; i++) {
        int limb = bodies[i] < 0 ? -1 : hf_link_limb(s->creature, s->creature->view.bodies[bodies[i]].link);
        if (limb >= 0 && s->acts[limb] && hf_bend_holds(b, f->frame, limb) < 0) return limb;
    }
    return -1;
}

/* Out of the surface, or away from the other body. */
static hf_vec3 push_direction(hf_bend* b, const hf_frame_fault* f, int limb) {
    const hf_source* s = b->source;
    if (f->collision.other_body < 0) return f->collision.surface.normal;
    const hf_body *x = &s->creature->view.bodies[f->collision.body],
                  *y = &s->creature->view.bodies[f->collision.other_body];
    hf_pose pose = {b->roots[f->frame], b->q + (size_t)f->frame * (size_t)s->q_count};
    hf_forward(s->creature, &pose, b->links);
    hf_vec3 from = hf_apply(b->links[y->link], y->in_link.position),
            to = hf_apply(b->links[x->link], x->in_link.position);
    hf_vec3 away = hf_normalize(hf_sub(to, from));
    return hf_link_limb(s->creature, x->link) == limb ? away : hf_neg(away);
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
        if (f->kind != HF_FAULT_COLLIDES) continue;
        int limb = pushed_limb(b, f);
        // a limb that is not where it should be collides for that reason
        if (limb >= 0 && limb < 32 && b->missed[f->frame] >> limb & 1) continue;
        if (f->collision.other_body >= 0 && limb < 0) continue;
        hf_vec3 by = hf_scale(push_direction(b, f, limb), PUSH_M * (round + 1));
        *pushed = true;
        if (limb >= 0)
            push_limb(b, limb, f->frame, by);
        else
            wish[f->frame].shift = hf_scale(by, 0.5), root = true;
    }
    if (root) spread(b, wish, wish + s->frame_count);
    hf_workspace_end(b->workspace, at);
    return *pushed ? hf_bend_solve(b) : HF_OK;
}
