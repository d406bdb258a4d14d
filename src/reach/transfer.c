/* Taking hold (reaching-2003 section 7). A hand comes straight onto what it grasps; from then on the object
   goes with the hand and counts in collisions and balance. */
#include "reach/transfer.h"

#include "base/error.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

hf_reach_load* hf_reach_load_of(hf_reach_runner* r, int object) {
    for (int i = 0; i < r->world.load_count; i++)
        if (r->world.loads[i].object == object) return &r->world.loads[i];
    return NULL;
}

hf_reach_load* hf_reach_load_by(hf_reach_runner* r, int limb) {
    for (int i = 0; i < r->world.load_count; i++)
        if (r->world.loads[i].limb == limb || r->world.loads[i].second == limb) return &r->world.loads[i];
    return NULL;
}

/* ---- straight ways ---- */

/* The state in which hands are at a task, from the one before; where that is not valid, with the legs as they
   are, or by the arms alone: some robots stand with an ankle at its limit. */
static bool follow(hf_reach_worker* w, const hf_hand_task* task, const double* before, double* state) {
    hf_hand_task next = *task;
    for (next.stay = 0; next.stay <= 2; next.stay++) {
        bool there = hf_hand_follow(w, &next, before, state);
        if (!there) w->why = "the hands do not reach so far";
        if (there && hf_reach_valid(w, state)) return true;
    }
    return false;
}

double hf_reach_guide(hf_reach_worker* w, hf_hand_task (*task_at)(const void*, double), const void* user,
                      int pieces, const double* from, hf_space_rows* rows, hf_status* status) {
    hf_space space = hf_reach_space(w);
    double before[HF_REACH_WIDTH], state[HF_REACH_WIDTH];
    memcpy(before, from, sizeof before);
    *status = hf_space_rows_add(rows, from);
    for (int i = 1; i <= pieces && *status == HF_OK; i++) {
        hf_hand_task next = task_at(user, (double)i / pieces);
        bool good = follow(w, &next, before, state);
        if (good) *status = space.passes(space.user, before, state, &good);
        if (*status != HF_OK || !good) return (double)(i - 1) / pieces;
        *status = hf_space_rows_add(rows, state);
        memcpy(before, state, sizeof before);
    }
    return 1;
}

typedef struct shifting {
    const hf_hand_task* task;
    hf_vec3 shift;
} shifting;

static hf_hand_task shifted(const void* user, double share) {
    const shifting* s = user;
    hf_hand_task task = *s->task;
    for (int k = 0; k < task.count; k++)
        task.targets[k].point = hf_add(task.targets[k].point, hf_scale(s->shift, share));
    return task;
}

double hf_reach_straight(hf_reach_worker* w, const hf_hand_task* task, const double* from, hf_vec3 shift,
                         hf_space_rows* rows, hf_status* status) {
    shifting s = {task, shift};
    return hf_reach_guide(w, shifted, &s, (int)ceil(hf_length(shift) / HF_REACH_LINE_M), from, rows, status);
}

/* ---- attaching ---- */

/* What rests on an object that is about to be held goes along from here on. */
static hf_status attach_riders(hf_reach_runner* r, int on, hf_error* error) {
    hf_reach_world* w = &r->world;
    const hf_scene* scene = r->scenario->scene;
    int count = hf_scene_object_count(scene);
    bool* rides = hf_workspace_take(r->workspace, (size_t)count + 1, sizeof *rides);
    if (!rides) return hf_fail_memory(error, NULL);
    hf_status status = hf_object_riders(w->placement, on, NULL, r->shapes, rides, error);
    hf_transform back = hf_inverse(hf_placement_pose(w->placement, on));
    for (int i = 0; i < count && status == HF_OK; i++) {
        if (!rides[i]) continue;
        w->riders[w->rider_count++] =
            (hf_reach_rider){.object = i,
                             .on = on,
                             .in_load = hf_compose(back, hf_placement_pose(w->placement, i)),
                             .up = hf_rotate(back.rotation, hf_v3(0, 0, 1)),
                             .mass = hf_scene_object(scene, i).mass_kg,
                             .com = hf_object_middle(scene, i),
                             .shape_count = r->shapes[i].count,
                             .shapes = r->shapes[i].shapes};
        hf_placement_enable(w->placement, i, false);
    }
    return status;
}

