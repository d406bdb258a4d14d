/* Distance grids: for an object of many small triangles, how far each cell's centre is from its surface.
   Distance changes no faster than the point moves, so that a few cells bound it at any point. */
#ifndef HF_CONTACT_DISTANCE_GRID_H
#define HF_CONTACT_DISTANCE_GRID_H

#include "model/scene.h"

enum { HF_BRICK = 8, HF_BRICK_CELLS = 512, HF_GRID_FAR = 255 };

/* One object's grid, in its own frame. Coarse cells are bricks of 8 x 8 x 8 fine ones; only bricks near the
   surface are kept. Lengths are in metres. */
typedef struct hf_grid {
    double epsilon; /* the largest distance it can be asked about */
    double cell;    /* size of a fine cell */
    hf_vec3 low;    /* corner */
    int size[3];    /* in bricks */
    float step;     /* a fine value v means a distance from v * step to (v + 1.5) * step */
    float* far;     /* of each brick: distance of its centre, rounded down */
    int* brick;     /* its fine values, or -1: none of its points is within epsilon */
    int brick_count;
    uint8_t (
        *values)[HF_BRICK_CELLS]; /* x fastest; HF_GRID_FAR: beyond epsilon for every point of the cell */
} hf_grid;

/* Grids of a scene's objects for one epsilon, immutable and shared by threads; an object that is better off
   without has values NULL. */
typedef struct hf_grids {
    int count;
    hf_grid* grids;
    double epsilon;
    struct hf_grids* next; /* for another epsilon; hf_scene.attached is the first */
} hf_grids;

/* For queries with distances from epsilon / 2 to epsilon. Objects of few or large triangles get none unless
   `every` is set: walking their triangles is faster. */
hf_status hf_grids_build(const hf_scene* scene, double epsilon, bool every, int threads, hf_grids** grids,
                         hf_error* error);
void hf_grids_free(hf_grids* grids);
/* Can they answer for this distance? */
static inline bool hf_grids_suit(const hf_grids* grids, double epsilon) {
    return epsilon <= grids->epsilon && epsilon >= 0.5 * grids->epsilon;
}
/* The grid to ask, of a list of grids, or NULL. */
static inline const hf_grid* hf_grid_for(const hf_grids* grids, int object, double epsilon) {
    for (; grids; grids = grids->next)
        if (hf_grids_suit(grids, epsilon)) return grids->grids[object].values ? &grids->grids[object] : NULL;
    return NULL;
}

#endif
