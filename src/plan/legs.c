/* Legs of a plan. Where the guide goes from standing to all limbs and back, the way between is crawled: the
   body walks to where it has room to come down, changes its family there, crawls to where it has room to
   stand up again, and does so. Standing up is coming down played backwards: what every frame keeps (holds,
   clearance, speeds, balance at rest and in motion) does not depend on the direction of time. */
#include "plan/family.h"

#include "base/memory.h"
#include "plan/bridge.h"

#include <math.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
#define D(...) do { if (getenv("DBG")) { fprintf(stderr, "[%.2f] ", cpu()); fprintf(stderr, __VA_ARGS__); } } while (0)

/* What legs are of. */
typedef struct leg_query {
    hf_planner* planner;
    const hf_plan_query* query;
    hf_plan_result* result;
    int patience;
    hf_plan_why why; /* the last leg ended so */
} leg_query;

/* ---- standing at a place of the guide ---- */

/* The standing posture at the guide pose, on what is below. False where it collides or a limb stands on
   nothing. */
static bool stand_at(hf_planner* p, int index, hf_pose* pose, hf_plan_hold* holds, int* count) {
    const hf_plan_world* w = &p->world;
    hf_transform root = hf_root_upright(w->guide[index]);
    hf_surface hit;
    hf_collision what;
    if (!hf_placement_ray(w->placement, root.position, hf_v3(0, 0, -1), w->view->height, &hit)) return false;
    root.position.z = hit.point.z + w->model->rest_height;
    hf_pose_copy(w, &(hf_pose){root, w->model->standing}, pose);
    *count = hf_family_touch(p, true, false, pose, holds);
    return *count > 0 && !hf_holds_collide(p, holds, *count, -1, pose, &what);
}

/* Has the body room to come down there? */
static bool has_room(hf_planner* p, int index) {
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    int count;
    bool room = pose.q && stand_at(p, index, &pose, holds, &count) && hf_family_has_room(p, holds, count, &pose);
    hf_workspace_end(p->tools.workspace, mark);
    return room;
}

/* ---- coming down, kept aside ---- */

/* Stances and their knots, the first one stands, the last one is on all limbs. */
typedef struct descent {
    int count, place; /* place: pose of the guide where it stands */
    hf_plan_node* nodes;
    double* q;
    hf_knot_store knots;
} descent;

static void free_descent(descent* d) {
    hf_knots_free(&d->knots);
    hf_free(d->nodes);
    hf_free(d->q);
}

/* Copies the stances of the tree from `base` on. */
static bool copy_descent(hf_planner* p, int base, descent* d) {
    const hf_plan_tree* t = &p->tree;
    size_t row = (size_t)p->world.view->q_count;
    d->count = t->node_count - base;
    d->nodes = hf_alloc((size_t)d->count, sizeof *d->nodes);
    d->q = hf_alloc((size_t)d->count * row + 1, sizeof *d->q);
    d->knots.q_count = (int)row;
    if (!d->nodes || !d->q) return hf_plan_note(p, HF_ERROR_MEMORY);
    int first = t->nodes[base].first_knot;
    for (int i = 0; i < d->count; i++) {
        hf_plan_node* n = &d->nodes[i];
        *n = t->nodes[base + i];
        n->pose.q = d->q + (size_t)i * row;
        memcpy(n->pose.q, t->nodes[base + i].pose.q, sizeof(double) * row);
        n->first_knot -= first, n->end_knot -= first;
    }
    for (int k = first; k < t->knots.count; k++) {
        hf_pose pose = hf_knots_pose(&t->knots, k);
        if (!hf_plan_note(p, hf_knots_add(&d->knots, &pose, t->knots.items[k].node - base, t->knots.items[k].swing)))
            return false;
    }
    return true;
}

/* A stance of its own at the guide pose, standing. */
static bool begin_at(hf_planner* p, int index) {
    hf_plan_tree* t = &p->tree;
    hf_plan_node* n = &t->nodes[t->node_count];
    if (t->node_count == HF_MAX_STANCES || !stand_at(p, index, &n->pose, n->holds, &n->hold_count)) return false;
    for (int i = 0; i < n->hold_count; i++) n->holds[i].maker = t->node_count;
    n->guide_index = index, n->first_knot = t->knots.count;
    n->parent = n->last_limb = -1;
    n->pace = HF_PLAN_AT_REST;
    hf_plan_note(p, hf_knots_add(&t->knots, &n->pose, t->node_count, -1));
    n->end_knot = t->knots.count;
    hf_plan_renew(p, n);
    t->node_index = t->node_count++;
    return hf_plan_ok(p);
}

/* How the body comes down at the guide pose; the tree stays as it is. */
static bool find_descent(hf_planner* p, int index, descent* d) {
    hf_plan_tree was = p->tree;
    memset(d, 0, sizeof *d);
    d->place = index;
    bool good = begin_at(p, index) && hf_family_down(p) && copy_descent(p, was.node_count, d);
    was.knots = p->tree.knots, was.knots.count = was.nodes[was.node_count].first_knot;
    if (was.knots.count > p->tree.knots.count) was.knots.count = p->tree.knots.count;
    p->tree = was;
    return good;
}

