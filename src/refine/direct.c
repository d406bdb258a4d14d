/* Key poses are those at which a hold begins or ends. The body goes straight from key pose to key pose, on a
   curve with little jerk that does not stop there (calm_curve.c); a limb that holds is kept on its hold; a
   limb that swings goes straight in its joint values from where its old hold keeps it to where its new hold
   keeps it, both of which move with the body, so that it leaves and lands with the speed of its hold. Phases
   in which the straight way does not do take a share of the detour that they had as given. */
#include "refine/direct.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/calm_curve.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

enum {
    WAY = 48,   /* even parts of a phase's way, by length */
    FINE = 96,  /* even parts of a phase's given time, from which those are found */
    WAVES = 14, /* half waves that a detour consists of at most */
    FEW = 4,    /* and to begin with */
    ROOT = 7    /* numbers of a root: place and quaternion */
};
static const double SAME_S = 1e-7;  /* times that differ by less are the same */
static const double CALM_S = 0.2;   /* over which the body's way is calmed where it is free: half a swing */
static const double LEAST_S = 0.06; /* that a phase takes at least: some frames between two changes */
/* Of its way in a phase, what a free body goes during the swings beside the phase: most, as swings take
   longer than the phases between them. */
static const double BESIDE = 0.6;
static const double RESERVE = 1.2;    /* of the least time from rest to rest: rounded corners, lifts */
static const double REST_S = 0.06;    /* at either end of a phase that is as given: some samples */
static const double BODY_ARM_M = 0.5; /* by which turns of the root count as lengths */

/* Of a limb's distance from the straight way, what it goes back in each sample: half of it in four samples.
 */
static const double RETURN = 0.15;

/* The ways of one phase: given times at even lengths of the limbs' and of the body's way, and the limbs'
   detours from the straight way there. */
typedef struct phase_way {
    double limb_s[WAY + 1], body_s[WAY + 1];
    double* waves; /* WAVES rows of q_count */
} phase_way;

/* The values with which a limb keeps a hold in the sample before: the next ones begin there, with what the
   straight way has changed since, so that they do not jump. */
typedef struct kept_values {
    int hold; /* -1: none yet */
    double* q;
} kept_values;

typedef struct direct {
    const hf_creature* creature;
    const hf_schedule* given;
    hf_pose_spline* spline;
    const hf_parts* phases;
    const hf_stance_list* list;
    hf_workspace* workspace;
    int count, q_count;
    double step_s;
    bool* of_limb; /* q_count flags: the value belongs to a limb that holds at some time */
    bool* free;    /* phases x q_count flags: the value belongs to a limb that holds nothing then */
    hf_transform* key_roots;
    double* keys; /* phase count + 1 rows */
    phase_way* ways;
    hf_transform *roots, *links;
    double *q, *lost;
    double *straight, *straight_before; /* values on the straight way, of this sample and the one before */
    double* lean;                       /* what free limbs add to these for their holds */
    kept_values *now, *next;            /* of each limb: on its hold, on the hold that it swings to */
    double* scratch[2];                 /* q_count each */
} direct;

static double bell(double u) {
    u = fmin(1, fmax(0, u));
    return u * u * u * (10 + u * (6 * u - 15));
}

static double* row(double* rows, int k, int width) { return rows + (size_t)k * (size_t)width; }

/* ---- which values belong to what ---- */

static void mark_limb(const hf_creature* c, int limb, bool* flags) {
    const hf_limb* l = &c->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &c->view.joints[l->joints[j]];
        for (int i = 0; i < joint->q_count; i++) flags[joint->q_index + i] = true;
    }
}

