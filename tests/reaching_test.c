/* Reaching: the control layer, the roadmap over it, hands at targets, and whole scenarios with their
 * refusals. */
#include "reach_fixture.h"

#include "model/scene.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- control layer ---- */

typedef struct bench {
    hf_scenario* s;
    hf_control_layer* layer;
    hf_control_stand stand;
    hf_transform* links;
    hf_pose pose;
    double rest[HF_CONTROL_COUNT];
} bench;

static bench start(void) {
    bench b = {.s = reach_shipped("cubes")};
    const hf_creature_view* v = hf_creature_get(b.s->creature);
    assert_int_equal(hf_control_layer_create(b.s->creature, NULL, &b.layer, NULL), HF_OK);
    b.links = calloc((size_t)v->link_count, sizeof *b.links);
    b.pose.q = calloc((size_t)v->q_count, sizeof(double));
    hf_control_stand_set(b.layer, &b.s->start.pose, b.links, &b.stand);
    hf_control_rest(b.layer, &b.stand, b.rest);
    return b;
}

static void finish(bench* b) {
    free(b->links);
    free(b->pose.q);
    hf_control_layer_free(b->layer);
    hf_scenario_free(b->s);
}

/* The 22 controls turn the joints that the human's files name so, and no other layer has a leg for an arm. */
static void test_layer_of_human(void** state) {
    (void)state;
    static const char* const joints[] = {"r_clavicle_y", "r_clavicle_x", "r_shoulder_y",
                                         "r_shoulder_x", "r_shoulder_z", "r_elbow",
                                         "r_forearm",    "r_wrist_x",    "r_wrist_y"};
    bench b = start();
    const hf_creature_view* v = hf_creature_get(b.s->creature);
    for (int k = 0; k < HF_CONTROL_ARM; k++) {
        hf_control c = hf_control_get(b.layer, k);
        assert_int_equal(c.part_count, 1);
        assert_string_equal(v->joints[c.parts[0].joint].name, joints[k]);
    }
    for (int k = HF_CONTROL_SPINE; k < HF_CONTROL_LEGS; k++) {
        hf_control c = hf_control_get(b.layer, k);
        double sum = 0;
        assert_int_equal(c.part_count, 3);
        for (int i = 0; i < 3; i++) sum += c.parts[i].share;
        assert_true(fabs(sum - 1) < 1e-12);
    }
    assert_int_equal(hf_control_arm(b.layer, HF_RIGHT), hf_creature_find_limb(b.s->creature, "right_arm"));
    assert_int_equal(hf_control_leg(b.layer, HF_LEFT), hf_creature_find_limb(b.s->creature, "left_leg"));
    finish(&b);
}

/* Controls of the standing pose give that pose; a squat with a bent back leaves both feet where they are, and
   the centre of mass above where it was. */
static void test_feet_stay(void** state) {
    (void)state;
    bench b = start();
    const hf_creature_view* v = hf_creature_get(b.s->creature);
    assert_true(hf_control_pose(b.layer, &b.stand, b.rest, &b.pose, b.links));
    for (int i = 0; i < v->q_count; i++) assert_true(fabs(b.pose.q[i] - b.s->start.pose.q[i]) < 1e-6);
    double x[HF_CONTROL_COUNT];
    memcpy(x, b.rest, sizeof x);
    x[HF_CONTROL_SPINE] = 0.6, x[HF_CONTROL_LEGS] = 0.2, x[2] = 1.2;
    assert_true(hf_control_pose(b.layer, &b.stand, x, &b.pose, b.links));
    for (int side = 0; side < 2; side++) {
        hf_transform foot = b.links[v->limbs[hf_control_leg(b.layer, (hf_side)side)].effector_link];
        assert_true(hf_distance(foot.position, b.stand.foot[side].position) < 1e-6);
        assert_true(hf_quat_angle(foot.rotation, b.stand.foot[side].rotation) < 1e-6);
    }
    hf_vec3 com = hf_com(b.s->creature, b.links);
    assert_true(hf_hypot(com.x - b.stand.com.x, com.y - b.stand.com.y) < 0.01);
    assert_true(b.pose.root.position.z <= b.stand.root.position.z - 0.2 + 1e-9);
    finish(&b);
}

