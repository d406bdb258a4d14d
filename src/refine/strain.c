/* Joint torques with contact forces: a torque is what the motion asks of a joint less what contact forces
   take off it. Whether forces exist that give the wrench and keep every joint within a share of its limit is
   one linear program: the six rows of the wrench, and a row for each joint; what each row may be off by is a
   column of its own. */
#include "refine/strain.h"

#include "balance/stance.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "refine/work.h"

#include <math.h>
#include <string.h>

/* Time between two frames that are judged, s: in a thirtieth of a second torques change by a fifteenth. */
static const double JUDGED_S = 1.0 / 120;
/* What may be missing in each row of a wrench, body weights and body weights times metres: next to nothing,
   as a hundredth of the weight at a metre is half of what a wrist bears; where there are no such forces, what
   a check counts as nothing. */
static const double MISSING[] = {5e-4, 0.01};
enum { MISSINGS = sizeof MISSING / sizeof *MISSING };
static const double ROUNDING = 1e-6; /* of all rows together, body weights and shares of effort limits */
/* The peak is found to this share of an effort limit, and is no less than that one. */
static const double PEAK_STEP = 0.005, LEAST = 0.05;
/* A share of effort limits at which a frame that is not borne is left to other tests: it has no forces. */
static const double FORCELESS = 64;
enum { EDGES = 8 }; /* of friction cones: the more, the nearer to what the surfaces give */
enum { ENDS = 2 };  /* frames at either end that are not judged, as a check does not */

typedef struct strain_frame {
    const hf_strain* of;
    int support_count, row_count;
    int links[HF_STANCE_SUPPORTS]; /* that the contacts belong to: toes have joints beyond the foot's */
    hf_support supports[HF_STANCE_SUPPORTS];
    hf_stance* stance;
    hf_force_program* program;
    hf_transform* at;                        /* of all links */
    double *force, *jacobian, *rows, *upper; /* rows: HF_FORCE_MOST_ROWS of HF_FORCE_COLUMNS */
} strain_frame;

/* ---- what the frame asks for ---- */

static hf_status find_forces(const hf_strain* s, int frame, double* room, double* force) {
    const hf_motion_frame* f = &s->motion->frames[frame];
    hf_pose before = {f[-1].root, f[-1].q}, here = {f->root, f->q}, after = {f[1].root, f[1].q};
    int n = s->creature->view.v_count;
    double *speed = room, *acceleration = room + n, rate = s->schedule->rate;
    hf_pose_difference(s->creature, &before, &here, speed);
    hf_pose_difference(s->creature, &here, &after, acceleration);
    for (int i = 0; i < n; i++) {
        double in = speed[i], out = acceleration[i];
        speed[i] = (in + out) * rate / 2;
        acceleration[i] = (out - in) * rate * rate;
    }
    return hf_inverse_dynamics(s->creature, &here, speed, acceleration, hf_v3(0, 0, -HF_GRAVITY_M_S2),
                               s->workspace, force);
}

static bool find_supports(strain_frame* f, double time_s) {
    const hf_schedule* s = f->of->schedule;
    double half_s = 0.5 / s->rate;
    for (int i = 0; i < s->hold_count; i++) {
        if (s->holds[i].from_s > time_s + half_s || s->holds[i].to_s < time_s - half_s) continue;
        if (f->support_count == HF_STANCE_SUPPORTS) return false;
        const hf_hold* hold = &f->of->held[i].world;
        f->links[f->support_count] = f->of->creature->view.limbs[hold->limb].contacts[hold->frame].link;
        f->supports[f->support_count] = f->of->held[i].support;
        f->supports[f->support_count++].friction /= HF_FRICTION_SHARE;
    }
    return f->support_count > 0;
}

/* ---- the program ---- */

static double* row_of(const strain_frame* f, int row) { return f->rows + (size_t)row * HF_FORCE_COLUMNS; }

static void add_wrench(strain_frame* f, hf_vec3 root, double missing) {
    const hf_stance* s = f->stance;
    hf_vec3 force = hf_scale(hf_v3(f->force[0], f->force[1], f->force[2]), 1 / s->weight);
    hf_vec3 moment = hf_scale(hf_v3(f->force[3], f->force[4], f->force[5]), 1 / s->weight);
    moment = hf_add(moment, hf_cross(hf_sub(root, s->reference), force));
    const double wrench[HF_FORCE_ROWS] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (; f->row_count < HF_FORCE_ROWS; f->row_count++) {
        int r = f->row_count;
        memset(row_of(f, r), 0, sizeof(double) * HF_FORCE_COLUMNS);
        memcpy(row_of(f, r), s->rows[r], sizeof(double) * (size_t)s->used);
        row_of(f, r)[s->used + r] = 1, f->upper[s->used + r] = 2 * missing;
        f->program->b[r] = wrench[r] - s->rest[r] + missing;
    }
}

