/* Following soft targets (adapt/follower.h). */
#include "adapt/follower.h"
#include "base/linear.h"
#include "base/memory.h"
#include "model/creature.h"
#include "model/tolerance.h"

#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

/* Pull of every speed to stay, and of every joint to its rest value: both only decide what no target asks
   for. Squared weights, against 1 m2 of a target of weight 1. */
static const double STAY = 0.01, DRIFT = 2e-4;
/* Pull of every speed to be what it was in the frame before, at this rate: accelerations cost the same at
 * any. */
static const double COAST = 2, COAST_RATE = 120;
/* Share of the speed limits that frames use: what puts limbs exactly onto their holds moves them a little. */
static const double SPEED_SHARE = 0.9;
/* Longest step of one iteration, rad or m: linear models do not reach farther. */
static const double LONGEST = 0.5;
/* Weight of staying inside a range of motion, per radian, and times that a step is turned along the boundary.
 */
static const double RANGE = 300;
enum { SLIDES = 8, MAX_COLUMNS = 512 };
enum { BOUND_ROUNDS = 100 };        /* of the search for the columns that are at their bounds */
static const double RELEASE = 1e-6; /* gain for which a column leaves its bound */

static bool moves_landmark(const hf_creature_body* b, int link) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    for (int role = 0; role < HF_MAX_MARKED; role++) {
        const hf_creature_limb* l = &b->limbs[role];
        if (l->limb < 0) continue;
        const hf_limb* limb = &v->limbs[l->limb];
        for (int c = 0; c < limb->contact_count; c++)
            for (int k = limb->contacts[c].link; k >= 0; k = v->links[k].parent_link)
                if (k == link) return true;
        for (int k = limb->effector_link; k >= 0; k = v->links[k].parent_link)
            if (k == link) return true;
    }
    return false;
}

/* Columns: the root's six, and joints that move a landmark; fingers keep their rest posture. */
static void choose_columns(const hf_creature_body* b, hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(b->creature);
    for (int i = 0; i < 6; i++) t->columns[t->column_count++] = i;
    for (int j = 0; j < v->joint_count; j++)
        if (v->joints[j].v_count == 1 && moves_landmark(b, v->joints[j].child_link))
            t->columns[t->column_count++] = v->joints[j].v_index;
}

hf_status hf_follow_make(const hf_creature_body* body, double rate, hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(body->creature);
    if (v->v_count > MAX_COLUMNS) return HF_ERROR_LIMIT;
    size_t n = (size_t)v->v_count, q = (size_t)v->q_count + 1;
    *t = (hf_follower){.creature = body->creature, .v_count = v->v_count, .rate = rate, .posture = v->rest};
    t->columns = hf_alloc(n, sizeof *t->columns);
    t->pose.q = hf_alloc(q, sizeof(double));
    t->before.q = hf_alloc(q, sizeof(double));
    t->next.q = hf_alloc(q, sizeof(double));
    t->links = hf_alloc((size_t)v->link_count, sizeof *t->links);
    t->gram = hf_alloc(n * n, sizeof(double));
    t->factor = hf_alloc(n * n, sizeof(double));
    t->right = hf_alloc(n, sizeof(double));
    t->inverse = hf_alloc(n, sizeof(double));
    t->step = hf_alloc(n, sizeof(double));
    t->lower = hf_alloc(n, sizeof(double));
    t->upper = hf_alloc(n, sizeof(double));
    t->stuck = hf_alloc(n, sizeof *t->stuck);
    t->at_bound = hf_alloc(n, sizeof *t->at_bound);
    t->jacobian = hf_alloc(6 * n, sizeof(double));
    t->other = hf_alloc(6 * n, sizeof(double));
    t->drift = hf_alloc(n, sizeof(double));
    t->gone = hf_alloc(n, sizeof(double));
    if (!t->columns || !t->pose.q || !t->before.q || !t->next.q || !t->links || !t->gram || !t->factor ||
        !t->right || !t->inverse || !t->step || !t->lower || !t->upper || !t->stuck || !t->at_bound ||
        !t->jacobian || !t->other || !t->drift || !t->gone) {
        hf_follow_free(t);
        return HF_ERROR_MEMORY;
    }
    choose_columns(body, t);
    hf_pose_rest(body->creature, &t->pose);
    return HF_OK;
}

