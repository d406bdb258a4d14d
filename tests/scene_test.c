/* Scenes and placements: what is accepted, pieces and solidity, keys, allowances, no heap in queries. */
#include "test.h"
#include "base/random.h"

#include <stdlib.h>

/* Counts allocations of this program; sanitizers bring their own malloc. */
#define COUNTS_HEAP !SANITIZED
static long heap_calls, heap_live, heap_fail_at = -1; /* the call that fails, -1: none */
#if COUNTS_HEAP
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* p, size_t size);
extern void* __libc_memalign(size_t align, size_t size);
extern void __libc_free(void* p);
static void* counted(void* p) {
    heap_live += p != NULL;
    return p;
}
static int fails(void) { return heap_calls++ == heap_fail_at; }
void* malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : counted(__libc_calloc(count, size)); }
void* realloc(void* p, size_t size) {
    if (fails()) return NULL;
    void* q = __libc_realloc(p, size);
    heap_live += q && !p;
    return q;
}
void* aligned_alloc(size_t align, size_t size) {
    return fails() ? NULL : counted(__libc_memalign(align, size));
}
void free(void* p) {
    heap_live -= p != NULL;
    __libc_free(p);
}
#endif

/* ---- meshes ---- */

typedef struct draft {
    float vertices[3 * 600];
    uint32_t indices[3 * 400];
    int vertex_count, triangle_count;
} draft;

