/* A stance: its contact forces as a matrix (a friction cone for each corner, inside the real one; for a grip
   the sum of four segments along the diagonals of the world's axes, a rhombic dodecahedron inside the ball of
   its force), the region of the centre of mass at rest, and answers for any acceleration. */
#include "balance/stance.h"
#include "base/error.h"
#include "balance/wrench_polytope.h"
#include "base/memory.h"
#include "base/option_table.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

static const double UNIT_TOLERANCE = 1e-6;
static const double HOLDS = 1e-9; /* body weights: what counts as no difference */

#define FIELD(name) offsetof(hf_stance_options, name)
static const hf_option items[] = {
    {"cone_edges", HF_OPTION_COUNT, FIELD(cone_edges), 4, 8, 4, "", "edges of each friction cone"},
    {"polytope", HF_OPTION_FLAG, FIELD(polytope), 0, 1, 0, "", "find the halfspaces of the wrenches too"},
};

HF_OPTIONS(hf_stance, items)

hf_status hf_stance_create(hf_stance** stance) {
    HF_REQUIRE(NULL, stance);
    *stance = hf_alloc_aligned(1, sizeof **stance);
    return *stance ? HF_OK : HF_ERROR_MEMORY;
}

void hf_stance_free(hf_stance* stance) {
    if (!stance) return;
    hf_free(stance->polytope.facets);
    hf_free(stance);
}

/* ---- building ---- */

static bool finite3(hf_vec3 v) { return isfinite(v.x + v.y + v.z); }

static bool support_is_sound(const hf_support* s) {
    bool good = s->corner_count >= 0 && s->corner_count <= HF_SUPPORT_CORNERS;
    for (int c = 0; good && c < s->corner_count; c++) good = finite3(s->corners[c]);
    if (s->grip) return good && isfinite(s->max_force) && s->max_force >= 0;
    return good && isfinite(s->friction) && s->friction >= 0 &&
           fabs(hf_length(s->normal) - 1) < UNIT_TOLERANCE;
}

static void add_column(hf_stance* s, hf_vec3 at, hf_vec3 force, double upper) {
    hf_vec3 moment = hf_cross(hf_sub(at, s->reference), force);
    const double wrench[HF_FORCE_ROWS] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int r = 0; r < HF_FORCE_ROWS; r++) s->rows[r][s->used] = wrench[r];
    s->upper[s->used++] = upper;
    /* Two-sided: the middle of the interval is no force. */
    for (int r = 0; upper < INFINITY && r < HF_FORCE_ROWS; r++) s->rest[r] -= wrench[r] * upper / 2;
}

/* The first edge of a cone points up along the surface as far as it can, on flat ground along +X: where
   friction has to carry weight the inscribed cone loses nothing. */
static void cone_axes(hf_vec3 normal, hf_vec3* u, hf_vec3* v) {
    hf_vec3 aim = fabs(normal.z) > 0.999 ? hf_v3(1, 0, 0) : hf_v3(0, 0, 1);
    *u = hf_normalize(hf_sub(aim, hf_scale(normal, hf_dot(aim, normal))));
    *v = hf_cross(normal, *u);
}

static void add_cones(hf_stance* stance, const hf_support* s) {
    hf_vec3 u, v;
    cone_axes(s->normal, &u, &v);
    int edges = s->friction > 0 ? stance->cone_edges : 1;
    for (int c = 0; c < s->corner_count; c++)
        for (int e = 0; e < edges; e++) {
            double angle = 2 * 3.14159265358979323846 * e / edges;
            hf_vec3 aside = hf_add(hf_scale(u, hf_cos(angle)), hf_scale(v, hf_sin(angle)));
            add_column(stance, s->corners[c], hf_add(s->normal, hf_scale(aside, s->friction)), INFINITY);
        }
}

static void add_grip(hf_stance* stance, const hf_support* s) {
    static const hf_vec3 diagonals[4] = {{1, 1, 1}, {1, -1, 1}, {-1, 1, 1}, {-1, -1, 1}};
    /* Four segments of +-s along (+-1, +-1, 1) add up to 4 s along an axis: the ball's radius. */
    double radius = s->max_force / s->corner_count / stance->weight;
    for (int c = 0; c < s->corner_count; c++)
        for (int d = 0; d < 4; d++) add_column(stance, s->corners[c], diagonals[d], radius / 2);
}

