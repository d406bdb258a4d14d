/* Where an agent's root goes: carried by what it stands on, then towards the wish within its limits of speed,
   turn and acceleration. Height and lean follow the footholds; a limb that would be too short draws the root
   down. */
#include "live/agent.h"
#include "base/rounding.h"
#include "model/tolerance.h"

#include <math.h>

static const double FIT_S = 0.15;       /* time in which height and lean follow the footholds */
static const double REACH_SHARE = 0.97; /* of a limb's reach that a held contact may use */
static const double AWAY_SHARE = 0.1;   /* of the root's speed, away from what it slides along */
static const double TWIST_END = 0.6;    /* rad that patches are turned: the same for turns */
static const double LEASH_BEGIN = 1.1,
                    LEASH_END = 1.6; /* half strides behind: the root slows down, and stops */
static const double LEVEL_PULL =
    0.05;                             /* of a limb's squared reach: weight of level ground beside footholds */
static const double LEAST_RISE = 0.3; /* cosine of the lean beyond which the root rises no faster */
static const double BRAKE_SHARE = 0.8; /* of the speed from which the root can still stop at its goal */
enum { LEANING_LIMBS = 4 };

static hf_vec3 clamp_length(hf_vec3 v, double most) {
    double l = hf_length(v);
    return l > most ? hf_scale(v, most / l) : v;
}

static double clamp(double x, double most) { return x > most ? most : x < -most ? -most : x; }

static hf_vec3 across(hf_vec3 v, hf_vec3 up) { return hf_sub(v, hf_scale(up, hf_dot(v, up))); }

static hf_vec3 mean_of(hf_vec3 sum, int count) { return hf_scale(sum, 1 / (double)count); }

/* ---- what carries the root ---- */

/* The mean over held limbs of where their objects took the root; exact when all stand on one. */
static hf_transform carry(const hf_agent* a, const hf_placement* placement) {
    hf_vec3 shift = {0, 0, 0}, turn = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        if (a->limbs[i].mode != AGENT_HELD) continue;
        int object = a->limbs[i].at.hold.object;
        hf_transform moved = hf_compose(hf_placement_pose(placement, object), hf_inverse(a->objects[object]));
        shift = hf_add(shift, hf_sub(hf_apply(moved, a->pose.root.position), a->pose.root.position));
        turn = hf_add(turn, hf_quat_log(moved.rotation));
        count++;
    }
    if (!count || !a->moved) return a->pose.root;
    shift = mean_of(shift, count);
    turn = mean_of(turn, count);
    hf_quat turned = hf_quat_axis_angle(hf_normalize(turn), hf_length(turn));
    return (hf_transform){hf_add(a->pose.root.position, shift), hf_quat_mul(turned, a->pose.root.rotation)};
}

/* ---- footholds ---- */

typedef struct footing {
    int count;
    hf_vec3 mean, home; /* of the footholds, and of their places under the body */
} footing;

static bool has_foothold(const agent_limb* l) { return l->mode == AGENT_HELD || l->mode == AGENT_SWING; }

/* What a limb holds; for one that swings, how far it has come from the old foothold to the new one. */
static hf_vec3 held_centre(const agent_limb* l, const hf_placement* placement) {
    hf_vec3 at = l->mode == AGENT_SWING ? hf_lerp(l->swing.from, l->at.anchor.point, l->swing.phase)
                                        : l->at.anchor.point;
    return hf_apply(hf_object_pose(placement, l->at.hold.object), at);
}

static hf_vec3 foothold(const agent_limb* l, const hf_placement* placement) {
    hf_vec3 ball = hf_rotate(hf_object_pose(placement, l->at.hold.object).rotation,
                             hf_sub(l->at.anchor.point, l->at.hold.point));
    return hf_sub(held_centre(l, placement), ball);
}

static footing find_footing(const hf_agent* a, const hf_placement* placement) {
    footing f = {0};
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (!has_foothold(l)) continue;
        f.mean = hf_add(f.mean, foothold(l, placement));
        f.home = hf_add(f.home, l->home.position);
        f.count++;
    }
    if (f.count > 0) f.mean = mean_of(f.mean, f.count), f.home = mean_of(f.home, f.count);
    return f;
}

