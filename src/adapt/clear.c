/* Clearing frames (adapt/clear.h): sequential quadratic programs over the frames of a window.

   With d the difference of a frame's pose from the given one (without its chatter), a window minimises
       sum |d_f|^2 + (T rate)^4 |d_(f-1) - 2 d_f + d_(f+1)|^2
   while limbs stay on their holds, joints inside limits, ranges of motion and speeds, and overlapping bodies
   go in front of planes that part them (cuts.c). Each step is linear: conditions that bear are rows of great
   weight; one begins to bear when a step would break it, and ends when it pulls instead of pushing (the
   active set method of J. Nocedal, S. Wright: Numerical Optimization, 2006, chapter 16.5, one change a step).
   The normal equations couple a frame with the two before it: one banded factor a step. */
#include "adapt/clear.h"

#include "adapt/cuts.h"
#include "base/band.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "model/tolerance.h"
#include "schedule/held.h"

#include <holdfast/balance.h>
#include <holdfast/rom.h>

#include <limits.h>
#include <math.h>
#include <string.h>

/* Time over which a change comes and goes, s. */
static const double SMOOTH_S = 0.08;
/* Chatter of the given frames that is quicker than this is left out of what frames stay near to, s. */
static const double CALM_S = 0.02;
/* Frames before and after the faults that may change, s; the second is tried where the first is not enough.
 */
static const double AROUND_S[] = {0.25, 0.6};
enum { TRIES = sizeof AROUND_S / sizeof *AROUND_S };
/* Longest time of a window, s: the rest of a longer row of faults is the next one's. */
static const double LONGEST_S = 2;
/* Times that a window is judged, and steps between two of them. */
enum { ROUNDS = 10, STEPS = 4 };
/* Weights beside that of a radian's change: of the root's 1 m and 1 rad, and of conditions, per m or rad. */
static const double ROOT = 4, HELD = 1e8, BEARS = 1e7;
/* By which bodies are apart beyond what the realiser allows, m; planes are not quite where bodies are. */
static const double MARGIN_M = 8e-4;
/* Times the least margin of balance that frames out of balance go for. */
static const double BALANCE = 1.3;
/* Share of the speed limits that frames use. */
static const double SPEED_SHARE = 0.985;
/* Longest step, rad or m. */
static const double LONGEST = 0.15;
enum { MAX_ROW = 12, MAX_TOUCHES = 64, MAX_COLUMNS = 256 };

/* A range of motion that bears in a frame: joints stay below `most` along u. */
typedef struct range {
    bool active;
    double u[3], most;
} range;

typedef struct window {
    const hf_clear_job* job;
    const hf_creature_view* view;
    int first, count; /* the frames that may change */
    int columns;
    int* column_of;         /* speed index of each column */
    const hf_joint** joint; /* of each column, NULL: the root's */
    hf_transform *near_root, *roots, *best_roots;
    double *near_q, *q, *best_q;
    double* change;       /* count x columns: d */
    double *right, *step; /* count x columns */
    signed char* bound;   /* count x columns: at its lower or upper limit */
    signed char* fast;    /* (count + 1) x columns: too fast since the frame before */
    range* ranges;        /* count x rom_count */
    hf_held* held;        /* of each hold of the schedule */
    hf_cuts cuts;
    hf_band band;
    hf_transform* links;
    double *jacobian, *other, *v;
    hf_stance* stance;
    hf_realise_result judged;
    int slides;                         /* of the faults */
    int faults, best_faults, best_real; /* real: without slides, of which no number is worth one more */
} window;

static double* row_of(const window* w, double* rows, int f) { return rows + (size_t)f * (size_t)w->columns; }
static double* q_of(const window* w, double* q, int f) { return q + (size_t)f * (size_t)w->view->q_count; }
static hf_pose pose_of(const window* w, int f) { return (hf_pose){w->roots[f], q_of(w, w->q, f)}; }

static int frame_of(const hf_schedule* s, double time_s) { return (int)floor(time_s * s->rate + 0.5); }

/* ---- rows ---- */

/* One condition: sum of coefficients times steps is `target`. */
static void add_row(window* w, int n, const int* at, const double* coefficient, double target,
                    double weight) {
    for (int a = 0; a < n; a++) {
        w->right[at[a]] += weight * coefficient[a] * target;
        for (int b = 0; b < n; b++)
            if (at[b] <= at[a])
                *hf_band_at(&w->band, at[a], at[b]) += weight * coefficient[a] * coefficient[b];
    }
}

