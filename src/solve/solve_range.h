/* The last word on a solved pose. */
#ifndef HF_SOLVE_SOLVE_RANGE_H
#define HF_SOLVE_SOLVE_RANGE_H

#include <holdfast/solve.h>

/* Turns a find into a partial one where the pose leaves a region that the limb (-1: any) has joints in. */
void hf_solve_check_range(const hf_creature* creature, int limb, const double* q, hf_solve_result* result);

#endif
