/* A stretch while it is being refined, and what its phases learn from faults. */
#ifndef HF_REFINE_REFINEMENT_H
#define HF_REFINE_REFINEMENT_H

#include "refine/attempt.h"
#include "refine/calm_path.h"
#include "refine/direct.h"
#include "refine/retime.h"

typedef struct hf_refinement {
    const hf_refining* of;
    hf_workspace* workspace;
    hf_stretch* stretch;
    hf_parts* phases; /* the stretch's */
    hf_part* timed;   /* the phases as the last time scaling has them */
    hf_part* good;    /* the phases with which a motion held */
    /* Of the shortest ways, NULL otherwise: the phases learn for them, and the motion has phases and stances
       of its own, as swings overlap. */
    hf_ways* ways;
    hf_calm_path* calm; /* of calm ways, NULL otherwise: faults teach it, and the phases their haste */
    int* begins;        /* of calm ways: the sample in which each phase begins */
    hf_layout layout;
    hf_parts own;
    hf_stance_list own_list;
    bool has_good, valid;
    bool keeps;   /* the given motion in its own times: its strain is known, and faults teach nothing */
    bool hopeful; /* the last motion would do with calmer times */
    bool stuck;   /* the next round would be the same as the last */
    bool waits;   /* the last poses were not borne in motion: longer ones come next */
    int blocked;  /* the phase that could not be timed, -1 */
    hf_retime_info info; /* of the last time scaling */
} hf_refinement;

/* By which the share of a swing during which the body goes on becomes less where a limb loses its hold: from
   the share of the beginning three steps lead to none. */
#define HF_LESS_CARRY 0.3
/* Faults of a phase, its own and those beside it, after which it becomes as it was given: by then the body's
   freedom is about an eighth and near its least, so that more rounds change little. */
enum { HF_STRIKES = 4 };
/* The limb of a fault of a frame that contacts bear, but that takes too much of the joints' effort. */
enum { HF_STRAINED = -2 };
/* By which a gap between swings becomes longer at least where the body is not borne in motion, s. */
#define HF_MORE_GAP_S 0.08

/* ---- attempt.c ---- */
/* Times for poses, calmer and calmer while that can help, and the realiser's test of each motion. */
hf_status hf_calm_down(hf_refinement* r, const hf_schedule* poses, hf_parts* own, int tries);

/* ---- calm_attempt.c ---- */
/* What the faults of a motion say about the calm path that it was made of. */
void hf_learn_calm(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults);

/* ---- learning.c ---- */
/* The phase of the motion that a frame of a schedule made in this round is in, and the share of it that is
 * over.
 */
int hf_phase_of_frame(const hf_refinement* r, const hf_schedule* made, int frame, double* share);
/* A phase whose frames are not borne, or too fast: calmer times. */
void hf_go_slower(hf_part* part);
/* The freedom of a phase that collides or whose limbs do not reach, less than before. */
double hf_less_freedom(double freedom);
/* What faults say about the phases in which they are: each phase learns once from each kind. Of the shortest
   ways, and of compressed given ones. */
hf_status hf_learn_direct(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults);
void hf_learn(hf_refinement* r, const hf_schedule* made, const hf_realise_result* faults);
/* The given phases that are under way in a phase of the motion learn from a fault; learned has a byte for
   each. False: none can be nearer to how it was given. */
bool hf_learn_at(hf_refinement* r, int own, hf_frame_fault_kind kind, uint8_t* learned);
/* A phase in which the body is not borne in motion, and those beside it, become longer. */
void hf_take_time(hf_parts* phases, int p, double took_s, double moment_m);
/* A swing is as given in all of its phases or in none. */
void hf_spread_given(hf_refinement* r);
/* A swing is looked at again: with a body that goes elsewhere, forms that collided may be free. */
void hf_look_again(const hf_refinement* r, hf_swing_way* s);
/* A swing that no form is left for: as given, or hopeless with a body in motion. */
void hf_give_up(hf_refinement* r, const hf_swing_way* s);

#endif