static void detach_riders(hf_reach_runner* r, int on) {
    hf_reach_world* w = &r->world;
    int kept = 0;
    for (int i = 0; i < w->rider_count; i++) {
        hf_reach_rider rider = w->riders[i];
        if (rider.on != on) {
            w->riders[kept++] = rider;
            continue;
        }
        hf_placement_move(w->placement, rider.object, hf_reach_rider_pose(r->stage.worker, &rider));
        hf_placement_enable(w->placement, rider.object, true);
    }
    w->rider_count = kept;
}

hf_status hf_reach_attach(hf_reach_runner* r, int object, const hf_hand_grasp* grasp,
                          const hf_hand_grasp* second, hf_error* error) {
    hf_reach_world* w = &r->world;
    hf_object_shape* shape = &r->shapes[object];
    hf_object_view o = hf_scene_object(r->scenario->scene, object);
    if (!shape->made) {
        hf_status status = hf_object_shape_make(r->scenario->scene, object, shape, error);
        if (status != HF_OK) return status;
    }
    hf_reach_state(r->stage.worker, r->stage.state, r->stage.state);
    hf_transform hand = r->stage.worker->links[w->creature->view.limbs[grasp->hold.limb].effector_link];
    hf_reach_load load = {.object = object,
                          .limb = grasp->hold.limb,
                          .second = second ? second->hold.limb : -1,
                          .in_hand = hf_compose(hf_inverse(hand), hf_placement_pose(w->placement, object)),
                          .mass = o.mass_kg,
                          .com = hf_object_middle(r->scenario->scene, object),
                          .shape_count = shape->count,
                          .shapes = shape->shapes,
                          .upright = r->scenario->reach_objects[object].upright,
                          .hold = grasp->hold};
    if (grasp->open) {
        size_t n = (size_t)w->creature->view.q_count;
        memcpy(r->shaped_q[grasp->hold.limb == r->layer->arms[HF_LEFT]], grasp->open, sizeof(double) * n);
        load.shaped = r->shaped_q[grasp->hold.limb == r->layer->arms[HF_LEFT]];
    }
    if (second) {
        int link = w->creature->view.limbs[second->hold.limb].effector_link;
        hf_quat object_turn = hf_placement_pose(w->placement, object).rotation;
        load.second_hold = second->hold;
        load.pressed = !grasp->hold.grip;
        load.presses[0] = grasp->press, load.presses[1] = second->press;
        load.second_turn = hf_quat_mul(hf_quat_conj(object_turn), r->stage.worker->links[link].rotation);
    }
    memcpy(load.grasped, r->stage.state, sizeof load.grasped);
    hf_status status = attach_riders(r, object, error);
    w->loads[w->load_count++] = load;
    hf_placement_enable(w->placement, object, false);
    hf_reach_crew_forget(&r->crew);
    return status;
}

void hf_reach_detach(hf_reach_runner* r, hf_reach_load* load) {
    hf_reach_world* w = &r->world;
    hf_reach_state(r->stage.worker, r->stage.state, r->stage.state);
    detach_riders(r, load->object);
    hf_placement_move(w->placement, load->object, hf_reach_load_pose(r->stage.worker, load));
    hf_placement_enable(w->placement, load->object, true);
    *load = w->loads[--w->load_count];
    hf_reach_crew_forget(&r->crew);
    r->world.changed = true;
}

/* ---- grasping ---- */

