/* The limb solver from inside: what is asked, postures with their errors, one damped step, and a solver that
   is made once for many calls. */
#ifndef HF_SOLVE_LIMB_PROBLEM_H
#define HF_SOLVE_LIMB_PROBLEM_H

#include "model/rom.h"
#include "solve/limb_chain.h"
#include "solve/target.h"

enum { HF_LIMB_ROWS = 6 };

/* All in the base link's frame. */
typedef struct hf_limb_problem {
    const hf_creature* creature;
    const hf_limb_chain* chain;
    int rows;           /* 3: position, 5: and normal, 6: and orientation */
    hf_vec3 point;      /* wanted for the touching point */
    hf_vec3 normal;     /* wanted for the contact's own normal */
    hf_vec3 own_normal; /* that normal in its link */
    double rotation[9]; /* wanted for the touching link */
    double turn_scale;  /* metres that count as much as a radian */
    double tolerance_m, tolerance_rad;
    double posture_weight;
    const double* posture; /* wanted values in the chain's order */
    int rom_count;
    const int* roms;       /* regions that speak of this limb's joints alone */
    hf_rom_memory* likely; /* of each */
    double *pose_q, *kept; /* a whole pose for the region functions, chain values */
} hf_limb_problem;

/* A posture with its errors. */
typedef struct hf_limb_trial {
    hf_chain_state at;
    double error[HF_LIMB_ROWS]; /* metres, then radians times turn_scale */
    hf_vec3 tangent[2];         /* directions of the two rows of a normal */
    double position2, angle2;   /* squared errors in metres and radians */
    double cost;                /* position2 + turn_scale^2 angle2 */
} hf_limb_trial;

/* Memory of a step. */
typedef struct hf_limb_scratch {
    double* jacobian; /* HF_CHAIN_STRIDE rows a column */
    double *step, *pull;
    double shift[HF_LIMB_ROWS]; /* what columns held by a region's boundary do to the rows */
    int* free_columns;
} hf_limb_scratch;

hf_status hf_limb_trial_make(const hf_limb_problem* problem, hf_workspace* workspace, hf_limb_trial* trial);
hf_status hf_limb_scratch_make(const hf_limb_problem* problem, hf_workspace* workspace,
                               hf_limb_scratch* scratch);
void hf_limb_trial_copy(const hf_limb_problem* problem, const hf_limb_trial* from, hf_limb_trial* to);

/* Fills the errors of trial->at.x. */
void hf_limb_measure(const hf_limb_problem* problem, hf_limb_trial* trial);
bool hf_limb_reached(const hf_limb_problem* problem, const hf_limb_trial* trial);
/* Is a better than b: position first (what differs by less than the tolerance is alike), then angle. */
bool hf_limb_better(const hf_limb_problem* problem, const hf_limb_trial* a, const hf_limb_trial* b);

/* Jacobian in the task's rows, and the posture's pull or none. Once per posture. */
void hf_limb_linearise(const hf_limb_problem* problem, const hf_limb_trial* trial, bool pulled,
                       hf_limb_scratch* scratch);
/* The step for these dampings; false when the system cannot be factored. */
bool hf_limb_step(const hf_limb_problem* problem, const hf_limb_trial* trial, double damp_position,
                  double damp_angle, hf_limb_scratch* scratch);

/* A limb's chain, regions and memory, for any number of calls while the rest of the body stays as it was in
   the pose it was made with. It must not be copied. */
typedef struct hf_limb_solver {
    hf_limb_chain chain;
    hf_limb_problem problem;
    hf_limb_trial now, next, best, first;
    hf_limb_scratch scratch;
    double* wanted; /* the posture's values in the chain's order */
    int limb;
    bool use_rom;
    bool hesitant; /* runs with near_start mostly end at their first slow step; false when it is made */
    /* of the present call */
    const hf_solve_options* options;
    hf_solve_result* result;
    bool budget_ended; /* the best posture's descent used up its iterations */
} hf_limb_solver;

/* `bends` as in hf_limb_chain_build. All memory is the workspace's. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_limb_solver_make(const hf_creature* creature, int limb, int contact, bool bends, const double* q,
                              bool use_rom, hf_workspace* workspace, hf_limb_solver* solver);
/* hf_limb_solve with a goal that hf_goal_make filled and options that are in range; options->use_rom does not
   count. With near_start, what the first descent does not reach is left as it is: hf_limb_solver_place goes
   on. HF_ERROR_ARGUMENT when a joint value is not finite. */
hf_status hf_limb_solver_run(hf_limb_solver* solver, const hf_transform* base, const hf_goal* goal,
                             const hf_solve_options* options, double* q, hf_solve_result* result);
/* After a run with near_start, which ends at its first slow step: on with it; true when it reaches all.
   Writes to the same result. */
bool hf_limb_solver_go_on(hf_limb_solver* solver, double* q);
/* After a run with near_start that did not reach all: the position alone, whatever becomes of the angle;
   false when it cannot be had. Writes to the same result. */
bool hf_limb_solver_place(hf_limb_solver* solver, double* q);
/* After that: the angle as far as the position leaves room. Writes to the same result. */
void hf_limb_solver_settle(hf_limb_solver* solver, double* q);

/* Finds the regions to keep; others than these speak of joints beyond the limb. */
hf_status hf_limb_rom_choose(hf_limb_problem* problem, const double* q, hf_workspace* workspace);
/* Moves x to the nearest point of the regions; false when it was inside. */
bool hf_limb_rom_keep(const hf_limb_problem* problem, double* x);
/* The same for a step's result; where it was outside, the next hf_limb_step slides along the boundary. */
bool hf_limb_rom_slide(const hf_limb_problem* problem, const double* now, double* x,
                       hf_limb_scratch* scratch);

#endif
