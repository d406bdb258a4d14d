/* Where a limb could go next: places for it, with their scores. */
#include "plan/step.h"

#include "base/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double UPWARD = 1; /* beta of method section 4 */
static const double STRAY = 4;  /* weight of the distance from the place wished for in the end */
/* Weight of chance after a guide that led nowhere: the next one may be the same, and its contacts should not.
 */
static const double CHANCE = 0.15;
enum { CHANCE_STREAM = 0x6368 };
static const double LEAST_TURN =
    0.01; /* of u J J^T u in squared limb lengths: a straight limb bears no more */

/* ---- where to ---- */

/* Where the guide's next poses go; zero where the body hardly translates. */
static hf_vec3 travel(const hf_planner* p, int from) {
    int to = hf_guide_ahead(&p->world, from, p->world.options->horizon);
    hf_vec3 v = hf_sub(p->world.guide[to].position, p->world.guide[from].position);
    return hf_length(v) < 0.01 * p->world.view->height ? hf_v3(0, 0, 0) : hf_normalize(v);
}

/* u of method section 4: that way, and up. */
static hf_vec3 wanted_direction(const hf_planner* p, int from) {
    return hf_normalize(hf_add(hf_v3(0, 0, 1), hf_scale(travel(p, from), UPWARD)));
}

static int by_score(const void* a, const void* b) {
    const hf_step_candidate *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* How far the centre of mass may be from the middle of a contact that carries all alone, about. */
static double own_room(const hf_support* s) {
    if (s->grip) return INFINITY;
    double least = INFINITY;
    for (int i = 0; i < s->corner_count; i++)
        least = fmin(least, hf_distance(s->corners[i], s->corners[(i + 1) % s->corner_count]) / 2);
    return s->corner_count > 2 ? least : 0;
}

/* How much force the limb exerts there along where the body wants to go: 1 / sqrt(u J J^T u) (method section
   4). */
static double effort_of(const hf_planner* p, const hf_plan_hold* h, hf_vec3 u) {
    const hf_limb* l = &p->world.view->limbs[h->at.limb];
    double g[6];
    int columns = 0;
    for (int i = 0; i < l->joint_count; i++) columns += p->world.view->joints[l->joints[i]].v_count;
    if (columns == 0) return 0;
    hf_limb_jacobian(p->world.creature, h->at.limb, p->tools.links, h->anchor.point, 3, p->tools.jacobian);
    hf_jacobian_gram(p->tools.jacobian, columns, g);
    double turned = u.x * u.x * g[0] + u.y * u.y * g[1] + u.z * u.z * g[2] +
                    2 * (u.x * u.y * g[3] + u.x * u.z * g[4] + u.y * u.z * g[5]);
    return 1 / sqrt(fmax(turned, LEAST_TURN * l->length * l->length));
}

/* Weighted effort, duration, balance, comfort, and the room that the limb has to come and go. */
static bool score_all(hf_planner* p, const hf_plan_hold* rest, int rest_count, int index,
                      hf_step_list* list) {
    const hf_plan_options* o = p->world.options;
    double most = 0;
    hf_vec3 u = wanted_direction(p, index);
    hf_plan_hold all[HF_MAX_HOLDS];
    memcpy(all, rest, sizeof *rest * (size_t)rest_count);
    hf_random chance = hf_body_draws(p, CHANCE_STREAM);
    for (int i = 0; i < list->count; i++) {
        hf_step_candidate* c = &list->items[i];
        hf_pose at = {c->root, c->q};
        hf_forward(p->world.creature, &at, p->tools.links);
        c->effort = effort_of(p, &c->hold, u);
        most = fmax(most, c->effort);
        all[rest_count] = c->hold;
        const hf_stance* stance = hf_stance_borrow(p, all, rest_count + 1, -1);
        if (!stance) return false;
        double margin = hf_stance_margin(stance, hf_com(p->world.creature, p->tools.links));
        hf_stance_return(p, stance);
        int lasts = c->hold.until - index;
        // what lasts to the end should be where the body wants it there
        bool stays =
            c->hold.until == p->world.guide_count - 1 && p->world.model->limbs[c->hold.at.limb].walks;
        double off =
            stays ? hf_hold_off_goal(&p->world, &c->hold) / p->world.view->limbs[c->hold.at.limb].length : 0;
        double room = fmin(fmax(0, margin) / 0.1, own_room(&c->hold.support) / 0.025) / p->world.view->height;
        hf_spot spot = {c->hold.at.point, c->hold.at.normal, c->hold.at.object, c->hold.at.grip ? 1 : -1};
        c->score = o->duration * fmin(1, (double)lasts / o->horizon) + o->balance * fmin(1, room) +
                   o->comfort * c->comfort + o->room * hf_spot_room(&p->world, &spot) - STRAY * off;
        if (p->world.attempt > 0) c->score += CHANCE * hf_random_unit(&chance);
    }
    // efforts count beside the best of them
    for (int i = 0; i < list->count && most > 0; i++)
        list->items[i].score += o->effort * list->items[i].effort / most;
    qsort(list->items, (size_t)list->count, sizeof *list->items, by_score);
    return true;
}

bool hf_steps_take(hf_planner* p, hf_step_list* list) {
    size_t row = (size_t)p->world.view->q_count + 1;
    double* q = hf_workspace_take(p->tools.workspace, HF_STEP_CANDIDATES * row, sizeof *q);
    if (!q) return hf_plan_note(p, HF_ERROR_MEMORY);
    list->count = 0;
    for (int i = 0; i < HF_STEP_CANDIDATES; i++) list->items[i].q = q + (size_t)i * row;
    return hf_plan_ok(p);
}

bool hf_step_places(hf_planner* p, const hf_step_query* q, hf_step_list* list) {
    list->count = 0;
    hf_footing_list(p, q, list);
    hf_places_list(p, q, list);
    return hf_plan_ok(p) && score_all(p, q->rest, q->rest_count, q->index, list);
}
