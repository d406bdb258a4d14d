/* Time scaling by reachability: for each pose a region of (acceleration u, squared speed x) along the path,
   backwards which squared speeds still lead to the end, forwards the fastest of them. Between two poses u is
   constant, so that x changes by 2 step u; the limits of the pose that is reached hold for the u that leads
   to it, too. */
#include "refine/time_scaling.h"

#include "balance/stance.h"
#include "base/error.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/work.h"

#include <math.h>
#include <string.h>

/* No step of the path takes less time, s: one frame of the highest rate of a motion. */
static const double LEAST_STEP_S = 1e-3;
/* Sides of the polygon inside the disc of root accelerations: 2 % are given away. */
enum { DISC_SIDES = 16 };
static const double DISC_SHARE = 0.98078528040323043; /* cos(pi / 16) */
/* Corners of what a stance without halfspaces bears at a pose that are looked for, and when two are one, as a
   share of the box. */
enum { TRACED = 24 };
static const double SAME_CORNER = 1e-7;
/* A squared speed may be off by this share of what is allowed: rounding. */
static const double ROUNDING = 1e-9;
/* Of what is left to a halfspace that a margin may take: at rest, so that the margin never forbids a pose
   that contacts bear; where they bear it in motion alone, when the path is passed with s' = 1. */
static const double KEPT = 0.5;

/* Derivatives of the path at a pose by its parameter, as speeds and as accelerations for u = 0, x = 1. */
typedef struct derivatives {
    double *first, *second;
} derivatives;

static hf_pose pose_of(const hf_scaling_path* p, int i) {
    size_t n = (size_t)p->creature->view.q_count;
    return (hf_pose){p->roots[i], (double*)(uintptr_t)(p->q + (size_t)i * n)};
}

/* Beyond its ends the path stands still. */
static void derive(const hf_scaling_path* p, int i, derivatives d) {
    int n = p->creature->view.v_count;
    hf_pose before = pose_of(p, i > 0 ? i - 1 : i), here = pose_of(p, i),
            after = pose_of(p, i + 1 < p->count ? i + 1 : i);
    hf_pose_difference(p->creature, &before, &here, d.first);
    hf_pose_difference(p->creature, &here, &after, d.second);
    for (int k = 0; k < n; k++) {
        double in = d.first[k], out = d.second[k];
        d.first[k] = (in + out) / (2 * p->step);
        d.second[k] = (out - in) / (p->step * p->step);
    }
}

/* |first u + second x| <= limit. */
static void cut_both(hf_pace_region* r, double first, double second, double limit) {
    if (!isfinite(limit)) return;
    hf_pace_region_cut(r, first, second, limit);
    hf_pace_region_cut(r, -first, -second, limit);
}

static void cut_speed(hf_pace_region* r, double first, double limit) {
    if (first != 0 && isfinite(limit)) hf_pace_region_cut(r, 0, first * first, limit * limit);
}

/* |first u + second x| <= limit for vectors: a polygon inside the disc. */
static void cut_disc(hf_pace_region* r, hf_vec3 first, hf_vec3 second, double limit) {
    if (!isfinite(limit)) return;
    double a = hf_length(first);
    hf_vec3 along = a > 0 ? hf_scale(first, 1 / a) : hf_v3(0, 0, 0);
    double b = hf_dot(along, second);
    double c = hf_length(hf_sub(second, hf_scale(along, b)));
    for (int k = 0; k < DISC_SIDES; k++) {
        double angle = 2 * M_PI * k / DISC_SIDES, cosine = hf_cos(angle), sine = hf_sin(angle);
        hf_pace_region_cut(r, cosine * a, cosine * b + sine * c, limit * DISC_SHARE);
    }
}

static hf_vec3 three(const double* v) { return hf_v3(v[0], v[1], v[2]); }

static void cut_root(const hf_scaling_path* p, const hf_scaling_shares* s, derivatives d, hf_pace_region* r) {
    const hf_body_limits* l = &p->creature->view.limits;
    double turn_acceleration = l->root_acceleration * l->root_turn / l->root_speed;
    cut_speed(r, hf_length(three(d.first)), l->root_speed * s->speed);
    cut_speed(r, hf_length(three(d.first + 3)), l->root_turn * s->speed);
    cut_disc(r, three(d.first), three(d.second), l->root_acceleration * s->acceleration);
    cut_disc(r, three(d.first + 3), three(d.second + 3), turn_acceleration * s->acceleration);
}

