/* Letting go of an object: the hands open and go away from it by the first way that is free, or the two hands
   of a pair one after the other. */
#include "reach/transfer.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* One hand goes straight off the palm, else away from the fingers, or upwards, as far as that goes: with the
   body as it is and, where that does not go far enough, with the body drawn towards the rest posture. *good
   when that is played. */
static hf_status leave_by_one(hf_reach_runner* r, const hf_hand_task* task, hf_vec3 back, bool* good) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    const hf_contact_frame* palm = &r->world.creature->view.limbs[task->targets[0].limb].contacts[0];
    hf_vec3 wrist = hf_normalize(hf_rotate(task->targets[0].rotation, hf_neg(palm->offset)));
    hf_vec3 ways[] = {back,
                      hf_scale(wrist, r->options->approach_m),
                      hf_scale(hf_add(hf_normalize(back), wrist), r->options->approach_m / 2),
                      {0, 0, r->options->approach_m}};
    int count = sizeof ways / sizeof *ways, best_way = 0;
    double share = 0, best = -1;
    hf_status status = HF_OK;
    for (int i = 0; i <= 2 * count && status == HF_OK && share < HF_HAND_LEAST_LINE; i++) {
        int k = i < 2 * count ? i : best_way; // in the end the longest once more
        hf_hand_task drawn = *task;
        if (k >= count) drawn.toward = r->world.rest, drawn.drawn = HF_REACH_DRAWN;
        line.count = 0;
        share = hf_reach_straight(r->stage.worker, &drawn, r->stage.state, ways[k % count], &line, &status);
        if (share > best) best = share, best_way = k;
    }
    *good = line.count > 1;
    if (status == HF_OK && *good) status = hf_reach_play(&r->stage, &line, NULL, good);
    return status;
}

/* Two hands go apart, at their height, or upwards or back to the body as well where that does not go; with
   the legs as they are, or without. *good when one of these is played. */
static hf_status leave_by_two(hf_reach_runner* r, const hf_hand_task* task, const hf_hold* holds,
                              bool* good) {
    hf_reach_worker* w = r->stage.worker;
    double far = r->options->approach_m / 2, apart[HF_REACH_WIDTH];
    hf_vec3 up = {0, 0, far}, near = hf_rotate(r->world.stand.root.rotation, hf_v3(-far, 0, 0));
    hf_vec3 offsets[] = {{0, 0, 0}, up, near, hf_add(up, near)};
    int count = sizeof offsets / sizeof *offsets;
    hf_status status = HF_OK;
    *good = false;
    for (int n = 0; n < 2 * count && status == HF_OK && !*good; n++) {
        hf_hand_task wide = *task;
        hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
        for (int i = 0; i < 2; i++) {
            hf_quat turn = hf_placement_pose(r->world.placement, holds[i].object).rotation;
            hf_vec3 out = hf_scale(hf_rotate(turn, holds[i].normal), far);
            wide.targets[i].point = hf_add(hf_add(wide.targets[i].point, out), offsets[n / 2]);
        }
        wide.stay = n % 2;
        if (!hf_hand_follow(w, &wide, r->stage.state, apart) || !hf_reach_valid(w, apart)) continue;
        status = hf_space_rows_add(&line, r->stage.state);
        if (status == HF_OK) status = hf_space_rows_add(&line, apart);
        if (status == HF_OK) status = hf_reach_play(&r->stage, &line, NULL, good);
    }
    return status;
}

/* Where no straight line leads away: the arms go to rest by any way that is free, the rest of the body as it
   is or at rest as well. The action has failed where none is. */
static hf_status leave_by_way(hf_reach_runner* r, const hf_hold* holds, int count) {
    hf_reach_worker* w = r->stage.worker;
    const double* rest = r->world.rest;
    hf_status status = HF_OK;
    r->now->outcome = HF_NONE;
    for (int whole = 0; whole < 2 && status == HF_OK && r->now->outcome != HF_FOUND; whole++) {
        double goal[HF_REACH_WIDTH];
        memcpy(goal, r->stage.state, sizeof goal);
        for (int i = 0; i < count; i++) {
            int first = hf_control_first(holds[i].limb == r->layer->arms[HF_LEFT] ? HF_LEFT : HF_RIGHT);
            memcpy(goal + first, rest + first, sizeof(double) * HF_CONTROL_ARM);
        }
        for (int k = HF_CONTROL_SPINE; k < HF_CONTROL_COUNT && whole; k++) goal[k] = rest[k];
        if (!hf_reach_state(w, goal, goal) || !hf_reach_valid(w, goal)) continue;
        r->now->outcome = HF_FOUND;
        status = hf_reach_go(r, goal, -1);
    }
    return status;
}

