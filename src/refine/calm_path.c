/* Calm paths. The body's curve (root, trunk) comes first; limbs that hold follow it by inverse kinematics,
   beginning with their own calm postures; a limb on its way goes on a calm curve from the values that it has
   on its old hold to those on its new one, with their speeds. */
#include "refine/calm_path.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"
#include "refine/calm_curve.h"
#include "refine/ends.h"
#include "refine/pose_spline.h"
#include "refine/ways.h"
#include "refine/work.h"
#include "schedule/frames.h"
#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

enum {
    ROOT = 7, /* numbers of a root: place and quaternion */
    ENDS = 3  /* samples that are as given at either end */
};

/* By which that becomes less at a fault of a sample, and of the step of samples below which the pose is the
 * given one. */
static const double LESS = 0.5, PINNED_STEPS = 1.2;
/* The static margin that a sample keeps where it has it, m: what a plan keeps. */
static const double WANTED_M = 0.03, MARGIN_M = 0.002, MARGIN_ROUNDING_M = 1e-6;
/* Of a held limb's distance from its calm posture, what it goes back in each sample. */
static const double RETURN = 0.15;
/* Poses that differ by less, rad or m, need not be looked at again. */
static const double SAME_POSE = 1e-4;

static double* row(double* rows, int k, int width) { return rows + (size_t)k * (size_t)width; }

static double* slow_row(const hf_calm_path* p, int limb) { return row(p->slow_s, 1 + limb, p->count); }

static hf_pose pose_of(const hf_calm_path* p, int k) {
    return (hf_pose){p->roots[k], row(p->q, k, p->q_count)};
}

static int hold_of(const hf_calm_path* p, int k, int limb) { return p->holds[k * p->limb_count + limb]; }

bool hf_calm_path_take(hf_calm_path* p, hf_workspace* w) {
    size_t n = (size_t)p->count, q = (size_t)p->q_count, limbs = (size_t)p->limb_count;
    p->given_roots = hf_workspace_take(w, 3 * n, sizeof *p->roots);
    p->given_q = hf_workspace_take(w, 3 * n * q + 1, sizeof(double));
    p->holds = hf_workspace_take(w, n * limbs + 1, sizeof *p->holds);
    p->stances = hf_workspace_take(w, n, sizeof *p->stances);
    p->shift = hf_workspace_take(w, n, sizeof *p->shift);
    p->left = hf_workspace_take(w, n, sizeof *p->left);
    p->needs_m = hf_workspace_take(w, n, sizeof(double));
    p->slow_s = hf_workspace_take(w, 2 * n * (1 + limbs), sizeof(double));
    p->still = hf_workspace_take(w, 3 * n, sizeof(bool));
    p->links = hf_workspace_take(w, (size_t)p->creature->view.link_count, sizeof *p->links);
    p->scratch = hf_workspace_take(w, 2 * q + 1, sizeof(double));
    if (!p->given_roots || !p->given_q || !p->holds || !p->shift || !p->left || !p->stances || !p->needs_m ||
        !p->slow_s || !p->still || !p->links || !p->scratch)
        return false;
    p->roots = p->given_roots + n, p->seen_roots = p->given_roots + 2 * n;
    p->q = p->given_q + n * q, p->seen_q = p->given_q + 2 * n * q;
    p->less = p->slow_s + n * (1 + limbs);
    p->fault = p->still + n, p->seen = p->still + 2 * n;
    return true;
}

/* ---- the curves ---- */

/* Weights of a row of times, and the samples that stay as they are. */
static void weigh(const hf_calm_path* p, const double* slow_s, double* weights, bool* pinned) {
    for (int k = 0; k < p->count; k++) {
        double cube = 1 / (slow_s[k] * slow_s[k] * slow_s[k]);
        weights[k] = cube * cube;
        pinned[k] = slow_s[k] < PINNED_STEPS * p->step_s;
    }
}

static hf_status find_curve(const hf_calm_path* p, const double* slow_s, const bool* also, int width,
                            const double* in, hf_workspace* w, double* out) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    double* weights = hf_workspace_take(w, (size_t)p->count, sizeof *weights);
    bool* pinned = hf_workspace_take(w, (size_t)p->count, sizeof *pinned);
    if (!weights || !pinned) return HF_ERROR_MEMORY;
    weigh(p, slow_s, weights, pinned);
    for (int k = 0; also && k < p->count; k++) pinned[k] |= also[k];
    hf_calm_curve c = {p->count, width, p->step_s, weights, pinned};
    hf_status status = hf_calm_curve_find(&c, in, w, out);
    hf_workspace_end(w, mark);
    return status;
}

