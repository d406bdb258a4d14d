/* Adaptation: edited scenes, rotations, descriptors, force profiles, times, and motions in edited scenes. */
#include "test.h"

#include "adapt/editor.h"
#include "adapt/profile.h"
#include "adapt/refit.h"
#include "adapt/slow.h"
#include "adapt/rotation.h"
#include "base/random.h"

#include <stdlib.h>

typedef struct world {
    hf_scenario* scenario;
    hf_schedule* schedule;
    hf_workspace* workspace;
    hf_adapt_editor* editor;
} world;

static void open_world(world* w, const char* scenario, const char* schedule) {
    hf_error error = {0};
    assert_int_equal(hf_scenario_load(data_path(scenario), NULL, &w->scenario, &error), HF_OK);
    assert_int_equal(hf_schedule_load(data_path(schedule), w->scenario->creature, w->scenario->scene,
                                      &w->schedule, &error),
                     HF_OK);
    assert_int_equal(hf_workspace_create(&w->workspace), HF_OK);
    assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, w->schedule, NULL,
                                            w->workspace, &w->editor, &error),
                     HF_OK);
}

static void close_world(world* w) {
    hf_adapt_editor_free(w->editor);
    hf_workspace_free(w->workspace);
    hf_schedule_free(w->schedule);
    hf_scenario_free(w->scenario);
}

static int load_world(void** state) {
    static world w;
    open_world(&w, "data/clips/stairs.scenario.json", "data/clips/stairs.schedule.json");
    *state = &w;
    return 0;
}

static int free_world(void** state) {
    close_world(*state);
    return 0;
}

static hf_scene_edit shifted(const world* w, const char* object, double x, double y, double z) {
    hf_scene_edit e = hf_scene_edit_of(object);
    int i = hf_scene_find(w->scenario->scene, object);
    assert_true(i >= 0);
    e.has_position = true;
    e.position = hf_add(hf_scene_object(w->scenario->scene, i).start.position, hf_v3(x, y, z));
    return e;
}

/* The update after one edit, which is taken back; the independent check judges what is said to be found. */
static hf_schedule* adapt(world* w, const hf_scene_edit* e, hf_adapt_result* r) {
    hf_error error = {0};
    hf_schedule* schedule = NULL;
    hf_motion* motion = NULL;
    hf_realise_result whole = {0};
    hf_check_report report = {0};
    hf_realise_options options = hf_realise_options_default();
    bool undone;
    assert_int_equal(hf_adapt_editor_edit(w->editor, e, 1, &error), HF_OK);
    assert_int_equal(hf_adapt_editor_update(w->editor, w->workspace, &schedule, r), HF_OK);
    const hf_scene* scene = hf_adapt_editor_scene(w->editor);
    assert_int_equal(
        hf_realise(w->scenario->creature, scene, schedule, &options, w->workspace, &motion, &whole), HF_OK);
    if (r->outcome == HF_FOUND) {
        assert_int_equal(whole.fault_count, 0);
        assert_int_equal(
            hf_check_motion(motion, w->scenario->creature, scene, 1, NULL, NULL, &report, &error), HF_OK);
        if (!report.valid) fail_msg("%s", report.problem_count ? report.problems[0].what : "not valid");
        assert_true(report.slip_max_m < 1e-3 && report.contact_error_max_m < 1e-3);
    } else
        assert_true(r->realised.fault_count > 0);
    hf_check_report_free(&report);
    hf_realise_result_free(&whole);
    hf_motion_free(motion);
    assert_int_equal(hf_adapt_editor_undo(w->editor, &undone), HF_OK);
    assert_true(undone);
    return schedule;
}

static int same_knot(const hf_knot* a, const hf_knot* b, int q_count) {
    return memcmp(&a->root, &b->root, sizeof a->root) == 0 &&
           memcmp(a->q, b->q, sizeof *a->q * (size_t)q_count) == 0;
}

/* ---- the parts ---- */

