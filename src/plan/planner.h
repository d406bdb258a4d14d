/* What the parts of the contact planner share: the model of a creature, holds, one search. */
#ifndef HF_PLAN_PLANNER_H
#define HF_PLAN_PLANNER_H

#include "base/random.h"
#include "solve/keep.h"
#include <holdfast/balance.h>
#include <holdfast/collision.h>
#include <holdfast/contact.h>
#include <holdfast/guide.h>
#include <holdfast/plan.h>
#include <holdfast/swing.h>
#include <holdfast/timing.h>

/* With more holds than HF_MANY_HOLDS the body nearly always stands without one of them. */
enum { HF_MANY_HOLDS = 3, HF_MAX_HOLDS = 16, HF_MAX_FRAMES_OF_LIMB = 8, HF_MAX_SPARES = 24 };

/* Planes n . x <= d of a convex volume. */
typedef struct hf_volume {
    int plane_count;
    double* planes; /* nx ny nz d */
} hf_volume;

/* Which directions a contact frame can face where, in the limb's root frame. */
typedef struct hf_reach_map {
    hf_vec3 low;
    double cell;
    int side[3];
    uint32_t* bits; /* of each cell; NULL: nowhere */
} hf_reach_map;

typedef struct hf_plan_limb {
    bool used;
    bool walks; /* in a gait group */
    int set_count;
    hf_samples* sets[HF_MAX_FRAMES_OF_LIMB]; /* one for each contact frame */
    hf_reach_map maps[HF_MAX_FRAMES_OF_LIMB];
    hf_transform limb_in_root; /* its root frame (hf_limb_base) with the trunk at rest */
    hf_volume volume;          /* its reach, in the root's frame with the trunk at rest */
    hf_transform base_in_root; /* its base link with the trunk at rest */
    hf_vec3 anchor_in_root;    /* where its first joint is */
    hf_vec3 rest_in_root;      /* its first contact frame's point at rest */
    hf_quat rest_turn;         /* and the orientation of that frame's link */
    hf_vec3 bent_in_root;      /* its lowest contact frame's point at rest on all limbs, if that is known */
    int spare_count;           /* postures for a limb without contact, nearest to rest first */
    int spares[HF_MAX_SPARES]; /* samples of its first set */
} hf_plan_limb;

struct hf_plan_model {
    const hf_creature* creature;
    hf_guide_model* guide;
    int limb_count;
    hf_plan_limb* limbs;
    bool* loose_joint; /* of each joint: belongs to no limb */
    /* Of each joint: its axis at rest in the root's frame where it bends the trunk or the head, zero
     * elsewhere. */
    hf_vec3* bend_axis;
    hf_vec3 load_in_root; /* centre of mass at rest of what the walking limbs carry */
    /* How high the root is over what the walking limbs stand on at rest, and at rest on all limbs; the same
       where that is not known. */
    double rest_height, bent_height;
};

/* A hold of the search: where it is in the world, how the limb's link is kept there, and what the search
   knows about it. */
typedef struct hf_plan_hold {
    hf_hold at;
    hf_anchor anchor;
    bool overlaps;      /* given with the start: its effector may be in what it touches */
    hf_support support; /* how it bears */
    int since, until;   /* first and last guide pose from which the point is within the limb's reach */
    int seen;           /* how far along the guide that was looked at */
    /* of a stance, as the search has found: */
    bool stuck;  /* there is no pose from which the limb can leave */
    bool tempts; /* the limb has a step that does not seem to lead on */
    int maker;   /* stance of the tree that it was made for */
} hf_plan_hold;

/* A frame of a segment. */
typedef struct hf_plan_frame {
    hf_transform root;
    int node;  /* index into the planner's tree */
    int swing; /* limb that is on its way into that stance, -1 */
} hf_plan_frame;

/* Frames that hold: appended by segments, cut off when the search goes back. */
typedef struct hf_frame_store {
    int count, capacity, q_capacity, q_count;
    hf_plan_frame* frames;
    double* q; /* rows of q_count */
} hf_frame_store;