/* Joints that follow another one have limits of their own. */
static void cut_joints(const hf_scaling_path* p, const hf_scaling_shares* s, derivatives d,
                       hf_pace_region* r) {
    const hf_creature_view* v = &p->creature->view;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint *joint = &v->joints[j], *leads = joint;
        double by = 1;
        while (leads->mimic >= 0) by *= leads->multiplier, leads = &v->joints[leads->mimic];
        for (int k = leads->v_index; k < leads->v_index + leads->v_count; k++) {
            cut_speed(r, by * d.first[k], joint->max_speed * s->speed);
            cut_both(r, by * d.first[k], by * d.second[k], joint->max_acceleration * s->acceleration);
        }
    }
}

/* The forces that a pose asks for at rest, for u = 1 and for x = 1. */
typedef struct demand {
    double *rest, *by_u, *by_x; /* generalised forces */
} demand;

static hf_status find_demand(const hf_scaling_path* p, int i, derivatives d, hf_workspace* w, demand* out) {
    hf_pose pose = pose_of(p, i);
    hf_vec3 none = hf_v3(0, 0, 0), gravity = hf_v3(0, 0, -HF_GRAVITY_M_S2);
    hf_status status = hf_inverse_dynamics(p->creature, &pose, NULL, NULL, gravity, w, out->rest);
    if (status == HF_OK) status = hf_inverse_dynamics(p->creature, &pose, NULL, d.first, none, w, out->by_u);
    if (status == HF_OK)
        status = hf_inverse_dynamics(p->creature, &pose, d.first, d.second, none, w, out->by_x);
    return status;
}

/* Does a limb that carries contact forces have this joint? */
static bool is_loaded(const hf_scaling_path* p, int i, int joint) {
    const hf_creature_view* v = &p->creature->view;
    for (int l = 0; p->held && l < v->limb_count; l++)
        for (int k = 0; p->held[i * v->limb_count + l] && k < v->limbs[l].joint_count; k++)
            if (v->limbs[l].joints[k] == joint) return true;
    return false;
}

static bool in_a_limb(const hf_creature_view* v, int joint) {
    for (int l = 0; l < v->limb_count; l++)
        for (int k = 0; k < v->limbs[l].joint_count; k++)
            if (v->limbs[l].joints[k] == joint) return true;
    return false;
}

/* Efforts of joints that no contact force passes through. Where standing still takes more than the limit, no
   timing helps, and the pose is counted. */
static void cut_efforts(const hf_scaling_path* p, const hf_scaling_shares* s, int i, const demand* f,
                        hf_pace_region* r, hf_scaling* info) {
    const hf_creature_view* v = &p->creature->view;
    bool heavy = false;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        double limit = joint->max_effort * s->effort;
        if (joint->v_count != 1 || !isfinite(limit) || !in_a_limb(v, j) || is_loaded(p, i, j)) continue;
        int k = joint->v_index;
        heavy |= fabs(f->rest[k]) > limit;
        if (fabs(f->rest[k]) > limit) continue;
        hf_pace_region_cut(r, f->by_u[k], f->by_x[k], limit - f->rest[k]);
        hf_pace_region_cut(r, -f->by_u[k], -f->by_x[k], limit + f->rest[k]);
    }
    info->effort_count += heavy;
}

/* ---- wrenches ---- */

/* A generalised force of the root as a wrench about the stance's reference, in body weights. */
static void wrench_of(const hf_stance* s, hf_vec3 root, const double* force, double out[HF_FORCE_ROWS]) {
    hf_vec3 f = hf_scale(three(force), 1 / s->weight), t = hf_scale(three(force + 3), 1 / s->weight);
    hf_vec3 moment = hf_add(t, hf_cross(hf_sub(root, s->reference), f));
    out[0] = f.x, out[1] = f.y, out[2] = f.z, out[3] = moment.x, out[4] = moment.y, out[5] = moment.z;
}

