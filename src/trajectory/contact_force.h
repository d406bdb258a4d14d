/* The smallest contact forces for a wrench. */
#ifndef HF_TRAJECTORY_CONTACT_FORCE_H
#define HF_TRAJECTORY_CONTACT_FORCE_H

#include <holdfast/balance.h>

enum { HF_FORCE_CORNERS = HF_STANCE_SUPPORTS * HF_SUPPORT_CORNERS };

/* One corner of a contact. */
typedef struct hf_force_corner {
    hf_vec3 arm;    /* m, from the centre of mass */
    hf_vec3 normal; /* unit, out of the surface; not used by a grip */
    double friction;
    bool grip;
    double most; /* of a grip: weights */
    hf_vec3 force;
} hf_force_corner;

/* Fills the corners' forces (in weights) for a wrench about the centre of mass (force in weights, moment in
   m): the least sum of their squares inside friction cones and grip limits, or, where there is no such force,
   nearly the least that is missing. `dual` (6) starts the search and gets its end, for the next question;
   zeros are fine. Forces change continuously with wrench and corners. */
void hf_contact_forces(hf_force_corner* corners, int count, const double wrench[6], double dual[6]);

#endif
