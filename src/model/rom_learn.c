/* A region of joint values learned from a cloud (thesis-2015 section 4.3.3 leaves
   open how the non-convex hull is written as a polytope).

   3-D Delaunay by qhull; tetrahedra whose circumsphere is larger than alpha are dropped. The rest, the shape,
   is covered with convex pieces: each starts at the uncovered tetrahedron that lies deepest and takes in one
   point of the cloud after the other, nearest first, as long as its hull stays in the shape but for a small
   share. Pieces may overlap. Every tetrahedron ends up whole in one of them, so they leave no gaps. */
#include "base/error.h"
#include "base/memory.h"
#include "model/rom.h"

#include <errno.h>
#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of a piece that may lie outside the shape. */
static const double waste_allowed = 0.04;
/* A piece is written with few planes, which may stand out of its hull by this share of alpha: the cloud says
   no more about its border than that. */
static const double rough_share = 0.1;
/* Then all planes move out by this share of alpha, so that neighbours which end a hair outside need no piece
   of their own. */
static const double margin_share = 0.05;
/* Share of the straight ways inside a piece that may lie outside the shape: most run along its border. */
static const double ways_outside = 0.6;
/* A tetrahedron lower than this (rad) is a sliver, and thin enough to be left out. */
static const double sliver_rad = 1e-5;
/* A tetrahedron this near to a piece (rad) counts as covered: less than the seams a region's user closes. */
static const double cover_rad = 1e-9;
enum { CLOUD_MAX = 2500, COUNT_MAX = 10000000, PLANES_MAX = 250, POINTS_MAX = 256, VOXELS_MAX = 1000000 };

typedef struct learner {
    double* cloud;
    int count;
    double alpha;
    int (*tets)[4];
    int tet_count;
    bool* covered; /* by tetrahedron */
    double* depth; /* of each one's middle */
    /* The shape as a grid of small cubes: which are in it, and the middles of those that are not. */
    double origin[3], voxel;
    int size[3];
    unsigned char* filled;
    float* outside;
    int outside_count;
    FILE* silence; /* where qhull's messages go */
    qhT* qh;
    bool out_of_memory; /* qhull ran out of it */
    hf_rom_learned* region;
    int room; /* pieces that the region has memory for */
    hf_error* error;
} learner;

/* The hull of some points of the cloud. */
typedef struct hull {
    double volume;
    int planes;
    double plane[PLANES_MAX + 6][4]; /* unit normal, b */
    int points[POINTS_MAX];          /* its corners */
    int point_count;
} hull;

static hf_vec3 at(const learner* l, int i) {
    const double* p = l->cloud + 3 * (size_t)i;
    return hf_v3(p[0], p[1], p[2]);
}

/* ---- cloud ---- */

typedef struct cell {
    long key[3];
    double distance; /* from the cloud's middle */
    int index;
} cell;

