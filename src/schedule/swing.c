/* Whole poses along swings (method section 5; efort-2014-journal section 3.3). Root and free joints go
   straight from the first pose to the last. A swinging limb is brought onto its curve by the limb solver,
   which starts from the posture between its first and its last and is pulled towards it; a holding limb is
   brought back to where it holds. Where something collides, the limb it belongs to gets the next shape of a
   fixed list. A single limb for which no shape will do is lifted off and looked for a way by trees. */
#include "base/memory.h"
#include "base/rounding.h"
#include "base/error.h"
#include "base/option_table.h"
#include "base/workspace.h"
#include "schedule/lift.h"
#include "schedule/swing_tree.h"
#include "solve/keep.h"
#include "solve/target.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <holdfast/rom.h>
#include <holdfast/solve.h>
#include <holdfast/swing.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(hf_swing_options, name)
static const hf_option items[] = {
    {"max_tries", HF_OPTION_COUNT, FIELD(max_tries), 1, 1000, 24, "", "shapes of curves tried for a swing"},
    {"knot_m", HF_OPTION_REAL, FIELD(knot_m), 0.001, 1, 0.03, "m", "way of an effector between two knots"},
    {"knot_rad", HF_OPTION_REAL, FIELD(knot_rad), 0.01, 1, 0.15, "rad", "turn of a joint between two knots"},
    {"max_moves", HF_OPTION_COUNT, FIELD(max_moves), 0, 1000000, 2000, "",
     "moves tested for a limb that no curve brings to its goal"},
    {"lift_share", HF_OPTION_REAL, FIELD(lift_share), 0, 10, 1, "", "height of swings"},
    {"step_m", HF_OPTION_REAL, FIELD(step_m), 1e-4, 0.1, HF_STEP_M, "m", "way of a body between two tests"},
    {"tolerance_m", HF_OPTION_REAL, FIELD(tolerance_m), 1e-6, 1e-3, HF_CONTACT_M, "m",
     "how exactly contacts hold"},
};

HF_OPTIONS(hf_swing, items)

const char* hf_swing_why_text(hf_swing_why why) {
    static const char* const texts[] = {"the way is free",
                                        "it collides where it starts",
                                        "it collides where it ends",
                                        "it collides on every way that was tried",
                                        "a contact cannot be held on the way",
                                        "a range of motion is left on the way"};
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}

/* The shapes, in the order they are tried. `lift` multiplies the usual lift; the rest shifts the curve's
   middle, in bends: in towards the limb's root, and to the side. */
typedef struct shape {
    enum { CURVE, JOINTS } kind; /* joints: straight in joint values, lifted */
    int lift, in, side;
} shape;
static const shape shapes[] = {
    {CURVE, 1, 0, 0},  {CURVE, 2, 0, 0}, {CURVE, 4, 0, 0},  {CURVE, 1, 1, 0},  {CURVE, 1, 0, 1},
    {CURVE, 1, 0, -1}, {CURVE, 2, 0, 2}, {CURVE, 2, 0, -2}, {JOINTS, 1, 0, 0}, {JOINTS, 3, 0, 0},
};
/* One bend of the curve's middle, in limb lengths: about a foot's length for a leg. */
static const double BEND = 0.2;
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Regions are no convex sets: the way between two postures is looked at in this many places. */
enum { REGION_LOOKS = 4 };
/* Angles on the way need not be exact, rad. */
static const double WAY_RAD = 5e-3;
/* A hold whose contact frame moves farther than this between the two poses is lost, in tolerances. */
static const double SHIFT = 10;
/* No joint of a swinging limb jumps further between neighbouring knots, in knot_rad. */
static const double JUMP = 6;

/* A frame of a motion at the usual rate. */
static const double FRAME_S = 1.0 / 30;

/* A swinging or holding limb: its contact frame, where that is at both ends, and the way between. */
typedef struct moving {
    hf_hold tip;
    hf_anchor from, to; /* flat: the orientation counts */
    int shape;
    hf_swing_curve curve;
    double lift;
} moving;

