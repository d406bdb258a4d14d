/* Building: ranges of items are split in two where the surface area heuristic over bins is lowest (Wald
   2007), the largest part first, until eight parts make a node. */
#include "geom/tree.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BINS = 16, LEAF_TRIANGLES = 8, FREE_DEPTH = 24 };

hf_box hf_box_empty(void) {
    hf_box b;
    for (int k = 0; k < 3; k++) b.low[k] = INFINITY, b.high[k] = -INFINITY;
    return b;
}

void hf_box_join(hf_box* box, const hf_box* other) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

static double box_area(const hf_box* b) {
    double x = (double)b->high[0] - (double)b->low[0], y = (double)b->high[1] - (double)b->low[1],
           z = (double)b->high[2] - (double)b->low[2];
    return x >= 0 ? x * y + y * z + z * x : 0;
}

void hf_tree_slot_set(hf_tree_node* node, int slot, const hf_box* box) {
    for (int k = 0; k < 3; k++) {
        if (!(box->low[k] <= box->high[k])) {
            node->center[k][slot] = 0;
            node->half[k][slot] = -INFINITY;
            continue;
        }
        double low = (double)box->low[k], high = (double)box->high[k];
        float center = (float)(0.5 * (low + high));
        double half = fmax(high - (double)center, (double)center - low);
        node->center[k][slot] = center;
        // the share covers the rounding of what the kernels do with it
        node->half[k][slot] = nextafterf((float)(half * (1 + 1e-6)), INFINITY);
    }
}

typedef struct range {
    int begin, end;
} range;

/* One build: boxes of the items, their order, and the nodes made so far. */
typedef struct builder {
    const hf_box* boxes;
    uint32_t* order;
    int leaf_size; /* 0: a slot holds one item itself */
    hf_tree_node* nodes;
    int node_count, node_capacity;
    bool fixed; /* nodes cannot grow */
    range* leaves;
    int leaf_count, leaf_capacity;
    int depth;
    bool failed;
} builder;

typedef struct part {
    int begin, end;
    hf_box box;
} part;

static float middle(const hf_box* b, int axis) { return 0.5f * b->low[axis] + 0.5f * b->high[axis]; }

static hf_box range_box(const builder* b, int begin, int end) {
    hf_box box = hf_box_empty();
    for (int i = begin; i < end; i++) hf_box_join(&box, &b->boxes[b->order[i]]);
    return box;
}

static double groups(const builder* b, int count) {
    return b->leaf_size ? (double)((count + b->leaf_size - 1) / b->leaf_size) : (double)count;
}

static int bin_of(float x, float low, float scale) {
    float bin = (x - low) * scale;
    return !(bin > 0) ? 0 : bin >= BINS ? BINS - 1 : (int)bin; // an empty box has no middle: bin 0
}

/* Cheapest border between bins of one axis; returns its cost. */
static double best_border(const builder* b, const part* p, int axis, float low, float scale, int* border) {
    hf_box box[BINS];
    int count[BINS] = {0};
    for (int i = 0; i < BINS; i++) box[i] = hf_box_empty();
    for (int i = p->begin; i < p->end; i++) {
        const hf_box* item = &b->boxes[b->order[i]];
        int bin = bin_of(middle(item, axis), low, scale);
        count[bin]++;
        hf_box_join(&box[bin], item);
    }
    double right[BINS];
    hf_box sweep = hf_box_empty();
    int n = 0;
    for (int i = BINS - 1; i > 0; i--) {
        hf_box_join(&sweep, &box[i]);
        n += count[i];
        right[i] = n ? box_area(&sweep) * groups(b, n) : -1;
    }
    double best = INFINITY;
    sweep = hf_box_empty(), n = 0;
    for (int i = 0; i < BINS - 1; i++) {
        hf_box_join(&sweep, &box[i]);
        n += count[i];
        if (!n || right[i + 1] < 0) continue;
        double cost = box_area(&sweep) * groups(b, n) + right[i + 1];
        if (cost < best) best = cost, *border = i;
    }
    return best;
}