void hf_follow_free(hf_follower* t) {
    hf_free(t->columns);
    hf_free(t->pose.q);
    hf_free(t->before.q);
    hf_free(t->next.q);
    hf_free(t->links);
    hf_free(t->gram);
    hf_free(t->factor);
    hf_free(t->right);
    hf_free(t->inverse);
    hf_free(t->step);
    hf_free(t->lower);
    hf_free(t->upper);
    hf_free(t->stuck);
    hf_free(t->at_bound);
    hf_free(t->jacobian);
    hf_free(t->other);
    hf_free(t->drift);
    hf_free(t->gone);
    memset(t, 0, sizeof *t);
}

void hf_follow_begin(hf_follower* t) {
    if (t->has_before) hf_pose_difference(t->creature, &t->before, &t->pose, t->drift);
    if (!t->has_before) memset(t->drift, 0, sizeof(double) * (size_t)t->v_count);
    memset(t->at_bound, 0, sizeof *t->at_bound * (size_t)t->column_count);
    t->before.root = t->pose.root;
    memcpy(t->before.q, t->pose.q, sizeof(double) * (size_t)hf_creature_get(t->creature)->q_count);
}

/* How far each speed may still go from here: to the joint's limit, and to how far it gets since the frame
   before. */
static void find_bounds(hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(t->creature);
    for (int i = 0; i < t->v_count; i++) t->lower[i] = -INFINITY, t->upper[i] = INFINITY;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        if (joint->v_count != 1) continue;
        double q = t->pose.q[joint->q_index], was = t->before.q[joint->q_index];
        double far = t->has_before && !t->unhurried ? SPEED_SHARE * joint->max_speed / t->rate : INFINITY;
        t->lower[joint->v_index] = fmax(joint->lower, was - far) - q;
        t->upper[joint->v_index] = fmin(joint->upper, was + far) - q;
    }
    if (!t->has_before || t->unhurried) return;
    double far = SPEED_SHARE * v->limits.root_speed / t->rate;
    double turn = SPEED_SHARE * v->limits.root_turn / t->rate;
    hf_vec3 gone = hf_sub(t->pose.root.position, t->before.root.position);
    hf_vec3 turned = hf_quat_log(hf_quat_mul(t->pose.root.rotation, hf_quat_conj(t->before.root.rotation)));
    const double done[6] = {gone.x, gone.y, gone.z, turned.x, turned.y, turned.z};
    for (int i = 0; i < 6; i++) {
        double most = i < 3 ? far : turn;
        t->lower[i] = -most - done[i], t->upper[i] = most - done[i];
    }
}

void hf_follow_clear(hf_follower* t) {
    int n = t->column_count;
    memset(t->gram, 0, sizeof(double) * (size_t)(n * n));
    memset(t->right, 0, sizeof(double) * (size_t)n);
    hf_forward(t->creature, &t->pose, t->links);
    find_bounds(t);
}

/* One row: a Jacobian's row over all speeds, how far it shall go, and its weight. */
static void add_row(hf_follower* t, const double* row, double error, double weight) {
    int n = t->column_count, used[MAX_COLUMNS], count = 0;
    double w2 = weight * weight;
    for (int a = 0; a < n; a++)
        if (row[t->columns[a]] != 0) used[count++] = a;
    for (int a = 0; a < count; a++) {
        double x = w2 * row[t->columns[used[a]]];
        t->right[used[a]] += x * error;
        for (int b = 0; b <= a; b++) t->gram[used[a] * n + used[b]] += x * row[t->columns[used[b]]];
    }
}

static void add_rows(hf_follower* t, const double* jacobian, hf_vec3 error, double weight) {
    const double e[3] = {error.x, error.y, error.z};
    for (int k = 0; k < 3; k++) add_row(t, jacobian + k * t->v_count, e[k], weight);
}

void hf_follow_point(hf_follower* t, int link, hf_vec3 offset, hf_vec3 target, double weight) {
    hf_vec3 p = hf_apply(t->links[link], offset);
    hf_point_jacobian(t->creature, t->links, link, p, 3, t->jacobian);
    add_rows(t, t->jacobian, hf_sub(target, p), weight);
}