/* One stance of the tree that is searched. */
typedef struct hf_plan_node {
    int parent; /* -1: the start */
    int guide_index;
    int hold_count;
    hf_plan_hold holds[HF_MAX_HOLDS];
    hf_pose pose;               /* at its end; q belongs to the node */
    int first_frame, end_frame; /* of the store: the change into this stance */
    int last_limb;              /* that changed, -1 */
    int option;                 /* what the search tries next from here */
    int found;                  /* children that it brought */
    int blocked;                /* how often the limb that changed for it could not leave again */
    double worth;               /* of going on from here; less after each vain attempt */
} hf_plan_node;

/* A point of the scene that a limb could touch. */
typedef struct hf_spot {
    hf_vec3 point, normal;
    int object;
    double room; /* share of a small circle about it that nothing stands in; negative: not looked at yet */
} hf_spot;

/* Where a limb could go next. */
typedef struct hf_step_candidate {
    hf_plan_hold hold;
    double score;
    hf_transform root; /* of the body, and its whole posture with the limb there */
    double* q;
} hf_step_candidate;
enum { HF_STEP_CANDIDATES = 24, HF_MAX_STANCES = 2048 };
typedef struct hf_step_list {
    int count;
    hf_step_candidate items[HF_STEP_CANDIDATES];
} hf_step_list;

typedef struct hf_planner {
    const hf_plan_model* model;
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_scene* scene;
    hf_placement* placement;
    const hf_plan_options* options;
    hf_workspace* workspace;
    int guide_count;
    const hf_transform* guide;
    hf_spot* spots; /* of the scene, near the guide */
    int spot_count;
    hf_transform* links; /* scratch of forward kinematics */
    double* jacobian;    /* scratch: 3 rows of a limb's */
    hf_transform* guide_poses;
    hf_frame_store frames; /* of all stances of the tree */
    hf_plan_node* nodes;   /* the tree, HF_MAX_STANCES */
    int node_count;
    int node_index; /* of the stance from which the search goes on */
    int farthest;   /* the stance that is farthest along the guide */
    int attempt;    /* the guide's number */
    int stalled;    /* changes tried since the body last went farther */
    bool blocked;   /* the last change failed because the limb found no way to its next contact */
    hf_contact_answer* answer;
    hf_swing* swing;
    hf_clearance* clearance; /* of poses along segments */
    hf_timing* timing;
    hf_stance *stance_a, *stance_b, *stance_c;
    hf_step_list steps;
    double *nodes_q, *steps_q;
    double* home; /* posture of joints without a task: at rest, toes as the start has them */
    double *q_a, *q_b, *q_c, *q_d, *q_e, *q_f, *q_g, *q_h, *q_i, *q_j; /* scratch postures */
    bool has_grips;                                                    /* the scene has something to grip */
    int work;
    bool out_of_memory, cancelled;
    hf_progress_fn progress;
    void* user;
} hf_planner;

/* ---- planner.c ---- */
/* Takes the memory of a search whose creature, scene and options are set; false when there is none left. */
bool hf_planner_begin(hf_planner* p);
void hf_planner_end(hf_planner* p);

/* ---- plan.c ---- */
/* One guide, p->attempt of them, and what comes of it: a motion, whole or as far as it went. */
hf_status hf_plan_attempt(hf_planner* p, const hf_plan_query* query, hf_plan_result* result);
double hf_plan_clock(void); /* s */

/* ---- hold.c ---- */
/* A found contact as a hold, with the pose that makes it. */
void hf_hold_make(hf_planner* p, const hf_hold* contact, const hf_pose* pose, hf_plan_hold* hold);
hf_target hf_hold_target(const hf_plan_hold* hold);
/* Moves the joints of the held limbs (all but `skip`) so that the holds are kept, given root and all other
   joints of the pose. False when one cannot be; *pull is then how the root should move for it. */
bool hf_holds_keep(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_pose* pose,
                   hf_vec3* pull);
/* Has the limb more joints than its hold needs: can it hold in more than one posture? */
bool hf_hold_is_loose(const hf_planner* p, const hf_plan_hold* hold);
/* One limb alone, from where it is, given p->links of the rest of the body. */
bool hf_hold_solve(hf_planner* p, const hf_plan_hold* hold, hf_pose* pose);
/* All of them with less care: false soon where a limb cannot, and where all can they are near. */
bool hf_holds_near(hf_planner* p, const hf_plan_hold* holds, int count, hf_pose* pose, hf_vec3* pull);
/* Of the holds that may overlap. A limb that could not leave without a collision would be stuck, so that
   those a plan makes get no allowance. */
