/* Segments of a plan as frames: a move of the body with everything held, or a swing of one limb. The root is
   shifted so that the centre of mass goes straight; times come from the limits of speed and acceleration of
   joints and root and from the accelerations of the centre of mass that the stance bears, and are stretched
   where a frame is not balanced with its own. A segment starts and ends at rest; what is added holds, frame
   by frame and between them. */
#include "plan/segment.h"

#include <holdfast/rom.h>

#include "base/workspace.h"
#include "schedule/frames.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 6 };     /* of an iteration that converges, or never does */
enum { BORNE_WAYS = 4 }; /* directions in which accelerations are asked about */

bool hf_segment_room(hf_segment* s, int knots) {
    hf_planner* p = s->planner;
    for (int i = 0; i < s->hold_count; i++)
        s->seated |= p->world.view->limbs[s->holds[i].at.limb].joint_count == 0;
    size_t count = (size_t)knots;
    s->roots = hf_workspace_take(p->tools.workspace, count, sizeof *s->roots);
    s->q = hf_workspace_take(p->tools.workspace, count * (size_t)p->world.view->q_count, sizeof *s->q);
    s->coms = hf_workspace_take(p->tools.workspace, count, sizeof *s->coms);
    s->bounds = hf_workspace_take(p->tools.workspace, count * 4 * BORNE_WAYS, sizeof *s->bounds);
    s->ease = hf_workspace_take(p->tools.workspace, count, sizeof *s->ease);
    s->borne = hf_workspace_take(p->tools.workspace, count, sizeof *s->borne);
    s->pose = hf_take_pose(p), s->scratch = hf_take_pose(p);
    if (!s->roots || !s->q || !s->coms || !s->bounds || !s->ease || !s->borne)
        hf_plan_note(p, HF_ERROR_MEMORY);
    return hf_plan_ok(p);
}

double* hf_segment_q(const hf_segment* s, int i) {
    return s->q + (size_t)i * (size_t)s->planner->world.view->q_count;
}

/* ---- the way of the centre of mass ---- */

/* How near waypoints and knots are to their way: between knots, what is left must not look like an
   acceleration. */
static const double WAY_LINE_M = 3e-4, KNOT_LINE_M = 1e-5;

/* Keeps the holds and shifts the root so that the centre of mass stands over a place; where a limb's reach
   ends, as near to it as can be. The root gives way a little where a limb would be overstretched. */
static bool put_over(hf_segment* s, hf_vec3 place, double tolerance, hf_pose* pose, hf_vec3* com) {
    hf_planner* p = s->planner;
    double before = 0, went = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        hf_vec3 pull;
        if (!hf_holds_keep(p, s->holds, s->hold_count, pose, &pull)) {
            hf_pose_give_way(pose, pull);
            went = 0;
            continue;
        }
        *com = hf_com_at(p, pose);
        hf_vec3 off = hf_v3(place.x - com->x, place.y - com->y, 0);
        double left = hf_length(off);
        if (left < tolerance || round >= ROUNDS || s->seated) return true;
        // what holds does not go with the root
        if (went > 0 && before - left > went / 2) s->gain = went / (before - left);
        before = left, went = left * s->gain;
        pose->root.position = hf_add(pose->root.position, hf_scale(off, s->gain));
    }
    return false;
}

static hf_transform effector_at(const hf_segment* s, const hf_pose* pose) {
    if (s->limb < 0) return pose->root;
    hf_forward(s->planner->world.creature, pose, s->planner->tools.links);
    return s->planner->tools.links[s->planner->world.view->limbs[s->limb].effector_link];
}

/* The limb that swings, back onto its way after the root has shifted; false when nothing was to be done. */
static bool bring_back(const hf_segment* s, hf_transform at, hf_pose* pose) {
    hf_planner* p = s->planner;
    if (s->limb < 0 || hf_distance(effector_at(s, pose).position, at.position) < WAY_LINE_M) return false;
    hf_target t = {.kind = HF_TARGET_POSE,
                   .limb = s->limb,
                   .contact = -1,
                   .point = at.position,
                   .rotation = at.rotation};
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.near_start = true;
    o.posture = pose->q;
    hf_solve_result r;
    hf_forward(p->world.creature, pose, p->tools.links);
    const hf_transform* base = &p->tools.links[p->world.view->limbs[s->limb].base_link];
    hf_plan_note(p, hf_limb_solve(p->world.creature, base, &t, &o, p->tools.workspace, pose->q, &r));
    return true;
}

