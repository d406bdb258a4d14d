/* What both solvers share: how a descent damps its steps, and how a step slides along the boundary of a
   range-of-motion region. */
#ifndef HF_SOLVE_DESCENT_H
#define HF_SOLVE_DESCENT_H

#include <stddef.h>

enum {
    HF_DAMPINGS = 6, /* tried from one posture */
    HF_SLIDES = 2    /* times that a step is turned along a region's boundary */
};
#define HF_DAMPING 0.5        /* per squared error (Sugihara 2011) */
#define HF_RAISE_DAMPING 4    /* factor after a step that does not lower the error */
#define HF_TURN_SHARE 0.2     /* of the limb's or creature's size counts as much as a radian */
#define HF_PULL_SHARE 0.3     /* of the present error that the posture's pull may spoil to second order */
#define HF_INSIDE_REGION 1e-9 /* rad of rounding that still count as inside a region */
#define HF_SAME_PLACE2 1e-24  /* rad^2: a posture that was put back by less met no boundary */

/* One boundary with unit normal n over `count` columns of the Jacobian is held at `depth` along n from the
   present posture. The columns have `stride` numbers each and change rows [first, last) alone. */
static inline void hf_boundary_hold(double* jacobian, size_t stride, int first, int last, const int* columns,
                                    int count, const double* n, double depth, double* pull, double* shift) {
    double pulled = 0;
    for (int i = 0; i < count; i++) pulled += pull[columns[i]] * n[i];
    for (int r = first; r < last; r++) {
        double along = 0, *row = jacobian + r;
        for (int i = 0; i < count; i++) along += row[(size_t)columns[i] * stride] * n[i];
        for (int i = 0; i < count; i++) row[(size_t)columns[i] * stride] -= along * n[i];
        shift[r] += along * depth;
    }
    for (int i = 0; i < count; i++) pull[columns[i]] += (depth - pulled) * n[i];
}

#endif
