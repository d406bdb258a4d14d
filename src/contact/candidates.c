/* Candidates: gathers the triangles near a limb from the scene's trees, objects with a grid as they are, and
   sends them down the set's octree. */
#include "contact/candidates.h"
#include "base/rounding.h"

#include "base/assert.h"
#include "base/workspace.h"
#include "model/tolerance.h"

#include <math.h>
#include <string.h>

HF_KERNEL_CHOICE(hf_candidate_kernel)

/* Rounding of double transforms, as a share of the coordinates they pass through. */
static const double DOUBLE_ROUNDING = 1e-14;

typedef struct search {
    const hf_candidate_query* query;
    const hf_sample_block* block;
    hf_workspace* workspace;
    const hf_grids* grids; /* to be used, or NULL */
    bool failed;           /* memory ran out */
    bool cancelled;        /* by the callback that watches the workspace */
    unsigned steps;        /* since the query began */
    float low[3], high[3]; /* of all samples that are to be asked about what is gathered */
    double reach;          /* largest coordinate of one, and epsilon */
    hf_mat3 rotation;      /* of the base */
    /* triangles and objects near the limb */
    hf_near_triangle* triangles;
    int triangle_count, triangle_room;
    hf_near_object* objects;
    int object_count;
    /* the object being gathered: its frame in the limb's root frame, and that frame's origin in its own */
    int object;
    hf_mat3 turn;
    hf_vec3 shift, origin;
    double slack;
} search;

enum { FIRST_ROOM = 256 };

/* Twice the room in the workspace; what was there before stays reserved until the query ends. */
static bool grow(search* s, void** items, int* room, int count, size_t size) {
    if (count < *room) return true;
    int wanted = *room ? *room * 2 : FIRST_ROOM;
    void* p = wanted > *room ? hf_workspace_take(s->workspace, (size_t)wanted, size) : NULL;
    s->failed = s->failed || !p;
    if (!p) return false;
    if (count) memcpy(p, *items, (size_t)count * size);
    *items = p, *room = wanted;
    return true;
}

/* Asks once in a few thousand steps, each of which takes well under a microsecond. */
enum { STEPS = 4096 };
/* Leaves that there is room for at first. */
enum { LEAVES = 256 };
static bool goes_on(search* s) {
    if (++s->steps % STEPS == 0) s->cancelled = s->cancelled || !hf_workspace_goes_on(s->workspace);
    return !s->cancelled;
}

/* ---- what is near the limb ---- */

/* Not fmin and fmax: gcc 12 for arm64 crashes when it vectorises a loop of them. */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

static double largest(hf_vec3 v) { return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z))); }

/* The question about a triangle needs its normal alone; one without area carries nothing. */
static bool kept(const search* s, const hf_triangle* t, int id) {
    hf_vec3 u = hf_sub(t->v[1], t->v[0]), v = hf_sub(t->v[2], t->v[0]), n = hf_cross(u, v);
    double length = hf_length(n), longest = larger(hf_distance(u, v), larger(hf_length(u), hf_length(v)));
    if (!(length > HF_NO_HEIGHT_M * longest)) return false;
    n = hf_scale(n, 1 / length);
    double offset = hf_dot(n, hf_sub(t->v[0], s->origin));
    return s->query->keep(s->query->user, s->object, id, hf_mat3_mul(&s->turn, n), offset);
}

static bool gather(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)bound;
    search* s = user;
    if (!goes_on(s) ||
        !grow(s, (void**)&s->triangles, &s->triangle_room, s->triangle_count, sizeof *s->triangles))
        return false;
    if (s->query->keep && !kept(s, t, (int)id)) return true;
    hf_triangle here;
    double size = 0;
    for (int i = 0; i < 3; i++) {
        here.v[i] = hf_add(hf_mat3_mul(&s->turn, t->v[i]), s->shift);
        size = larger(size, largest(t->v[i]));
    }
    hf_near_triangle* near = &s->triangles[s->triangle_count++];
    hf_near_triangle_set(near, &here, s->reach, s->slack + DOUBLE_ROUNDING * size);
    near->object = s->object, near->triangle = (int)id;
    return true;
}

