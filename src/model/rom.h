/* What a range-of-motion region needs beside its planes: its outer boundary, made once per creature. */
#ifndef HF_MODEL_ROM_H
#define HF_MODEL_ROM_H

#include "model/creature.h"
#include "model/creature_draft.h"

/* Files beyond these are refused with HF_ERROR_LIMIT. */
enum { HF_MAX_ROM_PIECES = 512, HF_MAX_ROM_PLANES = 128, HF_MAX_SWING_CORNERS = 256 };

/* A node of the tree over the boundary's triangles: its box, and its triangles or its second child (the first
   stands right behind it). */
typedef struct hf_rom_node {
    double lower[3], upper[3];
    int first, count; /* triangles of a leaf; count 0: not a leaf */
    int second;
} hf_rom_node;

struct hf_rom_boundary {
    double lower[HF_MAX_ROM_JOINTS], upper[HF_MAX_ROM_JOINTS]; /* box around region and joint limits */
    double centre[HF_MAX_ROM_JOINTS];                          /* the deepest point found */
    int triangle_count;      /* outer facets; groups of one or two joints stand in the plane z = 0 */
    const double* triangles; /* nine numbers each */
    int node_count;
    const hf_rom_node* nodes;
};
typedef struct hf_rom_boundary hf_rom_boundary;

/* Fills boundary and max_residual of view.roms[rom]; called at the end of building, when joints, links and
   all else of the region are in place. Refuses regions that are empty or too complicated. */
hf_status hf_rom_prepare(hf_creature* creature, int rom, hf_error* error);

/* The outer facets of a union of pieces in up to three dimensions (src/model/rom_boundary.c). */
hf_status hf_rom_find_boundary(hf_arena* arena, const hf_rom* rom, hf_rom_boundary* boundary,
                               hf_error* error);
/* The deepest point of the union, by branch and bound over its box; returns its distance to the boundary. */
double hf_rom_find_centre(const hf_rom* rom, hf_rom_boundary* boundary);

/* The tree over boundary->triangles, which it sorts (src/model/rom_distance.c). False when memory is out. */
bool hf_rom_build_tree(hf_arena* arena, hf_rom_boundary* boundary);
/* Nearest point of the boundary triangles to p; returns the distance, infinite when there is none. */
double hf_rom_nearest(const hf_rom_boundary* boundary, const double p[3], double nearest[3]);
/* The same, sooner where triangle *likely is the nearest (-1: nothing is known); the nearest is written
 * there.
 */
double hf_rom_nearest_likely(const hf_rom_boundary* boundary, const double p[3], int* likely,
                             double nearest[3]);
/* What a region was asked last: likely so again. */
typedef struct hf_rom_memory {
    int triangle; /* of the boundary, the nearest; -1: nothing is known */
    int piece;    /* that held the values */
} hf_rom_memory;
/* Moves the values to the nearest point of the region where they are outside by more than the tolerance;
   false when they are not. */
bool hf_rom_keep(const hf_creature* creature, int rom, double tolerance, hf_rom_memory* memory, double* q);
/* In one of the pieces, each plane moved out by tolerance. */
bool hf_rom_in_pieces(const hf_rom* rom, const double* values, double tolerance);
/* The same; piece *likely is looked at first, and the one that held them is written there. */
bool hf_rom_in_pieces_likely(const hf_rom* rom, const double* values, double tolerance, int* likely);

/* A convex piece of a learned region: rows of unit normal and b, with normal . q <= b inside. */
enum { HF_LEARNED_PLANES = 28 };
typedef struct hf_learned_piece {
    int plane_count;
    double planes[HF_LEARNED_PLANES][4];
} hf_learned_piece;

typedef struct hf_rom_learned {
    int count;
    hf_learned_piece* pieces;
} hf_rom_learned;

/* The pieces of a region that is learned from `count` angle triples (src/model/rom_learn.c); what
   hf_rom_learn writes to a file. Free with hf_rom_learned_free. After a failure there are none. */
hf_status hf_rom_learn_pieces(const double* angles, int count, double alpha, hf_rom_learned* region,
                              hf_error* error);
void hf_rom_learned_free(hf_rom_learned* region);

#endif
