/* Agents: a creature that a game steers frame by frame. The agent holds contacts, decides which to renew,
   swings limbs to new ones and moves the root as far as they allow. One agent belongs to one thread at a
   time; any number of agents share a creature, its sample sets and a placement. A step in steady state uses
   no heap. The same inputs give the same outputs, whatever else runs. */
#ifndef HOLDFAST_AGENT_H
#define HOLDFAST_AGENT_H

#include <holdfast/contact.h>
#include <holdfast/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_agent hf_agent;

typedef struct hf_agent_options {
    double swing_s; /* least time of a swing; 0 (default): 0.4 s for a limb of 1 m, by its root for others */
    double half_stride_m;   /* how far before and behind its place a foot may stand; 0 (default): 0.2 limb
                               lengths */
    double lift_m;          /* how far a swing leaves the surface; 0 (default): 0.1 limb lengths */
    double effort_weight;   /* of the force along the task in the choice of contacts; default 0.3 */
    double comfort_weight;  /* of the posture's comfort; default 5, half of what sequences weigh it: the
                               nearness to the limb's place says  part of it */
    double distance_weight; /* of the nearness to the limb's place under the body; default 30 */
    double max_lean_rad; /* how far the body leans with its footholds, for four limbs and more; default 0.6 */
} hf_agent_options;
HF_API hf_agent_options hf_agent_options_default(void);
HF_API hf_option_table hf_agent_option_table(void);

/* `samples` holds for each limb its sets, one for each contact frame, as hf_contact_find takes them; NULL for
   a limb or a frame that is not to be used. The limbs of the creature's gait walk; without a gait, all in use
   that have joints, contact frames and sets. options may be NULL. Creature and sets must outlive the agent.
   HF_ERROR_ARGUMENT for options out of range, a set of another creature, limb or frame, and when no limb can
   walk. */
HF_API hf_status hf_agent_create(const hf_creature* creature, const hf_samples* const* const* samples,
                                 const hf_agent_options* options, hf_agent** agent);
HF_API void hf_agent_free(hf_agent* agent);
/* As hf_workspace_watch, for the agent's own workspace: a step that is cancelled finds no new contact. */
HF_API void hf_agent_watch(hf_agent* agent, hf_progress_fn progress, void* user);

/* Puts the creature somewhere. Walking limbs whose contact frame is on a surface (1 mm) hold it there; the
   others look for contacts in the steps that follow. HF_ERROR_ARGUMENT for numbers that are not finite and
   joints outside their limits. */
HF_API hf_status hf_agent_place(hf_agent* agent, const hf_placement* placement, const hf_pose* pose);

/* What a game wants of one frame. Start from hf_agent_input_default. */
typedef struct hf_agent_input {
    double dt_s;      /* 0..0.25; default 1/60; 0 changes nothing */
    bool follow_root; /* true: go to `root`; false (default): go with `velocity` and `turn_rad_s` */
    hf_transform root;
    hf_vec3 velocity;  /* m/s, world; its part along the body's up is left out: footholds give the height */
    double turn_rad_s; /* about the body's up, to the left */
    hf_vec3 task;      /* where supports push the body; default +Z: up, however it moves */
    int budget;        /* contact tests at most in this frame, 1..1,000,000; default 40 */
} hf_agent_input;
HF_API hf_agent_input hf_agent_input_default(void);
HF_API hf_option_table hf_agent_input_table(void); /* dt_s and budget */

typedef enum hf_agent_event_kind {
    HF_AGENT_MADE,      /* a limb has a contact */
    HF_AGENT_LIFTED,    /* a limb leaves its contact for a better one */
    HF_AGENT_BROKEN,    /* a contact was lost: its object moved out of reach or too fast */
    HF_AGENT_ABANDONED, /* a swing found no way to its goal and was given up */
    HF_AGENT_NOTHING,   /* a limb that needs a contact finds none */
    HF_AGENT_HELD_BACK, /* the root begins to lag behind the wish */
    HF_AGENT_HIT        /* an object moved into the creature, which cannot give way */
} hf_agent_event_kind;
HF_API const char* hf_agent_event_text(hf_agent_event_kind kind);

typedef struct hf_agent_event {
    hf_agent_event_kind kind;
    int limb;   /* -1 when it is about the root */
    int object; /* -1 when there is none */
} hf_agent_event;

/* What the creature does. Arrays and pose.q belong to the agent and hold until its next step. */
typedef struct hf_agent_output {
    hf_pose pose; /* with the root as used */
    bool valid; /* free of collision beyond what is allowed; false only after a hit, or where it was placed so
                 */
    int contact_count;
    const hf_hold* contacts; /* limbs of the creature, objects of the scene */
    int event_count;
    const hf_agent_event* events;
    double lag_m, lag_rad; /* from the root used to the one that was wished for this frame */
    int tests;             /* contact tests spent */
} hf_agent_output;

/* One frame. No joint and not the root go faster than their limits between two outputs, and no pose is given
   out that collides, nor one on the way to it (while objects stand still; in a frame in which one moves, the
   pose at its end is tested). Contacts ride on objects that move. HF_ERROR_ARGUMENT for numbers that are not
   finite or out of range, before hf_agent_place, and with a placement of another scene; the agent is then
   left as it was. */
HF_API hf_status hf_agent_step(hf_agent* agent, const hf_placement* placement, const hf_agent_input* input,
                               hf_agent_output* output);

#ifdef __cplusplus
}
#endif
#endif
