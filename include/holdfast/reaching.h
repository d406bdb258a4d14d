/* Reaching, grasping and moving objects with the whole body (reaching-2003, method section 10). A list of
   actions becomes a schedule and a motion. */
#ifndef HOLDFAST_REACHING_H
#define HOLDFAST_REACHING_H

#include <holdfast/control.h>
#include <holdfast/guide.h>
#include <holdfast/plan.h>
#include <holdfast/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_reach_options {
    int nodes;            /* of a roadmap, 10..100,000; default 1500 (reaching-2003 section 8) */
    double step_m;        /* length of an edge of the tree, in mean distance of joints; default 0.04 */
    double shortcut_m;    /* longest shortcut between leaves; default 0.16 */
    double regular_share; /* of the drawn postures, the others reach far; default 0.6 */
    double right_share;   /* of the postures that reach far; default 0.66 */
    double rest_cost; /* cost of an edge near the rest posture, where one far from it costs 1; default 0.3 */
    int connections;  /* nodes of the roadmap tried for each end of a way; default 12 */
    int detours;   /* ways by the roadmap tried where a load or a moved object is in the way; default 200 */
    int smoothing; /* rounds of smoothing; default 60 */
    /* price of a posture, beside its distance from the rest posture, which costs 1: what its distance from
       where the body is costs, a crouch for each metre, a trunk that leans aside or turns for each radian, an
       elbow above its shoulder and a hand beyond the middle of the body for each metre */
    double away_cost;   /* m/m, of the distance from where the body is; default 0.3 */
    double crouch_cost; /* m/m; default 1.5 */
    double aside_cost;  /* m/rad; default 0.2 */
    double elbow_cost;  /* m/m; default 0.5 */
    double cross_cost;  /* m/m, of a hand on the other side of the body; default 1 */
    int seeds;       /* nodes of the roadmap that the search for a hand's posture starts from; default 24 */
    int tries;       /* random escapes of that search; default 200 */
    int openings;    /* hand shapes with which a door or a drawer is tried; default 100 */
    int walks;       /* standing places walked to where an action cannot be done from here; default 0 */
    int extensions;  /* of the trees that search where the roadmap does not help; default 4000 */
    double margin_m; /* least static balance margin; default 0.008 */
    double speed_share;        /* of all speed and acceleration limits; default 0.5: a can is taken in 2 s */
    double approach_m;         /* straight way of a hand to and from what it grasps; default 0.08 */
    double upright_rad;        /* most tilt of an object that is kept upright; default 0.15 */
    double eyes_rad;           /* how far eyes turn to what the hands do before the head turns; default 0.3 */
    double rate;               /* frames a second; default 30 */
    uint64_t seed;             /* default 1 */
    int threads;               /* 0: all cores (default); nothing depends on it */
    const hf_roadmap* roadmap; /* of hf_reach_keep, taken where the start stands; borrowed while a reacher
                                  lives; NULL (default): one is made */
    const char* control; /* file of the control layer (docs/formats.md); NULL (default): the one that the
                            creature names, or what is derived */
} hf_reach_options;
HF_API hf_reach_options hf_reach_options_default(void);
HF_API hf_option_table hf_reach_option_table(void); /* all but roadmap and control */

typedef struct hf_reach_action_result {
    hf_outcome outcome;
    char why[240];
    double time_s; /* wall time */
    double work_s; /* processor time of all threads */
} hf_reach_action_result;

typedef struct hf_reach_result {
    hf_outcome outcome; /* found, partial (the motion ends before an action that failed), cancelled */
    int action_count;   /* those that were tried */
    hf_reach_action_result* actions;
    hf_schedule* schedule;
    hf_motion* motion;
    int nodes, shortcuts;          /* of the roadmap */
    double roadmap_s, shortcuts_s; /* wall time of the roadmap's tree, and of its shortcuts */
    int updates;                   /* of the roadmap, after objects moved */
    double update_s;               /* wall time of them all */
    /* processor time of all threads for the same: what a busy machine does not change */
    double roadmap_work_s, shortcuts_work_s, update_work_s;
} hf_reach_result;
HF_API void hf_reach_result_free(hf_reach_result* result);

/* Runs the actions of a scenario of kind reach, whose start stands (hf_scenario_stand). */
HF_API hf_status hf_reach_run(const hf_scenario* scenario, const hf_reach_options* options,
                              hf_progress_fn progress, void* user, hf_reach_result* result, hf_error* error);

/* ---- one request at a time, for a game ---- */

/* What stands somewhere, has a roadmap there and does one action after the other. Not for several threads at
   once. */
typedef struct hf_reacher hf_reacher;

