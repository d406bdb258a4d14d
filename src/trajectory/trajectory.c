/* Rows of a motion for controllers: the pose on a smooth curve, its speeds and accelerations, momentum, and
   what contacts do. */
#include <holdfast/trajectory.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/creature_draft.h"
#include "model/hold.h"
#include "refine/pose_spline.h"
#include "trajectory/contact_force.h"
#include "trajectory/contact_track.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More numbers than this make no file that anybody could open. */
static const double MAX_NUMBERS = 5e7;
/* Friction cones of a check have eight edges; a round cone so much narrower lies inside them: cos(pi / 8). */
static const double INSIDE_EIGHT_EDGES = 0.92387953251128674;
/* Second differences over this time give the acceleration of what a hand carries, s. */
static const double LOAD_STEP_S = 1e-3;

/* One row in the making; all memory is the workspace's. */
typedef struct maker {
    const hf_motion* motion;
    const hf_creature* creature;
    const hf_creature_view* c;
    const hf_scene* scene;
    hf_workspace* workspace;
    hf_pose_spline spline;
    hf_contact_track track;
    hf_placement* placement; /* NULL without a scene */
    bool* touches;           /* limbs that touch in some frame */

    int frame;     /* the last frame that is not after the row */
    bool at_frame; /* the row is at that frame */
    double time_s;
    hf_pose pose, other;
    hf_transform *links, *other_links;
    double *speed, *rate, *force, *momentum, *jacobian; /* v_count each; jacobian 3 x v_count */
    hf_vec3 com;
    double wrench[6]; /* that contacts must give, about the centre of mass */
    double dual[6];   /* of the row before */
    hf_force_corner corners[HF_FORCE_CORNERS];
    int corner_count;
    int first_corner[HF_MAX_LIMBS]; /* of each limb, into corners; -1 where it does not touch */

    hf_trajectory* table;
    double* row; /* NULL while columns are named */
    int column, name_capacity;
    bool failed;
} maker;

/* ---- columns ---- */

/* The next column of the row; names it while there is no row. */
static void put(maker* m, double value, const char* name, const char* ending) {
    hf_trajectory* t = m->table;
    if (m->row) {
        m->row[m->column++] = value;
    } else if (HF_GROW(t->names, m->name_capacity, t->column_count)) {
        size_t size = strlen(name) + strlen(ending) + 1;
        char* text = hf_alloc(size, 1);
        if (text) snprintf(text, size, "%s%s", name, ending);
        m->failed = m->failed || !text;
        t->names[t->column_count++] = text;
    } else {
        m->failed = true;
    }
}

static void put3(maker* m, hf_vec3 v, const char* name, const char* const endings[3]) {
    put(m, v.x, name, endings[0]);
    put(m, v.y, name, endings[1]);
    put(m, v.z, name, endings[2]);
}

static const char* const XYZ[3] = {"x", "y", "z"};
static const char* const DOT_XYZ[3] = {".x", ".y", ".z"};
static const char* const POINT[3] = {".px", ".py", ".pz"};
static const char* const NORMAL[3] = {".nx", ".ny", ".nz"};
static const char* const FORCE[3] = {".fx", ".fy", ".fz"};
static const char* const MOMENT[3] = {".mx", ".my", ".mz"};

static void put_quaternion(maker* m, hf_quat q, const char* name) {
    if (m->table->quaternion == HF_QUATERNION_WXYZ) put(m, q.w, name, "qw");
    put(m, q.x, name, "qx");
    put(m, q.y, name, "qy");
    put(m, q.z, name, "qz");
    if (m->table->quaternion == HF_QUATERNION_XYZW) put(m, q.w, name, "qw");
}

static void put_joint(maker* m, const hf_joint* j) {
    static const char* const planar[] = {".x", ".y", ".turn"};
    const double* q = m->pose.q + j->q_index;
    char dotted[300];
    snprintf(dotted, sizeof dotted, "%.290s.", j->name);
    if (j->q_count == 1) put(m, q[0], j->name, "");
    for (int k = 0; k < 3 && j->q_count > 1; k++)
        put(m, q[k], j->name, j->q_count == 7 ? DOT_XYZ[k] : planar[k]);
    if (j->q_count == 7) put_quaternion(m, (hf_quat){q[3], q[4], q[5], q[6]}, dotted);
}

