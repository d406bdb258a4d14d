/* Legs of a plan. Where the guide goes from standing to all limbs and back, the way between is crawled: the
   body walks to where it has room to come down, changes its family there, crawls to where it has room to
   stand up again, and does so. Standing up is coming down played backwards: what every frame keeps (holds,
   clearance, speeds, balance at rest and in motion) does not depend on the direction of time. */
#include "plan/descent.h"
#include "plan/family.h"

#include "base/memory.h"

#include <string.h>

/* What legs are of. */
typedef struct leg_query {
    hf_planner* planner;
    const hf_plan_query* query;
    hf_plan_result* result;
    const hf_descent* descent; /* of the first stretch on all limbs on */
    int patience;
    hf_plan_why why; /* of the last leg; never HF_PLAN_DONE, as no leg ends at the goal of the plan */
} leg_query;

/* ---- the guide ---- */

/* The guide up to pose `from`, another one from the root on to the state, and the rest from `tail` on. *last
   is where the new part ends. */
static bool renew_guide(leg_query* l, int from, hf_transform root, const hf_scenario_state* goal, int tail,
                        int* last) {
    hf_planner* p = l->planner;
    hf_plan_query q = *l->query;
    hf_transform* old = p->own_guide;
    int count = p->world.guide_count, rest = count - tail;
    bool found = false;
    p->own_guide = NULL;
    q.goal = goal, q.roadmap = NULL;
    hf_plan_note(p, hf_plan_choose_guide(p, &q, root, 1, l->result, &found));
    hf_transform *part = p->own_guide, *whole = NULL;
    int length = p->world.guide_count;
    if (hf_plan_ok(p) && found) {
        whole = hf_alloc((size_t)(from + 1 + length + rest), sizeof *whole);
        if (!whole) hf_plan_note(p, HF_ERROR_MEMORY);
    }
    if (whole) {
        memcpy(whole, old, sizeof *whole * (size_t)(from + 1));
        memcpy(whole + from + 1, part, sizeof *whole * (size_t)length);
        if (rest > 0) memcpy(whole + from + 1 + length, old + tail, sizeof *whole * (size_t)rest);
        count = from + 1 + length + rest;
        hf_free(old);
    }
    hf_free(part);
    p->world.guide = p->own_guide = whole ? whole : old;
    p->world.guide_count = count;
    *last = from + length;
    return whole != NULL;
}

/* ---- legs ---- */

/* The search goes on from the last stance alone, at the guide pose. */
static bool go_on_from(hf_planner* p, int guide_index) {
    hf_plan_tree* t = &p->tree;
    if (!hf_plan_keep(p, t->node_index)) return false;
    for (int i = 0; i + 1 < t->node_count; i++) t->nodes[i].option = -1;
    hf_plan_node* n = &t->nodes[t->node_index];
    n->guide_index = guide_index;
    hf_spots_forget(&p->world);
    for (int i = 0; i < n->hold_count && hf_plan_ok(p); i++) {
        hf_hold_span(&p->world, guide_index, &n->holds[i]);
        hf_hold_tighten(p, guide_index, &n->pose, &n->holds[i]);
    }
    hf_plan_renew(p, n);
    return hf_plan_ok(p);
}

/* Searches from the last stance, at guide pose `from`, to a whole state, along a guide of its own; the guide
   goes on at *tail, where the rest of it is afterwards. */
static bool search_to(leg_query* l, int from, const hf_pose* pose, const hf_plan_hold* holds, int count,
                      int* tail) {
    hf_planner* p = l->planner;
    hf_hold contacts[HF_MAX_HOLDS];
    for (int i = 0; i < count; i++) contacts[i] = holds[i].at;
    hf_scenario_state state = {.pose = *pose, .whole = true, .contact_count = count, .contacts = contacts};
    hf_transform root = p->tree.nodes[p->tree.node_index].pose.root;
    int last;
    if (!renew_guide(l, from, root, &state, *tail, &last)) return false;
    int all = p->world.guide_count;
    *tail = last + 1;
    p->world.guide_count = last + 1;
    hf_plan_home(p, pose->q);
    hf_plan_why why = go_on_from(p, from + 1) ? hf_plan_search(p, &state, l->patience) : HF_PLAN_NO_CONTACT;
    p->world.guide_count = all;
    l->why = why == HF_PLAN_DONE ? HF_PLAN_NO_CONTACT : why;
    return why == HF_PLAN_DONE;
}

/* The model's descent where it is of the options' rate and margin, else the planner's own, which is searched
   once; NULL: there is none. */
static const hf_descent* find_descent(hf_planner* p) {
    const hf_descent* of_model = p->world.model->descent;
    const hf_plan_options* o = p->world.options;
    if (!of_model || (of_model->rate == o->rate && of_model->margin_m >= o->margin_m)) return of_model;
    if (p->has_own_descent) return p->own_descent;
    hf_plan_note(
        p, hf_descent_find(p->world.model, o, p->progress.report, p->progress.user, &p->own_descent, NULL));
    // whether there is one is not known when the search was cancelled
    p->has_own_descent = hf_workspace_goes_on(p->tools.workspace) || p->own_descent;
    return p->own_descent;
}