static const uint32_t box_face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* `soup`: every triangle has corners of its own, as in an STL; jitter moves each of them. */
static void add_box(draft* d, hf_vec3 center, hf_vec3 half, bool inward, bool soup, double jitter) {
    hf_random r = hf_random_start(1, 0, (uint64_t)d->triangle_count);
    hf_vec3 corner[8];
    for (int i = 0; i < 8; i++)
        corner[i] = hf_add(
            center, hf_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
    int base = d->vertex_count;
    for (int i = 0; i < (soup ? 36 : 8); i++, d->vertex_count++) {
        hf_vec3 p = corner[soup ? box_face[i / 3][inward ? 2 - i % 3 : i % 3] : (uint32_t)i];
        float* v = d->vertices + 3 * d->vertex_count;
        v[0] = (float)(p.x + jitter * hf_random_between(&r, -1, 1));
        v[1] = (float)(p.y + jitter * hf_random_between(&r, -1, 1));
        v[2] = (float)(p.z + jitter * hf_random_between(&r, -1, 1));
    }
    for (int i = 0; i < 12; i++, d->triangle_count++)
        for (int k = 0; k < 3; k++)
            d->indices[3 * d->triangle_count + k] =
                (uint32_t)base + (soup ? (uint32_t)(3 * i + k) : box_face[i][inward ? 2 - k : k]);
}

static hf_mesh mesh_of(draft* d) {
    return (hf_mesh){d->vertex_count, d->triangle_count, d->vertices, d->indices};
}

typedef struct stage {
    hf_scene* scene;
    hf_placement* placement;
} stage;

static stage stage_of(const hf_object_def* defs, int count) {
    stage s;
    hf_error error;
    assert_int_equal(hf_scene_build(defs, count, &s.scene, &error), HF_OK);
    assert_int_equal(hf_placement_create(s.scene, &s.placement), HF_OK);
    return s;
}

static stage stage_of_draft(draft* d) {
    hf_object_def def = hf_object_def_default();
    def.name = "thing";
    def.mesh = mesh_of(d);
    return stage_of(&def, 1);
}

static void stage_free(stage* s) {
    hf_placement_free(s->placement);
    hf_scene_free(s->scene);
}

static hf_transform at(double x, double y, double z) {
    return (hf_transform){hf_v3(x, y, z), hf_quat_identity()};
}

static hf_shape ball(double radius) { return (hf_shape){.kind = HF_SHAPE_SPHERE, .radius = radius}; }

static bool overlaps(const stage* s, hf_shape shape, hf_transform pose) {
    hf_allowance a = hf_allowance_default();
    return hf_placement_overlap(s->placement, &shape, pose, &a, NULL);
}

/* ---- tests ---- */

static void defaults_are_as_written(void** state) {
    (void)state;
    hf_object_def d = hf_object_def_default();
    assert_true(d.friction == 0.5 && d.contact && !d.movable && !d.grip && d.start.rotation.w == 1);
    hf_allowance a = hf_allowance_default();
    assert_true(a.depth == 0.0008 && a.touched_object == -1 && a.touched_depth == 0.0024);
}

static void expect_refused(hf_object_def* defs, int count, const char* what, const char* where) {
    hf_scene* scene = (hf_scene*)&heap_calls;
    hf_error error = {0};
    char text[1200];
    assert_int_not_equal(hf_scene_build(defs, count, &scene, &error), HF_OK);
    assert_null(scene);
    assert_non_null(strstr(hf_error_text(&error, text, sizeof text), what));
    assert_non_null(strstr(text, where));
    assert_int_not_equal(hf_scene_build(defs, count, &scene, NULL), HF_OK);
}

static void wrong_scenes_are_refused_with_a_reason(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
    hf_object_def ok = hf_object_def_default(), bad[2];
    ok.name = "crate";
    ok.mesh = mesh_of(&d);
    bad[0] = bad[1] = ok;
    expect_refused(bad, 2, "both named", "crate");
    bad[0].name = "";
    expect_refused(bad, 1, "no name", "object 0");
    bad[0].name = NULL;
    expect_refused(bad, 1, "no name", "object 0");
    bad[0] = ok, bad[0].friction = -1;
    expect_refused(bad, 1, "friction", "crate");
    bad[0] = ok, bad[0].friction = NAN;
    expect_refused(bad, 1, "friction", "crate");
    bad[0] = ok, bad[0].start.position.y = INFINITY;
    expect_refused(bad, 1, "not finite", "crate");
    bad[0] = ok, bad[0].start.rotation.w = 0;
    expect_refused(bad, 1, "quaternion", "crate");
    hf_key keys[2] = {{1, at(0, 0, 0)}, {1, at(0, 0, 0)}};
    bad[0] = ok, bad[0].keys = keys, bad[0].key_count = 2;
    expect_refused(bad, 1, "key 1", "crate");
    keys[1].time_s = NAN;
    expect_refused(bad, 1, "key 1", "crate");
    const float values[3] = {NAN, -INFINITY, 1e9f};
    const char* const words[3] = {"vertex 5 is not finite", "vertex 5 is not finite", "vertex 5 is over"};
    for (int i = 0; i < 3; i++) {
        float old = d.vertices[16];
        d.vertices[16] = values[i];
        expect_refused(&ok, 1, words[i], "crate");
        d.vertices[16] = old;
    }
    d.indices[4] = 8;
    expect_refused(&ok, 1, "triangle 1 uses vertex 8 of 8", "crate");
    d.indices[4] = 2;
    bad[0] = ok, bad[0].mesh.triangle_count = -1;
    expect_refused(bad, 1, "arrays", "crate");
    bad[0] = ok, bad[0].mesh.vertices = NULL;
    expect_refused(bad, 1, "arrays", "crate");
    bad[0] = ok, bad[0].mesh.triangle_count = 1 << 30;
    expect_refused(bad, 1, "limit", "crate");
    expect_refused(bad, -1, "objects", "-1");
    hf_scene_free(NULL);
    hf_placement_free(NULL);
}

static void empty_scenes_and_meshes_answer_no(void** state) {
    (void)state;
    hf_object_def def = hf_object_def_default();
    def.name = "nothing";
    for (int count = 0; count < 2; count++) {
        stage s = stage_of(&def, count);
        assert_int_equal(hf_scene_object_count(s.scene), count);
        hf_surface out;
        hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {1, 1, 1}};
        assert_false(hf_placement_closest(s.placement, hf_v3(0, 0, 0), INFINITY, &out));
        assert_false(hf_placement_ray(s.placement, hf_v3(0, 0, 0), hf_v3(0, 0, 1), INFINITY, &out));
        assert_false(hf_placement_inside(s.placement, hf_v3(0, 0, 0), NULL));
        assert_int_equal(hf_placement_within(s.placement, hf_v3(0, 0, 0), 1e9, &out, 1), 0);
        assert_false(overlaps(&s, ball(100), at(0, 0, 0)));
        assert_false(overlaps(&s, box, at(0, 0, 0)));
        assert_false(hf_placement_distance(s.placement, &box, at(0, 0, 0), INFINITY, &out));
        stage_free(&s);
    }
}

