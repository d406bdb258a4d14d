/* Building distance grids: the distance of every brick's centre by the object's tree, and inside the bricks
   near the surface the distance of every cell from the triangles that can matter there. */
#include "contact/distance_grid.h"
#include "base/rounding.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "contact/candidates.h"
#include <holdfast/samples.h>

#include <math.h>

/* Fine cells to an epsilon; the values reach two cells beyond it. */
static const double CELLS_TO_EPSILON = 4;
static const double HALF_DIAGONAL = 0.8660254037844387;
/* Objects of at least so many triangles whose mean area is at most that of a square of so many epsilons. */
enum { MANY = 1000 };
static const double SMALL = 3;
/* What floats may be wrong by, at most, in steps of a value; half of QUARTER_STEP is left for that. */
static const float DOUBT_SHARE = 0.05f, QUARTER_STEP = 0.25f;
static const double WIDER = 1.001;     /* of a band, for the rounding of floats */
static const double ANYWHERE_M = 1e18; /* farther than anything; its square is a float */
/* More than this many bricks, with or without values, is too much memory: the object gets no grid. */
enum { MAX_COARSE = 1 << 20, MAX_BRICKS = 1 << 17, LAST_VALUE = HF_GRID_FAR - 1 };

typedef struct builder {
    const hf_object* object;
    const hf_tree_kernel* tree;
    const hf_candidate_kernel* kernel;
    hf_grid* grid;
    int* coarse_of; /* brick that values i belong to */
} builder;

static double band(const hf_grid* g) { return g->epsilon + 2 * g->cell; }

/* Centre of a brick in the object's frame. */
static hf_vec3 brick_center(const hf_grid* g, int index) {
    int x = index % g->size[0], y = index / g->size[0] % g->size[1], z = index / g->size[0] / g->size[1];
    double size = g->cell * HF_BRICK;
    return hf_add(g->low, hf_v3((x + 0.5) * size, (y + 0.5) * size, (z + 0.5) * size));
}

/* ---- coarse ---- */

typedef struct nearest_visit {
    hf_vec3 p;
    double least;
} nearest_visit;

static bool visit_nearest(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)id;
    nearest_visit* v = user;
    hf_vec3 nearest;
    double d = sqrt(hf_triangle_point(t, v->p, &nearest));
    if (d < v->least) *bound = v->least = d;
    return true;
}

/* One row of bricks along x: the neighbour's distance bounds the next search. */
static void do_coarse_row(void* context, int row, int worker) {
    (void)worker;
    const builder* b = context;
    hf_grid* g = b->grid;
    double bound = INFINITY, size = g->cell * HF_BRICK;
    for (int x = 0; x < g->size[0]; x++) {
        int index = row * g->size[0] + x;
        nearest_visit v = {brick_center(g, index), bound};
        b->tree->near(b->object->tree, v.p, v.p, isfinite(bound) ? bound : ANYWHERE_M, visit_nearest, &v);
        g->far[index] = (float)(v.least * (1 - HF_NEGLIGIBLE));
        bound = (v.least + size) * (1 + HF_ROUNDING);
    }
}

/* ---- fine ---- */

typedef struct fill {
    const builder* b;
    hf_vec3 center;
    float least[HF_BRICK_CELLS / HF_BRICK][HF_BRICK] __attribute__((aligned(32)));
} fill;

static double cell_at(const hf_grid* g, int i) { return (i - 0.5 * (HF_BRICK - 1)) * g->cell; }

/* A sliver in double, cell by cell. */
static void fill_exact(fill* f, const hf_triangle* t) {
    const hf_grid* g = f->b->grid;
    for (int i = 0; i < HF_BRICK_CELLS; i++) {
        hf_vec3 nearest, p = hf_v3(cell_at(g, i % 8), cell_at(g, i / 8 % 8), cell_at(g, i / 64));
        float square = (float)hf_triangle_point(t, p, &nearest);
        float* least = &f->least[i / HF_BRICK][i % HF_BRICK];
        *least = fminf(*least, square);
    }
}

