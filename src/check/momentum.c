/* Inverse dynamics of the report's own: the rate of linear and angular momentum of a frame, from the joint
   values of the frame before, the frame and the frame after. Speeds and accelerations of joints are central
   differences; from them each link's motion follows in world axes, parent by parent, without further error.
 */
#include "check/check.h"

#include <math.h>
#include <string.h>

/* How a joint (or the root) moves: shift in the axes of the joint's fixed side, turn in its child's axes. */
typedef struct joint_rates {
    double shift_speed[3], shift_rate[3];
    double turn_speed[3], turn_rate[3];
} joint_rates;

/* The times between the three frames. */
typedef struct spans {
    double before, after;
} spans;

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Speed and acceleration of a number from its steps to the frame and from it. */
static void differences(double step_before, double step_after, spans t, double* speed, double* rate) {
    *speed = (step_before + step_after) / (t.before + t.after);
    *rate = 2 * (step_after / t.after - step_before / t.before) / (t.before + t.after);
}

/* The turn that takes the axes of a to those of b, as a vector in a's axes. */
static void turn_between(const check_frame* a, const check_frame* b, double turn[3]) {
    double r[9], axis[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = a->r[i] * b->r[j] + a->r[3 + i] * b->r[3 + j] + a->r[6 + i] * b->r[6 + j];
    axis[0] = (r[7] - r[5]) / 2, axis[1] = (r[2] - r[6]) / 2, axis[2] = (r[3] - r[1]) / 2;
    double sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double angle = hf_atan2(sine, (r[0] + r[4] + r[8] - 1) / 2);
    for (int i = 0; i < 3; i++) turn[i] = sine > 1e-12 ? axis[i] * angle / sine : axis[i];
}

/* Of a body that floats: its place and its turn in its own axes. */
static joint_rates floating_rates(const check_frame at[3], spans t) {
    joint_rates out;
    double before[3], after[3];
    turn_between(&at[0], &at[1], before);
    turn_between(&at[1], &at[2], after);
    for (int i = 0; i < 3; i++) {
        differences(at[1].p[i] - at[0].p[i], at[2].p[i] - at[1].p[i], t, &out.shift_speed[i],
                    &out.shift_rate[i]);
        differences(before[i], after[i], t, &out.turn_speed[i], &out.turn_rate[i]);
    }
    return out;
}

static check_frame floating_frame(const double* q) {
    return check_frame_of((hf_transform){{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}});
}

static void along(const double axis[3], double before, double after, spans t, double speed[3],
                  double rate[3]) {
    double s, r;
    differences(before, after, t, &s, &r);
    for (int i = 0; i < 3; i++) speed[i] += axis[i] * s, rate[i] += axis[i] * r;
}

static joint_rates rates_of(const hf_creature_view* c, int joint, const double* const q[3], spans t) {
    const hf_joint* j = &c->joints[joint];
    joint_rates out = {0};
    double axis[3] = {j->axis.x, j->axis.y, j->axis.z};
    const double *a = q[0] + j->q_index, *b = q[1] + j->q_index, *d = q[2] + j->q_index;
    double value[3];
    for (int k = 0; k < 3 && j->q_count == 1; k++) value[k] = check_joint_value(c, joint, q[k]);
    switch (j->type) {
    case HF_JOINT_FIXED:
        break;
    case HF_JOINT_REVOLUTE:
    case HF_JOINT_CONTINUOUS:
        along(axis, value[1] - value[0], value[2] - value[1], t, out.turn_speed, out.turn_rate);
        break;
    case HF_JOINT_PRISMATIC:
        along(axis, value[1] - value[0], value[2] - value[1], t, out.shift_speed, out.shift_rate);
        break;
    case HF_JOINT_FLOATING: {
        check_frame at[3] = {floating_frame(a), floating_frame(b), floating_frame(d)};
        out = floating_rates(at, t);
        break;
    }
    case HF_JOINT_PLANAR: {
        /* Its plane's directions are those of shifts by one. */
        const double unit[2][3] = {{1, 0, 0}, {0, 1, 0}};
        for (int k = 0; k < 2; k++) {
            check_frame shifted = check_planar(j->axis, unit[k]);
            along(shifted.p, b[k] - a[k], d[k] - b[k], t, out.shift_speed, out.shift_rate);
        }
        along(axis, b[2] - a[2], d[2] - b[2], t, out.turn_speed, out.turn_rate);
        break;
    }
    }
    return out;
}

/* How a point fixed to a link, at an arm from its origin, is accelerated. */
static void carried(const check_motion* m, const double arm[3], double out[3]) {
    double turned[3], inward[3], swung[3];
    cross(m->turn, arm, turned);
    cross(m->turn, turned, inward);
    cross(m->turn_rate, arm, swung);
    for (int i = 0; i < 3; i++) out[i] = m->acceleration[i] + swung[i] + inward[i];
}

/* The child's motion from its parent's and its joint's. `fixed` is the joint's frame on the parent's side. */
static void follow(const check_frame* parent, const check_motion* from, const check_frame* fixed,
                   const check_frame* child, const joint_rates* j, check_motion* out) {
    double arm[3], speed[3], rate[3], turn[3], turn_rate[3], sideways[3], turned[3];
    for (int i = 0; i < 3; i++) arm[i] = child->p[i] - parent->p[i];
    check_frame_turn(fixed, j->shift_speed, speed);
    check_frame_turn(fixed, j->shift_rate, rate);
    check_frame_turn(child, j->turn_speed, turn);
    check_frame_turn(child, j->turn_rate, turn_rate);
    carried(from, arm, out->acceleration);
    cross(from->turn, speed, sideways);
    cross(from->turn, turn, turned);
    for (int i = 0; i < 3; i++) {
        out->acceleration[i] += 2 * sideways[i] + rate[i];
        out->turn[i] = from->turn[i] + turn[i];
        out->turn_rate[i] = from->turn_rate[i] + turn_rate[i] + turned[i];
    }
}

static void move_links(const hf_creature_view* c, const hf_motion_frame* f, const check_frame* links,
                       check_motion* motions) {
    spans t = {f->time_s - f[-1].time_s, f[1].time_s - f->time_s};
    check_frame root[3] = {check_frame_of(f[-1].root), links[0], check_frame_of(f[1].root)};
    joint_rates own = floating_rates(root, t);
    check_motion ground = {0};
    check_frame world = check_frame_of(hf_transform_identity());
    follow(&world, &ground, &world, &links[0], &own, &motions[0]);
    const double* const q[3] = {f[-1].q, f->q, f[1].q};
    for (int i = 1; i < c->link_count; i++) {
        int parent = c->links[i].parent_link, joint = c->links[i].joint;
        check_frame origin = check_frame_of(c->joints[joint].origin);
        check_frame fixed = check_frame_mul(&links[parent], &origin);
        joint_rates j = rates_of(c, joint, q, t);
        follow(&links[parent], &motions[parent], &fixed, &links[i], &j, &motions[i]);
    }
}

/* Inertia about the link's centre of mass, of its own axes, times a vector of the world. */
static void inertia_times(const hf_link* link, const check_frame* at, const double v[3], double out[3]) {
    const double *i = link->inertia, *r = at->r;
    double u[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = r[k] * v[0] + r[3 + k] * v[1] + r[6 + k] * v[2];
    w[0] = i[0] * u[0] + i[3] * u[1] + i[4] * u[2];
    w[1] = i[3] * u[0] + i[1] * u[1] + i[5] * u[2];
    w[2] = i[4] * u[0] + i[5] * u[1] + i[2] * u[2];
    check_frame_turn(at, w, out);
}

/* Newton and Euler of one body: the force that moves it, and its moment about a point. */
static void body_rate(const hf_link* body, const check_frame* at, const check_motion* motion,
                      const double about[3], double force[3], double moment[3]) {
    double own[3] = {body->com.x, body->com.y, body->com.z};
    double arm[3], to[3], levered[3], momentum[3], gyro[3], rate[3];
    check_frame_turn(at, own, arm);
    carried(motion, arm, force);
    for (int i = 0; i < 3; i++) to[i] = at->p[i] + arm[i] - about[i], force[i] *= body->mass;
    cross(to, force, levered);
    inertia_times(body, at, motion->turn_rate, rate);
    inertia_times(body, at, motion->turn, momentum);
    cross(motion->turn, momentum, gyro);
    for (int i = 0; i < 3; i++) moment[i] = levered[i] + rate[i] + gyro[i];
}

void check_momentum_rate(const hf_creature_view* c, const hf_motion_frame* frame, const check_frame* links,
                         const double com[3], check_motion* motions, double force[3], double moment[3]) {
    move_links(c, frame, links, motions);
    memset(force, 0, 3 * sizeof(double));
    memset(moment, 0, 3 * sizeof(double));
    for (int l = 0; l < c->link_count; l++) {
        double f[3], m[3];
        body_rate(&c->links[l], &links[l], &motions[l], com, f, m);
        for (int i = 0; i < 3; i++) force[i] += f[i], moment[i] += m[i];
    }
}

/* A carried object as a link of its own, and how it moves. */
static hf_link load_body(const check_job* job, int frame, int object, check_frame* stands,
                         check_motion* motion) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    spans t = {f->time_s - f[-1].time_s, f[1].time_s - f->time_s};
    check_frame at[3];
    for (int k = 0; k < 3; k++) at[k] = check_frame_of(check_object_at(job, object, frame - 1 + k, 0));
    joint_rates own = floating_rates(at, t);
    check_motion ground = {0};
    check_frame world = check_frame_of(hf_transform_identity());
    *stands = at[1];
    follow(&world, &ground, &world, stands, &own, motion);
    const check_load* load = &job->loads[object];
    hf_link body = {.mass = job->views[object].mass_kg,
                    .com = {load->middle[0], load->middle[1], load->middle[2]}};
    for (int i = 0; i < 6; i++) body.inertia[i] = body.mass * load->inertia[i];
    return body;
}

void check_load_rate(const check_job* job, int frame, int object, const double com[3], double force[3],
                     double moment[3]) {
    check_frame stands;
    check_motion motion;
    hf_link body = load_body(job, frame, object, &stands, &motion);
    double f[3], m[3];
    body_rate(&body, &stands, &motion, com, f, m);
    for (int i = 0; i < 3; i++) force[i] += f[i], moment[i] += m[i];
}

/* Adds a share of what moves a body and bears its weight to a wrench about the world's origin. */
static void add_body(const hf_link* body, const check_frame* at, const check_motion* motion, double share,
                     double wrench[6]) {
    const double origin[3] = {0, 0, 0};
    check_motion lifted = *motion;
    double f[3], m[3];
    lifted.acceleration[2] += CHECK_GRAVITY;
    body_rate(body, at, &lifted, origin, f, m);
    for (int i = 0; i < 3; i++) wrench[i] += share * f[i], wrench[3 + i] += share * m[i];
}

static int hands_on(const check_job* job, int frame, int object) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    int hands = 0;
    for (int i = 0; i < f->contact_count; i++)
        hands += check_hand_link(job, frame, &f->contacts[i], object) >= 0;
    return hands;
}

