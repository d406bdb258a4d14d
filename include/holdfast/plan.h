/* Contact plans: from a start to a goal of the body, a guide for the root and then a sequence of balanced
   stances with swings between them (thesis-2015 chapter 7, made sound as method section 7 says). What comes
   back as found is a whole motion that holds; a failure says where and why, with the motion up to there. */
#ifndef HOLDFAST_PLAN_H
#define HOLDFAST_PLAN_H

#include <holdfast/guide.h>
#include <holdfast/schedule.h>
#include <holdfast/options.h>
#include <holdfast/samples.h>
#include <holdfast/scenario.h>
#include <holdfast/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_plan_options {
    int samples;        /* of each limb's sample set, 100..1,000,000; default 10,000 */
    uint64_t seed;      /* default 1 */
    int threads;        /* 0: all cores (default); the plan does not depend on it */
    double rate;        /* frames a second, 10..240; default 30 */
    double trunk_scale; /* 1..1.5; 0 (default): the creature's own */
    double margin_m; /* least static balance margin of every frame but those of walks, by the planner's cones;
                        default 0.006 */
    int horizon;     /* w: guide poses ahead that a contact's duration is counted over; default 24 */
    double effort; /* weights of a contact's terms (hf_term), effort along +Z; default 0.02: the term reaches
                      20 on a straight limb */
    double duration; /* default 2 */
    double balance;  /* default 1 */
    double comfort;  /* default 0.3 */
    double room;     /* default 0.6 */
    int max_work;    /* contact changes tried on a guide; no further one is begun once all together
                        have used it up; default 4000 */
    int guides;      /* guides tried; default 12 */
    int patience;    /* contact changes tried on the first guide without going farther along it, and as many
                        more on each other one; default 100 */
    int draws;       /* random bodies tried for a stance where the solver finds none; default 32 */
    int tries;    /* alternatives tried for one contact change before the search goes elsewhere; default 6 */
    int simplify; /* contact changes made again for each stance of a plan that is found, to need fewer of
                     them; default 4: more gain nothing */
    bool still; /* every frame is balanced at rest, and the motion claims so; default false: a creature walks
                   balanced in motion where it can */
    double walk_stride;  /* leg lengths of the longest stride of a walk that is tried; default 1.5: a person's
                            legs of 0.93 m make steps of 0.7 m, so strides of 1.4 m */
    double walk_slowest; /* slowest pace of a walk that is tried, in times of a swing's natural one; default
                            2.4: a slower walk takes as long as steps at rest */
    double walk_crouch;  /* how much lower a walking body is tried than its legs make it, of the height of
                            its centre of mass; default 0.135, which bends a person's knees by 1 rad */
    double walk_aim_m;   /* how far inside the contacts the pressure of a walk is aimed at; default 0.02 */
    int walk_knots; /* poses solved for walks on the first guide, and a half, a third and so on of that on
                       others, for each five strides of the guide, and up to a quarter more; default
                       60,000, about 2 s of one core */
    double goal_tolerance_m; /* how far the root may end from the goal's; default 0.05 */
    /* How far the root may end turned from the goal's, and each joint of a whole goal from its own; default
       0.1, which is 5 cm at arm's length as goal_tolerance_m is. */
    double goal_tolerance_rad;
    /* Of the searches for guides, with a table of its own; its seed, progress and user are the planner's. */
    hf_guide_options guide;
} hf_plan_options;
HF_API hf_plan_options hf_plan_options_default(void);
HF_API hf_option_table hf_plan_option_table(void);

/* What is made once for a creature and used by any number of plans: sample sets and reach volumes of all
   limbs in use. Immutable and shared by threads. */
typedef struct hf_plan_model hf_plan_model;
HF_API hf_status hf_plan_model_create(const hf_creature* creature, const hf_plan_options* options,
                                      hf_plan_model** model, hf_error* error);
HF_API void hf_plan_model_free(hf_plan_model* model);

