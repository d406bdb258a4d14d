/* Guide paths of a single query: the condition against brute force, ways, honest failures. */
#include "allocation_count.h"
#include "guide_fixture.h"
#include "base/random.h"
#include "space/root_path.h"

#include <stdlib.h>

static hf_quat random_turn(hf_random* r) {
    hf_vec3 axis =
        hf_v3(hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1));
    return hf_quat_axis_angle(hf_normalize(axis), hf_random_between(r, -3, 3));
}

static hf_transform random_pose(hf_random* r) {
    hf_vec3 p = hf_v3(hf_random_between(r, -2, 2), hf_random_between(r, -2, 2), hf_random_between(r, 0, 2.5));
    return (hf_transform){p, random_turn(r)};
}

/* ---- the condition ---- */

/* Least distance by GJK from a convex body to every triangle of the objects, one after the other. */
static double brute_distance(const hf_scene* scene, const hf_shape* shape, hf_transform pose) {
    double best = INFINITY;
    static const uint32_t sides[6] = {0, 1, 2, 0, 2, 1};
    for (int o = 0; o < hf_scene_object_count(scene); o++) {
        hf_object_view v = hf_scene_object(scene, o);
        for (int t = 0; t < v.mesh.triangle_count; t++) {
            float corners[9];
            for (int k = 0; k < 9; k++)
                corners[k] = v.mesh.vertices[3 * v.mesh.indices[3 * t + k / 3] + k % 3];
            hf_shape flat = {.kind = HF_SHAPE_HULL,
                             .vertex_count = 3,
                             .face_count = 2,
                             .vertices = corners,
                             .faces = sides};
            best = fmin(best, hf_shape_distance(shape, pose, &flat, v.start));
        }
    }
    return best;
}

static bool brute_inside(const box_scene* s, hf_vec3 p) {
    for (int i = 0; i < s->count; i++)
        if (p.x > s->low[i].x && p.x < s->high[i].x && p.y > s->low[i].y && p.y < s->high[i].y &&
            p.z > s->low[i].z && p.z < s->high[i].z)
            return true;
    return false;
}

/* A hull with its corners drawn towards their mean. */
static hf_shape shrunk(const hf_shape* s, double factor, float* corners) {
    float mean[3] = {0, 0, 0};
    for (int i = 0; i < 3 * s->vertex_count; i++) mean[i % 3] += s->vertices[i] / (float)s->vertex_count;
    for (int i = 0; i < 3 * s->vertex_count; i++)
        corners[i] = mean[i % 3] + (float)factor * (s->vertices[i] - mean[i % 3]);
    hf_shape r = *s;
    r.vertices = corners;
    return r;
}

