/* A triangle as many point distances in float want it: plane and edges as unit vectors with offsets from an
   origin near the points. Where a feature of the triangle matters, its offsets are no larger than the
   points' own coordinates: so rounding does not grow with the triangle. */
#ifndef HF_CONTACT_NEAR_TRIANGLE_H
#define HF_CONTACT_NEAR_TRIANGLE_H

#include "geom/triangle.h"

/* Share of the coordinates at hand that a float distance may be wrong by: a dozen roundings of 2^-24. */
#define HF_FLOAT_ROUNDING 2e-6

typedef struct hf_near_triangle {
    float normal[3], offset;              /* height of x: normal . x - offset */
    float along[3][3], start[3], end[3];  /* edges: coordinates of their ends along them */
    float out[3][3], side[3];             /* distance beyond the edge, in the plane: out . x - side */
    float normal_size[3], out_size[3][3]; /* the same vectors with their signs taken off */
    float center[3], half[3];             /* its box */
    float doubt;                          /* m, what float distances may be wrong by */
    bool exact;                           /* too thin for all that: boxes alone are to be believed */
    int object, triangle;
} hf_near_triangle;

/* `reach` is the largest coordinate of the points it will be asked about, `slack` what the corners may be
   wrong by. */
void hf_near_triangle_set(hf_near_triangle* near, const hf_triangle* t, double reach, double slack);

#endif