/* Why a plan ended where it did. */
typedef enum hf_plan_why {
    HF_PLAN_DONE,
    HF_PLAN_START_COLLIDES,   /* the start pose, or every pose at the start's root */
    HF_PLAN_START_UNBALANCED, /* no stance found that holds the body at the start */
    HF_PLAN_NO_GUIDE,         /* no path of the root */
    HF_PLAN_NO_CONTACT,       /* somewhere on the guide no next contact could be made */
    HF_PLAN_WORK_ENDED,
    HF_PLAN_CANCELLED
} hf_plan_why;
HF_API const char* hf_plan_why_text(hf_plan_why why);

/* What stopped the contact change that came farthest, by how far a change gets. */
typedef enum hf_plan_obstacle {
    HF_PLAN_NO_OBSTACLE,
    HF_PLAN_CANNOT_LEAVE, /* in no pose do the other limbs carry the body while the limb lifts off */
    HF_PLAN_NO_PLACE,     /* nothing in reach holds for longer than what the limb has */
    HF_PLAN_NO_STANCE,    /* no balanced pose free of collision with the limb there */
    HF_PLAN_NO_STEP_ON,   /* with the limb there no other limb could go on */
    HF_PLAN_NO_BODY_WAY,  /* the body finds no way to where the limb would leave */
    HF_PLAN_NO_SWING,     /* the limb finds no way there */
    HF_PLAN_NO_ARRIVAL /* the contacts last to the goal, and the body finds no way to its root or posture */
} hf_plan_obstacle;
HF_API const char* hf_plan_obstacle_text(hf_plan_obstacle obstacle);

/* The best contact change that failed at the farthest stance. */
typedef struct hf_plan_block {
    hf_plan_obstacle kind;
    int limb;       /* that should have moved; -1 for the body */
    bool has_place; /* where it should have gone to, or could not leave; of a missing guide, where it ended */
    int object;     /* -1: none */
    hf_vec3 point, normal;
    bool collides; /* a collision was in the way, the last one that was found: */
    hf_collision hit;
} hf_plan_block;

typedef struct hf_plan_result {
    hf_outcome outcome; /* found, partial (the motion ends before the goal), none, budget, cancelled */
    hf_plan_why why;
    char where[600];       /* in words: the limb, the place and why it got no further */
    hf_plan_block block;   /* the same for programs; of a start that collides its pair is in `hit` */
    hf_schedule* schedule; /* whole, or up to the farthest stance; NULL when there is not even a start */
    hf_motion* motion;     /* of the schedule, as hf_realise makes it */
    int stances;           /* in the motion */
    int work;              /* contact changes tried */
    double guide_length_m;
    double reached;            /* share of the guide that the motion covers, 0..1 */
    double guide_s, contact_s; /* wall time of the motion's guide, and of all else */
} hf_plan_result;
HF_API void hf_plan_result_free(hf_plan_result* result);

/* From start to goal, which may be whole or only a root, in a scene none of whose objects moves by keys. The
   guide may be given (guide_count > 0), else it is searched. progress may be NULL; it is called by any of the
   threads, never by two at once. HF_OK with an outcome when it could be tried at all. */
typedef struct hf_plan_query {
    const hf_scenario_state* start;
    const hf_scenario_state* goal;
    const hf_transform* guide;
    int guide_count;
    const hf_roadmap* roadmap; /* may be NULL; of this creature and scene: guides of the first attempt use it,
                                  if that attempt searches from the start */
    bool forwards; /* no attempt searches from the goal, so that the plan begins exactly at the start (else
                      within 2 mm and 0.02 rad of it) */
} hf_plan_query;
HF_API hf_status hf_plan_find(const hf_plan_model* model, const hf_scene* scene, const hf_plan_query* query,
                              const hf_plan_options* options, hf_progress_fn progress, void* user,
                              hf_plan_result* result, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