/* Splits by bins; false when every centre falls into one bin. */
static bool split_by_area(builder* b, const part* p, int* cut) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = p->begin; i < p->end; i++)
        for (int k = 0; k < 3; k++) {
            float m = middle(&b->boxes[b->order[i]], k);
            if (m < low[k]) low[k] = m;
            if (m > high[k]) high[k] = m;
        }
    double best = INFINITY;
    int axis = -1, border = 0;
    float scale[3];
    for (int k = 0; k < 3; k++) {
        scale[k] = (float)BINS / (high[k] - low[k]);
        if (!(high[k] > low[k]) || !(scale[k] < FLT_MAX)) continue;
        int here = 0;
        double cost = best_border(b, p, k, low[k], scale[k], &here);
        if (cost < best) best = cost, axis = k, border = here;
    }
    if (axis < 0) return false;
    int i = p->begin, j = p->end;
    while (i < j) {
        if (bin_of(middle(&b->boxes[b->order[i]], axis), low[axis], scale[axis]) <= border)
            i++;
        else {
            uint32_t t = b->order[i];
            b->order[i] = b->order[--j];
            b->order[j] = t;
        }
    }
    *cut = i;
    return i > p->begin && i < p->end;
}

static void split(builder* b, part* p, part* other, bool halves) {
    int cut;
    if (halves || !split_by_area(b, p, &cut)) cut = p->begin + (p->end - p->begin) / 2;
    *other = (part){cut, p->end, range_box(b, cut, p->end)};
    *p = (part){p->begin, cut, range_box(b, p->begin, cut)};
}

/* Room for one more node; nodes are aligned, so that realloc will not do. */
static bool grow_nodes(builder* b) {
    if (b->node_count < b->node_capacity) return true;
    if (b->fixed) return false;
    int wanted = b->node_capacity < 16 ? 16 : 2 * b->node_capacity;
    hf_tree_node* nodes = hf_alloc_aligned((size_t)wanted, sizeof *nodes);
    if (!nodes) return false;
    if (b->node_count) memcpy(nodes, b->nodes, (size_t)b->node_count * sizeof *nodes);
    hf_free(b->nodes);
    b->nodes = nodes, b->node_capacity = wanted;
    return true;
}

static int new_node(builder* b) {
    if (b->failed || !grow_nodes(b)) {
        b->failed = true;
        return 0;
    }
    hf_tree_node* n = &b->nodes[b->node_count];
    hf_box empty = hf_box_empty();
    for (int s = 0; s < 8; s++) {
        hf_tree_slot_set(n, s, &empty);
        n->child[s] = HF_TREE_NONE;
    }
    return b->node_count++;
}

static uint32_t new_leaf(builder* b, const part* p) {
    if (!b->leaf_size) return HF_TREE_LEAF | b->order[p->begin];
    if (!HF_GROW(b->leaves, b->leaf_capacity, b->leaf_count)) b->failed = true;
    if (b->failed) return HF_TREE_NONE;
    b->leaves[b->leaf_count] = (range){p->begin, p->end};
    return HF_TREE_LEAF | (uint32_t)b->leaf_count++;
}

/* Makes the node of a range. Past FREE_DEPTH only halves are cut, which bounds the depth. */
static uint32_t build_node(builder* b, part whole, int depth) {
    int most = b->leaf_size ? b->leaf_size : 1;
    part parts[8] = {whole};
    int count = 1;
    while (count < 8) {
        int widest = -1;
        double area = -1;
        for (int i = 0; i < count; i++) {
            if (parts[i].end - parts[i].begin <= most) continue;
            // past the free depth the largest count goes first, else the largest area
            double a = depth >= FREE_DEPTH ? parts[i].end - parts[i].begin : box_area(&parts[i].box);
            if (a > area) area = a, widest = i;
        }
        if (widest < 0) break;
        split(b, &parts[widest], &parts[count], depth >= FREE_DEPTH);
        count++;
    }
    if (depth > b->depth) b->depth = depth;
    uint32_t index = (uint32_t)new_node(b);
    for (int i = 0; i < count && !b->failed; i++) {
        int n = parts[i].end - parts[i].begin;
        uint32_t child = n <= most ? new_leaf(b, &parts[i]) : build_node(b, parts[i], depth + 1);
        if (b->failed) break;
        b->nodes[index].child[i] = child;
        hf_tree_slot_set(&b->nodes[index], i, &parts[i].box);
    }
    return index;
}

