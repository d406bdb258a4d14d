/* The world in which a motion is played: the creature as MJCF, a block under every hold, and ties for hands
   that grip. MuJoCo finds all contacts and all their forces. */
#ifndef HF_PLAYBACK_STAGE_H
#define HF_PLAYBACK_STAGE_H

#include "holds.h"

#include <mujoco/mujoco.h>

enum {
    STAGE_TOUCHES = 96, /* points at which the creature can touch at one moment */
    STAGE_CORNERS = HF_SUPPORT_CORNERS
};

/* What the motion wants of a point that touches. */
typedef enum touch_role {
    TOUCH_HOLDS, /* to bear */
    TOUCH_LANDS, /* to bear in a moment */
    TOUCH_PASSES /* nothing: its limb leaves, or is on its way */
} touch_role;

/* A point of a body that touches, or that is within a few millimetres of it. */
typedef struct touch {
    int slot; /* the same number for the same point of the creature, below stage.slot_count */
    int limb, body;
    double point[3], normal[3]; /* in the world; the normal is out of the surface, not used by a grip */
    double middle[3];           /* of the sphere that touches there: a ball rolls about it */
    double friction;
    double gap; /* m, below 0 inside the surface */
    touch_role role;
    bool grip;
    double most; /* N, of a grip */
} touch;

/* What a limb stands on during one hold. */
typedef struct block {
    int geom, limb;
    double begin_s, end_s;
} block;

typedef struct stage {
    const holds* plan;
    const hf_creature_view* c;
    mjModel* model;
    mjData* data;
    int* geom_limb; /* of contact spheres, else -1 */
    int slot_count;
    block* blocks;
    int block_count;
} stage;

/* Writes creature.xml and world.xml into the folder and loads them. */
void stage_make(stage* s, const hf_creature* creature, const holds* plan, const char* folder, double step_s);
void stage_free(stage* s);
/* Ties the hands that grip between this frame and the next, if they are at their place, and unties others;
   lets limbs touch what they hold now, did a moment ago or will in a moment. They touch nothing else: the
   check has judged what is in their way. */
void stage_set(stage* s, int frame, double time_s);
/* What touches, after MuJoCo has found its contacts; returns how many. */
int stage_touches(const stage* s, int frame, double time_s, touch touches[STAGE_TOUCHES]);

#endif
