/* On which side of a plane a point is, without error. */
#ifndef HF_GEOM_ORIENTATION_H
#define HF_GEOM_ORIENTATION_H

/* Six times the volume of the tetrahedron a, b, c, p, positive where p is on the side from which a, b, c run
   counter-clockwise. The sign is exact, and zero only in the plane; the size is rounded. Coordinates must be
   floats in value. */
double hf_orientation(const double* a, const double* b, const double* c, const double* p);

#endif
