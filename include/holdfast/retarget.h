/* Captured motion on another body: a clip becomes a schedule of a creature. */
#ifndef HOLDFAST_RETARGET_H
#define HOLDFAST_RETARGET_H

#include <holdfast/scenario.h>
#include <holdfast/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a contact phase of the clip. */
typedef enum hf_retarget_fate {
    HF_RETARGET_KEPT,    /* held where the clip touches, for the same time */
    HF_RETARGET_BENT,    /* held there, for less of the time */
    HF_RETARGET_MOVED,   /* held elsewhere on the surface, by moved_m */
    HF_RETARGET_DROPPED, /* another contact of the same limb holds meanwhile */
    HF_RETARGET_FAILED   /* the limb does not hold it: out of reach, beyond an edge, or a body in the way */
} hf_retarget_fate;
HF_API const char* hf_retarget_fate_text(hf_retarget_fate fate);

/* The time during which an effector of the clip touches one object. */
typedef struct hf_phase {
    int limb;              /* of the creature */
    int frame;             /* contact frame of the limb */
    int object;            /* of the scene */
    hf_vec3 point, normal; /* of the hold, in the world where the object starts */
    int first, last;       /* frames of the clip */
    double from_s, to_s;
    hf_retarget_fate fate;
    double moved_m;    /* from where the clip touches to where the hold is */
    double held_share; /* of the phase's frames that are held, 0..1 */
    char why[120];     /* in words, where the phase is not kept */
} hf_phase;

/* A list of phases that owns its memory; zero it first. */
typedef struct hf_phases {
    int count, capacity;
    hf_phase* items;
} hf_phases;
HF_API void hf_phases_free(hf_phases* phases);

typedef struct hf_retarget_options {
    double contact_m; /* how far an effector may be from where it usually touches, 0.001..0.1; default 0.01;
                         more where the capture's own noise is larger */
    double contact_speed; /* m/s that a touching effector may have, 0.005..1; default 0.06; it keeps touching
                             up to twice that and twice contact_m. The default grows with the noise
                             of the capture, any other speed is kept */
    double shortest_s;    /* shorter phases and gaps are none, 0..2; default 0.1 */
    double clearance_m;   /* by which bodies stay clear of the scene and each other, 0..0.1; default 0.004 */
    int rounds;           /* of solving again where frames are not valid, at most, 0..50; default 5 */
    int iterations;       /* of the solver in each frame, 1..50; default 6 */
    bool scale_scene; /* the clip's path is scaled with the creature's legs: the scene given is scaled, too;
                         default false */
} hf_retarget_options;
HF_API hf_retarget_options hf_retarget_options_default(void);
HF_API hf_option_table hf_retarget_option_table(void);

/* Which joint of the clip leads which link, as guessed and overridden, one "JOINT -> LINK" a row. */
typedef struct hf_mapping {
    int count, capacity;
    hf_joint_link* items;
} hf_mapping;
HF_API void hf_mapping_free(hf_mapping* mapping);

typedef struct hf_retarget_result {
    double scale; /* the creature's legs over the clip's */
    hf_mapping mapping;
    hf_phases phases; /* by time */
    bool edited; /* by hf_retarget_edited: the schedule is for the edited scene; false: for the other one */
    bool cancelled; /* by who watches the workspace: the schedule has the frames made so far */
} hf_retarget_result;
HF_API void hf_retarget_result_free(hf_retarget_result* result);

/* How much larger the creature's legs (arms where it has none) are than the clip's. */
HF_API hf_status hf_retarget_scale(const hf_clip* clip, const hf_creature* creature,
                                   const hf_joint_link* mapping, int mapping_count, double* scale,
                                   hf_error* error);

/* A clip as a schedule of any creature: knots at every frame of the clip, holds for its contact phases. The
   scene is as the clip saw it, or scaled by hf_retarget_scale with scale_scene. mapping overrides what is
   guessed from names, tree shape and rest posture. HF_ERROR_ARGUMENT where the clip has no limb of the
   creature or fewer than two frames. result: zero it first. */
HF_API hf_status hf_retarget(const hf_clip* clip, const hf_creature* creature, const hf_scene* scene,
                             const hf_joint_link* mapping, int mapping_count,
                             const hf_retarget_options* options, hf_workspace* workspace,
                             hf_schedule** schedule, hf_retarget_result* result, hf_error* error);

/* The same straight into an edited scene, which has the objects of `scene` under the same indices
   (hf_scene_change): contact phases are found in the scene as the clip saw it and go with their surfaces, the
   clip's path bends along with them. The schedule is for `scene` all the same, and result->edited false,
   where the clip is a motion of the creature already, or edits take the surface of a phase away:
   hf_adapt_editor leaves alone what can stay, and finds other places. */
HF_API hf_status hf_retarget_edited(const hf_clip* clip, const hf_creature* creature, const hf_scene* scene,
                                    const hf_scene* edited, const hf_joint_link* mapping, int mapping_count,
                                    const hf_retarget_options* options, hf_workspace* workspace,
                                    hf_schedule** schedule, hf_retarget_result* result, hf_error* error);

/* ---- a scene for a clip that has none ---- */

typedef struct hf_fitted_box {
    char name[32];
    hf_vec3 low, high; /* corners, before the box is turned about Z and the world's origin */
    double heading;    /* rad */
} hf_fitted_box;
/* Zero it first. */
typedef struct hf_fitted_scene {
    int count, capacity;
    hf_fitted_box* boxes; /* floor, step_1 ..., seat_1 ... */
} hf_fitted_scene;
HF_API void hf_fitted_scene_free(hf_fitted_scene* scene);
/* Boxes under the places where feet and hips of a clip rest: the lowest level is a floor, higher ones are
   steps, hips that rest low sit on seats. The creature tells how deep ankles and hips lie in a body. */
HF_API hf_status hf_scene_fit(const hf_clip* clip, const hf_creature* creature, const hf_joint_link* mapping,
                              int mapping_count, const hf_retarget_options* options, hf_fitted_scene* scene,
                              hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
