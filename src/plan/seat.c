/* Getting up from a seat. A limb without joints fixes the root while it holds, so that the body cannot shift
   over its feet: the feet go to where they carry it. Places for them are drawn about the seated body with the
   trunk bent over them; where the body is then balanced on its feet and on what else holds, each foot steps
   to its place, and the seat is let go. Played backwards it is how a body sits down. */
#include "plan/step.h"

#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { SEAT_STREAM = 0x7365, MOST_WALKING = HF_MAX_HOLDS };
enum { SEAT_DRAWS = 32 }; /* for each of the drawn bodies that the options allow: most are refused at once */
/* Places are drawn so far before and behind the centre of mass, and so far to the side of a limb's first
   joint, limb lengths. */
static const double ALONG = 0.3, ASIDE = 0.25;
/* The least share of the trunk's bend forwards that is drawn. */
static const double LEAST_BEND = 0.4;

/* How the body gets up: its pose, in which the seat still touches, and where its walking limbs are then. */
typedef struct rising {
    hf_planner* planner;
    int seat; /* the limb */
    hf_pose pose;
    int step_count; /* limbs that are elsewhere before */
    hf_plan_hold steps[MOST_WALKING];
} rising;

static int seat_of(const hf_plan_world* w, const hf_plan_node* n) {
    for (int i = 0; i < n->hold_count; i++)
        if (w->view->limbs[n->holds[i].at.limb].joint_count == 0) return n->holds[i].at.limb;
    return -1;
}

/* One walking limb to a drawn place. */
static bool draw_place(rising* r, int limb, hf_random* random) {
    hf_planner* p = r->planner;
    const hf_limb* l = &p->world.view->limbs[limb];
    double ahead = hf_random_between(random, -ALONG, ALONG), aside = hf_random_between(random, -ASIDE, ASIDE);
    int frame = (int)(hf_random_unit(random) * l->contact_count);
    hf_forward(p->world.creature, &r->pose, p->tools.links);
    hf_vec3 base = hf_apply(p->tools.links[l->base_link], l->base.position);
    hf_quat turn = hf_root_upright(r->pose.root).rotation;
    hf_vec3 to_com = hf_unrotate(turn, hf_sub(hf_com(p->world.creature, p->tools.links), base));
    hf_vec3 by = hf_rotate(turn, hf_v3(to_com.x + ahead * l->length, aside * l->length, 0));
    hf_hold at;
    if (!hf_footing_drop(p, limb, frame, hf_add(base, by), &r->pose, &at)) return false;
    hf_plan_hold* h = &r->steps[r->step_count];
    hf_hold_make(p, &at, &r->pose, h);
    r->step_count++;
    return h->support.corner_count > 0;
}

/* Limbs without a task are moved to shift the centre of mass, in half of the draws: to one of their spare
   postures. */
static void draw_free(rising* r, const hf_plan_node* n, hf_random* random) {
    const hf_plan_world* w = &r->planner->world;
    for (int l = 0; l < w->view->limb_count; l++) {
        const hf_plan_limb* m = &w->model->limbs[l];
        bool moves = hf_random_unit(random) < 0.5;
        int spare = (int)(hf_random_unit(random) * m->spare_count);
        if (moves && m->spare_count > 0 && !m->walks && hf_limb_idle(w, n->holds, n->hold_count, l))
            hf_samples_pose(w->creature, m->sets[0], m->spares[spare], r->pose.q);
    }
    hf_pose_follow(w->creature, r->pose.q);
}

/* What holds once the limbs have stepped; *count without the seat, which stands behind the others. */
static bool holds_after(const rising* r, const hf_plan_node* n, hf_plan_hold* holds, int* count) {
    const hf_plan_hold* seat = NULL;
    *count = 0;
    for (int i = 0; i < n->hold_count; i++) {
        if (hf_holds_find(r->steps, r->step_count, n->holds[i].at.limb) >= 0) continue;
        if (n->holds[i].at.limb == r->seat)
            seat = &n->holds[i];
        else
            holds[(*count)++] = n->holds[i];
    }
    if (*count + r->step_count >= HF_MAX_HOLDS) return false;
    for (int i = 0; i < r->step_count; i++) holds[(*count)++] = r->steps[i];
    holds[*count] = *seat;
    return *count > 0;
}

static bool is_balanced(const rising* r, const hf_plan_hold* holds, int count) {
    hf_planner* p = r->planner;
    const hf_stance* stance = hf_stance_borrow(p, holds, count, -1);
    bool good = stance && hf_stance_margin(stance, hf_com_at(p, &r->pose)) >= hf_pose_margin(p);
    hf_stance_return(p, stance);
    return good;
}

/* A drawn posture on the seat: is it balanced without the seat, and free? A walking limb that holds stays
   where it is in one of three draws. */
