/* One contact change: shift the body until the other limbs carry it, choose where the limb goes, swing it
   there (thesis-2015 Algorithm 7, made sound as method section 7 says). */
#include "contact/score_terms.h"
#include "plan/planner.h"
#include "model/tolerance.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where along the guide the body may be for a change: shares of the way its contacts allow, divided among
   them, so that each limb's turn comes before its contact ends. */
static const double ADVANCE[] = {1.5, 0.75, 0.3, 0};
enum { ADVANCES = sizeof ADVANCE / sizeof *ADVANCE, NEAR_ADVANCE = ADVANCES - 2 };
enum { PER_QUERY = 3 };
/* Both ends of a swing have this much more balance than its frames must have. */
static const double EXTRA_MARGIN_M = 0.003;
static const double EXACT_RAD = 0.003; /* flat enough to be lifted without scraping */
/* Of the distance from the wished place, in limb lengths, and of the effort term, which reaches 20 on a
   straight limb, within one query. */
static const double WISH_WEIGHT = 3, EFFORT_SHARE = 0.05;
static const double NEW_PLACE = 0.03;     /* of the limb's length: nearer is the same contact */
static const double BLOCKED_PLACE = 0.12; /* the same beside one that the limb could not leave */
enum { LEAST_GAIN = 3 };                  /* guide poses that a change must last longer */
enum { LEAST_HELP = 8 };                  /* guide poses that help must last */
enum { MAX_TRIES = 6 };                   /* swings that do not work out */
static const double STRAY = 4;            /* weight of the distance from the place wished for in the end */

static const double RAISED = 0.03; /* creature heights: straight limbs leave more easily */
/* Creature heights: a step reaches farther from bent limbs. */
static const double LOWERED[] = {0.04, 0.11};
enum { LOWERINGS = sizeof LOWERED / sizeof *LOWERED, ARRIVALS = 2 + LOWERINGS };
static const double ROOMY = 0.6; /* weight of the room about a contact */
/* Weight of chance after a guide that led nowhere: the next one may be the same, and its contacts should not.
 */
static const double CHANCE = 0.15;
enum { CHANCE_STREAM = 0x6368 };
static const double SMALL_SHIFT = 0.1;   /* creature heights that the body can easily shift */
static const double LARGE_SHIFT = 0.2;   /* the same, that it cannot */
static const double HOPELESS = 0.07;     /* creature heights off balance */
static const double NEAR_ARRIVAL = 0.01; /* creature heights: no other pose */
static const double ROLL_GAP = 5e-4;     /* creature heights between a toe and what it lies on */

/* ---- where to ---- */

/* A foot turned as the body will be, where limb and surroundings allow it: a query leaves it as it came. */
static void tidy(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count, int index,
                 const hf_contact* c, double* q) {
    const hf_limb* limb = &p->view->limbs[c->hold.limb];
    const hf_contact_frame* f = &limb->contacts[c->hold.frame];
    if (c->hold.grip || f->ball > 0 || !(f->patch[0] > 0)) return;
    int later = index + p->options->horizon / 2 < p->guide_count ? index + p->options->horizon / 2
                                                                 : p->guide_count - 1;
    hf_quat wanted = hf_quat_mul(p->guide[later].rotation, p->model->limbs[c->hold.limb].rest_turn);
    hf_vec3 own = hf_rotate(wanted, f->normal), into = hf_neg(c->hold.normal);
    if (hf_dot(own, into) < 0.5) return;
    hf_target t = {
        .kind = HF_TARGET_POSE, .limb = c->hold.limb, .contact = c->hold.frame, .point = c->hold.point};
    t.rotation = hf_quat_mul(hf_quat_between(own, into), wanted);
    hf_solve_options o = hf_solve_options_default();
    o.max_starts = 1;
    hf_forward(p->creature, pose, p->links);
    hf_transform base = p->links[limb->base_link];
    for (int try = 0; try < 2; try++) {
        memcpy(p->q_d, q, sizeof(double) * (size_t)p->view->q_count);
        if (try) hf_limb_loosen(p->creature, c->hold.limb, p->q_d);
        hf_solve_result r;
        hf_collision hit;
        hf_pose at = {pose->root, p->q_d};
        if (hf_limb_solve(p->creature, &base, &t, &o, p->workspace, p->q_d, &r) != HF_OK ||
            r.outcome != HF_FOUND || hf_holds_collide(p, rest, rest_count, -1, &at, &hit))
            continue;
        memcpy(q, p->q_d, sizeof(double) * (size_t)p->view->q_count);
        return;
    }
}

