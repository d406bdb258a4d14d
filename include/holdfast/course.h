/* Courses: whole poses one after the other with the contacts that hold on the way between them, made into a
   timed motion with frames at a fixed rate. What swings, sequences and plans end with. */
#ifndef HOLDFAST_COURSE_H
#define HOLDFAST_COURSE_H

#include <holdfast/collision.h>
#include <holdfast/motion.h>
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
    int max_rounds; /* how often moves are slowed down whose frames collide or leave the way, 1..100;
                       default 12 */
} hf_course_options;
HF_API hf_course_options hf_course_options_default(void);
HF_API hf_option_table hf_course_option_table(void); /* its own fields and those of timing */

typedef struct hf_course_result {
    hf_outcome outcome; /* found: every frame and the straight way to the next is free of collision, inside
                           limits and regions, contacts hold; partial: all but what follows */
    bool collides, out_of_range, slips, too_fast;
    int frame; /* the first at which one of them happens, -1 for none */
    hf_collision collision;
    int rounds;
} hf_course_result;

/* Frames with their contacts, appended to a motion of this creature and scene after its last frame. Frames
   lie on the straight moves of the course, but for holding limbs, which are put back exactly where they hold.
   Objects stand where the placement has them. */
HF_API hf_status hf_course_motion(const hf_course* course, const hf_placement* placement,
                                  const hf_course_options* options, hf_workspace* workspace,
                                  hf_motion* motion, hf_course_result* result);

#ifdef __cplusplus
}
#endif
#endif
