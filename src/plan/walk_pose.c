/* The whole body along a walk: the root as the guide has it but for where the centre of mass must be, the
   limbs that hold kept on their holds, the one that swings on a smooth way. */
#include "plan/walk.h"

#include "base/ease.h"
#include "base/workspace.h"
#include "schedule/frames.h"
#include "solve/keep.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double NEAR_M = 1e-5, NEAR_RAD = 1e-4; /* of the centre of mass and of limbs to their places */
static const double LEAST_OFF_M = 1e-3;             /* that counts */
/* The root is lowered or raised by this share of what a limb misses its place by, in steps between two
   lengths, and by no more than this share of the height of the centre of mass. */
static const double DROP_GAIN = 1.2, LEAST_STEP_M = 0.001, MOST_STEP_M = 0.01, MOST_DROP = 0.15;
enum { AVERAGES = 3 }; /* of roots, in which corners become smooth */
/* Rounds in which ceilings and floors of roots are found; rounds in a row after which no fewer knots miss
   their places than before, which then no round mends. On level ground a round tells of one knot alone. */
enum { MOST_LOWERINGS = 30, IN_VAIN = 5 };
/* Ways of a swing that are tried, the flattest first: so many in which the foot is as high as its higher end
   after no share of its time up to half of it, since a foot that is later has no time to go on; each of them
   as high as usual and raised once and twice by as much again. */
enum { EARLIES = 5, ARCS = 3 * EARLIES };
static const double MOST_EARLY = 0.5;
enum { ROUNDS = 6 }; /* shifts of the root for one knot */
/* Of the limb's length, how high it goes, and how far over the ground it is at least half way: a person's
   toes pass it by 1 to 2 cm. How far the heel rises behind the body of a foot that has no toes, in the air,
   rad. */
static const double SWING_HEIGHT = 0.05, CLEAR = 0.02, TILT_RAD = 0.3;

/* How a foot that swings sets off and arrives, in lengths of its way over the square of its time: a leg that
   swings like a pendulum has pi^2 / 2 for both. With no acceleration at its ends a foot stays behind the body
   when it leaves and waits for the body when it lands, and the body sinks for it. By trial with the creatures
   of script/walks. */
static const double SETS_OFF = 5, ARRIVES = 6;
/* The rise of a step over its length up to which the foot goes so: slopes on which friction of 0.5 lets a
   body stand easily. */
static const double GENTLE = 0.25;
/* How far knees are bent at least between the first lift and the last landing, rad: on level ground a leg is
   then shorter by 8 thousandths than a straight one. On uneven ground the body goes up and down and a knee
   that is nearly straight would have to follow with jerks: a person's knees bend by 0.4 to 0.6 rad there. */
static const double LEAST_BEND = 0.25, UNEVEN_BEND = 0.45;
/* Of the natural stride: a step as long as this rolls over the toes as far as they bend, shorter ones less in
   proportion: the first and the last of a walk are half as long as the others. A metre up or down counts as
   so many metres ahead, so that a step up a stair of 0.17 m rolls as one of a whole stride does. */
static const double ROLLS_WHOLE = 0.8, UPHILL = 4;

/* rad: of a body that goes up; people lean about so far on stairs. */
static const double MOST_LEAN = 0.2;

/* From 0 to 1 with no speed at the ends and these accelerations there. */
static double go(double u, double a, double b) {
    return u * u * (a / 2 + u * (10 - 1.5 * a - b / 2 + u * (-15 + 1.5 * a + b + u * (6 - a / 2 - b / 2))));
}

/* ---- roots ---- */

/* The mean of each rotation with those up to `half` knots before and behind it; roots before the first and
   behind the last are like those. In place: w->roots has the old ones. */
static void average(const hf_walk* w, int half) {
    memcpy(w->roots, w->wished, sizeof *w->roots * (size_t)(w->last + 1));
    for (int k = 0; k <= w->last; k++) {
        hf_quat sum = {0, 0, 0, 0};
        for (int i = k - half; i <= k + half; i++) {
            hf_quat q = w->roots[i < 0 ? 0 : i < w->last ? i : w->last].rotation;
            sum = (hf_quat){sum.w + q.w, sum.x + q.x, sum.y + q.y, sum.z + q.z};
        }
        w->wished[k].rotation = hf_quat_normalize(sum);
    }
}