/* Values of limbs that ever hold, and of those among them that are free in each phase. */
static void mark_values(direct* d) {
    int limbs = d->list->limb_count, n = d->q_count;
    memset(d->of_limb, 0, (size_t)n * sizeof *d->of_limb);
    for (int p = 0; p < d->phases->count; p++)
        for (int l = 0; l < limbs; l++)
            if (d->list->limbs[p * limbs + l]) mark_limb(d->creature, l, d->of_limb);
    for (int p = 0; p < d->phases->count; p++) {
        bool* flags = d->free + (size_t)p * (size_t)n;
        memset(flags, 0, (size_t)n * sizeof *flags);
        for (int l = 0; l < limbs; l++)
            if (d->list->limbs[p * limbs + l]) mark_limb(d->creature, l, flags);
        for (int i = 0; i < n; i++) flags[i] = d->of_limb[i] && !flags[i];
    }
}

/* ---- ways ---- */

static hf_pose key_pose(const direct* d, int k) {
    return (hf_pose){d->key_roots[k], row(d->keys, k, d->q_count)};
}

static void find_keys(direct* d) {
    for (int k = 0; k <= d->phases->count; k++) {
        const hf_part* a = &d->phases->items[k < d->phases->count ? k : k - 1];
        hf_pose pose = {.q = row(d->keys, k, d->q_count)};
        hf_pose_spline_at(d->spline, k < d->phases->count ? a->from_s : a->to_s, &pose);
        d->key_roots[k] = pose.root;
    }
}

/* Lengths that limbs and body go between two poses of a phase. */
static void add_lengths(const direct* d, int p, const hf_pose* a, const hf_pose* b, double* limb,
                        double* body) {
    const bool* free = d->free + (size_t)p * (size_t)d->q_count;
    double l = 0, o = 0, turn = BODY_ARM_M * hf_quat_angle(a->root.rotation, b->root.rotation);
    for (int i = 0; i < d->q_count; i++) {
        double x = (b->q[i] - a->q[i]) * (b->q[i] - a->q[i]);
        if (free[i])
            l += x;
        else if (!d->of_limb[i])
            o += x;
    }
    hf_vec3 shift = hf_sub(b->root.position, a->root.position);
    *limb += sqrt(l);
    *body += sqrt(o * BODY_ARM_M * BODY_ARM_M + hf_dot(shift, shift) + turn * turn);
}

/* Given times at even lengths. */
static void even_times(const hf_part* a, const double lengths[FINE + 1], double times[WAY + 1]) {
    double took = a->to_s - a->from_s;
    int k = 0;
    for (int i = 0; i <= WAY; i++) {
        double length = lengths[FINE] * i / WAY;
        while (k + 1 < FINE && lengths[k + 1] < length) k++;
        double step = lengths[k + 1] - lengths[k];
        double u = step > 0 ? fmin(1, fmax(0, (length - lengths[k]) / step)) : 0;
        times[i] = lengths[FINE] > 0 ? a->from_s + took * (k + u) / FINE : a->from_s + took * i / WAY;
    }
    times[0] = a->from_s, times[WAY] = a->to_s;
}

static void measure_way(direct* d, int p) {
    const hf_part* a = &d->phases->items[p];
    double limb[FINE + 1] = {0}, body[FINE + 1] = {0};
    hf_pose last = {.q = d->scratch[0]}, now = {.q = d->scratch[1]};
    for (int i = 0; i <= FINE; i++) {
        hf_pose_spline_at(d->spline, a->from_s + (a->to_s - a->from_s) * i / FINE, &now);
        if (i > 0) limb[i] = limb[i - 1], body[i] = body[i - 1];
        if (i > 0) add_lengths(d, p, &last, &now, &limb[i], &body[i]);
        hf_pose t = last;
        last = now, now = t;
    }
    even_times(a, limb, d->ways[p].limb_s);
    even_times(a, body, d->ways[p].body_s);
}

/* Half waves: a detour in few of them bends little, and has none of the corners of the given way. */
static double wave(int n, int i) { return hf_sin(M_PI * (n + 1) * i / WAY); }

