/* The last resort of a swing: one limb's way between two postures, found by a pair of trees. */
#ifndef HF_SCHEDULE_SWING_TREE_H
#define HF_SCHEDULE_SWING_TREE_H

#include <holdfast/swing.h>

/* Is a straight move of the whole pose all right? Called with joint values of both ends. */
typedef struct hf_swing_tree {
    const hf_creature* creature;
    int limb;
    const double *from, *to; /* whole poses that differ in this limb's joints alone */
    /* Free of collision and inside regions, between two whole poses. */
    hf_status (*passable)(void* user, const double* a, const double* b, bool* good);
    void* user;
    int max_moves; /* moves tested, at most */
} hf_swing_tree;

/* Writes up to `capacity` whole poses from `from` to `to`, both included, to q; *count is 0 where no way was
   found. The same answer every time. HF_OK or HF_ERROR_MEMORY, or what passable returns. */
hf_status hf_swing_tree_find(const hf_swing_tree* problem, hf_workspace* workspace, int capacity, double* q,
                             int* count);

#endif