/* A turn times a stretch: the nearest rotation is the turn. */
static void test_rotations(void** state) {
    (void)state;
    hf_random random = hf_random_start(1, 1, 1);
    for (int k = 0; k < 200; k++) {
        hf_vec3 axis = hf_normalize(hf_random_in_box(&random, hf_v3(-1, -1, -1), hf_v3(1, 1, 1)));
        hf_quat turn = hf_quat_axis_angle(axis, hf_random_between(&random, -3, 3));
        hf_mat3 t = hf_quat_matrix(turn);
        // symmetric positive definite: A A^T + 0.1
        double a[9], s[9], m[9];
        for (int i = 0; i < 9; i++) a[i] = hf_random_between(&random, -1, 1);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                s[3 * i + j] = i == j ? 0.1 : 0;
                for (int n = 0; n < 3; n++) s[3 * i + j] += a[3 * i + n] * a[3 * j + n];
            }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                m[3 * i + j] = 0;
                for (int n = 0; n < 3; n++) m[3 * i + j] += t.m[3 * i + n] * s[3 * n + j];
            }
        assert_near(hf_quat_angle(hf_rotation_nearest(m), turn), 0, 1e-6);
    }
    // a reflection has no rotation of its own: the answer is one all the same
    const double mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    hf_mat3 r = hf_quat_matrix(hf_rotation_nearest(mirror));
    double det = r.m[0] * (r.m[4] * r.m[8] - r.m[5] * r.m[7]) - r.m[1] * (r.m[3] * r.m[8] - r.m[5] * r.m[6]) +
                 r.m[2] * (r.m[3] * r.m[7] - r.m[4] * r.m[6]);
    assert_near(det, 1, 1e-12);
}

static void test_scene_edits(void** state) {
    world* w = *state;
    const hf_scene* scene = w->scenario->scene;
    hf_error error = {0};
    hf_scene* changed = NULL;
    int count = hf_scene_object_count(scene), step = hf_scene_find(scene, "step_3");
    hf_scene_edit edits[3] = {shifted(w, "step_3", 0, 0, 0.1), hf_scene_edit_of("step_2"),
                              hf_scene_edit_of("rock")};
    edits[1].remove = true;
    edits[2].mesh = hf_scene_object(scene, step).mesh;
    assert_int_equal(hf_scene_change(scene, edits, 3, &changed, &error), HF_OK);
    assert_int_equal(hf_scene_object_count(changed), count + 1);
    assert_int_equal(hf_scene_object(changed, hf_scene_find(scene, "step_2")).mesh.triangle_count, 0);
    assert_near(hf_scene_object(changed, step).start.position.z,
                hf_scene_object(scene, step).start.position.z + 0.1, 1e-12);
    // what only moved shares its triangles
    assert_ptr_equal(hf_scene_object(changed, step).mesh.vertices,
                     hf_scene_object(scene, step).mesh.vertices);
    hf_scene_free(changed);
    hf_scene_edit bad[] = {hf_scene_edit_of("step_33"), shifted(w, "step_3", NAN, 0, 0),
                           hf_scene_edit_of("step_3"), hf_scene_edit_of("step_3")};
    bad[2].scale = 0;
    bad[3].remove = true, bad[3].at_s = 1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(hf_scene_change(scene, &bad[i], 1, &changed, &error), HF_ERROR_ARGUMENT);
        assert_null(changed);
        assert_non_null(strstr(error.message, "step_3"));
    }
    assert_int_equal(hf_adapt_editor_edit(w->editor, &bad[0], 1, &error), HF_ERROR_ARGUMENT);
    assert_ptr_equal(hf_adapt_editor_scene(w->editor), scene);
}

/* Weights sum to 1 and are never negative, and a scene that moves as a whole takes every joint along. */
static void test_relation(void** state) {
    world* w = *state;
    const hf_relation* r = &w->editor->relation;
    const hf_source* s = r->source;
    assert_true(r->count > 50);
    int rows = s->frame_count * s->particle_count;
    for (int row = 0; row < rows; row += 97) {
        double sum = 0;
        for (int k = r->start[row]; k < r->start[row + 1]; k++) {
            assert_true(r->weights[k].weight > 0);
            sum += (double)r->weights[k].weight;
        }
        assert_near(sum, 1, 1e-5);
    }
    hf_scene_edit edits[7];
    const char* names[] = {"ground", "step_1", "step_2", "step_3", "step_4", "step_5", "landing"};
    for (int i = 0; i < 7; i++) edits[i] = shifted(w, names[i], 0.1, -0.2, 0.3);
    hf_scene* changed = NULL;
    hf_moved_relation moved;
    assert_int_equal(hf_scene_change(w->scenario->scene, edits, 7, &changed, NULL), HF_OK);
    assert_int_equal(hf_relation_move(r, changed, &moved), HF_OK);
    for (int f = 0; f < s->frame_count; f += 50)
        for (int p = 0; p < s->particle_count; p++) {
            hf_vec3 shift;
            assert_true(hf_relation_shift(r, &moved, f, p, &shift));
            assert_near(hf_distance(shift, hf_v3(0.1, -0.2, 0.3)), 0, 1e-5);
        }
    hf_moved_relation_free(&moved);
    hf_scene_free(changed);
}

