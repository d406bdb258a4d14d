/* What the terms of a pose path are made of: residuals, each with how it changes with the poses. */
#ifndef HF_REFINE_POSE_COST_H
#define HF_REFINE_POSE_COST_H

#include "base/band.h"
#include "refine/pose_path.h"

/* Samples that one residual knows of at most. */
enum { HF_COST_SPAN = 4 };

/* Where residuals go: the cost, the gradient, and the normal matrix where it is asked for. */
typedef struct hf_cost_sink {
    double cost;
    double size;      /* of the term that is added: the root of its weight */
    double* gradient; /* NULL: none */
    hf_band* normal;  /* NULL: none */
    int* columns;     /* scratch: where a row is not zero, and what it is there */
    double* values;
} hf_cost_sink;

typedef struct hf_costing {
    const hf_pose_path* t;
    hf_workspace* workspace;
    int n;      /* v_count */
    int moving; /* speeds that the optimiser changes, and the place of each of them; -1: it stays */
    int* place;
    hf_transform* links;
    double* jacobian; /* 6 rows */
    double* row;      /* HF_COST_SPAN blocks of v_count */
    double* speeds;   /* count - 1 rows: differences of neighbours over the step */
} hf_costing;

hf_pose hf_cost_pose(const hf_pose_path* path, int sample);
/* Adds residual r whose derivatives are the row, which begins with the block of sample `first`. */
void hf_cost_add(const hf_costing* c, hf_cost_sink* s, double r, int first, const double* row, int blocks);
/* The hold of a limb in a sample, -1: none. */
int hf_cost_hold(const hf_pose_path* path, int sample, int limb);

/* The root of the contact variable of a hold: the size of its residuals. */
double hf_cost_contact_size(const hf_pose_path* path, int hold);
/* Gives the contact variables the values with which contacts cost least as the poses are. */
void hf_cost_settle_contacts(const hf_costing* c);

/* The terms of contacts, posture and forces (pose_terms.c), of distances (pose_clearance.c) and of effort
   (pose_effort.c). */
hf_status hf_cost_jerk(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_contacts(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_limits(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_wrenches(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_momenta(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_posture(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_comfort(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_clearance(const hf_costing* c, hf_cost_sink* s);
hf_status hf_cost_effort(const hf_costing* c, hf_cost_sink* s);

#endif
