/* OMPL's RRTConnect with FCL in plain C: a box that moves among boxes. */
#ifndef HF_BENCH_PEER_OMPL_H
#define HF_BENCH_PEER_OMPL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_ompl peer_ompl;
/* The scene as one mesh; half sizes of the moving box; bounds of its middle. */
peer_ompl* peer_ompl_build(const float* vertices, int vertex_count, const unsigned* indices,
                           int triangle_count, const double half_size[3], const double low[3],
                           const double high[3]);
void peer_ompl_free(peer_ompl* peer);
/* Solves with the next random numbers and the planner's own defaults. Poses are x y z, w x y z. Returns the
   seconds of planning alone, negative when none was found in `limit` seconds; *tests gets the number of
   states tested. */
double peer_ompl_solve(peer_ompl* peer, const double start[7], const double goal[7], double limit,
                       long* tests);

#ifdef __cplusplus
}
#endif
#endif