/* Numbers of each joint in the layout of speeds, with an ending of their own. */
static void put_speeds(maker* m, const double* values, const char* ending) {
    static const char* const parts[] = {".x", ".y", ".z", ".wx", ".wy", ".wz"};
    for (int j = 0; j < m->c->joint_count; j++) {
        const hf_joint* joint = &m->c->joints[j];
        for (int k = 0; k < joint->v_count; k++) {
            char name[320];
            const char* part = joint->v_count == 1 ? "" : joint->v_count == 3 && k == 2 ? ".turn" : parts[k];
            snprintf(name, sizeof name, "%.290s%s", joint->name, part);
            put(m, values[joint->v_index + k], name, ending);
        }
    }
}

static hf_vec3 three(const double* v) { return hf_v3(v[0], v[1], v[2]); }

static void put_body(maker* m) {
    put(m, m->time_s, "t", "");
    put3(m, m->pose.root.position, "root_", XYZ);
    put_quaternion(m, m->pose.root.rotation, "root_");
    for (int j = 0; j < m->c->joint_count; j++) put_joint(m, &m->c->joints[j]);
    put3(m, three(m->speed), "root_v", XYZ);
    put3(m, three(m->speed + 3), "root_w", XYZ);
    put_speeds(m, m->speed, ".v");
    put3(m, three(m->rate), "root_a", XYZ);
    put3(m, three(m->rate + 3), "root_dw", XYZ);
    put_speeds(m, m->rate, ".a");
}

/* The limb's contact in the last frame. */
static const hf_track_contact* last_of(const maker* m, int limb) {
    return &m->track.contacts[(size_t)m->frame * (size_t)m->track.limb_count + (size_t)limb];
}

/* The limb's contact at this moment: that of the last frame, or of the next one to which it rolls. */
static const hf_track_contact* contact_of(const maker* m, int limb) {
    const hf_track_contact* t = last_of(m, limb);
    return !m->at_frame && t->after == HF_TRACK_ROLLS ? t + m->track.limb_count : t;
}

static bool is_on(const maker* m, int limb) {
    const hf_track_contact* t = last_of(m, limb);
    return t->on && (m->at_frame || t->after != HF_TRACK_ENDS);
}

/* What touches, and its force and moment about the contact's point. */
static void put_limb(maker* m, int limb) {
    const char* name = m->c->limbs[limb].name;
    const hf_track_contact* t = contact_of(m, limb);
    bool on = is_on(m, limb);
    hf_vec3 none = {0, 0, 0}, force = none, moment = none;
    hf_hold hold = {0};
    if (on) hold = hf_hold_in_world(t->hold, hf_track_object(m->placement, t->hold.object));
    for (int k = 0; on && k < t->support.corner_count && m->first_corner[limb] >= 0; k++) {
        const hf_force_corner* c = &m->corners[m->first_corner[limb] + k];
        hf_vec3 arm = hf_sub(hf_add(c->arm, m->com), hold.point);
        hf_vec3 push = t->pushes ? hf_neg(c->force) : c->force; // on the limb
        force = hf_add(force, push);
        moment = hf_add(moment, hf_cross(arm, push));
    }
    put(m, on, name, ".contact");
    put3(m, hold.point, name, POINT);
    put3(m, hold.normal, name, NORMAL);
    if (!m->scene) return;
    put3(m, force, name, FORCE);
    put3(m, moment, name, MOMENT);
}

static void put_row(maker* m) {
    double mass = m->c->mass > 0 ? m->c->mass : 1;
    hf_vec3 linear = three(m->momentum);
    put_body(m);
    put3(m, m->com, "com_", XYZ);
    put3(m, hf_scale(linear, 1 / mass), "com_v", XYZ);
    put3(m, three(m->momentum + 6), "com_a", XYZ);
    put3(m, linear, "momentum_", XYZ);
    put3(m, three(m->momentum + 3), "angular_", XYZ);
    put3(m, three(m->wrench), "wrench_f", XYZ);
    put3(m, three(m->wrench + 3), "wrench_m", XYZ);
    if (m->scene) {
        put3(m, three(m->force), "missing_f", XYZ);
        put3(m, three(m->force + 3), "missing_m", XYZ);
        put_speeds(m, m->force, ".effort");
    }
    for (int l = 0; l < m->c->limb_count; l++)
        if (m->touches[l]) put_limb(m, l);
}

/* ---- dynamics of a row ---- */

/* A moment about the root as one about the centre of mass. */
static hf_vec3 about_com(const maker* m, hf_vec3 force, hf_vec3 moment) {
    return hf_add(moment, hf_cross(hf_sub(m->pose.root.position, m->com), force));
}

