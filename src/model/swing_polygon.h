/* Spherical polygons: where a bone may point. */
#ifndef HF_MODEL_SWING_POLYGON_H
#define HF_MODEL_SWING_POLYGON_H

#include <holdfast/math.h>
#include <stdbool.h>

/* Corners are unit directions, edges the shorter great arcs; the inside holds the corners' mean. */
bool hf_swing_inside(const hf_vec3* corners, int count, hf_vec3 direction);
/* Angle in radians to the nearest point of the edges. */
double hf_swing_edge_distance(const hf_vec3* corners, int count, hf_vec3 direction, hf_vec3* nearest);
/* The largest angle from a direction inside to the edges, within 1e-4 rad. */
double hf_swing_inradius(const hf_vec3* corners, int count);

#endif
