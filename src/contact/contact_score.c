/* Scores of all candidates of a query (efort-2014-journal section 3.2).

   The task's direction is turned into the limb's root frame once, and what depends on the surface alone is
   reckoned once for each triangle, so that a sample costs a few multiplications. A sample near several
   surfaces is listed with its best bound and resolved only when its turn comes. */
#include "contact/contact_score.h"
#include "base/rounding.h"

#include "base/workspace.h"
#include "model/creature.h"

#include <math.h>
#include <string.h>

/* Surfaces that push against the task by more than this are of no use to a score with effort in it. */
static const double LEAST_FACTOR = -0.01;
/* Surfaces of one sample that are kept on the stack. */
enum { MAX_SURFACES = 16 };
/* The part of a list that is put in order at once: choices whose score reaches the HIGH-th best of DRAWN
   choices drawn from the list. */
enum { DRAWN = 64, HIGH = 4 };
#define SCATTER 2654435761u

/* Scatters the numbers of samples (Knuth's multiplicative hash: 2^32 over the golden ratio). */
static uint32_t scattered(uint32_t sample) { return sample * SCATTER; }

HF_KERNEL_CHOICE(hf_score_kernel)

/* ---- the heap ---- */

static bool before(const hf_contact_choice* a, const hf_contact_choice* b) {
    if (a->score != b->score) return a->score > b->score;
    if (a->leaf || b->leaf)
        return a->leaf && (!b->leaf || a->set < b->set || (a->set == b->set && a->hit < b->hit));
    if (a->facing != b->facing) return a->facing > b->facing;
    // equal scores go in a scattered order, because neighbouring samples mostly fail for the same reason
    uint32_t x = scattered(a->sample), y = scattered(b->sample);
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

/* A score that few choices of the list reach. */
static float high_score(const hf_contact_choice* c, int count) {
    if (count <= 2 * DRAWN) return -INFINITY;
    float best[HIGH];
    int kept = 0;
    for (int i = 0; i < DRAWN; i++) {
        float score = c[(size_t)i * (size_t)count / DRAWN].score;
        int at = kept < HIGH ? kept++ : HIGH;
        for (; at > 0 && best[at - 1] < score; at--)
            if (at < HIGH) best[at] = best[at - 1];
        if (at < HIGH) best[at] = score;
    }
    return best[HIGH - 1];
}

static void order(hf_choice_list* l) {
    for (int i = l->heap / 2 - 1; i >= 0; i--) sink(l->all, l->heap, i);
}

static bool is_thinned(const hf_choice_list* l, const hf_contact_choice* c) {
    return !c->leaf && (scattered(c->sample) >> 12 & l->thin) != 0;
}

void hf_choices_pass(hf_choice_list* l, hf_contact_choice choice) {
    if (l->aside) l->aside[l->aside_count++] = choice;
}

/* Takes thinned choices out of the first part of the list, which is no heap then. */
static void drop_thinned(hf_choice_list* l) {
    int kept = 0;
    for (int i = 0; i < l->heap; i++) {
        hf_contact_choice c = l->all[i];
        if (is_thinned(l, &c))
            hf_choices_pass(l, c);
        else
            l->all[kept++] = c;
    }
    for (int gap = l->heap - kept; gap > 0; gap--) l->all[kept + gap - 1] = l->all[--l->count];
    l->heap = kept;
}

/* While the heap is empty: the best part of the rest becomes one. */
static void fill_heap(hf_choice_list* l) {
    while (l->heap == 0 && l->count) {
        l->least = high_score(l->all, l->count);
        for (int i = 0; i < l->count; i++) {
            if (!(l->all[i].score >= l->least)) continue;
            hf_contact_choice c = l->all[i];
            l->all[i] = l->all[l->heap];
            l->all[l->heap++] = c;
        }
        if (l->thin) drop_thinned(l);
    }
    order(l);
}

void hf_choices_thin(hf_choice_list* l) {
    l->thin = 2 * l->thin + 1;
    drop_thinned(l);
    order(l);
}

void hf_choices_restore(hf_choice_list* l) {
    l->thin = 0;
    while (l->aside_count) hf_choices_return(l, l->aside[--l->aside_count]);
}

static hf_contact_choice pop(hf_choice_list* l) {
    hf_contact_choice top = l->all[0];
    l->all[0] = l->all[--l->heap];
    if (l->heap) sink(l->all, l->heap, 0);
    l->all[l->heap] = l->all[--l->count];
    return top;
}

/* Puts the samples of a leaf in its place. */
static void open_leaf(hf_choice_list* l, const hf_contact_choice* leaf) {
    hf_contact_scorer* s = &l->scorers[leaf->set];
    int first = s->found.hit_count;
    hf_candidates_open(s->samples, &s->near, (int)leaf->hit, &s->found);
    hf_score_job* job = s->job;
    job->hits = s->found.hits + first, job->hit_count = s->found.hit_count - first;
    hf_contact_choice choices[8];
    int count = hf_score_kernel_for(hf_cpu_best())->score(job, choices);
    l->sample_count += count;
    for (int i = 0; i < count; i++) {
        choices[i].hit = (uint32_t)first;
        if (is_thinned(l, &choices[i]))
            hf_choices_pass(l, choices[i]);
        else
            hf_choices_return(l, choices[i]);
    }
}

/* Opens leaves until a sample is the best of all that are left; false when none is left. */
static bool settle(hf_choice_list* l) {
    for (;;) {
        if (l->heap == 0 && l->count) fill_heap(l);
        if (l->count == 0) return false;
        if (!l->all[0].leaf) return true;
        hf_contact_choice leaf = pop(l);
        open_leaf(l, &leaf);
    }
}

bool hf_choices_open(hf_choice_list* l, hf_workspace* workspace) {
    l->least = INFINITY, l->heap = 0;
    for (int i = l->count - 1; i >= 0; i--) {
        if (!l->all[i].leaf) continue;
        if (!hf_workspace_goes_on(workspace)) return false;
        hf_contact_choice leaf = l->all[i];
        l->all[i] = l->all[--l->count];
        open_leaf(l, &leaf);
    }
    return true;
}

float hf_choices_best(hf_choice_list* l) { return settle(l) ? l->all[0].score : -INFINITY; }

bool hf_choices_next(hf_choice_list* l, hf_contact_choice* next) {
    if (!settle(l)) return false;
    *next = pop(l);
    return true;
}

void hf_choices_return(hf_choice_list* l, hf_contact_choice choice) {
    int at = l->count++;
    if (choice.score >= l->least) {
        l->all[at] = l->all[l->heap];
        at = l->heap++;
        for (int parent; at && before(&choice, &l->all[parent = (at - 1) / 2]); at = parent)
            l->all[at] = l->all[parent];
    }
    l->all[at] = choice;
}

/* ---- surfaces ---- */

static bool open_piece(const hf_contact_scorer* s, int object, int triangle) {
    const hf_object* o = &s->near.placement->scene->objects[object];
    return o->pieces.solidity[o->pieces.of[triangle]] == 0;
}

/* Turns the normal of an open piece to the side the limb's root is on. */
static void orient(const hf_contact_scorer* s, hf_surface* surface) {
    if (open_piece(s, surface->object, surface->triangle) &&
        hf_dot(surface->normal, hf_sub(s->near.base.position, surface->point)) < 0)
        surface->normal = hf_neg(surface->normal);
}

static double factor_of(const hf_contact_scorer* s, int object, hf_vec3 normal) {
    bool free_grip = s->query->role == HF_ROLE_GRIP && s->free_grip[object];
    return hf_direction_factor(s->query->role, free_grip, hf_dot(s->direction, normal));
}

bool hf_contact_pushes(const hf_contact_query* q) {
    return q->weights[HF_TERM_EFFORT] > 0 || q->weights[HF_TERM_PRECISION] > 0;
}

bool hf_contact_by_factor(const hf_contact_query* q) {
    return hf_contact_pushes(q) && q->weights[HF_TERM_DISTANCE] == 0 &&
           q->weights[HF_TERM_MANIPULABILITY] == 0 && q->weights[HF_TERM_COMFORT] == 0 &&
           q->weights[HF_TERM_DURATION] == 0 && q->weights[HF_TERM_BALANCE] == 0;
}

/* The factor under which not even friction pushes along the task: minus the sine of the cone's half angle. */
static double least_by_friction(const hf_contact_scorer* s, int object) {
    double friction = s->near.placement->scene->objects[object].friction;
    return -friction / sqrt(1 + friction * friction);
}

static bool is_of_kind(const hf_contact_scorer* s, int object, double factor) {
    if (s->kind == HF_SURFACE_HELPFUL) return factor > 0;
    bool against = hf_contact_pushes(s->query) && factor < LEAST_FACTOR;
    if (s->kind == HF_SURFACE_AGAINST) return against && factor >= least_by_friction(s, object);
    return !against;
}

/* Of the kind that is searched, and not too steep. */
static bool allowed(const hf_contact_scorer* s, int object, hf_vec3 normal, double factor) {
    const hf_contact_query* q = s->query;
    if (!is_of_kind(s, object, factor)) return false;
    return q->max_tilt_rad >= M_PI || hf_dot(s->up, normal) >= hf_cos(q->max_tilt_rad) - HF_ROUNDING;
}

/* ---- terms ---- */

static double sample_comfort(const hf_contact_scorer* s, int sample) {
    hf_samples_pose(s->creature, s->samples, sample, s->q);
    return hf_terms_comfort(s->creature, s->query->limb, s->q);
}

static double score_value(const float* scores, int sample, int row) {
    return (double)hf_sample_value(scores, HF_SAMPLE_SCORE_ROWS, sample, row);
}

hf_status hf_contact_outlook(const hf_contact_scorer* s, const hf_support* support, hf_vec3 point, bool all,
                             hf_workspace* workspace, double* terms) {
    const hf_contact_query* q = s->query;
    if (!q->outlook) return HF_OK;
    if (s->reach.hull && q->outlook->root_count > 0 && (all || q->weights[HF_TERM_DURATION] != 0))
        terms[HF_TERM_DURATION] = hf_reach_lasts(&s->reach, q->outlook, q->pose.root, s->near.base, point);
    if (!all && q->weights[HF_TERM_BALANCE] == 0) return HF_OK;
    return hf_outlook_balance(q->outlook, support, workspace, &terms[HF_TERM_BALANCE]);
}

/* What the outlook adds to a sample's score: as if it touched with a point. */
static hf_status outlook_score(const hf_contact_scorer* s, const hf_surface* surface, hf_workspace* workspace,
                               double* score) {
    const hf_object* object = &s->near.placement->scene->objects[surface->object];
    hf_support point = {.corner_count = object->movable ? 0 : 1,
                        .corners = {surface->point},
                        .normal = surface->normal,
                        .friction = object->friction,
                        .grip = s->query->role == HF_ROLE_GRIP,
                        .max_force = s->creature->view.limbs[s->query->limb].max_force};
    double terms[HF_TERM_COUNT] = {0};
    hf_status status = hf_contact_outlook(s, &point, surface->point, false, workspace, terms);
    *score += hf_terms_weigh(s->query->weights, terms);
    return status;
}

static double sample_score(const hf_contact_scorer* s, int sample, double factor) {
    const hf_sample_block* block = s->samples->block;
    const float* scores = hf_sample_scores(block);
    hf_posture_terms p = {.direction = s->direction, .length = s->length, .factor = factor};
    for (int k = 0; k < 6; k++) p.gram[k] = score_value(scores, sample, k);
    double most = block->max_manipulability;
    p.distance_m = hf_distance(hf_sample_point(hf_sample_points(block), sample), s->effector);
    if (most > 0) p.manipulability = score_value(scores, sample, HF_SAMPLE_MANIPULABILITY_ROW) / most;
    double terms[HF_TERM_COUNT];
    hf_terms_fill(&p, terms);
    if (s->query->weights[HF_TERM_COMFORT] != 0) terms[HF_TERM_COMFORT] = sample_comfort(s, sample);
    return hf_terms_weigh(s->query->weights, terms);
}

/* ---- all candidates ---- */

/* Is a triangle worth the walk? */
static bool keep_triangle(const void* user, int object, int triangle, hf_vec3 normal, double offset) {
    const hf_contact_scorer* s = user;
    if (open_piece(s, object, triangle) && offset > 0) normal = hf_neg(normal);
    return allowed(s, object, normal, factor_of(s, object, normal));
}

static hf_surface_factor triangle_factor(const hf_contact_scorer* s, const hf_near_triangle* t) {
    const hf_placement* placement = s->near.placement;
    hf_vec3 n;
    if (t->exact) {
        // too thin for floats
        hf_surface surface;
        hf_triangle own = hf_triangle_of(&placement->scene->objects[t->object].mesh, t->triangle);
        hf_surface_fill(placement, t->object, t->triangle, own.v[0], 0, &surface);
        orient(s, &surface);
        n = hf_unrotate(s->near.base.rotation, surface.normal);
    } else {
        n = hf_v3((double)t->normal[0], (double)t->normal[1], (double)t->normal[2]);
        if (open_piece(s, t->object, t->triangle) && t->offset > 0) n = hf_neg(n);
    }
    double factor = factor_of(s, t->object, n);
    return (hf_surface_factor){
        {(float)n.x, (float)n.y, (float)n.z}, (float)factor, allowed(s, t->object, n, factor)};
}

static hf_score_job score_job(const hf_contact_scorer* s) {
    const hf_sample_block* b = s->samples->block;
    const double* w = s->query->weights;
    hf_vec3 v = s->direction;
    double most = b->max_manipulability;
    return (hf_score_job){.scores = hf_sample_scores(b),
                          .points = hf_sample_points(b),
                          .factors = s->factors,
                          .form = {(float)(v.x * v.x), (float)(v.y * v.y), (float)(v.z * v.z),
                                   (float)(2 * v.x * v.y), (float)(2 * v.x * v.z), (float)(2 * v.y * v.z)},
                          .guard = (float)hf_terms_guard(s->length),
                          .per_length = (float)(1 / s->length),
                          .effort = (float)w[HF_TERM_EFFORT],
                          .precision = (float)w[HF_TERM_PRECISION],
                          .manipulability = (float)(most > 0 ? w[HF_TERM_MANIPULABILITY] / most : 0),
                          .distance = (float)(w[HF_TERM_DISTANCE] / s->length),
                          .effector = {(float)s->effector.x, (float)s->effector.y, (float)s->effector.z},
                          // of comfort and outlook, which take long, only a bound until a choice's turn comes
                          .most = (float)(w[HF_TERM_COMFORT] + w[HF_TERM_DURATION] + w[HF_TERM_BALANCE]),
                          .set = (uint16_t)s->set,
                          .leaves = s->found.leaves,
                          .leaf_items = s->found.leaf_items,
                          .leaf_count = s->found.leaf_count,
                          .triangle_count = s->found.triangle_count};
}

hf_status hf_contact_collect(hf_contact_scorer* s, hf_workspace* workspace, hf_choice_list* list) {
    s->near.keep = keep_triangle;
    s->near.user = s;
    hf_status status = hf_candidates_gather(s->samples, &s->near, workspace, &s->found);
    if (status != HF_OK || s->found.leaf_count == 0) return status;
    hf_surface_factor* factors =
        hf_workspace_take(workspace, (size_t)s->found.triangle_count + 1, sizeof *factors);
    s->job = hf_workspace_take(workspace, 1, sizeof *s->job);
    list->room += 8 * s->found.leaf_count;
    hf_contact_choice* all = hf_workspace_take(workspace, (size_t)list->room, sizeof *all);
    if (!factors || !s->job || !all) return HF_ERROR_MEMORY;
    if (list->count) memcpy(all, list->all, sizeof *all * (size_t)list->count);
    for (int i = 0; i < s->found.triangle_count; i++) factors[i] = triangle_factor(s, &s->found.triangles[i]);
    s->factors = factors;
    *s->job = score_job(s);
    list->all = all;
    list->count += hf_score_kernel_for(hf_cpu_best())->bound(s->job, all + list->count);
    return HF_OK;
}

/* Surfaces near a sample from its block's hits; false when there are too many, or an object with a grid is
   among them. */
static bool surfaces_of_hits(const hf_contact_scorer* s, const hf_contact_choice* choice,
                             hf_surface* surfaces, int* count) {
    const hf_candidates* c = &s->found;
    uint32_t block = choice->sample / 8, lane = choice->sample % 8;
    *count = 0;
    for (int h = (int)choice->hit; h < c->hit_count && c->hits[h].block == block; h++) {
        if (!(c->hits[h].lanes >> lane & 1)) continue;
        if (c->hits[h].item & HF_CANDIDATE_OBJECT || *count == MAX_SURFACES) return false;
        const hf_near_triangle* t = &c->triangles[c->hits[h].item];
        hf_candidate_surface(s->samples, &s->near, (int)choice->sample, t->object, t->triangle,
                             &surfaces[(*count)++]);
    }
    return true;
}

/* A sample near one usable triangle alone: all but the place is known. */
static bool resolve_single(const hf_contact_scorer* s, const hf_contact_choice* choice, hf_surface* surface,
                           double* factor) {
    const hf_candidates* c = &s->found;
    uint32_t lane = choice->sample % 8;
    for (int h = (int)choice->hit; h < c->hit_count && c->hits[h].block == choice->sample / 8; h++) {
        uint32_t item = c->hits[h].item;
        if (!(c->hits[h].lanes >> lane & 1) || (item & HF_CANDIDATE_OBJECT) || !s->factors[item].allowed)
            continue;
        const hf_near_triangle* t = &c->triangles[item];
        hf_candidate_surface(s->samples, &s->near, (int)choice->sample, t->object, t->triangle, surface);
        orient(s, surface);
        *factor = factor_of(s, t->object, hf_unrotate(s->near.base.rotation, surface->normal));
        return true;
    }
    return false;
}

/* Keeps the surfaces that may be used and turns their normals to the limb's side; returns their number. */
static int usable(const hf_contact_scorer* s, hf_surface* surfaces, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        orient(s, &surfaces[i]);
        hf_vec3 n = hf_unrotate(s->near.base.rotation, surfaces[i].normal);
        if (allowed(s, surfaces[i].object, n, factor_of(s, surfaces[i].object, n)))
            surfaces[kept++] = surfaces[i];
    }
    return kept;
}

