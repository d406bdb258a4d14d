/* Convex hulls and triangles of shapes. Oracles: support of the input points in random directions, closed
   surfaces by edge counting, volumes by the divergence theorem. */
#include "test.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/hull.h"
#include "geom/orientation.h"

static const double PI = 3.14159265358979323846;

static hf_vec3 vertex(const hf_mesh* m, uint32_t i) {
    const float* v = m->vertices + 3 * (size_t)i;
    return hf_v3(v[0], v[1], v[2]);
}

static void release(hf_mesh* m) {
    hf_free(m->vertices);
    hf_free(m->indices);
    *m = (hf_mesh){0};
}

/* Each directed edge has exactly one reverse, each vertex is used, Euler's formula holds. */
static void assert_closed(const hf_mesh* m) {
    int n = m->triangle_count * 3;
    assert_int_equal(m->vertex_count - n / 2 + m->triangle_count, 2);
    bool* used = hf_alloc((size_t)m->vertex_count, 1);
    for (int i = 0; i < n; i++) {
        assert_true(m->indices[i] < (uint32_t)m->vertex_count);
        used[m->indices[i]] = true;
        uint32_t a = m->indices[i], b = m->indices[i / 3 * 3 + (i + 1) % 3];
        int same = 0, reverse = 0;
        for (int j = 0; j < n; j++) {
            uint32_t c = m->indices[j], d = m->indices[j / 3 * 3 + (j + 1) % 3];
            same += a == c && b == d;
            reverse += a == d && b == c;
        }
        assert_int_equal(same, 1);
        assert_int_equal(reverse, 1);
    }
    for (int i = 0; i < m->vertex_count; i++) assert_true(used[i]);
    hf_free(used);
}

static double volume(const hf_mesh* m) {
    double v = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        const uint32_t* f = m->indices + 3 * (size_t)t;
        v += hf_dot(vertex(m, f[0]), hf_cross(vertex(m, f[1]), vertex(m, f[2]))) / 6;
    }
    return v;
}

static hf_vec3 direction(hf_random* r) {
    double z = hf_random_between(r, -1, 1), a = hf_random_between(r, 0, 2 * PI), s = sqrt(1 - z * z);
    return hf_v3(s * cos(a), s * sin(a), z);
}

static double farthest(const float* points, int count, hf_vec3 d) {
    double best = -INFINITY;
    for (int i = 0; i < count; i++)
        best = fmax(best, d.x * points[3 * i] + d.y * points[3 * i + 1] + d.z * points[3 * i + 2]);
    return best;
}

/* Every face with an outward normal that leaves all points behind; the same extent in any direction. */
static void assert_hull_of(const hf_mesh* m, const float* points, int count, double tolerance) {
    assert_closed(m);
    assert_true(volume(m) > 0);
    for (int t = 0; t < m->triangle_count; t++) {
        const uint32_t* f = m->indices + 3 * (size_t)t;
        hf_vec3 a = vertex(m, f[0]);
        hf_vec3 n = hf_cross(hf_sub(vertex(m, f[1]), a), hf_sub(vertex(m, f[2]), a));
        assert_true(hf_length(n) > 0);
        n = hf_normalize(n);
        assert_true(farthest(points, count, n) <= hf_dot(n, a) + tolerance);
    }
    hf_random r = hf_random_start(3, 0, (uint64_t)count);
    for (int i = 0; i < 200; i++) {
        hf_vec3 d = direction(&r);
        assert_near(farthest(m->vertices, m->vertex_count, d), farthest(points, count, d), tolerance);
    }
    /* Vertices are points of the cloud, exactly. */
    for (int i = 0; i < m->vertex_count; i++) {
        bool found = false;
        for (int j = 0; j < count && !found; j++)
            found = memcmp(points + 3 * (size_t)j, m->vertices + 3 * (size_t)i, 3 * sizeof(float)) == 0;
        assert_true(found);
    }
}

static void random_clouds(void** state) {
    (void)state;
    static float points[3 * 400];
    for (int round = 0; round < 60; round++) {
        hf_random r = hf_random_start(1, 0, (uint64_t)round);
        int count = 4 + (int)(hf_random_bits(&r) % 396);
        double size = pow(10, hf_random_between(&r, -3, 3));
        bool ball = round % 3 == 0;
        hf_vec3 shift = hf_v3(size * hf_random_between(&r, -2, 2), 0, size);
        for (int i = 0; i < count; i++) {
            hf_vec3 p = direction(&r);
            p = hf_add(shift, hf_scale(p, size * (ball ? 1 : hf_random_unit(&r))));
            points[3 * i] = (float)p.x, points[3 * i + 1] = (float)p.y, points[3 * i + 2] = (float)p.z;
        }
        hf_mesh m;
        assert_int_equal(hf_hull_build(points, count, &m, NULL), HF_OK);
        assert_hull_of(&m, points, count, 1e-12 * size);
        release(&m);
    }
}

