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

/* Grids of a scene's objects, immutable and shared by threads; an object that is better off without has
   values NULL. */
typedef struct hf_grids {
    const hf_scene* scene;
    int count;
    hf_grid* grids;
} hf_grids;

/* For queries with distances from epsilon / 2 to epsilon. `least_triangles`: objects with fewer get none. */
hf_status hf_grids_build(const hf_scene* scene, double epsilon, int least_triangles, int threads,
                         hf_grids** grids, hf_error* error);
void hf_grids_free(hf_grids* grids);
/* Objects with fewer triangles than this are walked faster than looked up. */
enum { HF_GRID_TRIANGLES = 1000 };

static inline const hf_grid* hf_grid_for(const hf_grids* grids, int object, double epsilon) {
    if (!grids || !grids->grids[object].values) return NULL;
    const hf_grid* g = &grids->grids[object];
    return epsilon <= g->epsilon && epsilon >= 0.5 * g->epsilon ? g : NULL;
}

#endif