/* The limbs' detours from the straight way as sums of half waves, none at the ends. */
static void find_detour(direct* d, int p) {
    phase_way* w = &d->ways[p];
    const bool* free = d->free + (size_t)p * (size_t)d->q_count;
    const double *from = row(d->keys, p, d->q_count), *to = row(d->keys, p + 1, d->q_count);
    memset(w->waves, 0, sizeof(double) * WAVES * (size_t)d->q_count);
    for (int i = 1; i < WAY; i++) {
        double u = (double)i / WAY;
        hf_pose given = {.q = d->scratch[0]};
        hf_pose_spline_at(d->spline, w->limb_s[i], &given);
        for (int k = 0; k < d->q_count; k++)
            for (int n = 0; n < WAVES && free[k]; n++)
                row(w->waves, n, d->q_count)[k] +=
                    2.0 / WAY * wave(n, i) * (given.q[k] - (1 - u) * from[k] - u * to[k]);
    }
}

static double detour_at(const direct* d, int p, int k, double gone) {
    double sum = 0;
    for (int n = 0; n < (d->phases->items[p].exact ? WAVES : FEW); n++)
        sum += row(d->ways[p].waves, n, d->q_count)[k] * hf_sin(M_PI * (n + 1) * gone);
    return d->phases->items[p].lift * sum;
}

/* ---- times ---- */

/* Rest to rest as fast as speed and acceleration allow. */
static double least_time(double length, double speed, double acceleration) {
    return length < speed * speed / acceleration ? 2 * sqrt(length / acceleration)
                                                 : length / speed + speed / acceleration;
}

/* How far a value goes in a phase: straight, and the phase's share of the detour. */
static double value_length(const direct* d, int p, int k) {
    const double *from = row(d->keys, p, d->q_count), *to = row(d->keys, p + 1, d->q_count);
    double sum = 0, last = 0;
    if (!d->free[(size_t)p * (size_t)d->q_count + (size_t)k]) return fabs(to[k] - from[k]);
    for (int i = 1; i <= WAY; i++) {
        double now = detour_at(d, p, k, (double)i / WAY);
        sum += fabs((to[k] - from[k]) / WAY + now - last);
        last = now;
    }
    return sum;
}

/* What limbs on their way need, and what the body needs. */
static void least_times(const direct* d, int p, double* limb_s, double* body_s) {
    const hf_creature_view* v = &d->creature->view;
    const bool* free = d->free + (size_t)p * (size_t)d->q_count;
    hf_vec3 shift = hf_sub(d->key_roots[p + 1].position, d->key_roots[p].position);
    double turn = hf_quat_angle(d->key_roots[p + 1].rotation, d->key_roots[p].rotation);
    double fast = v->limits.root_speed, gain = v->limits.root_acceleration;
    *limb_s = 0;
    *body_s = fmax(least_time(hf_length(shift), fast, gain),
                   least_time(turn, v->limits.root_turn, gain * v->limits.root_turn / fast));
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        for (int k = joint->q_index; k < joint->q_index + joint->q_count; k++) {
            double t = least_time(value_length(d, p, k), joint->max_speed, joint->max_acceleration);
            if (free[k])
                *limb_s = fmax(*limb_s, t);
            else
                *body_s = fmax(*body_s, t);
        }
    }
}

static void set_times(const direct* d, hf_parts* phases) {
    for (int p = 0; p < phases->count; p++) {
        hf_part* a = &phases->items[p];
        double limb_s, body_s;
        least_times(d, p, &limb_s, &body_s);
        body_s *= 1 - BESIDE * a->freedom;
        a->took_s =
            a->as_given ? a->to_s - a->from_s + 2 * REST_S : fmax(LEAST_S, RESERVE * fmax(limb_s, body_s));
    }
    hf_parts_add_up(phases);
}

/* ---- the body ---- */

static double phase_begin(const direct* d, int p) {
    double sum = 0;
    for (int i = 0; i < p; i++) sum += d->phases->items[i].took_s;
    return sum;
}

