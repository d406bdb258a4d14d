/* The validity report's depth against brute force: for convex pieces the facets of the Minkowski difference
   (qhull), and directions tried densely where a round body's middle is outside; for stairs, the largest of
   the depths in their steps. */
#include "test.h"
#include "base/memory.h"
#include "base/random.h"
#include "check/check.h"
#include "geom/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>

enum { MOST = 80 };
typedef struct cloud {
    int count;
    double p[MOST][3], radius;
} cloud;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Facets of the hull of all differences: the least distance of the origin to one, negative when outside. */
static double facet_depth(const cloud* a, const cloud* b) {
    int n = a->count * b->count;
    coordT* d = calloc((size_t)n, 3 * sizeof *d);
    for (int i = 0; i < n; i++)
        for (int x = 0; x < 3; x++) d[3 * i + x] = b->p[i / a->count][x] - a->p[i % a->count][x];
    qhT qh;
    memset(&qh, 0, sizeof qh);
    char options[] = "qhull Pp";
    FILE* nowhere = fopen("/dev/null", "w");
    qh_zero(&qh, nowhere);
    assert_int_equal(qh_new_qhull(&qh, 3, n, d, False, options, nowhere, nowhere), 0);
    double least = INFINITY;
    facetT* facet;
    for (facet = qh.facet_list; facet && facet->next; facet = facet->next)
        least = fmin(least, -facet->offset);
    qh_freeqhull(&qh, !qh_ALL);
    int left, total;
    qh_memfreeshort(&qh, &left, &total);
    fclose(nowhere);
    free(d);
    return least;
}

/* The distance of two clouds' hulls: the shortest mean of differences (Mitchell, Demyanov and Malozemov,
   1974: weight goes from the worst of the differences that have some to the best of all). */
static double hull_distance(const cloud* a, const cloud* b) {
    int n = a->count * b->count;
    double(*d)[3] = calloc((size_t)n, sizeof *d), *weight = calloc((size_t)n, sizeof *weight), v[3];
    for (int i = 0; i < n; i++)
        for (int x = 0; x < 3; x++) d[i][x] = b->p[i / a->count][x] - a->p[i % a->count][x];
    weight[0] = 1;
    memcpy(v, d[0], sizeof v);
    for (int round = 0; round < 100000; round++) {
        int best = 0, worst = -1;
        for (int i = 0; i < n; i++) {
            if (dot(d[i], v) < dot(d[best], v)) best = i;
            if (weight[i] > 0 && (worst < 0 || dot(d[i], v) > dot(d[worst], v))) worst = i;
        }
        double way[3] = {d[best][0] - d[worst][0], d[best][1] - d[worst][1], d[best][2] - d[worst][2]};
        if (-dot(way, v) < 1e-14) break;
        double t = fmin(weight[worst], -dot(way, v) / dot(way, way));
        weight[best] += t, weight[worst] = t < weight[worst] ? weight[worst] - t : 0;
        for (int x = 0; x < 3; x++) v[x] += t * way[x];
    }
    free(d);
    free(weight);
    return sqrt(dot(v, v));
}

static double true_depth(const cloud* a, const cloud* b) {
    double depth = facet_depth(a, b);
    return a->radius + (depth > 0 || a->radius == 0 ? depth : -hull_distance(a, b));
}

/* ---- bodies and pieces ---- */

static hf_mesh random_hull(hf_random* r, int count, double size) {
    float points[3 * MOST];
    for (int i = 0; i < 3 * count; i++) points[i] = (float)hf_random_between(r, -size, size);
    hf_mesh mesh;
    hf_error e;
    assert_int_equal(hf_hull_build(points, count, &mesh, &e), HF_OK);
    return mesh;
}

static cloud cloud_of(const hf_mesh* mesh) {
    cloud c = {.count = mesh->vertex_count};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) c.p[i / 3][i % 3] = (double)mesh->vertices[i];
    return c;
}