/* Nearly flat is neither flat nor tilted: an edge would press into the surface. */
static bool nearly_flat(hf_planner* p, const hf_plan_hold* h) {
    const hf_contact_frame* f = &p->view->limbs[h->at.limb].contacts[h->at.frame];
    double angle = acos(fmax(-1, fmin(1, -hf_dot(hf_rotate(h->anchor.rotation, f->normal), h->at.normal))));
    return h->anchor.flat && angle > EXACT_RAD && angle < 2 * HF_FLAT_RAD;
}

static void add_contacts(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count,
                         int index, const hf_contact* contacts, int count, hf_step_list* list) {
    for (int i = 0; i < count && list->count < HF_STEP_CANDIDATES; i++) {
        const hf_contact* c = &contacts[i];
        if (c->hold.frame < 0) continue;
        bool known = false;
        for (int k = 0; k < list->count && !known; k++)
            known = hf_distance(list->items[k].hold.at.point, c->hold.point) < 0.01 * p->view->height &&
                    list->items[k].hold.at.frame == c->hold.frame;
        if (known) continue;
        hf_step_candidate* to = &list->items[list->count];
        memcpy(to->q, c->q, sizeof(double) * (size_t)p->view->q_count);
        tidy(p, pose, rest, rest_count, index, c, to->q);
        hf_pose at = {pose->root, to->q};
        to->root = pose->root;
        // a hand inside what it grips could neither come nor go
        hf_collision hit;
        if (c->hold.grip && hf_holds_collide(p, rest, rest_count, -1, &at, &hit)) continue;
        hf_hold_make(p, &c->hold, &at, &to->hold);
        if (to->hold.support.corner_count == 0 || nearly_flat(p, &to->hold)) continue;
        hf_hold_span(p, index, &to->hold);
        list->count++;
    }
}

/* How far from where it is under the body in the goal, when the body stands there. */
static double off_goal(const hf_planner* p, const hf_plan_hold* h) {
    hf_vec3 there = hf_limb_ease(p, h->at.limb, p->guide[p->guide_count - 1]);
    return hf_distance(there, h->at.point);
}

/* Contacts near a wished place, from where the body is. */
static bool ask(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count, int limb,
                int index, hf_role role, const hf_vec3* wish, double max_angle, hf_step_list* list) {
    hf_hold touches[HF_MAX_HOLDS];
    hf_contact_query q = hf_contact_query_default();
    q.pose = *pose;
    q.limb = limb;
    q.role = role;
    q.wish = wish;
    q.weights[HF_TERM_EFFORT] = EFFORT_SHARE;
    q.weights[HF_TERM_DISTANCE] = WISH_WEIGHT;
    q.count = PER_QUERY;
    q.max_angle_rad = max_angle;
    q.max_tests = 200;
    q.touches = touches;
    q.touch_count = hf_holds_touches(rest, rest_count, -1, touches);
    hf_status status = hf_contact_find(p->creature, (const hf_samples* const*)p->model->limbs[limb].sets,
                                       p->placement, &q, p->workspace, p->answer);
    if (status != HF_OK) {
        p->out_of_memory = true;
        return false;
    }
    add_contacts(p, pose, rest, rest_count, index, p->answer->contacts, p->answer->contact_count, list);
    return true;
}