hf_target hf_reach_hand_target(const hf_reach_runner* r, const hf_hand_grasp* g) {
    hf_transform at = hf_placement_pose(r->world.placement, g->hold.object);
    hf_hold world = hf_hold_in_world(g->hold, at);
    const hf_contact_frame* palm = &r->world.creature->view.limbs[g->hold.limb].contacts[0];
    if (g->open)
        return (hf_target){.kind = HF_TARGET_POSE,
                           .limb = g->hold.limb,
                           .contact = -1,
                           .point = hf_apply(at, g->hand.position),
                           .rotation = hf_quat_mul(at.rotation, g->hand.rotation)};
    return (hf_target){.kind = hf_hand_turns_freely(palm) ? HF_TARGET_POSITION : HF_TARGET_POSE,
                       .limb = g->hold.limb,
                       .contact = 0,
                       .point = hf_hand_middle(palm, &world),
                       .normal = world.normal,
                       .rotation = hf_quat_mul(at.rotation, g->hand.rotation)};
}

/* The hand may touch the object that it is about to hold. */
void hf_reach_allow_touch(hf_reach_runner* r, const hf_hold* hold) {
    hf_hold touch = *hold;
    touch.grip = false;
    r->world.touches[r->world.touch_count++] = touch;
    hf_reach_crew_forget(&r->crew);
}

void hf_reach_forbid_touches(hf_reach_runner* r) {
    r->world.touch_count = 0;
    hf_reach_crew_forget(&r->crew);
}

/* A posture that holds, and the straight way back from it, of one grasp. */
hf_status hf_reach_prepare(hf_reach_runner* r, const hf_hand_task* task, hf_vec3 back, int index,
                           hf_hand_answer* answer, hf_space_rows* line) {
    hf_status status = hf_hand_solve(r->roadmap, r->stage.worker, task, r->stage.state,
                                     r->options->seed + (uint64_t)index, answer);
    if (status != HF_OK || !answer->found) return status;
    const hf_limb* limb = &r->world.creature->view.limbs[task->targets[0].limb];
    hf_vec3 ways[HF_HAND_WAYS];
    hf_hand_ways(&limb->contacts[0], task->targets[0].rotation, hf_normalize(back), ways);
    double share = 0;
    for (int i = 0; i < HF_HAND_WAYS && status == HF_OK && share < HF_HAND_LEAST_LINE; i++) {
        line->count = 0;
        share = hf_reach_straight(r->stage.worker, task, answer->state, hf_scale(ways[i], hf_length(back)),
                                  line, &status);
    }
    if (status == HF_OK && share < HF_HAND_LEAST_LINE)
        answer->found = false, answer->why = "the hand cannot come straight";
    hf_space_rows_reverse(line, 0);
    return status;
}

/* Two hands take hold one after the other: one limb changes at a time. */
hf_status hf_reach_close_fingers(hf_reach_runner* r, const double* q) {
    bool good = true;
    hf_reach_load* load = &r->world.loads[r->world.load_count - 1];
    int second = load->second;
    load->second = -1;
    hf_status status = hf_reach_stay(&r->stage, 1, true);
    load->second = second;
    if (status == HF_OK && second >= 0) status = hf_reach_stay(&r->stage, 1, true);
    if (status == HF_OK && q) status = hf_reach_turn(&r->stage, q, &good);
    if (status == HF_OK && !good)
        hf_reach_say(r, HF_NONE, "the hand shape collides: %s", r->stage.worker->why);
    return status;
}

static bool can_take(hf_reach_runner* r, const hf_action* a) {
    hf_object_view o = hf_scene_object(r->scenario->scene, a->object);
    if (!o.movable)
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is not movable", o.name);
    else if (r->scenario->reach_objects[a->object].joint != HF_OBJECT_FREE)
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" moves on a joint: use open or close", o.name);
    else if (hf_reach_load_of(r, a->object))
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is already held", o.name);
    else if (hf_reach_rides(&r->world, a->object))
        hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" lies on what is held: put that down first", o.name);
    else if (r->world.load_count == HF_REACH_MAX_CARRIED)
        hf_reach_say(r, HF_INFEASIBLE, "both hands are full");
    return r->now->outcome == HF_FOUND;
}

