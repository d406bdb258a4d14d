/* RRT-connect (Kuffner and LaValle 2000) over any space: one tree grows towards a drawn state, then the other
   towards the state that the first came to. */
#include "space/space_tree.h"

#include "base/workspace.h"

#include <math.h>

static const double* state_of(const hf_space_tree* t, int side, int state) {
    return hf_space_row(&t->sides[side].states.rows, state);
}

static int count_of(const hf_space_tree* t, int side) { return t->sides[side].states.rows.count; }

static hf_status add(hf_space_tree* t, int side, const double* state, int parent) {
    hf_space_branch* b = &t->sides[side];
    hf_status status = hf_space_states_add(&b->states, t->space, state);
    if (status != HF_OK) return status;
    int at = b->states.rows.count - 1;
    if (at >= b->capacity) {
        int more = b->states.rows.capacity;
        if (!hf_space_enlarge(t->workspace, (void**)&b->parents, at, more, sizeof *b->parents))
            return HF_ERROR_MEMORY;
        b->capacity = more;
    }
    b->parents[at] = parent;
    return HF_OK;
}

/* Remembers the two states that came nearest to each other. */
static void note_gap(hf_space_tree* t, int side, int mine, int other) {
    double gap =
        t->space->distance(t->space->user, state_of(t, side, mine), state_of(t, !side, other), INFINITY);
    if (gap >= t->gap) return;
    t->gap = gap;
    t->ends[side] = mine, t->ends[!side] = other;
}

typedef struct growth {
    hf_space_tree* tree;
    const hf_space_tree_options* options;
    double *target, *state; /* scratch */
} growth;

/* Extends one side from its nearest state towards a target. *end is the last state; *arrived when that is
   the target. */
static hf_status grow(growth* g, int side, const double* target, int longest, int* end, bool* arrived) {
    hf_space_tree* t = g->tree;
    int most = g->options->max_extensions;
    *end = hf_space_nearest_one(&t->sides[side].states, t->space, target);
    *arrived = false;
    for (int round = 0; longest == 0 || round < longest; round++) {
        if (most > 0 && t->extensions >= most) return HF_OK;
        hf_space_step step = HF_SPACE_TRAPPED;
        t->extensions++;
        hf_status status =
            t->space->extend(t->space->user, state_of(t, side, *end), target, round, g->state, &step);
        if (status != HF_OK || step == HF_SPACE_TRAPPED) return status;
        status = add(t, side, g->state, *end);
        if (status != HF_OK) return status;
        *end = count_of(t, side) - 1;
        *arrived = step == HF_SPACE_REACHED;
        if (*arrived) return HF_OK;
    }
    return HF_OK;
}

static void meet(hf_space_tree* t, int side, int mine, int other) {
    t->met = true;
    t->ends[side] = mine, t->ends[!side] = other;
}

/* One drawn state for one side, and the other side towards what came of it. */
static hf_status grow_both(growth* g, int side) {
    hf_space_tree* t = g->tree;
    int before = count_of(t, side), end, answer;
    bool arrived, drawn = false;
    hf_status status = t->space->draw(t->space->user, t->draws++, g->target, &drawn);
    if (status != HF_OK || !drawn) return status;
    status = grow(g, side, g->target, g->options->longest_try, &end, &arrived);
    if (status != HF_OK || count_of(t, side) == before) return status;
    status = grow(g, !side, state_of(t, side, end), 0, &answer, &arrived);
    if (status != HF_OK) return status;
    note_gap(t, side, end, answer);
    if (arrived) meet(t, side, end, answer);
    return HF_OK;
}

static bool goes_on(const growth* g) {
    const hf_space_tree* t = g->tree;
    int most = g->options->max_extensions;
    if (t->met || (most > 0 && t->extensions >= most)) return false;
    return !g->options->goes_on || g->options->goes_on(t->space->user, t->draws);
}

static hf_status grow_directly(growth* g, const double* goal) {
    int end;
    bool arrived;
    hf_status status = grow(g, 0, goal, 1, &end, &arrived);
    if (status != HF_OK) return status;
    note_gap(g->tree, 0, end, 0);
    if (arrived) meet(g->tree, 0, end, 0);
    return HF_OK;
}

hf_status hf_space_tree_search(hf_space_tree* t, const hf_space* space, const hf_space_tree_options* options,
                               const double* start, const double* goal, hf_workspace* workspace) {
    hf_space_states none = hf_space_states_start(space->width, workspace);
    *t = (hf_space_tree){.space = space,
                         .workspace = workspace,
                         .sides = {{.states = none}, {.states = none}},
                         .gap = INFINITY};
    growth g = {.tree = t, .options = options};
    g.target = hf_workspace_take(workspace, (size_t)space->width + 1, sizeof *g.target);
    g.state = hf_workspace_take(workspace, (size_t)space->width + 1, sizeof *g.state);
    if (!g.target || !g.state) return HF_ERROR_MEMORY;
    hf_status status = add(t, 0, start, -1);
    if (status == HF_OK) status = add(t, 1, goal, -1);
    if (status == HF_OK && options->direct) status = grow_directly(&g, goal);
    for (int side = 0; status == HF_OK && goes_on(&g); side = !side) status = grow_both(&g, side);
    return status;
}

hf_status hf_space_tree_branch(const hf_space_tree* t, int side, int state, hf_space_rows* path) {
    int first = path->count;
    hf_status status = HF_OK;
    for (int i = state; i >= 0 && status == HF_OK; i = t->sides[side].parents[i])
        status = hf_space_rows_add(path, state_of(t, side, i));
    if (side == 0) hf_space_rows_reverse(path, first);
    return status;
}

hf_status hf_space_tree_way(const hf_space_tree* t, hf_space_rows* path) {
    hf_status status = hf_space_tree_branch(t, 0, t->ends[0], path);
    // both sides have the state where they met
    int last = t->sides[1].parents[t->ends[1]];
    return status == HF_OK && last >= 0 ? hf_space_tree_branch(t, 1, last, path) : status;
}
