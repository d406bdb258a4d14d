/* One contact change: shift the body until the other limbs carry it, choose where the limb goes, swing it
   there (thesis-2015 Algorithm 7, made sound as method section 7 says). */
#include "plan/step.h"

#include "base/workspace.h"
#include "schedule/frames.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { ADVANCES = 4, NEAR_ADVANCE = ADVANCES - 2 };

/* How far along the guide the body may be for a change: all of the way that its contacts allow, divided among
   them, so that each limb's turn comes before its contact ends; then less and less of it. */
static int advance(const hf_plan_node* n, int number, int room) {
    double share = number + 1 < ADVANCES ? 3 / (2 * (double)(n->hold_count << number)) : 0;
    return (int)(fmin(1, share) * room);
}

/* ---- does a step lead on? ---- */

/* A change should last longer than what it replaces, or come nearer to where the goal wants the limb; a limb
   that helps should hold for a while. A speculative step lasts little longer. */
static bool goes_on(const hf_plan_world* w, int index, bool speculative, const hf_plan_hold* old,
                    const hf_plan_hold* next) {
    int last = w->guide_count - 1;
    if (!old)
        return w->model->limbs[next->at.limb].walks || next->until >= index + 2 * hf_guide_stride(w) ||
               next->until == last;
    if (hf_distance(old->at.point, next->at.point) < HF_SMALL_SHIFT * w->view->limbs[old->at.limb].length)
        return false;
    if (old->until < last)
        return next->until >= old->until + (speculative ? 1 : hf_guide_stride(w)) || next->until == last;
    return next->until == old->until &&
           hf_hold_off_goal(w, next) < hf_hold_off_goal(w, old) - HF_SMALL_SHIFT / 3 * w->model->size;
}

/* Is the centre of mass within a shift of where the others carry the body without a limb? */
static bool nearly_stands(hf_planner* p, const hf_plan_hold* all, int count, int without, double shift,
                          hf_vec3 com) {
    const hf_stance* stance = hf_stance_borrow(p, all, count, without);
    bool stands = stance && hf_stance_margin(stance, com) > -shift * p->world.model->size;
    hf_stance_return(p, stance);
    return stands;
}

/* Can the body get from the pose to where it stands without the limb of a hold, and can that limb lift off
   there? */
static bool can_leave(hf_planner* p, const hf_plan_hold* all, int count, const hf_plan_hold* leaving,
                      const hf_stance* stance, const hf_pose* end, hf_pose* pose) {
    // as it is, but over the others; raised; both. What the first leaves far off balance no other mends.
    for (int i = 0; i < 3 && hf_plan_ok(p); i++) {
        double margin;
        hf_pose_copy(&p->world, end, pose);
        pose->root.position.z += (i > 0) * HF_SMALL_SHIFT * p->world.model->size;
        if (hf_stance_pose_exists(p, all, count, stance, p->world.options->margin_m, i != 1, pose, &margin) &&
            hf_segment_lifts(p, leaving, pose))
            return true;
        if (i == 0 && margin < -HF_LARGE_SHIFT / 2 * p->world.model->size) return false;
    }
    return false;
}

/* The two holds but the last that end soonest, walking limbs first; -1 where there are none. */
static void find_soonest(const hf_plan_world* w, const hf_plan_hold* all, int count, int* soonest,
                         int* next) {
    *soonest = *next = -1;
    for (int i = 0; i + 1 < count; i++) {
        if (w->view->limbs[all[i].at.limb].joint_count == 0) continue;
        bool walks = w->model->limbs[all[i].at.limb].walks;
        bool other = *soonest >= 0 && w->model->limbs[all[*soonest].at.limb].walks;
        if (*soonest < 0 || walks > other || (walks == other && all[i].until < all[*soonest].until))
            *next = *soonest, *soonest = i;
        else if (*next < 0 || all[i].until < all[*next].until)
            *next = i;
    }
}

