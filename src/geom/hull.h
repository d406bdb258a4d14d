/* Convex hulls. */
#ifndef HF_GEOM_HULL_H
#define HF_GEOM_HULL_H

#include <holdfast/mesh.h>

/* Hull of points (three floats each). The mesh holds the hull's vertices alone, and triangles seen
   counter-clockwise from outside. Flat, collinear and single-point clouds give HF_ERROR_FORMAT. */
hf_status hf_hull_build(const float* points, int count, hf_mesh* hull, hf_error* error);

#endif