/* Up for the body: against the footholds' plane, as far as the body leans. The plane z = b x + c y about the
   mean, in axes of the heading; a pull to level ground keeps it sound when the footholds are in a row. */
static hf_vec3 lean(const hf_agent* a, const hf_placement* placement, const footing* f, hf_quat heading) {
    hf_vec3 x = hf_rotate(heading, hf_v3(1, 0, 0)), y = hf_rotate(heading, hf_v3(0, 1, 0)),
            up = hf_v3(0, 0, 1);
    if (a->gait.walker_count < LEANING_LIMBS || f->count < 3) return up;
    double xx = 0, yy = 0, xy = 0, xz = 0, yz = 0, pull = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        if (!has_foothold(&a->limbs[i])) continue;
        hf_vec3 d = hf_sub(foothold(&a->limbs[i], placement), f->mean);
        double u = hf_dot(d, x), v = hf_dot(d, y), z = d.z;
        xx += u * u, yy += v * v, xy += u * v, xz += u * z, yz += v * z;
        pull += LEVEL_PULL * a->limbs[i].reach * a->limbs[i].reach;
    }
    xx += pull, yy += pull;
    double det = xx * yy - xy * xy;
    if (!(det > 0)) return up;
    double b = (xz * yy - yz * xy) / det, c = (yz * xx - xz * xy) / det;
    hf_vec3 n = hf_normalize(hf_sub(up, hf_add(hf_scale(x, b), hf_scale(y, c))));
    double angle = hf_acos(fmin(1, n.z)), most = a->options.max_lean_rad;
    if (angle <= most) return n;
    hf_vec3 side = hf_normalize(hf_v3(n.x, n.y, 0));
    return hf_add(hf_scale(side, hf_sin(most)), hf_scale(up, hf_cos(most)));
}

/* The turn about +Z of an orientation. */
static hf_quat heading_of(hf_quat q) {
    hf_quat h = {q.w, 0, 0, q.z};
    if (h.w * h.w + h.z * h.z < HF_NEGLIGIBLE) {
        hf_vec3 x = hf_rotate(q, hf_v3(1, 0, 0));
        return hf_quat_axis_angle(hf_v3(0, 0, 1), hf_atan2(x.y, x.x));
    }
    return hf_quat_normalize(h);
}

/* ---- wishes ---- */

/* No faster than the gait can follow: while all the other groups swing, a foot falls behind by no more than
   where the root would stop for it. */
static double gait_speed(const hf_agent* a) {
    double slowest = INFINITY;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (l->mode == AGENT_IDLE) continue;
        int others = a->gait.group_count > 1 ? a->gait.group_count - 1 : 1;
        slowest = fmin(slowest, LEASH_END * l->half_stride / (others * l->swing_s));
    }
    return fmin(slowest, a->view->limits.root_speed);
}

/* Speeds go towards what is wished within the acceleration. */
static void accelerate(hf_agent* a, hf_vec3 velocity, double turn, double dt) {
    double most = a->view->limits.root_acceleration * dt;
    a->root.velocity = hf_add(a->root.velocity, clamp_length(hf_sub(velocity, a->root.velocity), most));
    double limit = a->view->limits.root_turn;
    a->root.turn += clamp(clamp(turn, limit) - a->root.turn, 4 * limit * dt);
}

/* Limbs that stay far behind slow the root down until they are renewed: so it does not get where they can
   neither follow nor be lifted. */
static double leash(const hf_agent* a, const hf_placement* placement, hf_vec3 velocity) {
    hf_vec3 way = hf_normalize(velocity);
    double most = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (l->mode != AGENT_HELD) continue;
        hf_vec3 home = hf_apply(a->root.carried, l->home.position), d = hf_sub(home, foothold(l, placement));
        most = fmax(most, hf_dot(d, way) / l->half_stride);
    }
    return fmax(0, fmin(1, (LEASH_END - most) / (LEASH_END - LEASH_BEGIN)));
}

