/* The whole body along a walk: the root as the guide has it but for where the centre of mass must be, the
   limbs that hold kept on their holds, the one that swings on a smooth way. */
#include "plan/walk.h"

#include "base/workspace.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

static const double NEAR_M = 1e-5, NEAR_RAD = 1e-4; /* of the centre of mass and of limbs to their places */
static const double LEAST_OFF_M = 1e-3;             /* that counts */
/* The root is lowered or raised by this share of what a limb misses its place by, in steps between two
   lengths, and by no more than this share of the height of the centre of mass. */
static const double DROP_GAIN = 1.2, LEAST_STEP_M = 0.001, MOST_STEP_M = 0.02, MOST_DROP = 0.15;
enum { AVERAGES = 3 }; /* of roots, in which corners become smooth */
enum { ROUNDS = 6 };   /* shifts of the root for one knot */
/* Of the limb's length, how high it goes. How far the heel rises behind the body: of a foot that rolls over
   its toes, and of one that has none, in the air. A person's rises by 0.9 rad. */
static const double SWING_HEIGHT = 0.05, ROLL_RAD = 0.9, TILT_RAD = 0.3;

/* From 0 to 1 with no speed and no acceleration at the ends. */
static double ease(double u) { return u * u * u * (10 + u * (6 * u - 15)); }

/* ---- roots ---- */

static hf_transform guide_near(const hf_walk* w, const double place[2], double* index) {
    const hf_plan_world* world = &w->planner->world;
    hf_transform a = world->guide[0], b = a;
    double t = 0;
    for (int i = (int)*index; i + 1 < world->guide_count; i++) {
        a = world->guide[i], b = world->guide[i + 1];
        double dx = b.position.x - a.position.x, dy = b.position.y - a.position.y, l = dx * dx + dy * dy;
        t = l > 0 ? ((place[0] - a.position.x) * dx + (place[1] - a.position.y) * dy) / l : 1;
        *index = i;
        if (t < 1) break;
    }
    t = fmin(1, fmax(0, t));
    return (hf_transform){hf_lerp(a.position, b.position, t), hf_quat_slerp(a.rotation, b.rotation, t)};
}

/* Adds a root's height and rotation times a factor to a sum of them. */
static void add_root(double sum[5], hf_transform at, double factor) {
    const double values[5] = {at.position.z, at.rotation.w, at.rotation.x, at.rotation.y, at.rotation.z};
    for (int i = 0; i < 5; i++) sum[i] += factor * values[i];
}

/* The mean of each height and rotation with those up to `half` knots before and behind it; roots before the
   first and behind the last are like those. In place: w->roots has the old ones. */
static void average(const hf_walk* w, int half) {
    double sum[5] = {0};
    memcpy(w->roots, w->wished, sizeof *w->roots * (size_t)(w->last + 1));
    for (int i = -half - 1; i < half; i++) add_root(sum, w->roots[i < 0 ? 0 : i < w->last ? i : w->last], 1);
    for (int k = 0; k <= w->last; k++) {
        int in = k + half, out = k - half - 1;
        add_root(sum, w->roots[in < w->last ? in : w->last], 1);
        add_root(sum, w->roots[out > 0 ? out : 0], -1);
        w->wished[k].position.z = sum[0] / (2 * half + 1);
        w->wished[k].rotation = hf_quat_normalize((hf_quat){sum[1], sum[2], sum[3], sum[4]});
    }
}

/* Roots of all knots: as the walk begins until the first limb leaves, as it ends from the last landing on, on
   the guide between them, lowered; and no corners in it. */
