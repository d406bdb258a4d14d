/* Schedules: which limb holds what during which time, and the poses of the body in between. What a plan, a
   sequence, a contact motion or a live recording decides; one realiser makes the motion from it. */
#ifndef HOLDFAST_SCHEDULE_H
#define HOLDFAST_SCHEDULE_H

#include <holdfast/collision.h>
#include <holdfast/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A hold with the time during which it lasts, both ends included; point and normal in the object's frame. */
typedef struct hf_schedule_hold {
    hf_hold hold;
    double from_s, to_s;
} hf_schedule_hold;

typedef struct hf_knot {
    double time_s;
    hf_transform root;
    double* q;   /* q_count */
    bool stance; /* a key stance begins here */
} hf_knot;

/* A plain struct that owns its memory; start from hf_schedule_create. Limbs, frames and objects are those of
   the creature and scene it was made for. Paths as in hf_motion. */
typedef struct hf_schedule {
    char *creature, *scenario; /* NULL when there is none */
    char* outcome;             /* hf_outcome_text of what made the schedule */
    unsigned claims;           /* what the motion promises: HF_CLAIM_ */
    double rate;               /* frames a second of the motion */
    int q_count, hold_count, hold_capacity, knot_count, knot_capacity;
    hf_schedule_hold* holds; /* of one limb they do not overlap */
    hf_knot* knots;          /* times ascend, the first is 0 */
} hf_schedule;

HF_API hf_status hf_schedule_create(const hf_creature* creature, double rate, hf_schedule** schedule);
HF_API void hf_schedule_free(hf_schedule* schedule);
/* Appends a knot with a copy of the pose, and the holds that last at its time: each goes on from the knot
   before where it is the same there (limb, frame, object, grip, point within 1 um), else it begins. The holds
   are in the world, the objects where the placement has them. */
HF_API hf_status hf_schedule_add(hf_schedule* schedule, const hf_placement* placement, double time_s,
                                 const hf_pose* pose, const hf_hold* holds, int hold_count, bool stance);
/* Removes the knots from index `count` on, with what was held at them. */
HF_API void hf_schedule_cut(hf_schedule* schedule, int count);
/* Is every index, number and time in order for this creature and scene (which may be NULL)? Names what is
 * not.
 */
HF_API hf_status hf_schedule_validate(const hf_schedule* schedule, const hf_creature* creature,
                                      const hf_scene* scene, hf_error* error);

HF_API hf_status hf_schedule_save(const hf_schedule* schedule, const hf_creature* creature,
                                  const hf_scene* scene, const char* path, hf_error* error);
/* The paths of creature and scenario that a file names, and the folders (one a line) to find the creature's
   package:// names in, relative to the folder the program runs in; free them with free(). Each may come out
   NULL. */
HF_API hf_status hf_schedule_peek(const char* path, char** creature, char** scenario, char** package_path,
                                  hf_error* error);
HF_API hf_status hf_schedule_load(const char* path, const hf_creature* creature, const hf_scene* scene,
                                  hf_schedule** schedule, hf_error* error);

/* ---- from schedule to motion ---- */

typedef enum hf_frame_fault_kind {
    HF_FAULT_COLLIDES, /* at the frame or on the straight way to the next one */
    HF_FAULT_RANGE,    /* a joint group is outside its range of motion */
    HF_FAULT_SLIPS,    /* a hold is not kept, at the frame or on the way to the next one */
    HF_FAULT_SPEED,    /* root or a joint is too fast on the way to the next frame */
    HF_FAULT_BALANCE,  /* the static margin that the schedule claims is not there */
    HF_FAULT_DYNAMIC,  /* no contact forces for the inertial wrench, as the schedule claims it */
    HF_FAULT_LIMITS,   /* a joint is outside its limits */
    HF_FAULT_SURFACE,  /* a hold begins where its object has no surface, or allows no contact */
    HF_FAULT_ONE_LIMB, /* the holds of two limbs change at once, where the schedule claims one-limb */
    HF_FAULT_CARRIED,  /* what limbs carry is in another object, at the frame or on the way to the next one */
    HF_FAULT_PRESSED   /* limbs cannot bear what they press between them */
} hf_frame_fault_kind;
HF_API const char* hf_frame_fault_text(hf_frame_fault_kind kind);

typedef struct hf_frame_fault {
    hf_frame_fault_kind kind;
    int frame;
    int limb;               /* of a slip, else -1 */
    hf_collision collision; /* of a collision */
} hf_frame_fault;

typedef struct hf_realise_options {
    bool test; /* look for faults; default true. Off where the producer has tested every frame itself; the
                  frames are the same */
} hf_realise_options;
HF_API hf_realise_options hf_realise_options_default(void);

/* Zero it first; its memory is used again. */
typedef struct hf_realise_result {
    hf_outcome outcome; /* found: no fault; partial: some, and the motion claims only what it keeps */
    int fault_count, fault_capacity;
    hf_frame_fault* faults; /* by frame; each kind once a frame */
} hf_realise_result;
HF_API void hf_realise_result_free(hf_realise_result* result);

/* Frames at the schedule's rate: at the knots' times exactly the knots, between them straight. A limb that is
   farther than half of what a check allows from where its hold keeps it is put back exactly there; a hold
   whose point is over 1 mm from where the limb is at its first knot is taken at its word, and the limb goes
   there. Objects go by their keys; a movable object without keys goes with the limb that grips it, or with
   the two limbs that press it between them, and stays where that ends; its mass counts in the balance, and it
   is tested against all other objects. What is pressed must be borne at rest by friction and by
   no more than the limbs' max_force; efforts of joints are not tested. Balance margins are those of the
   planner's cones, where the schedule claims balance. The motion has the schedule's names, outcome and
   claims, the claims less what a fault breaks. HF_ERROR_ARGUMENT for a schedule that hf_schedule_validate
   refuses. */
HF_API hf_status hf_realise(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                            const hf_realise_options* options, hf_workspace* workspace, hf_motion** motion,
                            hf_realise_result* result);

#ifdef __cplusplus
}
#endif
#endif
