/* The tree's queries, eight boxes or triangles at a time. Compiled once for each instruction set.

   Float arithmetic runs about a centre near the query, so that its rounding is a small share of the
   distances at hand. Every float decision carries a margin (RELATIVE times the extent at hand, an order over
   the rounding it stands for); what falls inside the margin is decided in double by geom/triangle.h. */
#include "geom/segment8.h"
#include "geom/tree.h"

#include <string.h>

HF_INLINE8 float larger(float a, float b) { return a > b ? a : b; }

HF_INLINE8 void segment_fill(segment8* s, hf_vec3 p, hf_vec3 q, double radius) {
    const double a[3] = {p.x, p.y, p.z}, b[3] = {q.x, q.y, q.z};
    float low[3], high[3], dd = 0, slack = 0, extent = (float)(radius * 1.000001);
    for (int k = 0; k < 3; k++) {
        double m = 0.5 * (a[k] + b[k]);
        float center = (float)m;
        low[k] = (float)(a[k] - (double)center);
        high[k] = (float)(b[k] - (double)center);
        float half = 0.5f * (high[k] - low[k]);
        s->center[k] = center;
        s->direction[k] = half;
        s->half[k] = fabsf(half);
        s->edge[k] = fabsf(half) * (1 + RELATIVE);
        extent = larger(extent, larger(fabsf(low[k]), fabsf(high[k])));
        slack += (float)fabs(m - (double)center);
        dd += 4 * half * half;
    }
    s->extent = extent;
    s->slack = slack * (1 + RELATIVE) + RELATIVE * extent;
    s->p = v8_all(low[0], low[1], low[2]);
    s->q = v8_all(high[0], high[1], high[2]);
    s->d = v8_all(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    s->dd = f8_all(dd);
    s->per_dd = f8_all(dd > TINY ? 1 / dd : 0);
}

HF_INLINE8 leaf8 leaf_at(const hf_tree_leaf* leaf, const float center[3]) {
    vec8 a = {f8_load(leaf->v[0][0]), f8_load(leaf->v[0][1]), f8_load(leaf->v[0][2])};
    vec8 b = {f8_load(leaf->v[1][0]), f8_load(leaf->v[1][1]), f8_load(leaf->v[1][2])};
    vec8 c = {f8_load(leaf->v[2][0]), f8_load(leaf->v[2][1]), f8_load(leaf->v[2][2])};
    vec8 m = v8_all(center[0], center[1], center[2]);
    return (leaf8){v8_sub(a, m), v8_sub(b, m), v8_sub(c, m), v8_sub(b, a), v8_sub(c, a), v8_sub(c, b)};
}

HF_INLINE8 int used_lanes(const hf_tree_leaf* leaf) {
    return ~m8_bits(*(const mask8*)leaf->id) & 0xff; // the top bit is set in HF_TREE_NONE alone
}

/* Lower bound of the distance times the normal's length: both ends on one side. */
HF_INLINE8 float8 plane_gap(const plane8* p) {
    float8 least = f8_min(f8_abs(p->dp), f8_abs(p->dq));
    mask8 apart = f8_less(f8_all(0), p->dp * p->dq);
    return f8_select(apart, least - p->doubt, f8_all(-1));
}

/* Gap of segment and triangle along the way, times the way's length: any direction proves a distance. */
HF_INLINE8 float8 way_gap(const segment8* s, const leaf8* l, vec8 way) {
    float8 ends = f8_min(v8_dot(way, s->p), v8_dot(way, s->q));
    float8 corners = f8_max(v8_dot(way, l->v0), f8_max(v8_dot(way, l->v1), v8_dot(way, l->v2)));
    return ends - corners;
}

static hf_triangle lane_triangle(const hf_tree_leaf* leaf, int lane) {
    hf_triangle t;
    for (int c = 0; c < 3; c++)
        t.v[c] = hf_v3((double)leaf->v[c][0][lane], (double)leaf->v[c][1][lane], (double)leaf->v[c][2][lane]);
    return t;
}

/* A capsule for the box test: separating axes of a swept sphere against eight boxes, the three box axes and
   their three products with the segment. */
typedef struct capsule8 {
    segment8 s;
    float reach[3]; /* segment's half box and radius */
    float side[3];  /* radius along each product, with rounding */
    double radius;
    hf_vec3 p, q;
} capsule8;

HF_INLINE8 void capsule_fill(capsule8* c, hf_vec3 p, hf_vec3 q, double radius) {
    segment_fill(&c->s, p, q, radius);
    c->radius = radius, c->p = p, c->q = q;
    float r = (float)radius * (1 + RELATIVE) + c->s.slack;
    for (int k = 0; k < 3; k++) {
        float x = c->s.half[(k + 1) % 3], y = c->s.half[(k + 2) % 3];
        c->reach[k] = c->s.half[k] + r;
        c->side[k] = r * sqrtf(x * x + y * y) * (1 + RELATIVE) + RELATIVE * (2 * x * y + r * (x + y));
    }
}

HF_INLINE8 int capsule_boxes(const capsule8* c, const hf_tree_node* n) {
    const segment8* s = &c->s;
    float8 tx = f8_load(n->center[0]) - s->center[0], hx = f8_load(n->half[0]);
    float8 ty = f8_load(n->center[1]) - s->center[1], hy = f8_load(n->half[1]);
    float8 tz = f8_load(n->center[2]) - s->center[2], hz = f8_load(n->half[2]);
    mask8 in = f8_at_most(f8_abs(tx), hx + c->reach[0]) & f8_at_most(f8_abs(ty), hy + c->reach[1]) &
               f8_at_most(f8_abs(tz), hz + c->reach[2]);
    float8 x = f8_abs(tz * s->direction[1] - ty * s->direction[2]);
    float8 y = f8_abs(tx * s->direction[2] - tz * s->direction[0]);
    float8 z = f8_abs(ty * s->direction[0] - tx * s->direction[1]);
    in &= f8_at_most(x, hy * s->edge[2] + hz * s->edge[1] + c->side[0]) &
          f8_at_most(y, hz * s->edge[0] + hx * s->edge[2] + c->side[1]) &
          f8_at_most(z, hx * s->edge[1] + hy * s->edge[0] + c->side[2]);
    return m8_bits(in);
}

/* A triangle of the leaf within the capsule, or HF_TREE_NONE. */
HF_INLINE8 uint32_t capsule_leaf(const capsule8* c, const hf_tree_leaf* leaf) {
    const segment8* s = &c->s;
    leaf8 l = leaf_at(leaf, s->center);
    plane8 p = plane_of(s, &l);
    float radius = (float)c->radius;
    // most triangles of a leaf have both ends far on one side
    int open = used_lanes(leaf) & ~m8_bits(f8_less(radius * (1 + RELATIVE) * p.n_length, plane_gap(&p)));
    if (!open) return HF_TREE_NONE;
    // a pair of points that is near enough settles it
    vec8 way;
    float8 best = upper_bound(s, &l, &p, &way);
    float8 doubt = RELATIVE * p.extent, inner = radius - doubt, outer = radius + doubt;
    int hit = open & m8_bits(f8_less(f8_all(0), inner) & f8_less(best, inner * inner));
    if (hit) return leaf->id[__builtin_ctz((unsigned)hit)];
    // so does a direction that keeps them apart
    float8 gap = way_gap(s, &l, way);
    open &= ~m8_bits(f8_less(outer * f8_sqrt(v8_dot(way, way)) * (1 + RELATIVE), gap));
    for (; open; open &= open - 1) {
        int lane = __builtin_ctz((unsigned)open);
        hf_triangle t = lane_triangle(leaf, lane);
        if (hf_triangle_segment(&t, c->p, c->q, NULL, NULL) < c->radius * c->radius) return leaf->id[lane];
    }
    return HF_TREE_NONE;
}

static uint32_t kernel_capsule(const hf_tree* tree, hf_vec3 p, hf_vec3 q, double radius) {
    if (!tree->node_count || !(radius > 0)) return HF_TREE_NONE;
    const hf_tree_node* nodes = hf_tree_nodes(tree);
    const hf_tree_leaf* leaves = hf_tree_leaves(tree);
    capsule8 c;
    capsule_fill(&c, p, q, radius);
    uint32_t stack[HF_TREE_STACK];
    int top = 0;
    stack[top++] = 0;
    while (top) {
        const hf_tree_node* n = &nodes[stack[--top]];
        for (int bits = capsule_boxes(&c, n); bits; bits &= bits - 1) {
            uint32_t child = n->child[__builtin_ctz((unsigned)bits)];
            if (!(child & HF_TREE_LEAF)) {
                stack[top++] = child;
                continue;
            }
            if (child == HF_TREE_NONE) continue;
            uint32_t id = capsule_leaf(&c, &leaves[child & ~HF_TREE_LEAF]);
            if (id != HF_TREE_NONE) return id;
        }
    }
    return HF_TREE_NONE;
}

/* A way to go, with the least it can give: squared distance, or distance along a ray. */
typedef struct branch {
    float least;
    uint32_t child;
} branch;

/* The ways that are still to go, the least on top. */
typedef struct branches {
    int top;
    branch stack[HF_TREE_STACK];
} branches;

HF_INLINE8 void begin_at_root(branches* ways) { ways->stack[0] = (branch){0, 0}, ways->top = 1; }

/* Which boxes of a node may give no more than `most` to a query of this kind, and the least of each. */
typedef int (*boxes_within)(const void* query, const hf_tree_node* n, float most, float8* least);

/* Bound of a float comparison that no rounding makes too small. */
static float widen(double bound) { return (float)bound * (1 + 4 * RELATIVE) + TINY; }

typedef union lanes {
    float8 all;
    float lane[8];
} lanes;

/* Puts the slots of a node that are set in `bits` on the stack, the least on top. */
HF_INLINE8 void push_sorted(branches* ways, const hf_tree_node* n, int bits, const float least[8]) {
    branch* stack = ways->stack;
    int bottom = ways->top;
    for (; bits; bits &= bits - 1) {
        int slot = __builtin_ctz((unsigned)bits);
        if (n->child[slot] == HF_TREE_NONE) continue;
        branch b = {least[slot], n->child[slot]};
        int i = ways->top++;
        for (; i > bottom && stack[i - 1].least < b.least; i--) stack[i] = stack[i - 1];
        stack[i] = b;
    }
}

/* Goes down the tree to the next leaf that may give no more than `most`, in the unit of the boxes' bounds;
   NULL when none is left. */
HF_INLINE8 const hf_tree_leaf* next_leaf(branches* ways, const hf_tree* tree, boxes_within boxes,
                                         const void* query, float most) {
    while (ways->top) {
        branch b = ways->stack[--ways->top];
        if (b.least > most) continue;
        if (b.child & HF_TREE_LEAF) return &hf_tree_leaves(tree)[b.child & ~HF_TREE_LEAF];
        const hf_tree_node* n = &hf_tree_nodes(tree)[b.child];
        lanes least;
        int bits = boxes(query, n, most, &least.all);
        push_sorted(ways, n, bits, least.lane);
    }
    return NULL;
}

/* Squared distances. */
HF_INLINE8 int segment_boxes(const void* query, const hf_tree_node* n, float most, float8* least) {
    const segment8* s = query;
    float8 x = f8_abs(f8_load(n->center[0]) - s->center[0]) - f8_load(n->half[0]) - (s->half[0] + s->slack);
    float8 y = f8_abs(f8_load(n->center[1]) - s->center[1]) - f8_load(n->half[1]) - (s->half[1] + s->slack);
    float8 z = f8_abs(f8_load(n->center[2]) - s->center[2]) - f8_load(n->half[2]) - (s->half[2] + s->slack);
    float8 zero = f8_all(0);
    x = f8_max(x, zero), y = f8_max(y, zero), z = f8_max(z, zero);
    *least = x * x + y * y + z * z;
    return m8_bits(f8_at_most(*least, f8_all(most)));
}

/* Lower bounds of the distances of a leaf's triangles. */
HF_INLINE8 float8 segment_leaf(const segment8* s, const hf_tree_leaf* leaf) {
    leaf8 l = leaf_at(leaf, s->center);
    plane8 p = plane_of(s, &l);
    vec8 way;
    upper_bound(s, &l, &p, &way);
    float8 far = plane_gap(&p) / f8_max(p.n_length + p.blur, f8_all(TINY));
    float8 gap = way_gap(s, &l, way) / f8_max(f8_sqrt(v8_dot(way, way)), f8_all(TINY));
    return f8_max(far, gap) - RELATIVE * p.extent;
}

/* The same for a point: the nearest of its feet on the sides and in the inside gives the direction, the gap
   along it the bound. */
HF_INLINE8 void offer_way(vec8 r, vec8 e, float8 t, float8* best, vec8* way) {
    vec8 w = v8_add_scaled(r, e, -t);
    float8 ww = v8_dot(w, w);
    mask8 better = f8_less(ww, *best);
    *best = f8_select(better, ww, *best);
    *way = v8_select(better, w, *way);
}

HF_INLINE8 float8 point_leaf(const segment8* s, const hf_tree_leaf* leaf) {
    leaf8 l = leaf_at(leaf, s->center);
    vec8 r0 = v8_sub(s->p, l.v0), r1 = v8_sub(s->p, l.v1), way = r0;
    float8 a = v8_dot(l.e1, l.e1), b = v8_dot(l.e1, l.e2), c = v8_dot(l.e2, l.e2), d = v8_dot(l.e3, l.e3);
    float8 q1 = v8_dot(r0, l.e1), q2 = v8_dot(r0, l.e2), tiny = f8_all(TINY);
    float8 best = v8_dot(r0, r0);
    offer_way(r0, l.e1, f8_clamp01(q1 / f8_max(a, tiny)), &best, &way);
    offer_way(r0, l.e2, f8_clamp01(q2 / f8_max(c, tiny)), &best, &way);
    offer_way(r1, l.e3, f8_clamp01(v8_dot(r1, l.e3) / f8_max(d, tiny)), &best, &way);
    float8 per = f8_all(1) / f8_max(a * c - b * b, tiny);
    float8 u = (c * q1 - b * q2) * per, v = (a * q2 - b * q1) * per;
    mask8 inside = f8_at_most(f8_all(0), f8_min(u, v)) & f8_at_most(u + v, f8_all(1));
    way = v8_select(inside, v8_add_scaled(v8_add_scaled(r0, l.e1, -u), l.e2, -v), way);
    float8 gap = way_gap(s, &l, way) / f8_max(f8_sqrt(v8_dot(way, way)), tiny);
    float8 extent =
        f8_max(f8_abs(l.v0.x), f8_max(f8_abs(l.v0.y), f8_abs(l.v0.z))) + f8_sqrt(a + c) + s->extent;
    return gap - RELATIVE * extent;
}

static bool kernel_near(const hf_tree* tree, hf_vec3 p, hf_vec3 q, double bound, hf_tree_visit visit,
                        void* user) {
    if (!tree->node_count) return true;
    segment8 s;
    segment_fill(&s, p, q, 0);
    bool point = p.x == q.x && p.y == q.y && p.z == q.z;
    branches ways;
    begin_at_root(&ways);
    for (;;) {
        float most = widen(bound);
        const hf_tree_leaf* leaf = next_leaf(&ways, tree, segment_boxes, &s, most * most);
        if (!leaf) return true;
        // triangles by their lower bounds, until none can be nearer
        lanes least = {.all = point ? point_leaf(&s, leaf) : segment_leaf(&s, leaf)};
        for (int open = used_lanes(leaf) & ~m8_bits(f8_less(f8_all(most), least.all)); open;) {
            int lane = __builtin_ctz((unsigned)open);
            for (int rest = open & (open - 1); rest; rest &= rest - 1) {
                int other = __builtin_ctz((unsigned)rest);
                if (least.lane[other] < least.lane[lane]) lane = other;
            }
            if (least.lane[lane] > widen(bound)) break;
            open &= ~(1 << lane);
            hf_triangle t = lane_triangle(leaf, lane);
            if (!visit(user, &t, leaf->id[lane], &bound)) return false;
        }
    }
}

/* A ray about a float centre. */
typedef struct ray8 {
    float center[3];
    float per[3];     /* 1 / direction, kept finite */
    float per_abs[3]; /* with margin */
    float slack;      /* rounding of the origin */
    vec8 o, d;        /* origin about the centre, direction */
} ray8;

HF_INLINE8 void ray_fill(ray8* r, hf_vec3 origin, hf_vec3 direction) {
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    float offset[3];
    r->slack = 0;
    for (int k = 0; k < 3; k++) {
        r->center[k] = (float)o[k];
        offset[k] = (float)(o[k] - (double)r->center[k]);
        double safe = fabs(d[k]) > 1e-20 ? d[k] : d[k] < 0 ? -1e-20 : 1e-20;
        r->per[k] = (float)(1 / safe);
        r->per_abs[k] = fabsf(r->per[k]) * (1 + RELATIVE);
        r->slack = larger(r->slack, fabsf(offset[k]) * (1 + RELATIVE));
    }
    r->o = v8_all(offset[0], offset[1], offset[2]);
    r->d = v8_all((float)d[0], (float)d[1], (float)d[2]);
}

/* Slabs: where the ray enters each box, and whether it does. */
HF_INLINE8 int ray_boxes(const void* query, const hf_tree_node* n, float most, float8* enter) {
    const ray8* r = query;
    float8 in = f8_all(0), out = f8_all(most);
    for (int k = 0; k < 3; k++) {
        float8 t = (f8_load(n->center[k]) - r->center[k]) * r->per[k];
        float8 h = (f8_load(n->half[k]) + r->slack) * r->per_abs[k];
        // rounding of t is a share of |t|; half sizes carry their own
        float8 doubt = f8_abs(t) * RELATIVE;
        in = f8_max(in, t - h - doubt);
        out = f8_min(out, t + h + doubt);
    }
    *enter = in;
    return m8_bits(f8_at_most(in, out));
}

/* Triangles that the ray does not clearly pass by: signs of the edge functions. */
HF_INLINE8 int ray_leaf(const ray8* r, const hf_tree_leaf* leaf) {
    leaf8 l = leaf_at(leaf, r->center);
    vec8 a = v8_sub(l.v0, r->o), b = v8_sub(l.v1, r->o), c = v8_sub(l.v2, r->o);
    float8 la = v8_dot(a, a), lb = v8_dot(b, b), lc = v8_dot(c, c);
    float8 doubt = (2 * RELATIVE) * f8_max(la, f8_max(lb, lc));
    float8 u = v8_dot(r->d, v8_cross(b, c)), v = v8_dot(r->d, v8_cross(c, a)),
           w = v8_dot(r->d, v8_cross(a, b));
    float8 least = f8_min(u, f8_min(v, w)), most = f8_max(u, f8_max(v, w));
    int past = m8_bits(f8_less(least, -doubt) & f8_less(doubt, most));
    return used_lanes(leaf) & ~past;
}

static bool kernel_ray(const hf_tree* tree, hf_vec3 origin, hf_vec3 direction, double bound,
                       hf_tree_visit visit, void* user) {
    if (!tree->node_count) return true;
    ray8 r;
    ray_fill(&r, origin, direction);
    branches ways;
    begin_at_root(&ways);
    for (;;) {
        float most = widen(bound);
        const hf_tree_leaf* leaf = next_leaf(&ways, tree, ray_boxes, &r, most);
        if (!leaf) return true;
        for (int open = ray_leaf(&r, leaf); open; open &= open - 1) {
            int lane = __builtin_ctz((unsigned)open);
            hf_triangle t = lane_triangle(leaf, lane);
            if (!visit(user, &t, leaf->id[lane], &bound)) return false;
        }
    }
}

/* An oriented box about a float centre: extents along the tree's axes and along its own. */
typedef struct body8 {
    float center[3];
    float reach[3]; /* half extents along the tree's axes */
    float half[3];  /* along its own */
    float axis[3][3], axis_abs[3][3];
} body8;

static body8 body_at(const hf_tree_body* body) {
    body8 b;
    const double c[3] = {body->center.x, body->center.y, body->center.z};
    double axis[3][3], slack = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        axis[i][0] = body->axis[i].x, axis[i][1] = body->axis[i].y, axis[i][2] = body->axis[i].z;
        b.center[i] = (float)c[i];
        slack += fabs(c[i] - (double)b.center[i]);
        most += body->half[i];
    }
    slack += (double)RELATIVE * most + (double)TINY;
    for (int i = 0; i < 3; i++) {
        double reach = slack;
        for (int k = 0; k < 3; k++) {
            reach += fabs(axis[k][i]) * body->half[k];
            b.axis[i][k] = (float)axis[i][k];
            b.axis_abs[i][k] = fabsf(b.axis[i][k]) * (1 + RELATIVE);
        }
        b.reach[i] = (float)reach * (1 + RELATIVE);
        b.half[i] = (float)(body->half[i] + slack) * (1 + RELATIVE);
    }
    return b;
}