/* The given time at a share of a phase that is as given: at rest at both ends. */
static double given_time(const hf_part* a, double share) {
    double inside = (share * a->took_s - REST_S) / (a->took_s - 2 * REST_S);
    return a->from_s + fmin(1, fmax(0, inside)) * (a->to_s - a->from_s);
}

/* The body's way before it is calmed, at a share of a phase: straight, or a part of the given way. */
static void body_wish(const direct* d, int p, double u, hf_pose* out) {
    hf_pose from = key_pose(d, p), to = key_pose(d, p + 1), given = {.q = d->scratch[1]};
    hf_pose straight = {.q = d->scratch[0]};
    const hf_part* a = &d->phases->items[p];
    if (a->as_given) {
        hf_pose_spline_at(d->spline, given_time(a, u), out);
        return;
    }
    double share = d->phases->items[p].follow, at = fmin(1, fmax(0, u)) * WAY;
    hf_pose_between(d->creature, &from, &to, u, &straight);
    if (share > 0) {
        int i = (int)fmin(WAY - 1, at);
        double t = d->ways[p].body_s[i] + (at - i) * (d->ways[p].body_s[i + 1] - d->ways[p].body_s[i]);
        hf_pose_spline_at(d->spline, t, &given);
        hf_pose_between(d->creature, &straight, &given, share, out);
        return;
    }
    out->root = straight.root;
    memcpy(out->q, straight.q, sizeof(double) * (size_t)d->q_count);
}

static bool is_seated(const direct* d, int p) {
    for (int l = 0; l < d->list->limb_count; l++)
        if (d->list->limbs[p * d->list->limb_count + l] && d->creature->view.limbs[l].joint_count == 0)
            return true;
    return false;
}

/* The wishes of all samples as rows of numbers, with what each sample's distance from them weighs. */
static void list_wishes(direct* d, double* in, double* weights, bool* fixed) {
    int width = ROOT + d->q_count;
    hf_quat last = {1, 0, 0, 0};
    for (int k = 0; k < d->count; k++) {
        double *r = row(in, k, width), t = k * d->step_s;
        int p = hf_parts_at(d->phases, t);
        const hf_part* a = &d->phases->items[p];
        hf_pose pose = {.q = r + ROOT};
        body_wish(d, p, (t - phase_begin(d, p)) / a->took_s, &pose);
        hf_quat o = pose.root.rotation;
        if (o.w * last.w + o.x * last.x + o.y * last.y + o.z * last.z < 0)
            o = (hf_quat){-o.w, -o.x, -o.y, -o.z};
        last = o;
        const double root[ROOT] = {
            pose.root.position.x, pose.root.position.y, pose.root.position.z, o.w, o.x, o.y, o.z};
        memcpy(r, root, sizeof root);
        double slow_s = CALM_S * a->freedom, cube = 1 / (slow_s * slow_s * slow_s);
        weights[k] = cube * cube;
        fixed[k] = a->as_given || is_seated(d, p);
    }
}

static hf_status make_body(direct* d) {
    hf_workspace_mark mark = hf_workspace_begin(d->workspace);
    int width = ROOT + d->q_count;
    size_t n = (size_t)d->count;
    double *in = hf_workspace_take(d->workspace, n * (size_t)width, sizeof *in),
           *out = hf_workspace_take(d->workspace, n * (size_t)width, sizeof *out),
           *weights = hf_workspace_take(d->workspace, n, sizeof *weights);
    bool* fixed = hf_workspace_take(d->workspace, n, sizeof *fixed);
    if (!in || !out || !weights || !fixed) return HF_ERROR_MEMORY;
    list_wishes(d, in, weights, fixed);
    hf_calm_curve c = {d->count, width, d->step_s, weights, fixed};
    hf_status status = hf_calm_curve_find(&c, in, d->workspace, out);
    for (int k = 0; k < d->count; k++) {
        const double* r = row(out, k, width);
        d->roots[k] =
            (hf_transform){{r[0], r[1], r[2]}, hf_quat_normalize((hf_quat){r[3], r[4], r[5], r[6]})};
        memcpy(row(d->q, k, d->q_count), r + ROOT, sizeof(double) * (size_t)d->q_count);
    }
    hf_workspace_end(d->workspace, mark);
    return status;
}

