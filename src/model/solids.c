/* Solid matter: the inside of watertight outward pieces without their cavities. */
#include "model/scene.h"

#include "base/memory.h"

#include <math.h>

/* Crossings of a ray with one piece. */
typedef struct crossings {
    const hf_object* object;
    int piece;
    hf_vec3 origin, direction;
    int winding;
    bool unsure;
} crossings;

static bool count_crossing(void* user, const hf_triangle* t, uint32_t id, double* bound) {
    (void)bound;
    crossings* c = user;
    if (c->object->pieces.of[id] != c->piece) return true;
    int way = hf_triangle_crossing(t, c->origin, c->direction);
    if (way == HF_CROSSING_UNSURE) {
        c->unsure = true;
        return false;
    }
    c->winding += way;
    return true;
}

/* Winding number by solid angles, for points where no ray is sure: on edges of the surface itself. */
static int winding_by_angles(const hf_object* object, int piece, hf_vec3 point) {
    double sum = 0;
    for (int t = 0; t < object->mesh.triangle_count; t++)
        if (object->pieces.of[t] == piece) {
            hf_triangle tri = hf_triangle_of(&object->mesh, t);
            sum += hf_triangle_solid_angle(&tri, point);
        }
    return (int)lround(sum / (4 * 3.14159265358979323846));
}

/* Distance at which a ray from inside the box has surely left it. */
static double box_exit(const hf_box* box, hf_vec3 point, hf_vec3 d) {
    const double p[3] = {point.x, point.y, point.z}, v[3] = {d.x, d.y, d.z};
    double exit = INFINITY;
    for (int k = 0; k < 3; k++) {
        double side = v[k] > 0 ? (double)box->high[k] : (double)box->low[k];
        if (v[k] != 0) exit = fmin(exit, (side - p[k]) / v[k]);
    }
    return exit * (1 + 1e-9) + 1e-9;
}

/* Directions near the six axes: meshes are full of edges along the axes themselves. */
static hf_vec3 ray_direction(int index) {
    double a = 0.0371 + 0.0113 * (index / 6), b = 0.0229 + 0.0173 * (index / 6);
    double s = index % 2 ? -1 : 1;
    int axis = index / 2 % 3;
    hf_vec3 d = axis == 0 ? hf_v3(s, a, b) : axis == 1 ? hf_v3(b, s, a) : hf_v3(a, b, s);
    return hf_normalize(d);
}

/* Winding number of a piece about a point in the object's frame. */
static int piece_winding(const hf_object* object, const hf_tree_kernel* kernel, int piece, hf_vec3 point) {
    const hf_box* box = &object->pieces.box[piece];
    const double p[3] = {point.x, point.y, point.z};
    for (int k = 0; k < 3; k++)
        if (!(p[k] >= (double)box->low[k] && p[k] <= (double)box->high[k])) return 0;
    // the shortest way out first: it crosses least
    int first = 0;
    for (int i = 1; i < 6; i++)
        if (box_exit(box, point, ray_direction(i)) < box_exit(box, point, ray_direction(first))) first = i;
    for (int i = 0; i < 18; i++) {
        crossings c = {.object = object, .piece = piece, .origin = point};
        c.direction = ray_direction(i / 6 * 6 + (first + i) % 6);
        kernel->ray(object->tree, point, c.direction, box_exit(box, point, c.direction), count_crossing, &c);
        if (!c.unsure) return c.winding;
    }
    return winding_by_angles(object, piece, point);
}

/* Solids whose box holds this one, one after the other; a few more may come. */
typedef struct holders {
    float center[3], half[3];
    uint32_t stack[HF_TREE_STACK];
    int top;
} holders;

static void start_holders(holders* at, const double low[3], const double high[3]) {
    for (int k = 0; k < 3; k++) {
        at->center[k] = (float)(0.5 * (low[k] + high[k]));
        at->half[k] = (float)(0.5 * (high[k] - low[k]));
    }
    at->top = 1, at->stack[0] = 0;
}

static int next_holder(const hf_solids* s, const hf_tree_kernel* kernel, holders* at) {
    while (at->top) {
        uint32_t child = at->stack[--at->top];
        if (child & HF_TREE_LEAF) return (int)(child & ~HF_TREE_LEAF);
        const hf_tree_node* n = &s->nodes[child];
        for (unsigned bits = kernel->hold(n, at->center, at->half); bits; bits &= bits - 1) {
            uint32_t next = n->child[__builtin_ctz(bits)];
            if (next != HF_TREE_NONE) at->stack[at->top++] = next;
        }
    }
    return -1;
}

/* An inward piece and an outward piece around it. */
typedef struct cavity_pair {
    int piece, solid;
} cavity_pair;

