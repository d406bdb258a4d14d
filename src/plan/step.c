/* Where a limb could go next: places for it, with their scores. */
#include "plan/step.h"

#include "base/workspace.h"
#include "contact/score_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STRAY = 4; /* weight of the distance from the place wished for in the end */
/* Weight of chance after a guide that led nowhere: the next one may be the same, and its contacts should not.
 */
static const double CHANCE = 0.15;
enum { CHANCE_STREAM = 0x6368 };

static int by_score(const void* a, const void* b) {
    const hf_step_candidate *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->q < y->q ? -1 : x->q > y->q; // rows of one table, in the order of their finding
}

/* How far the centre of mass may be from the middle of a contact that carries all alone, about. */
static double own_room(const hf_support* s) {
    if (s->grip) return INFINITY;
    double least = INFINITY;
    for (int i = 0; i < s->corner_count; i++)
        least = fmin(least, hf_distance(s->corners[i], s->corners[(i + 1) % s->corner_count]) / 2);
    return s->corner_count > 2 ? least : 0;
}

/* The share of the coming guide poses that a contact lasts. */
static double duration_of(const hf_planner* p, int index, const hf_plan_hold* h) {
    return fmin(1, (double)(h->until - index) / p->world.options->horizon);
}

/* Creature heights: a margin of the stance, and half a side of one contact, beyond which more room about the
   centre of mass is not better: a third of a stride, and half the width of a foot. */
static const double ENOUGH_MARGIN = 0.1, ENOUGH_OWN = 0.025;

/* The room that the body has about where it is, and on the contact alone, as shares of what is enough. A
   contact without room of its own has none whatever the stance, which is then not asked. */
static double balance_of(hf_planner* p, const hf_plan_hold* rest, int rest_count, const hf_plan_hold* h,
                         hf_vec3 com) {
    hf_support bears = hf_hold_bears(p, h, p->world.spares);
    double own = own_room(&bears) / ENOUGH_OWN;
    if (own <= 0) return 0;
    hf_plan_hold all[HF_MAX_HOLDS];
    memcpy(all, rest, sizeof *rest * (size_t)rest_count);
    all[rest_count] = *h;
    const hf_stance* stance = hf_stance_borrow(p, all, rest_count + 1, -1);
    double margin = stance ? fmax(0, hf_stance_margin(stance, com)) / ENOUGH_MARGIN : 0;
    hf_stance_return(p, stance);
    return fmin(1, fmin(margin, own) / p->world.view->height);
}

/* Terms of a contact (method section 4: supports push up, whatever way the body goes). False when memory is
   out. */
static bool fill_terms(hf_planner* p, const hf_plan_hold* rest, int rest_count, int index,
                       const hf_step_candidate* c, double* terms) {
    const hf_plan_hold* h = &c->hold;
    hf_vec3 up = {0, 0, 1};
    hf_pose at = {c->root, c->q};
    bool free_grip = h->at.grip && hf_contact_free_grip(&p->world.scene->objects[h->at.object]);
    hf_touching_limb touching = {.creature = p->world.creature,
                                 .limb = h->at.limb,
                                 .links = p->tools.links,
                                 .q = c->q,
                                 .at = h->anchor.point,
                                 .direction = up,
                                 .factor = hf_direction_factor(h->at.grip ? HF_ROLE_GRIP : HF_ROLE_SUPPORT,
                                                               free_grip, hf_dot(up, h->at.normal)),
                                 .jacobian = p->tools.jacobian};
    double manipulability;
    hf_forward(p->world.creature, &at, p->tools.links);
    hf_terms_of_posture(&touching, terms, &manipulability);
    terms[HF_TERM_DURATION] = duration_of(p, index, h);
    terms[HF_TERM_BALANCE] = balance_of(p, rest, rest_count, h, hf_com(p->world.creature, p->tools.links));
    return hf_plan_ok(p);
}

/* The weighted terms, and the room that the limb has to come and go. */
static bool score_all(hf_planner* p, const hf_plan_hold* rest, int rest_count, int index,
                      hf_step_list* list) {
    const hf_plan_options* o = p->world.options;
    const double weights[HF_TERM_COUNT] = {[HF_TERM_EFFORT] = o->effort,
                                           [HF_TERM_COMFORT] = o->comfort,
                                           [HF_TERM_DURATION] = o->duration,
                                           [HF_TERM_BALANCE] = o->balance};
    hf_random chance = hf_body_draws(p, CHANCE_STREAM);
    for (int i = 0; i < list->count; i++) {
        hf_step_candidate* c = &list->items[i];
        double terms[HF_TERM_COUNT];
        if (!fill_terms(p, rest, rest_count, index, c, terms)) return false;
        // what lasts to the end should be where the body wants it there
        bool stays =
            c->hold.until == p->world.guide_count - 1 && p->world.model->limbs[c->hold.at.limb].walks;
        double off =
            stays ? hf_hold_off_goal(&p->world, &c->hold) / p->world.view->limbs[c->hold.at.limb].length : 0;
        hf_spot spot = {c->hold.at.point, c->hold.at.normal, c->hold.at.object, c->hold.at.grip ? 1 : -1};
        c->score = hf_terms_weigh(weights, terms) + o->room * hf_spot_room(&p->world, &spot) - STRAY * off;
        if (p->world.attempt > 0) c->score += CHANCE * hf_random_unit(&chance);
    }
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
