/* Detours: where the stances along a guide lead no farther, the guide learns. The root poses ahead of the
   farthest stance are barred, the stances before them are kept, and another guide leads on from there. */
#include "plan/planner.h"

#include "base/memory.h"
#include "base/workspace.h"

#include <string.h>

/* ---- barred poses ---- */

static bool is_near(const hf_planner* p, const hf_transform* a, const hf_transform* b) {
    hf_guide_options o = hf_plan_guide_options(&p->world);
    double turn = hf_quat_angle(a->rotation, b->rotation) * hf_guide_model_radius(p->world.model->guide);
    return o.metric * hf_distance(a->position, b->position) + (1 - o.metric) * turn < o.barred_m;
}

static bool is_barred(const hf_planner* p, const hf_transform* root) {
    for (int i = 0; i < p->world.barred_count; i++)
        if (is_near(p, root, &p->world.barred[i])) return true;
    return false;
}

/* Bars the poses of the guide that the next contacts of the farthest stance were to lead to, but not the
   goal. False when memory is out. */
static bool bar_stretch(hf_planner* p) {
    hf_plan_world* w = &p->world;
    int from = p->tree.nodes[p->tree.farthest].guide_index, step = hf_guide_stride(w);
    int end = hf_guide_ahead(w, from, w->options->horizon / 2);
    for (int i = from + step; i <= end; i += step) {
        if (is_near(p, &w->guide[i], &w->guide[w->guide_count - 1])) continue;
        if (!hf_plan_bar(w, w->guide[i])) return hf_plan_note(p, HF_ERROR_MEMORY);
    }
    return true;
}

/* The last stance on the way to the farthest one at which the body rests and the guide is not barred; -1 for
   none. */
static int find_parting(const hf_planner* p) {
    const hf_plan_node* nodes = p->tree.nodes;
    int node = p->tree.farthest;
    while (node >= 0 &&
           (nodes[node].pace == HF_PLAN_WALKING || is_barred(p, &p->world.guide[nodes[node].guide_index])))
        node = nodes[node].parent;
    return node;
}

/* ---- kept stances ---- */

/* Moves a stance and its knots to the front of the tree; `map` has the new numbers of those before it. */
static void move_node(hf_plan_tree* t, int from, int to, const int* map, int q_count) {
    hf_plan_node *n = &t->nodes[to], *old = &t->nodes[from];
    double* q = n->pose.q;
    memmove(q, old->pose.q, sizeof *q * (size_t)q_count);
    int first = to > 0 ? t->nodes[to - 1].end_knot : 0, count = old->end_knot - old->first_knot;
    hf_knot_store* k = &t->knots;
    memmove(k->items + first, k->items + old->first_knot, sizeof *k->items * (size_t)count);
    memmove(k->q + (size_t)first * (size_t)q_count, k->q + (size_t)old->first_knot * (size_t)q_count,
            sizeof *q * (size_t)(count * q_count));
    for (int i = first; i < first + count; i++) k->items[i].node = map[k->items[i].node];
    *n = *old;
    n->pose.q = q, n->parent = to - 1, n->first_knot = first, n->end_knot = first + count;
    for (int i = 0; i < n->hold_count; i++) n->holds[i].maker = map[n->holds[i].maker];
}

bool hf_plan_keep(hf_planner* p, int last) {
    hf_plan_tree* t = &p->tree;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    int* map = hf_workspace_take(p->tools.workspace, (size_t)t->node_count, sizeof *map);
    int count = 0;
    if (map) {
        memset(map, 0xff, sizeof *map * (size_t)t->node_count);
        for (int n = last; n >= 0; n = t->nodes[n].parent) map[n] = 0;
        for (int n = 0; n <= last; n++)
            if (map[n] == 0) map[n] = count++;
        for (int n = 0; n <= last; n++)
            if (map[n] >= 0) move_node(t, n, map[n], map, p->world.view->q_count);
        t->node_count = count;
        t->node_index = t->farthest = count - 1;
        t->knots.count = t->nodes[count - 1].end_knot;
        t->block = (hf_plan_block){.limb = -1, .object = -1};
    }
    hf_workspace_end(p->tools.workspace, mark);
    return map || hf_plan_note(p, HF_ERROR_MEMORY);
}

/* What the search knows of the stances holds for the old guide: they begin anew on the next one. */
static void renew(hf_planner* p, int parting) {
    for (int n = 0; n < p->tree.node_count && hf_plan_ok(p); n++) {
        hf_plan_node* node = &p->tree.nodes[n];
        for (int i = 0; i < node->hold_count; i++) {
            hf_plan_hold* h = &node->holds[i];
            if (h->until < parting && h->seen < parting) continue;
            int since = h->since;
            hf_hold_span(&p->world, node->guide_index, h);
            h->since = since;
            hf_hold_tighten(p, node->guide_index, &node->pose, h);
        }
        hf_plan_renew(p, node);
    }
}

/* ---- the guide ---- */

/* The old guide up to the pose where the way parts, and the next one from there on. */
static bool splice(hf_planner* p, const hf_transform* old, int parting) {
    int count = parting + p->world.guide_count;
    hf_transform* whole = hf_alloc((size_t)count, sizeof *whole);
    if (!whole) return hf_plan_note(p, HF_ERROR_MEMORY);
    memcpy(whole, old, sizeof *whole * (size_t)parting);
    memcpy(whole + parting, p->own_guide, sizeof *whole * (size_t)p->world.guide_count);
    hf_free(p->own_guide);
    p->world.guide = p->own_guide = whole;
    p->world.guide_count = count;
    return true;
}

bool hf_plan_detour(hf_planner* p, const hf_plan_query* q, hf_plan_result* r) {
    if (!bar_stretch(p)) return false;
    int node = find_parting(p);
    if (node < 0) return false;
    int parting = p->tree.nodes[node].guide_index, count = p->world.guide_count;
    hf_transform* old = p->own_guide;
    p->own_guide = NULL;
    bool found = false;
    hf_plan_note(p, hf_plan_choose_guide(p, q, old[parting], HF_GUIDE_CHOICE, r, &found));
    bool good = hf_plan_ok(p) && found && splice(p, old, parting);
    if (!good) {
        hf_free(p->own_guide);
        p->world.guide = p->own_guide = old;
        p->world.guide_count = count;
        return false;
    }
    hf_free(old);
    if (!hf_plan_keep(p, node)) return false;
    hf_spots_forget(&p->world);
    renew(p, parting);
    return hf_plan_ok(p);
}