static void condition_equals_brute_force(void** state) {
    (void)state;
    box_scene boxes = window_scene(0.8);
    guide_world w = world_of(boxes);
    hf_guide_model* m = human();
    hf_guide_body bodies[32];
    int count = hf_guide_model_bodies(m, bodies, 32), free_poses = 0, limbs_seen = 0;
    assert_true(count >= 5 && count <= 32);
    for (int i = 0; i < 300; i++) {
        hf_random r = hf_random_start(3, 1, (uint64_t)i);
        hf_transform root = random_pose(&r);
        hf_guide_state s = hf_guide_test(m, w.placement, root);
        bool trunk_free = true;
        float corners[3 * 256];
        for (int b = 0; b < count && bodies[b].limb < 0; b++) {
            const hf_shape* shape = &bodies[b].shape;
            hf_shape less = shrunk(shape, 0.97, corners);
            bool clear = brute_distance(w.scene, shape, root) > 1e-6 &&
                         !brute_inside(&boxes, hf_apply(root, hf_v3(0, 0, 0.3)));
            bool deep = brute_distance(w.scene, &less, root) == 0;
            // neither: within the millimetre that is allowed
            if (clear == deep) goto next;
            trunk_free = trunk_free && clear;
        }
        double up = hf_rotate(root.rotation, hf_v3(0, 0, 1)).z;
        assert_near(s.tilt_rad, acos(up), 1e-9);
        // 1.6 rad forwards, 0.3 to the sides and backwards
        double back = hf_rotate(root.rotation, hf_v3(1, 0, 0)).z,
               aside = hf_rotate(root.rotation, hf_v3(0, 1, 0)).z;
        bool tilted = acos(up) > 1.6 || (acos(up) > 0.3 && hypot(fmax(back, 0), aside) > sin(0.3));
        assert_int_equal(s.fault == HF_GUIDE_TILT, tilted);
        if (!tilted) assert_int_equal(s.fault == HF_GUIDE_TRUNK, !trunk_free);
        if (!trunk_free) continue;
        free_poses++;
        uint64_t reach = 0;
        for (int b = 0; b < count; b++) {
            if (bodies[b].limb < 0) continue;
            double d = brute_distance(w.scene, &bodies[b].shape, root);
            bool reaches = (s.reach >> bodies[b].limb) & 1;
            if (d > 1e-6 && reaches) fail_msg("pose %d limb %d is %g away", i, bodies[b].limb, d);
            if (d == 0 && !reaches) {
                hf_shape less = shrunk(&bodies[b].shape, 0.999, corners);
                if (brute_distance(w.scene, &less, root) == 0) fail_msg("pose %d limb %d", i, bodies[b].limb);
            }
            if (reaches) reach |= (uint64_t)1 << bodies[b].limb, limbs_seen++;
        }
        assert_true(reach == s.reach);
        // the human's guide key: both legs upright (limbs 2 and 3), any one limb when bent
        bool enough = acos(up) <= 0.6 ? (reach & 12) == 12 : reach != 0;
        if (!tilted) assert_int_equal(s.fault == HF_GUIDE_FINE, enough);
    next:;
    }
    assert_true(free_poses > 40 && limbs_seen > 40);
    world_free(&w);
}

/* Standing upright both feet reach the floor, half a metre higher they do not. */
static void standing_reaches_the_floor(void** state) {
    (void)state;
    guide_world w = world_of(bar_scene(2.5));
    assert_int_equal(hf_guide_test(human(), w.placement, at(-1.0, 0, 0.9424)).fault, HF_GUIDE_FINE);
    assert_int_equal(hf_guide_test(human(), w.placement, at(-1.0, 0, 1.5)).fault, HF_GUIDE_REACH);
    assert_int_equal(hf_guide_test(human(), w.placement, at(-1.0, 0, 0.05)).fault, HF_GUIDE_TRUNK);
    world_free(&w);
}

/* ---- distance and ways ---- */

static void distance_is_a_metric(void** state) {
    (void)state;
    guide_world w = world_of(bar_scene(0.55));
    hf_guide_model* m = plain();
    hf_guide_options o = hf_guide_options_default();
    hf_root_space space;
    hf_root_space_start(&space, m, w.placement, NULL, &o);
    for (int i = 0; i < 2000; i++) {
        hf_random r = hf_random_start(5, 2, (uint64_t)i);
        hf_transform a = random_pose(&r), b = random_pose(&r), c = random_pose(&r);
        double ab = hf_root_distance(&space, &a, &b), bc = hf_root_distance(&space, &b, &c);
        double ac = hf_root_distance(&space, &a, &c);
        assert_near(ab, hf_root_distance(&space, &b, &a), 1e-12);
        assert_true(ab > 0 && hf_root_distance(&space, &a, &a) < 1e-7);
        if (ac > ab + bc + 1e-9) fail_msg("%d: %g > %g + %g", i, ac, ab, bc);
        // a quaternion and its opposite are one orientation
        hf_transform opposite = b;
        opposite.rotation = (hf_quat){-b.rotation.w, -b.rotation.x, -b.rotation.y, -b.rotation.z};
        assert_near(ab, hf_root_distance(&space, &a, &opposite), 1e-9);
        // and no corner of the trunk moves further than the sweep
        for (int k = 0; k < 8; k++) {
            hf_vec3 p = hf_v3(k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, k & 4 ? 0.45 : -0.45);
            assert_true(hf_distance(hf_apply(a, p), hf_apply(b, p)) <= hf_root_sweep(&space, &a, &b) + 1e-9);
        }
    }
    hf_guide_model_free(m);
    world_free(&w);
}

