/* Transfer (reaching-2003 section 7): what is held goes to another place and is lowered straight onto what is
   there. */
#include "reach/transfer.h"

#include "model/creature.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

static const double LIFT_M = 0.05;      /* up from where an object stood, and down to where it is put */
static const double TAKEN_M = 2e-3;     /* an object that would be deeper in another one has no place there */
static const double TURN_RAD = 0.05;    /* between two states while two hands turn an object */
static const double LEAST_PIECE = 1e-4; /* of such a way: less is where it is already */
static const double DETOUR_M = 0.1;     /* that two hands carry an object higher, or nearer */
enum {
    TURNS = 12,   /* of an object that is put down however it is turned about Z */
    MOST_WAYS = 5 /* that are looked for to postures at its place: a search in vain takes up to a second */
};

/* The hands of a load with the object at a place. */
hf_hand_task hf_reach_carry_task(const hf_reach_runner* r, const hf_reach_load* load, hf_transform object) {
    hf_transform hand = hf_compose(object, hf_inverse(load->in_hand));
    hf_hand_task task = {
        .count = 1, .tries = r->options->tries / 4, .toward = load->toward, .drawn = HF_REACH_DRAWN};
    task.targets[0] = (hf_target){.kind = HF_TARGET_POSE,
                                  .limb = load->limb,
                                  .contact = -1,
                                  .point = hand.position,
                                  .rotation = hand.rotation};
    if (load->second < 0) return task;
    hf_hold second = hf_hold_in_world(load->second_hold, object);
    const hf_contact_frame* palm = &r->world.creature->view.limbs[load->second].contacts[0];
    task.count = 2;
    // a hand that presses with a point turns about it as it likes; the first one's link has the object
    bool turns = load->pressed && hf_hand_turns_freely(palm);
    task.targets[1] = (hf_target){.kind = turns ? HF_TARGET_POSITION : HF_TARGET_POSE,
                                  .limb = load->second,
                                  .contact = 0,
                                  .point = hf_hand_middle(palm, &second),
                                  .rotation = hf_quat_mul(object.rotation, load->second_turn)};
    return task;
}

static hf_transform load_at(hf_reach_runner* r, const hf_reach_load* load) {
    hf_reach_state(r->stage.worker, r->stage.state, r->stage.state);
    return hf_reach_load_pose(r->stage.worker, load);
}

/* Does something bear the object where the hand has it? */
bool hf_reach_is_borne(hf_reach_runner* r, const hf_reach_load* load) {
    if (r->scenario->reach_objects[load->object].joint != HF_OBJECT_FREE) return true;
    return hf_object_borne(r->world.placement, load->shapes, load->shape_count, load_at(r, load));
}

/* Straight up from where the object stood, as far as that goes. */
static hf_status lift(hf_reach_runner* r, const hf_reach_load* load, double height) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_hand_task task = hf_reach_carry_task(r, load, load_at(r, load));
    hf_status status;
    bool good = true;
    hf_reach_straight(r->stage.worker, &task, r->stage.state, hf_v3(0, 0, height), &line, &status);
    if (status == HF_OK && line.count > 1) status = hf_reach_play(&r->stage, &line, NULL, &good);
    return status;
}

typedef struct carrying {
    hf_reach_runner* runner;
    const hf_reach_load* load;
    hf_transform from, to; /* of the object */
    int left; /* pieces, where the way ends in the posture that the load is drawn to; 0 where it does not */
} carrying;

static hf_hand_task carried(const void* user, double share) {
    const carrying* c = user;
    hf_transform at = {hf_lerp(c->from.position, c->to.position, share),
                       hf_quat_slerp(c->from.rotation, c->to.rotation, share)};
    hf_hand_task task = hf_reach_carry_task(c->runner, c->load, at);
    // all of what is left of the way to the posture of the end is gone with the last piece
    if (c->left) task.drawn = fmax(task.drawn, 1 / (1 + c->left * (1 - share)));
    return task;
}

/* Straight from where rows end to another place of the object, added to rows; false where that does not hold.
   ends: in the posture that the load is drawn to. */
static bool carry_on(hf_reach_runner* r, const hf_reach_load* load, hf_transform* at, hf_transform to,
                     bool ends, hf_space_rows* rows, hf_status* status) {
    double last[HF_REACH_WIDTH];
    carrying c = {r, load, *at, to, 0};
    double pieces = fmax(hf_distance(at->position, to.position) / HF_REACH_LINE_M,
                         hf_quat_angle(at->rotation, to.rotation) / TURN_RAD);
    *at = to;
    if (pieces < LEAST_PIECE) return true;
    if (ends) c.left = (int)ceil(pieces);
    memcpy(last, hf_space_row(rows, --rows->count), sizeof last); // the guide adds it again
    return hf_reach_guide(r->stage.worker, carried, &c, (int)ceil(pieces), last, rows, status) == 1;
}

