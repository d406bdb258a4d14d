/* A stretch of a schedule: some of its phases, from rest to rest, which is refined by itself. */
#ifndef HF_REFINE_STRETCH_H
#define HF_REFINE_STRETCH_H

#include "refine/ends.h"
#include "refine/stance_list.h"
#include <holdfast/refine.h>

typedef struct hf_stretch {
    int first, count;    /* phases of the whole schedule */
    double from_s;       /* when it begins in the whole schedule */
    unsigned ends;       /* hf_end flags: the ends of the whole schedule that are its own */
    hf_schedule* given;  /* the stretch's own knots and holds, times from 0 */
    int* hold_of;        /* the whole schedule's hold of each of them; belongs to the workspace */
    hf_parts phases;     /* its phases with what was learned of them, times from 0 */
    hf_stance_list list; /* the stances of its phases; they belong to the whole list */
    hf_schedule* best;   /* the quickest that holds; NULL: none yet */
    bool kept;           /* its given poses and times are those of the last result, or asked for: they stay */
    bool apart;          /* it could not become one with the next stretch */
    bool shaped;         /* its best is not on the shortest ways */
    bool moving;         /* its best is balanced in motion alone */
    bool calm;           /* its best is a calm path */
    bool tried;          /* and could not become one with the next stretch in that manner */
    bool walks;          /* the body goes on behind a landing: its holds do not bear it at rest */
    double best_s;       /* how long that takes; without one, as long as given */
    hf_motion* motion;   /* of the best */
    int static_count;    /* samples of the best that the contacts would not hold at rest */
    int effort_count; /* samples of the best where standing still takes too much of a free joint's effort */
    /* Without a best: why, at which time of the whole schedule, and what its last motion's faults were. */
    hf_refine_why why;
    double at_s;
    int fault_count;
    hf_frame_fault fault;
} hf_stretch;

/* Phases first .. first + count - 1 of a schedule. Free the stretch in any case. */
hf_status hf_stretch_make(const hf_creature* creature, const hf_schedule* whole, const hf_parts* phases,
                          const hf_stance_list* list, int first, int count, hf_workspace* workspace,
                          hf_stretch* stretch);
void hf_stretch_free(hf_stretch* stretch);
/* The whole schedule's time that a time of a schedule made of the stretch stands for: straight between two
   changes of holds, which both have in the same order. */
double hf_stretch_given_time(const hf_stretch* stretch, const hf_schedule* made, double time_s);
/* When the best of a stretch that begins at a time of the joined schedule ends there: at a frame. */
double hf_stretch_end(const hf_stretch* stretch, double began_s, double rate);
/* One schedule of the best of all stretches, one after the other, with the whole schedule's holds. */
hf_status hf_stretches_join(const hf_creature* creature, const hf_schedule* whole,
                            const hf_stretch* stretches, int count, double rate, hf_schedule** out);

#endif
