/* The independent validity report: its own kinematics and plain triangle loops. */
#ifndef HOLDFAST_CHECK_H
#define HOLDFAST_CHECK_H

#include <holdfast/scenario.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_check_problem {
    int frame;
    unsigned claim; /* HF_CLAIM_... it breaks */
    char what[200];
} hf_check_problem;

typedef struct hf_check_report {
    hf_outcome outcome; /* HF_FOUND when judged to the end, or HF_CANCELLED */
    bool valid;         /* no violation of a claim */
    unsigned broken;    /* HF_CLAIM_... with a violation, claimed or not */
    unsigned unjudged;  /* HF_CLAIM_... that cannot be judged for want of a scene or creature; a motion that
                           claims one of them is not valid */
    int frames;
    int collisions, self_collisions; /* frames; what lies between two frames counts for the first */
    double worst_depth_m;
    int unjudged_ways; /* from a frame to the next, too far or too thin a body to be judged between them */
    int ignored_triangles; /* of the scene, without area: nothing meets them, and they support nothing */
    int limit_violations, rom_violations, speed_violations;
    double contact_error_max_m, slip_max_m;
    int contact_violations;
    int unbalanced; /* frames in which a shift of the centre of mass by under 5 mm loses balance at rest */
    int undynamic;  /* frames whose contacts have no forces for the inertial wrench, but for 1 % of the weight
                       and 1 cm of moment arm; the first two and the last two are not judged */
    double missing_force_max;    /* the most that is missing in a frame, share of the weight */
    double missing_moment_max_m; /* moment divided by the weight */
    int stances, stance_violations;
    int balance_violations;     /* frames whose stated balance is not the computed one */
    double balance_error_max_m; /* the most that a stated balance is over what is computed; 0 when none is */
    int goal_violations; /* place, orientation, posture and contacts of the scenario's goal that a motion
                            misses which says "found"; such a motion is not valid */
    int problem_count;   /* the first 1000 are kept */
    hf_check_problem* problems;
} hf_check_report;

/* scene may be NULL: then collisions, and contacts where there are any, cannot be judged. creature may be
   NULL: then nothing can. */
HF_API hf_status hf_check_motion(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                                 int threads, hf_progress_fn progress, void* user, hf_check_report* report,
                                 hf_error* error);
/* The same against a scenario (may be NULL): its scene and, where the motion's outcome is "found", its goal.
 */
HF_API hf_status hf_check_scenario(const hf_motion* motion, const hf_creature* creature,
                                   const hf_scenario* scenario, int threads, hf_progress_fn progress,
                                   void* user, hf_check_report* report, hf_error* error);
HF_API void hf_check_report_free(hf_check_report* report);

/* What bears the body in one frame while it moves. */
typedef struct hf_dynamic_frame {
    bool judged;     /* the first two and the last two frames are not: they have no accelerations */
    bool borne;      /* contact forces give the wrench, but for 1 % of the weight and 1 cm of moment arm */
    double margin_m; /* least level moment, divided by the weight, that contacts could not bear too: at rest
                        the shift of the centre of mass that loses balance. Minus what is missing where forces
                        are missing; NaN where not judged */
    double missing_force, missing_moment_m; /* share of the weight; moment divided by the weight */
    double torque_share; /* torque over effort limit of the most loaded joint, with the contact forces that
                            load it least; NaN where not judged or where no joint has a limit */
    int torque_joint;    /* of the creature; -1 for none */
    bool presses; /* limbs press an object without gripping it: what their squeeze takes of the joints is
                     not judged here, the frame counts neither as within effort limits nor as feasible,
                     and torque_share is NaN. hf_check_motion judges it at rest */
} hf_dynamic_frame;

typedef struct hf_dynamic_report {
    hf_outcome outcome; /* HF_FOUND when judged to the end, or HF_CANCELLED */
    int frame_count, judged;
    int borne, strong, feasible; /* frames that contacts bear; within effort limits; both */
    double margin_min_m;
    int margin_frame; /* -1 where no frame is judged */
    double torque_share_max;
    int torque_frame, torque_joint; /* -1 where no joint has an effort limit, or all frames press */
    double duration_s;
    double jerk;              /* mean square over frames and turning joints, rad2/s6 */
    hf_dynamic_frame* frames; /* frame_count */
    int presses;              /* judged frames whose torques are not judged, see hf_dynamic_frame */
} hf_dynamic_report;

/* Judges contact forces and joint torques of a motion, whatever it claims, with the check's own inverse
   dynamics from the motion's own frames. What hands carry counts with its mass, as a uniform box.
   HF_ERROR_FORMAT with the reason for a motion of another creature, of fewer than five frames, or without any
   contact. scene may be NULL: then nothing is carried and contacts have a friction of 0.5. */
HF_API hf_status hf_check_dynamic(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                                  int threads, hf_progress_fn progress, void* user, hf_dynamic_report* report,
                                  hf_error* error);
HF_API void hf_dynamic_report_free(hf_dynamic_report* report);

#ifdef __cplusplus
}
#endif
#endif
