/* Convex hulls: quickhull (Barber, Dobkin and Huhdanpaa, The quickhull algorithm for convex hulls, 1996) with
   an exact test of sides. A face is never seen from its own plane, so every face has an area and the faces
   always form one closed surface, whatever lies in one plane or on one line. Points of the result that are no
   corners of the hull are dropped and it is built again. */
#include "geom/hull.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/orientation.h"

#include <limits.h>
#include <string.h>

/* A cloud thinner than this share of its extent is flat; a face lower than FLAT_FACE of it is a line. */
static const double FLAT_CLOUD = 1e-6;
static const double FLAT_FACE = 1e-9;
enum { MAX_ROUNDS = 8, NONE = -1 };

/* Corners, counter-clockwise from outside; the face beyond each edge, that from corner k first; the first of
   the points outside of it that are given to it. */
typedef struct face {
    int v[3], beside[3], outside;
    bool gone;
} face;

typedef struct cloud {
    double* points; /* three each, finite, floats in value */
    int count;
    double extent;
    int first[4]; /* points that span a volume */
    face* faces;  /* of the hull so far; those that are gone too */
    int face_count, face_capacity;
    int* next; /* of each point, the next one outside of the same face */
    int* new;  /* of each point, the new face whose first corner it is */
    int* seen; /* faces that the point being added is outside of */
    int seen_count, seen_capacity;
} cloud;

static hf_vec3 point_of(const cloud* c, int i) {
    const double* p = c->points + 3 * (size_t)i;
    return hf_v3(p[0], p[1], p[2]);
}

/* ---- is there any volume? ---- */

static double line_distance(hf_vec3 p, hf_vec3 a, hf_vec3 unit) {
    hf_vec3 d = hf_sub(p, a);
    return hf_length(hf_sub(d, hf_scale(unit, hf_dot(d, unit))));
}

/* Far pair, far from their line, far from their plane: the last distance says how flat the cloud is. */
static const char* flatness(cloud* c) {
    int* v = c->first;
    double width = 0, height = 0;
    memset(v, 0, sizeof c->first);
    c->extent = 0;
    hf_vec3 a = point_of(c, 0);
    for (int i = 1; i < c->count; i++) {
        double l = hf_distance(point_of(c, i), a);
        if (l > c->extent) c->extent = l, v[1] = i;
    }
    if (!(c->extent > 0)) return "all points are one";
    hf_vec3 along = hf_scale(hf_sub(point_of(c, v[1]), a), 1 / c->extent);
    for (int i = 0; i < c->count; i++) {
        double w = line_distance(point_of(c, i), a, along);
        if (w > width) width = w, v[2] = i;
    }
    if (width <= FLAT_CLOUD * c->extent) return "the points lie on a line";
    hf_vec3 normal = hf_normalize(hf_cross(along, hf_sub(point_of(c, v[2]), a)));
    for (int i = 0; i < c->count; i++) {
        double h = fabs(hf_dot(hf_sub(point_of(c, i), a), normal));
        if (h > height) height = h, v[3] = i;
    }
    return height <= FLAT_CLOUD * c->extent ? "the points lie in a plane" : NULL;
}

static hf_status read_points(const float* points, int count, cloud* c, hf_error* error) {
    if (count < 4) return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL, "a convex hull needs four points");
    if (count > INT_MAX / 4)
        return hf_fail(error, HF_ERROR_LIMIT, NULL, 0, NULL, "too many points for a convex hull");
    c->points = hf_alloc((size_t)count * 3, sizeof *c->points);
    if (!c->points) return hf_fail_memory(error, NULL);
    c->count = count;
    for (size_t i = 0; i < (size_t)count * 3; i++) {
        if (!isfinite(points[i]))
            return hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL, "point %zu is not finite", i / 3);
        c->points[i] = points[i];
    }
    const char* flat = flatness(c);
    return flat ? hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL, "no convex hull: %s", flat) : HF_OK;
}

/* ---- wrapping ---- */

static double side_of(const cloud* c, const face* f, int point) {
    const double* p = c->points;
    return hf_orientation(p + 3 * (size_t)f->v[0], p + 3 * (size_t)f->v[1], p + 3 * (size_t)f->v[2],
                          p + 3 * (size_t)point);
}

/* Gives a point to the first face from `first` on that it is outside of; others are inside and forgotten. */
static void give(cloud* c, int first, int point) {
    int i = first;
    while (i < c->face_count && !(side_of(c, &c->faces[i], point) > 0)) i++;
    if (i < c->face_count) c->next[point] = c->faces[i].outside, c->faces[i].outside = point;
}

