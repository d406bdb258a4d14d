/* Holds: one limb touches one object with one contact frame. The only type for a touch: answers of queries,
   contacts of scenarios and motions, ends of swings, schedules and agents all use it. */
#ifndef HOLDFAST_HOLD_H
#define HOLDFAST_HOLD_H

#include <holdfast/kinematics.h>
#include <holdfast/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Point and normal are in the world where the hold is part of an answer or of a motion's frame, and in the
   frame of the object where the hold must ride on the object (schedules, agents); the owner says which. */
typedef struct hf_hold {
    int limb;   /* of the creature */
    int frame;  /* contact frame of the limb, -1: the effector link's origin */
    int object; /* of the scene, -1: none */
    bool grip;
    hf_vec3 point, normal; /* on the surface; the normal is unit and points out of the object; a zero normal
                              says that point and normal are not given */
} hf_hold;

/* A hold in the frame of its object, put into the world, and back. object: the object's pose in the world. */
HF_API hf_hold hf_hold_in_world(hf_hold hold, hf_transform object);
HF_API hf_hold hf_hold_in_object(hf_hold hold, hf_transform object);

/* Where a hold keeps the link of its contact frame while it lasts. */
typedef struct hf_anchor {
    hf_vec3 point;    /* of the contact frame's offset (of a ball: its centre) */
    hf_quat rotation; /* of the link */
    bool flat;        /* the contact is a patch and does not grip: the rotation is kept, too */
} hf_anchor;

/* The anchor of a hold that begins with the links where they are (hf_forward's). */
HF_API hf_anchor hf_hold_anchor(const hf_creature* creature, const hf_hold* hold, const hf_transform* links);
/* An anchor of a frame (of an object), put where the frame is. */
HF_API hf_anchor hf_anchor_in(hf_transform frame, hf_anchor anchor);
/* Is the anchor flat, and the contact frame against the hold's surface within 2.3 degrees? A patch that
   begins with a larger tilt may turn. (It bears by its edge from 2 degrees on.) */
HF_API bool hf_anchor_lies_flat(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor);
/* How far the links are from the anchor: metres, and radians where the anchor is flat (else 0). */
HF_API void hf_anchor_error(const hf_creature* creature, const hf_hold* hold, const hf_anchor* anchor,
                            const hf_transform* links, double* off_m, double* off_rad);

/* A limb touches a surface that is no farther, m: what a check allows a contact to be off. */
#define HF_TOUCH_M 0.001
/* A limb that is said to touch, by a start or goal, is drawn to a surface that is no farther, m. */
#define HF_NAMED_TOUCH_M 0.03

/* What a limb touches in a posture: the surface of an object that allows contact, nearest to one of the
   limb's contact frames, that the frame's normal meets within 26 degrees (balls meet every surface). Of
   frames that touch within 1 mm of each other the first one named is taken. False when there is none
   within_m. The hold is in the world; its point is on the surface. It grips when limb and object both can. */
HF_API bool hf_hold_find(const hf_creature* creature, const hf_placement* placement,
                         const hf_transform* links, int limb, double within_m, hf_hold* hold);

#ifdef __cplusplus
}
#endif
#endif