/* The share of a change that a knot has from which the walk's first and last pose have none. */
static double inside(const hf_walk* w, int k, int lift, int land) {
    return hf_ease(fmin(1, fmin((double)k / lift, (double)(w->last - k) / (w->last - land))));
}

bool hf_walk_is_level(const hf_walk* w) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k <= w->last; k++)
        low = fmin(low, w->level.ground[k]), high = fmax(high, w->level.ground[k]);
    return high - low < LEAST_OFF_M;
}

/* On level ground the body stays at one height: lowered by what the lowest ceiling asks for and no more than
   the highest floor allows, but for the ends. */
static void level_heights(hf_walk* w, int lift, int land) {
    double most = 0, up = 0;
    for (int k = 0; k <= w->last; k++) most = fmax(most, w->level.wish[k] - w->level.ceiling[k]);
    for (int k = 0; k <= w->last; k++) up = fmax(up, w->level.floor[k] - (w->level.wish[k] - most));
    for (int k = 0; k <= w->last; k++)
        w->wished[k].position.z = w->level.wish[k] - inside(w, k, lift, land) * (most - up);
}

/* How far the body leans ahead where its feet rise, rad: a leg behind then reaches as far as on the level. */
static double lean_of(const hf_walk* w, int k, int half) {
    int a = k > half ? k - half : 0, b = k + half < w->last ? k + half : w->last;
    double way =
        hf_hypot(w->press.wish[b][0] - w->press.wish[a][0], w->press.wish[b][1] - w->press.wish[a][1]);
    double rise = w->level.wish[b] - w->level.wish[a];
    return way > 0 ? fmin(MOST_LEAN, fmax(0, hf_atan2(rise, way))) : 0;
}

void hf_walk_roots(hf_walk* w) {
    int lift = w->steps.all[0].lift, land = w->steps.all[w->steps.count - 1].land;
    int shorter = lift < w->last - land ? lift : w->last - land, half = 1 + 2 * shorter / (3 * AVERAGES);
    double facing = w->planner->world.view->facing;
    hf_vec3 side = hf_v3(-hf_sin(facing), hf_cos(facing), 0);
    for (int k = 0; k <= w->last; k++) {
        hf_transform on = hf_walk_guide_at(&w->planner->world, w->along[k]);
        w->wished[k] = k <= lift ? w->from.root : k >= land ? w->to.root : on;
        hf_quat lean = hf_quat_axis_angle(side, lean_of(w, k, AVERAGES * half));
        if (k > lift && k < land) w->wished[k].rotation = hf_quat_mul(w->wished[k].rotation, lean);
        hf_quat *q = &w->wished[k].rotation, p = w->wished[k > 0 ? k - 1 : 0].rotation;
        // of the two quaternions of a rotation the one near to the last
        if (q->w * p.w + q->x * p.x + q->y * p.y + q->z * p.z < 0) *q = (hf_quat){-q->w, -q->x, -q->y, -q->z};
    }
    for (int i = 0; i < AVERAGES; i++) average(w, half);
    if (hf_walk_is_level(w))
        level_heights(w, lift, land);
    else
        hf_walk_heights(w);
}

/* ---- the limb that steps ---- */

/* The way of a limb from one hold to the next. It goes by a pivot: the joint of the toes, the front of the
   patch, or the contact point. */
typedef struct swing {
    const hf_footstep *from, *to;
    hf_transform lifts, lands; /* its effector, flat */
    hf_toe toe;
    hf_vec3 pivot; /* in the effector */
    hf_vec3 axis;  /* in the effector: about which the heel rises; zero for round feet */
    int begin;     /* the knot from which on the heel rises */
} swing;

/* The effector on a hold, by the hold's frame, which is the effector's own. */
static hf_transform landed(const hf_plan_world* w, const hf_plan_hold* h) {
    const hf_contact_frame* f = &w->view->limbs[h->at.limb].contacts[h->at.frame];
    return (hf_transform){hf_sub(h->anchor.point, hf_rotate(h->anchor.rotation, f->offset)),
                          h->anchor.rotation};
}