/* A row over all speeds of one frame. */
static void add_frame_row(window* w, int f, const double* row, double target, double weight) {
    int used[MAX_COLUMNS], n = 0, base = f * w->columns;
    for (int a = 0; a < w->columns; a++)
        if (row[w->column_of[a]] != 0) used[n++] = a;
    for (int a = 0; a < n; a++) {
        double x = weight * row[w->column_of[used[a]]];
        w->right[base + used[a]] += x * target;
        for (int b = 0; b <= a; b++)
            *hf_band_at(&w->band, base + used[a], base + used[b]) += x * row[w->column_of[used[b]]];
    }
}

/* How far a row goes with the step. */
static double row_step(const window* w, int f, const double* row) {
    const double* step = row_of(w, w->step, f);
    double sum = 0;
    for (int a = 0; a < w->columns; a++) sum += row[w->column_of[a]] * step[a];
    return sum;
}

/* ---- what is wished ---- */

static double weight_of(int column) { return column < 6 ? ROOT : 1; }

/* Little change, and a smooth one; before and after the window nothing changes. Frames beyond the motion are
   not there. */
static void add_wishes(window* w) {
    double smooth = SMOOTH_S * w->job->schedule->rate;
    smooth *= smooth, smooth *= smooth;
    int last = w->job->schedule->knot_count - 1;
    for (int a = 0; a < w->columns; a++) {
        double weight = weight_of(a);
        for (int f = 0; f < w->count; f++) {
            int at = f * w->columns + a;
            double one = 1;
            add_row(w, 1, &at, &one, -w->change[at], weight);
        }
        for (int f = -1; f <= w->count; f++) {
            if (w->first + f - 1 < 0 || w->first + f + 1 > last) continue;
            static const double stencil[3] = {1, -2, 1};
            int at[3], n = 0;
            double coefficient[3], is = 0;
            for (int k = 0; k < 3; k++) {
                int g = f + k - 1;
                if (g < 0 || g >= w->count) continue;
                at[n] = g * w->columns + a, coefficient[n++] = stencil[k];
                is += stencil[k] * w->change[g * w->columns + a];
            }
            add_row(w, n, at, coefficient, -is, smooth * weight);
        }
    }
}

/* ---- conditions of one frame ---- */

static bool lasts(const window* w, int hold, int f) {
    const hf_schedule* s = w->job->schedule;
    int frame = w->first + f;
    return frame_of(s, s->holds[hold].from_s) <= frame && frame_of(s, s->holds[hold].to_s) >= frame;
}

static void add_held(window* w, int f) {
    const hf_schedule* s = w->job->schedule;
    int n = w->view->v_count;
    for (int i = 0; i < s->hold_count; i++) {
        if (!lasts(w, i, f)) continue;
        const hf_held* h = &w->held[i];
        const hf_contact_frame* c = &w->view->limbs[h->world.limb].contacts[h->world.frame];
        hf_vec3 at = hf_apply(w->links[c->link], c->offset), off = hf_sub(h->anchor.point, at);
        const double e[3] = {off.x, off.y, off.z};
        hf_point_jacobian(w->job->creature, w->links, c->link, at, 6, w->jacobian);
        for (int k = 0; k < 3; k++) add_frame_row(w, f, w->jacobian + k * n, e[k], HELD);
        if (!h->anchor.flat) continue;
        hf_vec3 turn = hf_quat_log(hf_quat_mul(h->anchor.rotation, hf_quat_conj(w->links[c->link].rotation)));
        const double r[3] = {turn.x, turn.y, turn.z};
        for (int k = 0; k < 3; k++) add_frame_row(w, f, w->jacobian + (3 + k) * n, r[k], HELD);
    }
}

/* The row of a cut, and how far its bodies are short of being apart. */
static double cut_row(window* w, const hf_cut* c) {
    int n = w->view->v_count;
    bool com = c->link == HF_CUT_COM;
    hf_vec3 d = c->normal, other = c->other;
    hf_vec3 at = com ? hf_com(w->job->creature, w->links) : hf_apply(w->links[c->link], c->at);
    if (com)
        hf_com_jacobian(w->job->creature, w->links, w->jacobian);
    else
        hf_point_jacobian(w->job->creature, w->links, c->link, at, 3, w->jacobian);
    if (c->against >= 0) {
        other = hf_apply(w->links[c->against], c->other);
        hf_point_jacobian(w->job->creature, w->links, c->against, other, 3, w->other);
        for (int i = 0; i < 3 * n; i++) w->jacobian[i] -= w->other[i];
    }
    for (int k = 0; k < n; k++)
        w->v[k] = d.x * w->jacobian[k] + d.y * w->jacobian[n + k] + d.z * w->jacobian[2 * n + k];
    return c->least - hf_dot(d, hf_sub(at, other));
}

static void add_cuts(window* w, int f) {
    for (int i = 0; i < w->cuts.count; i++) {
        hf_cut* c = &w->cuts.items[i];
        if (c->frame != f) continue;
        double target = cut_row(w, c);
        c->active |= target > 0;
        if (c->active) add_frame_row(w, f, w->v, target, BEARS);
    }
}

