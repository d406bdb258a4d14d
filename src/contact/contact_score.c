/* Scores of contacts (efort-2014-journal section 3.2).

   f_T(theta, v) = (v^T J J^T v + (0.05 L)^2)^(-1/2) is how much force along v a unit of joint torque gives;
   the guard keeps singular directions finite. The task's direction is turned into the limb's root frame once,
   and what depends on the surface alone is reckoned once for each triangle, so that a sample costs a few
   multiplications. A sample near several surfaces is listed with its best bound and resolved only when its
   turn comes. */
#include "contact/contact_score.h"

#include "base/workspace.h"
#include "model/creature.h"
#include <holdfast/rom.h>

#include <math.h>
#include <string.h>

/* Share of the limb's length that guards f_T. */
static const double GUARD = 0.05;
/* Surfaces that push against the task by more than this are of no use to a score with effort in it. */
static const double LEAST_FACTOR = -0.01;
/* Surfaces along the task's direction but for rounding. */
static const double ACROSS = 1e-6;
/* A grip has a dominant normal when this share of its surface, by squared cosine, lies across one axis. */
static const double DOMINANT_SHARE = 0.6;
/* Different surfaces of one sample that are looked at. */
enum { MAX_SURFACES = 16 };

/* ---- names ---- */

static const char* const term_names[HF_TERM_COUNT] = {"effort", "distance", "manipulability", "precision",
                                                      "comfort"};

const char* hf_term_text(hf_term term) {
    return (unsigned)term < HF_TERM_COUNT ? term_names[term] : "unknown";
}

int hf_term_find(const char* name) {
    for (int i = 0; i < HF_TERM_COUNT; i++)
        if (strcmp(name, term_names[i]) == 0) return i;
    return -1;
}

const char* hf_role_text(hf_role role) {
    static const char* const names[] = {"support", "act", "grip"};
    return (unsigned)role < 3 ? names[role] : "unknown";
}

/* ---- the heap ---- */

static bool before(const hf_contact_choice* a, const hf_contact_choice* b) {
    if (a->score != b->score) return a->score > b->score;
    // equals in an order that has nothing to do with where they are: neighbours mostly fail alike
    uint32_t x = a->sample * 2654435761u, y = b->sample * 2654435761u;
    return x != y ? x < y : a->set < b->set;
}

static void sink(hf_contact_choice* c, int count, int at) {
    hf_contact_choice item = c[at];
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&c[child + 1], &c[child])) child++;
        if (!before(&c[child], &item)) break;
        c[at] = c[child];
    }
    c[at] = item;
}

void hf_choices_heap(hf_contact_choice* choices, int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sink(choices, count, i);
}

hf_contact_choice hf_choices_pop(hf_contact_choice* choices, int* count) {
    hf_contact_choice top = choices[0];
    choices[0] = choices[--*count];
    if (*count) sink(choices, *count, 0);
    return top;
}

void hf_choices_push(hf_contact_choice* choices, int* count, hf_contact_choice choice) {
    int at = (*count)++;
    for (int parent; at && before(&choice, &choices[parent = (at - 1) / 2]); at = parent)
        choices[at] = choices[parent];
    choices[at] = choice;
}

/* ---- surfaces ---- */

bool hf_contact_free_grip(const hf_object* object) {
    // sum of area times n n^T, and its largest eigenvalue by squaring the matrix
    double t[6] = {0};
    for (int i = 0; i < object->mesh.triangle_count; i++) {
        hf_triangle tri = hf_triangle_of(&object->mesh, i);
        hf_vec3 n = hf_cross(hf_sub(tri.v[1], tri.v[0]), hf_sub(tri.v[2], tri.v[0]));
        double area = hf_length(n), per = area > 0 ? 1 / area : 0;
        t[0] += n.x * n.x * per, t[1] += n.y * n.y * per, t[2] += n.z * n.z * per;
        t[3] += n.x * n.y * per, t[4] += n.x * n.z * per, t[5] += n.y * n.z * per;
    }
    double trace = t[0] + t[1] + t[2];
    if (!(trace > 0)) return true;
    double m[6], growth = 1;
    for (int k = 0; k < 6; k++) m[k] = t[k] / trace;
    // after k squarings the trace tends to (largest / all) to the power of 2^k
    double power = 1;
    for (int k = 0; k < 8; k++) {
        double s[6] = {m[0] * m[0] + m[3] * m[3] + m[4] * m[4], m[1] * m[1] + m[3] * m[3] + m[5] * m[5],
                       m[2] * m[2] + m[4] * m[4] + m[5] * m[5], m[0] * m[3] + m[3] * m[1] + m[4] * m[5],
                       m[0] * m[4] + m[3] * m[5] + m[4] * m[2], m[3] * m[4] + m[1] * m[5] + m[5] * m[2]};
        double sum = s[0] + s[1] + s[2];
        power *= 2;
        growth *= pow(sum, 1 / power);
        for (int i = 0; i < 6; i++) m[i] = s[i] / sum;
    }
    return growth < DOMINANT_SHARE;
}