/* A contact is like itself: h1 is 1. Turned away from its surface it gives less. */
static void test_profile(void** state) {
    world* w = *state;
    const hf_creature_view* v = hf_creature_get(w->scenario->creature);
    hf_transform* links = calloc((size_t)v->link_count, sizeof *links);
    double* jacobian = calloc(3 * (size_t)v->v_count, sizeof *jacobian);
    assert_true(links && jacobian);
    hf_pose pose = hf_source_pose(&w->editor->source, 500);
    hf_forward(w->scenario->creature, &pose, links);
    int limb = hf_creature_find_limb(w->scenario->creature, "left_leg");
    hf_vec3 point = links[v->limbs[limb].effector_link].position;
    hf_profile_query q = {w->scenario->creature, limb, links, point, hf_v3(0, 0, 1), 0.5, jacobian};
    hf_profile p = hf_profile_of(&q);
    assert_near(hf_profile_likeness(&p, &q), 1, 1e-9);
    for (int i = 0; i < 3; i++) assert_true(p.forces[i] >= 0);
    q.normal = hf_v3(0, 0, -1);
    assert_near(hf_profile_likeness(&p, &q), -1, 1e-9);
    free(links);
    free(jacobian);
}

/* ---- motions ---- */

static void test_identity(void** state) {
    world* w = *state;
    hf_adapt_result r = {0};
    hf_schedule* schedule = NULL;
    assert_int_equal(hf_adapt_editor_update(w->editor, w->workspace, &schedule, &r), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_int_equal(r.touched, 0);
    assert_int_equal(r.level, 0);
    assert_int_equal(schedule->claims, w->schedule->claims);
    assert_int_equal(schedule->knot_count, w->schedule->knot_count);
    assert_int_equal(schedule->hold_count, w->schedule->hold_count);
    for (int i = 0; i < schedule->knot_count; i++) {
        assert_true(same_knot(&schedule->knots[i], &w->schedule->knots[i], schedule->q_count));
        assert_true(schedule->knots[i].time_s == w->schedule->knots[i].time_s);
    }
    for (int i = 0; i < schedule->hold_count; i++) {
        assert_memory_equal(&schedule->holds[i].hold.point, &w->schedule->holds[i].hold.point,
                            sizeof(hf_vec3));
        assert_true(schedule->holds[i].from_s == w->schedule->holds[i].from_s);
        assert_int_equal(r.phases[i].fate, HF_PHASE_KEPT);
    }
    hf_schedule_free(schedule);
    hf_adapt_result_free(&r);
}

/* One step goes up by 5 cm: its phase goes along, all others stay, and frames far away are the opened ones.
 */
static void test_bend(void** state) {
    world* w = *state;
    hf_adapt_result r = {0};
    hf_scene_edit e = shifted(w, "step_3", 0, 0, 0.05);
    int step = hf_scene_find(w->scenario->scene, "step_3");
    hf_schedule* schedule = adapt(w, &e, &r);
    assert_int_equal(r.outcome, HF_FOUND);
    assert_int_equal(r.level, 1);
    for (int i = 0; i < r.phase_count; i++) {
        bool on_step = r.phases[i].object == step;
        assert_int_equal(r.phases[i].fate, on_step ? HF_PHASE_BENT : HF_PHASE_KEPT);
        assert_near(r.phases[i].moved_m, on_step ? 0.05 : 0, 1e-9);
    }
    assert_true(r.touched < schedule->knot_count);
    int same = 0;
    for (int i = 0; i < schedule->knot_count; i++)
        same += same_knot(&schedule->knots[i], &w->schedule->knots[i], schedule->q_count);
    assert_true(same >= schedule->knot_count - r.touched);
    assert_true(same_knot(&schedule->knots[0], &w->schedule->knots[0], schedule->q_count));
    // asked again, whatever came between, the answer is the same
    hf_adapt_result again = {0};
    hf_schedule* other = adapt(w, &e, &again);
    for (int i = 0; i < schedule->knot_count; i++)
        assert_true(same_knot(&schedule->knots[i], &other->knots[i], schedule->q_count));
    hf_schedule_free(other);
    hf_schedule_free(schedule);
    hf_adapt_result_free(&again);
    hf_adapt_result_free(&r);
}

/* A step is taken away: the contact on it goes elsewhere, onto something that is there. */
static void test_removed(void** state) {
    world* w = *state;
    hf_adapt_result r = {0};
    hf_scene_edit e = hf_scene_edit_of("step_3");
    e.remove = true;
    hf_schedule* schedule = adapt(w, &e, &r);
    int step = hf_scene_find(w->scenario->scene, "step_3"), moved = 0;
    assert_int_equal(r.level, 2);
    for (int i = 0; i < r.phase_count; i++) {
        if (r.phases[i].object != step) continue;
        assert_int_equal(r.phases[i].fate, HF_PHASE_MOVED);
        assert_true(r.phases[i].to_object >= 0 && r.phases[i].to_object != step);
        assert_true(r.phases[i].h2 > 0 && r.phases[i].h2 <= 1 && r.phases[i].h1 > 0);
        assert_true(r.phases[i].why[0]);
        moved++;
    }
    assert_true(moved > 0);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_schedule_free(schedule);
    hf_adapt_result_free(&r);
}

/* All steps half as high: the paper's descriptors alone suffice. */
static void test_flat_stairs(void** state) {
    world* w = *state;
    hf_adapt_result r = {0};
    hf_error error = {0};
    bool undone;
    hf_scene_edit edits[6];
    char names[6][16];
    for (int i = 0; i < 6; i++) {
        snprintf(names[i], sizeof names[i], i < 5 ? "step_%d" : "landing", i + 1);
        edits[i] = shifted(w, names[i], 0, 0, -0.085 * (i + 1));
    }
    assert_int_equal(hf_adapt_editor_edit(w->editor, edits, 5, &error), HF_OK);
    hf_schedule* schedule = adapt(w, &edits[5], &r);
    assert_int_equal(hf_adapt_editor_undo(w->editor, &undone), HF_OK);
    assert_true(undone);
    assert_int_equal(hf_adapt_editor_undo(w->editor, &undone), HF_OK);
    assert_false(undone);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_schedule_free(schedule);
    hf_adapt_result_free(&r);
}

/* ---- times ---- */

/* A knot that is five times too far away: frames are added, and no step is too fast any more. */
static void test_retime(void** state) {
    world* w = *state;
    hf_schedule *schedule = NULL, *slower = NULL;
    int *old = NULL, added;
    hf_pose pose = {w->schedule->knots[0].root, w->schedule->knots[0].q};
    assert_int_equal(hf_schedule_create(w->scenario->creature, 30, &schedule), HF_OK);
    double step = hf_creature_get(w->scenario->creature)->limits.root_speed / 30;
    for (int i = 0; i < 40; i++) {
        pose.root.position.x = step * (i < 20 ? 0.5 * i : 0.5 * i + 4.5);
        assert_int_equal(hf_schedule_add(schedule, NULL, i / 30.0, &pose, NULL, 0, false), HF_OK);
    }
    bool exempt[40] = {0};
    assert_int_equal(hf_adapt_slow(w->scenario->creature, schedule, exempt, &slower, &old, &added), HF_OK);
    assert_true(slower && added >= 4);
    assert_int_equal(slower->knot_count, 40 + added);
    for (int i = 0; i + 1 < slower->knot_count; i++) {
        double way = hf_distance(slower->knots[i].root.position, slower->knots[i + 1].root.position);
        assert_true(way <= step * (1 + 1e-9));
        assert_true(old[i + 1] >= old[i]);
        assert_near(slower->knots[i].time_s, i / 30.0, 1e-12);
    }
    assert_memory_equal(&slower->knots[39 + added].root, &schedule->knots[39].root, sizeof(hf_transform));
    hf_schedule_free(slower);
    free(old);
    // the same steps, allowed
    memset(exempt, 1, sizeof exempt);
    assert_int_equal(hf_adapt_slow(w->scenario->creature, schedule, exempt, &slower, &old, &added), HF_OK);
    assert_null(slower);
    hf_schedule_free(schedule);
}

/* A family by two threads is that of one thread, each variant in a scene of its own. */
static void test_family(void** state) {
    world* w = *state;
    hf_error error = {0};
    char name[32];
    hf_vary vary;
    assert_int_equal(hf_vary_parse("step_2.z=-0.02:0.02:3", name, sizeof name, &vary, &error), HF_OK);
    assert_string_equal(vary.object, "step_2");
    assert_int_equal(vary.kind, HF_VARY_Z);
    hf_variant* variants[2] = {NULL, NULL};
    int count = 0, step = hf_scene_find(w->scenario->scene, "step_2");
    double z = hf_scene_object(w->scenario->scene, step).start.position.z;
    for (int i = 0; i < 2; i++)
        assert_int_equal(hf_adapt_family(w->scenario->creature, w->scenario->scene, w->schedule, NULL, NULL,
                                         0, &vary, 1, i + 1, NULL, NULL, &variants[i], &count, &error),
                         HF_OK);
    assert_int_equal(count, 3);
    for (int k = 0; k < 3; k++) {
        const hf_variant *a = &variants[0][k], *b = &variants[1][k];
        assert_near(a->values[0], 0.02 * (k - 1), 1e-12);
        assert_near(hf_scene_object(a->scene, step).start.position.z, z + 0.02 * (k - 1), 1e-12);
        assert_int_equal(a->result.outcome, HF_FOUND);
        assert_int_equal(a->schedule->knot_count, b->schedule->knot_count);
        for (int i = 0; i < a->schedule->knot_count; i++)
            assert_true(same_knot(&a->schedule->knots[i], &b->schedule->knots[i], a->schedule->q_count));
    }
    // the middle one is no edit at all
    assert_int_equal(variants[0][1].result.touched, 0);
    for (int i = 0; i < 2; i++) hf_variants_free(variants[i], count);
    const char* bad[] = {"step_2",   "step_2.z",       "step_2.z=1:2",   "step_2.w=1:2:3",
                         ".z=1:2:3", "step_2.z=1:2:0", "step_2.z=1:2:3x"};
    for (int i = 0; i < 7; i++)
        assert_int_equal(hf_vary_parse(bad[i], name, sizeof name, &vary, &error), HF_ERROR_ARGUMENT);
}

/* A hold that begins and ends between two frames is held in none of them: it is dropped with a reason, and
   the other phases keep their own times. */
static void test_between_frames(void** state) {
    world* w = *state;
    hf_error error = {0};
    hf_schedule with = *w->schedule, *out = NULL;
    hf_adapt_result r = {0};
    hf_adapt_editor* e = NULL;
    int count = w->schedule->hold_count, arm = -1;
    const hf_creature_view* v = hf_creature_get(w->scenario->creature);
    for (int i = 0; i < v->limb_count; i++)
        if (strcmp(v->limbs[i].name, "left_arm") == 0) arm = i;
    assert_true(arm >= 0);
    with.holds = calloc((size_t)count + 1, sizeof *with.holds);
    memcpy(with.holds + 1, w->schedule->holds, sizeof *with.holds * (size_t)count);
    with.holds[0] = with.holds[1];
    with.holds[0].hold.limb = arm, with.holds[0].hold.frame = 0;
    with.holds[0].from_s = 3.3 / with.rate, with.holds[0].to_s = 3.7 / with.rate;
    with.hold_count = count + 1;
    assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, &with, NULL,
                                            w->workspace, &e, &error),
                     HF_OK);
    assert_int_equal(hf_adapt_editor_update(e, w->workspace, &out, &r), HF_OK);
    assert_int_equal(r.phase_count, count + 1);
    assert_int_equal(r.phases[0].fate, HF_PHASE_DROPPED);
    assert_non_null(strstr(r.phases[0].why, "between two frames"));
    assert_int_equal(out->hold_count, count);
    for (int i = 0; i < count; i++) assert_near(r.phases[i + 1].to_s, w->schedule->holds[i].to_s, 1e-12);
    hf_adapt_result_free(&r);
    hf_schedule_free(out);
    hf_adapt_editor_free(e);
    free(with.holds);
}

