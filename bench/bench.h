/* One table of measurements: ours and peer in the same run. */
#ifndef HF_BENCH_BENCH_H
#define HF_BENCH_BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a row. The ratio is peer_value / ours for times (smaller is better); it must reach `goal`. An
   absolute goal has peer "limit", its value as peer_value and goal 1. A row with goal 0 only informs. */
void bench_row(const char* name, double ours, const char* unit, const char* peer, double peer_value,
               double goal);
/* A row where larger is better (a success rate): ratio is ours / peer_value. */
void bench_row_higher(const char* name, double ours, const char* unit, const char* peer, double peer_value,
                      double goal);
/* Monotonic seconds. */
double bench_now(void);
/* A path inside the project. Four may be in use at a time. */
const char* bench_path(const char* path);

/* Each topic is one file. */
void bench_kinematics(void);
void bench_collision(void);
void bench_solve(void);
void bench_render(void);
void bench_samples(void);
void bench_contact(void);
void bench_guide(void);
void bench_agent(void);
void bench_balance(void);
void bench_plan(void);
void bench_reach(void);
void bench_refinement(void);

#ifdef __cplusplus
}
#endif
#endif
