/* Scores of contacts: direction factors, named terms, and the candidates of one query in the order of their
   score. */
#ifndef HF_CONTACT_CONTACT_SCORE_H
#define HF_CONTACT_CONTACT_SCORE_H

#include "contact/candidates.h"
#include <holdfast/contact.h>

/* What one contact frame of one query is scored with. */
typedef struct hf_contact_scorer {
    const hf_creature* creature;
    const hf_contact_query* query;
    const hf_samples* samples;
    int set;     /* which of the query's sample sets */
    double ball; /* radius of the contact frame's ball, 0 for others */
    double
        facing; /* least cosine between the sample's contact normal and the one it needs; -2: any will do */
    hf_candidate_query near;
    const bool* free_grip; /* of each object: can be held in every direction alike */
    double length;         /* L of the limb, m */
    hf_vec3 direction, up; /* the task's and the world's, unit, in the limb's root frame */
    hf_vec3 effector;      /* where the contact frame is now, in the limb's root frame */
    double* q;             /* scratch: a whole pose's joint values */
} hf_contact_scorer;

/* One sample that is near a surface. `score` is at least what its best surface gives, and that itself once
   `exact`. */
typedef struct hf_contact_choice {
    double score;
    uint32_t sample;
    uint16_t set;
    bool exact;
} hf_contact_choice;

/* Best first: the higher score, then by a number made from the sample. A heap in the caller's array. */
void hf_choices_heap(hf_contact_choice* choices, int count);
hf_contact_choice hf_choices_pop(hf_contact_choice* choices, int* count);
void hf_choices_push(hf_contact_choice* choices, int* count, hf_contact_choice choice);

/* Turns the normal of an open piece to the side the limb's root is on. */
void hf_contact_orient(const hf_contact_scorer* scorer, hf_surface* surface);
/* The term that takes longest. */
double hf_contact_comfort(const hf_contact_scorer* scorer, int sample);
/* Terms of one sample on a surface whose normal (limb's root frame) gives this factor; comfort is left 0
   where it does not count. */
void hf_contact_terms(const hf_contact_scorer* scorer, int sample, double factor, double* terms);
double hf_contact_weigh(const hf_contact_query* query, const double* terms);

/* All samples near a surface that may be used and that they face, appended to a list in the workspace that is
   given back by the caller; adds to *near how many there are, facing or not. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_contact_collect(const hf_contact_scorer* scorer, hf_workspace* workspace,
                             hf_contact_choice** choices, int* count, int* near);
/* The surface of one sample that scores best, with its terms; false when none may be used. */
hf_status hf_contact_resolve(const hf_contact_scorer* scorer, int sample, hf_workspace* workspace,
                             hf_surface* surface, double* terms, double* score, bool* any);

/* Does an object have no normal that most of its surface shares (a rope, a knob)? */
bool hf_contact_free_grip(const hf_object* object);

#endif
