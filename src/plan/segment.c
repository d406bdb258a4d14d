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

/* A knot of a move: the root moves or turns no further, nor any other joint. */
static const double KNOT_SHIFT = 0.03;                 /* creature heights */
static const double KNOT_TURN = 0.1, KNOT_JOINT = 0.2; /* rad */
enum {
    MAX_KNOTS = 400,
    MAX_FRAMES = 3000,
    STRETCHES = 6,
    SHARE_HALVINGS = 6,
    GIVING_WAY = 5,
    BORNE_WAYS = 4
};

bool hf_segment_room(hf_segment* s, int knots) {
    hf_planner* p = s->planner;
    for (int i = 0; i < s->hold_count; i++) s->seated |= p->view->limbs[s->holds[i].at.limb].joint_count == 0;
    size_t count = (size_t)knots;
    s->roots = hf_workspace_take(p->workspace, count, sizeof *s->roots);
    s->q = hf_workspace_take(p->workspace, count * (size_t)p->view->q_count, sizeof *s->q);
    s->coms = hf_workspace_take(p->workspace, count, sizeof *s->coms);
    s->bounds = hf_workspace_take(p->workspace, count * 4 * BORNE_WAYS, sizeof *s->bounds);
    if (!s->roots || !s->q || !s->coms || !s->bounds) p->out_of_memory = true;
    return !p->out_of_memory;
}

double* hf_segment_q(const hf_segment* s, int i) {
    return s->q + (size_t)i * (size_t)s->planner->view->q_count;
}

/* ---- the way of the centre of mass ---- */

/* Knots and frames are so near to it: between frames, what is left must not look like an acceleration. */
static const double ASIDE_M = 1e-3; /* what a swinging effector may be off its way */
static const double KNOT_LINE_M = 3e-4, FRAME_LINE_M = 1e-5;
enum { LINE_ROUNDS = 6 };

hf_vec3 hf_segment_com(hf_planner* p, const hf_pose* pose) {
    hf_forward(p->creature, pose, p->links);
    return hf_com(p->creature, p->links);
}

/* Keeps the holds and shifts the root so that the centre of mass stands over a place; where a limb's reach
   ends, as near to it as can be. The root gives way a little where a limb would be overstretched. */
static bool put_over(hf_segment* s, hf_vec3 place, double tolerance, hf_pose* pose, hf_vec3* com) {
    hf_planner* p = s->planner;
    double before = 0, went = 0;
    for (int round = 0; round < LINE_ROUNDS + GIVING_WAY; round++) {
        hf_vec3 pull;
        if (!hf_holds_keep(p, s->holds, s->hold_count, -1, pose, &pull)) {
            pose->root.position = hf_add(pose->root.position, hf_scale(pull, 1.2));
            went = 0;
            continue;
        }
        *com = hf_segment_com(p, pose);
        hf_vec3 off = hf_v3(place.x - com->x, place.y - com->y, 0);
        double left = hf_length(off);
        if (left < tolerance || round >= LINE_ROUNDS || s->seated) return true;
        // what holds does not go with the root
        if (went > 10 * tolerance && before - left > 0.5 * went / s->gain)
            s->gain = fmin(1.6, fmax(1, went / (before - left)));
        before = left, went = left * s->gain;
        pose->root.position = hf_add(pose->root.position, hf_scale(off, s->gain));
    }
    return false;
}

static hf_transform effector_at(const hf_segment* s, const hf_pose* pose) {
    if (s->limb < 0) return pose->root;
    hf_forward(s->planner->creature, pose, s->planner->links);
    return s->planner->links[s->planner->view->limbs[s->limb].effector_link];
}

/* The limb that swings, back onto its way after the root has shifted; false when nothing was to be done. */
static bool bring_back(const hf_segment* s, hf_transform at, hf_pose* pose) {
    hf_planner* p = s->planner;
    if (s->limb < 0 || hf_distance(effector_at(s, pose).position, at.position) < ASIDE_M) return false;
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
    hf_forward(p->creature, pose, p->links);
    if (hf_limb_solve(p->creature, &p->links[p->view->limbs[s->limb].base_link], &t, &o, p->workspace,
                      pose->q, &r) != HF_OK)
        p->out_of_memory = true;
    return true;
}

/* Seen from above, the centre of mass goes straight from the first knot to the last while limbs and trunk do
   what they do: where both ends are balanced, so is the way, and it asks for no acceleration across it. */