/* Of a shift, what is left where the body is less free: none where it is as given. */
static double share_of(const hf_calm_path* p, double slow_s) {
    double least_s = PINNED_STEPS * p->step_s;
    return fmin(1, fmax(0, (slow_s - least_s) / (p->body_s - least_s)));
}

/* Root and trunk; the limbs' values are calmed for themselves. */
static hf_status make_body(hf_calm_path* p, hf_workspace* w) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    int width = ROOT + p->q_count;
    double* in = hf_workspace_take(w, 2 * (size_t)p->count * (size_t)width, sizeof *in);
    if (!in) return HF_ERROR_MEMORY;
    double* out = in + (size_t)p->count * (size_t)width;
    hf_quat last = {1, 0, 0, 0};
    for (int k = 0; k < p->count; k++) {
        hf_vec3 x =
            hf_add(p->given_roots[k].position, hf_scale(p->shift[k], share_of(p, slow_row(p, -1)[k])));
        hf_quat o = p->given_roots[k].rotation;
        if (o.w * last.w + o.x * last.x + o.y * last.y + o.z * last.z < 0)
            o = (hf_quat){-o.w, -o.x, -o.y, -o.z};
        last = o;
        memcpy(row(in, k, width), (double[ROOT]){x.x, x.y, x.z, o.w, o.x, o.y, o.z}, sizeof(double) * ROOT);
        memcpy(row(in, k, width) + ROOT, row(p->given_q, k, p->q_count), sizeof(double) * (size_t)p->q_count);
    }
    hf_status status = find_curve(p, slow_row(p, -1), p->still, width, in, w, out);
    for (int k = 0; k < p->count && status == HF_OK; k++) {
        const double* r = row(out, k, width);
        p->roots[k] =
            (hf_transform){{r[0], r[1], r[2]}, hf_quat_normalize((hf_quat){r[3], r[4], r[5], r[6]})};
        memcpy(row(p->q, k, p->q_count), r + ROOT, sizeof(double) * (size_t)p->q_count);
        hf_pose_follow(p->creature, row(p->q, k, p->q_count));
    }
    hf_workspace_end(w, mark);
    return status;
}

/* The limb that a value is calmed with: the first of those that it belongs to; -1: the body. A knee that may
   be put down shares the hip with the foot below. */
static int leader_of(const hf_calm_path* p, int value) {
    for (int l = 0; l < p->limb_count; l++)
        if (hf_limb_owns(p->creature, l, value)) return l;
    return -1;
}

/* Does a limb with this value hold in a sample? */
static bool is_held(const hf_calm_path* p, int k, int value) {
    for (int l = 0; l < p->limb_count; l++)
        if (hold_of(p, k, l) >= 0 && hf_limb_owns(p->creature, l, value)) return true;
    return false;
}

/* Puts a limb of a sample onto its hold. */
static hf_status keep(hf_calm_path* p, int k, int limb, hf_workspace* w) {
    hf_pose pose = pose_of(p, k);
    bool kept;
    hf_vec3 miss;
    // the ends are as given, so that what is before and behind the path goes on from there
    if (k < ENDS || k + ENDS >= p->count) return HF_OK;
    memcpy(p->scratch, pose.q, sizeof(double) * (size_t)p->q_count);
    hf_forward(p->creature, &pose, p->links);
    const hf_held* h = &p->held[hold_of(p, k, limb)];
    double off_m, off_rad;
    hf_anchor_error(p->creature, &h->world, &h->anchor, p->links, &off_m, &off_rad);
    // a knee and the foot below it both hold as given: to solve for one of them would move the other one away
    if (off_m <= HF_HELD_M && (h->world.grip || off_rad <= HF_HELD_RAD)) return HF_OK;
    hf_status status = hf_held_keep(p->creature, h, HF_KEEP_EXACT, w, p->links, pose.q, &kept, &miss);
    if (status != HF_OK || kept) return status;
    memcpy(pose.q, p->scratch, sizeof(double) * (size_t)p->q_count);
    hf_calm_path_blame(p, -1, k);
    p->fault[k] = true;
    return HF_OK;
}

