/* How deep a convex body is in a watertight piece: the least shift that parts it from a convex part of the
   piece, of the part for which that is most; in a piece that is not convex also the depth of the body's
   points that are in it (sunken.c). The way out of such a piece can be longer than both: of two walls that
   meet in a corner each is left by its own depth. But no point of the body's corners and of the surface is
   deeper than what is said. A convex piece is its own largest part. Parts are grown where the surface crosses
   the body: all that is behind one triangle there, cut by every other triangle that is in it. */
#include "check/check.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double FIRST_MARGIN_M =
    0.005;                           /* around the body; more is looked at where it is deeper than that */
static const double WIDEST_M = 1e6;  /* no piece is larger */
static const double INSIDE_M = 1e-7; /* a triangle less deep in a part bounds it */
static const double SAME_PLANE = 1e-9;
enum { WIDER = 4 };

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool plane_of(const double tri[9], double plane[4]) {
    double u[3], v[3], l;
    for (int i = 0; i < 3; i++) u[i] = tri[3 + i] - tri[i], v[i] = tri[6 + i] - tri[i];
    for (int i = 0; i < 3; i++) plane[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    l = sqrt(dot(plane, plane));
    for (int i = 0; i < 3; i++) plane[i] /= l > 0 ? l : 1;
    plane[3] = dot(plane, tri);
    return l > 0;
}

void check_near_free(check_near* near) {
    hf_free(near->items);
    check_polytope_free(&near->part);
    memset(near, 0, sizeof *near);
}

/* Is the triangle (body's frame) within the margin around the body's own box? */
static bool in_box(const check_body* b, const double tri[9], double margin) {
    for (int i = 0; i < 3; i++) {
        if (fmin(tri[i], fmin(tri[3 + i], tri[6 + i])) > b->high[i] + margin) return false;
        if (fmax(tri[i], fmax(tri[3 + i], tri[6 + i])) < b->low[i] - margin) return false;
    }
    return true;
}

/* Does the surface cross the body (of a round one: its middle) here? */
static bool crosses(const check_body* b, const double tri[9]) {
    double at[3];
    if (!b->round) return check_triangle_meets_planes(tri, b->planes, b->plane_count, 0);
    if (b->point_count < 2) return check_point_triangle(b->points, tri, at) <= 0;
    return check_segment_triangle(b->points, b->points + 3, tri, at) <= 0;
}

/* How far the body reaches behind the triangle's plane: no part behind it is deeper. */
static double behind(const check_body* b, const double plane[4]) {
    double low = INFINITY;
    for (int k = 0; k < b->core.corner_count; k++) low = fmin(low, dot(b->core.corners[k], plane));
    return plane[3] - low + b->radius;
}

/* A walk through the triangles of a piece within some distance of a place. */
static check_walk walk_near(const check_object* o, const check_piece* piece, const double centre[3],
                            double reach) {
    double low[3], high[3];
    for (int i = 0; i < 3; i++) low[i] = centre[i] - reach, high[i] = centre[i] + reach;
    return check_walk_start(o, piece, low, high);
}

/* The piece's triangles near the body, in the body's frame; how many of them a part can be grown from. */
static bool gather(const check_body* b, const check_frame* at, const check_object* o,
                   const check_piece* piece, double enough, bool swallowed, check_near* near, int* seeds) {
    near->count = *seeds = 0;
    double centre[3], margin = near->margin;
    check_frame_point(at, b->centre, centre);
    check_walk walk = walk_near(o, piece, centre, b->reach + 2 * margin);
    for (const double* tri; (tri = check_walk_next(&walk));) {
        if (!HF_GROW(near->items, near->capacity, near->count)) return false;
        check_near_triangle* n = &near->items[near->count];
        for (int k = 0; k < 3; k++) check_frame_unpoint(at, tri + 3 * k, n->corners + 3 * k);
        if (!in_box(b, n->corners, margin) || !plane_of(n->corners, n->plane)) continue;
        n->seed = behind(b, n->plane) > enough && (swallowed || crosses(b, n->corners));
        *seeds += n->seed;
        near->count++;
    }
    return true;
}

/* Is all of the seed behind the other triangle's plane? */
static bool agree(const check_near_triangle* seed, const check_near_triangle* other) {
    for (int k = 0; k < 3; k++)
        if (dot(other->plane, seed->corners + 3 * k) > other->plane[3] + INSIDE_M) return false;
    return true;
}

/* The part behind a seed. Triangles that have all of the seed behind them cut first: they take nothing of it
   that is under the seed. `whole` when no others had to. */
static bool grow(const check_body* b, double margin, int seed, check_near* near, bool* whole) {
    double low[3], high[3];
    for (int i = 0; i < 3; i++) low[i] = b->low[i] - margin, high[i] = b->high[i] + margin;
    check_polytope* part = &near->part;
    bool good = check_polytope_box(part, low, high) && check_polytope_cut(part, near->items[seed].plane);
    *whole = true;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; good && t < near->count && part->edge_count; t++) {
            const check_near_triangle* other = &near->items[t];
            if (t == seed || agree(&near->items[seed], other) != (pass == 0)) continue;
            if (!check_triangle_meets_planes(other->corners, part->faces[0], part->face_count, INSIDE_M))
                continue;
            good = check_polytope_cut(part, other->plane);
            *whole = *whole && pass == 0;
        }
    return good && check_polytope_close(part);
}

