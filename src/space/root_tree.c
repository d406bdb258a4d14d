/* RRT-connect (Kuffner and LaValle 2000) over the reachability condition. Targets are poses near surfaces
   (Algorithm 3), where narrow ways are, poses about the gap between the two trees, and any poses. */
#include "space/root_tree.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum {
    STREAM = 0x7ee,
    PROGRESS_EVERY = 64,
    MAX_NODES = 1 << 24,
    MAX_ASIDES = 12, /* steps aside of one way */
    ASIDE_TRIES = 5, /* for each of them */
};
static const double ASIDE_STEPS = 2; /* how far aside, in steps */

static const double SURFACE_SHARE = 0.5, GAP_SHARE = 0.1; /* of the targets */

typedef struct tree {
    hf_transform* pose;
    int* parent;
    int count, capacity;
} tree;

typedef struct search {
    hf_root_space* space;
    const hf_guide_options* options;
    hf_workspace* workspace;
    hf_guide_path* out;
    tree trees[2]; /* from the start, from the goal */
} search;

static bool tree_add(tree* t, const hf_transform* pose, int parent, hf_workspace* workspace) {
    if (t->count == t->capacity) {
        int more = t->capacity ? 2 * t->capacity : 1024;
        hf_transform* poses = hf_workspace_take(workspace, (size_t)more, sizeof *poses);
        int* parents = hf_workspace_take(workspace, (size_t)more, sizeof *parents);
        if (!poses || !parents) return false;
        if (t->count) {
            memcpy(poses, t->pose, sizeof *poses * (size_t)t->count);
            memcpy(parents, t->parent, sizeof *parents * (size_t)t->count);
        }
        t->pose = poses, t->parent = parents, t->capacity = more;
    }
    t->pose[t->count] = *pose;
    t->parent[t->count++] = parent;
    return true;
}

/* The first of the nearest nodes. An angle is never under the chord of its quaternions, which is tried
   before. */
static int nearest(const hf_root_space* space, const tree* t, const hf_transform* to) {
    double s = space->metric, r = (1 - s) * space->model->radius, best = INFINITY;
    int found = 0;
    for (int i = 0; i < t->count; i++) {
        const hf_transform* p = &t->pose[i];
        double shift = s * hf_distance(p->position, to->position);
        if (shift >= best) continue;
        const hf_quat *a = &p->rotation, *b = &to->rotation;
        double d = fabs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z);
        d = fmin(1, d);
        if (shift + r * 2 * sqrt(2 * (1 - d)) >= best) continue;
        double distance = shift + r * 2 * acos(d);
        if (distance < best) best = distance, found = i;
    }
    return found;
}

/* Remembers the two poses that came nearest to each other. */
static void note_gap(search* s, int side, const hf_transform* mine, const hf_transform* other) {
    double gap = hf_root_distance(s->space, mine, other);
    if (gap >= s->out->gap) return;
    s->out->gap = gap;
    s->out->start_side = side == 0 ? *mine : *other;
    s->out->goal_side = side == 0 ? *other : *mine;
}

/* Corners from the root of a tree to a node; returns false when memory is out. */
static bool add_branch(search* s, int side, int node, hf_root_path* corners) {
    const tree* t = &s->trees[side];
    int from = corners->count;
    for (int i = node; i >= 0; i = t->parent[i])
        if (!hf_root_path_add(corners, &t->pose[i], s->workspace)) return false;
    if (side == 1) return true;
    // from the start onwards
    for (int a = from, b = corners->count - 1; a < b; a++, b--) {
        hf_transform swap = corners->corners[a];
        corners->corners[a] = corners->corners[b], corners->corners[b] = swap;
    }
    return true;
}

/* The way to the node of the start's tree that is nearest to the goal. */
static bool add_partial(search* s, const hf_transform* goal, hf_root_path* corners) {
    return add_branch(s, 0, nearest(s->space, &s->trees[0], goal), corners);
}

static hf_transform choose_target(search* s, int index) {
    hf_random random = hf_random_start(s->options->seed, STREAM, (uint64_t)index);
    hf_transform target;
    double kind = hf_random_unit(&random);
    if (kind < SURFACE_SHARE && hf_root_sample(s->space, &random, &target)) return target;
    if (kind > 1 - GAP_SHARE) {
        const hf_guide_path* out = s->out;
        hf_transform middle = hf_root_between(&out->start_side, &out->goal_side, hf_random_unit(&random));
        double far = hf_root_sweep(s->space, &out->start_side, &out->goal_side);
        if (hf_root_sample_near(s->space, &random, &middle, far, &target)) return target;
    }
    return hf_root_random(s->space, &random);
}

