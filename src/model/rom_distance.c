/* Distances to the outer boundary of a region, and its deepest point. */
#include "base/random.h"
#include "model/rom.h"
#include <string.h>

/* Nearest point of triangle t to p, by the region p falls in (vertex, edge or face). */
static hf_vec3 nearest_on_triangle(hf_vec3 p, const double* t) {
    hf_vec3 a = hf_v3(t[0], t[1], t[2]), b = hf_v3(t[3], t[4], t[5]), c = hf_v3(t[6], t[7], t[8]);
    hf_vec3 ab = hf_sub(b, a), ac = hf_sub(c, a), ap = hf_sub(p, a);
    double d1 = hf_dot(ab, ap), d2 = hf_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return a;
    hf_vec3 bp = hf_sub(p, b);
    double d3 = hf_dot(ab, bp), d4 = hf_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return b;
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return hf_add(a, hf_scale(ab, d1 / (d1 - d3)));
    hf_vec3 cp = hf_sub(p, c);
    double d5 = hf_dot(ab, cp), d6 = hf_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return c;
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return hf_add(a, hf_scale(ac, d2 / (d2 - d6)));
    double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return hf_add(b, hf_scale(hf_sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6))));
    double sum = va + vb + vc;
    if (!(sum > 0)) return a;
    return hf_add(a, hf_add(hf_scale(ab, vb / sum), hf_scale(ac, vc / sum)));
}

double hf_rom_nearest(const hf_rom_boundary* boundary, const double p[3], double nearest[3]) {
    hf_vec3 x = hf_v3(p[0], p[1], p[2]);
    double best = INFINITY;
    for (int i = 0; i < boundary->triangle_count; i++) {
        hf_vec3 y = nearest_on_triangle(x, boundary->triangles + 9 * (size_t)i);
        hf_vec3 d = hf_sub(y, x);
        double square = hf_dot(d, d);
        if (square >= best) continue;
        best = square;
        if (nearest) memcpy(nearest, (double[3]){y.x, y.y, y.z}, 3 * sizeof *nearest);
    }
    return sqrt(best);
}

bool hf_rom_in_pieces(const hf_rom* rom, const double* values, double tolerance) {
    int d = rom->joint_count;
    for (int piece = 0; piece < rom->piece_count; piece++) {
        const double* row = rom->pieces[piece].planes;
        bool inside = true;
        for (int k = 0; k < rom->pieces[piece].plane_count && inside; k++, row += d + 1) {
            double height = -row[d];
            for (int i = 0; i < d; i++) height += row[i] * values[i];
            inside = height <= tolerance;
        }
        if (inside) return true;
    }
    return false;
}

/* Branch and bound for the deepest point. The distance changes by no more than the way moved, so a cell of
   half diagonal r holds no point deeper than its middle's depth + r, and only triangles within |depth| + 2 r
   of the middle matter in it. */
enum { DEPTH_MAX = 18, CELL_BUDGET = 30000, CLIMB_STEPS = 300 };
static const double depth_tolerance = 1e-4; /* rad, or this share of ten times the depth */
static const double no_end = 16;            /* rad: farther than any bounded region */

typedef struct search {
    const hf_rom* rom;
    hf_rom_boundary* boundary;
    double best;
    int budget;            /* cells, so that no file takes long */
    int* lists[DEPTH_MAX]; /* triangles that matter, one list a level */
    double* distances;
} search;

/* Depth of the cell's middle; fills the next level's list. */
static double cell_depth(search* s, const double* middle, double radius, int level, int count,
                         int* next_count) {
    const int* list = s->lists[level];
    hf_vec3 x = hf_v3(middle[0], middle[1], middle[2]);
    double best = INFINITY;
    for (int i = 0; i < count; i++) {
        hf_vec3 y = nearest_on_triangle(x, s->boundary->triangles + 9 * (size_t)list[i]);
        s->distances[i] = hf_distance(x, y);
        best = fmin(best, s->distances[i]);
    }
    *next_count = 0;
    if (level + 1 < DEPTH_MAX)
        for (int i = 0; i < count; i++)
            if (s->distances[i] <= best + 2 * radius) s->lists[level + 1][(*next_count)++] = list[i];
    return hf_rom_in_pieces(s->rom, middle, 0) ? best : -best;
}

