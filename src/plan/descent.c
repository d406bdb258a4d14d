/* Descents: coming down from standing to all limbs (family.c), found once on level ground. */
#include "plan/descent.h"

#include "balance/stance.h"
#include "base/error.h"
#include "base/memory.h"
#include "plan/family.h"
#include "plan/posture_find.h"

#include <math.h>

enum { SEEDS = 4 };   /* that are tried: bodies between two stances are drawn at random */
enum { SPARSE = 16 }; /* one knot of so many tells soon that a place is not free */

void hf_descent_free(hf_descent* d) {
    if (!d) return;
    hf_knots_free(&d->knots);
    hf_free(d->nodes);
    hf_free(d->q);
    hf_free(d);
}

/* Room for stances; NULL when memory is out. */
static hf_descent* make(int count, int q_count) {
    hf_descent* d = hf_alloc(1, sizeof *d);
    size_t row = (size_t)q_count;
    if (!d) return NULL;
    d->count = count, d->knots.q_count = q_count;
    d->nodes = hf_alloc((size_t)count, sizeof *d->nodes);
    d->q = hf_alloc((size_t)count * row + 1, sizeof *d->q);
    for (int i = 0; d->nodes && d->q && i < count; i++) d->nodes[i].pose.q = d->q + (size_t)i * row;
    if (d->nodes && d->q) return d;
    hf_descent_free(d);
    return NULL;
}

/* A stance as it is in another descent. */
static void copy_node(const hf_plan_world* w, const hf_plan_node* from, hf_plan_node* to) {
    double* q = to->pose.q;
    *to = *from;
    to->pose.q = q;
    hf_pose_copy(w, &from->pose, &to->pose);
}

/* ---- on level ground ---- */

/* The stances of the tree, whose first one stands. */
static hf_descent* copy_tree(hf_planner* p) {
    const hf_plan_tree* t = &p->tree;
    hf_descent* d = make(t->node_count, p->world.view->q_count);
    for (int i = 0; d && i < d->count; i++) copy_node(&p->world, &t->nodes[i], &d->nodes[i]);
    for (int k = 0; d && k < t->knots.count && hf_plan_ok(p); k++) {
        hf_pose pose = hf_knots_pose(&t->knots, k);
        hf_plan_note(p, hf_knots_add(&d->knots, &pose, t->knots.items[k].node, t->knots.items[k].swing));
    }
    if (d) d->rate = p->world.options->rate, d->margin_m = p->world.options->margin_m;
    if (!d) hf_plan_note(p, HF_ERROR_MEMORY);
    return d;
}

/* The first stance: standing over the origin. */
static bool stand(hf_planner* p) {
    hf_plan_node* n = &p->tree.nodes[0];
    hf_pose_copy(&p->world, &(hf_pose){p->world.guide[0], p->world.model->standing}, &n->pose);
    hf_plan_home(p, n->pose.q);
    n->hold_count = hf_family_touch(p, true, false, &n->pose, n->holds);
    n->guide_index = n->first_knot = 0, n->end_knot = 1;
    n->parent = n->last_limb = -1;
    n->pace = HF_PLAN_AT_REST;
    p->tree.node_count = 1, p->tree.node_index = p->tree.farthest = p->tree.knots.count = 0;
    if (n->hold_count <= 0 || !hf_plan_note(p, hf_knots_add(&p->tree.knots, &n->pose, 0, -1))) return false;
    hf_plan_renew(p, n);
    return true;
}

static hf_status find_on(hf_planner* p, hf_plan_options* o, hf_descent** descent) {
    hf_status status = hf_planner_begin(p);
    if (status == HF_OK) hf_workspace_watch(p->tools.workspace, p->progress.report, p->progress.user);
    for (int i = 0; i < SEEDS && status == HF_OK && !*descent && hf_workspace_goes_on(p->tools.workspace);
         i++) {
        o->seed = (uint64_t)i + 1;
        if (stand(p) && hf_family_down(p)) *descent = copy_tree(p);
        status = p->tools.status;
    }
    hf_planner_end(p);
    return status;
}

hf_status hf_descent_find(const hf_plan_model* model, const hf_plan_options* options, hf_progress_fn progress,
                          void* user, hf_descent** descent, hf_error* error) {
    hf_plan_options o = *options;
    hf_scene* ground = NULL;
    hf_transform root = {hf_v3(0, 0, model->rest_height), hf_quat_identity()};
    *descent = NULL;
    if (!hf_family_is_known(model)) return HF_OK;
    hf_status status = hf_posture_ground_make(hf_creature_get(model->creature)->height, &ground, error);
    hf_planner p = {.world = {.model = model,
                              .creature = model->creature,
                              .view = hf_creature_get(model->creature),
                              .scene = ground,
                              .options = &o,
                              .still = true,
                              .guide = &root,
                              .guide_count = 1},
                    .progress = {.report = progress, .user = user}};
    if (status == HF_OK) status = hf_fail_status(error, find_on(&p, &o, descent), NULL);
    hf_scene_free(ground);
    return status;
}

/* ---- in a scene ---- */