static void wish_roots(hf_walk* w) {
    int lift = w->steps[0].lift, land = w->steps[w->step_count - 1].land;
    double index = w->node->guide_index;
    for (int k = 0; k <= w->last; k++) {
        hf_transform on = guide_near(w, w->place[k], &index);
        on.position.z -= w->drop;
        w->wished[k] = k <= lift ? w->from.root : k >= land ? w->to.root : on;
        hf_quat *q = &w->wished[k].rotation, p = w->wished[k > 0 ? k - 1 : 0].rotation;
        // of the two quaternions of a rotation the one near to the last
        if (q->w * p.w + q->x * p.x + q->y * p.y + q->z * p.z < 0) *q = (hf_quat){-q->w, -q->x, -q->y, -q->z};
    }
    int shorter = lift < w->last - land ? lift : w->last - land;
    for (int i = 0; i < AVERAGES; i++) average(w, shorter / AVERAGES);
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
    const hf_footstep* s = &w->steps[step];
    const hf_contact_frame* f = &world->view->limbs[s->limb].contacts[s->hold.at.frame];
    const hf_footstep* old = hf_walk_stood(w, s->limb, s->lift);
    swing g = {.from = old, .to = s, .lifts = landed(world, &old->hold), .lands = landed(world, &s->hold)};
    g.toe = s->roll >= 0 ? hf_toe_find(world, &s->hold.at) : (hf_toe){.frame = -1};
    g.begin = s->roll >= 0 ? s->roll - 1 : s->lift;
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
static hf_transform swing_at(const hf_walk* w, const swing* g, int knot, double* rolled) {
    double u = fmax(0, (double)(knot - g->to->lift) / (g->to->land - g->to->lift)), v = 1 - u;
    double over = g->toe.frame >= 0 ? u * u * (3 + u * (1 + u * (-6 + 3 * u))) : ease(u);
    double up = 64 * u * u * u * v * v * v * SWING_HEIGHT * w->planner->world.view->limbs[g->to->limb].length;
    hf_vec3 from = hf_apply(g->lifts, g->pivot), to = hf_apply(g->lands, g->pivot);
    hf_vec3 pivot = hf_add(hf_lerp(from, to, over), hf_v3(0, 0, up));
    hf_quat turn = hf_quat_slerp(g->lifts.rotation, g->lands.rotation, over);
    // from 0 to 1 and back, smooth at both ends and highest at 3/8 of the time
    double t = (double)(knot - g->begin) / (g->to->land - g->begin), s = 1 - t;
    *rolled = g->toe.frame >= 0        ? ROLL_RAD * t * t * t * s * s * s * s * s / 0.005029141902923584
              : hf_length(g->axis) > 0 ? TILT_RAD * 64 * t * t * t * s * s * s
                                       : 0;
    if (*rolled > 0) turn = hf_quat_mul(turn, hf_quat_axis_angle(g->axis, *rolled));
    return (hf_transform){hf_sub(pivot, hf_rotate(turn, g->pivot)), turn};
}

/* The limb on its way; *off is how far it stays behind, m. */
static bool step_limb(hf_walk* w, const swing* g, int knot, hf_pose* pose, double* off) {
    hf_planner* p = w->planner;
    int limb = g->to->limb, frame = g->to->hold.at.frame;
    double rolled;
    hf_transform at = swing_at(w, g, knot, &rolled);
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
    int knot = w->phases[phase];
    f->hold_count = f->swing_count = 0;
    for (int i = 0; i < w->node->hold_count; i++) {
        int limb = w->node->holds[i].at.limb, next = hf_walk_step(w, limb, knot);
        const hf_footstep* s = next >= 0 ? &w->steps[next] : NULL;
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
        *off = hf_holds_keep(w->planner, f->holds, f->hold_count, -1, pose, &pull) ? 0 : hf_length(pull);
        for (int i = 0; i < f->swing_count; i++)
            if (!step_limb(w, &f->swings[i], k, pose, off)) return false;
        hf_vec3 com = hf_com_at(w->planner, pose), way = {w->place[k][0] - com.x, w->place[k][1] - com.y, 0};
        double left = hf_length(way);
        if (left < NEAR_M || round + 1 == ROUNDS || *off > LEAST_OFF_M) return true;
        // what holds does not go with the root
        if (before > 0 && left < before / 2) gain *= before / (before - left);
        before = left;
        pose->root.position = hf_add(pose->root.position, hf_scale(way, gain));
    }
    return hf_plan_ok(w->planner);
}

/* The pose of one knot from the one before it; *gave is how far a limb misses its place. */
static bool find_pose(hf_walk* w, int k, const footing* f, double* off) {
    hf_planner* p = w->planner;
    hf_pose pose = hf_walk_pose(w, k), before = hf_walk_pose(w, k - 1);
    hf_pose first = k < w->posed ? w->scratch : before;
    if (k < w->posed) hf_pose_copy(&p->world, &pose, &first);
    hf_pose_between(p->world.creature, &w->from, &w->to, ease((double)k / w->last), &pose);
    for (int i = 0; i < w->node->hold_count; i++)
        hf_limb_copy(&p->world, w->node->holds[i].at.limb, first.q, pose.q);
    for (int j = 0; j < p->world.view->joint_count; j++) {
        const hf_joint* joint = &p->world.view->joints[j];
        double against = w->counter[joint->q_index] * w->counters[k];
        if (against != 0)
            pose.q[joint->q_index] = fmin(fmax(pose.q[joint->q_index] + against, joint->lower), joint->upper);
    }
    hf_frames_keep_range(p->world.creature, pose.q);
    hf_pose_follow(p->world.creature, pose.q);
    pose.root = w->wished[k];
    const double* beside = w->beside[k < w->posed ? k : k - 1];
    pose.root.position.x = w->place[k][0] + beside[0];
    pose.root.position.y = w->place[k][1] + beside[1];
    bool good = put_over(w, f, k, &pose, off);
    w->beside[k][0] = pose.root.position.x - w->place[k][0];
    w->beside[k][1] = pose.root.position.y - w->place[k][1];
    w->roots[k] = pose.root;
    return good;
}

/* All knots as far as limbs reach; *stop is the first at which one does not, or behind the last, and *off how
   far that one misses its place, m. */
static bool find_all(hf_walk* w, int* stop, double* off) {
    hf_pose first = hf_walk_pose(w, 0);
    hf_pose_copy(&w->planner->world, &w->from, &first);
    w->roots[0] = w->from.root;
    w->beside[0][0] = w->from.root.position.x - w->place[0][0];
    w->beside[0][1] = w->from.root.position.y - w->place[0][1];
    footing f;
    for (int k = 1, phase = -1; k <= w->last; k++) {
        if (hf_walk_phase(w, k) != phase) find_footing(w, phase = hf_walk_phase(w, k), &f);
        if (!find_pose(w, k, &f, off)) return false;
        *stop = k;
        if (*off > LEAST_OFF_M) w->posed = k < w->posed ? k : w->posed;
        if (*off > LEAST_OFF_M) return true;
        w->posed = k + 1 > w->posed ? k + 1 : w->posed;
    }
    *stop = w->last + 1;
    return hf_plan_ok(w->planner);
}

/* Would the limbs miss less at the knot if the root were higher? Legs that are stretched want it lower, feet
   whose ankles are bent as far as they can want it higher. */
static bool wants_higher(hf_walk* w, int k) {
    double off[2] = {0, 0}, z = w->wished[k].position.z;
    footing f;
    find_footing(w, hf_walk_phase(w, k), &f);
    for (int i = 0; i < 2; i++) {
        w->wished[k].position.z = z + (i ? 1 : -1) * MOST_STEP_M / 2;
        find_pose(w, k, &f, &off[i]);
    }
    return off[1] < off[0];
}

bool hf_walk_poses(hf_walk* w) {
    double low = -INFINITY, high = INFINITY; // drops that are too small and too large
    while (high - low > LEAST_STEP_M && fabs(w->drop) < MOST_DROP * w->height) {
        int stop = 0;
        double off = 0;
        wish_roots(w);
        if (!find_all(w, &stop, &off)) return false;
        if (stop > w->last) return true;
        double step = fmin(MOST_STEP_M, fmax(DROP_GAIN * off, 2 * LEAST_STEP_M));
        if (wants_higher(w, stop))
            high = w->drop, w->drop = isfinite(low) ? (low + high) / 2 : w->drop - step;
        else
            low = w->drop, w->drop = isfinite(high) ? (low + high) / 2 : w->drop + step;
    }
    return false;
}
