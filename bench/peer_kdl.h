/* KDL behind a C interface: a chain made from a limb of ours. */
#ifndef HF_BENCH_PEER_KDL_H
#define HF_BENCH_PEER_KDL_H

#include <holdfast/holdfast.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_kdl_chain peer_kdl_chain;

/* The limb's joints (turning ones) from its root frame to a point of the effector link. */
peer_kdl_chain* peer_kdl_chain_make(const hf_creature* creature, int limb, hf_vec3 tip);
void peer_kdl_chain_free(peer_kdl_chain* chain);
/* ChainFkSolverPos_recursive + ChainJntToJacSolver + J J^T of the linear rows, for `count` rows of joint
   values; point (3 each) and gram (6 each: xx yy zz xy xz yz) are written. */
void peer_kdl_batch(peer_kdl_chain* chain, const double* q, int count, double* point, double* gram);
/* ChainIkSolverPos_NR_JL with ChainIkSolverVel_wdls, each target (the effector in the limb's root frame) from
   the same start; `count` rows of joint values are written, whether it arrived or not. */
void peer_kdl_solve(peer_kdl_chain* chain, const double* lower, const double* upper, const double* start,
                    const hf_transform* targets, int count, double* q);

#ifdef __cplusplus
}
#endif
#endif
