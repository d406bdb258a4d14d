/* Scenarios: a creature in a scene with something to do. */
#ifndef HOLDFAST_SCENARIO_H
#define HOLDFAST_SCENARIO_H

#include <holdfast/clip.h>
#include <holdfast/schedule.h>
#include <holdfast/edit.h>
#include <holdfast/options.h>
#include <holdfast/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hf_scenario_kind {
    HF_SCENARIO_POSE,
    HF_SCENARIO_CONTACT,
    HF_SCENARIO_PLAN,
    HF_SCENARIO_ADAPT,
    HF_SCENARIO_REACH
} hf_scenario_kind;
HF_API const char* hf_scenario_kind_text(hf_scenario_kind kind);

/* A pose with contacts; `whole` when joints or contacts were given, else only the root counts. */
typedef struct hf_scenario_state {
    hf_pose pose;
    bool whole;
    bool stands;      /* only a place was given ("at"): x, y and heading of the root count until
                         hf_scenario_stand */
    bool any_heading; /* and no heading with it */
    bool placed; /* hf_scenario_stand found the pose at a place: as a goal it is reached where the body stands
                    there, whatever its feet stand on */
    hf_transform place; /* then: x, y and heading (of +X) that were asked for; tolerances count from there */
    int contact_count;
    hf_hold* contacts; /* in the world; frame -1; a zero normal: wherever the limb is now */
} hf_scenario_state;

typedef struct hf_task_limb {
    int limb;
    hf_role role;
    hf_vec3 direction; /* unit */
} hf_task_limb;

typedef struct hf_task {
    char* name; /* "" for the only one */
    hf_vec3 direction;
    int limb_count; /* 0: every limb in use supports */
    hf_task_limb* limbs;
} hf_task;

typedef struct hf_score_weight {
    char* term;
    double weight;
} hf_score_weight;

/* The option tables that "options" of a scenario can set: X(name in the file, kind of scenario, function that
   gives the table). The loader expands the names and kinds, whoever solves scenarios the functions too (with
   holdfast/holdfast.h included). Where two tables of a kind have an option of the same name, the first one is
   meant when no table is named. */
#define HF_SCENARIO_TABLES(X)                                                                                \
    X("plan", HF_SCENARIO_PLAN, hf_plan_option_table)                                                        \
    X("roadmap", HF_SCENARIO_PLAN, hf_roadmap_option_table)                                                  \
    X("guide", HF_SCENARIO_PLAN, hf_guide_option_table)                                                      \
    X("contact", HF_SCENARIO_CONTACT, hf_contact_option_table)                                               \
    X("sequence", HF_SCENARIO_CONTACT, hf_sequence_option_table)                                             \
    X("swing", HF_SCENARIO_CONTACT, hf_swing_option_table)                                                   \
    X("course", HF_SCENARIO_CONTACT, hf_course_option_table)                                                 \
    X("reach", HF_SCENARIO_REACH, hf_reach_option_table)                                                     \
    X("retarget", HF_SCENARIO_ADAPT, hf_retarget_option_table)                                               \
    X("adapt", HF_SCENARIO_ADAPT, hf_adapt_option_table)

/* A number of an options table that the file sets: "options": { "plan": { "horizon": 30 } }. */
typedef struct hf_scenario_option {
    const char* table; /* its name in the file: one of HF_SCENARIO_TABLES */
    char* name;
    double value; /* 0 or 1 for a flag */
} hf_scenario_option;

/* ---- scenarios of kind reach ---- */

/* How a hand holds an object: where it is, how its fingers are, and from where it comes. */
typedef struct hf_grasp {
    hf_transform hand; /* the effector link, in the object's frame */
    hf_vec3 approach;  /* unit, the way the hand comes, in the object's frame */
    int limb;          /* -1: any arm */
    int joint_count;   /* finger joints with a value; 0: fingers close until they touch */
    int* joints;
    double* values;
} hf_grasp;

typedef enum hf_object_joint { HF_OBJECT_FREE, HF_OBJECT_HINGE, HF_OBJECT_SLIDE } hf_object_joint;

