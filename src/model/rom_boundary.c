/* The outer boundary of a union of convex pieces, in up to three dimensions.

   Each facet of each piece is a convex polygon. What other pieces cover is cut away: a point x of a facet
   with normal n is inside the union when another piece holds x + e n. What is left is the boundary, exactly
   but for e. Groups of one or two joints are treated as prisms along the missing axes, whose caps are no
   facets. */
#include "base/error.h"
#include "model/rom.h"
#include <string.h>

/* Farther than any joint turns: polygons of unbounded pieces end here. */
static const double far_rad = 64;
/* A facet is looked at this far outside, other pieces made thicker by the second number: more than the
   rounding of numbers in files, less than anyone sees. */
static const double outside_rad = 1e-6, cover_rad = 2e-7;
/* Slivers below this area cannot be told from rounding. */
static const double least_area = 1e-13;
/* Plane-against-polygon tests for one region, about a second of work. */
enum { WORK_LIMIT = 20000000, POLYGON_MAX = HF_MAX_ROM_PLANES + 8 };

typedef struct polygon {
    int count;
    hf_vec3 v[POLYGON_MAX];
} polygon;

typedef struct builder {
    const hf_rom* rom;
    int work;
    double* triangles; /* nine numbers each */
    int count, capacity;
    polygon* stack; /* fragments of the facet at hand that are still to be cut */
    int* stack_piece;
    int stack_count, stack_capacity, piece_capacity;
    double (*box)[6]; /* of each piece: lower then upper corner */
} builder;

/* Plane k of a piece in three dimensions: normal, and b. */
static hf_vec3 plane_normal(const hf_rom* rom, int piece, int k, double* b) {
    int d = rom->joint_count;
    const double* row = rom->pieces[piece].planes + (size_t)k * (size_t)(d + 1);
    *b = row[d];
    return hf_v3(row[0], d > 1 ? row[1] : 0, d > 2 ? row[2] : 0);
}

/* Only the corners in use: most polygons have a handful, and room for many. */
static void copy_polygon(polygon* to, const polygon* from) {
    to->count = from->count;
    memcpy(to->v, from->v, (size_t)from->count * sizeof *to->v);
}

/* The part of in where n x <= b into `inside`, the rest into `outside`; either may be NULL. */
static void split(const polygon* in, hf_vec3 n, double b, polygon* inside, polygon* outside) {
    polygon none_in, none_out;
    if (!inside) inside = &none_in;
    if (!outside) outside = &none_out;
    inside->count = outside->count = 0;
    for (int i = 0; i < in->count; i++) {
        hf_vec3 p = in->v[i], q = in->v[(i + 1) % in->count];
        double hp = hf_dot(n, p) - b, hq = hf_dot(n, q) - b;
        if (hp <= 0 && inside->count < POLYGON_MAX) inside->v[inside->count++] = p;
        if (hp >= 0 && outside->count < POLYGON_MAX) outside->v[outside->count++] = p;
        if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) {
            hf_vec3 cut = hf_lerp(p, q, hp / (hp - hq));
            if (inside->count < POLYGON_MAX) inside->v[inside->count++] = cut;
            if (outside->count < POLYGON_MAX) outside->v[outside->count++] = cut;
        }
    }
}

static double area(const polygon* p) {
    hf_vec3 sum = hf_v3(0, 0, 0);
    for (int i = 2; i < p->count; i++)
        sum = hf_add(sum, hf_cross(hf_sub(p->v[i - 1], p->v[0]), hf_sub(p->v[i], p->v[0])));
    return hf_length(sum) / 2;
}