static void add_limits(window* w, int f) {
    const double* q = q_of(w, w->q, f);
    double one = 1;
    for (int a = 6; a < w->columns; a++) {
        int at = f * w->columns + a, side = w->bound[at];
        const hf_joint* j = w->joint[a];
        if (side) add_row(w, 1, &at, &one, (side > 0 ? j->upper : j->lower) - q[j->q_index], BEARS);
    }
}

/* Columns of a range's joints in a frame. */
static int range_columns(const window* w, int rom, int f, int* at) {
    const hf_rom* r = &w->view->roms[rom];
    for (int k = 0; k < r->joint_count && k < 3; k++) {
        at[k] = -1;
        for (int a = 6; a < w->columns; a++)
            if (w->joint[a] == &w->view->joints[r->joints[k]]) at[k] = f * w->columns + a;
        if (at[k] < 0) return 0;
    }
    return r->joint_count < 3 ? r->joint_count : 3;
}

static double range_now(const window* w, const range* r, int rom, int f) {
    const hf_rom* g = &w->view->roms[rom];
    double is = 0;
    for (int k = 0; k < g->joint_count && k < 3; k++)
        is += r->u[k] * q_of(w, w->q, f)[w->view->joints[g->joints[k]].q_index];
    return is;
}

static void add_ranges(window* w, int f) {
    for (int i = 0; i < w->view->rom_count; i++) {
        const range* r = &w->ranges[f * w->view->rom_count + i];
        int at[3], n = r->active ? range_columns(w, i, f, at) : 0;
        if (n) add_row(w, n, at, r->u, r->most - range_now(w, r, i, f), BEARS);
    }
}

/* ---- speeds ---- */

static hf_pose any_pose(const window* w, int f) {
    if (f >= 0 && f < w->count) return pose_of(w, f);
    const hf_knot* k = &w->job->schedule->knots[w->first + f];
    return (hf_pose){k->root, k->q};
}

/* The same of the poses that frames are to stay near. */
static hf_pose near_pose(const window* w, int f) {
    if (f >= 0 && f < w->count) return (hf_pose){w->near_root[f], q_of(w, w->near_q, f)};
    return any_pose(w, f);
}

static bool is_there(const window* w, int f) {
    return w->first + f >= 0 && w->first + f < w->job->schedule->knot_count;
}

/* The row of a move from the frame before to f: entries of both that may change. */
static int move_row(const window* w, int f, int column, int n, const double* u, int* at,
                    double* coefficient) {
    int count = 0;
    for (int side = -1; side <= 0; side++) {
        int g = f + side;
        if (g < 0 || g >= w->count) continue;
        for (int k = 0; k < n; k++) {
            at[count] = g * w->columns + column + k;
            coefficient[count++] = side < 0 ? -u[k] : u[k];
        }
    }
    return count;
}

/* The move of a part of the pose (root's place, root's turn, one joint) since the frame before: its length as
   it is, its direction, and the longest that is allowed. */
static double move_of(window* w, int f, int column, double* u, double* most) {
    hf_pose a = any_pose(w, f - 1), b = any_pose(w, f);
    double rate = w->job->schedule->rate;
    if (column >= 6) {
        const hf_joint* j = w->joint[column];
        double d = b.q[j->q_index] - a.q[j->q_index];
        u[0] = d < 0 ? -1 : 1, *most = SPEED_SHARE * j->max_speed / rate;
        return fabs(d);
    }
    hf_vec3 d = column == 0 ? hf_sub(b.root.position, a.root.position)
                            : hf_quat_log(hf_quat_mul(b.root.rotation, hf_quat_conj(a.root.rotation)));
    double length = hf_length(d);
    hf_vec3 way = length > 0 ? hf_scale(d, 1 / length) : hf_v3(1, 0, 0);
    u[0] = way.x, u[1] = way.y, u[2] = way.z;
    *most = SPEED_SHARE * (column == 0 ? w->view->limits.root_speed : w->view->limits.root_turn) / rate;
    return length;
}

static bool is_move(int column) { return column == 0 || column == 3 || column >= 6; }

static void add_speeds(window* w) {
    for (int f = 0; f <= w->count; f++) {
        if (!is_there(w, f - 1) || !is_there(w, f)) continue;
        for (int a = 0; a < w->columns; a++) {
            if (!is_move(a)) continue;
            double u[3], most, length = move_of(w, f, a, u, &most), coefficient[MAX_ROW];
            signed char* fast = &w->fast[f * w->columns + a];
            int at[MAX_ROW], n = move_row(w, f, a, a < 6 ? 3 : 1, u, at, coefficient);
            if (length > most) *fast = 1;
            if (*fast) add_row(w, n, at, coefficient, most - length, BEARS);
        }
    }
}

