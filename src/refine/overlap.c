/* Poses with body and limbs in motion at once. The body's given motion is compressed to the new times and
   becomes a curve with little jerk, so that it no longer stops for each limb; the root is shifted so that the
   centre of mass goes the way that the contacts bear (com_course.c); limbs that hold are put onto their
   holds, limbs that swing go along their given way in the world, with a bell-shaped speed. */
#include "refine/overlap.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/calm_curve.h"
#include "refine/com_course.h"
#include "refine/pose_path.h"
#include "refine/work.h"
#include "balance/stance.h"
#include "schedule/frames.h"
#include "solve/keep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES =
        5, /* of finding the way of the centre of mass: its height and the momentum follow from the poses */
    ROUNDS = 8, /* of shifting the root under the centre of mass; each leaves a tenth of the distance */
    STEPS = 10, /* of Gauss and Newton for the poses of a round */
    WAY = 48    /* stretches of a swing's length table */
};
/* A centre of mass that stays farther from its way is held back by a limb, m; from then on the place where
   the limb let it be weighs this much more. */
static const double REACHED_M = 1e-3, HEAVY = 100;
static const double PULL_M = 0.01;    /* by which the root follows a limb that does not reach, in a round */
static const double POSTURE_S = 0.08; /* over which postures of limbs are smoothed from pass to pass */
static const double NEAR_M = 2e-6;    /* of the centre of mass to its way */
/* (m/s3)^2 for a metre from the given way, the sixth power of 6.8 rad/s: what is slower than about a second
   follows the given way, what is quicker is smoothed. */
static const double WISH_WEIGHT = 1e5;

typedef struct overlap {
    const hf_creature* creature;
    const hf_schedule* given;
    hf_pose_spline* spline;
    const hf_parts* phases;
    const hf_stance_list* list;
    const hf_overlap_wishes* wishes;
    hf_workspace* workspace;
    int count, q_count;
    double step_s;
    hf_transform *body, *roots; /* the body's wish, and what came of it */
    double *posture, *q;        /* rows of joint values: wish, and what came of it */
    hf_vec3 *wish, *place, *com, *momentum_rate;
    double *outside, *lost, *weights, *margins, *freedom;
    bool* seated;
    const hf_stance** stances;
    double* way;         /* WAY + 1 lengths for each phase that is one swing */
    hf_transform* swing; /* and as many places of its effector */
    hf_transform* links;
    double* scratch;
} overlap;

static double* row(const overlap* o, double* rows, int k) { return rows + (size_t)k * (size_t)o->q_count; }
static double time_of(const overlap* o, int k) { return k * o->step_s; }

/* ---- the body's wish ---- */

/* Does a limb without joints hold in a sample (a seat)? Then the body cannot go anywhere. */
static bool is_seated(const overlap* o, int k) {
    double given_s = hf_parts_given(o->phases, time_of(o, k));
    for (int i = 0; i < o->given->hold_count; i++) {
        const hf_schedule_hold* h = &o->given->holds[i];
        if (h->from_s <= given_s + HF_SAME_S && h->to_s >= given_s - HF_SAME_S &&
            o->creature->view.limbs[h->hold.limb].joint_count == 0)
            return true;
    }
    return false;
}

/* The numbers of all samples as a curve that follows what takes longer than calm_s. */
static hf_status calm_numbers(const overlap* o, double calm_s, const double* in, double* out, int width) {
    for (int k = 0; k < o->count; k++) {
        double part_s = calm_s * o->freedom[k], cube = 1 / (part_s * part_s * part_s);
        o->scratch[k] = cube * cube;
    }
    hf_calm_curve c = {o->count, width, o->step_s, o->scratch, o->seated};
    return hf_calm_curve_find(&c, in, o->workspace, out);
}