/* A step that rises during the motion stands where it is at each time while pieces of the motion are tested:
   what the editor finds without fault, the whole motion has none of either, and it is found. */
static void test_keyed(void** state) {
    world* w = *state;
    hf_scene_edit edits[] = {shifted(w, "step_3", 0, 0, 0.11), shifted(w, "step_4", 0, 0, 0.12)};
    edits[0].at_s = 14, edits[1].at_s = 18;
    for (int i = 0; i < 2; i++) {
        hf_adapt_result r = {0};
        hf_schedule_free(adapt(w, &edits[i], &r));
        assert_int_equal(r.outcome, HF_FOUND);
        hf_adapt_result_free(&r);
    }
}

/* An edit that gives half a pose of an object with keys takes the other half from the moment from which it
   holds; straight and slerp between keys, so halfway is the mean position and half the turn. */
static void test_keyed_halves(void** state) {
    world* w = *state;
    hf_error error = {0};
    const hf_scene* scene = w->scenario->scene;
    int step = hf_scene_find(scene, "step_3");
    hf_transform start = hf_scene_object(scene, step).start;
    hf_vec3 up = {0, 0, 1}, far = hf_add(start.position, hf_v3(0.4, 0, 0));
    hf_scene_edit key = hf_scene_edit_of("step_3"), half[3];
    key.at_s = 10, key.has_position = key.has_rotation = true;
    key.position = far, key.rotation = hf_quat_axis_angle(up, 1);
    for (int i = 0; i < 3; i++) half[i] = hf_scene_edit_of("step_3");
    half[0].has_rotation = true, half[0].rotation = hf_quat_axis_angle(up, 0.2);
    half[1].has_rotation = true, half[1].rotation = hf_quat_axis_angle(up, 0.2), half[1].at_s = 5;
    half[2].has_position = true, half[2].position = far, half[2].at_s = 5;
    hf_scene *keyed = NULL, *changed = NULL;
    assert_int_equal(hf_scene_change(scene, &key, 1, &keyed, &error), HF_OK);
    // from the beginning: where the object begins, not where its keys end
    assert_int_equal(hf_scene_change(keyed, &half[0], 1, &changed, &error), HF_OK);
    assert_near(hf_distance(hf_scene_object(changed, step).start.position, start.position), 0, 1e-12);
    hf_scene_free(changed);
    assert_int_equal(hf_scene_change(keyed, &half[1], 1, &changed, &error), HF_OK);
    hf_object_view o = hf_scene_object(changed, step);
    assert_int_equal(o.key_count, 2);
    assert_near(o.keys[1].pose.position.x, start.position.x + 0.2, 1e-9);
    hf_scene_free(changed);
    assert_int_equal(hf_scene_change(keyed, &half[2], 1, &changed, &error), HF_OK);
    assert_near(
        hf_quat_angle(hf_scene_object(changed, step).keys[1].pose.rotation, hf_quat_axis_angle(up, 0.5)), 0,
        1e-6);
    hf_scene_free(changed);
    hf_scene_free(keyed);
}

