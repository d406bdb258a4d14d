/* Range of motion against brute force: dense boundary samples, Monte-Carlo areas, chi-square. */
#include "test.h"

#include "base/random.h"
#include "model/rom.h"
#include "model/swing_polygon.h"
#include <jansson.h>
#include <stdlib.h>

/* ---- a creature with one joint group and one region ---- */

enum { PIECES = 16, PLANES = 32 };
typedef struct fixture {
    hf_creature creature;
    hf_link links[8];
    hf_joint joints[6];
    hf_rom rom;
    hf_rom_piece pieces[PIECES];
    double planes[PIECES][PLANES * 7];
    int plane_counts[PIECES];
    int group[6];
    hf_vec3 corners[16];
} fixture;

static fixture* fixture_new(int joint_count) {
    static const double axes[6][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    fixture* f = calloc(1, sizeof *f);
    for (int i = 0; i < joint_count; i++) {
        hf_joint* j = &f->joints[i];
        *j = (hf_joint){
            .name = "j", .type = HF_JOINT_REVOLUTE, .parent_link = i, .child_link = i + 1, .mimic = -1};
        j->origin = hf_transform_identity();
        j->axis = hf_v3(axes[i][0], axes[i][1], axes[i][2]);
        j->lower = -10;
        j->upper = 10;
        j->q_index = i;
        j->q_count = 1;
        f->links[i + 1].parent_link = i;
        f->links[i + 1].joint = i;
        f->group[i] = i;
    }
    f->links[0].parent_link = f->links[0].joint = -1;
    f->rom.joint_count = joint_count;
    f->rom.joints = f->group;
    f->rom.pieces = f->pieces;
    f->rom.zero_swing = hf_v3(0, 0, -1);
    hf_creature_view* v = &f->creature.view;
    v->links = f->links;
    v->link_count = joint_count + 1;
    v->joints = f->joints;
    v->joint_count = v->q_count = joint_count;
    v->roms = &f->rom;
    v->rom_count = 1;
    return f;
}

static void fixture_free(fixture* f) {
    hf_arena_free(&f->creature.arena);
    free(f);
}

static void add_plane(fixture* f, int piece, const double* normal, double b) {
    int d = f->rom.joint_count;
    double length = 0, *row = f->planes[piece] + f->plane_counts[piece]++ * (d + 1);
    for (int i = 0; i < d; i++) length += normal[i] * normal[i];
    length = sqrt(length);
    for (int i = 0; i < d; i++) row[i] = normal[i] / length;
    row[d] = b / length;
    f->pieces[piece].plane_count = f->plane_counts[piece];
    f->pieces[piece].planes = f->planes[piece];
    if (piece >= f->rom.piece_count) f->rom.piece_count = piece + 1;
}

static int add_box(fixture* f, const double* lower, const double* upper) {
    int piece = f->rom.piece_count, d = f->rom.joint_count;
    for (int i = 0; i < d; i++) {
        double n[6] = {0};
        n[i] = 1;
        add_plane(f, piece, n, upper[i]);
        n[i] = -1;
        add_plane(f, piece, n, -lower[i]);
    }
    return piece;
}

static void prepare(fixture* f) { assert_int_equal(hf_rom_prepare(&f->creature, 0, NULL), HF_OK); }

static double uniform(hf_random* r, double a, double b) { return hf_random_between(r, a, b); }

/* ---- oracles ---- */

static bool in_piece(const fixture* f, int piece, const double* x, double slack) {
    int d = f->rom.joint_count;
    for (int k = 0; k < f->plane_counts[piece]; k++) {
        const double* row = f->planes[piece] + k * (d + 1);
        double h = -row[d];
        for (int i = 0; i < d; i++) h += row[i] * x[i];
        if (h > slack) return false;
    }
    return true;
}

static bool in_union(const fixture* f, const double* x) {
    for (int p = 0; p < f->rom.piece_count; p++)
        if (in_piece(f, p, x, 0)) return true;
    return false;
}

/* Many points of the outer boundary: rays from random points of a piece to its skin, where no other piece
 * covers it. */
enum { SKIN = 20000 };
static int skin_points(const fixture* f, double (*skin)[3]) {
    int d = f->rom.joint_count, count = 0;
    for (int n = 0; n < SKIN; n++) {
        hf_random r = hf_random_start(3, 1, (uint64_t)n);
        int piece = n % f->rom.piece_count;
        double x[3] = {0}, way[3] = {0}, room = INFINITY;
        do
            for (int i = 0; i < d; i++) x[i] = uniform(&r, -2, 2);
        while (!in_piece(f, piece, x, 0));
        for (int i = 0; i < d; i++) way[i] = uniform(&r, -1, 1);
        for (int k = 0; k < f->plane_counts[piece]; k++) {
            const double* row = f->planes[piece] + k * (d + 1);
            double height = row[d], speed = 0;
            for (int i = 0; i < d; i++) height -= row[i] * x[i], speed += row[i] * way[i];
            if (speed > 0) room = fmin(room, height / speed);
        }
        for (int i = 0; i < d; i++) x[i] += room * way[i];
        bool covered = false;
        for (int p = 0; p < f->rom.piece_count; p++)
            covered = covered || (p != piece && in_piece(f, p, x, -1e-9));
        if (!covered) memcpy(skin[count++], x, sizeof x);
    }
    return count;
}

static double brute_distance(const fixture* f, double (*skin)[3], int count, const double* x) {
    double best = INFINITY;
    for (int n = 0; n < count; n++) {
        double square = 0;
        for (int i = 0; i < f->rom.joint_count; i++) square += (x[i] - skin[n][i]) * (x[i] - skin[n][i]);
        best = fmin(best, square);
    }
    return in_union(f, x) ? sqrt(best) : -sqrt(best);
}

static void compare_with_brute_force(fixture* f, int points, double range, uint64_t seed) {
    static double skin[SKIN][3];
    int d = f->rom.joint_count, inside = 0, count = skin_points(f, skin);
    for (int n = 0; n < points; n++) {
        hf_random r = hf_random_start(seed, 0, (uint64_t)n);
        double x[6] = {0};
        for (int i = 0; i < d; i++) x[i] = uniform(&r, -range, range);
        double ours = hf_rom_residual(&f->creature, 0, x), brute = brute_distance(f, skin, count, x);
        inside += brute > 0;
        /* The oracle comes from above in size and misses by the spacing of its points. */
        assert_true((ours >= 0) == (brute >= 0));
        assert_true(fabs(ours) <= fabs(brute) + 1e-5);
        assert_near(ours, brute, 0.1);
        assert_int_equal(hf_rom_contains(&f->creature, 0, x, 0), brute >= 0);
        /* The projection is that near, in the region, and stays where it is. */
        double y[6], z[6], distance = 0;
        memcpy(y, x, sizeof y);
        hf_rom_project(&f->creature, 0, y);
        for (int i = 0; i < d; i++) distance += (x[i] - y[i]) * (x[i] - y[i]);
        assert_near(sqrt(distance), ours < 0 ? -ours : 0, 1e-9);
        assert_true(hf_rom_contains(&f->creature, 0, y, 1e-9));
        memcpy(z, y, sizeof z);
        hf_rom_project(&f->creature, 0, z);
        for (int i = 0; i < d; i++) assert_near(y[i], z[i], 1e-8);
    }
    assert_true(inside > points / 20);
}

/* A random polytope around a random point. */
static void add_random_piece(fixture* f, hf_random* r) {
    int piece = f->rom.piece_count, d = f->rom.joint_count;
    double centre[6], lower[6], upper[6];
    for (int i = 0; i < d; i++) {
        centre[i] = uniform(r, -0.8, 0.8);
        lower[i] = centre[i] - 1.2;
        upper[i] = centre[i] + 1.2;
    }
    add_box(f, lower, upper);
    for (int k = 0; k < 6; k++) {
        double n[6], b = 0, length = 0;
        for (int i = 0; i < d; i++) n[i] = uniform(r, -1, 1), length += n[i] * n[i];
        for (int i = 0; i < d; i++) b += n[i] * centre[i];
        add_plane(f, piece, n, b + sqrt(length) * uniform(r, 0.3, 1));
    }
}

/* ---- convex pieces ---- */

static void random_unions(void** state) {
    (void)state;
    for (int d = 1; d <= 3; d++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            fixture* f = fixture_new(d);
            hf_random r = hf_random_start(seed, 77, (uint64_t)d);
            for (uint64_t p = 0; p < 1 + 2 * seed; p++) add_random_piece(f, &r);
            prepare(f);
            compare_with_brute_force(f, 300, 2, 100 + seed);
            fixture_free(f);
        }
}

/* A cube cut into parts, and parts that overlap with faces in one plane, have the cube's residual everywhere.
 */
static void seams_do_not_count(void** state) {
    (void)state;
    fixture *whole = fixture_new(3), *parts = fixture_new(3), *overlapping = fixture_new(3);
    add_box(whole, (double[]){-1, -1, -1}, (double[]){1, 1, 1});
    for (int i = 0; i < 8; i++) {
        double lower[3], upper[3], cut[3] = {0.1, -0.3, 0.25};
        for (int a = 0; a < 3; a++) {
            lower[a] = i >> a & 1 ? cut[a] : -1;
            upper[a] = i >> a & 1 ? 1 : cut[a];
        }
        add_box(parts, lower, upper);
    }
    add_box(overlapping, (double[]){-1, -1, -1}, (double[]){0.5, 1, 1});
    add_box(overlapping, (double[]){-0.5, -1, -1}, (double[]){1, 1, 1});
    add_box(overlapping, (double[]){-1, -1, -1}, (double[]){1, 0.2, 1});
    prepare(whole);
    prepare(parts);
    prepare(overlapping);
    assert_near(whole->rom.max_residual, 1, 2e-4);
    assert_near(parts->rom.max_residual, 1, 2e-4);
    assert_near(overlapping->rom.max_residual, 1, 2e-4);
    for (int n = 0; n < 3000; n++) {
        hf_random r = hf_random_start(5, 0, (uint64_t)n);
        double x[3] = {uniform(&r, -1.5, 1.5), uniform(&r, -1.5, 1.5), uniform(&r, -1.5, 1.5)}, expected = 1;
        for (int a = 0; a < 3; a++) expected = fmin(expected, 1 - fabs(x[a]));
        double ours = hf_rom_residual(&whole->creature, 0, x);
        if (expected >= 0) {
            assert_near(ours, expected, 1e-12);
            assert_near(hf_rom_comfort(&whole->creature, 0, x), expected, 1e-3);
        } else {
            assert_true(ours < 0);
            assert_true(hf_rom_comfort(&whole->creature, 0, x) == 0);
        }
        assert_near(hf_rom_residual(&parts->creature, 0, x), ours, 2e-6);
        assert_near(hf_rom_residual(&overlapping->creature, 0, x), ours, 2e-6);
    }
    fixture_free(whole);
    fixture_free(parts);
    fixture_free(overlapping);
}

/* The largest circle in an L touches the two long sides and the inner corner: r = (1 - r) sqrt 2. */
static void deepest_point(void** state) {
    (void)state;
    for (int d = 2; d <= 3; d++) {
        fixture* f = fixture_new(d);
        add_box(f, (double[]){0, 0, -4}, (double[]){2, 1, 4});
        add_box(f, (double[]){0, 0, -4}, (double[]){1, 2, 4});
        prepare(f);
        double r = sqrt(2) / (1 + sqrt(2));
        assert_near(f->rom.max_residual, r, 2e-4);
        double x[3] = {r, r, 0};
        assert_near(hf_rom_comfort(&f->creature, 0, x), 1, 1e-3);
        assert_near(hf_rom_residual(&f->creature, 0, (double[]){1.5, 0.5, 0}), 0.5, 1e-9);
        fixture_free(f);
    }
}

/* Four joints: exact for one piece, never too large for several. */
static void many_joints(void** state) {
    (void)state;
    fixture* f = fixture_new(5);
    double lower[5] = {-1, -0.5, -1, -2, 0}, upper[5] = {1, 0.5, 1, 0, 0.8};
    add_box(f, lower, upper);
    prepare(f);
    assert_near(f->rom.max_residual, 0.4, 0.01);
    for (int n = 0; n < 300; n++) {
        hf_random r = hf_random_start(9, 0, (uint64_t)n);
        double x[5], y[5], depth = 10, outside = 0;
        for (int i = 0; i < 5; i++) {
            x[i] = y[i] = uniform(&r, lower[i] - 0.2, upper[i] + 0.2);
            depth = fmin(depth, fmin(x[i] - lower[i], upper[i] - x[i]));
            double over = fmax(0, fmax(lower[i] - x[i], x[i] - upper[i]));
            outside += over * over;
        }
        assert_near(hf_rom_residual(&f->creature, 0, x), depth >= 0 ? depth : -sqrt(outside), 1e-9);
        hf_rom_project(&f->creature, 0, y);
        for (int i = 0; i < 5; i++) assert_near(y[i], fmax(lower[i], fmin(upper[i], x[i])), 1e-9);
    }
    fixture_free(f);
}

static void joint_limits_are_kept(void** state) {
    (void)state;
    fixture* f = fixture_new(3);
    add_box(f, (double[]){-1, -1, -1}, (double[]){1, 1, 1});
    double slant[3] = {1, 1, 1};
    add_plane(f, 0, slant, 0.9);
    for (int i = 0; i < 3; i++) f->joints[i].lower = -0.7, f->joints[i].upper = 0.6;
    prepare(f);
    for (int n = 0; n < 500; n++) {
        hf_random r = hf_random_start(11, 0, (uint64_t)n);
        double x[3] = {uniform(&r, -3, 3), uniform(&r, -3, 3), uniform(&r, -3, 3)};
        hf_rom_project(&f->creature, 0, x);
        assert_true(hf_pose_within_rom(&f->creature, x, 1e-6));
        assert_true(hf_rom_sample(&f->creature, 0, 3, (uint64_t)n, 1000, x));
        assert_true(hf_pose_within_rom(&f->creature, x, 0));
        x[1] = 0.65;
        assert_false(hf_pose_within_rom(&f->creature, x, 0.01));
    }
    fixture_free(f);
}

/* Samples of an L shape fall on equal volumes equally often. */
static void samples_are_uniform(void** state) {
    (void)state;
    fixture* f = fixture_new(3);
    add_box(f, (double[]){0, 0, 0}, (double[]){2, 1, 1});
    add_box(f, (double[]){0, 0, 0}, (double[]){1, 2, 1});
    prepare(f);
    enum { CELLS = 24, DRAWS = 24000 };
    int hits[4][4][2] = {0}, used = 0;
    for (int n = 0; n < DRAWS; n++) {
        double x[3], again[3];
        assert_true(hf_rom_sample(&f->creature, 0, 42, (uint64_t)n, 1000, x));
        assert_true(in_union(f, x));
        assert_true(hf_rom_sample(&f->creature, 0, 42, (uint64_t)n, 1000, again));
        assert_memory_equal(x, again, sizeof x);
        hits[(int)(x[0] * 2)][(int)(x[1] * 2)][(int)(x[2] * 2)]++;
    }
    double square = 0, expected = DRAWS / (double)CELLS;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 2; k++) {
                if (i >= 2 && j >= 2) {
                    assert_int_equal(hits[i][j][k], 0);
                    continue;
                }
                used++;
                square += (hits[i][j][k] - expected) * (hits[i][j][k] - expected) / expected;
            }
    assert_int_equal(used, CELLS);
    /* 23 degrees of freedom: mean 23, 99.99 % below 58. */
    assert_true(square < 58);
    /* No luck is said so. */
    double x[3];
    assert_false(hf_rom_sample(&f->creature, 0, 42, 1, 0, x));
    fixture_free(f);
}

