/* Root poses for the common trees. Targets are poses near surfaces (Algorithm 3), where narrow ways are,
   poses about the gap between the two trees, and any poses; a tree steps aside where it cannot go straight.
 */
#include "space/root_search.h"
#include "base/rounding.h"

#include <math.h>

enum {
    STREAM = 0x7ee,
    PROGRESS_EVERY = 64,
    MAX_NODES = 1 << 24,
    MAX_ASIDES = 12, /* steps aside of one way */
    ASIDE_TRIES = 5, /* for each of them */
};
static const double ASIDE_STEPS = 2; /* how far aside, in steps */

/* rad, by which the chord of rounded quaternions may be too long: the root of twice the rounding of 1 */
static const double CHORD_ERROR = 1e-7;
/* Below this cosine of half an angle the arc cosine is as exact as the slower logarithm. */
static const double SURE_COSINE = 0.9999;

static const double SURFACE_SHARE = 0.5, GAP_SHARE = 0.1; /* of the targets */

/* ---- distances and ways ---- */

/* The shift alone is often too far. An angle is never under the chord of its quaternions, which takes less
   time and is tried before. */
static double distance(const void* user, const double* from, const double* to, double enough) {
    const hf_root_space* space = ((const hf_root_search*)user)->space;
    const hf_transform *a = hf_root_of(from), *b = hf_root_of(to);
    if (!(enough < INFINITY)) return hf_root_distance(space, a, b);
    double s = space->metric, r = (1 - s) * space->model->radius;
    hf_vec3 way = hf_sub(a->position, b->position);
    double square = s * s * hf_dot(way, way);
    if (square >= enough * enough) return enough;
    const hf_quat *p = &a->rotation, *q = &b->rotation;
    double d = fabs(p->w * q->w + p->x * q->x + p->y * q->y + p->z * q->z), shift = sqrt(square);
    if (d > 1) d = 1;
    double chord = shift + r * 2 * sqrt(2 * (1 - d));
    if (chord >= enough + r * CHORD_ERROR) return chord;
    return d < SURE_COSINE ? shift + r * 2 * hf_acos(d) : hf_root_distance(space, a, b);
}

static void between(const void* user, const double* a, const double* b, double t, double* state) {
    (void)user;
    *(hf_transform*)(void*)state = hf_root_between(hf_root_of(a), hf_root_of(b), t);
}

static bool valid(void* user, const double* state) {
    return hf_root_holds(((hf_root_search*)user)->space, hf_root_of(state));
}

static hf_status passes(void* user, const double* a, const double* b, bool* good) {
    hf_root_search* s = user;
    *good = s->space->tests < s->max_tests && hf_root_straight(s->space, hf_root_of(a), hf_root_of(b));
    return HF_OK;
}

/* The mark of an edge is the share of the way where all of the turn is made, negative for a straight way. */
static bool join(void* user, const double* a, const double* b, double chance, double* mark) {
    return hf_root_local(((hf_root_search*)user)->space, hf_root_of(a), hf_root_of(b), chance, mark);
}

/* ---- growth ---- */

static hf_status draw(void* user, int64_t index, double* state, bool* drawn) {
    hf_root_search* s = user;
    uint64_t number = (uint64_t)(index + s->drawn);
    hf_random random = hf_random_start(s->seed, STREAM, number);
    hf_transform* target = (hf_transform*)(void*)state;
    s->chances = hf_random_start(s->seed, STREAM + 1, number + 1);
    *drawn = true;
    double kind = hf_random_unit(&random);
    if (kind < SURFACE_SHARE && hf_root_sample(s->space, &random, target)) return HF_OK;
    if (kind > 1 - GAP_SHARE) {
        const hf_space_tree* t = s->tree;
        const hf_transform* ends[2];
        for (int e = 0; e < 2; e++) ends[e] = hf_root_of(hf_space_row(&t->sides[e].states.rows, t->ends[e]));
        hf_transform middle = hf_root_between(ends[0], ends[1], hf_random_unit(&random));
        double far = hf_root_sweep(s->space, ends[0], ends[1]);
        if (hf_root_sample_near(s->space, &random, &middle, far, target)) return HF_OK;
    }
    *target = hf_root_random(s->space, &random);
    return HF_OK;
}