/* The same for turns: patches that hold and are turned away from how they are at rest. */
static double turn_leash(const hf_agent* a, const hf_placement* placement, double turn) {
    hf_vec3 up = hf_rotate(a->root.carried.rotation, hf_v3(0, 0, 1));
    double most = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (l->mode != AGENT_HELD || !l->at.anchor.flat) continue;
        hf_quat now =
            hf_quat_mul(hf_placement_pose(placement, l->at.hold.object).rotation, l->at.anchor.rotation);
        hf_quat home = hf_quat_mul(a->root.carried.rotation, l->home.rotation);
        double ahead = hf_dot(hf_quat_log(hf_quat_mul(home, hf_quat_conj(now))), up);
        most = fmax(most, turn > 0 ? ahead : -ahead);
    }
    return fmax(0, fmin(1, (TWIST_END - most) / (TWIST_END - HF_AGENT_TURNED_RAD)));
}

/* With a velocity: the place over ground from the speeds, height and lean from the footholds. */
static hf_transform go_with(hf_agent* a, const hf_placement* placement, const hf_agent_input* in) {
    hf_vec3 up = hf_agent_up(a), z = hf_v3(0, 0, 1);
    hf_vec3 wish = clamp_length(across(in->velocity, z), gait_speed(a));
    accelerate(a, hf_scale(wish, leash(a, placement, wish)),
               in->turn_rad_s * turn_leash(a, placement, in->turn_rad_s), in->dt_s);
    hf_transform to = a->root.carried;
    hf_quat heading = hf_quat_mul(hf_quat_axis_angle(z, a->root.turn * in->dt_s), heading_of(to.rotation));
    to.position = hf_add(to.position, hf_scale(a->root.velocity, in->dt_s));
    footing f = find_footing(a, placement);
    if (f.count == 0) {
        to.rotation = hf_quat_mul(hf_quat_axis_angle(z, a->root.turn * in->dt_s), to.rotation);
        return to;
    }
    double follow = fmin(1, in->dt_s / FIT_S);
    hf_vec3 wanted = lean(a, placement, &f, heading);
    up = hf_normalize(hf_lerp(up, wanted, follow));
    to.rotation = hf_quat_mul(hf_quat_between(z, up), heading);
    // the root stands as high above the plane of the footholds as in the rest posture
    hf_vec3 d = hf_sub(to.position, f.mean);
    double height = -hf_dot(hf_v3(0, 0, 1), f.home), above = hf_dot(d, wanted);
    double rise = (height - above) / fmax(LEAST_RISE, wanted.z);
    to.position.z += rise * follow;
    return to;
}

/* To a root pose: as fast as allowed and no faster than it can brake. */
static hf_transform go_to(hf_agent* a, const hf_placement* placement, const hf_agent_input* in) {
    hf_transform to = a->root.carried;
    hf_vec3 d = hf_sub(in->root.position, to.position);
    double far = hf_length(d), brake = sqrt(2 * a->view->limits.root_acceleration * far);
    double speed = fmin(fmin(gait_speed(a), BRAKE_SHARE * brake), far / in->dt_s);
    hf_quat left = hf_quat_mul(hf_quat_normalize(in->root.rotation), hf_quat_conj(to.rotation));
    hf_vec3 turn = hf_quat_log(left);
    double angle = hf_length(turn), most = a->view->limits.root_turn * in->dt_s;
    speed *= leash(a, placement, d);
    accelerate(a, hf_scale(hf_normalize(d), speed), hf_dot(turn, hf_agent_up(a)) / in->dt_s, in->dt_s);
    to.position = hf_add(to.position, hf_scale(a->root.velocity, in->dt_s));
    if (far < HF_ROUNDING) to.position = in->root.position;
    to.rotation = hf_quat_mul(hf_quat_axis_angle(hf_normalize(turn), fmin(angle, most)), to.rotation);
    return to;
}

/* Limbs that would be stretched too far draw the root down along its up. */
static void lower(const hf_agent* a, const hf_placement* placement, hf_transform* root) {
    hf_vec3 up = hf_rotate(root->rotation, hf_v3(0, 0, 1));
    hf_transform change = hf_compose(*root, hf_inverse(a->pose.root));
    double down = 0;
    for (int i = 0; i < a->view->limb_count; i++) {
        const agent_limb* l = &a->limbs[i];
        if (!has_foothold(l)) continue;
        hf_vec3 hip = hf_apply(change, hf_limb_base(a->creature, i, a->links).position);
        hf_vec3 w = hf_sub(hip, held_centre(l, placement));
        double along = hf_dot(w, up), reach = REACH_SHARE * l->reach;
        double left = reach * reach - (hf_dot(w, w) - along * along);
        if (left < 0) continue; // lowering the root does not bring the contact into reach
        double need = along - sqrt(left);
        down = fmax(down, need);
    }
    root->position = hf_sub(root->position, hf_scale(up, down));
}

