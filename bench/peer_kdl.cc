/* KDL behind a C interface. */
#include "peer_kdl_chain.hpp"

#include <algorithm>
#include <vector>

peer_kdl_chain* peer_kdl_chain_make(const hf_creature* creature, int limb, hf_vec3 tip) {
    const hf_creature_view* view = hf_creature_get(creature);
    const hf_limb* l = &view->limbs[limb];
    auto* out = new peer_kdl_chain;
    std::vector<int> links;
    for (int k = l->effector_link; k != l->base_link; k = view->links[k].parent_link) links.push_back(k);
    std::reverse(links.begin(), links.end());
    /* A KDL segment is a joint and then all that is fixed behind it; the first joint's origin is our root
       frame. Main axes use KDL's own joint kinds, its fastest. */
    KDL::Frame fixed = peer_kdl_frame(hf_inverse(l->base));
    KDL::Joint joint(KDL::Joint::None);
    for (int k : links) {
        const hf_joint* j = &view->joints[view->links[k].joint];
        fixed = fixed * peer_kdl_frame(j->origin);
        if (j->type == HF_JOINT_FIXED) continue;
        if (joint.getType() != KDL::Joint::None) out->chain.addSegment(KDL::Segment(joint, fixed));
        fixed = KDL::Frame::Identity();
        KDL::Vector axis(j->axis.x, j->axis.y, j->axis.z);
        if (j->axis.x == 1)
            joint = KDL::Joint(KDL::Joint::RotX);
        else if (j->axis.y == 1)
            joint = KDL::Joint(KDL::Joint::RotY);
        else if (j->axis.z == 1)
            joint = KDL::Joint(KDL::Joint::RotZ);
        else
            joint = KDL::Joint("turn", KDL::Vector::Zero(), axis, KDL::Joint::RotAxis);
    }
    out->chain.addSegment(KDL::Segment(joint, fixed * KDL::Frame(KDL::Vector(tip.x, tip.y, tip.z))));
    out->forward.reset(new KDL::ChainFkSolverPos_recursive(out->chain));
    out->jacobian.reset(new KDL::ChainJntToJacSolver(out->chain));
    return out;
}

void peer_kdl_chain_free(peer_kdl_chain* chain) { delete chain; }

void peer_kdl_batch(peer_kdl_chain* chain, const double* q, int count, double* point, double* gram) {
    unsigned n = chain->chain.getNrOfJoints();
    KDL::JntArray values(n);
    KDL::Jacobian jacobian(n);
    KDL::Frame frame;
    Eigen::Matrix3d product;
    for (int i = 0; i < count; i++) {
        for (unsigned j = 0; j < n; j++) values(j) = q[(size_t)i * n + j];
        chain->forward->JntToCart(values, frame);
        chain->jacobian->JntToJac(values, jacobian);
        product.noalias() = jacobian.data.topRows<3>() * jacobian.data.topRows<3>().transpose();
        for (int k = 0; k < 3; k++) point[3 * i + k] = frame.p(k);
        const double six[6] = {product(0, 0), product(1, 1), product(2, 2),
                               product(0, 1), product(0, 2), product(1, 2)};
        std::copy(six, six + 6, gram + 6 * i);
    }
}