/* A step that leaves no next one is of little use: from the pose it ends in, can the body get to where it
   stands without the walking limb whose contact ends soonest? Where many limbs hold, it is enough that the
   body nearly stands without each of the two that end soonest; where still more do, it always can. */
static bool leads_on(hf_planner* p, const hf_plan_hold* all, int count, const hf_pose* end,
                     hf_pose* scratch) {
    int soonest, next;
    find_soonest(&p->world, all, count, &soonest, &next);
    if (soonest < 0 || count > HF_MANY_HOLDS + 1) return true;
    hf_vec3 com = hf_com_at(p, end);
    if (count > HF_MANY_HOLDS)
        return nearly_stands(p, all, count, all[soonest].at.limb, HF_LARGE_SHIFT, com) &&
               (next < 0 || nearly_stands(p, all, count, all[next].at.limb, HF_LARGE_SHIFT, com));
    if (!nearly_stands(p, all, count, all[soonest].at.limb, 2 * HF_LARGE_SHIFT, com)) return false;
    const hf_stance* stance = hf_stance_borrow(p, all, count, all[soonest].at.limb);
    bool leaves = stance && can_leave(p, all, count, &all[soonest], stance, end, scratch);
    hf_stance_return(p, stance);
    return leaves;
}

/* ---- the body ---- */

/* The pose from which the limb can leave its contact, as far along the guide as can be, but no farther than
   the advance `first`: where one is easily found, on the guide or where the body is; else wherever there is
   one. `rest` is what the others carry. */
static bool find_departure(hf_planner* p, const hf_plan_node* node, const hf_plan_hold* old,
                           const hf_stance* rest, int first, int* index, hf_pose* pose) {
    const hf_plan_world* w = &p->world;
    int far = w->guide_count - 1, here = node->guide_index, last = -1;
    for (int i = 0; i < node->hold_count; i++) far = node->holds[i].until < far ? node->holds[i].until : far;
    int room = far > here ? far - here : 0;
    double margin = hf_pose_margin(p);
    for (int a = first; a < ADVANCES && hf_plan_ok(p); a++) {
        *index = here + advance(node, a, room);
        if (*index == last) continue;
        last = *index;
        hf_pose_copy(w, &node->pose, pose);
        if (hf_stance_pose_easy(p, node->holds, node->hold_count, rest, margin, w->guide[*index], old, pose))
            return true;
    }
    *index = here;
    hf_pose_copy(w, &node->pose, pose);
    pose->root.position.z += HF_SMALL_SHIFT * w->model->size;
    if (hf_stance_pose_easy(p, node->holds, node->hold_count, rest, margin, pose->root, old, pose))
        return true;
    hf_pose_copy(w, &node->pose, pose);
    return hf_stance_pose(p, node->holds, node->hold_count, rest, margin, node->pose.root, old, pose);
}

static bool is_same_pose(const hf_plan_world* w, const hf_pose* a, const hf_pose* b) {
    return memcmp(&a->root, &b->root, sizeof a->root) == 0 &&
           memcmp(a->q, b->q, sizeof *a->q * (size_t)w->view->q_count) == 0;
}

/* The body from the node's pose to another, straight or around what is in the way. Appends knots; `to`
   becomes the last of them. */
static bool move_body(hf_planner* p, hf_plan_node* n, const hf_stance* stance, hf_pose* to) {
    int node = p->tree.node_index;
    // where the body is there already, it still rests between two swings
    if (is_same_pose(&p->world, &n->pose, to))
        return hf_plan_note(p, hf_knots_add(&p->tree.knots, to, node, -1));
    if (!hf_segment_move(p, n->holds, n->hold_count, stance, node, &n->pose, to)) {
        n->shut = n->shut || !hf_body_way(p, n->holds, n->hold_count, stance, node, &n->pose, to);
        if (n->shut) return false;
    }
    hf_pose last = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
    hf_pose_copy(&p->world, &last, to);
    return true;
}

/* ---- a change ---- */

