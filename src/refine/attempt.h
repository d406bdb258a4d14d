/* Attempts to refine one stretch of a schedule: poses, times and tests in rounds. */
#ifndef HF_REFINE_ATTEMPT_H
#define HF_REFINE_ATTEMPT_H

#include "refine/stretch.h"
#include <holdfast/refine.h>

/* What all attempts share. */
typedef struct hf_refining {
    const hf_creature* creature;
    const hf_scene* scene;
    const hf_placement* placement; /* of the scene */
    const hf_refine_options* options;
    hf_workspace* workspace;
    double rate;   /* frames a second of the result */
    double strain; /* share of their effort limits that joints may take: the given motion's peak, 1 or more */
    hf_refine_result* result; /* of the whole: why, counts and the last fault are noted there */
} hf_refining;

/* What a refined motion claims: forces for its accelerations instead of balance at rest. */
unsigned hf_refined_claims(const hf_schedule* schedule);
/* Notes the faults of an attempt that is not taken; the first one was at given_s of the schedule that is
   refined, which has this rate. */
void hf_note_faults(hf_refine_result* result, const hf_realise_result* faults, double given_s, double rate);
/* Without a best: the given poses in their given times, at the rate of the result; where they do not hold
   there, slower and slower, but for a walk. What is left when nothing quicker holds. */
hf_status hf_attempt_given(const hf_refining* refining, hf_stretch* stretch);
/* Looks for a quicker motion of the stretch: the given poses in new times (from_given), then this many
   rounds; what the rounds learn stays in its phases. stretch->best changes where something better was found
   that has no fault. */
hf_status hf_attempt(const hf_refining* refining, bool from_given, int rounds, hf_stretch* stretch);
/* The same with body and limbs on the shortest ways between the key poses. moving: the body goes where the
   contacts bear it in motion, not where they hold it at rest. */
hf_status hf_attempt_direct(const hf_refining* refining, bool moving, int rounds, hf_stretch* stretch);

/* The same with the whole stretch as one calm path near the given poses (calm_path.h), which goes on through
   changes of holds, in turns with time scaling. */
hf_status hf_attempt_calm(const hf_refining* refining, int rounds, hf_stretch* stretch);

#endif