/* An edit of the shape leaves friction, flags and mass as they were, and the old scene alone. */
static void edits_keep_what_they_do_not_name(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
    hf_object_def def = hf_object_def_default();
    def.name = "crate";
    def.mesh = mesh_of(&d);
    def.friction = 0.7;
    def.movable = def.grip = true;
    def.mass_kg = 3;
    stage s = stage_of(&def, 1);
    hf_scene_edit edit = hf_scene_edit_of("crate");
    edit.scale = 2;
    hf_scene* changed;
    hf_error error = {0};
    assert_int_equal(hf_scene_change(s.scene, &edit, 1, &changed, &error), HF_OK);
    hf_object_view before = hf_scene_object(s.scene, 0), after = hf_scene_object(changed, 0);
    assert_true(after.movable && after.grip);
    assert_near(after.friction, 0.7, 0);
    assert_near(after.mass_kg, 3, 0);
    assert_near((double)before.mesh.vertices[0] * 2, (double)after.mesh.vertices[0], 1e-6);
    hf_scene_free(changed);
    stage_free(&s);
}

static void views_repeat_what_was_given(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
    hf_key key = {0, at(1, 2, 3)};
    hf_object_def defs[2] = {hf_object_def_default(), hf_object_def_default()};
    defs[0].name = "first", defs[1].name = "second";
    defs[1].mesh = mesh_of(&d);
    defs[1].friction = 0.7, defs[1].contact = false, defs[1].movable = true, defs[1].grip = true;
    defs[1].keys = &key, defs[1].key_count = 1;
    defs[1].start = (hf_transform){{4, 5, 6}, {2, 0, 0, 0}};
    stage s = stage_of(defs, 2);
    assert_int_equal(hf_scene_find(s.scene, "second"), 1);
    assert_int_equal(hf_scene_find(s.scene, "third"), -1);
    assert_ptr_equal(hf_placement_scene(s.placement), s.scene);
    hf_object_view v = hf_scene_object(s.scene, 1);
    assert_string_equal(v.name, "second");
    assert_true(v.friction == 0.7 && !v.contact && v.movable && v.grip && v.key_count == 1);
    assert_true(v.keys[0].pose.position.z == 3 && v.start.position.x == 4 && v.start.rotation.w == 1);
    assert_int_equal(v.mesh.triangle_count, 12);
    assert_memory_equal(v.mesh.indices, d.indices, 36 * sizeof(uint32_t));
    assert_memory_equal(v.mesh.vertices, d.vertices, 24 * sizeof(float));
    assert_true(hf_placement_pose(s.placement, 1).position.z == 3); // keys replace the start
    stage_free(&s);
}

static void pieces_know_whether_they_are_solid(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);  // outward
    add_box(&d, hf_v3(5, 0, 0), hf_v3(1, 1, 1), true, false, 0);   // inward
    add_box(&d, hf_v3(10, 0, 0), hf_v3(1, 1, 1), false, true, 0);  // outward soup
    add_box(&d, hf_v3(15, 0, 0), hf_v3(1, 1, 1), false, false, 0); // open: one triangle is moved away
    d.indices[36 * 3 + 35] = 0;
    d.indices[36 * 3 + 34] = 0;
    d.indices[36 * 3 + 33] = 0;
    // the same sheet from both sides has no volume
    for (int i = 0; i < 2; i++, d.triangle_count++)
        for (int k = 0; k < 3; k++)
            d.indices[3 * d.triangle_count + k] = (uint32_t)(d.vertex_count + (i ? 2 - k : k));
    const float sheet[9] = {0, 20, 0, 1, 20, 0, 0, 21, 0};
    memcpy(d.vertices + 3 * d.vertex_count, sheet, sizeof sheet);
    d.vertex_count += 3;
    stage s = stage_of_draft(&d);
    hf_object_view v = hf_scene_object(s.scene, 0);
    assert_int_equal(v.piece_count, 6); // the moved triangle is a point, and a piece of its own
    assert_int_equal(v.piece_of[0], 0);
    const int expected[5] = {1, -1, 1, 0, 0};
    for (int i = 0; i < 5; i++) {
        int triangle = i < 4 ? 12 * i : 48;
        assert_int_equal(v.solidity[v.piece_of[triangle]], expected[i]);
        for (int k = 0; k < 11 && i < 4; k++)
            assert_int_equal(v.piece_of[triangle + k], v.piece_of[triangle]);
    }
    assert_true(hf_placement_inside(s.placement, hf_v3(0.5, 0, 0), NULL));
    assert_false(hf_placement_inside(s.placement, hf_v3(5.5, 0, 0), NULL));
    assert_true(hf_placement_inside(s.placement, hf_v3(10.5, 0, 0), NULL));
    assert_false(hf_placement_inside(s.placement, hf_v3(15.5, 0, 0), NULL));
    // on edges, corners' rays and centres of symmetry as well
    assert_true(hf_placement_inside(s.placement, hf_v3(0, 0, 0), NULL));
    assert_true(hf_placement_inside(s.placement, hf_v3(10, 0, 0), NULL));
    stage_free(&s);
}