static swing swing_of(const hf_walk* w, int step) {
    const hf_plan_world* world = &w->planner->world;
    const hf_footstep* s = &w->steps.all[step];
    const hf_contact_frame* f = &world->view->limbs[s->limb].contacts[s->hold.at.frame];
    const hf_footstep* old = hf_walk_stood(w, s->limb, s->lift);
    swing g = {.from = old, .to = s, .lifts = landed(world, &old->hold), .lands = landed(world, &s->hold)};
    g.toe = s->roll >= 0 ? hf_toe_find(world, &s->hold.at) : (hf_toe){.frame = -1};
    g.begin = s->roll >= 0 ? s->roll - 1 : s->lift;
    hf_vec3 on = hf_sub(g.lands.position, g.lifts.position);
    hf_vec3 ahead = hf_rotate(g.lifts.rotation, hf_sub(g.toe.at, f->offset));
    double long_ahead = hf_hypot(ahead.x, ahead.y);
    double length =
        (long_ahead > 0 ? fmax(0, (on.x * ahead.x + on.y * ahead.y) / long_ahead) : 0) + UPHILL * fabs(on.z);
    g.toe.most *= fmin(1, length / (ROLLS_WHOLE * hf_walk_natural_stride(world)));
    g.pivot = f->offset;
    if (g.toe.frame >= 0) {
        g.pivot = g.toe.at, g.axis = g.toe.axis;
    } else if (!(f->ball > 0) && f->patch[0] > 0) {
        hf_vec3 n = f->normal,
                way = hf_unrotate(g.lifts.rotation, hf_sub(g.lands.position, g.lifts.position));
        way = hf_sub(way, hf_scale(n, hf_dot(way, n)));
        if (hf_length(way) > 0) way = hf_normalize(way);
        g.pivot = hf_add(f->offset, hf_scale(way, fmax(f->patch[0], f->patch[1]) / 2));
        g.axis = hf_cross(way, n);
    }
    return g;
}

/* The effector at a knot, and how far its heel has risen, rad. */
static hf_transform swing_at(const swing* g, int knot, double* rolled) {
    double u = fmax(0, (double)(knot - g->to->lift) / (g->to->land - g->to->lift)), v = 1 - u;
    hf_vec3 from = hf_apply(g->lifts, g->pivot), to = hf_apply(g->lands, g->pivot);
    // first up and then on, or first on and then down, and over what is between
    double e = g->to->early, soon = fmin(1, u / (1 - e)), late = fmax(0, (u - e) / (1 - e));
    bool up = to.z > from.z;
    // on a steep step up or down the foot arrives from above, and without haste
    bool gentle = fabs(to.z - from.z) < GENTLE * hf_hypot(to.x - from.x, to.y - from.y);
    double over = e > 0               ? hf_ease(up ? late : soon)
                  : gentle            ? go(u, SETS_OFF, ARRIVES)
                  : g->toe.frame >= 0 ? go(u, SETS_OFF, 0)
                                      : hf_ease(u);
    hf_vec3 pivot = hf_lerp(from, to, over);
    pivot.z = from.z + hf_ease(up ? soon : late) * (to.z - from.z) + 64 * u * u * u * v * v * v * g->to->high;
    hf_quat turn = hf_quat_slerp(g->lifts.rotation, g->lands.rotation, over);
    // from 0 to 1 and back, smooth at both ends and highest at 3/8 of the time
    const double HIGHEST = 27.0 * 3125 / (1 << 24);
    double t = (double)(knot - g->begin) / (g->to->land - g->begin), s = 1 - t;
    *rolled = g->toe.frame >= 0        ? g->toe.most * t * t * t * s * s * s * s * s / HIGHEST
              : hf_length(g->axis) > 0 ? TILT_RAD * 64 * t * t * t * s * s * s
                                       : 0;
    if (*rolled > 0) turn = hf_quat_mul(turn, hf_quat_axis_angle(g->axis, *rolled));
    return (hf_transform){hf_sub(pivot, hf_rotate(turn, g->pivot)), turn};
}

enum { UNDERSIDE = 3 }; /* points of a foot's underside: its back, its front, under the pivot */

/* Those points in the effector: as far before and behind the pivot, along the way, as its patches are where
   it lands. */
