/* The finished contacts of one query, and which of them are its answer: the best that are apart. */
#ifndef HF_CONTACT_CONTACT_POOL_H
#define HF_CONTACT_CONTACT_POOL_H

#include <holdfast/contact.h>

typedef struct hf_contact_pool {
    int wanted;     /* contacts of the answer */
    double apart_m; /* least distance between two of them */
    int count, room;
    hf_contact* contacts; /* highest score first; each with a row of joint values of its own */
    bool* chosen;         /* of each: is it in the answer so far? */
    int chosen_count;
    int q_count;
} hf_contact_pool;

/* Memory from the workspace. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_contact_pool_make(const hf_creature* creature, const hf_contact_query* query,
                               hf_workspace* workspace, hf_contact_pool* pool);
/* Adds a finished contact with these joint values and chooses anew. */
void hf_contact_pool_add(hf_contact_pool* pool, const hf_contact* contact, const double* q);
/* Writes the chosen ones to the answer. */
void hf_contact_pool_read(const hf_contact_pool* pool, hf_contact_answer* answer);

#endif