/* The derivative against the change of the pose over a step a hundred times as large. */
static void test_derivative(void** state) {
    (void)state;
    bench b = start();
    const hf_creature_view* v = hf_creature_get(b.s->creature);
    hf_workspace* w;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    double* d = calloc((size_t)v->v_count * HF_CONTROL_COUNT, sizeof *d);
    double *q = calloc((size_t)v->q_count, sizeof *q), *speed = calloc((size_t)v->v_count, sizeof *speed);
    double x[HF_CONTROL_COUNT];
    memcpy(x, b.rest, sizeof x);
    x[HF_CONTROL_SPINE] = 0.4, x[HF_CONTROL_LEGS] = 0.15;
    assert_int_equal(hf_control_derivative(b.layer, &b.stand, x, w, d), HF_OK);
    assert_int_equal(hf_control_derivative(b.layer, &b.stand, x, w, NULL), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_control_derivative(NULL, &b.stand, x, w, d), HF_ERROR_ARGUMENT);
    for (int k = 0; k < HF_CONTROL_COUNT; k++) {
        const double step = 1e-3;
        hf_pose far = {.q = q};
        x[k] -= step;
        assert_true(hf_control_pose(b.layer, &b.stand, x, &b.pose, b.links));
        x[k] += 2 * step;
        assert_true(hf_control_pose(b.layer, &b.stand, x, &far, b.links));
        x[k] -= step;
        hf_pose_difference(b.s->creature, &b.pose, &far, speed);
        for (int r = 0; r < v->v_count; r++)
            assert_true(fabs(speed[r] / (2 * step) - d[r * HF_CONTROL_COUNT + k]) < 1e-3);
    }
    free(d);
    free(q);
    free(speed);
    hf_workspace_free(w);
    finish(&b);
}

/* ---- whole scenarios ---- */

static void assert_valid(const hf_scenario* s, const hf_reach_result* r) {
    hf_check_report report = {0};
    hf_error error = {0};
    assert_int_equal(hf_check_motion(r->motion, s->creature, s->scene, 0, NULL, NULL, &report, &error),
                     HF_OK);
    assert_true(report.valid);
    assert_int_equal(r->motion->claims, HF_CLAIM_ALL);
    hf_check_report_free(&report);
}

static void test_cubes(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_valid(s, &r);
    // the palm ends at the last target
    const hf_creature_view* v = hf_creature_get(s->creature);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    const hf_motion_frame* f = &r.motion->frames[r.motion->frame_count - 1];
    hf_forward(s->creature, &(hf_pose){f->root, f->q}, links);
    const hf_contact_frame* palm = &v->limbs[hf_creature_find_limb(s->creature, "right_arm")].contacts[0];
    hf_vec3 at = hf_apply(links[palm->link], palm->offset);
    assert_true(hf_distance(at, s->actions[s->action_count - 1].point) < 1e-3);
    free(links);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* One thread and three give the same motion to the last bit. */
static void test_threads(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(200);
    o.threads = 1;
    hf_reach_result a = reach_run(s, &o);
    o.threads = 3;
    hf_reach_result b = reach_run(s, &o);
    size_t q = sizeof(double) * (size_t)hf_creature_get(s->creature)->q_count;
    assert_int_equal(a.shortcuts, b.shortcuts);
    assert_int_equal(a.motion->frame_count, b.motion->frame_count);
    for (int i = 0; i < a.motion->frame_count; i++)
        assert_memory_equal(a.motion->frames[i].q, b.motion->frames[i].q, q);
    hf_reach_result_free(&a);
    hf_reach_result_free(&b);
    hf_scenario_free(s);
}

/* The can is where the scenario says in the end, and went with the hand in between. */
static void test_relocate(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_valid(s, &r);
    hf_placement* p;
    int can = hf_scene_find(s->scene, "can");
    assert_int_equal(hf_placement_create(s->scene, &p), HF_OK);
    hf_motion_place(r.motion, r.motion->frame_count - 1, p);
    assert_true(hf_distance(hf_placement_pose(p, can).position, s->actions[1].point) < 1e-3);
    assert_int_equal(r.updates, 1);
    hf_placement_free(p);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* The check sees a carried object in another one, and the mass of what is carried. */
static void test_check_carried(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    hf_check_report report = {0};
    int frame = 0;
    while (frame < r.motion->frame_count && !r.motion->frames[frame].object_count) frame++;
    assert_true(frame + 1 < r.motion->frame_count);
    r.motion->frames[frame].objects[0].pose.position.z -= 0.005; // into the table
    assert_int_equal(hf_check_motion(r.motion, s->creature, s->scene, 0, NULL, NULL, &report, NULL), HF_OK);
    assert_false(report.valid);
    assert_true(report.collisions > 0);
    hf_check_report_free(&report);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* Two hands carry the crate and put it down, whatever the roadmap's seed. */
static void test_two_hands(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("two-hands");
    hf_reach_options o = reach_nodes(200);
    for (o.seed = 1; o.seed <= (SANITIZED ? 1 : 3); o.seed++) {
        hf_reach_result r = reach_run(s, &o);
        if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
        assert_valid(s, &r);
        hf_reach_result_free(&r);
    }
    hf_scenario_free(s);
}

/* What two hands carry is turned as the action says where that goes; a quarter turn about Z takes a forearm
   through the crate, and is refused. */
static void test_two_hands_turn(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("two-hands");
    hf_reach_options o = reach_nodes(200);
    s->action_count = 2;
    s->actions[1].has_rotation = true;
    s->actions[1].rotation = hf_quat_axis_angle(hf_v3(0, 1, 0), -0.2);
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    hf_placement* p;
    assert_int_equal(hf_placement_create(s->scene, &p), HF_OK);
    hf_motion_place(r.motion, r.motion->frame_count - 1, p);
    hf_transform at = hf_placement_pose(p, hf_scene_find(s->scene, "crate"));
    assert_true(hf_distance(at.position, s->actions[1].point) < 1e-3);
    assert_true(hf_quat_angle(at.rotation, s->actions[1].rotation) < 1e-3);
    hf_placement_free(p);
    hf_reach_result_free(&r);
    s->actions[1].rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), 1.5707963267948966);
    r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_PARTIAL);
    assert_int_equal(r.action_count, 2);
    assert_non_null(strstr(r.actions[1].why, "both hands cannot carry"));
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* A finger joint at the end of the motion, rad. */
static double finger_at_end(const hf_scenario* s, const hf_reach_result* r, const char* name) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    for (int j = 0; j < v->joint_count; j++)
        if (strcmp(v->joints[j].name, name) == 0)
            return r->motion->frames[r->motion->frame_count - 1].q[v->joints[j].q_index];
    fail_msg("no joint %s", name);
    return 0;
}

