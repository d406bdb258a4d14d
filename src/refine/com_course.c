/* Centre of mass over changing contacts: least jerk, near a wish, with a growing penalty on what the
   halfspaces of the stances do not bear. With the height given, five of the six rows of a wrench are linear
   in place and acceleration across; the moment about the vertical is taken linear about the present way.
   Newton's method on a banded matrix. */
#include "refine/com_course.h"

#include "balance/stance.h"
#include "base/band.h"
#include "base/workspace.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 6, FIXED = 1 }; /* entries beside the diagonal; samples that stay at either end */
/* The penalty begins soft, so that the way bends as a whole, and ends hard: (m/s3)^2 for a halfspace left by
   a metre times the weight. */
static const double SOFT = 1e3, HARD = 1e7, GROWTH = 100;
enum { STEPS = 6 }; /* of Newton's method for each penalty; the active halfspaces settle in three or four */

typedef struct course_problem {
    const hf_com_course* c;
    hf_band band;       /* its size: two unknowns for each sample that is free */
    double *right, *at; /* right side; x and y of all samples */
    double penalty;
    int *first,
        *near; /* of each sample the halfspaces that are near: near[first[k]] .. near[first[k + 1] - 1] */
} course_problem;

/* Adds weight * (sum of coefficients times unknowns - target)^2 / 2, for numbers of samples near to each
   other. */
typedef struct linear_row {
    int count;
    int index[6]; /* into at */
    double by[6];
} linear_row;

static void add_square(course_problem* p, const linear_row* row, double value, double weight) {
    int first = 2 * FIXED, last = 2 * (p->c->count - FIXED);
    for (int i = 0; i < row->count; i++) {
        if (row->index[i] < first || row->index[i] >= last) continue;
        int a = row->index[i] - first;
        p->right[a] -= weight * row->by[i] * value;
        for (int k = 0; k < row->count; k++) {
            int b = row->index[k] - first;
            if (row->index[k] < first || row->index[k] >= last || b > a) continue;
            *hf_band_at(&p->band, a, b) += weight * row->by[i] * row->by[k];
        }
    }
}

/* Before its first sample and behind its last one the way rests. */
static int number(const course_problem* p, int k, int x) {
    return 2 * (k < 0 ? 0 : k >= p->c->count ? p->c->count - 1 : k) + x;
}

static void add_smoothness(course_problem* p) {
    double t = p->c->step_s, scale = 1 / (t * t * t);
    for (int k = -1; k < p->c->count; k++)
        for (int x = 0; x < 2; x++) {
            linear_row row = {
                4,
                {number(p, k - 1, x), number(p, k, x), number(p, k + 1, x), number(p, k + 2, x)},
                {-scale, 3 * scale, -3 * scale, scale}};
            double value = 0;
            for (int i = 0; i < 4; i++) value += row.by[i] * p->at[row.index[i]];
            add_square(p, &row, value, 1);
        }
}

static void add_wish(course_problem* p) {
    for (int k = 0; k < p->c->count; k++)
        for (int x = 0; x < 2; x++) {
            linear_row row = {1, {2 * k + x}, {1}};
            add_square(p, &row, p->at[2 * k + x] - (x ? p->c->wish[k].y : p->c->wish[k].x), p->c->weights[k]);
        }
}

/* What the wrench of a sample is made of. */
typedef struct sample_wrench {
    double w[HF_FORCE_ROWS];
    double place[2], height, lift; /* from the stance's reference; lift: the weight with its acceleration */
    double pull[2];                /* acceleration across over gravity */
} sample_wrench;

static sample_wrench wrench_at(const course_problem* p, int k) {
    const hf_com_course* c = p->c;
    const hf_stance* s = c->stances[k];
    double tt = c->step_s * c->step_s * HF_GRAVITY_M_S2;
    int a = k > 0 ? k - 1 : k, b = k + 1 < c->count ? k + 1 : k;
    sample_wrench o;
    o.height = c->wish[k].z - s->reference.z;
    o.lift = 1 + (c->wish[a].z - 2 * c->wish[k].z + c->wish[b].z) / tt;
    const double origin[2] = {s->reference.x, s->reference.y};
    for (int x = 0; x < 2; x++) {
        o.place[x] = p->at[2 * k + x] - origin[x];
        o.pull[x] = (p->at[2 * a + x] - 2 * p->at[2 * k + x] + p->at[2 * b + x]) / tt;
    }
    hf_vec3 turn = hf_scale(c->momentum_rate[k], 1 / s->weight);
    o.w[0] = o.pull[0], o.w[1] = o.pull[1], o.w[2] = o.lift;
    o.w[3] = o.place[1] * o.lift - o.height * o.pull[1] + turn.x;
    o.w[4] = o.height * o.pull[0] - o.place[0] * o.lift + turn.y;
    o.w[5] = o.place[0] * o.pull[1] - o.place[1] * o.pull[0] + turn.z;
    return o;
}