typedef struct search {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_swing_query* query;
    hf_workspace* workspace;
    hf_swing* swing;
    moving* swinging;
    moving* holding;
    hf_transform* links;
    double* blend; /* the posture that is wished at a knot */
    double* between;
    hf_hold* touches;
    int knots;
    bool start_overlaps, goal_overlaps; /* as only a contact allows */
} search;

/* ---- what moves ---- */

static void list_moving(search* s) {
    const hf_creature_view* v = &s->creature->view;
    const hf_swing_query* q = s->query;
    for (int i = 0; i < q->limb_count; i++)
        s->swinging[i] = (moving){.tip = {.limb = q->limbs[i].limb, .frame = q->limbs[i].frame}};
    for (int i = 0; i < q->hold_count; i++) s->holding[i] = (moving){.tip = q->holds[i]};
    for (int end = 0; end < 2; end++) {
        hf_forward(s->creature, end ? &q->to : &q->from, s->links);
        for (int i = 0; i < q->limb_count + q->hold_count; i++) {
            moving* m = i < q->limb_count ? &s->swinging[i] : &s->holding[i - q->limb_count];
            *(end ? &m->to : &m->from) = hf_hold_anchor(s->creature, &m->tip, s->links);
        }
    }
    // a limb with fewer than five joints cannot choose the orientation of its effector
    for (int i = 0; i < q->limb_count; i++)
        s->swinging[i].from.flat &= v->limbs[q->limbs[i].limb].joint_count >= 5;
}

/* The curve of a limb's present shape. */
static void make_curve(search* s, int index) {
    moving* m = &s->swinging[index];
    const hf_swing_limb* l = &s->query->limbs[index];
    const hf_limb* limb = &s->creature->view.limbs[m->tip.limb];
    const shape* form = &shapes[m->shape];
    double length = limb->length;
    hf_vec3 way = hf_sub(m->to.point, m->from.point), out = hf_add(l->start.normal, l->goal.normal);
    // s->links are those of the last pose
    hf_vec3 base = hf_apply(s->links[limb->base_link], limb->base.position);
    hf_vec3 in = hf_normalize(hf_sub(base, hf_lerp(m->from.point, m->to.point, 0.5)));
    if (hf_length(out) < HF_NEGLIGIBLE) out = in;
    hf_vec3 side = hf_normalize(hf_cross(way, out));
    m->lift = form->lift * s->query->options.lift_share * hf_swing_lift(length, hf_length(way));
    hf_vec3 bend = hf_scale(hf_add(hf_scale(in, form->in), hf_scale(side, form->side)), BEND * length);
    m->curve = hf_swing_curve_make(m->from.point, l->start.normal, m->to.point, l->goal.normal,
                                   (hf_swing_shape){m->lift, m->lift, bend});
}

static double curve_length(const hf_swing_curve* c) {
    double length = 0;
    for (int i = 0; i + 1 < HF_SWING_CONTROLS; i++) length += hf_distance(c->control[i], c->control[i + 1]);
    return length;
}

/* Knots for all ways and turns; the middle of a quintic is twice as fast as its mean. */
static const double JOINT_STEPS = 1.5; /* knots that a joint gets for each knot of its turn at even speed */
static int knots_wanted(const search* s) {
    const hf_swing_query* q = s->query;
    double steps = 8;
    for (int i = 0; i < q->limb_count; i++)
        steps = fmax(steps, curve_length(&s->swinging[i].curve) / q->options.knot_m);
    for (int i = 0; i < s->creature->view.q_count; i++)
        steps = fmax(steps, JOINT_STEPS * fabs(q->to.q[i] - q->from.q[i]) / q->options.knot_rad);
    steps = fmax(steps, hf_distance(q->from.root.position, q->to.root.position) / q->options.knot_m);
    steps = fmax(steps, hf_quat_angle(q->from.root.rotation, q->to.root.rotation) / q->options.knot_rad);
    return steps < HF_SWING_KNOTS - 1 ? (int)ceil(steps) + 1 : HF_SWING_KNOTS;
}

/* ---- one knot ---- */

static hf_pose knot(const search* s, int k) {
    return (hf_pose){s->swing->roots[k], s->swing->q + (size_t)k * (size_t)s->swing->q_count};
}

