/* The search for stances along a guide (thesis-2015 Algorithm 7 with backtracking): depth first, the limb
   first whose contact ends soonest; where nothing goes on, back to another contact, another limb, an earlier
   stance. The farther the search has gone back in vain, the larger its jumps, up to a bound. A first pass
   leaves limbs alone that neither walk nor grip: a dead end is then soon known. */
#include "plan/planner.h"

#include <math.h>

enum { MAX_OPTIONS = 64, DEAD_ENDS_A_JUMP = 6, LONGEST_JUMP = 6, FRUGAL_DEAD_ENDS = 60 };

typedef enum change { MOVE, RELEASE, STEP } change; /* STEP: a move to what lies under the body */
typedef struct option {
    change change;
    int limb;
    int order; /* smaller first */
} option;

static bool excluded(const hf_planner* p, const hf_plan_node* n, int limb) {
    const hf_limb* l = &p->view->limbs[limb];
    for (int i = 0; i < l->exclude_count; i++)
        if (hf_holds_find(n->holds, n->hold_count, l->excludes[i]) >= 0) return true;
    return false;
}

/* Has the limb changed since the body last went on? Changing it again would lead in a circle. */
static bool just_changed(const hf_planner* p, int limb) {
    for (int k = p->node_index; k > 0 && p->path[k].guide_index == p->path[k - 1].guide_index; k--)
        if (p->path[k].last_limb == limb) return true;
    return p->path[p->node_index].last_limb == limb;
}

static void add(option* options, int* count, change c, int limb, int order) {
    if (*count == MAX_OPTIONS) return;
    int at = (*count)++;
    while (at > 0 && options[at - 1].order > order) options[at] = options[at - 1], at--;
    options[at] = (option){c, limb, order};
}

/* Walking limbs without contact find one first; then those move whose contacts end soonest; then others are
   taken as help or let go. */
static int list_options(const hf_planner* p, const hf_plan_node* n, option* options) {
    int count = 0, last = p->guide_count;
    for (int l = 0; l < p->view->limb_count; l++) {
        if (!p->model->limbs[l].used) continue;
        int own = hf_holds_find(n->holds, n->hold_count, l);
        bool walks = p->model->limbs[l].walks, again = just_changed(p, l);
        if (own < 0) {
            // what can be gripped is there to be held
            bool grips = p->has_grips && p->view->limbs[l].grip;
            if (p->frugal && !walks && !grips) continue;
            if (!excluded(p, n, l) && !again && walks) add(options, &count, STEP, l, -2);
            if (!excluded(p, n, l) && !again)
                add(options, &count, MOVE, l, walks ? -2 : grips ? -1 : 2 * last);
            continue;
        }
        int until = n->holds[own].until;
        if (again) continue;
        if (walks) add(options, &count, STEP, l, until);
        if (p->view->limbs[l].joint_count > 0) add(options, &count, MOVE, l, until + 1);
        if (p->frugal && walks) continue;
        add(options, &count, RELEASE, l,
            p->view->limbs[l].joint_count == 0 ? -3
            : walks                            ? 3 * last
                                               : last + until);
    }
    return count;
}

static bool all_last(const hf_planner* p, const hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++)
        if (n->holds[i].until < p->guide_count - 1) return false;
    return true;
}

static bool report(hf_planner* p, int farthest) {
    if (p->progress &&
        !p->progress(p->user, (double)farthest / (p->guide_count > 1 ? p->guide_count - 1 : 1), "contacts"))
        p->cancelled = true;
    return !p->cancelled;
}

/* The next change from the last node that works out; false when there is none left. */
static bool go_on(hf_planner* p) {
    hf_plan_node *n = &p->path[p->node_index], *child = n + 1;
    option options[MAX_OPTIONS];
    int count = list_options(p, n, options);
    while (n->option < count && !p->out_of_memory && p->work < p->options->max_work && !p->cancelled) {
        const option* o = &options[n->option];
        hf_step_source source = o->change == STEP ? HF_STEP_FOOTING : HF_STEP_QUERY;
        bool found = o->change == RELEASE ? n->tried++ == 0 && hf_step_release(p, n, o->limb, child)
                                          : hf_step_limb(p, n, o->limb, source, NULL, &n->tried, child);
        if (found) {
            child->option = 0, child->tried = 0;
            p->node_index++;
            return true;
        }
        n->option++, n->tried = 0;
        if (!report(p, p->farthest)) return false;
    }
    return false;
}

static hf_plan_why search(hf_planner* p, const hf_scenario_state* goal) {
    int dead_ends = 0;
    for (;;) {
        hf_plan_node* n = &p->path[p->node_index];
        if (n->guide_index > p->farthest) p->farthest = n->guide_index, dead_ends = 0;
        if (!report(p, p->farthest)) return HF_PLAN_CANCELLED;
        if (n->option == 0 && n->tried == 0 && all_last(p, n) && hf_plan_arrive(p, goal)) return HF_PLAN_DONE;
        if (p->out_of_memory) return HF_PLAN_WORK_ENDED;
        if (p->work >= p->options->max_work) return HF_PLAN_WORK_ENDED;
        if (p->node_index + 1 < HF_MAX_STANCES && go_on(p)) continue;
        if (p->cancelled) return HF_PLAN_CANCELLED;
        if (p->work >= p->options->max_work) return HF_PLAN_WORK_ENDED;
        // back: one stance, or more when that has not helped for long
        hf_plan_keep_best(p);
        int back = 1 + dead_ends++ / DEAD_ENDS_A_JUMP % LONGEST_JUMP;
        if (p->node_index == 0 || (p->frugal && dead_ends > FRUGAL_DEAD_ENDS)) return HF_PLAN_NO_CONTACT;
        p->node_index = p->node_index > back ? p->node_index - back : 0;
        p->frames.count = p->path[p->node_index + 1].first_frame;
    }
}

hf_plan_why hf_plan_search(hf_planner* p, const hf_scenario_state* goal) {
    int first = p->frames.count;
    p->frugal = true;
    hf_plan_why why = search(p, goal);
    if (why != HF_PLAN_NO_CONTACT) return why;
    // again from the start, with all limbs as help
    p->frugal = false;
    p->node_index = p->path[0].option = 0;
    p->path[0].tried = 0;
    p->frames.count = first;
    return search(p, goal);
}