int hf_holds_touches(const hf_plan_hold* holds, int count, int skip, hf_hold* touches);
int hf_holds_find(const hf_plan_hold* holds, int count, int limb);
/* Does the creature collide at the pose, with these holds as touches? */
bool hf_holds_collide(hf_planner* p, const hf_plan_hold* holds, int count, int skip, const hf_pose* pose,
                      hf_collision* hit);
/* Fills since and until: guide poses around `from`, without a gap, that have the point within the limb's
   volume. */
void hf_hold_span(hf_planner* p, int from, hf_plan_hold* hold);
/* Lets it end where the limb, going on from the pose, could not hold it any more or would collide. */
void hf_hold_tighten(hf_planner* p, int from, const hf_pose* pose, hf_plan_hold* hold);
/* Looks farther for the node's holds that last as far as was looked at. */
void hf_holds_refresh(hf_planner* p, hf_plan_node* node);
/* Has the limb no contact, nor any that excludes it? */
bool hf_limb_idle(const hf_planner* p, const hf_plan_hold* holds, int count, int limb);
/* What the holds (all but `skip`) can carry. False when memory is out. */
bool hf_holds_stance(hf_planner* p, const hf_plan_hold* holds, int count, int skip, hf_stance* stance);

/* ---- plan_model.c ---- */
/* Where the limb is at ease with the root there: as at rest, or as at rest on all limbs where the body is
   bent so far. */
hf_vec3 hf_limb_ease(const hf_planner* p, int limb, hf_transform root);

/* ---- guide_settle.c ---- */
/* Moves and turns the poses of a guide to where the body stands well and looks ahead; *effort is its length
   in creature heights with what it costs to stand badly, lean and turn. False when memory is out. */
bool hf_guide_settle(hf_planner* p, hf_transform* guide, int count, double* effort);

/* ---- spare_posture.c ---- */
/* Chooses the spares of a limb from its first sample set. */
bool hf_spares_choose(hf_plan_model* model, int limb);
/* The pose free of collision by other postures of single limbs: of those without contact, and of those that
   can hold in more than one way; `seen` (may be NULL) has postures that are tried first. False with *hit when
   something else is in the way. */
bool hf_spares_clear(hf_planner* p, const hf_plan_hold* holds, int count, int skip, const double* seen,
                     hf_pose* pose, hf_collision* hit);

/* ---- body_draw.c ---- */
/* A sequence of random bodies: the same for the same seed, work and stream. */
hf_random hf_body_draws(const hf_planner* p, uint32_t stream);
/* A random shift and turn of about `size` creature heights, rather down than up, with little roll. */
hf_transform hf_body_shift(const hf_planner* p, hf_random* random, double size);
/* Bends trunk and head, each joint by its share of one random bend: 1 is all its limits allow. */
void hf_body_bend(const hf_planner* p, hf_random* random, double most, double* q);
/* Moves the root until all holds are kept and the margin is there, in a few small steps. */
bool hf_body_settle(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, double aim, hf_pose* pose);

/* ---- spots.c ---- */
/* Fills p->spots for the guide. False when memory is out. */
bool hf_spots_find(hf_planner* p);
/* Its room, looked at when it is asked for first. */
double hf_spot_room(const hf_planner* p, hf_spot* spot);

/* ---- stance_pose.c ---- */
/* A pose near `wish` that keeps the holds, is balanced on `stance` by at least margin and free of collision,
   and from which the limb of `leaving` (may be NULL) can lift off. In: a pose to start from. */
bool hf_stance_pose(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                    double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose);

/* The same without a long search: by the solver alone. */
bool hf_stance_pose_easy(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                         double margin, hf_transform wish, const hf_plan_hold* leaving, hf_pose* pose);
/* Is there one at all near this pose, whatever it collides with? It is looked for from there, or from over
   what carries the body; *found is the margin it came to. */
bool hf_stance_pose_exists(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance,
                           double margin, bool over, hf_pose* pose, double* found);

/* ---- body_way.c ---- */
/* Appends frames that take the body from one pose to the other around what is in its way, or nothing. For
   where hf_segment_move fails. */
bool hf_body_way(hf_planner* p, const hf_plan_hold* holds, int count, const hf_stance* stance, int node,
                 const hf_pose* from, const hf_pose* to);