void hf_contact_orient(const hf_contact_scorer* s, hf_surface* surface) {
    const hf_object* o = &s->near.placement->scene->objects[surface->object];
    if (o->pieces.solidity[o->pieces.of[surface->triangle]] != 0) return;
    if (hf_dot(surface->normal, hf_sub(s->near.base.position, surface->point)) < 0)
        surface->normal = hf_neg(surface->normal);
}

/* Method section 4: support v . n, act -v . n, grip both ways. */
static double factor_of(const hf_contact_scorer* s, int object, hf_vec3 normal) {
    double along = hf_dot(s->direction, normal);
    if (fabs(along) < ACROSS) along = 0;
    if (s->query->role == HF_ROLE_SUPPORT) return along;
    if (s->query->role == HF_ROLE_ACT) return -along;
    return s->free_grip[object] ? 1 : fabs(along);
}

/* Does the direction count for the score? */
static bool pushes(const hf_contact_query* q) {
    return q->weights[HF_TERM_EFFORT] > 0 || q->weights[HF_TERM_PRECISION] > 0;
}

/* Neither too steep nor against the task. */
static bool allowed(const hf_contact_scorer* s, hf_vec3 normal, double factor) {
    const hf_contact_query* q = s->query;
    if (pushes(q) && factor < LEAST_FACTOR) return false;
    return q->max_tilt_rad > 3.1415926 || hf_dot(s->up, normal) >= cos(q->max_tilt_rad) - 1e-9;
}

/* ---- terms of one sample ---- */

double hf_contact_comfort(const hf_contact_scorer* s, int sample) {
    const hf_creature_view* view = &s->creature->view;
    const hf_limb* limb = &view->limbs[s->query->limb];
    hf_samples_pose(s->creature, s->samples, sample, s->q);
    double sum = 0;
    int count = 0;
    for (int r = 0; r < view->rom_count; r++) {
        bool mine = false;
        for (int i = 0; i < limb->joint_count && !mine; i++)
            mine = limb->joints[i] == view->roms[r].joints[0];
        if (mine) sum += hf_rom_comfort(s->creature, r, s->q), count++;
    }
    for (int i = 0; i < limb->joint_count && !count; i++) {
        const hf_joint* j = &view->joints[limb->joints[i]];
        if (!isfinite(j->lower) || !isfinite(j->upper) || !(j->upper > j->lower)) continue;
        double at = (s->q[j->q_index] - j->lower) / (j->upper - j->lower);
        sum += (1 - fabs(2 * at - 1)) / limb->joint_count;
    }
    return count ? sum / count : sum;
}

static double sample_value(const float* array, int rows, int sample, int row) {
    return (double)hf_sample_value(array, rows, sample, row);
}

/* 1 / f_T, m. */
static double lever_of(const hf_contact_scorer* s, const float* scores, int sample) {
    double j[6];
    for (int k = 0; k < 6; k++) j[k] = sample_value(scores, HF_SAMPLE_SCORE_ROWS, sample, k);
    hf_vec3 v = s->direction;
    double form = v.x * v.x * j[0] + v.y * v.y * j[1] + v.z * v.z * j[2] +
                  2 * (v.x * v.y * j[3] + v.x * v.z * j[4] + v.y * v.z * j[5]);
    double guard = GUARD * s->length;
    return sqrt(fmax(form, 0) + guard * guard);
}

void hf_contact_terms(const hf_contact_scorer* s, int sample, double factor, double* terms) {
    const hf_sample_block* block = s->samples->block;
    const float *points = hf_sample_points(block), *scores = hf_sample_scores(block);
    hf_vec3 p = hf_v3(sample_value(points, 3, sample, 0), sample_value(points, 3, sample, 1),
                      sample_value(points, 3, sample, 2));
    double lever = lever_of(s, scores, sample) / s->length;
    double most = block->max_manipulability;
    double w = sample_value(scores, HF_SAMPLE_SCORE_ROWS, sample, HF_SAMPLE_MANIPULABILITY_ROW);
    terms[HF_TERM_EFFORT] = factor / lever;
    terms[HF_TERM_DISTANCE] = -hf_distance(p, s->effector) / s->length;
    terms[HF_TERM_MANIPULABILITY] = most > 0 ? w / most : 0;
    terms[HF_TERM_PRECISION] = factor * lever;
    terms[HF_TERM_COMFORT] = s->query->weights[HF_TERM_COMFORT] != 0 ? hf_contact_comfort(s, sample) : 0;
}

