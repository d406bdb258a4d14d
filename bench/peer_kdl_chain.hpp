/* What the KDL peers share: the chain behind peer_kdl_chain. */
#pragma once

#include "peer_kdl.h"

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <memory>

struct peer_kdl_chain {
    KDL::Chain chain;
    std::unique_ptr<KDL::ChainFkSolverPos_recursive> forward;
    std::unique_ptr<KDL::ChainJntToJacSolver> jacobian;
};

static inline KDL::Frame peer_kdl_frame(hf_transform t) {
    return KDL::Frame(KDL::Rotation::Quaternion(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w),
                      KDL::Vector(t.position.x, t.position.y, t.position.z));
}
