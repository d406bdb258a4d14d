/* The phases of a schedule: the times between two changes of holds, and how long each takes when refined. */
#ifndef HF_REFINE_PHASES_H
#define HF_REFINE_PHASES_H

#include <holdfast/schedule.h>

enum { HF_PACE = 32 }; /* even parts of a phase's time at which a swing's progress is known */

typedef struct hf_phase {
    double from_s, to_s; /* in the given schedule */
    double took_s;       /* in the refined one */
    bool swings;         /* a limb is on its way from one hold to another */
    double margin_m;     /* that wrenches keep to what the contacts bear, body weights times metres */
    double kept;  /* share of the margin that new times keep: the rest is for what lies between samples */
    double haste; /* largest change of pace, 1/s2 */
    double round_share;       /* of a swing, over which corners of its way are rounded */
    double clear_m;           /* by which a swing goes farther from the surfaces than given */
    double pace[HF_PACE + 1]; /* how much of its way a swing has gone */
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
/* How much of its way a swing of the phase has gone after a share of its time; smooth between the parts. */
double hf_phase_progress(const hf_phase* phase, double share);
/* The phase of a refined time. */
int hf_phases_at(const hf_phases* phases, double refined_s);

#endif
