/* Two trees in one limb's joint values, grown towards each other (Kuffner and LaValle, "RRT-Connect", 2000),
   then shortcuts. For swings that no curve of the list can do: postures of contact queries may lie on two
   sides of the body's own limbs. */
#include "schedule/swing_tree.h"

#include "base/random.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <holdfast/rom.h>
#include <math.h>
#include <string.h>

/* A move of a tree changes no joint by more than this, rad or m. */
static const double STEP = 0.35;
/* Of the values drawn, this share lies near the straight way between the ends. */
static const double NEAR_SHARE = 0.4, NEAR_SPREAD = 0.6;
/* Of the moves, this share is kept for shortcuts. */
static const double SHORTCUT_SHARE = 0.2;

typedef struct tree {
    int count;
    int* parents;
    double* x; /* rows of `width` */
} tree;

typedef struct grower {
    const hf_swing_tree* p;
    const hf_creature_view* view;
    int width;
    const int* q_index; /* of each value */
    const double *lower, *upper;
    tree trees[2];
    int capacity;
    double *a, *b; /* whole poses */
    int moves;
} grower;

static void to_pose(const grower* g, const double* x, double* q) {
    memcpy(q, g->p->from, sizeof(double) * (size_t)g->view->q_count);
    for (int i = 0; i < g->width; i++) q[g->q_index[i]] = x[i];
    hf_pose_follow(g->p->creature, q);
}

static hf_status passable(grower* g, const double* x, const double* y, bool* good) {
    g->moves++;
    to_pose(g, x, g->a);
    to_pose(g, y, g->b);
    return g->p->passable(g->p->user, g->a, g->b, good);
}

static double* row(const grower* g, const tree* t, int i) { return t->x + (size_t)i * (size_t)g->width; }

static int nearest(const grower* g, const tree* t, const double* x) {
    double best = INFINITY;
    int found = 0;
    for (int i = 0; i < t->count; i++) {
        const double* y = row(g, t, i);
        double d = 0;
        for (int k = 0; k < g->width; k++) d += (x[k] - y[k]) * (x[k] - y[k]);
        if (d < best) best = d, found = i;
    }
    return found;
}

/* One step from a tree towards x. `added` is the new node, -1 for none; `there` when it is x itself. */
static hf_status extend(grower* g, tree* t, const double* x, int* added, bool* there) {
    int from = nearest(g, t, x);
    const double* y = row(g, t, from);
    double most = 0;
    *added = -1;
    *there = false;
    if (t->count == g->capacity) return HF_OK;
    for (int k = 0; k < g->width; k++) most = fmax(most, fabs(x[k] - y[k]));
    double share = most > STEP ? STEP / most : 1;
    double* z = row(g, t, t->count);
    for (int k = 0; k < g->width; k++) z[k] = share < 1 ? y[k] + share * (x[k] - y[k]) : x[k];
    bool good;
    hf_status status = passable(g, y, z, &good);
    if (status != HF_OK || !good) return status;
    t->parents[t->count] = from;
    *added = t->count++;
    *there = share == 1;
    return HF_OK;
}

/* Values inside limits and regions, deterministic in the index. */
static void draw(grower* g, uint64_t index, double* x) {
    hf_random r = hf_random_start(1, 77, index);
    bool near = hf_random_unit(&r) < NEAR_SHARE;
    double t = hf_random_unit(&r);
    for (int k = 0; k < g->width; k++) {
        double u = hf_random_unit(&r), a = g->p->from[g->q_index[k]], b = g->p->to[g->q_index[k]];
        double low = fmax(g->lower[k], fmin(a, b) - 3.2), high = fmin(g->upper[k], fmax(a, b) + 3.2);
        x[k] = near ? a + t * (b - a) + NEAR_SPREAD * (2 * u - 1) : low + u * (high - low);
        x[k] = fmin(fmax(x[k], g->lower[k]), g->upper[k]);
    }
    if (g->view->rom_count == 0) return;
    to_pose(g, x, g->a);
    for (int i = 0; i < g->view->rom_count; i++)
        if (!hf_rom_contains(g->p->creature, i, g->a, 0)) hf_rom_project(g->p->creature, i, g->a);
    for (int k = 0; k < g->width; k++) x[k] = fmin(fmax(g->a[g->q_index[k]], g->lower[k]), g->upper[k]);
}

/* Grows both trees until they meet; ends[] are the nodes where they do. */
static hf_status grow(grower* g, double* x, int ends[2], bool* met) {
    *met = false;
    int limit = (int)(g->p->max_moves * (1 - SHORTCUT_SHARE));
    for (uint64_t i = 0; g->moves < limit && !*met; i++) {
        tree *a = &g->trees[i % 2], *b = &g->trees[1 - i % 2];
        if (a->count == g->capacity || b->count == g->capacity) return HF_OK;
        int added, other = -1;
        bool there = false;
        draw(g, i, x);
        hf_status status = extend(g, a, x, &added, &there);
        if (status != HF_OK) return status;
        if (added < 0) continue;
        const double* meet = row(g, a, added);
        for (there = false; !there;) {
            status = extend(g, b, meet, &other, &there);
            if (status != HF_OK) return status;
            if (other < 0 || g->moves >= limit) break;
        }
        if (!there) continue;
        ends[i % 2] = added;
        ends[1 - i % 2] = other;
        *met = true;
    }
    return HF_OK;
}

