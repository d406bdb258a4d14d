/* The posture in which a creature stands: the rest posture where a file gives one, else the neutral posture
   with legs that are not stretched and feet whose middle is under the centre of mass. A stretched leg reaches
   no place ahead of the body at the same height, so the body would sink at every step; and knees whose limits
   keep them bent put the feet of the neutral posture far ahead of the hips or behind them. Legs that are
   stretched out level in the neutral posture are put onto a ground below the body. */
#include "plan/planner.h"

#include "model/creature.h"
#include "solve/keep.h"

#include <math.h>
#include <string.h>

/* Of a leg's greatest distance from its first joint to its contact frame. A knee between two bones of one
   length is then bent by 0.6 rad, because cos 0.3 = 0.955. */
static const double BENT = 0.955;
static const double PARALLEL = 0.9; /* cosine: two joints that bend a limb in one plane */
enum { STARTS = 40 };               /* of the limb solver where no start is known */
/* Where legs that are level at rest are put: so far from their first joints, of their reach that way, and so
   many radians from straight down, outwards as they are at rest: first as widely as insects stand. */
static const double SPREAD_REACH = 0.8;
static const double SPREAD[] = {0.9, 0.6, 0.3, 0};
enum { SPREADS = sizeof SPREAD / sizeof *SPREAD };

typedef struct stander {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_transform* rest; /* links in the rest posture, root at the origin */
    hf_workspace* workspace;
    double* q;
    hf_vec3 shift; /* of the feet from where they are at rest to under the centre of mass, level */
} stander;

/* Where the limb's first contact frame stands, the body as high as at rest. */
static hf_vec3 foot_at(const stander* s, int limb) {
    const hf_contact_frame* f = &s->view->limbs[limb].contacts[0];
    return hf_add(hf_apply(s->rest[f->link], f->offset), s->shift);
}

static bool walks(const stander* s, const hf_plan_limb* limbs, int limb) {
    return limbs[limb].walks && s->view->limbs[limb].joint_count > 0;
}

/* From the middle of the feet at rest to the centre of mass; nothing where that is over the middle half of
   the soles. */
static hf_vec3 find_shift(const stander* s, const hf_plan_limb* limbs) {
    hf_vec3 sum = {0, 0, 0}, com = hf_com(s->creature, s->rest);
    double sole = 0;
    int count = 0;
    for (int l = 0; l < s->view->limb_count; l++) {
        if (!walks(s, limbs, l)) continue;
        const double* patch = s->view->limbs[l].contacts[0].patch;
        sole = fmax(sole, fmax(patch[0], patch[1]));
        sum = hf_add(sum, foot_at(s, l)), count++;
    }
    if (count == 0) return hf_v3(0, 0, 0);
    hf_vec3 shift = hf_v3(com.x - sum.x / count, com.y - sum.y / count, 0);
    return hf_length(shift) > sole / 4 ? shift : hf_v3(0, 0, 0);
}

/* The limb's joints for a target of its first contact frame, the root at the origin. */
static bool solve(const stander* s, const hf_target* target, int starts, double* q, hf_solve_result* r) {
    hf_solve_options o = hf_solve_options_default();
    o.posture = s->view->rest;
    o.max_starts = starts;
    o.near_start = starts == 1;
    if (starts > 1) hf_limb_loosen(s->creature, target->limb, q);
    const hf_transform* base = &s->rest[s->view->limbs[target->limb].base_link];
    return hf_limb_solve(s->creature, base, target, &o, s->workspace, q, r) == HF_OK;
}

static hf_vec3 anchor_of(const stander* s, int limb) {
    const hf_limb* l = &s->view->limbs[limb];
    return hf_apply(s->rest[l->base_link], l->base.position);
}

/* How far the limb's contact frame gets from its first joint along a direction, m: a target beyond reach is
   approached as near as the limb comes. */
static double reach_along(const stander* s, int limb, hf_vec3 way, double* q) {
    hf_vec3 anchor = anchor_of(s, limb), far = hf_add(anchor, hf_scale(way, 2 * s->view->limbs[limb].length));
    hf_target t = {.kind = HF_TARGET_POSITION, .limb = limb, .point = far};
    hf_solve_result r;
    memcpy(q, s->view->rest, sizeof(double) * (size_t)s->view->q_count);
    if (!solve(s, &t, STARTS, q, &r)) return 0;
    return hf_distance(far, anchor) - r.position_error_m;
}

/* The same the way the limb is at rest. */
static double longest(const stander* s, int limb, hf_vec3 anchor, double* q) {
    hf_vec3 foot = foot_at(s, limb);
    double now = hf_distance(foot, anchor);
    return now > 0 ? fmax(now, reach_along(s, limb, hf_scale(hf_sub(foot, anchor), 1 / now), q)) : 0;
}

/* How far the body sinks until the limb is bent enough, m. The foot stays as it is turned, so the end of the
   leg is its last joint, or the contact where the knee is the last: a leg without a knee is as long as its
   contact gets away. */