/* ---- a step ---- */

static void fill(window* w) {
    size_t all = (size_t)w->count * (size_t)w->columns;
    memset(w->band.values, 0, sizeof *w->band.values * all * (size_t)(w->band.width + 1));
    memset(w->right, 0, sizeof *w->right * all);
    add_wishes(w);
    for (int f = 0; f < w->count; f++) {
        hf_pose pose = pose_of(w, f);
        hf_forward(w->job->creature, &pose, w->links);
        add_held(w, f);
        add_cuts(w, f);
        add_limits(w, f);
        add_ranges(w, f);
    }
    add_speeds(w);
}

/* Conditions that pull end to bear. The links are those before the step. */
static void release(window* w) {
    for (int f = 0; f < w->count; f++) {
        hf_pose pose = pose_of(w, f);
        bool forward = false;
        for (int i = 0; i < w->cuts.count; i++) {
            hf_cut* c = &w->cuts.items[i];
            if (c->frame != f || !c->active) continue;
            if (!forward) hf_forward(w->job->creature, &pose, w->links);
            forward = true;
            double target = cut_row(w, c);
            c->active = row_step(w, f, w->v) <= target;
        }
        for (int a = 6; a < w->columns; a++) {
            int at = f * w->columns + a, side = w->bound[at];
            const hf_joint* j = w->joint[a];
            double target = (side > 0 ? j->upper : j->lower) - q_of(w, w->q, f)[j->q_index];
            if (side && side * (w->step[at] - target) < 0) w->bound[at] = 0;
        }
        for (int i = 0; i < w->view->rom_count; i++) {
            range* r = &w->ranges[f * w->view->rom_count + i];
            int at[3], n = r->active ? range_columns(w, i, f, at) : 0;
            double goes = 0;
            for (int k = 0; k < n; k++) goes += r->u[k] * w->step[at[k]];
            if (n) r->active = goes >= r->most - range_now(w, r, i, f);
        }
    }
    for (int f = 0; f <= w->count; f++)
        for (int a = 0; a < w->columns; a++) {
            signed char* fast = &w->fast[f * w->columns + a];
            if (!*fast) continue;
            double u[3], most, length = move_of(w, f, a, u, &most), coefficient[MAX_ROW], goes = 0;
            int at[MAX_ROW], n = move_row(w, f, a, a < 6 ? 3 : 1, u, at, coefficient);
            for (int k = 0; k < n; k++) goes += coefficient[k] * w->step[at[k]];
            *fast = goes >= most - length;
        }
}

/* Limits and ranges that the pose is beyond bear from now on. */
static void confine(window* w, int f) {
    double* q = q_of(w, w->q, f);
    for (int a = 6; a < w->columns; a++) {
        const hf_joint* j = w->joint[a];
        double* x = &q[j->q_index];
        if (*x > j->upper) *x = j->upper, w->bound[f * w->columns + a] = 1;
        if (*x < j->lower) *x = j->lower, w->bound[f * w->columns + a] = -1;
    }
    hf_pose_follow(w->job->creature, q);
    for (int i = 0; i < w->view->rom_count; i++) {
        const hf_rom* g = &w->view->roms[i];
        range* r = &w->ranges[f * w->view->rom_count + i];
        double was[3] = {0}, length = 0;
        if (hf_rom_contains(w->job->creature, i, q, HF_ROM_RAD)) continue;
        for (int k = 0; k < g->joint_count && k < 3; k++) was[k] = q[w->view->joints[g->joints[k]].q_index];
        hf_rom_project(w->job->creature, i, q);
        for (int k = 0; k < g->joint_count && k < 3; k++) {
            r->u[k] = was[k] - q[w->view->joints[g->joints[k]].q_index];
            length += r->u[k] * r->u[k];
        }
        if (!(length > 1e-18)) continue;
        for (int k = 0; k < 3; k++) r->u[k] /= sqrt(length);
        r->active = true;
        r->most = range_now(w, r, i, f);
    }
}

/* How far a frame is from the pose that it is to stay near. */
static void measure(window* w, int f) {
    hf_pose pose = pose_of(w, f), near = near_pose(w, f);
    hf_pose_difference(w->job->creature, &near, &pose, w->v);
    for (int a = 0; a < w->columns; a++) row_of(w, w->change, f)[a] = w->v[w->column_of[a]];
}

