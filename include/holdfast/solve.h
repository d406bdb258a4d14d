/* Inverse kinematics: one limb, and the whole body. */
#ifndef HOLDFAST_SOLVE_H
#define HOLDFAST_SOLVE_H

#include <holdfast/options.h>
#include <holdfast/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hf_stop {
    HF_STOP_REACHED,      /* within both tolerances */
    HF_STOP_OUT_OF_REACH, /* farther than the limb is long */
    HF_STOP_STALLED,      /* no start makes progress any more */
    HF_STOP_ITERATIONS,   /* the work budget ended */
    HF_STOP_RANGE,        /* reached, but outside a region whose other joints may not move */
    HF_STOP_CANCELLED     /* by who watches the workspace */
} hf_stop;
HF_API const char* hf_stop_text(hf_stop stop);

typedef struct hf_solve_options {
    int max_iterations;    /* for each start, 1..1000; default 60 */
    int max_starts;        /* 1..1000; default 40 */
    double tolerance_m;    /* default 1e-4 */
    double tolerance_rad;  /* default 1e-3 */
    double posture_weight; /* pull towards `posture` in the null space, 0..1; default 0.1 */
    bool use_rom;          /* keep rom regions; default true */
    bool near_start;       /* the first start is near the target: one search from there; default false */
    bool whole;            /* only all of the target counts: no search for what comes near, which seldom finds
                              it all; default false */
    uint64_t seed;         /* of the extra starts; default 1 */
    const double* posture; /* whole-pose joint values; NULL: the rest posture */
} hf_solve_options;
HF_API hf_solve_options hf_solve_options_default(void);
HF_API hf_option_table hf_solve_option_table(void); /* all but posture */

/* What was reached, and why the solver stopped. Errors are measured on the returned pose. */
typedef struct hf_solve_result {
    hf_outcome outcome;
    hf_stop stop;
    double position_error_m; /* worst over the targets */
    double angle_error_rad;
    int worst_target;
    int iterations, starts;
} hf_solve_result;

/* Moves one limb's joints in q (whole pose; in: first start, out: best found inside limits, regions and what
   mimic joints allow). `base` is the world pose of the limb's base link. The position comes first: an angle
   that cannot be had is approached as far as the position leaves room (outcome HF_PARTIAL), and a point that
   cannot be reached is approached as near as the limb comes. HF_ERROR_ARGUMENT for numbers that are not
   finite, directions of no length, indices and options out of range; q is then left alone. */
HF_API hf_status hf_limb_solve(const hf_creature* creature, const hf_transform* base, const hf_target* target,
                               const hf_solve_options* options, hf_workspace* workspace, double* q,
                               hf_solve_result* result);

/* A wish of the whole-body solver about the centre of mass; joins with the balance code. Called with
   the present centre of mass; fills the shift wanted and returns the margin in metres. */
typedef double (*hf_balance_fn)(void* user, hf_vec3 com, hf_vec3* shift);

typedef struct hf_body_solve_options {
    hf_solve_options solve;
    bool move_root;            /* default true */
    bool move_trunk;           /* joints of no limb may move; default true */
    bool move_free;            /* joints that no target depends on may move for the balance; default true */
    const hf_transform* guide; /* wished root pose, NULL for none */
    double guide_weight;       /* default 0.1 */
    hf_balance_fn balance;     /* NULL for none */
    void* balance_user;
} hf_body_solve_options;
HF_API hf_body_solve_options hf_body_solve_options_default(void);
HF_API hf_option_table hf_body_solve_option_table(void); /* its own fields; `solve` has the other table */

/* Moves root, trunk and limbs together. Priorities: held targets, other targets, balance, guide, posture.
   Joints that no target depends on stay where they are unless there is a balance wish. errors may be NULL or
   hold 2 numbers a target: metres, radians. HF_PARTIAL: some targets are met. Refuses what hf_limb_solve
   refuses, and more than HF_MAX_TARGETS targets (HF_ERROR_LIMIT). */
HF_API hf_status hf_body_solve(const hf_creature* creature, const hf_target* targets, int count,
                               const hf_body_solve_options* options, hf_workspace* workspace, hf_pose* pose,
                               double* errors, hf_solve_result* result);

#ifdef __cplusplus
}
#endif
#endif