static int by_cell(const void* a, const void* b) {
    const cell *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    if (x->distance != y->distance) return x->distance > y->distance ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* One point of each grid cell is enough, the outermost one; the grid widens until few are left. */
static hf_status thin(learner* l) {
    double size = l->alpha / 8, middle[3] = {0};
    cell* cells = hf_alloc((size_t)l->count, sizeof *cells);
    double* kept = hf_alloc(3 * (size_t)l->count, sizeof *kept);
    if (!cells || !kept) {
        hf_free(cells);
        hf_free(kept);
        return hf_fail_memory(l->error, NULL);
    }
    for (int i = 0; i < 3 * l->count; i++) middle[i % 3] += l->cloud[i] / l->count;
    int count;
    do {
        for (int i = 0; i < l->count; i++) {
            hf_vec3 p = at(l, i);
            cells[i] = (cell){{lround(p.x / size), lround(p.y / size), lround(p.z / size)},
                              hf_distance(p, hf_v3(middle[0], middle[1], middle[2])),
                              i};
        }
        qsort(cells, (size_t)l->count, sizeof *cells, by_cell);
        count = 0;
        for (int i = 0; i < l->count; i++)
            if (i == 0 || memcmp(cells[i].key, cells[i - 1].key, sizeof cells[i].key) != 0)
                memcpy(kept + 3 * (size_t)count++, l->cloud + 3 * (size_t)cells[i].index, 3 * sizeof *kept);
        size *= 1.25;
    } while (count > CLOUD_MAX);
    memcpy(l->cloud, kept, 3 * (size_t)count * sizeof *kept);
    l->count = count;
    hf_free(cells);
    hf_free(kept);
    return HF_OK;
}

/* ---- qhull ---- */

static bool run_qhull(learner* l, double* points, int count, char* options) {
    qh_zero(l->qh, l->silence);
    int code = qh_new_qhull(l->qh, 3, count, points, False, options, NULL, l->silence);
    if (code == qh_ERRmem) l->out_of_memory = true;
    return code == 0;
}

static void end_qhull(learner* l) {
    int left, total;
    qh_freeqhull(l->qh, !qh_ALL);
    qh_memfreeshort(l->qh, &left, &total);
}

static double circumradius(hf_vec3 a, hf_vec3 b, hf_vec3 c, hf_vec3 d) {
    hf_vec3 u = hf_sub(b, a), v = hf_sub(c, a), w = hf_sub(d, a);
    double det = hf_dot(u, hf_cross(v, w));
    if (det == 0) return INFINITY;
    hf_vec3 centre = hf_scale(hf_cross(v, w), hf_dot(u, u));
    centre = hf_add(centre, hf_scale(hf_cross(w, u), hf_dot(v, v)));
    centre = hf_add(centre, hf_scale(hf_cross(u, v), hf_dot(w, w)));
    return hf_length(centre) / (2 * fabs(det));
}

static double tet_volume(const learner* l, const int* t) {
    hf_vec3 a = at(l, t[0]);
    hf_vec3 u = hf_sub(at(l, t[1]), a), v = hf_sub(at(l, t[2]), a), w = hf_sub(at(l, t[3]), a);
    return fabs(hf_dot(u, hf_cross(v, w))) / 6;
}

static hf_status delaunay(learner* l) {
    char options[] = "qhull d Qbb Qt Qz Pp";
    hf_status status = HF_OK;
    if (run_qhull(l, l->cloud, l->count, options)) {
        qhT* qh = l->qh;
        facetT* facet;
        int total = 0;
        FORALLfacets total++;
        l->tets = hf_alloc((size_t)total, sizeof *l->tets);
        if (!l->tets) status = hf_fail_memory(l->error, NULL);
        FORALLfacets {
            if (status != HF_OK || facet->upperdelaunay) continue;
            vertexT *vertex, **vertexp;
            int t[4], n = 0;
            FOREACHvertex_(facet->vertices) {
                if (n < 4) t[n] = qh_pointid(qh, vertex->point);
                n++;
            }
            if (n != 4 || circumradius(at(l, t[0]), at(l, t[1]), at(l, t[2]), at(l, t[3])) > l->alpha)
                continue;
            memcpy(l->tets[l->tet_count++], t, sizeof t);
        }
    } else if (l->out_of_memory) {
        status = hf_fail_memory(l->error, NULL);
    } else {
        status = hf_fail(l->error, HF_ERROR_FORMAT, NULL, 0, NULL,
                         "no region: the angles lie in one plane or on one line");
    }
    end_qhull(l);
    if (status == HF_OK && l->tet_count == 0)
        status = hf_fail(l->error, HF_ERROR_FORMAT, NULL, 0, NULL,
                         "no region: no four neighbours within alpha = %g rad", l->alpha);
    return status;
}

/* False when the points are flat or the hull has too many planes. */
static bool build_hull(learner* l, const int* points, int count, hull* h) {
    char options[] = "qhull Pp";
    double scratch[3 * POINTS_MAX];
    for (int i = 0; i < count; i++)
        memcpy(scratch + 3 * (size_t)i, l->cloud + 3 * (size_t)points[i], 3 * sizeof *scratch);
    bool ok = run_qhull(l, scratch, count, options);
    if (ok) {
        qhT* qh = l->qh;
        facetT* facet;
        vertexT* vertex;
        qh_getarea(qh, qh->facet_list);
        h->volume = qh->totvol;
        h->planes = h->point_count = 0;
        FORALLvertices h->points[h->point_count++] = points[qh_pointid(qh, vertex->point)];
        FORALLfacets {
            if (h->planes == PLANES_MAX) {
                ok = false;
                break;
            }
            /* Moved out to the farthest point, so that nothing is cut off. */
            double* plane = h->plane[h->planes++];
            memcpy(plane, facet->normal, 3 * sizeof *plane);
            plane[3] = -INFINITY;
            for (int i = 0; i < count; i++) {
                const double* p = scratch + 3 * (size_t)i;
                plane[3] = fmax(plane[3], plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2]);
            }
        }
    }
    end_qhull(l);
    return ok;
}