/* What a swinging limb is asked at t; blend holds the posture wished there, links its base link. */
static hf_target swing_target(const search* s, int index, double t) {
    const moving* m = &s->swinging[index];
    const hf_swing_limb* l = &s->query->limbs[index];
    hf_target target = {.kind = HF_TARGET_POSITION, .limb = m->tip.limb, .contact = m->tip.frame};
    if (shapes[m->shape].kind == CURVE) {
        target.point = hf_swing_curve_point(&m->curve, t);
        if (m->from.flat) target.kind = HF_TARGET_POSE;
        target.rotation = hf_quat_slerp(m->from.rotation, m->to.rotation, hf_swing_turned(t));
        return target;
    }
    hf_forward_from(s->creature, s->creature->view.limbs[m->tip.limb].root_link, s->blend, s->links);
    double left = 4 * t * (1 - t), near_start = left * (1 - t), near_goal = left * t;
    target.point = hf_add(hf_hold_anchor(s->creature, &m->tip, s->links).point,
                          hf_add(hf_scale(l->start.normal, near_start * m->lift),
                                 hf_scale(l->goal.normal, near_goal * m->lift)));
    return target;
}

/* One descent of the solver: on the way the limb starts near its target and need not reach it. */
static hf_status solve_limb(search* s, const hf_target* target, double* q) {
    hf_solve_options o = hf_solve_options_default();
    o.max_iterations = HF_NEAR_ITERATIONS;
    o.max_starts = 1;
    o.tolerance_m = s->query->options.tolerance_m / 2;
    o.tolerance_rad = WAY_RAD;
    o.near_start = true;
    o.posture = s->blend;
    hf_solve_result r;
    int base = s->creature->view.limbs[target->limb].base_link;
    return hf_limb_solve(s->creature, &s->links[base], target, &o, s->workspace, q, &r);
}

/* The start of the solver: the wished posture and what the limb was beside it at the knot before, less and
   less on the second half so that it meets its goal. */
static void warm_start(const search* s, int limb, int k, const double* wished_before, double* q) {
    const hf_creature_view* v = &s->creature->view;
    int last = s->knots - 1;
    double keep = 2 * k <= last ? 1 : (double)(last - k) / (last - k + 1);
    const double* before = s->swing->q + (size_t)(k - 1) * (size_t)s->swing->q_count;
    for (int i = 0; i < v->limbs[limb].joint_count; i++) {
        const hf_joint* j = &v->joints[v->limbs[limb].joints[i]];
        if (j->q_count != 1) continue;
        double x = s->blend[j->q_index] + keep * (before[j->q_index] - wished_before[j->q_index]);
        q[j->q_index] = fmin(fmax(x, j->lower), j->upper);
    }
}

static bool jumps(const search* s, int k) {
    const double *a = s->swing->q + (size_t)(k - 1) * (size_t)s->swing->q_count, *b = a + s->swing->q_count;
    double most = JUMP * s->query->options.knot_rad;
    for (int i = 0; i < s->query->limb_count; i++) {
        const hf_limb* limb = &s->creature->view.limbs[s->query->limbs[i].limb];
        for (int j = 0; j < limb->joint_count; j++) {
            int q = s->creature->view.joints[limb->joints[j]].q_index;
            if (fabs(b[q] - a[q]) > most) return true;
        }
    }
    return false;
}

/* Brings a holding limb back to where its contact is at t, unless it is there. */
static hf_status keep_hold(search* s, const moving* m, double t, double* q, hf_swing_why* why) {
    double off_m, off_rad;
    hf_anchor at = {hf_lerp(m->from.point, m->to.point, t),
                    hf_quat_slerp(m->from.rotation, m->to.rotation, t), m->from.flat};
    hf_anchor_error(s->creature, &m->tip, &at, s->links, &off_m, &off_rad);
    if (off_m <= s->query->options.tolerance_m / 2 && off_rad <= HF_CONTACT_RAD) return HF_OK;
    bool kept;
    hf_vec3 miss;
    hf_status status =
        hf_hold_keep(s->creature, &m->tip, &at, HF_KEEP_EXACT, s->workspace, s->links, q, &kept, &miss);
    if (status == HF_OK && !kept) *why = HF_SWING_HOLD_LOST;
    return status;
}

