/* Recalculation of descriptors: equations 15 to 19 as a sparse linear least-squares problem with a fixed
   pattern, solved again and again with the rotations projected in between. What deviates: equation 16
   compares how far neighbours move, not where they are, which would draw them together; the weight w_S is
   halved in each round instead of lowered by one, which ends after a few rounds instead of a hundred. The
   three coordinates have the same matrix: one factor serves them. */
#include "adapt/refit.h"

#include "adapt/rotation.h"
#include "base/memory.h"
#include "model/scene.h"

#include <suitesparse/cholmod.h>

#include <math.h>
#include <string.h>

enum {
    UNKNOWNS = 4,     /* of a descriptor and a coordinate: its shift and a row of its rotation */
    NEIGHBOURS = 3,   /* k of equation 16 */
    PHASE_FRAMES = 5, /* frames of a phase that are asked for */
    MAX_ROUNDS = 12
};
static const double FIRST_W_S = 100;
/* Sums that are this near are right, m. */
static const double ENOUGH_M = 1e-3;
/* Weight of staying where the surface has it: without it a descriptor that nothing asks for has no place. */
static const double STAY = 1e-2;

typedef struct row {
    int phase, frame, particle;
} row;

typedef struct refit {
    const hf_bend* bend;
    hf_moved_relation* moved;
    int count, row_count;
    int* used; /* descriptors */
    int* slot; /* of each descriptor among the used, -1 */
    row* rows;
    hf_vec3* targets;
    hf_vec3 *was, *at;    /* where the used descriptors were, and where their surfaces have them now */
    hf_quat *ride, *turn; /* how their surfaces turned, and the rotation of the last round */
    int* near;            /* NEIGHBOURS of each */
    cholmod_common common;
    cholmod_sparse* transposed; /* one column for each equation */
    cholmod_factor* factor;
    cholmod_dense* right; /* of all equations, three coordinates */
} refit;

/* ---- what is asked for ---- */

static int phase_rows(const refit* r, int phase, row* rows) {
    const hf_source* s = r->bend->source;
    const hf_phase_plan* p = &r->bend->phases[phase];
    int particle = s->tip_particle[s->phases[phase].hold.limb];
    for (int i = 0; i < PHASE_FRAMES; i++)
        rows[i] = (row){phase, p->first + (p->last - p->first) * i / (PHASE_FRAMES - 1), particle};
    return PHASE_FRAMES;
}

static void use(refit* r, int descriptor) {
    if (r->slot[descriptor] >= 0) return;
    r->slot[descriptor] = r->count;
    r->used[r->count++] = descriptor;
}

static void collect(refit* r) {
    const hf_relation* rel = r->bend->relation;
    const hf_source* s = r->bend->source;
    for (int i = 0; i < rel->count; i++) r->slot[i] = -1;
    for (int p = 0; p < s->phase_count; p++)
        if (r->bend->phases[p].mode == HF_PHASE_ELSEWHERE)
            r->row_count += phase_rows(r, p, r->rows + r->row_count);
    for (int i = 0; i < r->row_count; i++) {
        int at = r->rows[i].frame * s->particle_count + r->rows[i].particle;
        for (int k = rel->start[at]; k < rel->start[at + 1]; k++) use(r, rel->weights[k].descriptor);
        hf_transform was = hf_source_tip(s, r->rows[i].frame, s->phases[r->rows[i].phase].hold.limb);
        hf_transform tip = hf_bend_link(r->bend, r->rows[i].phase, r->rows[i].frame);
        r->targets[i] = hf_apply(tip, hf_unapply(was, s->points[at]));
    }
}