/* The given body at the given times, then calmed. */
static hf_status wish_body(overlap* o) {
    int width = 7 + o->q_count;
    size_t all = (size_t)o->count * (size_t)width;
    hf_workspace_mark mark = hf_workspace_begin(o->workspace);
    double *in = hf_workspace_take(o->workspace, all, sizeof *in),
           *out = hf_workspace_take(o->workspace, all, sizeof *out);
    if (!in || !out) return HF_ERROR_MEMORY;
    hf_quat last = {1, 0, 0, 0};
    for (int k = 0; k < o->count; k++) {
        double* r = in + (size_t)k * (size_t)width;
        hf_pose pose = {.q = r + 7};
        hf_pose_spline_at(o->spline, hf_parts_given(o->phases, time_of(o, k)), &pose);
        hf_quat t = pose.root.rotation;
        double dot = t.w * last.w + t.x * last.x + t.y * last.y + t.z * last.z;
        if (dot < 0) t = (hf_quat){-t.w, -t.x, -t.y, -t.z};
        last = t;
        const double root[7] = {
            pose.root.position.x, pose.root.position.y, pose.root.position.z, t.w, t.x, t.y, t.z};
        memcpy(r, root, sizeof root);
    }
    hf_status status = calm_numbers(o, o->wishes->smooth_s, in, out, width);
    for (int k = 0; k < o->count; k++) {
        const double* r = out + (size_t)k * (size_t)width;
        o->body[k] = (hf_transform){{r[0], r[1], r[2]}, hf_quat_normalize((hf_quat){r[3], r[4], r[5], r[6]})};
        memcpy(row(o, o->posture, k), r + 7, sizeof(double) * (size_t)o->q_count);
        hf_pose_follow(o->creature, row(o, o->posture, k));
    }
    hf_workspace_end(o->workspace, mark);
    return status;
}

/* ---- limbs on their way ---- */

/* The phase's limb that swings from hold to hold within just this phase, else -1. */
static int swinging_limb(const overlap* o, int p) {
    const hf_part* a = &o->phases->items[p];
    const hf_schedule* s = o->given;
    for (int i = 0; i < s->hold_count; i++)
        for (int k = 0; k < s->hold_count; k++)
            if (s->holds[i].hold.limb == s->holds[k].hold.limb && fabs(s->holds[i].to_s - a->from_s) < 1e-6 &&
                fabs(s->holds[k].from_s - a->to_s) < 1e-6)
                return s->holds[i].hold.limb;
    return -1;
}

/* Lengths of the limb's way in joint values, up to each of WAY + 1 even times of the phase. */
static void measure_way(overlap* o, int p, int limb) {
    const hf_part* a = &o->phases->items[p];
    const hf_limb* l = &o->creature->view.limbs[limb];
    double *length = o->way + (size_t)p * (WAY + 1), *last = o->scratch, *now = last + o->q_count;
    length[0] = 0;
    for (int i = 0; i <= WAY; i++) {
        hf_pose pose = {.q = now};
        hf_pose_spline_at(o->spline, a->from_s + (a->to_s - a->from_s) * i / WAY, &pose);
        double sum = 1e-12;
        for (int j = 0; j < l->joint_count; j++) {
            const hf_joint* joint = &o->creature->view.joints[l->joints[j]];
            for (int x = joint->q_index; x < joint->q_index + joint->q_count; x++)
                sum += (now[x] - last[x]) * (now[x] - last[x]);
        }
        if (i > 0) length[i] = length[i - 1] + sqrt(sum);
        double* t = last;
        last = now, now = t;
    }
}

/* The given time at which the limb is when a share of the phase's time is over: its way has the speed of a
   bell, or what time scaling made of it, so that it leaves and lands at rest. */
static double swing_time(const overlap* o, int p, double share) {
    const hf_part* a = &o->phases->items[p];
    const double* length = o->way + (size_t)p * (WAY + 1);
    double part = hf_part_progress(a, share) * length[WAY];
    int i = 0;
    while (i + 1 < WAY && length[i + 1] < part) i++;
    double inside = (part - length[i]) / (length[i + 1] - length[i]);
    return a->from_s + (a->to_s - a->from_s) * (i + fmin(1, fmax(0, inside))) / WAY;
}

static double phase_start(const hf_parts* p, int index) {
    double sum = 0;
    for (int i = 0; i < index; i++) sum += p->items[i].took_s;
    return sum;
}

/* Mean of transforms near to each other, by their weights. */
typedef struct mean_transform {
    hf_vec3 position;
    hf_quat rotation, first;
    double sum;
} mean_transform;

