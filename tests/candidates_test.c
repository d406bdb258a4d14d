/* Candidates against brute force over all samples and triangles: random scenes with slivers and points, moved
   and turned objects, both ways of retrieval, every instruction set. */
#include "test.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/workspace.h"
#include "contact/candidates.h"

#include <malloc.h>
#include <pthread.h>

static hf_creature* human;
static hf_samples* arm;
static hf_workspace* workspace;

enum { MAX_TRIANGLES = 4000, MAX_OBJECTS = 6 };

typedef struct world {
    hf_scene* scene;
    hf_placement* placement;
} world;

static hf_vec3 draw_vector(hf_random* r, double size) {
    double x = hf_random_between(r, -size, size), y = hf_random_between(r, -size, size);
    return hf_v3(x, y, hf_random_between(r, -size, size));
}

static hf_transform draw_pose(hf_random* r, double size) {
    hf_quat q = {hf_random_between(r, -1, 1), hf_random_between(r, -1, 1), hf_random_between(r, -1, 1),
                 hf_random_between(r, -1, 1)};
    return (hf_transform){draw_vector(r, size), hf_quat_normalize(q)};
}

typedef enum kind { SOUP, LARGE, THIN, DENSE } kind;

/* Loose triangles: small, large, thin or nothing but points and segments, or a bumpy sheet of small ones. */
static hf_mesh draw_mesh(hf_random* r, kind k, float* vertices, uint32_t* indices) {
    hf_mesh m = {.vertices = vertices, .indices = indices};
    if (k == DENSE) {
        enum { SIDE = 40 };
        for (int i = 0; i < SIDE * SIDE; i++) {
            float x = (float)(i % SIDE) / SIDE - 0.5f, y = (float)(i / SIDE) / SIDE - 0.5f;
            vertices[i * 3] = 1.6f * x, vertices[i * 3 + 1] = 1.6f * y;
            vertices[i * 3 + 2] = 0.1f * sinf(9 * x) * cosf(7 * y) + (float)hf_random_between(r, 0, 0.01);
        }
        m.vertex_count = SIDE * SIDE;
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
            const uint32_t q[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
            memcpy(indices + m.triangle_count * 3, q, sizeof q);
            m.triangle_count += 2;
        }
        return m;
    }
    m.triangle_count = 40, m.vertex_count = 120;
    double size = k == LARGE ? 20 : 0.15;
    for (int t = 0; t < m.triangle_count; t++) {
        hf_vec3 center = draw_vector(r, 0.7), corner[3];
        for (int i = 0; i < 3; i++) corner[i] = hf_add(center, draw_vector(r, size));
        // large ones mostly lie like walls
        if (k == LARGE && t % 2) corner[0].z = corner[1].z = corner[2].z = center.z;
        if (k == THIN && t % 4 == 0) corner[2] = hf_lerp(corner[0], corner[1], hf_random_between(r, -1, 2));
        if (k == THIN && t % 4 == 1) corner[1] = corner[2] = corner[0];
        if (k == THIN && t % 4 == 2)
            corner[2] = hf_add(corner[0], draw_vector(r, pow(10, hf_random_between(r, -7, -2))));
        for (int i = 0; i < 3; i++) {
            float* v = vertices + (t * 3 + i) * 3;
            v[0] = (float)corner[i].x, v[1] = (float)corner[i].y, v[2] = (float)corner[i].z;
            indices[t * 3 + i] = (uint32_t)(t * 3 + i);
        }
    }
    return m;
}

static world draw_world(hf_random* r, hf_vec3 center) {
    static float vertices[MAX_TRIANGLES * 9];
    static uint32_t indices[MAX_TRIANGLES * 3];
    static const char* const names[MAX_OBJECTS] = {"a", "b", "c", "d", "e", "f"};
    hf_object_def defs[MAX_OBJECTS];
    size_t vertex = 0, index = 0;
    for (int i = 0; i < MAX_OBJECTS; i++) {
        defs[i] = hf_object_def_default();
        defs[i].name = names[i];
        defs[i].mesh = draw_mesh(r, i < 4 ? (kind)i : SOUP, vertices + vertex, indices + index);
        vertex += (size_t)defs[i].mesh.vertex_count * 3, index += (size_t)defs[i].mesh.triangle_count * 3;
        defs[i].contact = i != 4;
    }
    world w;
    assert_int_equal(hf_scene_build(defs, MAX_OBJECTS, &w.scene, NULL), HF_OK);
    assert_int_equal(hf_placement_create(w.scene, &w.placement), HF_OK);
    for (int i = 0; i < MAX_OBJECTS; i++) {
        hf_transform pose = draw_pose(r, 0.4);
        pose.position = hf_add(pose.position, center);
        hf_placement_move(w.placement, i, pose);
    }
    hf_placement_enable(w.placement, 5, false);
    return w;
}

