/* What a motion holds at each moment, in the creature's own indices and in the world. */
#ifndef HF_PLAYBACK_HOLDS_H
#define HF_PLAYBACK_HOLDS_H

#include <holdfast/holdfast.h>

typedef struct plan_hold {
    bool on;      /* in this frame */
    bool lasts;   /* until the next frame */
    bool begins;  /* in this frame */
    hf_hold hold; /* limb and contact frame are the creature's */
    hf_support support;
} plan_hold;

typedef struct holds {
    const hf_motion* motion;
    const hf_creature* creature;
    int limb_count;
    plan_hold* all; /* frame by frame, one for each limb of the creature */
} holds;

/* The motion fits creature and scene (hf_motion_validate), and its objects stand still. Ends the program when
   there is no memory. */
void holds_make(holds* h, const hf_motion* motion, const hf_creature* creature, const hf_scene* scene);
void holds_free(holds* h);
/* The frame at or before a time, from `frame` on. */
int holds_frame(const holds* h, int frame, double time_s);
const plan_hold* holds_at(const holds* h, int frame, int limb);
/* Does the limb hold between this frame and the next? A foot that rolls from one contact frame onto another
 * does. */
bool holds_now(const holds* h, int frame, int limb);
/* Does the limb hold in some frame from `before_s` before until `after_s` after the time? */
bool holds_near(const holds* h, int frame, int limb, double time_s, double before_s, double after_s);

#endif