/* A sheet that has one corner in common with a box leaves it watertight; one that has an edge does not. */
static void a_corner_joins_no_pieces(void** state) {
    (void)state;
    for (int edge = 0; edge < 2; edge++) {
        static draft d;
        d.vertex_count = d.triangle_count = 0;
        add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
        const float sheet[9] = {1, 1, 1, edge ? 1 : 5, edge ? -1 : 1, 1, 1, 5, 3};
        memcpy(d.vertices + 3 * d.vertex_count, sheet, sizeof sheet);
        for (int k = 0; k < 3; k++) d.indices[3 * d.triangle_count + k] = (uint32_t)(d.vertex_count + k);
        d.vertex_count += 3, d.triangle_count++;
        stage s = stage_of_draft(&d);
        hf_object_view v = hf_scene_object(s.scene, 0);
        assert_int_equal(v.piece_count, edge ? 1 : 2);
        assert_int_equal(v.solidity[v.piece_of[0]], edge ? 0 : 1);
        assert_int_equal(hf_placement_inside(s.placement, hf_v3(0.3, 0.2, 0.1), NULL), !edge);
        stage_free(&s);
    }
}

/* Corners rounded apart by a file: still one solid; a gap that is a real one: not. */
static void rounded_soup_is_welded(void** state) {
    (void)state;
    const double jitter[2] = {2e-7, 1e-3};
    for (int i = 0; i < 2; i++) {
        static draft d;
        d.vertex_count = d.triangle_count = 0;
        add_box(&d, hf_v3(0.1, 0.2, 0.3), hf_v3(1, 0.7, 0.9), false, true, jitter[i]);
        stage s = stage_of_draft(&d);
        hf_object_view v = hf_scene_object(s.scene, 0);
        assert_int_equal(v.piece_count, i ? 12 : 1);
        assert_int_equal(v.solidity[0], i ? 0 : 1);
        assert_true(hf_placement_inside(s.placement, hf_v3(0.1, 0.2, 0.3), NULL) == !i);
        stage_free(&s);
    }
    // a far vertex makes the mesh large: small boxes in it must not be welded to points
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(0.1, 0.1, 0.1), false, true, 0);
    for (int k = 0; k < 3; k++) d.indices[3 * d.triangle_count + k] = (uint32_t)(d.vertex_count + k);
    const float far[9] = {1e6f, 0, 0, 1e6f, 1, 0, 1e6f, 0, 1};
    memcpy(d.vertices + 3 * d.vertex_count, far, sizeof far);
    d.vertex_count += 3, d.triangle_count++;
    stage s = stage_of_draft(&d);
    hf_object_view v = hf_scene_object(s.scene, 0);
    assert_int_equal(v.piece_count, 2);
    assert_int_equal(v.solidity[0], 1);
    assert_int_equal(v.solidity[1], 0);
    stage_free(&s);
}

