/* Distance and overlap of convex shapes. Oracles: separating axes, of which the best is also the depth of
   polytopes that meet, and the least distance over all pairs of features; analytic cases. */
#include "test.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/hull.h"

static const double PI = 3.14159265358979323846;
enum { MAX_VERTICES = 512, MAX_FACES = 1024, MAX_EDGES = 1536 };

/* A polytope (or segment, or point) in world coordinates, with a margin. */
typedef struct polytope {
    int vertex_count, face_count, edge_count;
    hf_vec3 vertices[MAX_VERTICES];
    int faces[MAX_FACES][3];
    int edges[MAX_EDGES][2];
    double margin;
} polytope;

static void release(hf_mesh* m) {
    hf_free(m->vertices);
    hf_free(m->indices);
    *m = (hf_mesh){0};
}

static hf_vec3 corner(const float* v, uint32_t i) { return hf_v3(v[3 * i], v[3 * i + 1], v[3 * i + 2]); }

static void from_mesh(const hf_mesh* m, polytope* p) {
    assert_true(m->vertex_count <= MAX_VERTICES && m->triangle_count <= MAX_FACES);
    p->vertex_count = m->vertex_count;
    p->face_count = m->triangle_count;
    for (int i = 0; i < m->vertex_count; i++) p->vertices[i] = corner(m->vertices, (uint32_t)i);
    for (int f = 0; f < m->triangle_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = (int)m->indices[3 * f + k], b = (int)m->indices[3 * f + (k + 1) % 3];
            p->faces[f][k] = a;
            if (a < b) p->edges[p->edge_count][0] = a, p->edges[p->edge_count++][1] = b;
        }
}

static void polytope_of(const hf_shape* s, hf_transform pose, polytope* p) {
    memset(p, 0, sizeof *p);
    if (s->kind == HF_SHAPE_SPHERE || s->kind == HF_SHAPE_CAPSULE) {
        double h = s->kind == HF_SHAPE_CAPSULE ? s->half_length : 0;
        p->margin = s->radius;
        p->vertices[p->vertex_count++] = hf_v3(0, 0, h);
        if (s->kind == HF_SHAPE_CAPSULE) {
            p->vertices[p->vertex_count++] = hf_v3(0, 0, -h);
            p->edges[0][0] = 0, p->edges[0][1] = 1;
            p->edge_count = 1;
        }
    } else {
        hf_mesh m;
        assert_int_equal(hf_shape_mesh(s, 8, &m), HF_OK);
        from_mesh(&m, p);
        release(&m);
    }
    for (int i = 0; i < p->vertex_count; i++) p->vertices[i] = hf_apply(pose, p->vertices[i]);
}

/* ---- separating axes ---- */

static double gap_along(const polytope* a, const polytope* b, hf_vec3 axis) {
    double length = hf_length(axis), a0 = INFINITY, a1 = -INFINITY, b0 = INFINITY, b1 = -INFINITY;
    if (length < 1e-9) return -INFINITY;
    for (int i = 0; i < a->vertex_count; i++) {
        double x = hf_dot(axis, a->vertices[i]) / length;
        a0 = fmin(a0, x), a1 = fmax(a1, x);
    }
    for (int i = 0; i < b->vertex_count; i++) {
        double x = hf_dot(axis, b->vertices[i]) / length;
        b0 = fmin(b0, x), b1 = fmax(b1, x);
    }
    return fmax(b0 - a1, a0 - b1);
}

static hf_vec3 edge_of(const polytope* p, int i) {
    return hf_normalize(hf_sub(p->vertices[p->edges[i][1]], p->vertices[p->edges[i][0]]));
}

static double face_gap(const polytope* a, const polytope* b, const polytope* of) {
    double best = -INFINITY;
    for (int f = 0; f < of->face_count; f++) {
        hf_vec3 o = of->vertices[of->faces[f][0]];
        hf_vec3 u = hf_normalize(hf_sub(of->vertices[of->faces[f][1]], o));
        best =
            fmax(best, gap_along(a, b, hf_cross(u, hf_normalize(hf_sub(of->vertices[of->faces[f][2]], o)))));
    }
    return best;
}

