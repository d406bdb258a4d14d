/* Running a list of actions. */
#ifndef HF_REACH_REACH_RUN_H
#define HF_REACH_REACH_RUN_H

#include "reach/hand_solve.h"
#include "model/object_shape.h"
#include "reach/reach_play.h"

#include <pthread.h>

/* One frame while the body leans on a hand. */
typedef struct hf_reach_lean_frame {
    double controls[HF_CONTROL_COUNT];
    hf_vec3 com; /* of the stand */
} hf_reach_lean_frame;

typedef struct hf_reacher {
    const hf_scenario* scenario;
    const hf_reach_options* options;
    hf_control_layer* layer;
    double legs_m; /* how far the layer lets the pelvis down where the joints of the legs allow it */
    hf_reach_world world;
    hf_reach_crew crew;
    hf_reach_roadmap* roadmap;
    hf_reach_stage stage;
    hf_workspace* workspace; /* of the ways of one action */
    hf_transform* known;     /* where each object stood when the roadmap was last up to date */
    hf_object_shape* shapes; /* of each object of the scene */
    double* joint_at;        /* of each object: how far its joint is open, rad or m */
    double* open_q;          /* the posture of the start, with open hands */
    double* shaped_q[2];     /* of the right and the left hand, as they came to what they pinch */
    hf_reach_result* result;
    hf_reach_action_result* now; /* of the action that is running */
    const hf_action* next;       /* the one that follows, where it is known: grasps are chosen for both */
    hf_progress_fn progress;     /* the caller's; asked through hf_reach_ask alone */
    void* user;
    struct {
        bool on;
        hf_hold hold; /* of the hand, in the world */
        hf_quat turn; /* of its link */
        int count;
        hf_reach_lean_frame* frames; /* from over the feet to where it leans */
    } lean;
    bool leaves_start;     /* the first action walks away: nobody asks for a roadmap of the start */
    int action_capacity;   /* of result->actions */
    pthread_mutex_t mutex; /* of calls of progress, and of all below */
    bool stopped;          /* progress said no */
    double deadline_s;     /* of the monotonic clock: threads wait from then on; INFINITY for never */
    int waiting;           /* threads that wait for more */
    pthread_cond_t rested; /* a thread waits, or the work is done */
    pthread_cond_t budget; /* there is more */
} hf_reach_runner;

hf_status hf_reach_runner_create(hf_reach_runner* runner, hf_error* error);
/* The roadmap where the start stands, and the first knot. */
hf_status hf_reach_runner_begin(hf_reach_runner* runner, hf_error* error);
/* Was a roadmap made where the runner stands, with its creature, scene and options? */
hf_status hf_reach_roadmap_fits(const hf_reach_runner* runner, const hf_roadmap* roadmap, hf_error* error);
/* The runner's roadmap, which has no nodes yet, becomes that one. */
hf_status hf_reach_roadmap_take(hf_reach_runner* runner, const hf_roadmap* roadmap);
/* Objects with keys are where they have them now; the roadmap learns of all that moved. */
hf_status hf_reach_follow_scene(hf_reach_runner* runner);
/* One action, added to the result. */
hf_status hf_reach_runner_act(hf_reach_runner* runner, const hf_action* action);
/* The motion of what was done. */
hf_status hf_reach_runner_realise(hf_reach_runner* runner, hf_error* error);
void hf_reach_runner_destroy(hf_reach_runner* runner);

/* Says why the running action failed. */
__attribute__((format(printf, 3, 4))) hf_status hf_reach_say(hf_reach_runner* runner, hf_outcome outcome,
                                                             const char* format, ...);
/* Asks the caller's progress, one thread at a time; a hf_progress_fn whose user is the runner. Once it said
   no, nobody goes on. */
bool hf_reach_ask(void* runner, double share, const char* what);
/* Goes to a posture on a free way; the action fails with a reason where there is none. */
hf_status hf_reach_go(hf_reach_runner* runner, const double* goal, int without);
/* The same to where a straight line begins and on along it, without a stop where that holds. */
hf_status hf_reach_come(hf_reach_runner* runner, const hf_space_rows* line, int without);
/* The creature stands so from now on, on these holds of its legs in the world: a roadmap is made there. */
hf_status hf_reach_settle(hf_reach_runner* runner, const hf_pose* pose, const hf_hold feet[2]);
/* Walks to the place of a step action. */
hf_status hf_reach_step(hf_reach_runner* runner, const hf_action* action);
/* Reaches a target while the other hand bears on something; *leans false: that does not help either. */
hf_status hf_reach_lean(hf_reach_runner* runner, const hf_target* target, bool* leans);
/* Goes back over the feet and takes the hand off. */
hf_status hf_reach_stop_leaning(hf_reach_runner* runner);
/* Both arms, the one on the side of a point first. */
void hf_reach_sort_arms(const hf_reach_runner* runner, hf_vec3 point, int arms[2]);
hf_status hf_reach_do(hf_reach_runner* runner, const hf_action* action, int index);

#endif