/* ---- limbs ---- */

/* The limbs' values on the straight way, before holds are kept. */
static void put_limbs(const direct* d, int p, double gone, double* q) {
    const double *from = row(d->keys, p, d->q_count), *to = row(d->keys, p + 1, d->q_count);
    for (int k = 0; k < d->q_count; k++)
        if (d->of_limb[k]) q[k] = from[k] + gone * (to[k] - from[k]);
}

/* Adds to the values of free limbs how far they lean to their holds, and the phase's share of the detour. */
static void add_detour(const direct* d, int p, double gone, const double* lean, double* q) {
    const bool* free = d->free + (size_t)p * (size_t)d->q_count;
    for (int k = 0; k < d->q_count; k++)
        if (free[k]) q[k] += lean[k] + detour_at(d, p, k, gone);
}

/* The hold that a limb keeps in a phase, or that ends as the phase begins, or that begins as it ends; -1. */
static int find_hold(const direct* d, int p, int limb, int end) {
    const hf_part* a = &d->phases->items[p];
    for (int i = 0; i < d->given->hold_count; i++) {
        const hf_schedule_hold* h = &d->given->holds[i];
        if (h->hold.limb != limb) continue;
        if (end == 0 && h->from_s <= a->from_s + SAME_S && h->to_s >= a->to_s - SAME_S) return i;
        if (end < 0 && fabs(h->to_s - a->from_s) < SAME_S) return i;
        if (end > 0 && fabs(h->from_s - a->to_s) < SAME_S) return i;
    }
    return -1;
}

/* Puts into `kept` the values with which a limb keeps a hold in this pose. */
static hf_status keep(direct* d, int hold, const hf_pose* pose, kept_values* kept, double* lost) {
    const hf_held* h = &d->list->held[hold];
    const double *now = d->straight, *was = d->straight_before;
    for (int i = 0; i < d->q_count; i++)
        kept->q[i] = kept->hold == hold && d->of_limb[i]
                         ? kept->q[i] + now[i] - was[i] + RETURN * (was[i] - kept->q[i])
                         : pose->q[i];
    bool done = false;
    hf_vec3 miss;
    memcpy(d->scratch[0], kept->q, sizeof(double) * (size_t)d->q_count);
    hf_pose there = {pose->root, kept->q};
    hf_forward(d->creature, &there, d->links);
    hf_status status = hf_hold_keep(d->creature, &h->world, &h->anchor, lost ? HF_KEEP_EXACT : HF_KEEP_SOON,
                                    d->workspace, d->links, kept->q, &done, &miss);
    if (status == HF_OK && !done && lost) *lost = fmax(*lost, hf_length(miss));
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
    hf_status status = keep(d, hold, pose, now, &d->lost[k]);
    copy_limb(d, limb, now->q, pose->q);
    return status;
}

/* Adds a share of the way from the limb's values to those with which it would keep a hold. */
static hf_status lean_to(direct* d, int limb, int hold, kept_values* kept, double share,
                         const hf_pose* pose) {
    if (hold < 0) return HF_OK;
    hf_status status = keep(d, hold, pose, kept, NULL);
    const hf_limb* l = &d->creature->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &d->creature->view.joints[l->joints[j]];
        for (int i = joint->q_index; i < joint->q_index + joint->q_count; i++)
            d->lean[i] += share * (kept->q[i] - pose->q[i]);
    }
    return status;
}

