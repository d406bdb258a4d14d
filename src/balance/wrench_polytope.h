/* The halfspaces of all wrenches that the contacts of a stance can give. */
#ifndef HF_BALANCE_WRENCH_POLYTOPE_H
#define HF_BALANCE_WRENCH_POLYTOPE_H

#include "balance/stance.h"

/* Leaves polytope->known false where there would be more halfspaces than are worth keeping: with gripped
   patches. */
hf_status hf_wrench_polytope_find(const hf_stance* stance, hf_workspace* workspace,
                                  hf_wrench_polytope* polytope);
/* Is the wrench (body weights, about the stance's reference) inside? */
bool hf_wrench_polytope_holds(const hf_wrench_polytope* polytope, const double w[HF_FORCE_ROWS]);

#endif