static void store(double* to, hf_vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

/* Momentum: the force that would give these speeds as accelerations to the body at rest. */
static hf_status find_momentum(maker* m) {
    hf_status status =
        hf_inverse_dynamics(m->creature, &m->pose, NULL, m->speed, hf_v3(0, 0, 0), m->workspace, m->force);
    hf_vec3 linear = three(m->force);
    store(m->momentum, linear);
    store(m->momentum + 3, about_com(m, linear, three(m->force + 3)));
    if (status == HF_OK)
        status = hf_inverse_dynamics(m->creature, &m->pose, m->speed, m->rate, hf_v3(0, 0, -HF_GRAVITY_M_S2),
                                     m->workspace, m->force);
    hf_vec3 force = three(m->force);
    double mass = m->c->mass > 0 ? m->c->mass : 1;
    store(m->momentum + 6, hf_sub(hf_scale(force, 1 / mass), hf_v3(0, 0, HF_GRAVITY_M_S2)));
    store(m->wrench, force);
    store(m->wrench + 3, about_com(m, force, three(m->force + 3)));
    return status;
}

/* Takes a force at a point of a link from what the joints and the root must give. */
static void take_force(maker* m, int link, hf_vec3 point, hf_vec3 force) {
    int n = m->c->v_count;
    hf_point_jacobian(m->creature, m->links, link, point, 3, m->jacobian);
    for (int i = 0; i < n; i++)
        m->force[i] -=
            m->jacobian[i] * force.x + m->jacobian[n + i] * force.y + m->jacobian[2 * n + i] * force.z;
}

static int link_of(const maker* m, int limb) {
    const hf_limb* l = &m->c->limbs[limb];
    int frame = contact_of(m, limb)->hold.frame;
    return frame >= 0 ? l->contacts[frame].link : l->effector_link;
}

/* Does the limb carry what it holds, by its grip or by pressing it with another limb? */
static bool carries(const maker* m, int limb) {
    const hf_hold* h = &contact_of(m, limb)->hold;
    if (!is_on(m, limb) || h->object < 0 || !(hf_scene_object(m->scene, h->object).mass_kg > 0)) return false;
    if (h->grip) return m->c->limbs[limb].grip && hf_hold_takes_along(m->scene, h, h);
    for (int k = 0; k < m->c->limb_count; k++)
        if (is_on(m, k) && hf_hold_takes_along(m->scene, h, &contact_of(m, k)->hold)) return true;
    return false;
}

static hf_vec3 fixed_point(maker* m, double time_s, int link, hf_vec3 in_link) {
    hf_pose_spline_at(&m->spline, time_s, &m->other);
    hf_forward(m->creature, &m->other, m->other_links);
    return hf_apply(m->other_links[link], in_link);
}

/* The acceleration of a point of a link: the second difference of three moments of the curve. At the ends of
   the motion the middle moment is as far inside as the curve needs, since there is no curve beyond. */
static hf_vec3 fixed_point_acceleration(maker* m, int link, hf_vec3 in_link) {
    const hf_motion_frame *first = m->motion->frames, *last = first + m->motion->frame_count - 1;
    double step_s = fmin(LOAD_STEP_S, (last->time_s - first->time_s) / 2);
    if (!(step_s > 0)) return hf_v3(0, 0, 0);
    double middle_s = fmax(first->time_s + step_s, fmin(m->time_s, last->time_s - step_s));
    hf_vec3 before = fixed_point(m, middle_s - step_s, link, in_link);
    hf_vec3 middle = fixed_point(m, middle_s, link, in_link);
    hf_vec3 after = fixed_point(m, middle_s + step_s, link, in_link);
    return hf_scale(hf_sub(hf_add(before, after), hf_scale(middle, 2)), 1 / (step_s * step_s));
}

/* What carries an object, which is a point with a mass and goes along with the first of its limbs. */
typedef struct load {
    int first, grips;  /* the first limb; how many grip */
    hf_vec3 at, force; /* the middle; what all limbs together must give */
} load;

/* The load of an object that some limb carries. */
static load load_of(maker* m, int object) {
    load l = {.first = -1};
    for (int k = 0; k < m->c->limb_count; k++) {
        if (!carries(m, k) || contact_of(m, k)->hold.object != object) continue;
        if (l.first < 0) l.first = k;
        l.grips += contact_of(m, k)->hold.grip;
    }
    int link = link_of(m, l.first);
    l.at = hf_apply(hf_placement_pose(m->placement, object), hf_object_middle(m->scene, object));
    hf_vec3 acceleration = fixed_point_acceleration(m, link, hf_unapply(m->links[link], l.at));
    l.force = hf_scale(hf_add(acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)),
                       hf_scene_object(m->scene, object).mass_kg);
    return l;
}