static bool has_patch(const hf_limb* limb) {
    for (int i = 0; i < limb->contact_count; i++)
        if (limb->contacts[i].patch[0] > 0 || limb->contacts[i].patch[1] > 0) return true;
    return false;
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

/* The share of the coming guide poses that a contact lasts. */
static double duration_of(const hf_planner* p, int index, const hf_plan_hold* h) {
    return fmin(1, (double)(h->until - index) / p->options->horizon);
}

/* The room that the body has about where it is, and on the contact alone, as shares of what is enough. */
static double balance_of(const hf_planner* p, const hf_plan_hold* h, double margin_m) {
    return fmin(1, fmin(fmax(0, margin_m) / 0.1, own_room(&h->support) / 0.025) / p->view->height);
}

/* Terms of a contact (method section 4: supports push up, whatever way the body goes). False when memory is
   out. */
static bool fill_terms(hf_planner* p, const hf_plan_hold* rest, int rest_count, int index,
                       const hf_step_candidate* c, double* terms) {
    const hf_plan_hold* h = &c->hold;
    hf_vec3 up = {0, 0, 1};
    hf_pose at = {c->root, c->q};
    hf_plan_hold all[HF_MAX_HOLDS];
    bool free_grip = h->at.grip && hf_contact_free_grip(&p->scene->objects[h->at.object]);
    hf_touching_limb touching = {.creature = p->creature,
                                 .limb = h->at.limb,
                                 .links = p->links,
                                 .q = c->q,
                                 .at = h->anchor.point,
                                 .direction = up,
                                 .factor = hf_direction_factor(h->at.grip ? HF_ROLE_GRIP : HF_ROLE_SUPPORT,
                                                               free_grip, hf_dot(up, h->at.normal)),
                                 .jacobian = p->jacobian};
    double manipulability;
    hf_forward(p->creature, &at, p->links);
    hf_terms_of_posture(&touching, terms, &manipulability);
    memcpy(all, rest, sizeof *rest * (size_t)rest_count);
    all[rest_count] = *h;
    if (!hf_holds_stance(p, all, rest_count + 1, -1, p->stance_c)) return false;
    double margin = hf_stance_margin(p->stance_c, hf_com(p->creature, p->links));
    terms[HF_TERM_DURATION] = duration_of(p, index, h);
    terms[HF_TERM_BALANCE] = balance_of(p, h, margin);
    return true;
}

/* The weighted terms, and the room that the limb has to come and go. */
static bool score_all(hf_planner* p, const hf_plan_hold* rest, int rest_count, int index,
                      hf_step_list* list) {
    const hf_plan_options* o = p->options;
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
        bool stays = c->hold.until == p->guide_count - 1 && p->model->limbs[c->hold.at.limb].walks;
        double off = stays ? off_goal(p, &c->hold) / p->view->limbs[c->hold.at.limb].length : 0;
        hf_spot spot = {c->hold.at.point, c->hold.at.normal, c->hold.at.object, c->hold.at.grip ? 1 : -1};
        c->score = hf_terms_weigh(weights, terms) + ROOMY * hf_spot_room(p, &spot) - STRAY * off;
        if (p->attempt > 0) c->score += CHANCE * hf_random_unit(&chance);
    }
    qsort(list->items, (size_t)list->count, sizeof *list->items, by_score);
    return true;
}

/* A change should last longer than what it replaces, or come nearer to where the goal wants the limb; help
   should last for a while. A daring one lasts little longer. */
static bool goes_on(const hf_planner* p, int index, bool daring, const hf_plan_hold* old,
                    const hf_plan_hold* next) {
    if (!old)
        return p->model->limbs[next->at.limb].walks || next->until >= index + LEAST_HELP ||
               next->until == p->guide_count - 1;
    if (hf_distance(old->at.point, next->at.point) < NEW_PLACE * p->view->limbs[old->at.limb].length)
        return false;
    if (old->until < p->guide_count - 1)
        return next->until >= old->until + (daring ? 1 : LEAST_GAIN) || next->until == p->guide_count - 1;
    return next->until == old->until && off_goal(p, next) < off_goal(p, old) - 0.01 * p->view->height;
}