/* Facet k of a piece: a large square in its plane, cut by all other planes. */
static void facet(builder* b, int piece, int k, polygon* a) {
    double offset;
    hf_vec3 n = plane_normal(b->rom, piece, k, &offset);
    hf_vec3 u = hf_normalize(fabs(n.x) < 0.6 ? hf_cross(n, hf_v3(1, 0, 0)) : hf_cross(n, hf_v3(0, 1, 0)));
    hf_vec3 w = hf_cross(n, u), o = hf_scale(n, offset);
    polygon kept;
    a->count = 4;
    for (int i = 0; i < 4; i++) {
        double su = i == 0 || i == 3 ? -far_rad : far_rad, sw = i < 2 ? -far_rad : far_rad;
        a->v[i] = hf_add(o, hf_add(hf_scale(u, su), hf_scale(w, sw)));
    }
    for (int j = 0; j < b->rom->pieces[piece].plane_count && a->count; j++) {
        double limit;
        hf_vec3 m = plane_normal(b->rom, piece, j, &limit);
        b->work++;
        if (j == k) continue;
        /* The same plane twice is one facet. */
        if (hf_dot(m, n) > 1 - 1e-12 && fabs(limit - offset) < 1e-12) {
            if (j < k) a->count = 0;
            continue;
        }
        split(a, m, limit, &kept, NULL);
        copy_polygon(a, &kept);
    }
}

static bool push(builder* b, const polygon* p, int next_piece) {
    if (p->count < 3 || area(p) < least_area) return true;
    if (!HF_GROW(b->stack, b->stack_capacity, b->stack_count)) return false;
    if (!HF_GROW(b->stack_piece, b->piece_capacity, b->stack_count)) return false;
    copy_polygon(&b->stack[b->stack_count], p);
    b->stack_piece[b->stack_count++] = next_piece;
    return true;
}

static bool emit(builder* b, const polygon* p) {
    for (int i = 2; i < p->count; i++) {
        if (b->count == b->capacity) {
            int capacity = b->capacity ? 2 * b->capacity : 64;
            double* more = hf_resize(b->triangles, 9 * (size_t)capacity, sizeof *more);
            if (!more) return false;
            b->triangles = more;
            b->capacity = capacity;
        }
        double* t = b->triangles + 9 * (size_t)b->count++;
        const hf_vec3 corner[3] = {p->v[0], p->v[i - 1], p->v[i]};
        for (int c = 0; c < 3; c++) {
            t[3 * c] = corner[c].x;
            t[3 * c + 1] = corner[c].y;
            t[3 * c + 2] = corner[c].z;
        }
    }
    return true;
}

/* Could the piece reach the polygon at all? By the piece's box, then by one plane that has all of it outside.
 */
static bool may_cover(builder* b, int piece, const polygon* p, hf_vec3 n) {
    const double* box = b->box[piece];
    for (int axis = 0; axis < 3; axis++) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < p->count; i++) {
            double x = axis == 0 ? p->v[i].x : axis == 1 ? p->v[i].y : p->v[i].z;
            lower = fmin(lower, x);
            upper = fmax(upper, x);
        }
        if (upper < box[axis] - 1e-5 || lower > box[3 + axis] + 1e-5) return false;
    }
    for (int k = 0; k < b->rom->pieces[piece].plane_count; k++) {
        double limit;
        hf_vec3 m = plane_normal(b->rom, piece, k, &limit);
        limit += cover_rad - outside_rad * hf_dot(m, n);
        bool all_outside = true;
        for (int i = 0; i < p->count && all_outside; i++) all_outside = hf_dot(m, p->v[i]) >= limit;
        b->work++;
        if (all_outside) return false;
    }
    return true;
}

/* The planes of a piece as they cut a facet with normal n. */
static hf_vec3 covering_plane(const builder* b, int piece, int k, hf_vec3 n, double* limit) {
    hf_vec3 m = plane_normal(b->rom, piece, k, limit);
    *limit += cover_rad - outside_rad * hf_dot(m, n);
    return m;
}

/* Cuts the parts of p that a piece covers; what stays goes back on the stack for the next piece. */
static bool subtract(builder* b, int piece, const polygon* p, hf_vec3 n) {
    if (!may_cover(b, piece, p, n)) return push(b, p, piece + 1);
    /* The covered part alone first: where it is nothing, p stays whole. */
    int planes = b->rom->pieces[piece].plane_count;
    polygon rest, covered, inside, outside;
    double limit;
    copy_polygon(&rest, p);
    for (int k = 0; k < planes && rest.count >= 3; k++) {
        hf_vec3 m = covering_plane(b, piece, k, n, &limit);
        split(&rest, m, limit, &inside, NULL);
        copy_polygon(&rest, &inside);
        b->work++;
    }
    if (rest.count < 3 || area(&rest) < least_area) return push(b, p, piece + 1);
    copy_polygon(&covered, &rest);
    copy_polygon(&rest, p);
    for (int k = 0; k < planes && rest.count >= 3; k++) {
        hf_vec3 m = covering_plane(b, piece, k, n, &limit);
        /* Only planes that bound the covered part need to cut. */
        bool bounds = false;
        for (int i = 0; i < covered.count && !bounds; i++) bounds = hf_dot(m, covered.v[i]) > limit - 1e-9;
        if (!bounds) continue;
        split(&rest, m, limit, &inside, &outside);
        b->work++;
        if (!push(b, &outside, piece + 1)) return false;
        copy_polygon(&rest, &inside);
    }
    return true;
}