static double separating_gap(const polytope* a, const polytope* b) {
    double best = fmax(face_gap(a, b, a), face_gap(a, b, b));
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            best = fmax(best, gap_along(a, b, hf_cross(edge_of(a, i), edge_of(b, j))));
    return best;
}

/* ---- feature distances ---- */

static double point_segment(hf_vec3 p, hf_vec3 a, hf_vec3 b) {
    hf_vec3 d = hf_sub(b, a);
    double l = hf_dot(d, d), t = l > 0 ? fmax(0, fmin(1, hf_dot(hf_sub(p, a), d) / l)) : 0;
    return hf_distance(p, hf_add(a, hf_scale(d, t)));
}

static double point_triangle(hf_vec3 p, hf_vec3 a, hf_vec3 b, hf_vec3 c) {
    hf_vec3 n = hf_normalize(hf_cross(hf_sub(b, a), hf_sub(c, a)));
    bool inside = hf_dot(hf_cross(hf_sub(b, a), hf_sub(p, a)), n) >= 0 &&
                  hf_dot(hf_cross(hf_sub(c, b), hf_sub(p, b)), n) >= 0 &&
                  hf_dot(hf_cross(hf_sub(a, c), hf_sub(p, c)), n) >= 0;
    if (inside) return fabs(hf_dot(hf_sub(p, a), n));
    return fmin(fmin(point_segment(p, a, b), point_segment(p, b, c)), point_segment(p, c, a));
}

/* Distance from a point of the first segment is convex along it: golden section search. */
static double segment_segment(hf_vec3 a, hf_vec3 b, hf_vec3 c, hf_vec3 d) {
    double low = 0, high = 1, k = (sqrt(5) - 1) / 2;
    for (int i = 0; i < 60; i++) {
        double s = high - k * (high - low), t = low + k * (high - low);
        if (point_segment(hf_lerp(a, b, s), c, d) < point_segment(hf_lerp(a, b, t), c, d))
            high = t;
        else
            low = s;
    }
    return fmin(point_segment(hf_lerp(a, b, (low + high) / 2), c, d),
                fmin(point_segment(a, c, d), point_segment(b, c, d)));
}

static double vertex_distance(const polytope* a, const polytope* b) {
    double best = INFINITY;
    for (int i = 0; i < a->vertex_count; i++) {
        hf_vec3 p = a->vertices[i];
        for (int f = 0; f < b->face_count; f++)
            best = fmin(best, point_triangle(p, b->vertices[b->faces[f][0]], b->vertices[b->faces[f][1]],
                                             b->vertices[b->faces[f][2]]));
        if (b->face_count == 0)
            best = fmin(best, point_segment(p, b->vertices[0], b->vertices[b->vertex_count - 1]));
    }
    return best;
}

/* Of the cores, 0 when they meet. */
static double core_distance(const polytope* a, const polytope* b) {
    if ((a->face_count || b->face_count) && separating_gap(a, b) <= 0) return 0;
    double best = fmin(vertex_distance(a, b), vertex_distance(b, a));
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            best = fmin(best, segment_segment(a->vertices[a->edges[i][0]], a->vertices[a->edges[i][1]],
                                              b->vertices[b->edges[j][0]], b->vertices[b->edges[j][1]]));
    return best;
}

/* ---- random shapes ---- */

static hf_vec3 direction(hf_random* r) {
    double z = hf_random_between(r, -1, 1), a = hf_random_between(r, 0, 2 * PI), s = sqrt(1 - z * z);
    return hf_v3(s * cos(a), s * sin(a), z);
}