/* A body in the world is free by GJK against every triangle, and not inside a box. */
static void assert_free(const guide_world* w, const box_scene* boxes, const hf_transform* root) {
    hf_shape box = trunk_box();
    if (!(brute_distance(w->scene, &box, *root) > 0) || brute_inside(boxes, root->position))
        fail_msg("not free at %g %g %g", root->position.x, root->position.y, root->position.z);
}

/* Neighbours within the step at every corner of the box, every pose free, ends exact. */
static void assert_good_path(const guide_world* w, const box_scene* boxes, const hf_guide_path* p,
                             hf_transform start, hf_transform goal, double step) {
    assert_int_equal(p->outcome, HF_FOUND);
    assert_true(p->pose_count >= 2);
    assert_true(hf_distance(p->poses[0].position, start.position) == 0);
    assert_true(hf_distance(p->poses[p->pose_count - 1].position, goal.position) == 0);
    assert_near(hf_quat_angle(p->poses[p->pose_count - 1].rotation, goal.rotation), 0, 1e-7);
    for (int i = 0; i < p->pose_count; i++) {
        assert_free(w, boxes, &p->poses[i]);
        if (i == 0) continue;
        for (int k = 0; k < 8; k++) {
            hf_vec3 c = hf_v3(k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, k & 4 ? 0.45 : -0.45);
            hf_vec3 a = hf_apply(p->poses[i - 1], c), b = hf_apply(p->poses[i], c);
            if (hf_distance(a, b) > step + 1e-9) fail_msg("a corner moves by %g", hf_distance(a, b));
        }
    }
}

static void through_window_and_under_bar(void** state) {
    (void)state;
    hf_guide_model* m = plain();
    hf_guide_path path = {0};
    for (int k = 0; k < 6; k++) {
        box_scene boxes = k % 2 ? bar_scene(0.55) : window_scene(0.7);
        guide_world w = world_of(boxes);
        hf_guide_options o = hf_guide_options_default();
        o.margin_m = 0.01, o.max_samples = 100000, o.seed = (uint64_t)k, o.smooth = k < 4;
        hf_transform start = at(-1.0, 0, 0.5), goal = at(1.0, 0.3, 0.5);
        assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &path), HF_OK);
        assert_good_path(&w, &boxes, &path, start, goal, o.step * hf_guide_model_radius(m));
        assert_int_equal(path.stop, HF_GUIDE_REACHED);
        assert_true(path.gap == 0 && path.samples > 0 && path.tests > path.samples);
        // the box is 0.9 m high: through a window of 0.7 m or under 0.55 m it must lie down
        double least = 1;
        for (int i = 0; i < path.pose_count; i++)
            if (fabs(path.poses[i].position.x) < 0.1)
                least = fmin(least, fabs(hf_rotate(path.poses[i].rotation, hf_v3(0, 0, 1)).z));
        assert_true(least < 0.7);
        world_free(&w);
    }
    hf_guide_path_free(&path);
    hf_guide_model_free(m);
}

/* ---- honest failures ---- */

static bool cancel(void* user, double fraction, const char* stage) {
    (void)fraction, (void)stage;
    return --*(int*)user > 0;
}