void hf_follow_way(hf_follower* t, hf_mark from, hf_mark to, hf_vec3 way, double weight) {
    hf_vec3 a = hf_apply(t->links[from.link], from.offset), b = hf_apply(t->links[to.link], to.offset);
    hf_point_jacobian(t->creature, t->links, to.link, b, 3, t->jacobian);
    hf_point_jacobian(t->creature, t->links, from.link, a, 3, t->other);
    for (int i = 0; i < 3 * t->v_count; i++) t->jacobian[i] -= t->other[i];
    add_rows(t, t->jacobian, hf_sub(way, hf_sub(b, a)), weight);
}

void hf_follow_middle(hf_follower* t, hf_mark m, hf_mark n, hf_vec3 target, const double weight[3]) {
    hf_vec3 a = hf_apply(t->links[m.link], m.offset), b = hf_apply(t->links[n.link], n.offset);
    hf_point_jacobian(t->creature, t->links, m.link, a, 3, t->jacobian);
    hf_point_jacobian(t->creature, t->links, n.link, b, 3, t->other);
    for (int i = 0; i < 3 * t->v_count; i++) t->jacobian[i] = 0.5 * (t->jacobian[i] + t->other[i]);
    hf_vec3 off = hf_sub(target, hf_lerp(a, b, 0.5));
    const double e[3] = {off.x, off.y, off.z};
    for (int k = 0; k < 3; k++) add_row(t, t->jacobian + k * t->v_count, e[k], weight[k]);
}

void hf_follow_turn(hf_follower* t, int link, hf_quat target, double weight) {
    hf_point_jacobian(t->creature, t->links, link, t->links[link].position, 6, t->jacobian);
    hf_vec3 error = hf_quat_log(hf_quat_mul(target, hf_quat_conj(t->links[link].rotation)));
    add_rows(t, t->jacobian + 3 * t->v_count, error, weight);
}

void hf_follow_direction(hf_follower* t, int link, hf_vec3 own, hf_vec3 target, double weight) {
    hf_vec3 now = hf_rotate(t->links[link].rotation, own);
    hf_point_jacobian(t->creature, t->links, link, t->links[link].position, 6, t->jacobian);
    hf_vec3 error = hf_quat_log(hf_quat_between(now, target));
    double* angular = t->jacobian + 3 * t->v_count;
    /* Turning about the direction itself changes nothing: take that part out of the rows. */
    for (int c = 0; c < t->v_count; c++) {
        hf_vec3 w = hf_v3(angular[c], angular[t->v_count + c], angular[2 * t->v_count + c]);
        w = hf_sub(w, hf_scale(now, hf_dot(w, now)));
        angular[c] = w.x, angular[t->v_count + c] = w.y, angular[2 * t->v_count + c] = w.z;
    }
    add_rows(t, angular, error, weight);
}

void hf_follow_push(hf_follower* t, int link, int against, hf_vec3 point, hf_vec3 d, double by,
                    double weight) {
    int n = t->v_count;
    hf_point_jacobian(t->creature, t->links, link, point, 3, t->jacobian);
    if (against >= 0) {
        hf_point_jacobian(t->creature, t->links, against, point, 3, t->other);
        for (int i = 0; i < 3 * n; i++) t->jacobian[i] -= t->other[i];
    }
    for (int c = 0; c < n; c++)
        t->other[c] = d.x * t->jacobian[c] + d.y * t->jacobian[n + c] + d.z * t->jacobian[2 * n + c];
    add_row(t, t->other, by, weight);
}

/* Joints drift to the posture, and every column likes to stay. */
static void add_damping(hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(t->creature);
    int n = t->column_count;
    double shortness = t->rate / COAST_RATE, coast = COAST * shortness * shortness * shortness * shortness;
    hf_pose_difference(t->creature, &t->before, &t->pose, t->gone);
    for (int a = 0; a < n; a++) {
        int c = t->columns[a];
        t->gram[a * n + a] += STAY + (t->has_before ? coast : 0);
        if (t->has_before) t->right[a] += coast * (t->drift[c] - t->gone[c]);
    }
    for (int j = 0, a = 6; j < v->joint_count && a < n; j++) {
        if (v->joints[j].v_count != 1 || v->joints[j].v_index != t->columns[a]) continue;
        t->gram[a * n + a] += DRIFT;
        t->right[a] += DRIFT * (t->posture[v->joints[j].q_index] - t->pose.q[v->joints[j].q_index]);
        a++;
    }
}

