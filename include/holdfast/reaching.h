/* Reaching, grasping and moving objects with the whole body (reaching-2003, method section 10). A list of
   actions becomes a schedule and a motion. */
#ifndef HOLDFAST_REACHING_H
#define HOLDFAST_REACHING_H

#include <holdfast/control.h>
#include <holdfast/plan.h>

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
    int smoothing;    /* rounds of smoothing; default 120 */
    int seeds;        /* nodes of the roadmap that the search for a hand's posture starts from; default 24 */
    int tries;        /* random escapes of that search; default 200 */
    int extensions;   /* of the trees that search where the roadmap does not help; default 4000 */
    double margin_m;  /* least static balance margin; default 0.008 */
    double speed_share; /* of all speed and acceleration limits; default 0.3: reaching is no race */
    double approach_m;  /* straight way of a hand to and from what it grasps; default 0.08 */
    double upright_rad; /* most tilt of an object that is kept upright; default 0.15 */
    double rate;        /* frames a second; default 30 */
    uint64_t seed;      /* default 1 */
    int threads;        /* 0: all cores (default); nothing depends on it */
} hf_reach_options;
HF_API hf_reach_options hf_reach_options_default(void);
HF_API hf_option_table hf_reach_option_table(void);

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

#ifdef __cplusplus
}
#endif
#endif