/* The answer is the same to the last bit for any number of threads. */
static void test_threads(void** state) {
    world* w = *state;
    hf_error error = {0};
    hf_scene_edit edit = shifted(w, "step_1", 0, 0.05, 0.02);
    hf_schedule* answers[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        hf_adapt_options o = hf_adapt_options_default();
        o.threads = i ? 3 : 1;
        hf_adapt_editor* e = NULL;
        hf_adapt_result r = {0};
        assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, w->schedule, &o,
                                                w->workspace, &e, &error),
                         HF_OK);
        assert_int_equal(hf_adapt_editor_edit(e, &edit, 1, &error), HF_OK);
        assert_int_equal(hf_adapt_editor_update(e, w->workspace, &answers[i], &r), HF_OK);
        assert_true(r.touched > 100);
        hf_adapt_result_free(&r);
        hf_adapt_editor_free(e);
    }
    assert_int_equal(answers[0]->knot_count, answers[1]->knot_count);
    for (int f = 0; f < answers[0]->knot_count; f++) {
        const hf_knot *a = &answers[0]->knots[f], *b = &answers[1]->knots[f];
        assert_memory_equal(&a->root, &b->root, sizeof a->root);
        assert_memory_equal(a->q, b->q, sizeof *a->q * (size_t)answers[0]->q_count);
    }
    hf_schedule_free(answers[0]);
    hf_schedule_free(answers[1]);
}