bool hf_step_find(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count, int limb,
                  int index, const hf_vec3* wish) {
    const hf_limb* l = &p->view->limbs[limb];
    p->steps.count = 0;
    double angle = has_patch(l) ? HF_FLAT_RAD : 1;
    if (l->grip && p->has_grips &&
        !ask(p, pose, rest, rest_count, limb, index, HF_ROLE_GRIP, wish, angle, &p->steps))
        return false;
    if (!ask(p, pose, rest, rest_count, limb, index, HF_ROLE_SUPPORT, wish, angle, &p->steps)) return false;
    return score_all(p, rest, rest_count, index, &p->steps) && p->steps.count > 0;
}

/* ---- how ---- */

static void copy_pose(const hf_planner* p, const hf_pose* from, hf_pose* to) {
    to->root = from->root;
    memcpy(to->q, from->q, sizeof(double) * (size_t)p->view->q_count);
}

/* Is the body within a shift of where the others carry it without a limb? p->stance_c is then what they
   carry. */
static bool nearly_stands(hf_planner* p, const hf_plan_hold* all, int count, int without, double shift,
                          hf_vec3 com) {
    return hf_holds_stance(p, all, count, without, p->stance_c) &&
           hf_stance_margin(p->stance_c, com) > -shift * p->view->height;
}

/* A step that leaves no next one is of little use: from the pose it ends in, can the body get to where it
   stands without the walking limb whose contact ends soonest? Where many hold on, it is enough that it nearly
   does, without each of the two that end soonest; where still more do, it always can. */
static bool leads_on(hf_planner* p, const hf_plan_hold* all, int count, const hf_pose* end) {
    int soonest = -1, next = -1;
    for (int i = 0; i + 1 < count; i++) {
        if (p->view->limbs[all[i].at.limb].joint_count == 0) continue;
        bool walks = p->model->limbs[all[i].at.limb].walks;
        bool other = soonest >= 0 && p->model->limbs[all[soonest].at.limb].walks;
        if (soonest < 0 || walks > other || (walks == other && all[i].until < all[soonest].until))
            next = soonest, soonest = i;
        else if (next < 0 || all[i].until < all[next].until)
            next = i;
    }
    if (soonest < 0 || count > HF_MANY_HOLDS + 1) return true;
    hf_forward(p->creature, end, p->links);
    hf_vec3 com = hf_com(p->creature, p->links);
    if (count > HF_MANY_HOLDS)
        return nearly_stands(p, all, count, all[soonest].at.limb, SMALL_SHIFT, com) &&
               (next < 0 || nearly_stands(p, all, count, all[next].at.limb, SMALL_SHIFT, com));
    if (!nearly_stands(p, all, count, all[soonest].at.limb, LARGE_SHIFT, com)) return false;
    hf_pose pose = {.q = p->q_f};
    // as it is, but over the others; raised; both. What the first leaves far off balance no other mends.
    for (int i = 0; i < 3 && !p->out_of_memory; i++) {
        double margin;
        copy_pose(p, end, &pose);
        pose.root.position.z += (i > 0) * RAISED * p->view->height;
        if (hf_stance_pose_exists(p, all, count, p->stance_c, p->options->margin_m, i != 1, &pose, &margin) &&
            hf_segment_lifts(p, &all[soonest], &pose))
            return true;
        if (i == 0 && margin < -HOPELESS * p->view->height) return false;
    }
    return false;
}

/* The pose from which the limb can leave its contact, as far along the guide as can be: where one is easily
   found, on the guide or where the body is; else wherever there is one. */
