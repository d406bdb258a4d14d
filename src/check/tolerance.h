/* What a check allows. Those who make motions have stricter values of their own, which nothing here knows. */
#ifndef HF_CHECK_TOLERANCE_H
#define HF_CHECK_TOLERANCE_H

#define CHECK_DEPTH_M 0.001       /* a body in an object, two bodies in each other */
#define CHECK_TOUCH_DEPTH_M 0.003 /* an effector in the object it touches */
#define CHECK_DEPTH_SHARE 0.1     /* both at most this share of a body's least thickness */
#define CHECK_HOLD_M 0.001        /* a contact's point from its place, and from the surface */
#define CHECK_HOLD_RAD 0.017454   /* a patch from its orientation: 1 degree */
#define CHECK_BETWEEN 3           /* times as much on the way to the next frame */
#define CHECK_FLAT_RAD 0.034907   /* beyond 2 degrees a patch counts as its edge or point */
#define CHECK_ROM_RAD 1e-4        /* beyond the range of motion */
#define CHECK_LIMIT 1e-6          /* beyond a joint's limit, rad or m: rounding of files */
#define CHECK_SPEED_SHARE 1e-3    /* over a speed limit */
#define CHECK_MARGIN_M 0.005      /* least balance margin */
#define CHECK_MISSING 0.01        /* of the weight, and m of moment divided by the weight: may be missing */
#define CHECK_STATED_M 0.001      /* a frame's stated balance over what is computed */
#define CHECK_GOAL_M 0.05  /* the last frame's root from the goal, where the scenario says nothing else */
#define CHECK_GOAL_RAD 0.1 /* its orientation, and joints of a goal that is given whole */

#endif