/* Squared lower bound of the distance: gaps along the tree's axes, and along the body's. */
HF_INLINE8 int body_boxes(const void* query, const hf_tree_node* n, float most, float8* least) {
    const body8* b = query;
    float8 t[3], h[3], zero = f8_all(0), outer = zero, inner = zero;
    for (int k = 0; k < 3; k++) {
        t[k] = f8_load(n->center[k]) - b->center[k];
        h[k] = f8_load(n->half[k]);
        float8 gap = f8_max(f8_abs(t[k]) - h[k] - b->reach[k], zero);
        outer += gap * gap;
    }
    for (int i = 0; i < 3; i++) {
        float8 along = f8_abs(t[0] * b->axis[i][0] + t[1] * b->axis[i][1] + t[2] * b->axis[i][2]);
        float8 doubt = (f8_abs(t[0]) + f8_abs(t[1]) + f8_abs(t[2])) * RELATIVE;
        float8 size = h[0] * b->axis_abs[i][0] + h[1] * b->axis_abs[i][1] + h[2] * b->axis_abs[i][2];
        float8 gap = f8_max(along - doubt - size - b->half[i], zero);
        inner += gap * gap;
    }
    *least = f8_max(outer, inner);
    return m8_bits(f8_at_most(*least, f8_all(most)));
}

