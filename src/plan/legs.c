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
#define D(...) do { if (getenv("DBG")) fprintf(stderr, __VA_ARGS__); } while (0)

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

/* ---- the guide between ---- */

/* Appends a root to the guide. */
static void add_root(hf_transform* guide, int* count, hf_transform root) { guide[(*count)++] = root; }

/* How far ahead of the root a place is, along where the root looks. */
static double ahead_of(hf_transform root, hf_vec3 place) {
    return hf_unrotate(hf_root_upright(root).rotation, hf_sub(place, root.position)).x;
}

/* The guide pose as the body crawls there. */
static hf_transform crawling(const hf_plan_world* w, hf_transform root, double height) {
    if (hf_root_is_bent(w, root)) return root;
    root = hf_root_upright(root);
    root.position.z = height;
    root.rotation = hf_quat_mul(root.rotation, hf_quat_axis_angle(hf_v3(0, 1, 0), w->model->bent_tilt));
    return root;
}

/* The guide up to `down`, then bent from the one root to the other along it, then from `up` on. *first and
   *last are the ends of the bent part. */
static bool bend_guide(hf_planner* p, int down, int up, hf_transform a, hf_transform b, int* first, int* last) {
    const hf_plan_world* w = &p->world;
    enum { MORE = 64 };
    hf_transform* guide = hf_alloc((size_t)w->guide_count + 2 * MORE, sizeof *guide);
    if (!guide) return hf_plan_note(p, HF_ERROR_MEMORY);
    int count = 0;
    for (int i = 0; i <= down; i++) add_root(guide, &count, w->guide[i]);
    *first = count;
    add_root(guide, &count, a);
    int low = 0, high = w->guide_count - 1;
    while (low < high && ahead_of(a, w->guide[low].position) <= 0) low++;
    while (high > low && ahead_of(b, w->guide[high].position) >= 0) high--;
    for (int i = low; i <= high; i++) add_root(guide, &count, crawling(w, w->guide[i], i - low < high - i ? a.position.z : b.position.z));
    *last = count;
    add_root(guide, &count, b);
    for (int i = up; i < w->guide_count; i++) add_root(guide, &count, w->guide[i]);
    hf_free(p->own_guide);
    p->world.guide = p->own_guide = guide;
    p->world.guide_count = count;
    return true;
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

/* Searches on to a whole state at the guide pose `end`. */
static bool search_to(hf_planner* p, int end, const hf_pose* pose, const hf_plan_hold* holds, int count,
                      int patience, hf_plan_why* why) {
    hf_hold contacts[HF_MAX_HOLDS];
    for (int i = 0; i < count; i++) contacts[i] = holds[i].at;
    hf_scenario_state state = {.pose = *pose, .whole = true, .contact_count = count, .contacts = contacts};
    int all = p->world.guide_count;
    p->world.guide_count = end + 1;
    hf_plan_home(p, pose->q);
    *why = hf_plan_search(p, &state, patience);
    p->world.guide_count = all;
    D("leg to %d of %d: why %d at %d work %d\n", end, all, *why, p->tree.nodes[p->tree.farthest].guide_index, p->progress.work);
    return *why == HF_PLAN_DONE;
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

/* Walks to the guide pose where that is farther than a limb reaches. */
static bool walk_to(hf_planner* p, int place, int patience, hf_plan_why* why) {
    hf_plan_hold holds[HF_MAX_HOLDS];
    int count;
    const hf_plan_world* w = &p->world;
    hf_vec3 way = hf_sub(w->guide[place].position, p->tree.nodes[p->tree.node_index].pose.root.position);
    if (hf_hypot(way.x, way.y) < w->model->rest_height) return true;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose pose = hf_take_pose(p);
    bool there = pose.q && stand_at(p, place, &pose, holds, &count) &&
                 search_to(p, place, &pose, holds, count, patience, why);
    hf_workspace_end(p->tools.workspace, mark);
    return there;
}

/* One stretch on all limbs: bent from guide pose `low` to `high`. The last stance stands behind it when true,
   at *index. */
static bool cross(hf_planner* p, int low, int high, int patience, int* index, hf_plan_why* why) {
    int from = p->tree.nodes[p->tree.node_index].guide_index, first, last;
    descent d = {0};
    int down = find_place(p, low, from);
    D("bent %d..%d of %d: down %d\n", low, high, p->world.guide_count, down);
    if (down < 0 || !find_rise(p, high, &d)) return false;
    bool good = walk_to(p, down, patience, why) && hf_family_down(p) &&
                bend_guide(p, down, d.place, p->tree.nodes[p->tree.node_index].pose.root,
                           d.nodes[d.count - 1].pose.root, &first, &last) &&
                go_on_from(p, first);
    if (good) {
        const hf_plan_node* end = &d.nodes[d.count - 1];
        good = search_to(p, last, &end->pose, end->holds, end->hold_count, patience, why) && play_back(p, &d, last + 1);
    }
    *index = last + 1;
    free_descent(&d);
    return good;
}

bool hf_plan_legs(hf_planner* p, int patience, hf_plan_why* why) {
    int from = 0;
    *why = HF_PLAN_NO_CONTACT;
    for (;;) {
        const hf_plan_world* w = &p->world;
        int low = from;
        while (low < w->guide_count && !hf_root_is_bent(w, w->guide[low])) low++;
        int high = low;
        while (high < w->guide_count && hf_root_is_bent(w, w->guide[high])) high++;
        // what is bent at start or goal has no end to change at
        if (low == 0 || high >= w->guide_count) return true;
        if (!cross(p, low, high, patience, &from, why)) return false;
        hf_plan_home(p, w->model->standing);
        if (!go_on_from(p, from)) return false;
    }
}