/* With halfspaces: each is a row. */
static bool cut_halfspaces(const hf_wrench_polytope* w, const double rest[6], const double by_u[6],
                           const double by_x[6], double margin_m, hf_pace_region* r) {
    bool stands = true;
    for (int i = 0; i < w->facet_count && r->count; i++) {
        double at = 0, u = 0, x = 0;
        for (int k = 0; k < HF_FORCE_ROWS; k++) {
            double a = w->facets[k * w->capacity + i];
            at += a * rest[k], u += a * by_u[k], x += a * by_x[k];
        }
        double slack = w->facets[HF_FORCE_ROWS * w->capacity + i] - at;
        stands &= slack >= -ROUNDING;
        hf_pace_region_cut(r, u, x, slack - fmin(margin_m, KEPT * fmax(0, slack > 0 ? slack : slack - x)));
    }
    return stands;
}

/* Without: u and x become columns of the force program, and the region is the hull of its farthest points,
   which lies inside of what is possible. */
typedef struct traced {
    hf_force_program* program;
    double *rows, *upper; /* the stance's with two more columns */
    int columns;
    double most_u, most_x;
} traced;

static bool farthest(traced* t, double nu, double nx, double* u, double* x) {
    t->program->cost[t->columns] = nu, t->program->cost[t->columns + 1] = nx;
    if (hf_force_maximise(t->program) != HF_FORCE_BEST) return false;
    *u = hf_force_value(t->program, t->columns) - 1;
    *x = hf_force_value(t->program, t->columns + 1);
    return true;
}

static bool set_up_trace(const hf_stance* s, const double rest[6], const double by_u[6], const double by_x[6],
                         traced* t) {
    hf_force_program* p = t->program;
    size_t all = (size_t)s->columns + HF_FORCE_LANES;
    p->rows = HF_FORCE_ROWS, p->columns = (int)all, t->columns = s->columns;
    for (int r = 0; r < HF_FORCE_ROWS; r++) {
        double* row = t->rows + (size_t)r * all;
        memcpy(row, s->rows[r], sizeof(double) * (size_t)s->columns);
        memset(row + s->columns, 0, sizeof(double) * HF_FORCE_LANES);
        // forces minus what u and x ask for is what rest asks for; u is counted from its least value
        row[s->columns] = -by_u[r] * t->most_u, row[s->columns + 1] = -by_x[r] * t->most_x;
        p->a[r] = row;
        p->b[r] = rest[r] - s->rest[r] - by_u[r] * t->most_u;
    }
    memcpy(t->upper, s->upper, sizeof(double) * (size_t)s->columns);
    memset(t->upper + s->columns, 0, sizeof(double) * HF_FORCE_LANES);
    t->upper[s->columns] = 2, t->upper[s->columns + 1] = 1;
    p->upper = t->upper;
    memset(p->cost, 0, sizeof(double) * all);
    return hf_force_start(p, 1e-9) == HF_FORCE_BEST;
}

/* Keeps of the region what is inside the hull of the traced corners. */
static void cut_hull(const hf_pace_region* hull, hf_pace_region* r) {
    for (int i = 0; i < hull->count; i++) {
        int n = (i + 1) % hull->count;
        double a = hull->x[n] - hull->x[i], b = hull->u[i] - hull->u[n];
        if (a != 0 || b != 0) hf_pace_region_cut(r, a, b, a * hull->u[i] + b * hull->x[i]);
    }
}

/* Puts a corner behind corner `at`, unless it is one of the two that it would stand between. */
static bool insert_corner(hf_pace_region* hull, int at, double u, double x) {
    int next = hull->count ? (at + 1) % hull->count : 0;
    for (int i = 0; hull->count && i < 2; i++) {
        int k = i ? next : at;
        if (fabs(hull->u[k] - u) + fabs(hull->x[k] - x) < SAME_CORNER) return false;
    }
    for (int i = hull->count; i > at + 1; i--) hull->u[i] = hull->u[i - 1], hull->x[i] = hull->x[i - 1];
    int place = hull->count ? at + 1 : 0;
    hull->u[place] = u, hull->x[place] = x;
    hull->count++;
    return true;
}