static double drop_of(const stander* s, int limb, double* q) {
    const hf_limb* l = &s->view->limbs[limb];
    hf_vec3 anchor = anchor_of(s, limb), end = foot_at(s, limb);
    int knee = hf_knee_find(s->view, s->rest, limb), last = l->joint_count - 1;
    double want = 0;
    if (knee > 0) {
        if (knee < last)
            end = hf_add(s->rest[s->view->joints[l->joints[last]].child_link].position, s->shift);
        hf_vec3 at = s->rest[s->view->joints[l->joints[knee]].child_link].position;
        want = BENT * (hf_distance(anchor, at) + hf_distance(at, hf_sub(end, s->shift)));
    } else {
        want = BENT * longest(s, limb, anchor, q);
    }
    double aside = hf_hypot(end.x - anchor.x, end.y - anchor.y);
    double below = want > aside ? sqrt(want * want - aside * aside) : 0;
    return fmax(0, anchor.z - end.z - below);
}

static hf_vec3 axis_of(const stander* s, int joint) {
    return hf_rotate(s->rest[s->view->joints[joint].child_link].rotation, s->view->joints[joint].axis);
}

static bool is_hinge(const stander* s, int joint) {
    hf_joint_type type = s->view->joints[joint].type;
    return type == HF_JOINT_REVOLUTE || type == HF_JOINT_CONTINUOUS;
}

static void turn_joint(const stander* s, int joint, double by, double* q) {
    const hf_joint* j = &s->view->joints[joint];
    q[j->q_index] = fmin(j->upper, fmax(j->lower, q[j->q_index] + by));
}

/* The limb at rest but for its knee, which is bent so that it points ahead (way 1) or back (-1), and the
   first joint before it that turns about the same axis. */
static void bend(const stander* s, int limb, double way, double* q) {
    const hf_limb* l = &s->view->limbs[limb];
    for (int k = 0; k < l->joint_count; k++) {
        const hf_joint* j = &s->view->joints[l->joints[k]];
        memcpy(q + j->q_index, s->view->rest + j->q_index, sizeof(double) * (size_t)j->q_count);
    }
    int knee = hf_knee_find(s->view, s->rest, limb), hip = -1;
    if (knee < 0) return;
    hf_vec3 axis = axis_of(s, l->joints[knee]), anchor = anchor_of(s, limb);
    for (int k = knee - 1; k >= 0; k--)
        if (is_hinge(s, l->joints[k]) && fabs(hf_dot(axis_of(s, l->joints[k]), axis)) > PARALLEL) hip = k;
    hf_vec3 thigh = hf_sub(s->rest[s->view->joints[l->joints[knee]].child_link].position, anchor);
    hf_vec3 ahead = hf_v3(hf_cos(s->view->facing), hf_sin(s->view->facing), 0);
    double angle = 2 * hf_acos(BENT) * (hf_dot(hf_cross(axis, thigh), ahead) > 0 ? -way : way);
    turn_joint(s, l->joints[knee], angle, q);
    if (hip >= 0) turn_joint(s, l->joints[hip], hf_dot(axis_of(s, l->joints[hip]), axis) * -angle / 2, q);
    hf_pose_follow(s->creature, q);
}

/* The limb on the target, its knee ahead where its limits let it, else back, else as the solver finds it. */
static bool set_foot(const stander* s, const hf_target* t) {
    hf_solve_result r;
    for (int way = 1; way >= -1; way -= 2) {
        bend(s, t->limb, way, s->q);
        if (solve(s, t, 1, s->q, &r) && r.outcome == HF_FOUND) return true;
    }
    bend(s, t->limb, 0, s->q);
    return solve(s, t, STARTS, s->q, &r) && r.outcome == HF_FOUND;
}

/* Every walking limb with its contact frame where it was, the body `drop` lower. */
static bool sink(const stander* s, const hf_plan_limb* limbs, double drop) {
    memcpy(s->q, s->view->rest, sizeof(double) * (size_t)s->view->q_count);
    for (int l = 0; l < s->view->limb_count; l++) {
        if (!walks(s, limbs, l)) continue;
        hf_target t = {.kind = HF_TARGET_POSE, .limb = l};
        t.point = hf_add(foot_at(s, l), hf_v3(0, 0, drop));
        t.rotation = s->rest[s->view->limbs[l].effector_link].rotation;
        if (s->view->limbs[l].contacts[0].ball > 0) t.kind = HF_TARGET_POSITION;
        if (!set_foot(s, &t)) return false;
    }
    hf_pose_follow(s->creature, s->q);
    return true;
}

/* ---- legs that are level at rest ---- */

/* The lowest point of the bodies but those that walking limbs end in; of the trunk's and the other limbs'
   alone where `legs` is false. */