static hf_status make_knot(search* s, int k, double* wished_before, hf_swing_why* why) {
    size_t bytes = sizeof(double) * (size_t)s->swing->q_count;
    double t = (double)k / (s->knots - 1);
    hf_pose pose = knot(s, k);
    hf_pose_between(s->creature, &s->query->from, &s->query->to, t, &pose);
    s->swing->roots[k] = pose.root;
    memcpy(s->blend, pose.q, bytes);
    hf_forward(s->creature, &pose, s->links);
    hf_status status = HF_OK;
    for (int i = 0; i < s->query->limb_count && status == HF_OK; i++) {
        hf_target target = swing_target(s, i, t);
        warm_start(s, target.limb, k, wished_before, pose.q);
        status = solve_limb(s, &target, pose.q);
    }
    for (int i = 0; i < s->query->hold_count && status == HF_OK; i++)
        status = keep_hold(s, &s->holding[i], t, pose.q, why);
    memcpy(wished_before, s->blend, bytes);
    return status;
}

/* ---- tests ---- */

/* Objects that may be touched: by holds, at the start up to the first knot, at the goal from the last. */
static hf_collision_query touching(const search* s, bool start, bool goal) {
    const hf_swing_query* q = s->query;
    hf_collision_query c = hf_collision_query_default();
    c.touches = s->touches;
    c.clearance = q->clearance;
    c.step_m = q->options.step_m;
    for (int i = 0; i < q->hold_count; i++)
        if (q->holds[i].object >= 0)
            s->touches[c.touch_count++] =
                (hf_hold){.limb = q->holds[i].limb, .object = q->holds[i].object, .grip = q->holds[i].grip};
    for (int i = 0; i < q->limb_count; i++) {
        const hf_swing_limb* l = &q->limbs[i];
        if (start && l->start.object >= 0)
            s->touches[c.touch_count++] =
                (hf_hold){.limb = l->limb, .object = l->start.object, .grip = l->start.grip};
        if (goal && l->goal.object >= 0)
            s->touches[c.touch_count++] =
                (hf_hold){.limb = l->limb, .object = l->goal.object, .grip = l->goal.grip};
    }
    return c;
}

/* Is one limb all that moves? Then the rest of the body need not be tested. */
static bool only_one_limb(const search* s) {
    const hf_swing_query* q = s->query;
    const hf_creature_view* v = &s->creature->view;
    if (q->limb_count != 1 || q->hold_count > 0) return false;
    if (memcmp(&q->from.root, &q->to.root, sizeof q->from.root) != 0) return false;
    memcpy(s->blend, q->from.q, sizeof(double) * (size_t)v->q_count);
    hf_pose_take_limb(s->creature, q->limbs[0].limb, q->to.q, s->blend);
    for (int i = 0; i < v->q_count; i++)
        if (s->blend[i] != q->to.q[i]) return false;
    return true;
}

static bool knot_collides(search* s, int k, int limb, bool start, bool goal) {
    hf_collision_query c = touching(s, start, goal);
    hf_pose pose = knot(s, k);
    c.limb = limb;
    hf_forward(s->creature, &pose, s->links);
    return hf_collides(s->creature, s->placement, s->links, &c, &s->swing->collision);
}

/* Is there time for swinging limbs to get from one pose to another within FRAME_S? */
static bool within_a_frame(const search* s, const double* x, const double* y) {
    const hf_creature_view* v = &s->creature->view;
    for (int i = 0; i < s->query->limb_count; i++) {
        const hf_limb* limb = &v->limbs[s->query->limbs[i].limb];
        for (int k = 0; k < limb->joint_count; k++) {
            const hf_joint* j = &v->joints[limb->joints[k]];
            if (fabs(x[j->q_index] - y[j->q_index]) > j->max_speed * FRAME_S) return false;
        }
    }
    return true;
}