/* The corners of what the forces bear, in shares of the box: the farthest along four directions, then the
   farthest across each side, as for the region of a centre of mass (Bretl and Lall 2008). */
static void trace_forces(traced* t, hf_pace_region* r) {
    static const double first[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    hf_pace_region hull = {.count = 0};
    double u, x;
    for (int k = 0; k < 4; k++)
        if (farthest(t, first[k][0], first[k][1], &u, &x)) insert_corner(&hull, hull.count - 1, u, x);
    for (int i = 0, asked = 0; hull.count > 1 && hull.count < TRACED && asked < hull.count; asked++) {
        int n = (i + 1) % hull.count;
        double nu = hull.x[n] - hull.x[i], nx = hull.u[i] - hull.u[n], size = hf_hypot(nu, nx);
        bool beyond = size > 0 && farthest(t, nu / size, nx / size, &u, &x) &&
                      nu * (u - hull.u[i]) + nx * (x - hull.x[i]) > SAME_CORNER * size;
        if (beyond && insert_corner(&hull, i, u, x))
            asked = -1;
        else
            i = n;
    }
    for (int i = 0; i < hull.count; i++) hull.u[i] *= t->most_u, hull.x[i] *= t->most_x;
    if (hull.count < 3)
        r->count = 0;
    else
        cut_hull(&hull, r);
}

static hf_status cut_forces(const hf_stance* s, const double rest[6], const double by_u[6],
                            const double by_x[6], hf_workspace* w, hf_pace_region* r) {
    hf_workspace_mark mark = hf_workspace_begin(w);
    size_t all = (size_t)s->columns + HF_FORCE_LANES;
    traced t = {.program = hf_workspace_take(w, 1, sizeof *t.program),
                .rows = hf_workspace_take(w, HF_FORCE_ROWS * all, sizeof(double)),
                .upper = hf_workspace_take(w, all, sizeof(double))};
    double least, most;
    hf_status status = t.program && t.rows && t.upper ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) {
        hf_pace_region_span(r, 1, 0, &least, &most);
        t.most_u = fmax(fabs(least), fabs(most));
        hf_pace_region_span(r, 0, 1, &least, &t.most_x);
        if (set_up_trace(s, rest, by_u, by_x, &t))
            trace_forces(&t, r);
        else
            r->count = 0;
    }
    hf_workspace_end(w, mark);
    return status;
}

static hf_status cut_wrench(const hf_scaling_path* p, int i, const demand* f, hf_workspace* w,
                            hf_pace_region* r, hf_scaling* info) {
    const hf_stance* stance = p->stances ? p->stances[i] : NULL;
    if (!stance || !r->count) return HF_OK;
    double rest[HF_FORCE_ROWS], by_u[HF_FORCE_ROWS], by_x[HF_FORCE_ROWS];
    hf_vec3 root = p->roots[i].position;
    wrench_of(stance, root, f->rest, rest);
    wrench_of(stance, root, f->by_u, by_u);
    wrench_of(stance, root, f->by_x, by_x);
    // halfspaces in doubt are too few by a sliver: the share and the tests of frames cover it
    if (stance->polytope.known) {
        double margin_m = p->margin_m ? p->margin_m[i] : 0;
        info->static_count += !cut_halfspaces(&stance->polytope, rest, by_u, by_x, margin_m, r);
        return HF_OK;
    }
    return cut_forces(stance, rest, by_u, by_x, w, r);
}

/* ---- one pose ---- */

hf_status hf_scaling_region(const hf_scaling_path* path, const hf_scaling_shares* shares, int at,
                            hf_workspace* workspace, hf_pace_region* region, hf_scaling* info) {
    size_t n = (size_t)path->creature->view.v_count;
    double fastest = path->step / LEAST_STEP_S;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double* room = hf_workspace_take(workspace, 5 * n, sizeof *room);
    hf_status status = room ? HF_OK : HF_ERROR_MEMORY;
    *region = hf_pace_region_box(fastest * fastest / path->step, fastest * fastest);
    if (status == HF_OK) {
        derivatives d = {room, room + n};
        demand f = {room + 2 * n, room + 3 * n, room + 4 * n};
        derive(path, at, d);
        if (path->most_u) cut_both(region, 1, 0, path->most_u[at]);
        cut_root(path, shares, d, region);
        cut_joints(path, shares, d, region);
        status = find_demand(path, at, d, workspace, &f);
        if (status == HF_OK) cut_efforts(path, shares, at, &f, region, info);
        if (!region->count) info->block = HF_SCALING_LIMITS;
        if (status == HF_OK) status = cut_wrench(path, at, &f, workspace, region, info);
    }
    hf_workspace_end(workspace, mark);
    return status;
}