static void no_way_is_said(void** state) {
    (void)state;
    // the box is 0.3 m thin: no way through 0.25 m
    box_scene boxes = bar_scene(0.25);
    guide_world w = world_of(boxes);
    hf_guide_model* m = plain();
    hf_guide_options o = hf_guide_options_default();
    o.margin_m = 0.01, o.max_samples = 500;
    hf_guide_path p = {0};
    hf_transform start = at(-1.0, 0, 0.5), goal = at(1.0, 0, 0.5);
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.outcome, HF_NONE);
    assert_int_equal(p.stop, HF_GUIDE_NO_PATH);
    assert_int_equal(p.samples, 500);
    // each side came near the bar, none through; the poses lead as far as the start's side came
    assert_true(p.gap > 0 && p.start_side.position.x < 0 && p.goal_side.position.x > 0);
    assert_true(p.pose_count > 1 && p.poses[p.pose_count - 1].position.x < 0.2);
    for (int i = 0; i < p.pose_count; i++) assert_free(&w, &boxes, &p.poses[i]);
    // a budget of tests ends it, too
    o.max_tests = 1000;
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.outcome, HF_BUDGET);
    assert_true(p.tests >= 1000 && p.tests < 2000);
    // and so does the caller
    int calls = 3;
    o = hf_guide_options_default();
    o.margin_m = 0.01, o.progress = cancel, o.user = &calls;
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.outcome, HF_CANCELLED);
    assert_int_equal(calls, 0);
    hf_guide_path_free(&p);
    hf_guide_model_free(m);
    world_free(&w);
}

static void bad_ends_are_said(void** state) {
    (void)state;
    guide_world w = world_of(window_scene(0.7));
    hf_guide_options o = hf_guide_options_default();
    hf_guide_path p = {0};
    hf_guide_model* m = human();
    assert_int_equal(hf_guide_find(m, w.placement, at(0, 1, 1), at(1.0, 0, 0.94), &o, w.workspace, &p),
                     HF_OK);
    assert_int_equal(p.outcome, HF_INFEASIBLE);
    assert_int_equal(p.stop, HF_GUIDE_BAD_START);
    assert_int_equal(p.start_fault, HF_GUIDE_TRUNK);
    assert_int_equal(p.pose_count, 0);
    assert_int_equal(hf_guide_find(m, w.placement, at(-1.0, 0, 0.94), at(1.0, 0, 9), &o, w.workspace, &p),
                     HF_OK);
    assert_int_equal(p.stop, HF_GUIDE_BAD_GOAL);
    assert_int_equal(p.goal_fault, HF_GUIDE_REACH);
    hf_transform odd = at(NAN, 0, 0);
    assert_int_equal(hf_guide_find(m, w.placement, odd, at(1.0, 0, 1), &o, w.workspace, &p),
                     HF_ERROR_ARGUMENT);
    o.step = 7;
    assert_int_equal(hf_guide_find(m, w.placement, at(-1.0, 0, 1), at(1.0, 0, 1), &o, w.workspace, &p),
                     HF_ERROR_ARGUMENT);
    hf_guide_path_free(&p);
    world_free(&w);
}