/* A full lattice has points in faces and on edges; its hull has eight vertices all the same. Turned and
   rounded to floats it is only a hull. */
static void lattices(void** state) {
    (void)state;
    enum { N = 7 };
    static float points[3 * N * N * N];
    for (int round = 0; round < 20; round++) {
        hf_random r = hf_random_start(2, 0, (uint64_t)round);
        hf_quat turn =
            round ? hf_quat_axis_angle(direction(&r), hf_random_between(&r, 0, 3)) : hf_quat_identity();
        for (int i = 0; i < N * N * N; i++) {
            hf_vec3 p = hf_rotate(turn, hf_v3(i % N, i / N % N, (double)(i / N / N)));
            points[3 * i] = (float)p.x, points[3 * i + 1] = (float)p.y, points[3 * i + 2] = (float)p.z;
        }
        hf_mesh m;
        assert_int_equal(hf_hull_build(points, N * N * N, &m, NULL), HF_OK);
        if (round == 0) {
            assert_int_equal(m.vertex_count, 8);
            assert_int_equal(m.triangle_count, 12);
        }
        assert_hull_of(&m, points, N * N * N, 1e-7);
        assert_near(volume(&m), (N - 1) * (N - 1) * (N - 1), 1e-4);
        release(&m);
    }
}

/* Few points on a coarse lattice: ties, lines and planes everywhere. A refusal is right only for clouds
   without volume. */
static void coarse_lattices(void** state) {
    (void)state;
    int built = 0;
    for (int round = 0; round < 1500; round++) {
        hf_random r = hf_random_start(9, 0, (uint64_t)round);
        float points[3 * 40];
        int count = 4 + (int)(hf_random_bits(&r) % 36), size = 2 + (int)(hf_random_bits(&r) % 3);
        double scale = round % 3 ? 1 : 0.1; /* tenths are not exact in binary */
        for (int i = 0; i < 3 * count; i++)
            points[i] = (float)((int)(hf_random_bits(&r) % (uint32_t)size) * scale);
        bool volume_found = false;
        for (int i = 0; i < count && !volume_found; i++)
            for (int j = 0; j < i && !volume_found; j++)
                for (int k = 0; k < j && !volume_found; k++) {
                    hf_vec3 a = hf_v3(points[0], points[1], points[2]);
                    hf_vec3 u = hf_sub(hf_v3(points[3 * i], points[3 * i + 1], points[3 * i + 2]), a);
                    hf_vec3 v = hf_sub(hf_v3(points[3 * j], points[3 * j + 1], points[3 * j + 2]), a);
                    hf_vec3 w = hf_sub(hf_v3(points[3 * k], points[3 * k + 1], points[3 * k + 2]), a);
                    volume_found = fabs(hf_dot(u, hf_cross(v, w))) > 0.5 * scale * scale * scale;
                }
        hf_mesh m;
        hf_status status = hf_hull_build(points, count, &m, NULL);
        assert_int_equal(status, volume_found ? HF_OK : HF_ERROR_FORMAT);
        if (status != HF_OK) continue;
        assert_hull_of(&m, points, count, 1e-8);
        built++;
        release(&m);
    }
    assert_true(built > 1000);
}

static void prism_and_duplicates(void** state) {
    (void)state;
    enum { SIDES = 32, COPIES = 5 };
    static float points[3 * SIDES * 2 * COPIES];
    int n = 0;
    for (int c = 0; c < COPIES; c++)
        for (int i = 0; i < SIDES * 2; i++, n++) {
            double a = 2 * PI * (i % SIDES) / SIDES;
            points[3 * n] = (float)cos(a), points[3 * n + 1] = (float)sin(a);
            points[3 * n + 2] = i < SIDES ? -0.5f : 0.5f;
        }
    hf_mesh m;
    assert_int_equal(hf_hull_build(points, n, &m, NULL), HF_OK);
    assert_int_equal(m.vertex_count, SIDES * 2);
    assert_int_equal(m.triangle_count, SIDES * 4 - 4);
    assert_hull_of(&m, points, n, 1e-7);
    release(&m);
}

/* Whole numbers of 24 bits: the determinant has under 80 bits, which __int128 holds. Points of the plane, and
   one unit beside it, are what doubles alone cannot tell. */
