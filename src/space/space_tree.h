/* A way between two states by two trees, one grown from each, until they meet. */
#ifndef HF_SPACE_SPACE_TREE_H
#define HF_SPACE_SPACE_TREE_H

#include "space/space_nearest.h"

typedef struct hf_space_tree_options {
    bool direct;        /* one growth of the start's tree straight to the goal before anything is drawn */
    int longest_try;    /* extensions of a tree towards a drawn state; 0: as long as it advances */
    int max_extensions; /* of both trees; 0: no bound */
    /* Called before each draw with the draws made so far; false ends the search. NULL: it always goes on. */
    bool (*goes_on)(void* user, int64_t draws);
} hf_space_tree_options;

typedef struct hf_space_branch {
    hf_space_states states;
    int* parents; /* of each state, -1 for the first */
    int capacity;
} hf_space_branch;

typedef struct hf_space_tree {
    const hf_space* space;
    hf_workspace* workspace;
    hf_space_branch sides[2]; /* from the start, from the goal */
    int64_t draws;
    int extensions;
    bool met;
    int ends[2]; /* states of either side: the same state when the trees met, else the two that came nearest
                    to each other */
    double gap;  /* distance between the two ends, infinite before the first growth */
} hf_space_tree;

/* Grows both trees until they meet or an option ends it. The tree is valid while the space calls back: draw
   may look at it. Calls distance, extend and draw. HF_OK, HF_ERROR_MEMORY or what extend and draw return. */
hf_status hf_space_tree_search(hf_space_tree* tree, const hf_space* space,
                               const hf_space_tree_options* options, const double* start, const double* goal,
                               hf_workspace* workspace);
/* Adds the states from the first of a side to one of its states; those of the goal's side backwards. */
hf_status hf_space_tree_branch(const hf_space_tree* tree, int side, int state, hf_space_rows* path);
/* Adds the way from start to goal of trees that met. */
hf_status hf_space_tree_way(const hf_space_tree* tree, hf_space_rows* path);

#endif
