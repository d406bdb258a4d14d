/* A plan is simplified once it has arrived. The search makes one change after the other and does not look
   back: a limb moves twice where once would do, or takes a support that nothing needs. Here a contact, or the
   lack of one, is taken out of the way of a limb: the contact before it lasts longer, or the one after it is
   made at once. The changes in between are made again with the conditions of the search, about the poses that
   they have; the way counts when it becomes shorter and every change holds. Then moves of the body between
   two swings are taken out where the body can be, at the end of one swing, where the next one begins or the
   other way round. */
#include "plan/step.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

/* The way through the tree that is simplified. */
typedef struct course {
    hf_planner* planner;
    int count, budget; /* stances; changes that may still be made */
    int* nodes;        /* of the tree, from the start on */
} course;

static hf_plan_node* node_at(const course* c, int i) { return &c->planner->tree.nodes[c->nodes[i]]; }

static int knot_count(const hf_plan_node* n) { return n->end_knot - n->first_knot; }

static const hf_plan_hold* hold_of(const hf_plan_node* n, int limb) {
    int own = hf_holds_find(n->holds, n->hold_count, limb);
    return own < 0 ? NULL : &n->holds[own];
}

/* The knots of the swing within a change; none where a limb without joints left, or the body only moved. */
static void find_swing(const hf_planner* p, const hf_plan_node* n, int* first, int* end) {
    const hf_plan_knot* knots = p->tree.knots.items;
    *first = n->first_knot;
    while (*first < n->end_knot && knots[*first].swing < 0) ++*first;
    *end = *first;
    while (*end < n->end_knot && knots[*end].swing >= 0) ++*end;
}

/* The poses in which the limb leaves and arrives. */
static hf_pose departure_of(const hf_planner* p, const hf_plan_node* n) {
    int first, end;
    find_swing(p, n, &first, &end);
    return hf_knots_pose(&p->tree.knots, first < end ? first : n->end_knot - 1);
}
static hf_pose arrival_of(const hf_planner* p, const hf_plan_node* n) {
    int first, end;
    find_swing(p, n, &first, &end);
    return hf_knots_pose(&p->tree.knots, first < end ? end - 1 : n->end_knot - 1);
}

/* Is the stance, reached from rest, a change of one limb or a move of the body? */
static bool is_still(const course* c, int i) { return node_at(c, i)->pace == HF_PLAN_AT_REST; }

/* ---- new stances behind the tree ---- */

/* The tree as it was before a trial. */
typedef struct trial {
    int node_count, knot_count, parent;
    bool sketch; /* poses are found, no knots are made */
} trial;

static trial begin_trial(const course* c, int before) {
    const hf_plan_tree* t = &c->planner->tree;
    return (trial){t->node_count, t->knots.count, c->nodes[before], false};
}

static void end_trial(course* c, const trial* t) {
    c->planner->tree.node_count = t->node_count;
    c->planner->tree.knots.count = t->knot_count;
}

/* The stance behind the tree whose knots from `first` on are made becomes one of it. */
static void adopt(course* c, trial* t, int first) {
    hf_plan_tree* tree = &c->planner->tree;
    hf_plan_node* n = &tree->nodes[tree->node_count];
    n->parent = t->parent;
    n->first_knot = first, n->end_knot = tree->knots.count;
    n->pace = HF_PLAN_AT_REST;
    t->parent = tree->node_count++;
}

/* How far apart two poses are that are the same but for how exactly holds are kept, m and rad. */
static const double SAME = 1e-6;
/* How far the end of a new move may be from where the knots behind it begin, m and rad: at 120 frames a
   second a step of that size from rest is an acceleration of 1.4 rad/s2, far below what limits and contacts
   allow. */
static const double SEAM = 1e-4;