/* Straight away from what was held. */
static hf_status retreat(hf_reach_runner* r, const hf_hold* holds, int count) {
    hf_hand_task task = {.count = count};
    hf_vec3 back = {0, 0, 0};
    bool good;
    for (int i = 0; i < count; i++) {
        const hf_limb* limb = &r->world.creature->view.limbs[holds[i].limb];
        const hf_contact_frame* palm = &limb->contacts[0];
        hf_transform link = r->stage.worker->links[palm->link];
        bool turns = count == 2 && hf_hand_turns_freely(palm);
        task.targets[i] = (hf_target){.kind = turns ? HF_TARGET_POSITION : HF_TARGET_POSE,
                                      .limb = holds[i].limb,
                                      .contact = 0,
                                      .point = hf_apply(link, palm->offset),
                                      .rotation = link.rotation};
        back = hf_add(back, hf_scale(hf_rotate(link.rotation, palm->normal), -r->options->approach_m));
        hf_reach_allow_touch(r, &holds[i]);
    }
    hf_status status =
        count == 1 ? leave_by_one(r, &task, back, &good) : leave_by_two(r, &task, holds, &good);
    const char* why = r->stage.worker->why;
    if (status == HF_OK && !good) status = leave_by_way(r, holds, count);
    hf_reach_forbid_touches(r);
    if (status == HF_OK && r->now->outcome != HF_FOUND)
        hf_reach_say(r, HF_NONE, "the hand cannot leave the object: %s", why ? why : "no way back");
    return status;
}

/* The fingers of a limb, its links beyond the hand itself, from one list of joint values into another. */
static void copy_fingers(const hf_reach_runner* r, int limb, const double* from, double* to) {
    const hf_creature_view* v = &r->world.creature->view;
    for (int j = 0; j < v->joint_count; j++) {
        const hf_joint* joint = &v->joints[j];
        if (!hf_effector_has(r->world.creature, limb, joint->parent_link) ||
            !hf_effector_has(r->world.creature, limb, joint->child_link))
            continue;
        memcpy(to + joint->q_index, from + joint->q_index, sizeof(double) * (size_t)joint->q_count);
    }
}

void hf_reach_shape_hand(hf_reach_runner* r, int limb, const double* q) {
    if (!q) return;
    copy_fingers(r, limb, q, r->world.stand_q);
    r->world.version++;
    hf_reach_crew_forget(&r->crew);
}

hf_status hf_reach_turn_fingers(hf_reach_runner* r, const hf_hold* holds, int count, const double* q,
                                const char* what) {
    size_t n = (size_t)r->world.creature->view.q_count;
    double* to = hf_workspace_take(r->workspace, n + 1, sizeof *to);
    bool good = true;
    if (!to) return HF_ERROR_MEMORY;
    memcpy(to, r->world.stand_q, sizeof(double) * n);
    for (int i = 0; i < count; i++) copy_fingers(r, holds[i].limb, q, to);
    hf_status status = hf_reach_turn(&r->stage, to, &good);
    if (status == HF_OK && !good) hf_reach_say(r, HF_NONE, "%s: %s", what, r->stage.worker->why);
    return status;
}

/* Tips that hold do not move on the object: they let go, open as they came, and open wholly once they are
 * away. */
static hf_status let_go_of_pinch(hf_reach_runner* r, hf_reach_load* load) {
    hf_hold hold = load->hold;
    const double* shaped = load->shaped;
    hf_reach_detach(r, load);
    hf_status status = hf_reach_stay(&r->stage, 1, true);
    hf_reach_allow_touch(r, &hold);
    if (status == HF_OK) status = hf_reach_turn_fingers(r, &hold, 1, shaped, "the hand cannot open");
    hf_reach_forbid_touches(r);
    if (status == HF_OK && r->now->outcome == HF_FOUND) status = retreat(r, &hold, 1);
    if (status == HF_OK && r->now->outcome == HF_FOUND)
        status = hf_reach_turn_fingers(r, &hold, 1, r->open_q, "the hand cannot open");
    return status;
}

hf_status hf_reach_let_go(hf_reach_runner* r, hf_reach_load* load) {
    hf_hold holds[2] = {load->hold, load->second_hold};
    int count = load->second >= 0 ? 2 : 1;
    if (load->shaped) return let_go_of_pinch(r, load);
    // fingers open while the hands still hold: nothing lets go of an object half open
    hf_status status = hf_reach_turn_fingers(r, holds, count, r->open_q, "the hand cannot open");
    if (status != HF_OK || r->now->outcome != HF_FOUND) return status;
    // two hands let go one after the other
    load->second = -1;
    if (status == HF_OK && count == 2) status = hf_reach_stay(&r->stage, 1, true);
    hf_reach_detach(r, load);
    if (status == HF_OK) status = hf_reach_stay(&r->stage, 1, true);
    return status == HF_OK ? retreat(r, holds, count) : status;
}

hf_status hf_reach_release(hf_reach_runner* r, const hf_action* a) {
    hf_reach_load* load = NULL;
    if (a->object >= 0)
        load = hf_reach_load_of(r, a->object);
    else if (a->hand == HF_HAND_ONE)
        load = hf_reach_load_by(r, a->limb);
    else if (r->world.load_count)
        load = &r->world.loads[r->world.load_count - 1];
    if (!load) return hf_reach_say(r, HF_INFEASIBLE, "nothing is held that could be let go");
    if (!hf_reach_is_borne(r, load))
        return hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" would fall: nothing bears it there",
                            hf_scene_object(r->scenario->scene, load->object).name);
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_status status = hf_reach_let_go(r, load);
    hf_workspace_end(r->workspace, mark);
    return status;
}