int hf_box_tree_build(const hf_box* boxes, int count, uint32_t* order, hf_tree_node* nodes) {
    builder b = {.boxes = boxes, .order = order, .nodes = nodes, .node_capacity = count > 0 ? count : 1};
    b.fixed = true;
    for (int i = 0; i < count; i++) order[i] = (uint32_t)i;
    if (count == 0)
        new_node(&b);
    else
        build_node(&b, (part){0, count, range_box(&b, 0, count)}, 1);
    return b.node_count;
}

static hf_box triangle_box(const hf_mesh* mesh, int triangle) {
    hf_box box = hf_box_empty();
    for (int c = 0; c < 3; c++) {
        const float* p = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)c];
        hf_box point = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
        hf_box_join(&box, &point);
    }
    return box;
}

static void fill_leaf(const builder* b, const hf_mesh* mesh, int begin, int end, hf_tree_leaf* leaf) {
    for (int lane = 0; lane < 8; lane++) {
        bool used = begin + lane < end;
        uint32_t triangle = b->order[used ? begin + lane : begin];
        leaf->id[lane] = used ? triangle : HF_TREE_NONE;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                leaf->v[c][k][lane] =
                    mesh->vertices[3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)c] + (size_t)k];
    }
}

/* Copies what was built into one block. */
static hf_tree* pack(const builder* b, const hf_mesh* mesh, const hf_box* bounds) {
    size_t node_offset = 128;
    size_t leaf_offset = node_offset + (size_t)b->node_count * sizeof(hf_tree_node);
    leaf_offset = (leaf_offset + 63) / 64 * 64;
    size_t bytes = leaf_offset + (size_t)b->leaf_count * sizeof(hf_tree_leaf);
    hf_tree* t = hf_alloc_aligned(bytes, 1);
    if (!t) return NULL;
    *t = (hf_tree){.byte_count = bytes,
                   .node_count = (uint32_t)b->node_count,
                   .leaf_count = (uint32_t)b->leaf_count,
                   .triangle_count = (uint32_t)mesh->triangle_count,
                   .depth = (uint32_t)b->depth,
                   .node_offset = node_offset,
                   .leaf_offset = leaf_offset};
    for (int k = 0; k < 3; k++) t->low[k] = bounds->low[k], t->high[k] = bounds->high[k];
    if (b->node_count) memcpy((char*)t + node_offset, b->nodes, (size_t)b->node_count * sizeof(hf_tree_node));
    hf_tree_leaf* leaves = (hf_tree_leaf*)(void*)((char*)t + leaf_offset);
    for (int i = 0; i < b->leaf_count; i++)
        fill_leaf(b, mesh, b->leaves[i].begin, b->leaves[i].end, &leaves[i]);
    return t;
}

hf_status hf_tree_build(const hf_mesh* mesh, hf_tree** tree) {
    *tree = NULL;
    size_t count = (size_t)mesh->triangle_count;
    hf_box* boxes = hf_alloc(count, sizeof *boxes);
    builder b = {.boxes = boxes, .order = hf_alloc(count, sizeof *b.order), .leaf_size = LEAF_TRIANGLES};
    hf_box bounds = hf_box_empty();
    if (boxes && b.order) {
        for (size_t i = 0; i < count; i++) {
            boxes[i] = triangle_box(mesh, (int)i);
            hf_box_join(&bounds, &boxes[i]);
            b.order[i] = (uint32_t)i;
        }
        if (count) build_node(&b, (part){0, (int)count, bounds}, 1);
        if (!b.failed) *tree = pack(&b, mesh, &bounds);
    }
    hf_free(boxes);
    hf_free(b.order);
    hf_free(b.nodes);
    hf_free(b.leaves);
    return *tree ? HF_OK : HF_ERROR_MEMORY;
}