/* A change of one limb that is being made. */
typedef struct change {
    hf_planner* planner;
    hf_plan_node* node;
    int limb, rest_count, index;
    hf_plan_hold* old; /* NULL: it had no contact */
    const hf_step_wish* forced;
    hf_plan_hold rest[HF_MAX_HOLDS + 1]; /* and behind them the next one */
    const hf_stance *all_carry, *rest_carry;
    hf_pose departure, end, arrivals[HF_ARRIVALS], scratch;
    bool speculative;
    bool moved; /* the knots to the departure are made */
    bool rests; /* no swing begins where the body is */
    bool stays; /* there is no way to the departure */
} change;

static void block(const change* c, hf_plan_obstacle kind, const hf_plan_hold* place) {
    hf_plan_blocked(c->planner, kind, c->limb, place ? &place->at : NULL);
}

/* Poses of the body while the limb is in the air, the others holding: near the guide, as it left, lower, and
   as low as a step down needs. Returns how many. */
static int find_arrivals(change* c) {
    hf_planner* p = c->planner;
    hf_pose* to = c->arrivals;
    double near = HF_SMALL_SHIFT / 3 * p->world.model->size;
    int count = 0;
    hf_pose_copy(&p->world, &c->departure, &to[0]);
    if (hf_stance_pose_easy(p, c->rest, c->rest_count, c->rest_carry, hf_pose_margin(p),
                            p->world.guide[c->index], NULL, &to[0]) &&
        hf_distance(to[0].root.position, c->departure.root.position) > near)
        count++;
    hf_pose_copy(&p->world, &c->departure, &to[count++]);
    for (int i = 0; i < 2; i++) {
        hf_vec3 pull;
        hf_pose_copy(&p->world, &to[0], &to[count]);
        to[count].root.position.z -= (i ? HF_LARGE_SHIFT : HF_SMALL_SHIFT) * p->world.model->size;
        if (hf_holds_keep(p, c->rest, c->rest_count, &to[count], &pull)) count++;
    }
    return count;
}

/* Does the pose keep the holds as it is, balanced and free, and can the limb of `leaving` go? */
static bool is_stance_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                           const hf_plan_hold* leaving, const hf_pose* pose) {
    hf_collision hit;
    if (hf_stance_margin(stance, hf_com_at(p, pose)) < p->world.options->margin_m) return false;
    for (int i = 0; i < count; i++)
        if (!hf_frames_keep(p->world.creature, &holds[i].at, &holds[i].anchor, p->tools.links)) return false;
    return !hf_holds_collide(p, holds, count, pose, &hit) && (!leaving || hf_segment_lifts(p, leaving, pose));
}

/* The given body, or one near it, that keeps the holds, balanced on those of `rest` and free, and lets the
   limb of `leaving` go. */
static bool find_near(hf_planner* p, const hf_step_wish* wish, const hf_plan_hold* holds, int count,
                      const hf_stance* rest, const hf_plan_hold* leaving, const hf_pose* given,
                      hf_pose* pose) {
    hf_pose_copy(&p->world, given, pose);
    return (wish->end && is_stance_pose(p, holds, count, rest, leaving, pose)) ||
           (!wish->exact && hf_stance_pose_from(p, holds, count, rest, wish->margin, leaving, pose));
}

static bool is_wished(const change* c) { return c->forced && c->forced->body; }

/* The departure, no farther ahead than the advance `first`, and what the limb finds from there. */
static bool find_start(change* c, int first, hf_step_list* list) {
    hf_planner* p = c->planner;
    list->count = 0;
    p->tools.has_hit = false;
    c->index = c->node->guide_index;
    if (is_wished(c) ? !find_near(p, c->forced, c->node->holds, c->node->hold_count, c->rest_carry, c->old,
                                  c->forced->body, &c->departure)
                     : !find_departure(p, c->node, c->old, c->rest_carry, first, &c->index, &c->departure)) {
        if (c->old && !is_wished(c)) c->old->stuck = first == 0;
        block(c, HF_PLAN_CANNOT_LEAVE, c->old);
        return false;
    }
    if (c->forced) {
        hf_pose to = {.q = list->items[0].q};
        hf_pose_copy(&p->world, &c->departure, &to);
        list->count = 1;
        list->items[0].hold = *c->forced->hold;
        list->items[0].root = to.root;
        return true;
    }
    // once the limb is free the body may rise or go on to where the guide is, and lower itself again
    hf_step_query q = {.poses = c->arrivals,
                       .pose_count = find_arrivals(c),
                       .rest = c->rest,
                       .rest_count = c->rest_count,
                       .limb = c->limb,
                       .old = c->old,
                       .index = c->index};
    return hf_step_places(p, &q, list);
}