/* How a halfspace's value depends on the place and on the pull. */
static void slopes(const double a[HF_FORCE_ROWS], const sample_wrench* o, double place[2], double pull[2]) {
    place[0] = -a[4] * o->lift + a[5] * o->pull[1];
    place[1] = a[3] * o->lift - a[5] * o->pull[0];
    pull[0] = a[0] + a[4] * o->height - a[5] * o->place[1];
    pull[1] = a[1] - a[3] * o->height + a[5] * o->place[0];
}

static void add_halfspace(course_problem* p, int k, const hf_wrench_polytope* w, int facet,
                          const sample_wrench* o, double over) {
    double a[HF_FORCE_ROWS];
    for (int r = 0; r < HF_FORCE_ROWS; r++) a[r] = w->facets[r * w->capacity + facet];
    double place[2], pull[2], tt = p->c->step_s * p->c->step_s * HF_GRAVITY_M_S2;
    slopes(a, o, place, pull);
    int before = k > 0 ? k - 1 : k, after = k + 1 < p->c->count ? k + 1 : k;
    linear_row row = {.count = 6};
    for (int x = 0; x < 2; x++) {
        const int at[3] = {before, k, after};
        const double by[3] = {pull[x] / tt, place[x] - 2 * pull[x] / tt, pull[x] / tt};
        for (int i = 0; i < 3; i++) row.index[3 * x + i] = 2 * at[i] + x, row.by[3 * x + i] = by[i];
    }
    add_square(p, &row, over, p->penalty);
}

enum { CHUNK = 64 }; /* halfspaces at once: the memory of a polytope comes in such pieces */

static void values_beyond(const hf_wrench_polytope* w, int first, const double v[HF_FORCE_ROWS],
                          double over[CHUNK]) {
    const double* b = w->facets + (size_t)HF_FORCE_ROWS * (size_t)w->capacity + first;
    for (int i = 0; i < CHUNK; i++) over[i] = -b[i];
    for (int r = 0; r < HF_FORCE_ROWS; r++) {
        const double* a = w->facets + (size_t)r * (size_t)w->capacity + first;
        for (int i = 0; i < CHUNK; i++) over[i] += a[i] * v[r];
    }
}

/* The sum of the squares by which halfspaces are left, with the margin; they are added when asked. Only those
   that were near when they were listed last are asked. */
static double visit_sample(course_problem* p, int k, bool add) {
    if (p->first[k] == p->first[k + 1]) return 0;
    const hf_wrench_polytope* w = &p->c->stances[k]->polytope;
    sample_wrench o = wrench_at(p, k);
    double sum = 0;
    for (int i = p->first[k]; i < p->first[k + 1]; i++) {
        int facet = p->near[i];
        double left = p->c->margin_m[k] - w->facets[HF_FORCE_ROWS * w->capacity + facet];
        for (int r = 0; r < HF_FORCE_ROWS; r++) left += w->facets[r * w->capacity + facet] * o.w[r];
        if (left <= 0) continue;
        sum += left * left;
        if (add) add_halfspace(p, k, w, facet, &o, left);
    }
    return sum;
}

/* Halfspaces that a wrench is farther inside of than this are not near, body weights times metres: a way
   bends by less from one penalty to the next. */
static const double NEAR_M = 0.2;

/* Lists the near halfspaces of a sample, as far as there is room for them (NULL: none); how many there are.
 *worst: the largest value beyond a halfspace, without the margin. */
static int list_near(const course_problem* p, int k, int* near, double* worst) {
    const hf_stance* s = p->c->stances[k];
    *worst = -INFINITY;
    if (!s || !s->polytope.known) return 0;
    const hf_wrench_polytope* w = &s->polytope;
    sample_wrench o = wrench_at(p, k);
    int listed = 0;
    for (int first = 0; first < w->facet_count; first += CHUNK) {
        double over[CHUNK];
        int count = w->facet_count - first < CHUNK ? w->facet_count - first : CHUNK;
        values_beyond(w, first, o.w, over);
        for (int i = 0; i < count; i++) {
            *worst = over[i] > *worst ? over[i] : *worst;
            if (over[i] < -NEAR_M) continue;
            if (near) near[listed] = first + i;
            listed++;
        }
    }
    return listed;
}

