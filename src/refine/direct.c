/* The body goes straight from key pose to key pose, on a curve with little jerk that does not stop there
   (calm_curve.c); a limb that holds is kept on its hold; a limb that swings goes straight in its joint values
   from where its old hold keeps it to where its new hold keeps it, both of which move with the body, so that
   it leaves and lands with the speed of its hold. Phases in which the straight way does not do take a share
   of the detour that they had as given. */
#include "refine/direct.h"

#include "base/ease.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/borne_body.h"
#include "refine/calm_curve.h"
#include "refine/ends.h"
#include "refine/work.h"
#include <holdfast/solve.h>

#include <math.h>
#include <string.h>

enum {
    ROOT = 7 /* numbers of a root: place and quaternion */
};
static const double CALM_S = 0.2; /* over which the body's way is calmed where it is free: half a swing */

/* With a body that is borne in motion, the least of its freedom that counts there: with less its way has
   corners, which swing its limbs. */
static const double MOVING_FREEDOM = 0.7;

/* Of a limb's distance from the straight way, what it goes back in each sample: half of it in four samples.
   Before a sample that has the given pose it is at least an even share, so that nothing is left there. */
static const double RETURN = 0.15;
/* Share of a swing at either end in which the limb goes along with its hold as the body moves. */
static const double NEAR = 0.4, NEAR_BACK = 0.25;

/* The values with which a limb keeps a hold in the sample before: the next ones begin there, with what the
   straight way has changed since, so that they do not jump. */
typedef struct kept_values {
    int hold; /* -1: none yet */
    double* q;
    double
        since; /* of a hold that the limb swings to: share of the swing that was left when it was reached */
} kept_values;

typedef struct direct {
    const hf_creature* creature;
    const hf_ways* ways;
    const hf_layout* layout;
    hf_workspace* workspace;
    int count, q_count;
    double step_s;
    double *from_s, *to_s; /* new times of each hold */
    hf_transform *roots, *links;
    bool* fixed;        /* samples in which the body stays where it is */
    double *q, *wished; /* wished: values before limbs are brought onto their ways */
    hf_vec3* lost;      /* of each sample, what brings the limb that is farthest from its hold there */
    double* moment_m;   /* of each sample, change of angular momentum; NULL with the next */
    double* outside;    /* of each sample, how far its wrench is beyond what bears it; NULL: nobody asks */
    int* left;          /* of each sample, how many are left until one that has the given pose */
    double returns;     /* in this sample: what limbs go back of their distance from the straight way */
    double *straight, *straight_before; /* values on the straight way, of this sample and the one before */
    int* mode;                          /* of each limb in the sample before: its hold, or -1 - its swing */
    kept_values *now, *next;            /* of each limb: on its hold, on the hold that it swings to */
    double* ends; /* of each sample, where limbs that swing would be on their old holds and on their new ones;
                     two rows of q_count; NULL: nobody asks */
    double* landings;   /* of each swing that has begun, where the limb was and where it lands: two rows */
    bool* begun;        /* of each swing */
    double* scratch[4]; /* q_count each */
} direct;

static double* row(double* rows, int k, int width) { return rows + (size_t)k * (size_t)width; }

static const hf_part* part_of(const direct* d, int p) { return &d->ways->phases->items[p]; }

/* ---- times ---- */

static void set_holds(direct* d) {
    const hf_schedule* s = d->ways->given;
    double last_s = d->ways->phases->items[d->ways->phases->count - 1].to_s;
    for (int i = 0; i < s->hold_count; i++) {
        d->from_s[i] = hf_layout_time(d->layout, d->ways->phases, s->holds[i].from_s);
        d->to_s[i] = s->holds[i].to_s >= last_s - HF_SAME_S
                         ? d->layout->end_s
                         : hf_layout_time(d->layout, d->ways->phases, s->holds[i].to_s);
    }
}

/* The hold that a limb keeps at a time; -1. */
static int hold_at(const direct* d, int limb, double t) {
    for (int i = 0; i < d->ways->given->hold_count; i++)
        if (d->ways->given->holds[i].hold.limb == limb && d->from_s[i] <= t + HF_SAME_S &&
            d->to_s[i] >= t - HF_SAME_S)
            return i;
    return -1;
}

/* The swing that a limb is on, or begins later without a hold before, or ended without a hold behind it; -1.
 */
static int swing_at(const direct* d, int limb, double t) {
    for (int i = 0; i < d->ways->swing_count; i++) {
        const hf_swing_way* s = &d->ways->swings[i];
        bool begun = s->from_hold < 0 || d->layout->begin_s[s->first] <= t;
        if (s->limb == limb && begun && (s->to_hold < 0 || t <= d->layout->begin_s[s->last])) return i;
    }
    return -1;
}

/* The phase as given that a time falls into; -1. */
static int given_phase(const direct* d, double t) {
    for (int p = 0; p < d->ways->phases->count; p++)
        if (part_of(d, p)->as_given && d->layout->begin_s[p] <= t && t <= d->layout->begin_s[p + 1]) return p;
    return -1;
}