static double lowest_body(const stander* s, const hf_plan_limb* limbs, const hf_transform* links, bool legs) {
    double low = INFINITY;
    for (int i = 0; i < s->view->body_count; i++) {
        const hf_body* body = &s->view->bodies[i];
        bool counts = true;
        for (int l = 0; l < s->view->limb_count && counts; l++)
            if (walks(s, limbs, l))
                counts = legs ? !hf_effector_has(s->creature, l, body->link)
                              : !hf_link_in_limb(s->creature, body->link, l);
        hf_vec3 down = hf_unrotate(links[body->link].rotation, hf_v3(0, 0, -1));
        if (counts) low = fmin(low, links[body->link].position.z - hf_body_support(body, down));
    }
    return low;
}

/* The height of the highest contact frame of a limb that walks. */
static double highest_foot(const stander* s, const hf_plan_limb* limbs, const hf_transform* links) {
    double high = -INFINITY;
    for (int l = 0; l < s->view->limb_count; l++) {
        const hf_contact_frame* f = s->view->limbs[l].contacts;
        if (walks(s, limbs, l)) high = fmax(high, hf_apply(links[f->link], f->offset).z);
    }
    return high;
}

/* Where a leg goes from its first joint: outwards as at rest, `angle` from straight down. */
static hf_vec3 spread_way(const stander* s, int limb, double angle) {
    hf_vec3 out = hf_sub(foot_at(s, limb), anchor_of(s, limb));
    double level = hf_hypot(out.x, out.y), length = s->view->limbs[limb].length;
    if (!(level > SPREAD_REACH / 2 * length)) return hf_v3(0, 0, -1); // folded: there is no way outwards
    return hf_v3(hf_sin(angle) * out.x / level, hf_sin(angle) * out.y / level, -hf_cos(angle));
}

/* All walking limbs on one ground, as far out as this; `links` is scratch. */
static bool spread(const stander* s, const hf_plan_limb* limbs, double angle, hf_transform* links) {
    double ground = -INFINITY;
    for (int l = 0; l < s->view->limb_count; l++) {
        if (!walks(s, limbs, l)) continue;
        hf_vec3 way = spread_way(s, l, angle);
        double far = SPREAD_REACH * reach_along(s, l, way, s->q);
        ground = fmax(ground, anchor_of(s, l).z + far * way.z - s->view->limbs[l].contacts[0].ball);
    }
    memcpy(s->q, s->view->rest, sizeof(double) * (size_t)s->view->q_count);
    for (int l = 0; l < s->view->limb_count; l++) {
        if (!walks(s, limbs, l)) continue;
        hf_vec3 way = spread_way(s, l, angle), at = anchor_of(s, l);
        double down = at.z - ground - s->view->limbs[l].contacts[0].ball;
        hf_target t = {.kind = HF_TARGET_POSITION, .limb = l};
        t.point = hf_add(at, hf_scale(way, down / -way.z));
        if (!(down > 0) || !set_foot(s, &t)) return false;
    }
    hf_pose_follow(s->creature, s->q);
    hf_forward(s->creature, &(hf_pose){hf_transform_identity(), s->q}, links);
    return lowest_body(s, limbs, links, true) > ground;
}

/* The body is lower than the feet at rest: tries to put them below it. */
static bool spread_legs(const stander* s, const hf_plan_limb* limbs) {
    hf_workspace_mark mark = hf_workspace_begin(s->workspace);
    hf_transform* links = hf_workspace_take(s->workspace, (size_t)s->view->link_count, sizeof *links);
    bool stands = false;
    for (int i = 0; i < SPREADS && !stands && links; i++) stands = spread(s, limbs, SPREAD[i], links);
    hf_workspace_end(s->workspace, mark);
    return stands;
}

bool hf_standing_find(const hf_creature* creature, const hf_plan_limb* limbs, const hf_transform* rest,
                      double* q) {
    const hf_creature_view* view = hf_creature_get(creature);
    memcpy(q, view->rest, sizeof(double) * (size_t)view->q_count);
    if (creature->rest_given) return true;
    hf_workspace* workspace;
    if (hf_workspace_create(&workspace) != HF_OK) return false;
    stander s = {.creature = creature, .view = view, .rest = rest, .workspace = workspace, .q = q};
    bool level = lowest_body(&s, limbs, rest, false) <= highest_foot(&s, limbs, rest);
    bool stands = level && spread_legs(&s, limbs);
    // feet that do not get under the centre of mass stay where they are at rest
    for (int way = 0; way < 2 && !stands; way++) {
        double drop = 0;
        s.shift = way == 0 ? find_shift(&s, limbs) : hf_v3(0, 0, 0);
        for (int l = 0; l < view->limb_count; l++)
            if (walks(&s, limbs, l)) drop = fmax(drop, drop_of(&s, l, q));
        stands = sink(&s, limbs, drop);
    }
    if (!stands) memcpy(q, view->rest, sizeof(double) * (size_t)view->q_count);
    bool done = hf_arms_hang(creature, limbs, workspace, q);
    hf_workspace_free(workspace);
    return done;
}