static bool straighten(hf_segment* s, bool eased) {
    hf_planner* p = s->planner;
    int last = s->knot_count - 1;
    for (int end = 0; end < 2; end++) {
        hf_pose pose = {s->roots[end * last], hf_segment_q(s, end * last)};
        s->coms[end * last] = hf_segment_com(p, &pose);
        if (hf_stance_margin(s->stance, s->coms[end * last]) < p->options->margin_m) return false;
    }
    hf_vec3 shift = {0, 0, 0}, before = {0, 0, 0};
    s->gain = 1.15;
    for (int i = 1; i < last; i++) {
        double u = (double)i / last, part = eased ? (1 - cos(3.14159265358979 * u)) / 2 : u;
        hf_pose pose = {s->roots[i], hf_segment_q(s, i)};
        // shifts go on as they went
        hf_vec3 next = hf_sub(hf_scale(shift, 2), before), com;
        pose.root.position = hf_add(pose.root.position, hf_v3(next.x, next.y, 0));
        s->coms[i] = hf_lerp(s->coms[0], s->coms[last], part);
        memcpy(p->q_i, pose.q, sizeof(double) * (size_t)p->view->q_count);
        hf_transform swinging = effector_at(s, &(hf_pose){s->roots[i], pose.q});
        if (!put_over(s, s->coms[i], KNOT_LINE_M, &pose, &com) ||
            (bring_back(s, swinging, &pose) && !put_over(s, s->coms[i], KNOT_LINE_M, &pose, &com))) {
            // limbs do not let it: as it was
            memcpy(pose.q, p->q_i, sizeof(double) * (size_t)p->view->q_count);
            pose.root = s->roots[i];
            com = hf_segment_com(p, &pose);
        }
        bool near = hypot(com.x - s->coms[i].x, com.y - s->coms[i].y) < KNOT_LINE_M;
        s->coms[i] = near ? hf_v3(s->coms[i].x, s->coms[i].y, com.z) : com;
        if (!near && hf_stance_margin(s->stance, com) < p->options->margin_m) return false;
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
    hf_path_pose(p->creature, path, at, pose);
    hf_frames_keep_range(p->creature, pose->q);
    if (at <= 0 || at >= path->count - 1) {
        hf_vec3 pull;
        bool kept = hf_holds_keep(p, s->holds, s->hold_count, -1, pose, &pull);
        *com = hf_segment_com(p, pose);
        *shift = hf_v3(0, 0, 0);
        return kept;
    }
    int knot = (int)at;
    hf_vec3 was = pose->root.position;
    pose->root.position = hf_add(was, *shift);
    if (!put_over(s, hf_lerp(s->coms[knot], s->coms[knot + 1], at - knot), FRAME_LINE_M, pose, com)) {
        hf_vec3 pull;
        hf_path_pose(p->creature, path, at, pose);
        if (!hf_holds_keep(p, s->holds, s->hold_count, -1, pose, &pull)) return false;
        *com = hf_segment_com(p, pose);
    }
    *shift = hf_sub(pose->root.position, was);
    shift->z = 0;
    return true;
}

static const double GRAZE_M = 0.004; /* steps of a swinging limb */

/* Is every hold kept half way between two frames? */
static bool holds_between(const hf_segment* s, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = s->planner;
    hf_pose middle = {.q = p->q_d};
    hf_pose_between(p->creature, a, b, 0.5, &middle);
    hf_forward(p->creature, &middle, p->links);
    for (int i = 0; i < s->hold_count; i++)
        if (!hf_frames_keep(p->creature, &s->holds[i].at, &s->holds[i].anchor, p->links)) return false;
    return true;
}

static bool collides(const hf_segment* s, const hf_pose* a, const hf_pose* b, const hf_collision_query* q) {
    hf_planner* p = s->planner;
    bool found = true;
    hf_collision hit;
    if (hf_move_collides(p->creature, p->placement, a, b, q, p->workspace, &found, &hit) != HF_OK)
        p->out_of_memory = true;
    return found;
}

/* From one frame to the next; `begun` when the first is known to be free. A limb that swings is quick and
   passes near to things: what it grazes between two places a centimetre apart would be deeper than a check
   allows, so that it is looked at more closely. */
static bool free_between(const hf_segment* s, const hf_pose* a, const hf_pose* b, bool begun) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    q.touches = touches;
    q.touch_count = hf_holds_touches(s->holds, s->hold_count, s->limb, touches);
    q.begun = begun;
    q.fine_limb = s->limb;
    q.fine_m = GRAZE_M;
    q.clearance = s->planner->clearance;
    return !collides(s, a, b, &q);
}

/* ---- how fast balance lets it be ---- */

static const double JUMP = 2;           /* of the speed limits */
static const double LEAST_SHARE = 0.02; /* of accelerations: 7 times slower */

/* Accelerations of the centre of mass that are asked about, m/s2. */
static const double LEAST_BORNE = 0.02, MOST_BORNE = 4;
/* What is between knots is not known yet. */
static const double BORNE_SHARE = 0.9;
enum { BORNE_EVERY = 4, BORNE_HALVINGS = 6 };