void check_link_wrenches(const check_job* job, int frame, const check_frame* links,
                         const check_motion* motions, double (*wrenches)[6]) {
    const hf_motion_frame* f = &job->motion->frames[frame];
    memset(wrenches, 0, sizeof *wrenches * (size_t)job->c->link_count);
    for (int l = 0; l < job->c->link_count; l++)
        add_body(&job->c->links[l], &links[l], &motions[l], 1, wrenches[l]);
    for (int o = 0; o < job->object_count; o++) {
        int hands = job->views[o].mass_kg > 0 ? hands_on(job, frame, o) : 0;
        check_frame stands;
        check_motion motion;
        hf_link body;
        if (hands) body = load_body(job, frame, o, &stands, &motion);
        for (int i = 0; i < f->contact_count && hands; i++) {
            int link = check_hand_link(job, frame, &f->contacts[i], o);
            if (link >= 0) add_body(&body, &stands, &motion, 1.0 / hands, wrenches[link]);
        }
    }
}

void check_joint_torques(const hf_creature_view* c, const check_frame* links, double (*wrenches)[6],
                         double* torques) {
    memset(torques, 0, sizeof(double) * (size_t)c->joint_count);
    for (int l = c->link_count - 1; l > 0; l--) {
        const hf_joint* j = &c->joints[c->links[l].joint];
        double *w = wrenches[l], axis[3] = {j->axis.x, j->axis.y, j->axis.z}, levered[3];
        check_frame_turn(&links[l], axis, axis);
        cross(links[l].p, w, levered);
        bool turns = j->type == HF_JOINT_REVOLUTE || j->type == HF_JOINT_CONTINUOUS;
        double torque = 0, scale = 1;
        for (int i = 0; i < 3; i++) torque += axis[i] * (turns ? w[3 + i] - levered[i] : w[i]);
        int master = c->links[l].joint;
        for (; c->joints[master].mimic >= 0; master = c->joints[master].mimic)
            scale *= c->joints[master].multiplier;
        if (j->q_count == 1) torques[master] += scale * torque;
        for (int i = 0; i < 6; i++) wrenches[c->links[l].parent_link][i] += w[i];
    }
}