/* Is the ground at a point of the hold as level and as high as where the descent was found? */
static bool has_ground(const hf_plan_world* w, hf_vec3 at, int* object) {
    hf_surface hit;
    at.z += HF_SKIN;
    if (!hf_placement_ray(w->placement, at, hf_v3(0, 0, -1), 2 * HF_SKIN, &hit)) return false;
    *object = hit.object;
    hf_object_view o = hf_scene_object(w->scene, hit.object);
    return fabs(hit.distance - HF_SKIN) < HF_SKIN / 10 && hit.normal.z > 1 - 1e-6 && o.contact && !o.movable;
}

static bool put_hold(hf_planner* p, hf_transform place, hf_plan_hold* h) {
    int object;
    h->at.point = hf_apply(place, h->at.point), h->at.normal = hf_rotate(place.rotation, h->at.normal);
    h->anchor = hf_anchor_in(place, h->anchor);
    h->support.normal = hf_rotate(place.rotation, h->support.normal);
    for (int i = 0; i < h->support.corner_count; i++) {
        h->support.corners[i] = hf_apply(place, h->support.corners[i]);
        if (!has_ground(&p->world, h->support.corners[i], &object)) return false;
    }
    if (!has_ground(&p->world, h->at.point, &h->at.object)) return false;
    double friction = hf_scene_object(p->world.scene, h->at.object).friction;
    return friction * HF_FRICTION_SHARE >= h->support.friction;
}

static bool is_free(hf_planner* p, const hf_descent* d, int k, int before) {
    const hf_plan_knot* knot = &d->knots.items[k];
    const hf_plan_node* n = &d->nodes[knot->node];
    hf_pose a = hf_knots_pose(&d->knots, before), b = hf_knots_pose(&d->knots, k);
    hf_hold touches[HF_MAX_HOLDS];
    hf_collision_query q = hf_collision_query_default();
    bool collides = true;
    q.touches = touches;
    q.touch_count = hf_holds_touches(n->holds, n->hold_count, knot->swing, touches);
    q.clearance = p->tools.clearance;
    hf_plan_note(p, hf_move_collides(p->world.creature, p->world.placement, &a, &b, &q, p->tools.workspace,
                                     &collides, NULL));
    return !collides;
}

static bool all_free(hf_planner* p, const hf_descent* d) {
    for (int k = SPARSE; k < d->knots.count && hf_plan_ok(p); k += SPARSE)
        if (!is_free(p, d, k, k)) return false;
    for (int k = 1; k < d->knots.count && hf_plan_ok(p); k++)
        if (!is_free(p, d, k, k - 1)) return false;
    return hf_plan_ok(p);
}

bool hf_descent_place(hf_planner* p, const hf_descent* d, hf_transform place, hf_descent** placed) {
    hf_descent* to = *placed = make(d->count, p->world.view->q_count);
    if (!to) return hf_plan_note(p, HF_ERROR_MEMORY);
    to->rate = d->rate, to->margin_m = d->margin_m;
    for (int i = 0; i < d->count; i++) {
        hf_plan_node* n = &to->nodes[i];
        copy_node(&p->world, &d->nodes[i], n);
        n->pose.root = hf_compose(place, n->pose.root);
        for (int h = 0; h < n->hold_count; h++)
            if (!put_hold(p, place, &n->holds[h])) return false;
    }
    for (int k = 0; k < d->knots.count && hf_plan_ok(p); k++) {
        hf_pose pose = hf_knots_pose(&d->knots, k);
        pose.root = hf_compose(place, pose.root);
        hf_plan_note(p, hf_knots_add(&to->knots, &pose, d->knots.items[k].node, d->knots.items[k].swing));
    }
    return hf_plan_ok(p) && all_free(p, to);
}

/* The stance `to`, which is beside the last one, by the knots of the change between them. */
static bool play_change(hf_planner* p, const hf_descent* d, int to, bool back, int guide_index) {
    hf_plan_tree* t = &p->tree;
    const hf_plan_node *next = &d->nodes[to], *change = &d->nodes[back ? to + 1 : to];
    int count = change->end_knot - change->first_knot;
    if (t->node_count == HF_MAX_STANCES) return false;
    hf_plan_node* n = &t->nodes[t->node_count];
    copy_node(&p->world, next, n);
    for (int i = 0; i < n->hold_count; i++) n->holds[i].maker = t->node_count;
    n->last_limb = change->last_limb, n->guide_index = guide_index, n->first_knot = t->knots.count;
    for (int i = 0; i < count; i++) {
        int k = back ? change->end_knot - 1 - i : change->first_knot + i;
        // the body moves in the stance before the swing: there, played back, in the one after it
        bool moves = !back && d->knots.items[k].swing < 0;
        hf_pose pose = hf_knots_pose(&d->knots, k);
        int node = moves ? t->node_index : t->node_count;
        if (!hf_plan_note(p, hf_knots_add(&t->knots, &pose, node, d->knots.items[k].swing))) return false;
    }
    hf_plan_adopt(p, HF_PLAN_AT_REST);
    return true;
}

bool hf_descent_play(hf_planner* p, const hf_descent* d, bool back, int guide_index) {
    if (!hf_plan_keep(p, p->tree.node_index)) return false; // there may be no room for stances otherwise
    for (int k = 1; k < d->count; k++)
        if (!play_change(p, d, back ? d->count - 1 - k : k, back, guide_index)) return false;
    return true;
}