static bool gather_cavities(hf_object* object, const hf_tree_kernel* kernel, const int* some,
                            cavity_pair** pairs, int* count) {
    const hf_solids* s = &object->solids;
    const hf_pieces* p = &object->pieces;
    int capacity = 0;
    for (int q = 0; q < p->count; q++) {
        if (p->solidity[q] >= 0) continue;
        hf_vec3 corner = hf_triangle_of(&object->mesh, some[q]).v[0];
        double low[3], high[3];
        for (int k = 0; k < 3; k++) low[k] = (double)p->box[q].low[k], high[k] = (double)p->box[q].high[k];
        holders at;
        start_holders(&at, low, high);
        for (int solid; (solid = next_holder(s, kernel, &at)) >= 0;) {
            if (piece_winding(object, kernel, s->piece[solid], corner) <= 0) continue;
            if (!HF_GROW(*pairs, capacity, *count)) return false;
            (*pairs)[(*count)++] = (cavity_pair){q, solid};
        }
    }
    return true;
}

/* An inward piece is a cavity of every outward piece around it. */
static hf_status find_cavities(hf_object* object, const hf_tree_kernel* kernel) {
    hf_solids* s = &object->solids;
    cavity_pair* pairs = NULL;
    int count = 0;
    int* some = hf_alloc((size_t)object->pieces.count, sizeof *some); // a triangle of each piece
    for (int t = object->mesh.triangle_count - 1; some && t >= 0; t--) some[object->pieces.of[t]] = t;
    bool ok = some && gather_cavities(object, kernel, some, &pairs, &count);
    s->cavity = ok ? hf_alloc((size_t)count, sizeof *s->cavity) : NULL;
    if (s->cavity) {
        // ordered by solid: counts become ends
        for (int i = 0; i < count; i++) s->cavity_end[pairs[i].solid]++;
        for (int i = 1; i < s->count; i++) s->cavity_end[i] += s->cavity_end[i - 1];
        for (int i = count - 1; i >= 0; i--) s->cavity[--s->cavity_end[pairs[i].solid]] = pairs[i].piece;
        // the ends are now the beginnings: shift them back
        for (int i = 0; i < s->count; i++) s->cavity_end[i] = i + 1 < s->count ? s->cavity_end[i + 1] : count;
    }
    hf_free(some);
    hf_free(pairs);
    return s->cavity ? HF_OK : HF_ERROR_MEMORY;
}

hf_status hf_solids_find(hf_object* object, const hf_tree_kernel* kernel) {
    hf_solids* s = &object->solids;
    const hf_pieces* p = &object->pieces;
    int inward = 0;
    for (int i = 0; i < p->count; i++) s->count += p->solidity[i] > 0, inward += p->solidity[i] < 0;
    s->piece = hf_alloc((size_t)s->count, sizeof *s->piece);
    s->cavity_end = hf_alloc((size_t)s->count, sizeof *s->cavity_end);
    s->nodes = hf_alloc_aligned((size_t)(s->count ? s->count : 1), sizeof *s->nodes);
    hf_box* boxes = hf_alloc((size_t)s->count, sizeof *boxes);
    uint32_t* order = hf_alloc((size_t)s->count, sizeof *order);
    hf_status status = s->piece && s->cavity_end && s->nodes && boxes && order ? HF_OK : HF_ERROR_MEMORY;
    if (!status) {
        int n = 0;
        for (int i = 0; i < p->count; i++) {
            if (p->solidity[i] <= 0) continue;
            boxes[n] = p->box[i];
            s->piece[n++] = i;
            for (int k = 0; k < 3; k++) s->most[k] = fmaxf(s->most[k], p->box[i].high[k] - p->box[i].low[k]);
        }
        hf_box_tree_build(boxes, s->count, order, s->nodes);
        if (inward && s->count) status = find_cavities(object, kernel);
    }
    hf_free(boxes);
    hf_free(order);
    return status;
}

void hf_solids_free(hf_solids* s) {
    hf_free(s->piece);
    hf_free(s->nodes);
    hf_free(s->cavity);
    hf_free(s->cavity_end);
    *s = (hf_solids){0};
}

/* Inside this solid and in none of its cavities. */
static bool solid_holds(const hf_object* object, const hf_tree_kernel* kernel, int solid, hf_vec3 point) {
    const hf_solids* s = &object->solids;
    if (piece_winding(object, kernel, s->piece[solid], point) <= 0) return false;
    for (int i = solid ? s->cavity_end[solid - 1] : 0; i < s->cavity_end[solid]; i++)
        if (piece_winding(object, kernel, s->cavity[i], point) < 0) return false;
    return true;
}

bool hf_solids_hold(const hf_object* object, const hf_tree_kernel* kernel, hf_vec3 point, hf_vec3 low,
                    hf_vec3 high) {
    const hf_solids* s = &object->solids;
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; k++)
        if (h[k] - l[k] > (double)s->most[k]) return false;
    if (!s->count) return false;
    holders at;
    start_holders(&at, l, h);
    for (int solid; (solid = next_holder(s, kernel, &at)) >= 0;)
        if (solid_holds(object, kernel, solid, point)) return true;
    return false;
}