static void orientation_has_the_exact_sign(void** state) {
    (void)state;
    int in_plane = 0;
    for (int round = 0; round < 200000; round++) {
        hf_random r = hf_random_start(4, 0, (uint64_t)round);
        double p[4][3];
        int bits = 2 + round % 22;
        for (int i = 0; i < 12; i++) p[i / 3][i % 3] = floor(ldexp(hf_random_between(&r, -1, 1), bits));
        if (round % 2) { // a + b - c is in the plane of a, b and c
            for (int k = 0; k < 3; k++) p[3][k] = p[0][k] + p[1][k] - p[2][k];
            p[3][round % 3] += round % 4 == 1 ? 1 : 0;
        }
        __int128 m[3][3], exact = 0;
        for (int i = 0; i < 9; i++) m[i / 3][i % 3] = (__int128)(p[i / 3 + 1][i % 3] - p[0][i % 3]);
        for (int k = 0; k < 3; k++)
            exact +=
                m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]);
        double got = hf_orientation(p[0], p[1], p[2], p[3]);
        assert_int_equal((got > 0) - (got < 0), (exact > 0) - (exact < 0));
        // a scale that is a power of two changes nothing
        for (int i = 0; i < 12; i++) p[i / 3][i % 3] *= 0x1p-60;
        got = hf_orientation(p[0], p[1], p[2], p[3]);
        assert_int_equal((got > 0) - (got < 0), (exact > 0) - (exact < 0));
        in_plane += exact == 0;
    }
    assert_true(in_plane > 40000);
}

static void no_volume_is_refused(void** state) {
    (void)state;
    float flat[3 * 25], line[3 * 10], one[3 * 10], bad[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
    for (int i = 0; i < 25; i++) {
        hf_vec3 p = hf_rotate(hf_quat_rpy(0.3, 0.7, 0.1), hf_v3(i % 5, (double)(i / 5), 0));
        flat[3 * i] = (float)p.x, flat[3 * i + 1] = (float)p.y, flat[3 * i + 2] = (float)p.z;
    }
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 3; k++) line[3 * i + k] = (float)(i * (k + 1)), one[3 * i + k] = 4;
    const float* clouds[] = {flat, line, one, bad, flat};
    const int counts[] = {25, 10, 10, 4, 3};
    for (int i = 0; i < 5; i++) {
        hf_mesh m = {.vertex_count = 9};
        hf_error e = {0};
        assert_int_equal(hf_hull_build(clouds[i], counts[i], &m, &e), HF_ERROR_FORMAT);
        assert_true(m.vertex_count == 0 && m.vertices == NULL && m.indices == NULL);
        assert_int_equal(e.status, HF_ERROR_FORMAT);
        assert_true(strlen(e.message) > 0);
    }
}

static void shapes_become_closed_meshes(void** state) {
    (void)state;
    for (int segments = 8; segments <= 32; segments += 3) {
        double r = 0.3, h = 0.5;
        hf_shape sphere = {.kind = HF_SHAPE_SPHERE, .radius = r};
        hf_shape capsule = {.kind = HF_SHAPE_CAPSULE, .radius = r, .half_length = h};
        hf_shape box = {.kind = HF_SHAPE_BOX, .half_size = {0.1, 0.2, 0.3}};
        hf_mesh m;
        assert_int_equal(hf_shape_mesh(&sphere, segments, &m), HF_OK);
        assert_closed(&m);
        double exact = 4.0 / 3 * PI * r * r * r;
        assert_true(volume(&m) < exact && volume(&m) > exact * (1 - 20.0 / (segments * segments)));
        for (int i = 0; i < m.vertex_count; i++) assert_near(hf_length(vertex(&m, (uint32_t)i)), r, 1e-7);
        release(&m);

        assert_int_equal(hf_shape_mesh(&capsule, segments, &m), HF_OK);
        assert_closed(&m);
        exact += PI * r * r * 2 * h;
        assert_true(volume(&m) < exact && volume(&m) > exact * (1 - 20.0 / (segments * segments)));
        for (int i = 0; i < m.vertex_count; i++) {
            hf_vec3 p = vertex(&m, (uint32_t)i);
            p.z -= fmax(-h, fmin(h, p.z));
            assert_near(hf_length(p), r, 1e-7);
        }
        hf_shape hull = {.kind = HF_SHAPE_HULL,
                         .vertex_count = m.vertex_count,
                         .face_count = m.triangle_count,
                         .vertices = m.vertices,
                         .faces = m.indices};
        hf_mesh copy;
        assert_int_equal(hf_shape_mesh(&hull, segments, &copy), HF_OK);
        assert_closed(&copy);
        assert_true(volume(&copy) == volume(&m));
        release(&copy);
        release(&m);

        assert_int_equal(hf_shape_mesh(&box, segments, &m), HF_OK);
        assert_closed(&m);
        assert_near(volume(&m), 8 * 0.1 * 0.2 * 0.3, 1e-8);
        release(&m);
    }
    hf_shape sphere = {.kind = HF_SHAPE_SPHERE, .radius = 1};
    hf_mesh m;
    assert_int_equal(hf_shape_mesh(&sphere, 7, &m), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_shape_mesh(&sphere, 65, &m), HF_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds),
        cmocka_unit_test(lattices),
        cmocka_unit_test(prism_and_duplicates),
        cmocka_unit_test(coarse_lattices),
        cmocka_unit_test(orientation_has_the_exact_sign),
        cmocka_unit_test(no_volume_is_refused),
        cmocka_unit_test(shapes_become_closed_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