/* A region of squared speeds up to this for u = 0: limits with a smaller share of themselves in use than one
   over this say nothing. */
static const double MOST_FREE = 100;

/* How much of a family of limits the pose uses when it is passed with u = 0, x = 1. */
static double share_used(const hf_pace_region* r) {
    double least, most;
    hf_pace_region turned = {.count = r->count}; // its axes exchanged: x where u = 0
    memcpy(turned.u, r->x, sizeof turned.u);
    memcpy(turned.x, r->u, sizeof turned.x);
    return hf_pace_region_across(&turned, 0, &least, &most) && most > 0 ? 1 / most : INFINITY;
}

static hf_pace_region free_region(void) { return hf_pace_region_box(1, MOST_FREE); }

hf_status hf_scaling_bounds(const hf_scaling_path* path, int at, hf_workspace* workspace,
                            double used[HF_REFINE_LIMITS]) {
    size_t n = (size_t)path->creature->view.v_count;
    static const hf_scaling_shares speeds = {1, INFINITY, INFINITY}, rates = {INFINITY, 1, INFINITY},
                                   all = {1, 1, 1};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    double* room = hf_workspace_take(workspace, 5 * n, sizeof *room);
    hf_pace_region r[HF_REFINE_LIMITS];
    hf_scaling info = {0};
    hf_status status = room ? HF_OK : HF_ERROR_MEMORY;
    for (int i = 0; i < HF_REFINE_LIMITS; i++) r[i] = free_region();
    if (status == HF_OK) {
        derivatives d = {room, room + n};
        demand f = {room + 2 * n, room + 3 * n, room + 4 * n};
        derive(path, at, d);
        cut_joints(path, &speeds, d, &r[HF_REFINE_JOINT_SPEED]);
        cut_joints(path, &rates, d, &r[HF_REFINE_JOINT_ACCELERATION]);
        cut_root(path, &speeds, d, &r[HF_REFINE_ROOT_SPEED]);
        cut_root(path, &rates, d, &r[HF_REFINE_ROOT_ACCELERATION]);
        status = find_demand(path, at, d, workspace, &f);
        if (status == HF_OK) cut_efforts(path, &all, at, &f, &r[HF_REFINE_EFFORT], &info);
        if (status == HF_OK) status = cut_wrench(path, at, &f, workspace, &r[HF_REFINE_WRENCH], &info);
    }
    for (int i = 0; i < HF_REFINE_LIMITS; i++) used[i] = share_used(&r[i]);
    // limits of speeds are halfplanes of squared speeds
    used[HF_REFINE_JOINT_SPEED] = sqrt(used[HF_REFINE_JOINT_SPEED]);
    used[HF_REFINE_ROOT_SPEED] = sqrt(used[HF_REFINE_ROOT_SPEED]);
    hf_workspace_end(workspace, mark);
    return status;
}

/* ---- passes ---- */

/* What a pose allows together with the next one: the squared speed there lies in its span, and the next
   pose's limits hold for the acceleration that leads to it. */
static void join(const hf_scaling_path* p, hf_pace_region* here, const hf_pace_region* next, double least,
                 double most) {
    double two = 2 * p->step;
    hf_pace_region_cut(here, two, 1, most);
    hf_pace_region_cut(here, -two, -1, -least);
    for (int i = 0; i < next->count; i++) {
        int n = (i + 1) % next->count;
        double a = next->x[n] - next->x[i], b = next->u[i] - next->u[n];
        double size = hf_hypot(a, b);
        if (!(size > 0)) continue;
        a /= size, b /= size;
        hf_pace_region_cut(here, a + two * b, b, a * next->u[i] + b * next->x[i]);
    }
}