/* The corners of a limb's contact where they are now, about a point. */
static void add_corners(maker* m, int limb, hf_vec3 about, double share, double weight) {
    const hf_track_contact* t = contact_of(m, limb);
    const hf_support* s = &t->support;
    if (m->corner_count + s->corner_count > HF_FORCE_CORNERS) return;
    hf_transform object = hf_track_object(m->placement, t->hold.object);
    m->first_corner[limb] = m->corner_count;
    for (int k = 0; k < s->corner_count; k++)
        m->corners[m->corner_count++] =
            (hf_force_corner){.arm = hf_sub(hf_apply(object, s->corners[k]), about),
                              .normal = hf_rotate(object.rotation, s->normal),
                              .friction = s->friction * share,
                              .grip = s->grip,
                              .most = s->max_force / s->corner_count / weight};
}

/* The forces that were found for these corners, about another point and in newtons; a limb that gives them to
   what it presses gets them back. */
static void use_forces(maker* m, int limb, hf_vec3 about, double weight, double sign) {
    for (int k = 0; k < contact_of(m, limb)->support.corner_count; k++) {
        hf_force_corner* c = &m->corners[m->first_corner[limb] + k];
        c->arm = hf_sub(hf_add(c->arm, about), m->com);
        c->force = hf_scale(c->force, weight);
        take_force(m, link_of(m, limb), hf_add(m->com, c->arm), hf_scale(c->force, sign));
    }
}

/* The least forces in the friction cones of the limbs that press the object. What these cannot give is
   missing from the root in the end, because the wrench has all of it. */
static void press(maker* m, int object, const load* l) {
    double weight = hf_scene_object(m->scene, object).mass_kg * HF_GRAVITY_M_S2, dual[6] = {0};
    double wrench[6] = {l->force.x / weight, l->force.y / weight, l->force.z / weight};
    int first = m->corner_count;
    for (int k = 0; k < m->c->limb_count; k++) // supports of presses lie inside eight edges already
        if (carries(m, k) && contact_of(m, k)->hold.object == object) add_corners(m, k, l->at, 1, weight);
    hf_contact_forces(m->corners + first, m->corner_count - first, wrench, dual);
    for (int k = 0; k < m->c->limb_count; k++)
        if (m->first_corner[k] >= first) use_forces(m, k, l->at, weight, -1);
}

/* Hands that grip an object share it evenly, whatever else pushes against it. */
static void add_loads(maker* m) {
    for (int first = 0; first < m->c->limb_count; first++) {
        if (!carries(m, first)) continue;
        int o = contact_of(m, first)->hold.object;
        load l = load_of(m, o);
        if (l.first != first) continue;
        store(m->wrench, hf_add(three(m->wrench), l.force));
        store(m->wrench + 3, hf_add(three(m->wrench + 3), hf_cross(hf_sub(l.at, m->com), l.force)));
        if (l.grips == 0) press(m, o, &l);
        for (int k = 0; k < m->c->limb_count && l.grips; k++)
            if (carries(m, k) && contact_of(m, k)->hold.object == o && contact_of(m, k)->hold.grip)
                take_force(m, link_of(m, k), l.at, hf_scale(l.force, -1.0 / l.grips));
    }
}

/* Contact forces, in N afterwards; what is left of the root's six numbers is missing. */
static void find_forces(maker* m) {
    double weight = (m->c->mass > 0 ? m->c->mass : 1) * HF_GRAVITY_M_S2, wrench[6];
    m->corner_count = 0;
    for (int l = 0; l < m->c->limb_count; l++) m->first_corner[l] = -1;
    add_loads(m);
    int first = m->corner_count; // of those that bear the body
    for (int l = 0; l < m->c->limb_count; l++)
        if (is_on(m, l) && !contact_of(m, l)->pushes) add_corners(m, l, m->com, INSIDE_EIGHT_EDGES, weight);
    for (int i = 0; i < 6; i++) wrench[i] = m->wrench[i] / weight;
    hf_contact_forces(m->corners + first, m->corner_count - first, wrench, m->dual);
    for (int l = 0; l < m->c->limb_count; l++)
        if (m->first_corner[l] >= first) use_forces(m, l, m->com, weight, 1);
    hf_vec3 missing = three(m->force), moment = about_com(m, missing, three(m->force + 3));
    store(m->force + 3, moment);
    hf_trajectory* t = m->table;
    t->missing_force_max = fmax(t->missing_force_max, hf_length(missing) / weight);
    t->missing_moment_max_m = fmax(t->missing_moment_max_m, hf_length(moment) / weight);
}

