/* Clocks in seconds, for times that are reported and for limits that a caller sets. No search decides
   anything by them. */
#ifndef HF_BASE_CLOCK_H
#define HF_BASE_CLOCK_H

#include <time.h>

static inline double hf_clock_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time as a wall clock counts it, from any beginning. */
static inline double hf_now_s(void) { return hf_clock_s(CLOCK_MONOTONIC); }

#endif
