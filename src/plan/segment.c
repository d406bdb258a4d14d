/* Segments of a plan as frames: a move of the body with everything held, or a swing of one limb. The root is
   shifted so that the centre of mass goes straight; times come from the limits of speed and acceleration of
   joints and root and from the accelerations of the centre of mass that the stance bears, and are stretched
   where a frame is not balanced with its own. A segment starts and ends at rest; what is added holds, frame
   by frame and between them. */
#include "plan/planner.h"

#include <holdfast/rom.h>

#include "base/memory.h"
#include "base/workspace.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

/* A knot of a move: the root moves or turns no further, nor any other joint. */
static const double KNOT_SHIFT = 0.03;                 /* creature heights */
static const double KNOT_TURN = 0.1, KNOT_JOINT = 0.2; /* rad */
enum { MAX_KNOTS = 400, MAX_FRAMES = 3000, STRETCHES = 4, GIVING_WAY = 5, BORNE_WAYS = 4 };

/* ---- the store ---- */

void hf_frames_free(hf_frame_store* f) {
    hf_free(f->roots);
    hf_free(f->q);
    hf_free(f->coms);
    hf_free(f->margins);
    hf_free(f->nodes);
    hf_free(f->swings);
    memset(f, 0, sizeof *f);
}

static void* grown(void* old, size_t used, size_t capacity, size_t size) {
    void* p = hf_alloc(capacity, size);
    if (p && used) memcpy(p, old, used * size);
    return p;
}

static bool grow(hf_frame_store* f) {
    size_t more = f->capacity ? (size_t)f->capacity * 2 : 1024, used = (size_t)f->count,
           row = (size_t)f->q_count;
    hf_frame_store g = *f;
    g.roots = grown(f->roots, used, more, sizeof *f->roots);
    g.q = grown(f->q, used * row, more * row, sizeof *f->q);
    g.coms = grown(f->coms, used, more, sizeof *f->coms);
    g.margins = grown(f->margins, used, more, sizeof *f->margins);
    g.nodes = grown(f->nodes, used, more, sizeof *f->nodes);
    g.swings = grown(f->swings, used, more, sizeof *f->swings);
    g.capacity = (int)more;
    hf_frame_store drop = g.roots && g.q && g.coms && g.margins && g.nodes && g.swings ? *f : g;
    bool good = drop.roots == f->roots;
    hf_frames_free(&drop);
    if (good) *f = g;
    return good;
}

bool hf_frames_add(hf_frame_store* f, const hf_pose* pose, hf_vec3 com, int node, int swing, double margin) {
    if (f->count == f->capacity && !grow(f)) return false;
    f->roots[f->count] = pose->root;
    memcpy(f->q + (size_t)f->count * (size_t)f->q_count, pose->q, sizeof(double) * (size_t)f->q_count);
    f->coms[f->count] = com;
    f->margins[f->count] = margin;
    f->swings[f->count] = swing;
    f->nodes[f->count++] = node;
    return true;
}

hf_pose hf_frames_pose(const hf_frame_store* f, int frame) {
    return (hf_pose){f->roots[frame], f->q + (size_t)frame * (size_t)f->q_count};
}

/* ---- one segment being made ---- */

typedef struct segment {
    hf_planner* planner;
    const hf_hold* holds;
    int hold_count;
    int limb; /* that swings, -1 for a move */
    const hf_stance* stance;
    int node;
    const hf_pose* from; /* where it begins, exactly: the last frame before it */
    int knot_count;
    hf_transform* roots;
    double* q;
    hf_vec3* coms;
    double* bounds; /* of the acceleration of the centre of mass */
    double gain;    /* how far the root goes for a metre of the centre of mass, as learnt last */
    bool seated;    /* a limb without joints holds: the root cannot shift */
} segment;

static bool make_room(segment* s, int knots) {
    hf_planner* p = s->planner;
    for (int i = 0; i < s->hold_count; i++) s->seated |= p->view->limbs[s->holds[i].limb].joint_count == 0;
    size_t count = (size_t)knots;
    s->roots = hf_workspace_take(p->workspace, count, sizeof *s->roots);
    s->q = hf_workspace_take(p->workspace, count * (size_t)p->view->q_count, sizeof *s->q);
    s->coms = hf_workspace_take(p->workspace, count, sizeof *s->coms);
    s->bounds = hf_workspace_take(p->workspace, count * 4 * BORNE_WAYS, sizeof *s->bounds);
    if (!s->roots || !s->q || !s->coms || !s->bounds) p->out_of_memory = true;
    return !p->out_of_memory;
}