/* The postures that limbs have where nothing holds them: those of the body's curve, with each limb's own
 * times.
 */
static hf_status calm_postures(hf_calm_path* p, hf_workspace* w) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)p->count;
    double *in = hf_workspace_take(w, 2 * n, sizeof *in), *out = in + n;
    hf_status status = in ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < p->q_count && status == HF_OK; i++) {
        int limb = leader_of(p, i);
        if (limb < 0) continue;
        for (int k = 0; k < p->count; k++) in[k] = row(p->given_q, k, p->q_count)[i];
        status = find_curve(p, slow_row(p, limb), NULL, 1, in, w, out);
        for (int k = 0; k < p->count; k++) row(p->q, k, p->q_count)[i] = out[k];
    }
    hf_workspace_end(w, mark);
    return status;
}

/* Limbs that hold are put onto their holds. Each begins with its calm posture and what it was off from that
   in the sample before, so that it does not jump between two solutions. */
static hf_status keep_limbs(hf_calm_path* p, hf_workspace* w) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    double *off = hf_workspace_take(w, 2 * (size_t)p->q_count + 1, sizeof *off), *calm = off + p->q_count;
    hf_status status = off ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < p->q_count && off; i++) off[i] = 0;
    for (int k = 0; k < p->count && status == HF_OK; k++) {
        double *q = row(p->q, k, p->q_count), stays = 1 - fmax(RETURN, 1.0 / (p->left[k] + 1));
        memcpy(calm, q, sizeof(double) * (size_t)p->q_count);
        for (int l = 0; l < p->limb_count && status == HF_OK; l++) {
            if (hold_of(p, k, l) < 0) continue;
            bool on = k > 0 && hold_of(p, k - 1, l) == hold_of(p, k, l);
            for (int i = 0; i < p->q_count && on; i++)
                if (hf_limb_owns(p->creature, l, i)) q[i] = calm[i] + stays * off[i];
            status = keep(p, k, l, w);
        }
        for (int i = 0; i < p->q_count; i++) off[i] = q[i] - calm[i];
    }
    hf_workspace_end(w, mark);
    return status;
}

/* The given way of a value where nothing holds it, with what it is off at the ends of that way added,
   straight over the samples between: it begins and ends where the limb is. */
static void bend_way(const hf_calm_path* p, int value, const bool* held, double* way) {
    double before = 0;
    for (int k = 0, first = 0; k < p->count; k++) {
        double given = row(p->given_q, k, p->q_count)[value];
        if (!held[k] && k + 1 < p->count) continue;
        double after = held[k] ? way[k] - given : 0;
        for (int j = first; j < k; j++) {
            double u = (double)(j - first + 1) / (k - first + 1);
            way[j] = row(p->given_q, j, p->q_count)[value] + (1 - u) * before + u * after;
        }
        if (!held[k]) way[k] = given;
        before = after, first = k + 1;
    }
}

/* Values that nothing holds go on calm curves from hold to hold. */
static hf_status swing_limbs(hf_calm_path* p, hf_workspace* w) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t n = (size_t)p->count;
    double *way = hf_workspace_take(w, 2 * n, sizeof *way), *out = way + n;
    bool* held = hf_workspace_take(w, n, sizeof *held);
    hf_status status = way && held ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < p->q_count && status == HF_OK; i++) {
        int limb = leader_of(p, i);
        if (limb < 0) continue;
        for (int k = 0; k < p->count; k++) held[k] = is_held(p, k, i), way[k] = row(p->q, k, p->q_count)[i];
        bend_way(p, i, held, way);
        status = find_curve(p, slow_row(p, limb), held, 1, way, w, out);
        for (int k = 0; k < p->count; k++) row(p->q, k, p->q_count)[i] = out[k];
    }
    hf_workspace_end(w, mark);
    return status;
}

/* ---- blame ---- */

bool hf_calm_path_blame(hf_calm_path* p, int limb, int sample) {
    const double* slow = slow_row(p, limb);
    double* less = row(p->less, 1 + limb, p->count);
    if (slow[sample] < PINNED_STEPS * p->step_s) return false;
    int reach = (int)ceil(slow[sample] / p->step_s);
    for (int k = sample - reach; k <= sample + reach; k++) {
        if (k < 0 || k >= p->count) continue;
        double u = (double)(k - sample) / (reach + 1);
        less[k] = fmin(less[k], 1 - (1 - p->cut) * (1 - u * u));
    }
    return true;
}

