/* Quadratic programs whose variables have bounds of their own and nothing else. */
#ifndef HF_PLAYBACK_BOX_PROGRAM_H
#define HF_PLAYBACK_BOX_PROGRAM_H

#include <stdbool.h>

typedef struct box_program {
    int n;
    double *h, *g;      /* minimise x' H x / 2 + g' x; H (n x n, row by row) is positive definite */
    double *low, *high; /* of x; may be infinite */
    double* x;          /* where to start, and the answer */
    int capacity;
    int* free;    /* scratch */
    double* room; /* scratch */
} box_program;

/* Memory for up to `capacity` unknowns; ends the program when there is none. */
void box_program_make(box_program* p, int capacity);
void box_program_free(box_program* p);
/* False where the steps that it allows itself did not suffice: x is then inside the bounds and no worse than
   it came. */
bool box_program_solve(box_program* p);

#endif