/* A small step aside from where the straight way ended that comes nearer to the target. */
static bool step_aside(hf_root_search* s, const hf_transform* from, const hf_transform* target,
                       hf_transform* aside) {
    double left = hf_root_distance(s->space, from, target), far = ASIDE_STEPS * s->space->step_m;
    for (int i = 0; i < ASIDE_TRIES; i++) {
        hf_transform ahead = hf_root_between(from, target, fmin(1, s->space->step_m / (left + HF_ROUNDING)));
        *aside = hf_root_nudge(s->space, &s->chances, &ahead, far);
        if (hf_root_distance(s->space, aside, target) >= left) continue;
        if (hf_root_holds(s->space, aside) && hf_root_straight(s->space, from, aside)) return true;
    }
    return false;
}

/* Straight as far as that goes, then a step aside, then straight again. */
static hf_status extend(void* user, const double* from, const double* to, int round, double* state,
                        hf_space_step* step) {
    hf_root_search* s = user;
    const hf_transform *a = hf_root_of(from), *b = hf_root_of(to);
    hf_transform* reached = (hf_transform*)(void*)state;
    if (round == 0) s->aside_next = false, s->asides_left = s->tree->draws > 0 ? MAX_ASIDES : 0;
    if (!s->aside_next) {
        bool moved, there = hf_root_extend(s->space, a, b, reached, &moved);
        *step = there ? HF_SPACE_REACHED : moved ? HF_SPACE_ADVANCED : HF_SPACE_TRAPPED;
        s->aside_next = true;
        if (*step != HF_SPACE_TRAPPED) return HF_OK;
    }
    s->aside_next = false;
    bool stepped = s->asides_left-- > 0 && step_aside(s, a, b, reached);
    *step = stepped ? HF_SPACE_ADVANCED : HF_SPACE_TRAPPED;
    return HF_OK;
}

hf_space hf_root_search_space(hf_root_search* search) {
    return (hf_space){.width = HF_ROOT_WIDTH,
                      .user = search,
                      .distance = distance,
                      .between = between,
                      .valid = valid,
                      .passes = passes,
                      .draw = draw,
                      .extend = extend,
                      .join = join};
}

/* ---- the trees ---- */

static bool goes_on(void* user, int64_t draws) {
    hf_root_search* s = user;
    const hf_guide_options* o = s->options;
    const hf_space_branch* sides = s->tree->sides;
    draws += s->drawn;
    if (draws >= o->max_samples) {
        s->stop = HF_GUIDE_NO_PATH;
        return false;
    }
    if (s->space->tests >= s->max_tests ||
        sides[0].states.rows.count + sides[1].states.rows.count >= MAX_NODES) {
        s->stop = HF_GUIDE_TESTS_SPENT;
        return false;
    }
    bool wanted =
        !o->progress ||
        (!hf_root_stopped(s->space) &&
         (draws % PROGRESS_EVERY != 0 || o->progress(o->user, (double)draws / o->max_samples, "guide")));
    if (!wanted) s->stop = HF_GUIDE_STOPPED;
    return wanted;
}

hf_status hf_root_search_trees(hf_root_search* search, const hf_transform* start, const hf_transform* goal,
                               hf_space_rows* corners, hf_guide_path* out) {
    hf_space_tree tree;
    hf_space space = hf_root_search_space(search);
    hf_space_tree_options o = {.direct = true, .goes_on = goes_on};
    search->tree = &tree, search->drawn = out->samples;
    hf_status status =
        hf_space_tree_search(&tree, &space, &o, hf_root_row(start), hf_root_row(goal), corners->workspace);
    search->tree = NULL;
    if (status != HF_OK) return status;
    const hf_space_states* sides[2] = {&tree.sides[0].states, &tree.sides[1].states};
    out->samples += tree.draws;
    out->nodes = sides[0]->rows.count + sides[1]->rows.count;
    out->stop = tree.met ? HF_GUIDE_REACHED : search->stop;
    out->gap = tree.met ? 0 : tree.gap;
    out->start_side = *hf_root_of(hf_space_row(&sides[0]->rows, tree.ends[0]));
    out->goal_side = *hf_root_of(hf_space_row(&sides[1]->rows, tree.ends[1]));
    if (tree.met) return hf_space_tree_way(&tree, corners);
    int nearest = hf_space_nearest_one(sides[0], &space, hf_root_row(goal));
    return hf_space_tree_branch(&tree, 0, nearest, corners);
}