/* Seen from above, the centre of mass goes straight from the first knot to the last while limbs and trunk do
   what they do: where both ends are balanced, so is the way, and it asks for no acceleration across it. */
static bool straighten(hf_segment* s, bool eased) {
    hf_planner* p = s->planner;
    int last = s->way_count - 1;
    for (int end = 0; end < 2; end++) {
        hf_pose pose = {s->roots[end * last], hf_segment_q(s, end * last)};
        s->coms[end * last] = hf_com_at(p, &pose);
        if (hf_stance_margin(s->stance, s->coms[end * last]) < p->world.options->margin_m) return false;
    }
    hf_vec3 shift = {0, 0, 0}, before = {0, 0, 0};
    s->gain = 1;
    for (int i = 1; i < last; i++) {
        double u = (double)i / last, part = eased ? (1 - hf_cos(M_PI * u)) / 2 : u;
        hf_pose pose = {s->roots[i], hf_segment_q(s, i)};
        // shifts go on as they went
        hf_vec3 next = hf_sub(hf_scale(shift, 2), before), com;
        pose.root.position = hf_add(pose.root.position, hf_v3(next.x, next.y, 0));
        s->coms[i] = hf_lerp(s->coms[0], s->coms[last], part);
        hf_pose_copy(&p->world, &(hf_pose){s->roots[i], pose.q}, &s->scratch);
        hf_transform swinging = effector_at(s, &(hf_pose){s->roots[i], pose.q});
        if (!put_over(s, s->coms[i], WAY_LINE_M, &pose, &com) ||
            (bring_back(s, swinging, &pose) && !put_over(s, s->coms[i], WAY_LINE_M, &pose, &com))) {
            // limbs do not let it: as it was
            hf_pose_copy(&p->world, &s->scratch, &pose);
            com = hf_com_at(p, &pose);
        }
        bool near = hf_hypot(com.x - s->coms[i].x, com.y - s->coms[i].y) < WAY_LINE_M;
        s->coms[i] = near ? hf_v3(s->coms[i].x, s->coms[i].y, com.z) : com;
        if (!near && hf_stance_margin(s->stance, com) < p->world.options->margin_m) return false;
        before = shift;
        shift = hf_sub(pose.root.position, s->roots[i].position);
        s->roots[i] = pose.root;
    }
    return true;
}

/* The pose at a place of the path, its holds exact and the centre of mass on its way. */
static bool pose_at(hf_segment* s, const hf_path* path, double at, hf_vec3* shift, hf_pose* pose,
                    hf_vec3* com) {
    hf_planner* p = s->planner;
    hf_path_pose(p->world.creature, path, at, pose);
    hf_frames_keep_range(p->world.creature, pose->q);
    if (at <= 0 || at >= path->count - 1) {
        hf_vec3 pull;
        bool kept = hf_holds_keep(p, s->holds, s->hold_count, pose, &pull);
        *com = hf_com_at(p, pose);
        *shift = hf_v3(0, 0, 0);
        return kept;
    }
    int knot = (int)at;
    hf_vec3 was = pose->root.position;
    pose->root.position = hf_add(was, *shift);
    if (!put_over(s, hf_lerp(s->coms[knot], s->coms[knot + 1], at - knot), KNOT_LINE_M, pose, com)) {
        hf_vec3 pull;
        hf_path_pose(p->world.creature, path, at, pose);
        if (!hf_holds_keep(p, s->holds, s->hold_count, pose, &pull)) return false;
        *com = hf_com_at(p, pose);
    }
    *shift = hf_sub(pose->root.position, was);
    shift->z = 0;
    return true;
}

bool hf_segment_holds_between(const hf_segment* s, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = s->planner;
    hf_pose middle = s->scratch;
    hf_pose_between(p->world.creature, a, b, 0.5, &middle);
    hf_forward(p->world.creature, &middle, p->tools.links);
    for (int i = 0; i < s->hold_count; i++)
        if (!hf_frames_keep(p->world.creature, &s->holds[i].at, &s->holds[i].anchor, p->tools.links))
            return false;
    return true;
}

static bool collides(const hf_segment* s, const hf_pose* a, const hf_pose* b, const hf_collision_query* q) {
    hf_planner* p = s->planner;
    bool found = true;
    hf_collision hit;
    hf_plan_note(p, hf_move_collides(p->world.creature, p->world.placement, a, b, q, p->tools.workspace,
                                     &found, &hit));
    if (found && hf_plan_ok(p)) hf_plan_hit(p, &hit);
    return found;
}

