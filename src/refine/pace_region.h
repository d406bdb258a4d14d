/* A convex region of the plane of (acceleration u along a path, squared speed x along it). */
#ifndef HF_REFINE_PACE_REGION_H
#define HF_REFINE_PACE_REGION_H

#include <stdbool.h>

enum { HF_PACE_CORNERS = 48 };

/* Corners counter-clockwise, with u to the right and x upwards; none: nothing is allowed. */
typedef struct hf_pace_region {
    int count;
    double u[HF_PACE_CORNERS], x[HF_PACE_CORNERS];
} hf_pace_region;

/* All of -most_u <= u <= most_u and 0 <= x <= most_x. */
hf_pace_region hf_pace_region_box(double most_u, double most_x);
/* Keeps what meets a u + b x <= c. A region of very many corners loses its shortest side, inwards. */
void hf_pace_region_cut(hf_pace_region* region, double a, double b, double c);
/* Least and largest a u + b x of a region that has corners. */
void hf_pace_region_span(const hf_pace_region* region, double a, double b, double* least, double* most);
/* Least and largest u at a given x; false where the region has none. */
bool hf_pace_region_across(const hf_pace_region* region, double x, double* least, double* most);

#endif
