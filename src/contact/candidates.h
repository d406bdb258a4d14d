/* Which samples of a set are near a scene's surfaces.

   One walk down the set's octree carries a list of items: single triangles, and whole objects that have a
   distance grid. At each node the list shrinks to what may be near. Floats decide with a margin; what falls
   inside it is decided in double by geom/triangle.h, so that the answer is that of brute force. */
#ifndef HF_CONTACT_CANDIDATES_H
#define HF_CONTACT_CANDIDATES_H

#include "base/cpu.h"
#include "contact/distance_grid.h"
#include "contact/near_triangle.h"
#include "contact/sample_set.h"
#include "model/scene.h"

typedef struct hf_candidate_query {
    const hf_placement* placement;
    const hf_grids* grids; /* of the placement's scene; NULL: those of hf_scene_prepare */
    bool no_grids;         /* every object triangle by triangle */
    hf_transform base;     /* the limb's root frame in the world */
    double epsilon;        /* m, > 0 */
    const bool* use;       /* of each object; NULL: those with hf_object.contact */
    /* Is a triangle wanted? Its normal in the limb's root frame, and the height of its plane along it. Asked
       once for each triangle near the limb; not for objects with a grid. NULL: all are. */
    bool (*keep)(const void* user, int object, int triangle, hf_vec3 normal, double offset);
    const void* user;
    /* What an earlier search of another set of the limb gathered, with the same base, epsilon and surfaces;
       it must have looked as far as this set reaches. NULL: it is gathered anew. */
    const struct hf_candidates* gathered;
    const hf_samples* const* others; /* further sets that what is gathered is meant for */
    int other_count;
} hf_candidate_query;

/* A surface near some of the eight samples of a block. */
typedef struct hf_candidate_hit {
    uint32_t block;
    uint32_t item; /* index of a near triangle; with HF_CANDIDATE_OBJECT set, an object's index */
    uint8_t lanes; /* a bit for each sample of the block */
} hf_candidate_hit;
#define HF_CANDIDATE_OBJECT 0x80000000u

/* An object with a grid, in the walk: limb's root frame to cells. */
typedef struct hf_near_object {
    const hf_grid* grid;
    int object;
    float turn[9], shift[3]; /* cells = turn point + shift */
    float doubt;             /* m, rounding of all this */
} hf_near_object;

/* A block of samples whose box is near some items. */
typedef struct hf_candidate_leaf {
    uint32_t block;
    uint32_t first, count; /* its items, in hf_candidates.leaf_items */
} hf_candidate_leaf;

/* In the workspace, until the mark that the caller took before is given back. */
typedef struct hf_candidates {
    int leaf_count;
    const hf_candidate_leaf* leaves; /* ascending by block */
    const uint32_t* leaf_items;      /* triangles, then objects with a grid */
    int sample_count;                /* of the leaves that were opened, as the hits */
    int hit_count;
    hf_candidate_hit* hits; /* those of a leaf follow each other; there is room for all */
    int triangle_count;
    hf_near_triangle* triangles; /* in the limb's root frame */
    int object_count;
    hf_near_object* objects; /* with a grid */
} hf_candidates;

/* The blocks of samples that may be near a surface; none is opened yet. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_candidates_gather(const hf_samples* samples, const hf_candidate_query* query,
                               hf_workspace* workspace, hf_candidates* out);
/* Opens one of them: adds the hits of its samples to `found`. Each is opened once at most. */
void hf_candidates_open(const hf_samples* samples, const hf_candidate_query* query, int leaf,
                        hf_candidates* found);

/* The same with all of them opened, in their order. HF_ERROR_MEMORY or HF_OK. Only samples of the set count,
 * never the copies that fill the last block. */
hf_status hf_candidates_find(const hf_samples* samples, const hf_candidate_query* query,
                             hf_workspace* workspace, hf_candidates* out);
/* The same on one build of the kernels, which the machine must be able to run. */
hf_status hf_candidates_find_on(hf_cpu cpu, const hf_samples* samples, const hf_candidate_query* query,
                                hf_workspace* workspace, hf_candidates* out);

/* The surfaces of all objects in use within epsilon of one sample, in the workspace and in no order.
   HF_ERROR_MEMORY or HF_OK. */
hf_status hf_candidate_surfaces(const hf_samples* samples, const hf_candidate_query* query, int sample,
                                hf_workspace* workspace, hf_surface** surfaces, int* count);
/* The surface of one triangle that is nearest to a sample. */
void hf_candidate_surface(const hf_samples* samples, const hf_candidate_query* query, int sample, int object,
                          int triangle, hf_surface* surface);
/* Puts those that are different choices to the front and returns how many: nearest first, each with a normal
   that differs by more than 10 degrees from all before it. */
int hf_surfaces_choose(hf_surface* surfaces, int count);

/* What the kernel works on. */
typedef struct hf_candidate_walk {
    const hf_sample_block* block;
    const hf_near_triangle* triangles;
    uint32_t triangle_count;
    const hf_near_object* objects; /* items from triangle_count on */
    uint32_t item_count;
    float epsilon;
    void* user;
    /* The word of double precision: is the sample within epsilon of the item? */
    bool (*exact)(void* user, uint32_t item, uint32_t sample);
    /* Makes room for a leaf with `items` items; false ends the walk. */
    bool (*more)(void* user, struct hf_candidate_walk* walk, uint32_t items);
    const uint32_t* items; /* all */
    uint32_t* (*lists)[8]; /* of each box of each level; room for all items */
    hf_candidate_leaf* leaves;
    uint32_t leaf_count, leaf_room;
    uint32_t* leaf_items;
    uint32_t leaf_item_count, leaf_item_room;
} hf_candidate_walk;

typedef struct hf_candidate_kernel {
    bool (*walk)(hf_candidate_walk* walk); /* false when `more` was */
    /* Writes the hits of a leaf; returns how many. *near has a bit for each sample that is near an item. */
    int (*open)(const hf_candidate_walk* walk, const hf_candidate_leaf* leaf, hf_candidate_hit* hits,
                unsigned* near);
    /* Squared distance of the centres of a row of eight cells (one apart from x on) from a triangle, at most
       what stands in `least`. */
    void (*row)(const hf_near_triangle* triangle, float x, float y, float z, float step, float least[8]);
} hf_candidate_kernel;
/* NULL where this machine cannot run it. */
const hf_candidate_kernel* hf_candidate_kernel_for(hf_cpu cpu);

#endif
