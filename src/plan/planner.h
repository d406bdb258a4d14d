/* One attempt at a plan: what is given (world), what computes (tools), what was found (tree) and how far it
   came (progress), with the functions that need more than one of them. */
#ifndef HF_PLAN_PLANNER_H
#define HF_PLAN_PLANNER_H

#include "base/random.h"
#include "base/workspace.h"
#include "plan/plan_tree.h"
#include "plan/plan_world.h"
#include <holdfast/collision.h>
#include <holdfast/swing.h>
#include <holdfast/timing.h>

enum { HF_STANCES = 4 }; /* stances that functions within each other borrow at the same time */

/* Memory and solvers of one worker. */
typedef struct hf_plan_tools {
    hf_workspace* workspace;
    hf_transform* links; /* scratch of forward kinematics */
    double* jacobian;    /* scratch: 3 rows of a limb's */
    hf_swing* swing;
    hf_clearance* clearance; /* of poses along segments */
    hf_timing* timing;
    hf_stance* stances[HF_STANCES];
    int stances_borrowed;
    bool has_hit;     /* a pose or a way collided since it was last cleared: */
    hf_collision hit; /* the last such collision */
    hf_status status; /* the first failure of any tool, which ends the attempt */
} hf_plan_tools;

typedef struct hf_plan_progress {
    int work;            /* contact changes tried */
    int stalled;         /* those since the body last went farther */
    int64_t guide_tests; /* the most that a guide of the attempt took */
    bool cancelled;
    hf_progress_fn report;
    void* user;
} hf_plan_progress;

typedef struct hf_planner {
    hf_plan_world world;
    hf_plan_tools tools;
    hf_plan_tree tree;
    hf_plan_progress progress;
    hf_creature* narrowed;          /* memory of world.creature */
    const double *start_q, *goal_q; /* joint values that are given, NULL: none */
    hf_transform* own_guide;        /* memory of world.guide where the guide was searched */
    bool has_own_descent;           /* the model's is of another rate or margin, and one was searched: */
    struct hf_descent* own_descent; /* NULL: there is none */
} hf_planner;

static inline bool hf_plan_ok(const hf_planner* p) { return p->tools.status == HF_OK; }

/* Keeps the first failure; false when there was one, now or before. */
static inline bool hf_plan_note(hf_planner* p, hf_status status) {
    if (hf_plan_ok(p)) p->tools.status = status;
    return hf_plan_ok(p);
}

/* Moves the root of a pose where a limb that holds would be overstretched: a little more than the mean miss
   of the limbs, as a straight limb is hard to solve. */
static inline void hf_pose_give_way(hf_pose* pose, hf_vec3 pull) {
    static const double GAIN = 1.2;
    pose->root.position = hf_add(pose->root.position, hf_scale(pull, GAIN));
}

/* The balance margin of the poses between which segments are made, m: half as much again as their knots must
   have. */
static inline double hf_pose_margin(const hf_planner* p) { return p->world.options->margin_m * 3 / 2; }

/* Keeps what collided, for the words of a failure. */
static inline void hf_plan_hit(hf_planner* p, const hf_collision* hit) {
    if (hf_workspace_cancelled(p->tools.workspace)) return; // the test was cut short
    p->tools.has_hit = true;
    p->tools.hit = *hit;
}

/* ---- knees.c ---- */
/* The place among the limb's joints of the hinge farthest from both its ends, -1 for none; of several at one
   place the one that bends the limb forwards and backwards. */
int hf_knee_find(const hf_creature_view* view, const hf_transform* links, int limb);
/* How far the knee, a joint of the limb, is bent in a posture with these links, rad about its axis: the angle
   between its two bones, of which the lower one ends at the limb's last joint, or at the contact where the
   knee is the last. */
double hf_knee_bend(const hf_creature_view* view, const hf_transform* links, int limb, int knee);
/* The model's creature with ranges of the knees of walking limbs in which they stay bent as they are where it
   stands; joint values of start and goal (may be NULL) are within them. It shares all else with the model's,
   and is freed by hf_knees_free, also after a failure. */