static bool draw(rising* r, const hf_plan_node* n, hf_random* random) {
    hf_planner* p = r->planner;
    hf_plan_hold holds[HF_MAX_HOLDS];
    int count;
    hf_vec3 pull;
    hf_collision hit;
    hf_pose_copy(&p->world, &n->pose, &r->pose);
    r->step_count = 0;
    double bend = hf_random_between(random, LEAST_BEND, 1);
    hf_body_bend_by(&p->world, hf_v3(0, bend, 0), r->pose.q);
    draw_free(r, n, random);
    for (int l = 0; l < p->world.view->limb_count && hf_plan_ok(p); l++) {
        bool held = hf_holds_find(n->holds, n->hold_count, l) >= 0;
        if (!p->world.model->limbs[l].walks || p->world.view->limbs[l].joint_count == 0) continue;
        if (r->step_count == MOST_WALKING) continue;
        if (!held && !hf_limb_idle(&p->world, n->holds, n->hold_count, l)) continue;
        bool stays = hf_random_unit(random) < 1.0 / 3 && held;
        if (!stays && !draw_place(r, l, random)) return false;
    }
    if (!hf_plan_ok(p) || !holds_after(r, n, holds, &count)) return false;
    if (!hf_holds_keep(p, holds, count, &r->pose, &pull)) return false;
    if (!is_balanced(r, holds, count) || !hf_spares_clear(p, holds, count + 1, -1, NULL, &r->pose, &hit))
        return false;
    return is_balanced(r, holds, count);
}

static bool step_to(rising* r, const hf_plan_hold* to) {
    hf_planner* p = r->planner;
    hf_plan_tree* t = &p->tree;
    hf_plan_node *n = &t->nodes[t->node_index], *child = &t->nodes[t->node_count];
    bool blocked;
    for (int i = 0; i < 2 && t->node_count < HF_MAX_STANCES; i++) {
        hf_step_wish wish = {.hold = to, .body = i ? &r->pose : &n->pose, .margin = hf_pose_margin(p)};
        if (!hf_step_limb(p, n, to->at.limb, &wish, false, child, &blocked)) continue;
        hf_plan_adopt(p, HF_PLAN_AT_REST);
        return true;
    }
    return false;
}

/* All limbs to their places, in any order, then the seat is let go. */
static bool rise(rising* r) {
    hf_planner* p = r->planner;
    hf_plan_tree* t = &p->tree;
    unsigned done = 0;
    for (int i = 0; i < r->step_count; i++) {
        hf_hold_span(&p->world, t->nodes[t->node_index].guide_index, &r->steps[i]);
        hf_hold_tighten(p, t->nodes[t->node_index].guide_index, &r->pose, &r->steps[i]);
    }
    for (int left = r->step_count; left > 0; left--) {
        bool stepped = false;
        for (int i = 0; i < r->step_count && !stepped && hf_plan_ok(p); i++) {
            if (done >> i & 1) continue;
            stepped = step_to(r, &r->steps[i]);
            if (stepped) done |= 1u << i;
        }
        if (!stepped) return false;
    }
    hf_step_wish wish = {.body = &r->pose, .margin = hf_pose_margin(p)};
    if (t->node_count == HF_MAX_STANCES ||
        !hf_step_release(p, &t->nodes[t->node_index], r->seat, &wish, &t->nodes[t->node_count]))
        return false;
    hf_plan_adopt(p, HF_PLAN_AT_REST);
    return true;
}

/* Places of feet are drawn whatever they are: behind a step on the same seat the draws would be the same. */
static bool was_tried(const hf_plan_world* w, const hf_plan_tree* t, const hf_plan_node* n) {
    if (n->parent < 0 || n->last_limb < 0 || !w->model->limbs[n->last_limb].walks) return false;
    return seat_of(w, &t->nodes[n->parent]) >= 0;
}

bool hf_seat_leave(hf_planner* p) {
    hf_plan_tree was = p->tree;
    const hf_plan_node* n = &p->tree.nodes[p->tree.node_index];
    rising r = {.planner = p, .seat = seat_of(&p->world, n)};
    if (r.seat < 0 || was_tried(&p->world, &p->tree, n)) return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    r.pose = hf_take_pose(p);
    hf_random random = hf_body_draws(p, SEAT_STREAM);
    bool risen = false;
    for (int i = 0; i < SEAT_DRAWS * p->world.options->draws && hf_plan_ok(p) && !risen; i++) {
        if (!hf_workspace_goes_on(p->tools.workspace) || !draw(&r, n, &random)) continue;
        risen = rise(&r);
        if (!risen) hf_plan_go_back(p, &was);
    }
    hf_workspace_end(p->tools.workspace, mark);
    return risen && hf_plan_ok(p);
}