/* The given pose, with limbs that hold exactly on their holds: as given they may be a little beside. */
static hf_status take_given(direct* d, int k, int p, double share) {
    hf_pose pose = {.q = row(d->q, k, d->q_count)};
    hf_status status = HF_OK;
    hf_pose_spline_at(d->spline, given_time(&d->phases->items[p], share), &pose);
    d->roots[k] = pose.root;
    for (int l = 0; l < d->list->limb_count && status == HF_OK; l++) {
        int hold = find_hold(d, p, l, 0);
        d->now[l].hold = d->next[l].hold = -1;
        if (hold < 0 || !d->creature->view.limbs[l].joint_count) continue;
        status = keep(d, hold, &pose, &d->now[l], &d->lost[k]);
        copy_limb(d, l, d->now[l].q, pose.q);
    }
    return status;
}

static hf_status make_pose(direct* d, int k) {
    double t = k * d->step_s;
    int p = hf_parts_at(d->phases, t), limbs = d->list->limb_count;
    double share = (t - phase_begin(d, p)) / d->phases->items[p].took_s, gone = bell(share);
    hf_pose pose = {d->roots[k], row(d->q, k, d->q_count)};
    hf_status status = HF_OK;
    put_limbs(d, p, gone, pose.q);
    hf_pose_follow(d->creature, pose.q);
    memcpy(d->straight_before, d->straight, sizeof(double) * (size_t)d->q_count);
    memcpy(d->straight, pose.q, sizeof(double) * (size_t)d->q_count);
    memset(d->lean, 0, sizeof(double) * (size_t)d->q_count);
    d->lost[k] = 0;
    if (d->phases->items[p].as_given) return take_given(d, k, p, share);
    for (int l = 0; l < limbs && status == HF_OK; l++) {
        int held = find_hold(d, p, l, 0);
        if (held >= 0 && d->creature->view.limbs[l].joint_count) status = hold_limb(d, k, l, held, &pose);
    }
    for (int l = 0; l < limbs && status == HF_OK; l++) {
        if (find_hold(d, p, l, 0) >= 0 || !d->creature->view.limbs[l].joint_count) continue;
        status = lean_to(d, l, find_hold(d, p, l, -1), &d->now[l], 1 - gone, &pose);
        if (status == HF_OK) status = lean_to(d, l, find_hold(d, p, l, 1), &d->next[l], gone, &pose);
    }
    add_detour(d, p, gone, d->lean, pose.q);
    hf_pose_follow(d->creature, pose.q);
    return status;
}

/* The limbs of all samples, where the body is. */
static hf_status make_limbs(direct* d) {
    hf_status status = HF_OK;
    for (int l = 0; l < 2 * d->list->limb_count; l++) d->now[l].hold = -1;
    for (int k = 0; k < d->count && status == HF_OK && hf_workspace_goes_on_often(d->workspace); k++)
        status = make_pose(d, k);
    return status;
}

/* ---- the whole ---- */

static hf_status write_schedule(const direct* d, double rate, hf_schedule** out) {
    hf_status status = hf_schedule_create(d->creature, rate, out);
    for (int k = 0; k < d->count && status == HF_OK; k++) {
        hf_pose pose = {d->roots[k], row(d->q, k, d->q_count)};
        status = hf_schedule_add(*out, NULL, k * d->step_s, &pose, NULL, 0, false);
    }
    for (int i = 0; i < d->given->hold_count && status == HF_OK; i++) {
        const hf_schedule_hold* h = &d->given->holds[i];
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK)
            (*out)->holds[(*out)->hold_count++] = (hf_schedule_hold){
                h->hold, hf_parts_refined(d->phases, h->from_s), hf_parts_refined(d->phases, h->to_s)};
    }
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*out);
    *out = NULL;
    return status;
}