/* A small step aside from where the straight way ended that comes nearer to the target. */
static bool step_aside(search* s, const hf_transform* from, const hf_transform* target, hf_random* random,
                       hf_transform* aside) {
    double left = hf_root_distance(s->space, from, target), far = ASIDE_STEPS * s->space->step_m;
    for (int i = 0; i < ASIDE_TRIES; i++) {
        hf_transform ahead = hf_root_between(from, target, fmin(1, s->space->step_m / (left + 1e-9)));
        *aside = hf_root_nudge(s->space, random, &ahead, far);
        if (hf_root_distance(s->space, aside, target) >= left) continue;
        if (hf_root_holds(s->space, aside) && hf_root_straight(s->space, from, aside)) return true;
    }
    return false;
}

/* Grows a tree towards a target, past what is in the way if small steps aside allow. The last node added (or
   the one it started from) is *end; true when that is the target. */
static hf_status extend(search* s, tree* t, const hf_transform* target, hf_random* random, int* end,
                        bool* arrived) {
    *end = nearest(s->space, t, target);
    *arrived = false;
    for (int asides = 0;; asides++) {
        hf_transform reached;
        bool moved;
        *arrived = hf_root_extend(s->space, &t->pose[*end], target, &reached, &moved);
        if (moved) {
            if (!tree_add(t, &reached, *end, s->workspace)) return HF_ERROR_MEMORY;
            *end = t->count - 1;
        }
        if (*arrived || asides == MAX_ASIDES) return HF_OK;
        hf_transform aside;
        if (!step_aside(s, &t->pose[*end], target, random, &aside)) return HF_OK;
        if (!tree_add(t, &aside, *end, s->workspace)) return HF_ERROR_MEMORY;
        *end = t->count - 1;
    }
}

/* One target for one tree, and the other tree towards what came of it. HF_OK with *met when they met. */
static hf_status grow(search* s, int side, const hf_transform* target, bool* met) {
    tree *mine = &s->trees[side], *other = &s->trees[1 - side];
    hf_random random = hf_random_start(s->options->seed, STREAM + 1, (uint64_t)s->out->samples);
    int before = mine->count, end, answer;
    bool arrived;
    hf_status status = extend(s, mine, target, &random, &end, &arrived);
    if (status != HF_OK || mine->count == before) return status;
    hf_transform reached = mine->pose[end];
    status = extend(s, other, &reached, &random, &answer, met);
    if (status == HF_OK) note_gap(s, side, &reached, &other->pose[answer]);
    return status;
}

static bool spent(search* s, hf_guide_stop* stop) {
    const hf_guide_options* o = s->options;
    int samples = (int)s->out->samples;
    if (samples >= o->max_samples) {
        *stop = HF_GUIDE_NO_PATH;
        return true;
    }
    if (s->space->tests >= o->max_tests || s->trees[0].count + s->trees[1].count >= MAX_NODES) {
        *stop = HF_GUIDE_TESTS_SPENT;
        return true;
    }
    if (o->progress && samples % PROGRESS_EVERY == 0 &&
        !o->progress(o->user, (double)samples / o->max_samples, "guide")) {
        *stop = HF_GUIDE_STOPPED;
        return true;
    }
    return false;
}

hf_status hf_root_tree_search(hf_root_space* space, const hf_transform* start, const hf_transform* goal,
                              const hf_guide_options* options, hf_workspace* workspace, hf_root_path* corners,
                              hf_guide_path* out) {
    search s = {.space = space, .options = options, .workspace = workspace, .out = out};
    hf_transform reached;
    bool moved, met;
    out->gap = INFINITY;
    if (!tree_add(&s.trees[0], start, -1, workspace) || !tree_add(&s.trees[1], goal, -1, workspace))
        return HF_ERROR_MEMORY;
    // most ways are straight
    met = hf_root_extend(space, start, goal, &reached, &moved);
    note_gap(&s, 0, &reached, goal);
    if (moved && !tree_add(&s.trees[0], &reached, 0, workspace)) return HF_ERROR_MEMORY;
    hf_status status = HF_OK;
    if (met) s.trees[1].count = 1;
    for (int side = 0; !met && status == HF_OK && !spent(&s, &out->stop); side = 1 - side) {
        hf_transform target = choose_target(&s, (int)out->samples++);
        status = grow(&s, side, &target, &met);
    }
    if (status != HF_OK) return status;
    out->nodes = s.trees[0].count + s.trees[1].count;
    bool room;
    if (met) {
        // the last node of one tree is the last of the other, or the goal itself
        out->stop = HF_GUIDE_REACHED, out->gap = 0;
        room = add_branch(&s, 0, s.trees[0].count - 1, corners);
        int last = s.trees[1].count - 1;
        if (room) corners->count--; // both have it
        room = room && add_branch(&s, 1, last, corners);
    } else {
        room = add_partial(&s, goal, corners);
    }
    return room ? HF_OK : HF_ERROR_MEMORY;
}