/* ---- the body ---- */

/* The body's knot before a time. */
static int knot_at(const direct* d, double t) {
    int i = 0;
    while (i + 2 < d->layout->knot_count && d->layout->knots[i + 1].time_s <= t) i++;
    return i;
}

static double phase_share(const direct* d, int p, double t) {
    double from = d->layout->begin_s[p], took = d->layout->begin_s[p + 1] - from;
    return took > 0 ? fmin(1, fmax(0, (t - from) / took)) : 0;
}

static void given_at(const direct* d, int p, double t, hf_pose* out) {
    double took = d->layout->begin_s[p + 1] - d->layout->begin_s[p];
    hf_pose_spline_at(d->ways->spline, hf_layout_given_time(part_of(d, p), took, phase_share(d, p, t)), out);
}

/* The body's way before it is calmed: straight, or with a part of the given detour. */
static void body_wish(const direct* d, double t, hf_pose* out) {
    int i = knot_at(d, t), p = given_phase(d, t);
    const hf_body_knot *a = &d->layout->knots[i], *b = a + 1;
    if (p >= 0) {
        given_at(d, p, t, out);
        return;
    }
    double u = b->time_s > a->time_s ? fmin(1, fmax(0, (t - a->time_s) / (b->time_s - a->time_s))) : 1;
    hf_pose from = hf_ways_key(d->ways, a->key), to = hf_ways_key(d->ways, b->key);
    hf_pose_between(d->creature, &from, &to, u, out);
    double share = b->key == a->key + 1 ? part_of(d, a->key)->follow : 0;
    if (!(share > 0)) return;
    hf_pose given = {.q = d->scratch[1]}, straight = {out->root, d->scratch[0]};
    memcpy(straight.q, out->q, sizeof(double) * (size_t)d->q_count);
    hf_ways_body(d->ways, a->key, u, &given);
    hf_pose_between(d->creature, &straight, &given, share, out);
}

/* Does a limb without joints hold (a seat)? Then the body cannot go anywhere. */
static bool is_seated(const direct* d, double t) {
    for (int l = 0; l < d->creature->view.limb_count; l++)
        if (d->creature->view.limbs[l].joint_count == 0 && hold_at(d, l, t) >= 0) return true;
    return false;
}

/* The wishes of all samples as rows of numbers, with what each sample's distance from them weighs. */
static void list_wishes(direct* d, double* in, double* weights, bool* fixed) {
    int width = ROOT + d->q_count;
    hf_quat last = {1, 0, 0, 0};
    for (int k = 0; k < d->count; k++) {
        double *r = row(in, k, width), t = k * d->step_s;
        hf_pose pose = {.q = r + ROOT};
        body_wish(d, t, &pose);
        hf_quat o = pose.root.rotation;
        if (o.w * last.w + o.x * last.x + o.y * last.y + o.z * last.z < 0)
            o = (hf_quat){-o.w, -o.x, -o.y, -o.z};
        last = o;
        const double root[ROOT] = {
            pose.root.position.x, pose.root.position.y, pose.root.position.z, o.w, o.x, o.y, o.z};
        memcpy(r, root, sizeof root);
        int key = d->layout->knots[knot_at(d, t)].key, phases = d->ways->phases->count;
        double freedom = part_of(d, key < phases ? key : phases - 1)->freedom;
        double slow_s = CALM_S * (d->ways->moving ? fmax(MOVING_FREEDOM, freedom) : freedom);
        double cube = 1 / (slow_s * slow_s * slow_s);
        weights[k] = cube * cube;
        fixed[k] = given_phase(d, t) >= 0 || is_seated(d, t);
    }
}

static hf_status make_body(direct* d) {
    hf_workspace_mark mark = hf_workspace_begin(d->workspace);
    int width = ROOT + d->q_count;
    size_t n = (size_t)d->count;
    double *in = hf_workspace_take(d->workspace, n * (size_t)width, sizeof *in),
           *out = hf_workspace_take(d->workspace, n * (size_t)width, sizeof *out),
           *weights = hf_workspace_take(d->workspace, n, sizeof *weights);
    if (!in || !out || !weights) return HF_ERROR_MEMORY;
    list_wishes(d, in, weights, d->fixed);
    hf_calm_curve c = {d->count, width, d->step_s, weights, d->fixed};
    hf_status status = hf_calm_curve_find(&c, in, d->workspace, out);
    for (int k = 0; k < d->count; k++) {
        const double* r = row(out, k, width);
        d->roots[k] =
            (hf_transform){{r[0], r[1], r[2]}, hf_quat_normalize((hf_quat){r[3], r[4], r[5], r[6]})};
        memcpy(row(d->wished, k, d->q_count), r + ROOT, sizeof(double) * (size_t)d->q_count);
    }
    hf_workspace_end(d->workspace, mark);
    return status;
}

/* ---- limbs ---- */

/* Puts into `kept` the values with which a limb keeps a hold in this pose. They begin where they were in the
   sample before, with what the posture that the limb should have changed since, and come back to that. */