static int edges_of(const hf_stance* s, int support) {
    const hf_support* p = &s->supports[support];
    return p->grip ? 4 : p->friction > 0 ? s->cone_edges : 1;
}

/* The row of a joint: what each column takes off its torque, in shares of its limit; adds to `own` what the
   middles of grips take off, which columns count from their least force. True: contact forces change it. */
static bool push_joint(const strain_frame* f, const hf_joint* joint, double* row, double* own) {
    const hf_stance* s = f->stance;
    int n = f->of->creature->view.v_count;
    const double* j = f->jacobian;
    double per = s->weight / joint->max_effort;
    bool any = false;
    for (int i = 0, column = 0; i < s->support_count; i++)
        for (int c = 0; c < s->supports[i].corner_count; c++, j += 3 * n)
            for (int e = 0; e < edges_of(s, i); e++, column++) {
                double push = 0;
                for (int k = 0; k < 3; k++) push += j[k * n + joint->v_index] * s->rows[k][column];
                row[column] = push * per;
                any |= push != 0;
                if (s->supports[i].grip) *own += row[column] * s->upper[column] / 2;
            }
    return any;
}

/* Jacobians of all corners, one after the other. */
static void find_jacobians(strain_frame* f) {
    const hf_creature* c = f->of->creature;
    double* j = f->jacobian;
    for (int i = 0; i < f->support_count; i++)
        for (int k = 0; k < f->supports[i].corner_count; k++, j += 3 * c->view.v_count)
            hf_point_jacobian(c, f->at, f->links[i], f->supports[i].corners[k], 3, j);
}

/* One row for each joint that contact forces load. False: a joint that none loads is over its share. */
static bool add_joints(strain_frame* f, double share, bool* fits) {
    const hf_creature_view* v = &f->of->creature->view;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        if (joint->v_count != 1 || joint->mimic >= 0 || !isfinite(joint->max_effort) ||
            !(joint->max_effort > 0))
            continue;
        int column = f->stance->used + f->row_count;
        *fits = f->row_count < HF_FORCE_MOST_ROWS && column + HF_FORCE_LANES < HF_FORCE_COLUMNS;
        if (!*fits) return true;
        double *row = row_of(f, f->row_count), own = f->force[joint->v_index] / joint->max_effort;
        memset(row, 0, sizeof(double) * HF_FORCE_COLUMNS);
        if (!push_joint(f, joint, row, &own)) {
            if (fabs(own) > share + ROUNDING) return false;
            continue;
        }
        row[column] = 1, f->upper[column] = 2 * share;
        f->program->b[f->row_count++] = own + share;
    }
    return true;
}

/* Do the forces of a program of the wrench alone keep every joint within its share? */
static bool are_easy(const strain_frame* f) {
    const hf_force_program* p = f->program;
    for (int r = HF_FORCE_ROWS; r < f->row_count; r++) {
        double left = p->b[r];
        for (int c = 0; c < f->stance->used; c++) left -= row_of(f, r)[c] * hf_force_value(p, c);
        if (left < 0 || left > f->upper[f->stance->used + r]) return false;
    }
    return true;
}

/* Of one number of a program in one pivot, microseconds. */
static const double PIVOT_WORK = 3e-3;

static void spend_pivots(const strain_frame* f) {
    const hf_force_program* p = f->program;
    hf_workspace_spend(f->of->workspace, PIVOT_WORK * p->pivots * p->rows * p->columns);
}

/* Mostly any forces will do, and they are found several times as fast. *any: some give the wrench, whatever
   the joints take. */
static bool has_forces(strain_frame* f, bool* any) {
    hf_force_program* p = f->program;
    int used = f->stance->used + f->row_count;
    p->columns = (used + HF_FORCE_LANES - 1) / HF_FORCE_LANES * HF_FORCE_LANES;
    for (int c = used; c < p->columns; c++) f->upper[c] = 0;
    for (int r = 0; r < f->row_count; r++) p->a[r] = row_of(f, r);
    p->upper = f->upper;
    p->rows = HF_FORCE_ROWS;
    hf_force_end end = hf_force_start(p, ROUNDING);
    spend_pivots(f);
    *any = end != HF_FORCE_INFEASIBLE;
    if (!*any) return false;
    if (end == HF_FORCE_BEST && are_easy(f)) return true;
    p->rows = f->row_count;
    end = hf_force_start(p, ROUNDING);
    spend_pivots(f);
    return end != HF_FORCE_INFEASIBLE;
}

