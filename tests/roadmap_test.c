/* Roadmaps: edges that hold, threads, files, queries. */
#include "guide_fixture.h"
#include "base/random.h"
#include "base/workspace.h"
#include "space/roadmap_file.h"
#include "space/root_space.h"

#include <stdlib.h>

/* ---- growth ---- */

static box_scene closed_bar(double gap) {
    box_scene s = bar_scene(gap);
    scene_box(&s, -1.5, 1.5, 1.5, 1.6, 0, 2.5);
    scene_box(&s, -1.5, 1.5, -1.6, -1.5, 0, 2.5);
    return s;
}

static hf_roadmap_options small_options(void) {
    hf_roadmap_options o = hf_roadmap_options_default();
    o.tries = 40, o.max_samples = 600, o.margin_m = 0.05;
    return o;
}

static hf_roadmap* build(const hf_guide_model* m, const guide_world* w, const hf_roadmap_options* o) {
    hf_roadmap* r;
    hf_error e;
    assert_int_equal(hf_roadmap_build(m, w->placement, o, &r, &e), HF_OK);
    return r;
}

/* Every step of a way satisfies the condition as the public test tells it. */
static void assert_way(const guide_world* w, const hf_transform* a, const hf_transform* b, double step) {
    double sweep = hf_distance(a->position, b->position) +
                   hf_guide_model_radius(human()) * hf_quat_angle(a->rotation, b->rotation);
    int n = (int)ceil(sweep / step) + 1;
    for (int i = 0; i <= n; i++) {
        // at the poses that were tested
        int steps = (int)fmax(1, ceil(sweep / step));
        if (i > steps) break;
        hf_transform here = hf_root_between(a, b, (double)i / steps);
        assert_int_equal(hf_guide_test(human(), w->placement, here).fault, HF_GUIDE_FINE);
    }
}

/* Nodes and edges hold, components are what edges make, and threads change nothing. */
static void roadmap_holds_for_any_threads(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1));
    hf_roadmap_options o = small_options();
    uint64_t hash = 0;
    static const int threads[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        o.threads = threads[k];
        hf_roadmap* r = build(human(), &w, &o);
        if (k) assert_true(hf_roadmap_hash(r) == hash);
        hash = hf_roadmap_hash(r);
        if (k == 0) {
            hf_roadmap_view v = hf_roadmap_get(r);
            if (v.node_count < 10 || v.edge_count < 5 || v.samples > 600)
                fail_msg("%d nodes, %d edges", v.node_count, v.edge_count);
            int* label = calloc((size_t)v.node_count, sizeof *label);
            for (int i = 0; i < v.node_count; i++) label[i] = i;
            for (int i = 0; i < v.edge_count; i++) {
                const hf_roadmap_edge* e = &v.edges[i];
                const hf_transform *a = &v.nodes[e->a], *b = &v.nodes[e->b];
                double step = o.step * hf_guide_model_radius(human());
                if (e->turn < 0) {
                    assert_way(&w, a, b, step);
                } else {
                    hf_vec3 x = hf_lerp(a->position, b->position, e->turn);
                    hf_transform before = {x, a->rotation}, after = {x, b->rotation};
                    assert_way(&w, a, &before, step);
                    assert_way(&w, &before, &after, step);
                    assert_way(&w, &after, b, step);
                }
                int from = label[e->b], to = label[e->a];
                for (int n = 0; n < v.node_count; n++)
                    if (label[n] == from) label[n] = to;
            }
            int components = 0;
            for (int i = 0; i < v.node_count; i++) components += label[i] == i;
            assert_int_equal(v.component_count, components);
            // a visibility roadmap has no cycles: a node joins what was apart
            assert_int_equal(v.component_count, v.node_count - v.edge_count);
            free(label);
        }
        hf_roadmap_free(r);
    }
    o.seed = 2;
    hf_roadmap* other = build(human(), &w, &o);
    assert_true(hf_roadmap_hash(other) != hash);
    hf_roadmap_free(other);
    world_free(&w);
}

