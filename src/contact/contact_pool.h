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
    double gain; /* the most that finishing has added to a sample's score so far, at least 0 */
} hf_contact_pool;

/* Memory from the workspace. HF_ERROR_MEMORY or HF_OK. */
hf_status hf_contact_pool_make(const hf_creature* creature, const hf_contact_query* query,
                               hf_workspace* workspace, hf_contact_pool* pool);
/* Adds a finished contact with these joint values and chooses anew; true when one that was chosen before is
   so no more. */
bool hf_contact_pool_add(hf_contact_pool* pool, const hf_contact* contact, const double* q);
/* Would a contact at this point, from a sample of this score, be hidden by a better one that is chosen? */
bool hf_contact_pool_hides(const hf_contact_pool* pool, hf_vec3 point, double sample_score);
/* Are as many chosen as wanted, so good that samples up to this score will not change it? A query for one
   contact takes the first. */
bool hf_contact_pool_settled(const hf_contact_pool* pool, double best_sample_score);
/* Writes the chosen ones to the answer. */
void hf_contact_pool_read(const hf_contact_pool* pool, hf_contact_answer* answer);

#endif