/* A pelvis that sits on a block: the scaled trunk has no room there, the trunk as it is has. */
static void a_seat_can_be_left(void** state) {
    (void)state;
    box_scene boxes = {0};
    scene_box(&boxes, -2, 2, -2, 2, -0.1, 0);
    scene_box(&boxes, -1.4, -1, -0.3, 0.3, 0, 0.45);
    guide_world w = world_of(boxes);
    hf_guide_model* m = human();
    hf_guide_options o = hf_guide_options_default();
    hf_guide_path p = {0};
    hf_transform start = at(-1.1, 0, 0.45 + 0.081);
    assert_int_equal(hf_guide_find(m, w.placement, start, at(1.0, 0, 0.94), &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.start_fault, HF_GUIDE_TRUNK);
    assert_int_equal(p.outcome, HF_FOUND);
    assert_true(p.start_poses > 0 && p.goal_poses == 0);
    // from there on the condition holds
    for (int i = p.start_poses; i < p.pose_count; i++)
        assert_int_equal(hf_guide_test(m, w.placement, p.poses[i]).fault, HF_GUIDE_FINE);
    hf_guide_path_free(&p);
    world_free(&w);
}

/* A guide past a barred pose that lies on the straight way keeps its distance, by the metric. */
static void barred_poses_are_kept_away_from(void** state) {
    (void)state;
    guide_world w = world_of(bar_scene(2.4));
    hf_guide_model* m = human();
    hf_guide_options o = hf_guide_options_default();
    hf_guide_path p = {0};
    hf_transform start = at(-1.0, 0, 0.94), goal = at(1.0, 0, 0.94), middle = at(0, 0, 0.94);
    for (int barred = 0; barred < 2; barred++) {
        o.barred = &middle, o.barred_count = barred, o.barred_m = 0.1;
        assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
        assert_int_equal(p.outcome, HF_FOUND);
        double nearest = INFINITY;
        for (int i = 0; i < p.pose_count; i++)
            nearest = fmin(nearest, 0.5 * hf_distance(p.poses[i].position, middle.position) +
                                        0.5 * hf_guide_model_radius(m) *
                                            hf_quat_angle(p.poses[i].rotation, middle.rotation));
        assert_true(barred ? nearest >= 0.1 : nearest < 0.05);
    }
    hf_guide_path_free(&p);
    world_free(&w);
}

/* Every pose of a creature's guide satisfies the condition, and a second query needs no memory. */
static void human_under_a_bar(void** state) {
    (void)state;
    box_scene boxes = bar_scene(1.2);
    // no way around the bar's ends
    scene_box(&boxes, -1.5, 1.5, 1.5, 1.6, 0, 2.5);
    scene_box(&boxes, -1.5, 1.5, -1.6, -1.5, 0, 2.5);
    guide_world w = world_of(boxes);
    hf_guide_model* m = human();
    hf_guide_options o = hf_guide_options_default();
    o.margin_m = 0.05;
    hf_guide_path p = {0};
    hf_transform start = at(-1.0, 0, 0.94), goal = at(1.0, 0, 0.94);
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.outcome, HF_FOUND);
    assert_int_equal(p.start_poses + p.goal_poses, 0);
    double lowest = 1;
    for (int i = 0; i < p.pose_count; i++) {
        assert_int_equal(hf_guide_test(m, w.placement, p.poses[i]).fault, HF_GUIDE_FINE);
        lowest = fmin(lowest, p.poses[i].position.z);
    }
    assert_true(lowest < 0.9);
    // the same seed, the same path; another seed, another one
    uint64_t hash = hf_guide_path_hash(&p);
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_true(hf_guide_path_hash(&p) == hash);
    // and by now no memory is asked for any more
    int before = allocations;
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_int_equal(allocations, before);
    o.seed = 2;
    assert_int_equal(hf_guide_find(m, w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_true(hf_guide_path_hash(&p) != hash);
    // start equal to goal is one pose
    assert_int_equal(hf_guide_find(m, w.placement, start, start, &o, w.workspace, &p), HF_OK);
    assert_int_equal(p.outcome, HF_FOUND);
    assert_true(p.pose_count == 1 && p.length_m == 0);
    hf_guide_path_free(&p);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(condition_equals_brute_force),
        cmocka_unit_test(standing_reaches_the_floor),
        cmocka_unit_test(distance_is_a_metric),
        cmocka_unit_test(through_window_and_under_bar),
        cmocka_unit_test(no_way_is_said),
        cmocka_unit_test(bad_ends_are_said),
        cmocka_unit_test(a_seat_can_be_left),
        cmocka_unit_test(barred_poses_are_kept_away_from),
        cmocka_unit_test(human_under_a_bar),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hf_guide_model_free(human());
    return failed;
}