/* A house of thick walls: matter in the walls, air in the room, matter again in a block that stands there. */
static void cavities_are_free(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(3, 3, 3), false, false, 0);
    add_box(&d, hf_v3(0, 0, 0), hf_v3(2, 2, 2), true, false, 0);
    add_box(&d, hf_v3(1, 0, 0), hf_v3(0.5, 0.5, 0.5), false, false, 0);
    stage s = stage_of_draft(&d);
    assert_true(hf_placement_inside(s.placement, hf_v3(-2.5, 0, 0), NULL));
    assert_false(hf_placement_inside(s.placement, hf_v3(-1, 0, 0), NULL));
    assert_true(hf_placement_inside(s.placement, hf_v3(1, 0, 0), NULL));
    assert_true(overlaps(&s, ball(0.3), at(-2.5, 0, 0)));
    assert_false(overlaps(&s, ball(0.3), at(-1, 0, 0)));
    assert_true(overlaps(&s, ball(0.3), at(1, 0, 0)));
    assert_false(overlaps(&s, ball(0.3), at(4, 0, 0)));
    stage_free(&s);
}

static const float hull_vertices[8 * 3] = {-0.2f, -0.1f, -0.3f, 0.2f,  -0.1f, -0.3f, -0.2f, 0.1f,
                                           -0.3f, 0.2f,  0.1f,  -0.3f, -0.2f, -0.1f, 0.3f,  0.2f,
                                           -0.1f, 0.3f,  -0.2f, 0.1f,  0.3f,  0.2f,  0.1f,  0.3f};

static hf_shape shape_at(int kind) {
    if (kind == 0) return ball(0.3);
    if (kind == 1) return (hf_shape){.kind = HF_SHAPE_CAPSULE, .radius = 0.1, .half_length = 0.2};
    if (kind == 2) return (hf_shape){.kind = HF_SHAPE_BOX, .half_size = {0.2, 0.1, 0.3}};
    return (hf_shape){.kind = HF_SHAPE_HULL,
                      .vertex_count = 8,
                      .face_count = 12,
                      .vertices = hull_vertices,
                      .faces = &box_face[0][0]};
}

/* All four shapes are 0.3 m high below their centre: on a plane, depth is 0.3 - height. */
static void allowances_are_least_ways_out(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, -1), hf_v3(2, 2, 1), false, false, 0);
    hf_object_def defs[2] = {hf_object_def_default(), hf_object_def_default()};
    defs[0].name = "floor", defs[1].name = "other";
    defs[0].mesh = defs[1].mesh = mesh_of(&d);
    defs[1].start = at(100, 0, 0);
    stage s = stage_of(defs, 2);
    for (int kind = 0; kind < 4; kind++) {
        hf_shape shape = shape_at(kind);
        hf_allowance a = hf_allowance_default();
        hf_surface hit;
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.2993), &a, NULL));
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.2991), &a, &hit));
        assert_int_equal(hit.object, 0);
        assert_near(hit.point.z, 0, 1e-9);
        assert_near(hit.normal.z, 1, 1e-9);
        a.touched_object = 0;
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.2977), &a, NULL));
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.2975), &a, NULL));
        a.touched_object = 1;
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.2977), &a, NULL));
        a.touched_object = 0, a.touched_depth = INFINITY;
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.1), &a, NULL));
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, -1), &a, NULL));
        // no allowance at all, and wished-for free space
        hf_allowance none = {0, -1, 0}, space = {-0.01, -1, 0};
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.30001), &none, NULL));
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.29999), &none, NULL));
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.3099), &space, NULL));
        assert_false(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, 0.3101), &space, NULL));
        // wholly inside, far from any surface
        assert_true(hf_placement_overlap(s.placement, &shape, at(0.3, 0.1, -1), &none, &hit));
        assert_int_equal(hit.object, 0);
        assert_true(hit.triangle >= 0);
        assert_true(hf_placement_distance(s.placement, &shape, at(0.3, 0.1, 0.5), INFINITY, &hit));
        assert_near(hit.distance, 0.2, 1e-7); // hulls have float corners
        assert_near(hit.point.z, 0, 1e-9);
        assert_true(hf_placement_distance(s.placement, &shape, at(0.3, 0.1, 0.1), INFINITY, &hit));
        assert_true(hit.distance == 0);
        assert_false(hf_placement_distance(s.placement, &shape, at(0.3, 0.1, 0.5), 0.19, &hit));
    }
    stage_free(&s);
}

/* A plate thinner than the allowance counts by its middle, also where it sticks out of the solid: across an
   edge nothing else tells on which side most of it is. */