static hf_status keep(direct* d, int hold, const hf_pose* pose, const double* was, const double* now,
                      hf_keep_care care, kept_values* kept, hf_vec3* lost) {
    const hf_held* h = &d->ways->list->held[hold];
    int limb = h->world.limb;
    for (int i = 0; i < d->q_count; i++) {
        if (!hf_limb_owns(d->creature, limb, i))
            kept->q[i] = pose->q[i];
        else
            kept->q[i] = kept->hold == hold ? now[i] + (1 - d->returns) * (kept->q[i] - was[i]) : now[i];
    }
    bool done = false;
    hf_vec3 miss;
    memcpy(d->scratch[0], kept->q, sizeof(double) * (size_t)d->q_count);
    hf_pose there = {pose->root, kept->q};
    hf_forward(d->creature, &there, d->links);
    hf_status status = hf_held_keep(d->creature, h, care, d->workspace, d->links, kept->q, &done, &miss);
    if (status == HF_OK && !done && lost && hf_length(miss) > hf_length(*lost)) *lost = miss;
    // out of reach: where the solver ends then may be far from where it ended before
    if (!done) memcpy(kept->q, d->scratch[0], sizeof(double) * (size_t)d->q_count);
    kept->hold = hold;
    return status;
}

static void copy_limb(const direct* d, int limb, const double* from, double* to) {
    const hf_limb* l = &d->creature->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &d->creature->view.joints[l->joints[j]];
        memcpy(to + joint->q_index, from + joint->q_index, sizeof(double) * (size_t)joint->q_count);
    }
}

/* A limb that holds: on its hold. A limb that has just landed goes on from where it landed. */
static hf_status hold_limb(direct* d, int k, int limb, int hold, hf_pose* pose) {
    kept_values *now = &d->now[limb], *next = &d->next[limb];
    if (now->hold != hold && next->hold == hold) {
        kept_values t = *now;
        *now = *next, *next = t;
    }
    next->hold = -1;
    hf_status status = keep(d, hold, pose, d->straight_before, d->straight, HF_KEEP_EXACT, now, &d->lost[k]);
    copy_limb(d, limb, now->q, pose->q);
    return status;
}

/* The given pose, with limbs that hold exactly on their holds: as given they may be a little beside. */
static hf_status take_given(direct* d, int k, int p, double t) {
    hf_pose pose = {.q = row(d->q, k, d->q_count)};
    hf_status status = HF_OK;
    given_at(d, p, t, &pose);
    d->roots[k] = pose.root;
    for (int l = 0; l < d->creature->view.limb_count && status == HF_OK; l++) {
        int hold = hold_at(d, l, t);
        d->now[l].hold = d->next[l].hold = -1;
        d->mode[l] = -1;
        if (hold < 0 || !d->creature->view.limbs[l].joint_count) continue;
        status = keep(d, hold, &pose, pose.q, pose.q, HF_KEEP_EXACT, &d->now[l], &d->lost[k]);
        copy_limb(d, l, d->now[l].q, pose.q);
    }
    return status;
}

/* Where a limb goes, and how much of that way is gone; the body's posture where it holds. */
typedef struct limb_state {
    int hold, swing;    /* -1 */
    double share, gone; /* of the swing's time, and of the way */
} limb_state;

static limb_state state_of(const direct* d, int limb, double t) {
    limb_state s = {.hold = hold_at(d, limb, t), .swing = -1};
    if (s.hold >= 0) return s;
    s.swing = swing_at(d, limb, t);
    if (s.swing < 0) return s;
    const hf_swing_way* w = &d->ways->swings[s.swing];
    double from = d->layout->begin_s[w->first], to = d->layout->begin_s[w->last];
    s.share = to > from ? (t - from) / (to - from) : 1;
    s.gone = hf_swing_gone(w, s.share);
    return s;
}

/* The limb's values on the straight way, before holds are kept. What changed since the sample before counts
   only where the limb goes the same way as then. */
static void put_straight(direct* d, int limb, limb_state s, double* q) {
    int mode = s.hold >= 0 ? s.hold : -2 - s.swing;
    const hf_limb* l = &d->creature->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &d->creature->view.joints[l->joints[j]];
        for (int i = joint->q_index; i < joint->q_index + joint->q_count; i++) {
            if (s.swing >= 0) {
                const hf_swing_way* w = &d->ways->swings[s.swing];
                double from = hf_ways_key(d->ways, w->first).q[i], to = hf_ways_key(d->ways, w->last).q[i];
                q[i] = from + s.gone * (to - from);
            }
            d->straight_before[i] = d->mode[limb] == mode ? d->straight[i] : q[i];
            d->straight[i] = q[i];
        }
    }
    d->mode[limb] = mode;
}

/* Where the limb is as its swing ends: on its new hold, with the body where the body is then; without a hold,
   at the key pose. */
