/* The phases of a schedule: the times between two changes of holds, and how long each takes when refined. */
#ifndef HF_REFINE_PHASES_H
#define HF_REFINE_PHASES_H

#include <holdfast/schedule.h>

typedef struct hf_phase {
    double from_s, to_s; /* in the given schedule */
    double took_s;       /* in the refined one */
    bool swings;         /* a limb is on its way from one hold to another */
    double ease;         /* share of accelerations and wrenches that is used, up to 1 */
    double round_share;  /* of a swing, over which corners of its way are rounded */
    double clear_m;      /* by which a swing goes farther from the surfaces than given */
} hf_phase;

typedef struct hf_phases {
    int count;
    hf_phase* items;
    double duration_s; /* of the refined motion */
} hf_phases;

/* As many phases as the schedule has, taking as long as they do. */
hf_status hf_phases_make(const hf_schedule* schedule, hf_workspace* workspace, hf_phases* phases);
/* The refined duration from those of the phases. */
void hf_phases_add_up(hf_phases* phases);
/* The given time that a refined one stands for, and back: straight in each phase. */
double hf_phases_given(const hf_phases* phases, double refined_s);
double hf_phases_refined(const hf_phases* phases, double given_s);
/* The phase of a refined time. */
int hf_phases_at(const hf_phases* phases, double refined_s);

#endif