/* The best of several surfaces; false when none may be used. */
static hf_status resolve_several(const hf_contact_scorer* s, const hf_contact_choice* choice,
                                 hf_workspace* workspace, hf_surface* surface, double* factor, bool* any) {
    hf_surface few[MAX_SURFACES], *surfaces = few;
    int count, best = 0;
    hf_status status = HF_OK;
    *any = false;
    hf_workspace_mark mark = hf_workspace_begin(workspace);
    if (!surfaces_of_hits(s, choice, few, &count))
        status =
            hf_candidate_surfaces(s->samples, &s->near, (int)choice->sample, workspace, &surfaces, &count);
    if (status == HF_OK && (count = usable(s, surfaces, count))) {
        if (count > 1) count = hf_surfaces_choose(surfaces, count);
        // the other terms are the same for all surfaces of a sample: the nearest is as good as any
        for (int i = 0; i < count; i++) {
            hf_vec3 n = hf_unrotate(s->near.base.rotation, surfaces[i].normal);
            double here = factor_of(s, surfaces[i].object, n);
            if (i == 0 || (hf_contact_pushes(s->query) && here > *factor)) best = i, *factor = here;
        }
        *any = true;
        *surface = surfaces[best];
    }
    hf_workspace_end(workspace, mark);
    return status;
}

hf_status hf_contact_resolve(const hf_contact_scorer* s, const hf_contact_choice* choice, float enough,
                             hf_workspace* workspace, hf_surface* surface, double* factor, double* score,
                             bool* exact, bool* any) {
    hf_status status = HF_OK;
    if (choice->single)
        *any = resolve_single(s, choice, surface, factor);
    else
        status = resolve_several(s, choice, workspace, surface, factor, any);
    *score = (double)choice->score;
    *exact = true;
    if (status != HF_OK || !*any || (choice->single && choice->exact)) return status;
    *score = sample_score(s, (int)choice->sample, *factor);
    const double* w = s->query->weights;
    double most = *score + w[HF_TERM_DURATION] + w[HF_TERM_BALANCE];
    *exact = choice->exact || (float)most >= enough;
    if (*exact) return outlook_score(s, surface, workspace, score);
    *score = most;
    return HF_OK;
}