/* Largest acceleration in a direction that the stance bears, at most MOST_BORNE; by halving its logarithm. */
static double borne(const hf_stance* stance, hf_vec3 com, hf_vec3 way) {
    double low = LEAST_BORNE, high = MOST_BORNE;
    if (hf_stance_holds(stance, com, hf_scale(way, high), hf_v3(0, 0, 0))) return high;
    for (int i = 0; i < BORNE_HALVINGS; i++) {
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
    hf_vec3 way = hf_sub(s->coms[s->knot_count - 1], s->coms[0]);
    way = hypot(way.x, way.y) > 1e-6 ? hf_normalize(hf_v3(way.x, way.y, 0)) : hf_v3(1, 0, 0);
    hf_vec3 ways[BORNE_WAYS] = {way, hf_v3(-way.y, way.x, 0), hf_neg(way), hf_v3(way.y, -way.x, 0)};
    double at[BORNE_WAYS], next[BORNE_WAYS];
    int last = s->knot_count - 1;
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
                rows[4 * w] = n.x, rows[4 * w + 1] = n.y, rows[4 * w + 2] = n.z, rows[4 * w + 3] = 1;
            }
        }
    }
}

static void scale_bounds(hf_segment* s, double share) {
    for (int i = 0; i < s->knot_count * BORNE_WAYS; i++) s->bounds[4 * i + 3] *= share;
}