/* The box of all samples, in the object's frame. */
static hf_tree_body sample_body(const search* s, const hf_placed* placed) {
    const float *low = s->low, *high = s->high;
    double c[3], half[3];
    for (int k = 0; k < 3; k++) {
        c[k] = ((double)low[k] + (double)high[k]) / 2;
        half[k] = ((double)high[k] - (double)low[k]) / 2 * (1 + HF_ROUNDING);
    }
    hf_tree_body body = {.center = hf_into(placed, hf_apply(s->query->base, hf_v3(c[0], c[1], c[2])))};
    const hf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        body.axis[k] = hf_turn_into(placed, hf_rotate(s->query->base.rotation, axes[k]));
        body.half[k] = half[k];
    }
    return body;
}

/* The object as one item: from the limb's root frame to cells of its grid. */
static void add_object(search* s, const hf_placed* placed, const hf_grid* g) {
    hf_near_object* o = &s->objects[s->object_count++];
    *o = (hf_near_object){.grid = g, .object = s->object};
    hf_vec3 origin = hf_sub(hf_into(placed, s->query->base.position), g->low);
    const hf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double extent = s->reach;
    for (int k = 0; k < 3; k++) {
        hf_vec3 a = hf_turn_into(placed, hf_rotate(s->query->base.rotation, axes[k]));
        o->turn[k] = (float)(a.x / g->cell), o->turn[3 + k] = (float)(a.y / g->cell);
        o->turn[6 + k] = (float)(a.z / g->cell);
        extent = fmax(extent, g->cell * HF_BRICK * g->size[k]);
    }
    o->shift[0] = (float)(origin.x / g->cell), o->shift[1] = (float)(origin.y / g->cell);
    o->shift[2] = (float)(origin.z / g->cell);
    o->doubt = (float)(HF_FLOAT_ROUNDING * 2 * extent + s->slack);
}

static void gather_object(search* s, int object, double bound) {
    const hf_candidate_query* q = s->query;
    const hf_placed* placed = &q->placement->objects[object];
    hf_transform pose = placed->pose;
    s->object = object;
    s->slack = DOUBLE_ROUNDING * (largest(pose.position) + largest(q->base.position) + s->reach);
    const hf_grid* g = hf_grid_for(s->grids, object, q->epsilon);
    if (g) {
        add_object(s, placed, g);
        return;
    }
    // base^-1 pose, as a matrix
    const double *b = s->rotation.m, *o = placed->rotation.m;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s->turn.m[i * 3 + k] = b[i] * o[k] + b[3 + i] * o[3 + k] + b[6 + i] * o[6 + k];
    s->shift = hf_unapply(q->base, pose.position);
    s->origin = hf_into(placed, q->base.position);
    hf_tree_body body = sample_body(s, placed);
    q->placement->kernel->body(q->placement->scene->objects[object].tree, &body, bound, gather, s);
}

static void gather_all(search* s) {
    const hf_candidate_query* q = s->query;
    // world box of the box of all samples
    const float *low = s->low, *high = s->high;
    hf_vec3 least = hf_v3(INFINITY, INFINITY, INFINITY), most = hf_neg(least);
    for (int i = 0; i < 8; i++) {
        hf_vec3 c = hf_v3((double)(i & 1 ? high : low)[0], (double)(i & 2 ? high : low)[1],
                          (double)(i & 4 ? high : low)[2]);
        c = hf_apply(q->base, c);
        least = hf_v3(smaller(least.x, c.x), smaller(least.y, c.y), smaller(least.z, c.z));
        most = hf_v3(larger(most.x, c.x), larger(most.y, c.y), larger(most.z, c.z));
    }
    double bound = q->epsilon * (1 + HF_ROUNDING) + DOUBLE_ROUNDING * (largest(least) + largest(most));
    hf_upper_walk walk;
    hf_upper_box(&walk, q->placement, least, most);
    for (int object; (object = hf_upper_next(&walk, bound)) >= 0 && !s->failed;) {
        bool wanted = q->use ? q->use[object] : q->placement->scene->objects[object].contact;
        if (wanted) gather_object(s, object, bound);
    }
}