static hf_transform random_pose(hf_random* r, double reach) {
    hf_transform t = {hf_scale(direction(r), hf_random_between(r, 0, reach)),
                      hf_quat_axis_angle(direction(r), hf_random_between(r, 0, PI))};
    /* Some poses are aligned, where many features tie. */
    if (hf_random_bits(r) % 6 == 0) t.rotation = hf_quat_identity();
    return t;
}

static hf_shape random_shape(hf_random* r, hf_shape_kind kind, hf_mesh* storage) {
    hf_shape s = {.kind = kind};
    *storage = (hf_mesh){0};
    s.radius = hf_random_between(r, 0.02, 0.3);
    s.half_length = hf_random_between(r, 0.02, 0.5);
    s.half_size = hf_v3(hf_random_between(r, 0.01, 0.4), hf_random_between(r, 0.01, 0.4),
                        hf_random_between(r, 0.01, 0.4));
    if (kind == HF_SHAPE_HULL) {
        float points[3 * 12];
        int count = 4 + (int)(hf_random_bits(r) % 9);
        hf_vec3 stretch = hf_v3(1, hf_random_between(r, 0.2, 1), hf_random_between(r, 0.1, 1));
        for (int i = 0; i < count; i++) {
            hf_vec3 p = hf_scale(direction(r), 0.4);
            points[3 * i] = (float)(p.x * stretch.x), points[3 * i + 1] = (float)(p.y * stretch.y);
            points[3 * i + 2] = (float)(p.z * stretch.z);
        }
        if (hf_hull_build(points, count, storage, NULL) != HF_OK) return random_shape(r, kind, storage);
        s.vertex_count = storage->vertex_count, s.face_count = storage->triangle_count;
        s.vertices = storage->vertices, s.faces = storage->indices;
    }
    return s;
}

static polytope pa, pb;

static void distance_equals_brute_force(void** state) {
    (void)state;
    int apart = 0, meeting = 0;
    for (int round = 0; round < 1600; round++) {
        hf_random r = hf_random_start(1, 0, (uint64_t)round);
        hf_mesh ma, mb;
        hf_shape a = random_shape(&r, (hf_shape_kind)(round % 4), &ma);
        hf_shape b = random_shape(&r, (hf_shape_kind)(round / 4 % 4), &mb);
        hf_transform ta = random_pose(&r, 1), tb = random_pose(&r, 1);
        polytope_of(&a, ta, &pa);
        polytope_of(&b, tb, &pb);
        double expected = fmax(0, core_distance(&pa, &pb) - pa.margin - pb.margin);
        double d = hf_shape_distance(&a, ta, &b, tb);
        assert_near(d, expected, 2e-8); /* box corners of the oracle are floats */
        assert_near(hf_shape_distance(&b, tb, &a, ta), d, 1e-12);
        expected > 0 ? apart++ : meeting++;
        release(&ma);
        release(&mb);
    }
    assert_true(apart > 300 && meeting > 300);
}

static void overlap_equals_brute_force(void** state) {
    (void)state;
    int yes = 0, no = 0, shallow = 0;
    for (int round = 0; round < 2400; round++) {
        hf_random r = hf_random_start(2, 0, (uint64_t)round);
        hf_mesh ma, mb;
        hf_shape a = random_shape(&r, (hf_shape_kind)(round % 4), &ma);
        hf_shape b = random_shape(&r, (hf_shape_kind)(round / 4 % 4), &mb);
        hf_transform ta = random_pose(&r, 0.4), tb = random_pose(&r, 0.4);
        double depth = round % 3 == 0 ? hf_random_between(&r, 0, 0.2) : hf_random_between(&r, 0, 0.03);
        polytope_of(&a, ta, &pa);
        polytope_of(&b, tb, &pb);
        bool overlap = hf_shape_overlap(&a, ta, &b, tb, depth);
        assert_int_equal(overlap, hf_shape_overlap(&b, tb, &a, ta, depth));
        double apart = core_distance(&pa, &pb);
        // polytopes that meet are as deep as the axis along which they overlap least
        bool solid = pa.face_count || pb.face_count;
        double exact = pa.margin + pb.margin - (apart == 0 && solid ? separating_gap(&pa, &pb) : apart);
        if (fabs(exact - depth) > 1e-4 * depth + 1e-6) assert_int_equal(overlap, exact > depth);
        overlap ? yes++ : no++;
        if (!overlap && hf_shape_distance(&a, ta, &b, tb) == 0) shallow++;
        release(&ma);
        release(&mb);
    }
    assert_true(yes > 500 && no > 500 && shallow > 100);
}