static hf_status find_landing(direct* d, const hf_swing_way* w, double* q) {
    const double* posture = hf_ways_key(d->ways, w->last).q;
    memcpy(q, posture, sizeof(double) * (size_t)d->q_count);
    if (w->to_hold < 0) return HF_OK;
    int k = (int)fmin(d->count - 1, ceil(d->layout->begin_s[w->last] / d->step_s - HF_SAME_S));
    hf_pose body = {d->roots[k], row(d->wished, k, d->q_count)};
    kept_values kept = {.hold = -1, .q = q};
    return keep(d, w->to_hold, &body, posture, posture, HF_KEEP_EXACT, &kept, NULL);
}

/* From where the limb was as it let go towards where its old hold would keep it with the body where the body
   is now: wholly as it lets go, and ever less. */
static hf_status lean_back(direct* d, int hold, const hf_pose* pose, double share, kept_values* kept,
                           double* q) {
    double part = hf_ease(fmax(0, 1 - share / NEAR_BACK));
    if (hold < 0 || !(part > 0)) return HF_OK;
    hf_vec3 off = {0, 0, 0};
    hf_status status = HF_OK;
    if (kept->hold == hold) status = keep(d, hold, pose, q, q, HF_KEEP_EXACT, kept, &off);
    // once out of reach the limb goes back to where it was and does not try again, which would make it jump
    if (hf_length(off) > 0) kept->hold = -1;
    for (int i = 0; i < d->q_count && kept->hold != hold; i++) kept->q[i] += RETURN * (q[i] - kept->q[i]);
    for (int i = 0; i < d->q_count; i++) q[i] += part * (kept->q[i] - q[i]);
    return status;
}

/* From where the limb lands towards where its new hold would keep it with the body where the body is now:
   ever more since the limb reaches the hold from there, and wholly as it lands. */
static hf_status lean_on(direct* d, int hold, const hf_pose* pose, double left, kept_values* kept,
                         double* q) {
    if (hold < 0 || left > NEAR) return HF_OK;
    hf_vec3 off = {0, 0, 0};
    bool begins = kept->hold != hold;
    hf_status status = keep(d, hold, pose, q, q, HF_KEEP_EXACT, kept, &off);
    if (hf_length(off) > 0) {
        kept->hold = -1;
        return status;
    }
    if (begins) kept->since = left;
    double part = kept->since > 0 ? hf_ease(fmax(0, 1 - left / kept->since)) : 1;
    for (int i = 0; i < d->q_count; i++) q[i] += part * (kept->q[i] - q[i]);
    return status;
}

/* The swing's ends as the limb lets go: where the limb is, and where it is going to land. */
static hf_status begin_swing(direct* d, const hf_swing_way* w, const double* at, double* ends) {
    memcpy(ends, w->from_hold < 0 ? hf_ways_key(d->ways, w->first).q : at,
           sizeof(double) * (size_t)d->q_count);
    return find_landing(d, w, ends + d->q_count);
}

/* A free limb whose effector goes its given way in the world, which begins and ends at the limb's holds. */
static hf_status trace_limb(direct* d, int limb, limb_state s, hf_pose* pose) {
    const hf_swing_way* w = &d->ways->swings[s.swing];
    const hf_parts* phases = d->ways->phases;
    const hf_limb* l = &d->creature->view.limbs[limb];
    double from = phases->items[w->first].from_s, to = phases->items[w->last - 1].to_s;
    hf_pose given = {.q = d->scratch[2]};
    hf_pose_spline_at(d->ways->spline, from + s.share * (to - from), &given);
    hf_forward(d->creature, &given, d->links);
    hf_transform at = d->links[l->effector_link];
    hf_target t = {
        .kind = HF_TARGET_POSE, .limb = limb, .contact = -1, .point = at.position, .rotation = at.rotation};
    kept_values* last = &d->now[limb];
    copy_limb(d, limb, d->begun[s.swing] ? last->q : given.q, pose->q);
    d->begun[s.swing] = true;
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1, o.near_start = true;
    o.tolerance_m = 1e-6, o.tolerance_rad = 1e-5;
    o.posture = pose->q;
    hf_solve_result r;
    hf_forward(d->creature, pose, d->links);
    hf_status status = hf_limb_solve(d->creature, &d->links[l->base_link], &t, &o, d->workspace, pose->q, &r);
    copy_limb(d, limb, pose->q, last->q);
    last->hold = w->to_hold, d->next[limb].hold = -1;
    return status;
}

/* Where a swing begins and ends with a body that is borne in motion. */
static hf_status find_moving_ends(direct* d, int limb, limb_state s, const hf_pose* pose, double* from,
                                  double* to) {
    const hf_swing_way* w = &d->ways->swings[s.swing];
    double* ends = d->landings + 2 * (size_t)s.swing * (size_t)d->q_count;
    hf_status status = HF_OK;
    if (!d->begun[s.swing]) {
        bool held = d->now[limb].hold == w->from_hold;
        status = begin_swing(d, w, held ? d->now[limb].q : hf_ways_key(d->ways, w->first).q, ends);
    }
    d->begun[s.swing] = true;
    memcpy(from, ends, sizeof(double) * (size_t)d->q_count);
    memcpy(to, ends + d->q_count, sizeof(double) * (size_t)d->q_count);
    if (status == HF_OK) status = lean_back(d, w->from_hold, pose, s.share, &d->now[limb], from);
    if (status == HF_OK) status = lean_on(d, w->to_hold, pose, 1 - s.share, &d->next[limb], to);
    return status;
}

