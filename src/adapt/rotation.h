/* Rotations out of matrices and vectors. */
#ifndef HF_ADAPT_ROTATION_H
#define HF_ADAPT_ROTATION_H

#include <holdfast/math.h>

/* The turn by a rotation vector (axis times angle). */
static inline hf_quat hf_turn(hf_vec3 r) { return hf_quat_axis_angle(hf_normalize(r), hf_length(r)); }

/* Eigenvalues (descending) and unit eigenvectors of a symmetric matrix xx yy zz xy xz yz. */
void hf_symmetric_eigen(const double matrix[6], double values[3], hf_vec3 vectors[3]);
/* The rotation nearest to a row-major matrix, by its singular values with determinant +1. */
hf_quat hf_rotation_nearest(const double matrix[9]);

#endif