/* Largest share of the accelerations that the stance holds, where all of them are too much. */
static double bearable(const hf_stance* stance, const hf_frame_wrench* w) {
    double low = 0, high = 1;
    for (int i = 0; i < SHARE_HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (hf_stance_holds(stance, w->com, hf_scale(w->acceleration, middle),
                            hf_scale(w->momentum_rate, middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Least share of the accelerations of frames first..last of the store that the stance holds, angular momentum
   included; each end is at rest. */
static double balance_share(const hf_segment* s, int first, int last) {
    hf_planner* p = s->planner;
    double least = 1;
    for (int i = first; i <= last; i++) {
        hf_pose here = hf_frames_pose(&p->frames, i),
                before = hf_frames_pose(&p->frames, i > first ? i - 1 : i),
                after = hf_frames_pose(&p->frames, i < last ? i + 1 : i);
        hf_frame_wrench w;
        if (hf_frames_wrench(p->creature, p->options->rate, &before, &here, &after, p->workspace, &w) !=
            HF_OK) {
            p->out_of_memory = true;
            return 0;
        }
        if (!hf_stance_holds(s->stance, w.com, hf_scale(w.acceleration, least),
                             hf_scale(w.momentum_rate, least)))
            least = bearable(s->stance, &w);
    }
    return least;
}

typedef enum verdict { HOLDS, TOO_FAST, UNBALANCED, FAILS } verdict;

/* Appends the frames of the path under one timing and judges them. The first frame repeats the last of the
   store at rest, so that accelerations of two segments never add up. */
static verdict append(hf_segment* s, const hf_path* path, hf_timing* timing, double* share) {
    hf_planner* p = s->planner;
    hf_pose pose = {.q = p->q_c};
    hf_vec3 shift = {0, 0, 0};
    int first = p->frames.count;
    for (int i = 0; i < timing->frame_count; i++) {
        hf_vec3 com;
        if (i == 0) {
            pose.root = s->from->root;
            memcpy(pose.q, s->from->q, sizeof(double) * (size_t)p->view->q_count);
            com = hf_segment_com(p, &pose);
        } else if (!pose_at(s, path, hf_timing_at(timing, i / p->options->rate), &shift, &pose, &com))
            return FAILS;
        double margin = hf_stance_margin(s->stance, com);
        if (margin < p->options->margin_m || !hf_pose_within_rom(p->creature, pose.q, HF_ROM_RAD))
            return FAILS;
        if (i > 0) {
            hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
            double speed = hf_frames_speed(p->creature, p->options->rate, &last, &pose);
            // the times keep the limits: much faster is a limb that jumps, at any pace
            if (speed > JUMP) return FAILS;
            if (speed > HF_FRAME_SPEED || !holds_between(s, &last, &pose)) return TOO_FAST;
        }
        if (!hf_frames_add(&p->frames, &pose, s->node, s->limb)) {
            p->out_of_memory = true;
            return FAILS;
        }
    }
    double bear = balance_share(s, first, p->frames.count - 1);
    if (bear < 1) {
        *share = bear * 0.9;
        return UNBALANCED;
    }
    for (int i = first; i < p->frames.count; i++) {
        hf_pose a = hf_frames_pose(&p->frames, i > first ? i - 1 : i), b = hf_frames_pose(&p->frames, i);
        if (!free_between(s, &a, &b, i > first)) return FAILS;
    }
    return HOLDS;
}

/* Times and frames of the knots; slower until every frame holds. */
static bool time_knots(hf_segment* s) {
    hf_planner* p = s->planner;
    hf_path path = {.count = s->knot_count,
                    .roots = s->roots,
                    .q = s->q,
                    .carried = s->coms,
                    .bounds = s->bounds,
                    .bound_count = BORNE_WAYS};
    hf_timing_options o = hf_timing_options_default();
    o.fps = p->options->rate;
    find_bounds(s);
    scale_bounds(s, BORNE_SHARE);
    int first = p->frames.count;
    for (int stretch = 0; stretch < STRETCHES && !p->out_of_memory; stretch++) {
        if (hf_timing_compute(p->creature, &path, &o, p->workspace, p->timing) != HF_OK) {
            p->out_of_memory = true;
            return false;
        }
        if (p->timing->frame_count > MAX_FRAMES) return false;
        double share = 1;
        verdict v = append(s, &path, p->timing, &share);
        if (v == HOLDS) return true;
        p->frames.count = first;
        if (v == FAILS) return false;
        if (v == TOO_FAST) o.speed_share *= 0.8;
        // the limbs' own accelerations turn the body: they are slowed down with the centre of mass
        o.acceleration_share = fmax(LEAST_SHARE, o.acceleration_share * share);
        scale_bounds(s, fmax(LEAST_SHARE, share));
    }
    return false;
}

bool hf_segment_finish(hf_segment* s, bool eased) { return straighten(s, eased) && time_knots(s); }

/* ---- moves ---- */

static int knots_between(const hf_planner* p, const hf_pose* a, const hf_pose* b) {
    double n = hf_distance(a->root.position, b->root.position) / (KNOT_SHIFT * p->view->height);
    n = fmax(n, hf_quat_angle(a->root.rotation, b->root.rotation) / KNOT_TURN);
    for (int j = 0; j < p->view->joint_count; j++)
        n = fmax(n, fabs(b->q[p->view->joints[j].q_index] - a->q[p->view->joints[j].q_index]) / KNOT_JOINT);
    return 2 + (int)fmin(n, MAX_KNOTS - 3);
}

/* Root and free joints straight, held limbs solved. */
static bool make_move_knots(hf_segment* s, const hf_pose* from, const hf_pose* to) {
    hf_planner* p = s->planner;
    size_t row = (size_t)p->view->q_count;
    hf_pose pose = {.q = p->q_c};
    hf_pose before = {.q = p->q_d};
    memcpy(before.q, from->q, sizeof(double) * row);
    for (int i = 0; i < s->knot_count; i++) {
        hf_vec3 pull;
        hf_pose_between(p->creature, from, to, (double)i / (s->knot_count - 1), &pose);
        // held limbs go on from where they were; those that may turn, to how they are in the end
        for (int h = 0; h < s->hold_count; h++) {
            if (!s->holds[h].anchor.flat) continue;
            const hf_limb* limb = &p->view->limbs[s->holds[h].at.limb];
            for (int k = 0; k < limb->joint_count; k++) {
                const hf_joint* j = &p->view->joints[limb->joints[k]];
                memcpy(pose.q + j->q_index, before.q + j->q_index, sizeof(double) * (size_t)j->q_count);
            }
        }
        hf_frames_keep_range(p->creature, pose.q);
        hf_pose_follow(p->creature, pose.q);
        // the root gives way where a straight line would overstretch a limb
        bool kept = false, ends = i == 0 || i == s->knot_count - 1;
        for (int round = 0; round < (ends ? 2 : GIVING_WAY) && !kept; round++) {
            // an end knows its own posture, which a straight limb is hard to be brought to
            if (round && ends)
                hf_pose_between(p->creature, from, to, i > 0, &pose);
            else if (round)
                pose.root.position = hf_add(pose.root.position, hf_scale(pull, 1.2));
            kept = hf_holds_keep(p, s->holds, s->hold_count, -1, &pose, &pull);
        }
        if (!kept) return false;
        s->roots[i] = pose.root;
        memcpy(hf_segment_q(s, i), pose.q, sizeof(double) * row);
        memcpy(before.q, pose.q, sizeof(double) * row);
    }
    return true;
}

bool hf_segment_move(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                     const hf_pose* from, const hf_pose* to) {
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    hf_segment s = {.planner = p,
                    .holds = holds,
                    .hold_count = count,
                    .limb = -1,
                    .stance = stance,
                    .node = node,
                    .from = from};
    s.knot_count = knots_between(p, from, to);
    bool good =
        hf_segment_room(&s, s.knot_count) && make_move_knots(&s, from, to) && hf_segment_finish(&s, false);
    hf_workspace_end(p->workspace, mark);
    return good;
}