/* Can the arm bear the object? */
static bool can_bear(hf_reach_runner* r, const hf_action* a, int limb, int hands) {
    hf_object_view o = hf_scene_object(r->scenario->scene, a->object);
    double most = hands * r->world.creature->view.limbs[limb].max_force / HF_GRAVITY_M_S2;
    if (o.mass_kg <= most) return true;
    hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is too heavy: it has %.1f kg, \"%.60s\" bears %.1f kg", o.name,
                 o.mass_kg, r->world.creature->view.limbs[limb].name, most);
    return false;
}

/* Grasps that ask for a hand as postures nearby have it come first. */
void hf_reach_sort_grasps(hf_reach_runner* r, int object, int limb, hf_hand_grasps* grasps) {
    enum { MOST_TURNS = 24 };
    hf_quat turns[MOST_TURNS];
    double cost[HF_MAX_GRASPS];
    hf_transform at = hf_placement_pose(r->world.placement, object);
    int count = hf_hand_turns(r->roadmap, r->stage.worker, limb, at.position, turns, MOST_TURNS);
    for (int i = 0; i < grasps->count; i++) {
        hf_hand_grasp g = grasps->items[i];
        hf_quat turn = hf_quat_mul(at.rotation, g.hand.rotation);
        double least = 4;
        for (int k = 0; k < count; k++) least = fmin(least, hf_quat_angle(turn, turns[k]));
        int to = i;
        for (; to > 0 && cost[to - 1] > least; to--)
            cost[to] = cost[to - 1], grasps->items[to] = grasps->items[to - 1];
        cost[to] = least, grasps->items[to] = g;
    }
}

/* Comes along a straight way to where the object is held. A hand that holds by its finger tips is shaped
   before it comes and closes before it holds, because tips that hold do not move on the object. */
static hf_status come_shaped(hf_reach_runner* r, const hf_hand_grasp* g, const hf_space_rows* line) {
    hf_status status = HF_OK;
    if (g->open) status = hf_reach_turn_fingers(r, &g->hold, 1, g->open, "the hand cannot take its shape");
    if (status != HF_OK || r->now->outcome != HF_FOUND) return status;
    if (g->open) r->world.changed = true; // the roadmap knows the open hand
    status = hf_reach_come(r, line, g->hold.limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT);
    if (status != HF_OK || !g->open) return status;
    if (r->now->outcome == HF_FOUND)
        return hf_reach_turn_fingers(r, &g->hold, 1, g->q, "the fingers cannot close");
    // another hand shape is tried with an open hand
    hf_reach_action_result failed = *r->now;
    status = hf_reach_turn_fingers(r, &g->hold, 1, r->open_q, "the hand cannot open");
    *r->now = failed;
    return status;
}

/* Would the fingers of a hand in this posture close on the object, which is then a load and meets what a load
   may not meet? Nothing is played. Fingers that pinch have closed before. */
static hf_status test_closing(hf_reach_runner* r, const hf_hand_grasp* g, hf_hand_answer* answer) {
    double kept[HF_REACH_WIDTH];
    int object = g->hold.object;
    bool good = true, changed = r->world.changed;
    hf_transform at = hf_placement_pose(r->world.placement, object);
    hf_error error;
    if (g->open) return HF_OK;
    memcpy(kept, r->stage.state, sizeof kept);
    memcpy(r->stage.state, answer->state, sizeof kept);
    hf_status status = hf_reach_attach(r, object, g, NULL, &error);
    r->stage.only_tests = true;
    if (status == HF_OK) status = hf_reach_turn(&r->stage, g->q, &good);
    r->stage.only_tests = false;
    if (hf_reach_load_of(r, object)) hf_reach_detach(r, hf_reach_load_of(r, object));
    hf_placement_move(r->world.placement, object, at);
    r->world.changed = changed;
    memcpy(r->stage.state, kept, sizeof kept);
    if (!good) answer->found = false, answer->why = r->stage.worker->why;
    return status;
}