static void find_underside(const swing* g, hf_vec3 way, hf_vec3* points) {
    hf_vec3 pivot = hf_apply(g->lands, g->pivot);
    const hf_hold* at = &g->to->hold.at;
    const hf_support* all[2] = {&g->to->hold.support, &g->to->toes.support};
    double length[UNDERSIDE] = {0};
    for (int i = 0; i < (g->to->toes.at.limb >= 0 ? 2 : 1); i++)
        for (int c = 0; c < all[i]->corner_count; c++) {
            double along = hf_dot(hf_sub(all[i]->corners[c], pivot), way);
            length[0] = fmin(length[0], along), length[1] = fmax(length[1], along);
        }
    for (int e = 0; e < UNDERSIDE; e++) {
        hf_vec3 p = hf_add(pivot, hf_scale(way, length[e])), off = hf_sub(p, at->point);
        p.z -= hf_dot(off, at->normal) / at->normal.z;
        points[e] = hf_unrotate(g->lands.rotation, hf_sub(p, pivot));
    }
}

/* Is the foot over the ground on its way, at so many moments of it, every few centimetres of a stride? At one
   of so many of them it is as far above the ground as it should be. Its heel is where it is without a roll.
 */
enum { MOMENTS = 36, ROOMY = 3 };
static bool is_clear(const hf_walk* w, const swing* g) {
    const hf_placement* placement = w->planner->world.placement;
    hf_vec3 from = hf_apply(g->lifts, g->pivot), to = hf_apply(g->lands, g->pivot), points[UNDERSIDE];
    hf_vec3 way = hf_v3(to.x - from.x, to.y - from.y, 0);
    double rolled, leg = w->planner->world.view->limbs[g->to->limb].length;
    if (hf_length(way) > 0) way = hf_normalize(way);
    find_underside(g, way, points);
    hf_footstep timed = *g->to;
    swing s = *g;
    timed.roll = -1, timed.lift = 0, timed.land = MOMENTS;
    s.to = &timed, s.begin = 0;
    for (int i = ROOMY; i <= MOMENTS - ROOMY; i++) {
        hf_transform foot = swing_at(&s, i, &rolled);
        hf_vec3 at = hf_apply(foot, g->pivot);
        hf_quat flat = hf_quat_mul(foot.rotation, hf_quat_axis_angle(g->axis, -rolled));
        double u = (double)i / MOMENTS, v = 1 - u;
        double clear = i % ROOMY == 0 ? CLEAR * leg * 64 * u * u * u * v * v * v : 0;
        for (int e = 0; e < UNDERSIDE; e++) {
            hf_vec3 under = hf_add(at, hf_rotate(rolled > 0 ? flat : foot.rotation, points[e])),
                    above = under;
            hf_surface hit;
            above.z = fmax(from.z, to.z) + 2 * timed.high;
            if (hf_placement_ray(placement, above, hf_v3(0, 0, -1), above.z - under.z + leg, &hit) &&
                hit.point.z > under.z - clear + HF_SKIN)
                return false;
        }
    }
    return true;
}

void hf_walk_arcs(hf_walk* w) {
    for (int i = 0; i < w->steps.count; i++) {
        hf_footstep* s = &w->steps.all[i];
        double high = SWING_HEIGHT * w->planner->world.view->limbs[s->limb].length;
        bool clear = false;
        for (int k = 0; k < ARCS && !clear; k++) {
            s->early = k % EARLIES * MOST_EARLY / (EARLIES - 1),
            s->high = high * (1 + s->raised + k / EARLIES);
            swing g = swing_of(w, i);
            clear = is_clear(w, &g);
        }
    }
}

/* In the air an ankle at its limit lets the foot tilt more than it should: its toes stay level. */
static void level_toes(hf_planner* p, const swing* g, hf_transform at, double rolled, hf_pose* pose) {
    const hf_limb* limb = &p->world.view->limbs[g->to->limb];
    const hf_joint* joint =
        &p->world.view->joints[p->world.view->links[limb->contacts[g->toe.frame].link].joint];
    hf_forward(p->world.creature, pose, p->tools.links);
    hf_quat more = hf_quat_mul(hf_quat_conj(at.rotation), p->tools.links[limb->effector_link].rotation);
    double *q = &pose->q[g->toe.q_index], tilt = rolled + hf_dot(hf_quat_log(more), g->toe.axis);
    *q =
        fmin(fmax(p->world.model->standing[g->toe.q_index] + g->toe.turn * tilt, joint->lower), joint->upper);
}

/* The same for a foot that cannot be turned at will: its place counts, and its orientation as far as that
   leaves room. */