static int column_count(const hf_support* supports, int count, int edges) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += supports[i].corner_count * (supports[i].grip ? 4 : edges);
    return sum;
}

/* The middle of all corners. */
static hf_vec3 middle(const hf_stance* s) {
    hf_vec3 sum = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < s->support_count; i++)
        for (int c = 0; c < s->supports[i].corner_count; c++, count++)
            sum = hf_add(sum, s->supports[i].corners[c]);
    return count ? hf_scale(sum, 1.0 / count) : sum;
}

static void fill_columns(hf_stance* s) {
    s->used = 0;
    memset(s->rest, 0, sizeof s->rest);
    for (int i = 0; i < s->support_count; i++) {
        if (s->supports[i].corner_count == 0) continue;
        if (s->supports[i].grip)
            add_grip(s, &s->supports[i]);
        else
            add_cones(s, &s->supports[i]);
    }
    s->columns = (s->used + HF_FORCE_LANES - 1) / HF_FORCE_LANES * HF_FORCE_LANES;
    for (int j = s->used; j < s->columns + HF_FORCE_LANES; j++) {
        for (int r = 0; r < HF_FORCE_ROWS; r++) s->rows[r][j] = 0;
        s->upper[j] = 0;
    }
    /* The centre of mass from the far corner of a square, as the moments that it takes. */
    s->rows[4][s->columns] = 1, s->rows[3][s->columns + 1] = -1;
    s->upper[s->columns] = s->upper[s->columns + 1] = 2 * HF_REGION_FAR_M;
}

hf_status hf_stance_build(hf_stance* stance, const hf_support* supports, int count, double mass,
                          const hf_stance_options* options, hf_workspace* workspace) {
    HF_REQUIRE(NULL, stance && workspace && (supports || count <= 0));
    hf_stance_options o = options ? *options : hf_stance_options_default();
    stance->support_count = stance->columns = stance->used = 0;
    stance->region.count = 0;
    stance->polytope.known = false;
    hf_status status = hf_options_check(hf_stance_option_table(), &o, NULL);
    if (status != HF_OK) return status;
    if (count < 0 || !(mass > 0) || !isfinite(mass)) return HF_ERROR_ARGUMENT;
    if (count > HF_STANCE_SUPPORTS) return HF_ERROR_LIMIT;
    for (int i = 0; i < count; i++)
        if (!support_is_sound(&supports[i])) return HF_ERROR_ARGUMENT;
    if (column_count(supports, count, o.cone_edges) > HF_FORCE_COLUMNS - HF_FORCE_LANES)
        return HF_ERROR_LIMIT;
    stance->weight = mass * HF_GRAVITY_M_S2;
    stance->cone_edges = o.cone_edges;
    stance->support_count = count;
    if (count > 0) memcpy(stance->supports, supports, sizeof *supports * (size_t)count);
    stance->reference = middle(stance);
    fill_columns(stance);
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_force_program* program = hf_workspace_take(workspace, 1, sizeof *program);
    if (program)
        hf_support_region_find(stance, program, &stance->region);
    else
        status = HF_ERROR_MEMORY;
    if (status == HF_OK && o.polytope) status = hf_wrench_polytope_find(stance, workspace, &stance->polytope);
    hf_workspace_end(workspace, mark);
    return status;
}

/* ---- questions ---- */

double hf_stance_margin(const hf_stance* stance, hf_vec3 com) {
    return hf_support_region_margin(&stance->region, com.x - stance->reference.x,
                                    com.y - stance->reference.y);
}

hf_status hf_stance_margin_with(const hf_stance* stance, const hf_support* support, hf_vec3 com,
                                hf_workspace* workspace, double* margin) {
    HF_REQUIRE(NULL, stance && support && workspace && margin);
    *margin = -HF_STANCE_MARGIN_M;
    if (stance->support_count == HF_STANCE_SUPPORTS) return HF_ERROR_LIMIT;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    hf_stance* more = hf_workspace_take(workspace, 1, sizeof *more);
    hf_status status = more ? HF_OK : HF_ERROR_MEMORY;
    if (more) {
        hf_support supports[HF_STANCE_SUPPORTS];
        memcpy(supports, stance->supports, sizeof *supports * (size_t)stance->support_count);
        supports[stance->support_count] = *support;
        more->polytope = (hf_wrench_polytope){0};
        const hf_stance_options options = {.cone_edges = stance->cone_edges};
        status = hf_stance_build(more, supports, stance->support_count + 1, stance->weight / HF_GRAVITY_M_S2,
                                 &options, workspace);
        if (status == HF_OK) *margin = hf_stance_margin(more, com);
    }
    hf_workspace_end(workspace, mark);
    return status;
}