static void add_transform(mean_transform* m, hf_transform t, double weight) {
    hf_quat r = t.rotation, f = m->first;
    if (m->sum == 0) m->first = f = r;
    double sign = r.w * f.w + r.x * f.x + r.y * f.y + r.z * f.z < 0 ? -weight : weight;
    m->position = hf_add(m->position, hf_scale(t.position, weight));
    m->rotation = (hf_quat){m->rotation.w + sign * r.w, m->rotation.x + sign * r.x,
                            m->rotation.y + sign * r.y, m->rotation.z + sign * r.z};
    m->sum += weight;
}

/* A place of a swing; beyond its ends the one as far inside, reflected. */
static void add_beyond(mean_transform* m, const hf_transform* t, int i, double weight) {
    if (i >= 0 && i <= WAY) {
        add_transform(m, t[i], weight);
        return;
    }
    int end = i < 0 ? 0 : WAY;
    add_transform(m, t[end], 2 * weight);
    add_transform(m, t[2 * end - i], -weight);
}

static hf_transform end_mean(const mean_transform* m) {
    return (hf_transform){hf_scale(m->position, 1 / m->sum), hf_quat_normalize(m->rotation)};
}

/* The direction away from the surfaces that a swing leaves and lands on. */
static hf_vec3 away_of(const overlap* o, int p, int limb) {
    const hf_part* a = &o->phases->items[p];
    hf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < o->given->hold_count; i++) {
        const hf_schedule_hold* h = &o->given->holds[i];
        bool beside = fabs(h->to_s - a->from_s) < 1e-6 || fabs(h->from_s - a->to_s) < 1e-6;
        if (h->hold.limb == limb && beside) sum = hf_add(sum, o->list->held[i].world.normal);
    }
    return hf_length(sum) > 0.1 ? hf_normalize(sum) : hf_v3(0, 0, 1);
}

/* Where the effector is at WAY + 1 even times of its swing, corners of the given way rounded; towards the
   ends ever less, so that the limb leaves and lands as given. */
static void round_swing(overlap* o, int p, int limb) {
    hf_transform *out = o->swing + (size_t)p * (WAY + 1), raw[WAY + 1];
    const hf_part* a = &o->phases->items[p];
    hf_vec3 away = away_of(o, p, limb);
    for (int i = 0; i <= WAY; i++) {
        hf_pose pose = {.q = o->scratch};
        hf_pose_spline_at(o->spline, swing_time(o, p, (double)i / WAY), &pose);
        hf_forward(o->creature, &pose, o->links);
        raw[i] = o->links[o->creature->view.limbs[limb].effector_link];
    }
    for (int i = 0; i <= WAY; i++) {
        double reach = fmin(3 * a->round_share * WAY, fmin(i, WAY - i));
        mean_transform m = {.sum = 0};
        for (int k = -(int)reach; k <= (int)reach; k++) {
            double u = reach > 0 ? k / (reach + 1) : 0, v = 1 - u * u;
            add_transform(&m, raw[i + k], v * v * v);
        }
        out[i] = end_mean(&m);
        double share = (double)i / WAY, rise = 4 * share * (1 - share);
        out[i].position = hf_add(out[i].position, hf_scale(away, a->clear_m * rise * rise));
    }
}

/* The effector at a share of its swing: a cubic B-spline of the even times, exact at the ends. */
static hf_transform swing_at(const overlap* o, int p, double share) {
    const hf_transform* t = o->swing + (size_t)p * (WAY + 1);
    double at = fmin(1, fmax(0, share)) * WAY;
    int i = (int)fmin(WAY - 1, floor(at));
    double u = at - i, v = 1 - u;
    mean_transform m = {.sum = 0};
    add_transform(&m, t[i], 3 * u * u * u - 6 * u * u + 4);
    add_transform(&m, t[i + 1], 3 * v * v * v - 6 * v * v + 4);
    add_beyond(&m, t, i - 1, v * v * v);
    add_beyond(&m, t, i + 2, u * u * u);
    return end_mean(&m);
}

/* ---- one pose ---- */