static void world_free(world* w) {
    hf_placement_free(w->placement);
    hf_scene_free(w->scene);
}

static hf_vec3 point_of(const hf_samples* s, hf_transform base, int i) {
    const float* p = hf_samples_get(s).point;
    return hf_apply(base, hf_v3((double)hf_sample_value(p, 3, i, 0), (double)hf_sample_value(p, 3, i, 1),
                                (double)hf_sample_value(p, 3, i, 2)));
}

/* near[sample * all + triangle], over the triangles of all objects one after the other. */
static uint8_t* brute(const hf_samples* s, const world* w, hf_transform base, double epsilon, int first[]) {
    int all = 0, count = hf_samples_get(s).count;
    for (int i = 0; i < MAX_OBJECTS; i++) first[i] = all, all += w->scene->objects[i].mesh.triangle_count;
    first[MAX_OBJECTS] = all;
    uint8_t* near = hf_alloc((size_t)count * (size_t)all, 1);
    assert_non_null(near);
    for (int o = 0; o < MAX_OBJECTS; o++) {
        if (o >= 4) continue; // not for contact, and disabled
        for (int t = 0; t < w->scene->objects[o].mesh.triangle_count; t++) {
            hf_triangle triangle = hf_triangle_of(&w->scene->objects[o].mesh, t);
            for (int i = 0; i < count; i++) {
                hf_vec3 p = hf_into(&w->placement->objects[o], point_of(s, base, i)), nearest;
                near[(size_t)i * (size_t)all + (size_t)(first[o] + t)] =
                    sqrt(hf_triangle_point(&triangle, p, &nearest)) <= epsilon;
            }
        }
    }
    return near;
}

/* Checks each hit against brute force and strikes it out; in the end nothing is left. Returns samples found.
 */
static void compare(const hf_samples* s, const hf_candidates* c, const uint8_t* truth, const int first[]) {
    int all = first[MAX_OBJECTS], count = hf_samples_get(s).count, near_samples = 0;
    uint8_t* near = hf_alloc((size_t)count * (size_t)all, 1);
    memcpy(near, truth, (size_t)count * (size_t)all);
    for (int i = 0; i < count; i++)
        near_samples += memchr(near + (size_t)i * (size_t)all, 1, (size_t)all) != NULL;
    assert_int_equal(c->sample_count, near_samples);
    for (int h = 0; h < c->hit_count; h++) {
        const hf_candidate_hit* hit = &c->hits[h];
        if (h) assert_true(hit[-1].block <= hit->block);
        assert_true(hit->lanes != 0);
        for (int lane = 0; lane < 8; lane++) {
            if (!(hit->lanes >> lane & 1)) continue;
            int sample = (int)hit->block * 8 + lane;
            assert_true(sample < count);
            uint8_t* row = near + (size_t)sample * (size_t)all;
            if (hit->item & HF_CANDIDATE_OBJECT) {
                int o = (int)(hit->item & ~HF_CANDIDATE_OBJECT);
                size_t triangles = (size_t)(first[o + 1] - first[o]);
                assert_non_null(memchr(row + first[o], 1, triangles));
                memset(row + first[o], 0, triangles);
            } else {
                const hf_near_triangle* t = &c->triangles[hit->item];
                assert_int_equal(row[first[t->object] + t->triangle], 1);
                row[first[t->object] + t->triangle] = 0;
            }
        }
    }
    assert_null(memchr(near, 1, (size_t)count * (size_t)all));
    hf_free(near);
}

static void check_world(hf_random* r, hf_vec3 center, double epsilon, int* found, int* gridded) {
    world w = draw_world(r, center);
    hf_transform base = draw_pose(r, 0.2);
    base.position = hf_add(base.position, center);
    int first[MAX_OBJECTS + 1];
    uint8_t* truth = brute(arm, &w, base, epsilon, first);
    hf_grids* grids;
    assert_int_equal(hf_grids_build(w.scene, epsilon * hf_random_between(r, 1, 1.9), true, 1, &grids, NULL),
                     HF_OK);
    for (int way = 0; way < 2; way++)
        for (hf_cpu cpu = 0; cpu <= hf_cpu_best(); cpu++) {
            hf_candidate_query q = {
                .placement = w.placement, .grids = grids, .no_grids = !way, .base = base, .epsilon = epsilon};
            hf_candidates c;
            hf_workspace_mark mark = hf_workspace_begin(workspace);
            assert_int_equal(hf_candidates_find_on(cpu, arm, &q, workspace, &c), HF_OK);
            compare(arm, &c, truth, first);
            *found += c.sample_count;
            for (int i = 0; i < c.hit_count; i++) *gridded += (c.hits[i].item & HF_CANDIDATE_OBJECT) != 0;
            hf_workspace_end(workspace, mark);
        }
    hf_grids_free(grids);
    hf_free(truth);
    world_free(&w);
}