/* Keeps of a region the squared speeds between two. */
static void keep_span(hf_pace_region* r, double least, double most) {
    hf_pace_region_cut(r, 0, 1, most);
    hf_pace_region_cut(r, 0, -1, -least);
}

static void stop_at(hf_scaling* s, int at, hf_scaling_block why) {
    if (s->block == HF_SCALING_FREE || why == HF_SCALING_LIMITS) s->block = why;
    s->block_at = at;
}

/* Regions of all poses, each cut to what leads to the end. */
static hf_status pass_backward(const hf_scaling_path* p, const hf_scaling_shares* shares, hf_workspace* w,
                               hf_pace_region* regions, hf_scaling* out) {
    hf_status status = HF_OK;
    hf_pace_region next = {.count = 0};
    double least = 0, most = 0;
    for (int i = p->count - 1; i >= 0 && status == HF_OK; i--) {
        status = hf_scaling_region(p, shares, i, w, &regions[i], out);
        hf_spend(w, p->creature, HF_WORK_SAMPLE, 1);
        if (status != HF_OK) break;
        hf_pace_region alone = regions[i];
        if (!alone.count) {
            stop_at(out, i, HF_SCALING_WRENCH);
            return HF_OK;
        }
        if (i == p->count - 1 && !p->rests)
            keep_span(&regions[i], 0, 0);
        else if (i < p->count - 1)
            join(p, &regions[i], &next, least, most);
        if (!regions[i].count) {
            stop_at(out, i, HF_SCALING_UNREACHED);
            return HF_OK;
        }
        hf_pace_region_span(&regions[i], 0, 1, &least, &most);
        next = alone;
        if (!hf_workspace_goes_on_often(w)) {
            stop_at(out, i, HF_SCALING_UNREACHED);
            return HF_OK;
        }
    }
    return status;
}

/* From rest, as fast as the regions allow. */
static void pass_forward(const hf_scaling_path* p, const hf_pace_region* regions, hf_scaling* out) {
    double x = p->rests ? INFINITY : 0;
    out->time_s[0] = 0;
    for (int i = 0; i < p->count; i++) {
        double least, most, low, high;
        hf_pace_region_span(&regions[i], 0, 1, &low, &high);
        if (x < low - ROUNDING * fmax(1, high)) {
            stop_at(out, i, HF_SCALING_UNREACHED);
            return;
        }
        x = fmin(high, fmax(low, x));
        out->speed[i] = sqrt(x);
        if (i + 1 == p->count) break;
        if (!hf_pace_region_across(&regions[i], x, &least, &most)) {
            stop_at(out, i, HF_SCALING_UNREACHED);
            return;
        }
        x = fmax(0, x + 2 * p->step * most);
    }
}

/* Constant acceleration in each step: its time is the step over the mean speed. */
static void add_up(const hf_scaling_path* p, hf_scaling* out) {
    for (int i = 1; i < p->count; i++) {
        double sum = out->speed[i - 1] + out->speed[i];
        out->time_s[i] = out->time_s[i - 1] + 2 * p->step / sum;
        if (!(sum > 0)) {
            stop_at(out, i, HF_SCALING_UNREACHED);
            return;
        }
    }
    out->duration_s = out->time_s[p->count - 1];
}

hf_status hf_scaling_find(const hf_scaling_path* path, const hf_scaling_shares* shares,
                          hf_workspace* workspace, hf_scaling* s) {
    s->duration_s = 0;
    s->block = HF_SCALING_FREE;
    s->block_at = -1;
    s->static_count = s->effort_count = 0;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_pace_region* regions = hf_workspace_take(workspace, (size_t)path->count, sizeof *regions);
    hf_status status = regions ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) status = pass_backward(path, shares, workspace, regions, s);
    if (status == HF_OK && s->block == HF_SCALING_FREE) pass_forward(path, regions, s);
    if (status == HF_OK && s->block == HF_SCALING_FREE) add_up(path, s);
    hf_workspace_end(workspace, mark);
    return status;
}
