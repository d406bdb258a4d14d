/* The search for stances along a guide (thesis-2015 Algorithm 7 with backtracking): a tree of stances, grown
   from the one that is farthest on the way. Each change that does not work out makes its stance worth less,
   so that the search goes back to an earlier one as soon as that looks as good. Changes are tried in the
   order in which contacts end. */
#include "plan/family.h"
#include "plan/step.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_OPTIONS = 64, BLOCKED_TIMES = 3 }; /* times that a limb could not go on from a contact */

typedef enum change { MOVE, SPECULATIVE_STEP, RELEASE } change; /* the second does not seem to lead on */
typedef struct option {
    change change;
    int limb;
    int order; /* smaller first */
} option;

/* What an attempt costs, in guide poses: all that a stance has to offer together, and one that worked out, so
   that the next stance is tried first. */
static double cost_of_all(const hf_planner* p) { return 4 * hf_guide_stride(&p->world); }
static double cost_of_child(const hf_planner* p) { return hf_guide_stride(&p->world); }

static void add(option* options, int* count, change c, int limb, int order) {
    if (*count == MAX_OPTIONS) return;
    int at = (*count)++;
    while (at > 0 && options[at - 1].order > order) options[at] = options[at - 1], at--;
    options[at] = (option){c, limb, order};
}

/* Walking limbs without contact find one first; then those move whose contacts end soonest; then others are
   taken as help or let go. */
static int list_options(const hf_planner* p, const hf_plan_node* n, option* options) {
    bool bent = hf_root_is_bent(&p->world, p->world.guide[n->guide_index]);
    int count = 0, last = p->world.guide_count, soonest = last;
    for (int i = 0; i < n->hold_count; i++)
        if (p->world.model->limbs[n->holds[i].at.limb].walks && n->holds[i].until < soonest)
            soonest = n->holds[i].until;
    for (int l = 0; l < p->world.view->limb_count; l++) {
        if (!p->world.model->limbs[l].used) continue;
        int own = hf_holds_find(n->holds, n->hold_count, l);
        bool walks = p->world.model->limbs[l].walks;
        if (n->last_limb == l) continue;
        if (own < 0) {
            // what can be gripped is there to be held, once the limbs that walk have had their chance
            bool grips = p->world.has_grips && p->world.view->limbs[l].grip;
            if (hf_limb_idle(&p->world, n->holds, n->hold_count, l))
                add(options, &count, MOVE, l, walks ? -2 : bent ? -1 : grips ? soonest + 1 : 3 * last);
            continue;
        }
        int until = n->holds[own].until;
        if (p->world.view->limbs[l].joint_count > 0) add(options, &count, MOVE, l, until);
        if (walks && n->hold_count <= HF_MANY_HOLDS + 1)
            add(options, &count, SPECULATIVE_STEP, l, last + until);
        add(options, &count, RELEASE, l,
            p->world.view->limbs[l].joint_count == 0 ? -3
            : walks                                  ? 4 * last
                                                     : 2 * last + until);
    }
    return count;
}

/* Do all contacts last to the end, nearly? What is left the body can stretch to. */
static bool all_last(const hf_planner* p, const hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++)
        if (n->holds[i].until < p->world.guide_count - 1 - 2 * hf_guide_stride(&p->world)) return false;
    return true;
}

static bool report(hf_planner* p) {
    double way = p->world.guide_count > 1 ? p->world.guide_count - 1 : 1;
    hf_plan_progress* g = &p->progress;
    if (g->report && !g->report(g->user, p->tree.nodes[p->tree.farthest].guide_index / way, "contacts"))
        g->cancelled = true;
    return !p->progress.cancelled;
}

/* ---- the tree ---- */

/* How long its contacts last, on average; limbs that walk and have none are one that ends now. */
static double lasting(const hf_planner* p, const hf_plan_node* n) {
    int count = n->hold_count;
    double sum = 0;
    for (int i = 0; i < n->hold_count; i++) sum += n->holds[i].until;
    for (int l = 0; l < p->world.view->limb_count; l++)
        if (p->world.model->limbs[l].walks && hf_limb_idle(&p->world, n->holds, n->hold_count, l))
            sum += n->guide_index, count++;
    return sum / count;
}

/* Has the limb that changed for the stance been unable to go on so often that its contact counts as a dead
   end? */
