/* Nearest states by a tree of balls (Omohundro 1989, "Five balltree construction algorithms", insertion):
   each state is the middle of a ball that holds all states below it. A new state goes down to the nearest
   child until it finds room. Exact by the triangle inequality alone. */
#include "space/space_nearest.h"

#include <math.h>

enum {
    CHILDREN = 8,   /* of a ball, except at the greatest depth */
    MAX_DEPTH = 64, /* balls at this depth take any number of children */
    /* The index is used from so many states on: among fewer root poses a scan is faster, as measured. */
    INDEXED = 2048,
};
/* Distances are rounded: a ball is left out when it is farther off than this share allows. */
static const double SLACK = 1e-9;

struct hf_space_ball {
    int first, next, children; /* first child and next sibling, -1 for none */
    double radius;             /* largest distance to a state below */
    double from_parent;
};

/* ---- the states found so far ---- */

typedef struct query {
    const hf_space_states* states;
    const hf_space* space;
    const double* to;
    bool (*accept)(const void* user, int state);
    const void* user;
    int most, count;
    int* found;
    double distance[HF_SPACE_MAX_NEAREST];
    double limit; /* states farther away than this do not count */
} query;

static double distance_to(const query* q, int state, double enough) {
    return q->space->distance(q->space->user, hf_space_row(&q->states->rows, state), q->to, enough);
}

static void consider(query* q, int state, double d) {
    if (q->accept && !q->accept(q->user, state)) return;
    bool full = q->count == q->most;
    if (full && (d > q->limit || (d == q->limit && state > q->found[q->count - 1]))) return;
    int k = full ? q->count - 1 : q->count++;
    for (; k > 0 && (q->distance[k - 1] > d || (q->distance[k - 1] == d && q->found[k - 1] > state)); k--)
        q->distance[k] = q->distance[k - 1], q->found[k] = q->found[k - 1];
    q->distance[k] = d, q->found[k] = state;
    if (q->count == q->most) q->limit = q->distance[q->count - 1];
}

static query begin(const hf_space_states* states, const hf_space* space, const double* to,
                   bool (*accept)(const void* user, int state), const void* user, int most, int* found) {
    if (most > HF_SPACE_MAX_NEAREST) most = HF_SPACE_MAX_NEAREST;
    return (query){.states = states,
                   .space = space,
                   .to = to,
                   .accept = accept,
                   .user = user,
                   .most = most,
                   .found = found,
                   .limit = INFINITY};
}

int hf_space_nearest_scan(const hf_space_states* states, const hf_space* space, const double* to,
                          bool (*accept)(const void* user, int state), const void* user, int most,
                          int* found) {
    query q = begin(states, space, to, accept, user, most, found);
    // a state behind the others never wins a tie: distances from the limit on do not matter
    const double* row = states->rows.values;
    for (int i = 0; i < states->rows.count && most > 0; i++, row += states->rows.width) {
        double d = space->distance(space->user, row, to, q.limit);
        if (d < q.limit) consider(&q, i, d);
    }
    return q.count;
}

/* ---- the index ---- */

hf_space_states hf_space_states_start(int width, hf_workspace* workspace) {
    return (hf_space_states){.rows = hf_space_rows_start(width, workspace)};
}

static double apart(const hf_space_states* s, const hf_space* space, int a, int b) {
    return space->distance(space->user, hf_space_row(&s->rows, a), hf_space_row(&s->rows, b), INFINITY);
}

/* The nearest child of a ball, and how far away it is. */
static int nearest_child(const hf_space_states* s, const hf_space* space, int ball, int state, double* d) {
    int best = -1;
    for (int child = s->balls[ball].first; child >= 0; child = s->balls[child].next) {
        double here = apart(s, space, child, state);
        if (best < 0 || here < *d) best = child, *d = here;
    }
    return best;
}

static hf_status insert(hf_space_states* s, const hf_space* space) {
    int state = s->ball_count;
    if (s->ball_count == s->ball_capacity) {
        int more = s->rows.capacity;
        if (!hf_space_enlarge(s->rows.workspace, (void**)&s->balls, s->ball_count, more, sizeof *s->balls))
            return HF_ERROR_MEMORY;
        s->ball_capacity = more;
    }
    s->ball_count++;
    hf_space_ball* new_ball = &s->balls[state];
    *new_ball = (hf_space_ball){.first = -1, .next = -1};
    if (state == 0) return HF_OK;
    int at = 0;
    double d = apart(s, space, 0, state);
    for (int depth = 0;; depth++) {
        hf_space_ball* ball = &s->balls[at];
        ball->radius = fmax(ball->radius, d);
        if (ball->children < CHILDREN || depth == MAX_DEPTH) {
            new_ball->next = ball->first, new_ball->from_parent = d;
            ball->first = state, ball->children++;
            return HF_OK;
        }
        at = nearest_child(s, space, at, state, &d);
    }
}

hf_status hf_space_states_add(hf_space_states* s, const hf_space* space, const double* state) {
    hf_status status = hf_space_rows_add(&s->rows, state);
    if (s->rows.count < INDEXED) return status;
    while (status == HF_OK && s->ball_count < s->rows.count) status = insert(s, space);
    return status;
}

static double slack(double d) { return SLACK * (1 + d); }

/* Looks into a ball whose middle is d away and has been considered. */
static void look(query* q, int ball, double d, int depth) {
    const hf_space_ball* balls = q->states->balls;
    int children[CHILDREN], count = 0;
    double distance[CHILDREN];
    for (int child = balls[ball].first; child >= 0; child = balls[child].next) {
        double far = q->limit + balls[child].radius;
        far += slack(far);
        if (fabs(d - balls[child].from_parent) >= far + slack(d)) continue;
        double here = distance_to(q, child, far);
        if (here >= far) continue;
        consider(q, child, here);
        if (balls[child].first < 0 || depth == MAX_DEPTH) continue;
        // nearest first
        int k = count++;
        for (; k > 0 && distance[k - 1] > here; k--)
            distance[k] = distance[k - 1], children[k] = children[k - 1];
        distance[k] = here, children[k] = child;
    }
    for (int i = 0; i < count; i++) {
        double far = q->limit + balls[children[i]].radius;
        if (distance[i] < far + slack(far)) look(q, children[i], distance[i], depth + 1);
    }
}

int hf_space_nearest(const hf_space_states* states, const hf_space* space, const double* to,
                     bool (*accept)(const void* user, int state), const void* user, int most, int* found) {
    if (states->ball_count == 0) return hf_space_nearest_scan(states, space, to, accept, user, most, found);
    query q = begin(states, space, to, accept, user, most, found);
    if (most <= 0) return 0;
    double d = distance_to(&q, 0, INFINITY);
    consider(&q, 0, d);
    look(&q, 0, d, 0);
    return q.count;
}

int hf_space_nearest_one(const hf_space_states* states, const hf_space* space, const double* to) {
    int found = -1;
    hf_space_nearest(states, space, to, NULL, NULL, 1, &found);
    return found;
}