/* The limb that a body belongs to; -1: the trunk. */
static int limb_of(const hf_calm_path* p, int body) {
    int link = p->creature->view.bodies[body].link;
    for (int l = 0; l < p->limb_count; l++)
        if (hf_link_in_limb(p->creature, link, l)) return l;
    return -1;
}

/* The ends of the way of a limb that is free in a sample: where those are not as given, the way is not. */
static bool blame_ends(hf_calm_path* p, int limb, int k) {
    bool any = false;
    for (int side = -1; side <= 1; side += 2) {
        int end = k;
        while (end >= 0 && end < p->count && hold_of(p, end, limb) < 0) end += side;
        if (end < 0 || end >= p->count) continue;
        any |= hf_calm_path_blame(p, limb, end);
        any |= hf_calm_path_blame(p, -1, end);
    }
    return any;
}

/* A limb in a sample; where it holds, the body that it follows, too. */
static bool blame_limb(hf_calm_path* p, int limb, int k) {
    bool any = hf_calm_path_blame(p, limb, k);
    return limb >= 0 && hold_of(p, k, limb) >= 0 ? hf_calm_path_blame(p, -1, k) || any : any;
}

bool hf_calm_path_blame_all(hf_calm_path* p, int k) {
    bool any = hf_calm_path_blame(p, -1, k);
    for (int l = 0; l < p->limb_count; l++) {
        any |= hf_calm_path_blame(p, l, k);
        if (hold_of(p, k, l) < 0) any |= blame_ends(p, l, k);
    }
    return any;
}

bool hf_calm_path_blame_hit(hf_calm_path* p, const hf_collision* hit, int k) {
    int a = limb_of(p, hit->body), b = hit->other_body >= 0 ? limb_of(p, hit->other_body) : a;
    bool any = blame_limb(p, a, k);
    if (b != a) any |= blame_limb(p, b, k);
    // limbs on their way are as given, but where they begin and end, or the body below them, is not
    return any || hf_calm_path_blame_all(p, k);
}

bool hf_calm_path_follow(hf_calm_path* p) {
    int all = p->count * (1 + p->limb_count);
    bool any = false;
    for (int i = 0; i < all; i++) {
        any |= p->less[i] < 1;
        p->slow_s[i] *= p->less[i], p->less[i] = 1;
    }
    return any;
}

/* ---- tests ---- */

/* The margin of a sample whose links are there, and of the stances beside it the one that gives it. */
static double margin_of(const hf_calm_path* p, int k, const hf_stance** least) {
    hf_vec3 com = hf_com(p->creature, p->links);
    double margin = hf_stance_margin(*least = p->stances[k][0], com);
    if (p->stances[k][1] == p->stances[k][0]) return margin;
    double other = hf_stance_margin(p->stances[k][1], com);
    if (other < margin) *least = p->stances[k][1];
    return fmin(margin, other);
}

/* Where the body bears little, it is wished to be where it bears more at the next try. */
static void shift_wish(hf_calm_path* p, int k, const hf_stance* stance) {
    hf_vec3 com = hf_com(p->creature, p->links);
    double to[2];
    hf_support_region_nearest(&stance->region, WANTED_M, com.x - stance->reference.x,
                              com.y - stance->reference.y, to);
    p->shift[k].x += to[0] + stance->reference.x - com.x;
    p->shift[k].y += to[1] + stance->reference.y - com.y;
}

/* Of the acceleration limits of joints, what a value may change its speed by at most in the path's own times,
   unless it does as given: more is a limb that jumps from one solution to another. */
static const double JUMP = 3;

/* The limb of a value that jumps; -1: the body, -2: none. */
static int find_jump(const hf_calm_path* p, int k) {
    const hf_creature_view* v = &p->creature->view;
    for (int j = 0; j < v->joint_count && k > 0 && k + 1 < p->count; j++)
        for (int i = v->joints[j].q_index; i < v->joints[j].q_index + v->joints[j].q_count; i++) {
            const double *a = &row(p->q, k - 1, p->q_count)[i], *g = &row(p->given_q, k - 1, p->q_count)[i];
            int n = p->q_count;
            double bend = fabs(a[0] - 2 * a[n] + a[2 * n]), given = fabs(g[0] - 2 * g[n] + g[2 * n]);
            double most = JUMP * v->joints[j].max_acceleration * p->step_s * p->step_s;
            if (bend <= most || bend <= given) continue;
            for (int l = 0; l < p->limb_count; l++)
                if (hf_limb_owns(p->creature, l, i)) return l;
            return -1;
        }
    return -2;
}

