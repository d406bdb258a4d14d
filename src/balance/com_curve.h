/* Ways of the centre of mass over contacts that change: the linear inverted pendulum as a small quadratic
   program. Seen from above, a body whose centre of mass is at c, at height h over its contacts, and
   accelerates by a presses on the ground at c - h / g a. */
#ifndef HF_BALANCE_COM_CURVE_H
#define HF_BALANCE_COM_CURVE_H

#include <holdfast/balance.h>

enum { HF_PRESSURE_CORNERS = 48 };

/* Where the body may press on the ground: a convex polygon seen from above, counter-clockwise. */
typedef struct hf_pressure_region {
    int count;
    double corners[HF_PRESSURE_CORNERS][2];
} hf_pressure_region;

/* Where the contacts of a stance hold the body at rest, with the edges `margin_m` further in, or as far in as
   leaves something of it. False where the stance holds nowhere. */
bool hf_pressure_region_find(const hf_stance* stance, double margin_m, hf_pressure_region* region);

/* Leaves of a region what another stance holds, too. False, and nothing changes, where that is nothing. */
bool hf_pressure_region_within(const hf_stance* stance, hf_pressure_region* region);

/* The region drawn together to the middle of its corners by this share of the way. */
void hf_pressure_region_inward(const hf_pressure_region* region, double share, hf_pressure_region* inner);

/* From rest to rest in `steps` steps of equal time. */
typedef struct hf_com_curve {
    int steps;
    double step_s;
    const double*
        height_m;     /* of each knot: the pendulum's, that is of the centre of mass over the contacts */
    hf_vec3 from, to; /* places of the centre of mass; z is not used */
    const hf_pressure_region* const* region; /* of the steps + 1 knots */
    const double (*offset)[2]; /* of each knot: by how far the body presses elsewhere than the pendulum */
    const double (*wish)[2];   /* of each knot: where the centre of mass should be about */
    double wish_weight;        /* how much that counts, 1 for a walk on two feet */
} hf_com_curve;

/* The places of the centre of mass at the steps + 1 knots, near to their wishes and with accelerations
   that change little from knot to knot; accelerations are second differences of the places, as a check takes
   them. *outside_m is how far the pressure point leaves its region at most. HF_ERROR_MEMORY when memory is
   out. */
hf_status hf_com_curve_find(const hf_com_curve* curve, hf_workspace* workspace, double (*places)[2],
                            double* outside_m);

#endif
