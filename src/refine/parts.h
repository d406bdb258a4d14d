/* The phases of a schedule: the times between two changes of holds, and how long each takes when refined. */
#ifndef HF_REFINE_PARTS_H
#define HF_REFINE_PARTS_H

#include <holdfast/schedule.h>

#define HF_SAME_S 1e-7 /* times that differ by less are the same */

enum { HF_PACE = 32 }; /* even parts of a phase's time at which a swing's progress is known */

typedef struct hf_part {
    double from_s, to_s; /* in the given schedule */
    double took_s;       /* in the refined one */
    bool swings;         /* a limb is on its way from one hold to another */
    double margin_m;     /* that wrenches keep to what the contacts bear, body weights times metres */
    double kept;    /* share of the margin that new times keep: the rest is for what lies between samples */
    double haste;   /* largest change of pace, 1/s2 */
    bool settled;   /* a quicker one was tried beside a motion that held, and did not */
    bool faulty;    /* the last round had a fault here, or could not be timed here */
    double freedom; /* 1: the body goes as it likes; less: nearer to how it was given */
    double round_share;       /* of a swing, over which corners of its way are rounded */
    double clear_m;           /* by which a swing goes farther from the surfaces than given */
    double follow;            /* share of the body's given detour from the straight way that it takes */
    double carry;             /* share of a swing during which the body goes on to the next key pose */
    double overlap;           /* share of the shorter one of two swings by which the later one begins early */
    double extra_s;           /* by which it lasts longer on the shortest ways than joints and root need */
    int strikes;              /* rounds in which the shortest ways collided here */
    int unborne_strikes;      /* and in which they were not borne, or holds were not reached */
    bool unborne;             /* the contacts did not bear the shortest ways */
    bool hopeless;            /* contacts did not bear it in motion however long it took, or limbs collided */
    bool as_given;            /* the poses are the given ones: nothing else held */
    double pace[HF_PACE + 1]; /* how much of its way a swing has gone */
} hf_part;

typedef struct hf_parts {
    int count;
    hf_part* items;
    double duration_s; /* of the refined motion */
} hf_parts;

/* What each phase asks for, measured on the poses. */
typedef struct hf_part_load {
    double speed;        /* largest share of a speed limit */
    double acceleration; /* largest share of an acceleration limit */
    double outside;      /* how far wrenches are beyond the stance's halfspaces at most, body weights */
    double moment_m;     /* largest change of angular momentum, as a moment arm of the weight */
    double lost_m;       /* how far a hold is from where it should be at most */
} hf_part_load;

/* As many phases as the schedule has, taking as long as they do. */
hf_status hf_parts_make(const hf_schedule* schedule, hf_workspace* workspace, hf_parts* phases);
/* Forgets what was learned of a phase. */
void hf_part_begin(hf_part* phase);
/* The refined duration from those of the phases. */
void hf_parts_add_up(hf_parts* phases);
/* The given time that a refined one stands for, and back: straight in each phase. */
double hf_parts_given(const hf_parts* phases, double refined_s);
double hf_parts_refined(const hf_parts* phases, double given_s);
/* How much of its way a swing of the phase has gone after a share of its time; smooth between the parts. */
double hf_part_progress(const hf_part* phase, double share);
/* The phase of a refined time. */
int hf_parts_at(const hf_parts* phases, double refined_s);

#endif
