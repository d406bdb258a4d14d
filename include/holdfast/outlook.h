/* What is known of the time after a contact is made: how long it could last, and how well the body would
   stand with it. The terms `duration` and `balance` of contact scores. */
#ifndef HOLDFAST_OUTLOOK_H
#define HOLDFAST_OUTLOOK_H

#include <holdfast/balance.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hf_outlook {
    const hf_transform* roots; /* root poses to come, in order; the trunk's joints stay as they are */
    int root_count;
    const hf_mesh* const* reach; /* hf_reach_volume of each contact frame of the limb (one for a limb
                                    without), NULL where there is none; NULL for none at all */
    const hf_stance* stance;     /* of the contacts that stay; NULL for none */
    hf_vec3 com;                 /* where the centre of mass will be */
} hf_outlook;

/* The stance's margin with one more contact, in units of 5 cm, from -1 to 1: more than that is not better.
   0 without a stance. */
HF_API hf_status hf_outlook_balance(const hf_outlook* outlook, const hf_support* support,
                                    hf_workspace* workspace, double* balance);

#ifdef __cplusplus
}
#endif
#endif