/* Seeds on the faces of a part that was grown whole would grow it again. */
static void cover(check_near* near) {
    for (int t = 0; t < near->count; t++)
        for (int f = 0; near->items[t].seed && f < near->part.face_count; f++) {
            const double *a = near->items[t].plane, *face = near->part.faces[f];
            if (dot(a, face) > 1 - SAME_PLANE && fabs(a[3] - face[3]) < INSIDE_M) near->items[t].seed = false;
        }
}

/* Of a watertight piece; 0 when not deeper than `enough`. Parts are grown where the surface crosses the body,
   or everywhere when the piece has swallowed it. */
static double closed_depth(const check_body* b, const check_frame* at, const check_object* o,
                           const check_piece* piece, double enough, bool swallowed, check_near* near) {
    check_frame here = check_frame_of(hf_transform_identity());
    for (double margin = FIRST_MARGIN_M;; margin *= WIDER) {
        near->margin = margin;
        int seeds;
        double worst = 0;
        if (!gather(b, at, o, piece, enough, swallowed, near, &seeds)) return NAN;
        for (int t = 0; seeds && t < near->count; t++) {
            double least = fmax(enough, worst);
            if (!near->items[t].seed || behind(b, near->items[t].plane) <= least) continue;
            bool whole;
            if (!grow(b, margin, t, near, &whole)) return NAN;
            double depth = 0;
            if (near->part.edge_count)
                depth = b->radius + check_polytope_depth(&b->core, &near->part, least - b->radius);
            if (!whole) depth = fmax(depth, check_body_triangle(b, &here, near->items[t].corners, least));
            if (depth > least) worst = depth;
            if (whole) cover(near);
        }
        /* A piece that is not convex may be deeper than its parts. */
        if (!piece->convex && near->count)
            worst = fmax(worst, check_sunken_depth(b, at, o, piece, fmax(enough, worst), near));
        if ((seeds || !swallowed) && worst < margin) return worst;
        if (margin > WIDEST_M) return worst;
    }
}

static bool boxes_apart(const double centre[3], double reach, const double low[3], const double high[3]) {
    for (int i = 0; i < 3; i++)
        if (centre[i] + reach < low[i] || centre[i] - reach > high[i]) return true;
    return false;
}

/* How deep the deepest point of a piece's surface is under the body's skin: for a round body whose middle is
   outside of the piece that is its depth, and for a piece that is not watertight the only one there is. */
static double surface_depth(const check_body* b, const check_frame* at, const double centre[3],
                            const check_object* o, const check_piece* piece, double enough) {
    double worst = 0;
    check_walk walk = walk_near(o, piece, centre, b->reach);
    for (const double* tri; (tri = check_walk_next(&walk));)
        worst = fmax(worst, check_body_triangle(b, at, tri, enough));
    return worst;
}

static double piece_depth(const check_body* b, const check_frame* at, const double centre[3],
                          const check_object* o, const check_piece* piece, double enough, check_near* near) {
    if (!b->round && piece->closed) return closed_depth(b, at, o, piece, enough, false, near);
    double depth = surface_depth(b, at, centre, o, piece, enough);
    if (!piece->closed || !(depth > 0)) return depth;
    /* The middle of a round body is crossed, inside or outside. */
    bool inside = depth < b->radius && check_piece_inside(o, piece, centre);
    if (depth < b->radius && !inside) return depth;
    return closed_depth(b, at, o, piece, enough, inside, near);
}

/* Of a body with its centre in an object and no surface across it. */
static double swallowed_depth(const check_body* b, const check_frame* at, const double centre[3],
                              const check_object* o, check_near* near) {
    double worst = 0;
    for (int p = 0; p < o->piece_count; p++) {
        const check_piece* piece = &o->pieces[p];
        if (!piece->closed || boxes_apart(centre, 0, piece->low, piece->high)) continue;
        double depth = closed_depth(b, at, o, piece, 0, true, near);
        worst = isnan(depth) ? depth : fmax(worst, depth);
    }
    return worst > 0 ? worst : b->reach;
}

bool check_object_near(const check_body* b, const check_frame* at, const check_object* o) {
    double centre[3];
    check_frame_point(at, b->centre, centre);
    for (int p = 0; p < o->piece_count; p++)
        if (!boxes_apart(centre, b->reach, o->pieces[p].low, o->pieces[p].high)) return true;
    return false;
}

double check_object_depth(const check_body* b, const check_frame* at, const check_object* o, double enough,
                          bool solids, check_near* near) {
    double centre[3], worst = 0;
    check_frame_point(at, b->centre, centre);
    for (int p = 0; p < o->piece_count; p++) {
        if (boxes_apart(centre, b->reach, o->pieces[p].low, o->pieces[p].high)) continue;
        double depth = piece_depth(b, at, centre, o, &o->pieces[p], enough, near);
        if (isnan(depth)) return NAN;
        worst = fmax(worst, depth);
    }
    if (!(worst > 0) && solids && check_object_inside(o, centre))
        worst = swallowed_depth(b, at, centre, o, near);
    return worst > enough ? worst : isnan(worst) ? NAN : 0;
}
