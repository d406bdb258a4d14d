/* Swings: limbs on their way from one contact (or none) to the next while others hold (efort-2014-journal
   section 3.3). The effector follows a Bezier curve that leaves along the old surface's normal and arrives
   along the new one's; if a body collides on the way the curve is raised or bent. */
#ifndef HOLDFAST_SWING_H
#define HOLDFAST_SWING_H

#include <holdfast/collision.h>
#include <holdfast/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the curve: a quintic Bezier in the world; nothing of a creature in it ---- */

enum { HF_SWING_CONTROLS = 6 };
typedef struct hf_swing_curve {
    hf_vec3 control[HF_SWING_CONTROLS];
} hf_swing_curve;

typedef struct hf_swing_shape {
    double leave_m, arrive_m; /* how far it leaves and arrives along the normals */
    hf_vec3 bend;             /* shifts its middle, m */
} hf_swing_shape;

/* From start to goal. Normals point out of the surfaces; the zero vector where there is none, and the curve
   then leaves or arrives straight. */
HF_API hf_swing_curve hf_swing_curve_make(hf_vec3 start, hf_vec3 start_normal, hf_vec3 goal,
                                          hf_vec3 goal_normal, hf_swing_shape shape);
/* s in [0, 1]; exactly start at 0 and goal at 1. */
HF_API hf_vec3 hf_swing_curve_point(const hf_swing_curve* curve, double s);
/* How much of its turn from the start's to the goal's orientation an effector has made at s, 0..1: it leaves
   and arrives without turning. */
HF_API double hf_swing_turned(double s);
/* The lift that hf_swing_find tries first, for a limb of this length on a way of this length. */
HF_API double hf_swing_lift(double limb_length_m, double way_m);

/* ---- whole poses along swings ---- */

typedef struct hf_swing_limb {
    int limb;
    int frame;           /* contact frame whose point follows the curve, -1: the effector link's origin */
    hf_hold start, goal; /* that the swing leaves and makes: object (-1: none), normal and grip count */
} hf_swing_limb;

typedef struct hf_swing_options {
    int max_tries; /* shapes of curves tried in all, 1..1000; default 24 */
    int max_moves; /* moves tested for a single limb that no curve brings there, 0..1,000,000; default 2000 */
    double knot_m; /* effectors move no further between two knots, 0.001..1; default 0.03 */
    double knot_rad;   /* no joint turns further between two knots, 0.01..1; default 0.15 */
    double lift_share; /* of hf_swing_lift, 0..10; default 1 */
    double step_m; /* no point of a body moves farther untested, 1e-4..0.1; default 0.0025, as a check does */
    double tolerance_m; /* how exactly contacts hold, 1e-6..1e-3; default 1e-4 */
} hf_swing_options;
HF_API hf_swing_options hf_swing_options_default(void);
HF_API hf_option_table hf_swing_option_table(void);

/* From one whole pose to another. Root and joints go straight from the one to the other, but for the limbs
   that swing and those that hold; both poses must have the held contacts in the same place (within ten
   tolerances, else a hold is lost). */
typedef struct hf_swing_query {
    hf_pose from, to;
    int limb_count;
    const hf_swing_limb* limbs;
    int hold_count;
    const hf_hold* holds;
    hf_swing_options options;
    hf_clearance* clearance; /* of tests before; may be NULL */
} hf_swing_query;

typedef enum hf_swing_why {
    HF_SWING_FREE,           /* the way is free */
    HF_SWING_START_COLLIDES, /* the first pose does already */
    HF_SWING_GOAL_COLLIDES,  /* the last pose does */
    HF_SWING_COLLIDES,       /* every shape that was tried collides on the way */
    HF_SWING_HOLD_LOST,      /* a limb cannot hold its contact on the way */
    HF_SWING_RANGE           /* a joint group leaves its range of motion on the way */
} hf_swing_why;
HF_API const char* hf_swing_why_text(hf_swing_why why);

enum { HF_SWING_KNOTS = 65 }; /* at most */

/* The memory belongs to it and is used again by the next search. */
typedef struct hf_swing {
    hf_outcome outcome;     /* found or none */
    hf_swing_why why;       /* of the last shape tried */
    hf_collision collision; /* where it collides */
    int tries;              /* shapes tried */
    int knot_count;         /* 0 unless found */
    int q_count;
    hf_transform* roots;
    double* q; /* knot_count rows: the first is query.from exactly, the last query.to */
} hf_swing;
HF_API hf_status hf_swing_create(const hf_creature* creature, hf_swing** swing);
HF_API void hf_swing_free(hf_swing* swing);

/* Knots of a way on which straight moves between neighbours are free of collision (no point of a body moves
   over step_m untested), limits and regions are kept at knots and between, and holds hold within the
   tolerance at knots. Overlap as the collision query allows touches: for holds all the time, for a contact
   that is left or made on a stretch beside it that the limb can pass within a frame (a thirtieth of a
   second). HF_ERROR_ARGUMENT for indices out of range and numbers that are not finite. No heap in steady
   state; the same answer every time.
 */
HF_API hf_status hf_swing_find(const hf_creature* creature, const hf_placement* placement,
                               const hf_swing_query* query, hf_workspace* workspace, hf_swing* swing);

#ifdef __cplusplus
}
#endif
#endif
