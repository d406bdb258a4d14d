/* What touches at any moment of a motion, between its frames too. */
#ifndef HF_TRAJECTORY_CONTACT_TRACK_H
#define HF_TRAJECTORY_CONTACT_TRACK_H

#include <holdfast/balance.h>
#include <holdfast/motion.h>

/* What bears between a frame and the next one. */
typedef enum hf_track_after {
    HF_TRACK_ENDS,  /* nothing: the limb is on its way */
    HF_TRACK_LASTS, /* the same contact, which the next frame has too */
    HF_TRACK_STAYS, /* the same contact: the limb goes over to another contact frame, which is not down yet */
    HF_TRACK_ROLLS  /* the next frame's contact: its contact frame is down already, as toes are while a heel
                       rises */
} hf_track_after;

/* A contact of a frame in the creature's and the scene's indices. Point, support and link are in the frame of
   the object it is on, as they were when it began. */
typedef struct hf_track_contact {
    bool on;
    hf_track_after after;
    hf_hold hold;
    bool pushes; /* against a movable object without gripping it: the support is the object's (normal into it)
                  */
    hf_support support;
    hf_vec3 place; /* of its contact frame in this frame, seen from the object */
} hf_track_contact;

typedef struct hf_contact_track {
    const hf_motion* motion;
    const hf_creature* creature;
    const hf_scene* scene;      /* NULL: supports are empty */
    int limb_count;             /* of the creature */
    hf_track_contact* contacts; /* frame_count x limb_count */
    int* object_of;             /* the scene's object for each of the motion's, -1 */
} hf_contact_track;

hf_status hf_contact_track_make(const hf_motion* motion, const hf_creature* creature, const hf_scene* scene,
                                hf_contact_track* track, hf_error* error);
void hf_contact_track_free(hf_contact_track* track);
/* Where a hold's object is at a moment for which the placement stands; the world without an object. */
hf_transform hf_track_object(const hf_placement* placement, int object);
/* Where the contact frame of a hold is. */
hf_vec3 hf_track_place(const hf_contact_track* track, const hf_hold* hold, const hf_transform* links);

#endif
