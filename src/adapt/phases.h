/* When and where the effectors of a clip touch the scene. */
#ifndef HF_ADAPT_PHASES_H
#define HF_ADAPT_PHASES_H

#include "adapt/landmarks.h"

typedef struct hf_phase_finder {
    hf_clip_body* clip;
    const hf_creature_body* creature;
    hf_placement* placement;
    const hf_retarget_options* options;
    double scale; /* creature over clip */
} hf_phase_finder;

/* How a limb's link would stand if it did as the clip does: the turn of the clip's joint since rest, put on
   the link's own rest. The clip's frame is the one that hf_clip_body_set was called for. */
hf_quat hf_clip_link_turn(const hf_phase_finder* finder, int joint, int link);
/* Where the contact frame of a leg or arm would be in this frame of the clip: the effector's own shape, at
   the clip's size, with its contact `depth` m from the clip's ankle or knuckle. */
hf_vec3 hf_clip_contact_point(const hf_phase_finder* finder, int role, int frame, double depth_m);

/* Fills limb, frame, object, point, normal and times of every phase, by limb and time; depths: how far ankles
   and hands are from the surfaces that they touch, m, by role. */
hf_status hf_phases_find(const hf_phase_finder* finder, hf_phases* phases, double depths[HF_MAX_MARKED]);

#endif