static bool find_departure(hf_planner* p, const hf_plan_node* node, const hf_plan_hold* old,
                           const hf_stance* rest, int first, int* index, hf_pose* pose) {
    int far = p->guide_count - 1, here = node->guide_index, last = -1;
    for (int i = 0; i < node->hold_count; i++) far = node->holds[i].until < far ? node->holds[i].until : far;
    int room = far > here ? far - here : 0;
    double margin = p->options->margin_m + EXTRA_MARGIN_M;
    for (int a = first; a < ADVANCES && !p->out_of_memory; a++) {
        *index = here + (int)(fmin(1, ADVANCE[a] / node->hold_count) * room);
        if (*index == last) continue;
        last = *index;
        copy_pose(p, &node->pose, pose);
        if (hf_stance_pose_easy(p, node->holds, node->hold_count, rest, margin, p->guide[*index], old, pose))
            return true;
    }
    *index = here;
    for (int i = 1; i >= 0 && !p->out_of_memory; i--) {
        copy_pose(p, &node->pose, pose);
        pose->root.position.z += i * RAISED * p->view->height;
        if (hf_stance_pose_easy(p, node->holds, node->hold_count, rest, margin, pose->root, old, pose))
            return true;
    }
    // somewhat ahead, or where the body is
    for (int i = 0; i < 2 && !p->out_of_memory; i++) {
        *index = here + (i ? 0 : (int)(fmin(1, ADVANCE[NEAR_ADVANCE] / node->hold_count) * room));
        if (*index == here && i == 0) continue;
        hf_transform wish = i ? node->pose.root : p->guide[*index];
        copy_pose(p, &node->pose, pose);
        if (hf_stance_pose(p, node->holds, node->hold_count, rest, margin, wish, old, pose)) return true;
    }
    return false;
}

/* The body to where a limb leaves: straight, or around what is in the way by turning after it has shifted,
   before, or by way of the guide. Appends frames. */
static bool move_body(hf_planner* p, const hf_plan_node* n, const hf_stance* stance, int index,
                      const hf_pose* to) {
    if (hf_segment_move(p, n->holds, n->hold_count, stance, p->node_index, &n->pose, to)) return true;
    hf_transform vias[] = {{to->root.position, n->pose.root.rotation},
                           {n->pose.root.position, to->root.rotation},
                           p->guide[(n->guide_index + index) / 2]};
    int first = p->frames.count;
    for (size_t i = 0; i < sizeof vias / sizeof *vias && !p->out_of_memory; i++) {
        hf_pose via = {.q = p->q_f};
        copy_pose(p, &n->pose, &via);
        if (hf_stance_pose_easy(p, n->holds, n->hold_count, stance, p->options->margin_m * 1.02, vias[i],
                                NULL, &via) &&
            hf_segment_move(p, n->holds, n->hold_count, stance, p->node_index, &n->pose, &via)) {
            hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
            copy_pose(p, &last, &via);
            if (hf_segment_move(p, n->holds, n->hold_count, stance, p->node_index, &via, to)) return true;
        }
        p->frames.count = first;
    }
    return hf_body_way(p, n->holds, n->hold_count, stance, p->node_index, &n->pose, to);
}

/* Poses of the body while the limb is in the air, the others holding: near the guide, as it left, lower, and
   as low as a step down needs. Returns how many. */
static int find_arrivals(hf_planner* p, const hf_plan_hold* rest, int rest_count, const hf_stance* stance,
                         int index, const hf_pose* departure, hf_pose arrivals[ARRIVALS]) {
    double margin = p->options->margin_m + EXTRA_MARGIN_M;
    double near = NEAR_ARRIVAL * p->view->height;
    int count = 0;
    copy_pose(p, departure, &arrivals[0]);
    if (hf_stance_pose_easy(p, rest, rest_count, stance, margin, p->guide[index], NULL, &arrivals[0]) &&
        hf_distance(arrivals[0].root.position, departure->root.position) > near)
        count++;
    copy_pose(p, departure, &arrivals[count++]);
    for (int i = 0; i < LOWERINGS; i++) {
        hf_vec3 pull;
        hf_pose* low = &arrivals[count];
        copy_pose(p, &arrivals[0], low);
        low->root.position.z -= LOWERED[i] * p->view->height;
        if (hf_holds_keep(p, rest, rest_count, -1, low, &pull)) count++;
    }
    return count;
}

/* A change of one limb that is being made. */
typedef struct change {
    hf_planner* planner;
    const hf_plan_node* node;
    int limb, rest_count, index;
    hf_plan_hold* old; /* NULL: it had no contact */
    const hf_plan_hold* forced;
    hf_plan_hold rest[HF_MAX_HOLDS + 1]; /* and behind them the next one */
    hf_pose departure, end;
    bool daring;
    bool moved; /* the frames to the departure are made */
    bool stays; /* there is no way to the departure */
} change;