static bool are_near(const course* c, const hf_pose* a, const hf_pose* b, double near) {
    if (hf_distance(a->root.position, b->root.position) > near ||
        hf_quat_angle(a->root.rotation, b->root.rotation) > near)
        return false;
    for (int i = 0; i < c->planner->world.view->q_count; i++)
        if (fabs(a->q[i] - b->q[i]) > near) return false;
    return true;
}

static hf_plan_node* next_node(course* c) {
    hf_plan_tree* t = &c->planner->tree;
    return t->node_count < HF_MAX_STANCES ? &t->nodes[t->node_count] : NULL;
}

/* One limb from the last stance to the hold (NULL: none), about two poses. */
static bool change_limb(course* c, trial* t, int limb, const hf_plan_hold* to, const hf_pose* departure,
                        const hf_pose* arrival, bool exact) {
    hf_planner* p = c->planner;
    hf_plan_node *n = &p->tree.nodes[t->parent], *child = next_node(c);
    hf_step_wish wish = {to, departure, hf_pose_margin(p), arrival, exact, t->sketch};
    int first = p->tree.knots.count, work = p->progress.work;
    bool blocked;
    if (!child || c->budget <= 0) return false;
    c->budget -= !t->sketch;
    p->tree.node_index = t->parent;
    bool shut = n->shut;
    n->shut = true; // a way around something would take longer than what is saved
    bool made = to ? hf_step_limb(p, n, limb, &wish, false, child, &blocked)
                   : hf_step_release(p, n, limb, &wish, child);
    n->shut = shut;
    p->progress.work = work; // of the search alone
    if (made) adopt(c, t, first);
    return made;
}

/* Copies the knots of another stance behind those of the one that is being made. */
static bool copy_knots(course* c, int from, int end, int parent, int node) {
    hf_planner* p = c->planner;
    for (int k = from; k < end; k++) {
        hf_plan_knot knot = p->tree.knots.items[k];
        hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
        hf_pose pose = hf_take_pose(p), at = hf_knots_pose(&p->tree.knots, k);
        if (hf_plan_ok(p)) hf_pose_copy(&p->world, &at, &pose); // the store may move as it grows
        bool added =
            hf_plan_ok(p) &&
            hf_plan_note(p, hf_knots_add(&p->tree.knots, &pose, knot.swing < 0 ? parent : node, knot.swing));
        hf_workspace_end(p->tools.workspace, mark);
        if (!added) return false;
    }
    return true;
}

static void copy_node(course* c, const hf_plan_node* from, hf_plan_node* to) {
    double* q = to->pose.q;
    *to = *from;
    to->pose.q = q;
    hf_pose_copy(&c->planner->world, &from->pose, &to->pose);
}

/* The body from the last stance to a pose of the same holds. */
static bool move_to(course* c, const trial* t, const hf_pose* to) {
    hf_planner* p = c->planner;
    const hf_plan_node* n = &p->tree.nodes[t->parent];
    if (are_near(c, &n->pose, to, SAME))
        return hf_plan_note(p, hf_knots_add(&p->tree.knots, to, t->parent, -1)); // a rest between two swings
    const hf_stance* stance = hf_stance_borrow(p, n->holds, n->hold_count, -1);
    bool moved = stance && hf_segment_move(p, n->holds, n->hold_count, stance, t->parent, &n->pose, to);
    hf_stance_return(p, stance);
    if (!moved) return false;
    // a move keeps its holds exactly and may end in another posture than the one that was asked for
    hf_pose end = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
    return are_near(c, &end, to, SEAM);
}

/* The stance `i` of the course again, its swing and what follows as they are: the body gets from the last one
   to where that begins. */
