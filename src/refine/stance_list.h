/* The stances of a schedule, one for each of its phases. */
#ifndef HF_REFINE_STANCE_LIST_H
#define HF_REFINE_STANCE_LIST_H

#include "refine/parts.h"
#include "refine/pose_spline.h"
#include "schedule/held.h"

/* Stances that were built, each with the holds of the whole schedule that it consists of. */
typedef struct hf_stance_store hf_stance_store;

typedef struct hf_stance_list {
    int hold_count, limb_count;
    hf_held* held;          /* as each hold of the schedule begins; the workspace's memory */
    int count;              /* of phases */
    hf_stance_store* store; /* what the stances belong to */
    hf_stance** stances;
    int* bearing;   /* holds in each phase */
    uint8_t* limbs; /* limb_count flags for each phase: the limb holds something */
} hf_stance_list;

/* Builds the stances with halfspaces, where those are not too many. Free the list in any case. */
hf_status hf_stance_list_make(const hf_creature* creature, const hf_placement* placement,
                              const hf_schedule* schedule, hf_pose_spline* spline, const hf_parts* phases,
                              hf_workspace* workspace, hf_stance_list* list);
void hf_stance_list_free(hf_stance_list* list);
/* The stances of a schedule with the same holds at other times, in its own phases. hold_of: the hold of the
   whole schedule that each of its holds is; NULL: the same. What the other list knows is built no second
   time; the memory is the other list's and the workspace's. */
hf_status hf_stance_list_again(const hf_creature* creature, const hf_stance_list* known, const int* hold_of,
                               const hf_schedule* schedule, const hf_parts* phases, hf_workspace* workspace,
                               hf_stance_list* list);
/* The stance of a few holds of the list's schedule. */
hf_status hf_stance_list_find(const hf_creature* creature, const hf_stance_list* list, const int* hold_of,
                              const int* holds, int count, hf_workspace* workspace, hf_stance** stance);
/* The phase whose stance counts at a refined time: of those within early_s the one with the fewest holds, so
   that a frame which falls beside a change has at least the contacts that its stance has. */
int hf_stance_list_at(const hf_stance_list* list, const hf_parts* phases, double refined_s, double early_s);

#endif