/* The parts of a split phase are as long as asked, have frames of no phase between them, and joined they are
   what was opened. A part is not split again. */
static void test_split(void** state) {
    world* w = *state;
    hf_source* s = &w->editor->source;
    enum { GAP = 6, LEAST = 8 };
    int phases = s->phase_count, cells = s->frame_count * s->limb_count, splits = 0;
    hf_source_phase* was = calloc((size_t)phases, sizeof *was);
    int* at = calloc((size_t)cells, sizeof *at);
    memcpy(was, s->phases, sizeof *was * (size_t)phases);
    memcpy(at, s->phase_at, sizeof *at * (size_t)cells);
    for (int i = 0; i < phases; i++) {
        int length = was[i].last - was[i].first + 1, part = hf_source_split(s, i, GAP, LEAST), first, last;
        assert_int_equal(part >= 0, (length - GAP) / 2 >= LEAST);
        if (part < 0) continue;
        splits++;
        assert_int_equal(hf_source_split(s, i, GAP, LEAST), -1);
        assert_int_equal(hf_source_split(s, part, GAP, LEAST), -1);
        for (int f = was[i].first; f <= was[i].last; f++) {
            int expected = f <= s->phases[i].last ? i : f >= s->phases[part].first ? part : -1;
            assert_int_equal(s->phase_at[f * s->limb_count + was[i].hold.limb], expected);
        }
        assert_true(s->phases[part].first - s->phases[i].last - 1 >= GAP);
        hf_source_opened(s, part, &first, &last);
        assert_int_equal(first, was[i].first);
        assert_int_equal(last, was[i].last);
    }
    assert_true(splits > 1);
    hf_source_join(s, 0);
    assert_int_equal(s->phase_count, phases);
    assert_memory_equal(s->phases, was, sizeof *was * (size_t)phases);
    assert_memory_equal(s->phase_at, at, sizeof *at * (size_t)cells);
    free(was);
    free(at);
}