static bool is_blocked(const hf_plan_node* n) { return n->blocked >= BLOCKED_TIMES; }

/* With a contact that its limb cannot leave, a stance is worth no more than the one before it was made. */
static void bound_worth(const hf_planner* p, hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++) {
        const hf_plan_node* maker = &p->tree.nodes[n->holds[i].maker];
        if (!is_blocked(maker)) continue;
        double before = p->tree.nodes[maker->parent].worth - cost_of_all(p);
        n->worth = n->worth < before ? n->worth : before;
    }
}

/* Counts that the limb could not go on from its contact; after a few times all stances with it are worth
   less, so that the search goes back to before it was made, whatever other limbs could still try. */
static void record_blocked(hf_planner* p, const hf_plan_node* n, int limb) {
    int own = hf_holds_find(n->holds, n->hold_count, limb);
    if (own < 0 || n->holds[own].maker == 0) return;
    hf_plan_node* maker = &p->tree.nodes[n->holds[own].maker];
    maker->blocked++;
    if (maker->blocked != BLOCKED_TIMES) return;
    for (int k = n->holds[own].maker; k < p->tree.node_count; k++) bound_worth(p, &p->tree.nodes[k]);
}

/* What a stance promises before anything is tried from it. */
static double promise(const hf_planner* p, const hf_plan_node* n) {
    return n->guide_index + lasting(p, n) / 2;
}

/* How alike two stances are, so that what is in vain from one is likely so from the other: 1 where the same
   limbs hold at the same places, 0 where one of them holds a large shift away. */
static double likeness(const hf_planner* p, const hf_plan_node* a, const hf_plan_node* b) {
    double least = 1;
    if (a->hold_count != b->hold_count || abs(a->guide_index - b->guide_index) > hf_guide_stride(&p->world))
        return 0;
    for (int i = 0; i < a->hold_count && least > 0; i++) {
        int limb = a->holds[i].at.limb, other = hf_holds_find(b->holds, b->hold_count, limb);
        if (other < 0) return 0;
        double apart = hf_distance(a->holds[i].at.point, b->holds[other].at.point);
        least = fmin(least, 1 - apart / (HF_LARGE_SHIFT * p->world.view->limbs[limb].length));
    }
    return fmax(0, least);
}

/* A new stance is worth less by what was tried in vain from one that is like it: half as much as from there,
   as a few centimetres decide at an edge. */
static const double LEARNT = 0.5;
static void learn_from_alike(const hf_planner* p, hf_plan_node* n) {
    double lost = 0;
    for (int k = 0; k < p->tree.node_count; k++) {
        const hf_plan_node* m = &p->tree.nodes[k];
        lost = fmax(lost, LEARNT * likeness(p, m, n) * (promise(p, m) - m->worth));
    }
    n->worth -= lost;
}

void hf_plan_renew(hf_planner* p, hf_plan_node* n) {
    n->option = n->pace == HF_PLAN_WALKING ? -1 : 0, n->found = 0, n->blocked = 0, n->shut = false;
    for (int i = 0; i < n->hold_count; i++) n->holds[i].stuck = n->holds[i].has_speculative_step = false;
    n->worth = promise(p, n);
}

void hf_plan_adopt(hf_planner* p, hf_plan_pace pace) {
    hf_plan_node* n = &p->tree.nodes[p->tree.node_count];
    n->parent = p->tree.node_index;
    n->end_knot = p->tree.knots.count;
    n->pace = pace;
    hf_plan_renew(p, n);
    learn_from_alike(p, n);
    bound_worth(p, n);
    p->tree.node_index = p->tree.node_count++;
    if (pace == HF_PLAN_WALKING || n->guide_index <= p->tree.nodes[p->tree.farthest].guide_index) return;
    p->tree.farthest = p->tree.node_index;
    p->tree.block = (hf_plan_block){.limb = -1, .object = -1};
}

bool hf_plan_is_known(const hf_planner* p, const hf_plan_hold* holds, int count, int index) {
    int same_poses = hf_guide_stride(&p->world);
    for (int k = 0; k < p->tree.node_count; k++) {
        const hf_plan_node* m = &p->tree.nodes[k];
        if (m->hold_count != count || m->guide_index > index + same_poses ||
            m->guide_index < index - same_poses)
            continue;
        int same = 0;
        for (int i = 0; i < count; i++) {
            int own = hf_holds_find(m->holds, m->hold_count, holds[i].at.limb);
            same += own >= 0 && hf_distance(m->holds[own].at.point, holds[i].at.point) <
                                    HF_SMALL_SHIFT * p->world.view->limbs[holds[i].at.limb].length;
        }
        if (same == count) return true;
    }
    return false;
}