static hf_status move_collides(search* s, int k, int limb, bool* collides) {
    hf_collision_query c = touching(s, k == 0 && s->start_overlaps, k + 2 == s->knots && s->goal_overlaps);
    hf_pose a = knot(s, k), b = knot(s, k + 1);
    c.limb = limb;
    c.begun = true; // the first pose of the move was tested before, with the same or fewer touches allowed
    return hf_move_collides(s->creature, s->placement, &a, &b, &c, s->workspace, collides,
                            &s->swing->collision);
}

/* Are regions kept on the way between two knots? */
static bool in_regions(search* s, int k) {
    const hf_creature_view* v = &s->creature->view;
    hf_pose a = knot(s, k), b = knot(s, k + 1), between = {a.root, s->blend};
    for (int p = 1; p <= REGION_LOOKS && v->rom_count > 0; p++) {
        hf_pose_between(s->creature, &a, &b, (double)p / REGION_LOOKS, &between);
        for (int r = 0; r < v->rom_count; r++)
            if (!hf_rom_contains(s->creature, r, between.q, HF_ROM_RAD)) return false;
    }
    return true;
}

/* Does the straight move of one limb between two whole poses collide, or leave limits or regions? */
static hf_status move_is_bad(search* s, const double* a, const double* b, bool start, bool goal, bool* bad) {
    hf_collision_query c = touching(s, start, goal);
    c.limb = s->query->limbs[0].limb;
    // a body may be deeper between two tested places: where nothing is touched there is room to ask for less
    if (!start && !goal) c.depth_m = HF_DEPTH_M / 2;
    /* only read */
    hf_pose from = {s->query->from.root, (double*)(uintptr_t)a}, to = {from.root, (double*)(uintptr_t)b},
            between = {from.root, s->between};
    *bad = false;
    for (int p = 1; p <= REGION_LOOKS && !*bad; p++) {
        hf_pose_between(s->creature, &from, &to, (double)p / REGION_LOOKS, &between);
        *bad = !hf_pose_within_rom(s->creature, between.q, HF_ROM_RAD);
    }
    if (*bad) return HF_OK;
    return hf_move_collides(s->creature, s->placement, &from, &to, &c, s->workspace, bad,
                            &s->swing->collision);
}

/* The knots were tested with the touches of both ends allowed; here each knot and move is tested with the
   touches that hold there: those of an end on the move beside it alone. */
static hf_status test_way(search* s, int limb, hf_swing_why* why) {
    bool overlaps = s->start_overlaps || s->goal_overlaps;
    for (int k = 1; k + 1 < s->knots && overlaps; k++)
        if (knot_collides(s, k, limb, false, false)) {
            *why = HF_SWING_COLLIDES;
            return HF_OK;
        }
    for (int k = 0; k + 1 < s->knots; k++) {
        bool collides;
        hf_status status = move_collides(s, k, limb, &collides);
        if (status != HF_OK) return status;
        if (collides) {
            *why = HF_SWING_COLLIDES;
            return HF_OK;
        }
        if (!in_regions(s, k)) {
            *why = HF_SWING_RANGE;
            return HF_OK;
        }
    }
    return HF_OK;
}

/* ---- the search ---- */

static hf_status make_way(search* s, int limb, hf_swing_why* why, double* wished) {
    size_t bytes = sizeof(double) * (size_t)s->swing->q_count;
    hf_forward(s->creature, &s->query->to, s->links);
    for (int i = 0; i < s->query->limb_count; i++) make_curve(s, i);
    s->knots = knots_wanted(s);
    int last = s->knots - 1;
    memcpy(s->swing->q, s->query->from.q, bytes);
    memcpy(s->swing->q + (size_t)last * (size_t)s->swing->q_count, s->query->to.q, bytes);
    s->swing->roots[0] = s->query->from.root;
    s->swing->roots[last] = s->query->to.root;
    memcpy(wished, s->query->from.q, bytes);
    // refuse a curve on which the limb jumps to another branch of postures, or on which a knot collides even
    // with the touches of both ends allowed
    for (int k = 1; k < last && *why == HF_SWING_FREE; k++) {
        hf_status status = make_knot(s, k, wished, why);
        if (status != HF_OK) return status;
        if (*why != HF_SWING_FREE) break;
        if (jumps(s, k))
            *why = HF_SWING_RANGE;
        else if (knot_collides(s, k, limb, s->start_overlaps, s->goal_overlaps))
            *why = HF_SWING_COLLIDES;
    }
    if (*why == HF_SWING_FREE && jumps(s, last)) *why = HF_SWING_RANGE;
    return HF_OK;
}