/* Just out of reach and just within: a hull slid along its separating direction to a known distance. */
static void nearly_touching_is_exact(void** state) {
    (void)state;
    int tested = 0;
    for (int round = 0; round < 2000; round++) {
        hf_random r = hf_random_start(3, 0, (uint64_t)round);
        hf_mesh ma, mb;
        hf_shape a = random_shape(&r, (hf_shape_kind)(round % 4), &ma);
        hf_shape b = random_shape(&r, (hf_shape_kind)(round / 4 % 4), &mb);
        hf_transform ta = random_pose(&r, 0.1), tb = random_pose(&r, 0.1);
        hf_vec3 d = direction(&r);
        hf_vec3 start = hf_add(ta.position, hf_scale(d, 4));
        /* A random hull need not hold its own origin. */
        tb.position = ta.position;
        if (hf_shape_distance(&a, ta, &b, tb) > 0) {
            release(&ma);
            release(&mb);
            continue;
        }
        tested++;
        /* The distance along a straight line is convex: bisect to the place where it becomes 1e-6. */
        double low = 0, high = 1;
        for (int i = 0; i < 60; i++) {
            double t = (low + high) / 2;
            tb.position = hf_lerp(ta.position, start, t);
            if (hf_shape_distance(&a, ta, &b, tb) > 1e-6)
                high = t;
            else
                low = t;
        }
        tb.position = hf_lerp(ta.position, start, high);
        assert_near(hf_shape_distance(&a, ta, &b, tb), 1e-6, 1e-11);
        assert_false(hf_shape_overlap(&a, ta, &b, tb, 0));
        assert_true(hf_shape_overlap(&a, ta, &b, tb, -1.0001e-6));
        assert_false(hf_shape_overlap(&a, ta, &b, tb, -0.9999e-6));
        /* The same far from the world's origin. */
        hf_vec3 far = hf_v3(1000, -2000, 500);
        hf_transform fa = ta, fb = tb;
        fa.position = hf_add(fa.position, far), fb.position = hf_add(fb.position, far);
        assert_near(hf_shape_distance(&a, fa, &b, fb), 1e-6, 1e-11);
        release(&ma);
        release(&mb);
    }
    assert_true(tested > 1500);
}