/* The departure, no farther ahead than the advance `first`, and, in p->steps, what the limb finds from there.
 */
static bool find_start(change* c, int first) {
    hf_planner* p = c->planner;
    if (!find_departure(p, c->node, c->old, p->stance_b, first, &c->index, &c->departure)) {
        if (c->old) c->old->stuck = first == 0;
        return false;
    }
    p->steps.count = 0;
    if (c->forced) {
        p->steps.count = 1;
        p->steps.items[0].hold = *c->forced;
        p->steps.items[0].root = c->departure.root;
        memcpy(p->steps.items[0].q, c->departure.q, sizeof(double) * (size_t)p->view->q_count);
        return true;
    }
    // once the limb is free the body may rise or go on to where the guide is, and lower itself again
    hf_pose arrivals[ARRIVALS] = {{.q = p->q_b}, {.q = p->q_c}, {.q = p->q_i}, {.q = p->q_f}};
    int count = find_arrivals(p, c->rest, c->rest_count, p->stance_b, c->index, &c->departure, arrivals);
    hf_footing_list(p, arrivals, count, c->rest, c->rest_count, c->limb, c->old, c->index, &p->steps);
    hf_places_list(p, arrivals, count, c->rest, c->rest_count, c->limb, c->old, c->index, &p->steps);
    return !p->out_of_memory && score_all(p, c->rest, c->rest_count, c->index, &p->steps);
}

/* Has the stance a child with the limb there? */
static bool is_taken(const change* c, const hf_plan_hold* next) {
    const hf_planner* p = c->planner;
    for (int k = p->node_index + 1; k < p->node_count; k++) {
        const hf_plan_node* n = &p->nodes[k];
        if (n->parent != p->node_index || n->last_limb != c->limb) continue;
        int own = hf_holds_find(n->holds, n->hold_count, c->limb);
        double near = hf_plan_is_blocked(n) ? BLOCKED_PLACE : NEW_PLACE;
        if (own >= 0 &&
            hf_distance(n->holds[own].at.point, next->at.point) < near * p->view->limbs[c->limb].length)
            return true;
    }
    return false;
}

/* How the body is in the end, and how long the contact lasts. */
static bool find_end(change* c, const hf_step_candidate* to) {
    hf_planner* p = c->planner;
    hf_plan_hold* next = &c->rest[c->rest_count];
    *next = to->hold;
    hf_pose touching = {to->root, to->q};
    if (!c->forced && (!goes_on(p, c->index, c->daring, c->old, next) || is_taken(c, next))) return false;
    hf_hold_tighten(p, c->index, &touching, next);
    if (!c->forced && !goes_on(p, c->index, c->daring, c->old, next)) return false;
    p->work++;
    copy_pose(p, &touching, &c->end);
    return hf_stance_pose(p, c->rest, c->rest_count + 1, p->stance_b, p->options->margin_m + EXTRA_MARGIN_M,
                          to->root, next, &c->end);
}

/* The frames, once the end is known: the body to where the limb leaves, which is the same for all ends, and
   the swing. */
static bool carry_out(change* c, hf_plan_node* child) {
    hf_planner* p = c->planner;
    if (!c->moved) {
        if (!move_body(p, c->node, p->stance_a, c->index, &c->departure)) return false;
        hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
        copy_pose(p, &last, &c->departure);
        c->moved = true;
    }
    hf_plan_hold* next = &c->rest[c->rest_count];
    next->maker = p->node_count;
    if (!hf_segment_swing(p, c->rest, c->rest_count, c->old, next, p->stance_b, p->node_count, &c->departure,
                          &c->end))
        return false;
    child->hold_count = c->rest_count + 1;
    memcpy(child->holds, c->rest, sizeof *c->rest * (size_t)child->hold_count);
    child->last_limb = c->limb;
    child->guide_index = c->index;
    hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
    copy_pose(p, &last, &child->pose);
    hf_holds_refresh(p, child);
    return true;
}

