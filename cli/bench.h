/* The benchmarks of the command: each one is a file, and prints what it found. */
#ifndef HF_CLI_BENCH_H
#define HF_CLI_BENCH_H

#include "command.h"

int bench_paper(const options* o);
int bench_reach(const options* o);
int bench_soak(const options* o);
int bench_task(const options* o);
int bench_valid(const options* o);

#endif