double hf_contact_weigh(const hf_contact_query* query, const double* terms) {
    double sum = 0;
    for (int i = 0; i < HF_TERM_COUNT; i++)
        if (query->weights[i] != 0) sum += query->weights[i] * terms[i];
    return sum;
}

/* ---- all candidates ---- */

/* What a triangle brings to every sample near it. */
typedef struct surface_factor {
    hf_vec3 normal; /* limb's root frame */
    double factor;
    bool allowed;
} surface_factor;

static surface_factor triangle_factor(const hf_contact_scorer* s, const hf_near_triangle* t) {
    const hf_placement* placement = s->near.placement;
    const hf_object* o = &placement->scene->objects[t->object];
    hf_vec3 n;
    if (t->exact) {
        // too thin for floats
        hf_surface surface;
        hf_triangle own = hf_triangle_of(&o->mesh, t->triangle);
        hf_surface_fill(placement, t->object, t->triangle, own.v[0], 0, &surface);
        hf_contact_orient(s, &surface);
        n = hf_unrotate(s->near.base.rotation, surface.normal);
    } else {
        n = hf_v3((double)t->normal[0], (double)t->normal[1], (double)t->normal[2]);
        if (o->pieces.solidity[o->pieces.of[t->triangle]] == 0 && t->offset > 0) n = hf_neg(n);
    }
    surface_factor f = {.normal = n, .factor = factor_of(s, t->object, n)};
    f.allowed = allowed(s, n, f.factor);
    return f;
}

/* The contact normal stands against the surface's, or near enough to be turned so. */
static bool faces(const hf_contact_scorer* s, hf_vec3 own, hf_vec3 surface) {
    return -hf_dot(own, surface) >= s->facing;
}

/* Score of a sample = gain * factor + rest; for the eight samples of a block. */
typedef struct lane_scores {
    double gain[8], rest[8], best[8];
    const float* normal; /* three rows of eight */
    int surfaces[8];     /* near and faced */
    unsigned near;       /* a bit for each sample near any */
} lane_scores;

static void score_block(const hf_contact_scorer* s, uint32_t block, lane_scores* lanes) {
    const double* w = s->query->weights;
    const hf_sample_block* b = s->samples->block;
    const float *j = hf_sample_scores(b) + (size_t)block * HF_SAMPLE_SCORE_ROWS * 8,
                *p = hf_sample_points(b) + (size_t)block * 24;
    hf_vec3 v = s->direction, e = s->effector;
    lanes->normal = j + HF_SAMPLE_NORMAL_ROW * 8;
    lanes->near = 0;
    double per = 1 / s->length, guard = GUARD * s->length;
    double per_manipulability = b->max_manipulability > 0 ? 1 / b->max_manipulability : 0;
    for (int i = 0; i < 8; i++) {
        double form = v.x * v.x * (double)j[i] + v.y * v.y * (double)j[8 + i] +
                      v.z * v.z * (double)j[16 + i] +
                      2 * (v.x * v.y * (double)j[24 + i] + v.x * v.z * (double)j[32 + i] +
                           v.y * v.z * (double)j[40 + i]);
        double lever = sqrt((form > 0 ? form : 0) + guard * guard) * per;
        lanes->gain[i] = w[HF_TERM_EFFORT] / lever + w[HF_TERM_PRECISION] * lever;
        lanes->rest[i] =
            w[HF_TERM_MANIPULABILITY] * per_manipulability * (double)j[HF_SAMPLE_MANIPULABILITY_ROW * 8 + i];
        lanes->best[i] = -INFINITY;
        lanes->surfaces[i] = 0;
    }
    if (w[HF_TERM_DISTANCE] != 0)
        for (int i = 0; i < 8; i++) {
            double x = (double)p[i] - e.x, y = (double)p[8 + i] - e.y, z = (double)p[16 + i] - e.z;
            lanes->rest[i] -= w[HF_TERM_DISTANCE] * sqrt(x * x + y * y + z * z) * per;
        }
    for (int i = 0; i < 8 && w[HF_TERM_COMFORT] != 0; i++)
        if (block * 8 + (uint32_t)i < b->sample_count)
            lanes->rest[i] += w[HF_TERM_COMFORT] * hf_contact_comfort(s, (int)block * 8 + i);
}

static void add_lanes(const hf_contact_scorer* s, uint32_t block, const lane_scores* lanes,
                      hf_contact_choice* choices, int* count, int* near) {
    *near += __builtin_popcount(lanes->near);
    for (int i = 0; i < 8; i++)
        if (lanes->surfaces[i])
            choices[(*count)++] = (hf_contact_choice){.score = lanes->best[i],
                                                      .sample = block * 8 + (uint32_t)i,
                                                      .set = (uint16_t)s->set,
                                                      .exact = lanes->surfaces[i] == 1};
}

