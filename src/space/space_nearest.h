/* States that are found by their distance: exact, ties by the lower number, grown one state at a time. */
#ifndef HF_SPACE_SPACE_NEAREST_H
#define HF_SPACE_SPACE_NEAREST_H

#include "space/space.h"

enum { HF_SPACE_MAX_NEAREST = 64 };

typedef struct hf_space_ball hf_space_ball;

/* Read by any number of threads, each with a space of its own. */
typedef struct hf_space_states {
    hf_space_rows rows;
    int ball_count, ball_capacity; /* states in the index: none while a scan is faster */
    hf_space_ball* balls;          /* one for each indexed state */
} hf_space_states;

hf_space_states hf_space_states_start(int width, hf_workspace* workspace);
/* HF_OK or HF_ERROR_MEMORY. Calls distance. */
hf_status hf_space_states_add(hf_space_states* states, const hf_space* space, const double* state);

/* The `most` (HF_SPACE_MAX_NEAREST at most) states nearest to one for which accept says yes (NULL: all),
   nearest first; returns how many. Calls distance. */
int hf_space_nearest(const hf_space_states* states, const hf_space* space, const double* to,
                     bool (*accept)(const void* user, int state), const void* user, int most, int* found);
/* The same by looking at every state. */
int hf_space_nearest_scan(const hf_space_states* states, const hf_space* space, const double* to,
                          bool (*accept)(const void* user, int state), const void* user, int most,
                          int* found);
/* The nearest state, -1 for none. */
int hf_space_nearest_one(const hf_space_states* states, const hf_space* space, const double* to);

#endif