static int hold_at(const overlap* o, int limb, double given_s) {
    for (int i = 0; i < o->given->hold_count; i++) {
        const hf_schedule_hold* h = &o->given->holds[i];
        if (h->hold.limb == limb && h->from_s <= given_s + HF_SAME_S && h->to_s >= given_s - HF_SAME_S)
            return i;
    }
    return -1;
}

static bool ever_holds(const overlap* o, int limb) {
    for (int i = 0; i < o->given->hold_count; i++)
        if (o->given->holds[i].hold.limb == limb) return true;
    return false;
}

static void copy_limb(const overlap* o, int limb, const double* from, double* to) {
    const hf_limb* l = &o->creature->view.limbs[limb];
    for (int j = 0; j < l->joint_count; j++) {
        const hf_joint* joint = &o->creature->view.joints[l->joints[j]];
        memcpy(to + joint->q_index, from + joint->q_index, sizeof(double) * (size_t)joint->q_count);
    }
    hf_pose_follow(o->creature, to);
}

/* Where limbs that are on their way should be in a sample. */
typedef struct limb_wish {
    int limb, hold;  /* hold -1: on its way */
    hf_transform at; /* of the effector */
} limb_wish;

enum { MAX_WISHES = 64 };

static int list_wishes(overlap* o, int k, bool first, double* q, limb_wish* wishes) {
    double t = time_of(o, k), given_s = hf_parts_given(o->phases, t);
    int p = hf_parts_at(o->phases, t), count = 0, limb_here = swinging_limb(o, p);
    for (int l = 0; l < o->creature->view.limb_count && count < MAX_WISHES; l++) {
        if (!ever_holds(o, l)) continue;
        limb_wish* w = &wishes[count++];
        *w = (limb_wish){.limb = l, .hold = hold_at(o, l, given_s)};
        if (w->hold >= 0) continue;
        double share = (t - phase_start(o->phases, p)) / o->phases->items[p].took_s;
        hf_pose pose = {.q = o->scratch};
        hf_pose_spline_at(o->spline, l == limb_here ? swing_time(o, p, share) : given_s, &pose);
        hf_forward(o->creature, &pose, o->links);
        w->at = l == limb_here ? swing_at(o, p, share) : o->links[o->creature->view.limbs[l].effector_link];
        if (first) copy_limb(o, l, pose.q, q);
    }
    return count;
}

static hf_status put_limb(overlap* o, const limb_wish* w, hf_pose* pose, hf_vec3* miss, double* lost) {
    hf_forward(o->creature, pose, o->links);
    if (w->hold >= 0) {
        const hf_held* h = &o->list->held[w->hold];
        bool kept;
        hf_status status = hf_hold_keep(o->creature, &h->world, &h->anchor, HF_KEEP_EXACT, o->workspace,
                                        o->links, pose->q, &kept, miss);
        if (status == HF_OK && !kept) *lost = fmax(*lost, hf_length(*miss));
        if (kept) *miss = hf_v3(0, 0, 0);
        return status;
    }
    hf_target t = {.kind = HF_TARGET_POSE,
                   .limb = w->limb,
                   .contact = -1,
                   .point = w->at.position,
                   .rotation = w->at.rotation};
    hf_solve_options s = hf_solve_options_default();
    s.max_starts = 1;
    s.near_start = true;
    s.tolerance_m = 1e-6, s.tolerance_rad = 1e-5;
    s.posture = pose->q;
    hf_solve_result r;
    *miss = hf_v3(0, 0, 0);
    const hf_transform* base = &o->links[o->creature->view.limbs[w->limb].base_link];
    return o->creature->view.limbs[w->limb].joint_count
               ? hf_limb_solve(o->creature, base, &t, &s, o->workspace, pose->q, &r)
               : HF_OK;
}