/* Between two outputs the root keeps its limits, whatever carries it. */
static hf_transform within_limits(const hf_agent* a, hf_transform to, double dt) {
    hf_transform from = a->pose.root;
    hf_vec3 d = clamp_length(hf_sub(to.position, from.position),
                             HF_LIVE_SPEED_SHARE * a->view->limits.root_speed * dt);
    hf_vec3 turn = hf_quat_log(hf_quat_mul(to.rotation, hf_quat_conj(from.rotation)));
    double angle = fmin(hf_length(turn), HF_LIVE_SPEED_SHARE * a->view->limits.root_turn * dt);
    hf_quat turned = hf_quat_mul(hf_quat_axis_angle(hf_normalize(turn), angle), from.rotation);
    return (hf_transform){hf_add(from.position, d), hf_quat_normalize(turned)};
}

/* Where limbs do not let the root go the whole way, parts of it may be free. */
static void set_aims(hf_agent* a, hf_transform whole, double dt) {
    hf_vec3 up = hf_agent_up(a), d = hf_sub(whole.position, a->root.carried.position);
    for (int i = 0; i < HF_AGENT_AIMS; i++) a->root.aims[i] = a->root.carried;
    a->root.aims[AIM_WHOLE] = whole;
    a->root.aims[AIM_GO].position = a->root.aims[AIM_STRAIGHT].position =
        hf_add(a->root.carried.position, across(d, up));
    a->root.aims[AIM_GO].rotation =
        hf_quat_mul(hf_quat_axis_angle(up, a->root.turn * dt), a->root.carried.rotation);
    a->root.aims[AIM_FIT].position = hf_add(a->root.carried.position, hf_scale(up, hf_dot(d, up)));
    a->root.aims[AIM_FIT].rotation = hf_quat_mul(hf_quat_axis_angle(up, -a->root.turn * dt), whole.rotation);
    for (int i = 0; i < HF_AGENT_AIMS; i++) a->root.aims[i] = within_limits(a, a->root.aims[i], dt);
}

void hf_agent_slide_root(hf_agent* a, hf_vec3 normal, double dt) {
    hf_vec3 d = hf_sub(a->root.aims[AIM_WHOLE].position, a->root.carried.position);
    d = hf_sub(d, hf_scale(normal, fmin(0, hf_dot(d, normal))));
    // also a little away from the surface, so that the next frames have room
    d = hf_add(d, hf_scale(normal, AWAY_SHARE * a->view->limits.root_speed * dt));
    a->root.aims[AIM_SLIDE] = (hf_transform){hf_add(a->root.carried.position, d), a->root.carried.rotation};
    a->root.aims[AIM_SLIDE] = within_limits(a, a->root.aims[AIM_SLIDE], dt);
}

void hf_agent_plan_root(hf_agent* a, const hf_placement* placement, const hf_agent_input* in) {
    hf_forward(a->creature, &a->pose, a->links);
    a->root.carried = within_limits(a, carry(a, placement), in->dt_s);
    hf_transform aim;
    if (in->follow_root) {
        aim = go_to(a, placement, in);
        a->root.wished = (hf_transform){in->root.position, hf_quat_normalize(in->root.rotation)};
    } else {
        hf_vec3 asked = hf_add(a->root.carried.position, hf_scale(in->velocity, in->dt_s));
        aim = go_with(a, placement, in);
        a->root.wished = aim;
        a->root.wished.position.x = asked.x, a->root.wished.position.y = asked.y;
    }
    lower(a, placement, &aim);
    set_aims(a, aim, in->dt_s);
}

hf_transform hf_agent_predict(const hf_agent* a, double time_s) {
    hf_transform to = a->pose.root;
    to.position = hf_add(to.position, hf_scale(a->root.velocity, time_s));
    hf_quat turned = hf_quat_axis_angle(hf_agent_up(a), a->root.turn * time_s);
    to.rotation = hf_quat_normalize(hf_quat_mul(turned, to.rotation));
    return to;
}