static bool in_hull(const hull* h, double x, double y, double z, double slack) {
    for (int k = 0; k < h->planes; k++) {
        const double* n = h->plane[k];
        if (n[0] * x + n[1] * y + n[2] * z > n[3] + slack) return false;
    }
    return true;
}

/* ---- the shape as small cubes ---- */

static void middle_of(const learner* l, const int i[3], double x[3]) {
    for (int a = 0; a < 3; a++) x[a] = l->origin[a] + (i[a] + 0.5) * l->voxel;
}

static size_t place_of(const learner* l, const int i[3]) {
    return ((size_t)i[2] * (size_t)l->size[1] + (size_t)i[1]) * (size_t)l->size[0] + (size_t)i[0];
}

static hf_status make_grid(learner* l) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * l->count; i++) {
        lower[i % 3] = fmin(lower[i % 3], l->cloud[i]);
        upper[i % 3] = fmax(upper[i % 3], l->cloud[i]);
    }
    double total = INFINITY;
    for (l->voxel = l->alpha / 5; total > VOXELS_MAX; l->voxel *= 1.2) {
        total = 1;
        for (int a = 0; a < 3; a++) {
            l->size[a] = (int)fmin(1e6, (upper[a] - lower[a]) / l->voxel) + 1;
            total *= l->size[a];
            l->origin[a] = lower[a];
        }
        if (total <= VOXELS_MAX) break;
    }
    l->filled = hf_alloc((size_t)total, 1);
    l->outside = hf_alloc(3 * (size_t)total, sizeof *l->outside);
    l->covered = hf_alloc((size_t)l->tet_count, sizeof *l->covered);
    l->depth = hf_alloc((size_t)l->tet_count, sizeof *l->depth);
    bool ok = l->filled && l->outside && l->covered && l->depth;
    return ok ? HF_OK : hf_fail_memory(l->error, NULL);
}

/* Is x in the tetrahedron? By the signs of the four parts it makes. */
static bool in_tet(const learner* l, const int* t, hf_vec3 x) {
    hf_vec3 p[4];
    for (int k = 0; k < 4; k++) p[k] = hf_sub(at(l, t[k]), x);
    double a = hf_dot(p[1], hf_cross(p[2], p[3])), b = -hf_dot(p[0], hf_cross(p[2], p[3]));
    double c = hf_dot(p[0], hf_cross(p[1], p[3])), d = -hf_dot(p[0], hf_cross(p[1], p[2]));
    return (a >= 0 && b >= 0 && c >= 0 && d >= 0) || (a <= 0 && b <= 0 && c <= 0 && d <= 0);
}

static void fill_tet(learner* l, const int* t) {
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        double lower = INFINITY, upper = -INFINITY;
        for (int k = 0; k < 4; k++) {
            lower = fmin(lower, l->cloud[3 * (size_t)t[k] + (size_t)a]);
            upper = fmax(upper, l->cloud[3 * (size_t)t[k] + (size_t)a]);
        }
        low[a] = (int)fmax(0, floor((lower - l->origin[a]) / l->voxel));
        high[a] = (int)fmin(l->size[a] - 1, floor((upper - l->origin[a]) / l->voxel));
    }
    int i[3];
    for (i[2] = low[2]; i[2] <= high[2]; i[2]++)
        for (i[1] = low[1]; i[1] <= high[1]; i[1]++)
            for (i[0] = low[0]; i[0] <= high[0]; i[0]++) {
                double x[3];
                middle_of(l, i, x);
                if (in_tet(l, t, hf_v3(x[0], x[1], x[2]))) l->filled[place_of(l, i)] = 1;
            }
}

