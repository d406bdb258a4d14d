/* Inside of a retargeting: the paths that effectors shall follow, frame by frame. */
#ifndef HF_ADAPT_RETARGET_H
#define HF_ADAPT_RETARGET_H

#include "adapt/phases.h"
#include "adapt/push.h"

#include <holdfast/schedule.h>

/* A phase while it is worked on. */
typedef struct hf_held_phase {
    hf_phase* phase;
    int role;              /* of the limb; -1: the seat */
    bool foot;             /* its orientation is known from the clip */
    bool dropped;          /* no longer held */
    int first, last;       /* frames that are held: the phase's, or fewer */
    bool anchored;         /* the anchor stands */
    bool for_toes;         /* the sole of the phase beside it holds on in the place of toes */
    bool flat, frozen;     /* the orientation counts; it is decided */
    int joint;             /* of the clip, that touches */
    hf_vec3 ahead, behind; /* from that joint to the anchor in the first and the last frame */
    hf_anchor anchor;      /* where the link of the contact frame is */
    hf_vec3 reached;       /* sum of where the contact came in frames in which it was not held */
    int held, missed;      /* frames */
    int measured;          /* of the missed ones: those of this round, which are in the sums */
    uint8_t* kept;         /* of each frame of the phase: is it held? */
    double off_m;          /* sum of the errors of missed frames */
    uint8_t* best_kept;    /* kept and dropped in the best round */
    bool best_dropped;     /* and where it was held there */
    hf_anchor best_anchor;
} hf_held_phase;

/* What one effector shall do in a frame. */
typedef struct hf_effector_wish {
    hf_vec3 point; /* of its first contact frame */
    hf_quat turn;  /* of that frame's link */
    float point_weight, turn_weight;
} hf_effector_wish;

/* What the round with the fewest faults made. */
typedef struct hf_best_round {
    int faults;
    hf_transform* roots;
    double* q; /* frames x q_count */
    hf_phase* phases;
} hf_best_round;

typedef struct hf_retarget_work {
    const hf_retarget_options* options;
    hf_phase_finder finder;
    hf_clip_body clip;
    hf_creature_body creature;
    hf_follower follower;
    hf_push push;
    hf_workspace* workspace;
    int frames, body_count;
    int begin; /* frame that the motion begins with: no speed leads to it */
    double depths[HF_MAX_MARKED];
    hf_effector_wish* wishes; /* frames x HF_MAX_MARKED */
    int held_count;
    hf_held_phase* held;
    hf_best_round best;
    float* more; /* frames x bodies: room that tests asked for, m */
    bool* again; /* frames that the next round solves again */
    hf_schedule* schedule;
    int anchor_capacity;
    hf_anchor* anchors; /* of each hold of the schedule */
    double changed;     /* how far the last frame that was solved is from where it was before, rad or m */
    bool cancelled;
} hf_retarget_work;

/* Time in which an effector leaves the clip's path for a hold, s. */
#define HF_LEAD_S 0.4
/* How much a hold counts in a frame before or after it: 1 beside it, 0 from HF_LEAD_S on. */
double hf_lead_share(const hf_retarget_work* work, const hf_held_phase* held, int frame);
/* Weight of a wish that leads to a hold, per metre, beside it. */
#define HF_ARRIVING 30.0
/* Moves feet apart that would stand in each other (apart.c). */
void hf_retarget_apart(hf_retarget_work* work);
/* Does one of two phases of a limb begin where the other one ends? */
bool hf_held_beside(const hf_held_phase* a, const hf_held_phase* b);
/* Anchors of all phases, and the wishes between them. */
void hf_retarget_paths(hf_retarget_work* work);

static inline bool hf_held_lasts(const hf_held_phase* h, int frame) {
    return !h->dropped && h->first <= frame && frame <= h->last;
}
const hf_contact_frame* hf_held_contact(const hf_retarget_work* work, const hf_phase* phase);
/* Is the point on a surface of the object? */
bool hf_retarget_touches(const hf_retarget_work* work, hf_vec3 point, int object);
/* The next round solves these frames again, and those as many seconds before and after. */
void hf_retarget_again(hf_retarget_work* work, int first, int last, double around_s);

/* Is the clip a motion of this creature that keeps its contacts already (exact.c)? Then its frames are in the
   schedule, and its phases are those of the motion. */
hf_status hf_retarget_exact(hf_retarget_work* work, hf_phases* phases, bool* exact);
/* Phases and the clip's path go along with what edits did to the scene, and the work goes on in the edited
   one (carry.c). Not carried, and nothing changed, where the surface of a phase is gone. */
hf_status hf_retarget_carry(hf_retarget_work* work, const hf_scene* from, const hf_scene* to,
                            hf_phases* phases, bool* carried);
/* Moves holds that are mostly missed to where the limb comes, in the first round, and gives up what is far
   out of reach (mend.c). True when something changed. */
bool hf_mend_holds(hf_retarget_work* work, int round);
/* Bodies that collide get more room about the frame. True when there are any. */
bool hf_mend_collisions(hf_retarget_work* work, const hf_realise_result* judged);
/* Limbs whose bodies collide near the begin or the end of their holds hold later or let go earlier; poses
   stay. True when there are any. */
bool hf_mend_let_go(hf_retarget_work* work, const hf_realise_result* judged);
/* The landmarks that a limb belongs to; -1: none. */
int hf_retarget_role(const hf_creature_body* body, int limb);
/* The wishes of a frame; holds weigh so many times as much as usual. */
void hf_retarget_wish(hf_retarget_work* work, int frame, double firm);
/* The runs of frames in which limbs are on their holds become the schedule's holds. */
hf_status hf_retarget_holds(hf_retarget_work* work);
/* Puts limbs exactly onto their holds (settle.c). */
hf_status hf_retarget_settle(hf_retarget_work* work);
/* What the realiser finds at fault, after hf_retarget_holds. */
hf_status hf_retarget_judge(hf_retarget_work* work, const hf_scene* scene, hf_realise_result* judged);
/* Finds new ways where frames are still at fault (detour.c); the motion may become longer. */
hf_status hf_retarget_detours(hf_retarget_work* work, const hf_scene* scene, hf_phases* phases);
/* Closes gaps in holds, where all frames around them can move together (regain.c). */
hf_status hf_retarget_regain(hf_retarget_work* work, const hf_scene* scene);
/* The same once nothing else changes the frames, where that adds no fault; limbs that slide at the begin or
   the end of a hold hold later or let go earlier (settle.c). */
hf_status hf_retarget_steady(hf_retarget_work* work, const hf_scene* scene);
/* Keeps the frames, phases and holds of a round, and takes them back (best_round.c). */
void hf_best_keep(hf_retarget_work* work, hf_phases* phases, int faults);
void hf_best_take(hf_retarget_work* work, hf_phases* phases);

/* Refuses clips that are no motion or not in the creature's unit, and options out of their ranges. */
hf_status hf_retarget_check(const hf_clip* clip, const hf_creature* creature,
                            const hf_retarget_options* options, hf_error* error);

#endif