static void known_cases(void** state) {
    (void)state;
    hf_transform o = hf_transform_identity(), x = o;
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {0.5, 0.5, 0.5}};
    hf_shape capsule = {.kind = HF_SHAPE_CAPSULE, .radius = 0.1, .half_length = 1};
    hf_shape sphere = {.kind = HF_SHAPE_SPHERE, .radius = 0.25};
    x.position = hf_v3(2, 0, 0);
    assert_near(hf_shape_distance(&box, o, &box, x), 1, 1e-15);
    assert_near(hf_shape_distance(&capsule, o, &capsule, x), 1.8, 1e-15);
    assert_near(hf_shape_distance(&box, o, &capsule, x), 1.4, 1e-15);
    x.position = hf_v3(1.5, 1.5, 1.5);
    assert_near(hf_shape_distance(&box, o, &sphere, x), sqrt(3) - 0.25, 1e-15);
    /* Boxes 4 mm deep in each other. */
    x.position = hf_v3(0.996, 0.2, 0.1);
    assert_true(hf_shape_overlap(&box, o, &box, x, 0.0039999));
    assert_false(hf_shape_overlap(&box, o, &box, x, 0.0040001));
    assert_true(hf_shape_overlap(&box, o, &box, o, 0.99));
    assert_false(hf_shape_overlap(&box, o, &box, o, 1.01)); /* moved by their width they only touch */
    /* Identical poses, points and zero sizes. */
    hf_shape point = {.kind = HF_SHAPE_SPHERE}, dot = {.kind = HF_SHAPE_BOX};
    assert_true(hf_shape_distance(&box, o, &box, o) == 0);
    assert_true(hf_shape_distance(&capsule, o, &capsule, o) == 0);
    assert_true(hf_shape_distance(&dot, o, &dot, o) == 0);
    assert_near(hf_shape_distance(&dot, o, &point, x), hf_length(x.position), 1e-15);
    assert_near(hf_shape_distance(&dot, o, &dot, x), hf_length(x.position), 1e-15);
    assert_true(hf_shape_overlap(&dot, o, &point, o, 0));
    assert_false(hf_shape_overlap(&dot, o, &point, o, 1e-9));
}

/* A cube as a hull must answer like the box, at every depth. */
static void hulls_are_as_deep_as_boxes(void** state) {
    (void)state;
    hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {0.25, 0.5, 0.125}};
    hf_mesh m;
    assert_int_equal(hf_shape_mesh(&box, 8, &m), HF_OK);
    hf_shape hull = {.kind = HF_SHAPE_HULL,
                     .vertex_count = 8,
                     .face_count = 12,
                     .vertices = m.vertices,
                     .faces = m.indices};
    int differ = 0, yes = 0;
    for (int round = 0; round < 3000; round++) {
        hf_random r = hf_random_start(4, 0, (uint64_t)round);
        hf_mesh mb;
        hf_shape b = random_shape(&r, (hf_shape_kind)(round % 3), &mb);
        hf_transform ta = random_pose(&r, 0.5), tb = random_pose(&r, 0.5);
        double depth = hf_random_between(&r, 0, 0.26);
        bool by_box = hf_shape_overlap(&box, ta, &b, tb, depth);
        yes += by_box;
        differ += by_box != hf_shape_overlap(&hull, ta, &b, tb, depth);
    }
    assert_int_equal(differ, 0);
    assert_true(yes > 300);
    release(&m);
}

/* A large round hull: 1,000 vertices, in reasonable time, near the sphere's answer. */
static void large_hulls_end(void** state) {
    (void)state;
    static float points[3000];
    hf_random r = hf_random_start(5, 0, 0);
    for (int i = 0; i < 1000; i++) {
        hf_vec3 p = direction(&r);
        points[3 * i] = (float)p.x, points[3 * i + 1] = (float)p.y, points[3 * i + 2] = (float)p.z;
    }
    hf_mesh m;
    assert_int_equal(hf_hull_build(points, 1000, &m, NULL), HF_OK);
    hf_shape hull = {.kind = HF_SHAPE_HULL,
                     .vertex_count = m.vertex_count,
                     .face_count = m.triangle_count,
                     .vertices = m.vertices,
                     .faces = m.indices};
    for (int i = 0; i < 20; i++) {
        hf_transform o = hf_transform_identity(), x = o;
        x.position = hf_scale(direction(&r), 1.8);
        x.rotation = hf_quat_axis_angle(direction(&r), 1);
        assert_true(hf_shape_overlap(&hull, o, &hull, x, 0.15));
        assert_false(hf_shape_overlap(&hull, o, &hull, x, 0.2001));
    }
    release(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_equals_brute_force), cmocka_unit_test(overlap_equals_brute_force),
        cmocka_unit_test(nearly_touching_is_exact),    cmocka_unit_test(known_cases),
        cmocka_unit_test(hulls_are_as_deep_as_boxes),  cmocka_unit_test(large_hulls_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