static void bad_regions(void** state) {
    (void)state;
    hf_error error;
    fixture* f = fixture_new(3);
    add_box(f, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    double n[3] = {1, 0, 0};
    add_plane(f, 0, n, -1);
    assert_int_equal(hf_rom_prepare(&f->creature, 0, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "empty"));
    fixture_free(f);
    f = fixture_new(2);
    add_box(f, (double[]){0, 0}, (double[]){1, 1});
    f->joints[1].lower = 2, f->joints[1].upper = 3;
    assert_int_equal(hf_rom_prepare(&f->creature, 0, &error), HF_ERROR_FORMAT);
    fixture_free(f);
    /* One half space without end is a region too. */
    f = fixture_new(3);
    add_plane(f, 0, n, 0.5);
    prepare(f);
    assert_near(hf_rom_residual(&f->creature, 0, (double[]){-2, 1, 3}), 2.5, 1e-9);
    fixture_free(f);
}

/* ---- swing polygons ---- */

static hf_vec3 random_direction(hf_random* r) {
    double z = uniform(r, -1, 1), angle = uniform(r, 0, 6.283185307179586), s = sqrt(1 - z * z);
    return hf_v3(s * cos(angle), s * sin(angle), z);
}

/* Area by the sum of the corners' angles (Girard), against the share of random directions inside. */
static void swing_areas(void** state) {
    (void)state;
    const hf_vec3 octant[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    /* A dart: the corner at the pole side is pulled in. */
    hf_vec3 dart[4];
    const double place[4][2] = {{0, 0.9}, {2.2, 0.9}, {3.6, 0.15}, {5.0, 0.9}};
    for (int i = 0; i < 4; i++)
        dart[i] =
            hf_v3(sin(place[i][1]) * cos(place[i][0]), sin(place[i][1]) * sin(place[i][0]), cos(place[i][1]));
    /* A ring of corners south of the equator: the mean is on the axis, so the cap around it is inside. */
    hf_vec3 cap[12];
    for (int i = 0; i < 12; i++)
        cap[i] = hf_v3(0.8 * cos(i * 0.5235987755982988), 0.8 * sin(i * 0.5235987755982988), -0.6);
    const struct {
        const hf_vec3* corners;
        int count;
    } cases[] = {{octant, 3}, {dart, 4}, {cap, 12}};
    for (int c = 0; c < 3; c++) {
        const hf_vec3* v = cases[c].corners;
        int n = cases[c].count, inside = 0, draws = 60000;
        double angles = 0;
        hf_vec3 mean = hf_v3(0, 0, 0);
        for (int i = 0; i < n; i++) mean = hf_add(mean, v[i]);
        for (int i = 0; i < n; i++) {
            /* Interior angle, counter-clockwise polygons, in [0, 2 pi). */
            hf_vec3 p = v[(i + n - 1) % n], q = v[i], s = v[(i + 1) % n];
            hf_vec3 a = hf_normalize(hf_sub(s, hf_scale(q, hf_dot(q, s)))),
                    b = hf_normalize(hf_sub(p, hf_scale(q, hf_dot(q, p))));
            double angle = atan2(hf_dot(q, hf_cross(a, b)), hf_dot(a, b));
            angles += angle < 0 ? angle + 2 * 3.14159265358979 : angle;
        }
        double area = angles - (n - 2) * 3.14159265358979;
        if (c == 2) area = 4 * 3.14159265358979 - area; /* seen from the north it is clockwise */
        for (int i = 0; i < draws; i++) {
            hf_random r = hf_random_start(21, (uint32_t)c, (uint64_t)i);
            inside += hf_swing_inside(v, n, random_direction(&r));
        }
        double share = area / (4 * 3.14159265358979);
        assert_true(hf_swing_inside(v, n, hf_normalize(mean)));
        assert_near(inside / (double)draws, share, 4 * sqrt(share * (1 - share) / draws));
    }
    assert_near(hf_swing_inradius(octant, 3), asin(1 / sqrt(3)), 2e-4);
    assert_near(hf_swing_inradius(cap, 12), asin(0.8) - 0.02, 0.02);
}

static void swing_distances(void** state) {
    (void)state;
    hf_vec3 v[5];
    for (int i = 0; i < 5; i++) {
        hf_random r = hf_random_start(31, 0, (uint64_t)i);
        double angle = i * 1.2566 + uniform(&r, 0, 0.6), wide = uniform(&r, 0.4, 1.4);
        v[i] = hf_v3(cos(wide), sin(wide) * cos(angle), sin(wide) * sin(angle));
    }
    for (int n = 0; n < 400; n++) {
        hf_random r = hf_random_start(32, 0, (uint64_t)n);
        hf_vec3 x = random_direction(&r), nearest;
        double ours = hf_swing_edge_distance(v, 5, x, &nearest), best = 10;
        for (int i = 0; i < 5; i++)
            for (int k = 0; k <= 400; k++) {
                hf_vec3 p = hf_normalize(hf_lerp(v[i], v[(i + 1) % 5], k / 400.0));
                best = fmin(best, atan2(hf_length(hf_cross(p, x)), hf_dot(p, x)));
            }
        assert_near(ours, best, 3e-3);
        assert_true(ours <= best + 1e-12);
        assert_near(atan2(hf_length(hf_cross(nearest, x)), hf_dot(nearest, x)), ours, 1e-9);
    }
}

/* A swing group of three joints: membership by hand, projection to the edge, comfort. */
static void swing_regions(void** state) {
    (void)state;
    fixture* f = fixture_new(3);
    const hf_vec3 corners[4] = {{0.7, 0.6, -0.4}, {-0.5, 0.7, -0.6}, {-0.5, -0.4, -0.8}, {0.8, -0.5, -0.5}};
    for (int i = 0; i < 4; i++) f->corners[i] = hf_normalize(corners[i]);
    f->rom.corners = f->corners;
    f->rom.corner_count = 4;
    f->rom.twist[0] = -0.6;
    f->rom.twist[1] = 0.9;
    for (int i = 0; i < 3; i++) f->joints[i].lower = -1.4, f->joints[i].upper = 1.4;
    prepare(f);
    int inside_count = 0, reached = 0, outside_count = 0;
    for (int n = 0; n < 600; n++) {
        hf_random r = hf_random_start(41, 0, (uint64_t)n);
        double q[3] = {uniform(&r, -1.3, 1.3), uniform(&r, -1.3, 1.3), uniform(&r, -1.3, 1.3)};
        /* Swing and twist by rotating vectors: the bone, and a mark beside it carried by the shortest turn.
         */
        hf_quat turn = hf_quat_mul(
            hf_quat_mul(hf_quat_axis_angle(hf_v3(0, -1, 0), q[0]), hf_quat_axis_angle(hf_v3(1, 0, 0), q[1])),
            hf_quat_axis_angle(hf_v3(0, 0, -1), q[2]));
        hf_vec3 bone = hf_rotate(turn, hf_v3(0, 0, -1)), mark = hf_rotate(turn, hf_v3(1, 0, 0));
        hf_vec3 carried = hf_rotate(hf_quat_between(hf_v3(0, 0, -1), bone), hf_v3(1, 0, 0));
        double twist = atan2(hf_dot(hf_cross(carried, mark), bone), hf_dot(carried, mark));
        bool in = hf_swing_inside(f->corners, 4, bone) && twist >= -0.6 && twist <= 0.9;
        assert_int_equal(hf_rom_contains(&f->creature, 0, q, 0), in);
        double residual = hf_rom_residual(&f->creature, 0, q), y[3];
        assert_true((residual >= 0) == in);
        memcpy(y, q, sizeof y);
        hf_rom_project(&f->creature, 0, y);
        assert_true(hf_rom_contains(&f->creature, 0, y, 1e-7));
        assert_true(hf_pose_within_rom(&f->creature, y, 1e-7));
        if (in) {
            inside_count++;
            assert_memory_equal(y, q, sizeof y);
            assert_true(hf_rom_comfort(&f->creature, 0, q) <= 1);
        } else {
            /* On the boundary, where no limit of a joint pulled it further. */
            outside_count++;
            reached += fabs(hf_rom_residual(&f->creature, 0, y)) < 1e-6;
        }
    }
    assert_true(inside_count > 30);
    assert_true(reached > 0.9 * outside_count);
    assert_true(f->rom.max_residual > 0.3 && f->rom.max_residual <= 0.75);
    double q[3];
    assert_true(hf_rom_sample(&f->creature, 0, 1, 1, 10000, q));
    assert_true(hf_rom_contains(&f->creature, 0, q, 0));
    fixture_free(f);
}

/* ---- learning ---- */

/* A bent tube: round an arc of 200 degrees, thickness 0.4. Its convex hull would hold the empty middle. */
static bool in_tube(const double* x) {
    double angle = atan2(x[1], x[0]), around = sqrt(x[0] * x[0] + x[1] * x[1]) - 1;
    return fabs(angle) < 1.75 && sqrt(around * around + x[2] * x[2]) < 0.4;
}

static void read_region(fixture* f, const char* path) {
    json_error_t why;
    json_t *file = json_load_file(path, 0, &why), *piece, *row;
    assert_non_null(file);
    assert_int_equal(json_array_size(json_object_get(file, "joints")), 3);
    assert_string_equal(json_string_value(json_array_get(json_object_get(file, "joints"), 1)), "two \"2\"");
    json_t* pieces = json_object_get(file, "pieces");
    size_t i, k;
    assert_in_range(json_array_size(pieces), 1, HF_MAX_ROM_PIECES);
    f->rom.pieces = hf_arena_alloc(&f->creature.arena, json_array_size(pieces), sizeof(hf_rom_piece));
    f->rom.piece_count = (int)json_array_size(pieces);
    json_array_foreach(pieces, i, piece) {
        json_t *a = json_object_get(piece, "A"), *b = json_object_get(piece, "b");
        assert_int_equal(json_array_size(a), json_array_size(b));
        double* planes = hf_arena_alloc(&f->creature.arena, 4 * json_array_size(a), sizeof *planes);
        json_array_foreach(a, k, row) {
            for (size_t n = 0; n < 3; n++) planes[4 * k + n] = json_number_value(json_array_get(row, n));
            planes[4 * k + 3] = json_number_value(json_array_get(b, k));
        }
        ((hf_rom_piece*)f->rom.pieces)[i] = (hf_rom_piece){(int)json_array_size(a), planes};
    }
    json_decref(file);
}

static void learned_region(void** state) {
    (void)state;
    enum { COUNT = 600 };
    static double cloud[COUNT][3];
    char path[1200], again[1200];
    snprintf(path, sizeof path, "%s/tube.rom.json", test_folder());
    snprintf(again, sizeof again, "%s/tube-again.rom.json", test_folder());
    hf_random r = hf_random_start(51, 0, 0);
    for (int n = 0; n < COUNT;) {
        for (int i = 0; i < 3; i++) cloud[n][i] = uniform(&r, -1.5, 1.5);
        n += in_tube(cloud[n]);
    }
    const char* names[3] = {"one", "two \"2\"", "three"};
    assert_int_equal(hf_rom_learn(cloud[0], COUNT, 0.4, names, path, NULL), HF_OK);
    fixture* f = fixture_new(3);
    read_region(f, path);
    prepare(f);
    /* Every point of the cloud is in it, but for the one or two that no tetrahedron holds. */
    int lost = 0;
    for (int n = 0; n < COUNT; n++) lost += !hf_rom_contains(&f->creature, 0, cloud[n], 1e-6);
    assert_true(lost <= COUNT / 200);
    int truth = 0, missed = 0, wrong = 0;
    for (int n = 0; n < 40000; n++) {
        hf_random s = hf_random_start(52, 0, (uint64_t)n);
        double x[3] = {uniform(&s, -1.5, 1.5), uniform(&s, -1.5, 1.5), uniform(&s, -0.6, 0.6)};
        bool in = in_tube(x), ours = hf_rom_contains(&f->creature, 0, x, 0);
        truth += in;
        missed += in && !ours;
        wrong += !in && ours;
        assert_true((hf_rom_residual(&f->creature, 0, x) >= 0) == ours);
    }
    /* The hull of the tube would be wrong by more than its own volume. */
    assert_true(missed < 0.15 * truth);
    assert_true(wrong < 0.12 * truth);
    /* Seams between pieces are no boundary: the deepest point is as deep as the tube is thick. */
    assert_true(f->rom.max_residual > 0.3 && f->rom.max_residual < 0.48);
    fixture_free(f);
    /* The same cloud gives the same file. */
    assert_int_equal(hf_rom_learn(cloud[0], COUNT, 0.4, names, again, NULL), HF_OK);
    FILE *one = fopen(path, "r"), *two = fopen(again, "r");
    int byte;
    do {
        byte = fgetc(one);
        assert_int_equal(byte, fgetc(two));
    } while (byte != EOF);
    fclose(one);
    fclose(two);
}

static void bad_clouds(void** state) {
    (void)state;
    char path[1200], nowhere[1200];
    snprintf(path, sizeof path, "%s/bad.rom.json", test_folder());
    snprintf(nowhere, sizeof nowhere, "%s/no/such/folder/bad.rom.json", test_folder());
    remove(path);
    const char* names[3] = {"a", "b", "c"};
    double flat[30], corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    hf_error error;
    for (int i = 0; i < 10; i++) flat[3 * i] = i, flat[3 * i + 1] = i * i, flat[3 * i + 2] = 1;
    assert_int_equal(hf_rom_learn(flat, 10, 100, names, path, &error), HF_ERROR_FORMAT);
    assert_int_equal(hf_rom_learn(corners, 3, 1, names, path, &error), HF_ERROR_ARGUMENT);
    assert_int_equal(hf_rom_learn(corners, 4, 0.1, names, path, &error), HF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "alpha"));
    assert_int_equal(hf_rom_learn(corners, 4, NAN, names, path, &error), HF_ERROR_ARGUMENT);
    double same[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(hf_rom_learn(same, 4, 1, names, path, &error), HF_ERROR_FORMAT);
    assert_int_equal(hf_rom_learn(corners, 4, 1, names, nowhere, &error), HF_ERROR_FILE);
    corners[4] = INFINITY;
    assert_int_equal(hf_rom_learn(corners, 4, 1, names, path, &error), HF_ERROR_ARGUMENT);
    struct stat info;
    assert_int_not_equal(stat(path, &info), 0);
    corners[4] = 0;
    assert_int_equal(hf_rom_learn(corners, 4, 1, names, path, &error), HF_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_unions),         cmocka_unit_test(seams_do_not_count),
        cmocka_unit_test(deepest_point),         cmocka_unit_test(many_joints),
        cmocka_unit_test(joint_limits_are_kept), cmocka_unit_test(samples_are_uniform),
        cmocka_unit_test(bad_regions),           cmocka_unit_test(swing_areas),
        cmocka_unit_test(swing_distances),       cmocka_unit_test(swing_regions),
        cmocka_unit_test(learned_region),        cmocka_unit_test(bad_clouds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