static void measure(refit* r) {
    const hf_relation* rel = r->bend->relation;
    int objects = hf_scene_object_count(r->bend->source->scene), frame = r->rows[0].frame;
    for (int i = 0; i < r->count; i++) {
        const hf_descriptor* d = &rel->descriptors[r->used[i]];
        const hf_moved_descriptor* m = &r->moved->items[r->used[i]];
        hf_transform a = hf_relation_pose(rel, frame, d->object),
                     b = hf_moved_pose(r->moved, frame, d->object, objects);
        r->was[i] = hf_apply(a, d->local);
        r->at[i] = m->moves ? hf_apply(b, m->local) : r->was[i];
        hf_quat ride = m->moves ? hf_quat_mul(b.rotation, hf_quat_mul(m->turn, hf_quat_conj(a.rotation)))
                                : hf_quat_identity();
        r->ride[i] = r->turn[i] = ride;
    }
    for (int i = 0; i < r->count; i++) {
        int* near = r->near + NEIGHBOURS * i;
        double best[NEIGHBOURS] = {INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < NEIGHBOURS; k++) near[k] = i;
        for (int k = 0; k < r->count; k++) {
            double d = hf_distance(r->was[i], r->was[k]);
            if (k == i) continue;
            for (int n = 0; n < NEIGHBOURS; n++)
                if (d < best[n]) {
                    for (int m = NEIGHBOURS - 1; m > n; m--) best[m] = best[m - 1], near[m] = near[m - 1];
                    best[n] = d, near[n] = k;
                    break;
                }
        }
    }
}

/* ---- the system ---- */

typedef struct builder {
    cholmod_triplet* t;
    int equation;
} builder;

static void put(builder* b, int unknown, double value) {
    size_t n = b->t->nnz++;
    ((int*)b->t->i)[n] = unknown, ((int*)b->t->j)[n] = b->equation;
    ((double*)b->t->x)[n] = value;
}

static void add_sums(const refit* r, builder* b) {
    const hf_relation* rel = r->bend->relation;
    for (int i = 0; i < r->row_count; i++, b->equation++) {
        int at = r->rows[i].frame * r->bend->source->particle_count + r->rows[i].particle;
        for (int k = rel->start[at]; k < rel->start[at + 1]; k++) {
            int slot = r->slot[rel->weights[k].descriptor];
            double w = (double)rel->weights[k].weight;
            hf_vec3 v = hf_sub(r->bend->source->points[at], r->was[slot]);
            put(b, UNKNOWNS * slot, w), put(b, UNKNOWNS * slot + 1, w * v.x);
            put(b, UNKNOWNS * slot + 2, w * v.y), put(b, UNKNOWNS * slot + 3, w * v.z);
        }
    }
}

/* Neighbours move and turn alike (equation 16), rotations stay near those of the last round (equation 17). */
static void add_likeness(const refit* r, double weight, builder* b) {
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < NEIGHBOURS; k++)
            for (int u = 0; u < UNKNOWNS; u++, b->equation++) {
                int n = r->near[NEIGHBOURS * i + k];
                put(b, UNKNOWNS * i + u, weight), put(b, UNKNOWNS * n + u, n == i ? 0 : -weight);
            }
    for (int i = 0; i < r->count; i++)
        for (int u = 0; u < UNKNOWNS; u++, b->equation++) put(b, UNKNOWNS * i + u, u ? 1 : STAY);
}

static int equation_count(const refit* r) { return r->row_count + (NEIGHBOURS + 1) * UNKNOWNS * r->count; }

static bool build(refit* r, double w_s) {
    const hf_relation* rel = r->bend->relation;
    size_t unknowns = (size_t)(UNKNOWNS * r->count), equations = (size_t)equation_count(r), most = 0;
    for (int i = 0; i < r->row_count; i++) {
        int at = r->rows[i].frame * r->bend->source->particle_count + r->rows[i].particle;
        most += UNKNOWNS * (size_t)(rel->start[at + 1] - rel->start[at]);
    }
    most += (size_t)((2 * NEIGHBOURS + 1) * UNKNOWNS * r->count);
    cholmod_triplet* t = cholmod_allocate_triplet(unknowns, equations, most, 0, CHOLMOD_REAL, &r->common);
    if (!t) return false;
    builder b = {t, 0};
    add_sums(r, &b);
    add_likeness(r, sqrt(w_s), &b);
    cholmod_free_sparse(&r->transposed, &r->common);
    r->transposed = cholmod_triplet_to_sparse(t, 0, &r->common);
    cholmod_free_triplet(&t, &r->common);
    return r->transposed != NULL;
}

