/* What those who make motions allow themselves. Each value is stricter than what a check allows of the same
   thing (src/check/tolerance.h; tests/tolerance_test.c compares them), because a check looks at other moments
   and measures in its own way. Where there are two, what is made first keeps the stricter one: nothing that
   was accepted early is refused late. Whatever only steers a search is not here. */
#ifndef HF_MODEL_TOLERANCE_H
#define HF_MODEL_TOLERANCE_H

/* ---- depth, m ---- */

/* Of a body in an object, and of two bodies of a creature in each other. A check that measures at other
   moments between two frames finds up to a fifth more. */
#define HF_DEPTH_M 8e-4
/* Of an effector in the object that it touches: the same share of what a check allows. */
#define HF_TOUCH_DEPTH_M 2.4e-3

/* The same of the frames of a motion in the end, between what searches allow and what a check allows. */
#define HF_FRAME_DEPTH_M 9e-4
#define HF_FRAME_TOUCH_DEPTH_M 2.7e-3
/* A check allows no more than a tenth of a body's thickness. All depths above are for bodies that are as
   thick as these, m, or thicker; of a thinner one the same share of what a check allows is left. */
#define HF_THIN_M 0.01
#define HF_THICK_M 0.03 /* the same for an effector in the object that it touches */
/* No point of a body moves farther untested on the way between two frames, as in a check. */
#define HF_STEP_M 2.5e-3

/* ---- contacts ---- */

/* A triangle lower than this, m, has no area, as for a check: no contact is made on it. Its corners are
 * floats. */
#define HF_NO_HEIGHT_M 1e-6

/* Between a contact's point and its surface, and of a patch from its orientation, where a contact is made: a
   tenth of what a check allows, the rest is left to everything that comes after. */
#define HF_CONTACT_M 1e-4
#define HF_CONTACT_RAD 1e-3
/* The same of a hold that a pose of the whole body has: the solver has more to satisfy. */
#define HF_HELD_M 2e-4
#define HF_HELD_RAD 3e-3
/* The same of a live creature, which has one solve in a frame. */
#define HF_LIVE_HELD_M 3e-4
#define HF_LIVE_HELD_RAD 8e-3
/* A contact that is farther from where it began is lost: half of what a check allows. */
#define HF_SLIP_M 5e-4
#define HF_SLIP_RAD 8e-3
/* The same in the middle between two frames, where straight joints leave a hold the most. */
#define HF_SLIP_BETWEEN_M 2e-3
#define HF_SLIP_BETWEEN_RAD 0.035
/* A patch is put onto a surface as flat while its tilt to the surface is smaller: it bears as a whole. */
#define HF_FLAT_RAD 0.03
/* A patch keeps its orientation while the tilt with which its hold began is smaller. This is more than a
   check calls flat: a hold that a check may ask to keep its orientation always does. */
#define HF_LEVEL_RAD 0.04

/* ---- range of motion, limits, speed, balance ---- */

/* How far a posture may leave its range of motion: half of what a check allows, and of frames between
   postures a little more. */
#define HF_ROM_RAD 5e-5
#define HF_ROM_BETWEEN_RAD 8e-5
/* How far a joint of a pose from outside may be beyond its limit, rad or m: rounding of files. */
#define HF_LIMIT 5e-7
/* How much faster than its limit a joint may be, as a share: rounding of times. */
#define HF_SPEED_SHARE 5e-4
/* The share of its speed limits that a live creature uses: its frames are not made anew when one is late. */
#define HF_LIVE_SPEED_SHARE 0.995
/* Least static balance margin, m; a user may set another one. */
#define HF_MARGIN_M 0.006
/* The same of the frames of a motion in the end, between that and what a check asks for. */
#define HF_FRAME_MARGIN_M 0.0055

#endif