/* The change from a departure no farther ahead than the advance `first`. */
static bool change_from(change* c, int first, hf_plan_node* child) {
    hf_planner* p = c->planner;
    if (!find_start(c, first)) return false;
    int bound = INT_MAX, tries = 0;
    uint32_t done = 0;
    // where one is too far to lead on, those as far are left for later
    for (int turn = 0; turn < 2 * p->steps.count && !p->out_of_memory; turn++) {
        int i = turn % p->steps.count;
        const hf_step_candidate* to = &p->steps.items[i];
        if (done >> i & 1 || (turn < p->steps.count && to->hold.until > bound)) continue;
        done |= 1u << i;
        if (!find_end(c, to)) continue;
        if (!c->forced && !c->daring && !leads_on(p, c->rest, c->rest_count + 1, &c->end)) {
            int halfway = c->old ? (c->old->until + to->hold.until + 1) / 2 : to->hold.until;
            bound = halfway < bound ? halfway : bound;
            if (c->old) c->old->tempts = true;
            continue;
        }
        if (carry_out(c, child)) return true;
        c->stays = !c->moved;
        if (c->stays || ++tries == MAX_TRIES) break;
    }
    p->blocked = tries > 0;
    return false;
}

bool hf_step_limb(hf_planner* p, hf_plan_node* node, int limb, const hf_plan_hold* forced, bool daring,
                  hf_plan_node* child) {
    int own = hf_holds_find(node->holds, node->hold_count, limb), first = p->frames.count;
    change c = {.planner = p,
                .node = node,
                .limb = limb,
                .old = own >= 0 ? &node->holds[own] : NULL,
                .forced = forced,
                .daring = daring,
                .departure.q = p->q_a,
                .end.q = p->q_b};
    for (int i = 0; i < node->hold_count; i++)
        if (i != own) c.rest[c.rest_count++] = node->holds[i];
    if (c.rest_count == 0 || c.rest_count + 1 > HF_MAX_HOLDS) return false;
    p->work++;
    p->blocked = false;
    if (own < 0 && !forced && !hf_places_any(p, limb, node->pose.root)) return false;
    if (c.old && (c.old->stuck || (daring && !c.old->tempts))) return false;
    if (!hf_holds_stance(p, c.rest, c.rest_count, -1, p->stance_b)) return false;
    if (!hf_holds_stance(p, node->holds, node->hold_count, -1, p->stance_a)) return false;
    child->first_frame = first;
    bool found = change_from(&c, 0, child);
    // a body that finds no way to a departure ahead may find one to a nearer one
    if (!found && c.stays && c.index > node->guide_index) found = change_from(&c, NEAR_ADVANCE, child);
    if (!found) p->frames.count = first;
    return found;
}

bool hf_step_release(hf_planner* p, hf_plan_node* node, int limb, hf_plan_node* child) {
    int own = hf_holds_find(node->holds, node->hold_count, limb);
    if (own < 0 || node->hold_count < 2) return false;
    if (!hf_holds_stance(p, node->holds, node->hold_count, limb, p->stance_b)) return false;
    if (!hf_holds_stance(p, node->holds, node->hold_count, -1, p->stance_a)) return false;
    hf_pose start = {.q = p->q_a};
    int index;
    p->work++;
    if (node->holds[own].stuck) return false;
    if (!find_departure(p, node, &node->holds[own], p->stance_b, 0, &index, &start)) {
        node->holds[own].stuck = true;
        return false;
    }
    hf_plan_hold others[HF_MAX_HOLDS];
    int n = 0, first = p->frames.count;
    for (int i = 0; i < node->hold_count; i++)
        if (i != own) others[n++] = node->holds[i];
    if (!move_body(p, node, p->stance_a, index, &start)) return false;
    hf_pose there = hf_frames_pose(&p->frames, p->frames.count - 1);
    copy_pose(p, &there, &start);
    if (!hf_segment_free(p, others, n, &node->holds[own], p->stance_b, p->node_count, &start)) {
        p->frames.count = first;
        return false;
    }
    child->hold_count = n;
    memcpy(child->holds, others, sizeof *others * (size_t)n);
    child->last_limb = limb;
    child->first_frame = first;
    child->guide_index = index;
    hf_pose last = hf_frames_pose(&p->frames, p->frames.count - 1);
    copy_pose(p, &last, &child->pose);
    return true;
}