static double depth_at(const hf_rom* rom, const hf_rom_boundary* boundary, const double* x) {
    double distance = hf_rom_nearest(boundary, x, NULL);
    return hf_rom_in_pieces(rom, x, 0) ? distance : -distance;
}

/* Random steps uphill from a point, ever smaller: a good first answer makes the search short. */
static double climb(const search* s, double* x, double size, double depth) {
    for (int step = 0; step < CLIMB_STEPS; step++) {
        hf_random random = hf_random_start(0, 0, (uint64_t)step);
        double y[3] = {0};
        for (int i = 0; i < s->rom->joint_count; i++) y[i] = x[i] + hf_random_between(&random, -size, size);
        double at = depth_at(s->rom, s->boundary, y);
        if (at > depth) {
            depth = at;
            memcpy(x, y, sizeof y);
        } else {
            size *= 0.97;
        }
    }
    return depth;
}

static void keep_best(search* s, const double* x, double depth) {
    if (!(depth > s->best)) return;
    s->best = depth;
    memcpy(s->boundary->centre, x, (size_t)s->rom->joint_count * sizeof *x);
}

static void search_cell(search* s, const double* middle, const double* half, int level, int count) {
    int d = s->rom->joint_count, next_count;
    double radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    double depth = cell_depth(s, middle, radius, level, count, &next_count);
    if (depth > s->best) {
        double x[3] = {middle[0], middle[1], middle[2]};
        keep_best(s, x, climb(s, x, radius, depth));
    }
    double slack = fmax(depth_tolerance, 10 * depth_tolerance * s->best);
    if (depth + radius <= s->best + slack || level + 1 >= DEPTH_MAX || s->budget-- <= 0) return;
    double part[3] = {half[0] / 2, d > 1 ? half[1] / 2 : 0, d > 2 ? half[2] / 2 : 0};
    for (int child = 0; child < 1 << d; child++) {
        double at[3];
        for (int i = 0; i < 3; i++) at[i] = middle[i] + (child >> i & 1 ? part[i] : -part[i]);
        search_cell(s, at, part, level + 1, next_count);
    }
}

double hf_rom_find_centre(const hf_rom* rom, hf_rom_boundary* boundary) {
    search s = {.rom = rom, .boundary = boundary, .best = -INFINITY, .budget = CELL_BUDGET};
    int count = boundary->triangle_count;
    double middle[3] = {0}, half[3] = {0};
    for (int i = 0; i < rom->joint_count; i++) {
        /* The region's own box; along an axis without end, the joint limits. */
        double lower = INFINITY, upper = -INFINITY;
        for (int k = 0; k < 3 * count; k++) {
            lower = fmin(lower, boundary->triangles[3 * (size_t)k + (size_t)i]);
            upper = fmax(upper, boundary->triangles[3 * (size_t)k + (size_t)i]);
        }
        if (!(lower > -no_end)) lower = fmin(upper, boundary->lower[i]);
        if (!(upper < no_end)) upper = fmax(lower, boundary->upper[i]);
        middle[i] = (lower + upper) / 2;
        half[i] = (upper - lower) / 2;
    }
    memcpy(boundary->centre, middle, (size_t)rom->joint_count * sizeof *middle);
    if (!count) return INFINITY;
    bool ok = (s.distances = hf_alloc((size_t)count, sizeof *s.distances)) != NULL;
    for (int i = 0; i < DEPTH_MAX; i++)
        ok = (s.lists[i] = hf_alloc((size_t)count, sizeof(int))) != NULL && ok;
    if (ok) {
        for (int i = 0; i < count; i++) s.lists[0][i] = i;
        search_cell(&s, middle, half, 0, count);
    }
    for (int i = 0; i < DEPTH_MAX; i++) hf_free(s.lists[i]);
    hf_free(s.distances);
    return ok ? s.best : -1;
}