static void test_brute_force(void** state) {
    (void)state;
    const double epsilons[3] = {0.02, 0.05, 0.15};
    int found = 0, gridded = 0;
    for (uint64_t i = 0; i < 6; i++) {
        hf_random r = hf_random_start(11, 0, i);
        hf_vec3 center = i % 3 == 2 ? hf_v3(1e4, -2e4, 3e3) : hf_v3(0, 0, 0);
        check_world(&r, center, epsilons[i % 3], &found, &gridded);
    }
    assert_true(found > 1000 && gridded > 100);
}

/* Far away there is nothing, and objects that are not chosen do not count. */
static void test_nothing_near(void** state) {
    (void)state;
    hf_random r = hf_random_start(12, 0, 0);
    world w = draw_world(&r, hf_v3(0, 0, 0));
    hf_candidate_query q = {.placement = w.placement, .base = hf_transform_identity(), .epsilon = 0.02};
    q.base.position = hf_v3(500, 0, 0);
    hf_candidates c;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    assert_int_equal(hf_candidates_find(arm, &q, workspace, &c), HF_OK);
    assert_int_equal(c.sample_count, 0);
    assert_int_equal(c.hit_count, 0);
    // objects may be chosen
    bool use[MAX_OBJECTS] = {false};
    q.base.position = hf_v3(0, 0, 0);
    assert_int_equal(hf_candidates_find(arm, &q, workspace, &c), HF_OK);
    assert_true(c.sample_count > 0);
    q.use = use;
    assert_int_equal(hf_candidates_find(arm, &q, workspace, &c), HF_OK);
    assert_int_equal(c.sample_count, 0);
    use[4] = true;
    assert_int_equal(hf_candidates_find(arm, &q, workspace, &c), HF_OK);
    for (int i = 0; i < c.hit_count; i++) assert_int_equal(c.triangles[c.hits[i].item].object, 4);
    hf_workspace_end(workspace, mark);
    world_free(&w);
}

/* Every surface within reach is like one that is given and is not nearer than it; those given differ. */
static void check_choices(const world* w, const hf_candidate_query* q, int sample) {
    enum { MOST = 500 };
    static hf_surface all[MOST];
    hf_surface* out;
    int count,
        total = hf_placement_within(w->placement, point_of(arm, q->base, sample), q->epsilon, all, MOST);
    assert_true(total <= MOST);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    assert_int_equal(hf_candidate_surfaces(arm, q, sample, workspace, &out, &count), HF_OK);
    for (int i = 0; i < count; i++) {
        hf_surface one;
        hf_candidate_surface(arm, q, sample, out[i].object, out[i].triangle, &one);
        assert_near(one.distance, out[i].distance, 1e-12);
        assert_near(hf_distance(one.point, out[i].point), 0, 1e-12);
    }
    count = hf_surfaces_choose(out, count);
    const double same = cos(10 * 3.14159265358979323846 / 180);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            assert_true(hf_dot(out[i].normal, out[k].normal) < same + 1e-12);
            assert_true(out[k].distance <= out[i].distance);
        }
    for (int i = 0; i < total; i++) {
        if (!w->scene->objects[all[i].object].contact) continue;
        bool like = false;
        for (int k = 0; k < count; k++)
            like |= hf_dot(all[i].normal, out[k].normal) > same - 1e-12 && out[k].distance <= all[i].distance;
        assert_true(like);
    }
    hf_workspace_end(workspace, mark);
}

static void test_choices(void** state) {
    (void)state;
    hf_random r = hf_random_start(16, 0, 0);
    world w = draw_world(&r, hf_v3(0, 0, 0));
    hf_candidate_query q = {.placement = w.placement, .base = hf_transform_identity(), .epsilon = 0.06};
    for (int i = 0; i < hf_samples_get(arm).count; i += 3) check_choices(&w, &q, i);
    world_free(&w);
}