/* Frames are cleared, too, whose only fault is that a limb changes before the others bear the body: with the
   ground there, one such frame was left. */
static void test_balanced_changes(void** state) {
    world* w = *state;
    hf_adapt_result r = {0};
    hf_scene_edit e = shifted(w, "ground", -0.17540389916799262, -0.06188678932468967, -0.22623951095532552);
    hf_schedule_free(adapt(w, &e, &r));
    assert_int_equal(r.outcome, HF_FOUND);
    hf_adapt_result_free(&r);
}

/* A phase that is split beside holds of other limbs that change: its parts end and begin in frames of their
   own, and the smaller armrest beside the hand is found (before, two limbs changed at once in two frames). */
static void test_split_between_changes(void** state) {
    (void)state;
    world w = {0};
    hf_error error = {0};
    hf_adapt_result r = {0};
    assert_int_equal(
        hf_scenario_load(data_path("data/clips/chair-table.scenario.json"), NULL, &w.scenario, &error),
        HF_OK);
    assert_int_equal(hf_schedule_load(data_path("data/clips/sit-write-stand.schedule.json"),
                                      w.scenario->creature, w.scenario->scene, &w.schedule, &error),
                     HF_OK);
    assert_int_equal(hf_workspace_create(&w.workspace), HF_OK);
    assert_int_equal(hf_adapt_editor_create(w.scenario->creature, w.scenario->scene, w.schedule, NULL,
                                            w.workspace, &w.editor, &error),
                     HF_OK);
    hf_scene_edit e = hf_scene_edit_of("armrest_right");
    e.scale = 0.943;
    hf_schedule_free(adapt(&w, &e, &r));
    assert_int_equal(r.outcome, HF_FOUND);
    hf_adapt_result_free(&r);
    hf_adapt_editor_free(w.editor);
    hf_workspace_free(w.workspace);
    hf_schedule_free(w.schedule);
    hf_scenario_free(w.scenario);
}

static bool never_goes_on(void* user, double share, const char* what) {
    (void)share, (void)what;
    return --*(int*)user > 0;
}

/* Who cancels gets that told: whenever the work ends, no collision that nobody tested is made up. */
static void test_cancelled(void** state) {
    world* w = *state;
    hf_error error = {0};
    hf_scene_edit edit = shifted(w, "step_3", 0, 0, 0.02);
    bool undone;
    assert_int_equal(hf_adapt_editor_edit(w->editor, &edit, 1, &error), HF_OK);
    for (int questions = 1; questions < 40; questions += 12) {
        hf_schedule* schedule = NULL;
        hf_adapt_result r = {0};
        int left = questions;
        hf_workspace_watch(w->workspace, never_goes_on, &left);
        assert_int_equal(hf_adapt_editor_update(w->editor, w->workspace, &schedule, &r), HF_OK);
        hf_workspace_watch(w->workspace, NULL, NULL);
        if (left > 0) fail_msg("the work ended before it asked %d times", questions);
        assert_int_equal(r.outcome, HF_CANCELLED);
        assert_string_equal(schedule->outcome, hf_outcome_text(HF_CANCELLED));
        for (int i = 0; i < r.phase_count; i++) assert_int_not_equal(r.phases[i].fate, HF_PHASE_FAILED);
        hf_adapt_result_free(&r);
        hf_schedule_free(schedule);
    }
    assert_int_equal(hf_adapt_editor_undo(w->editor, &undone), HF_OK);
}

