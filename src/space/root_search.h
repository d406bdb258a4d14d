/* Root poses as an abstract space: what the common tree, shortcutter, graph and roadmap call. */
#ifndef HF_SPACE_ROOT_SEARCH_H
#define HF_SPACE_ROOT_SEARCH_H

#include "space/root_space.h"
#include "space/space_graph.h"
#include "space/space_tree.h"

/* A root pose is its own row of doubles. */
enum { HF_ROOT_WIDTH = 7 };
_Static_assert(sizeof(hf_transform) == HF_ROOT_WIDTH * sizeof(double), "a pose is seven doubles");
static inline const hf_transform* hf_root_of(const double* row) {
    return (const hf_transform*)(const void*)row;
}
static inline const double* hf_root_row(const hf_transform* pose) { return (const double*)(const void*)pose; }

/* One search by one thread. */
typedef struct hf_root_search {
    hf_root_space* space;
    uint64_t seed;
    int64_t max_tests;
    int64_t drawn;             /* poses before the trees begin */
    hf_random chances;         /* of steps aside */
    int asides_left;           /* in this growth of a tree */
    bool aside_next;           /* the next extension goes aside, not straight */
    const hf_space_tree* tree; /* its gap attracts draws; NULL outside of a tree search */
    const hf_guide_options* options;
    hf_guide_stop stop; /* why the trees ended */
} hf_root_search;

/* Poses, ways and draws of a search. The search must outlive the space. */
hf_space hf_root_search_space(hf_root_search* search);

/* Fills corners from start to goal when found, else to the pose that came nearest to the goal, and the
   answer's counts and stop. The condition holds at both poses. */
hf_status hf_root_search_trees(hf_root_search* search, const hf_transform* start, const hf_transform* goal,
                               hf_space_rows* corners, hf_guide_path* out);

#endif
