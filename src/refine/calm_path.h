/* A path of poses that contacts bear at rest becomes calm: least jerk of body and limbs, as near to the given
   poses as it takes to stay free, held and borne. Where a pose is not, the curve there follows the given
   poses more closely, at last exactly; nothing else is asked of it, so that the body goes on through changes
   of holds and search corners vanish. */
#ifndef HF_REFINE_CALM_PATH_H
#define HF_REFINE_CALM_PATH_H

#include "refine/stance_list.h"

typedef struct hf_calm_path {
    const hf_creature* creature;
    const hf_placement* placement;
    int count, q_count, limb_count;
    double step_s;         /* of the path's parameter, in which poses stand at even steps */
    double body_s, limb_s; /* over which the body and limbs on their way are calmed where they are free, s */
    const hf_held* held;
    hf_transform *given_roots, *roots;
    double *given_q, *q;            /* count rows of q_count */
    int* holds;                     /* count rows of limb_count: the hold that each limb keeps, -1 */
    const hf_stance* (*stances)[2]; /* of each sample, just before and just behind it */
    double* needs_m; /* static margin that a sample keeps: what the given one has, a plan's at most */
    hf_vec3* shift;  /* by which the body is wished to be elsewhere, where it bears more */
    double* slow_s;  /* a row for the body, then for each limb: what is quicker is calmed */
    double cut;      /* what is left of such a time in the middle of where it becomes less */
    double* less;    /* as many: by which they become less before the next try */
    bool* still;     /* of each sample: a limb without joints holds (a seat) */
    bool* fault;     /* of each sample: what the last try had */
    hf_transform* seen_roots; /* the poses that were found free last */
    double* seen_q;
    bool* seen;
    int* left; /* of each sample: how many are left until one with the given body */
    hf_transform* links;
    double* scratch;
} hf_calm_path;

/* Room for a path; false: none. Samples 0 .. count - 1 are the caller's to fill in. */
bool hf_calm_path_take(hf_calm_path* path, hf_workspace* workspace);
/* After the given poses, holds and stances are there: puts held limbs exactly onto their holds, finds what
   margins the poses have, and lets everything be calmed freely. */
hf_status hf_calm_path_begin(hf_calm_path* path, hf_workspace* workspace);
/* Poses as calm as they may be now, and whether any of them collides, loses a hold or is not borne at rest:
   there they may be less calm at the next try. */
hf_status hf_calm_path_try(hf_calm_path* path, hf_clearance* clearance, hf_workspace* workspace, int* faults);
/* Body (-1) or a limb nearer to the given poses around a sample, at the next hf_calm_path_follow. False: they
   are exactly there. */
bool hf_calm_path_blame(hf_calm_path* path, int limb, int sample);
/* Body and limbs. */
bool hf_calm_path_blame_all(hf_calm_path* path, int sample);
/* Those that a collision is due to. */
bool hf_calm_path_blame_hit(hf_calm_path* path, const hf_collision* hit, int sample);
/* Takes the blame of the last try into account. False: there was none that changes anything. */
bool hf_calm_path_follow(hf_calm_path* path);

#endif
