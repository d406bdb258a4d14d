/* Objects as plain triangles; which of their pieces are watertight; what is inside them. */
#include "check/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Vertices at equal positions get one number. */
typedef struct corner {
    float p[3];
    int index;
} corner;

static int compare_corners(const void* a, const void* b) {
    const corner *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->p[i] != y->p[i]) return x->p[i] < y->p[i] ? -1 : 1;
    return 0;
}

/* Equal corners in the order of the mesh. */
static int by_place(const void* a, const void* b) {
    int order = compare_corners(a, b);
    return order ? order : ((const corner*)a)->index - ((const corner*)b)->index;
}

typedef struct edge {
    int low, high, triangle;
    bool forward;
} edge;

static int compare_edges(const void* a, const void* b) {
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->triangle - y->triangle;
}

static int find_root(int* parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Numbers equal positions alike. */
static bool weld(const hf_mesh* mesh, int* welded) {
    corner* corners = hf_alloc((size_t)mesh->vertex_count, sizeof *corners);
    if (!corners) return false;
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++) corners[i].p[k] = mesh->vertices[3 * i + k] + 0.0f;
        corners[i].index = i;
    }
    qsort(corners, (size_t)mesh->vertex_count, sizeof *corners, by_place);
    for (int i = 0; i < mesh->vertex_count; i++)
        welded[corners[i].index] = i && compare_corners(&corners[i - 1], &corners[i]) == 0
                                       ? welded[corners[i - 1].index]
                                       : corners[i].index;
    hf_free(corners);
    return true;
}

/* Joins triangles over shared edges; open[t] is set where an edge is not used once each way. */
static bool join_edges(const hf_mesh* mesh, const int* welded, int* parent, bool* open) {
    int n = mesh->triangle_count;
    edge* edges = hf_alloc((size_t)n * 3, sizeof *edges);
    if (!edges) return false;
    int count = 0;
    for (int t = 0; t < n; t++)
        for (int k = 0; k < 3; k++) {
            int a = welded[mesh->indices[3 * t + k]], b = welded[mesh->indices[3 * t + (k + 1) % 3]];
            if (a != b) edges[count++] = (edge){a < b ? a : b, a < b ? b : a, t, a < b};
        }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0, j; i < count; i = j) {
        int balance = 0;
        for (j = i; j < count && edges[j].low == edges[i].low && edges[j].high == edges[i].high; j++) {
            balance += edges[j].forward ? 1 : -1;
            parent[find_root(parent, edges[j].triangle)] = find_root(parent, edges[i].triangle);
        }
        if (balance != 0)
            for (int k = i; k < j; k++) open[edges[k].triangle] = true;
    }
    hf_free(edges);
    return true;
}

/* A triangle lower than this has no area: its corners are floats. */
static const double NO_HEIGHT_M = 1e-6;
static const double ROUNDING = 1e-14; /* of a difference of two products, as a share of them: 45 roundings */
enum { MANY = 2000 }; /* triangles of a piece: to ask whether it is convex takes the square of their number */

static bool has_area(const double tri[9]) {
    double u[3], v[3], n[3], longest = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) u[i] = tri[(3 * k + 3 + i) % 9] - tri[3 * k + i];
        longest = fmax(longest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    for (int i = 0; i < 3; i++) u[i] = tri[3 + i] - tri[i], v[i] = tri[6 + i] - tri[i];
    for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > NO_HEIGHT_M * longest;
}

static void corners_of(const hf_mesh* mesh, int triangle, double tri[9]) {
    for (int k = 0; k < 9; k++)
        tri[k] = (double)mesh->vertices[3 * mesh->indices[3 * triangle + k / 3] + (uint32_t)(k % 3)];
}

/* Pieces in the order of their first triangle, with how many triangles that have an area each will hold. A
   triangle without area can close a piece all the same. */