/* The best step of the columns that are not stuck, those being where step[] has them. */
static bool solve_free(hf_follower* t) {
    int n = t->column_count, m = 0, map[MAX_COLUMNS];
    for (int a = 0; a < n; a++)
        if (!t->stuck[a]) map[m++] = a;
    for (int a = 0; a < m; a++) {
        double r = t->right[map[a]];
        for (int b = 0; b < n; b++)
            if (t->stuck[b]) {
                int i = map[a] > b ? map[a] : b, j = map[a] > b ? b : map[a];
                r -= t->gram[i * n + j] * t->step[b];
            }
        for (int b = 0; b <= a; b++) t->factor[a * n + b] = t->gram[map[a] * n + map[b]];
        t->other[a] = r;
    }
    if (!hf_cholesky(t->factor, m, n, t->inverse)) return false;
    hf_cholesky_solve(t->factor, m, n, t->inverse, t->other);
    for (int a = 0; a < m; a++) t->step[map[a]] = t->other[a];
    return true;
}

static double gram_at(const hf_follower* t, int a, int b) {
    return a > b ? t->gram[a * t->column_count + b] : t->gram[b * t->column_count + a];
}

/* How the cost changes with a column. */
static double slope_of(const hf_follower* t, int a) {
    double slope = -t->right[a];
    for (int b = 0; b < t->column_count; b++) slope += gram_at(t, a, b) * t->step[b];
    return slope;
}

/* The column at a bound that gains most by going back inside; -1: none. */
static int worst_stuck(const hf_follower* t) {
    int worst = -1;
    double most = RELEASE;
    for (int a = 0; a < t->column_count; a++) {
        double low = t->lower[t->columns[a]], up = t->upper[t->columns[a]];
        if (!t->stuck[a] || !(up > low)) continue;
        double slope = slope_of(t, a), gain = (t->step[a] >= up ? slope : -slope) / sqrt(gram_at(t, a, a));
        if (gain > most) most = gain, worst = a;
    }
    return worst;
}

/* Goes from `from` towards t->step until the first free column meets a bound; false when none does. */
static bool stop_at_bound(hf_follower* t, const double* from) {
    double share = 1;
    for (int a = 0; a < t->column_count; a++) {
        if (t->stuck[a]) continue;
        double d = t->step[a] - from[a], low = t->lower[t->columns[a]], up = t->upper[t->columns[a]];
        if (t->step[a] > up && d > 0) share = fmin(share, fmax(0, up - from[a]) / d);
        if (t->step[a] < low && d < 0) share = fmin(share, fmax(0, from[a] - low) / -d);
    }
    if (share >= 1) return false;
    for (int a = 0; a < t->column_count; a++) {
        if (t->stuck[a]) continue;
        double low = t->lower[t->columns[a]], up = t->upper[t->columns[a]];
        t->step[a] = from[a] + share * (t->step[a] - from[a]);
        if (t->step[a] >= up - 1e-12) t->step[a] = up, t->stuck[a] = true;
        if (t->step[a] <= low + 1e-12) t->step[a] = low, t->stuck[a] = true;
    }
    return true;
}

/* Columns begin at the bound that the step before had them at, the others stand still. */
static void begin_bounded(hf_follower* t) {
    for (int a = 0; a < t->column_count; a++) {
        double low = t->lower[t->columns[a]], up = t->upper[t->columns[a]];
        t->stuck[a] = t->at_bound[a] != 0;
        t->step[a] = t->at_bound[a] < 0 ? low : t->at_bound[a] > 0 ? up : fmin(fmax(0, low), up);
    }
}

static void note_bounds(hf_follower* t) {
    for (int a = 0; a < t->column_count; a++)
        t->at_bound[a] = !t->stuck[a] ? 0 : t->step[a] >= t->upper[t->columns[a]] ? 1 : -1;
}

/* Least squares inside bounds: the active set method. */
static bool solve_bounded(hf_follower* t) {
    int n = t->column_count;
    double from[MAX_COLUMNS];
    begin_bounded(t);
    for (int round = 0; round < BOUND_ROUNDS; round++) {
        memcpy(from, t->step, sizeof *from * (size_t)n);
        if (!solve_free(t)) return false;
        if (stop_at_bound(t, from)) continue;
        int released = worst_stuck(t);
        if (released < 0) break;
        t->stuck[released] = false;
    }
    note_bounds(t);
    return true;
}

