/* Convex polytopes: their corners, faces and edges, cutting by planes, and how deep two of them are in each
   other: the least shift that parts them. Its direction is a normal of a face of one, or is square to an edge
   of each whose sides it lies between (Gottschalk, Lin, Manocha: OBBTree, 1996; the test of sides is that of
   arcs on the Gauss map), so that trying those is exact. */
#include "check/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double ON_PLANE_M = 1e-9;  /* a corner this near to a plane is on it */
static const double FLAT = 1 - 1e-9;    /* cosine between faces that are one */
static const double BETWEEN_TOL = 1e-6; /* how far outside of an edge's sides a direction is still tried */
static const double PARALLEL = 1e-9;    /* length of a product of edges that gives no direction */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

void check_polytope_free(check_polytope* p) {
    hf_free(p->corners);
    hf_free(p->faces);
    hf_free(p->edges);
    memset(p, 0, sizeof *p);
}

bool check_polytope_corner(check_polytope* p, const double at[3]) {
    if (!HF_GROW(p->corners, p->corner_capacity, p->corner_count)) return false;
    memcpy(p->corners[p->corner_count++], at, sizeof p->corners[0]);
    return true;
}

bool check_polytope_face(check_polytope* p, const double normal[3], double offset) {
    if (!HF_GROW(p->faces, p->face_capacity, p->face_count)) return false;
    double* f = p->faces[p->face_count++];
    memcpy(f, normal, 3 * sizeof(double));
    f[3] = offset;
    return true;
}

/* Of two faces; -1 twice where the edge is all there is. */
bool check_polytope_edge(check_polytope* p, const double a[3], const double b[3], int left, int right) {
    if (!HF_GROW(p->edges, p->edge_capacity, p->edge_count)) return false;
    check_edge* e = &p->edges[p->edge_count++];
    memcpy(e->ends[0], a, sizeof e->ends[0]);
    memcpy(e->ends[1], b, sizeof e->ends[1]);
    e->faces[0] = left, e->faces[1] = right;
    return true;
}

static void edge_finish(const check_polytope* p, check_edge* e) {
    double l = 0;
    for (int i = 0; i < 3; i++) e->along[i] = e->ends[1][i] - e->ends[0][i];
    l = sqrt(dot(e->along, e->along));
    for (int i = 0; i < 3; i++) e->along[i] /= l > 0 ? l : 1;
    memset(e->middle, 0, sizeof e->middle);
    e->reach = -2;
    if (e->faces[0] < 0) return;
    const double *a = p->faces[e->faces[0]], *b = p->faces[e->faces[1]];
    for (int i = 0; i < 3; i++) e->middle[i] = a[i] + b[i];
    l = sqrt(dot(e->middle, e->middle));
    if (l < BETWEEN_TOL) return; /* the two sides of a sheet: every direction square to it is between them */
    for (int i = 0; i < 3; i++) e->middle[i] /= l;
    e->reach = dot(e->middle, a) - BETWEEN_TOL;
}

/* Directions and sides of edges, once all faces are there. */
void check_polytope_finish(check_polytope* p) {
    int kept = 0;
    for (int k = 0; k < p->edge_count; k++) {
        check_edge* e = &p->edges[k];
        if (e->faces[0] >= 0 && dot(p->faces[e->faces[0]], p->faces[e->faces[1]]) > FLAT) continue;
        edge_finish(p, e);
        p->edges[kept++] = *e;
    }
    p->edge_count = kept;
}

/* ---- cutting ---- */

/* An axis-parallel box, to be cut. */
bool check_polytope_box(check_polytope* p, const double low[3], const double high[3]) {
    p->corner_count = p->face_count = p->edge_count = 0;
    bool good = true;
    for (int f = 0; f < 6; f++) {
        double n[3] = {0, 0, 0};
        n[f / 2] = f % 2 ? 1 : -1;
        good = good && check_polytope_face(p, n, f % 2 ? high[f / 2] : -low[f / 2]);
    }
    for (int k = 0; k < 12; k++) {
        int axis = k / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double a[3], b[3];
        a[axis] = low[axis], b[axis] = high[axis];
        a[u] = b[u] = k & 1 ? high[u] : low[u];
        a[v] = b[v] = k & 2 ? high[v] : low[v];
        good = good && check_polytope_edge(p, a, b, 2 * u + (k & 1), 2 * v + (k >> 1 & 1));
    }
    return good;
}

/* Where the cut leaves a face: two points, which the new edge joins. */
typedef struct rim {
    int count;
    double ends[2][3];
} rim;

static void rim_add(rim* r, const double p[3]) {
    if (r->count < 2) {
        memcpy(r->ends[r->count++], p, sizeof r->ends[0]);
        return;
    }
    /* More than two come from rounding: the farthest apart are kept. */
    double far[3], d[2];
    for (int i = 0; i < 3; i++) far[i] = r->ends[1][i] - r->ends[0][i];
    double apart = dot(far, far);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) far[i] = p[i] - r->ends[k][i];
        d[k] = dot(far, far);
    }
    if (fmax(d[0], d[1]) > apart) memcpy(r->ends[d[0] > d[1] ? 1 : 0], p, sizeof r->ends[0]);
}