static double* knot_q(const segment* s, int i) {
    return s->q + (size_t)i * (size_t)s->planner->view->q_count;
}

/* ---- the way of the centre of mass ---- */

/* Knots and frames are so near to it: between frames, what is left must not look like an acceleration. */
static const double ASIDE_M = 1e-3; /* what a swinging effector may be off its way */
static const double KNOT_LINE_M = 3e-4, FRAME_LINE_M = 1e-5;
enum { LINE_ROUNDS = 6 };

static hf_vec3 com_at(hf_planner* p, const hf_pose* pose) {
    hf_forward(p->creature, pose, p->links);
    return hf_com(p->creature, p->links);
}

/* Keeps the holds and shifts the root so that the centre of mass stands over a place; where a limb's reach
   ends, as near to it as can be. The root gives way a little where a limb would be overstretched. */
static bool put_over(segment* s, hf_vec3 place, double tolerance, hf_pose* pose, hf_vec3* com) {
    hf_planner* p = s->planner;
    double before = 0, went = 0;
    for (int round = 0; round < LINE_ROUNDS + GIVING_WAY; round++) {
        hf_vec3 pull;
        if (!hf_holds_keep(p, s->holds, s->hold_count, -1, pose, &pull)) {
            pose->root.position = hf_add(pose->root.position, hf_scale(pull, 1.2));
            went = 0;
            continue;
        }
        *com = com_at(p, pose);
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

/* Straight between two postures a limb may leave its range of motion: back into it. */
static void keep_range(const hf_planner* p, double* q) {
    for (int r = 0; r < p->view->rom_count; r++)
        if (!hf_rom_contains(p->creature, r, q, HF_ROM_RAD)) hf_rom_project(p->creature, r, q);
}

static hf_transform effector_at(const segment* s, const hf_pose* pose) {
    if (s->limb < 0) return pose->root;
    hf_forward(s->planner->creature, pose, s->planner->links);
    return s->planner->links[s->planner->view->limbs[s->limb].effector_link];
}

/* The limb that swings, back onto its way after the root has shifted; false when nothing was to be done. */
static bool bring_back(const segment* s, hf_transform at, hf_pose* pose) {
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
static bool straighten(segment* s, bool eased) {
    hf_planner* p = s->planner;
    int last = s->knot_count - 1;
    for (int end = 0; end < 2; end++) {
        hf_pose pose = {s->roots[end * last], knot_q(s, end * last)};
        s->coms[end * last] = com_at(p, &pose);
        if (hf_stance_margin(s->stance, s->coms[end * last]) < p->options->margin_m) return false;
    }
    hf_vec3 shift = {0, 0, 0}, before = {0, 0, 0};
    s->gain = 1.15;
    for (int i = 1; i < last; i++) {
        double u = (double)i / last, part = eased ? (1 - cos(3.14159265358979 * u)) / 2 : u;
        hf_pose pose = {s->roots[i], knot_q(s, i)};
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
            com = com_at(p, &pose);
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
static bool pose_at(segment* s, const hf_path* path, double at, hf_vec3* shift, hf_pose* pose, hf_vec3* com) {
    hf_planner* p = s->planner;
    hf_path_pose(p->creature, path, at, pose);
    keep_range(p, pose->q);
    if (at <= 0 || at >= path->count - 1) {
        hf_vec3 pull;
        bool kept = hf_holds_keep(p, s->holds, s->hold_count, -1, pose, &pull);
        *com = com_at(p, pose);
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
        *com = com_at(p, pose);
    }
    *shift = hf_sub(pose->root.position, was);
    shift->z = 0;
    return true;
}

static const double GRAZE_M = 0.004; /* steps of a swinging limb */

/* Straight between two frames a limb leaves its hold a little, the more the faster it moves: farthest in the
   middle. */
static bool holds_between(const segment* s, const hf_pose* a, const hf_pose* b) {
    hf_planner* p = s->planner;
    hf_pose middle = {.q = p->q_d};
    hf_pose_between(p->creature, a, b, 0.5, &middle);
    hf_forward(p->creature, &middle, p->links);
    for (int i = 0; i < s->hold_count; i++) {
        const hf_hold* h = &s->holds[i];
        const hf_contact_frame* f = &p->view->limbs[h->limb].contacts[h->frame];
        if (hf_distance(hf_apply(p->links[f->link], f->offset), h->held) > HF_SLIP_BETWEEN_M) return false;
        if (h->flat && hf_quat_angle(p->links[f->link].rotation, h->rotation) > HF_SLIP_BETWEEN_RAD)
            return false;
    }
    return true;
}

/* Neither root nor joint is faster between two frames than it may be. */
static bool slow_enough(const hf_planner* p, const hf_pose* a, const hf_pose* b) {
    if (hf_distance(a->root.position, b->root.position) * p->options->rate > p->view->limits.root_speed ||
        hf_quat_angle(a->root.rotation, b->root.rotation) * p->options->rate > p->view->limits.root_turn)
        return false;
    for (int j = 0; j < p->view->joint_count; j++) {
        const hf_joint* joint = &p->view->joints[j];
        if (joint->q_count != 1) continue;
        if (fabs(b->q[joint->q_index] - a->q[joint->q_index]) * p->options->rate > joint->max_speed)
            return false;
    }
    return true;
}

static bool collides(const segment* s, const hf_pose* a, const hf_pose* b, const hf_collision_query* q) {
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
static bool free_between(const segment* s, const hf_pose* a, const hf_pose* b, bool begun) {
    hf_touch touches[HF_MAX_HOLDS];
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
static void find_bounds(segment* s) {
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

static void scale_bounds(segment* s, double share) {
    for (int i = 0; i < s->knot_count * BORNE_WAYS; i++) s->bounds[4 * i + 3] *= share;
}

/* Largest share of the acceleration that the stance holds, where all of it is too much. */
static double bearable(const hf_stance* stance, hf_vec3 com, hf_vec3 acceleration) {
    double low = 0, high = 1;
    for (int i = 0; i < 5; i++) {
        double middle = (low + high) / 2;
        if (hf_stance_holds(stance, com, hf_scale(acceleration, middle), hf_v3(0, 0, 0)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Least share over frames first..last of the store; each end is at rest. */
static double balance_share(const segment* s, int first, int last) {
    const hf_frame_store* f = &s->planner->frames;
    double rate2 = s->planner->options->rate * s->planner->options->rate, least = 1;
    for (int i = first; i <= last; i++) {
        hf_vec3 here = f->coms[i], before = f->coms[i > first ? i - 1 : i],
                after = f->coms[i < last ? i + 1 : i];
        hf_vec3 a = hf_scale(hf_sub(hf_add(before, after), hf_scale(here, 2)), rate2);
        if (!hf_stance_holds(s->stance, here, hf_scale(a, least), hf_v3(0, 0, 0)))
            least = bearable(s->stance, here, a);
    }
    return least;
}

typedef enum verdict { HOLDS, TOO_FAST, UNBALANCED, FAILS } verdict;

/* Appends the frames of the path under one timing and judges them. The first frame repeats the last of the
   store at rest, so that accelerations of two segments never add up. */
static verdict append(segment* s, const hf_path* path, hf_timing* timing, double* share) {
    hf_planner* p = s->planner;
    hf_pose pose = {.q = p->q_c};
    hf_vec3 shift = {0, 0, 0};
    int first = p->frames.count;
    for (int i = 0; i < timing->frame_count; i++) {
        hf_vec3 com;
        if (i == 0) {
            pose.root = s->from->root;
            memcpy(pose.q, s->from->q, sizeof(double) * (size_t)p->view->q_count);
            com = com_at(p, &pose);
        } else if (!pose_at(s, path, hf_timing_at(timing, i / p->options->rate), &shift, &pose, &com))
            return FAILS;
        double margin = hf_stance_margin(s->stance, com);
        if (margin < p->options->margin_m || !hf_pose_within_rom(p->creature, pose.q, HF_ROM_RAD))
            return FAILS;
        if (i > 0) {
            hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
            if (!slow_enough(p, &last, &pose) || !holds_between(s, &last, &pose)) return TOO_FAST;
        }
        if (!hf_frames_add(&p->frames, &pose, com, s->node, s->limb, margin)) {
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

/* Times and frames of the knots; slower until it holds. */
static bool finish(segment* s) {
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
        scale_bounds(s, fmax(0.1, share));
    }
    return false;
}

/* ---- moves ---- */

static int knots_between(const hf_planner* p, const hf_pose* a, const hf_pose* b) {
    double n = hf_distance(a->root.position, b->root.position) / (KNOT_SHIFT * p->view->height);
    n = fmax(n, hf_quat_angle(a->root.rotation, b->root.rotation) / KNOT_TURN);
    for (int j = 0; j < p->view->joint_count; j++)
        n = fmax(n, fabs(b->q[p->view->joints[j].q_index] - a->q[p->view->joints[j].q_index]) / KNOT_JOINT);
    return 2 + (int)fmin(n, MAX_KNOTS - 3);
}

/* Root and free joints straight, held limbs solved. */
static bool make_move_knots(segment* s, const hf_pose* from, const hf_pose* to) {
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
            if (!s->holds[h].flat) continue;
            const hf_limb* limb = &p->view->limbs[s->holds[h].limb];
            for (int k = 0; k < limb->joint_count; k++) {
                const hf_joint* j = &p->view->joints[limb->joints[k]];
                memcpy(pose.q + j->q_index, before.q + j->q_index, sizeof(double) * (size_t)j->q_count);
            }
        }
        keep_range(p, pose.q);
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
        memcpy(knot_q(s, i), pose.q, sizeof(double) * row);
        memcpy(before.q, pose.q, sizeof(double) * row);
    }
    return true;
}

bool hf_segment_move(hf_planner* p, const hf_hold* holds, int count, const hf_stance* stance, int node,
                     const hf_pose* from, const hf_pose* to) {
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    segment s = {.planner = p,
                 .holds = holds,
                 .hold_count = count,
                 .limb = -1,
                 .stance = stance,
                 .node = node,
                 .from = from};
    s.knot_count = knots_between(p, from, to);
    bool good =
        make_room(&s, s.knot_count) && make_move_knots(&s, from, to) && straighten(&s, false) && finish(&s);
    hf_workspace_end(p->workspace, mark);
    return good;
}

/* ---- swings ---- */

enum { LIFT_KNOTS = 4 };
static const double LIFT_SHARE = 0.05; /* of the limb's length */
static const double SCRAPE_M = 7e-4;   /* a turning effector may press so deep */

/* How far an effector reaches from its contact's middle, about: soles have toes. */
static double lever(const hf_limb* limb) {
    double most = 0;
    for (int i = 0; i < limb->contact_count; i++)
        most = fmax(most, fmax(limb->contacts[i].patch[0], limb->contacts[i].patch[1]));
    return most;
}

/* Knots straight off a surface, body still: rows of `out`, the first nearest to the contact; the last is
   `aside` from where straight up would be. The effector keeps its orientation as far as the limb allows: an
   ankle at its limit lets the heel up first; *scrapes when it would turn into the surface. Returns how many;
   none when the limb cannot. */
static int lift(hf_planner* p, int limb, int frame, const hf_swing_end* end, const hf_pose* at, hf_vec3 aside,
                double* out, bool* scrapes) {
    const hf_limb* l = &p->view->limbs[limb];
    size_t row = (size_t)p->view->q_count;
    const hf_contact_frame* f = &l->contacts[frame];
    hf_forward(p->creature, at, p->links);
    hf_transform link = p->links[f->link], base = p->links[l->base_link];
    hf_vec3 point = hf_apply(link, f->offset);
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    o.posture = at->q;
    for (int i = 0; i < LIFT_KNOTS; i++) {
        // a straight limb rises with the square of its joints' turn
        double u = (i + 1.0) / LIFT_KNOTS, height = LIFT_SHARE * l->length * u * u;
        hf_target t = {.kind = f->ball > 0 ? HF_TARGET_POSITION : HF_TARGET_POSE,
                       .limb = limb,
                       .contact = frame,
                       .point = hf_add(hf_add(point, hf_scale(end->normal, height)), hf_scale(aside, u * u)),
                       .rotation = link.rotation};
        double* q = out + (size_t)i * row;
        memcpy(q, i ? q - row : at->q, sizeof(double) * row);
        if (i == 0) hf_limb_loosen(p, limb, q);
        hf_solve_result r;
        if (hf_limb_solve(p->creature, &base, &t, &o, p->workspace, q, &r) != HF_OK) p->out_of_memory = true;
        if (p->out_of_memory || r.position_error_m > 0.3 * height) return 0;
        if (f->ball <= 0 && !end->grip && r.angle_error_rad * lever(l) > height + SCRAPE_M) *scrapes = true;
    }
    return LIFT_KNOTS;
}

bool hf_segment_lifts(hf_planner* p, const hf_hold* hold, const hf_pose* at) {
    // a limb without joints leaves with the body
    if (p->view->limbs[hold->limb].joint_count == 0) return true;
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    double* q = hf_workspace_take(p->workspace, LIFT_KNOTS * (size_t)p->view->q_count, sizeof *q);
    bool scrapes = false;
    if (!q) p->out_of_memory = true;
    hf_swing_end end = {hold->object, hold->normal, hold->grip};
    bool good = q && lift(p, hold->limb, hold->frame, &end, at, hf_v3(0, 0, 0), q, &scrapes) && !scrapes;
    hf_workspace_end(p->workspace, mark);
    return good;
}

static void add_knot(segment* s, hf_transform root, const double* q) {
    s->roots[s->knot_count] = root;
    memcpy(knot_q(s, s->knot_count++), q, sizeof(double) * (size_t)s->planner->view->q_count);
}

/* A swing to be made. */
typedef struct swing {
    int limb, frame, goal_frame;
    hf_swing_end leave, arrive;
    const hf_pose *from, *to;
} swing;

/* Swings are tried with lifts straight up where those are free, then with lifts that keep away from what is
   in the way (a toe before a riser has no other way), then with odd curves; so many shapes of curves each. */
typedef enum pass { STRAIGHT, ASIDE, ODD, PASSES } pass;
static const int TRIES[PASSES] = {3, 3, 14};
static const double ASIDE_SHARE = 0.03; /* of the limb's length */
/* Ways off a surface, in the order they are tried: straight, back from where the limb goes, to both sides,
   and far back. */
enum { LIFT_WAYS = 5 };

static hf_vec3 contact_point(hf_planner* p, int limb, int frame, const hf_pose* pose) {
    const hf_contact_frame* f = &p->view->limbs[limb].contacts[frame];
    hf_forward(p->creature, pose, p->links);
    return hf_apply(p->links[f->link], f->offset);
}

/* The part of a way along a surface; zero where that is too short to say where to. */
static hf_vec3 along_surface(hf_vec3 way, hf_vec3 normal, double length) {
    hf_vec3 along = hf_sub(way, hf_scale(normal, hf_dot(way, normal)));
    return hf_length(along) > 1e-3 * length ? along : hf_v3(0, 0, 0);
}

/* How far aside of straight off a surface, where the limb goes that way along it. */
static hf_vec3 aside_of(int number, hf_vec3 along, hf_vec3 normal, double length) {
    if (number == 0 || !(hf_length(along) > 0)) return hf_v3(0, 0, 0);
    along = hf_scale(hf_normalize(along), ASIDE_SHARE * length);
    hf_vec3 across = hf_cross(normal, along);
    hf_vec3 sides[LIFT_WAYS - 1] = {hf_neg(along), across, hf_neg(across), hf_scale(along, -3)};
    return sides[number - 1];
}

/* Is the limb free there, whatever the rest of the body does? */
static bool limb_is_free(hf_planner* p, int limb, const hf_pose* at) {
    hf_collision_query c = hf_collision_query_default();
    c.limb = limb;
    hf_forward(p->creature, at, p->links);
    return !hf_collides(p->creature, p->placement, p->links, &c, NULL);
}

/* The first lift that ends free, from the way `first` on, else that one. */
static int free_lift(hf_planner* p, const swing* w, bool arrives, int first, hf_vec3 way, double* out) {
    const hf_swing_end* end = arrives ? &w->arrive : &w->leave;
    const hf_pose* at = arrives ? w->to : w->from;
    double length = p->view->limbs[w->limb].length;
    hf_vec3 along = along_surface(way, end->normal, length);
    // without a way along the surface all lifts are the same
    int last = hf_length(along) > 0 ? LIFT_WAYS : first;
    size_t row = (size_t)p->view->q_count;
    bool scrapes = false;
    int count = 0;
    for (int k = first; k <= last && !p->out_of_memory; k++) {
        hf_vec3 aside = aside_of(k < LIFT_WAYS ? k : first, along, end->normal, length);
        count = lift(p, w->limb, arrives ? w->goal_frame : w->frame, end, at, aside, out, &scrapes);
        hf_pose lifted = {at->root, out + (size_t)(LIFT_KNOTS - 1) * row};
        if (count && limb_is_free(p, w->limb, &lifted)) break;
    }
    return count;
}

/* Knots off the old surface with the body still, over to the new one, and down with the body still. */
static bool make_swing_knots(segment* s, const swing* w, pass which, double* lifts) {
    hf_planner* p = s->planner;
    size_t row = (size_t)p->view->q_count;
    double* downs = lifts + (size_t)LIFT_KNOTS * row;
    hf_vec3 way =
        hf_sub(contact_point(p, w->limb, w->goal_frame, w->to), contact_point(p, w->limb, w->frame, w->from));
    int up = 0, down = 0;
    s->knot_count = 0;
    if (w->leave.object >= 0) up = free_lift(p, w, false, which == ASIDE, way, lifts);
    if (w->arrive.object >= 0) down = free_lift(p, w, true, which == ASIDE, way, downs);
    hf_swing_hold held[HF_MAX_HOLDS];
    for (int i = 0; i < s->hold_count; i++)
        held[i] = (hf_swing_hold){s->holds[i].limb, s->holds[i].frame, s->holds[i].object, s->holds[i].grip};
    hf_swing_end nowhere = {.object = -1};
    hf_swing_limb one = {w->limb, w->goal_frame, up ? nowhere : w->leave, down ? nowhere : w->arrive};
    one.start.normal = w->leave.normal, one.goal.normal = w->arrive.normal;
    hf_swing_query q = {.from = {w->from->root, up ? lifts + (size_t)(up - 1) * row : w->from->q},
                        .to = {w->to->root, down ? downs + (size_t)(down - 1) * row : w->to->q},
                        .limb_count = 1,
                        .limbs = &one,
                        .hold_count = s->hold_count,
                        .holds = held,
                        .clearance = p->clearance,
                        .options = hf_swing_options_default()};
    q.options.max_tries = TRIES[which];
    if (!p->out_of_memory && hf_swing_find(p->creature, p->placement, &q, p->workspace, p->swing) != HF_OK)
        p->out_of_memory = true;
    if (p->out_of_memory || p->swing->outcome != HF_FOUND) return false;
    if (up) add_knot(s, w->from->root, w->from->q);
    for (int i = 0; i + 1 < up; i++) add_knot(s, w->from->root, lifts + (size_t)i * row);
    for (int i = 0; i < p->swing->knot_count; i++)
        add_knot(s, p->swing->roots[i], p->swing->q + (size_t)i * row);
    for (int i = down - 2; i >= 0; i--) add_knot(s, w->to->root, downs + (size_t)i * row);
    if (down) add_knot(s, w->to->root, w->to->q);
    return true;
}

/* The limb from one pose to the other, all others holding. */
static bool make_swing(hf_planner* p, const hf_hold* holds, int count, const swing* w,
                       const hf_stance* stance, int node) {
    enum { ROOM = HF_SWING_KNOTS + 2 * LIFT_KNOTS + 2 };
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    segment s = {.planner = p,
                 .holds = holds,
                 .hold_count = count,
                 .limb = w->limb,
                 .stance = stance,
                 .node = node,
                 .from = w->from};
    double* lifts = hf_workspace_take(p->workspace, 2 * LIFT_KNOTS * (size_t)p->view->q_count, sizeof *lifts);
    if (!make_room(&s, ROOM) || !lifts) p->out_of_memory = true;
    bool good = false, odd = false;
    for (pass which = STRAIGHT; which < PASSES && !good && !p->out_of_memory; which++) {
        if (which == ODD && !odd) break;
        bool found = make_swing_knots(&s, w, which, lifts);
        // another curve helps where a curve was to blame
        if (which == STRAIGHT)
            odd = !found && (p->swing->why == HF_SWING_COLLIDES || p->swing->why == HF_SWING_RANGE);
        good = found && straighten(&s, true) && finish(&s);
    }
    hf_workspace_end(p->workspace, mark);
    return good;
}

bool hf_segment_swing(hf_planner* p, const hf_hold* holds, int count, const hf_hold* old, const hf_hold* next,
                      const hf_stance* stance, int node, const hf_pose* from, const hf_pose* to) {
    swing w = {.limb = next->limb,
               .frame = old ? old->frame : next->frame,
               .goal_frame = next->frame,
               .leave = {.object = -1},
               .arrive = {next->object, next->normal, next->grip},
               .from = from,
               .to = to};
    if (old) w.leave = (hf_swing_end){old->object, old->normal, old->grip};
    return make_swing(p, holds, count, &w, stance, node);
}

/* A limb without joints leaves when the body does: from now on it holds nothing. */
static bool stays_behind(hf_planner* p, const hf_stance* stance, int node, const hf_pose* at) {
    hf_vec3 com = com_at(p, at);
    double margin = hf_stance_margin(stance, com);
    if (margin < p->options->margin_m) return false;
    if (!hf_frames_add(&p->frames, at, com, node, -1, margin)) p->out_of_memory = true;
    return !p->out_of_memory;
}

/* The limb a little off its contact. */
static bool lifted(hf_planner* p, const hf_hold* hold, hf_pose* pose) {
    size_t row = (size_t)p->view->q_count;
    hf_workspace_mark mark = hf_workspace_begin(p->workspace);
    double* q = hf_workspace_take(p->workspace, LIFT_KNOTS * row, sizeof *q);
    hf_swing_end end = {hold->object, hold->normal, hold->grip};
    bool scrapes = false,
         good = q && lift(p, hold->limb, hold->frame, &end, pose, hf_v3(0, 0, 0), q, &scrapes) && !scrapes;
    if (!q) p->out_of_memory = true;
    if (good) memcpy(pose->q, q + (LIFT_KNOTS - 1) * row, sizeof(double) * row);
    hf_workspace_end(p->workspace, mark);
    return good;
}

enum { FREE_TURNS = 4 };

bool hf_segment_free(hf_planner* p, const hf_hold* holds, int count, const hf_hold* old,
                     const hf_stance* stance, int node, const hf_pose* from) {
    hf_pose to = {from->root, p->q_b};
    const hf_limb* limb = &p->view->limbs[old->limb];
    swing w = {.limb = old->limb,
               .frame = old->frame,
               .goal_frame = old->frame,
               .leave = {old->object, old->normal, old->grip},
               .arrive = {.object = -1},
               .from = from,
               .to = &to};
    if (limb->joint_count == 0) return stays_behind(p, stance, node, from);
    // to the rest posture, half of the way there, another free one, or just off
    for (int turn = 0; turn < FREE_TURNS && !p->out_of_memory; turn++) {
        memcpy(to.q, from->q, sizeof(double) * (size_t)p->view->q_count);
        for (int k = 0; k < limb->joint_count && turn < 3; k++) {
            const hf_joint* j = &p->view->joints[limb->joints[k]];
            for (int i = j->q_index; i < j->q_index + j->q_count && j->q_count == 1; i++)
                to.q[i] += (p->view->rest[i] - to.q[i]) * (turn == 1 ? 0.5 : 1);
        }
        hf_pose_follow(p->creature, to.q);
        hf_collision hit;
        if (turn == 2 && !hf_spares_clear(p, holds, count, -1, NULL, &to, &hit)) continue;
        if (turn == 3 && !lifted(p, old, &to)) continue;
        if (hf_holds_collide(p, holds, count, -1, &to, &hit)) continue;
        if (make_swing(p, holds, count, &w, stance, node)) return true;
    }
    return false;
}
