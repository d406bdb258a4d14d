/* Scores of contacts: direction factors, named terms, and the candidates of one query in the order of their
   score. */
#ifndef HF_CONTACT_CONTACT_SCORE_H
#define HF_CONTACT_CONTACT_SCORE_H

#include "contact/candidates.h"
#include "contact/score_terms.h"
#include <holdfast/contact.h>

/* What a triangle brings to every sample near it. */
typedef struct hf_surface_factor {
    float normal[3]; /* limb's root frame, to the limb's side */
    float factor;
    bool allowed;
} hf_surface_factor;

/* Which surfaces a search takes, by what they do for the task. */
typedef enum hf_surface_kind {
    HF_SURFACE_ANY,     /* all but those against the task, where the score has effort or precision in it */
    HF_SURFACE_HELPFUL, /* those that push along the task */
    HF_SURFACE_AGAINST  /* those against it by so little that friction still lets them push along it */
} hf_surface_kind;

/* What one contact frame of one query is scored with. */
typedef struct hf_contact_scorer {
    const hf_creature* creature;
    const hf_contact_query* query;
    const hf_samples* samples;
    int set;     /* which of the query's sample sets */
    double ball; /* radius of the contact frame's ball, 0 for others */
    hf_surface_kind kind;
    hf_candidate_query near;
    const bool* free_grip; /* of each object: can be held in every direction alike */
    double length;         /* L of the limb, m */
    hf_vec3 direction, up; /* the task's and the world's, unit, in the limb's root frame */
    hf_vec3 effector;      /* where the contact frame is now, in the limb's root frame */
    double* q;             /* scratch: a whole pose's joint values */
    hf_reach reach;        /* of the outlook; without a hull: none */
    /* What hf_contact_collect found. */
    hf_candidates found;
    struct hf_score_job* job;
    const hf_surface_factor* factors; /* of found.triangles */
} hf_contact_scorer;

/* One sample that is near a surface. `score` is at least what its best surface gives, but for rounding, and
   that itself once `exact`. Or a leaf of the set's candidates that is not opened yet: `score` is at least
   that of every sample in it, `hit` its number. */
typedef struct hf_contact_choice {
    float score;
    uint32_t sample;
    uint32_t hit; /* first of its block's, in the set's candidates */
    uint16_t set;
    int8_t facing; /* how well the sample faces that surface: 127 straight on, -127 away; 0: unknown */
    bool exact : 1;
    bool single : 1; /* near one usable triangle alone: exact from the start */
    bool leaf : 1;
} hf_contact_choice;

/* Choices that are taken best first: the higher score; of equal ones that which faces its surface better,
   then by a number made from the sample. Only the best part of them is ever put in order, and a leaf is
   opened only when no choice has a better score than it may hold: a query that accepts one of the first
   choices tests few of the samples near a surface. */
typedef struct hf_choice_list {
    hf_contact_scorer* scorers; /* by the number of their set */
    hf_contact_choice* all;
    int count, room;
    int sample_count;         /* choices of the leaves that were opened */
    int heap;                 /* so many at the front are a heap, each before all behind them */
    float least;              /* score that those in the heap have at least */
    uint32_t thin;            /* choices with one of these bits in their sample's hash are passed over */
    hf_contact_choice* aside; /* passed over; NULL: they are dropped */
    int aside_count;
} hf_choice_list;

bool hf_choices_next(hf_choice_list* list, hf_contact_choice* next);
/* Opens all leaves; false when the callback that watches the workspace ends that. */
bool hf_choices_open(hf_choice_list* list, hf_workspace* workspace);
/* The score of what would be next; -INFINITY when none is left. */
float hf_choices_best(hf_choice_list* list);
/* Takes back one that was taken. */
void hf_choices_return(hf_choice_list* list, hf_contact_choice choice);
/* Passes over one that was taken. */
void hf_choices_pass(hf_choice_list* list, hf_contact_choice choice);
/* Passes over half of all that are left. */
void hf_choices_thin(hf_choice_list* list);
/* Takes back all that were put aside, and passes over none any more. */
void hf_choices_restore(hf_choice_list* list);

/* Duration and balance, as far as they count, or all. */
hf_status hf_contact_outlook(const hf_contact_scorer* scorer, const hf_support* support, hf_vec3 point,
                             bool all, hf_workspace* workspace, double* terms);
/* Does the direction count for the score? */
bool hf_contact_pushes(const hf_contact_query* query);
/* Does what a surface gives decide by its factor alone, so that those along the task come last? */
bool hf_contact_by_factor(const hf_contact_query* query);

/* All leaves near a surface that may be used are appended to a list in the workspace, which the caller gives
   back. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_contact_collect(hf_contact_scorer* scorer, hf_workspace* workspace, hf_choice_list* list);
/* The surface of one choice that scores best, the factor it gives, and the sample's score there; *any is
   false when none may be used. Where even the most that duration and balance can give leaves the score below
   `enough`, that bound is given instead, and *exact is false. */
hf_status hf_contact_resolve(const hf_contact_scorer* scorer, const hf_contact_choice* choice, float enough,
                             hf_workspace* workspace, hf_surface* surface, double* factor, double* score,
                             bool* exact, bool* any);

/* What the kernel works on. */
typedef struct hf_score_job {
    const float *scores, *points; /* of the sample set */
    const hf_candidate_hit* hits;
    int hit_count;
    const hf_surface_factor* factors;
    float form[6]; /* of v^T J J^T v in the order of its six numbers */
    float guard, per_length;
    float effort, precision, manipulability, distance; /* weights; the last two per unit */
    float effector[3];
    float most; /* what terms can add that are not reckoned yet: then no score is exact */
    uint16_t set;
    /* for the bounds of leaves */
    const hf_candidate_leaf* leaves;
    const uint32_t* leaf_items;
    int leaf_count, triangle_count;
} hf_score_job;

typedef struct hf_score_kernel {
    /* Writes a choice for each sample near an allowed surface; returns how many. */
    int (*score)(const hf_score_job* job, hf_contact_choice* out);
    /* Writes a choice for each leaf with an allowed surface; returns how many. */
    int (*bound)(const hf_score_job* job, hf_contact_choice* out);
} hf_score_kernel;
/* NULL where this machine cannot run it. */
const hf_score_kernel* hf_score_kernel_for(hf_cpu cpu);

#endif