/* ---- what the kernel asks and tells ---- */

static hf_vec3 sample_in_world(const hf_candidate_query* q, const hf_sample_block* block, uint32_t sample) {
    return hf_apply(q->base, hf_sample_point(hf_sample_points(block), (int)sample));
}

typedef struct any_visit {
    hf_vec3 p;
    double epsilon;
} any_visit;

static bool visit_any(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)id, (void)bound;
    const any_visit* v = user;
    hf_vec3 nearest;
    return sqrt(hf_triangle_point(t, v->p, &nearest)) > v->epsilon;
}

/* What `exact` is asked about. */
typedef struct question {
    const hf_candidate_query* query;
    const hf_sample_block* block;
    const hf_candidates* found;
} question;

/* The same words as hf_placement_within. */
static bool exact(void* user, uint32_t item, uint32_t sample) {
    const question* x = user;
    const hf_candidate_query* q = x->query;
    const hf_candidates* c = x->found;
    hf_vec3 world = sample_in_world(q, x->block, sample), nearest;
    if (item < (uint32_t)c->triangle_count) {
        const hf_near_triangle* near = &c->triangles[item];
        hf_vec3 local = hf_into(&q->placement->objects[near->object], world);
        hf_triangle t = hf_triangle_of(&q->placement->scene->objects[near->object].mesh, near->triangle);
        return sqrt(hf_triangle_point(&t, local, &nearest)) <= q->epsilon;
    }
    int object = c->objects[item - (uint32_t)c->triangle_count].object;
    any_visit v = {hf_into(&q->placement->objects[object], world), q->epsilon};
    return !q->placement->kernel->near(q->placement->scene->objects[object].tree, v.p, v.p, q->epsilon,
                                       visit_any, &v);
}

/* Room for a leaf, or for as many as may come between two questions whether to go on. */
static bool more_leaves(void* user, hf_candidate_walk* w, uint32_t items) {
    search* s = user;
    s->cancelled = s->cancelled || !hf_workspace_goes_on(s->workspace);
    uint32_t leaves = 2 * w->leaf_room + LEAVES, all = 2 * w->leaf_item_room + LEAVES + items;
    if (s->cancelled || leaves < w->leaf_room || all < w->leaf_item_room) return false;
    if (w->leaf_count == w->leaf_room) {
        hf_candidate_leaf* to = hf_workspace_take(s->workspace, leaves, sizeof *to);
        if (!to) return false;
        if (w->leaf_count) memcpy(to, w->leaves, sizeof *to * w->leaf_count);
        w->leaves = to, w->leaf_room = leaves;
    }
    if (w->leaf_item_room - w->leaf_item_count < items) {
        uint32_t* to = hf_workspace_take(s->workspace, all, sizeof *to);
        if (!to) return false;
        if (w->leaf_item_count) memcpy(to, w->leaf_items, sizeof *to * w->leaf_item_count);
        w->leaf_items = to, w->leaf_item_room = all;
    }
    return true;
}

/* ---- the whole ---- */

static void enclose(search* s, const hf_sample_block* block) {
    for (int k = 0; k < 3; k++) {
        s->low[k] = block->low[k] < s->low[k] ? block->low[k] : s->low[k];
        s->high[k] = block->high[k] > s->high[k] ? block->high[k] : s->high[k];
        double far = larger(fabs((double)block->low[k]), fabs((double)block->high[k]));
        s->reach = larger(s->reach, s->query->epsilon + far);
    }
}

static hf_status gather_near(search* s) {
    const hf_candidate_query* q = s->query;
    s->grids = q->no_grids ? NULL : q->grids ? q->grids : q->placement->scene->attached;
    s->reach = q->epsilon;
    memcpy(s->low, s->block->low, sizeof s->low);
    memcpy(s->high, s->block->high, sizeof s->high);
    enclose(s, s->block);
    for (int i = 0; i < q->other_count; i++) enclose(s, q->others[i]->block);
    s->rotation = hf_quat_matrix(q->base.rotation);
    s->objects = hf_workspace_take(s->workspace, s->grids ? (size_t)s->grids->count : 0, sizeof *s->objects);
    if (!s->objects) return HF_ERROR_MEMORY;
    gather_all(s);
    return s->failed ? HF_ERROR_MEMORY : HF_OK;
}

