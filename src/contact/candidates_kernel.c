/* The walk down the octree, eight boxes or eight samples at a time. Compiled once for each instruction set;
   lanes are independent and nothing is fused, so that all give the same answers. */
#include "contact/candidates.h"
#include "geom/float8.h"

/* Share by which float products that bound something are made larger. */
#define WIDER 1.000002f
#define WIDER_SQUARE 1.0001f /* the same of their squares, in cells */
/* An empty slot of a node has a ball larger than this. */
#define EMPTY_M 1e15f
/* The value of a cell is at most so many steps under the distance of its centre. */
#define VALUE_STEPS 1.5f

HF_INLINE8 vec8 rows8(const float* p) { return (vec8){f8_load(p), f8_load(p + 8), f8_load(p + 16)}; }
HF_INLINE8 float8 dot8(const float a[3], vec8 p) { return a[0] * p.x + a[1] * p.y + a[2] * p.z; }

/* ---- triangles ---- */

/* Boxes that may be within `near` of the triangle: its box, its plane, and the planes through its edges.
   `half` and `near` are made larger by WIDER. */
HF_INLINE8 int triangle_boxes(const hf_near_triangle* t, float near, vec8 c, vec8 half) {
    mask8 in = (f8_abs(c.x - t->center[0]) <= half.x + (t->half[0] * WIDER + near)) &
               (f8_abs(c.y - t->center[1]) <= half.y + (t->half[1] * WIDER + near)) &
               (f8_abs(c.z - t->center[2]) <= half.z + (t->half[2] * WIDER + near));
    if (t->exact || !m8_bits(in)) return m8_bits(in);
    in &= f8_abs(dot8(t->normal, c) - t->offset) <= dot8(t->normal_size, half) + near;
    if (!m8_bits(in)) return 0;
    for (int i = 0; i < 3; i++) in &= dot8(t->out[i], c) - t->side[i] <= dot8(t->out_size[i], half) + near;
    return m8_bits(in);
}

/* How far points lie beyond each edge, in the triangle's plane. */
HF_INLINE8 void beyond8(const hf_near_triangle* t, vec8 p, float8 beyond[3]) {
    for (int i = 0; i < 3; i++) beyond[i] = dot8(t->out[i], p) - t->side[i];
}

HF_INLINE8 mask8 inside8(const float8 beyond[3]) {
    return (beyond[0] <= 0) & (beyond[1] <= 0) & (beyond[2] <= 0);
}

/* Squared distance in the triangle's plane; 0 above it. */
HF_INLINE8 float8 aside8(const hf_near_triangle* t, vec8 p, const float8 beyond[3]) {
    float8 least = f8_all(HF_FLOAT_FAR), zero = f8_all(0);
    for (int i = 0; i < 3; i++) {
        float8 along = dot8(t->along[i], p);
        float8 past = f8_max(f8_max(t->start[i] - along, along - t->end[i]), zero);
        least = f8_min(least, beyond[i] * beyond[i] + past * past);
    }
    return f8_select(inside8(beyond), zero, least);
}

/* Samples of a block near the triangle. Most are above its inside, or too far beyond one edge: the way along
   the edges matters only for the rest. */
HF_INLINE8 int triangle_leaf(const hf_candidate_walk* w, uint32_t item, uint32_t block, int valid, vec8 p) {
    const hf_near_triangle* t = &w->triangles[item];
    int in = 0, open = valid;
    if (!t->exact) {
        float most = w->epsilon + t->doubt, least = w->epsilon - t->doubt;
        float8 height = dot8(t->normal, p) - t->offset, beyond[3];
        open &= m8_bits(f8_abs(height) <= most);
        if (!open) return 0;
        beyond8(t, p, beyond);
        open &= m8_bits(f8_max(f8_max(beyond[0], beyond[1]), beyond[2]) <= most);
        if (!open) return 0;
        float8 square = height * height;
        if (open & ~m8_bits(inside8(beyond))) square += aside8(t, p, beyond);
        in = least > 0 ? open & m8_bits(square < least * least) : 0;
        open &= m8_bits(square <= most * most) & ~in;
    }
    for (; open; open &= open - 1) {
        int lane = __builtin_ctz((unsigned)open);
        if (w->exact(w->user, item, block * 8 + (uint32_t)lane)) in |= 1 << lane;
    }
    return in;
}

