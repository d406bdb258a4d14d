/* One contact change: candidates for where a limb goes next, and the change itself. */
#ifndef HF_PLAN_STEP_H
#define HF_PLAN_STEP_H

#include "plan/planner.h"

enum { HF_STEP_CANDIDATES = 24 };
/* Poses of the body while a limb is in the air: near the guide, as it was, a little lower, much lower. */
enum { HF_ARRIVALS = 4 };
/* Cosine between a patch as the body has it and a surface that it can stand on. */
static const double HF_LEAST_FACING = 0.5;

/* With more holds than this the body nearly always stands without one of them. */
enum { HF_MANY_HOLDS = 3 };

/* Where a limb could go next. */
typedef struct hf_step_candidate {
    hf_plan_hold hold;
    double score;
    hf_transform root; /* of the body, and its whole posture with the limb there */
    double* q;
} hf_step_candidate;

typedef struct hf_step_list {
    int count;
    hf_step_candidate items[HF_STEP_CANDIDATES];
} hf_step_list;

/* Who asks for places: a limb that leaves `old` (NULL: it has no contact) while the holds of `rest` carry the
   body in one of the poses, at the guide pose `index`. */
typedef struct hf_step_query {
    const hf_pose* poses;
    int pose_count;
    const hf_plan_hold* rest;
    int rest_count, limb;
    const hf_plan_hold* old;
    int index;
} hf_step_query;

/* A contact that a limb shall make, and the body about which it does so, with a balance margin in metres;
   NULL: near the guide. `end` (may be NULL) is the body with the limb there; where it is given, both bodies
   are taken as they are if they can be, or not at all where they must be exact. A sketch finds the poses and
   makes no knots. */
typedef struct hf_step_wish {
    const hf_plan_hold* hold;
    const hf_pose* body;
    double margin;
    const hf_pose* end;
    bool exact, sketch;
} hf_step_wish;

/* ---- places.c ---- */
/* Is there any spot that the limb may reach from the root? */
bool hf_places_any(const hf_plan_world* world, int limb, hf_transform root);
/* Adds places to the list where the limb could touch, reached from the first of the poses that can; scores
   are left to the caller. */
void hf_places_list(hf_planner* p, const hf_step_query* query, hf_step_list* list);

/* ---- footing.c ---- */
/* Adds places to the list under the body along the guide where a walking limb could stand, farthest first;
   as above. */
void hf_footing_list(hf_planner* p, const hf_step_query* query, hf_step_list* list);

/* Puts a walking limb of the pose on what lies under it, turned as at rest; *hold (may be NULL) is where.
   False where it gets there not. */
bool hf_footing_set(hf_planner* p, int limb, hf_pose* pose, hf_hold* hold);
/* Puts a frame of a walking limb of the pose on what lies straight below the point, turned as at rest; *hold
   is where. False where nothing to stand on lies there or the limb does not reach. */
bool hf_footing_drop(hf_planner* p, int limb, int frame, hf_vec3 over, hf_pose* pose, hf_hold* hold);

/* ---- seat.c ---- */
/* From the last stance, whose body is held by a limb without joints, to one without that contact: walking
   limbs step first to where they carry the body as it sits. True with the stances of all changes in the tree;
   nothing changes when there is no such way. */
bool hf_seat_leave(hf_planner* p);

/* ---- step.c ---- */
/* An empty list whose postures are from the workspace; false, and the failure noted, when memory is out. */
bool hf_steps_take(hf_planner* p, hf_step_list* list);
/* Fills the list with places for the query's limb, under the body and among the spots, best first; false when
   a tool failed. */
bool hf_step_places(hf_planner* p, const hf_step_query* query, hf_step_list* list);

/* ---- step_change.c ---- */
/* Moves a limb to its next contact, or makes one: the best that no child of the node has; `forced` is the
   contact to make, NULL to choose. A speculative step is one that does not seem to lead on. Appends knots and
   fills the child when true; *blocked when it failed because the limb found no way to its next contact. */
bool hf_step_limb(hf_planner* p, hf_plan_node* node, int limb, const hf_step_wish* forced, bool speculative,
                  hf_plan_node* child, bool* blocked);
/* Lets a contact go, about the body of the wish where there is one, which names no hold. */
bool hf_step_release(hf_planner* p, hf_plan_node* node, int limb, const hf_step_wish* forced,
                     hf_plan_node* child);

#endif
