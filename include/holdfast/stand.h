/* Standing: a balanced pose of a creature on the ground at a place. */
#ifndef HOLDFAST_STAND_H
#define HOLDFAST_STAND_H

#include <holdfast/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_stand_result {
    hf_outcome outcome;      /* found or none */
    char why[400];           /* in words, where there is none */
    hf_scenario_state state; /* the pose with its contacts; empty where there is none */
    double height_m;         /* of the root over the ground below it */
    double margin_m;         /* of balance */
} hf_stand_result;
HF_API void hf_stand_result_free(hf_stand_result* result);

/* A model for standing alone, made in a fraction of the time of hf_plan_model_create: plans with it never go
   down on all limbs. */
HF_API hf_status hf_stand_model_create(const hf_creature* creature, const hf_plan_options* options,
                                       hf_plan_model** model, hf_error* error);

/* Stands the creature with its walking limbs on the highest surface at x, y that allows contact, looking
   along yaw (radians about Z; NaN: along X, or where it cannot stand so, along the nearest of the headings an
   eighth of a turn apart in which it can): balanced by options->margin_m, free of collision, and as high as
   the standing posture of the model allows. HF_OK with an outcome when it could be tried at all. */
HF_API hf_status hf_stand(const hf_plan_model* model, const hf_scene* scene, double x, double y, double yaw,
                          const hf_plan_options* options, hf_stand_result* result, hf_error* error);

/* Stands start and goal of a scenario where the file gives them by a place alone ("at"). The error names the
   one for which there is no standing pose, and why. */
HF_API hf_status hf_scenario_stand(hf_scenario* scenario, const hf_plan_model* model,
                                   const hf_plan_options* options, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