/* Which of the swinging limbs a body belongs to, -1 for none. */
static int swinging_with(const search* s, int body) {
    for (int i = 0; i < s->query->limb_count && body >= 0; i++)
        if (hf_link_in_limb(s->creature, s->creature->view.bodies[body].link, s->query->limbs[i].limb))
            return i;
    return -1;
}

/* The next shape for the limb that is to blame, or for all in turn; false when there is none left. */
static bool next_shape(search* s, hf_swing_why why) {
    int blamed = -1;
    if (why == HF_SWING_COLLIDES) {
        const hf_collision* c = &s->swing->collision;
        int a = swinging_with(s, c->body), b = swinging_with(s, c->other_body);
        // where two swinging limbs collide, the one with fewer shapes tried changes
        blamed = a >= 0 && b >= 0 ? s->swinging[b].shape < s->swinging[a].shape ? b : a : a >= 0 ? a : b;
    }
    if (blamed < 0)
        for (int i = 0; i < s->query->limb_count; i++)
            if (blamed < 0 || s->swinging[i].shape < s->swinging[blamed].shape) blamed = i;
    if (blamed < 0 || s->swinging[blamed].shape + 1 >= SHAPES) return false;
    s->swinging[blamed].shape++;
    return true;
}

/* ---- the last resort ---- */

/* Heights that are halved, and directions: along the normal, aslant of it, and for a gripping hand, which may
   close from any side, across it. */
enum { LIFT_HEIGHTS = 3, LIFT_WAYS = 5, LIFT_GRIP_WAYS = 9 };

static hf_vec3 lift_direction(const hf_hold* end, int way) {
    hf_vec3 tangent[2];
    if (way == 0) return end->normal;
    hf_tangents(end->normal, tangent);
    hf_vec3 across = hf_scale(tangent[way / 2 % 2], way % 2 ? 1 : -1);
    return way < LIFT_WAYS ? hf_normalize(hf_add(end->normal, across)) : across;
}

/* Are the rows of a lift free, from the joint values q at the hold on? */
static hf_status lift_is_bad(search* s, bool goal, const double* q, const double* rows, bool* bad) {
    size_t n = (size_t)s->swing->q_count;
    hf_status status = HF_OK;
    *bad = false;
    for (int i = 0; i < HF_LIFT_KNOTS && !*bad && status == HF_OK; i++) {
        const double *next = rows + (size_t)i * n, *before = i ? next - n : q;
        // the overlap that the contact allows is passed within a frame
        bool overlaps = (goal ? s->goal_overlaps : s->start_overlaps) && within_a_frame(s, q, next);
        status = move_is_bad(s, before, next, overlaps && !goal, overlaps && goal, bad);
    }
    return status;
}

/* Joint values that lift the limb off an end, as high as is free, or none. */
static hf_status lift_off(search* s, bool goal, double* rows, int* count) {
    const moving* m = &s->swinging[0];
    hf_hold end = goal ? s->query->limbs[0].goal : s->query->limbs[0].start;
    const hf_pose at = goal ? s->query->to : s->query->from;
    end.limb = m->tip.limb, end.frame = m->tip.frame;
    double height =
        hf_swing_lift(s->creature->view.limbs[m->tip.limb].length, hf_distance(m->from.point, m->to.point));
    int ways = end.object < 0 || m->tip.frame < 0 ? 0 : end.grip ? LIFT_GRIP_WAYS : LIFT_WAYS;
    hf_status status = HF_OK;
    *count = 0;
    for (int tries = 0; tries < LIFT_HEIGHTS * ways && *count == 0 && status == HF_OK; tries++) {
        if (tries > 0 && tries % ways == 0) height /= 2;
        hf_lift one = {&end, &at, hf_scale(lift_direction(&end, tries % ways), height)};
        bool lifts, scrapes, bad = true;
        status = hf_lift_find(s->creature, &one, s->workspace, s->links, rows, &lifts, &scrapes);
        if (status == HF_OK && lifts) status = lift_is_bad(s, goal, at.q, rows, &bad);
        if (!bad) *count = HF_LIFT_KNOTS;
    }
    return status;
}