static hf_candidate_walk walk_of(const hf_samples* samples, const hf_candidate_query* query,
                                 const hf_candidates* c) {
    return (hf_candidate_walk){.block = samples->block,
                               .triangles = c->triangles,
                               .triangle_count = (uint32_t)c->triangle_count,
                               .objects = c->objects,
                               .item_count = (uint32_t)c->triangle_count + (uint32_t)c->object_count,
                               .epsilon = (float)query->epsilon};
}

static hf_status walk_samples(hf_cpu cpu, search* s, const hf_samples* samples, hf_candidates* out) {
    hf_candidate_walk walk = walk_of(samples, s->query, out);
    walk.more = more_leaves, walk.user = s;
    if (walk.item_count == 0) return HF_OK;
    // every box of a level has room for all items
    uint32_t *lists[HF_SAMPLE_LEVELS][8], count = walk.item_count, levels = s->block->level_count;
    uint32_t* items = hf_workspace_take(s->workspace, (size_t)count * (1 + 8 * levels), sizeof *items);
    if (!items) return HF_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) items[i] = i;
    for (uint32_t i = 0; i < 8 * levels; i++) lists[i / 8][i % 8] = items + (size_t)count * (1 + i);
    walk.items = items, walk.lists = lists;
    if (!hf_candidate_kernel_for(cpu)->walk(&walk) && !s->cancelled) return HF_ERROR_MEMORY;
    out->leaf_count = (int)walk.leaf_count;
    out->leaves = walk.leaves, out->leaf_items = walk.leaf_items;
    out->hits = hf_workspace_take(s->workspace, (size_t)walk.leaf_item_count + 1, sizeof *out->hits);
    return out->hits ? HF_OK : HF_ERROR_MEMORY;
}

static hf_status gather_on(hf_cpu cpu, const hf_samples* samples, const hf_candidate_query* query,
                           hf_workspace* workspace, hf_candidates* out) {
    memset(out, 0, sizeof *out);
    HF_ASSERT(query->epsilon > 0);
    search s = {.query = query, .block = samples->block, .workspace = workspace};
    hf_status status = HF_OK;
    if (query->gathered) {
        out->triangles = query->gathered->triangles, out->triangle_count = query->gathered->triangle_count;
        out->objects = query->gathered->objects, out->object_count = query->gathered->object_count;
    } else {
        status = gather_near(&s);
        out->triangles = s.triangles, out->triangle_count = s.triangle_count;
        out->objects = s.objects, out->object_count = s.object_count;
    }
    return status == HF_OK ? walk_samples(cpu, &s, samples, out) : status;
}

static void open_on(hf_cpu cpu, const hf_samples* samples, const hf_candidate_query* query, int leaf,
                    hf_candidates* c) {
    hf_candidate_walk walk = walk_of(samples, query, c);
    question asked = {query, samples->block, c};
    unsigned near;
    walk.exact = exact, walk.user = &asked;
    walk.leaf_items = (uint32_t*)c->leaf_items;
    c->hit_count +=
        hf_candidate_kernel_for(cpu)->open(&walk, &c->leaves[leaf], c->hits + c->hit_count, &near);
    // a sample near several surfaces counts once
    for (; near; near &= near - 1) c->sample_count++;
}

hf_status hf_candidates_gather(const hf_samples* samples, const hf_candidate_query* query,
                               hf_workspace* workspace, hf_candidates* out) {
    return gather_on(hf_cpu_best(), samples, query, workspace, out);
}

void hf_candidates_open(const hf_samples* samples, const hf_candidate_query* query, int leaf,
                        hf_candidates* found) {
    open_on(hf_cpu_best(), samples, query, leaf, found);
}

