// OMPL's RRTConnect over SE(3) as peer of guide paths; states are tested by FCL.
#include "peer_ompl.h"

#include <chrono>
#include <fcl/fcl.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

namespace ob = ompl::base;
namespace og = ompl::geometric;

struct peer_ompl {
    std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> scene;
    std::shared_ptr<fcl::Boxd> box;
    std::shared_ptr<ob::SE3StateSpace> space;
    long tests = 0;
};

static void fill(ob::SE3StateSpace::StateType* state, const double pose[7]) {
    state->setXYZ(pose[0], pose[1], pose[2]);
    state->rotation().w = pose[3], state->rotation().x = pose[4];
    state->rotation().y = pose[5], state->rotation().z = pose[6];
}

peer_ompl* peer_ompl_build(const float* vertices, int vertex_count, const unsigned* indices,
                           int triangle_count, const double half_size[3], const double low[3],
                           const double high[3]) {
    ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
    ompl::RNG::setSeed(1); // once: what follows draws on from there
    peer_ompl* peer = new peer_ompl;
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (int i = 0; i < vertex_count; i++)
        points.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    for (int i = 0; i < triangle_count; i++)
        triangles.emplace_back(indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]);
    peer->scene = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    peer->scene->beginModel(triangle_count, vertex_count);
    peer->scene->addSubModel(points, triangles);
    peer->scene->endModel();
    peer->scene->computeLocalAABB();
    peer->box = std::make_shared<fcl::Boxd>(2 * half_size[0], 2 * half_size[1], 2 * half_size[2]);
    peer->space = std::make_shared<ob::SE3StateSpace>();
    ob::RealVectorBounds bounds(3);
    for (unsigned i = 0; i < 3; i++) bounds.setLow(i, low[i]), bounds.setHigh(i, high[i]);
    peer->space->setBounds(bounds);
    return peer;
}

void peer_ompl_free(peer_ompl* peer) { delete peer; }

static bool is_free(peer_ompl* peer, const ob::State* s) {
    const auto* state = s->as<ob::SE3StateSpace::StateType>();
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.translation() = fcl::Vector3d(state->getX(), state->getY(), state->getZ());
    const auto& r = state->rotation();
    t.linear() = fcl::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix();
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    peer->tests++;
    return fcl::collide(peer->box.get(), t, peer->scene.get(), fcl::Transform3d::Identity(), request,
                        result) == 0;
}

double peer_ompl_solve(peer_ompl* peer, const double start[7], const double goal[7], double limit,
                       long* tests) {
    auto information = std::make_shared<ob::SpaceInformation>(peer->space);
    information->setStateValidityChecker([peer](const ob::State* s) { return is_free(peer, s); });
    peer->space->setup();
    information->setup();
    auto problem = std::make_shared<ob::ProblemDefinition>(information);
    ob::ScopedState<ob::SE3StateSpace> from(peer->space), to(peer->space);
    fill(from.get(), start);
    fill(to.get(), goal);
    problem->setStartAndGoalStates(from, to);
    og::RRTConnect planner(information);
    planner.setProblemDefinition(problem);
    planner.setup();
    peer->tests = 0;
    auto before = std::chrono::steady_clock::now();
    ob::PlannerStatus status = planner.ob::Planner::solve(limit);
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
    if (tests) *tests = peer->tests;
    return status == ob::PlannerStatus::EXACT_SOLUTION ? time.count() : -1;
}
