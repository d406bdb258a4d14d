/* Courses: whole poses one after the other with the holds that last on the way between them. Timed, a course
   becomes a schedule. What contact motions and sequences are made of. */
#ifndef HOLDFAST_COURSE_H
#define HOLDFAST_COURSE_H

#include <holdfast/schedule.h>
#include <holdfast/swing.h>
#include <holdfast/timing.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_course hf_course;
HF_API hf_status hf_course_create(const hf_creature* creature, hf_course** course);
HF_API void hf_course_free(hf_course* course);

/* Appends a pose. `contacts` hold on the move from it to the next pose (limbs and objects by their index in
   creature and scene, frames by that in the limb); at a pose where they change, both those before and those
   after count. Such a pose falls on a frame; HF_MARK_STOP makes everything stand still there.
   HF_ERROR_ARGUMENT for a limb or frame that does not exist and for two contacts of one limb. */
HF_API hf_status hf_course_add(hf_course* course, const hf_pose* pose, const hf_hold* contacts,
                               int contact_count, unsigned mark);
/* Appends a swing's knots but the first, which must be the last pose added, and the last, which is to be
   added next with the contacts that hold then; `contacts` hold on the way. */
HF_API hf_status hf_course_add_swing(hf_course* course, const hf_swing* swing, const hf_hold* contacts,
                                     int contact_count);
HF_API int hf_course_count(const hf_course* course);

typedef struct hf_course_options {
    hf_timing_options timing; /* default: 30 frames per second, half of the speed limits, 0.35 of those of
                                 acceleration: unhurried */
    int max_rounds;  /* how often moves are slowed down whose frames collide or leave the way, 1..100;
                        default 12 */
    unsigned claims; /* of the motion; default all but balance, one-limb and dynamic */
} hf_course_options;
HF_API hf_course_options hf_course_options_default(void);
HF_API hf_option_table hf_course_option_table(void); /* its own fields and those of timing */

/* The schedule of the course, with a knot at every frame, and its motion by hf_realise; result has the faults
   that are left. Frames lie on the straight moves of the course; moves whose frames collide between two
   frames are passed more slowly, with frames nearer to the course. The scene's objects stand at their start.
   Free schedule and motion. */
HF_API hf_status hf_course_realise(const hf_course* course, const hf_scene* scene,
                                   const hf_course_options* options, hf_workspace* workspace,
                                   hf_schedule** schedule, hf_motion** motion, hf_realise_result* result);

#ifdef __cplusplus
}
#endif
#endif