/* The end about the wish's: the one that it gives, else the departure or the body. */
static bool find_wished_end(change* c, const hf_plan_hold* next) {
    const hf_pose* about[] = {c->forced->end ? c->forced->end : &c->departure, c->forced->body};
    for (int i = 0; i < (c->forced->end ? 1 : 2); i++)
        if (find_near(c->planner, c->forced, c->rest, c->rest_count + 1, c->rest_carry, next, about[i],
                      &c->end))
            return true;
    return false;
}

/* How the body is in the end, and how long the contact lasts. */
static bool find_end(change* c, const hf_step_candidate* to) {
    hf_planner* p = c->planner;
    const hf_plan_world* w = &p->world;
    hf_plan_hold* next = &c->rest[c->rest_count];
    *next = to->hold;
    hf_pose touching = {to->root, to->q};
    if (!c->forced && (!goes_on(w, c->index, c->speculative, c->old, next) ||
                       hf_plan_is_known(p, c->rest, c->rest_count + 1, c->index)))
        return false;
    if (!is_wished(c)) hf_hold_tighten(p, c->index, &touching, next);
    if (!c->forced && !goes_on(w, c->index, c->speculative, c->old, next)) return false;
    p->progress.work++;
    hf_pose_copy(w, &touching, &c->end);
    p->tools.has_hit = false;
    bool stands = is_wished(c) ? find_wished_end(c, next)
                               : hf_stance_pose(p, c->rest, c->rest_count + 1, c->rest_carry,
                                                hf_pose_margin(p), to->root, next, &c->end);
    if (!stands) block(c, HF_PLAN_NO_STANCE, next);
    return stands;
}

/* The child of a change: its holds, where it is on the guide and its pose, which is the last of its knots. */
static void fill(hf_planner* p, const hf_plan_hold* holds, int count, int limb, int index,
                 const hf_pose* pose, hf_plan_node* child) {
    child->hold_count = count;
    memcpy(child->holds, holds, sizeof *holds * (size_t)count);
    child->last_limb = limb;
    child->guide_index = index;
    hf_pose_copy(&p->world, pose, &child->pose);
}

static bool is_sketch(const hf_step_wish* wish) { return wish && wish->sketch; }

static bool swing_from(change* c, const hf_pose* from) {
    hf_planner* p = c->planner;
    return hf_segment_swing(p, c->rest, c->rest_count, c->old, &c->rest[c->rest_count], c->rest_carry,
                            p->tree.node_count, from, &c->end);
}

/* The swing from where the body is, which goes to its end meanwhile: where the others carry it there and the
   limb can leave, no move before the swing is needed. Where that fails once, it is not tried for other ends.
 */
static bool swing_at_once(change* c) {
    hf_planner* p = c->planner;
    const hf_plan_node* n = c->node;
    int first = p->tree.knots.count;
    if (c->moved || c->rests || is_wished(c)) return false;
    c->rests = !is_stance_pose(p, n->holds, n->hold_count, c->rest_carry, c->old, &n->pose) ||
               !hf_plan_note(p, hf_knots_add(&p->tree.knots, &n->pose, p->tree.node_index, -1)) ||
               !swing_from(c, &n->pose);
    if (c->rests) p->tree.knots.count = first;
    return !c->rests;
}

