/* Ways of the centre of mass by alternating directions (ADMM, Boyd and others 2011): a least-squares problem
   with one banded matrix for the places of all knots, and a projection into a convex polygon for each knot.
 */
#include "balance/com_curve.h"

#include "base/band.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

/* Weight of the change of acceleration from knot to knot, (m/s2)^2, against the square of the distance
   between pressure point and region, m2: 1 m/s2 counts as much as 5 mm. */
static const double SMOOTH = 3e-5;
/* Weight of the distance of a place from its wish in the same unit: 5 cm count as much as 7 mm. */
static const double WISH = 3;
static const double INSIDE_M = 5e-4; /* nearer to its region than this is inside */
enum { ROUNDS = 400, WIDTH = 3 };    /* rounds of the program; entries beside the diagonal of its matrix */

/* ---- regions ---- */

static double cross(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* What lies to the left of the line through a and b, moved `margin` to the left. */
static int cut(const hf_pressure_region* in, const double a[2], const double b[2], double margin,
               double (*out)[2]) {
    double length = hf_hypot(b[0] - a[0], b[1] - a[1]);
    int n = 0;
    for (int i = 0; i < in->count; i++) {
        const double *p = in->corners[i], *q = in->corners[(i + 1) % in->count];
        double hp = cross(a, b, p) / length - margin, hq = cross(a, b, q) / length - margin,
               t = hp / (hp - hq);
        if (hp >= 0 && n < HF_PRESSURE_CORNERS) memcpy(out[n++], p, sizeof *out);
        if ((hp >= 0) == (hq >= 0) || n == HF_PRESSURE_CORNERS) continue;
        out[n][0] = p[0] + t * (q[0] - p[0]), out[n++][1] = p[1] + t * (q[1] - p[1]);
    }
    return n;
}

/* Keeps of a region what is so far inside of all sides of another. False where nothing is left. */
static bool keep_inside(const hf_pressure_region* sides, double margin, hf_pressure_region* region) {
    for (int i = 0; i < sides->count && region->count > 0; i++) {
        hf_pressure_region was = *region;
        const double *a = sides->corners[i], *b = sides->corners[(i + 1) % sides->count];
        if (hf_hypot(b[0] - a[0], b[1] - a[1]) > INSIDE_M)
            region->count = cut(&was, a, b, margin, region->corners);
    }
    return region->count > 2;
}

bool hf_pressure_region_find(const hf_stance* stance, double margin_m, hf_pressure_region* region) {
    hf_pressure_region whole;
    whole.count = hf_stance_region(stance, whole.corners[0], HF_PRESSURE_CORNERS);
    if (whole.count < 1 || whole.count > HF_PRESSURE_CORNERS) return false;
    for (int i = 0; i < 4; i++, margin_m /= 2) {
        *region = whole;
        if (keep_inside(&whole, margin_m, region)) return true;
    }
    *region = whole;
    return true;
}

bool hf_pressure_region_within(const hf_stance* stance, hf_pressure_region* region) {
    hf_pressure_region bears, inner = *region;
    bears.count = hf_stance_region(stance, bears.corners[0], HF_PRESSURE_CORNERS);
    if (bears.count < 3 || bears.count > HF_PRESSURE_CORNERS || !keep_inside(&bears, 0, &inner)) return false;
    *region = inner;
    return true;
}

void hf_pressure_region_inward(const hf_pressure_region* region, double share, hf_pressure_region* inner) {
    double middle[2] = {0, 0};
    for (int i = 0; i < region->count; i++)
        for (int x = 0; x < 2; x++) middle[x] += region->corners[i][x] / region->count;
    inner->count = region->count;
    for (int i = 0; i < region->count; i++)
        for (int x = 0; x < 2; x++)
            inner->corners[i][x] = region->corners[i][x] + share * (middle[x] - region->corners[i][x]);
}

/* The nearest point of the region; returns how far that is. */
static double project(const hf_pressure_region* r, const double p[2], double out[2]) {
    double best = INFINITY, nearest[2] = {p[0], p[1]};
    bool inside = r->count > 2;
    for (int i = 0; i < r->count; i++) {
        const double *a = r->corners[i], *b = r->corners[(i + 1) % r->count];
        inside = inside && cross(a, b, p) >= 0;
        double dx = b[0] - a[0], dy = b[1] - a[1], l = dx * dx + dy * dy;
        double t = l > 0 ? fmin(1, fmax(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / l)) : 0;
        double d = hf_hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
        if (d < best) best = d, nearest[0] = a[0] + t * dx, nearest[1] = a[1] + t * dy;
    }
    memcpy(out, inside ? p : nearest, sizeof nearest);
    return inside ? 0 : best;
}

/* ---- the program ---- */

/* Knot k presses at p[k] - c (p[k-1] - 2 p[k] + p[k+1]) + offset. Before the first knot and behind the last
   one the body is where they are. The first and the last place are given; the others are the unknowns. */
typedef struct program {
    const hf_com_curve* curve;
    double (*press)[3]; /* of each knot: coefficients of its row about p[k-1] */
    double smooth[4];   /* coefficients of a row about p[k-2] */
    hf_band band;       /* of the factor */
    double (*at)[2], (*in)[2], (*dual)[2], (*places)[2];
} program;

static int clamp(const program* g, int k) { return k < 0 ? 0 : k > g->curve->steps ? g->curve->steps : k; }

/* Adds the row times itself to the matrix; fixed places have an identity instead. */
static void add_row(program* g, int first, const double* row, int size) {
    for (int i = 0; i < size; i++)
        for (int k = 0; k < size; k++) {
            int a = clamp(g, first + i), b = clamp(g, first + k);
            bool fixed = a == 0 || b == 0 || a == g->curve->steps || b == g->curve->steps;
            if (b <= a && !fixed) *hf_band_at(&g->band, a, b) += row[i] * row[k];
        }
}

static bool factor(program* g) {
    int n = g->curve->steps;
    double s = sqrt(SMOOTH) / (g->curve->step_s * g->curve->step_s);
    for (int k = 0; k <= n; k++) {
        double c = g->curve->height_m[k] / HF_GRAVITY_M_S2 / (g->curve->step_s * g->curve->step_s);
        memcpy(g->press[k], (double[]){-c, 1 + 2 * c, -c}, sizeof *g->press);
    }
    memcpy(g->smooth, (double[]){-s, 3 * s, -3 * s, s}, sizeof g->smooth);
    memset(g->band.values, 0, sizeof(double) * (WIDTH + 1) * (size_t)(n + 1));
    *hf_band_at(&g->band, 0, 0) = *hf_band_at(&g->band, n, n) = 1;
    for (int k = 0; k <= n; k++) add_row(g, k - 1, g->press[k], 3);
    for (int k = 1; k < n; k++) *hf_band_at(&g->band, k, k) += WISH * g->curve->wish_weight;
    for (int k = 0; k <= n + 1; k++) add_row(g, k - 2, g->smooth, 4);
    return hf_band_factor(&g->band);
}

/* Adds the row's transpose times (value - what the given places make of the row). */
static void add_right(program* g, int first, const double* row, int size, const double* value,
                      const double ends[2][2]) {
    int n = g->curve->steps;
    for (int x = 0; x < 2; x++) {
        double want = value ? value[x] : 0;
        for (int i = 0; i < size; i++) {
            int a = clamp(g, first + i);
            if (a == 0 || a == n) want -= row[i] * ends[a == n][x];
        }
        for (int i = 0; i < size; i++) {
            int a = clamp(g, first + i);
            if (a > 0 && a < n) g->places[a][x] += row[i] * want;
        }
    }
}

/* The places whose pressure points are nearest to where they should be, and those points. */
static void solve(program* g) {
    const hf_com_curve* c = g->curve;
    int n = c->steps;
    const double ends[2][2] = {{c->from.x, c->from.y}, {c->to.x, c->to.y}};
    memset(g->places, 0, sizeof *g->places * (size_t)(n + 1));
    for (int k = 0; k <= n; k++) {
        double want[2];
        for (int x = 0; x < 2; x++) want[x] = g->in[k][x] - g->dual[k][x] - c->offset[k][x];
        add_right(g, k - 1, g->press[k], 3, want, ends);
    }
    for (int k = 0; k <= n + 1; k++) add_right(g, k - 2, g->smooth, 4, NULL, ends);
    for (int k = 1; k < n; k++)
        for (int x = 0; x < 2; x++) g->places[k][x] += WISH * c->wish_weight * c->wish[k][x];
    memcpy(g->places[0], ends[0], sizeof *g->places);
    memcpy(g->places[n], ends[1], sizeof *g->places);
    for (int x = 0; x < 2; x++) hf_band_solve(&g->band, &g->places[0][x], 2);
    for (int k = 0; k <= n; k++)
        for (int x = 0; x < 2; x++) {
            g->at[k][x] = c->offset[k][x];
            for (int i = 0; i < 3; i++) g->at[k][x] += g->press[k][i] * g->places[clamp(g, k - 1 + i)][x];
        }
}

/* One round; returns how far a pressure point is outside at most. */
static double round_of(program* g) {
    double outside = 0;
    solve(g);
    for (int k = 0; k <= g->curve->steps; k++) {
        double moved[2] = {g->at[k][0] + g->dual[k][0], g->at[k][1] + g->dual[k][1]}, nearest[2];
        outside = fmax(outside, project(g->curve->region[k], g->at[k], nearest));
        project(g->curve->region[k], moved, g->in[k]);
        for (int x = 0; x < 2; x++) g->dual[k][x] += g->at[k][x] - g->in[k][x];
    }
    return outside;
}

hf_status hf_com_curve_find(const hf_com_curve* c, hf_workspace* workspace, double (*places)[2],
                            double* outside_m) {
    size_t m = (size_t)c->steps + 1;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    program g = {.curve = c, .places = places};
    g.band = (hf_band){c->steps + 1, WIDTH, hf_workspace_take(workspace, m * (WIDTH + 1), sizeof(double))};
    g.at = hf_workspace_take(workspace, 3 * m, sizeof *g.at);
    g.press = hf_workspace_take(workspace, m, sizeof *g.press);
    bool room = g.band.values && g.at && g.press;
    *outside_m = INFINITY;
    if (room) {
        g.in = g.at + m, g.dual = g.in + m;
        memset(g.dual, 0, sizeof *g.dual * m);
        bool definite = factor(&g);
        for (int k = 0; k <= c->steps; k++) {
            hf_vec3 line = hf_lerp(c->from, c->to, (double)k / c->steps);
            project(c->region[k], (double[]){line.x, line.y}, g.in[k]);
        }
        for (int i = 0; definite && i<ROUNDS&& * outside_m> INSIDE_M && hf_workspace_goes_on(workspace); i++)
            *outside_m = round_of(&g);
    }
    hf_workspace_end(workspace, mark);
    return room ? HF_OK : HF_ERROR_MEMORY;
}