static bool visit_fill(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)id, (void)bound;
    fill* f = user;
    const hf_grid* g = f->b->grid;
    hf_triangle here;
    for (int i = 0; i < 3; i++) here.v[i] = hf_sub(t->v[i], f->center);
    hf_near_triangle near;
    hf_near_triangle_set(&near, &here, HF_BRICK * g->cell, 0);
    // what floats may be wrong by must be far under a step
    if (near.exact || near.doubt > DOUBT_SHARE * g->step) {
        fill_exact(f, &here);
        return true;
    }
    // rows beyond the band of its box keep what they have
    float step = (float)g->cell, x = (float)cell_at(g, 0), most = (float)(band(g) * WIDER);
    for (int row = 0; row < HF_BRICK_CELLS / HF_BRICK; row++) {
        float y = (float)cell_at(g, row % 8), z = (float)cell_at(g, row / 8);
        float dy = fabsf(y - near.center[1]) - near.half[1], dz = fabsf(z - near.center[2]) - near.half[2];
        dy = dy > 0 ? dy : 0, dz = dz > 0 ? dz : 0;
        if (dy * dy + dz * dz <= most * most) f->b->kernel->row(&near, x, y, z, step, f->least[row]);
    }
    return true;
}

static void do_brick(void* context, int brick, int worker) {
    (void)worker;
    const builder* b = context;
    hf_grid* g = b->grid;
    fill f = {.b = b, .center = brick_center(g, b->coarse_of[brick])};
    double reach = band(g) + HALF_DIAGONAL * HF_BRICK * g->cell;
    for (int i = 0; i < HF_BRICK_CELLS; i++) f.least[i / HF_BRICK][i % HF_BRICK] = INFINITY;
    b->tree->near(b->object->tree, f.center, f.center, reach * (1 + HF_NEGLIGIBLE), visit_fill, &f);
    // half a step of the range goes to what floats may be wrong by
    for (int i = 0; i < HF_BRICK_CELLS; i++) {
        float v = sqrtf(f.least[i / HF_BRICK][i % HF_BRICK]) / g->step - QUARTER_STEP;
        g->values[brick][i] = v >= LAST_VALUE ? HF_GRID_FAR : v > 0 ? (uint8_t)v : 0;
    }
}

/* ---- one object ---- */

/* Cells, corner and size; false when the object would take too many. */
static bool lay_out(hf_grid* g, const hf_tree* tree, double epsilon) {
    g->epsilon = epsilon;
    g->cell = epsilon / CELLS_TO_EPSILON;
    g->step = (float)(band(g) / (LAST_VALUE - 0.5));
    double margin = band(g) + g->cell, size = g->cell * HF_BRICK, total = 1;
    double low[3];
    for (int k = 0; k < 3; k++) {
        low[k] = (double)tree->low[k] - margin;
        double bricks = ceil(((double)tree->high[k] + margin - low[k]) / size);
        total *= bricks;
        if (!(total <= MAX_COARSE)) return false;
        g->size[k] = (int)bricks;
    }
    g->low = hf_v3(low[0], low[1], low[2]);
    return true;
}

/* Gives values to the bricks near the surface; false when memory is out, done without when too many. */
static bool choose_bricks(builder* b) {
    hf_grid* g = b->grid;
    int total = g->size[0] * g->size[1] * g->size[2];
    double reach = band(g) + HALF_DIAGONAL * HF_BRICK * g->cell;
    for (int i = 0; i < total; i++) g->brick[i] = (double)g->far[i] <= reach ? g->brick_count++ : -1;
    if (g->brick_count == 0 || g->brick_count > MAX_BRICKS) return true;
    b->coarse_of = hf_alloc((size_t)g->brick_count, sizeof *b->coarse_of);
    g->values = hf_alloc((size_t)g->brick_count, sizeof *g->values);
    if (!b->coarse_of || !g->values) return false;
    for (int i = 0; i < total; i++)
        if (g->brick[i] >= 0) b->coarse_of[g->brick[i]] = i;
    return true;
}