/* Where the limb would be on one of its holds, exactly when it is near it; without a hold, at the key pose.
   A body that is never far from its key poses reaches all holds of its swings. */
static hf_status find_end(direct* d, int hold, int key, bool near, kept_values* kept, const hf_pose* pose,
                          double* q) {
    const double* posture = hf_ways_key(d->ways, key).q;
    hf_status status = HF_OK;
    if (hold >= 0)
        status = keep(d, hold, pose, posture, posture, near ? HF_KEEP_EXACT : HF_KEEP_SOON, kept, NULL);
    memcpy(q, hold >= 0 ? kept->q : posture, sizeof(double) * (size_t)d->q_count);
    return status;
}

/* A free limb on its way from one hold to the other, with the detour of its form. */
static hf_status swing_limb(direct* d, int k, int limb, limb_state s, hf_pose* pose) {
    const hf_swing_way* w = &d->ways->swings[s.swing];
    double *from = d->scratch[2], *to = d->scratch[3];
    hf_status status = HF_OK;
    if (w->forms[w->form].traced) return trace_limb(d, limb, s, pose);
    if (d->ways->moving) {
        status = find_moving_ends(d, limb, s, pose, from, to);
    } else {
        status = find_end(d, w->from_hold, w->first, s.share < NEAR, &d->now[limb], pose, from);
        if (status == HF_OK)
            status = find_end(d, w->to_hold, w->last, s.share > 1 - NEAR, &d->next[limb], pose, to);
    }
    for (int i = 0; i < d->q_count && status == HF_OK; i++) {
        if (!hf_limb_owns(d->creature, limb, i)) continue;
        if (d->ends)
            row(d->ends, 2 * k, d->q_count)[i] = from[i], row(d->ends, 2 * k + 1, d->q_count)[i] = to[i];
        pose->q[i] = from[i] + s.gone * (to[i] - from[i]) + hf_swing_detour(d->ways, w, i, s.share);
    }
    return status;
}

static hf_status make_pose(direct* d, int k) {
    double t = k * d->step_s;
    int p = given_phase(d, t), limbs = d->creature->view.limb_count;
    hf_pose pose = {d->roots[k], row(d->q, k, d->q_count)};
    hf_status status = HF_OK;
    d->lost[k] = hf_v3(0, 0, 0);
    d->returns = fmax(RETURN, 1.0 / (d->left[k] + 1));
    if (p >= 0) return take_given(d, k, p, t);
    hf_pose_follow(d->creature, pose.q);
    for (int l = 0; l < limbs; l++) put_straight(d, l, state_of(d, l, t), pose.q);
    for (int l = 0; l < limbs && status == HF_OK; l++) {
        limb_state s = state_of(d, l, t);
        if (s.hold >= 0 && d->creature->view.limbs[l].joint_count)
            status = hold_limb(d, k, l, s.hold, &pose);
        else if (s.swing >= 0)
            status = swing_limb(d, k, l, s, &pose);
    }
    hf_pose_follow(d->creature, pose.q);
    return status;
}

/* The last sample has the given pose, and so have those of phases as given. */
static void count_left(direct* d) {
    for (int k = d->count - 1; k >= 0; k--)
        d->left[k] = k == d->count - 1 || given_phase(d, k * d->step_s) >= 0 ? 0 : d->left[k + 1] + 1;
}

/* The limbs of all samples, where the body is. */
static hf_status make_limbs(direct* d) {
    hf_status status = HF_OK;
    count_left(d);
    int limbs = d->creature->view.limb_count;
    for (int l = 0; l < 2 * limbs; l++) d->now[l].hold = -1;
    for (int l = 0; l < limbs; l++) d->mode[l] = -1;
    for (int i = 0; i < d->ways->swing_count; i++) d->begun[i] = false;
    hf_spend(d->workspace, d->creature, HF_WORK_POSE, d->count);
    memcpy(d->q, d->wished, sizeof(double) * (size_t)d->count * (size_t)d->q_count);
    for (int k = 0; k < d->count && status == HF_OK && hf_workspace_goes_on_often(d->workspace); k++)
        status = make_pose(d, k);
    return status;
}

/* ---- balance in motion ---- */

/* The holds at a time between two changes; how many, -1: too many. */
static int list_holds(const direct* d, double t, int holds[HF_STANCE_SUPPORTS]) {
    int count = 0;
    for (int i = 0; i < d->ways->given->hold_count; i++) {
        if (d->from_s[i] > t || d->to_s[i] < t) continue;
        if (count == HF_STANCE_SUPPORTS) return -1;
        holds[count++] = i;
    }
    return count;
}

/* What bears a sample: the fewer holds of those just before and just behind it, so that a frame which falls
   beside a change has at least these. */
