/* Blocks of triangles in the validity report against plain loops: which triangles a walk meets, how far the
   surface is, and what is inside, of a rugged piece whose inside is known from the way it was made. */
#include "test.h"
#include "base/random.h"
#include "check/check.h"

#include <stdlib.h>
#include <string.h>

/* A slab with a rugged top: heights over a grid of 1 m cells, flat below. */
enum { SIDE = 24, TOP = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) * 2 + 8 * (SIDE - 1) };
typedef struct slab {
    float v[6 * TOP];
    uint32_t f[3 * TRIANGLES];
    check_object object;
} slab;

static uint32_t corner(int x, int y, bool below) { return (uint32_t)(y * SIDE + x + (below ? TOP : 0)); }

static void put(uint32_t* f, int* count, uint32_t a, uint32_t b, uint32_t c, bool turned) {
    uint32_t t[3] = {a, turned ? c : b, turned ? b : c};
    memcpy(f + 3 * (*count)++, t, sizeof t);
}

static void put_side(uint32_t* f, int* count, int x, int y, int dx, int dy) {
    uint32_t a = corner(x, y, false), b = corner(x + dx, y + dy, false);
    uint32_t c = corner(x, y, true), d = corner(x + dx, y + dy, true);
    put(f, count, a, c, b, false);
    put(f, count, b, c, d, false);
}

static slab* make_slab(void) {
    slab* s = calloc(1, sizeof *s);
    hf_random r = hf_random_start(5, 0, 0);
    for (int i = 0; i < TOP; i++) {
        float at[3] = {(float)(i % SIDE), (float)(i / SIDE), (float)hf_random_between(&r, 0.2, 2)};
        memcpy(s->v + 3 * i, at, sizeof at);
        at[2] = -1;
        memcpy(s->v + 3 * (TOP + i), at, sizeof at);
    }
    int count = 0;
    for (int below = 0; below < 2; below++)
        for (int y = 0; y + 1 < SIDE; y++)
            for (int x = 0; x + 1 < SIDE; x++) {
                uint32_t a = corner(x, y, below), b = corner(x + 1, y, below), c = corner(x, y + 1, below),
                         d = corner(x + 1, y + 1, below);
                put(s->f, &count, a, b, d, below);
                put(s->f, &count, a, d, c, below);
            }
    for (int k = 0; k + 1 < SIDE; k++) {
        put_side(s->f, &count, k, 0, 1, 0);
        put_side(s->f, &count, k + 1, SIDE - 1, -1, 0);
        put_side(s->f, &count, 0, k + 1, 0, -1);
        put_side(s->f, &count, SIDE - 1, k, 0, 1);
    }
    assert_int_equal(count, TRIANGLES);
    hf_object_view view = {
        .mesh = {.vertex_count = 2 * TOP, .triangle_count = TRIANGLES, .vertices = s->v, .indices = s->f}};
    assert_int_equal(check_object_build(&view, &s->object), HF_OK);
    assert_true(s->object.piece_count == 1 && s->object.pieces[0].closed);
    return s;
}

static void drop_slab(slab* s) {
    check_object_free(&s->object);
    free(s);
}

/* The top's height: a cell's triangles are divided by its diagonal. */
static double height_at(const slab* s, double x, double y) {
    int i = (int)x, j = (int)y;
    double u = x - i, v = y - j, h[4];
    for (int k = 0; k < 4; k++) h[k] = (double)s->v[3 * corner(i + k % 2, j + k / 2, false) + 2];
    return u >= v ? h[0] + u * (h[1] - h[0]) + v * (h[3] - h[1])
                  : h[0] + v * (h[2] - h[0]) + u * (h[3] - h[2]);
}

static void insides_are_known(void** state) {
    (void)state;
    slab* s = make_slab();
    int inside = 0;
    for (int i = 0; i < 4000; i++) {
        hf_random r = hf_random_start(6, 0, (uint64_t)i);
        double p[3] = {hf_random_between(&r, 0.01, SIDE - 1.01), hf_random_between(&r, 0.01, SIDE - 1.01),
                       hf_random_between(&r, -1.5, 2.5)};
        /* A third straight above or below an edge, a third so of a corner: the way up meets several
         * triangles. */
        if (i % 3 == 1) p[1] = floor(p[1]) + (p[0] - floor(p[0]));
        if (i % 3 == 2) p[0] = floor(p[0]) + 1, p[1] = floor(p[1]) + 1;
        if (p[0] > SIDE - 1.01 || p[1] > SIDE - 1.01) continue;
        double over = p[2] - height_at(s, p[0], p[1]);
        if (fabs(over) < 1e-5 || fabs(p[2] + 1) < 1e-5) continue;
        bool is_in = over < 0 && p[2] > -1;
        inside += is_in;
        if (check_object_inside(&s->object, p) != is_in) fail_msg("point %d: %g %g %g", i, p[0], p[1], p[2]);
    }
    assert_in_range(inside, 1000, 3000);
    drop_slab(s);
}

static bool boxes_meet(const double tri[9], const double low[3], const double high[3]) {
    for (int x = 0; x < 3; x++)
        if (fmin(tri[x], fmin(tri[3 + x], tri[6 + x])) > high[x] ||
            fmax(tri[x], fmax(tri[3 + x], tri[6 + x])) < low[x])
            return false;
    return true;
}

static void walks_and_distances_are_those_of_loops(void** state) {
    (void)state;
    slab* s = make_slab();
    const check_object* o = &s->object;
    long met = 0;
    for (int i = 0; i < 500; i++) {
        hf_random r = hf_random_start(7, 0, (uint64_t)i);
        double p[3], low[3], high[3], best = INFINITY, near[3], size = hf_random_between(&r, 0, 2);
        for (int x = 0; x < 3; x++) {
            p[x] = hf_random_between(&r, -3, x < 2 ? SIDE + 2 : 4);
            low[x] = p[x] - size, high[x] = p[x] + size;
        }
        int count = 0, walked = 0;
        for (int t = 0; t < o->triangle_count; t++) {
            count += boxes_meet(o->triangles + 9 * t, low, high);
            best = fmin(best, check_point_triangle(p, o->triangles + 9 * t, near));
        }
        check_walk w = check_walk_start(o, i % 2 ? o->pieces : NULL, low, high);
        for (const double* tri; (tri = check_walk_next(&w)); walked++)
            assert_true(boxes_meet(tri, low, high));
        assert_int_equal(walked, count);
        assert_true(check_object_distance(o, p) == best);
        met += count;
    }
    assert_true(met > 1000);
    drop_slab(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insides_are_known),
        cmocka_unit_test(walks_and_distances_are_those_of_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