/* Comes to one grasp and takes hold; *done when the object is held. */
static hf_status take_by(hf_reach_runner* r, const hf_action* a, const hf_hand_grasp* g, int tries, int index,
                         hf_hand_answer* answer, bool* done) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_hand_task task = {.count = 1, .targets = {hf_reach_hand_target(r, g)}, .tries = tries};
    hf_transform at = hf_placement_pose(r->world.placement, a->object);
    hf_vec3 back = hf_scale(hf_rotate(at.rotation, g->way), -r->options->approach_m);
    hf_reach_allow_touch(r, &g->hold);
    hf_reach_shape_hand(r, g->hold.limb, g->open);
    hf_status status = hf_reach_prepare(r, &task, back, index, answer, &line);
    hf_reach_shape_hand(r, g->hold.limb, g->open ? r->open_q : NULL);
    if (status == HF_OK && answer->found) status = test_closing(r, g, answer);
    if (status == HF_OK && answer->found) {
        r->now->outcome = HF_FOUND;
        status = come_shaped(r, g, &line);
        *done = status == HF_OK && r->now->outcome == HF_FOUND;
    }
    hf_reach_forbid_touches(r);
    if (status != HF_OK || !*done) return status;
    hf_error error;
    status = hf_reach_attach(r, a->object, g, NULL, &error);
    if (status == HF_OK && !hf_reach_holds(r->stage.worker, r->stage.state)) {
        hf_reach_detach(r, hf_reach_load_of(r, a->object));
        return hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is too heavy there: with it %s",
                            hf_reach_name_of(r, a->object), r->stage.worker->why);
    }
    return status == HF_OK ? hf_reach_close_fingers(r, g->open ? NULL : g->q) : status;
}

/* Is the arm free? Says so where it is not. */
static bool is_free(hf_reach_runner* r, int limb) {
    if (!hf_reach_load_by(r, limb)) return true;
    hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" holds something already",
                 r->world.creature->view.limbs[limb].name);
    return false;
}

static hf_status list_takers(hf_reach_runner* r, const hf_action* a, int round, hf_reach_takers* t) {
    int arms[2];
    hf_reach_sort_arms(r, hf_placement_pose(r->world.placement, a->object).position, arms);
    if (a->hand == HF_HAND_ONE) arms[0] = a->limb;
    hf_status status = HF_OK;
    for (int i = 0; i < (a->hand == HF_HAND_ONE ? 1 : 2) && status == HF_OK; i++) {
        if (!is_free(r, arms[i]) || !can_bear(r, a, arms[i], 1)) continue;
        hf_hand_grasps* g = hf_workspace_take(r->workspace, 1, sizeof *g);
        if (!g) return HF_ERROR_MEMORY;
        status = hf_hand_grasps_find(&r->world, r->scenario->scene, a->object,
                                     &r->scenario->reach_objects[a->object], arms[i], round, r->workspace, g);
        if (status == HF_OK && g->count == 0)
            hf_reach_say(r, HF_NONE, "no hand shape holds \"%.60s\": %s", hf_reach_name_of(r, a->object),
                         g->why ? g->why : "it has no surface");
        if (status != HF_OK || g->count == 0) continue;
        hf_reach_sort_grasps(r, a->object, arms[i], g);
        t->arms[t->count] = arms[i], t->grasps[t->count++] = g;
    }
    return status;
}

/* The next action where it brings the object somewhere, else NULL. */
static const hf_action* carries_on(const hf_reach_runner* r, int object) {
    const hf_action* next = r->next;
    bool carries = next && (next->kind == HF_ACTION_CARRY || next->kind == HF_ACTION_PLACE);
    return carries && next->object == object ? next : NULL;
}

/* The price of a grasp where the next action brings the object, by a quick look at a few of its turns;
   infinite where no posture is found. */
