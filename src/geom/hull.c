/* Convex hulls by qhull's reentrant C interface. Qhull may leave zero-area triangles where input points
   lie on an edge of the hull; their middle points are dropped and the hull is built again, so that
   every face of the result has a normal and the faces form one closed surface. */
#include "geom/hull.h"
#include "base/error.h"
#include "base/memory.h"

#include <libqhull_r/qhull_ra.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cloud thinner than this share of its extent is flat; a face lower than FLAT_FACE of it is a line. */
static const double FLAT_CLOUD = 1e-6;
static const double FLAT_FACE = 1e-9;
enum { MAX_ROUNDS = 8 };

typedef struct face {
    int v[3];
} face;

typedef struct cloud {
    double* points; /* three each, finite */
    int count;
    double extent;
    face* faces; /* of the hull, indices into points */
    int face_count;
} cloud;

static hf_vec3 point_of(const cloud* c, int i) {
    const double* p = c->points + 3 * (size_t)i;
    return hf_v3(p[0], p[1], p[2]);
}

/* ---- before qhull: is there any volume? ---- */

static double line_distance(hf_vec3 p, hf_vec3 a, hf_vec3 unit) {
    hf_vec3 d = hf_sub(p, a);
    return hf_length(hf_sub(d, hf_scale(unit, hf_dot(d, unit))));
}

/* Far pair, far from their line, far from their plane: the last distance says how flat the cloud is. */
static const char* flatness(cloud* c) {
    hf_vec3 a = point_of(c, 0), b = a, d = a;
    for (int i = 1; i < c->count; i++)
        if (hf_distance(point_of(c, i), a) > hf_distance(b, a)) b = point_of(c, i);
    c->extent = hf_distance(a, b);
    if (!(c->extent > 0)) return "all points are one";
    hf_vec3 along = hf_scale(hf_sub(b, a), 1 / c->extent);
    double width = 0, height = 0;
    for (int i = 0; i < c->count; i++) {
        double w = line_distance(point_of(c, i), a, along);
        if (w > width) width = w, d = point_of(c, i);
    }
    if (width <= FLAT_CLOUD * c->extent) return "the points lie on a line";
    hf_vec3 normal = hf_normalize(hf_cross(along, hf_sub(d, a)));
    for (int i = 0; i < c->count; i++) height = fmax(height, fabs(hf_dot(hf_sub(point_of(c, i), a), normal)));
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

/* ---- qhull ---- */

static hf_status take_faces(qhT* qh, cloud* c) {
    facetT* facet;
    int count = 0;
    FORALLfacets count++;
    hf_free(c->faces);
    c->faces = hf_alloc((size_t)count, sizeof *c->faces);
    c->face_count = 0;
    if (!c->faces) return HF_ERROR_MEMORY;
    FORALLfacets {
        vertexT *vertex, **vertexp;
        face f = {{0, 0, 0}};
        int n = 0;
        FOREACHvertex_(facet->vertices) {
            if (n < 3) f.v[n] = qh_pointid(qh, vertex->point);
            n++;
        }
        if (n != 3) return HF_ERROR_INTERNAL;
        if (facet->toporient != qh_ORIENTclock) {
            int swap = f.v[1];
            f.v[1] = f.v[2], f.v[2] = swap;
        }
        c->faces[c->face_count++] = f;
    }
    return HF_OK;
}

/* Runs qhull with these options. Its messages go nowhere: what a user can act on was tested before. */
static hf_status run_qhull(cloud* c, const char* options) {
    char command[64];
    snprintf(command, sizeof command, "%s", options);
    FILE* silence = fopen("/dev/null", "w");
    if (!silence) return HF_ERROR_INTERNAL;
    qhT* qh = hf_alloc(1, sizeof *qh);
    hf_status status = qh ? HF_OK : HF_ERROR_MEMORY;
    if (qh) {
        qh_zero(qh, silence);
        int code = qh_new_qhull(qh, 3, c->count, c->points, False, command, NULL, silence);
        if (code == 0)
            status = take_faces(qh, c);
        else
            status = code == qh_ERRmem ? HF_ERROR_MEMORY : HF_ERROR_FORMAT;
        int left, total;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &left, &total);
        hf_free(qh);
    }
    fclose(silence);
    return status;
}