hf_status hf_knees_narrow(const hf_plan_model* model, const double* start, const double* goal,
                          hf_creature** narrowed);
void hf_knees_free(hf_creature* narrowed);

/* ---- planner.c ---- */
/* Takes the memory of a search whose model, scene and options are set; the creature is then the model's with
   narrowed knees. */
hf_status hf_planner_begin(hf_planner* p);
void hf_planner_end(hf_planner* p);
/* A posture from the workspace, until the caller's mark ends; q is NULL, and the failure noted, when memory
   is out. */
hf_pose hf_take_pose(hf_planner* p);
/* How a hold bears. */
hf_support hf_hold_bears(const hf_planner* p, const hf_plan_hold* hold, hf_sparing spares);
/* What the holds (all but `skip`) carry, each as the attempt counts it (world.spares), borrowed until
   hf_stance_return; NULL, and the failure noted, where it cannot be made. */
hf_stance* hf_stance_borrow(hf_planner* p, const hf_plan_hold* holds, int count, int skip);
/* The same with whole patches, whether or not the effectors' own joints bear the body there. */
hf_stance* hf_stance_borrow_whole(hf_planner* p, const hf_plan_hold* holds, int count);
void hf_stance_return(hf_planner* p, const hf_stance* stance); /* the last one borrowed; NULL does nothing */

/* ---- plan.c ---- */
/* One guide, world.attempt of them, and what comes of it: a schedule, whole or as far as it went. */
hf_status hf_plan_attempt(hf_planner* p, const hf_plan_query* query, hf_plan_result* result);
enum { HF_GUIDE_CHOICE = 6 }; /* guides of which one is chosen */
/* Fills world.guide with a guide from the root pose to the goal that keeps away from barred poses, the
   easiest of so many; *found is false, and the result says why, when there is none. */
hf_status hf_plan_choose_guide(hf_planner* p, const hf_plan_query* query, hf_transform start, int choice,
                               hf_plan_result* result, bool* found);

/* ---- plan_detour.c ---- */
/* Bars the guide ahead of the farthest stance, keeps the stances before and gives world.guide another way on
   from there. False when there is none, and then the guide stays as it is. */
bool hf_plan_detour(hf_planner* p, const hf_plan_query* query, hf_plan_result* result);
/* Reduces the tree to the stances on the way to the last one. */
bool hf_plan_keep(hf_planner* p, int last);

/* ---- hold.c ---- */
/* A found contact as a hold, with the pose that makes it. */
void hf_hold_make(hf_planner* p, const hf_hold* contact, const hf_pose* pose, hf_plan_hold* hold);
hf_target hf_hold_target(const hf_plan_hold* hold);
/* Moves the joints of the held limbs so that the holds are kept, given root and all other joints of the pose.
 * False when one cannot be; *pull is then how the root should move for it. */
bool hf_holds_keep(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull);
/* Has the limb more joints than its hold needs: can it hold in more than one posture? */
bool hf_hold_is_loose(const hf_plan_world* world, const hf_plan_hold* hold);
/* One limb alone, from where it is, given tools.links of the rest of the body. */
bool hf_hold_solve(hf_planner* p, const hf_plan_hold* hold, hf_pose* pose);
/* All of them with less care: false soon where a limb cannot, and where all can they are near. */
bool hf_holds_near(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull);
/* Of the holds that may overlap, but for that of the limb `skip` (-1: none). A limb that could not leave
   without a collision would be stuck, so that those a plan makes get no allowance. */
int hf_holds_touches(const hf_plan_hold* holds, int count, int skip, hf_hold* touches);
/* Does the creature collide as tools.links has it? A plan that is cancelled is free nowhere. */
bool hf_plan_collides(hf_planner* p, const hf_collision_query* query, hf_collision* hit);
/* Does the creature collide at the pose, with these holds as touches? */
bool hf_holds_collide(hf_planner* p, const hf_plan_hold* holds, int count, const hf_pose* pose,
                      hf_collision* hit);