/* Paths along it hold, and the guide is the same whatever made the roadmap. */
static void queries_take_the_roadmap(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1));
    hf_roadmap_options ro = small_options();
    hf_guide_path p = {0};
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        ro.threads = 1 << k;
        hf_roadmap* r = build(human(), &w, &ro);
        hf_guide_options o = hf_guide_options_default();
        o.margin_m = 0.05;
        hf_transform start = at(-1, 0, 0.94), goal = at(1, 0.2, 0.94);
        assert_int_equal(hf_guide_find_on(r, human(), w.placement, start, goal, &o, w.workspace, &p), HF_OK);
        assert_int_equal(p.outcome, HF_FOUND);
        assert_true(p.by_roadmap);
        for (int i = 0; i < p.pose_count; i++)
            assert_int_equal(hf_guide_test(human(), w.placement, p.poses[i]).fault, HF_GUIDE_FINE);
        if (k) assert_true(hf_guide_path_hash(&p) == hash);
        hash = hf_guide_path_hash(&p);
        // an object that moved makes it another world
        hf_transform old = hf_placement_pose(w.placement, 1);
        hf_placement_move(w.placement, 1, at(0, 0, 1));
        assert_int_equal(hf_guide_find_on(r, human(), w.placement, start, goal, &o, w.workspace, &p),
                         HF_ERROR_ARGUMENT);
        assert_int_equal(p.pose_count, 0);
        hf_placement_move(w.placement, 1, old);
        hf_roadmap_free(r);
    }
    hf_guide_path_free(&p);
    world_free(&w);
}

/* No way is said with a roadmap, too, in bounded work. */
static void no_way_is_said(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(0.15));
    hf_roadmap_options ro = small_options();
    hf_roadmap* r = build(human(), &w, &ro);
    hf_guide_options o = hf_guide_options_default();
    o.margin_m = 0.05, o.max_samples = 400;
    hf_guide_path p = {0};
    assert_int_equal(
        hf_guide_find_on(r, human(), w.placement, at(-1, 0, 0.94), at(1, 0, 0.94), &o, w.workspace, &p),
        HF_OK);
    assert_int_equal(p.outcome, HF_NONE);
    assert_true(!p.by_roadmap && p.samples == 400 && p.gap > 0);
    assert_true(p.pose_count > 0 && p.poses[p.pose_count - 1].position.x < 0);
    hf_guide_path_free(&p);
    hf_roadmap_free(r);
    world_free(&w);
}

/* ---- the guide that is kept ---- */

/* The same query follows the guide pose by pose and tests next to nothing; a query beside it joins it. */
static void a_kept_guide_is_followed(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1));
    hf_guide_options o = hf_guide_options_default();
    o.margin_m = 0.05;
    hf_transform start = at(-1, 0, 0.94), goal = at(1, 0.2, 0.94);
    hf_guide_path first = {0}, p = {0};
    assert_int_equal(hf_guide_find(human(), w.placement, start, goal, &o, w.workspace, &first), HF_OK);
    assert_int_equal(first.outcome, HF_FOUND);
    hf_roadmap_options ro = small_options();
    ro.guide = &first;
    hf_roadmap* r = build(human(), &w, &ro);
    assert_int_equal(hf_roadmap_get(r).guide_count, first.pose_count);
    o.seed = 5;
    assert_int_equal(hf_guide_find_on(r, human(), w.placement, start, goal, &o, w.workspace, &p), HF_OK);
    assert_true(p.outcome == HF_FOUND && p.by_roadmap && p.samples == 0 && p.tests < 20);
    assert_int_equal(p.pose_count, first.pose_count);
    assert_memory_equal(p.poses, first.poses, sizeof *p.poses * (size_t)p.pose_count);
    assert_near(p.length_m, first.length_m, 1e-12);
    // the other way round, and from a step aside
    hf_transform beside = at(-1, -0.1, 0.94);
    const hf_transform ends[2][2] = {{goal, start}, {beside, goal}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(
            hf_guide_find_on(r, human(), w.placement, ends[k][0], ends[k][1], &o, w.workspace, &p), HF_OK);
        assert_true(p.outcome == HF_FOUND && p.by_roadmap && p.samples == 0 && p.tests < 40);
        assert_true(hf_distance(p.poses[0].position, ends[k][0].position) == 0);
        assert_true(hf_distance(p.poses[p.pose_count - 1].position, ends[k][1].position) == 0);
        double step = ro.step * hf_guide_model_radius(human());
        for (int i = 0; i < p.pose_count; i++) {
            assert_int_equal(hf_guide_test(human(), w.placement, p.poses[i]).fault, HF_GUIDE_FINE);
            if (i) assert_true(hf_distance(p.poses[i - 1].position, p.poses[i].position) <= step + 1e-9);
        }
    }
    // two ends on one side have no use for the guide through the bar
    assert_int_equal(
        hf_guide_find_on(r, human(), w.placement, beside, at(-1, 0.3, 0.94), &o, w.workspace, &p), HF_OK);
    assert_true(p.outcome == HF_FOUND && !p.by_roadmap);
    hf_guide_path_free(&first);
    hf_guide_path_free(&p);
    hf_roadmap_free(r);
    world_free(&w);
}