static bool take_step(window* w) {
    size_t all = (size_t)w->count * (size_t)w->columns;
    fill(w);
    if (!hf_band_factor(&w->band)) return false;
    hf_band_solve(&w->band, w->right, 1);
    double most = 0;
    for (size_t i = 0; i < all; i++) most = fmax(most, fabs(w->right[i]));
    memcpy(w->step, w->right, sizeof *w->step * all);
    release(w);
    double share = most > LONGEST ? LONGEST / most : 1;
    for (int f = 0; f < w->count; f++) {
        hf_pose pose = pose_of(w, f);
        memset(w->v, 0, sizeof *w->v * (size_t)w->view->v_count);
        for (int a = 0; a < w->columns; a++) w->v[w->column_of[a]] = row_of(w, w->step, f)[a];
        hf_pose_integrate(w->job->creature, &pose, w->v, share, &pose);
        w->roots[f] = pose.root;
        confine(w, f);
        measure(w, f);
    }
    return true;
}

/* ---- judging ---- */

/* The schedule from one frame to another with the window's poses in it. */
static hf_status piece_of(const window* w, int first, int last, hf_schedule** piece) {
    const hf_schedule* s = w->job->schedule;
    hf_status status = hf_schedule_create(w->job->creature, s->rate, piece);
    for (int f = first; f <= last && status == HF_OK; f++) {
        hf_pose pose = any_pose(w, f - w->first);
        status = hf_schedule_add(*piece, NULL, (f - first) / s->rate, &pose, NULL, 0, false);
    }
    // the differences of a piece's first and last frames are not those of the whole motion
    if (status == HF_OK) (*piece)->claims = s->claims & ~(unsigned)HF_CLAIM_DYNAMIC;
    for (int i = 0; i < s->hold_count && status == HF_OK; i++) {
        int from = frame_of(s, s->holds[i].from_s), to = frame_of(s, s->holds[i].to_s);
        if (from < first) from = first;
        if (to > last) to = last;
        if (from > to) continue;
        if (!HF_GROW((*piece)->holds, (*piece)->hold_capacity, (*piece)->hold_count)) return HF_ERROR_MEMORY;
        (*piece)->holds[(*piece)->hold_count++] =
            (hf_schedule_hold){s->holds[i].hold, (from - first) / s->rate, (to - first) / s->rate};
    }
    return status;
}

static int list_touches(const window* w, int f, hf_hold* touches) {
    int count = 0;
    for (int i = 0; i < w->job->schedule->hold_count && count < MAX_TOUCHES; i++)
        if ((lasts(w, i, f) || lasts(w, i, f + 1)) && w->held[i].world.object >= 0)
            touches[count++] = w->held[i].world;
    return count;
}

/* Cuts where the way from a frame to the next one collides. */
static hf_status cut_fault(window* w, const hf_frame_fault* fault) {
    int f = fault->frame;
    hf_hold touches[MAX_TOUCHES];
    hf_collision_query query = hf_collision_query_default();
    hf_pose a = any_pose(w, f), between = {.q = w->v};
    double t = fault->collision.fraction;
    hf_pose b = is_there(w, f + 1) ? any_pose(w, f + 1) : a;
    query.touches = touches, query.touch_count = list_touches(w, f, touches);
    hf_pose_between(w->job->creature, &a, &b, t, &between);
    hf_forward(w->job->creature, &between, w->links);
    int first = t < 1 ? f : f + 1, last = t > 0 ? f + 1 : f;
    if (first < 0) first = 0;
    if (last >= w->count) last = w->count - 1;
    return hf_cuts_find(w->job->creature, w->job->placement, w->links, &query, MARGIN_M, first, last,
                        &w->cuts);
}

/* Does the hold bear in a frame? Where one limb at a time changes, a limb does not count in the first and the
   last frame of its hold: those that stay must bear the body. */
static bool bears(const window* w, int hold, int f) {
    const hf_schedule* s = w->job->schedule;
    if (!lasts(w, hold, f) || !(s->claims & HF_CLAIM_ONE_LIMB)) return lasts(w, hold, f);
    int frame = w->first + f, last = s->knot_count - 1;
    return (frame == 0 || lasts(w, hold, f - 1)) && (frame == last || lasts(w, hold, f + 1));
}

static bool same_bearing(const window* w, int f, int g) {
    for (int i = 0; i < w->job->schedule->hold_count; i++)
        if (bears(w, i, f) != bears(w, i, g)) return false;
    return true;
}

static hf_status build_stance(window* w, int f) {
    hf_support supports[MAX_TOUCHES];
    int n = 0;
    for (int i = 0; i < w->job->schedule->hold_count && n < MAX_TOUCHES; i++)
        if (bears(w, i, f)) supports[n++] = w->held[i].support;
    return hf_stance_build(w->stance, supports, n, w->view->mass, NULL, w->job->workspace);
}

static bool is_known(const window* w, hf_frame_fault_kind kind, int f) {
    return w->job->known && w->job->known[w->first + f] >> kind & 1;
}

