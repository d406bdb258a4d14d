/* One call of the whole-body solver: tasks as rows, speeds as columns, poses with their errors. */
#ifndef HF_SOLVE_BODY_PROBLEM_H
#define HF_SOLVE_BODY_PROBLEM_H

#include "solve/target.h"

/* Levels of priority, highest first; posture is the pull of a step. */
typedef enum hf_body_level {
    HF_BODY_HELD,
    HF_BODY_TARGET,
    HF_BODY_BALANCE,
    HF_BODY_GUIDE,
    HF_BODY_LEVELS
} hf_body_level;

/* A speed that may change. */
typedef struct hf_body_column {
    int speed;           /* index into v */
    int value;           /* the q value it changes alone, -1 for the root and for a floating joint's turns */
    double lower, upper; /* of that value */
    double scale;        /* how willingly it moves */
    int first, last;     /* rows it can change: [first, last) */
} hf_body_column;

typedef struct hf_body_problem {
    const hf_creature* creature;
    const hf_body_solve_options* options;
    int goal_count;
    hf_goal* goals;
    hf_body_level* levels;        /* of each goal */
    int* first_row;               /* of each goal */
    int rows, com_row, guide_row; /* -1 where there is none */
    int column_count;
    hf_body_column* columns;
    double turn_scale; /* metres that count as much as a radian */
    double size;       /* of the creature, metres */
    const double* posture;
    int rom_count;
    int* roms;      /* regions whose joints all may move */
    double* beyond; /* values of a step before it is taken back into the regions */
} hf_body_problem;

/* A pose with its errors. */
typedef struct hf_body_trial {
    hf_pose pose;
    hf_transform* links;
    double* error;       /* rows: metres, then radians times turn_scale */
    hf_vec3* tangent;    /* two for each goal with a normal */
    double* goal_errors; /* two for each goal: metres, radians (chords) */
    double cost[HF_BODY_LEVELS];
    double margin; /* of the balance */
} hf_body_trial;

/* Memory of a step. */
typedef struct hf_body_scratch {
    hf_workspace* workspace;                    /* that all of it is from */
    double* jacobian;                           /* column by column, `rows` numbers each */
    double* dense;                              /* 6 x v_count */
    double *gram, *factor, *inverse, *left, *y; /* rows x rows, rows */
    double *step, *pull, *speeds;
    double* shift; /* what columns held by a region's boundary do to the rows */
    int* free_columns;
} hf_body_scratch;

hf_status hf_body_trial_make(const hf_body_problem* problem, hf_workspace* workspace, hf_body_trial* trial);
hf_status hf_body_scratch_make(const hf_body_problem* problem, hf_workspace* workspace,
                               hf_body_scratch* scratch);
void hf_body_trial_copy(const hf_body_problem* problem, const hf_body_trial* from, hf_body_trial* to);

/* Fills links and errors of trial->pose. */
void hf_body_measure(const hf_body_problem* problem, hf_body_trial* trial);
void hf_body_linearise(const hf_body_problem* problem, const hf_body_trial* trial, hf_body_scratch* scratch);
/* The step for these dampings of the levels; false when the system cannot be factored. */
bool hf_body_step(const hf_body_problem* problem, const hf_body_trial* trial, const double* damping,
                  hf_body_scratch* scratch);
/* next = now moved by the step, inside limits and regions; true when a region's boundary was met: the next
   hf_body_step then slides along it. */
bool hf_body_move(const hf_body_problem* problem, const hf_body_trial* now, hf_body_scratch* scratch,
                  hf_body_trial* next);
/* Puts every value that may change inside limits and regions. */
void hf_body_keep_limits(const hf_body_problem* problem, double* q);

/* Finds the regions to keep; others speak of joints that do not move. */
hf_status hf_body_rom_choose(hf_body_problem* problem, hf_workspace* workspace);
/* Moves q to the nearest point of the regions; false when it was inside. */
bool hf_body_rom_keep(const hf_body_problem* problem, double* q);
bool hf_body_rom_slide(const hf_body_problem* problem, const double* now, double* q,
                       hf_body_scratch* scratch);

#endif