/* ---- one frame ---- */

static hf_status judge(strain_frame* f, int frame, double share, bool* bears) {
    const hf_strain* s = f->of;
    const hf_motion_frame* at = &s->motion->frames[frame];
    hf_pose pose = {at->root, at->q};
    hf_status status = find_forces(s, frame, f->jacobian, f->force);
    hf_stance_options o = hf_stance_options_default();
    o.cone_edges = EDGES;
    f->stance->polytope = (hf_wrench_polytope){0};
    if (status == HF_OK)
        status = hf_stance_build(f->stance, f->supports, f->support_count, s->creature->view.mass, &o,
                                 s->workspace);
    if (status != HF_OK) return status;
    hf_forward(s->creature, &pose, f->at);
    find_jacobians(f);
    bool any = false;
    for (int i = 0; i < MISSINGS && !any; i++) {
        bool fits = true;
        f->row_count = 0;
        memcpy(f->upper, f->stance->upper, sizeof(double) * (size_t)f->stance->used);
        add_wrench(f, pose.root.position, MISSING[i]);
        *bears = add_joints(f, share, &fits);
        any = !*bears || !fits;
        if (!any) *bears = has_forces(f, &any);
    }
    return HF_OK;
}

hf_status hf_strain_bears(const hf_strain* s, int frame, double share, bool* bears) {
    hf_workspace* w = s->workspace;
    const hf_creature_view* v = &s->creature->view;
    strain_frame f = {.of = s};
    *bears = true;
    if (frame < ENDS || frame + ENDS >= s->motion->frame_count) return HF_OK;
    if (!find_supports(&f, s->motion->frames[frame].time_s)) return HF_OK;
    size_t corners = 1;
    for (int i = 0; i < f.support_count; i++) corners += (size_t)f.supports[i].corner_count;
    hf_spend(w, s->creature, HF_WORK_STRAIN, 1);
    hf_workspace_mark mark = hf_workspace_begin(w);
    f.stance = hf_workspace_take(w, 1, sizeof *f.stance);
    f.program = hf_workspace_take(w, 1, sizeof *f.program);
    f.at = hf_workspace_take(w, (size_t)v->link_count, sizeof *f.at);
    f.force = hf_workspace_take(w, (size_t)v->v_count, sizeof(double));
    f.jacobian = hf_workspace_take(w, 3 * corners * (size_t)v->v_count, sizeof(double));
    f.rows = hf_workspace_take(w, HF_FORCE_MOST_ROWS * HF_FORCE_COLUMNS, sizeof(double));
    f.upper = hf_workspace_take(w, HF_FORCE_COLUMNS, sizeof(double));
    bool there = f.stance && f.program && f.at && f.force && f.jacobian && f.rows && f.upper;
    hf_status status = there ? judge(&f, frame, share, bears) : HF_ERROR_MEMORY;
    hf_workspace_end(w, mark);
    return status;
}

int hf_strain_next(const hf_strain* s, int frame) {
    return frame + (int)fmax(1, floor(s->schedule->rate * JUDGED_S));
}

/* The least share with which a frame is borne, no less than `low`; `low` for a frame without forces. */
static hf_status frame_peak(const hf_strain* s, int frame, double low, double* share) {
    bool bears = false;
    double high = low;
    *share = low;
    hf_status status = hf_strain_bears(s, frame, high, &bears);
    if (bears) return status;
    for (; status == HF_OK && !bears && high < FORCELESS; low = high / 2)
        status = hf_strain_bears(s, frame, high *= 2, &bears);
    if (!bears) return status;
    while (status == HF_OK && high - low > PEAK_STEP) {
        double middle = (low + high) / 2;
        status = hf_strain_bears(s, frame, middle, &bears);
        *(bears ? &high : &low) = middle;
    }
    *share = high;
    return status;
}

hf_status hf_strain_peak(const hf_strain* s, double* share) {
    hf_status status = HF_OK;
    *share = LEAST;
    for (int i = 0; i < s->motion->frame_count && status == HF_OK && hf_workspace_goes_on(s->workspace);
         i = hf_strain_next(s, i))
        status = frame_peak(s, i, *share, share);
    return status;
}