/* ---- objects with a grid ---- */

typedef union lanes8 {
    float8 all;
    float lane[8];
} lanes8;

HF_INLINE8 vec8 into_cells(const hf_near_object* o, vec8 p) {
    return (vec8){dot8(o->turn, p) + o->shift[0], dot8(o->turn + 3, p) + o->shift[1],
                  dot8(o->turn + 6, p) + o->shift[2]};
}

/* Boxes that may be within epsilon of the object: the ball around each, by its brick or its way to the grid.
 */
static int object_boxes(const hf_near_object* o, float epsilon, vec8 c, vec8 half) {
    const hf_grid* g = o->grid;
    vec8 u = into_cells(o, c);
    lanes8 x = {u.x}, y = {u.y}, z = {u.z}, ball = {f8_sqrt(v8_dot(half, half)) * WIDER};
    float brick = (float)g->cell * HF_BRICK;
    int in = 0;
    for (int s = 0; s < 8; s++) {
        if (ball.lane[s] > EMPTY_M) continue;
        const float p[3] = {x.lane[s], y.lane[s], z.lane[s]};
        float outside = 0, aside = 0;
        int at[3];
        for (int k = 0; k < 3; k++) {
            float b = p[k] * (1.0f / HF_BRICK), end = (float)g->size[k];
            float way = b < 0 ? -b : b > end ? b - end : 0;
            outside += way * way;
            at[k] = b < 0 ? 0 : b >= end ? g->size[k] - 1 : (int)b;
            float d = b - ((float)at[k] + 0.5f);
            aside += d * d;
        }
        float reach = ball.lane[s] + o->doubt;
        if (outside * brick * brick > reach * reach * WIDER_SQUARE) continue;
        size_t index =
            ((size_t)at[2] * (size_t)g->size[1] + (size_t)at[1]) * (size_t)g->size[0] + (size_t)at[0];
        float bound = epsilon + reach;
        float gap = g->far[index] - bound; // far - aside > bound
        if (gap > 0 && gap * gap > aside * brick * brick * WIDER_SQUARE) continue;
        in |= 1 << s;
    }
    return in;
}

/* Value of a fine cell; HF_GRID_FAR outside the grid and where there is no brick. */
static inline int fine_value(const hf_grid* g, const int c[3]) {
    for (int k = 0; k < 3; k++)
        if (c[k] < 0 || c[k] >= g->size[k] * HF_BRICK) return HF_GRID_FAR;
    size_t index =
        ((size_t)(c[2] / HF_BRICK) * (size_t)g->size[1] + (size_t)(c[1] / HF_BRICK)) * (size_t)g->size[0] +
        (size_t)(c[0] / HF_BRICK);
    int brick = g->brick[index];
    if (brick < 0) return HF_GRID_FAR;
    return g->values[brick][(c[2] % HF_BRICK * HF_BRICK + c[1] % HF_BRICK) * HF_BRICK + c[0] % HF_BRICK];
}

