/* Contact descriptors: what forces a contact allows (contact-repositioning-2016 section 4.2.3). */
#ifndef HF_ADAPT_PROFILE_H
#define HF_ADAPT_PROFILE_H

#include <holdfast/contact.h>

/* The force actuation profile of a limb that touches with a posture. */
typedef struct hf_profile {
    hf_vec3 axes[3];  /* of the force ellipsoid, world, each to the surface's side */
    double forces[3]; /* alpha of equation 8 along each */
} hf_profile;

/* A limb that touches: links of the whole posture, the point and the surface's normal in the world. jacobian
   is scratch of three rows of the creature's speeds. */
typedef struct hf_profile_query {
    const hf_creature* creature;
    int limb;
    const hf_transform* links;
    hf_vec3 point, normal;
    double friction;
    double* jacobian;
} hf_profile_query;
hf_profile hf_profile_of(const hf_profile_query* query);
/* h1 of equation 11 over the sum of the squares: 1 for a contact like the original. */
double hf_profile_likeness(const hf_profile* original, const hf_profile_query* candidate);

#endif