static hf_status price_of_next(const hf_reach_taking* t, const hf_hand_grasp* g, double* price) {
    enum { QUARTERS = 4 };
    const hf_action* next = t->runner->next;
    hf_quat turned = next->has_rotation
                         ? next->rotation
                         : hf_scene_object(t->runner->scenario->scene, next->object).start.rotation;
    hf_status status = HF_OK;
    *price = INFINITY;
    for (int q = 0; q < (next->has_rotation ? 1 : QUARTERS) && status == HF_OK; q++) {
        hf_quat by = hf_quat_axis_angle(hf_v3(0, 0, 1), 1.5707963267948966 * q);
        hf_hand_answer there = {0};
        status = hf_reach_look_there(t->runner, g, (hf_transform){next->point, hf_quat_mul(by, turned)},
                                     t->index, &there);
        if (there.found) *price = fmin(*price, there.price);
    }
    return status;
}

/* A posture that holds the grasp; where the next action carries the object on, its price counts that too. */
static hf_status look_to_take(const hf_reach_taking* t, hf_reach_offer* offer, int tries,
                              hf_hand_answer* answer) {
    hf_status status = hf_reach_look(t->runner, offer->grasp, tries, t->index, answer);
    offer->price = answer->price, offer->ends = true;
    if (status != HF_OK || !answer->found || !carries_on(t->runner, t->action->object)) return status;
    double price;
    status = price_of_next(t, offer->grasp, &price);
    offer->ends = isfinite(price);
    if (offer->ends) offer->price += price;
    return status;
}

static hf_status take(const hf_reach_taking* t, const hf_reach_offer* offer, int tries,
                      hf_hand_answer* answer, bool* done) {
    return take_by(t->runner, t->action, offer->grasp, tries, t->index, answer, done);
}

hf_status hf_reach_grasp(hf_reach_runner* r, const hf_action* a, int index) {
    if (!can_take(r, a)) return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_reach_takers t[HF_GRASP_ROUNDS] = {0};
    hf_reach_taking with = {r, a, index, 0, NULL, look_to_take, take};
    hf_hand_answer answer = {0};
    bool done = false;
    int shapes = 0;
    hf_status status = HF_OK;
    int rounds = r->scenario->reach_objects[a->object].grasp_count ? 1 : HF_GRASP_ROUNDS; // given: once
    // all hand shapes by a quick look, then each with a search of its own
    for (int n = 0; n < 2 * rounds && status == HF_OK && !done; n++) {
        int round = n % rounds;
        bool quick = n < rounds;
        if (quick) status = list_takers(r, a, round, &t[round]);
        for (int i = 0; i < t[round].count && quick; i++) shapes += t[round].grasps[i]->count;
        if (t[round].count) r->now->outcome = HF_FOUND;
        if (status == HF_OK && t[round].count) status = hf_reach_try(&with, &t[round], quick, &answer, &done);
    }
    if (status == HF_OK && shapes && !done)
        hf_reach_say(r, HF_NONE, "no posture brings a hand to \"%.60s\" in any of %d hand shapes: %s",
                     hf_reach_name_of(r, a->object), shapes, answer.why ? answer.why : "out of reach");
    if (done && r->now->outcome == HF_FOUND) r->now->why[0] = 0;
    hf_workspace_end(r->workspace, mark);
    return status;
}

/* How pairs of palms are looked at, one after the other: quickly, and by postures as they are found, of which
   those are taken that can carry the object on; last by any search, whatever comes then. */
typedef enum pair_pass { QUICK, AS_FOUND, ANY, PAIR_PASSES } pair_pass;

static hf_hand_task both_task(const hf_reach_runner* r, const hf_hand_grasp* g, pair_pass pass) {
    return (hf_hand_task){.count = 2,
                          .targets = {hf_reach_hand_target(r, &g[0]), hf_reach_hand_target(r, &g[1])},
                          .tries = pass == QUICK ? 0 : r->options->tries / 4,
                          .as_found = pass == AS_FOUND};
}