static void thin_bodies_count_by_their_middle(void** state) {
    (void)state;
    static draft d;
    d.vertex_count = d.triangle_count = 0;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
    stage s = stage_of_draft(&d);
    // a pyramid of height 0.03 on eight corners: the mean of the vertices is not its middle
    float corners[3 * 9] = {-0.02f, 0, 0};
    uint32_t faces[3 * 14];
    for (uint32_t i = 0; i < 8; i++) {
        corners[3 * i + 3] = 0.01f;
        corners[3 * i + 4] = (float)(0.02 * cos(i * 0.785398163));
        corners[3 * i + 5] = (float)(0.02 * sin(i * 0.785398163));
        uint32_t side[3] = {0, 1 + (i + 1) % 8, 1 + i}, base[3] = {1, 1 + i, 2 + i};
        memcpy(faces + 3 * i, side, sizeof side);
        if (i > 0 && i < 7) memcpy(faces + 3 * (7 + i), base, sizeof base);
    }
    hf_shape pyramid = {
        .kind = HF_SHAPE_HULL, .vertices = corners, .vertex_count = 9, .faces = faces, .face_count = 14};
    hf_shape shapes[] = {{.kind = HF_SHAPE_BOX, .half_size = {0.002, 0.01, 0.025}},
                         {.kind = HF_SHAPE_CAPSULE, .radius = 0.002, .half_length = 0.025}};
    hf_allowance touch = {0.001, 0, 0.003};
    for (int k = 0; k < 2; k++) {
        // flat on the side x = 1, and half of it above the top z = 1
        assert_true(hf_placement_overlap(s.placement, &shapes[k], at(0.9995, 0, 0.99), &touch, NULL));
        assert_false(hf_placement_overlap(s.placement, &shapes[k], at(1.0005, 0, 0.99), &touch, NULL));
        assert_true(hf_placement_overlap(s.placement, &shapes[k], at(0.9995, 0, 0), &touch, NULL));
        assert_false(hf_placement_overlap(s.placement, &shapes[k], at(1.0005, 0, 0), &touch, NULL));
    }
    // its middle is a quarter of the height above the base
    touch.touched_depth = 0.05;
    assert_true(hf_placement_overlap(s.placement, &pyramid, at(1 - 0.0025 - 0.0005, 0, 0), &touch, NULL));
    assert_false(hf_placement_overlap(s.placement, &pyramid, at(1 - 0.0025 + 0.0005, 0, 0), &touch, NULL));
    stage_free(&s);
}

static void normals_point_out_of_solids_and_into_rooms(void** state) {
    (void)state;
    for (int inward = 0; inward < 2; inward++) {
        static draft d;
        d.vertex_count = d.triangle_count = 0;
        add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 2, 3), inward, false, 0);
        hf_object_def def = hf_object_def_default();
        def.name = "box", def.mesh = mesh_of(&d);
        def.start = (hf_transform){{1, 1, 1}, hf_quat_axis_angle(hf_normalize(hf_v3(1, 2, 3)), 1)};
        stage s = stage_of(&def, 1);
        hf_random r = hf_random_start(3, 0, 0);
        for (int n = 0; n < 200; n++) {
            hf_vec3 p = hf_v3(hf_random_between(&r, -5, 5), hf_random_between(&r, -5, 5),
                              hf_random_between(&r, -5, 5));
            hf_surface out;
            assert_true(hf_placement_closest(s.placement, p, INFINITY, &out));
            double side = hf_dot(out.normal, hf_sub(out.point, def.start.position));
            assert_true(inward ? side < 0 : side > 0);
        }
        stage_free(&s);
    }
}