/* The tetrahedron of the four points that flatness() found, and all points outside of it. */
static bool begin(cloud* c) {
    static const int corner[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    static const int beside[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int* v = c->first;
    face base = {.v = {v[0], v[1], v[2]}};
    if (side_of(c, &base, v[3]) > 0) v[0] = base.v[1], v[1] = base.v[0];
    c->face_count = 0;
    for (int i = 0; i < 4; i++) {
        if (!HF_GROW(c->faces, c->face_capacity, c->face_count)) return false;
        face f = {.outside = NONE};
        for (int k = 0; k < 3; k++) f.v[k] = v[corner[i][k]], f.beside[k] = beside[i][k];
        c->faces[c->face_count++] = f;
    }
    for (int i = 0; i < c->count; i++) give(c, 0, i);
    return true;
}

static int farthest_outside(const cloud* c, const face* f) {
    int best = f->outside;
    double most = side_of(c, f, best);
    for (int i = c->next[best]; i != NONE; i = c->next[i]) {
        double side = side_of(c, f, i);
        if (side > most) most = side, best = i;
    }
    return best;
}

static bool note_seen(cloud* c, int f) {
    if (!HF_GROW(c->seen, c->seen_capacity, c->seen_count)) return false;
    c->faces[f].gone = true;
    c->seen[c->seen_count++] = f;
    return true;
}

/* Marks the face and all around it that the point is outside of. */
static bool mark_seen(cloud* c, int from, int point) {
    c->seen_count = 0;
    if (!note_seen(c, from)) return false;
    for (int i = 0; i < c->seen_count; i++)
        for (int k = 0; k < 3; k++) {
            int g = c->faces[c->seen[i]].beside[k];
            if (!c->faces[g].gone && side_of(c, &c->faces[g], point) > 0 && !note_seen(c, g)) return false;
        }
    return true;
}

/* A face from the edge `k` of a face that is gone, whose other side stays, to the point. */
static bool add_face(cloud* c, int gone, int k, int point) {
    if (!HF_GROW(c->faces, c->face_capacity, c->face_count)) return false;
    const face* old = &c->faces[gone];
    face f = {{old->v[k], old->v[(k + 1) % 3], point}, {old->beside[k], NONE, NONE}, NONE, false};
    face* stays = &c->faces[f.beside[0]];
    for (int m = 0; m < 3; m++)
        if (stays->v[m] == f.v[1] && stays->beside[m] == gone) stays->beside[m] = c->face_count;
    c->new[f.v[0]] = c->face_count;
    c->faces[c->face_count++] = f;
    return true;
}

/* Replaces what the point is outside of by faces from its rim to the point. */
static bool add_point(cloud* c, int from, int point) {
    int first = c->face_count;
    if (!mark_seen(c, from, point)) return false;
    for (int i = 0; i < c->seen_count; i++)
        for (int k = 0; k < 3; k++) {
            const face* f = &c->faces[c->seen[i]];
            if (!c->faces[f->beside[k]].gone && !add_face(c, c->seen[i], k, point)) return false;
        }
    for (int i = first; i < c->face_count; i++) {
        int after = c->new[c->faces[i].v[1]];
        c->faces[i].beside[1] = after;
        c->faces[after].beside[2] = i;
    }
    for (int i = 0; i < c->seen_count; i++)
        for (int p = c->faces[c->seen[i]].outside, next; p != NONE; p = next) {
            next = c->next[p];
            give(c, first, p);
        }
    return true;
}

/* Adds points until none is outside of a face. */
static hf_status wrap(cloud* c) {
    if (!begin(c)) return HF_ERROR_MEMORY;
    for (int i = 0; i < c->face_count; i++) {
        const face* f = &c->faces[i];
        if (!f->gone && f->outside != NONE && !add_point(c, i, farthest_outside(c, f)))
            return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

/* ---- corners ---- */

/* The point of a line-like face that lies between the other two, -1 for a face with an area. */
static int middle_of_line(const cloud* c, face f) {
    int middle = 0;
    double longest = -1, area = 0;
    for (int k = 0; k < 3; k++) {
        hf_vec3 a = point_of(c, f.v[(k + 1) % 3]), b = point_of(c, f.v[(k + 2) % 3]), p = point_of(c, f.v[k]);
        double length = hf_distance(a, b);
        if (length > longest)
            longest = length, middle = f.v[k], area = hf_length(hf_cross(hf_sub(a, p), hf_sub(b, p)));
    }
    return area > FLAT_FACE * c->extent * longest ? -1 : middle;
}

/* Marks what the next round keeps: corners of the hull, where at least three edges with an angle meet,
   without middles of lines. True when it drops another vertex. */
static bool mark_kept(const cloud* c, int* edges, bool* kept) {
    bool dropped = false;
    memset(edges, 0, (size_t)c->count * sizeof *edges);
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3 && !c->faces[i].gone; k++) {
            const face *f = &c->faces[i], *g = &c->faces[f->beside[k]];
            int apex = g->v[0] + g->v[1] + g->v[2] - f->v[k] - f->v[(k + 1) % 3];
            edges[f->v[k]] += side_of(c, f, apex) != 0;
        }
    for (int i = 0; i < c->count; i++) kept[i] = edges[i] >= 3;
    for (int i = 0; i < c->face_count; i++) {
        const face* f = &c->faces[i];
        int middle = f->gone ? NONE : middle_of_line(c, *f);
        if (middle != NONE) kept[middle] = false;
        for (int k = 0; k < 3 && !f->gone; k++) dropped = dropped || !kept[f->v[k]];
    }
    return dropped;
}

static void keep(cloud* c, const bool* kept) {
    int n = 0;
    for (int i = 0; i < c->count; i++)
        if (kept[i]) memmove(c->points + 3 * (size_t)n++, c->points + 3 * (size_t)i, 3 * sizeof(double));
    c->count = n;
}

static hf_status build(cloud* c, bool* kept) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
        hf_status status = wrap(c);
        if (status != HF_OK || !mark_kept(c, c->next, kept)) return status;
        if (round + 1 == MAX_ROUNDS) return HF_OK;
        keep(c, kept);
        if (c->count < 4 || flatness(c)) return HF_ERROR_FORMAT;
    }
    return HF_OK;
}

static void drop_gone(cloud* c) {
    int n = 0;
    for (int i = 0; i < c->face_count; i++)
        if (!c->faces[i].gone) c->faces[n++] = c->faces[i];
    c->face_count = n;
}

/* The hull's vertices alone, in the order of the points. */
static hf_status write_mesh(cloud* c, hf_mesh* hull) {
    int* index = c->next;
    memset(index, 0, (size_t)c->count * sizeof *index);
    drop_gone(c);
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3; k++) index[c->faces[i].v[k]] = 1;
    for (int i = 0; i < c->count; i++) index[i] = index[i] ? hull->vertex_count++ : -1;
    hull->triangle_count = c->face_count;
    hull->vertices = hf_alloc((size_t)hull->vertex_count * 3, sizeof *hull->vertices);
    hull->indices = hf_alloc((size_t)c->face_count * 3, sizeof *hull->indices);
    if (hull->vertices && hull->indices) {
        for (int i = 0; i < c->count; i++)
            for (int k = 0; k < 3 && index[i] >= 0; k++)
                hull->vertices[3 * (size_t)index[i] + (size_t)k] =
                    (float)c->points[3 * (size_t)i + (size_t)k];
        for (size_t i = 0; i < (size_t)c->face_count * 3; i++)
            hull->indices[i] = (uint32_t)index[c->faces[i / 3].v[i % 3]];
    }
    return hull->vertices && hull->indices ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_hull_build(const float* points, int count, hf_mesh* hull, hf_error* error) {
    *hull = (hf_mesh){0};
    cloud c = {0};
    bool* kept = NULL;
    hf_status status = read_points(points, count, &c, error);
    if (status == HF_OK) {
        kept = hf_alloc((size_t)count, sizeof *kept);
        c.next = hf_alloc((size_t)count, sizeof *c.next);
        c.new = hf_alloc((size_t)count, sizeof *c.new);
        status = kept && c.next && c.new ? build(&c, kept) : HF_ERROR_MEMORY;
        if (status == HF_OK) status = write_mesh(&c, hull);
        if (status == HF_ERROR_MEMORY)
            hf_fail_memory(error, NULL);
        else if (status != HF_OK)
            hf_fail(error, status, NULL, 0, NULL, "no convex hull of %d points could be built", count);
    }
    hf_free(kept);
    hf_free(c.points);
    hf_free(c.faces);
    hf_free(c.next);
    hf_free(c.new);
    hf_free(c.seen);
    if (status != HF_OK) {
        hf_free(hull->vertices);
        hf_free(hull->indices);
        *hull = (hf_mesh){0};
    }
    return status;
}