HF_INLINE8 float8 gap_of(float8 x, float8 y, float8 z, float8 reach) {
    float8 low = f8_min(x, f8_min(y, z)), high = f8_max(x, f8_max(y, z));
    return f8_max(f8_max(low - reach, -high - reach), f8_all(0));
}

HF_INLINE8 float8 body_leaf(const body8* b, const hf_tree_leaf* leaf) {
    leaf8 l = leaf_at(leaf, b->center);
    float8 outer, inner = f8_all(0);
    float8 x = gap_of(l.v0.x, l.v1.x, l.v2.x, f8_all(b->reach[0]));
    float8 y = gap_of(l.v0.y, l.v1.y, l.v2.y, f8_all(b->reach[1]));
    float8 z = gap_of(l.v0.z, l.v1.z, l.v2.z, f8_all(b->reach[2]));
    outer = x * x + y * y + z * z;
    float8 extent =
        f8_abs(l.v0.x) + f8_abs(l.v0.y) + f8_abs(l.v0.z) + f8_sqrt(v8_dot(l.e1, l.e1) + v8_dot(l.e2, l.e2));
    for (int i = 0; i < 3; i++) {
        vec8 axis = v8_all(b->axis[i][0], b->axis[i][1], b->axis[i][2]);
        float8 gap = gap_of(v8_dot(axis, l.v0), v8_dot(axis, l.v1), v8_dot(axis, l.v2),
                            b->half[i] + RELATIVE * extent);
        inner += gap * gap;
    }
    return f8_max(outer, inner);
}