/* What the eight cells whose centres surround the point say: +1 near, -1 not, 0 unsure. */
static int ask_around(const hf_near_object* o, const float p[3], float least, float most) {
    const hf_grid* g = o->grid;
    float cell = (float)g->cell, part[3];
    int low[3];
    for (int k = 0; k < 3; k++) {
        float f = p[k] - 0.5f, whole = (float)(int)f;
        if (whole > f) whole -= 1;
        low[k] = (int)whole, part[k] = f - whole;
    }
    for (int i = 0; i < 8; i++) {
        const int c[3] = {low[0] + (i & 1), low[1] + (i >> 1 & 1), low[2] + (i >> 2)};
        float x = part[0] - (float)(i & 1), y = part[1] - (float)(i >> 1 & 1), z = part[2] - (float)(i >> 2);
        float square = (x * x + y * y + z * z) * cell * cell * WIDER;
        int v = fine_value(g, c);
        // a far cell is two cells beyond epsilon at least
        float from = v == HF_GRID_FAR ? (float)g->epsilon + cell : (float)v * g->step;
        if (from > most && (from - most) * (from - most) > square) return -1;
        float room = least - ((float)v + VALUE_STEPS) * g->step;
        if (v != HF_GRID_FAR && room > 0 && room * room > square) return 1;
    }
    return 0;
}

/* Values of the cells that hold the points, HF_GRID_FAR for those outside, and squared ways from the cells'
   centres in cells. */
HF_INLINE8 mask8 own_values(const hf_grid* g, vec8 u, int valid, float8* aside) {
    const float end[3] = {(float)(g->size[0] * HF_BRICK), (float)(g->size[1] * HF_BRICK),
                          (float)(g->size[2] * HF_BRICK)};
    mask8 inside = (u.x >= 0) & (u.x < end[0]) & (u.y >= 0) & (u.y < end[1]) & (u.z >= 0) & (u.z < end[2]);
    union {
        mask8 all;
        int32_t lane[8];
    } brick, cell, value;
    mask8 x = __builtin_convertvector(f8_select(inside, u.x, f8_all(0)), mask8);
    mask8 y = __builtin_convertvector(f8_select(inside, u.y, f8_all(0)), mask8);
    mask8 z = __builtin_convertvector(f8_select(inside, u.z, f8_all(0)), mask8);
    brick.all = ((z >> 3) * g->size[1] + (y >> 3)) * g->size[0] + (x >> 3);
    cell.all = (z & 7) << 6 | (y & 7) << 3 | (x & 7);
    vec8 way = {u.x - (__builtin_convertvector(x, float8) + 0.5f),
                u.y - (__builtin_convertvector(y, float8) + 0.5f),
                u.z - (__builtin_convertvector(z, float8) + 0.5f)};
    *aside = v8_dot(way, way);
    value.all = (mask8){0} + HF_GRID_FAR;
    for (int open = valid & m8_bits(inside); open; open &= open - 1) {
        int lane = __builtin_ctz((unsigned)open), index = g->brick[brick.lane[lane]];
        if (index >= 0) value.lane[lane] = g->values[index][cell.lane[lane]];
    }
    return value.all;
}

/* Samples of a block near the object. */
static int object_leaf(const hf_candidate_walk* w, uint32_t item, uint32_t block, int valid, vec8 p) {
    const hf_near_object* o = &w->objects[item - w->triangle_count];
    const hf_grid* g = o->grid;
    vec8 u = into_cells(o, p);
    float least = w->epsilon - o->doubt, most = w->epsilon + o->doubt;
    // the cell that holds a point settles most
    float8 aside;
    mask8 value = own_values(g, u, valid, &aside);
    int open = valid & m8_bits(value != HF_GRID_FAR);
    if (!open) return 0;
    float cell = (float)g->cell;
    float8 v = __builtin_convertvector(value, float8), square = aside * (cell * cell * WIDER);
    float8 room = least - (v + VALUE_STEPS) * g->step, gap = v * g->step - most;
    int in = open & m8_bits((room > 0) & (room * room > square));
    open &= ~in & ~m8_bits((gap > 0) & (gap * gap > square));
    // its neighbours most of the rest
    lanes8 x = {u.x}, y = {u.y}, z = {u.z};
    for (; open; open &= open - 1) {
        int lane = __builtin_ctz((unsigned)open);
        const float at[3] = {x.lane[lane], y.lane[lane], z.lane[lane]};
        int say = ask_around(o, at, least, most);
        if (say == 0) say = w->exact(w->user, item, block * 8 + (uint32_t)lane) ? 1 : -1;
        if (say > 0) in |= 1 << lane;
    }
    return in;
}

