/* FCL in plain C: a mesh, capsules and points against it. */
#ifndef HF_BENCH_PEER_FCL_H
#define HF_BENCH_PEER_FCL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_fcl peer_fcl;
peer_fcl* peer_fcl_build(const float* vertices, int vertex_count, const unsigned* indices,
                         int triangle_count);
void peer_fcl_free(peer_fcl* peer);
/* Does the capsule along z at this pose (x y z, w x y z) meet a triangle? */
int peer_fcl_capsule(const peer_fcl* peer, double radius, double half_length, const double pose[7]);
/* Distance of a point from the mesh. */
double peer_fcl_point(const peer_fcl* peer, const double point[3]);

#ifdef __cplusplus
}
#endif
#endif