/* Shortens an edge to what is under the plane; false when nothing is. */
static bool edge_cut(check_edge* e, const double plane[4], rim* rims) {
    double h[2] = {dot(plane, e->ends[0]) - plane[3], dot(plane, e->ends[1]) - plane[3]}, at[3];
    bool out[2] = {h[0] > ON_PLANE_M, h[1] > ON_PLANE_M};
    if (!out[0] && !out[1]) return true;
    if (out[0] && out[1]) return false;
    int outer = out[0] ? 0 : 1;
    bool touches = h[1 - outer] >= -ON_PLANE_M;
    double t = touches ? 0 : h[1 - outer] / (h[1 - outer] - h[outer]);
    for (int i = 0; i < 3; i++)
        at[i] = e->ends[1 - outer][i] + t * (e->ends[outer][i] - e->ends[1 - outer][i]);
    rim_add(&rims[e->faces[0]], at);
    rim_add(&rims[e->faces[1]], at);
    memcpy(e->ends[outer], at, sizeof at);
    return !touches;
}

/* Keeps what is under the plane. */
bool check_polytope_cut(check_polytope* p, const double plane[4]) {
    int old = p->face_count, kept = 0;
    rim* rims = hf_alloc((size_t)old + 1, sizeof *rims);
    bool good = rims && check_polytope_face(p, plane, plane[3]);
    for (int k = 0; good && k < p->edge_count; k++) {
        check_edge e = p->edges[k];
        if (edge_cut(&e, plane, rims)) p->edges[kept++] = e;
    }
    if (good) p->edge_count = kept;
    for (int f = 0; good && f < old; f++)
        if (rims[f].count == 2) good = check_polytope_edge(p, rims[f].ends[0], rims[f].ends[1], f, old);
    hf_free(rims);
    return good;
}

/* After the last cut: corners are the ends of edges, and faces without an edge are gone. */
bool check_polytope_close(check_polytope* p) {
    bool good = true;
    int* renamed = hf_alloc((size_t)p->face_count + 1, sizeof *renamed);
    if (!renamed) return false;
    for (int k = 0; k < p->edge_count && good; k++) {
        good = check_polytope_corner(p, p->edges[k].ends[0]) && check_polytope_corner(p, p->edges[k].ends[1]);
        for (int s = 0; s < 2; s++) renamed[p->edges[k].faces[s]] = 1;
    }
    int kept = 0;
    for (int f = 0; f < p->face_count; f++)
        if (renamed[f]) {
            memmove(p->faces[kept], p->faces[f], sizeof p->faces[0]);
            renamed[f] = kept++;
        }
    p->face_count = kept;
    for (int k = 0; k < p->edge_count; k++)
        for (int s = 0; s < 2; s++) p->edges[k].faces[s] = renamed[p->edges[k].faces[s]];
    hf_free(renamed);
    check_polytope_finish(p);
    return good;
}

bool check_polytope_moved(const check_polytope* p, const check_frame* at, check_polytope* out) {
    bool good = true;
    double a[3], b[3];
    for (int k = 0; k < p->corner_count && good; k++) {
        check_frame_point(at, p->corners[k], a);
        good = check_polytope_corner(out, a);
    }
    for (int f = 0; f < p->face_count && good; f++) {
        check_frame_turn(at, p->faces[f], a);
        good = check_polytope_face(out, a, p->faces[f][3] + dot(a, at->p));
    }
    for (int k = 0; k < p->edge_count && good; k++) {
        const check_edge* e = &p->edges[k];
        check_frame_point(at, e->ends[0], a);
        check_frame_point(at, e->ends[1], b);
        good = check_polytope_edge(out, a, b, e->faces[0], e->faces[1]);
    }
    if (good) check_polytope_finish(out);
    return good;
}

/* ---- depth ---- */

static double lowest(const check_polytope* p, const double n[3]) {
    double low = INFINITY;
    for (int k = 0; k < p->corner_count; k++) low = fmin(low, dot(p->corners[k], n));
    return low;
}

static double highest(const check_polytope* p, const double n[3]) {
    double high = -INFINITY;
    for (int k = 0; k < p->corner_count; k++) high = fmax(high, dot(p->corners[k], n));
    return high;
}

static bool between(const check_edge* e, const double n[3], double sign) {
    return sign * dot(e->middle, n) >= e->reach;
}

/* The least shift of a out of b over directions square to an edge of each. */
static double edge_depth(const check_polytope* a, const check_polytope* b, double enough, double least) {
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count && least > enough; j++) {
            double n[3];
            cross(a->edges[i].along, b->edges[j].along, n);
            double l = sqrt(dot(n, n));
            if (l < PARALLEL) continue;
            for (int side = 0; side < 2; side++) {
                for (int x = 0; x < 3; x++) n[x] /= side ? -1 : l;
                if (between(&a->edges[i], n, -1) && between(&b->edges[j], n, 1))
                    least = fmin(least, highest(b, n) - lowest(a, n));
            }
        }
    return least;
}

double check_polytope_depth(const check_polytope* a, const check_polytope* b, double enough) {
    double least = INFINITY;
    for (int f = 0; f < b->face_count && least > enough; f++)
        least = fmin(least, b->faces[f][3] - lowest(a, b->faces[f]));
    for (int f = 0; f < a->face_count && least > enough; f++)
        least = fmin(least, a->faces[f][3] - lowest(b, a->faces[f]));
    return edge_depth(a, b, enough, least);
}