/* One way of carrying: by an offset first, across while it turns, and to the place. */
static bool carry_by(hf_reach_runner* r, const hf_reach_load* load, hf_transform to, hf_vec3 offset,
                     bool ends, hf_space_rows* rows, hf_status* status) {
    hf_transform at = load_at(r, load), beside = at, across = to;
    beside.position = hf_add(at.position, offset);
    // drawn to another posture, as back to how the object was grasped, it sinks on its way as it rose
    double height = load->toward ? fmin(at.position.z, to.position.z + LIFT_M) : at.position.z;
    across.position = hf_add(hf_v3(to.position.x, to.position.y, height), offset);
    rows->count = 0;
    *status = hf_space_rows_add(rows, r->stage.state);
    return *status == HF_OK && carry_on(r, load, &at, beside, false, rows, status) && *status == HF_OK &&
           carry_on(r, load, &at, across, false, rows, status) && *status == HF_OK &&
           carry_on(r, load, &at, to, ends, rows, status);
}

/* How far the body turns from the object's place to another one, rad about Z: what it holds before it turns
   as far. */
static double body_turn(const hf_reach_runner* r, hf_vec3 from, hf_vec3 to) {
    hf_vec3 a = hf_sub(from, r->world.stand.root.position), b = hf_sub(to, r->world.stand.root.position);
    return hf_atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
}

/* Two hands keep the object between them: it goes across at its height and down, in straight lines, or higher
   or nearer to the body where that does not go; turned as it is or, where the action leaves that open, as far
   as the body turns. */
static hf_status carry_straight(hf_reach_runner* r, hf_reach_load* load, const hf_action* a) {
    hf_transform at = load_at(r, load), to = {a->point, a->has_rotation ? a->rotation : at.rotation};
    hf_quat turn = hf_quat_axis_angle(hf_v3(0, 0, 1), body_turn(r, at.position, a->point));
    hf_vec3 up = {0, 0, DETOUR_M}, near = hf_rotate(r->world.stand.root.rotation, hf_v3(-DETOUR_M, 0, 0));
    hf_vec3 offsets[] = {{0, 0, 0}, up, hf_scale(up, 2), near, hf_add(up, near)};
    hf_space_rows rows = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    hf_status status = HF_OK;
    bool good = false;
    int count = sizeof offsets / sizeof *offsets, turns = a->has_rotation ? 1 : 2;
    hf_hand_answer end = {0};
    // elbows drift while hands go along lines, and may end at the object: then once more, drawn back to how
    // it was grasped, to rest, or to a posture with the object at its place
    const double* towards[] = {NULL, load->grasped, r->world.rest, end.state};
    enum { TOWARDS = sizeof towards / sizeof *towards, END = TOWARDS - 1 };
    for (int i = 0; i < TOWARDS * turns * count && status == HF_OK && !good; i++) {
        hf_transform turned = to;
        if (i == END * turns * count) {
            hf_hand_task there = hf_reach_carry_task(r, load, to);
            status =
                hf_hand_solve(r->roadmap, r->stage.worker, &there, r->stage.state, r->options->seed, &end);
            if (status != HF_OK || !end.found) break;
        }
        if (i / count % turns) turned.rotation = hf_quat_mul(turn, at.rotation);
        load->toward = towards[i / (turns * count)];
        bool ends = i / count == END * turns; // the posture of the end has the object as it is turned now
        good = carry_by(r, load, turned, offsets[i % count], ends, &rows, &status);
        if (status == HF_OK && good && rows.count > 1) status = hf_reach_play(&r->stage, &rows, NULL, &good);
    }
    load->toward = NULL;
    if (status == HF_OK && !good)
        hf_reach_say(r, HF_NONE, "both hands cannot carry \"%.60s\" straight there: %s",
                     hf_reach_name_of(r, load->object), r->stage.worker->why ? r->stage.worker->why : "");
    return status;
}

/* The postures with the object at its place in each of the turns that it may have there. */
static hf_status look_at_places(hf_reach_runner* r, const hf_action* a, const hf_reach_load* load, int index,
                                int tries, hf_hand_answer* answers, hf_hand_task* tasks, int turns) {
    hf_status status = HF_OK;
    hf_quat turned =
        a->has_rotation ? a->rotation : hf_scene_object(r->scenario->scene, a->object).start.rotation;
    for (int t = 0; t < turns && status == HF_OK; t++) {
        double angle = 6.283185307179586 / TURNS * t;
        hf_transform to = {a->point, hf_quat_mul(hf_quat_axis_angle(hf_v3(0, 0, 1), angle), turned)};
        tasks[t] = hf_reach_carry_task(r, load, to);
        tasks[t].tries = tries;
        status = hf_hand_solve(r->roadmap, r->stage.worker, &tasks[t], r->stage.state,
                               r->options->seed + (uint64_t)index, &answers[t]);
    }
    return status;
}

/* The most comfortable posture that is left; -1 for none. */
static int cheapest(const hf_hand_answer* answers, int count) {
    int best = -1;
    for (int i = 0; i < count; i++)
        if (answers[i].found && (best < 0 || answers[i].price < answers[best].price)) best = i;
    return best;
}