int hf_stance_region(const hf_stance* stance, double* corners, int capacity) {
    const hf_support_region* r = &stance->region;
    for (int i = 0; i < r->count && i < capacity; i++) {
        corners[2 * i] = r->x[i] + stance->reference.x;
        corners[2 * i + 1] = r->y[i] + stance->reference.y;
    }
    return r->count;
}

/* The wrench the contacts must give, in body weights, about the reference. */
static void wanted_wrench(const hf_stance* s, hf_vec3 com, hf_vec3 acceleration, hf_vec3 momentum_rate,
                          double w[HF_FORCE_ROWS]) {
    hf_vec3 force = hf_scale(hf_add(acceleration, hf_v3(0, 0, HF_GRAVITY_M_S2)), 1 / HF_GRAVITY_M_S2);
    hf_vec3 moment =
        hf_add(hf_cross(hf_sub(com, s->reference), force), hf_scale(momentum_rate, 1 / s->weight));
    w[0] = force.x, w[1] = force.y, w[2] = force.z;
    w[3] = moment.x, w[4] = moment.y, w[5] = moment.z;
}

bool hf_stance_holds(const hf_stance* stance, hf_vec3 com, hf_vec3 acceleration, hf_vec3 momentum_rate) {
    if (!stance->polytope.known) return hf_stance_forces(stance, com, acceleration, momentum_rate, NULL);
    double w[HF_FORCE_ROWS];
    wanted_wrench(stance, com, acceleration, momentum_rate, w);
    if (!hf_wrench_polytope_holds(&stance->polytope, w)) return false;
    return stance->polytope.certain || hf_stance_forces(stance, com, acceleration, momentum_rate, NULL);
}

bool hf_stance_forces(const hf_stance* stance, hf_vec3 com, hf_vec3 acceleration, hf_vec3 momentum_rate,
                      hf_vec3* forces) {
    double w[HF_FORCE_ROWS];
    wanted_wrench(stance, com, acceleration, momentum_rate, w);
    hf_force_program p;
    p.rows = HF_FORCE_ROWS;
    p.columns = stance->columns;
    p.upper = stance->upper;
    for (int r = 0; r < HF_FORCE_ROWS; r++) {
        if (!isfinite(w[r])) return false;
        p.a[r] = stance->rows[r];
        p.b[r] = w[r] - stance->rest[r];
    }
    if (hf_force_start(&p, HOLDS) != HF_FORCE_BEST) return false;
    for (int i = 0, column = 0; forces && i < stance->support_count; i++) {
        const hf_support* s = &stance->supports[i];
        int each = s->grip ? 4 : s->friction > 0 ? stance->cone_edges : 1;
        for (int c = 0; c < s->corner_count; c++, forces++) {
            *forces = hf_v3(0, 0, 0);
            for (int k = 0; k < each; k++, column++) {
                double x = hf_force_value(&p, column);
                if (s->grip) x -= stance->upper[column] / 2;
                x *= stance->weight;
                hf_vec3 edge = {stance->rows[0][column], stance->rows[1][column], stance->rows[2][column]};
                *forces = hf_add(*forces, hf_scale(edge, x));
            }
        }
    }
    return true;
}

double hf_stance_balance(void* user, hf_vec3 com, hf_vec3* shift) {
    const hf_stance_wish* wish = user;
    const hf_stance* s = wish->stance;
    double x = com.x - s->reference.x, y = com.y - s->reference.y, at[2];
    hf_support_region_nearest(&s->region, wish->margin_m, x, y, at);
    *shift = hf_v3(at[0] - x, at[1] - y, 0);
    return hf_support_region_margin(&s->region, x, y);
}