/* Each hand holds something; the one that lets go opens, the other one stays closed. */
static void test_one_hand_opens(void** state) {
    (void)state;
    char path[] = HF_BUILD_DIR "/reach-two-things.scenario.json";
    const char* data = HF_SOURCE_DIR "/data";
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"start\":{\"at\":[0,0]},"
            "\"creature\":\"%s/creatures/human.creature.json\",\"scene\":["
            "{\"name\":\"ground\",\"mesh\":\"%s/scenes/ground.obj\"},"
            "{\"name\":\"table\",\"mesh\":\"%s/scenes/table.obj\",\"position\":[0.72,0,0]},",
            data, data, data);
    fprintf(f,
            "{\"name\":\"can\",\"mesh\":\"%s/scenes/can.obj\",\"position\":[0.5,-0.35,0.798],"
            "\"movable\":true,\"mass_kg\":0.35},"
            "{\"name\":\"glass\",\"mesh\":\"%s/scenes/glass.obj\",\"position\":[0.48,0.25,0.8],"
            "\"movable\":true,\"mass_kg\":0.4}],\"actions\":[{\"do\":\"grasp\",\"object\":\"can\"},"
            "{\"do\":\"grasp\",\"object\":\"glass\"},{\"do\":\"release\",\"object\":\"glass\"}]}",
            data, data);
    fclose(f);
    hf_scenario* s = reach_load(path);
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    assert_valid(s, &r);
    bool right = fabs(finger_at_end(s, &r, "r_fingers_1")) > 0.1,
         left = fabs(finger_at_end(s, &r, "l_fingers_1")) > 0.1;
    assert_true(right != left);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
    remove(path);
}

/* ---- leaning ---- */

