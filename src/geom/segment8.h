/* Segments against triangles, eight pairs at a time, in float: distances from above, and what rounding may
   hide of them. */
#ifndef HF_GEOM_SEGMENT8_H
#define HF_GEOM_SEGMENT8_H

#include "geom/float8.h"

/* Share of the largest coordinate at hand by which float distances are trusted: 2^-24 for each rounding,
   about a dozen of them one after the other, doubled. */
#define RELATIVE 2e-6f
#define TINY 1e-30f

/* A segment about a centre, with what the box test needs of it. */
typedef struct segment8 {
    float center[3];
    vec8 p, q, d;      /* ends and q - p, about the centre */
    float8 dd, per_dd; /* |d|^2 and its inverse, 0 for a point */
    float extent;      /* largest coordinate of the ends, and radius */
    float half[3];     /* of the segment's box */
    float edge[3];     /* |half direction| with margin */
    float direction[3];
    float slack; /* what rounding of the centre and ends may hide */
} segment8;

/* Corners about the centre, and edges from the unshifted corners: those are rounded once. */
typedef struct leaf8 {
    vec8 v0, v1, v2, e1, e2, e3; /* e1 = v1 - v0, e2 = v2 - v0, e3 = v2 - v1 */
} leaf8;

/* Offers the nearest pair of the segment and the edge at v along e (Ericson 2005, 5.1.9) as vector from edge
   to segment. Any pair is an upper bound, so that bad conditioning only costs a look in double. */
HF_INLINE8 void offer_edge(const segment8* s, vec8 v, vec8 e, float8* best, vec8* way) {
    vec8 r = v8_sub(s->p, v);
    float8 ee = v8_dot(e, e), de = v8_dot(s->d, e), dr = v8_dot(s->d, r), er = v8_dot(e, r);
    float8 denominator = f8_max(s->dd * ee - de * de, f8_all(TINY));
    float8 a = f8_clamp01((de * er - dr * ee) / denominator);
    float8 b = f8_clamp01((de * a + er) / f8_max(ee, f8_all(TINY)));
    a = f8_clamp01((de * b - dr) * s->per_dd);
    vec8 w = v8_add_scaled(v8_add_scaled(r, s->d, a), e, -b);
    float8 ww = v8_dot(w, w);
    mask8 better = f8_less(ww, *best);
    *best = f8_select(better, ww, *best);
    *way = v8_select(better, w, *way);
}

/* Barycentric coordinates and way from the triangle's plane of one end. */
typedef struct foot8 {
    float8 u, v;
    vec8 way;
} foot8;

HF_INLINE8 foot8 foot_of(const leaf8* l, vec8 p, float8 a, float8 b, float8 c, float8 per) {
    vec8 q = v8_sub(p, l->v0);
    float8 q1 = v8_dot(q, l->e1), q2 = v8_dot(q, l->e2);
    float8 u = (c * q1 - b * q2) * per, v = (a * q2 - b * q1) * per;
    return (foot8){u, v, v8_add_scaled(v8_add_scaled(q, l->e1, -u), l->e2, -v)};
}

HF_INLINE8 float8 offer_foot(foot8 f, float8 best) {
    mask8 inside = f8_at_most(f8_all(0), f8_min(f.u, f.v)) & f8_at_most(f.u + f.v, f8_all(1));
    return f8_select(inside, f8_min(v8_dot(f.way, f.way), best), best);
}

/* What the triangle's plane alone says. */
typedef struct plane8 {
    float8 n_length, dp, dq; /* normal's length, distances of the ends times it */
    float8 blur, doubt;      /* rounding of the normal, and of dp and dq */
    float8 extent;           /* largest coordinate at hand */
} plane8;

HF_INLINE8 plane8 plane_of(const segment8* s, const leaf8* l) {
    plane8 p;
    vec8 n = v8_cross(l->e1, l->e2);
    p.n_length = f8_sqrt(v8_dot(n, n));
    p.dp = v8_dot(n, v8_sub(s->p, l->v0));
    p.dq = v8_dot(n, v8_sub(s->q, l->v0));
    float8 ee = v8_dot(l->e1, l->e1) + v8_dot(l->e2, l->e2);
    p.extent = f8_max(f8_abs(l->v0.x), f8_max(f8_abs(l->v0.y), f8_abs(l->v0.z))) + f8_sqrt(ee) + s->extent;
    p.blur = RELATIVE * ee;
    p.doubt = p.blur * p.extent;
    return p;
}

/* Squared distance of the best pair found (an upper bound but for rounding), and the way between the best
   edge pair. */
HF_INLINE8 float8 upper_bound(const segment8* s, const leaf8* l, const plane8* p, vec8* way) {
    float8 best = f8_all(3e38f);
    *way = v8_all(0, 0, 0);
    offer_edge(s, l->v0, l->e1, &best, way);
    offer_edge(s, l->v0, l->e2, &best, way);
    offer_edge(s, l->v1, l->e3, &best, way);
    // feet of both ends, and where the segment goes through the plane
    float8 a = v8_dot(l->e1, l->e1), b = v8_dot(l->e1, l->e2), c = v8_dot(l->e2, l->e2);
    float8 per = f8_all(1) / f8_max(a * c - b * b, f8_all(TINY));
    foot8 fp = foot_of(l, s->p, a, b, c, per), fq = foot_of(l, s->q, a, b, c, per);
    float8 t = f8_clamp01(p->dp / (p->dp - p->dq)); // NaN becomes 0
    // its way is measured anew: of a sliver both feet may be far and their mean worth nothing
    foot8 fx = {fp.u + t * (fq.u - fp.u), fp.v + t * (fq.v - fp.v), v8_sub(s->p, l->v0)};
    fx.way = v8_add_scaled(fx.way, s->d, t);
    fx.way = v8_add_scaled(v8_add_scaled(fx.way, l->e1, -fx.u), l->e2, -fx.v);
    best = offer_foot(fp, best);
    best = offer_foot(fq, best);
    return offer_foot(fx, best);
}

#endif