static hf_status find_stance(const direct* d, int k, const hf_stance** stance) {
    int before[HF_STANCE_SUPPORTS], behind[HF_STANCE_SUPPORTS];
    double t = k * d->step_s;
    int first = list_holds(d, fmax(0, t - d->step_s), before);
    int last = list_holds(d, fmin(d->layout->end_s, t + d->step_s), behind);
    *stance = NULL;
    if (first < 0 || last < 0) return HF_ERROR_LIMIT;
    bool earlier = first < last;
    hf_stance* found = NULL;
    hf_status status =
        hf_stance_list_find(d->creature, d->ways->list, d->ways->hold_of, earlier ? before : behind,
                            earlier ? first : last, d->workspace, &found);
    *stance = found;
    return status;
}

/* What the phases at a time have learned. */
static void take_learned(const direct* d, int k, hf_borne_body* b) {
    double t = k * d->step_s;
    b->margin_m[k] = 0, b->freedom[k] = 1;
    for (int p = 0; p < d->ways->phases->count; p++) {
        if (d->layout->begin_s[p] > t || t > d->layout->begin_s[p + 1]) continue;
        b->margin_m[k] = fmax(b->margin_m[k], part_of(d, p)->margin_m);
        b->freedom[k] = fmin(b->freedom[k], part_of(d, p)->freedom);
    }
}

static const double SETTLED_M = 5e-4; /* a pass that shifts the body by less is the last one */
enum { PASSES = 6 }; /* of the body's way: height and momentum follow from the poses of the pass before */

/* From this pass on a way that is far from being borne is not worth another one. */
enum { FIRST_PASSES = 2 };
static const double FAR_OFF = 0.03, FAR_OFF_M = 0.005; /* body weights times metres; of a limb to its hold */

static bool is_far_off(const direct* d, const hf_borne_body* b) {
    for (int k = 0; k < d->count; k++)
        if (b->outside[k] > FAR_OFF || hf_length(d->lost[k]) > FAR_OFF_M) return true;
    return false;
}

/* The body goes where the contacts bear it in motion; limbs follow. */
static hf_status bear_body(direct* d) {
    hf_borne_body b = {.creature = d->creature,
                       .count = d->count,
                       .q_count = d->q_count,
                       .step_s = d->step_s,
                       .roots = d->roots,
                       .q = d->q,
                       .fixed = d->fixed,
                       .lost = d->lost};
    hf_status status = hf_borne_body_take(&b, d->workspace) ? HF_OK : HF_ERROR_MEMORY;
    for (int k = 0; k < d->count && status == HF_OK; k++) {
        status = find_stance(d, k, &b.stances[k]);
        take_learned(d, k, &b);
    }
    for (int i = 0; i < PASSES && status == HF_OK && hf_workspace_goes_on(d->workspace); i++) {
        double shift_m = 0;
        status = hf_borne_body_shift(&b, i == 0, d->workspace, &shift_m);
        if (shift_m < SETTLED_M || (i >= FIRST_PASSES && is_far_off(d, &b))) break;
        if (status == HF_OK) status = make_limbs(d);
    }
    d->outside = b.outside, d->moment_m = b.moment_m;
    return status;
}

/* ---- the whole ---- */

static hf_status write_schedule(const direct* d, double rate, hf_schedule** out) {
    const hf_schedule* given = d->ways->given;
    hf_status status = hf_schedule_create(d->creature, rate, out);
    for (int k = 0; k < d->count && status == HF_OK; k++) {
        hf_pose pose = {d->roots[k], row(d->q, k, d->q_count)};
        status = hf_schedule_add(*out, NULL, k * d->step_s, &pose, NULL, 0, false);
    }
    for (int i = 0; i < given->hold_count && status == HF_OK; i++) {
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK)
            (*out)->holds[(*out)->hold_count++] =
                (hf_schedule_hold){given->holds[i].hold, d->from_s[i], d->to_s[i]};
    }
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*out);
    *out = NULL;
    return status;
}

static bool take(direct* d) {
    hf_workspace* w = d->workspace;
    size_t limbs = (size_t)d->creature->view.limb_count, n = (size_t)d->q_count + 1, rows = (size_t)d->count;
    size_t holds = (size_t)d->ways->given->hold_count + 1;
    d->roots = hf_workspace_take(w, rows, sizeof *d->roots);
    d->q = hf_workspace_take(w, rows * n, sizeof(double));
    d->wished = hf_workspace_take(w, rows * n, sizeof(double));
    d->fixed = hf_workspace_take(w, rows, sizeof *d->fixed);
    d->lost = hf_workspace_take(w, rows, sizeof *d->lost);
    d->left = hf_workspace_take(w, rows, sizeof *d->left);
    d->from_s = hf_workspace_take(w, 2 * holds, sizeof(double));
    d->links = hf_workspace_take(w, (size_t)d->creature->view.link_count, sizeof *d->links);
    d->straight = hf_workspace_take(w, 6 * n, sizeof(double));
    size_t swings = (size_t)d->ways->swing_count + 1;
    d->landings = hf_workspace_take(w, 2 * swings * n, sizeof(double));
    d->begun = hf_workspace_take(w, swings, sizeof *d->begun);
    d->mode = hf_workspace_take(w, limbs + 1, sizeof *d->mode);
    d->now = hf_workspace_take(w, 2 * limbs + 1, sizeof *d->now);
    if (!d->landings || !d->begun || !d->fixed || !d->roots || !d->q || !d->wished || !d->lost || !d->left ||
        !d->from_s || !d->links || !d->straight || !d->mode || !d->now)
        return false;
    // samples that are not made once the work is spent
    memset(d->q, 0, rows * n * sizeof(double));
    memset(d->lost, 0, rows * sizeof *d->lost);
    d->to_s = d->from_s + holds;
    d->straight_before = d->straight + n;
    for (int i = 0; i < 4; i++) d->scratch[i] = d->straight + (size_t)(2 + i) * n;
    d->next = d->now + limbs;
    for (size_t i = 0; i < 2 * limbs; i++) {
        d->now[i] = (kept_values){.hold = -1, .q = hf_workspace_take(w, n, sizeof(double))};
        if (!d->now[i].q) return false;
    }
    return true;
}