/* The centre of mass of a pose; tools.links are then those of the pose. */
hf_vec3 hf_com_at(hf_planner* p, const hf_pose* pose);
/* Has the limb no contact, nor any that excludes it? */
bool hf_limb_idle(const hf_plan_world* world, const hf_plan_hold* holds, int count, int limb);

/* ---- hold_span.c ---- */
/* Fills since and until: guide poses around `from`, without a gap, that have the point within the limb's
   volume. */
void hf_hold_span(const hf_plan_world* world, int from, hf_plan_hold* hold);
/* Lets it end where the limb, going on from the pose, could not hold it any more or would collide. */
void hf_hold_tighten(hf_planner* p, int from, const hf_pose* pose, hf_plan_hold* hold);
/* Looks farther for the node's holds that last as far as was looked at. */
void hf_holds_refresh(hf_planner* p, hf_plan_node* node);
/* How far the hold is from where the limb is at ease with the body at the end of the guide, m. */
double hf_hold_off_goal(const hf_plan_world* world, const hf_plan_hold* hold);

/* ---- spots.c ---- */
/* Spots that are there are of another guide: those of this one are found once a limb asks for them, since
   walks need none. */
void hf_spots_forget(hf_plan_world* world);
/* Fills world.spots for the guide about one of its poses where they are of another part of it: memory and
   time of a long guide stay those of a part. */
bool hf_spots_cover(hf_planner* p, int index);

/* ---- spare_posture.c ---- */
/* The pose free of collision by other postures of single limbs: of those without contact, and of those that
   can hold in more than one way; `seen` (may be NULL) has postures that are tried first. False with *hit when
   something else is in the way. */
bool hf_spares_clear(hf_planner* p, const hf_plan_hold* holds, int count, int skip, const double* seen,
                     hf_pose* pose, hf_collision* hit);

/* ---- body_draw.c ---- */
/* A sequence of random bodies: the same for the same seed, work and stream. */
hf_random hf_body_draws(const hf_planner* p, uint32_t stream);
/* A random shift and turn of about `size` creature heights, rather down than up, with little roll. */
hf_transform hf_body_shift(const hf_plan_world* world, hf_random* random, double size);
/* Bends trunk and head about X, Y and Z, each joint by its share of one bend: 1 is all its limits allow. */
void hf_body_bend_by(const hf_plan_world* world, hf_vec3 bend, double* q);
/* By a random bend. */
void hf_body_bend(const hf_plan_world* world, hf_random* random, double most, double* q);
/* Moves the root until all holds are kept and the margin is there, in a few small steps. */
bool hf_body_settle(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, double aim, hf_pose* pose);

/* ---- stance_pose.c ---- */
/* A pose near `wish` that keeps the holds, is balanced on `stance` by at least margin and free of collision,
   and from which the limb of `leaving` (may be NULL) can lift off. In: a pose to start from. */
bool hf_stance_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose);
/* The same without a long search: by the solver alone. */
bool hf_stance_pose_easy(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose);
/* One as near to the given pose as the solver comes, trunk and all: neither is put back to rest. */
bool hf_stance_pose_from(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, const hf_plan_hold* leaving, hf_pose* pose);
/* Is there one at all near this pose, whatever it collides with? It is looked for from there, or from over
   what carries the body; *found is the margin it came to. */
bool hf_stance_pose_exists(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                           double margin, bool over, hf_pose* pose, double* found);

/* ---- body_way.c ---- */
/* Appends knots that take the body from one pose to the other around what is in its way, or nothing. For
   where hf_segment_move fails. */
bool hf_body_way(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                 const hf_pose* from, const hf_pose* to);

/* ---- segment.c ---- */
/* Each appends the knots of one segment, or nothing and false. They start and end at rest, belong to a node
   and are balanced on its stance. */