/* The root may go and turn only so far in any direction: where a step goes farther, its root's part is
   shortened and fixed, so that the joints make up for it. True when something was fixed. */
static bool fix_root(hf_follower* t) {
    if (!t->has_before || t->unhurried) return false;
    bool fixed = false;
    for (int k = 0; k < 6; k += 3) {
        /* Bounds are symmetric about where the frame before was. */
        double gone[3], length = 0, most = 0;
        for (int i = 0; i < 3; i++) {
            double middle = 0.5 * (t->lower[k + i] + t->upper[k + i]);
            most = fmax(most, 0.5 * (t->upper[k + i] - t->lower[k + i]));
            gone[i] = t->step[k + i] - middle;
            length += gone[i] * gone[i];
        }
        length = sqrt(length);
        if (length <= most * (1 + 1e-9) || !(most > 0)) continue;
        for (int i = 0; i < 3; i++) {
            double middle = 0.5 * (t->lower[k + i] + t->upper[k + i]);
            t->lower[k + i] = t->upper[k + i] = middle + gone[i] * most / length;
        }
        fixed = true;
    }
    return fixed;
}

/* The pose after a share of the step, inside joint limits. */
static void try_step(hf_follower* t, double share) {
    const hf_creature_view* v = hf_creature_get(t->creature);
    memset(t->other, 0, sizeof(double) * (size_t)t->v_count);
    for (int a = 0; a < t->column_count; a++) t->other[t->columns[a]] = share * t->step[a];
    hf_pose_integrate(t->creature, &t->pose, t->other, 1, &t->next);
    hf_pose_follow(t->creature, t->next.q);
    for (int j = 0; j < v->joint_count; j++)
        if (v->joints[j].v_count == 1) {
            double* q = &t->next.q[v->joints[j].q_index];
            *q = fmin(fmax(*q, v->joints[j].lower), v->joints[j].upper);
        }
}

/* Brings joint groups back into their ranges of motion; each that was outside becomes a row that keeps the
   step on this side of the boundary there. True when there was one. */
static bool keep_ranges(hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(t->creature);
    bool left = false;
    for (int r = 0; r < v->rom_count; r++) {
        const hf_rom* rom = &v->roms[r];
        double was[3], length = 0, reach = 0;
        if (hf_rom_contains(t->creature, r, t->next.q, HF_ROM_RAD)) continue;
        for (int k = 0; k < rom->joint_count && k < 3; k++)
            was[k] = t->next.q[v->joints[rom->joints[k]].q_index];
        hf_rom_project(t->creature, r, t->next.q);
        memset(t->other, 0, sizeof(double) * (size_t)t->v_count);
        for (int k = 0; k < rom->joint_count && k < 3; k++) {
            const hf_joint* j = &v->joints[rom->joints[k]];
            double out = was[k] - t->next.q[j->q_index];
            if (j->v_count == 1) t->other[j->v_index] = out;
            length += out * out;
        }
        if (!(length > 1e-18)) continue;
        length = sqrt(length);
        for (int k = 0; k < rom->joint_count && k < 3; k++) {
            const hf_joint* j = &v->joints[rom->joints[k]];
            if (j->v_count != 1) continue;
            t->other[j->v_index] /= length;
            reach += t->other[j->v_index] * (t->next.q[j->q_index] - t->pose.q[j->q_index]);
        }
        add_row(t, t->other, reach, RANGE);
        left = true;
    }
    return left;
}

double hf_follow_step(hf_follower* t) {
    const hf_creature_view* v = hf_creature_get(t->creature);
    add_damping(t);
    double most = 0, share = 1;
    for (int slide = 0; slide <= SLIDES; slide++) {
        if (!solve_bounded(t)) return 0;
        /* What joints make up for the root's way may turn it more, and the other way round. */
        for (int part = 0; part < 2 && fix_root(t); part++)
            if (!solve_bounded(t)) return 0;
        most = 0;
        for (int a = 0; a < t->column_count; a++) most = fmax(most, fabs(t->step[a]));
        share = most > LONGEST ? LONGEST / most : 1;
        try_step(t, share);
        if (!keep_ranges(t)) break;
    }
    t->pose.root = t->next.root;
    memcpy(t->pose.q, t->next.q, sizeof(double) * (size_t)v->q_count);
    return share * most;
}