/* One of the four shapes, and its corners. */
static check_body random_body(hf_random* r, int kind, hf_mesh* mesh, cloud* own) {
    hf_body body = {.in_link = hf_transform_identity(), .shape = {.kind = (hf_shape_kind)kind}};
    hf_shape* s = &body.shape;
    *own = (cloud){0};
    s->radius = own->radius =
        kind == HF_SHAPE_SPHERE || kind == HF_SHAPE_CAPSULE ? hf_random_between(r, 0.01, 0.1) : 0;
    if (kind == HF_SHAPE_SPHERE) own->count = 1;
    if (kind == HF_SHAPE_CAPSULE) {
        s->half_length = hf_random_between(r, 0.02, 0.3);
        own->count = 2;
        own->p[0][2] = -s->half_length, own->p[1][2] = s->half_length;
    }
    if (kind == HF_SHAPE_BOX) {
        double* h = &s->half_size.x;
        for (int i = 0; i < 3; i++) h[i] = hf_random_between(r, 0.01, 0.2);
        own->count = 8;
        for (int k = 0; k < 24; k++) own->p[k / 3][k % 3] = k / 3 >> k % 3 & 1 ? h[k % 3] : -h[k % 3];
    }
    if (kind == HF_SHAPE_HULL) {
        *mesh = random_hull(r, 6 + (int)(30 * hf_random_unit(r)), 0.15);
        s->vertex_count = mesh->vertex_count, s->face_count = mesh->triangle_count;
        s->vertices = mesh->vertices, s->faces = mesh->indices;
        *own = cloud_of(mesh);
    }
    check_body built;
    assert_int_equal(check_body_build(&body, 0.001, &built), HF_OK);
    return built;
}

static void random_direction(hf_random* r, double n[3]) {
    double l;
    do {
        for (int x = 0; x < 3; x++) n[x] = hf_random_between(r, -1, 1);
        l = sqrt(dot(n, n));
    } while (l < 0.1 || l > 1);
    for (int x = 0; x < 3; x++) n[x] /= l;
}

static check_frame random_frame(hf_random* r, double size) {
    hf_quat q = hf_quat_normalize((hf_quat){hf_random_between(r, -1, 1), hf_random_between(r, -1, 1),
                                            hf_random_between(r, -1, 1), hf_random_between(r, -1, 1)});
    return check_frame_of(
        (hf_transform){{hf_random_between(r, -size, size), hf_random_between(r, -size, size),
                        hf_random_between(r, -size, size)},
                       q});
}

static cloud placed(const cloud* own, const check_frame* at) {
    cloud c = *own;
    for (int i = 0; i < c.count; i++) check_frame_point(at, own->p[i], c.p[i]);
    return c;
}

static void release(hf_mesh* m) {
    hf_free(m->vertices);
    hf_free(m->indices);
    *m = (hf_mesh){0};
}

/* Shifts the body out of the piece along some direction until it is only some millimetres deep. */
static cloud pull_out(const cloud* own, const cloud* piece, hf_random* r, check_frame* at) {
    double n[3], from[3] = {at->p[0] / 4, at->p[1] / 4, at->p[2] / 4}, wish = hf_random_between(r, 0, 0.008);
    random_direction(r, n);
    double low = 0, high = 2;
    cloud here;
    for (int k = 0; k < 12; k++) {
        double t = (low + high) / 2;
        for (int x = 0; x < 3; x++) at->p[x] = from[x] + t * n[x];
        here = placed(own, at);
        if (true_depth(&here, piece) > wish)
            low = t;
        else
            high = t;
    }
    return here;
}