/* Cubes outside the shape, and how far the middle of each tetrahedron is from the nearest of them. */
static void measure_depths(learner* l) {
    int i[3];
    for (i[2] = 0; i[2] < l->size[2]; i[2]++)
        for (i[1] = 0; i[1] < l->size[1]; i[1]++)
            for (i[0] = 0; i[0] < l->size[0]; i[0]++) {
                double x[3];
                if (l->filled[place_of(l, i)]) continue;
                middle_of(l, i, x);
                float* out = l->outside + 3 * (size_t)l->outside_count++;
                for (int a = 0; a < 3; a++) out[a] = (float)x[a];
            }
    for (int t = 0; t < l->tet_count; t++) {
        hf_vec3 m = hf_v3(0, 0, 0);
        for (int k = 0; k < 4; k++) m = hf_add(m, hf_scale(at(l, l->tets[t][k]), 0.25));
        const double x[3] = {m.x, m.y, m.z};
        double best = INFINITY;
        /* The grid's own border counts as outside. */
        for (int a = 0; a < 3; a++)
            best = fmin(best, fmin(x[a] - l->origin[a], l->origin[a] + l->size[a] * l->voxel - x[a]));
        best *= fabs(best);
        for (int n = 0; n < l->outside_count; n++) {
            const float* p = l->outside + 3 * (size_t)n;
            best = fmin(best, (p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) +
                                  (p[2] - x[2]) * (p[2] - x[2]));
        }
        l->depth[t] = best;
    }
}

/* ---- pieces ---- */

/* Share of the hull outside the shape. */
static double waste(const learner* l, const hull* h) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < h->point_count; i++)
        for (int a = 0; a < 3; a++) {
            double x = l->cloud[3 * (size_t)h->points[i] + (size_t)a];
            lower[a] = fmin(lower[a], x);
            upper[a] = fmax(upper[a], x);
        }
    int count = 0;
    for (int n = 0; n < l->outside_count; n++) {
        const float* p = l->outside + 3 * (size_t)n;
        if (p[0] < lower[0] || p[0] > upper[0] || p[1] < lower[1] || p[1] > upper[1] || p[2] < lower[2] ||
            p[2] > upper[2])
            continue;
        count += in_hull(h, p[0], p[1], p[2], 0);
    }
    return count * l->voxel * l->voxel * l->voxel / h->volume;
}

/* Steps on the straight way from a to b, and how many of them lie outside the shape. */
static void walk(const learner* l, hf_vec3 a, hf_vec3 b, int* steps, int* misses) {
    int n = (int)(hf_distance(a, b) / l->voxel) + 1;
    hf_vec3 step = hf_scale(hf_sub(b, a), 1.0 / n), p = hf_add(a, hf_scale(step, 0.5));
    for (int k = 0; k < n; k++, p = hf_add(p, step)) {
        const double x[3] = {p.x, p.y, p.z};
        int i[3];
        for (int j = 0; j < 3; j++)
            i[j] = (int)fmax(0, fmin(l->size[j] - 1, (x[j] - l->origin[j]) / l->voxel));
        *misses += !l->filled[place_of(l, i)];
    }
    *steps += n;
}

/* Cheap first tests of whether a point can be taken in: ways from it to the piece's middle and corners stay
 * in. */
static bool may_take(const learner* l, const hull* piece, hf_vec3 middle, hf_vec3 p) {
    int steps = 0, misses = 0;
    walk(l, middle, p, &steps, &misses);
    if (misses > 2 + steps / 3) return false;
    for (int i = 0; i < piece->point_count; i++) walk(l, at(l, piece->points[i]), p, &steps, &misses);
    return misses <= ways_outside * steps;
}

typedef struct near_point {
    double distance;
    int index;
} near_point;