/* The knots, once the end is known: the swing from where the body is; else the body to where the limb leaves,
   which is the same for all ends, and the swing. */
static bool carry_out(change* c, hf_plan_node* child) {
    hf_planner* p = c->planner;
    hf_plan_hold* next = &c->rest[c->rest_count];
    next->maker = p->tree.node_count;
    if (is_sketch(c->forced)) {
        fill(p, c->rest, c->rest_count + 1, c->limb, c->index, &c->end, child);
        return true;
    }
    bool swung = swing_at_once(c);
    p->tools.has_hit = false;
    if (!swung && !c->moved && !move_body(p, c->node, c->all_carry, &c->departure)) {
        block(c, HF_PLAN_NO_BODY_WAY, next);
        return false;
    }
    c->moved = c->moved || !swung;
    if (!swung && !swing_from(c, &c->departure)) {
        block(c, HF_PLAN_NO_SWING, next);
        return false;
    }
    hf_pose last = hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
    fill(p, c->rest, c->rest_count + 1, c->limb, c->index, &last, child);
    if (!is_wished(c)) hf_holds_refresh(p, child);
    return true;
}

/* The change from a departure no farther ahead than the advance `first`. */
static bool change_from(change* c, int first, hf_step_list* list, hf_plan_node* child, bool* blocked) {
    hf_planner* p = c->planner;
    if (!find_start(c, first, list)) return false;
    p->tools.has_hit = false;
    block(c, HF_PLAN_NO_PLACE, c->old); // unless one of the places gets farther
    int bound = INT_MAX, tries = 0;
    uint32_t done = 0;
    // where one is too far to lead on, those as far are left for later
    for (int turn = 0; turn < 2 * list->count && hf_plan_ok(p); turn++) {
        int i = turn % list->count;
        const hf_step_candidate* to = &list->items[i];
        if (done >> i & 1 || (turn < list->count && to->hold.until > bound)) continue;
        done |= 1u << i;
        if (!find_end(c, to)) continue;
        if (!c->forced && !c->speculative && !leads_on(p, c->rest, c->rest_count + 1, &c->end, &c->scratch)) {
            int halfway = c->old ? (c->old->until + to->hold.until + 1) / 2 : to->hold.until;
            bound = halfway < bound ? halfway : bound;
            if (c->old) c->old->has_speculative_step = true;
            p->tools.has_hit = false;
            block(c, HF_PLAN_NO_STEP_ON, &c->rest[c->rest_count]);
            continue;
        }
        if (carry_out(c, child)) return true;
        c->stays = !c->moved;
        if (c->stays || ++tries == p->world.options->tries) break;
    }
    *blocked = tries > 0;
    return false;
}

static bool make_change(change* c, hf_plan_node* child, bool* blocked) {
    hf_planner* p = c->planner;
    hf_step_list list;
    hf_pose* poses[] = {&c->departure, &c->end, &c->scratch};
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) *poses[i] = hf_take_pose(p);
    for (int i = 0; i < HF_ARRIVALS; i++) c->arrivals[i] = hf_take_pose(p);
    if (!hf_steps_take(p, &list)) return false;
    bool found = change_from(c, 0, &list, child, blocked);
    // a body that finds no way to a departure ahead may find one to a nearer one
    if (!found && c->stays && c->index > c->node->guide_index)
        found = change_from(c, NEAR_ADVANCE, &list, child, blocked);
    return found;
}