/* ---- after qhull: closed, and every face has an area ---- */

typedef struct edge {
    int from, to;
} edge;

static int compare_edges(const void* a, const void* b) {
    const edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Every directed edge once, each with its reverse, and Euler's formula. */
static hf_status check_closed(const cloud* c, bool* closed) {
    size_t n = (size_t)c->face_count * 3;
    edge* edges = hf_alloc(n, sizeof *edges);
    if (!edges) return HF_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        edges[i] = (edge){c->faces[i / 3].v[i % 3], c->faces[i / 3].v[(i + 1) % 3]};
    qsort(edges, n, sizeof *edges, compare_edges);
    *closed = true;
    int vertices = 0;
    for (size_t i = 0; i < n && *closed; i++) {
        edge reverse = {edges[i].to, edges[i].from};
        if (i == 0 || edges[i].from != edges[i - 1].from) vertices++;
        if (i > 0 && compare_edges(&edges[i], &edges[i - 1]) == 0) *closed = false;
        if (!bsearch(&reverse, edges, n, sizeof *edges, compare_edges)) *closed = false;
    }
    if (vertices - (int)(n / 2) + c->face_count != 2) *closed = false;
    hf_free(edges);
    return HF_OK;
}

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

/* Marks what the next round keeps: the hull's vertices without middles of lines. True when it drops a middle.
 */
static bool mark_kept(const cloud* c, bool* kept) {
    bool dropped = false;
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3; k++) kept[c->faces[i].v[k]] = true;
    for (int i = 0; i < c->face_count; i++) {
        int middle = middle_of_line(c, c->faces[i]);
        if (middle >= 0) kept[middle] = false, dropped = true;
    }
    return dropped;
}

static void compact(cloud* c, const bool* kept) {
    int n = 0;
    for (int i = 0; i < c->count; i++)
        if (kept[i]) memmove(c->points + 3 * (size_t)n++, c->points + 3 * (size_t)i, 3 * sizeof(double));
    c->count = n;
}

static hf_status build(cloud* c, bool* kept) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
        /* Merged and triangulated facets first; where those fail, slightly moved input is always simplicial.
         */
        bool closed = false;
        hf_status status = run_qhull(c, "qhull Qt Pp");
        if (status == HF_OK) status = check_closed(c, &closed);
        if (status == HF_ERROR_MEMORY) return status;
        if (status != HF_OK || !closed) {
            status = run_qhull(c, "qhull QJ Pp");
            if (status == HF_OK) status = check_closed(c, &closed);
            if (status != HF_OK) return status;
            if (!closed) return HF_ERROR_FORMAT;
        }
        memset(kept, 0, (size_t)c->count);
        if (!mark_kept(c, kept)) return HF_OK;
        if (round + 1 < MAX_ROUNDS) compact(c, kept);
    }
    return HF_OK;
}

/* The hull's vertices alone, in the order of the points. */
static hf_status write_mesh(const cloud* c, hf_mesh* hull) {
    int* index = hf_alloc((size_t)c->count, sizeof *index);
    if (!index) return HF_ERROR_MEMORY;
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
    hf_free(index);
    return hull->vertices && hull->indices ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_hull_build(const float* points, int count, hf_mesh* hull, hf_error* error) {
    *hull = (hf_mesh){0};
    cloud c = {0};
    bool* kept = NULL;
    hf_status status = read_points(points, count, &c, error);
    if (status == HF_OK) {
        kept = hf_alloc((size_t)count, sizeof *kept);
        status = kept ? build(&c, kept) : HF_ERROR_MEMORY;
        if (status == HF_OK) status = write_mesh(&c, hull);
        if (status == HF_ERROR_MEMORY)
            hf_fail_memory(error, NULL);
        else if (status != HF_OK)
            hf_fail(error, status, NULL, 0, NULL, "no convex hull of %d points could be built", count);
    }
    hf_free(kept);
    hf_free(c.points);
    hf_free(c.faces);
    if (status != HF_OK) {
        hf_free(hull->vertices);
        hf_free(hull->indices);
        *hull = (hf_mesh){0};
    }
    return status;
}