/* Opening a motion asks the watcher, too, and so do families: the answer is cancelled, never made up. */
static void test_cancelled_opening(void** state) {
    world* w = *state;
    hf_error error = {0};
    for (int questions = 1; questions < 300; questions += 98) {
        hf_adapt_editor* e = NULL;
        int left = questions;
        hf_workspace_watch(w->workspace, never_goes_on, &left);
        assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, w->schedule, NULL,
                                                w->workspace, &e, &error),
                         HF_OK);
        hf_workspace_watch(w->workspace, NULL, NULL);
        assert_null(e);
        assert_int_equal(left, 0);
    }
    hf_vary vary = {"step_2", HF_VARY_Z, 0, 0.1, 3};
    hf_variant* variants = NULL;
    int count = 0, left = 5;
    assert_int_equal(hf_adapt_family(w->scenario->creature, w->scenario->scene, w->schedule, NULL, NULL, 0,
                                     &vary, 1, 1, never_goes_on, &left, &variants, &count, &error),
                     HF_OK);
    assert_int_equal(count, 3);
    for (int i = 0; i < count; i++) {
        assert_int_equal(variants[i].result.outcome, HF_CANCELLED);
        assert_near(variants[i].values[0], 0.05 * i, 1e-12);
    }
    hf_variants_free(variants, count);
}

static void test_arguments(void** state) {
    world* w = *state;
    hf_adapt_editor* e = NULL;
    hf_adapt_options o = hf_adapt_options_default();
    hf_error error = {0};
    bool undone;
    assert_int_equal(
        hf_adapt_editor_create(NULL, w->scenario->scene, w->schedule, &o, w->workspace, &e, &error),
        HF_ERROR_ARGUMENT);
    assert_int_equal(hf_adapt_editor_undo(NULL, &undone), HF_ERROR_ARGUMENT);
    o.level = 4;
    assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, w->schedule, &o,
                                            w->workspace, &e, &error),
                     HF_ERROR_ARGUMENT);
    hf_schedule none = *w->schedule;
    none.knot_count = 0;
    assert_int_equal(hf_adapt_editor_create(w->scenario->creature, w->scenario->scene, &none, NULL,
                                            w->workspace, &e, &error),
                     HF_ERROR_ARGUMENT);
    assert_null(e);
    hf_adapt_editor_free(NULL);
}

/* ---- seats ---- */

static int seat_phase(const hf_adapt_editor* e) {
    const hf_limb* limbs = hf_creature_get(e->source.creature)->limbs;
    for (int i = 0; i < e->source.phase_count; i++)
        if (limbs[e->source.phases[i].hold.limb].joint_count == 0) return i;
    return -1;
}

/* The chair of somebody who sits goes forward and up: other places of the seat are on surfaces that face up,
   apart from each other and in the order of their scores, and the motion is found. */
static void test_moved_chair(void** state) {
    (void)state;
    world w = {0};
    hf_adapt_result r = {0};
    open_world(&w, "data/clips/chair-table.scenario.json", "data/clips/chair-table.schedule.json");
    hf_error error = {0};
    hf_schedule* schedule = NULL;
    hf_scene_edit e = shifted(&w, "chair", 0.1, 0, 0.05);
    assert_int_equal(hf_adapt_editor_edit(w.editor, &e, 1, &error), HF_OK);
    assert_int_equal(hf_adapt_editor_update(w.editor, w.workspace, &schedule, &r), HF_OK);
    assert_int_equal(r.outcome, HF_FOUND);
    hf_schedule_free(schedule);
    hf_adapt_options options = hf_adapt_options_default();
    hf_contact_why why;
    int phase = seat_phase(w.editor);
    assert_true(phase >= 0);
    hf_places* p = &w.editor->places;
    assert_int_equal(hf_places_find(p, &w.editor->bend, &options, phase, &why), HF_OK);
    assert_true(p->count > 0 && p->count <= options.candidates);
    for (int i = 0; i < p->count; i++) {
        const hf_hold* hold = &p->items[i].hold;
        hf_surface at;
        hf_vec3 point = hf_apply(hf_placement_pose(w.editor->bend.placement, hold->object), hold->point);
        assert_true(hf_placement_closest(w.editor->bend.placement, point, 1e-6, &at));
        assert_true(hold->normal.z > 0.9);
        assert_true(i == 0 || p->items[i].score <= p->items[i - 1].score);
        for (int k = 0; k < i; k++)
            assert_true(p->items[k].hold.object != hold->object ||
                        hf_distance(p->items[k].hold.point, hold->point) >= 0.08);
    }
    hf_adapt_result_free(&r);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_scene_edits),
        cmocka_unit_test(test_relation),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_bend),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_flat_stairs),
        cmocka_unit_test(test_retime),
        cmocka_unit_test(test_family),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_keyed),
        cmocka_unit_test(test_between_frames),
        cmocka_unit_test(test_keyed_halves),
        cmocka_unit_test(test_cancelled_opening),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_between_changes),
        cmocka_unit_test(test_balanced_changes),
        cmocka_unit_test(test_moved_chair),
    };
    return cmocka_run_group_tests(tests, load_world, free_world);
}
