/* Refining: a planned schedule becomes a quick and smooth motion whose contacts still bear it. */
#ifndef HOLDFAST_REFINE_H
#define HOLDFAST_REFINE_H

#include <holdfast/options.h>
#include <holdfast/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Terms of the cost that poses are optimised for, each half a sum of squares (thesis-2015 section 7.3). */
typedef enum hf_cost_kind {
    HF_COST_JERK,      /* third differences of poses */
    HF_COST_CONTACT,   /* effectors off their holds */
    HF_COST_LIMITS,    /* joints beyond their limits */
    HF_COST_WRENCH,    /* inertial wrenches beyond what the stance bears, less a margin */
    HF_COST_MOMENTUM,  /* angular momentum about the centre of mass: free limbs swing against the others */
    HF_COST_POSTURE,   /* distance from the wished postures and body */
    HF_COST_COMFORT,   /* joints far from their rest posture */
    HF_COST_CLEARANCE, /* signed distances to the scene and between bodies below a margin */
    HF_COST_EFFORT, /* limbs that hold, placed so that they exert little force along the body's way (eq. 7.8)
                     */
    HF_COST_COUNT
} hf_cost_kind;

typedef struct hf_refine_options {
    double rate;               /* frames a second of the result, 10..1000; default 120. A walk that contacts
                                  do not bear at this rate keeps the rate of the input, and so does the whole */
    double speed_share;        /* of the speed limits of joints and root, 0.05..1; default 0.98 */
    double acceleration_share; /* of their acceleration limits, 0.05..1; default 0.95 */
    double effort_share;       /* of the effort limits of joints, 0.05..1; default 0.9 */
    int rounds;  /* of each stretch, in which body and limbs are brought to move together; 0: new times alone;
                    0..40; default 16. Rounds whose poses allow no times are not counted: each brings a phase
                    nearer to how it was given, which goes less than ten times for each phase */
    double work; /* the most work, in millions of steps that take about a microsecond each; the best motion
                    until then is the answer; 0.1..1000; default 7. Stretches that stay as given and the
                    last test of the whole are made even when the work is spent */
    double weights[HF_COST_COUNT]; /* of the terms of the path optimiser, 0..1000; 0 leaves a term out */
} hf_refine_options;
HF_API hf_refine_options hf_refine_options_default(void);
HF_API hf_option_table hf_refine_option_table(void);

/* Why a refinement gave no more than it did. */
typedef enum hf_refine_why {
    HF_REFINE_DONE,
    HF_REFINE_NO_CONTACTS,    /* nothing is held, so that nothing can bear the body */
    HF_REFINE_ONE_FRAME,      /* there is no motion in it */
    HF_REFINE_MOVING_OBJECTS, /* what moves by its own times cannot be passed at other times */
    HF_REFINE_NO_MASS,        /* a creature without mass has no dynamics */
    HF_REFINE_CARRIES,        /* what a hand carries is not among the wrenches */
    HF_REFINE_UNBORNE,        /* the contacts do not bear a pose at any speed */
    HF_REFINE_LIMITED,        /* limits of joints leave no speed at a pose */
    HF_REFINE_UNTIMED,        /* each pose could be passed, but not one after the other */
    HF_REFINE_FAULTY,         /* what was made does not keep what a motion must keep */
    HF_REFINE_NOT_QUICKER,    /* what holds takes as long as the input, or longer */
    HF_REFINE_CANCELLED,
    HF_REFINE_TOO_LARGE /* a part of the motion is larger than the library's bounds (HF_ERROR_LIMIT) */
} hf_refine_why;
HF_API const char* hf_refine_why_text(hf_refine_why why);

/* Zero it first and free it in the end. */
typedef struct hf_refine_result {
    hf_outcome outcome; /* found: schedule and motion are there, tested and without fault; none: nothing that
                           holds was found, and the input is the best there is; cancelled: schedule and motion
                           are the best until then, NULL where there was none */
    hf_refine_why why;  /* of an outcome other than found, else HF_REFINE_DONE */
    double at_s; /* the input's time that `why` is about, exact at changes of holds and a share of the time
between them; negative: none */
    double before_s, after_s; /* durations */
    int rounds;    /* of poses, times and tests, of all stretches together, those without times not counted;
                      0: new times alone */
    double work;   /* millions of steps that were spent; the same on every machine */
    int stretches; /* from rest to rest, that the result consists of */
    int static_count; /* samples of the result that the contacts would not hold at rest */
    int effort_count; /* samples of the result where standing still takes more than a free joint's share of
                         effort */
    double scaling_s; /* time that all time scalings took together */
    hf_schedule* schedule;
    hf_motion* motion;
    int fault_count; /* of the last attempt that was not taken; without a result, of what `why` is about */
    hf_frame_fault fault; /* the first of them; its frame is counted at the input's rate, where the input is
                             then */
} hf_refine_result;
HF_API void hf_refine_result_free(hf_refine_result* result);