/* What times and poses both need: keys and ways. */
static bool begin(direct* d) {
    hf_workspace* w = d->workspace;
    size_t phases = (size_t)d->phases->count, n = (size_t)d->q_count + 1;
    d->of_limb = hf_workspace_take(w, n, sizeof *d->of_limb);
    d->free = hf_workspace_take(w, phases * n, sizeof *d->free);
    d->key_roots = hf_workspace_take(w, phases + 1, sizeof *d->key_roots);
    d->keys = hf_workspace_take(w, (phases + 1) * n, sizeof(double));
    d->ways = hf_workspace_take(w, phases, sizeof *d->ways);
    d->links = hf_workspace_take(w, (size_t)d->creature->view.link_count, sizeof *d->links);
    bool there = d->of_limb && d->free && d->key_roots && d->keys && d->ways && d->links;
    for (int i = 0; i < 2; i++) there &= !!(d->scratch[i] = hf_workspace_take(w, n, sizeof(double)));
    for (size_t p = 0; p < phases && there; p++)
        there &= !!(d->ways[p].waves = hf_workspace_take(w, WAVES * n, sizeof(double)));
    if (!there) return false;
    mark_values(d);
    find_keys(d);
    for (int p = 0; p < d->phases->count; p++) measure_way(d, p), find_detour(d, p);
    return true;
}

/* Room for what the samples hand on. */
static bool take_limbs(direct* d) {
    hf_workspace* w = d->workspace;
    size_t limbs = (size_t)d->list->limb_count, n = (size_t)d->q_count + 1;
    d->straight = hf_workspace_take(w, n, sizeof(double));
    d->straight_before = hf_workspace_take(w, n, sizeof(double));
    d->lean = hf_workspace_take(w, n, sizeof(double));
    d->now = hf_workspace_take(w, 2 * limbs, sizeof *d->now);
    if (!d->straight || !d->straight_before || !d->lean || !d->now) return false;
    d->next = d->now + limbs;
    for (size_t i = 0; i < 2 * limbs; i++) {
        d->now[i] = (kept_values){-1, hf_workspace_take(w, n, sizeof(double))};
        if (!d->now[i].q) return false;
    }
    return true;
}

hf_status hf_direct_times(const hf_creature* creature, hf_pose_spline* spline, const hf_stance_list* list,
                          hf_workspace* workspace, hf_parts* phases) {
    direct d = {.creature = creature,
                .spline = spline,
                .phases = phases,
                .list = list,
                .workspace = workspace,
                .q_count = creature->view.q_count};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    bool there = begin(&d);
    if (there) set_times(&d, phases);
    hf_workspace_end(workspace, mark);
    return there ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_direct_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                         const hf_parts* phases, const hf_stance_list* list, double rate,
                         hf_workspace* workspace, hf_schedule** out, double* lost_m) {
    direct d = {.creature = creature,
                .given = given,
                .spline = spline,
                .phases = phases,
                .list = list,
                .workspace = workspace,
                .q_count = creature->view.q_count};
    *out = NULL;
    d.count = (int)fmax(8, ceil(phases->duration_s * rate) + 1);
    d.step_s = phases->duration_s / (d.count - 1);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    size_t n = (size_t)d.count;
    d.roots = hf_workspace_take(workspace, n, sizeof *d.roots);
    d.q = hf_workspace_take(workspace, n * (size_t)d.q_count + 1, sizeof(double));
    d.lost = hf_workspace_take(workspace, n, sizeof(double));
    hf_status status =
        d.roots && d.q && d.lost && begin(&d) && take_limbs(&d) ? make_body(&d) : HF_ERROR_MEMORY;
    if (status == HF_OK) status = make_limbs(&d);
    for (int p = 0; p < phases->count; p++) lost_m[p] = 0;
    for (int k = 0; k < d.count && status == HF_OK && hf_workspace_goes_on(workspace); k++) {
        double* most = &lost_m[hf_parts_at(phases, k * d.step_s)];
        *most = fmax(*most, d.lost[k]);
    }
    if (status == HF_OK) status = write_schedule(&d, rate, out);
    hf_workspace_end(workspace, mark);
    return status;
}