/* Brings the object to its place by one posture, lowered straight down where the action places it; *done when
   it is there. ways: those that were looked for. */
static hf_status bring(hf_reach_runner* r, const hf_reach_load* load, const hf_hand_task* task, bool lower,
                       hf_hand_answer* answer, int* ways, bool* done) {
    hf_space_rows line = hf_space_rows_start(HF_REACH_WIDTH, r->workspace);
    int free_arm = load->limb == r->layer->arms[HF_RIGHT] ? HF_LEFT : HF_RIGHT;
    hf_status status = HF_OK;
    double share = 1;
    if (lower)
        share = hf_reach_straight(r->stage.worker, task, answer->state, hf_v3(0, 0, LIFT_M), &line, &status);
    if (status == HF_OK && share < HF_HAND_LEAST_LINE) answer->why = "it cannot be lowered there";
    if (status != HF_OK || share < HF_HAND_LEAST_LINE) return status;
    r->now->outcome = HF_FOUND;
    ++*ways;
    hf_space_rows_reverse(&line, 0);
    status = lower ? hf_reach_come(r, &line, free_arm) : hf_reach_go(r, answer->state, free_arm);
    *done = status == HF_OK && r->now->outcome == HF_FOUND;
    if (*done) r->now->why[0] = 0; // of a posture before
    return status;
}

/* Brings the object to its place however it may be turned there, by the most comfortable posture to which a
   way leads; answer: of the posture that was tried last. */
static hf_status bring_turned(hf_reach_runner* r, const hf_action* a, const hf_reach_load* load, int index,
                              bool lower, hf_hand_answer* answer, bool* done) {
    hf_hand_answer answers[TURNS];
    hf_hand_task tasks[TURNS];
    int turns = a->has_rotation ? 1 : TURNS, ways = 0, t;
    hf_status status = HF_OK;
    // all turns by a quick look, then each with a search of its own
    for (int pass = 0; pass < 2 && status == HF_OK && !*done; pass++) {
        status = look_at_places(r, a, load, index, pass ? r->options->tries / turns + 1 : 0, answers, tasks,
                                turns);
        if (status == HF_OK) *answer = answers[turns - 1];
        while (status == HF_OK && !*done && ways < MOST_WAYS && (t = cheapest(answers, turns)) >= 0) {
            *answer = answers[t];
            status = bring(r, load, &tasks[t], lower, answer, &ways, done);
            answers[t].found = false;
        }
    }
    return status;
}

/* The object in whose surfaces what is carried would be at a place, turned as the action says or as it
   started; NULL for none. Tells a place that is taken from one that is out of reach. */
static const char* met_at(const hf_reach_runner* r, const hf_action* a, const hf_reach_load* load) {
    hf_allowance touching = {.depth = TAKEN_M, .touched_object = -1};
    hf_transform at = {a->point, a->has_rotation
                                     ? a->rotation
                                     : hf_scene_object(r->scenario->scene, a->object).start.rotation};
    for (int i = 0; i < load->shape_count; i++) {
        hf_surface hit;
        if (hf_placement_overlap(r->world.placement, &load->shapes[i], at, &touching, &hit))
            return hf_reach_name_of(r, hit.object);
    }
    return NULL;
}

static void say_no_place(hf_reach_runner* r, const hf_action* a, const hf_reach_load* load,
                         const hf_hand_answer* answer) {
    const char *met = met_at(r, a, load), *name = hf_reach_name_of(r, a->object);
    if (met)
        hf_reach_say(r, HF_NONE, "\"%.60s\" cannot be at %.3f %.3f %.3f: \"%.60s\" is there", name,
                     a->point.x, a->point.y, a->point.z, met);
    else
        hf_reach_say(r, HF_NONE, "no posture brings \"%.60s\" to %.3f %.3f %.3f: %s", name, a->point.x,
                     a->point.y, a->point.z, answer->why ? answer->why : "out of reach");
}

hf_status hf_reach_transfer(hf_reach_runner* r, const hf_action* a, int index, bool lower) {
    hf_reach_load* load = hf_reach_load_of(r, a->object);
    if (!load)
        return hf_reach_say(r, HF_INFEASIBLE, "\"%.60s\" is not held: grasp it first",
                            hf_reach_name_of(r, a->object));
    hf_workspace_mark mark = hf_workspace_begin(r->workspace);
    hf_hand_answer answer = {0};
    hf_status status = hf_reach_is_borne(r, load) ? lift(r, load, LIFT_M) : HF_OK;
    if (status == HF_OK && load->second >= 0) {
        status = carry_straight(r, load, a);
    } else if (status == HF_OK) {
        bool done = false;
        status = bring_turned(r, a, load, index, lower, &answer, &done);
        if (status == HF_OK && !done && r->now->outcome == HF_FOUND) say_no_place(r, a, load, &answer);
    }
    hf_workspace_end(r->workspace, mark);
    return status;
}
