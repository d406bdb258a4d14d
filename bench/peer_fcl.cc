// FCL as peer of the triangle tree: a capsule against a mesh in its fastest bounding volume.
#include "peer_fcl.h"

#include <fcl/fcl.h>

struct peer_fcl {
    fcl::BVHModel<fcl::OBBRSSd> model;
};

peer_fcl* peer_fcl_build(const float* vertices, int vertex_count, const unsigned* indices,
                         int triangle_count) {
    peer_fcl* peer = new peer_fcl;
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (int i = 0; i < vertex_count; i++)
        points.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    for (int i = 0; i < triangle_count; i++)
        triangles.emplace_back(indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]);
    peer->model.beginModel(triangle_count, vertex_count);
    peer->model.addSubModel(points, triangles);
    peer->model.endModel();
    peer->model.computeLocalAABB();
    return peer;
}

void peer_fcl_free(peer_fcl* peer) { delete peer; }

static fcl::Transform3d transform_of(const double pose[7]) {
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.translation() = fcl::Vector3d(pose[0], pose[1], pose[2]);
    t.linear() = fcl::Quaterniond(pose[3], pose[4], pose[5], pose[6]).toRotationMatrix();
    return t;
}

int peer_fcl_capsule(const peer_fcl* peer, double radius, double half_length, const double pose[7]) {
    fcl::Capsuled capsule(radius, 2 * half_length);
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(&capsule, transform_of(pose), &peer->model, fcl::Transform3d::Identity(), request,
                        result) > 0;
}

double peer_fcl_point(const peer_fcl* peer, const double point[3]) {
    fcl::Sphered ball(1e-9);
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    const double pose[7] = {point[0], point[1], point[2], 1, 0, 0, 0};
    return fcl::distance(&ball, transform_of(pose), &peer->model, fcl::Transform3d::Identity(), request,
                         result);
}
