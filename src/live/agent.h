/* The inside of an agent: limbs that hold, swing or are free, and the root they carry. */
#ifndef HF_LIVE_AGENT_H
#define HF_LIVE_AGENT_H

#include "model/creature.h"
#include "model/scene.h"
#include <holdfast/agent.h>
#include <holdfast/solve.h>

typedef enum agent_mode {
    AGENT_IDLE, /* does not walk */
    AGENT_FREE, /* walks and has no contact */
    AGENT_HELD,
    AGENT_SWING
} agent_mode;

/* Where a limb touches, in the frame of the object: so it rides on it. */
typedef struct agent_place {
    hf_hold hold;
    hf_anchor anchor; /* flat only where the patch lies on its surface */
} agent_place;

/* A limb's way from one place to the next, in the frame of the goal's object. */
typedef struct agent_swing {
    hf_vec3 from, from_normal;
    hf_quat from_rotation;
    agent_place left; /* while the limb is lifted: the contact that it goes back to when it cannot leave */
    bool lifting;
    double phase;   /* 0 .. 1 */
    double raise;   /* how much higher than usual the curve is, in lifts */
    double waited;  /* s that the limb is at its end and cannot touch */
    int stuck;      /* frames in a row that the limb could not move */
    int restarts;   /* of this swing */
    hf_vec3 away;   /* from what the limb ran into, world; zero when it did not */
    double advance; /* phase gained in the pose that was built */
    bool landed;    /* in the pose that was built the limb touches */
} agent_swing;

typedef struct agent_limb {
    agent_mode mode;
    int group;
    hf_transform home;   /* in the root: contact point and touching link's orientation of the rest posture */
    double home_stretch; /* share of its reach there */
    bool relaxes;        /* idle, and its joints go to their relaxed values */
    double reach;        /* m, from the limb's root frame to what is held */
    double half_stride, lift, swing_s;
    agent_place at; /* held, or where the swing goes */
    agent_swing swing;
    int tries;       /* queries in a row without a contact */
    double rest_s;   /* no query before this time has gone by */
    double blocks_s; /* for how long the limb still counts as what held the root back */
    bool wanted;     /* is to be lifted */
    int frozen;      /* in this frame: 1 it stays where it is in the world, 2 its joints stay */
} agent_limb;

/* Where the root may go: the whole way, along the surface that is in the way, without a change of height and
   lean, without a turn either, with the change of height and lean alone. */
enum { AIM_WHOLE, AIM_SLIDE, AIM_GO, AIM_STRAIGHT, AIM_FIT, HF_AGENT_AIMS };

/* How the root moves. */
typedef struct agent_root {
    hf_vec3 velocity; /* over what carries it */
    double turn;
    hf_transform carried, wished; /* as the objects carry it, as wished */
    hf_transform aims[HF_AGENT_AIMS];
    bool lagging;
} agent_root;

/* Which limbs take turns. */
typedef struct agent_gait {
    int walker_count, group_count, last_group;
    int least_held; /* walkers that keep their contacts while others swing */
    int next_query; /* walker whose turn it is */
} agent_gait;

struct hf_agent {
    const hf_creature* creature;
    const hf_creature_view* view;
    const hf_samples** sets;     /* the agent's own copy of the pointers */
    const hf_samples*** by_limb; /* into sets */
    hf_agent_options options;
    hf_workspace* workspace;
    hf_contact_answer* answer;
    const hf_scene* scene; /* of the last placement */
    agent_limb* limbs;
    agent_gait gait;
    agent_root root;
    int* owner;      /* limb that moves each link, -1: the trunk */
    double* relaxed; /* joint values towards which limbs go */

    hf_pose pose, next; /* as last given out, and being built */
    double *posture, *query_q;
    double* goals;                 /* q_count for each limb: a posture at the end of its swing */
    hf_transform *links, *objects; /* objects: where they were in the last step */
    hf_hold *touches, *both;       /* of the pose being built; with those of the last pose */
    int touch_count, both_count;
    bool moved; /* an object moved since the last step */

    bool hit;

    int contact_count, event_count, event_capacity;
    hf_hold* contacts;
    hf_agent_event* events;
    int tests_left;
};

void hf_agent_note(hf_agent* agent, hf_agent_event_kind kind, int limb, int object);
/* A hold of the world with its anchor, in the frame of the object. */
agent_place hf_agent_place_on(const hf_placement* placement, hf_hold hold, hf_anchor anchor);
hf_vec3 hf_agent_up(const hf_agent* agent);

/* ---- agent_idle.c: limbs that do not walk ---- */
/* Finds relaxed postures of them that are out of the walkers' way. */
hf_status hf_agent_relax_idle(hf_agent* agent);

/* ---- agent_root.c: where the root goes ---- */
/* Fills carried, wished and aims. */
void hf_agent_plan_root(hf_agent* agent, const hf_placement* placement, const hf_agent_input* input);
/* The aim to slide along a surface that the body ran into; its normal points to the body. */
void hf_agent_slide_root(hf_agent* agent, hf_vec3 normal, double dt_s);
/* The root after a time at the present speeds. */
hf_transform hf_agent_predict(const hf_agent* agent, double time_s);

/* ---- agent_gait.c: which limbs move, and where to ---- */
hf_status hf_agent_choose(hf_agent* agent, const hf_placement* placement, const hf_agent_input* input);

/* ---- agent_place.c ---- */
enum { HF_AGENT_LOOKS = 4 }; /* places before the body that are tried, nearer each time */
#define HF_AGENT_MOVING_M_S 0.01
/* A limb whose query, lift or step failed waits this long, and a limb that held the root back counts as such
   for as long, s: about six frames of a game, in which the body has gone on. */
#define HF_AGENT_REST_S 0.1
/* A patch that the body has turned this far away from is renewed, and slows the body's turn from there on,
   rad. */
#define HF_AGENT_TURNED_RAD 0.35
/* One query for one limb; found: a place for it. */
hf_status hf_agent_find_place(hf_agent* agent, const hf_placement* placement, const hf_agent_input* input,
                              int limb, agent_place* place, bool* found);

/* ---- agent_pose.c: the pose of the frame ---- */
/* Finds the next pose, brings limbs into their new modes and fills contacts. */
hf_status hf_agent_move(hf_agent* agent, const hf_placement* placement, double dt_s);

/* ---- agent_swing.c ---- */
void hf_agent_swing_begin(hf_agent* agent, int limb, const agent_place* to, const hf_placement* placement);
/* The same swing anew from where the limb is now, higher. */
void hf_agent_swing_again(hf_agent* agent, int limb, const hf_placement* placement);
/* Where what touches is to be at a phase, and how the touching link is turned. */
void hf_agent_swing_at(const hf_agent* agent, int limb, const hf_placement* placement, double phase,
                       hf_vec3* point, hf_quat* rotation);

#endif