/* Every fourth pair is anywhere, the others are a few millimetres deep. */
static void depth_in_convex_pieces_is_exact(void** state) {
    (void)state;
    int deep = 0, shallow = 0, apart = 0;
    double worst = 0;
    check_near near = {0};
    for (int round = 0; round < (SANITIZED ? 200 : 2000); round++) {
        hf_random r = hf_random_start(61, 0, (uint64_t)round);
        hf_mesh piece = random_hull(&r, 4 + (int)(30 * hf_random_unit(&r)), round % 8 < 4 ? 0.1 : 0.6),
                mesh = {0};
        hf_object_view view = {.mesh = piece};
        check_object object;
        assert_int_equal(check_object_build(&view, &object), HF_OK);
        assert_int_equal(object.piece_count, 1);
        assert_true(object.pieces[0].closed);
        cloud own, rock = cloud_of(&piece);
        check_body body = random_body(&r, round % 4, &mesh, &own);
        check_frame at = random_frame(&r, 0.2);
        cloud here = placed(&own, &at);
        if (round / 4 % 4) here = pull_out(&own, &rock, &r, &at);
        double expected = true_depth(&here, &rock);
        double depth = check_object_depth(&body, &at, &object, 0, true, &near);
        worst = fmax(worst, fabs(depth - fmax(0, expected)));
        if (!(fabs(depth - fmax(0, expected)) < 2e-5))
            fail_msg("round %d: %.3f mm, truly %.3f mm", round, depth * 1000, expected * 1000);
        /* What is allowed is not reported, and what is not is the same. */
        double limited = check_object_depth(&body, &at, &object, 0.003, true, &near);
        if (fabs(expected - 0.003) > 2e-5) assert_near(limited, expected > 0.003 ? depth : 0, 1e-9);
        expected > 0.01 ? deep++ : expected > 0 ? shallow++ : apart++;
        check_body_free(&body);
        check_object_free(&object);
        release(&piece);
        release(&mesh);
    }
    print_message("%d deep, %d shallow, %d apart; off by %.4f mm at most\n", deep, shallow, apart,
                  worst * 1000);
    assert_true(SANITIZED || (deep > 100 && shallow > 1000));
    check_near_free(&near);
}

/* Three steps of 0.3 x 0.2 m, 1 m wide, from x = 0 on; step i is all from its riser to the back. */
enum { STEPS = 3 };

static void stairs(float v[3 * 4 * (STEPS + 1)], uint32_t f[3 * 32], int* triangles) {
    /* The outline from the front's bottom up the steps to the back's bottom. */
    double outline[2 * STEPS + 2][2] = {{0, 0}};
    int n = 1, count = 0;
    for (int i = 0; i < STEPS; i++) {
        outline[n][0] = 0.3 * i, outline[n++][1] = 0.2 * (i + 1);
        outline[n][0] = 0.3 * (i + 1), outline[n++][1] = 0.2 * (i + 1);
    }
    outline[n][0] = 0.3 * STEPS, outline[n++][1] = 0;
    for (int i = 0; i < 2 * n; i++) {
        v[3 * i] = (float)outline[i % n][0];
        v[3 * i + 1] = i < n ? -0.5f : 0.5f;
        v[3 * i + 2] = (float)outline[i % n][1];
    }
    for (int i = 0; i < n; i++) {
        uint32_t a = (uint32_t)i, b = (uint32_t)((i + 1) % n), m = (uint32_t)n;
        uint32_t quad[6] = {a, b + m, a + m, a, b, b + m};
        memcpy(&f[3 * count], quad, sizeof quad);
        count += 2;
    }
    /* The two ends: a fan around the back's bottom sees every step. */
    for (int side = 0; side < 2; side++)
        for (int i = 0; i + 2 < n; i++) {
            uint32_t o = (uint32_t)(side * n), a = (uint32_t)i + o, b = a + 1, c = (uint32_t)(n - 1) + o;
            uint32_t tri[3] = {a, side ? b : c, side ? c : b};
            memcpy(&f[3 * count++], tri, sizeof tri);
        }
    *triangles = count;
}

static double steps_depth(const cloud* here) {
    double most = 0;
    for (int i = 0; i < STEPS; i++) {
        cloud step = {.count = 8};
        for (int k = 0; k < 8; k++) {
            step.p[k][0] = (double)(float)(0.3 * (k & 1 ? STEPS : i));
            step.p[k][1] = k & 2 ? 0.5 : -0.5;
            step.p[k][2] = k & 4 ? (double)(float)(0.2 * (i + 1)) : 0;
        }
        most = fmax(most, true_depth(here, &step));
    }
    return most;
}