static bool list_all(course_problem* p, hf_workspace* workspace) {
    double worst;
    p->first[0] = 0;
    for (int k = 0; k < p->c->count; k++) p->first[k + 1] = p->first[k] + list_near(p, k, NULL, &worst);
    p->near = hf_workspace_take(workspace, (size_t)p->first[p->c->count] + 1, sizeof *p->near);
    for (int k = 0; k < p->c->count && p->near; k++) list_near(p, k, p->near + p->first[k], &worst);
    return p->near;
}

/* What Newton's method makes small. */
static double cost_of(course_problem* p) {
    const hf_com_course* c = p->c;
    double t = c->step_s, scale = 1 / (t * t * t), sum = 0;
    for (int k = -1; k < c->count; k++)
        for (int x = 0; x < 2; x++) {
            const double* at = p->at;
            double off = k < 0 ? 0 : at[2 * k + x] - (x ? c->wish[k].y : c->wish[k].x);
            double jerk = scale * (at[number(p, k + 2, x)] - 3 * at[number(p, k + 1, x)] +
                                   3 * at[number(p, k, x)] - at[number(p, k - 1, x)]);
            sum += (k < 0 ? 0 : c->weights[k] * off * off) + jerk * jerk;
        }
    for (int k = 0; k < c->count; k++) sum += p->penalty * visit_sample(p, k, false);
    return sum / 2;
}

static bool newton_step(course_problem* p) {
    memset(p->band.values, 0, sizeof(double) * (size_t)p->band.size * (WIDTH + 1));
    memset(p->right, 0, sizeof(double) * (size_t)p->band.size);
    add_smoothness(p);
    add_wish(p);
    for (int k = 0; k < p->c->count; k++) visit_sample(p, k, true);
    if (!hf_band_factor(&p->band)) return false;
    hf_band_solve(&p->band, p->right, 1);
    // the moment about the vertical is not linear: shorter steps where a whole one makes it worse
    double before = cost_of(p), taken = 0;
    for (double step = 1; step > 1e-3; step /= 2) {
        for (int i = 0; i < p->band.size; i++) p->at[2 * FIXED + i] += (step - taken) * p->right[i];
        taken = step;
        if (cost_of(p) < before) return true;
    }
    for (int i = 0; i < p->band.size; i++) p->at[2 * FIXED + i] -= taken * p->right[i];
    return false;
}

static void begin(course_problem* p) {
    const hf_com_course* c = p->c;
    for (int k = 0; k < c->count; k++) {
        int of = k < FIXED ? 0 : k >= c->count - FIXED ? c->count - 1 : k;
        const hf_vec3* from = c->start && of == k ? c->start : c->wish;
        p->at[2 * k] = from[of].x, p->at[2 * k + 1] = from[of].y;
    }
}

hf_status hf_com_course_find(const hf_com_course* c, hf_workspace* workspace, hf_vec3* places,
                             double* outside) {
    int unknowns = 2 * (c->count - 2 * FIXED);
    size_t n = (size_t)(unknowns > 0 ? unknowns : 1);
    course_problem p = {.c = c};
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    p.at = hf_workspace_take(workspace, 2 * (size_t)c->count, sizeof(double));
    p.band = (hf_band){unknowns, WIDTH, hf_workspace_take(workspace, n * (WIDTH + 1), sizeof(double))};
    p.right = hf_workspace_take(workspace, n, sizeof(double));
    p.first = hf_workspace_take(workspace, (size_t)c->count + 1, sizeof *p.first);
    hf_status status = p.at && p.band.values && p.right && p.first ? HF_OK : HF_ERROR_MEMORY;
    if (status == HF_OK) begin(&p);
    for (p.penalty = c->start ? HARD : SOFT; unknowns > 0 && p.penalty <= HARD && status == HF_OK;
         p.penalty *= GROWTH) {
        hf_workspace_mark listed = hf_workspace_begin(workspace);
        if (!list_all(&p, workspace)) status = HF_ERROR_MEMORY;
        for (int i = 0; i < STEPS && status == HF_OK && newton_step(&p); i++)
            ;
        hf_workspace_end(workspace, listed);
    }
    for (int k = 0; k < c->count && status == HF_OK; k++) {
        double worst;
        places[k] = hf_v3(p.at[2 * k], p.at[2 * k + 1], c->wish[k].z);
        list_near(&p, k, NULL, &worst);
        if (outside) outside[k] = worst;
    }
    hf_workspace_end(workspace, mark);
    return status;
}