static double part(hf_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Unknown shifts are from where the surfaces have the descriptors. */
static void fill_right(refit* r) {
    size_t m = (size_t)equation_count(r);
    double* x = r->right->x;
    memset(x, 0, 3 * m * sizeof *x);
    const hf_relation* rel = r->bend->relation;
    for (int i = 0; i < r->row_count; i++) {
        int at = r->rows[i].frame * r->bend->source->particle_count + r->rows[i].particle;
        hf_vec3 sum = {0, 0, 0};
        for (int k = rel->start[at]; k < rel->start[at + 1]; k++)
            sum = hf_add(
                sum, hf_scale(r->at[r->slot[rel->weights[k].descriptor]], (double)rel->weights[k].weight));
        for (int c = 0; c < 3; c++) x[(size_t)c * m + (size_t)i] = part(hf_sub(r->targets[i], sum), c);
    }
    size_t stay = m - (size_t)(UNKNOWNS * r->count);
    for (int i = 0; i < r->count; i++) {
        hf_mat3 turn = hf_quat_matrix(r->turn[i]);
        for (int c = 0; c < 3; c++)
            for (int u = 0; u < 3; u++)
                x[(size_t)c * m + stay + (size_t)(UNKNOWNS * i + 1 + u)] = turn.m[3 * c + u];
    }
}

static hf_vec3 shift_of(const cholmod_dense* x, int i) {
    const double* v = x->x;
    return hf_v3(v[UNKNOWNS * i], v[x->d + (size_t)(UNKNOWNS * i)], v[2 * x->d + (size_t)(UNKNOWNS * i)]);
}

/* What the sums leave, with rotations that are rotations. */
static double error_of(const refit* r, const cholmod_dense* x) {
    const hf_relation* rel = r->bend->relation;
    double sum = 0;
    for (int i = 0; i < r->row_count; i++) {
        int at = r->rows[i].frame * r->bend->source->particle_count + r->rows[i].particle;
        hf_vec3 p = {0, 0, 0};
        for (int k = rel->start[at]; k < rel->start[at + 1]; k++) {
            int slot = r->slot[rel->weights[k].descriptor];
            hf_vec3 v = hf_rotate(r->turn[slot], hf_sub(r->bend->source->points[at], r->was[slot]));
            v = hf_add(v, hf_add(r->at[slot], shift_of(x, slot)));
            p = hf_add(p, hf_scale(v, (double)rel->weights[k].weight));
        }
        double d = hf_distance(p, r->targets[i]);
        sum += d * d;
    }
    return sqrt(sum / r->row_count);
}

static cholmod_dense* solve(refit* r) {
    double one[2] = {1, 0}, none[2] = {0, 0};
    fill_right(r);
    cholmod_dense* b = cholmod_zeros(r->transposed->nrow, 3, CHOLMOD_REAL, &r->common);
    if (!b) return NULL;
    cholmod_dense* x = NULL;
    if (cholmod_sdmult(r->transposed, 0, one, none, r->right, b, &r->common) &&
        cholmod_factorize(r->transposed, r->factor, &r->common))
        x = cholmod_solve(CHOLMOD_A, r->factor, b, &r->common);
    cholmod_free_dense(&b, &r->common);
    return x;
}

static void project(refit* r, const cholmod_dense* x) {
    const double* v = x->x;
    for (int i = 0; i < r->count; i++) {
        double m[9];
        for (int c = 0; c < 3; c++)
            for (int u = 0; u < 3; u++) m[3 * c + u] = v[(size_t)c * x->d + (size_t)(UNKNOWNS * i + 1 + u)];
        r->turn[i] = hf_rotation_nearest(m);
    }
}

/* ---- the answer ---- */

static void keep(refit* r, const cholmod_dense* x) {
    const hf_relation* rel = r->bend->relation;
    int objects = hf_scene_object_count(r->bend->source->scene), frame = r->rows[0].frame;
    for (int i = 0; i < r->count; i++) {
        const hf_descriptor* d = &rel->descriptors[r->used[i]];
        hf_transform a = hf_relation_pose(rel, frame, d->object),
                     b = hf_moved_pose(r->moved, frame, d->object, objects);
        hf_moved_descriptor* m = &r->moved->items[r->used[i]];
        m->moves = true;
        m->local = hf_unapply(b, hf_add(r->at[i], shift_of(x, i)));
        m->turn = hf_quat_mul(hf_quat_conj(b.rotation), hf_quat_mul(r->turn[i], a.rotation));
    }
}

static hf_status run(refit* r, double* error_m) {
    cholmod_dense* x = NULL;
    double w_s = FIRST_W_S;
    r->right = cholmod_zeros((size_t)equation_count(r), 3, CHOLMOD_REAL, &r->common);
    for (int round = 0; round < MAX_ROUNDS && r->right; round++, w_s /= 2) {
        if (!build(r, w_s)) return HF_ERROR_MEMORY;
        if (!r->factor) r->factor = cholmod_analyze(r->transposed, &r->common); // the pattern never changes
        cholmod_free_dense(&x, &r->common);
        x = r->factor ? solve(r) : NULL;
        if (!x) return HF_ERROR_MEMORY;
        project(r, x);
        *error_m = error_of(r, x);
        if (*error_m < ENOUGH_M) break;
    }
    if (x) keep(r, x);
    cholmod_free_dense(&x, &r->common);
    return x || r->right ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_relation_refit(const hf_bend* bend, hf_moved_relation* moved, double* error_m) {
    refit r = {.bend = bend, .moved = moved};
    size_t n = (size_t)bend->relation->count + 1,
           rows = (size_t)(bend->source->phase_count * PHASE_FRAMES) + 1;
    *error_m = 0;
    cholmod_start(&r.common);
    // without the supernodal method no library for dense matrices has a say in the answer
    r.common.supernodal = CHOLMOD_SIMPLICIAL;
    r.common.nmethods = 1;
    r.common.method[0].ordering = CHOLMOD_AMD;
    r.common.print = 0;
    r.used = hf_alloc(n, sizeof *r.used);
    r.slot = hf_alloc(n, sizeof *r.slot);
    r.rows = hf_alloc(rows, sizeof *r.rows);
    r.targets = hf_alloc(rows, sizeof *r.targets);
    r.was = hf_alloc(n, sizeof *r.was);
    r.at = hf_alloc(n, sizeof *r.at);
    r.ride = hf_alloc(n, sizeof *r.ride);
    r.turn = hf_alloc(n, sizeof *r.turn);
    r.near = hf_alloc(NEIGHBOURS * n, sizeof *r.near);
    hf_status status = HF_ERROR_MEMORY;
    if (r.used && r.slot && r.rows && r.targets && r.was && r.at && r.ride && r.turn && r.near) {
        status = HF_OK;
        collect(&r);
        if (r.count > 0) {
            measure(&r);
            status = run(&r, error_m);
        }
    }
    cholmod_free_sparse(&r.transposed, &r.common);
    cholmod_free_factor(&r.factor, &r.common);
    cholmod_free_dense(&r.right, &r.common);
    cholmod_finish(&r.common);
    hf_free(r.used);
    hf_free(r.slot);
    hf_free(r.rows);
    hf_free(r.targets);
    hf_free(r.was);
    hf_free(r.at);
    hf_free(r.ride);
    hf_free(r.turn);
    hf_free(r.near);
    return status;
}
