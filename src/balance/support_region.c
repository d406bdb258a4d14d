/* Where the centre of mass may be at rest: the projection of a linear program onto the plane, found by asking
   for the farthest point across each side of a growing polygon (T. Bretl, S. Lall: Testing static equilibrium
   for legged robots, IEEE Transactions on Robotics 24, 2008). At rest the wrench is (0, 0, w) with the
   moments (w y, -w x, 0): four rows of the program are given, the two others are x and y. A region without
   end, as between walls, is cut to a square: then x and y are columns of their own with limits, in six rows.
 */
#include "balance/stance.h"

#include <math.h>
#include <string.h>

static const double SIDE_TOLERANCE_M = 1e-7; /* a side is final when nothing lies this far beyond it */
static const double SAME_M = 1e-6;           /* corners nearer than this are one */
static const double FEASIBLE = 1e-9;         /* body weights */

typedef struct corner {
    double x, y;
} corner;

typedef struct outline {
    const hf_stance* stance;
    hf_force_program* program;
    bool boxed;   /* x and y have columns */
    bool endless; /* a direction without end was met */
    int count;
    corner corners[HF_REGION_CORNERS];
    bool done[HF_REGION_CORNERS]; /* the side from this corner to the next is final */
} outline;

/* x and y of the present forces. */
static corner present(const outline* o) {
    const hf_force_program* p = o->program;
    if (o->boxed)
        return (corner){hf_force_value(p, o->stance->columns) - HF_REGION_FAR_M,
                        hf_force_value(p, o->stance->columns + 1) - HF_REGION_FAR_M};
    const double *mx = o->stance->rows[3], *my = o->stance->rows[4];
    corner c = {-o->stance->rest[4], o->stance->rest[3]};
    for (int i = 0; i < p->rows; i++)
        if (p->basis[i] < p->columns) c.x -= my[p->basis[i]] * p->x[i], c.y += mx[p->basis[i]] * p->x[i];
    for (int j = 0; j < p->columns; j++)
        if (p->side[j] < 0) c.x -= my[j] * p->upper[j], c.y += mx[j] * p->upper[j];
    return c;
}

static void set_cost(const outline* o, double nx, double ny) {
    hf_force_program* p = o->program;
    const double *mx = o->stance->rows[3], *my = o->stance->rows[4];
    for (int j = 0; !o->boxed && j < p->columns; j++) p->cost[j] = ny * mx[j] - nx * my[j];
    if (o->boxed) p->cost[o->stance->columns] = nx, p->cost[o->stance->columns + 1] = ny;
}

/* The farthest corner along a direction; false when the program gives none. */
static bool farthest(outline* o, double nx, double ny, corner* out) {
    if (o->endless) return false;
    set_cost(o, nx, ny);
    hf_force_end end = hf_force_maximise(o->program);
    o->endless = end == HF_FORCE_UNBOUNDED;
    if (end != HF_FORCE_BEST) return false;
    *out = present(o);
    return true;
}

static void insert(outline* o, int at, corner c) {
    memmove(o->corners + at + 1, o->corners + at, sizeof *o->corners * (size_t)(o->count - at));
    memmove(o->done + at + 1, o->done + at, sizeof *o->done * (size_t)(o->count - at));
    o->corners[at] = c;
    o->done[at] = false;
    o->count++;
}

static void drop(outline* o, int at) {
    memmove(o->corners + at, o->corners + at + 1, sizeof *o->corners * (size_t)(o->count - at - 1));
    memmove(o->done + at, o->done + at + 1, sizeof *o->done * (size_t)(o->count - at - 1));
    o->count--;
}

static bool same(const corner* a, const corner* b) { return hf_hypot(a->x - b->x, a->y - b->y) < SAME_M; }

/* Asks beyond the side that starts at corner i: a new corner there, or the side is final. Returns how many
   corners are new. */
static int open_side(outline* o, int i) {
    int next = (i + 1) % o->count;
    corner a = o->corners[i], b = o->corners[next], c;
    o->done[i] = true;
    double dx = b.x - a.x, dy = b.y - a.y, length = hf_hypot(dx, dy);
    double nx = dy / length, ny = -dx / length;
    if (o->count == HF_REGION_CORNERS || !farthest(o, nx, ny, &c)) return 0;
    double gain = nx * (c.x - a.x) + ny * (c.y - a.y);
    if (gain <= SIDE_TOLERANCE_M || same(&c, &a) || same(&c, &b)) return 0;
    insert(o, i + 1, c);
    o->done[i] = false;
    return 1;
}

