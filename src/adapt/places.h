/* Level 2: other places for contacts that no longer hold (contact-repositioning-2016 section 5.3). */
#ifndef HF_ADAPT_PLACES_H
#define HF_ADAPT_PLACES_H

#include "adapt/bend.h"

#include <holdfast/contact.h>
#include <holdfast/reach.h>

/* Sample sets and reach shells of limbs, made when they are first asked for. */
typedef struct hf_limb_places {
    bool made;
    int frame_count;
    hf_samples** samples;   /* of each contact frame */
    hf_reach_shell** reach; /* the same */
} hf_limb_places;

/* A place for a phase. */
typedef struct hf_place {
    hf_hold hold;       /* in the object's frame */
    hf_transform local; /* of the link, in the object's frame */
    int first, last;    /* frames in which it is to be held */
    double h1, h2, score;
} hf_place;

typedef struct hf_places {
    hf_limb_places* samples; /* of each limb */
    hf_contact_answer* answer;
    int count, capacity;
    hf_place* items; /* the last search's, best first */
} hf_places;
void hf_places_free(hf_places* places, const hf_creature* creature);

/* The places of a phase, best score first. The bend's frames are those without the phase. */
hf_status hf_places_find(hf_places* places, hf_bend* bend, const hf_adapt_options* options, int phase,
                         hf_contact_why* why);

/* The same for a limb without joints, which takes the whole body along, unordered (seat_places.c). */
hf_status hf_seat_places_find(hf_places* places, hf_bend* bend, int phase);

/* Is the phase to blame for a fault? */
bool hf_places_blames(const hf_bend* bend, const hf_frame_fault* fault, int phase);

#endif