/* The balance margin of a frame over the legs' contacts alone, m. */
static double margin_over_feet(const hf_scenario* s, const hf_motion_frame* f, hf_stance* stance,
                               hf_workspace* w) {
    const hf_creature_view* v = hf_creature_get(s->creature);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    hf_placement* p;
    hf_support supports[HF_STANCE_SUPPORTS];
    int n = 0;
    assert_int_equal(hf_placement_create(s->scene, &p), HF_OK);
    hf_forward(s->creature, &(hf_pose){f->root, f->q}, links);
    static const char* const legs[] = {"right_leg", "left_leg"};
    for (int i = 0; i < 2; i++) {
        int leg = hf_creature_find_limb(s->creature, legs[i]);
        hf_hold hold;
        assert_true(hf_hold_find(s->creature, p, links, leg, 0.01, &hold));
        hf_support_find(s->creature, p, &hold, links[v->limbs[leg].contacts[hold.frame].link],
                        &supports[n++]);
    }
    assert_int_equal(hf_stance_build(stance, supports, n, v->mass, NULL, w), HF_OK);
    double margin = hf_stance_margin(stance, hf_com(s->creature, links));
    hf_placement_free(p);
    free(links);
    return margin;
}

/* The target is reached in balance on feet and hand, and on feet alone the body would fall. */
static void test_lean(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("lean");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    assert_valid(s, &r);
    hf_workspace* w;
    hf_stance* stance;
    assert_int_equal(hf_workspace_create(&w), HF_OK);
    assert_int_equal(hf_stance_create(&stance), HF_OK);
    double least = INFINITY;
    int leaning = 0;
    for (int i = 0; i < r.motion->frame_count; i++) {
        leaning += r.motion->frames[i].contact_count == 3;
        least = fmin(least, margin_over_feet(s, &r.motion->frames[i], stance, w));
    }
    assert_true(leaning > 10);
    assert_true(least < 0);
    assert_int_equal(r.motion->frames[r.motion->frame_count - 1].contact_count, 2);
    hf_stance_free(stance);
    hf_workspace_free(w);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* ---- requests with a budget ---- */

/* Pieces of a millisecond give the motion that one piece gives, to the last bit. */
static void test_budget(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result a = reach_run(s, &o), b;
    hf_reacher* r;
    hf_error error = {0};
    bool done = false;
    int calls = 0;
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_request(r, &s->actions[0], NULL), HF_ERROR_ARGUMENT); // the roadmap first
    assert_null(hf_reach_schedule(r));
    assert_int_equal(hf_reach_continue(r, 0, &done, NULL), HF_ERROR_ARGUMENT);
    for (; !done; calls++) assert_int_equal(hf_reach_continue(r, 0.001, &done, &error), HF_OK);
    assert_true(calls > 5);
    for (int i = 0; i < s->action_count; i++) {
        assert_int_equal(hf_reach_request(r, &s->actions[i], &error), HF_OK);
        for (done = false; !done;) assert_int_equal(hf_reach_continue(r, 0.001, &done, &error), HF_OK);
        assert_int_equal(hf_reach_answer(r)->outcome, HF_FOUND);
    }
    assert_int_equal(hf_reach_end(r, &b, &error), HF_OK);
    assert_int_equal(a.motion->frame_count, b.motion->frame_count);
    size_t q = sizeof(double) * (size_t)hf_creature_get(s->creature)->q_count;
    for (int i = 0; i < a.motion->frame_count; i++)
        assert_memory_equal(a.motion->frames[i].q, b.motion->frames[i].q, q);
    hf_reach_result_free(&a);
    hf_reach_result_free(&b);
    hf_scenario_free(s);
}

