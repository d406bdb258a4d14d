#include "balance/wrench_polytope.h"
hf_status hf_wrench_polytope_find(const hf_stance* stance, hf_workspace* workspace,
                                  hf_wrench_polytope* polytope) {
    (void)stance;
    (void)workspace;
    polytope->known = false;
    return HF_OK;
}
bool hf_wrench_polytope_holds(const hf_wrench_polytope* polytope, const double w[HF_FORCE_ROWS]) {
    (void)polytope;
    (void)w;
    return false;
}
