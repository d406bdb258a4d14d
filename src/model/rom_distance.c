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

/* ---- tree ---- */

enum { LEAF = 4 };

typedef struct sorter {
    double* triangles;
    hf_rom_node* nodes;
    int count;
} sorter;

static void swap_triangles(double* a, double* b) {
    double t[9];
    memcpy(t, a, sizeof t);
    memcpy(a, b, sizeof t);
    memcpy(b, t, sizeof t);
}

static double middle_along(const double* t, int axis) { return t[axis] + t[3 + axis] + t[6 + axis]; }

/* Orders triangles so that those of the lower half along an axis come first (quickselect). */
static void select_half(double* t, int count, int axis) {
    int low = 0, high = count - 1, half = count / 2;
    while (low < high) {
        double pivot = middle_along(t + 9 * (size_t)((low + high) / 2), axis);
        int i = low, j = high;
        while (i <= j) {
            while (middle_along(t + 9 * (size_t)i, axis) < pivot) i++;
            while (middle_along(t + 9 * (size_t)j, axis) > pivot) j--;
            if (i <= j) swap_triangles(t + 9 * (size_t)i++, t + 9 * (size_t)j--);
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

static void build_node(sorter* s, int first, int count) {
    hf_rom_node* node = &s->nodes[s->count++];
    const double* t = s->triangles + 9 * (size_t)first;
    for (int a = 0; a < 3; a++) {
        node->lower[a] = INFINITY;
        node->upper[a] = -INFINITY;
        for (int i = 0; i < 3 * count; i++) {
            node->lower[a] = fmin(node->lower[a], t[3 * (size_t)i + (size_t)a]);
            node->upper[a] = fmax(node->upper[a], t[3 * (size_t)i + (size_t)a]);
        }
    }
    node->first = first;
    if (count <= LEAF) {
        node->count = count;
        return;
    }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (node->upper[a] - node->lower[a] > node->upper[axis] - node->lower[axis]) axis = a;
    select_half(s->triangles + 9 * (size_t)first, count, axis);
    build_node(s, first, count / 2);
    node->second = s->count;
    build_node(s, first + count / 2, count - count / 2);
}

bool hf_rom_build_tree(hf_arena* arena, hf_rom_boundary* boundary) {
    if (boundary->triangle_count == 0) return true;
    sorter s = {.triangles = (double*)boundary->triangles};
    s.nodes = hf_arena_alloc(arena, 2 * (size_t)boundary->triangle_count, sizeof *s.nodes);
    if (!s.nodes) return false;
    build_node(&s, 0, boundary->triangle_count);
    boundary->nodes = s.nodes;
    boundary->node_count = s.count;
    return true;
}

static double box_square(const hf_rom_node* node, const double p[3]) {
    double square = 0;
    for (int a = 0; a < 3; a++) {
        // without branches: at most one of the two is above 0
        double below = node->lower[a] - p[a], above = p[a] - node->upper[a];
        double d = below > above ? below : above;
        d = d > 0 ? d : 0;
        square += d * d;
    }
    return square;
}

/* Square of the distance; the search ends early once it is not above `enough`. A triangle that may be the
   nearest (-1: none) is tried first, and the nearest written there. */
static double nearest_square(const hf_rom_boundary* boundary, const double p[3], double enough, int* likely,
                             double nearest[3]) {
    hf_vec3 x = hf_v3(p[0], p[1], p[2]), at = x;
    double best = INFINITY;
    int which = likely ? *likely : -1;
    if (which >= 0 && which < boundary->triangle_count) {
        at = nearest_on_triangle(x, boundary->triangles + 9 * (size_t)which);
        best = hf_dot(hf_sub(at, x), hf_sub(at, x));
    }
    struct {
        int node;
        double square;
    } stack[64];
    int depth = 0;
    if (boundary->node_count) stack[depth].node = 0, stack[depth++].square = 0;
    while (depth && best > enough) {
        if (stack[--depth].square >= best) continue;
        const hf_rom_node* node = &boundary->nodes[stack[depth].node];
        for (int i = 0; i < node->count; i++) {
            hf_vec3 y = nearest_on_triangle(x, boundary->triangles + 9 * (size_t)(node->first + i));
            hf_vec3 d = hf_sub(y, x);
            if (hf_dot(d, d) >= best) continue;
            best = hf_dot(d, d);
            at = y;
            which = node->first + i;
        }
        if (node->count) continue;
        /* The nearer child first. */
        int one = (int)(node - boundary->nodes) + 1, two = node->second;
        double way_one = box_square(&boundary->nodes[one], p), way_two = box_square(&boundary->nodes[two], p);
        bool swap = way_one > way_two;
        double far = swap ? way_one : way_two, near = swap ? way_two : way_one;
        if (far < best) stack[depth].node = swap ? one : two, stack[depth++].square = far;
        if (near < best) stack[depth].node = swap ? two : one, stack[depth++].square = near;
    }
    if (likely) *likely = which;
    if (nearest) memcpy(nearest, (double[3]){at.x, at.y, at.z}, 3 * sizeof *nearest);
    return best;
}

double hf_rom_nearest(const hf_rom_boundary* boundary, const double p[3], double nearest[3]) {
    return sqrt(nearest_square(boundary, p, -1, NULL, nearest));
}

double hf_rom_nearest_likely(const hf_rom_boundary* boundary, const double p[3], int* likely,
                             double nearest[3]) {
    return sqrt(nearest_square(boundary, p, -1, likely, nearest));
}

/* Inlined with a constant `d` where most regions are, so that the inner loop unrolls. */
static inline __attribute__((always_inline)) bool under_planes(const hf_rom_piece* piece, int d,
                                                               const double* values, double tolerance) {
    const double* row = piece->planes;
    for (int k = 0; k < piece->plane_count; k++, row += d + 1) {
        double height = -row[d];
        for (int i = 0; i < d; i++) height += row[i] * values[i];
        if (!(height <= tolerance)) return false;
    }
    return true;
}

static bool in_piece(const hf_rom_piece* piece, int d, const double* values, double tolerance) {
    return d == 3 ? under_planes(piece, 3, values, tolerance) : under_planes(piece, d, values, tolerance);
}

bool hf_rom_in_pieces(const hf_rom* rom, const double* values, double tolerance) {
    int likely = 0;
    return hf_rom_in_pieces_likely(rom, values, tolerance, &likely);
}

bool hf_rom_in_pieces_likely(const hf_rom* rom, const double* values, double tolerance, int* likely) {
    int d = rom->joint_count, first = *likely;
    if (first < rom->piece_count && in_piece(&rom->pieces[first], d, values, tolerance)) return true;
    for (int piece = 0; piece < rom->piece_count; piece++) {
        if (piece == first || !in_piece(&rom->pieces[piece], d, values, tolerance)) continue;
        *likely = piece;
        return true;
    }
    return false;
}

/* ---- deepest point ---- */

/* Branch and bound. The depth changes by no more than the way moved, so a cell of half diagonal r holds no
   point deeper than its middle's depth + r. */
enum { CELL_BUDGET = 30000, CLIMB_STEPS = 300 };
static const double least_gain =
    0.02;                        /* the search ends where no cell can be deeper by more than this share */
static const double no_end = 16; /* rad: farther than any bounded region */

typedef struct search {
    const hf_rom* rom;
    hf_rom_boundary* boundary;
    double best;
    int budget; /* cells, so that no file takes long */
} search;

/* Exact where it is above `least`, else some number that is not. */
static double depth_at(const search* s, const double* x, double least) {
    bool inside = hf_rom_in_pieces(s->rom, x, 0);
    if (!inside && least >= 0) return -INFINITY;
    double distance =
        sqrt(nearest_square(s->boundary, x, inside && least > 0 ? least * least : -1, NULL, NULL));
    return inside ? distance : -distance;
}

/* Random steps uphill from a point, ever smaller: exact where the search is coarse, and it makes the search
 * short. */
static double climb(const search* s, double* x, double size, double depth) {
    for (int step = 0; step < CLIMB_STEPS; step++) {
        hf_random random = hf_random_start(0, 0, (uint64_t)step);
        double y[3] = {0};
        for (int i = 0; i < s->rom->joint_count; i++) y[i] = x[i] + hf_random_between(&random, -size, size);
        double there = depth_at(s, y, depth);
        if (there > depth) {
            depth = there;
            memcpy(x, y, sizeof y);
        } else {
            size *= 0.97;
        }
    }
    return depth;
}

static void search_cell(search* s, const double* middle, const double* half) {
    int d = s->rom->joint_count;
    double radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    /* No deeper than this, a cell is neither the best nor worth a closer look. */
    double enough = s->best + fmax(1e-4, least_gain * s->best) - radius;
    double depth = depth_at(s, middle, fmin(enough, s->best));
    if (depth > s->best) {
        double x[3] = {middle[0], middle[1], middle[2]};
        s->best = climb(s, x, radius, depth);
        memcpy(s->boundary->centre, x, (size_t)d * sizeof *x);
    }
    if (depth + radius <= s->best + fmax(1e-4, least_gain * s->best) || s->budget-- <= 0) return;
    double part[3] = {half[0] / 2, d > 1 ? half[1] / 2 : 0, d > 2 ? half[2] / 2 : 0};
    for (int child = 0; child < 1 << d; child++) {
        double at[3];
        for (int i = 0; i < 3; i++) at[i] = middle[i] + (child >> i & 1 ? part[i] : -part[i]);
        search_cell(s, at, part);
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
    search_cell(&s, middle, half);
    return s.best;
}