/* What a reach scenario says of an object beyond the scene's. Frames are the object's. */
typedef struct hf_reach_object {
    bool upright; /* is not tilted while it is carried */
    int grasp_count;
    hf_grasp* grasps;
    hf_object_joint joint; /* how it moves where it is fixed: a door, a drawer */
    hf_vec3 axis, origin;  /* of the joint: unit direction, and a point of a hinge's axis */
    double range[2];       /* rad or m, 0 where it starts */
    bool has_handle;
    hf_vec3 handle; /* where it is opened by */
} hf_reach_object;

typedef enum hf_action_kind {
    HF_ACTION_REACH,
    HF_ACTION_GRASP,
    HF_ACTION_CARRY,
    HF_ACTION_PLACE,
    HF_ACTION_RELEASE,
    HF_ACTION_OPEN,
    HF_ACTION_CLOSE,
    HF_ACTION_STEP,
    HF_ACTION_WAIT
} hf_action_kind;
HF_API const char* hf_action_text(hf_action_kind kind);
typedef enum hf_hand { HF_HAND_ANY, HF_HAND_ONE, HF_HAND_BOTH } hf_hand;

typedef struct hf_action {
    hf_action_kind kind;
    hf_hand hand;
    int limb;   /* of HF_HAND_ONE */
    int object; /* -1: none named */
    bool has_point, has_rotation;
    hf_vec3 point;    /* where the hand goes, or the object's position; in the world */
    hf_quat rotation; /* of the effector link, or of the object */
    double by;        /* of open and close: rad or m; NaN: all the way */
    double seconds;
    double at[3]; /* x, y, yaw of a step */
} hf_action;
/* A joint of the clip and the creature's link that follows it; an empty link: none does. */
typedef struct hf_joint_link {
    char *joint, *link;
} hf_joint_link;

/* What a scenario of kind adapt asks for: a clip onto a creature, into an edited scene. */
typedef struct hf_adapt_task {
    char* clip_path;
    hf_clip* clip;         /* NULL where the clip is a schedule of the creature */
    hf_schedule* schedule; /* NULL where it is not */
    int mapping_count;
    hf_joint_link* mapping; /* the rest is guessed */
    int edit_count;
    hf_scene_edit* edits;
    hf_scene* scene; /* as the clip saw it; NULL without edits. The scenario's own scene is the edited one */
} hf_adapt_task;

/* Everything of a scenario file, loaded and resolved; owns creature and scene. */
typedef struct hf_scenario {
    char* name; /* the file's stem without .scenario.json */
    char* path;
    hf_scenario_kind kind;
    char* creature_path;
    hf_creature* creature;
    hf_scene* scene;
    hf_scenario_state start, goal; /* goal.pose.q is NULL when there is none */
    int target_count;
    hf_target* targets;
    int task_count;
    hf_task* tasks;
    int path_count;
    hf_transform* root_path;
    hf_reach_object* reach_objects; /* of each object of the scene; NULL where the kind is not reach */
    int action_count;
    hf_action* actions;
    hf_adapt_task* adapt; /* NULL for other kinds, and where the file names no clip */
    uint64_t seed;
    int samples;      /* options.samples; default 10000 */
    double epsilon_m; /* options.epsilon; 0: by the limb's length */
    int weight_count;
    hf_score_weight* weights; /* options.score */
    int option_count;
    hf_scenario_option* options; /* of tables; hf_scenario_set puts them into their structs */
    int warning_count;
    char** warnings;
} hf_scenario;

/* Unknown keys, names that the creature or scene does not have, keys of another kind and joint values
   outside limits are refused. Directions come out unit. An object with keys starts where they put it at
   time 0. A target without "contact" uses the limb's first contact frame, or the effector link's origin
   where it has none. options may be NULL. */
HF_API hf_status hf_scenario_load(const char* path, const hf_load_options* options, hf_scenario** scenario,
                                  hf_error* error);
HF_API void hf_scenario_free(hf_scenario* scenario);

/* Puts what the file sets for this table into its struct. HF_ERROR_ARGUMENT with the file, the key and the
   nearest name for one that the table does not have, and for a value out of its range. The loader cannot do
   this: it does not know the tables of the modules that solve scenarios. */
HF_API hf_status hf_scenario_set(const hf_scenario* scenario, const char* table_name, hf_option_table table,
                                 void* options, hf_error* error);

/* A scene from one mesh file, as an object named after it. Warnings as hf_mesh_load gives them. */
HF_API hf_status hf_scene_load_mesh(const char* path, hf_scene** scene, char** warnings, hf_error* error);

#ifdef __cplusplus
}
#endif
#endif
