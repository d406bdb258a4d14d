/* What each action does. */
#include "reach/transfer.h"

#include "base/memory.h"
#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far to the left of the middle the right hand is the first choice all the same, m. */
static const double RIGHT_M = 0.05;

void hf_reach_sort_arms(const hf_reach_runner* r, hf_vec3 point, int arms[2]) {
    bool left = hf_unapply(r->world.stand.root, point).y > RIGHT_M;
    arms[0] = r->layer->arms[left], arms[1] = r->layer->arms[!left];
}

/* The arms an action may use, best first: the named one, or either. */
static int list_arms(const hf_reach_runner* r, const hf_action* a, hf_vec3 point, int arms[2]) {
    hf_reach_sort_arms(r, point, arms);
    if (a->hand == HF_HAND_ONE) arms[0] = a->limb;
    return a->hand == HF_HAND_ONE ? 1 : 2;
}

/* Why no posture was found, in words. */
static hf_status say_unreached(hf_reach_runner* r, const hf_hand_answer* answer, hf_vec3 point) {
    int object;
    if (hf_placement_inside(r->world.placement, point, &object))
        return hf_reach_say(r, HF_NONE, "the target %.3f %.3f %.3f is inside \"%.60s\"", point.x, point.y,
                            point.z, hf_scene_object(r->scenario->scene, object).name);
    if (answer->why)
        return hf_reach_say(r, HF_NONE, "the hand reaches %.3f %.3f %.3f in no valid posture: %s", point.x,
                            point.y, point.z, answer->why);
    return hf_reach_say(r, HF_NONE, "the hand cannot reach %.3f %.3f %.3f: the nearest it comes is %.0f mm",
                        point.x, point.y, point.z, 1000 * answer->off_m);
}

static hf_target reach_target(const hf_reach_runner* r, const hf_action* a, int limb) {
    const hf_limb* arm = &r->world.creature->view.limbs[limb];
    return (hf_target){.kind = a->has_rotation ? HF_TARGET_POSE : HF_TARGET_POSITION,
                       .limb = limb,
                       .contact = arm->contact_count ? 0 : -1,
                       .point = a->point,
                       .rotation = a->rotation};
}

/* The arm that is left out of costs: the one that has nothing to do. */
static int free_side(const hf_reach_runner* r, int limb) {
    return limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT;
}

/* Goal postures of a target that are looked for, and how far apart their seeds are. */
enum { OTHERS = 4, APART = 1000 };

static hf_status do_reach(hf_reach_runner* r, const hf_action* a, int index) {
    int arms[2], count = list_arms(r, a, a->point, arms);
    hf_hand_answer answer = {0};
    hf_status status = HF_OK;
    bool any = false;
    // where no way leads to one posture, one to another; what is far out of reach is so from every start
    for (int n = 0; n < OTHERS * count && status == HF_OK && (n < count || any || answer.off_m == 0); n++) {
        int arm = arms[n % count];
        hf_hand_task task = {
            .count = 1, .targets = {reach_target(r, a, arm)}, .tries = r->options->tries, .other = n / count};
        status = hf_hand_solve(r->roadmap, r->stage.worker, &task, r->stage.state,
                               r->options->seed + (uint64_t)(index + n * APART), &answer);
        if (status != HF_OK || !answer.found) continue;
        any = true;
        r->now->outcome = HF_FOUND;
        status = hf_reach_go(r, answer.state, free_side(r, arm));
        if (status != HF_OK || r->now->outcome == HF_FOUND) return status;
    }
    if (any) return status; // which has said why there is no way
    // with the other hand on something, each arm once more; nothing reaches what is inside an object
    bool inside = hf_placement_inside(r->world.placement, a->point, NULL);
    for (int i = 0; i < count && status == HF_OK && !inside; i++) {
        hf_target target = reach_target(r, a, arms[i]);
        bool leans;
        status = hf_reach_lean(r, &target, &leans);
        if (leans || status != HF_OK) return status;
    }
    return status == HF_OK ? say_unreached(r, &answer, a->point) : status;
}

/* The head turns to what the action is about: a target, a place, an object or its handle; ahead before steps.
 */
static void look(hf_reach_runner* r, const hf_action* a) {
    hf_reach_stage* s = &r->stage;
    bool point = a->kind == HF_ACTION_REACH || a->kind == HF_ACTION_CARRY || a->kind == HF_ACTION_PLACE;
    s->look = a->kind == HF_ACTION_STEP ? HF_LOOK_AHEAD : HF_LOOK_STAYS;
    if (!point && a->object < 0) return;
    s->look = HF_LOOK_AT_FOCUS;
    if (point) {
        s->focus = a->point;
        return;
    }
    const hf_reach_object* o = &r->scenario->reach_objects[a->object];
    bool handle = o->joint != HF_OBJECT_FREE && o->has_handle;
    s->focus = hf_apply(hf_placement_pose(r->world.placement, a->object),
                        handle ? o->handle : hf_object_middle(r->scenario->scene, a->object));
}

static hf_status act(hf_reach_runner* r, const hf_action* a, int index) {
    look(r, a);
    if (a->hand == HF_HAND_BOTH && a->kind != HF_ACTION_GRASP)
        return hf_reach_say(r, HF_INFEASIBLE, "both hands can only grasp together, not %s",
                            hf_action_text(a->kind));
    if (a->kind == HF_ACTION_WAIT)
        return hf_reach_stay(&r->stage, (int)ceil(a->seconds * r->options->rate), false);
    if (a->kind == HF_ACTION_REACH) return do_reach(r, a, index);
    if (a->kind == HF_ACTION_STEP) return hf_reach_step(r, a);
    if (a->kind == HF_ACTION_GRASP)
        return a->hand == HF_HAND_BOTH ? hf_reach_grasp_both(r, a, index) : hf_reach_grasp(r, a, index);
    if (a->kind == HF_ACTION_CARRY || a->kind == HF_ACTION_PLACE)
        return hf_reach_transfer(r, a, index, a->kind == HF_ACTION_PLACE);
    if (a->kind == HF_ACTION_OPEN || a->kind == HF_ACTION_CLOSE) return hf_reach_swing(r, a, index);
    if (a->kind == HF_ACTION_RELEASE) return hf_reach_release(r, a);
    return hf_reach_say(r, HF_INFEASIBLE, "unknown action");
}