/* ---- files ---- */

static void files_come_back_or_are_refused(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1)), other = world_of(closed_bar(1.2));
    hf_roadmap_options o = small_options();
    hf_transform poses[2] = {at(-1, 0, 0.94), at(-1, 0.01, 0.94)};
    hf_guide_path guide = {.outcome = HF_FOUND, .poses = poses, .pose_count = 2};
    o.guide = &guide;
    hf_roadmap *r = build(human(), &w, &o), *again;
    char path[1100];
    hf_error e;
    snprintf(path, sizeof path, "%s/human.hfr", test_folder());
    assert_int_equal(hf_roadmap_save(r, path, &e), HF_OK);
    assert_int_equal(hf_roadmap_load(path, &again, &e), HF_OK);
    assert_true(hf_roadmap_hash(r) == hf_roadmap_hash(again));
    assert_int_equal(hf_roadmap_get(again).node_count, hf_roadmap_get(r).node_count);
    assert_int_equal(hf_roadmap_fits(again, human(), w.placement, &e), HF_OK);
    // another scene, other places of its objects, another creature
    assert_int_equal(hf_roadmap_fits(again, human(), other.placement, &e), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "scene"));
    hf_transform old = hf_placement_pose(w.placement, 1);
    hf_placement_move(w.placement, 1, at(0, 0, 1));
    assert_int_equal(hf_roadmap_fits(again, human(), w.placement, &e), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "placement"));
    hf_placement_move(w.placement, 1, old);
    hf_guide_model* box = plain();
    assert_int_equal(hf_roadmap_fits(again, box, w.placement, &e), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(e.message, "creature"));
    hf_roadmap_free(again);
    // any changed or missing byte
    FILE* f = fopen(path, "rb");
    static char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < size + 40; i += i < 200 ? 1 : 97) {
        f = fopen(path, "wb");
        if (i < size) bytes[i] ^= 0x10;
        assert_true(fwrite(bytes, 1, i < size ? size : size - 1, f) > 0);
        if (i < size) bytes[i] ^= 0x10;
        fclose(f);
        assert_int_equal(hf_roadmap_load(path, &again, &e), HF_ERROR_FORMAT);
        assert_null(again);
    }
    assert_int_equal(hf_roadmap_load("no/such.hfr", &again, &e), HF_ERROR_FILE);
    hf_guide_model_free(box);
    hf_roadmap_free(r);
    world_free(&w);
    world_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roadmap_holds_for_any_threads),
        cmocka_unit_test(queries_take_the_roadmap),
        cmocka_unit_test(no_way_is_said),
        cmocka_unit_test(files_come_back_or_are_refused),
        cmocka_unit_test(a_kept_guide_is_followed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hf_guide_model_free(human());
    return failed;
}