/* Bodies that are some millimetres deep at the steps' edges, on their treads, in their corners. */
static void depth_in_stairs_is_that_in_a_step(void** state) {
    (void)state;
    float v[3 * 4 * (STEPS + 1)];
    uint32_t f[3 * 32];
    hf_object_view view = {.mesh = {.vertex_count = 4 * (STEPS + 1), .vertices = v, .indices = f}};
    stairs(v, f, &view.mesh.triangle_count);
    check_object object;
    assert_int_equal(check_object_build(&view, &object), HF_OK);
    assert_int_equal(object.piece_count, 1);
    assert_true(object.pieces[0].closed);
    check_near near = {0};
    int shallow = 0;
    double worst = 0;
    for (int round = 0; round < (SANITIZED ? 100 : 1000); round++) {
        hf_random r = hf_random_start(62, 0, (uint64_t)round);
        hf_mesh mesh = {0};
        cloud own;
        check_body body = random_body(&r, round % 4, &mesh, &own);
        check_frame at = random_frame(&r, 0.3);
        at.p[0] += 0.4;
        double low = -0.5, high = 1, wish = hf_random_between(&r, 0, 0.008), expected = 0;
        for (int k = 0; k < 12; k++) {
            double t = (low + high) / 2;
            at.p[2] = 0.5 + t;
            cloud here = placed(&own, &at);
            expected = steps_depth(&here);
            if (expected > wish)
                low = t;
            else
                high = t;
        }
        double depth = check_object_depth(&body, &at, &object, 0, true, &near);
        if (expected < 0.01) {
            worst = fmax(worst, fabs(depth - expected));
            if (!(fabs(depth - expected) < 2e-5))
                fail_msg("round %d: %.3f mm, truly %.3f mm", round, depth * 1000, expected * 1000);
            shallow += expected > 0;
        } else {
            assert_true(depth > 0.009);
        }
        check_body_free(&body);
        release(&mesh);
    }
    print_message("%d shallow; off by %.4f mm at most\n", shallow, worst * 1000);
    assert_true(SANITIZED || shallow > 600);
    check_near_free(&near);
    check_object_free(&object);
}

/* ---- rocks ---- */