static bool build_grid(builder* b, int threads) {
    hf_grid* g = b->grid;
    size_t total = (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2];
    g->far = hf_alloc(total, sizeof *g->far);
    g->brick = hf_alloc(total, sizeof *g->brick);
    if (!g->far || !g->brick) return false;
    hf_parallel(threads, g->size[1] * g->size[2], do_coarse_row, b);
    bool made = choose_bricks(b);
    if (made && g->values) hf_parallel(threads, g->brick_count, do_brick, b);
    hf_free(b->coarse_of);
    b->coarse_of = NULL;
    return made;
}

/* ---- all objects ---- */

/* Is looking up faster than walking? Break-even lies at a few hundred triangles within a limb's reach, which
   is some thirty epsilons. */
static bool worth_it(const hf_mesh* mesh, double epsilon) {
    if (mesh->triangle_count < MANY) return false;
    double area = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        hf_triangle t = hf_triangle_of(mesh, i);
        area += hf_length(hf_cross(hf_sub(t.v[1], t.v[0]), hf_sub(t.v[2], t.v[0]))) / 2;
    }
    return area / mesh->triangle_count <= SMALL * epsilon * SMALL * epsilon;
}

hf_status hf_grids_build(const hf_scene* scene, double epsilon, bool every, int threads, hf_grids** grids,
                         hf_error* error) {
    *grids = NULL;
    if (!(epsilon > 0) || !isfinite(epsilon))
        return hf_fail(error, HF_ERROR_ARGUMENT, NULL, 0, "epsilon", "%g is not a distance", epsilon);
    hf_grids* out = hf_alloc(1, sizeof *out);
    if (out)
        *out = (hf_grids){scene->count, hf_alloc((size_t)scene->count, sizeof *out->grids), epsilon, NULL};
    bool made = out && out->grids;
    for (int i = 0; made && i < scene->count; i++) {
        const hf_object* o = &scene->objects[i];
        hf_grid* g = &out->grids[i];
        if (!o->tree->node_count || !(every || worth_it(&o->mesh, epsilon))) continue;
        if (!lay_out(g, o->tree, epsilon)) continue;
        builder b = {.object = o,
                     .tree = hf_tree_kernel_for(hf_cpu_best()),
                     .kernel = hf_candidate_kernel_for(hf_cpu_best()),
                     .grid = g};
        made = build_grid(&b, threads);
    }
    if (made) {
        *grids = out;
        return HF_OK;
    }
    hf_grids_free(out);
    return hf_fail_memory(error, NULL);
}

void hf_grids_free(hf_grids* grids) {
    while (grids) {
        hf_grids* next = grids->next;
        for (int i = 0; grids->grids && i < grids->count; i++) {
            hf_free(grids->grids[i].far);
            hf_free(grids->grids[i].brick);
            hf_free(grids->grids[i].values);
        }
        hf_free(grids->grids);
        hf_free(grids);
        grids = next;
    }
}

static void free_attached(void* grids) { hf_grids_free(grids); }

hf_status hf_scene_prepare(hf_scene* scene, double epsilon, int threads, hf_error* error) {
    HF_REQUIRE(error, scene);
    for (const hf_grids* g = scene->attached; g; g = g->next)
        if (hf_grids_suit(g, epsilon)) return HF_OK;
    hf_grids* grids;
    hf_status status = hf_grids_build(scene, epsilon, false, threads, &grids, error);
    if (status != HF_OK) return status;
    grids->next = scene->attached;
    scene->attached = grids;
    scene->attached_free = free_attached;
    return HF_OK;
}
