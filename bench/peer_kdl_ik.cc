/* KDL's inverse kinematics within joint limits behind a C interface: ChainIkSolverPos_NR_JL over the weighted
   damped least squares of ChainIkSolverVel_wdls. */
#include "peer_kdl_chain.hpp"

#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>

void peer_kdl_solve(peer_kdl_chain* chain, const double* lower, const double* upper, const double* start,
                    const hf_transform* targets, int count, double* q) {
    /* KDL's own default of 100 iterations; its tolerance is ours. */
    const int iterations = 100;
    const double tolerance = 1e-4, damping = 0.01;
    unsigned n = chain->chain.getNrOfJoints();
    KDL::JntArray low(n), high(n), first(n), out(n);
    for (unsigned j = 0; j < n; j++) low(j) = lower[j], high(j) = upper[j], first(j) = start[j];
    KDL::ChainIkSolverVel_wdls speeds(chain->chain);
    speeds.setLambda(damping);
    KDL::ChainIkSolverPos_NR_JL solver(chain->chain, low, high, *chain->forward, speeds, iterations,
                                       tolerance);
    for (int i = 0; i < count; i++) {
        solver.CartToJnt(first, peer_kdl_frame(targets[i]), out);
        for (unsigned j = 0; j < n; j++) q[(size_t)i * n + j] = out(j);
    }
}