/* From one frame to the next; `begun` when the first is known to be free. A limb that swings is quick and
   passes near to things: what it grazes between two places a centimetre apart would be deeper than a check
   allows, so that it is looked at more closely. */
bool hf_segment_free_between(const hf_segment* s, const hf_pose* a, const hf_pose* b, bool begun) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(s->holds, s->hold_count, s->limb, touches);
    q.begun = begun;
    q.fine_limb = s->limb;
    q.fine_m = HF_STEP_M;
    q.clearance = s->planner->tools.clearance;
    return !collides(s, a, b, &q);
}

/* ---- how fast balance lets it be ---- */

static const double JUMP = 2; /* of the speed limits: much faster is a limb that jumps, at any pace */
/* Of the accelerations of the limbs and of the largest one asked about, m/s2: a segment that must be slower
   still fails. */
static const double LEAST_SHARE = 0.02, MOST_BORNE = 4;
/* Of what is borne at the waypoints, as what is between them is not known yet, and of each slowing down. */
static const double BORNE_SHARE = 0.9;
enum { BORNE_EVERY = 4 }; /* waypoints between two that are asked about */

/* Largest acceleration in a direction that the stance bears, at most MOST_BORNE; by halving its logarithm. */
static double borne(const hf_stance* stance, hf_vec3 com, hf_vec3 way) {
    double low = LEAST_SHARE * MOST_BORNE, high = MOST_BORNE;
    if (hf_stance_holds(stance, com, hf_scale(way, high), hf_v3(0, 0, 0))) return high;
    for (int i = 0; i < ROUNDS; i++) {
        double middle = sqrt(low * high);
        if (hf_stance_holds(stance, com, hf_scale(way, middle), hf_v3(0, 0, 0)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Bounds of the acceleration of the centre of mass at every knot, as the timing wants them. What the stance
   bears is convex: with two opposite directions along the way and two across it, all between them. Few knots
   are asked about, as what is borne changes linearly with the place of the centre of mass, nearly. */
static void find_bounds(hf_segment* s) {
    hf_vec3 way = hf_sub(s->coms[s->way_count - 1], s->coms[0]);
    way = hf_hypot(way.x, way.y) > 0 ? hf_normalize(hf_v3(way.x, way.y, 0)) : hf_v3(1, 0, 0);
    hf_vec3 ways[BORNE_WAYS] = {way, hf_v3(-way.y, way.x, 0), hf_neg(way), hf_v3(way.y, -way.x, 0)};
    double at[BORNE_WAYS], next[BORNE_WAYS];
    int last = s->way_count - 1;
    for (int w = 0; w < BORNE_WAYS; w++) next[w] = borne(s->stance, s->coms[0], ways[w]);
    for (int first = 0; first <= last; first += BORNE_EVERY) {
        int end = first + BORNE_EVERY < last ? first + BORNE_EVERY : last;
        for (int w = 0; w < BORNE_WAYS; w++) {
            at[w] = next[w];
            if (end > first) next[w] = borne(s->stance, s->coms[end], ways[w]);
        }
        for (int i = first; i <= end; i++) {
            double u = end > first ? (double)(i - first) / (end - first) : 0;
            double* rows = s->bounds + 4 * BORNE_WAYS * (size_t)i;
            for (int w = 0; w < BORNE_WAYS; w++) {
                int v = (w + 1) % BORNE_WAYS;
                hf_vec3 n = hf_add(hf_scale(ways[w], 1 / (at[w] + u * (next[w] - at[w]))),
                                   hf_scale(ways[v], 1 / (at[v] + u * (next[v] - at[v]))));
                rows[4 * w] = n.x, rows[4 * w + 1] = n.y, rows[4 * w + 2] = n.z,
                         rows[4 * w + 3] = BORNE_SHARE;
            }
        }
    }
}

/* Largest share of the accelerations that the stance holds, where all of them are too much. */
static double bearable(const hf_stance* stance, const hf_frame_wrench* w) {
    double low = 0, high = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double middle = (low + high) / 2;
        if (hf_stance_holds(stance, w->com, hf_scale(w->acceleration, middle),
                            hf_scale(w->momentum_rate, middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Is every frame of first..last of the store balanced with its accelerations, angular momentum included? Each
   end is at rest. s->borne is the share of them that the stance holds, by ways between waypoints. */
static bool is_balanced(hf_segment* s, const hf_timing* timing, int first, int last) {
    hf_planner* p = s->planner;
    double rate = p->world.options->rate;
    bool balanced = true;
    for (int i = 0; i < s->way_count; i++) s->borne[i] = 1;
    for (int i = first; i <= last; i++) {
        hf_pose here = hf_knots_pose(&p->tree.knots, i),
                before = hf_knots_pose(&p->tree.knots, i > first ? i - 1 : i),
                after = hf_knots_pose(&p->tree.knots, i < last ? i + 1 : i);
        hf_frame_wrench w;
        if (!hf_plan_note(
                p, hf_frames_wrench(p->world.creature, rate, &before, &here, &after, p->tools.workspace, &w)))
            return false;
        if (hf_stance_holds(s->stance, w.com, w.acceleration, w.momentum_rate)) continue;
        double share = bearable(s->stance, &w);
        // the frames on either side make the accelerations of this one
        int end = (int)hf_timing_at(timing, (i + 1 - first) / rate);
        for (int k = (int)hf_timing_at(timing, fmax(0, i - 1 - first) / rate); k <= end; k++)
            s->borne[k] = fmin(s->borne[k], share);
        balanced = false;
    }
    return balanced;
}

typedef enum verdict { HOLDS, TOO_FAST, UNBALANCED, FAILS } verdict;

/* Appends the frames of the path under one timing and judges them. The first frame repeats the last of the
   store at rest, so that accelerations of two segments never add up. */
static verdict append(hf_segment* s, const hf_path* path, hf_timing* timing) {
    hf_planner* p = s->planner;
    hf_pose pose = s->pose;
    hf_vec3 shift = {0, 0, 0};
    int first = p->tree.knots.count;
    s->speed = 1;
    for (int i = 0; i < timing->frame_count; i++) {
        hf_vec3 com;
        if (i == 0) {
            hf_pose_copy(&p->world, s->from, &pose);
            com = hf_com_at(p, &pose);
        } else if (!pose_at(s, path, hf_timing_at(timing, i / p->world.options->rate), &shift, &pose, &com))
            return FAILS;
        double margin = hf_stance_margin(s->stance, com);
        if (margin < p->world.options->margin_m || !hf_pose_within_rom(p->world.creature, pose.q, HF_ROM_RAD))
            return FAILS;
        if (i > 0) {
            hf_pose last = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
            double speed = hf_frames_speed(p->world.creature, p->world.options->rate, &last, &pose);
            // an end is at rest: what is too fast there is no matter of times
            bool at_end = i == 1 || i == timing->frame_count - 1;
            if (speed > (at_end ? HF_FRAME_SPEED : JUMP)) return FAILS;
            s->speed = fmax(s->speed, speed);
            if (speed > HF_FRAME_SPEED || !hf_segment_holds_between(s, &last, &pose)) return TOO_FAST;
        }
        if (!hf_plan_note(p, hf_knots_add(&p->tree.knots, &pose, s->node, s->limb))) return FAILS;
    }
    if (!is_balanced(s, timing, first, p->tree.knots.count - 1)) return UNBALANCED;
    for (int i = first; i < p->tree.knots.count; i++) {
        hf_pose a = hf_knots_pose(&p->tree.knots, i > first ? i - 1 : i),
                b = hf_knots_pose(&p->tree.knots, i);
        if (!hf_segment_free_between(s, &a, &b, i > first)) return FAILS;
    }
    return HOLDS;
}

/* Reduces the accelerations where the stance did not hold them, or `everywhere` by as much: those of the
   limbs, which turn the body, with that of the centre of mass. False where too little is left. */
static bool ease_off(hf_segment* s, bool everywhere) {
    double worst = 1, least = 1;
    for (int i = 0; i < s->way_count; i++) worst = fmin(worst, s->borne[i]);
    for (int i = 0; i < s->way_count; i++) {
        double share = everywhere ? worst : s->borne[i];
        if (share < 1) s->ease[i] *= share * BORNE_SHARE;
        least = fmin(least, s->ease[i]);
    }
    return least >= LEAST_SHARE;
}

/* Times and frames of the knots; slower until every frame holds. */
static bool time_waypoints(hf_segment* s) {
    hf_planner* p = s->planner;
    hf_path path = {.count = s->way_count,
                    .roots = s->roots,
                    .q = s->q,
                    .ease = s->ease,
                    .carried = s->coms,
                    .bounds = s->bounds,
                    .bound_count = BORNE_WAYS};
    hf_timing_options o = hf_timing_options_default();
    o.fps = p->world.options->rate;
    find_bounds(s);
    for (int i = 0; i < s->way_count; i++) s->ease[i] = 1;
    int first = p->tree.knots.count;
    for (int stretch = 0; stretch < ROUNDS; stretch++) {
        hf_status status =
            hf_timing_compute(p->world.creature, &path, &o, p->tools.workspace, p->tools.timing);
        if (!hf_plan_note(p, status)) return false;
        verdict v = append(s, &path, p->tools.timing);
        if (v == HOLDS) return true;
        p->tree.knots.count = first;
        if (v == TOO_FAST) o.speed_share *= fmin(BORNE_SHARE, 1 / s->speed);
        // where it does not help soon to slow down in places, the whole is slowed down
        if (v == FAILS || (v == UNBALANCED && !ease_off(s, 3 * stretch >= ROUNDS))) return false;
    }
    return false;
}

bool hf_segment_finish(hf_segment* s, bool eased) { return straighten(s, eased) && time_waypoints(s); }

/* ---- moves ---- */

enum { DIPS = 3 }; /* moves that are tried: straight, and lower half way by one and two small shifts */

/* No further apart than a small shift and turn of the root, and as much of any joint. */
static int waypoints_between(const hf_plan_world* w, const hf_pose* a, const hf_pose* b) {
    double n = hf_distance(a->root.position, b->root.position) / (HF_SMALL_SHIFT * w->model->size);
    n = fmax(n, hf_quat_angle(a->root.rotation, b->root.rotation) / HF_SMALL_TURN);
    for (int j = 0; j < w->view->joint_count; j++) {
        int i = w->view->joints[j].q_index;
        n = fmax(n, fabs(b->q[i] - a->q[i]) / (2 * HF_SMALL_TURN));
    }
    return 2 + (int)n;
}

/* The pose of a waypoint with its holds kept: the root gives way where a straight line would overstretch a
   limb. An end knows its own posture, which a straight limb is hard to be brought to. */
static bool keep_waypoint(hf_segment* s, int i, const hf_pose* from, const hf_pose* to, hf_pose* pose) {
    hf_planner* p = s->planner;
    hf_vec3 pull;
    bool ends = i == 0 || i == s->way_count - 1;
    for (int round = 0; round < (ends ? 2 : ROUNDS) && hf_plan_ok(p); round++) {
        if (round && ends)
            hf_pose_between(p->world.creature, from, to, i > 0, pose);
        else if (round)
            hf_pose_give_way(pose, pull);
        if (hf_holds_keep(p, s->holds, s->hold_count, pose, &pull)) return true;
    }
    return false;
}

/* Root and free joints straight, but for the root's height, which is less by up to `dip` half way; held limbs
   solved. */
static bool make_move(hf_segment* s, const hf_pose* from, const hf_pose* to, double dip) {
    hf_planner* p = s->planner;
    hf_pose pose = s->pose;
    for (int i = 0; i < s->way_count; i++) {
        const double* before = i > 0 ? hf_segment_q(s, i - 1) : from->q;
        double u = (double)i / (s->way_count - 1), half = hf_sin(M_PI * u);
        hf_pose_between(p->world.creature, from, to, u, &pose);
        pose.root.position.z -= dip * half * half;
        // limbs that can hold in one posture only go on from where they were, others to how they end
        for (int h = 0; h < s->hold_count; h++)
            if (!hf_hold_is_loose(&p->world, &s->holds[h]))
                hf_limb_copy(&p->world, s->holds[h].at.limb, before, pose.q);
        hf_frames_keep_range(p->world.creature, pose.q);
        hf_pose_follow(p->world.creature, pose.q);
        if (!keep_waypoint(s, i, from, to, &pose)) return false;
        s->roots[i] = pose.root;
        memcpy(hf_segment_q(s, i), pose.q, sizeof(double) * (size_t)p->world.view->q_count);
    }
    return true;
}

bool hf_segment_move(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                     const hf_pose* from, const hf_pose* to) {
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_segment s = {.planner = p,
                    .holds = holds,
                    .hold_count = count,
                    .limb = -1,
                    .stance = stance,
                    .node = node,
                    .from = from};
    s.way_count = waypoints_between(&p->world, from, to);
    bool good = hf_segment_room(&s, s.way_count);
    // legs that are stretched half way jump: a body that goes lower bends them
    for (int i = 0, tries = good ? DIPS : 0; i < tries && hf_plan_ok(p); i++) {
        double dip = i * HF_SMALL_SHIFT * p->world.model->size;
        good = make_move(&s, from, to, dip) && hf_segment_finish(&s, false);
        if (good) break;
    }
    hf_workspace_end(p->tools.workspace, mark);
    return good;
}