/* Does a limb that holds not bear in a frame, as its hold begins or ends there? */
static bool changes(const window* w, int f) {
    for (int i = 0; i < w->job->schedule->hold_count; i++)
        if (lasts(w, i, f) && !bears(w, i, f)) return true;
    return false;
}

/* Did the realiser find the frame out of balance? */
static bool judged_balance(const window* w, int f) {
    for (int i = 0; i < w->judged.fault_count; i++)
        if (w->judged.faults[i].kind == HF_FAULT_BALANCE && w->judged.faults[i].frame == f) return true;
    return false;
}

/* Cuts where the schedule claims balance and a frame has less than it should. Frames in which a limb changes
   and the others do not bear the body are faults that the realiser does not look for. */
static hf_status cut_balance(window* w) {
    hf_status status = HF_OK;
    if (!(w->job->schedule->claims & HF_CLAIM_BALANCE)) return HF_OK;
    for (int f = 0, built = -1; f < w->count && status == HF_OK; f++) {
        if (is_known(w, HF_FAULT_BALANCE, f)) continue;
        if (built < 0 || !same_bearing(w, built, f)) status = build_stance(w, f);
        built = f;
        hf_pose pose = pose_of(w, f);
        hf_forward(w->job->creature, &pose, w->links);
        hf_vec3 com = hf_com(w->job->creature, w->links), shift = {0, 0, 0};
        double margin_m = status == HF_OK ? hf_stance_margin(w->stance, com) : INFINITY;
        if (margin_m >= HF_MARGIN_M) continue;
        w->faults += margin_m < HF_FRAME_MARGIN_M && changes(w, f) && !judged_balance(w, f);
        hf_stance_wish wish = {w->stance, BALANCE * HF_MARGIN_M};
        hf_stance_balance(&wish, com, &shift);
        status = hf_cuts_balance(com, shift, f, &w->cuts);
    }
    return status;
}

/* Faults that the realiser allows: contacts that move while they hold. */
static int count_slides(window* w) {
    int count = 0;
    for (int i = 0; i < w->job->schedule->hold_count && w->job->slide_m > 0; i++) {
        const hf_held* h = &w->held[i];
        const hf_contact_frame* c = &w->view->limbs[h->world.limb].contacts[h->world.frame];
        hf_vec3 before = {0, 0, 0};
        for (int f = -1; f <= w->count; f++) {
            if (!is_there(w, f) || !lasts(w, i, f)) continue;
            hf_pose pose = any_pose(w, f);
            hf_forward(w->job->creature, &pose, w->links);
            hf_vec3 at = hf_apply(w->links[c->link], c->offset);
            count += f >= 0 && lasts(w, i, f - 1) && hf_distance(at, before) > w->job->slide_m;
            before = at;
        }
    }
    return count;
}

/* Lets the realiser judge the window; the poses with the fewest faults are kept. */
static hf_status judge(window* w) {
    int first = w->first - 2 > 0 ? w->first - 2 : 0, last = w->first + w->count + 1;
    hf_schedule* piece = NULL;
    hf_motion* motion = NULL;
    hf_realise_options test = hf_realise_options_default();
    if (last >= w->job->schedule->knot_count) last = w->job->schedule->knot_count - 1;
    hf_status status = piece_of(w, first, last, &piece);
    if (status == HF_OK)
        status =
            hf_realise(w->job->creature, w->job->scene, piece, &test, w->job->workspace, &motion, &w->judged);
    hf_motion_free(motion);
    hf_schedule_free(piece);
    w->faults = w->slides = count_slides(w);
    for (int i = 0; i < w->judged.fault_count && status == HF_OK; i++) {
        hf_frame_fault* fault = &w->judged.faults[i];
        fault->frame += first - w->first; // in the window
        if (is_known(w, fault->kind, fault->frame)) continue;
        w->faults++;
        if (fault->kind == HF_FAULT_COLLIDES) status = cut_fault(w, fault);
    }
    if (status == HF_OK) status = cut_balance(w);
    int real = w->faults - w->slides;
    if (status == HF_OK && w->faults < w->best_faults && real <= w->best_real) {
        w->best_faults = w->faults, w->best_real = real;
        memcpy(w->best_roots, w->roots, sizeof *w->roots * (size_t)w->count);
        memcpy(w->best_q, w->q, sizeof *w->q * (size_t)w->count * (size_t)w->view->q_count);
    }
    return status;
}

/* ---- windows ---- */