/* All limbs where they should be, and the centre of mass over its place, as far as limbs reach. */
static hf_status make_pose(overlap* o, int k, bool first, bool follow) {
    hf_pose pose = {o->body[k], row(o, o->q, k)};
    limb_wish wishes[MAX_WISHES];
    memcpy(pose.q, row(o, o->posture, k), sizeof(double) * (size_t)o->q_count);
    int count = list_wishes(o, k, first, pose.q, wishes);
    hf_status status = HF_OK;
    for (int round = 0; round < ROUNDS && status == HF_OK; round++) {
        hf_vec3 pull = {0, 0, 0};
        o->lost[k] = 0;
        for (int i = 0; i < count && status == HF_OK; i++) {
            hf_vec3 miss;
            status = put_limb(o, &wishes[i], &pose, &miss, &o->lost[k]);
            pull = hf_add(pull, miss);
        }
        hf_forward(o->creature, &pose, o->links);
        o->com[k] = hf_com(o->creature, o->links);
        hf_vec3 off = follow && !o->seated[k] ? hf_sub(o->place[k], o->com[k]) : hf_v3(0, 0, 0);
        off.z = 0;
        if (hf_length(off) < NEAR_M && o->lost[k] == 0) break;
        if (round + 1 == ROUNDS) break;
        double length = hf_length(pull);
        if (o->lost[k] == 0 || round < ROUNDS / 2) pose.root.position = hf_add(pose.root.position, off);
        if (length > 0)
            pose.root.position = hf_add(pose.root.position, hf_scale(pull, fmin(1, PULL_M / length)));
    }
    o->roots[k] = pose.root;
    return status;
}

/* ---- the whole ---- */

static hf_pose made(const overlap* o, int k) {
    k = k < 0 ? 0 : k >= o->count ? o->count - 1 : k;
    return (hf_pose){o->roots[k], row(o, o->q, k)};
}

static hf_status weigh(overlap* o) {
    hf_status status = HF_OK;
    for (int k = 0; k < o->count && status == HF_OK; k++) {
        hf_pose a = made(o, k - 1), b = made(o, k), c = made(o, k + 1);
        hf_frame_wrench w;
        status = hf_frames_wrench(o->creature, 1 / o->step_s, &a, &b, &c, o->workspace, &w);
        o->momentum_rate[k] = w.momentum_rate;
    }
    return status;
}

/* The less freedom, the quicker the parts of the given way that are followed. */
static double wish_weight(const overlap* o, int k) {
    double cube = 1 / (o->freedom[k] * o->freedom[k] * o->freedom[k]);
    return WISH_WEIGHT * cube * cube;
}

static hf_status find_way(overlap* o, bool first) {
    for (int k = 0; k < o->count; k++) {
        double off = first ? 0 : hf_hypot(o->place[k].x - o->com[k].x, o->place[k].y - o->com[k].y);
        bool unreached = off > REACHED_M || o->lost[k] > 0 || o->seated[k];
        // where limbs do not reach, the way goes where they do
        if (first || unreached) o->wish[k] = o->com[k];
        if (first || unreached) o->weights[k] = wish_weight(o, k) * (unreached ? HEAVY : 1);
        o->wish[k].z = o->com[k].z;
    }
    hf_com_course c = {.count = o->count,
                       .step_s = o->step_s,
                       .stances = o->stances,
                       .wish = o->wish,
                       .momentum_rate = o->momentum_rate,
                       .margin_m = o->margins,
                       .weights = o->weights};
    return hf_com_course_find(&c, o->workspace, o->place, o->outside);
}

/* Has every limb reached its hold, with the centre of mass on its way? */
static bool is_settled(const overlap* o) {
    for (int k = 0; k < o->count; k++)
        if (o->lost[k] > 0 ||
            (!o->seated[k] && hf_hypot(o->place[k].x - o->com[k].x, o->place[k].y - o->com[k].y) > REACHED_M))
            return false;
    return true;
}

static hf_status make_all(overlap* o, bool first, bool follow) {
    hf_status status = HF_OK;
    hf_spend(o->workspace, o->creature, HF_WORK_COURSE, o->count);
    for (int k = 0; k < o->count && status == HF_OK; k++) {
        status = make_pose(o, k, first, follow);
        if (!hf_workspace_goes_on_often(o->workspace)) return status;
    }
    return status;
}