static bool approach(hf_walk* w, const swing* g, hf_transform at, hf_pose* pose, double* off) {
    hf_planner* p = w->planner;
    const hf_hold* hold = &g->to->hold.at;
    const hf_contact_frame* f = &p->world.view->limbs[hold->limb].contacts[hold->frame];
    hf_anchor anchor = {hf_apply(at, f->offset), at.rotation, true};
    double missed = 0;
    hf_forward(p->world.creature, pose, p->tools.links);
    bool good = hf_plan_note(p, hf_hold_approach(p->world.creature, hold, &anchor, p->tools.workspace,
                                                 p->tools.links, pose->q, &missed));
    *off = fmax(*off, missed);
    return good;
}

/* The limb on its way; *off is how far it stays behind, m. */
static bool step_limb(hf_walk* w, const swing* g, int knot, hf_pose* pose, double* off) {
    hf_planner* p = w->planner;
    int limb = g->to->limb, frame = g->to->hold.at.frame;
    double rolled;
    hf_transform at = swing_at(g, knot, &rolled);
    if (g->toe.frame < 0 && hf_limb_yields(p->world.creature, &g->to->hold.at))
        return approach(w, g, at, pose, off);
    bool round = p->world.view->limbs[limb].contacts[frame].ball > 0;
    hf_target t = {.kind = round ? HF_TARGET_POSITION : HF_TARGET_POSE,
                   .limb = limb,
                   .contact = round ? frame : -1,
                   .point = round ? hf_apply(at, g->pivot) : at.position,
                   .rotation = at.rotation};
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.near_start = true;
    o.posture = pose->q;
    o.tolerance_m = NEAR_M;
    o.tolerance_rad = NEAR_RAD;
    hf_solve_result r;
    if (g->toe.frame >= 0) pose->q[g->toe.q_index] = w->from.q[g->toe.q_index] + g->toe.turn * rolled;
    hf_forward(p->world.creature, pose, p->tools.links);
    const hf_transform* base = &p->tools.links[p->world.view->limbs[limb].base_link];
    bool good =
        hf_plan_note(p, hf_limb_solve(p->world.creature, base, &t, &o, p->tools.workspace, pose->q, &r));
    *off = fmax(*off, r.position_error_m);
    if (good && g->toe.frame >= 0 && knot > g->to->lift) level_toes(p, g, at, rolled, pose);
    return good;
}

/* ---- knots ---- */

/* Limbs that hold flat at a knot, and those that roll or swing. */
typedef struct footing {
    int hold_count, swing_count;
    hf_plan_hold holds[HF_MAX_HOLDS];
    swing swings[HF_MAX_HOLDS];
} footing;

static void find_footing(const hf_walk* w, int phase, footing* f) {
    int knot = w->steps.phases[phase];
    f->hold_count = f->swing_count = 0;
    for (int i = 0; i < w->node->hold_count; i++) {
        int limb = w->node->holds[i].at.limb, next = hf_walk_step(w, limb, knot);
        const hf_footstep* s = next >= 0 ? &w->steps.all[next] : NULL;
        if (s && (knot > s->lift || (s->roll >= 0 && knot >= s->roll)))
            f->swings[f->swing_count++] = swing_of(w, next);
        else
            f->holds[f->hold_count++] = hf_walk_stood(w, limb, knot)->hold;
    }
}

/* Shifts the root until the centre of mass stands over its place, all limbs where they should be; *off is how
   far one of them misses that, m. */
static bool put_over(hf_walk* w, const footing* f, int k, hf_pose* pose, double* off) {
    double gain = 1, before = 0;
    for (int round = 0; round < ROUNDS && hf_plan_ok(w->planner); round++) {
        hf_vec3 pull;
        *off = hf_holds_keep(w->planner, f->holds, f->hold_count, pose, &pull) ? 0 : hf_length(pull);
        for (int i = 0; i < f->swing_count; i++)
            if (!step_limb(w, &f->swings[i], k, pose, off)) return false;
        hf_vec3 com = hf_com_at(w->planner, pose),
                way = {w->press.place[k][0] - com.x, w->press.place[k][1] - com.y, 0};
        double left = hf_length(way);
        if (left < NEAR_M || round + 1 == ROUNDS || *off > LEAST_OFF_M) return true;
        // what holds does not go with the root
        if (before > 0 && left < before / 2) gain *= before / (before - left);
        before = left;
        pose->root.position = hf_add(pose->root.position, hf_scale(way, gain));
    }
    return hf_plan_ok(w->planner);
}

