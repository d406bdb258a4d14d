/* A space to search: states are rows of doubles, and a few functions say how far two of them are apart and
   what joins them. The bidirectional tree, the graph, the roadmap, the nearest-neighbour index and the
   shortcutter know nothing else about what they search. A space is used by one thread at a time. */
#ifndef HF_SPACE_SPACE_H
#define HF_SPACE_SPACE_H

#include <holdfast/base.h>

/* What one extension of a tree came to. */
typedef enum hf_space_step {
    HF_SPACE_TRAPPED,  /* no new state */
    HF_SPACE_ADVANCED, /* a new state on the way */
    HF_SPACE_REACHED   /* the new state is the one aimed at */
} hf_space_step;

/* Functions that an algorithm does not need may be NULL; each algorithm's header says which it calls. */
typedef struct hf_space {
    int width;  /* doubles of a state */
    void* user; /* first argument of every function */
    /* A metric. A caller that has no use for distances of `enough` or more says so: the answer may then be
       any number from `enough` up. */
    double (*distance)(const void* user, const double* a, const double* b, double enough);
    /* The state at share t of the straight way. */
    void (*between)(const void* user, const double* a, const double* b, double t, double* state);
    bool (*valid)(void* user, const double* state);
    /* Is the straight way valid, its two ends left out? */
    hf_status (*passes)(void* user, const double* a, const double* b, bool* passes);
    /* State number `index` of a random sequence, which depends on the number alone; *drawn false for none. */
    hf_status (*draw)(void* user, int64_t index, double* state, bool* drawn);
    /* From a state of a tree towards another one; `round` counts the extensions of one growth from 0. */
    hf_status (*extend)(void* user, const double* from, const double* to, int round, double* state,
                        hf_space_step* step);
    /* Can an edge of a graph join the two? `chance` is a random number in [0, 1) that the space may use to
       choose between ways; *mark is kept with the edge and tells how it goes from a to b. */
    bool (*join)(void* user, const double* a, const double* b, double chance, double* mark);
} hf_space;

/* States in workspace memory, one after the other. */
typedef struct hf_space_rows {
    int width, count, capacity;
    double* values;
    hf_workspace* workspace;
} hf_space_rows;

static inline double* hf_space_row(const hf_space_rows* rows, int i) {
    return rows->values + (size_t)i * (size_t)rows->width;
}
hf_space_rows hf_space_rows_start(int width, hf_workspace* workspace);
/* Rows move when room is made, but the old ones stay readable until the workspace's mark ends: `state` may
   be one of them. HF_OK or HF_ERROR_MEMORY. */
hf_status hf_space_rows_add(hf_space_rows* rows, const double* state);
/* Turns the order of the rows from `first` on round. */
void hf_space_rows_reverse(hf_space_rows* rows, int first);

/* A larger copy of an array in the workspace; false when memory is out. */
bool hf_space_enlarge(hf_workspace* workspace, void** items, int count, int capacity, size_t size);

#endif