bool hf_step_limb(hf_planner* p, hf_plan_node* node, int limb, const hf_step_wish* forced, bool speculative,
                  hf_plan_node* child, bool* blocked) {
    int own = hf_holds_find(node->holds, node->hold_count, limb), first = p->tree.knots.count;
    change c = {.planner = p,
                .node = node,
                .limb = limb,
                .old = own >= 0 ? &node->holds[own] : NULL,
                .forced = forced,
                .speculative = speculative};
    for (int i = 0; i < node->hold_count; i++)
        if (i != own) c.rest[c.rest_count++] = node->holds[i];
    *blocked = false;
    if (c.rest_count == 0 || c.rest_count + 1 > HF_MAX_HOLDS) return false;
    p->progress.work++;
    if (!is_wished(&c) && !hf_spots_cover(p, node->guide_index)) return false;
    if (own < 0 && !forced && !hf_places_any(&p->world, limb, node->pose.root)) return false;
    if (c.old && !is_wished(&c) && (c.old->stuck || (speculative && !c.old->has_speculative_step)))
        return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    c.rest_carry = hf_stance_borrow(p, c.rest, c.rest_count, -1);
    c.all_carry = hf_stance_borrow(p, node->holds, node->hold_count, -1);
    child->first_knot = first;
    bool found = c.rest_carry && c.all_carry && make_change(&c, child, blocked);
    if (!found) p->tree.knots.count = first;
    hf_stance_return(p, c.all_carry);
    hf_stance_return(p, c.rest_carry);
    hf_workspace_end(p->tools.workspace, mark);
    return found;
}

/* ---- letting go ---- */

static bool release(hf_planner* p, hf_plan_node* node, int own, const hf_step_wish* forced, hf_pose* start,
                    hf_plan_node* child) {
    hf_plan_hold others[HF_MAX_HOLDS], *old = &node->holds[own];
    int n = 0, index = node->guide_index;
    for (int i = 0; i < node->hold_count; i++)
        if (i != own) others[n++] = node->holds[i];
    const hf_stance *rest_carry = hf_stance_borrow(p, others, n, -1),
                    *all_carry = hf_stance_borrow(p, node->holds, node->hold_count, -1);
    bool leaves =
        rest_carry && all_carry &&
        (forced ? find_near(p, forced, node->holds, node->hold_count, rest_carry, old, forced->body, start)
                : find_departure(p, node, old, rest_carry, 0, &index, start));
    if (!leaves && !forced && hf_plan_ok(p)) old->stuck = true;
    bool freed =
        leaves && (forced || !hf_plan_is_known(p, others, n, index)) &&
        (is_sketch(forced) || (move_body(p, node, all_carry, start) &&
                               hf_segment_free(p, others, n, old, rest_carry, p->tree.node_count, start)));
    hf_stance_return(p, all_carry);
    hf_stance_return(p, rest_carry);
    if (freed) {
        hf_pose last = is_sketch(forced) ? *start : hf_knots_pose(&p->tree.knots, p->tree.knots.count - 1);
        fill(p, others, n, old->at.limb, index, &last, child);
    }
    return freed;
}

/* Where one hold is left, another limb than the one that let go must find a place: the one that let go has
   its turn only after that, and the one that holds cannot leave. */
static bool others_go_on(const hf_planner* p, const hf_plan_node* n, int limb) {
    const hf_plan_world* w = &p->world;
    for (int l = 0; l < w->view->limb_count && n->hold_count == 2; l++)
        if (l != limb && w->model->limbs[l].used && hf_limb_idle(w, n->holds, n->hold_count, l) &&
            hf_places_any(w, l, n->pose.root))
            return true;
    return n->hold_count > 2;
}

bool hf_step_release(hf_planner* p, hf_plan_node* node, int limb, const hf_step_wish* forced,
                     hf_plan_node* child) {
    int own = hf_holds_find(node->holds, node->hold_count, limb), first = p->tree.knots.count;
    if (own < 0 || node->hold_count < 2) return false;
    p->progress.work++;
    if (!forced &&
        (node->holds[own].stuck || !hf_spots_cover(p, node->guide_index) || !others_go_on(p, node, limb)))
        return false;
    hf_workspace_mark mark = hf_workspace_begin(p->tools.workspace);
    hf_pose start = hf_take_pose(p);
    bool freed = hf_plan_ok(p) && release(p, node, own, forced, &start, child);
    child->first_knot = first;
    if (!freed) p->tree.knots.count = first;
    hf_workspace_end(p->tools.workspace, mark);
    return freed;
}