hf_status hf_candidates_find_on(hf_cpu cpu, const hf_samples* samples, const hf_candidate_query* query,
                                hf_workspace* workspace, hf_candidates* out) {
    hf_status status = gather_on(cpu, samples, query, workspace, out);
    for (int i = 0; status == HF_OK && i < out->leaf_count; i++) open_on(cpu, samples, query, i, out);
    return status;
}

hf_status hf_candidates_find(const hf_samples* samples, const hf_candidate_query* query,
                             hf_workspace* workspace, hf_candidates* out) {
    return hf_candidates_find_on(hf_cpu_best(), samples, query, workspace, out);
}

/* ---- the choices of one sample ---- */

static const double SAME_NORMAL = 0.984807753012208; /* cos 10 degrees */

/* By distance, then object, then triangle: an order that nothing but the scene decides. */
static bool nearer(const hf_surface* a, const hf_surface* b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->object != b->object ? a->object < b->object : a->triangle < b->triangle;
}

/* Each round keeps the nearest surface that is left and drops those like it, so the work is the count times
   the few directions that differ, not the count squared. */
int hf_surfaces_choose(hf_surface* surfaces, int count) {
    int chosen = 0;
    while (chosen < count) {
        int nearest = chosen, left = chosen + 1;
        for (int i = chosen + 1; i < count; i++)
            if (nearer(&surfaces[i], &surfaces[nearest])) nearest = i;
        hf_surface s = surfaces[nearest];
        surfaces[nearest] = surfaces[chosen];
        surfaces[chosen++] = s;
        for (int i = chosen; i < count; i++)
            if (!(hf_dot(surfaces[i].normal, s.normal) >= SAME_NORMAL)) surfaces[left++] = surfaces[i];
        count = left;
    }
    return chosen;
}

void hf_candidate_surface(const hf_samples* samples, const hf_candidate_query* query, int sample, int object,
                          int triangle, hf_surface* surface) {
    const hf_placement* p = query->placement;
    hf_vec3 world = sample_in_world(query, samples->block, (uint32_t)sample), nearest;
    hf_vec3 local = hf_into(&p->objects[object], world);
    hf_triangle t = hf_triangle_of(&p->scene->objects[object].mesh, triangle);
    double distance = sqrt(hf_triangle_point(&t, local, &nearest));
    hf_surface_fill(p, object, triangle, nearest, distance, surface);
}

/* The triangles near one sample, in the order in which the trees give them. */
typedef struct near_visit {
    search* search;
    int object;
    hf_vec3 p; /* in the object's frame */
    hf_surface* all;
    int count, room;
} near_visit;

static bool visit_near(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    near_visit* v = user;
    hf_vec3 point;
    double d = sqrt(hf_triangle_point(t, v->p, &point));
    if (d > *bound) return true;
    if (!grow(v->search, (void**)&v->all, &v->room, v->count, sizeof *v->all)) return false;
    hf_surface_fill(v->search->query->placement, v->object, (int)id, point, d, &v->all[v->count++]);
    return true;
}

hf_status hf_candidate_surfaces(const hf_samples* samples, const hf_candidate_query* query, int sample,
                                hf_workspace* workspace, hf_surface** surfaces, int* count) {
    search s = {.query = query, .block = samples->block, .workspace = workspace};
    const hf_placement* placement = query->placement;
    HF_ASSERT(sample >= 0 && (uint32_t)sample < samples->block->sample_count);
    hf_vec3 world = sample_in_world(query, samples->block, (uint32_t)sample);
    near_visit v = {.search = &s};
    hf_upper_walk walk;
    hf_upper_box(&walk, placement, world, world);
    while ((v.object = hf_upper_next(&walk, query->epsilon)) >= 0 && !s.failed) {
        if (!(query->use ? query->use[v.object] : placement->scene->objects[v.object].contact)) continue;
        v.p = hf_into(&placement->objects[v.object], world);
        placement->kernel->near(placement->scene->objects[v.object].tree, v.p, v.p, query->epsilon,
                                visit_near, &v);
    }
    *surfaces = v.all;
    *count = s.failed ? 0 : v.count;
    return s.failed ? HF_ERROR_MEMORY : HF_OK;
}
