/* The search for stances along a guide (thesis-2015 Algorithm 7 with backtracking): a tree of stances, grown
   from the one that is farthest on the way. Each change that does not work out makes its stance worth less,
   so that the search goes back to an earlier one as soon as that looks as good. Changes are tried in the
   order in which contacts end. */
#include "plan/planner.h"

enum { MAX_OPTIONS = 64, MAX_CHILDREN = 6 }; /* children: of one option */

typedef enum change { MOVE, ROLL, DARE, RELEASE } change; /* DARE: a move that does not seem to lead on */
typedef struct option {
    change change;
    int limb;
    int order; /* smaller first */
} option;

/* What an attempt costs, in guide poses: all that a stance has to offer together, each one at least, and one
   that worked out, so that the next stance is tried first. */
static const double COST_OF_ALL = 12, COST_OF_CHILD = 3, COST_OF_ROLL = 6;
static const double HOLDS_SHARE = 0.5; /* of how long contacts last, in what a stance is worth */
static const double SAME_PLACE = 0.03; /* of a limb's length */
enum { SAME_POSES = 3, LAST_POSES = 6 };
static const double FAR_PATIENCE = 3; /* more patience near the goal than at the start */
enum { BLOCKED_TIMES = 3 }; /* that a limb could not leave a contact before the contact is to blame */

static void add(option* options, int* count, change c, int limb, int order) {
    if (*count == MAX_OPTIONS) return;
    int at = (*count)++;
    while (at > 0 && options[at - 1].order > order) options[at] = options[at - 1], at--;
    options[at] = (option){c, limb, order};
}

/* Walking limbs without contact find one first; then those move whose contacts end soonest; then others are
   taken as help or let go. Help that ends before all else and cannot move on is let go at once. */
static int list_options(const hf_planner* p, const hf_plan_node* n, option* options) {
    int count = 0, last = p->guide_count, soonest = last, first = last;
    for (int i = 0; i < n->hold_count; i++) {
        int until = n->holds[i].until;
        first = until < first ? until : first;
        if (p->model->limbs[n->holds[i].at.limb].walks && until < soonest) soonest = until;
    }
    for (int l = 0; l < p->view->limb_count; l++) {
        if (!p->model->limbs[l].used) continue;
        int own = hf_holds_find(n->holds, n->hold_count, l);
        bool walks = p->model->limbs[l].walks;
        if (n->last_limb == l) continue;
        if (own < 0) {
            // what can be gripped is there to be held, once the limbs that walk have had their chance
            bool grips = p->has_grips && p->view->limbs[l].grip;
            if (hf_limb_idle(p, n->holds, n->hold_count, l))
                add(options, &count, MOVE, l, walks ? -2 : grips ? soonest + 1 : 3 * last);
            continue;
        }
        int until = n->holds[own].until;
        if (p->view->limbs[l].joint_count > 0) add(options, &count, MOVE, l, until);
        if (p->view->limbs[l].contact_count > 1 && until < last - 1)
            add(options, &count, ROLL, l, last + until);
        if (walks && n->hold_count <= HF_MANY_HOLDS + 1) add(options, &count, DARE, l, last + until);
        add(options, &count, RELEASE, l,
            p->view->limbs[l].joint_count == 0 ? -3
            : walks                            ? 4 * last
            : until == first                   ? until
                                               : 2 * last + until);
    }
    return count;
}

/* Do all contacts last to the end, nearly? What is left the body can stretch to. */
static bool all_last(const hf_planner* p, const hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++)
        if (n->holds[i].until < p->guide_count - 1 - LAST_POSES) return false;
    return true;
}

static bool report(hf_planner* p) {
    double way = p->guide_count > 1 ? p->guide_count - 1 : 1;
    if (p->progress && !p->progress(p->user, p->nodes[p->farthest].guide_index / way, "contacts"))
        p->cancelled = true;
    return !p->cancelled;
}

/* ---- the tree ---- */

/* How long its contacts last, on average; limbs that walk and have none are one that ends now. */
static double lasting(const hf_planner* p, const hf_plan_node* n) {
    int count = n->hold_count;
    double sum = 0;
    for (int i = 0; i < n->hold_count; i++) sum += n->holds[i].until;
    for (int l = 0; l < p->view->limb_count; l++)
        if (p->model->limbs[l].walks && hf_limb_idle(p, n->holds, n->hold_count, l))
            sum += n->guide_index, count++;
    return sum / count;
}

bool hf_plan_is_blocked(const hf_plan_node* n) { return n->blocked >= BLOCKED_TIMES; }

/* With a contact that its limb cannot leave, a stance is worth no more than the one before it was made. */
static void bound_worth(const hf_planner* p, hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++) {
        const hf_plan_node* maker = &p->nodes[n->holds[i].maker];
        if (!hf_plan_is_blocked(maker)) continue;
        double before = p->nodes[maker->parent].worth - COST_OF_ALL;
        n->worth = n->worth < before ? n->worth : before;
    }
}