static hf_status tree_move(void* user, const double* a, const double* b, bool* good) {
    bool bad;
    hf_status status = move_is_bad(user, a, b, false, false, &bad);
    *good = !bad;
    return status;
}

/* Off the start, by trees, onto the goal. */
static hf_status grow_way(search* s) {
    hf_swing* out = s->swing;
    size_t n = (size_t)out->q_count;
    double *lift = hf_workspace_take(s->workspace, HF_LIFT_KNOTS * n + 1, sizeof *lift), *rows = out->q;
    if (!lift) return HF_ERROR_MEMORY;
    int before, after, found;
    memcpy(rows, s->query->from.q, n * sizeof *rows);
    hf_status status = lift_off(s, false, rows + n, &before);
    if (status == HF_OK) status = lift_off(s, true, lift, &after);
    if (status != HF_OK) return status;
    const double* to = after ? lift + (size_t)(after - 1) * n : s->query->to.q;
    hf_swing_tree tree = {.creature = s->creature,
                          .limb = s->query->limbs[0].limb,
                          .from = rows + (size_t)before * n,
                          .to = to,
                          .passable = tree_move,
                          .user = s,
                          .max_moves = s->query->options.max_moves};
    // its first row is where the limb was lifted to
    status = hf_swing_tree_find(&tree, s->workspace, HF_SWING_KNOTS - before - after,
                                rows + (size_t)before * n, &found);
    if (status != HF_OK || found == 0) return status;
    int knots = before + found;
    for (int i = after - 2; i >= -1 && after > 0; i--)
        memcpy(rows + (size_t)knots++ * n, i < 0 ? s->query->to.q : lift + (size_t)i * n, n * sizeof *rows);
    for (int k = 0; k < knots; k++) out->roots[k] = s->query->from.root;
    out->outcome = HF_FOUND;
    out->why = HF_SWING_FREE;
    out->knot_count = knots;
    return HF_OK;
}

static hf_status run(search* s, double* wished) {
    hf_swing* out = s->swing;
    int limb = only_one_limb(s) ? s->query->limbs[0].limb : -1;
    for (int end = 0; end < 2; end++) {
        // both ends are tested first: no shape changes them
        hf_collision_query c = touching(s, end == 0, end == 1);
        c.limb = limb;
        hf_forward(s->creature, end ? &s->query->to : &s->query->from, s->links);
        if (!hf_collides(s->creature, s->placement, s->links, &c, &out->collision)) {
            c = touching(s, false, false);
            c.limb = limb;
            *(end ? &s->goal_overlaps : &s->start_overlaps) =
                hf_collides(s->creature, s->placement, s->links, &c, NULL);
            continue;
        }
        out->why = end ? HF_SWING_GOAL_COLLIDES : HF_SWING_START_COLLIDES;
        return HF_OK;
    }
    list_moving(s);
    for (int i = 0; i < s->query->hold_count; i++)
        if (hf_distance(s->holding[i].from.point, s->holding[i].to.point) >
            SHIFT * s->query->options.tolerance_m) {
            out->why = HF_SWING_HOLD_LOST;
            return HF_OK;
        }
    for (out->tries = 1;; out->tries++) {
        out->why = HF_SWING_FREE;
        hf_status status = make_way(s, limb, &out->why, wished);
        if (status == HF_OK && out->why == HF_SWING_FREE) status = test_way(s, limb, &out->why);
        if (status != HF_OK) return status;
        if (out->why == HF_SWING_FREE) break;
        if (out->tries >= s->query->options.max_tries) return HF_OK;
        if (!next_shape(s, out->why)) return limb >= 0 && s->query->options.max_moves ? grow_way(s) : HF_OK;
    }
    out->outcome = HF_FOUND;
    out->knot_count = s->knots;
    return HF_OK;
}