/* Body and limbs of all samples. */
static hf_status make_all(direct* d, double rate, hf_workspace* workspace) {
    d->count = (int)fmax(8, ceil(d->layout->end_s * rate) + 1);
    d->step_s = d->layout->end_s / (d->count - 1);
    d->workspace = workspace;
    hf_status status = take(d) ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) set_holds(d);
    if (status == HF_OK) status = make_body(d);
    if (status == HF_OK) status = make_limbs(d);
    if (status == HF_OK && d->ways->moving) status = bear_body(d);
    return status;
}

static void tell_loads(const direct* d, hf_part_load* loads) {
    const double* begin = d->layout->begin_s;
    for (int p = 0; p < d->ways->phases->count; p++) loads[p] = (hf_part_load){.outside = -INFINITY};
    for (int k = 0; k < d->count; k++)
        for (int p = 0; p < d->ways->phases->count; p++)
            if (fmin(begin[p], begin[p + 1]) <= k * d->step_s &&
                k * d->step_s <= fmax(begin[p], begin[p + 1])) {
                loads[p].lost_m = fmax(loads[p].lost_m, hf_length(d->lost[k]));
                if (!d->outside) continue;
                loads[p].outside = fmax(loads[p].outside, d->outside[k]);
                if (d->outside[k] > 0) loads[p].moment_m = fmax(loads[p].moment_m, d->moment_m[k]);
            }
}

hf_status hf_direct_make(const hf_ways* ways, const hf_layout* layout, double rate, hf_workspace* workspace,
                         hf_schedule** out, hf_part_load* loads) {
    direct d = {.creature = ways->creature, .ways = ways, .layout = layout, .q_count = ways->q_count};
    *out = NULL;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_status status = make_all(&d, rate, workspace);
    if (status == HF_OK) tell_loads(&d, loads);
    if (status == HF_OK) status = write_schedule(&d, rate, out);
    hf_workspace_end(workspace, mark);
    return status;
}

/* ---- forms of swings ---- */

enum { LOOKS = 24 }; /* poses of a swing that are looked at; they are nearer to each other at its ends */

typedef struct look {
    const direct* d;
    const hf_swing_way* swing;
    double from_s, to_s;
    hf_collision_query query;
    hf_hold* touches; /* of all limbs but the swing's, then its own */
    hf_workspace* workspace;
    double *before, *now; /* q_count each */
} look;

/* The samples in which the limb is on its way; at the ends of its swing it is still, or already, held. */
static void own_samples(const look* l, int* first, int* last) {
    *first = (int)ceil((l->from_s + 2 * HF_SAME_S) / l->d->step_s);
    *last = (int)floor((l->to_s - 2 * HF_SAME_S) / l->d->step_s);
}

/* The pose at a time of a swing, with the form that the swing has now. */
static void pose_at(const look* l, double t, hf_pose* out) {
    const direct* d = l->d;
    double at = fmin(d->count - 1, fmax(0, t / d->step_s)), share = (t - l->from_s) / (l->to_s - l->from_s);
    int k = (int)fmin(d->count - 2, floor(at));
    double u = at - k, gone = hf_swing_gone(l->swing, share);
    hf_pose a = {d->roots[k], row(d->q, k, d->q_count)}, b = {d->roots[k + 1], row(d->q, k + 1, d->q_count)};
    hf_pose_between(d->creature, &a, &b, u, out);
    int first, last;
    own_samples(l, &first, &last);
    int i = k < first ? first : k > last ? last : k, j = k + 1 < first ? first : k + 1 > last ? last : k + 1;
    for (int v = 0; v < d->q_count && first <= last; v++) {
        if (!hf_limb_owns(d->creature, l->swing->limb, v)) continue;
        double from = row(d->ends, 2 * i, d->q_count)[v], to = row(d->ends, 2 * i + 1, d->q_count)[v];
        from += u * (row(d->ends, 2 * j, d->q_count)[v] - from);
        to += u * (row(d->ends, 2 * j + 1, d->q_count)[v] - to);
        out->q[v] = from + gone * (to - from) + hf_swing_detour(d->ways, l->swing, v, share);
    }
    hf_pose_follow(d->creature, out->q);
}

