/* Roadmaps: shortest ways against Dijkstra, edges that hold, threads, files, queries. */
#include "guide_fixture.h"
#include "base/random.h"
#include "base/workspace.h"
#include "space/roadmap_file.h"
#include "space/root_graph.h"

#include <stdlib.h>

/* ---- shortest ways ---- */

enum { NODES = 60 };

/* Plain Dijkstra over a matrix. */
static double dijkstra(double length[NODES][NODES], int from, int to) {
    double best[NODES];
    bool done[NODES] = {0};
    for (int i = 0; i < NODES; i++) best[i] = INFINITY;
    best[from] = 0;
    for (int round = 0; round < NODES; round++) {
        int at_node = -1;
        for (int i = 0; i < NODES; i++)
            if (!done[i] && isfinite(best[i]) && (at_node < 0 || best[i] < best[at_node])) at_node = i;
        if (at_node < 0) break;
        done[at_node] = true;
        for (int i = 0; i < NODES; i++) best[i] = fmin(best[i], best[at_node] + length[at_node][i]);
    }
    return best[to];
}

static void astar_equals_dijkstra(void** state) {
    (void)state;
    guide_world w = world_of(bar_scene(0.55));
    hf_guide_model* m = plain();
    hf_guide_options o = hf_guide_options_default();
    hf_root_space space;
    hf_root_space_start(&space, m, w.placement, NULL, &o);
    int joined = 0, apart = 0;
    for (int trial = 0; trial < 200; trial++) {
        hf_workspace_mark mark = hf_workspace_begin(w.workspace);
        hf_random r = hf_random_start(9, 4, (uint64_t)trial);
        hf_root_graph g = {.workspace = w.workspace};
        static double length[NODES][NODES];
        for (int i = 0; i < NODES; i++) {
            hf_transform t =
                at(hf_random_between(&r, -3, 3), hf_random_between(&r, -3, 3), hf_random_unit(&r));
            t.rotation = hf_quat_axis_angle(hf_v3(0, 0, 1), hf_random_between(&r, -3, 3));
            assert_int_equal(hf_root_graph_add(&g, &t), i);
            for (int k = 0; k < NODES; k++) length[i][k] = INFINITY;
        }
        for (int e = 0; e < 70; e++) {
            int a = (int)(hf_random_unit(&r) * NODES), b = (int)(hf_random_unit(&r) * NODES);
            if (a == b) continue;
            assert_true(hf_root_graph_join(&g, a, b, -1));
            length[a][b] = length[b][a] = hf_root_distance(&space, &g.pose[a], &g.pose[b]);
        }
        hf_root_path corners = {0};
        double found_length;
        bool found;
        assert_int_equal(hf_root_graph_search(&g, &space, 0, 1, &corners, &found_length, &found), HF_OK);
        double expected = dijkstra(length, 0, 1);
        assert_int_equal(found, isfinite(expected));
        assert_int_equal(found, hf_root_graph_component(&g, 0) == hf_root_graph_component(&g, 1));
        joined += found, apart += !found;
        if (found) {
            assert_near(found_length, expected, 1e-9);
            double sum = 0;
            for (int i = 1; i < corners.count; i++)
                sum += hf_root_distance(&space, &corners.corners[i - 1], &corners.corners[i]);
            assert_near(sum, expected, 1e-9);
        }
        hf_workspace_end(w.workspace, mark);
    }
    assert_true(joined > 50 && apart > 5);
    hf_guide_model_free(m);
    world_free(&w);
}

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
            assert_int_equal(hf_guide_test(human(), w.placement, p.poses[i].root).fault, HF_GUIDE_FINE);
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
    o.margin_m = 0.05, o.grow = 100, o.max_samples = 400;
    hf_guide_path p = {0};
    assert_int_equal(
        hf_guide_find_on(r, human(), w.placement, at(-1, 0, 0.94), at(1, 0, 0.94), &o, w.workspace, &p),
        HF_OK);
    assert_int_equal(p.outcome, HF_NONE);
    assert_true(!p.by_roadmap && p.samples == 400 && p.gap > 0);
    assert_true(p.pose_count > 0 && p.poses[p.pose_count - 1].root.position.x < 0);
    hf_guide_path_free(&p);
    hf_roadmap_free(r);
    world_free(&w);
}

/* ---- postures ---- */

/* Keeps poses on one half of the scene, and writes where they are. */
static bool posture(void* user, const hf_transform* root, double* q) {
    ++*(int*)user;
    q[0] = root->position.x, q[1] = 7;
    return root->position.y > 0;
}

static void nodes_keep_postures(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1));
    hf_roadmap_options o = small_options();
    int calls = 0;
    o.posture = posture, o.posture_count = 2, o.posture_user = &calls;
    hf_roadmap* r = build(human(), &w, &o);
    hf_roadmap_view v = hf_roadmap_get(r);
    assert_true(v.node_count > 3 && calls > v.node_count);
    assert_int_equal(v.posture_count, 2);
    for (int i = 0; i < v.node_count; i++) {
        assert_true(v.nodes[i].position.y > 0);
        assert_true(v.postures[2 * i] == v.nodes[i].position.x && v.postures[2 * i + 1] == 7);
    }
    hf_roadmap_free(r);
    world_free(&w);
}

/* ---- files ---- */

static void files_come_back_or_are_refused(void** state) {
    (void)state;
    guide_world w = world_of(closed_bar(1.1)), other = world_of(closed_bar(1.2));
    hf_roadmap_options o = small_options();
    hf_roadmap *r = build(human(), &w, &o), *again;
    char path[1100];
    hf_error e;
    snprintf(path, sizeof path, "%s/human.hfr", test_folder());
    assert_int_equal(hf_roadmap_save(r, path, &e), HF_OK);
    assert_int_equal(hf_roadmap_load(human(), w.placement, &o, path, &again, &e), HF_OK);
    assert_true(hf_roadmap_hash(r) == hf_roadmap_hash(again));
    assert_int_equal(hf_roadmap_get(again).node_count, hf_roadmap_get(r).node_count);
    hf_roadmap_free(again);
    // another scene, another creature, other options
    assert_int_equal(hf_roadmap_load(human(), other.placement, &o, path, &again, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "scene"));
    hf_guide_model* box = plain();
    assert_int_equal(hf_roadmap_load(box, w.placement, &o, path, &again, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "creature"));
    o.seed = 3;
    assert_int_equal(hf_roadmap_load(human(), w.placement, &o, path, &again, &e), HF_ERROR_FORMAT);
    assert_non_null(strstr(e.message, "options"));
    o.seed = 1;
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
        assert_int_equal(hf_roadmap_load(human(), w.placement, &o, path, &again, &e), HF_ERROR_FORMAT);
        assert_null(again);
    }
    assert_int_equal(hf_roadmap_load(human(), w.placement, &o, "no/such.hfr", &again, &e), HF_ERROR_FILE);
    hf_guide_model_free(box);
    hf_roadmap_free(r);
    world_free(&w);
    world_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(astar_equals_dijkstra),    cmocka_unit_test(roadmap_holds_for_any_threads),
        cmocka_unit_test(queries_take_the_roadmap), cmocka_unit_test(no_way_is_said),
        cmocka_unit_test(nodes_keep_postures),      cmocka_unit_test(files_come_back_or_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hf_guide_model_free(human());
    return failed;
}