static void count_pieces(const hf_mesh* mesh, int* parent, const bool* open, int* piece_of_root,
                         check_object* out) {
    for (int t = 0; t < mesh->triangle_count; t++) {
        int root = find_root(parent, t);
        double tri[9];
        if (!piece_of_root[root]) {
            piece_of_root[root] = ++out->piece_count;
            out->pieces[out->piece_count - 1].closed = true;
        }
        check_piece* p = &out->pieces[piece_of_root[root] - 1];
        corners_of(mesh, t, tri);
        if (has_area(tri)) p->count++;
        if (open[t]) p->closed = false;
    }
}

static void start_pieces(check_object* out) {
    for (int p = 0; p < out->piece_count; p++) {
        check_piece* piece = &out->pieces[p];
        piece->first = out->triangle_count;
        out->triangle_count += piece->count;
        piece->count = 0;
        for (int i = 0; i < 3; i++) piece->low[i] = INFINITY, piece->high[i] = -INFINITY;
    }
}

static void put_triangle(const double tri[9], check_piece* p, double* triangles) {
    memcpy(triangles + 9 * (p->first + p->count++), tri, 9 * sizeof *tri);
    for (int k = 0; k < 9; k++) {
        p->low[k % 3] = fmin(p->low[k % 3], tri[k]);
        p->high[k % 3] = fmax(p->high[k % 3], tri[k]);
    }
}

/* Is every corner of the piece behind every triangle? Of a piece of very many triangles that is not asked. */
static bool is_convex(const double* triangles, int count) {
    for (int t = 0; t < count && count <= MANY; t++) {
        const double* a = triangles + 9 * t;
        double u[3], v[3], n[3];
        for (int i = 0; i < 3; i++) u[i] = a[3 + i] - a[i], v[i] = a[6 + i] - a[i];
        for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        double l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 * count; k++) {
            const double* p = triangles + 3 * k;
            double over = (n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]) + n[2] * (p[2] - a[2])) / l;
            if (over > NO_HEIGHT_M) return false;
        }
    }
    return count <= MANY;
}

/* Fills pieces and triangles, piece by piece. */
static bool gather(const hf_mesh* mesh, int* parent, const bool* open, check_object* out) {
    size_t n = (size_t)mesh->triangle_count;
    int* piece_of_root = hf_alloc(n, sizeof(int));
    out->pieces = hf_alloc(n, sizeof *out->pieces);
    out->triangles = hf_alloc(n, 9 * sizeof(double));
    bool good = piece_of_root && out->pieces && out->triangles;
    if (good) count_pieces(mesh, parent, open, piece_of_root, out);
    if (good) start_pieces(out);
    for (int t = 0; good && t < mesh->triangle_count; t++) {
        double tri[9];
        corners_of(mesh, t, tri);
        if (has_area(tri))
            put_triangle(tri, &out->pieces[piece_of_root[find_root(parent, t)] - 1], out->triangles);
        else
            out->ignored_count++;
    }
    for (int p = 0; good && p < out->piece_count; p++) {
        check_piece* piece = &out->pieces[p];
        piece->convex = piece->closed && is_convex(out->triangles + 9 * piece->first, piece->count);
    }
    hf_free(piece_of_root);
    return good;
}

hf_status check_object_build(const hf_object_view* view, check_object* out) {
    memset(out, 0, sizeof *out);
    const hf_mesh* mesh = &view->mesh;
    int* welded = hf_alloc((size_t)mesh->vertex_count, sizeof(int));
    int* parent = hf_alloc((size_t)mesh->triangle_count, sizeof(int));
    bool* open = hf_alloc((size_t)mesh->triangle_count, sizeof(bool));
    bool good = welded && parent && open && weld(mesh, welded);
    for (int t = 0; good && t < mesh->triangle_count; t++) parent[t] = t;
    good = good && join_edges(mesh, welded, parent, open) && gather(mesh, parent, open, out) &&
           check_blocks_build(out);
    hf_free(welded);
    hf_free(parent);
    hf_free(open);
    if (!good) {
        check_object_free(out);
        return HF_ERROR_MEMORY;
    }
    return HF_OK;
}

