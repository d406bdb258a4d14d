/* OMPL's RRTConnect and PRM over the postures of a reacher in plain C: the caller's metric, draws and tests.
 */
#ifndef HF_BENCH_PEER_REACH_H
#define HF_BENCH_PEER_REACH_H

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_REACH_CONTROLS = 22, PEER_REACH_POINTS = 12 };

/* The space to search. Functions are called by one thread at a time. */
typedef struct peer_reach_space {
    void* user;
    const double *low, *high; /* of the controls */
    int (*is_valid)(void* user, const double* controls);
    /* between two valid postures; NULL: the planner looks at states on the way, as it does by default */
    int (*passes)(void* user, const double* from, const double* to);
    void (*points)(void* user, const double* controls,
                   double* points); /* whose mean distance is the metric */
    void (*draw)(void* user, double* controls);
} peer_reach_space;

typedef struct peer_reach_answer {
    int found;
    double plan_s, simplify_s; /* processor time */
    double length_m;           /* of the simplified path, sampled finely */
} peer_reach_answer;

typedef struct peer_reach peer_reach;
peer_reach* peer_reach_build(const peer_reach_space* space);
void peer_reach_free(peer_reach* peer);
/* Plans from scratch with the planner's own defaults until the first path or the limit, and simplifies the
   path as far as OMPL does by itself (PathSimplifier::simplifyMax). prm: PRM, else RRTConnect. */
peer_reach_answer peer_reach_solve(peer_reach* peer, const double* from, const double* to, int prm,
                                   double limit_s);
/* The length of a way of `count` postures by the metric, sampled as finely as the peer's. */
double peer_reach_length(peer_reach* peer, const double* controls, int count);

#ifdef __cplusplus
}
#endif
#endif
