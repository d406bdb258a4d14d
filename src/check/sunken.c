/* Points of a body that have sunk into a watertight piece. A point of the body's core that is inside the
   piece and d from its surface has a ball of that radius about it that is all piece: whatever shift parts
   body and piece is at least d long, and longer by the radius of a round body. Parts of a piece (depth.c) are
   cut by the planes of every triangle around, so in a rugged surface they can be much smaller than the piece;
   the corners of the body and the middles of what of its edges is inside see what they miss. */
#include "check/check.h"

static const double SAME_M = 1e-9; /* two triangles this equally near are both the nearest */
enum { CROSSINGS = 64 };           /* of one edge with the surface; where there are more, the first will do */

/* Distance of a point (body's frame) from the surface, as far as its triangles were gathered. A point inside
   is behind one of the triangles that are nearest to it. */
static double off_surface(const check_near* near, const double p[3], bool* behind) {
    double least = near->margin, nearest[3];
    *behind = true;
    for (int t = 0; t < near->count; t++) {
        const check_near_triangle* n = &near->items[t];
        double d = check_point_triangle(p, n->corners, nearest);
        if (d > least + SAME_M) continue;
        double over = p[0] * n->plane[0] + p[1] * n->plane[1] + p[2] * n->plane[2] - n->plane[3];
        *behind = (d >= least - SAME_M && *behind && least < near->margin) || over < SAME_M;
        least = fmin(least, d);
    }
    return least;
}

/* What is asked of every point; the depth so far. */
typedef struct sounding {
    const check_body* body;
    const check_frame* at;
    const check_object* object;
    const check_piece* piece;
    const check_near* near;
    double depth;
} sounding;

static void sound_point(sounding* s, const double p[3]) {
    bool behind;
    double deep = s->body->radius + off_surface(s->near, p, &behind), in_object[3];
    if (deep <= s->depth || !behind) return;
    check_frame_point(s->at, p, in_object);
    if (check_piece_inside(s->object, s->piece, in_object)) s->depth = deep;
}

/* Where the surface crosses an edge, as shares of its length in ascending order. */
static int crossings(const check_near* near, const check_edge* e, double at[CROSSINGS]) {
    int count = 0;
    double length = 0;
    for (int i = 0; i < 3; i++) length += (e->ends[1][i] - e->ends[0][i]) * e->along[i];
    for (int t = 0; t < near->count && count < CROSSINGS; t++) {
        double p[3], share = 0;
        if (check_segment_triangle(e->ends[0], e->ends[1], near->items[t].corners, p) > 0) continue;
        for (int i = 0; i < 3; i++) share += (p[i] - e->ends[0][i]) * e->along[i] / length;
        int k = count++;
        for (; k > 0 && at[k - 1] > share; k--) at[k] = at[k - 1];
        at[k] = share;
    }
    return count;
}

static void sound_edge(sounding* s, const check_edge* e) {
    double at[CROSSINGS + 1];
    int count = crossings(s->near, e, at);
    if (!count) return; /* it is inside or outside with its ends */
    at[count] = 1;
    for (int k = 0; k <= count; k++) {
        double p[3], middle = (at[k] + (k ? at[k - 1] : 0)) / 2;
        for (int i = 0; i < 3; i++) p[i] = e->ends[0][i] + middle * (e->ends[1][i] - e->ends[0][i]);
        sound_point(s, p);
    }
}

double check_sunken_depth(const check_body* body, const check_frame* at, const check_object* object,
                          const check_piece* piece, double enough, const check_near* near) {
    sounding s = {body, at, object, piece, near, enough};
    for (int k = 0; k < body->core.corner_count; k++) sound_point(&s, body->core.corners[k]);
    for (int k = 0; k < body->core.edge_count; k++) sound_edge(&s, &body->core.edges[k]);
    return s.depth > enough ? s.depth : 0;
}