static bool join(course* c, trial* t, int i) {
    hf_planner* p = c->planner;
    const hf_plan_node* old = node_at(c, i);
    hf_plan_node* child = next_node(c);
    int begin, end, first = p->tree.knots.count;
    if (!child) return false;
    find_swing(p, old, &begin, &end);
    if (begin == end) begin = old->end_knot - 1; // of a move only where it ends
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose to = hf_take_pose(p), at = hf_knots_pose(&p->tree.knots, begin);
    if (to.q) hf_pose_copy(&p->world, &at, &to);
    bool joined = to.q && move_to(c, t, &to);
    hf_workspace_end(p->tools.workspace, mark);
    if (!joined || !copy_knots(c, begin, old->end_knot, p->tree.node_count, p->tree.node_count)) return false;
    copy_node(c, old, child);
    adopt(c, t, first);
    return true;
}

/* Puts the new stances in place of those of the course from `from` to `to`. */
static void splice(course* c, const trial* t, int from, int to) {
    hf_plan_tree* tree = &c->planner->tree;
    int made = tree->node_count - t->node_count, rest = c->count - to - 1;
    memmove(c->nodes + from + made, c->nodes + to + 1, sizeof *c->nodes * (size_t)rest);
    for (int i = 0; i < made; i++) c->nodes[from + i] = t->node_count + i;
    c->count = from + made + rest;
    if (rest == 0) return;
    // the next stance begins from the last new one
    int next = c->nodes[from + made];
    tree->nodes[next].parent = c->nodes[from + made - 1];
    for (int k = tree->nodes[next].first_knot; k < tree->nodes[next].end_knot; k++)
        if (tree->knots.items[k].node != next) tree->knots.items[k].node = tree->nodes[next].parent;
}

/* ---- contacts ---- */

static bool is_same_hold(const hf_plan_hold* a, const hf_plan_hold* b) {
    if (!a || !b) return a == b;
    bool turned = a->anchor.flat != b->anchor.flat ||
                  (a->anchor.flat && hf_quat_angle(a->anchor.rotation, b->anchor.rotation) > SAME);
    return a->at.frame == b->at.frame && a->at.object == b->at.object && a->at.grip == b->at.grip &&
           !turned && hf_distance(a->at.point, b->at.point) <= 0;
}

/* Stances between two of the course are left out: each limb that holds elsewhere in the second goes there
   once, about the poses of its first or of its last change between them. */
typedef struct shortcut {
    int from, to;
    int count, saved;          /* changes that are left, and that are not made any more */
    int changes[HF_MAX_HOLDS]; /* stances of the course whose limbs change, in this order */
} shortcut;

/* The changes that are left; false where there are too many limbs, or a move that is not from rest. */
static bool list_changes(const course* c, bool first, shortcut* s) {
    const hf_plan_node *a = node_at(c, s->from), *b = node_at(c, s->to);
    int all = 0;
    s->count = 0;
    for (int i = s->from + 1; i <= s->to; i++) {
        int limb = node_at(c, i)->last_limb, other = first ? s->from + 1 : i + 1;
        if (!is_still(c, i)) return false;
        if (limb < 0) continue;
        all++;
        while (other < (first ? i : s->to + 1) && node_at(c, other)->last_limb != limb) other++;
        if (other < (first ? i : s->to + 1) || is_same_hold(hold_of(a, limb), hold_of(b, limb))) continue;
        if (s->count == HF_MAX_HOLDS) return false;
        s->changes[s->count++] = i;
    }
    s->saved = all - s->count;
    return true;
}

/* Could the body about keep the holds in the pose, and balance on all but those of a limb? */
static bool may_stand(course* c, const hf_plan_hold* holds, int count, int limb, const hf_pose* at,
                      hf_pose* pose) {
    hf_planner* p = c->planner;
    double near = HF_LARGE_SHIFT * p->world.model->size;
    int others = 0;
    for (int i = 0; i < count; i++) {
        hf_vec3 pull;
        hf_pose_copy(&p->world, at, pose);
        if (!hf_holds_keep(p, &holds[i], 1, pose, &pull) && hf_length(pull) > near) return false;
        others += holds[i].at.limb != limb;
    }
    const hf_stance* stance = others > 0 ? hf_stance_borrow(p, holds, count, limb) : NULL;
    bool stands = stance && hf_stance_margin(stance, hf_com_at(p, at)) > -near;
    hf_stance_return(p, stance);
    return stands;
}