/* A triangle near some samples of a block. */
static void score_triangle(const hf_contact_scorer* s, unsigned bits, const surface_factor* f,
                           lane_scores* lanes) {
    lanes->near |= bits;
    for (; bits; bits &= bits - 1) {
        int i = __builtin_ctz(bits);
        const float* n = lanes->normal + i;
        if (!faces(s, hf_v3((double)n[0], (double)n[8], (double)n[16]), f->normal)) continue;
        double score = lanes->gain[i] * f->factor + lanes->rest[i];
        if (score > lanes->best[i]) lanes->best[i] = score;
        lanes->surfaces[i]++;
    }
}

/* An object that a grid answers for: which of its triangles is near is told when the sample's turn comes, and
   no factor is over 1. */
static void score_object(unsigned bits, lane_scores* lanes) {
    lanes->near |= bits;
    for (; bits; bits &= bits - 1) {
        int i = __builtin_ctz(bits);
        double score = lanes->gain[i] + lanes->rest[i];
        if (score > lanes->best[i]) lanes->best[i] = score;
        lanes->surfaces[i] += 2;
    }
}

static void score_hits(const hf_contact_scorer* s, const hf_candidates* c, const surface_factor* factors,
                       hf_contact_choice* choices, int* count, int* near) {
    lane_scores lanes;
    uint32_t block = UINT32_MAX;
    for (int h = 0; h < c->hit_count; h++) {
        const hf_candidate_hit* hit = &c->hits[h];
        bool object = (hit->item & HF_CANDIDATE_OBJECT) != 0;
        if (!object && !factors[hit->item].allowed) continue;
        if (hit->block != block) {
            if (block != UINT32_MAX) add_lanes(s, block, &lanes, choices, count, near);
            block = hit->block;
            score_block(s, block, &lanes);
        }
        if (object)
            score_object(hit->lanes, &lanes);
        else
            score_triangle(s, hit->lanes, &factors[hit->item], &lanes);
    }
    if (block != UINT32_MAX) add_lanes(s, block, &lanes, choices, count, near);
}

hf_status hf_contact_collect(const hf_contact_scorer* s, hf_workspace* workspace, hf_contact_choice** choices,
                             int* count, int* near) {
    hf_candidates c;
    hf_status status = hf_candidates_find(s->samples, &s->near, workspace, &c);
    if (status != HF_OK || c.sample_count == 0) return status;
    surface_factor* factors = hf_workspace_take(workspace, (size_t)c.triangle_count + 1, sizeof *factors);
    hf_contact_choice* all =
        hf_workspace_take(workspace, (size_t)*count + (size_t)c.sample_count, sizeof *all);
    if (!factors || !all) return HF_ERROR_MEMORY;
    if (*count) memcpy(all, *choices, sizeof *all * (size_t)*count);
    for (int i = 0; i < c.triangle_count; i++) factors[i] = triangle_factor(s, &c.triangles[i]);
    score_hits(s, &c, factors, all, count, near);
    *choices = all;
    return HF_OK;
}

hf_status hf_contact_resolve(const hf_contact_scorer* s, int sample, hf_workspace* workspace,
                             hf_surface* surface, double* terms, double* score, bool* any) {
    hf_surface surfaces[MAX_SURFACES];
    int count;
    *any = false;
    hf_status status =
        hf_candidate_surfaces(s->samples, &s->near, sample, workspace, surfaces, MAX_SURFACES, &count);
    const float* scores = hf_sample_scores(s->samples->block);
    double own[3], best = 0;
    for (int k = 0; k < 3; k++)
        own[k] = sample_value(scores, HF_SAMPLE_SCORE_ROWS, sample, HF_SAMPLE_NORMAL_ROW + k);
    // the other terms are the same for all surfaces of a sample: the nearest is as good as any
    bool by_factor = pushes(s->query);
    for (int i = 0; i < count && i < MAX_SURFACES && status == HF_OK; i++) {
        hf_contact_orient(s, &surfaces[i]);
        hf_vec3 n = hf_unrotate(s->near.base.rotation, surfaces[i].normal);
        double factor = factor_of(s, surfaces[i].object, n);
        if (!allowed(s, n, factor) || !faces(s, hf_v3(own[0], own[1], own[2]), n)) continue;
        if (*any && !(by_factor && factor > best)) continue;
        *any = true;
        *surface = surfaces[i];
        best = factor;
    }
    if (*any) {
        hf_contact_terms(s, sample, best, terms);
        *score = hf_contact_weigh(s->query, terms);
    }
    return status;
}