static void look_at(hf_calm_path* p, int k) {
    int jumps = find_jump(p, k);
    if (jumps >= -1) {
        hf_calm_path_blame(p, -1, k);
        if (jumps >= 0) hf_calm_path_blame(p, jumps, k);
        p->fault[k] = true;
    }
    hf_pose pose = pose_of(p, k);
    hf_forward(p->creature, &pose, p->links);
    const hf_stance* stance;
    double margin = margin_of(p, k, &stance);
    if (margin < p->needs_m[k]) hf_calm_path_blame(p, -1, k), p->fault[k] = true;
    if (!hf_pose_within_limits(p->creature, pose.q, HF_LIMIT) ||
        !hf_pose_within_rom(p->creature, pose.q, HF_ROM_BETWEEN_RAD))
        hf_calm_path_blame_all(p, k), p->fault[k] = true;
}

/* The contacts of two samples may overlap what they touch. */
static int list_touches(const hf_calm_path* p, int k, hf_hold* touches) {
    int count = 0;
    for (int s = k; s <= k + 1 && s < p->count; s++)
        for (int l = 0; l < p->limb_count; l++) {
            int hold = hold_of(p, s, l);
            if (hold < 0 || p->held[hold].world.object < 0) continue;
            if (s > k && hold == hold_of(p, k, l)) continue;
            touches[count++] = p->held[hold].world;
        }
    return count;
}

static bool is_same(const hf_calm_path* p, int k) {
    const double *a = row(p->q, k, p->q_count), *b = row(p->seen_q, k, p->q_count);
    if (hf_distance(p->roots[k].position, p->seen_roots[k].position) > SAME_POSE ||
        hf_quat_angle(p->roots[k].rotation, p->seen_roots[k].rotation) > SAME_POSE)
        return false;
    for (int i = 0; i < p->q_count; i++)
        if (fabs(a[i] - b[i]) > SAME_POSE) return false;
    return true;
}

/* Samples that have moved since they were looked at are looked at again, from and to their neighbours. */
static void forget_moved(hf_calm_path* p) {
    for (int k = 0; k < p->count; k++) {
        if (is_same(p, k)) continue;
        p->seen_roots[k] = p->roots[k];
        memcpy(row(p->seen_q, k, p->q_count), row(p->q, k, p->q_count), sizeof(double) * (size_t)p->q_count);
        p->seen[k] = false;
        if (k > 0) p->seen[k - 1] = false;
    }
}

/* The way from a sample to the next one. */
static hf_status look_between(hf_calm_path* p, int k, hf_hold* touches, hf_clearance* clearance,
                              hf_workspace* w) {
    if (p->seen[k]) return HF_OK;
    hf_collision_query query = hf_collision_query_default();
    query.touches = touches;
    query.touch_count = list_touches(p, k, touches);
    query.clearance = clearance;
    hf_pose a = pose_of(p, k), b = pose_of(p, k + 1);
    bool collides;
    hf_collision hit;
    hf_status status = hf_move_collides(p->creature, p->placement, &a, &b, &query, w, &collides, &hit);
    hf_spend(w, p->creature, HF_WORK_POSE, 1);
    p->seen[k] = !collides;
    if (collides) p->fault[k] |= hf_calm_path_blame_hit(p, &hit, hit.fraction < 0.5 ? k : k + 1);
    return status;
}

/* How many samples are left until the body is as given: there its limbs are, too. */
static void count_left(hf_calm_path* p) {
    const double* slow = slow_row(p, -1);
    for (int k = p->count - 1; k >= 0; k--)
        p->left[k] = k + ENDS >= p->count || slow[k] < PINNED_STEPS * p->step_s ? 0 : p->left[k + 1] + 1;
}

static hf_status make(hf_calm_path* p, hf_workspace* w) {
    hf_status status = make_body(p, w);
    count_left(p);
    hf_spend(w, p->creature, HF_WORK_POSE, p->count);
    if (status == HF_OK) status = calm_postures(p, w);
    if (status == HF_OK) status = keep_limbs(p, w);
    if (status == HF_OK) status = swing_limbs(p, w);
    for (int k = 0; k < p->count; k++) {
        double* q = row(p->q, k, p->q_count);
        hf_pose_keep_limits(p->creature, q);
        hf_frames_keep_range(p->creature, q);
    }
    return status;
}