/* How much longer a leg is than one whose knee is bent as far as a walk wants it, m: the longest of all. A
   straight knee turns the faster the straighter it is, and what it carries jerks. */
static double stretched(hf_walk* w, const hf_pose* pose) {
    hf_planner* p = w->planner;
    double most = 0, least = hf_walk_is_level(w) ? LEAST_BEND : UNEVEN_BEND;
    hf_forward(p->world.creature, pose, p->tools.links);
    for (int i = 0; i < w->node->hold_count; i++) {
        int limb = w->node->holds[i].at.limb, knee = hf_knee_find(p->world.view, p->tools.links, limb);
        if (knee < 0) continue;
        double bend = fabs(hf_knee_bend(p->world.view, p->tools.links, limb, knee));
        double longer = hf_cos(bend / 2) - hf_cos(least / 2);
        most = fmax(most, longer * p->world.view->limbs[limb].length);
    }
    return most;
}

/* The pose of one knot from the one before it; *off is how far a limb misses its place. Straight limbs are
   hard to solve: where that failed they are bent first. */
static bool find_pose(hf_walk* w, int k, const footing* f, bool bend, double* off) {
    hf_planner* p = w->planner;
    p->tree.walk_knots--;
    hf_pose pose = hf_walk_pose(w, k), before = hf_walk_pose(w, k - 1);
    hf_pose first = k < w->posed ? w->scratch : before;
    if (k < w->posed) hf_pose_copy(&p->world, &pose, &first);
    hf_pose_between(p->world.creature, &w->from, &w->to, hf_ease((double)k / w->last), &pose);
    for (int i = 0; i < w->node->hold_count; i++) {
        hf_limb_copy(&p->world, w->node->holds[i].at.limb, first.q, pose.q);
        if (bend) hf_limb_loosen(p->world.creature, w->node->holds[i].at.limb, pose.q);
    }
    for (int j = 0; j < p->world.view->joint_count; j++) {
        const hf_joint* joint = &p->world.view->joints[j];
        double against = w->counter.joints[joint->q_index] * w->counter.share[k];
        if (against != 0)
            pose.q[joint->q_index] = fmin(fmax(pose.q[joint->q_index] + against, joint->lower), joint->upper);
    }
    hf_walk_tuck_apply(w, k, pose.q);
    hf_frames_keep_range(p->world.creature, pose.q);
    hf_pose_follow(p->world.creature, pose.q);
    pose.root = w->wished[k];
    pose.root.rotation = hf_quat_mul(pose.root.rotation, hf_walk_sway_at(w, k));
    const double* beside = w->beside[k < w->posed ? k : k - 1];
    hf_vec3 swayed = hf_walk_swayed(w, k);
    pose.root.position.x = w->press.place[k][0] - swayed.x + beside[0];
    pose.root.position.y = w->press.place[k][1] - swayed.y + beside[1];
    bool good = put_over(w, f, k, &pose, off);
    w->beside[k][0] = pose.root.position.x - w->press.place[k][0] + swayed.x;
    w->beside[k][1] = pose.root.position.y - w->press.place[k][1] + swayed.y;
    w->roots[k] = pose.root;
    return good;
}

/* How far a limb misses its place at a knot, m, or how much too long a leg is there: the larger. */
static double missing(hf_walk* w, int k, double off) {
    hf_pose pose = hf_walk_pose(w, k);
    bool goes = k > w->steps.all[0].lift && k < w->steps.all[w->steps.count - 1].land;
    return goes ? fmax(off, stretched(w, &pose)) : off;
}

/* Moves the root at a knot at which a limb misses its place by `off` up or down until all limbs reach; where
   it comes to. False where that does not help. */
static bool shift(hf_walk* w, int k, const footing* f, double off, double side, double most, double* at) {
    double wish = w->wished[k].position.z, *z = &w->wished[k].position.z;
    bool good = true;
    while (good && off > LEAST_OFF_M && fabs(*z - wish) < most) {
        *z += side * fmin(MOST_STEP_M, fmax(DROP_GAIN * off, 2 * LEAST_STEP_M));
        good = find_pose(w, k, f, true, &off);
        off = missing(w, k, off);
    }
    *at = *z;
    *z = wish;
    return good && off <= LEAST_OFF_M;
}