/* After the first query of its kind the workspace is large enough. */
static void test_no_heap(void** state) {
    (void)state;
    hf_random r = hf_random_start(13, 0, 0);
    world w = draw_world(&r, hf_v3(0, 0, 0));
    hf_candidate_query q = {.placement = w.placement, .base = hf_transform_identity(), .epsilon = 0.05};
    hf_workspace* fresh;
    assert_int_equal(hf_workspace_create(&fresh), HF_OK);
    size_t used[4] = {0};
    for (int i = 0; i < 4; i++) {
        hf_candidates c;
        hf_workspace_mark mark = hf_workspace_begin(fresh);
        size_t before = mallinfo2().uordblks;
        assert_int_equal(hf_candidates_find(arm, &q, fresh, &c), HF_OK);
        used[i] = mallinfo2().uordblks - before;
        hf_workspace_end(fresh, mark);
    }
    assert_int_equal(used[2], 0);
    assert_int_equal(used[3], 0);
    hf_workspace_free(fresh);
    world_free(&w);
}

typedef struct task {
    const hf_candidate_query* query;
    int count;
} task;

static void* run_task(void* user) {
    task* t = user;
    hf_workspace* own;
    if (hf_workspace_create(&own) != HF_OK) return NULL;
    for (int i = 0; i < 20; i++) {
        hf_candidates c;
        hf_workspace_mark mark = hf_workspace_begin(own);
        if (hf_candidates_find(arm, t->query, own, &c) == HF_OK) t->count += c.sample_count;
        hf_workspace_end(own, mark);
    }
    hf_workspace_free(own);
    return NULL;
}

static void test_threads(void** state) {
    (void)state;
    hf_random r = hf_random_start(14, 0, 0);
    world w = draw_world(&r, hf_v3(0, 0, 0));
    // the sheet alone gets a grid; asked again, nothing more is made
    assert_int_equal(hf_scene_prepare(w.scene, 0.03, 2, NULL), HF_OK);
    const hf_grids* grids = w.scene->attached;
    assert_int_equal(hf_scene_prepare(w.scene, 0.02, 2, NULL), HF_OK);
    assert_ptr_equal(w.scene->attached, grids);
    assert_non_null(grids->grids[3].values);
    assert_null(grids->grids[0].values);
    // and for another size of creature
    assert_int_equal(hf_scene_prepare(w.scene, 0.1, 2, NULL), HF_OK);
    assert_ptr_not_equal(hf_grid_for(w.scene->attached, 3, 0.1), hf_grid_for(w.scene->attached, 3, 0.03));
    hf_candidate_query q = {.placement = w.placement, .base = hf_transform_identity(), .epsilon = 0.03};
    task tasks[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        tasks[i] = (task){&q, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_true(tasks[0].count > 0);
    for (int i = 1; i < 4; i++) assert_int_equal(tasks[i].count, tasks[0].count);
    world_free(&w);
}

static void test_grid_input(void** state) {
    (void)state;
    hf_random r = hf_random_start(15, 0, 0);
    world w = draw_world(&r, hf_v3(0, 0, 0));
    hf_grids* grids = (hf_grids*)1;
    hf_error error;
    assert_int_equal(hf_grids_build(w.scene, 0, true, 1, &grids, &error), HF_ERROR_ARGUMENT);
    assert_null(grids);
    assert_int_equal(hf_grids_build(w.scene, NAN, true, 1, &grids, &error), HF_ERROR_ARGUMENT);
    // too fine for the size of the objects: none gets a grid
    assert_int_equal(hf_grids_build(w.scene, 1e-5, true, 1, &grids, &error), HF_OK);
    for (int i = 0; i < MAX_OBJECTS; i++) assert_null(hf_grid_for(grids, i, 1e-5));
    hf_grids_free(grids);
    hf_grids_free(NULL);
    world_free(&w);
}

static int set_up(void** state) {
    (void)state;
    hf_sample_options o = hf_sample_options_default();
    o.count = 1203;
    if (hf_creature_load(data_path("data/creatures/human.creature.json"), NULL, &human, NULL) != HF_OK)
        return 1;
    if (hf_workspace_create(&workspace) != HF_OK) return 1;
    return hf_samples_build(human, 0, &o, &arm, NULL) != HF_OK;
}

static int tear_down(void** state) {
    (void)state;
    hf_samples_free(arm);
    hf_workspace_free(workspace);
    hf_creature_free(human);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_nothing_near),
        cmocka_unit_test(test_choices),     cmocka_unit_test(test_no_heap),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_grid_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