/* How far contacts that last are from where they are held between this frame and the next. */
static void measure_holds(maker* m) {
    if (m->at_frame) return;
    const hf_motion_frame* f = &m->motion->frames[m->frame];
    double u = (m->time_s - f->time_s) / (f[1].time_s - f->time_s);
    for (int l = 0; l < m->c->limb_count; l++) {
        const hf_track_contact *last = last_of(m, l), *t = contact_of(m, l);
        if (!is_on(m, l)) continue;
        hf_vec3 held = t->place;
        if (last->after == HF_TRACK_LASTS) held = hf_lerp(t->place, t[m->track.limb_count].place, u);
        hf_transform object = hf_track_object(m->placement, t->hold.object);
        double off = hf_distance(hf_apply(object, held), hf_track_place(&m->track, &t->hold, m->links));
        m->table->hold_error_max_m = fmax(m->table->hold_error_max_m, off);
    }
}

/* ---- rows ---- */

/* Frames meet rows up to rounding of their times. */
static void go_to(maker* m, double time_s, double step_s) {
    const hf_motion_frame* frames = m->motion->frames;
    while (m->frame + 1 < m->motion->frame_count && frames[m->frame + 1].time_s <= time_s + 1e-6 * step_s)
        m->frame++;
    m->at_frame =
        fabs(frames[m->frame].time_s - time_s) <= 1e-6 * step_s || m->frame + 1 == m->motion->frame_count;
    m->time_s = m->at_frame ? frames[m->frame].time_s : time_s;
}

static hf_status make_row(maker* m, double time_s, double step_s) {
    go_to(m, time_s, step_s);
    hf_pose_spline_rates(&m->spline, m->time_s, &m->pose, m->speed, m->rate);
    hf_forward(m->creature, &m->pose, m->links);
    m->com = hf_com(m->creature, m->links);
    if (m->placement) hf_motion_place_at(m->motion, m->time_s, m->placement);
    measure_holds(m);
    hf_status status = find_momentum(m);
    if (status == HF_OK && m->scene) find_forces(m);
    m->column = 0;
    if (status == HF_OK) put_row(m);
    return status;
}

static bool take_memory(maker* m) {
    hf_workspace* w = m->workspace;
    size_t v = (size_t)m->c->v_count, links = (size_t)m->c->link_count;
    m->pose.q = hf_workspace_take(w, (size_t)m->c->q_count + 1, sizeof(double));
    m->other.q = hf_workspace_take(w, (size_t)m->c->q_count + 1, sizeof(double));
    m->links = hf_workspace_take(w, links, sizeof(hf_transform));
    m->other_links = hf_workspace_take(w, links, sizeof(hf_transform));
    m->speed = hf_workspace_take(w, v, sizeof(double));
    m->rate = hf_workspace_take(w, v, sizeof(double));
    m->force = hf_workspace_take(w, v, sizeof(double));
    m->momentum = hf_workspace_take(w, 9, sizeof(double));
    m->jacobian = hf_workspace_take(w, 3 * v, sizeof(double));
    m->touches = hf_workspace_take(w, (size_t)m->c->limb_count + 1, sizeof(bool));
    return m->pose.q && m->other.q && m->links && m->other_links && m->speed && m->rate && m->force &&
           m->momentum && m->jacobian && m->touches;
}

static hf_status make_curve(maker* m) {
    const hf_motion* motion = m->motion;
    size_t count = (size_t)motion->frame_count;
    double* times = hf_workspace_take(m->workspace, count, sizeof(double));
    hf_pose* poses = hf_workspace_take(m->workspace, count, sizeof(hf_pose));
    if (!times || !poses || !take_memory(m)) return HF_ERROR_MEMORY;
    memset(m->touches, 0, sizeof(bool) * ((size_t)m->c->limb_count + 1));
    for (int i = 0; i < motion->frame_count; i++) {
        times[i] = motion->frames[i].time_s;
        poses[i] = (hf_pose){motion->frames[i].root, motion->frames[i].q};
        for (int l = 0; l < m->c->limb_count; l++)
            m->touches[l] |= m->track.contacts[(size_t)i * (size_t)m->track.limb_count + l].on;
    }
    return hf_pose_spline_through(m->creature, times, poses, motion->frame_count, m->workspace, &m->spline);
}