/* ---- frame_store.c ---- */
void hf_frames_free(hf_frame_store* frames);
bool hf_frames_add(hf_frame_store* frames, const hf_pose* pose, int node, int swing);
hf_pose hf_frames_pose(const hf_frame_store* frames, int frame);

/* ---- segment.c ---- */
/* Each appends the frames of one segment, or nothing and false. They start and end at rest, belong to a node
   and are balanced on its stance. */
/* Between two poses with all holds kept. `from` is the last frame before, here and in the others. */
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

/* ---- reach_map.c ---- */
/* From the samples of a contact frame; false when memory is out. */
bool hf_reach_map_build(const hf_creature* creature, const hf_samples* samples, hf_reach_map* map);
/* facing: into the surface, in the limb's root frame; NULL: any way. */
bool hf_reach_map_has(const hf_reach_map* map, hf_vec3 point, const hf_vec3* facing);
/* With the limb's root frame there, is the spot about where one of its contact frames can be, facing it? */
bool hf_limb_may_reach(const hf_planner* p, int limb, hf_transform base, const hf_spot* spot, bool grip);

/* ---- places.c ---- */
/* Is there any spot that the limb may reach from the root? */
bool hf_places_any(const hf_planner* p, int limb, hf_transform root);
/* Adds places to the list where a limb could touch, reached from the first of the poses that can; scores
   are left to the caller. */
void hf_places_list(hf_planner* p, const hf_pose* poses, int pose_count, const hf_plan_hold* rest,
                    int rest_count, int limb, const hf_plan_hold* old, int index, hf_step_list* list);

/* ---- footing.c ---- */
/* The root with its heading only. */
hf_transform hf_root_upright(hf_transform root);
/* Adds places to the list under the body along the guide where a walking limb could stand, reached
   from the first of the poses that can, farthest first; scores are left to the caller. False when memory is
   out. */
bool hf_footing_list(hf_planner* p, const hf_pose* poses, int pose_count, const hf_plan_hold* rest,
                     int rest_count, int limb, const hf_plan_hold* old, int index, hf_step_list* list);

/* ---- step.c ---- */
/* Moves a limb to its next contact, or makes one: the best that no child of the node has; `forced` is the
   contact to make, NULL to choose. A daring step is one that does not seem to lead on. Appends frames and
   fills the child when true. */
bool hf_step_limb(hf_planner* p, hf_plan_node* node, int limb, const hf_plan_hold* forced, bool daring,
                  hf_plan_node* child);
/* Fills p->steps with the contacts a limb could make from the pose, best first; false when there is none. */
bool hf_step_find(hf_planner* p, const hf_pose* pose, const hf_plan_hold* rest, int rest_count, int limb,
                  int index, const hf_vec3* wish);
/* Lets a contact go. */
bool hf_step_release(hf_planner* p, hf_plan_node* node, int limb, hf_plan_node* child);

/* Goes over to a contact frame of the same limb that lies where it is, on a toe: nothing moves but the body,
   where it must. */
bool hf_step_roll(hf_planner* p, const hf_plan_node* node, int limb, hf_plan_node* child);

/* ---- plan_ends.c ---- */
/* The start's pose and holds as the first node: as given, or found at the start's root. */
bool hf_plan_begin(hf_planner* p, const hf_scenario_state* start, hf_plan_node* node, hf_plan_why* why);
/* The contacts of a whole state, exactly on their surfaces. */
int hf_plan_contacts(hf_planner* p, const hf_scenario_state* state, hf_pose* pose, hf_plan_hold* holds);

/* ---- plan_search.c ---- */
/* Stances along the guide from nodes[0] on until the goal, the end of the work, or until `patience` changes
   have been tried without going farther; the last stance is then p->node_index. */
hf_plan_why hf_plan_search(hf_planner* p, const hf_scenario_state* goal, int patience);
/* Has the limb that changed for the stance been unable to leave so often that it is to blame? */
bool hf_plan_is_blocked(const hf_plan_node* node);
/* Keeps the child that was made behind the last node as a stance of the tree and goes on from there. */
void hf_plan_adopt(hf_planner* p);
/* ---- plan_goal.c ---- */
/* From the last node to the goal: its root, and its contacts and posture where it is whole. Nothing changes
   when it fails. */
bool hf_plan_arrive(hf_planner* p, const hf_scenario_state* goal);

#endif
