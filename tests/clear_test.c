/* Clearing frames: an arm that is swung through a cube goes round it while both soles stay, frames far from
   the cube stay as they are to the last bit, and what cannot be cleared is left as it was. */
#include "clip_fixture.h"

#include "adapt/clear.h"
#include "adapt/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 181 };
static const double RATE = 60;
static const double PI = 3.14159265358979;

typedef struct stage {
    hf_creature* human;
    hf_scene* scene;
    hf_placement* placement;
    hf_workspace* workspace;
    hf_schedule* schedule;
    hf_realise_result judged;
} stage;

/* The human stands; its right arm is swung forward and back. */
static void pose_at(const hf_creature* human, int frame, hf_pose* pose) {
    const hf_creature_view* v = hf_creature_get(human);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose_rest(human, pose);
    hf_forward(human, pose, links);
    const hf_contact_frame* sole = &v->limbs[hf_creature_find_limb(human, "left_leg")].contacts[0];
    pose->root.position.z = -hf_apply(links[sole->link], sole->offset).z;
    double s = hf_sin(PI * frame / (FRAMES - 1));
    int j = hf_creature_find_joint(human, "r_shoulder_y");
    assert_true(j >= 0);
    pose->q[v->joints[j].q_index] -= 0.8 * s * s;
    free(links);
}

/* Where the right hand is in a frame. */
static hf_vec3 hand_at(const hf_creature* human, int frame) {
    const hf_creature_view* v = hf_creature_get(human);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_pose pose = {.q = calloc((size_t)v->q_count, sizeof(double))};
    pose_at(human, frame, &pose);
    hf_forward(human, &pose, links);
    hf_vec3 at = links[v->limbs[hf_creature_find_limb(human, "right_arm")].effector_link].position;
    free(links);
    free(pose.q);
    return at;
}

static void judge(stage* s) {
    hf_motion* motion = NULL;
    hf_realise_options test = hf_realise_options_default();
    assert_int_equal(hf_realise(s->human, s->scene, s->schedule, &test, s->workspace, &motion, &s->judged),
                     HF_OK);
    hf_motion_free(motion);
}

