/* When the holds of a schedule begin and end if its swings follow each other closely. */
#ifndef HF_REFINE_LAYOUT_H
#define HF_REFINE_LAYOUT_H

#include "refine/ways.h"

/* The body is at a key pose at a time. */
typedef struct hf_body_knot {
    double time_s;
    int key;
} hf_body_knot;

typedef struct hf_layout {
    double* begin_s; /* new times at which the phases begin, phase count + 1: a release may come before the
                        landing that it followed as given */
    double end_s;    /* the last of them */
    int knot_count;  /* of the body */
    hf_body_knot* knots;
} hf_layout;

/* Times for all phases; the memory is the workspace's. */
hf_status hf_layout_make(const hf_ways* ways, hf_workspace* workspace, hf_layout* layout);
/* The new time of a given one at which a hold begins or ends. */
double hf_layout_time(const hf_layout* layout, const hf_parts* phases, double given_s);
/* Is the phase the time between a landing and the next release, of another limb? */
bool hf_layout_is_gap(const hf_ways* ways, int phase);
/* The given time at a share of a phase that is as given: at rest at both ends. */
double hf_layout_given_time(const hf_part* phase, double took_s, double share);

#endif