/* ---- the call ---- */

static bool frame_exists(const hf_creature_view* v, int limb, int frame) {
    return limb >= 0 && limb < v->limb_count && frame >= -1 && frame < hf_limb_frame_count(&v->limbs[limb]);
}

static bool sound(const hf_creature_view* v, int objects, const hf_swing_query* q) {
    if (q->limb_count < 0 || q->hold_count < 0) return false;
    if (!hf_finite_transform(q->from.root) || !hf_finite_transform(q->to.root)) return false;
    for (int i = 0; i < v->q_count; i++)
        if (!isfinite(q->from.q[i]) || !isfinite(q->to.q[i])) return false;
    for (int i = 0; i < q->limb_count; i++) {
        const hf_swing_limb* l = &q->limbs[i];
        if (!frame_exists(v, l->limb, l->frame) || !hf_finite3(l->start.normal) ||
            !hf_finite3(l->goal.normal) || l->start.object >= objects || l->goal.object >= objects)
            return false;
    }
    for (int i = 0; i < q->hold_count; i++)
        if (!frame_exists(v, q->holds[i].limb, q->holds[i].frame) || q->holds[i].object >= objects)
            return false;
    return true;
}

hf_status hf_swing_create(const hf_creature* creature, hf_swing** swing) {
    HF_REQUIRE(NULL, creature && swing);
    hf_swing* s = *swing = hf_alloc(1, sizeof *s);
    if (!s) return HF_ERROR_MEMORY;
    s->q_count = creature->view.q_count;
    s->roots = hf_alloc(HF_SWING_KNOTS, sizeof *s->roots);
    s->q = hf_alloc((size_t)HF_SWING_KNOTS * (size_t)s->q_count, sizeof *s->q);
    if (s->roots && s->q) return HF_OK;
    hf_swing_free(s);
    *swing = NULL;
    return HF_ERROR_MEMORY;
}

void hf_swing_free(hf_swing* swing) {
    if (!swing) return;
    hf_free(swing->roots);
    hf_free(swing->q);
    hf_free(swing);
}

hf_status hf_swing_find(const hf_creature* creature, const hf_placement* placement,
                        const hf_swing_query* query, hf_workspace* workspace, hf_swing* swing) {
    HF_REQUIRE(NULL, creature && placement && query && workspace && swing);
    const hf_creature_view* v = &creature->view;
    swing->outcome = HF_NONE;
    swing->why = HF_SWING_FREE;
    swing->knot_count = swing->tries = 0;
    memset(&swing->collision, 0, sizeof swing->collision);
    int objects = hf_scene_object_count(hf_placement_scene(placement));
    hf_status status = hf_options_check(hf_swing_option_table(), &query->options, NULL);
    if (status == HF_OK && (!sound(v, objects, query) || swing->q_count != v->q_count))
        status = HF_ERROR_ARGUMENT;
    if (status != HF_OK) return status;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    search s = {
        .creature = creature, .placement = placement, .query = query, .workspace = workspace, .swing = swing};
    size_t limbs = (size_t)query->limb_count, holds = (size_t)query->hold_count;
    s.swinging = hf_workspace_take(workspace, limbs + 1, sizeof *s.swinging);
    s.holding = hf_workspace_take(workspace, holds + 1, sizeof *s.holding);
    s.links = hf_workspace_take(workspace, (size_t)v->link_count, sizeof *s.links);
    s.blend = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof *s.blend);
    s.touches = hf_workspace_take(workspace, 2 * limbs + holds + 1, sizeof *s.touches);
    s.between = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof *s.between);
    double* wished = hf_workspace_take(workspace, (size_t)v->q_count + 1, sizeof *wished);
    status = s.swinging && s.holding && s.links && s.blend && s.between && s.touches && wished
                 ? run(&s, wished)
                 : HF_ERROR_MEMORY;
    hf_workspace_end(workspace, mark);
    return status;
}