/* Three directions that span the plane; equal corners become one. */
static void first_corners(outline* o) {
    static const double directions[3][2] = {
        {1, 0}, {-0.5, 0.86602540378443865}, {-0.5, -0.86602540378443865}};
    for (int k = 0; k < 3; k++) {
        corner c;
        if (!farthest(o, directions[k][0], directions[k][1], &c)) continue;
        insert(o, o->count, c);
    }
    for (int i = o->count - 1; i > 0; i--)
        if (same(&o->corners[i], &o->corners[(i + 1) % o->count]) || same(&o->corners[i], &o->corners[i - 1]))
            drop(o, i);
    /* Counter-clockwise; on a line the outer two are what counts, and the sides between are asked anyway. */
    if (o->count == 3) {
        const corner* c = o->corners;
        double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x);
        if (fabs(area) < 1e-12) {
            int middle = 0;
            for (int i = 0; i < 3; i++) {
                const corner *p = &c[(i + 1) % 3], *q = &c[(i + 2) % 3];
                if ((c[i].x - p->x) * (c[i].x - q->x) + (c[i].y - p->y) * (c[i].y - q->y) < 0) middle = i;
            }
            drop(o, middle);
        } else if (area < 0) {
            corner t = o->corners[1];
            o->corners[1] = o->corners[2], o->corners[2] = t;
        }
    }
}

/* Corners on a straight line between their neighbours say nothing. */
static void straighten(outline* o) {
    for (int i = o->count - 1; i >= 0 && o->count > 2; i--) {
        const corner *a = &o->corners[(i + o->count - 1) % o->count], *b = &o->corners[i],
                     *c = &o->corners[(i + 1) % o->count];
        double dx = c->x - a->x, dy = c->y - a->y, length = hf_hypot(dx, dy);
        double out = length > 0 ? (dy * (b->x - a->x) - dx * (b->y - a->y)) / length : 0;
        if (out < SIDE_TOLERANCE_M) drop(o, i);
    }
}

static void find_sides(hf_support_region* r) {
    for (int i = 0; i < r->count; i++) {
        int next = (i + 1) % r->count;
        double dx = r->x[next] - r->x[i], dy = r->y[next] - r->y[i], length = hf_hypot(dx, dy);
        double nx = dy / length, ny = -dx / length;
        /* The largest part along one of the eight directions, by symmetry. */
        double u = fmax(fabs(nx), fabs(ny)), v = (fabs(nx) + fabs(ny)) * 0.70710678118654752;
        r->nx[i] = nx, r->ny[i] = ny;
        r->offset[i] = nx * r->x[i] + ny * r->y[i];
        r->scale[i] = 1 / fmax(u, v);
    }
}

/* The program with x and y given by the objective (four rows) or as columns (six). */
static void set_up(const hf_stance* stance, bool boxed, hf_force_program* p) {
    static const int given[HF_FORCE_ROWS] = {0, 1, 2, 5, 3, 4};
    const double wanted[HF_FORCE_ROWS] = {0, 0, 1, 0, -HF_REGION_FAR_M, HF_REGION_FAR_M};
    p->rows = boxed ? 6 : 4;
    p->columns = stance->columns + (boxed ? HF_FORCE_LANES : 0);
    p->upper = stance->upper;
    for (int r = 0; r < p->rows; r++) {
        p->a[r] = stance->rows[given[r]];
        p->b[r] = wanted[r] - stance->rest[given[r]];
    }
}

/* False when the region has no end and must be boxed. */
static bool trace(const hf_stance* stance, bool boxed, hf_force_program* p, hf_support_region* region) {
    set_up(stance, boxed, p);
    region->count = 0;
    if (hf_force_start(p, FEASIBLE) != HF_FORCE_BEST) return true;
    outline o = {.stance = stance, .program = p, .boxed = boxed};
    first_corners(&o);
    /* Round after round, so that a region of very many corners is near everywhere. */
    for (bool more = o.count >= 2; more && !o.endless;) {
        more = false;
        for (int i = 0; i < o.count && !o.endless; i++)
            if (!o.done[i]) more = true, i += open_side(&o, i);
    }
    if (o.endless) return false;
    straighten(&o);
    region->count = o.count;
    for (int i = 0; i < o.count; i++) region->x[i] = o.corners[i].x, region->y[i] = o.corners[i].y;
    if (o.count > 2) find_sides(region);
    return true;
}