/* From the last stance, which is the last of the descent, back to its first. */
static bool play_back(hf_planner* p, const descent* d, int guide_index) {
    hf_plan_tree* t = &p->tree;
    for (int k = d->count - 2; k >= 0; k--) {
        if (t->node_count == HF_MAX_STANCES) return false;
        hf_plan_node* n = &t->nodes[t->node_count];
        const hf_plan_node *to = &d->nodes[k], *from = &d->nodes[k + 1];
        n->hold_count = to->hold_count, n->last_limb = from->last_limb, n->guide_index = guide_index;
        memcpy(n->holds, to->holds, sizeof to->holds);
        for (int i = 0; i < n->hold_count; i++) n->holds[i].maker = t->node_count;
        hf_pose_copy(&p->world, &to->pose, &n->pose);
        n->first_knot = t->knots.count;
        for (int i = from->end_knot - 1; i >= from->first_knot; i--) {
            hf_pose pose = hf_knots_pose(&d->knots, i);
            if (!hf_plan_note(p, hf_knots_add(&t->knots, &pose, t->node_count, d->knots.items[i].swing)))
                return false;
        }
        hf_plan_adopt(p, HF_PLAN_AT_REST);
    }
    return true;
}

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
    hf_plan_note(p, hf_plan_choose_guide(p, &q, root, l->result, &found));
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
    if (!hf_spots_find(p, guide_index)) return false;
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
    if (go_on_from(p, from + 1)) l->why = hf_plan_search(p, &state, l->patience);
    p->world.guide_count = all;
    D("leg to %d of %d: why %d at %d work %d\n", last, all, l->why, p->tree.nodes[p->tree.farthest].guide_index, p->progress.work);
    return l->why == HF_PLAN_DONE;
}

/* The next guide pose from `from` on towards `to` where the body has room to come down, there and as far
   before as it sways meanwhile; -1: none. */
static int find_place(hf_planner* p, int from, int to) {
    int stride = hf_guide_stride(&p->world), step = to < from ? -stride : stride, room = 0;
    int sways = (int)ceil(HF_LARGE_SHIFT / (HF_GUIDE_STEP * stride));
    for (int i = from; (step < 0 ? i >= to : i <= to) && hf_plan_ok(p); i += step) {
        bool has = !hf_root_is_bent(&p->world, p->world.guide[i]) && has_room(p, i);
        room = has ? room + 1 : 0;
        if (room > sways) return i;
    }
    return -1;
}

/* How the body stands up where it first can behind guide pose `from`. */
static bool find_rise(hf_planner* p, int from, descent* d) {
    int last = p->world.guide_count - 1;
    for (int at = find_place(p, from, last); at >= 0 && hf_plan_ok(p); at = find_place(p, at - 1, last)) {
        if (find_descent(p, at, d)) return true;
        D("no descent at %d\n", at);
        free_descent(d);
    }
    return false;
}

/* Walks to the guide pose *place where that is farther than a limb reaches; the guide is then another one
   that goes on at *tail. */
static bool walk_to(leg_query* l, int* place, int* tail) {
    hf_planner* p = l->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    int count, from = p->tree.nodes[p->tree.node_index].guide_index;
    hf_vec3 way = hf_sub(p->world.guide[*place].position, p->tree.nodes[p->tree.node_index].pose.root.position);
    if (hf_hypot(way.x, way.y) < p->world.model->rest_height) return true;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    bool there = pose.q && stand_at(p, *place, &pose, holds, &count) &&
                 search_to(l, from, &pose, holds, count, tail);
    hf_workspace_end(p->tools.workspace, mark);
    *place = *tail - 1;
    return there;
}

/* One stretch on all limbs, which is bent from guide pose `low` to `high`. When true the last stance stands
   behind it and the guide goes on from there. */
static bool cross(leg_query* l, int low, int high) {
    hf_planner* p = l->planner;
    int from = p->tree.nodes[p->tree.node_index].guide_index, down = find_place(p, low, from);
    descent d = {0};
    D("bent %d..%d of %d: down %d\n", low, high, p->world.guide_count, down);
    if (down < 0 || !find_rise(p, high, &d)) return false;
    int tail = d.place;
    const hf_plan_node* end = &d.nodes[d.count - 1];
    D("rise found\n");
    bool good = walk_to(l, &down, &tail) && hf_family_down(p);
    D("down %d\n", good);
    good = good &&
                search_to(l, down, &end->pose, end->holds, end->hold_count, &tail) && play_back(p, &d, tail);
    free_descent(&d);
    hf_transform root = p->tree.nodes[p->tree.node_index].pose.root;
    hf_plan_home(p, p->world.model->standing);
    int last;
    return good && renew_guide(l, tail - 1, root, l->query->goal, p->world.guide_count, &last) && go_on_from(p, tail);
}

bool hf_plan_legs(hf_planner* p, const hf_plan_query* query, hf_plan_result* result, int patience) {
    leg_query l = {p, query, result, patience, HF_PLAN_NO_CONTACT};
    while (hf_plan_ok(p) && p->own_guide && p->progress.work < p->world.options->max_work) {
        const hf_plan_world* w = &p->world;
        int low = p->tree.nodes[p->tree.node_index].guide_index;
        bool starts_bent = hf_root_is_bent(w, w->guide[low]);
        while (low < w->guide_count && !hf_root_is_bent(w, w->guide[low])) low++;
        int high = low;
        while (high < w->guide_count && hf_root_is_bent(w, w->guide[high])) high++;
        // what is bent at start or goal has no end to change at
        if (starts_bent || high >= w->guide_count) return true;
        if (!cross(&l, low, high)) break;
    }
    result->why = l.why;
    return false;
}