static bool kernel_body(const hf_tree* tree, const hf_tree_body* body, double bound, hf_tree_visit visit,
                        void* user) {
    if (!tree->node_count) return true;
    body8 s = body_at(body);
    branches ways;
    begin_at_root(&ways);
    for (;;) {
        float most = widen(bound);
        const hf_tree_leaf* leaf = next_leaf(&ways, tree, body_boxes, &s, most * most);
        if (!leaf) return true;
        lanes least = {.all = body_leaf(&s, leaf)};
        for (int open = used_lanes(leaf) & ~m8_bits(f8_less(f8_all(most * most), least.all)); open;
             open &= open - 1) {
            int lane = __builtin_ctz((unsigned)open);
            float now = widen(bound);
            if (least.lane[lane] > now * now) continue;
            hf_triangle t = lane_triangle(leaf, lane);
            if (!visit(user, &t, leaf->id[lane], &bound)) return false;
        }
    }
}

static unsigned kernel_meet(const hf_tree_node* n, const float center[3], const float half[3]) {
    mask8 in =
        f8_at_most(f8_abs(f8_load(n->center[0]) - center[0]), f8_load(n->half[0]) + half[0] * (1 + RELATIVE));
    in &=
        f8_at_most(f8_abs(f8_load(n->center[1]) - center[1]), f8_load(n->half[1]) + half[1] * (1 + RELATIVE));
    in &=
        f8_at_most(f8_abs(f8_load(n->center[2]) - center[2]), f8_load(n->half[2]) + half[2] * (1 + RELATIVE));
    return (unsigned)m8_bits(in);
}