/* ---- walking to what is out of reach ---- */

/* Standing places about a target: so far from it, as shares of the arm's length, and so many all round. */
static const double PLACE_SHARES[] = {0.8, 1.1};
enum { DISTANCES = 2, SIDES = 6, PLACES = DISTANCES * SIDES };

/* The place by its number, looking at the target: the near ones first, those on this side of it before the
   others. */
static hf_action place_about(const hf_reach_runner* r, hf_vec3 target, double arm_m, int number) {
    hf_vec3 way = hf_sub(r->world.stand.root.position, target);
    int side = number % SIDES, turns = side % 2 ? (side + 1) / 2 : -(side / 2);
    double angle = hf_atan2(way.y, way.x) + 6.283185307179586 / SIDES * turns;
    double far = PLACE_SHARES[number / SIDES] * arm_m, sine = hf_sin(angle), cosine = hf_cos(angle);
    return (hf_action){.kind = HF_ACTION_STEP,
                       .object = -1,
                       .at = {target.x + far * cosine, target.y + far * sine, hf_atan2(-sine, -cosine)}};
}

/* Walks to one place after the other until the action can be done there. What is higher than an arm reaches
   from standing feet no step brings nearer. */
static hf_status walk_and_act(hf_reach_runner* r, const hf_action* a, int index) {
    hf_vec3 target = r->stage.focus;
    const hf_vec3* arm = hf_reach_arm_points(r->world.rest, HF_RIGHT);
    double arm_m = hf_distance(arm[HF_SHOULDER_POINT], arm[HF_ELBOW_POINT]) +
                   hf_distance(arm[HF_ELBOW_POINT], arm[HF_WRIST_POINT]);
    hf_reach_action_result first = *r->now;
    hf_status status = HF_OK;
    if (target.z > arm[HF_SHOULDER_POINT].z + arm_m) return HF_OK;
    for (int n = 0, walks = 0; n < PLACES && walks < r->options->walks && status == HF_OK; n++) {
        hf_action step = place_about(r, target, arm_m, n);
        *r->now = (hf_reach_action_result){.outcome = HF_FOUND};
        r->stage.look = HF_LOOK_AHEAD;
        status = hf_reach_step(r, &step);
        if (status != HF_OK || r->now->outcome != HF_FOUND) continue;
        walks++;
        status = act(r, a, index);
        // what is in the hand stays there, and the reason is that of the last trial
        bool ends = r->now->outcome == HF_FOUND || r->world.load_count || r->stopped;
        if (status != HF_OK || ends) return status;
    }
    *r->now = first;
    return status;
}

/* ---- an arm that carries something out of the way ---- */

static hf_side side_of(const hf_reach_runner* r, int limb) {
    return limb == r->layer->arms[HF_LEFT] ? HF_LEFT : HF_RIGHT;
}

/* Where an arm holds an object while the other one works: before its elbow at rest, the forearm forwards. */
static hf_vec3 place_aside(const hf_reach_runner* r, hf_side side) {
    const hf_vec3* arm = hf_reach_arm_points(r->world.rest, side);
    double forearm = hf_distance(arm[HF_ELBOW_POINT], arm[HF_WRIST_POINT]);
    return hf_add(arm[HF_ELBOW_POINT], hf_rotate(r->world.stand.root.rotation, hf_v3(forearm, 0, 0)));
}

/* An arm that carries something stays as it is while the other one works, and may be in its way: then it
   takes what it carries to its own side of the body, and the action is tried again. */
static hf_status set_aside_and_act(hf_reach_runner* r, const hf_action* a, int index) {
    const hf_reach_load* load = &r->world.loads[0];
    hf_reach_action_result first = *r->now;
    hf_action aside = {
        .kind = HF_ACTION_CARRY, .object = load->object, .point = place_aside(r, side_of(r, load->limb))};
    *r->now = (hf_reach_action_result){.outcome = HF_FOUND};
    hf_status status = hf_reach_transfer(r, &aside, index, false);
    if (status == HF_OK && r->now->outcome == HF_FOUND) return act(r, a, index);
    *r->now = first;
    return status;
}

hf_status hf_reach_do(hf_reach_runner* r, const hf_action* a, int index) {
    bool* met = r->stage.worker->met;
    // an action that failed may have left the door or drawer in the hand: that is not carried aside
    bool one_is_free = r->world.load_count == 1 && r->world.loads[0].second < 0;
    int object = one_is_free ? r->world.loads[0].object : -1;
    met[HF_RIGHT] = met[HF_LEFT] = false;
    hf_status status = act(r, a, index);
    bool acts = a->kind == HF_ACTION_REACH || a->kind == HF_ACTION_GRASP || a->kind == HF_ACTION_OPEN ||
                a->kind == HF_ACTION_CLOSE;
    if (status != HF_OK || r->now->outcome != HF_NONE || !acts || r->stopped) return status;
    one_is_free = one_is_free && r->world.load_count == 1 && r->world.loads[0].object == object;
    if (one_is_free && met[side_of(r, r->world.loads[0].limb)]) return set_aside_and_act(r, a, index);
    return r->options->walks > 0 && !r->world.load_count ? walk_and_act(r, a, index) : status;
}
