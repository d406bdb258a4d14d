/* Convex hulls. */
#ifndef HF_GEOM_HULL_H
#define HF_GEOM_HULL_H

#include <holdfast/mesh.h>

/* Hull of points (three floats each). The mesh holds the hull's vertices alone, and triangles seen
   counter-clockwise from outside. Flat, collinear and single-point clouds give HF_ERROR_FORMAT. */
hf_status hf_hull_build(const float* points, int count, hf_mesh* hull, hf_error* error);

/* The half-space normal . x <= offset. */
typedef struct hf_plane {
    hf_vec3 normal;
    double offset;
} hf_plane;

/* What many tests of one hull ask for: its sides, one plane for all triangles of a flat side, and its box. */
struct hf_hull_form {
    int plane_count;
    const hf_plane* planes;
    hf_vec3 low, high;
    hf_vec3 middle; /* of its volume */
};
/* Fills the form of a hull; `planes` has room for one plane a face and is borrowed. */
void hf_hull_form_fill(const hf_shape* shape, hf_plane* planes, struct hf_hull_form* form);
/* A face's plane; a degenerate one has a zero normal and keeps everything. */
hf_plane hf_hull_plane(const hf_shape* shape, int face);
/* Box of a hull's vertices, in its frame. */
void hf_hull_box(const hf_shape* shape, hf_vec3* low, hf_vec3* high);
/* The middle of a hull's volume, in its frame. The mean of its vertices may be near a face, where many of
   them are; this is not. */
hf_vec3 hf_hull_middle(const hf_shape* shape, hf_vec3 about);

#endif