static hf_status make_rows(maker* m, const char* where, hf_error* error) {
    const hf_motion_frame *first = m->motion->frames, *last = first + m->motion->frame_count - 1;
    hf_trajectory* t = m->table;
    double step_s = 1 / t->rate, duration = last->time_s - first->time_s;
    double count = ceil(duration * t->rate - 1e-4) + 1;
    make_row(m, first->time_s, step_s); /* names the columns */
    if (m->failed) return hf_fail_memory(error, NULL);
    if (!(count * t->column_count <= MAX_NUMBERS))
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, where, "%g s at %g rows a second is too much",
                       duration, t->rate);
    t->values = hf_alloc((size_t)count * (size_t)t->column_count, sizeof(double));
    if (!t->values) return hf_fail_memory(error, NULL);
    for (int i = 0; i < (int)count; i++) {
        if (!hf_workspace_goes_on(m->workspace)) {
            t->outcome = HF_CANCELLED;
            return HF_OK;
        }
        m->row = t->values + (size_t)i * (size_t)t->column_count;
        hf_status status = make_row(m, fmin(first->time_s + i * step_s, last->time_s), step_s);
        if (status != HF_OK) return hf_fail_status(error, status, NULL);
        t->row_count = i + 1;
    }
    return HF_OK;
}

/* Frames a second of a motion, whose frames have equal distances; a single frame has the rate of files. */
static double own_rate(const hf_motion* motion) {
    const double usual = 30;
    double took = motion->frames[motion->frame_count - 1].time_s - motion->frames[0].time_s;
    return took > 0 ? (motion->frame_count - 1) / took : usual;
}

static hf_status refuse(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                        double rate, hf_error* error) {
    hf_status status = hf_motion_validate(motion, creature, scene, error);
    if (status != HF_OK) return status;
    if (motion->frame_count < 1)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "frames", "the motion has no frames");
    if (rate != 0 && !(rate >= 0.01 && rate <= 1000))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "rate",
                       "%g rows a second: 0.01 to 1000 are written", rate);
    for (int f = 1; f < motion->frame_count; f++)
        if (!(motion->frames[f].time_s > motion->frames[f - 1].time_s))
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, "frames",
                           "frame %d is not after the frame before it", f);
    return HF_OK;
}

static hf_status fill(maker* m, hf_error* error) {
    hf_status status = hf_contact_track_make(m->motion, m->creature, m->scene, &m->track, error);
    if (status != HF_OK) return status;
    if (m->scene) status = hf_placement_create(m->scene, &m->placement);
    if (status == HF_OK) status = make_curve(m);
    if (status != HF_OK) return hf_fail_status(error, status, NULL);
    return make_rows(m, "frames", error);
}

hf_trajectory_options hf_trajectory_options_default(void) { return (hf_trajectory_options){0}; }

hf_status hf_trajectory_make(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                             const hf_trajectory_options* options, hf_workspace* workspace,
                             hf_trajectory** trajectory, hf_error* error) {
    HF_REQUIRE(error, motion && creature && workspace && trajectory);
    *trajectory = NULL;
    hf_trajectory_options standard = hf_trajectory_options_default();
    if (!options) options = &standard;
    hf_status status = refuse(motion, creature, scene, options->rate, error);
    if (status != HF_OK) return status;
    hf_trajectory* t = hf_alloc(1, sizeof *t);
    if (!t) return hf_fail_memory(error, NULL);
    *t = (hf_trajectory){.outcome = HF_FOUND,
                         .rate = options->rate > 0 ? options->rate : own_rate(motion),
                         .quaternion = options->quaternion};
    if (!scene) t->missing_force_max = t->missing_moment_max_m = NAN;
    maker m = {.motion = motion,
               .creature = creature,
               .c = &creature->view,
               .scene = scene,
               .workspace = workspace,
               .table = t};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    status = fill(&m, error);
    hf_workspace_end(workspace, mark);
    hf_contact_track_free(&m.track);
    hf_placement_free(m.placement);
    if (status == HF_OK)
        *trajectory = t;
    else
        hf_trajectory_free(t);
    return status;
}

void hf_trajectory_free(hf_trajectory* t) {
    if (!t) return;
    for (int i = 0; i < t->column_count; i++) hf_free(t->names[i]);
    hf_free(t->names);
    hf_free(t->values);
    hf_free(t);
}