/* ---- the walk ---- */

static int kernel_open(const hf_candidate_walk* w, const hf_candidate_leaf* leaf, hf_candidate_hit* hits,
                       unsigned* near) {
    uint32_t block = leaf->block, left = w->block->sample_count - block * 8;
    int valid = left >= 8 ? 0xff : (1 << left) - 1, count = 0;
    vec8 p = rows8(hf_sample_points(w->block) + (size_t)block * 24);
    *near = 0;
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t item = w->leaf_items[leaf->first + i];
        bool object = item >= w->triangle_count;
        int lanes = object ? object_leaf(w, item, block, valid, p) : triangle_leaf(w, item, block, valid, p);
        if (!lanes) continue;
        if (object) item = HF_CANDIDATE_OBJECT | (uint32_t)w->objects[item - w->triangle_count].object;
        hits[count++] = (hf_candidate_hit){block, item, (uint8_t)lanes};
        *near |= (unsigned)lanes;
    }
    return count;
}

static bool add_leaf(hf_candidate_walk* w, uint32_t block, const uint32_t* list, uint32_t count) {
    bool full = w->leaf_count == w->leaf_room || w->leaf_item_room - w->leaf_item_count < count;
    if (full && !w->more(w->user, w, count)) return false;
    w->leaves[w->leaf_count++] = (hf_candidate_leaf){block, w->leaf_item_count, count};
    for (uint32_t i = 0; i < count; i++) w->leaf_items[w->leaf_item_count++] = list[i];
    return true;
}

/* Sorts the items into the lists of the boxes they may be near, then goes down into each box with some. */
static bool visit(hf_candidate_walk* w, uint32_t level, uint32_t node, const uint32_t* list, uint32_t count) {
    const hf_sample_node* n = hf_sample_nodes(w->block) + w->block->level_first[level] + node;
    vec8 c = rows8(n->center[0]), half = rows8(n->half[0]);
    vec8 wide = {half.x * WIDER, half.y * WIDER, half.z * WIDER};
    uint32_t kept[8] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = list[i];
        int mask = 0;
        if (item < w->triangle_count) {
            const hf_near_triangle* t = &w->triangles[item];
            mask = triangle_boxes(t, (w->epsilon + t->doubt) * WIDER, c, wide);
        } else {
            mask = object_boxes(&w->objects[item - w->triangle_count], w->epsilon, c, half);
        }
        for (; mask; mask &= mask - 1) {
            int slot = __builtin_ctz((unsigned)mask);
            w->lists[level][slot][kept[slot]++] = item;
        }
    }
    for (uint32_t slot = 0; slot < 8; slot++) {
        if (!kept[slot]) continue;
        uint32_t below = node * 8 + slot;
        const uint32_t* child = w->lists[level][slot];
        if (!(level ? visit(w, level - 1, below, child, kept[slot]) : add_leaf(w, below, child, kept[slot])))
            return false;
    }
    return true;
}

static bool kernel_walk(hf_candidate_walk* w) {
    return visit(w, w->block->level_count - 1, 0, w->items, w->item_count);
}

static void kernel_row(const hf_near_triangle* t, float x, float y, float z, float step, float least[8]) {
    static const float count[8] __attribute__((aligned(32))) = {0, 1, 2, 3, 4, 5, 6, 7};
    vec8 p = {x + step * f8_load(count), f8_all(y), f8_all(z)};
    float8 height = dot8(t->normal, p) - t->offset;
    float8 beyond[3];
    beyond8(t, p, beyond);
    *(float8*)least = f8_min(*(float8*)least, height * height + aside8(t, p, beyond));
}

extern const hf_candidate_kernel HF_KERNEL_NAME(hf_candidate_kernel);
const hf_candidate_kernel HF_KERNEL_NAME(hf_candidate_kernel) = {kernel_walk, kernel_open, kernel_row};
