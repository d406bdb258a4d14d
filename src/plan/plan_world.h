/* What stays the same while one guide is tried: the creature, the scene, the options, the guide and the
   spots of the scene near it. */
#ifndef HF_PLAN_PLAN_WORLD_H
#define HF_PLAN_PLAN_WORLD_H

#include "plan/plan_model.h"
#include <holdfast/contact.h>

/* Distances of a plan, in creature heights (contacts of one limb: in its lengths). Two poses or places nearer
   than a small shift are the same; the body can make a large shift to let a limb reach. */
static const double HF_SMALL_SHIFT = 0.03, HF_LARGE_SHIFT = 0.12;
static const double HF_GUIDE_STEP = 0.02; /* between two guide poses */
static const double HF_SKIN = 1e-3;       /* rays begin so far off a surface */
static const double HF_SMALL_TURN = 0.1;  /* rad: two orientations nearer are the same */
enum { HF_STRIDES = 8 };                  /* parts of the horizon in which the guide is looked along */

/* Of a limb's rest length from its first joint: a surface between the two is under the limb. */
static const double HF_UNDER_NEAREST = 0.25, HF_UNDER_FARTHEST = 1.8;

/* A point of the scene that a limb could touch. */
typedef struct hf_spot {
    hf_vec3 point, normal;
    int object;
    double room; /* share of a small circle about it that nothing stands in; negative: not looked at yet */
} hf_spot;

/* How far patches count (src/balance/bearing.h): as far as the effectors' own joints bear the body; of those
   that bear next to nothing an edge, too; whole. Walks only aim there. */
typedef enum hf_sparing { HF_SPARE_NONE, HF_SPARE_EDGES, HF_SPARE_ALL } hf_sparing;

typedef struct hf_plan_world {
    const hf_plan_model* model;
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_scene* scene;
    hf_placement* placement;
    const hf_plan_options* options;
    bool has_grips; /* the scene has something to grip */
    bool still;     /* every knot is balanced at rest; else the body may walk balanced in motion */
    double* home;   /* posture of joints without a task: at rest, toes as the start has them */
    int attempt;    /* number of the guide */
    hf_sparing spares;
    bool backwards; /* the search goes from the goal to the start, and the plan is played backwards */
    int guide_count;
    const hf_transform* guide;
    int barred_count, barred_capacity; /* root poses that led no contact on: guides keep away from them */
    hf_transform* barred;
    int spots_from, spots_to; /* poses of the guide that the spots are near to */
    int spot_count;
    hf_spot* spots;
    hf_progress_fn progress; /* asked whether the work shall go on; may be NULL */
    void* user;
} hf_plan_world;

/* The last pose of the guide, or the one `ahead` poses after `index` where that comes before. */
int hf_guide_ahead(const hf_plan_world* world, int index, int ahead);
/* Guide poses that make a difference: one part of the horizon. */
int hf_guide_stride(const hf_plan_world* world);
/* The root with its heading only. */
hf_transform hf_root_upright(hf_transform root);
/* Where the limb is at ease with the root there: as at rest, or as at rest on all limbs where the body is
   bent so far. */
hf_vec3 hf_limb_ease(const hf_plan_world* world, int limb, hf_transform root);
/* Copies the joint values of one limb. */
void hf_limb_copy(const hf_plan_world* world, int limb, const double* from, double* to);
/* Copies a pose into one that has room for its joint values. */
void hf_pose_copy(const hf_plan_world* world, const hf_pose* from, hf_pose* to);
/* The room about a spot, looked at when it is asked for first. */
double hf_spot_room(const hf_plan_world* world, hf_spot* spot);
/* With the limb's root frame there, is the spot about where one of its contact frames can be, facing it? */
bool hf_limb_may_reach(const hf_plan_world* world, int limb, hf_transform base, const hf_spot* spot,
                       bool grip);

/* The options of a search for a guide of this attempt: with its barred poses and its progress. */
hf_guide_options hf_plan_guide_options(const hf_plan_world* world);

/* What it takes to go along a guide: its length in creature heights with what it costs to stand badly, lean
   and turn, and the poses of the guide where that is hardest. */
enum { HF_HARD_POSES = 16 };
typedef struct hf_guide_effort {
    double total;
    int hard_count;
    hf_transform hard[HF_HARD_POSES];
} hf_guide_effort;

/* Moves and turns the poses of a guide to where the body stands well and looks ahead. False when memory is
   out. */
bool hf_guide_settle(const hf_plan_world* world, hf_transform* guide, int count, hf_guide_effort* effort);
/* Guides keep away from the pose from now on. False when memory is out. */
bool hf_plan_bar(hf_plan_world* world, hf_transform root);

#endif