void check_object_free(check_object* object) {
    hf_free(object->triangles);
    hf_free(object->pieces);
    hf_free(object->blocks);
    memset(object, 0, sizeof *object);
}

/* Winding number by solid angles (Van Oosterom and Strackee): 1 inside a closed outward piece, -1 inside an
   inward one, so that a cavity in a solid sums to 0. */
static double winding(const double* triangles, int count, const double p[3]) {
    double sum = 0;
    for (int t = 0; t < count; t++) {
        double v[3][3], l[3];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) v[k][i] = triangles[9 * t + 3 * k + i] - p[i];
            l[k] = sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
        }
        double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                     v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                     v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        double below = l[0] * l[1] * l[2];
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            below += (v[a][0] * v[b][0] + v[a][1] * v[b][1] + v[a][2] * v[b][2]) * l[k];
        }
        sum += 2 * hf_atan2(det, below);
    }
    return sum / (4 * 3.14159265358979323846);
}

/* Twice the area, seen from above, of the triangle that an edge makes with a point. Both triangles of an edge
   get the same number with another sign. `sure` is lost where rounding could decide the sign. */
static double side_of(const double a[3], const double b[3], const double p[3], bool* sure) {
    bool turned = a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]);
    const double *from = turned ? b : a, *to = turned ? a : b;
    double one = (to[0] - from[0]) * (p[1] - from[1]), two = (to[1] - from[1]) * (p[0] - from[0]);
    *sure = *sure && fabs(one - two) > ROUNDING * (fabs(one) + fabs(two));
    return turned ? two - one : one - two;
}

/* How often the surface is left on the way straight up from the point, entries counted against: +1 for a
   triangle above that faces up, -1 for one that faces down. `sure` is lost where the way meets an edge or the
   point is as good as on a triangle. */
static int leaves_above(const double tri[9], const double p[3], bool* sure) {
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = side_of(tri + 3 * ((k + 1) % 3), tri + 3 * ((k + 2) % 3), p, sure);
    bool up = s[0] > 0 && s[1] > 0 && s[2] > 0, down = s[0] < 0 && s[1] < 0 && s[2] < 0;
    if (!up && !down) return 0;
    double area = s[0] + s[1] + s[2], z = (s[0] * tri[2] + s[1] * tri[5] + s[2] * tri[8]) / area;
    *sure = *sure && fabs(z - p[2]) > NO_HEIGHT_M;
    return z < p[2] ? 0 : up ? 1 : -1;
}

/* The winding number by crossings, where none of them is near an edge. */
static bool winding_above(const check_object* o, const check_piece* piece, const double p[3], double* out) {
    double high[3] = {p[0], p[1], INFINITY}, low[3] = {p[0], p[1], p[2] - NO_HEIGHT_M};
    check_walk w = check_walk_start(o, piece, low, high);
    bool sure = true;
    int sum = 0;
    for (const double* tri; sure && (tri = check_walk_next(&w));) sum += leaves_above(tri, p, &sure);
    *out = sum;
    return sure;
}

/* How often the piece goes around the point; 0 for one that is not watertight. */
static double piece_winding(const check_object* object, const check_piece* p, const double point[3]) {
    bool in_box = p->closed;
    for (int k = 0; k < 3; k++) in_box = in_box && point[k] > p->low[k] && point[k] < p->high[k];
    double around = 0;
    if (!in_box || winding_above(object, p, point, &around)) return around;
    return winding(object->triangles + 9 * p->first, p->count, point);
}

bool check_piece_inside(const check_object* object, const check_piece* piece, const double point[3]) {
    return piece_winding(object, piece, point) > 0.5;
}

bool check_object_inside(const check_object* object, const double point[3]) {
    double sum = 0;
    for (int i = 0; i < object->piece_count; i++) sum += piece_winding(object, &object->pieces[i], point);
    return sum > 0.5;
}