/* The way of the centre of mass decides where the body goes. */
static hf_status follow_course(overlap* o) {
    hf_status status = weigh(o);
    for (int pass = 1; pass <= PASSES && status == HF_OK; pass++) {
        // limbs with more joints than they need settle near their own smoothed postures
        status = calm_numbers(o, POSTURE_S, o->q, o->posture, o->q_count);
        if (status == HF_OK) status = find_way(o, pass == 1);
        if (status == HF_OK) status = make_all(o, false, true);
        if (status == HF_OK) status = weigh(o);
        if (!hf_workspace_goes_on(o->workspace) || (pass > 1 && is_settled(o))) break;
    }
    return status;
}

/* Where a sample's limbs should be, as targets of the optimiser. */
static int add_targets(overlap* o, int k, hf_pose_path_target* targets, int* holds) {
    limb_wish wishes[MAX_WISHES];
    int count = list_wishes(o, k, false, o->q, wishes);
    for (int l = 0; l < o->creature->view.limb_count; l++) holds[l] = -1;
    for (int i = 0; i < count; i++) {
        const limb_wish* w = &wishes[i];
        holds[w->limb] = w->hold;
        const hf_limb* limb = &o->creature->view.limbs[w->limb];
        targets[i] = (hf_pose_path_target){.sample = k, .link = limb->effector_link, .turns = true};
        targets[i].point = w->at.position, targets[i].rotation = w->at.rotation;
        if (w->hold < 0) continue;
        const hf_held* h = &o->list->held[w->hold];
        const hf_contact_frame* f = &limb->contacts[h->world.frame];
        targets[i].link = f->link, targets[i].in_link = f->offset;
        targets[i].point = h->anchor.point, targets[i].rotation = h->anchor.rotation;
        targets[i].turns = h->anchor.flat, targets[i].holds = true, targets[i].hold = w->hold;
    }
    return count;
}

/* Speeds of the root and of all joints between the root and a limb that ever holds. */
static void find_moving(const overlap* o, bool* moves) {
    const hf_creature_view* v = &o->creature->view;
    for (int i = 0; i < v->v_count; i++) moves[i] = i < 6;
    for (int l = 0; l < v->limb_count; l++)
        for (int link = v->limbs[l].effector_link; link >= 0 && ever_holds(o, l);
             link = v->links[link].parent_link) {
            const hf_joint* j = v->links[link].joint >= 0 ? &v->joints[v->links[link].joint] : NULL;
            while (j && j->mimic >= 0) j = &v->joints[j->mimic];
            for (int i = 0; j && i < j->v_count; i++) moves[j->v_index + i] = true;
        }
}

/* The optimiser decides where body and limbs go; then the limbs are put exactly onto their holds. */
static hf_status optimise(overlap* o) {
    hf_workspace_mark mark = hf_workspace_begin(o->workspace);
    size_t most = (size_t)o->count * (size_t)o->creature->view.limb_count + 1;
    hf_pose_path_target* targets = hf_workspace_take(o->workspace, most, sizeof *targets);
    bool* moves = hf_workspace_take(o->workspace, (size_t)o->creature->view.v_count, sizeof *moves);
    int* holds = hf_workspace_take(o->workspace, most, sizeof *holds);
    if (!targets || !moves || !holds) return HF_ERROR_MEMORY;
    find_moving(o, moves);
    hf_pose_path t = {.creature = o->creature,
                      .count = o->count,
                      .step_s = o->step_s,
                      .roots = o->roots,
                      .q = o->q,
                      .wished_roots = o->body,
                      .wished_q = o->posture,
                      .stances = o->stances,
                      .margin_m = o->margins,
                      .freedom = o->freedom,
                      .targets = targets,
                      .weights = o->wishes->weights,
                      .placement = o->wishes->placement,
                      .holds = holds,
                      .held = o->list->held,
                      .moves = moves};
    for (int k = 0; k < o->count; k++)
        t.target_count +=
            add_targets(o, k, targets + t.target_count, holds + k * o->creature->view.limb_count);
    double costs[2] = {0, 0};
    hf_status status = hf_pose_path_improve(&t, STEPS, o->workspace, costs);
    if (status == HF_OK) memcpy(o->body, o->roots, sizeof *o->roots * (size_t)o->count);
    if (status == HF_OK) memcpy(o->posture, o->q, sizeof(double) * (size_t)o->count * (size_t)o->q_count);
    hf_workspace_end(o->workspace, mark);
    return status == HF_OK ? make_all(o, false, false) : status;
}