/* The limb holds there (NULL: nowhere) from now on; false where another one excludes it. */
static bool set_hold(const course* c, int limb, const hf_plan_hold* to, hf_plan_hold* holds, int* count) {
    int own = hf_holds_find(holds, *count, limb);
    if (own >= 0) holds[own] = holds[--*count];
    if (!to) return *count > 0;
    if (*count == HF_MAX_HOLDS || !hf_limb_idle(&c->planner->world, holds, *count, limb)) return false;
    holds[(*count)++] = *to;
    return true;
}

/* What refuses most shortcuts at little cost: the poses of the changes as they are. */
static bool is_plausible(course* c, const shortcut* s) {
    hf_planner* p = c->planner;
    const hf_plan_node *a = node_at(c, s->from), *b = node_at(c, s->to);
    hf_plan_hold holds[HF_MAX_HOLDS];
    int count = a->hold_count;
    memcpy(holds, a->holds, sizeof *holds * (size_t)count);
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    bool good = pose.q != NULL;
    for (int i = 0; i < s->count && good; i++) {
        const hf_plan_node* n = node_at(c, s->changes[i]);
        hf_pose leaves = departure_of(p, n), arrives = arrival_of(p, n);
        good = may_stand(c, holds, count, n->last_limb, &leaves, &pose) &&
               set_hold(c, n->last_limb, hold_of(b, n->last_limb), holds, &count) &&
               may_stand(c, holds, count, n->last_limb, &arrives, &pose);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return good && hf_plan_ok(p);
}

/* The limb of stance `i` from the last new stance on to where it holds in stance `to`, about these poses. */
static bool repeat_change(course* c, trial* t, int i, int to, const hf_pose* departure,
                          const hf_pose* arrival, bool exact) {
    int limb = node_at(c, i)->last_limb;
    const hf_plan_hold* next = hold_of(node_at(c, to), limb);
    hf_plan_hold hold;
    if (next) hold = *next;
    return change_limb(c, t, limb, next ? &hold : NULL, departure, arrival, exact);
}

/* The same about the poses that the change has. */
static bool change_again(course* c, trial* t, int i, int to) {
    hf_planner* p = c->planner;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose poses[2] = {hf_take_pose(p), hf_take_pose(p)};
    bool made = hf_plan_ok(p);
    if (made) {
        hf_pose a = departure_of(p, node_at(c, i)), b = arrival_of(p, node_at(c, i));
        hf_pose_copy(&p->world, &a, &poses[0]);
        hf_pose_copy(&p->world, &b, &poses[1]);
        made = repeat_change(c, t, i, to, &poses[0], &poses[1], false);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return made;
}

/* From the last new stance to where the course goes on behind stance `to`; *next is then what follows. */
static bool join_behind(course* c, trial* t, int to, int* next) {
    *next = to + 1;
    if (are_near(c, &c->planner->tree.nodes[t->parent].pose, &node_at(c, to)->pose, SAME)) return true;
    if (*next == c->count || !is_still(c, *next)) {
        // a walk begins exactly where it did
        hf_planner* p = c->planner;
        const hf_plan_node* old = node_at(c, to);
        hf_plan_node* child = next_node(c);
        int first = p->tree.knots.count;
        if (!child || !move_to(c, t, &old->pose)) return false;
        copy_node(c, old, child);
        child->last_limb = -1;
        adopt(c, t, first);
        return true;
    }
    ++*next;
    return join(c, t, to + 1);
}

/* Puts new stances that were made in place of those of the course from `from` to `to`, where the motion
   becomes shorter by them. */
static bool keep_shorter(course* c, trial* t, int from, int to, bool made) {
    int next = 0, before = 0;
    bool good = made && join_behind(c, t, to, &next);
    for (int i = from; i < next; i++) before += knot_count(node_at(c, i));
    if (good && c->planner->tree.knots.count - t->knot_count < before) {
        splice(c, t, from, next - 1);
        return true;
    }
    end_trial(c, t);
    return false;
}

/* Tries a shortcut that saves so many changes or more; true when the motion has become shorter by it. */
static bool try_shortcut(course* c, int from, int to, bool first, int least) {
    shortcut s = {.from = from, .to = to};
    if (!list_changes(c, first, &s) || s.saved < least || !is_plausible(c, &s)) return false;
    bool good = true;
    trial t;
    for (int round = 0; round < 2 && good; round++) {
        t = begin_trial(c, from);
        t.sketch = round == 0; // poses cost little beside knots
        for (int i = 0; i < s.count && good; i++) good = change_again(c, &t, s.changes[i], to);
        if (round == 0 || !good) end_trial(c, &t);
    }
    return good && keep_shorter(c, &t, from + 1, to, good);
}

/* The stance behind `i` into which the limb changes again; -1: none before a walk or the end. */
static int next_change(const course* c, int i, int limb) {
    for (int k = i + 1; k < c->count && is_still(c, k); k++)
        if (node_at(c, k)->last_limb == limb) return k;
    return -1;
}

/* The contact that the limb of stance `i` made there, or its lack, is left out: the limb stays where it was
   until it changes again, or goes at once to where it then does. */
static bool leave_out(course* c, int i) {
    if (!is_still(c, i) || node_at(c, i)->last_limb < 0) return false;
    int to = next_change(c, i, node_at(c, i)->last_limb);
    return to >= 0 && (try_shortcut(c, i - 1, to, false, 1) || try_shortcut(c, i - 1, to, true, 1));
}

enum { LOOP = 12 }; /* changes within which a way back to about the same stance is looked for */

/* Stances after `i` that lead back to near it are left out: at least half of the changes are saved. */
static bool leave_loop(course* c, int i) {
    int last = i + LOOP < c->count - 1 ? i + LOOP : c->count - 1;
    for (int to = last; to >= i + 3; to--)
        if (try_shortcut(c, i, to, false, (to - i + 1) / 2)) return true;
    return false;
}

/* ---- moves of the body ---- */

/* Stance `i` again from where the one before it ended, or that one again to where this one begins: without
   the move of the body between them. */
static bool skip_move(course* c, int i, bool before) {
    hf_planner* p = c->planner;
    const hf_plan_node *n = node_at(c, i), *last = node_at(c, i - 1);
    int first, end, at = before ? i - 1 : i;
    find_swing(p, n, &first, &end);
    if (first == end || first <= n->first_knot + 1) return false;
    if (before && (i < 2 || !is_still(c, i - 1) || last->last_limb < 0 || !hold_of(last, last->last_limb)))
        return false;
    trial t = begin_trial(c, at - 1);
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose poses[2] = {hf_take_pose(p), hf_take_pose(p)};
    bool good = hf_plan_ok(p);
    if (good) {
        hf_pose a = before ? departure_of(p, last) : last->pose,
                b = before ? departure_of(p, n) : arrival_of(p, n);
        hf_pose_copy(&p->world, &a, &poses[0]);
        hf_pose_copy(&p->world, &b, &poses[1]);
        good = repeat_change(c, &t, at, at, &poses[0], &poses[1], true);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return keep_shorter(c, &t, at, at, good);
}

/* How far the root goes up and down in vain, from where the limb of stance `i` leaves to where that of the
   next one arrives, m. */
static double bob_at(const course* c, int i) {
    const hf_planner* p = c->planner;
    double z[] = {
        departure_of(p, node_at(c, i)).root.position.z, arrival_of(p, node_at(c, i)).root.position.z,
        departure_of(p, node_at(c, i + 1)).root.position.z, arrival_of(p, node_at(c, i + 1)).root.position.z};
    double way = 0;
    for (int k = 0; k < 3; k++) way += fabs(z[k + 1] - z[k]);
    return way - fabs(z[3] - z[0]);
}

/* Two changes again about four poses, those in between on the straight way. A sketch is of use when at least
   half of the bobbing is gone from its first arrival. */
static bool repeat_straight(course* c, trial* t, int i, const hf_pose* poses) {
    hf_planner* p = c->planner;
    double from = poses[0].root.position.z, to = poses[3].root.position.z;
    if (!repeat_change(c, t, i, i, &poses[0], &poses[1], false)) return false;
    double z = p->tree.nodes[t->parent].pose.root.position.z;
    if (t->sketch && 2 * (fabs(z - from) + fabs(to - z) - fabs(to - from)) > bob_at(c, i)) return false;
    return repeat_change(c, t, i + 1, i + 1, &poses[2], &poses[3], false);
}

/* Two changes again, the body between them as near to straight as it can be. */
static bool straighten(course* c, int i) {
    hf_planner* p = c->planner;
    if (!is_still(c, i) || !is_still(c, i + 1) || node_at(c, i)->last_limb < 0 ||
        node_at(c, i + 1)->last_limb < 0 || bob_at(c, i) < HF_SMALL_SHIFT * p->world.model->size)
        return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose poses[4];
    for (int k = 0; k < 4; k++) poses[k] = hf_take_pose(p);
    bool good = hf_plan_ok(p);
    trial t = begin_trial(c, i - 1);
    if (good) {
        hf_pose a = departure_of(p, node_at(c, i)), b = arrival_of(p, node_at(c, i + 1));
        hf_pose_copy(&p->world, &a, &poses[0]);
        hf_pose_copy(&p->world, &b, &poses[3]);
        for (int k = 1; k < 3; k++)
            hf_pose_between(p->world.creature, &poses[0], &poses[3], k / 3.0, &poses[k]);
        t.sketch = true;
        good = repeat_straight(c, &t, i, poses);
        end_trial(c, &t);
        t = begin_trial(c, i - 1);
        good = good && repeat_straight(c, &t, i, poses);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return keep_shorter(c, &t, i, i + 1, good);
}

/* ---- the whole ---- */

static void simplify(course* c) {
    hf_planner* p = c->planner;
    for (int i = 1; i < c->count && c->budget > 0 && hf_workspace_goes_on(p->tools.workspace);)
        if (!leave_out(c, i)) i++;
    for (int i = 0; i < c->count && c->budget > 0 && hf_workspace_goes_on(p->tools.workspace); i++)
        leave_loop(c, i);
    for (int i = 1; i < c->count && c->budget > 0 && hf_workspace_goes_on(p->tools.workspace); i++)
        if (is_still(c, i) && node_at(c, i)->last_limb >= 0 && !skip_move(c, i, false)) skip_move(c, i, true);
    for (int i = 1; i + 1 < c->count && c->budget > 0 && hf_workspace_goes_on(p->tools.workspace); i++)
        straighten(c, i);
}

bool hf_plan_simplify(hf_planner* p) {
    hf_plan_tree* t = &p->tree;
    if (p->world.options->simplify == 0) return true;
    if (!hf_plan_keep(p, t->node_index)) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    course c = {.planner = p,
                .count = t->node_count,
                .budget = t->node_count * p->world.options->simplify,
                .nodes = hf_workspace_take(p->tools.workspace, HF_MAX_STANCES, sizeof *c.nodes)};
    if (!c.nodes) hf_plan_note(p, HF_ERROR_MEMORY);
    for (int i = 0; c.nodes && i < c.count; i++) c.nodes[i] = i;
    if (c.nodes) simplify(&c);
    if (c.nodes) t->node_index = t->farthest = c.nodes[c.count - 1];
    hf_workspace_end(p->tools.workspace, mark);
    return hf_plan_ok(p);
}