/* Columns: the root's six, and joints that move what a limb holds with. */
static void choose_columns(window* w) {
    const hf_creature_view* v = w->view;
    for (int i = 0; i < 6; i++) w->joint[w->columns] = NULL, w->column_of[w->columns++] = i;
    for (int j = 0; j < v->joint_count && w->columns < MAX_COLUMNS; j++) {
        bool moves = false;
        if (v->joints[j].v_count != 1 || v->joints[j].mimic >= 0) continue;
        for (int i = 0; i < v->limb_count; i++)
            for (int k = v->limbs[i].effector_link; k >= 0; k = v->links[k].parent_link)
                moves |= k == v->joints[j].child_link;
        if (!moves) continue;
        w->joint[w->columns] = &v->joints[j];
        w->column_of[w->columns++] = v->joints[j].v_index;
    }
}

static hf_status take_memory(window* w) {
    hf_workspace* s = w->job->workspace;
    const hf_creature_view* v = w->view;
    size_t frames = (size_t)w->count, q = frames * (size_t)v->q_count + 1, n = (size_t)v->v_count;
    w->column_of = hf_workspace_take(s, n + 6, sizeof *w->column_of);
    w->joint = hf_workspace_take(s, n + 6, sizeof *w->joint);
    if (!w->column_of || !w->joint) return HF_ERROR_MEMORY;
    choose_columns(w);
    size_t all = frames * (size_t)w->columns, more = all + (size_t)w->columns;
    w->band = (hf_band){(int)all, 2 * w->columns, NULL};
    w->near_root = hf_workspace_take(s, frames, sizeof *w->roots);
    w->roots = hf_workspace_take(s, frames, sizeof *w->roots);
    w->best_roots = hf_workspace_take(s, frames, sizeof *w->roots);
    w->near_q = hf_workspace_take(s, q, sizeof *w->q);
    w->q = hf_workspace_take(s, q, sizeof *w->q);
    w->best_q = hf_workspace_take(s, q, sizeof *w->q);
    w->change = hf_workspace_take(s, all, sizeof *w->change);
    w->right = hf_workspace_take(s, all, sizeof *w->right);
    w->step = hf_workspace_take(s, all, sizeof *w->step);
    w->bound = hf_workspace_take(s, all, sizeof *w->bound);
    w->fast = hf_workspace_take(s, more, sizeof *w->fast);
    w->ranges = hf_workspace_take(s, frames * (size_t)v->rom_count + 1, sizeof *w->ranges);
    w->held = hf_workspace_take(s, (size_t)w->job->schedule->hold_count + 1, sizeof *w->held);
    w->band.values = hf_workspace_take(s, all * (size_t)(w->band.width + 1), sizeof(double));
    w->links = hf_workspace_take(s, (size_t)v->link_count, sizeof *w->links);
    w->jacobian = hf_workspace_take(s, 6 * n, sizeof(double));
    w->other = hf_workspace_take(s, 6 * n, sizeof(double));
    w->v = hf_workspace_take(s, n + (size_t)v->q_count + 1, sizeof(double));
    bool poses = w->near_root && w->roots && w->best_roots && w->near_q && w->q && w->best_q;
    bool rows = w->change && w->right && w->step && w->bound && w->fast && w->ranges && w->band.values;
    return poses && rows && w->held && w->links && w->jacobian && w->other && w->v ? HF_OK : HF_ERROR_MEMORY;
}

/* What frames are to stay near: the given ones without their chatter, which comes from solving frame by frame
   where pushes change sides. Each sweep goes a quarter of the way to both neighbours. */
static void calm(window* w) {
    double spread = CALM_S * w->job->schedule->rate;
    int sweeps = (int)ceil(2 * spread * spread); // a sweep adds half a frame squared to the variance
    for (int i = 0; i < sweeps; i++)
        for (int k = 0; k < w->count; k++) {
            int f = i % 2 ? w->count - 1 - k : k;
            if (!is_there(w, f - 1) || !is_there(w, f + 1)) continue;
            hf_pose a = near_pose(w, f - 1), b = near_pose(w, f + 1);
            hf_pose here = near_pose(w, f), middle = {.q = w->v};
            hf_pose_between(w->job->creature, &a, &b, 0.5, &middle);
            hf_pose_between(w->job->creature, &here, &middle, 0.5, &here);
            w->near_root[f] = here.root;
        }
}