static void keys_move_objects_in_time(void** state) {
    (void)state;
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(1, 1, 1), false, false, 0);
    hf_key keys[3] = {{1, at(0, 0, 0)},
                      {2, {{4, 0, 0}, hf_quat_axis_angle(hf_v3(0, 0, 1), 1)}},
                      {4, {{4, 8, 0}, hf_quat_axis_angle(hf_v3(0, 0, 1), 2)}}};
    hf_object_def defs[2] = {hf_object_def_default(), hf_object_def_default()};
    defs[0].name = "still", defs[1].name = "moving";
    defs[0].mesh = defs[1].mesh = mesh_of(&d);
    defs[0].start = at(0, 0, 50), defs[1].start = at(0, 0, 70);
    defs[1].keys = keys, defs[1].key_count = 3;
    stage s = stage_of(defs, 2);
    assert_true(hf_placement_pose(s.placement, 1).position.z == 0); // keys replace the start from the first
    const double times[6] = {-5, 1, 1.25, 2, 3, 9}, x[6] = {0, 0, 1, 4, 4, 4}, y[6] = {0, 0, 0, 0, 4, 8},
                 turn[6] = {0, 0, 0.25, 1, 1.5, 2};
    for (int i = 0; i < 6; i++) {
        hf_placement_set_time(s.placement, times[i]);
        hf_transform pose = hf_placement_pose(s.placement, 1);
        assert_near(hf_distance(pose.position, hf_v3(x[i], y[i], 0)), 0, 1e-12);
        assert_near(hf_quat_angle(pose.rotation, hf_quat_axis_angle(hf_v3(0, 0, 1), turn[i])), 0, 1e-7);
        assert_true(hf_placement_pose(s.placement, 0).position.z == 50);
        assert_true(overlaps(&s, ball(0.1), pose));
        assert_false(overlaps(&s, ball(0.1), at(x[i], y[i], 5)));
    }
    stage_free(&s);
}

/* Turning everything turns the answers. */
static void answers_turn_with_the_scene(void** state) {
    (void)state;
    static draft d;
    hf_random r = hf_random_start(5, 0, 0);
    for (int i = 0; i < 20; i++)
        add_box(
            &d,
            hf_v3(hf_random_between(&r, -2, 2), hf_random_between(&r, -2, 2), hf_random_between(&r, -2, 2)),
            hf_v3(0.2, 0.3, 0.1), i % 5 == 0, i % 2, 0);
    stage s = stage_of_draft(&d), t = stage_of_draft(&d);
    hf_transform move = {{30, -20, 10}, hf_quat_axis_angle(hf_normalize(hf_v3(3, 1, 2)), 2)};
    hf_placement_move(t.placement, 0, move);
    for (int n = 0; n < 500; n++) {
        hf_vec3 p =
            hf_v3(hf_random_between(&r, -2, 2), hf_random_between(&r, -2, 2), hf_random_between(&r, -2, 2));
        hf_vec3 q = hf_apply(move, p), dir = hf_normalize(hf_v3(p.y, p.z + 0.1, p.x));
        hf_surface a, b;
        assert_true(hf_placement_closest(s.placement, p, INFINITY, &a) &&
                    hf_placement_closest(t.placement, q, INFINITY, &b));
        assert_near(a.distance, b.distance, 1e-9);
        bool hit = hf_placement_ray(s.placement, p, dir, INFINITY, &a);
        bool turned = hf_placement_ray(t.placement, q, hf_rotate(move.rotation, dir), INFINITY, &b);
        assert_true(hit == turned);
        if (hit) {
            assert_near(a.distance, b.distance, 1e-9);
            assert_near(hf_distance(hf_apply(move, a.point), b.point), 0, 1e-9);
            assert_near(hf_distance(hf_rotate(move.rotation, a.normal), b.normal), 0, 1e-9);
        }
        assert_true(hf_placement_inside(s.placement, p, NULL) == hf_placement_inside(t.placement, q, NULL));
    }
    stage_free(&s);
    stage_free(&t);
}