/* An icosahedron whose corners lie at random distances: a piece with as many dents as bumps. */
static void dented(hf_random* r, double dent, float v[36], uint32_t f[60]) {
    const double g = 1.618033988749895;
    const double at[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                              {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    static const uint32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                       4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                       6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    for (int k = 0; k < 12; k++) {
        double size = 0.1 * (1 + hf_random_between(r, -dent, dent));
        for (int x = 0; x < 3; x++) v[3 * k + x] = (float)(size * at[k][x]);
    }
    memcpy(f, faces, sizeof faces);
}

/* How far the body goes along a direction until it is free of the object, in steps of a quarter millimetre.
 */
static double way_out(const check_body* body, check_frame at, const check_object* o, const double n[3],
                      double most, check_near* near) {
    for (double s = 0; s < most; s += 0.00025) {
        check_frame here = at;
        for (int x = 0; x < 3; x++) here.p[x] += s * n[x];
        if (!(check_object_depth(body, &here, o, 0, true, near) > 0)) return s;
    }
    return most;
}

/* No part is deeper than the way out of the whole, and none of the surface's points is deeper than the
   deepest part. */
static void depth_in_dented_pieces_is_bounded(void** state) {
    (void)state;
    check_near near = {0};
    int shallow = 0;
    double sum = 0, sum_out = 0;
    for (int round = 0; round < (SANITIZED ? 10 : 60); round++) {
        hf_random r = hf_random_start(63, 0, (uint64_t)round);
        float v[36];
        uint32_t f[60];
        dented(&r, 0.3 * hf_random_unit(&r), v, f);
        hf_object_view view = {
            .mesh = {.vertex_count = 12, .triangle_count = 20, .vertices = v, .indices = f}};
        check_object object;
        assert_int_equal(check_object_build(&view, &object), HF_OK);
        assert_true(object.piece_count == 1 && object.pieces[0].closed);
        double n[3], origin[3] = {0, 0, 0};
        assert_true(check_object_inside(&object, origin));
        hf_mesh mesh = {0};
        cloud own;
        check_body body = random_body(&r, 2 + round % 2, &mesh, &own);
        check_frame at = random_frame(&r, 0.05);
        random_direction(&r, n);
        double wish = hf_random_between(&r, 0.0005, 0.006), low = 0, high = 1, depth = 0, least = 0.02,
               skin = 0;
        check_frame from = at;
        for (int k = 0; k < 14; k++) {
            double t = (low + high) / 2;
            for (int x = 0; x < 3; x++) at.p[x] = from.p[x] + t * n[x];
            depth = check_object_depth(&body, &at, &object, 0, true, &near);
            if (depth > wish)
                low = t;
            else
                high = t;
        }
        for (int t = 0; t < 20; t++)
            skin = fmax(skin, check_body_triangle(&body, &at, object.triangles + 9 * t, 0));
        assert_true(depth >= skin - 1e-8);
        if (depth > 0 && depth < 0.01) {
            for (int k = 0; k < 200; k++) {
                random_direction(&r, n);
                least = fmin(least, way_out(&body, at, &object, n, least, &near));
            }
            if (depth > least + 1e-8) fail_msg("round %d: %g m, but %g m lead out", round, depth, least);
            shallow++, sum += depth, sum_out += least;
        }
        check_body_free(&body);
        check_object_free(&object);
        release(&mesh);
    }
    print_message("%d shallow: %.2f mm deep on average, the way out was %.2f mm\n", shallow,
                  sum / shallow * 1000, sum_out / shallow * 1000);
    assert_true(SANITIZED || shallow > 40);
    check_near_free(&near);
}

/* ---- rugged ground ---- */

enum { GRID = 16 };

/* A block of ground whose top is a height field of random heights, watertight. */
static void ground(hf_random* r, double cell, double height, float* v, uint32_t* f, hf_mesh* out) {
    uint32_t count = 0;
    for (int k = 0; k < 2 * GRID * GRID; k++) {
        int i = k / GRID % GRID, j = k % GRID;
        bool rim = i == 0 || j == 0 || i == GRID - 1 || j == GRID - 1, top = k < GRID * GRID;
        v[3 * k] = (float)((i - GRID / 2) * cell), v[3 * k + 1] = (float)((j - GRID / 2) * cell);
        v[3 * k + 2] = !top ? -0.5f : rim ? 0 : (float)hf_random_between(r, -height, height);
    }
    const uint32_t low = GRID * GRID;
#define FACE(a, b, c) (f[count++] = (a), f[count++] = (b), f[count++] = (c))
    for (uint32_t i = 0; i + 1 < GRID; i++)
        for (uint32_t j = 0; j + 1 < GRID; j++) {
            uint32_t a = i * GRID + j, b = a + GRID, c = b + 1, d = a + 1;
            FACE(a, b, c), FACE(a, c, d);
            FACE(low + a, low + c, low + b), FACE(low + a, low + d, low + c);
        }
    for (uint32_t k = 0; k + 1 < GRID; k++) {
        const uint32_t sides[4][2] = {{k * GRID, (k + 1) * GRID},
                                      {(k + 1) * GRID + GRID - 1, k * GRID + GRID - 1},
                                      {k + 1, k},
                                      {(GRID - 1) * GRID + k, (GRID - 1) * GRID + k + 1}};
        for (int s = 0; s < 4; s++) {
            uint32_t a = sides[s][0], b = sides[s][1];
            FACE(a, low + a, b), FACE(b, low + a, low + b);
        }
    }
    *out = (hf_mesh){2 * GRID * GRID, (int)count / 3, v, f};
}

/* The ground's height at a place, from its grid. */
static double height_at(const float* v, double cell, double x, double y) {
    double s = x / cell + GRID / 2, t = y / cell + GRID / 2;
    int i = (int)floor(s), j = (int)floor(t);
    s -= i, t -= j;
    double a = (double)v[3 * (i * GRID + j) + 2], b = (double)v[3 * ((i + 1) * GRID + j) + 2],
           c = (double)v[3 * ((i + 1) * GRID + j + 1) + 2], d = (double)v[3 * (i * GRID + j + 1) + 2];
    return s >= t ? a + s * (b - a) + t * (c - b) : a + t * (d - a) + s * (c - d);
}

/* The deepest corner of the body in the ground: how far it is from the surface. */
static double deepest_corner(const check_body* body, const check_frame* at, const check_object* o,
                             const float* v, double cell) {
    double deepest = 0;
    for (int k = 0; k < body->core.corner_count; k++) {
        double p[3], near[3], off = INFINITY;
        check_frame_point(at, body->core.corners[k], p);
        if (fmax(fabs(p[0]), fabs(p[1])) > (GRID / 2 - 2) * cell || p[2] > height_at(v, cell, p[0], p[1]))
            continue;
        for (int t = 0; t < o->triangle_count; t++)
            off = fmin(off, check_point_triangle(p, o->triangles + 9 * t, near));
        deepest = fmax(deepest, off);
    }
    return deepest;
}

/* Spikes, wedges and slats that stick in the ground: no way out is shorter than their corners are deep, and
   the way up is one. */
static void what_sticks_in_rugged_ground_is_found(void** state) {
    (void)state;
    static float v[6 * GRID * GRID];
    static uint32_t f[12 * GRID * GRID + 24 * GRID];
    static const float spike[15] = {-0.01f, -0.01f, 0.1f,  0.01f, -0.01f, 0.1f, 0.01f, 0.01f,
                                    0.1f,   -0.01f, 0.01f, 0.1f,  0,      0,    -0.1f};
    static const uint32_t spike_faces[18] = {0, 1, 2, 0, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4};
    const double cell = 0.01, enough = 0.001;
    int deep = 0;
    for (int round = 0; round < (SANITIZED ? 60 : 400); round++) {
        hf_random r = hf_random_start(13, 0, (uint64_t)round);
        hf_object_view view = {0};
        check_object o;
        ground(&r, cell, 0.02, v, f, &view.mesh);
        assert_int_equal(check_object_build(&view, &o), HF_OK);
        assert_true(o.piece_count == 1 && o.pieces[0].closed && !o.pieces[0].convex);
        hf_body shape = {.in_link = hf_transform_identity(),
                         .shape = {.kind = HF_SHAPE_BOX, .half_size = {0.004, 0.01, 0.05}}};
        if (round % 2)
            shape.shape = (hf_shape){.kind = HF_SHAPE_HULL,
                                     .vertex_count = 5,
                                     .face_count = 6,
                                     .vertices = (float*)spike,
                                     .faces = (uint32_t*)spike_faces};
        check_body b;
        assert_int_equal(check_body_build(&shape, enough, &b), HF_OK);
        hf_quat lean =
            hf_quat_normalize((hf_quat){1, hf_random_between(&r, -0.2, 0.2), hf_random_between(&r, -0.2, 0.2),
                                        hf_random_between(&r, -1, 1)});
        check_frame at = check_frame_of((hf_transform){{0, 0, hf_random_between(&r, 0.06, 0.1)}, lean});
        check_near near = {0};
        double depth = check_object_depth(&b, &at, &o, enough, true, &near);
        double corner = deepest_corner(&b, &at, &o, v, cell);
        if (corner > enough) assert_true(depth >= corner - 1e-9);
        /* 2 cm are the highest of the ground: lifted over them, the body is free. */
        double lowest = INFINITY;
        for (int k = 0; k < b.core.corner_count; k++) {
            double p[3];
            check_frame_point(&at, b.core.corners[k], p);
            lowest = fmin(lowest, p[2]);
        }
        assert_true(depth <= fmax(0, 0.02 - lowest) + 1e-9);
        deep += corner > enough;
        check_near_free(&near);
        check_body_free(&b);
        check_object_free(&o);
    }
    assert_true(deep > (SANITIZED ? 15 : 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_in_convex_pieces_is_exact),
        cmocka_unit_test(depth_in_stairs_is_that_in_a_step),
        cmocka_unit_test(depth_in_dented_pieces_is_bounded),
        cmocka_unit_test(what_sticks_in_rugged_ground_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