/* A posture with two palms on the object, and one with the hands a little apart, from which they come. */
static hf_status prepare_both(hf_reach_runner* r, const hf_hand_grasp* g, pair_pass pass, int index,
                              hf_hand_answer* answer, hf_space_rows* line) {
    hf_hand_task task = both_task(r, g, pass), wide = task;
    double apart[HF_REACH_WIDTH];
    hf_status status = hf_hand_solve(r->roadmap, r->stage.worker, &task, r->stage.state,
                                     r->options->seed + (uint64_t)index, answer);
    if (status != HF_OK || !answer->found) return status;
    for (int k = 0; k < 2; k++)
        wide.targets[k].point =
            hf_add(wide.targets[k].point, hf_scale(task.targets[k].normal, r->options->approach_m / 2));
    line->count = 0;
    if (!hf_hand_follow(r->stage.worker, &wide, answer->state, apart) ||
        !hf_reach_valid(r->stage.worker, apart)) {
        answer->found = false, answer->why = "the hands cannot come from both sides";
        return HF_OK;
    }
    status = hf_space_rows_add(line, apart);
    return status == HF_OK ? hf_space_rows_add(line, answer->state) : status;
}

/* Would two palms that hold the object in this posture bring it to where the next action does? Nothing is
   played. */
static hf_status test_carrying(hf_reach_runner* r, const hf_hand_grasp* g, int index,
                               hf_hand_answer* answer) {
    double kept[HF_REACH_WIDTH];
    int object = g->hold.object;
    const hf_action* next = carries_on(r, object);
    bool changed = r->world.changed;
    hf_transform at = hf_placement_pose(r->world.placement, object);
    hf_reach_action_result now = *r->now;
    hf_error error;
    if (!next) return HF_OK;
    memcpy(kept, r->stage.state, sizeof kept);
    memcpy(r->stage.state, answer->state, sizeof kept);
    r->now->outcome = HF_FOUND;
    hf_status status = hf_reach_attach(r, object, &g[0], &g[1], &error);
    r->stage.only_tests = true;
    if (status == HF_OK) status = hf_reach_transfer(r, next, index, next->kind == HF_ACTION_PLACE);
    r->stage.only_tests = false;
    if (hf_reach_load_of(r, object)) hf_reach_detach(r, hf_reach_load_of(r, object));
    hf_placement_move(r->world.placement, object, at);
    if (r->now->outcome != HF_FOUND) answer->found = false, answer->why = r->stage.worker->why;
    *r->now = now;
    r->world.changed = changed;
    memcpy(r->stage.state, kept, sizeof kept);
    return status;
}

/* Comes to a pair of palms and takes hold; *done when the object is held or turns out too heavy. */
static hf_status take_by_both(hf_reach_runner* r, const hf_action* a, const hf_hand_grasp* g, pair_pass pass,
                              int index, hf_hand_answer* answer, bool* done) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    for (int k = 0; k < 2; k++) hf_reach_allow_touch(r, &g[k].hold);
    hf_status status = prepare_both(r, g, pass, index, answer, &line);
    hf_reach_forbid_touches(r);
    if (status == HF_OK && answer->found && pass < ANY) status = test_carrying(r, g, index, answer);
    for (int k = 0; k < 2; k++) hf_reach_allow_touch(r, &g[k].hold);
    if (status == HF_OK && answer->found) {
        r->now->outcome = HF_FOUND;
        status = hf_reach_come(r, &line, -1);
        *done = status == HF_OK && r->now->outcome == HF_FOUND;
    }
    hf_reach_forbid_touches(r);
    hf_error error;
    if (status == HF_OK && *done) status = hf_reach_attach(r, a->object, &g[0], &g[1], &error);
    if (status != HF_OK || !*done) return status;
    if (hf_reach_holds(r->stage.worker, r->stage.state)) return hf_reach_close_fingers(r, NULL);
    hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is too heavy there: with it %s", hf_reach_name_of(r, a->object),
                 r->stage.worker->why);
    hf_reach_detach(r, hf_reach_load_of(r, a->object));
    return HF_OK;
}