hf_status hf_calm_path_try(hf_calm_path* p, hf_clearance* clearance, hf_workspace* w, int* faults) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    hf_hold* touches = hf_workspace_take(w, 2 * (size_t)p->limb_count + 1, sizeof *touches);
    if (!touches) return HF_ERROR_MEMORY;
    memset(p->fault, 0, sizeof *p->fault * (size_t)p->count);
    p->cut = LESS;
    hf_status status = make(p, w);
    for (int k = 0; k < p->count && status == HF_OK; k++) look_at(p, k);
    forget_moved(p);
    for (int k = 0; k + 1 < p->count && status == HF_OK && hf_workspace_goes_on(w); k++)
        if (!p->fault[k] && !p->fault[k + 1]) status = look_between(p, k, touches, clearance, w);
    *faults = 0;
    for (int k = 0; k < p->count; k++) *faults += p->fault[k];
    hf_workspace_end(w, mark);
    return status;
}

/* Limbs of the given poses exactly onto their holds, and the ways between holds to where the limbs are then:
   a hold that was moved is elsewhere than the poses. */
static hf_status keep_given(hf_calm_path* p, hf_workspace* w) {
    size_t n = (size_t)p->count, all = n * (size_t)p->q_count;
    hf_workspace_mark mark = hf_workspace_begin(w);
    double* way = hf_workspace_take(w, n, sizeof *way);
    bool* held = hf_workspace_take(w, n, sizeof *held);
    hf_status status = way && held ? HF_OK : HF_ERROR_MEMORY;
    for (int k = 0; k < p->count && status == HF_OK; k++)
        for (int l = 0; l < p->limb_count && status == HF_OK; l++)
            if (hold_of(p, k, l) >= 0) status = keep(p, k, l, w);
    for (int i = 0; i < p->q_count && status == HF_OK; i++) {
        if (leader_of(p, i) < 0) continue;
        for (int k = 0; k < p->count; k++) held[k] = is_held(p, k, i), way[k] = row(p->q, k, p->q_count)[i];
        bend_way(p, i, held, way);
        for (int k = 0; k < p->count; k++) row(p->q, k, p->q_count)[i] = way[k];
    }
    memcpy(p->given_q, p->q, sizeof(double) * all);
    hf_workspace_end(w, mark);
    return status;
}

/* What margins the given poses have, and where the body is wished to be for more. */
static void find_margins(hf_calm_path* p) {
    for (int k = 0; k < p->count; k++) {
        hf_pose pose = pose_of(p, k);
        const hf_stance* stance;
        hf_forward(p->creature, &pose, p->links);
        double margin = margin_of(p, k, &stance);
        p->needs_m[k] = fmin(MARGIN_M, margin - MARGIN_ROUNDING_M);
        p->shift[k] = hf_v3(0, 0, 0);
        p->still[k] = false;
        for (int l = 0; l < p->limb_count; l++)
            p->still[k] |= hold_of(p, k, l) >= 0 && p->creature->view.limbs[l].joint_count == 0;
        bool ends = k < ENDS || k + ENDS >= p->count;
        if (margin < WANTED_M && margin > 0 && !ends && !p->still[k]) shift_wish(p, k, stance);
    }
}

hf_status hf_calm_path_begin(hf_calm_path* p, hf_workspace* w) {
    size_t n = (size_t)p->count, all = n * (size_t)p->q_count;
    int rows = 1 + p->limb_count;
    p->cut = LESS;
    memcpy(p->roots, p->given_roots, sizeof *p->roots * n);
    memcpy(p->q, p->given_q, sizeof(double) * all);
    for (int k = 0; k < p->count; k++) p->seen[k] = p->fault[k] = false;
    for (int i = 0; i < rows * p->count; i++)
        p->slow_s[i] = i < p->count ? p->body_s : p->limb_s, p->less[i] = 1;
    hf_status status = keep_given(p, w);
    memcpy(p->seen_roots, p->given_roots, sizeof *p->roots * n);
    memcpy(p->seen_q, p->given_q, sizeof(double) * all);
    if (status == HF_OK) find_margins(p);
    for (int i = 0; i < rows * p->count; i++) p->less[i] = 1;
    return status;
}