static hf_status make_poses(overlap* o) {
    for (int k = 0; k < o->count; k++) o->seated[k] = is_seated(o, k);
    hf_status status = wish_body(o);
    if (status == HF_OK) status = make_all(o, true, false);
    if (status != HF_OK || !hf_workspace_goes_on(o->workspace)) return status;
    status = follow_course(o);
    return status == HF_OK && hf_workspace_goes_on(o->workspace) ? optimise(o) : status;
}

/* How far the wrench of a sample is beyond the halfspaces of its stance. */
static hf_status measure_wrench(overlap* o, int k, double* outside) {
    hf_pose a = made(o, k - 1), b = made(o, k), c = made(o, k + 1);
    hf_frame_wrench w;
    const hf_stance* s = o->stances[k];
    hf_status status = hf_frames_wrench(o->creature, 1 / o->step_s, &a, &b, &c, o->workspace, &w);
    *outside = -INFINITY;
    if (status != HF_OK || !s->polytope.known) return status;
    hf_vec3 f = hf_scale(hf_add(w.acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 t = hf_add(hf_cross(hf_sub(w.com, s->reference), f), hf_scale(w.momentum_rate, 1 / s->weight));
    const double v[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    const hf_wrench_polytope* p = &s->polytope;
    for (int i = 0; i < p->facet_count; i++) {
        double over = -p->facets[6 * p->capacity + i];
        for (int r = 0; r < 6; r++) over += p->facets[r * p->capacity + i] * v[r];
        *outside = fmax(*outside, over);
    }
    return status;
}

/* Largest shares of the limits of a sample's speeds and accelerations. */
static void measure_speed(overlap* o, int k, hf_part_load* load) {
    const hf_creature_view* v = &o->creature->view;
    double *in = o->scratch, *out = in + v->v_count, rate = 1 / o->step_s;
    hf_pose a = made(o, k - 1), b = made(o, k), c = made(o, k + 1);
    hf_pose_difference(o->creature, &a, &b, in);
    hf_pose_difference(o->creature, &b, &c, out);
    load->speed = fmax(load->speed, hf_frames_speed(o->creature, rate, &a, &b));
    for (int j = 0; j < v->joint_count; j++)
        for (int x = v->joints[j].v_index; x < v->joints[j].v_index + v->joints[j].v_count; x++)
            load->acceleration =
                fmax(load->acceleration, fabs(out[x] - in[x]) * rate * rate / v->joints[j].max_acceleration);
    hf_vec3 shift = hf_v3(out[0] - in[0], out[1] - in[1], out[2] - in[2]);
    load->acceleration =
        fmax(load->acceleration, hf_length(shift) * rate * rate / v->limits.root_acceleration);
}

static hf_status measure(overlap* o, hf_part_load* loads) {
    hf_status status = HF_OK;
    for (int p = 0; p < o->phases->count; p++) loads[p] = (hf_part_load){.outside = -INFINITY};
    for (int k = 0; k < o->count && status == HF_OK; k++) {
        hf_part_load* load = &loads[hf_parts_at(o->phases, time_of(o, k))];
        double outside;
        status = measure_wrench(o, k, &outside);
        if (k >= 2 && k + 2 < o->count) load->outside = fmax(load->outside, outside);
        load->lost_m = fmax(load->lost_m, o->lost[k]);
        measure_speed(o, k, load);
    }
    return status;
}

static hf_status write_schedule(overlap* o, hf_schedule** out) {
    hf_status status = hf_schedule_create(o->creature, o->wishes->rate, out);
    for (int k = 0; k < o->count && status == HF_OK; k++) {
        hf_pose pose = made(o, k);
        status = hf_schedule_add(*out, NULL, time_of(o, k), &pose, NULL, 0, false);
    }
    for (int i = 0; i < o->given->hold_count && status == HF_OK; i++) {
        const hf_schedule_hold* h = &o->given->holds[i];
        if (!HF_GROW((*out)->holds, (*out)->hold_capacity, (*out)->hold_count)) status = HF_ERROR_MEMORY;
        if (status == HF_OK)
            (*out)->holds[(*out)->hold_count++] = (hf_schedule_hold){
                h->hold, hf_parts_refined(o->phases, h->from_s), hf_parts_refined(o->phases, h->to_s)};
    }
    if (status == HF_OK) return HF_OK;
    hf_schedule_free(*out);
    *out = NULL;
    return status;
}

static bool take(overlap* o) {
    hf_workspace* w = o->workspace;
    size_t n = (size_t)o->count, q = (size_t)o->q_count;
    const hf_creature_view* v = &o->creature->view;
    o->body = hf_workspace_take(w, 2 * n, sizeof *o->body);
    o->posture = hf_workspace_take(w, 2 * n * q + 1, sizeof(double));
    o->wish = hf_workspace_take(w, 4 * n, sizeof *o->wish);
    o->outside = hf_workspace_take(w, 5 * n, sizeof(double));
    o->seated = hf_workspace_take(w, n, sizeof *o->seated);
    o->stances = hf_workspace_take(w, n, sizeof *o->stances);
    o->way = hf_workspace_take(w, (size_t)o->phases->count * (WAY + 1), sizeof(double));
    o->swing = hf_workspace_take(w, (size_t)o->phases->count * (WAY + 1), sizeof *o->swing);
    o->links = hf_workspace_take(w, (size_t)v->link_count, sizeof *o->links);
    o->scratch = hf_workspace_take(w, 2 * n + 2 * q + 2 * (size_t)v->v_count, sizeof(double));
    if (!o->body || !o->posture || !o->wish || !o->outside || !o->seated || !o->stances || !o->way ||
        !o->swing || !o->links || !o->scratch)
        return false;
    // samples that are not made once the work is spent
    for (size_t k = 0; k < 2 * n; k++) o->body[k] = hf_transform_identity();
    memset(o->posture, 0, (2 * n * q + 1) * sizeof(double));
    memset(o->outside, 0, 5 * n * sizeof(double));
    o->roots = o->body + n, o->q = o->posture + n * q;
    o->place = o->wish + n, o->com = o->wish + 2 * n, o->momentum_rate = o->wish + 3 * n;
    o->lost = o->outside + n, o->weights = o->lost + n, o->margins = o->weights + n,
    o->freedom = o->margins + n;
    return true;
}

hf_status hf_overlap_make(const hf_creature* creature, const hf_schedule* given, hf_pose_spline* spline,
                          const hf_parts* phases, const hf_stance_list* list, const hf_overlap_wishes* wishes,
                          hf_workspace* workspace, hf_schedule** out, hf_part_load* loads) {
    overlap o = {.creature = creature,
                 .given = given,
                 .spline = spline,
                 .phases = phases,
                 .list = list,
                 .wishes = wishes,
                 .workspace = workspace,
                 .q_count = creature->view.q_count};
    *out = NULL;
    o.count = (int)ceil(phases->duration_s * wishes->rate) + 1;
    if (o.count < 8) o.count = 8;
    o.step_s = phases->duration_s / (o.count - 1);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_status status = take(&o) ? HF_OK : HF_ERROR_MEMORY;
    for (int p = 0; p < phases->count && status == HF_OK; p++)
        if (swinging_limb(&o, p) >= 0) {
            measure_way(&o, p, swinging_limb(&o, p));
            round_swing(&o, p, swinging_limb(&o, p));
        }
    for (int k = 0; k < o.count && status == HF_OK; k++)
        o.stances[k] = list->stances[hf_stance_list_at(list, phases, time_of(&o, k), o.step_s)];
    for (int k = 0; k < o.count && status == HF_OK; k++)
        o.margins[k] = phases->items[hf_parts_at(phases, time_of(&o, k))].margin_m,
        o.freedom[k] = phases->items[hf_parts_at(phases, time_of(&o, k))].freedom;
    for (int p = 0; p < phases->count; p++) loads[p] = (hf_part_load){0};
    if (status == HF_OK) status = make_poses(&o);
    if (status == HF_OK && !hf_workspace_stopped(workspace)) status = measure(&o, loads);
    if (status == HF_OK) status = write_schedule(&o, out);
    hf_workspace_end(workspace, mark);
    return status;
}