void hf_support_region_find(const hf_stance* stance, hf_force_program* program, hf_support_region* region) {
    if (!trace(stance, false, program, region)) trace(stance, true, program, region);
}

static double segment_nearest(double ax, double ay, double bx, double by, double x, double y, double out[2]) {
    double dx = bx - ax, dy = by - ay, l = dx * dx + dy * dy;
    double t = l > 0 ? ((x - ax) * dx + (y - ay) * dy) / l : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    out[0] = ax + t * dx, out[1] = ay + t * dy;
    return hf_hypot(x - out[0], y - out[1]);
}

/* Nearest point of an outline to a point outside. */
static double outline_nearest(const double* x, const double* y, int count, double px, double py,
                              double out[2]) {
    double best = INFINITY, at[2];
    for (int i = 0; i < count; i++) {
        int next = (i + 1) % count;
        double d = segment_nearest(x[i], y[i], x[next], y[next], px, py, at);
        if (d < best) best = d, out[0] = at[0], out[1] = at[1];
    }
    return best;
}

double hf_support_region_margin(const hf_support_region* r, double x, double y) {
    const double most = HF_STANCE_MARGIN_M;
    if (!isfinite(x + y) || r->count == 0) return -most;
    double least = r->count > 2 ? most : -1;
    for (int i = 0; r->count > 2 && i < r->count; i++) {
        double slack = (r->offset[i] - r->nx[i] * x - r->ny[i] * y) * r->scale[i];
        least = slack < least ? slack : least;
    }
    if (least >= 0) return least;
    double at[2];
    double distance = outline_nearest(r->x, r->y, r->count, x, y, at);
    return distance < most ? -distance : -most;
}

/* The part of the region with a margin: sides moved in, corners found again by clipping. */
static int shrink(const hf_support_region* r, double margin, double* x, double* y) {
    double nx[2 * HF_REGION_CORNERS], ny[2 * HF_REGION_CORNERS];
    int count = r->count;
    memcpy(x, r->x, sizeof(double) * (size_t)count);
    memcpy(y, r->y, sizeof(double) * (size_t)count);
    for (int s = 0; s < r->count && count; s++) {
        int kept = 0;
        double limit = r->offset[s] - margin / r->scale[s];
        for (int i = 0; i < count; i++) {
            int next = (i + 1) % count;
            double a = r->nx[s] * x[i] + r->ny[s] * y[i] - limit;
            double b = r->nx[s] * x[next] + r->ny[s] * y[next] - limit;
            if (a <= 0) nx[kept] = x[i], ny[kept++] = y[i];
            if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
                double t = a / (a - b);
                nx[kept] = x[i] + t * (x[next] - x[i]), ny[kept++] = y[i] + t * (y[next] - y[i]);
            }
        }
        count = kept;
        memcpy(x, nx, sizeof(double) * (size_t)count);
        memcpy(y, ny, sizeof(double) * (size_t)count);
    }
    return count;
}

void hf_support_region_nearest(const hf_support_region* r, double margin, double px, double py,
                               double out[2]) {
    out[0] = px, out[1] = py;
    if (r->count == 0 || (r->count > 2 && hf_support_region_margin(r, px, py) >= margin)) return;
    double x[2 * HF_REGION_CORNERS], y[2 * HF_REGION_CORNERS];
    if (r->count < 3) {
        outline_nearest(r->x, r->y, r->count, px, py, out);
        return;
    }
    int count = shrink(r, margin, x, y);
    /* Where the region is too small for the margin, as much of it as there is. */
    for (double low = 0, high = margin, step = 0; !count && step < 12; step++) {
        double middle = step < 11 ? (low + high) / 2 : low;
        count = shrink(r, middle, x, y);
        if (step < 11 && count)
            low = middle, count = 0;
        else if (step < 11)
            high = middle;
    }
    if (count) outline_nearest(x, y, count, px, py, out);
}
