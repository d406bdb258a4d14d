/* Exact primitives of one triangle in double precision: the final word of every query. Degenerate
   triangles (segments, points) are handled as what they are. */
#ifndef HF_GEOM_TRIANGLE_H
#define HF_GEOM_TRIANGLE_H

#include "geom/hull.h"

typedef struct hf_triangle {
    hf_vec3 v[3];
} hf_triangle;

/* Triangle `index` of a mesh. */
hf_triangle hf_triangle_of(const hf_mesh* mesh, int index);
/* Counter-clockwise unit normal; a degenerate triangle gets some unit vector across its longest edge. */
hf_vec3 hf_triangle_normal(const hf_triangle* t);
/* Over its longest side; 0 where that has no length. */
double hf_triangle_height(const hf_triangle* t);

/* A flat hull of three corners, which are kept in `corners` as floats. */
hf_shape hf_triangle_shape(const hf_triangle* t, float corners[9]);

/* Squared distance to a point; `nearest` lies on the triangle. */
double hf_triangle_point(const hf_triangle* t, hf_vec3 p, hf_vec3* nearest);
/* Squared distance to the segment p q, with the nearest point of either. */
double hf_triangle_segment(const hf_triangle* t, hf_vec3 p, hf_vec3 q, hf_vec3* on_triangle,
                           hf_vec3* on_segment);
/* Squared distance between two triangles, with the nearest point of either. */
double hf_triangle_triangle(const hf_triangle* a, const hf_triangle* b, hf_vec3* on_a, hf_vec3* on_b);

/* Hit of a ray from either side at 0 <= distance <= max_distance. Neighbours that share an edge leave
   no gap between them. */
bool hf_triangle_ray(const hf_triangle* t, hf_vec3 origin, hf_vec3 direction, double max_distance,
                     double* distance);
/* How a ray crosses: +1 leaving through the front, -1 entering, 0 not at all, HF_CROSSING_UNSURE when too
   near an edge, the triangle's plane or its own origin to say. */
#define HF_CROSSING_UNSURE 2
int hf_triangle_crossing(const hf_triangle* t, hf_vec3 origin, hf_vec3 direction);
/* Signed solid angle seen from p (Van Oosterom and Strackee 1983); 4 pi in all around a closed surface
   seen from inside. */
double hf_triangle_solid_angle(const hf_triangle* t, hf_vec3 p);

/* A box or hull with its faces moved inwards: the half-spaces normal . x <= offset in its own frame. Hulls
   with more faces than fit in the buffer have the rest worked out when needed. */
#define HF_PLANE_BUFFER 256
typedef struct hf_plane_set {
    const hf_shape* shape;
    double depth;
    int count;
    double size;                     /* largest coordinate, for tolerances */
    const struct hf_hull_form* form; /* of the hull, which is used instead of the buffer; NULL for none */
    hf_plane buffer[HF_PLANE_BUFFER];
} hf_plane_set;
/* Fills the set for a box or hull; degenerate faces of a hull are skipped. */
void hf_plane_set_fill(hf_plane_set* set, const hf_shape* shape, double depth);
static inline hf_plane hf_plane_of(const hf_plane_set* set, int i) {
    if (!set->form && i < HF_PLANE_BUFFER) return set->buffer[i];
    hf_plane p = set->form ? set->form->planes[i] : hf_hull_plane(set->shape, i);
    p.offset -= set->depth;
    return p;
}
/* Is a point of the triangle (in the shape's frame) in every half-space? `point` gets one. */
bool hf_triangle_meets_planes(const hf_triangle* t, const hf_plane_set* set, hf_vec3* point);

#endif