static void begin(window* w) {
    const hf_schedule* s = w->job->schedule;
    size_t all = (size_t)w->count * (size_t)w->columns, q = sizeof(double) * (size_t)w->view->q_count;
    for (int f = 0; f < w->count; f++) {
        const hf_knot* k = &s->knots[w->first + f];
        w->near_root[f] = w->roots[f] = k->root;
        memcpy(q_of(w, w->near_q, f), k->q, q);
        memcpy(q_of(w, w->q, f), k->q, q);
    }
    calm(w);
    for (int f = 0; f < w->count; f++) measure(w, f);
    memset(w->bound, 0, sizeof *w->bound * all);
    memset(w->fast, 0, sizeof *w->fast * (all + (size_t)w->columns));
    memset(w->ranges, 0, sizeof *w->ranges * (size_t)(w->count * w->view->rom_count));
    for (int i = 0; i < s->hold_count; i++) {
        int from = frame_of(s, s->holds[i].from_s);
        if (from >= s->knot_count) from = s->knot_count - 1;
        hf_pose pose = {s->knots[from].root, s->knots[from].q};
        hf_forward(w->job->creature, &pose, w->links);
        hf_held_begin(w->job->creature, w->job->placement, &s->holds[i].hold, w->links, &w->held[i]);
        if (w->job->anchors) w->held[i].anchor.point = w->job->anchors[i].point;
        if (w->job->turns && w->job->turned == i) w->held[i].anchor = w->job->anchors[i];
    }
}

static void write_back(const window* w) {
    for (int f = 0; f < w->count; f++) {
        hf_knot* k = &w->job->schedule->knots[w->first + f];
        k->root = w->best_roots[f];
        memcpy(k->q, q_of(w, w->best_q, f), sizeof(double) * (size_t)w->view->q_count);
    }
}

/* Clears the frames from `first` to `last`; *left: faults that are left there. *hopeless: there
   are more of them than frames. */
static hf_status clear_window(const hf_clear_job* job, int first, int last, int* left, bool* hopeless) {
    hf_workspace_mark mark = hf_workspace_begin(job->workspace);
    window w = {.job = job, .view = &job->creature->view, .first = first, .count = last - first + 1};
    hf_status status = take_memory(&w);
    if (status == HF_OK) status = hf_stance_create(&w.stance);
    if (status == HF_OK) {
        begin(&w);
        w.best_faults = w.best_real = INT_MAX;
        status = judge(&w);
    }
    int given = w.best_faults;
    // where more than every frame is at fault, the planes contradict each other or what holds
    for (int round = 0; round < ROUNDS && status == HF_OK && w.faults > 0 && w.faults <= w.count; round++) {
        bool goes = hf_workspace_goes_on(job->workspace);
        for (int i = 0; i < STEPS && goes; i++) goes = take_step(&w);
        if (!goes) break;
        status = judge(&w);
    }
    *left = w.best_faults, *hopeless = w.faults > w.count;
    if (status == HF_OK && w.best_faults < given && !hf_workspace_cancelled(job->workspace)) write_back(&w);
    hf_free(w.cuts.items);
    hf_stance_free(w.stance);
    hf_realise_result_free(&w.judged);
    hf_workspace_end(job->workspace, mark);
    return status;
}

/* The last frame of the row of faults that begins with `first`: those nearer to each other than two margins.
 */
static int row_end(const bool* bad, int frames, int first, int around, int longest) {
    int last = first;
    for (int f = first; f < frames && f <= last + 2 * around && f <= first + longest; f++)
        if (bad[f]) last = f;
    return last;
}

/* Clears one row of faults in the smallest window that is enough. */
static hf_status clear_row(const hf_clear_job* job, int first, int last, int* left) {
    double rate = job->schedule->rate;
    hf_status status = HF_OK;
    bool hopeless = false;
    *left = 1;
    for (int t = 0; t < TRIES && *left && !hopeless && status == HF_OK; t++) {
        int around = (int)(AROUND_S[t] * rate) + 1;
        int from = first - around > 0 ? first - around : 0, to = last + 1 + around;
        if (to >= job->schedule->knot_count) to = job->schedule->knot_count - 1;
        status = clear_window(job, from, to, left, &hopeless);
    }
    return status;
}

hf_status hf_clear_faults(const hf_clear_job* job, const hf_realise_result* judged, int* left) {
    double rate = job->schedule->rate;
    int frames = job->schedule->knot_count, around = (int)(AROUND_S[0] * rate) + 1;
    hf_workspace_mark mark = hf_workspace_begin(job->workspace);
    bool* bad = hf_workspace_take(job->workspace, (size_t)frames, sizeof *bad);
    hf_status status = bad ? HF_OK : HF_ERROR_MEMORY;
    *left = 0;
    if (bad) memset(bad, 0, (size_t)frames * sizeof *bad);
    for (int i = 0; bad && i < judged->fault_count; i++)
        if (judged->faults[i].frame < frames) bad[judged->faults[i].frame] = true;
    for (int f = 0; f < frames && status == HF_OK; f++) {
        if (!bad[f]) continue;
        int last = row_end(bad, frames, f, around, (int)(LONGEST_S * rate)), rest;
        status = clear_row(job, f, last, &rest);
        *left += rest;
        f = last;
    }
    hf_workspace_end(job->workspace, mark);
    return status;
}