/* The descent from standing at the guide pose; false where it is not free there. */
static bool place_at(leg_query* l, int index, hf_descent** placed) {
    hf_planner* p = l->planner;
    hf_transform at = hf_root_upright(p->world.guide[index]);
    hf_surface hit;
    *placed = NULL;
    if (hf_root_is_bent(&p->world, p->world.guide[index]) ||
        !hf_placement_ray(p->world.placement, at.position, hf_v3(0, 0, -1), p->world.view->height, &hit))
        return false;
    at.position = hit.point;
    if (hf_descent_place(p, l->descent, at, placed)) return true;
    hf_descent_free(*placed);
    *placed = NULL;
    return false;
}

/* The first guide pose from `from` on towards `to` with room for the descent; -1: none. */
static int find_place(leg_query* l, int from, int to, hf_descent** placed) {
    hf_planner* p = l->planner;
    int stride = hf_guide_stride(&p->world), step = to < from ? -stride : stride;
    for (int i = from; (step < 0 ? i >= to : i <= to) && hf_plan_ok(p); i += step)
        if (place_at(l, i, placed)) return i;
    return -1;
}

/* Where the body comes down before guide pose `low`: where it is, unless a limb could not reach so far. */
static int find_start(leg_query* l, int low, hf_descent** placed) {
    hf_planner* p = l->planner;
    int from = p->tree.nodes[p->tree.node_index].guide_index, place = find_place(l, low, from, placed);
    if (place < 0) return -1;
    hf_vec3 way = hf_sub(p->world.guide[place].position, p->world.guide[from].position);
    if (hf_hypot(way.x, way.y) > p->world.model->rest_height) return place;
    hf_descent* here;
    if (!place_at(l, from, &here)) return place;
    hf_descent_free(*placed);
    *placed = here;
    return from;
}

/* To a stance of a descent; the guide goes on at *tail. */
static bool search_to_stance(leg_query* l, const hf_plan_node* n, int* tail) {
    int from = l->planner->tree.nodes[l->planner->tree.node_index].guide_index;
    return search_to(l, from, &n->pose, n->holds, n->hold_count, tail);
}

/* One stretch on all limbs: down to it (NULL: the body is there), along it, and up again (NULL: the goal is
   there). The guide goes on at `tail`. When true it goes on from the last stance to the goal. */
static bool cross(leg_query* l, const hf_descent* down, const hf_descent* up, int tail) {
    hf_planner* p = l->planner;
    int last;
    if (down && !(search_to_stance(l, &down->nodes[0], &tail) && hf_descent_play(p, down, false, tail - 1)))
        return false;
    if (up &&
        !(search_to_stance(l, &up->nodes[up->count - 1], &tail) && hf_descent_play(p, up, true, tail - 1)))
        return false;
    hf_plan_home(p, up ? p->world.model->standing : p->world.model->bent_q);
    return renew_guide(l, tail - 1, p->tree.nodes[p->tree.node_index].pose.root, l->query->goal,
                       p->world.guide_count, &last) &&
           go_on_from(p, tail);
}

/* The next stretch of the guide on all limbs; *crossed when the body is behind it, or on it where it ends at
   the goal. False where there is none, or no descent, or no room to come down to it or to stand up. */
static bool cross_next(leg_query* l, bool* crossed) {
    hf_planner* p = l->planner;
    const hf_plan_world* w = &p->world;
    int at = p->tree.nodes[p->tree.node_index].guide_index, low = at, last = w->guide_count - 1;
    while (low <= last && !hf_root_is_bent(w, w->guide[low])) low++;
    int high = low;
    while (high <= last && hf_root_is_bent(w, w->guide[high])) high++;
    if (low > last || (low == at && high > last)) return false;
    if (!(l->descent = find_descent(p))) return false;
    hf_descent *down = NULL, *up = NULL;
    int tail = low == at || find_start(l, low, &down) >= 0 ? w->guide_count : -1;
    if (tail >= 0 && high <= last) tail = find_place(l, high, last, &up);
    *crossed = tail >= 0 && cross(l, down, up, tail);
    hf_descent_free(down);
    hf_descent_free(up);
    return tail >= 0;
}

/* All stretches on all limbs, one after the other. */
static bool cross_all(leg_query* l) {
    hf_planner* p = l->planner;
    bool crossed = true;
    while (crossed && hf_plan_ok(p) && p->progress.work < p->world.options->max_work)
        if (!cross_next(l, &crossed)) return true;
    return false;
}

bool hf_plan_legs(hf_planner* p, const hf_plan_query* query, hf_plan_result* result, int patience) {
    leg_query l = {p, query, result, NULL, patience, HF_PLAN_NO_CONTACT};
    bool good = !p->own_guide || cross_all(&l);
    if (hf_workspace_cancelled(p->tools.workspace)) p->progress.cancelled = true;
    if (!good) result->why = p->progress.work < p->world.options->max_work ? l.why : HF_PLAN_WORK_ENDED;
    return good && hf_plan_ok(p);
}