static void set_up(stage* s, hf_vec3 (*place)(const hf_creature*), double half) {
    static float v[2][24];
    memset(s, 0, sizeof *s);
    s->human = shipped_creature("human");
    hf_object_def defs[] = {make_box("floor", v[0], hf_v3(0, 0, -5), hf_v3(5, 5, 5)),
                            make_box("cube", v[1], place(s->human), hf_v3(half, half, half))};
    assert_int_equal(hf_scene_build(defs, 2, &s->scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(s->scene, &s->placement), HF_OK);
    assert_int_equal(hf_workspace_create(&s->workspace), HF_OK);
    assert_int_equal(hf_schedule_create(s->human, RATE, &s->schedule), HF_OK);
    const hf_creature_view* view = hf_creature_get(s->human);
    hf_pose pose = {.q = calloc((size_t)view->q_count, sizeof(double))};
    hf_transform* links = calloc((size_t)view->link_count, sizeof *links);
    hf_hold holds[2];
    static const char* const legs[2] = {"left_leg", "right_leg"};
    for (int f = 0; f < FRAMES; f++) {
        pose_at(s->human, f, &pose);
        hf_forward(s->human, &pose, links);
        for (int i = 0; i < 2 && f == 0; i++)
            assert_true(hf_hold_find(s->human, s->placement, links, hf_creature_find_limb(s->human, legs[i]),
                                     0.002, &holds[i]));
        assert_int_equal(hf_schedule_add(s->schedule, s->placement, f / RATE, &pose, holds, 2, f == 0),
                         HF_OK);
    }
    s->schedule->claims = HF_CLAIM_LIMITS | HF_CLAIM_ROM | HF_CLAIM_COLLISION | HF_CLAIM_CONTACTS |
                          HF_CLAIM_SPEED | HF_CLAIM_BALANCE;
    free(links);
    free(pose.q);
    judge(s);
}

static void tear_down(stage* s) {
    hf_realise_result_free(&s->judged);
    hf_schedule_free(s->schedule);
    hf_placement_free(s->placement);
    hf_workspace_free(s->workspace);
    hf_scene_free(s->scene);
    hf_creature_free(s->human);
}

/* A little beside the way of the hand, half way up. */
static hf_vec3 beside_the_hand(const hf_creature* human) {
    return hf_add(hand_at(human, FRAMES / 4), hf_v3(0, -0.05, 0));
}

static hf_vec3 in_the_belly(const hf_creature* human) {
    hf_pose pose = {.q = calloc((size_t)hf_creature_get(human)->q_count, sizeof(double))};
    pose_at(human, 0, &pose);
    free(pose.q);
    return hf_add(pose.root.position, hf_v3(0, 0, 0.15));
}

/* The largest change of a joint value in a frame. */
static double change_of(const stage* s, int frame) {
    double most = 0;
    hf_pose pose = {.q = calloc((size_t)s->schedule->q_count, sizeof(double))};
    pose_at(s->human, frame, &pose);
    for (int i = 0; i < s->schedule->q_count; i++)
        most = fmax(most, fabs(pose.q[i] - s->schedule->knots[frame].q[i]));
    hf_transform root = s->schedule->knots[frame].root;
    most = fmax(most, hf_distance(pose.root.position, root.position));
    free(pose.q);
    return most;
}

static hf_status clear(stage* s, int* left) {
    hf_clear_job job = {.creature = s->human,
                        .scene = s->scene,
                        .placement = s->placement,
                        .schedule = s->schedule,
                        .workspace = s->workspace};
    return hf_clear_faults(&job, &s->judged, left);
}

static void arm_goes_round(void** state) {
    (void)state;
    stage s;
    set_up(&s, beside_the_hand, 0.05);
    assert_true(s.judged.fault_count > 0);
    int first = s.judged.faults[0].frame, left = -1;
    for (int i = 0; i < s.judged.fault_count; i++)
        assert_int_equal(s.judged.faults[i].kind, HF_FAULT_COLLIDES);
    assert_int_equal(clear(&s, &left), HF_OK);
    assert_int_equal(left, 0);
    assert_true(change_of(&s, first) > 1e-4);
    // over 0.7 s before the first fault nothing changes
    for (int f = 0; f < first - (int)(0.7 * RATE); f++) assert_true(change_of(&s, f) == 0);
    for (int f = 0; f < FRAMES; f++) assert_true(change_of(&s, f) < 0.6);
    judge(&s);
    assert_int_equal(s.judged.fault_count, 0);
    tear_down(&s);
}

static void belly_stays(void** state) {
    (void)state;
    stage s;
    set_up(&s, in_the_belly, 0.1);
    int before = s.judged.fault_count, left = -1;
    assert_true(before >= FRAMES);
    assert_int_equal(clear(&s, &left), HF_OK);
    assert_true(left > 0);
    judge(&s);
    assert_true(s.judged.fault_count <= before);
    tear_down(&s);
}

static hf_vec3 far_away(const hf_creature* human) {
    (void)human;
    return hf_v3(3, 3, 1);
}

/* Where a limb of the stage is anchored in a frame. */
static hf_anchor anchor_in(const stage* s, int hold, int frame) {
    const hf_knot* k = &s->schedule->knots[frame];
    hf_transform links[256];
    hf_pose pose = {k->root, k->q};
    assert_true(hf_creature_get(s->human)->link_count <= 256);
    hf_forward(s->human, &pose, links);
    return hf_hold_anchor(s->human, &s->schedule->holds[hold].hold, links);
}

/* In the first frames of its hold the body is up to 2 cm too high, and a foot is turned by 3 degrees: it
   comes down onto the anchor that is given, and the rest of the hold stays where it was. */
static void late_foot_is_on_its_anchor(void** state) {
    (void)state;
    enum { LATE = 8 };
    stage s;
    set_up(&s, far_away, 0.05);
    assert_int_equal(s.judged.fault_count, 0);
    const hf_creature_view* v = hf_creature_get(s.human);
    int limb = hf_creature_find_limb(s.human, "right_leg"), hold = -1, left = -1;
    for (int i = 0; i < s.schedule->hold_count; i++)
        if (s.schedule->holds[i].hold.limb == limb) hold = i;
    assert_true(hold >= 0);
    hf_anchor anchors[2] = {anchor_in(&s, 0, 2 * LATE), anchor_in(&s, 1, 2 * LATE)}, anchor = anchors[hold];
    assert_int_equal(s.schedule->hold_count, 2);
    for (int f = 0; f < LATE; f++) {
        double share = (double)(LATE - f) / LATE;
        s.schedule->knots[f].root.position.z += 0.02 * share;
        s.schedule->knots[f].q[v->joints[hf_creature_find_joint(s.human, "r_hip_z")].q_index] += 0.05 * share;
    }
    judge(&s);
    assert_true(s.judged.fault_count > 0);
    hf_clear_job job = {.creature = s.human,
                        .scene = s.scene,
                        .placement = s.placement,
                        .schedule = s.schedule,
                        .workspace = s.workspace,
                        .anchors = anchors,
                        .turns = true,
                        .turned = hold};
    assert_int_equal(hf_clear_faults(&job, &s.judged, &left), HF_OK);
    assert_int_equal(left, 0);
    for (int f = 0; f < FRAMES; f++) {
        hf_anchor now = anchor_in(&s, hold, f);
        assert_true(hf_distance(now.point, anchor.point) < 2e-4);
        assert_true(hf_quat_angle(now.rotation, anchor.rotation) < 2e-3);
    }
    judge(&s);
    assert_int_equal(s.judged.fault_count, 0);
    tear_down(&s);
}

/* How far the sole of a hold moves at most between two frames. */
static double longest_move(const stage* s, int hold) {
    double most = 0;
    for (int f = 1; f < FRAMES; f++)
        most = fmax(most, hf_distance(anchor_in(s, hold, f - 1).point, anchor_in(s, hold, f).point));
    return most;
}

/* A step of the body by 0.3 mm is no fault, and its soles slide with it: they stay where they were when that
   is asked for. */
static void soles_do_not_slide(void** state) {
    (void)state;
    enum { STEP = 60 };
    static const double MOST = 1e-4;
    stage s;
    int left = -1;
    set_up(&s, far_away, 0.05);
    hf_anchor anchors[2] = {anchor_in(&s, 0, 0), anchor_in(&s, 1, 0)};
    s.schedule->knots[STEP].root.position.x += 3e-4;
    judge(&s);
    assert_int_equal(s.judged.fault_count, 0);
    assert_true(longest_move(&s, 0) > MOST);
    hf_frame_fault at = {.kind = HF_FAULT_SLIPS, .frame = STEP};
    hf_realise_result slides = {.fault_count = 1, .faults = &at};
    hf_clear_job job = {.creature = s.human,
                        .scene = s.scene,
                        .placement = s.placement,
                        .schedule = s.schedule,
                        .workspace = s.workspace,
                        .anchors = anchors,
                        .slide_m = MOST};
    assert_int_equal(hf_clear_faults(&job, &slides, &left), HF_OK);
    assert_int_equal(left, 0);
    for (int i = 0; i < 2; i++) assert_true(longest_move(&s, i) <= MOST);
    tear_down(&s);
}

/* Moving a link by its cut's way frees its body, and by nine tenths of the way it does not. */
static void cuts_are_as_long_as_needed(void** state) {
    (void)state;
    stage s;
    set_up(&s, beside_the_hand, 0.05);
    const hf_creature_view* v = hf_creature_get(s.human);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_knot* k = &s.schedule->knots[FRAMES / 4];
    hf_pose pose = {k->root, k->q};
    hf_forward(s.human, &pose, links);
    hf_collision_query query = hf_collision_query_default();
    hf_hold floor[2];
    for (int i = 0; i < 2; i++) {
        int limb = hf_creature_find_limb(s.human, i ? "right_leg" : "left_leg");
        assert_true(hf_hold_find(s.human, s.placement, links, limb, 0.002, &floor[i]));
    }
    query.touches = floor, query.touch_count = 2;
    hf_cuts cuts = {0};
    assert_int_equal(hf_cuts_find(s.human, s.placement, links, &query, 0, 3, 4, &cuts), HF_OK);
    assert_true(cuts.count >= 2 && cuts.count % 2 == 0); // one for each of two frames
    for (int step = 0; step < 2; step++) {
        // all bodies that overlap the cube are moved along their own cuts
        for (int i = 0; i < cuts.count; i += 2) {
            const hf_cut* c = &cuts.items[i];
            assert_int_equal(c->frame, 3);
            assert_int_equal(c->against, -1);
            assert_near(hf_length(c->normal), 1, 1e-9);
            assert_near(hf_distance(hf_apply(links[c->link], c->at), c->other), 0, 1e-9);
        }
        hf_transform moved[256];
        assert_true(v->link_count <= 256);
        memcpy(moved, links, sizeof *links * (size_t)v->link_count);
        for (int i = 0; i < cuts.count; i += 2) {
            const hf_cut* c = &cuts.items[i];
            hf_vec3 by = hf_scale(c->normal, (step ? 1 : 0.9) * c->least);
            moved[c->link].position = hf_add(moved[c->link].position, by);
        }
        query.self = false; // links are torn apart
        assert_int_equal(hf_collides(s.human, s.placement, moved, &query, NULL), step == 0);
    }
    free(cuts.items);
    free(links);
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_goes_round),
        cmocka_unit_test(belly_stays),
        cmocka_unit_test(soles_do_not_slide),
        cmocka_unit_test(late_foot_is_on_its_anchor),
        cmocka_unit_test(cuts_are_as_long_as_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