/* The holds of the other limbs at a time, and at the ends of a swing its own. */
static int list_touches(const look* l, double t, int own) {
    const direct* d = l->d;
    int count = 0;
    for (int limb = 0; limb < d->creature->view.limb_count; limb++) {
        int hold = limb == l->swing->limb ? own : hold_at(d, limb, t);
        if (hold >= 0 && d->ways->list->held[hold].world.object >= 0)
            l->touches[count++] = d->ways->list->held[hold].world;
    }
    return count;
}

/* Does the swing's limb collide on its way? */
static hf_status look_at(look* l, const hf_placement* placement, bool* collides) {
    hf_pose last = {.q = l->before}, now = {.q = l->now};
    hf_status status = HF_OK;
    // between samples a limb is on its hold at the samples alone
    int first_own, last_own;
    own_samples(l, &first_own, &last_own);
    double from_s = first_own * l->d->step_s, took_s = (last_own - first_own) * l->d->step_s;
    *collides = false;
    if (first_own >= last_own) return HF_OK;
    pose_at(l, from_s, &last);
    for (int i = 1; i <= LOOKS && !*collides && status == HF_OK; i++) {
        double t = from_s + took_s * (1 - hf_cos(M_PI * i / LOOKS)) / 2;
        hf_spend(l->workspace, l->d->creature, HF_WORK_POSE, 1);
        pose_at(l, t, &now);
        int own = i == 1 ? l->swing->from_hold : i == LOOKS ? l->swing->to_hold : -1;
        l->query.touches = l->touches;
        l->query.touch_count = list_touches(l, t, own);
        hf_collision hit;
        status =
            hf_move_collides(l->d->creature, placement, &last, &now, &l->query, l->workspace, collides, &hit);
        hf_pose free = last;
        last = now, now = free;
    }
    return status;
}

/* Samples get the values of the form that was chosen: the next swings meet them. */
static void put_form(const look* l) {
    direct* d = (direct*)(uintptr_t)l->d;
    for (int k = (int)ceil(l->from_s / d->step_s); k < d->count && k * d->step_s <= l->to_s; k++) {
        hf_pose pose = {.q = l->now};
        pose_at(l, k * d->step_s, &pose);
        memcpy(row(d->q, k, d->q_count), pose.q, sizeof(double) * (size_t)d->q_count);
    }
}

static hf_status choose_form(look* l, hf_swing_way* swing, const hf_placement* placement) {
    hf_status status = HF_OK;
    int before = swing->form;
    bool collides = true;
    swing->looked = true;
    while (collides && status == HF_OK && hf_swing_choose(swing)) {
        collides = false;
        // the given way of an effector is free as given; the poses of a limb on it are made next time
        if (!swing->forms[swing->form].traced) status = look_at(l, placement, &collides);
        swing->forms[swing->form].banned = collides;
    }
    if (swing->form != before && !swing->forms[swing->form].traced) put_form(l);
    return status;
}

hf_status hf_direct_choose(hf_ways* ways, const hf_layout* layout, double rate, const hf_placement* placement,
                           hf_workspace* workspace, hf_part_load* loads, hf_schedule** out) {
    direct d = {.creature = ways->creature, .ways = ways, .layout = layout, .q_count = ways->q_count};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    size_t n = (size_t)ways->q_count + 1, limbs = (size_t)ways->creature->view.limb_count + 1;
    size_t rows = 2 * (size_t)fmax(8, ceil(layout->end_s * rate) + 1);
    d.ends = hf_workspace_take(workspace, rows * n, sizeof(double));
    look l = {.d = &d,
              .touches = hf_workspace_take(workspace, limbs, sizeof *l.touches),
              .workspace = workspace,
              .before = hf_workspace_take(workspace, 2 * n, sizeof(double))};
    hf_status status = d.ends && l.touches && l.before ? make_all(&d, rate, workspace) : HF_ERROR_MEMORY;
    if (status == HF_OK) tell_loads(&d, loads);
    l.now = l.before + n;
    for (int i = 0; i < ways->swing_count && status == HF_OK && hf_workspace_goes_on(workspace); i++) {
        hf_swing_way* s = &ways->swings[i];
        if (s->looked || hf_swing_is_given(ways, s) || (ways->moving && hf_swing_is_strained(ways, s, loads)))
            continue;
        // a limb that traces its given way has no ends between which other forms could be looked at
        if (s->forms[s->form].traced) {
            s->looked = true;
            continue;
        }
        l.swing = s;
        l.from_s = layout->begin_s[s->first], l.to_s = layout->begin_s[s->last];
        l.query = hf_collision_query_default();
        l.query.limb = s->limb;
        status = choose_form(&l, s, placement);
    }
    if (out) *out = NULL;
    if (out && status == HF_OK) status = write_schedule(&d, rate, out);
    hf_workspace_end(workspace, mark);
    return status;
}
