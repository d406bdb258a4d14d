/* A small linear program over contact forces: A x = b with 0 <= x <= upper. */
#ifndef HF_BALANCE_FORCE_PROGRAM_H
#define HF_BALANCE_FORCE_PROGRAM_H

#include <stdbool.h>

enum {
    HF_FORCE_ROWS = 6,       /* of a wrench */
    HF_FORCE_MOST_ROWS = 64, /* of a program: a wrench and the torques of joints */
    HF_FORCE_COLUMNS = 520
};

typedef enum hf_force_end {
    HF_FORCE_BEST,      /* feasible, and the cost is at its largest */
    HF_FORCE_UNBOUNDED, /* feasible, and the cost grows without end */
    HF_FORCE_INFEASIBLE,
    HF_FORCE_STUCK /* the pivots ended first */
} hf_force_end;

/* Columns come in multiples of HF_FORCE_LANES; those that fill up are 0 with an upper bound of 0. */
enum { HF_FORCE_LANES = 8 };
typedef struct hf_force_program {
    int rows, columns;
    const double* a[HF_FORCE_MOST_ROWS]; /* one array for each row */
    const double* upper;                 /* of each column; infinite for none */
    double b[HF_FORCE_MOST_ROWS];
    _Alignas(64) double cost[HF_FORCE_COLUMNS]; /* to be made largest */
    /* The state: a basis (columns + r is the helper of row r), its inverse and its values. */
    int basis[HF_FORCE_MOST_ROWS];
    double inverse[HF_FORCE_MOST_ROWS][HF_FORCE_MOST_ROWS];
    double x[HF_FORCE_MOST_ROWS];
    double helper_sign[HF_FORCE_MOST_ROWS];
    _Alignas(64) double side[HF_FORCE_COLUMNS]; /* 1: at 0, -1: at its upper bound, 0: in the basis */
    int pivots;                                 /* so far; the inverse is made anew now and then */
} hf_force_program;

/* Finds forces that meet A x = b within `tolerance` (sum of absolute errors); HF_FORCE_BEST when there are.
 */
hf_force_end hf_force_start(hf_force_program* program, double tolerance);
/* From a program that is feasible, makes cost . x largest. */
hf_force_end hf_force_maximise(hf_force_program* program);
/* Value of a column. */
double hf_force_value(const hf_force_program* program, int column);

#endif
