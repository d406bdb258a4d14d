/* Frames of a schedule that collide are cleared: all frames of a window around them move together, as little
   and as smoothly as holds, limits and speeds let them, until the realiser finds them free. */
#ifndef HF_ADAPT_CLEAR_H
#define HF_ADAPT_CLEAR_H

#include <holdfast/schedule.h>

typedef struct hf_clear_job {
    const hf_creature* creature;
    const hf_scene* scene;         /* its objects stand still */
    const hf_placement* placement; /* of the scene */
    hf_schedule* schedule;         /* a knot at every frame; poses change, times and holds stay */
    const unsigned* known; /* of each frame: kinds of faults that do not count, one bit each; or NULL */
    hf_workspace* workspace;
    const hf_anchor* anchors; /* of each hold of the schedule: where its contact shall be; NULL: where it is
                                 in the hold's first frame */
    bool turns;               /* the patch of one hold is turned as its anchor, too, */
    int turned;               /* this one; all others stay turned as in their first frames */
    double slide_m; /* a contact that moves further than this between two frames of its hold is a fault; 0:
                       not looked at */
} hf_clear_job;

/* judged: the faults of the schedule. A window is changed only where it has fewer faults afterwards.
 *left: faults that are left in the windows. */
hf_status hf_clear_faults(const hf_clear_job* job, const hf_realise_result* judged, int* left);

#endif