/* Starts where the scenario's start stands; its own actions are not run. The scenario must outlive the
   reacher; options are copied. The first work is the roadmap. */
HF_API hf_status hf_reach_begin(const hf_scenario* scenario, const hf_reach_options* options,
                                hf_reacher** reacher, hf_error* error);
/* Asked from time to time while there is work, by one thread at a time; false ends all work for good. */
HF_API void hf_reach_watch(hf_reacher* reacher, hf_progress_fn progress, void* user);
/* Asks for one more action. HF_ERROR_ARGUMENT while there is work. */
HF_API hf_status hf_reach_request(hf_reacher* reacher, const hf_action* action, hf_error* error);
/* Works for so many seconds, or until nothing is left to do: *done. What comes out does not depend on the
   budgets. An action that failed is done: hf_reach_answer says why, and other actions may follow. An infinite
   budget works in the calling thread; others in a thread that waits between the calls. */
HF_API hf_status hf_reach_continue(hf_reacher* reacher, double budget_s, bool* done, hf_error* error);
/* Of the last action that is done; NULL for none. */
HF_API const hf_reach_action_result* hf_reach_answer(const hf_reacher* reacher);
/* What was done so far: knots to play. NULL while there is work. */
HF_API const hf_schedule* hf_reach_schedule(const hf_reacher* reacher);
/* Realises what was done into a result (NULL: gives it up) and frees the reacher. Ends unfinished work. */
HF_API hf_status hf_reach_end(hf_reacher* reacher, hf_reach_result* result, hf_error* error);

/* Somebody else moved an object: the roadmap learns of it at once, where there is no work, and while the body
   leans on a hand with the next action. HF_ERROR_ARGUMENT for an object that a hand carries, that has keys of
   its own or that the scene does not have, and for a pose that is not finite with a unit quaternion. Actions
   go round the object where it is now; the motion of hf_reach_end has it where the scenario has it. */
HF_API hf_status hf_reach_move(hf_reacher* reacher, int object, hf_transform pose, hf_error* error);

/* The roadmap that was made where the start stands, before the first action and before objects move:
   hf_roadmap_save writes it, and options.roadmap takes it again. With it, a scenario of the same creature,
   control layer, start, scene and options of the roadmap (nodes, step_m, shortcut_m, regular_share,
   right_share, margin_m, seed) gives the same motion without growing it; hf_reach_begin refuses it for others
   (HF_ERROR_ARGUMENT, field "roadmap", with what differs). */
HF_API hf_status hf_reach_keep(hf_reacher* reacher, hf_roadmap** roadmap, hf_error* error);

/* ---- postures and ways where it stands, while there is no work ---- */

/* A way of postures, each of HF_CONTROL_COUNT controls one behind the other. */
typedef struct hf_reach_path {
    int count;
    double* controls;
    double length_m; /* sum of mean distances of joints */
} hf_reach_path;
HF_API void hf_reach_path_free(hf_reach_path* path);

/* Limits, range of motion, balance and collisions of a posture; and of the straight move between two valid
   ones. */
HF_API hf_status hf_reach_test(hf_reacher* reacher, const double controls[HF_CONTROL_COUNT], bool* valid);
HF_API hf_status hf_reach_test_move(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                                    const double to[HF_CONTROL_COUNT], bool* valid);
/* The mean distance of joints between two postures, m. */
HF_API hf_status hf_reach_distance(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                                   const double to[HF_CONTROL_COUNT], double* distance_m);
/* The posture of a number, as roadmaps draw them; it may be invalid. */
HF_API hf_status hf_reach_sample(hf_reacher* reacher, int64_t number, double controls[HF_CONTROL_COUNT],
                                 bool* drawn);
/* Where an arm's first contact frame (its link where it has none) is in a posture, as a target. */
HF_API hf_status hf_reach_hand(hf_reacher* reacher, const double controls[HF_CONTROL_COUNT], hf_side side,
                               hf_target* target);
/* A valid posture at a target of an arm: probabilistic inverse kinematics. */
HF_API hf_status hf_reach_solve(hf_reacher* reacher, const hf_target* target, uint64_t seed,
                                double controls[HF_CONTROL_COUNT], bool* found);
/* A way by the roadmap between two valid postures; and the same way made shorter in so many rounds. */
HF_API hf_status hf_reach_path_find(hf_reacher* reacher, const double from[HF_CONTROL_COUNT],
                                    const double to[HF_CONTROL_COUNT], hf_reach_path* path, bool* found);
HF_API hf_status hf_reach_path_smooth(hf_reacher* reacher, hf_reach_path* path, int rounds);

#ifdef __cplusplus
}
#endif
#endif