/* Between two poses with all holds kept. `from` is the last knot before, here and in the others. */
bool hf_segment_move(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                     const hf_pose* from, const hf_pose* to);
/* One limb from an old hold (NULL: none) to the next, `holds` kept by the others. */
bool hf_segment_swing(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                      const hf_plan_hold* next, const hf_stance* stance, int node, const hf_pose* from,
                      const hf_pose* to);
/* Can the limb leave the hold (or arrive there) straight, its effector nearly as it is, with the body still?
 */
bool hf_segment_lifts(hf_planner* p, const hf_plan_hold* hold, const hf_pose* at);
/* One limb from its hold to a free posture. */
bool hf_segment_free(hf_planner* p, const hf_plan_hold* holds, int count, const hf_plan_hold* old,
                     const hf_stance* stance, int node, const hf_pose* from);

/* ---- walk.c ---- */
/* From the stance tree.node_index on along the guide by many steps without a rest, balanced in motion. True
   with the stances of all steps in the tree; nothing changes when there is no such walk. */
bool hf_walk_on(hf_planner* p);

/* ---- plan_ends.c ---- */
/* The start's pose and holds as the first node: as given, or found at the start's root. */
bool hf_plan_begin(hf_planner* p, const hf_scenario_state* start, hf_plan_node* node, hf_plan_why* why);
/* The contacts of a whole state, exactly on their surfaces. */
int hf_plan_contacts(hf_planner* p, const hf_scenario_state* state, hf_pose* pose, hf_plan_hold* holds);

/* Joints without a task are at rest from now on, toes as these joint values have them: a pose may hold toes
   up for what comes. A hand that grips opens on its way. */
void hf_plan_home(hf_planner* p, const double* q);

/* ---- plan_search.c ---- */
/* Stances along the guide from nodes[0] on until the goal, the end of the work, or until `patience` changes
   have been tried without going farther; the last stance is then tree.node_index. */
hf_plan_why hf_plan_search(hf_planner* p, const hf_scenario_state* goal, int patience);
/* Has the tree a stance with about these holds, about there on the guide? */
bool hf_plan_is_known(const hf_planner* p, const hf_plan_hold* holds, int count, int index);
/* The stance as the search begins with it: nothing tried yet, worth what its place and its contacts promise.
 */
void hf_plan_renew(hf_planner* p, hf_plan_node* node);
/* Keeps the child that was made behind the last node as a stance of the tree and goes on from there. */
void hf_plan_adopt(hf_planner* p, hf_plan_pace pace);
/* Gives up the stances and knots that were made since the tree was so. */
void hf_plan_go_back(hf_planner* p, const hf_plan_tree* was);

/* ---- plan_block.c ---- */
/* Keeps a failed change of the limb (-1: of the body) to a place (NULL: none) when it came farther than those
   before it at the farthest stance. */
void hf_plan_blocked(hf_planner* p, hf_plan_obstacle kind, int limb, const hf_hold* place);
/* The two bodies of a collision in words, behind a semicolon. */
void hf_plan_pair_text(const hf_plan_world* world, const hf_collision* hit, char* text, size_t size);
/* The block, which is one, in words. */
void hf_plan_block_text(const hf_plan_world* world, const hf_plan_block* block, char* text, size_t size);

/* ---- simplify.c ---- */
/* Takes contacts and moves of the body that nothing needs out of the way to the last stance, tree.node_index.
   The start and the last stance stay as they are. False when a tool failed. */
bool hf_plan_simplify(hf_planner* p);

/* ---- plan_goal.c ---- */
/* The body moved from knot `first` on, nothing else changed: a stance of its own in the tree. */
bool hf_plan_stay(hf_planner* p, int first);
/* From the last node to the goal: its root, and its contacts and posture where it is whole. Nothing changes
   when it fails. */
bool hf_plan_arrive(hf_planner* p, const hf_scenario_state* goal);

#endif