/* How low the root may be at a knot: so much lower than it stands over the lowest limb that holds, m. */
static double lowest_of(const hf_walk* w, int k, const footing* f) {
    double foot = w->level.wish[k] - w->planner->world.model->rest_height;
    for (int i = 0; i < f->hold_count; i++) foot = fmin(foot, f->holds[i].at.point.z);
    for (int i = 0; i < f->swing_count; i++)
        if (k <= f->swings[i].to->lift) foot = fmin(foot, f->swings[i].from->hold.at.point.z);
    return foot + w->planner->world.model->rest_height - MOST_DROP * w->height;
}

/* Finds the ceiling of a knot at which a limb misses its place by `off`, or its floor: legs that are
   stretched want the root lower, feet whose ankles are bent as far as they can want it higher. */
static bool bound(hf_walk* w, int k, const footing* f, double off) {
    double down = w->wished[k].position.z - lowest_of(w, k, f);
    w->posed = k < w->posed ? k : w->posed; // its own pose is no good to begin with
    if (shift(w, k, f, off, -1, down, &w->level.ceiling[k])) return true;
    w->level.ceiling[k] = INFINITY;
    return shift(w, k, f, off, 1, MOST_DROP * w->height, &w->level.floor[k]);
}

/* The lowest ceiling that limbs asked for and its knot, and the highest floor, over the wished heights. */
static double ceiling_of(const hf_walk* w, int* knot) {
    double least = -w->level.crouch - HF_SKIN;
    for (int k = 0; k <= w->last; k++)
        if (w->level.ceiling[k] - w->level.wish[k] < least)
            least = w->level.ceiling[k] - w->level.wish[k], *knot = k;
    return least;
}

static double floor_of(const hf_walk* w) {
    double most = -INFINITY;
    for (int k = 0; k <= w->last; k++) most = fmax(most, w->level.floor[k] - w->level.wish[k]);
    return most;
}

/* All knots; *missed are those at which a limb does not reach. The ceiling goes down there, and on level
   ground with it the roots of all knots, also in this round. False where one should be lower than a walk
   goes. */
static bool find_all(hf_walk* w, int* missed) {
    hf_pose first = hf_walk_pose(w, 0);
    hf_pose_copy(&w->planner->world, &w->from, &first);
    w->roots[0] = w->from.root;
    w->beside[0][0] = w->from.root.position.x - w->press.place[0][0];
    w->beside[0][1] = w->from.root.position.y - w->press.place[0][1];
    footing f;
    *missed = 0;
    int posed = w->posed;
    bool level = hf_walk_is_level(w);
    for (int k = 1, phase = -1; k <= w->last; k++) {
        double off = 0;
        if (!hf_workspace_goes_on_often(w->planner->tools.workspace)) return false;
        if (hf_walk_phase(w, k) != phase) find_footing(w, phase = hf_walk_phase(w, k), &f);
        w->posed = posed;
        if (!find_pose(w, k, &f, false, &off)) return false;
        double miss = missing(w, k, off);
        if (miss <= LEAST_OFF_M) continue;
        double ceiling = w->level.ceiling[k], floor = w->level.floor[k];
        if (!bound(w, k, &f, miss)) {
            w->stop = k;
            if (off > LEAST_OFF_M) return false;
            // limbs reach, with a knee straighter than it should be that no height of the root bends
            w->level.ceiling[k] = ceiling, w->level.floor[k] = floor;
            if (!find_pose(w, k, &f, false, &off)) return false;
            continue;
        }
        if ((*missed)++ == 0 || !level) w->stop = k;
        posed = k < posed ? k : posed;
        int lowest = -1;
        double under = level ? ceiling_of(w, &lowest) : 0;
        if (lowest >= 0 && floor_of(w) > under) {
            w->stop = lowest;
            return false;
        }
        if (level) hf_walk_roots(w);
    }
    if (!level || *missed == 0) w->posed = w->last + 1;
    return hf_plan_ok(w->planner);
}

bool hf_walk_poses(hf_walk* w) {
    int missed = 1, fewest = INT_MAX, since = 0;
    for (int i = 0; i < MOST_LOWERINGS && missed > 0 && since < IN_VAIN; i++) {
        hf_walk_roots(w);
        if (!find_all(w, &missed)) return false;
        since = missed < fewest ? 0 : since + 1;
        fewest = missed < fewest ? missed : fewest;
    }
    return missed == 0;
}
