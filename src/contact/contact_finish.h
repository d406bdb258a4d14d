/* The exact end of a contact query: from a sample near a surface to a posture that touches it. */
#ifndef HF_CONTACT_CONTACT_FINISH_H
#define HF_CONTACT_CONTACT_FINISH_H

#include "contact/contact_clearance.h"
#include "contact/limb_lanes.h"
#include "solve/limb_problem.h"

/* Whole poses are only ever changed in this limb's joints. */
typedef struct hf_contact_finisher {
    const hf_creature* creature;
    const hf_placement* placement;
    const hf_contact_query* query;
    const bool* use;          /* of each object */
    hf_transform base;        /* world pose of the limb's base link */
    hf_transform* links;      /* of the present pose; the limb's change with each trial */
    hf_hold* touches;         /* those that hold, and room for one more at the end */
    int touch_count;          /* without that one */
    double* q;                /* the last trial */
    double* posture;          /* scratch */
    hf_limb_solver** solvers; /* of each contact frame (one for a limb without any), NULL: not asked */
    double turn_m;            /* metres that count as much as a radian to them */
    hf_contact_clearance clearance;
    hf_limb_lanes* lanes;
    bool has_lanes; /* they are made */
} hf_contact_finisher;

/* Tilted: the limb cannot lay the contact frame flat there, and the effector collides as it is. */
typedef enum hf_finish { HF_FINISH_VALID, HF_FINISH_INEXACT, HF_FINISH_COLLIDES, HF_FINISH_TILTED } hf_finish;

/* Is a contact frame asked (for a limb without any, frame 0)? Samples have fingers and toes at rest: a frame
   on one is asked where there are samples for none of the effector's own. */
bool hf_contact_frame_asked(const hf_limb* limb, const hf_samples* const* samples, int frame);

/* Memory from the workspace for all frames that are asked. */
hf_status hf_contact_finisher_make(const hf_creature* creature, const hf_placement* placement,
                                   const hf_contact_query* query, const hf_samples* const* samples,
                                   const bool* use, hf_workspace* workspace, hf_contact_finisher* finisher);

/* Lanes that can solve for every frame that is asked, made at the first call; NULL where the limb cannot be
   batched. */
hf_limb_lanes* hf_contact_finisher_lanes(hf_contact_finisher* finisher);
/* Says what a lane is to reach. */
void hf_contact_aim(hf_contact_finisher* finisher, int lane, int frame, const hf_surface* surface);
/* Is a lane that was solved worth finishing? Its point must be on the surface. Where it lies flat, the limb
   must be free but for a millimetre; else free by more than -`slack`, with the effector as it is held. */
bool hf_contact_approached(hf_contact_finisher* finisher, int lane, int frame, const hf_surface* surface,
                           double slack);

/* Brings contact frame `frame` of one sample onto a surface and tests for collision; `slack` is that of
   hf_contact_clear, for an effector that cannot be aligned. On HF_FINISH_VALID
   finisher->q and ->links hold the posture and *contact its frame, place and errors; on HF_FINISH_TILTED
   *contact has the errors of the posture that was nearest to lying flat. */
hf_status hf_contact_finish(hf_contact_finisher* finisher, const hf_samples* samples, int sample, int frame,
                            const hf_surface* surface, double slack, hf_contact* contact, hf_finish* finish);

#endif
