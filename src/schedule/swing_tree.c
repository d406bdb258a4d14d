/* One limb's joint values as a space for the common trees, then shortcuts. For swings that no curve of the
   list can do: postures of contact queries may lie on two sides of the body's own limbs. */
#include "schedule/swing_tree.h"

#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"
#include "space/space_shortcut.h"
#include "space/space_tree.h"

#include <holdfast/rom.h>
#include <math.h>
#include <string.h>

/* A move of a tree changes no joint by more than this, rad or m. */
static const double STEP = 0.35;
/* Of the values drawn, this share lies near the straight way between the ends. */
static const double NEAR_SHARE = 0.4, NEAR_SPREAD = 0.6;
/* Other values lie at most this far beyond the ends, rad or m. */
static const double FAR_SPREAD = 3.2;
/* Of the moves, this share is kept for shortcuts. */
static const double SHORTCUT_SHARE = 0.2;

enum { SEED = 1, STREAM = 77 };

typedef struct limb_space {
    const hf_swing_tree* p;
    const hf_creature_view* view;
    int width;
    int* q_index; /* of each value */
    double *lower, *upper;
    double *a, *b; /* whole poses */
    int moves;
} limb_space;

static void to_pose(const limb_space* s, const double* x, double* q) {
    memcpy(q, s->p->from, sizeof(double) * (size_t)s->view->q_count);
    for (int i = 0; i < s->width; i++) q[s->q_index[i]] = x[i];
    hf_pose_follow(s->p->creature, q);
}

static void from_pose(const limb_space* s, const double* q, double* x) {
    for (int i = 0; i < s->width; i++) x[i] = q[s->q_index[i]];
}

static double distance(const void* user, const double* x, const double* y, double enough) {
    (void)enough;
    double sum = 0;
    for (int k = 0; k < ((const limb_space*)user)->width; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

static void between(const void* user, const double* x, const double* y, double t, double* z) {
    for (int k = 0; k < ((const limb_space*)user)->width; k++) z[k] = x[k] + t * (y[k] - x[k]);
}

/* Shortcuts begin and end on ways that were tested. */
static bool valid(void* user, const double* x) {
    (void)user, (void)x;
    return true;
}

static hf_status passes(void* user, const double* x, const double* y, bool* good) {
    limb_space* s = user;
    *good = false;
    if (s->moves >= s->p->max_moves) return HF_OK;
    s->moves++;
    to_pose(s, x, s->a);
    to_pose(s, y, s->b);
    return s->p->passable(s->p->user, s->a, s->b, good);
}

static hf_status extend(void* user, const double* from, const double* to, int round, double* z,
                        hf_space_step* step) {
    const limb_space* s = user;
    (void)round;
    double most = 0;
    for (int k = 0; k < s->width; k++) most = fmax(most, fabs(to[k] - from[k]));
    double share = most > STEP ? STEP / most : 1;
    for (int k = 0; k < s->width; k++) z[k] = share < 1 ? from[k] + share * (to[k] - from[k]) : to[k];
    bool good;
    hf_status status = passes(user, from, z, &good);
    *step = !good ? HF_SPACE_TRAPPED : share < 1 ? HF_SPACE_ADVANCED : HF_SPACE_REACHED;
    return status;
}

/* Values inside limits and regions. */
static hf_status draw(void* user, int64_t index, double* x, bool* drawn) {
    const limb_space* s = user;
    hf_random r = hf_random_start(SEED, STREAM, (uint64_t)index);
    bool near = hf_random_unit(&r) < NEAR_SHARE;
    double t = hf_random_unit(&r);
    *drawn = true;
    for (int k = 0; k < s->width; k++) {
        double u = hf_random_unit(&r), a = s->p->from[s->q_index[k]], b = s->p->to[s->q_index[k]];
        double low = fmax(s->lower[k], fmin(a, b) - FAR_SPREAD);
        double high = fmin(s->upper[k], fmax(a, b) + FAR_SPREAD);
        x[k] = near ? a + t * (b - a) + NEAR_SPREAD * (2 * u - 1) : low + u * (high - low);
        x[k] = fmin(fmax(x[k], s->lower[k]), s->upper[k]);
    }
    if (s->view->rom_count == 0) return HF_OK;
    to_pose(s, x, s->a);
    for (int i = 0; i < s->view->rom_count; i++)
        if (!hf_rom_contains(s->p->creature, i, s->a, 0)) hf_rom_project(s->p->creature, i, s->a);
    for (int k = 0; k < s->width; k++) x[k] = fmin(fmax(s->a[s->q_index[k]], s->lower[k]), s->upper[k]);
    return HF_OK;
}

static hf_status find(limb_space* s, hf_workspace* w, int capacity, double* q, int* count) {
    hf_space space = {.width = s->width,
                      .user = s,
                      .distance = distance,
                      .between = between,
                      .valid = valid,
                      .passes = passes,
                      .draw = draw,
                      .extend = extend};
    hf_space_tree_options o = {.longest_try = 1,
                               .max_extensions = (int)(s->p->max_moves * (1 - SHORTCUT_SHARE))};
    hf_space_tree tree;
    hf_space_rows path = hf_space_rows_start(s->width, w);
    from_pose(s, s->p->from, s->a);
    from_pose(s, s->p->to, s->b);
    if (o.max_extensions == 0) return HF_OK;
    hf_status status = hf_space_tree_search(&tree, &space, &o, s->a, s->b, w);
    if (status != HF_OK || !tree.met) return status;
    status = hf_space_tree_way(&tree, &path);
    if (status == HF_OK) status = hf_space_path_prune(&space, &path, true);
    if (status != HF_OK || path.count > capacity) return status;
    // the tree's detours are cut off; each shortcut adds one row at most
    status = hf_space_path_shorten(&space, &path, SEED, capacity - path.count);
    if (status != HF_OK) return status;
    for (int i = 0; i < path.count; i++)
        to_pose(s, hf_space_row(&path, i), q + (size_t)i * (size_t)s->view->q_count);
    *count = path.count;
    return HF_OK;
}

/* The limb's values; false when one of its joints has more than one. */
static bool list_values(limb_space* s, const hf_limb* limb) {
    bool plain = s->width > 0;
    for (int k = 0; k < s->width; k++) {
        const hf_joint* j = &s->view->joints[limb->joints[k]];
        plain = plain && j->q_count == 1;
        s->q_index[k] = j->q_index, s->lower[k] = j->lower, s->upper[k] = j->upper;
    }
    return plain;
}

hf_status hf_swing_tree_find(const hf_swing_tree* p, hf_workspace* w, int capacity, double* q, int* count) {
    const hf_creature_view* v = &p->creature->view;
    const hf_limb* limb = &v->limbs[p->limb];
    *count = 0;
    hf_workspace_mark mark = hf_workspace_begin(w);
    limb_space s = {.p = p, .view = v, .width = limb->joint_count};
    size_t width = (size_t)s.width + 1, n = (size_t)v->q_count + 1;
    s.q_index = hf_workspace_take(w, width, sizeof *s.q_index);
    s.lower = hf_workspace_take(w, width, sizeof *s.lower);
    s.upper = hf_workspace_take(w, width, sizeof *s.upper);
    s.a = hf_workspace_take(w, n, sizeof *s.a);
    s.b = hf_workspace_take(w, n, sizeof *s.b);
    hf_status status = s.q_index && s.lower && s.upper && s.a && s.b ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK && list_values(&s, limb)) status = find(&s, w, capacity, q, count);
    hf_workspace_end(w, mark);
    return status;
}