static void queries_and_moves_use_no_heap(void** state) {
    (void)state;
    if (!COUNTS_HEAP) {
        print_message("the sanitizer owns the heap: skipped\n");
        skip();
    }
    static draft d;
    hf_random r = hf_random_start(6, 0, 0);
    for (int i = 0; i < 16; i++)
        add_box(
            &d,
            hf_v3(hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1), hf_random_between(&r, -1, 1)),
            hf_v3(0.3, 0.2, 0.1), false, false, 0);
    enum { COUNT = 40 };
    static char names[COUNT][8];
    hf_object_def defs[COUNT];
    hf_key keys[2] = {{0, at(0, 0, 0)}, {1, at(1, 0, 0)}};
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "o%d", i);
        defs[i] = hf_object_def_default();
        defs[i].name = names[i], defs[i].mesh = mesh_of(&d);
        defs[i].start = at(hf_random_between(&r, -3, 3), hf_random_between(&r, -3, 3), 0);
        if (i % 4 == 0) defs[i].keys = keys, defs[i].key_count = 2;
    }
    stage s = stage_of(defs, COUNT);
    assert_true(heap_calls > 0);
    long before = heap_calls, answers = 0;
    for (int n = 0; n < 300; n++) {
        hf_transform pose =
            at(hf_random_between(&r, -4, 4), hf_random_between(&r, -4, 4), hf_random_between(&r, -1.5, 1.5));
        hf_shape shape = shape_at(n % 4);
        hf_allowance a = hf_allowance_default();
        hf_surface out[16];
        hf_vec3 o[8], v[8];
        double reach[8];
        bool hit[8];
        for (int i = 0; i < 8; i++) o[i] = pose.position, v[i] = hf_v3(0, 1, 0), reach[i] = 10;
        hf_placement_move(s.placement, n % COUNT, pose);
        hf_placement_enable(s.placement, (n * 7) % COUNT, n % 3);
        hf_placement_set_time(s.placement, 0.003 * n);
        answers += hf_placement_overlap(s.placement, &shape, pose, &a, out);
        answers += hf_placement_distance(s.placement, &shape, pose, 1, out);
        answers += hf_placement_closest(s.placement, pose.position, 1, out);
        answers += hf_placement_within(s.placement, pose.position, 0.5, out, 16);
        answers += hf_placement_occluded(s.placement, pose.position, hf_v3(0, 0, 1), 10);
        answers += hf_placement_inside(s.placement, pose.position, NULL);
        hf_placement_ray8(s.placement, o, v, reach, hit, out);
    }
    assert_int_equal(heap_calls, before);
    assert_true(answers > 100);
    stage_free(&s);
}

/* Each allocation of a build fails in turn: an error, nothing returned, nothing kept. */
static void builds_survive_failing_memory(void** state) {
    (void)state;
    if (!COUNTS_HEAP) {
        print_message("the sanitizer owns the heap: skipped\n");
        skip();
    }
    static draft d;
    add_box(&d, hf_v3(0, 0, 0), hf_v3(3, 3, 3), false, true, 1e-7);
    add_box(&d, hf_v3(0, 0, 0), hf_v3(2, 2, 2), true, false, 0);
    hf_object_def defs[2] = {hf_object_def_default(), hf_object_def_default()};
    defs[0].name = "a", defs[1].name = "b";
    defs[0].mesh = defs[1].mesh = mesh_of(&d);
    int refused = 0;
    for (int n = 0;; n++) {
        hf_scene* scene = NULL;
        hf_placement* placement = NULL;
        hf_error error;
        long live = heap_live;
        heap_fail_at = heap_calls + n;
        hf_status status = hf_scene_build(defs, 2, &scene, &error);
        if (!status) status = hf_placement_create(scene, &placement);
        heap_fail_at = -1;
        bool done = !status;
        if (!done) {
            refused++;
            assert_int_equal(status, HF_ERROR_MEMORY);
            assert_null(placement);
        }
        hf_placement_free(placement);
        hf_scene_free(scene);
        assert_int_equal(heap_live, live);
        if (done) break;
    }
    assert_true(refused > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_written),
        cmocka_unit_test(wrong_scenes_are_refused_with_a_reason),
        cmocka_unit_test(empty_scenes_and_meshes_answer_no),
        cmocka_unit_test(edits_keep_what_they_do_not_name),
        cmocka_unit_test(views_repeat_what_was_given),
        cmocka_unit_test(pieces_know_whether_they_are_solid),
        cmocka_unit_test(a_corner_joins_no_pieces),
        cmocka_unit_test(rounded_soup_is_welded),
        cmocka_unit_test(cavities_are_free),
        cmocka_unit_test(allowances_are_least_ways_out),
        cmocka_unit_test(thin_bodies_count_by_their_middle),
        cmocka_unit_test(normals_point_out_of_solids_and_into_rooms),
        cmocka_unit_test(keys_move_objects_in_time),
        cmocka_unit_test(answers_turn_with_the_scene),
        cmocka_unit_test(queries_and_moves_use_no_heap),
        cmocka_unit_test(builds_survive_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
