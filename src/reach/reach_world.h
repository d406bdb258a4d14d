/* What postures of a control layer are judged by, as a space that src/space can search. */
#ifndef HF_REACH_REACH_WORLD_H
#define HF_REACH_REACH_WORLD_H

#include "reach/body_sweep.h"
#include "solve/gaze.h"
#include "space/space.h"

#include <holdfast/balance.h>
#include <holdfast/reaching.h>

/* A state: the controls, then the points of the distance. */
enum { HF_REACH_WIDTH = HF_CONTROL_COUNT + 3 * HF_CONTROL_POINTS, HF_REACH_MAX_CARRIED = 2 };
/* The points of a state, and those of one of its arms (HF_SHOULDER_POINT and so on). */
static inline const hf_vec3* hf_reach_points(const double* state) {
    return (const hf_vec3*)(const void*)(state + HF_CONTROL_COUNT);
}
static inline const hf_vec3* hf_reach_arm_points(const double* state, hf_side side) {
    return hf_reach_points(state) + hf_control_first_point(side);
}

/* An object that a hand holds. */
typedef struct hf_reach_load {
    int object;
    int limb;             /* the arm that holds it */
    int second;           /* another arm that holds it too, -1 for none */
    hf_transform in_hand; /* the object in the effector link's frame */
    double mass;
    hf_vec3 com; /* in the object's frame */
    int shape_count;
    const hf_shape* shapes; /* convex, in the object's frame */
    bool upright;
    hf_hold hold, second_hold;        /* in the object's frame */
    hf_quat second_turn;              /* of the second hand's link, in the object's frame */
    double grasped[HF_CONTROL_COUNT]; /* the controls with which it was grasped */
    const double* toward;             /* controls that postures that carry it are drawn to; NULL: none */
    const double* shaped;  /* joint values with which a hand that pinches it came; NULL: it does not pinch */
    bool pressed;          /* the two hands do not grip it: friction between their palms bears it */
    hf_support presses[2]; /* of the two hands then, in the object's frame */
} hf_reach_load;

/* An object that lies on one that a hand holds, or in it, and goes along. */
typedef struct hf_reach_rider {
    int object, on;       /* on: the object that is held */
    hf_transform in_load; /* in the frame of that one */
    hf_vec3 up;           /* in that frame, when it was taken: what tilts drops it */
    double mass;
    hf_vec3 com; /* in its own frame */
    int shape_count;
    const hf_shape* shapes; /* convex, in its own frame */
} hf_reach_rider;

/* How the trunk beside an arm and its upper arm are turned in the rest posture, in the world. */
typedef struct hf_reach_hanging_arm {
    hf_quat trunk, upper;
} hf_reach_hanging_arm;

/* Shared by workers while they search. */
typedef struct hf_reach_world {
    const hf_creature* creature;
    const hf_control_layer* layer;
    const hf_reach_options* options;
    hf_placement* placement;
    hf_control_stand stand;
    double* stand_q; /* what stand.q points to: fingers may change */
    int version;     /* of the stand, from 1: whoever changes the stand or its joint values counts it up */
    hf_stance* stance;
    hf_support supports[HF_STANCE_SUPPORTS];
    int support_count;
    int load_count;
    hf_reach_load loads[HF_REACH_MAX_CARRIED];
    int rider_count;
    hf_reach_rider* riders; /* room for all objects of the scene */
    double load_room_m;     /* what is carried stays so far from all objects while it is on its way */
    int touch_count; /* objects that a hand may touch without holding them: it is about to grasp or let go */
    hf_hold touches[4];
    double rest[HF_REACH_WIDTH];
    hf_body_sweep sweep;
    bool scene_only; /* postures are tested against the placement alone: all else is known to hold */
    bool changed;    /* objects stand elsewhere than when the roadmap was made */
    hf_reach_hanging_arm hanging[2]; /* right, left */
    hf_gaze gaze;
    bool gazes; /* poses are frames, whose head looks where it does now; else they are searched, looking ahead
                 */
    double head[HF_GAZE_JOINTS], ahead[HF_GAZE_JOINTS]; /* the head's joint values now, and looking ahead */
    double straight[2]; /* elbow controls of arms that reach as far as they can */
} hf_reach_world;

/* Poses are frames from now on, or searched ones. */
static inline void hf_reach_gaze(hf_reach_world* world, bool gazes) {
    world->gazes = gazes;
    world->version++;
}

typedef struct hf_reach_worker {
    const hf_reach_world* world;
    hf_workspace* workspace;
    hf_clearance* clearance;
    hf_transform* links;
    double* jacobian; /* scratch: 9 rows over all speeds */
    hf_stance* press; /* of what two palms press between them */
    hf_pose pose, before;
    int posed; /* version of the stand that pose and links were made from, with these controls; 0: other ones
                */
    bool kept; /* the legs kept the feet then */
    double posed_controls[HF_CONTROL_COUNT];
    hf_transform* links_before; /* of the pose before */
    hf_sweep_bend* bends;       /* scratch: one for each link */
    hf_box* swept;              /* boxes of the last way that was found to pass */
    bool unswept;               /* nobody keeps the ways that are tested: swept is left as it is */
    int without;                /* arm left out of costs, -1 for none */
    const double* ends[2];      /* of the way that trees look for */
    int64_t tests;
    const char* why; /* what the last posture failed at */
    char text[120];  /* of a collision */
    bool met[2]; /* right, left: while something is carried, the arm or what it carries met something since an
                    action began */
    hf_collision hit;
} hf_reach_worker;

hf_status hf_reach_worker_create(const hf_reach_world* world, hf_workspace* workspace,
                                 hf_reach_worker** worker);
void hf_reach_worker_free(hf_reach_worker* worker);
/* The world changed: what is known of distances does not hold any more. */
void hf_reach_worker_forget(hf_reach_worker* worker);

/* The space of a worker: distance, between, valid, passes, draw, extend. */
hf_space hf_reach_space(hf_reach_worker* worker);
/* The same with the points of one arm left out of the distance (reaching-2003 section 5), and edges weighed
   by comfort. */
hf_space hf_reach_cost_space(hf_reach_worker* worker);

/* Where the pose in the worker has a load, and what rides on it. */
hf_transform hf_reach_load_pose(const hf_reach_worker* worker, const hf_reach_load* load);
hf_transform hf_reach_rider_pose(const hf_reach_worker* worker, const hf_reach_rider* rider);
bool hf_reach_rides(const hf_reach_world* world, int object);

/* Fills a state from its controls; worker->pose and links are its. False: the legs cannot. */
bool hf_reach_state(hf_reach_worker* worker, const double* controls, double* state);
bool hf_reach_valid(hf_reach_worker* worker, const double* state);
/* The same without looking for collisions: limits, range of motion, balance, upright loads. */
bool hf_reach_holds(hf_reach_worker* worker, const double* state);
/* May the pose in the worker follow a frame with this one, as hf_realise and a check will see it? */
bool hf_reach_frames_pass(hf_reach_worker* worker, const hf_pose* from);
/* Do the palms bear a load that they press between them, in the pose in the worker, with the joints of their
   arms within their effort limits? */
bool hf_reach_presses(hf_reach_worker* worker, const hf_reach_load* load, hf_transform object);
/* The middle of what two points hold, drawn into the upright plane through them where it hangs but for what
   hands and meshes are exact to; of two patches the same middle. */
hf_vec3 hf_reach_hanging(const hf_support supports[2], hf_vec3 com);
/* A drawn posture: regular or reaching far. */
hf_status hf_reach_draw(void* worker, int64_t index, double* state, bool* drawn);

#endif