/* Does the frame lie on what the limb touches already, or on something else beside it? */
static bool find_rolled(hf_planner* p, const hf_plan_hold* old, int frame, const hf_pose* pose,
                        hf_plan_hold* next) {
    const hf_contact_frame* f = &p->view->limbs[old->at.limb].contacts[frame];
    hf_forward(p->creature, pose, p->links);
    hf_vec3 at = hf_apply(p->links[f->link], f->offset);
    hf_vec3 way = hf_rotate(p->links[f->link].rotation, f->normal);
    double gap = ROLL_GAP * p->view->height;
    hf_surface hit;
    if (hf_dot(way, old->at.normal) > -cos(EXACT_RAD)) return false;
    if (!hf_placement_ray(p->placement, hf_sub(at, hf_scale(way, gap)), way, 2 * gap, &hit)) return false;
    hf_vec3 normal = hf_dot(hit.normal, way) > 0 ? hf_neg(hit.normal) : hit.normal;
    if (hf_dot(normal, way) > -cos(EXACT_RAD) || !hf_scene_object(p->scene, hit.object).contact) return false;
    hf_hold c = {old->at.limb, frame, hit.object, false, hit.point, normal};
    hf_hold_make(p, &c, pose, next);
    next->overlaps = old->overlaps;
    next->maker = old->maker;
    return next->support.corner_count > 2;
}

/* The limb's contact goes over to a frame on a toe that lies where it is, while the others carry the body:
   its heel may rise from then on. */
bool hf_step_roll(hf_planner* p, const hf_plan_node* node, int limb, hf_plan_node* child) {
    const hf_limb* l = &p->view->limbs[limb];
    int own = hf_holds_find(node->holds, node->hold_count, limb), first = p->frames.count, index, frame = -1;
    const hf_plan_hold* old = &node->holds[own];
    hf_plan_hold next;
    p->work++;
    for (int f = 0; f < l->contact_count && frame < 0; f++)
        if (l->contacts[f].link != l->contacts[old->at.frame].link &&
            l->contacts[f].link != l->effector_link && find_rolled(p, old, f, &node->pose, &next))
            frame = f;
    if (frame < 0 || !hf_holds_stance(p, node->holds, node->hold_count, -1, p->stance_a) ||
        !hf_holds_stance(p, node->holds, node->hold_count, limb, p->stance_b))
        return false;
    hf_pose pose = {.q = p->q_a};
    if (!find_departure(p, node, NULL, p->stance_b, 0, &index, &pose) ||
        !move_body(p, node, p->stance_a, index, &pose))
        return false;
    pose = hf_frames_pose(&p->frames, p->frames.count - 1);
    copy_pose(p, &pose, &child->pose);
    hf_forward(p->creature, &child->pose, p->links);
    hf_vec3 com = hf_com(p->creature, p->links);
    double margin = hf_stance_margin(p->stance_b, com);
    // the sole was held on the way, not the toe
    if (margin < p->options->margin_m || !find_rolled(p, old, frame, &child->pose, &next)) {
        p->frames.count = first;
        return false;
    }
    if (!hf_frames_add(&p->frames, &child->pose, p->node_count, -1)) {
        p->out_of_memory = true;
        return false;
    }
    hf_hold_span(p, index, &next);
    hf_hold_tighten(p, index, &child->pose, &next);
    memcpy(child->holds, node->holds, sizeof node->holds);
    child->holds[own] = next;
    child->hold_count = node->hold_count;
    child->last_limb = limb;
    child->first_frame = first;
    child->guide_index = index;
    return true;
}
