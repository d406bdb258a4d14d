/* The skeleton drawn to targets of its joints: particles with bones of constant length
   (contact-repositioning-2016 appendix A2). */
#ifndef HF_ADAPT_FIT_H
#define HF_ADAPT_FIT_H

#include "adapt/relation.h"

/* How something differs from the opened motion. */
typedef struct hf_delta {
    hf_vec3 shift; /* of its origin */
    hf_vec3 turn;  /* rotation vector, world; the turn comes after the opened orientation */
} hf_delta;
static inline bool hf_delta_any(const hf_delta* d) {
    return d->shift.x != 0 || d->shift.y != 0 || d->shift.z != 0 || d->turn.x != 0 || d->turn.y != 0 ||
           d->turn.z != 0;
}
static inline hf_delta hf_delta_less(hf_delta a, hf_delta b) {
    return (hf_delta){hf_sub(a.shift, b.shift), hf_sub(a.turn, b.turn)};
}
static inline hf_delta hf_delta_plus(hf_delta a, hf_delta b, double share) {
    return (hf_delta){hf_add(a.shift, hf_scale(b.shift, share)), hf_add(a.turn, hf_scale(b.turn, share))};
}
hf_transform hf_delta_apply(const hf_delta* delta, hf_transform opened);

/* Targets of a frame's particles: shifts from where they are, and which of them are exact. Scratch has three
   rows of particles. */
typedef struct hf_fit_job {
    const hf_relation* relation;
    int frame;
    const hf_vec3* shifts;
    const bool* pinned;
    hf_vec3* scratch;
} hf_fit_job;
/* How the root goes along: the trunk is one rigid piece. */
hf_delta hf_skeleton_fit(const hf_fit_job* job);

#endif