/* A request that is given up ends, and one that failed lets others follow. */
static void test_requests(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(200);
    hf_reacher* r;
    hf_error error = {0};
    bool done;
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, 0.001, &done, &error), HF_OK);
    assert_false(done);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    hf_action far = s->actions[0];
    far.point = hf_v3(3, 0, 1);
    assert_int_equal(hf_reach_request(r, &far, &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_int_equal(hf_reach_answer(r)->outcome, HF_NONE);
    assert_int_equal(hf_reach_request(r, &s->actions[0], &error), HF_OK);
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    assert_int_equal(hf_reach_answer(r)->outcome, HF_FOUND);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    hf_scenario_free(s);
}

/* What is found for a hand, and a way, hold by the tests of postures and moves that callers have. */
static void test_probes(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    hf_reach_options o = reach_nodes(200);
    hf_reacher* r;
    hf_error error = {0};
    bool done, good = false, found;
    double a[HF_CONTROL_COUNT], b[HF_CONTROL_COUNT];
    assert_int_equal(hf_reach_begin(s, &o, &r, &error), HF_OK);
    assert_int_equal(hf_reach_test(r, a, &good), HF_ERROR_ARGUMENT); // no roadmap yet
    assert_int_equal(hf_reach_continue(r, INFINITY, &done, &error), HF_OK);
    for (int64_t i = 1000000; !good; i++) {
        assert_int_equal(hf_reach_sample(r, i, a, &found), HF_OK);
        if (found) assert_int_equal(hf_reach_test(r, a, &good), HF_OK);
    }
    hf_target target, there;
    assert_int_equal(hf_reach_hand(r, a, HF_RIGHT, &target), HF_OK);
    assert_int_equal(hf_reach_solve(r, &target, 1, b, &found), HF_OK);
    assert_true(found);
    assert_int_equal(hf_reach_hand(r, b, HF_RIGHT, &there), HF_OK);
    assert_true(hf_distance(there.point, target.point) < 1e-4);
    assert_true(hf_quat_angle(there.rotation, target.rotation) < 1e-3);
    hf_reach_path path;
    double straight;
    assert_int_equal(hf_reach_path_find(r, a, b, &path, &found), HF_OK);
    assert_true(found);
    assert_int_equal(hf_reach_path_smooth(r, &path, 30), HF_OK);
    for (int i = 0; i + 1 < path.count; i++) {
        const double* row = path.controls + (size_t)i * HF_CONTROL_COUNT;
        assert_int_equal(hf_reach_test_move(r, row, row + HF_CONTROL_COUNT, &good), HF_OK);
        assert_true(good);
    }
    assert_int_equal(hf_reach_distance(r, a, b, &straight), HF_OK);
    assert_true(path.length_m >= straight * 0.999);
    hf_reach_path_free(&path);
    assert_int_equal(hf_reach_end(r, NULL, NULL), HF_OK);
    hf_scenario_free(s);
}

/* Steps of more than two metres arrive, and the whole motion is valid. After the steps the feet go on with
   the holds of the steps: none begins or ends with the action that follows. */
static void test_step_far(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("steps");
    s->actions[0] = (hf_action){.kind = HF_ACTION_STEP, .object = -1, .at = {-2.2, 0.3, 0}};
    s->actions[1] = (hf_action){.kind = HF_ACTION_WAIT, .object = -1, .seconds = 0.5};
    s->action_count = 2;
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    assert_valid(s, &r);
    double end_s = r.schedule->knots[r.schedule->knot_count - 1].time_s;
    for (int h = 0; h < r.schedule->hold_count; h++) assert_true(r.schedule->holds[h].from_s < end_s - 0.45);
    hf_vec3 a = r.motion->frames[0].root.position,
            b = r.motion->frames[r.motion->frame_count - 1].root.position;
    assert_true(hf_distance(a, b) > 2);
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* ---- progress ---- */

typedef struct watcher {
    atomic_int inside;
    atomic_bool together; /* two threads asked at once */
    bool stop_in_steps;
} watcher;

static bool watch(void* user, double share, const char* what) {
    watcher* w = user;
    (void)share;
    if (atomic_fetch_add(&w->inside, 1)) atomic_store(&w->together, true);
    bool goes_on = !w->stop_in_steps || !*what || strcmp(what, "roadmap") == 0;
    atomic_fetch_sub(&w->inside, 1);
    return goes_on;
}

/* The planner of steps asks too, and no two threads ask at once. */
static void test_progress(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("steps");
    hf_reach_options o = reach_nodes(200);
    watcher w = {.stop_in_steps = true};
    hf_reach_result r = {0};
    o.threads = 3;
    assert_int_equal(hf_reach_run(s, &o, watch, &w, &r, NULL), HF_OK);
    assert_int_equal(r.outcome, HF_CANCELLED);
    assert_int_equal(r.action_count, 1);
    assert_false(atomic_load(&w.together));
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

/* ---- refusals ---- */

static void refused(hf_scenario* s, int index, const char* words) {
    hf_reach_options o = reach_nodes(200);
    o.tries = 5;
    hf_reach_result r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_PARTIAL);
    assert_int_equal(r.action_count, index + 1);
    if (!strstr(r.actions[index].why, words)) fail_msg("\"%s\" lacks \"%s\"", r.actions[index].why, words);
    assert_non_null(r.motion); // what came before is kept
    hf_reach_result_free(&r);
}

static void test_refusals(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    s->action_count = 1;
    s->actions[0].point = hf_v3(2, 0, 1);
    refused(s, 0, "cannot reach");
    s->actions[0].point = hf_v3(0.42, -0.02, 1.2); // the middle of a cube
    refused(s, 0, "inside \"cubes\"");
    s->actions[0].kind = HF_ACTION_GRASP, s->actions[0].object = hf_scene_find(s->scene, "cubes");
    refused(s, 0, "not movable");
    s->actions[0].kind = HF_ACTION_OPEN;
    refused(s, 0, "has no joint");
    s->actions[0].kind = HF_ACTION_RELEASE, s->actions[0].object = -1;
    refused(s, 0, "nothing is held");
    hf_scenario_free(s);
    s = reach_shipped("relocate");
    s->actions[0] = s->actions[1]; // place before grasp
    refused(s, 0, "grasp it first");
    hf_scenario_free(s);
}

static void test_refused_hands(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("cubes");
    s->actions[0].hand = HF_HAND_BOTH;
    refused(s, 0, "both hands can only grasp together, not reach");
    hf_scenario_free(s);
    s = reach_shipped("relocate");
    int table = hf_scene_find(s->scene, "table");
    s->scene->objects[table].movable = true;
    s->actions[1] = (hf_action){.kind = HF_ACTION_GRASP, .hand = HF_HAND_BOTH, .object = table};
    refused(s, 1, "holds something already");
    hf_scenario_free(s);
}

static void test_refused_objects(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    s->actions[1].kind = HF_ACTION_CARRY;
    s->actions[1].point.z += 0.15; // over the table
    refused(s, 2, "nothing bears it there");
    s->reach_objects[hf_scene_find(s->scene, "can")].joint = HF_OBJECT_SLIDE;
    refused(s, 0, "use open or close");
    hf_scenario_free(s);
}

/* The shelf of 0.6 m has come to where the steps shall end; it was not there at the start. */
static void test_step_among_moved(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("moving-shelf");
    s->actions[0] = (hf_action){.kind = HF_ACTION_WAIT, .object = -1, .seconds = 11};
    s->actions[1] = (hf_action){.kind = HF_ACTION_STEP, .object = -1, .at = {0.7, 0.8, 0}};
    refused(s, 1, "no standing pose");
    hf_scenario_free(s);
}

/* A hand shape that the scenario gives, with fingers through the object, is refused where the hand is. */
static void test_refused_shape(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    int can = hf_scene_find(s->scene, "can");
    hf_grasp* g = calloc(1, sizeof *g);
    g->limb = -1;
    g->hand = (hf_transform){hf_v3(0, 0, 0), hf_quat_identity()}; // the wrist in the middle of the can
    s->reach_objects[can].grasp_count = 1;
    s->reach_objects[can].grasps = g;
    refused(s, 0, "no hand shape holds \"can\": the given one collides: with open fingers \"");
    hf_scenario_free(s);
}

/* A place that is taken is told from one that is out of reach. */
static void test_taken_place(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    s->actions[1].point = hf_v3(0.72, 0, 0.74); // in the top of the table
    refused(s, 1, "\"table\" is there");
    s->actions[1].point = hf_v3(3, 0, 1);
    refused(s, 1, "no posture brings");
    hf_scenario_free(s);
}

/* A scenario whose creature has arms that grip nothing. */
static hf_scenario* load_gripless(const char* name) {
    hf_scenario* s = reach_shipped(name);
    hf_limb* limbs = (hf_limb*)(uintptr_t)hf_creature_get(s->creature)->limbs;
    limbs[hf_creature_find_limb(s->creature, "left_arm")].grip = false;
    limbs[hf_creature_find_limb(s->creature, "right_arm")].grip = false;
    return s;
}

/* What one hand carries counts as gripped, so an arm that the creature calls no gripper takes nothing. */
static void test_no_grip(void** state) {
    (void)state;
    hf_scenario* s = load_gripless("relocate");
    refused(s, 0, "no limb that grips");
    hf_scenario_free(s);
}

/* How often the check says that what presses an object cannot bear it. */
static int unborne(const hf_scenario* s, const hf_reach_result* r) {
    hf_check_report report;
    int count = 0;
    assert_int_equal(hf_check_scenario(r->motion, s->creature, s, 2, NULL, NULL, &report, NULL), HF_OK);
    for (int i = 0; i < report.problem_count; i++)
        count += strstr(report.problems[i].what, "what presses \"crate\" cannot bear it") != NULL;
    assert_true(count == 0 || !report.valid);
    hf_check_report_free(&report);
    return count;
}

/* Two palms that do not grip press the crate between them and lift it by friction. The check asks the same of
   a motion: with hardly any friction, or with more weight than arms may push, the same motion is not valid.
   A palm that pushes with 600 N at a friction of 0.5 bears 300 N: two of them 61 kg. */
static void test_pressed(void** state) {
    (void)state;
    hf_scenario* s = load_gripless("two-hands");
    hf_reach_options o = reach_nodes(200);
    hf_reach_result r = reach_run(s, &o);
    hf_object* crate = &s->scene->objects[hf_scene_find(s->scene, "crate")];
    if (r.outcome != HF_FOUND) fail_msg("%s", r.actions[r.action_count - 1].why);
    assert_valid(s, &r);
    for (int f = 0; f < r.motion->frame_count; f++)
        for (int i = 0; i < r.motion->frames[f].contact_count; i++)
            assert_false(r.motion->frames[f].contacts[i].grip);
    assert_int_equal(unborne(s, &r), 0);
    double friction = crate->friction, mass = crate->mass_kg;
    crate->friction = 0.01;
    assert_true(unborne(s, &r) > r.motion->frame_count / 4);
    crate->friction = friction, crate->mass_kg = 90;
    assert_true(unborne(s, &r) > r.motion->frame_count / 4);
    hf_reach_result_free(&r);
    crate->mass_kg = mass, crate->friction = 0.01;
    r = reach_run(s, &o);
    assert_int_equal(r.outcome, HF_PARTIAL);
    assert_int_equal(r.action_count, 1);
    assert_non_null(strstr(r.actions[0].why, "cannot press hard enough"));
    hf_reach_result_free(&r);
    hf_scenario_free(s);
}

static void test_too_heavy(void** state) {
    (void)state;
    hf_scenario* s = reach_shipped("relocate");
    s->scene->objects[hf_scene_find(s->scene, "can")].mass_kg = 90;
    refused(s, 0, "too heavy");
    hf_scenario_free(s);
}

/* Files that name what is not there. */
static void test_files(void** state) {
    (void)state;
    static const struct {
        const char *actions, *words;
    } cases[] = {
        {"[{\"do\":\"grasp\",\"object\":\"cann\"}]", "unknown object \"cann\"; did you mean \"can\"?"},
        {"[{\"do\":\"jump\"}]", "unknown action \"jump\""},
        {"[{\"do\":\"wait\"}]", "\"seconds\""},
        {"[{\"do\":\"open\",\"object\":\"can\",\"hand\":\"both\"}]",
         "\"both\", which is for \"grasp\" alone"},
        {"[{\"do\":\"carry\",\"object\":\"can\",\"position\":[0,0,1],\"hand\":\"any\"}]", "\"hand\""},
        {"[{\"do\":\"reach\",\"hand\":\"right_ar\",\"point\":[0,0,1]}]", "did you mean \"right_arm\"?"},
        {"[]", "is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = HF_BUILD_DIR "/reach-bad.scenario.json";
        FILE* f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f,
                "{\"format\":\"holdfast-scenario\",\"version\":1,\"kind\":\"reach\",\"creature\":\"%s\","
                "\"scene\":[{\"name\":\"can\",\"mesh\":\"%s\",\"movable\":true}],\"actions\":%s}",
                HF_SOURCE_DIR "/data/creatures/human.creature.json", HF_SOURCE_DIR "/data/scenes/can.obj",
                cases[i].actions);
        fclose(f);
        hf_scenario* s = NULL;
        hf_error error = {0};
        assert_int_equal(hf_scenario_load(path, NULL, &s, &error), HF_ERROR_FORMAT);
        if (!strstr(error.message, cases[i].words)) fail_msg("%s", error.message);
        remove(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layer_of_human),  cmocka_unit_test(test_feet_stay),
        cmocka_unit_test(test_derivative),      cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_relocate),
        cmocka_unit_test(test_check_carried),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_grip),         cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_too_heavy),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_two_hands),       cmocka_unit_test(test_two_hands_turn),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_refused_hands),
        cmocka_unit_test(test_refused_objects), cmocka_unit_test(test_step_among_moved),
        cmocka_unit_test(test_one_hand_opens),  cmocka_unit_test(test_lean),
        cmocka_unit_test(test_budget),          cmocka_unit_test(test_requests),
        cmocka_unit_test(test_probes),          cmocka_unit_test(test_step_far),
        cmocka_unit_test(test_refused_shape),   cmocka_unit_test(test_taken_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