/* Makes a quicker motion of a schedule: the same holds, which begin in the same order and end in the same
   order (a limb may let go before the one before it has landed), the body on its way while limbs swing, times
   as short as limits and contact forces allow; joints take no more of their effort limits than the schedule's
   own motion at its peak, or than all of them, whichever is more. Steps are balanced in motion alone: the
   result claims what the schedule claims and `dynamic`, less `balance`. A hold of a single frame in the
   middle, which bears nothing, is left out. The input is left alone. A schedule that cannot be refined is an
   answer, not an error. HF_ERROR_ARGUMENT for a schedule that hf_schedule_validate refuses, for options out
   of range. error may be NULL. */
HF_API hf_status hf_refine(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                           const hf_refine_options* options, hf_workspace* workspace,
                           hf_refine_result* result, hf_error* error);

/* The same after an edit: `schedule` is a copy of `last`, a refined schedule, with holds moved or time added
   somewhere (a pause). From rest to rest, stretches that are as in `last` keep their poses and times, and so
   do those in which only times differ. Limbs are bent towards holds that moved; a stretch that then holds in
   its own time keeps these poses, whose torques are not compared with those of `last`, and the others are
   refined again. The result has the rate of the schedule
   and need not be quicker. HF_ERROR_ARGUMENT also where the two do not have the same holds of the same limbs
   in the same order, points and normals aside. */
HF_API hf_status hf_refine_again(const hf_creature* creature, const hf_scene* scene,
                                 const hf_schedule* schedule, const hf_schedule* last,
                                 const hf_refine_options* options, hf_workspace* workspace,
                                 hf_refine_result* result, hf_error* error);

/* Where the path optimiser begins in a comparison (thesis-2015 sections 7.3 and 8.4). */
typedef enum hf_refine_start {
    HF_REFINE_FROM_PLAN,  /* the schedule's own poses */
    HF_REFINE_FROM_LINES, /* straight lines between its key poses, at which a hold begins or ends (ITOMP) */
    HF_REFINE_FROM_LINES_FREE, /* the same, with contact variables that may give holds up */
    HF_REFINE_STARTS
} hf_refine_start;
HF_API const char* hf_refine_start_text(hf_refine_start start);

/* Costs and valid frames before and after the optimiser. */
typedef struct hf_refine_comparison {
    double cost[2];
    int frames, valid[2]; /* a frame is valid where the realiser finds no fault in it, contact forces for its
                             accelerations included */
    double work;          /* millions of steps that were spent */
} hf_refine_comparison;

/* Optimises the poses of a schedule in its own times, at 30 samples a second, from each start with the same
   costs (options->weights, nearness to given postures left out) and the same work (options->work). Nothing is
   repaired afterwards and no answer is given: this measures what a start is worth. */
HF_API hf_status hf_refine_compare(const hf_creature* creature, const hf_scene* scene,
                                   const hf_schedule* schedule, const hf_refine_options* options,
                                   hf_workspace* workspace, hf_refine_comparison out[HF_REFINE_STARTS],
                                   hf_error* error);

/* What kinds of limit keep a motion from being quicker. */
typedef enum hf_refine_limit {
    HF_REFINE_JOINT_SPEED,
    HF_REFINE_JOINT_ACCELERATION,
    HF_REFINE_ROOT_SPEED,
    HF_REFINE_ROOT_ACCELERATION,
    HF_REFINE_EFFORT, /* of joints that no contact force passes through */
    HF_REFINE_WRENCH, /* the contacts bear no more */
    HF_REFINE_LIMITS
} hf_refine_limit;
HF_API const char* hf_refine_limit_text(hf_refine_limit limit);

/* A time between two changes of holds, and how much of it each kind of limit binds: a frame is bound by the
   kind that it uses most of, where that is more than HF_REFINE_BINDS. */
#define HF_REFINE_BINDS 0.8
typedef struct hf_refine_bound {
    double from_s, to_s;
    double bound_s[HF_REFINE_LIMITS]; /* seconds; what is left is bound by none */
    /* The most of the kind that a frame of it uses: of speeds and accelerations a share of the limit; of
       efforts and contact wrenches the inverse of how many times the squared pace of the frame would still
       fit, 0.01 at least. Infinite: not even at rest. */
    double most[HF_REFINE_LIMITS];
} hf_refine_bound;

/* What binds a schedule whose knots are its frames. Writes up to `capacity` bounds; *count is how many there
   are, at most one more than the holds have ends. */
HF_API hf_status hf_refine_bounds(const hf_creature* creature, const hf_scene* scene,
                                  const hf_schedule* schedule, hf_workspace* workspace, int capacity,
                                  hf_refine_bound* bounds, int* count);

/* The schedule that a motion keeps: its frames as knots, its contacts as holds, at the rate of its frames.
   Refuses what hf_motion_validate refuses, with its status, and a motion without a frame. */
HF_API hf_status hf_schedule_of_motion(const hf_motion* motion, const hf_creature* creature,
                                       const hf_scene* scene, hf_schedule** schedule, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
