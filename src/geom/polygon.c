/* Ear clipping: a simple polygon with more than three corners has two ears (Meisters 1975), and cutting one
   changes only its two neighbours. The polygon is seen along the axis nearest to its normal (Newell's sum),
   which keeps the coordinates exact. Corners on a straight line are kept, as triangles without area, so that
   neighbouring faces still share all their vertices. */
#include "geom/polygon.h"
#include "base/memory.h"

bool hf_polygon_reserve(hf_polygon* polygon, int count) {
    if (count <= polygon->capacity) return true;
    int64_t work = polygon->work;
    int capacity = count < 64 ? 64 : count + count / 2;
    hf_polygon_free(polygon);
    polygon->work = work;
    size_t n = (size_t)capacity;
    polygon->points = hf_alloc(n, sizeof *polygon->points);
    polygon->triangles = hf_alloc(n * 3, sizeof *polygon->triangles);
    polygon->flat = hf_alloc(n * 2, sizeof *polygon->flat);
    polygon->links = hf_alloc(n * 3, sizeof *polygon->links);
    polygon->turns = hf_alloc(n * 2, sizeof *polygon->turns);
    if (!polygon->points || !polygon->triangles || !polygon->flat || !polygon->links || !polygon->turns) {
        hf_polygon_free(polygon);
        return false;
    }
    polygon->capacity = capacity;
    return true;
}

void hf_polygon_free(hf_polygon* polygon) {
    hf_free(polygon->points);
    hf_free(polygon->triangles);
    hf_free(polygon->flat);
    hf_free(polygon->links);
    hf_free(polygon->turns);
    *polygon = (hf_polygon){0};
}

/* Newell's normal, about the first corner so that far-away polygons lose no digits. */
static hf_vec3 newell_normal(const hf_vec3* points, int count) {
    hf_vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        sum = hf_add(sum, hf_cross(hf_sub(points[i], points[0]), hf_sub(points[i + 1], points[0])));
    return sum;
}

/* Drops the axis nearest to the normal; afterwards the polygon runs counter-clockwise. False when it has
   no area. */
static bool flatten(hf_polygon* p, int count) {
    hf_vec3 n = newell_normal(p->points, count);
    double along[3] = {n.x, n.y, n.z};
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(along[i]) > fabs(along[axis])) axis = i;
    if (!(fabs(along[axis]) > 0)) return false;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (along[axis] < 0) {
        int swap = u;
        u = v;
        v = swap;
    }
    for (int i = 0; i < count; i++) {
        double xyz[3] = {p->points[i].x, p->points[i].y, p->points[i].z};
        p->flat[2 * i] = xyz[u];
        p->flat[2 * i + 1] = xyz[v];
    }
    return true;
}

/* Twice the signed area of three flat corners. */
static double turn_of(const double* flat, int a, int b, int c) {
    const double *p = flat + 2 * a, *q = flat + 2 * b, *r = flat + 2 * c;
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static bool same_place(const double* flat, int a, int b) {
    return flat[2 * a] == flat[2 * b] && flat[2 * a + 1] == flat[2 * b + 1];
}

/* The outline while it is cut: a ring of live corners, and the corners that do not turn left. */
typedef struct ring {
    hf_polygon* polygon;
    const double* flat;
    int *next, *previous, *blockers;
    int blocker_count;
    signed char *turn, *ear;
} ring;

static void set_turn(ring* r, int i) {
    double t = turn_of(r->flat, r->previous[i], i, r->next[i]);
    r->turn[i] = (signed char)(t > 0 ? 1 : t < 0 ? -1 : 0);
}

/* An ear turns left and holds no corner that turns right or runs straight; corners at the same place as its
   own (a hole joined by a cut has such) do not count. */
static bool is_ear(ring* r, int i) {
    if (r->turn[i] <= 0) return false;
    int a = r->previous[i], c = r->next[i];
    int kept = 0;
    bool free = true;
    for (int k = 0; k < r->blocker_count; k++) {
        int b = r->blockers[k];
        if (r->turn[b] > 0) continue; /* cut away or turned left since: forgotten */
        r->blockers[kept++] = b;
        if (!free || b == a || b == c) continue;
        if (turn_of(r->flat, a, i, b) < 0 || turn_of(r->flat, i, c, b) < 0 || turn_of(r->flat, c, a, b) < 0)
            continue;
        free = same_place(r->flat, a, b) || same_place(r->flat, i, b) || same_place(r->flat, c, b);
    }
    r->polygon->work += r->blocker_count + 1;
    r->blocker_count = kept;
    return free;
}

/* Cuts corner i off and looks again at its two neighbours. */
static void clip(ring* r, int i, int* triangle) {
    int a = r->previous[i], c = r->next[i];
    triangle[0] = a;
    triangle[1] = i;
    triangle[2] = c;
    r->next[a] = c;
    r->previous[c] = a;
    r->turn[i] = 1;
    int neighbours[2] = {a, c};
    for (int k = 0; k < 2; k++) {
        int j = neighbours[k];
        bool listed = r->turn[j] <= 0;
        set_turn(r, j);
        if (!listed && r->turn[j] <= 0) r->blockers[r->blocker_count++] = j;
    }
    for (int k = 0; k < 2; k++) r->ear[neighbours[k]] = is_ear(r, neighbours[k]);
}

/* The next ear from `start` on; without one a corner without area, else any (a crossing outline). */
static int choose(const ring* r, int start, int left, bool* clean) {
    int flat = -1, convex = -1;
    for (int i = start, k = 0; k < left; k++, i = r->next[i]) {
        if (r->ear[i]) return i;
        if (flat < 0 && r->turn[i] == 0) flat = i;
        if (convex < 0 && r->turn[i] > 0) convex = i;
    }
    if (flat >= 0) return flat;
    *clean = false;
    return convex >= 0 ? convex : start;
}

static void fan(hf_polygon* p, int count) {
    for (int i = 0; i + 2 < count; i++) {
        p->triangles[3 * i] = 0;
        p->triangles[3 * i + 1] = i + 1;
        p->triangles[3 * i + 2] = i + 2;
    }
}

bool hf_polygon_cut(hf_polygon* p, int count) {
    if (count == 3 || !flatten(p, count)) {
        fan(p, count);
        return true;
    }
    ring r = {.polygon = p,
              .flat = p->flat,
              .next = p->links,
              .previous = p->links + p->capacity,
              .blockers = p->links + 2 * p->capacity,
              .turn = p->turns,
              .ear = p->turns + p->capacity};
    for (int i = 0; i < count; i++) {
        r.next[i] = i + 1 < count ? i + 1 : 0;
        r.previous[i] = i > 0 ? i - 1 : count - 1;
    }
    for (int i = 0; i < count; i++) {
        set_turn(&r, i);
        if (r.turn[i] <= 0) r.blockers[r.blocker_count++] = i;
    }
    p->work += count;
    /* Convex faces, nearly all there are, need no search. */
    if (r.blocker_count == 0) {
        fan(p, count);
        return true;
    }
    for (int i = 0; i < count; i++) r.ear[i] = is_ear(&r, i);
    bool clean = true;
    int at = 0, left = count;
    for (; left > 3; left--) {
        int i = choose(&r, at, left, &clean);
        clip(&r, i, p->triangles + 3 * (count - left));
        /* Going on two corners further keeps the triangles fat. */
        at = r.next[r.next[i]];
    }
    int* last = p->triangles + 3 * (count - 3);
    last[0] = at;
    last[1] = r.next[at];
    last[2] = r.next[r.next[at]];
    return clean;
}
