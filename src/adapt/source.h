/* The motion as it was opened, frame by frame: poses, contact phases, the body as particles, what faults the
   frames have already. Once made only its phases change, where an update splits one in two. */
#ifndef HF_ADAPT_SOURCE_H
#define HF_ADAPT_SOURCE_H

#include <holdfast/adapt.h>

/* One hold of the schedule with its frames. */
typedef struct hf_source_phase {
    hf_hold hold;        /* in the object's frame */
    int first, last;     /* last < first: it lies between two frames; first is a frame all the same */
    hf_transform link;   /* of the contact frame's link in its first frame, world */
    hf_transform object; /* where the object was then */
    int triangle;        /* of the object, under the point; -1 for none */
    int opened;          /* the hold of the schedule */
    int part_of;         /* the phase whose second part this is, -1 for none */
} hf_source_phase;

/* A point of the body: where a joint turns. */
typedef struct hf_particle {
    int link;
    int parent; /* the particle that a bone joins it to, -1 for the first */
    bool trunk; /* moves with the root: the limb's first joints, too */
} hf_particle;

typedef struct hf_source {
    const hf_creature* creature;
    const hf_scene* scene;
    hf_schedule* schedule; /* a knot at every frame; holds as given */
    int frame_count, q_count, limb_count;
    hf_transform* roots; /* as realised */
    double* q;
    unsigned* faults; /* of each frame, one bit for each hf_frame_fault_kind */
    int phase_count;
    hf_source_phase* phases;
    int* phase_at;      /* [frame * limb_count + limb], -1 for none */
    int* tip;           /* the same: the contact frame that a limb's target is for */
    hf_transform* tips; /* the same: the link of that contact frame */
    bool* acts;         /* of each limb: it holds something in the motion */
    int particle_count;
    hf_particle* particles;
    int* tip_particle; /* of each limb: the particle that its target pins, -1 for none */
    hf_vec3* points;   /* [frame * particle_count + particle] */
    hf_vec3* balls;    /* [frame * body_count + body]: middle of the ball about a collision body */
} hf_source;

hf_status hf_source_make(const hf_creature* creature, const hf_scene* scene, const hf_schedule* schedule,
                         hf_workspace* workspace, hf_source* source, hf_error* error);
void hf_source_free(hf_source* source);

/* Splits a phase in two parts, with `gap` frames between that belong to none. The second part becomes the
   last phase and is returned; -1 where parts would be shorter than `least` frames, or the phase is a part. */
int hf_source_split(hf_source* source, int phase, int gap, int least);
/* Takes back all splits, the last first, until there are no more than so many phases. */
void hf_source_join(hf_source* source, int phase_count);
/* The first and the last frame of the schedule's hold that a phase is, or is a part of. */
void hf_source_opened(const hf_source* source, int phase, int* first, int* last);

static inline hf_pose hf_source_pose(const hf_source* s, int frame) {
    return (hf_pose){s->roots[frame], s->q + (size_t)frame * (size_t)s->q_count};
}
static inline hf_transform hf_source_tip(const hf_source* s, int frame, int limb) {
    return s->tips[(size_t)frame * (size_t)s->limb_count + (size_t)limb];
}
/* Does a phase lie between two frames, so that none of them holds it? */
static inline bool hf_source_between(const hf_source_phase* phase) { return phase->last < phase->first; }

#endif