/* The stance from which to go on; -1 when none has anything left to try. */
static int choose(const hf_planner* p) {
    int best = -1;
    for (int k = 0; k < p->tree.node_count; k++)
        if (p->tree.nodes[k].option >= 0 && (best < 0 || p->tree.nodes[k].worth >= p->tree.nodes[best].worth))
            best = k;
    return best;
}

/* Tries the next change of the stance. */
static void expand(hf_planner* p) {
    hf_plan_node *n = &p->tree.nodes[p->tree.node_index], *child = &p->tree.nodes[p->tree.node_count];
    option options[MAX_OPTIONS];
    int count = list_options(p, n, options);
    if (n->option >= count) {
        n->option = -1;
        return;
    }
    const option* o = &options[n->option];
    bool blocked = false, found = false;
    bool sits = o->change == RELEASE && p->world.view->limbs[o->limb].joint_count == 0;
    if (o->change == RELEASE)
        found = n->found == 0 && hf_step_release(p, n, o->limb, NULL, child);
    else
        found = n->found < p->world.options->tries &&
                hf_step_limb(p, n, o->limb, NULL, o->change == SPECULATIVE_STEP, child, &blocked);
    bool rises = sits && !found && n->found == 0 && hf_seat_leave(p); // makes stances of its own
    n->found++;
    if (!found) n->option++, n->found = 0;
    n->worth -= found || rises ? cost_of_child(p) : cost_of_all(p) / count;
    // the limb whose turn it is, or one that has a place and finds no way there
    if (!found && !rises && (blocked || (o == options && o->change == MOVE))) record_blocked(p, n, o->limb);
    if (found) hf_plan_adopt(p, HF_PLAN_AT_REST);
}

/* Where the tree is full, only the way to its farthest stance stays; false when that alone fills it. */
static bool make_room(hf_planner* p) {
    hf_plan_tree* t = &p->tree;
    if (t->node_count < HF_MAX_STANCES) return true;
    int last = t->farthest;
    return hf_plan_keep(p, last) && t->node_count < HF_MAX_STANCES / 2;
}

/* Walks on from the stance where that was not tried in vain nearby. */
static bool walks_on(hf_planner* p, const hf_plan_node* n) {
    hf_plan_tree* t = &p->tree;
    if (p->world.still || n->guide_index < t->walk_from) return false;
    bool walked = hf_walk_on(p);
    if (!walked) t->walk_from = n->guide_index + p->world.options->horizon;
    return walked;
}

hf_plan_why hf_plan_search(hf_planner* p, const hf_scenario_state* goal, int patience) {
    hf_plan_tree* t = &p->tree;
    int went_on = p->progress.work, farthest = 0;
    t->walk_from = 0;
    while (hf_plan_ok(p)) {
        p->progress.stalled = p->progress.work - went_on;
        if (!report(p)) return HF_PLAN_CANCELLED;
        if (!make_room(p)) return HF_PLAN_WORK_ENDED;
        t->node_index = choose(p);
        if (t->node_index < 0) return HF_PLAN_NO_CONTACT;
        const hf_plan_node* n = &t->nodes[t->node_index];
        if (n->option == 0 && n->found == 0 && all_last(p, n)) {
            if (hf_plan_arrive(p, goal)) return HF_PLAN_DONE;
            hf_plan_blocked(p, HF_PLAN_NO_ARRIVAL, -1, NULL);
        }
        if (t->nodes[t->farthest].guide_index > farthest)
            farthest = t->nodes[t->farthest].guide_index, went_on = p->progress.work;
        // the farther it came the more would be lost, but for a detour, which keeps the stances before it
        double way = p->world.barred_count > 0 ? 0 : (double)farthest / p->world.guide_count;
        if (p->progress.work >= p->world.options->max_work ||
            p->progress.work - went_on > patience * (1 + 3 * way))
            return HF_PLAN_WORK_ENDED;
        if (n->option > 0 || n->found > 0 || !walks_on(p, n)) expand(p);
    }
    return HF_PLAN_WORK_ENDED;
}