static int by_distance(const void* a, const void* b) {
    const near_point *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The uncovered tetrahedron that lies deepest, -1 when all are covered. */
static int next_seed(const learner* l) {
    int best = -1;
    for (int t = 0; t < l->tet_count; t++)
        if (!l->covered[t] && (best < 0 || l->depth[t] > l->depth[best])) best = t;
    return best;
}

/* Grows a piece from a tetrahedron. False when the tetrahedron is flat. */
static bool grow(learner* l, int seed, near_point* order, hull* piece) {
    if (!build_hull(l, l->tets[seed], 4, piece)) return false;
    hf_vec3 middle = hf_v3(0, 0, 0);
    for (int k = 0; k < 4; k++) middle = hf_add(middle, hf_scale(at(l, l->tets[seed][k]), 0.25));
    for (int i = 0; i < l->count; i++) order[i] = (near_point){hf_distance(at(l, i), middle), i};
    qsort(order, (size_t)l->count, sizeof *order, by_distance);
    for (int i = 0; i < l->count; i++) {
        hf_vec3 p = at(l, order[i].index);
        if (in_hull(piece, p.x, p.y, p.z, cover_rad) || !may_take(l, piece, middle, p)) continue;
        if (piece->point_count + 1 > POINTS_MAX) break;
        int points[POINTS_MAX];
        memcpy(points, piece->points, (size_t)piece->point_count * sizeof *points);
        points[piece->point_count] = order[i].index;
        hull larger;
        if (build_hull(l, points, piece->point_count + 1, &larger) && waste(l, &larger) <= waste_allowed)
            *piece = larger;
    }
    return true;
}

/* Point common to three planes, in all others of the list; false when there is none. */
static bool corner(const hull* h, const int* chosen, int count, const int k[3], hf_vec3* x) {
    hf_vec3 n[3];
    for (int i = 0; i < 3; i++)
        n[i] = hf_v3(h->plane[chosen[k[i]]][0], h->plane[chosen[k[i]]][1], h->plane[chosen[k[i]]][2]);
    double det = hf_dot(n[0], hf_cross(n[1], n[2]));
    if (fabs(det) < 1e-9) return false;
    hf_vec3 sum = hf_scale(hf_cross(n[1], n[2]), h->plane[chosen[k[0]]][3]);
    sum = hf_add(sum, hf_scale(hf_cross(n[2], n[0]), h->plane[chosen[k[1]]][3]));
    sum = hf_add(sum, hf_scale(hf_cross(n[0], n[1]), h->plane[chosen[k[2]]][3]));
    *x = hf_scale(sum, 1 / det);
    for (int i = 0; i < count; i++) {
        const double* p = h->plane[chosen[i]];
        if (p[0] * x->x + p[1] * x->y + p[2] * x->z > p[3] + 1e-9) return false;
    }
    return true;
}

/* The plane that cuts the most of a polytope made of the chosen planes: the one its farthest corner is
 * outside of. */
static int most_missed(const hull* h, const int* chosen, int count, double rough) {
    int best = -1, k[3];
    for (k[0] = 0; k[0] < count; k[0]++)
        for (k[1] = k[0] + 1; k[1] < count; k[1]++)
            for (k[2] = k[1] + 1; k[2] < count; k[2]++) {
                hf_vec3 x;
                if (!corner(h, chosen, count, k, &x)) continue;
                for (int i = 0; i < h->planes; i++) {
                    const double* p = h->plane[i];
                    double out = p[0] * x.x + p[1] * x.y + p[2] * x.z - p[3];
                    if (out > rough) {
                        rough = out;
                        best = i;
                    }
                }
            }
    return best;
}

/* Keeps the planes that matter: those of the box around it, then always the one that is missed most. */
static void simplify(const learner* l, hull* piece) {
    hull h = *piece;
    int chosen[HF_LEARNED_PLANES], count = 0;
    for (int a = 0; a < 6; a++) {
        double* plane = h.plane[h.planes++];
        memset(plane, 0, 4 * sizeof *plane);
        plane[a / 2] = a % 2 ? -1 : 1;
        plane[3] = -INFINITY;
        for (int i = 0; i < h.point_count; i++)
            plane[3] = fmax(plane[3], plane[a / 2] * l->cloud[3 * (size_t)h.points[i] + (size_t)(a / 2)]);
        chosen[count++] = h.planes - 1;
    }
    for (int next;
         count < HF_LEARNED_PLANES && (next = most_missed(&h, chosen, count, rough_share * l->alpha)) >= 0;)
        chosen[count++] = next;
    piece->planes = count;
    for (int i = 0; i < count; i++) {
        memcpy(piece->plane[i], h.plane[chosen[i]], sizeof h.plane[0]);
        piece->plane[i][3] += margin_share * l->alpha;
    }
}

static void mark_covered(learner* l, const hull* piece) {
    for (int t = 0; t < l->tet_count; t++) {
        bool in = !l->covered[t];
        for (int k = 0; k < 4 && in; k++) {
            hf_vec3 p = at(l, l->tets[t][k]);
            in = in_hull(piece, p.x, p.y, p.z, cover_rad);
        }
        if (in) l->covered[t] = true;
    }
}

/* ---- the region ---- */

static bool is_sliver(const learner* l, const int* t) {
    double largest = 0;
    for (int k = 0; k < 4; k++) {
        hf_vec3 a = at(l, t[k]), b = at(l, t[(k + 1) % 4]), c = at(l, t[(k + 2) % 4]);
        largest = fmax(largest, hf_length(hf_cross(hf_sub(b, a), hf_sub(c, a))) / 2);
    }
    return tet_volume(l, t) * 3 < sliver_rad * largest;
}

/* Adds a piece to the region; false when memory is out. */
static bool add_piece(learner* l, const hull* h) {
    hf_rom_learned* region = l->region;
    if (!HF_GROW(region->pieces, l->room, region->count)) return false;
    hf_learned_piece* to = &region->pieces[region->count++];
    to->plane_count = h->planes;
    memcpy(to->planes, h->plane, (size_t)h->planes * sizeof *to->planes);
    return true;
}

/* Pieces until all is covered. */
static hf_status find_pieces(learner* l) {
    near_point* order = hf_alloc((size_t)l->count, sizeof *order);
    hull* piece = hf_alloc(1, sizeof *piece);
    hf_status status = order && piece ? HF_OK : hf_fail_memory(l->error, NULL);
    for (int seed; status == HF_OK && (seed = next_seed(l)) >= 0;) {
        l->covered[seed] = true;
        bool grown = !is_sliver(l, l->tets[seed]) && grow(l, seed, order, piece);
        if (l->out_of_memory) status = hf_fail_memory(l->error, NULL);
        if (!grown || status != HF_OK) continue;
        simplify(l, piece);
        mark_covered(l, piece);
        if (l->region->count == HF_MAX_ROM_PIECES)
            status =
                hf_fail(l->error, HF_ERROR_LIMIT, NULL, 0, NULL,
                        "the region falls into more than %d pieces: a larger alpha or a denser cloud helps",
                        HF_MAX_ROM_PIECES);
        else if (!add_piece(l, piece))
            status = hf_fail_memory(l->error, NULL);
    }
    hf_free(order);
    hf_free(piece);
    if (status == HF_OK && l->region->count == 0)
        status = hf_fail(l->error, HF_ERROR_FORMAT, NULL, 0, NULL, "no region: it has no volume");
    return status;
}

static void learner_free(learner* l) {
    hf_free(l->covered);
    hf_free(l->depth);
    hf_free(l->filled);
    hf_free(l->outside);
    hf_free(l->tets);
    hf_free(l->cloud);
    hf_free(l->qh);
    if (l->silence) fclose(l->silence);
}

void hf_rom_learned_free(hf_rom_learned* region) {
    hf_free(region->pieces);
    *region = (hf_rom_learned){0};
}

hf_status hf_rom_learn_pieces(const double* angles, int count, double alpha, hf_rom_learned* region,
                              hf_error* error) {
    *region = (hf_rom_learned){0};
    if (count < 4 || count > COUNT_MAX)
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "%d angle triples: 4 to %d are expected",
                       count, COUNT_MAX);
    if (!(alpha > 1e-6 && alpha < 1e6))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "alpha %g is out of its range", alpha);
    for (int i = 0; i < 3 * count; i++)
        if (!(fabs(angles[i]) < 1e3))
            return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, NULL, "triple %d holds %g", i / 3, angles[i]);
    learner l = {.count = count, .alpha = alpha, .region = region, .error = error};
    l.cloud = hf_alloc(3 * (size_t)count, sizeof *l.cloud);
    l.qh = hf_alloc(1, sizeof *l.qh);
    l.silence = fopen("/dev/null", "w");
    hf_status status = HF_OK;
    if (!l.cloud || !l.qh || (!l.silence && errno == ENOMEM))
        status = hf_fail_memory(error, NULL);
    else if (!l.silence)
        status = hf_fail(error, HF_ERROR_FILE, "/dev/null", 0, NULL, "cannot be opened: %s", strerror(errno));
    if (status == HF_OK) {
        memcpy(l.cloud, angles, 3 * (size_t)count * sizeof *angles);
        status = thin(&l);
    }
    if (status == HF_OK && l.count < 4)
        status = hf_fail(error, HF_ERROR_FORMAT, NULL, 0, NULL,
                         "no region: fewer than four different angle triples");
    if (status == HF_OK) status = delaunay(&l);
    if (status == HF_OK) status = make_grid(&l);
    if (status == HF_OK) {
        for (int t = 0; t < l.tet_count; t++) fill_tet(&l, l.tets[t]);
        measure_depths(&l);
    }
    if (status == HF_OK) status = find_pieces(&l);
    learner_free(&l);
    if (status != HF_OK) hf_rom_learned_free(region);
    return status;
}
