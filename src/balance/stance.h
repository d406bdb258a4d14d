/* The inside of a stance: contact forces as columns of one matrix, and what follows from it. Forces are in
   body weights and lengths in metres from `reference`, so that all numbers are near 1. */
#ifndef HF_BALANCE_STANCE_H
#define HF_BALANCE_STANCE_H

#include "balance/force_program.h"
#include <holdfast/balance.h>

enum {
    HF_REGION_CORNERS = 256,
    HF_REGION_FAR_M = 20 /* a region without end is cut to a square of twice this */
};

/* Of an object's friction, what plans count on (hf_support_plan). A cone with four edges of this share lies
   inside a cone with eight edges of the whole friction, however the two are turned: hf_cos(pi / 8) = 0.924.
 */
static const double HF_FRICTION_SHARE = 0.92;

/* How a limb pushes against the movable object of its hold (in the world), whose normal is out of the object:
   a support of the object, its normal into it, with the friction that plans count on. */
void hf_support_press(const hf_creature* creature, const hf_placement* placement, const hf_hold* hold,
                      hf_transform link, hf_support* support);

/* Where the middle of what is pressed counts as being: of two points that hold it within 3 mm of the upright
   plane through them, in that plane, because it hangs between them. */
hf_vec3 hf_support_hanging(const hf_support* supports, int count, hf_vec3 com);

/* A convex region of the horizontal plane, from `reference`. */
typedef struct hf_support_region {
    int count;                                         /* 0: empty, 1: a point, 2: a line */
    double x[HF_REGION_CORNERS], y[HF_REGION_CORNERS]; /* counter-clockwise */
    /* Of three corners or more: outward unit normals and offsets of the sides, and 1 / the largest part of
       the normal along one of the eight directions. */
    double nx[HF_REGION_CORNERS], ny[HF_REGION_CORNERS], offset[HF_REGION_CORNERS], scale[HF_REGION_CORNERS];
} hf_support_region;

/* Halfspaces a . w <= b of the wrenches that the contacts can give, and equations a . w = b of a flat set. */
typedef struct hf_wrench_polytope {
    bool known;   /* false: not asked for, or too many */
    bool certain; /* false: numbers too near to each other left doubts; what is inside may still be outside */
    int facet_count, equation_count, capacity;
    double*
        facets; /* seven rows of `capacity` numbers: a, then b; unit a; the equations in both directions */
} hf_wrench_polytope;

struct hf_stance {
    double weight; /* N */
    hf_vec3 reference;
    int support_count;
    hf_support supports[HF_STANCE_SUPPORTS];
    int cone_edges;
    /* Columns in order of supports and corners: of a cone its edges for a normal force of 1, of a grip its
       four diagonals, each between 0 and upper: `rest` is added, so that the middle is no force. */
    int columns;                                               /* multiple of HF_FORCE_LANES */
    int used;                                                  /* of them */
    _Alignas(64) double rows[HF_FORCE_ROWS][HF_FORCE_COLUMNS]; /* force, then moment about reference */
    double upper[HF_FORCE_COLUMNS]; /* behind all columns follow those of x and y */
    double rest[HF_FORCE_ROWS];
    hf_support_region region;
    hf_wrench_polytope polytope;
};

/* The region where the contacts hold the body at rest. */
void hf_support_region_find(const hf_stance* stance, hf_force_program* program, hf_support_region* region);
/* Least slack over the sides, in the eight directions; minus the distance outside. */
double hf_support_region_margin(const hf_support_region* region, double x, double y);
/* The point nearest to (x, y) with at least this margin, or with as large a one as there is. */
void hf_support_region_nearest(const hf_support_region* region, double margin, double x, double y,
                               double out[2]);

#endif