static void grow_box(double* box, const polygon* p) {
    for (int i = 0; i < p->count; i++) {
        const double x[3] = {p->v[i].x, p->v[i].y, p->v[i].z};
        for (int a = 0; a < 3; a++) {
            box[a] = fmin(box[a], x[a]);
            box[3 + a] = fmax(box[3 + a], x[a]);
        }
    }
}

/* Boxes of all pieces from their facets; a piece without facets is empty, or everything when it has no
 * planes. */
static hf_status piece_boxes(builder* b, hf_error* error) {
    for (int piece = 0; piece < b->rom->piece_count; piece++) {
        double* box = b->box[piece];
        int facets = 0, planes = b->rom->pieces[piece].plane_count;
        for (int a = 0; a < 3; a++) {
            box[a] = planes ? INFINITY : -far_rad;
            box[3 + a] = planes ? -INFINITY : far_rad;
        }
        for (int k = 0; k < planes; k++) {
            polygon p;
            facet(b, piece, k, &p);
            if (p.count < 3 || area(&p) < least_area) continue;
            facets++;
            grow_box(box, &p);
        }
        if (planes && !facets)
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL, "piece %d of the region is empty", piece);
    }
    return HF_OK;
}

static hf_status outer_facets(builder* b, hf_error* error) {
    for (int piece = 0; piece < b->rom->piece_count; piece++)
        for (int k = 0; k < b->rom->pieces[piece].plane_count; k++) {
            polygon p;
            double offset;
            hf_vec3 n = plane_normal(b->rom, piece, k, &offset);
            facet(b, piece, k, &p);
            b->stack_count = 0;
            if (!push(b, &p, 0)) return hf_fail_memory(error, NULL);
            while (b->stack_count) {
                copy_polygon(&p, &b->stack[--b->stack_count]);
                int next = b->stack_piece[b->stack_count];
                if (next == piece) next++;
                bool done = next >= b->rom->piece_count;
                if (!(done ? emit(b, &p) : subtract(b, next, &p, n))) return hf_fail_memory(error, NULL);
                if (b->work > WORK_LIMIT)
                    return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL,
                                   "the region's pieces overlap in too complicated a way");
            }
        }
    return HF_OK;
}

hf_status hf_rom_find_boundary(hf_arena* arena, const hf_rom* rom, hf_rom_boundary* boundary,
                               hf_error* error) {
    builder b = {.rom = rom};
    b.box = hf_alloc((size_t)rom->piece_count, sizeof *b.box);
    hf_status status = b.box ? piece_boxes(&b, error) : hf_fail_memory(error, NULL);
    if (status == HF_OK) status = outer_facets(&b, error);
    if (status == HF_OK) {
        for (int i = 0; i < rom->joint_count; i++) {
            double lower = INFINITY, upper = -INFINITY;
            for (int piece = 0; piece < rom->piece_count; piece++) {
                lower = fmin(lower, b.box[piece][i]);
                upper = fmax(upper, b.box[piece][3 + i]);
            }
            boundary->lower[i] = fmax(lower, boundary->lower[i]);
            boundary->upper[i] = fmin(upper, boundary->upper[i]);
        }
        boundary->triangle_count = b.count;
        boundary->triangles = hf_arena_copy(arena, b.triangles, 9 * (size_t)b.count, sizeof(double));
        if (!boundary->triangles || !hf_rom_build_tree(arena, boundary)) status = hf_fail_memory(error, NULL);
    }
    hf_free(b.box);
    hf_free(b.triangles);
    hf_free(b.stack);
    hf_free(b.stack_piece);
    return status;
}