static unsigned kernel_hold(const hf_tree_node* n, const float center[3], const float half[3]) {
    const float less = 1 - 2 * RELATIVE;
    mask8 in = f8_at_most(f8_abs(f8_load(n->center[0]) - center[0]), f8_load(n->half[0]) - half[0] * less);
    in &= f8_at_most(f8_abs(f8_load(n->center[1]) - center[1]), f8_load(n->half[1]) - half[1] * less);
    in &= f8_at_most(f8_abs(f8_load(n->center[2]) - center[2]), f8_load(n->half[2]) - half[2] * less);
    return (unsigned)m8_bits(in);
}

static void kernel_box_slots(const hf_tree_node* n, const float center[3], const float half[3],
                             float least[8]) {
    float8 zero = f8_all(0), sum = zero;
    for (int k = 0; k < 3; k++) {
        float8 gap = f8_max(f8_abs(f8_load(n->center[k]) - center[k]) - f8_load(n->half[k]) - half[k], zero);
        sum += gap * gap;
    }
    sum = f8_sqrt(sum);
    memcpy(least, &sum, sizeof sum);
}

static void kernel_ray_slots(const hf_tree_node* n, const float origin[3], const float per[3],
                             const float doubt[3], float least[8]) {
    float8 in = f8_all(0), out = f8_all(INFINITY);
    for (int k = 0; k < 3; k++) {
        float8 t = (f8_load(n->center[k]) - origin[k]) * per[k];
        float8 reach = (f8_load(n->half[k]) + doubt[k]) * (fabsf(per[k]) * (1 + 2e-6f));
        float8 slack = f8_abs(t) * 2e-6f;
        in = f8_max(in, t - reach - slack);
        out = f8_min(out, t + reach + slack);
    }
    in = f8_select(f8_at_most(in, out), in, f8_all(INFINITY));
    memcpy(least, &in, sizeof in);
}

extern const hf_tree_kernel HF_KERNEL_NAME(hf_tree_kernel);
const hf_tree_kernel HF_KERNEL_NAME(hf_tree_kernel) = {.meet = kernel_meet,
                                                       .hold = kernel_hold,
                                                       .box_slots = kernel_box_slots,
                                                       .ray_slots = kernel_ray_slots,
                                                       .capsule = kernel_capsule,
                                                       .near = kernel_near,
                                                       .ray = kernel_ray,
                                                       .body = kernel_body};