/* A posture with two palms on the object where it is now. */
static hf_status look_by_both(hf_reach_runner* r, const hf_hand_grasp* g, pair_pass pass, int index,
                              hf_hand_answer* answer) {
    hf_hand_task task = both_task(r, g, pass);
    for (int k = 0; k < 2; k++) hf_reach_allow_touch(r, &g[k].hold);
    hf_status status = hf_hand_solve(r->roadmap, r->stage.worker, &task, r->stage.state,
                                     r->options->seed + (uint64_t)index, answer);
    hf_reach_forbid_touches(r);
    return status;
}

/* Where the next action brings the object, by a quick look: is there a posture with both palms on it, and at
   what price? It may be turned there as it is now. */
static hf_status look_at_next(hf_reach_runner* r, const hf_hand_grasp* g, int index, hf_reach_offer* offer) {
    const hf_action* next = r->next;
    int object = g->hold.object;
    offer->ends = true;
    if (!next || next->object != object || (next->kind != HF_ACTION_CARRY && next->kind != HF_ACTION_PLACE))
        return HF_OK;
    hf_transform here = hf_placement_pose(r->world.placement, object), there = here;
    hf_hand_answer answer = {0};
    there.position = next->point;
    if (next->has_rotation) there.rotation = next->rotation;
    hf_placement_move(r->world.placement, object, there);
    hf_reach_crew_forget(&r->crew);
    hf_status status = look_by_both(r, g, QUICK, index, &answer);
    hf_placement_move(r->world.placement, object, here);
    hf_reach_crew_forget(&r->crew);
    offer->ends = answer.found;
    offer->price += answer.found ? answer.price : 0;
    return status;
}

/* The pairs of palms that a posture brings there: those with which the object gets to where the next action
   brings it before the others, of these the most comfortable first. What is found first may squat or hold its
   elbows where the object cannot be put down again. */
static hf_status list_pairs(hf_reach_runner* r, const hf_hand_grasps* grasps, pair_pass pass, int index,
                            hf_reach_offers* o, const char** why) {
    hf_status status = HF_OK;
    for (int i = 0; status == HF_OK && i + 1 < grasps->count; i += 2) {
        hf_hand_answer answer = {0};
        hf_reach_offer offer = {.grasp = &grasps->items[i]};
        status = look_by_both(r, offer.grasp, pass, index, &answer);
        if (answer.why) *why = answer.why;
        if (status != HF_OK || !answer.found) continue;
        offer.price = answer.price;
        status = look_at_next(r, offer.grasp, index, &offer);
        hf_reach_offer_add(o, &offer);
    }
    return status;
}

hf_status hf_reach_grasp_both(hf_reach_runner* r, const hf_action* a, int index) {
    if (!can_take(r, a) || !is_free(r, r->layer->arms[HF_RIGHT]) || !is_free(r, r->layer->arms[HF_LEFT]) ||
        !can_bear(r, a, r->layer->arms[HF_RIGHT], 2))
        return HF_OK;
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_hand_grasps* grasps = hf_workspace_take(r->workspace, 1, sizeof *grasps);
    hf_status status =
        grasps ? hf_hand_grasps_both(&r->world, r->scenario->scene, a->object, r->workspace, grasps)
               : HF_ERROR_MEMORY;
    const char* why = grasps ? grasps->why : NULL; // of the last pair of palms that came there
    bool done = false;
    for (pair_pass pass = QUICK; pass < PAIR_PASSES && status == HF_OK && !done; pass++) {
        hf_reach_offers o = {0};
        status = list_pairs(r, grasps, pass, index, &o, &why);
        for (int n = 0; n < o.count && status == HF_OK && !done; n++) {
            hf_hand_answer answer = {0};
            status = take_by_both(r, a, o.items[n].grasp, pass, index, &answer, &done);
            if (answer.why) why = answer.why;
        }
    }
    if (status == HF_OK && !done)
        hf_reach_say(r, HF_NONE, "both hands do not get \"%.60s\": %s", hf_reach_name_of(r, a->object),
                     why ? why : "out of reach");
    hf_workspace_end(r->workspace, mark);
    return status;
}
