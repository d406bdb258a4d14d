/* Distance of convex shapes for those who only care about near ones. */
#ifndef HF_GEOM_CONVEX_H
#define HF_GEOM_CONVEX_H

#include <holdfast/scene.h>

/* As hf_shape_distance, but ends with some number above `enough` once they are known to be further apart. */
double hf_convex_distance(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                          double enough);
/* The same, and the way from b's nearest point to a's (margins of round shapes left out). */
double hf_convex_way(const hf_shape* a, hf_transform pose_a, const hf_shape* b, hf_transform pose_b,
                     double enough, hf_vec3* way);

#endif