/* The limb's contact is one that it could not leave. */
static void blame(hf_planner* p, const hf_plan_node* n, int limb) {
    int own = hf_holds_find(n->holds, n->hold_count, limb);
    if (own < 0 || n->holds[own].maker == 0) return;
    hf_plan_node* maker = &p->nodes[n->holds[own].maker];
    maker->blocked++;
    if (maker->blocked != BLOCKED_TIMES) return;
    for (int k = n->holds[own].maker; k < p->node_count; k++) bound_worth(p, &p->nodes[k]);
}

void hf_plan_adopt(hf_planner* p) {
    hf_plan_node* n = &p->nodes[p->node_count];
    n->parent = p->node_index;
    n->end_frame = p->frames.count;
    n->option = 0, n->found = 0, n->blocked = 0;
    for (int i = 0; i < n->hold_count; i++) n->holds[i].stuck = n->holds[i].tempts = false;
    n->worth = n->guide_index + HOLDS_SHARE * lasting(p, n);
    bound_worth(p, n);
    p->node_index = p->node_count++;
    if (n->guide_index > p->nodes[p->farthest].guide_index) p->farthest = p->node_index;
}

/* Is there such a stance already? */
static bool is_known(const hf_planner* p, const hf_plan_node* n) {
    for (int k = 0; k < p->node_count; k++) {
        const hf_plan_node* m = &p->nodes[k];
        if (m->hold_count != n->hold_count || m->guide_index > n->guide_index + SAME_POSES ||
            m->guide_index < n->guide_index - SAME_POSES)
            continue;
        int same = 0;
        for (int i = 0; i < n->hold_count; i++) {
            int own = hf_holds_find(m->holds, m->hold_count, n->holds[i].at.limb);
            same += own >= 0 && hf_distance(m->holds[own].at.point, n->holds[i].at.point) <
                                    SAME_PLACE * p->view->limbs[n->holds[i].at.limb].length;
        }
        if (same == n->hold_count) return true;
    }
    return false;
}

/* The stance from which to go on; -1 when none has anything left to try. */
static int choose(const hf_planner* p) {
    int best = -1;
    for (int k = 0; k < p->node_count; k++)
        if (p->nodes[k].option >= 0 && (best < 0 || p->nodes[k].worth >= p->nodes[best].worth)) best = k;
    return best;
}

/* Tries the next change of the stance. */
static void expand(hf_planner* p) {
    hf_plan_node *n = &p->nodes[p->node_index], *child = &p->nodes[p->node_count];
    option options[MAX_OPTIONS];
    int count = list_options(p, n, options);
    if (n->option >= count) {
        n->option = -1;
        return;
    }
    const option* o = &options[n->option];
    int frames = p->frames.count;
    p->blocked = false;
    bool found = o->change == RELEASE ? n->found == 0 && hf_step_release(p, n, o->limb, child)
                 : o->change == ROLL
                     ? n->found == 0 && hf_step_roll(p, n, o->limb, child)
                     : n->found < MAX_CHILDREN && hf_step_limb(p, n, o->limb, NULL, o->change == DARE, child);
    n->found++;
    if (!found) n->option++, n->found = 0;
    n->worth -= found ? COST_OF_CHILD : COST_OF_ALL / count;
    if (!found && p->blocked) blame(p, n, o->limb);
    if (!found) return;
    if (is_known(p, child)) {
        p->frames.count = frames;
        return;
    }
    hf_plan_adopt(p);
    // the same place once more: what it is good for must show
    if (o->change == ROLL) child->worth -= COST_OF_ROLL;
}

hf_plan_why hf_plan_search(hf_planner* p, const hf_scenario_state* goal, int patience) {
    int went_on = p->work, farthest = 0;
    while (!p->out_of_memory) {
        p->stalled = p->work - went_on;
        if (!report(p)) return HF_PLAN_CANCELLED;
        p->node_index = choose(p);
        if (p->node_index < 0) return HF_PLAN_NO_CONTACT;
        const hf_plan_node* n = &p->nodes[p->node_index];
        if (n->option == 0 && n->found == 0 && all_last(p, n) && hf_plan_arrive(p, goal)) return HF_PLAN_DONE;
        if (p->nodes[p->farthest].guide_index > farthest)
            farthest = p->nodes[p->farthest].guide_index, went_on = p->work;
        // the farther it came the more would be lost
        double way = (double)farthest / p->guide_count;
        if (p->work >= p->options->max_work || p->work - went_on > patience * (1 + FAR_PATIENCE * way))
            return HF_PLAN_WORK_ENDED;
        if (p->node_count == HF_MAX_STANCES) return HF_PLAN_WORK_ENDED;
        expand(p);
    }
    return HF_PLAN_WORK_ENDED;
}