/* The way through both trees as rows of x; returns how many. */
static int collect(const grower* g, const int ends[2], double* x) {
    int before = 0, count = 0;
    for (int i = ends[0]; i >= 0; i = g->trees[0].parents[i]) before++;
    for (int i = ends[0], k = before - 1; i >= 0; i = g->trees[0].parents[i], k--)
        memcpy(x + (size_t)k * (size_t)g->width, row(g, &g->trees[0], i), sizeof(double) * (size_t)g->width);
    count = before;
    // the other tree's end is the same posture
    for (int i = g->trees[1].parents[ends[1]]; i >= 0; i = g->trees[1].parents[i])
        memcpy(x + (size_t)count++ * (size_t)g->width, row(g, &g->trees[1], i),
               sizeof(double) * (size_t)g->width);
    return count;
}

/* Leaves out what lies between two rows that a straight move joins. */
static hf_status shorten(grower* g, double* x, int* count) {
    size_t width = (size_t)g->width;
    for (uint64_t i = 0; g->moves<g->p->max_moves&& * count> 2 && i < 400; i++) {
        hf_random r = hf_random_start(2, 78, i);
        int a = (int)(hf_random_unit(&r) * *count), b = (int)(hf_random_unit(&r) * *count);
        if (a > b) {
            int swap = a;
            a = b, b = swap;
        }
        if (b - a < 2) continue;
        bool good;
        hf_status status = passable(g, x + (size_t)a * width, x + (size_t)b * width, &good);
        if (status != HF_OK) return status;
        if (!good) continue;
        memmove(x + (size_t)(a + 1) * width, x + (size_t)b * width,
                sizeof(double) * width * (size_t)(*count - b));
        *count -= b - a - 1;
    }
    return HF_OK;
}

static hf_status run(grower* g, hf_workspace* w, int capacity, double* q, int* count) {
    size_t width = (size_t)g->width;
    double* x = hf_workspace_take(w, 2 * (size_t)g->capacity * width, sizeof *x);
    if (!x) return HF_ERROR_MEMORY;
    for (int t = 0; t < 2; t++) {
        tree* root = &g->trees[t];
        root->count = 1;
        root->parents[0] = -1;
        for (int k = 0; k < g->width; k++) root->x[k] = (t ? g->p->to : g->p->from)[g->q_index[k]];
    }
    int ends[2];
    bool met;
    hf_status status = grow(g, x, ends, &met);
    if (status != HF_OK || !met) return status;
    int rows = collect(g, ends, x);
    status = shorten(g, x, &rows);
    if (status != HF_OK || rows > capacity) return status;
    for (int i = 0; i < rows; i++)
        to_pose(g, x + (size_t)i * width, q + (size_t)i * (size_t)g->view->q_count);
    *count = rows;
    return HF_OK;
}

hf_status hf_swing_tree_find(const hf_swing_tree* p, hf_workspace* w, int capacity, double* q, int* count) {
    const hf_creature_view* v = &p->creature->view;
    const hf_limb* limb = &v->limbs[p->limb];
    *count = 0;
    hf_workspace_mark mark = hf_workspace_begin(w);
    grower g = {.p = p, .view = v, .width = limb->joint_count, .capacity = p->max_moves + 2};
    size_t width = (size_t)g.width, n = (size_t)v->q_count + 1, rows = (size_t)g.capacity;
    int* index = hf_workspace_take(w, width + 1, sizeof *index);
    double *lower = hf_workspace_take(w, width + 1, sizeof *lower),
           *upper = hf_workspace_take(w, width + 1, sizeof *upper);
    g.a = hf_workspace_take(w, n, sizeof *g.a);
    g.b = hf_workspace_take(w, n, sizeof *g.b);
    bool all = index && lower && upper && g.a && g.b, plain = g.width > 0;
    for (int t = 0; t < 2; t++) {
        g.trees[t].parents = hf_workspace_take(w, rows, sizeof(int));
        g.trees[t].x = hf_workspace_take(w, rows * (width + 1), sizeof(double));
        all = all && g.trees[t].parents && g.trees[t].x;
    }
    for (int k = 0; all && k < g.width; k++) {
        const hf_joint* j = &v->joints[limb->joints[k]];
        plain = plain && j->q_count == 1;
        index[k] = j->q_index, lower[k] = j->lower, upper[k] = j->upper;
    }
    g.q_index = index, g.lower = lower, g.upper = upper;
    hf_status status = !all ? HF_ERROR_MEMORY : plain ? run(&g, w, capacity, q, count) : HF_OK;
    hf_workspace_end(w, mark);
    return status;
}
